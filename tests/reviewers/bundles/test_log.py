"""Guards that a recorded log gives every field it holds, whatever its free texts look like."""

from pathlib import Path

import pytest

from reviewers.bundles import open_bundle
from reviewers.records import Submission, Verdict
from tests.cases import cases
from tests.reviewers.bundles.bundle_files import (
    CODE,
    CRITERIA,
    DESIGN,
    HYPOTHESIS,
    RUN_YAML,
    log_text,
    run_text,
    write_log,
)


@pytest.fixture
def read(tmp_path: Path):
    def read(name: str = "kite.txt", **parts: object) -> Submission:
        return open_bundle(write_log(tmp_path / name, log_text(**parts)))  # type: ignore[arg-type]

    return read


def test_every_field_of_a_log_is_read(read) -> None:
    kite = read("20260101-120000_07.txt")
    assert (kite.name, kite.lineage, kite.attempt) == ("20260101-120000_07", "20260101-120000", 7)
    assert [(file.path, file.text) for file in kite.files] == [
        ("config/config.yaml", CODE["config_yaml"]),
        ("pyproject.toml", CODE["pyproject_toml"]),
        ("src/main.py", CODE["main_py"]),
        ("src/model.py", ""),
        ("src/train.py", CODE["train_py"]),
    ]
    (run,) = kite.runs
    assert (run.run_id, run.method, run.model) == ("proposed-kite", "proposed", "kite-2m")
    assert run.dataset is None
    assert (run.file.path, run.file.data) == ("config/runs/proposed-kite.yaml", RUN_YAML.encode())
    assert kite.context.hypothesis == {
        "open_problems": 'Kites drift in "light" wind.',
        "method": "Shorten the kite's tail.",
        "primary_metric": "Minutes aloft.",
    }
    assert kite.context.method == "Shorten the tail.\nRepeat."
    assert kite.context.design == {
        "Strategy": "Fly two kites side by side.",
        "Proposed Method": "A tail that shortens itself.",
        "Evaluation Metrics": "['Minutes aloft.']",
    }
    assert kite.context.primary_metric == "Minutes aloft."
    assert kite.context.criteria == CRITERIA
    (answer,) = kite.recorded
    assert (answer.model, answer.verdict) == ("wind-1", Verdict.READY)
    assert (answer.text, answer.failure) == (None, None)


def test_a_log_of_an_older_kind_has_no_model_and_no_hypothesis(read) -> None:
    kite = read(model=None, hypothesis=None)
    assert kite.recorded[0].model is None
    assert kite.context.hypothesis == {}
    assert kite.context.method == "Shorten the tail.\nRepeat."
    assert kite.context.criteria == CRITERIA


def test_code_escapes_of_the_prompt_are_undone(read) -> None:
    kite = read(code='{"train_py": "def f() -\\u003e int:\\n    return 1\\n"}')
    assert kite.files[0].text == "def f() -> int:\n    return 1\n"


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("preprocess_py", "src/preprocess.py"),
        ("utils_py", "src/utils.py"),
        ("config_yaml", "config/config.yaml"),
        ("pyproject_toml", "pyproject.toml"),
        ("requirements_txt", "requirements.txt"),
        ("src/nested/x.py", "src/nested/x.py"),
    ],
)
def test_code_keys_become_the_paths_the_pipeline_writes(read, key: str, path: str) -> None:
    assert [file.path for file in read(code={key: "1"}).files] == [path]


def test_a_file_given_as_null_is_missing_and_an_empty_one_is_there(read) -> None:
    assert [
        (file.path, file.data) for file in read(code={"train_py": "", "main_py": None}).files
    ] == [("src/train.py", b"")]


def test_headings_inside_the_free_texts_do_not_mislead(read) -> None:
    fake = "# Experimental Design\nas above\n# Experiment Runs\nnone yet\n"
    fake += '# Generated Experiment Code (To be validated)\n{"a_py": "no"}\nOutput:\n{}'
    yaml = (
        "run_id: proposed-kite\n# Experiment Runs\n# Experimental Design\nnote: |\n  ```\n "
        " fenced\n  ```\n"
    )
    kite = read(
        method=f"Plan\n{fake}",
        design=f"{DESIGN}\nA further line\n# Hypothesis\nnot one",
        runs=run_text(yaml=yaml),
        code={"train_py": "# Experiment Runs\n# Hypothesis\nOutput:\n"},
        answer={"is_code_ready": False, "code_issue": "Output:\n# Generated Experiment Code\n{}"},
    )
    assert kite.context.method == f"Plan\n{fake}"
    assert kite.context.design["Evaluation Metrics"].endswith("not one")
    assert kite.context.hypothesis["method"] == "Shorten the kite's tail."
    assert kite.runs[0].file.text == yaml
    assert [file.path for file in kite.files] == ["src/train.py"]
    assert kite.recorded[0].verdict is Verdict.NOT_READY


def test_a_bullet_inside_a_design_text_is_no_field(read) -> None:
    strategy = "Steps:\n- Launch: run\n- Land: stop\n- Evaluation Metrics: discussed below"
    design = f"- Strategy: {strategy}\n- Proposed Method: M\n- Evaluation Metrics: ['a']"
    assert read(design=design).context.design == {
        "Strategy": strategy,
        "Proposed Method": "M",
        "Evaluation Metrics": "['a']",
    }


