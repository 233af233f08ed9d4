"""Guards the tables of hub models: they agree with each other and with what the index has of
transformers' own classes.
"""

import pytest

from reviewers.facts.hub_models import (
    Architecture,
    architecture_of,
    architectures,
    is_full,
    is_gated,
    lacks_namespace,
    organisation_of,
)
from reviewers.facts.third_party import load_index

each = pytest.mark.parametrize("known", architectures(), ids=lambda known: known.name)


@each
def test_an_architectures_layers_are_those_of_its_classes(known: Architecture) -> None:
    module = known.name.replace("-", "_")
    place = f"transformers.models.{module}.modeling_{module}"
    index = load_index()
    layers = {
        name: kinds
        for owner in index.names(place)
        if owner[0].isupper()
        for name, kinds in index.attribute_types(f"{place}.{owner}").items()
        if kinds[0].startswith("torch.nn.")
        and name != "base_model"
        and not kinds[0].endswith(".Parameter")
    }
    assert layers
    assert all(known.has(name) for name in layers), [name for name in layers if not known.has(name)]
    wrapped = {
        name
        for name, kinds in layers.items()
        if set(kinds) <= {"torch.nn.Linear", "torch.nn.Embedding"}
    }
    assert not wrapped & known.blocks


@each
def test_no_name_is_both_a_layer_and_a_block(known: Architecture) -> None:
    assert known.linear
    assert not known.blocks & {*known.linear, *known.others}


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("bert-base-uncased", "bert"),
        ("google-bert/bert-base-uncased", "bert"),
        ("distilroberta-base", "roberta"),
        ("Llama-2-7B-chat", "llama"),
        ("microsoft/deberta-v3-small", "deberta-v2"),
        ("Qwen/Qwen2.5-0.5B-Instruct", "qwen2"),
        ("Qwen/Qwen3-0.6B", "qwen3"),
        ("Qwen/Qwen2-VL-2B-Instruct", None),
        ("Qwen/Qwen2-57B-A14B", None),
        ("Qwen/Qwen3-30B-A3B", None),
        ("meta-llama/Llama-3.2-11B-Vision", None),
        ("someone/bert-base-uncased", None),
        ("x" * 100_000, None),
    ],
)
def test_an_identifier_tells_the_architecture(identifier: str, name: str | None) -> None:
    found = architecture_of(identifier)
    assert (found.name if found else None) == name


def test_the_first_models_need_no_organisation() -> None:
    assert not lacks_namespace("gpt2")
    assert lacks_namespace("gpt3")
    assert not lacks_namespace("./gpt3")
    assert organisation_of("deberta-v3-base") == "microsoft"
    assert organisation_of("no-such-model") is None


def test_what_a_table_does_not_name_is_not_said() -> None:
    assert is_gated("meta-llama/Llama-2-7b-hf")
    assert not is_gated("NousResearch/Llama-2-7b-hf")
    assert is_full("gpt2")
    assert not is_full("someone/gpt2")
