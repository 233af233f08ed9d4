"""Guards that a folder is read as its repository would be, and refuses what could lead out of
it.
"""

import json
import os
from pathlib import Path

import pytest

from reviewers.bundles import open_bundle
from reviewers.errors import BundleError
from reviewers.records import PassedOver, Verdict
from tests.cases import cases
from tests.reviewers.bundles.bundle_files import TREE, write_tree


def test_a_folder_gives_files_and_runs(tmp_path: Path) -> None:
    kite = open_bundle(write_tree(tmp_path / "kites_03", TREE))
    assert (kite.name, kite.source, kite.lineage, kite.attempt) == (
        "kites_03",
        str(tmp_path / "kites_03"),
        "kites",
        3,
    )
    assert [file.path for file in kite.files] == [
        "config/config.yaml",
        "pyproject.toml",
        "src/train.py",
    ]
    assert [(run.run_id, run.file.path) for run in kite.runs] == [
        ("run-a", "config/runs/a.yaml"),
        ("b", "config/runs/b.yaml"),
    ]
    assert kite.recorded == ()
    assert kite.context.primary_metric is None


@pytest.mark.parametrize("folder", ["config/runs", "config/run"])
@pytest.mark.parametrize("ending", ["yaml", "yml"])
def test_both_run_folders_and_both_endings_are_known(
    tmp_path: Path, folder: str, ending: str
) -> None:
    kite = open_bundle(
        write_tree(
            tmp_path / "k", {f"{folder}/a.{ending}": "run_id: own\n", f"{folder}/notes.md": "x"}
        )
    )
    assert [(run.run_id, run.file.path) for run in kite.runs] == [("own", f"{folder}/a.{ending}")]
    assert [file.path for file in kite.files] == [f"{folder}/notes.md"]


@pytest.mark.parametrize(
    "yaml",
    [
        "",
        "run_id: 7\n",
        "run_id:\n",
        "run_id: ''\n",
        "[1, 2]\n",
        "run_id: 'x\n: broken [",
        "when: 2024-99-99\nrun_id: x\n",
    ],
)
def test_a_run_without_a_readable_id_is_called_as_its_file(tmp_path: Path, yaml: str) -> None:
    assert (
        open_bundle(write_tree(tmp_path / "k", {"config/runs/stem.yaml": yaml})).runs[0].run_id
        == "stem"
    )


def test_two_runs_that_claim_one_id_are_both_kept(tmp_path: Path) -> None:
    tree = {
        "config/runs/a.yaml": "run_id: b",
        "config/runs/b.yaml": "run_id: b",
        "config/run/b.yaml": "run_id: b",
    }
    kite = open_bundle(write_tree(tmp_path / "k", tree))
    assert [run.run_id for run in kite.runs] == ["b", "a", "config/runs/b.yaml"]


def test_a_run_config_with_broken_syntax_is_still_opened(tmp_path: Path) -> None:
    broken = "a: [1\nb: }\n\tc"
    assert (
        open_bundle(write_tree(tmp_path / "k", TREE | {"config/runs/a.yaml": broken}))
        .by_path["config/runs/a.yaml"]
        .text
        == broken
    )


def test_what_tools_leave_is_passed_over(tmp_path: Path) -> None:
    left = {
        f"{place}/x": b"\0" for place in (".git", "src/__pycache__", ".venv/bin", "a/node_modules")
    } | {"src/.DS_Store": b"\0"}
    folder = write_tree(tmp_path / "k", TREE | left)
    (folder / ".venv/bin/python").symlink_to("/usr/bin/python3")
    assert open_bundle(folder).id == open_bundle(write_tree(tmp_path / "plain", TREE)).id


def test_context_json_gives_context_and_recorded_answers_and_is_no_file(tmp_path: Path) -> None:
    context = {
        "hypothesis": {"method": "Shorten."},
        "method": "Shorten it.",
        "design": {"Strategy": "Fly."},
        "primary_metric": "Minutes aloft.",
        "criteria": "1. Whole.",
        "recorded": [
            {"raw": '{"is_code_ready": false, "code_issue": "No tail."}', "model": "wind-1"},
            {"raw": "?", "failure": "unreadable"},
            {"raw": "yes", "verdict": "ready", "text": None},
        ],
    }
    kite = open_bundle(write_tree(tmp_path / "k", TREE | {"context.json": json.dumps(context)}))
    assert "context.json" not in kite.by_path
    assert kite.context.hypothesis == {"method": "Shorten."}
    assert (kite.context.method, kite.context.primary_metric, kite.context.criteria) == (
        "Shorten it.",
        "Minutes aloft.",
        "1. Whole.",
    )
    assert kite.context.design == {"Strategy": "Fly."}
    assert [
        (answer.verdict, answer.failure, answer.text, answer.model) for answer in kite.recorded
    ] == [
        (Verdict.NOT_READY, None, "No tail.", "wind-1"),
        (None, "unreadable", None, None),
        (Verdict.READY, None, None, None),
    ]


