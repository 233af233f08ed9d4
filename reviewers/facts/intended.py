"""The intended configuration: what a start would receive if its error were corrected.

Hydra composes it too, and composition continues after each problem: the part of a YAML text that
parses is used; a run selected on the command line means the file of its name, in whichever folder
the run files are; a defaults entry that leads nowhere is left out; a rejected override still sets
its value, as with `++`. The problems are kept in the order in which a person who repairs one after
another meets them.

What is reported about it must not depend on how a defect is repaired. If it does, because one
repair puts the run file's keys at the top and another one under a group, `places_run_file` says so,
and what is found after it is not a blocker.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml.reader import Reader

from reviewers.facts import yaml_config
from reviewers.facts.composition import (
    Composed,
    CompositionProblem,
    compose_past_words,
    is_too_large,
)
from reviewers.facts.config_nodes import contained, copied, created

_MOST = 8  # problems of files, one after another


@dataclass(frozen=True, slots=True)
class Intended:
    """A configuration that Hydra gives once the start is repaired.

    Attributes:
        problems: what must be repaired for it, in the order in which Hydra meets it.
        places_run_file: the repair decides under which key the run file lies, or which keys
            of a text that does not parse there are; another one may decide otherwise.
    """

    config: DictConfig
    problems: tuple[CompositionProblem, ...]
    places_run_file: bool


def intended(
    yaml_files: Mapping[str, str],
    configuration: str,
    words: Sequence[str],
    run_id: str,
    groups: Sequence[str],
) -> Intended | None:
    """Compose past every problem; None if there is no configuration to start from.

    Args:
        yaml_files: the submission's YAML texts by path.
        configuration: the path of the one from which Hydra is to start.
        words: the command line's words.
        run_id: the run that is meant; empty if none is.
        groups: the names under which a run's file may be chosen.
    """
    folder, _, name = configuration.removesuffix(".yaml").rpartition("/")
    files = {
        path.removeprefix(f"{folder}/"): text
        for path, text in yaml_files.items()
        if path.startswith(f"{folder}/")
    }
    main, places = f"{name}.yaml", False
    problems: list[CompositionProblem] = []
    for _ in range(_MOST):
        if main not in files or is_too_large(files):
            return None
        texts = tuple(files.items())
        made = compose_past_words(texts, name, tuple(words))
        if isinstance(made, Composed):
            chosen = {key for one in made.refused if (key := _key(str(one.word))) in groups}
            meant = [f"{_key(word)}={run_id}" if _key(word) in chosen else word for word in words]
            again = compose_past_words(texts, name, tuple(meant)) if run_id else made
            config = again.config if isinstance(again, Composed) else made.config
            return Intended(config, (*problems, *made.refused), places or bool(chosen))
        if not problems or problems[-1].message != made.message:
            problems.append(made)
        broken = made.file if made.file in files and made.is_unreadable else None
        if broken is not None:
            files[broken], places = readable_part(files[broken]), True
        elif (repaired := _with_the_run(files, main, run_id, groups)) != files:
            files, places = repaired, True
        elif (shorter := _without_an_entry(files, main, name)) is not None:
            files[main] = shorter
        else:
            return None
    return None


def with_run_file(
    config: DictConfig,
    text: str | None,
    words: Sequence[str],
    groups: Sequence[str],
    without: Sequence[str],
) -> DictConfig:
    """A copy with the keys of the run file at the top and under each group, and with the words,
    whether they are accepted or refused.

    Args:
        without: the keys of the words that choose the run.
    """
    values = yaml_config.values(readable_part(text)) if text else None
    made = _with_values(config, values, groups) if isinstance(values, dict) else None
    if made is None:
        made = copied(config)
        OmegaConf.set_struct(made, False)
    for word in words:
        if "=" in word and _key(word) not in without and not word.startswith(("hydra.", "~")):
            _put(made, _key(word), word.partition("=")[2])
    OmegaConf.set_struct(made, True)
    return made


def _key(word: str) -> str:
    return word.partition("=")[0].lstrip("+")


def _with_values(
    config: DictConfig, values: dict[Any, Any], groups: Sequence[str]
) -> DictConfig | None:
    """A configuration with the values at its top and under each group; None if OmegaConf takes
    no such values. Merged as plain values, which costs a tenth of OmegaConf's own merge.
    """
    try:
        made: Any = contained(config, resolve=False)
        for whole in (values, *({group: values} for group in groups)):
            made = _merged(made, whole)
        found: DictConfig = created(made)
    except (OmegaConfBaseException, ValueError, TypeError):
        return None
    return found


def _merged(below: Any, above: Any) -> Any:
    """As OmegaConf merges: mappings key by key, all else is taken from above."""
    if not isinstance(below, dict) or not isinstance(above, dict):
        return above
    return below | {key: _merged(below.get(key), value) for key, value in above.items()}


def _put(config: DictConfig, key: str, value: str) -> None:
    try:
        OmegaConf.update(config, key, yaml_config.values(value), force_add=True)
    except (OmegaConfBaseException, ValueError, TypeError, AttributeError):
        return  # no place to be for it


def readable_part(text: str) -> str:
    """A YAML text without the line that it stumbles over and what lies under it, else as far as it
    can be read.
    """
    problem = yaml_config.problem(text)
    if problem is None:
        return text
    lines = text.splitlines()
    at = min(problem.line or 1, len(lines)) - 1
    depth, end = _depth(lines[at]) if lines else 0, at + 1
    while end < len(lines) and (not lines[end].strip() or _depth(lines[end]) > depth):
        end += 1
    candidates = ["\n".join([*lines[:at], *[""] * (end - at), *lines[end:]])]
    candidates.append(Reader.NON_PRINTABLE.sub(" ", text))
    candidates += ["\n".join(lines[:end]) for end in range(at, max(at - _MOST, 0), -1)]
    return next((one for one in candidates if yaml_config.problem(one) is None), "")


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _with_the_run(
    files: Mapping[str, str], main: str, run_id: str, groups: Sequence[str]
) -> dict[str, str]:
    """The files with the run that is meant as the defaults list's choice, in a folder of the name
    that it looks in.
    """
    repaired = dict(files)
    values = yaml_config.values(files[main])
    listed = values.get("defaults") if isinstance(values, dict) else None
    there = next((one for one in groups if f"{one}/{run_id}.yaml" in files), None)
    if not isinstance(listed, list) or there is None:
        return repaired
    chosen = [_choosing(entry, run_id, groups) for entry in listed]
    if chosen != listed:
        repaired[main] = yaml.safe_dump({**values, "defaults": chosen}, sort_keys=False)
    for here in {_group(entry) for entry in listed} & {*groups} - {there}:
        if f"{here}/{run_id}.yaml" not in files:
            repaired |= {
                f"{here}/{path.removeprefix(f'{there}/')}": text
                for path, text in files.items()
                if path.startswith(f"{there}/")
            }
    return repaired


def _group(entry: object) -> str:
    """The group that an entry of a defaults list chooses from."""
    key = str(next(iter(entry), "")) if isinstance(entry, dict) else ""
    return key.split(" ")[-1].partition("@")[0]


def _choosing(entry: object, run_id: str, groups: Sequence[str]) -> object:
    """An entry that chooses the run, where it leaves to a word, or to a key, which one is
    chosen.
    """
    if isinstance(entry, str):
        for group in groups:
            entry = entry.replace(f"${{{group}}}", run_id)
    if not isinstance(entry, dict) or _group(entry) not in groups:
        return entry
    return {
        key: run_id if "${" in str(option) or option in (None, "???") else option
        for key, option in entry.items()
    }


def _without_an_entry(files: Mapping[str, str], main: str, name: str) -> str | None:
    """The main text without the first entry of its defaults list with which nothing is composed;
    None if no entry is at fault.
    """
    values = yaml_config.values(files[main])
    listed = values.get("defaults") if isinstance(values, dict) else None
    if not isinstance(listed, list):
        return None
    for entry in listed:
        alone = yaml.safe_dump({**values, "defaults": [entry]}, sort_keys=False)
        texts = tuple({**files, main: alone}.items())
        if not isinstance(compose_past_words(texts, name, ()), Composed):
            kept = [other for other in listed if other is not entry]
            return yaml.safe_dump({**values, "defaults": kept}, sort_keys=False)
    return None
