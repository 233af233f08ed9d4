"""The paths of the values of a run's configuration, which a name that leads nowhere may mean."""

from collections.abc import Iterator, Mapping
from typing import Any

from omegaconf import DictConfig

from reviewers.facts import Facts, yaml_config
from reviewers.facts.config_nodes import contained
from reviewers.records import RunConfig


def known_paths(facts: Facts, run: RunConfig) -> Mapping[str, object]:
    """The values of a run by their dotted paths: those that Hydra composes, and those of its own
    file and the main configuration, which the code may merge. What lies at the top and under a
    group as well, since it is not certain where the run's file goes, is told at the top.
    """
    found: dict[str, object] = {}
    is_certain = True
    for start in facts.hydra.starts:
        config = None if start.is_imagined or start.run_id != run.run_id else start.config
        if isinstance(config, DictConfig):
            found |= _leaves(contained(config, resolve=False))
            is_certain = is_certain and start.repaired is None
    groups = [f"{group}." for group in facts.hydra.groups]
    main = facts.text(facts.contract.files.config or "") or ""
    for text in (run.file.text, main):
        for path, value in _leaves(yaml_config.values(text)).items():
            is_below = any(f"{group}{path}" in found for group in groups)
            if not is_below and not path.startswith(("defaults", "hydra.")):
                found.setdefault(path, value)
    doubled = {f"{group}{path}" for path in found for group in groups if not is_certain}
    return {path: value for path, value in found.items() if path not in doubled}


def sections(facts: Facts, dotted: str) -> Iterator[Mapping[str, Any]]:
    """What `cfg.a.b` is in each run file, with or without the group in which it lies."""
    path = dotted.split(".")[1:]
    for run in facts.runs:
        value: Any = yaml_config.values(run.file.text)
        for part in path[bool(path) and path[0] in facts.hydra.groups :]:
            value = value.get(part) if isinstance(value, dict) else None
        if isinstance(value, dict):
            yield value


def _leaves(value: Any) -> dict[str, object]:
    return dict(_all(value, ""))


def _all(value: Any, above: str) -> Iterator[tuple[str, object]]:
    for key, item in value.items() if isinstance(value, dict) else ():
        path = f"{above}{key}"
        if isinstance(item, dict) and item:
            yield from _all(item, f"{path}.")
        else:
            yield path, item
