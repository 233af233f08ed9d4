"""Guards the grouping by lineage, the place that a search shows, and what persons arrange for
themselves: assignments and saved views.
"""

from itertools import pairwise

import pytest

from reviewers.errors import StoreError
from reviewers.records import ResearchContext, SourceFile, Span
from reviewers.store import Store
from reviewers.store.assignments import assign, assignees, claim
from reviewers.store.corrections import correct_name
from reviewers.store.desk_choices import (
    choose_columns,
    delete_view,
    rename_view,
    save_view,
    saved_views,
    shown_columns,
)
from reviewers.store.inbox import InboxQuery, View, inbox, matching_attempts, next_undecided
from reviewers.store.search_places import FoundIn, search_places
from tests.reviewers.store.making import (
    READY,
    make_experiment,
    make_finding,
    make_review,
    make_submission,
    rules_found,
)


@pytest.fixture
def lines(store: Store) -> Store:
    """Two lineages of three and two attempts with fewer blockers in each, and one that stands
    alone.
    """
    for name, counts in (("gate", (3, 1, 1)), ("tide", (2, 0))):
        for number, count in enumerate(counts, 1):
            one = make_experiment(name, f"{name}_{number:02d}", lineage=name, attempt=number)
            store.add(one, (rules_found(*(f"r{nth}" for nth in range(count))),))
    store.add(make_experiment("of its own", "alone"), ())
    return store


def of(store: Store, name: str) -> str:
    return next(row.id for row in inbox(store, InboxQuery(limit=100)).rows if row.name == name)


def test_a_lineage_is_one_row_with_its_latest_attempt_and_its_curve(lines: Store) -> None:
    page = inbox(lines, InboxQuery(by_lineage=True))
    rows = {row.name: (row.matching, row.curve) for row in page.rows}
    assert rows == {
        "gate_03": (3, ((1, 3), (2, 1), (3, 1))),
        "tide_02": (2, ((1, 2), (2, 0))),
        "alone": (1, ()),
    }
    assert (page.total, page.shown) == (6, 3)
    gate = next(row.first for row in page.rows if row.name == "gate_03")
    opened = matching_attempts(lines, InboxQuery(by_lineage=True), gate or "")
    assert [row.name for row in opened] == ["gate_03", "gate_02", "gate_01"]


def test_of_a_lineage_only_what_matches_counts_and_pages_have_no_gap(lines: Store) -> None:
    lines.decide(of(lines, "gate_03"), READY, "it runs", "Ann")
    query = InboxQuery(by_lineage=True, view=View.NEEDS_DECISION)
    rows = {row.name: row.matching for row in inbox(lines, query).rows}
    assert rows == {"gate_02": 2, "tide_02": 2, "alone": 1}
    one_by_one = [
        row.name
        for offset in range(4)
        for row in inbox(lines, InboxQuery(by_lineage=True, limit=1, offset=offset)).rows
    ]
    assert sorted(one_by_one) == ["alone", "gate_03", "tide_02"]


def test_next_goes_from_lineage_to_lineage_as_the_list_shows_them(lines: Store) -> None:
    by_lineage = InboxQuery(by_lineage=True)
    needs = InboxQuery(by_lineage=True, view=View.NEEDS_DECISION)
    ids = {row.name: row.id for row in inbox(lines, InboxQuery()).rows}

    def following(name: str, query: InboxQuery = by_lineage, by: str | None = None) -> str | None:
        found = next_undecided(lines, ids.get(name, ""), query, by=by)
        return next((name for name, id in ids.items() if id == found), None)

    listed = [row.name for row in inbox(lines, by_lineage).rows]
    assert following("") == listed[0]
    for here, there in pairwise([*listed, listed[0]]):
        assert following(here) == there
        assert following(here.replace("_03", "_01").replace("_02", "_01")) == there, "an earlier"
    for name in listed:
        lines.decide(ids[name], READY, "it runs", "Ann")
    assert following(listed[0]) is None
    assert following("gate_03", by="somebody else") in ("tide_02", "alone")
    # An attempt that was just decided gives its row to the one before: the other lineage is next.
    assert (following("gate_03", needs), following("tide_02", needs)) == ("tide_01", "gate_02")
    lines.decide(ids["tide_01"], READY, "it runs", "Ann")
    assert following("gate_03", needs) == "gate_02", "what is left of its own"


