"""What evaluators may ask of: a submission's facts and what is known to fail when it is run."""

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, TypeVar

from reviewers.facts import Facts, PythonFile
from reviewers.facts.called import called
from reviewers.facts.reach import Piece, Reached
from reviewers.facts.stores import code_of, span_of
from reviewers.propositions.answers import Witness
from reviewers.propositions.terms import Scope
from reviewers.records import Failure, Span

_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class World:
    """One submission, as evaluators see it.

    Attributes:
        failures: what is known to stop a documented command, in the order of a run.
        is_reached: whether a place is to be judged as if the run came there.
        is_possible: whether it is enough that something is so on some start.
        is_explained: whether a cause is given beside what is asked, so that it need not say how.
        about: names of code that the whole of which it is a part speaks of.
    """

    facts: Facts
    failures: Sequence[Failure] = ()
    is_reached: bool = False
    is_possible: bool = False
    is_explained: bool = False
    about: frozenset[str] = frozenset()
    _kept: dict[object, Any] = field(default_factory=dict)

    def kept(self, key: object, make: Callable[[], _T]) -> _T:
        """What was made before under a key, else what is made now."""
        if key not in self._kept:
            self._kept[key] = make()
        found: _T = self._kept[key]
        return found

    def paths(self, wanted: str) -> list[str]:
        """The submission's files that a path or a glob means, run configs included."""
        if wanted in self.facts.submission.by_path:
            return [wanted]
        return [path for path in self.facts.submission.by_path if fnmatchcase(path, wanted)]

    def python_in(self, scope: Scope) -> Iterator[PythonFile]:
        """The Python files of a scope."""
        for path, file in self.facts.python.items():
            if not scope.file or path == scope.file or fnmatchcase(path, scope.file):
                yield file

    def reached_from(self, scope: Scope) -> Reached:
        """The code of a scope, and what it may run; nothing, with the reason as its gap, where
        there is no such file or name.
        """
        reach = self.facts.reach
        if not scope.file:
            return reach.everything
        found = [reach.of(path, scope.name) for path in self.paths(scope.file)]
        known = [one for one in found if one is not None]
        own = (*self._decorators(scope), *(piece for one in known for piece in one.own))
        further = tuple(piece for one in known for piece in one.further)
        gaps = tuple(gap for one in known for gap in one.gaps)
        return Reached(own, further, gaps if known else (f"there is no {scope} in the submission",))

    def _decorators(self, scope: Scope) -> Iterator[Piece]:
        """What stands above the function that a scope names: its module runs it, for it."""
        for file in self.python_in(scope) if scope.name else ():
            node = file.functions.get(scope.name)
            held = node.decorator_list if node is not None else []
            if held:
                yield Piece(file, scope.name, tuple(part for one in held for part in ast.walk(one)))

    def called_from(self, scope: Scope) -> tuple[Piece, ...]:
        """The functions outside a scope that its calls certainly reach, step by step."""
        return self.kept(
            ("called", scope),
            lambda: tuple(called(self.facts.local_code, self.reached_from(scope))),
        )

    def is_in(self, scope: Scope, span: Span) -> bool:
        """Whether a place lies in a scope, or in code that it may run if it names a definition."""
        file = self.facts.python.get(span.file)
        if not scope.name or file is None:
            return any(one.path == span.file for one in self.python_in(scope))
        place = span.file, file.scope_at(span.line) if span.line else ""
        return place in {(one.file.path, one.name) for one in self.reached_from(scope).pieces}

    def happens(self, scope: Scope, path: str, line: int | None) -> bool | None:
        """Whether a line is reached in the mode and for the runs of a scope; None if that is not
        known.
        """
        if not (scope.mode or scope.run):
            return True
        asked = {"run": scope.run or "", "mode": scope.mode or ""}
        return self.facts.arrivals.comes_to(path, line, **asked) if line else None

    def at(self, span: Span) -> Witness:
        """A place, with the code that stands there."""
        return Witness(span, self.facts.code(span))

    def domain(self, variable: str) -> tuple[str, ...]:
        """The values that a variable takes in this submission, none where that is not known."""
        match variable:
            case "run":
                return tuple(run.run_id for run in self.facts.runs)
            case "mode":
                return tuple(self.facts.contract.modes)
            case "file":
                return tuple(self.facts.python)
        return ()


def shown(file: PythonFile, node: ast.AST, said: str = "") -> Witness:
    """A node, with its code or what is said of it."""
    return Witness(span_of(file, node), said or code_of(node))


def whole(path: str) -> Span:
    """A file as a whole."""
    return Span(path, None, None)
