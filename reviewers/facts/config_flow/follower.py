"""The one who follows the code: what it knows, how sure it is, and how it goes on from a node."""

import ast
import builtins
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeGuard

from omegaconf import DictConfig, OmegaConf

from reviewers.facts.config_flow import access, handlers, operations
from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.data_values import DataError, Row, Rows
from reviewers.facts.config_flow.tables import STEPS, TARGETS
from reviewers.facts.config_flow.tensors import CONTAINERS, Network
from reviewers.facts.config_flow.values import (
    ANYTHING,
    PLAIN,
    UNKNOWN,
    CallScope,
    ConfigProblem,
    Created,
    Instance,
    Leave,
    LocalClass,
    LocalFunction,
    ProblemKind,
    ScriptProcess,
    Several,
    SomePath,
    Unordered,
    Value,
    external,
    is_config,
    is_open,
    parameters,
)
from reviewers.facts.placed import IntendedPath, place_of
from reviewers.facts.python_file import Function, Import, PythonFile
from reviewers.facts.python_nodes import kept
from reviewers.facts.submitted_files import SubmittedFiles
from reviewers.facts.world import Assumed, Thing, variables, where
from reviewers.steps import spend

STEPS_OF_ALL = 600_000  # the longest real way takes an eighth
_TOLD_TOGETHER = 100  # steps
BUILTINS = frozenset(dir(builtins))
_CLASSES_ABOVE = 16
_MOST_SHOWN = 2  # values that decided a way
_READ = (ast.Name, ast.Attribute, ast.Subscript)
_FREEZING = re.compile(r"\brequires_grad_\(|\.requires_grad\s*=[^=]|set_grad_enabled")
_ENDED = (dict, list, tuple)
_THERE = (SomePath, LocalFunction, LocalClass, Several)  # always true


def is_guard(node: ast.stmt) -> TypeGuard[ast.If]:
    """Whether a statement says what is done where its file is started as a script."""
    return isinstance(node, ast.If) and "__main__" in ast.unparse(node.test)


@kept
def _freezes(file: PythonFile) -> bool:
    """Whether a file may take gradients off parameters, or off the code behind it."""
    return _FREEZING.search(file.text) is not None


class Exhausted(Exception):
    """The code is longer than we follow."""


class Visit(NamedTuple):
    """A statement that was come to.

    Attributes:
        around: file and line of the statement around it, or of the one that calls its function;
            None for the first ones.
        sure: whether the code certainly comes here, as long as nothing stops it before.
        caught: what the `try` blocks around it catch.
    """

    around: "Line | None"
    sure: bool
    caught: tuple[handlers.Caught, ...]


Line = tuple[str, int]  # a file and the first line of a statement in it
Asked = tuple[ast.expr, bool, CallScope]  # a condition, its answer, and where it is asked


class PassedValues(NamedTuple):
    """The arguments of one call, as far as they are known.

    Attributes:
        name: what is called, as a dotted name; empty for a method of a value.
        positional, keywords: texts, numbers, truth values, None, lists of them, and names from
            outside (`torch.float16`); anything else is UNKNOWN. An unpacked mapping's keys are
            among the keywords.
        open: there may be more arguments than these.
        certain: the code comes to the call where it is not left before, and nothing around it
            catches errors.
        happens: nor is it left before.
        text: the first positional one, with `{}` for the parts that are not known; empty where it
            is not a text.
        spread: the keywords that came by unpacking a mapping.
    """

    name: str
    node: ast.Call
    positional: tuple[Value, ...]
    keywords: Mapping[str, Value]
    open: bool = False
    certain: bool = True
    happens: bool = False
    text: str = ""
    spread: frozenset[str] = frozenset()

    def argument(self, name: str, place: int | None = None) -> Value:
        """What a parameter is given; UNKNOWN also where nothing is."""
        if place is not None and place < len(self.positional):
            return self.positional[place]
        return self.keywords.get(name, UNKNOWN)


