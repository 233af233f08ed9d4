"""The code of the submission that a piece of code may run: itself, the modules that it imports, and
each function and class that it names, transitively.

It is an upper bound. A method counts as reached if reached code reads an attribute of its name, so
what is not found here is nowhere; `gaps` lists what the text alone cannot bound.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import Function, children, root_of, walk

_OPENS = frozenset(
    {"exec", "eval", "__import__", "importlib.import_module", "runpy.run_module", "globals"}
    | {f"hydra.utils.{name}" for name in ("instantiate", "call", "get_method", "get_class")}
    | {"hydra.utils.get_object"}
)
_BY_NAME = frozenset({"getattr", "operator.attrgetter", "operator.methodcaller"})
_ASKS = frozenset({"hasattr", "print", "str", "type", "isinstance"})  # calls nothing of a module
_STARTS = ("subprocess.", "os.system", "os.popen", "os.exec", "os.spawn", "asyncio.create_sub")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file whose code belongs together.

    Attributes:
        name: the qualified name of the function, method or class; empty for the module's own code.
        nodes: its nodes, without those of the functions and methods inside it that are pieces of
            their own; parents before children, in the order of the text.
    """

    file: PythonFile
    name: str
    nodes: tuple[ast.AST, ...]


@dataclass(frozen=True, slots=True)
class Reached:
    """What a piece of code may run.

    Attributes:
        own: the pieces of the code itself.
        further: those of other code that it may run.
        gaps: why it may run more than that.
    """

    own: tuple[Piece, ...]
    further: tuple[Piece, ...]
    gaps: tuple[str, ...]

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All of them, its own first."""
        return self.own + self.further


class Reach:
    """Answers for any file or definition of a submission what its code may run."""

    def __init__(self, python: Mapping[str, PythonFile]) -> None:
        self._python = python
        self._modules = {file.module: file for file in python.values()}
        self._known: dict[tuple[str, str], Reached] = {}

    def of(self, path: str, name: str = "") -> Reached | None:
        """What a file runs, or one function or class in it; None if there is no such thing."""
        file = self._python.get(path)
        if file is None:
            return None
        if (path, name) not in self._known:
            own = tuple(self._within(file, name))
            if name and not own:
                return None
            self._known[path, name] = self._from(own)
        return self._known[path, name]

    @cached_property
    def everything(self) -> Reached:
        """All code of the submission."""
        own = tuple(piece for file in self._python.values() for piece in self._pieces(file))
        return Reached(own, (), tuple(dict.fromkeys(self._gaps(own, self._python.values()))))

    def _within(self, file: PythonFile, name: str) -> Iterator[Piece]:
        for piece in self._pieces(file):
            if not name or piece.name == name or piece.name.startswith(f"{name}."):
                yield piece

    def _from(self, own: tuple[Piece, ...]) -> Reached:
        found = dict.fromkeys((piece.file.path, piece.name) for piece in own)
        waiting, further = list(own), []
        loaded = self._process({piece.file.path: piece.file for piece in own}.values())
        while waiting:
            for piece in self._named_in(waiting.pop(), loaded):
                if (piece.file.path, piece.name) not in found:
                    found[piece.file.path, piece.name] = None
                    further.append(piece)
                    waiting.append(piece)
        files = {piece.file.path: piece.file for piece in (*own, *further)}
        gaps = dict.fromkeys(self._gaps((*own, *further), files.values()))
        return Reached(own, tuple(further), tuple(gaps))

    def _named_in(self, piece: Piece, files: frozenset[str]) -> Iterator[Piece]:
        """The pieces that one piece mentions: definitions by name, methods by attribute, and the
        own code of modules that it imports; those of other processes are left out.

        Args:
            files: the modules that are there in its process.
        """
        words: set[str] = set()
        for node in piece.nodes:
            match node:
                case ast.Name(id=word) | ast.Attribute(attr=word):
                    words.add(word)
                case ast.Import() | ast.ImportFrom():
                    words.update(alias.name.rpartition(".")[2] for alias in node.names)
                    yield from self._imported(piece.file, node)
                case (
                    ast.FunctionDef(decorator_list=[_, *_]) | ast.ClassDef(decorator_list=[_, *_])
                ) if self._is_given_away(piece, node.decorator_list):
                    words.add(node.name)
                case ast.Constant(value=str(text)) if text.rpartition(".")[0] in self._modules:
                    words.add(text.rpartition(".")[2])
        named = [one for word in words for one in self._defined.get(word, ())]
        if "." not in piece.name and piece.name in piece.file.classes:
            # Python calls special methods that nobody names.
            inside = self._within(piece.file, piece.name)
            named += (one for one in inside if one.name.rpartition(".")[2].startswith("__"))
        for word in words & _CALLED_BY_LIBRARIES.keys():
            named += self._defined.get(_CALLED_BY_LIBRARIES[word], ())
        yield from (one for one in named if one.file.path in files)

    def _is_given_away(self, piece: Piece, decorators: Iterable[ast.expr]) -> bool:
        """Whether a decorator of the submission's own gets a definition, and may keep or run it."""
        for one in decorators:
            name = piece.file.resolve(one.func if isinstance(one, ast.Call) else one)
            if name is None or name.rpartition(".")[2] in self._defined:
                return True
            if name.startswith("atexit."):
                return True
        return False

    def _process(self, files: Iterable[PythonFile]) -> frozenset[str]:
        """The modules that some files bring into one process: themselves, and what they import."""
        waiting, found = list(files), set[str]()
        while waiting:
            file = waiting.pop()
            if file.path in found:
                continue
            found.add(file.path)
            for item in file.imports:
                module = file.absolute(item)
                names = [module, f"{module}.{item.name}"]
                parts = module.split(".")
                names += [".".join(parts[:at]) for at in range(1, len(parts))]
                waiting += [self._modules[name] for name in names if name in self._modules]
        return frozenset(found)

    def _imported(self, file: PythonFile, node: ast.Import | ast.ImportFrom) -> Iterator[Piece]:
        for alias in node.names:
            names = [alias.name]
            if isinstance(node, ast.ImportFrom):
                module = file.absolute_module(node.module or "", node.level)
                names = [module, f"{module}.{alias.name}"]
            for name in names:
                if name in self._modules:
                    yield self._pieces(self._modules[name])[0]

    @cached_property
    def _defined(self) -> Mapping[str, list[Piece]]:
        """Every piece but modules' own code by the last part of its name."""
        found: dict[str, list[Piece]] = {}
        for file in self._python.values():
            for piece in self._pieces(file)[1:]:
                found.setdefault(piece.name.rpartition(".")[2], []).append(piece)
        return found

    def _pieces(self, file: PythonFile) -> tuple[Piece, ...]:
        """The module's own code first, then each definition in the order of the text."""
        if file.path not in self._split:
            self._split[file.path] = tuple(_split(file))
        return self._split[file.path]

    def _gaps(self, pieces: Iterable[Piece], files: Iterable[PythonFile]) -> Iterator[str]:
        """What the text does not bound: code that does not parse, and names made at run time."""
        for file in files:
            if file.tree is None and file.text.strip():
                yield f"{file.path} does not parse"
        for piece in pieces:
            for node in piece.nodes:
                match node:
                    case ast.ImportFrom(names=[ast.alias(name="*")]):
                        yield f"{piece.file.path} imports `*`"
                    case ast.Attribute(attr="modules") if piece.file.resolve(node) == "sys.modules":
                        yield f"{piece.file.path} takes modules of `sys.modules`"
                    case ast.Call(func=func, args=args):
                        called = piece.file.resolve(func)
                        if called in _OPENS:
                            yield f"{piece.file.path} calls `{called}`"
                        elif (called or "").startswith(_STARTS) and _is_program(node):
                            yield f"{piece.file.path} starts a program written in its words"
                        elif called == "getattr" and len(args) > 1 and _may_be_called(piece, node):
                            if self._is_library(member_of(piece, node)):
                                continue  # the caller asks `member_of` itself
                            yield f"{piece.file.path} calls `getattr` with a name made at run time"

    def _is_library(self, name: str | None) -> bool:
        """Whether a dotted name is of a library's module."""
        first = (name or "").partition(".")[0]
        return bool(first) and not any(
            module.partition(".")[0] == first for module in self._modules
        )

    @cached_property
    def _split(self) -> dict[str, tuple[Piece, ...]]:
        return {}


