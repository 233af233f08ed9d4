"""The path of one process through the submission's files: when it reaches which line, and from
where.
"""

import ast
import bisect
import re
from collections import deque
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewers.facts.config_flow import Line, Visit
from reviewers.facts.config_flow.handlers import Caught, catches
from reviewers.facts.config_flow.processes import STARTING
from reviewers.facts.python_file import Function, Import, PythonFile
from reviewers.records import Span
from reviewers.steps import fact, spend

Order = tuple[int, ...]
STARTED: Order = (0, -1)  # before the script's first line
COMPOSED: Order = (1,)  # between its imports and the function that Hydra calls
UNKNOWN: Order = (9,)  # somewhere
_FOLLOWED = 2
_QUOTED = re.compile(r"[`']([\w.]+)[`']")
_DEEPEST = 40  # calls in a chain
_MOST_MODULES = 200  # that a script imports; each may be imported by the one before


@dataclass(frozen=True, slots=True)
class Step:
    """A statement on a way.

    Attributes:
        order: what is less comes first.
        around: the statement around it, or that which calls its function or imports its file.
        sure: whether the process certainly comes here, as long as nothing stops it before.
        caught: what the `try` blocks around it catch.
    """

    order: Order
    around: Line | None
    sure: bool
    caught: tuple[Caught, ...] = ()

    def stops_with(self, error: str) -> bool:
        """Whether an exception that is raised here certainly ends the process."""
        return self.sure and not any(catches(caught, error) for caught in self.caught)


# What calls the function that it is handed; `map` and `filter` do once they are gone through.
_CALLING = frozenset(
    {"apply", "filter", "LambdaLR", "map", "max", "min", "optimize", "sort", "sorted"}
)


class Statements:
    """Where the statements of the submission stand, and what they import and call.

    Args:
        python: its Python files by path.
    """

    def __init__(self, python: Mapping[str, PythonFile]) -> None:
        self.python = python
        self._modules = {file.module: path for path, file in python.items()}
        self._nodes: dict[str, tuple[list[int], list[ast.stmt]]] = {}
        self._innermost: dict[Line, ast.stmt | None] = {}
        self._imported: dict[str, dict[Line, Step]] = {}

    def at(self, path: str, line: int) -> Line | None:
        """The innermost statement on a line, by its own first line."""
        node = self._node(path, line)
        return None if node is None else (path, node.lineno)

    def around(self, place: Line) -> Iterator[Line]:
        """The statements around one in its function, the innermost first."""
        path, line = place
        file, node = self.python[path], self._node(path, line)
        scope = file.scope_at(line)
        for outer in file.ancestors(node) if node else ():
            if isinstance(outer, ast.stmt) and file.scope_at(outer.lineno) == scope:
                yield path, outer.lineno

    def _node(self, path: str, line: int) -> ast.stmt | None:
        place = path, line
        if place not in self._innermost:
            self._innermost[place] = self._found(path, line)
        return self._innermost[place]

    def _found(self, path: str, line: int) -> ast.stmt | None:
        file = self.python.get(path)
        if file is None:
            return None
        if path not in self._nodes:
            nodes = sorted(file.of(ast.stmt), key=_first_line)
            self._nodes[path] = [*map(_first_line, nodes)], nodes
        begins, nodes = self._nodes[path]
        last = bisect.bisect_right(begins, line) - 1
        inside = [nodes[last], *file.ancestors(nodes[last])] if last >= 0 else []
        spend(len(inside))
        statements = (node for node in inside if isinstance(node, ast.stmt))
        return next((node for node in statements if line <= (node.end_lineno or 0)), None)

    def may_be_skipped(self, place: Line, message: str) -> bool:
        """Whether what a message quotes stands, on its line, only where a conditional expression,
        an `and` or an `or` decides whether it is evaluated.
        """
        quoted = {word.rpartition(".")[2] for word in _QUOTED.findall(message)}
        file = self.python.get(place[0])
        if file is None or not quoted:
            return False
        named = [
            node
            for node in file.of(ast.Name, ast.Attribute)
            if node.lineno == place[1] and getattr(node, "id", getattr(node, "attr", "")) in quoted
        ]
        return bool(named) and all(_is_conditional(file, node) for node in named)

    def imported(self, path: str) -> Mapping[Line, Step]:
        """What happens while a script's own statements run, those of the modules that it imports
        among them, up to where it is asked whether it is the script.
        """
        if path not in self._imported:
            self._imported[path] = {}
            self._run(path, None, {}, self._imported[path], sure=True)
        return self._imported[path]

    def _run(
        self,
        path: str,
        by: Line | None,
        begun: dict[str, None],
        found: dict[Line, Step],
        *,
        sure: bool,
    ) -> None:
        begun[path] = None
        file = self.python[path]
        for node, certain in _at_import(file.readable.body if file.readable else (), sure):
            spend(1)
            here = path, node.lineno
            # What is under way has been begun: a circle ends there.
            for other in self.modules_of(here):
                if other not in begun and len(begun) < _MOST_MODULES:
                    self._run(other, here, begun, found, sure=certain)
            # A name is only missed once the module has run.
            found.setdefault(here, Step((0, len(found)), by, certain))

    def modules_of(self, place: Line) -> Iterator[str]:
        """The files of the submission that a statement imports."""
        path = place[0]
        file = self.python[path]
        beside = path.rpartition("/")[0].replace("/", ".")
        for item in self.imports.get(place, ()):
            for name in _named(file, item):
                near = f"{beside}.{name}" if beside and not item.level else ""
                if other := self._modules.get(name) or self._modules.get(near):
                    yield other

    @fact
    def imports(self) -> Mapping[Line, list[Import]]:
        """What each statement imports."""
        found: dict[Line, list[Import]] = {}
        for path, file in self.python.items():
            for item in file.imports:
                found.setdefault((path, item.line), []).append(item)
        return found

    @fact
    def functions(self) -> Mapping[str, list[tuple[str, Function]]]:
        """The functions that a call may reach, by its last name; that of a class reaches all of
        its methods.
        """
        found: dict[str, list[tuple[str, Function]]] = {}
        for path, file in self.python.items():
            for name, function in file.functions.items():
                owner, _, own = name.rpartition(".")
                for called in {own, owner.rpartition(".")[2]} - {""}:
                    found.setdefault(called, []).append((path, function))
        return found

    @fact
    def called(self) -> Mapping[Line, list[str]]:
        """The last names of what each statement calls."""
        found: dict[Line, list[str]] = {}
        for path, file in self.python.items():
            for call in file.calls:
                function = call.node.func
                name = getattr(function, "attr", getattr(function, "id", ""))
                if (place := self.at(path, call.line)) is not None:
                    found.setdefault(place, []).append(name)
        return found

    @fact
    def starting(self) -> frozenset[Line]:
        """The statements that start a process."""
        return frozenset(
            place
            for path, file in self.python.items()
            for call in file.calls
            if call.name in STARTING and (place := self.at(path, call.line)) is not None
        )


