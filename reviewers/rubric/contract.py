"""A contract: what a pipeline requires of its submissions, as a frozen record read from TOML.

A rule names the clauses that it needs, such as `commands.evaluate.line` or `outputs.significance`;
if the contract lacks one of them, the rule is silent.
"""

import re
import shlex
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from reviewers.errors import ContractError, printable
from reviewers.records import Severity

MOST_BYTES = 64_000
_SHOWN = 120
_LONGEST_PATH = 200
_PATH = re.compile(r"[\w{}<>.*-]+(?:/[\w{}<>.*-]+)*/?")
_OUT = re.compile(r"(?:^|/)\.{2,}(?:/|$)")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_OPEN = re.compile(r"\{\w+\}|<\w+>|\*+")
_ROWS = frozenset({"commands", "modes", "criteria"})
_NONE: tuple[Any, ...] = ((), "", {})
_FILLED = frozenset({"run_id", "run_ids", "results_dir", "mode"})

Text = Annotated[str, StringConstraints(min_length=1, max_length=4_000)]


def _inside(path: str) -> str:
    if len(path) > _LONGEST_PATH or not _PATH.fullmatch(path) or _OUT.search(path):
        raise ValueError("it must be a path inside the submission, such as src/train.py")
    return path.removeprefix("./")


