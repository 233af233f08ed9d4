"""Search, filters and order of the inbox; their state is in the address."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from dashboard.addresses import inbox_params
from dashboard.inbox_scope import NEUTRAL_FILTERS, NEUTRAL_SORTS
from dashboard.parts.component import load
from dashboard.parts.inbox_columns import InboxColumn
from dashboard.parts.inbox_views import VIEW_WORDS
from dashboard.parts.mark_words import mark_words
from dashboard.parts.plain import one_line
from dashboard.parts.words import criterion_title, verdict_words
from dashboard.signing import author
from reviewers.records import Verdict
from reviewers.rubric import category_title, rubric
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, ReadAs, Sort, View, contracts_seen, reviewers_seen
from reviewers.store.inbox_choices import MOST, Choices, choices
from reviewers.store.search_places import FoundIn, SearchPlace

_mount = load("inbox_bar")

_SORTS = {
    Sort.NEEDED: "Needs you most",
    Sort.NEWEST: "Newest first",
    Sort.OLDEST: "Oldest first",
    Sort.NAME: "Name",
    Sort.BLOCKERS: "Most blockers",
    Sort.REFUTED: "Most refuted claims",
    Sort.MISSED: "Most missed blockers",
}
_VERDICTS = [(str(verdict), verdict_words(verdict)) for verdict in Verdict]
_PROVEN = [("1", "yes"), ("0", "no")]
_OUTCOMES = [("failed", "failed"), ("ran", "passed")]
_CAME = {
    ReadAs.JUDGED: "judged by its reading",
    ReadAs.CONFIRMED: "confirmed",
    ReadAs.REFUTED: "refuted",
    ReadAs.OPEN: "unverified",
    ReadAs.OVERRULED: "overruled by a person",
    ReadAs.TWO_WAYS: "read in two ways",
}
_LABELS = {
    "q": "Search",
    "reviewer": "Reviewer",
    "verdict": "Verdict",
    "other": "Second reviewer",
    "other_verdict": "Second reviewer's verdict",
    "category": "Category",
    "criterion": "Criterion",
    "refuted": "Only refuted findings",
    "missed_by": "Blocker missed by",
    "failed_by": "Asked without an answer",
    "read_by": "Claims read by",
    "reading": "Result of these claims",
    "proven": "Blocker found by the rules",
    "mark": "From a chart",
    "decision": "Decision",
    "blind_decision": "Decided without seeing reviews",
    "undecided_by": "Undecided by",
    "outcome": "Result of a real run",
    "lineage": "Lineage",
    "attempt": "Attempt",
    "model": "Model",
    "dataset": "Data set",
    "generator": "Generator",
    "contract": "Contract",
    "since": "Generated since",
    "until": "Generated until",
    "assigned_to": "Assigned to",
    "unassigned": "Assigned to nobody",
}
_FIRST = ("category", "reviewer", "verdict", "decision", "assigned_to")
"""Those that are used most stand in the panel; the others are added to it one by one."""
_LARGE = 5_000
_ELSEWHERE = {"view", "page", "sort", "rows"}
_KINDS = {
    FoundIn.NAME: "by name",
    FoundIn.CODE: "in code",
    FoundIn.FINDING: "in findings",
    FoundIn.CONTEXT: "in hypothesis or method",
}


def known_choices(store: Store, total: int) -> Choices:
    """Return what the filters can be set to; reviewers and contracts as of now, the rest of a large
    store up to ten minutes old.

    Args:
        total: how many submissions the store holds.
    """
    return replace(
        _choices(store.place, min(total, _LARGE), store),
        reviewers=reviewers_seen(store),
        contracts=contracts_seen(store),
    )


@st.cache_resource(show_spinner=False, max_entries=4, ttl=600)
def _choices(place: str, total: int, _store: Store) -> Choices:
    return choices(_store)


@dataclass(frozen=True, slots=True)
class Csv:
    """Rows as a file for the browser to keep, once.

    Attributes:
        at: when it was asked for; tells one file from the next.
        cut: how many rows it lacks, or how many at least where there are `more`.
    """

    text: str
    at: float
    cut: int = 0
    more: bool = False


def inbox_bar(
    query: InboxQuery,
    known: Choices,
    left_out: Sequence[str],
    columns: Sequence[InboxColumn],
    people: Sequence[tuple[str, str]],
    places: Mapping[str, SearchPlace],
    file: Csv | None,
    *,
    blind: bool,
    key: str,
    on_events: Callable[[], None],
) -> None:
    """Draw the search field, the filters, the order, and a chip for each filter that is set; the
    choice between lineages and attempts, that of the columns, and the rows as CSV.

    Events: `columns` with what is `shown` by column id, empty to take all choices back; `csv`.

    Args:
        columns: all that there are, whether they are shown or not.
        people: to whom submissions may be assigned: id and name.
        places: why the search found the submissions on this page.
        file: the rows as they were asked for just now.
        left_out: parameters of the address that the query does without, for a person who judges
            blind.
        blind: whether all that depends on what others say is off.
    """
    params = inbox_params(replace(query, offset=0))
    fields = _fields(known, params, people)
    off = [field["label"] for field in fields if blind and field["name"] not in NEUTRAL_FILTERS]
    data = {
        "params": params,
        "fields": [field for field in fields if field["label"] not in off],
        "chips": [
            _chip(name, value, fields) for name, value in params.items() if name not in _ELSEWHERE
        ],
        "sort": str(query.sort),
        "sorts": [
            [str(sort), words]
            for sort, words in _SORTS.items()
            if not blind or sort in NEUTRAL_SORTS
        ],
        "blind": blind,
        "off": _off_words(off) if blind else "",
        "ignored": _ignored_words(left_out),
        "lineages": query.by_lineage,
        "found": _found_words(places),
        "columns": [[each.id, each.title, each.shown] for each in columns if not each.fixed],
        "chosen": any(each.chosen for each in columns),
        "csv": file and {"text": file.text, "number": file.at, "cut": _cut_words(file)},
    }
    _mount(key=key, data=data, on_events=on_events)


def _found_words(places: Mapping[str, SearchPlace]) -> str:
    """Say in what kinds of places the search found what is on this page."""
    counts = Counter(place.kind for place in places.values())
    return ", ".join(f"{counts[kind]} {words}" for kind, words in _KINDS.items() if counts[kind])


def _cut_words(file: Csv) -> str:
    if file.more:
        return "The file lacks the last rows; Export has everything."
    return f"The file lacks the last {file.cut:,} rows; Export has everything." if file.cut else ""


def scope_words(query: InboxQuery) -> str:
    """Say which list a query asks for, such as "Search: sparse"; nothing for everything."""
    view = [] if query.view is View.ALL else [VIEW_WORDS[query.view][0]]
    return one_line(", ".join([*view, *(words for _, words in chips_of(query))]), 48)


def chips_of(query: InboxQuery) -> Sequence[tuple[str, str]]:
    """Return the filters that are set: the parameter of each, and its words."""
    params = inbox_params(replace(query, offset=0))
    fields = _fields(Choices((), (), (), (), (), (), ()), params, ())
    return [
        (name, _chip(name, value, fields)["words"])
        for name, value in params.items()
        if name not in _ELSEWHERE
    ]


def _off_words(off: Sequence[str]) -> str:
    return (
        f"Off in blind mode, because they would reveal what others say: {', '.join(off)}. Search"
        " covers names and titles only."
    )


def _ignored_words(left_out: Sequence[str]) -> str:
    """Say what the address asks for in vain."""
    words = {"view": "its view", "sort": "its order"}
    named = [
        words.get(name, f"the filter {_LABELS.get(name, name)}")
        for name in left_out
        if name != "page"
    ]
    if not named:
        return ""
    return (
        f"Blind mode ignores {', '.join(named)} in this address, which would reveal what others"
        " say about submissions you have not decided on."
    )


def _fields(
    known: Choices, params: Mapping[str, str], people: Sequence[tuple[str, str]]
) -> list[dict[str, Any]]:
    """The choices in the order of the panel; what the address asks for is among them, since it
    filters.
    """
    me = author()
    others = [(id, one_line(name)) for id, name in people if id != me]
    reviewers = [(name, one_line(name)) for name in known.reviewers]
    options: Mapping[str, Sequence[tuple[str, str]]] = {
        "reviewer": reviewers,
        "verdict": _VERDICTS,
        "other": reviewers,
        "other_verdict": _VERDICTS,
        "category": [(id, category_title(id)) for id in rubric().categories],
        "criterion": [(str(number), criterion_title(number)) for number in rubric().criteria],
        "refuted": [("1", "yes")],
        "missed_by": reviewers,
        "failed_by": reviewers,
        "read_by": _named(known.readers),
        "reading": [(str(came), words) for came, words in _CAME.items()],
        "proven": _PROVEN,
        "decision": _VERDICTS,
        "blind_decision": _VERDICTS,
        "outcome": _OUTCOMES,
        "lineage": _named(known.lineages),
        "attempt": [(str(number), str(number)) for number in range(1, 16)],
        "model": _named(known.models),
        "dataset": _named(known.datasets),
        "generator": _named(known.generators),
        "contract": _named(known.contracts),
        "assigned_to": [*([(me, "me")] if me else []), *others],
        "unassigned": [("1", "yes")],
    }
    fields = [_field(name, choices, params.get(name)) for name, choices in options.items()]
    dates = [
        {"name": name, "label": _LABELS[name], "kind": "date", "first": False}
        for name in ("since", "until")
    ]
    return sorted([*fields, *dates], key=lambda field: not field["first"])


def _named(names: Sequence[str]) -> list[tuple[str, str]]:
    return [(name, one_line(name)) for name in names]


def _field(name: str, choices: Sequence[tuple[str, str]], value: str | None) -> dict[str, Any]:
    asked = [(value, one_line(value))] if value and value not in dict(choices) else []
    return {
        "name": name,
        "label": _LABELS[name],
        "first": name in _FIRST,
        # Of more names than are listed here, any can be typed.
        "kind": "typed" if len(choices) >= MOST else "choice",
        "options": [*map(list, choices), *map(list, asked)],
    }


def _chip(name: str, value: str, fields: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    words = next(
        (
            title
            for field in fields
            if field["name"] == name
            for id, title in field.get("options", ())
            if id == value
        ),
        value,
    )
    if name in ("refuted", "unassigned"):
        return {"name": name, "words": _LABELS[name]}
    if name == "undecided_by" and value == author():
        words = "you"
    if name == "mark":
        words = mark_words(value)
    return {"name": name, "words": f"{_LABELS.get(name, name)}: {one_line(words, 60)}"}
