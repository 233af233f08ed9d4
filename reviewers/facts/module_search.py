"""How each started Python process finds the submission's modules, and which imports fail in it.

The top-level statements of its modules are followed in the order in which Python executes them.
`sys.path` begins with the script's own folder, or with the working directory under `-m`; then come
PYTHONPATH, the libraries, and what the installed project adds. A name of a module that is still
being imported exists once the statement that binds it has run. After a failure the analysis
continues as if it had been repaired, and a statement that may not be executed fails nothing: a
finding is certain, silence is not.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

from reviewers.facts.config_flow.values import SomePath
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import Function, children, kept, unparsed, walk
from reviewers.records import Span
from reviewers.steps import spend

_MOST_IMPORTS = 2_000  # that one process makes
_DEEPEST = 60
_COMPILED = (".so", ".pyd")
_OF_IMPORTS = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
_CHANGES = ("append", "insert", "extend")
_OF_THE_PATH = ("sys", "site")  # the modules through which code changes it

Folder = str | None
"""A folder from the submission's root; None for one that is not known, in which anything may lie.
"""


@dataclass(frozen=True, slots=True)
class PythonStart:
    """How a process of Python is started.

    Attributes:
        path: the file, which need not be there; under `-m` what the module's name says.
        is_module: whether it is started by `-m`.
        folder: its working directory.
        added: the folders of PYTHONPATH.
        at: where a script starts it; None for what is typed.
        is_documented: whether the contract has the command.
    """

    path: str
    is_module: bool
    folder: Folder = ""
    added: tuple[Folder, ...] = ()
    at: Span | None = None
    is_documented: bool = True

    @property
    def told(self) -> str:
        """How Python is started, in a few words."""
        module = self.path.removesuffix(".py").replace("/", ".")
        return f"python -m {module}" if self.is_module else f"python {self.path}"


@dataclass(frozen=True, slots=True)
class FailedImport:
    """An import that certainly fails in a process, or a script that is not there.

    Attributes:
        error, message: as Python says it.
        chain: the imports that lead to it, outermost first, itself not among them.
        scope: the function that it is in; empty where importing the module does it.
        is_circular: whether the name would be there if the module were not still being imported.
        found_as: where what is meant lies; empty if that says nothing.
    """

    start: PythonStart
    span: Span
    error: str
    message: str
    chain: tuple[Span, ...] = ()
    scope: str = ""
    is_circular: bool = False
    found_as: str = ""


@dataclass(slots=True)
class _Module:
    """A module in `sys.modules`.

    Attributes:
        folders: where its own modules lie, for a package.
        names: what it has so far; `is_open`: whether it may have more.
    """

    name: str
    package: str
    file: PythonFile | None
    folders: tuple[str, ...] = ()
    names: set[str] = field(default_factory=set)
    is_open: bool = False
    is_loading: bool = True


class _Failed(Exception):
    """An import failed where the code is ready for it."""


class _Stopped(Exception):
    """The process ends."""


class ModuleSearch:
    """The imports of processes.

    Args:
        paths: all files of the submission.
        installed: the folders that the installed project adds to `sys.path`.
        is_outside: whether something else than the submission has a module of this name.
        folder_of: what a file's expression says as a path; None if that is not known.
    """

    def __init__(
        self,
        python: Mapping[str, PythonFile],
        paths: Iterable[str],
        installed: Sequence[Folder],
        is_outside: Callable[[str], bool],
        folder_of: Callable[[PythonFile, ast.expr], SomePath | None],
    ) -> None:
        self.python = python
        self.paths = frozenset(paths)
        self.installed = tuple(installed)
        self.is_outside = is_outside
        self.folder_of = folder_of
        self.folders = frozenset(
            path[:at] for path in python for at, sign in enumerate(path) if sign == "/"
        )

    def failures(self, start: PythonStart) -> tuple[FailedImport, ...]:
        """What fails in a process, in the order in which it is met."""
        run = _Process(self, start)
        run.go()
        return tuple(run.failures)

    def within(self, folder: Folder, dotted: str) -> tuple[str, str] | None:
        """The file of a module below a folder, and the module's own folder where it is a package;
        the file is empty if the package has none.
        """
        base = "/".join(part for part in (folder, *dotted.split(".")) if part)
        if f"{base}/__init__.py" in self.paths:
            return f"{base}/__init__.py", base
        compiled = (path for path in self.paths if path.startswith(f"{base}."))
        if f"{base}.py" in self.paths:
            return f"{base}.py", ""
        if any(path.endswith(_COMPILED) for path in compiled):
            return f"{base}.so", ""
        return ("", base) if base in self.folders else None

    def elsewhere(self, dotted: str) -> str:
        """Where a module lies that is not found under its name; empty if it lies nowhere."""
        for folder in ("", *sorted(self.folders)):
            if found := self.within(folder, dotted):
                return found[0] or found[1]
        return ""


class _Process:
    """One process: its path, its modules, and where it stands."""

    def __init__(self, search: ModuleSearch, start: PythonStart) -> None:
        self._search = search
        self._start = start
        first = start.folder if start.is_module else start.path.rpartition("/")[0]
        self._before: list[Folder] = [first, *start.added]  # the libraries on the path
        self._behind: list[Folder] = [*search.installed]
        self.modules: dict[str, _Module] = {}
        self.failures: list[FailedImport] = []
        self._chain: list[Span] = []
        self._ready = 0  # `try` blocks around that catch a failed import
        self._doubts = 0
        self._imports = 0
        self._scope = ""
        self._wanted = ""  # the module that is being imported, whole

    def go(self) -> None:
        """Start the script, and then what its functions import."""
        start, search = self._start, self._search
        file = search.python.get(self._file_of_start())
        if file is None or file.tree is None:
            return
        package = ""
        if start.is_module:
            package = start.path.removesuffix(".py").replace("/", ".").rpartition(".")[0]
        try:
            if package:
                self._module(package, None)
            main = self.modules["__main__"] = _Module("__main__", package, file)
            self._execute(main)
        except (_Stopped, _Failed):
            return
        # Each module once: a script that is imported again is another module, of the same file.
        done: set[str] = set()
        while waiting := [m for m in self.modules.values() if m.file and m.file.path not in done]:
            for module in waiting:
                assert module.file is not None
                done.add(module.file.path)
                self._in_functions(module, module.file)

    def _file_of_start(self) -> str:
        """The file that is started; if it is not there, that is the one failure."""
        start, search = self._start, self._search
        if not start.is_module:
            if start.path not in search.paths and start.at is not None and start.folder is not None:
                folder, _, name = start.path.rpartition("/")
                there = search.elsewhere(name.removesuffix(".py"))
                if there or folder in search.folders:
                    said = f"can't open file '{start.path}': [Errno 2] No such file or directory"
                    self._fail(start.at, "FileNotFoundError", said, there)
            return start.path
        dotted = start.path.removesuffix(".py").replace("/", ".")
        for here in self._path:
            if here is None:
                return ""
            if (found := search.within(here, dotted)) and found[0].endswith(".py"):
                main = found[0].replace("/__init__.py", "/__main__.py")
                return main if main in search.paths else ""
        top = dotted.partition(".")[0]
        if start.at is not None and not search.is_outside(top):
            there = search.elsewhere(dotted)
            if there or search.elsewhere(top):
                said = f"No module named {dotted}"
                if dotted != top and not self._is_found(top):
                    said = f"No module named '{top}'"
                # Without the package it is an error to look; else Python says so itself.
                error = "ModuleNotFoundError" if "'" in said else "ImportError"
                self._fail(start.at, error, said, there)
        return ""

    def _is_found(self, top: str) -> bool:
        return any(folder is None or self._search.within(folder, top) for folder in self._path)

    @property
    def _path(self) -> Iterator[Folder]:
        yield from self._before
        yield from self._behind

    # Statements

    def _execute(self, module: _Module) -> None:
        assert module.file is not None
        readable = module.file.readable
        module.is_open = module.file.top_level_names is None
        for node in module.file.of(ast.stmt):
            # What a function does to the path may be done before the next statement.
            if module.file.scope_at(node.lineno):
                if isinstance(node, ast.Global):
                    module.names.update(node.names)
                self._change_path(node, module.file, at_end=True)
        try:
            self._block(readable.body if readable else (), module)
        finally:
            module.is_loading = False

    def _block(self, statements: Sequence[ast.stmt], module: _Module) -> None:
        for statement in statements:
            self._statement(statement, module)

    def _statement(self, node: ast.stmt, module: _Module) -> None:
        spend(1)
        match node:
            case ast.Import():
                self._import_all(node, module)
            case ast.ImportFrom():
                self._import_from(node, module)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                module.names.add(node.name)
            case ast.ClassDef():
                self._block(node.body, module)
                module.names.add(node.name)
            case ast.If():
                self._if(node, module)
            case ast.Try() | ast.TryStar():
                self._try(node, module)
            case ast.With() | ast.AsyncWith():
                self._with(node, module)
            case ast.For() | ast.While() | ast.AsyncFor():
                self._bind(node, module)
                self._in_doubt([node.body, node.orelse], module)
            case ast.Match():
                self._bind(node, module)
                self._in_doubt([case.body for case in node.cases], module)
            case ast.Raise():
                self._raise()
            case _:
                assert module.file is not None
                self._calls(node, module)
                self._change_path(node, module.file)
                self._bind(node, module)

    def _import_all(self, node: ast.Import, module: _Module) -> None:
        for alias in node.names:
            self._import(alias.name, node, module)
            module.names.add(alias.asname or alias.name.partition(".")[0])

    def _raise(self) -> None:
        if self._ready:
            raise _Failed
        if not self._doubts:
            raise _Stopped

    def _if(self, node: ast.If, module: _Module) -> None:
        truth = _truth(node.test, module.name)
        if truth is None:
            self._in_doubt([node.body, node.orelse], module)
        else:
            self._block(node.body if truth else node.orelse, module)

    def _with(self, node: ast.With | ast.AsyncWith, module: _Module) -> None:
        self._calls(node, module)
        with self._prepared(_suppresses(node)):
            try:
                self._block(node.body, module)
            except _Failed:
                if not _suppresses(node):
                    raise

    def _bind(self, node: ast.AST, module: _Module) -> None:
        for part in walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                module.names.add(part.id)

    def _in_doubt(self, blocks: Iterable[Sequence[ast.stmt]], module: _Module) -> None:
        self._doubts += 1
        try:
            for block in blocks:
                with suppress(_Failed):
                    self._block(block, module)
        finally:
            self._doubts -= 1

    @contextmanager
    def _prepared(self, is_ready: bool) -> Iterator[None]:
        self._ready += is_ready
        try:
            yield
        finally:
            self._ready -= is_ready

    def _try(self, node: ast.Try | ast.TryStar, module: _Module) -> None:
        ready = any(map(_catches_imports, node.handlers))
        failed = False
        try:
            with self._prepared(ready):
                self._block(node.body, module)
        except _Failed:
            if not ready:
                raise
            failed = True
        if failed:
            handler = next(filter(_catches_imports, node.handlers))
            self._block(handler.body, module)
        else:
            # Something from outside may be missing, or raise, after all.
            self._in_doubt((handler.body for handler in node.handlers), module)
            self._block(node.orelse, module)
        self._block(node.finalbody, module)

    def _calls(self, node: ast.stmt, module: _Module) -> None:
        """What the calls of a statement import, and whether one ends the process."""
        assert module.file is not None
        for part in _evaluated(node):
            match part:
                case ast.Call(func=func, args=[ast.Constant(value=str(name)), *_]) if (
                    module.file.resolve(func) == "importlib.import_module"
                    and not name.startswith(".")
                ):
                    self._import(name, part, module)
                case ast.Call(func=func) if module.file.resolve(func) == "sys.exit" and isinstance(
                    node, ast.Expr
                ):
                    if not self._doubts and not self._ready:
                        raise _Stopped

    # The path

    def _change_path(self, node: ast.AST, file: PythonFile, *, at_end: bool = False) -> None:
        """Do what a statement does to `sys.path`."""
        if file.packages.isdisjoint(_OF_THE_PATH):
            return
        for part in _evaluated(node) if isinstance(node, ast.stmt) else [node]:
            match part:
                case ast.Call(func=ast.Attribute(value=owner, attr=name), args=args) if (
                    name in _CHANGES and file.resolve(owner) == "sys.path" and args
                ):
                    listed = args[-1].elts if isinstance(args[-1], ast.List) else [args[-1]]
                    folders = [
                        self._folder(file, one) if name != "extend" or len(listed) > 1 else None
                        for one in listed
                    ]
                    is_first = name == "insert" and not at_end and not self._doubts
                    self._before[:0] = folders if is_first else ()
                    self._behind += () if is_first else folders
                case ast.Call(func=func) if file.resolve(func) == "site.addsitedir":
                    self._behind.append(None)
                case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
                    inner = part.value if isinstance(part, ast.Subscript) else part
                    if file.resolve(inner) == "sys.path":
                        self._behind.append(None)

    def _folder(self, file: PythonFile, node: ast.expr) -> Folder:
        names = [part for part in walk(node) if isinstance(part, ast.Name)]
        bound = [file.parents.get(one) for name in names for one in file.bindings(name)]
        if any(isinstance(one, ast.For) for one in bound):
            return None  # only its last turn's value is known
        path = self._search.folder_of(file, node)
        if path is None or path.is_absolute or "{}" in str(path):
            return None
        if path.here:
            folder = self._start.folder
            return None if folder is None else str(SomePath(()).joined(folder).joined(str(path)))
        return str(path)

    # Imports

    def _import_from(self, node: ast.ImportFrom, module: _Module) -> None:
        dotted = node.module or ""
        if node.level:
            package = module.package.split(".") if module.package else []
            if not package:
                self._fail_at(
                    node,
                    module,
                    "ImportError",
                    "attempted relative import with no known parent package",
                )
            elif node.level > len(package):
                said = "attempted relative import beyond top-level package"
                self._fail_at(node, module, "ImportError", said)
            if node.level > len(package):
                module.names.update(alias.asname or alias.name for alias in node.names)
                return
            dotted = ".".join([*package[: len(package) - node.level + 1], *filter(None, [dotted])])
        target = self._import(dotted, node, module)
        for alias in node.names:
            if alias.name == "*":
                module.names |= target.names if target else set()
                module.is_open |= target is None or target.is_open
            else:
                module.names.add(alias.asname or alias.name)
                if target is not None:
                    self._take(target, alias.name, node, module)

    def _take(self, target: _Module, name: str, node: ast.ImportFrom, module: _Module) -> None:
        """A name of a module of the submission's own."""
        if name in target.names or target.is_open:
            return
        inner = f"{target.name}.{name}"
        if inner in self.modules:
            return
        if target.folders and self._find(inner, target) is not None:
            self._import(inner, node, module)
        elif target.is_loading and target.file and name in (target.file.top_level_names or ()):
            said = (
                f"cannot import name '{name}' from partially initialized module '{target.name}'"
                " (most likely due to a circular import)"
            )
            self._fail_at(node, module, "ImportError", said, is_circular=True)
        elif target.file is not None and self._ready:
            raise _Failed  # else it is told of the file alone, whatever imports it

    def _import(self, dotted: str, node: ast.AST, module: _Module | None) -> _Module | None:
        """Import a module with those that it lies in; None for one that is not the submission's
        own, or not there.
        """
        found: _Module | None = None
        parts = dotted.split(".")
        for count in range(1, len(parts) + 1):
            self._wanted = dotted
            found = self._module(".".join(parts[:count]), found, node, module)
            if found is None or (found.is_open and found.file is None):
                return None
        return found

    def _module(
        self,
        name: str,
        above: _Module | None,
        node: ast.AST | None = None,
        importer: _Module | None = None,
    ) -> _Module | None:
        if name in self.modules:
            return self.modules[name]
        if above is None and "." in name:
            above = self._module(name.rpartition(".")[0], None, node, importer)
            if above is None:
                return None
        place = self._find(name, above)
        if place is None:
            self._missing(name, above, node, importer)
            return None
        path, folders = place
        file = self._search.python.get(path)
        package = name if folders else name.rpartition(".")[0]
        made = self.modules[name] = _Module(name, package, file, folders)
        self._imports += 1
        if file is None or file.tree is None or self._imports > _MOST_IMPORTS:
            # One of which nothing can be read: whatever it has, it has.
            made.is_open, made.is_loading = bool(path) or not folders, False
            return made
        if len(self._chain) > _DEEPEST:
            made.is_open = True
            return made
        at = _span(importer, node)
        self._chain += [at] if at else []
        try:
            self._execute(made)
        except _Failed:
            del self.modules[name]
            raise
        finally:
            del self._chain[len(self._chain) - bool(at) :]
        if above is not None:
            above.names.add(name.rpartition(".")[2])
        return made

    def _find(self, name: str, above: _Module | None) -> tuple[str, tuple[str, ...]] | None:
        """The file of a module and its folders; an empty file without folders for one that may be
        anywhere.
        """
        search, last = self._search, name.rpartition(".")[2]
        bare: list[str] = []
        is_outside = above is None and search.is_outside(last)
        libraries = (None,) if is_outside else ()
        top = (*self._before, *libraries, *self._behind)
        for folder in top if above is None else above.folders:
            if folder is None:
                return "", ()
            found = search.within(folder, last)
            if found and found[0]:
                return found[0], (found[1],) if found[1] else ()
            bare += [found[1]] if found else []
        return ("", tuple(bare)) if bare else None

    def _missing(
        self, name: str, above: _Module | None, node: ast.AST | None, importer: _Module | None
    ) -> None:
        there = self._search.elsewhere(self._wanted) if above is None else ""
        if node is None or importer is None:
            return
        if there:
            said = f"No module named '{name}'"
            self._fail_at(node, importer, "ModuleNotFoundError", said, found_as=there)
        elif self._ready:
            raise _Failed  # else it is nowhere, whatever process looks for it

    def _fail_at(
        self,
        node: ast.AST,
        module: _Module,
        error: str,
        message: str,
        *,
        is_circular: bool = False,
        found_as: str = "",
    ) -> None:
        if self._ready:
            raise _Failed
        span = _span(module, node)
        if span is not None:
            self._fail(span, error, message, found_as, is_circular=is_circular)

    def _fail(
        self, span: Span, error: str, message: str, found_as: str, *, is_circular: bool = False
    ) -> None:
        if self._doubts or any(one.span == span for one in self.failures):
            return
        chain, scope = tuple(self._chain), self._scope
        self.failures.append(
            FailedImport(self._start, span, error, message, chain, scope, is_circular, found_as)
        )

    # What functions import, once all else is there

    def _in_functions(self, module: _Module, file: PythonFile) -> None:
        for node in file.of(ast.Import, ast.ImportFrom):
            scope = file.scope_at(node.lineno)
            if not scope or any(one.line == node.lineno and one.guarded for one in file.imports):
                continue
            self._scope = scope
            inner = replace(module, names=set(module.names))
            try:
                self._statement(node, inner)
            except (_Failed, _Stopped):
                continue
            finally:
                self._scope = ""


