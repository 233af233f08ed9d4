"""The criteria that a prompt states, whatever markers they have.

A list is accepted on two signs: its items are numbered or marked alike, and it is announced as
requirements, or each of its items has a title.
"""

import re
from dataclasses import dataclass

from reviewers.errors import printable
from reviewers.rubric.contract import script_of
from reviewers.rubric.reading.demand_parts import paths_in
from reviewers.rubric.reading.outline import PromptStatement, numbered, word_set

MOST = 12
_LONGEST = 600
_LONGEST_TITLE = 120
_ORDER = word_set("step phase part section chapter example option figure table stage task version")
_ANNOUNCED = re.compile(
    r"\bcriteri|\baccept|\bkriteri|\brequire|\bmust\b|\bconditions?\b|\bcheck|\bvalidat|\bexpect|\bdemands?\b"
    r"|\brules?\b|\bstandards?\b|\bwhat\s+(?:we|is|has)\b|\basked?\b|\brubric\b|\bif\b"
    r"|\bverify\b|\bmake\s+sure\b|\bhas\s+to\b",
    re.IGNORECASE,
)
_SHORT_TITLE = re.compile(r"[A-Za-z][\w /-]{0,40}:\s+\S")
# What calls a list without numbers the criteria.
_CALLED = re.compile(
    r"\b(?:criteri|requirement|condition|kriteri|checklist)\w*|\bchecks\b", re.IGNORECASE
)
_LABEL = r"(\(?(?:§\s?)?(?:[A-Z]?\d{1,2}(?:\.\d{1,2})?|[A-La-l]|[IVXivx]{1,5})\)?)"
_OF_VERDICT = (
    r"(?:hold|holds|(?:is|are)\s+(?:\w+\s+)?(?:met|violated|satisfied|fulfilled|true|indispensable)"
    r"|apply|fails?)\b"
)
_RANGE = re.compile(
    rf"(?:\b(?:criteria|points|rules|requirements|conditions|questions|items|of)\s+)?"
    rf"(?<![\w.]){_LABEL}\s*(?:to|through|until|–|-|—|…|\.\.\.)\s*{_LABEL}(?![\w.]*\w)"
    rf"(?=[^.;]{{0,40}}\b{_OF_VERDICT})"
)


@dataclass(frozen=True, slots=True)
class CriterionItem:
    """One criterion: its number, its title and wording, and the statements that it consists of."""

    number: int
    title: str
    question: str
    statements: tuple[PromptStatement, ...]


def read_criteria(statements: list[PromptStatement], text: str) -> list[CriterionItem]:
    """Return the criteria, at most twelve, with their own numbers, or counted.

    Where the prompt says how far they go ("A to H"), the list that agrees is taken that far.
    """
    counts = _counts(text)
    announced, heads = max(_lists(statements, counts), key=_weight, default=(0, []))
    if announced > 1:
        far = max(count for count, script in counts if _agrees(heads, (count, script)))
        heads = [head for head in heads if (head.number or 0) <= far]
    items: list[CriterionItem] = []
    for head in heads[:MOST]:
        last = items[-1].number if items else 0
        own = _own(head, heads, statements)
        items.append(_item(max(head.number or 0, last + 1), head, own))
    return items


def _counts(text: str) -> set[tuple[int, str]]:
    """How many criteria there are, by sentences such as "true if (i) to (iv) hold", and whether
    letters or digits count them.
    """
    found: set[tuple[int, str]] = set()
    for first, last in _RANGE.findall(" ".join(text.split())):
        ends = [numbered(f"{end.rpartition('.')[2].strip('()§ ')}. x") for end in (first, last)]
        if ends[0] and ends[1] and ends[0][1] == ends[1][1]:
            found.add((ends[1][0], _script(ends[1][1])))
    return found


def _script(style: str) -> str:
    """Whether a style counts in letters, in Roman numerals or in digits."""
    letters = re.search(r"(?<![A-Za-z])[Aa](?:\sroman)?(?![A-Za-z])", style)
    return letters[0].lower() if letters else "1"


def _agrees(run: list[PromptStatement], end: tuple[int, str]) -> bool:
    count, script = end
    return _script(run[0].style) == script and [head.number for head in run[:count]] == list(
        range(1, count + 1)
    )


