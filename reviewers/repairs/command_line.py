"""The command line of a process that code starts, as the code puts it together."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from reviewers.facts import Facts
from reviewers.facts.python_file import PythonFile, template
from reviewers.facts.python_nodes import Function
from reviewers.repairs.edits import PythonEdits

_DEEPEST = 6  # names, functions and lists, one in the other
_SEQUENCES = frozenset({"list", "tuple", "shlex.split", "copy.copy"})
_UNSURE = (ast.If, ast.IfExp, ast.For, ast.While)
_Given = tuple[ast.expr, PythonFile]


@dataclass(frozen=True, eq=False, slots=True)
class Element:
    """What stands for one word of a command line in the code, or a text with several."""

    code: PythonEdits
    node: ast.expr

    @property
    def text(self) -> str:
        """The text, with `{}` for each value in it; empty if it is not a string."""
        return template(self.node)

    @property
    def around(self) -> ast.AST | None:
        """What it is a part of."""
        return self.code.file.parents.get(self.node)

    @property
    def function(self) -> Function | None:
        """The function in which it stands."""
        around = self.code.file.ancestors(self.node)
        return next((each for each in around if isinstance(each, Function)), None)

    @property
    def gap(self) -> str:
        """What separates it from another one, which has a line of its own if it has."""
        start, _ = self.code.span(self.node)
        before = self.code.file.text[:start].rpartition("\n")[2]
        return ", " if before.strip() else f",\n{before}"

    @property
    def is_sure(self) -> bool:
        """Whether no condition stands around it."""
        return not any(isinstance(each, _UNSURE) for each in self.code.file.ancestors(self.node))


class CommandLine:
    """The elements of the command line that a call which starts a process is given."""

    def __init__(self, facts: Facts, path: str, call: ast.Call) -> None:
        self._facts = facts
        self._seen: set[ast.AST] = set()
        named = (each.value for each in call.keywords if each.arg == "args")
        given = next(iter(call.args), None) or next(named, None)
        file = facts.python[path]
        self.elements = [*self._sequence(given, file, _DEEPEST)] if given is not None else []

    def _sequence(self, node: ast.expr, file: PythonFile, depth: int) -> Iterator[Element]:
        """The elements of what a list, or a text, is put together from."""
        if node in self._seen or not depth:
            return
        self._seen.add(node)
        match node:
            case ast.List(elts=listed) | ast.Tuple(elts=listed):
                elements = listed
            case ast.Dict(keys=keys):
                elements = [key for key in keys if key is not None]
            case ast.Constant(value=str()) | ast.JoinedStr():
                elements = [node]
            case _:
                elements = []
                for part, where in self._behind(node, file):
                    yield from self._sequence(part, where, depth - 1)
        for each in elements:
            if isinstance(each, ast.Starred):
                yield from self._sequence(each.value, file, depth - 1)
            else:
                yield Element(PythonEdits(self._facts, file.path), each)

    def _behind(self, node: ast.expr, file: PythonFile) -> Iterator[_Given]:
        """The lists or texts behind an expression."""
        match node:
            case ast.BinOp(left=first, op=ast.Add(), right=second):
                yield from ((first, file), (second, file))
            case ast.IfExp(body=first, orelse=second):
                yield from ((first, file), (second, file))
            case ast.ListComp(generators=[each]) | ast.GeneratorExp(generators=[each]):
                yield each.iter, file
            case ast.Call():
                yield from self._called(node, file)
            case ast.Name():
                yield from given_to(node, file)

    def _called(self, call: ast.Call, file: PythonFile) -> Iterator[_Given]:
        match call:
            case ast.Call(func=ast.Attribute(attr="join"), args=[joined]):
                yield joined, file
            case ast.Call(func=ast.Attribute(value=owner, attr="split" | "copy" | "items")):
                yield owner, file
            case ast.Call(func=func, args=[first]) if file.resolve(func) in _SEQUENCES:
                yield first, file
            case _ if (target := self._facts.local_code.target(file, call)) is not None:
                for each in ast.walk(target.function):
                    if isinstance(each, ast.Return) and each.value is not None:
                        yield each.value, target.file

    def meant(self, element: Element) -> list[Element]:
        """What an element that is only a name stands for; else the element itself."""
        if not isinstance(element.node, ast.Name):
            return [element]
        return [
            Element(PythonEdits(self._facts, file.path), given)
            for given, file in given_to(element.node, element.code.file)
        ]


def given_to(name: ast.Name, file: PythonFile) -> Iterator[_Given]:
    """What a name is given, by an assignment or by calls, and what is put behind that later."""
    bound = file.bindings(name)
    for each in bound:
        made = file.parents.get(each)
        if isinstance(made, ast.Assign | ast.AnnAssign | ast.AugAssign) and made.value is not None:
            yield made.value, file
        elif isinstance(each, ast.arg):
            yield from _passed(each, file)
    for call in file.calls_of(".append", ".extend", ".insert"):
        method, given = call.node.func, call.node.args[-1:]
        if not isinstance(method, ast.Attribute) or not isinstance(method.value, ast.Name):
            continue
        for last in given if file.bindings(method.value) == bound else ():
            yield (last if method.attr == "extend" else ast.List([last], ast.Load())), file


def _passed(parameter: ast.arg, file: PythonFile) -> Iterator[_Given]:
    """What the calls in the same file give a parameter."""
    around = file.ancestors(parameter)
    function = next((each for each in around if isinstance(each, Function)), None)
    named = [each.arg for each in function.args.args] if function else []
    for call in file.calls if parameter.arg in named else ():
        if function is not None and call.name == function.name:
            at = named.index(parameter.arg)
            yield from ((given, file) for given in call.node.args[at : at + 1])
            yield from ((k.value, file) for k in call.node.keywords if k.arg == parameter.arg)
