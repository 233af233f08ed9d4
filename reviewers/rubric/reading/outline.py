"""Splits a prompt into statements (bullets, numbered items, headings, table rows, paragraphs, code
blocks), each with the headings and items above it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

MOST_CHARACTERS = 64_000
_MOST_STATEMENTS = 2_000
_LONGEST = 2_000
_DEEPEST = 12

_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_BULLET = re.compile(r"([-*+•‣–—·◦▪▫○●→>»✓✔☐☑□]|(?=\[[ xX]?\]\s))(?:\s*\[[ xX]?\])?\s+(?=\S)")
_BOLD = re.compile(r"\*\*|(?<![\w`/.])__(?=\S)|(?<=[^\s`/.])__(?![\w`/.])")
_LABEL = re.compile(
    r"(?P<word>(?:[A-Z][a-z]{2,14}|[A-Z](?=-?\d)|§|#)?[\s-]?)(?P<open>[\[(]?)"
    r"(?P<n>\d{1,2}|[A-La-l]|[IVXivx]{1,5})"
    r"(?P<close>[.):\]]{1,2}(?=\s|$)|\s?[-–—](?=\s)|(?=\s?\()|(?=\s))\s*(?P<rest>.*)",
    re.DOTALL,
)
_ITALIC = re.compile(r"^([*_])(\w[^*_]{0,80})\1(?=\W|$)")
_SHOUTED = re.compile(r"[A-Z][A-Z ,'-]{8,60}:?")
_SUB_NUMBER = re.compile(r"((?:§\s?)?\d{1,2}(?:\.\d{1,2})+[.)]?)\s+(?=\S)")
_CLOSING = re.compile(r"</([A-Za-z][\w-]{0,40})>[ \t]*$", re.MULTILINE)
_CLOSING_ALONE = re.compile(r"^[ \t]*</[A-Za-z][\w-]{0,40}>[ \t]*$", re.MULTILINE)
_OPENING = re.compile(r"^[ \t]*<([A-Za-z][\w-]{0,40})(?=[ >])", re.MULTILINE)
_OPENING_LINE = re.compile(
    r"^[ \t]*<([A-Za-z][\w-]{0,40})(?: \w{1,20}=\"?(\d{1,2})?[^>\n]{0,80})?>(.*)$", re.MULTILINE
)
_PAIR = re.compile(r"[\w.]{1,40}\s+=\s+\S")  # a line of an INI or TOML file
_ORDINALS = (
    "First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth", "Tenth",
    "Eleventh", "Twelfth",
)  # fmt: skip
_ORDINAL = re.compile(rf"(?P<n>{'|'.join(_ORDINALS)})(?:ly)?(?:,|\s+criterion:?)\s+(?P<rest>\S.*)")
_ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_CIRCLED = {0x2460 + n: f"({n + 1})" for n in range(12)}
_UNDERLINED = re.compile(r"^(?![-*+#>|`\s])(.{1,100})\n(?:={3,}|-{3,})[ \t]*$", re.MULTILINE)
_INLINE = (
    re.compile(r"(?<=[.;:,]\s)(?=\(\d{1,2}\)\s)"),
    re.compile(rf"(?<=[.;]\s)(?=(?:{'|'.join(_ORDINALS)})(?:ly)?,\s)"),
)
# Sections on what goes wrong, what is optional, or how to answer do not say what is asked.
_PASSED_OVER = re.compile(
    r"\b(?:reject|refus|fail|disqualif)\w*\b[^.]{0,30}\bif\b|\bnot\s+to\s+(?:be\s+)?(?:check|judge|review)|\bout\s+of\s+scope"
    r"|\b(?:output|response|answer|reply|report|verdict)\s+format|\bnice\s+to\s+have|\bexamples?\b"
    r"|\b(?:common|typical|known|frequent|usual)\s+(?:\w+\s+)?(?:issues|problems|mistakes|errors"
    r"|failures|defects|faults)|\b(?:issues|problems|mistakes|faults|defects)\s+to\s+\w+"
    r"|\bred\s+flags|\bpitfalls|\banti-?patterns|\b(?:flag|report)\s+(?:the\s+following|these)"
    r"|\blook\s+out\b|\bgo(?:es)?\s+wrong|\bdetection\s+of|\bhow\s+to\s+(?:answer|reply|respond)"
    r"|\byour\s+(?:answer|reply|response)|\b(?:respond|reply|answer)\s+with",
    re.IGNORECASE,
)
# A list that says what goes wrong, on two signs: its lead refuses, and its items state defects.
_REFUSES = re.compile(
    r"\bsay(?:s|ing)?\s+no\b|\b(?:reject|refus|disqualif|fault|mistake|defect|violat|unfit)\w*"
    r"|\bfails?\b|\bwrong\b|\bnot\s+(?:ready|accept\w*|pass)\b|\b(?:turn|send|sent)\w*\s+(?:down|back)",
    re.IGNORECASE,
)
_DEFECT = re.compile(
    r"\b(?:is|are|was|were|has|have|does|do|can|of)\s+(?:\w+\s+){0,2}?(?:not|never|no|missing|wrong|absent|empty"
    r"|invented|incomplete|unfinished|otherwise|cut|seen|lacking|hard-?coded|guessed|dropped|stub\w*)\b"
    r"|\b(?:missing|lacks|invented|unfinished|otherwise|absent)\b",
    re.IGNORECASE,
)
_DUTY = re.compile(r"\b(?:must|shall|should|ha(?:s|ve)\s+to|(?:is|are)\s+to)\b", re.IGNORECASE)
_ANSWER_KEY = re.compile(r"\bis_\w*ready\b|\b\w*code_issue\b")
_ANSWER = re.compile(r"(respond|reply|answer|return|give)\b.{0,60}\b(json|verdict)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class PromptStatement:
    """One statement of a prompt.

    Attributes:
        text: without the marks at its start and without bold type; a line that was wrapped keeps
            its ends.
        above: those under which it stands, the outermost first.
        number: which number it carries; None if it carries none.
        style: how it is marked, for telling one list from another.
        fenced: whether it is a block of code.
        bold: the words in bold type with which it begins.
        indent: how far from the margin it begins.
    """

    text: str
    above: tuple["PromptStatement", ...] = ()
    number: int | None = None
    style: str = ""
    fenced: bool = False
    bold: str = ""
    indent: int = 0

    @property
    def is_heading(self) -> bool:
        """Whether it is a Markdown heading."""
        return self.style.startswith("#")

    @property
    def lineage(self) -> Iterator["PromptStatement"]:
        """Itself, then those under which it stands, the nearest first."""
        yield self
        yield from reversed(self.above)


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def outline(text: str) -> list[PromptStatement]:
    """Return the statements of a prompt in their order.

    Sections on how to answer and on mistakes are left out. At most 64,000 characters are read.
    """
    text = _without_tags(text[:MOST_CHARACTERS].translate(_CIRCLED))
    found = list(_statements(_UNDERLINED.sub(r"## \1", text)))
    kept = [each for each in found if not any(_passed_over(up, each) for up in each.lineage)]
    faults = _faults(kept)
    return [each for each in kept if not any(id(up) in faults for up in each.lineage)]


def _without_tags(text: str) -> str:
    """A text with elements as in XML as headings and, where several are called alike, as items."""
    closed = set(_CLOSING.findall(text))
    opened = _OPENING.findall(text) if closed else []

    def plain(found: "re.Match[str]") -> str:
        name, number, rest = found[1], found[2], found[3].strip()
        if name not in closed:
            return found[0]
        whole = rest.removesuffix(f"</{name}>").strip()
        if opened.count(name) > 1 and whole:
            return f"{number}. {whole}" if number else f"- {whole}"
        return f"\n## {name}\n{whole}"

    return _CLOSING_ALONE.sub("", _OPENING_LINE.sub(plain, text)) if closed else text


def _faults(statements: list[PromptStatement]) -> set[int]:
    """The items of lists of what goes wrong."""
    runs: dict[tuple[str, tuple[int, ...]], list[PromptStatement]] = {}
    before: dict[int, str] = {}
    lead = ""
    for each in statements:
        if "@" in each.style:
            runs.setdefault((each.style, tuple(map(id, each.above))), []).append(each)
            before[id(each)] = lead
        else:
            lead = each.text
    return {
        id(item)
        for run in runs.values()
        if _REFUSES.search(" / ".join((before[id(run[0])], *(up.text for up in run[0].above))))
        and 2 * sum(bool(_DEFECT.search(item.text)) for item in run) >= len(run) > 1
        and not any(_DUTY.search(item.text) for item in run)
        for item in run
    }


def _passed_over(up: PromptStatement, each: PromptStatement) -> bool:
    leads = up.text if up.is_heading or (up is not each and up.text.endswith(":")) else up.bold
    if up.number is None and _ANSWER_KEY.search(up.text):
        return True
    return bool(_PASSED_OVER.search(leads[-120:]) or _ANSWER.match(up.text))


def _statements(text: str) -> Iterator[PromptStatement]:
    stack: list[tuple[int, PromptStatement]] = []
    open_text: tuple[int, PromptStatement] | None = None  # may go on in the next line
    for count, (indent, line, kind, after_blank) in enumerate(_lines(text)):
        if count > _MOST_STATEMENTS:
            break
        rank, made = _marked(indent, line, open_text[1] if open_text else None)
        if kind:
            rank, made = 10_000, PromptStatement(line, style=kind, fenced=kind == "fence")
        if open_text is not None:
            if not after_blank and _goes_on(open_text[1], made, indent, line):
                joined = f"{open_text[1].text}\n{made.text}"[:_LONGEST]
                open_text = open_text[0], replace(open_text[1], text=joined)
                continue
            yield open_text[1]
            _push(stack, *open_text)
            open_text = None
        rank, placed = _placed(stack, rank, made, indent)
        if kind == "row" and (label := numbered(line.partition("; ")[0] + ". x")):
            title, _, rest = line.partition("; ")[2].partition("; ")
            placed = replace(placed, text=f"{title}: {rest}", number=label[0])
        if kind:
            yield placed
        elif placed.is_heading:
            yield placed
            _push(stack, rank, placed)
        else:
            open_text = rank, placed
    if open_text is not None:
        yield open_text[1]


def _goes_on(before: PromptStatement, made: PromptStatement, indent: int, line: str) -> bool:
    """Whether a line belongs to the text that is open before it."""
    if made.style != "paragraph" or _PAIR.match(line) or before.text.endswith(":"):
        return False
    at = re.search(r"@(\d+)$", before.style)
    return not (line.endswith(":") and at and indent <= int(at[1]))


def _placed(
    stack: list[tuple[int, PromptStatement]], rank: int, made: PromptStatement, indent: int
) -> tuple[int, PromptStatement]:
    """The rank of a statement, and the statement with those above it, which stay on the stack."""
    plain = made.style.replace(" roman", "")
    if any(plain != made.style and up.style == plain and up.number == 8 for _, up in stack):
        made = replace(made, number=9, style=plain)  # "i" among letters
    rank = _rank_in(stack, rank, made)
    while stack and stack[-1][0] >= rank:
        stack.pop()
    return rank, replace(made, above=tuple(each for _, each in stack), indent=indent)


def _rank_in(stack: list[tuple[int, PromptStatement]], rank: int, made: PromptStatement) -> int:
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


def _push(stack: list[tuple[int, PromptStatement]], rank: int, statement: PromptStatement) -> None:
    """A paragraph has others beneath it only where it leads to them."""
    if len(stack) < _DEEPEST and (
        statement.style != "paragraph" or statement.text.endswith(":") or statement.bold
    ):
        stack.append((rank, statement))


def _lines(text: str) -> Iterator[tuple[int, str, str, bool]]:
    """Each line's indent and words, whether it is a block of code or a row of a table, and whether
    it follows a blank line.
    """
    block: list[str] | None = None
    header: list[str] = []
    blank = True
    lines = text.splitlines()
    for whole, following in zip(lines, [*lines[1:], ""], strict=False):
        line = whole.expandtabs(4)[:_LONGEST].rstrip()
        bare = line.lstrip()
        indent = min(len(line) - len(bare), 80)
        if bare.startswith(("```", "~~~")):
            if block is not None:
                yield indent, "\n".join(block)[: 2 * _LONGEST], "fence", blank
            block = [] if block is None else None
            blank = False
        elif block is not None:
            block.append(line)
        elif not bare or (set(bare) <= set("-=*_ |:") and len(bare) > 2):
            blank = True
        elif len(bare) > 2 and bare[0] == bare[-1] == "|":
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", bare[1:-1])]
            if following.strip() and set(following.strip()) <= set("|-: "):
                header = cells
                continue
            counted = numbered(f"{cells[0]}. x") is not None
            # A cell of one word says something only with what its column is called, and with what
            # its row is called where the columns are what the table is about.
            of_column = header[:1] == [""]
            named = [
                f"{name}: {cells[0]} {cell}"
                if of_column
                else f"{name} {cell}"
                if re.fullmatch(r"\w+", cell) and not counted
                else cell
                for name, cell in zip(header[1:], cells[1:], strict=False)
            ]
            first = [] if of_column else cells[:1]
            yield indent, "; ".join([*first, *(named or cells[1:])]), "row", blank
        else:
            header = []
            for at, part in enumerate(_split_inline(bare)):
                yield indent, part, "", blank or at > 0
            blank = False
    if block:
        yield 0, "\n".join(block)[: 2 * _LONGEST], "fence", blank


def _split_inline(line: str) -> list[str]:
    """A line's own numbered items: `(1) …; (2) …`, or First, … Second, …"""
    for pattern in _INLINE:
        parts = pattern.split(line)
        if len(parts) > 2:
            return [part.strip() for part in parts if part.strip()]
    return [line]


