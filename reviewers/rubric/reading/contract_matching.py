"""Finds the built-in contract that a prompt's clauses equal, and the built-in criteria that its
criteria resemble.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from reviewers.rubric.built_in import built_in
from reviewers.rubric.contract import Asked, Command, Contract, Mode
from reviewers.rubric.reading.criteria import CriterionItem
from reviewers.rubric.reading.demand_parts import DemandPart, parts
from reviewers.rubric.reading.modes import ANY_SERVICE
from reviewers.rubric.reading.outline import PromptStatement, word_set

OWN_NAME = "prompt"
_OWN_TITLE = "As the log's own prompt asks"
_AKIN = 0.3  # of the weight of a built-in criterion's words that the prompt's own must hold
# What a criterion is about, by the words of its title and of its statements.
_TOPICS = {
    1: r"complet\w*|omit\w*|omission|truncat\w*|stub\w*|unfinished|whole|left\s+out"
    r"|full\s+implementation|placeholders?|todo|preserv\w*|finished|gaps?",
    2: r"hydra|command[\s-]?line|cli|commands?|entry[\s-]points?|argument\w*|override\w*"
    r"|invocation|configuration\s+management",
    3: r"data|data[\s-]?sets?|pre-?process\w*|data[\s-]?load\w*",
    4: r"models?|architectur\w*|networks|neural\s+network|methods?|baselines?",
    5: r"files|structure|layout|folders?|tree|director(?:y|ies)|repository|packag\w*",
    6: rf"{ANY_SERVICE}|track\w*|experiment\s+log\w*",
    7: r"run\s+config\w*|config\w*\s+files?|configurations?|run\s+settings|search\s+spaces?"
    r"|configs",
    8: r"evaluat\w*|assess\w*|figures?|comparison\w*|analys\w*|plots?|metrics\.json",
    9: r"modes?|phases?|trial|smoke|dry[\s-]?run|quick|sanity|pilot|rehearsal|lightweight",
}
_WORD = re.compile(r"[a-z]{3,}")
_NAME = re.compile(r"[A-Za-z_]\w*")
_LISTS = (("runs", "sections"), ("tracking", "settings"), ("outputs", "printed"))
_COMMON = word_set(
    "the and for are with that this from all each every its not any does which has have been "
    "where there they into than then when what written out code proper properly ensure using "
    "used uses must should"
)


def fitted(
    tables: dict[str, Any],
    items: Sequence[CriterionItem],
    text: str,
    asked: Iterable[PromptStatement],
) -> Contract | None:
    """Return the contract of what was read.

    Where it contradicts no identifying clause of a built-in contract and its criteria ask the same,
    it takes that contract's name and version. Where it asks for all that the built-in one asks for,
    the criteria are the built-in one's own; where it asks for nothing else, it is that one.
    """
    criteria = {
        item.number: {"title": item.title, "question": item.question, "like": _like(item)}
        for item in items
    }
    own = _valid({"name": OWN_NAME, "title": _OWN_TITLE, **tables, "criteria": criteria})
    if own is None:
        return None
    said = [part for part in parts(asked) if not part.denied]
    for known in built_in().values():
        own = _with_names(own, known, said)
    fitting = [known for known in built_in().values() if _fits(own, known)]
    best = max(fitting, key=lambda known: _shared(own, known), default=None)
    if best is None:
        return own
    named = _completed(own.model_copy(update={"modes": _called_as(own, best)}), best, text)
    if clauses(named) == clauses(best) and named.modes.keys() == best.modes.keys():
        return best
    same = not _lacking(named, best)
    asked_for = {
        number: best.criteria[number]
        if same
        else asked.model_copy(update={"like": best.criteria[number].like})
        for number, asked in own.criteria.items()
    }
    return named.model_copy(
        update={
            "name": best.name,
            "version": best.version,
            "title": best.title,
            "criteria": asked_for,
        }
    )


def _with_names(own: Contract, known: Contract, said: Sequence[DemandPart]) -> Contract:
    """The contract with the lists of names of a built-in one that it lacks, where all names stand
    in one statement of the prompt that demands something.
    """
    tables: dict[str, Any] = {}
    for part, key in _LISTS:
        mine, names = getattr(own, part), getattr(getattr(known, part), key)
        words = set(_NAME.findall(" ".join(names).lower()))
        stands = (words <= set(_NAME.findall(each.statement.text.lower())) for each in said)
        if names and not getattr(mine, key) and any(stands):
            tables[part] = tables.get(part, mine).model_copy(update={key: names})
    return own.model_copy(update=tables)


def _completed(own: Contract, known: Contract, text: str) -> Contract:
    """The contract with the words of a command or a mode that the prompt has, but not together."""
    words = set(_NAME.findall(f"{text} {text.lower()}"))
    tables: dict[str, Any] = {"commands": {}}
    for name, command in own.commands.items():
        whole = known.commands.get(name, command)
        lacks = set(_NAME.findall(whole.line)) - set(_NAME.findall(command.line))
        stands = command.line and lacks - {"mode", "run_id", "run_ids"} <= words
        tables["commands"][name] = command.model_copy(
            update={
                "line": whole.line if stands else command.line,
                "starts": max(command.starts, whole.starts, key=len),
            }
        )
    if not own.modes and all(
        set(_NAME.findall(mode.word)) <= words for mode in known.modes.values()
    ):
        tables["modes"] = {} if not own.commands else known.modes
    return own.model_copy(update=tables)


def _valid(tables: dict[str, Any]) -> Contract | None:
    """The contract without the clauses that no contract can hold."""
    for _ in range(20):
        try:
            return Contract.model_validate(tables)
        except ValidationError as error:
            refused = [row["loc"][:3] for row in error.errors(include_url=False)]
        for place in refused:
            table: Any = tables
            for key in place[:-1]:
                table = table.get(key) if isinstance(table, dict) else None
            if not isinstance(table, dict) or table.pop(place[-1], None) is None:
                tables.pop(str(place[0]), None)
    return None


def _fits(own: Contract, known: Contract) -> bool:
    return (
        bool(own.criteria)
        and set(own.criteria) == set(known.criteria)
        and all(_akin(own.criteria[number], known.criteria[number]) for number in own.criteria)
        and all(
            _same_command(own.commands[name], known.commands[name])
            if name in known.commands
            else not own.commands[name].line
            for name in own.commands
        )
        and _same_modes(own, known)
        and (not own.files.expected or set(own.files.expected) == set(known.files.expected))
        and own.tracking.service in (None, known.tracking.service)
        and own.files.from_base == known.files.from_base
    )


def _same_command(own: Command, known: Command) -> bool:
    """Whether both start the same script with the same words; what one does not say counts not."""
    if own.file != known.file:
        return False
    return not own.line or not known.line or _plain(own) <= _plain(known)


def _plain(command: Command) -> set[str]:
    return {word for word in command.templates if word != "{mode}"}


def _same_modes(own: Contract, known: Contract) -> bool:
    words = {mode.word for mode in own.modes.values()}
    asked = {mode.word for mode in known.modes.values() if mode.word}
    return (
        not own.modes
        or (asked <= words and len(own.modes) == len(known.modes))
        or (not known.modes and not words)
    )


def _called_as(own: Contract, known: Contract) -> Mapping[str, Mode]:
    """The modes by the names that the built-in contract gives to their words."""
    names = {mode.word: name for name, mode in known.modes.items()}
    left = [name for name in known.modes if known.modes[name].word == ""]
    return {
        names.get(mode.word) or (left.pop() if left and name not in known.modes else name): mode
        for name, mode in own.modes.items()
    }


def _akin(own: Asked, known: Asked) -> bool:
    """Whether two criteria ask for the same: most words of the one are in the other."""
    said = _stems(f"{own.title} {own.title} {own.question}")
    title, question = _stems(known.title), _stems(known.question)
    held = 2 * len(title & said) + len(question & said)
    return held >= _AKIN * (2 * len(title) + len(question))


def _stems(text: str) -> set[str]:
    return {word[:5] for word in _WORD.findall(text.lower()) if word not in _COMMON}


def _like(item: CriterionItem) -> int | None:
    """The criterion of the shipped rubric that an item is about; None if that is in doubt."""
    body = " ".join(each.text for each in item.statements[1:]) or item.question
    title, body = (re.sub(r"`[^`]*`", " ", text) for text in (item.title, body))
    scores = {
        number: 4 * len(" ".join(set(_hits(words, title))).split())
        + min(len(_hits(words, body)), 3)
        for number, words in _TOPICS.items()
    }
    ranked = sorted(scores, key=lambda number: -scores[number])
    first, second = ranked[:2]
    if scores[first] < 4 or scores[first] - scores[second] < 2:
        return None
    return first


def _hits(words: str, text: str) -> list[str]:
    return [hit.lower() for hit in re.findall(rf"\b(?:{words})\b", text, re.IGNORECASE)]


def _shared(own: Contract, known: Contract) -> int:
    """How many clauses both have with the same value, less those in which they differ."""
    return sum(
        1 if value == theirs else -1
        for key, value in clauses(own).items()
        if (theirs := clauses(known).get(key)) is not None
    )


def _lacking(own: Contract, known: Contract) -> list[str]:
    """The clauses of the built-in contract that were not read, or read otherwise."""
    read = clauses(own)
    return [key for key, value in clauses(known).items() if read.get(key) != value]


def clauses(contract: Contract) -> Mapping[str, Any]:
    """Return a contract's clauses by their paths, those that ask for nothing left out."""
    found: dict[str, Any] = {}
    pending: list[tuple[str, Any]] = [
        ("", contract.model_dump(exclude={"name", "version", "title", "provisional", "criteria"}))
    ]
    while pending:
        path, value = pending.pop()
        if isinstance(value, Mapping):
            pending += [(f"{path}.{key}".lstrip("."), each) for key, each in value.items()]
        elif value is not None and value is not False and value not in ("", ()):
            found[path] = sorted(value) if isinstance(value, tuple) else value
    return found