def test_the_very_name_comes_first_and_pages_go_on_after_it(store: Store) -> None:
    for name in ("sparse-mix", "other", "sparse", "third"):
        code = (SourceFile("src/model.py", f"# {name}\nsparse = 1\n".encode()),)
        store.add(make_submission(name, files=code), (rules_found("r1"),))
    whole = [row.name for row in inbox(store, InboxQuery(text="Sparse")).rows]
    assert whole[:2] == ["sparse", "sparse-mix"]
    assert sorted(whole[2:]) == ["other", "third"]
    paged = [
        row.name
        for offset in range(0, 6, 1)
        for row in inbox(store, InboxQuery(text="Sparse", limit=1, offset=offset)).rows
    ]
    assert paged == whole


def test_a_search_says_the_place_with_most_of_the_words(store: Store) -> None:
    code = b"import torch\n\nclass GatedUnit:\n    n_trials = 3\n" + b"x = 1\n" * 3
    one = make_submission(
        "plain",
        files=(SourceFile("src/train.py", code),),
        context=ResearchContext({"open": "Closed tides waste units."}, "a method"),
    )
    found = make_finding("f1", claim="the optuna storage is lost", span=Span("src/train.py", 3))
    store.add(one, (make_review("recorded", READY, found),))

    def place(text: str, **more: bool) -> tuple[object, ...]:
        best = search_places(store, [one.id], text, **more).get(one.id)
        if best is None:
            return ()
        marked = [best.text[start:end] for start, end in best.marks]
        return best.kind, best.file, best.line, best.finding, marked

    assert place("pla") == (FoundIn.NAME, None, None, None, ["pla"])
    assert place("trials") == (FoundIn.CODE, "src/train.py", 4, None, ["trials"])
    assert place("gatedunit import") == (FoundIn.CODE, "src/train.py", 1, None, ["import"])
    assert place("storage optuna") == (
        FoundIn.FINDING, "src/train.py", 3, "f1", ["optuna", "storage"],
    )  # fmt: skip
    assert place("tides")[0] is FoundIn.CONTEXT
    assert place("n_trials = 3")[4] == ["n_trials", "=", "3"]
    assert place("optuna", in_names=True) == ()
    assert place("rials") == ()


def test_who_claims_second_gets_the_first_ones_name(store: Store) -> None:
    one, two = make_submission("one"), make_submission("two")
    for each in (one, two):
        store.add(each)
    assert claim(store, [one.id], "ana").count == 1
    second = claim(store, [one.id, two.id], "bob")
    assert second.count == 1
    assert [(name, who.name) for name, who, _ in second.kept] == [("one", "ana")]
    assert claim(store, [one.id], "ana").count == 0, "it is hers already"
    rows = {row.name: row.assignee and row.assignee.name for row in inbox(store, InboxQuery()).rows}
    assert rows == {"one": "ana", "two": "bob"}
    assert [who.name for who in assignees(store)] == ["ana", "bob"]


def test_what_is_assigned_is_found_by_name_and_survives_a_review_and_a_correction(
    store: Store,
) -> None:
    one, two = make_submission("one"), make_submission("two")
    for each in (one, two):
        store.add(each)
    assign(store, [one.id], "grace", "ana")
    store.add_review(one.id, rules_found("r1"))
    correct_name(store, "grace", "grace h.")

    def names(**query: object) -> list[str]:
        return [row.name for row in inbox(store, InboxQuery(**query)).rows]

    assert names(assigned_to="grace h.") == ["one"]
    assert names(unassigned=True) == ["two"]
    (row,) = inbox(store, InboxQuery(assigned_to="grace h.")).rows
    assert row.assigned_by is not None
    assert row.assigned_by.name == "ana"
    assign(store, [one.id], None, "grace h.")
    assert names(assigned_to="grace h.") == []


def test_a_persons_views_and_columns_are_theirs_alone_and_stay_under_a_corrected_name(
    store: Store,
) -> None:
    save_view(store, "mine to do", "view=disagree&q=a%3Db", "ana")
    save_view(store, "ten", "lineage=gate", "ana")
    choose_columns(store, "inbox", {"missed": False}, "ana")
    with pytest.raises(StoreError, match="already"):
        save_view(store, " ten ", "q=x", "ana")
    with pytest.raises(StoreError, match="already"):
        rename_view(store, "ten", "mine to do", "ana")
    rename_view(store, "ten", "the ten", "ana")
    correct_name(store, "ana", "Ana B.")
    assert saved_views(store, "Ana B.") == {
        "mine to do": "view=disagree&q=a%3Db",
        "the ten": "lineage=gate",
    }
    assert shown_columns(store, "Ana B.", "inbox") == {"missed": False}
    assert saved_views(store, "bob") == saved_views(store, "") == {}
    delete_view(store, "the ten", "Ana B.")
    assert list(saved_views(store, "Ana B.")) == ["mine to do"]