def _marked(indent: int, line: str, before: PromptStatement | None) -> tuple[int, PromptStatement]:
    """The rank at which a line stands, the smaller the further out, and what it says."""
    heading = _HEADING.match(line)
    bullet = None if heading else _BULLET.match(line) or _SUB_NUMBER.match(line)
    rest = heading[2].rstrip("# ") if heading else line[bullet.end() :] if bullet else line
    bold = _leading_bold(rest)
    plain = _BOLD.sub("", rest).strip()
    if re.fullmatch(r"[A-Z]-?\d{1,2}", bold):
        plain = plain.replace(bold, f"{bold}.", 1)  # a label that only its type sets apart
    number, style, rest = numbered(plain) or (None, "", plain)
    said = _ITALIC.sub(r"\2", rest)
    if indent == 0 and _SHOUTED.fullmatch(line) and " " in line:
        return 2, PromptStatement(line, style="##", bold=line)
    if heading:
        return len(heading[1]), PromptStatement(
            said, (), number, f"{heading[1]}{style}", bold=bold or said
        )
    if number is not None:
        return 10 + 8 * indent + (2 if bullet else 0), PromptStatement(
            said, (), number, f"{style}@{indent}", bold=_BOLD.sub("", bold)
        )
    if bullet:
        mark = re.sub(r"\d+", "1", bullet[1])
        last = re.search(r"\d+(?=[.)]?$)", bullet[1])
        number = int(last[0]) if last else None
        return 10 + 8 * indent + 3, PromptStatement(said, (), number, f"{mark}@{indent}", bold=bold)
    alone = re.sub(r"\([^()]*\)", "", said).strip(": ")
    if bold and len(bold) >= len(alone) and indent == 0:
        return 9, PromptStatement(said, (), None, "title", bold=bold)
    return 10 + 8 * indent + 1, PromptStatement(said, (), None, "paragraph", bold=bold)


