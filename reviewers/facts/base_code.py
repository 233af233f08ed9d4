"""What the base code does, and the code derived from it no longer does.

Compared is what a program does as a whole, not how its definitions look: renamed, moved, inlined
and rewritten code does the same. Where it is open whether something is done, it is.
"""

import ast
import fnmatch
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from rapidfuzz import fuzz

from reviewers.facts.program import Program, Reach, Unit
from reviewers.facts.python_file import Function, PythonFile
from reviewers.facts.unfinished import stubs
from reviewers.records import Span
from reviewers.steps import spend

_STANDS_IN = re.compile(r"placeholder|smoke|synthetic|dummy|\btoy\b|mock|stub", re.IGNORECASE)
_ALIKE = 70  # of 100: another name for the same
_LEFT = 0.5  # of its words, where a definition lives on in other code
_FEWEST_WORDS = 6  # by which a definition is known again
# The argument that names the file; None where the object does.
_WRITERS: Mapping[str, int | None] = {
    "savefig": 0,
    "to_csv": 0,
    "to_json": 0,
    "to_latex": 0,
    "save_image": 1,
    "write_bytes": None,
    "write_text": None,
}
_REPORTERS = frozenset({"DataFrame", "append", "dump", "dumps", "log", "log_metrics", "update"})
_SAME_TEXT = frozenset({"casefold", "lower", "replace", "strip", "upper"})


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that the base code does and the derived code does not.

    Attributes:
        span: where it should be done now.
        says: what is lost, as the end of a sentence about the derived code.
        base: where the base code does it.
        code: the line there.
        choice: the key and the value of a configuration that can no longer be chosen.
    """

    span: Span
    says: str
    base: Span
    code: str
    choice: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    unit: Unit
    line: int


@dataclass(slots=True)
class _Named:
    """Names of one kind, by which files, keys, options or choices are told apart.

    Attributes:
        open: whether there are others that only a run knows.
    """

    places: dict[str, _Place] = field(default_factory=dict)
    open: bool = False


@dataclass(frozen=True, slots=True)
class _Deed:
    says: str
    names: re.Pattern[str]
    methods: frozenset[str]
    keywords: frozenset[str]

    def is_done_by(self, dotted: str | None, last: str) -> bool:
        return last in self.methods or (dotted is not None and self.names.match(dotted) is not None)

    def may_be_done_by(self, unit: Unit) -> bool:
        """Whether a unit mentions anything by which it can be done."""
        return (
            not self.methods.isdisjoint(unit.mentions)
            or any(map(self.names.match, unit.dotted))
            or any(word.arg in self.keywords for call, _, _ in unit.calls for word in call.keywords)
        )


def losses(base: Mapping[str, PythonFile], derived: Mapping[str, PythonFile]) -> list[Loss]:
    """Everything that is lost, each once; nothing is certain where a derived file does not
    parse.
    """
    if not derived or any(file.tree is None for file in derived.values()):
        return []
    compared = _Compared(Program(base), Program(derived))
    found: dict[tuple[str, str], Loss] = {}
    for loss in compared.losses():
        found.setdefault((loss.says, loss.base.file), loss)
    return list(found.values())


class _Compared:
    """Base code beside the code that is derived from it."""

    def __init__(self, base: Program, derived: Program) -> None:
        self._base, self._derived = base, derived

    def losses(self) -> Iterator[Loss]:
        yield from self._definitions()
        for start in self._base.starts:
            before = self._base.reach(start)
            now = self._derived.reach(start if start in self._derived.starts else None)
            yield from self._deeds(start, before, now)
            yield from self._names(start, before, now)

    def _definitions(self) -> Iterator[Loss]:
        before, now = self._base.reach(None), self._derived.reach(None)
        idle = {unit.name for unit in self._derived.units} - {unit.name for unit in now.units}
        words = _words(now.units)
        stubbed = {found.node for file in self._derived.python.values() for found, _ in stubs(file)}
        for unit in before.units:
            if unit.is_module or unit.is_dunder or _stands_in(unit, unit.node):
                continue
            if unit.name in idle:
                where = next(one for one in self._derived.units if one.name == unit.name)
                says = f"`{unit.name}` is defined, and nothing calls it any more"
                yield self._loss(unit, unit.line, says, where)
                continue
            same = self._derived.by_place.get((unit.file.path, unit.qualified))
            if same is not None and same.node not in stubbed and _is_emptied(unit, same):
                says = f"`{unit.qualified}` does nothing any more but `{_last_line(same)}`"
                yield self._loss(unit, unit.line, says, same)
            elif self._is_gone(unit, words):
                yield self._loss(unit, unit.line, f"`{unit.qualified}` is gone")

    def _is_gone(self, unit: Unit, words: set[str]) -> bool:
        """Whether neither a definition nor its words are left, and its callers call nothing new."""
        if unit.name in self._derived.names or not isinstance(unit.node, Function):
            return False
        own = _words([unit]) - {unit.name}
        if len(own) < _FEWEST_WORDS or len(own & words) > _LEFT * len(own):
            return False
        callers = [one for one in self._base.reach(None).units if unit.name in one.mentions]
        for caller in callers:
            now = self._derived.by_place.get((caller.file.path, caller.qualified))
            if now is None or not now.mentions <= self._base.mentions:
                return False
        return bool(callers)

    def _deeds(self, start: str, before: Reach, now: Reach) -> Iterator[Loss]:
        if self._uses_framework(now) and not self._uses_framework(before):
            return
        for deed in _deeds():
            places = _done(self._base, before.units, deed)
            if not places or any(deed.may_be_done_by(unit) for unit in now.units):
                continue
            elsewhere = [
                len(_done(program, [one for one in whole if one not in reach.among], deed))
                for program, reach in ((self._base, before), (self._derived, now))
                for whole in (program.reach(None).units,)
            ]
            if elsewhere[1] <= elsewhere[0]:
                yield self._loss(*places[0], f"{start} no longer {deed.says}")

    def _uses_framework(self, reach: Reach) -> bool:
        return any(_frameworks().match(name) for unit in reach.units for name in unit.dotted)

    def _names(self, start: str, before: Reach, now: Reach) -> Iterator[Loss]:
        had, has = _named(before), _named(now)
        for (kind, group), names in had.items():
            others = _counterpart(kind, names, has) if kind == "key" else has.get((kind, group))
            if others is None or (others.open and not names.open):
                continue
            new = others.places.keys() - names.places.keys()
            for name, place in names.places.items():
                if name in others.places or self._derived.mentions_text(name):
                    continue
                is_renamed = (
                    any(fuzz.partial_ratio(name, one) >= _ALIKE for one in new)
                    if kind == "choice"
                    else bool(new)
                )
                if not is_renamed and not _stands_in(place.unit, place.unit.node, place.line, name):
                    choice = (group, name) if kind == "choice" else None
                    yield self._loss(place.unit, place.line, _LOST[kind](name, group), None, choice)

    def _loss(
        self,
        unit: Unit,
        line: int,
        says: str,
        where: Unit | None = None,
        choice: tuple[str, str] | None = None,
    ) -> Loss:
        path = unit.file.path
        where = where or self._derived.by_place.get((path, unit.qualified))
        if where is not None:
            span = Span(where.file.path, None if where.is_module else where.line)
        else:
            python = self._derived.python
            span = Span(path if path in python else next(iter(python)))
        code = unit.file.lines[line - 1].strip()[:120]
        return Loss(span, says, Span(path, line), code, choice)


_LOST: Mapping[str, Callable[[str, str], str]] = {
    "choice": lambda name, group: f"`{group}: {name}` can no longer be chosen",
    "file": lambda name, group: f"no file `{name}` is written any more",
    "key": lambda name, group: f"`{name}` is no longer among what is recorded",
    "option": lambda name, group: f"the option `--{name}` is gone",
}


def _named(reach: Reach) -> dict[tuple[str, str], _Named]:
    """The files, keys, options and choices of all that a start reaches."""
    found: dict[tuple[str, str], _Named] = {}
    callers: dict[str, list[tuple[Unit, ast.Call]]] = {}
    for unit in reach.units:
        for call, _, last in unit.calls:
            callers.setdefault(last, []).append((unit, call))
    for unit in reach.units:
        for kind, group, name, node in (
            *_options(unit),
            *_files(unit),
            *_keys(unit),
            *_choices(unit, callers),
        ):
            names = found.setdefault((kind, group), _Named())
            if name is None:
                names.open = True
            else:
                names.places.setdefault(name, _Place(unit, getattr(node, "lineno", unit.line)))
    return found


_Item = tuple[str, str, str | None, ast.AST]


def _options(unit: Unit) -> Iterator[_Item]:
    for call, _, last in unit.calls:
        if last not in ("add_argument", "option"):
            continue
        texts = [_text(arg) for arg in call.args]
        name = next((text[2:] for text in texts if text and text.startswith("--")), None)
        if name:
            yield "option", "", name, call
            for keyword in call.keywords:
                if keyword.arg == "choices":
                    for value in _members(keyword.value):
                        yield "choice", name.replace("-", "_"), value, call
        elif None in texts:
            yield "option", "", None, call


def _files(unit: Unit) -> Iterator[_Item]:
    for call, dotted, last in unit.calls:
        at = 1 if dotted == "torch.save" else _WRITERS.get(last, -1)
        if at == -1:
            continue
        target = (
            call.func.value
            if at is None and isinstance(call.func, ast.Attribute)
            else call.args[at]
            if at is not None and len(call.args) > at
            else None
        )
        group = "save" if dotted == "torch.save" else last
        for name in _file_names(unit, target) if target is not None else [None]:
            yield "file", group, name, call


def _file_names(unit: Unit, node: ast.expr, depth: int = 0) -> Iterator[str | None]:
    """The last part of a path; None where only a run knows it."""
    match node:
        case ast.Constant(value=str(text)) if text.rstrip("/"):
            yield text.rstrip("/").rpartition("/")[2]
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
            values = unit.file.assigned.get(name, [])
            for value in values if len(values) == 1 else ():
                yield from _file_names(unit, value, depth + 1)
            if len(values) != 1:
                yield None
        case _:
            yield None


def _keys(unit: Unit) -> Iterator[_Item]:
    """The keys of each mapping that is returned, or given to what records it; its line names it."""
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
                yield "key", f"{unit.file.path}:{node.lineno}", name, key or node


def _values(unit: Unit, node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Name):
        return unit.file.assigned.get(node.id, [])
    return [node]


def _choices(unit: Unit, callers: Mapping[str, list[tuple[Unit, ast.Call]]]) -> Iterator[_Item]:
    """The texts that a value of the configuration is compared with, by its key."""
    for node in unit.nodes:
        match node:
            case ast.Compare(left=left, ops=[ast.Eq() | ast.In()], comparators=[right]):
                subject, options = left, _members(right)
            case ast.Match(subject=subject, cases=cases):
                options = [
                    text
                    for case in cases
                    for part in ast.walk(case.pattern)
                    if isinstance(part, ast.MatchValue) and (text := _text(part.value))
                ]
            case ast.Subscript(value=ast.Name(id=name), slice=subject):
                options = _registered(unit.file, name)
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="get"), args=[subject, *_]
            ):
                options = _registered(unit.file, name)
            case _:
                continue
        key = _key(unit, subject, callers) if options else None
        for option in options if key else ():
            yield "choice", str(key), option, node


def _registered(file: PythonFile, name: str) -> list[str]:
    values = file.assigned.get(name, [])
    if len(values) != 1 or not isinstance(values[0], ast.Dict):
        return []
    return [text for key in values[0].keys if key is not None and (text := _text(key))]


def _members(node: ast.expr) -> list[str]:
    items = node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else [node]
    return [text for item in items if (text := _text(item))]


def _key(
    unit: Unit,
    node: ast.expr,
    callers: Mapping[str, list[tuple[Unit, ast.Call]]],
    depth: int = 0,
) -> str | None:
    """The key of the configuration, or the option, whose value an expression is."""
    spend()
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in _SAME_TEXT:
            return _key(unit, value, callers, depth)
        case ast.Call(func=ast.Name(id="str"), args=[value]):
            return _key(unit, value, callers, depth)
        case ast.Call(func=ast.Attribute(attr="get"), args=[key, *_]) | ast.Subscript(slice=key):
            return _text(key)
        case ast.Attribute(value=ast.Name(id=owner), attr=attr) if (
            owner not in unit.file.aliases and owner != "self"
        ):
            return attr
        case ast.Attribute(value=ast.Attribute(), attr=attr):
            return attr
        case ast.Name(id=name) if depth < 3:
            values = unit.file.assigned.get(name, []) or _passed(unit, name, callers)
            found = {_key(unit, value, callers, depth + 1) for value in values[:8]}
            return next(iter(found)) if len(found) == 1 else None
        case _:
            return None


def _passed(
    unit: Unit, name: str, callers: Mapping[str, list[tuple[Unit, ast.Call]]]
) -> list[ast.expr]:
    """What the calls of a function give to a parameter."""
    if not isinstance(unit.node, Function):
        return []
    names = [arg.arg for arg in (*unit.node.args.posonlyargs, *unit.node.args.args)]
    if name not in names:
        return []
    at = names.index(name) - (names[0] == "self")
    called = unit.owner.name if unit.name == "__init__" and unit.owner else unit.name
    found: list[ast.expr] = []
    for _, call in callers.get(called, [])[:8]:
        found += [keyword.value for keyword in call.keywords if keyword.arg == name]
        found += call.args[at : at + 1]
    return found


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _counterpart(kind: str, names: _Named, has: Mapping[tuple[str, str], _Named]) -> _Named | None:
    """The record with most of the same keys, where it has half of them."""
    spend(len(has))
    own = names.places.keys()
    best = max(
        (other for (what, _), other in has.items() if what == kind),
        key=lambda other: len(own & other.places.keys()),
        default=None,
    )
    return best if best and 2 * len(own & best.places.keys()) >= len(own) > 1 else None


def _words(units: Iterable[Unit]) -> set[str]:
    """The names and texts by which code is known again, local names left out."""
    found: set[str] = set()
    for unit in units:
        for node in unit.nodes:
            match node:
                case ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                    found.add(name)
                case ast.Constant(value=str(text)) if len(text) < 60:
                    found.add(text)
        found |= {last for _, _, last in unit.calls}
        spend(len(unit.nodes))
    return found - {""}


def _stands_in(unit: Unit, node: ast.AST, line: int = 0, name: str = "") -> bool:
    """Whether the base itself says, there or in what surrounds it, that this is to be replaced."""
    first, last = unit.line, getattr(node, "end_lineno", None) or len(unit.file.lines)
    if line:
        first, last = max(first, line - 1), min(last, line + 2)
    return bool(_STANDS_IN.search("\n".join([name, *unit.file.lines[first - 1 : last]])))


def _is_emptied(before: Unit, now: Unit) -> bool:
    if not isinstance(before.node, Function) or not isinstance(now.node, Function):
        return False
    return (
        len(before.node.body) > 2
        and len(before.calls) > 1
        and len(_body(now.node)) == 1
        and (
            not now.calls
            and isinstance(_body(now.node)[0], ast.Pass | ast.Return | ast.Expr)
            and not any(isinstance(node, ast.BinOp | ast.Compare) for node in now.nodes)
        )
    )


def _body(node: Function) -> list[ast.stmt]:
    has_docstring = len(node.body) > 1 and ast.get_docstring(node, clean=False) is not None
    return node.body[1:] if has_docstring else node.body


def _last_line(unit: Unit) -> str:
    return unit.file.lines[(getattr(unit.node, "end_lineno", None) or unit.line) - 1].strip()[:80]


def _done(program: Program, units: Iterable[Unit], deed: _Deed) -> list[tuple[Unit, int]]:
    """The calls of libraries that do it."""
    return [
        (unit, call.lineno)
        for unit in units
        for call, dotted, last in unit.calls
        if last not in program.names and deed.is_done_by(dotted, last)
    ]


@cache
def _deeds() -> tuple[_Deed, ...]:
    return tuple(
        _Deed(
            deed["says"],
            _any_of(name for name in deed["names"] if not name.startswith(".")),
            frozenset(name[1:] for name in deed["names"] if name.startswith(".")),
            frozenset(deed.get("keywords", ())),
        )
        for deed in _table()["deeds"]
    )


@cache
def _frameworks() -> re.Pattern[str]:
    return _any_of(_table()["frameworks"])


def _any_of(names: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(fnmatch.translate, names)))


@cache
def _table() -> Any:
    return tomllib.loads(resources.files(__package__).joinpath("deeds.toml").read_text("utf-8"))
