"""Command lines as code reads them: `argparse` itself does it, with the options that the code under
review declares. Those of click are read as an argparse parser's, which takes and refuses the same
words.
"""

import argparse
import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.calls import apply, follow_call
from reviewers.facts.config_flow.follower import Follower
from reviewers.facts.config_flow.operations import shown
from reviewers.facts.config_flow.tables import CALLED, OTHER, OutsideCall, method, transfer
from reviewers.facts.config_flow.values import (
    ANYTHING,
    UNKNOWN,
    Bound,
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

# Types of click's that refuse words as Python's do; what makes another of an option; and what
# else gives a value to one.
_NUMBERS = {"float": "float", "click.FLOAT": "float", "int": "int", "click.INT": "int"}
_ODD = frozenset({"callback", "cls", "is_eager"})
_OTHERWISE = frozenset({"default", "envvar", "prompt"})
_Option = tuple[Sequence[Value], dict[str, Value]]
_ACTIONS = frozenset((
    "append", "append_const", "count", "extend", "store", "store_const", "store_false",
    "store_true",
))  # fmt: skip
_SHOWN = frozenset(
    ["add_help", "allow_abbrev", "description", "epilog", "formatter_class", "prog", "usage"]
)
_MOST = 200  # options of one parser, and the most that `nargs` may ask for
_MOST_LISTS = 8  # argparse tries every way to share the words out among them
_STEPS = 200  # that argparse takes, beside those for each option
_HIDDEN = "\0"  # before the number of a value that is no known text
_MARKED = re.compile(rf"{_HIDDEN}(\d+)")
_LONGEST = 200  # characters that are told of a refusal


@dataclass(eq=False, slots=True)
class Parser:
    """An `ArgumentParser`, with the arguments of each `add_argument`.

    Attributes:
        is_open: whether it may know other options.
        allows_parts: whether the beginning of an option's name is enough.
    """

    declared: list[_Option] = field(default_factory=list)
    defaults: dict[str, Value] = field(default_factory=dict)
    is_open: bool = False
    allows_parts: bool = True


@dataclass(eq=False, slots=True)
class Namespace:
    """Attributes of which some are known, as a parser gives them; the others too where it
    `is_whole`.
    """

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
    parts = call.keywords.get("allow_abbrev", True)
    is_open = not _SHOWN.issuperset(call.keywords) or not isinstance(parts, bool)
    return Parser(is_open=is_open, allows_parts=parts is True)


@transfer("argparse.Namespace", "types.SimpleNamespace")
def _namespace(call: OutsideCall) -> Value:
    known = not (call.is_open or call.args)
    return Namespace(dict(call.keywords) if known else {}, is_whole=known)


@method(Parser, "add_argument")
def _declare(call: OutsideCall, owner: Parser, *names: Value) -> Value:
    if call.follower.is_unsure or call.is_open or len(owner.declared) >= _MOST:
        owner.is_open = True
    owner.declared.append((names, dict(call.keywords)))
    return UNKNOWN


@method(Parser, "add_argument_group", "add_mutually_exclusive_group", OTHER)
def _group(call: OutsideCall, owner: Parser) -> Value:
    """A group declares for its parser; of other methods and their parsers nothing is known."""
    owner.is_open |= not call.name.endswith("_group")
    return owner


@method(Parser, "set_defaults")
def _set_defaults(call: OutsideCall, owner: Parser) -> Value:
    owner.defaults.update(call.keywords)
    return UNKNOWN


@method(Parser, "parse_args", "parse_known_args", "parse_intermixed_args")
def _parsed(call: OutsideCall, owner: Parser, args: Value = None) -> Value:
    """What a parser makes of the command line."""
    follower, name = call.follower, call.name
    words: Value = follower.words if args is None else args
    values: dict[str, Value] = {}
    left: Value = UNKNOWN
    refused = None
    takes_all = False
    if isinstance(words, (list, tuple)) and not (is_open(list(words)) or owner.is_open):
        follower.spend(_STEPS + 20 * len(owner.declared) + len(words))
        reading = _Reading(follower, words)
        try:
            values, left = reading.read(owner, whole=name == "parse_args")
            # What converts a word to something unknown may refuse it as well.
            takes_all = reading.is_sure and UNKNOWN not in values.values() and not follower.is_bare
        except _Refused as error:
            refused = reading.told(str(error)) if reading.is_sure and not follower.is_bare else None
        # What nobody writes: a name that is none, a `dest` twice.
        except (_Unread, argparse.ArgumentError, LookupError, TypeError, ValueError):
            pass
    if call.node is not None:
        took = follower.trace.parsings
        took[call.node] = takes_all and took.get(call.node, True)
    found: Value = Namespace(values)
    found = [found, left] if name == "parse_known_args" else found
    if refused is not None:
        raise AccessError(ProblemKind.REFUSED_WORDS, "SystemExit", refused, "", None, found)
    return found


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
        elif not isinstance(word, (str, int, float, SomePath)):
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
        return _MARKED.sub(lambda mark: shown(self._values[int(mark[1])]), message)[:_LONGEST]

    def read(self, owner: Parser, *, whole: bool) -> tuple[dict[str, Value], list[Value]]:
        """The values that the words give, and the words that are left over.

        Raises:
            _Refused, _Unread: there are none.
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
            if not all(isinstance(name, str) and name.strip("-") for name in names):
                raise _Unread
            shown = [str(without_place(name)) for name in names]
            option = self._option(shown, {key: without_place(one) for key, one in told.items()})
            choice = option.pop("choices", None)
            choices[parser.add_argument(*shown, **option).dest] = choice
        parser.set_defaults(**{key: _Held(value) for key, value in owner.defaults.items()})

    def _option(self, names: Sequence[str], told: Mapping[str, Value]) -> dict[str, Any]:
        """The keywords for argparse's own `add_argument`."""
        action = told.get("action", "store")
        action = "store_true" if action == "version" else action
        given: dict[str, Any] = {"action": action} if action in _ACTIONS else {}
        if isinstance(action, External) and action.name == "argparse.BooleanOptionalAction":
            given["action"] = argparse.BooleanOptionalAction
        kind, count = told.get("type"), told.get("nargs")
        is_number = isinstance(count, int) and 0 < count < _MOST
        if not given or not (count in (None, "?", "*", "+") or is_number):
            raise _Unread
        if isinstance(kind, (External, LocalFunction)):
            given["type"] = lambda text: self._converted(names, kind, self._unhidden(text))
        elif kind is not None:
            given["type"] = lambda text: UNKNOWN
        if count is not None:
            given["nargs"] = count
        given |= {key: told[key] for key in ("dest", "choices", "const") if key in told}
        default = told.get("default")
        if "default" in told:
            given["default"] = default if isinstance(default, str) else _Held(default)
        is_needed = told.get("required") is True
        is_positional = not any(name.startswith("-") for name in names) and count is None
        if self._follower.is_bare and (is_positional or is_needed):
            # The word that a person must type: what it is nobody knows, but it stays the same.
            word: Value = PartlyKnown(f"{{}}{names[-1]}")
            given["default"] = _Held(word if kind is None else self._converted(names, kind, word))
            given |= {"nargs": "?"} if is_positional else {}
        elif is_needed:
            given["required"] = True
        return given

    def _converted(self, names: Sequence[str], kind: Value, text: Value) -> Value:
        """What `type=` makes of a word, which may be a path that is only partly known."""
        if not isinstance(text, (str, SomePath, PartlyKnown)):
            return UNKNOWN
        try:
            return apply(self._follower, kind, [text])
        except AccessError as error:
            raise _refusal(names[0], error.message, text) from None

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


def _refusal(name: str, message: str, value: Value) -> Exception:
    """What ends the process at a word; an error of the configuration where it comes from there."""
    told = f"argument {name}: {message}"
    if place_of(value) is None:
        return _Refused(told)
    return AccessError(ProblemKind.RAISED, "SystemExit", told, f"the word is {value!r}", value)


# click


@transfer("click.Choice")
def _choice(call: OutsideCall, choices: Value) -> Value:
    return {} if call.keywords else {"choices": choices}


@transfer("click.argument", "click.option")
def _declared_by(call: OutsideCall, *names: Value) -> Value:
    """What `add_argument` takes for one option of click's; UNKNOWN where that is not known."""
    given = call.keywords
    flags = [name for name in names if isinstance(name, str) and name.startswith("-")]
    plain = [name for name in names if isinstance(name, str) and not name.startswith("-")]
    is_odd = call.is_open or any("/" in name for name in flags) or _ODD & given.keys()
    if is_odd or not names or len(flags) + len(plain) < len(names):
        return UNKNOWN
    told: dict[str, Value] = {"dest": plain[0]} if flags and plain else {}
    if given.get("is_flag") is True:
        return flags, {**told, "action": "store_true"}
    kind, count = given.get("type"), given.get("nargs")
    if isinstance(kind, External) and (known := _NUMBERS.get(kind.name)):
        told["type"] = External(known)
    told |= kind if type(kind) is dict else {}
    if "multiple" in given:
        told["action"] = "append"
    elif count not in (None, 1):
        told["nargs"] = "*" if count == -1 else count
    is_needed = given.get("required", not flags) is True and not _OTHERWISE & given.keys()
    told["default"] = given.get("default")
    if flags:
        return flags, {**told, "required": is_needed}
    return plain, told if is_needed else {"nargs": "?", **told}


@method(ClickCommand, CALLED)
def _started(call: OutsideCall, command: ClickCommand) -> Value:
    """Follow what a person's words start; the process ends with it."""
    if call.args or call.keywords or call.node is None or call.scope is None:
        return UNKNOWN
    function, follower = command.function, call.follower
    line = Parser(allows_parts=False)
    for one in () if isinstance(function.node, ast.Lambda) else function.node.decorator_list:
        option = follower.value(one, function.scope)
        if isinstance(option, tuple):
            line.declared.append(option)
        elif function.scope.file.resolve(getattr(one, "func", one)) != "click.command":
            line.is_open = True
    parse = replace(call, callee=Bound(line, "parse_args"))
    found = follower.attempt(lambda: _parsed(parse, line), call.node, call.scope)
    values = found.values if isinstance(found, Namespace) else {}
    follow_call(follower, function, [], {ANYTHING: UNKNOWN, **values})
    raise Leave("raise", error="SystemExit")