def _span(module: _Module | None, node: ast.AST | None) -> Span | None:
    if module is None or module.file is None or node is None:
        return None
    line = getattr(node, "lineno", None)
    return Span(module.file.path, line, getattr(node, "end_lineno", None)) if line else None


def _truth(test: ast.expr, name: str) -> bool | None:
    """Whether a test at the top of a module holds; None if that is not known."""
    said = unparsed(test)
    if "__name__" in said and "__main__" in said and isinstance(test, ast.Compare):
        return (name == "__main__") is isinstance(test.ops[0], ast.Eq)
    if "TYPE_CHECKING" in said:
        return False
    if said in ("__package__ is None", "not __package__", "__package__ in (None, '')"):
        return None
    # Whoever asks whether a folder is on the path puts it there.
    return True if " not in sys.path" in said else None


def _catches_imports(handler: ast.ExceptHandler) -> bool:
    listed = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(one is None or unparsed(one).rpartition(".")[2] in _OF_IMPORTS for one in listed)


def _suppresses(node: ast.With | ast.AsyncWith) -> bool:
    return any("suppress" in unparsed(item.context_expr) for item in node.items)


@kept
def _evaluated(node: ast.AST) -> Sequence[ast.AST]:
    """A statement's expressions, without what is only done later or in other statements."""
    found: list[ast.AST] = []
    waiting = [node]
    while waiting:
        part = waiting.pop()
        found.append(part)
        waiting += [
            below
            for below in children(part)
            if not isinstance(below, (Function, ast.Lambda, ast.ClassDef, ast.stmt))
        ]
    return found
