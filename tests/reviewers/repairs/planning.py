"""Plans the repairs of one rule's findings in a sound submission with files added or replaced."""

from collections.abc import Mapping
from typing import Any

from reviewers.records import Submission
from reviewers.repairs import Repair, planned
from reviewers.rules import find_rule
from tests.builders import submission_from_example, with_one_run


def repaired(
    rule: str,
    files: Mapping[str, str | bytes | None],
    runs: Mapping[str, str] | None = None,
    **fields: Any,
) -> tuple[Submission, tuple[Repair, ...]]:
    """The version after the repairs of a rule's findings, and these repairs."""
    plan = planned(with_one_run(files, runs, **fields), only_rule=rule)
    return plan.last.submission, plan.repairs


def text_after(
    rule: str, path: str, text: str, files: Mapping[str, str | bytes | None] | None = None
) -> str:
    """A file's text after the repairs of a rule's findings."""
    version, _ = repaired(rule, {**(files or {}), path: text})
    return version.by_path[path].text


def text_of_example(rule: str, path: str) -> tuple[str, tuple[Repair, ...]]:
    """A file of the rule's own bad example after the repairs, its marks taken out, and these."""
    submission, _ = submission_from_example(find_rule(rule).bad)
    plan = planned(submission, only_rule=rule)
    text = plan.last.submission.by_path[path].text
    return text.replace(f"  # flag: {rule}", ""), plan.repairs
