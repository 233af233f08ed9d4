"""Guards that fix commits are found, and that what they change is given in lines of the accepted
submission.
"""

import re

from hypothesis import given
from hypothesis import strategies as st

from reviewers.bundles.history import FIX, HistoryFix, read_history
from reviewers.bundles.history_fixes import LineOrigins, follow
from reviewers.records import Span
from tests.builders import make_submission
from tests.reviewers.bundles.bundle_files import log_text
from tests.reviewers.bundles.git_repository import Repository, tree_of

BASE = "a\nb\nc\nd\ne\nf\n"
CI = "[CI] Automated fix"


def tree(main: str, **other: str | None) -> dict[str, str | bytes]:
    named = {f"src/{name}.py": text for name, text in other.items()}
    return tree_of(make_submission({"src/main.py": main, **named}))


def places(fix: HistoryFix) -> list[str]:
    return [str(span) for span in fix.changed]


def test_two_fixes_in_a_row_speak_of_the_lines_of_what_was_accepted(repository: Repository) -> None:
    ids = repository.chain(
        [
            (tree("old\n"), "attempt 1"),
            (tree(BASE), "attempt 2"),
            (tree("top\na\nB\nc\nd\nnew\ne\nf\n"), CI),
            (
                tree("top\na\nB\nc\nd\nnewer\nE\nf\nend\n"),
                "fix: Hydra needs a version, found in CI\n\nmore",
            ),
        ]
    )
    history = read_history(repository.path)
    accepted = history.attempts[1].submission.id
    first, second = history.fixes
    assert (first.commit, first.message, first.at) == (ids[2], CI, history.attempts[2].at)
    assert (first.before, first.after, first.number, first.lineage) == (
        accepted,
        history.attempts[2].submission.id,
        1,
        "kites",
    )
    assert (second.before, second.after, second.number) == (
        accepted,
        history.attempts[3].submission.id,
        2,
    )
    assert places(first) == ["src/main.py:1-2", "src/main.py:4"]
    assert places(second) == ["src/main.py:4-6"]
    assert [one.fix_of for one in history.attempts] == [None, None, accepted, accepted]


def test_files_that_a_fix_adds_empties_or_takes_away_have_no_lines(repository: Repository) -> None:
    repository.chain(
        [
            (tree(BASE, model=""), "attempt"),
            (tree(BASE, model="filled\n", extra="x\n", train=None), CI),
            (tree(BASE, model="again\n", extra="y\n", train="back\n"), CI),
        ]
    )
    for fix in read_history(repository.path).fixes:
        assert places(fix) == ["src/extra.py", "src/model.py", "src/train.py"]


def test_commits_in_between_that_leave_the_submission_alone_do_not_end_the_chain(
    repository: Repository,
) -> None:
    repository.chain(
        [
            (tree(BASE), "attempt"),
            (tree("new\n" + BASE), CI),
            (tree("new\n" + BASE) | {"results/a.csv": "1"}, "results"),
            (tree("new\n" + BASE) | {"results/a.csv": "2"}, CI),
            ({f"moved/{path}": data for path, data in tree("new\n" + BASE).items()}, "move"),
            ({f"moved/{path}": data for path, data in tree("new\n" + BASE + "end\n").items()}, CI),
        ]
    )
    history = read_history(repository.path)
    assert [(places(fix), fix.number, fix.before) for fix in history.fixes] == [
        (["src/main.py:1"], 1, history.attempts[0].submission.id),
        (["src/main.py:6"], 2, history.attempts[0].submission.id),
    ]


def test_another_attempt_is_what_later_fixes_repair(repository: Repository) -> None:
    repository.chain(
        [
            (tree(BASE), "one"),
            (tree(BASE + "x\n"), CI),
            (tree("A\n" + BASE + "x\n"), "two"),
            (tree("A\nz\n" + BASE), CI),
        ]
    )
    history = read_history(repository.path)
    last = history.fixes[-1]
    assert (last.before, last.number, places(last)) == (
        history.attempts[2].submission.id,
        1,
        ["src/main.py:1", "src/main.py:8"],
    )


def test_fixes_on_branches_are_told_apart_and_a_merge_goes_on_from_the_one_it_takes(
    repository: Repository,
) -> None:
    base = repository.commit(tree(BASE), "attempt")
    left = repository.commit(tree("1\n" + BASE), CI, [base], "left")
    right = repository.commit(tree(BASE + "2\n"), CI, [base], "right")
    merge = repository.commit(tree(BASE + "2\n"), "merge", [left, right])
    repository.commit(tree(BASE + "2\n3\n"), CI, [merge])
    history = read_history(repository.path)
    assert [(places(fix), fix.number) for fix in history.fixes] == [
        (["src/main.py:1"], 1),
        (["src/main.py:6"], 1),
        (["src/main.py:6"], 2),
    ]
    assert {fix.before for fix in history.fixes} == {history.attempts[0].submission.id}


