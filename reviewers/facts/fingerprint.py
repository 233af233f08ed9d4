"""A finding's id: a hash of what it says about which code. It contains no line numbers, so it
survives moved code and links attempts.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from reviewers.facts import Facts
from reviewers.records import Finding, Span

_SPACE = re.compile(r"\s+")
_LONGEST = 20_000  # characters of code; no person writes longer lines of code


def fingerprint(facts: Facts, key: str, span: Span | None, extra: str = "") -> str:
    """Hash what a finding says about which code.

    Args:
        key: the rule's id or the claim's kind.
        extra: words that tell apart two findings of one key at one place, such as a claim's own
            words.

    Returns:
        16 hexadecimal digits.
    """
    parts = [key, _SPACE.sub(" ", extra).strip().casefold()]
    if span is not None:
        parts.append(span.file)
        if span.line is not None and span.end_line is not None:
            code = facts.lines(span.file)[span.line - 1 : span.end_line]
            file = facts.python.get(span.file)
            parts += [
                file.scope_at(span.line) if file else "",
                _SPACE.sub(" ", " ".join(code)[:_LONGEST]).strip(),
            ]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def named_as_read(finding: Finding) -> Finding:
    """Give a finding that was read the id of what it says, predicate and arguments without line
    numbers, so that other words for the same are the same; the id that it had stays as an alias.
    """
    said = finding.understood.proposition if finding.understood else ""
    if not said:
        return finding
    told = json.dumps(_without_lines(json.loads(said)), sort_keys=True)
    id = hashlib.sha256(f"proposition\0{told}".encode()).hexdigest()[:16]
    return replace(finding, id=id, aliases=tuple(dict.fromkeys((finding.id, *finding.aliases))))


def _without_lines(said: Any) -> Any:
    if isinstance(said, dict):
        return {name: _without_lines(each) for name, each in said.items() if name != "line"}
    return [_without_lines(each) for each in said] if isinstance(said, list) else said


def distinct(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Give the second and later findings of one id a counted id, so that ids are unique within a
    review.
    """
    seen: Counter[str] = Counter()
    for finding in findings:
        seen[finding.id] += 1
        yield (
            finding
            if seen[finding.id] == 1
            else replace(finding, id=f"{finding.id}-{seen[finding.id]}")
        )
