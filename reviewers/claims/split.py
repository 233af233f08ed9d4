"""Cut the free text of a review into pieces: atomic claims in the reviewer's own words, and what
stands around them.

The pieces cover the text: put together they are the text again, so nothing is lost and nothing is
made up.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from reviewers.claims.blocks import Block, blocks
from reviewers.claims.clauses import Clause, Link, clauses
from reviewers.claims.implied import ONLY_LOGGED, implied
from reviewers.claims.quoting import FILLER, mask
from reviewers.claims.roles import Role, is_denial, plain, role_of
from reviewers.claims.wording import sentence_ends, verb_at, wording
from reviewers.steps import spend

_CUT_UP_TO = 60_000
"""Characters of a review that are cut into sentences; no review is as long, and what lies behind
is cut into parts that a reviewer gave a place for, or into long pieces.
"""

_LONGEST_SENTENCE = 6_000
_LONGEST_BLOCK = 60_000
"""Longer sentences and paragraphs are no prose; they stay whole."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a review's text.

    Attributes:
        start, end: in characters of the text, the end excluded.
        link: how a claim hangs on the claim before it.
        lead: the words that complete a claim that has no subject or verb of its own.
        under: the headings and labels under which it stands, outermost first.
        item: number of the outermost list item, as written.
        block: number of the paragraph or list item in which it stands; what stands in one speaks of
            one thing.
        sentence: start and end of its sentence.
        counted: which part it stands in, of a sentence that counts its parts: "(1) …, (2) …".
        listed: whether its paragraph is an item of a list.
    """

    role: Role
    start: int
    end: int
    link: Link = Link.NONE
    lead: tuple[int, int] | None = None
    under: tuple[tuple[int, int], ...] = ()
    item: str | None = None
    block: int = 0
    sentence: tuple[int, int] = (0, 0)
    counted: int = 0
    listed: bool = False


def split(text: str, parts: Sequence[tuple[int, int]] = ()) -> tuple[Piece, ...]:
    """Cut a review into pieces that cover its text, in order.

    Args:
        parts: start and end of what the reviewer told apart itself, in order.
    """
    end = len(text) if len(text) <= _CUT_UP_TO else text.rfind("\n", 0, _CUT_UP_TO) + 1
    end = end or _CUT_UP_TO
    spend(len(text) // 10)
    found: list[Piece] = []
    for piece in (*_pieces(text[:end]), *_rest(text, end, parts)):
        if (found and piece.start > found[-1].end) or (not found and piece.start > 0):
            found.append(Piece(Role.GAP, found[-1].end if found else 0, piece.start))
        found.append(piece)
    covered = found[-1].end if found else 0
    if covered < len(text):
        found.append(Piece(Role.GAP, covered, len(text)))
    return tuple(found)


def _rest(text: str, start: int, parts: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    """What lies behind the part whose sentences are cut."""
    for first, last in parts or [(start, len(text))]:
        for at in range(max(first, start), last, _LONGEST_SENTENCE):
            end = min(at + _LONGEST_SENTENCE, last)
            if any(map(str.isalnum, text[at:end])):
                yield Piece(Role.CLAIM, at, end, block=at)


def _pieces(text: str) -> Iterator[Piece]:
    all_blocks = blocks(text)
    headings: dict[int, tuple[tuple[int, int], ...]] = {}
    items: dict[int, str | None] = {}
    # What completes the items below a block, and those of the list right behind one.
    stems: dict[int | None, tuple[int, int] | None] = {}
    before_list: tuple[int, int] | None = None
    for index, block in enumerate(all_blocks):
        above = headings.get(block.parent, ()) if block.parent is not None else ()
        outer = items.get(block.parent) if block.parent is not None else None
        item = items[index] = outer or block.number
        if block.fenced:
            yield Piece(Role.QUOTE, block.start, block.end, under=above, item=item, block=index)
            continue
        leads_on = block.children or block.heading or _before_list(all_blocks, index)
        pieces = list(_with_implied(text, _of_block(text, block, above, leads_on)))
        if (lead := stems.get(block.parent) or (before_list if block.marked else None)) is not None:
            pieces = [replace(each, lead=each.lead or lead) for each in pieces]
        stems[index] = _stem(text, pieces[-1]) if leads_on and pieces else None
        before_list = before_list if block.marked else stems[index]
        own = tuple(
            (piece.start, piece.end)
            for piece in pieces
            if piece.role is Role.HEADING or block.children
        )
        headings[index] = above + own if block.children else above
        is_listed = block.marked
        yield from (replace(each, item=item, block=index, listed=is_listed) for each in pieces)


def _stem(text: str, before: Piece) -> tuple[int, int] | None:
    """The last statement before a list that ends in a word with which no sentence ends, so that
    each item completes it: "it never", "it does not".
    """
    said = text[before.start : before.end].rstrip(" :*_\n-–")
    last = said.rpartition(" ")[2].lower()
    waits = last in wording().auxiliaries or last in wording().adverbs
    start = len(said) - len(said[said.rfind(";") + 1 :].lstrip())
    return (before.start + start, before.start + len(said)) if waits else None


def _with_implied(text: str, pieces: Iterator[Piece]) -> Iterator[Piece]:
    """What a requirement lists right after "only … is logged" is claimed not to be logged."""
    before: Piece | None = None
    for piece in pieces:
        only = before is not None and ONLY_LOGGED.search(plain(text[before.start : before.end]))
        items = (
            list(implied(text[piece.start : piece.end]))
            if piece.role is Role.REQUIREMENT and only
            else []
        )
        position = piece.start
        for start, end in items:
            yield replace(piece, start=position, end=piece.start + start)
            position = piece.start + end
            lead = (before.start, before.end) if before else None
            yield replace(
                piece,
                role=Role.CLAIM,
                start=piece.start + start,
                end=position,
                link=Link.LIST,
                lead=lead,
            )
        yield replace(piece, start=position)
        before = piece if piece.role is Role.CLAIM else None


def _before_list(all_blocks: list[Block], index: int) -> bool:
    """A paragraph right before the first item of a list introduces it."""
    following = all_blocks[index + 1] if index + 1 < len(all_blocks) else None
    return following is not None and not all_blocks[index].marked and following.marked


def _of_block(
    text: str, block: Block, above: tuple[tuple[int, int], ...], leads_on: bool
) -> Iterator[Piece]:
    body = text[block.start : block.end]
    if len(body) > _LONGEST_BLOCK:
        yield _whole(body, block.start, above)
        return
    masked = mask(body)
    starts = [0, *sentence_ends(masked)]
    for start, end in zip(starts, [*starts[1:], len(body)], strict=True):
        while start < end and body[start].isspace():
            start += 1
        while start < end and body[end - 1].isspace():
            end -= 1
        if start == end:
            continue
        start, end = _within_brackets(masked, start, end)
        last = end >= len(body.rstrip(" \n\t).!"))
        is_title = block.children or block.heading or body[end - 1] in ":："
        heading = last and leads_on and (is_title or verb_at(masked[start:end]) is None)
        sentence = body[start:end]
        inner = masked[start:end] if FILLER not in masked[start:end] else mask(sentence)
        yield from _of_sentence(sentence, inner, block.start + start, above, heading)


def _whole(text: str, start: int, above: tuple[tuple[int, int], ...]) -> Piece:
    """A text that is not cut, as one claim; none where it has no words."""
    role = Role.CLAIM if any(map(str.isalnum, text)) else Role.GAP
    return Piece(role, start, start + len(text), under=above)


def _within_brackets(masked: str, start: int, end: int) -> tuple[int, int]:
    """A sentence that stands whole in brackets is read without them."""
    stop = end
    while stop > start and masked[stop - 1] in ".!?":
        stop -= 1
    inside = masked[start + 1 : stop - 1]
    if masked[start] == "(" and masked[stop - 1] == ")" and stop - start > 2 and ")" not in inside:
        return start + 1, stop - 1
    return start, end


def _of_sentence(
    text: str, masked: str, offset: int, above: tuple[tuple[int, int], ...], heading: bool
) -> Iterator[Piece]:
    if offset > _CUT_UP_TO or len(text) > _LONGEST_SENTENCE:
        yield _whole(text, offset, above)
        return
    if _COMMAND.match(text):
        yield Piece(Role.QUOTE, offset, offset + len(text), under=above)
        return
    role = role_of(text, masked, whole_sentence=not heading)
    if heading and role is not Role.SUMMARY:
        role = Role.HEADING
    if role is not Role.CLAIM:
        yield Piece(role, offset, offset + len(text), under=above)
        return
    under, previous = above, Role.CLAIM
    for clause in clauses(text, masked):
        start, end = clause.start, clause.end
        role = Role.HEADING if clause.label else role_of(text[start:end], mask(text[start:end]))
        if clause.link is Link.LIST and role is not Role.GAP:
            role = previous
        elif (
            role is Role.ADVICE and clause.lead is not None and is_denial(text[slice(*clause.lead)])
        ):
            role = Role.CLAIM
        sentence = (offset, offset + len(text))
        own = _piece(role, clause, offset, under)
        yield replace(own, sentence=sentence, counted=clause.counted)
        previous = role
        if clause.label:
            under = (*under, (offset + start, offset + end))


_COMMAND = re.compile(
    r"(?:\$ |>>> )?(?:uv run|python3? -|pip install|bash -c|conda )(?:(?!\. ).)*$"
)


def _piece(role: Role, clause: Clause, offset: int, under: tuple[tuple[int, int], ...]) -> Piece:
    lead = (offset + clause.lead[0], offset + clause.lead[1]) if clause.lead else None
    return Piece(role, offset + clause.start, offset + clause.end, clause.link, lead, under)
