"""Guards the repairs of models, data sets, the evaluation, gradients, the summary and slips of
syntax: the smallest edit that cures the cause, with everything around it as it was.
"""

import pytest

from tests.builders import changed
from tests.reviewers.repairs.planning import repaired, text_after, text_of_example

TRAIN, MODEL, DATA, EVALUATION = (
    f"src/{each}.py" for each in ("train", "model", "preprocess", "evaluate")
)
HEAD = """import hydra
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoTokenizer{more}


@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
"""
END = '\n\nif __name__ == "__main__":\n    main()\n'


@pytest.mark.parametrize(
    ("rule", "path", "before", "after"),
    [
        ("MO08", MODEL, "module.lora_A[0].weight", 'module.lora_A["default"].weight'),
        ("MO18", MODEL, 'add_special_tokens(', "tokenizer.pad_token = tokenizer.eos_token"),
        ("MO12", MODEL, "", "    _supports_sdpa = True\n\n    def __init__(self, inner):"),
        ("MO04", TRAIN, "@torch.no_grad()", "\ndef log_probs(logits, labels):"),
        ("MO02", MODEL, "self.state = torch.zeros(x", "self.state.data = torch.zeros(x"),
        ("DA04", DATA, '"openai/gsm8k", split', 'load_dataset("openai/gsm8k", "main", split='),
        ("DA06", DATA, 'piqa", cache_dir=".cache/")', ', revision="refs/convert/parquet")'),
        ("DA07", DATA, '"alpaca-cleaned"', '"yahma/alpaca-cleaned"'),
        ("DA08", TRAIN, 'row["image"]', 'row["img"]'),
        ("MO23", TRAIN, "torch.randn(4, 8)", "torch.randn(4, 8, device=device)"),
        ("MO23", TRAIN, "labels).mean()", "(logits.argmax(-1) == labels).float().mean()"),
        ("DA18", TRAIN, "DataCollatorWithPadding", "collator = DataCollatorForSeq2Seq(tokenizer)"),
        ("DA19", TRAIN, ".copy()", 'labels = [list(ids) for ids in out["input_ids"]]'),
        ("EV10", EVALUATION, "json.loads", "list(cli.run_ids)"),
        ("EV31", EVALUATION, "dict(run.summary)", "summary = run.summary._json_dict"),
        ("EV32", EVALUATION, '"significant": p_value', '"significant": bool(p_value < 0.05)'),
        ("IM01", TRAIN, "range(10)\n", "    for step in range(10):\n"),
        ("MO05", MODEL, "", "checkpointing_enable()\n    model.enable_input_require_grads()\n"),
        ("MO21", TRAIN, "logits.cpu()", "print(logits.detach().cpu().numpy())"),
        ("MO23", TRAIN, "randn(4, 8)", "features = torch.randn(4, 8, device=device)"),
        ("IM11", TRAIN, "run.mode", 'if run.settings.mode != "disabled":'),
        ("IM12", TRAIN, "shuffle", "DataLoader(data, sampler=RandomSampler(data))"),
        ("TR06", TRAIN, "", "name=cfg.run.run_id, id=cfg.run.run_id)"),
        ("TR07", TRAIN, "in run.summary:", 'if run.summary.get("best_accuracy") is not None:'),
    ],
)  # fmt: skip
def test_the_rules_own_bad_example_is_repaired(
    rule: str, path: str, before: str, after: str
) -> None:
    text, repairs = text_of_example(rule, path)
    assert repairs, "nothing was proven"
    assert after in text
    assert not before or before not in text


def test_every_run_gets_the_organisation_of_a_short_model_name() -> None:
    code = """from transformers import AutoModelForCausalLM


def build_model(cfg):
    if cfg.model.name == "Qwen3-0.6B":
        print("small")
    return AutoModelForCausalLM.from_pretrained(cfg.model.name, cache_dir=".cache/")
"""
    run = (
        "run_id: {}\nmodel:\n  name: 'Qwen3-0.6B'  # the small one\n  title: Qwen3-0.6B, untuned\n"
    )
    runs = {each: run.format(each) for each in ("proposed", "comparative-1")}
    version, repairs = repaired("MO09", {MODEL: code}, runs)
    (repair,) = repairs
    assert not repair.proof.proposal.asks
    for each in version.runs:
        assert "name: 'Qwen/Qwen3-0.6B'  # the small one\n" in each.file.text
        assert "title: Qwen3-0.6B, untuned\n" in each.file.text
    assert 'cfg.model.name == "Qwen/Qwen3-0.6B"' in version.by_path[MODEL].text


