"""Guards that both forms of an answer end in the same kind of findings: located, checked, with what
the model stated of them.
"""

import json
from dataclasses import replace
from functools import cache

import pytest

from reviewers.facts import Facts
from reviewers.panel.reply import check_answer, read_reply
from reviewers.records import Check, Failure, Finding, Found, Severity, Span
from reviewers.rules import run_rules
from tests.builders import make_submission
from tests.cases import cases

MODEL = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.layer(
            x,
        )
        return torch.relu(x)


def again(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(x)
"""


@cache
def known() -> tuple[Facts, tuple[Failure, ...]]:
    facts = Facts(make_submission({"src/model.py": MODEL}))
    dry_run = run_rules(facts).dry_run
    return facts, dry_run.failures if dry_run else ()


def checked(*findings: dict[str, object]) -> tuple[Finding, ...]:
    base = {
        "criterion": 4,
        "category": "tensor-or-runtime",
        "severity": "minor",
        "file": "src/model.py",
    }
    said = [
        {**base, "line": None, "end_line": None, "quote": None, **finding} for finding in findings
    ]
    answer = read_reply(json.dumps({"verdict": "not_ready", "findings": said}), "findings")
    assert answer.failure is None
    found = check_answer(replace(answer, reader="the-model"), *known()).findings
    for finding in found:
        assert answer.text is not None
        assert finding.claim_at is not None
        assert answer.text[slice(*finding.claim_at)] == finding.claim
    return found


@cases(
    ("quote", "place"),
    {
        "one line": ("self.layer = nn.Linear(width, width)", Span("src/model.py", 8)),
        "several lines": ("x = self.layer(\n    x,\n)", Span("src/model.py", 11, 13)),
        "an ellipsis": ("x = self.layer(\n...\nreturn torch.relu(x)", Span("src/model.py", 11, 14)),
    },
)
@pytest.mark.parametrize(
    "line", [None, 400, 1], ids=["no line", "a line beyond the end", "another line"]
)
def test_a_quote_is_found_where_it_stands_whatever_line_is_stated(
    quote: str, place: Span, line: int | None
) -> None:
    (found,) = checked({"message": "The projection is too wide.", "quote": quote, "line": line})
    assert found.span == place
    assert found.places[0].found is Found.QUOTE
    if line is not None:
        assert "not" in found.check.evidence


def test_of_several_places_the_one_nearest_to_the_stated_line_is_meant() -> None:
    (found,) = checked(
        {"message": "The activation is wrong here.", "quote": "return torch.relu(x)", "line": 18}
    )
    assert found.span == Span("src/model.py", 18)
    assert "stands on line" not in found.check.evidence


@cases(
    ("stated", "told"),
    {
        "a line beyond the end": ({"line": 400}, "src/model.py has 18 lines, not 400"),
        "an absent file": ({"file": "src/nets.py"}, "the submission has no src/nets.py"),
        "a quote from elsewhere": (
            {"quote": "optimizer.zero_grad(set_to_none=1)"},
            "stands nowhere in the submission",
        ),
        "nearly a quote": (
            {"quote": "self.layer = nn.Linear(width, depth)"},
            "stands nowhere in the submission; nearest to it is line 8 of src/model.py",
        ),
    },
)
def test_what_is_stated_and_not_so_is_shown_as_such(stated: dict[str, object], told: str) -> None:
    (found,) = checked({"message": "The projection is too wide.", "line": 8, **stated})
    assert told in found.check.evidence


@pytest.mark.parametrize("file", ["src/model.py", "model.py"])
def test_a_stated_line_is_the_place_also_of_a_file_named_by_its_last_part(file: str) -> None:
    (found,) = checked({"message": "The projection is too wide.", "file": file, "line": 8})
    assert found.span == Span("src/model.py", 8)
    assert found.places[0].found is Found.LINE


def test_one_message_with_several_claims_is_one_finding_with_parts() -> None:
    words = "`Net` has no dropout. `numpy` is used but never imported."
    (found,) = checked({"message": words, "severity": "blocker", "line": 8})
    assert (found.claim, found.severity) == (words, Severity.BLOCKER)
    assert [part.claim for part in found.parts] == [
        "`Net` has no dropout.",
        "`numpy` is used but never imported.",
    ]
    assert found.check.result is Check.UNVERIFIED
    assert " parts confirmed" in found.check.evidence


def test_a_quote_is_never_a_claim() -> None:
    quote = (
        "# The loader is missing.\n# This will raise a KeyError in training.\nreturn torch.relu(x)"
    )
    found = checked(
        {"message": "The activation is wrong.", "quote": quote},
        {"message": "The layer is too wide.", "quote": quote},
    )
    assert [finding.claim for finding in found] == [
        "The activation is wrong.",
        "The layer is too wide.",
    ]


@pytest.mark.parametrize(
    "message",
    [
        "Use a smaller learning rate.", "python -m src.train", "The code is not ready.", "x",
        "```\nx = 1\n```", "", "1. 2. 3.", "…",
    ],
)  # fmt: skip
def test_whatever_is_stated_becomes_a_finding(message: str) -> None:
    found = checked(
        {"message": message, "line": 8}, {"message": "The layer is too wide.", "line": 8}
    )
    assert len(found) >= 2
    assert found[0].span == Span("src/model.py", 8)
    assert found[-1].claim == "The layer is too wide."


def test_what_only_advises_is_never_called_proven_or_refuted() -> None:
    (found,) = checked({"message": "Fix the missing import of `nn`.", "line": 8})
    assert found.check.result is Check.UNVERIFIED


def test_the_models_category_stands_where_ours_is_unknown_and_ours_where_it_is_known() -> None:
    (unknown,) = checked({"message": "The projection is far too wide for this.", "line": 8})
    assert (unknown.kind, unknown.category, unknown.criterion) == (None, "tensor-or-runtime", 4)
    (found,) = checked({"message": "src/model.py has a SyntaxError on line 8.", "line": 8})
    assert (found.category, found.severity, found.check.result) == (
        "syntax-invalid",
        Severity.MINOR,
        Check.REFUTED,
    )


def test_both_forms_end_in_the_same_findings() -> None:
    message = "`numpy` is used but never imported."
    (stated,) = checked(
        {
            "message": message,
            "line": 8,
            "category": "undefined-name",
            "severity": "blocker",
            "criterion": 1,
        }
    )
    free = read_reply(
        json.dumps({"is_code_ready": False, "code_issue": f"1. src/model.py:8: {message}"}),
        "recorded",
    )
    (told,) = check_answer(free, *known()).findings
    assert (stated.kind, stated.message, stated.check, stated.span) == (
        told.kind,
        told.message,
        told.check,
        told.span,
    )


@cases(
    ("message", "quote"),
    {
        "open in the message": (
            "The layer is too wide:\n```\nself.layer",
            "# The loader is missing.\nx = 1",
        ),
        "in the quote": ("The layer is too wide.", "x = 1\n```\n# The loader is missing."),
        "in both": (
            "The layer is too wide:\n~~~\nself.layer",
            "```\n# The loader is missing.\n~~~\nx = 1",
        ),
    },
)
def test_fences_in_what_is_stated_neither_hide_claims_nor_make_them(
    message: str, quote: str
) -> None:
    found = checked(
        {"message": message, "quote": quote},
        {"message": "The activation is wrong.", "quote": quote},
    )
    claims = [finding.claim or "" for finding in found]
    assert claims[0].startswith("The layer is too wide")
    assert claims[-1] == "The activation is wrong."
    assert not any("loader" in claim for claim in claims)


LACKS_EXP = {"not": {"p": "calls", "scope": "src/model.py", "callee": "torch.exp"}}


def test_a_proposition_beside_a_finding_is_its_reading_and_is_judged() -> None:
    found, other = checked(
        {"message": "The net never calls torch.exp.", "proposition": LACKS_EXP},
        {"message": "No exponential at all.", "proposition": LACKS_EXP},
    )
    assert found.understood is not None
    assert (found.understood.reader, found.understood.why_not) == ("the-model", "")
    assert found.understood.sentence == "`src/model.py` never calls `torch.exp`"
    assert found.check.result is Check.CONFIRMED
    # What says the same is the same, whatever its words; its old name still finds it.
    assert other.id == f"{found.id}-2"
    assert len({*found.aliases, *other.aliases, found.id}) == 3


@cases(
    ("proposition", "why"),
    {
        "vocabulary": ({"p": "believes"}, "there is no predicate `believes`"),
        "no-object": ("never", "expected an object"),
        "polarity": (LACKS_EXP["not"], "it denies nothing, and the claim says 'never'"),
        "unknown-file": (
            {"not": {"p": "exists", "file": "src/rival.py"}},
            "`exists`, `file`: 'src/rival.py' is neither in the table nor in the review",
        ),
    },
)
def test_a_proposition_that_is_refused_leaves_the_finding_not_read_and_says_why(
    proposition: object, why: str
) -> None:
    (found,) = checked({"message": "The net never calls torch.exp.", "proposition": proposition})
    assert found.understood is not None
    assert found.understood.proposition == ""
    assert found.understood.why_not == why


def test_a_proposition_nested_too_deep_is_refused_by_itself() -> None:
    deep: object = {"p": "exists", "file": "src/model.py"}
    for _ in range(40):
        deep = {"possible": deep}
    first, second = checked(
        {"message": "The net is not wide.", "proposition": deep},
        {"message": "The net never calls torch.exp.", "proposition": LACKS_EXP},
    )
    assert first.understood is not None
    assert "deep" in first.understood.why_not
    assert second.check.result is Check.CONFIRMED


def test_names_that_only_the_message_has_may_stand_in_its_proposition() -> None:
    absent = {"not": {"p": "exists", "file": "src/rival.py"}}
    (found,) = checked({"message": "There is no src/rival.py.", "proposition": absent})
    assert found.check.result is Check.CONFIRMED
