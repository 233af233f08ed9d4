"""Follows statements: what a function of the submission does to the configurations that it is
given.
"""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile

from omegaconf import DictConfig, ListConfig

from reviewers.facts.config_flow import access, handlers, registries
from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.assignments import Assignments
from reviewers.facts.config_flow.cells import Each
from reviewers.facts.config_flow.conditions import because, leaves, matches, named, raised
from reviewers.facts.config_flow.data_values import DataSet, Rows
from reviewers.facts.config_flow.files import OUTPUTS
from reviewers.facts.config_flow.passed import Passed
from reviewers.facts.config_flow.values import (
    UNKNOWN,
    ConfigProblem,
    Created,
    Exit,
    External,
    Leave,
    LocalClass,
    LocalFunction,
    PartlyKnown,
    ProblemKind,
    Process,
    Scope,
    Several,
    Value,
    joined,
)
from reviewers.facts.python_file import Function, PythonFile
from reviewers.facts.python_nodes import names_bound
from reviewers.facts.world import Assumed
from reviewers.steps import leave_out, spend

_STEPS = 600_000  # the longest real way takes an eighth
_TOLD_TOGETHER = 100  # steps
_TURNS = 64
_HOWS = ("continue", "break", "return", "raise")  # from what leads least far
# What stops the process without being a failure, or only a trial of Optuna's.
_NO_FAILURES = frozenset({"KeyboardInterrupt", "StopIteration", "SystemExit", "TrialPruned"})


class _Exhausted(Exception):
    """The code is longer than we follow."""


@dataclass(frozen=True, slots=True)
class Visit:
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


@dataclass(frozen=True, slots=True)
class Trace:
    """What following one entry function gave.

    Attributes:
        data_problems: the same of data sets, tokenizers and loaders; a problem's key is the short
            name of its cause.
        problems: in the order in which they would be met; after each, the way goes on as if it had
            been mended.
        complete: False where the code was longer than we follow.
        final: the configuration that the entry function's first name stands for in the end; None
            where that is not known.
        created: keys that were not there and are given a value that is only known at run time.
        handed_over: the arguments of each call that starts a process (`subprocess.run`, …), and
            `ModelCall`s.
        passed: what each call outside the submission was given, once for each different set of
            arguments.
        processes: the scripts of the submission that are certainly started, in that order.
        steps: so many were taken.
        called: the functions and lambdas that were followed with a known first argument.
        choices: words among which a person has a choice, where nothing says which are typed.
        visits: the statements that were come to, in the order in which each was first.
        uses_intended: whether a value was taken from the intended configuration.
    """

    problems: tuple[ConfigProblem, ...]
    complete: bool
    final: DictConfig | None
    created: tuple[Created, ...]
    handed_over: tuple[tuple[str, Value], ...]
    passed: Mapping[ast.Call, Sequence[Passed]]
    data_problems: tuple[ConfigProblem, ...] = ()
    processes: tuple[Process, ...] = ()
    steps: int = 0
    choices: tuple[tuple[str, ...], ...] = ()
    visits: Mapping[Line, Visit] = field(default_factory=dict)
    uses_intended: bool = False
    called: frozenset[ast.AST] = frozenset()


def follow(
    python: Mapping[str, PythonFile],
    path: str,
    function: str,
    config: DictConfig,
    yaml_files: Mapping[str, str],
    *,
    words: Sequence[str] = (),
    moved: bool = False,
    intended: Callable[[], DictConfig] | None = None,
    origin: str = "",
) -> Trace:
    """Follow a function of the submission that is called with a configuration.

    Args:
        path, function: file and qualified name of the function.
        yaml_files: the submission's YAML texts by path, for `OmegaConf.load`.
        words: those of the command line, which Hydra leaves in `sys.argv`.
        moved: Hydra has changed into a folder of its own before.
        origin: the folder in which the process was started, from the submission's root.
        intended: gives the configuration whose values are taken where a read of the real one fails.
    """
    follower = _Follower(python, yaml_files)
    follower.argv = [path, *words] if words else None
    before = _before(python[path], function)
    if before:
        follower.folder = follower.origin = origin
        trace = _followed(follower, path, _as_function(before), [])
        if not trace.complete or any(problem.certain for problem in trace.problems):
            return trace
    follower.intended = intended
    follower.origin, follower.folder = origin, OUTPUTS if moved else origin
    return _followed(follower, path, python[path].functions[function], [config])


