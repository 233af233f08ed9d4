"""A store as tables for analysis: data frames, and files of CSV or Parquet."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TextIO

import pandas as pd

from reviewers.bundles.dating import date_json
from reviewers.errors import StoreError, printable
from reviewers.exports.review_json import contract_json
from reviewers.exports.wording import writable
from reviewers.records import ContractSource, GivenContract, Ruling, Span, moment
from reviewers.store.authors import Author
from reviewers.store.full_record import KeptReview, KeptSubmission, kept
from reviewers.store.store import Store

Format = Literal["csv", "parquet"]
_Row = dict[str, Any]
_Write = Callable[[pd.DataFrame], None]
_AT_ONCE = 20_000  # rows of all tables that are in memory while they are written


def _lists(text: str) -> dict[str, list[str]]:
    """Lists of words by the word with a colon before each."""
    found: dict[str, list[str]] = {}
    for word in text.split():
        if word.endswith(":"):
            words = found[word[:-1]] = []
        else:
            words.append(word)
    return found


_COLUMNS = _lists("""
    submissions: submission name source lineage attempt generator contract contract_source
        generated_at dated_by date_is_guess imported_at files runs primary_metric
    runs: submission run_id method model dataset
    reviews: submission review reviewer model verdict failure current at seconds input_tokens
        cached_tokens output_tokens cost_usd prompt request revises
    findings: submission review reviewer finding rule criterion category severity message file
        line end_line check evidence evidence_file evidence_line evidence_end_line
    claims: submission review reviewer finding kind claim claim_start claim_end check
        misreading places
    rulings: submission finding ruling reason author author_id at counts blind
    own_findings: submission finding criterion category severity message file line end_line
        author author_id at counts
    remarks: submission finding severity category comment author author_id at counts
    outcomes: submission stage exit_code at source error message category file line
    decisions: submission verdict reason author author_id at counts blind
""")
# Types of columns that hold no text, so that a table without rows has them too, and an unknown
# number stays unknown.
_TYPES = {
    name: kind
    for kind, names in _lists("""
        Int64: attempt files runs review input_tokens cached_tokens output_tokens criterion
            line end_line evidence_line evidence_end_line claim_start claim_end exit_code
        Float64: seconds cost_usd
        boolean: date_is_guess current counts blind
    """).items()
    for name in names
}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def tables(store: Store, ids: Iterable[str] | None = None) -> Mapping[str, pd.DataFrame]:
    """Return the tables; `submission` joins them, together with `review` those of findings and
    claims.

    Rows are in the order in which they were kept. Reviews are counted from 1 within their
    submission, those that another one took the place of among them (`current`). Times are UTC in
    ISO 8601. A withdrawn decision has no verdict; `counts` says which record of a person is in
    force: a finding that nobody dismissed, and the last severity that a finding was given; `blind`
    whether it was given before others' words were seen, empty if that is not known.

    Args:
        ids: of the submissions that are wanted, in this order; all of them where None.
    """
    (frames,) = _frames(store, ids, None)
    return frames


def _frames(
    store: Store, ids: Iterable[str] | None, at_once: int | None
) -> Iterator[Mapping[str, pd.DataFrame]]:
    """Yield the tables in parts of so many rows, whole submissions each; in one where None."""
    rows: dict[str, list[_Row]] = {name: [] for name in _COLUMNS}

    def made() -> Mapping[str, pd.DataFrame]:
        return {name: _frame(rows[name], columns) for name, columns in _COLUMNS.items()}

    for each in kept(store, ids):
        for name, found in _rows(each):
            rows[name].append(found)
        if at_once is not None and sum(map(len, rows.values())) >= at_once:
            yield made()
            rows = {name: [] for name in _COLUMNS}
    yield made()


def table_paths(folder: Path, format: Format) -> tuple[Path, ...]:
    """Return the files that `write_tables` writes."""
    return tuple(folder / f"{name}.{format}" for name in _COLUMNS)


def write_tables(
    store: Store, folder: Path, format: Format, ids: Iterable[str] | None = None
) -> tuple[Path, ...]:
    """Write each table into a file of its own, `submissions.csv` and so on; the same store gives
    the same bytes.

    In CSV, a text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return gets an
    apostrophe in front, since a spreadsheet would run it as a formula; Parquet has every text as it
    is.

    Raises:
        StoreError: the folder or a file cannot be written.
    """
    paths = table_paths(folder, format)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # None of them gets its name before all are whole: a folder of two stores' tables cannot be
        # distinguishable from a good one.
        parts = [path.with_name(f".{path.name}.part") for path in paths]
        try:
            with ExitStack() as opened:
                writers = [opened.enter_context(_WRITERS[format](part)) for part in parts]
                for frames in _frames(store, ids, _AT_ONCE):
                    for write, frame in zip(writers, frames.values(), strict=True):
                        write(frame)
            for part, path in zip(parts, paths, strict=True):
                os.replace(part, path)
        finally:
            for part in parts:
                part.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(
            f"{printable(str(folder))}: the tables cannot be written ({error.strerror or error})"
        ) from None
    return paths


def _contract(each: KeptSubmission) -> _Row:
    """By which contract a submission is judged, a person's newest choice first."""
    text = each.contracts[-1].text if each.contracts else None
    given = GivenContract(ContractSource.PERSON, text) if text else each.submission.contract
    known = contract_json(replace(each.submission, contract=given))
    return {"contract": known["name"], "contract_source": known["source"]}


