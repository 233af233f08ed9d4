"""Whether two findings speak of one defect: the same place, predicate, names, words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import pairwise
from pathlib import PurePosixPath

from rapidfuzz import fuzz

from reviewers.claims import defect_keys
from reviewers.claims.missed import covers
from reviewers.records import Check, Finding, Found, Span
from reviewers.rubric import UNCATEGORISED

_CLOSE = 3
"""Lines between two places that may still be one, as for missed blockers."""
_LONGEST_PLACE = 40
"""Lines; a longer place says little of where a defect is."""
_LONGEST_WORDING = 400
"""Characters of a message that are compared."""
_LONGEST_GAP = 8
"""Characters between two claims of one sentence: a comma, a bullet, an "and"."""

_RUNS = ("config/runs/", "config/run/")
_SURE = frozenset({Found.LINE, Found.QUOTE, Found.NEAR, Found.DEFINITION, Found.USE, Found.PROOF})
"""Places that a claim names itself or that decide it; the others were only guessed."""
_QUOTED = re.compile(r"`([^`\n]{1,80})`")
_CODE_LIKE = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+|\w*[a-z0-9]_\w+|\w*[a-z][A-Z]\w*")
_WORD = re.compile(r"[^\W\d]\w+")
_FILE = re.compile(
    r"[\w./{}<>*-]*\.(?:py|ya?ml|toml|json|txt|md|pdf)\b|\bsrc\.\w+|\bconfig/runs?/[\w.-]*"
)
_COMMAND = re.compile(r"^(?:uv|python\d?) ")
_ERROR = re.compile(r"\b\w+(?:Error|Exception)\b")
_NO_NAME = re.compile(
    "cfg|run|src|self|import|from|def|class|return|none|true|false|the|optuna|wandb|hydra|omegaconf|pytorch|huggingface|python|"
    "config|train|evaluate|main|model|preprocess|pyproject"
)
_SAYS_NOTHING = re.compile(
    "a|an|and|are|as|at|be|because|but|by|for|from|has|have|in|is|it|its|no|not|of|on|or|so|that|the|there|therefore|this|to|"
    "was|which|will|with|would"
)
_CONSEQUENCE = re.compile(
    r"(?:so|therefore|thus|hence|causing|which|leading|resulting|will|would|as a"
    r" (?:consequence|result)|because of (?:this|that)|"
    r"this|consequently|making|raising|raises|throws|throwing|crashing|stops|breaking|may"
    r" fail|violating|"
    r"(?:the )?(?:code|program|script|run|training|pipeline) (?:will"
    r" )?(?:crash|fail|stop|break)(?:es|s)?)\b",
    re.IGNORECASE,
)


class Nearness(IntEnum):
    """How two findings lie to each other."""

    ELSEWHERE = 0  # in different files
    UNKNOWN = 1  # one of them has no place
    SAME_FILE = 2  # at lines apart
    MAYBE = 3  # one is about the whole file, or where it stands was only guessed
    SAME_PLACE = 4


@dataclass(frozen=True)
class ReviewerFinding:
    """A finding in the mouth of a reviewer.

    Attributes:
        place: which of the reviewer's findings it is, from 0.
    """

    finding: Finding
    reviewer: str = ""
    place: int = 0

    @property
    def refuted(self) -> bool:
        """Whether its fact check says no."""
        return self.finding.check.result is Check.REFUTED

    @cached_property
    def statements(self) -> tuple["ReviewerFinding", ...]:
        """Its parts that are not refuted, each by itself; itself where it has none."""
        parts = self.finding.statements
        held = [part for part in parts if part.check.result is not Check.REFUTED] or parts
        if not self.finding.parts:
            return (self,)
        return tuple(ReviewerFinding(part, self.reviewer, self.place) for part in held)

    @cached_property
    def says(self) -> tuple[str, bool] | None:
        """The predicate of what it says; None where that tells nothing of a defect."""
        return defect_keys.predicate_of(self.finding)

    @cached_property
    def order(self) -> tuple[object, ...]:
        """Puts what is best fit to stand for a row first; never equal for two findings of a
        reviewer.
        """
        finding, span = self.finding, self.finding.span
        return (
            finding.rule is None,
            (Check.CONFIRMED, Check.UNVERIFIED, Check.REFUTED).index(finding.check.result),
            finding.severity.rank,
            finding.category == UNCATEGORISED,
            *((span.file, span.line or 0, span.end_line or 0) if span else ("", 0, 0)),
            finding.id,
            finding.message,
            self.reviewer,
            self.place,
        )

    @cached_property
    def is_fragment(self) -> bool:
        """Whether its words make sense only after others."""
        message = self.finding.message
        return len(message.split()) < 4 or _CONSEQUENCE.match(message) is not None

    @cached_property
    def words(self) -> frozenset[str]:
        """What it says, in lower case, without files and words that say nothing."""
        text = _FILE.sub(" ", self.finding.message[:_LONGEST_WORDING])
        words = {word.lower() for word in _WORD.findall(text)}
        return frozenset(word for word in words if not _SAYS_NOTHING.fullmatch(word))

    @cached_property
    def wording(self) -> str:
        """Its words in one line; empty where they are too few to be compared."""
        return " ".join(sorted(self.words)) if len(self.words) > 1 else ""

    @cached_property
    def topics(self) -> frozenset[tuple[str, str]]:
        """What it speaks of by two words in a row, such as a confusion matrix; plural and singular
        are one.
        """
        words = [
            word.lower().rstrip("s")
            for word in _WORD.findall(self.finding.message[:_LONGEST_WORDING])
        ]
        return frozenset((one, two) for one, two in pairwise(words) if min(len(one), len(two)) > 4)

    @cached_property
    def names(self) -> frozenset[str]:
        """What of the code it names, in lower case."""
        message = self.finding.message[:_LONGEST_WORDING]
        text = _ERROR.sub(" ", _FILE.sub(" ", message))
        quoted = [code for code in _QUOTED.findall(text) if not _COMMAND.match(code)]
        found = {
            word.lower()
            for code in (*quoted, *_CODE_LIKE.findall(_QUOTED.sub(" ", text)))
            for word in _WORD.findall(code)
        }
        stands_in = self.finding.span.file if self.finding.span else ""
        files = {
            PurePosixPath(path).stem.lower()
            for path in _FILE.findall(message)
            if not stands_in.endswith(path)
        }
        return frozenset(name for name in found | files if not _NO_NAME.fullmatch(name))

    @cached_property
    def spans(self) -> tuple[tuple[Span, bool], ...]:
        """Where it may stand, each with whether that is sure."""
        finding, found = self.finding, self.finding.places[0].found if self.finding.places else None
        sure = finding.rule is not None or found is None or found in _SURE
        shown = finding.check.span
        places = [(finding.span, sure)] if finding.span else []
        if shown and shown != finding.span:
            places.append((shown, True))
        return tuple((span, sure and _length(span) <= _LONGEST_PLACE) for span, sure in places)

    @cached_property
    def grounds(self) -> tuple[object, ...]:
        """What a finding of the same defect may share with it, what says most first; two that share
        none are never compared.
        """
        return tuple(dict.fromkeys(g for said in self.statements for g in said._grounds()))

    def _grounds(self) -> Iterator[object]:
        yield "id", self.finding.id
        yield from defect_keys.grounds_of(self.finding)
        for span, _ in self.spans:
            if span.line is not None:
                first, last = span.line // 10, (span.end_line or span.line) // 10
                yield from (
                    ("lines", span.file, tens)
                    for tens in range(first - 1, min(last, first + 5) + 2)
                )
        for span, _ in self.spans:
            yield "file", span.file, self.says
        if self.says:
            yield "says", self.says
        yield "category", self.finding.category


def sameness(one: ReviewerFinding, other: ReviewerFinding) -> float:
    """How surely two findings speak of one defect: 0 for not at all, else more than 50 and at most
    100.

    A claim and a rule's finding do so only where `missed_blockers` lets the claim cover the
    finding.
    """
    if one.finding.id == other.finding.id:
        return 100.0
    rules = [said for said in (one, other) if said.finding.rule is not None]
    if len(rules) == 2:
        return 95.0 if _one_rule_over_again(one.finding, other.finding) else 0.0
    if defect_keys.say_the_same(one.finding, other.finding):
        return 99.0
    return max(
        _alike(mine, its) if not rules or _may_mean(mine, its) else 0.0
        for mine in one.statements
        for its in other.statements
    )


def _may_mean(one: ReviewerFinding, other: ReviewerFinding) -> bool:
    """Whether of a claim and a rule's finding the one may mean the other."""
    claim, found = (one, other) if one.finding.rule is None else (other, one)
    return covers(claim.finding, found.finding)


