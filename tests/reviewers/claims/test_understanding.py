"""Guards what is made of a claim's words: its kind, and the files, lines, names and quotes it
speaks of.
"""

import pytest

from reviewers.claims.checks import checks
from reviewers.claims.checks.by_rule import rulings
from reviewers.claims.checks.knowledge import knowledge
from reviewers.claims.checks.topics import topics
from reviewers.claims.kinds import OTHER, kinds, rank
from reviewers.claims.subjects import subjects
from reviewers.rubric import rubric
from reviewers.rules import registered

PATHS = (
    "src/train.py",
    "src/evaluate.py",
    "src/model.py",
    "src/preprocess.py",
    "src/main.py",
    "config/config.yaml",
    "pyproject.toml",
)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("model.py has a syntax error on its first line", "syntax"),
        ("train.py imports .helpers but src/helpers.py is not provided", "missing-module"),
        ("numpy is used but never imported", "undefined-name"),
        ("src/preprocess.py is empty", "empty-file"),
        ("config/config.yaml is missing from the submission", "missing-file"),
        ("an extra file src/helpers.py is present", "extra-file"),
        ("the GatedMLP class has no forward method", "missing-method"),
        ("evaluate.py takes positional arguments instead of key=value", "cli-contract"),
        ("pyproject.toml violates PEP 621", "packaging"),
        ("scipy is not listed in pyproject.toml", "dependency-missing"),
        ("relative imports fail because there is no __init__.py", "relative-import"),
        ("no statistical significance tests are performed", "significance-test"),
        ("no confusion matrix is drawn", "figure-missing"),
        ("figures are saved as png, not pdf", "figure-naming"),
        ("the learning rate is never logged", "tracking-missing"),
        ("evaluate.py reads a key that train.py never logs", "tracking-keys"),
        ("trial mode does not limit the number of batches", "trial-limits"),
        ("train.py writes results.json", "json-dump"),
        ("the decoder is a placeholder that raises NotImplementedError", "placeholder"),
        ("config.yaml has no run group in its defaults list", "hydra-group"),
        ("config_path points outside the repository", "hydra-path"),
        ("the primary metric is not the hypothesis' wording", "primary-metric"),
        (
            "forward() takes 2 positional arguments but is called with three arguments",
            "wrong-signature",
        ),
        ("all other criteria are met", "sweeping"),
        ("the weather is nice", OTHER),
        ("", OTHER),
    ],
    ids=lambda value: value if value in kinds() else None,
)
def test_a_claim_is_of_the_kind_its_words_say(said: str, kind: str) -> None:
    assert rank(said)[0][0].id == kind


def test_a_heading_helps_where_the_words_do_not() -> None:
    assert rank("the third definition is affected as well", "Syntax errors")[0][0].id in (
        "syntax",
        OTHER,
    )
    assert rank("`-)` is not valid", "Syntax errors: invalid python syntax")[0][0].id == "syntax"


def test_every_kind_has_a_place_in_the_rubric_and_checks_that_exist() -> None:
    for kind in kinds().values():
        assert kind.category in rubric().categories, kind.id
        assert kind.criterion is None or kind.criterion in rubric().criteria, kind.id
        assert set(kind.checks) <= set(checks()), kind.id
        assert kind.id == OTHER or kind.phrases, kind.id
    assert kinds()[OTHER].category == "uncategorised"


def test_every_exemplar_may_be_of_its_own_kind() -> None:
    refused = [
        (kind.id, phrase)
        for kind in kinds().values()
        for phrase in kind.phrases
        if not kind.admits(phrase)
    ]
    assert not refused


def test_every_library_fact_names_its_source_and_every_topic_its_words() -> None:
    assert all(
        entry.source and entry.evidence and not entry.evidence.endswith(".")
        for entry in knowledge()
    )
    assert all(topic.name for topic in topics().values())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("model.py and src/train.py", ("src/model.py", "src/train.py")),
        ("`src.evaluate` is started", ("src/evaluate.py",)),
        ("the key train_py of the bundle", ("src/train.py",)),
        ("config.yaml lacks it", ("config/config.yaml",)),
        ("config/runs/*.yaml and {run_id}.yaml", ()),
        ("remodel.py.bak", ()),
    ],
)
def test_files_are_found_by_path_by_name_and_by_module(
    text: str, expected: tuple[str, ...]
) -> None:
    assert subjects(text, PATHS).files == expected


def test_a_file_that_is_not_there_is_told_apart() -> None:
    found = subjects("train.py imports src/helpers.py", PATHS)
    assert found.files == ("src/train.py",)
    assert found.absent_files == ("src/helpers.py",)


def test_lines_criteria_errors_quotes_and_runs_are_found() -> None:
    text = (
        "Line 12 and lines 30-34, src/model.py:7 raise KeyError (requirement 5, Req. 9;"
        " criterion-6, Core 2 & 4) in run a-1: “x = y”"
    )
    found = subjects(text, PATHS, ("a-1", "b-2"))
    assert set(found.lines) == {("src/model.py", 7, 7), (None, 12, 12), (None, 30, 34)}
    assert found.criteria == (5, 9, 6, 2, 4)
    assert found.errors == ("KeyError",)
    assert found.quotes == ("x = y",)
    assert found.runs == ("a-1",)


def test_names_are_words_that_only_code_has() -> None:
    found = subjects(
        "GatedMLP.forward calls build_loaders() with cfg.model.width, e.g. under WandB and PyTorch",
        PATHS,
    )
    assert found.names == ("GatedMLP.forward", "build_loaders", "cfg.model.width")


def test_a_described_script_is_a_hint() -> None:
    assert subjects("the evaluation script never tests", PATHS).hinted == ("src/evaluate.py",)


def test_what_a_kind_covers_is_decided_by_some_rule() -> None:
    decided = {rule.decides for rule in registered().values()}
    assert {covered for kind in kinds().values() for covered in kind.covers} <= decided


def test_every_ruling_names_a_rule_that_exists() -> None:
    decided = {rule.decides for rule in registered().values()}
    for ruling in rulings():
        assert ruling.rule in registered() or ruling.decides in decided
