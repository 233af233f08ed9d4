"""Command lines as code reads them: `argparse` itself does it, with the options that the code under
review declares.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.follower import Follower
from reviewers.facts.config_flow.values import (
    ANYTHING,
    UNKNOWN,
    External,
    LocalFunction,
    PartlyKnown,
    ProblemKind,
    SomePath,
    Value,
)
from reviewers.facts.placed import place_of, without_place

_Keywords = Mapping[str, Value]
_ACTIONS = frozenset(
    {"append", "append_const", "count", "store", "store_const", "store_false", "store_true"}
)
_MOST = 200  # options of one parser, and the most that `nargs` may ask for
_MOST_LISTS = 8  # argparse tries every way to share the words out among them
_STEPS = 200  # that argparse takes, beside those for each option
_HIDDEN = "\0"  # before the number of a word that is no known text


@dataclass(eq=False, slots=True)
class Parser:
    """An `ArgumentParser`, or a group in it.

    Attributes:
        declared: the arguments of each `add_argument`.
        of: the parser that a group belongs to.
        asks: whether a group needs one of its options.
        is_open: whether it may know other options.
    """

    declared: list[tuple[Sequence[Value], dict[str, Value]]] = field(default_factory=list)
    defaults: dict[str, Value] = field(default_factory=dict)
    of: "Parser | None" = None
    asks: bool = False
    is_open: bool = False


@dataclass(eq=False, slots=True)
class Namespace:
    """What a parser gives; what it has no value for is not known."""

    values: dict[str, Value]


class _Refused(Exception):
    """The words do not fit: the process ends."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A default value that argparse must not look at."""

    value: Value


class _Parser(argparse.ArgumentParser):
    """One that neither prints nor ends the process."""

    def error(self, message: str) -> Any:
        raise _Refused

    def exit(self, status: int = 0, message: str | None = None) -> Any:
        raise _Refused

    def print_help(self, file: object = None) -> None:
        """Print nothing."""


def make(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Parser:
    """`argparse.ArgumentParser(…)`."""
    known = {"add_help", "description", "epilog", "formatter_class", "prog", "usage"}
    return Parser(is_open=not known.issuperset(keywords))


def namespace(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Namespace:
    """`argparse.Namespace(…)`, `types.SimpleNamespace(…)`."""
    spread = keywords.get(ANYTHING, {})
    known = isinstance(spread, dict) and ANYTHING not in spread
    return Namespace({**spread, **keywords} if known else {})


def method(
    follower: Follower, owner: Parser, name: str, args: Sequence[Value], keywords: _Keywords
) -> Value:
    """A method of a parser."""
    root = owner.of or owner
    match name:
        case "add_argument":
            if follower.is_unsure or ANYTHING in keywords or len(root.declared) >= _MOST:
                root.is_open = True
            given = dict(keywords)
            if owner.asks and follower.is_bare and not follower.words:
                given["default"] = UNKNOWN
            root.declared.append((args, given))
            if follower.is_bare:
                follower.choices += _choices(args[-1:], given, asks=owner.asks)
        case "add_argument_group":
            return Parser(of=root)
        case "add_mutually_exclusive_group":
            return Parser(of=root, asks=keywords.get("required") is True)
        case "set_defaults":
            root.defaults.update(keywords)
        case "parse_args" | "parse_known_args" | "parse_intermixed_args":
            return _parsed(follower, root, name, args[0] if args else keywords.get("args"))
        case _:
            root.is_open = True
    return UNKNOWN


def _choices(names: Sequence[Value], given: _Keywords, *, asks: bool) -> Iterator[tuple[str, ...]]:
    """The words that an option offers: itself, in a group that needs one; else its choices."""
    name, choices = names[0] if names else None, given.get("choices")
    if not isinstance(name, str):
        return
    if asks and given.get("action") == "store_true":
        yield (name,)
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, str) and choice != given.get("default"):
            yield (name, choice) if name.startswith("-") else (choice,)


def _parsed(follower: Follower, owner: Parser, name: str, given: Value) -> Value:
    words = follower.words if given is None else given
    values: dict[str, Value] = {}
    left: Value = UNKNOWN
    if isinstance(words, list | tuple) and not owner.is_open:
        follower.spend(_STEPS + 20 * len(owner.declared) + len(words))
        try:
            values, left = _read(follower, owner, words, whole=name == "parse_args")
        # What nobody writes: a name that is none, a `dest` twice.
        except (_Refused, argparse.ArgumentError, LookupError, TypeError, ValueError):
            values = {}
    found = Namespace(values)
    return [found, left] if name == "parse_known_args" else found


def _read(
    follower: Follower, owner: Parser, words: Sequence[Value], *, whole: bool
) -> tuple[dict[str, Value], list[Value]]:
    parser = _Parser(prog="", add_help=True)

    def unhidden(text: object) -> Value:
        if isinstance(text, _Held):
            return text.value
        if isinstance(text, list):
            return [unhidden(part) for part in text]
        is_hidden = isinstance(text, str) and text.startswith(_HIDDEN)
        return words[int(text[1:])] if is_hidden and isinstance(text, str) else text

    if sum(told.get("nargs") in ("*", "+") for _, told in owner.declared) > _MOST_LISTS:
        raise _Refused
    choices: dict[str, Value] = {}
    for names, told in owner.declared:
        option = {key: without_place(value) for key, value in told.items()}
        option = _option(follower, names, option, unhidden)
        choice = option.pop("choices", None)
        made = parser.add_argument(*map(_name, names), **option)
        choices[made.dest] = choice
    parser.set_defaults(**{key: _Held(value) for key, value in owner.defaults.items()})
    hidden = [
        f"{_HIDDEN}{at}"
        if not isinstance(word, str) or (place_of(word) is not None and word[:1] not in ("-", ""))
        else without_place(word)
        for at, word in enumerate(words)
    ]
    # Nothing but the options says what is printed, so that no text of the submission is.
    found, left = parser.parse_known_args(hidden)
    if whole and left:
        raise _Refused
    values = {key: unhidden(value) for key, value in vars(found).items()}
    for key, allowed in choices.items():
        value = values.get(key)
        if isinstance(allowed, list) and isinstance(value, str) and value not in allowed:
            raise _refusal(key, f"invalid choice: {value!r}", value)
    return values, [unhidden(word) for word in left]


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
        raise _Refused
    kind, count = told.get("type"), told.get("nargs")
    if isinstance(kind, External | LocalFunction):
        given["type"] = lambda text: _converted(follower, names, kind, unhidden(text))
    elif kind is not None:
        given["type"] = lambda text: UNKNOWN
    if count is not None:
        if not (isinstance(count, str) and count in "?*+") and not (
            isinstance(count, int) and 0 < count < _MOST
        ):
            raise _Refused
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
        return follower.apply(kind, [text])
    except AccessError as error:
        raise _refusal(str(names[0]), error.message, text) from None


def _refusal(name: str, message: str, value: Value) -> Exception:
    """What ends the process at a word; an error of the configuration where it comes from there."""
    if place_of(value) is None:
        return _Refused()
    told = f"argument {name}: {message}"
    return AccessError(ProblemKind.RAISED, "SystemExit", told, f"the word is {value!r}", value)


def _name(name: Value) -> str:
    if not isinstance(name, str) or not name.strip("-"):
        raise _Refused
    return str(without_place(name))
