"""Guards how missing metrics are told: what stops evaluate.py by itself, what is only asked for
together.
"""

from reviewers.facts import Facts
from reviewers.records import Finding, Severity
from reviewers.rules import find_rule
from tests.builders import make_submission

TRAIN = 'import wandb\n\ndef main(cfg):\n    wandb.init()\n    wandb.log({"loss": 1.0})\n'


def found_by(rule: str, evaluate: str) -> list[Finding]:
    files = {"src/train.py": TRAIN, "src/evaluate.py": evaluate}
    return list(find_rule(rule)(Facts(make_submission(files))))


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


def test_files_of_weights_and_settings_are_no_dumped_results() -> None:
    train = (
        "import json\n\ndef main(cfg, folder):\n    (folder /"
        ' "importance_weights.json").write_text(json.dumps({}))\n'
    )
    assert list(find_rule("TR03")(Facts(make_submission({"src/train.py": train})))) == []
