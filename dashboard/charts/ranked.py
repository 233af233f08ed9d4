"""Ranked shares by category, by cause and by group of submissions, each with its interval and
beside what it is compared with.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dashboard.addresses import submission_address
from dashboard.charts.answers import compared_words, failing_words, group_answer, recurring_answer
from dashboard.charts.dots import Dot, DotLine, Dots
from dashboard.charts.style import (
    FEWEST,
    Chart,
    figures,
    interval,
    percent,
    points,
    sentence_case,
    span_words,
)
from dashboard.parts.plain import one_line
from dashboard.trend_addresses import TrendsView, behind, behind_side
from reviewers.agreement import difference, wilson
from reviewers.records import counted
from reviewers.rubric import UNCATEGORISED, category_title
from reviewers.rules import registered
from reviewers.store.human_input import PEOPLE
from reviewers.store.inbox import InboxQuery
from reviewers.store.trends import (
    CategoryCount,
    Dimension,
    GroupCount,
    Looked,
    by_dimension,
    failing_in,
)
from reviewers.store.trends_causes import UNREAD, CauseCount
from reviewers.store.trends_change import Halves
from reviewers.store.trends_marks import BLOCKED, CAUSE

MOST_GROUPS, MOST_CAUSES = 8, 12
_MOST_ROWS = 2_000
TEST_WORDS = (
    "A change is in bold where Fisher's exact test calls it more than chance, with all categories"
    " in view: at most 5 % of the bold ones are expected to be due to chance (Benjamini–Hochberg)."
    " The interval of a change is Newcombe's. Attempts of one lineage resemble each other, so"
    " borderline changes are uncertain."
)
GROUPS = {
    Dimension.GENERATOR: "generators",
    Dimension.CONTRACT: "contracts",
    Dimension.MODEL: "models",
    Dimension.DATASET: "data sets",
    Dimension.LINEAGE: "lineages",
}
_CHANGE = ("now", "change, points")
_OF_NOBODY = {UNREAD: "claims that could not be read", PEOPLE: "found by a person"}


def category_dots(
    counts: Sequence[CategoryCount], view: TrendsView, compared: Halves | None
) -> Chart:
    """Which failures recur: categories by the share of submissions that have them, on both sides
    of what is compared.
    """
    query = view.query
    lines = [_category(count, view, compared) for count in counts]
    # What fits no category is not a category; it stands last.
    order = sorted(
        zip(counts, lines, strict=True),
        key=lambda each: (
            each[0].category == UNCATEGORISED,
            -each[1].dots[0].at.share,
            -each[0].submissions,
            each[0].category,
        ),
    )
    rows = [
        {
            "category": count.category,
            **figures(count.submissions, count.of),
            "findings": count.findings,
            "earlier": count.earlier,
            "earlier of": count.earlier_of,
            "later": count.later,
            "later of": count.later_of,
            "p": None if count.p is None else round(count.p, 5),
            "change": None if count.change is None else str(count.change),
        }
        for count in counts
    ]
    kind = "a refuted or dismissed claim" if query.refuted else "such a finding"
    of = counted(counts[0].of if counts else 0, "reviewed submission")
    note = f"Share of submissions with {kind}, of {of}; whiskers: 95 % interval (Wilson)."
    if compared is None:
        note += " There is nothing to compare: at least ten are needed on either side."
    else:
        note += f" {compared_words(compared)}. {TEST_WORDS}"
    heads = ("", "", "")
    if compared is not None:
        heads = ("", *(("this", "difference, points") if compared.groups else _CHANGE))
    return Chart(
        "category",
        "Which failures recur?",
        recurring_answer(counts, compared, query),
        rows,
        [behind(query, category=count.category) for count in counts],
        note,
        dots=[Dots([line for _, line in order], heads, legend(compared))],
    )


def legend(compared: Halves | None) -> Sequence[str]:
    """Return what the two kinds of dots stand for, with the size of each."""
    if compared is None:
        return ()
    earlier, later = (f"{size:,}" for size in compared.sizes)
    if compared.periods is not None:
        before, after = map(span_words, compared.periods)
    elif compared.groups is not None:
        before, after = (one_line(name, 40) for name in compared.groups)
    else:
        before, after = "earlier attempts", f"attempt {compared.attempt} and later"
    return [f"{after}, {later} submissions", f"{before}, {earlier}"]


def _category(count: CategoryCount, view: TrendsView, compared: Halves | None) -> DotLine:
    title, query = category_title(count.category), view.query
    sides = ((count.later, count.later_of), (count.earlier, count.earlier_of))
    if compared is None or count.earlier is None:
        href = behind(query, category=count.category)
        dots = [_dot(title, count.submissions, count.of, href)]
        return DotLine(title, dots, percent(count.submissions, count.of), key=count.category)
    dots = [
        _dot(
            f"{title}, {words}",
            part or 0,
            of or 0,
            behind_side(query, view, compared, later, category=count.category),
            then=not later,
        )
        for (part, of), later, words in zip(sides, (True, False), legend(compared), strict=True)
        if of
    ]
    (now, now_of), (then, then_of) = ((part or 0, of or 0) for part, of in sides)
    change = difference(now, now_of, then, then_of)
    return DotLine(
        title,
        dots,
        percent(now, now_of),
        "" if change is None else points(change),
        count.change is not None,
        count.category,
    )


def _dot(
    title: str, part: int, of: int, href: str, *, then: bool = False, submissions: int | None = None
) -> Dot:
    found = wilson(part, of)
    assert found is not None  # of something
    words = f"{title}: {percent(part, of)}, {part:,} of {of:,}; 95 % interval {interval(part, of)}"
    if few := of < FEWEST:
        words += "; too few to mean much"
    return Dot(found, href, part if submissions is None else submissions, words, then, few)


def cause_lines(counts: Sequence[CauseCount], view: TrendsView) -> Sequence[DotLine]:
    """What one category is made of: rules and predicates, each with a line of real code."""
    lines = [_cause(count, view) for count in counts[:MOST_CAUSES]]
    if (left := len(counts) - MOST_CAUSES) > 0:
        lines.append(DotLine(counted(left, "rarer cause"), (), ""))
    return lines


def _cause(count: CauseCount, view: TrendsView) -> DotLine:
    rules, query = registered(), view.query
    category = query.category or view.opened
    found = count.example.found
    if count.rule and count.cause in rules:
        title = rules[count.cause].summary
        title = sentence_case(title)
    else:
        said = _OF_NOBODY.get(count.cause)
        title = said.capitalize() if said else f"Claims of “{count.cause.replace('_', ' ')}”"
    href = behind(query, category=category, mark=f"{CAUSE}:{count.cause}")
    place = f" · {found.span}" if found.span else ""
    shown = f"{count.cause} · " if count.rule else ""
    about = InboxQuery(category=category)
    return DotLine(
        title,
        [_dot(title, count.submissions, count.of, href)],
        percent(count.submissions, count.of),
        counted(count.submissions, "submission"),
        about=(
            one_line(f"{shown}e.g. {found.name}{place}"),
            one_line(count.example.line, 120),
            submission_address(found.submission, about, finding=found.finding),
        ),
    )


def group_dots(looked: Looked, view: TrendsView, compared: Halves | None) -> Chart:
    """Which is better: groups of submissions by the share that fails, and by how much they differ
    from what is compared with.
    """
    query, by = view.query, view.by
    narrowed = query.category is not None or query.criterion is not None or query.refuted
    changes: dict[str, Any] = {} if narrowed else {"mark": BLOCKED}
    note = f"Share of each one's reviewed submissions with {failing_words(query)}; whiskers: 95 %"
    note += " interval (Wilson, Newcombe for differences)."
    if by is None:
        sides = list(_sides(looked, view, compared, changes)) if compared else []
        rows = [{"period": name, **figures(part, of)} for name, part, of, _ in sides]
        links = [href for *_, href in sides]
        shown = sides
    else:
        counts = by_dimension(looked, by)
        known = [count for count in counts if count.group is not None]
        counts = counts[:_MOST_ROWS]
        links = [
            "" if count.group is None else behind(query, **{**changes, str(by): count.group})
            for count in counts
        ]
        rows = [
            {str(by): count.group or "unknown", **figures(count.submissions, count.of)}
            for count in counts
        ]
        shown = list(_shown(counts, links, compared))
        if len(known) > len(shown):
            note += f" Shown are the {len(shown)} largest of {len(known)} {GROUPS[by]}."
        if unknown := next((count.of for count in counts if count.group is None), 0):
            note += f" Unknown for {counted(unknown, 'submission')}."
    shown.sort(key=lambda each: -each[1] / max(each[2], 1))
    names = _names(compared)
    return Chart(
        "group",
        f"Which {GROUPS[by][:-1] if by else 'period'} is better?",
        group_answer(shown, names, by, query),
        rows,
        links,
        note,
        dots=[*_groups(shown, names)] if len(shown) > 1 else (),
    )


_Group = tuple[str, int, int, str]
"""A group's name, how many of its submissions fail, how many it has, and their address."""


