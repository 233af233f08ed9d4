"""The settings page: the person, where data is stored, the criteria, and prices."""

from pathlib import Path

import streamlit as st

from dashboard import access, inbox_scope, session, signing
from dashboard.addresses import inbox_address
from dashboard.login import signed_in
from dashboard.parts.facts_table import Cell, Linked, Reviewer, facts_table
from dashboard.parts.figures import UNKNOWN
from dashboard.parts.page import tab_title, theme_switch
from dashboard.parts.people_roles import people_roles
from dashboard.parts.plain import one_line, plain
from dashboard.parts.samples_note import samples_again, samples_button
from dashboard.parts.session_list import session_list
from dashboard.parts.title_row import title_row
from dashboard.parts.words import criterion_title
from dashboard.reviewer_marks import reviewer_marks
from dashboard.server_state import reach
from reviewers import settings
from reviewers.batch.samples import samples as every_sample
from reviewers.cli.serving import Audience
from reviewers.errors import ReviewerError
from reviewers.records import counted
from reviewers.roles import Act
from reviewers.rubric import rubric
from reviewers.store.aside import counts
from reviewers.store.change_log import changes
from reviewers.store.corrections import has_signed
from reviewers.store.inbox import InboxQuery

_SECTIONS = ("You", "Data", "Rubric", "Categories", "Prices", "Changes")
_PEOPLE = "People"
_MOST_CHANGES = 200


def page() -> None:
    """Draw the settings."""
    tab_title("Settings")
    title_row(session.store(), "Settings")
    session.show_problem()
    # Nobody is given a role where nobody signs in.
    gives_roles = reach() is Audience.LOGIN and access.may(Act.GIVE_ROLE)
    sections = [*_SECTIONS, *([_PEOPLE] if gives_roles else [])]
    chosen = st.segmented_control(
        "Section",
        sections,
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
            case "Changes":
                _changes()
            case "People" if gives_roles:
                people_roles(session.store())
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
            help="Your decisions and rulings are signed with it. This browser remembers it.",
        )
        if known and has_signed(session.store(), known.id):
            st.checkbox(
                plain(f"Also correct what is signed {known.name}"),
                key="settings-correct",
                help="Those records then show the new name and the one they were signed with.",
            )
        st.caption(
            "Signing in is off: everyone who reaches this address can decide. docs/team.md"
            " explains how to use your lab's provider."
        )
    else:
        st.markdown(plain(f"Signed in as {name}. Your role: {access.role()}."))
        access.note_why_not(Act.DECIDE)
        st.button("Sign out", on_click=st.logout)
        session_list()
    theme_switch()
    st.caption(
        "This browser remembers it. System follows your browser's setting. Times are in your"
        " time zone."
    )


def _rename() -> None:
    correct = st.session_state.get("settings-correct", False)
    with session.reporting():
        session.rename(st.session_state["settings-author"], correct=correct)


def _data() -> None:
    store = session.store()
    decided, total = inbox_scope.progress(store)
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
            "Model answers",
            str(settings.replies_folder()),
            _size(settings.replies_folder()),
            "AREACHAIR_CACHE",
        ),
        (
            "Rubric",
            str(own) if own else "built in",
            _size(own) if own else "",
            "AREACHAIR_RUBRIC",
        ),
    ]
    facts_table("Where data is stored", ("What", "Where", "Now", "Setting"), places, key="places")
    _samples()
    st.caption("API keys are read from the environment when a model is asked and are never stored.")
    st.markdown("You can export everything and import it into another store:")
    st.code(
        "areachair export --format jsonl --output everything.jsonl\nareachair import"
        " everything.jsonl",
        language=None,
    )


def _samples() -> None:
    now = counts(session.store(), every_sample())
    if not now.kept:
        return
    if now.aside:
        st.markdown(f"{now.aside} samples are set aside: no page lists or counts them.")
        samples_again()
    else:
        st.markdown(f"{now.kept} of the submissions are samples.")
        samples_button("Set the samples aside", aside=True)


def _size(path: Path) -> str:
    try:
        if path.is_dir():
            count = sum(1 for _ in path.rglob("*.json"))
            return f"{count:,} kept" if count else "empty"
        return f"{path.stat().st_size:,} bytes"
    except OSError:
        return "does not exist yet"


def _rubric() -> None:
    ours = rubric()
    own = settings.rubric_file()
    st.caption(
        plain(
            f"Version {ours.version}, "
            + (f"with changes from {own}." if own else "the built-in one.")
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
    facts_table(
        "The rubric's criteria", ("Criterion", "Question", "Requirement"), rows, key="criteria"
    )
    st.caption(
        "To use your own wording, set AREACHAIR_RUBRIC to a TOML file that rewords or adds"
        " criteria, such as"
    )
    st.code(
        '[[criterion]]\nnumber = 3\nfacts = "…what your lab requires of a data pipeline."',
        language=None,
    )


def _categories() -> None:
    st.caption(
        "The charts count these. The meaning of a category never changes, so different years"
        " are comparable."
    )
    rows = [
        (
            Linked(category.title, inbox_address(InboxQuery(category=category.id))),
            category.id,
            ", ".join(criterion_title(number) for number in category.criteria) or UNKNOWN,
        )
        for category in rubric().categories.values()
    ]
    facts_table("Failure categories", ("Category", "Id", "Criteria"), rows, key="categories")


def _prices() -> None:
    try:
        configured = session.configuration().reviewers
    except ReviewerError as error:
        st.error(plain(str(error)))
        return
    if not configured:
        st.markdown("No LLM reviewer is configured yet.")
    else:
        marks = reviewer_marks(each.name for each in configured)
        rows: list[list[Cell]] = [
            [
                Reviewer(each.name, marks[each.name]["mark"], "reviewers"),
                each.model,
                *map(_usd, (each.prices.input, each.prices.cached, each.prices.output)),
            ]
            for each in configured
        ]
        headings = ("Reviewer", "Model", "Input", "Cached input", "Output")
        facts_table("Prices of the reviewers", headings, rows, key="prices")
        st.caption(
            "US dollars per million tokens; output includes reasoning. If a price is unknown,"
            " so is the cost."
        )
    st.caption("Change them on the page Reviewers or in the file.")


def _changes() -> None:
    found = changes(session.store(), _MOST_CHANGES)
    if not found:
        st.markdown("Nothing was changed yet.")
        return
    rows = [
        (
            f"{each.at:%Y-%m-%d %H:%M} UTC",
            one_line(str(each.author), 80) if each.author else "on disk",
            str(each.kind),
            one_line(each.about, 120),
            one_line(f"{each.before or 'nothing'}, then {each.after or 'nothing'}", 300),
        )
        for each in found
    ]
    headings = ("When", "Who", "What", "About", "Change")
    facts_table("Changes of configuration, roles and contracts", headings, rows, key="changes")
    st.caption(
        f"The last {_MOST_CHANGES} at most; `areachair changes` lists all of them. They are never"
        " changed or deleted."
    )


def _usd(price: float | None) -> str:
    return UNKNOWN if price is None else f"${price:,.2f}"
