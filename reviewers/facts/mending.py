"""What the code would get if the start were mended as Hydra's own message says, so that what waits
behind it is found too.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from omegaconf import DictConfig

from reviewers.facts.composition import CompositionProblem, compose, is_too_large

_NOT_OVERRIDDEN = re.compile(r"Could not override '([\w@/]+)'")
_NOT_FOUND = re.compile(r"Could not find '([\w-]+)/([^']+)'")
_LINE = re.compile(r"line (\d+)")
_MOST = 6  # mends, one after another


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
    yaml_files: Mapping[str, str],
    configuration: str,
    words: Sequence[str],
    run_id: str,
    groups: Sequence[str],
) -> Mended | None:
    """Compose with the smallest change that makes Hydra go on; None where none of those known does.

    Args:
        yaml_files: the submission's YAML texts by path.
        configuration: the path of the one from which Hydra is to start.
        words: the command line's words.
        groups: the names under which a run's file may be chosen.
    """
    folder, _, name = configuration.removesuffix(".yaml").rpartition("/")
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
        composed = compose(files, name, changed, hydras_own=False)
        if isinstance(composed, DictConfig):
            return Mended(composed, places)
        key = _NOT_OVERRIDDEN.search(composed.message)
        if key is not None and any(word.startswith(f"{key[1]}=") for word in changed):
            changed = [f"+{word}" if word.startswith(f"{key[1]}=") else word for word in changed]
            places = places or key[1] in groups
        elif (
            (asked := _asked_for(composed, groups)) is not None
            and f"{name}.yaml" in files
            and asked in files[f"{name}.yaml"]
        ):
            files[f"{name}.yaml"] = files[f"{name}.yaml"].replace(asked, run_id)
            places = True
        elif (group := _empty_group(composed, files, groups)) is not None:
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


def _empty_group(
    problem: CompositionProblem, files: Mapping[str, str], groups: Sequence[str]
) -> tuple[str, str] | None:
    """The group that Hydra looks for in vain, and the folder that the run files lie in under the
    other name.
    """
    found = _NOT_FOUND.search(problem.message)
    for here, there in permutations(groups, 2):
        if (
            found
            and found[1] == here
            and f"{there}/{found[2]}.yaml" in files
            and f"{here}/{found[2]}.yaml" not in files
        ):
            return here, f"{there}/"
    return None


def _asked_for(problem: CompositionProblem, groups: Sequence[str]) -> str | None:
    """The interpolation of a plain key that Hydra does not resolve in a defaults list."""
    keys = (f"${{{group}}}" for group in groups if "interpolation" in problem.message)
    return next((key for key in keys if key in problem.message), None)
