"""Guards a defect's life over a lineage: when it came, went and came again, and how long defects of
a category last.
"""

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from reviewers.attempts.histories import FindingLife, history, survival
from reviewers.matching.attempts import FindingState
from reviewers.matching.traces import Side
from tests.reviewers.attempts.making import make_side

PATH = "src/train.py"
CODE = {"MO01": "step_one()", "MO02": "step_two()", "MO03": "step_three()"}


def attempt(number: int, *rules: str) -> Side:
    """An attempt whose code has the lines of some rules, below as many others as its number
    says.
    """
    lines = [f"start_{n} = {n}" for n in range(number)] + [CODE[rule] for rule in rules]
    return make_side(
        {PATH: "\n".join(lines)},
        [(rule, PATH, number + n, f"{rule} stops") for n, rule in enumerate(rules, 1)],
    )


def states(lives: tuple[FindingLife, ...]) -> dict[str | None, list[tuple[int, FindingState]]]:
    return {life.latest.rule: list(life.states) for life in lives}


def test_a_life_is_told_from_first_to_last_attempt() -> None:
    lives = history(
        [
            attempt(1, "MO01", "MO02"),
            attempt(2, "MO01"),
            attempt(3, "MO01", "MO03"),
            attempt(4, "MO01", "MO02", "MO03"),
        ]
    )
    assert states(lives) == {
        "MO01": [
            (1, FindingState.NEW),
            (2, FindingState.UNCHANGED),
            (3, FindingState.UNCHANGED),
            (4, FindingState.UNCHANGED),
        ],
        "MO02": [(1, FindingState.NEW), (2, FindingState.FIXED), (4, FindingState.RETURNED)],
        "MO03": [(3, FindingState.NEW), (4, FindingState.UNCHANGED)],
    }
    assert [(life.first, life.last, life.attempts, life.open) for life in lives] == [
        (1, 4, 4, True),
        (1, 4, 2, True),
        (3, 4, 2, True),
    ]


def test_an_attempt_without_a_review_fixes_nothing() -> None:
    lives = history([attempt(1, "MO01"), None, attempt(3, "MO01"), attempt(4), None])
    assert states(lives) == {
        "MO01": [(1, FindingState.NEW), (3, FindingState.UNCHANGED), (4, FindingState.FIXED)]
    }
    assert [life.open for life in lives] == [False]


def test_what_only_resembles_a_defect_that_was_fixed_is_new() -> None:
    def told(code: str, message: str) -> Side:
        return make_side({PATH: f"start = 1\n{code}\n"}, [("MO01", PATH, 2, message)])

    sides = [
        told("step(one)", "`one` overflows in `half` precision"),
        attempt(2),
        told("step(one, x)", "`one` overflows in `single` precision"),
    ]
    assert [life.states for life in history(sides)] == [
        ((1, FindingState.NEW), (2, FindingState.FIXED)),
        ((3, FindingState.NEW),),
    ]
    assert [len(life.seen) for life in history([sides[0], sides[2]])] == [2]


def test_without_attempts_there_are_no_lives() -> None:
    assert history([]) == history([None]) == ()


def test_survival_counts_attempts_by_category() -> None:
    sides = [attempt(1, "MO01", "MO02"), attempt(2, "MO01"), attempt(3, "MO01")]
    sides = [
        Side(
            side.submission,
            tuple(replace(each, category=f"of {each.rule}") for each in side.findings),
        )
        for side in sides
    ]
    by_category = {
        each.category: (each.defects, each.median, each.mean, each.open)
        for each in survival(history(sides))
    }
    assert by_category == {"of MO01": (1, 3.0, 3.0, 1), "of MO02": (1, 1.0, 1.0, 0)}


@given(st.lists(st.none() | st.sets(st.sampled_from(sorted(CODE))), max_size=7))
def test_every_finding_of_every_attempt_is_in_one_life(found: list[set[str] | None]) -> None:
    sides = [
        None if rules is None else attempt(number, *sorted(rules))
        for number, rules in enumerate(found, 1)
    ]
    lives = history(sides)
    told = Counter((number, finding.id) for life in lives for number, finding in life.seen)
    assert told == Counter(
        (number, finding.id)
        for number, side in enumerate(sides, 1)
        if side
        for finding in side.findings
    )
    assert len(lives) == len(set().union(*(rules or set() for rules in found)))
    for life in lives:
        numbers = [number for number, _ in life.states]
        assert numbers == sorted(set(numbers))
        assert [number for number, state in life.states if state is not FindingState.FIXED] == [
            number for number, _ in life.seen
        ]
