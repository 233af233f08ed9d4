"""Command lines as click and typer read them: their options as those of an argparse parser, which
takes and refuses the same words.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence

from reviewers.facts.config_flow.calls import follow_call
from reviewers.facts.config_flow.follower import Follower
from reviewers.facts.config_flow.parsers import Namespace, Parser, parsed
from reviewers.facts.config_flow.tables import CALLED, OutsideCall, method, transfer
from reviewers.facts.config_flow.values import (
    ANYTHING,
    UNKNOWN,
    CallScope,
    ClickCommand,
    External,
    Leave,
    LocalFunction,
    Value,
)

_TYPES: Mapping[str, str] = {"click.INT": "int", "click.FLOAT": "float"}
_PLAIN = frozenset({"int", "float"})
_OF_CLICK = frozenset({"click.argument", "click.option"})
_OF_TYPER = frozenset({"typer.Argument", "typer.Option"})
_Option = tuple[Sequence[Value], dict[str, Value]]


@method(ClickCommand, CALLED)
def _started(call: OutsideCall, command: ClickCommand) -> Value:
    """Follow what a person's words start; the process ends with it."""
    if call.args or call.keywords:
        return UNKNOWN
    read = _of_click if command.by == "click" else _of_typer
    return _followed(call, command.function, read(call.follower, command.function))


@transfer("typer.run")
def _run(call: OutsideCall, function: Value) -> Value:
    if not isinstance(function, LocalFunction):
        return UNKNOWN
    return _followed(call, function, _of_typer(call.follower, function))


def _followed(call: OutsideCall, function: LocalFunction, line: Parser) -> Value:
    assert call.node is not None
    assert call.scope is not None
    follower = call.follower
    found = follower.attempt(lambda: parsed(follower, line), call.node, call.scope)
    values = found.values if isinstance(found, Namespace) else {}
    follow_call(follower, function, [], {ANYTHING: UNKNOWN, **values})
    raise Leave("raise", error="SystemExit")


def _of_click(follower: Follower, function: LocalFunction) -> Parser:
    """The parser that click makes of a function's decorators."""
    scope = function.scope
    listed = [] if isinstance(function.node, ast.Lambda) else function.node.decorator_list
    calls = [one for one in listed if isinstance(one, ast.Call)]
    named = [scope.file.resolve(one.func) for one in calls]
    made = Parser(allows_parts=False)
    for call, name in zip(calls, named, strict=True):
        option = _of_decorator(follower, call, scope) if name in _OF_CLICK else None
        if option is not None:
            made.declared.append(option)
        made.is_open |= option is None and name != "click.command"
    made.is_open |= len(calls) < len(listed)
    return made


def _of_decorator(follower: Follower, call: ast.Call, scope: CallScope) -> _Option | None:
    """The arguments of `add_argument` for one option of click's; None where they are not known."""
    names = [follower.value(one, scope) for one in call.args]
    given = {one.arg: one.value for one in call.keywords if one.arg}
    texts = [name for name in names if isinstance(name, str)]
    if len(texts) < len(names) or not texts or len(given) < len(call.keywords):
        return None
    flags = [name for name in texts if name.startswith("-")]
    plain = [name for name in texts if not name.startswith("-")]
    told: dict[str, Value] = {}
    if any("/" in name for name in flags) or {"cls", "callback", "is_eager"} & given.keys():
        return None
    if flags and plain:
        told["dest"] = plain[0]
    default = follower.value(given["default"], scope) if "default" in given else None
    required = follower.value(given["required"], scope) if "required" in given else not flags
    if "envvar" in given or "prompt" in given or not isinstance(required, bool):
        required = False
    if "is_flag" in given and follower.value(given["is_flag"], scope) is True:
        return flags, {**told, "action": "store_true"}
    told |= _typed(follower, given.get("type"), scope)
    count = follower.value(given["nargs"], scope) if "nargs" in given else None
    if "multiple" in given:
        told["action"] = "append"
    elif count == -1:
        told["nargs"] = "*"
    elif count not in (None, 1):
        told["nargs"] = count
    if flags:
        return flags, {**told, "default": default, "required": required and "default" not in given}
    is_needed = required and "default" not in given and "nargs" not in told
    return plain, told if is_needed else {"nargs": "?", **told, "default": default}


def _typed(follower: Follower, node: ast.expr | None, scope: CallScope) -> dict[str, Value]:
    """What a type asks of a word."""
    match node:
        case None:
            return {}
        case ast.Call(func=func, args=[choices, *_], keywords=[]):
            is_choice = scope.file.resolve(func) == "click.Choice"
            return {"choices": follower.value(choices, scope)} if is_choice else {}
    name = scope.file.resolve(node) or ""
    name = _TYPES.get(name, name)
    return {"type": External(name)} if name in _PLAIN else {}


def _of_typer(follower: Follower, function: LocalFunction) -> Parser:
    """The parser that typer makes of a function's parameters."""
    node = function.node
    made = Parser(is_open=bool(node.args.vararg or node.args.kwarg), allows_parts=False)
    for parameter, default in _parameters(node.args):
        option = _of_parameter(follower, parameter, default, function.scope)
        made.is_open |= option is None
        made.declared += [option] if option is not None else []
    return made


def _parameters(given: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    positional = [*given.posonlyargs, *given.args]
    without = [None] * (len(positional) - len(given.defaults))
    yield from zip(positional, [*without, *given.defaults], strict=True)
    yield from zip(given.kwonlyargs, given.kw_defaults, strict=True)


def _of_parameter(
    follower: Follower, parameter: ast.arg, default: ast.expr | None, scope: CallScope
) -> _Option | None:
    """The arguments of `add_argument` for one parameter; None where they are not known."""
    annotation, about = parameter.annotation, None
    match annotation:
        case ast.Subscript(value=owner, slice=ast.Tuple(elts=[first, ast.Call() as call])) if (
            ast.unparse(owner).endswith("Annotated")
        ):
            annotation, about = first, call
    names: list[Value] = []
    if isinstance(default, ast.Call) and scope.file.resolve(default.func) in _OF_TYPER:
        about, default = default, None
        given = about.args[:1] or [word.value for word in about.keywords if word.arg == "default"]
        default = given[0] if given and ast.unparse(given[0]) != "..." else None
        names = [follower.value(one, scope) for one in about.args[1:]]
    elif about is not None:
        names = [follower.value(one, scope) for one in about.args]
    kind = ast.unparse(annotation) if annotation is not None else "str"
    is_option = default is not None
    if about is not None:
        is_option = scope.file.resolve(about.func) == "typer.Option"
        if {"callback", "envvar", "prompt"} & {word.arg for word in about.keywords}:
            return None
    if kind not in ("bool", "float", "int", "str", "Path", "Optional[str]", "str | None"):
        return None
    value = follower.value(default, scope) if default is not None else None
    told: dict[str, Value] = {"type": External(kind)} if kind in _PLAIN else {}
    if not is_option:
        return [parameter.arg], told if default is None else {
            **told,
            "nargs": "?",
            "default": value,
        }
    flags = [name for name in names if isinstance(name, str) and name.startswith("-")]
    if any("/" in str(name) for name in flags) or (kind == "bool" and flags):
        return None
    told |= {"dest": parameter.arg, "default": value, "required": default is None}
    if kind == "bool":
        told["action"] = External("argparse.BooleanOptionalAction")
    return flags or [f"--{parameter.arg.replace('_', '-')}"], told
