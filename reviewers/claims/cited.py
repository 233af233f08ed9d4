"""Where a reviewer says that a part of its review belongs, given apart from its words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from reviewers.claims.clauses import TextPiece
from reviewers.claims.roles import PieceRole


@dataclass(frozen=True, slots=True)
class Cited:
    """A place given for a part of a review.

    Attributes:
        start, end: the part, in characters of the review's text, the end excluded.
        file: as the reviewer writes it; None where it names none.
        line, end_line: 1-based, both included; None where it names none.
        quote: the code that it says stands there; None where it quotes none.
    """

    start: int
    end: int
    file: str | None = None
    line: int | None = None
    end_line: int | None = None
    quote: str | None = None


def over(start: int, end: int, cited: Sequence[Cited]) -> Cited | None:
    """Return the citation of the part that a stretch of the review touches; None where there is
    none.
    """
    return next((each for each in cited if each.start < end and start < each.end), None)


def with_every_part(pieces: Sequence[TextPiece], cited: Sequence[Cited]) -> Iterator[TextPiece]:
    """Yield the pieces, those of a cited part in which no claim was found as one: a reviewer
    reported it, so it counts.
    """
    claims = [piece for piece in pieces if piece.role is PieceRole.CLAIM]
    silent = [each for each in cited if not any(over(one.start, one.end, [each]) for one in claims)]
    told: set[int] = set()
    for piece in pieces:
        part = over(piece.start, piece.end, silent)
        if part is None:
            yield piece
        elif part.start not in told:
            told.add(part.start)
            # A message may begin with a command.
            role = PieceRole.CLAIM if piece.role is PieceRole.QUOTE else PieceRole.STATED
            start, end = part.start, part.end
            yield replace(piece, role=role, start=start, end=end, lead=None, sentence=(start, end))
