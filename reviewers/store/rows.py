"""Converts records to rows and back; what is stored comes back equal."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from sqlalchemy import Connection, Row, Select, select, type_coerce

from reviewers.records import (
    OFFLINE,
    Check,
    ContractSource,
    DatedBy,
    DryRun,
    FactCheck,
    Finding,
    Found,
    Generated,
    GivenContract,
    Misreading,
    PassedOver,
    Place,
    RecordedAnswer,
    ResearchContext,
    Review,
    RunConfig,
    Severity,
    SourceFile,
    Span,
    Statement,
    Submission,
    Understood,
    Verdict,
)
from reviewers.store.columns import PackedFields, fields_bytes
from reviewers.store.record_json import from_json, to_json
from reviewers.store.tables import (
    answers,
    attempts,
    contents,
    contexts,
    contract_choices,
    findings,
    run_configs,
    submission_files,
    submissions,
)
from reviewers.store.triage import RECORDED

Values = dict[str, Any]


def sha256(data: bytes) -> str:
    """Return the hash under which a content is kept."""
    return hashlib.sha256(data).hexdigest()


def _digest(value: object) -> str:
    return sha256(json.dumps(value).encode())


def review_slot(review: Review) -> str:
    """Return the place that a reviewer's newest review takes.

    A bundle can bring along answers of several models, all called `recorded`: each answer is a
    reviewer of its own.
    """
    if review.reviewer == RECORDED:
        return recorded_slot(review.raw)
    return _digest([review.reviewer, None])


def recorded_slot(raw: str | None) -> str:
    """Return the place of the review of an answer that a bundle brings along."""
    return _digest([RECORDED, raw])


def review_digest(review: Review) -> str:
    """Return what two reviews have in common that say the same; time and cost do not count, nor
    does the dry run: what it names, findings tell.
    """
    said = [review.reviewer, review.model, review.verdict, review.failure, review.text, review.raw]
    if review.request is not None:
        # What was asked another time is another review, even where it says the same.
        said.append(review.request)
    if review.partial:
        said += review.partial
    return _digest([said, [_told(finding) for finding in review.findings]])


def _told(finding: Finding) -> Values:
    """A finding's columns; its parts only where it has some, as older releases know none. What it
    says as a proposition, its predicate and what it names follow from the others.
    """
    values = finding_values(finding)
    del values["says"], values["kind"], values["names"]
    parts = values.pop("parts")
    return {**values, "parts": [[*told, filed] for *told, _, filed in parts]} if parts else values


# Columns that are called as the fields of a record, and hold the same.
_REVIEW = (
    *("reviewer", "model", "failure", "text", "raw", "seconds", "input_tokens", "cached_tokens"),
    *("output_tokens", "cost_usd", "prompt", "request", "revises", "version"),
)
_FINDING = ("id", "category", "criterion", "rule", "kind", "message", "claim")
_ANSWER = ("verdict", "model", "failure", "text", "raw")


def _same(names: Sequence[str], record: object) -> Values:
    return {name: getattr(record, name) for name in names}


def review_values(review: Review) -> Values:
    """Return a review's own columns, without its findings."""
    return {
        **_same(_REVIEW, review),
        "digest": review_digest(review),
        "slot": review_slot(review),
        "verdict": review.verdict,
        "partial": list(review.partial) or None,
        "dry_run": to_json(review.dry_run),
    }


def finding_values(finding: Finding) -> Values:
    """Return a finding's columns."""
    check = finding.check
    start, end = finding.claim_at or (None, None)
    file, line, end_line = _lines(finding.span)
    evidence_file, evidence_line, evidence_end_line = _lines(check.span)
    return {
        "id": finding.id,
        "category": finding.category,
        "severity": finding.severity,
        "result": check.result,
        "criterion": finding.criterion,
        "file": file,
        "line": line,
        "end_line": end_line,
        "evidence_file": evidence_file,
        "evidence_line": evidence_line,
        "evidence_end_line": evidence_end_line,
        "claim_start": start,
        "claim_end": end,
        "rule": finding.rule,
        "kind": finding.kind,
        "misreading": check.misreading,
        "message": finding.message,
        "claim": finding.claim,
        "evidence": check.evidence,
        "places": (
            [[*_lines(place.span), place.found, place.note] for place in finding.places] or None
        ),
        "parts": [_statement_values(part) for part in finding.parts] or None,
        "says": finding.says or None,
        "names": list(finding.names) or None,
    }


