"""What no repair may do: silence a symptom, weaken the experiment, or change what is measured.

Each of these is counted in the versions before and after, so that no repair has to be trusted.
"""

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from reviewers.facts import Facts, yaml_config
from reviewers.facts.python_file import PythonFile
from reviewers.rules.adapters import DICTIONARIES

_SILENCING = ("contextlib.suppress", "warnings.filterwarnings", "warnings.simplefilter")
_TOLERANT = {
    "strict": False,
    "ignore_errors": True,
    "errors": "ignore",
    "raise_on_error": False,
    "check": False,
    "throw_on_missing": False,
    "throw_on_missing_key": False,
}


def objection(before: Facts, after: Facts, is_answer: bool) -> str:
    """Say what the version after does that no repair may do; empty if nothing.

    Args:
        is_answer: whether a person chooses it, who may change a value of the configuration.
    """
    for told, count in _MORE.items():
        if came := _of_all(after, count) - _of_all(before, count):
            return f"it {told} ({next(iter(came))})"
    for told, count in _FEWER.items():
        if gone := _of_all(before, count) - _of_all(after, count):
            return f"it {told} ({next(iter(gone))})"
    if not is_answer and (lost := _values(before) - _values(after)):
        key, value = next(iter(lost))
        return f"it takes {key}: {value} out of the configuration"
    lost_keys = {each.key for each in before.tracking.logged} - {
        each.key for each in after.tracking.logged
    }
    if lost_keys:
        return f"{min(lost_keys)} is no longer logged"
    return ""


def _of_all(facts: Facts, count: "_Counting") -> Counter[str]:
    return Counter(each for file in facts.python.values() for each in count(file))


def _handlers(file: PythonFile) -> Iterator[str]:
    yield from ("an except clause" for _ in file.of(ast.ExceptHandler))
    yield from (name for name in _SILENCING for _ in file.calls_of(name))


def _defaults(file: PythonFile) -> Iterator[str]:
    for call in file.calls:
        if isinstance(call.node.func, ast.Attribute) and call.node.func.attr in ("get", "pop"):
            yield from ("a default" for _ in call.node.args[1:2])
        if call.name == "getattr":
            yield from ("a default" for _ in call.node.args[2:3])


def _tolerances(file: PythonFile) -> Iterator[str]:
    for node in file.of(ast.keyword):
        given = node.value.value if isinstance(node.value, ast.Constant) else None
        if node.arg in _TOLERANT and given == _TOLERANT[node.arg]:
            yield f"{node.arg}={given!r}"


def _checks(file: PythonFile) -> Iterator[str]:
    yield from (type(node).__name__.lower() for node in file.of(ast.Raise, ast.Assert))


def _numbers(file: PythonFile) -> Iterator[str]:
    for node in file.of(ast.Constant):
        if isinstance(node.value, int | float) and not isinstance(node.value, bool):
            around = file.parents.get(node)
            owner = getattr(around, "value", None) if isinstance(around, ast.Subscript) else None
            # PEFT has no first adapter: such a place is no quantity, but a key in a wrong form.
            if not (isinstance(owner, ast.Attribute) and owner.attr in DICTIONARIES):
                yield str(node.value)


def _measured(file: PythonFile) -> Iterator[str]:
    """Figures, steps of the optimizer and what is written down."""
    for name in (".savefig", ".backward", ".step", ".log", ".dump", ".dumps", ".save", ".fit"):
        yield from (name for _ in file.calls_of(name))


_Counting = Callable[[PythonFile], Iterator[str]]
_MORE: Mapping[str, _Counting] = {
    "catches an error": _handlers,
    "gives a default where a key is missing": _defaults,
    "tolerates what was refused": _tolerances,
}
_FEWER: Mapping[str, _Counting] = {
    "takes out a check": _checks,
    "changes a number in the code": _numbers,
    "takes out what is measured": _measured,
}


def _values(facts: Facts) -> Counter[tuple[str, str]]:
    """The values of the run files and the main configuration, by their keys."""
    texts = {run.file.path: run.file.text for run in facts.runs}
    main = facts.contract.files.config
    if main and facts.text(main) is not None:
        texts[main] = facts.text(main) or ""
    read = {path: yaml_config.values(text) for path, text in texts.items()}
    refused = _refused_by_hydra(facts)
    return Counter(
        pair
        for path, value in read.items()
        for pair in _leaves(value)
        if pair[0] not in refused.get(path, ())
    )


def _refused_by_hydra(facts: Facts) -> Mapping[str, set[str]]:
    """The last parts of the keys of Hydra's own node that Hydra refuses, by file: they never had an
    effect.
    """
    found: dict[str, set[str]] = {}
    for start in facts.hydra.starts:
        for problem in start.refused:
            if problem.file and (problem.key or "").startswith("hydra."):
                path = f"{start.entry.folder}/{problem.file}"
                found.setdefault(path, set()).add((problem.key or "").rpartition(".")[2])
    return found


def _leaves(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, item in value.items():
            # A key that asks for itself has no value of its own.
            if name != "defaults" and item != f"${{{name}}}":
                yield from _leaves(item, str(name))
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, key)
    elif value not in (None, "???"):
        yield key, str(value)
