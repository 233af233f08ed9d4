"""What the base code does and the code derived from it no longer does.

Programs are compared by what they do as a whole, not by their definitions: renamed, moved, inlined
and rewritten code does the same. What is undecided counts as done.
"""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewers.facts.behaviour import FIGURE, Behaviour, Deed, Site, Trait, frameworks, kind_of_file
from reviewers.facts.program import Program, Reachable, Unit
from reviewers.facts.python_file import Function, PythonFile
from reviewers.facts.unfinished import only_filler, stubs
from reviewers.records import Span
from reviewers.steps import leave_out, spend

_MOST_LOSSES = 40  # nobody reads on
_MOST_RECORDS = 300  # among which the one is looked for that took another one's place
_MOST_STARTS = 16  # scripts that are compared
_STANDS_IN = re.compile(r"placeholder|smoke|synthetic|dummy|\btoy\b|mock|stub", re.IGNORECASE)
_LEFT = 0.5  # of its words, where a definition lives on in other code
_FEWEST_WORDS = 6  # by which a definition is known again
_VERBS: Mapping[str, str] = {
    "file": "writes",
    "key": "records",
    "option": "takes",
    "process": "starts",
}
_SHOWN: Mapping[str, str] = {"option": "--"}


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that the base code does and the derived code does not.

    Attributes:
        span: where it should be done now.
        says: what is lost, as the end of a sentence about the derived code.
        base: where the base code does it.
        code: the line there.
    """

    span: Span
    says: str
    base: Span
    code: str


def losses(base: Mapping[str, PythonFile], derived: Mapping[str, PythonFile]) -> list[Loss]:
    """Everything that is lost, each once; nothing is certain where a derived file does not
    parse.
    """
    if not derived or any(file.tree is None for file in derived.values()):
        return []
    found = list(_Compared(Behaviour(Program(base)), Behaviour(Program(derived))).losses())
    if len(found) > _MOST_LOSSES:
        leave_out(f"of the base code, {len(found) - _MOST_LOSSES} more losses are not listed")
    return found[:_MOST_LOSSES]


class _Compared:
    """Base code beside the code that is derived from it."""

    def __init__(self, base: Behaviour, derived: Behaviour) -> None:
        self._base, self._derived = base, derived

    def losses(self) -> Iterator[Loss]:
        lost = dict(self._definitions())
        for unit, loss in lost.items():
            callers = self._base.program.callers(unit)
            spend(len(callers))
            if not all(caller in lost for caller in callers):
                yield loss
        starts = self._base.program.starts
        if len(starts) > _MOST_STARTS:
            leave_out(f"only {_MOST_STARTS} of {len(starts)} scripts of the base code are compared")
        seen: set[tuple[Span, str]] = set()
        derived = self._derived.program.python
        for start in starts[:_MOST_STARTS]:
            if start in derived and only_filler(derived[start]) is not None:
                continue  # that it does nothing at all is another rule's
            for what, loss in self._of_start(start, lost):
                if (loss.base, what) not in seen:  # what several starts share is lost once
                    seen.add((loss.base, what))
                    yield loss

    def _of_start(self, start: str, lost: Collection[Unit]) -> Iterator[tuple[str, Loss]]:
        before = self._base.program.reach(start)
        derived = self._derived.program
        now = derived.reach(start if start in derived.starts else None)
        items = [item for item in self._traits(before, now) if item.place.unit not in lost]
        for deed, places in self._deeds(before, now):
            if all(place.unit in lost for place in places):
                continue
            lines = set(places)
            names = dict.fromkeys(str(item.name) for item in items if item.place in lines)
            items = [item for item in items if item.place not in lines]
            more = f" ({', '.join(f'`{name}`' for name in names)})" if names else ""
            yield deed.says, self._loss(places[0], f"{start} no longer {deed.says}{more}")
        together: dict[tuple[str, str], list[Trait]] = {}
        for item in items:
            together.setdefault((item.kind, item.group), []).append(item)
        for (kind, _), same in together.items():
            named = ", ".join(f"`{_SHOWN.get(kind, '')}{item.name}`" for item in same)
            says = f"{start} no longer {_VERBS[kind]} {named}"
            yield f"{kind} {named}", self._loss(same[0].place, says)

    def _definitions(self) -> Iterator[tuple[Unit, Loss]]:
        before, now = self._base.program.reach(None), self._derived.program.reach(None)
        derived = self._derived.program
        reached = {unit.name for unit in now.units}
        idle = {unit.name: unit for unit in derived.units if unit.name not in reached}
        words = _words(now.units)
        stubbed = {found.node for file in derived.python.values() for found, _ in stubs(file)}
        for unit in before.units:
            if unit.is_module or unit.is_dunder or _stands_in(unit):
                continue
            same = derived.by_place.get((unit.file.path, unit.qualified))
            if unit.name in idle:
                says = f"`{unit.name}` is defined, and nothing calls it any more"
                calls = self._base.calls.get(unit.name)
                place = Site(calls[0][0], calls[0][1].lineno) if calls else Site(unit, unit.line)
                yield unit, self._loss(place, says, idle[unit.name])
            elif same is not None and same.node not in stubbed and _is_emptied(unit, same):
                says = f"`{unit.qualified}` does nothing any more but `{_last_line(same)}`"
                yield unit, self._loss(Site(unit, unit.line), says, same)
            elif self._is_gone(unit, words):
                yield unit, self._loss(Site(unit, unit.line), f"`{unit.qualified}` is gone")

    def _is_gone(self, unit: Unit, words: set[str]) -> bool:
        """Whether neither a definition nor its words are left, and its callers call nothing new."""
        base, derived = self._base.program, self._derived.program
        if unit.name in derived.names or not isinstance(unit.node, Function):
            return False
        own = _words([unit]) - {unit.name}
        if len(own) < _FEWEST_WORDS or len(own & words) > _LEFT * len(own):
            return False
        now = [derived.by_place.get((one.file.path, one.qualified)) for one in base.callers(unit)]
        spend(len(now))
        return bool(now) and all(one and one.mentions <= base.mentions for one in now)

    def _deeds(self, before: Reachable, now: Reachable) -> Iterator[tuple[Deed, list[Site]]]:
        if _uses_framework(now) and not _uses_framework(before):
            return
        had = self._done(self._base, before.units)
        had_beside = self._done(self._base, self._base.program.beside(before))
        has_beside = self._done(self._derived, self._derived.program.beside(now))
        may = {deed for unit in now.units for deed in self._derived.may_do(unit)}
        for deed, places in had.items():
            is_moved = len(has_beside.get(deed, ())) > len(had_beside.get(deed, ()))
            if deed not in may and not is_moved:
                yield deed, places

    @staticmethod
    def _done(behaviour: Behaviour, units: Sequence[Unit]) -> dict[Deed, list[Site]]:
        spend(len(units))
        found: dict[Deed, list[Site]] = {}
        for unit in units:
            for deed, place in behaviour.done(unit):
                found.setdefault(deed, []).append(place)
        return found

    def _traits(self, before: Reachable, now: Reachable) -> Iterator[Trait]:
        had, has = _grouped(self._base, before), _grouped(self._derived, now)
        kept: dict[tuple[str, str | None], bool] = {}

        def is_kept(item: Trait) -> bool:
            if (item.kind, item.name) not in kept:
                kept[item.kind, item.name] = self._is_kept(item, before, now)
            return kept[item.kind, item.name]

        for (kind, group), names in had.items():
            gone = [item for name, item in names.items() if name is not None and not is_kept(item)]
            others = _counterpart(kind, group, names, has) if gone else None
            if others is None:
                continue
            gone = [item for item in gone if item.name not in others]
            new = [name for name in others if name is not None and name not in names]
            if kind == "file":
                texts = _texts(now) - _texts(before)
                new += [text for text in texts if kind_of_file(text) == group]
            if not new or kind == "process":
                yield from gone

    def _is_kept(self, item: Trait, before: Reachable, now: Reachable) -> bool:
        """Whether the start still has a name in another form, or another start has it instead."""
        derived, base = self._derived.units_with(item), self._base.units_with(item)
        spend(1 + len(derived) + len(base))
        return any(unit in now.among for unit in derived) or (
            bool(derived) and all(unit in before.among for unit in base)
        )

    def _loss(self, place: Site, says: str, where: Unit | None = None) -> Loss:
        file, derived = place.unit.file, self._derived.program
        where = where or derived.by_place.get((file.path, place.unit.qualified))
        if where is not None:
            span = Span(where.file.path, None if where.is_module else where.line)
        else:
            span = Span(file.path if file.path in derived.python else next(iter(derived.python)))
        code = file.lines[place.line - 1].strip()[:120]
        return Loss(span, says, Span(file.path, place.line), code)


_Names = dict[str | None, Trait]


def _grouped(behaviour: Behaviour, reach: Reachable) -> dict[tuple[str, str], _Names]:
    """The names of each group, the first of each; None if there are others."""
    found: dict[tuple[str, str], _Names] = {}
    for unit in reach.units:
        items = behaviour.traits(unit)
        spend(1 + len(items))
        for item in items:
            found.setdefault((item.kind, item.group), {}).setdefault(item.name, item)
    return found


def _counterpart(
    kind: str, group: str, names: _Names, has: Mapping[tuple[str, str], _Names]
) -> _Names | None:
    """What took the place of a group; None if that is open."""
    match kind:
        case "key":
            others = _same_record(names, [one for (what, _), one in has.items() if what == "key"])
        case "option":
            others = has.get((kind, group))  # without any, something else reads the command line
        case "file" if group != FIGURE:
            others = has.get((kind, group), {}) | has.get((kind, ""), {})
        case _:
            others = has.get((kind, group), {})
    if others is None or (None in others and None not in names):
        return None
    return others


def _same_record(names: _Names, records: Sequence[_Names]) -> _Names | None:
    """The record with most of the same keys, where it has half of them."""
    if len(records) > _MOST_RECORDS:
        return None
    spend(len(records))
    best = max(records, key=lambda other: len(names.keys() & other.keys()), default={})
    return best if 2 * len(names.keys() & best.keys()) >= len(names) > 1 else None


def _texts(reach: Reachable) -> set[str]:
    spend(len(reach.units))
    return {text for unit in reach.units for text in unit.texts}


def _uses_framework(reach: Reachable) -> bool:
    return any(frameworks().match(name) for unit in reach.units for name in unit.dotted)


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


def _stands_in(unit: Unit) -> bool:
    """Whether the base itself says that a definition is to be replaced."""
    last = getattr(unit.node, "end_lineno", None) or unit.line
    return bool(_STANDS_IN.search("\n".join(unit.file.lines[unit.line - 1 : last])))


def _is_emptied(before: Unit, now: Unit) -> bool:
    if not isinstance(before.node, Function) or not isinstance(now.node, Function):
        return False
    return (
        len(before.node.body) > 2
        and len(before.calls) > 1
        and len(_body(now.node)) == 1
        and (
            not now.calls
            and isinstance(_body(now.node)[0], (ast.Pass, ast.Return, ast.Expr))
            and not any(isinstance(node, (ast.BinOp, ast.Compare)) for node in now.nodes)
        )
    )


def _body(node: Function) -> list[ast.stmt]:
    has_docstring = len(node.body) > 1 and ast.get_docstring(node, clean=False) is not None
    return node.body[1:] if has_docstring else node.body


def _last_line(unit: Unit) -> str:
    return unit.file.lines[(getattr(unit.node, "end_lineno", None) or unit.line) - 1].strip()[:80]
