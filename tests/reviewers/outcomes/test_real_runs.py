"""Guards the way from a real failure to the rule that had predicted it: broken submissions are run,
and nothing is made up.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from reviewers.facts import Facts
from reviewers.outcomes import read_failure
from reviewers.outcomes.linking import Fate, link
from reviewers.outcomes.place import place_of
from reviewers.records import Submission
from reviewers.rules import run_rules
from tests.builders import changed, make_submission
from tests.reviewers.outcomes.running import run

_START = ("src.main", "run=proposed-mlp-agnews", "results_dir=results", "mode=trial")
_EVALUATION = (
    "src.evaluate",
    "results_dir=results",
    'run_ids=["proposed-mlp-agnews", "comparative-1-mlp-agnews"]',
)
_POSITIONAL = (
    (
        'words = dict(word.split("=", 1) for word in sys.argv[1:])\n    results_dir ='
        ' Path(words["results_dir"])\n    run_ids = json.loads(words["run_ids"])'
    ),
    (
        'parser = argparse.ArgumentParser()\n    parser.add_argument("results_dir")\n   '
        ' parser.add_argument("run_ids")\n    args = parser.parse_args()\n    results_dir ='
        " Path(args.results_dir)\n    run_ids = json.loads(args.run_ids)"
    ),
)


def _changed(path: str, *changes: tuple[str, str]) -> Submission:
    return make_submission(changed(path, *changes))


_BROKEN = {
    "struct-merge": (
        _changed("src/train.py", ("    OmegaConf.set_struct(cfg, False)\n", "")),
        _START,
        "HY01",
        "src/train.py",
    ),
    "merge-below-a-struct": (
        _changed(
            "src/train.py",
            (
                "set_struct(cfg, False)\n",
                "set_struct(cfg, False)\n    OmegaConf.set_struct(cfg.training, True)\n",
            ),
        ),
        _START,
        "HY01",
        "src/train.py",
    ),
    "absent-key": (
        make_submission(
            changed(
                "src/train.py",
                (
                    "    learning_rate = search(cfg)",
                    "    print(cfg.training.warmup)\n    learning_rate = search(cfg)",
                ),
            )
        ),
        _START,
        "HY02",
        "src/train.py",
    ),
    "no-config-name": (
        _changed("src/main.py", (', config_name="config"', "")),
        _START,
        "HY07",
        "src/main.py",
    ),
    "interpolated-group": (
        _changed(
            "config/config.yaml",
            ("  - _self_\n", "  - _self_\n  - runs: ${run}\n"),
            ("run: ???", "run: null"),
        ),
        _START,
        "HY03",
        "config/config.yaml",
    ),
    "nonexistent-api": (
        _changed(
            "src/train.py",
            ("    if cfg.mode ==", "    cfg = OmegaConf.deepcopy(cfg)\n    if cfg.mode =="),
        ),
        _START,
        "IM09",
        "src/train.py",
    ),
    "child-elsewhere": (
        _changed("src/main.py", ('version_base="1.3", ', ""), (", cwd=root", "")),
        _START,
        "HY08",
        "src/main.py",
    ),
    "undefined-name": (
        _changed("src/train.py", ("id=cfg.run_id,", "id=run_identifier,")),
        _START,
        "IM02",
        "src/train.py",
    ),
    "syntax": (
        _changed("src/model.py", ("def build_model(", "def build_model((")),
        _START,
        "IM01",
        "src/model.py",
    ),
    "positional-words": (
        _changed(
            "src/evaluate.py", ("import json\n", "import argparse\nimport json\n"), _POSITIONAL
        ),
        _EVALUATION,
        "EV01",
        "src/evaluate.py",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize(("submission", "command", "rule", "file"), _BROKEN.values(), ids=_BROKEN)
def test_the_rule_that_had_said_so_is_linked_with_the_real_failure(
    submission: Submission, command: tuple[str, ...], rule: str, file: str, tmp_path: Path
) -> None:
    output, code = run(submission, tmp_path, *command)
    assert code != 0
    failure = read_failure(output, code)
    assert failure is not None, output
    span = place_of(failure, submission)
    findings = run_rules(Facts(submission)).findings
    linked = link(failure, span, {"rules": findings, "nobody": ()})
    predicting = {finding.rule for finding in findings if finding.id in linked.findings["rules"]}
    assert (rule in predicting, span.file if span else None) == (True, file), (
        failure,
        span,
        predicting,
        [f.rule for f in findings],
    )
    assert (linked.fate("rules"), linked.fate("nobody")) == (Fate.PREDICTED, Fate.MISSED)


def test_a_failure_that_no_rule_speaks_of_is_missed(tmp_path: Path) -> None:
    submission = make_submission()
    output, code = run(submission, tmp_path, *_START)
    failure = read_failure(output, code)
    # A stand-in for a data set has no rows.
    assert failure is not None
    span = place_of(failure, submission)
    linked = link(failure, span, {"rules": run_rules(Facts(submission)).findings})
    assert (str(failure), str(span)) == (
        "TypeError: 'Anything' object is not subscriptable",
        "src/preprocess.py:26",
    )
    assert linked.fate("rules") is Fate.MISSED


_UV = shutil.which("uv", path=str(Path(sys.executable).parent))


@pytest.mark.skipif(_UV is None, reason="uv is not installed beside this Python")
def test_uvs_own_complaint_is_linked_with_the_packaging_rule(tmp_path: Path) -> None:
    submission = _changed(
        "pyproject.toml", ("dependencies = [\n", "dependencies = {torch = '2'}\nkeywords = [\n")
    )
    (tmp_path / "pyproject.toml").write_bytes(submission.by_path["pyproject.toml"].data)
    done = subprocess.run(
        [str(_UV), "run", "--offline", "--no-python-downloads", "python", "-c", "1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    failure = read_failure(done.stderr, done.returncode)
    assert failure is not None
    span = place_of(failure, submission)
    findings = run_rules(Facts(submission)).findings
    linked = link(failure, span, {"rules": findings})
    assert str(span) == "pyproject.toml:9"
    assert {finding.rule for finding in findings if finding.id in linked.findings["rules"]} == {
        "FS04"
    }
