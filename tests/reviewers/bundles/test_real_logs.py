"""Guards that every real log is read, with all of its fields, and that only the one that was
decoded wrongly is repaired.
"""

import json
import re
from pathlib import Path

import pytest
import yaml

from reviewers.bundles import bundle_paths, read_submission_json, submission_to_json
from tests.shared_data import LOGS, SEEDS, SHARED, needs_shared, opened

pytestmark = needs_shared
REQUIRED = {
    "config/config.yaml",
    "pyproject.toml",
    *(f"src/{module}.py" for module in ("evaluate", "main", "model", "preprocess", "train")),
}
FIELDS = {
    "open_problems",
    "method",
    "experimental_setup",
    "experimental_code",
    "expected_result",
    "expected_conclusion",
}
MENDED = "000_"
OLDER_FIELDS = (FIELDS - {"method"}) | {"methods"}


OLDER = tuple(path for path in LOGS if path.name.startswith("20251009-055033_"))


@pytest.mark.parametrize("path", [*SEEDS, *sorted({*LOGS} - {*OLDER})], ids=lambda path: path.stem)
def test_a_real_log_gives_every_field(path: Path) -> None:
    raw = path.read_text("utf-8")
    read = opened(path)
    assert {file.path for file in read.files} == REQUIRED
    assert len(read.runs) == len(re.findall(r"^- Run ID: ", raw, re.MULTILINE)) >= 2
    for run in read.runs:
        assert run.method
        assert run.model or run.dataset
        assert f"  ```yaml\n  {run.file.text}\n  ```" in raw
        assert yaml.safe_load(run.file.text)["run_id"] == run.run_id
        assert f"`{run.file.path.rpartition('/')[0]}/*.yaml`" in raw
    context = read.context
    as_json = "\n# Current Research Method\n{" in raw
    wanted = FIELDS if "\n# Hypothesis\n" in raw else OLDER_FIELDS if as_json else set()
    assert set(context.hypothesis) - {"primary_metric"} == wanted
    assert (context.primary_metric is not None) == ("primary_metric=" in raw)
    assert set(context.design) == {"Strategy", "Proposed Method", "Evaluation Metrics"}
    assert context.method
    assert context.criteria is not None
    assert context.criteria.startswith("## Core Validation Criteria")
    (answer,) = read.recorded
    assert answer.model == ("o3-2025-04-16" if "\nLLM Name:" in raw else None)
    assert answer.verdict is not None
    assert answer.failure is None
    assert (answer.text is None) == (answer.verdict == "ready")
    assert raw.endswith(answer.raw)
    if not path.name.startswith(MENDED):
        code = json.JSONDecoder().raw_decode(raw, raw.rindex('\n{"config_yaml"') + 1)[0]
        assert sorted(file.text for file in read.files) == sorted(code.values())
        assert all(file.repaired is None for file in read.by_path.values())
        assert answer.text == (json.loads(answer.raw)["code_issue"] or None)


def test_the_log_that_was_decoded_wrongly_reads_as_its_sound_twin() -> None:
    wrong = opened(next(path for path in SEEDS if path.name.startswith(MENDED)))
    sound = opened(SHARED / "logs" / "20251108-043035_01.txt")
    assert wrong.context == sound.context
    assert wrong.recorded[0].text == sound.recorded[0].text
    assert wrong.recorded[0].raw != sound.recorded[0].raw
    assert {path: file.reading for path, file in wrong.by_path.items()} == {
        path: file.text for path, file in sound.by_path.items()
    }
    (mended,) = [file for file in wrong.by_path.values() if file.repaired is not None]
    assert mended.path.startswith("config/runs/")
    assert mended.text != mended.reading
    assert mended.data.decode() in next(
        path for path in SEEDS if path.name.startswith(MENDED)
    ).read_text("utf-8")


def test_all_real_logs_go_through_the_export_unchanged() -> None:
    for path in (*SEEDS, *LOGS):
        read = opened(path)
        again = read_submission_json(json.loads(json.dumps(submission_to_json(read))), read.source)
        assert again == read
        assert again.id == read.id


def test_all_real_logs_are_found_and_read() -> None:
    found = set(bundle_paths([SHARED / "seeds", SHARED / "logs"]))
    assert found == {*SEEDS, *LOGS}


@pytest.mark.parametrize("path", OLDER, ids=lambda path: path.stem)
def test_a_real_log_with_other_headings_gives_its_code_and_its_verdict(path: Path) -> None:
    raw = path.read_text("utf-8")
    read = opened(path)
    objects = [json.loads(line) for line in raw.split("\n") if line.startswith('{"evaluate_py"')]
    assert sorted(file.text for file in read.files) == sorted(objects[-1].values())
    assert {"pyproject.toml", "config/full_experiment.yaml", "src/train.py"} <= set(read.by_path)
    (answer,) = read.recorded
    assert answer.failure is None
    said = json.loads(answer.raw)
    assert (answer.verdict == "ready") == next(v for k, v in said.items() if k.endswith("ready"))
    assert answer.text == (next(v for k, v in said.items() if k.endswith("issue")) or None)
    assert read.context.method
    assert read.context.criteria
    assert read.is_base or read.context.design["text"]
    assert ("Run Variations" in read.context.design) == ("\n- Run Variations: " in raw)
