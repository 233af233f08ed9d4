"""The code of a program that a start reaches; unknown where that cannot be decided."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from reviewers.facts.python_file import Function, PythonFile, template
from reviewers.facts.python_nodes import last_name, walk
from reviewers.steps import spend

_NOT_A_LETTER = re.compile(r"[\W_]+")
# With these a name that the code makes up may reach any definition.
_BY_NAME = frozenset(
    {"eval", "exec", "globals", "hydra.utils.instantiate", "importlib.import_module", "vars"}
)


class Unit:
    """A module without its definitions, a class without its methods, or a whole function.

    Args:
        qualified: the name with those around it; empty for a module.
        owner: the class or module around it.
    """

    def __init__(
        self, file: PythonFile, node: ast.AST, qualified: str, owner: "Unit | None"
    ) -> None:
        self.file, self.node, self.qualified, self.owner = file, node, qualified, owner
        self.nodes: list[ast.AST] = []

    @property
    def name(self) -> str:
        return self.qualified.rpartition(".")[2]

    @property
    def is_module(self) -> bool:
        return self.owner is None

    @property
    def line(self) -> int:
        return getattr(self.node, "lineno", 1)

    @property
    def is_dunder(self) -> bool:
        return self.name.startswith("__") and self.name.endswith("__")

    @cached_property
    def is_called_from_outside(self) -> bool:
        """Whether a library may call it: as a decorated function, or a method that a base class
        knows.
        """
        owner = self.owner.node if self.owner else None
        return (
            bool(getattr(self.node, "decorator_list", ()))
            or self.is_dunder
            or (isinstance(owner, ast.ClassDef) and bool(owner.bases))
        )

    @cached_property
    def calls(self) -> tuple[tuple[ast.Call, str | None, str], ...]:
        """Each call with its dotted name, if it has one, and the last part of that."""
        spend(len(self.nodes))
        return tuple(
            (node, self.file.resolve(node.func), last_name(node.func))
            for node in self.nodes
            if isinstance(node, ast.Call)
        )

    @cached_property
    def dotted(self) -> frozenset[str]:
        """The dotted names of all that it reads, imports resolved."""
        spend(len(self.nodes))
        found = (
            self.file.resolve(node)
            for node in self.nodes
            if isinstance(node, (ast.Name, ast.Attribute))
        )
        return frozenset(name for name in found if name)

    @cached_property
    def mentions(self) -> frozenset[str]:
        """The names by which it may reach a definition, texts that are names included."""
        spend(len(self.nodes))
        found: set[str] = set()
        exported = {
            id(part)
            for node in self.nodes
            if isinstance(node, ast.Assign) and "__all__" in map(last_name, node.targets)
            for part in walk(node.value)
        }
        for node in self.nodes:
            if id(node) in exported:
                continue
            match node:
                case ast.Name(id=name):
                    found |= {name, self.file.aliases.get(name, name).rpartition(".")[2]}
                case ast.Attribute(attr=name) | ast.Constant(value=str(name)):
                    found.add(name)
        return frozenset(found)

    def values(self, name: str) -> list[ast.expr]:
        """What plain assignments give to a name, here or else in what is around it."""
        unit: Unit | None = self
        while unit is not None and name not in unit._assigned:
            unit = unit.owner
        return unit._assigned[name] if unit else []

    @cached_property
    def _assigned(self) -> Mapping[str, list[ast.expr]]:
        found: dict[str, list[ast.expr]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        found.setdefault(target.id, []).append(node.value)
        return found

    @cached_property
    def texts(self) -> frozenset[str]:
        """Its texts, and the names of arguments and attributes: what may name a key or a file. What
        it only reads by (`row["loss"]`, `row.get("loss")`) and docstrings are left out.
        """
        spend(len(self.nodes))
        found: set[str] = set()
        read: set[int] = set()
        for node in self.nodes:
            match node:
                case ast.Expr(value=value):
                    read.add(id(value))
                case ast.Subscript(slice=key, ctx=ast.Load()):
                    read.add(id(key))
                case ast.Call(func=ast.Attribute(attr="get"), args=[key, *_]):
                    read.add(id(key))
                case ast.Constant(value=str(text)) if id(node) not in read:
                    found.add(text)
                case ast.JoinedStr():
                    found.add(template(node))
                case ast.keyword(arg=str(name)) | ast.Attribute(attr=name):
                    found.add(name)
                case ast.arg(arg=name) if getattr(self.node, "decorator_list", ()):
                    found.add(name)  # libraries make options of them
                case ast.AnnAssign(target=ast.Name(id=name)) if not isinstance(self.node, Function):
                    found.add(name)
        return frozenset(found)

    @cached_property
    def is_open(self) -> bool:
        """Whether it reaches what it finds by a name that is made up."""
        return any(
            dotted in _BY_NAME
            or (dotted == "getattr" and len(call.args) > 1 and not _is_text(call.args[1]))
            for call, dotted, _ in self.calls
        )


@dataclass(frozen=True, slots=True)
class Reachable:
    """The units that one start reaches, in the order of the program."""

    units: tuple[Unit, ...]
    among: frozenset[Unit]


class Program:
    """All Python files of a submission, as what is started."""

    def __init__(self, python: Mapping[str, PythonFile]) -> None:
        self.python = python
        self.units = [unit for file in python.values() for unit in _units(file)]
        self.modules = {file.module: path for path, file in python.items()}
        self._reached: dict[str | None, Reachable] = {}

    @cached_property
    def by_place(self) -> Mapping[tuple[str, str], Unit]:
        """Units by path and qualified name; of several the last, which is the one that counts."""
        return {(unit.file.path, unit.qualified): unit for unit in self.units}

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of all definitions."""
        return frozenset(unit.name for unit in self.units)

    @cached_property
    def starts(self) -> tuple[str, ...]:
        """The files that are started: by `__name__ == "__main__"` or Hydra."""
        return tuple(
            unit.file.path
            for unit in self.units
            if unit.is_module
            and any(isinstance(node, ast.Compare) and _asks_main(node) for node in unit.nodes)
        )

    @cached_property
    def mentions(self) -> frozenset[str]:
        """What the code that is reached mentions."""
        return frozenset[str]().union(*(unit.mentions for unit in self.reach(None).units))

    def callers(self, unit: Unit) -> list[Unit]:
        """The other units, of those that are reached, which mention a name."""
        return [one for one in self._mentioning.get(unit.name, ()) if one is not unit]

    @cached_property
    def _mentioning(self) -> Mapping[str, list[Unit]]:
        found: dict[str, list[Unit]] = {name: [] for name in self.names}
        for unit in self.reach(None).units:
            for name in unit.mentions & found.keys():
                found[name].append(unit)
        return found

    def beside(self, reach: Reachable) -> list[Unit]:
        """The units that only other starts reach."""
        spend(len(self.units))
        return [unit for unit in self.reach(None).units if unit not in reach.among]

    def reach(self, start: str | None) -> Reachable:
        """What the start of a file reaches; of all files where it is None."""
        if start not in self._reached:
            self._reached[start] = self._follow(start)
        return self._reached[start]

    def _follow(self, start: str | None) -> Reachable:
        paths = set(self.python) if start is None else self._imported_by(start)
        inside = [unit for unit in self.units if unit.file.path in paths]
        waiting = [unit for unit in inside if unit.is_module]
        by_name: dict[str, list[Unit]] = defaultdict(list)
        for unit in inside:
            if not unit.is_module:
                by_name["" if unit.is_called_from_outside else unit.name].append(unit)
        waiting += by_name.pop("", [])
        reached: set[Unit] = set()
        while waiting:
            unit = waiting.pop()
            reached.add(unit)
            if unit.is_open:
                reached.update(inside)
                break
            for name in unit.mentions & by_name.keys():
                waiting += by_name.pop(name)
        spend(len(inside))
        return Reachable(tuple(unit for unit in inside if unit in reached), frozenset(reached))

    def _imported_by(self, start: str) -> set[str]:
        found: set[str] = set()
        waiting = [start]
        while waiting:
            path = waiting.pop()
            if path in found:
                continue
            found.add(path)
            file = self.python[path]
            beside = file.module.rpartition(".")[0]
            for item in file.imports:
                module = file.absolute(item)
                names = [module, f"{module}.{item.name}"]
                names += [f"{beside}.{name}" for name in names]
                waiting += [self.modules[name] for name in names if name in self.modules]
        return found


def plain(text: str) -> str:
    """A name without case and signs."""
    return _NOT_A_LETTER.sub("", text).lower()


def _units(file: PythonFile) -> Iterator[Unit]:
    """The units of a file in the order of the text, the module first."""
    if file.readable is None:
        return
    module = Unit(file, file.readable, "", None)
    unit_of: dict[ast.AST, Unit] = {}
    yield module
    for node in file.nodes:
        if isinstance(node, (ast.operator, ast.unaryop, ast.cmpop, ast.boolop)):
            continue  # one node stands for all of its kind
        unit = unit_of[file.parents[node]] if node in file.parents else module
        if isinstance(node, (Function, ast.ClassDef)) and not isinstance(unit.node, Function):
            unit = Unit(file, node, f"{unit.qualified}.{node.name}".lstrip("."), unit)
            yield unit
        unit_of[node] = unit
        unit.nodes.append(node)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def _asks_main(node: ast.Compare) -> bool:
    return any(
        isinstance(part, ast.Constant) and part.value == "__main__"
        for part in (node.left, *node.comparators)
    )
