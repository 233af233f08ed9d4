"""Guards what is said of the models that a run loads: number formats under a scaler, adapters and
checkpointing, each in its own mode.
"""

import pytest

from reviewers.records import Finding, Severity
from tests.reviewers.rules.asking import findings

HEAD = """
import hydra
import torch
from peft import LoraConfig, get_peft_model
from torch.cuda.amp import GradScaler
from transformers import AutoModelForCausalLM as Auto

"""
MAIN = '@hydra.main(version_base="1.3", config_path="../config", config_name="config")'
RUN = """
run_id: r1
mode: full
model: {name: gpt2, dtype: float16, checkpointing: true}
training: {amp: fp16, batch_size: 8}
"""
CONFIG = f"""
defaults:
  - _self_
run: ???
results_dir: ???
{RUN}
"""


def found(rule: str, code: str, name: str = "src/train.py") -> list[Finding]:
    """The findings on a file, for one run that is configured as above."""
    code = HEAD + code.replace("@MAIN", MAIN)
    files = {name: code, "config/config.yaml": CONFIG, "src/model.py": "# loaded in train.py"}
    return findings(rule, files, runs={"r1": RUN})


LOADING = {
    "call": "Auto.from_pretrained(cfg.model.name, torch_dtype=getattr(torch, cfg.model.dtype))",
    "text": "Auto.from_pretrained(cfg.model.name, torch_dtype=cfg.model.dtype)",
    "choice": (
        "Auto.from_pretrained(cfg.model.name,"
        " dtype=torch.half if 'float16' in cfg.model.dtype else torch.float32)"
    ),
    "on a GPU": (
        "Auto.from_pretrained(cfg.model.name,"
        " torch_dtype=torch.bfloat16 if torch.cuda.is_available() else torch.float32)"
    ),
}
GROUPS = "[{'params': [p for p in model.parameters()]}]"


@pytest.mark.parametrize("loading", LOADING.values(), ids=LOADING)
@pytest.mark.parametrize("weights", ["model.parameters()", GROUPS, "groups(model)"])
@pytest.mark.parametrize(
    "enabled",
    ["", "enabled=cfg.training.amp in {'fp16', 'bf16'}", "enabled=bool(cfg.training.amp)"],
)
def test_half_weights_under_a_scaler_stop_its_first_step(
    loading: str, weights: str, enabled: str
) -> None:
    code = f"""
def groups(model):
    return [{{"params": list(block.parameters())}} for block in model.transformer.h]

def load(cfg):
    return {loading}

@MAIN
def main(cfg):
    model = load(cfg).cuda()
    optimizer = torch.optim.AdamW({weights}, lr=1e-4)
    scaler = GradScaler({enabled})
    scaler.scale(model(**batch()).loss).backward()
    scaler.step(optimizer)
"""
    assert [finding.severity for finding in found("MO17", code)] == ["blocker"]


@pytest.mark.parametrize(
    ("loading", "line", "enabled"),
    [
        ("Auto.from_pretrained(cfg.model.name)", "pass", ""),
        (LOADING["call"], "model = model.to(torch.float32)", ""),
        (LOADING["call"], "model = model.float()", ""),
        (LOADING["call"], "model = get_peft_model(model, LoraConfig(r=8))", ""),
        (LOADING["call"], "for p in model.parameters(): p.requires_grad = False", ""),
        (LOADING["call"], "pass", "enabled=cfg.training.amp == 'bf16'"),
        (LOADING["call"], "pass", "enabled=unknown()"),
        (LOADING["call"].replace("cfg.model.dtype", "unknown()"), "pass", ""),
    ],
    ids=["float32", "made so", "float()", "adapters", "frozen", "off", "unknown", "which"],
)
def test_a_scaler_over_other_weights_is_passed_over(loading: str, line: str, enabled: str) -> None:
    code = f"""
@MAIN
def main(cfg):
    model = {loading}
    {line}
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    scaler = GradScaler({enabled})
    scaler.step(optimizer)
"""
    assert not found("MO17", code)


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        ("model = adapt(model); checkpoint(cfg, model)", 1),
        ("checkpoint(cfg, model); model = adapt(model)", 0),
        ("model = adapt(model); model.enable_input_require_grads(); checkpoint(cfg, model)", 0),
        ("checkpoint(cfg, model)", 0),
        ("model = adapt(model); cfg.model.checkpointing = False; checkpoint(cfg, model)", 0),
    ],
    ids=["after", "before", "prepared", "no adapters", "off"],
)
def test_checkpointing_comes_before_adapters_or_is_prepared(lines: str, count: int) -> None:
    code = f"""
def adapt(model):
    return get_peft_model(model, LoraConfig(r=8, target_modules=["c_attn"]))

def checkpoint(cfg, model):
    if cfg.model.checkpointing:
        model.gradient_checkpointing_enable()

@MAIN
def main(cfg):
    model = Auto.from_pretrained(cfg.model.name)
    {lines}
"""
    assert len(found("MO05", code)) == count


