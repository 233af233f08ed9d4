"""The figures that the trends must show, computed anew by pandas from the exported tables, without
the store's own counting.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from math import comb, isclose
from typing import Any

import pandas as pd

from reviewers.store.trends import TrendsQuery

Frames = Mapping[str, pd.DataFrame]
CHECKS = ["confirmed", "refuted", "unverified"]


@dataclass(frozen=True)
class Recount:
    """The tables under a query."""

    frames: Frames
    query: TrendsQuery

    @cached_property
    def reviews(self) -> pd.DataFrame:
        reviews = self.frames["reviews"]
        return reviews[reviews["current"] & reviews["verdict"].notna()]

    @cached_property
    def findings(self) -> pd.DataFrame:
        """Every finding of a current review with a verdict and every one of a person, with what
        people said counted in.
        """
        keys = self.reviews[["submission", "review"]]
        own = self.frames["own_findings"].assign(reviewer="people", check="confirmed")
        found = pd.concat(
            [self.frames["findings"].merge(keys, on=["submission", "review"]), own],
            ignore_index=True,
        )
        about = list(zip(found["submission"], found["finding"], strict=True))
        ruled = (
            self.frames["rulings"]
            .query("counts")
            .set_index(["submission", "finding"])["ruling"]
            .to_dict()
        )
        words = {"confirm": "confirmed", "dismiss": "refuted"}
        found["check"] = [
            words[ruled[key]] if key in ruled else check
            for key, check in zip(about, found["check"], strict=True)
        ]
        remarks = (
            self.frames["remarks"]
            .dropna(subset="severity")
            .drop_duplicates(["submission", "finding"], keep="last")
        )
        given = remarks.set_index(["submission", "finding"])["severity"].to_dict()
        found["severity"] = [
            given.get(key, severity) for key, severity in zip(about, found["severity"], strict=True)
        ]
        return found

    @cached_property
    def filtered(self) -> pd.DataFrame:
        """The submissions that pass the filters, days aside."""
        frame, query = self.frames["submissions"], self.query
        for column in ("lineage", "generator"):
            if (wanted := getattr(query, column)) is not None:
                frame = frame[frame[column] == wanted]
        for column in ("model", "dataset"):
            if (wanted := getattr(query, column)) is not None:
                runs = self.frames["runs"]
                frame = frame[frame["submission"].isin(runs[runs[column] == wanted]["submission"])]
        moments = pd.to_datetime(
            frame["generated_at"].fillna(frame["imported_at"]), format="ISO8601"
        )
        frame = frame.assign(day=moments.dt.tz_convert("UTC").dt.date)
        reviewer = query.reviewer
        seen = (
            self.reviews if reviewer is None else self.reviews[self.reviews["reviewer"] == reviewer]
        )
        people = (
            self.findings[self.findings["reviewer"] == "people"]["submission"]
            if reviewer in (None, "people")
            else []
        )
        return frame[frame["submission"].isin({*seen["submission"], *people})]

    @cached_property
    def looked(self) -> pd.DataFrame:
        frame, query = self.filtered, self.query
        frame = frame if query.since is None else frame[frame["day"] >= query.since]
        return frame if query.until is None else frame[frame["day"] <= query.until]

    @cached_property
    def told(self) -> pd.DataFrame:
        found, query = self.findings, self.query
        for column in ("reviewer", "category", "criterion"):
            if (wanted := getattr(query, column)) is not None:
                found = found[(found[column] == wanted).fillna(value=False)]
        return found

    @cached_property
    def counting(self) -> pd.DataFrame:
        """The findings that count, in whatever submission."""
        return self.told[(self.told["check"] == "refuted") == self.query.refuted]

    @cached_property
    def here(self) -> pd.DataFrame:
        return self.counting[self.counting["submission"].isin(self.looked["submission"])].merge(
            self.looked, on="submission"
        )

    def categories(self) -> dict[str, tuple[int, int]]:
        """Submissions and findings by category."""
        grouped = self.here.groupby("category")
        return {name: (group["submission"].nunique(), len(group)) for name, group in grouped}

    def halves(self) -> tuple[set[str], set[str]] | None:
        """The submissions before and after; None where there are fewer than ten on a side."""
        looked, since = self.looked, self.query.since
        if looked.empty:
            return None
        if since is not None:
            length = ((self.query.until or looked["day"].max()) - since).days + 1
            before = self.filtered[
                (self.filtered["day"] < since)
                & (self.filtered["day"] >= since - timedelta(days=length))
            ]
            sides = before, looked
        else:
            column = "day" if looked["day"].nunique() > 1 else "attempt"
            known = looked.dropna(subset=column)
            values = sorted(set(known[column]))[1:]
            if not values:
                return None
            first = min(
                values, key=lambda value: abs(2 * (known[column] < value).sum() - len(known))
            )
            sides = known[known[column] < first], known[known[column] >= first]
        earlier, later = (set(side["submission"]) for side in sides)
        return (earlier, later) if min(len(earlier), len(later)) >= 10 else None

    def changes(self) -> dict[str, tuple[int, int, int, int, float, str | None]]:
        """Hits and sizes on both sides, p by exact fractions, and the change after Benjamini and
        Hochberg.
        """
        sides = self.halves()
        if sides is None:
            return {}
        having = {
            name: set(group["submission"]) for name, group in self.counting.groupby("category")
        }
        shown = set(self.here["category"])
        counts = {
            name: (len(each & sides[0]), len(sides[0]), len(each & sides[1]), len(sides[1]))
            for name, each in having.items()
            if name in shown or each & (sides[0] | sides[1])
        }
        chances = {name: _fisher(*each) for name, each in counts.items()}
        ranked = sorted(chances.values())
        limit = max(
            (p for place, p in enumerate(ranked, 1) if p <= 0.05 * place / len(ranked)),
            default=-1.0,
        )
        changed: dict[str, tuple[int, int, int, int, float, str | None]] = {}
        for name, (one, one_of, two, two_of) in counts.items():
            words = (
                ("new" if one == 0 else "rising" if two / two_of > one / one_of else "falling")
                if chances[name] <= limit
                else None
            )
            changed[name] = (one, one_of, two, two_of, chances[name], words)
        return changed

    def periods(self, over: str, frame: pd.DataFrame) -> pd.Series:
        """The attempt, or the first day of the day, week (from Monday) or month of each row."""
        if over == "attempt":
            return frame["attempt"].astype("Int64")
        if over == "month":
            return frame["day"].map(lambda day: day.replace(day=1))
        return frame["day"].map(
            lambda day: day - timedelta(days=day.weekday()) if over == "week" else day
        )

    def by_period(self, over: str) -> dict[tuple[str, Any], tuple[int, int, int]]:
        """Submissions, n and findings by category and period, zeros left out."""
        sizes = self.looked.groupby(self.periods(over, self.looked))["submission"].nunique()
        grouped = self.here.groupby(["category", self.periods(over, self.here).rename("period")])
        return {
            key: (group["submission"].nunique(), int(sizes[key[1]]), len(group))
            for key, group in grouped
        }

    def causes(self) -> dict[str, tuple[int, int]]:
        """Submissions and findings by what they are of: a rule, a predicate, people, or neither."""
        keys = ["submission", "review", "finding"]
        kinds = self.frames["claims"][[*keys, "kind"]].drop_duplicates(keys)
        here = self.here.merge(kinds, on=keys, how="left")
        mine = here["reviewer"] == "people"
        cause = here["rule"].fillna(here["kind"]).fillna("unread").mask(mine, "people")
        grouped = here.groupby(cause)
        return {name: (group["submission"].nunique(), len(group)) for name, group in grouped}

    def sizes(self, over: str) -> dict[Any, int]:
        """How many submissions each period has."""
        return (
            self.looked.groupby(self.periods(over, self.looked))["submission"].nunique().to_dict()
        )

    def by_reviewer(self) -> dict[tuple[str, str, str], tuple[int, int, int | None]]:
        """Submissions, findings, and what the reviewer gave a verdict on, by reviewer, category and
        fact check.
        """
        read = self.reviews[self.reviews["submission"].isin(self.looked["submission"])]
        of = read.groupby("reviewer")["submission"].nunique().to_dict()
        told = self.told[self.told["submission"].isin(self.looked["submission"])]
        told = told[told["check"] == "refuted"] if self.query.refuted else told
        return {
            key: (
                group["submission"].nunique(),
                len(group),
                of.get(key[0]) if key[0] != "people" else None,
            )
            for key, group in told.groupby(["reviewer", "category", "check"])
        }

    def failing(self) -> set[str]:
        """Submissions with a confirmed blocker by a reviewer, or what the query asks for."""
        query = self.query
        if query.category or query.criterion or query.refuted:
            return set(self.here["submission"])
        found = self.findings[(self.findings["reviewer"] != "people")]
        found = found if query.reviewer is None else found[found["reviewer"] == query.reviewer]
        blocked = found[(found["check"] == "confirmed") & (found["severity"] == "blocker")]
        return set(blocked["submission"]) & set(self.looked["submission"])

    def groups(self, by: str) -> dict[str, tuple[int, int]]:
        """Failing submissions and n by generator, lineage, model or data set; `unknown` where there
        is something unknown.
        """
        if by in ("model", "dataset"):
            pairs = self.frames["runs"][["submission", by]].dropna().drop_duplicates()
            pairs = self.looked[["submission"]].merge(pairs, on="submission", how="left")
        else:
            pairs = self.looked[["submission", by]]
        if (wanted := getattr(self.query, by)) is not None:
            pairs = pairs[pairs[by] == wanted]
        pairs = pairs.assign(
            group=pairs[by].fillna("unknown"), fails=pairs["submission"].isin(self.failing())
        )
        return {
            name: (int(group["fails"].sum()), len(group)) for name, group in pairs.groupby("group")
        }

    def survival(self) -> dict[tuple[str, int], tuple[int, int, int, float | None]]:
        """By category and attempts since it came: submissions that have it still, had it before,
        are followed; Kaplan–Meier.
        """
        reviewer = self.query.reviewer
        seen = (
            self.reviews if reviewer is None else self.reviews[self.reviews["reviewer"] == reviewer]
        )
        people = (
            self.findings[self.findings["reviewer"] == "people"]["submission"]
            if reviewer in (None, "people")
            else []
        )
        held = self.frames["submissions"].dropna(subset="attempt")
        held = held[held["submission"].isin({*seen["submission"], *people})].drop_duplicates(
            ["lineage", "attempt"]
        )
        chosen = set(self.looked["submission"])
        counts: dict[tuple[str, int], list[int]] = {}
        for category in set(self.counting["category"]):
            having = set(self.counting[self.counting["category"] == category]["submission"])
            for _, lineage in held.sort_values("attempt").groupby("lineage"):
                ids = list(lineage["submission"])
                has = [id in having for id in ids]
                for start in [
                    at for at, here in enumerate(has) if here and not (at and has[at - 1])
                ]:
                    for later in range(start, len(ids)):
                        if ids[later] in chosen:
                            count = counts.setdefault((category, later - start), [0, 0, 0])
                            count[0] += all(has[start : later + 1])
                            count[1] += all(has[start:later])
                            count[2] += 1
        return {key: (*count, _product(counts, *key)) for key, count in counts.items()}

    def claims(self, over: str) -> dict[tuple[str, Any], dict[str, int]]:
        """Claims by fact check and the submissions that hold them, by LLM reviewer and period."""
        told = self.told.merge(self.looked[["submission", "day", "attempt"]], on="submission")
        told = told.assign(period=self.periods(over, told))
        told = told[~told["reviewer"].isin(["rules", "people"])].dropna(subset="period")
        return {
            key: (
                {check: int((group["check"] == check).sum()) for check in CHECKS}
                | {
                    f"{check} in": group[group["check"] == check]["submission"].nunique()
                    for check in CHECKS
                }
            )
            for key, group in told.groupby(["reviewer", "period"])
        }


def _product(
    counts: Mapping[tuple[str, int], Sequence[int]], category: str, last: int
) -> float | None:
    """What survives every step up to the last one, where somebody was left at each until none
    survived.
    """
    left = 1.0
    for step in range(last + 1):
        kept, of, _ = counts.get((category, step), (0, 0, 0))
        if left and not of:
            return None
        left = left and left * kept / of
    return round(left, 4)


def _fisher(one: int, one_of: int, two: int, two_of: int) -> float:
    """Whole numbers only: tables as likely as the one seen, or less, out of all with these sums."""
    total = one + two
    ways = [
        comb(one_of, hits) * comb(two_of, total - hits)
        for hits in range(total + 1)
        if hits <= one_of and total - hits <= two_of
    ]
    seen = comb(one_of, one) * comb(two_of, two)
    return sum(each for each in ways if each <= seen) / sum(ways)


def is_wilson(low: float, high: float, hits: int, of: int) -> bool:
    """Whether both ends are where a share of that size would be just 1.96 standard errors away from
    what was seen.
    """

    def at(end: float) -> bool:
        return isclose((hits / of - end) ** 2, 1.959964**2 * end * (1 - end) / of, abs_tol=2e-4)

    return low <= hits / of <= high and at(low) and at(high)


def moment(row: Mapping[str, Any]) -> Any:
    """The period that a row of a chart's table is about."""
    return row["attempt"] if "attempt" in row else date.fromisoformat(row["since"])


def counted(rows: Sequence[Mapping[str, Any]], *columns: str) -> dict[Any, tuple[Any, ...]]:
    """A table's rows by their first columns, given before `|`."""
    at = columns.index("|")
    return {
        tuple(row[name] for name in columns[:at]): tuple(row[name] for name in columns[at + 1 :])
        for row in rows
    }
