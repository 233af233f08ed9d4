"""Guards that a repository made to harm its reader is refused, or read without what is bad in it;
nothing of it is obeyed.
"""

import os
import random
import tracemalloc
import zlib
from pathlib import Path

import pytest

from reviewers.bundles.history import History, read_history
from reviewers.errors import BundleError
from tests.builders import make_submission
from tests.cases import cases
from tests.reviewers.bundles.git_repository import (
    FILE,
    FOLDER,
    LINK,
    SUBMODULE,
    Entry,
    Repository,
    tree_of,
)

SOUND = make_submission()


def with_src(repository: Repository, entries: list[Entry], top: list[Entry] | None = None) -> str:
    """A tree with one module and these entries in `src`, and these beside it."""
    src = repository.tree([(b"train.py", FILE, repository.blob("x = 1\n")), *entries])
    return repository.tree([*(top or []), (b"src", FOLDER, src)])


def told(history: History) -> list[tuple[str, str]]:
    return [(one.place, one.reason) for one in history.skipped]


def paths(history: History) -> list[list[str]]:
    return [sorted(attempt.submission.by_path) for attempt in history.attempts]


def test_hooks_configuration_and_filters_are_not_obeyed(
    repository: Repository, tmp_path: Path
) -> None:
    touched = tmp_path / "touched"
    hooks = repository.git / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "pre-commit", "fsmonitor-watchman", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {touched}\n")
        (hooks / name).chmod(0o755)
    (repository.git / "config").write_text(
        f"[core]\n\tworktree = {tmp_path}\n\tfsmonitor = touch {touched}\n\trepositoryformatversion"
        " = 99\n"
        '[include]\n\tpath = /dev/zero\n[filter "x"]\n\tsmudge = touch'
        f" {touched}\n[extensions]\n\todd = true\n"
    )
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 9\n"
    repository.commit(
        tree_of(SOUND)
        | {
            ".gitattributes": "* filter=x eol=crlf ident",
            "src/train.py": "$Id$\n",
            "src/model.py": pointer,
        }
    )
    (attempt,) = read_history(repository.path).attempts
    assert attempt.submission.by_path["src/train.py"].data == b"$Id$\n"
    assert attempt.submission.by_path["src/model.py"].text == pointer
    assert not touched.exists()
    assert sorted(entry.name for entry in repository.path.iterdir()) == [".git"]


def test_links_and_submodules_are_passed_over_and_told_once(
    repository: Repository, tmp_path: Path
) -> None:
    (secret := tmp_path / "secret.py").write_text("secret")
    other = Repository(tmp_path / "other").commit(SOUND)
    link = repository.blob(str(secret))
    entries: list[Entry] = [
        (b"link.py", LINK, link),
        (b"module", SUBMODULE, other),
        (b"pipe", 0o010000, link),
    ]
    tree = with_src(repository, entries, [(b"config", LINK, link), (b"sub", SUBMODULE, "1" * 40)])
    last = repository.commit(tree)
    repository.commit(
        with_src(repository, [*entries, (b"z.py", FILE, link)], [(b"config", LINK, link)]),
        parents=[last],
    )
    history = read_history(repository.path)
    assert paths(history) == [["src/train.py"], ["src/train.py", "src/z.py"]]
    assert told(history) == [
        ("config", "is a link, which is not followed"),
        ("sub", "is a submodule, which is not followed"),
        ("src/link.py", "is a link, which is not followed"),
        ("src/module", "is a submodule, which is not followed"),
        ("src/pipe", "is neither a file nor a folder"),
    ]
    assert {one.commit for one in history.skipped} == {last}


NAMES = [b"..", b".", b"", b"/etc/passwd", b"a/../../b", b"a\\b", b"C:x", b"\xff\xfe", b"x" * 300]


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_a_name_that_no_file_can_have_is_passed_over_and_told(
    repository: Repository, name: bytes
) -> None:
    blob = repository.blob("1\n")
    below = repository.tree([(b"x.py", FILE, blob)])
    repository.commit(with_src(repository, [(name, FILE, blob)], [(name, FOLDER, below)]))
    history = read_history(repository.path)
    assert paths(history) == [["src/train.py"]]
    assert {reason for _, reason in told(history)} == {"cannot be the name of a file"}
    assert all(str(one).isprintable() for one in history.skipped)


