"""Claims that a part of the method is nowhere in the code, or that one class is the only one of its
sort.
"""

import ast
import re
from collections.abc import Iterator

from reviewers.claims.checks.base import Answer, Case, check, confirmed, join, remark
from reviewers.claims.statements import known
from reviewers.claims.worded import words_in
from reviewers.records import Span

_SOURCE = r"(?:hypothesis|paper|method|abstract|proposal|title|description|study)"
_SAID = r"(?:described|required|specified|demanded|promised|claimed|mentioned|stated|advertised|proposed|introduced|declared)"  # noqa: E501
_ASIDE = re.compile(
    rf",?\s*(?:(?:al)?though|as|even though|despite being|which (?:is|was)|that"
    rf" (?:is|was)|,)?\s*(?:it is |explicitly |being )*"
    rf"\b{_SAID}\b(?: (?:in|by|for) (?:the )?(?:\w+ ){{0,3}}?{_SOURCE}(?:"
    r" (?:description|section|config\w*))?)",
    re.IGNORECASE,
)
_WHERE = re.compile(
    r"\s*\b(?:anywhere|nowhere|at all)?\s*\b(?:in|inside|within) (?:the |any |its )?(?:\w+"
    r" (?:or|and|/) )?(?:\w+ ){0,2}"
    r"(?:pipeline|code|codebase|repository|script|loop|implementation|submission)s?\b",
    re.IGNORECASE,
)
_PART = r"(?:logic|code|implementation|mechanism|step|stage|procedure|component|module|routine|handling)"  # noqa: E501
_NOT_DONE = (
    r"(?:is|are) (?:completely |entirely |totally |never |nowhere |not )*"
    r"(?:implemented|present|missing|absent|unimplemented|omitted|there)"
)
_MISSING = re.compile(
    rf"^(?:there (?:is|are) )?(?P<no>no) (?P<first>[\w/ ,-]{{3,80}}?)(?: {_PART}s?)?"
    r"(?: (?:is|are) (?:present|implemented|provided|included))?$|"
    rf"^(?:the )?(?P<second>[\w/ ,-]{{3,80}}?)(?: {_PART}s?)? (?P<not>{_NOT_DONE})(?: (?:at"
    r" all|anywhere|entirely))?$"
)
_DENIED = re.compile(r"\b(?:not|never|missing|absent|unimplemented|omitted|nowhere)\b")


@check("part_missing")
def part_missing(case: Case) -> Answer:
    """ "The calibration described in the paper is not implemented": true where no word of the code
    is of that stem.
    """
    words = " ".join(f"{case.claim.lead} {case.claim.text}".split())
    if (
        case.claim.hedged
        or case.claim.own.files
        or case.claim.own.quotes
        or not case.facts.python
        or not _ASIDE.search(words)
    ):
        return None
    plain = _WHERE.sub(" ", _ASIDE.sub(" ", re.sub(r"\([^()]*\)", " ", words)))
    match = _MISSING.search(" ".join(plain.split()).strip(" .;,").casefold())
    if match is None or (match["not"] and not _DENIED.search(match["not"])):
        return None
    items = [
        item.split()
        for item in re.split(
            r"\s*/\s*|\s*,\s*(?:and |or )?|\s+(?:and|or)\s+", match["first"] or match["second"]
        )
    ]
    heads = [re.sub(r"\W+", "", item[-1].split("-")[-1]) for item in items if item]
    if not heads or any(
        len(head) < 5 or head in known().filler or head in _VAGUE for head in heads
    ):
        return None
    if any(file.tree is None for file in case.facts.python.values()):
        return None
    there = {
        word for file in case.facts.python.values() for line in file.lines for word in _words(line)
    }
    if any(word.startswith(_stem(head)) for head in heads for word in there):
        return None
    return confirmed(
        "no identifier and no text of the code begins with"
        f" {join([repr(_stem(head)) for head in heads], 'or')}"
    )


_VAGUE = frozenset([
    "method", "algorithm", "baseline", "model", "training", "evaluation", "approach", "logic",
    "update", "system", "framework",
    "figure", "figures", "plots", "tests", "metric", "metrics", "charts", "files", "config",
    "configs", "analysis", "outputs",
    "results", "settings", "parameters", "requirements", "experiments", "artefacts", "artifacts",
    "tables", "checks",
])  # fmt: skip


def _stem(word: str) -> str:
    return word[: max(3, (len(word) + 1) // 2)]


def _words(line: str) -> Iterator[str]:
    for identifier in re.findall(r"[A-Za-z_]\w*", line):
        yield from words_in(identifier)


_ONLY = re.compile(
    r"\bonly (?:an? |the )?`?(?P<name>[A-Za-z_]\w+)`? (?:class )?(?:is|are)"
    r" (?:implemented|defined|provided|available|there)\b",
    re.IGNORECASE,
)


@check("only_class")
def only_class(case: Case) -> Answer:
    """ "Only a WordTokenizer is implemented": true where no other class or call ends in Tokenizer,
    false where a class does.
    """
    match = _ONLY.search(case.claim.text)
    found = case.search.definition(match["name"]) if match and not case.claim.hedged else None
    if found is None or not isinstance(found[1].node, ast.ClassDef):
        return None
    path, definition = found
    sort = re.findall(r"[A-Z][a-z0-9]+", definition.name)[-1:]
    if not sort or sort[0] == definition.name:
        return None
    classes = [
        (place, each)
        for place, file in case.facts.python.items()
        for each in file.definitions
        if isinstance(each.node, ast.ClassDef)
        and each.name.endswith(sort[0])
        and each.name != definition.name
    ]
    if classes:
        place, other = classes[0]
        return remark(f"{place}:{other.line} defines {other.name} as well", Span(place, other.line))
    bought = [
        name
        for file in case.facts.python.values()
        for name in file.aliases.values()
        if name.endswith(sort[0]) and not name.endswith(definition.name)
    ]
    if bought:
        return None
    where = f"line {definition.line} of {path}"
    return confirmed(
        f"{definition.name} on {where} is the only class whose name ends in {sort[0]}, and none is"
        " imported",
        Span(path, definition.line, definition.end_line),
    )
