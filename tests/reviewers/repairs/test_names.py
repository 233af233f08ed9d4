"""Guards the repairs of the submission's own names: what is certainly meant is written, what a
person has to choose is asked, and an argument that matters is never dropped.
"""

import pytest

from reviewers.repairs.meant import clearly_meant, likeness
from tests.reviewers.repairs.planning import repaired, text_after

TRAIN, MODEL, DATA = "src/train.py", "src/model.py", "src/preprocess.py"
NETWORK = """from torch import nn


class Encoder(nn.Module):
    def __init__(self, hidden_dim, num_layers):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(hidden_dim, hidden_dim) for _ in range(num_layers))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def build_encoder(cfg):
    return Encoder(cfg.model.hidden, cfg.model.layers)
"""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("udpate", "update"), ("lenght", "length"), ("trainloader", "train_loader"),
        ("create_model", "build_model"), ("lr", "learning_rate"), ("cfg", "config"),
        ("hidden_size", "hidden_dim"), ("num_classes", "n_labels"), ("max_len", "max_length"),
        ("_cache", "cache"), ("Relu", "ReLU"), ("margins", "margin"), ("opt", "optimizer"),
    ],
)  # fmt: skip
def test_names_that_mean_the_same_are_alike(one: str, other: str) -> None:
    assert clearly_meant(one, {other: 0.0}) == other
    assert likeness(one, other) == likeness(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("train_loader", "val_loader"), ("x_train", "y_train"), ("conv1", "conv2"),
        ("encoder", "decoder"), ("min_lr", "max_lr"), ("test", "text"), ("mean", "max"),
        ("y_true", "y_pred"), ("forward", "backward"),
    ],
)  # fmt: skip
def test_names_that_mean_something_else_are_not(one: str, other: str) -> None:
    assert not clearly_meant(one, {other: 0.0})


def test_of_two_names_that_are_as_near_none_is_meant() -> None:
    assert clearly_meant("loader", {"loaders": 0.0})
    assert not clearly_meant("loader", {"loaders": 0.0, "loader_": -5.0})
    assert not clearly_meant("train_loder", {"train_loader": 0.0, "train_lodger": 0.0})


CALLS = [
    pytest.param(
        "Encoder(hidden=64, n_layers=2)",
        "Encoder(hidden_dim=64, num_layers=2)",
        id="keywords by other words",
    ),
    pytest.param("Encoder(64, 2, 0.1)", None, id="a quantity that nothing takes"),
    pytest.param("Encoder(64, 2, dropout=cfg.model.dropout)", None, id="a setting too many"),
    pytest.param(
        "Encoder(num_layers, hidden_dim=64)",
        "Encoder(num_layers=num_layers, hidden_dim=64)",
        id="a value by its place and by its name",
    ),
    pytest.param("Encoder(64)", "Encoder(64, num_layers)", id="missing, and in sight"),
    pytest.param(
        "Encoder(num_layers)",
        "Encoder(cfg.model.hidden, num_layers)",
        id="missing in front, as the other caller passes it",
    ),
    pytest.param("Encoder(*sizes, 2, 3, width=1)", None, id="starred arguments"),
]


@pytest.mark.parametrize(("call", "expected"), CALLS)
def test_a_call_is_written_as_the_constructor_takes_it(call: str, expected: str | None) -> None:
    code = f"""

def net(cfg, num_layers, sizes):
    return {call}


print(net)
"""
    text = text_after("IM07", MODEL, NETWORK + code)
    assert text == NETWORK + code.replace(call, expected or call)


def test_a_missing_value_of_two_keys_is_asked_for() -> None:
    code = """def cut(text, length):
    return text[:length]


def prepared(cfg, text):
    return cut(text), cfg.source.length, cfg.target.length


print(prepared)
"""
    _, (repair,) = repaired("IM07", {DATA: code})
    ways = [repair.proof, *repair.others]
    assert [each.proposal.choice for each in ways] == ["cfg.source.length", "cfg.target.length"]
    assert repair.proof.proposal.asks == "What is length of cut here?"


def test_a_keyword_that_may_be_anything_is_asked_about() -> None:
    code = f"{NETWORK}\n\nprint(Encoder(64, depth=2))\n"
    version, (repair,) = repaired("IM07", {MODEL: code})
    assert repair.proof.proposal.asks == "Which parameter of Encoder is depth?"
    assert "Encoder(64, num_layers=2)" in version.by_path[MODEL].text


def test_one_of_several_values_is_no_value_for_what_is_missing() -> None:
    code = "def run(loader):\n    return loader\n\n\ndef main(loaders):\n    return run()\n"
    code += "\n\nmain({})\n"
    assert text_after("IM07", TRAIN, code) == code


def test_a_device_moves_the_network_that_its_builder_makes() -> None:
    code = """from src.model import build_encoder


def train(cfg, device):
    return build_encoder(cfg, device)


train(None, None)
"""
    text = text_after("IM07", TRAIN, code, {MODEL: NETWORK})
    assert "    return build_encoder(cfg).to(device)\n" in text


