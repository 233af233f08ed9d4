"""The prompt that asks a model to read claims, and the parser of its answer.

The model sees the vocabulary, the submission's symbols and the review, but no code: it can read
claims, not judge them.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from typing import Any

from reviewers.backends.base import AnswerForm, Message
from reviewers.bundles.json_text import JsonProblem, parse_json, values_in
from reviewers.claims.claim import words_above
from reviewers.facts.activities import table
from reviewers.outcomes.masking import without_keys
from reviewers.panel.fencing import as_written, fence_of, prefixed, shown_path
from reviewers.panel.tokens import estimate
from reviewers.propositions import PREDICATES, InvalidReading, parse, schema
from reviewers.propositions.parameters import MOST_CHARACTERS
from reviewers.propositions.reading import MOST_DEEP
from reviewers.propositions.vocabulary import Predicate
from reviewers.readers.reading import Reading
from reviewers.readers.validation import Validation
from reviewers.readers.variants import usual_form
from reviewers.records import Submission

_LONGEST_ANSWER = 2_000_000
_LONGEST_REVIEW = 60_000
_LONGEST_CLAIM = 4_000
_REFERENCE = "claim"
_MOST_NESTED = 4 * MOST_DEEP  # of JSON, references and lists counted
_READINGS = re.compile(r'"readings"\s*:\s*\[')
_FIRST_WORDS = 3
_FEW_WORDS = 8  # of a claim that may want its sentence to be understood
_AROUND = 250  # characters of a sentence on each side of a claim
_SENTENCE_END = re.compile(r"[.!?]\s+|\n(?=\s*(?:[-*•–]\s|\d{1,3}[.)]\s|\n))")
_AGAIN = (
    "You have read the review's claims, and these readings were refused, each for the reason that"
    " stands below it; the others were accepted. Read these claims once more, in the same form;"
    " give null with `why_not` where none fits. A reading that was refused for what it denies, or"
    " for `only`, is taken if you give it again unchanged: do so where it says what the claim says."
)
_WHEN_TRUE = re.compile(r"True where (.*?)(?:[;.] [Ff]alse where\b|; never false\b|\.$)")
_REFERS = re.compile(r'\{"claim": (\d{1,9})\}')
_CLAIM = re.compile(r'\{\s*"claim"\s*:\s*(\d{1,9})\s*,')
_CONNECTIVES: tuple[tuple[str, Mapping[str, Any], str], ...] = (
    ("not", {"not": {"p": "exists", "file": "src/model.py"}}, "it is not so"),
    ("all", {"all": ["…", "…"]}, "all of these are so, the main one first"),
    ("any", {"any": ["…", "…"]}, "one of these is so at least"),
    (
        "every",
        {"every": "run", "in": None, "holds": {"p": "has_key", "where": "run:$run", "key": "lr"}},
        "it holds of each run, mode, file or key; `in` lists some of them, null means all of the"
        " submission's own; of keys it lists them",
    ),
    (
        "only",
        {
            "only": {"p": "logs", "scope": "src/train.py", "key": "?"},
            "hole": "key",
            "are": ["loss"],
        },
        "nothing else fills this argument",
    ),
    ("because", {"because": "…", "then": "…"}, "the first is so and leads to the second"),
    ("would", {"would": "…"}, "it would be so if the place were reached"),
    ("possible", {"possible": "…"}, "it may be so, on some start"),
)


@dataclass(frozen=True)
class AskedClaims:
    """Claims of one review, to be read together.

    Attributes:
        said: the whole review.
        claims: the reviewer's words, by the number under which they are asked.
        fence: the word that heads each part of the message.
        material: the symbols of the submission and the review, headed.
        told: by claim what was answered before, and why that is no reading.
        read: what an earlier answer says of others, which may be referred to.
    """

    said: str
    claims: Mapping[int, str]
    fence: str
    material: str
    told: Mapping[int, str] = field(default_factory=dict)
    read: Mapping[int, Mapping[str, object]] = field(default_factory=dict)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The vocabulary, and the claims below all that they may speak of."""
        asked = "\n".join(_claims(self.fence, self.said, self.claims, self.told))
        order = _AGAIN if self.told else "Read the claims now."
        text = f"{self.material}\n{asked}\n=== {self.fence} end of the claims\n{order}"
        return Message("system", _system()), Message("user", without_keys(text))

    @property
    def tokens(self) -> int:
        """Estimated size of all messages."""
        return sum(estimate(message.text) + 4 for message in self.messages)


