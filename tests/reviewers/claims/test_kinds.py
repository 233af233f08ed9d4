"""Guards of which kind a claim is, by its words."""

import pytest

from reviewers.claims.kinds import OTHER, best, kinds
from reviewers.rubric import rubric
from reviewers.rules import registered


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
    assert best(said).id == kind


def test_a_heading_helps_where_the_words_do_not() -> None:
    assert best("the third definition is affected as well", "Syntax errors").id in (
        "syntax",
        OTHER,
    )
    assert best("`-)` is not valid", "Syntax errors: invalid python syntax").id == "syntax"


def test_every_kind_has_a_place_in_the_rubric() -> None:
    for kind in kinds().values():
        assert kind.category in rubric().categories, kind.id
        assert kind.criterion is None or kind.criterion in rubric().criteria, kind.id
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


def test_what_a_kind_covers_is_decided_by_some_rule() -> None:
    decided = {rule.decides for rule in registered().values()}
    assert {covered for kind in kinds().values() for covered in kind.covers} <= decided
