"""*Read differently*: a person states what a claim means and sees its fact check."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from dashboard.parts.plain import one_line, plain, visible
from dashboard.reading_parts import ReadingPart, fields, parts_of, proposition_of
from dashboard.signing import acting, author
from reviewers.batch.reading import judge_again, keep_how_read, reads_it, withdraw_reading
from reviewers.errors import AreachairError
from reviewers.panel.checking import known_of
from reviewers.panel.model_reader import judged
from reviewers.propositions import PREDICATES, InvalidReading, Proposition, parse
from reviewers.propositions.show import OPTIONAL, affirmed
from reviewers.propositions.vocabulary import SLOT
from reviewers.readers.choices import choices
from reviewers.readers.reading import Reading
from reviewers.records import Finding, Submission
from reviewers.rubric import category_title
from reviewers.store import Store
from reviewers.store.submission import SubmissionRecord

_ASKED = "reading-form"
_BEGUN = "reading-form:parts"
_EVERY = ("run", "mode", "file", "key")
_LOGIC = {"denied": "not", "possible": "may", "is_cause": "causes the other parts"}
_TRUTHS = ("guarded", "exactly")
_PERSON = "person"


def ask_reading(submission_id: str, key: str) -> None:
    """Open the form for the claim of a card at the next drawing."""
    _close()
    st.session_state[_ASKED] = (submission_id, key.rpartition("/")[2])


def reading_form(store: Store, record: SubmissionRecord) -> None:
    """Show the form that was asked for, until it is closed."""
    match st.session_state.get(_ASKED):
        case (id, str(finding_id)) if id == record.submission.id:
            found = [
                finding
                for stored in record.reviews
                for finding in stored.review.findings
                if finding.id == finding_id and finding.claim
            ]
            if found:
                _dialog(store, record.submission, found[0])
        case (_, _):
            _close()


def _close() -> None:
    for key in [key for key in st.session_state if str(key).startswith(_ASKED)]:
        del st.session_state[key]


@st.dialog("Read differently", width="large", on_dismiss=_close)
def _dialog(store: Store, submission: Submission, finding: Finding) -> None:
    st.text(f"“{visible(finding.claim or '').strip()}”")
    begun: list[ReadingPart] = st.session_state.setdefault(_BEGUN, _begun(finding))
    at = _chosen(begun, _empty(finding))
    begun[at] = _part(begun[at], at, choices(known_of(submission).facts))
    reading = _reading(begun)
    _verdict(submission, finding, reading)
    _deeds(store, submission, finding, reading)


def _begun(finding: Finding) -> list[ReadingPart]:
    said = finding.understood.proposition if finding.understood else ""
    try:
        return list(parts_of(parse(json.loads(said)))) if said else [_empty(finding)]
    except (ValueError, InvalidReading):
        return [_empty(finding)]


def _empty(finding: Finding) -> ReadingPart:
    """An empty part at the finding's place."""
    place = {"scope": finding.span.file} if finding.span else {}
    return ReadingPart("calls", place)


