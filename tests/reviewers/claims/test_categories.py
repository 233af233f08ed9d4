"""Guards under which category a finding is filed: what it says decides, once it is read."""

import json
import tomllib
from importlib import resources

import pytest

from reviewers.claims.categories import filed
from reviewers.facts.activities import table
from reviewers.propositions import PREDICATES
from reviewers.records import Check, FactCheck, Finding, Severity, Understood
from reviewers.rubric import rubric

TABLES = tomllib.loads(
    resources.files("reviewers.claims").joinpath("categories.toml").read_text("utf-8")
)


def said(proposition: object) -> Finding:
    return Finding(
        id="f",
        category="uncategorised",
        severity=Severity.MAJOR,
        message="said",
        check=FactCheck(Check.UNVERIFIED, "open"),
        understood=Understood(reader="m", proposition=json.dumps(proposition)),
    )


def test_the_tables_know_only_categories_of_the_rubric_and_predicates_of_the_vocabulary() -> None:
    named = {
        TABLES[name][each] for name in ("errors", "activities", "files") for each in TABLES[name]
    }
    told = {each.category for each in PREDICATES.values()} - {"by error", "by activity", "by file"}
    assert named | told | (TABLES["severities"].keys() - {"*"}) <= set(rubric().categories)
    assert set(TABLES["activities"]) - {"*"} <= set(table("activities"))


@pytest.mark.parametrize(
    ("proposition", "category"),
    [
        ({"not": {"p": "exists", "file": "src/a.py"}}, "file-structure"),
        ({"p": "fails", "command": "train", "error": "x.NameError"}, "undefined-name"),
        ({"p": "fails", "command": "train", "error": "OddError"}, "tensor-or-runtime"),
        ({"not": {"p": "does", "scope": "code", "activity": "wandb"}}, "tracking-mismatch"),
        ({"not": {"p": "calls", "scope": "src/evaluate.py::main", "callee": "f"}},
         "evaluation-incomplete"),
        ({"only": {"p": "logs", "scope": "src/train.py", "key": "?"}, "hole": "key",
          "are": ["loss"]}, "tracking-mismatch"),
        ({"because": {"all": [{"p": "judgement", "text": "it is odd"},
                              {"not": {"p": "has_key", "where": "composed", "key": "a"}}]},
          "then": {"p": "fails", "command": "main", "error": "TypeError"}}, "hydra-composition"),
        ({"any": [{"p": "parses", "file": "src/a.py"}, {"p": "parses", "file": "src/b.py"}]},
         "syntax-invalid"),
        ({"every": "run", "in": None, "holds": {"p": "limits", "scope": "code", "what": "epochs"}},
         "mode-handling"),
    ],
)  # fmt: skip
def test_the_first_thing_that_is_said_tells_the_category(
    proposition: object, category: str
) -> None:
    assert filed(said(proposition)).category == category


@pytest.mark.parametrize(
    "proposition",
    [{"p": "judgement", "text": "odd"}, {"p": "sound"}, {"p": "fails", "command": "train"}],
)
def test_what_tells_no_category_leaves_a_finding_where_it_is(proposition: object) -> None:
    assert filed(said(proposition)).category == "uncategorised"
