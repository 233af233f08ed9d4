"""Guards every figure of trust on the page of reviewers: pandas computes the same from an export,
and a cell to what it opens.
"""

import math
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.addresses import inbox_query
from reviewers.batch.effective_reviews import effective_reviews
from reviewers.exports.tables import tables
from reviewers.records import Verdict
from reviewers.store import Store
from reviewers.store.agreement import stamp, together
from reviewers.store.inbox import inbox
from reviewers.store.spending import spending
from reviewers.store.submission import load_submission
from tests.dashboard.judged import judge
from tests.dashboard.screens import components, drawn, open_page, parameter, send
from tests.reviewers.store.making import NOT_READY, READY, make_review, make_submission, rules_found

Frames = Mapping[str, pd.DataFrame]
Z = 1.959963984540054
AGAINST = ("decisions", "blockers", "outcomes", "reviewer")


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a judged store, to be copied."""
    path = tmp_path_factory.mktemp("judged") / "store.sqlite3"
    with closing(Store.open(f"sqlite:///{path}")) as store:
        judge(store)
    return path


@pytest.fixture(scope="module")
def frames(judged: Path) -> Frames:
    """The judged store as the export gives it, each review with the name that it has on the
    page.
    """
    with closing(Store.open(f"sqlite:///{judged}")) as store:
        exported = dict(tables(store))
    reviews = exported["reviews"][exported["reviews"]["current"]].copy()
    unknown = reviews["model"].fillna("(model unknown)")
    reviews["name"] = reviews["reviewer"].where(
        reviews["reviewer"] != "recorded", reviews["reviewer"] + " " + unknown
    )
    exported["reviews"] = reviews
    exported["findings"] = _as_people_say(exported, reviews)
    return exported


@pytest.fixture
def filled(judged: Path, url: str, store: Store) -> Store:
    """The judged store as the dashboard's."""
    with (
        closing(sqlite3.connect(judged)) as source,
        closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as target,
    ):
        source.backup(target)
    return store


def _as_people_say(exported: Frames, reviews: pd.DataFrame) -> pd.DataFrame:
    """The findings of current reviews, with people's rulings and severities in force."""
    key = ["submission", "finding"]
    found = exported["findings"].merge(
        reviews[["submission", "review", "name", "verdict"]], on=["submission", "review"]
    )
    in_force = exported["rulings"].query("counts")[[*key, "ruling"]]
    remarks = exported["remarks"].query("counts")[[*key, "severity"]]
    found = found.merge(in_force, on=key, how="left").merge(
        remarks, on=key, how="left", suffixes=("", "_said")
    )
    found["machine"] = found["check"]
    found["check"] = (
        found["ruling"].map({"confirm": "confirmed", "dismiss": "refuted"}).fillna(found["check"])
    )
    found["severity"] = found["severity_said"].fillna(found["severity"])
    return found


def truth(frames: Frames, against: str, other: str = "llm two") -> "pd.Series[Any]":
    """What each submission truly is, `ready` or `not_ready`; with another reviewer it may be
    both.
    """
    reviews, outcomes = frames["reviews"], frames["outcomes"]
    if against == "decisions":
        return frames["decisions"].query("counts").set_index("submission")["verdict"]
    if against == "reviewer":
        given = reviews[(reviews["name"] == other) & reviews["verdict"].notna()]
        return given.drop_duplicates(["submission", "verdict"]).set_index("submission")["verdict"]
    if against == "blockers":
        by_rules = frames["findings"].query("reviewer == 'rules'")
        proven = by_rules[(by_rules["check"] == "confirmed") & (by_rules["severity"] == "blocker")][
            "submission"
        ]
        looked = pd.Series(reviews[reviews["reviewer"] == "rules"]["submission"].unique())
        return pd.Series(np.where(looked.isin(proven), "not_ready", "ready"), index=looked)
    own = outcomes[outcomes["category"].fillna("") != "environment"]
    failed = own["error"].notna() | (own["exit_code"].fillna(0) != 0)
    told = own[failed | own["exit_code"].notna()].assign(bad=failed)
    return told.groupby("submission")["bad"].any().map({True: "not_ready", False: "ready"})


def crossed(frames: Frames, against: str, name: str) -> "pd.Series[Any]":
    """Submissions by what the reviewer says (`none` where it failed) and what they truly are."""
    mine = frames["reviews"][frames["reviews"]["name"] == name]
    said = mine.assign(said=mine["verdict"].fillna("none")).drop_duplicates(["submission", "said"])
    both = said.merge(
        truth(frames, against).rename("truly"), left_on="submission", right_index=True
    )
    return both.groupby(["said", "truly"]).size()


