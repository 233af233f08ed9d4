"""Imports an export into a store: what is missing is added with its original time, what exists
stays as it is.

Two records of people are equal if everything in them is, author and time included. The last record
by number counts, so an older one is inserted with a number before all others and never replaces a
newer one in the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection, Table, func, insert, select, update

from reviewers.bundles.submission_json import SCHEMA as SUBMISSION
from reviewers.bundles.submission_json import read_submission_json
from reviewers.errors import BundleError
from reviewers.outcomes.outcome import Outcome
from reviewers.records import RecordedAnswer, Submission, Verdict
from reviewers.roles import Act
from reviewers.store.assignments import Assignment
from reviewers.store.attempts import recognise_around
from reviewers.store.authors import (
    AuthorName,
    Authors,
    Given,
    keep_names,
    recorded_key,
    signature_values,
)
from reviewers.store.commits import StoredCommit, keep_commits
from reviewers.store.contracts import ContractChoice
from reviewers.store.corrections import refresh_named
from reviewers.store.full_record import KeptReview
from reviewers.store.human_input import OwnFinding, Remark, own_in, own_values
from reviewers.store.insert import (
    fill_in,
    hold_everything,
    insert_review,
    keep_submission,
    name_contract,
)
from reviewers.store.lineages import LineageRelation, relations_in
from reviewers.store.outcomes import keep_outcomes
from reviewers.store.readings import StoredReading
from reviewers.store.readings import values as reading_values
from reviewers.store.record_lines import ExportLine, parsed_line, record_of, unescaped
from reviewers.store.refresh import refresh
from reviewers.store.repairs import RepairChoice
from reviewers.store.rows import (
    as_read_values,
    finding_values,
    findings_of,
    known_number,
    review_digest,
    review_of,
    review_values,
)
from reviewers.store.store import Store
from reviewers.store.submission import Decision, FindingRuling
from reviewers.store.tables import (
    assignments,
    contract_choices,
    decisions,
    own_findings,
    readings,
    relations,
    remarks,
    repair_choices,
    reviews,
    rulings,
)

_T = TypeVar("_T")
_SAID = (
    *(Decision, FindingRuling, Remark, ContractChoice, Assignment),
    *(OwnFinding, LineageRelation, RepairChoice),
)
_Texts: Any = dict[str, str]


@dataclass(frozen=True, slots=True)
class Restored:
    """How much was new to the store."""

    submissions: int = 0
    reviews: int = 0
    decisions: int = 0
    rulings: int = 0
    commits: int = 0
    outcomes: int = 0
    relations: int = 0
    own_findings: int = 0
    remarks: int = 0
    contracts: int = 0
    authors: int = 0
    readings: int = 0
    assignments: int = 0
    repair_choices: int = 0

    def __add__(self, other: Restored) -> Restored:
        return Restored(
            *(getattr(self, each.name) + getattr(other, each.name) for each in fields(self))
        )


@dataclass(slots=True)
class _Read:
    """What the lines say of one submission."""

    line: ExportLine
    submission: Submission | None = None
    at: datetime | None = None
    base: str | None = None
    records: list[Any] = field(default_factory=list)

    def every(self, kind: type[_T]) -> list[_T]:
        """Return the records of one kind, in their order."""
        return [each for each in self.records if isinstance(each, kind)]


def import_lines(store: Store, lines: Iterable[str], source: str = "export") -> Restored:
    """Add what an export holds; a second import of the same lines changes nothing.

    Each submission is kept with all that was said of it, or not at all; those before a damaged one
    are in the store then, and the import can be repeated.

    Args:
        lines: as `export_lines` gives them, with or without their ends.
        source: the file's name, for the text of errors.

    Raises:
        BundleError: a line is damaged, or does not fit the submission before it.
        StoreError: the store refuses a write.
    """
    total = Restored()
    for read in _submissions(lines, source):
        with store.writing(Act.IMPORT) as connection:
            hold_everything(connection)
            total += _restore(connection, read)
    return total


def _submissions(lines: Iterable[str], source: str) -> Iterator[_Read]:
    now: _Read | None = None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        found = parsed_line(line, f"{source}: line {number}")
        if found.value["schema"] == SUBMISSION:
            if now is not None:
                yield _complete(now)
            now = _Read(found)
        elif now is None:
            raise BundleError(found.source, "it refers to a submission, but none precedes it")
        else:
            _take(now, ExportLine(unescaped(found.value), found.source))
    if now is not None:
        yield _complete(now)


def _take(now: _Read, line: ExportLine) -> None:
    kind = line.get("record", str)
    if kind == "import" and now.submission is None:
        now.submission, now.at = _exact(now.line, line), line.get("at", datetime)
        now.base = line.get("base", str | None)
    if now.submission is None or line.get("of", str) != now.submission.id:
        raise BundleError(line.source, "it does not belong to the submission before it")
    if kind != "import":
        now.records.append(record_of(line))


def _complete(read: _Read) -> _Read:
    if read.submission is None:
        raise BundleError(
            read.line.source,
            "the record of its import is missing; read a lone submission as a bundle",
        )
    return read


def _exact(line: ExportLine, came: ExportLine) -> Submission:
    """The submission as it was kept: checked like any bundle, but its texts are not repaired a
    second time.
    """
    read = read_submission_json(line.value, line.source, exact=True)
    said = ExportLine(unescaped(line.value), line.source)
    context = ExportLine(said.get("context", dict | None) or {}, line.source)
    repaired = came.get("repaired", _Texts | None) or {}
    runs = [ExportLine(each, line.source) for each in said.get("runs", list | None) or []]
    answers = [ExportLine(each, line.source) for each in said.get("recorded", list | None) or []]
    return replace(
        read,
        name=said.get("name", str),
        source=came.get("source", str),
        lineage=said.get("lineage", str | None),
        generator=said.get("generator", str | None),
        # Where an older areachair says nothing the name is asked; else what was known, no more.
        generated=read.generated if said.value.get("generated_at", "") is not None else None,
        files=tuple(
            replace(read.by_path[path], repaired=repaired.get(path))
            for path in line.get("files", dict)
        ),
        runs=tuple(
            replace(
                run,
                file=replace(run.file, repaired=repaired.get(run.file.path)),
                **{name: words.get(name, str | None) for name in ("method", "model", "dataset")},
            )
            for run, words in zip(read.runs, runs, strict=True)
        ),
        context=replace(
            read.context,
            hypothesis=context.get("hypothesis", _Texts | None) or {},
            design=context.get("design", _Texts | None) or {},
            **{
                name: context.get(name, str | None)
                for name in ("method", "primary_metric", "criteria")
            },
        ),
        recorded=tuple(
            RecordedAnswer(
                raw=answer.get("raw", str),
                verdict=answer.get("verdict", Verdict | None),
                **{name: answer.get(name, str | None) for name in ("text", "failure", "model")},
            )
            for answer in answers
        ),
    )


def _restore(connection: Connection, read: _Read) -> Restored:
    submission, at = read.submission, read.at
    assert submission is not None  # _complete has seen to it
    assert at is not None
    number, is_new = keep_submission(connection, submission, at)
    if read.base is not None:
        fill_in(connection, number, {"base": known_number(connection, read.base)})
    names = _keep_authors(connection, read)
    keep_words = partial(_keep_words, connection, submission.id)
    added = Restored(
        authors=len(names),
        submissions=int(is_new),
        reviews=sum(
            _keep_review(connection, number, each)
            for each in _missing(connection, number, read.every(KeptReview))
        ),
        decisions=keep_words(decisions, map(_values, read.every(Decision))),
        rulings=keep_words(rulings, map(_values, read.every(FindingRuling))),
        commits=keep_commits(connection, number, read.every(StoredCommit)),
        outcomes=keep_outcomes(connection, submission.id, read.every(Outcome)),
        relations=_keep_relations(connection, read),
        own_findings=keep_words(own_findings, _new_own(connection, submission.id, read)),
        remarks=keep_words(remarks, map(_values, read.every(Remark))),
        contracts=keep_words(contract_choices, map(_values, read.every(ContractChoice))),
        assignments=keep_words(assignments, map(_values, read.every(Assignment))),
        repair_choices=keep_words(repair_choices, map(_values, read.every(RepairChoice))),
        readings=keep_words(readings, map(_reading, read.every(StoredReading))),
    )
    if added.contracts:
        name_contract(connection, number)
    if added != Restored():
        refresh(connection, number)
    refresh_named(connection, names)
    if is_new or added.relations:
        recognise_around(connection, [number])
    return added


def _keep_authors(connection: Connection, read: _Read) -> Sequence[AuthorName]:
    """Keep the names of who wrote the records; a record may have been written before its author
    had a row.
    """
    said: list[Any] = [each for each in read.records if isinstance(each, _SAID)]
    readers = [each.author for each in read.every(StoredReading) if each.author]
    known = {*Authors(connection).every, *(each.key for each in read.every(AuthorName))}
    if any(author.key is None or author.key not in known for author in readers):
        raise BundleError(read.line.source, "a reading names an author who has no line")
    if any(each.assigned and each.assigned not in known for each in read.every(Assignment)):
        raise BundleError(read.line.source, "an assignment names an author who has no line")
    first: dict[str, AuthorName] = {}
    for each in sorted(said, key=lambda each: each.at):
        if each.author.key is None:
            key = recorded_key(each.author.signed)
            first.setdefault(key, AuthorName(key, Given.RECORDED, each.author.signed, each.at))
        elif each.author.key not in known:
            raise BundleError(read.line.source, "a record names an author who has no line")
    earlier = [name for key, name in first.items() if key not in known]
    return keep_names(connection, [*read.every(AuthorName), *earlier])


def _keep_relations(connection: Connection, read: _Read) -> int:
    names, told = Authors(connection), read.every(LineageRelation)
    known = set(relations_in(connection, [id for said in told for id in (said.one, said.other)]))
    said = [replace(each, author=names.known(each.author)) for each in told]
    new = [each for each in dict.fromkeys(said) if each not in known]
    for each in new:
        if (
            known_number(connection, each.one) is None
            or known_number(connection, each.other) is None
        ):
            raise BundleError(
                read.line.source, "a person attached it to a submission that does not precede it"
            )
        connection.execute(insert(relations).values(**_values(each)))
    return len(new)


def _missing(connection: Connection, number: int, read: Sequence[KeptReview]) -> list[KeptReview]:
    """The reviews that the store has not, by what they say: an older release may have written
    another digest of it.
    """
    rows = connection.execute(select(reviews).where(reviews.c.submission == number)).all()
    found = findings_of(connection, [row.number for row in rows], as_read=False)
    known = {row.digest for row in rows} | {
        review_digest(review_of(row, found.get(row.number, ()))) for row in rows
    }
    return [
        each
        for digest, each in {review_digest(each.review): each for each in read}.items()
        if digest not in known
    ]


def _keep_review(connection: Connection, number: int, each: KeptReview) -> bool:
    values = review_values(each.review)
    same_slot = (reviews.c.submission == number) & (reviews.c.slot == values["slot"])
    newest = connection.scalar(select(func.max(reviews.c.at)).where(same_slot, reviews.c.current))
    current = each.current and (newest is None or newest <= each.at)
    if current:
        connection.execute(
            update(reviews).where(same_slot, reviews.c.current).values(current=False)
        )
    version = each.review.version or ""
    rows = [
        {**finding_values(said), **as_read_values(said, version)} for said in each.review.findings
    ]
    insert_review(connection, number, values, each.at, rows, current=current)
    return True


def _values(
    each: Decision
    | FindingRuling
    | Remark
    | ContractChoice
    | LineageRelation
    | Assignment
    | RepairChoice,
) -> dict[str, Any]:
    """A record's columns, which are called as its fields are."""
    return {**asdict(each), **signature_values(each.author)}