def test_a_fix_has_the_research_context_of_what_it_repairs(repository: Repository) -> None:
    files = {
        path: bytes(data).decode()
        for path, data in tree(BASE).items()
        if not path.startswith("config/runs/")
    }
    mended = files | {"src/main.py": "x\n" + BASE}
    repository.chain([(files | {"log.txt": log_text(code=files)}, "attempt"), (mended, CI)])
    accepted, after = (one.submission for one in read_history(repository.path).attempts)
    assert after.context == accepted.context
    assert after.runs == accepted.runs
    assert accepted.context.primary_metric == "Minutes aloft."
    assert (len(accepted.recorded), len(after.recorded)) == (1, 0)


FIXES = (
    *("[CI] Automated fix", "[CI] automated fix of src/train.py (3/20)", "bot: automated fix"),
    *("fix: CI failure in the trial run", "fix(train): error found by CI"),
)
OTHERS = (
    *("fix: typo", "[CI] results", 'Revert "[CI] Automated fix"', "prefix: CI", ""),
    "attempt\n\n[CI] Automated fix",
)


def test_the_usual_words_of_fix_commits_are_known(repository: Repository) -> None:
    words = [*FIXES, *OTHERS]
    steps = [(tree(f"{number}\n"), message) for number, message in enumerate(words)]
    repository.chain([(tree(BASE), "attempt"), *steps])
    assert [fix.message for fix in read_history(repository.path).fixes] == [*FIXES]
    for message in words:
        assert bool(FIX.search(message.partition("\n")[0])) is (message in FIXES)


def test_other_words_can_be_named(repository: Repository) -> None:
    repository.chain([(tree(BASE), "attempt"), (tree("x\n"), "mend 1"), (tree("y\n"), CI)])
    assert [fix.message for fix in read_history(repository.path, re.compile("^mend")).fixes] == [
        "mend 1"
    ]


def test_a_change_of_line_ends_or_of_the_context_alone_is_no_fix(repository: Repository) -> None:
    windows = {path: bytes(data).replace(b"\n", b"\r\n") for path, data in tree(BASE).items()}
    repository.chain(
        [(tree(BASE), "attempt"), (windows, CI), (windows | {"context.json": "{}"}, CI)]
    )
    assert read_history(repository.path).fixes == ()


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3), st.integers(0, 3)), max_size=3),
        min_size=1,
        max_size=4,
    )
)
def test_a_line_that_stays_keeps_its_origin_through_any_chain(
    chain: list[list[tuple[int, int, int]]],
) -> None:
    base = [f"line {number}" for number in range(1, 11)]
    origins, state, fresh = LineOrigins(), base, 0
    for edits in chain:
        after = list(state)
        for at, gone, come in edits:
            after[at : at + gone] = [f"new {fresh + number}" for number in range(come)]
            fresh += come
        origins, spans = follow(origins, {"f": state}, {"f": after})
        assert bool(spans) is (state != after)
        assert all(
            span.line is None or 1 <= span.line <= (span.end_line or 0) <= len(base)
            for span in spans
        )
        lost = [int(line[5:]) for line in state if line.startswith("line") and line not in after]
        covered = {
            line
            for span in spans
            if span.line
            for line in range(span.line, (span.end_line or span.line) + 1)
        }
        if spans != (Span("f"),):
            assert covered >= set(lost)
        state = after
    if "f" not in origins.absent:
        known = origins.lines.get("f", range(1, len(base) + 1))
        assert len(known) == len(state)
        assert list(known) == sorted(known)
        assert all(
            known[at] == int(line[5:]) for at, line in enumerate(state) if line.startswith("line")
        )


def test_texts_too_long_to_compare_count_as_changed_between_their_equal_ends() -> None:
    old, new = (
        ["top", *(f"{a}{n}" for n in range(15_000)), "same", *[f"{a}{n}" for n in range(14_999)]]
        for a in "ab"
    )
    assert follow(LineOrigins(), {"f": old}, {"f": new})[1] == (Span("f", 2, 30_001),)


def test_of_lines_that_were_replaced_each_keeps_its_own_origin() -> None:
    origins, _ = follow(LineOrigins(), {"f": list("abcdef")}, {"f": list("abCDef")})
    assert follow(origins, {"f": list("abCDef")}, {"f": list("abCXef")})[1] == (Span("f", 4, 4),)
