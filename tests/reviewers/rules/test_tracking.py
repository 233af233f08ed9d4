"""Guards how missing metrics are reported: what stops evaluate.py by itself, what is only asked for
together.
"""

import pytest

from reviewers.facts import Facts
from reviewers.records import Finding, Severity
from reviewers.rules import find_rule
from tests.builders import make_submission
from tests.reviewers.rules.asking import findings

TRAIN = 'import wandb\n\ndef main(cfg):\n    wandb.init()\n    wandb.log({"loss": 1.0})\n'


def found_by(rule: str, evaluate: str) -> list[Finding]:
    files = {"src/train.py": TRAIN, "src/evaluate.py": evaluate}
    return findings(rule, files)


def test_each_key_that_must_be_there_is_a_blocker_of_its_own() -> None:
    found = found_by(
        "TR01", 'def main(run):\n    h = run.history()\n    print(h["a"], h["b"], h["a"])\n'
    )
    assert [finding.severity for finding in found] == [Severity.BLOCKER, Severity.BLOCKER]
    assert "KeyError: 'a'" in found[0].message


def test_keys_that_are_only_asked_for_are_one_finding_a_function() -> None:
    one = "def one(s):\n    return s.get('a'), s.get('b')\n\n"
    text = f"{one}def main(run):\n    one(run.summary)\n    return run.summary.get('c')\n"
    found = found_by("TR01", text)
    assert [finding.severity for finding in found] == [Severity.MAJOR, Severity.MAJOR]
    assert "`a`, `b` are read" in found[0].message
    assert "`c` is read" in found[1].message


@pytest.mark.parametrize(
    ("tested", "blockers"),
    [("if name in h.columns", 0), ("if len(h) > 1", 1)],
    ids=["whether the key is there", "something else"],
)
def test_a_key_that_each_caller_makes_sure_of_stops_nothing(tested: str, blockers: int) -> None:
    text = (
        "def draw(h, name):\n    print(h[name])\n\n"
        'def main(run):\n    h = run.history()\n    for name in ["loss", "gone"]:\n'
        f"        {tested}:\n            draw(h, name)\n"
    )
    found = found_by("TR01", text)
    assert [one.severity for one in found].count(Severity.BLOCKER) == blockers


@pytest.mark.parametrize(
    ("test", "blockers"),
    [
        ('{"loss", "gone"}.issubset(h.columns)', 0),
        ('{"gone"} <= set(h.columns)', 0),
        ('set(h.columns).issuperset(["gone"])', 0),
        ('{"loss"}.issubset(h.columns)', 1),
    ],
)
def test_a_key_that_is_looked_for_in_a_set_stops_nothing(test: str, blockers: int) -> None:
    text = f"""def main(run):
    h = run.history()
    if not {test}:
        return
    print(h["loss"], h["gone"])
"""
    found = found_by("TR01", text)
    assert [one.severity for one in found].count(Severity.BLOCKER) == blockers


READS = "import wandb\n\ndef main(cfg):\n    return wandb.Api().run(cfg.path).history()\n"


@pytest.mark.parametrize(
    ("evaluate", "says"),
    [(READS, True), ("import json\n\ndef main(path):\n    return json.load(open(path))\n", False)],
    ids=["reads runs from WandB", "reads files"],
)
def test_what_evaluation_finds_is_said_only_where_it_reads_runs(evaluate: str, says: bool) -> None:
    files = {"src/train.py": "def main():\n    print(1)\n", "src/evaluate.py": evaluate}
    (finding,) = findings("TR02", files)
    assert finding.message.startswith("no code calls wandb.init: nothing reaches WandB")
    assert ("evaluate.py finds no run" in finding.message) is says


@pytest.mark.parametrize("train", ["", "# later\n", '"""Train."""\n', '"""Train."""\npass\n...\n'])
def test_a_training_script_without_code_is_called_empty_and_nothing_else(train: str) -> None:
    facts = Facts(make_submission({"src/train.py": train}))
    assert list(find_rule("TR02")(facts)) == []
    assert [each.span.file for each in find_rule("FS02")(facts) if each.span] == ["src/train.py"]


def test_files_of_weights_and_settings_are_no_dumped_results() -> None:
    train = (
        "import json\n\ndef main(cfg, folder):\n    (folder /"
        ' "importance_weights.json").write_text(json.dumps({}))\n'
    )
    assert findings("TR03", {"src/train.py": train}) == []