def test_what_a_nested_function_sees_anyway_is_left_out() -> None:
    code = """def both(model, batch):
    def forward(part):
        return model(part["ids"])

    first = forward(model, batch["pos"])
    return first, forward(model, batch["neg"])


both(None, None)
"""
    text = text_after("IM07", MODEL, code)
    assert text == code.replace("forward(model, ", "forward(")


def test_an_expression_makes_room_for_what_is_missing_in_front_of_it() -> None:
    code = """def save(figure, path):
    figure.savefig(path)


def main(figure, folder):
    save(folder / "curve.pdf")


print(main)
"""
    assert text_after("IM07", DATA, code) == code.replace("save(folder", "save(figure, folder")


def test_a_device_that_is_too_many_is_asked_about() -> None:
    code = """import torch


def scored(logits):
    return torch.sigmoid(logits)


def main(logits, device):
    return scored(logits, device)


print(main)
"""
    _, (repair,) = repaired("IM07", {MODEL: code})
    assert repair.proof.proposal.asks == "Can scored do without a device?"


def test_one_for_several_is_asked_about() -> None:
    code = "def f(run_cfg):\n    return run_cfgs\n\n\nprint(f)\n"
    _, (repair,) = repaired("IM02", {TRAIN: code})
    assert repair.proof.proposal.choice == "run_cfg"


def test_a_method_of_the_object_fills_in_what_it_has() -> None:
    code = """def encode(texts, tokenizer):
    return tokenizer(texts)


class Runner:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def run(self, texts):
        return encode(texts)


Runner(str).run([])
"""
    text = text_after("IM07", TRAIN, code)
    assert text == code.replace("encode(texts)\n", "encode(texts, self.tokenizer)\n")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("self.encode(1)", "self.encoded(1)", id="a method"),
        pytest.param("self.cache", "self._cache", id="a private one"),
        pytest.param("self.cfg", "self.config", id="a parameter under another name"),
        pytest.param("self.clipped(1)", "clipped(1)", id="a function of the module"),
        pytest.param("self.decoder", None, id="nothing like it"),
        pytest.param("self.encode(1, 2, 3)", None, id="a method that takes less"),
        pytest.param("encoded(1)", "self.encoded(1)", id="a method without its object"),
        pytest.param("width", "self.width", id="an attribute without its object"),
    ],
)
def test_an_attribute_is_asked_for_by_the_name_that_it_has(line: str, expected: str | None) -> None:
    code = f"""def clipped(x):
    return max(x, 0)


class Store:
    def __init__(self, cfg, width):
        self._cache = 1
        self.config = cfg
        self.width = width
        self.encoder = None

    def encoded(self, x):
        return x

    def run(self):
        return {line}


print(Store({{}}, 1).run())
"""
    rule = "IM08" if line.startswith("self") else "IM02"
    assert text_after(rule, MODEL, code) == code.replace(
        f"return {line}", f"return {expected or line}"
    )


def test_a_constructor_keeps_its_parameters_in_their_order() -> None:
    code = """class Gate:
    def __init__(self, decay, margin, steps):
        self.decay = decay
        self.steps = steps

    def opens(self, rise):
        return rise > self.margin


Gate(1, 2, 3).opens(1)
"""
    text = text_after("IM08", MODEL, code)
    line = "        self.decay = decay\n"
    assert text == code.replace(line, f"{line}        self.margin = margin\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import src.modle as m\n\nprint(m.Encoder)\n", "import src.model as m\n"),
        (
            "from src.models import Encoder, build_encoder as make\n\nprint(Encoder, make)\n",
            "from src.model import Encoder, build_encoder as make\n",
        ),
        ("from .nets import Encoder\n\nprint(Encoder)\n", "from .model import Encoder\n"),
        (
            "from src.utils import Encoder, loaded, seeded\n\nprint(Encoder, loaded)\n",
            "from src.model import Encoder\nfrom src.preprocess import loaded\n",
        ),
        ("from src.utils import seeded_run\n\nseeded_run(1)\n", None),
        ("from src.data import make_loaders\n\nmake_loaders(1)\n", None),
    ],
    ids=[
        "a module as",
        "in the plural",
        "relative",
        "of two",
        "nowhere",
        "two guesses",
    ],
)
def test_what_is_imported_comes_from_the_module_that_has_it(before: str, after: str | None) -> None:
    files = {MODEL: NETWORK, DATA: "def loaded(cfg):\n    return [cfg]\n"}
    head, _, rest = before.partition("\n")
    assert text_after("IM03", TRAIN, before, files) == (after or f"{head}\n") + rest


