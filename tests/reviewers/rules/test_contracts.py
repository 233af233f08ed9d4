"""Guards that a rule applies only what the submission's contract asks for."""

from collections.abc import Mapping

import pytest

from reviewers.facts import Facts
from reviewers.panel.review import review_all
from reviewers.records import (
    ContractSource,
    Finding,
    GivenContract,
    ResearchContext,
    RunConfig,
    Severity,
    SourceFile,
    Span,
    Submission,
    Verdict,
)
from reviewers.rubric.built_in import built_in
from reviewers.rules import find_rule, registered, run_rules
from tests.builders import contract, make_submission


def test_every_clause_that_a_rule_needs_is_in_some_built_in_contract() -> None:
    contracts = built_in().values()
    assert [
        rule.id
        for rule in registered().values()
        if not any(all(map(contract.asks, rule.needs)) for contract in contracts)
    ] == []


def test_the_plain_contract_has_no_clause_that_a_rule_needs() -> None:
    plain = built_in()["plain"]
    assert [
        rule.id for rule in registered().values() if rule.needs and all(map(plain.asks, rule.needs))
    ] == []


def findings(
    files: Mapping[str, str], contract_name: str, clauses: str = "", **fields: object
) -> list[Finding]:
    """What all rules find in files that are nothing but these."""
    return [*run_rules(Facts(submission(files, contract_name, clauses, **fields))).findings]


def submission(
    files: Mapping[str, str], contract_name: str, clauses: str = "", **fields: object
) -> Submission:
    return Submission(
        **{
            "name": "sample",
            "source": "sample",
            "files": tuple(SourceFile(path, text.encode()) for path, text in sorted(files.items())),
            "runs": (),
            "context": ResearchContext(),
            "contract": contract(contract_name, clauses),
            **fields,
        }  # type: ignore[arg-type]
    )


LAB = """
name = "our-lab"
title = "Fits and scores"

[commands.train]
line = "python code/fit.py exp={run_id} out={results_dir} {mode}"

[commands.evaluate]
line = "python code/score.py out={results_dir} which={run_ids}"
alone = true

[modes.real]
word = "kind=real"
tracking = "online"

[modes.quick]
word = "kind=quick"
tracking = "offline"
search_trials = 3
epochs = 2
batches = 5

[files]
expected = ["code/fit.py", "code/nets.py", "code/score.py", "conf/base.yaml"]
only = true
config = "conf/base.yaml"
model = "code/nets.py"

[runs]
folder = "conf/exp"
sections = ["run_id", "training"]

[tracking]
service = "wandb"
settings = ["tracker.team"]

[outputs]
run_metrics = "{results_dir}/scores_{run_id}.json"
comparison = "{results_dir}/table.json"
keys = ["winner"]
figure_format = "svg"
figure_names = ["{run_id}_{topic}.svg", "all_{topic}.svg"]
drawn_by_evaluation = true
"""
FIT = """
import hydra
import wandb

@hydra.main(version_base="1.3", config_path="../conf", config_name="base")
def main(cfg):
    if cfg.kind == "quick":
        cfg.optuna.n_trials = 4
    wandb.init(project=cfg.tracker.project)
    for epoch in range(cfg.training.epochs):
        for batch in range(9):
            wandb.log({"loss": cfg.training.rate})
    print(cfg.training.width)

if __name__ == "__main__":
    main()
"""
SCORE = """
import argparse
import matplotlib.pyplot as plt
import wandb

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("which")
    args = parser.parse_args()
    run = wandb.Api().run(f"team/project/{args.which}")
    plt.plot(run.history()["accuracy"])
    plt.savefig("accuracy.png")

if __name__ == "__main__":
    main()
"""
BASE = """
defaults:
  - _self_
  - exp: ???
out: ???
kind: real
tracker: {project: ours}
optuna: {n_trials: 10}
"""
EXPERIMENT = """
# @package _global_
run_id: wide
training: {epochs: 9, rate: 0.1}
"""
FILES = {
    "code/fit.py": FIT,
    "code/score.py": SCORE,
    "code/helpers.py": "WIDTH = 1\n",
    "conf/base.yaml": BASE,
    "conf/exp/wide.yaml": EXPERIMENT,
}


