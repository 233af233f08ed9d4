"""Parses a recorded answer: the JSON object in which a reviewer gave its verdict. Nothing is
guessed.
"""

import json
import re

from reviewers.bundles.json_text import JsonProblem, parse_json_at, readable
from reviewers.records import RecordedAnswer, Verdict

_MAX_OBJECTS = 50
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_VERDICT_KEY = re.compile(r"(\w+_)?ready")
_TEXT_KEY = re.compile(r"(\w+_)?issues?")
NO_VERDICT = "it contains no JSON object that says whether the code is ready"
_OPENS_AN_ANSWER = re.compile(r'\{\s*"[\w -]*ready"\s*:', re.IGNORECASE)


def read_answer(raw: str, model: str | None = None) -> RecordedAnswer:
    """Read a verdict and its reasons from an answer, which may be in a code fence or between
    other words.

    What cannot be read, breaks off or contradicts itself has no verdict but a failure; it is never
    taken for "not ready".
    """
    if not raw.strip():
        return RecordedAnswer(
            raw=raw, verdict=None, failure="the log contains no answer", model=model
        )
    try:
        verdict, text = _only_answer(raw)
    except JsonProblem as problem:
        return RecordedAnswer(
            raw=raw, verdict=None, failure=f"the answer cannot be read: {problem}", model=model
        )
    return RecordedAnswer(raw=raw, verdict=verdict, text=text, model=model)


def _only_answer(raw: str) -> tuple[Verdict, str | None]:
    answers: list[tuple[Verdict, str | None]] = []
    problem: JsonProblem | None = None
    at = raw.find("{")
    for _ in range(_MAX_OBJECTS):
        if at < 0:
            break
        try:
            value, end = parse_json_at(raw, at)
        except JsonProblem as error:
            # Braces in prose are not an answer; one that broke off must not be passed over for
            # one quoted inside it.
            if _OPENS_AN_ANSWER.match(raw, at):
                raise
            problem = problem or error
            end = at + 1
        else:
            if isinstance(value, dict) and (answer := _answer_in(value)):
                answers.append(answer)
        at = raw.find("{", end)
    if not answers:
        raise problem or JsonProblem(NO_VERDICT)
    if len({verdict for verdict, _ in answers}) > 1:
        raise JsonProblem("it gives two verdicts that contradict each other")
    return answers[-1]


def _answer_in(value: dict[str, object]) -> tuple[Verdict, str | None] | None:
    named = {
        _CAMEL.sub("_", key).lower().replace("-", "_").replace(" ", "_"): item
        for key, item in value.items()
    }
    said = {_as_bool(key, item) for key, item in named.items() if _VERDICT_KEY.fullmatch(key)}
    if not said:
        return None
    if len(said) > 1:
        raise JsonProblem("it gives two verdicts that contradict each other")
    texts = [_as_text(item) for key, item in named.items() if _TEXT_KEY.fullmatch(key)]
    text = "\n".join(text for text in texts if text.strip())
    return (Verdict.READY if said.pop() else Verdict.NOT_READY), text or None


def _as_bool(key: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    raise JsonProblem(f"{key!r} is neither true nor false")


def _as_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        # A NUL or half a surrogate pair is escaped in the raw answer, but no store and no screen
        # takes it unescaped.
        return readable(value)
    if isinstance(value, list):
        return "\n".join(_as_text(item) for item in value)
    return readable(json.dumps(value, ensure_ascii=False))
