"""Guards that a submission says by which contract it is judged, and that a person can change it."""

import re

from streamlit.testing.v1 import AppTest

from reviewers.panel.review import review_all
from reviewers.store import Store
from reviewers.store.contracts import choices_in
from tests.builders import make_submission
from tests.dashboard.screens import open_page

SUBMISSION = make_submission({"src/extra.py": "x = 1\n"}, contract=None)


def told(at: AppTest) -> str:
    return " ".join(re.sub(r"[\\\u2060]", "", each.value) for each in at.markdown)


def test_a_person_chooses_another_contract_and_rules_are_asked_again(store: Store) -> None:
    store.add(SUBMISSION, review_all(SUBMISSION, ("rules",)))
    at = open_page("submission", s=SUBMISSION.id[:16])
    at.session_state["panel"] = "Context"
    at.run()
    assert "(nine-modes), guessed from its files and code." in told(at)
    (choice,) = (each for each in at.selectbox if each.key.startswith("contract-choice"))
    choice.set_value("plain")
    next(each for each in at.button if each.label == "Review again").click().run()
    assert not at.exception
    assert "(plain), chosen by a person." in told(at)
    with store.reading() as connection:
        assert [each.author.name for each in choices_in(connection, SUBMISSION.id)] == ["ada"]
