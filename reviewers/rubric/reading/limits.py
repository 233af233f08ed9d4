"""What a mode must limit, read from the text that speaks of it."""

import re
from collections.abc import Iterable
from typing import Any

from reviewers.rubric.reading.parts import is_denied
from reviewers.rubric.reading.services import ANY_SERVICE

_NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_N = (
    r"(\d{1,6}(?:\s?(?:-|–|to|or)\s?\d{1,6})?|(?:zero|one|two|three|four|five|six|seven|eight|nine|"
    r"ten)(?:\s(?:to|or)\s(?:two|three|four|five|six|seven|eight|nine|ten))?|a\ssingle)"
)
_TO = (
    r"[`\"')]*\s*(?:is|are|be|stays?|at|to|of|limited|set|reduced|capped|restricted|cut|down|most|maximum|"
    r"only|just|exactly|=|:|≤|<=|\s)*\s*[`\"'(]*"
)
_SEARCH = r"(?:optuna|hyper-?\s?parameter|search|tuning|hpo|sweep)"
_AMOUNTS = {
    "epochs": rf"epochs?{_TO}{_N}\b|{_N}[`\"']?[\s-](?:training\s|full\s)?epochs?\b",
    "batches": r"(?<!eval_)(?<!val_)(?<!test_)batches"
    rf"(?:\s+(?:per|of|in)\s+(?:an?|each|every)\s+epoch)?{_TO}{_N}\b|{_N}[`\"']?\s(?:training\s|mini-?)?batch(?:es)?\b(?!\s*size)",
    "search_trials": rf"n_trials{_TO}{_N}\b|{_SEARCH}[\s_]trials{_TO}{_N}\b"
    rf"|{_N}[`\"']?\s(?:{_SEARCH}\s)?trials\b|{_N}[`\"']?\s{_SEARCH}\strial\b",
}
_NO_SEARCH = re.compile(
    rf"\b(?:no|without|skip\w*|disabl\w+|omit\w*|leav\w+\s+out|drops?)\s+(?:the\s+|any\s+|all\s+|an?\s+)?{_SEARCH}\b"
    rf"|{_SEARCH}(?:\s+\w+)?(?:\s+(?:is|are|being|gets?|stays?|must\s+be|trials|search))*\s+"
    r"(?:disabled|off|skipped|omitted|(?:switched|turned)\s+off|not\s+(?:run|used|started))",
    re.IGNORECASE,
)
_T = rf"(?:{ANY_SERVICE}|(?:experiment\s+)?track(?:ing|er)|logging\s+to\s+(?:{ANY_SERVICE}))"
_TRACKING = (
    re.compile(
        rf"{_T}[\w.\s]{{0,14}}?mode[`\"'\s]*(?:=|:|is|to|set\s+to|must\s+be|\s)+[`\"'\s]*"
        r"(?P<state>online|offline|disabled)\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_T}[`\"']?\s+(?:is|are|be|stays?|remains?|must|should|has\s+to|gets?|set|to|automatically|fully|"
        r"switched|turned|kept|completely|runs?|mode|=|:|\s)*[`\"']?"
        r"(?P<state>disabled|off|offline|online|on|enabled|active)\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?P<state>disabl\w+|without|no|switch(?:es|ed)?\s+off|turn(?:s|ed)?\s+off|deactivat\w+|"
        rf"enabl\w+|switch(?:es|ed)?\s+on|turn(?:s|ed)?\s+on|activat\w+)\s+(?:the\s+|all\s+|any\s+)?{_T}\b",
        re.IGNORECASE,
    ),
)
_EVALUATED = r"(?:evaluat\w*|validation|test(?:ing)?|eval)"
_SMALL = (
    r"(?:small\w*|tiny|reduced|few|handful|fraction|part|subset|slice|portion|\d+\s+(?:samples|examples|"
    r"items|rows))"
)
_SMALL_EVALUATION = re.compile(
    rf"\b{_SMALL}\b[\w\s]{{0,24}}?\b{_EVALUATED}\b|\b{_EVALUATED}\b[\w\s]{{0,40}}?\b{_SMALL}\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:not|never|no|at\s+least|more\s+than|minimum|than|whole|entire|unlimited|may|optional\w*)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)


def limits(texts: Iterable[str]) -> dict[str, Any]:
    """Return what the texts on one mode demand of it, without what they do not agree on."""
    found: dict[str, set[Any]] = {}
    for text in texts:
        text = re.sub(r"\b(?:no|not)\s+more\s+than\b", "at most", text, flags=re.IGNORECASE)
        for piece in re.split(r"[,;]\s|\s(?:and|but|with|plus)\s|\.\s", text):
            for name, value in _of_piece(piece):
                found.setdefault(name, set()).add(value)
    return {name: values.pop() for name, values in found.items() if len(values) == 1}


def _of_piece(piece: str) -> Iterable[tuple[str, Any]]:
    for name, pattern in _AMOUNTS.items():
        for hit in re.finditer(pattern, piece, re.IGNORECASE):
            before = piece[max(hit.start() - 40, 0) : hit.start()]
            amount = next(filter(None, hit.groups()))
            if not _NEGATED.search(before) and not _NEGATED.search(hit[0]):
                yield name, _number(amount)
    if _NO_SEARCH.search(piece) and not re.search(r"\bneed|\bn['’]t\b|\bmay\b", piece):
        yield "search_trials", 0
    state = _tracking(piece)
    if state is not None:
        yield "tracking", state
    small = _SMALL_EVALUATION.search(piece)
    if small is not None and not _NEGATED.search(piece) and not is_denied(piece):
        yield "small_evaluation", True


def _tracking(piece: str) -> str | None:
    for pattern in _TRACKING:
        hit = pattern.search(piece)
        if hit is None:
            continue
        before = piece[max(hit.start() - 30, 0) : hit.start()]
        if _NEGATED.search(before) or re.search(r"\b(?:not|never)\b|n['’]t\b", hit[0]):
            return None
        state = hit["state"].lower()
        if state in ("online", "offline", "disabled"):
            return state
        off = re.match(r"disabl|without|no\b|deactiv|off|\w+\s+off", state)
        return "disabled" if off else "online"
    return None


def _number(text: str) -> int:
    """The larger of the numbers that a text names."""
    words = re.findall(r"\d+|[a-z]+", text.lower())
    values = [
        int(word) if word.isdigit() else _NUMBERS.index(word)
        for word in words
        if word.isdigit() or word in _NUMBERS
    ]
    return max(values, default=1)
