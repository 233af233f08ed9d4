"""Guards the table of data sets of the Hub: its entries are consistent, and its names lead to one
data set each.
"""

import tomllib
from importlib import resources

import pytest

from reviewers.facts.hub_datasets import find_dataset, is_absent, name_instead

KINDS = {"any", "bool", "dict", "float", "image", "int", "list", "str"}
TABLE = tomllib.loads(
    resources.files("reviewers.facts").joinpath("hub_datasets.toml").read_text("utf-8")
)
IDS = [id for id, entry in TABLE.items() if isinstance(entry, dict) and id != "instead"]


@pytest.mark.parametrize("id", IDS)
def test_an_entry_is_consistent(id: str) -> None:
    entry = TABLE[id]
    configs = entry.get("configs", [])
    for name in [None, *configs]:
        found = find_dataset(id, name)
        assert found is not None
        assert set(found.columns.values()) <= KINDS
    assert {entry.get("default"), entry.get("example")} <= {None, *configs} or not configs
    assert set(entry.get("of", {})) <= set(configs)
    assert not is_absent(id)
    assert not any(map(is_absent, entry.get("also", ())))


def test_a_name_leads_to_one_data_set() -> None:
    names = [name for id in IDS for name in (id, *TABLE[id].get("also", ()))]
    assert len(names) == len(set(names))


def test_what_is_proposed_instead_of_an_absent_name_is_not_absent() -> None:
    assert all(not is_absent(name_instead(name) or "") for name in TABLE["absent"])
    assert set(TABLE["instead"]) <= set(TABLE["absent"])


def test_an_unknown_data_set_is_unknown() -> None:
    assert find_dataset("somebody/own-data") is None
    assert not is_absent("somebody/own-data")
