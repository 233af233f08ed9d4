"""Guards the command line's contract: exit codes, the JSON form, one-line errors, nothing lost."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from reviewers.bundles import open_bundle
from reviewers.cli import DashboardOptions
from reviewers.records import Ruling
from reviewers.rules import registered
from reviewers.settings import sample_bundles
from reviewers.store import Store
from reviewers.store.inbox import progress
from tests.builders import Run, make_submission, write_folder
from tests.shared_data import LOGS, SEEDS, needs_shared

SAMPLES = sample_bundles()
READY = {"is_code_ready": True, "code_issue": ""}


def sound(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "sound", make_submission())


def broken(tmp_path: Path) -> Path:
    """A folder whose model does not parse."""
    return write_folder(tmp_path / "broken", make_submission({"src/model.py": "def f(:\n"}))


def test_version_names_the_release_and_the_code_that_reviews(run: Run) -> None:
    result = run("--version")
    assert result.exit_code == 0
    assert re.fullmatch(r"areachair \d+\.\d+\.\d+ \([0-9a-f]{12}\)\n", result.stdout)


def test_review_of_a_sound_submission_exits_0(run: Run, tmp_path: Path) -> None:
    result = run("review", sound(tmp_path), "--reviewers", "rules")
    assert result.exit_code == 0, result.output
    assert "rules: ready" in result.stdout


def test_review_of_a_broken_submission_exits_1_and_names_the_line(run: Run, tmp_path: Path) -> None:
    result = run(
        "review",
        broken(tmp_path),
        "--reviewers",
        "rules",
    )
    assert result.exit_code == 1
    assert "src/model.py:1" in result.stdout


def test_json_is_one_object_a_line_in_the_contracts_form(run: Run, tmp_path: Path) -> None:
    folder = broken(tmp_path)
    result = run("review", folder, "--reviewers", "rules", "--format", "json")
    (row,) = map(json.loads, result.stdout.splitlines())
    assert row["schema"] == "areachair.review/1"
    assert set(row["submission"]) == {
        *("id", "name", "source", "lineage", "attempt", "contract", "base", "files"),
        *("generated_at", "dated_by", "date_is_guess", "passed_over"),
    }
    assert row["submission"]["source"] == str(folder)
    (review,) = row["reviews"]
    assert set(review) == {
        "reviewer",
        "model",
        "verdict",
        "failure",
        "seconds",
        "cost_usd",
        "findings",
        "partial",
        "failures",
        "followed",
    }
    wanted = {
        "id", "rule", "claim", "criterion", "category", "severity", "message", "file", "line",
        "end_line", "check", "evidence", "places",
    }  # fmt: skip
    assert review["findings"]
    for finding in review["findings"]:
        assert wanted <= set(finding)
        assert finding["check"] == "confirmed"


def test_feedback_is_what_a_generator_takes(run: Run, tmp_path: Path) -> None:
    folder = broken(tmp_path)
    text = run("feedback", folder)
    assert text.exit_code == 1
    assert "src/model.py:1" in text.stdout
    row = json.loads(run("feedback", folder, "--format", "json").stdout)
    assert row["schema"] == "areachair.feedback/1"
    assert row["is_code_ready"] is False
    assert row["code_issue"] in text.stdout
    assert run("feedback", folder, "--format", "markdown").stdout.startswith("# broken: not ready")


def test_feedback_on_a_sound_submission_is_empty_and_exits_0(run: Run, tmp_path: Path) -> None:
    result = run("feedback", sound(tmp_path), "--format", "json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["code_issue"] == ""


def test_feedback_heeds_the_rulings_of_a_store(run: Run, tmp_path: Path) -> None:
    folder = broken(tmp_path)
    url = f"sqlite:///{tmp_path / 'store.sqlite3'}"
    assert run("import", folder).exit_code == 0
    (row,) = map(
        json.loads,
        run("review", folder, "--reviewers", "rules", "--format", "json").stdout.splitlines(),
    )
    store = Store.open(url)
    for finding in row["reviews"][0]["findings"]:
        store.rule_on(row["submission"]["id"], finding["id"], Ruling.DISMISS, "not here", "ana")
    store.close()
    assert run("feedback", folder).exit_code == 1
    assert run("feedback", folder, "--store", url).exit_code == 0


def test_stats_of_bundles_keep_nothing(run: Run) -> None:
    result = run("stats", SAMPLES)
    assert result.exit_code == 0, result.output
    assert "7 submissions" in result.stdout
    assert "| recorded " in result.stdout
    assert run("stats").stdout == "0 submissions\n"
    assert run("import", SAMPLES).exit_code == 0
    assert run("stats").stdout == result.stdout


def test_one_unreadable_bundle_takes_no_other_with_it(run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"schema":')
    result = run(
        "review",
        sound(tmp_path),
        broken,
        "--reviewers",
        "rules",
        "--format",
        "json",
    )
    assert result.exit_code == 2
    assert len(result.stdout.splitlines()) == 1
    assert len(result.stderr.splitlines()) == 1
    assert "broken.json" in result.stderr


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("review", "nowhere.txt"), id="missing path"),
        pytest.param(("import", "nowhere.txt"), id="import of a missing path"),
        pytest.param(("review", ".", "--reviewers", "oracle"), id="unknown reviewer"),
        pytest.param(("review", ".", "--reviewers", ","), id="no reviewer"),
        pytest.param(("rules", "XX99"), id="unknown rule"),
        pytest.param(("import", ".", "--store", "nonsense"), id="unusable store URL"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(run: Run, words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("areachair: ")
    assert result.stdout == ""


def test_a_file_name_cannot_write_escapes_to_the_terminal(run: Run, tmp_path: Path) -> None:
    evil = tmp_path / "evil\x1b[2Jname.json"
    evil.write_text("{")
    result = run("review", evil)
    assert result.exit_code == 2
    assert "\x1b" not in result.output
    assert "\\x1b[2Jname" in result.stderr


def test_importing_again_changes_nothing(run: Run, tmp_path: Path) -> None:
    folder = sound(tmp_path)
    assert "1 submission read: 1 new or changed, 0 already known" in run("import", folder).stdout
    for options in ((), ("--fresh",), ("--jobs", 2)):
        again = run("import", folder, *options).stdout
        assert "1 submission read: 0 new or changed, 1 already known" in again


def test_dashboard_opens_the_store_that_is_named(
    run: Run, opened: list[DashboardOptions], tmp_path: Path
) -> None:
    assert run("--no-browser", "--port", 8999).exit_code == 0
    assert opened == [
        DashboardOptions(f"sqlite:///{tmp_path / 'store.sqlite3'}", "127.0.0.1", 8999, False)
    ]


def test_every_rule_is_listed_and_explained(run: Run) -> None:
    listed = run("rules").stdout
    for rule in registered().values():
        assert rule.id in listed
        page = run("rules", rule.id.lower())
        assert page.exit_code == 0
        assert rule.summary in page.stdout
        assert "Flagged:" in page.stdout


@pytest.mark.parametrize("command", ["", "import", "review", "rules"])
def test_help_needs_nothing_and_exits_0(run: Run, command: str) -> None:
    result = run(*filter(None, [command, "--help"]))
    assert result.exit_code == 0
    assert "Usage" in result.stdout


# What of others a command may load; a store, an event loop and a table's colours take long.
TO_START = {"annotated_doc", "platformdirs", "shellingham", "typer"}
TO_REVIEW = TO_START | {
    *("annotated_types", "antlr4", "attr", "fastjsonschema", "ftfy", "hydra", "omegaconf"),
    *("packaging", "pydantic", "pydantic_core", "pyflakes", "rapidfuzz", "tomlkit"),
    *("typing_extensions", "typing_inspection", "validate_pyproject", "wcwidth", "yaml"),
}
LOADED = """\
import sys
from dashboard.serve import main
try:
    main()
