"""Guards what is derived, by examples nobody thought of: any order of writes, many threads at once,
and any text that is searched for.
"""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from reviewers.errors import StoreError, UnknownSubmission
from reviewers.records import Check, Finding, Review, Ruling, Severity, Span
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, View, inbox, view_counts
from reviewers.store.submission import load_submission
from reviewers.store.trends import TrendsQuery, by_category, looked_at
from tests.reviewers.store.making import (
    DERIVED,
    KEPT,
    NOT_READY,
    READY,
    content_of,
    make_experiment,
    make_finding,
    make_review,
    make_submission,
    row_counts,
    rules_found,
)

PAPERS = [make_submission(name) for name in ("one", "two")]
SAID = ("decisions", "rulings", "own_findings", "remarks")
FINDING_IDS = ["f1", "f2", "f3"]

papers = st.sampled_from(PAPERS)
verdicts = st.sampled_from([READY, NOT_READY])


@st.composite
def findings(draw: st.DrawFn, rule: str | None) -> Finding:
    result = Check.CONFIRMED if rule else draw(st.sampled_from(Check))
    category = draw(st.sampled_from(["cli-contract", "packaging-invalid"]))
    id, severity = draw(st.sampled_from(FINDING_IDS)), draw(st.sampled_from(Severity))
    return make_finding(id, result, rule=rule, category=category, severity=severity)


@st.composite
def reviews(draw: st.DrawFn) -> Review:
    reviewer = draw(st.sampled_from(["rules", "recorded", "openai:x"]))
    found = draw(
        st.lists(
            findings("XX01" if reviewer == "rules" else None),
            max_size=3,
            unique_by=lambda finding: finding.id,
        )
    )
    return make_review(reviewer, draw(st.none() | verdicts), *found)


steps = st.one_of(
    st.tuples(st.just("add"), papers, st.lists(reviews(), max_size=3).map(tuple)),
    st.tuples(st.just("add_review"), papers.map(lambda paper: paper.id), reviews()),
    st.tuples(
        st.just("decide"),
        papers.map(lambda paper: paper.id),
        st.none() | verdicts,
        st.just("why"),
        st.sampled_from(["Ann", "Bob"]),
    ),
    st.tuples(
        st.just("rule_on"),
        papers.map(lambda paper: paper.id),
        st.sampled_from(FINDING_IDS),
        st.sampled_from(Ruling),
        st.just("why"),
        st.just("Ann"),
    ),
    st.tuples(
        st.just("remark"),
        papers.map(lambda paper: paper.id),
        st.sampled_from(FINDING_IDS),
        st.fixed_dictionaries(
            {"author": st.just("Ann"), "severity": st.none() | st.sampled_from(Severity)}
        ),
    ),
    st.tuples(
        st.just("add_finding"),
        papers.map(lambda paper: paper.id),
        st.fixed_dictionaries(
            {
                "author": st.sampled_from(["Ann", "Bob"]),
                "severity": st.sampled_from(Severity),
                "category": st.sampled_from(["cli-contract", "packaging-invalid"]),
                "message": st.just("seen"),
                "span": st.just(Span("src/train.py", 1)),
            }
        ),
    ),
)


def take(store: Store, name: str, *arguments: Any) -> None:
    """Do one step; the last argument may be a mapping of named ones."""
    named = arguments[-1] if isinstance(arguments[-1], dict) else {}
    getattr(store, name)(*arguments[: -1 if named else None], **named)