SWAP = """
def build(cfg):
    model = Auto.from_pretrained(cfg.model.name, trust_remote_code=True)
    targets = {}
    return get_peft_model(model, LoraConfig(r=8, target_modules=targets))

@MAIN
def main(cfg):
    if cfg.mode == "trial":
        cfg.model.name = "{}"
    build(cfg)
"""


@pytest.mark.parametrize(
    ("targets", "model", "count"),
    [
        ('["c_attn"]', "sshleifer/tiny-gpt2", 0),
        ('["c_attn"]', "facebook/opt-125m", 1),
        ('["q_proj", "v_proj"]', "facebook/opt-125m", 1),
        ('["q_proj"] if cfg.mode == "trial" else ["c_attn"]', "facebook/opt-125m", 0),
        ('["c_attn"]', "somebody/own-model", 0),
    ],
    ids=["same", "only trial", "only full", "told apart", "unknown"],
)
def test_adapters_fit_the_model_of_each_mode(targets: str, model: str, count: int) -> None:
    assert len(found("MO06", SWAP.format(targets, model))) == count


LOGGED = """
import wandb

class Meter:
    def log(self, value):
        wandb.log({"value": value})

def start(cfg):
    if cfg.mode == "trial":
        return None
    return wandb.init(project="p", mode="online")

@MAIN
def main(cfg):
    run = start(cfg)
    LINES
"""


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        ("Meter().log(1)", 1),
        ("wandb.log({'a': 1})", 1),
        ("if run: wandb.log({'a': 1})", 0),
        ("if run is not None: wandb.log({'a': 1})", 0),
        ("if wandb.run is not None: wandb.log({'a': 1})", 0),
        ("if cfg.mode != 'trial': Meter().log(1)", 0),
        ("wandb.init(project='q', mode='disabled'); wandb.log({'a': 1})", 0),
        ("run.log({'a': 1}) if run else None", 0),
    ],
)
def test_a_mode_without_a_run_logs_nothing(lines: str, count: int) -> None:
    assert len(found("TR11", LOGGED.replace("LINES", lines))) == count


SKIPPED = """
import hydra, wandb

class Meter:
    def log(self, value):
        if value < 0:
            return
        ASKED wandb.log({"power": value})

@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    run = None
    if SWITCH:
        run = wandb.init(project="p")
    meter = Meter()
    rows = []
    for row in open("rows.txt"):
        rows.append(row)
        if rows:
            meter.log(len(rows))
    if run:
        run.finish()
"""


@pytest.mark.parametrize(
    ("switch", "asked", "severities"),
    [
        ("cfg.mode != 'trial'", "", [Severity.BLOCKER]),
        ("cfg.mode != 'trial'", "if wandb.run: ", []),
        ("load(cfg).tracked", "", [Severity.MAJOR]),
        ("load(cfg).tracked", "if wandb.run: ", []),
        ("wandb.run is None and load(cfg).tracked", "", []),
        ("load(cfg).rows", "", []),
    ],
)
def test_in_a_loop_or_behind_a_test_of_other_things_a_run_is_needed_as_well(
    switch: str, asked: str, severities: list[Severity]
) -> None:
    code = SKIPPED.replace("SWITCH", switch).replace("ASKED ", asked)
    assert [flag.severity for flag in found("TR11", code)] == severities
