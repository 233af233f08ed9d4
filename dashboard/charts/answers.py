"""The answer of each chart in one sentence, computed from its figures."""

from collections.abc import Sequence

from dashboard.charts.style import FEWEST, percent, percent_of, points, span_words
from dashboard.parts.plain import one_line
from reviewers.agreement import difference
from reviewers.outcomes.linking import Fate
from reviewers.records import Check
from reviewers.rubric import UNCATEGORISED, category_title
from reviewers.store.trends import CategoryCount, Dimension, ReviewerCount, ShareChange, TrendsQuery
from reviewers.store.trends_change import Halves
from reviewers.store.trends_history import FateCount, PeriodClaims, SurvivalCount

_MOST = 2
TOO_FEW = "Too few submissions to compare earlier and later ones."


def since_words(compared: Halves) -> str:
    """Say from where on the later side is."""
    if compared.periods is not None:
        return f"since {compared.periods[1].since:%-d %B}"
    if compared.groups is not None:
        before, after = (one_line(name, 40) for name in compared.groups)
        return f"{after} against {before}"
    return f"from attempt {compared.attempt} on"


def compared_words(compared: Halves) -> str:
    """Say what is compared with what."""
    earlier, later = compared.sizes
    if compared.periods is not None:
        before, after = map(span_words, compared.periods)
    elif compared.groups is not None:
        before, after = (one_line(name, 60) for name in compared.groups)
    else:
        before, after = "earlier attempts", f"attempt {compared.attempt} and later ones"
    return f"Compared: {later:,} submissions of {after} with {earlier:,} of {before}; days in UTC"


def recurring_answer(
    counts: Sequence[CategoryCount], compared: Halves | None, query: TrendsQuery
) -> str:
    """Which category is in most submissions, and what became of it."""
    top = next((count for count in counts if count.category != UNCATEGORISED), None)
    if top is None or not top.of:
        return "No finding here has a category."
    what = "Refuted claims on " if query.refuted else ""
    lead = f"{what}{category_title(top.category)} {'are' if what else 'is'} in"
    lead += f" {percent(top.submissions, top.of)} of submissions"
    if compared is None or top.earlier is None:
        return f"{lead}. {TOO_FEW}"
    if compared.groups is not None:
        beyond = "a difference" if top.change else "no difference"
        return f"{lead}; {beyond} beyond chance, {_told(top)} ({since_words(compared)})."
    if top.change is not None:
        return f"{lead}; {top.change} {since_words(compared)}, {_told(top)}."
    changed = [count for count in counts if count.change and count.category != UNCATEGORISED]
    if not changed:
        return f"{lead}; no change beyond chance {since_words(compared)}, {_told(top)}."
    most = max(changed, key=lambda count: abs(_by(count)))
    did = "fell" if most.change is ShareChange.FALLING else "rose"
    return (
        f"{lead}, {_told(top)} within chance. {category_title(most.category)} {did} most"
        f" {since_words(compared)}: {_told(most)}."
    )


def changing_answer(counts: Sequence[CategoryCount], compared: Halves | None) -> str:
    """What rises and falls beyond chance."""
    if compared is None:
        return TOO_FEW
    said = []
    for words, kinds in (
        ("Falling", (ShareChange.FALLING,)),
        ("Rising", (ShareChange.RISING, ShareChange.NEW)),
    ):
        changed = [count for count in counts if count.change in kinds]
        changed.sort(key=lambda count: -abs(_by(count)))
        if changed:
            named = ", ".join(
                f"{category_title(count.category)} {_told(count)}" for count in changed[:_MOST]
            )
            left = len(changed) - _MOST
            said.append(f"{words}: {named}" + (f" and {left} more" if left > 0 else ""))
    if not said:
        return (
            f"No share changed beyond chance {since_words(compared)}"
            f" ({len(counts)} categories tested)."
        )
    return f"{'. '.join(said)}, {since_words(compared)}."


def _told(count: CategoryCount) -> str:
    before = percent(count.earlier or 0, count.earlier_of or 0)
    return f"{before} → {percent(count.later or 0, count.later_of or 0)}"


def _by(count: CategoryCount) -> float:
    by = difference(
        count.later or 0, count.later_of or 0, count.earlier or 0, count.earlier_of or 0
    )
    return by.share if by else 0.0


def failing_words(query: TrendsQuery) -> str:
    """What submissions have that fail."""
    if query.category is not None or query.criterion is not None or query.refuted:
        return "a finding that matches the filters"
    return "a reviewer's confirmed blocker"