class Awaited(NamedTuple):
    """A function that Hydra calls, with its configuration, the folder and what is intended."""

    function: Function
    config: DictConfig
    folder: str
    intended: Callable[[], DictConfig] | None


@dataclass(eq=False, slots=True)
class Trace:
    """What following one entry function gave.

    Attributes:
        problems: in the order in which they would be met; after each, the way goes on as if it had
            been mended.
        data_problems: the same of data sets, tokenizers and loaders; a problem's key is the short
            name of its cause.
        complete: False where the code was longer than we follow.
        final: the configuration that the entry function's first name stands for in the end; None
            where that is not known.
        steps: so many were taken.
        created: keys that were not there and are given a value that is only known at run time.
        handed_over: the arguments of each call that starts a process (`subprocess.run`, …).
        passed: what each call outside the submission was given, once for each different set of
            arguments.
        processes: the scripts of the submission that are certainly started, in that order.
        called: the functions and lambdas that were followed with a known first argument.
        visits: the statements that were come to, in the order in which each was first.
        uses_intended: whether a value was taken from the intended configuration.
        asks_folder: whether anything depends on the folder in which the process is started.
        made: the folders that the code makes; None among them for one that is not known.
        filled: the folders into which it certainly writes files, with the first line that does.
        parsings: whether each call that parses the command line took all of its words, as far as is
            known.
    """

    problems: tuple[ConfigProblem, ...] = ()
    data_problems: tuple[ConfigProblem, ...] = ()
    complete: bool = True
    final: DictConfig | None = None
    steps: int = 0
    created: list[Created] = field(default_factory=list)
    handed_over: list[tuple[str, Value]] = field(default_factory=list)
    passed: dict[ast.Call, list[PassedValues]] = field(default_factory=dict)
    processes: list[ScriptProcess] = field(default_factory=list)
    called: set[ast.AST] = field(default_factory=set)
    visits: dict[Line, Visit] = field(default_factory=dict)
    uses_intended: bool = False
    asks_folder: bool = False
    made: set[tuple[str, ...] | None] = field(default_factory=set)
    filled: dict[tuple[str, ...], Line] = field(default_factory=dict)
    parsings: dict[ast.Call, bool] = field(default_factory=dict)


class _Meanwhile:
    """Attributes that hold others for a while; entered so often that a generator is too slow."""

    __slots__ = ("_before", "_held", "_state")

    def __init__(self, held: dict[str, Any], state: dict[str, Any]) -> None:
        self._held, self._state = held, state

    def __enter__(self) -> None:
        self._before = {name: self._held[name] for name in self._state}
        self._held.update(self._state)

    def __exit__(self, *_: object) -> None:
        self._held.update(self._before)