def test_layers_of_another_architecture_are_a_question() -> None:
    text, (repair,) = text_of_example("MO06", MODEL)
    assert 'target_modules=["q_lin", "v_lin"]' in text
    assert repair.proof.proposal.asks
    assert len(repair.others) == 1


def test_gradients_are_turned_on_around_the_loss_alone() -> None:
    code = """import torch

from src.model import build_model


@torch.no_grad()
def probe(model, batch):
    \"\"\"Measure.\"\"\"
    model.zero_grad()
    loss = model(batch).sum()  # one batch

    loss.backward()
    return [p.grad.norm() for p in model.parameters()]


def main(cfg):
    probe(build_model(cfg), torch.zeros(2, 2))
"""
    files = changed(TRAIN)
    text = text_after("MO04", DATA, code + "\n\nmain(1)\n", files)
    assert (
        "    with torch.enable_grad():\n        loss = model(batch).sum()  # one batch\n\n"
        "        loss.backward()\n    return" in text
    )
    assert "@torch.no_grad()\ndef probe" in text


@pytest.mark.parametrize(
    ("before", "behind"),
    [("```python\n", "```\n"), ("```\n", "\n```"), ("", '\n\n"}\n'), ("", "\n]\n")],
)
def test_what_was_around_a_file_is_taken_out(before: str, behind: str) -> None:
    code = "def f():\n    return [\n        1,\n    ]\n"
    assert text_after("IM01", DATA, before + code + behind) == code


def test_tensors_are_made_where_the_others_are() -> None:
    code = """import hydra
import torch
from torch import nn


def counted(mask):
    length = mask.sum(dim=1)
    two = torch.tensor([2.0])  # kept
    three = torch.tensor(
        [3.0],
    ).float()
    return torch.stack([length, two, three])


@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    counted(torch.ones(1, 4, device="cuda"))


if __name__ == "__main__":
    main()
"""
    expected = code.replace("[2.0])", "[2.0], device=length.device)").replace(
        "[3.0],\n", "[3.0],\n        device=length.device,\n"
    )
    assert text_after("MO23", TRAIN, code) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("F.nll_loss(logits, labels.float())", "F.nll_loss(logits, labels.float().long())"),
        ("logits.mean().numpy()", "logits.mean().cpu().numpy()"),
        ("torch.autocast(device)", "torch.autocast(device.type)"),
    ],
)  # fmt: skip
def test_what_torch_refuses_is_converted_first(before: str, after: str) -> None:
    code = """import hydra
import torch
from torch.nn import functional as F


@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    device = torch.device("cuda")
    logits = torch.ones(4, 2, device=device)
    labels = torch.zeros(4, dtype=torch.long, device=device)
    found = {}
    print(found, F.relu(logits))


if __name__ == "__main__":
    main()
"""
    assert text_after("MO23", TRAIN, code.replace("{}", before)) == code.replace("{}", after)


def test_figures_are_printed_as_text_and_the_import_goes_with_its_last_use() -> None:
    code = """import json

import wandb


def finish(figures):
    wandb.summary.update(figures)
    print("done", json.dumps(figures, indent=2))
"""
    expected = code.replace("import json\n\n", "\n").replace(
        "json.dumps(figures, indent=2)", "figures"
    )
    assert text_after("TR03", TRAIN, code) == expected


