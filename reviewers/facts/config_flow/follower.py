"""What the parts of the interpreter need of the one that follows the code: its state, and the few
steps that they hand back to it. They import this module, and none of them imports `follow.py`.
"""

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from reviewers.facts.config_flow.values import LocalFunction, Process, Scope, Value
from reviewers.facts.python_file import PythonFile

if TYPE_CHECKING:
    from reviewers.facts.config_flow.passed import Passed


class Follower(Protocol):
    """The one that follows the code.

    Attributes:
        yaml_files: the submission's configuration files, JSON included.
        written: what the code has written, by the parts of its path: a text, a `Dumped`, or
            UNKNOWN.
        words: the values of the command line after the script; None where they are not known.
        is_bare: whether nothing says with which words the script is started.
        choices: the words among which a person has a choice, where nothing says which.
        folder: the working directory from the submission's root; None where it is not known.
        origin: that in which the process was started.
        again: whether a loop's turn is followed as any later one.
        may_not_happen: whether what is done now may be left undone.
    """

    python: Mapping[str, PythonFile]
    yaml_files: Mapping[str, str]
    written: dict[tuple[str, ...], Value]
    is_bare: bool
    choices: list[tuple[str, ...]]
    handed_over: list[tuple[str, Value]]
    processes: list[Process]
    passed: dict[ast.Call, list["Passed"]]
    caught: list[tuple[str, ...]]
    each: int
    again: bool
    _doubts: int
    folder: str | None
    origin: str
    uses_intended: bool

    @property
    def words(self) -> Sequence[Value] | None: ...

    @property
    def is_unsure(self) -> bool: ...

    @property
    def may_be_undone(self) -> bool: ...

    @property
    def may_not_happen(self) -> bool: ...

    def spend(self, steps: int) -> None: ...

    def value(self, node: ast.expr, scope: Scope) -> Value: ...

    def truth(self, value: Value) -> bool | None: ...

    def turns(self, value: Value) -> list[Value] | None: ...

    def assign(self, target: ast.expr, value: Value, scope: Scope) -> None: ...

    def module(self, path: str) -> Scope: ...

    def call(
        self, function: LocalFunction, args: Sequence[Value], keywords: Mapping[str, Value]
    ) -> Value: ...

    def apply(self, function: Value, args: Sequence[Value]) -> Value: ...

    def hand(self, function: Value, args: Sequence[Value] = ()) -> None: ...

    def intended_at(self, path: object) -> Value: ...
