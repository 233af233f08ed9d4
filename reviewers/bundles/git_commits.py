"""The commits of a git repository that its branches and tags reach, parents before children."""

import codecs
import heapq
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from reviewers.bundles.git_objects import GitObjects
from reviewers.bundles.limits import MAX_FOLDERS, read_whole
from reviewers.errors import BundleError

_MAX_COMMITS = 20_000
_MAX_REFS = 5_000
_MAX_MESSAGE = 2_000  # characters
_MAX_TAGS = 10  # tags of tags
_MAX_PARENTS = 100
_ID = re.compile(r"[0-9a-f]{40}")
_PACKED = re.compile(r"^([0-9a-f]{40}) (refs/(?:heads|remotes|tags)/.+)$", re.MULTILINE)
_KINDS = ("heads", "remotes", "tags")
_TIME = re.compile(rb"> (-?[0-9]{1,15})(?: |$)")
# Decoding by any codec that a commit names would let it choose slow ones, and ones that are no
# encodings of text.
_CODECS = frozenset(
    {
        "utf-8", "iso8859-1", "iso8859-15", "cp1252", "cp1251", "koi8-r", "shift_jis", "cp932",
        "euc_jp", "gbk",
    }
)  # fmt: skip
_BAD = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit.

    Attributes:
        parents: in the commit's order; those that a shallow clone lacks are left out.
        at: when it was written, in UTC; None if the commit gives no date that a calendar knows.
        committed: seconds since 1970, as the commit claims; 0 if it gives none.
        message: the whole of it up to 2,000 characters, without the blanks around it.
    """

    id: str
    tree: str
    parents: tuple[str, ...]
    at: datetime | None
    committed: int
    message: str

    @property
    def subject(self) -> str:
        """The first line of the message."""
        return self.message.partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Commits:
    """All commits, parents before children and the earlier first.

    Attributes:
        branches: by commit, the branches and tags that contain it.
        missing: by id, why a commit could not be read.
    """

    ordered: tuple[Commit, ...]
    branches: Mapping[str, tuple[str, ...]]
    missing: Mapping[str, str]


def read_commits(folder: Path, objects: GitObjects, source: str) -> Commits:
    """Read every commit that a branch, a remote's branch, a tag or a detached HEAD leads to.

    Args:
        folder: the repository's own folder, `.git` or a bare repository.

    Raises:
        BundleError: the branches cannot be read, or there are too many of them or of commits.
    """
    refs = _refs(folder, source)
    shallow = set(_ID.findall(_small_file(folder / "shallow", source)))
    missing: dict[str, str] = {}
    commits: dict[str, Commit] = {}
    tips = {
        name: tip
        for name, target in refs.items()
        if (tip := _peeled(target, objects, missing)) is not None
    }
    waiting = sorted(set(tips.values()))
    while waiting:
        name = waiting.pop()
        if name in commits or name in missing:
            continue
        try:
            stored = objects.read(name)
            if stored is None or stored[0] != "commit":
                raise BundleError(source, f"object {name[:10]} is not a commit of a usual size")
            commits[name] = _commit(name, stored[1], name in shallow, source)
        except BundleError as error:
            missing[name] = error.problem
            continue
        if len(commits) > _MAX_COMMITS:
            raise BundleError(
                source, f"it contains more than {_MAX_COMMITS} commits; name a shallow clone"
            )
        waiting += commits[name].parents
    ordered = tuple(_ordered(commits))
    return Commits(ordered, _branches(ordered, tips), missing)


def _refs(folder: Path, source: str) -> dict[str, str]:
    """Ids by `heads/…`, `remotes/…`, `tags/…`; symbolic ones are left out, what they name is there
    itself.
    """
    if (folder / "reftable").is_dir():
        raise BundleError(
            source,
            "its branches are kept as a reftable; run `git refs migrate --ref-format=files` first",
        )
    refs = {
        name: id
        for id, name in _PACKED.findall(_small_file(folder / "packed-refs", source, 2_000_000))
    }
    if not (folder / "refs").is_symlink():
        for kind in _KINDS:
            for path in _ref_files(folder / "refs" / kind, MAX_FOLDERS):
                text = _small_file(path, source).strip()
                if re.fullmatch(r"[0-9a-f]{64}", text):
                    raise BundleError(
                        source, "its ids are SHA-256, which is not read; name a SHA-1 repository"
                    )
                if _ID.fullmatch(text):
                    refs[path.relative_to(folder).as_posix()] = text
    if _ID.fullmatch(head := _small_file(folder / "HEAD", source).strip()):
        refs["refs/HEAD"] = head
    if len(refs) > _MAX_REFS:
        raise BundleError(
            source,
            f"it contains more than {_MAX_REFS} branches and tags; clone the ones that matter",
        )
    return {
        _BAD.sub("\N{REPLACEMENT CHARACTER}", name.removeprefix("refs/")): id
        for name, id in refs.items()
    }


def _ref_files(folder: Path, depth: int) -> Iterator[Path]:
    if folder.is_symlink() or not folder.is_dir() or depth == 0:
        return
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.is_dir(follow_symlinks=False):
            yield from _ref_files(Path(entry.path), depth - 1)
        elif entry.is_file(follow_symlinks=False):
            yield Path(entry.path)


def _small_file(path: Path, source: str, limit: int = 100_000) -> str:
    """The text of a file of the repository itself; empty if there is none."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size == 0:
        return ""
    return read_whole(path, source, limit).decode("utf-8", "surrogateescape")


