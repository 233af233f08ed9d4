"""What the code does differently in trial mode, read from the conditions that ask for it."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reviewers.facts.python_file import PythonFile
from reviewers.records import Span
from reviewers.steps import fact

_ASKS = re.compile(
    r"""["']trial["']|\btrial_mode\b|\bis_trial\b|\btrial_run\b|\bfast_dev_run\b|\.trial\b"""
)
_LIMIT = re.compile(
    r"batch|step|sample|subset|limit|example|iter|update|chunk|max_|size|length|split|shard|fraction|ratio|budget|interval"
    r"|islice|select|take|truncat|dev_run|train_n|n_train|num_",
    re.IGNORECASE,
)
_SHORTENS = re.compile(r"epoch|step|iter|budget|round|\bbreak\b|\breturn\b", re.IGNORECASE)
_NO_LIMIT = re.compile(
    r"epoch|n_trials|num_trials|num_workers|wandb|logging_steps|log_every|eval_steps|save_steps",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Setting:
    """An assignment that is made in trial mode only.

    Attributes:
        target: what is assigned to, as written.
        value: its literal value; None where it is computed.
    """

    target: str
    value: object
    span: Span


class TrialMode:
    """The branches of all files but evaluate.py.

    Args:
        python: the submission's Python files by path.
    """

    def __init__(self, python: Mapping[str, PythonFile]) -> None:
        self._files = {path: file for path, file in python.items() if path != "src/evaluate.py"}

    @fact
    def is_readable(self) -> bool:
        """Whether every file could be read, so that what is not seen is not there."""
        return all(file.tree is not None for file in self._files.values())

    @fact
    def _branches(self) -> tuple[tuple[PythonFile, "_Part"], ...]:
        """Conditions that ask for trial mode, and what hangs on them."""
        return tuple((file, part) for file in self._files.values() for part in _taken(file))

    @property
    def is_asked_for(self) -> bool:
        """Whether any condition asks for trial mode."""
        return bool(self._branches)

    @fact
    def settings(self) -> tuple[Setting, ...]:
        """The assignments among them, in the order of files and lines."""
        return tuple(
            setting
            for file, part in self._branches
            if part.in_trial
            for setting in _settings(file, part.node)
        )

    @fact
    def limits_batches(self) -> bool:
        """Whether anything done in trial mode may shorten an epoch; True in doubt."""
        return any(_may_limit(part.node) for _, part in self._branches)

    @fact
    def limits_epochs(self) -> bool:
        """Whether anything done in trial mode may mean fewer epochs or steps; True in doubt."""
        return any(_SHORTENS.search(ast.unparse(part.node)) for _, part in self._branches)


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of code that has to do with trial mode; `in_trial` where it certainly happens in
    trial mode and in no other.
    """

    node: ast.AST
    in_trial: bool = False


def _taken(file: PythonFile) -> Iterator[_Part]:
    for node in file.nodes:
        match node:
            case ast.If() if _ASKS.search(ast.unparse(node.test)):
                yield _Part(node.test)
                yield from (_Part(statement, _is_plain(node.test)) for statement in node.body)
                yield from (
                    _Part(statement) for statement in node.orelse
                )  # `if mode != "trial": … else: …`
            case ast.IfExp() | ast.While() if not _is_tested(file, node) and _ASKS.search(
                ast.unparse(node.test)
            ):
                yield _Part(node)
            case ast.BoolOp() if not _is_tested(file, node) and _ASKS.search(ast.unparse(node)):
                yield _Part(node)
            case ast.keyword() | ast.Assign() if isinstance(
                node.value, ast.Compare | ast.Attribute | ast.Name
            ):
                if _ASKS.search(ast.unparse(node.value)):
                    yield _Part(
                        ast.copy_location(ast.Return(), node)
                    )  # handed on under another name


def _is_plain(test: ast.expr) -> bool:
    """Whether a condition is true in trial mode and only there."""
    if isinstance(test, ast.Compare):
        return len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)
    return isinstance(test, ast.Name | ast.Attribute | ast.Call)


def _is_tested(file: PythonFile, node: ast.AST) -> bool:
    """Whether an expression is part of the condition of an `if`, which is looked at as such."""
    return isinstance(file.parents.get(node), ast.If | ast.IfExp | ast.BoolOp | ast.UnaryOp)


def _settings(file: PythonFile, node: ast.AST) -> Iterator[Setting]:
    for part in ast.walk(node):
        if isinstance(part, ast.Assign):
            for target in part.targets:
                value = part.value.value if isinstance(part.value, ast.Constant) else None
                yield Setting(
                    ast.unparse(target), value, Span(file.path, part.lineno, part.end_lineno)
                )


def _may_limit(node: ast.AST) -> bool:
    for part in ast.walk(node):
        match part:
            case ast.Break() | ast.Return() | ast.Continue() | ast.Slice():
                return True
            case ast.Assign(targets=targets):
                if any(_names_a_limit(ast.unparse(target)) for target in targets):
                    return True
            case ast.Constant(value=str(text)):
                if "=" in text and _names_a_limit(text):
                    return True
            case ast.Call(func=func):
                if _LIMIT.search(ast.unparse(func)):
                    return True
            case ast.keyword(arg=str(name)):
                if _names_a_limit(name):
                    return True
            case ast.IfExp(body=ast.Constant(value=int()), orelse=_):
                return True
            case ast.Compare(ops=[ast.Gt() | ast.GtE() | ast.Lt() | ast.LtE(), *_]):
                return True
    return False


def _names_a_limit(text: str) -> bool:
    return _LIMIT.search(text) is not None and _NO_LIMIT.search(text) is None
