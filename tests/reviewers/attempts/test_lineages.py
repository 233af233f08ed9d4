"""Guards which submissions are held for attempts at one experiment, their order, and that a
person's word overrules both.
"""

import random
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewers.attempts.lineages import Lineage, LineageDecision, OrderBy, Why, recognise
from reviewers.attempts.members import Member, candidates_key, member_of
from reviewers.attempts.ordering import arranged
from reviewers.records import Submission
from tests.builders import make_submission
from tests.reviewers.attempts.making import HYPOTHESIS, METHOD, make_member
from tests.shared_data import LOGS, SEEDS, needs_shared, opened


def groups(lineages: tuple[Lineage, ...]) -> set[frozenset[str]]:
    return {frozenset(lineage.members) for lineage in lineages}


def order(lineage: Lineage) -> list[str]:
    return [id for attempt in lineage.attempts for id in attempt.members]


def test_one_experiment_is_one_lineage_whatever_its_submissions_are_called() -> None:
    (lineage,) = recognise(
        [
            make_member("a", lineage="first", attempt=1),
            make_member("b", lineage="other", attempt=1),
            make_member("c"),
        ]
    )
    assert set(lineage.members) == {"a", "b", "c"}
    assert lineage.name == "first"
    assert [join.why for join in lineage.joins] == [Why.CONTENT, Why.CONTENT]
    assert all(join.score == 100 for join in lineage.joins)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"runs": ("proposed-2",)}, id="other runs"),
        pytest.param(
            {"hypothesis": {"method": "Prune each unit that its gate has closed."}},
            id="another hypothesis",
        ),
        pytest.param(
            {
                "method": (
                    "Nothing is gated; every unit is kept and its weights are drawn anew each"
                    " epoch."
                )
            },
            id="another method",
        ),
    ],
)
def test_another_experiment_is_another_lineage_even_under_the_same_name(
    fields: dict[str, object],
) -> None:
    one, other = (
        make_member("a", lineage="x", attempt=1),
        make_member("b", lineage="x", attempt=2, **fields),
    )
    assert groups(recognise([one, other])) == {frozenset("a"), frozenset("b")}


def test_a_method_spelled_a_little_differently_is_joined_and_the_likeness_kept() -> None:
    (lineage,) = recognise(
        [make_member("a"), make_member("b", method=METHOD.replace("learned", "trained"))]
    )
    (join,) = lineage.joins
    assert (join.one, join.other, join.why) == ("a", "b", Why.CONTENT)
    assert join.score is not None
    assert 90 <= join.score < 100


def test_a_text_decoded_wrongly_once_is_the_same_text() -> None:
    right, wrong = (
        {"method": f"{METHOD} The naïve budget is {sign} for each of the layers."}
        for sign in ("ℓ", "‚Ñì")
    )
    assert candidates_key(make_member("a", hypothesis=right)) == candidates_key(
        make_member("b", hypothesis=wrong)
    )


def test_a_name_joins_only_where_content_is_silent() -> None:
    silent = {"hypothesis": {}, "method": None}
    members = [
        make_member(str(n), lineage="x", attempt=n, runs=(str(n),), **silent) for n in (1, 2)
    ]
    (lineage,) = recognise(members)
    assert [join.why for join in lineage.joins] == [Why.NAME]
    assert len(recognise([make_member("a", **silent), make_member("b", **silent)])) == 2


def test_copies_are_one_attempt() -> None:
    members = [
        make_member("x_01", lineage="x", attempt=1),
        make_member("x_02", lineage="x", attempt=2),
        make_member("copy", digest="digest of x_01"),
    ]
    (lineage,) = recognise(members)
    assert [(attempt.number, attempt.members) for attempt in lineage.attempts] == [
        (1, ("copy", "x_01")),
        (2, ("x_02",)),
    ]
    assert lineage.order_by is OrderBy.NAMES


def test_numbers_are_those_of_the_names_where_every_name_gives_one() -> None:
    (lineage,) = recognise([make_member(f"x_{n}", lineage="x", attempt=n) for n in (7, 3, 5)])
    assert [attempt.number for attempt in lineage.attempts] == [3, 5, 7]
    (mixed,) = recognise(
        [make_member("x_3", lineage="x", attempt=3), make_member("y_3", lineage="y", attempt=3)]
    )
    assert [attempt.number for attempt in mixed.attempts] == [1, 2]


def test_the_order_of_the_source_holds_where_names_say_nothing() -> None:
    (lineage,) = recognise(
        [make_member(id, position=at) for id, at in (("b", 3), ("c", 1), ("a", 2))]
    )
    assert order(lineage) == ["c", "a", "b"]
    assert lineage.order_by is OrderBy.SOURCE