def test_a_number_is_written_as_pyyaml_reads_it() -> None:
    code = """from pathlib import Path

import hydra
import torch
import yaml


@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    runs = Path(__file__).resolve().parents[1] / "config" / "runs"
    run = yaml.safe_load((runs / f"{cfg.run}.yaml").read_text())
    model = torch.nn.Linear(2, 2)
    torch.optim.SGD(model.parameters(), lr=run["training"]["lr"])


if __name__ == "__main__":
    main()
"""
    run = "run_id: proposed\nmethod: m\ntraining:\n  epochs: 1\n  lr: {}  # not 1e-3\n"
    version, _ = repaired("IM12", {TRAIN: code}, {"proposed": run.format("5e4")})
    assert version.runs[0].file.text == run.format("5.0e+4")


@pytest.mark.parametrize(
    ("config", "asked", "answers"),
    [
        ('"glue", "mnli"', "validation", ["validation_matched", "validation_mismatched"]),
        ('"openai/gsm8k", "main"', "testing", ["test"]),
        ('"openai/gsm8k", "main"', "validation", []),
    ],
)
def test_a_split_is_one_of_the_same_part(config: str, asked: str, answers: list[str]) -> None:
    loaded = f'load_dataset({config}, cache_dir=".cache/")'
    code = HEAD.format(more="") + f'    rows = {loaded}\n    print(rows["{asked}"])\n' + END
    version, repairs = repaired("DA05", {TRAIN: code})
    found = [proof.proposal for each in repairs for proof in (each.proof, *each.others)]
    assert [each.choice for each in found] == (answers if len(answers) > 1 else [""] * len(answers))
    taken = answers[0] if answers else asked
    assert version.by_path[TRAIN].text == code.replace(f'rows["{asked}"]', f'rows["{taken}"]')


def test_losses_are_summed_up_as_tensors() -> None:
    code = """import torch

from src.model import build_model


def loss_of(model, batches):
    total = 0.0
    for batch in batches:
        total += model(batch).sum().item()
    return torch.tensor(total / len(batches), device="cpu")


loss = loss_of(build_model(1), [torch.zeros(2)])
loss.backward()
"""
    expected = code.replace(".sum().item()", ".sum()").replace(
        'torch.tensor(total / len(batches), device="cpu")', "total / len(batches)"
    )
    assert text_after("MO04", DATA, code) == expected


@pytest.mark.parametrize(
    ("slip", "cured"),
    [
        pytest.param('print("[\'"a"\']")', 'print("[\'\\"a\\"\']")', id="quotes"),
        pytest.param("x = cfg.gains.global", 'x = cfg.gains["global"]', id="keyword"),
        pytest.param("x = abs(1).\n    real", "x = abs(1).real", id="broken line"),
        pytest.param('assert x, "message".', 'assert x, "message"', id="full stop"),
        pytest.param('x = "8\x00a02"\n    y = "\x00b"', 'x = "8 2"\n    y = "b"', id="null bytes"),
        pytest.param('x = {"a": x["lr"]:.2e}', 'x = {"a": f"{x[\'lr\']:.2e}"}', id="format"),
        pytest.param("if x\n        pass", "if x:\n        pass", id="colon"),
        pytest.param('x = "a\n"', 'x = "a\\n"', id="line break"),
        pytest.param('x = (\\"a\\")', 'x = ("a")', id="escaped quotes"),
        pytest.param("x = \u201ca\u201d, 2 \u2212 1\u200b", 'x = "a", 2 - 1', id="typography"),
        pytest.param("x = abs(int(2)", "x = abs(int(2))", id="bracket"),
        pytest.param("x = [\n        1,\n        2", "x = [\n        1,\n        2]", id="lines"),
    ],
)  # fmt: skip
def test_a_slip_is_cured_where_the_file_then_parses(slip: str, cured: str) -> None:
    code = f"def f(x, cfg):\n    {slip}\n\n\ndef g():\n    return 1  # stays\n"
    assert text_after("IM01", DATA, code) == code.replace(slip, cured)


@pytest.mark.parametrize("slip", ["x = (1,", "x = = 1", "foo bar", "x = 'a\n    b'", "def (:"])
def test_a_slip_without_a_certain_cure_is_left(slip: str) -> None:
    code = f"def f(x):\n    {slip}\n"
    assert text_after("IM01", DATA, code) == code


