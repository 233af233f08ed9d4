"""Guards when runs are looked for in a WandB project in which nothing tracks them."""

from dataclasses import replace

import pytest

from reviewers.facts import Facts
from reviewers.records import Finding, Severity, SourceFile
from reviewers.rules import find_rule
from tests.builders import contract, make_submission
from tests.reviewers.rules.asking import findings

MAIN = '\nif __name__ == "__main__":\n    main()\n'
HYDRA = (
    "import hydra\nimport wandb\n\n"
    '@hydra.main(version_base=None, config_path="../config", config_name="config")\n'
)
ASKS = (
    "import wandb\nfrom omegaconf import OmegaConf\n\n\ndef main():\n"
    '    cfg = OmegaConf.load("config/config.yaml")\n    cli = OmegaConf.from_cli()\n'
    "    for run_id in cli.run_ids:\n        wandb.Api().run({path})\n"
)
OWN = 'f"{cfg.wandb.entity}/{cfg.wandb.project}/{run_id}"'


def found(train: str, path: str = OWN, **more: str) -> list[Finding]:
    files: dict[str, str | bytes | None] = {
        "src/train.py": f"{HYDRA}def main(cfg):\n{train}{MAIN}",
        "src/evaluate.py": ASKS.replace("{path}", path) + MAIN,
        **{name.replace("__", "/") + ".yaml": text for name, text in more.items()},
    }
    return findings("TR10", files)


INIT = "    wandb.init(entity=cfg.wandb.entity, project=%s, mode=cfg.wandb.mode)\n"


@pytest.mark.parametrize(
    ("project", "path"),
    [
        ("cfg.wandb.project", OWN),
        ('cfg.wandb.project + "-x"', 'f"{cfg.wandb.entity}/{cfg.wandb.project}-x/{run_id}"'),
        ('cfg.wandb.project + "-x"', 'f"{cfg.wandb.entity}/{cli.project}/{run_id}"'),
        ('cfg.wandb.project + "-x"', '"other-lab/baselines/3fk2l"'),
        ("__import__('os').environ['PROJECT']", OWN),
    ],
    ids=["the same", "both changed", "from the words", "a certain foreign run", "from outside"],
)
def test_what_may_be_one_project_is_left_alone(project: str, path: str) -> None:
    assert found(INIT % project, path) == []


def test_both_projects_are_named_with_the_place_that_tracks_the_runs() -> None:
    (finding,) = found(INIT % 'cfg.wandb.project + "-x"')
    assert finding.severity is Severity.BLOCKER
    assert finding.span is not None
    assert finding.span.file == "src/evaluate.py"
    assert "-x`" in finding.message
    assert "train.py:6 tracks them in" in finding.message


def test_a_suffix_of_one_mode_only_is_told_with_that_mode() -> None:
    text = (
        "    project = cfg.wandb.project\n"
        '    if cfg.mode == "trial":\n        project += "-small"\n'
        "    wandb.init(entity=cfg.wandb.entity, project=project)\n"
    )
    (finding,) = found(text)
    assert finding.severity is Severity.MAJOR
    assert "-small` with mode=trial" in finding.message


def test_runs_that_are_not_sent_count_nowhere() -> None:
    text = (
        '    if cfg.mode == "trial":\n        wandb.init(project="none", mode="disabled")\n'
        "    else:\n        wandb.init(entity=cfg.wandb.entity, project=cfg.wandb.project)\n"
    )
    assert found(text) == []


def test_an_entity_that_nothing_sets_is_told_where_it_is_used() -> None:
    config = "run: ???\nresults_dir: ???\nmode: full\nwandb: {entity: null, project: p}\n"
    (finding,) = found("    wandb.init(project=cfg.wandb.project)\n", config__config=config)
    assert "`None/p`: nothing sets the part that is None" in finding.message


def test_two_plain_scripts_are_compared_without_any_contract() -> None:
    files = {
        "fit.py": f'import wandb\n\ndef main():\n    wandb.init(project="a", entity="lab")\n{MAIN}',
        "report.py": "import wandb\n\ndef main():\n    for run in wandb.Api().runs('lab/b'):\n"
        f"        print(run)\n{MAIN}",
    }
    sources = tuple(SourceFile(path, text.encode()) for path, text in files.items())
    plain = replace(make_submission(runs={}, contract=contract("plain")), files=sources)
    (finding,) = find_rule("TR10")(Facts(plain))
    assert finding.severity is Severity.MAJOR
    assert "`lab/b`, but fit.py:4 tracks them in `lab/a`" in finding.message
