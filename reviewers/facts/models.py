"""The pretrained models and adapters that each run loads, with the values of its configuration."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from omegaconf import DictConfig, ListConfig

from reviewers.facts import yaml_config
from reviewers.facts.config_flow import UNKNOWN, PassedValues
from reviewers.facts.config_flow.access import plain, read_path
from reviewers.facts.config_flow.values import External, Value
from reviewers.facts.hub_models import Architecture, architecture_of, brings_code
from reviewers.facts.hydra_config import HydraConfig
from reviewers.facts.python_file import Function, PythonFile
from reviewers.facts.unreached import CONFIG_NAMES, Unreached
from reviewers.records import RunConfig, Span
from reviewers.steps import fact

_MODEL = re.compile(
    r"transformers(\.models)?(\.\w+)*\.(?P<kind>AutoModel\w*|\w+(Model|For\w+|LMHeadModel))\.from_pretrained"
)
_LIBRARIES = frozenset({"peft", "transformers"})
_MOST_VALUES = 4_000
_NO_MODEL = re.compile(r"Tokenizer|Config|Processor|Extractor|Criteria")


@dataclass(frozen=True, slots=True)
class Use:
    """One call that loads, adapts or scales a model.

    Attributes:
        run: the run whose configuration gives the values; None if they are in the code.
        mode: the mode in which it is started; empty if it does not depend on that.
    """

    run: RunConfig | None
    file: PythonFile
    call: PassedValues
    mode: str = ""

    @property
    def span(self) -> Span:
        """The place of the call."""
        return Span(self.file.path, self.call.node.lineno)

    @property
    def is_tried(self) -> bool:
        """Whether an error of the call is caught."""
        return any(
            isinstance(around, ast.Try) and around.handlers
            for around in self.file.ancestors(self.call.node)
        )

    @property
    def is_tried_first(self) -> bool:
        """Whether it is the first statement that a `try` of its function tries, under no
        condition.
        """
        statement: ast.AST = self.call.node
        for around in self.file.ancestors(self.call.node):
            if isinstance(around, ast.Try):
                return around.body[0] is statement
            if isinstance(around, (ast.If, ast.IfExp, ast.Lambda, Function)):
                return False
            statement = around
        return False

    @property
    def loads(self) -> str | None:
        """The class of which `from_pretrained` is called; None if it loads no model."""
        found = _MODEL.fullmatch(self.call.name)
        return None if found is None or _NO_MODEL.search(found["kind"]) else found["kind"]

    @property
    def identifier(self) -> str | None:
        """What `from_pretrained` is given; None if it is not known."""
        value = self.call.argument("pretrained_model_name_or_path", 0)
        return value if isinstance(value, str) else None

    @property
    def architecture(self) -> Architecture | None:
        """The architecture that is loaded; None if it is not known, or may come from code on the
        hub.
        """
        if self.identifier is None:
            return None
        trusted = self.call.argument("trust_remote_code") not in (UNKNOWN, False)
        if trusted and brings_code(self.identifier):
            return None
        return architecture_of(self.identifier)

    def line_of(self, key: str, *values: str) -> Span | None:
        """The lines of the run config on which values are at or below a key; None if they
        are not in it.
        """
        if self.run is None:
            return None
        lines = self.run.file.text.splitlines()
        start = next(
            (
                n
                for n, line in enumerate(lines)
                if re.match(rf"[\s-]*[\"']?{re.escape(key)}[\"']?\s*:", line)
            ),
            None,
        )
        found = [_line_with(lines, start or 0, value) for value in values]
        if start is None or None in found:
            return None
        numbers = [number for number in found if number is not None]
        return Span(self.run.file.path, min(numbers), max(numbers))

    def value_line(self, value: str) -> Span | None:
        """The line of the run config that gives some key this value."""
        pattern = re.compile(rf"[^#]*:\s*[\"']?{re.escape(value)}[\"']?\s*(#.*)?")
        lines = self.run.file.text.splitlines() if self.run is not None else ()
        number = next(
            (n for n, line in enumerate(lines, 1) if len(line) < 1_000 and pattern.fullmatch(line)),
            None,
        )
        return (
            Span(self.run.file.path, number)
            if self.run is not None and number is not None
            else None
        )


def _line_with(lines: list[str], start: int, value: str) -> int | None:
    pattern = re.compile(rf"(?<![\w.]){re.escape(value)}(?![\w.])")
    return next(
        (
            n
            for n, line in enumerate(lines[start:], start + 1)
            if pattern.search(line.partition("#")[0])
        ),
        None,
    )


class Models:
    """Answers what the code loads, run by run; nothing if it uses neither transformers nor
    PEFT.
    """

    def __init__(
        self,
        python: Mapping[str, PythonFile],
        hydra: HydraConfig,
        unreached: Sequence[Unreached] = (),
    ) -> None:
        self._python = python
        self._hydra = hydra
        self._unreached = unreached

    @fact
    def uses(self) -> tuple[Use, ...]:
        """Every call with all that is known of its arguments, each once a run."""
        if not any(
            "transformers" in file.text or "GradScaler" in file.text
            for file in self._python.values()
        ):
            return ()
        found = list(self._followed())
        runs: list[RunConfig | None] = [
            run for run in self._hydra.runs if any(use.run is run for use in found)
        ]
        for run in runs or [None]:
            seen = {
                use.call.node
                for use in found
                if use.run is run and (use.identifier is not None or use.loads is None)
            }
            found += [use for use in self._written(run) if use.call.node not in seen]
        return tuple(found)

    def _followed(self) -> Iterator[Use]:
        files = {call.node: file for file in self._python.values() for call in file.calls}
        runs = {run.run_id: run for run in self._hydra.runs}
        seen: set[tuple[str, str, ast.Call, str]] = set()
        traces = [
            (start.run_id, start.mode, start.trace, True)
            for start in self._hydra.every_start
            if start.trace
        ]
        traces += [(one.run.run_id, one.mode, one.trace, False) for one in self._unreached]
        for run_id, mode, trace, is_reached in traces:
            calls = (call for held in trace.passed.values() for call in held)
            for call in calls:
                if not _is_of_models(call.name) or call.node not in files:
                    continue
                met = call if is_reached else call._replace(certain=False)
                key = (run_id, mode, call.node, f"{met.certain} {met.positional} {met.keywords}")
                if key not in seen:
                    seen.add(key)
                    yield Use(runs.get(run_id), files[call.node], met, mode)

    def _written(self, run: RunConfig | None) -> Iterator[Use]:
        """The calls as the code has them, with the arguments that are there, or that the run's
        configuration gives.
        """

        def value(file: PythonFile, node: ast.expr) -> Value:
            root, _, path = (file.resolve(node) or "").partition(".")
            if root in CONFIG_NAMES and path:
                found = run_value(self._hydra, run, path) if run is not None else None
                return found if isinstance(found, (str, int, float, bool)) else UNKNOWN
            return _written_value(file, node)

        for file in self._python.values():
            for call in file.calls:
                if call.name is None or not _is_of_models(call.name):
                    continue
                keywords = {
                    word.arg: value(file, word.value) for word in call.node.keywords if word.arg
                }
                opened = len(keywords) < len(call.node.keywords) or any(
                    isinstance(arg, ast.Starred) for arg in call.node.args
                )
                positional = () if opened else tuple(value(file, arg) for arg in call.node.args)
                doubtful = any(
                    isinstance(around, (ast.If, ast.IfExp, ast.Try, ast.Match))
                    for around in file.ancestors(call.node)
                )
                certain = run is None and not doubtful
                yield Use(
                    run,
                    file,
                    PassedValues(call.name, call.node, positional, keywords, opened, certain),
                )

    def of_runs(self) -> Iterator[tuple[Use, ...]]:
        """The uses of each run in each mode together; where no run could be followed, those that
        are in the code.

        A load of an unknown model is left out where the same call, followed from another start,
        gives a known one.
        """
        followed = [use for use in self.uses if use.run is not None]
        modes = dict.fromkeys((use.run, use.mode) for use in followed)
        for run, mode in [key for run in self._hydra.runs for key in modes if key[0] is run]:
            if not mode and any(other for one, other in modes if one is run):
                continue  # these belong to every mode
            own = [use for use in followed if use.run is run and use.mode in ("", mode)]
            known = {use.call.node for use in own if use.identifier is not None}
            if kept := tuple(
                use for use in own if use.identifier is not None or use.call.node not in known
            ):
                yield kept
        if not followed and self.uses:
            yield self.uses


@lru_cache(maxsize=4_096)
def _is_of_models(name: str) -> bool:
    """Whether a dotted name belongs to what loads, adapts or scales models."""
    return name.partition(".")[0] in _LIBRARIES or (
        name.startswith("torch.") and name.endswith(".GradScaler")
    )


def base_architectures(uses: Iterable[Use]) -> tuple[Architecture, ...]:
    """The architectures of all models that a run loads; empty where one of them is not known."""
    found = [use.architecture for use in uses if use.loads]
    return (
        tuple(dict.fromkeys(known for known in found if known is not None))
        if None not in found
        else ()
    )


def _written_value(file: PythonFile, node: ast.expr) -> Value:
    match node:
        case ast.Constant(value=value) if isinstance(value, str | int | float | bool | None):
            return value
        case ast.List(elts=parts) | ast.Tuple(elts=parts) if all(
            isinstance(part, ast.Constant) for part in parts
        ):
            return [_written_value(file, part) for part in parts]
        case ast.Attribute() if (name := file.resolve(node) or "").startswith("torch."):
            return External(name)
        case _:
            return UNKNOWN


def run_value(hydra: HydraConfig, run: RunConfig, path: str) -> Value:
    """What a run's configuration has under a dotted key, before or after the code merges its own
    files; None for nothing.
    """
    for start in hydra.starts:
        if start.run_id == run.run_id:
            for config in (start.trace.final if start.trace else None, start.config):
                found = read_path(config, path) if config is not None else None
                if found is not None and found is not UNKNOWN:
                    return plain(found) if isinstance(found, (ListConfig, DictConfig)) else found
    found = yaml_config.values(run.file.text)
    for part in path.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def numbers_of(run: RunConfig) -> Iterator[tuple[str, float]]:
    """The numbers of a run config by their own key, without the sections around it."""
    waiting: list[tuple[str, Any]] = [("", yaml_config.values(run.file.text))]
    for _ in range(_MOST_VALUES):
        if not waiting:
            return
        key, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(str(name), inner) for name, inner in value.items()]
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield key, value
