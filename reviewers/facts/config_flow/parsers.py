"""Command lines as code reads them: `argparse` itself does it, with the options that the code under
review declares. Those of click are read as an argparse parser's, which takes and refuses the same
words.
"""

import argparse
import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.calls import apply, follow_call
from reviewers.facts.config_flow.follower import Follower
from reviewers.facts.config_flow.tables import CALLED, OTHER, OutsideCall, method, transfer
from reviewers.facts.config_flow.values import (
    ANYTHING,
    UNKNOWN,
    CallScope,
    ClickCommand,
    External,
    Leave,
    LocalFunction,
    PartlyKnown,
    ProblemKind,
    SomePath,
    Value,
    is_open,
)
from reviewers.facts.placed import place_of, without_place

_CLICK_TYPES: Mapping[str, str] = {"click.INT": "int", "click.FLOAT": "float"}
_NUMBERS = frozenset({"int", "float"})
_OF_CLICK = frozenset({"click.argument", "click.option"})
_Option = tuple[Sequence[Value], dict[str, Value]]
_ACTIONS = frozenset((
    "append", "append_const", "count", "extend", "store", "store_const", "store_false",
    "store_true",
))  # fmt: skip
_SHOWN = frozenset(["add_help", "description", "epilog", "formatter_class", "prog", "usage"])
_MOST = 200  # options of one parser, and the most that `nargs` may ask for
_MOST_LISTS = 8  # argparse tries every way to share the words out among them
_STEPS = 200  # that argparse takes, beside those for each option
_HIDDEN = "\0"  # before the number of a value that is no known text
_MARKED = re.compile(rf"{_HIDDEN}(\d+)")
_LONGEST = 200  # characters that are told of a refusal


@dataclass(eq=False, slots=True)
class Parser:
    """An `ArgumentParser`, or a group in it.

    Attributes:
        declared: the arguments of each `add_argument`.
        of: the parser that a group belongs to.
        is_open: whether it may know other options.
        allows_parts: whether the beginning of an option's name is enough.
    """

    declared: list[_Option] = field(default_factory=list)
    defaults: dict[str, Value] = field(default_factory=dict)
    of: "Parser | None" = None
    is_open: bool = False
    allows_parts: bool = True


@dataclass(eq=False, slots=True)
class Namespace:
    """What a parser gives; what it has no value for is not known, unless it `is_whole`."""

    values: dict[str, Value]
    is_whole: bool = False


class _Refused(Exception):
    """The words do not fit: the process ends with exit code 2."""


class _Unread(Exception):
    """What the parser does with its words is not known."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A default value that argparse must not look at."""

    value: Value


class _Parser(argparse.ArgumentParser):
    """One that neither prints nor ends the process."""

    def error(self, message: str) -> Any:
        raise _Refused(message)

    def exit(self, status: int = 0, message: str | None = None) -> Any:
        raise _Unread

    def print_help(self, file: object = None) -> None:
        """Print nothing."""


@transfer("argparse.ArgumentParser")
def _parser(call: OutsideCall) -> Value:
    return Parser(is_open=not _SHOWN.issuperset(call.keywords))


@transfer("argparse.Namespace", "types.SimpleNamespace")
def _namespace(call: OutsideCall) -> Value:
    known = not (call.is_open or call.args)
    return Namespace(dict(call.keywords) if known else {}, is_whole=known)


@method(Parser, "add_argument")
def _declare(call: OutsideCall, owner: Parser, *names: Value) -> Value:
    root = owner.of or owner
    if call.follower.is_unsure or call.is_open or len(root.declared) >= _MOST:
        root.is_open = True
    root.declared.append((names, dict(call.keywords)))
    return UNKNOWN


@method(Parser, "add_argument_group", "add_mutually_exclusive_group")
def _group(call: OutsideCall, owner: Parser) -> Value:
    return Parser(of=owner.of or owner)


@method(Parser, "set_defaults")
def _set_defaults(call: OutsideCall, owner: Parser) -> Value:
    (owner.of or owner).defaults.update(call.keywords)
    return UNKNOWN


@method(Parser, "parse_args", "parse_known_args", "parse_intermixed_args")
def _parsed(call: OutsideCall, owner: Parser, args: Value = None) -> Value:
    return parsed(call.follower, owner.of or owner, call.name, args, call.node)


