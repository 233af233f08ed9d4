"""Repairs of calls of the submission's own functions that do not fit them."""

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from reviewers.facts import Facts, PythonFile, yaml_config
from reviewers.facts.local_code import Target
from reviewers.facts.python_nodes import (
    Function,
    given_for,
    last_name,
    own_nodes,
    positional,
    walk,
    with_defaults,
)
from reviewers.facts.signatures import mismatch
from reviewers.facts.torch_names import MODULE
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.access import places
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import PythonEdits
from reviewers.repairs.meant import (
    CERTAIN,
    SPELLED,
    clearly_meant,
    differ_in_number,
    likeness,
    nearest,
    singular,
)
from reviewers.repairs.sight import in_sight, members, self_in_sight

_SELVES = ("self", "cls", "mcs", "_")
_DEEPEST = 4  # definitions that a function leads to
_HALF = 50.0  # a likeness, as that of `hidden` and `hidden_size`
_PLAIN = ("omegaconf", "hydra")  # what holds nothing that lies on a device
_Given = ast.expr | ast.keyword


@repairs("IM07")
def method_without_self(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The first parameter of a method that forgot it."""
    for _, call, target in _misfits(facts, finding):
        function, own = target.function, positional(target.function)
        is_method = target.bound and function in target.file.class_of
        is_of_class = any(last_name(each) == "classmethod" for each in function.decorator_list)
        if not is_method or is_of_class or (own and own[0].arg in _SELVES):
            continue
        if mismatch(function, call, target.shown, bound=False) is None:
            edit = PythonEdits(facts, target.file.path).parameter_in_front(function, "self")
            yield Proposal(f"Give {function.name} the parameter self of a method", (edit,))
            return


@repairs("IM07")
def arguments_that_fit(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The call as its function takes it: what has another name there by that, what is missing from
    what is in sight, and nothing that it has anyway.
    """
    sites = [_Site(facts, *each) for each in _misfits(facts, finding)]
    found = [list(each.proposals()) for each in sites if not each.is_open]
    if len(found) == 1:
        yield from found[0]
    elif found and all(found) and not any(ways[0].asks for ways in found):
        edits = tuple(edit for ways in found for edit in ways[0].edits)
        yield Proposal(found[0][0].intent, edits)


def _misfits(facts: Facts, finding: Finding) -> Iterator[tuple[PythonEdits, ast.Call, Target]]:
    """The calls at a finding that do not fit the function that they reach."""
    if finding.span is None or finding.span.file not in facts.python:
        return
    lines = {each.line for each in places(finding) if each.file == finding.span.file}
    code = PythonEdits(facts, finding.span.file)
    for call in code.file.calls:
        target = facts.local_code.target(code.file, call.node) if call.line in lines else None
        if target is not None and mismatch(target.function, call.node, "", bound=target.bound):
            yield code, call.node, target


class _Site:
    """A call that does not fit the function of the submission that it reaches.

    Attributes:
        found: what it gives, by the parameter that is meant.
        extra: what it gives and no parameter is meant by.
        missing: the parameters that need a value and get none.
    """

    def __init__(self, facts: Facts, code: PythonEdits, call: ast.Call, target: Target) -> None:
        self.facts, self.code, self.call, self.target = facts, code, call, target
        args = target.function.args
        optional = {each.arg for each, _ in with_defaults(args)}
        self.by_place = [each.arg for each in positional(target.function)][target.bound :]
        self.names = [*self.by_place, *(each.arg for each in args.kwonlyargs)]
        self.required = [each for each in self.names if each not in optional]
        self.shown = target.shown.removesuffix(".__init__").rpartition(".")[2]
        self.found, self.extra = self._assigned()
        self.missing = [each for each in self.required if each not in self.found]

    @property
    def is_open(self) -> bool:
        """Whether starred arguments leave open what is given."""
        stars = any(isinstance(each, ast.Starred) for each in self.call.args)
        return stars or any(each.arg is None for each in self.call.keywords)

    def _assigned(self) -> tuple[dict[str, _Given], list[_Given]]:
        """What is given by parameter: as Python has it where that can be meant, else by names."""
        args, function = self.call.args, self.target.function.args
        words = {each.arg: each for each in self.call.keywords if each.arg in self.names}
        plain = dict(zip(self.by_place, args, strict=False))
        lacking = {*self.required} - plain.keys() - words.keys()
        is_placed = function.vararg is not None or (
            len(args) <= len(self.by_place)
            and not plain.keys() & words.keys()
            and not lacking & {_own_name(each) for each in args}
        )
        is_known = len(words) == len(self.call.keywords)
        if is_placed and is_known and len(lacking) == 1 and not lacking & self._visible.keys():
            plain = self._with_a_gap(plain)
        found: dict[str, _Given] = {**(plain if is_placed else {})}
        found.update((name or "", word) for name, word in words.items())
        left: list[_Given] = [] if is_placed else [*args]
        if function.kwarg is None:
            left += [each for each in self.call.keywords if each not in words.values()]
        spare = [each for each in left if isinstance(each, ast.expr) and self._needless(each)]
        is_spare = 0 < len(spare) <= len(args) - len(self.by_place)
        left = [each for each in left if not (is_spare and each in spare)]
        for step in (_by_own_name, _by_likeness, self._by_what_is_left):
            for given in list(left):
                free = [each for each in self.names if each not in found]
                if name := step(given, free, left):
                    found[name] = given
                    left.remove(given)
        return found, [*(spare if is_spare else []), *left]

    @cached_property
    def _visible(self) -> Mapping[str, ast.AST]:
        """The names in sight of the call, without those that are imported."""
        sight = in_sight(self.code.file, self.call)
        return {each: given for each, given in sight.items() if not isinstance(given, ast.alias)}

    def _with_a_gap(self, plain: Mapping[str, ast.expr]) -> dict[str, ast.expr]:
        """The same one place further from the only parameter on whose own name is in sight, and
        which gets what has no name.
        """
        gaps = [
            name for name, value in plain.items() if name in self._visible and not _own_name(value)
        ]
        if len(gaps) != 1:
            return {**plain}
        places = [each for each in self.by_place if each != gaps[0]]
        return dict(zip(places, self.call.args, strict=False))

    def _by_what_is_left(self, given: _Given, free: Sequence[str], left: Sequence[_Given]) -> str:
        """The next parameter by place, or the only one that gets no value and wants such a one."""
        if not isinstance(given, ast.keyword):
            needed = [each for each in free if each in self.by_place]
            named = [each for each in free if each in self.required]
            behind = [each for each in self.call.args if each in left]
            return next(iter(needed or (named if len(named) == len(behind) else [])), "")
        needed = [each for each in free if each in self.required]
        if len(needed) != 1 or len(left) != 1:
            return ""
        sort = _sort_of_parameter(self.target.function, needed[0])
        is_of_sort = bool(sort) and sort == _sort_of_value(self.facts, given.value)
        return needed[0] if is_of_sort or likeness(given.arg or "", needed[0]) >= _HALF else ""

    def proposals(self) -> Iterator[Proposal]:
        """The call as the function takes it, or the question that is left."""
        told = [
            f"write {name}= for {given.arg}="
            for name, given in self.found.items()
            if isinstance(given, ast.keyword) and given.arg != name
        ]
        edits: list[Edit] = []
        for given in self.extra:
            needless = self._needless(_value(given))
            if needless is None:
                yield from self._asked()
                return
            edits += [self.code.without_argument(given), *needless[1]]
            told.append(f"leave out {ast.unparse(_value(given))}, {needless[0]}")
        values = {name: list(self._in_reach(name)) for name in self.missing}
        open_ = [name for name, ways in values.items() if len(ways) > 1]
        if len(open_) > 1 or not all(values.values()):
            return
        for way in range(len(values[open_[0]]) if open_ else 1):
            passed = {name: ways[way * (name in open_)] for name, ways in values.items()}
            text = [*told, *(_passing(name, value) for name, value in passed.items())]
            intent = " and ".join(text) or "name the arguments"
            behind = "" if self.extra else f", as {self.shown} takes it"
            yield Proposal(
                f"{intent[:1].upper()}{intent[1:]}{behind}",
                (*edits, *self._written(passed)),
                asks=f"What is {open_[0]} of {self.shown} here?" if open_ else "",
                choice=passed[open_[0]] if open_ else "",
            )

    def _asked(self) -> Iterator[Proposal]:
        """Which parameter the one keyword stands for that the function does not have, or whether it
        can do without a device.
        """
        (given,) = self.extra if len(self.extra) == 1 else (None,)
        if given is not None and last_name(_value(given)) == "device" and not self.missing:
            yield Proposal(
                f"Leave out {ast.unparse(_value(given))}, which {self.shown} does not take",
                (self.code.without_argument(given), *self._written({})),
                asks=f"Can {self.shown} do without a device?",
                choice="yes",
            )
            return
        if not isinstance(given, ast.keyword) or given.arg is None:
            return
        free = self.missing or [each for each in self.names if each not in self.found]
        for name in free if len(self.missing) == 1 else nearest(given.arg, free):
            if set(self.missing) <= {name}:
                yield Proposal(
                    f"Write {name}= for {given.arg}=, as {self.shown} calls it",
                    (self.code.put_word(given, name),),
                    asks=f"Which parameter of {self.shown} is {given.arg}?",
                    choice=name,
                )

    def _written(self, passed: Mapping[str, str]) -> Iterator[Edit]:
        """The edits that give each argument its place or its keyword, and pass what is missing."""
        kept = [each for each in self.call.args if each in self.found.values()]
        waiting: list[str] = []  # what is missing in front of the next argument
        placed: set[str] = set()
        at = 0
        for name in self.by_place:
            if name in passed:
                waiting.append(name)
            elif at < len(kept) and self.found.get(name) is kept[at]:
                if waiting:
                    start, _ = self.code.span(kept[at])
                    text = "".join(f"{passed[each]}, " for each in waiting)
                    yield Edit(self.code.path, start, start, text)
                waiting, at = [], at + 1
            else:
                break
            placed.add(name)
        for name, given in self.found.items():
            if given in kept[at:]:
                start, _ = self.code.span(_value(given))
                yield Edit(self.code.path, start, start, f"{name}=")
            elif isinstance(given, ast.keyword) and given.arg != name:
                yield self.code.put_word(given, name)
        is_plain = at == len(kept)  # what waits stands at its place behind those
        behind = waiting if is_plain and kept else []
        if behind:
            text = ", ".join(passed[each] for each in behind)
            yield self.code.argument_behind(kept[-1], text)
        rest = [each for each in passed if each in waiting or each not in placed]
        last = [each for each in rest if each not in behind]
        if last:
            is_plain = is_plain and last == waiting and not self.call.keywords
            texts = [passed[each] if is_plain else f"{each}={passed[each]}" for each in last]
            yield self.code.argument_last(self.call, ", ".join(texts))

    def _in_reach(self, name: str) -> Iterator[str]:
        """The values that a parameter may get here: one if it is clear."""
        file, sight, visible = self.code.file, self._visible, self._visible.keys()
        if name in visible:
            yield name
            return
        me = self_in_sight(self.facts, file, self.call)
        if me is not None and members(self.facts, me[1]).get(name, me) is None:
            yield f"{me[0]}.{name}"
            return
        values = {
            each: 0.0
            for each in visible
            if not isinstance(sight[each], Function | ast.ClassDef)
            and not differ_in_number(each, name)
        }
        if near := clearly_meant(name, values, SPELLED):
            yield near
            return
        others = {
            ast.unparse(value)
            for where, call, bound in self.facts.local_code.sites.get(self.target.function, ())
            for value in [self._given_by(call.node, name, bound=bound)]
            if value is not None and call.node is not self.call
        }
        if (
            len(others) == 1
            and all(map(_is_setting, others))
            and _roots(next(iter(others))) <= visible
        ):
            yield from others
            return
        chains = {
            text: None
            for other in (file, *self.facts.python.values())
            for node in other.of(ast.Attribute)
            if node.attr == name and isinstance(node.ctx, ast.Load)
            for text in [ast.unparse(node)]
            if _is_setting(text) and _roots(text) <= visible
        }
        yield from chains

    def _given_by(self, call: ast.Call, name: str, *, bound: bool) -> ast.expr | None:
        """What another call gives for a parameter; None for one that does not fit either."""
        function = self.target.function
        if mismatch(function, call, "", bound=bound) is not None:
            return None
        args = [*positional(function), *function.args.kwonlyargs]
        parameter = next(each for each in args if each.arg == name)
        return given_for(call, function, parameter, bound=bound)

    def _needless(self, value: ast.expr) -> tuple[str, tuple[Edit, ...]] | None:
        """Why nothing is lost with an argument that no parameter takes, and what is edited besides;
        None where something is, or that is open.
        """
        text, function = ast.unparse(value), self.target.function
        parts = [each for each in walk(value) if not isinstance(each, ast.Name | ast.Attribute)]
        if parts:
            return None  # it may do something, or be a quantity
        sees = [
            node
            for node in walk(function)
            if isinstance(node, ast.Name) and isinstance(value, ast.Name) and node.id == value.id
        ]
        own = self.code.file.bindings(value) if isinstance(value, ast.Name) else ()
        if sees and own and all(self.target.file.bindings(node) == own for node in sees):
            return f"which {self.shown} sees anyway", ()
        others = [*self.call.args, *(each.value for each in self.call.keywords)]
        for whole in [ast.unparse(each) for each in others if each is not value]:
            if text == whole or (text.startswith(f"{whole}.") and self._reads(value)):
                return f"which {self.shown} gets with {whole}", ()
        return self._of_device(text) if last_name(value) == "device" else None

    def _reads(self, value: ast.expr) -> bool:
        """Whether the function reads the same key of the whole by itself."""
        wanted = last_name(value)
        return any(
            isinstance(node, ast.Attribute) and node.attr == wanted
            for node in walk(self.target.function)
        )

    def _of_device(self, text: str) -> tuple[str, tuple[Edit, ...]] | None:
        """A device for a function that knows of none: for what it makes, it can be said later."""
        file = self.code.file
        around = file.parents.get(self.call)
        if isinstance(around, ast.Attribute) and around.attr in ("to", "cuda"):
            return "to which the result is moved", ()
        target = around.targets[0] if isinstance(around, ast.Assign) else None
        name = ast.unparse(target) if target is not None else ""
        moved = {ast.unparse(call.node.func) for call in file.calls_of(".to", ".cuda")}
        if name and moved & {f"{name}.to", f"{name}.cuda"}:
            return "to which the result is moved", ()
        if self._makes_network():
            _, end = self.code.span(self.call)
            edit = Edit(self.code.path, end, end, f".to({text})")
            return "to which the network that it makes is moved", (edit,)
        if not _uses_libraries(self.facts, self.target.file, self.target.function):
            return f"since nothing in {self.shown} is on a device", ()
        return None

    def _makes_network(self) -> bool:
        local, file, function = self.facts.local_code, self.target.file, self.target.function
        kinds = []
        if function.name == "__init__" and function in file.class_of:
            kinds.append((file, file.class_of[function]))
        for node in own_nodes(function):
            if isinstance(node, ast.Return) and isinstance(node.value, ast.Call | ast.Name):
                made = node.value.func if isinstance(node.value, ast.Call) else node.value
                found = local.definition(file, made) if isinstance(made, ast.Name) else None
                if found and found[1] in found[0].class_of:
                    kinds.append((found[0], found[0].class_of[found[1]]))
                elif isinstance(node.value, ast.Name):
                    kinds += local.types_of(file, node.value)
        annotated = function.returns is not None and file.resolve(function.returns) == MODULE
        return annotated or (
            bool(kinds) and all(MODULE in local.lineage(each)[1] for each in kinds)
        )


def _passing(name: str, value: str) -> str:
    return f"pass {value}" if value == name else f"pass {value} as {name}"


def _value(given: _Given) -> ast.expr:
    return given.value if isinstance(given, ast.keyword) else given


def _own_name(value: ast.expr) -> str:
    """What a value is called: the last part of its name, an item as one of them, and what is put on
    a device or made a number as before.
    """
    match value:
        case ast.Subscript(value=whole, slice=ast.Constant(value=str())):
            return singular(last_name(whole))
        case ast.Call(func=ast.Attribute(value=inner, attr="to" | "cuda" | "cpu" | "detach")):
            return _own_name(inner)
        case ast.Call(func=ast.Name(id="int" | "float" | "str" | "list"), args=[inner]):
            return _own_name(inner)
    return last_name(value)


def _by_own_name(given: _Given, free: Sequence[str], _: Sequence[_Given]) -> str:
    name = _own_name(_value(given))
    return name if name in free else ""


def _by_likeness(given: _Given, free: Sequence[str], _: Sequence[_Given]) -> str:
    told = [given.arg or ""] if isinstance(given, ast.keyword) else []
    told.append(_own_name(_value(given)))
    found = (clearly_meant(each, dict.fromkeys(free, 0.0)) for each in told if each)
    return next(filter(None, found), "")


def _is_setting(text: str) -> bool:
    """Whether an expression is a key of a configuration: `cfg.training.seed`."""
    root, _, path = text.partition(".")
    is_path = all(part.isidentifier() for part in path.split("."))
    return is_path and likeness(root, "cfg") >= CERTAIN


def _roots(text: str) -> set[str]:
    """The names of an expression."""
    nodes = ast.walk(ast.parse(text, mode="eval"))
    return {each.id for each in nodes if isinstance(each, ast.Name)}


def _sort_of_parameter(function: Function, name: str) -> str:
    """What sort of value a parameter takes, by its annotation or what the body does with it."""
    args = [*positional(function), *function.args.kwonlyargs]
    given = next(each for each in args if each.arg == name)
    match given.annotation:
        case ast.Name(id="int" | "float"):
            return "number"
        case ast.Name(id=known):
            return known
    for node in walk(function):
        match node:
            case ast.BinOp(left=left, right=right) if name in (last_name(left), last_name(right)):
                return "number"
    return ""


def _sort_of_value(facts: Facts, value: ast.expr) -> str:
    """What sort of value an expression has: a literal, or a key of every run's configuration."""
    values: list[object] = []
    if isinstance(value, ast.Constant):
        values.append(value.value)
    elif isinstance(value, ast.Attribute):
        for run in facts.runs:
            values += _leaves(yaml_config.values(run.file.text), value.attr)
    else:
        return last_name(value.func) if isinstance(value, ast.Call) else ""
    sorts = {type(each).__name__ for each in values}
    return (
        "number" if sorts and sorts <= {"int", "float"} else "".join(sorts)[: 9 * (len(sorts) == 1)]
    )


def _leaves(values: object, key: str) -> Iterator[object]:
    """The values that a key has, wherever it is."""
    for name, value in values.items() if isinstance(values, dict) else ():
        if name == key and not isinstance(value, dict):
            yield value
        yield from _leaves(value, key)


def _uses_libraries(facts: Facts, file: PythonFile, definition: ast.AST, depth: int = 0) -> bool:
    """Whether a definition, or one of the submission's that it mentions, uses what is installed
    besides configurations.
    """
    if depth > _DEEPEST:
        return True
    for node in walk(definition):
        if not isinstance(node, ast.Name) or not file.is_evaluated(node):
            continue
        found = facts.local_code.definition(file, node)
        is_other = found is not None and found[1] is not definition
        if found is not None and is_other and _uses_libraries(facts, *found, depth + 1):
            return True
        root = file.aliases.get(node.id, "").partition(".")[0]
        is_own = any(each.module.partition(".")[0] == root for each in facts.python.values())
        if root and not is_own and root not in (*_PLAIN, *sys.stdlib_module_names):
            return True
    return False
