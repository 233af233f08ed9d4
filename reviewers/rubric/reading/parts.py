"""What a statement demands, part by part: a part that is denied or left open demands nothing."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reviewers.rubric.reading.outline import Statement

# Turns that hold such a word and deny nothing.
_HARMLESS = re.compile(
    r"\(?\b(?:if|when|where|wherever)\s+(?:applicable|any|present|relevant|needed|necessary"
    r"|(?:you\s+)?(?:us(?:e|ing))\s+[\w&. ]{1,30}|[\w&. ]{1,30}?\s+(?:is|are|was)\s+(?:not\s+)?used"
    r"|[\w&. ]{1,20}?\s+not\s+used)\)?|\bnot\s+only\b|\bno\s+(?:fewer|less)\s+than\b"
    r"|\bwithout\s+(?:exception|fail|errors?)\b|\bif\s+and\s+only\s+if\b",
    re.IGNORECASE,
)
_DENYING = re.compile(
    r"\b(?:no|not|non|never|none|nor|neither|nothing|nobody|without|cannot|optional(?:ly)?|unnecessary|"
    r"unneeded|superfluous|may|might|could|can|avoid\w*|skip\w*|omit\w*|omission|forbid\w*|prohibit\w*|"
    r"ignor\w*|except\w*|unless|recommended|encouraged|desirable|welcome|bonus|nice|voluntar\w+|"
    r"discouraged|allowed|permitted|permissible|if|lack\w*|absent|missing|waived?|dropped|banned|"
    r"irrelevant|needless|refrain\w*|hardly|instead|out\s+of\s+scope|free\s+to|up\s+to\s+(?:you|the))\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_WAIVING = re.compile(
    r"\b(?:optional\w*|voluntar\w+|bonus|out\s+of\s+scope|no\s+longer|nice\s+to\s+have|waived|"
    r"excluded|ignored?|unnecessary|(?:not|never|n['’]t|nothing|none|no|nor)\s+(?:\w+\s+){0,3}?"
    r"(?:required|needed|necessary|demanded|checked|expected|judged|asked|wanted|require|need|demand|"
    r"ask|expect|apply|applies|part)|may\s+be\s+(?:left|omitted|missing|skipped))\b",
    re.IGNORECASE,
)
_UNUSED = re.compile(
    r"\bif\s+[\w&. ]{1,30}?\s+(?:is\s+|are\s+)?not\s+used\b|\bunless\s+[\w&. ]{1,30}?\bused\b",
    re.IGNORECASE,
)
_REPLACED = re.compile(
    r"\b(?:instead\s+of|rather\s+than|in\s+place\s+of|as\s+opposed\s+to)\s+[^,;.()]{1,60}",
    re.IGNORECASE,
)
_CODE = re.compile(r"(`{1,2})([^`\n]{1,600})\1")
_PARENTHESES = re.compile(r"\(([^()\n]{1,400})\)")
_BOUND = re.compile(
    r"(?<=[.!?])\s+|;\s+|\s+[-–—]{1,2}\s+|,?\s+\b(?:but|whereas|however)\b\s+"
    r"|,\s+(?:while|yet|although|though)\b\s+|\s+and\s+(?=(?:not|never)\b)|,\s+(?=(?:and\s+)?(?:not|never|no|without|nor)\b)",
)
_SHORT = re.compile(
    r"\b(e)\.g\.|\b(i)\.e\.|\b(etc|vs|cf|incl|approx|resp|max|min|fig|figs|no|nr)\.(?=\s)",
    re.IGNORECASE,
)
_HELD = "\ue000"  # stands before the number of a code span while a text is cut


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a statement that demands one thing, or denies it.

    Attributes:
        text: its words on one line, code spans with their marks.
        whole: those of the sentence that it stands in, where it stands in parentheses.
        denied: whether a word in it takes back what it says, or leaves it open.
    """

    text: str
    whole: str
    denied: bool
    statement: Statement

    @property
    def context(self) -> str:
        """The words of what it stands under, the nearest first."""
        return " / ".join(each.text for each in self.statement.lineage)


def parts(statements: Iterable[Statement]) -> list[Part]:
    """Return what the statements say, part by part, without blocks of code and waived lists."""
    return [
        part
        for statement in statements
        if not statement.fenced and not any(_waives(up) for up in statement.above)
        for part in _parts_of(statement)
    ]


def _waives(statement: Statement) -> bool:
    """Whether what stands beneath a statement is not asked for, or not of all submissions."""
    if _UNUSED.search(statement.text):
        return True
    lead = re.split(r"[.;]\s", statement.text)[-1] if statement.text.endswith(":") else ""
    return _WAIVING.search(_HARMLESS.sub(" ", f"{statement.bold}. {lead}")) is not None


def is_denied(text: str) -> bool:
    """Return whether a text takes back what it says, or leaves it open."""
    return _DENYING.search(_HARMLESS.sub(" ", _CODE.sub(" x ", text))) is not None


def _parts_of(statement: Statement) -> Iterator[Part]:
    spans: list[str] = []

    def hold(found: "re.Match[str]") -> str:
        spans.append(found[0])
        return f"{_HELD}{len(spans) - 1}{_HELD}"

    def give(text: str) -> str:
        return re.sub(f"{_HELD}(\\d+){_HELD}", lambda found: spans[int(found[1])], text)

    text = " ".join(_CODE.sub(hold, statement.text).split())
    text = _REPLACED.sub(" ", _SHORT.sub(lambda found: "".join(filter(None, found.groups())), text))
    for sentence in _BOUND.split(text):
        inner = _PARENTHESES.findall(sentence)
        outer = _PARENTHESES.sub(" ", sentence).strip()
        waived = is_denied(outer)
        if outer:
            shown = give(outer)
            yield Part(shown, shown, waived, statement)
        for each in inner:
            yield Part(give(each), give(sentence), waived or is_denied(each), statement)


def code_spans(text: str) -> list[str]:
    """Return what stands in backticks."""
    return [found[2].strip() for found in _CODE.finditer(text)]
