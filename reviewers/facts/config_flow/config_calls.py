"""What OmegaConf's functions and the methods of configurations do, with OmegaConf's own errors."""

from collections.abc import Sequence
from contextlib import suppress

from omegaconf import DictConfig, ListConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from reviewers.facts import yaml_config
from reviewers.facts.config_flow import access
from reviewers.facts.config_flow.access import AccessError, translated
from reviewers.facts.config_flow.cells import Cell, Each
from reviewers.facts.config_flow.files import snapshot
from reviewers.facts.config_flow.tables import OutsideCall, method, transfer
from reviewers.facts.config_flow.values import (
    PLAIN,
    UNKNOWN,
    Fixed,
    Opening,
    ProblemKind,
    Value,
    is_config,
)
from reviewers.facts.config_nodes import copied, created, merge_into, merged

_MERGED = (OmegaConfBaseException, TypeError, ValueError, AssertionError, AttributeError)


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
    except _MERGED as error:
        key = getattr(error, "full_key", None) or getattr(error, "key", None) or ""
        said = access.first_line(error)
        first = next((part for part in parts if type(part) is DictConfig), None)
        made = _merged_anyway(None if first is None else copied(first), parts[1:])
        kind = ProblemKind.MERGE
        raise AccessError(kind, type(error).__name__, said, str(key), None, made) from None


def _merged_anyway(target: DictConfig | None, parts: Sequence[Value]) -> Value:
    """What a merge would have given with struct mode off, so that the way can be followed on."""
    if target is None:
        return UNKNOWN
    access.mend(target)
    with suppress(OmegaConfBaseException, TypeError, ValueError):
        merge_into(target, parts)
        return target
    return UNKNOWN


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
    return Opening(config)


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
    if call.node is not None and call.scope is not None:
        at = call.scope.span(call.node)
        access.note_created(follower.trace.created, cfg, key, value, at, is_forced=is_forced)
    try:
        access.update(cfg, key, value, merge=merge is not False, force_add=is_forced)
    except AccessError:
        with suppress(AccessError):
            access.update(cfg, key, value, merge=True, force_add=True)
        raise
    return None


@transfer("omegaconf.OmegaConf.select")
def _select(call: OutsideCall, cfg: Value, key: Value, default: Value = None) -> Value:
    known = is_config(cfg) and isinstance(key, str)
    return access.read_path(cfg, key, default) if known else UNKNOWN


@transfer("omegaconf.OmegaConf.from_dotlist")
def _dot_list(call: OutsideCall, dotlist: Value) -> Value:
    words = call.follower.turns(dotlist)
    if words is None or not all(isinstance(word, str) and "{" not in word for word in words):
        return UNKNOWN
    return translated(ProblemKind.MERGE, "", lambda: OmegaConf.from_dotlist(words))


@transfer("omegaconf.OmegaConf.from_cli")
def _command_line(call: OutsideCall, args_list: Value = None) -> Value:
    return _dot_list(call, call.follower.words if args_list is None else args_list)


# There is no `OmegaConf.deepcopy`; what waits behind it is found all the same.
@transfer("copy.copy", "copy.deepcopy", "omegaconf.OmegaConf.deepcopy")
@method(DictConfig, "copy")
def _copied(call: OutsideCall, x: Value) -> Value:
    if is_config(x):
        return copied(x)
    if isinstance(x, Each) and isinstance(x.item, Cell):
        return Each(x.item.anew(), x.size)
    return x.anew() if isinstance(x, Cell) else snapshot(x) if type(x) in (dict, list) else x


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
    if not isinstance(key, str | int):
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
    if not isinstance(key, str | int):
        return UNKNOWN
    return translated(ProblemKind.MISSING_KEY, str(key), lambda: owner.pop(key, *default[:1]))


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
        if is_named:
            return translated(ProblemKind.MERGE, "", lambda: owner.update(given))
        return translated(ProblemKind.MERGE, "", lambda: merge_into(owner, [given]))
    except AccessError as error:
        error.instead = _merged_anyway(owner, parts)
        raise


@method(ListConfig, "append", "clear", "extend", "insert", "pop")
def _changed(call: OutsideCall, owner: ListConfig, *args: Value) -> Value:
    stored, change = map(access.storable, args), getattr(owner, call.name)
    path = access.path_of(owner)
    return translated(ProblemKind.REJECTED_WRITE, path, lambda: change(*stored))