@pytest.mark.long
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(taken=st.lists(steps, max_size=14))
def test_what_is_derived_equals_what_is_worked_out_from_scratch(
    empty_store: Path, taken: list[tuple[Any, ...]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{copyfile(empty_store, Path(folder) / 'store.sqlite3')}"
        with closing(Store.open(url)) as store:
            for name, *arguments in taken:
                try:
                    take(store, name, *arguments)
                except (StoreError, UnknownSubmission):
                    continue  # there was nothing yet to decide on, or nothing to withdraw
            check_consistent(store)
            kept, derived = content_of(url, KEPT), content_of(url, DERIVED)
            store.recompute()
            assert content_of(url, DERIVED) == derived
            for name, *arguments in taken:
                if name == "add":
                    store.add(*arguments)
            assert content_of(url, SAID) == {name: kept[name] for name in SAID}


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(text=st.text(max_size=80))
@example(text="ั")  # a mark that is a letter of no word
@example(text="İß ŉ ¨ ﷺ ² a\u0307")
def test_every_word_that_was_written_is_found(store: Store, text: str) -> None:
    # An experiment of its own: to order the attempts at one costs more with each of them.
    submission = make_experiment(text, text)
    store.add(submission)
    for word in text.split():
        found = inbox(store, InboxQuery(text=word, limit=1000)).rows
        assert submission.id in {row.id for row in found}


def check_consistent(store: Store) -> None:
    """What the screens show of one submission fits together."""
    rows = inbox(store, InboxQuery()).rows
    assert [row.rank for row in rows] == sorted((row.rank for row in rows), reverse=True)
    for view, count in view_counts(store).items():
        assert inbox(store, InboxQuery(view=view)).total == count
    assert {row.id for row in inbox(store, InboxQuery(view=View.DECIDED)).rows} == {
        row.id for row in rows if row.decision
    }
    for row in rows:
        record = load_submission(store, row.id)
        assert row.decision == (record.decision.verdict if record.decision else None)
        assert (row.attention == "") == (row.decision is not None)
        assert [chip.verdict for chip in row.chips] == [
            stored.review.verdict for stored in record.reviews
        ]
        counted = [record.said.ruled(stored.review) for stored in record.reviews]
        assert [chip.blockers for chip in row.chips] == [
            sum(map(_is_proven_blocker, review.findings)) for review in counted
        ]
        assert (row.missed or 0) == len(record.missed)


def _is_proven_blocker(finding: Finding) -> bool:
    return finding.severity is Severity.BLOCKER and finding.check.result is Check.CONFIRMED


FOUR = [make_submission(f"paper {number}") for number in range(4)]


def work(store: Store, worker: int) -> None:
    for paper in FOUR:
        store.add(paper, (rules_found("r1"),))
        store.add_review(
            paper.id,
            make_review(f"openai:{worker}", READY if worker % 2 else NOT_READY, make_finding("c1")),
        )
        store.rule_on(
            paper.id,
            "r1",
            Ruling.DISMISS if worker % 2 else Ruling.CONFIRM,
            "seen",
            f"worker {worker}",
        )
        store.decide(paper.id, READY, "fine", f"worker {worker}")
        assert load_submission(store, paper.id).submission.id == paper.id
        assert inbox(store, InboxQuery(text="paper")).total >= 1
        by_category(looked_at(store, TrendsQuery()))


def test_threads_that_write_and_read_at_once_lose_nothing(store: Store, url: str) -> None:
    workers = 4
    with ThreadPoolExecutor(workers) as pool:
        for future in [pool.submit(work, store, worker) for worker in range(workers)]:
            future.result(timeout=120)
    counts = row_counts(url)
    assert counts["submissions"] == len(FOUR)
    assert counts["reviews"] == len(FOUR) * (workers + 1)
    assert counts["decisions"] == counts["rulings"] == len(FOUR) * workers
    assert view_counts(store)[View.DECIDED] == len(FOUR)
    before = content_of(url, DERIVED)
    store.recompute()
    assert content_of(url, DERIVED) == before


def test_threads_that_open_new_stores_at_once_do_not_mix_them_up(tmp_path: Path) -> None:
    def make(number: int) -> int:
        with closing(Store.open(f"sqlite:///{tmp_path / str(number)}.sqlite3")) as store:
            store.add(FOUR[number])
            return inbox(store, InboxQuery()).total

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(make, range(4))) == [1, 1, 1, 1]


def test_a_page_and_its_total_are_of_one_moment(store: Store) -> None:
    done = False

    def read() -> None:
        while not done:
            page = inbox(store, InboxQuery(limit=1000))
            assert page.total == len(page.rows)

    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(read)
        for number in range(15):
            store.add(make_submission(f"many {number}"))
        done = True
        reader.result(timeout=60)
