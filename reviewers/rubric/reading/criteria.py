"""The criteria that a prompt states, under whatever marks they stand."""

import re
from dataclasses import dataclass

from reviewers.errors import printable
from reviewers.rubric.reading.outline import Statement

MOST = 12
_LONGEST = 600
_LONGEST_TITLE = 120
_SECTION = re.compile(
    r"\bcriteri|\brequirement|\bmust\b|\bconditions?\b|\bchecks?\b|\bvalidat|\bexpect|\bdemands?\b|\brules\b"
    r"|\bstandards?\b|\bwhat\s+(?:we|is)\b|\basked?\b|\bpoints?\b|\brubric\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Item:
    """One criterion: its number, its title and wording, and the statements that it consists of."""

    number: int
    title: str
    question: str
    statements: tuple[Statement, ...]


def read_criteria(statements: list[Statement]) -> list[Item]:
    """Return the criteria, at most twelve: the items of the longest numbered list, else the named
    items of a section that is called after them.
    """
    heads = _numbered(statements) or _named(statements)
    return [_item(number, head, statements) for number, head in enumerate_heads(heads)[:MOST]]


def enumerate_heads(heads: list[Statement]) -> list[tuple[int, Statement]]:
    """Return the criteria with their own numbers, or counted where they have none."""
    return [(head.number or at, head) for at, head in enumerate(heads, 1)]


def _numbered(statements: list[Statement]) -> list[Statement]:
    """The numbered list that is longest, lists under a heading that speaks of criteria first."""
    runs: list[list[Statement]] = []
    open_runs: dict[tuple[str, int], list[Statement]] = {}
    for statement in statements:
        if statement.number is None or statement.fenced:
            continue
        holder = next((up for up in reversed(statement.above) if up.number is None), None)
        key = (statement.style, id(holder) if holder else 0)
        run = open_runs.get(key)
        if (
            run
            and run[-1].number is not None
            and run[-1].number < statement.number <= run[-1].number + 3
        ):
            run.append(statement)
        elif statement.number <= 2:
            open_runs[key] = run = [statement]
            runs.append(run)
    runs = [run for run in runs if len(run) > 1 and not any(up.number for up in run[0].above)]
    return max(runs, key=lambda run: (_speaks(run[0]), len(run)), default=[])


def _speaks(statement: Statement) -> bool:
    return any(_SECTION.search(up.text) for up in statement.above)


def _named(statements: list[Statement]) -> list[Statement]:
    """Headings, or items with a title in bold type, of a section on criteria."""
    lists: dict[tuple[int, str], list[Statement]] = {}
    for statement in statements:
        holder = statement.above[-1] if statement.above else None
        if holder is not None and _SECTION.search(holder.text) and statement.bold:
            lists.setdefault((id(holder), statement.style), []).append(statement)
    return max((each for each in lists.values() if len(each) > 1), key=len, default=[])


def _item(number: int, head: Statement, statements: list[Statement]) -> Item:
    own = (head, *(each for each in statements if head in each.above))
    title, rest = _title(head)
    room = _LONGEST - len(title)
    said = [(0, rest)] if rest else []
    said += [(len(each.above), each.text) for each in own[1:] if not each.fenced]
    clean = [(depth, _clean(text)) for depth, text in said]
    return Item(number, title, _within(clean, room) or title, own)


def _title(head: Statement) -> tuple[str, str]:
    """The title of a criterion, and what it says behind it."""
    first, _, more = head.text.partition("\n")
    if re.match(r"[A-Z`\"]", more) and len(first.split()) <= 8 and re.search(r"[\w)]:?$", first):
        return _clean(first).rstrip(" :"), _clean(more)
    text = _clean(head.text)
    bold = _clean(head.bold)
    if bold and text.startswith(bold) and len(bold) <= _LONGEST_TITLE and not head.is_heading:
        return bold.rstrip(" .:–—-") or text, text[len(bold) :].strip(" .:–—-")
    cut = re.search(r"(?<=\w)[)\"'`]?\s*(?::|\s[–—-]+\s|\.(?=\s|$))\s*", text)
    if head.is_heading or cut is None or cut.start() > _LONGEST_TITLE:
        short = text.rstrip(" :.")
        if len(short) <= _LONGEST_TITLE:
            return short or "untitled", ""
        return f"{short[: _LONGEST_TITLE - 2].rsplit(' ', 1)[0]} …", text
    end = cut.start() + (text[cut.start()] in ")\"'`")
    return text[:end].strip(" ()") or "untitled", text[cut.end() :].strip()


def _within(said: list[tuple[int, str]], room: int) -> str:
    """What fits of the statements in their own order, the outer ones first."""
    chosen: set[int] = set()
    left = room
    for at in sorted(range(len(said)), key=lambda index: (said[index][0], index)):
        cost = len(said[at][1]) + 2
        if said[at][1] and cost <= left:
            chosen.add(at)
            left -= cost
    if not chosen and said:
        return f"{said[0][1][: max(room - 2, 0)]} …"
    return "; ".join(said[at][1].rstrip(" ;:") for at in sorted(chosen))


def _clean(text: str) -> str:
    return printable(" ".join(text.split()))
