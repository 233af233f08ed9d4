"""A whole store as JSON lines, from which `reviewers.store.restore` makes an equal one; batches at
a provider are left out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from reviewers.exports.wording import moment
from reviewers.records import OFFLINE, FactCheck, Finding, Span, Statement, Understood
from reviewers.store.authors import Author
from reviewers.store.dry_runs import dry_run_values
from reviewers.store.full_record import KeptReview, KeptSubmission, kept
from reviewers.store.readings import values as reading_values
from reviewers.store.record_lines import RECORD, line_of, submission_line
from reviewers.store.store import Store

_REVIEW = (
    "reviewer",
    "verdict",
    "model",
    "failure",
    "text",
    "raw",
    "seconds",
    "input_tokens",
    "cached_tokens",
    "output_tokens",
    "cost_usd",
    "prompt",
    "request",
    "revises",
    "partial",
)
_OUTCOME = (
    "stage",
    "exit_code",
    "source",
    "excerpt",
    "digest",
    "error",
    "message",
    "form",
    "category",
)


def export_lines(store: Store, ids: Iterable[str] | None = None) -> Iterator[str]:
    """Yield the lines without their ends, submissions in the order of import, each followed by what
    was said of it.

    The same store gives the same lines. What two stores agree on reads alike, whatever database
    they lie in.

    Args:
        ids: of the submissions that are wanted, in this order; all of them where None.
    """
    written: set[str] = set()
    for each in kept(store, ids):
        written.add(each.submission.id)
        # What ties it to a submission that is left out, no other store could take in.
        relations = tuple(said for said in each.relations if {said.one, said.other} <= written)
        part = replace(each, relations=relations)
        authors = tuple(name for name in each.authors if name.key in part.signers)
        yield from _lines(replace(part, authors=authors))


def _lines(each: KeptSubmission) -> Iterator[str]:
    submission = each.submission
    yield submission_line(submission)

    def record(kind: str, **fields: Any) -> str:
        return line_of({"schema": RECORD, "record": kind, "of": submission.id, **fields})

    # The file form does not believe in a source, and mends texts by itself: what this store has is
    # said here.
    repaired = {
        path: file.repaired
        for path, file in submission.by_path.items()
        if file.repaired is not None
    }
    base = {} if submission.base is None else {"base": submission.base.id}
    came = {"source": submission.source, "repaired": repaired, **base}
    yield record("import", at=moment(each.imported_at), **came)
    for name in each.authors:
        yield record("author", **{**asdict(name), "at": moment(name.at)})
    for said in each.reviews:
        yield record("review", **_review(said))
    for decision in each.decisions:
        words = {"verdict": decision.verdict, "reason": decision.reason, "blind": decision.blind}
        yield record("decision", at=moment(decision.at), **words, **_signed(decision.author))
    for ruling in each.rulings:
        words = {
            "finding": ruling.finding_id,
            "ruling": ruling.ruling,
            "reason": ruling.reason,
            **_signed(ruling.author),
        }
        yield record("ruling", at=moment(ruling.at), **words, blind=ruling.blind)
    for own in each.own:
        found = {
            name: getattr(own.finding, name)
            for name in ("id", "category", "severity", "criterion", "message")
        }
        yield record(
            "own_finding",
            at=moment(own.at),
            **found,
            span=_span(own.finding.span),
            **_signed(own.author),
        )
    for remark in each.remarks:
        words = {
            "finding": remark.finding_id,
            "severity": remark.severity,
            "comment": remark.comment,
            **({"category": remark.category} if remark.category else {}),
        }
        yield record("remark", at=moment(remark.at), **words, **_signed(remark.author))
    for chosen in each.contracts:
        yield record("contract", at=moment(chosen.at), text=chosen.text, **_signed(chosen.author))
    for reading in each.readings:
        by = _signed(reading.author) if reading.author else {}
        yield record("reading", at=moment(reading.at), **reading_values(reading.said), **by)
    for commit in each.commits:
        lay = {
            "repository": commit.repository,
            "commit": commit.commit,
            "branches": commit.branches,
        }
        yield record("commit", at=_moment(commit.at), **lay, message=commit.message)
    for outcome in each.outcomes:
        happened = {name: getattr(outcome, name) for name in _OUTCOME}
        yield record(
            "outcome",
            at=moment(outcome.at),
            **happened,
            spans=[_span(span) for span in outcome.spans],
            **({"proposition": outcome.says} if outcome.says else {}),
        )
    for relation in each.relations:
        tied = {"one": relation.one, "other": relation.other, "together": relation.together}
        yield record(
            "relation",
            at=moment(relation.at),
            **tied,
            reason=relation.reason,
            **_signed(relation.author),
        )


def _signed(author: Author) -> dict[str, str]:
    """The name on the record and the author's key; what else is known, the author's lines tell."""
    return {"author": author.signed} | ({} if author.key is None else {"signer": author.key})


def _review(said: KeptReview) -> dict[str, Any]:
    return {
        "at": moment(said.at),
        "current": said.current,
        **{name: getattr(said.review, name) for name in _REVIEW},
        "dry_run": dry_run_values(said.review.dry_run),
        "findings": [_finding(finding) for finding in said.review.findings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "category": finding.category,
        "severity": finding.severity,
        "message": finding.message,
        "check": _check(finding.check),
        "criterion": finding.criterion,
        "span": _span(finding.span),
        "rule": finding.rule,
        "kind": finding.kind,
        "claim": finding.claim,
        "claim_at": finding.claim_at,
        "places": [
            {"span": _span(place.span), "found": place.found, "note": place.note}
            for place in finding.places
        ],
        **({"parts": [_part(part) for part in finding.parts]} if finding.parts else {}),
        **({"says": finding.says} if finding.says else {}),
        **_understood(finding.understood),
    }


def _understood(said: Understood | None) -> dict[str, Any]:
    """A claim as it was read offline: what others read has records of its own."""
    return {"understood": asdict(said)} if said and said.reader == OFFLINE else {}


def _part(part: Statement) -> dict[str, Any]:
    known = {"span": _span(part.span), "category": part.category}
    told = {name: value for name, value in known.items() if value is not None}
    return {"claim": part.claim, "check": _check(part.check), **told}


def _check(check: FactCheck) -> dict[str, Any]:
    return {
        "result": check.result,
        "evidence": check.evidence,
        "span": _span(check.span),
        "misreading": check.misreading,
    }


def _moment(at: datetime | None) -> str | None:
    return None if at is None else moment(at)


def _span(span: Span | None) -> list[str | int | None] | None:
    return None if span is None else [span.file, span.line, span.end_line]
