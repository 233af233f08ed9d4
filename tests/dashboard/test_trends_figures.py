"""Guards every figure of the trends: pandas computes the same from an export, and the inbox behind
each mark holds as many.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from urllib.parse import parse_qsl, urlsplit

import pytest

from dashboard.addresses import inbox_query
from dashboard.charts.page import CHARTS
from dashboard.charts.style import Chart
from dashboard.trend_addresses import TrendsView
from reviewers.batch.importing import import_bundles
from reviewers.exports.tables import tables
from reviewers.outcomes.linking import Fate
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, inbox
from reviewers.store.outcomes import linked_outcomes
from reviewers.store.trends import Dimension, Over, TrendsQuery, looked_at
from reviewers.store.trends_causes import causes
from tests.dashboard.recount import CHECKS, Recount, counted, is_wilson, moment
from tests.dashboard.trend_store import CATEGORIES, fill
from tests.reviewers.store.making import Clock
from tests.shared_data import LOGS, needs_shared

QUERIES = [
    pytest.param(TrendsQuery(), id="everything"),
    pytest.param(TrendsQuery(reviewer="people"), id="people"),
    pytest.param(
        TrendsQuery(category="hydra-composition", refuted=True, reviewer="openai:a <b>"),
        id="a refuted category",
    ),
    pytest.param(
        TrendsQuery(criterion=8, generator="=HYPERLINK(1)"), id="a criterion of a generator"
    ),
    pytest.param(
        TrendsQuery(
            model="bert & co", dataset="sst2", since=date(2026, 2, 20), until=date(2026, 3, 31)
        ),
        id="some days of a model and a data set",
    ),
    pytest.param(TrendsQuery(lineage="line03", reviewer="rules"), id="a lineage"),
]

QUERIES_AT = {case.values[0]: place for place, case in enumerate(QUERIES)}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    clock = Clock()
    url = f"sqlite:///{tmp_path_factory.mktemp('trends') / 'store.sqlite3'}"
    with closing(Store.open(url, clock=clock)) as store:
        fill(store, clock)
        yield store


@pytest.fixture(scope="module")
def frames(filled: Store) -> dict:
    return dict(tables(filled))


@pytest.mark.parametrize("query", QUERIES)
def test_pandas_comes_to_the_same_figures(filled: Store, frames: dict, query: TrendsQuery) -> None:
    recount = Recount(frames, query)
    for over in (Over.ATTEMPT, list(Over)[1 + QUERIES_AT[query] % 3]):
        compare(filled, recount, over)


@pytest.mark.parametrize("query", QUERIES)
def test_the_inbox_behind_a_mark_holds_as_many_as_the_mark_says(
    filled: Store, query: TrendsQuery
) -> None:
    looked = looked_at(filled, query)
    shown: set[tuple[str, str, int]] = set()
    for over, by in (
        (Over.ATTEMPT, Dimension.MODEL),
        (Over.WEEK, Dimension.GENERATOR),
        (Over.MONTH, Dimension.LINEAGE),
    ):
        for make in CHARTS.values():
            chart = make(looked, TrendsView(query, over, by), False)
            shown |= {(chart.key, *mark) for mark in marks(chart)}
    assert shown
    assert [mark for mark in sorted(shown) if behind(filled, mark[1]) != mark[2]] == []


@pytest.mark.parametrize("refuted", [False, True])
def test_the_inbox_behind_a_cause_holds_as_many_as_it_says(filled: Store, refuted: bool) -> None:
    for category in CATEGORIES:
        asked = TrendsQuery(category=category, refuted=refuted)
        for count in causes(filled, looked_at(filled, asked)):
            mark = f"cause:{count.cause}"
            query = InboxQuery(category=category, refuted=refuted, mark=mark)
            assert inbox(filled, query).total == count.submissions


def test_every_row_of_a_table_leads_to_what_it_counts(filled: Store) -> None:
    looked = looked_at(filled, TrendsQuery())
    for key, make in CHARTS.items():
        chart = make(looked, TrendsView(TrendsQuery(), Over.MONTH, Dimension.MODEL), True)
        counted_in = "submissions with a refuted one" if key == "claims" else "submissions"
        for row, address in zip(chart.rows, chart.links, strict=True):
            assert not address or behind(filled, address) == row[counted_in]


def test_missed_blockers_and_real_outcomes_are_those_of_the_submissions(
    filled: Store, frames: dict
) -> None:
    looked = looked_at(filled, TrendsQuery())
    ids = list(frames["submissions"]["submission"])
    view = TrendsView(TrendsQuery(), Over.ATTEMPT, None)
    missed: Counter[tuple[str, int]] = Counter()
    for row in inbox(filled, InboxQuery(limit=1000)).rows:
        missed.update(
            (chip.reviewer, row.attempt)
            for chip in row.chips
            if chip.missed and row.attempt is not None
        )
    fates: dict[tuple[str, str], set[tuple[str, int]]] = {}
    for id in ids:
        for place, each in enumerate(linked_outcomes(filled, id)):
            if each.link is not None and each.link.findings:
                best = min(
                    (each.link.fate(name) for name in each.link.findings), key=list(Fate).index
                )
                fates.setdefault((each.link.category, str(best)), set()).add((id, place))
    claims = CHARTS["claims"](looked, view, False).rows
    shown = {
        key: n
        for key, (n,) in counted(
            claims, "reviewer", "attempt", "|", "submissions with a missed blocker"
        ).items()
        if n
    }
    assert shown == missed
    outcomes = counted(
        CHARTS["outcome"](looked, view, False).rows,
        "category",
        "fate",
        "|",
        "outcomes",
        "submissions",
    )
    assert outcomes == {
        key: (len(each), len({id for id, _ in each})) for key, each in fates.items()
    }
    assert {fate for _, fate in outcomes} == set(Fate)


@needs_shared
def test_the_real_logs_come_to_the_same_by_pandas(tmp_path_factory: pytest.TempPathFactory) -> None:
    url = f"sqlite:///{tmp_path_factory.mktemp('real') / 'store.sqlite3'}"
    with closing(Store.open(url)) as store:
        # Of those with base code one submission more is kept, which counts nowhere.
        logs = [log for log in LOGS if not log.name.startswith("20251009")]
        assert len(list(import_bundles(store, logs[:3]))) == 3
        exported = tables(store)
        for query in (TrendsQuery(), TrendsQuery(reviewer="recorded", refuted=True)):
            compare(store, Recount(exported, query), Over.ATTEMPT)


def compare(store: Store, recount: Recount, over: Over) -> None:
    looked, query = looked_at(store, recount.query), recount.query
    drawn = {
        key: make(looked, TrendsView(query, over, None), False) for key, make in CHARTS.items()
    }
    of = len(recount.looked)
    assert looked.size == of

    rows = drawn["category"].rows
    assert {
        row["category"]: (row["submissions"], row["findings"]) for row in rows if row["submissions"]
    } == recount.categories()
    assert all(row["of"] == of and intervals_hold(row) for row in rows)
    changes = recount.changes()
    for row in rows:
        beside = (row["earlier"], row["earlier of"], row["later"], row["later of"])
        expected = changes.get(row["category"])
        assert beside == ((None,) * 4 if expected is None else expected[:4])
        if expected is not None:
            assert row["p"] == pytest.approx(expected[4], abs=1e-5)
            assert row["change"] == expected[5]

    sizes, cells = recount.sizes(over), recount.by_period(over)
    for row in drawn["time"].rows:
        found = cells.get((row["category"], moment(row)), (0, sizes[moment(row)], 0))
        assert (row["submissions"], row["of"], row["findings"]) == found
    assert {(row["category"], moment(row)) for row in drawn["time"].rows} >= set(cells)

    told = {each.cause: (each.submissions, each.findings) for each in causes(store, looked)}
    assert told == recount.causes()

    shown = counted(
        drawn["reviewer"].rows,
        "reviewer",
        "category",
        "check",
        "|",
        "submissions",
        "findings",
        "of",
    )
    assert shown == recount.by_reviewer()

    for by in Dimension:
        rows = CHARTS["group"](looked, TrendsView(query, over, by), False).rows
        assert {row[by]: (row["submissions"], row["of"]) for row in rows} == recount.groups(by)

    figures = ("submissions", "of", "followed", "still there (Kaplan–Meier)")
    shown = counted(drawn["survival"].rows, "category", "attempts since it appeared", "|", *figures)
    assert shown == recount.survival()

    claims = recount.claims(over)
    for row in drawn["claims"].rows:
        found = claims.get((row["reviewer"], moment(row)), {})
        assert [row[check] for check in CHECKS] == [found.get(check, 0) for check in CHECKS]
        held = (row["submissions with a confirmed one"], row["submissions with a refuted one"])
        assert held == (found.get("confirmed in", 0), found.get("refuted in", 0))
    assert len(claims) <= len(drawn["claims"].rows)


def intervals_hold(row: dict) -> bool:
    return row["share"] is None or is_wilson(
        row["low 95 %"], row["high 95 %"], row["submissions"], row["of"]
    )


def marks(chart: Chart) -> Iterator[tuple[str, int]]:
    """The address behind each mark of a chart, with the number of submissions that the mark
    says.
    """
    for trace in chart.figure.data if chart.figure is not None else ():
        yield from {(data[0], data[1]) for data in trace.customdata or ()}
    for dots in chart.dots:
        yield from {
            (dot.href, dot.submissions) for line in dots.lines for dot in line.dots if dot.href
        }


def behind(store: Store, address: str) -> int:
    query = inbox_query(dict(parse_qsl(urlsplit(address).query)))
    return inbox(store, query).total
