"""Whether a path of which only parts are known may be one that is meant."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from reviewers.facts.templates import HOLE, may_equal

if TYPE_CHECKING:
    from reviewers.facts import Facts

_LITERAL = re.compile(r"[a-zA-Z0-9]{3,}")


def may_meet(wanted: list[str], path: list[str]) -> bool:
    """Whether the parts of two paths may be the same, from the last one on; a part of which
    nothing is known may be several.
    """
    for one, other in zip(reversed(wanted), reversed(path), strict=False):
        if HOLE in (one, other):
            return True
        if not may_equal(one, other):
            return False
    return True


def may_be_said(wanted: str, path: str, texts: Sequence[str]) -> bool:
    """Whether the parts of a path that are not known may hold the words that are wanted: each text
    of the code and of the configurations is looked at.
    """
    words = [one for one in _LITERAL.findall(wanted.replace(HOLE, "*")) if one not in path]
    return all(any(word in text for text in texts) for word in words)


def texts_of(facts: "Facts") -> Iterator[str]:
    """The texts of which code and configurations may make a path."""
    for file in facts.python.values():
        yield from (one.value for one in file.strings if not one.is_docstring)
        yield from (name for name in file.aliases)
    for path in facts.submission.by_path:
        if not path.endswith(".py"):
            yield facts.text(path) or ""
            yield path
    yield from (run.run_id for run in facts.runs)
