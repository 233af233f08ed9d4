"""Guards `areachair fix` and what other commands pass on of proven repairs."""

import json
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

import reviewers
from reviewers.bundles import open_bundle
from reviewers.repairs import registered
from reviewers.store import Store
from reviewers.store.repairs import Wanted, choose_repairs
from tests.builders import Run, make_submission, write_folder

MERGED = {
    "src/train.py": """from pathlib import Path

import hydra
from omegaconf import OmegaConf


@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    folder = Path(__file__).resolve().parents[1] / "config" / "runs"
    cfg = OmegaConf.merge(cfg, OmegaConf.load(folder / f"{cfg.run}.yaml"))  # its own keys
    print(cfg.training.epochs)


if __name__ == "__main__":
    main()
"""
}
OPENED = "    OmegaConf.set_struct(cfg, False)\n    cfg = OmegaConf.merge("


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "broken", make_submission(MERGED))


def test_a_patch_is_taken_by_git_and_gives_the_version_that_is_written(
    run: Run, broken: Path, tmp_path: Path
) -> None:
    before = {path: path.read_bytes() for path in broken.rglob("*") if path.is_file()}
    told = run("fix", broken, "--diff")
    patch = tmp_path / "patch.diff"
    patch.write_text(told.stdout, "utf-8")
    assert {path: path.read_bytes() for path in before} == before, "the input is never changed"
    written = tmp_path / "made" / "by areachair"
    assert run("fix", broken, "--write", written).exit_code == told.exit_code
    subprocess.run(["git", "apply", str(patch)], cwd=broken, check=True)
    assert OPENED in (broken / "src/train.py").read_text("utf-8")
    made = {path.relative_to(written): path.read_bytes() for path in _files(written)}
    assert made == {path.relative_to(broken): path.read_bytes() for path in _files(broken)}


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_the_exit_code_says_whether_the_repaired_version_is_ready(
    run: Run, broken: Path, tmp_path: Path
) -> None:
    told = run("fix", broken)
    assert told.exit_code == run("fix", broken, "--first").exit_code
    sound = write_folder(tmp_path / "sound", make_submission())
    unready = run("fix", sound)
    assert (unready.exit_code, unready.stdout) == (
        0,
        "sound: no repair; the repaired version is ready\n",
    )
    lost = write_folder(
        tmp_path / "lost", make_submission({"src/train.py": "import gone_away_lib\n"})
    )
    assert run("fix", lost).exit_code == 1