def test_a_contract_of_a_lab_s_own_decides_which_rules_speak_and_what_they_name() -> None:
    found = {finding.rule: finding for finding in findings(FILES, "plain", LAB)}
    said = {
        "FS01": "code/nets.py is missing; the contract asks for exactly 4 files",
        "FS03": "code/helpers.py is not one of the 4 documented files",
        "HY02": "`python code/fit.py exp=wide kind=real` stops with ConfigAttributeError",
        "EV01": "the documented command passes key=value words: each receives the whole word"
        " (`which=…`)",
        "EV03": "score.py never writes table.json",
        "EV04": "score.py never writes {results_dir}/scores_{run_id}.json",
        "EV23": "asks for figures as .svg, and `accuracy.png` is not",
        "EV24": "neither with the run id nor with `all_`",
        "MD01": "nothing sets WandB's mode to offline in quick mode",
        "MD02": "quick mode limits no batches",
        "MD04": "in quick mode training.epochs is still 9 for wide: nothing sets it to 2",
        "MD05": "quick mode sets cfg.optuna.n_trials to 4: Optuna must be at 3",
        "TR01": "but fit.py never logs it: score.py stops with KeyError: 'accuracy'",
        "TR04": "conf/base.yaml has no tracker.team",
    }
    assert {rule for rule in said if said[rule] in found[rule].message} == set(said)
    # It asks for no cache, no error handling, no significance test, no figures of comparisons.
    assert not found.keys() & {"DA01", "DA03", "EV05", "EV08", "TR03", "IM05", "FS06"}
    assert {finding.span.file for finding in found.values()} <= {*FILES, "code/nets.py"}


def test_limits_that_the_code_keeps_are_no_finding() -> None:
    fit = FIT.replace(
        "cfg.optuna.n_trials = 4",
        "cfg.optuna.n_trials = 3\n        cfg.training.epochs = 2\n        batches = range(5)\n   "
        '     mode = "offline"',
    )
    rules = {found.rule for found in findings({**FILES, "code/fit.py": fit}, "plain", LAB)}
    assert not rules & {"MD01", "MD02", "MD03", "MD04", "MD05"}


def test_the_same_files_are_judged_by_no_pipeline_where_their_contract_is_plain() -> None:
    assert findings(FILES, "plain") == []


DERIVED = {
    "src/main.py": """
import argparse
import subprocess
import sys

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--smoke-test", action="store_true")
    parser.add_argument("--full-experiment", action="store_true")
    parser.add_argument("--results-dir", required=True)
    args = parser.parse_args()
    words = ["--results-dir", args.results_dir]
    subprocess.run([sys.executable, "-m", "src.train", *words], check=True)
    subprocess.run([sys.executable, "-m", "src.evaluate", *words], check=True)

if __name__ == "__main__":
    main()
""",
    "src/train.py": """
import argparse
import json

from src.model import build
from src.preprocess import rows

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--results-dir", required=True)
    args = parser.parse_args()
    print(json.dumps({"run_id": "ours", "accuracy": build()(rows())}))

if __name__ == "__main__":
    main()
""",
    "src/evaluate.py": """
import argparse
import json

import matplotlib.pyplot as plt

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--results-dir", required=True)
    args = parser.parse_args()
    plt.plot([1], label="ours")
    plt.legend()
    plt.annotate("1", (0, 1))
    plt.tight_layout()
    plt.savefig(f"{args.results_dir}/images/accuracy.pdf")
    print(json.dumps({"best": "ours"}))

if __name__ == "__main__":
    main()
""",
    "src/model.py": "def build():\n    return len\n",
    "src/preprocess.py": """
from datasets import load_dataset

def rows():
    return load_dataset("nyu-mll/glue", "sst2")["train"]
""",
    "config/smoke_test.yaml": "experiments:\n  - {name: ours, epochs: 1}\n",
    "config/full_experiment.yaml": "experiments:\n  - {name: ours, epochs: 9}\n",
    "pyproject.toml": """
[project]
name = "derived"
version = "0.1.0"
dependencies = ["datasets", "matplotlib"]
""",
}


