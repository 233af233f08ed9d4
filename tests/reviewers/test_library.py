"""Guards the door: what `import reviewers` gives, and that docs/library.md is true of it."""

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

import reviewers
from tests.builders import make_submission

DOCS = Path(__file__).parents[2] / "docs" / "library.md"
SAMPLE = Path(__file__).parents[2] / "sample_bundles" / "sparse-forecast.txt"
NOTEBOOK, FRAME, LOOP, REPAIRS = re.findall(
    r"```python\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL
)


def run(code: str, **names: object) -> dict[str, Any]:
    """The names of a block of the docs after it ran."""
    space: dict[str, Any] = dict(names)
    exec(compile(code, str(DOCS), "exec"), space)  # noqa: S102  our own docs
    return space


def test_all_that_is_public_is_there_sorted_and_documented() -> None:
    assert reviewers.__all__ == sorted(reviewers.__all__)
    for name in reviewers.__all__:
        found = getattr(reviewers, name)
        assert inspect.getdoc(found), name
        assert getattr(found, "__name__", name) == name
    assert {*reviewers.__all__} <= {*dir(reviewers)}
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = reviewers.nothing  # type: ignore[attr-defined]


def test_what_types_are_checked_by_is_what_is_loaded() -> None:
    tree = ast.parse(inspect.getsource(reviewers))
    typed = {
        (node.module, name.name)
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert {name for _, name in typed} == {*reviewers.__all__}
    for module, name in typed:
        assert getattr(sys.modules[str(module)], name) is getattr(reviewers, name)
    assert Path(reviewers.__file__).with_name("py.typed").exists()


def test_the_door_itself_loads_nothing() -> None:
    code = "import sys, reviewers; print([name for name in sys.modules if 'reviewers.' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_command_line_runs_as_a_module() -> None:
    words = [sys.executable, "-m", "reviewers", "contracts"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "nine-modes" in done.stdout


def test_the_notebook_of_the_docs_runs(capsys: pytest.CaptureFixture[str]) -> None:
    run(NOTEBOOK, path=SAMPLE)
    *told, truth = capsys.readouterr().out.splitlines()
    assert "recorded not_ready" in told
    assert "  confirmed src/evaluate.py:57" in "\n".join(told)
    assert truth in ("true", "false")


def test_the_repairs_of_the_docs_run(capsys: pytest.CaptureFixture[str]) -> None:
    plan = run(REPAIRS, reviewers=reviewers, path=SAMPLE)["plan"]
    *told, last = capsys.readouterr().out.splitlines()
    assert [each.split(" ", 1)[0] for each in told] == [
        str(each.finding.span) for each in plan.repairs
    ]
    assert last.startswith(str(plan.is_ready))


def test_a_store_is_a_frame(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"sqlite:///{tmp_path / 'store.sqlite3'}"
    submission = reviewers.open_bundle(SAMPLE)
    with closing(reviewers.Store.open(url)) as store:
        store.add(submission, reviewers.review(submission))
    frame = run(FRAME, reviewers=reviewers, url=url)["frame"]
    assert ("rules", "confirmed", 3) in {
        (*key, count) for key, count in frame.groupby(["reviewer", "check"]).size().items()
    }
    assert {*frame["name"]} == {submission.name}
    assert {*frame["verdict"]} == {"not_ready"}
    with closing(reviewers.Store.open(url)) as store:
        assert list(reviewers.reviews_frame(store, "submissions")["name"]) == [submission.name]
        with pytest.raises(KeyError, match="there is no table 'odd'; choose from"):
            reviewers.reviews_frame(store, "odd")


class Generator:
    """Gives one submission after the other, and keeps what it was asked to repair."""

    def __init__(self, *given: reviewers.Submission) -> None:
        self._given = iter(given)
        self.told: list[str] = []

    def __call__(self, issue: str) -> reviewers.Submission:
        self.told.append(issue)
        return next(self._given)


def until_ready(generate: Callable[[str], object], most: int = 5) -> object:
    return run(LOOP)["generate_until_ready"](generate, most)


def test_a_generation_loop_ends_with_what_is_ready() -> None:
    sound = make_submission()
    generator = Generator(make_submission({"src/train.py": "import torch\n"}), sound)
    assert until_ready(generator) is sound
    first, second = generator.told
    assert first == ""
    assert "no code calls wandb.init" in second


def test_a_generation_loop_gives_up_with_what_stays_wrong() -> None:
    broken = make_submission({"src/train.py": "def f(:\n"})
    with pytest.raises(RuntimeError, match=r"(?s)not ready after 2 attempts:.*src/train.py"):
        until_ready(Generator(broken, broken), 2)


def test_a_contract_is_named_and_people_overrule(tmp_path: Path) -> None:
    submission = reviewers.open_bundle(SAMPLE)
    (by_rules,) = reviewers.review(submission, reviewers=["rules"], contract="plain")
    assert not any(finding.rule == "TR03" for finding in by_rules.findings)
    with pytest.raises(reviewers.ContractError):
        reviewers.review(submission, contract="none-of-this-name")
    with pytest.raises(reviewers.ReviewerError):
        reviewers.review(submission, reviewers=["nobody"])
    with pytest.raises(reviewers.InvalidReading):
        reviewers.evaluate({"p": "smells"}, submission)
    reviews = reviewers.review(submission)
    with closing(reviewers.Store.open(f"sqlite:///{tmp_path / 's.sqlite3'}")) as store:
        store.add(submission, reviews)
        proven = reviewers.feedback(submission, reviews, store=store).confirmed
        store.rule_on(
            submission.id, proven[0].id, reviewers.Ruling.DISMISS, "it is meant so", "Ann"
        )
        left = reviewers.feedback(submission, reviews, store=store).confirmed
    assert proven[0].id not in {finding.id for finding in left}


def test_what_the_docs_say_of_other_programs_is_well_formed() -> None:
    actions, hook = re.findall(r"```yaml\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    steps = yaml.safe_load(actions)["jobs"]["areachair"]["steps"]
    assert any("--format sarif" in step.get("run", "") for step in steps)
    (repo,) = yaml.safe_load(hook)["repos"]
    assert re.compile(repo["hooks"][0]["files"]).search("config/config.yaml")
