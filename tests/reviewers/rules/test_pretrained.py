"""Guards what is said of models of the hub: only what certainly fails, and nothing of folders,
mappings and other libraries.
"""

from collections.abc import Mapping

import pytest

from reviewers.records import Finding, Severity
from tests.builders import SOUND_RUNS
from tests.reviewers.rules.asking import findings

LOADING = (
    "from transformers import AutoModel, AutoModelForCausalLM, AutoModelForSequenceClassification,"
    " AutoModelForSeq2SeqLM\n"
)


def found(
    rule: str, model: str, runs: Mapping[str, str] | None = None, **files: str
) -> list[Finding]:
    texts = {"src/model.py": LOADING + model} | {
        f"src/{name}.py": text for name, text in files.items()
    }
    return findings(rule, texts, runs)


def load(given: str, kind: str = "AutoModel") -> str:
    return f"def build_model(cfg):\n    return {kind}.from_pretrained({given})\n"


NO_MODEL = [
    "llama-2-7b",
    "Qwen2.5-0.5B",
    "deberta-v3-base",
    "BERT-base",
    "DistilBERT (66M)",
    "opt-125m",
]
A_MODEL = [
    "bert-base-uncased",
    "gpt2",
    "t5-small",
    "XLNet-Base-Cased",
    "microsoft/deberta-v3-base",
    "./models/best",
    "/data/llama",
]


@pytest.mark.parametrize("name", NO_MODEL)
def test_a_name_that_only_an_organisation_has_is_no_model(name: str) -> None:
    (finding,) = found("MO09", load(repr(name)))
    assert f"the hub has no model {name!r}" in finding.message


@pytest.mark.parametrize("name", A_MODEL)
def test_the_hubs_first_models_and_folders_are_passed_over(name: str) -> None:
    assert found("MO09", load(repr(name))) == []


@pytest.mark.parametrize(
    "model",
    [
        (
            "NAMES = {'small': 'gpt2'}\ndef build_model(cfg):\n    return"
            " AutoModel.from_pretrained(NAMES['small'])\n"
        ),
        (
            "import timm\ndef build_model(cfg):\n    return timm.create_model('resnet-50',"
            " pretrained=True)\n"
        ),
        (
            "def build_model(cfg):\n    try:\n        AutoModel.from_pretrained('opt-1b')\n   "
            " except OSError:\n        pass\n"
        ),
        (
            "def build_model(cfg):\n    model.save_pretrained('best')\n    return"
            " AutoModel.from_pretrained('best')\n"
        ),
        load("cfg.unknown.name"),
    ],
    ids=["mapping", "other library", "tried", "saved before", "unknown"],
)
def test_what_may_be_there_is_passed_over(model: str) -> None:
    assert found("MO09", model) == []


def test_a_name_from_a_run_config_is_flagged_where_it_stands() -> None:
    runs = {run_id: f"{text}backbone:\n  name: opt-125m\n" for run_id, text in SOUND_RUNS.items()}
    places = {str(finding.span) for finding in found("MO09", load("cfg.backbone.name"), runs)}
    assert len(places) == len(runs)
    assert all(place.startswith("config/runs/") for place in places)


@pytest.mark.parametrize(
    ("kind", "name", "count"),
    [
        ("AutoModelForSeq2SeqLM", "gpt2", 1),
        ("AutoModelForSeq2SeqLM", "t5-small", 0),
        ("AutoModelForCausalLM", "google/flan-t5-base", 1),
        ("AutoModelForCausalLM", "bert-base-uncased", 0),
        ("AutoModelForSeq2SeqLM", "someone/fine-tuned", 0),
        ("AutoModelForSequenceClassification", "google/vit-base-patch16-224", 1),
    ],
)
def test_each_auto_class_takes_its_architectures(kind: str, name: str, count: int) -> None:
    assert len(found("MO10", load(repr(name), kind))) == count


def test_a_class_chosen_by_the_models_own_configuration_is_passed_over() -> None:
    chosen = (
        "    if info.is_encoder_decoder:\n        return"
        " AutoModelForSeq2SeqLM.from_pretrained('gpt2')\n"
    )
    assert found("MO10", "def build_model(cfg, info):\n" + chosen) == []