def test_flags_without_hydra_or_tracking_are_held_to_nothing_else() -> None:
    assert findings(DERIVED, "derived-experiment") == []
    assert {found.rule for found in findings(DERIVED, "nine-modes")} >= {"FS01", "EV01", "TR02"}


def test_data_made_up_for_placeholders_is_what_base_code_is_asked_for() -> None:
    invented = {
        "src/preprocess.py": "def rows():\n    # PLACEHOLDER: dummy data for now\n    return []\n"
    }
    assert {found.rule for found in findings({**DERIVED, **invented}, "base-code")} == set()
    held = {found.rule for found in findings({**DERIVED, **invented}, "derived-experiment")}
    assert held == {"DA02", "IM05"}


def test_a_flag_for_a_mode_is_followed_like_a_word() -> None:
    clauses = """
[commands.train]
line = "python src/train.py --run {run_id} {mode}"
[modes.quick]
word = "--quick-look"
batches = 2
"""
    train = "import sys\n\ndef main(args):\n    if args.quick_look:\n        print(args.batch)\n"
    asked = {"src/train.py": train}
    assert {found.rule for found in findings(asked, "plain", clauses)} == {"MD02"}
    kept = {"src/train.py": train.replace("print(args.batch)", "limit_batches = 2")}
    assert findings(kept, "plain", clauses) == []
    silent = {"src/train.py": "def main(args):\n    print(1)\n"}
    assert {found.rule for found in findings(silent, "plain", clauses)} == {"MD03"}


def test_a_search_of_run_files_looks_where_the_contract_says() -> None:
    facts = Facts(submission(FILES, "plain", LAB))
    assert [(run.run_id, run.file.path) for run in facts.runs] == [("wide", "conf/exp/wide.yaml")]
    given = RunConfig("own", SourceFile("elsewhere/own.yaml", b"run_id: own\n"))
    brought = Facts(submission(FILES, "plain", LAB, runs=(given,)))
    assert [run.run_id for run in brought.runs] == ["own"]


def test_the_command_of_the_trial_flag_is_composed_in_both_modes() -> None:
    facts = Facts(make_submission(contract=contract("nine-trial-flag")))
    assert {start.mode_word for start in facts.hydra.starts} == {"", "trial_mode=true"}
    stopped = next(found for found in run_rules(facts).findings if found.rule == "HY03")
    assert "Could not override 'trial_mode'" in stopped.message


PLAIN = {
    "src/fit.py": """
import hydra

@hydra.main(version_base="1.3", config_path="../configs", config_name="fit.yaml")
def main(cfg):
    print(cfg.trainer.epochs, cfg.trainer.width)

if __name__ == "__main__":
    main()
""",
    "configs/fit.yaml": "defaults:\n  - _self_\n  - hydra: own\n  - trainer: default\n",
    "configs/trainer/default.yaml": "epochs: 3\nfolder: ${oc.env:HERE}\n",
    "configs/hydra/own.yaml": "defaults:\n  - override hydra_logging: colorlog\n",
}


def test_what_code_composes_itself_is_followed_where_no_command_is_documented() -> None:
    (finding,) = findings(PLAIN, "plain")
    assert finding.rule == "HY02"
    assert "`python src/fit.py …` stops with ConfigAttributeError" in finding.message


@pytest.mark.parametrize(
    "changed",
    [
        {"configs/trainer/default.yaml": "epochs: 3\nfolder: ???\n"},
        {"src/store.py": "from hydra.core.config_store import ConfigStore\n"},
        {"configs/fit.yaml": "defaults:\n  - trainer: ???\n"},
        {"configs/fit.yaml": "defaults:\n  - base_fit\n  - trainer: default\n"},
    ],
    ids=["a value", "code", "a choice", "a base"],
)
def test_what_only_a_word_or_code_could_give_is_no_failure(changed: dict[str, str]) -> None:
    assert findings(PLAIN | changed, "plain") == []


