"""The configuration of every run, composed by Hydra and OmegaConf as the code would do it, and
followed through that code.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from omegaconf import DictConfig

from reviewers.facts import yaml_config
from reviewers.facts.composition import (
    MOST_CHARACTERS,
    MOST_VALUES,
    CompositionProblem,
    compose,
    is_too_large,
)
from reviewers.facts.config_flow import (
    ConfigProblem,
    Passed,
    ProblemKind,
    Trace,
    follow,
    follow_script,
)
from reviewers.facts.config_flow.access import holds
from reviewers.facts.config_flow.values import PartlyKnown
from reviewers.facts.entry_points import EntryPoint, entry_points
from reviewers.facts.mending import Mended, mended
from reviewers.facts.python_file import PythonFile
from reviewers.records import RunConfig, Submission
from reviewers.steps import fact, leave_out, spend

RESULTS = "/results"
GROUPS = ("run", "runs")  # the names that the group of the run files goes by
_MODES = ("full", "trial")
_TRAINING = "src.train"
_MOST_RUNS = 16
_STEPS_OF_A_START = 1_000  # what Hydra takes for it, beside what it takes for each value
_STAYING = re.compile(
    r"""chdir[ \t]*:[ \t]*false|^[ \t]+dir:[ \t]*(["']?)\./?\1[ \t]*(?:#.*)?$""",
    re.MULTILINE | re.IGNORECASE,
)
_OF_VALUES = (ProblemKind.RAISED, ProblemKind.INVALID_VALUE)


@dataclass(frozen=True, slots=True)
class Start:
    """One start of an entry point for one run: by the documented command, or by src/main.py in a
    process of its own.

    Attributes:
        mode: `full`, `trial`, or empty where the commands know no modes.
        command: the command as a person would type it; `words` are those that it passes.
        composed: what Hydra gives to the entry function, or why it stops before that.
        mended: what it would give if the start were mended as its message says; None where it gives
            something already.
        trace: what following the function with the one or the other gave; None where there is
            neither.
    """

    entry: EntryPoint
    run_id: str
    mode: str
    command: str
    words: tuple[str, ...]
    composed: DictConfig | CompositionProblem
    mended: Mended | None
    trace: Trace | None

    @property
    def config(self) -> DictConfig | None:
        """What the entry function receives, if need be after mending the start."""
        if self.mended is not None:
            return self.mended.config
        return self.composed if isinstance(self.composed, DictConfig) else None

    @property
    def short_command(self) -> str:
        """The command with its words of no interest left out."""
        module = self.entry.path.removesuffix(".py").replace("/", ".")
        mode = [f"mode={self.mode}"] if self.mode else []
        run = next(
            (word for word in self.words if word.partition("=")[0].lstrip("+") in GROUPS), None
        )
        # What main.py passes on may name no run at all.
        words = (
            [run, *mode]
            if run and self.run_id
            else [*self.words[:1], "…"]
            if self.run_id
            else ["…"]
        )
        return " ".join(["python -m", module, *words])


class HydraConfig:
    """What becomes of the configuration of each run.

    Args:
        submission: its YAML files and run configs are read from memory.
        python: its Python files by path.
    """

    def __init__(self, submission: Submission, python: Mapping[str, PythonFile]) -> None:
        self._submission = submission
        self._python = python
        # main.py and train.py are mostly started with the same words.
        self._composed_before: dict[
            tuple[str | None, str | None, tuple[str, ...]], DictConfig | CompositionProblem
        ] = {}
        self._mended_before: dict[tuple[str | None, ...], Mended | None] = {}

    @fact
    def yaml_files(self) -> Mapping[str, str]:
        """Every YAML text of the submission by path, run configs included."""
        return {
            path: file.text
            for path, file in self._submission.by_path.items()
            if path.endswith((".yaml", ".yml"))
        }

    @fact
    def has_modes(self) -> bool:
        """Whether the documented command passes `mode=…`; older rubrics know no modes."""
        criteria = self._submission.context.criteria
        return criteria is None or "mode=full" in criteria or "mode=trial" in criteria

    @fact
    def entry_points(self) -> Mapping[str, EntryPoint]:
        """The function under `@hydra.main` of each file that has one, by path."""
        found = (entry for path, file in self._python.items() for entry in entry_points(path, file))
        return {entry.path: entry for entry in found}

    @fact
    def starts(self) -> tuple[Start, ...]:
        """Every start of main.py and train.py for every run and mode, in that order.

        Whatever is too large to be composed and followed in little time is left out: nothing is
        known of it.
        """
        found: list[Start] = []
        if self._is_too_large:
            return ()
        runs = self._submission.runs
        if len(runs) > _MOST_RUNS:
            leave_out(f"only the first {_MOST_RUNS} of {len(runs):,} runs are composed")
        for run in runs[:_MOST_RUNS]:
            for mode in self._modes:
                for start in self._starts(run, mode):
                    found.append(start)
                    if start.trace is not None and not start.trace.complete:
                        # As long as this one took, so will the others.
                        leave_out("the starts after one that is not followed to the end")
                        return tuple(found)
        return tuple(found)

    @fact
    def evaluation(self) -> Start | None:
        """The start of evaluate.py, where it is under `@hydra.main` and the rubric documents
        one.
        """
        entry = self.entry_points.get("src/evaluate.py")
        criteria = self._submission.context.criteria
        if (
            entry is None
            or not self._submission.runs
            or (criteria is not None and "src.evaluate" not in criteria)
        ):
            return None
        run_ids = ", ".join(f'"{run.run_id}"' for run in self._submission.runs)
        command = f"python -m src.evaluate results_dir={RESULTS} run_ids='[{run_ids}]'"
        return self._start(
            entry, "", "", command, [f"results_dir={RESULTS}", f"run_ids=[{run_ids}]"]
        )

    @fact
    def evaluation_problems(self) -> tuple[ConfigProblem, ...]:
        """What goes wrong with the YAML files that evaluate.py loads itself, started as a
        script.
        """
        path = "src/evaluate.py"
        if path not in self._python or path in self.entry_points or self._is_too_large:
            return ()
        trace = follow_script(self._python, path, self.yaml_files)
        return trace.problems if trace else ()

    @fact
    def _is_too_large(self) -> bool:
        if too_large := is_too_large(self.yaml_files):
            leave_out(
                f"the configuration is not composed, it has more than {MOST_VALUES:,} values or"
                f" {MOST_CHARACTERS:,} characters"
            )
        return too_large

    @property
    def _modes(self) -> Sequence[str]:
        return _MODES if self.has_modes else ("",)

    def _starts(self, run: RunConfig, mode: str) -> Iterator[Start]:
        words = [f"run={run.run_id}", f"results_dir={RESULTS}", *([f"mode={mode}"] if mode else [])]
        command = f"python -m src.main {' '.join(words)}"
        child: list[str] | None = None
        started = "src/main.py" not in self.entry_points
        if main := self.entry_points.get("src/main.py"):
            start = self._start(main, run.run_id, mode, command, words)
            yield start
            child = _child_words(start.trace, words) if start.trace else None
            started = (
                start.trace is None
                or child is not None
                or _calls_training(self._python.get("src/main.py"))
            )
        if (train := self.entry_points.get("src/train.py")) and started:
            passed = words if child is None else child
            start = self._start(
                train, run.run_id, mode, f"python -m {_TRAINING} {' '.join(passed)}", passed
            )
            if start.config is None and passed != words:
                yield start
                # What main.py passes on makes no sense; what the training does is looked at all the
                # same.
                start = self._start(
                    train, run.run_id, mode, f"python -m {_TRAINING} {' '.join(words)}", words
                )
            again = self._placed(start, run)
            yield start if again is None else _without_values(start)
            if again is not None:
                yield again

    def _placed(self, start: Start, run: RunConfig) -> Start | None:
        """The same start with the run file's keys at the top, where they lie under its group but
        are read at the top.
        """
        if (
            start.config is None
            or start.trace is None
            or run.file.text.lstrip().startswith("# @package")
        ):
            return None
        missing = [
            problem.key
            for problem in start.trace.problems
            if problem.kind is ProblemKind.MISSING_KEY
        ]
        if not any(holds(start.config, f"{group}.{key}") for group in GROUPS for key in missing):
            return None
        placed = self._mended(start.entry, start.words, run.run_id, run.file.path)
        if placed is None:
            return None
        trace = follow(
            self._python,
            start.entry.path,
            start.entry.function,
            yaml_config.copied(placed.config),
            self.yaml_files,
        )
        kept = tuple(problem for problem in trace.problems if _is_about_keys(problem))
        behind = Mended(
            placed.config, places_run_file=True, once="the run file's keys lie where they are read"
        )
        return replace(start, mended=behind, trace=replace(trace, problems=kept))

    def _start(
        self, entry: EntryPoint, run_id: str, mode: str, command: str, words: Sequence[str]
    ) -> Start:
        composed = self._composed(entry, words)
        behind = (
            self._mended(entry, words, run_id) if isinstance(composed, CompositionProblem) else None
        )
        start = Start(entry, run_id, mode, command, tuple(words), composed, behind, None)
        if start.config is None:
            return start
        return replace(
            start,
            trace=follow(
                self._python,
                entry.path,
                entry.function,
                yaml_config.copied(start.config),
                self.yaml_files,
                moved=self.moves(entry, words),
            ),
        )

    def moves(self, entry: EntryPoint, words: Sequence[str] = ()) -> bool:
        """Whether Hydra changes into a folder of its own before it calls the function."""
        overridden = any(word.lstrip("+").startswith("hydra.") for word in words)
        return entry.changes_directory and not self._stays and not overridden

    @fact
    def _stays(self) -> bool:
        """Whether config.yaml keeps Hydra in the directory of the start."""
        text = self.yaml_files.get("config/config.yaml", "")
        values = yaml_config.values(text)
        hydra = values.get("hydra") if isinstance(values, dict) else None
        if not isinstance(hydra, dict):
            return hydra is None and values is None and _STAYING.search(text) is not None
        job, run = hydra.get("job"), hydra.get("run")
        folder = run.get("dir") if isinstance(run, dict) else None
        return (isinstance(job, dict) and job.get("chdir") is False) or folder in (".", "./")

    def _composed(self, entry: EntryPoint, words: Sequence[str]) -> DictConfig | CompositionProblem:
        asked = (entry.folder if entry.config_path else None, entry.config_name, tuple(words))
        if asked not in self._composed_before:
            spend(_STEPS_OF_A_START + sum(map(yaml_config.size, self.yaml_files.values())))
            inside = f"{entry.folder}/" if entry.folder != "." else ""
            files = {
                path.removeprefix(inside): text
                for path, text in self.yaml_files.items()
                if path.startswith(inside)
            }
            self._composed_before[asked] = compose(
                files if entry.config_path else {}, entry.config_name, words
            )
        return self._composed_before[asked]

    def _mended(
        self, entry: EntryPoint, words: Sequence[str], run_id: str, at_the_top: str | None = None
    ) -> Mended | None:
        """What a start gives once it is mended, if need be with the keys of one run file at the
        top.
        """
        asked = (at_the_top, run_id, entry.folder, entry.config_name, *words)
        if asked not in self._mended_before:
            spend(_STEPS_OF_A_START + sum(map(yaml_config.size, self.yaml_files.values())))
            head = {at_the_top: "# @package _global_\n"}
            files = {path: head.get(path, "") + text for path, text in self.yaml_files.items()}
            self._mended_before[asked] = mended(
                files, entry.folder, entry.config_name, words, run_id
            )
        return self._mended_before[asked]

    @fact
    def problems(self) -> tuple[tuple[Start, ConfigProblem], ...]:
        """What goes wrong in the code after Hydra's composition; each problem once, with the first
        start that meets it.
        """
        seen: dict[tuple[object, ...], tuple[Start, ConfigProblem]] = {}
        for start in (*self.starts, *([self.evaluation] if self.evaluation else [])):
            for problem in start.trace.problems if start.trace else ():
                place = (problem.kind, problem.span, problem.key)
                if place not in seen or (problem.certain and not seen[place][1].certain):
                    seen[place] = (start, problem)
        return tuple(seen.values())

    @fact
    def passed(self) -> Mapping[ast.Call, tuple[tuple[Start, Passed], ...]]:
        """What each call of a library is given in the runs, with the start that gives it."""
        found: dict[ast.Call, list[tuple[Start, Passed]]] = {}
        for start in (*self.starts, *([self.evaluation] if self.evaluation else [])):
            for call, given in start.trace.passed.items() if start.trace else ():
                found.setdefault(call, []).extend((start, one) for one in given)
        return {call: tuple(given) for call, given in found.items()}

    def runs_with(self, problem: ConfigProblem) -> tuple[str, ...]:
        """The run ids that meet a problem, in the bundle's order."""
        met = self._meeting.get((problem.kind, problem.span, problem.key), ())
        return tuple(run.run_id for run in self._submission.runs if run.run_id in met)

    @fact
    def _meeting(self) -> Mapping[tuple[object, ...], set[str]]:
        """The run ids that meet each problem."""
        found: dict[tuple[object, ...], set[str]] = {}
        for start in self.starts:
            for problem in start.trace.problems if start.trace else ():
                if problem.certain:
                    found.setdefault((problem.kind, problem.span, problem.key), set()).add(
                        start.run_id
                    )
        return found


def _without_values(start: Start) -> Start:
    """The start without what the wrong values lead to, where the right ones lie elsewhere."""
    kept = (
        (problem for problem in start.trace.problems if problem.kind not in _OF_VALUES)
        if start.trace
        else ()
    )
    return (
        replace(start, trace=replace(start.trace, problems=tuple(kept))) if start.trace else start
    )


def _is_about_keys(problem: ConfigProblem) -> bool:
    """Whether a problem remains where the group of the run files is gone."""
    kinds = (
        ProblemKind.MISSING_KEY,
        ProblemKind.REJECTED_WRITE,
        ProblemKind.INTERPOLATION,
        *_OF_VALUES,
    )
    return problem.kind in kinds and problem.key.partition(".")[0] not in GROUPS


def _child_words(trace: Trace, documented: Sequence[str]) -> list[str] | None:
    """The words that main.py passes to the training process; None where they are not all known."""
    for _, handed in trace.handed_over:
        text = handed.text if isinstance(handed, PartlyKnown) else handed
        words = text.split() if isinstance(text, str) else text if isinstance(text, list) else []
        if _TRAINING in words:
            passed = words[words.index(_TRAINING) + 1 :]
            return _known_words(passed, documented)
    return None


def _known_words(passed: Sequence[object], documented: Sequence[str]) -> list[str] | None:
    """Words of a command line; a value that is not known stands for any, unless it names the
    run.
    """
    words = [word.text if isinstance(word, PartlyKnown) else word for word in passed]
    if not all(isinstance(word, str) and word.partition("=")[0].isprintable() for word in words):
        return None
    keys = [str(word).partition("=")[0] for word in words if "{}" in str(word)]
    if any("{}" in key or key.strip("+") in GROUPS for key in keys):
        return None
    meant = {word.partition("=")[0]: word for word in documented}
    return [
        meant.get(word.partition("=")[0], word.replace("{}", "0")) if "{}" in word else word
        for word in map(str, words)
    ]


def _calls_training(file: PythonFile | None) -> bool:
    """Whether main.py starts training in a process of its own at all."""
    return file is not None and re.search(r"src\.train|src/train", file.text) is not None
