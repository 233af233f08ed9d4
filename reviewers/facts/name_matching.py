"""Where code selects a model's modules by parts of their names, and which names these are in a
run.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from reviewers.facts.hydra_config import HydraConfig
from reviewers.facts.local_code import LocalCode
from reviewers.facts.models import run_value
from reviewers.facts.python_file import Function, PythonFile
from reviewers.facts.python_nodes import given_for
from reviewers.facts.unreached import CONFIG_NAMES
from reviewers.records import RunConfig

_COPIES = frozenset({"list", "tuple", "set", "frozenset"})
_MAX_STEPS = 6


@dataclass(frozen=True, slots=True)
class NameMatch:
    """An `any(part in name for part in parts)` over the names that `named_modules()` gives.

    Attributes:
        written: the parts, where they are in the code.
        path: the key of the configuration that holds them, if they do not.
    """

    file: PythonFile
    node: ast.Call
    written: tuple[str, ...]
    path: str

    def names(self, hydra: HydraConfig, run: RunConfig | None) -> tuple[str, ...]:
        """The parts in a run; empty if they are not known, or the run has none."""
        if self.written or run is None:
            return self.written
        values = run_value(hydra, run, self.path)
        known = isinstance(values, list) and all(
            isinstance(value, str) and value for value in values
        )
        return tuple(values) if known else ()


def name_matches(code: LocalCode) -> Iterator[NameMatch]:
    """Yield the places that pick modules by names which the code or the configuration gives."""
    for file in code.python.values():
        if "named_modules" not in file.text:
            continue
        for call in file.calls:
            match call.node:
                case ast.Call(
                    func=ast.Name(id="any"),
                    args=[
                        ast.GeneratorExp(
                            elt=test,
                            generators=[
                                ast.comprehension(target=ast.Name(id=part), iter=parts, ifs=[])
                            ],
                        )
                    ],
                ) if (name := _searched(test, part)) is not None and _is_module_name(file, name):
                    found = _origin(code, file, parts)
                    if isinstance(found, str):
                        yield NameMatch(file, call.node, (), found)
                    elif found:
                        yield NameMatch(file, call.node, found, "")


def _searched(test: ast.expr, part: str) -> ast.Name | None:
    """The name in which a part is looked for."""
    match test:
        case ast.Compare(
            left=ast.Name(id=left), ops=[ast.In()], comparators=[ast.Name() as name]
        ) if left == part:
            return name
        case ast.Call(
            func=ast.Attribute(value=ast.Name() as name, attr="endswith"), args=[ast.Name(id=given)]
        ) if given == part:
            return name
        case _:
            return None


def _is_module_name(file: PythonFile, name: ast.Name) -> bool:
    bound = file.bindings(name)
    for binding in bound:
        pair = file.parents.get(binding)
        loop = (
            file.parents.get(pair)
            if isinstance(pair, ast.Tuple) and pair.elts[0] is binding
            else None
        )
        iterated = loop.iter if isinstance(loop, (ast.For, ast.comprehension)) else None
        if (
            isinstance(iterated, ast.Call)
            and isinstance(iterated.func, ast.Name)
            and iterated.func.id in _COPIES
            and iterated.args
        ):
            iterated = iterated.args[0]
        if not (
            isinstance(iterated, ast.Call)
            and isinstance(iterated.func, ast.Attribute)
            and iterated.func.attr == "named_modules"
        ):
            return False
    return bool(bound)


def _origin(code: LocalCode, file: PythonFile, node: ast.expr) -> tuple[str, ...] | str | None:
    """The texts that an expression holds, or the key of the configuration that it reads."""
    for _ in range(_MAX_STEPS):
        match node:
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                texts = [
                    item.value
                    for item in items
                    if isinstance(item, ast.Constant) and isinstance(item.value, str)
                ]
                return tuple(texts) if len(texts) == len(items) else None
            case ast.Call(func=ast.Name(id=copy), args=[inner], keywords=[]) if copy in _COPIES:
                node = inner
            case ast.Attribute():
                root, _, path = (file.resolve(node) or "").partition(".")
                return path if root in CONFIG_NAMES else None
            case ast.Name() if (step := _given(code, file, node)) is not None:
                file, node = step
            case _:
                return None
    return None


def _given(code: LocalCode, file: PythonFile, name: ast.Name) -> tuple[PythonFile, ast.expr] | None:
    """What a variable's one assignment, or the one call of its function, gives it."""
    bound = file.bindings(name)
    if len(bound) != 1:
        return None
    if isinstance(bound[0], ast.arg):
        return _passed(code, file, bound[0])
    assigned = file.parents.get(bound[0])
    if (
        isinstance(assigned, (ast.Assign, ast.AnnAssign))
        and assigned.value is not None
        and isinstance(bound[0], ast.Name)
    ):
        return file, assigned.value
    return None


def _passed(
    code: LocalCode, file: PythonFile, argument: ast.arg
) -> tuple[PythonFile, ast.expr] | None:
    function = file.parents[file.parents[argument]]
    if not isinstance(function, Function):
        return None
    found: list[tuple[PythonFile, ast.expr]] = []
    for other, call, bound in code.sites.get(function, ()):
        given = given_for(call.node, function, argument, bound=bound)
        if given is None:
            return None
        found.append((other, given))
    outside = [(where, value) for where, value in found if not _is_inside(where, value, function)]
    return outside[0] if len(outside) == 1 else None  # a recursive call hands on what it was given


def _is_inside(file: PythonFile, node: ast.AST, function: Function) -> bool:
    return any(around is function for around in file.ancestors(node))
