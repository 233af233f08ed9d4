"""Whole thoughts: which statements of a review are parts of one finding.

One sentence is one thought, together with the consequences that the next sentences draw from it; so
are the sentences of one list item. A part that the reviewer itself marks as one finding is one
thought, whatever it says.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewers.claims.cited import Cited, over
from reviewers.claims.clauses import TextPiece
from reviewers.claims.quoting import CODE
from reviewers.claims.roles import is_sweeping, plain
from reviewers.claims.wording import begins_with, wording

_LOOKED_AT = 400
_MOST_NAMES = 100
_FILE = re.compile(r"[\w./*{}<>-]*\w\.(?:py|ya?ml|toml|json|txt|md|pdf)\b")
_NAME = re.compile(r"[A-Za-z_]\w{2,}")


@dataclass(slots=True)
class _Thought:
    """A thought while it grows: its pieces, what the reviewer told apart, the code it names."""

    pieces: list[TextPiece]
    part: Cited | None
    names: set[str]
    is_sweeping: bool


def whole_thoughts(
    text: str, claims: Sequence[TextPiece], cited: Sequence[Cited] = ()
) -> Iterator[tuple[int, int]]:
    """Yield for each statement of a review, in order, where the thought stands of which it is part.

    Args:
        claims: the pieces that are statements.
        cited: what the reviewer told apart itself.
    """
    thoughts: list[_Thought] = []
    for piece in claims:
        written = text[piece.start : min(piece.end, piece.start + _LOOKED_AT)]
        said, part = plain(written), over(piece.start, piece.end, cited)
        own = _Thought([piece], part, _names(written), is_sweeping(said))
        if not thoughts or not _goes_on(thoughts[-1], own, said):
            thoughts.append(own)
            continue
        thoughts[-1].pieces.append(piece)
        if len(thoughts[-1].names) < _MOST_NAMES:
            thoughts[-1].names |= own.names
    for thought in thoughts:
        first, last = thought.part or thought.pieces[0], thought.part or thought.pieces[-1]
        yield from [(first.start, last.end)] * len(thought.pieces)


def _goes_on(thought: _Thought, own: _Thought, said: str) -> bool:
    """Whether a statement goes on with a thought, or begins one of its own."""
    last, piece = thought.pieces[-1], own.pieces[0]
    if own.part is not None or thought.part is not None:
        return own.part == thought.part
    if piece.block != last.block or own.is_sweeping or thought.is_sweeping:
        return False
    is_one_sentence = piece.sentence == last.sentence and piece.sentence[1] > 0
    if begins_with(said, wording()["begins_anew"]) and not (is_one_sentence and piece.lead):
        return False
    if is_one_sentence:
        return piece.counted == last.counted
    goes_on = begins_with(said, wording()["goes_on"])
    return piece.listed or goes_on or bool(own.names & thought.names)


def _names(text: str) -> set[str]:
    """What of the code a statement names, files aside: they say too little."""
    code = CODE.findall(_FILE.sub(" ", text))
    return {name for each in code for name in _NAME.findall(each)[-1:]}
