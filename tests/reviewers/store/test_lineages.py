"""Guards which attempts a store shows as one lineage: in any order of import, by a person's word,
under names of their own.
"""

from contextlib import closing
from itertools import permutations
from pathlib import Path
from shutil import copyfile

import pytest

from reviewers.attempts.lineages import Why
from reviewers.errors import StoreError, UnknownSubmission
from reviewers.records import ResearchContext, RunConfig, SourceFile, Submission
from reviewers.store import Store
from reviewers.store.commits import StoredCommit, add_commit
from reviewers.store.inbox import InboxQuery, inbox
from reviewers.store.lineages import lineage_of, relate
from reviewers.store.submission import load_submission
from reviewers.store.trends import Over, TrendsQuery, by_period, lineages, looked_at
from tests.reviewers.store.making import (
    READY,
    content_of,
    make_experiment,
    make_finding,
    make_review,
    make_submission,
    rules_found,
)

ONE, TWO = (
    make_submission("one", lineage="exp", attempt=1),
    make_submission("two", lineage="exp", attempt=2),
)
OTHER = make_experiment("another", "other")


def members(store: Store, submission: Submission) -> list[str]:
    return [attempt.name for attempt in lineage_of(store, submission.id).attempts]


def shown(store: Store) -> dict[str, tuple[str | None, int | None]]:
    return {row.name: (row.lineage, row.attempt) for row in inbox(store, InboxQuery()).rows}


def test_attempts_at_one_experiment_are_one_lineage_everywhere(store: Store) -> None:
    store.add(TWO, (rules_found("r1"),))
    store.add(make_submission("file 7"))
    store.add(ONE)
    record = lineage_of(store, ONE.id[:8])
    assert record.name == "exp"
    assert {attempt.name for attempt in record.attempts} == {"one", "two", "file 7"}
    assert {attempt.why for attempt in record.attempts} == {Why.CONTENT}
    assert {lineage for lineage, _ in shown(store).values()} == {"exp"}
    assert inbox(store, InboxQuery(lineage="exp")).total == 3
    assert lineages(store) == ["exp"]
    assert load_submission(store, make_submission("file 7").id).submission.lineage == "exp"
    (count,) = by_period(looked_at(store, TrendsQuery(lineage="exp")), Over.ATTEMPT)[-1:]
    assert count.period.attempt in (1, 2, 3)


def test_one_submission_alone_without_a_name_shows_no_lineage(store: Store) -> None:
    store.add(OTHER)
    assert shown(store) == {"other": (None, None)}
    assert lineages(store) == []
    record = lineage_of(store, OTHER.id)
    assert (record.name, [attempt.id for attempt in record.attempts]) == (None, [OTHER.id])


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({}, "Gated adapters"),
        (
            {"context": ResearchContext(method="Sparse gates: " + "a word " * 30)},
            "Sparse gates: a word a word a word a word a word a word a …",
        ),
    ],
    ids=["first words", "long"],
)
def test_a_lineage_that_nobody_named_is_called_by_what_it_is_about(
    store: Store, fields: dict[str, object], name: str
) -> None:
    for each in ("a", "b"):
        store.add(make_submission(each, **fields))
    assert lineages(store) == [name]


def test_different_experiments_of_one_name_are_told_apart_whichever_came_first(
    store: Store,
) -> None:
    same = [
        make_experiment(words, words, lineage="exp", attempt=1) for words in ("first", "second")
    ]
    store.add(same[0])
    assert lineages(store) == ["exp"]
    store.add(same[1])
    assert lineages(store) == sorted(f"exp {each.id[:6]}" for each in same)


def test_the_order_of_import_does_not_matter(tmp_path: Path, empty_store: Path) -> None:
    found: list[object] = []
    for order in permutations((ONE, TWO, make_submission("x"), OTHER)):
        path = copyfile(empty_store, tmp_path / str(len(found)))
        with closing(Store.open(f"sqlite:///{path}")) as store:
            for one in order:
                store.add(one)
            found.append(shown(store))
            store.recompute()
            assert shown(store) == found[0]
    assert all(each == found[0] for each in found)


def test_a_persons_word_joins_takes_apart_and_is_taken_back(store: Store) -> None:
    for one in (ONE, TWO, OTHER):
        store.add(one)
    relate(store, OTHER.id[:8], ONE.id[:8], True, "the same idea in other words", "Ann")
    assert set(members(store, ONE)) == {"one", "two", "other"}
    relate(store, ONE.id, OTHER.id, False, "no, it is another one", "Bob")
    assert members(store, ONE) == ["one", "two"]
    assert members(store, OTHER) == ["other"]
    relate(store, ONE.id, TWO.id, False, "a new start", "Bob")
    assert members(store, ONE) == ["one"]
    said = lineage_of(store, ONE.id).relations
    assert [(each.together, each.author.name) for each in said] == [
        (False, "Bob"),
        (False, "Bob"),
        (True, "Ann"),
    ]
    before = shown(store)
    store.recompute()
    assert shown(store) == before


def test_a_word_needs_two_submissions_a_reason_and_an_author(store: Store) -> None:
    store.add(ONE)
    store.add(TWO)
    with pytest.raises(StoreError, match="name two"):
        relate(store, ONE.id, ONE.id[:8], True, "because", "Ann")
    with pytest.raises(StoreError, match="needs a reason"):
        relate(store, ONE.id, TWO.id, True, " ", "Ann")
    with pytest.raises(StoreError, match="needs an author"):
        relate(store, ONE.id, TWO.id, True, "because", "")
    with pytest.raises(UnknownSubmission):
        relate(store, ONE.id, OTHER.id, True, "because", "Ann")


def test_more_answers_change_no_lineage_of_others(store: Store, url: str) -> None:
    store.add(ONE)
    store.add(OTHER)
    before = content_of(url, ["attempts"])
    store.add_review(ONE.id, make_review("recorded", READY, make_finding()))
    assert not store.add(ONE)
    assert content_of(url, ["attempts"]) == before


def test_submissions_that_say_nothing_of_an_experiment_are_joined_by_names_only(
    store: Store,
) -> None:
    def bare(name: str, lineage: str | None) -> Submission:
        run = RunConfig(f"sweep-{name}", SourceFile(f"config/runs/{name}.yaml", b"a: 1\n"))
        return make_submission(name, context=ResearchContext(), lineage=lineage, runs=(run,))

    for one in (bare("a", "x"), bare("b", "x"), bare("c", None), bare("d", None)):
        store.add(one)
    assert {name: lineage for name, (lineage, _) in shown(store).items()} == {
        "a": "x",
        "b": "x",
        "c": None,
        "d": None,
    }


def test_commits_are_kept_once_and_shown_with_the_attempt(store: Store) -> None:
    store.add(ONE)
    commit = StoredCommit("repo", "a" * 40, None, "attempt 1\n", ("heads/main",))
    assert add_commit(store, ONE.id, commit)
    assert not add_commit(store, ONE.id, commit)
    assert lineage_of(store, ONE.id).attempts[0].commits == (commit,)