def test_what_is_repaired_says_how_it_is_proven(run: Run, broken: Path) -> None:
    told = run("fix", broken, "--only", "hy01").stdout
    assert "1 repair;" in told
    assert "src/train.py:10  HY01  Turn struct mode off" in told
    assert "proven: reviewed again, the finding is gone" in told
    assert "no repair;" in run("fix", broken, "--only", "EV01").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--only", "XX99"], "there is no rule"),
        (["--write", "."], "not an empty folder"),
        (["--contract", "nothing"], "contract"),
    ],
)
def test_bad_input_ends_in_one_line(
    run: Run, broken: Path, words: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(broken)
    told = run("fix", broken, *words)
    assert told.exit_code == 2
    (line,) = told.stderr.splitlines()
    assert said in line


def test_a_folder_with_anything_in_it_is_left_as_it_is(
    run: Run, broken: Path, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "kept.txt").write_text("mine")
    assert run("fix", broken, "--write", own).exit_code == 2
    assert [path.name for path in own.iterdir()] == ["kept.txt"]
    file = tmp_path / "file"
    file.write_text("mine")
    assert run("fix", broken, "--write", file).exit_code == 2
    assert file.read_text() == "mine"


def test_the_library_gives_the_plan(broken: Path) -> None:
    plan = reviewers.propose_repairs(broken, only_rule="HY01")
    (repair,) = plan.repairs
    assert repair.finding.rule == "HY01"
    assert OPENED in (plan.last.submission.by_path["src/train.py"].text)
    assert plan.first.submission.id == open_bundle(broken).id


def test_sarif_and_rdjson_give_edits_that_make_the_repaired_version(run: Run, broken: Path) -> None:
    after = reviewers.propose_repairs(broken, only_rule="HY01").last.submission
    wanted = after.by_path["src/train.py"].text
    text = open_bundle(broken).by_path["src/train.py"].text
    told = run("review", broken, "--reviewers", "rules", "--repairs", "--format", "sarif")
    (log,) = json.loads(told.stdout)["runs"]
    (result,) = (each for each in log["results"] if each["ruleId"] == "HY01")
    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "src/train.py"
    edits = [
        (
            (region["startLine"], region["startColumn"]),
            (region["endLine"], region["endColumn"]),
            each["insertedContent"]["text"],
        )
        for each in change["replacements"]
        for region in (each["deletedRegion"],)
    ]
    assert _edited(text, edits) == wanted
    told = run("review", broken, "--reviewers", "rules", "--repairs", "--format", "rdjson")
    (one,) = (
        each for each in json.loads(told.stdout)["diagnostics"] if each["code"]["value"] == "HY01"
    )
    edits = [
        (
            (each["range"]["start"]["line"], each["range"]["start"]["column"]),
            (each["range"]["end"]["line"], each["range"]["end"]["column"]),
            each["text"],
        )
        for each in one["suggestions"]
    ]
    assert _edited(text, edits) == wanted


def _edited(text: str, edits: list[tuple[tuple[int, int], tuple[int, int], str]]) -> str:
    """The text after edits at lines and columns, as an editor makes them."""
    lines = text.splitlines(keepends=True)
    for (line, column), (end, last), new in sorted(edits, reverse=True):
        behind = lines[end - 1][last - 1 :] if end <= len(lines) else ""
        lines[line - 1 : end] = [lines[line - 1][: column - 1] + new + behind]
    return "".join(lines)


def test_reviews_have_repairs_only_where_they_are_asked_for(run: Run, broken: Path) -> None:
    told = run("review", broken, "--reviewers", "rules", "--format", "json").stdout
    assert "repairs" not in json.loads(told)
    told = run("review", broken, "--reviewers", "rules", "--format", "json", "--repairs").stdout
    repairs = json.loads(told)["repairs"]
    assert repairs["schema"] == "areachair.repairs/1"
    assert "HY01" in [each["rule"] for each in repairs["repairs"]]
    assert run("review", broken, "--repairs").exit_code == 2


def test_feedback_carries_the_patch_where_it_is_asked_for(run: Run, broken: Path) -> None:
    assert "diff --git" not in run("feedback", broken).stdout
    told = run("feedback", broken, "--patch", "--format", "json").stdout
    answer = json.loads(told)
    assert "+    OmegaConf.set_struct(cfg, False)" in answer["patch"]
    assert answer["patch"] in answer["code_issue"]
    shown = run("feedback", broken, "--patch", "--format", "markdown").stdout
    assert "## Proven repairs" in shown
    assert f"```diff\n{answer['patch']}```" in shown


def test_feedback_carries_what_people_took_of_the_repairs(
    run: Run, broken: Path, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'store.sqlite3'}"
    assert run("import", broken, "--store", url).exit_code == 0
    id = open_bundle(broken).id
    assert "diff --git" not in run("feedback", broken, "--store", url).stdout
    plan = reviewers.propose_repairs(broken, only_rule="HY01")
    (repair,) = plan.repairs
    with closing(Store.open(url)) as store:
        choose_repairs(store, id, [Wanted(repair.finding.id, "HY01", repair.intent)], "ada")
    told = run("feedback", broken, "--store", url).stdout
    assert "+    OmegaConf.set_struct(cfg, False)" in told
    assert told.count("diff --git") == 1


def test_hostile_names_and_code_do_not_reach_the_terminal(run: Run, tmp_path: Path) -> None:
    files = {"src/train.py": MERGED["src/train.py"].replace("its own", "\x1b[2J its own")}
    folder = write_folder(tmp_path / "evil", make_submission(files))
    assert "\x1b" not in run("fix", folder).stdout


def test_every_rule_with_a_repair_exists() -> None:
    from reviewers.rules import find_rule

    for rule in registered():
        assert find_rule(rule).id == rule
