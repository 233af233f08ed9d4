"""Claims that the code uses something that its library has deprecated; see `deprecated.toml`."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed
from reviewers.records import Span

_SAYS = re.compile(r"\bdeprecated\b")
_MORE = re.compile(
    r"\b(?:remov\w*|require\w*|must|crash\w*|fail\w*|rais\w*|errors?|break\w*|no"
    r" longer|cannot|will|unsupported|and|but|since|"
    r"because)\b"
)


@cache
def deprecated() -> Mapping[str, Mapping[str, str]]:
    """Every deprecated name, with since which version of which library it is, and what stands in
    its place.
    """
    return tomllib.loads((files("reviewers.claims") / "deprecated.toml").read_text("utf-8"))


@check("deprecated")
def deprecation(case: Case) -> Answer:
    """ "It uses the deprecated x" is true where the code has x, and x is among the names known to
    be deprecated.
    """
    if (
        case.claim.hedged
        or case.denies
        or not _SAYS.search(case.said)
        or _MORE.search(case.said)
        or case.claim.own.errors
    ):
        return None
    for name, about in deprecated().items():
        if not re.search(rf"(?<![\w]){re.escape(name)}(?!\w)", case.claim.text):
            continue
        for path, file in case.python() or case.facts.python.items():
            if about.get("file", "") not in file.text:
                continue
            spans = [
                span
                for span in case.search.word(name.rpartition(".")[2], (path,))
                if name in case.facts.code(span)
            ]
            used = [span for span in spans if case.search.worth(path, span.line or 0) == 0]
            calls = [
                span
                for span in used
                if re.search(
                    rf"(?:\.{re.escape(name)}\(|\b{re.escape(name)}\s*=)", case.facts.code(span)
                )
            ]
            if where := next(iter([*calls, *used]), None):
                return confirmed(
                    f"{where} has {code(name)}, deprecated since {about['library']} in favour of"
                    f" {about['instead']}",
                    Span(path, where.line),
                )
    return None