def _reading(each: StoredReading) -> dict[str, Any]:
    signed = signature_values(each.author) if each.author else {"author": None, "signer": None}
    return {"at": each.at, **reading_values(each.said), **signed}


def _new_own(connection: Connection, submission_id: str, read: _Read) -> list[dict[str, Any]]:
    """The findings of persons that are missing; two stores in which one person said the same agree
    on one of them.
    """
    known = {own.finding.id for own in own_in(connection, submission_id)}
    written = reversed(read.every(OwnFinding))
    new = {own.finding.id: own for own in written if own.finding.id not in known}
    return [own_values(own) for own in reversed(new.values())]


def _about(values: Mapping[str, Any]) -> tuple[str | None, bool]:
    """What a record of a person is about: each finding has a last ruling of its own, and a last
    severity; each claim a last reading.
    """
    return values.get("finding_id", values.get("claim")), values.get("severity") is not None


def _same(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """What makes two records of a person one: an export of an older areachair does not say whether
    it was made blind.
    """
    return {name: value for name, value in values.items() if name != "blind"}


def _keep_words(
    connection: Connection, submission_id: str, table: Table, words: Iterable[Mapping[str, Any]]
) -> int:
    """Insert the records of people that are missing; those older than the newest that is there get
    numbers before all.
    """
    read = list(words)
    rows = [
        dict(row)
        for row in connection.execute(
            select(table).where(table.c.submission_id == submission_id)
        ).mappings()
    ]
    known = [_same({name: row[name] for name in values}) for values in read[:1] for row in rows]
    new = [dict(values) for values in read if _same(values) not in known]
    newest: dict[tuple[str | None, bool], datetime] = {}
    for row in rows:
        newest[_about(row)] = max(row["at"], newest.get(_about(row), row["at"]))
    older = [
        values
        for values in new
        if (last := newest.get(_about(values))) is not None and values["at"] < last
    ]
    first = connection.scalar(select(func.min(table.c.number))) or 1
    for place, values in enumerate(older):
        before = min(first, 1) - len(older) + place
        connection.execute(
            insert(table).values(number=before, submission_id=submission_id, **values)
        )
    later = [values for values in new if values not in older]
    if later:
        connection.execute(
            insert(table), [{"submission_id": submission_id, **values} for values in later]
        )
    return len(new)
