"""What a model's answer says, read without guessing: either form, whichever was asked for."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reviewers.backends.configured import Form
from reviewers.bundles.answer import NO_VERDICT, read_answer
from reviewers.bundles.json_text import JsonProblem, parse_json_at
from reviewers.claims.report import ClaimsReport
from reviewers.panel.stated import Stated, StatedFinding, as_text, over
from reviewers.records import Failure, Severity, Verdict
from reviewers.rubric import UNCATEGORISED, rubric, rubric_number
from reviewers.rubric.contract import Contract

if TYPE_CHECKING:
    from reviewers.facts import Facts

_LONGEST_ANSWER = 2_000_000
_MOST_OBJECTS = 200
_MOST_FINDINGS = 300
_LONGEST_MESSAGE = 4_000
_LONGEST_QUOTE = 4_000
_LONGEST_PATH = 500
_LARGEST_LINE = 10_000_000
_LONGEST_LINES = 40
_MOST_DIGITS = 9
_OPENS_AN_ANSWER = re.compile(r'\{\s*"(?:verdict|findings|[\w -]*ready)"\s*:', re.IGNORECASE)
_OPENS_AN_OBJECT = re.compile(r'\{\s*"[^"\n]{0,80}"\s*:')
_THOUGHTS = re.compile(r"\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL)
_READY_KEY = re.compile(r"(is_)?([a-z]+_)*ready")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NOT_A_WORD = re.compile(r"[^a-z0-9]+")
_UNREADABLE = re.compile("[\0\ud800-\udfff]")
_OTHER_NAMES = {
    "path": "file",
    "description": "message",
    "issue": "message",
    "start_line": "line",
    "lines": "line",
    "code": "quote",
}


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A model's answer.

    Attributes:
        verdict: None exactly where `failure` says why there is none.
        text: readable text in which its claims stand; None where it claims nothing.
        stated: what it said of stretches of that text apart from the words; empty for free text.
        reader: who reads its claims where it gives a proposition beside one: the model's name.
    """

    verdict: Verdict | None
    failure: str | None
    text: str | None
    stated: tuple[Stated, ...] = ()
    reader: str = "model"


def read_reply(text: str, form: Form) -> ModelAnswer:
    """Read a verdict and its reasons from an answer, which may stand in a code fence or between
    other words.

    A model that answers in the other form than it was asked for is understood all the same. What
    cannot be read, breaks off or contradicts itself is a failure; "ready" beside blockers is the
    model's own word and stays.

    Args:
        form: that was asked for; decides which form is missed where neither is found.
    """
    if len(text) > _LONGEST_ANSWER:
        return _failed(f"it is longer than {_LONGEST_ANSWER:,} characters")
    words = text[thoughts.end() :] if (thoughts := _THOUGHTS.match(text)) else text
    try:
        found = [answer for value in _objects(words) if (answer := _findings_in(value)) is not None]
    except JsonProblem as problem:
        return _failed(str(problem))
    if not found:
        return _free_text(words, form)
    if len({verdict for verdict, _ in found}) > 1:
        return _failed("it gives two verdicts that contradict each other")
    verdict, findings = found[-1]
    readable, stated = as_text(findings)
    return ModelAnswer(verdict, None, readable or None, stated)


def joined(answers: Sequence[ModelAnswer]) -> ModelAnswer:
    """Return the answers on the parts of one submission as one: ready where every part is,
    unreadable where one is.
    """
    failed = next((answer for answer in answers if answer.verdict is None), None)
    if failed is not None or len(answers) == 1:
        return failed or answers[0]
    texts: list[str] = []
    stated: list[Stated] = []
    position = 0
    for answer in answers:
        if answer.text:
            texts.append(answer.text)
            stated += [each.moved(position) for each in answer.stated]
            position += len(answer.text) + 2
    verdict = (
        Verdict.READY
        if all(answer.verdict is Verdict.READY for answer in answers)
        else Verdict.NOT_READY
    )
    return ModelAnswer(verdict, None, "\n\n".join(texts) or None, tuple(stated))


def check_answer(answer: ModelAnswer, facts: "Facts", failures: Sequence[Failure]) -> ClaimsReport:
    """Return every claim of an answer as a finding with its place and fact check, in the order of
    its text, and what was not looked at to the end.

    Args:
        failures: what is known to stop a documented command, in the order of a run.
    """
    # They take a second to load, and who only reads answers does without them.
    from reviewers.claims.check import cut_claims
    from reviewers.claims.understanding import understood
    from reviewers.facts.fingerprint import distinct, named_as_read
    from reviewers.panel.own_readings import own_readings

    if answer.text is None:
        return ClaimsReport()
    cut = cut_claims(answer.text, facts, [stated.cited for stated in answer.stated])
    stated = [_by_rubric(each, facts.contract) for each in answer.stated]
    findings = tuple(over(cut.findings, stated))
    read = own_readings(findings, stated, facts.submission, answer.text, answer.reader)
    judged = understood(findings, read, facts, failures, answer.text)
    partial = tuple(dict.fromkeys((*cut.partial, *judged.partial)))
    named = (named_as_read(each) if each.id in read else each for each in judged.findings)
    return ClaimsReport(tuple(distinct(named)), partial, cut.timed_out or judged.timed_out)


def _by_rubric(stated: Stated, contract: Contract) -> Stated:
    """The model's criterion, which is one of the contract's, as the rubric's that asks the same."""
    said = stated.finding
    number = said.criterion and rubric_number(contract, said.criterion)
    return replace(stated, finding=replace(said, criterion=number))


def _failed(problem: str) -> ModelAnswer:
    return ModelAnswer(None, f"the answer cannot be read: {problem}", None)


