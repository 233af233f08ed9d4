"""A prompt as statements: each a bullet, a numbered item, a heading, a paragraph or fenced code,
with those under which it stands.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MOST_CHARACTERS = 64_000
_MOST_STATEMENTS = 2_000
_LONGEST = 2_000

_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_BULLET = re.compile(r"([-*+•‣–—·◦▪▫○●→>»✓✔☐☑□]|(?=\[[ xX]?\]\s))(?:\s*\[[ xX]?\])?\s+(?=\S)")
_BOLD = re.compile(r"\*\*|(?<![\w`/.])__(?=\S)|(?<=[^\s`/.])__(?![\w`/.])")
_WORD = r"(?:(?:criterion|requirement|rule|check|item|point|condition|section|[CRQ])\s?[-#]?\s?)"
_NUMBER = re.compile(
    rf"(?P<word>{_WORD}?)(?P<open>[\[(]?)(?P<n>\d{{1,2}})"
    r"(?P<close>[.):\]]{1,2}(?=\s|$)|\s?[-–—](?=\s)|(?=\s?\())\s*(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_NAMED = re.compile(
    r"(?P<open>[\[(]?)(?P<n>[a-l]|[A-H]|[IVX]{1,4})(?P<close>[.)\]]{1,2})\s+(?P<rest>\S.*)"
)
_LETTERED = re.compile(
    rf"(?P<open>(?i:{_WORD}))(?P<n>[A-L]|[IVX]{{1,4}})(?P<close>[.:)]|\s?[-–—](?=\s)|(?=\s?\())"
    r"\s*(?P<rest>\S.*)",
    re.DOTALL,
)
_ORDINAL = re.compile(r"(?P<n>[A-Z][a-z]{3,7}?)(?:ly)?(?:,|\s+criterion:?)\s+(?P<rest>\S.*)")
_ORDINALS = [
    "First",
    "Second",
    "Third",
    "Fourth",
    "Fifth",
    "Sixth",
    "Seventh",
    "Eighth",
    "Ninth",
    "Tenth",
    "Eleventh",
    "Twelfth",
]
_ROMANS = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"]
_CIRCLED = {0x2460 + n: f"({n + 1})" for n in range(12)}
_UNDERLINED = re.compile(r"^(?![-*+#>|`\s])(.{1,100})\n(?:={3,}|-{3,})[ \t]*$", re.MULTILINE)
_INLINE = re.compile(r"(?<=[.;:,]\s)(?=\(\d{1,2}\)\s)")
_SENTENCE_ORDINAL = re.compile(rf"(?<=[.;]\s)(?=(?:{'|'.join(_ORDINALS)})(?:ly)?,\s)")
_CELLS = re.compile(r"\|\s*(\d{1,2})\s*\|([^|]*)\|(.*)\|$")
# Sections that say what goes wrong, or how to answer, say nothing of what is asked.
_PASSED_OVER = re.compile(
    r"\b((output|response|answer|reply)\s+format|common\s+(\w+\s+)?(issues|problems|mistakes|errors|"
    r"failures)|red\s+flags|pitfalls|anti-?patterns|(flag|report)\s+the\s+following|how\s+to\s+answer|"
    r"detection\s+of|your\s+(answer|reply|response)|(respond|reply|answer)\s+with|"
    r"(issues|problems|mistakes)\s+to\s+(flag|detect|report|look))",
    re.IGNORECASE,
)
_ANSWER = re.compile(r"(respond|reply|answer|return|give)\b.{0,60}\b(json|verdict)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """One statement of a prompt.

    Attributes:
        text: without the marks at its start and without bold type; a line that was wrapped keeps
            its ends.
        above: those under which it stands, the outermost first.
        number: which number it carries; None where it carries none.
        style: how it is marked, for telling one list from another.
        fenced: whether it is a block of code.
        bold: the words in bold type with which it begins.
    """

    text: str
    above: tuple["Statement", ...] = ()
    number: int | None = None
    style: str = ""
    fenced: bool = False
    bold: str = ""

    @property
    def is_heading(self) -> bool:
        """Whether it is a Markdown heading."""
        return self.style.startswith("#")

    @property
    def lineage(self) -> Iterator["Statement"]:
        """Itself, then those under which it stands, the nearest first."""
        yield self
        yield from reversed(self.above)


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def outline(text: str) -> list[Statement]:
    """Return the statements of a prompt in their order.

    Sections on how to answer and on common mistakes are left out. At most 64,000 characters are
    read.
    """
    found = list(_statements(_UNDERLINED.sub(r"## \1", text[:MOST_CHARACTERS].translate(_CIRCLED))))
    return [
        each
        for each in found
        if not any(
            (
                (up.is_heading or (up is not each and up.text.endswith(":")) or up.bold)
                and _PASSED_OVER.search(up.text[:120])
            )
            or _ANSWER.match(up.text)
            for up in each.lineage
        )
    ]


def _statements(text: str) -> Iterator[Statement]:
    stack: list[tuple[int, Statement]] = []
    open_text: tuple[int, Statement] | None = None  # may go on in the next line
    count = 0
    for indent, line, fenced, after_blank in _lines(text):
        rank, made = (10_000, Statement(line, fenced=True)) if fenced else _marked(indent, line)
        goes_on = open_text is not None and not after_blank and made.style == "paragraph"
        if goes_on and open_text is not None and not open_text[1].text.endswith(":"):
            before = open_text[1]
            joined = f"{before.text}\n{made.text}"[:_LONGEST]
            open_text = open_text[0], _again(before, joined)
            continue
        if open_text is not None:
            yield open_text[1]
            _push(stack, *open_text)
        open_text = None
        rank = _rank_in(stack, rank, made)
        while stack and stack[-1][0] >= rank:
            stack.pop()
        count += 1
        if count > _MOST_STATEMENTS:
            return
        placed = _again(made, made.text, tuple(each for _, each in stack))
        if fenced:
            yield placed
        elif placed.is_heading:
            yield placed
            stack.append((rank, placed))
        else:
            open_text = rank, placed
    if open_text is not None:
        yield open_text[1]


def _rank_in(stack: list[tuple[int, Statement]], rank: int, made: Statement) -> int:
    """The rank of a statement among those before it: under a bullet of another kind, or a paragraph
    before the first of a list, that ends in a colon; beside the number before its own.
    """
    if made.number is not None and not made.is_heading:
        for above, before in reversed(stack):
            if before.style == made.style and (before.number or 0) < made.number:
                return above
        if made.number == 1 and stack and stack[-1][1].style == "paragraph":
            return max(stack[-1][0] + 1, rank)
    elif "@" in made.style and any(
        above == rank and before.style != made.style and before.text.endswith(":")
        for above, before in stack
    ):
        return rank + 1
    return rank


def _push(stack: list[tuple[int, Statement]], rank: int, statement: Statement) -> None:
    """A paragraph has others beneath it only where it leads to them."""
    if len(stack) < 12 and (statement.style != "paragraph" or statement.text.endswith(":")):
        stack.append((rank, statement))


def _again(
    statement: Statement, text: str, above: tuple[Statement, ...] | None = None
) -> Statement:
    return Statement(
        text,
        statement.above if above is None else above,
        statement.number,
        statement.style,
        statement.fenced,
        statement.bold,
    )


def _lines(text: str) -> Iterator[tuple[int, str, bool, bool]]:
    """Each line's indent and words, whether it is a block of code, and follows a blank line."""
    block: list[str] | None = None
    blank = True
    for whole in text.splitlines():
        line = whole.expandtabs(4)[:_LONGEST].rstrip()
        bare = line.lstrip()
        indent = min(len(line) - len(bare), 80)
        if bare.startswith(("```", "~~~")):
            if block is None:
                block = []
            else:
                yield indent, "\n".join(block)[: 2 * _LONGEST], True, blank
                block = None
            blank = False
        elif block is not None:
            block.append(line)
        elif not bare or (set(bare) <= set("-=*_ ") and len(bare) > 2):
            blank = True
        else:
            for at, part in enumerate(_split_inline(bare)):
                yield indent, part, False, blank or at > 0
            blank = False
    if block:
        yield 0, "\n".join(block)[: 2 * _LONGEST], True, blank


