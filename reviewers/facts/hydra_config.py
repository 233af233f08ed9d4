"""The configuration of every run, composed by Hydra and OmegaConf as the code would do it, and followed through that code."""

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from reviewers.facts.composition import CompositionProblem, compose
from reviewers.facts.config_flow import ConfigProblem, Trace, follow
from reviewers.facts.mending import Mended, mended
from reviewers.facts.python_file import PythonFile, template
from reviewers.records import RunConfig, Span, Submission

RESULTS = "/results"
_MODES = ("full", "trial")
_TRAINING = "src.train"


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A function under `@hydra.main`.

    Attributes:
        config_path, config_name: as given to the decorator; None where they are not given, or not as a constant.
        version_base: as given; "1.1" where it is not, which is what Hydra assumes then.
        span: the decorator.
    """

    path: str
    function: str
    config_path: str | None
    config_name: str | None
    version_base: str | None
    span: Span

    @property
    def changes_directory(self) -> bool:
        """Whether Hydra changes into a fresh output folder before it calls the function."""
        return self.version_base == "1.1"


@dataclass(frozen=True, slots=True)
class Start:
    """One start of an entry point for one run: by the documented command, or by src/main.py in a process of its own.

    Attributes:
        mode: `full`, `trial`, or empty where the commands know no modes.
        command: the command as a person would type it.
        composed: what Hydra gives to the entry function, or why it stops before that.
        mended: what it would give if the start were mended as its message says; None where it gives something already.
        trace: what following the function with the one or the other gave; None where there is neither.
    """

    entry: EntryPoint
    run_id: str
    mode: str
    command: str
    composed: DictConfig | CompositionProblem
    mended: Mended | None
    trace: Trace | None

    @property
    def config(self) -> DictConfig | None:
        """What the entry function receives, if need be after mending the start."""
        if isinstance(self.composed, DictConfig):
            return self.composed
        return self.mended.config if self.mended else None

    @property
    def short_command(self) -> str:
        """The command with its words of no interest left out."""
        module = self.entry.path.removesuffix(".py").replace("/", ".")
        mode = [f"mode={self.mode}"] if self.mode else []
        return " ".join(["python -m", module, f"run={self.run_id}" if self.run_id else "…", *mode])


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
        self._composed_before: dict[tuple[str | None, str | None, tuple[str, ...]], DictConfig | CompositionProblem] = {}

    @cached_property
    def yaml_files(self) -> Mapping[str, str]:
        """Every YAML text of the submission by path, run configs included."""
        return {path: file.text for path, file in self._submission.by_path.items() if path.endswith((".yaml", ".yml"))}

    @cached_property
    def has_modes(self) -> bool:
        """Whether the documented command passes `mode=…`; older rubrics know no modes."""
        criteria = self._submission.context.criteria
        return criteria is None or "mode=full" in criteria or "mode=trial" in criteria

    @cached_property
    def entry_points(self) -> Mapping[str, EntryPoint]:
        """The function under `@hydra.main` of each file that has one, by path."""
        found = (entry for path, file in self._python.items() for entry in _entry_points(path, file))
        return {entry.path: entry for entry in found}

    @cached_property
    def starts(self) -> tuple[Start, ...]:
        """Every start of main.py and train.py for every run and mode, in that order."""
        return tuple(start for run in self._submission.runs for mode in self._modes for start in self._starts(run, mode))

    @cached_property
    def evaluation(self) -> Start | None:
        """The start of evaluate.py, where it is under `@hydra.main` and the rubric documents one."""
        entry = self.entry_points.get("src/evaluate.py")
        criteria = self._submission.context.criteria
        if entry is None or not self._submission.runs or (criteria is not None and "src.evaluate results_dir" not in criteria):
            return None
        run_ids = ", ".join(f'"{run.run_id}"' for run in self._submission.runs)
        command = f"python -m src.evaluate results_dir={RESULTS} run_ids='[{run_ids}]'"
        return self._start(entry, "", "", command, [f"results_dir={RESULTS}", f"run_ids=[{run_ids}]"])

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
            child = _child_words(start.trace) if start.trace else None
            started = start.trace is None or child is not None or _calls_training(self._python.get("src/main.py"))
        if (train := self.entry_points.get("src/train.py")) and started:
            passed = words if child is None else child
            yield self._start(train, run.run_id, mode, f"python -m {_TRAINING} {' '.join(passed)}", passed)

    def _start(self, entry: EntryPoint, run_id: str, mode: str, command: str, words: Sequence[str]) -> Start:
        folder = posixpath.normpath(posixpath.join(posixpath.dirname(entry.path), entry.config_path or "."))
        composed = self._composed(entry, folder, words)
        behind = (
            mended(self.yaml_files, folder, entry.config_name, words, run_id)
            if isinstance(composed, CompositionProblem)
            else None
        )
        start = Start(entry, run_id, mode, command, composed, behind, None)
        if start.config is None:
            return start
        return replace(start, trace=follow(self._python, entry.path, entry.function, _copy(start.config), self.yaml_files))

    def _composed(self, entry: EntryPoint, folder: str, words: Sequence[str]) -> DictConfig | CompositionProblem:
        asked = (folder if entry.config_path else None, entry.config_name, tuple(words))
        if asked not in self._composed_before:
            inside = f"{folder}/" if folder != "." else ""
            files = {path.removeprefix(inside): text for path, text in self.yaml_files.items() if path.startswith(inside)}
            self._composed_before[asked] = compose(files if entry.config_path else {}, entry.config_name, words)
        return self._composed_before[asked]

    @cached_property
    def problems(self) -> tuple[tuple[Start, ConfigProblem], ...]:
        """What goes wrong in the code after Hydra's composition; each problem once, with the first start that meets it."""
        seen: dict[tuple[object, ...], tuple[Start, ConfigProblem]] = {}
        for start in (*self.starts, *([self.evaluation] if self.evaluation else [])):
            for problem in start.trace.problems if start.trace else ():
                place = (problem.kind, problem.span, problem.key)
                if place not in seen or (problem.certain and not seen[place][1].certain):
                    seen[place] = (start, problem)
        return tuple(seen.values())

    def runs_with(self, problem: ConfigProblem) -> tuple[str, ...]:
        """The run ids that meet a problem, in the bundle's order."""
        place = (problem.kind, problem.span, problem.key)
        met = {
            start.run_id
            for start in self.starts
            for other in (start.trace.problems if start.trace else ())
            if (other.kind, other.span, other.key) == place
        }
        return tuple(run.run_id for run in self._submission.runs if run.run_id in met)


