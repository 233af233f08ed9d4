"""Reads the strings that a module's collections can hold, so that names kept in tables are
known.
"""

import ast

from reviewers.facts.third_party.building.scope import blocks, bound_names

Names = frozenset[str] | None  # None: any string

_NOTHING: frozenset[str] = frozenset()
_COLLECTORS = frozenset({"dict", "set", "list", "tuple", "frozenset", "sorted"})
_READERS = frozenset({"keys", "items", "copy", "split", "union"})
_MUTATORS = frozenset({"update", "append", "extend", "add", "setdefault", "remove", "discard"})


class Strings:
    """The strings of a module's collections, read from every statement that builds or fills them.

    A superset on purpose: what a table may hold is a name that may exist.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._sources: dict[str, list[ast.expr]] = {}
        self._fillers: dict[str, list[ast.expr]] = {}
        self._straight = _straight(tree)
        for node in ast.walk(tree):
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                            self._fillers.setdefault(target.value.id, []).append(target.slice)
                        for name in bound_names(target):
                            self._sources.setdefault(name, []).append(value)
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    self._sources.setdefault(name, []).append(value)
                case ast.AugAssign(target=ast.Name(id=name), value=value):
                    self._sources.setdefault(name, []).append(value)
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr=attr), args=args
                ) if attr in _MUTATORS:
                    wanted = self._sources if attr in {"update", "extend"} else self._fillers
                    wanted.setdefault(name, []).extend(args)
                case ast.For(target=target, iter=source):
                    for name in bound_names(target):
                        self._sources.setdefault(name, []).append(source)

    def __call__(self, node: ast.expr) -> Names:
        """The strings that a collection expression can hold, None if that is not known."""
        return self._collection(node, _NOTHING)

    def sources(self, name: str) -> list[ast.expr]:
        """The expressions that a name is bound to."""
        return self._sources.get(name, [])

    def _collection(self, node: ast.expr, seen: frozenset[str]) -> Names:
        match node:
            case ast.Constant(value=str(text)):
                return frozenset(text.split())
            case ast.List(elts=elts) | ast.Tuple(elts=elts) | ast.Set(elts=elts):
                return _joined([self._element(element, seen) for element in elts])
            case ast.Dict(keys=keys, values=values):
                return _joined(
                    [
                        self._collection(value, seen) if key is None else self._element(key, seen)
                        for key, value in zip(keys, values, strict=True)
                    ]
                )
            case ast.Starred(value=value):
                return self._collection(value, seen)
            case ast.BinOp(left=left, op=ast.Sub()):
                return self._collection(left, seen)
            case ast.BinOp(left=left, right=right):
                return _joined([self._collection(left, seen), self._collection(right, seen)])
            case (
                ast.ListComp(elt=elt)
                | ast.SetComp(elt=elt)
                | ast.GeneratorExp(elt=elt)
                | ast.DictComp(key=elt)
            ):
                if not isinstance(elt, ast.Name):
                    return None
                return _joined(
                    [self._collection(generator.iter, seen) for generator in node.generators]
                )
            case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if (
                name in _COLLECTORS
            ):
                named = frozenset(
                    keyword.arg for keyword in keywords if keyword.arg and name == "dict"
                )
                return _joined([named, *(self._collection(argument, seen) for argument in args)])
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in _READERS:
                return self._collection(value, seen)
            case ast.Name(id=name) if name not in seen:
                return self._name(name, seen | {name}, node.lineno)
        return None

    def _element(self, node: ast.expr, seen: frozenset[str]) -> Names:
        match node:
            case ast.Constant(value=str(text)):
                return frozenset({text})
            case ast.Constant() | ast.Call(func=ast.Attribute(attr="format")):
                return _NOTHING
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                return _joined([self._element(element, seen) for element in elts])
            case ast.Starred(value=value):
                return self._collection(value, seen)
            case ast.Name(id=name):
                # What is only imported or defined is an object that is beside its name in a
                # table.
                return (
                    self._name(name, seen | {name}, node.lineno)
                    if name in self._sources and name not in seen
                    else _NOTHING
                )
        return None

    def _name(self, name: str, seen: frozenset[str], line: int) -> Names:
        if name not in self._sources:
            return None
        sources = self._sources[name]
        if name in self._straight and name not in self._fillers:
            # Bound again and again in one stretch of code: the last binding before the use counts.
            earlier = [source for source in sources if source.lineno < line]
            sources = earlier[-1:] or sources
        return _joined(
            [
                *(self._collection(source, seen) for source in sources),
                *(self._element(filler, seen) for filler in self._fillers.get(name, ())),
            ]
        )


def _straight(tree: ast.Module) -> frozenset[str]:
    """Names that are bound several times, by plain assignments in one list of statements and
    nowhere else.
    """
    found: dict[str, set[int]] = {}
    for node in ast.walk(tree):
        for body in (
            blocks(node) if isinstance(node, ast.stmt) else [tree.body] if node is tree else []
        ):
            for statement in body:
                if isinstance(statement, ast.Assign):
                    for name in (
                        name for target in statement.targets for name in bound_names(target)
                    ):
                        found.setdefault(name, set()).add(id(body))
                elif isinstance(statement, (ast.AugAssign, ast.AnnAssign, ast.For)):
                    for name in bound_names(statement.target):
                        found.setdefault(name, set()).update({0, 1})
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for name in (
                part.id
                for part in ast.walk(node)
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
            ):
                found.setdefault(name, set()).update({0, 1})
    return frozenset(name for name, bodies in found.items() if len(bodies) == 1)


def _joined(parts: list[Names]) -> Names:
    found: set[str] = set()
    for part in parts:
        if part is None:
            return None
        found |= part
    return frozenset(found)