def opposed(one: ReviewerFinding, other: ReviewerFinding) -> bool:
    """Whether one is confirmed and the other refuted."""
    return {one.finding.check.result, other.finding.check.result} == {
        Check.CONFIRMED,
        Check.REFUTED,
    }


def say_the_same(one: ReviewerFinding, other: ReviewerFinding) -> bool:
    """Whether a confirmed and a refuted finding say the same of the same place, and so contradict
    each other.
    """
    if one.finding.id == other.finding.id:
        return True
    near = _nearness(one, other) is Nearness.SAME_PLACE
    return (
        near
        and one.says == other.says is not None
        and _share_names(one, other) is not False
        and _wording(one, other) >= 70
    )


def continues(said: ReviewerFinding, sentence: Sequence[ReviewerFinding]) -> bool:
    """Whether a claim only draws the consequence of those before it, or goes on about the same
    thing at the same place.
    """
    before, here = sentence[-1].finding.claim_at, said.finding.claim_at
    if before is None or here is None or not 0 <= here[0] - before[1] <= _LONGEST_GAP:
        return False
    if any(opposed(said, other) for other in sentence):
        return False
    last, nearness = sentence[-1], _nearness(said, sentence[-1])
    if last.finding.kind == "sound":  # nothing follows from it
        return False
    if _CONSEQUENCE.match(said.finding.message):
        return nearness is not Nearness.ELSEWHERE or UNCATEGORISED in (
            said.finding.category,
            last.finding.category,
        )
    return nearness >= Nearness.MAYBE and _share_names(said, last) is True


