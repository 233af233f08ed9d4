"""The configuration of every run, composed by Hydra and OmegaConf as the code would do it, and
followed through the code.
"""

import ast
import posixpath
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from omegaconf import DictConfig, OmegaConf

from reviewers.facts import yaml_config
from reviewers.facts.composition import (
    MOST_CHARACTERS,
    MOST_VALUES,
    CompositionProblem,
    compose,
    hydras_node,
    is_too_large,
)
from reviewers.facts.config_flow import (
    ConfigProblem,
    PassedValues,
    ProblemKind,
    Trace,
    follow,
    follow_script,
)
from reviewers.facts.config_flow.files import OUTPUTS
from reviewers.facts.config_flow.values import UNKNOWN, PartlyKnown, ScriptProcess, SomePath, Value
from reviewers.facts.config_nodes import contained, created
from reviewers.facts.entry_points import EntryPoint, entry_points
from reviewers.facts.intended import Intended, intended, with_run_file
from reviewers.facts.local_files import LocalFiles
from reviewers.facts.placed import KeyPlace, place_of
from reviewers.facts.python_file import PythonFile
from reviewers.facts.script_starts import ScriptStart, Typed, script_starts, written_commands
from reviewers.facts.start import StandIn, Start, followed_with, without_stand_ins
from reviewers.facts.submitted_files import SubmittedFiles
from reviewers.records import RunConfig, Span, Submission
from reviewers.rubric.contract import Command, Contract, Mode
from reviewers.steps import fact, leave_out, spend

RESULTS = "/results"
_MOST_RUNS = 16
_STEPS_OF_A_START = 1_000  # what Hydra takes for it, beside what it takes for each value
_START = re.compile(r"\$\{(hydra:runtime\.cwd|oc\.env:PWD)\}/?\.?")  # the folder of the start
# What of a library may make folders that it is given.
_MAKING = re.compile(
    r"TrainingArguments|Trainer\(|SummaryWriter|ModelCheckpoint|Logger\(|save_pretrained|save_model"
    r"|copytree|extractall|unpack_archive|snapshot_download|hydra\.run|^hydra:",
    re.MULTILINE,
)
_OF_VALUES = (
    ProblemKind.RAISED,
    ProblemKind.INVALID_VALUE,
    ProblemKind.REFUSED_WORDS,
    ProblemKind.SAME_FILE,
)


