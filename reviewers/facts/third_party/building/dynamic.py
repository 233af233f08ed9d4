"""Finds code that binds names in other ways than by assignment, and interprets what it can."""

import ast
from collections.abc import Iterator

from reviewers.facts.third_party.building.records import Alias, Maybe, Module, Value
from reviewers.facts.third_party.building.scope import ModuleScope, constant
from reviewers.facts.third_party.building.strings import Strings

_NAMESPACE_READERS = frozenset(
    {"get", "keys", "values", "items", "copy", "pop", "__contains__", "setdefault"}
)
_HARMLESS_CALLS = frozenset(
    {
        "list", "dict", "set", "sorted", "len", "dir", "eval", "isinstance", "tuple", "getattr",
        "hasattr", "getmembers", "repr", "str", "id",
    }
)  # fmt: skip
_STRUCTURES = (
    "_import_structure",
    "import_structure",
)  # what lazy modules call their tables of submodules and names
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def find_dynamic(found: Module, tree: ast.Module, scope: ModuleScope, strings: Strings) -> None:
    """Add to a module what its dynamic code binds; open it up if that is not understood."""
    finder = _Finder(found, scope, strings)
    finder.visit(tree, (), in_class=False)
    for why in finder.why:
        found.open_up(why)


class _Finder:
    def __init__(self, found: Module, scope: ModuleScope, strings: Strings) -> None:
        self.found = found
        self.scope = scope
        self.strings = strings
        self.why: list[str] = []
        self.aliases: set[str] = set()
        self._bound: dict[int, dict[str, str]] = {}

    def visit(self, node: ast.AST, functions: tuple[_Function, ...], *, in_class: bool) -> None:
        """Walk, with the functions around, outermost first."""
        for child in ast.iter_child_nodes(node):
            if isinstance(
                child,
                (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Global, ast.NamedExpr),
            ):
                self._look(child, node, functions, in_class)
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.visit(child, (*functions, child), in_class=False)
            elif not isinstance(child, (ast.Constant, ast.expr_context, ast.alias)):
                self.visit(child, functions, in_class=in_class or isinstance(child, ast.ClassDef))

    def _look(
        self, node: ast.AST, parent: ast.AST, functions: tuple[_Function, ...], in_class: bool
    ) -> None:
        function = functions[-1] if functions else None
        match node:
            case ast.NamedExpr(target=ast.Name(id=name)) if function is None and not in_class:
                self.found.add(name, Value())
            case ast.Global(names=names):
                for name in names:
                    self.found.add(name, Value())
            case ast.Call(func=ast.Name(id="globals"), args=[]):
                self._namespace(node, parent, function)
            case ast.Call(func=ast.Name(id="locals" | "vars"), args=[]) if (
                function is None and not in_class
            ):
                self._namespace(node, parent, function)
            case ast.Call(
                func=ast.Attribute(value=ast.Call(func=ast.Name(id=space), args=[]), attr="update"),
                args=[names],
            ) if space == "globals" or (
                space in {"locals", "vars"} and function is None and not in_class
            ):
                self._update(names)
            case ast.Call(func=func) if self.scope.dotted(func).endswith(
                ".define_import_structure"
            ):
                inner = (
                    ".models"
                    if any(
                        isinstance(part, ast.Constant) and part.value == "models"
                        for part in ast.walk(node)
                    )
                    else ""
                )
                self.found.stars.append(f"{self.found.name}{inner}.**")
            case ast.Call(func=ast.Name(id="exec"), args=[_, *spaces]):
                self._exec(spaces, function, in_class)
            case ast.Call(func=ast.Name(id="setattr"), args=[target, name, *_]):
                self._setattr(target, name, functions)
            case ast.Attribute(value=target, attr=attr, ctx=ast.Store()):
                self._attribute(target, attr, functions)
            case ast.Attribute(attr="meta_path") if self.scope.dotted(
                node
            ) == "sys.meta_path" and isinstance(parent, ast.Attribute):
                if parent.attr in {"append", "insert"}:
                    self.why.append("import hook")
            case ast.Name(id="__path__", ctx=ast.Store()) if function is None:
                self.why.append("__path__ is set")
            case ast.Subscript(value=ast.Name(id=name), slice=key, ctx=ast.Store()) if (
                name in _STRUCTURES
            ):
                if isinstance(parent, ast.Assign):
                    self._structure(ast.Dict(keys=[key], values=[parent.value]))
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Subscript(value=ast.Name(id=name), slice=key),
                    attr="append" | "extend",
                ),
                args=[more],
            ) if name in _STRUCTURES:
                self._structure(ast.Dict(keys=[key], values=[more]))
            case ast.Subscript(value=value, slice=key) if self.scope.dotted(value) == "sys.modules":
                self._sys_modules(node, key, parent)
            case ast.Call() if self._is_own_module(node):
                self._own_module(node, parent)
            case ast.Name(id=name, ctx=ast.Load()) if name in self.aliases:
                self._own_module(node, parent)

    def _namespace(self, node: ast.Call, parent: ast.AST, function: _Function | None) -> None:
        """A use of `globals()`, or of `locals()` at the top."""
        match parent:
            case ast.Subscript(slice=key, ctx=ast.Store()):
                self._bind_key(key, function)
            case ast.Subscript() | ast.Compare() | ast.For() | ast.comprehension():
                return
            case ast.Attribute(attr=attr) if attr in _NAMESPACE_READERS | {"update"}:
                return
            case ast.Call(func=ast.Name(id=name)) if name in _HARMLESS_CALLS:
                return
            case ast.Call(func=ast.Name(id="exec")):
                return
            case _:
                self.why.append("globals() is handed on")

    def _bind_key(self, key: ast.expr, function: _Function | None) -> None:
        text = constant(key)
        if text is not None:
            self.found.add(text, Value())
            return
        if isinstance(key, ast.Name):
            if (
                function is not None
                and function.name == "__getattr__"
                and key.id in _parameters(function)
            ):
                return
            names = (
                self.strings(key) if not (function and key.id in _parameters(function)) else None
            )
            if names is not None:
                for name in sorted(names):
                    self.found.add(name, Maybe())
                return
        self.why.append("globals()[…] is set")

    def _update(self, names: ast.expr) -> None:
        possible = self.strings(names)
        if possible is None:
            self.why.append("globals().update")
        for name in sorted(possible or ()):
            self.found.add(name, Maybe())

    def _exec(self, spaces: list[ast.expr], function: _Function | None, in_class: bool) -> None:
        into_globals = (
            any(isinstance(part, ast.Name) and part.id == "globals" for part in ast.walk(spaces[0]))
            if spaces
            else False
        )
        if into_globals or (not spaces and function is None and not in_class):
            self.why.append("exec")

    def _setattr(self, target: ast.expr, name: ast.expr, functions: tuple[_Function, ...]) -> None:
        text = constant(name)
        if self._is_own_module(target):
            if text is not None:
                self.found.add(text, Value())
            elif not self.found.lazy and not self._sets_itself_lazily():
                self.why.append("setattr on the module")
            return
        names = [text] if text is not None else None
        if (
            names is None
            and isinstance(name, ast.Name)
            and not any(name.id in _parameters(function) for function in functions)
        ):
            possible = self.strings(name)
            names = None if possible is None else sorted(possible)
        for one in names if names is not None else [None]:
            self._outside(target, one, functions)

    def _attribute(self, target: ast.expr, attr: str, functions: tuple[_Function, ...]) -> None:
        if self._is_own_module(target) or (
            isinstance(target, ast.Name) and target.id in self.aliases
        ):
            self.found.add(attr, Value())
            if attr == "__class__":
                self.why.append("the module's class is replaced")
        else:
            self._outside(target, attr, functions)

    def _outside(
        self, target: ast.expr, name: str | None, functions: tuple[_Function, ...]
    ) -> None:
        if isinstance(target, ast.Name) and target.id in {"self", "cls"}:
            return
        root = target
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name):
            own = next(
                (
                    self._own_names(function)
                    for function in reversed(functions)
                    if root.id in self._own_names(function)
                ),
                None,
            )
            base = self.scope.names.get(root.id) if own is None else own[root.id]
            if base:
                self.found.outside.append((base + ast.unparse(target)[len(root.id) :], name))
        word = (
            target.attr
            if isinstance(target, ast.Attribute)
            else target.id
            if isinstance(target, ast.Name)
            else ""
        )
        if name is not None and word:
            self.found.assigned.add((word.lower().strip("_").rpartition("_")[2], name))

    def _is_own_module(self, node: ast.expr) -> bool:
        match node:
            case ast.Subscript(value=value, slice=ast.Name(id="__name__")):
                return self.scope.dotted(value) == "sys.modules"
            case ast.Call(func=func, args=[ast.Name(id="__name__"), *_]):
                return self.scope.dotted(func) in {
                    "sys.modules.get",
                    "importlib.import_module",
                    "builtins.__import__",
                }
        return False

    def _own_module(self, node: ast.expr, parent: ast.AST) -> None:
        """A use of the module object itself; whatever could set names on it opens the module up."""
        match parent:
            case ast.Attribute() | ast.Compare():
                return
            case ast.Call(func=ast.Name(id=name)) if name in _HARMLESS_CALLS | {"setattr"}:
                return
            case ast.Call(func=ast.Attribute(attr=name)) if name in _HARMLESS_CALLS:
                return
            case ast.Assign(targets=[ast.Name(id=name)]):
                self.aliases.add(name)
            case _:
                self.why.append("the module object is handed on")

    def _sys_modules(self, node: ast.Subscript, key: ast.expr, parent: ast.AST) -> None:
        if not isinstance(node.ctx, ast.Store):
            if self._is_own_module(node):
                self._own_module(node, parent)
            return
        if isinstance(key, ast.Name) and key.id == "__name__":
            self._replaced(parent)
            return
        text = constant(key)
        if text is None and isinstance(key, ast.JoinedStr) and key.values:
            text = (constant(key.values[0]) or "").rpartition(".")[0] or None
        if text is not None:
            self.found.maybe_modules.add(text)

    def _replaced(self, parent: ast.AST) -> None:
        """`sys.modules[__name__] = …`."""
        value = parent.value if isinstance(parent, ast.Assign) else None
        if not (
            isinstance(value, ast.Call) and self.scope.dotted(value.func).endswith("._LazyModule")
        ):
            self.why.append("the module replaces itself")
            return
        self.found.lazy = True
        for part in self._structures():
            self._structure(part)

    def _sets_itself_lazily(self) -> bool:
        return "_LazyModule" in self.scope.names

    def _structures(self) -> Iterator[ast.expr]:
        for name in _STRUCTURES:
            yield from self.strings.sources(name)

    def _structure(self, node: ast.expr) -> None:
        """Read `{"submodule": ["Name", …]}`; a call of `define_import_structure` stands for all
        modules below.
        """
        match node:
            case ast.Dict(keys=keys, values=values):
                for key, value in zip(keys, values, strict=True):
                    module = constant(key)
                    for name in self.strings(value) or () if module is not None else ():
                        if name not in self.found.items:
                            self.found.add(name, Alias(f"{self.found.name}.{module}.{name}"))
                    if module is not None:
                        self.found.add(
                            module.partition(".")[0],
                            Alias(f"{self.found.name}.{module.partition('.')[0]}"),
                        )

    def _own_names(self, function: _Function) -> dict[str, str]:
        """The names that a function binds itself, with what they stand for where the function
        imports it.
        """
        if id(function) not in self._bound:
            names = dict.fromkeys(_bound_in(function), "")
            for node in ast.walk(function):
                if isinstance(node, ast.ImportFrom):
                    source = self.scope.absolute(node)
                    names.update(
                        {
                            alias.asname or alias.name: f"{source}.{alias.name}"
                            for alias in node.names
                        }
                    )
                elif isinstance(node, ast.Import):
                    names.update(
                        {
                            alias.asname or alias.name.partition(".")[0]: _imported(alias)
                            for alias in node.names
                        }
                    )
            self._bound[id(function)] = names
        return self._bound[id(function)]


def _imported(alias: ast.alias) -> str:
    return alias.name if alias.asname else alias.name.partition(".")[0]


def _bound_in(function: _Function) -> frozenset[str]:
    names = set(_parameters(function))
    for part in ast.walk(function):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            names.add(part.id)
    shared = {
        name
        for part in ast.walk(function)
        if isinstance(part, (ast.Global, ast.Nonlocal))
        for name in part.names
    }
    return frozenset(names - shared)


def _parameters(function: _Function) -> frozenset[str]:
    args = function.args
    rest = [argument for argument in (args.vararg, args.kwarg) if argument]
    return frozenset(
        argument.arg for argument in [*args.posonlyargs, *args.args, *args.kwonlyargs, *rest]
    )
