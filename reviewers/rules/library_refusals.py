"""A rule for criterion 1: arguments and operations that third-party libraries reject at run
time.
"""

import ast
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

from packaging.version import Version

from reviewers.facts import Facts, PythonFile
from reviewers.facts.config_flow.values import PLAIN, UNKNOWN
from reviewers.facts.python_file import Call
from reviewers.facts.python_nodes import is_spread
from reviewers.facts.script_starts import ScriptStart
from reviewers.facts.start import Start
from reviewers.facts.third_party.index import Absent
from reviewers.facts.third_party.versions import Presence
from reviewers.records import Severity, Span
from reviewers.rules.base import Flag, again, rule
from reviewers.rules.guards import is_guarded
from reviewers.rules.library_names import version_drift

_TABLE = tomllib.loads(
    resources.files(__package__).joinpath("library_refusals.toml").read_text("utf-8")
)
_DEPRECATED = tomllib.loads(
    resources.files(__package__).joinpath("deprecated_models.toml").read_text("utf-8")
)
_OPERATIONS: Mapping[str, Mapping[str, Any]] = {
    entry["class"]: entry for entry in _TABLE["operation"]
}
_JSON = {"json.dump": ("obj", "fp"), "json.dumps": ("obj",)}
_OPERATING = (ast.Compare, ast.For, ast.comprehension, ast.Call)
_LOOPING = frozenset({"enumerate", "list", "set", "sorted", "tuple"})
_MOST_PARTS = 200


@rule(
    id="IM12",
    category="call-signature",
    severity="blocker",
    stops="",
    summary="a library rejects these arguments, or this operation on its object, at run time",
    example="""
          import torch
          from torch.utils.data import DataLoader, RandomSampler

          def prepared(data, optimizer):
        -     warmup = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.0, total_iters=100)  # flag: IM12
        -     return DataLoader(data, shuffle=True, sampler=RandomSampler(data)), warmup  # flag: IM12
        +     warmup = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.001, total_iters=100)
        +     return DataLoader(data, sampler=RandomSampler(data)), warmup
    """,  # noqa: E501
)
def refused_values(facts: Facts) -> Iterator[Flag]:
    """The signature accepts them, but the code behind it raises an error: a small table of such
    cases, each with its source. A value counts as written, or as the configuration of a run gives
    it to the call.
    """
    for path, file in facts.python.items():
        for call in file.calls:
            found = refused_arguments(facts, file, call)
            if found and not is_guarded(file, call.node, found.entry["error"].partition(":")[0]):
                entry = found.entry
                message = f"`{found.shown}`{found.when} ends in {entry['error']}; {entry['remedy']}"
                taken = _taken(facts, found.name, entry)
                drift = version_drift(facts, taken, found.name) if taken is not None else ""
                yield Flag(
                    Span(path, call.line),
                    f"{message}{drift}",
                    entry["source"],
                    Severity.MAJOR if drift else _severity(facts, file, call.scope),
                    again(found.lines),
                    names=(found.shown, entry["error"]),
                )
        for node, done, owner in _operations(file):
            kinds = facts.library_types.of(file, owner)
            entries = [
                entry
                for kind in kinds
                if done in (entry := _OPERATIONS.get(kind, {})).get("operations", ())
            ]
            if entries and len(entries) == len(kinds) and not is_guarded(file, node, "KeyError"):
                deed = (
                    f"… in {ast.unparse(owner)[:60]}"
                    if done == "in"
                    else f"going through {ast.unparse(owner)[:60]}"
                )
                message = f"`{deed}` ends in {entries[0]['error']}; {entries[0]['remedy']}"
                yield Flag(
                    Span(path, owner.lineno),
                    message,
                    entries[0]["source"],
                    _severity(facts, file, file.scope_at(owner.lineno)),
                    names=(ast.unparse(owner)[:60], entries[0]["error"]),
                )


def _severity(facts: Facts, file: PythonFile, scope: str) -> Severity | None:
    return None if facts.library_types.code.is_used(file, scope) else Severity.MAJOR


@dataclass(frozen=True, slots=True)
class RefusedArguments:
    """An entry of the table that a call of `name` meets: `when` says for which run, where that
    depends on the configuration, of which `lines` hold the values.
    """

    name: str
    entry: Mapping[str, Any]
    shown: str
    when: str
    lines: tuple[Span, ...] = ()


@cache
def _entries() -> Mapping[str, Sequence[tuple[str, Mapping[str, Any]]]]:
    """The entries with the name of each callable, by the last part of that name."""
    found: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for entry in _TABLE["refused"]:
        each = [{one: entry["when"]["*"]} for one in entry.get("arguments", ())]
        for name in entry["calls"]:
            found.setdefault(name.rpartition(".")[2], []).extend(
                (name, {**entry, "when": when}) for when in each or [entry["when"]]
            )
    return found


