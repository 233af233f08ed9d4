"""The behaviour of code that its results depend on: the files it writes, the keys it records, the
options it takes, the scripts it starts, and the library functions it calls.
"""

import ast
import fnmatch
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib import resources
from typing import Any, NamedTuple

from reviewers.facts.program import Program, Unit, plain
from reviewers.facts.python_file import template
from reviewers.steps import spend

# The argument that names the file; None if the object itself does.
_WRITERS: Mapping[str, int | None] = {
    "savefig": 0,
    "save_image": 1,
    "to_csv": 0,
    "to_json": 0,
    "to_latex": 0,
    "write_bytes": None,
    "write_text": None,
}
FIGURE = "figure"
_ENDINGS = dict.fromkeys(("pdf", "png", "svg", "jpg", "jpeg", "html"), FIGURE) | dict.fromkeys(
    ("bin", "ckpt", "pt", "pth", "safetensors"), "weights"
)
_REPORTERS = frozenset({"DataFrame", "append", "dump", "dumps", "log", "log_metrics", "update"})
_APART = re.compile(r"[/\s]")
_LONGEST = 1_000  # characters of a text that is searched for names


class Site(NamedTuple):
    """A line of a unit."""

    unit: Unit
    line: int


class Trait(NamedTuple):
    """Something named that code writes, records, accepts or starts.

    Attributes:
        kind: "file" that is written, "key" that is recorded, "option" of the command line,
            "process" that is started.
        group: what distinguishes it: the kind of a file, the record of a key.
        name: None if it is known only at run time.
    """

    kind: str
    group: str
    name: str | None
    place: Site


@dataclass(frozen=True, slots=True)
class Deed:
    """Something experiments do by calling libraries; `says` is the predicate of its sentence."""

    says: str
    names: re.Pattern[str]
    methods: frozenset[str]
    keywords: frozenset[str]

    def is_done_by(self, dotted: str, last: str) -> bool:
        return last in self.methods or self.names.match(dotted) is not None

    def may_be_done_by(self, unit: Unit) -> bool:
        """Whether a unit mentions anything that can do it."""
        return (
            not self.methods.isdisjoint(unit.mentions)
            or any(map(self.names.match, unit.dotted))
            or any(word.arg in self.keywords for call, _, _ in unit.calls for word in call.keywords)
        )