def test_a_padding_token_is_set_where_the_tokenizer_is_made() -> None:
    made = 'AutoTokenizer.from_pretrained(\n        "gpt2", cache_dir=".cache/"\n    )'
    body = f"    tok = {made}  # small\n"
    used = '    return tok(["one", "one more"], padding=True, return_tensors="pt")\n'
    code = HEAD.format(more="") + body + used + END
    added = "    if tok.pad_token is None:\n        tok.pad_token = tok.eos_token\n"
    assert text_after("DA11", TRAIN, code) == code.replace(body, body + added)


def test_a_configuration_goes_on_a_line_of_its_own_where_the_others_have_one() -> None:
    body = (
        '    return load_dataset(\n        "openai/gsm8k",  # sums\n        split="train",\n    )\n'
    )
    code = HEAD.format(more="") + body + END
    expected = code.replace("# sums\n", '# sums\n        "main",\n')
    assert text_after("DA04", TRAIN, code) == expected


@pytest.mark.parametrize("tail", ["", ".cpu().numpy()"])
def test_labels_are_decoded_without_their_filling(tail: str) -> None:
    code = f"""from torch.nn.utils.rnn import pad_sequence
from transformers import AutoTokenizer


def collate(rows):
    labels = pad_sequence([row["labels"] for row in rows], batch_first=True, padding_value=-100)
    return {{"labels": labels}}


def answers(tokenizer, batch):
    return tokenizer.batch_decode(batch["labels"]{tail}, skip_special_tokens=True)


answers(AutoTokenizer.from_pretrained("gpt2", cache_dir=".cache/"), collate([]))
"""
    shown = 'batch["labels"]' + tail.removesuffix(".numpy()")
    filled = f"{shown}.masked_fill({shown} == -100, tokenizer.pad_token_id)"
    filled += tail.removeprefix(".cpu()")
    expected = code.replace(f'batch["labels"]{tail}, skip', f"{filled}, skip")
    assert text_after("DA14", DATA, code) == expected


def test_labels_whose_filling_is_taken_out_by_another_name_are_no_finding() -> None:
    code = """def answers(tokenizer, batch):
    gold = batch["labels"].clone()
    gold[gold == -100] = tokenizer.pad_token_id
    return tokenizer.batch_decode(gold)


LABELS = [-100 if mask else 1 for mask in (0, 1)]
answers(1, {"labels": 1})
"""
    assert text_after("DA14", DATA, code) == code


def test_the_labels_are_left_to_a_collator_that_makes_them() -> None:
    body = """    tokenizer = AutoTokenizer.from_pretrained("gpt2", cache_dir=".cache/")
    tokenizer.pad_token = tokenizer.eos_token
    rows = load_dataset("stanfordnlp/imdb", split="train", cache_dir=".cache/")

    def encode(row):
        out = tokenizer(row["text"], truncation=True, max_length=512)
        out["labels"] = out["input_ids"].copy()
        return out

    rows = rows.map(encode, remove_columns=["text", "label"])
    collator = DataCollatorForLanguageModeling(tokenizer, mlm=False)
    for batch in DataLoader(rows, batch_size=8, collate_fn=collator):
        print(batch)
"""
    code = HEAD.format(more=", DataCollatorForLanguageModeling") + body + END
    expected = code.replace('        out["labels"] = out["input_ids"].copy()\n', "")
    assert text_after("DA18", TRAIN, code) == expected


_OPTIONS = '["--" + word.lstrip("-") for word in sys.argv[1:]]'
_VALUES = '[word.split("=", 1)[-1] for word in sys.argv[1:]]'