# A library calls these where code hands it an object that has them.
_CALLED_BY_LIBRARIES: Mapping[str, str] = {"Module": "forward", "Dataset": "__getitem__"}


def _split(file: PythonFile) -> Iterator[Piece]:
    inside: dict[ast.AST, str] = {
        found.node: found.name
        for found in file.definitions
        if isinstance(found.node, (Function, ast.ClassDef))
    }
    own: dict[str, list[ast.AST]] = {"": []}
    own.update({name: [] for name in inside.values()})
    waiting: list[tuple[ast.AST, str]] = [(file.readable, "")] if file.readable else []
    while waiting:
        node, name = waiting.pop()
        own[name].append(node)
        for child in reversed(children(node)):
            belongs = inside.get(node, name)
            outside = isinstance(node, (Function, ast.ClassDef)) and not (
                child in node.body or isinstance(child, ast.arguments)
            )
            waiting.append((child, name if outside else belongs))
    for name, nodes in own.items():
        yield Piece(file, name, tuple(nodes))


def member_of(piece: Piece, node: ast.AST) -> str | None:
    """What an expression may take of a module without naming it there, as a glob: `torch.*` where a
    name is made at run time, or where the module itself is used as a value.
    """
    match node:
        case ast.Call(func=func, args=[owner, name, *_]) if piece.file.resolve(func) == "getattr":
            root = root_of(owner)
            if isinstance(root, ast.Name) and root.id in piece.file.aliases:
                said = str(name.value) if isinstance(name, ast.Constant) else "*"
                return f"{piece.file.resolve(owner)}.{said}"
        case ast.Call(func=func, args=[ast.Constant(value=str(name))]) if (
            piece.file.resolve(func) in _BY_NAME
        ):
            return f"*.{name}"
        case ast.Attribute(attr="__dict__", value=ast.Name(id=name)) if name in piece.file.modules:
            return f"{piece.file.aliases[name]}.*"
        case ast.Name(id=name, ctx=ast.Load()) if name in piece.file.modules:
            parent = piece.file.parents.get(node)
            is_asked = isinstance(parent, ast.Call) and (
                piece.file.resolve(parent.func) in _ASKS | {"getattr"}
            )
            if not is_asked and not isinstance(parent, (ast.Attribute, ast.Compare, ast.If)):
                return f"{piece.file.aliases[name]}.*"
    return None


