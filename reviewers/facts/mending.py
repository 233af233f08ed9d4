"""What the code would get if the start were mended as Hydra's own message says, so that what waits
behind it is found too.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from omegaconf import DictConfig

from reviewers.facts.composition import CompositionProblem, compose, is_too_large

_NOT_OVERRIDDEN = re.compile(r"Could not override '([\w@/]+)'")
_NOT_FOUND = re.compile(r"Could not find '(runs?)/([^']+)'")
_LINE = re.compile(r"line (\d+)")
_MOST = 6  # mends, one after another
_FOLDER, _NAME = "config", "config"


@dataclass(frozen=True, slots=True)
class Mended:
    """A configuration that Hydra gives once the start is mended.

    Attributes:
        once: what is mended, to be said after "once".
        places_run_file: the mend decides under which key the run file comes to lie; another one may
            place it elsewhere.
    """

    config: DictConfig
    places_run_file: bool
    once: str = "Hydra composes the configuration"


def mended(
    yaml_files: Mapping[str, str], folder: str, name: str | None, words: Sequence[str], run_id: str
) -> Mended | None:
    """Compose with the smallest change that makes Hydra go on; None where none of those known does.

    Args:
        yaml_files: the submission's YAML texts by path.
        folder: the configuration folder that the decorator names.
        name: the configuration that it names; None where it names none.
        words: the command line's words.
    """
    if f"{folder}/{name}.yaml" not in yaml_files:
        folder, name = _FOLDER, _NAME
    files = {
        path.removeprefix(f"{folder}/"): text
        for path, text in yaml_files.items()
        if path.startswith(f"{folder}/")
    }
    changed = list(words)
    places = False
    for _ in range(_MOST):
        if is_too_large(files):
            return None
        composed = compose(files, name, changed)
        if isinstance(composed, DictConfig):
            return Mended(composed, places)
        key = _NOT_OVERRIDDEN.search(composed.message)
        if key is not None and any(word.startswith(f"{key[1]}=") for word in changed):
            changed = [f"+{word}" if word.startswith(f"{key[1]}=") else word for word in changed]
            places = places or key[1] in ("run", "runs")
        elif (
            _asks_for_a_plain_key(composed)
            and f"{name}.yaml" in files
            and "${run}" in files[f"{name}.yaml"]
        ):
            files[f"{name}.yaml"] = files[f"{name}.yaml"].replace("${run}", run_id)
            places = True
        elif (group := _empty_group(composed, files)) is not None:
            files |= {
                f"{group[0]}/{path.removeprefix(group[1])}": text
                for path, text in files.items()
                if path.startswith(group[1])
            }
            places = True
        elif (
            composed.file in files
            and (broken := _LINE.search(composed.message))
            and composed.error == "ConfigLoadError"
        ):
            files[composed.file] = "\n".join(
                files[composed.file].splitlines()[: int(broken[1]) - 1]
            )
        else:
            return None
    return None


def _empty_group(problem: CompositionProblem, files: Mapping[str, str]) -> tuple[str, str] | None:
    """The group that Hydra looks for in vain, and the folder that the run files lie in under the
    other name.
    """
    found = _NOT_FOUND.search(problem.message)
    for here, there in (("run", "runs"), ("runs", "run")):
        if (
            found
            and found[1] == here
            and f"{there}/{found[2]}.yaml" in files
            and f"{here}/{found[2]}.yaml" not in files
        ):
            return here, f"{there}/"
    return None


def _asks_for_a_plain_key(problem: CompositionProblem) -> bool:
    return "interpolation" in problem.message and "${run}" in problem.message
