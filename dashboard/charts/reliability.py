"""How reviewers' claims fare, and whether they predicted real failures: shares with intervals."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dashboard.charts.answers import predicted_answer, reliable_answer
from dashboard.charts.dots import Dot, DotLine, Dots
from dashboard.charts.style import FEWEST, Chart, interval, percent, period_columns
from dashboard.parts.plain import one_line
from dashboard.trend_addresses import behind
from reviewers.agreement import wilson
from reviewers.outcomes.linking import Fate
from reviewers.rubric import category_title
from reviewers.store.trends import TrendsQuery
from reviewers.store.trends_history import FateCount, PeriodClaims

_MOST_REVIEWERS = 8


def claim_dots(
    totals: Sequence[PeriodClaims],
    counts: Sequence[PeriodClaims],
    marks: Mapping[str, Mapping[str, str]],
    query: TrendsQuery,
) -> Chart:
    """How claims fare: shares of a reviewer's claims that are confirmed and refuted, how often they
    miss a proven blocker.

    Args:
        totals: by periods of which each submission is in one.
        counts: by the periods of the table.
        marks: of each reviewer, as `reviewer_marks` gives them.
    """
    rows, links = _claim_table(counts, query)
    told = list(_reviewers(totals, query))
    note = (
        "Rulings are included. The rules are left out because they only report what they prove."
        " Claims count one by one, missed blockers by submission; whiskers: 95 % interval (Wilson)."
        " The table has each period."
    )
    panels = [
        Dots(
            sorted(
                (
                    replace(line, mark=marks[name]["mark"])
                    for name, *panels in told
                    if (line := panels[panel])
                ),
                key=lambda line: -line.dots[0].at.share,
            )[:_MOST_REVIEWERS],
            (words, "share", f"of {of}"),
        )
        for panel, (words, of) in enumerate(
            (("confirmed", "claims"), ("refuted", "claims"), ("missed a blocker", "submissions"))
        )
    ]
    title = "How reliable are the reviewers' claims?"
    answer = reliable_answer(totals)
    return Chart(
        "claims", title, answer, rows, links, note, dots=[each for each in panels if each.lines]
    )


def _reviewers(
    totals: Sequence[PeriodClaims], query: TrendsQuery
) -> Iterator[tuple[str, DotLine | None, DotLine | None, DotLine | None]]:
    for name in sorted({count.reviewer for count in totals}):
        mine = [count for count in totals if count.reviewer == name]
        claims = sum(count.claims for count in mine)
        checked = (
            _line(
                name,
                sum(getattr(count, check) for count in mine),
                claims,
                behind(query, reviewer=name, refuted=check == "refuted", mark=check),
                sum(getattr(count, f"{check}_in") for count in mine),
                f"claims {check}",
            )
            for check in ("confirmed", "refuted")
        )
        missed = sum(count.missed_in or 0 for count in mine)
        address = behind(query, reviewer=name, refuted=False, missed_by=name)
        measured = sum(count.measured or 0 for count in mine)
        words = "submissions with a proven blocker that it misses"
        confirmed, refuted = checked
        yield name, confirmed, refuted, _line(name, missed, measured, address, missed, words)


def _line(name: str, part: int, of: int, href: str, submissions: int, words: str) -> DotLine | None:
    found = wilson(part, of)
    if found is None:
        return None
    title = one_line(name, 60)
    said = f"{title}: {percent(part, of)}, {part:,} of {of:,} {words}; 95 % interval"
    dot = Dot(found, href, submissions, f"{said} {interval(part, of)}", few=of < FEWEST)
    return DotLine(title, [dot], percent(part, of), f"{part:,} of {of:,}")


def _checked(query: TrendsQuery, count: PeriodClaims, check: str) -> str:
    return behind(
        query, count.period, reviewer=count.reviewer, refuted=check == "refuted", mark=check
    )


def _missed(query: TrendsQuery, count: PeriodClaims) -> str:
    return behind(
        query, count.period, reviewer=count.reviewer, refuted=False, missed_by=count.reviewer
    )


def _claim_table(
    counts: Sequence[PeriodClaims], query: TrendsQuery
) -> tuple[list[dict[str, Any]], list[str]]:
    rows = [
        {
            "reviewer": count.reviewer,
            **period_columns(count.period),
            "claims": count.claims,
            "confirmed": count.confirmed,
            "refuted": count.refuted,
            "unverified": count.unverified,
            "submissions with a confirmed one": count.confirmed_in,
            "submissions with a refuted one": count.refuted_in,
            "submissions with a missed blocker": count.missed_in,
            "of": count.measured,
        }
        for count in counts
    ]
    return rows, [_checked(query, count, "refuted") for count in counts]


def fate_dots(counts: Sequence[FateCount], query: TrendsQuery) -> Chart:
    """Was it predicted: of the real failures and needed fixes that code can tell, the share that
    was predicted, by category.
    """
    by: dict[str, Counter[Fate]] = {}
    held: dict[str, int] = {}
    for count in counts:
        by.setdefault(count.category, Counter())[count.fate] += count.outcomes
        if count.fate is Fate.PREDICTED:
            held[count.category] = count.submissions
    lines = [_fate(category, told, held.get(category, 0), query) for category, told in by.items()]
    shown = sorted((line for line in lines if line), key=lambda line: -line.dots[0].at.share)
    who = f"by {query.reviewer}" if query.reviewer else "by any reviewer"
    total = sum(count.outcomes for count in counts)
    note = (
        f"{total:,} failures of real runs and required fixes, and whether a finding {who}"
        " predicted them; whiskers: 95 % interval (Wilson). What no code can tell, such as a"
        " missing network, is in the table only. Criterion filters do not apply here."
        if total
        else "The command areachair outcome adds real runs."
    )
    rows = [
        {
            "category": count.category,
            "fate": str(count.fate),
            "outcomes": count.outcomes,
            "submissions": count.submissions,
        }
        for count in counts
    ]
    return Chart(
        "outcome",
        "Was it predicted?",
        predicted_answer(counts),
        rows,
        [
            behind(
                query,
                category=None,
                criterion=None,
                refuted=False,
                mark=f"{count.fate}:{count.category}",
            )
            for count in counts
        ],
        note,
        dots=[Dots(shown, ("", "predicted", "of failures"))] if shown else (),
    )


def _fate(
    category: str, told: Counter[Fate], submissions: int, query: TrendsQuery
) -> DotLine | None:
    mark = f"{Fate.PREDICTED}:{category}"
    href = behind(query, category=None, criterion=None, refuted=False, mark=mark)
    of = told[Fate.PREDICTED] + told[Fate.MISSED]
    words = "failures predicted"
    title = category_title(category)
    return _line(title, told[Fate.PREDICTED], of, href, submissions, words)