def _entry_points(path: str, file: PythonFile) -> Iterator[EntryPoint]:
    for name, node in file.functions.items():
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and file.resolve(decorator.func) in ("hydra.main", "hydra.main.main"):
                given = {keyword.arg: keyword.value for keyword in decorator.keywords}
                given |= dict(zip(("config_path", "config_name", "version_base"), decorator.args, strict=False))
                yield EntryPoint(
                    path,
                    name,
                    _text(given.get("config_path")),
                    _text(given.get("config_name")),
                    _version(given.get("version_base")),
                    Span(path, decorator.lineno, decorator.end_lineno),
                )


def _text(node: ast.expr | None) -> str | None:
    return (template(node) or None) if node is not None else None


def _version(node: ast.expr | None) -> str | None:
    if node is None:
        return "1.1"
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _copy(config: DictConfig) -> DictConfig:
    try:
        copied: DictConfig = config.copy()
    except OmegaConfBaseException:
        return config
    return copied


def _child_words(trace: Trace) -> list[str] | None:
    """The words that main.py passes to the training process; None where they are not all known."""
    for _, handed in trace.handed_over:
        words = handed if isinstance(handed, list) else handed.split() if isinstance(handed, str) else []
        if _TRAINING in words:
            passed = words[words.index(_TRAINING) + 1 :]
            return passed if all(isinstance(word, str) for word in passed) else None
    return None


def _calls_training(file: PythonFile | None) -> bool:
    """Whether main.py starts training in a process of its own at all."""
    return file is not None and re.search(r"src\.train|src/train", file.text) is not None
