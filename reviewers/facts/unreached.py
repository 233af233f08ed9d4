"""Functions that take the configuration but that no start was seen to reach, each followed with the
configuration of the files, so that their failures are known although the starts stop earlier.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from reviewers.facts import yaml_config
from reviewers.facts.config_flow import Trace, follow
from reviewers.facts.config_flow.access import LARGEST, size
from reviewers.facts.config_nodes import created
from reviewers.facts.hydra_config import HydraConfig
from reviewers.facts.python_file import Function, PythonFile
from reviewers.facts.python_nodes import walk
from reviewers.records import RunConfig

CONFIG_NAMES = frozenset({"cfg", "config", "conf"})  # what code calls its configuration
_MOST_FUNCTIONS = 6
_MOST_RUNS = 4


@dataclass(frozen=True, slots=True)
class Unreached:
    """One function, followed with the configuration of one run in one mode."""

    path: str
    run: RunConfig
    mode: str
    trace: Trace


def unreached(
    hydra: HydraConfig,
    python: Mapping[str, PythonFile],
    modes: Sequence[tuple[str, str]],
    libraries: Sequence[str],
) -> tuple[Unreached, ...]:
    """Follow what no start reaches.

    Args:
        modes: their names and words.
        libraries: only files are followed whose text has one of these.
    """
    reached = {node for start in hydra.every_start if start.trace for node in start.trace.called}
    found = [
        (path, function)
        for path, file in python.items()
        if any(name in file.text for name in libraries)
        for function in _functions(file)
        if function not in reached
    ]
    called = {
        node.func.id
        for _, function in found
        for node in walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    tops = [(path, function.name) for path, function in found if function.name not in called]
    made: list[Unreached] = []
    for run in hydra.runs[:_MOST_RUNS] if tops else ():
        for mode, word in modes or [("", "")]:
            for path, name in islice(tops, _MOST_FUNCTIONS):
                config = _intended(hydra, run, word)
                if config is not None:
                    trace = follow(python, path, name, config, hydra.yaml_files)
                    made.append(Unreached(path, run, mode, trace))
    return tuple(made)


def _functions(file: PythonFile) -> Iterator[Function]:
    """Those whose first parameter is a configuration."""
    for node in file.readable.body if file.readable else ():
        given = node.args.args if isinstance(node, Function) else []
        if isinstance(node, Function) and given and given[0].arg in CONFIG_NAMES:
            yield node


def _intended(hydra: HydraConfig, run: RunConfig, mode: str) -> DictConfig | None:
    """What the files give to a run: its own values over those of the other configuration."""
    runs = {one.file.path for one in hydra.runs}
    values: dict[str, Any] = {}
    for path in (*(path for path in hydra.yaml_files if path not in runs), run.file.path):
        found = yaml_config.values(hydra.yaml_files.get(path, run.file.text))
        if isinstance(found, dict) and (path in runs or path.endswith("/config.yaml")):
            values = _over(values, found)
    key, _, value = mode.lstrip("+-").partition("=")
    values |= {key: value} if value else {}
    for group in hydra.groups:
        values[group] = yaml_config.values(run.file.text)
    if size(values) > LARGEST:
        return None
    try:
        return cast(
            "DictConfig",
            created({key: one for key, one in values.items() if key not in _OF_HYDRA}),
        )
    except (OmegaConfBaseException, ValueError, TypeError):
        return None


_OF_HYDRA = frozenset({"defaults", "hydra"})


def _over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    made = dict(below)
    for key, value in above.items():
        held = made.get(key)
        made[key] = (
            _over(held, value) if isinstance(held, dict) and isinstance(value, dict) else value
        )
    return made
