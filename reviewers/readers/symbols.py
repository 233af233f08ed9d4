"""The names of a submission, for a reader that sees no code: commands, paths, definitions, imports,
keys, runs, and what the code logs, draws, reads and writes.
"""

import ast
import builtins
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reviewers.facts import Facts, yaml_config
from reviewers.facts.python_file import PythonFile
from reviewers.propositions import PREDICATES, World
from reviewers.propositions.terms import Scope

_LONGEST_LINE = 1_200
_LONGEST_NAME = 160
_MOST_LINES = 600
_MOST_CHARACTERS = 60_000
_MOST_KEYS = 150  # of one file
_DOTTED = re.compile(r"[\w.]+")
_NO_SUBJECTS = ("__future__.", "typing.", "collections.abc.")


def symbols_text(facts: Facts) -> str:
    """Every symbol that a claim may name, a line for each kind and place; a large submission's
    first ones.
    """
    lines = list(_lines(facts))
    shown: list[str] = []
    left = _MOST_CHARACTERS
    for line in lines[:_MOST_LINES]:
        left -= len(line) + 1
        if left < 0:
            break
        shown.append(line)
    more = len(lines) - len(shown)
    return "\n".join([*shown, f"({more:,} lines more)"] if more else shown)


def _lines(facts: Facts) -> Iterator[str]:
    submission, contract = facts.submission, facts.contract
    for name, command in contract.commands.items():
        yield f"command {name}: {command.line or command.file}"
    for name, mode in contract.modes.items():
        yield f"mode {name}: {mode.word or '(the usual one)'}"
    for file in submission.files:
        yield f"file {file.path}{'' if file.data.strip() else ' (empty)'}"
    for run in facts.runs:
        yield f"run {run.run_id} in {run.file.path}"
    for path in submission.by_path:
        if path.endswith((".yaml", ".yml")):
            values = yaml_config.plain_values(facts.text(path) or "", path)
            if keys := _keys(values, [_MOST_KEYS]):
                yield f"keys {path}: {', '.join(keys)}"
            elif yaml_config.plain_problem(facts.text(path) or ""):
                yield f"keys {path}: (it cannot be read)"
    for path, code in facts.python.items():
        yield from _of_file(path, code)
    yield from _listed(facts)


def _of_file(path: str, code: PythonFile) -> Iterator[str]:
    """What a file imports, defines and calls."""
    imported = sorted(
        name for name in {*code.aliases.values()} if not name.startswith(_NO_SUBJECTS)
    )
    if imported:
        yield _line(f"imports {path}", imported)
    for name, function in code.functions.items():
        yield f"def {path}::{name}({_signature(function)})"[:_LONGEST_LINE]
    yield from (f"class {path}::{name}"[:_LONGEST_LINE] for name in code.classes)
    if called := list(dict.fromkeys(_called(code))):
        yield _line(f"calls {path}", called)


def _listed(facts: Facts) -> Iterator[str]:
    """What the vocabulary can list: each predicate's own arguments, file by file, without the
    imports, which stand above in one spelling instead of all.
    """
    world = World(facts)
    for predicate in PREDICATES.values():
        listers = {} if predicate.name == "imports" else predicate.values or {}
        for argument, lister in listers.items():
            takes_scope = "scope" in predicate.parameters
            for path in facts.python if takes_scope else [""]:
                found = lister(world, scope=Scope(path)) if takes_scope else lister(world)
                names = dict.fromkeys(str(one.value) for one in found.filled)
                if names:
                    yield _line(f"{predicate.name} {argument} {path}".rstrip(), names)


def _line(head: str, names: Iterable[str]) -> str:
    """A head with names, as many as fit; no name is cut."""
    line, left_out = f"{head}: ", 0
    for name in names:
        if len(name) > _LONGEST_NAME or len(line) + len(name) > _LONGEST_LINE:
            left_out += 1
        else:
            line += f"{name}, "
    more = f" ({left_out:,} more)" if left_out else ""
    return line.rstrip(", ") + more


def _called(code: PythonFile) -> Iterator[str]:
    """The dotted names that are called, as they stand there; not what they are called with."""
    for node in code.of(ast.Call):
        said = ast.unparse(node.func) if isinstance(node.func, ast.Attribute | ast.Name) else ""
        if _DOTTED.fullmatch(said) and not hasattr(builtins, said):
            yield said


def _signature(function: Any) -> str:
    node = getattr(function, "node", function)
    arguments = getattr(node, "args", None)
    return ast.unparse(arguments)[:_LONGEST_NAME] if isinstance(arguments, ast.arguments) else ""


def _keys(values: Any, left: list[int]) -> list[str]:
    """The keys of a mapping, each with those below it: `model{name, lora{r}}`; those of a list are
    those of its mappings.
    """
    if isinstance(values, list):
        below: dict[str, Any] = {}
        for value in values:
            below |= value if isinstance(value, Mapping) else {}
        values = below
    found = []
    for name, value in values.items() if isinstance(values, Mapping) else ():
        if left[0] <= 0 or len(str(name)) > _LONGEST_NAME:
            continue
        left[0] -= 1
        inner = ", ".join(_keys(value, left)) if isinstance(value, Mapping | list) else ""
        found.append(f"{name}{{{inner}}}" if inner else str(name))
    return found