def test_names_with_line_breaks_are_kept_and_what_tools_leave_is_not(
    repository: Repository,
) -> None:
    blob = repository.blob("1\n")
    config = repository.tree([(b"config", FILE, repository.blob("[core]"))])
    names = (".git", "__pycache__")
    entries: list[Entry] = [
        (b"a\nb.py", FILE, blob),
        *((name.encode(), FOLDER, config) for name in names),
    ]
    repository.commit(with_src(repository, entries, [(b".git", FOLDER, config)]))
    history = read_history(repository.path)
    assert paths(history) == [["src/a\nb.py", "src/train.py"]]
    assert told(history) == []


def test_two_files_at_one_path_and_a_file_that_is_a_folder_too_are_no_state(
    repository: Repository,
) -> None:
    blob = repository.blob("1\n")
    folder = repository.tree([(b"x.py", FILE, blob)])
    twice = repository.commit(with_src(repository, [(b"a", FILE, blob), (b"a", FILE, blob)]))
    both = repository.commit(
        with_src(repository, [(b"a", FILE, blob), (b"a", FOLDER, folder)]), parents=[twice]
    )
    repository.commit(SOUND, parents=[both])
    history = read_history(repository.path)
    assert len(history.attempts) == 1
    assert told(history) == [
        ("", "it contains two files at 'src/a'"),
        ("", "'src/a' is a file and a folder; keep one"),
    ]


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_huge_files_cost_no_memory(repository: Repository, packed: bool) -> None:
    huge = repository.blob(b"\n" * 25_000_000)
    small = repository.commit(with_src(repository, []))
    repository.commit(
        with_src(repository, [(b"data.py", FILE, huge)], [(b"log.txt", FILE, huge)]),
        parents=[small],
    )
    if packed:
        repository.pack()
    tracemalloc.start()
    history = read_history(repository.path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert paths(history) == [["src/train.py"]]
    assert told(history) == [("", "src/data.py is larger than 2 MB; leave data out of it")]
    assert peak < 15_000_000


def test_hostile_yaml_is_a_state_like_any_other(repository: Repository) -> None:
    bomb = "a: &a [x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}' if n else '*a'] * 9)}]\n" for n in range(12)
    )
    first = repository.commit(tree_of(SOUND))
    second = repository.commit(tree_of(SOUND) | {"config/config.yaml": bomb}, parents=[first])
    repository.commit(SOUND, parents=[second])
    history = read_history(repository.path)
    assert [attempt.submission.attempt for attempt in history.attempts] == [1, 2]
    assert told(history) == []


def test_folders_without_end_are_bounded(repository: Repository) -> None:
    deep = repository.tree([(b"x.py", FILE, repository.blob("1\n"))])
    for _ in range(3_000):
        deep = repository.tree([(b"a", FOLDER, deep)])
    wide = repository.tree(
        [(b"src", FOLDER, repository.tree([(b"train.py", FILE, repository.blob("1\n"))]))]
    )
    empty = repository.tree([])
    for _ in range(18):
        wide = repository.tree([(f"{number}".encode(), FOLDER, wide) for number in range(10)])
        empty = repository.tree([(f"{number}".encode(), FOLDER, empty) for number in range(10)])
    last = repository.commit(SOUND)
    for tree in (
        with_src(repository, [], [(b"deep", FOLDER, deep)]),
        with_src(repository, [(b"deep", FOLDER, deep)]),
        with_src(repository, [(b"empty", FOLDER, empty)]),
        with_src(repository, [], [(b"empty", FOLDER, empty)]),
        with_src(repository, [], [(b"wide", FOLDER, wide)]),
        with_src(
            repository,
            [(f"{number}.py".encode(), FILE, repository.blob("")) for number in range(501)],
        ),
    ):
        last = repository.commit(tree, parents=[last])
    history = read_history(repository.path)
    assert len(history.attempts) == 2
    assert [reason for _, reason in told(history)] == [
        "is nested deeper than 20 folders",
        "folders are nested deeper than 20",
        "its folders contain too much; leave data out of them",
        (
            "the commit contains more than 200 submissions, or 1000 with their logs; name a smaller"
            " repository"
        ),
        "it contains more than 500 files; name a folder in it",
    ]


