"""Guards the dry run: each failure once, in the order of a real run, with the way there,
and what is not certain said so.
"""

import json
from typing import Any

import pytest

from reviewers.exports.dry_run_words import limits, summary
from reviewers.exports.review_json import review_json
from reviewers.facts import Facts
from reviewers.panel.review import review_all
from reviewers.records import DryRun, Failure, Span, Submission
from reviewers.rules import run_rules
from reviewers.rules.base import registered
from tests.builders import SOUND_RUNS, changed, contract, make_submission

TRAIN, MODEL, MAIN = "src/train.py", "src/model.py", "src/main.py"
HERE = Span("src/a.py", 1)
HEAD = "def main(cfg: DictConfig) -> None:\n"
READS = (HEAD, f"{HEAD}    cfg.nope\n")
INIT = "    wandb.init(\n"


def met(files: dict[str, Any] | None = None, **fields: Any) -> DryRun:
    report = run_rules(Facts(make_submission(files, **fields)))
    assert report.dry_run is not None
    return report.dry_run


def told(dry_run: DryRun) -> list[tuple[str, str, str]]:
    """Step, error and place of each failure."""
    return [(one.step, one.error, str(one.place)) for one in dry_run.failures]


def test_where_nothing_is_known_to_fail_it_says_what_was_followed_and_what_was_not() -> None:
    sound = met()
    assert (sound.failures, sound.first) == ((), None)
    assert summary(sound) == "followed 2 runs in 2 modes; no failure found"
    assert [(one.step, one.starts, one.runs, one.modes) for one in sound.commands] == [
        ("install", 1, 0, 0),
        ("main", 4, 2, 2),
        ("evaluate", 1, 0, 0),
    ]
    assert "3 statements under conditions that only a real run decides" in limits(sound)[0]


@pytest.mark.parametrize(
    ("line", "certain"),
    [
        ("undefined() if cfg.get('x') else 1", False),
        ("cfg.get('x') and undefined()", False),
        ("(lambda: undefined())", False),
        ("1 if undefined else 2", True),
        ("undefined or 1", True),
        ("(undefined if cfg.get('x') else 1, undefined)", True),
    ],
)
def test_what_an_expression_may_leave_out_is_not_certain(line: str, certain: bool) -> None:
    found = met(changed(MAIN, (HEAD, f"{HEAD}    {line}\n")))
    assert [(one.error, one.certain) for one in found.failures] == [("NameError", certain)]


def test_failures_come_in_the_order_of_a_run() -> None:
    """The installation, then the imports of main, its composition, what it does, the process that
    it starts with its own imports, and the evaluation last.
    """
    files = {
        **changed(MAIN, READS, ("import hydra\n", "import hydra\nimport src.absent\n")),
        **changed(
            TRAIN, ("from src.model import build_model\n", "from src.model import nothing\n")
        ),
        **changed(MODEL, ("import torch\n", "import torch\nprint(undefined)\n")),
        "src/evaluate.py": "import sys\nprint(no_such_name)\n",
    }
    found = met(files)
    assert told(found) == [
        ("main", "ModuleNotFoundError", "src/main.py:8"),
        ("main", "ConfigAttributeError", "src/main.py:14"),
        ("main", "NameError", "src/model.py:4"),
        ("main", "ImportError", "src/train.py:12"),
        ("main", "NameError", "src/train.py:30"),
        ("evaluate", "NameError", "src/evaluate.py:2"),
    ]
    assert found.first == found.failures[0]
    assert {one.starts for one in found.of("main")} == {4}
    assert all(one.certain for one in found.of("main")[:4])
    in_model = found.of("main")[2]
    # The start of the process, and the import that runs the module.
    assert [span.file for span in in_model.chain] == [MAIN, TRAIN]
    assert in_model.command == "python -m src.main run=comparative-1-mlp-agnews mode=full"


@pytest.mark.parametrize("broken", [MODEL, TRAIN], ids=["imported", "started"])
def test_a_file_that_does_not_parse_stops_where_it_is_imported(broken: str) -> None:
    text = make_submission().by_path[broken].text
    found = met({broken: f"{text}\ndef broken(:\n"})
    assert found.first is not None
    assert (found.first.error, found.first.place.file) == ("SyntaxError", broken)
    assert found.first.certain
    assert found.first.chain[0].file == MAIN
    assert len(found.first.chain) == (2 if broken == MODEL else 1)


def test_what_a_condition_decides_that_only_a_run_knows_is_marked() -> None:
    under = "    if wandb.run is None:\n        undefined()\n"
    found = met(changed(TRAIN, (INIT, f"{under}{INIT}")))
    (one,) = found.failures
    assert (one.error, one.certain) == ("NameError", False)
    assert "may stop in `src/train.py`" in one.sentence


def test_a_certain_failure_leads_before_one_that_may_not_be_met() -> None:
    under = "    if wandb.run is None:\n        undefined()\n"
    found = met(changed(TRAIN, (INIT, f"{under}    unknown()\n{INIT}")))
    may, certain = found.failures
    assert (may.certain, certain.certain) == (False, True)
    assert found.of("main") == (certain, may)
    assert found.first == certain


def test_what_one_run_file_says_is_met_in_that_run() -> None:
    first, *others = SOUND_RUNS
    wrong = {
        **SOUND_RUNS,
        others[-1]: SOUND_RUNS[others[-1]].replace("high: 1.0e-2", "high: 1.0e-9"),
    }
    (failure,) = met(runs=wrong).failures
    assert failure.run == others[-1]
    both = {run: text.replace("high: 1.0e-2", "high: 1.0e-9") for run, text in SOUND_RUNS.items()}
    assert [one.run for one in met(runs=both).failures] == [first]