def test_an_expected_file_may_be_one_of_many() -> None:
    clauses = '[files]\nexpected = ["conf/{name}.yaml", "code/*.py"]\nonly = true\n'
    found = findings({"conf/a.yaml": "a: 1\n", "code/fit.py": "A = 1\n"}, "plain", clauses)
    assert found == []
    found = findings({"conf/deep/a.yaml": "a: 1\n", "code/fit.py": "\n"}, "plain", clauses)
    assert {(each.rule, each.span.file) for each in found} == {
        ("FS01", "conf/{name}.yaml"),
        ("FS02", "code/fit.py"),
        ("FS03", "conf/deep/a.yaml"),
    }


def test_a_name_with_placeholders_is_found_whatever_stands_for_them() -> None:
    score = SCORE + 'open(f"{out}/scores_{run}.json", "w")\nopen("table.json")\nprint("winner")\n'
    rules = {found.rule for found in findings({**FILES, "code/score.py": score}, "plain", LAB)}
    assert not rules & {"EV03", "EV04"}


def test_a_mode_whose_value_is_a_number_goes_by_its_key() -> None:
    clauses = """
[commands.train]
line = "python fit.py {mode}"
[modes.little]
word = "level=2"
batches = 2
"""
    fit = "def main(args):\n    rate = 0.2\n    if rate > 1.2:\n        print(rate)\n"
    assert {found.rule for found in findings({"fit.py": fit}, "plain", clauses)} == {"MD03"}
    asked = fit.replace("rate > 1.2", "args.level == 2")
    assert findings({"fit.py": asked}, "plain", clauses) == []  # there are no batches
    batches = asked.replace("print(rate)", "print(args.batches)")
    assert {found.rule for found in findings({"fit.py": batches}, "plain", clauses)} == {"MD02"}


def test_tracking_is_judged_by_wandb_s_names_only_where_that_is_the_service() -> None:
    other = LAB.replace('service = "wandb"', 'service = "mlflow"')
    assert not {found.rule for found in findings(FILES, "plain", other)} & {"MD01", "MD06", "TR02"}


def test_a_package_of_one_s_own_comes_before_a_library_of_its_name() -> None:
    code = "import torch\n\nprint(torch.no_such_name)\n"
    library = {"fit.py": code}
    assert {found.rule for found in findings(library, "plain")} == {"IM09"}
    for package in ("torch/__init__.py", "src/torch/__init__.py", "torch.py"):
        assert findings(library | {package: "no_such_name = 1\n"}, "plain") == []


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('extends = "plain"\n[modes\n', 2, "not valid TOML"),
        ('extends = "nowhere"\n', None, "extends"),
        ('extends = "plain"\ncommands = 3\n', None, "commands"),
        ("# " + "x" * 70_000, None, "larger than"),
    ],
    ids=["no TOML", "unknown name", "wrong type", "too large"],
)
def test_an_own_contract_that_makes_no_sense_is_a_finding_and_the_guess_counts(
    text: str, line: int | None, said: str
) -> None:
    given = GivenContract(ContractSource.FILE, text)
    facts = Facts(make_submission(contract=given))
    (finding,) = find_rule("FS19")(facts)
    assert finding.span == Span("areachair.toml", line)
    assert said in finding.message
    assert finding.message.endswith(f"judged as {facts.contract.name}, a guess")
    assert facts.chosen.source is ContractSource.GUESS


def test_the_contract_says_whether_a_major_finding_keeps_a_submission_from_being_ready() -> None:
    files = {"src/model.py": "def build():\n    # TODO: the layers\n    return 1\n"}
    clauses = "files.complete = true\n"
    for more, verdict in (
        ("", Verdict.READY),
        ("ready.every_criterion = true\n", Verdict.NOT_READY),
    ):
        (review,) = review_all(submission(files, "plain", clauses + more), ["rules"])
        assert {finding.severity for finding in review.findings} == {Severity.MAJOR}
        assert review.verdict is verdict