class Way:
    """The way of one process.

    Args:
        script: the path of what is started.
        visits: the statements that were followed behind its imports.
        body: what is read off if nothing was followed.
    """

    def __init__(
        self,
        statements: Statements,
        script: str,
        visits: Mapping[Line, Visit],
        body: list[ast.stmt] | None = None,
    ) -> None:
        self.script = script
        self._statements = statements
        self._imported = statements.imported(script) if script in statements.python else {}
        self._visits = visits
        self._order = {place: at for at, place in enumerate(visits)}
        self._body = body or []

    def at(self, path: str, line: int) -> Step | None:
        """The step at a line; None if the process is not known to come there."""
        place = self._statements.at(path, line)
        if place is None:
            return None
        step = self._step(place)
        if step is not None:
            return step
        # A branch that was left out: that it is taken nobody knows.
        near = next(filter(self._step, self._statements.around(place)), None)
        step = self._step(near) if near else None
        return step and replace(step, sure=False)

    def begun(self, path: str) -> Step | None:
        """The step at which a file is started, or imported: before its first line."""
        if path == self.script:
            return Step(STARTED, None, sure=True)
        own = next((step for place, step in self._imported.items() if place[0] == path), None)
        if own is not None and own.around is not None:
            return replace(own, order=(own.order[0], own.order[1] - 1, 1))
        module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for place in (*self._imported, *self._visits):
            file = self._statements.python[place[0]]
            items = self._statements.imports.get(place, ())
            if any(module in _named(file, item) for item in items):
                step = self._step(place)
                return step and replace(step, around=place)
        return None

    @fact
    def starts(self) -> Line | None:
        """The first statement on it that starts a process."""
        places = (*self._imported, *self._visits)
        return next((place for place in places if place in self._statements.starting), None)

    def chain(self, step: Step, path: str, line: int) -> tuple[Span, ...]:
        """The calls and imports that lead to a step, the outermost first."""
        found: list[Line] = []
        inner, around = self._statements.at(path, line) or (path, line), step.around
        while around is not None and len(found) < _DEEPEST:
            if not self._encloses(around, inner):
                found.append(around)
            inner = around
            outer = self._step(around)
            around = outer.around if outer else None
        return tuple(Span(*place) for place in reversed(found))

    def _encloses(self, outer: Line, inner: Line) -> bool:
        """Whether both are of one function."""
        file = self._statements.python[outer[0]]
        return outer[0] == inner[0] and file.scope_at(outer[1]) == file.scope_at(inner[1])

    def _step(self, place: Line) -> Step | None:
        return self._followed(place) or self._read_off.get(place)

    def _followed(self, place: Line) -> Step | None:
        visit = self._visits.get(place)
        if visit is None:
            return self._imported.get(place)
        return Step((_FOLLOWED, self._order[place]), visit.around, visit.sure, visit.caught)

    @fact
    def _read_off(self) -> Mapping[Line, Step]:
        """The statements that were not followed and to which calls lead, by their names. Where
        something was followed, nobody knows whether the process comes there.
        """
        found: dict[Line, Step] = {}
        direct = frozenset(self._body)
        for at, node in enumerate(_inside(self._body)):
            found[self.script, node.lineno] = Step((_FOLLOWED, at), None, node in direct)
        waiting = deque([*self._visits, *found, *self._imported])
        loaded = {path for path, _ in waiting}
        while waiting:
            place = waiting.popleft()
            for name in self._statements.called.get(place, ()):
                meant = self._meant(name, place[0], loaded)
                for path, function in meant:
                    first = path, function.body[0].lineno
                    if first in found or first in self._visits or first in self._imported:
                        continue
                    step = self._followed(place) or found[place]
                    sure = step.sure and len(meant) == 1 and not self._visits
                    direct = frozenset(function.body)
                    for at, node in enumerate(_inside(function.body)):
                        spend(1)
                        here = path, node.lineno
                        found[here] = Step((*step.order, at), place, sure and node in direct)
                        waiting.append(here)
        return found

    def _meant(self, name: str, path: str, loaded: Container[str]) -> list[tuple[str, Function]]:
        """The functions that a call by this name may reach; those of the same file come first."""
        found = [each for each in self._statements.functions.get(name, ()) if each[0] in loaded]
        return [each for each in found if each[0] == path] or found


