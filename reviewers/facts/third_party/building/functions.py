"""Reads a function definition: its parameters, its result, and whether decorators leave them
unchanged.
"""

import ast

from reviewers.facts.third_party.building.records import Decorator, Function, Item, Value
from reviewers.facts.third_party.building.scope import ModuleScope

_PROPERTY_ENDS = (
    "property",
    "cache_readonly",
    "lazyattribute",
    "lazy_attribute",
    "cached_slot_property",
)
_TRANSPARENT = frozenset(
    {
        "abc.abstractmethod", "atexit.register", "contextlib.asynccontextmanager",
        "contextlib.contextmanager",
        "deprecated.deprecated", "functools.cache", "functools.lru_cache",
        "functools.singledispatch", "functools.wraps",
        "torch._dynamo.disable", "torch.compiler.disable", "torch.enable_grad",
        "torch.inference_mode", "torch.jit.export",
        "torch.jit.ignore", "torch.jit.unused", "torch.no_grad", "typing.final",
        "typing.no_type_check", "typing.override",
        "typing_extensions.deprecated", "typing_extensions.final", "typing_extensions.override",
        "warnings.deprecated",
    }
)  # fmt: skip
_CHANGES_RESULT = frozenset({"contextlib.contextmanager", "contextlib.asynccontextmanager"})


def read_function(
    node: ast.FunctionDef | ast.AsyncFunctionDef, scope: ModuleScope, *, stub: bool, owner: str = ""
) -> Item | None:
    """Read one definition.

    Args:
        stub: the source is a `.pyi`, whose overloads count; elsewhere the implementation that
            follows them does.
        owner: the dotted class the function is in, "" at the top of a module.

    Returns:
        None for definitions that bind nothing new: overloads in a source file, setters,
        `singledispatch` variants.
    """
    kind = "i" if owner else "f"
    if owner and node.name in {"__new__"}:
        kind = "s"
    if owner and node.name in {"__init_subclass__", "__class_getitem__"}:
        kind = "k"
    open_decorators: list[Decorator] = []
    returns = "" if isinstance(node, ast.AsyncFunctionDef) else scope.types(node.returns, owner)
    for expression in node.decorator_list:
        called = isinstance(expression, ast.Call)
        target = expression.func if isinstance(expression, ast.Call) else expression
        dotted = scope.dotted(target)
        if isinstance(target, ast.Attribute) and target.attr in {
            "setter",
            "getter",
            "deleter",
            "register",
        }:
            return None
        match dotted:
            case "typing.overload" | "typing_extensions.overload":
                if not stub:
                    return None
            case "builtins.staticmethod":
                kind = "s"
            case "builtins.classmethod":
                kind = "k"
            case _ if dotted.endswith(_PROPERTY_ENDS) or dotted == "enum.property":
                kind = "p"
            case _ if dotted in _CHANGES_RESULT:
                returns = ""
            case _ if dotted not in _TRANSPARENT:
                open_decorators.append(Decorator(dotted, called))
    if kind == "p":
        return Function("p", "", returns) if not open_decorators else Value()
    return Function(
        kind, parameters(node.args, drop_first=kind == "k"), returns, tuple(open_decorators)
    )


def parameters(args: ast.arguments, *, drop_first: bool = False) -> str:
    """Write a parameter list in the index's notation: `a,/,b,c=,*rest,d,e=,**more`."""
    positional = [*args.posonlyargs, *args.args]
    required = len(positional) - len(args.defaults)
    parts: list[str] = []
    for index, argument in enumerate(positional):
        if not (drop_first and index == 0):
            parts.append(argument.arg + ("=" if index >= required else ""))
        if args.posonlyargs and index == len(args.posonlyargs) - 1:
            parts.append("/")
    if args.vararg:
        parts.append(f"*{args.vararg.arg}")
    elif args.kwonlyargs:
        parts.append("*")
    parts += [
        argument.arg + ("" if default is None else "=")
        for argument, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
    ]
    if args.kwarg:
        parts.append(f"**{args.kwarg.arg}")
    return ",".join(parts[1:] if parts[:1] == ["/"] else parts)