def parsed(
    follower: Follower,
    root: Parser,
    name: str = "parse_args",
    given: Value = None,
    node: ast.Call | None = None,
) -> Value:
    """What a parser makes of the command line.

    Raises:
        AccessError: it refuses the words.
    """
    words: Value = follower.words if given is None else given
    values: dict[str, Value] = {}
    left: Value = UNKNOWN
    refused = None
    takes_all = False
    if isinstance(words, list | tuple) and not (is_open(list(words)) or root.is_open):
        follower.spend(_STEPS + 20 * len(root.declared) + len(words))
        reading = _Reading(follower, words)
        try:
            values, left = reading.read(root, whole=name == "parse_args")
            # What converts a word to something unknown may refuse it as well.
            takes_all = reading.is_sure and UNKNOWN not in values.values() and not follower.is_bare
        except _Refused as error:
            refused = reading.told(str(error)) if reading.is_sure and not follower.is_bare else None
        # What nobody writes: a name that is none, a `dest` twice.
        except (_Unread, argparse.ArgumentError, LookupError, TypeError, ValueError):
            pass
    if node is not None:
        took = follower.trace.parsings
        took[node] = takes_all and took.get(node, True)
    found: Value = Namespace(values)
    found = [found, left] if name == "parse_known_args" else found
    if refused is not None:
        raise AccessError(ProblemKind.REFUSED_WORDS, "SystemExit", refused, "", None, found)
    return found


@method(Parser, OTHER)
def _other(call: OutsideCall, owner: Parser) -> Value:
    (owner.of or owner).is_open = True
    # Of `add_subparsers` and the parsers of its commands nothing is known.
    return Parser(of=owner.of or owner)


class _Reading:
    """One command line as argparse takes it apart.

    Attributes:
        is_sure: whether each word is known to be an option, or to be none.
    """

    def __init__(self, follower: Follower, words: Sequence[Value]) -> None:
        self._follower = follower
        self._values: list[Value] = []
        self.is_sure = True
        self._words = [self._shown(word) for word in words]

    def _shown(self, word: Value) -> str:
        """What argparse sees of a word: of what is no known text only that it is no option."""
        if isinstance(word, str) and (place_of(word) is None or word[:1] in ("-", "")):
            return str(without_place(word))
        if isinstance(word, PartlyKnown):
            option, is_pair, value = word.text.partition("=")
            if is_pair and option.startswith("-") and "{}" not in option:
                return f"{option}={self._hidden(PartlyKnown(value))}"
            self.is_sure &= word.text[:1] not in ("{", "-", "")
        elif not isinstance(word, str | int | float | SomePath):
            self.is_sure = False
        return self._hidden(word)

    def _hidden(self, value: Value) -> str:
        self._values.append(value)
        return f"{_HIDDEN}{len(self._values) - 1}"

    def _unhidden(self, text: object) -> Value:
        if isinstance(text, _Held):
            return text.value
        if isinstance(text, list):
            return [self._unhidden(part) for part in text]
        is_hidden = isinstance(text, str) and text.startswith(_HIDDEN)
        return self._values[int(text[1:])] if is_hidden and isinstance(text, str) else text

    def told(self, message: str) -> str:
        """What argparse says, with the words that it did not see."""
        return _MARKED.sub(lambda mark: _said(self._values[int(mark[1])]), message)[:_LONGEST]

    def read(self, owner: Parser, *, whole: bool) -> tuple[dict[str, Value], list[Value]]:
        """The values that the words give, and the words that are left over.

        Raises:
            _Refused, _Unread: there are none.
            AccessError: a value of the configuration is refused.
        """
        parser = _Parser(prog="", add_help=True, allow_abbrev=owner.allows_parts)
        choices: dict[str, Value] = {}
        self._declare(parser, owner, choices)
        # Nothing but the options says what is printed, so that no text of the submission is.
        found, left = parser.parse_known_args(self._words)
        if whole and left:
            raise _Refused(f"unrecognized arguments: {' '.join(left)}")
        values = {key: self._unhidden(value) for key, value in vars(found).items()}
        for key, allowed in choices.items():
            self._check(key, values.get(key), allowed, parser.get_default(key))
        return values, [self._unhidden(word) for word in left]

    def _declare(self, parser: _Parser, owner: Parser, choices: dict[str, Value]) -> None:
        if sum(told.get("nargs") in ("*", "+") for _, told in owner.declared) > _MOST_LISTS:
            raise _Unread
        for names, told in owner.declared:
            option = {key: without_place(value) for key, value in told.items()}
            option = _option(self._follower, names, option, self._unhidden)
            choice = option.pop("choices", None)
            made = parser.add_argument(*map(_name, names), **option)
            choices[made.dest] = choice
        parser.set_defaults(**{key: _Held(value) for key, value in owner.defaults.items()})

    def _check(self, key: str, value: Value, allowed: Value, default: Value) -> None:
        """Refuse a value that is none of the choices; a default may be anything."""
        if not isinstance(allowed, list) or not all(
            isinstance(one, str | int | float | None) for one in allowed
        ):
            self.is_sure &= allowed is None
            return
        default = self._unhidden(default)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str) and one not in allowed and value != default:
                raise _refusal(key, f"invalid choice: {one!r}", one)


