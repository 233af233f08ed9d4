# ruff: noqa: E501  a line of code is clearest whole
"""Files with what was around them, with slips that keep them from being read, and runs under names
that no command can say.
"""

from functools import partial

from tests.reviewers.repairs.started import Case, sound

_case = partial(Case, "files")


def _renamed(base: str, old: str, new: str, folder: str) -> dict[str, str | None]:
    """The run of a sound submission under another name."""
    text = sound()[base][f"{folder}/{old}.yaml"]
    return {
        f"{folder}/{new}.yaml": text.replace(f"run_id: {old}", f'run_id: "{new}"'),
        f"{folder}/{old}.yaml": None,
    }


CASES = (
    _case(
        "a run whose name has brackets and spaces",
        "gated-sam",
        "HY03",
        "OverrideParseException",
        _renamed("gated-sam", "proposed-gated-sam-resnet14-cifar10", "proposed gated (SAM) [0.27M] cifar10", "config/runs"),
        ("config/runs/proposed-gated-SAM-0.27M-cifar10.yaml", 'run_id: "proposed-gated-SAM-0.27M-cifar10"'),
    ),
    _case(
        "a run of a group whose name has a comma and brackets",
        "sparse-forecast",
        "HY03",
        "OverrideParseException",
        _renamed("sparse-forecast", "proposed-lag-sparse-attention-etth1", "proposed-lags{6}-etth1", "config/run"),
        ("config/run/proposed-lags-6-etth1.yaml", "# @package _global_"),
    ),
    _case(
        "a fence around pyproject.toml",
        "noise-batch",
        "FS04",
        "uv",
        {"pyproject.toml": f"```toml\n{sound()['noise-batch']['pyproject.toml']}```\n"},
    ),
    _case(
        "the end of an answer behind the configuration",
        "gated-sam",
        "RC01",
        "ScannerError",
        {"config/config.yaml": sound()["gated-sam"]["config/config.yaml"] + "\n\n\n\n\"}\n]\n"},
    ),
    _case(
        "a list of a run that is not closed",
        "gated-sam",
        "RC01",
        "ParserError",
        {"config/runs/proposed-gated-sam-resnet14-cifar10.yaml": (("widths: [16, 32, 64]", "widths: [16, 32, 64"),)},
        ("config/runs/proposed-gated-sam-resnet14-cifar10.yaml", "widths: [16, 32, 64]\n"),
    ),
    _case(
        "a fence around a module",
        "sparse-forecast",
        "IM01",
        "SyntaxError",
        {"src/model.py": f"```python\n{sound()['sparse-forecast']['src/model.py']}\n```"},
    ),
    _case(
        "a line break that was an escape",
        "gated-sam",
        "IM01",
        "SyntaxError",
        {"src/train.py": (("over {len(errors)} seeds\")", "over {len(errors)} seeds\n\")"),)},
        ("src/train.py", "seeds\\n\")"),
    ),
    _case(
        "quotes of typography",
        "retrieval-head",
        "IM01",
        "SyntaxError",
        {"src/main.py": (("print(\"Launching:\", \" \"", "print(“Launching:”, “\N{NO-BREAK SPACE}”"),)},
        ("src/main.py", 'print("Launching:", " "'),
    ),
    _case(
        "a call over several lines that is not closed",
        "sound_submission",
        "IM01",
        "SyntaxError",
        {"src/main.py": (("    subprocess.run(command, cwd=root, check=True)\n", "    subprocess.run(\n        command,\n        cwd=root,\n        check=True\n\n"),)},
        ("src/main.py", "        check=True)\n"),
    ),
    _case(
        "Hydra's own node in the configuration",
        "sparse-forecast",
        "HY02",
        "ConfigAttributeError",
        {"src/main.py": (("    print(OmegaConf.to_yaml(cfg))\n", "    print(cfg.hydra.job.name, OmegaConf.to_yaml(cfg))\n"),)},
        ("src/main.py", "HydraConfig.get().job.name"),
    ),
)  # fmt: skip