def interval(hits: int, cases: int) -> list[float]:
    """The Wilson interval as the shares p that lie within Z standard errors of what was seen: roots
    of a quadratic.
    """
    seen, square = hits / cases, Z * Z / cases
    low, high = sorted(np.roots([1 + square, -(2 * seen + square), seen * seen]).real)
    return [low, seen, high]


def kappa_of(shares: "np.ndarray[Any, Any]") -> float:
    by_chance = float(shares.sum(0) @ shares.sum(1))
    return (float(np.trace(shares)) - by_chance) / (1 - by_chance)


def kappa_interval(counts: "np.ndarray[Any, Any]") -> list[float]:
    """Cohen's kappa with its interval by the delta method, the slopes found numerically."""
    cases = counts.sum()
    shares = counts / cases
    slopes = np.zeros_like(shares)
    for place in np.ndindex(2, 2):
        for sign in (1, -1):
            moved = shares.copy()
            moved[place] += sign * 1e-6
            slopes[place] += sign * kappa_of(moved) / 2e-6
    spread = (shares * slopes**2).sum() - (shares * slopes).sum() ** 2
    half = Z * math.sqrt(max(0.0, spread) / cases)
    return [kappa_of(shares) - half, kappa_of(shares), kappa_of(shares) + half]


def rows(at: AppTest) -> dict[str, dict[str, dict[str, Any]]]:
    """The cells of the table by reviewer and heading."""
    data = drawn(at, "agreement_table")
    titles = [title for title, _ in data["columns"][1:]]
    return {row["name"]: dict(zip(titles, row["cells"], strict=True)) for row in data["rows"]}


def opened(against: str, **params: str) -> AppTest:
    at = open_page(
        "reviewers",
        against=against,
        **({"other": "llm two"} if against == "reviewer" else {}),
        **params,
    )
    assert not at.exception
    return at


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("against", AGAINST)
def test_agreement_is_what_pandas_comes_to(frames: Frames, against: str) -> None:
    shown = rows(opened(against))
    assert set(shown) == set(frames["reviews"]["name"])
    with_interval = 0
    for name, cells in shown.items():
        if name == {"reviewer": "llm two", "blockers": "rules"}.get(against):
            assert cells["Agrees"]["note"] == "is the reference"
            continue
        cell = crossed(frames, against, name).to_dict().get
        caught, alarms = cell(("not_ready", "not_ready"), 0), cell(("not_ready", "ready"), 0)
        missed, passed = cell(("ready", "not_ready"), 0), cell(("ready", "ready"), 0)
        parts = {
            "Agrees": (caught + passed, caught + passed + alarms + missed),
            "Precision": (caught, caught + alarms),
            "Recall": (caught, caught + missed),
        }
        for title, (hits, cases) in parts.items():
            assert (cells[title]["text"], cells[title]["note"]) == (
                f"{hits / cases:.0%}",
                f"{hits} of {cases}",
            )
            assert cells[title]["plot"] == pytest.approx(interval(hits, cases))
        harmonic = 2 / ((caught + alarms) / caught + (caught + missed) / caught) if caught else 0
        assert cells["F1"]["text"] == f"{harmonic:.2f}"
        wanted = kappa_interval(np.array([[passed, missed], [alarms, caught]], dtype=float))
        assert cells["Cohen's κ"]["text"].replace("−", "-") == f"{wanted[1]:.2f}".replace(
            "-0.00", "0.00"
        )
        if wanted[2] - wanted[0] < 1e-4:
            assert cells["Cohen's κ"]["plot"] is None
        else:
            assert [2 * each - 1 for each in cells["Cohen's κ"]["plot"]] == pytest.approx(
                np.clip(wanted, -1, 1).tolist(), abs=1e-6
            )
            with_interval += 1
        if parts["Agrees"][1] < 10:
            assert cells["Cohen's κ"]["note"].endswith(": too few")
    assert with_interval >= 4