def test_a_name_that_only_a_library_has_is_asked_about() -> None:
    code = "from src.model import RMSNorm, build_encoder\n\nprint(RMSNorm, build_encoder)\n"
    version, (repair,) = repaired("IM04", {TRAIN: code, MODEL: NETWORK})
    assert repair.proof.proposal.asks == "Is RMSNorm that of torch.nn?"
    text = version.by_path[TRAIN].text
    assert text.startswith("from torch.nn import RMSNorm\n\nfrom src.model import build_encoder\n")


def test_a_star_and_a_re_export_stay() -> None:
    for path, code in (
        ("src/extra.py", "from src.nets import *\n"),
        ("src/__init__.py", "from src.nets import Encoding\n"),
    ):
        assert text_after("IM03", path, code, {MODEL: NETWORK}) == code


def test_a_name_is_renamed_with_its_uses() -> None:
    code = "from src import models\n\nprint(models.Encoder)\n"
    text = text_after("IM03", TRAIN, code, {MODEL: NETWORK})
    assert text == code.replace("models", "model")
    code = "from src.model import Encodr, build_encoder\n\nprint(Encodr(4, 2), build_encoder)\n"
    text = text_after("IM04", TRAIN, code, {MODEL: NETWORK})
    assert text == code.replace("Encodr", "Encoder")


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [
        ("IM02", "optimzer.step()", "optimizer.step()"),
        ("IM02", "optimizer.step(true)", "optimizer.step(True)"),
        ("IM02", "cfg.lr", "config.lr"),
        ("IM02", "val_loader.step()", None),
        ("IM19", '"rate " + 0.1', '"rate " + str(0.1)'),
        ("IM19", "[each for each in len(config)]", "[each for each in range(len(config))]"),
    ],
)
def test_a_slip_in_an_expression(rule: str, before: str, after: str | None) -> None:
    code = f"def f(optimizer, config, train_loader):\n    print({before})\n\n\nprint(f)\n"
    assert text_after(rule, TRAIN, code) == code.replace(before, after or before)


def test_a_type_in_quotes_is_in_quotes_as_a_whole() -> None:
    code = 'def f(run: "Run" | None) -> "Score" | None:\n    return run\n\n\nf(None)\n'
    text = text_after("IM19", TRAIN, code)
    assert text.startswith('def f(run: "Run | None") -> "Score | None":\n')


def test_a_value_that_hides_a_module_gets_another_name() -> None:
    code = """from scipy import stats


def compared(runs):
    for stats in runs.values():
        print(stats["accuracy"])
    return stats.ttest_ind(runs["a"], runs["b"])


compared({})
"""
    text = text_after("IM15", TRAIN, code)
    expected = code.replace("for stats in", "for stats_ in").replace('(stats["', '(stats_["')
    assert text == expected


def test_a_helper_gets_what_its_callers_have() -> None:
    code = """def scored(model, batch, limit=None):
    return model(batch.to(device)), limit


def main(model, batches, device):
    return [scored(model, each) for each in batches], scored(model, batches[0], limit=3)


main(None, [], "cpu")
"""
    text = text_after("IM02", TRAIN, code)
    expected = code.replace("batch, limit=None", "batch, device, limit=None")
    expected = expected.replace("scored(model, each)", "scored(model, each, device)")
    assert text == expected.replace("limit=3)", "limit=3, device=device)")


def test_a_helper_of_which_one_caller_lacks_the_value_is_left_alone() -> None:
    code = """def scored(batch):
    return batch.to(device)


def main(batches, device):
    return [scored(each) for each in batches]


def other(batch):
    return scored(batch)


main([], "cpu"), other(1)
"""
    assert text_after("IM02", TRAIN, code) == code


def test_a_value_is_made_in_two_steps_where_the_second_asks_for_the_first() -> None:
    code = """from datasets import load_dataset


def load(cfg):
    rows = load_dataset(
        cfg.dataset.name,
        split="test",
    ).map(str, remove_columns=rows.column_names)
    return rows
"""
    text = text_after("IM02", DATA, code)
    assert text == code.replace("    ).map(", "    )\n    rows = rows.map(")


@pytest.mark.parametrize(
    ("used", "line"),
    [
        ("Optional[int]", "from typing import Optional"),
        ("defaultdict(int)", "from collections import defaultdict"),
        ("accuracy_score(x, json)", "from sklearn.metrics import accuracy_score"),
        ("DataLoader(x)", "from torch.utils.data import DataLoader"),
        ("optuna.create_study()", "import optuna"),
        ("mean(x)", ""),
    ],
)
def test_a_forgotten_import_is_looked_for_where_experiments_have_it(used: str, line: str) -> None:
    code = f"import json\n\n\ndef f(x):\n    return json, {used}\n\n\nprint(f)\n"
    project = '[project]\nname = "x"\nversion = "1"\nrequires-python = ">=3.11"\ndependencies = ['
    project += '"torch", "scikit-learn", "optuna", "hydra-core", "wandb"]\n'
    text = text_after("IM02", TRAIN, code, {"pyproject.toml": project})
    assert (line in text) if line else (text == code)
