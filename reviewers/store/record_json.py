"""Frozen records as JSON and back, by the types of their fields.

A span is written as its file with first and last line, an author as the fields `author` (the name
on the record) and `signer` (the author's key), a time as ISO 8601 in UTC. What is read is checked:
a value of another type, a number that no database holds and a text that no index holds are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from reviewers.records import Span, moment
from reviewers.store.authors import Author

_T = TypeVar("_T")
_LARGEST = 2**63
# What older releases do not know is in a line only where there is something to say.
_LEFT_OUT_WHEN_EMPTY = frozenset({"parts", "says", "names", "category", "understood"})
_NEVER_WRITTEN = frozenset({"aliases", "version"})
_CALLED = {"finding_id": "finding"}
_NAME = re.compile(".{1,200}", re.DOTALL)  # it ends up in an index, which PostgreSQL bounds
_HASH, _KEY = re.compile("[0-9a-f]{1,64}"), re.compile("[0-9a-f]{64}")
_FORMS = {
    **dict.fromkeys(("reviewer", "category", "vocabulary", "reader"), _NAME),
    **dict.fromkeys(("commit", "one", "other"), _HASH),
    **dict.fromkeys(("key", "signer"), _KEY),
    "digest": re.compile("[0-9a-f]{0,64}"),
}


class WrongField(ValueError):
    """A field is missing, or is not of its type."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the field `{name}` is missing or not what an export writes there")
        self.name = name


def to_json(value: Any) -> Any:
    """Return a record, or a value of one of its fields, as a JSON value."""
    match value:
        case Span():
            return [value.file, value.line, value.end_line]
        case datetime():
            return moment(value)
        case tuple() | list():
            return [to_json(each) for each in value]
        case _ if is_dataclass(value):
            return _fields_of(value)
    return value


def _fields_of(record: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for field in fields(record):
        value = getattr(record, field.name)
        if isinstance(value, Author):
            found |= {"author": value.signed, **({"signer": value.key} if value.key else {})}
        elif field.name not in _NEVER_WRITTEN and (value or field.name not in _LEFT_OUT_WHEN_EMPTY):
            found[_CALLED.get(field.name, field.name)] = to_json(value)
    return found


def from_json(kind: type[_T], values: object, **known: Any) -> _T:
    """Return the record of a JSON object.

    Args:
        known: values of fields that are given here and not read from the object.

    Raises:
        WrongField: a field is missing or not of its type.
    """
    if not isinstance(values, Mapping):
        raise WrongField(kind.__name__)
    wanted: Any = kind
    read = {each.name: each.read(values) for each in _fields(wanted) if each.name not in known}
    told = {name: value for name, value in read.items() if value is not MISSING}
    try:
        made: _T = wanted(**told, **known)
    except ValueError:  # the record itself refuses what its fields say together
        raise WrongField(kind.__name__) from None
    return made


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    kind: Any
    has_default: bool

    def read(self, values: Mapping[str, Any]) -> Any:
        name = _CALLED.get(self.name, self.name)
        if self.name in _NEVER_WRITTEN or (self.has_default and values.get(name) is None):
            return MISSING
        if self.kind is Author or Author in get_args(self.kind):
            return _author(values, optional=self.kind is not Author)
        return value_of(self.kind, values.get(name), name)


@cache
def _fields(kind: Any) -> Sequence[_Field]:
    kinds = get_type_hints(kind)
    return [
        _Field(
            each.name,
            kinds[each.name],
            each.default is not MISSING or each.default_factory is not MISSING,
        )
        for each in fields(kind)
    ]


def _author(values: Mapping[str, Any], *, optional: bool) -> Author | None:
    if optional and values.get("author") is None:
        return None
    name = value_of(str, values.get("author"), "author")
    if not name:
        raise WrongField("author")
    return Author.unknown(name, value_of(str | None, values.get("signer") or None, "signer"))


def value_of(kind: Any, value: Any, name: str) -> Any:
    """Return a JSON value as one of a type; None only where the type has it.

    Raises:
        WrongField: it is not of this type.
    """
    if NoneType in get_args(kind):
        (inner,) = (each for each in get_args(kind) if each is not NoneType)
        return None if value is None else value_of(inner, value, name)
    if kind is Any:
        return value
    if kind is Span:
        return _span(value, name)
    if get_origin(kind) is tuple:
        return _several(get_args(kind), value, name)
    if is_dataclass(kind):
        return from_json(kind, value)  # type: ignore[arg-type]
    if get_args(kind) == (str, str) and isinstance(value, dict):
        _several((str, ...), [*value, *value.values()], name)
    return _plain(get_origin(kind) or kind, value, name)


def _plain(kind: Any, value: Any, name: str) -> Any:
    if issubclass(kind, Enum | datetime) and isinstance(value, str):
        try:
            return _time(value) if kind is datetime else kind(value)
        except (ValueError, OverflowError):
            raise WrongField(name) from None
    if isinstance(value, int) and abs(value) >= _LARGEST:
        raise WrongField(name)
    if kind is float and type(value) is int:
        value = float(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise WrongField(name)
    if isinstance(value, str) and (form := _FORMS.get(name)) and not form.fullmatch(value):
        raise WrongField(name)
    return value


def _several(kinds: tuple[Any, ...], value: Any, name: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise WrongField(name)
    if kinds[-1] is Ellipsis:
        kinds = kinds[:1] * len(value)
    if len(kinds) != len(value):
        raise WrongField(name)
    return tuple(value_of(kind, each, name) for kind, each in zip(kinds, value, strict=True))


def _time(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError(text)
    return found.astimezone(UTC)


def _span(value: Any, name: str) -> Span:
    match value:
        case [str(file), None, None]:
            return Span(file)
        case [str(file), int(line), int(end)]:
            return Span(file, line, end)
    raise WrongField(name)
