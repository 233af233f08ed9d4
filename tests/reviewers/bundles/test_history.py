"""Guards that every distinct state of a submission in a repository is one attempt, in order and
with what its commit says.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reviewers.bundles import open_bundle
from reviewers.bundles.history import HistoricAttempt, is_repository, read_history
from reviewers.errors import BundleError
from reviewers.records import Submission
from tests.builders import make_submission
from tests.reviewers.bundles.bundle_files import write_tree
from tests.reviewers.bundles.git_repository import Repository, tree_of

SOUND = make_submission()
LONGER = make_submission({"src/train.py": "import sys\n"})
OTHER = make_submission({"src/model.py": "class Gate: ...\n"})


def codes(attempts: Sequence[HistoricAttempt]) -> list[dict[str, bytes]]:
    return [
        {path: file.data for path, file in attempt.submission.by_path.items()}
        for attempt in attempts
    ]


def code(submission: Submission) -> dict[str, bytes]:
    return {path: file.data for path, file in submission.by_path.items()}


@pytest.mark.parametrize("bare", [False, True], ids=["work tree", "bare"])
@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_each_state_is_an_attempt_with_what_its_commit_says(
    tmp_path: Path, bare: bool, packed: bool
) -> None:
    repository = Repository(tmp_path / ("kites.git" if bare else "kites"), bare)
    ids = repository.chain([(SOUND, "first\n\nwith reasons"), (LONGER, "second"), (OTHER, "third")])
    if packed:
        repository.pack()
    history = read_history(repository.path)
    assert codes(history.attempts) == [code(SOUND), code(LONGER), code(OTHER)]
    assert [attempt.commit for attempt in history.attempts] == ids
    first, second, _ = history.attempts
    assert (first.message, first.at) == (
        "first\n\nwith reasons",
        datetime(2023, 11, 14, 23, 13, 20, tzinfo=UTC),
    )
    assert (first.parents, second.parents, first.branches) == ((), (ids[0],), ("heads/main",))
    assert (first.fix_of, first.log, history.fixes, history.skipped) == (None, None, (), ())
    assert (second.submission.lineage, second.submission.attempt, second.submission.name) == (
        "kites",
        2,
        "kites_02",
    )
    assert second.submission.source == f"{repository.path}@{ids[1][:10]}"


def test_a_state_reads_as_its_folder_would(repository: Repository, tmp_path: Path) -> None:
    tree = tree_of(SOUND) | {
        "context.json": (
            '{"method": "Gate it.", "recorded": [{"raw": "?", "failure": "unreadable"}]}'
        )
    }
    folder = open_bundle(write_tree(tmp_path / "folder", tree))
    repository.commit(tree)
    (attempt,) = read_history(repository.path).attempts
    assert attempt.submission.id == folder.id
    assert attempt.submission.recorded == folder.recorded
    assert attempt.submission.context.method == "Gate it."


def test_what_a_repository_holds_beside_the_submission_is_not_part_of_it(
    repository: Repository,
) -> None:
    beside = {
        "README.md": "x",
        ".github/workflows/run.yml": "on: push",
        "results/a.png": b"\0\1",
        ".gitignore": "x",
        "LICENSE": "x",
    }
    repository.chain([(SOUND, "code"), (tree_of(SOUND) | beside, "results")])
    (attempt,) = read_history(repository.path).attempts
    assert code(attempt.submission) == code(SOUND)


def test_a_state_that_returns_is_no_new_attempt(repository: Repository) -> None:
    repository.chain(
        [(SOUND, "a"), (LONGER, "b"), (SOUND, "Revert"), (LONGER, "again"), (OTHER, "c")]
    )
    history = read_history(repository.path)
    assert [attempt.message for attempt in history.attempts] == ["a", "b", "c"]
    assert [attempt.submission.attempt for attempt in history.attempts] == [1, 2, 3]


def test_branches_remotes_tags_and_a_detached_head_are_all_read_and_a_merge_comes_after_its_parents(
    repository: Repository,
) -> None:
    base = repository.commit(SOUND, "base")
    left = repository.commit(LONGER, "left", [base], "left")
    right = repository.commit(OTHER, "right", [base], None)
    repository.ref("refs/remotes/origin/right", right)
    both = make_submission({"src/train.py": "import sys\n", "src/model.py": "class Gate: ...\n"})
    merge = repository.commit(both, "merge", [left, right], "main", date="1 +0000")
    tagged = repository.commit(make_submission({"src/main.py": "1\n"}), "tagged", [base], None)
    repository.tag("outer", repository.tag("v1", tagged), "tag")
    detached = repository.commit(make_submission({"src/main.py": "2\n"}), "detached", [merge], None)
    (repository.git / "HEAD").write_text(detached)
    attempts = read_history(repository.path).attempts
    assert [attempt.message for attempt in attempts] == [
        "base",
        "left",
        "right",
        "merge",
        "tagged",
        "detached",
    ]
    named = {attempt.message: attempt.branches for attempt in attempts}
    assert named["right"] == ("HEAD", "heads/main", "remotes/origin/right")
    assert named["tagged"] == ("tags/outer", "tags/v1")
    assert named["detached"] == ("HEAD",)


def test_dates_never_put_a_child_before_its_parent(repository: Repository) -> None:
    first = repository.commit(SOUND, "first", date="2000000000 +0000")
    repository.commit(LONGER, "second", [first], date="1000000000 +0000")
    assert [attempt.message for attempt in read_history(repository.path).attempts] == [
        "first",
        "second",
    ]


def test_several_submissions_are_lineages_of_their_own(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "lab")
    repository.chain(
        [
            (tree_of(SOUND, "kites/"), "a"),
            (tree_of(SOUND, "kites/") | tree_of(LONGER, "deep/er/gates/"), "b"),
            (tree_of(OTHER, "kites/") | tree_of(LONGER, "deep/er/gates/"), "c"),
        ]
    )
    found = [
        (one.submission.name, one.submission.lineage, one.submission.attempt)
        for one in read_history(repository.path).attempts
    ]
    assert found == [
        ("kites_01", "lab/kites", 1),
        ("gates_01", "lab/deep/er/gates", 1),
        ("kites_02", "lab/kites", 2),
    ]


def test_a_renamed_folder_stays_its_lineage(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "lab")
    repository.chain(
        [
            (tree_of(SOUND, "old/"), "a"),
            (tree_of(SOUND, "new/"), "move"),
            (tree_of(LONGER, "other/"), "move, edit"),
        ]
    )
    attempts = read_history(repository.path).attempts
    assert [(one.submission.lineage, one.submission.attempt, one.message) for one in attempts] == [
        ("lab/old", 1, "a"),
        ("lab/old", 2, "move, edit"),
    ]
    assert attempts[1].submission.source.endswith(":other")


def test_branches_without_a_common_commit_share_the_lineage_of_their_folder(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "lab")
    for number in range(6):
        repository.commit(
            make_submission({"src/main.py": f"{number}\n"}), str(number), branch=f"b{number}"
        )
    found = [
        (one.message, one.submission.attempt) for one in read_history(repository.path).attempts
    ]
    assert found == [(str(number), number + 1) for number in range(6)]


def test_commits_of_a_shallow_clone_begin_where_it_was_cut(repository: Repository) -> None:
    cut = repository.commit(SOUND, "cut", ["1" * 40])
    repository.commit(LONGER, "last", [cut])
    assert [one.reason for one in read_history(repository.path).skipped] == [
        "object 1111111111 is missing: the clone is partial or damaged"
    ]
    (repository.git / "shallow").write_text(f"{cut}\n")
    history = read_history(repository.path)
    assert ([one.message for one in history.attempts], history.skipped) == (["cut", "last"], ())


def test_packed_branches_are_read_and_loose_ones_are_newer(repository: Repository) -> None:
    old, new = repository.chain([(SOUND, "old"), (LONGER, "new")])
    (repository.git / "packed-refs").write_text(
        f"# pack-refs with: peeled\n{old} refs/heads/main\n{old} refs/tags/v\n^{old}\n"
    )
    assert [one.branches for one in read_history(repository.path).attempts] == [
        ("heads/main", "tags/v"),
        ("heads/main",),
    ]
    (repository.git / "refs/heads/main").unlink()
    assert [one.commit for one in read_history(repository.path).attempts] == [old]
    assert new != old


def test_messages_in_other_encodings_are_decoded(repository: Repository) -> None:
    last = repository.commit(SOUND, "réussi".encode("latin-1"), extra=b"encoding ISO-8859-1\n")
    last = repository.commit(
        LONGER, "凧".encode("shift_jis"), [last], extra=b"encoding Shift_JIS\n"
    )
    repository.commit(OTHER, b"\xff\0odd", [last], extra=b"encoding rot13\n")
    assert [one.message for one in read_history(repository.path).attempts] == [
        "réussi",
        "凧",
        "\ufffd\ufffdodd",
    ]


def test_a_repository_is_told_from_other_folders(tmp_path: Path) -> None:
    work, bare = Repository(tmp_path / "work"), Repository(tmp_path / "bare.git", bare=True)
    assert [is_repository(path) for path in (work.path, work.git, bare.path)] == [True] * 3
    linked = write_tree(tmp_path / "linked", {".git": f"gitdir: {work.git}\n"})
    plain = write_tree(tmp_path / "plain", {"src/train.py": "x"})
    (pointing := tmp_path / "pointing").mkdir()
    (pointing / ".git").symlink_to(work.git)
    others = (linked, plain, pointing, plain / "src/train.py", tmp_path / "absent", Path("a\0b"))
    assert [is_repository(path) for path in others] == [False] * len(others)
    for path in (linked, plain, pointing):
        with pytest.raises(BundleError, match="not a git repository with its history in it"):
            read_history(path)


def test_a_repository_without_a_submission_says_what_it_needs(repository: Repository) -> None:
    with pytest.raises(BundleError, match="no commit can be read: it has no branch and no tag"):
        read_history(repository.path)
    repository.commit({"README.md": "x", "src/other.py": "x", "pyproject.toml": "[project]"})
    with pytest.raises(
        BundleError, match=r"none of its 1 commits contains a readable submission.*src/train\.py"
    ):
        read_history(repository.path)


def test_a_folder_that_comes_as_an_unlike_one_goes_is_a_lineage_of_its_own(tmp_path: Path) -> None:
    unlike = {f"new/{path}": f"# {path}\n" for path in tree_of(SOUND)} | {
        "new/pyproject.toml": tree_of(SOUND)["pyproject.toml"]
    }
    repository = Repository(tmp_path / "lab")
    repository.chain([(tree_of(SOUND, "old/"), "a"), (unlike, "b")])
    assert [one.submission.lineage for one in read_history(repository.path).attempts] == [
        "lab/old",
        "lab/new",
    ]


def test_a_folder_that_becomes_two_goes_on_as_one_of_them(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "lab")
    repository.chain(
        [(tree_of(SOUND, "old/"), "a"), (tree_of(LONGER, "b/") | tree_of(OTHER, "c/"), "split")]
    )
    assert [one.submission.lineage for one in read_history(repository.path).attempts] == [
        "lab/old",
        "lab/old",
        "lab/c",
    ]
