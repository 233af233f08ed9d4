"""The mark by which a reviewer is known: the same two letters on every screen (`signs.js`)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count

import streamlit as st

from dashboard import session
from dashboard.parts.plain import one_line
from dashboard.server_state import store_url
from reviewers.store.human_input import PEOPLE
from reviewers.store.inbox import reviewers_seen
from reviewers.store.triage import RECORDED, RULES

PERSON = "person"
"""The mark of every person; it is drawn as a sign."""
_FIXED = {RULES: "Ru", RECORDED: "Re", PEOPLE: PERSON}
_NUMBERED = re.compile(r"(.+) #(\d{1,3})", re.DOTALL)
_WORD = re.compile(r"[^\W_]+")


def reviewer_marks(names: Iterable[str]) -> Mapping[str, dict[str, str]]:
    """Return what the browser draws of each reviewer by its name on screen: `reviewer`, its name,
    and `mark`.

    Args:
        names: such as `rules`, `openai:gpt-5`, `sarif:ruff`, `recorded #2` or `recorded gpt-5`;
            that of `people` is a person's.
    """
    parts = {name: _numbered(name) for name in names}
    known = _known(store_url())
    if not known.issuperset(name for name, _ in parts.values()):
        known.update(reviewers_seen(session.store()), (name for name, _ in parts.values()))
    marks = distinct_marks(known)
    return {
        whole: {"reviewer": one_line(whole), "mark": marks[name] + number}
        for whole, (name, number) in parts.items()
    }


@st.cache_resource(show_spinner=False, max_entries=4, ttl=60)
def _known(url: str) -> set[str]:
    """The reviewers of a store, all of which have a say in each other's marks; a page with one that
    is not among them adds it.
    """
    return set(reviewers_seen(session.store()))


def distinct_marks(names: Iterable[str]) -> Mapping[str, str]:
    """Return a mark for each reviewer, no two the same: two letters, of which the second is where
    its name differs from those before it in the alphabet. The rules, the recorded reviewer and
    people always have their own.
    """
    marks = dict(_FIXED)
    for name in sorted(set(names) - set(marks)):
        taken = set(marks.values())
        marks[name] = next(each for each in _wished(name) if each not in taken)
    return marks


def _numbered(name: str) -> tuple[str, str]:
    """A reviewer's name, and its number where a submission has several answers of it."""
    found = _NUMBERED.fullmatch(name)
    own, number = (found[1], found[2]) if found else (name, "")
    # Recorded answers are judged by their models, and are of one reviewer.
    return (RECORDED if own.startswith(f"{RECORDED} ") else own), number


def _wished(name: str) -> Iterator[str]:
    """The marks that a name may have, the best first: without its provider, which many share, its
    initial with that of its last word, those of the others, and its other letters.
    """
    words = _WORD.findall(name.rpartition(":")[2]) or _WORD.findall(name) or ["?"]
    initial = words[0][0].upper()
    rest = "".join(words)[1:]
    others = [*words[:0:-1][:1], *words[1:-1]]
    for second in [*(word[0] for word in others), *rest]:
        yield f"{initial}{second.lower()}"
    if not rest:
        yield initial
    for number in count(2):
        yield f"{initial}{number}"