def _row(table: str, key: _Row, record: object, **told: Any) -> tuple[str, _Row]:
    """A row of a table: what the record has under the names of its columns, and what else is
    told.
    """
    row = {name: getattr(record, name, None) for name in _COLUMNS[table]}
    if isinstance(at := row.get("at"), datetime):
        row["at"] = moment(at)
    if isinstance(author := row.get("author"), Author):
        row |= {"author": str(author), "author_id": author.id}  # people of one name have two ids
    return table, {**row, **key, **told}


def _rows(each: KeptSubmission) -> Iterator[tuple[str, _Row]]:
    submission = each.submission
    key = {"submission": submission.id}
    lineage, attempt = each.recognised or (submission.lineage, submission.attempt)
    yield _row(
        "submissions",
        key,
        submission,
        lineage=lineage,
        attempt=attempt,
        **_contract(each),
        **date_json(submission.generated),
        imported_at=moment(each.imported_at),
        files=len(submission.files),
        runs=len(submission.runs),
        primary_metric=submission.context.primary_metric,
    )
    for config in submission.runs:
        yield _row("runs", key, config)
    for number, said in enumerate(each.reviews, 1):
        yield from _of_review({**key, "review": number}, said)
    for outcome in each.outcomes:
        yield _row("outcomes", key, outcome, **_place(next(iter(outcome.spans), None)))
    last = {ruling.finding_id: ruling for ruling in each.rulings}
    for ruling in each.rulings:
        counts = last[ruling.finding_id] is ruling and ruling.ruling is not Ruling.WITHDRAWN
        yield _row("rulings", key, ruling, finding=ruling.finding_id, counts=counts)
    for own in each.own:
        _, found = _row("own_findings", key, own.finding, **_place(own.finding.span))
        ruled = last.get(own.finding.id)
        counts = ruled is None or ruled.ruling is not Ruling.DISMISS
        written = {name: each for name, each in found.items() if each is not None}
        yield _row("own_findings", written, own, finding=own.finding.id, counts=counts)
    given = {each.finding_id: each for each in each.remarks if each.severity is not None}
    for remark in each.remarks:
        counts = given.get(remark.finding_id) is remark
        yield _row("remarks", key, remark, finding=remark.finding_id, counts=counts)
    for decision in each.decisions:
        counts = decision is each.decisions[-1] and decision.verdict is not None
        yield _row("decisions", key, decision, counts=counts)


def _of_review(key: _Row, said: KeptReview) -> Iterator[tuple[str, _Row]]:
    review = said.review
    yield _row("reviews", key, review, current=said.current, at=moment(said.at))
    key = {**key, "reviewer": review.reviewer}
    for finding in review.findings:
        check = finding.check
        told = {"finding": finding.id, "check": check.result}
        places = {**_place(finding.span), **_place(check.span, "evidence_")}
        yield _row("findings", key, finding, **told, **places, evidence=check.evidence)
        if finding.claim is not None:
            start, end = finding.claim_at or (None, None)
            shown = "; ".join(f"{place.span} ({place.found})" for place in finding.places)
            at = {"claim_start": start, "claim_end": end, "places": shown or None}
            yield _row("claims", key, finding, **told, **at, misreading=check.misreading)


def _place(span: Span | None, prefix: str = "") -> _Row:
    names = ("file", "line", "end_line")
    return {} if span is None else {f"{prefix}{name}": getattr(span, name) for name in names}


def _frame(rows: list[_Row], columns: Sequence[str]) -> pd.DataFrame:
    def cell(value: Any) -> Any:
        return writable(str(value)) if isinstance(value, str) else value

    made: dict[str, Any] = {
        name: pd.array([cell(row.get(name)) for row in rows], dtype=_TYPES.get(name, "string"))  # type: ignore[call-overload]
        for name in columns
    }
    return pd.DataFrame(made, columns=list(columns))


@contextmanager
def _csv(path: Path) -> Iterator[_Write]:
    with path.open("w", encoding="utf-8", newline="") as file:
        yield lambda frame: _write_csv(frame, file, header=file.tell() == 0)


def _write_csv(frame: pd.DataFrame, file: TextIO, *, header: bool) -> None:
    safe = frame.copy()
    for name in safe.columns:
        if name not in _TYPES:
            safe[name] = safe[name].map(_no_formula, na_action="ignore")
    # With this line end, which RFC 4180 asks for, a lone carriage return within a text is quoted,
    # too.
    safe.to_csv(file, index=False, header=header, lineterminator="\r\n")


def _no_formula(text: str) -> str:
    # NUL ends a text for many a reader of CSV.
    text = text.replace("\0", "\ufffd")
    return f"'{text}" if text.startswith(_FORMULA) else text


@contextmanager
def _parquet(path: Path) -> Iterator[_Write]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with ExitStack() as opened:
        writers: list[Any] = []

        def write(frame: pd.DataFrame) -> None:
            table = pa.Table.from_pandas(frame, preserve_index=False)
            if not writers:
                writers.append(opened.enter_context(pq.ParquetWriter(path, table.schema)))
            if len(frame):
                writers[0].write_table(table.cast(writers[0].schema))

        yield write


_WRITERS: Mapping[str, Callable[[Path], AbstractContextManager[_Write]]] = {
    "csv": _csv,
    "parquet": _parquet,
}