class HydraConfig:
    """What happens to the configuration of each run.

    Args:
        submission: its YAML files are read from memory.
        runs: the configuration of each run.
        python: its Python files by path.
        contract: its commands and modes are those that are followed.
        uses: tells which files the code writes.
    """

    def __init__(
        self,
        submission: Submission,
        runs: Sequence[RunConfig],
        python: Mapping[str, PythonFile],
        contract: Contract,
        uses: Callable[[], LocalFiles],
    ) -> None:
        self._uses = uses
        self._submission = submission
        self.runs = runs
        self._python = python
        self._contract = contract
        # A script and the one that it starts mostly get the same words.
        self._composed_before: dict[
            tuple[str | None, str | None, tuple[str, ...]], DictConfig | CompositionProblem
        ] = {}
        self._repaired_before: dict[tuple[str | None, ...], Intended | None] = {}
        self._followed: dict[str, Trace | None] = {}
        self._followed_before: dict[tuple[object, ...], Trace] = {}
        self._meant_before: set[tuple[str, str]] = set()

    @fact
    def yaml_files(self) -> SubmittedFiles:
        """Every YAML text of the submission by path, run configs included."""
        return self._texts_ending(".yaml", ".yml")

    def is_configuration(self, path: str) -> bool:
        """Whether OmegaConf may be what reads a YAML file: something here mentions it or Hydra,
        and the file is not one of another tool's.
        """
        hidden = any(part.startswith(".") for part in path.split("/"))
        is_at_work = self.runs or self._contract.runs.folder or self.is_imported
        return bool(is_at_work) and not hidden and path.partition("/")[0] != "docs"

    @fact
    def is_imported(self) -> bool:
        """Whether any file imports Hydra or OmegaConf."""
        return any(file.packages & {"hydra", "omegaconf"} for file in self._python.values())

    @fact
    def groups(self) -> tuple[str, ...]:
        """The names under which a run's configuration may be chosen: the key of the commands, and
        the folder of the run files.
        """
        keys = [command.names("run_id") or "" for command in self._contract.commands.values()]
        folders = [self._contract.runs.folder or "", *(self._folder(run) for run in self.runs)]
        names = (name.rstrip("/").rpartition("/")[2].lstrip("-+") for name in (*keys, *folders))
        return tuple(dict.fromkeys(name for name in names if name))

    def _folder(self, run: RunConfig) -> str:
        return run.file.path.rpartition("/")[0]

    @fact
    def entry_points(self) -> Mapping[str, EntryPoint]:
        """The function under `@hydra.main` of each file that has one, by path."""
        found = (entry for path, file in self._python.items() for entry in entry_points(path, file))
        return {entry.path: entry for entry in found}

    @fact
    def starts(self) -> tuple[Start, ...]:
        """Every start that the documented commands make, for every run and mode, in that order.

        Whatever is too large to be composed and followed in little time is left out: nothing is
        known of it.
        """
        found: list[Start] = []
        if self._is_too_large:
            return ()
        if len(self.runs) > _MOST_RUNS:
            leave_out(f"only the first {_MOST_RUNS} of {len(self.runs):,} runs are composed")
        for run in (*self.runs[:_MOST_RUNS], None):
            for asked in self._asked_of(run):
                for start in self._starts(asked, run):
                    found.append(start)
                    if start.trace is not None and not start.trace.complete:
                        # As long as this one took, so will the others.
                        leave_out("the starts after one that is not followed to the end")
                        return tuple(found)
        return tuple(found or self._bare())

    def _bare(self) -> Iterator[Start]:
        """Every entry point started without words, where no command says which it gets.

        What waits for a word, or is only known to code (`ConfigStore`), is not looked at: no
        failure could be distinguished from a missing word.
        """
        if self._contract.commands or any("ConfigStore" in f.text for f in self._python.values()):
            return
        for entry in islice(self.entry_points.values(), _MOST_RUNS):
            config = self._composed(entry, ())
            if isinstance(config, DictConfig) and not _waits(config):
                command = Command(line=f"python {entry.path}", file=entry.path)
                yield self._start(entry, _Asked(command, "", "", ()), "")

    def _asked_of(self, run: RunConfig | None) -> Iterator["_Asked"]:
        """What a person types for one run, or for no certain one: each such command in each
        mode.
        """
        for name, command in self._contract.commands.items():
            names_run = command.names("run_id") is not None
            if not command.line or names_run != (run is not None) or name == "evaluate":
                continue
            run_id = run.run_id if run else ""
            modes = self._contract.modes if "{mode}" in command.templates else {}
            for mode, how in (modes or {"": Mode()}).items():
                words = command.words(how.word, run_id=run_id, results_dir=RESULTS)
                yield _Asked(command, mode, how.word, words, run_id)

    @fact
    def config_files(self) -> SubmittedFiles:
        """The YAML files, and those that hold JSON, as code loads them."""
        return self._texts_ending(".yaml", ".yml", ".json")

    def _texts_ending(self, *endings: str) -> SubmittedFiles:
        files = self._submission.by_path
        texts = {
            path: file.text
            for path, file in files.items()
            if path.endswith(endings) and "{{" not in path
        }
        return SubmittedFiles(texts, files.keys(), self._uses)

    @fact
    def scripts(self) -> tuple[ScriptStart, ...]:
        """Every start of a script that reads its command line itself: by the contract's commands,
        else by those that the submission shows, and by scripts that these start.
        """
        if self._is_too_large:
            return ()
        asked = [one for run in (*self.runs[:_MOST_RUNS], None) for one in self._asked_of(run)]
        typed = [
            Typed(
                one.command.file,
                one.words,
                f"{one.command.start} {shlex.join(one.words)}".rstrip(),
                one.run_id,
                one.mode_word,
                is_documented=True,
            )
            for one in asked
        ] or written_commands(
            self._python,
            {file.path: file.text for file in self._submission.files},
            self.config_files,
        )
        typed = [*typed, *dict.fromkeys(self._started_by_hydras())]
        return tuple(script_starts(typed, self._python, self.config_files, self.entry_points))

    def _started_by_hydras(self) -> Iterator[Typed]:
        """The starts of scripts under no `@hydra.main` that those under one make."""
        for start in self.starts:
            for process in start.trace.processes if start.trace and not start.by else ():
                if process.path not in self.entry_points and all(
                    isinstance(word, str) for word in process.words
                ):
                    yield Typed(
                        process.path,
                        process.words,
                        start.short_command,
                        start.run_id,
                        start.mode_word,
                        is_documented=True,
                        by=start.entry.path,
                        folder=process.folder or "",
                    )

    @fact
    def every_start(self) -> tuple[Start | ScriptStart, ...]:
        """All that is followed."""
        evaluation = [self.evaluation] if self.evaluation else []
        return (*self.starts, *evaluation, *self.scripts)

    @fact
    def evaluation(self) -> Start | None:
        """The start of the evaluation, where it is under `@hydra.main` and a command documents
        one for all runs.
        """
        command = self._contract.commands.get("evaluate")
        entry = self.entry_points.get(command.file) if command else None
        if command is None or entry is None or not command.line:
            return None
        words = self._words_for_all(command)
        return None if words is None else self._start(entry, _Asked(command, "", "", words), "")

    def _words_for_all(self, command: Command) -> tuple[str, ...] | None:
        """The words of a command for all runs; None if it names runs, and none is known."""
        names = [run.run_id for run in self.runs]
        if not names and any(command.names(word) is not None for word in ("run_id", "run_ids")):
            return None
        run_ids = ", ".join(f'"{name}"' for name in names)
        first = next(iter(names), "")
        return command.words("", results_dir=RESULTS, run_id=first, run_ids=f"[{run_ids}]")

    @property
    def evaluation_problems(self) -> tuple[ConfigProblem, ...]:
        """What goes wrong with the YAML files that the evaluation loads itself, started as a
        script.
        """
        trace = self.script(self._contract.file("evaluate") or "")
        return trace.problems if trace else ()

    def script(self, path: str) -> Trace | None:
        """What following a file that is started as a script gave, with the words of the evaluation
        where it is that; None if it is under `@hydra.main`, or no script.
        """
        if path not in self._followed:
            command = self._contract.commands.get("evaluate")
            is_asked = command is not None and command.line and command.file == path
            words = self._words_for_all(command) if command and is_asked else None
            is_script = path in self._python and path not in self.entry_points
            self._followed[path] = (
                follow_script(self._python, path, self.yaml_files, words)
                if is_script and not self._is_too_large
                else None
            )
        return self._followed[path]

    @fact
    def _is_too_large(self) -> bool:
        if too_large := is_too_large(self.yaml_files):
            leave_out(
                f"the configuration is not composed, it has more than {MOST_VALUES:,} values or"
                f" {MOST_CHARACTERS:,} characters"
            )
        return too_large

    def _starts(self, asked: "_Asked", run: RunConfig | None) -> Iterator[Start]:
        entry = self.entry_points.get(asked.command.file)
        started = [self._contract.commands[name] for name in asked.command.starts]
        if entry is None:
            # The experiment is known to be started; with which words its script says.
            for command in started:
                if command == self._contract.experiment:
                    yield from self._passed_on(asked, command, run)
            return
        if not started:
            yield from self._last(asked, run)
            return
        start = self._start(entry, asked, run.run_id if run else "")
        yield start
        for command in started:
            child = self._child_words(start.trace, command, asked.words) if start.trace else None
            if child is not None and start.repaired is not None:
                # Whether the group of the run files is a section or a text is the repair's guess.
                meant = {word.partition("=")[0]: word for word in asked.words}
                child = tuple(
                    meant.get(word.partition("={")[0].lstrip("+"), word) for word in child
                )
            is_work = command == self._contract.experiment
            if child is None and not (
                is_work and (start.trace is None or self._names(entry.path, command))
            ):
                continue
            words = asked.words if child is None else child
            by = "" if child is None else entry.path
            made = start.trace.processes if start.trace and by else ()
            environ = next((one.environment for one in made if one.path == command.file), UNKNOWN)
            yield from self._last(asked.by(command, words, by, environ), run)

    def _passed_on(
        self, asked: "_Asked", command: Command, run: RunConfig | None
    ) -> Iterator[Start]:
        """The start of the experiment by a script that reads its own words; where that script is
        not there to be followed, it passes all of them on.
        """
        path = asked.command.file
        trace = (
            follow_script(self._python, path, self.config_files, asked.words)
            if path in self._python
            else None
        )
        words = self._child_words(trace, command, asked.words) if trace else asked.words
        if words is not None:
            yield from self._last(asked.by(command, words, path if trace else ""), run)

    def _last(self, asked: "_Asked", run: RunConfig | None) -> Iterator[Start]:
        """The start of a script that starts no other."""
        entry = self.entry_points.get(asked.command.file)
        if entry is None:
            return
        start = self._start(entry, asked, run.run_id if run else "")
        yield start
        again = (entry.path, start.run_id)
        if run is None or start.trace is None or again in self._meant_before:
            return
        if start.trace.uses_intended:
            self._meant_before.add(again)  # another mode shows little more
            yield self._meant(start, run)

    def _meant(self, start: Start, run: RunConfig) -> Start:
        """The same start with the run file's keys at the top, where the code looks for them: what
        the placeholders of the main configuration hide is only met there.
        """
        assert start.config is not None
        words = without_stand_ins(start.words)
        given = followed_with(start.config, start.words)
        config = with_run_file(given, run.file.text, words, (), self.groups)
        trace = follow(
            self._python,
            start.entry.path,
            start.entry.function,
            followed_with(config, start.words),
            self.yaml_files,
        )
        kept = tuple(
            replace(problem, behind=True)
            for problem in trace.problems
            if self._is_about_keys(problem)
        )
        behind = Intended(config, (), places_run_file=True)
        return replace(start, repaired=behind, trace=replace(trace, problems=kept))

    def _is_about_keys(self, problem: ConfigProblem) -> bool:
        """Whether a problem remains where the group of the run files is gone."""
        kinds = (
            ProblemKind.MISSING_KEY,
            ProblemKind.REJECTED_WRITE,
            ProblemKind.INTERPOLATION,
            *_OF_VALUES,
        )
        return problem.kind in kinds and problem.key.partition(".")[0] not in self.groups

    def _names(self, path: str, command: Command) -> bool:
        """Whether a script mentions the one that a command starts."""
        file = self._python.get(path)
        return file is not None and (command.module in file.text or command.file in file.text)

    def _start(self, entry: EntryPoint, asked: "_Asked", run_id: str) -> Start:
        words = asked.words
        composed = self._composed(entry, words)
        behind = (
            self._repaired(entry, words, run_id)
            if isinstance(composed, CompositionProblem)
            else None
        )
        start = Start(
            entry,
            run_id,
            asked.mode,
            asked.mode_word,
            asked.command.start,
            words,
            self._telling(asked) if run_id else (),
            composed,
            behind,
            asked.by_script,
            None,
        )
        config = start.config
        if config is None:
            return start
        text = next((run.file.text for run in self.runs if run.run_id == run_id), None)
        argv: list[Value] = [UNKNOWN if isinstance(one, StandIn) else one for one in words]
        # Where a stand-in gives a value, that is followed as unknown.
        asked_for = (entry.path, run_id, words, repr(argv), repr(asked.environ))
        if asked_for not in self._followed_before:
            self._followed_before[asked_for] = follow(
                self._python,
                entry.path,
                entry.function,
                followed_with(config, words),
                self.yaml_files,
                words=argv,
                moved=self.moves(entry, words),
                environ=asked.environ,
                intended=lambda: with_run_file(
                    followed_with(config, words),
                    text,
                    without_stand_ins(words),
                    self.groups,
                    self.groups,
                ),
            )
        return replace(start, trace=self._followed_before[asked_for])

    def _telling(self, asked: "_Asked") -> tuple[str, ...]:
        """The words that name the run, and with it the mode's; none if no word names the run."""
        words, keys = asked.words, (*self.groups, asked.command.names("run_id"))
        for place, word in enumerate(words):
            key, is_pair, _ = word.partition("=")
            if is_pair and key.lstrip("+") in self.groups:
                return (word, *([asked.mode_word] if asked.mode_word else []))
            if key in keys and key.startswith("-"):
                return (*words[place : place + 2], *([asked.mode_word] if asked.mode_word else []))
        return ()

    def moves(self, entry: EntryPoint, words: Sequence[str] = ()) -> bool:
        """Whether Hydra changes into a folder of its own before it calls the function."""
        texts = tuple(self._files_of(entry).items())
        known = not is_too_large(dict(texts))
        own = hydras_node(texts, entry.config_name, tuple(words)) if known else None
        if own is None:
            return entry.changes_directory
        wanted, folder = own.job.chdir, str(own.run._get_node("dir"))
        stays = posixpath.normpath(folder) == "." or _START.fullmatch(folder)
        return not stays and (entry.changes_directory if wanted is None else bool(wanted))

    def _files_of(self, entry: EntryPoint) -> dict[str, str]:
        """The YAML texts of a function by their paths in its configuration folder."""
        inside = f"{entry.folder}/" if entry.folder != "." else ""
        return {
            path.removeprefix(inside): text
            for path, text in self.yaml_files.items()
            if path.startswith(inside) and entry.config_path
        }

    def _composed(self, entry: EntryPoint, words: Sequence[str]) -> DictConfig | CompositionProblem:
        asked = (entry.folder if entry.config_path else None, entry.config_name, tuple(words))
        if asked not in self._composed_before:
            spend(_STEPS_OF_A_START + sum(map(yaml_config.size, self.yaml_files.values())))
            files = self._files_of(entry)
            self._composed_before[asked] = compose(files, entry.config_name, words)
        return self._composed_before[asked]

    def configurations(self, start: Start) -> Sequence[DictConfig]:
        """What a start gives; where Hydra refuses it, what it gives once repaired, and what the
        files give without a word; without those alone that are refused, where the others are clear.
        """
        if isinstance(start.composed, DictConfig):
            return [start.composed]
        repaired = start.repaired
        told = [((one.word or "").partition("=")[0].lstrip("+~"), one) for one in start.refused]
        if repaired is not None and all(
            # A word that only wants quotes chooses the same file for the same place.
            key and (key not in self.groups or one.error == "OverrideParseException")
            for key, one in told
        ):
            return [
                repaired.config,
                _without(repaired.config, {key for key, _ in told} - {*self.groups}),
            ]
        plain = self._composed(start.entry, ())
        found = [plain] if isinstance(plain, DictConfig) else []
        return [*found, repaired.config] if repaired is not None else found

    def _repaired(self, entry: EntryPoint, words: Sequence[str], run_id: str) -> Intended | None:
        """What a start gives once everything that Hydra refuses is repaired."""
        asked = (run_id, entry.folder, entry.config_name, *words)
        if asked not in self._repaired_before:
            spend(_STEPS_OF_A_START + sum(map(yaml_config.size, self.yaml_files.values())))
            self._repaired_before[asked] = intended(
                self.yaml_files, self._configuration(entry), words, run_id, self.groups
            )
        return self._repaired_before[asked]

    def _configuration(self, entry: EntryPoint) -> str:
        """The file that an entry point should start from: the contract's, if there is none."""
        is_there = entry.config_name is not None and entry.config_file in self.yaml_files
        return entry.config_file if is_there else self._contract.files.config or entry.config_file

    @fact
    def absent_files(self) -> tuple[tuple[Start | ScriptStart, ConfigProblem], ...]:
        """The reads of files that are not there, as `problems`; also those of scripts that a
        command starts.
        """
        evaluation = [self.evaluation] if self.evaluation else []
        sure = (one for one in self.scripts if one.is_documented or one.by)
        every: list[Start | ScriptStart] = [*self.starts, *evaluation, *sure]
        met = _once(every)
        kind = ProblemKind.MISSING_FILE
        return tuple(one for one in met if one[1].kind is kind and one[1].certain)

    @fact
    def unmade_folders(self) -> Mapping[Span, tuple[str, str, bool]]:
        """The folders below that of the results into which a start writes files, and which nothing
        makes: by the line that writes, with the command and whether it had to be repaired before.
        """
        followed = [
            (one.short_command, one.trace, one.repaired is not None)
            for one in self.every_start
            if one.trace is not None
        ]
        made = {folder for _, trace, _ in followed for folder in trace.made}
        # What the evaluation makes comes too late for the others.
        command = self._contract.commands.get("evaluate")
        trace = self.script(command.file) if command is not None else None
        if command is not None and trace is not None:
            followed.append((f"{command.start} …", trace, False))
        come_to = {line for _, trace, _ in followed for line in trace.visits}
        files = {path for path, _ in come_to}
        for path in files & self._python.keys():
            file = self._python[path]
            for call in file.calls_of("os.makedirs", "os.mkdir", ".makedirs", ".mkdir"):
                around = file.ancestors(call.node)
                line = next((one.lineno for one in around if isinstance(one, ast.stmt)), 0)
                if (path, line) not in come_to:
                    return {}
        found: dict[Span, tuple[str, str, bool]] = {}
        for shown, trace, is_repaired in followed:
            there = made | trace.made
            for folder, (path, line) in trace.filled.items():
                is_below = folder[:2] == ("/", RESULTS[1:]) and len(folder) > 2
                is_made = any(one is None or one[: len(folder)] == folder for one in there)
                below = "/".join(folder[2:])
                if is_below and not is_made and "{}" not in below:
                    told = (shown, f"{{results_dir}}/{below}", is_repaired)
                    found.setdefault(Span(path, line), told)
        texts = [file.text for file in self._submission.files] if found else []
        return {} if any(map(_MAKING.search, texts)) else found

    @fact
    def problems(self) -> tuple[tuple[Start | ScriptStart, ConfigProblem], ...]:
        """What goes wrong in the code after its configuration is composed or loaded; each problem
        once, with the first start that meets it.
        """
        return tuple(_once(self._documented))

    @property
    def _documented(self) -> Sequence[Start | ScriptStart]:
        """What the contract's commands start, themselves or by a script."""
        return [
            one for one in self.every_start if not isinstance(one, ScriptStart) or one.is_documented
        ]

    @fact
    def value_problems(self) -> tuple[tuple[Start | ScriptStart, ConfigProblem], ...]:
        """What the code refuses of its configuration, whatever loads it; as `problems`.

        A word of a command that is only shown may be an example: there it is known to be the
        configuration only where the value has a place in it.
        """
        return tuple(
            (start, problem)
            for start, problem in _once(self.every_start)
            if problem.kind in _OF_VALUES
            # Whether the group of the run files is a section or a text is the repair's guess.
            and not (start.repaired and problem.key in self.groups)
            and (
                not isinstance(start, ScriptStart)
                or start.is_documented
                or place_of(problem.cause) is not None
                or (problem.kind is ProblemKind.REFUSED_WORDS and start.by)
            )
        )

    @fact
    def passed(self) -> Mapping[ast.Call, tuple[tuple[Start | ScriptStart, PassedValues], ...]]:
        """What each call of a library is given in the runs, with the start that gives it."""
        found: dict[ast.Call, list[tuple[Start | ScriptStart, PassedValues]]] = {}
        for start in self.every_start:
            for call, given in start.trace.passed.items() if start.trace else ():
                found.setdefault(call, []).extend((start, one) for one in given)
        return {call: tuple(given) for call, given in found.items()}

    def cause(self, start: Start | ScriptStart, problem: ConfigProblem) -> Span | None:
        """The line of a configuration file that has the value which is refused."""
        return self.line_of(start, problem.cause)

    def line_of(self, start: Start | ScriptStart, value: Value) -> Span | None:
        """The line of a configuration file that has a value; None if that is not known.

        The run's own file comes first, for it has the last word; where its keys lie under a group,
        the group is not a key of the file.
        """
        place = place_of(value)
        is_key = isinstance(place, KeyPlace)
        place = place.path if isinstance(place, KeyPlace) else place
        if not isinstance(place, str):
            return place
        own = [run.file.path for run in self.runs if run.run_id == start.run_id]
        runs = {run.file.path for run in self.runs}
        for path in (*own, *(path for path in self.yaml_files if path not in runs)):
            group, _, below = place.partition(".")
            for keys in (place, *([below] if group in self.groups else [])):
                lines = yaml_config.key_lines(self.yaml_files.get(path, "")) if is_key else {}
                if keys in lines:
                    return Span(path, lines[keys][0])
                if is_key:
                    continue
                found = yaml_config.plain_values(self.yaml_files.get(path, ""), path)
                for key in keys.replace("[", ".").replace("]", "").split("."):
                    found = _inside(found, key)
                if found == value and isinstance(where := place_of(found), Span):
                    return where
        return None

    def runs_with(self, problem: ConfigProblem) -> tuple[str, ...]:
        """The run ids that meet a problem, in the bundle's order."""
        met = self._meeting.get((problem.kind, problem.span, problem.key), ())
        return tuple(run.run_id for run in self.runs if run.run_id in met)

    @fact
    def _meeting(self) -> Mapping[tuple[object, ...], set[str]]:
        """The run ids that meet each problem."""
        found: dict[tuple[object, ...], set[str]] = {}
        for start in self._documented:
            for problem in start.trace.problems if start.trace else ():
                if problem.certain:
                    found.setdefault((problem.kind, problem.span, problem.key), set()).add(
                        start.run_id
                    )
        return found

    @fact
    def lost(self) -> Mapping[str, tuple[ScriptProcess, ConfigProblem]]:
        """What stops a script, by path, only since it is started in a folder of Hydra's, where it
        looks for files of the submission; with the process that is started so.
        """
        found: dict[str, tuple[ScriptProcess, ConfigProblem]] = {}
        processes: dict[str, ScriptProcess] = {}
        for start in self.starts:
            for process in start.trace.processes if start.trace else ():
                if process.folder == OUTPUTS:
                    processes.setdefault(process.path, process)
        for process in processes.values():
            entry = self.entry_points.get(process.path)
            child = next((one for one in self.starts if one.entry == entry and one.config), None)
            if child is None or child.config is None or child.trace is None:
                continue
            if not child.trace.asks_folder:
                continue  # in any folder it would be the same
            trace = follow(
                self._python,
                process.path,
                child.entry.function,
                followed_with(child.config, child.words),
                self.yaml_files,
                moved=self.moves(child.entry, child.words),
                origin=OUTPUTS,
            )
            known = {(one.kind, one.span) for one in child.trace.problems}
            new = [one for one in trace.problems if (one.kind, one.span) not in known]
            if new and new[0].certain:
                found[process.path] = (process, new[0])
        return found

    def _child_words(
        self, trace: Trace, command: Command, documented: Sequence[str]
    ) -> tuple[str, ...] | None:
        """The words that a script passes to the process of another command; None if they are
        not all known.
        """
        for _, handed in trace.handed_over:
            text = handed.text if isinstance(handed, PartlyKnown) else handed
            words = (
                text.split() if isinstance(text, str) else text if isinstance(text, list) else []
            )
            words = [str(word) if isinstance(word, SomePath) else word for word in words]
            for name in (command.module, command.file):
                if name in words:
                    return self._known_words(words[words.index(name) + 1 :], documented)
        return None

    def _known_words(
        self, passed: Sequence[object], documented: Sequence[str]
    ) -> tuple[str, ...] | None:
        """Words of a command line; a value that is not known stands for any, or for what was
        documented for its key. It must not name the run otherwise.
        """
        words = [word.text if isinstance(word, PartlyKnown) else word for word in passed]
        if not all(
            isinstance(word, str) and word.partition("=")[0].isprintable() for word in words
        ):
            return None
        keys = [str(word).partition("=")[0] for word in words if "{}" in str(word)]
        meant = {word.partition("=")[0]: word for word in documented}
        if any("{}" in key or (key.strip("+") in self.groups and key not in meant) for key in keys):
            return None
        return tuple(
            meant.get(word.partition("=")[0], StandIn(word)) if "{}" in word else word
            for word in map(str, words)
        )