DATES = [
    "99999999999999999999 +0000",
    "999999999999 +0000",
    "-62135596801 +0000",
    "noon",
    "",
    "1700000000",
    "1 +9999",
]


@pytest.mark.parametrize("date", DATES)
def test_a_bad_date_leaves_the_attempt(repository: Repository, date: str) -> None:
    first = repository.commit(SOUND, date=date)
    repository.commit(make_submission({"src/main.py": "1\n"}), parents=[first], date=date)
    history = read_history(repository.path)
    assert [attempt.submission.attempt for attempt in history.attempts] == [1, 2]
    known = {"1700000000": 2023, "1 +9999": 1970}
    assert {attempt.at.year if attempt.at else None for attempt in history.attempts} == {
        known.get(date)
    }


def test_refs_that_lead_nowhere_are_passed_over(repository: Repository, tmp_path: Path) -> None:
    commit = repository.commit(SOUND)
    repository.ref("refs/heads/a", "ref: refs/heads/b")
    repository.ref("refs/heads/b", "ref: refs/heads/a")
    repository.ref("refs/heads/c", "ref: ../../../../etc/passwd")
    repository.ref("refs/heads/junk", "not an id")
    repository.ref("refs/heads/blob", repository.blob("x"))
    repository.ref("refs/heads/gone", "2" * 40)
    repository.ref(
        "refs/replace/" + commit, repository.commit({"src/train.py": "replaced"}, branch=None)
    )
    repository.ref("refs/tags/line\nbreak", commit)
    repository.ref("HEAD", "ref: HEAD")
    (repository.git / "refs/heads/outside").symlink_to(tmp_path)
    (repository.git / "refs/heads/link").symlink_to("main")
    (repository.git / "info").mkdir(exist_ok=True)
    (repository.git / "info/grafts").write_text(f"{commit} {'3' * 40}\n")
    history = read_history(repository.path)
    assert [one.branches for one in history.attempts] == [("heads/main", "tags/line\nbreak")]
    assert told(history) == [("", "object 2222222222 is missing: the clone is partial or damaged")]
    assert history.attempts[0].submission.by_path["src/train.py"].data != b"replaced"


def test_objects_of_other_repositories_are_not_read(repository: Repository, tmp_path: Path) -> None:
    other = Repository(tmp_path / "other")
    other.ref("refs/heads/main", "")
    commit = other.commit(SOUND)
    repository.ref("refs/heads/main", commit)
    info = repository.git / "objects/info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(f"{other.git / 'objects'}\n../../../other/.git/objects\n")
    with pytest.raises(
        BundleError, match=r"objects/info/alternates.*, which is not read; clone with --dissociate"
    ):
        read_history(repository.path)


@pytest.mark.parametrize("part", ["objects", "fan", "object", "pack", "pack file", "refs"])
def test_links_inside_the_repository_are_not_followed(
    repository: Repository, tmp_path: Path, part: str
) -> None:
    other = Repository(tmp_path / "other")
    commit = other.commit(SOUND)
    repository.ref("refs/heads/main", commit)
    objects, theirs = repository.git / "objects", other.git / "objects"
    if part == "objects":
        objects.rename(tmp_path / "away")
        objects.symlink_to(theirs)
    elif part in ("fan", "object"):
        for folder in theirs.glob("??"):
            if part == "fan":
                (objects / folder.name).symlink_to(folder)
            else:
                (objects / folder.name).mkdir()
                for file in folder.iterdir():
                    (objects / folder.name / file.name).symlink_to(file)
    elif part == "refs":
        (repository.git / "refs").rename(tmp_path / "away")
        (repository.git / "refs").symlink_to(other.git / "refs")
    else:
        other.pack()
        if part == "pack":
            (objects / "pack").rmdir()
            (objects / "pack").symlink_to(theirs / "pack")
        else:
            for file in (theirs / "pack").iterdir():
                (objects / "pack" / file.name).symlink_to(file)
    with pytest.raises(BundleError) as caught:
        read_history(repository.path)
    assert "\n" not in str(caught.value)