def _own(
    head: PromptStatement, heads: list[PromptStatement], statements: list[PromptStatement]
) -> tuple[PromptStatement, ...]:
    """What a criterion consists of; words at the margin behind the last belong to it only where
    such words belong to another one.
    """
    own = [each for each in statements if head in each.above]

    def apart(each: PromptStatement, of: PromptStatement) -> bool:
        return each.style == "paragraph" and each.indent <= of.indent and each.above[-1] is of

    if head is heads[-1] and not any(
        apart(each, other) for other in heads[:-1] for each in statements if other in each.above
    ):
        cut = next((at for at, each in enumerate(own) if apart(each, head)), len(own))
        own = own[:cut] if cut or _title(head)[1] else own
    return (head, *own)


def _is_thing(head: PromptStatement) -> bool:
    """Whether an item of a list is a file or a command and nothing else."""
    text = head.text.strip("`'\" ")
    command = head.text.startswith("`") and head.text.endswith("`") and script_of(text)
    return bool(command) or (" " not in text and bool(paths_in(f"`{text}`")))


def _lists(
    statements: list[PromptStatement], counts: set[tuple[int, str]]
) -> list[tuple[int, list[PromptStatement]]]:
    """Lists of at least two items that may be the criteria, with whether they are announced: 2
    where the prompt says how far they go.
    """
    runs: list[tuple[int, list[PromptStatement]]] = []
    open_runs: dict[tuple[str, int], list[PromptStatement]] = {}
    untitled: set[tuple[str, int]] = set()
    plain: dict[int, tuple[str, int]] = {}
    for at, each in enumerate(statements):
        number = each.number
        holder = next((up for up in reversed(each.above) if up.number is None), None)
        if number is None:
            holder = each.above[-1] if each.above else None
        key = (each.style, id(holder))
        if each.fenced or (number is None and not each.bold and not _SHORT_TITLE.match(each.text)):
            untitled.add(key)
            continue
        if (
            number is None
            and not each.bold
            and not (
                "@" in each.style
                and holder
                and (holder.is_heading or holder.bold)
                and _CALLED.search(holder.text)
            )
        ):
            continue
        run = open_runs.get(key)
        last = (run[-1].number or 0) if run else 0
        if run and (number is None or last < number <= last + 3):
            run.append(each)
        elif number is None or number <= 2:
            open_runs[key] = run = [each]
            runs.append((int(_announced(each, statements[at - 1] if at else None)), run))
            if number is None and not each.bold:
                plain[id(run)] = key
    runs = [
        (2 if any(_agrees(run, count) for count in counts) else announced, run)
        for announced, run in runs
        if len(run) > 1
        and 2 * sum(map(_is_thing, run)) < len(run)
        and plain.get(id(run)) not in untitled
    ]
    holders = {id(up) for announced, run in runs if announced for up in run[0].above}
    sections = {  # headings of which one announces a list are not criteria
        id(run[0]) for _, run in runs if run[0].number is None and holders & set(map(id, run))
    }
    runs = [(announced, run) for announced, run in runs if id(run[0]) not in sections]
    heads = {id(head) for announced, run in runs if announced for head in run}
    return [
        (announced, run)
        for announced, run in runs
        if announced > 1
        or (
            not any(id(up) in heads for up in run[0].above)
            and (announced or all(each.number and (_title(each)[1] or each.bold) for each in run))
        )
    ]


def _weight(row: tuple[int, list[PromptStatement]]) -> tuple[int, bool, bool, int]:
    announced, run = row
    return announced, run[0].number is not None, run[0].bold != "", len(run)


def _announced(first: PromptStatement, before: PromptStatement | None) -> bool:
    """Whether a list is called what is asked: above it, right before it, or in its own numbers."""
    word = re.match(r"[a-z]+", first.style)
    if word and first.number is not None and word[0] not in _ORDER:
        return True
    texts = [up.text for up in first.above]
    if first.number is None:
        texts = texts[-1:]
    if before is not None and before.style == "paragraph" and not first.is_heading:
        texts.append(before.text)
        if re.search(r"\b(?:following|below|these|list)\b", before.text):
            return True
    return any(map(_ANNOUNCED.search, texts))


def _item(number: int, head: PromptStatement, own: tuple[PromptStatement, ...]) -> CriterionItem:
    title, rest = _title(head)
    room = _LONGEST - len(title)
    said = [(0, rest)] if rest else []
    said += [(len(each.above), each.text) for each in own[1:] if not each.fenced]
    clean = [(depth, _clean(text)) for depth, text in said]
    return CriterionItem(number, title, _within(clean, room) or title, own)


def _title(head: PromptStatement) -> tuple[str, str]:
    """The title of a criterion, and what it says behind it."""
    first, _, more = head.text.partition("\n")
    words = 8 if re.match(r"[A-Z`\"]", more) else 3
    if more and len(first.split()) <= words and re.search(r"[\w)]:?$", first):
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
