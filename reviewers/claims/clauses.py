"""From a sentence to its clauses: where one assertion ends and the next begins."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from reviewers.claims.quoting import FILLER, mask, trimmed
from reviewers.claims.roles import PieceRole
from reviewers.claims.wording import starts_with_verb, verb_at, wording, words


class Link(StrEnum):
    """How a clause hangs on the one before it."""

    NONE = "none"
    AND = "and"
    BUT = "but"
    SO = "so"
    LIST = "list"


_Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A part of a text: of a review, or of the sentence that is cut.

    Attributes:
        start, end: in characters of the text, the end excluded.
        link: how a claim hangs on the claim before it.
        lead: the words that complete a claim: its subject, or the verb of its list.
        under: the headings and labels under which it stands, outermost first.
        block: number of the paragraph or list item in which it stands; what stands in one speaks of
            one thing.
        sentence: start and end of its sentence.
        counted: which part it stands in, of a sentence that counts its parts: "(1) …, (2) …".
        listed: whether its paragraph is an item of a list.
    """

    role: PieceRole
    start: int
    end: int
    link: Link = Link.NONE
    lead: _Span | None = None
    under: tuple[_Span, ...] = ()
    block: int = 0
    sentence: _Span = (0, 0)
    counted: int = 0
    listed: bool = False

    def moved(self, offset: int, **changed: Any) -> "TextPiece":
        """The same in a text that begins so many characters before."""
        lead = (self.lead[0] + offset, self.lead[1] + offset) if self.lead else None
        start, end = self.start + offset, self.end + offset
        return replace(self, start=start, end=end, lead=lead, **changed)


_CUT = re.compile(
    r"(?P<semicolon>\s*;\s+)"
    r"|(?P<dash>\s+[–—‒−‐‑-]{1,2}\s+)"
    r"|(?P<arrow>\s+(?:→|⇒|⟶|⟹|=>|->|==>)\s+)"
    r"|(?P<so>\s*,?\s+(?=(?:causing|leading\s+to|resulting\s+in)\b)"
    r"|\s*,\s+(?=(?:and\s+)?(?:so(?!\s+(?:that|far|on)\b)|thus|hence|therefore|thereby"
    r"|consequently|as\s+a\s+(?:result|consequence))\b)"
    r"|\s+(?=and\s+(?:so|thus|hence|therefore|consequently)\b)"
    r"|\s*,\s+(?=which\s+(?:will\s+|would\s+|then\s+|in\s+turn\s+)*(?:breaks?|means|causes?|makes?"
    r"|leads?|raises?|crash(?:es)?|fails?|results?|prevents?|stops?|triggers?|throws?)\b))"
    r"|(?P<colon>\s*:\s+)"
    r"|(?P<and>\s*,?\s+(?:and|but|yet|nor|or|whereas|while|however|though)\s+)"
    r"|(?P<no>\s*,\s+(?:and\s+|or\s+|nor\s+)?(?=(?:no|nor|missing|without)\s))"
)
_ENUMERATION = re.compile(
    rf"(?<!\w)\(?(?P<mark>\d{{1,2}}|[a-h])\)\s+|\((?P<masked>{FILLER}{{1,2}})\)\s+"
)
_NOT_BEFORE = re.compile(
    r"(?:\b(?:of|to|issues?|points?|with|items?|after|by|in|see|from|because|unless|until|for|and|both|than)|[–-])\s*$"
)
_AFTER_COMMA = re.compile(r"[,;:]\s*(?:and|or|nor)\s*$")
_INSERTED = re.compile(
    r"(?:[^\s;]+\s+){1,10}?[–—‒−‐‑-]{1,2}\s+(?:is|are|was|were|has|have|does|do|will|can|cannot|would)\b"
)
_LABEL_WORDS = 10
_LONGEST_SUBJECT = 10
_RELATIVE = frozenset(("that", "which", "who", "whose", "if", "when"))
_REST = 400
"""How far ahead a cut is judged."""


def clauses(text: str, masked: str) -> list[TextPiece]:
    """Cut one sentence; what lies between the clauses is only punctuation and connecting words.
    What only names what follows ("Missing file: …") is a heading.
    """
    found: list[TextPiece] = []
    parts = list(_enumerated(text, masked))
    lead = _trim(text, *parts[0]) if len(parts) > 1 else None
    for index, (start, end) in enumerate(parts):
        if index == 0 and lead is not None:
            start, end = _trim(text, start, end)
            found += [TextPiece(PieceRole.HEADING, start, end)] if start < end else []
            continue
        for clause in _clauses(masked, start, end):
            own = clause.lead
            if index and own is None and not _complete(masked, clause):
                own = lead
            start, end = _trim(text, clause.start, clause.end)
            whole = replace(clause, start=start, end=end, lead=own, counted=index)
            found += _bracketed(text, masked, whole)
    return [clause for clause in found if clause.start < clause.end]


