"""What a Python file holds, as values: imports, calls, definitions, strings, undefined names."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class UndefinedName:
    """A name that nothing defines, or nothing in time.

    Attributes:
        line: its first use; the first that Python evaluates, if any.
        lines: all lines where it is used.
        evaluated: whether Python ever looks it up; not so in an annotation that stays text.
        bound_at: where its own scope gives it a value after all, too late for that first use; None where nothing does.
    """

    name: str
    line: int
    lines: tuple[int, ...]
    evaluated: bool
    bound_at: int | None = None


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name.

    Attributes:
        module: dotted, as written after `from` or `import`, without leading dots; empty for `from . import x`.
        name: what is imported from the module; None for `import module`; `*` for a star.
        bound: the name it gets in this file; None for a star.
        level: leading dots.
        guarded: under `try` or `if TYPE_CHECKING`, so that its failing need not stop the file.
        scope: qualified name of the definition around it; empty at module level.
    """

    module: str
    name: str | None
    bound: str | None
    level: int
    line: int
    guarded: bool
    scope: str


@dataclass(frozen=True, slots=True)
class Call:
    """One call.

    Attributes:
        name: the dotted callee with import aliases resolved (`numpy.mean` for `np.mean`); None where it is no plain name.
        scope: qualified name of the definition around it.
    """

    name: str | None
    node: ast.Call
    scope: str

    @property
    def line(self) -> int:
        return self.node.lineno

    def keyword(self, name: str) -> ast.expr | None:
        """The value of a keyword argument, None where it is not given."""
        return next((keyword.value for keyword in self.node.keywords if keyword.arg == name), None)


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, method or class: `name` is qualified (`Model.forward`), lines count from 1 and include decorators."""

    name: str
    node: Function | ast.ClassDef
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class ClassDefinition:
    """A class with its bases as resolved dotted names (None where a base is no name) and its own methods."""

    name: str
    node: ast.ClassDef
    bases: tuple[str | None, ...]
    methods: Mapping[str, Function]
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class StringLiteral:
    """A string constant, or the constant pieces of an f-string joined by `{}`."""

    value: str
    line: int
    end_line: int
    is_docstring: bool
    is_template: bool


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """Yield the nodes of a function's body without those of the functions and classes inside it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))
