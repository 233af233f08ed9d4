"""Follows calls of the submission's own functions and classes: what they are given, and what they
may not be given.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from omegaconf import DictConfig

from reviewers.facts.config_flow import access, data_calls, handlers, library, members
from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.data_values import DataError, placed
from reviewers.facts.config_flow.expressions import Expressions
from reviewers.facts.config_flow.values import (
    ANYTHING,
    UNKNOWN,
    External,
    Fixed,
    Instance,
    Leave,
    LocalClass,
    LocalFunction,
    ProblemKind,
    Scope,
    Super,
    Value,
    blur,
    is_same,
)
from reviewers.facts.placed import KeyPlace, place_of
from reviewers.facts.python_file import Function, PythonFile
from reviewers.facts.python_nodes import attributes_set, kinds_within

_DEPTH = 12
# What leaves an object of a class from outside, such as a torch module, the object that it is.
_FLUENT = frozenset({"bfloat16", "cpu", "cuda", "double", "eval", "float", "half", "to", "train"})
_CALLING = frozenset({"__call__", "torch_call"})
_CLASSES_ABOVE = 16
_NESTED = 4  # calls of one function that goes down a mapping


class Calls(Expressions):
    """Values of calls, over scopes of partly known values."""

    def __init__(self, python: Mapping[str, PythonFile], yaml_files: Mapping[str, str]) -> None:
        super().__init__(python, yaml_files)
        self._active: list[ast.AST] = []
        self.called: set[ast.AST] = (
            set()
        )  # functions that were followed, their first argument known
        self._entry: Scope | None = None

    def block(self, statements: Sequence[ast.stmt], scope: Scope) -> None:
        """Follow statements one after another."""
        raise NotImplementedError

    def call(
        self, function: LocalFunction, args: Sequence[Value], keywords: Mapping[str, Value]
    ) -> Value:
        """Follow a call; one that is too deep, or under way with what is no container, gives an
        unknown value.
        """
        node = function.node
        given = [*args, *keywords.values()]
        holds = any(isinstance(value, dict | list) for value in given)
        again = self._active.count(node)
        if again >= (_NESTED if holds else 1) or len(self._active) >= _DEPTH:
            for value in given:
                blur(value)
            return UNKNOWN
        scope = Scope(function.scope.file, function.scope, method_of=function.home)
        self._entry = self._entry or scope
        self._bind(scope, function, args, keywords)
        self._active.append(node)
        if not (args and args[0] is UNKNOWN):
            self.called.add(node)
        left, asked, exits = self.may_have_left, self.asked, self.exits
        self.asked, self.exits = None, []
        given_back: list[Value] = []
        is_direct = isinstance(node, ast.Lambda) or not (_is_wrapped(node) or _yields(node))
        try:
            if isinstance(node, ast.Lambda):
                return self.value(node.body, scope)
            if not is_direct:
                self.may_have_left |= {"return"}
                given_back = [UNKNOWN] if _yields(node) else []
            self.block(node.body, scope)
            given_back.append(None)
        except Leave as leave:
            # With another value in the configuration it goes on here.
            if leave.how == "raise" and is_direct and not self.exits:
                raise
            given_back.append(UNKNOWN if leave.how == "raise" and not self.exits else leave.value)
        finally:
            given_back += [way.leave.value for way in self.exits]
            self._active.pop()
            self.may_have_left, self.asked, self.exits = left, asked, exits
        first, *others = given_back
        return first if all(is_same(first, other) for other in others) else UNKNOWN

    def apply(self, function: Value, args: Sequence[Value]) -> Value:
        """What a function or class gives for these arguments."""
        if isinstance(function, LocalFunction):
            return self.call(function, args, {})
        return library.call(self, function, args, {}, None)

    def hand(self, function: Value, args: Sequence[Value] = ()) -> None:
        """Follow a function that something outside the submission will call: how often is not
        known, nor with what but for these arguments.
        """
        before = self.handed, self.may_have_left
        self.handed, self.may_have_left = True, frozenset()
        try:
            data_calls.apply(self, function, args, {})
        finally:
            self.handed, self.may_have_left = before

    def final(self, entry: LocalFunction) -> DictConfig | None:
        """What the first name of the first function that was called stands for now."""
        given = entry.node.args.args
        value = self._entry.names.get(given[0].arg) if self._entry and given else None
        return value if isinstance(value, DictConfig) else None

    def _bind(
        self,
        scope: Scope,
        function: LocalFunction,
        args: Sequence[Value],
        keywords: Mapping[str, Value],
    ) -> None:
        given = function.node.args
        positional = [argument.arg for argument in (*given.posonlyargs, *given.args)]
        every = [*positional, *(argument.arg for argument in given.kwonlyargs)]
        defaults = dict(
            zip(positional[len(positional) - len(given.defaults) :], given.defaults, strict=True)
        )
        defaults |= {
            argument.arg: value
            for argument, value in zip(given.kwonlyargs, given.kw_defaults, strict=True)
            if value
        }
        for name in every:
            certain = name in defaults and ANYTHING not in keywords
            scope.names[name] = self.value(defaults[name], function.scope) if certain else UNKNOWN
        values = [function.owner, *args] if function.owner is not None else list(args)
        scope.names.update(zip(positional, values, strict=False))
        scope.names.update({name: value for name, value in keywords.items() if name in every})
        if given.vararg is not None:
            known = ANYTHING not in keywords and self._doubts == 0
            rest = Fixed(values[len(positional) :])
            scope.names[given.vararg.arg] = rest if known else UNKNOWN
        if given.kwarg is not None:
            scope.names[given.kwarg.arg] = {
                name: value for name, value in keywords.items() if name not in every
            }

    # Calls as they are written

    def _call(self, node: ast.Call, scope: Scope) -> Value:
        callee = self.value(node.func, scope)
        parts = [
            (
                self.turns(self.value(item.value, scope))
                if isinstance(item, ast.Starred)
                else [self.value(item, scope)]
            )
            for item in node.args
        ]
        args = [value for part in parts for value in part or ()]
        keywords = {item.arg: self.value(item.value, scope) for item in node.keywords if item.arg}
        for item in node.keywords:
            if item.arg is None:
                value = self.value(item.value, scope)
                keywords[ANYTHING] = UNKNOWN if ANYTHING in keywords else value
        if any(part is None for part in parts):
            args, keywords[ANYTHING] = [], UNKNOWN
        if isinstance(callee, External) and callee.name in handlers.ENDING:
            raise Leave("raise", error="SystemExit")
        if isinstance(callee, LocalFunction | LocalClass):
            return self._local(callee, args, keywords, node, scope)
        if isinstance(callee, Instance):
            run = self.method(callee.cls, "__call__") or self.method(callee.cls, "forward")
            return self.call(replace(run, owner=callee), args, keywords) if run else UNKNOWN
        if (
            isinstance(callee, External)
            and callee.name == "super"
            and not args
            and scope.inside_method() is not None
        ):
            return scope.inside_method()
        if (
            isinstance(callee, External)
            and callee.name == "omegaconf.OmegaConf.update"
            and len(args) > 2
        ):
            forced = keywords.get("force_add") is True
            self.note_created(args[0], args[1], args[2], node, scope, is_forced=forced)
        try:
            made = library.call(self, callee, args, keywords, node)
            if isinstance(callee, members.Bound):
                placed(callee.owner, scope.file.path, node)  # what it has changed in place
            return placed(made, scope.file.path, node)
        except AccessError as error:
            error.cause = error.cause or next(
                (arg for arg in args if isinstance(place_of(arg), KeyPlace)), None
            )
            self.report(error, node, scope)
            if error.kind is ProblemKind.MISSING_FILE and self.folder != self.origin:
                with self.at_the_start():
                    return self.attempt(
                        lambda: library.call(self, callee, args, keywords, node), node, scope
                    )
            is_known = isinstance(error, DataError) or error.instead is not UNKNOWN
            return error.instead if is_known else library.mended(callee, args)

    @contextmanager
    def at_the_start(self) -> Iterator[None]:
        """Relative paths mean meanwhile what they mean in the folder of the command."""
        folder, self.folder = self.folder, self.origin
        try:
            yield
        finally:
            self.folder = folder

    def _local(
        self,
        callee: LocalFunction | LocalClass,
        args: Sequence[Value],
        keywords: dict[str, Value],
        node: ast.Call,
        scope: Scope,
    ) -> Value:
        spread = (
            access.spread(keywords.get(ANYTHING, UNKNOWN))
            if sum(word.arg is None for word in node.keywords) == 1
            else None
        )
        if spread is not None:
            keywords = {
                **{name: value for name, value in keywords.items() if name != ANYTHING},
                **spread,
            }
        start = self.method(callee, "__init__") if isinstance(callee, LocalClass) else callee
        if spread is not None and (refused := _refusal(callee, start, len(args), keywords)):
            self.report(
                AccessError(ProblemKind.INVALID_VALUE, "TypeError", refused, ""), node, scope
            )
        if isinstance(callee, LocalFunction):
            return self.call(callee, args, keywords)
        made = Instance(callee, {} if start else _fields(callee, args, keywords))
        if start:
            self.call(replace(start, owner=made), args, keywords)
        return made

    # Members of objects and classes

    def _member(self, owner: Value, name: str) -> Value:
        if isinstance(owner, Instance) and name in owner.attributes:
            return owner.attributes[name]
        cls = owner if isinstance(owner, LocalClass) else owner.cls
        method = self.method(cls, name, above=isinstance(owner, Super))
        if method is None:
            if isinstance(owner, Super) and (above := self._collator_of(cls)) is not None:
                return members.Bound(above, name) if name in _CALLING else UNKNOWN
            if not isinstance(owner, Instance) or not owner.cls.definition.bases:
                return UNKNOWN
            if name in _FLUENT:
                return members.Bound(owner, name)
            # A method from outside may call any of its own, as `Thread.start` calls `run`.
            owner.attributes.update(
                dict.fromkeys(owner.attributes.keys() & _set_later(owner.cls), UNKNOWN)
            )
            return UNKNOWN
        decorators = method.decorators
        if "staticmethod" in decorators or (
            isinstance(owner, LocalClass) and "classmethod" not in decorators
        ):
            return method
        bound = replace(
            method,
            owner=(
                cls
                if "classmethod" in decorators
                else owner.of
                if isinstance(owner, Super)
                else owner
            ),
        )
        return self.call(bound, [], {}) if "property" in decorators else bound

    def says_its_truth(self, value: Instance) -> bool:
        return any(self.method(value.cls, name) for name in ("__bool__", "__len__"))

    def _collator_of(self, cls: LocalClass) -> Value:
        return data_calls.collator_of(cls, self.value)

    def method(self, cls: LocalClass, name: str, *, above: bool = False) -> LocalFunction | None:
        """A method of a class or of those of the submission that it is made from; `above` leaves
        out its own.
        """
        waiting, seen = [cls], 0
        while waiting and seen < _CLASSES_ABOVE:
            here, seen = waiting.pop(0), seen + 1
            found = here.definition.methods.get(name)
            if found is not None and not (above and here is cls):
                return LocalFunction(found, here.scope, home=here)
            above_here = [self.value(base, here.scope) for base in here.definition.node.bases]
            waiting[:0] = [base for base in above_here if isinstance(base, LocalClass)]
        return None


def _yields(node: Function) -> bool:
    return bool(kinds_within(node) & {ast.Yield, ast.YieldFrom})


def _set_later(cls: LocalClass) -> frozenset[str]:
    """The attributes that methods other than the constructor set."""
    later = [method for name, method in cls.definition.methods.items() if name != "__init__"]
    return frozenset[str]().union(*map(attributes_set, later))


def _refusal(
    callee: LocalFunction | LocalClass,
    start: LocalFunction | None,
    count: int,
    keywords: Mapping[str, Value],
) -> str | None:
    """What Python says to a call with unpacked keywords; None where it takes them, or that is not
    known.
    """
    if ANYTHING in keywords:
        return None
    if start is None:
        assert isinstance(callee, LocalClass)
        accepted, required = _dataclass_fields(callee)
        name = f"{callee.definition.name}.__init__"
        if accepted is None:
            return None
    else:
        given = start.node.args
        if (
            given.kwarg is not None
            or isinstance(start.node, ast.Lambda)
            or start.node.decorator_list
        ):
            return None
        positional = [argument.arg for argument in (*given.posonlyargs, *given.args)]
        positional = (
            positional[1:]
            if start.owner is not None or isinstance(callee, LocalClass)
            else positional
        )
        accepted = [*positional, *(argument.arg for argument in given.kwonlyargs)]
        free = len(positional) - len(given.defaults)
        required = positional[: max(free, 0)]
        required += [
            word.arg
            for word, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
            if default is None
        ]
        name = (
            f"{callee.definition.name}.__init__"
            if isinstance(callee, LocalClass)
            else start.node.name
        )
    for word in keywords:
        if word not in accepted:
            return f"{name}() got an unexpected keyword argument '{word}'"
        if word in accepted[:count]:
            return f"{name}() got multiple values for argument '{word}'"
    missing = [word for word in required[count:] if word not in keywords]
    return f"{name}() missing required argument: '{missing[0]}'" if missing else None


def _dataclass_fields(cls: LocalClass) -> tuple[list[str] | None, list[str]]:
    """The fields of a dataclass, and those without a default; None for a class that is none, or
    that has others above it.
    """
    node = cls.definition.node
    names = {
        ast.unparse(part.func if isinstance(part, ast.Call) else part).rpartition(".")[2]
        for part in node.decorator_list
    }
    if names != {"dataclass"} or node.bases:
        return None, []
    fields = [
        part
        for part in node.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    ]
    written = [ast.unparse(part) for part in (*fields, *node.decorator_list)]
    if any(word in text for text in written for word in ("init", "ClassVar", "InitVar")):
        return None, []
    named = [
        (part.target.id, part.value is None) for part in fields if isinstance(part.target, ast.Name)
    ]
    return [name for name, _ in named], [name for name, required in named if required]


def _fields(
    cls: LocalClass, args: Sequence[Value], keywords: Mapping[str, Value]
) -> dict[str, Value]:
    """The attributes of an object whose class has no constructor of its own."""
    names, _ = _dataclass_fields(cls)
    return {**dict(zip(names or (), args, strict=False)), **keywords}


_TRANSPARENT = frozenset(
    {
        "cache",
        "classmethod",
        "enable_grad",
        "inference_mode",
        "lru_cache",
        "main",
        "no_grad",
        "property",
        "staticmethod",
    }
)


def _is_wrapped(node: Function) -> bool:
    """Whether something else stands between a call and the function's first statement."""
    for part in node.decorator_list:
        name = ast.unparse(part.func if isinstance(part, ast.Call) else part).rpartition(".")[2]
        if name not in _TRANSPARENT:
            return True
    return False
