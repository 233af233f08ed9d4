"""Guards that the store knows by which contract each submission is judged, asks for it, and counts
by it.
"""

from reviewers.store import Store
from reviewers.store.contracts import choose_contract
from reviewers.store.inbox import InboxQuery, contracts_seen, inbox
from reviewers.store.trends import Dimension, TrendsQuery, by_dimension, looked_at
from tests.builders import contract, make_submission
from tests.dashboard.desk import RULES

TEN = contract("ten")


def names(store: Store, wanted: str | None = None) -> list[tuple[str, str | None]]:
    rows = inbox(store, InboxQuery(contract=wanted)).rows
    return sorted((row.name, row.contract) for row in rows)


def test_the_inbox_tells_and_asks_for_it_and_a_persons_choice_changes_it(store: Store) -> None:
    nine = make_submission(name="nine")
    store.add(nine, [RULES])
    store.add(make_submission({"src/train.py": "x = 1\n"}, name="ten", contract=TEN), [RULES])
    assert names(store) == [("nine", "nine-modes"), ("ten", "ten")]
    assert names(store, "ten") == [("ten", "ten")]
    assert contracts_seen(store) == ("nine-modes", "ten")
    groups = by_dimension(looked_at(store, TrendsQuery()), Dimension.CONTRACT)
    assert {each.group for each in groups} == {"nine-modes", "ten"}
    choose_contract(store, nine.id, TEN.text, "ada")
    assert names(store, "ten") == [("nine", "ten"), ("ten", "ten")]
    groups = by_dimension(looked_at(store, TrendsQuery(contract="ten")), Dimension.CONTRACT)
    assert {each.group for each in groups} == {"ten"}
    choose_contract(store, nine.id, None, "ada")
    assert names(store, "ten") == [("ten", "ten")]
