"""A claim as it is understood: its own words, what stands around them, and what they speak of."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from reviewers.claims.cited import Cited, over, with_every_part
from reviewers.claims.clauses import Link
from reviewers.claims.kinds import OTHER, Kind, kinds, rank
from reviewers.claims.roles import Role, plain
from reviewers.claims.split import Piece, split
from reviewers.claims.subjects import Subjects, subjects
from reviewers.claims.thoughts import whole_thoughts
from reviewers.records import Submission
from reviewers.steps import spend

_LONGEST = 600
"""Of a longer claim only so many characters are looked at; its words are kept whole."""
MOST_READ = 30_000
"""Characters of a review's claims that are looked at; real reviews have a few thousand."""
_STEPS_OF_A_CLAIM = 50
_LONGEST_RUN = 200
_RUN = re.compile(rf"\S{{{_LONGEST_RUN + 1},}}")
_SPACES = re.compile(r"[^\S\n]{2,}")
_LINES = re.compile(r"(?<![^\S\n])[^\S\n]*\n\s*")
_HEADINGS_READ = 2
_POINTING = re.compile(
    r"^(?:so |thus |therefore |hence |and |but |because of (?:this|that) |consequently |as a"
    r" (?:result|"
    r"consequence),? )*(?:this|that|it|they|these|which|the"
    r" (?:same|script|file|class|method|function|call|code|"
    r"key|bug|statement)|its|such|at present they|causing|leading|resulting)\b"
)
_HEDGE = re.compile(
    r"\b(?:may|might|could|possibly|potential(?:ly)?|likely|perhaps|probably|seems?|appears?"
    r" to|risk\w*|can)\b"
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim.

    Attributes:
        written: the reviewer's own words, `review[start:end]`.
        text: the same as they are looked at; see `readable`.
        lead: words elsewhere in the review that complete it; empty where it is complete.
        under: the headings and labels above it, outermost first.
        before: the words of the same paragraph or item that stand before it, nearest last.
        block: number of that paragraph or item.
        thought: start and end of the whole thought of which it is part.
        sentence: the whole sentence in which it stands.
        said: lead and text in lower case, without emphasis marks: the form for looking at wording.
        own: what its own words, its lead and its own label speak of.
        around: what the words before it and the headings speak of, nearest first.
        kinds: the kinds it may be of, best first.
        cited: the place that the reviewer gave for it apart from its words.
        understood: whether it was looked at; a review may have more than can be.
        asserts: whether its words say that something is wrong; what only advises or sums up can be
            located but not checked.
    """

    index: int
    written: str
    text: str
    start: int
    end: int
    link: Link
    lead: str
    under: tuple[str, ...]
    before: tuple[str, ...]
    block: int
    sentence: str
    said: str
    own: Subjects
    around: tuple[Subjects, ...]
    kinds: tuple[Kind, ...]
    cited: Cited | None = None
    asserts: bool = True
    understood: bool = True
    thought: tuple[int, int] = (0, 0)

    @property
    def kind(self) -> Kind:
        """The kind that fits best."""
        return self.kinds[0]

    @property
    def points_back(self) -> bool:
        """Whether it speaks of what was said just before: "this …", "so …", "… will raise
        KeyError".
        """
        if self.link is Link.SO or _POINTING.match(plain(self.text)) is not None:
            return True
        return bool(
            self.before
            and self.own.errors
            and not self.own.quotes
            and set(self.own.names) <= set(self.own.errors)
        )

    @property
    def hedged(self) -> bool:
        """Whether it says only that something may be."""
        return _HEDGE.search(self.said) is not None

    @property
    def files(self) -> tuple[str, ...]:
        """The files it is about: its own, else those of the words around it, nearest first."""
        if self.own.files:
            return self.own.files
        if self.own.hinted:
            return self.own.hinted
        for near in self.around:
            if near.files or near.hinted:
                return near.files or near.hinted
        return ()

    @property
    def names(self) -> tuple[str, ...]:
        """Its identifiers; those of the words around it where it points back and has none."""
        return self._first("names")

    @property
    def quotes(self) -> tuple[str, ...]:
        """Its quotes; those of the words around it where it points back and has none."""
        return self._first("quotes")

    def _first(self, field_name: str) -> tuple[str, ...]:
        found: tuple[str, ...] = getattr(self.own, field_name)
        if found or not self.points_back or not self.around:
            return found
        nearest: tuple[str, ...] = getattr(self.around[0], field_name)
        return nearest


def readable(text: str) -> str:
    """Return a text as claims are looked at: its first characters, without runs of white space, and
    of what no word, name or piece of code can be only the beginning.

    What looks for wording may take quadratic time over one run of letters, digits or spaces, so no
    run is long.
    """
    text = _SPACES.sub(" ", _LINES.sub("\n", text[:_LONGEST]))
    return _RUN.sub(lambda run: run.group()[:_LONGEST_RUN], text)


def read_claims(
    text: str,
    submission: Submission,
    defined: Collection[str],
    most: int,
    cited: Sequence[Cited] = (),
) -> Iterator[Claim]:
    """Cut a review into claims and understand the first so many, and so many characters; the others
    keep their words and are of no kind.

    Args:
        defined: names of the submission's functions and classes.
        cited: places given for parts of the text; each part makes at least one claim.
    """
    paths = tuple(submission.by_path)
    runs = tuple(run.run_id for run in submission.runs)

    @lru_cache(maxsize=256)
    def about(words: str) -> Subjects:
        return subjects(words[:_LONGEST], paths, runs, defined)

    before: list[Piece] = []
    index = read = 0
    told_apart = [(each.start, each.end) for each in cited]
    pieces = tuple(with_every_part(split(text, told_apart), cited))
    thoughts = whole_thoughts(text, pieces, cited)
    for piece in pieces:
        if piece.role is Role.GAP:
            continue
        if (
            before
            and piece.block != before[-1].block
            and not (before[-1].role is Role.QUOTE and before[-1].under == piece.under)
        ):
            before = []
        if piece.role in (Role.CLAIM, Role.STATED):
            spend(_STEPS_OF_A_CLAIM)
            read += min(piece.end - piece.start, _LONGEST)
            claim = _claim(text, piece, before, about, index, index < most and read <= MOST_READ)
            part = over(piece.start, piece.end, cited)
            own = claim.own if part is None else part.added_to(claim.own, paths)
            asserts, thought = piece.role is Role.CLAIM, next(thoughts)
            yield replace(claim, own=own, cited=part, asserts=asserts, thought=thought)
            index += 1
        before = [*before[-2:], piece]


def _claim(
    text: str,
    piece: Piece,
    before: list[Piece],
    about: Callable[[str], Subjects],
    index: int,
    understood: bool,
) -> Claim:
    words = readable(text[piece.start : piece.end])
    lead = readable(text[piece.lead[0] : piece.lead[1]]) if piece.lead else ""
    follows = bool(piece.lead and piece.lead[0] >= piece.end)
    whole = f"{words} {lead}" if follows else f"{lead} {words}" if lead else words
    headings = [readable(text[start:end]) for start, end in piece.under]
    before_it = tuple(readable(text[each.start : each.end]) for each in before)
    context = " ".join(headings[-_HEADINGS_READ:])[:300]
    said = plain(whole)
    return Claim(
        index=index,
        written=text[piece.start : piece.end],
        text=words,
        start=piece.start,
        end=piece.end,
        link=piece.link,
        lead=lead,
        under=tuple(headings),
        before=before_it,
        block=piece.block,
        sentence=plain(readable(text[piece.sentence[0] : piece.sentence[1]])) or said,
        said=said,
        own=about(whole) if understood else Subjects(),
        around=tuple(map(about, (*reversed(before_it), *reversed(headings)))) if understood else (),
        kinds=tuple(kind for kind, _ in rank(said, context)) if understood else (kinds()[OTHER],),
        understood=understood,
    )
