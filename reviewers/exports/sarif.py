"""Reviews as a SARIF 2.1.0 log: one run per reviewer, and one for findings of people."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reviewers.exports.fixes import sarif_fixes
from reviewers.exports.review_json import contract_json
from reviewers.exports.sarif_places import BASE, SarifPlaces
from reviewers.exports.sarif_rules import LEVELS, descriptor, rule_id
from reviewers.exports.wording import ToldFinding, Voice, related_places, told_of, voices, writable
from reviewers.matching.attempts import FindingState
from reviewers.records import Check, Finding, Review, Ruling, SourceFile, Verdict, moment
from reviewers.store.authors import Author
from reviewers.store.carry_over import compared
from reviewers.store.human_input import PEOPLE, Remark
from reviewers.store.submission import Decision, SubmissionRecord

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
FINGERPRINT = "areachairFinding/v1"
_KINDS = {Check.CONFIRMED: "fail", Check.REFUTED: "pass", Check.UNVERIFIED: "review"}
_LANGUAGES = {
    "py": "python",
    "yaml": "yaml",
    "yml": "yaml",
    "toml": "toml",
    "json": "json",
    "md": "markdown",
}


@dataclass(frozen=True, slots=True)
class Baseline:
    """How the findings of one submission compare with those of an earlier attempt.

    Attributes:
        states: `new`, `unchanged` or `updated` by finding id; a finding that is not named is new.
        absent: findings of the earlier attempt that are gone, by the reviewer's name on screen.
    """

    states: Mapping[str, str]
    absent: Mapping[str, Sequence[Finding]]


def sarif_log(
    records: Sequence[SubmissionRecord],
    baselines: Mapping[str, Baseline] | None = None,
) -> dict[str, Any]:
    """Return the log; the same records give the same one.

    A confirmed finding fails, a refuted one passes, one that nobody could decide is to be reviewed;
    only what fails has a level, that of the severity which a person gave it last. A dismissal, and
    a decision that the submission is ready, suppress what they are about.

    Args:
        baselines: by submission id.
    """
    runs: list[dict[str, Any]] = []
    for record in records:
        baseline = (baselines or {}).get(record.submission.id)
        runs += [_run(voice, baseline) for voice in voices(record)]
        if record.own:
            found = told_of(record, (own.finding for own in record.own))
            properties = _told_of(record, PEOPLE)
            runs.append({**_frame(record, PEOPLE, found, (), None), "properties": properties})
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": runs}


def baseline(before: SubmissionRecord, after: SubmissionRecord) -> Baseline:
    """Return how the findings on an attempt compare with those on the one before."""
    matchings = compared(before, after)
    pairs = [pair for matching in matchings.values() for pair in matching.pairs]
    states = {
        pair.after.id: "unchanged" if pair.state is FindingState.UNCHANGED else "updated"
        for pair in pairs
    }
    return Baseline(states, {reviewer: matching.fixed for reviewer, matching in matchings.items()})


def sarif_text(
    records: Iterable[SubmissionRecord],
    before: Callable[[SubmissionRecord], SubmissionRecord | None] = lambda record: None,
) -> Iterator[str]:
    """Yield the log of many records as text, piece by piece, so that only one of them is in memory.

    Args:
        before: the attempt before one, with which it is to be compared; None if there is none.
    """
    yield f'{{"$schema": {json.dumps(SCHEMA)}, "version": "2.1.0", "runs": ['
    separator = "\n"
    for record in records:
        earlier = before(record)
        compared_with = (
            {record.submission.id: baseline(earlier, record)} if earlier is not None else None
        )
        for run in sarif_log([record], compared_with)["runs"]:
            yield separator + json.dumps(run)
            separator = ",\n"
    yield "\n]}\n"


def _run(voice: Voice, baseline: Baseline | None) -> dict[str, Any]:
    review = voice.stored.review
    gone = (
        [ToldFinding(finding, None) for finding in baseline.absent.get(voice.name, ())]
        if baseline
        else []
    )
    run = _frame(voice.record, voice.name, voice.told, gone, baseline)
    run |= {
        "invocations": [_invocation(voice)],
        "properties": _told_of(voice.record, voice.name, review),
    }
    if review.model is not None:
        run["tool"]["driver"]["fullName"] = writable(f"areachair {voice.name} ({review.model})")
    return run


def _frame(
    record: SubmissionRecord,
    name: str,
    found: Sequence[ToldFinding],
    gone: Sequence[ToldFinding],
    baseline: Baseline | None,
) -> dict[str, Any]:
    """A run with what every run has."""
    submission = record.submission
    rules = {rule_id(told.finding): told.finding for told in reversed((*found, *gone))}
    order = sorted(rules)
    places = SarifPlaces(submission)
    results = [_result(told, record, places, order, baseline) for told in found]
    results += [
        {**_result(told, record, places, order, None), "baselineState": "absent"} for told in gone
    ]
    return {
        "tool": {
            "driver": {
                "name": f"areachair {writable(name)}",
                "rules": [descriptor(rules[id]) for id in order],
            }
        },
        "automationDetails": {"id": f"areachair/{submission.id}/{writable(name)}/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            BASE: {"description": {"text": f"The submission {writable(submission.name)}"}}
        },
        "artifacts": [_artifact(file, places) for file in places.files],
        "results": results,
    }


def _result(
    told: ToldFinding,
    record: SubmissionRecord,
    places: SarifPlaces,
    order: Sequence[str],
    baseline: Baseline | None,
) -> dict[str, Any]:
    finding = told.finding
    confirmed_by_person = told.ruling is not None and told.ruling.ruling is Ruling.CONFIRM
    kind = "fail" if confirmed_by_person else _KINDS[finding.check.result]
    result: dict[str, Any] = {
        "ruleId": rule_id(finding),
        "ruleIndex": order.index(rule_id(finding)),
        "kind": kind,
        "level": LEVELS[told.severity] if kind == "fail" else "none",
        "message": {"text": writable(finding.message) or "no message"},
        "partialFingerprints": {FINGERPRINT: writable(finding.id)},
        "suppressions": list(_suppressions(told, record.decision, kind)),
        "properties": _known(finding, told),
    }
    if finding.span is not None:
        result["locations"] = [places.location(finding.span)]
    if related := _related(finding, places):
        result["relatedLocations"] = related
    if fixes := sarif_fixes(record.submission, record.offers, finding.id, places.artifact):
        result["fixes"] = fixes
    if baseline is not None:
        result["baselineState"] = baseline.states.get(finding.id, "new")
    return result


def _related(finding: Finding, places: SarifPlaces) -> list[dict[str, Any]]:
    return [
        {"id": number, **places.location(span), "message": {"text": words}}
        for number, (span, words) in enumerate(related_places(finding).items())
    ]


def _suppressions(
    told: ToldFinding, decision: Decision | None, kind: str
) -> Iterable[dict[str, Any]]:
    """What people said that takes a finding off the list; nothing that was taken back stands
    here.
    """
    ruling = told.ruling
    if ruling is not None and ruling.ruling is Ruling.DISMISS:
        yield _suppression("dismissed", ruling.reason, str(ruling.author), moment(ruling.at))
    if decision is not None and decision.verdict is Verdict.READY and kind != "pass":
        yield _suppression(
            "the submission was decided to be ready",
            decision.reason,
            str(decision.author),
            moment(decision.at),
        )


def _suppression(deed: str, reason: str, author: str, at: str) -> dict[str, Any]:
    words = f"{deed} by {author}: {reason}" if reason else f"{deed} by {author}"
    return {
        "kind": "external",
        "status": "accepted",
        "justification": writable(words),
        "properties": {"author": writable(author), "at": at, "reason": writable(reason)},
    }


def _known(finding: Finding, told: ToldFinding) -> dict[str, Any]:
    """Properties of a result; what is not known is left out."""
    check, ruling = finding.check, told.ruling
    known = {
        "category": finding.category,
        "criterion": finding.criterion,
        "severity": str(told.severity),
        "severityBefore": None if told.severity is finding.severity else str(finding.severity),
        "check": str(check.result),
        "evidence": check.evidence,
        "misreading": None if check.misreading is None else str(check.misreading),
        "claim": finding.claim,
        "claimKind": finding.kind,
        "proposition": json.loads(finding.proposition or "null"),
        "ruling": (
            None
            if ruling is None
            else {"ruling": str(ruling.ruling), **_signed(ruling.reason, ruling.author)}
        ),
        "remarks": [_remark(each) for each in told.remarks] or None,
    }
    return {name: _clean(value) for name, value in known.items() if value is not None}


def _remark(said: Remark) -> dict[str, Any]:
    words = {"comment": said.comment, "author": str(said.author), "at": moment(said.at)}
    return words if said.severity is None else {"severity": str(said.severity), **words}


def _told_of(record: SubmissionRecord, name: str, review: Review | None = None) -> dict[str, Any]:
    """Properties of a run: the submission, the verdict, what it took and what people decided."""
    submission, generated = record.submission, record.submission.generated
    known: dict[str, Any] = {
        "submission": {
            "id": submission.id,
            "name": submission.name,
            "source": submission.source,
            "lineage": submission.lineage,
            "attempt": submission.attempt,
            "generatedAt": generated and moment(generated.at),
            "datedBy": generated and str(generated.by),
            "dateIsGuess": generated and generated.by.is_guess,
            "contract": contract_json(submission),
        },
        "reviewer": name,
        "model": review.model if review else None,
        "verdict": str(review.verdict) if review and review.verdict else None,
        "seconds": review.seconds if review else None,
        "costUsd": review.cost_usd if review else None,
        "decisions": [
            {
                "verdict": None if decision.verdict is None else str(decision.verdict),
                **_signed(decision.reason, decision.author),
                "at": moment(decision.at),
            }
            for decision in record.decisions
        ],
    }
    return {name: _clean(value) for name, value in known.items() if value is not None}


def _signed(reason: str, author: Author) -> dict[str, str]:
    return {"reason": reason, "author": str(author), "authorId": author.id}


def _invocation(voice: Voice) -> dict[str, Any]:
    review = voice.stored.review
    made: dict[str, Any] = {
        "executionSuccessful": review.failure is None and not review.partial,
        "endTimeUtc": moment(voice.stored.at),
    }
    said = review.partial or ([review.failure] if review.failure is not None else [])
    if said:
        made["toolExecutionNotifications"] = [
            {"level": "error", "message": {"text": writable(each)}} for each in said
        ]
    return made


def _artifact(file: SourceFile, places: SarifPlaces) -> dict[str, Any]:
    made: dict[str, Any] = {
        "location": places.artifact(file.path, indexed=False),
        "length": len(file.data),
        "hashes": {"sha-256": hashlib.sha256(file.data).hexdigest()},
        "roles": ["analysisTarget"],
    }
    language = _LANGUAGES.get(file.path.rpartition(".")[2].lower())
    return made | ({"sourceLanguage": language} if language else {})


def _clean(value: Any) -> Any:
    """The value with every text in it writable."""
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, Mapping):
        return {name: _clean(each) for name, each in value.items()}
    return [_clean(each) for each in value] if isinstance(value, list) else value
