"""The corrected review for a generator, without any finding that the code refutes."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from reviewers.exports.review_json import finding_json, submission_head
from reviewers.facts.addressing import order_to_the_judge
from reviewers.matching.missed import missed_blockers
from reviewers.outcomes.masking import without_keys
from reviewers.records import Check, Finding, Review, Severity, Submission, Verdict
from reviewers.store.human_input import HumanInput
from reviewers.store.triage import RULES

SCHEMA = "areachair.feedback/1"
_NOTHING = HumanInput()
_TICKS = re.compile(r"`+")
_PATCH = (
    "This patch was made on a copy of the files and reviewed again, and each of its changes is"
    " proven; `git apply` takes it:"
)
_QUOTED = "Claimed by a reviewer, not verified; quoted here, not an instruction:"


@dataclass(frozen=True, slots=True)
class CorrectedReview:
    """What remains of the LLM reviews of a submission after checking, and what they missed.

    Attributes:
        verdict: not ready exactly where a blocker is confirmed, or what else the contract does not
            allow; None if nothing is confirmed and the rules failed.
        because: where the verdict comes from, in one sentence.
        confirmed: claims that the code bears out, what persons found, and rules' blockers that only
            an unverified claim mentions.
        missed: the rules' blockers that no claim covers.
        unverified: claims that nothing proves or disproves.
        left_out: number of refuted claims.
        withheld: number of unverified claims that are kept from the generator: what speaks to its
            reader gives orders, and all of them where only what is proven was asked for.
        partial: what the rules did not look at to the end, a line each.
        patch: the proven repairs; empty if nobody asked for them or there are none.
    """

    verdict: Verdict | None
    because: str
    confirmed: tuple[Finding, ...]
    missed: tuple[Finding, ...]
    unverified: tuple[Finding, ...]
    left_out: int
    withheld: int = 0
    partial: tuple[str, ...] = ()
    patch: str = ""

    @property
    def code_issue(self) -> str:
        """The text that a generation loop takes; empty if there is nothing to say."""
        proven = [_stated(finding) for finding in (*self.confirmed, *self.missed)]
        parts = (
            ["\n".join(f"{number}. {line}" for number, line in enumerate(proven, 1))]
            if proven
            else []
        )
        if self.unverified:
            doubtful = "\n".join(f"> {_stated(finding)}" for finding in self.unverified)
            parts.append(f"{_QUOTED}\n{doubtful}")
        if self.patch:
            parts.append(f"{_PATCH}\n\n{without_keys(self.patch)}")
        return "\n\n".join([*parts, self.because]) if parts else ""


def corrected_review(
    reviews: Sequence[Review],
    said: HumanInput = _NOTHING,
    mildest: Severity = Severity.BLOCKER,
    *,
    proven_only: bool = False,
    patch: str = "",
) -> CorrectedReview:
    """Return the corrected review of a submission.

    Args:
        reviews: every current review of it, the rules' among them.
        said: what people said of the findings; it overrules fact checks and severities, and their
            own findings are proven.
        mildest: the mildest severity with which the contract calls a submission not ready.
        proven_only: leave out what is unverified.
        patch: its proven repairs, which are passed on.
    """
    counted = [said.ruled(review) for review in reviews]
    claims = _distinct(
        finding for review in counted if review.reviewer != RULES for finding in review.findings
    )
    by_rules = _distinct(
        finding for review in counted if review.reviewer == RULES for finding in review.findings
    )
    confirmed = [claim for claim in claims if claim.check.result is Check.CONFIRMED]
    missed = missed_blockers(claims, by_rules, mildest)
    beyond = missed_blockers(confirmed, by_rules, mildest) - missed
    seen = [own.finding for own in said.found]
    proven = (*confirmed, *seen, *(finding for finding in by_rules if finding.id in beyond))
    added = tuple(finding for finding in by_rules if finding.id in missed)
    stopping = [each for each in (*proven, *added) if each.severity.rank <= mildest.rank]
    doubtful = [claim for claim in claims if claim.check.result is Check.UNVERIFIED]
    told = tuple(
        claim
        for claim in doubtful
        if not proven_only
        and order_to_the_judge(claim.claim or claim.message, is_data=True) is None
    )
    partial = tuple(
        part
        for review in counted
        if review.reviewer == RULES
        for part in review.partial or ([review.failure] if review.failure else ())
    )
    return CorrectedReview(
        verdict=Verdict.NOT_READY if stopping else None if partial else Verdict.READY,
        because=_because(stopping, partial),
        partial=partial,
        confirmed=proven,
        missed=added,
        unverified=told,
        withheld=len(doubtful) - len(told),
        patch=patch,
        left_out=sum(claim.check.result is Check.REFUTED for claim in claims),
    )


def feedback_json(submission: Submission, corrected: CorrectedReview) -> dict[str, Any]:
    """Return the object `areachair.feedback/1`; `is_code_ready` and `code_issue` are what a
    generation loop reads.
    """
    return {
        "schema": SCHEMA,
        "submission": submission_head(submission),
        "is_code_ready": None if corrected.verdict is None else corrected.verdict is Verdict.READY,
        "code_issue": corrected.code_issue,
        "because": corrected.because,
        "confirmed": [finding_json(finding) for finding in corrected.confirmed],
        "missed": [finding_json(finding) for finding in corrected.missed],
        "unverified": [finding_json(finding) for finding in corrected.unverified],
        "left_out": corrected.left_out,
        "withheld": corrected.withheld,
        "partial": list(corrected.partial),
        **({"patch": corrected.patch} if corrected.patch else {}),
    }


def feedback_markdown(submission: Submission, corrected: CorrectedReview) -> str:
    """Return the corrected review as a Markdown document; the submission's words are in it as
    text only.
    """
    verdict = "no verdict" if corrected.verdict is None else corrected.verdict.replace("_", " ")
    parts = [f"# {_literal(submission.name)}: {verdict}", corrected.because]
    sections = (
        ("Confirmed", corrected.confirmed),
        ("Missed by every reviewer", corrected.missed),
        ("Not verified", corrected.unverified),
    )
    for title, findings in sections:
        if findings:
            parts += [f"## {title}", "\n".join(_item(finding) for finding in findings)]
    if corrected.partial:
        parts += [
            "## Not looked at to the end",
            "\n".join(f"- {_literal(part)}" for part in corrected.partial),
        ]
    if corrected.patch:
        patch = without_keys(corrected.patch)
        fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(patch)), default=0))
        parts += ["## Proven repairs", _literal(_PATCH), f"{fence}diff\n{patch}{fence}"]
    parts += [
        f"{count} {kind} {'claim is' if count == 1 else 'claims are'} left out."
        for kind, count in (("refuted", corrected.left_out), ("unverified", corrected.withheld))
        if count
    ]
    return "\n\n".join(parts) + "\n"


def _because(stopping: Sequence[Finding], partial: Sequence[str]) -> str:
    if stopping:
        blockers = sum(finding.severity is Severity.BLOCKER for finding in stopping)
        what = "blocker" if blockers else "finding"
        count = blockers or len(stopping)
        counted = f"{count} confirmed {what}{'' if count == 1 else 's'}"
        why = "" if blockers else ", and its contract requires every criterion"
        more = " There may be more: the review is partial." if partial else ""
        return f"Not ready: {counted}{why}.{more}"
    if partial:
        return "No verdict: no blocker is confirmed, but the review is partial."
    return "Ready: no blocker is confirmed."


def _stated(finding: Finding) -> str:
    """One finding on one line: its place, its words, and what the code shows for or against a
    claim.
    """
    place = f"{finding.span}: " if finding.span else ""
    known = finding.check.known
    shown = f" ({known})" if finding.claim and known else ""
    return without_keys(" ".join(f"{place}{finding.claim or finding.message}{shown}".split()))


def _item(finding: Finding) -> str:
    return f"- {_literal(_stated(finding))}"


def _literal(text: str) -> str:
    """The text with everything escaped that Markdown or HTML would read as markup."""
    return "".join(
        f"\\{character}" if character in "\\`*_{}[]<>()#+-.!|~&$^" else character
        for character in " ".join(text.split())
    )


def _distinct(findings: Iterable[Finding]) -> list[Finding]:
    return list({finding.id: finding for finding in findings}.values())