def _leading_bold(text: str) -> str:
    found = re.match(r"(?:\[?\(?\w{1,12}[.):\]]{1,2}\s+)?(\*\*|__)(.{1,200}?)\1", text)
    return _BOLD.sub("", found[2]).strip(" :") if found else ""


def numbered(text: str) -> tuple[int, str, str] | None:
    """Return the number with which a text begins, how it is written, and the rest."""
    found = _LABEL.match(text)
    if found is not None and (word := found["word"].strip(" -").lower()) is not None:
        digits, closed = found["n"].isdigit(), found["close"].strip(" -–—") or found["open"]
        # A number alone is one of a sentence; a letter alone is a word.
        named = word and (found["close"] or found["rest"].startswith("(") or word == "§")
        glued = word and not found["word"][-1:].isspace()
        if not (closed or named or (digits and found["close"])) or (glued and not digits):
            return None
        style = f"{word}{found['open']}{{}}{found['close'].strip()}"
        if digits:
            return int(found["n"]), style.format(1), found["rest"].strip()
        letters = found["n"].lower()
        case = "a" if found["n"].islower() else "A"
        if letters in _ROMANS:
            return _ROMANS.index(letters) + 1, style.format(f"{case} roman"), found["rest"]
        if len(letters) == 1:
            return ord(letters) - ord("a") + 1, style.format(case), found["rest"]
    if (found := _ORDINAL.match(text)) is not None:
        return _ORDINALS.index(found["n"]) + 1, "First", found["rest"]
    return None
