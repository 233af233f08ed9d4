"""Cut the free text of a review into pieces: atomic claims in the reviewer's own words, and what
stands around them.

The pieces cover the text: put together they are the text again, so nothing is lost and nothing is
made up.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from reviewers.claims.blocks import Block, blocks
from reviewers.claims.clauses import Link, TextPiece, clauses
from reviewers.claims.quoting import FILLER, mask, trimmed
from reviewers.claims.roles import PieceRole, is_denial, role_of
from reviewers.claims.wording import sentence_ends, verb_at, wording
from reviewers.steps import spend

_CUT_UP_TO = 60_000
"""Characters of a review that are cut into sentences; no review is as long, and what lies behind
is cut into parts that a reviewer gave a place for, or into long pieces.
"""

_LONGEST_SENTENCE = 6_000
"""Longer ones are no prose; they stay whole."""
_COMMAND = re.compile(
    r"(?:\$ |>>> )?(?:uv run|python3? -|pip install|bash -c|conda )(?:(?!\. ).)*$"
)
_Spans = tuple[tuple[int, int], ...]


def split(text: str, parts: Sequence[tuple[int, int]] = ()) -> tuple[TextPiece, ...]:
    """Cut a review into pieces that cover its text, in order.

    Args:
        parts: start and end of what the reviewer told apart itself, in order.
    """
    end = len(text) if len(text) <= _CUT_UP_TO else text.rfind("\n", 0, _CUT_UP_TO) + 1
    end = end or _CUT_UP_TO
    spend(len(text) // 10)
    found: list[TextPiece] = []
    covered = 0
    for piece in (*_pieces(text[:end]), *_rest(text, end, parts)):
        if piece.start > covered:
            found.append(TextPiece(PieceRole.GAP, covered, piece.start))
        found.append(piece)
        covered = piece.end
    if covered < len(text):
        found.append(TextPiece(PieceRole.GAP, covered, len(text)))
    return tuple(found)


def _rest(text: str, start: int, parts: Sequence[tuple[int, int]]) -> Iterator[TextPiece]:
    """What lies behind the part whose sentences are cut."""
    for first, last in parts or [(start, len(text))]:
        for at in range(max(first, start), last, _LONGEST_SENTENCE):
            end = min(at + _LONGEST_SENTENCE, last)
            if any(map(str.isalnum, text[at:end])):
                yield TextPiece(PieceRole.CLAIM, at, end, block=at)


def _pieces(text: str) -> Iterator[TextPiece]:
    all_blocks = blocks(text)
    headings: dict[int | None, _Spans] = {None: ()}
    # What completes the items below a block, and those of the list right behind one.
    stems: dict[int | None, tuple[int, int] | None] = {}
    before_list: tuple[int, int] | None = None
    for index, block in enumerate(all_blocks):
        above = headings[block.parent]
        pieces = [TextPiece(PieceRole.QUOTE, block.start, block.end)]
        if not block.fenced:
            leads_on = block.children or block.heading or _before_list(all_blocks, index)
            pieces = list(_of_block(text, block, leads_on))
            lead = stems.get(block.parent) or (before_list if block.marked else None)
            pieces = [replace(each, lead=each.lead or lead) for each in pieces]
            stems[index] = _stem(text, pieces[-1]) if leads_on and pieces else None
            before_list = before_list if block.marked else stems[index]
        headings[index] = above
        if block.children:
            headings[index] += tuple((each.start, each.end) for each in pieces)
        for each in pieces:
            yield replace(each, under=above + each.under, block=index, listed=block.marked)


def _stem(text: str, before: TextPiece) -> tuple[int, int] | None:
    """The last statement before a list that ends in a word with which no sentence ends, so that
    each item completes it: "it never", "it does not".
    """
    said = text[before.start : before.end].rstrip(" :*_\n-–")
    waits = said.rpartition(" ")[2].lower() in wording()["auxiliaries"] | wording()["adverbs"]
    start = len(said) - len(said[said.rfind(";") + 1 :].lstrip())
    return (before.start + start, before.start + len(said)) if waits else None


def _before_list(all_blocks: list[Block], index: int) -> bool:
    """A paragraph right before the first item of a list introduces it."""
    following = all_blocks[index + 1 : index + 2]
    return any(each.marked for each in following) and not all_blocks[index].marked


def _of_block(text: str, block: Block, leads_on: bool) -> Iterator[TextPiece]:
    body = text[block.start : block.end]
    masked = mask(body)
    starts = [0, *sentence_ends(masked)]
    for start, end in zip(starts, [*starts[1:], len(body)], strict=True):
        start, end = _within_brackets(masked, *trimmed(body, start, end))
        last = end >= len(body.rstrip(" \n\t).!"))
        is_title = block.children or block.heading or body[end - 1] in ":："
        heading = last and leads_on and (is_title or verb_at(masked[start:end]) is None)
        sentence = body[start:end]
        inner = masked[start:end] if FILLER not in masked[start:end] else mask(sentence)
        yield from _of_sentence(sentence, inner, block.start + start, heading)


def _within_brackets(masked: str, start: int, end: int) -> tuple[int, int]:
    """A sentence that stands whole in brackets is read without them."""
    said = masked[start:end].rstrip(".!?")
    if said[:1] == "(" and said[-1:] == ")" and len(said) > 2 and ")" not in said[1:-1]:
        return start + 1, start + len(said) - 1
    return start, end


def _of_sentence(text: str, masked: str, offset: int, heading: bool) -> Iterator[TextPiece]:
    end = offset + len(text)
    if len(text) > _LONGEST_SENTENCE:
        role = PieceRole.CLAIM if any(map(str.isalnum, text)) else PieceRole.GAP
    elif _COMMAND.match(text):
        role = PieceRole.QUOTE
    else:
        role = role_of(text, masked, whole_sentence=not heading)
        if heading and role is not PieceRole.SUMMARY:
            role = PieceRole.HEADING
        if role is PieceRole.CLAIM:
            yield from _of_clauses(text, masked, offset)
            return
    yield TextPiece(role, offset, end)


def _of_clauses(text: str, masked: str, offset: int) -> Iterator[TextPiece]:
    under: _Spans = ()
    previous = PieceRole.CLAIM
    for clause in clauses(text, masked):
        said = text[clause.start : clause.end]
        lead = text[slice(*clause.lead)] if clause.lead else ""
        role = clause.role if clause.role is PieceRole.HEADING else role_of(said, mask(said))
        if clause.link is Link.LIST and role is not PieceRole.GAP:
            role = previous
        elif role is PieceRole.ADVICE and is_denial(lead):
            role = PieceRole.CLAIM
        sentence = (offset, offset + len(text))
        yield (piece := clause.moved(offset, role=role, under=under, sentence=sentence))
        previous = role
        if clause.role is PieceRole.HEADING:
            under = (*under, (piece.start, piece.end))
