"""What a SARIF log says of each rule and each kind of claim: title, reason, examples, criterion."""

from typing import Any

from reviewers.claims.kinds import kinds
from reviewers.exports.wording import kind_words, writable
from reviewers.records import Finding, Severity
from reviewers.rubric import rubric
from reviewers.rules import registered
from reviewers.store.said import is_own

LEVELS = {Severity.BLOCKER: "error", Severity.MAJOR: "warning", Severity.MINOR: "note"}
_TESTED = (
    "The words are a reviewer's; the fact check, with its evidence, is what the code says to them."
)
_SEEN = "A person saw it in the code and wrote it down."


def rule_id(finding: Finding) -> str:
    """Return the id under which a finding is listed: the rule's own, the claim's kind, or the
    category of what a person saw.
    """
    if is_own(finding):
        return f"person/{writable(finding.category)}"
    return (
        writable(finding.rule)
        if finding.rule is not None
        else f"claim/{writable(finding.kind or 'other')}"
    )


def descriptor(finding: Finding) -> dict[str, Any]:
    """Return the reportingDescriptor of what found this."""
    known = registered().get(finding.rule or "")
    if known is None:
        return _of_claim(finding)
    criterion = rubric().criteria[known.criterion]
    asked = f"Criterion {known.criterion}, {criterion.title}: {criterion.question}"
    examples = f"Flagged:\n\n```text\n{known.bad}```\n\nFine:\n\n```text\n{known.good}```"
    return {
        "id": known.id,
        "name": known.name,
        "shortDescription": {"text": known.summary},
        "fullDescription": {"text": known.why or known.summary},
        "help": {
            "text": f"{known.why}\n\n{asked}",
            "markdown": f"**{known.summary}**\n\n{known.why}\n\n{asked}\n\n{examples}",
        },
        "defaultConfiguration": {"level": LEVELS[known.severity]},
        "properties": {
            "category": known.category,
            "criterion": known.criterion,
            "tags": [known.category],
        },
    }


def _of_claim(finding: Finding) -> dict[str, Any]:
    if finding.rule is not None:
        # Written by a rule that this release has no more: what its finding says is all that is
        # left.
        return {"id": rule_id(finding), "shortDescription": {"text": "A rule of another release"}}
    kind = None if is_own(finding) else kinds().get(finding.kind or "")
    category = kind.category if kind is not None else finding.category
    known = rubric().categories.get(category)
    title = writable(known.title if known else category)
    words, tested = (
        ("a person's finding", _SEEN) if is_own(finding) else (kind_words(finding.kind), _TESTED)
    )
    return {
        "id": rule_id(finding),
        "shortDescription": {"text": f"{words[0].upper()}{writable(words[1:])}"},
        "fullDescription": {"text": f"{title}. {tested}"},
        "help": {"text": f"{title}. {tested}"},
        "properties": {"category": writable(category), "tags": [writable(category)]},
    }
