"""Resolves the names of a module: expressions become dotted names."""

import ast
import builtins

BUILTINS = frozenset(dir(builtins))
_UNIONS = frozenset({"typing.Union", "typing_extensions.Union"})
_WRAPPERS = frozenset(
    {
        "typing.Optional",
        "typing.Annotated",
        "typing_extensions.Annotated",
        "typing.Final",
        "typing.ClassVar",
        "typing.Required",
    }
)
_SELF = frozenset({"typing.Self", "typing_extensions.Self", "_typeshed.Self"})
_DULL_ROOTS = frozenset(
    {"builtins", "typing", "typing_extensions", "collections", "types", "_typeshed", "abc"}
)


class ModuleScope:
    """The names bound at the top of a module, and what each stands for."""

    def __init__(self, module: str, is_package: bool, tree: ast.Module) -> None:
        self.module = module
        self.package = module if is_package else module.rpartition(".")[0]
        self.names: dict[str, str] = {}
        self._collect(tree.body)

    def _collect(self, body: list[ast.stmt]) -> None:
        for node in body:
            match node:
                case ast.Import():
                    for alias in node.names:
                        bound = alias.asname or alias.name.partition(".")[0]
                        self.names.setdefault(bound, alias.name if alias.asname else bound)
                case ast.ImportFrom():
                    source = self.absolute(node)
                    for alias in node.names:
                        if alias.name != "*":
                            self.names.setdefault(
                                alias.asname or alias.name, f"{source}.{alias.name}"
                            )
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    self.names.setdefault(node.name, f"{self.module}.{node.name}")
                case ast.Assign():
                    for name in (name for target in node.targets for name in bound_names(target)):
                        self.names.setdefault(name, f"{self.module}.{name}")
                case ast.AnnAssign(target=ast.Name(id=name)):
                    self.names.setdefault(name, f"{self.module}.{name}")
            for inner in blocks(node):
                self._collect(inner)

    def absolute(self, node: ast.ImportFrom) -> str:
        """The absolute name of the module that a from-import reads."""
        if not node.level:
            return node.module or ""
        base = self.package.split(".")
        base = base[: len(base) - node.level + 1]
        return ".".join([*base, *([node.module] if node.module else [])])

    def dotted(self, node: ast.expr | None, hidden: frozenset[str] = frozenset()) -> str:
        """The dotted name that an expression stands for, "" if it is not a plain name.

        Args:
            hidden: names that a function binds itself, so that they mean something else.
        """
        match node:
            case ast.Name(id=name) if name not in hidden:
                if name in self.names:
                    return self.names[name]
                return f"builtins.{name}" if name in BUILTINS else f"{self.module}.{name}"
            case ast.Attribute(value=value, attr=attr):
                base = self.dotted(value, hidden)
                return f"{base}.{attr}" if base else ""
            case ast.Subscript(value=value):
                return self.dotted(value, hidden)
        return ""

    def types(self, annotation: ast.expr | None, owner: str = "") -> str:
        """The classes that an annotation allows, joined by "|"; "" where one of them is not a plain
        library class.
        """
        found = self._types(annotation, owner)
        return "" if found is None else "|".join(dict.fromkeys(found))

    def _types(self, node: ast.expr | None, owner: str) -> list[str] | None:
        match node:
            case ast.Constant(value=None):
                return []
            case ast.Constant(value=str(text)):
                try:
                    return self._types(ast.parse(text, mode="eval").body, owner)
                except SyntaxError:
                    return None
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self._union([left, right], owner)
            case ast.Subscript(value=value, slice=inner):
                origin = self.dotted(value)
                if origin in _UNIONS:
                    return self._union(
                        inner.elts if isinstance(inner, ast.Tuple) else [inner], owner
                    )
                if origin in _WRAPPERS:
                    return self._types(
                        inner.elts[0] if isinstance(inner, ast.Tuple) and inner.elts else inner,
                        owner,
                    )
        name = self.dotted(node)
        if name in _SELF:
            return [owner] if owner else None
        return [name] if name and name.partition(".")[0] not in _DULL_ROOTS else None

    def _union(self, parts: list[ast.expr], owner: str) -> list[str] | None:
        found = [self._types(part, owner) for part in parts]
        return None if None in found else [name for names in found for name in names or ()]


def blocks(node: ast.stmt) -> list[list[ast.stmt]]:
    """The statement lists inside a compound statement that run in the same scope."""
    match node:
        case ast.If() | ast.For() | ast.AsyncFor() | ast.While():
            return [node.body, node.orelse]
        case ast.With() | ast.AsyncWith():
            return [node.body]
        case ast.Try() | ast.TryStar():
            return [
                node.body,
                *(handler.body for handler in node.handlers),
                node.orelse,
                node.finalbody,
            ]
        case ast.Match():
            return [case.body for case in node.cases]
    return []


def bound_names(target: ast.expr) -> list[str]:
    """The plain names that an assignment target binds."""
    match target:
        case ast.Name(id=name):
            return [name]
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            return [name for element in elts for name in bound_names(element)]
        case ast.Starred(value=value):
            return bound_names(value)
    return []


def constant(node: ast.expr | None) -> str | None:
    """The text of a string literal."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
