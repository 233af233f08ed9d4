"""Whole thoughts: which statements of a review are parts of one finding.

What one sentence says is one thought; so are the consequences that the next sentences draw from it,
and the sentences of one list item. What a reviewer told apart itself is one, whatever it says.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewers.claims.cited import Cited, over
from reviewers.claims.roles import Role, is_sweeping, plain
from reviewers.claims.split import Piece

_LOOKED_AT = 400
_MOST_NAMES = 100
_FILE = re.compile(r"[\w./*{}<>-]*\w\.(?:py|ya?ml|toml|json|txt|md|pdf)\b")
_CODE = re.compile(r"`[^`\n]{1,80}`|\w+(?:\.[A-Za-z_]\w*)+|\w+_\w+|\w*[a-z][A-Z]\w*")
_NAME = re.compile(r"[A-Za-z_]\w{2,}")
_GOES_ON = re.compile(
    r"(?:and |but |yet )?(?:so|thus|therefore|hence|consequently|accordingly|as a (?:result|"
    r"consequence)|because of (?:this|that)|this|that|these|those|it|its|they|their|which|such|"
    r"the (?:same|latter|former)|causing|leading|resulting|making|raising|in (?:turn|particular|"
    r"other words)|for (?:example|instance)|e\.g\.|i\.e\.|specifically|namely|even|only|instead|"
    r"however|but|yet|nor|later|then|there)\b"
)
_BEGINS_ANEW = re.compile(
    r"(?:and )?(?:also|additionally|in addition|furthermore|further|moreover|besides|apart from|"
    r"secondly|thirdly|finally|lastly|another|separately|similarly|likewise)\b"
)


@dataclass(slots=True)
class _Open:
    """A thought while it grows: its first piece, its last one, and the code that it names."""

    first: Piece
    last: Piece
    part: Cited | None
    names: set[str]
    is_sweeping: bool


def whole_thoughts(
    text: str, pieces: Sequence[Piece], cited: Sequence[Cited] = ()
) -> Iterator[tuple[int, int]]:
    """Yield for each statement of a review, in order, where the thought stands of which it is part.

    Args:
        cited: what the reviewer told apart itself.
    """
    thoughts: list[_Open] = []
    sizes: list[int] = []
    for piece in pieces:
        if piece.role not in (Role.CLAIM, Role.STATED):
            continue
        said = plain(text[piece.start : min(piece.end, piece.start + _LOOKED_AT)])
        part = over(piece.start, piece.end, cited)
        names = _names(text[piece.start : piece.end])
        praises = is_sweeping(said)
        if thoughts and _goes_on(thoughts[-1], piece, part, said, names, praises):
            thoughts[-1].last = piece
            sizes[-1] += 1
            if len(thoughts[-1].names) < _MOST_NAMES:
                thoughts[-1].names |= names
        else:
            thoughts.append(_Open(piece, piece, part, names, praises))
            sizes.append(1)
    for thought, size in zip(thoughts, sizes, strict=True):
        part = thought.part
        start, end = (thought.first.start, thought.last.end) if part is None else _span(part)
        yield from [(start, end)] * size


def _span(part: Cited) -> tuple[int, int]:
    return part.start, part.end


def _goes_on(
    thought: _Open, piece: Piece, part: Cited | None, said: str, names: set[str], praises: bool
) -> bool:
    """Whether a statement goes on with a thought, or begins one of its own."""
    last = thought.last
    if part is not None or thought.part is not None:
        return part == thought.part
    if piece.block != last.block or praises or thought.is_sweeping:
        return False
    is_one_sentence = piece.sentence == last.sentence and piece.sentence[1] > 0
    if _BEGINS_ANEW.match(said) and not (is_one_sentence and piece.lead):
        return False
    if is_one_sentence:
        return piece.counted == last.counted
    return piece.listed or _GOES_ON.match(said) is not None or bool(names & thought.names)


def _names(text: str) -> set[str]:
    """What of the code a statement names, files aside: they say too little."""
    code = _CODE.findall(_FILE.sub(" ", text[:_LOOKED_AT]))
    return {name for each in code for name in _NAME.findall(each)[-1:]}