@dataclass(frozen=True)
class ReadingAnswer:
    """What an answer makes of the claims.

    Attributes:
        readings: of the claims that could be read, by number.
        refused: why the others could not, by number.
    """

    readings: Mapping[int, Reading]
    refused: Mapping[int, str]


def questions(
    submission: Submission, said: str, claims: Sequence[str], symbols: str, at_once: int
) -> list[AskedClaims]:
    """Return what is asked of the claims of one review: so many at once, each time with all of it.

    Args:
        symbols: of the submission, a line each.
    """
    fence = fence_of(submission)
    material = "\n".join(
        [
            f"=== {fence} symbols of the submission",
            prefixed(symbols),
            f"=== {fence} the whole review",
            prefixed(said[:_LONGEST_REVIEW]),
        ]
    )
    numbered = list(enumerate(claims, 1))
    return [
        AskedClaims(said, dict(numbered[first : first + at_once]), fence, material)
        for first in range(0, len(numbered), at_once)
    ]


def _claims(
    fence: str, said: str, claims: Mapping[int, str], told: Mapping[int, str]
) -> Iterator[str]:
    """The claims; above those of a few words the sentence out of which they are cut, once, and
    below those that are asked again what was told of them.
    """
    last = ""
    for number, claim in claims.items():
        whole = _sentence(said, claim)
        if whole and whole != last:
            yield f"=== {fence} sentence\n{prefixed(whole)}"
        last = whole or last
        yield f"=== {fence} claim {number}\n{prefixed(claim[:_LONGEST_CLAIM])}"
        if number in told:
            yield f"=== {fence} refused reading of claim {number}\n{prefixed(told[number])}"


def _sentence(said: str, claim: str) -> str:
    """What stands around a claim of a few words; empty where that says no more."""
    words = claim.split()
    if not 0 < len(words) < _FEW_WORDS:
        return ""
    found = re.search(r"\s+".join(map(re.escape, words)), said)
    if found is None:
        return ""
    before, after = said[: found.start()], said[found.end() :]
    start = max((each.end() for each in _SENTENCE_END.finditer(before)), default=0)
    end = _SENTENCE_END.search(after)
    before, after = before[start:][-_AROUND:], after[: end.start() + 1] if end else after
    whole = f"{before}{found[0]}{after[:_AROUND]}".strip()
    return whole if len(whole.split()) > len(words) else ""


def again(asked: AskedClaims, answer: str, refused: Mapping[int, str]) -> AskedClaims:
    """Return the question that shows a model which of its readings cannot be any, and why; what was
    accepted stays and is not asked again.
    """
    read = _by_number(answer)
    told = {}
    for number, why in refused.items():
        given = json.dumps(read.get(number, {}).get("proposition"), ensure_ascii=False)
        told[number] = f"{given[:_LONGEST_CLAIM]}\n{shown_path(why)}"
    claims = {number: asked.claims[number] for number in refused}
    return replace(asked, claims=claims, told=told, read=read)


@cache
def answer_form() -> AnswerForm:
    """The form of an answer, generated from the vocabulary."""
    definitions = dict(schema()["$defs"])
    said = definitions["proposition"]["anyOf"]
    definitions["proposition"] = {"anyOf": [*said, _object({_REFERENCE: {"type": "integer"}})]}
    entry = {
        "claim": {"type": "integer"},
        "begins": {"type": "string"},
        "proposition": {"anyOf": [{"$ref": "#/$defs/proposition"}, {"type": "null"}]},
        "why_not": {"type": ["string", "null"]},
    }
    readings = {"type": "array", "items": _object(entry)}
    form = {"$defs": definitions, **_object({"readings": readings})}
    return AnswerForm("areachair_readings", form)