def test_findings_costs_and_times_are_what_pandas_comes_to(frames: Frames, filled: Store) -> None:
    shown = rows(opened("decisions"))
    found = frames["findings"][frames["findings"]["verdict"].notna()]
    spent = {each.name: each for each in spending(filled)}
    missed = _missed(filled)
    for name, group in frames["reviews"].groupby("name"):
        cells = shown[str(name)]
        checks = found[found["name"] == name]["check"]
        refuted = int((checks == "refuted").sum())
        assert cells["Refuted"]["note"] == f"{refuted} of {len(checks)}"
        assert cells["Refuted"]["plot"] == pytest.approx(interval(refuted, len(checks)))
        counts = missed.get(str(name), [])
        assert cells["Missed"]["text"] == (f"{sum(counts) / len(counts):.1f}" if counts else "—")
        one = spent[str(name)]
        assert one.reviews == len(group)
        for measure, column, title in (
            (one.cost, "cost_usd", "Cost"),
            (one.seconds, "seconds", "Time"),
        ):
            known = group[column].dropna()
            assert (measure.known, cells[title]["note"]) == (
                len(known),
                f"of {len(known)}" if len(known) else "",
            )
            if len(known):
                assert [measure.median, measure.total, measure.mean] == pytest.approx(
                    [known.median(), known.sum(), known.mean()]
                )
            else:
                assert (measure.median, cells[title]["text"]) == (None, "—")


def _missed(store: Store) -> dict[str, list[int]]:
    """Blockers that each reviewer did not name, counted on the submissions themselves."""
    names: dict[str, list[int]] = {}
    for row in inbox(store, inbox_query({})).rows:
        shown = effective_reviews(load_submission(store, row.id))
        for key, findings in shown.missed.items():
            review = shown.stored[key].review
            name = (
                f"recorded {review.model or '(model unknown)'}"
                if review.reviewer == "recorded"
                else review.reviewer
            )
            names.setdefault(name, []).append(len(findings))
    return names


def test_rulings_and_categories_are_what_pandas_comes_to(frames: Frames, filled: Store) -> None:
    found = frames["findings"]
    ruled = found[found["ruling"].notna()]
    at = opened("rulings", reviewer="llm one")
    for name, cells in rows(at).items():
        mine = ruled[ruled["name"] == name]["ruling"]
        if len(mine) >= 10:
            assert cells["Upheld"]["note"] == f"{(mine == 'confirm').sum()} of {len(mine)}"
            assert cells["Upheld"]["plot"] == pytest.approx(
                interval(int((mine == "confirm").sum()), len(mine))
            )
    beside = ruled[ruled["name"] == "llm one"].groupby(["machine", "ruling"]).size().to_dict()
    for row, check in zip(
        drawn(at, "confusion_matrix")["rows"], ("confirmed", "refuted", "unverified"), strict=True
    ):
        assert [cell["count"] for cell in row["cells"]] == [
            str(beside.get((check, said), 0)) for said in ("confirm", "dismiss")
        ]
    mine = found[(found["name"] == "llm one") & found["verdict"].notna()]
    shown = drawn(at, "refuted_table")["rows"]
    assert len(shown) > 1
    lows = []
    for row in shown:
        query = inbox_query(dict(parse_qsl(row["href"].removeprefix("./?"))))
        of_category = mine[mine["category"] == query.category]
        refuted = of_category[of_category["check"] == "refuted"]
        assert row["of"] == f"{len(refuted)} of {len(of_category)}"
        assert row["plot"] == pytest.approx(interval(len(refuted), len(of_category)))
        assert (
            int(row["submissions"]) == refuted["submission"].nunique() == inbox(filled, query).total
        )
        lows.append(row["plot"][0])
    assert lows == sorted(lows, reverse=True)


def test_alpha_is_what_pandas_comes_to(frames: Frames, filled: Store) -> None:
    verdicts = frames["reviews"][["submission", "verdict"]].dropna()
    decided = frames["decisions"].query("counts")[["submission", "verdict"]]
    found = together(filled)
    for judged, alpha in (
        (verdicts, found.reviewers),
        (pd.concat([verdicts, decided]), found.with_people),
    ):
        counts = pd.crosstab(judged["submission"], judged["verdict"])
        paired = counts[counts.sum(axis=1) > 1].to_numpy(dtype=float)
        # Krippendorff's matrix of coincidences.
        coincident = sum(
            (np.outer(unit, unit) - np.diag(unit)) / (unit.sum() - 1) for unit in paired
        )
        totals, n = coincident.sum(0), coincident.sum()
        expected = (np.outer(totals, totals) - np.diag(totals)) / (n - 1)
        assert alpha is not None
        assert (alpha.units, alpha.ratings) == (len(paired), round(n))
        assert alpha.value == pytest.approx(1 - coincident[0, 1] / expected[0, 1])


