"""Configurations that are put together directly are the objects that OmegaConf makes itself."""

import copy
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from omegaconf import DictConfig, ListConfig, OmegaConf
from omegaconf.base import Node
from omegaconf.errors import OmegaConfBaseException

from reviewers.facts.config_nodes import contained, copied, created, merge_into, merged

KEYS = st.one_of(st.text(max_size=3), st.integers(), st.booleans(), st.floats(allow_nan=False))
TEXTS = st.sampled_from(["", "adam", "???", "${lr}", "${a.b}/x", "${oc.env:HOME}", "a${", "${{}}"])
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), TEXTS),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(KEYS, inside, max_size=3),
    max_leaves=12,
)


def state(node: object, parent: object = None) -> object:
    """All that a node holds, its place in the tree included."""
    if not isinstance(node, Node):
        return type(node), node
    assert node.__dict__["_parent"] is parent
    content = node.__dict__.get("_content")
    inside: object = type(content), content
    if isinstance(content, dict):
        inside = [(type(key), key, state(item, node)) for key, item in content.items()]
    elif isinstance(content, list):
        inside = [state(item, node) for item in content]
    value = node.__dict__.get("_val")
    metadata = node._metadata
    return type(node), type(metadata), vars(metadata), type(value), value, inside


def outcome(make: Callable[[object], object], values: object) -> object:
    """The object, or the error in its words."""
    try:
        return state(make(values))
    except OmegaConfBaseException as error:
        return type(error), str(error)


@given(st.one_of(st.lists(VALUES, max_size=3), st.dictionaries(KEYS, VALUES, max_size=4)))
def test_a_configuration_is_the_one_that_omegaconf_creates(values):
    assert outcome(created, values) == outcome(OmegaConf.create, values)


@pytest.mark.parametrize(
    "values",
    [{None: 1}, {"a": object()}, {"a": {1, 2}}, {("a", "b"): 1}],
    ids=["no-key", "object", "set", "pair"],
)
def test_what_omegaconf_refuses_is_refused_in_its_words(values):
    with pytest.raises(OmegaConfBaseException):
        OmegaConf.create(values)
    assert outcome(created, values) == outcome(OmegaConf.create, values)


def test_what_is_no_plain_value_is_left_to_omegaconf():
    values = {"data": b"x", "pair": (1, 2), "inner": OmegaConf.create({"a": 1})}

    assert state(created(values)) == state(OmegaConf.create(values))


# Few names, so that what is merged meets.
MERGED = st.recursive(
    st.one_of(st.none(), st.integers(0, 3), st.sampled_from(["sgd", "???", "${a}", "${lr}"])),
    lambda inside: (
        st.lists(inside, max_size=2) | st.dictionaries(st.sampled_from(["a", "lr", 1]), inside)
    ),
    max_leaves=10,
)


@given(
    st.dictionaries(st.sampled_from(["a", "lr", 1]), MERGED),
    st.lists(MERGED, max_size=2),
    st.sampled_from(["struct", "readonly", "own", ""]),
    st.sampled_from(["struct", "readonly", ""]),
)
def test_merging_gives_the_nodes_that_omegaconf_gives(below, others, flag, flag_of_others):
    def merge(by: Callable[[DictConfig, list[object]], None]) -> object:
        target = OmegaConf.create(below, flags={flag: True} if flag else None)
        flags = {flag_of_others: True} if flag_of_others else None
        parts = [
            OmegaConf.create(one, flags=flags) if isinstance(one, dict | list) else one
            for one in others
        ]
        try:
            by(target, parts)
        except (OmegaConfBaseException, ValueError, TypeError, AssertionError) as error:
            return type(error), str(error)
        return state(target)

    assert merge(merge_into) == merge(lambda target, parts: target.merge_with(*parts))


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_a_copy_shares_nothing_and_keeps_the_flags(values):
    try:
        config = OmegaConf.create(values)
    except OmegaConfBaseException:
        return
    OmegaConf.set_struct(config, True)
    before = copy.deepcopy(state(config))

    made = copied(config)

    assert state(made) == before
    for node in _containers(made):
        OmegaConf.set_readonly(node, True)
        node.__dict__["_content"].clear()
    assert state(config) == before


@given(st.lists(st.dictionaries(KEYS, VALUES, max_size=4), min_size=2, max_size=3), st.booleans())
def test_configurations_are_merged_as_omegaconf_merges_them(parts, is_struct):
    try:
        configs = [OmegaConf.create(part) for part in parts]
    except OmegaConfBaseException:
        return
    OmegaConf.set_struct(configs[0], is_struct)
    before = [copy.deepcopy(state(config)) for config in configs]

    made = outcome(lambda given: merged(given), configs)

    assert made == outcome(lambda given: OmegaConf.merge(*given), configs)
    assert [state(config) for config in configs] == before


BASE = {"a": {"b": 1, "c": {"d": [1, {"e": 2}]}}, "none": None, "same": "${a.b}"}
MERGED = {
    "a value": {"a": {"b": 2}},
    "a new key": {"a": {"c": {"new": {"x": 1}}}},
    "a list": {"a": {"c": {"d": [3]}}},
    "a section for a value": {"a": {"b": {"c": 1}}},
    "a value for a section": {"a": {"c": 3}},
    "nothing": {"a": None, "none": {"x": 1}},
    "a missing value": {"a": {"b": "???"}},
    "an interpolation": {"a": {"b": "${none}"}, "same": 3},
    "a list for a section": {"a": [1]},
}


@pytest.mark.parametrize("other", MERGED.values(), ids=MERGED)
@pytest.mark.parametrize("flag", ["struct", "readonly", "other", None])
def test_what_a_merge_replaces_and_refuses(other, flag):
    for flagged in ((), ("a",)):
        config, added = OmegaConf.create(BASE), OmegaConf.create(other)
        for node in [OmegaConf.select(config, path) for path in flagged] or [config, added]:
            if flag is not None:
                node._set_flag(flag, True)
        for both in ([config, added], [config, other], [config, config]):
            made = outcome(lambda parts: merged(parts), both)
            assert made == outcome(lambda parts: OmegaConf.merge(*parts), both)


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.booleans())
def test_the_plain_values_are_those_that_omegaconf_gives(values, resolve):
    try:
        config = OmegaConf.create(values)
    except OmegaConfBaseException:
        return

    made = outcome(lambda given: contained(given, resolve=resolve), config)

    assert made == outcome(lambda given: OmegaConf.to_container(given, resolve=resolve), config)


def _containers(node: object) -> list[DictConfig | ListConfig]:
    content = node.__dict__.get("_content") if isinstance(node, DictConfig | ListConfig) else None
    if isinstance(content, dict | list):
        parts = content.values() if isinstance(content, dict) else content
        return [*(found for part in parts for found in _containers(part)), node]
    return []


def test_a_copy_holds_what_was_set_and_forgotten_since():
    config = OmegaConf.create({"a": {"b": 1}, "gone": {"x": 1}, "typed": OmegaConf.create([1])})
    config.a = None
    config.gone = "???"
    config.typed = "${a}"

    assert state(copied(config)) == state(config)
