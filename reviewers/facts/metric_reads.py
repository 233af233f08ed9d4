"""The keys that evaluate.py reads from a run's history and summary in the WandB API, also in the
functions to which it passes them.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from reviewers.facts.mapping_keys import CodeSurroundings, MappingKeys
from reviewers.facts.python_file import Function, PythonFile
from reviewers.facts.python_nodes import argument, handed_over, positional, walk
from reviewers.records import Span
from reviewers.steps import fact

_PASSES = 4  # a value goes through few hands: a call, a dictionary, a loop, a parameter
_SAME = frozenset(
    {
        "copy", "dropna", "ffill", "fillna", "head", "reset_index", "set_index", "sort_index",
        "sort_values", "tail",
    }
)  # fmt: skip
_WRAPPING = frozenset({"dict", "pandas.DataFrame", "copy.copy", "copy.deepcopy"})
_BY_COLUMN = ("x", "y", "hue", "subset", "by", "column", "columns", "keys")


class Source(StrEnum):
    """Where WandB keeps a value."""

    HISTORY = "history"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class MetricRead:
    """A key that is read.

    Attributes:
        required: its absence raises KeyError or leaves nothing behind; False if the code asks
            first, or has a default.
        others: keys that the code takes in its place where it is absent.
    """

    key: str
    source: Source
    span: Span
    required: bool
    others: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Each:
    """A container whose every item is of one kind."""

    item: "_Kind"


@dataclass(frozen=True, slots=True)
class _Record:
    """A dictionary with literal keys, some of whose values are known."""

    items: tuple[tuple[str, "_Kind"], ...]


_Kind = Source | _Each | _Record | None


class MetricReads:
    """The reads of one file.

    Args:
        file: evaluate.py.
        keys: answers about dictionaries and texts, for keys that are in lists and constants.
    """

    def __init__(self, file: PythonFile, keys: MappingKeys) -> None:
        self._file = file
        self._keys = keys
        self._kinds: dict[tuple[str, str], _Kind] = {}
        self._open: list[Function] = []

    @fact
    def found(self) -> tuple[MetricRead, ...]:
        """Every read with a literal key, in the order of the text."""
        for _ in range(_PASSES):
            before = dict(self._kinds)
            self._learn()
            if before == self._kinds:
                break
        reading = self._file.of(ast.Subscript, ast.Call, ast.Compare)
        return tuple(read for node in reading for read in self._reads(node))

    # What names stand for

    def _learn(self) -> None:
        for node in self._file.of(ast.Assign, ast.AnnAssign, ast.For, ast.comprehension, ast.Call):
            match node:
                case ast.Assign(targets=[target]):
                    self._bind(target, node.value)
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    self._bind(target, value)
                case (
                    ast.For(target=target, iter=iterated)
                    | ast.comprehension(target=target, iter=iterated)
                ):
                    self._loop(target, iterated)
                case ast.Call():
                    self._pass_on(node)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if (
            isinstance(target, ast.Tuple)
            and isinstance(value, ast.Tuple)
            and len(target.elts) == len(value.elts)
        ):
            for part, given in zip(target.elts, value.elts, strict=True):
                self._bind(part, given)
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Call):
            for index, part in enumerate(target.elts):
                self._name(part, self._returned(value, index))
        elif isinstance(target, ast.Name):
            self._name(target, self._kind(value))
        elif isinstance(target, ast.Subscript) and (kind := self._kind(value)) is not None:
            if not isinstance(target.slice, ast.Constant):
                self._name(target.value, _Each(kind))
            elif isinstance(target.slice.value, str):
                self._name(target.value, _Record(((target.slice.value, kind),)))

    def _name(self, target: ast.expr, kind: _Kind) -> None:
        if isinstance(target, ast.Name) and kind is not None:
            self._kinds.setdefault((self._file.scope_at(target.lineno), target.id), kind)

    def _loop(self, target: ast.expr, iterated: ast.expr) -> None:
        owner, method = iterated, ""
        if (
            isinstance(iterated, ast.Call)
            and isinstance(iterated.func, ast.Attribute)
            and not iterated.args
        ):
            owner, method = iterated.func.value, iterated.func.attr
        kind = self._kind(owner)
        if method == "scan_history" or (
            method == "" and kind is Source.HISTORY and _is_scan(iterated)
        ):
            self._name(target, Source.HISTORY)
        elif (
            kind is Source.HISTORY
            and method == "iterrows"
            and isinstance(target, ast.Tuple)
            and len(target.elts) == 2
        ):
            self._name(target.elts[1], Source.HISTORY)
        if not isinstance(kind, _Each):
            return
        if method == "items" and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            self._name(target.elts[1], kind.item)
        elif method in ("values", ""):
            self._name(target, kind.item)

    def _pass_on(self, call: ast.Call) -> None:
        if isinstance(call.func, ast.Attribute) and call.func.attr == "append" and call.args:
            kind = self._kind(call.args[0])
            self._name(call.func.value, _Each(kind) if kind is not None else None)
        name = self._file.resolve(call.func)
        function = self._file.functions.get(name or "")
        if function is None:
            return
        for parameter, value in handed_over(call, function):
            if (kind := self._kind(value)) is not None:
                self._kinds.setdefault((str(name), parameter), kind)

    def _kind(self, node: ast.expr) -> _Kind:
        match node:
            case ast.Name():
                scope: str | None = self._file.scope_at(node.lineno)
                while scope is not None:
                    if (kind := self._kinds.get((scope, node.id))) is not None:
                        return kind
                    scope = scope.rpartition(".")[0] if scope else None
                return None
            case ast.Attribute(attr="summary" | "summary_metrics"):
                return Source.SUMMARY
            case ast.Attribute(attr="_json_dict" | "columns" | "loc", value=owner):
                return self._kind(owner)
            case ast.Call(func=ast.Attribute(attr="history" | "scan_history")):
                return Source.HISTORY
            case ast.Call():
                return self._called(node)
            case ast.Subscript():
                return self._item(self._kind(node.value), node.slice)
            case ast.Dict():
                known = [
                    (key, self._kind(value))
                    for key, value in zip(node.keys, node.values, strict=True)
                ]
                named = tuple(
                    (str(key.value), kind)
                    for key, kind in known
                    if isinstance(key, ast.Constant) and kind is not None
                )
                if known and not any(isinstance(key, ast.Constant) for key, _ in known):
                    return _Each(known[0][1]) if known[0][1] is not None else None
                return _Record(named) if named else None
            case ast.DictComp(value=item) | ast.ListComp(elt=item):
                kind = self._kind(item)
                return _Each(kind) if kind is not None else None
        return None

    def _called(self, node: ast.Call) -> _Kind:
        if self._file.resolve(node.func) in _WRAPPING and len(node.args) == 1:
            return self._kind(node.args[0])
        if isinstance(node.func, ast.Attribute):
            owner = self._kind(node.func.value)
            if node.func.attr in _SAME and isinstance(owner, Source):
                return owner
            if node.func.attr == "get" and node.args and not isinstance(owner, Source):
                return self._item(owner, node.args[0])
        return self._returned(node, None)

    def _item(self, owner: _Kind, key: ast.expr) -> _Kind:
        if isinstance(owner, _Each):
            return owner.item
        if isinstance(owner, _Record) and isinstance(key, ast.Constant):
            return dict(owner.items).get(str(key.value))
        # A list of columns, or a condition on rows, gives a smaller table.
        return (
            owner if owner is Source.HISTORY and isinstance(key, (ast.Compare, ast.List)) else None
        )

    def _returned(self, node: ast.Call, index: int | None) -> _Kind:
        function = self._file.functions.get(self._file.resolve(node.func) or "")
        if function is None or function in self._open:
            return None
        self._open.append(function)  # it may call itself
        try:
            return self._of_returns(function, index)
        finally:
            self._open.pop()

    def _of_returns(self, function: Function, index: int | None) -> _Kind:
        for part in walk(function):
            if isinstance(part, ast.Return) and part.value is not None:
                value: ast.expr = part.value
                if index is not None:
                    if not isinstance(value, ast.Tuple) or index >= len(value.elts):
                        return None
                    value = value.elts[index]
                if not isinstance(value, ast.Call) and (kind := self._kind(value)) is not None:
                    return kind
        return None

    # Reads

    def _reads(self, node: ast.AST) -> Iterator[MetricRead]:
        match node:
            case ast.Subscript(ctx=ast.Load(), value=owner, slice=key):
                yield from self._read(owner, key, node, required=True)
            case ast.Call(func=ast.Attribute(attr="get", value=owner), args=[key, *_]):
                yield from self._read(owner, key, node, required=False)
            case ast.Compare(ops=[ast.In()], left=key, comparators=[owner]):
                yield from self._read(owner, key, node, required=False)
            case ast.Call():
                yield from self._by_column(node)

    def _read(
        self, owner: ast.expr, key: ast.expr, node: ast.expr, *, required: bool
    ) -> Iterator[MetricRead]:
        source = self._kind(owner)
        if isinstance(source, Source):
            texts, several = self._texts(key)
            tested = not required or (bool(texts) and self._is_asked_for(node, texts, key))
            for text in sorted(texts):
                others = self._others(node) | (texts if several and tested else frozenset())
                yield MetricRead(
                    text, source, Span(self._file.path, node.lineno), not tested, others - {text}
                )

    def _texts(self, key: ast.expr) -> tuple[frozenset[str], bool]:
        """The literal keys, and whether they are candidates of which any will do."""
        if isinstance(key, ast.List):
            literals = (part.value for part in key.elts if isinstance(part, ast.Constant))
            return frozenset(text for text in literals if isinstance(text, str)), False
        place = CodeSurroundings(self._file, self._file.scope_at(key.lineno))
        told = self._keys.texts(key, place)
        texts = frozenset(found.text for found in told.found if "{}" not in found.text)
        return (texts if told.known else frozenset()), not isinstance(key, ast.Constant)

    def _by_column(self, call: ast.Call) -> Iterator[MetricRead]:
        """Columns named in calls that are given a history: `lineplot(data=history, x=…, y=…)`,
        `history.dropna(subset=…)`.
        """
        method = call.func.value if isinstance(call.func, ast.Attribute) else None
        asked = isinstance(call.func, ast.Attribute) and call.func.attr in (
            "history",
            "scan_history",
        )
        table = argument(call, "data") or method
        if table is None or (not asked and self._kind(table) is not Source.HISTORY):
            return
        for word in call.keywords:
            if word.arg in _BY_COLUMN and isinstance(
                word.value, (ast.Constant, ast.List, ast.Name)
            ):
                texts = self._texts(word.value)[0]
                if not isinstance(word.value, ast.Name) or len(texts) == 1:
                    for text in sorted(texts):
                        required = not self._is_asked_for(call, texts)
                        yield MetricRead(
                            text, Source.HISTORY, Span(self._file.path, call.lineno), required
                        )

    def _others(self, node: ast.expr) -> frozenset[str]:
        """Keys that stand for this one where it is absent: `get("a", get("b"))`, `get("a") or
        get("b")`, `if a … elif b …`.
        """
        found: set[str] = set()
        top: ast.AST = node
        for around in self._file.ancestors(node):
            match around:
                case (
                    ast.BoolOp(op=ast.Or()) | ast.Call(func=ast.Attribute(attr="get")) | ast.IfExp()
                ):
                    top = around
                case ast.If(test=ast.Compare(), orelse=[_, *_]):
                    top = around
                case ast.For() | ast.While() | ast.FunctionDef():
                    break
        for part in walk(top):
            match part:
                case ast.Call(
                    func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(text)), *_]
                ):
                    found.add(text)
                case ast.Compare(ops=[ast.In()], left=ast.Constant(value=str(text))):
                    found.add(text)
        return frozenset(found)

    def _is_asked_for(
        self, node: ast.AST, keys: frozenset[str], key: ast.expr | None = None
    ) -> bool:
        """Whether the code makes sure of the key in the same function, or catches its absence; of a
        key that is a parameter, where every caller does.
        """
        for around in self._file.ancestors(node):
            if isinstance(around, ast.Try) and around.handlers:
                return True
            if isinstance(around, (ast.If, ast.IfExp)) and _asks(around.test):
                return True
            loops = (
                around.generators
                if isinstance(around, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp))
                else []
            )
            if any(_asks(test) for loop in loops for test in loop.ifs):
                return True
            if isinstance(around, Function):
                tested = {name for part in walk(around) for name in _tested(part)}
                return bool(tested & keys) or self._is_asked_by_callers(keys, key)
        return False

    def _is_asked_by_callers(self, keys: frozenset[str], key: ast.expr | None) -> bool:
        if not isinstance(key, ast.Name):
            return False
        name = self._file.scope_at(key.lineno)
        function = self._file.functions.get(name)
        if function is None or key.id not in [one.arg for one in positional(function)]:
            return False
        calls = [one.node for one in self._file.calls if self._file.resolve(one.node.func) == name]
        return bool(calls) and all(self._is_asked_for(call, keys) for call in calls)


def _is_scan(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "scan_history"
    )


def _asks(test: ast.expr) -> bool:
    """Whether a condition is about what is there at all."""
    text = ast.unparse(test)
    return " in " in text or "columns" in text or ".empty" in text


def _tested(part: ast.AST) -> Iterator[object]:
    """The literal names that are looked for: `"a" in names`, `{"a", "b"} <= names`, `{"a",
    "b"}.issubset(names)`.
    """
    match part:
        case ast.Compare(left=ast.Constant(value=name)):
            yield name
        case ast.Compare(left=wanted, ops=[ast.LtE()]):
            yield from _literals(wanted)
        case ast.Compare(comparators=[wanted], ops=[ast.GtE()]):
            yield from _literals(wanted)
        case ast.Call(func=ast.Attribute(attr="issubset", value=wanted)):
            yield from _literals(wanted)
        case ast.Call(func=ast.Attribute(attr="issuperset"), args=[wanted]):
            yield from _literals(wanted)


def _literals(wanted: ast.expr) -> Iterator[object]:
    """The items of a set, or of a list that becomes one."""
    given = wanted.args[0] if isinstance(wanted, ast.Call) and len(wanted.args) == 1 else wanted
    for item in given.elts if isinstance(given, ast.Set | ast.List | ast.Tuple) else ():
        if isinstance(item, ast.Constant):
            yield item.value


def metric_reads(python: Mapping[str, PythonFile], path: str) -> tuple[MetricRead, ...]:
    """The keys that a file reads of WandB's history and summary."""
    file = python.get(path)
    return (
        MetricReads(file, MappingKeys(python)).found
        if file is not None and file.tree is not None
        else ()
    )
