"""Whether a path of which only parts are known may be one that is meant."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from reviewers.facts.origins import Placed
from reviewers.facts.stores import code_of
from reviewers.facts.templates import HOLE, may_equal

if TYPE_CHECKING:
    from reviewers.facts import Facts

_OF_RUN = re.compile(r"(?<![a-z])(run|rid)(?!ner|ning|time)", re.IGNORECASE)
_DEEPEST = 6  # names that stand for others
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


def speaks_of_run(facts: "Facts", place: Placed, depth: int = _DEEPEST) -> bool:
    """Whether what an expression is made of has the name of a run, as far as that can be seen."""
    origins = facts.file_uses.paths.origins
    match place.node:
        case ast.Name() as name:
            given = origins.values(place.file, name)
            said, inner = name.id, given if depth > 0 else []
        case ast.Attribute(attr=said, value=owner):
            is_made = not isinstance(owner, ast.Name | ast.Attribute | ast.Subscript)
            # Of `cfg.x` the name tells it, of `Path(x).parent` what it is made of.
            inner = [Placed(place.file, owner)] if is_made else []
            said = code_of(place.node) if said in ("id", "name") else said
        case ast.Call(func=func) as call if depth > 0 and (
            found := origins.returned(place.file, call)
        ):
            said, inner = code_of(func), found
        case node:
            said = str(node.value) if isinstance(node, ast.Constant) else ""
            parts = (one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr))
            inner = [Placed(place.file, one) for one in parts]
    if _OF_RUN.search(said):
        return True
    is_deeper = isinstance(place.node, ast.Name | ast.Call)
    return any(speaks_of_run(facts, one, depth - is_deeper) for one in inner)


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