@cases(
    ("context", "reason"),
    {
        "cut off": ('{"method": ', "not valid JSON"),
        "a misspelled field": ('{"metod": "x", "design": {}}', "metod is not a field"),
        "hypothesis without fields": ('{"hypothesis": "x"}', "hypothesis must be an object"),
        "a number": ('{"method": 3}', "method must be a text"),
        "one answer": ('{"recorded": {}}', "recorded must be a list"),
        "an answer without its text": ('{"recorded": [{"verdict": "ready"}]}', "raw is missing"),
        "another verdict": (
            '{"recorded": [{"raw": "", "verdict": "fine"}]}',
            "must be 'ready', 'not_ready'",
        ),
        "both": (
            '{"recorded": [{"raw": "", "verdict": "ready", "failure": "x"}]}',
            "or null beside a failure",
        ),
        "NUL byte": ('{"method": "\\u0000"}', "NUL byte"),
        "half a surrogate pair": ('{"method": "\\ud800"}', "surrogate"),
    },
)
def test_a_context_that_cannot_be_read_is_told(tmp_path: Path, context: str, reason: str) -> None:
    with pytest.raises(BundleError, match=reason):
        open_bundle(write_tree(tmp_path / "k", TREE | {"context.json": context}))


def test_the_dot_folder_has_its_own_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_tree(tmp_path / "kites_02", TREE))
    kite = open_bundle(".")
    assert (kite.name, kite.source, kite.attempt) == ("kites_02", ".", 2)


@pytest.mark.parametrize("target", ["/etc/passwd", "train.py", "nowhere", "/etc"])
def test_links_are_told_and_not_followed(tmp_path: Path, target: str) -> None:
    folder = write_tree(tmp_path / "k", TREE)
    plain = open_bundle(folder)
    (folder / "src/model.py").symlink_to(target)
    kite = open_bundle(folder)
    assert kite.id == plain.id
    assert kite.passed_over == (PassedOver("src/model.py", "a link, which is not followed"),)


def test_a_pipe_is_told_and_not_waited_for(tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "k", TREE)
    os.mkfifo(folder / "src/model.py")
    told = open_bundle(folder).passed_over
    assert told == (PassedOver("src/model.py", "neither a file nor a folder"),)
    with pytest.raises(BundleError, match="not a regular file"):
        open_bundle(folder / "src/model.py")


def test_a_folder_named_by_a_link_is_the_users_own_choice(tmp_path: Path) -> None:
    write_tree(tmp_path / "k", TREE)
    (tmp_path / "link").symlink_to("k")
    assert open_bundle(tmp_path / "link").id == open_bundle(tmp_path / "k").id


@cases(
    ("tree", "reason"),
    {
        "nothing of a submission": ({"notes.txt": "x"}, "no Python file of its own"),
        "only what tools leave": ({"src/.git/x": "x"}, "no Python file"),
        "a file over 2 MB": (
            TREE | {"src/a.py": b"x" * 2_000_001},
            r"src/a\.py is larger than 2 MB",
        ),
        "more than 500 files": (
            TREE | {f"src/{n}.py": "" for n in range(500)},
            "more than 500 files",
        ),
        "over 20 MB in all": (
            {f"src/{n}.py": b"x" * 1_999_000 for n in range(11)},
            "more than 20 MB",
        ),
        "folders nested too deep": ({"src/" + "d/" * 25 + "a.py": ""}, "nested deeper than 20"),
        "backslash": ({"src/a\\b.py": ""}, "contains a backslash"),
        "a name that is not UTF-8": ({os.fsdecode(b"src/\xff.py"): ""}, "is not UTF-8"),
    },
)
def test_folders_that_break_a_rule_are_refused(
    tmp_path: Path, tree: dict[str, str | bytes], reason: str
) -> None:
    with pytest.raises(BundleError, match=reason) as caught:
        open_bundle(write_tree(tmp_path / "k", tree))
    assert "\n" not in str(caught.value)


def test_a_huge_file_is_not_read_to_its_end(tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "k", TREE)
    with (folder / "src/huge.py").open("wb") as stream:
        stream.truncate(10**12)
    with pytest.raises(BundleError, match=r"src/huge\.py is larger than 2 MB"):
        open_bundle(folder)


def test_the_limits_themselves_are_within_the_limits(tmp_path: Path) -> None:
    tree = {"src/big.py": b"x" * 2_000_000} | {f"src/{n}.py": "" for n in range(199)}
    assert len(open_bundle(write_tree(tmp_path / "k", tree)).files) == 200


def test_hostile_names_and_texts_are_kept_as_text(tmp_path: Path) -> None:
    name = "src/<script>alert(1)\x1b[31m\n.py"
    kite = open_bundle(write_tree(tmp_path / "k", TREE | {name: "</span><img onerror=x>\x07"}))
    assert kite.by_path[name].text == "</span><img onerror=x>\x07"
