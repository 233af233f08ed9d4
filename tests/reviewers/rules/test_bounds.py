"""Guards the bounds on a review: it ends, at the same place each time, and says what it left."""

import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace

import pytest

from reviewers.facts import Facts
from reviewers.panel.checking import check
from reviewers.panel.reply import ModelAnswer
from reviewers.panel.review import review_all
from reviewers.records import RecordedAnswer, Submission, Verdict
from reviewers.rules import run_rules
from reviewers.rules.run import RulesReport
from tests.builders import ONE_RUN, SOUND_FILES, make_submission, with_one_run

CONFIG, TRAIN = "config/config.yaml", "src/train.py"
TOO_LONG = f"# {'a' * 1_600_000}\n"
PATIENCE = 6.0  # CPU seconds; none takes half of it where nothing else runs
ODD = (
    '!!int ""', '!!float ""', '!!int "-"', "!!timestamp x", "!!bool x", "!!set x", "!!map x",
    "!!binary x", "!!str [a]", "9" * 5_000, "0x" + "f" * 6_000,
)  # fmt: skip


def started_with(*lines: str) -> dict[str, str]:
    """train.py with some lines at the beginning of what Hydra calls."""
    head = '@hydra.main(config_path="../config", config_name="config", version_base="1.3")'
    body = "".join(f"    {line}\n" for line in lines)
    start = "if __name__ == '__main__':\n    main()\n"
    return {TRAIN: f"import hydra\n\n{head}\ndef main(cfg):\n{body}\n{start}"}


def reviewed(files: Mapping[str, str | None], runs: Mapping[str, str] | None = None) -> RulesReport:
    """The rules' report, which comes within our patience."""
    submission = with_one_run(files, runs)
    start = time.process_time()
    report = run_rules(Facts(submission))
    assert time.process_time() - start < PATIENCE
    return report


def comprehension(depth: int) -> str:
    return "[x for x in " * depth + "[]" + "]" * depth


def too_large() -> Submission:
    """Sound but for a file that is too large to be read."""
    return make_submission({"src/model.py": SOUND_FILES["src/model.py"] + TOO_LONG})


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: odd[:16])
def test_an_odd_value_in_yaml_stops_no_rule_and_is_a_finding(odd: str) -> None:
    in_config = reviewed({CONFIG: f"{SOUND_FILES[CONFIG]}\nzz: {odd}\n"})
    in_runs = reviewed({}, {run: f"{text}\nzz: {odd}\n" for run, text in ONE_RUN.items()})
    for report in (in_config, in_runs):
        assert report.partial == ()
        assert any("OmegaConf cannot read config/" in found.message for found in report.findings)


def test_endless_ranges_and_numbers_stop_no_rule() -> None:
    report = reviewed(
        started_with(
            "for i in range(10**30):",
            "    print(cfg.absent)",
            "print([i for i in range(10**30)], list(range(10**30)), [*range(10**30)])",
            "print(range(int('9' * 5000)), str(int('f' * 9000, 16)), f\"{int('f' * 9000, 16)}\")",
        )
    )
    assert report.crashed == ()
    assert [line for line in report.partial if "more turns than Python can count" in line]
    assert any("absent" in found.message for found in report.findings)


@pytest.mark.parametrize(("depth", "is_left"), [(8, False), (30, True), (60, True)])
def test_comprehensions_over_comprehensions_are_followed_once_each_and_to_a_depth(
    depth: int, is_left: bool
) -> None:
    facts = Facts(make_submission(started_with(f"v = {comprehension(depth)}")))
    partial = run_rules(facts).partial
    assert [line for line in partial if "comprehensions within 8 others" in line] == list(partial)
    assert bool(partial) is is_left
    assert facts.steps.taken < 80_000


def test_what_doubles_at_each_level_ends_with_a_remark() -> None:
    doubling = "[" * 30 + "1" + " for x in [1, 2]]" * 30
    report = reviewed(started_with(f"v = {doubling}", "print(cfg.absent)"))
    assert any("comprehensions within 8 others" in line for line in report.partial)


@pytest.mark.parametrize(
    "text",
    ["x = 1\n" * 300_000, "x = {" + "'k': 1, " * 220_000 + "}\n", "# " + "a" * 1_800_000 + "\n"],
    ids=["statements", "a dict literal", "one long line"],
)
def test_a_file_that_is_too_large_is_not_read_and_named(text: str) -> None:
    assert [line.partition(":")[0] for line in reviewed({TRAIN: text}).partial] == [TRAIN]


