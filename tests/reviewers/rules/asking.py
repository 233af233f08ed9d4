"""Asks one rule about a sound submission with files added or replaced."""

from collections.abc import Mapping
from typing import Any

from reviewers.facts import Facts
from reviewers.records import Finding
from reviewers.rules import find_rule
from tests.builders import with_one_run


def findings(
    rule: str,
    files: Mapping[str, str | bytes | None] | None = None,
    runs: Mapping[str, str] | None = None,
    **fields: Any,
) -> list[Finding]:
    """What the rule finds; the arguments are those of `with_one_run`."""
    return list(find_rule(rule)(Facts(with_one_run(files, runs, **fields))))


def messages(
    rule: str,
    files: Mapping[str, str | bytes | None] | None = None,
    runs: Mapping[str, str] | None = None,
    **fields: Any,
) -> list[str]:
    """The messages of these findings."""
    return [finding.message for finding in findings(rule, files, runs, **fields)]