def grown(count: int) -> list[Member]:
    """Attempts of which each keeps three quarters of the one before and adds as much; each answer
    asks for what comes next.
    """
    lines = [f"value_{number} = compute({number})" for number in range(20 + 5 * count)]
    return [
        make_member(
            f"{(7 * n) % 15:x}",
            "\n".join(lines[5 * n : 5 * n + 20]),
            answers=(f"`value_{5 * n + 20}` is missing",),
        )
        for n in range(count)
    ]


@pytest.mark.parametrize("count", [3, 6, 9, 14])
def test_the_order_is_found_in_the_code_where_nothing_else_gives_it(count: int) -> None:
    members = grown(count)
    (lineage,) = recognise(random.Random(count).sample(members, count))
    assert order(lineage) == [member.id for member in members]
    assert lineage.order_by is OrderBy.CONTENT
    assert lineage.margin is not None
    assert lineage.margin > 0


@pytest.mark.parametrize("ready", [0, 3], ids=["one end", "the other end"])
def test_an_attempt_found_ready_is_the_last(ready: int) -> None:
    members = [
        replace(member, answers=(), ready=place == ready) for place, member in enumerate(grown(4))
    ]
    (lineage,) = recognise(members)
    assert order(lineage) == [member.id for member in (members if ready else reversed(members))]


def test_attempts_written_anew_are_told_to_be_a_guess() -> None:
    (lineage,) = recognise([make_member(id, f"only_{id} = 1\nalso_{id} = 2\n") for id in "abc"])
    assert lineage.order_by is OrderBy.GUESS


def test_an_unnamed_attempt_is_put_where_its_code_belongs() -> None:
    members = grown(5)
    named = [
        replace(member, lineage="x", attempt=n) for n, member in enumerate(members, 1) if n != 3
    ]
    (lineage,) = recognise([members[2], *named])
    assert order(lineage) == [member.id for member in members]


def test_more_attempts_than_can_be_weighed_keep_an_order() -> None:
    made = arranged(grown(9) * 6)
    assert sorted(made.order) == list(range(54))
    assert made.margin == 0


def test_a_person_joins_and_takes_apart_and_the_newest_word_counts() -> None:
    members = [make_member("a"), make_member("b"), make_member("c", runs=("other",))]
    apart, together = (
        LineageDecision("b", "a", together=False, at=1),
        LineageDecision("a", "c", together=True, at=2),
    )
    assert groups(recognise(members, [together, apart])) == {frozenset("ac"), frozenset("b")}
    assert groups(recognise(members, [apart, LineageDecision("a", "b", together=True, at=3)])) == {
        frozenset("ab"),
        frozenset("c"),
    }
    joined = next(
        lineage for lineage in recognise(members, [together, apart]) if len(lineage.members) == 2
    )
    assert [join.why for join in joined.joins] == [Why.DECISION]


def test_decisions_that_exclude_each_other_leave_the_newer_ones() -> None:
    members = [make_member(id, runs=(id,)) for id in "abc"]
    ring = [
        LineageDecision("a", "b", together=True, at=3),
        LineageDecision("b", "c", together=True, at=1),
        LineageDecision("a", "c", together=False, at=2),
    ]
    assert groups(recognise(members, ring)) == {frozenset("ab"), frozenset("c")}


def test_those_near_to_each_other_stay_together_where_a_lineage_is_split() -> None:
    members = grown(6)
    first, last = members[0].id, members[-1].id
    for one in recognise(members, [LineageDecision(first, last, together=False)]):
        assert (members[1].id in one.members) == (first in one.members)
        assert (members[4].id in one.members) == (last in one.members)


def test_a_decision_on_unknown_submissions_changes_nothing() -> None:
    members = [make_member("a"), make_member("b")]
    assert recognise(
        members,
        [LineageDecision("a", "gone", together=False), LineageDecision("a", "a", together=False)],
    ) == recognise(members)


MEMBERS = st.lists(
    st.builds(
        make_member,
        id=st.sampled_from("abcdefgh"),
        hypothesis=st.sampled_from([{}, HYPOTHESIS, {"method": "別の仮説"}]),
        method=st.sampled_from([None, METHOD, METHOD + " Then it is pruned.", "短い"]),
        runs=st.sampled_from([(), ("one",), ("one", "two")]),
        lineage=st.sampled_from([None, "x", "y"]),
        attempt=st.sampled_from([None, 1, 2]),
        digest=st.sampled_from(["", "p", "q"]),
        position=st.sampled_from([None, 1.0, 2.0]),
        code=st.sampled_from(["", "first = 1\nsecond = 2", "second = 2\nthird = 3"]),
    ),
    max_size=8,
    unique_by=lambda member: member.id,
)
DECISIONS = st.lists(
    st.builds(
        LineageDecision,
        st.sampled_from("abcdefgh"),
        st.sampled_from("abcdefgh"),
        st.booleans(),
        st.sampled_from([0.0, 1.0, 2.0]),
    ),
    max_size=6,
)


