"""Guards the inbox: what its table says, what filters find, where rows lead, and what an empty store shows."""

import pytest

from reviewers.records import ResearchContext, Verdict
from reviewers.store import Store
from tests.builders import make_submission
from tests.dashboard.desk import FAILED, RECORDED, RULES, lineage
from tests.dashboard.screens import components, drawn, open_page, parameter


def test_an_empty_store_says_what_to_do(store: Store) -> None:
    at = open_page()
    assert not at.exception
    assert at.subheader[0].value == "No submissions yet"
    assert at.code[0].value == "areachair import PATH…"
    assert len(at.get("file_uploader")) == 1
    assert "inbox_table" not in components(at)


def test_a_row_says_what_each_reviewer_found_without_hovering(store: Store) -> None:
    store.add(make_submission(name="first", attempt=3, lineage="exp"), (RECORDED, RULES))
    data = drawn(open_page(), "inbox_table")
    (row,) = data["rows"]
    assert data["reviewers"] == ["recorded", "rules"]
    assert (row["name"], row["attempt"]) == ("first", 3)
    assert [[(one["words"], one["counts"]) for one in cell] for cell in row["cells"]] == [
        [("not ready", {"confirmed": 1, "refuted": 1, "unverified": 1})],
        [("not ready", {"confirmed": 2, "refuted": 0, "unverified": 0})],
    ]
    assert row["attention"]
    assert row["decision"] is None


def test_a_failed_review_is_no_verdict(store: Store) -> None:
    store.add(make_submission(), (FAILED,))
    (row,) = drawn(open_page(), "inbox_table")["rows"]
    assert [(one["verdict"], one["words"], one["failure"]) for one in row["cells"][0]] == [
        (None, "failed", "the answer is no JSON")
    ]


def test_a_decision_shows_with_its_author_and_counts_as_progress(store: Store) -> None:
    first, second = lineage("exp", 2)
    store.add(first, (RULES,))
    store.add(second, (RULES,))
    store.decide(first.id, Verdict.READY, "I ran it", "grace")
    at = open_page()
    rows = {row["name"]: row for row in drawn(at, "inbox_table")["rows"]}
    assert (rows["exp_01"]["decided"], rows["exp_01"]["decided_by"]) == ("ready", "grace")
    assert at.get("progress")[0].proto.text == "1 of 2 decided"


@pytest.mark.parametrize(
    ("params", "names"),
    [
        pytest.param({}, {"exp_01", "exp_02", "lone"}, id="nothing"),
        pytest.param({"view": "decided"}, {"exp_01"}, id="view"),
        pytest.param({"view": "nonsense"}, {"exp_01", "exp_02", "lone"}, id="unknown view"),
        pytest.param({"q": "lone"}, {"lone"}, id="search"),
        pytest.param({"category": "file-structure"}, {"lone"}, id="category"),
        pytest.param({"category": "syntax-invalid"}, set(), id="category of a refuted claim"),
        pytest.param({"category": "syntax-invalid", "refuted": "1"}, {"lone"}, id="refuted claims"),
        pytest.param({"criterion": "8"}, {"exp_01", "exp_02", "lone"}, id="criterion"),
        pytest.param({"reviewer": "recorded"}, {"lone"}, id="reviewer"),
        pytest.param({"decision": "ready"}, {"exp_01"}, id="decision"),
        pytest.param({"lineage": "exp"}, {"exp_01", "exp_02"}, id="lineage"),
    ],
)
def test_the_address_filters(store: Store, params: dict[str, str], names: set[str]) -> None:
    attempts = lineage("exp", 2)
    for one in attempts:
        store.add(one, (RULES,))
    store.add(make_submission(name="lone", context=ResearchContext(method="Another idea")), (RECORDED, RULES))
    store.decide(attempts[0].id, Verdict.READY, "I ran it", "grace")
    at = open_page(**params)
    shown = {row["name"] for row in drawn(at, "inbox_table")["rows"]} if "inbox_table" in components(at) else set()
    assert shown == names
    assert not at.exception


def test_filters_go_into_the_address_and_along_with_every_link(store: Store) -> None:
    store.add(make_submission(name="lone"), (RECORDED, RULES))
    at = open_page()
    at.selectbox(key="inbox-category").select("file-structure").run()
    assert parameter(at, "category") == "file-structure"
    (row,) = drawn(at, "inbox_table")["rows"]
    assert row["href"].startswith("submission?s=")
    assert row["href"].endswith("&category=file-structure")


def test_views_say_how_many_submissions_they_hold(store: Store) -> None:
    store.add(make_submission(name="lone"), (RECORDED, RULES))
    at = open_page()
    assert at.get("button_group")[0].options[:2] == ["All 1", "Undecided 1"]


def test_more_than_a_page_is_cut_into_pages(store: Store) -> None:
    for one in lineage("exp", 53):
        store.add(one, (RULES,))
    first, second = open_page(), open_page(page="2")
    names = [{row["name"] for row in drawn(at, "inbox_table")["rows"]} for at in (first, second)]
    assert [len(page) for page in names] == [50, 3]
    assert not names[0] & names[1]
    assert second.caption[0].value == "51–53 of 53"
