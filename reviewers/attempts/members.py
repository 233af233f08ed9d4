"""The features of a submission by which its lineage is recognised, and the key under which the
lineage is stored.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from reviewers.records import OWN_GENERATOR, OWN_SOURCE, Submission, Verdict, lines_of

_WORD = re.compile(r"\w+")
_PLAIN_WORD = re.compile(r"[a-z0-9]+")
_PLAIN_ENOUGH = 8
"""Words in plain letters that a text must have before its other letters are passed over."""
_LONGEST_TEXT = 50_000
_SHORTEST_LINE = 4
_MOST_LINES = 20_000
_NAME = re.compile(r"[A-Za-z_]\w{2,}")


@dataclass(frozen=True)
class Member:
    """A submission, as one that may be an attempt among others.

    Attributes:
        id: what the caller knows it by; of two members with one id the later one is dropped.
        lineage, attempt: as its name says; None if the name says nothing.
        hypothesis: field name to text, as in the research context.
        method: the method's text; None if there is none.
        runs: the ids of its runs, in any order.
        digest: hash of its files and run configs; members of one lineage with one digest are copies
            of one attempt.
        position: its place in the order that its source gives, such as the number of a commit, of a
            line in a file, or seconds since 1970; None if the source gives none. Only compared
            within a lineage, where no member has an attempt's number.
        files: text by path; needed only to find an order that neither names nor positions give.
        answers: what reviewers said of it, for the same purpose.
        ready: whether one of these answers found it ready.
        repaired: of an attempt as we repaired it the beginning of the id of that attempt; None for
            what was given.
    """

    id: str
    lineage: str | None = None
    attempt: int | None = None
    hypothesis: Mapping[str, str] = field(default_factory=dict)
    method: str | None = None
    runs: tuple[str, ...] = ()
    digest: str = ""
    position: float | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    answers: tuple[str, ...] = ()
    ready: bool = False
    repaired: str | None = None

    @cached_property
    def wording(self) -> str:
        """The method's words, one space between them."""
        return words_of(self.method or "")

    @cached_property
    def lines(self) -> Counter[tuple[str, str]]:
        """How often each line of code is in each file; spacing at its ends and the shortest
        lines do not count.
        """
        found = (
            (path, line.strip())
            for path, text in sorted(self.files.items())
            for line in lines_of(text)
        )
        counted = [pair for pair in found if len(pair[1]) >= _SHORTEST_LINE]
        return Counter(counted[:_MOST_LINES])

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name in its code."""
        return frozenset(name for _, line in self.lines for name in _NAME.findall(line))

    @cached_property
    def spoken_of(self) -> frozenset[str]:
        """Every name that its reviewers used."""
        return frozenset(
            name for answer in self.answers for name in _NAME.findall(answer[:_LONGEST_TEXT])
        )


def member_of(
    submission: Submission, id: str | None = None, position: float | None = None
) -> Member:
    """Return a submission as a member.

    A text that was decoded wrongly once counts as repaired, so that it is a copy of what was
    decoded well.

    Args:
        id: what the caller knows it by; the submission's own id where None.
        position: see `Member`.
    """
    files = {path: file.reading for path, file in submission.by_path.items()}
    content = "\0".join(f"{path}\0{len(text)}\0{text}" for path, text in sorted(files.items()))
    return Member(
        id=submission.id if id is None else id,
        lineage=submission.lineage,
        attempt=submission.attempt,
        hypothesis=submission.context.hypothesis,
        method=submission.context.method,
        runs=tuple(run.run_id for run in submission.runs),
        digest=_hash(content),
        position=position,
        files={file.path: file.reading for file in submission.files},
        answers=tuple(answer.text for answer in submission.recorded if answer.text),
        ready=any(answer.verdict is Verdict.READY for answer in submission.recorded),
        repaired=original_of(submission.generator, submission.source),
    )


def original_of(generator: str | None, source: str | None) -> str | None:
    """Return the beginning of the id of what was repaired; None for what was given."""
    return (source or "").removeprefix(OWN_SOURCE) if generator == OWN_GENERATOR else None


def candidates_key(member: Member) -> str:
    """Return the key that all members share which may be attempts at one experiment with this one.

    `recognise` joins no two members of different keys unless a person's decision does. So a store
    keeps the key beside each submission, with an index on it, and hands over only those of the new
    one's key (and those that decisions tie to them): the lineages come out the same as of all
    submissions together.

    The key is made of what the experiment is stated in, the hypothesis or else the method, and of
    the run ids. A submission that brings neither can only be recognized by its name's lineage; one
    without a name stands alone.

    Returns:
        32 hexadecimal digits.
    """
    stated = [
        f"{words_of(name)}:{words_of(text)}"
        for name, text in sorted(member.hypothesis.items())
        if words_of(text)
    ]
    if stated or member.wording:
        return _hash(
            "\0".join(("stated", *(stated or [member.wording]), "\0", *sorted(set(member.runs))))
        )[:32]
    if member.lineage is not None:
        return _hash(f"named\0{member.lineage}")[:32]
    return _hash(f"alone\0{member.digest or member.id}")[:32]


def words_of(text: str) -> str:
    """Return a text's words in lower case; in a text of plain letters, signs that a wrong decoding
    may spoil do not count.
    """
    folded = unicodedata.normalize("NFC", text[:_LONGEST_TEXT]).casefold()
    plain = _PLAIN_WORD.findall(folded)
    return " ".join(plain if len(plain) >= _PLAIN_ENOUGH else _WORD.findall(folded))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
