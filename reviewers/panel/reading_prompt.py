"""What a model is asked to read claims, and what its answer makes of them.

It sees the vocabulary, the submission's symbols and the review, and no code: so it can read, but
not judge.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from reviewers.backends.base import AnswerForm, Message
from reviewers.bundles.json_text import JsonProblem, parse_json_at
from reviewers.outcomes.masking import without_keys
from reviewers.panel.fencing import fence_of, prefixed, shown_path
from reviewers.panel.tokens import estimate
from reviewers.propositions import PREDICATES, InvalidReading, parse, schema
from reviewers.propositions.evaluators.tables import table
from reviewers.readers.reading import Reading
from reviewers.readers.validation import Validation
from reviewers.records import Submission

TEMPLATE = "reading/1"
_LONGEST_ANSWER = 2_000_000
_LONGEST_REVIEW = 60_000
_LONGEST_CLAIM = 4_000
_MOST_ABSENT = 60
_CONNECTIVES: tuple[tuple[str, Mapping[str, Any], str], ...] = (
    ("not", {"not": {"p": "exists", "file": "src/model.py"}}, "it is not so"),
    ("all", {"all": ["…", "…"]}, "all of these are so, the main one first"),
    ("any", {"any": ["…", "…"]}, "one of these is so at least"),
    (
        "every",
        {"every": "run", "in": None, "holds": {"p": "has_key", "where": "run:$run", "key": "lr"}},
        "it holds of each run, mode, file or key; `in` lists some of them, null means all",
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
class Asked:
    """Claims of one review, to be read together.

    Attributes:
        said: the whole review.
        claims: the reviewer's words, by the number under which they are asked.
    """

    said: str
    claims: Mapping[int, str]
    messages: tuple[Message, ...]

    @property
    def tokens(self) -> int:
        """Estimated size of all messages."""
        return sum(estimate(message.text) + 4 for message in self.messages)


@dataclass(frozen=True)
class Answered:
    """What an answer makes of the claims.

    Attributes:
        readings: of the claims that could be read, by number.
        refused: why the others could not, by number.
    """

    readings: Mapping[int, Reading]
    refused: Mapping[int, str]


def questions(
    submission: Submission, said: str, claims: Sequence[str], symbols: str, at_once: int
) -> list[Asked]:
    """Return what is asked of the claims of one review: so many at once, each time with all of it.

    Args:
        symbols: of the submission, a line each.
    """
    fence = fence_of(submission)
    system = Message("system", _system())
    numbered = list(enumerate(claims, 1))
    asked = []
    for first in range(0, len(numbered), at_once):
        some = dict(numbered[first : first + at_once])
        parts = [
            f"=== {fence} symbols of the submission",
            prefixed(symbols),
            f"=== {fence} the whole review",
            prefixed(said[:_LONGEST_REVIEW]),
            *(
                f"=== {fence} claim {number}\n{prefixed(claim[:_LONGEST_CLAIM])}"
                for number, claim in some.items()
            ),
            f"=== {fence} end of the claims",
            "Read the claims now.",
        ]
        text = without_keys("\n".join(parts))
        asked.append(Asked(said, some, (system, Message("user", text))))
    return asked


def again(asked: Asked, answer: str, refused: Mapping[int, str]) -> Asked:
    """Return the question that shows a model what of its answer cannot be a reading, and why."""
    why = "\n".join(f"> claim {number}: {shown_path(told)}" for number, told in refused.items())
    question = (
        f"These readings were refused, for the reason given:\n{why}\n"
        "Read these claims again, in the same form; give null with `why_not` where none fits."
    )
    claims = {number: asked.claims[number] for number in refused}
    before = Message("assistant", without_keys(prefixed(answer[:_LONGEST_REVIEW])))
    messages = (*asked.messages, before, Message("user", without_keys(question)))
    return Asked(asked.said, claims, messages)


@cache
def answer_form() -> AnswerForm:
    """The form of an answer, generated from the vocabulary."""
    proposition = schema()
    entry = {
        "claim": {"type": "integer"},
        "proposition": {"anyOf": [{"$ref": "#/$defs/proposition"}, {"type": "null"}]},
        "absent": {"type": "array", "items": {"type": "string"}},
        "why_not": {"type": ["string", "null"]},
    }
    readings = {"type": "array", "items": _object(entry)}
    form = {"$defs": proposition["$defs"], **_object({"readings": readings})}
    return AnswerForm("areachair_readings", form)


def read_answer(submission: Submission, asked: Asked, answer: str, reader: str) -> Answered:
    """Return what an answer makes of the claims; whatever is refused has its reason."""
    try:
        entries = _entries(answer)
    except JsonProblem as problem:
        return Answered({}, dict.fromkeys(asked.claims, f"the answer cannot be read: {problem}"))
    validation = Validation(submission, asked.said)
    readings: dict[int, Reading] = {}
    refused = dict.fromkeys(asked.claims, "the answer leaves it out")
    for entry in entries:
        number = entry.get("claim")
        if isinstance(number, bool) or not isinstance(number, int) or number not in refused:
            continue
        absent = entry.get("absent")
        names = absent[:_MOST_ABSENT] if isinstance(absent, list) else []
        try:
            reading = _reading(entry, reader)
        except InvalidReading as problem:
            refused[number] = str(problem)
            continue
        problem_ = reading.proposition and validation.problem(
            reading.proposition,
            asked.claims[number],
            {name for name in names if isinstance(name, str)},
        )
        if problem_:
            refused[number] = problem_
        else:
            readings[number] = reading
            del refused[number]
    return Answered(readings, refused)


def _reading(entry: Mapping[str, object], reader: str) -> Reading:
    if entry.get("proposition") is None:
        why = entry.get("why_not")
        told = why[:300] if isinstance(why, str) and why.strip() else "the vocabulary cannot say it"
        return Reading(reader=reader, why_not=told)
    return Reading(reader=reader, proposition=parse(entry["proposition"]))


def _entries(answer: str) -> list[Mapping[str, object]]:
    if len(answer) > _LONGEST_ANSWER:
        raise JsonProblem(f"it is longer than {_LONGEST_ANSWER:,} characters")
    start = answer.find("{")
    if start < 0:
        raise JsonProblem("it holds no JSON object")
    value, _ = parse_json_at(answer, start)
    entries = value.get("readings") if isinstance(value, dict) else None
    if not isinstance(entries, list):
        raise JsonProblem("it has no list `readings`")
    return [entry for entry in entries if isinstance(entry, dict)]


def readable(answer: str) -> bool:
    """Whether an answer has the form at all: one that has not is not worth keeping."""
    try:
        return bool(_entries(answer))
    except JsonProblem:
        return False


@cache
def _system() -> str:
    text = resources.files(__package__).joinpath("templates", "reading_1.txt").read_text("utf-8")
    return text.strip().replace("{vocabulary}", "\n".join(_vocabulary()))


def _vocabulary() -> Iterator[str]:
    yield "Predicates, each with an example; arguments with `?` may be left out:"
    for predicate in PREDICATES.values():
        example = json.dumps({"p": predicate.name, **predicate.example})
        about = " ".join(predicate.about.split("\n\n")[0].split())
        yield f"- {predicate.name}({predicate.takes.replace(' ', ', ')}): {about} {example}"
    told = {
        name: parameter.about
        for predicate in PREDICATES.values()
        for name, parameter in predicate.parameters.items()
    }
    yield "Arguments: " + "; ".join(f"{name}: {about}" for name, about in told.items()) + "."
    yield "A text may hold `*` for anything, and `|` between alternatives."
    listed = [f"{one.name}, {name}" for one in PREDICATES.values() for name in one.values or ()]
    yield f"`only` can be checked of these predicates and holes: {'; '.join(listed)}."
    yield f"Activities of `does`: {', '.join(table('activities'))}."
    yield (
        "A scope is `code` (everywhere), a file, `file::qualified.name`, or an object with file,"
        " name, mode and run; in `every`, $run, $mode, $file or $key stands for the value."
    )
    yield "What joins them:"
    for name, joined, about in _CONNECTIVES:
        yield f"- {name}: {about}. {json.dumps(joined, ensure_ascii=False)}"


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
