"""The classes that functions, methods and attributes of third-party libraries certainly return."""

import ast
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from reviewers.facts.config_flow import UNKNOWN, PassedValues
from reviewers.facts.python_nodes import argument, is_spread
from reviewers.facts.third_party import Index, Known

_TABLE: Mapping[str, Any] = tomllib.loads(
    resources.files(__package__).joinpath("known.toml").read_text("utf-8")
)
_ITSELF = frozenset(_TABLE["itself"])
_REMEMBERED = 5_000
_PLAIN_NEW = (
    "builtins.",
    "abc.",
    "collections.",
    "typing.",
)  # which give instances of the class that is called
_WHOLE = frozenset(_TABLE["whole"])
NOTHING: frozenset[str] = frozenset()

Types = frozenset[str]
Found = Types | None
"""Classes by their public names, one of which the value's is; None if that is open, empty for
None and what never is.
"""

Arguments = Callable[[ast.Call], Sequence[PassedValues]]
"""What a call is known to get in the runs, once for each."""


def joined(parts: Iterable[Found]) -> Found:
    """The classes of a value that is one of several."""
    found = NOTHING
    for part in parts:
        if part is None:
            return None
        found |= part
    return found


class Classes:
    """The classes of one index."""

    def __init__(self, index: Index, passed: Arguments) -> None:
        self.index = index
        self._passed = passed

    def value(self, name: str) -> Found:
        """The classes of a module's own value."""
        return frozenset(_TABLE["values"][name]) if name in _TABLE["values"] else None

    def annotated(self, name: str) -> Found:
        """The class of what is said to be an instance of it, where it can be no subclass with more
        attributes.
        """
        return _annotated(self.index, name)

    def made(self, name: str, call: ast.Call) -> Found:
        """The classes of what a call of a library's own name gives."""
        return (
            self._loaded(call)
            if name == "datasets.load_dataset"
            else self._given(name, call) or _made(self.index, name)
        )

    def method(self, owner: str, name: str, call: ast.Call | None = None) -> Found:
        """The classes of what a method of a class's instances gives."""
        if name in _ITSELF:
            return frozenset([owner])
        return self._given(f"{owner}.{name}", call) or _returned(self.index, f"{owner}.{name}")

    def member(self, owner: str, name: str) -> Found:
        """The classes of an attribute of a class's instances."""
        return _member(self.index, owner, name)

    def may_be_subclass(self, owner: str) -> bool:
        """Whether what is said to be of a class may have more attributes than the class."""
        return owner in _TABLE["extended"]

    def is_whole(self, owner: str) -> bool:
        """Whether the index shows all attributes of a class's instances although it holds the class
        open.
        """
        return owner in _WHOLE

    @staticmethod
    def _given(name: str, call: ast.Call | None) -> Found:
        """What the table says that a call gives, unless some keyword changes that."""
        if name not in _TABLE["gives"]:
            return None
        gives = _TABLE["gives"][name]
        given = {word.arg for word in call.keywords} if call else set()
        return (
            None if None in given or given & set(gives["without"]) else frozenset([gives["class"]])
        )

    def _loaded(self, call: ast.Call) -> Found:
        """`datasets.load_dataset`: a split gives a data set, without one a dictionary of them; the
        same for streaming.
        """
        if is_spread(call):
            return None
        split, streaming = self._known(call, "split"), self._known(call, "streaming")
        kinds = set()
        for text in split:
            for streamed in streaming:
                if not isinstance(text, str | None) or not isinstance(streamed, bool):
                    return None
                kinds.add(
                    f"datasets.{'Iterable' if streamed else ''}Dataset{'Dict' if text is None else ''}"  # noqa: E501
                )
        return frozenset(kinds)

    def _known(self, call: ast.Call, name: str) -> Collection[object]:
        """The values that a keyword takes: as written, or in the runs."""
        absent = None if name == "split" else False
        match argument(call, name):
            case None:
                return [absent]
            case ast.Constant(value=constant):
                return [constant]
            case ast.JoinedStr():
                return [""]
        runs = [passed.keywords.get(name, UNKNOWN) for passed in self._passed(call)]
        if runs and UNKNOWN not in runs:
            return runs
        # What is read at run time is true or false, and mostly no None; which text it is does not
        # matter.
        return [True, False] if name == "streaming" else [UNKNOWN]


@cache
def _exact(index: Index) -> Mapping[str, str]:
    """The classes whose instances are just these, by where they are defined: their public names."""
    found = ((name, index.lookup(name)) for name in (*_TABLE["exact"], *_TABLE["extended"]))
    return {known.origin: name for name, known in found if isinstance(known, Known)}


@lru_cache(maxsize=_REMEMBERED)
def _annotated(index: Index, name: str) -> Found:
    known = index.lookup(name)
    exact = _exact(index).get(known.origin) if isinstance(known, Known) else None
    return frozenset([exact]) if exact else None


@lru_cache(maxsize=_REMEMBERED)
def _returned(index: Index, name: str) -> Found:
    signature = index.signature(name)
    return (
        joined(_annotated(index, kind) for kind in (signature.returns if signature else ())) or None
    )


@lru_cache(maxsize=_REMEMBERED)
def _made(index: Index, name: str) -> Found:
    known = index.lookup(name)
    if not isinstance(known, Known) or known.kind != "class":
        return _returned(index, name) if isinstance(known, Known) else None
    decides = index.attribute(name, "__new__")
    if isinstance(decides, Known) and not decides.origin.startswith(_PLAIN_NEW):
        return None
    return frozenset([_exact(index).get(known.origin, name)])


@lru_cache(maxsize=_REMEMBERED)
def _member(index: Index, owner: str, name: str) -> Found:
    return (
        joined(_annotated(index, kind) for kind in index.attribute_types(owner).get(name, ()))
        or None
    )
