"""Parses untrusted versions and version specifiers; numbers that no installer accepts are
rejected.
"""

import re
from functools import lru_cache

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

# uv keeps each number of a version in 64 bits, and Python turns at most 4,300 digits into one.
_LARGEST = 2**64 - 1
_NUMBER = re.compile(r"\d+")
_LONGEST = len(str(_LARGEST))
_CARET = re.compile(r"(?<![~=!<>])(?P<sign>[\^~])\s*(?P<version>\d{1,9}(\.\d{1,9}){0,3})(?![\w.*])")


def too_large(text: str) -> str | None:
    """Return the first number that no installer reads as a part of a version; None if there is
    none.
    """
    for found in _NUMBER.finditer(text):
        digits = found[0].lstrip("0")
        if len(digits) > _LONGEST or (len(digits) == _LONGEST and int(digits) > _LARGEST):
            return found[0]
    return None


def specifier_set(text: object) -> SpecifierSet | None:
    """Return the versions that a text allows; None if it is not a readable specifier."""
    return _specifier_set(text) if isinstance(text, str) else None


@lru_cache(1024)
def _specifier_set(text: str) -> SpecifierSet | None:
    if too_large(text):
        return None
    try:
        return SpecifierSet(text)
    except InvalidSpecifier:
        return None


@lru_cache(1024)
def as_meant(text: str) -> str:
    """The specifier that is meant by one with Poetry's signs, which no installer reads."""
    return _CARET.sub(_range, text)


def _range(caret: re.Match[str]) -> str:
    """What Poetry means by `^0.15` or `~2.1`."""
    numbers = [int(part) for part in caret["version"].split(".")]
    leading = next((place for place, number in enumerate(numbers) if number), len(numbers) - 1)
    kept = leading if caret["sign"] == "^" else min(1, len(numbers) - 1)
    upper = [*numbers[:kept], numbers[kept] + 1]
    return f">={caret['version']},<{'.'.join(map(str, upper))}"


def version_of(text: str) -> Version | None:
    """Return the version that a text names; None if it is none that can be read."""
    try:
        return None if too_large(text) else Version(text)
    except InvalidVersion:
        return None
