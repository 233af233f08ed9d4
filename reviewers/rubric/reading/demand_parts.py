"""What a statement requires, part by part, with its code and paths. A negated or optional part
requires nothing, and a path never leaves the submission.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from reviewers.rubric.reading.outline import PromptStatement

_REMEMBERED = 1_024  # texts; a prompt has some hundreds, and several readers go through each
# Turns that hold such a word and deny nothing.
_HARMLESS = re.compile(
    r"\(?\b(?:if|when|where|wherever)\s+(?:applicable|any|present|relevant|needed|necessary"
    r"|(?:you\s+)?(?:us(?:e|ing))\s+[\w&. ]{1,30}|[\w&. ]{1,30}?\s+(?:is|are|was)\s+(?:not\s+)?used"
    r"|[\w&. ]{1,20}?\s+not\s+used)\)?|\bnot\s+only\b|\bno\s+(?:fewer|less|more)\s+than\b"
    r"|\bwithout\s+(?:exception|fail|errors?)\b|\bif\s+and\s+only\s+if\b",
    re.IGNORECASE,
)
NOT = re.compile(
    r"\b(?:no|not|non|never|none|nor|neither|nothing|nobody|without|cannot|gone)\b|n['’]t\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:optional(?:ly)?|un(?:necessary|needed)|superfluous|may|might|could|can|avoid\w*|skip\w*|"
    r"omit\w*|omission|forbid\w*|prohibit\w*|ignor\w*|except\w*|unless|recommended|encouraged|"
    r"desirable|welcome|bonus|nice|voluntar\w+|discouraged|allowed|permi\w+|if|lack\w*|absent|"
    r"missing|waived?|dropped|banned|irrelevant|needless|refrain\w*|hardly|instead|out\s+of\s+scope|"
    r"free\s+to|up\s+to\s+(?:you|the)|should\s+you)\b",
    re.IGNORECASE,
)
_WAIVING = re.compile(
    r"\b(?:optional\w*|voluntar\w+|bonus|out\s+of\s+scope|no\s+longer|nice\s+to\s+have|waived|"
    r"excluded|ignored?|unnecessary|(?:not|never|n['’]t|nothing|none|no|nor)\s+(?:\w+\s+){0,3}?"
    r"(?:required?|need(?:ed)?|necessary|demand(?:ed)?|checked|expect(?:ed)?|judged|ask(?:ed)?|"
    r"wanted|appl(?:y|ies)|part)|may\s+be\s+(?:left|omitted|missing|skipped))\b"
    r"|\bif\s+[\w&. ]{1,30}?\s+(?:is\s+|are\s+)?not\s+used\b|\bunless\s+[\w&. ]{1,30}?\bused\b",
    re.IGNORECASE,
)
_REPLACED = re.compile(
    r"\b(?:instead\s+of|rather\s+than|in\s+place\s+of|as\s+opposed\s+to)\s+[^,;.()]{1,60}",
    re.IGNORECASE,
)
_CODE = re.compile(r"(`{1,2})([^`\n]{1,600})\1|[“„«]([^“”„«»\n]{1,300})[”“»]")
_PARENTHESES = re.compile(r"\(([^()\n]{1,400})\)")
_BOUND = re.compile(
    r"(?<=[.!?])\s+|;\s+|\s+[-–—]{1,2}\s+|,?\s+\b(?:but|whereas|however)\b\s+"
    r"|,\s+(?:while|yet|although|though)\b\s+|\s+and\s+(?=(?:not|never)\b)"
    r"|,\s+(?=(?:and\s+)?(?:not|never|no|without|nor)\b)",
)
_SHORT = re.compile(
    r"\b(e)\.g\.|\b(i)\.e\.|\b(etc|vs|cf|incl|approx|resp|max|min|fig|figs|no|nr)\.(?=\s)",
    re.IGNORECASE,
)
_HELD = "\ue000"  # precedes the number of a code span while a text is cut


@dataclass(frozen=True, slots=True)
class DemandPart:
    """A part of a statement that demands one thing, or denies it.

    Attributes:
        text: its words on one line, code spans with their marks.
        denied: whether a word in it takes back what it says, or leaves it open.
        opens: whether it is the first of its statement.
    """

    text: str
    denied: bool
    statement: PromptStatement
    opens: bool = False

    @property
    def context(self) -> str:
        """The words of what it is under, the nearest first."""
        return " / ".join(each.text for each in self.statement.lineage)


def parts(statements: Iterable[PromptStatement]) -> list[DemandPart]:
    """Return what the statements say, part by part, without blocks of code and waived lists."""
    return [
        part
        for statement in statements
        if not statement.fenced and not any(_waives(up.text, up.bold) for up in statement.above)
        for part in _parts_of(statement)
    ]


_NO_MUST = re.compile(
    r"\W*(?:(?:must|shall|may|do)(?:\s+not|n['’]ts?)|should|could|may|forbidden|prohibited|banned)\b.{0,20}",
    re.IGNORECASE,
)


@lru_cache(maxsize=_REMEMBERED)
def _waives(text: str, bold: str) -> bool:
    """Whether what stands beneath a statement is not asked for, or not of all submissions."""
    lead = re.split(r"[.;]\s", text)[-1] if text.endswith(":") else ""
    if _NO_MUST.fullmatch(bold or text.rstrip(":")):
        return True
    return _WAIVING.search(f"{bold}. {lead}") is not None or (
        bold != "" and re.search(r"\bnot\s+used\b", text) is not None
    )


def is_denied(text: str) -> bool:
    """Return whether a text takes back what it says, or leaves it open."""
    bare = _HARMLESS.sub(" ", _CODE.sub(" x ", text))
    return NOT.search(bare) is not None or _OPEN.search(bare) is not None


def _parts_of(statement: PromptStatement) -> Iterator[DemandPart]:
    for text, denied, opens in _pieces(statement.text):
        yield DemandPart(text, denied, statement, opens)


@lru_cache(maxsize=_REMEMBERED)
def _pieces(said: str) -> tuple[tuple[str, bool, bool], ...]:
    """The parts of a statement's text, which several readers go through."""
    found: list[tuple[str, bool, bool]] = []
    spans: list[str] = []

    def hold(found: "re.Match[str]") -> str:
        spans.append(found[0])
        return f"{_HELD}{len(spans) - 1}{_HELD}"

    def give(text: str) -> str:
        return re.sub(f"{_HELD}(\\d+){_HELD}", lambda found: spans[int(found[1])], text)

    text = " ".join(_CODE.sub(hold, said).split())
    text = _REPLACED.sub(" ", _SHORT.sub(lambda found: "".join(filter(None, found.groups())), text))
    for at, sentence in enumerate(_BOUND.split(text)):
        outer = _PARENTHESES.sub(" ", sentence).strip()
        denied = is_denied(outer)
        if outer:
            found.append((give(outer), denied, at == 0))
        within = _PARENTHESES.findall(sentence)
        found += [(give(each), denied or is_denied(each), False) for each in within]
    return tuple(found)


