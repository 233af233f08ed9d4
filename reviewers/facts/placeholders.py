"""Placeholder values: `MODEL_PLACEHOLDER`, `your-entity`, `path/to/data`."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from omegaconf import OmegaConf

from reviewers.facts import yaml_config
from reviewers.facts.hydra_config import HydraConfig
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import walk
from reviewers.records import RunConfig
from reviewers.steps import spend

# The whole value is one: a word among those of a name, a name in brackets, a path that nobody has.
_STANDS_IN = re.compile(
    r"(?:[\w.-]*[\W_])?(?:(?i:placeholder|changeme|change[_-]me)|TODO|FIXME|TBD|TBA)(?:[\W_][\w.-]*)?"
    r"|<\s*(?i:your|my|insert|enter|some|the)[\s_-][^<>]+>|<[A-Za-z]+(?:\s[\w-]+)+>"
    r"|(?i:your)(?:[_-]\w+)+|(?i:your|insert|enter|put|add)\b[\w\s-]*\bhere"
    r"|\S*(?<![\w.-])path/to(?:/\S*)?"
)
_LONGEST = 200
# What code is given to look for in a text, which it then puts something else in the place of.
_REPLACING = frozenset({"count", "find", "index", "partition", "replace", "split", "sub", "subn"})


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A value that stands in for another one.

    Attributes:
        lines: where it is in its file.
        reach: in code, the lines that each of these decides: those of its statement, and where it
            is what an `if` asks for, those up to the end of what is done otherwise.
        compared: in code, whether it is what a value is compared with.
        beside: whether others that are none are compared with in the same place.
    """

    text: str
    lines: tuple[int, ...]
    reach: Mapping[int, range] = field(default_factory=dict)
    compared: bool = False
    beside: bool = False

    def lines_of(self, statement: int) -> list[int]:
        """Return on which of its lines it decides over the statement that begins on a line."""
        spend(len(self.reach))
        return [line for line, reach in self.reach.items() if statement in reach]


def stands_in(text: str) -> bool:
    """Return whether a value says of itself that another one belongs in its place."""
    return len(text) <= _LONGEST and _STANDS_IN.fullmatch(text.strip()) is not None


def in_code(file: PythonFile) -> Iterator[Placeholder]:
    """Yield the texts of a file that stand in for others, each once. What the code looks for in
    order to refuse or to replace it is none.
    """
    texts = ((each, each.value) for each in file.of(ast.Constant))
    standing = [(each, text) for each, text in texts if isinstance(text, str) and stands_in(text)]
    if not standing:
        return
    handled = {id(part) for node in file.of(*_HANDLING) for part in _handled(node)}
    compared = {id(part): node for node in file.of(ast.Compare) for part in walk(node)}
    found: dict[str, list[ast.Constant]] = {}
    for literal, text in standing:
        if id(literal) not in handled:
            found.setdefault(text, []).append(literal)
    otherwise = _otherwise(file) if found else {}
    for text, literals in found.items():
        comparison = compared.get(id(literals[0]))
        reach = {literal.lineno: _reach(file, literal, otherwise) for literal in literals}
        yield Placeholder(
            text,
            tuple(sorted(reach)),
            reach,
            compared=comparison is not None,
            beside=comparison is not None and _names_others(comparison),
        )


def in_configuration(
    hydra: HydraConfig, runs: tuple[RunConfig, ...]
) -> Iterator[tuple[str, Placeholder]]:
    """Yield the values of the YAML files that stand in for others, with the file; those that the
    runs' own configurations overwrite are none.
    """
    standing = {
        path: [(key, value) for key, value in _leaves(yaml_config.values(text)) if stands_in(value)]
        for path, text in hydra.yaml_files.items()
    }
    given = [dict(_leaves(yaml_config.values(run.file.text))) for run in runs]
    own = {run.file.path for run in runs}
    reached = {
        value
        for start in (hydra.starts if any(standing.values()) else ())
        if start.config is not None
        for _, value in _leaves(OmegaConf.to_container(start.config, resolve=False))
    }
    for path, text in hydra.yaml_files.items():
        found: dict[str, tuple[int, ...]] = {}
        for key, value in standing[path]:
            below = key.partition(".")[2]  # where a run's keys lie under its group
            overwritten = bool(given) and all(key in run or below in run for run in given)
            is_used = not given or (value in reached and not overwritten)
            if is_used or path in own:
                found[value] = _lines(text, value)
        for value, lines in found.items():
            yield path, Placeholder(value, lines)


def _reach(file: PythonFile, literal: ast.Constant, otherwise: Mapping[ast.AST, int]) -> range:
    statement = next(each for each in file.ancestors(literal) if isinstance(each, ast.stmt))
    end = otherwise.get(statement) or statement.end_lineno or statement.lineno
    if not isinstance(statement, ast.If) and (body := getattr(statement, "body", None)):
        end = max(statement.lineno, body[0].lineno - 1)
    return range(statement.lineno, end + 1)


def _otherwise(file: PythonFile) -> Mapping[ast.AST, int]:
    """The last line of what is done where no test of an `if`, and of those right behind it, holds:
    of the next statement that is none.
    """
    found: dict[ast.AST, int] = {}
    for node in file.nodes:
        for block in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
            end = found.get(node, 0) if isinstance(node, ast.If) else 0
            statements: list[ast.stmt] = block if isinstance(block, list) else []
            for statement in reversed(statements):
                if not isinstance(statement, ast.If):
                    end = statement.end_lineno or statement.lineno
                elif end:
                    found[statement] = end
    return found


_HANDLING = (ast.Call, ast.If, ast.Assert, ast.Expr, ast.JoinedStr, ast.Subscript, ast.Dict)


def _handled(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Call(func=ast.Attribute(attr=name)) if name in _REPLACING:
            yield from node.args
        case ast.If(test=test, body=body) if any(isinstance(each, ast.Raise) for each in body):
            yield from walk(test)
        case ast.Assert(test=test):
            yield from walk(test)
        case ast.Expr(value=ast.Constant() as text):
            yield text
        case ast.JoinedStr():
            yield from walk(node)
        case ast.Subscript(slice=key):
            yield key
        case ast.Dict(keys=keys):
            yield from (key for key in keys if key is not None)


def _names_others(comparison: ast.Compare) -> bool:
    return any(
        isinstance(part, ast.Constant) and isinstance(part.value, str) and not stands_in(part.value)
        for part in walk(comparison)
    )


def _leaves(value: object, above: str = "") -> Iterator[tuple[str, str]]:
    """The texts in a value by their keys, joined by dots; a text, too, is a key without value."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            if each is None and isinstance(key, str):
                yield above, key
            yield from _leaves(each, f"{above}.{key}" if above else str(key))
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each, above)
    else:
        yield above, value if isinstance(value, str) else ""


def _lines(text: str, value: str) -> tuple[int, ...]:
    return tuple(
        number
        for number, line in enumerate(text.splitlines(), 1)
        if value in line.partition(" #")[0]
    )
