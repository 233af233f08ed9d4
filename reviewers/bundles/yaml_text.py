"""Parses untrusted YAML safely; facts read a submission's YAML through this module too.

A submission's YAML may be wrong, or made to do harm to its reader: both are findings about the
submission, and no value is made of it.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import yaml

from reviewers.bundles.json_text import MAX_DEPTH

MAX_NODES = 100_000  # with every alias written out
_MAX_NUMBER = 1_000  # characters of 1:2:3:…, which YAML 1.1 reads as one number in quadratic time
_BASE_60 = re.compile(r"[-+0-9.][0-9_.]*:[0-9_:.]*")
_MOST_BITS = 14_000  # of a whole number; Python writes none of more than 4,300 digits
# What PyYAML's constructors, and OmegaConf after them, raise at values that only look like ones:
# `!!int ""`, `!!bool x`, `!!timestamp x`, a date that does not exist, a number of 5,000 digits.
UNREADABLE = (
    yaml.YAMLError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
_STANDARD_TAG = re.compile(
    r"tag:yaml\.org,2002:(binary|bool|float|int|map|merge|null|omap|pairs|seq|set|str|timestamp|value)"
)
_Reader = type[yaml.SafeLoader] | type[yaml.CSafeLoader]
_Loader: _Reader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TOO_DEEP = f"it is nested deeper than {MAX_DEPTH} levels"
_LIBYAML_BOUND = "maximum nesting depth"
# What libyaml takes and PyYAML's own parser refuses, or reads as something else.
_READ_DIFFERENTLY = re.compile(r"[\t!?\ufeff]|[|>][-+0-9]*#")


@dataclass(frozen=True, slots=True)
class YamlProblem:
    """Why a text is not YAML that we read.

    Attributes:
        message: what is wrong, in a few words, without the place.
        line: 1-based, None if the parser names none.
        raised: what the code under review would see, in one line; empty if nothing was raised.
        error: the name of the exception that it would see; empty if none is known.
    """

    message: str
    line: int | None = None
    raised: str = ""
    error: str = ""

    def __str__(self) -> str:
        return self.message if self.line is None else f"line {self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class YamlText:
    """A YAML text read as plain values (dict, list, str, int, float, bool, None, date, bytes).

    Attributes:
        value: None for an empty text, and where there is a problem.

    Note that `1e-4` is a string by YAML 1.1, while OmegaConf and so the code under review read a
    number.
    """

    value: object = None
    problem: YamlProblem | None = None


def load_yaml(text: str, reader: _Reader = _Loader) -> YamlText:
    """Read one YAML document; nothing is constructed but plain values, and what is not read is
    told, never raised.

    Args:
        reader: a safe one that reads other words as numbers than ours does.
    """
    if problem := yaml_problem(text):
        return YamlText(problem=problem)
    try:
        try:
            value = _value(text, quickest(reader, text))
        except yaml.YAMLError:
            value = _value(text, reader)  # which shows the line in its message
    except UNREADABLE as error:
        return YamlText(problem=_refused(error))
    if _holds_endless_number(value):
        return YamlText(problem=YamlProblem("a number has more digits than Python can write"))
    return YamlText(value)


def _value(text: str, reader: _Reader) -> object:
    loader = reader(text)
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


def quickest(reader: Any, text: str) -> Any:
    """The reader, with libyaml's parser in place of PyYAML's where both read this text alike: that
    takes a fifth of the time. Its errors do not show the line.
    """
    return reader if _READ_DIFFERENTLY.search(text) else _on_libyaml(reader)


@lru_cache(maxsize=8)
def _on_libyaml(reader: Any) -> Any:
    return reader if issubclass(reader, _Loader) else type(reader.__name__, (_Loader, reader), {})


def syntax_problem(text: str) -> YamlProblem | None:
    """Say why no YAML parser takes a text, whatever its tags and values mean; None if one does,
    of several documents too.
    """
    try:
        for _ in yaml.parse(text, Loader=_Loader):
            pass
    except UNREADABLE as error:
        return _refused(error)
    return None


def raised_text(error: BaseException) -> str:
    """Return what an error says to a reader of a YAML file, in one line; its name only where the
    words alone say little.
    """
    words = " ".join(str(error).split())[:300]
    named = isinstance(error, yaml.YAMLError | ValueError | RecursionError) and words
    return words if named else f"{type(error).__name__}: {words}"


def _refused(error: Exception) -> YamlProblem:
    """Why no values could be made of a text whose form is right."""
    raised = raised_text(error)
    if isinstance(error, yaml.MarkedYAMLError):
        return replace(_told(error), raised=raised)
    name = type(error).__name__
    return YamlProblem(
        f"it contains a value that cannot be read ({raised[:100]})", None, raised, name
    )


def _holds_endless_number(value: object) -> bool:
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            waiting += each.keys()
            waiting += each.values()
        elif isinstance(each, list | tuple | set):
            waiting += each
        elif isinstance(each, int) and each.bit_length() > _MOST_BITS:
            return True
    return False


def yaml_problem(text: str) -> YamlProblem | None:
    """Say what is wrong with the form of a YAML text, before any value is made of it; None if
    nothing is.

    The parser's events are looked at one by one, so that neither nesting nor aliases cost more than
    the text is long.
    """
    nodes = _Nodes()
    try:
        for event in yaml.parse(text, Loader=_Loader):
            if problem := nodes.problem(event):
                line = None if event.start_mark is None else event.start_mark.line + 1
                return YamlProblem(problem, line)
    except yaml.MarkedYAMLError as error:
        told = _told(error)
        # Newer versions of libyaml read ahead, and have a bound of their own.
        return replace(told, message=_TOO_DEEP) if _LIBYAML_BOUND in told.message else told
    except (yaml.YAMLError, UnicodeEncodeError) as error:
        return YamlProblem(str(error).splitlines()[0][:200], error=type(error).__name__)
    return None


class _Nodes:
    """Counts the nodes that a text stands for, with every alias written out."""

    def __init__(self) -> None:
        self._anchors: list[str | None] = []  # of the collections that are open
        self._sizes: list[int] = []
        self._size_of: dict[str, int] = {}  # by anchor
        self._total = 0

    def problem(self, event: yaml.Event) -> str:
        """Return what is wrong with the next event; empty if nothing is."""
        if isinstance(event, yaml.CollectionEndEvent):
            self._close(self._anchors.pop(), self._sizes.pop())
        if not isinstance(event, yaml.NodeEvent):
            return ""
        size = 1
        if isinstance(event, yaml.AliasEvent):
            if event.anchor in self._anchors:
                return f"the alias *{event.anchor} contains itself"
            size = self._size_of.get(event.anchor or "", 1)
        elif tag := _foreign_tag(event):
            return f"the tag {tag[:80]!r} asks for more than plain values"
        elif isinstance(event, yaml.ScalarEvent) and _is_endless_number(event):
            return f"a number has more than {_MAX_NUMBER} digits"
        self._total += size
        if self._total > MAX_NODES:
            return f"it contains more than {MAX_NODES} values, aliases written out"
        if isinstance(event, yaml.CollectionStartEvent):
            self._anchors.append(event.anchor)
            self._sizes.append(1)
            return _TOO_DEEP if len(self._sizes) > MAX_DEPTH else ""
        self._close(event.anchor if isinstance(event, yaml.ScalarEvent) else None, size)
        return ""

    def _close(self, anchor: str | None, size: int) -> None:
        if anchor is not None:
            self._size_of[anchor] = size
        if self._sizes:
            self._sizes[-1] += size


def _foreign_tag(event: yaml.Event) -> str | None:
    tag = getattr(event, "tag", None)
    return tag if tag not in (None, "!") and not _STANDARD_TAG.fullmatch(tag) else None


def _is_endless_number(event: yaml.ScalarEvent) -> bool:
    return len(event.value) > _MAX_NUMBER and _BASE_60.fullmatch(event.value) is not None


def keys_before(text: str, line: int) -> list[int]:
    """The 1-based lines on which the key of a line precedes, in the same mapping; none in a
    text that is not well formed.
    """
    if yaml_problem(text):
        return []
    loader = _Loader(text)
    try:
        waiting = [loader.get_single_node()]
    finally:
        loader.dispose()
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen or not isinstance(node, yaml.CollectionNode):
            continue
        seen.add(id(node))
        if not isinstance(node, yaml.MappingNode):
            waiting += node.value
            continue
        keys = [(key.value, key.start_mark.line + 1) for key, _ in node.value]
        for name, at in keys:
            if at == line and isinstance(name, str):
                return [other for same, other in keys if same == name and other < line]
        waiting += [value for _, value in node.value]
    return []


def _told(error: yaml.MarkedYAMLError) -> YamlProblem:
    mark = error.problem_mark or error.context_mark
    words = " ".join(part for part in (error.context, error.problem) if part)
    line = None if mark is None else mark.line + 1
    return YamlProblem(words[:200] or "it does not parse", line, error=type(error).__name__)
