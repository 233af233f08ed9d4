"""Claims that a method of the paper is not there at all: true where none of its words occurs in any
identifier or text.
"""

import re
from collections.abc import Iterator

from reviewers.claims.checks.base import Answer, Case, check, confirmed, join, remark
from reviewers.claims.statements import known
from reviewers.claims.worded import words_in
from reviewers.claims.wording import wording
from reviewers.facts.python_file import PythonFile
from reviewers.records import Span

_PART = r"(?:logic|implementation|code|module|component|mechanism|baseline)"
_NONE_OF = re.compile(
    rf"^(?:there (?:is|are) )?no (?P<first>[\w/ -]{{3,50}}?)(?: {_PART})?"
    r"(?: (?:is|are) (?:present|implemented|provided|included|there))?(?: (?:at all|anywhere))?$|"
    r"^(?:the )?(?:advertised |required |described |proposed )?(?P<second>[\w/ -]{3,50}?)"
    rf" (?:{_PART} )?"
    r"(?:is|are) (?:completely |entirely |totally )?(?:missing|absent|not"
    r" implemented|unimplemented|omitted)"
    r"(?: (?:entirely|completely|altogether|anywhere))?$"
)
_TECHNICAL = re.compile(
    r"\b(?:[A-Z]{2,}[\w-]*|[A-Z][a-z]+(?:-[A-Z][a-z]+)+|[A-Z]{1,3}-[A-Z][a-z]+|[A-Z][a-z]+[A-Z]\w*)\b"
)


@check("unnamed")
def unnamed(case: Case) -> Answer:
    """ "No EWC", "KD-Tree routing is missing": what bears such a name is nowhere, if the name is
    nowhere.
    """
    words = " ".join(f"{case.claim.text} {case.claim.lead}".split()).strip(" .;")
    turned = f"{case.claim.lead.strip(' .;,')} {case.claim.text.strip(' .;,')}".strip()
    match = _NONE_OF.search(words.casefold()) or _NONE_OF.search(turned.casefold())
    if match is None or case.claim.hedged or case.claim.own.quotes or case.claim.own.files:
        return None
    said = match["first"] or match["second"]
    if not any(name.group().casefold() in said for name in _TECHNICAL.finditer(words)):
        return None
    wanted = [
        word
        for word in re.findall(r"[a-z0-9]+", said.replace("-", " "))
        if word not in wording().too_common and word not in known().filler and len(word) > 2
    ]
    if (
        not wanted
        or any(file.tree is None for file in case.facts.python.values())
        or not case.facts.python
    ):
        return None
    files = case.facts.python.items()
    joined = "".join(re.findall(r"[a-z0-9]+", said))
    if any(joined in "".join(re.findall(r"[a-z0-9]+", file.text.casefold())) for _, file in files):
        defined = next(
            (place for path, file in files for place in _defined(path, file, joined)), None
        )
        return (
            remark(f"{defined} defines it", defined)
            if defined and len(joined) > 3 and "not implemented" in case.said
            else None
        )
    code_words = {word for _, file in files for line in file.lines for word in _words(line)}
    if any(words_in(word) & code_words for word in wanted):
        return None
    shown = join([repr(word) for word in dict.fromkeys(wanted)], "or")
    return confirmed(f"no identifier and no text of the code has {shown} in it")


def _words(line: str) -> Iterator[str]:
    for identifier in re.findall(r"[A-Za-z_]\w*", line):
        yield from words_in(identifier)


def _defined(path: str, file: PythonFile, joined: str) -> Iterator[Span]:
    for found in file.definitions:
        if found.name.replace("_", "").casefold() == joined:
            yield Span(path, found.line, found.end_line)