class Follower:
    """Follows code over scopes of partly known values; `trace` is what is found."""

    def __init__(
        self,
        python: Mapping[str, PythonFile],
        yaml_files: SubmittedFiles,
        environ: Value = UNKNOWN,
    ) -> None:
        self.python = python
        self.by_module = {file.module: path for path, file in python.items()}
        self.yaml_files = yaml_files  # the submission's configuration files, JSON included
        self.trace = Trace()
        self.problems: dict[tuple[Any, ...], ConfigProblem] = {}  # by place and key
        # What the code has done.
        self.modules: dict[str, CallScope] = {}
        self.methods: dict[tuple[Function, CallScope], LocalFunction] = {}
        # What it has written, by the parts of its path: a text, a `Dumped`, or UNKNOWN.
        self.written: dict[tuple[str, ...], Value] = {}
        # The script and its words; None where they are not known.
        self.argv: list[Value] | None = None
        self.is_bare = False  # whether nothing says with which words the script is started
        # The working directory from the submission's root, None where it is not known; and the one
        # in which the process was started.
        self.folder: str | None = ""
        self.origin = ""
        self.config_folder: str | None = None  # of Hydra's compose API
        given = isinstance(environ, dict)
        self.environ: dict[Any, Value] = (
            dict(environ) if given else {**variables(), ANYTHING: UNKNOWN}
        )
        # How sure it is.
        self.doubts = 0  # unknown conditions around
        self.unsure_turns = 0  # loops around that may have no turn
        self.caught: tuple[handlers.Caught, ...] = ()  # by the `try` blocks around
        # How the block that is followed may have been left before: `return`, `break`, `continue`.
        self.may_have_left: frozenset[str] = frozenset()
        self.handed = False  # whether a function is followed that something outside is given
        self.assuming: tuple[Assumed, ...] = ()  # what the way rests on
        # Where it is.
        self.here: Line | None = None
        self.asked: Asked | None = None  # the last condition
        self.exits: list[Leave] = []  # where the loop or function that is followed may be left
        # Whether a module's own statements are followed, which are no part of the way.
        self.importing = False
        self.again = False  # whether a loop's turn is followed as any later one
        self.each = 0  # loops around that have a turn for each row of a batch
        self.active: list[ast.AST] = []  # the functions that are followed
        self.taken = self._told = 0  # steps
        self._tell_at = _TOLD_TOGETHER
        # What is meant.
        self.is_hydras = True  # whether Hydra has started the process, as far as is known
        self.awaited: Awaited | None = None  # what Hydra will call, until it does
        self.entry: CallScope | None = None  # of that call
        self.autocast: bool | None = False  # whether torch chooses number formats
        self.grad: bool | None = True  # whether torch keeps graphs; None where that is not known
        self.second_turns = 0  # doubts of which each is only that a turn stands for later ones
        self.start_method = ""  # of processes, where the code sets it
        self.has_defaults = True  # torch makes tensors of float32 on the CPU
        self.intended: Callable[[], DictConfig] | None = None
        self._meant: DictConfig | None = None

    @property
    def words(self) -> Sequence[Value] | None:
        """The words of the command line after the script, as the code has left them."""
        return None if self.argv is None else self.argv[1:]

    @property
    def keeps_graphs(self) -> bool:
        """Whether gradients are certainly on, and nothing is frozen."""
        return self.grad is True and not self._freezes

    @cached_property
    def _freezes(self) -> bool:
        return any(map(_freezes, self.python.values()))

    # How sure it is

    def meanwhile(self, **state: Any) -> "_Meanwhile":
        """Follow what is within with these attributes, and go on behind it with those before."""
        return _Meanwhile(vars(self), state)

    def doubt(self) -> "_Meanwhile":
        """What is found meanwhile may not happen."""
        return self.meanwhile(doubts=self.doubts + 1)

    @property
    def is_unsure(self) -> bool:
        """Whether what is done now may be left undone, or done more than once."""
        return bool(self.doubts or self.unsure_turns or (self.caught and any(self.caught)))

    @property
    def may_be_undone(self) -> bool:
        """Whether what is changed now may be as before afterwards, or be changed more than once."""
        return self.is_unsure or bool(self.may_have_left)

    def may_change(self, container: Value) -> bool:
        """Whether a list or mapping is known so well that a change of it can be done for real."""
        known = type(container) in (dict, list) and not is_open(container)
        return known and not self.may_be_undone

    @property
    def may_not_happen(self) -> bool:
        """Whether what is done now may be left undone, though nothing goes wrong."""
        return bool(self.doubts or self.unsure_turns or self.handed or self.may_have_left)

    def _is_certain(self, error: AccessError) -> bool:
        """Whether the code certainly comes here, and nothing catches the error."""
        # Only a later turn meets that a graph is used twice.
        later = self.second_turns if error.key == "second_backward" else 0
        if later and self.may_have_left:
            return False
        if self.doubts > later or any(
            handlers.catches(caught, error.error) for caught in self.caught
        ):
            return False
        if self.handed and "return" in self.may_have_left:
            return False  # what it is given may well decide on that return
        ending = error.kind in (ProblemKind.RAISED, ProblemKind.REFUSED_WORDS)
        strict = ending or error.kind is ProblemKind.INVALID_VALUE
        return not (strict and (self.may_have_left or (ending and self.unsure_turns)))

    def because(self) -> tuple[str, Value]:
        """The values that the last condition asked for which decided the way, as far as they are
        plain, and the first of them that knows its place in the configuration.
        """
        if self.asked is None:
            return "", None
        test, answer, scope = self.asked
        shown: dict[str, str] = {}
        cause: Value = None
        for part, found in self.read_in(test, scope):
            if isinstance(found, PLAIN) and len(shown) < _MOST_SHOWN:
                shown[ast.unparse(part)[:80]] = repr(found)[:80]
                cause = found if cause is None and place_of(found) is not None else cause
        if shown:
            return " and ".join(f"`{name}` is {text}" for name, text in shown.items()), cause
        return f"`{ast.unparse(test)[:80]}` is {answer}", None

    def read_in(self, node: ast.expr, scope: CallScope) -> Iterator[tuple[ast.expr, Value]]:
        """The names, attributes and elements that an expression reads, with their values."""
        for part in ast.walk(node):
            if isinstance(part, _READ) and isinstance(part.ctx, ast.Load):
                yield part, self.value(part, scope)

    # Problems

    def report(self, error: AccessError, node: ast.AST, scope: CallScope) -> ConfigProblem:
        """Keep a problem, once for each place and key, rather as a certain one."""
        self.spend(access.STEPS_OF_A_REFUSAL)
        here = scope.span(node)
        span = error.at or here
        further = dict.fromkeys(filter(None, error.further)) or (here,)
        # Of a value that the code itself raises for, the condition is told anyway.
        resting = where(self.assuming) if error.kind is not ProblemKind.RAISED else ""
        problem = ConfigProblem(
            error.kind,
            error.error,
            error.message + (f" (where {resting})" if resting else ""),
            error.key,
            span,
            self._is_certain(error) and not error.is_doubtful,
            error.cause,
            tuple(place for place in further if place != span),
            error.is_behind or isinstance(place_of(error.cause), IntendedPath),
            error.names,
        )
        place = (problem.kind, span, problem.key, place_of(problem.cause))
        if place not in self.problems or (problem.certain and not self.problems[place].certain):
            self.problems[place] = problem
        return problem

    def attempt(self, deed: Callable[[], Value], node: ast.AST, scope: CallScope) -> Value:
        """Do it; where that is an error, report it and go on with what stands in for the value."""
        try:
            return deed()
        except AccessError as error:
            self.report(error, node, scope)
            return error.instead

    def fill(self, folder: tuple[str, ...]) -> None:
        """Keep that a file is written into a folder, or fails to be."""
        missed = any(handlers.catches(caught, "FileNotFoundError") for caught in self.caught)
        if self.here is not None and not (self.may_not_happen or missed):
            self.trace.filled.setdefault(folder, self.here)

    def lacks(self, path: str) -> bool:
        """Whether a text file is certainly not there, nor anything that was put there."""
        parts = tuple(path.split("/"))
        given = any(self.written.get(parts[:end]) is not None for end in range(1, len(parts) + 1))
        return not given and self.yaml_files.lacks(path)

    def intended_at(self, path: object) -> Value:
        """What the intended configuration has at a dotted path."""
        if self.intended is None or not isinstance(path, str):
            return UNKNOWN
        if self._meant is None:
            self._meant = self.intended()
            OmegaConf.set_struct(self._meant, False)  # it takes what the code is meant to write
            access.mark_intended(self._meant)
            self.spend(access.size(self._meant))
        found = access.read_path(self._meant, path, UNKNOWN)
        self.trace.uses_intended |= found is not UNKNOWN
        return found

    def read(self, owner: Value, key: str | int, read: Callable[[], Value]) -> Value:
        """Read a part of a configuration or of a value of a library.

        Raises:
            AccessError: it is not there; the way goes on with what is meant to be.
        """
        self.spend(access.STEPS)
        try:
            return read()
        except DataError as error:
            # A row that is only read under a condition may well be what the condition asks for.
            if self.doubts and isinstance(owner, Row):
                return error.instead
            raise
        except AccessError as error:
            error.cause = error.cause or (key if place_of(key) is not None else None)
            error.is_behind = is_config(owner) and access.is_intended(owner)
            error.instead = UNKNOWN if error.is_behind else self.intended_at(error.key)
            raise

    # Modules

    def module(self, path: str) -> CallScope:
        """The scope of a module; its statements but its guard are followed on the first import."""
        if path in self.modules:
            return self.modules[path]
        file = self.python[path]
        names = {"__file__": SomePath((*path.split("/"),))}
        scope = self.modules[path] = CallScope(file, names=names)
        body = file.readable.body if file.readable else ()
        with self.meanwhile(importing=True, exits=[], may_have_left=frozenset(), asked=None):
            self.block([node for node in body if not is_guard(node)], scope)
        for item in file.imports:
            # One that may fail is taken for what it says.
            if item.bound and not item.scope and scope.names.get(item.bound, UNKNOWN) is UNKNOWN:
                scope.names[item.bound] = self.imported(file, item)
        for name, value in scope.names.items():
            if type(value) is dict and (not value or self._is_filled(name)):
                value[ANYTHING] = UNKNOWN
        return scope

    def imported(self, file: PythonFile, item: Import) -> Value:
        """What an import binds: something of the submission, or something from outside."""
        dotted = file.absolute(item)
        whole = dotted if item.name is None else f"{dotted}.{item.name}"
        if item.name is None and item.bound == item.module.partition(".")[0]:
            return external(item.bound)
        if whole in self.by_module:
            return self.module(self.by_module[whole])
        if dotted in self.by_module and item.name is not None:
            return self.module(self.by_module[dotted]).names.get(item.name, UNKNOWN)
        return external(whole)

    def _is_filled(self, name: str) -> bool:
        """Whether any code puts keys into a dictionary of a module."""
        filling = r"\s*(\[[^\]\n]*\]\s*=(?!=)|\.(update|setdefault|pop|clear)\b|\|=)"
        pattern = re.compile(rf"\b{re.escape(name)}{filling}")
        files = self.python.values()
        return any(name in file.text and pattern.search(file.text) for file in files)

    # Steps

    def spend(self, steps: int) -> None:
        """Count work that was or will be done; there is an end to it."""
        self.taken += steps
        if self.taken >= self._tell_at:
            self._tell()

    def _tell(self) -> None:
        spend(self.taken - self._told)
        self._told, self._tell_at = self.taken, self.taken + _TOLD_TOGETHER
        if self.taken > STEPS_OF_ALL:
            raise Exhausted

    def block(self, statements: Sequence[ast.stmt], scope: CallScope) -> None:
        """Follow statements one after another."""
        around, path, visits = self.here, scope.file.path, self.trace.visits
        try:
            for statement in statements:
                self.spend(1)
                here = self.here = path, statement.lineno
                seen = visits.get(here)
                if (seen is None or not seen.sure) and not self.importing:
                    sure = not (self.doubts or (self.handed and "return" in self.may_have_left))
                    if sure or seen is None:
                        # A certain visit takes the place of an uncertain one.
                        visits.pop(here, None)
                        visits[here] = Visit(around, sure, self.caught)
                if follow_one := STEPS.get(type(statement)):
                    follow_one(self, statement, scope)
        finally:
            self.here = around

    def value(self, node: ast.expr, scope: CallScope) -> Value:
        """What is known of an expression's value; what it raises is reported."""
        self.taken += 1
        if self.taken >= self._tell_at:
            self._tell()
        kind = type(node)
        # The two that most expressions are made of come first.
        if kind is ast.Constant:
            return node.value  # type: ignore[attr-defined]
        if kind is ast.Name:
            name = node.id  # type: ignore[attr-defined]
            around: CallScope | None = scope
            while around is not None:
                if name in around.names:
                    return around.names[name]
                around = around.around
            return external(name) if name in BUILTINS else UNKNOWN
        follow_one = STEPS.get(kind)
        if follow_one is None:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.value(child, scope)
            return UNKNOWN
        try:
            return follow_one(self, node, scope)
        except AccessError as error:
            self.report(error, node, scope)
            return error.instead

    def values(self, nodes: Sequence[ast.expr], scope: CallScope) -> list[Value] | None:
        """Those of the items of a list or call; None where not all that is unpacked is known."""
        made: list[Value] = []
        known = True
        for node in nodes:
            if isinstance(node, ast.Starred):
                items = self.items(self.value(node.value, scope), node, scope)
                known = known and items is not None
                made += items or ()
            else:
                made.append(self.value(node, scope))
        return made if known else None

    def assign(self, target: ast.expr, value: Value, scope: CallScope) -> None:
        """Bind a name, or write into a configuration or object."""
        if type(target) is ast.Name and not scope.outer:
            scope.names[target.id] = value
        elif follow_one := TARGETS.get(type(target)):
            try:
                follow_one(self, target, value, scope)
            except AccessError as error:
                self.report(error, target, scope)

    def truth(self, value: Value) -> bool | None:
        """Whether a value is true; None where that is not known."""
        if value is UNKNOWN:
            return None
        if isinstance(value, PLAIN):
            return bool(value)
        if isinstance(value, _ENDED):
            return None if is_open(value) else bool(value)
        if is_config(value):
            return len(value) > 0
        if isinstance(value, Assumed):
            return True if isinstance(value.value, Thing) else bool(value.value)
        if isinstance(value, Instance):
            says = any(self.method(value.cls, name) for name in ("__bool__", "__len__"))
            return None if says else True
        return True if isinstance(value, _THERE) else None

    def turns(self, value: Value) -> list[Value] | None:
        """The items that a loop over the value gives; None where they are not known."""
        if type(value) is DictConfig:
            return access.keys(value)
        if is_config(value):
            return [access.read(value, index, as_attribute=False) for index in range(len(value))]
        if isinstance(value, dict):
            return None if ANYTHING in value else list(value)
        if isinstance(value, list) and (
            is_open(value) or (isinstance(value, Unordered) and len(value) > 1)
        ):
            return None
        if isinstance(value, Network):
            return list(value.parts) if value.kind in CONTAINERS else None
        return list(value) if isinstance(value, (list, tuple, Rows)) else None

    def items(self, value: Value, node: ast.AST, scope: CallScope) -> list[Value] | None:
        """`turns`, which says where the value has no items."""
        self.attempt(lambda: operations.iterated(value), node, scope)
        return self.turns(value)

    def function(
        self, node: Function | ast.Lambda, scope: CallScope, home: LocalClass | None = None
    ) -> LocalFunction:
        """A function as it is defined, with the defaults of its parameters."""
        written = parameters(node)[2]
        defaults = {name: self.value(part, scope) for name, part in written.items()}
        return LocalFunction(node, scope, home, defaults=defaults)

    def method(self, cls: LocalClass, name: str, *, above: bool = False) -> LocalFunction | None:
        """A method of a class or of those that it is made from; `above` leaves out its own."""
        waiting, seen = [cls], 0
        while waiting and seen < _CLASSES_ABOVE:
            here, seen = waiting.pop(0), seen + 1
            found = here.definition.methods.get(name)
            if found is not None and not (above and here is cls):
                at = found, here.scope
                if at not in self.methods:
                    self.methods[at] = self.function(*at, home=here)
                return self.methods[at]
            above_here = [self.value(base, here.scope) for base in here.definition.node.bases]
            waiting[:0] = [base for base in above_here if isinstance(base, LocalClass)]
        return None