def _peeled(target: str, objects: GitObjects, missing: dict[str, str]) -> str | None:
    """The commit that a ref leads to through tags; None if it leads to something else, or to
    nothing.
    """
    for _ in range(_MAX_TAGS):
        try:
            stored = objects.read(target)
        except BundleError as error:
            missing[target] = error.problem
            return None
        if stored is None or stored[0] not in ("commit", "tag"):
            return None
        if stored[0] == "commit":
            return target
        found = re.match(rb"object ([0-9a-f]{40})\n", stored[1])
        if found is None:
            return None
        target = found[1].decode()
    return None


def _commit(name: str, data: bytes, shallow: bool, source: str) -> Commit:
    head, _, body = data.partition(b"\n\n")
    fields: dict[bytes, bytes] = {}
    parents = []
    for line in head.split(b"\n"):
        key, _, value = line.partition(b" ")
        if key == b"parent" and _ID.fullmatch(parent := value.decode("ascii", "replace")):
            parents.append(parent)
        fields.setdefault(key, value)
    tree = fields.get(b"tree", b"").decode("ascii", "replace")
    if _ID.fullmatch(tree) is None:
        raise BundleError(source, f"commit {name[:10]} names no tree")
    if len(parents) > _MAX_PARENTS:
        raise BundleError(source, f"commit {name[:10]} has more than {_MAX_PARENTS} parents")
    return Commit(
        id=name,
        tree=tree,
        parents=() if shallow else tuple(dict.fromkeys(parents)),
        at=_date(fields.get(b"author", b"")),
        committed=_seconds(fields.get(b"committer", b"")) or 0,
        message=_text(body, fields.get(b"encoding", b"")),
    )


def _seconds(person: bytes) -> int | None:
    found = _TIME.search(person)
    return int(found[1]) if found else None


def _date(person: bytes) -> datetime | None:
    seconds = _seconds(person)
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def _text(body: bytes, encoding: bytes) -> str:
    try:
        codec = codecs.lookup(encoding.decode("ascii", "replace").strip() or "utf-8").name
    except (LookupError, ValueError):
        codec = "utf-8"
    text = body[: 4 * _MAX_MESSAGE].decode(codec if codec in _CODECS else "utf-8", "replace")
    return _BAD.sub("\N{REPLACEMENT CHARACTER}", text).strip()[:_MAX_MESSAGE]


def _ordered(commits: Mapping[str, Commit]) -> Iterator[Commit]:
    """Parents first; of those whose turn it is, the one that was committed first."""
    children: dict[str, list[str]] = {}
    waits: dict[str, int] = {}
    for commit in commits.values():
        known = [parent for parent in commit.parents if parent in commits]
        waits[commit.id] = len(known)
        for parent in known:
            children.setdefault(parent, []).append(commit.id)
    ready = [(commits[name].committed, name) for name, number in waits.items() if number == 0]
    heapq.heapify(ready)
    while ready:
        _, name = heapq.heappop(ready)
        yield commits[name]
        for child in children.get(name, ()):
            waits[child] -= 1
            if waits[child] == 0:
                heapq.heappush(ready, (commits[child].committed, child))


def _branches(ordered: tuple[Commit, ...], tips: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    names = sorted(tips)
    marks: dict[str, int] = {}
    for number, name in enumerate(names):
        marks[tips[name]] = marks.get(tips[name], 0) | 1 << number
    for commit in reversed(ordered):
        for parent in commit.parents:
            marks[parent] = marks.get(parent, 0) | marks.get(commit.id, 0)
    known: dict[int, tuple[str, ...]] = {}
    found = {}
    for commit in ordered:
        mark = marks.get(commit.id, 0)
        if mark not in known:
            known[mark] = tuple(name for number, name in enumerate(names) if mark >> number & 1)
        found[commit.id] = known[mark]
    return found