_S = TypeVar("_S", Start, Start | ScriptStart)


def _once(starts: Sequence[_S]) -> Iterable[tuple[_S, ConfigProblem]]:
    """Each problem with the first start that certainly meets it, where there is one before anything
    else is repaired; else with the first that may.
    """
    seen: dict[tuple[object, ...], tuple[_S, ConfigProblem]] = {}
    for start in starts:
        for problem in start.trace.problems if start.trace else ():
            place = (problem.kind, problem.span, problem.key, place_of(problem.cause))
            if place not in seen or _rank(problem) > _rank(seen[place][1]):
                seen[place] = (start, problem)
    return seen.values()


def _rank(problem: ConfigProblem) -> tuple[bool, bool]:
    return problem.certain, not problem.behind


def _inside(value: object, key: str) -> object:
    """What is under a key, or at a place in a list; None if nothing does."""
    if isinstance(value, list):
        return value[int(key)] if key.isdigit() and int(key) < len(value) else None
    return value.get(key) if isinstance(value, dict) else None


def _without(config: DictConfig, keys: Iterable[str]) -> DictConfig:
    """A copy without these keys."""
    made = contained(config, resolve=False)
    for key in keys:
        *sections, last = key.split(".")
        held = made
        for section in sections:
            held = held.get(section) if isinstance(held, dict) else None
        if isinstance(held, dict):
            held.pop(last, None)
    found: DictConfig = created(made)
    return found


def _waits(config: DictConfig) -> bool:
    """Whether a value is missing that a word must give."""
    return "'???'" in repr(OmegaConf.to_container(config, resolve=False))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is typed for one run, or passed to the script that a command starts, with the variables
    of its process.
    """

    command: Command
    mode: str
    mode_word: str
    words: tuple[str, ...]
    run_id: str = ""
    by_script: str = ""
    environ: Value = UNKNOWN

    def by(
        self, command: Command, words: Sequence[str], script: str = "", environ: Value = UNKNOWN
    ) -> "_Asked":
        return replace(self, command=command, words=tuple(words), by_script=script, environ=environ)