Path = Annotated[str, AfterValidator(_inside)]
Key = Annotated[str, StringConstraints(pattern=r"^\w[\w.-]{0,59}$")]
Texts = Annotated[tuple[Text, ...], Field(strict=False, max_length=50)]
Paths = Annotated[tuple[Path, ...], Field(strict=False, max_length=200)]
Keys = Annotated[tuple[Key, ...], Field(strict=False, max_length=50)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Command(_Part):
    """One command that the pipeline documents, or a part of the work that such a command starts.

    Attributes:
        line: as a person types it, with `{run_id}`, `{run_ids}`, `{results_dir}` and `{mode}` where
            those stand; empty where nobody types it. It is read, never run.
        file: the script that it starts; the line says it if it is not given.
        starts: names of the commands that it starts in processes of their own.
        alone: whether no other command may start it.
        values: what other placeholders of the line may stand for.
    """

    line: str = Field(default="", max_length=1_000)
    file: Path = ""
    starts: Keys = ()
    alone: bool = False
    values: Mapping[Key, Text] = {}

    @model_validator(mode="before")
    @classmethod
    def _file_of_line(cls, given: Any) -> Any:
        if not isinstance(given, Mapping) or "file" in given:
            return given
        line = given.get("line")
        script = script_of(line) if isinstance(line, str) else ""
        if not script:
            raise ValueError("it needs a file, or a line that starts a Python module or script")
        return {**given, "file": script}

    @model_validator(mode="after")
    def _knows_its_placeholders(self) -> Self:
        unknown = {*_PLACEHOLDER.findall(self.line)} - _FILLED - set(self.values)
        if unknown:
            raise ValueError(f"its line has {{{min(unknown)}}}, for which `values` has no entry")
        return self

    @property
    def module(self) -> str:
        """The script as a module: `src.main`."""
        return self.file.removesuffix(".py").replace("/", ".")

    @property
    def start(self) -> str:
        """How a person starts it, without its words: `python -m src.main`, `python fit.py`."""
        by_path = self.line != "" and self.file in self.line
        return f"python {self.file}" if by_path else f"python -m {self.module}"

    @property
    def templates(self) -> tuple[str, ...]:
        """The words after the script, placeholders unfilled."""
        return _split(self.line)[1]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its `key=value` words, the mode's not among them."""
        found = (word.partition("=") for word in self.templates if not word.startswith("-"))
        return tuple(key.lstrip("+~") for key, is_word, _ in found if is_word)

    def names(self, placeholder: str) -> str | None:
        """Return the key or flag with which the line passes a placeholder: `run` for
        `run={run_id}`, `--run` for `--run {run_id}`; None if it does not.
        """
        before = ""
        for word in self.templates:
            if f"{{{placeholder}}}" in word:
                return word.partition("=")[0] if "=" in word else before
            before = word
        return None

    def words(self, mode: str, **values: str) -> tuple[str, ...]:
        """Return the words after the script.

        Args:
            mode: the mode's own word; none is passed where it is empty.
            values: what the placeholders stand for.
        """
        known = {**self.values, **values, "mode": mode}
        return tuple(
            _PLACEHOLDER.sub(lambda found: known.get(found[1], found[0]), word)
            for template in self.templates
            for word in (mode.split() if template == "{mode}" else (template,))
        )


class Mode(_Part):
    """One way in which a command is started.

    Attributes:
        word: what the command is given: `mode=trial`, `--smoke-test`, `--mode trial`; empty where
            nothing is.
        tracking: what the code must do with tracking then.
        search_trials, epochs, batches: the most of each that it may do; batches are those of an
            epoch.
        small_evaluation: whether only a part of the evaluation data may be used.
    """

    word: str = Field(default="", max_length=100)
    tracking: Literal["online", "offline", "disabled"] | None = None
    search_trials: int | None = Field(default=None, ge=0)
    epochs: int | None = Field(default=None, ge=0)
    batches: int | None = Field(default=None, ge=0)
    small_evaluation: bool = False

    @property
    def limits(self) -> bool:
        """Whether less is done than the configuration says."""
        most = (self.search_trials, self.epochs, self.batches)
        return self.small_evaluation or any(limit is not None for limit in most)


class Files(_Part):
    """Which files a submission consists of.

    Attributes:
        expected: those that must be there.
        only: whether no other may be.
        config: the main configuration; data, model: where data sets and models are made.
        complete: whether nothing may be left unfinished: no stub, no "to do".
        placeholders: whether data sets and models are placeholders, to be replaced later.
        from_base: whether the code is derived from base code, of which nothing may be lost.
    """

    expected: Paths = ()
    only: bool = False
    config: Path | None = None
    data: Path | None = None
    model: Path | None = None
    complete: bool = False
    placeholders: bool = False
    from_base: bool = False

    def expects(self, path: str) -> bool:
        """Return whether a file is one of those expected, or fits one with a placeholder."""
        return path in self.expected or any(
            pattern.fullmatch(path) for pattern in map(pattern_of, self.expected) if pattern
        )


class Runs(_Part):
    """The configuration of each run.

    Attributes:
        folder: where its YAML lies.
        sections: the keys that it must have.
        search_spaces: whether it defines the search spaces that the code uses.
        variations: configurations of which each holds every run variation.
    """

    folder: Path | None = None
    sections: Keys = ()
    search_spaces: bool = False
    variations: Paths = ()


class Data(_Part):
    """What is asked of data sets.

    Attributes:
        cache: the folder in which data sets and models are kept.
        handled: whether errors of loading must be handled.
    """

    cache: Path | None = None
    handled: bool = False


class TrackingRequired(_Part):
    """What must be tracked, and where.

    Attributes:
        service: by its package: `wandb`.
        optional: whether a submission may do without.
        settings: keys of the main configuration that name the project.
        every_step: whether each metric is logged as the training goes on.
        summary: whether final metrics go into the run's summary.
        same_keys: whether the evaluation reads the keys that the training logs.
        no_search_trials: whether trials of a search are left out.
        no_json: whether the training leaves no results as JSON.
        read_back: whether the evaluation takes its data from the service.
    """

    service: Key | None = None
    optional: bool = False
    settings: Keys = ()
    every_step: bool = False
    summary: bool = False
    same_keys: bool = False
    no_search_trials: bool = False
    no_json: bool = False
    read_back: bool = False


class Outputs(_Part):
    """What the evaluation leaves behind.

    Attributes:
        run_metrics: path of one run's metrics; comparison: of what compares the runs.
        keys: what the comparison holds.
        figure_format: ending of every figure; figure_names: how they are called.
        comparison_figures, confusion_matrix, significance, tables: whether they are made.
        legible: whether figures have legends, values and a tight layout.
        drawn_by_evaluation: whether nothing else draws.
        json_lines: whether training prints its metrics as JSON.
        printed: what a good run prints.
    """

    run_metrics: Path | None = None
    comparison: Path | None = None
    keys: Keys = ()
    figure_format: Key | None = None
    figure_names: Paths = ()
    comparison_figures: bool = False
    confusion_matrix: bool = False
    significance: bool = False
    tables: bool = False
    legible: bool = False
    drawn_by_evaluation: bool = False
    json_lines: bool = False
    printed: Texts = ()

    @property
    def figure_beginnings(self) -> tuple[str, ...]:
        """What the names of figures begin with that do not begin with a run id; an empty text
        stands for anything.
        """
        others = (name for name in self.figure_names if not re.match(r"[{<]run_id[>}]", name))
        return tuple(re.split(r"[{<]", name)[0] for name in others)


class Ready(_Part):
    """When a submission counts as ready.

    Attributes:
        every_criterion: whether every criterion must hold. Any proven defect that is not minor is
            then enough for "not ready"; else only a blocker is.
    """

    every_criterion: bool = False


class Asked(_Part):
    """One criterion by which submissions are judged.

    Attributes:
        title, question: in the pipeline's words.
        facts: what a submission is held to.
        like: the number of the shipped rubric's criterion that asks for the same; None for one of
            the contract's own.
    """

    title: Text
    question: Text
    facts: str = Field(default="", max_length=4_000)
    like: int | None = Field(default=None, ge=1, le=99)


class Contract(_Part):
    """What a pipeline asks of its submissions.

    Attributes:
        name, version: which it is.
        title: for people.
        provisional: whether it is known from a description alone.
        commands, modes: by name. Rules know the commands `train` (or `inference`, where nothing
            is trained) and `evaluate`; all others count by what they start.
        criteria: by number, counted from 1.
    """

    name: Key
    version: int = Field(default=1, ge=1)
    title: Text
    provisional: bool = False
    commands: Mapping[Key, Command] = {}
    modes: Mapping[Key, Mode] = {}
    files: Files = Files()
    runs: Runs = Runs()
    data: Data = Data()
    tracking: TrackingRequired = TrackingRequired()
    outputs: Outputs = Outputs()
    ready: Ready = Ready()
    criteria: Mapping[int, Asked] = {}

    @model_validator(mode="after")
    def _refers_to_its_own(self) -> Self:
        for name, command in self.commands.items():
            for started in command.starts:
                if started not in self.commands:
                    raise ValueError(f"commands.{name} starts {started!r}, which is not a command")
        return self

    def asks(self, clause: str) -> bool:
        """Return whether the contract has a clause, named by its path: `files.expected`; `*` stands
        for any row, as in `modes.*.epochs`.
        """
        found: list[Any] = [self]
        for name in clause.split("."):
            found = [each for part in found for each in _within(part, name)]
        return bool(found)

    def file(self, command: str) -> str | None:
        """Return the script of a command; None if the contract knows no such command."""
        found = self.commands.get(command)
        return found.file if found else None

    @property
    def experiment(self) -> Command | None:
        """The command whose script does the work that is evaluated: `train`, or `inference`."""
        return self.commands.get("train") or self.commands.get("inference")

    def scripts(self, *, but: str = "") -> tuple[str, ...]:
        """Return the scripts of all commands, in order, each once; `but` names one to leave out."""
        found = (command.file for name, command in self.commands.items() if name != but)
        return tuple(dict.fromkeys(found))

    @property
    def mildest(self) -> Severity:
        """The mildest severity of a proven defect with which a submission is not ready."""
        return Severity.MAJOR if self.ready.every_criterion else Severity.BLOCKER

    @property
    def installs_with_uv(self) -> bool:
        """Whether a command installs the project first, as `uv run` does."""
        return any(command.line.startswith("uv run ") for command in self.commands.values())


def _within(part: Any, name: str) -> list[Any]:
    """What a part has under a name, as far as it says anything; zero epochs are a demand too."""
    if isinstance(part, Mapping):
        found = list(part.values()) if name == "*" else [part.get(name)]
    else:
        found = [getattr(part, name)]
    return [each for each in found if each is not None and each is not False and each not in _NONE]


def read_contract(data: Mapping[str, Any]) -> Contract:
    """Return the contract that a TOML file's tables say.

    Raises:
        ContractError: a clause is unknown or of the wrong type; the text names its key.
    """
    data = dict(data)
    criteria = data.get("criteria")
    if isinstance(criteria, Mapping):
        data["criteria"] = {
            int(key) if str(key).isdecimal() else key: row for key, row in criteria.items()
        }
    try:
        return Contract.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key = ".".join(str(part) for part in first["loc"])[:_SHOWN]
        problem = first["msg"].removeprefix("Value error, ")
        if first["type"] == "extra_forbidden":
            problem = "there is no such clause; `areachair contracts nine-modes` shows most of them"
        elif first["type"] in (
            "dict_type",
            "model_type",
            "dataclass_type",
            "model_attributes_type",
        ):
            problem = f"it must be a table: [{key}], and its keys below"
        elif first["type"] == "missing":
            problem = "it is not given, and no contract that this `extends` gives it"
        raise ContractError(printable(f"{key}: {problem}" if key else problem)) from None


def merged(base: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a contract's tables, overridden by those of another one.

    Tables are joined key by key, but a command, a mode or a criterion that is given is given whole;
    `false` in the place of one takes it away.
    """
    both = dict(base)
    for key, value in given.items():
        before = both.get(key)
        if isinstance(before, Mapping) and isinstance(value, Mapping):
            joined = {**before, **value}
            both[key] = {
                name: row for name, row in joined.items() if row is not False or key not in _ROWS
            }
        else:
            both[key] = value
    return both


@lru_cache(512)
def pattern_of(path: str) -> re.Pattern[str] | None:
    """Return what fits a path with placeholders, `{run_id}`, `<topic>` or `*`; None for one that
    has none.
    """
    parts = _OPEN.split(path)
    return re.compile("[^/]*".join(map(re.escape, parts))) if len(parts) > 1 else None


def script_of(line: str) -> str:
    """Return the script that a command line starts; empty if it starts no Python script."""
    return _split(line)[0]


@lru_cache(512)
def _split(line: str) -> tuple[str, tuple[str, ...]]:
    try:
        words = shlex.split(line)
    except ValueError:
        return "", ()
    for at, word in enumerate(words):
        if word == "-m" and at + 1 < len(words):
            return words[at + 1].replace(".", "/") + ".py", tuple(words[at + 2 :])
        if word.endswith(".py"):
            return word, tuple(words[at + 1 :])
    return "", ()
