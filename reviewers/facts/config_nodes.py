"""Builds OmegaConf's nodes without its checks if there is nothing to check.

The result equals that of `OmegaConf.create` for plain values, in a tenth of the time: OmegaConf
tests every text, number, list and mapping for being a dataclass, a node, an annotation or a flag.
`tests/reviewers/facts/test_config_nodes.py` compares the two.
"""

import copy
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, TypeVar

from omegaconf import AnyNode, DictConfig, ListConfig, Node, OmegaConf, flag_override
from omegaconf._utils import get_value_kind
from omegaconf.base import ContainerMetadata, Metadata
from omegaconf.errors import OmegaConfBaseException

_KEYS = frozenset({str, int, float, bool})
_VALUES = frozenset({*_KEYS, type(None)})
_Config = TypeVar("_Config", bound=DictConfig | ListConfig)
_COPIED = frozenset({AnyNode, DictConfig, ListConfig})


class _Unusual(Exception):
    """A value of which OmegaConf itself must say what happens to it."""


def created(values: Any) -> Any:
    """Return what `OmegaConf.create` does, and raise what it does."""
    if type(values) in (dict, list):
        try:
            return _made(values, None, None)
        except (_Unusual, OmegaConfBaseException):
            pass  # as below, in OmegaConf's words
    return OmegaConf.create(values)


def copied(config: _Config) -> _Config:
    """Return what `copy.deepcopy` does: a copy that shares nothing but the node above it, flags
    included.
    """
    made: _Config = _copied(config, config._get_parent())
    return made


def merged(configs: Sequence[Any]) -> Any:
    """Return what `OmegaConf.merge` does, and raise what it does."""
    first, *others = configs
    if type(first) is not DictConfig:
        return OmegaConf.merge(*configs)
    target = copied(first)
    with flag_override(target, "readonly", False):
        merge_into(target, others)
        is_fixed = target._get_flag("readonly") is True
    if is_fixed:
        OmegaConf.set_readonly(target, True)
    return target


def merge_into(target: DictConfig, others: Sequence[Any]) -> None:
    """Do what `target.merge_with` does, and raise what it does."""
    for other in others:
        try:
            source = created(other) if type(other) is dict else other
            if type(target) is not type(source) or target._get_flag("readonly"):
                raise _Unusual
            _merge(target, source)
        except (_Unusual, OmegaConfBaseException):
            target.merge_with(other)  # what is merged already stays as it is


def contained(config: DictConfig | ListConfig, *, resolve: bool) -> Any:
    """Return what `OmegaConf.to_container` does, and raise what it does."""
    try:
        return _contained(config, resolve)
    except _Unusual:
        return OmegaConf.to_container(config, resolve=resolve)


def _contained(node: Any, resolve: bool) -> Any:
    kind, state = type(node), node.__dict__
    if kind is AnyNode:
        value = state["_val"]
        if type(value) not in _VALUES or (type(value) is str and resolve and "${" in value):
            raise _Unusual
        return value
    content = state.get("_content")
    if kind is DictConfig and type(content) is dict:
        return {key: _contained(item, resolve) for key, item in content.items()}
    if kind is ListConfig and type(content) is list:
        return [_contained(item, resolve) for item in content]
    raise _Unusual


def _merge(target: Any, source: Any) -> None:
    """Merge one mapping into another, in the order in which OmegaConf does."""
    content, added = _entries(target), _entries(source)
    is_closed = target._get_flag("struct") is True
    for key, node in added.items():
        before = content.get(key)
        if type(before) is DictConfig and type(node) is DictConfig:
            _merge(before, node)
        elif type(before) is AnyNode or (before is None and not is_closed):
            if _is_special(before) or _is_missing(node):
                raise _Unusual
            content[key] = made = _copied(node, target)
            made._metadata.key = key
        else:
            raise _Unusual
    for flag, value in source._metadata.flags.items():
        if value is not None:
            target._set_flag(flag, value)


def _entries(node: Any) -> dict[Any, Any]:
    """The nodes of a mapping that has any keys and values."""
    state, metadata = node.__dict__, node.__dict__["_metadata"]
    types = metadata.ref_type, metadata.element_type, metadata.key_type
    is_plain = types == (Any, Any, Any) and metadata.object_type in (dict, None)
    content = state["_content"]
    if type(content) is not dict or not is_plain or metadata.flags.get("readonly") is not None:
        raise _Unusual
    return content


def _is_special(node: Any) -> bool:
    """Whether a value stands for another one, or for none."""
    value = None if node is None else node.__dict__["_val"]
    return type(value) not in _VALUES or (type(value) is str and "${" in value)


def _is_missing(node: Any) -> bool:
    """Whether a node may stand for no value."""
    if type(node) is AnyNode:
        return type(node.__dict__["_val"]) not in _VALUES or node.__dict__["_val"] == "???"
    return type(node) not in _COPIED or type(node.__dict__["_content"]) not in (dict, list)


def _made(value: Any, key: Any, parent: Any) -> Any:
    kind = type(value)
    if kind in _VALUES:
        if kind is str and "${" in value:
            get_value_kind(value, strict_interpolation_validation=True)
        return _node(AnyNode, _of_value(key), parent, _val=value)
    if kind is dict:
        content: dict[Any, Any] = {}
        node = _node(DictConfig, _of_container(key, dict, Any), parent, _content=content)
        for name, item in value.items():
            if type(name) not in _KEYS:
                raise _Unusual
            content[name] = _made(item, name, node)
        return node
    if kind is list:
        items: list[Any] = []
        node = _node(ListConfig, _of_container(key, list, int), parent, _content=items)
        items += [_made(item, at, node) for at, item in enumerate(value)]
        return node
    raise _Unusual


def _node(kind: type[Node], metadata: Metadata, parent: Any, **held: Any) -> Any:
    made = kind.__new__(kind)
    made.__dict__.update(_metadata=metadata, _parent=parent, _flags_cache=None, **held)
    return made


def _of_value(key: Any) -> Metadata:
    made = Metadata.__new__(Metadata)
    made.__dict__ = {
        "ref_type": Any,
        "object_type": None,
        "optional": True,
        "key": key,
        "flags": {},
        "flags_root": False,
        "resolver_cache": defaultdict(dict),
    }
    return made


def _of_container(key: Any, kind: type[Any], key_type: Any) -> Metadata:
    made = ContainerMetadata.__new__(ContainerMetadata)
    made.__dict__ = _of_value(key).__dict__ | {
        "object_type": kind,
        "key_type": key_type,
        "element_type": Any,
    }
    return made


def _copied(node: Any, parent: Any) -> Any:
    kind: type[Node] = type(node)
    state = node.__dict__
    if kind not in _COPIED:
        made = copy.deepcopy(node)
        made.__dict__["_parent"] = parent
        return made
    metadata = state["_metadata"]
    of_metadata: type[Metadata] = type(metadata)
    same = of_metadata.__new__(of_metadata)
    same.__dict__ = {
        **metadata.__dict__,
        "flags": dict(metadata.flags),
        "resolver_cache": copy.deepcopy(metadata.resolver_cache)
        if metadata.resolver_cache
        else defaultdict(dict),
    }
    made = kind.__new__(kind)
    made.__dict__.update(state, _metadata=same, _parent=parent, _flags_cache=None)
    if kind is AnyNode:
        return made
    content = state.get("_content")
    if isinstance(content, dict):
        made.__dict__["_content"] = {key: _copied(item, made) for key, item in content.items()}
    elif isinstance(content, list):
        made.__dict__["_content"] = [_copied(item, made) for item in content]
    return made
