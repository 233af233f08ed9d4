"""The failures of the documented commands, known from composing their configuration and following
their code, in the order in which a run would meet them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewers.facts.composition import CompositionProblem
from reviewers.facts.config_flow import ConfigProblem, ProblemKind, Trace
from reviewers.facts.config_flow.follow import main_body
from reviewers.facts.hydra_config import HydraConfig
from reviewers.facts.placed import place_of
from reviewers.facts.python_file import PythonFile
from reviewers.facts.script_starts import ScriptStart
from reviewers.facts.start import Start
from reviewers.facts.ways import COMPOSED, UNKNOWN, Order, Statements, Step, Way
from reviewers.records import Failure, Span
from reviewers.rubric.contract import Command, Contract
from reviewers.steps import fact

INSTALL = "install"
_MOST = 500  # problems of one process; real ones meet fifty at the most


@dataclass(frozen=True, eq=False, slots=True)
class Process:
    """A process that a command starts, itself or by another one.

    Attributes:
        step: the contract's name for the command; `command` as it is typed.
        start: what was followed; None if nothing of it could be.
        by: the process that starts this one, and the place among those that it starts; for a
            process that is followed once more, with its start repaired, what was followed first.
    """

    step: str
    command: str
    run: str
    mode: str
    way: Way
    start: Start | ScriptStart | None = None
    trace: Trace | None = None
    by: "tuple[Process, int] | None" = None

    @property
    def root(self) -> "Process":
        """What a person starts."""
        return self if self.by is None else self.by[0].root

    @property
    def begin(self) -> Order:
        """Where it begins in the order of the whole command."""
        if self.by is None:
            return ()
        parent, number = self.by
        if parent.way.script == self.way.script:  # the same once more, behind what stops it
            return (*parent.begin, *UNKNOWN, number)
        step = parent.way.at(*parent.way.starts) if parent.way.starts else None
        return (*parent.begin, *(step.order if step else UNKNOWN), 1, number)

    @property
    def chain(self) -> tuple[Span, ...]:
        """How the command starts it."""
        if self.by is None:
            return ()
        parent, _ = self.by
        place = parent.way.starts if parent.way.script != self.way.script else None
        step = parent.way.at(*place) if place else None
        if place is None or step is None:
            return parent.chain
        return (*parent.chain, *parent.way.chain(step, *place), Span(*place))


@dataclass(frozen=True, eq=False, slots=True)
class Met:
    """A failure that one process meets.

    Attributes:
        order: what is less comes first in the whole command.
        told: the places at which a finding may tell of it, the best one first.
        is_unread: whether the configuration cannot be composed or read at all.
        problem: what following the code met; None for what is known otherwise.
    """

    process: Process
    order: Order
    failure: Failure
    told: tuple[Span, ...] = ()
    is_unread: bool = False
    problem: ConfigProblem | None = None


class Failures:
    """What stops the documented commands, and on which way a place lies.

    Args:
        python: the Python files by path.
        hydra: what was composed and followed.
    """

    def __init__(
        self, python: Mapping[str, PythonFile], hydra: HydraConfig, contract: Contract
    ) -> None:
        self._python = python
        self._hydra = hydra
        self._contract = contract
        self._statements = Statements(python)

    @fact
    def processes(self) -> tuple[Process, ...]:
        """Every process that the commands start, in the order of the contract's commands, the runs
        and the modes.
        """
        found = list(self._by_hydra())
        found += self._scripts(found)
        steps = list(self._contract.commands)
        seen = {process.step for process in found}
        for name, command in self._contract.commands.items():
            if command.line and name not in seen:
                found.append(self._unfollowed(name, command))
        for process in tuple(found):
            if process.by is None:
                found += self._children(process, found)
        rank = {name: at for at, name in enumerate(steps)}
        return tuple(sorted(found, key=lambda process: rank.get(process.step, len(steps))))

    def _by_hydra(self) -> Iterator[Process]:
        roots: dict[tuple[str, str, str], Process] = {}
        numbers: dict[Process, int] = {}
        evaluation = [self._hydra.evaluation] if self._hydra.evaluation else []
        for start in (*self._hydra.starts, *evaluation):
            name, command = self._typed(start.entry.path)
            key = (name, start.run_id, start.mode)
            visits = start.trace.visits if start.trace else {}
            function = self._python[start.entry.path].functions.get(start.entry.function)
            body = function.body if function and not visits else None
            way = Way(self._statements, start.entry.path, visits, body)
            root = roots.get(key)
            said = start.short_command
            if root is None and command is not None and command.file != start.entry.path:
                said = said.replace(start.opening, command.start, 1)
                root = roots[key] = self._unfollowed(name, command, said, start.run_id, start.mode)
                yield root
            by = None
            if root is not None:
                said, by = root.command, (root, numbers.get(root, 0))
                numbers[root] = by[1] + 1
            process = Process(name, said, start.run_id, start.mode, way, start, start.trace, by)
            roots.setdefault(key, process)
            yield process

    def _typed(self, path: str) -> tuple[str, Command | None]:
        """The command that a person types to start a script, itself or by another one."""
        commands = self._contract.commands
        own = {name for name, command in commands.items() if command.file == path}
        for _ in commands:
            for name, command in commands.items():
                if command.line and name in own:
                    return name, command
            own |= {name for name, command in commands.items() if own & set(command.starts)}
        return path, None

    def _scripts(self, hydras: Sequence[Process]) -> Iterator[Process]:
        """The scripts that are typed, and those that they or `hydras` start."""
        roots = {process.command: process for process in hydras if process.by is None}
        for number, start in enumerate(self._hydra.scripts):
            name = self._typed(start.path)[0] if start.is_documented else start.command
            way = Way(self._statements, start.path, start.trace.visits)
            root = roots.get(start.command) if start.by else None
            by = None if root is None else (root, number)
            process = Process(
                root.step if root else name,
                start.command,
                start.run_id,
                root.mode if root else start.mode,
                way,
                start,
                start.trace,
                by,
            )
            if root is None:
                roots[start.command] = process
            yield process
        command = self._contract.commands.get("evaluate")
        path = command.file if command else ""
        trace = self._hydra.script(path)
        if command is not None and trace is not None:
            way = Way(self._statements, path, trace.visits)
            yield Process("evaluate", f"{command.start} …", "", "", way, None, trace)

    def _unfollowed(
        self, name: str, command: Command, said: str = "", run: str = "", mode: str = ""
    ) -> Process:
        """A command of which nothing could be followed; what its script says is read off."""
        file = self._python.get(command.file)
        body = main_body(file) if file else None
        entry = self._hydra.entry_points.get(command.file)
        if entry is not None and file is not None:
            body = file.functions[entry.function].body
        way = Way(self._statements, command.file, {}, body)
        return Process(name, said or f"{command.start} …", run, mode, way)

    def _children(self, process: Process, found: Sequence[Process]) -> Iterator[Process]:
        """The scripts that a command is said to start, where no start of them is known."""
        command = self._contract.commands.get(process.step)
        known = {other.way.script for other in found if other.by and other.by[0] is process}
        file = self._python.get(process.way.script)
        for name in command.starts if command else ():
            child = self._contract.commands[name]
            named = file is not None and (child.module in file.text or child.file in file.text)
            if child.file not in known and named:
                way = self._unfollowed(name, child).way
                yield Process(
                    process.step,
                    process.command,
                    process.run,
                    process.mode,
                    way,
                    by=(process, len(known)),
                )

    @fact
    def known(self) -> tuple[Met, ...]:
        """What composing and following tell, process by process."""
        found: list[Met] = []
        for process in self.processes:
            start = process.start
            if isinstance(start, Start) and start.refused:
                found.append(self._composition(process, start, start.refused[0]))
            trace = process.trace
            problems = (*trace.problems, *trace.data_problems)[:_MOST] if trace else ()
            found += (self._problem(process, problem) for problem in problems)
        return tuple(found)

    def comes_first(self, start: Start | ScriptStart, problem: ConfigProblem) -> bool:
        """Whether a start meets nothing in the code before this, in any process of its command."""
        root = next((root for one, root in self._roots if one is start), None)
        first = self._first.get(root) if root else None
        return first is None or first.problem == problem

    @fact
    def _roots(self) -> tuple[tuple[Start | ScriptStart, Process], ...]:
        """What a person starts, of each start."""
        return tuple((one.start, one.root) for one in self.processes if one.start is not None)

    @fact
    def _first(self) -> Mapping[Process, Met]:
        """What each command certainly meets first in its code."""
        found: dict[Process, Met] = {}
        for met in sorted(self.known, key=lambda met: met.order):
            if met.problem is not None and met.problem.certain:
                found.setdefault(met.process.root, met)
        return found

    def _composition(self, process: Process, start: Start, problem: CompositionProblem) -> Met:
        entry = start.entry
        file = f"{entry.folder}/{problem.file}" if problem.file else entry.config_file
        order = (*process.begin, *COMPOSED)
        chain = process.chain
        failure = _failure(process, problem.error, problem.message, entry.span, chain, sure=True)
        told = [Span(file), entry.span]
        if problem.word:  # which another script passes on, or which names a run
            by = [Span(start.by)] if start.by else []
            runs = [Span(run.file.path) for run in self._hydra.runs if run.run_id == start.run_id]
            told += [*by, *runs]
        return Met(process, order, failure, tuple(told), True)

    def _problem(self, process: Process, problem: ConfigProblem) -> Met:
        span = problem.span
        step = process.way.at(span.file, span.line or 1)
        order, chain = self._place(process, step, span)
        repaired = process.start.repaired if process.start else None
        sure = problem.certain and not (repaired is not None and repaired.places_run_file)
        failure = _failure(process, problem.error, problem.message, span, chain, sure=sure)
        cause = place_of(problem.cause)
        if not isinstance(cause, Span):
            cause = self._hydra.cause(process.start, problem) if process.start else None
        told = (cause, span) if cause else (span,)
        is_unread = problem.kind is ProblemKind.UNREADABLE_FILE
        return Met(process, order, failure, told, is_unread, problem)

    def met(self, process: Process, spans: Sequence[Span], error: str, message: str) -> Met | None:
        """What a process meets of a failure that may show at several places; None if it does not
        reach any of them.
        """
        found = []
        for span in spans:
            step = (
                process.way.begun(span.file)
                if error == "SyntaxError" or (span.line is None and span.file.endswith(".py"))
                else process.way.at(span.file, span.line or 1)
            )
            if step is not None:
                order, chain = self._place(process, step, span)
                place = span.file, span.line or 1
                skipped = step.sure and self._statements.may_be_skipped(place, message)
                sure = step.stops_with(error or "Exception") and not skipped
                failure = _failure(process, error, message, span, chain, sure=sure)
                found.append(Met(process, order, failure, (span,)))
        return min(found, key=lambda met: met.order, default=None)

    def _place(
        self, process: Process, step: Step | None, span: Span
    ) -> tuple[Order, tuple[Span, ...]]:
        if step is None:
            return (*process.begin, *UNKNOWN), process.chain
        inner = process.way.chain(step, span.file, span.line or 1)
        return (*process.begin, *step.order), (*process.chain, *inner)


def _failure(
    process: Process,
    error: str,
    message: str,
    place: Span,
    chain: tuple[Span, ...],
    *,
    sure: bool,
) -> Failure:
    return Failure(
        step=process.step,
        command=process.command,
        run=process.run,
        mode=process.mode,
        error=error,
        message=message,
        place=place,
        chain=chain,
        certain=sure,
    )