def _split_inline(line: str) -> list[str]:
    """A line's own numbered items: `(1) …; (2) …`, or First, … Second, …"""
    if (row := _CELLS.match(line)) is not None:
        cells = "; ".join(cell.strip() for cell in row[3].split("|"))
        return [f"{row[1]}. {row[2].strip()}: {cells}"]
    for pattern in (_INLINE, _SENTENCE_ORDINAL):
        parts = pattern.split(line)
        if len(parts) > 2:
            return [part.strip() for part in parts if part.strip()]
    return [line]


def _marked(indent: int, line: str) -> tuple[int, Statement]:
    """The rank at which a line stands, the smaller the further out, and what it says."""
    heading = _HEADING.match(line)
    bullet = None if heading else _BULLET.match(line)
    rest = heading[2].rstrip("# ") if heading else line[bullet.end() :] if bullet else line
    bold = _leading_bold(rest)
    plain = _BOLD.sub("", rest).strip()
    numbered = _numbered(plain)
    number, style, said = numbered or (None, "", plain)
    if heading:
        return len(heading[1]), Statement(
            said, (), number, f"{heading[1]}{style}", bold=bold or said
        )
    if number is not None:
        return 10 + 8 * indent + (2 if bullet else 0), Statement(
            said, (), number, f"{style}@{indent}", bold=_BOLD.sub("", bold)
        )
    if bullet:
        return 10 + 8 * indent + 3, Statement(plain, (), None, f"{bullet[1]}@{indent}", bold=bold)
    alone = re.sub(r"\([^()]*\)", "", plain).strip(": ")
    if bold and len(bold) >= len(alone) and indent == 0:
        return 9, Statement(plain, (), None, "title", bold=bold)
    return 10 + 8 * indent + 1, Statement(plain, (), None, "paragraph", bold=bold)


def _leading_bold(text: str) -> str:
    found = re.match(r"(?:\[?\(?\w{1,12}[.):\]]{1,2}\s+)?(\*\*|__)(.{1,200}?)\1", text)
    return _BOLD.sub("", found[2]).strip(" :") if found else ""


def _numbered(text: str) -> tuple[int, str, str] | None:
    """The number with which a text begins, how it is written, and the rest."""
    if (found := _NUMBER.match(text)) is not None:
        style = f"{found['word'].strip().lower()}{found['open']}1{found['close'].strip()}"
        return int(found["n"]), style, found["rest"].strip()
    if (found := _NAMED.match(text) or _LETTERED.match(text)) is not None:
        letters = found["n"]
        style = f"{found['open']}{'A' if letters.isupper() else 'a'}{found['close']}"
        if letters in _ROMANS:
            return _ROMANS.index(letters) + 1, f"{style}I", found["rest"]
        if len(letters) == 1:
            return ord(letters.lower()) - ord("a") + 1, style, found["rest"]
    if (found := _ORDINAL.match(text)) is not None and found["n"] in _ORDINALS:
        return _ORDINALS.index(found["n"]) + 1, "First", found["rest"]
    return None
