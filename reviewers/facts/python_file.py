"""One Python file of a submission, parsed and never executed."""

import ast
import bisect
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from threading import Lock
from typing import Any, TypeVar, overload

from pyflakes import checker, messages

from reviewers.facts.defined_names import APART, all_are_defined
from reviewers.facts.parsing import SyntaxProblem, comments, parse, while_nobody_parses
from reviewers.facts.python_nodes import (
    Call,
    ClassDefinition,
    Definition,
    Function,
    Import,
    StringLiteral,
    UndefinedName,
    children,
    method_of,
    walk,
)
from reviewers.facts.recovery import Readable, readable
from reviewers.facts.scopes import Scopes
from reviewers.records import Span, lines_of
from reviewers.steps import fact, leave_out, spend

__all__ = [
    "Call", "ClassDefinition", "Definition", "Function", "Import", "PythonFile", "StringLiteral",
    "SyntaxProblem", "UndefinedName", "kept_file", "template",
]  # fmt: skip


_Node = TypeVar("_Node", bound=ast.AST)
_Other = TypeVar("_Other", bound=ast.AST)
_WORD = re.compile(r"\w+")
_DOTTED = frozenset({ast.Name, ast.Attribute})
_MOST_UNREAD = 100_000  # characters of a file that is too large; rules search the words of each
_MOST_KEPT = 500_000  # characters of all files, whose trees take a hundred times as much
_NOTEBOOK = ".ipynb.py"
_OF_A_SHELL = frozenset({"display", "get_ipython"})  # what IPython gives to the code that it runs
# They take names as texts.
_TYPES_IN_TEXTS = re.compile(r"\b(?:cast|TypeVar|TypedDict|NamedTuple)\b")
_MOST_UNDEFINED = 1_000  # names; nobody reads on


class _PlainCalls(checker.Checker):
    """Does not ask of each call, scope by scope, whether it is one of typing's."""

    def CALL(self, node: ast.Call) -> None:  # noqa: N802  pyflakes names it
        self.handleChildren(node)