def _chosen(parts: list[ReadingPart], empty: ReadingPart) -> int:
    """Which part is in the fields, counted from 0; parts come and go here."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if st.session_state.pop(f"{_ASKED}:more", False):
            parts.append(empty)
            st.session_state[f"{_ASKED}:at"] = len(parts) - 1
        gone = st.session_state.pop(f"{_ASKED}:less", None)
        if gone is not None and len(parts) > 1:
            del parts[gone]
            _forget_fields()
            st.session_state[f"{_ASKED}:at"] = max(0, gone - 1)
        at = st.segmented_control(
            "Part",
            range(len(parts)),
            default=None if f"{_ASKED}:at" in st.session_state else 0,
            format_func=lambda at: f"{at + 1} {parts[at].predicate.replace('_', ' ')}",
            key=f"{_ASKED}:at",
            required=True,
        )
        st.button("Add a part", on_click=_put, args=("more", True))
        if len(parts) > 1:
            st.button("Remove it", on_click=_put, args=("less", at))
    return at or 0


def _put(name: str, value: object) -> None:
    st.session_state[f"{_ASKED}:{name}"] = value


def _forget_fields() -> None:
    """The parts behind one that goes have new numbers, and their fields other keys."""
    for key in [key for key in st.session_state if str(key).startswith(f"{_ASKED}:part")]:
        del st.session_state[key]


def _part(part: ReadingPart, at: int, known: Mapping[str, Sequence[str]]) -> ReadingPart:
    """The part as its fields have it now."""
    names = sorted(PREDICATES, key=lambda name: (PREDICATES[name].category, name))
    predicate = st.selectbox(
        "Relation",
        names,
        index=names.index(part.predicate),
        format_func=_relation,
        key=f"{_ASKED}:part{at}",
    )
    if predicate != part.predicate:
        kept = {name: part.arguments[name] for name in fields(predicate) if name in part.arguments}
        part = replace(part, predicate=predicate, arguments=kept, only="")
    key = f"{_ASKED}:part{at}:{predicate}"
    with st.container(horizontal=True):
        denied, possible, is_cause = (
            st.checkbox(words, value=getattr(part, name), key=f"{key}:{name}")
            for name, words in _LOGIC.items()
        )
    needed = PREDICATES[predicate].required
    wanted = [name for name in fields(predicate) if name in needed]
    given = _fields(part, wanted, known, key)
    further = [name for name in fields(predicate) if name not in needed]
    with st.expander("More", expanded=any(part.arguments.get(name) for name in further)):
        given |= _fields(part, further, known, key)
        every = st.selectbox(
            "For every", ("", *_EVERY), index=("", *_EVERY).index(part.every), key=f"{key}:every"
        )
        holes = ("", *PREDICATES[predicate].parameters)
        only = st.selectbox(
            "Nothing else in the field",
            holes,
            index=holes.index(part.only),
            key=f"{key}:only",
            help="That field then lists everything, separated by commas.",
        )
    return ReadingPart(predicate, given, denied, possible, every, only, is_cause)


def _fields(
    part: ReadingPart, names: Sequence[str], known: Mapping[str, Sequence[str]], key: str
) -> dict[str, Any]:
    given: dict[str, Any] = {}
    parameters = PREDICATES[part.predicate].parameters
    columns = st.columns(2)
    for at, name in enumerate(names):
        value = part.arguments.get(name)
        about = parameters[name].about if name in parameters else "only in this case"
        label = name.replace("_", " ").capitalize()
        if name in _TRUTHS:
            given[name] = columns[at % 2].checkbox(
                label, value=bool(value), key=f"{key}:{name}", help=about
            )
            continue
        offered = list(dict.fromkeys((*([str(value)] if value else []), *known.get(name, ()))))
        given[name] = columns[at % 2].selectbox(
            label,
            offered,
            index=0 if value else None,
            format_func=one_line,
            key=f"{key}:{name}",
            help=about,
            placeholder="choose or type",
            accept_new_options=True,
        )
    return given


def _relation(name: str) -> str:
    known = PREDICATES[name]
    words = SLOT.sub("…", affirmed(OPTIONAL.sub("", known.sentence)))
    return f"{category_title(known.category).capitalize()} · {words}".replace("`", "")


def _reading(parts: Sequence[ReadingPart]) -> Proposition | str:
    """What the form says, or why it says nothing yet."""
    try:
        return proposition_of(parts)
    except InvalidReading as problem:
        return str(problem)


def _verdict(submission: Submission, finding: Finding, reading: Proposition | str) -> None:
    """What the code says to it, part by part."""
    if isinstance(reading, str):
        st.caption(plain(f"Incomplete: {reading}"))
        return
    told = Reading(reader=_PERSON, proposition=reading, is_final=True)
    (said,) = judged(submission, [finding], {finding.id: [told]}, "").findings
    with st.container(border=True):
        st.text(f"{said.check.result.capitalize()}: {visible(said.understood.sentence)}")  # type: ignore[union-attr]
        for part in said.parts or ():
            st.caption(plain(f"{part.check.result}: {part.claim}: {part.check.evidence}"))
        st.caption(plain(said.check.evidence))


def _deeds(
    store: Store, submission: Submission, finding: Finding, reading: Proposition | str
) -> None:
    claim = finding.claim or ""
    opinion = parse({"p": "judgement", "text": one_line(claim)})
    readings = {
        "Save": Reading(
            reader=_PERSON, proposition=None if isinstance(reading, str) else reading, is_final=True
        ),
        "Not a statement about the code": Reading(
            reader=_PERSON, proposition=opinion, is_final=True
        ),
        "Ambiguous": Reading(reader=_PERSON, why_not="it means two things", is_final=True),
    }
    can_withdraw = reads_it(store, submission.id, claim, author())
    with st.container(horizontal=True):
        for words, said in readings.items():
            first = words == "Save"
            if st.button(
                words,
                type="primary" if first else "secondary",
                disabled=first and isinstance(reading, str),
            ):
                _write(partial(_keep, store, submission, claim, said))
        if can_withdraw and st.button("Withdraw my reading"):
            _write(lambda: withdraw_reading(store, submission, claim, acting()))
        if st.button("Cancel"):
            _write(lambda: None)


def _keep(store: Store, submission: Submission, claim: str, said: Reading) -> None:
    keep_how_read(store, submission, {claim: said}, acting())
    judge_again(store, submission)


def _write(deed: Callable[[], None]) -> None:
    """Do it and close the form, which stays open where it is refused."""
    try:
        deed()
    except AreachairError as error:
        st.error(plain(str(error)))
        return
    _close()
    st.rerun()
