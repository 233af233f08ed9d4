"""Claims that one call comes before or after another: the lines of one function say which."""

import ast
import re

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, remark
from reviewers.claims.checks.relations import definition
from reviewers.claims.code_match import Place
from reviewers.facts.python_file import Function
from reviewers.records import Span

_CALL = r"`?(?P<{}>[A-Za-z_][\w.]*\(\))`?"
_OPTIMISER_STEP = r"(?:the )?(?:optimi[sz]er|optimi[sz]ation) step"
_ORDER = re.compile(
    _CALL.format("first")
    + r" (?:is |gets )?(?:called |invoked |executed |run )?\*{0,2}(?P<how>before|after)\*{0,2} "
    + rf"(?:{_CALL.format('second')}|(?P<step>{_OPTIMISER_STEP}))(?: (?:in|inside|within)"
    r" `?(?P<scope>[\w.]+)`?(?:\(\))?)?\W*$"
)


@check("order")
def order(case: Case) -> Answer:
    """One call comes before another where it does so in every function that has both."""
    match = _ORDER.search(" ".join(case.claim.text.split()))
    if match is None or case.claim.hedged:
        return None
    found = definition(case, match["scope"]) if match["scope"] else None
    files = [found[0]] if found else [path for path, _ in case.python()] or list(case.facts.python)
    owner = match["first"].partition(".")[0]
    second = match["second"] or f"{owner}.step()"
    ordered: list[tuple[int, int, str]] = []
    for path in files:
        for function in case.facts.python[path].functions.values():
            if found is None or function is found[1].node:
                ordered += [
                    (one, other, path)
                    for one, other in _pairs(
                        Place(case.facts.python[path]), function, match["first"], second
                    )
                ]
    if not ordered:
        return None
    wanted = [one > other if match["how"] == "after" else one < other for one, other, _ in ordered]
    line, other, path = ordered[0]
    shown = f"{path}:{line} calls {code(match['first'])}, and line {other} calls {code(second)}"
    if all(wanted):
        return confirmed(shown, Span(path, min(line, other), max(line, other)))
    return None if any(wanted) else remark(shown, Span(path, min(line, other), max(line, other)))


def _pairs(place: Place, function: Function, first: str, second: str) -> list[tuple[int, int]]:
    """The lines of both calls, for each pair in a function; calls within functions of its own left
    out.
    """
    inner = Place(place.file, function.lineno, function.end_lineno, function.name)
    ones, others = (
        [node for node in inner.find(name) if isinstance(node, ast.Call)]
        for name in (first, second)
    )
    return [
        (one.lineno, other.lineno) for one in ones for other in others if one.lineno != other.lineno
    ]