def damage(path: Path, data: bytes) -> None:
    path.chmod(0o644)
    path.write_bytes(data)


@cases(
    "data",
    {
        "empty": b"",
        "no zlib": b"no zlib",
        "other content": zlib.compress(b"blob 6\0x = 2\n"),
        "too short": zlib.compress(b"blob 7\0x = 1\n"),
        "too long": zlib.compress(b"blob 5\0x = 1\n"),
        "other kind": zlib.compress(b"tree 6\0x = 1\n"),
        "no size": zlib.compress(b"blob x\0x = 1\n"),
        "cut": zlib.compress(b"blob 6\0x = 1\n")[:-3],
        "no head": zlib.compress(b"\xff" * 99),
    },
)
def test_a_damaged_file_takes_its_state_along_and_no_other(
    repository: Repository, data: bytes
) -> None:
    broken = repository.blob("x = 1\n")
    first = repository.commit(with_src(repository, [(b"a.py", FILE, repository.blob("fine\n"))]))
    repository.commit(SOUND, parents=[first])
    damage(repository.loose(broken), data)
    history = read_history(repository.path)
    assert [attempt.submission.attempt for attempt in history.attempts] == [1]
    assert [(one.commit, one.place) for one in history.skipped] == [(first, "")]
    assert "is damaged" in history.skipped[0].reason


def test_a_damaged_commit_hides_what_only_it_leads_to(repository: Repository) -> None:
    ids = repository.chain(
        [
            (SOUND, "a"),
            (make_submission({"src/main.py": "1\n"}), "b"),
            (make_submission({"src/main.py": "2\n"}), "c"),
        ]
    )
    damage(repository.loose(ids[1]), b"x")
    history = read_history(repository.path)
    assert [attempt.message for attempt in history.attempts] == ["c"]
    assert [one.commit for one in history.skipped] == [ids[1]]


@pytest.mark.parametrize(
    "text", ["tree x\n", "", "parent " + "0" * 40 + "\n\n", "tree " + "4" * 40 + "\n\n"]
)
def test_a_commit_that_is_none_is_told(repository: Repository, text: str) -> None:
    first = repository.commit(SOUND)
    repository.ref("refs/heads/odd", repository.raw("commit", text.encode()))
    history = read_history(repository.path)
    assert [attempt.commit for attempt in history.attempts] == [first]
    assert len(history.skipped) == 1


@pytest.mark.parametrize("kind", ["sha-256", "reftable"])
def test_other_kinds_of_repository_are_named(repository: Repository, kind: str) -> None:
    if kind == "sha-256":
        repository.ref("refs/heads/main", "5" * 64)
    else:
        (repository.git / "reftable").mkdir()
    with pytest.raises(BundleError, match="SHA-256" if kind == "sha-256" else "reftable"):
        read_history(repository.path)


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_whatever_is_broken_the_rest_is_read_or_refused_in_one_line(
    repository: Repository, packed: bool
) -> None:
    repository.chain(
        [(make_submission({"src/main.py": f"{number}\n" * 50}), "[CI] fix") for number in range(6)]
    )
    if packed:
        repository.pack()
    whole = {path: path.read_bytes() for path in repository.git.rglob("*") if path.is_file()}
    chance = random.Random(7)
    for _ in range(150):
        path = chance.choice(sorted(whole))
        data = bytearray(whole[path])
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(data) + 1)
            data[at : at + chance.choice([0, 1, 1, 200])] = os.urandom(chance.randint(0, 2))
        damage(path, bytes(data))
        said = ""
        try:
            assert read_history(repository.path).attempts
        except BundleError as error:
            said = str(error)
        assert "\n" not in said
        damage(path, whole[path])