finally:
    own = {name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names
    files = {name: getattr(sys.modules[name], "__file__", None) or "" for name in own}
    others = {name for name, file in files.items() if "site-packages" in file}
    told = sorted(name for name in others if not name.startswith("_"))
    print(*told, "asyncio" if "asyncio" in sys.modules else "", file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("words", "may_be"),
    [(["--help"], TO_START), (["review", str(SAMPLES / "temperature-mixing.txt")], TO_REVIEW)],
    ids=["help", "review"],
)
def test_a_command_loads_only_what_it_needs(words: list[str], may_be: set[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=False
    )
    assert {*done.stderr.splitlines()[-1].split()} <= may_be


def test_the_reader_may_go_away(tmp_path: Path) -> None:
    """`areachair rules | head -1` must not end in a traceback."""
    script = Path(sys.executable).with_name("areachair")
    done = subprocess.run(
        ["bash", "-c", f"{script} rules | head -n 1"], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.long
@needs_shared
def test_real_logs_are_read_twice_and_the_second_time_changes_nothing(
    run: Run, tmp_path: Path
) -> None:
    # A few of them: that all can be read is what the README's figures are tested for.
    logs = [*SEEDS, *LOGS[::20]]
    first = run("import", *logs)
    assert first.exit_code == 0, first.stderr
    assert f"{len(logs)} submissions read" in first.stdout
    assert (
        f"{len(logs)} submissions read: 0 new or changed, {len(logs)} already known"
        in run("import", *logs).stdout
    )
    store = Store.open(f"sqlite:///{tmp_path / 'store.sqlite3'}")
    assert progress(store)[0] == 0
    store.close()


def test_a_store_named_before_a_subcommand_is_the_one_it_uses(run: Run, tmp_path: Path) -> None:
    other = f"sqlite:///{tmp_path / 'other.sqlite3'}"
    assert run("--store", other, "import", SAMPLES / "sparse-forecast.txt").exit_code == 0
    assert run("--store", other, "stats").stdout == run("stats", "--store", other).stdout
    assert run("--store", other, "stats").stdout != run("stats").stdout
    assert run("--store", "nonsense", "stats", "--store", other).exit_code == 0


@pytest.mark.parametrize("words", [("--store", "sqlite://", "rules"), ("--port", "8600", "stats")])
def test_an_option_that_a_subcommand_does_not_take_is_one_line(
    run: Run, words: tuple[str, ...]
) -> None:
    refused = run(*words)
    assert refused.exit_code == 2
    assert refused.stderr == f"areachair: `{words[-1]}` takes no {words[0]}: leave it out\n"


def test_a_submission_is_judged_by_the_contract_that_is_named(run: Run, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "one", make_submission({"src/extra.py": "x = 1\n"}))
    result = run(
        "review", folder, "--contract", "plain", "--reviewers", "rules", "--format", "json"
    )
    said = json.loads(result.stdout)
    assert said["submission"]["contract"] == {"name": "plain", "source": "option"}
    assert [one for review in said["reviews"] for one in review["findings"]] == []
    (tmp_path / "own.toml").write_text(
        'extends = "plain"\nname = "own"\nfiles = { expected = ["fit.py"] }\n'
    )
    own = run("review", folder, "--contract", tmp_path / "own.toml", "--reviewers", "rules")
    assert "fit.py is missing; the contract asks for 1 file, and" in own.stdout
    assert run("import", folder).exit_code == 0
    known = run("import", folder, "--contract", "plain")
    assert "judged by another contract, which stays; to change it: areachair contract" in (
        known.output
    )
    id = open_bundle(folder).id[:8]
    assert run("contract", id).stdout == f"{id}  nine-modes  (guess)\n"
    assert run("contract", id, "--set", "plain").stdout == f"{id}  plain  (person)\n"
    for word, told in (("nope", "there is no contract 'nope'"), ("no.toml", "no.toml: No such")):
        refused = run("contract", id, "--set", word)
        assert refused.exit_code == 2
        assert told in refused.output
    assert run("contracts").stdout.splitlines()[0].startswith("base-code ")
    assert 'name = "plain"' in run("contracts", "plain").stdout
