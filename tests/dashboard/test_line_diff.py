"""Guards the line diff: it rebuilds both texts, pairs lines in order, and marks only what
differs.
"""

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.file_changes import ChangedFile, file_changes
from dashboard.line_diff import DiffStep, changed_words, steps, successors
from dashboard.parts.code_diff import marked
from tests.reviewers.attempts.making import make_submission

LINES = st.lists(
    st.sampled_from(
        ["", "}", "else:", "a = 1", "a = 2", "    b(a)", "    b(a, c)", "def f(x):", "x" * 700]
    ),
    max_size=24,
)


@given(LINES, LINES)
def test_a_diff_rebuilds_both_texts(before: list[str], after: list[str]) -> None:
    told = steps(before, after)
    one = [line for step in told for line in before[step.start : step.end]]
    other = [
        line
        for step in told
        for line in (
            before[step.start : step.end] if step.same else after[step.onto : step.onto_end]
        )
    ]
    assert (one, other) == (before, after)
    assert all(step.end > step.start or step.onto_end > step.onto for step in told)


@given(LINES)
def test_equal_texts_have_one_step(lines: list[str]) -> None:
    assert steps(lines, lines) == ((DiffStep(True, 0, len(lines), 0, len(lines)),) if lines else ())


@given(LINES, LINES)
def test_successors_never_cross_and_lie_within_changes(before: list[str], after: list[str]) -> None:
    told = steps(before, after)
    pairs = list(successors(before, after, told))
    assert pairs == sorted(pairs)
    assert len({one for one, _ in pairs}) == len({other for _, other in pairs}) == len(pairs)
    changes = [step for step in told if not step.same]
    assert all(
        any(s.start <= one < s.end and s.onto <= other < s.onto_end for s in changes)
        for one, other in pairs
    )


@given(st.text("ab. \U0001f600", max_size=30), st.text("ab. \U0001f600", max_size=30))
@settings(max_examples=60)
def test_without_the_marked_words_two_lines_are_equal(before: str, after: str) -> None:
    gone, came = changed_words(before, after)
    if gone or came:

        def kept(line: str, marks: tuple[tuple[int, int], ...]) -> str:
            return "".join(
                c
                for place, c in enumerate(line)
                if not any(start <= place < end for start, end in marks)
            )

        assert "".join(kept(before, gone).split()) == "".join(kept(after, came).split())
    assert "".join(marked(["k", before], gone)[1::2]) == before


def test_an_added_function_is_told_whole_and_brackets_by_chance_tell_nothing() -> None:
    before = ["a = 1", "", "@cache", "def c():", "    return 3"]
    after = [
        "a = 1", "", "@cache", "def b():", "    return 2", "", "@cache", "def c():", "    return 3",
    ]  # fmt: skip
    _, added, _ = steps(before, after)
    assert after[added.onto : added.onto_end] == ["@cache", "def b():", "    return 2", ""]
    one, other = (
        ["f(", "one", "two", ")", "three", "four"],
        ["g(", "five", "six", ")", "seven", "eight"],
    )
    assert len(steps(one, other)) == 1


def test_marks_say_which_words_changed() -> None:
    before, after = "    lr = cfg.lr * 0.1", "    lr = cfg.rate * 0.1"
    gone, came = changed_words(before, after)
    assert ([before[slice(*mark)] for mark in gone], [after[slice(*mark)] for mark in came]) == (
        ["lr"],
        ["rate"],
    )
    assert changed_words("    call(a)", "  call(b)") == (((9, 10),), ((7, 8),))
    assert changed_words("  same", "    same") == (((0, 2),), ((0, 4),))
    assert changed_words("import os", "return value_of(x)") == ((), ())


def test_twenty_thousand_lines_are_told_in_seconds() -> None:
    before = [f"line {number % 977} of {number}" for number in range(20_000)]
    after = [line.replace("of", "at") if place % 3 else line for place, line in enumerate(before)]
    began = time.process_time()
    told = steps(before, after)
    list(successors(before, after, told))
    assert time.process_time() - began < 15
    assert sum(step.end - step.start for step in told if step.same) == 6_667


def test_files_are_added_removed_renamed_and_changed() -> None:
    text = "".join(f"line {number}\n" for number in range(12))
    before = make_submission(
        {"same.py": "x\n", "old.py": text, "gone.py": "a\n", "src/a.py": "one\ntwo\n"}
    )
    after = make_submission(
        {
            "same.py": "x\n",
            "new.py": text + "more\n",
            "src/a.py": "one\nthree\nfour\n",
            "fresh.py": "b\n",
        }
    )
    found = {
        path: (each.change, each.was, each.came, each.gone)
        for path, each in file_changes(before, after).items()
    }
    assert found == {
        "new.py": (ChangedFile.RENAMED, "old.py", 1, 0),
        "src/a.py": (ChangedFile.CHANGED, "src/a.py", 2, 1),
        "fresh.py": (ChangedFile.ADDED, None, 1, 0),
        "gone.py": (ChangedFile.REMOVED, "gone.py", 0, 1),
    }