def _names(compared: Halves | None) -> tuple[str, str] | None:
    """What is compared with, and what is compared, as the lines name them."""
    if compared is None:
        return None
    if compared.groups is not None:
        return compared.groups
    if compared.periods is not None:
        before, after = map(span_words, compared.periods)
        return before, after
    return "earlier attempts", f"attempt {compared.attempt} and later"


def _sides(
    looked: Looked, view: TrendsView, compared: Halves, changes: dict[str, Any]
) -> Iterator[_Group]:
    failing = failing_in(looked)
    for name, side, later in zip(
        _names(compared) or (), (compared.earlier, compared.later), (False, True), strict=True
    ):
        part, of = int(np.count_nonzero(side & failing)), int(np.count_nonzero(side))
        if of:
            yield name, part, of, behind_side(view.query, view, compared, later, **changes)


def _shown(
    counts: Sequence[GroupCount], links: Sequence[str], compared: Halves | None
) -> Iterator[_Group]:
    """The largest groups, the two that are compared among them."""
    chosen = set(compared.groups or ()) if compared else set()
    for place, (count, link) in enumerate(zip(counts, links, strict=True)):
        if count.group is not None and (place < MOST_GROUPS or count.group in chosen):
            yield count.group, count.submissions, count.of, link


def _groups(shown: Sequence[_Group], names: tuple[str, str] | None) -> Iterator[Dots]:
    before, after = names or ("", "")
    yield Dots(
        [
            DotLine(
                one_line(name, 60),
                [_dot(one_line(name, 60), part, of, href, then=name != after)],
                percent(part, of),
                f"{part:,} of {of:,}",
            )
            for name, part, of, href in shown
        ],
        ("", "share", "fail"),
    )
    base = next((each for each in shown if each[0] == before), None)
    if base is None:
        return
    lines = []
    for name, part, of, _ in shown:
        change = difference(part, of, base[1], base[2])
        if name != before and change is not None:
            title = one_line(name, 60)
            few = min(of, base[2]) < FEWEST
            sure = not change.low <= 0 <= change.high
            words = f"{title} against {one_line(before, 60)}: {points(change)} points"
            dot = Dot(change, "", 0, words, name != after, few)
            lines.append(DotLine(title, [dot], "", points(change), sure))
    yield Dots(lines, (f"against {one_line(before, 40)}", "", "points more"), scale=_scale(lines))


def _scale(lines: Sequence[DotLine]) -> tuple[float, float]:
    widest = max(
        (abs(end) for line in lines for dot in line.dots for end in (dot.at.low, dot.at.high)),
        default=0.5,
    )
    return (-0.5, 0.5) if widest <= 0.5 else (-1.0, 1.0)