@given(MEMBERS, DECISIONS, st.randoms(use_true_random=False))
def test_each_member_is_in_one_lineage_and_the_order_given_does_not_matter(
    members: list[Member], decisions: list[LineageDecision], rng: random.Random
) -> None:
    found = recognise(members, decisions)
    assert sorted(id for lineage in found for id in lineage.members) == sorted(
        member.id for member in members
    )
    assert all(len(lineage.joins) == len(lineage.members) - 1 for lineage in found)
    assert (
        recognise(rng.sample(members, len(members)), rng.sample(decisions, len(decisions))) == found
    )


@given(MEMBERS)
def test_those_of_one_key_are_enough_to_find_a_lineage(members: list[Member]) -> None:
    by_key: dict[str, list[Member]] = {}
    for member in members:
        by_key.setdefault(candidates_key(member), []).append(member)
    apart = {lineage for block in by_key.values() for lineage in recognise(block)}
    assert apart == set(recognise(members))


@given(MEMBERS, DECISIONS)
def test_no_lineage_holds_two_that_the_newest_decision_takes_apart(
    members: list[Member], decisions: list[LineageDecision]
) -> None:
    newest = max(decisions, key=lambda each: (each.at, not each.together), default=None)
    if newest is not None and not newest.together and newest.one != newest.other:
        assert not any(
            {newest.one, newest.other} <= set(lineage.members)
            for lineage in recognise(members, decisions)
        )


def test_a_member_of_a_submission_has_what_is_known_of_it() -> None:
    submission = make_submission(lineage="x", attempt=2)
    member = member_of(submission, position=4)
    assert (member.id, member.lineage, member.attempt, member.position) == (
        submission.id,
        "x",
        2,
        4,
    )
    assert member.runs == tuple(run.run_id for run in submission.runs)
    assert set(member.files) == {file.path for file in submission.files}
    assert member.digest != member_of(make_submission({"src/model.py": "x = 1\n"})).digest


def real() -> dict[str, Submission]:
    return {f"{path.parent.name}/{path.name}": opened(path) for path in (*LOGS, *SEEDS)}


@needs_shared
def test_the_real_lineages_come_out_whole_and_in_order_under_random_names() -> None:
    submissions = {path: each for path, each in real().items() if not each.is_base}
    rng = random.Random(7)
    names = {f"{rng.getrandbits(64):016x}": path for path in submissions}
    unnamed = [
        replace(member_of(submissions[path], id=name), lineage=None, attempt=None)
        for name, path in names.items()
    ]
    told = {submission.lineage for submission in submissions.values() if submission.lineage}
    found = recognise(unnamed)
    # One lineage of 27 attempts breaks where its method was replaced, and half of it is misordered.
    assert len(found) == len(told) + 1 == 15
    right, misordered = 0, set[str | None]()
    for lineage in found:
        held = [[submissions[names[id]] for id in attempt.members] for attempt in lineage.attempts]
        assert len({each.lineage for copies in held for each in copies if each.lineage}) == 1
        numbers = [next(each.attempt for each in copies if each.attempt) for copies in held]
        if numbers == sorted(numbers):
            right += 1
        elif lineage.order_by is not OrderBy.GUESS:
            misordered |= {each.lineage for copies in held for each in copies}
    # The attempts of one lineage were each written anew; nothing in them tells their order.
    assert right == 12
    # Neither is there an order among the experiments that were derived from one base code.
    assert misordered == {"20251009-055033", "20251020-120659"}


@needs_shared
def test_the_real_seeds_are_copies_of_logged_attempts() -> None:
    submissions = real()
    lineages = recognise(
        [member_of(submission, id=path) for path, submission in submissions.items()]
    )
    assert all(lineage.order_by is OrderBy.NAMES for lineage in lineages)
    copies = [
        attempt.members
        for lineage in lineages
        for attempt in lineage.attempts
        if len(attempt.members) > 1
    ]
    assert len(copies) == len(SEEDS)
    assert all(sum(member.startswith("seeds/") for member in members) == 1 for members in copies)
    assert not any(
        set(one.members) & set(other.members) for one, other in combinations(lineages, 2)
    )
