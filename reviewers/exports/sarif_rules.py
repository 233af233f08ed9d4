"""The description of each rule, and of each category of claims, in a SARIF log: title, reason,
examples.
"""

from typing import Any

from reviewers.exports.wording import writable
from reviewers.records import Finding, Severity
from reviewers.rubric import rubric
from reviewers.rules import registered
from reviewers.store.human_input import is_own

LEVELS = {Severity.BLOCKER: "error", Severity.MAJOR: "warning", Severity.MINOR: "note"}
_TESTED = (
    "The words are a reviewer's; the fact check, with its evidence, is what the code says to them."
)
_SEEN = "A person saw it in the code and wrote it down."


def rule_id(finding: Finding) -> str:
    """Return the id under which a finding is listed: the rule's own, or the category of what a
    reviewer claims, or a person saw.
    """
    if finding.rule is not None:
        return writable(finding.rule)
    return f"{'person' if is_own(finding) else 'claim'}/{writable(finding.category)}"


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
    category = finding.category
    known = rubric().categories.get(category)
    title = writable(known.title if known else category)
    words, tested = ("A person's finding", _SEEN) if is_own(finding) else ("A claim", _TESTED)
    return {
        "id": rule_id(finding),
        "shortDescription": {"text": f"{words}: {title}"},
        "fullDescription": {"text": f"{title}. {tested}"},
        "help": {"text": f"{title}. {tested}"},
        "properties": {"category": writable(category), "tags": [writable(category)]},
    }