def _statement_values(part: Statement) -> list[Any]:
    span = _lines(part.span) if part.span else None
    return [part.claim, _check_values(part.check), span, part.says, part.category]


def _check_values(check: FactCheck) -> list[Any]:
    span = _lines(check.span) if check.span else None
    return [check.result, check.evidence, span, check.misreading]


def as_read_values(finding: Finding, version: str) -> Values:
    """Return the columns that follow from how a finding's claim is read.

    Args:
        version: of the code that judged.
    """
    said = finding.understood
    if said is None:
        return {"as_read": None, "read_result": None}
    told = {
        "version": version,
        "understood": asdict(said),
        "check": _check_values(finding.check),
        "parts": [_statement_values(part) for part in finding.parts],
        "category": finding.category,
    }
    return {"as_read": told, "read_result": str(finding.check.result), "kind": finding.kind}


def _as_read(finding: Finding, told: Mapping[str, Any]) -> Finding:
    understood = _understood(told)
    if told["check"] is None:  # an older release left what nobody read as it was
        return replace(finding, understood=understood)
    read = finding.judged(_check(told["check"]), _statements(told["parts"]), understood)
    # It follows from what was read; a store from before that was kept has none.
    return replace(read, category=told.get("category", finding.category))


def _understood(told: Mapping[str, Any]) -> Understood:
    said = told["understood"]
    otherwise = tuple((reader, sentence) for reader, sentence in said["otherwise"])
    return Understood(**{**said, "otherwise": otherwise, "looked_at": tuple(said["looked_at"])})


def _statements(values: Sequence[Any] | None) -> tuple[Statement, ...]:
    return tuple(_statement(*each) for each in values or ())


def _statement(
    claim: str,
    check: Sequence[Any],
    span: Sequence[Any] | None = None,
    *filed: str | None,
) -> Statement:
    """A part; older releases kept its claim and its check only, or no proposition, or a word in its
    place.
    """
    said, category = (None, None, *filed)[-2:]
    says = said if said and said.startswith("{") else ""
    return Statement(claim, _check(check), Span(*span) if span else None, category, says)


def _check(values: Sequence[Any]) -> FactCheck:
    result, evidence, span, misreading = values
    return FactCheck(
        Check(result),
        evidence,
        Span(*span) if span else None,
        Misreading(misreading) if misreading else None,
    )


def answer_values(answer: RecordedAnswer) -> Values:
    """Return a recorded answer's columns."""
    values = _same(_ANSWER, answer)
    return {**values, "digest": _digest(list(values.values()))}


def review_of(row: Row[Any], found: Sequence[Finding]) -> Review:
    """Return the review that a row of `reviews` holds."""
    return Review(
        **_same(_REVIEW, row),
        verdict=row.verdict and Verdict(row.verdict),
        findings=tuple(found),
        partial=tuple(row.partial or ()),
        dry_run=None if row.dry_run is None else from_json(DryRun, row.dry_run),
    )


def findings_of(
    connection: Connection, reviews: Sequence[int], *, as_read: bool = True
) -> Mapping[int, list[Finding]]:
    """Return the findings of these reviews, by the review's number, in their order.

    Args:
        as_read: whether with what the code says to the readings of their claims.
    """
    found: dict[int, list[Finding]] = defaultdict(list)
    wanted = (
        select(findings)
        .where(findings.c.review.in_(reviews))
        .order_by(findings.c.review, findings.c.position)
    )
    for row in connection.execute(wanted):
        finding = _finding(row)
        if row.as_read:
            said = _understood(row.as_read)
            told = said if said.reader == OFFLINE else None
            finding = (
                _as_read(finding, row.as_read) if as_read else replace(finding, understood=told)
            )
        found[row.review].append(finding)
    return found


def _finding(row: Row[Any]) -> Finding:
    return Finding(
        **_same(_FINDING, row),
        severity=Severity(row.severity),
        check=FactCheck(
            Check(row.result),
            row.evidence,
            _span(row.evidence_file, row.evidence_line, row.evidence_end_line),
            row.misreading and Misreading(row.misreading),
        ),
        span=_span(row.file, row.line, row.end_line),
        claim_at=None if row.claim_start is None else (row.claim_start, row.claim_end),
        places=tuple(
            Place(Span(*lines), Found(found), note) for *lines, found, note in row.places or ()
        ),
        parts=_statements(row.parts),
        says=row.says or "",
        names=tuple(row.names or ()),
    )