@pytest.mark.parametrize("against", AGAINST)
def test_a_cell_counts_what_it_opens(frames: Frames, filled: Store, against: str) -> None:
    cells = 0
    for name in ("llm one", "recorded o3", "recorded (model unknown)", "rules"):
        at = opened(against, reviewer=name)
        if "confusion_matrix" not in components(at):
            continue
        wanted = crossed(frames, against, name).to_dict()
        for row, said in zip(
            drawn(at, "confusion_matrix")["rows"], ("not_ready", "ready", "none"), strict=True
        ):
            for cell, truly in zip(row["cells"], ("not_ready", "ready"), strict=True):
                query = inbox_query(dict(parse_qsl(cell["href"].removeprefix("./?"))))
                assert (
                    int(cell["count"]) == wanted.get((said, truly), 0) == inbox(filled, query).total
                )
                cells += int(cell["count"]) > 0
    assert cells >= 10


@pytest.mark.usefixtures("filled")
def test_choices_stand_in_the_address() -> None:
    at = opened("decisions")
    at = send(at, "agreement_table", {"kind": "choose", "name": "rules"})
    assert parameter(at, "reviewer") == "rules"
    assert [row["name"] for row in drawn(at, "agreement_table")["rows"] if row["chosen"]] == [
        "rules"
    ]
    at.segmented_control(key="trust-against").set_value("outcomes").run()
    assert parameter(at, "against") == "outcomes"
    at = at.segmented_control(key="trust-against").set_value("reviewer").run()
    assert parameter(at, "other")
    at = at.selectbox(key="trust-other").set_value("llm one").run()
    assert (parameter(at, "against"), parameter(at, "other")) == ("reviewer", "llm one")
    assert "is the reference" in str(rows(at)["llm one"])
    # What makes no sense in an address is as if it were not there.
    at = open_page("reviewers", against="nonsense", reviewer="nobody", other="x")
    assert not at.exception
    assert drawn(at, "agreement_table")["rows"]


def test_before_anybody_decided_the_rules_are_the_measure_and_little_is_said_to_be_little(
    store: Store,
) -> None:
    store.add(
        make_submission("x"),
        (make_review("a", READY), make_review("b", NOT_READY), rules_found("r")),
    )
    at = open_page("reviewers")
    assert at.segmented_control(key="trust-against").value == "blockers"
    cells = rows(at)["a"]
    assert (cells["Cohen's κ"]["text"], cells["Cohen's κ"]["note"]) == (
        "0.00",
        "1 submission: too few",
    )
    assert (cells["Precision"]["text"], cells["Recall"]["text"]) == ("—", "0%")
    assert (rows(at)["b"]["Cohen's κ"]["text"], cells["Cost"]["text"]) == ("—", "—")
    assert "nan" not in str(drawn(at, "agreement_table"))
    at = opened("decisions")
    assert rows(at)["a"]["Agrees"]["note"] == "nothing to compare"


def test_perfect_agreement_on_a_few_does_not_lead_and_a_truth_that_never_varies_is_told(
    store: Store,
) -> None:
    for number in range(12):
        one = make_submission(f"s{number}")
        verdict = READY if number % 2 else NOT_READY
        lucky = [make_review("lucky", verdict)] * (number < 4)
        steady = make_review(
            "steady", verdict if number < 10 else READY if verdict is NOT_READY else NOT_READY
        )
        store.add(one, (*lucky, steady, rules_found("r")))
        store.decide(one.id, verdict, "read", "Ann")
    at = open_page("reviewers", against="decisions")
    table = drawn(at, "agreement_table")["rows"]
    assert [(row["name"], row["cells"][1]["text"]) for row in table] == [
        ("steady", "0.67"),
        ("rules", "0.00"),
        ("lucky", "1.00"),
    ]
    said = " ".join(one.value for one in open_page("reviewers", against="blockers").caption)
    assert "None of them is ready" in said


def test_an_answer_is_kept_until_something_is_written(store: Store) -> None:
    submission = make_submission("x")
    store.add(submission, (make_review("a", READY), rules_found("r")))
    seen = [stamp(store)]
    assert stamp(store) == seen[0]
    for write in (
        lambda: store.decide(submission.id, Verdict.READY, "it ran", "ada"),
        lambda: store.add_review(submission.id, make_review("a", NOT_READY)),
        lambda: store.add_review(submission.id, make_review("a", READY)),
        lambda: store.add(make_submission("y")),
    ):
        write()
        assert stamp(store) not in seen
        seen.append(stamp(store))
    assert rows(opened("decisions"))["a"]["Agrees"]["note"] == "1 of 1"
