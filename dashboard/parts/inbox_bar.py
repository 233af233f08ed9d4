"""Search, filters and order of the inbox; their state is in the address."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from dashboard.addresses import inbox_params
from dashboard.inbox_scope import NEUTRAL_FILTERS, NEUTRAL_SORTS
from dashboard.parts.component import load
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
    "other": "Another reviewer",
    "other_verdict": "Other's verdict",
    "category": "Category",
    "criterion": "Criterion",
    "refuted": "Only refuted findings",
    "missed_by": "Blocker missed by",
    "failed_by": "No verdict from",
    "read_by": "Claims read by",
    "reading": "Claims that are",
    "proven": "Blocker found by the rules",
    "mark": "On a chart",
    "decision": "Decision",
    "blind_decision": "Decided blind",
    "undecided_by": "Undecided by",
    "outcome": "Real run",
    "lineage": "Lineage",
    "attempt": "Attempt",
    "model": "Model",
    "dataset": "Data set",
    "generator": "Generator",
    "contract": "Contract",
    "since": "Generated since",
    "until": "Generated until",
}
_LARGE = 5_000
_ELSEWHERE = {"view", "page", "sort"}


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


def inbox_bar(
    query: InboxQuery, known: Choices, left_out: Sequence[str], *, blind: bool, key: str
) -> None:
    """Draw the search field, the filters, the order, and a chip for each filter that is set.

    Args:
        left_out: parameters of the address that the query does without, for a person who judges
            blind.
        blind: whether all that depends on what others say is off.
    """
    params = inbox_params(replace(query, offset=0))
    fields = _fields(known, params)
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
    }
    _mount(key=key, data=data)


def scope_words(query: InboxQuery) -> str:
    """Say which list a query asks for, such as "Search: sparse"; nothing for everything."""
    params = inbox_params(replace(query, offset=0))
    fields = _fields(Choices((), (), (), (), (), (), ()), params)
    chips = [
        _chip(name, value, fields)["words"]
        for name, value in params.items()
        if name not in _ELSEWHERE
    ]
    view = [] if query.view is View.ALL else [VIEW_WORDS[query.view][0]]
    return one_line(", ".join([*view, *chips]), 48)


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


def _fields(known: Choices, params: Mapping[str, str]) -> list[dict[str, Any]]:
    """The choices in the order of the panel; what the address asks for is among them, since it
    filters.
    """
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
    }
    fields = [_field(name, choices, params.get(name)) for name, choices in options.items()]
    return [
        *fields,
        *({"name": name, "label": _LABELS[name], "kind": "date"} for name in ("since", "until")),
    ]


def _named(names: Sequence[str]) -> list[tuple[str, str]]:
    return [(name, one_line(name)) for name in names]


def _field(name: str, choices: Sequence[tuple[str, str]], value: str | None) -> dict[str, Any]:
    asked = [(value, one_line(value))] if value and value not in dict(choices) else []
    return {
        "name": name,
        "label": _LABELS[name],
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
    if name == "refuted":
        return {"name": name, "words": _LABELS[name]}
    if name == "undecided_by" and value == author():
        words = "you"
    if name == "mark":
        words = mark_words(value)
    return {"name": name, "words": f"{_LABELS.get(name, name)}: {one_line(words, 60)}"}