def _bracketed(text: str, masked: str, clause: TextPiece) -> list[TextPiece]:
    """Cut off a closing bracket that holds a clause of its own: "… (e.g. the loader never
    shuffles)".
    """
    opening = masked.rfind("(", clause.start, clause.end)
    said = masked[opening : clause.end].rstrip(".!?*") if opening >= 0 else ""
    if not said.endswith(")"):
        return [clause]
    end = opening + len(said) - 1
    start = opening + 1
    if example := _EXAMPLE.match(text, start, end):
        start = example.end()
    inside = mask(text[start:end])
    _, before = trimmed(text, clause.start, opening)
    if before == clause.start or verb_at(inside) is None or len(words(inside)) < _LEAST_BRACKETED:
        return [clause]
    further = clauses(text[start:end], inside)
    outer = replace(clause, end=before)
    return [outer, *(part.moved(start, counted=clause.counted) for part in further)]


_EXAMPLE = re.compile(
    r"\s*(?:e\.g\.|i\.e\.|for example|for instance|that is|namely|see)[,:]?\s*", re.IGNORECASE
)
_LEAST_BRACKETED = 5


def _complete(masked: str, clause: TextPiece) -> bool:
    """A part that has a subject of its own needs no lead: "(2) the name is shadowed"."""
    part = masked[clause.start : min(clause.end, clause.start + _REST)]
    return verb_at(part) not in (None, 0)


def _enumerated(text: str, masked: str) -> Iterator[tuple[int, int]]:
    """The parts of a sentence that counts them: "(1) …, (2) …"; a sentence that does not is one
    part.
    """
    marks: list[tuple[int, int]] = []
    expected: tuple[str, ...] = ("1", "a")
    for match in _ENUMERATION.finditer(masked):
        mark = match["mark"] or text[match.start("masked") : match.end("masked")]
        if mark not in expected or (
            _NOT_BEFORE.search(before := masked[max(0, match.start() - 20) : match.start()])
            and not _AFTER_COMMA.search(before)
        ):
            continue
        marks.append(match.span())
        expected = (str(int(mark) + 1),) if mark.isdigit() else (chr(ord(mark) + 1),)
    if not marks or (len(marks) == 1 and masked[: marks[0][0]].strip()):
        yield 0, len(masked)
        return
    yield 0, marks[0][0]
    for (_, start), (end, _) in zip(marks, [*marks[1:], (len(masked), 0)], strict=True):
        yield start, end


def _clauses(masked: str, start: int, end: int) -> Iterator[TextPiece]:
    link, lead, begin = Link.NONE, None, start
    for match in _CUT.finditer(masked, start, end):
        if match.start() < begin:
            continue
        kind = match.lastgroup or ""
        left, right = (
            masked[max(begin, match.start() - _REST) : match.start()],
            _until_next_cut(masked, match.end(), end),
        )
        if kind == "dash" and _INSERTED.match(masked, match.end(), end):
            continue
        if kind in ("colon", "dash") and _is_label(left):
            yield TextPiece(PieceRole.HEADING, begin, match.start(), link, lead)
            link, lead, begin = Link.NONE, None, match.end()
            continue
        cut = _cut(kind, match.group(), left, right, masked[match.end() : match.end() + _REST])
        if cut is None:
            continue
        yield from _listed(masked, TextPiece(PieceRole.CLAIM, begin, match.start(), link, lead))
        verb = verb_at(left)
        own = (
            (begin, match.start() - len(left) + verb)
            if verb and cut is not Link.SO and starts_with_verb(right)
            else None
        )
        link, lead, begin = cut, own, match.end()
    yield from _listed(masked, TextPiece(PieceRole.CLAIM, begin, end, link, lead))


def _until_next_cut(masked: str, start: int, end: int) -> str:
    end = min(end, start + _REST)
    following = _CUT.search(masked, start, end)
    is_and = following is not None and following.group().split() == ["and"]
    if following and is_and and verb_at(masked[start : following.start()]) is None:
        following = _CUT.search(masked, following.end(), end)  # "and both A and B use …"
    stops = [following.start() if following else -1, masked.find(", ", start, end)]
    return masked[start : min((stop for stop in stops if stop > start), default=end)]


def _cut(kind: str, separator: str, left: str, right: str, rest: str) -> Link | None:
    """How the right side hangs on the left one if they are to be cut apart, else None."""
    enough_left, enough_right = len(words(left)) >= 3, len(words(rest)) >= 3
    match kind:
        case "semicolon":
            return Link.AND if enough_left and len(words(rest)) >= 2 else None
        case "so":
            lacking = words(left)[:1] == ["no"]
            is_clause = lacking or (enough_left and _has_main_verb(left))
            return Link.SO if is_clause and len(words(rest)) >= 2 else None
        case "arrow":
            return Link.SO if enough_left and enough_right and verb_at(right) is not None else None
        case "dash":
            both = verb_at(left) is not None and (
                verb_at(right) is not None or right.casefold().startswith("no ")
            )
            return Link.AND if enough_left and both else None
        case "no":
            return Link.LIST if verb_at(left) is not None or words(left)[:1] == ["no"] else None
        case "and" if words(left)[:1] == ["no"] and words(right)[:1] == ["no"]:
            return Link.LIST
        case "and":
            word = separator.strip(" ,\n")
            are_clauses = _has_main_verb(left) and (
                _subject_and_verb(right) or starts_with_verb(right)
            )
            is_subordinate = word in _SUBORDINATING and "," not in separator
            if not are_clauses or is_subordinate or not enough_left:
                return None
            return Link.BUT if word in _ADVERSATIVE else Link.AND
    return None


