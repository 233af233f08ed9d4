"""What is put into a dictionary of a module while modules are imported: the names of a registry, as
far as they all stand in the code.
"""

import ast
from collections.abc import Iterator, Mapping

from reviewers.facts.python_file import Function, PythonFile
from reviewers.steps import spend

_MOST = 8  # functions that put something into one dictionary
_CHANGING = frozenset({"clear", "pop", "popitem", "setdefault", "update"})


def entries(
    python: Mapping[str, PythonFile], home: str, name: str
) -> list[tuple[str, str, ast.expr | str]] | None:
    """The keys that are put into a dictionary: with the file that does it, and the value, or the
    name of the class or function of that file that is registered; None where others may be.
    """
    found: list[tuple[str, str, ast.expr | str]] = []
    using = {path: file for path, file in python.items() if name in file.text}
    if sum(_binds(file, name) for file in using.values()) != 1:
        return None
    inside = 0  # functions that put something in
    for path, file in using.items():
        spend(len(file.nodes))
        for node in file.nodes:
            match node:
                case ast.Assign(targets=[ast.Subscript(value=owner, slice=key)], value=value) if (
                    _is(owner, name)
                ):
                    inside += not isinstance(file.parents.get(node), ast.Module)
                    put = _put(python, path, node, key, value) if inside <= _MOST else None
                    if put is None:
                        return None
                    found += put
                case ast.Subscript(value=owner, ctx=ast.Store() | ast.Del()) if _is(owner, name):
                    if not isinstance(file.parents.get(node), ast.Assign):
                        return None
                case ast.AugAssign(target=owner) if _is(owner, name):
                    return None
                case ast.Attribute(value=owner, attr=method) if _is(owner, name):
                    if method in _CHANGING:
                        return None
    return found


def _is(node: ast.expr, name: str) -> bool:
    return (isinstance(node, ast.Name) and node.id == name) or (
        isinstance(node, ast.Attribute) and node.attr == name
    )


def _binds(file: PythonFile, name: str) -> int:
    """How often a file's names are bound to a value, wherever they stand."""
    return sum(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        for node in file.nodes
    )


def _put(
    python: Mapping[str, PythonFile], path: str, node: ast.Assign, key: ast.expr, value: ast.expr
) -> list[tuple[str, str, ast.expr | str]] | None:
    """What one statement puts in: of a module its own key; in a function, those that it is given
    as a decorator.
    """
    file = python[path]
    around = [part for part in file.ancestors(node) if not isinstance(part, ast.Module)]
    if not around:
        written = key.value if isinstance(key, ast.Constant) else None
        return [(path, written, value)] if isinstance(written, str) else None
    if not all(isinstance(part, Function) for part in around):
        return None
    outer = around[-1]
    assert isinstance(outer, Function)
    given = [argument.arg for argument in (*outer.args.posonlyargs, *outer.args.args)]
    found: list[tuple[str, str, ast.expr | str]] = []
    for where, definition, used in _decorated(python, outer.name):
        if definition is None:
            return None
        text: object = None
        match key, used:
            case ast.Name(id=name), ast.Call() if name in given:
                words = {word.arg: word.value for word in used.keywords}
                at = given.index(name)
                passed = used.args[at] if at < len(used.args) else words.get(name)
                text = passed.value if isinstance(passed, ast.Constant) else None
            case ast.Attribute(value=ast.Name(id=name), attr="__name__"), _ if (
                name in given and not isinstance(used, ast.Call)
            ):
                text = definition
        if not isinstance(text, str):
            return None
        found.append((where, text, definition))
    return found


def _decorated(
    python: Mapping[str, PythonFile], name: str
) -> Iterator[tuple[str, str | None, ast.expr]]:
    """What a function decorates at the top of modules, with the decorator; None in place of a name
    where it is used otherwise.
    """
    for path, file in python.items():
        if name not in file.text:
            continue
        spend(len(file.nodes) // 10)
        for node in file.nodes:
            if not isinstance(node, ast.Name | ast.Attribute) or not _is(node, name):
                continue
            used: ast.expr = node
            parent = file.parents.get(node)
            if isinstance(parent, ast.Call) and parent.func is node:
                used, parent = parent, file.parents.get(parent)
            is_decorator = isinstance(parent, ast.ClassDef | Function) and (
                used in parent.decorator_list and parent in (file.tree.body if file.tree else ())
            )
            named = parent.name if isinstance(parent, ast.ClassDef | Function) else None
            yield path, named if is_decorator else None, used


def resolvers(python: Mapping[str, PythonFile]) -> frozenset[str] | None:
    """The names of OmegaConf's resolvers that the code registers anywhere; None where it may
    register others.
    """
    found: set[str] = set()
    for file in python.values():
        if "_resolver" not in file.text:
            continue
        for call in file.calls_of(".register_new_resolver", ".register_resolver"):
            given = [*call.node.args[:1], *(k.value for k in call.node.keywords if k.arg == "name")]
            match given:
                case [ast.Constant(value=str(name))]:
                    found.add(name)
                case _:
                    return None
    return frozenset(found)