def _said(value: Value) -> str:
    return value.text if isinstance(value, PartlyKnown) else str(value)


def _option(
    follower: Follower,
    names: Sequence[Value],
    told: Mapping[str, Value],
    unhidden: Callable[[object], Value],
) -> dict[str, Any]:
    """The keywords for argparse's own `add_argument`."""
    action = told.get("action", "store")
    action = "store_true" if action == "version" else action
    given: dict[str, Any] = {"action": action} if action in _ACTIONS else {}
    if isinstance(action, External) and action.name == "argparse.BooleanOptionalAction":
        given["action"] = argparse.BooleanOptionalAction
    elif not given:
        raise _Unread
    kind, count = told.get("type"), told.get("nargs")
    if isinstance(kind, External | LocalFunction):
        given["type"] = lambda text: _converted(follower, names, kind, unhidden(text))
    elif kind is not None:
        given["type"] = lambda text: UNKNOWN
    if count is not None:
        if not (isinstance(count, str) and count in "?*+") and not (
            isinstance(count, int) and 0 < count < _MOST
        ):
            raise _Unread
        given["nargs"] = count
    for key in ("dest", "choices", "const"):
        if key in told:
            given[key] = told[key]
    default = told.get("default")
    if "default" in told:
        given["default"] = default if isinstance(default, str) else _Held(default)
    is_positional = not any(isinstance(name, str) and name.startswith("-") for name in names)
    if follower.is_bare and is_positional and count is None:
        given |= {"nargs": "?", "default": _Held(_typed(follower, names, kind))}
    elif follower.is_bare and told.get("required") is True:
        given["default"] = _Held(_typed(follower, names, kind))
    elif told.get("required") is True:
        given["required"] = True
    return given


def _typed(follower: Follower, names: Sequence[Value], kind: Value) -> Value:
    """The word that a person must type: what it is nobody knows, but it stays the same."""
    word = PartlyKnown(f"{{}}{names[-1]}")
    return word if kind is None else _converted(follower, names, kind, word)


def _converted(follower: Follower, names: Sequence[Value], kind: Value, text: Value) -> Value:
    """What `type=` makes of a word, which may be a path that is only partly known."""
    if not isinstance(text, str | SomePath | PartlyKnown):
        return UNKNOWN
    try:
        return apply(follower, kind, [text])
    except AccessError as error:
        raise _refusal(str(names[0]), error.message, text) from None


def _refusal(name: str, message: str, value: Value) -> Exception:
    """What ends the process at a word; an error of the configuration where it comes from there."""
    told = f"argument {name}: {message}"
    if place_of(value) is None:
        return _Refused(told)
    return AccessError(ProblemKind.RAISED, "SystemExit", told, f"the word is {value!r}", value)


def _name(name: Value) -> str:
    if not isinstance(name, str) or not name.strip("-"):
        raise _Unread
    return str(without_place(name))


# click


@method(ClickCommand, CALLED)
def _started(call: OutsideCall, command: ClickCommand) -> Value:
    """Follow what a person's words start; the process ends with it."""
    if call.args or call.keywords or call.node is None or call.scope is None:
        return UNKNOWN
    follower, line = call.follower, _of_click(call.follower, command.function)
    found = follower.attempt(lambda: parsed(follower, line), call.node, call.scope)
    values = found.values if isinstance(found, Namespace) else {}
    follow_call(follower, command.function, [], {ANYTHING: UNKNOWN, **values})
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
    told |= _of_type(follower, given.get("type"), scope)
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


def _of_type(follower: Follower, node: ast.expr | None, scope: CallScope) -> dict[str, Value]:
    """What a type asks of a word."""
    match node:
        case None:
            return {}
        case ast.Call(func=func, args=[choices, *_], keywords=[]):
            is_choice = scope.file.resolve(func) == "click.Choice"
            return {"choices": follower.value(choices, scope)} if is_choice else {}
    name = scope.file.resolve(node) or ""
    name = _CLICK_TYPES.get(name, name)
    return {"type": External(name)} if name in _NUMBERS else {}