_ADVERSATIVE = ("but", "yet", "however")
_SUBORDINATING = ("while", "whereas", "though", "however")


def _has_main_verb(left: str) -> bool:
    """A side that is only "if …" or "because …" has no main clause yet."""
    if verb_at(left) is None:
        return False
    first = words(left[:80])[:1]
    return not first or first[0] not in wording()["subordinators"] or ", " in left


def _subject_and_verb(right: str) -> bool:
    """A clause has its verb soon, after a subject that is not a relative or subordinate clause."""
    verb = verb_at(right)
    if verb is None:
        return False
    before = words(right[:verb])
    return 0 < len(before) <= _LONGEST_SUBJECT and before[0] != "to" and not _RELATIVE & set(before)


def _is_label(left: str) -> bool:
    listed = words(left)
    bare = left.strip(" *\n")
    if FILLER in left and not (bare[0] == bare[-1] == "`" or bare.endswith(")")):
        return False
    return (
        0 < len(listed) <= _LABEL_WORDS
        and verb_at(left) is None
        and listed[0] not in ("no", "missing", "only")
    )


_MAKES = (
    "generate|compute|create|produce|perform|implement|include|contain|provide|draw|log|output"
    "|export|save|plot"
)
_ABSENCE = re.compile(
    r"(?:\b(?:no|without|lacks?|lacking|omits?|omitting|misses|missing)\b"
    r"|\b(?:(?:does|do|did)n['’]t|(?:does|do|did|is|are)\s+\*{0,2}(?:not|NOT)\*{0,2})\s+"
    rf"(?:(?:yet|actually)\s+)?(?:{_MAKES})\b|\bnever\s+(?:{_MAKES})s?\b)"
    r"(?:\s+(?:the|any|all|required|mandatory|several))*\s+"
)
_ITEM_CUT = re.compile(r"\s*,\s*(?:and\s+|or\s+|nor\s+)?|\s+(?:and|or|nor)\s+")
_TRAILING = re.compile(
    r"\s+(?:\(\S*\)\s+)?(?=(?:is|are)\s+(?:\w+\s+)?(?:missing|absent|omitted|lacking|unimplemented|violated|"
    r"unmet|not\s+(?:\w+\s+)?(?:implemented|generated|created|produced|provided|computed|logged|saved|drawn|"
    r"performed|met|satisfied|fulfilled))\b)"
)
_MOST_ITEM_WORDS = 9


def _listed(masked: str, clause: TextPiece) -> Iterator[TextPiece]:
    """Cut "lacks A, B and C" into its items; each item after the first has the verb as its lead."""
    text = masked[clause.start : min(clause.end, clause.start + 2 * _REST)]
    if clause.end - clause.start > len(text):
        yield clause
        return
    items, said, complete = [], (0, 0), 0
    trailing = _TRAILING.search(text)
    if trailing and verb_at(text[: trailing.start()]) is None:
        items, said = _items(text, 0, trailing.start()), (trailing.end(), len(text))
        complete = len(items) - 1
    if len(items) < 2 and (absent := _ABSENCE.search(text)):
        items, said = _items(text, absent.end(), len(text)), (0, absent.end())
        complete = 0
    if len(items) < 2:
        yield clause
        return
    items = [(0, items[0][1]), *items[1:-1], (items[-1][0], len(text))]
    for number, (start, end) in enumerate(items):
        link = Link.LIST if number else clause.link
        own = TextPiece(PieceRole.CLAIM, start, end, link, said).moved(
            clause.start, counted=clause.counted
        )
        yield replace(own, lead=clause.lead) if number == complete else own


def _items(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The nouns of a list; none where a part is a clause, too long, or only "etc."."""
    found: list[tuple[int, int]] = []
    begin = start
    for match in [*_ITEM_CUT.finditer(text, start, end), None]:
        stop = match.start() if match else end
        part = text[begin:stop]
        listed = words(part)
        if (
            not listed
            or len(listed) > _MOST_ITEM_WORDS
            or verb_at(part) is not None
            or listed[0] in wording()["no_item"]
        ):
            return []
        found.append((begin, stop))
        begin = match.end() if match else end
    return found


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out white space, list commas and connecting words at the ends; emphasis and quotes stay
    whole.
    """
    start, end = trimmed(text, start, end, ",;:")
    connective = _CONNECTIVE.match(text, start, end)
    return (connective.end() if connective else start), end


_CONNECTIVE = re.compile(r"(?:and|but|or|nor|yet)\s+(?=\S)", re.IGNORECASE)