def _alike(one: ReviewerFinding, other: ReviewerFinding) -> float:
    near, shared, wording = _nearness(one, other), _share_names(one, other), _wording(one, other)
    # In short sentences about two names most words are alike: then the names tell them apart.
    alike = -1.0 if shared is False else wording
    surer = near + 5 * (shared is True) + wording / 5
    if one.says == other.says is not None:
        enough = {
            Nearness.SAME_PLACE: alike >= 0,
            Nearness.MAYBE: shared or alike >= 60,
            Nearness.SAME_FILE: alike >= (60 if shared else 70),
            Nearness.UNKNOWN: shared or alike >= 65,
            Nearness.ELSEWHERE: bool(shared) and alike >= 75,
        }
        return 70 + surer if enough[near] else 0.0
    categories = {one.finding.category, other.finding.category}
    # What nobody has read is filed by what it names, and that may be of another category.
    is_unread = any(said.says is None for said in (one, other))
    if UNCATEGORISED in categories or len(categories) == 1 or is_unread:
        # What a rule found at this very place is what a claim may mean that nobody has read.
        by_rule = is_unread and any(said.finding.rule for said in (one, other))
        telling = any(
            len(word) > 5 and not _NO_NAME.fullmatch(word) for word in one.words & other.words
        )
        least = (
            0
            if by_rule and telling
            else 60 - 10 * bool(shared) - 20 * (len(one.names & other.names) > 1)
        )
        enough = {
            Nearness.SAME_PLACE: alike >= least,
            Nearness.MAYBE: alike >= 75 or (by_rule and bool(one.topics & other.topics)),
            Nearness.UNKNOWN: alike >= 90,
        }
    else:
        enough = {Nearness.SAME_PLACE: alike >= (60 if shared else 75), Nearness.MAYBE: alike >= 90}
    return 50 + surer if enough.get(near) else 0.0


def _one_rule_over_again(one: Finding, other: Finding) -> bool:
    """A rule that says the very same of several run configs found one omission, not several."""
    places = [finding.span.file for finding in (one, other) if finding.span is not None]
    in_runs = len(places) == 2 and all(place.startswith(_RUNS) for place in places)
    return in_runs and one.rule == other.rule and one.message == other.message


def _nearness(one: ReviewerFinding, other: ReviewerFinding) -> Nearness:
    if not one.spans or not other.spans:
        return Nearness.UNKNOWN
    return max(_between(here, there) for here in one.spans for there in other.spans)


def _between(one: tuple[Span, bool], other: tuple[Span, bool]) -> Nearness:
    (here, sure_here), (there, sure_there) = one, other
    if here.file != there.file:
        return Nearness.ELSEWHERE
    if here.line is None or there.line is None:
        return Nearness.MAYBE
    if not here.is_near(there, _CLOSE):
        return Nearness.SAME_FILE
    return Nearness.SAME_PLACE if sure_here and sure_there else Nearness.MAYBE


def _length(span: Span) -> int:
    return 0 if span.line is None else (span.end_line or span.line) - span.line + 1


def _share_names(one: ReviewerFinding, other: ReviewerFinding) -> bool | None:
    """Whether both name the same of the code; None where one of them names nothing."""
    if one.names & (other.names | other.words) or other.names & one.words:
        return True
    return False if one.names and other.names else None


def _wording(one: ReviewerFinding, other: ReviewerFinding) -> float:
    """How alike their words are, 0 to 100, in whatever order; 0 where one has too few."""
    return (
        fuzz.token_set_ratio(one.wording, other.wording) if one.wording and other.wording else 0.0
    )
