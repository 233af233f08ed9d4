"""Tables of activities: the calls that prove that code does something, and the words that hint
at it.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import islice

from reviewers.facts.globs import alike
from reviewers.facts.reach import Piece, member_of
from reviewers.toml_text import parse_toml

_MOST_AROUND = 8  # expressions around a name, within one statement
_SHORTEST = 4  # letters of a word that is searched within names
_COMMON = frozenset(
    {"learning", "model", "network", "training", "collection", "count", "term", "with", "from"}
    | {"rate", "bonus", "step", "loss", "value", "based", "mode", "code", "data", "real", "device"}
    | {"type", "wall", "method", "test", "logic", "support", "layer", "handling", "over", "into"}
)


@dataclass(frozen=True, slots=True)
class Sight:
    """A node that does what is looked for, or may.

    Attributes:
        doubt: why it is not certain; empty if it is.
    """

    node: ast.AST
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Signs:
    """How a thing shows in code.

    Attributes:
        calls: globs of resolved names.
        words: parts of names and texts, in small letters; `=word` is a whole one.
        drawn_by: globs of names that prove it where one of the words is beside them.
        library: without which none of it can be; empty if it needs no certain one.
    """

    calls: tuple[str, ...]
    words: tuple[str, ...]
    drawn_by: tuple[str, ...] = ()
    library: str = ""

    @property
    def all_calls(self) -> tuple[str, ...]:
        """Those that may prove it, with or without a word."""
        return self.calls + self.drawn_by

    def in_piece(self, piece: Piece) -> Iterator[Sight]:
        """The nodes of a piece that show it, and, doubtful, those that hint at it; of what has no
        words, each may be one.
        """
        if not (self.all_calls or self.words):
            yield from (Sight(node, "what is meant is not known") for node in piece.nodes[:1])
        calls = (*self.calls, *(self.drawn_by if self.is_spoken_of(piece) else ()))
        for node in piece.nodes:
            if any(alike(name, call) for name in called(piece, node) for call in calls):
                yield Sight(node)
            if (member := member_of(piece, node)) and any(
                alike(call, member) for call in self.calls
            ):
                yield Sight(node, f"it takes `{member}`")
            text = said(piece, node)
            hint = next((word for word in self.words if _is_in(word, text)), "")
            if hint and not _is_kept_only(piece, node) and not _is_unused(piece, node):
                yield Sight(node, f"it speaks of `{hint}`")

    def is_spoken_of(self, piece: Piece) -> bool:
        """Whether a function has one of the words in its name, or among its names and texts."""
        texts = [piece.name.lower(), *(said(piece, node) for node in piece.nodes)]
        return any(_is_in(word, text) for word in self.words for text in texts)


def _is_kept_only(piece: Piece, node: ast.AST) -> bool:
    """Whether a name only says what is kept under it and never read again: an attribute that
    nothing in the file loads, with what it is given.
    """
    around = [node, *islice(piece.file.ancestors(node), _MOST_AROUND)]
    store = next((one for one in around if isinstance(one, ast.stmt)), None)
    match store:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)]):
            return not any(
                isinstance(one, ast.Attribute)
                and one.attr == name
                and isinstance(one.ctx, ast.Load)
                and store not in (one, *piece.file.ancestors(one))
                for one in piece.file.nodes
            )
    return False


def _is_unused(piece: Piece, node: ast.AST) -> bool:
    """Whether a statement imports what nothing in the file reads."""
    if not isinstance(node, (ast.Import, ast.ImportFrom)):
        return False
    given = {one.asname or one.name.partition(".")[0] for one in node.names}
    return "*" not in given and not given & piece.file.names_read


def _is_in(word: str, text: str) -> bool:
    """Whether a word is in a text; one after `=` is all of it."""
    return text == word[1:] if word.startswith("=") else word in text


@cache
def table(name: str) -> Mapping[str, Signs]:
    """One of the tables beside this module, by what they are about."""
    read: Mapping[str, Mapping[str, Sequence[str]]] = parse_toml(
        files("reviewers.facts.activities").joinpath(f"{name}.toml").read_text("utf-8")
    )
    return {
        key: Signs(
            tuple(row["calls"]),
            tuple(row["words"]),
            tuple(row.get("drawn_by", ())),
            str(row.get("library", "")),
        )
        for key, row in read.items()
    }


def seen(name: str, key: str) -> Signs:
    """What a table has under a key, however it is written; else what hints at the key."""
    found = table(name).get(key.strip().lower().replace(" ", "_").replace("-", "_"))
    return found or hinted(key)


def any_of(name: str) -> Signs:
    """What shows any of the things of a table."""
    calls = (call for entry in table(name).values() for call in entry.all_calls)
    return Signs(tuple(dict.fromkeys(calls)), ())


def hinted(key: str) -> Signs:
    """What hints at a thing that nobody listed: its words, the rarer ones if there are any."""
    words = re.findall(r"[A-Za-z0-9]+", key)
    parts = [word.lower() for word in words]
    rare = [
        part
        for word, part in zip(words, parts, strict=True)
        if part not in _COMMON and (len(part) >= _SHORTEST or (word.isupper() and len(part) > 2))
    ]
    return Signs((), tuple(part[:-1] if part.endswith("s") else part for part in rare or parts))


def called(piece: Piece, node: ast.AST) -> Iterator[str]:
    """The names that a call has, or the decorators of a function, which are called as well."""
    parts = [node.func] if isinstance(node, ast.Call) else []
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    parts += [one.func if isinstance(one, ast.Call) else one for one in decorators]
    for part in parts:
        name = piece.file.resolve(part)
        if name is not None:
            yield name
        elif isinstance(part, ast.Attribute):
            yield f".{part.attr}"


def said(piece: Piece, node: ast.AST) -> str:
    """The names and texts of one node, in small letters; a docstring says nothing."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            return (piece.file.resolve(node) or name).lower()
        case ast.Name(id=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name.lower()
        case ast.Attribute(attr=name) | ast.arg(arg=name) | ast.AsyncFunctionDef(name=name):
            return name.lower()
        case ast.keyword(arg=str(name)):
            return name.lower()
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            module = getattr(node, "module", None) or ""
            return " ".join([module, *(alias.name for alias in names)]).lower()
        case ast.Slice():
            return "[:"
        case ast.Constant(value=str(text)):
            is_docstring = isinstance(piece.file.parents.get(node), ast.Expr)
            return "" if is_docstring else text[:400].lower()
    return ""
