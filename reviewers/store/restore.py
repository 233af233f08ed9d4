"""Reads an export back into a store: what is missing is added with its own time, what is there
stays as it is.

Records of people are told apart by all that they say, author and time among it. An older one never
comes to count over a newer one that the store has already: the last one by number counts, so it
gets a number before all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Table, func, insert, select, update

from reviewers.bundles.jsonl import SCHEMA as SUBMISSION
from reviewers.bundles.jsonl import read_submission_json
from reviewers.errors import BundleError
from reviewers.outcomes.outcome import Outcome
from reviewers.records import RecordedAnswer, Submission, Verdict
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
from reviewers.store.insert import fill_in, hold_everything, keep_submission, name_contract
from reviewers.store.lineages import LineageRelation, relations_in
from reviewers.store.outcomes import keep_outcomes
from reviewers.store.readings import StoredReading
from reviewers.store.readings import values as reading_values
from reviewers.store.record_lines import (
    Fields,
    author_name_of_line,
    decision_of_line,
    parsed_line,
    review_of_line,
    ruling_of_line,
    unescaped,
)
from reviewers.store.record_outcomes import commit_of_line, outcome_of_line, relation_of_line
from reviewers.store.record_words import (
    contract_of_line,
    own_finding_of_line,
    reading_of_line,
    remark_of_line,
)
from reviewers.store.refresh import refresh
from reviewers.store.rows import (
    as_read_values,
    finding_values,
    findings_of,
    review_digest,
    review_of,
    review_values,
)
from reviewers.store.store import Store
from reviewers.store.submission import Decision, FindingRuling
from reviewers.store.tables import (
    contract_choices,
    decisions,
    findings,
    own_findings,
    readings,
    relations,
    remarks,
    reviews,
    rulings,
    submissions,
)


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

    def __add__(self, other: Restored) -> Restored:
        return Restored(
            *(getattr(self, each.name) + getattr(other, each.name) for each in fields(self))
        )


@dataclass(slots=True)
class _Read:
    """What the lines say of one submission."""

    line: Fields
    submission: Submission | None = None
    at: datetime | None = None
    reviews: list[KeptReview] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    rulings: list[FindingRuling] = field(default_factory=list)
    commits: list[StoredCommit] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    relations: list[LineageRelation] = field(default_factory=list)
    own: list[OwnFinding] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    contracts: list[ContractChoice] = field(default_factory=list)
    authors: list[AuthorName] = field(default_factory=list)
    readings: list[StoredReading] = field(default_factory=list)
    base: str | None = None


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
        with store.writing() as connection:
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
            raise BundleError(found.source, "it speaks of a submission, and none stands before it")
        else:
            _take(now, Fields(unescaped(found.value), found.source))
    if now is not None:
        yield _complete(now)


def _take(now: _Read, record: Fields) -> None:
    kind = record.get("record", str)
    if kind == "import" and now.submission is None:
        now.submission, now.at = _exact(now.line, record), record.at()
        now.base = record.or_none("base", str)
    if now.submission is None or record.get("of", str) != now.submission.id:
        raise BundleError(record.source, "it does not belong to the submission before it")
    if kind == "review":
        now.reviews.append(review_of_line(record))
    elif kind == "decision":
        now.decisions.append(decision_of_line(record))
    elif kind == "ruling":
        now.rulings.append(ruling_of_line(record))
    elif kind == "own_finding":
        now.own.append(own_finding_of_line(record))
    elif kind == "remark":
        now.remarks.append(remark_of_line(record))
    elif kind == "contract":
        now.contracts.append(contract_of_line(record))
    elif kind == "reading":
        now.readings.append(reading_of_line(record))
    elif kind == "commit":
        now.commits.append(commit_of_line(record))
    elif kind == "outcome":
        now.outcomes.append(outcome_of_line(record, now.submission.id))
    elif kind == "relation":
        now.relations.append(relation_of_line(record))
    elif kind == "author":
        now.authors.append(author_name_of_line(record))
    elif kind != "import":
        raise record.wrong("record")


def _complete(read: _Read) -> _Read:
    if read.submission is None:
        raise BundleError(
            read.line.source,
            "the record of its import is missing; read a lone submission as a bundle",
        )
    return read


def _exact(line: Fields, record: Fields) -> Submission:
    """The submission as it was kept: checked like any bundle, but its texts are not mended a second
    time.
    """
    read = read_submission_json(line.value, line.source, exact=True)
    said = Fields(unescaped(line.value), line.source)
    context = Fields(said.value.get("context") or {}, line.source)
    repaired = record.texts("repaired")
    stated = said.nodes("runs")
    return replace(
        read,
        name=said.get("name", str),
        source=record.get("source", str),
        lineage=said.or_none("lineage", str),
        generator=said.or_none("generator", str),
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
                method=words.or_none("method", str),
                model=words.or_none("model", str),
                dataset=words.or_none("dataset", str),
            )
            for run, words in zip(read.runs, stated, strict=True)
        ),
        context=replace(
            read.context,
            hypothesis=context.texts("hypothesis"),
            design=context.texts("design"),
            **{
                name: context.or_none(name, str)
                for name in ("method", "primary_metric", "criteria")
            },
        ),
        recorded=tuple(
            RecordedAnswer(
                raw=answer.get("raw", str),
                verdict=answer.word_or_none("verdict", Verdict),
                **{name: answer.or_none(name, str) for name in ("text", "failure", "model")},
            )
            for answer in said.nodes("recorded")
        ),
    )


def _restore(connection: Connection, read: _Read) -> Restored:
    submission, at = read.submission, read.at
    assert submission is not None  # _complete has seen to it
    assert at is not None
    number, is_new = keep_submission(connection, submission, at)
    if read.base is not None:
        fill_in(connection, number, {"base": _number(connection, read.base)})
    names = _keep_authors(connection, read)
    added = Restored(
        authors=len(names),
        submissions=int(is_new),
        reviews=sum(
            _keep_review(connection, number, each)
            for each in _missing(connection, number, read.reviews)
        ),
        decisions=_keep_words(
            connection,
            decisions,
            submission.id,
            [_values(each) for each in read.decisions],
        ),
        rulings=_keep_words(
            connection, rulings, submission.id, [_values(each) for each in read.rulings]
        ),
        commits=keep_commits(connection, number, read.commits),
        outcomes=keep_outcomes(connection, submission.id, read.outcomes),
        relations=_keep_relations(connection, read),
        own_findings=_keep_own(connection, submission.id, read.own),
        remarks=_keep_words(
            connection, remarks, submission.id, [_values(each) for each in read.remarks]
        ),
        contracts=_keep_words(
            connection, contract_choices, submission.id, [_values(each) for each in read.contracts]
        ),
        readings=_keep_words(
            connection, readings, submission.id, [_reading(each) for each in read.readings]
        ),
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
    said: list[Decision | FindingRuling | Remark | ContractChoice | OwnFinding | LineageRelation]
    said = [*read.decisions, *read.rulings, *read.remarks, *read.contracts]
    said += [*read.own, *read.relations]
    readers = [each.author for each in read.readings if each.author]
    known = {*Authors(connection).every, *(each.key for each in read.authors)}
    if any(author.key is None or author.key not in known for author in readers):
        raise BundleError(read.line.source, "a reading names an author whom no line tells of")
    first: dict[str, AuthorName] = {}
    for each in sorted(said, key=lambda each: each.at):
        if each.author.key is None:
            key = recorded_key(each.author.signed)
            first.setdefault(key, AuthorName(key, Given.RECORDED, each.author.signed, each.at))
        elif each.author.key not in known:
            raise BundleError(read.line.source, "a record names an author whom no line tells of")
    earlier = [name for key, name in first.items() if key not in known]
    return keep_names(connection, [*read.authors, *earlier])


def _keep_relations(connection: Connection, read: _Read) -> int:
    names = Authors(connection)
    known = set(
        relations_in(
            connection, [each for said in read.relations for each in (said.one, said.other)]
        )
    )
    said = [replace(each, author=names.known(each.author)) for each in read.relations]
    new = [each for each in dict.fromkeys(said) if each not in known]
    for each in new:
        if _number(connection, each.one) is None or _number(connection, each.other) is None:
            raise BundleError(
                read.line.source, "a person tied it to a submission that does not stand before it"
            )
        connection.execute(insert(relations).values(**_values(each)))
    return len(new)


def _number(connection: Connection, id: str) -> int | None:
    return connection.execute(
        select(submissions.c.number).where(submissions.c.id == id)
    ).scalar_one_or_none()


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
    made = connection.execute(
        insert(reviews).values(submission=number, current=current, at=each.at, **values)
    )
    (review,) = made.inserted_primary_key or (None,)
    rows = [
        {
            "review": review,
            "position": place,
            **finding_values(said),
            **as_read_values(said, each.review.version or ""),
        }
        for place, said in enumerate(each.review.findings)
    ]
    if rows:
        connection.execute(insert(findings), rows)
    return True


def _values(
    each: Decision | FindingRuling | Remark | ContractChoice | LineageRelation,
) -> dict[str, Any]:
    """A record's columns, which are called as its fields are."""
    return {**asdict(each), **signature_values(each.author)}


def _reading(each: StoredReading) -> dict[str, Any]:
    signed = signature_values(each.author) if each.author else {"author": None, "signer": None}
    return {"at": each.at, **reading_values(each.said), **signed}


def _keep_own(connection: Connection, submission_id: str, read: Sequence[OwnFinding]) -> int:
    """Insert the findings of persons that are missing; two stores in which one person said the same
    agree on one of them.
    """
    known = {own.finding.id for own in own_in(connection, submission_id)}
    new = {own.finding.id: own for own in reversed(read) if own.finding.id not in known}
    return _keep_words(
        connection, own_findings, submission_id, [own_values(own) for own in reversed(new.values())]
    )


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
    connection: Connection, table: Table, submission_id: str, read: Sequence[Mapping[str, Any]]
) -> int:
    """Insert the records of people that are missing; those older than the newest that is there get
    numbers before all.
    """
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