def _before(file: PythonFile, function: str) -> list[ast.stmt]:
    """What a script does under its guard before it calls a function."""

    def calls_it(node: ast.stmt) -> bool:
        names = (part.id for part in ast.walk(node) if isinstance(part, ast.Name))
        return function in names

    found = list(takewhile(lambda node: not calls_it(node), main_body(file) or ()))
    return [node for node in found if not isinstance(node, ast.Pass)]


def _as_function(body: list[ast.stmt]) -> ast.FunctionDef:
    nothing = ast.arguments([], [], None, [], [], None, [])
    return ast.FunctionDef("__main__", nothing, body, [], None, lineno=body[0].lineno)


def follow_script(
    python: Mapping[str, PythonFile],
    path: str,
    yaml_files: Mapping[str, str],
    words: Sequence[Value] | None = None,
    written: Mapping[tuple[str, ...], Value] | None = None,
    *,
    is_bare: bool = False,
    folder: str = "",
) -> Trace | None:
    """Follow what stands under `if __name__ == "__main__"`, or at the top of a script that is known
    to be started; None where there is nothing of the kind.

    Args:
        words: the values of its command line after the script; None where they are not known.
        written: what other processes have written before, by path.
        is_bare: whether more words may be given, without which it does not start.
        folder: the working directory from the submission's root.
    """
    body = main_body(python[path]) or (top_of(python[path]) if words is not None else None)
    if not body:
        return None
    follower = _Follower(python, yaml_files)
    follower.argv = None if words is None else [path, *words]
    follower.written, follower.is_bare = dict(written or {}), is_bare
    follower.folder = folder
    return _followed(follower, path, _as_function(body), [])


def evaluated(python: Mapping[str, PythonFile], path: str, node: ast.expr) -> Value:
    """The value of an expression at the top of a module."""
    follower = _Follower(python, {})
    try:
        return follower.value(node, follower.module(path))
    except (_Exhausted, RecursionError, Leave):
        return UNKNOWN


def top_of(file: PythonFile) -> list[ast.stmt]:
    """What a module does when it is imported, its definitions aside."""
    apart = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    body = file.readable.body if file.readable else []
    return [node for node in body if not isinstance(node, apart)]


def main_body(file: PythonFile) -> list[ast.stmt] | None:
    """What a file says is done where it is started as a script; None where it says nothing."""
    for node in file.readable.body if file.readable else ():
        if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
            return node.body
    return None


def _followed(follower: "_Follower", path: str, function: Function, args: Sequence[Value]) -> Trace:
    entry = LocalFunction(function, follower.module(path))
    complete = True
    known = access.RESOLVERS.set(registries.resolvers(follower.python))
    try:
        follower.call(entry, args, {})
    except (_Exhausted, RecursionError):  # the latter: a list that holds itself
        complete = False
        leave_out(f"{path}: the configuration is not followed to the end, it takes too many steps")
    except Leave:
        complete = True  # the code itself stops with an error of its own
    finally:
        access.RESOLVERS.reset(known)
    problems = tuple(
        problem for problem in follower.problems.values() if problem.kind is not ProblemKind.DATA
    )
    of_data = tuple(
        problem for problem in follower.problems.values() if problem.kind is ProblemKind.DATA
    )
    kept = (tuple(follower.created.values()), tuple(follower.handed_over), follower.passed)
    return Trace(
        problems,
        complete,
        follower.final(entry),
        *kept,
        of_data,
        tuple(follower.processes),
        follower.taken,
        tuple(follower.choices),
        follower.visits,
        follower.uses_intended,
        frozenset(follower.called),
    )