class PythonFile:
    """What one file says; every property is computed when first asked for. Of a file that does not
    parse it is what the rest of it says, see `readable`.

    Files are shared between submissions (`kept_file`): a property depends on the arguments alone,
    and counts no steps.

    Args:
        undecodable: why Python cannot turn the file's bytes into text; the text has U+FFFD there.
        is_read: whether it is looked into; where not, it is as one that is nested too deeply, and
            its text ends early.
    """

    def __init__(
        self,
        path: str,
        text: str,
        undecodable: SyntaxProblem | None = None,
        *,
        is_read: bool = True,
    ) -> None:
        self.path = path
        self.text = text if is_read else text[:_MOST_UNREAD]
        self._undecodable = undecodable
        self._is_read = is_read
        self._resolved: dict[ast.AST, str | None] = {}  # rules ask the same of a node

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends; line n is at index n - 1."""
        return lines_of(self.text)

    @cached_property
    def module(self) -> str:
        """Dotted name from the submission's root: `src.train` for `src/train.py`, and for
        `src/__init__.py` that of its folder.
        """
        return f"/{self.path}".removesuffix(".py").removesuffix("/__init__")[1:].replace("/", ".")

    @cached_property
    def _parsed(self) -> ast.Module | SyntaxProblem | None:
        if self._undecodable is not None:
            return self._undecodable
        if not self._is_read:
            return None
        parsed = parse(self.text)
        if parsed is None:
            leave_out(f"{self.path}: not read, it is nested too deeply or holds too long a number")
        return parsed

    @cached_property
    def tree(self) -> ast.Module | None:
        """The syntax tree of the whole file; None if it does not parse, or is nested too deeply
        to be read. What the file does not say is only known where there is one.
        """
        return self._parsed if isinstance(self._parsed, ast.Module) else None

    @cached_property
    def readable(self) -> ast.Module | None:
        """The tree, or that of what is left without the statements that do not parse; None if
        nothing can be read.
        """
        rest = self._rest
        return self.tree if rest is None else rest.tree

    @property
    def set_aside(self) -> tuple[tuple[int, int], ...]:
        """First and last line, 1-based, of each statement that does not parse."""
        return self._rest.set_aside if self._rest else ()

    @fact
    def _rest(self) -> Readable | None:
        return readable(self.text) if isinstance(self._parsed, SyntaxProblem) else None

    @property
    def syntax_error(self) -> SyntaxProblem | None:
        """Why the file does not parse; None if it does, or where that is unknown."""
        return self._parsed if isinstance(self._parsed, SyntaxProblem) else None

    @property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the tree but contexts (`Load`, …), parents before children, in the order of
        the text.
        """
        found, _ = self._walked
        spend(len(found))  # a caller goes through them all
        return found

    @overload
    def of(self, one: type[_Node], other: type[_Other], /) -> Sequence[_Node | _Other]: ...
    @overload
    def of(self, *kinds: type[_Node]) -> Sequence[_Node]: ...
    def of(self, *kinds: type[Any]) -> Sequence[Any]:
        """The nodes of some types, in the order of the text: sought once for each choice of types
        that is asked for.
        """
        found = self._sought(*kinds)
        spend(len(found))
        return found

    def _sought(self, *kinds: type[_Node]) -> Sequence[_Node]:
        found = self._of.get(kinds)
        if found is None:
            meant = {kind for kind in self._by_kind if issubclass(kind, kinds)}
            if len(meant) > 1:
                found = [node for node in self._walked[0] if type(node) in meant]
            else:
                found = [node for kind in meant for node in self._by_kind[kind]]
            self._of[kinds] = found
        return found

    @cached_property
    def _by_kind(self) -> Mapping[type[ast.AST], list[Any]]:
        found: dict[type[ast.AST], list[Any]] = {}
        for node in self._walked[0]:
            found.setdefault(type(node), []).append(node)
        return found

    @cached_property
    def _of(self) -> dict[tuple[type[ast.AST], ...], Sequence[Any]]:
        return {}

    @cached_property
    def parents(self) -> Mapping[ast.AST, ast.AST]:
        """The parent of every node but the root."""
        return self._walked[1]

    @cached_property
    def _walked(self) -> tuple[tuple[ast.AST, ...], Mapping[ast.AST, ast.AST]]:
        found: list[ast.AST] = []
        parents: dict[ast.AST, ast.AST] = {}
        waiting: list[ast.AST] = [self.readable] if self.readable is not None else []
        while waiting:
            node = waiting.pop()
            found.append(node)
            if below := children(node):
                parents.update(dict.fromkeys(below, node))
                waiting += reversed(below)
        return tuple(found), parents

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, innermost first."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    @cached_property
    def comments(self) -> tuple[tuple[int, str], ...]:
        """The line and the text of each comment, from its `#` on."""
        return tuple(comments(self.text)) if self.tree is not None and "#" in self.text else ()

    @cached_property
    def scopes(self) -> Scopes | None:
        """Which definition each name stands for; None for a file without a tree."""
        return Scopes(self.readable) if self.readable else None

    def bindings(self, name: ast.Name) -> tuple[ast.AST, ...]:
        """What gives a name its value; nothing in a file without a tree."""
        return self.scopes.bindings(name) if self.scopes else ()

    def only_value(self, name: ast.expr | None) -> ast.expr | None:
        """What a plain assignment gives a name to which nothing else gives a value."""
        bound = self.bindings(name) if isinstance(name, ast.Name) else ()
        made = self.parents.get(bound[0]) if len(bound) == 1 else None
        return made.value if isinstance(made, ast.Assign) and made.targets == [*bound] else None

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """Every function, method and class in the order of the text."""
        return tuple(_definitions(self.readable, "")) if self.readable else ()

    @cached_property
    def functions(self) -> Mapping[str, Function]:
        """Functions and methods by qualified name; of several with one name the last, which is the
        one that counts.
        """
        return {
            found.name: found.node
            for found in self.definitions
            if not isinstance(found.node, ast.ClassDef)
        }

    @cached_property
    def classes(self) -> Mapping[str, ClassDefinition]:
        """Classes by qualified name."""
        return {
            found.name: ClassDefinition(
                found.name,
                found.node,
                tuple(self.resolve(base) for base in found.node.bases),
                {item.name: item for item in found.node.body if isinstance(item, Function)},
                found.line,
                found.end_line,
            )
            for found in self.definitions
            if isinstance(found.node, ast.ClassDef)
        }

    @cached_property
    def class_of(self) -> Mapping[ast.AST, ClassDefinition]:
        """The class that a class statement or a method belongs to."""
        found: dict[ast.AST, ClassDefinition] = {}
        for cls in self.classes.values():
            found[cls.node] = cls
            found.update({item: cls for item in cls.node.body if isinstance(item, Function)})
        return found

    @cached_property
    def _scopes(self) -> tuple[list[int], list[str]]:
        """Sorted first lines and the scope from each of them on."""
        starts, names = [1], [""]

        def put(line: int, name: str) -> None:
            if starts[-1] == line:
                names[-1] = name
            else:
                starts.append(line)
                names.append(name)

        open_: list[Definition] = []
        for found in self.definitions:
            while open_ and open_[-1].end_line < found.line:
                ended = open_.pop()
                put(ended.end_line + 1, open_[-1].name if open_ else "")
            put(found.line, found.name)
            open_.append(found)
        while open_:
            ended = open_.pop()
            put(ended.end_line + 1, open_[-1].name if open_ else "")
        return starts, names

    def in_full(self, name: str) -> str:
        """A dotted name with what its first part is imported as here: `np.mean` is `numpy.mean`.
        What is told in full is not taken for a part of a name that is imported from it: after
        `from tqdm import tqdm`, `tqdm.tqdm` is no attribute of itself.
        """
        first, _, rest = name.partition(".")
        known = self.aliases.get(first) if rest else None
        is_full = known is not None and f"{name}.".startswith(f"{known}.") and known != first
        return f"{known}.{rest}" if known and not is_full else name

    def scope_at(self, line: int) -> str:
        """The qualified name of the innermost function, method or class around a line; empty at
        module level.
        """
        starts, names = self._scopes
        return names[max(bisect.bisect_right(starts, line) - 1, 0)]

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """Every imported name, wherever the import stands."""
        found: list[Import] = []
        for node in self._sought(ast.Import, ast.ImportFrom):
            place = node.lineno, self._guarded(node), self.scope_at(node.lineno)
            if isinstance(node, ast.Import):
                for alias in node.names:
                    bound = alias.asname or alias.name.partition(".")[0]
                    found.append(Import(alias.name, None, bound, 0, *place))
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    given = None if alias.name == "*" else alias.asname or alias.name
                    found.append(Import(node.module or "", alias.name, given, node.level, *place))
        return tuple(found)

    @cached_property
    def packages(self) -> frozenset[str]:
        """The top-level names from which it imports, wherever the import stands; a relative import
        names none.
        """
        return frozenset(item.module.partition(".")[0] for item in self.imports if not item.level)

    def imports_of(self, top: str) -> Iterator[Span]:
        """Where the file imports from a package, or a module, as soon as it is loaded."""
        for item in self.imports:
            if item.module.partition(".")[0] == top and not (item.level or item.scope):
                yield Span(self.path, item.line)

    def _guarded(self, node: ast.AST) -> bool:
        for around in self.ancestors(node):
            if isinstance(around, (ast.Try, ast.TryStar)) and around.handlers:
                return True
            if isinstance(around, ast.If) and "TYPE_CHECKING" in ast.unparse(around.test):
                return True
        return False

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """The dotted name behind each imported name; relative imports are resolved from this file's
        own folder.
        """
        found: dict[str, str] = {}
        for item in self.imports:
            if item.bound is None:
                continue
            if item.name is None:
                found[item.bound] = (
                    item.module if item.bound != item.module.partition(".")[0] else item.bound
                )
            else:
                found[item.bound] = f"{self.absolute(item)}.{item.name}".lstrip(".")
        return found

    @cached_property
    def names_read(self) -> frozenset[str]:
        """The plain names that anything in the file reads."""
        return frozenset(node.id for node in self.of(ast.Name) if isinstance(node.ctx, ast.Load))

    @cached_property
    def modules(self) -> frozenset[str]:
        """The names that a plain `import` binds, each of which is a module."""
        return frozenset(item.bound for item in self.imports if item.bound and not item.name)

    def absolute(self, item: Import) -> str:
        """The dotted module that an import mentions, relative ones resolved from this file's own
        folder.
        """
        return self.absolute_module(item.module, item.level)

    def absolute_module(self, module: str, level: int) -> str:
        """The dotted module behind a module with leading dots; it keeps a dot where they lead out
        of the submission.
        """
        if level == 0:
            return module
        above = self.path.split("/")[:-1]
        if level > len(above) + 1:
            return f".{module}"
        folder = above[: len(above) + 1 - level]
        return ".".join([*folder, *([module] if module else [])])

    def resolve(self, node: ast.AST) -> str | None:
        """The dotted name of a name or attribute chain with import aliases resolved; None for any
        other expression, and where something else hides the import.
        """
        if type(node) not in _DOTTED:
            return None
        if node not in self._resolved:
            self._resolved[node] = self._dotted(node)
        return self._resolved[node]

    def _dotted(self, node: ast.AST) -> str | None:
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        dotted = self.aliases.get(node.id)
        if dotted is not None and self._hides_import(node):
            return None
        return ".".join([dotted or node.id, *reversed(parts)])

    def _hides_import(self, name: ast.Name) -> bool:
        """Whether a name that is imported somewhere in the file is bound to something else here."""
        meant = self.scopes.meant(name) if self.scopes else ()
        if not any(isinstance(one, ast.alias) for one in meant):
            return bool(meant)
        before = [one for one in meant if getattr(one, "lineno", 0) < name.lineno]
        return bool(before[1:]) and self._is_given(before[-1], name)

    def _is_given(self, store: ast.AST, name: ast.Name) -> bool:
        """Whether an assignment in a block around a name, before it, gives it its value."""
        statement = self.parents.get(store)
        if not isinstance(statement, ast.Assign):
            return False
        around = self.parents.get(statement)
        inside = takewhile(lambda one: not isinstance(one, Function), self.ancestors(name))
        ways = {name, *inside}
        blocks = (getattr(around, part, None) for part in ("body", "orelse", "finalbody"))
        return any(
            isinstance(block, list) and statement in block and not ways.isdisjoint(block)
            for block in blocks
        )

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """Every call in the order of the text."""
        return tuple(
            Call(self.resolve(node.func), node, self.scope_at(node.lineno))
            for node in self._sought(ast.Call)
        )

    @cached_property
    def _calls_by_end(self) -> Mapping[str, list[tuple[int, Call]]]:
        """The calls with their places among all, by the last part of what is called."""
        found: dict[str, list[tuple[int, Call]]] = {}
        for place, call in enumerate(self.calls):
            name = call.name or method_of(call.node)
            found.setdefault(name.rpartition(".")[2], []).append((place, call))
        return found

    def calls_of(self, *names: str) -> Iterator[Call]:
        """The calls of these resolved names; a name that begins with a dot stands for its endings
        (`.log`).
        """
        endings = tuple(name for name in names if name.startswith("."))
        ends = {name.rpartition(".")[2] for name in names}
        for _, call in sorted(one for end in ends for one in self._calls_by_end.get(end, ())):
            if call.name is None:
                if f".{method_of(call.node)}" in endings:
                    yield call
            elif call.name in names or (endings and call.name.endswith(endings)):
                yield call

    @cached_property
    def assigned(self) -> Mapping[str, list[ast.expr]]:
        """The values that plain assignments give to each name, wherever they stand, in the order of
        the text.
        """
        found: dict[str, list[ast.expr]] = {}
        for node in self._sought(ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
        return found

    @cached_property
    def strings(self) -> tuple[StringLiteral, ...]:
        """Every string literal and f-string in the order of the text."""
        docstrings = {id(node.value) for node in self._sought(ast.Expr)}
        templates = self._sought(ast.JoinedStr)
        inside = {id(part) for node in templates for part in walk(node) if part is not node}
        found: list[StringLiteral] = []
        for node in self._sought(ast.JoinedStr, ast.Constant):
            if isinstance(node, ast.JoinedStr) and id(node) not in inside:
                end = node.end_lineno or node.lineno
                found.append(StringLiteral(template(node), node.lineno, end, False, node))
            elif (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and id(node) not in inside
            ):
                end = node.end_lineno or node.lineno
                found.append(
                    StringLiteral(node.value, node.lineno, end, id(node) in docstrings, node)
                )
        return tuple(found)

    @cached_property
    def top_level_names(self) -> frozenset[str] | None:
        """What the module defines for others to import; None if a star import, a `__getattr__`
        or what cannot be read leaves that open.
        """
        if self.tree is None:
            return None
        names: set[str] = set()
        for node in self._walked[0]:
            if (
                isinstance(node, ast.Name)
                and isinstance(node.ctx, (ast.Store, ast.Del))
                and not self.scope_at(node.lineno)
            ):
                names.add(node.id)
            elif isinstance(node, ast.Global):
                names.update(node.names)
        names.update(name for name in (*self.functions, *self.classes) if "." not in name)
        for item in self.imports:
            if item.bound is None:
                return None
            if not item.scope:
                names.add(item.bound)
        return (
            None if "__getattr__" in names or _writes_globals(self._walked[0]) else frozenset(names)
        )

    @cached_property
    def undefined_names(self) -> tuple[UndefinedName, ...]:
        """Names that nothing defines, or nothing in time, by their first use; nothing is known
        under a star import.
        """
        tree = self.readable
        if tree is None or any(item.name == "*" for item in self.imports):
            return ()
        names_types = _TYPES_IN_TEXTS.search(self.text) is not None
        if not names_types and self._defines_all():
            return ()
        aside = {
            word
            for first, last in self.set_aside
            for line in self.lines[first - 1 : last]
            for word in _WORD.findall(line)
        }
        found: dict[str, dict[int, bool]] = {}
        bound: dict[str, int] = {}
        given = _OF_A_SHELL if self.path.endswith(_NOTEBOOK) else ()
        checks = checker.Checker if names_types else _PlainCalls
        try:
            told = while_nobody_parses(
                lambda: checks(tree, builtins=given, filename=self.path).messages
            )
        except RecursionError:
            return ()
        undefined = [each for each in told if isinstance(each, messages.UndefinedName)]
        known = aside | self._asked_for({str(each.message_args[0]) for each in undefined})
        for message in undefined:
            name = str(message.message_args[0])
            if name not in known and (name in found or len(found) < _MOST_UNDEFINED):
                node = self._names.get((name, message.lineno, message.col))
                lines = found.setdefault(name, {})
                evaluated = node is not None and self.is_evaluated(node)
                lines[message.lineno] = lines.get(message.lineno, False) or evaluated
                if (later := self._bound_at(name, message.lineno, message.col)) is not None:
                    bound.setdefault(name, later)
        return tuple(
            UndefinedName(
                name,
                min([line for line, evaluated in lines.items() if evaluated] or lines),
                tuple(sorted(lines)),
                any(lines.values()),
                bound.get(name),
            )
            for name, lines in found.items()
        )

    def _defines_all(self) -> bool:
        """Whether it is plain that every name has a value where it is used."""
        apart, scopes = self._sought(*APART), self.scopes
        return scopes is not None and all_are_defined(scopes, self.parents, apart, self.resolve)

    def _asked_for(self, names: Collection[str]) -> set[str]:
        """Those of the names of which the code itself asks whether something gave them a value."""
        return {
            node.id
            for node in self._walked[0]
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names
            if any(_asks_for(node.id, around) for around in self.ancestors(node))
        }

    def _bound_at(self, name: str, line: int, column: int) -> int | None:
        """The first line that binds a name in the scope of its use."""
        node = self._names.get((name, line, column))
        places = self.bindings(node) if node else ()
        return min(
            (
                place.lineno
                for place in places
                if isinstance(place, (ast.stmt, ast.expr, ast.alias, ast.arg))
            ),
            default=None,
        )

    def is_evaluated(self, node: ast.AST) -> bool:
        """Whether Python works out an expression of this file: not in an annotation that it keeps
        as text, or never looks at.
        """
        child = node
        for around in self.ancestors(node):
            if isinstance(around, ast.arg) or (
                isinstance(around, Function) and child is around.returns
            ):
                return not self._keeps_annotations
            if isinstance(around, ast.AnnAssign) and child is around.annotation:
                return not self._keeps_annotations and not self._in_function(around)
            child = around
        return True

    @cached_property
    def _names(self) -> Mapping[tuple[str, int, int], ast.Name]:
        return {
            (node.id, node.lineno, node.col_offset): node
            for node in self._walked[0]
            if isinstance(node, ast.Name)
        }

    def _in_function(self, node: ast.AST) -> bool:
        around = next(
            (
                outer
                for outer in self.ancestors(node)
                if isinstance(outer, (Function, ast.ClassDef))
            ),
            None,
        )
        return isinstance(around, Function)

    @cached_property
    def _keeps_annotations(self) -> bool:
        return any(
            item.module == "__future__" and item.name == "annotations" for item in self.imports
        )


class _Kept:
    """The files that were read of late, the latest last: attempts share most of theirs."""

    def __init__(self) -> None:
        self._files: dict[tuple[str, str], PythonFile] = {}
        self._characters = 0
        self._lock = Lock()

    def get(self, path: str, text: str) -> PythonFile:
        with self._lock:
            file = self._files.pop((path, text), None)
            self._characters -= len(text) if file is not None else 0
        # What is left out of a file that is not read must be said of each submission.
        if file is None or file.tree is None:
            file = PythonFile(path, text)
        with self._lock:
            self._characters += len(text) if (path, text) not in self._files else 0
            self._files[path, text] = file
            while self._characters > _MOST_KEPT:
                first = next(iter(self._files))
                del self._files[first]
                self._characters -= len(first[1])
        return file


kept_file = _Kept().get
"""The file of a path and text: the one that was read for another submission, where it is kept."""


def _asks_for(name: str, around: ast.AST) -> bool:
    """Whether what stands around a name expects that nothing gave it a value: a condition with it
    as a text, `"x" in locals()`, a handler for NameError, and of a shell's names any handler.
    """
    match around:
        case ast.If(test=test) | ast.IfExp(test=test):
            tests = [test]
        case ast.BoolOp(values=tests):
            pass
        case ast.Try(handlers=handlers) | ast.TryStar(handlers=handlers):
            caught = [ast.unparse(each.type) for each in handlers if each.type is not None]
            return bool(handlers) and (name in _OF_A_SHELL or "NameError" in " ".join(caught))
        case _:
            return False
    parts = (part for test in tests for part in walk(test))
    return any(isinstance(part, ast.Constant) and part.value == name for part in parts)


def template(node: ast.expr) -> str:
    """The text of a string constant or f-string, with `{}` for each value; empty for any other
    expression.
    """
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            template(part) if isinstance(part, ast.Constant) else "{}" for part in node.values
        )
    return ""


def _definitions(node: ast.AST, outer: str) -> Iterator[Definition]:
    for child in children(node):
        if isinstance(child, (Function, ast.ClassDef)):
            name = f"{outer}.{child.name}" if outer else child.name
            first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            yield Definition(name, child, first, child.end_lineno or child.lineno)
            yield from _definitions(child, name)
        elif not isinstance(child, ast.expr):
            yield from _definitions(child, outer)


def _writes_globals(nodes: tuple[ast.AST, ...]) -> bool:
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "globals"
        for node in nodes
    )
