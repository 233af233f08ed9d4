"""What stands in what relation to a place in the code: each relation that a statement can name, and
the nodes that have it.
"""

import ast
import re
from collections.abc import Callable, Sequence

from reviewers.claims.code_match import Place, fits, parameters, pattern, values_given
from reviewers.claims.statements import Item, Statement, known
from reviewers.claims.tokens import token_count
from reviewers.facts.python_file import Function
from reviewers.facts.python_nodes import own_nodes

Object = tuple[Item, str]
"""A thing with the words just before it."""
Role = Callable[[Place, ast.AST], bool]
_AFTER_TO = re.compile(r"\b(?:to|into)(?: \w+){0,2}$")
_TO = re.compile(r"=$|\b(?:to|into|as|with|on|via|at|from)(?: \w+){0,2}$")
_ENOUGH_TOKENS = 3
_NEXT = 2
"""Lines within which two things are taken to stand together."""
_METHOD = re.compile(r"[A-Z]\w*[a-z]\w*\.(\w+\(.*\w.*\))", re.DOTALL)
TYPES = {
    "float": ("float", "item"),
    "str": ("str",),
    "string": ("str",),
    "strings": ("str",),
    "int": ("int",),
    "list": ("list", "tolist"),
    "dict": ("dict",),
    "tuple": ("tuple",),
    "tensor": ("tensor", "as_tensor", "from_numpy", "Tensor"),
    "tensors": ("tensor", "as_tensor"),
    "numpy": ("numpy", "asarray", "array"),
    "array": ("array", "asarray", "numpy"),
}
"""Words for types, with the calls that make one."""
LITERALS: dict[str, type[ast.expr] | tuple[type[ast.expr], ...]] = {
    "dict": (ast.Dict, ast.DictComp),
    "dictionary": (ast.Dict, ast.DictComp),
    "list": (ast.List, ast.ListComp),
    "tuple": ast.Tuple,
    "str": ast.JoinedStr,
    "string": ast.JoinedStr,
    "lambda": ast.Lambda,
}


def related(
    place: Place, statement: Statement, things: list[Object], aliased: Sequence[str]
) -> list[ast.AST]:
    """The nodes of a place that have a relation to every thing; empty where one of the things has
    it not.

    Args:
        aliased: calls that do what the statement names in plain words; any of them will do.
    """
    if place.file.tree is None:
        return []
    match statement.relation:
        case "calls":
            return _all_found(place, things, _is_called) or _any_of(place, aliased)
        case "sets":
            return _set(place, things, statement)
        case "returns":
            return _returned(place, things, statement.words)
        case "takes" if place.name:
            return _taken(place, things)
        case "passes":
            return _passed(place, things)
        case "converts":
            return _converted(place, things, statement.words)
        case "raises":
            return _all_found(place, things, _is_raised)
        case "imports":
            return _all_found(place, things, lambda place, node: isinstance(node, ast.alias))
        case "inherits":
            return _all_found(place, things, _is_base)
        case _:
            role: Role = _is_of_config if "group" in statement.words else lambda place, node: True
            return _all_found(place, things, role) or _any_of(place, aliased)


def _all_found(place: Place, things: Sequence[Object], role: Role) -> list[ast.AST]:
    """A node for each thing; what is joined to the first by more than "and" stands next to it."""
    sites: list[list[ast.AST]] = []
    for number, (item, link) in enumerate(things):
        joined = number > 0 and link.rpartition(" ")[2] not in ("", "and", "or")
        nodes = [node for node in _find(place, item) if joined or role(place, node)]
        if not nodes:
            return []
        if joined:
            sites[0] = [first for first in sites[0] if any(_near(first, node) for node in nodes)]
        else:
            sites.append(nodes)
    return [nodes[0] for nodes in sites] if all(sites) else []


def _near(first: ast.AST, second: ast.AST) -> bool:
    start, end = int(getattr(first, "lineno", 0)), int(getattr(first, "end_lineno", 0) or 0)
    return start - _NEXT <= int(getattr(second, "lineno", 0)) <= end + _NEXT


def _any_of(place: Place, calls: Sequence[str]) -> list[ast.AST]:
    return next(([node] for call in calls for node in place.find(call)), [])


