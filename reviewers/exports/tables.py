"""A store as tables for analysis: data frames, and files of CSV or Parquet."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from reviewers.bundles.dating import date_json
from reviewers.errors import StoreError, printable
from reviewers.exports.review_json import contract_json
from reviewers.exports.wording import writable
from reviewers.records import ContractSource, Finding, GivenContract, Ruling, Span, moment
from reviewers.store.authors import Author
from reviewers.store.full_record import KeptReview, KeptSubmission, kept
from reviewers.store.store import Store

Format = Literal["csv", "parquet"]
_Row = dict[str, Any]

# Columns by table with their types, so that a table without rows has them too, and an unknown
# number stays unknown.
_TEXT, _WHOLE, _REAL, _FLAG = "string", "Int64", "Float64", "boolean"
_COLUMNS: Mapping[str, Mapping[str, str]] = {
    "submissions": {
        "submission": _TEXT,
        "name": _TEXT,
        "source": _TEXT,
        "lineage": _TEXT,
        "attempt": _WHOLE,
        "generator": _TEXT,
        "contract": _TEXT,
        "contract_source": _TEXT,
        "generated_at": _TEXT,
        "dated_by": _TEXT,
        "date_is_guess": _FLAG,
        "imported_at": _TEXT,
        "files": _WHOLE,
        "runs": _WHOLE,
        "primary_metric": _TEXT,
    },
    "runs": {
        "submission": _TEXT,
        "run_id": _TEXT,
        "method": _TEXT,
        "model": _TEXT,
        "dataset": _TEXT,
    },
    "reviews": {
        "submission": _TEXT,
        "review": _WHOLE,
        "reviewer": _TEXT,
        "model": _TEXT,
        "verdict": _TEXT,
        "failure": _TEXT,
        "current": _FLAG,
        "at": _TEXT,
        "seconds": _REAL,
        "input_tokens": _WHOLE,
        "cached_tokens": _WHOLE,
        "output_tokens": _WHOLE,
        "cost_usd": _REAL,
        "prompt": _TEXT,
        "request": _TEXT,
        "revises": _TEXT,
    },
    "findings": {
        "submission": _TEXT,
        "review": _WHOLE,
        "reviewer": _TEXT,
        "finding": _TEXT,
        "rule": _TEXT,
        "criterion": _WHOLE,
        "category": _TEXT,
        "severity": _TEXT,
        "message": _TEXT,
        "file": _TEXT,
        "line": _WHOLE,
        "end_line": _WHOLE,
        "check": _TEXT,
        "evidence": _TEXT,
        "evidence_file": _TEXT,
        "evidence_line": _WHOLE,
        "evidence_end_line": _WHOLE,
    },
    "claims": {
        "submission": _TEXT,
        "review": _WHOLE,
        "reviewer": _TEXT,
        "finding": _TEXT,
        "kind": _TEXT,
        "claim": _TEXT,
        "claim_start": _WHOLE,
        "claim_end": _WHOLE,
        "check": _TEXT,
        "misreading": _TEXT,
        "places": _TEXT,
    },
    "rulings": {
        "submission": _TEXT,
        "finding": _TEXT,
        "ruling": _TEXT,
        "reason": _TEXT,
        "author": _TEXT,
        "author_id": _TEXT,
        "at": _TEXT,
        "counts": _FLAG,
        "blind": _FLAG,
    },
    "own_findings": {
        "submission": _TEXT,
        "finding": _TEXT,
        "criterion": _WHOLE,
        "category": _TEXT,
        "severity": _TEXT,
        "message": _TEXT,
        "file": _TEXT,
        "line": _WHOLE,
        "end_line": _WHOLE,
        "author": _TEXT,
        "author_id": _TEXT,
        "at": _TEXT,
        "counts": _FLAG,
    },
    "remarks": {
        "submission": _TEXT,
        "finding": _TEXT,
        "severity": _TEXT,
        "category": _TEXT,
        "comment": _TEXT,
        "author": _TEXT,
        "author_id": _TEXT,
        "at": _TEXT,
        "counts": _FLAG,
    },
    "outcomes": {
        "submission": _TEXT,
        "stage": _TEXT,
        "exit_code": _WHOLE,
        "at": _TEXT,
        "source": _TEXT,
        "error": _TEXT,
        "message": _TEXT,
        "category": _TEXT,
        "file": _TEXT,
        "line": _WHOLE,
    },
    "decisions": {
        "submission": _TEXT,
        "verdict": _TEXT,
        "reason": _TEXT,
        "author": _TEXT,
        "author_id": _TEXT,
        "at": _TEXT,
        "counts": _FLAG,
        "blind": _FLAG,
    },
}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def tables(store: Store, ids: Iterable[str] | None = None) -> Mapping[str, pd.DataFrame]:
    """Return the tables; `submission` joins them, together with `review` those of findings and
    claims.

    Rows stand in the order in which they were kept. Reviews are counted from 1 within their
    submission, those that another one took the place of among them (`current`). Times are UTC in
    ISO 8601. A withdrawn decision has no verdict; `counts` says which record of a person is in
    force: a finding that nobody dismissed, and the last severity that a finding was given; `blind`
    whether it was given before others' words were seen, empty where that is not known.

    Args:
        ids: of the submissions that are wanted, in this order; all of them where None.
    """
    rows: dict[str, list[_Row]] = {name: [] for name in _COLUMNS}
    for each in kept(store, ids):
        for name, found in _rows(each):
            rows[name].append(found)
    return {name: _frame(rows[name], columns) for name, columns in _COLUMNS.items()}


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
        # told from a good one.
        parts = [path.with_name(f".{path.name}.part") for path in paths]
        try:
            for part, frame in zip(parts, tables(store, ids).values(), strict=True):
                _WRITERS[format](frame, part)
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


def _rows(each: KeptSubmission) -> Iterator[tuple[str, _Row]]:
    submission = each.submission
    key = {"submission": submission.id}
    yield (
        "submissions",
        {
            **key,
            "name": submission.name,
            "source": submission.source,
            "lineage": each.recognised[0] if each.recognised else submission.lineage,
            "attempt": each.recognised[1] if each.recognised else submission.attempt,
            "generator": submission.generator,
            **_contract(each),
            **date_json(submission.generated),
            "imported_at": moment(each.imported_at),
            "files": len(submission.files),
            "runs": len(submission.runs),
            "primary_metric": submission.context.primary_metric,
        },
    )
    for config in submission.runs:
        yield (
            "runs",
            {
                **key,
                **{
                    name: getattr(config, name) for name in ("run_id", "method", "model", "dataset")
                },
            },
        )
    for number, said in enumerate(each.reviews, 1):
        yield from _of_review({**key, "review": number}, said)
    for outcome in each.outcomes:
        span = outcome.spans[0] if outcome.spans else None
        told = {"error": outcome.error, "message": outcome.message, "category": outcome.category}
        where = {"file": span.file if span else None, "line": span.line if span else None}
        run = {
            "stage": str(outcome.stage),
            "exit_code": outcome.exit_code,
            "at": moment(outcome.at),
            "source": outcome.source,
        }
        yield "outcomes", {**key, **run, **told, **where}
    last = {ruling.finding_id: place for place, ruling in enumerate(each.rulings)}
    for place, ruling in enumerate(each.rulings):
        told = {"reason": ruling.reason, **_signed(ruling.author), "at": moment(ruling.at)}
        counts = last[ruling.finding_id] == place and ruling.ruling != "withdrawn"
        yield (
            "rulings",
            {
                **key,
                "finding": ruling.finding_id,
                "ruling": ruling.ruling,
                **told,
                "counts": counts,
                "blind": ruling.blind,
            },
        )
    yield from _of_people(key, each)
    for place, decision in enumerate(each.decisions, 1):
        told = {"reason": decision.reason, **_signed(decision.author), "at": moment(decision.at)}
        counts = place == len(each.decisions) and decision.verdict is not None
        in_force = {"counts": counts, "blind": decision.blind}
        yield "decisions", {**key, "verdict": decision.verdict, **told, **in_force}


def _of_people(key: _Row, each: KeptSubmission) -> Iterator[tuple[str, _Row]]:
    last = {ruling.finding_id: ruling.ruling for ruling in each.rulings}
    for own in each.own:
        found = own.finding
        what = {
            name: getattr(found, name) for name in ("criterion", "category", "severity", "message")
        }
        told = {
            **_signed(own.author),
            "at": moment(own.at),
            "counts": last.get(found.id) is not Ruling.DISMISS,
        }
        yield "own_findings", {**key, "finding": found.id, **what, **_place(found.span), **told}
    given = {
        remark.finding_id: place
        for place, remark in enumerate(each.remarks)
        if remark.severity is not None
    }
    for place, remark in enumerate(each.remarks):
        told = {
            **_signed(remark.author),
            "at": moment(remark.at),
            "counts": given.get(remark.finding_id) == place,
        }
        words = {name: getattr(remark, name) for name in ("severity", "category", "comment")}
        yield "remarks", {**key, "finding": remark.finding_id, **words, **told}


def _signed(author: Author) -> _Row:
    """Two people of one name have two ids."""
    return {"author": str(author), "author_id": author.id}


def _of_review(key: _Row, said: KeptReview) -> Iterator[tuple[str, _Row]]:
    review = said.review
    own = {name: getattr(review, name, None) for name in _COLUMNS["reviews"]}
    yield "reviews", {**own, **key, "current": said.current, "at": moment(said.at)}
    key = {**key, "reviewer": review.reviewer}
    for finding in review.findings:
        check = finding.check
        yield (
            "findings",
            {
                **key,
                "finding": finding.id,
                **{
                    name: getattr(finding, name)
                    for name in ("rule", "criterion", "category", "severity", "message")
                },
                **_place(finding.span),
                "check": check.result,
                "evidence": check.evidence,
                **_place(check.span, "evidence_"),
            },
        )
        if finding.claim is not None:
            yield "claims", {**key, **_claim(finding)}


def _claim(finding: Finding) -> _Row:
    start, end = finding.claim_at or (None, None)
    return {
        "finding": finding.id,
        "kind": finding.kind,
        "claim": finding.claim,
        "claim_start": start,
        "claim_end": end,
        "check": finding.check.result,
        "misreading": finding.check.misreading,
        "places": "; ".join(f"{place.span} ({place.found})" for place in finding.places) or None,
    }


def _place(span: Span | None, prefix: str = "") -> _Row:
    if span is None:
        return {}
    return {
        f"{prefix}file": span.file,
        f"{prefix}line": span.line,
        f"{prefix}end_line": span.end_line,
    }


def _frame(rows: list[_Row], columns: Mapping[str, Any]) -> pd.DataFrame:
    def cell(value: Any) -> Any:
        return writable(str(value)) if isinstance(value, str) else value

    made = {
        name: pd.array([cell(row.get(name)) for row in rows], dtype=kind)
        for name, kind in columns.items()
    }
    return pd.DataFrame(made, columns=list(columns))


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    safe = frame.copy()
    for name in safe.columns:
        if _COLUMNS_OF_TEXT[name]:
            safe[name] = safe[name].map(_no_formula, na_action="ignore")
    # With this line end, which RFC 4180 asks for, a lone carriage return within a text is quoted,
    # too.
    safe.to_csv(path, index=False, encoding="utf-8", lineterminator="\r\n")


def _no_formula(text: str) -> str:
    # NUL ends a text for many a reader of CSV.
    text = text.replace("\0", "\ufffd")
    return f"'{text}" if text.startswith(_FORMULA) else text


def _write_parquet(frame: pd.DataFrame, path: Path) -> None:
    frame.to_parquet(path, index=False, engine="pyarrow")


_COLUMNS_OF_TEXT = {
    name: kind == _TEXT for columns in _COLUMNS.values() for name, kind in columns.items()
}
_WRITERS: Mapping[str, Callable[[pd.DataFrame, Path], None]] = {
    "csv": _write_csv,
    "parquet": _write_parquet,
}