def refused_arguments(facts: Facts, file: PythonFile, call: Call) -> RefusedArguments | None:
    """The first entry of the table that a call certainly meets."""
    func = call.node.func
    last = (
        func.attr
        if isinstance(func, ast.Attribute)
        else func.id
        if isinstance(func, ast.Name)
        else ""
    )
    last = (call.name or last).rpartition(".")[2]
    possible = _entries().get(last)
    if not possible:
        return None
    names = _names(facts, file, call)
    for name, entry in possible:
        if name in names and _is_in_force(facts, name, entry):
            for values, when, start in _arguments(facts, call.node, name):
                if all(
                    _meets(facts, file, values, argument, asked)
                    for argument, asked in entry["when"].items()
                ):
                    shown = ", ".join(
                        f"{key}={_shown(values[key])}" for key in entry["when"] if key in values
                    )
                    lines = (
                        facts.hydra.line_of(start, values[key])
                        for key in entry["when"]
                        if start is not None and key in values
                    )
                    shown = f"{'.'.join(name.split('.')[-2:])}({shown})"
                    return RefusedArguments(
                        name, entry, shown, when, tuple(line for line in lines if line)
                    )
    return None


def _names(facts: Facts, file: PythonFile, call: Call) -> set[str]:
    """What a call may be called in the table: by where the callable is defined, and by the object
    it is a method of.
    """
    if call.name in _JSON:
        return {call.name}
    if (name := facts.library_types.outside(file, call.node.func)) is not None:
        return _aliases(facts, name)
    if isinstance(call.node.func, ast.Attribute):
        kinds = facts.library_types.of(file, call.node.func.value)
        names = {f"{kind}.{call.node.func.attr}" for kind in kinds} if len(kinds) == 1 else set()
        if not kinds:  # of what the code is handed, the way tells what it is
            told = {passed.name for _, passed in facts.hydra.passed.get(call.node, ())}
            return _aliases(facts, *told) if len(told) == 1 and all(told) else set()
        return names | {origin for name in names if (origin := _origin(facts, name))}
    return set()


def _aliases(facts: Facts, name: str) -> set[str]:
    """A name, and those in the table that mean the same."""
    origin, last = _origin(facts, name), name.rpartition(".")[2]
    others = (other for other, _ in _entries().get(last, ()))
    return {name} | {one for one in others if origin and origin == _origin(facts, one)}


def _origin(facts: Facts, name: str) -> str | None:
    return getattr(facts.third_party.lookup(name), "origin", None)


def _is_in_force(facts: Facts, name: str, entry: Mapping[str, Any]) -> bool:
    """Whether the newest allowed version is one that refuses it."""
    taken = _taken(facts, name, entry)
    allowed = facts.allowed_versions(name, as_meant=True)
    return taken is None or taken.within(allowed).newest is False


def _taken(facts: Facts, name: str, entry: Mapping[str, Any]) -> Presence | None:
    """In which versions it is not refused yet; None if each one that is known refuses it."""
    if "since" not in entry:
        return None
    known = facts.third_party.exists(name).presence
    refusing = Version(entry["since"])
    return replace(known, states=tuple(Version(one) < refusing for one in known.versions))


def _arguments(
    facts: Facts, call: ast.Call, name: str
) -> Iterator[tuple[Mapping[str, Any], str, Start | ScriptStart | None]]:
    """The arguments by name, as nodes where they are written and as values where a run's
    configuration gives them, with the start that does.
    """
    signature = facts.third_party.signature(name)
    owner, _, method = name.rpartition(".")
    if (
        name not in _JSON
        and signature is not None
        and facts.third_party.lookup(owner).__class__.__name__ == "Known"
    ):
        signature = facts.third_party.method(owner, method) or signature
    names = _JSON.get(name) or [
        parameter.name
        for parameter in (signature.parameters if signature else ())
        if parameter.kind in ("either", "positional")
    ]
    unpacked = is_spread(call)
    written: dict[str, Any] = dict(zip(names, call.args, strict=False)) if not unpacked else {}
    written |= {word.arg: word.value for word in call.keywords if word.arg is not None}
    yield written | ({"**": UNKNOWN} if unpacked else {}), "", None
    for start, passed in facts.hydra.passed.get(call, ()):
        if not passed.certain:
            continue
        given = dict(zip(names, passed.positional, strict=False)) | dict(passed.keywords)
        known = {key: value for key, value in given.items() if isinstance(value, PLAIN)}
        mode = f", {start.mode_word}" if start.run_id and start.mode_word else ""
        yield (
            written | known | ({"**": UNKNOWN} if passed.open else {}),
            f" in {start.told}{mode}",
            start,
        )


