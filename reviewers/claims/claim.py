"""A statement of a review, with what stands around it that a reader needs."""

from collections.abc import Sequence
from dataclasses import dataclass

from reviewers.claims.cited import Cited, over, with_every_part
from reviewers.claims.clauses import Link
from reviewers.claims.roles import Role
from reviewers.claims.split import split
from reviewers.claims.thoughts import whole_thoughts
from reviewers.steps import spend

_STEPS_OF_A_CLAIM = 50


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement.

    Attributes:
        written: the reviewer's own words, `review[start:end]`.
        lead: words elsewhere in the review that complete it; empty where it is complete.
        is_led: whether they stand before it.
        under: the headings and labels above it, outermost first.
        block: number of the paragraph or item in which it stands.
        thought: start and end of the whole thought of which it is part.
        cited: the place that the reviewer gave for it apart from its words.
        asserts: whether its words say that something is so; what only advises or sums up has a
            place, and is not checked.
    """

    written: str
    start: int
    end: int
    link: Link
    lead: str
    is_led: bool
    under: tuple[str, ...]
    block: int
    thought: tuple[int, int]
    cited: Cited | None
    asserts: bool

    @property
    def words(self) -> str:
        """The statement with what completes it."""
        if not self.lead:
            return self.written
        return f"{self.lead} {self.written}" if self.is_led else f"{self.written} {self.lead}"


def read_claims(text: str, cited: Sequence[Cited] = ()) -> list[Claim]:
    """Cut a review into statements.

    Args:
        cited: places given for parts of the text; each part makes at least one statement.
    """
    told_apart = [(each.start, each.end) for each in cited]
    pieces = tuple(with_every_part(split(text, told_apart), cited))
    thoughts = whole_thoughts(text, pieces, cited)
    found = []
    for piece in pieces:
        if piece.role not in (Role.CLAIM, Role.STATED):
            continue
        spend(_STEPS_OF_A_CLAIM)
        lead = piece.lead or (0, 0)
        found.append(
            Claim(
                written=text[piece.start : piece.end],
                start=piece.start,
                end=piece.end,
                link=piece.link,
                lead=text[slice(*lead)],
                is_led=lead[0] < piece.end,
                under=tuple(text[start:end] for start, end in piece.under),
                block=piece.block,
                thought=next(thoughts),
                cited=over(piece.start, piece.end, cited),
                asserts=piece.role is Role.CLAIM,
            )
        )
    return found