class _Follower(Assignments):
    """Runs statements over scopes of partly known values."""

    def __init__(self, python: Mapping[str, PythonFile], yaml_files: Mapping[str, str]) -> None:
        super().__init__(python, yaml_files)
        self.taken = self._told = 0
        self.visits: dict[Line, Visit] = {}
        self._here: Line | None = None

    # Statements

    def spend(self, steps: int) -> None:
        """Count work that was or will be done; there is an end to it."""
        self.taken += steps
        if self.taken - self._told >= _TOLD_TOGETHER:
            spend(self.taken - self._told)
            self._told = self.taken
        if self.taken > _STEPS:
            raise _Exhausted

    def block(self, statements: Sequence[ast.stmt], scope: Scope) -> None:
        """Follow statements one after another."""
        around = self._here
        try:
            for statement in statements:
                self.spend(1)
                self._here = scope.file.path, statement.lineno
                self._visit(self._here, around)
                follow_one = self._kinds.get(type(statement))
                if follow_one is not None:
                    follow_one(self, statement, scope)
        finally:
            self._here = around

    def _visit(self, here: Line, around: Line | None) -> None:
        """Keep that the way leads here; a certain visit takes the place of an uncertain one."""
        before = self.visits.get(here)
        sure = not (self._doubts or (self.handed and "return" in self.may_have_left))
        if before is None or (sure and not before.sure):
            self.visits.pop(here, None)
            self.visits[here] = Visit(around, sure, tuple(self.caught))

    def _expression(self, node: ast.Expr, scope: Scope) -> None:
        if isinstance(node.value, ast.Call):
            self._exit(node.value, scope)
        self.value(node.value, scope)

    def _exit(
        self, node: ast.Call, scope: Scope, ends: frozenset[str] = handlers.ENDING
    ) -> None:
        """Tell of a script that ends itself with a text or an exit code other than zero."""
        if len(node.args) == 1 and self.name_of(node.func, scope) in ends:
            status = self.value(node.args[0], scope)
            if isinstance(status, str | int) and status:
                text = status if isinstance(status, str) else f"exit code {int(status)}"
                told = text.partition("\n")[0][:200]
                refusal = AccessError(ProblemKind.RAISED, "SystemExit", told, *self._because())
                self.report(refusal, node, scope)

    def _assign(self, node: ast.Assign, scope: Scope) -> None:
        value = self.value(node.value, scope)
        for target in node.targets:
            self.assign(target, value, scope)

    def _annotated(self, node: ast.AnnAssign, scope: Scope) -> None:
        if node.value is not None:
            self.assign(node.target, self.value(node.value, scope), scope)

    def _return(self, node: ast.Return, scope: Scope) -> None:
        raise Leave("return", self.value(node.value, scope) if node.value else None)

    def _raise(self, node: ast.Raise, scope: Scope) -> None:
        given: list[ast.expr] = []
        if isinstance(node.exc, ast.Call):
            given = node.exc.args
            self._exit(node.exc, scope, frozenset({"SystemExit"}))
        said = [self.value(part, scope) for part in given]
        error = raised(node)
        if error[:1].isupper() and error not in _NO_FAILURES:
            text = (
                said[0].text
                if said and isinstance(said[0], PartlyKnown)
                else said[0]
                if said
                else ""
            )
            text = text.partition("\n")[0][:200] if isinstance(text, str) else ""
            why, cause = self._because()
            cause = named(given, lambda part: self.value(part, scope)) if cause is None else cause
            refusal = AccessError(ProblemKind.RAISED, error, text, why, cause)
            problem = self.report(refusal, node, scope)
            if problem.certain and self.asked is not None:
                # It is told; the way goes on as with what is meant, and may well have ended here.
                self.exits.append(Exit(Leave("return", UNKNOWN), scope.names))
                return
        raise Leave("raise", error=error)

    def _assert(self, node: ast.Assert, scope: Scope) -> None:
        if self.truth(self.value(node.test, scope)) is False:
            self.asked = (node.test, False, scope)
            said = self.value(node.msg, scope) if node.msg else ""
            text = said if isinstance(said, str) else ast.unparse(node.test)
            self.report(
                AccessError(ProblemKind.RAISED, "AssertionError", text[:200], *self._because()),
                node,
                scope,
            )
            raise Leave("raise", error="AssertionError")

    def _because(self) -> tuple[str, Value]:
        """The last condition that decided the way, with the values in it."""
        if self.asked is None:
            return "", None
        test, answer, scope = self.asked
        return because(test, answer, lambda part: self.value(part, scope))

    def _break(self, node: ast.stmt, scope: Scope) -> None:
        raise Leave("break")

    def _continue(self, node: ast.stmt, scope: Scope) -> None:
        raise Leave("continue")

    def _define(self, node: Function, scope: Scope) -> None:
        scope.names[node.name] = LocalFunction(node, scope)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        for item in scope.file.imports:
            if item.line == node.lineno and item.bound is not None:
                scope.names[item.bound] = self.imported(scope.file, item)

    def _if(self, node: ast.If, scope: Scope) -> None:
        value = self.value(node.test, scope)
        truth = self.truth(value)
        if truth is not None:
            taken, other = (node.body, node.orelse) if truth else (node.orelse, node.body)
            if isinstance(value, Assumed):
                names = dict(scope.names)
                self._in_doubt(other, scope)
                scope.names = names
            asked_before, asked = self.asked, (node.test, truth, scope)
            self.asked = asked
            with self._assuming(value):
                self.block(taken, scope)
            if self.asked is asked and not leaves(other):
                self.asked = asked_before  # it decides nothing on what comes after it
            return
        self._one_of([node.body, node.orelse], scope)

    def _one_of(self, blocks: Sequence[Sequence[ast.stmt]], scope: Scope) -> None:
        """Follow blocks of which one is taken, and nobody knows which."""
        before, ends, left = scope.names, [], []
        self.spend(len(before) // 4)  # to copy and join them
        for block in blocks:
            scope.names = dict(before)
            leave = self._in_doubt(block, scope)
            if leave is None:
                ends.append(scope.names)
            else:
                left.append(self._may_leave(leave, scope))
        self._meet(ends, left, scope)

    def _may_leave(self, leave: Leave, scope: Scope) -> Leave:
        """Keep a way that leaves a block, if it is gone."""
        if leave.how != "raise":
            self.exits.append(Exit(leave, scope.names))
            self.may_have_left |= {leave.how}
        return leave

    def _meet(self, ends: Sequence[Mapping[str, Value]], left: list[Leave], scope: Scope) -> None:
        """Go on where some ways meet; where all have left, the block is left by the one that leads
        least far.
        """
        if not ends:
            raise min(left, key=lambda leave: _HOWS.index(leave.how))
        scope.names = joined(ends)

    @contextmanager
    def _assuming(self, value: Value) -> Iterator[None]:
        """What is found meanwhile rests on what the value does."""
        before = len(self.assuming)
        self.assuming += [value] if isinstance(value, Assumed) else []
        try:
            yield
        finally:
            del self.assuming[before:]

    def _in_doubt(self, statements: Sequence[ast.stmt], scope: Scope) -> Leave | None:
        """Follow a branch that may not be taken; its problems are uncertain."""
        with self.doubt():
            try:
                self.block(statements, scope)
            except Leave as leave:
                return leave
        return None

    def _for(self, node: ast.For | ast.AsyncFor, scope: Scope) -> None:
        over = self.value(node.iter, scope)
        if isinstance(over, int | float | None):
            message = f"'{type(over).__name__}' object is not iterable"
            self.report(
                AccessError(ProblemKind.INVALID_VALUE, "TypeError", message, ""), node.iter, scope
            )
        turns = self.turns(over)
        if isinstance(over, Each | Several):
            turns = [over.taken() if isinstance(over, Each) else UNKNOWN]
        is_sure = turns is not None
        is_many = turns is None or len(turns) > _TURNS or isinstance(over, Several | Each | Rows)
        if turns is None or len(turns) > _TURNS:
            turns = [UNKNOWN]
        self.each += isinstance(over, Each | DataSet)
        begins = [partial(self.assign, node.target, item, scope) for item in turns]
        try:
            self._loop(node, begins, scope, is_sure=is_sure, is_many=is_many)
        finally:
            self.each -= isinstance(over, Each | DataSet)

    def _while(self, node: ast.While, scope: Scope) -> None:
        truth = self.truth(self.value(node.test, scope))
        begins = [] if truth is False else [lambda: None]
        self._loop(node, begins, scope, is_sure=truth is not None, is_many=truth is not False)

    def _loop(
        self,
        node: ast.For | ast.AsyncFor | ast.While,
        begins: Sequence[Callable[[], None]],
        scope: Scope,
        *,
        is_sure: bool,
        is_many: bool,
    ) -> None:
        """Follow the turns of a loop.

        Args:
            begins: what begins each turn.
            is_sure: whether it is known that there is a turn, or none.
            is_many: whether one turn stands for many: it is followed once more, as any later one.
        """
        self.spend(len(scope.names) // 4)
        exits, self.exits = self.exits, []
        left = self.may_have_left
        ends = [] if is_sure else [dict(scope.names)]
        breaks: list[Mapping[str, Value]] = []
        self.unsure_turns += not is_sure
        try:
            goes_on = all(self._turn(node.body, begin, scope, breaks) for begin in begins)
            if goes_on and is_many and not self.again:
                ends.append(scope.names)
                scope.names = self._varied(node, scope)
                with self.doubt(), self._once_more():
                    goes_on = self._turn(node.body, begins[0], scope, breaks)
            ends += [scope.names] if goes_on else []
        except Leave as leave:
            if not ends and not breaks:
                raise
            self._may_leave(leave, scope)
        finally:
            self.unsure_turns -= not is_sure
            self.exits = exits + self.exits
            self.may_have_left = left | (self.may_have_left & {"return"})
        if ends and node.orelse:
            scope.names = joined(ends)
            ends = []
            if not breaks:
                self.block(node.orelse, scope)
            elif (way := self._in_doubt(node.orelse, scope)) is not None:
                self._may_leave(way, scope)
                scope.names = joined(breaks)
            ends.append(scope.names)
        scope.names = joined([*ends, *breaks])

    def _turn(
        self,
        body: Sequence[ast.stmt],
        begin: Callable[[], None],
        scope: Scope,
        breaks: list[Mapping[str, Value]],
    ) -> bool:
        """One turn of a loop; whether the loop may go on behind it."""
        ends = []
        begin()
        try:
            self.block(body, scope)
            ends.append(scope.names)
        except Leave as leave:
            if leave.how not in ("break", "continue"):
                raise
            (breaks if leave.how == "break" else ends).append(scope.names)
        for way in self.exits:
            if way.leave.how != "return":
                (breaks if way.leave.how == "break" else ends).append(way.names)
        self.exits = [way for way in self.exits if way.leave.how == "return"]
        self.may_have_left -= {"continue"}
        scope.names = joined(ends) if ends else scope.names
        return bool(ends)

    def _varied(self, node: ast.stmt, scope: Scope) -> dict[str, Value]:
        """The names, without what code has bound that may be gone through any number of times."""
        unknown = scope.names.keys() & names_bound(node)
        return {**scope.names, **dict.fromkeys(unknown, UNKNOWN)}

    @contextmanager
    def _once_more(self) -> Iterator[None]:
        """A later turn is followed; loops in it take one turn, or each would double the way."""
        before, self.again = self.again, True
        try:
            yield
        finally:
            self.again = before

    def _with(self, node: ast.With | ast.AsyncWith, scope: Scope) -> None:
        opened = None
        suppressed: handlers.Caught = ()
        for item in node.items:
            call = item.context_expr
            name = self.name_of(call.func, scope) if isinstance(call, ast.Call) else None
            value = self.value(call, scope)
            if (
                name in ("omegaconf.open_dict", "omegaconf.read_write")
                and isinstance(call, ast.Call)
                and call.args
            ):
                opened = self.value(call.args[0], scope)
            if name == "contextlib.suppress" and isinstance(call, ast.Call):
                suppressed = tuple(found for part in call.args for found in handlers.names(part))
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value, scope)
        with (
            self._catching(suppressed),
            self.opened(opened) if isinstance(opened, DictConfig | ListConfig) else nullcontext(),
        ):
            before = dict(scope.names)
            try:
                self.block(node.body, scope)
            except Leave as leave:
                if not suppressed:
                    raise
                if leave.how != "raise" or not handlers.catches(suppressed, leave.error):
                    self._may_leave(leave, scope)
                scope.names = self._cut_short(before, node.body, scope)
            if suppressed:
                scope.names = joined([scope.names, self._cut_short(before, node.body, scope)])

    def _cut_short(
        self, before: Mapping[str, Value], body: Sequence[ast.stmt], scope: Scope
    ) -> dict[str, Value]:
        """The names where an error has ended a block somewhere. A function, class or import that
        was not there before is there, or nothing is.
        """
        bound = {name for part in body for name in names_bound(part)}
        made = {name: scope.names.get(name, UNKNOWN) for name in bound - before.keys()}
        once = LocalFunction | LocalClass | External | Scope
        made = {name: value for name, value in made.items() if isinstance(value, once)}
        return {**before, **dict.fromkeys(bound, UNKNOWN), **made}

    @contextmanager
    def _catching(self, caught: handlers.Caught) -> Iterator[None]:
        """What raises one of these meanwhile does not stop the code."""
        self.caught.append(caught)
        try:
            yield
        finally:
            self.caught.pop()

    def _try(self, node: ast.Try | ast.TryStar, scope: Scope) -> None:
        caught = tuple(name for handler in node.handlers for name in handlers.caught(handler))
        named = tuple(name for handler in node.handlers for name in handlers.named(handler))
        before = dict(scope.names)
        ends: list[Mapping[str, Value]] = []
        left: list[Leave] = []
        try:
            with self._catching(caught):
                self.block(node.body, scope)
            self.unsure_turns += bool(caught)
            try:
                self.block(node.orelse, scope)
            finally:
                self.unsure_turns -= bool(caught)
            ends.append(scope.names)
        except Leave as leave:
            if leave.how != "raise" or not handlers.catches(named, leave.error):
                left.append(self._may_leave(leave, scope) if caught else leave)
        cut_short = self._cut_short(before, node.body, scope)
        for handler in node.handlers if not left or caught else ():
            scope.names = dict(cut_short)
            if (way := self._in_doubt(handler.body, scope)) is None:
                ends.append(scope.names)
            else:
                left.append(self._may_leave(way, scope))
        after = joined(ends)
        if node.finalbody:
            met = joined([after, cut_short])
            scope.names = dict(met)
            self.block(node.finalbody, scope)
            after |= {
                name: value
                for name, value in scope.names.items()
                if name not in met or met[name] is not value
            }
        self._meet([after] if ends else [], left, scope)

    def _match(self, node: ast.Match, scope: Scope) -> None:
        subject = self.value(node.subject, scope)
        blocks: list[Sequence[ast.stmt]] = []
        for case in node.cases:
            met = matches(case, subject)
            if met is not False:
                scope.names.update(dict.fromkeys(names_bound(case.pattern), UNKNOWN))
                if case.guard is not None:
                    with self.doubt():
                        self.value(case.guard, scope)
                blocks.append(case.body)
            if met is True:
                break
        else:
            blocks.append([])
        if len(blocks) == 1:
            self.block(blocks[0], scope)
        else:
            self._one_of(blocks, scope)

    def _outer(self, node: ast.Global | ast.Nonlocal, scope: Scope) -> None:
        module = self.module(scope.file.path)
        for name in node.names:
            around = (
                scope.around.find(name)
                if isinstance(node, ast.Nonlocal) and scope.around
                else module
            )
            scope.outer[name] = around or module

    _kinds: Mapping[type[ast.stmt], Callable[..., None]] = {
        ast.Expr: _expression,
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: Assignments._augmented,
        ast.Return: _return,
        ast.Raise: _raise,
        ast.Break: _break,
        ast.Continue: _continue,
        ast.Delete: Assignments._delete,
        ast.FunctionDef: _define,
        ast.AsyncFunctionDef: _define,
        ast.Import: _import,
        ast.ImportFrom: _import,
        ast.If: _if,
        ast.For: _for,
        ast.AsyncFor: _for,
        ast.While: _while,
        ast.With: _with,
        ast.AsyncWith: _with,
        ast.Assert: _assert,
        ast.Global: _outer,
        ast.Nonlocal: _outer,
        ast.Try: _try,
        ast.TryStar: _try,
        ast.Match: _match,
    }
