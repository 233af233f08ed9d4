"""What OmegaConf's functions, the methods of configurations and Hydra's compose API do."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from omegaconf import DictConfig, ListConfig, OmegaConf

from reviewers.facts import yaml_config
from reviewers.facts.composition import Composed, CompositionProblem, compose_past_words
from reviewers.facts.config_flow import access
from reviewers.facts.config_flow.access import REFUSALS, AccessError, translated
from reviewers.facts.config_flow.cells import Cell, Each
from reviewers.facts.config_flow.files import folder_of, snapshot, within
from reviewers.facts.config_flow.parsers import Namespace
from reviewers.facts.config_flow.tables import OutsideCall, method, transfer
from reviewers.facts.config_flow.values import (
    ANYTHING,
    PLAIN,
    UNKNOWN,
    Fixed,
    ProblemKind,
    SomePath,
    Value,
    Within,
    is_config,
)
from reviewers.facts.config_nodes import copied, created, merge_into, merged
from reviewers.facts.placed import place_of, without_place


@transfer("omegaconf.OmegaConf.merge", "omegaconf.OmegaConf.unsafe_merge")
def _merge(call: OutsideCall, *parts: Value) -> Value:
    taken = (dict, *PLAIN)
    if not parts or not all(is_config(part) or isinstance(part, taken) for part in parts):
        return UNKNOWN
    known = [access.storable(part) for part in parts]
    if sum(isinstance(part, str) for part in known) > sum(isinstance(one, str) for one in parts):
        return UNKNOWN
    try:
        return merged(known)
    except REFUSALS as error:
        first = next((part for part in parts if type(part) is DictConfig), None)
        raise _refused(error, None if first is None else copied(first), parts[1:]) from None


def _refused(error: Exception, target: DictConfig | None, parts: Sequence[Value]) -> AccessError:
    """Why a merge is refused; the way goes on with what it gives with struct mode off."""
    key = getattr(error, "full_key", None) or getattr(error, "key", None) or ""
    made = access.as_ours(error, ProblemKind.MERGE, str(key))
    if target is not None:
        access.mend(target)
        with suppress(*REFUSALS):
            merge_into(target, parts)
            made.instead = target
    return made


@transfer("hydra.core.hydra_config.HydraConfig.get")
def _hydras_own(call: OutsideCall) -> Value:
    """What Hydra keeps of a start: its directory, and the file that each group was given."""
    follower = call.follower
    follower.trace.asks_folder = True
    words = [word for word in follower.argv or () if isinstance(word, str)]
    pairs = (word.lstrip("+").partition("=") for word in words)
    choices: dict[str, Value] = {key: file for key, sign, file in pairs if sign and "." not in key}
    folder = within(follower.origin, SomePath((), here=True))
    runtime: dict[str, Value] = {"cwd": folder, "choices": {**choices, ANYTHING: UNKNOWN}}
    return Namespace({"runtime": Namespace(runtime)})


@transfer("omegaconf.OmegaConf.create")
def _create(call: OutsideCall, obj: Value = None) -> Value:
    given = obj if call.args or "obj" in call.keywords else {}
    if isinstance(given, str):  # it is the text of a YAML document
        given = yaml_config.values(str(given))
        given = UNKNOWN if given is None else given
    if not (is_config(given) or isinstance(given, dict | list | None)):
        return UNKNOWN
    stored = access.storable(given)
    if isinstance(stored, str):
        return UNKNOWN
    return translated(ProblemKind.MERGE, "", lambda: created(stored))


@transfer("omegaconf.OmegaConf.from_cli", "omegaconf.OmegaConf.from_dotlist")
def _from_words(call: OutsideCall) -> Value:
    """What OmegaConf makes of key=value words, by default those of the command line."""
    words = call.values[0] if call.values else call.follower.words
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        return UNKNOWN
    try:
        return OmegaConf.from_dotlist([str(without_place(word)) for word in words])
    except REFUSALS:
        return UNKNOWN


@transfer("omegaconf.OmegaConf.to_container")
def _container(call: OutsideCall, cfg: Value, resolve: Value = None) -> Value:
    if not is_config(cfg):
        return UNKNOWN
    return access.resolved(cfg) if resolve is True else access.plain(cfg)


@transfer("omegaconf.OmegaConf.set_readonly", "omegaconf.OmegaConf.set_struct")
def _set_flag(call: OutsideCall, conf: Value, value: Value) -> Value:
    if is_config(conf):
        change = access.set_struct if call.callee.short == "set_struct" else OmegaConf.set_readonly
        change(conf, value if isinstance(value, bool | None) else False)
    return None


@transfer("omegaconf.open_dict", "omegaconf.read_write")
def _opening(call: OutsideCall, config: Value) -> Value:
    return Within(config if call.callee.short == "open_dict" else None)


@transfer("omegaconf.OmegaConf.update")
def _update(
    call: OutsideCall,
    cfg: Value,
    key: Value,
    value: Value = UNKNOWN,
    merge: Value = True,
    force_add: Value = False,
) -> Value:
    if not is_config(cfg) or not isinstance(key, str):
        return None
    is_forced, follower = force_add is True, call.follower
    if (at := call.span) is not None:
        access.note_created(follower.trace.created, cfg, key, value, at, is_forced=is_forced)
    change = partial(OmegaConf.update, cfg, key, access.storable(value))
    try:
        change(merge=merge is not False, force_add=is_forced)
    except REFUSALS as error:
        with suppress(*REFUSALS):
            change(force_add=True)
        above = access.path_of(cfg)
        refused = access.as_ours(
            error, ProblemKind.REJECTED_WRITE, f"{above}.{key}" if above else key
        )
        refused.cause = key if place_of(key) is not None else None
        raise refused from None
    return None


@transfer("omegaconf.OmegaConf.select")
def _select(call: OutsideCall, cfg: Value, key: Value, default: Value = None) -> Value:
    known = is_config(cfg) and isinstance(key, str)
    return access.read_path(cfg, key, default) if known else UNKNOWN


# There is no `OmegaConf.deepcopy`; what waits behind it is found all the same.
@transfer("copy.copy", "copy.deepcopy", "omegaconf.OmegaConf.deepcopy")
@method(DictConfig, "copy")
def _copied(call: OutsideCall, x: Value) -> Value:
    if is_config(x):
        return copied(x)
    if isinstance(x, Each) and isinstance(x.item, Cell):
        return Each(x.item.anew(call.line), x.size, call.line)
    return (
        x.anew(call.line) if isinstance(x, Cell) else snapshot(x) if type(x) in (dict, list) else x
    )


# Methods of configurations


@method(DictConfig, "get", "setdefault")
def _get(
    call: OutsideCall,
    owner: DictConfig,
    key: Value,
    default: Value = None,
    default_value: Value = None,
) -> Value:
    follower = call.follower
    default = default_value if default is None else default
    if not isinstance(key, (str, int)):
        return UNKNOWN
    if key in owner.keys():  # noqa: SIM118
        return access.read(owner, key, as_attribute=False)
    if call.name == "setdefault":
        access.write(owner, key, default, as_attribute=False)
        return default
    # Behind a failure the way goes on as it is meant: with the run file's own value.
    path = access.path_of(owner, key)
    meant = follower.intended_at(path) if follower.trace.uses_intended else UNKNOWN
    return default if meant is UNKNOWN else meant


@method(DictConfig, "pop")
def _pop(call: OutsideCall, owner: DictConfig, key: Value, *default: Value) -> Value:
    if not isinstance(key, (str, int)):
        return UNKNOWN
    return access.take_out(owner, key, *default[:1])


@method(DictConfig, "items", "keys")
def _entries(call: OutsideCall, owner: DictConfig) -> Value:
    if call.name == "keys":
        return access.keys(owner)
    return [Fixed(pair) for pair in access.entries(owner).items()]


@method(DictConfig, "update", "merge_with")
def _merge_with(call: OutsideCall, owner: DictConfig, *parts: Value) -> Value:
    is_mapping = bool(parts) and (type(parts[0]) is DictConfig or isinstance(parts[0], dict))
    is_named = call.name == "update" and not parts and call.keywords and not call.is_open
    if not is_mapping and not is_named:
        return UNKNOWN
    given = access.storable(parts[0] if is_mapping else dict(call.keywords))
    try:
        return owner.update(given) if is_named else merge_into(owner, [given])
    except REFUSALS as error:
        raise _refused(error, owner, parts) from None


@method(ListConfig, "append", "clear", "extend", "insert", "pop")
def _changed(call: OutsideCall, owner: ListConfig, *args: Value) -> Value:
    stored, change = map(access.storable, args), getattr(owner, call.name)
    path = access.path_of(owner)
    return translated(ProblemKind.REJECTED_WRITE, path, lambda: change(*stored))


# Hydra's compose API: the configuration that a script composes by itself


@transfer("hydra.initialize_config_dir")
def _initialize_at(call: OutsideCall, config_dir: Value) -> Value:
    """Keep the folder of which `compose` will read."""
    call.follower.config_folder = folder_of(call.follower, config_dir)
    return UNKNOWN


@transfer("hydra.initialize")
def _initialize(call: OutsideCall, config_path: Value = ".") -> Value:
    """The same with a path from the file that calls it."""
    if call.scope is None or not isinstance(config_path, str):
        return _initialize_at(call, UNKNOWN)
    here = SomePath((*call.scope.file.path.split("/"),)).above()
    return _initialize_at(call, here.joined(config_path))


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
