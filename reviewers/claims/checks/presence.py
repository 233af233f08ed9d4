"""Claims that only say that something stands in the code: a quote, a comment, an import, an
exception that is raised.
"""

import ast
import re

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed
from reviewers.claims.tokens import token_count, unescape
from reviewers.facts.python_file import Definition
from reviewers.records import Span

_VERB = re.compile(
    r"\b(?:contains?|uses?|calls?|sets?|declares?|defines?|reads?|writes?|accesse?s?|passes|pass|imports?|"
    r"references?|logs?|saves?|stores?|returns?|raises?|launches|launch|hard-?codes?|has|have|says|updates?|"
    r"initiali[sz]es?|creates?|instantiates?"
    r"|replaces|wraps|invokes|loads|registers|computes|builds|assigns|defaults"
    r" to|converts|consults|is (?:set|"
    r"named|called|initiali[sz]ed|instantiated|registered|defined|loaded|launched|decorated|invoked|stored|"
    r"hard-?coded|wrapped|declared|used)|are"
    r" (?:set|defined|used|stored|hard-?coded|decorated)|does|"
    r"depends? on|relies on|commented?|comment)\b"
)
_FILLING = frozenset(
    [
        "the",
        "a",
        "an",
        "in",
        "of",
        "on",
        "to",
        "for",
        "from",
        "with",
        "and",
        "its",
        "is",
        "are",
        "as",
        "by",
        "at",
        "via",
        "inside",
        "within",
        "into",
        "that",
        "there",
        "it",
        "this",
        "explicit",
        "explicitly",
        "only",
        "also",
        "still",
        "simply",
        "then",
        "when",
        "where",
        "which",
        "file",
        "script",
        "function",
        "method",
        "class",
        "code",
        "line",
        "comment",
        "string",
        "call",
        "calls",
        "named",
        "literal",
        "value",
        "values",
        "field",
        "key",
        "argument",
        "keyword",
        "already",
        "currently",
        "passed",
        "directly",
        "be",
        "default",
        "does",
        "do",
        "several",
        "example",
        "every",
        "both",
        "src",
        "own",
        "new",
        "parameter",
        "variable",
        "local",
        "helper",
        "text",
    ]
)
_WRONG = re.compile(
    r"\b(?:not|n't|never|no|without|instead|rather|only|wrong\w*|incorrect\w*|invalid|but|although|while|"
    r"because|therefore|hence|always|every|all|should|must|never|before|after|until|unless|if|when|despite|"
    r"regardless|unconditionally|too|"
    r"crash\w*|fail\w*|error|break\w*|violat\w*|causing|leading|cannot|will|would|may|might|could|conflict\w*|"
    r"mismatch|missing|lack\w*|require[sd]?|deprecated|unsupported|placeholder|dummy|twice|again|earlier|later|"
    r"forbidden|both)\b|n't\b"
)


_CALLED_WITH = re.compile(
    r"\b(?:instantiated|initiali[sz]ed|called|invoked|constructed|created|built|launched)\b.{0,25}\bwith\b"
)
_HARD_CODED = re.compile(r"\bhard-?cod")
_LITERAL = re.compile(r"[\"'=\d/]")
_TOGETHER = 12
"""Lines within which the things that a claim names have to stand where it names no function around
them.
"""


