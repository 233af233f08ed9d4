"""The contract of a submission, where it comes from, and the form to choose another."""

import streamlit as st

from dashboard import access, session, signing
from dashboard.parts.plain import plain
from dashboard.parts.sign_first import ask_name, write_signed
from reviewers.batch.judging import judge_by
from reviewers.records import ContractSource, Submission
from reviewers.roles import Act
from reviewers.rubric.built_in import built_in
from reviewers.rubric.choice import contract_of
from reviewers.store import Store

_KNOWN_BY = {
    ContractSource.PERSON: "chosen by a person",
    ContractSource.OPTION: "given at import",
    ContractSource.PROMPT: "read from its own prompt",
    ContractSource.FILE: "from the areachair.toml beside it",
    ContractSource.GUESS: "guessed from its files and code",
}
_CHOICE = "contract-choice"


def contract_panel(store: Store, submission: Submission) -> None:
    """Draw the contract over the form that changes it."""
    chosen = contract_of(submission)
    contract = chosen.contract
    st.markdown(plain(f"Judged by {contract.title} ({contract.name}), {_KNOWN_BY[chosen.source]}."))
    if chosen.problem:
        st.warning(plain(f"Its areachair.toml is ignored: {chosen.problem}"))
    if not access.may(Act.CHOOSE_CONTRACT):
        access.note_why_not(Act.CHOOSE_CONTRACT)
        return
    names = [*built_in()]
    key = f"{_CHOICE}-{submission.id}"
    ask_name(f"{key}-waiting")
    with (
        st.form(f"{key}-form", border=False),
        st.container(horizontal=True, gap="small", vertical_alignment="bottom"),
    ):
        st.selectbox(
            "Use another contract",
            names,
            index=names.index(contract.name) if contract.name in names else None,
            format_func=lambda name: f"{name}: {built_in()[name].title}",
            key=key,
        )
        st.form_submit_button("Review again", on_click=_choose, args=(store, submission.id, key))
    st.caption(
        "Rules and fact checks run again and are stored as new records; models are asked only"
        " on request. To use your own contract, run areachair contract with --set FILE."
    )


def _choose(store: Store, id: str, key: str) -> None:
    name = st.session_state[key]
    if name is None:
        session.problem("Choose a contract first.")
        return

    write_signed(
        f"{key}-waiting", lambda: judge_by(store, id, f'extends = "{name}"\n', signing.acting())
    )
