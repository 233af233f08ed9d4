"""Claims that a rule's finding bears out; a rule's silence refutes only where a check of its own
says so.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from reviewers.claims.checks.base import Answer, Case, check, confirmed
from reviewers.records import Finding


@dataclass(frozen=True, slots=True)
class Ruling:
    """How a claim must speak for a rule's finding to confirm it; see `rulings.toml`."""

    said: re.Pattern[str]
    rule: str | None
    decides: str | None
    named: bool
    subject: bool
    whole: bool


_IN_WORDS = re.compile(r"`[^`]*`|(?<=\w)[.;](?=\w)|\b(?:e\.g|i\.e)\.")


@cache
def rulings() -> tuple[Ruling, ...]:
    """Every ruling."""
    tables = tomllib.loads((files("reviewers.claims") / "rulings.toml").read_text("utf-8"))
    return tuple(
        Ruling(
            re.compile(table["said"]),
            table.get("rule"),
            table.get("decides"),
            table.get("named", False),
            table.get("subject", False),
            table.get("whole", False),
        )
        for table in tables.values()
    )


@check("by_rule")
def by_rule(case: Case) -> Answer:
    """A claim is true where a rule found just that in the file it speaks of."""
    if case.claim.hedged:
        return None
    joined = _IN_WORDS.sub(
        "_", case.said
    )  # so that a dot in code or in "e.g." does not end the sentence
    for ruling in rulings():
        if not any(ruling.said.search(words) for words in {case.said, joined}):
            continue
        findings = (
            case.decided_by(ruling.decides)
            if ruling.decides
            else (each for each in case.found if each.rule == ruling.rule)
        )
        for finding in findings:
            if (
                _fits(case, finding)
                and (not ruling.named or _names(case, finding))
                and (not ruling.subject or shared(case, finding))
                and (not ruling.whole or _is_whole(case, finding))
            ):
                return confirmed(finding.check.evidence, finding.span)
    return None


def _fits(case: Case, finding: Finding) -> bool:
    """Whether a claim that names files names the finding's among them."""
    code = [path for path in case.claim.own.files if path.endswith(".py")]
    return not code or (finding.span is not None and finding.span.file in code)


_QUOTED = re.compile(r"`([^`]+)`|'([^']+)'")
_PART = re.compile(r"[A-Za-z_]\w{2,}", re.ASCII)
_NO_SUBJECT = frozenset(
    [
        "cfg",
        "config",
        "self",
        "model",
        "src",
        "run",
        "runs",
        "mode",
        "full",
        "trial",
        "python",
        "hydra",
        "results_dir",
    ]
)


def shared(case: Case, finding: Finding) -> bool:
    """Whether a claim, or what it points back to, names something that the finding's evidence
    quotes.
    """
    quoted = " ".join(
        a or b
        for a, b in _QUOTED.findall(finding.check.evidence)
        if not (a or b).startswith("python -m")
    )
    parts = set(_PART.findall(quoted)) - _NO_SUBJECT
    near = (case.claim.own, *(case.claim.around[:2] if case.claim.points_back else ()))
    return any(
        part in parts
        for about in near
        for text in (*about.names, *about.quotes)
        for part in _PART.findall(text)
    )


def _is_whole(case: Case, finding: Finding) -> bool:
    """Whether a finding about search spaces speaks of every entry of every run."""
    spaces = [
        found for value in case.search.config.runs.values() if (found := _search_space(value))
    ]
    return all(
        re.search(rf"\b{re.escape(str(name))}\b", finding.message)
        for space in spaces
        for name in space
    )


def _search_space(tree: object) -> dict[str, object]:
    section = tree.get("optuna") if isinstance(tree, dict) else None
    space = section.get("search_space") if isinstance(section, dict) else None
    return space if isinstance(space, dict) else {}


def _names(case: Case, finding: Finding) -> bool:
    span = finding.span
    if span is None or span.line is None:
        return False
    lines = " ".join(case.facts.lines(span.file)[span.line - 1 : span.end_line])
    near = (case.claim.own, *case.claim.around[:2])
    return any(
        re.search(rf"\b{re.escape(name.rpartition('.')[2])}\b", lines)
        for about in near
        for name in about.names
    )