def _lines(span: Span | None) -> tuple[str | None, int | None, int | None]:
    return (None, None, None) if span is None else (span.file, span.line, span.end_line)


def _span(file: str | None, line: int | None, end_line: int | None) -> Span | None:
    return None if file is None else Span(file, line, end_line)


def known_number(connection: Connection, id: str) -> int | None:
    """Return the number of the submission with this id; None if it is not kept."""
    return connection.scalar(select(submissions.c.number).where(submissions.c.id == id))


def shown_submission(connection: Connection, number: int) -> Submission:
    """Return the submission with this number in the lineage and as the attempt that it is
    recognised to be, with the contract that a person chose for it.
    """
    kept = submission_of(connection, number)
    if kept.is_base:
        return kept
    row = connection.execute(select(attempts).where(attempts.c.submission == number)).one_or_none()
    lineage, attempt = (None, None) if row is None else (row.lineage, row.number)
    its = contract_choices.c.submission_id == kept.id
    chosen = connection.scalars(
        select(contract_choices.c.text).where(its).order_by(contract_choices.c.number.desc())
    ).first()
    given = kept.contract if chosen is None else GivenContract(ContractSource.PERSON, chosen)
    return replace(kept, lineage=lineage, attempt=attempt, contract=given)


def submission_of(connection: Connection, number: int) -> Submission:
    """Return the submission with this number, equal in id to what was kept; lineage and attempt are
    those that it came with.
    """
    row = connection.execute(with_context(submissions).where(submissions.c.number == number)).one()
    recorded = connection.execute(
        select(answers).where(answers.c.submission == number).order_by(answers.c.number)
    )
    return Submission(
        name=row.name,
        source=row.source,
        files=tuple(_file(file) for file in _with_contents(connection, submission_files, number)),
        runs=tuple(
            RunConfig(
                run.run_id, _file(run), method=run.method, model=run.model, dataset=run.dataset
            )
            for run in _with_contents(connection, run_configs, number)
        ),
        context=ResearchContext(**row.context),
        recorded=tuple(_answer(answer) for answer in recorded),
        lineage=row.lineage,
        attempt=row.attempt,
        generator=row.generator,
        generated=generated_of(row),
        contract=given_contract(row),
        passed_over=tuple(PassedOver(*each) for each in row.passed_over or ()),
        base=None if row.base is None else submission_of(connection, row.base),
    )


def with_context(*columns: Any) -> Select[Any]:
    """Select columns of `submissions` and, as `context`, the fields of its ResearchContext."""
    context = type_coerce(contents.c.data, PackedFields).label("context")
    its = contexts.c.submission == submissions.c.number
    wanted = select(*columns, context).select_from(submissions).join(contexts, its)
    return wanted.join(contents, contents.c.sha256 == contexts.c.content)


def context_bytes(context: ResearchContext) -> bytes:
    """Return what a submission says of its research as a content."""
    return fields_bytes(
        {each.name: _plain(getattr(context, each.name)) for each in fields(context)}
    )


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else value


def given_contract(row: Row[Any]) -> GivenContract | None:
    """Return the contract that came with the submission of a row of `submissions`."""
    if row.contract_source is None:
        return None
    return GivenContract(ContractSource(row.contract_source), row.contract_text)


def contract_values(given: GivenContract | None) -> Values:
    """Return the columns of the contract that came with a submission."""
    return {
        "contract_source": given and str(given.source),
        "contract_text": given and given.text,
    }


def generated_of(row: Row[Any]) -> Generated | None:
    """Return when the submission of a row of `submissions` was generated; None if unknown."""
    return None if row.dated_by is None else Generated(row.generated_at, DatedBy(row.dated_by))


def date_values(generated: Generated | None) -> Values:
    """Return the columns of when a submission was generated."""
    return {
        "generated_at": generated and generated.at,
        "dated_by": generated and str(generated.by),
    }


def _with_contents(connection: Connection, files: Any, number: int) -> Sequence[Row[Any]]:
    joined = select(files, contents.c.data).join(contents, contents.c.sha256 == files.c.content)
    return connection.execute(
        joined.where(files.c.submission == number).order_by(files.c.position)
    ).all()


def _file(row: Row[Any]) -> SourceFile:
    return SourceFile(row.path, row.data, row.repaired)


def _answer(row: Row[Any]) -> RecordedAnswer:
    return RecordedAnswer(
        **{**_same(_ANSWER, row), "verdict": row.verdict and Verdict(row.verdict)}
    )
