"""Hydra's compose API: the configuration that a script composes by itself."""

import posixpath

from reviewers.facts.composition import Composed, CompositionProblem, compose_past_words
from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.files import from_root, path_of
from reviewers.facts.config_flow.tables import OutsideCall, transfer
from reviewers.facts.config_flow.values import UNKNOWN, ProblemKind, Value
from reviewers.facts.config_nodes import copied
from reviewers.facts.placed import without_place


@transfer("hydra.initialize_config_dir")
def _initialize_at(call: OutsideCall, config_dir: Value) -> Value:
    """Keep the folder of which `compose` will read."""
    path = path_of(config_dir)
    folder = None if path is None else from_root(call.follower, path)
    call.follower.config_folder = None if folder is None or "{}" in folder else folder
    return UNKNOWN


@transfer("hydra.initialize")
def _initialize(call: OutsideCall, config_path: Value = ".") -> Value:
    """The same with a path from the file that calls it."""
    known = isinstance(config_path, str) and call.scope is not None
    call.follower.config_folder = (
        posixpath.normpath(posixpath.join(posixpath.dirname(call.scope.file.path), config_path))
        if known and call.scope is not None
        else None
    )
    return UNKNOWN


@transfer("hydra.compose")
def _compose(call: OutsideCall, config_name: Value = None, overrides: Value = ()) -> Value:
    """What Hydra composes."""
    follower, folder = call.follower, call.follower.config_folder
    words = follower.turns(overrides) if overrides else []
    if (
        folder is None
        or words is None
        or not isinstance(config_name, str | None)
        or not all(isinstance(word, str) and "{" not in word for word in words)
    ):
        return UNKNOWN
    files = {
        path.removeprefix(f"{folder}/"): text
        for path, text in follower.yaml_files.items()
        if path.startswith(f"{folder}/")
    }
    follower.spend(1_000 + sum(map(len, files.values())) // 100)
    name = None if config_name is None else str(without_place(config_name))
    made = compose_past_words(
        tuple(files.items()), name, tuple(str(without_place(word)) for word in words)
    )
    problem = made.problem if isinstance(made, Composed) else made
    config = copied(made.config) if isinstance(made, Composed) else UNKNOWN
    if isinstance(problem, CompositionProblem):
        kind = ProblemKind.INVALID_VALUE
        raise AccessError(kind, problem.error, problem.message, "", None, config)
    return config
