"""x"""

from dataclasses import replace
from pathlib import Path

import pytest

from reviewers.batch.judging import judge_by
from reviewers.errors import ContractError, UnknownSubmission
from reviewers.exports.jsonl import export_lines
from reviewers.panel.review import review_all
from reviewers.records import ContractSource, GivenContract
from reviewers.rubric.choice import contract_of
from reviewers.store import Store
from reviewers.store.contracts import choices_in, choose_contract, judged_as_kept
from reviewers.store.inbox import InboxQuery, contracts_seen, inbox
from reviewers.store.restore import import_lines
from reviewers.store.submission import load_submission
from reviewers.store.trends import Dimension, TrendsQuery, by_dimension, looked_at
from tests.builders import contract, make_submission
from tests.dashboard.desk import RULES
from tests.reviewers.store.making import sql

BARE = make_submission({"src/evaluate.py": "print(1)\n"}, contract=None)
PLAIN = 'extends = "plain"\n'
CAME = GivenContract(ContractSource.OPTION, 'extends = "ten"\n')


def name_of(store: Store) -> tuple[str, str]:
    chosen = contract_of(load_submission(store, BARE.id).submission)
    return chosen.contract.name, chosen.source


def test_what_came_with_a_submission_counts_until_a_person_chooses(store: Store) -> None:
    store.add(replace(BARE, contract=CAME))
    assert name_of(store) == ("ten", "option")
    choose_contract(store, BARE.id, PLAIN, "ada")
    assert name_of(store) == ("plain", "person")
    choose_contract(store, BARE.id[:8], None, "bob")
    assert name_of(store) == ("ten", "option")
    with store.reading() as connection:
        said = choices_in(connection, BARE.id)
    assert [(each.text, each.author.name) for each in said] == [(PLAIN, "ada"), (None, "bob")]


def test_the_same_choice_again_is_no_new_record(store: Store) -> None:
    store.add(BARE)
    for _ in range(2):
        choose_contract(store, BARE.id, PLAIN, "ada")
    with store.reading() as connection:
        assert len(choices_in(connection, BARE.id)) == 1


@pytest.mark.parametrize("text", ["x = 1", "a = [", 'extends = "none"'])
def test_what_makes_no_sense_is_no_choice(store: Store, text: str) -> None:
    store.add(BARE)
    with pytest.raises(ContractError):
        choose_contract(store, BARE.id, text, "ada")
    with pytest.raises(UnknownSubmission):
        choose_contract(store, "0" * 64, PLAIN, "ada")
    assert name_of(store)[1] == "guess"


def test_rules_are_asked_again_and_the_first_review_is_kept(store: Store, url: str) -> None:
    store.add(BARE, review_all(BARE, ("rules",)))
    judge_by(store, BARE.id, PLAIN, "ada")
    record = load_submission(store, BARE.id)
    (again,) = review_all(record.submission, ("rules",))
    assert [each.review.findings for each in record.reviews] == [again.findings]
    assert sql(url, "SELECT count(*) FROM reviews WHERE reviewer = 'rules'")[0][0] >= 1
    again_imported = judged_as_kept(store, BARE)
    assert contract_of(again_imported).contract.name == "plain"


def test_a_choice_goes_with_the_export(store: Store, tmp_path: Path) -> None:
    store.add(BARE)
    choose_contract(store, BARE.id, PLAIN, "ada")
    lines = list(export_lines(store))
    restored = import_lines(store, lines)
    assert restored.contracts == 0
    other = Store.open(f"sqlite:///{tmp_path / 'other.sqlite3'}")
    try:
        assert import_lines(other, lines).contracts == 1
        assert name_of(other) == ("plain", "person")
        assert list(export_lines(other)) == lines
    finally:
        other.close()


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