def code_spans(text: str) -> list[str]:
    """Return what is in backticks or in typographic quotes."""
    return [(found[2] or found[3]).strip() for found in _CODE.finditer(text)]


def without_code(text: str) -> str:
    """Return a text with its code spans blanked."""
    return _CODE.sub(lambda found: "`" * len(found[0]), text)


_PATH = re.compile(
    r"(?<![\w/.~<{*\\-])(?:[\w{}<>$.*,-]+/)*[\w{}<>$*,.-]*[\w}>*]"
    r"\.(?:py|toml|ya?ml|cfg|ini|in|cff|txt|md|json|jsonl|csv|lock|sh|ipynb|pdf|png|svg|eps|tex)"
    r"(?![\w/*{.-]*[\w{*])|(?<=`)(?:Makefile|Dockerfile|[Jj]ustfile)(?=`)"
)
_BRACES = re.compile(r"\{([\w.-]+(?:\s*,\s*[\w.-]+)+)\}")
SPELLED = re.compile(
    r"[<‹]([A-Za-z][\w -]{0,40})[>›]|\$\{?([A-Za-z]\w*)\}?|\$\(([A-Za-z]\w*)\)"
    r"|\{\s*([A-Za-z][\w -]{0,40})\s*\}|(?<![\w.])([A-Z][A-Z_]{2,})(?=/)"
    r"|(?<=/)([A-Z][A-Z_]{2,})(?=/)"
)
"""A placeholder as people spell it: `{x}`, `<x>`, `$X`, `$(X)`; in a path also `X/`."""
_VALID = re.compile(r"[\w{}<>.*-]+(/[\w{}<>.*-]+)*/?", re.ASCII)


def safe_path(path: str) -> str | None:
    """Return the path without a leading `./`; None if it leads outside or is not a path."""
    path = path.strip().removeprefix("./")
    if len(path) > 200 or not _VALID.fullmatch(path):
        return None
    return None if any(part.strip(".") == "" for part in path.rstrip("/").split("/")) else path


def name_in(found: "re.Match[str]") -> str:
    """Return the name in a placeholder."""
    name = next(filter(None, found.groups()))
    return re.sub(r"[\s-]+", "_", name.strip().lower())


def path_spans(text: str) -> tuple[str, list[tuple[int, int, list[str]]]]:
    """Return a text with its placeholders in braces, and where in it paths stand: those that one
    word names, which are several where it has `{a,b}`.
    """
    text = _BRACES.sub(lambda found: found[0].replace(" ", ""), text)
    text = SPELLED.sub(lambda found: f"{{{name_in(found)}}}", text)
    found: list[tuple[int, int, list[str]]] = []
    for match in list(_PATH.finditer(text))[:200]:
        braces = _BRACES.search(match[0])
        before, inner, after = match[0], [""], ""
        if braces is not None:
            before, after = match[0][: braces.start()], match[0][braces.end() :]
            inner = braces[1].split(",")[:50]
        safe = [safe_path(f"{before}{each}{after}") for each in inner]
        found.append((match.start(), match.end(), [path for path in safe if path is not None]))
    return text, found


def paths_in(text: str) -> list[str]:
    """Return the file names in a text in order, `{a,b}` written out, placeholders in braces."""
    return list(dict.fromkeys(path for _, _, paths in path_spans(text)[1] for path in paths))


def placeholders(path: str) -> list[str]:
    """Return the names of a path's placeholders."""
    return re.findall(r"\{(\w+)\}", path)


def names_of(file: str) -> str:
    """Return a pattern for how a text names a script: by its path, its file name or its module."""
    path, stem = re.escape(file), re.escape(file.rpartition("/")[2])
    module = re.escape(file.removesuffix(".py").replace("/", "."))
    return rf"(?<![\w./-])(?:{path}|{stem}|{module}(?!\.?\w))"