class Behaviour:
    """What the units of a program do."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._traits: dict[Unit, tuple[Trait, ...]] = {}
        self._done: dict[Unit, tuple[tuple[Deed, Site], ...]] = {}
        self._may: dict[Unit, frozenset[Deed]] = {}

    def traits(self, unit: Unit) -> tuple[Trait, ...]:
        """The files, keys, options and processes of a unit."""
        if unit not in self._traits:
            found = (*_options(unit), *_files(unit), *_keys(unit))
            self._traits[unit] = (*found, *self._processes(unit))
        return self._traits[unit]

    def done(self, unit: Unit) -> tuple[tuple[Deed, Site], ...]:
        """What a unit does by calling libraries."""
        if unit not in self._done:
            self._done[unit] = tuple(
                (deed, Site(unit, call.lineno))
                for call, dotted, last in unit.calls
                if last not in self.program.names
                for deed in _deeds_by(dotted or "", last)
            )
        return self._done[unit]

    def may_do(self, unit: Unit) -> frozenset[Deed]:
        """What a unit does or might do, as far as names go."""
        if unit not in self._may:
            self._may[unit] = frozenset(deed for deed in deeds() if deed.may_be_done_by(unit))
        return self._may[unit]

    def units_with(self, trait: Trait) -> Sequence[Unit]:
        """The units that contain its name in a text or an argument, in any spelling."""
        name = trait.name or ""
        if trait.kind == "process":
            name = name.rpartition(".")[2]
        return self._named.get(name if trait.kind == "file" else plain(name), ())

    @cached_property
    def _named(self) -> Mapping[str, list[Unit]]:
        found: dict[str, list[Unit]] = defaultdict(list)
        for unit in self.program.reach(None).units:
            words = {word for text in unit.texts for word in _APART.split(text[:_LONGEST])}
            imported = unit.file.aliases.values() if unit.is_module else ()
            dotted = {part for name in imported for part in name.split(".")}
            last = {word.removesuffix(".py").rpartition(".")[2] for word in words}
            spend(len(words))
            for name in {*words, *map(plain, {*unit.texts, *words, *dotted, *last})}:
                found[name].append(unit)
        return found

    @cached_property
    def calls(self) -> Mapping[str, list[tuple[Unit, ast.Call]]]:
        """The calls of each name, by its last part."""
        found: dict[str, list[tuple[Unit, ast.Call]]] = defaultdict(list)
        for unit in self.program.reach(None).units:
            for call, _, last in unit.calls:
                found[last].append((unit, call))
        return found

    def _processes(self, unit: Unit) -> Iterator[Trait]:
        """The scripts of the program that it starts as processes."""
        if any(_is_process(dotted or "") for _, dotted, _ in unit.calls):
            for node in unit.nodes:
                name = (_text(node) or "").removesuffix(".py").replace("/", ".")
                if name in self.program.modules:
                    yield _trait("process", "", name, unit, node)


def _trait(kind: str, group: str, name: str | None, unit: Unit, node: ast.AST) -> Trait:
    return Trait(kind, group, name, Site(unit, getattr(node, "lineno", unit.line)))


def _is_process(dotted: str) -> bool:
    return dotted.startswith(("subprocess.", "os.system", "os.exec", "os.spawn"))


def _options(unit: Unit) -> Iterator[Trait]:
    for call, _, last in unit.calls:
        if last not in ("add_argument", "option"):
            continue
        texts = [_text(arg) for arg in call.args]
        name = next((text[2:] for text in texts if text and text.startswith("--")), None)
        if name:
            yield _trait("option", "", name, unit, call)
        elif None in texts:
            yield _trait("option", "", None, unit, call)


def _files(unit: Unit) -> Iterator[Trait]:
    """The files that are written, by kind: a file saved elsewhere or in another format has another
    name of the same kind.
    """
    for call, dotted, last in unit.calls:
        if dotted == "torch.save":
            targets = call.args[1:2]
        elif last == "open" and _writes(call):
            targets = [_owner(call)] if isinstance(call.func, ast.Attribute) else call.args[:1]
        elif last in _WRITERS:
            at = _WRITERS[last]
            targets = [_owner(call)] if at is None else call.args[at : at + 1]
        else:
            continue
        names = [name for target in targets for name in _file_names(unit, target)]
        for name in names or [None]:
            group = FIGURE if last == "savefig" else kind_of_file(name or "")
            yield _trait("file", group, name, unit, call)


def kind_of_file(name: str) -> str:
    """The kind of a file, by its ending; empty if it has none."""
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    return _ENDINGS.get(ending, ending)


def _owner(call: ast.Call) -> ast.expr:
    return call.func.value if isinstance(call.func, ast.Attribute) else call.func


def _writes(call: ast.Call) -> bool:
    given = [*call.args, *(word.value for word in call.keywords if word.arg == "mode")]
    return any(_text(arg) in ("w", "wb", "wt", "x", "a") for arg in given)


def _file_names(unit: Unit, node: ast.expr, depth: int = 0) -> Iterator[str | None]:
    """The last part of a path; None if only a run knows it."""
    match node:
        case ast.Constant(value=str(text)) if text.rstrip("/"):
            yield text.rstrip("/").rpartition("/")[2]
        case ast.JoinedStr():
            name = template(node).rpartition("/")[2]
            yield None if name.endswith("{}") else name
        case ast.BinOp(op=ast.Div(), right=right):
            yield from _file_names(unit, right, depth)
        case ast.IfExp(body=body, orelse=orelse):
            yield from _file_names(unit, body, depth)
            yield from _file_names(unit, orelse, depth)
        case ast.Call(
            func=ast.Name(id="str" | "Path") | ast.Attribute(attr="join"), args=[*_, end]
        ):
            yield from _file_names(unit, end, depth)
        case ast.Name(id=name) if depth < 3:
            values = unit.values(name)
            for value in values if len(values) == 1 else ():
                yield from _file_names(unit, value, depth + 1)
            if len(values) != 1:
                yield None
        case _:
            yield None


def _keys(unit: Unit) -> Iterator[Trait]:
    """The keys of each mapping that is returned or recorded; it is named by its line."""
    given = {
        id(part)
        for call, _, last in unit.calls
        if last in _REPORTERS
        for arg in call.args
        for part in _values(unit, arg)
    }
    for node in unit.nodes:
        if isinstance(node, ast.Return) and node.value is not None:
            given |= {id(part) for part in _values(unit, node.value)}
    for node in unit.nodes:
        if isinstance(node, ast.Dict) and id(node) in given:
            for key in node.keys:
                name = _text(key) if key is not None else None
                record = f"{unit.file.path}:{node.lineno}:{node.col_offset}"
                yield _trait("key", record, name, unit, key or node)


def _values(unit: Unit, node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Name):
        return unit.values(node.id)
    return [node]


def _text(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


@cache
def deeds() -> tuple[Deed, ...]:
    """All known deeds, from `deeds.toml`."""
    return tuple(
        Deed(
            deed["says"],
            _any_of(name for name in deed["names"] if not name.startswith(".")),
            frozenset(name[1:] for name in deed["names"] if name.startswith(".")),
            frozenset(deed.get("keywords", ())),
        )
        for deed in _table()["deeds"]
    )


@lru_cache(maxsize=4_096)
def _deeds_by(dotted: str, last: str) -> tuple[Deed, ...]:
    return tuple(deed for deed in deeds() if deed.is_done_by(dotted, last))


@cache
def frameworks() -> re.Pattern[str]:
    """The dotted names of libraries that do most of these things by themselves."""
    return _any_of(_table()["frameworks"])


def _any_of(names: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(fnmatch.translate, names)))


@cache
def _table() -> Any:
    return tomllib.loads(resources.files(__package__).joinpath("deeds.toml").read_text("utf-8"))