def _named(file: PythonFile, item: Import) -> tuple[str, ...]:
    """The modules that an import may mean."""
    module = file.absolute(item)
    return (module, f"{module}.{item.name}") if item.name else (module,)


def _is_conditional(file: PythonFile, node: ast.AST) -> bool:
    for around in file.ancestors(node):
        match around:
            case ast.stmt():
                return False
            case ast.Lambda() if not _is_called_there(file, around):
                return True
            case ast.IfExp() if node is not around.test:
                return True
            case ast.BoolOp() if node is not around.values[0]:
                return True
        node = around
    return False


def _is_called_there(file: PythonFile, function: ast.Lambda) -> bool:
    """Whether a lambda is called by the statement that defines it: right there, or by what it is
    handed to.
    """
    around = file.parents.get(function)
    if isinstance(around, ast.keyword):
        around = file.parents.get(around)
    if not isinstance(around, ast.Call):
        return False
    name = ast.unparse(around.func).rpartition(".")[2]
    return around.func is function or name in _CALLING


def _first_line(node: ast.stmt) -> int:
    """Where a statement begins, with its decorators."""
    decorators = getattr(node, "decorator_list", ())
    first: int = min([node.lineno, *(part.lineno for part in decorators)])
    return first


def _at_import(body: Sequence[ast.stmt], sure: bool) -> Iterator[tuple[ast.stmt, bool]]:
    """The statements that run when a module is imported; those in blocks and classes too."""
    for node in body:
        if isinstance(node, ast.If) and any(
            word in ast.unparse(node.test) for word in ("__main__", "TYPE_CHECKING")
        ):
            continue
        yield node, sure
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        guarded = isinstance(node, (ast.If, ast.Try, ast.While))
        for part in ("body", "orelse", "finalbody"):
            inner = getattr(node, part, [])
            if isinstance(inner, list):
                yield from _at_import(inner, sure and not guarded)


def _inside(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a function in the order of the text, those of its own functions aside."""
    for node in body:
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for part in ("body", "orelse", "handlers", "finalbody", "cases"):
            inner = getattr(node, part, [])
            for each in inner if isinstance(inner, list) else ():
                if isinstance(each, ast.stmt):
                    yield from _inside([each])
                else:
                    yield from _inside(each.body)
