"""Guards the page and the JSON of two attempts side by side: every finding once, counted where it
is listed, text as text.
"""

from dataclasses import replace

from reviewers.exports.attempts_page import attempts_json, attempts_page
from reviewers.matching.attempts import match
from reviewers.matching.traces import Side
from reviewers.records import Severity
from tests.reviewers.attempts.making import make_side

PATH = "src/train.py"
BEFORE = make_side(
    {PATH: "a()\nb()\n\ndef c():\n    d()\n"},
    [("MO01", PATH, 1, "a stops"), ("MO02", PATH, 2, "b stops"), ("MO03", PATH, 5, "d stops")],
)
AFTER = make_side(
    {PATH: "x = 1\na()\ndef e():\n    d()\nf()\n"},
    [
        ("MO01", PATH, 2, "a stops"),
        ("MO03", PATH, 4, "d stops"),
        ("MO04", PATH, 5, "f <img src=x> stops\n# here"),
    ],
)


def page(before: Side, after: Side) -> str:
    named = (
        replace(side.submission, name=name)
        for side, name in ((before, "run_01"), (after, "run_02"))
    )
    return attempts_page(*named, {"rules": match(before, after)})


def test_the_page_counts_and_lists_every_finding() -> None:
    assert (
        page(BEFORE, AFTER) == "# run_01 → run_02\n\n"
        "1 new, 1 unchanged, 1 moved, 1 fixed.\n\n"
        "| findings     | new | unchanged | moved | fixed |\n"
        "| ------------ | --: | --------: | ----: | ----: |\n"
        "| rules, major |   1 |         1 |     1 |     1 |\n\n"
        "## New\n\n- rules, major: MO04 src/train.py:5: f \\<img src=x\\> stops \\# here\n\n"
        "## Unchanged\n\n- rules, major: MO01 src/train.py:2: a stops\n\n"
        "## Moved\n\n- rules, major: MO03 src/train.py:4 (before: src/train.py:5): d stops\n\n"
        "## Fixed\n\n- rules, major: MO02 src/train.py:2: b stops\n"
    )


def test_the_worst_comes_first() -> None:
    worst = tuple(
        replace(each, severity=Severity.BLOCKER) if each.rule == "MO04" else each
        for each in AFTER.findings
    )
    lines = page(Side(BEFORE.submission, ()), Side(AFTER.submission, worst)).splitlines()
    listed = [line for line in lines if line.startswith("- ")]
    assert [line.split()[3] for line in listed] == ["MO04", "MO01", "MO03"]
    assert "| rules, blocker |   1 |         0 |     0 |     0 |" in lines


def test_a_claim_that_is_not_proven_says_so() -> None:
    claimed = make_side({PATH: "a()\n"}, [("syntax", None, None, "something stops")], claims=True)
    assert "- rules, major, unverified: no place: something stops" in page(
        Side(claimed.submission, ()), claimed
    )


def test_nothing_to_tell_is_told() -> None:
    nothing = Side(BEFORE.submission, ())
    assert page(nothing, nothing) == "# run_01 → run_02\n\n0 new, 0 unchanged, 0 moved, 0 fixed.\n"


def test_json_gives_both_forms_of_what_stayed() -> None:
    row = attempts_json(BEFORE.submission, AFTER.submission, {"rules": match(BEFORE, AFTER)})
    assert row["schema"] == "areachair.diff/1"
    assert (row["before"]["id"], row["after"]["id"]) == (BEFORE.submission.id, AFTER.submission.id)
    (review,) = row["reviews"]
    assert review["counts"] == {"new": 1, "unchanged": 1, "moved": 1, "fixed": 1}
    told = {
        each["rule"]: (each["state"], each["line"], each.get("was", {}).get("line"))
        for each in review["findings"]
    }
    assert told == {
        "MO01": ("unchanged", 2, 1),
        "MO02": ("fixed", 2, None),
        "MO03": ("moved", 4, 5),
        "MO04": ("new", 5, None),
    }


def test_a_claim_not_made_again_is_told_to_be_no_more_than_that() -> None:
    claimed = make_side(
        {PATH: "alpha = beta()\ngamma()\n"}, [("syntax", PATH, 1, "something stops")], claims=True
    )
    told = page(claimed, Side(claimed.submission, ()))
    assert "Of a claim, fixed means only that the later review does not make it again." in told
    assert told.endswith("something stops (its code is still there)\n")
    (review,) = attempts_json(
        claimed.submission,
        claimed.submission,
        {"rules": match(claimed, Side(claimed.submission, ()))},
    )["reviews"]
    assert [each["code_stands"] for each in review["findings"]] == [True]
