"""A statement of a review, with what stands around it that a reader needs."""

from collections.abc import Sequence
from dataclasses import dataclass

from reviewers.claims.cited import Cited, over, with_every_part
from reviewers.claims.clauses import Link, TextPiece
from reviewers.claims.roles import PieceRole
from reviewers.claims.split import split
from reviewers.claims.thoughts import whole_thoughts
from reviewers.steps import spend

_STEPS_OF_A_CLAIM = 50


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement.

    Attributes:
        written: the reviewer's own words.
        piece: where in the review they stand, and how they hang on what is before them.
        lead: words elsewhere in the review that complete it; empty where it is complete.
        under: the headings and labels above it, outermost first.
        thought: start and end of the whole thought of which it is part.
        cited: the place that the reviewer gave for it apart from its words.
    """

    written: str
    piece: TextPiece
    lead: str
    under: tuple[str, ...]
    thought: tuple[int, int]
    cited: Cited | None

    @property
    def words(self) -> str:
        """The statement with what completes it."""
        is_led = self.piece.lead is not None and self.piece.lead[0] < self.piece.end
        said = (self.lead, self.written) if is_led else (self.written, self.lead)
        return " ".join(filter(None, said))


def head_of(statements: Sequence[Claim]) -> int:
    """Return which statement of a thought is its head: of "… but …" what follows."""
    return next((at for at, each in enumerate(statements) if each.piece.link is Link.BUT), 0)


def words_above(text: str) -> dict[str, str]:
    """What stands above the statements of a review, by their words: headings, labels, and the
    beginning of the sentence of which a list is the end.
    """
    found: dict[str, str] = {}
    for each in read_claims(text):
        above = " ".join((found.get(each.written, ""), *each.under, each.lead)).strip()
        found[each.written] = above
    return found


def read_claims(text: str, cited: Sequence[Cited] = ()) -> list[Claim]:
    """Cut a review into statements.

    Args:
        cited: places given for parts of the text; each part makes at least one statement.
    """
    told_apart = [(each.start, each.end) for each in cited]
    pieces = tuple(with_every_part(split(text, told_apart), cited))
    claims = [each for each in pieces if each.role in (PieceRole.CLAIM, PieceRole.STATED)]
    spend(_STEPS_OF_A_CLAIM * len(claims))
    return [
        Claim(
            text[piece.start : piece.end],
            piece,
            text[slice(*piece.lead)] if piece.lead else "",
            tuple(text[start:end] for start, end in piece.under),
            thought,
            over(piece.start, piece.end, cited),
        )
        for piece, thought in zip(claims, whole_thoughts(text, claims, cited), strict=True)
    ]