def _find(place: Place, item: Item) -> list[ast.AST]:
    text = (
        item.text
        if item.kind != "text" or re.fullmatch(r"[A-Za-z_][\w.]*", item.text)
        else repr(item.text)
    )
    found = place.find(text)
    if not found and (method := _METHOD.fullmatch(text)):
        found = place.find(
            method[1]
        )  # "Path.write_text(data)": the reviewer names the class for its object
    if not found and token_count(text) >= _ENOUGH_TOKENS:
        lines = place.quoted(text)
        found = [node for node in place.nodes() if getattr(node, "lineno", None) in lines]
    return found


def _is_called(place: Place, node: ast.AST) -> bool:
    parent = place.file.parents.get(node)
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return isinstance(node.value, ast.Call)
    return isinstance(node, ast.Call) or (isinstance(parent, ast.Call) and parent.func is node)


def _is_raised(place: Place, node: ast.AST) -> bool:
    return any(
        isinstance(around, ast.Raise)
        for _, around in zip(range(3), place.file.ancestors(node), strict=False)
    )


def _is_base(place: Place, node: ast.AST) -> bool:
    parent = place.file.parents.get(node)
    return isinstance(parent, ast.ClassDef) and node in parent.bases


def _is_of_config(place: Place, node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("cfg", "config", "conf")


def _set(place: Place, things: list[Object], statement: Statement) -> list[ast.AST]:
    """Each target is stored; with a value after it, it gets that value."""
    if not things:
        return []
    values = [item for item, link in things[1:] if _TO.search(link) or item.kind == "value"]
    targets = [item for item, _ in things if item not in values]
    if (
        statement.relation == "sets"
        and not values
        and any(word in ("to", "as") for word in statement.words)
    ):
        return []
    found: list[ast.AST] = []
    for item in targets:
        wanted = pattern(item.text)
        if isinstance(wanted, ast.Assign):
            nodes = [
                node for node in place.of(ast.Assign, ast.AnnAssign) if fits(wanted, node)
            ] + _given(place, wanted)
            if not nodes:
                return []
            found.append(nodes[0])
            continue
        given = values_given(place, item.text)
        right: list[ast.AST] = [
            value
            for _, value in given
            if not values or any(same(place, each, value) for each in values)
        ]
        if not right and (
            values or not (right := [node for node in _find(place, item) if _is_stored(node)])
        ):
            return []
        found.append(right[0])
    return found


def _given(place: Place, wanted: ast.Assign) -> list[ast.AST]:
    """The same as a keyword, dictionary entry or default."""
    target = wanted.targets[0]
    return [
        value for _, value in values_given(place, ast.unparse(target)) if fits(wanted.value, value)
    ]


def same(place: Place, item: Item, value: ast.expr) -> bool:
    wanted = pattern(item.text if item.kind != "text" else repr(item.text))
    if wanted is None:
        return False
    plain = (
        isinstance(wanted, ast.Name)
        and isinstance(value, ast.Constant)
        and value.value == wanted.id
    )
    return plain or fits(wanted, value)


def _is_stored(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store) or isinstance(node, ast.keyword)


def _in_order(place: Place, *kinds: type) -> list[ast.AST]:
    return sorted(place.of(*kinds), key=lambda node: int(getattr(node, "lineno", 0)))


def _returned(place: Place, things: list[Object], words: Sequence[str]) -> list[ast.AST]:
    """What a function returns: each thing is the value or a part of it, on one return; "only" and
    types hold for every return.
    """
    functions = [
        node
        for node in _in_order(place, ast.FunctionDef, ast.AsyncFunctionDef)
        if isinstance(node, Function)
    ]
    if not place.name or not functions or functions[0].name != place.name.rpartition(".")[2]:
        return []
    returns = [
        node
        for node in own_nodes(functions[0])
        if isinstance(node, ast.Return) and node.value is not None
    ]
    if not returns:
        return []
    if not things:
        if said := [word for word in words if word not in known().filler]:
            named = [
                node
                for node in returns
                if isinstance(node.value, ast.Name) and node.value.id == said[0]
            ]
            if len(said) == 1 and len(named) == len(returns):
                return [*named]
        kinds = [word for word in words if word in TYPES or word in LITERALS]
        return (
            [*returns]
            if len(kinds) == 1 and all(_is_type(node.value, kinds[0]) for node in returns)
            else []
        )
    alone = "only" in words or "always" in words
    fit = _is_whole if alone else _is_part
    good: list[ast.AST] = [
        node
        for node in returns
        if node.value is not None and all(fit(place, item, node.value) for item, _ in things)
    ]
    return [] if alone and len(good) < len(returns) else good


def _is_part(place: Place, item: Item, value: ast.expr) -> bool:
    parts = [value, *(value.elts if isinstance(value, ast.Tuple | ast.List) else ())]
    parts += [key for key in value.keys if key is not None] if isinstance(value, ast.Dict) else []
    return any(same(place, item, part) for part in parts)


def _is_whole(place: Place, item: Item, value: ast.expr) -> bool:
    return same(place, item, value)


def _is_type(value: ast.expr | None, kind: str) -> bool:
    if isinstance(value, ast.Call):
        last = (
            value.func.attr
            if isinstance(value.func, ast.Attribute)
            else getattr(value.func, "id", "")
        )
        return last in TYPES.get(kind, ())
    return isinstance(value, LITERALS[kind]) if kind in LITERALS else False


def _taken(place: Place, things: list[Object]) -> list[ast.AST]:
    """The parameters of a function; of a class those of its `__init__`."""
    nodes = [
        node
        for node in _in_order(place, ast.FunctionDef, ast.AsyncFunctionDef)
        if isinstance(node, Function)
    ]
    is_class = any(
        isinstance(node, ast.ClassDef) and node.name == place.name.rpartition(".")[2]
        for node in place.of(ast.ClassDef)
    )
    function = next((node for node in nodes if not is_class or node.name == "__init__"), None)
    if not place.name or function is None or not things:
        return []
    has = parameters(function)
    for item, _ in things:
        wanted = pattern(item.text)
        if isinstance(wanted, ast.Tuple):
            names = [each.id for each in wanted.elts if isinstance(each, ast.Name)]
            if len(names) != len(wanted.elts) or names != has[: len(names)]:
                return []
        elif not isinstance(wanted, ast.Name) or wanted.id not in has:
            return []
    return [function]


def _passed(place: Place, things: list[Object]) -> list[ast.AST]:
    """An argument of a call; of the call that "to …" names where something is named."""
    to = [item for item, link in things[1:] if _AFTER_TO.search(link)]
    given = [item for item, _ in things if item not in to]
    if not given or len(to) > 1:
        return []
    for node in place.of(ast.Call):
        if not isinstance(node, ast.Call) or (to and not _names_call(to[0], node)):
            continue
        if all(_has_argument(place, item, node) for item in given):
            return [node]
    return []


def _names_call(item: Item, call: ast.Call) -> bool:
    wanted = pattern(re.sub(r"\(.*\)$", "", item.text, flags=re.DOTALL))
    return isinstance(wanted, ast.expr) and fits(wanted, call.func)


def _has_argument(place: Place, item: Item, call: ast.Call) -> bool:
    wanted = pattern(item.text)
    if isinstance(wanted, ast.Assign) and isinstance(wanted.targets[0], ast.Name):
        name = wanted.targets[0].id
        return any(
            keyword.arg == name and fits(wanted.value, keyword.value) for keyword in call.keywords
        )
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    return any(keyword.arg == item.text for keyword in call.keywords) or any(
        same(place, item, value) for value in values
    )


def _converted(place: Place, things: list[Object], words: Sequence[str]) -> list[ast.AST]:
    """A call of the type with what is converted among its arguments."""
    kinds = [item.text for item, link in things if re.search(r"\b(?:to|into)\b", link)] or [
        w for w in words if w in TYPES
    ]
    what = [item for item, link in things if not re.search(r"\b(?:to|into)\b", link)]
    names = {name for kind in kinds for name in TYPES.get(kind, (kind,))}
    found: list[ast.AST] = []
    for node in place.of(ast.Call):
        if isinstance(node, ast.Call) and (
            getattr(node.func, "id", None) in names or getattr(node.func, "attr", None) in names
        ):
            inside = [part for argument in node.args for part in ast.walk(argument)]
            if all(
                any(same(place, item, part) for part in inside if isinstance(part, ast.expr))
                for item in what
            ):
                found.append(node)
    return found[:1] if kinds else []