PHI = "'microsoft/Phi-3-mini-4k-instruct', trust_remote_code=True"


def test_code_from_the_hub_may_take_any_architecture() -> None:
    assert found("MO10", load(PHI.replace("True", "False"), "AutoModelForSeq2SeqLM"))
    assert found("MO10", load(PHI, "AutoModelForSeq2SeqLM")) == []


CLASSIFIER = (
    "def build_model(cfg):\n    model ="
    " AutoModelForSequenceClassification.from_pretrained('gpt2')\n    {}\n    return model\n"
)


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("pass", 1),
        ("tokenizer.pad_token_id = 0", 1),
        ("model.config.pad_token_id = 0", 0),
        ("model.config.update({'pad_token_id': 0})", 0),
        ("cfg2 = type(model.config)(pad_token_id=0)", 0),
    ],
)
def test_a_classifiers_padding_is_that_of_its_configuration(line: str, count: int) -> None:
    runs = {run_id: f"{text}loader:\n  batch_size: 4\n" for run_id, text in SOUND_RUNS.items()}
    assert len(found("MO11", CLASSIFIER.format(line), runs)) == count


WRAPPER = """
from transformers import PreTrainedModel
class Wrapped(PreTrainedModel):
    {}
    def __init__(self, inner):
        super().__init__({})
        self.inner = inner
def build_model(cfg):
    return Wrapped(AutoModelForCausalLM.from_pretrained({}))
"""


@pytest.mark.parametrize(
    ("body", "given", "loaded", "count"),
    [
        ("pass", "inner.config", "'gpt2'", 1),
        ("_supports_sdpa = True", "inner.config", "'gpt2'", 0),
        ("pass", "Config()", "'gpt2'", 0),
        ("pass", "inner.config", "'gpt2', attn_implementation='eager'", 0),
        ("pass", "inner.config", "'xlnet-base-cased'", 0),
        ("pass", "inner.config", "'someone/else'", 0),
    ],
    ids=["taken over", "declared", "its own", "eager", "without sdpa", "unknown"],
)
def test_a_wrapper_takes_over_what_it_cannot_do(
    body: str, given: str, loaded: str, count: int
) -> None:
    assert len(found("MO12", WRAPPER.format(body, given, loaded))) == count


def test_a_gated_model_is_a_minor_matter() -> None:
    (finding,) = found("MO13", load("'meta-llama/Llama-2-7b-hf'"))
    assert finding.severity is Severity.MINOR
    assert found("MO13", load("'meta-llama/Llama-2-7b-hf', token=key")) == []


ADDING = """
from transformers import AutoTokenizer
def build_model(cfg):
    tokenizer = AutoTokenizer.from_pretrained({0})
    tokenizer.add_special_tokens({{"pad_token": {1}}})
    model = AutoModel.from_pretrained({0})
    {2}
    return model
"""


@pytest.mark.parametrize(
    ("name", "token", "line", "count"),
    [
        ("'gpt2'", "'[PAD]'", "pass", 1),
        ("'gpt2'", "tokenizer.eos_token", "pass", 0),
        ("'gpt2'", "'<|endoftext|>'", "pass", 0),
        ("'gpt2'", "'[PAD]'", "model.resize_token_embeddings(len(tokenizer))", 0),
        ("'Qwen/Qwen2.5-0.5B'", "'[PAD]'", "pass", 0),
        ("'bert-base-uncased'", "'[PAD]'", "pass", 0),
    ],
    ids=["new", "eos", "there already", "resized", "rows to spare", "has one"],
)
def test_a_new_token_needs_a_row(name: str, token: str, line: str, count: int) -> None:
    assert len(found("MO18", ADDING.format(name, token, line))) == count


def test_no_model_is_advised_that_may_not_exist() -> None:
    (finding,) = found("MO09", load("'TinyLlama-1.1B'"))
    assert "as in TinyLlama/…" in finding.message
    assert "TinyLlama/TinyLlama-1.1B" not in finding.message