def read_answer(
    submission: Submission, asked: AskedClaims, answer: str, reader: str
) -> ReadingAnswer:
    """Return what an answer makes of the claims; whatever is refused has its reason."""
    try:
        entries = list(_entries(answer))
    except JsonProblem as problem:
        return ReadingAnswer(
            {}, dict.fromkeys(asked.claims, f"the answer cannot be read: {problem}")
        )
    validation = Validation(submission, asked.said, words_above(asked.said))
    told = {**asked.read, **_by_number(answer)}
    references = _References(told, asked.claims, submission.by_path)
    found: dict[int, Reading | str] = {}
    for number, entry in entries:
        if number not in asked.claims:
            continue
        claim = asked.claims[number]
        read = entry if isinstance(entry, str) else _reading(entry, claim, references, reader)
        if isinstance(read, Reading) and read.proposition is not None:
            words = references.words(number)
            insists = (
                number in asked.told
                and _says_again(asked.read.get(number), entry)
                and not validation.is_plain(read.proposition, claim)
            )
            read = (
                validation.unknown(read.proposition)
                or ("" if insists else validation.doubt(read.proposition, claim, words))
                or read
            )
        is_same = found.setdefault(number, read) == read
        found[number] = read if is_same else "the answer reads it twice, in two ways"
    refused = {
        number: why
        for number in asked.claims
        if isinstance(why := found.get(number, "the answer leaves it out"), str)
    }
    return ReadingAnswer(
        {n: read for n, read in found.items() if isinstance(read, Reading)}, refused
    )


def _says_again(first: Mapping[str, object] | None, second: object) -> bool:
    """Whether an entry gives the proposition that was refused once more."""
    key = "proposition"
    return first is not None and isinstance(second, dict) and first.get(key) == second.get(key)


def _by_number(answer: str) -> dict[int, Mapping[str, object]]:
    """The entries of an answer that can be read, the first of each claim."""
    found: dict[int, Mapping[str, object]] = {}
    try:
        for number, entry in _entries(answer):
            if not isinstance(entry, str):
                found.setdefault(number, entry)
    except JsonProblem:
        pass
    return found


class _References:
    """Puts the propositions of an answer in the place of the numbers that stand for them."""

    def __init__(
        self,
        entries: Mapping[int, Mapping[str, object]],
        claims: Mapping[int, str],
        paths: Collection[str],
    ) -> None:
        self._entries = entries
        self._claims = claims
        self._paths = paths
        self._whole: dict[int, object] = {}

    def whole(self, value: object, deep: int = _MOST_NESTED) -> object:
        """A proposition that refers to no other claim.

        Raises:
            InvalidReading: a claim has none to refer to, or claims refer to each other in a circle.
        """
        if deep == 0:
            raise InvalidReading("nested too deep, or claims that refer to each other in a circle")
        match value:
            case {"claim": number, **rest} if not rest:
                return self._of(number if type(number) is int else 0, deep - 1)
            case dict():
                return {name: self.whole(each, deep - 1) for name, each in value.items()}
            case list():
                return [self.whole(each, deep - 1) for each in value]
        return value

    def words(self, number: int) -> str:
        """The words of the claims to which a claim's proposition refers."""
        said = json.dumps(self._entries.get(number, {}).get("proposition"))
        return "\n".join(self._claims.get(int(one), "") for one in _REFERS.findall(said))

    def _of(self, number: int, deep: int) -> object:
        entry = self._entries.get(number)
        if entry is None:
            raise InvalidReading(f"claim {number} has no proposition to refer to")
        if number not in self._whole:
            said = entry.get("proposition")
            if said is None:  # what cannot be said can be neither true nor false
                said = {"p": "judgement", "text": self._claims.get(number, "…")[:MOST_CHARACTERS]}
            self._whole[number] = self.of(said, deep)
        return self._whole[number]

    def of(self, said: object, deep: int = _MOST_NESTED) -> object:
        """What an entry gives as its proposition, as it is parsed."""
        return self.whole(usual_form(_as_written(said), self._paths), deep)


def _reading(
    entry: Mapping[str, object], claim: str, references: _References, reader: str
) -> Reading | str:
    """How an entry reads a claim, or why that cannot be."""
    if not _begins(claim, entry.get("begins")):
        return f"`begins` has other words than this claim, which begins {claim[:40]!r}"
    if entry.get("proposition") is None:
        why = entry.get("why_not")
        told = why[:300] if isinstance(why, str) and why.strip() else "the vocabulary cannot say it"
        return Reading(reader=reader, why_not=told)
    try:
        proposition = parse(references.of(entry["proposition"]))
    except InvalidReading as problem:
        return str(problem)
    return Reading(reader=reader, proposition=proposition)