def _meets(
    facts: Facts,
    file: PythonFile,
    values: Mapping[str, Any],
    argument: str,
    asked: Mapping[str, Any],
) -> bool:
    """Whether an argument certainly meets the conditions."""
    if "differs" in asked:
        return "**" not in values and _differs(values, argument, *asked["differs"])
    if argument not in values:
        return "unset" in asked and "**" not in values
    given = values[argument]
    value = _literal(given)
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else None
    text = value if isinstance(value, str) else None
    tests: Mapping[str, Callable[[Any], bool]] = {
        "at_most": lambda wanted: number is not None and number <= wanted,
        "at_least": lambda wanted: number is not None and number >= wanted,
        "below": lambda wanted: number is not None and number < wanted,
        "above": lambda wanted: number is not None and number > wanted,
        "number": lambda _: number is not None,
        "text": lambda _: text is not None,
        "fraction": lambda _: isinstance(value, float),
        "above_other": lambda other: (
            number is not None
            and isinstance(most := _literal(values.get(other)), int | float)
            and number > most
        ),
        "none_of": lambda wanted: text is not None and _is_none_of(facts, text, wanted),
        "not_in": lambda wanted: text is not None and text.lower() not in wanted,
        "is": lambda wanted: value is not UNKNOWN and _is_one_of(value, wanted),
        "unset": lambda wanted: value is None or (value is not UNKNOWN and value == wanted),
        "none": lambda _: value is None,
        "given": lambda _: (
            value is not None and (value is not UNKNOWN or _is_object(facts, file, given))
        ),
        "holds": lambda wanted: isinstance(given, ast.expr) and _holds(facts, file, given, wanted),
    }
    return all(tests[kind](wanted) for kind, wanted in asked.items() if kind in tests)


def _differs(
    values: Mapping[str, Any], argument: str, default: object, other: str, its_default: object
) -> bool:
    """Whether two arguments certainly have different values."""
    pair = [_literal(values.get(argument, default)), _literal(values.get(other, its_default))]
    return UNKNOWN not in pair and pair[0] != pair[1]


def _is_one_of(value: object, wanted: object) -> bool:
    listed = wanted if isinstance(wanted, list) else [wanted]
    return any(value is one or (isinstance(one, str) and value == one) for one in listed)


def _is_none_of(facts: Facts, value: str, modules: Sequence[str]) -> bool:
    """Whether no known version of these modules has a function of this name; what follows a dot
    chooses its weights.
    """
    name = value.partition(".")[0].removeprefix("quantized_")
    known = _DEPRECATED.get(modules[0].partition(".")[0], ())
    return (
        name.isidentifier()
        and name not in known
        and all(
            isinstance(facts.third_party.lookup(f"{module}.{each}"), Absent)
            and not facts.third_party.existence(f"{module}.{each}")
            for module in modules
            for each in {name, name.lower()}
        )
    )


def _literal(given: object) -> object:
    """A value as it is written; UNKNOWN for any other expression."""
    match given:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.AST():
            return UNKNOWN
    return given


def _is_object(facts: Facts, file: PythonFile, given: object) -> bool:
    """Whether an argument certainly is some object: one that a library's class makes."""
    if isinstance(given, ast.Name):
        given = file.only_value(given)
    return isinstance(given, ast.List | ast.Tuple) or (
        isinstance(given, ast.Call) and bool(facts.library_types.of(file, given))
    )


def _holds(facts: Facts, file: PythonFile, given: ast.expr, wanted: Sequence[str]) -> bool:
    """Whether an expression is, or displays, a value of one of these classes."""
    waiting: list[ast.expr | None] = [given]
    for _ in range(_MOST_PARTS):
        if not waiting:
            return False
        part = waiting.pop()
        match part:
            case ast.Dict(values=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
                waiting += parts
            case ast.Name() | ast.Call() | ast.Attribute():
                kinds = facts.library_types.of(file, part)
                if kinds and kinds <= set(wanted):
                    return True
    return False


def _operations(file: PythonFile) -> Iterator[tuple[ast.AST, str, ast.expr]]:
    """What the code does with objects by Python's own means."""
    for node in file.of(*_OPERATING):
        match node:
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[owner]):
                yield node, "in", owner
            case ast.For(iter=owner) | ast.comprehension(iter=owner):
                yield node, "iterate", owner
            case ast.Call(func=ast.Name(id=name), args=[owner, *_]) if name in _LOOPING:
                yield node, "iterate", owner


def _shown(value: object) -> str:
    return ast.unparse(value)[:40] if isinstance(value, ast.AST) else repr(value)[:40]
