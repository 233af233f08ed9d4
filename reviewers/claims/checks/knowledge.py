"""Claims about what libraries do, decided by facts with a source."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from reviewers.claims.checks.base import Answer, Case, check, confirmed, remark
from reviewers.records import Span


@dataclass(frozen=True, slots=True)
class Entry:
    """One fact; see `knowledge.toml`."""

    id: str
    said: re.Pattern[str]
    context: re.Pattern[str] | None
    code: re.Pattern[str] | None
    unless: re.Pattern[str] | None
    rule: str | None
    holds: bool
    evidence: str
    source: str


@cache
def knowledge() -> tuple[Entry, ...]:
    """Every fact."""
    tables = tomllib.loads((files("reviewers.claims") / "knowledge.toml").read_text("utf-8"))

    def pattern(
        table: dict[str, str], key: str, flags: re.RegexFlag = re.NOFLAG
    ) -> re.Pattern[str] | None:
        return re.compile(table[key], flags) if key in table else None

    return tuple(
        Entry(
            id=id,
            said=re.compile(table["said"]),
            context=pattern(table, "with"),
            code=pattern(table, "code"),
            unless=pattern(table, "unless", re.DOTALL),
            rule=table.get("rule"),
            holds=table["truth"] == "confirmed",
            evidence=table["evidence"],
            source=table["source"],
        )
        for id, table in tables.items()
    )


_MOST_OF_IT = 0.5
"""A fact confirms only a claim that says little more than the fact."""


@check("knowledge")
def library_fact(case: Case) -> Answer:
    """A fact decides a claim that says it, or the opposite, of code that does it."""
    if case.claim.hedged:
        return None
    for entry in knowledge():
        match = entry.said.search(case.said)
        if match is None or (entry.holds and len(match.group()) < _MOST_OF_IT * len(case.said)):
            continue
        if entry.context and not entry.context.search(
            " ".join((*case.claim.before, case.said)).casefold()
        ):
            continue
        places = _places(case, entry)
        if places is None:
            continue
        span = places[0] if places else None
        evidence = f"{entry.evidence} ({entry.source})"
        return confirmed(evidence, span) if entry.holds else remark(evidence, span)
    return None


def _places(case: Case, entry: Entry) -> list[Span] | None:
    """Where the code does what the fact is about; None where the fact does not apply to this
    code.
    """
    texts = [(path, file.text) for path, file in case.python()] or [
        (path, file.text) for path, file in case.facts.python.items()
    ]
    if entry.unless and any(entry.unless.search(text) for _, text in texts):
        return None
    if entry.rule:
        return [
            finding.span for finding in case.found if finding.rule == entry.rule and finding.span
        ] or None
    if entry.code is None:
        return []
    found = ((path, text, match) for path, text in texts if (match := entry.code.search(text)))
    return [
        Span(path, text.count("\n", 0, match.start()) + 1) for path, text, match in found
    ] or None