def nature(node: ast.FunctionDef) -> str:
    """How a function acts as a decorator that leaves the signature alone: "plain", "factory", both,
    or "".

    A plain one returns what it was given, or a wrapper that hands over `*args, **kwargs` untouched;
    a factory returns a plain one.
    """
    found = []
    first = [*node.args.posonlyargs, *node.args.args][:1]
    if first and _keeps(node, first[0].arg):
        found.append("plain")
    inner = {child.name: child for child in node.body if isinstance(child, ast.FunctionDef)}
    returned = [_uncast(child.value) for child in _own_returns(node) if child.value is not None]
    names = {value.id for value in returned if isinstance(value, ast.Name)}
    makers = [inner[name] for name in names if name in inner]
    if makers and all(
        maker.args.args and _keeps(maker, maker.args.args[0].arg) for maker in makers
    ):
        found.append("factory")
    return " ".join(found)


def _keeps(node: ast.FunctionDef, given: str) -> bool:
    inner = {
        child.name: child
        for child in ast.walk(node)
        if isinstance(child, ast.FunctionDef) and child is not node
    }
    returns = _own_returns(node)
    values = [_uncast(child.value) for child in returns]
    if any(_alters(child, given) for child in ast.walk(node)):
        return False
    return bool(returns) and all(
        isinstance(value, ast.Name)
        and (value.id == given or (value.id in inner and _forwards(inner[value.id], given)))
        for value in values
    )


def _alters(node: ast.AST, given: str) -> bool:
    """Whether public attributes of what is decorated are set, which would change a class."""
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr=attr, ctx=ast.Store()) if name == given:
            return attr in {
                "__init__",
                "__new__",
                "__call__",
                "__getattr__",
            } or not attr.startswith("_")
        case ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=name), *_]):
            return name == given
    return False


def _uncast(value: ast.expr | None) -> ast.expr | None:
    """What `typing.cast` hands through."""
    if (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id == "cast"
        and len(value.args) == 2
    ):
        return value.args[1]
    return value


def _own_returns(node: ast.FunctionDef) -> list[ast.Return]:
    found: list[ast.Return] = []
    pending: list[ast.AST] = list(node.body)
    while pending:
        child = pending.pop()
        if isinstance(child, ast.Return):
            found.append(child)
        elif not isinstance(
            child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
        ):
            pending.extend(ast.iter_child_nodes(child))
    return found


def _forwards(wrapper: ast.FunctionDef, given: str) -> bool:
    """Whether a wrapper calls what it wraps with exactly its own `*args, **kwargs`, neither of them
    touched.
    """
    args = wrapper.args
    if not (args.vararg and args.kwarg) or args.kwonlyargs or args.posonlyargs:
        return False
    star, stars = args.vararg.arg, args.kwarg.arg
    leading = [argument.arg for argument in args.args]
    calls = [
        child
        for child in ast.walk(wrapper)
        if isinstance(child, ast.Call)
        and isinstance(child.func, ast.Name)
        and child.func.id == given
    ]
    uses = [
        child
        for child in ast.walk(wrapper)
        if isinstance(child, ast.Name) and child.id in {star, stars}
    ]
    if (
        not calls
        or any(not isinstance(use.ctx, ast.Load) for use in uses)
        or _mutated(wrapper, {star, stars})
    ):
        return False
    return all(_same_arguments(call, leading, star, stars) for call in calls)


def _same_arguments(call: ast.Call, leading: list[str], star: str, stars: str) -> bool:
    if len(call.args) != len(leading) + 1 or len(call.keywords) != 1:
        return False
    names = [argument.id if isinstance(argument, ast.Name) else None for argument in call.args[:-1]]
    last, keyword = call.args[-1], call.keywords[0]
    return (
        names == leading
        and isinstance(last, ast.Starred)
        and isinstance(last.value, ast.Name)
        and last.value.id == star
        and keyword.arg is None
        and isinstance(keyword.value, ast.Name)
        and keyword.value.id == stars
    )


def _mutated(wrapper: ast.FunctionDef, names: set[str]) -> bool:
    for child in ast.walk(wrapper):
        match child:
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()) if (
                name in names
            ):
                return True
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Name(id=name),
                    attr="pop" | "update" | "setdefault" | "clear" | "popitem",
                )
            ) if name in names:
                return True
            case ast.Call(func=ast.Name(id=called), args=args) if called not in {
                "isinstance",
                "len",
                "type",
                "str",
                "repr",
                "bool",
            } and any(isinstance(argument, ast.Name) and argument.id in names for argument in args):
                return True
    return False