@check("presence")
def presence(case: Case) -> Answer:
    """A claim that says no more than that some code is there is true where the code is there."""
    said = case.said
    if case.claim.hedged or not _VERB.search(said) or _WRONG.search(_without_quotes(case)):
        return None
    quotes = [
        quote
        for quote in case.claim.own.quotes
        if token_count(quote) >= 2 or re.fullmatch(r"[A-Za-z_][\w.]*", quote)
    ]
    names = [
        name
        for name in case.claim.own.names
        if name not in case.claim.own.errors or "raise" in said
    ]
    paths = [path for path in case.claim.files if path in case.facts.submission.by_path]
    if not (quotes or names):
        return None
    if _HARD_CODED.search(said) and not any(_LITERAL.search(quote) for quote in quotes):
        return None  # that a name stands there does not show that its value is written there
    scope = next(
        (found for name in names if (found := case.search.definition(name, paths or None))), None
    )
    if scope is not None and _CALLED_WITH.search(said):
        return None  # what stands in its own body says nothing of its call
    if not paths:
        paths = [scope[0]] if scope else list(case.facts.python)
    objects = [name for name in names if scope is None or not scope[1].name.endswith(name)]
    spans = [_quote(case, quote, paths, scope) for quote in quotes] + [
        _where(case, name, paths, scope) for name in objects
    ]
    places = [span for span in spans if span is not None]
    if not places or len(places) < len(spans) or not _explained(case, quotes, names, places):
        return None
    if len({place.file for place in places}) > 1 or (
        scope is None
        and max(place.line or 0 for place in places) - min(place.line or 0 for place in places)
        > _TOGETHER
    ):
        return None
    shown, best = (quotes or objects)[0], places[0]
    within = f", in {scope[1].name}" if scope else ""
    return confirmed(f"{code(shown)} stands on line {best.line} of {best.file}{within}", best)


Scope = tuple[str, Definition] | None


def _inside(span: Span, scope: Scope) -> bool:
    return scope is None or (
        span.file == scope[0] and scope[1].line <= (span.line or 0) <= scope[1].end_line
    )


def _quote(case: Case, quote: str, paths: list[str], scope: Scope) -> Span | None:
    for words in dict.fromkeys((quote, unescape(quote))):
        for hit in case.search.quote(words, paths):
            if _inside(hit.span, scope):
                return hit.span
    return None


def _without_quotes(case: Case) -> str:
    said = case.said
    for quote in case.claim.own.quotes:
        said = said.replace(
            re.sub(r"\s+", " ", quote.replace("*", "").replace("’", "'")).strip().casefold(), " "
        )
    return said


def _explained(case: Case, quotes: list[str], names: list[str], places: list[Span]) -> bool:
    """Whether every word of the claim is a quote, name, file or verb, a filling word, or stands on
    the lines found.
    """
    said = _BRACKET.sub(" ", _without_quotes(case))
    files = [*case.claim.own.files, *(path.rpartition("/")[2] for path in case.claim.own.files)]
    for known in sorted((*names, *files, *case.claim.own.runs), key=len, reverse=True):
        said = said.replace(known.casefold(), " ")
    lines = " ".join(
        line
        for span in places
        for line in case.facts.lines(span.file)[(span.line or 1) - 1 : span.end_line]
    ).casefold()
    left = [
        word for word in re.findall(r"[a-z][\w-]+", _VERB.sub(" ", said)) if word not in _FILLING
    ]
    left += _NUMBER.findall(_COUNTED.sub(" ", said))
    return all(word.rstrip("s") in lines for word in left)


_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\w)")
_COUNTED = re.compile(
    r"\b(?:lines?|criteri(?:on|a)|reqs?\.?|requirements?|rules?|steps?)[\s#-]*\d+"
)
_DATA_FILES = frozenset(
    [
        "pt",
        "pth",
        "ckpt",
        "json",
        "csv",
        "pkl",
        "npz",
        "npy",
        "png",
        "pdf",
        "safetensors",
        "parquet",
    ]
)
_BRACKET = re.compile(r"\([^()]*\)")


def _where(case: Case, name: str, paths: list[str], scope: Scope) -> Span | None:
    """Where a name stands in code, comments and docstrings not counted."""
    last = name.rpartition(".")[2]
    if last in _DATA_FILES:
        literals = (
            (path, literal)
            for path in paths
            for literal in getattr(case.facts.python.get(path), "strings", ())
        )
        spans = (
            Span(path, literal.line)
            for path, literal in literals
            if name in literal.value and not literal.is_docstring
        )
        return next((span for span in spans if _inside(span, scope)), None)
    for path in paths:
        file = case.facts.python.get(path)
        for span in case.search.word(last, (path,)):
            if file is None or not _inside(span, scope):
                continue
            for node in case.search.nodes(path, span.line or 0):
                named = isinstance(node, ast.Attribute) and node.attr == last
                if (named or (isinstance(node, ast.Name) and node.id == last)) and (
                    "." not in name or ast.unparse(node).endswith(name)
                ):
                    return span
    return None