def test_an_error_that_is_caught_is_not_certain() -> None:
    tried = "    try:\n        undefined()\n    except NameError:\n        pass\n"
    found = met(changed(TRAIN, (INIT, f"{tried}{INIT}")))
    assert [one.certain for one in found.failures] in ([False], [])


def test_the_chain_names_every_call() -> None:
    made = "    rows = torch.zeros"
    (one,) = met(changed("src/preprocess.py", (made, f"    nope()\n{made}"))).failures
    # The process, then the search, the function that it is handed, and what that calls.
    assert [span.file for span in one.chain] == [MAIN, *[TRAIN] * 4, "src/preprocess.py"]
    assert one.sentence == (
        "`python -m src.main run=comparative-1-mlp-agnews mode=full` stops in"
        " `src/preprocess.py` line 12: `nope` is never defined or imported: NameError: name 'nope'"
        " is not defined"
    )


def test_the_installation_comes_before_everything() -> None:
    broken = {"pyproject.toml": '[project]\nname = "x"\nversion = "1"\ndependencies = {a = "1"}\n'}
    found = met({**broken, **changed(MAIN, READS)})
    assert [(one.step, one.command) for one in found.failures[:1]] == [("install", "uv sync")]
    assert found.failures[1].step == "main"


def test_a_configuration_that_cannot_be_composed_or_read_stops_there() -> None:
    composed = met({"config/config.yaml": "defaults: [_self_]\nresults_dir: ???\nmode: full\n"})
    assert composed.first is not None
    assert composed.first.error == "ConfigCompositionException"
    assert composed.first.place.file == MAIN
    runs = {name: f"{run.file.text}\ta: [" for name, run in _runs().items()}
    read = met(runs=runs)
    assert read.first is not None
    assert (read.first.error, read.first.place.file) == ("YAMLError", TRAIN)
    assert read.first.finding is not None
    missing = met({"config/config.yaml": None})
    assert missing.first is not None
    assert missing.first.error == "MissingConfigException"


def _runs() -> dict[str, Any]:
    return {run.run_id: run for run in make_submission().runs}


def test_a_started_script_that_is_missing_stops_the_command() -> None:
    first, *behind = met({TRAIN: None}).failures
    assert first.place.file == MAIN
    assert "No module named src.train" in first.message
    assert [(str(one.place), one.chain[0].file) for one in behind] == [(TRAIN, MAIN)]


def test_every_failure_leads_to_a_finding_and_each_finding_leads_a_command_once() -> None:
    submission = make_submission(
        {
            **changed(MAIN, READS),
            **changed(TRAIN, (INIT, f"    oh()\n{INIT}")),
        }
    )
    report = run_rules(Facts(submission))
    assert report.dry_run is not None
    ids = [one.finding for one in report.dry_run.failures]
    assert len(ids) == len(set(ids)) == 2
    assert set(ids) <= {finding.id for finding in report.findings}


def test_a_folder_of_another_lab_is_followed_by_its_own_commands() -> None:
    files = {"fit.py": "def fit():\n    undefined()\n\n\ndef main():\n    fit()\n\n\nmain()\n"}
    asked = contract("plain", '[commands.fit]\nline = "python fit.py"\n')
    found = met({**dict.fromkeys(make_submission().by_path), **files}, runs={}, contract=asked)
    (one,) = found.failures
    assert (one.step, one.command, str(one.place), one.certain) == (
        "fit",
        "python fit.py",
        "fit.py:2",
        True,
    )


def test_what_could_not_be_followed_is_never_a_plain_good_word() -> None:
    asked = contract("plain", '[commands.fit]\nline = "python fit.py --run {run_id}"\n')
    found = met({"fit.py": "x = 1\n"}, runs={}, contract=asked)
    assert [command.starts for command in found.commands if command.step == "fit"] == [0]
    assert "`python fit.py …` is not followed" in limits(found)


def test_the_json_of_a_review_has_the_failures() -> None:
    submission: Submission = make_submission(changed(MAIN, READS))
    reviews = review_all(submission, ("rules",))
    (review,) = json.loads(json.dumps(review_json(submission, reviews)))["reviews"]
    (failure,) = review["failures"]
    assert (failure["file"], failure["line"], failure["certain"]) == (MAIN, 13, True)
    assert failure["error"] == "ConfigAttributeError"
    assert failure["finding"] in {finding["id"] for finding in review["findings"]}
    assert review["followed"]["commands"][1]["starts"] == 4


def test_modules_that_import_each_other_and_functions_that_call_themselves_end() -> None:
    many = {
        f"src/m{n}.py": f"from src import m{(n + 1) % 300}\n\n\ndef f():\n    f()\n"
        for n in range(300)
    }
    found = met(
        {**many, **changed(TRAIN, ("import hydra\n", "import hydra\nfrom src import m0\n"))}
    )
    assert found.commands


def test_every_rule_that_may_be_a_blocker_says_whether_it_stops_a_command() -> None:
    silent = {
        rule.id
        for rule in registered().values()
        if rule.severity == "blocker" and rule.stops is None
    }
    # What breaks a hard rule of the pipeline, and stops nothing.
    assert silent == {
        *("DA02", "EV11", "EV12", "EV13", "FS02", "HY13", "IM13"),
        *("MD01", "MD06", "RC07", "TR02", "TR04", "TR06"),
    }


@pytest.mark.parametrize("message", ["'a'", "KeyError: 'a'"])
def test_a_failure_says_its_error_once(message: str) -> None:
    one = Failure(step="main", command="go", error="KeyError", message=message, place=HERE)
    assert one.sentence == "`go` stops in `src/a.py` line 1: KeyError: 'a'"
