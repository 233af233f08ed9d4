"""Settings: who is speaking, where everything lies, what submissions are held to, and what asking
costs.
"""

from pathlib import Path

import streamlit as st

from dashboard import lists, session, signing
from dashboard.addresses import inbox_address
from dashboard.login import signed_in
from dashboard.parts.facts_table import Cell, Linked, facts_table
from dashboard.parts.figures import UNKNOWN
from dashboard.parts.page import tab_title
from dashboard.parts.plain import plain
from dashboard.parts.session_list import session_list
from dashboard.parts.theme_switch import theme_switch
from dashboard.parts.words import criterion_title
from reviewers import settings
from reviewers.errors import ReviewerError
from reviewers.records import counted
from reviewers.rubric import rubric
from reviewers.store.corrections import has_signed
from reviewers.store.inbox import InboxQuery

_SECTIONS = ("You", "Data", "Rubric", "Categories", "Prices")


def page() -> None:
    """Draw the settings."""
    tab_title("Settings")
    st.title("Settings", anchor=False)
    session.show_problem()
    chosen = st.segmented_control(
        "Section",
        _SECTIONS,
        default=_SECTIONS[0],
        required=True,
        key="section",
        label_visibility="collapsed",
        bind="query-params",
    )
    with st.container(key="settings-body"):
        match chosen:
            case "Data":
                _data()
            case "Rubric":
                _rubric()
            case "Categories":
                _categories()
            case "Prices":
                _prices()
            case _:
                _you()


def _you() -> None:
    name, known = signed_in(), signing.signer()
    if name is None:
        # The name in effect, whatever was typed: a correction may wait for an answer.
        st.session_state["settings-author"] = known.name if known else ""
        st.text_input(
            "Your name",
            key="settings-author",
            on_change=_rename,
            width=320,
            help="It signs your decisions and rulings, and this browser remembers it.",
        )
        if known and has_signed(session.store(), known.id):
            st.checkbox(
                plain(f"Correct it on what is signed {known.name}, too"),
                key="settings-correct",
                help="Those records then show the new name, and that they were signed with the"
                " other one.",
            )
        st.caption(
            "Nobody signs in here: everybody who reaches this address may decide. docs/team.md says"
            " how to ask your lab's provider."
        )
    else:
        st.markdown(plain(f"Signed in as {name}."))
        st.button("Sign out", on_click=st.logout)
        session_list()
    theme_switch()
    st.caption(
        "This browser keeps it. System is light or dark as your browser is set. Times are in your"
        " own zone."
    )


def _rename() -> None:
    correct = st.session_state.get("settings-correct", False)
    with session.reporting():
        session.rename(st.session_state["settings-author"], correct=correct)


def _data() -> None:
    store = session.store()
    decided, total = lists.progress(store)
    by_you = " by you" * session.blind()
    own = settings.rubric_file()
    places = [
        (
            "Store",
            store.place,
            f"{counted(total, 'submission')}, {decided:,} decided{by_you}",
            "AREACHAIR_STORE or --store",
        ),
        (
            "Reviewers",
            str(settings.reviewers_file()),
            _size(settings.reviewers_file()),
            "AREACHAIR_REVIEWERS",
        ),
        (
            "Answers of models",
            str(settings.replies_folder()),
            _size(settings.replies_folder()),
            "AREACHAIR_CACHE",
        ),
        (
            "Rubric",
            str(own) if own else "ships with areachair",
            _size(own) if own else "",
            "AREACHAIR_RUBRIC",
        ),
    ]
    facts_table(
        "Where everything lies", ("What", "Where", "Now", "Changed by"), places, key="places"
    )
    st.caption(
        "Keys of models are read from the environment at the moment of asking, and are kept"
        " nowhere."
    )
    st.markdown("Everything can be taken out, and read into another store:")
    st.code(
        "areachair export --format jsonl --output everything.jsonl\nareachair import"
        " everything.jsonl",
        language=None,
    )


def _size(path: Path) -> str:
    try:
        if path.is_dir():
            count = sum(1 for _ in path.rglob("*.json"))
            return f"{count:,} kept" if count else "nothing kept yet"
        return f"{path.stat().st_size:,} bytes"
    except OSError:
        return "not there yet"


def _rubric() -> None:
    ours = rubric()
    own = settings.rubric_file()
    st.caption(
        plain(
            f"Version {ours.version}, "
            + (f"with the changes of {own}." if own else "as it ships with areachair.")
        )
    )
    rows = [
        (
            Linked(criterion_title(each.number), inbox_address(InboxQuery(criterion=each.number))),
            each.question,
            each.facts,
        )
        for each in ours.criteria.values()
    ]
    facts_table("The rubric's criteria", ("Criterion", "Question", "Held to"), rows, key="criteria")
    st.caption(
        "Your own wording: a TOML file named by AREACHAIR_RUBRIC that rewords criteria or adds"
        " some, such as"
    )
    st.code(
        '[[criterion]]\nnumber = 3\nfacts = "…what your lab holds a data pipeline to."',
        language=None,
    )


def _categories() -> None:
    st.caption(
        "What the charts count. The meaning of a category never changes, so that years can be"
        " compared."
    )
    rows = [
        (
            Linked(category.title, inbox_address(InboxQuery(category=category.id))),
            category.id,
            ", ".join(criterion_title(number) for number in category.criteria) or UNKNOWN,
        )
        for category in rubric().categories.values()
    ]
    facts_table(
        "Failure categories", ("Category", "Id", "Under which criteria"), rows, key="categories"
    )


def _prices() -> None:
    try:
        configured = session.configuration().reviewers
    except ReviewerError as error:
        st.error(plain(str(error)))
        return
    if not configured:
        st.markdown("No LLM reviewer is configured yet, so there is nothing to pay.")
    else:
        rows: list[list[Cell]] = [
            [
                Linked(each.name, "reviewers"),
                each.model,
                *map(_usd, (each.prices.input, each.prices.cached, each.prices.output)),
            ]
            for each in configured
        ]
        headings = ("Reviewer", "Model", "Input", "Cached input", "Output")
        facts_table("Prices of the reviewers", headings, rows, key="prices")
        st.caption(
            "US dollars for a million tokens; output includes reasoning. Where a price is unknown,"
            " so is the cost."
        )
    st.caption("They are changed under Reviewers, or in the file.")


def _usd(price: float | None) -> str:
    return UNKNOWN if price is None else f"${price:,.2f}"