def _free_text(words: str, form: Form) -> ModelAnswer:
    recorded = read_answer(words)
    if recorded.verdict is not None:
        return ModelAnswer(recorded.verdict, None, recorded.text)
    if not words.strip():
        return _failed("it is empty")
    failure = recorded.failure or ""
    if form == "findings" and failure.endswith(NO_VERDICT):
        return _failed("it contains no JSON object with a verdict and findings")
    return ModelAnswer(None, failure, None)


def _objects(text: str) -> list[dict[str, object]]:
    """The JSON objects in a text, outermost ones only.

    Raises:
        JsonProblem: an answer, or the object that may hold it, broke off: what is quoted inside it
            is not the answer.
    """
    found: list[dict[str, object]] = []
    at, tried = text.find("{"), 0
    while at >= 0:
        is_answer = _OPENS_AN_ANSWER.match(text, at)
        end = at + 1
        if is_answer or tried < _MOST_OBJECTS:
            tried += 1
            try:
                value, end = parse_json_at(text, at)
            except JsonProblem as problem:
                if is_answer or (
                    _OPENS_AN_OBJECT.match(text, at) and str(problem).endswith("it breaks off")
                ):
                    raise
            else:
                if isinstance(value, dict):
                    found.append(value)
        at = text.find("{", end)
    return found


def _findings_in(value: Mapping[str, object]) -> tuple[Verdict, list[StatedFinding]] | None:
    """Verdict and findings of an object, or of the only object in it; None where it is no answer of
    this form.

    Raises:
        JsonProblem: it is one, and something in it has the wrong type.
    """
    named = _named(value)
    if "findings" not in named and "verdict" not in named:
        inner = [item for item in named.values() if isinstance(item, dict)]
        return _findings_in(inner[0]) if len(inner) == 1 and len(named) == 1 else None
    verdicts = {
        _verdict(key, item)
        for key, item in named.items()
        if key == "verdict" or _READY_KEY.fullmatch(key)
    }
    if not verdicts:
        raise JsonProblem("it gives findings but no verdict")
    if len(verdicts) > 1:
        raise JsonProblem("it gives two verdicts that contradict each other")
    findings = named.get("findings")
    if findings is None:
        findings = []
    if not isinstance(findings, list):
        raise JsonProblem("'findings' is not a list")
    return verdicts.pop(), [_finding(each) for each in findings[:_MOST_FINDINGS]]


def _named(value: Mapping[str, object]) -> dict[str, object]:
    return {
        _CAMEL.sub("_", key).strip().lower().replace("-", "_").replace(" ", "_"): item
        for key, item in value.items()
    }


def _verdict(key: str, value: object) -> Verdict:
    word = _word(value)
    if key == "verdict" and word in ("ready", "not_ready"):
        return Verdict(word)
    if key != "verdict" and word in ("true", "false"):
        return Verdict.READY if word == "true" else Verdict.NOT_READY
    raise JsonProblem(
        f"{key!r} is"
        f" {'neither ready nor not_ready' if key == 'verdict' else 'neither true nor false'}"
    )


def _finding(value: object) -> StatedFinding:
    """A finding; a field that makes no sense is left out, for the finding itself was meant.

    Raises:
        JsonProblem: it is neither an object nor a text.
    """
    if isinstance(value, str):
        return StatedFinding(message=_text(value, _LONGEST_MESSAGE))
    if not isinstance(value, dict):
        raise JsonProblem("a finding is neither an object nor a text")
    named = _named(value)
    for other, name in _OTHER_NAMES.items():
        if other in named and name not in named:
            named[name] = named[other]
    line, last = _lines(named.get("line"))
    end_line = _lines(named.get("end_line"))[1] or last
    criterion = _lines(named.get("criterion"))[0]
    category = _word(named.get("category")).replace("_", "-")
    severity = _word(named.get("severity"))
    return StatedFinding(
        message=_text(named.get("message"), _LONGEST_MESSAGE),
        criterion=criterion,
        category=category if category in rubric().categories else UNCATEGORISED,
        severity=Severity(severity) if severity in list(Severity) else Severity.MAJOR,
        file=_text(named.get("file"), _LONGEST_PATH).strip() or None,
        line=line,
        end_line=max(line, end_line or line) if line is not None else None,
        quote=_text(named.get("quote"), _LONGEST_QUOTE).strip("\n") or None,
        proposition=named.get("proposition"),
    )


def _lines(value: object) -> tuple[int | None, int | None]:
    """First and last number of `12`, `"12"`, `"12-15"` or `[12, 15]`; None for what is none."""
    if isinstance(value, str):
        value = re.findall(r"\d+", value[:_LONGEST_LINES])
    values = value if isinstance(value, list) else [value]
    numbers = [
        number
        for each in values
        if (number := _number(each)) is not None and 0 < number <= _LARGEST_LINE
    ]
    return (numbers[0], numbers[-1]) if numbers else (None, None)


def _number(value: object) -> int | None:
    """A whole number; digits by the thousand are none, and Python refuses to read them."""
    if isinstance(value, str):
        return int(value) if len(value) <= _MOST_DIGITS and value.isdecimal() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: object, longest: int) -> str:
    if isinstance(value, list):
        value = "\n".join(each for each in value if isinstance(each, str))
    if not isinstance(value, str):
        return ""
    readable = _UNREADABLE.sub("\N{REPLACEMENT CHARACTER}", value)
    return readable if len(readable) <= longest else readable[: longest - 1] + "…"


def _word(value: object) -> str:
    if not isinstance(value, str | bool):
        return ""
    return _NOT_A_WORD.sub("_", _CAMEL.sub("_", str(value)).lower()).strip("_")
