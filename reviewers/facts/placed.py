"""Configuration values that know where they are set: the line of a file, or a dotted path."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reviewers.records import Span


class IntendedPath(str):
    """A dotted path in the intended configuration: the code is meant to get the value, but does
    not.
    """


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """Where a key stands that the code takes for a value, by its dotted path; a part of the key
    is there too.
    """

    path: str


Place = Span | str | KeyPlace


class Text(str):
    """A text of a configuration that knows its `place`: the line of a file, or its dotted path in
    a configuration of OmegaConf's. `Whole` and `Real` are the same for numbers.
    """

    place: Place


class Whole(int):
    """See `Text`."""

    place: Place


class Real(float):
    """See `Text`."""

    place: Place


_PLACED: Mapping[type, type[Text] | type[Whole] | type[Real]] = {
    str: Text,
    int: Whole,
    float: Real,
}
for _plain, _with_place in _PLACED.items():
    _with_place.__name__ = _plain.__name__  # as Python's own errors call it


def placed(value: Any, place: Place | None) -> Any:
    """The value with its place, where it is a text or a number and has none yet."""
    kind = _PLACED.get(type(value))
    if kind is None or place is None:
        return value
    made = kind(value)
    made.place = place
    return made


def place_of(value: Any) -> Place | None:
    """Where a value is in a configuration; None if that is not known."""
    return value.place if isinstance(value, (Text, Whole, Real)) else None


def without_place(value: Any) -> Any:
    """A text or number as such, which is all that OmegaConf takes."""
    for plain, with_place in _PLACED.items():
        if isinstance(value, with_place):
            return plain(value)
    return value