def is_of_types(piece: Piece, node: ast.AST) -> bool:
    """Whether a name only says of which type something is: in an annotation, for `isinstance`."""
    inner = node
    for around in piece.file.ancestors(node):
        match around:
            case ast.arg() | ast.ExceptHandler():
                return True
            case ast.AnnAssign():
                return inner is around.annotation
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return inner is around.returns
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass" | "type")):
                return True
            case ast.stmt():
                return False
        inner = around
    return False


def _is_program(call: ast.Call) -> bool:
    """Whether the words of a child process are code."""
    return any(
        isinstance(one, ast.Constant) and isinstance(one.value, str) and "-c" in one.value.split()
        for one in walk(call)
    )


def _may_be_called(piece: Piece, found: ast.Call) -> bool:
    """Whether what `getattr` gives for a name made at run time may be code that is called: what it
    takes of a module or a class may be; what a walk through an object takes step by step is an
    object again, and what is only handed on as a value is not called here.
    """
    owner, name = found.args[:2]
    if isinstance(name, ast.Constant):
        return False
    root = root_of(owner)
    if not isinstance(root, ast.Name) or root.id in {*piece.file.aliases, *piece.file.classes}:
        return True
    parent = piece.file.parents.get(found)
    while isinstance(parent, ast.IfExp):
        parent = piece.file.parents.get(parent)
    if isinstance(parent, (ast.Compare, ast.FormattedValue, ast.Expr, ast.keyword)):
        return False
    if isinstance(parent, ast.Call) and found is not parent.func:
        # A class keeps what it is made of; other code may call it.
        return getattr(parent.func, "id", "") not in piece.file.classes
    if not isinstance(parent, ast.Assign) or not isinstance(parent.targets[0], ast.Name):
        return True
    given = parent.targets[0].id
    if given == root.id:
        return False
    return any(
        (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == given)
        or (
            isinstance(node, ast.Return)
            and isinstance(node.value, ast.Name)
            and node.value.id == given
        )
        for node in piece.nodes
    )