@pytest.mark.parametrize(
    ("declared", "given", "after"),
    [
        pytest.param(
            '"--results-dir", required=True; "--run_ids", required=True',
            _OPTIONS,
            '"--results-dir", "--results_dir", required=True; "--run_ids", required=True',
            id="options with dashes",
        ),
        pytest.param(
            "'-o', '--results_dir', default='out'; '--run_ids', required=True",
            _OPTIONS,
            "'-o', '--results_dir', default='out'; '--run_ids', required=True",
            id="options",
        ),
        pytest.param('"results_dir"; "run_ids"', _VALUES, '"results_dir"; "run_ids"', id="places"),
        pytest.param(
            '"out"; "ids", type=json.loads',
            _VALUES,
            '"out"; "ids", type=json.loads',
            id="other names",
        ),
        pytest.param(
            '"run_ids"; "results_dir"',
            _OPTIONS,
            '"--run_ids", required=True; "--results_dir", required=True',
            id="in another order",
        ),
        pytest.param(
            '"results_dir", type=str; "--runs", required=True',
            _OPTIONS,
            '"--results_dir", required=True, type=str; "--runs", "--run_ids", required=True',
            id="a positional, and an option by another name",
        ),
        pytest.param(
            '"results_dir"; "ids", nargs="+", type=str',
            _VALUES,
            '"results_dir"; "ids", type=json.loads',
            id="several words for the list",
        ),
        pytest.param(
            '"results_dir"; "ids", type=lambda text: text.split(",")',
            _VALUES,
            '"results_dir"; "ids", type=json.loads',
            id="commas in the list",
        ),
    ],
)  # fmt: skip
def test_documented_words_reach_the_parser_that_is_there(
    declared: str, given: str, after: str
) -> None:
    code = """import argparse
import json


def main():
    parser = argparse.ArgumentParser(description="Compare runs.")
    {}
    {}
    args = parser.parse_args()
    print(json.dumps(vars(args)))


if __name__ == "__main__":
    main()
"""

    def with_arguments(text: str) -> str:
        return code.format(*(f"parser.add_argument({each})" for each in text.split("; ")))

    expected = with_arguments(after).replace("parse_args()", f"parse_args({given})")
    expected = expected.replace("import json\n", "import json\nimport sys\n")
    assert text_after("EV01", EVALUATION, with_arguments(declared)) == expected


@pytest.mark.parametrize(
    ("read", "after"),
    [
        ("sys.argv[1], json.loads(sys.argv[2])",
         'sys.argv[1].split("=", 1)[-1], json.loads(sys.argv[2].split("=", 1)[-1])'),
        ("json.loads(sys.argv[1:][1])", f"json.loads({_VALUES}[1])"),
    ],
)  # fmt: skip
def test_words_that_are_read_as_they_came_are_split(read: str, after: str) -> None:
    code = "import json\nimport sys\n\nprint({})\n"
    assert text_after("EV01", EVALUATION, code.format(read)) == code.format(after)


def test_an_evaluation_of_hydras_gets_its_words_as_keys_where_that_is_all_it_lacks() -> None:
    code = HEAD.format(more="") + "    print(cfg.results_dir, list(cfg.run_ids))\n" + END
    version, repairs = repaired("HY03", {EVALUATION: code})
    assert "run_ids: ???\n" in version.by_path["config/config.yaml"].text
    assert version.by_path[EVALUATION].text == code
    assert "from_cli" in repairs[0].others[0].proposal.intent


_LAUNCH = """import subprocess
import sys

import hydra


@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    command = [sys.executable, "-m", "src.report", {}]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
"""
_REPORT = """import argparse

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--results-dir", required=True)
    parser.add_argument("--mode", required=True)
    print(parser.parse_args())
"""


@pytest.mark.parametrize(
    ("passed", "after"),
    [
        ('"--out", cfg.results_dir, "--mode", cfg.mode',
         '"--results-dir", cfg.results_dir, "--mode", cfg.mode'),
        ('f"--mode={cfg.mode}"', 'f"--mode={cfg.mode}", f"--results-dir={cfg.results_dir}"'),
        ('f"results_dir={cfg.results_dir}", f"mode={cfg.mode}"',
         'f"--results-dir={cfg.results_dir}", f"--mode={cfg.mode}"'),
    ],
    ids=["another name", "one is missing", "words without dashes"],
)  # fmt: skip
def test_a_started_script_gets_the_options_that_it_declares(passed: str, after: str) -> None:
    files = {"src/report.py": _REPORT}
    main = "src/main.py"
    assert text_after("HY14", main, _LAUNCH.format(passed), files) == _LAUNCH.format(after)