def test_the_same_submission_takes_the_same_steps() -> None:
    taken = set()
    for _ in range(2):
        facts = Facts(make_submission())
        run_rules(facts)
        taken.add(facts.steps.taken)
    assert len(taken) == 1


def test_a_partial_review_without_a_blocker_has_no_verdict_but_the_reason() -> None:
    (review,) = review_all(too_large(), ["rules"])
    assert (review.verdict, len(review.partial)) == (None, 1)
    assert review.failure is not None
    assert "src/model.py: not read" in review.failure


def test_a_partial_review_with_a_blocker_is_not_ready_and_partial() -> None:
    files = {
        "src/model.py": TOO_LONG,
        TRAIN: SOUND_FILES[TRAIN] + "print(absent_name)\n",
    }
    (review,) = review_all(make_submission(files), ["rules"])
    assert (review.verdict, len(review.partial)) == (Verdict.NOT_READY, 1)
    assert "src/model.py: not read" in review.partial_words


def test_a_review_that_ran_out_of_time_says_so_and_is_made_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    submission = make_submission({TRAIN: f"{SOUND_FILES[TRAIN]}# reviewed by nobody else\n"})
    monkeypatch.setenv("AREACHAIR_REVIEW_SECONDS", "0.000001")
    (first,) = review_all(submission, ["rules"])
    monkeypatch.delenv("AREACHAIR_REVIEW_SECONDS")
    (second,) = review_all(submission, ["rules"])
    assert first.verdict is None
    assert "of processor time" in first.partial_words
    assert (second.verdict, second.partial) == (Verdict.READY, ())


def test_a_review_whose_claims_ran_out_of_time_keeps_its_text_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = "1. src/train.py never calls wandb.init."
    made = make_submission(name="claims out of time")
    submission = replace(
        made,
        recorded=(RecordedAnswer(verdict=Verdict.NOT_READY, failure=None, text=words, raw=words),),
    )
    monkeypatch.setenv("AREACHAIR_REVIEW_SECONDS", "0.000001")
    (recorded,) = review_all(submission, ["recorded"])
    asked = check(submission, ModelAnswer(Verdict.NOT_READY, None, words))
    monkeypatch.delenv("AREACHAIR_REVIEW_SECONDS")
    (whole,) = review_all(submission, ["recorded"])
    for partial in (recorded.partial, asked.partial):
        assert any("of processor time" in line for line in partial)
    assert (recorded.verdict, recorded.text, recorded.version) == (Verdict.NOT_READY, words, None)
    assert (whole.partial, len(whole.findings)) == ((), 1)


_STOPS = """
from reviewers.panel.review import review_all
from reviewers.rules.base import rule
from tests.builders import SOUND_FILES, make_submission

@rule(id="IM99", category="syntax-invalid", severity="minor", summary="it stops", example="x = 1")
def stops(facts):
    raise KeyError("its own")

for more in ("", "print(absent_name)\\n"):
    files = {"src/train.py": SOUND_FILES["src/train.py"] + more}
    (review,) = review_all(make_submission(files), ["rules"])
    print(review.verdict and review.verdict.value, "IM99" in review.partial_words)
"""


def test_a_rule_that_stops_is_told_whatever_the_verdict_is() -> None:
    # In a process of its own: here the rule would be one of all other tests, too.
    done = subprocess.run([sys.executable, "-c", _STOPS], capture_output=True, text=True)
    assert done.stdout.splitlines() == ["None True", "not_ready True"], done.stderr


@pytest.mark.parametrize(
    "word", ["x" * 3_000, "a." * 1_500, "a/" * 1_500, "a_" * 1_500, "([" * 1_500]
)
def test_a_long_word_in_a_claim_costs_what_others_do(word: str) -> None:
    submission = make_submission()
    text = "\n".join(f"- train.py never calls {word}{at}." for at in range(30))
    check(submission, ModelAnswer(Verdict.NOT_READY, None, "- train.py calls print."))
    start = time.process_time()
    report = check(submission, ModelAnswer(Verdict.NOT_READY, None, text))
    assert any(word[:50] in (one.claim or "") for one in report.findings)
    assert time.process_time() - start < PATIENCE


def test_claims_that_nobody_looked_at_make_a_review_partial() -> None:
    report = check(make_submission(), ModelAnswer(Verdict.NOT_READY, None, "- no\n" * 4_000))
    assert report.findings
    assert any("claims of a review are checked" in line for line in report.partial)