@cases(
    ("text", "fields"),
    {
        "quotes": (r"""a='it\'s' b="x\"" """, {"a": "it's", "b": 'x"'}),
        "escapes": (r"a='l1\nl2\ttab\\n \u2192 \x41'", {"a": "l1\nl2\ttab\\n → A"}),
        "escapes that repr never writes": (r"a='\d+ \q'", {"a": r"\d+ \q"}),
        "nothing said": ("a='x' b=None c='' d='y'", {"a": "x", "d": "y"}),
        "values that are no text": (
            "a=['p q=1', 'r'] b=0.5 c='z'",
            {"a": "['p q=1', 'r']", "b": "0.5", "c": "z"},
        ),
        "wrapped in a class name": ("Plan(a='x', b='y')", {"a": "x", "b": "y"}),
        "a field's look inside a text": ("a='code = b=1' b='2'", {"a": "code = b=1", "b": "2"}),
        "free text": ("We think kites fly.", {"text": "We think kites fly."}),
        "words after the fields": ("a='x' and more", {"a": "x", "text": "and more"}),
        "cut off": ("a='cut off here", {"a": "'cut off here"}),
        "characters that no text can hold": (r"a='\ud800 \x00'", {"a": "\ufffd \ufffd"}),
    },
)
def test_hypothesis_fields_are_read_as_repr_writes_them(
    read, text: str, fields: dict[str, str]
) -> None:
    assert read(hypothesis=text).context.hypothesis == fields


@pytest.mark.parametrize(
    "value", ["plain", "it's", 'say "so"', "both ' and \"", "a\\b\n\tc\r", "ℓ≤4 \u200b", "'", ""]
)
def test_any_text_survives_repr(read, value: str) -> None:
    kite = read(hypothesis=f"first={value!r} last={'end'!r}")
    assert kite.context.hypothesis == ({"first": value} if value else {}) | {"last": "end"}


def test_the_metric_comes_from_the_criteria_where_the_hypothesis_has_none(read) -> None:
    sample = (
        CRITERIA
        + '\n  {\n    "primary_metric": "Minutes "aloft" in total",\n    "metrics": {}\n  }'
    )
    assert (
        read(hypothesis="a='x'", criteria=sample).context.primary_metric
        == 'Minutes "aloft" in total'
    )
    assert read(criteria=sample).context.primary_metric == "Minutes aloft."
    assert read(hypothesis="a='x'").context.primary_metric is None


RUN, RUNS = "config/run", "config/runs"


@cases(
    ("said", "code", "folder"),
    {
        "criteria: runs": (RUNS, "x", RUNS),
        "criteria: run": (RUN, "x", RUN),
        "nobody says": ("nothing", "x", RUNS),
        "code: path parts": (RUNS, "p = root / 'config' / 'run' / f'{i}.yaml'", RUN),
        "code: join": (RUN, 'os.path.join("config", "runs", i)', RUNS),
        "code: another file": (RUN, "'config/run.yaml'; 'config/run_id'", RUN),
        "a defaults entry does not count": (RUNS, "defaults:\n  - run: null", RUNS),
    },
)
def test_run_configs_lie_where_code_or_criteria_say(
    read, said: str, code: str, folder: str
) -> None:
    kite = read(criteria=f"from `{said}/*.yaml`", code={"train_py": code})
    assert kite.runs[0].file.path == f"{folder}/proposed-kite.yaml"


def test_a_yaml_that_is_indented_on_every_line_is_moved_out(read) -> None:
    assert (
        read(runs=run_text(yaml="run_id: a\n  model: b\n  data: c\n")).runs[0].file.text
        == "run_id: a\nmodel: b\ndata: c\n"
    )


@cases(
    "encode",
    {
        "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
        "byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
        "UTF-16": lambda text: text.encode("utf-16"),
    },
)
def test_a_log_saved_by_a_windows_editor_reads_the_same(tmp_path: Path, encode) -> None:
    plain = open_bundle(write_log(tmp_path / "a.txt"))
    (tmp_path / "b.txt").write_bytes(encode(log_text()))
    other = open_bundle(tmp_path / "b.txt")
    assert other.id == plain.id
    assert other.context == plain.context


def test_lineage_and_attempt_come_from_the_name_only_if_it_has_that_form(read) -> None:
    names = {
        "run_1.txt": ("run", 1),
        "a_b_012.txt": ("a_b", 12),
        "a_00.txt": (None, None),
        "kite.txt": (None, None),
        "a_1234.txt": (None, None),
    }
    for name, expected in names.items():
        kite = read(name)
        assert (kite.lineage, kite.attempt) == expected, name


def test_the_name_and_the_review_do_not_change_the_id(read) -> None:
    others: tuple[dict[str, object], ...] = (
        {"answer": '{"is_code_ready": false}'},
        {"model": None},
    )
    ids = {read(name).id for name in ("a.txt", "b_02.txt")} | {read(**one).id for one in others}
    assert len(ids) == 1
    assert read(hypothesis=HYPOTHESIS.replace("aloft", "up")).id not in ids


def test_a_hypothesis_that_stands_as_json_in_place_of_the_method_is_read_as_fields(read) -> None:
    told = (
        '{"Open Problems": "Plain units idle.", "Methods": "Gate each unit.", "Expected Result":'
        ' "Fewer idle units."}'
    )
    context = read(hypothesis=None, method=told).context
    assert context.method == "Gate each unit."
    assert list(context.hypothesis) == ["open_problems", "methods", "expected_result"]