def _begins(claim: str, told: object) -> bool:
    """Whether an entry repeats its claim's first words: models miscount."""
    words, said = _tokens(without_keys(claim)), _tokens(told if isinstance(told, str) else "")
    return len(said) >= min(len(words), _FIRST_WORDS) and words[: len(said)] == said


def _tokens(text: str) -> list[str]:
    """Words between white space, quotes and full stops around them aside."""
    return [word.strip("`'\"‘’“”*.,:;") or word for word in text.casefold().split()]


def _as_written(value: object) -> object:
    """JSON with each character that was shown as a mark as it stands in the submission."""
    match value:
        case str():
            return as_written(value)
        case list():
            return [_as_written(each) for each in value]
        case dict():
            return {name: _as_written(each) for name, each in value.items()}
    return value


def _entries(answer: str) -> Iterator[tuple[int, Mapping[str, object] | str]]:
    """The entries of an answer, each with the number of its claim; a text is why it is none."""
    if len(answer) > _LONGEST_ANSWER:
        raise JsonProblem(f"it is longer than {_LONGEST_ANSWER:,} characters")
    if "{" not in answer:
        raise JsonProblem("it holds no JSON object")
    begins = _READINGS.search(answer)
    if begins is None:
        raise JsonProblem("it has no list `readings`")
    for text in values_in(answer, begins.end() - 1):
        try:
            entry = parse_json(text)
        except JsonProblem as problem:
            if said := _CLAIM.match(text):
                yield int(said[1]), f"it cannot be read: {problem}"
            continue
        number = entry.get("claim") if isinstance(entry, dict) else None
        if isinstance(number, int) and not isinstance(number, bool):
            assert isinstance(entry, dict)
            yield number, entry


def readable(answer: str) -> bool:
    """Whether an answer has the form at all: one that has not is not worth keeping."""
    try:
        return any(True for _ in _entries(answer))
    except JsonProblem:
        return False


@cache
def _system() -> str:
    text = resources.files(__package__).joinpath("templates", "reading_5.txt").read_text("utf-8")
    return text.strip().replace("{vocabulary}", "\n".join(_vocabulary()))


def _vocabulary() -> Iterator[str]:
    yield "Predicates, when they are so, an example; arguments with `?` may be left out:"
    for predicate in PREDICATES.values():
        example = json.dumps({"p": predicate.name, **predicate.example})
        takes = predicate.takes.replace(" ", ", ")
        yield f"- {predicate.name}({takes}): {_meaning(predicate)} {example}"
    told = {
        name: parameter.about
        for predicate in PREDICATES.values()
        for name, parameter in predicate.parameters.items()
    }
    yield "Arguments: " + "; ".join(f"{name}: {about}" for name, about in told.items()) + "."
    yield (
        "A value that is a text has no quotes of its own: of `cache_dir='.cache/'` it is"
        ' {"name": "cache_dir", "value": ".cache/"}; numbers, true and false are JSON, all else is'
        " told as code."
    )
    yield (
        "In a text `*` stands for what is left out and `|` between alternatives, of which one is"
        " enough. An argument of a predicate that may be anything is left out; that a call gives an"
        " argument at all is `*` as its value."
    )
    listed = [f"{one.name}, {name}" for one in PREDICATES.values() for name in one.values or ()]
    yield f"`only` can be checked of these predicates and holes: {'; '.join(listed)}."
    for what in ("activities", "figures", "metrics"):
        yield f"Known {what}: {', '.join(table(what))}."
    yield (
        "A scope is `code` (everywhere), a file, `file::qualified.name`, or, for one mode or run,"
        " an object with file (`code`, too), name, mode and run; in `every`, $run, $mode, $file or"
        " $key stands for the value."
    )
    yield "What joins them:"
    for name, joined, about in _CONNECTIVES:
        yield f"- {name}: {about}. {json.dumps(joined, ensure_ascii=False)}"


def _meaning(predicate: Predicate) -> str:
    """When a predicate is so; of one that never is, what is known to deny it."""
    about = " ".join(predicate.about.split("\n\n")[0].split())
    found = _WHEN_TRUE.match(about)
    return f"{found[1]}." if found else about


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
