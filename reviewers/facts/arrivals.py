"""Whether the processes that are started for a run or in a mode reach a line of the code."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from reviewers.facts.config_flow import Line, Trace
from reviewers.facts.failures import Process
from reviewers.facts.python_file import PythonFile
from reviewers.facts.trial_mode import ModeBranches
from reviewers.facts.ways import Statements

_MOST_CALLERS = 4  # one after the other


class Arrivals:
    """Answers for one submission.

    Args:
        python: its Python files by path.
        processes: every process that its commands start.
        modes: what its code does differently in each mode.
    """

    def __init__(
        self,
        python: Mapping[str, PythonFile],
        processes: Sequence[Process],
        modes: Mapping[str, ModeBranches],
    ) -> None:
        self._python = python
        self._modes = modes
        self._traces = [(one, one.trace) for one in processes if one.trace is not None]
        self._statements = Statements(python)

    def comes_to(self, path: str, line: int, *, run: str = "", mode: str = "") -> bool | None:
        """Whether every process of a run (a glob) and a mode reaches a line; False where none
        does, None if that is not known.
        """
        place = self._statements.at(path, line)
        if place is None:
            return None
        asked, others = set[bool | None](), set[bool | None]()
        for process, trace in self._traces:
            if any(visited == path for visited, _ in trace.visits):
                is_meant = (not run or fnmatchcase(process.run, run)) and mode in ("", process.mode)
                (asked if is_meant else others).add(self._met(trace, place, _MOST_CALLERS))
        if not asked:
            return True if not run and self._is_of_mode(place, mode) else None
        # A process that is not handed the mode comes to the same places in each.
        is_same = mode and asked | others == {False}
        return asked.pop() if len(asked) == 1 and not is_same else None

    def is_never_named(self, path: str, line: int | None) -> bool:
        """Whether a line is of a function that no code names, nor any text, nor a class or a
        decorator brings.
        """
        scope = self._python[path].scope_at(line) if line else ""
        function = self._python[path].functions.get(scope)
        is_plain = function is not None and not function.decorator_list and "." not in scope
        return is_plain and not any(self._naming(scope))

    def _met(self, trace: Trace, place: Line, deep: int) -> bool | None:
        visit = trace.visits.get(place)
        if visit is not None:
            return visit.sure or None
        path, line = place
        scope = self._python[path].scope_at(line)
        begun = {one for one in trace.visits if one[0] == path}
        if any(self._python[path].scope_at(visited) == scope for _, visited in begun) and scope:
            return False if trace.complete else None
        if not scope or not deep or not trace.complete:
            return None
        # Of a function that was never entered: where all that names it is passed by.
        callers = list(self._naming(scope))
        passed_by = [self._met(trace, one, deep - 1) is False for one in callers]
        return False if callers and all(passed_by) else None

    def _naming(self, function: str) -> Iterator[Line]:
        """The statements that name a function, imports aside."""
        last = function.rpartition(".")[2]
        for path, file in self._python.items():
            for node in file.of(ast.Name, ast.Attribute, ast.Constant):
                told = getattr(node, "id", None) or getattr(node, "attr", None)
                if (told or getattr(node, "value", None)) == last:
                    place = self._statements.at(path, node.lineno)
                    if place is not None:
                        yield place

    def _is_of_mode(self, place: Line, mode: str) -> bool:
        """Whether a line is in a branch of the mode, where nothing could be followed."""
        branches = self._modes.get(mode)
        return branches is not None and any(
            file.path == place[0]
            and in_mode
            and isinstance(node, ast.stmt)
            and node.lineno <= place[1] <= (node.end_lineno or 0)
            for file, node, in_mode in branches.parts
        )
