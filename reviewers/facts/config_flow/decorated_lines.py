"""Command lines as click reads them: its options as those of an argparse parser, which takes and
refuses the same words.
"""

import ast
from collections.abc import Mapping, Sequence

from reviewers.facts.config_flow.calls import follow_call
from reviewers.facts.config_flow.follower import Follower
from reviewers.facts.config_flow.parsers import Namespace, Parser, parsed
from reviewers.facts.config_flow.tables import CALLED, OutsideCall, method
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
_Option = tuple[Sequence[Value], dict[str, Value]]


@method(ClickCommand, CALLED)
def _started(call: OutsideCall, command: ClickCommand) -> Value:
    """Follow what a person's words start; the process ends with it."""
    if call.args or call.keywords or call.node is None or call.scope is None:
        return UNKNOWN
    follower, line = call.follower, _parser(call.follower, command.function)
    found = follower.attempt(lambda: parsed(follower, line), call.node, call.scope)
    values = found.values if isinstance(found, Namespace) else {}
    follow_call(follower, command.function, [], {ANYTHING: UNKNOWN, **values})
    raise Leave("raise", error="SystemExit")


def _parser(follower: Follower, function: LocalFunction) -> Parser:
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
