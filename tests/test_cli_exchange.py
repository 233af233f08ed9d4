"""Guards what the command line exchanges with other programs: SARIF in and out, a store as lines,
tables, pages, and diffs.
"""

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from shutil import copyfile
from typing import Any

import pandas as pd
import pytest
from typer.testing import Result

from reviewers.batch.importing import import_bundles
from reviewers.bundles import bundle_paths, open_bundle, submission_to_json
from reviewers.exports.jsonl import export_lines
from reviewers.records import Check, Ruling, Span, Verdict
from reviewers.settings import sample_bundles
from reviewers.store import Store
from reviewers.store.submission import load_submission
from tests.asking import Desk
from tests.builders import SOUND_FILES, Run, changed, make_submission, write_folder
from tests.cases import cases
from tests.model_server import ModelServer

SAMPLE = sample_bundles() / "prototype-shots"
SCHEMA = Path(os.environ.get("SARIF_SCHEMA", "missing"))
BROKEN, LATER = (
    changed("src/train.py", ("import hydra\n", f"import hydra\n{more}\n"))
    for more in ("first = missing_one", "import colorsys\nfirst = missing_one\nother = gone_two")
)
HOSTILE = "evil\x1b[2J\u202e<script>;=1+1"


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of all samples."""
    path = tmp_path_factory.mktemp("samples") / "store.sqlite3"
    with closing(Store.open(f"sqlite:///{path}")) as store:
        for _ in import_bundles(store, bundle_paths([str(sample_bundles())])):
            pass
    return path


@pytest.fixture
def _samples_kept(samples: Path, url: str) -> None:
    copyfile(samples, url.removeprefix("sqlite:///"))


samples_kept = pytest.mark.usefixtures("_samples_kept")


def sarif(path: Path, *results: dict[str, Any], **run: Any) -> Path:
    """Write a log of one run of a tool."""
    made = {"tool": {"driver": {"name": "checker"}}, "results": list(results), **run}
    path.write_text(json.dumps({"version": "2.1.0", "runs": [made]}), "utf-8")
    return path


def result(
    path: str = "src/train.py", line: int = 1, text: str = "something is odd"
) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": path}, "region": {"startLine": line}}
    return {
        "ruleId": "X1",
        "level": "error",
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }


def assert_one_line(told: Result, *words: str) -> None:
    assert told.exit_code == 2
    (line,) = told.stderr.splitlines()
    assert line.startswith("areachair: ")
    assert line.isprintable()
    for word in words:
        assert word in line


def test_what_ruff_finds_comes_in_is_placed_and_checked(run: Run, url: str, tmp_path: Path) -> None:
    text = SOUND_FILES["src/model.py"] + "\n\ndef broken() -> int:\n    return undefined_thing\n"
    folder = write_folder(tmp_path / "odd", make_submission({"src/model.py": text}))
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F"]
    command = [*ruff, "--output-format", "sarif", str(folder)]
    log = tmp_path / "ruff.sarif"
    log.write_bytes(subprocess.run(command, capture_output=True, check=False).stdout)
    assert run("import", folder).exit_code == 0
    told = run("import", log)
    assert told.exit_code == 0, told.stderr
    assert "sarif:ruff on odd" in told.stdout
    with closing(Store.open(url)) as store:
        record = load_submission(store, open_bundle(folder).id)
    (stored,) = (each for each in record.reviews if each.review.reviewer == "sarif:ruff")
    (finding,) = (each for each in stored.review.findings if "undefined_thing" in each.message)
    assert finding.span == Span("src/model.py", len(text.splitlines()))
    assert finding.check.result is Check.CONFIRMED
    assert "already known" in run("import", log).stdout


def test_a_tools_file_finds_its_submission_by_content(run: Run, tmp_path: Path) -> None:
    one = write_folder(tmp_path / "one", make_submission())
    other = write_folder(tmp_path / "other", make_submission({"src/model.py": "x = 1\n"}))
    assert run("import", one, other).exit_code == 0
    own = tmp_path / "own.sarif"
    assert (
        run("export", open_bundle(other).id[:12], "--format", "sarif", "--output", own).exit_code
        == 0
    )
    told = run("import", own)
    assert "sarif:areachair rules on other" in told.stdout
    assert " on one " not in told.stdout


def test_a_tools_file_that_may_be_about_several_submissions_is_asked_about(
    run: Run, tmp_path: Path
) -> None:
    one = write_folder(tmp_path / "one", make_submission())
    other = write_folder(tmp_path / "other", make_submission({"src/model.py": "x = 1\n"}))
    log = sarif(tmp_path / "log.json", result())
    assert_one_line(run("import", log), "no stored submission", "--submission")
    assert run("import", one, other).exit_code == 0
    assert_one_line(run("import", log), "matches 2 stored submissions", "--submission")
    assert "on one" in run("import", log, "--submission", open_bundle(one).id[:10]).stdout
    assert "on other" in run("import", log, "--submission", other).stdout


def test_a_bundle_that_a_tools_file_is_about_is_kept_with_it(
    run: Run, url: str, tmp_path: Path
) -> None:
    assert (
        run("import", sarif(tmp_path / "a.sarif", result()), "--submission", SAMPLE).exit_code == 0
    )
    with closing(Store.open(url)) as store:
        names = load_submission(store, open_bundle(SAMPLE).id).names
    assert names == ("rules", "sarif:checker")


def test_two_runs_of_one_tool_are_one_review(run: Run, url: str, tmp_path: Path) -> None:
    log = sarif(tmp_path / "a.sarif", result())
    value = json.loads(log.read_text("utf-8"))
    value["runs"].append({**value["runs"][0], "results": [result(line=2)]})
    log.write_text(json.dumps(value), "utf-8")
    assert run("import", log, "--submission", SAMPLE).exit_code == 0
    with closing(Store.open(url)) as store:
        review = load_submission(store, open_bundle(SAMPLE).id).reviews[-1].review
    assert len(review.findings) == 2


def test_review_prints_one_sarif_log_for_all(run: Run) -> None:
    told = run("review", sample_bundles(), "--format", "sarif")
    assert told.exit_code == 1
    log = json.loads(told.stdout)
    assert {run["tool"]["driver"]["name"] for run in log["runs"]} == {
        "areachair rules",
        "areachair recorded",
    }
    assert len({run["automationDetails"]["id"] for run in log["runs"]}) == len(log["runs"]) == 10


def test_what_a_model_says_is_a_run_of_the_log_too(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    with ModelServer(says="not_ready") as server:
        desk.configure({"name": "local", "base_url": server.url})
        done = desk.run("review", SAMPLE, "--reviewers", "local,rules", "--format", "sarif")
    assert done.returncode == 1, done.stderr
    one, other = json.loads(done.stdout)["runs"]
    assert [each["tool"]["driver"]["name"] for each in (one, other)] == [
        "areachair local",
        "areachair rules",
    ]
    assert one["results"]


@pytest.mark.skipif(not SCHEMA.is_file(), reason="SARIF_SCHEMA names no file")
@samples_kept
def test_sarif_out_is_valid_by_the_official_schema(run: Run) -> None:
    import jsonschema

    schema = json.loads(SCHEMA.read_text("utf-8"))
    for told in (
        run("review", sample_bundles(), "--format", "sarif"),
        run("export", "--format", "sarif"),
    ):
        jsonschema.validators.validator_for(schema)(schema).validate(json.loads(told.stdout))


def test_rdjson_is_one_object_a_line(run: Run) -> None:
    rows = list(
        map(json.loads, run("review", sample_bundles(), "--format", "rdjson").stdout.splitlines())
    )
    assert len(rows) == 7
    assert all(row["source"] == {"name": "areachair"} for row in rows)


@samples_kept
def test_a_store_goes_to_another_one_and_comes_twice_without_change(
    run: Run, url: str, tmp_path: Path
) -> None:
    id = open_bundle(SAMPLE).id
    with closing(Store.open(url)) as store:
        store.decide(id, Verdict.READY, HOSTILE, "ada")
    lines = tmp_path / "all.jsonl"
    left = tmp_path / ".all.jsonl.4194305.part"  # of a process that no machine can have
    left.write_text("half")
    assert "7 submissions written" in run("export", "--format", "jsonl", "--output", lines).stderr
    assert not left.exists(), "an export that was killed left it"
    other = f"sqlite:///{tmp_path / 'other.sqlite3'}"
    told = run("import", lines, "--store", other)
    assert "7 submissions, " in told.stdout
    assert "1 decision" in told.stdout
    assert "nothing new" in run("import", lines, "--store", other).stdout
    with closing(Store.open(url)) as one, closing(Store.open(other)) as two:
        assert list(export_lines(one)) == list(export_lines(two))
    assert run("export", "--store", other).stdout == lines.read_text("utf-8")
    assert len(run("export", id[:8]).stdout.splitlines()) < len(
        lines.read_text("utf-8").splitlines()
    )


@samples_kept
def test_a_store_is_backed_up_and_restored_into_an_empty_one(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "backup.sqlite3"
    told = run("backup", path)
    assert (told.exit_code, told.stdout.partition(" rev")[0]) == (0, "7 submissions, 10")
    assert run("backup", path).exit_code == 2
    refused = run("restore", path)
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert "restore into an empty one" in refused.stderr
    other = f"sqlite:///{tmp_path / 'other.sqlite3'}"
    again = run("restore", path, "--store", other)
    assert (again.exit_code, again.stdout) == (0, told.stdout)
    well = run("doctor", "--store", other)
    assert "integrity: no row is damaged" in well.stdout
    (tmp_path / "other.sqlite3").write_text("no database at all, but words" * 100)
    ill = run("doctor", "--store", other)
    assert (ill.exit_code, "not a database" in ill.stdout) == (2, True)


@samples_kept
def test_a_part_of_a_store_goes_to_another_one_without_what_ties_it_to_the_rest(
    run: Run, tmp_path: Path
) -> None:
    first, second = (
        open_bundle(sample_bundles() / name).id[:8] for name in ("gated-sam", "prototype-shots")
    )
    assert run("lineage", second, "--join", first, "--reason", "the same").exit_code == 0
    for ids, told in (
        ((second,), "restored 1 submission, 1 review\n"),
        ((second, first), "1 relation, 1 author\n"),
    ):
        lines = tmp_path / f"{len(ids)}.jsonl"
        assert run("export", *ids, "--output", lines).exit_code == 0
        assert run(
            "import", lines, "--store", f"sqlite:///{tmp_path / 'other.sqlite3'}"
        ).stdout.endswith(told)


def test_a_file_of_submissions_alone_stays_a_bundle(run: Run, tmp_path: Path) -> None:
    assert run("import", SAMPLE).exit_code == 0
    first = json.loads(run("export").stdout.splitlines()[0])
    first["context"]["method"] = "areachair.record/1"
    (tmp_path / "bare.jsonl").write_text(json.dumps(first), "utf-8")
    told = run(
        "import", tmp_path / "bare.jsonl", "--store", f"sqlite:///{tmp_path / 'other.sqlite3'}"
    )
    assert told.stdout.startswith("1 submission read: 1 new")


@samples_kept
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_tables_are_written_and_never_over_others(run: Run, tmp_path: Path, format: str) -> None:
    words = ("export", "--format", format, "--output", tmp_path / "out")
    assert "findings" in run(*words).stderr
    path = tmp_path / "out" / f"submissions.{format}"
    read = pd.read_csv if format == "csv" else pd.read_parquet
    assert len(read(path)) == 7
    before = path.stat().st_mtime_ns
    assert_one_line(run(*words), "already exists", "--force")
    assert path.stat().st_mtime_ns == before
    assert run(*words, "--force").exit_code == 0


@samples_kept
def test_pages_go_into_a_folder_and_one_into_a_file(run: Run, tmp_path: Path) -> None:
    assert run("export", "--format", "html", "--output", tmp_path / "pages").exit_code == 0
    assert len(list((tmp_path / "pages").iterdir())) == 7
    assert_one_line(
        run("export", "--format", "html", "--output", tmp_path / "pages"), "already exists"
    )
    one = tmp_path / "one.html"
    assert_one_line(run("export", "--format", "html", "--output", one), "not 7; name a folder")
    assert (
        run("export", open_bundle(SAMPLE).id[:8], "--format", "html", "--output", one).exit_code
        == 0
    )
    assert one.read_text("utf-8").startswith("<!doctype html>")


def test_a_file_is_only_overwritten_by_force(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "out.sarif"
    path.write_text("mine", "utf-8")
    assert_one_line(run("export", "--format", "sarif", "--output", path), "already exists")
    assert path.read_text("utf-8") == "mine"
    assert run("export", "--format", "sarif", "--output", path, "--force").exit_code == 0
    assert json.loads(path.read_text("utf-8"))["runs"] == []
    assert [each.name for each in tmp_path.iterdir() if "part" in each.name] == []
    assert run("export", "--output", os.devnull).exit_code == 0
    assert not Path(os.devnull).is_file()


def test_hostile_names_leave_the_folder_and_the_terminal_alone(run: Run, tmp_path: Path) -> None:
    odd = submission_to_json(make_submission(name=f"../../{HOSTILE}"))
    (tmp_path / "a.jsonl").write_text(json.dumps(odd), "utf-8")
    assert run("import", tmp_path / "a.jsonl").exit_code == 0
    log = sarif(tmp_path / "a.sarif", result(text=HOSTILE), tool={"driver": {"name": HOSTILE}})
    told = run("import", log)
    assert told.exit_code == 0, told.stderr
    assert all(line.isprintable() for line in told.stdout.splitlines())
    for format in ("html", "csv", "sarif", "jsonl", "rdjson"):
        output = (
            tmp_path / "out" / format if format in ("html", "csv") else tmp_path / f"out.{format}"
        )
        assert run("export", "--format", format, "--output", output).exit_code == 0
    (page,) = (tmp_path / "out" / "html").iterdir()
    assert page.name.isascii()
    assert "<script>" not in page.read_text("utf-8")
    assert not list(tmp_path.parent.glob("*evil*"))


def test_diff_counts_what_became_of_each_finding(run: Run, url: str, tmp_path: Path) -> None:
    before = write_folder(tmp_path / "run_01", make_submission(BROKEN))
    after = write_folder(tmp_path / "run_02", make_submission(LATER))
    told = run("diff", before, after, "--format", "json")
    assert told.exit_code == 0, told.stderr
    (review,) = json.loads(told.stdout)["reviews"]
    assert review["counts"] == {"new": 1, "unchanged": 1, "moved": 0, "fixed": 0}
    (stayed,) = (each for each in review["findings"] if each["state"] == "unchanged")
    assert (stayed["line"], stayed["was"]["line"]) == (
        stayed["was"]["line"] + 1,
        stayed["line"] - 1,
    )
    assert run("diff", after, before, "--format", "json").stdout.count('"fixed"') >= 1
    assert run("import", before, after).exit_code == 0
    ids = [open_bundle(each).id for each in (before, after)]
    with closing(Store.open(url)) as store:
        store.rule_on(ids[0], stayed["was"]["id"], Ruling.DISMISS, "it is bound elsewhere", "ada")
    page = run("diff", ids[0][:8], ids[1][:8]).stdout
    assert page.startswith("# run_01 → run_02\n")
    assert "1 new, 1 unchanged, 0 moved, 0 fixed." in page
    assert "(dismissed by ada on the attempt before: it is bound elsewhere)" in page
    (review,) = json.loads(run("diff", *ids, "--format", "json", "--reviewer", "rules").stdout)[
        "reviews"
    ]
    assert [
        each["ruling_before"]["author"] for each in review["findings"] if "ruling_before" in each
    ] == ["ada"]


def test_sarif_says_what_became_of_a_finding_since_the_attempt_before(
    run: Run, tmp_path: Path
) -> None:
    for name, files in (("run_01", BROKEN), ("run_02", LATER)):
        assert run("import", write_folder(tmp_path / name, make_submission(files))).exit_code == 0
    log = json.loads(run("export", "--format", "sarif").stdout)
    first, second = (
        [result.get("baselineState") for result in each["results"]] for each in log["runs"]
    )
    assert set(first) == {None}
    assert sorted(second) == ["new", "unchanged"]
    table = run("stats", "--attempts").stdout
    assert "| undefined-name |       2 |" in table
    assert run("stats", "--attempts", "--outcomes").exit_code == 2


def test_diff_says_whom_it_leaves_out(run: Run) -> None:
    told = run("diff", sample_bundles() / "sparse-forecast.txt", SAMPLE)
    assert told.exit_code == 0
    assert told.stderr == "areachair: recorded is left out: it did not give a verdict on both\n"


@cases(
    "words",
    {
        "diff of nothing": ("diff", "nowhere.txt", SAMPLE),
        "diff of several": ("diff", sample_bundles(), SAMPLE),
        "diff of an unknown id": ("diff", SAMPLE, "0123456789"),
        "diff by an unknown reviewer": ("diff", SAMPLE, SAMPLE, "--reviewer", "oracle"),
        "export of an unknown id": ("export", "0123456789"),
        "tables on stdout": ("export", "--format", "csv"),
        "pages on stdout": ("export", "--format", "html"),
        "a folder for a file": ("export", "--output", sample_bundles()),
        "no folder for a file": ("export", "--output", SAMPLE / "nowhere" / "x"),
        "a file for a folder": ("export", "--output", SAMPLE / "pyproject.toml" / "x"),
        "tables into a file": ("export", "--format", "csv", "--output", SAMPLE / "pyproject.toml"),
        "no SARIF for --submission": ("import", SAMPLE, "--submission", "0123456789"),
    },
)
def test_a_mistake_is_one_line_and_exit_code_2(run: Run, words: tuple[object, ...]) -> None:
    assert_one_line(run(*words))


@cases(
    ("name", "data"),
    {
        "empty": ("a.sarif", b""),
        "cut": ("a.sarif", b"{"),
        "no runs": ("a.sarif", b'{"version": "2.1.0", "runs": []}'),
        "an old version": ("a.sarif", b'{"version": "1.0.0", "runs": [{}]}'),
        "no tool": ("a.json", b'{"version": "2.1.0", "runs": [{"tool": {}}]}'),
        "a record of nothing": (
            "a.jsonl",
            b'{"schema": "areachair.record/1", "record": "decision"}',
        ),
        "not UTF-8": ("a.jsonl", b'{"schema": "areachair.record/1"}\n\xff'),
    },
)
def test_a_damaged_file_is_one_line_and_takes_no_other_with_it(
    run: Run, tmp_path: Path, name: str, data: bytes
) -> None:
    (tmp_path / name).write_bytes(data)
    told = run("import", tmp_path / name, SAMPLE)
    assert_one_line(told, name)
    assert "1 submission read: 1 new" in told.stdout