def group_answer(
    shown: Sequence[tuple[str, int, int, str]],
    names: tuple[str, str] | None,
    by: Dimension | None,
    query: TrendsQuery,
) -> str:
    """By how much the two that are compared differ.

    Args:
        shown: the name of each group, how many of its submissions fail, how many it has.
        names: what is compared with, and what is compared.
    """
    sizes = {name: (part, of) for name, part, of, _ in shown}
    if names is None or any(name not in sizes for name in names):
        what = "group" if by is None else by.replace("dataset", "data set")
        if by is None or len(shown) > 1:
            return TOO_FEW
        return f"There is one {what} only." if shown else f"No {what} is known."
    (before, after), few = names, min(of for _, of in (sizes[name] for name in names)) < FEWEST
    change = difference(*sizes[after], *sizes[before])
    if change is None:
        return TOO_FEW
    this, that = one_line(after, 40), one_line(before, 40)
    if few:
        least = min((sizes[name][1], one_line(name, 40)) for name in names)
        return f"Too few to say: {least[1]} has {least[0]} submissions."
    if change.low <= 0 <= change.high:
        return f"No difference beyond chance between {this} and {that}: {points(change)} points."
    low, high = sorted(abs(round(100 * end)) for end in (change.low, change.high))
    more = "more" if change.share > 0 else "less"
    has = "has such findings" if failing_words(query).startswith("a finding") else "is blocked"
    size = abs(round(100 * change.share))
    return f"{this} {has} {size} points {more} often than {that} ({low} to {high})."


def soonest_first(lines: Sequence[Sequence[SurvivalCount]]) -> list[Sequence[SurvivalCount]]:
    """Return survival curves by what is left at the last step that all have."""
    last = min((len(line) for line in lines), default=1) - 1
    return sorted(lines, key=lambda line: line[last].share or 0.0)


def lasting_answer(lines: Sequence[Sequence[SurvivalCount]]) -> str:
    """Which failure goes soonest, and which stays longest.

    Args:
        lines: as `soonest_first` has them.
    """
    if not lines:
        return "Too few attempts followed to say how long a failure stays."
    last = min(len(line) for line in lines) - 1
    told = [
        (category_title(line[0].category), percent_of(line[last].share or 0.0)) for line in lines
    ]
    (soonest, left), (longest, most) = told[0], told[-1]
    after = "one attempt" if last == 1 else f"{last} attempts"
    if len(told) == 1:
        return f"{soonest} is still there in {left} after {after}."
    return (
        f"{soonest} goes soonest: {left} still there after {after}. {longest} stays longest:"
        f" {most}."
    )


def predicted_answer(counts: Sequence[FateCount]) -> str:
    """How many real failures were predicted, of those that code can tell."""
    by = {fate: sum(count.outcomes for count in counts if count.fate is fate) for fate in Fate}
    told = by[Fate.PREDICTED] + by[Fate.MISSED]
    if not sum(by.values()):
        return "No real run is recorded."
    if not told:
        return "No real failure could be told from the code."
    return (
        f"{by[Fate.PREDICTED]:,} of {told:,} real failures that code can tell were predicted"
        f" ({percent(by[Fate.PREDICTED], told)})."
    )


def reliable_answer(totals: Sequence[PeriodClaims]) -> str:
    """How the claims fare of the reviewer that makes most."""
    claims: dict[str, int] = {}
    for count in totals:
        claims[count.reviewer] = claims.get(count.reviewer, 0) + count.claims
    name = max(claims, key=lambda each: (claims[each], each), default=None)
    if name is None or claims[name] < FEWEST:
        return f"Apart from the rules, no reviewer has {FEWEST} claims."
    mine = [count for count in totals if count.reviewer == name]
    confirmed, refuted = (
        percent(sum(parts), claims[name])
        for parts in zip(*((count.confirmed, count.refuted) for count in mine), strict=True)
    )
    said = f"Of {one_line(name, 40)}'s claims the code confirms {confirmed} and refutes {refuted}"
    measured = sum(count.measured or 0 for count in mine)
    if not measured:
        return f"{said}."
    missed = percent(sum(count.missed_in or 0 for count in mine), measured)
    return f"{said}; it misses a proven blocker in {missed} of submissions."


def found_answer(counts: Sequence[ReviewerCount]) -> str:
    """Which reviewer finds what in most submissions with the code's consent."""
    proven = [
        count
        for count in counts
        if count.check is Check.CONFIRMED and count.of and count.category != UNCATEGORISED
    ]
    best: dict[str, ReviewerCount] = {}
    for count in sorted(proven, key=lambda count: -count.submissions):
        best.setdefault(count.reviewer, count)
    if not best:
        return "No finding here is confirmed by the code."
    said = [
        f"{one_line(count.reviewer, 40)} {category_title(count.category)}"
        f" ({percent(count.submissions, count.of or 0)})"
        for count in list(best.values())[:_MOST]
    ]
    return f"What the code confirms most: {', '.join(said)}."
