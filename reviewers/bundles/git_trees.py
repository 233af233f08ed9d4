"""Finds submissions and recorded logs in the tree of a commit; each tree of the repository is
searched once.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from dulwich.errors import ObjectFormatException
from dulwich.objects import parse_tree

from reviewers.bundles.folder import CONTEXT
from reviewers.bundles.git_objects import GitObjects
from reviewers.bundles.limits import MAX_FILES, MAX_FOLDERS, is_skipped, safe_path
from reviewers.bundles.secrets import is_secret
from reviewers.errors import BundleError

MODULES = ("train.py", "evaluate.py", "preprocess.py", "model.py", "main.py")
_PARTS = ("src", "config")
_SINGLE = ("pyproject.toml", "requirements.txt", CONTEXT)
_LOG_ENDINGS = (".txt", ".log")
_MAX_PLACES = 1_000  # submissions, logs and what is left out, in one tree
_MAX_SUBMISSIONS = 200  # in one tree
_MAX_ENTRIES = 3_000_000  # over the whole reading
_MAX_VISITED = 2_000  # entries below one submission's folders

_FOLDER, _FILE, _LINK, _SUBMODULE = 0o040000, 0o100000, 0o120000, 0o160000
_KIND = 0o170000


@dataclass(frozen=True, slots=True)
class CommitState:
    """A submission's files as one commit holds them.

    Attributes:
        blobs: path within the submission and the id of its content, sorted by path.
        problem: why they cannot be read, in words without the path; empty if they can.
    """

    blobs: tuple[tuple[str, str], ...]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class TreeFiles:
    """What one tree holds.

    Attributes:
        states: by the submission's folder, `` for the tree itself.
        logs: path and id of every file that may be a recorded log.
        left: path of what was passed over, and why.
    """

    states: tuple[tuple[str, CommitState], ...]
    logs: tuple[tuple[str, str], ...]
    left: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    kind: int
    id: str


@dataclass(frozen=True, slots=True)
class _Listing:
    entries: tuple[_Entry, ...]
    left: tuple[tuple[str, str], ...]


class Trees:
    """Finds submissions: folders with one of `src/{train,evaluate,preprocess,model,main}.py` or
    with `config/config.yaml`.

    Of such a folder, `src/`, `config/`, `pyproject.toml`, `requirements.txt` and `context.json`
    belong to the submission; what else a repository holds (its README, results, workflows) does
    not.
    """

    def __init__(self, objects: GitObjects, source: str) -> None:
        self._objects = objects
        self._source = source
        self._entries = 0
        self._listings: dict[str, _Listing] = {}
        self._found: dict[tuple[str, int], TreeFiles] = {}

    def find(self, tree: str, depth: int = MAX_FOLDERS) -> TreeFiles:
        """Look through a tree and what is below it; links and submodules are not followed.

        Raises:
            BundleError: a tree is missing or damaged, or there is too much of it.
        """
        if (known := self._found.get((tree, depth))) is not None:
            return known
        listing = self._listing(tree)
        left = list(listing.left)
        logs = [(entry.name, entry.id) for entry in listing.entries if _may_be_log(entry)]
        own = self._is_submission(listing)
        states = [("", self._state(listing, left))] if own else []
        for entry in listing.entries:
            if entry.kind != _FOLDER or (own and entry.name in _PARTS):
                continue
            if depth == 0:
                left.append((entry.name, f"is nested deeper than {MAX_FOLDERS} folders"))
                continue
            below = self.find(entry.id, depth - 1)
            states += [(f"{entry.name}/{path}".rstrip("/"), state) for path, state in below.states]
            logs += [(f"{entry.name}/{path}", id) for path, id in below.logs]
            left += [(f"{entry.name}/{path}", reason) for path, reason in below.left]
            if len(states) > _MAX_SUBMISSIONS or len(states) + len(logs) + len(left) > _MAX_PLACES:
                many = f"more than {_MAX_SUBMISSIONS} submissions, or {_MAX_PLACES} with their logs"
                raise BundleError(
                    self._source, f"the commit contains {many}; name a smaller repository"
                )
        found = TreeFiles(tuple(states), tuple(logs), tuple(left))
        self._found[tree, depth] = found
        return found

    def _is_submission(self, listing: _Listing) -> bool:
        for part, names in (("src", MODULES), ("config", ("config.yaml",))):
            for entry in listing.entries:
                if entry.name == part and entry.kind == _FOLDER:
                    inside = self._listing(entry.id).entries
                    if any(file.name in names and file.kind == _FILE for file in inside):
                        return True
        return False

    def _state(self, listing: _Listing, left: list[tuple[str, str]]) -> CommitState:
        blobs: dict[str, str] = {}
        visits = iter(range(_MAX_VISITED))
        try:
            for entry in listing.entries:
                if entry.name in _PARTS and entry.kind == _FOLDER:
                    files: Iterator[tuple[str, str]] = self._files(
                        entry.id, f"{entry.name}/", MAX_FOLDERS, visits, left
                    )
                else:
                    files = iter(
                        [(entry.name, entry.id)]
                        if entry.kind == _FILE and _is_single(entry.name)
                        else []
                    )
                for path, id in files:
                    if path in blobs:
                        raise BundleError(self._source, f"it contains two files at {path[:200]!r}")
                    blobs[path] = id
                    if len(blobs) > MAX_FILES:
                        raise BundleError(
                            self._source,
                            f"it contains more than {MAX_FILES} files; name a folder in it",
                        )
        except BundleError as error:
            return CommitState((), error.problem)
        return CommitState(tuple(sorted(blobs.items())))

    def _files(
        self, tree: str, prefix: str, depth: int, visits: Iterator[int], left: list[tuple[str, str]]
    ) -> Iterator[tuple[str, str]]:
        listing = self._listing(tree)
        left += [(f"{prefix}{name}", reason) for name, reason in listing.left]
        for entry in listing.entries:
            if next(visits, None) is None:
                raise BundleError(
                    self._source, "its folders contain too much; leave data out of them"
                )
            if entry.kind == _FILE:
                yield f"{prefix}{entry.name}", entry.id
            elif depth == 0:
                raise BundleError(self._source, f"folders are nested deeper than {MAX_FOLDERS}")
            else:
                yield from self._files(entry.id, f"{prefix}{entry.name}/", depth - 1, visits, left)

    def _listing(self, tree: str) -> _Listing:
        if (known := self._listings.get(tree)) is not None:
            return known
        stored = self._objects.read(tree)
        if stored is None or stored[0] != "tree":
            raise BundleError(self._source, f"object {tree[:10]} is not a folder of a usual size")
        try:
            raw = list(parse_tree(stored[1], 20))
        except (ObjectFormatException, ValueError):
            raise BundleError(
                self._source, f"object {tree[:10]} is not a folder that can be read"
            ) from None
        self._entries += len(raw)
        if self._entries > _MAX_ENTRIES:
            raise BundleError(
                self._source,
                f"its folders contain more than {_MAX_ENTRIES:,} entries; name a smaller clone",
            )
        entries, left = [], []
        for name, mode, id in raw:
            text = name.decode("utf-8", "replace")
            if is_skipped(text):
                continue
            kind = mode & _KIND
            if problem := _problem(name, kind):
                left.append((text, problem))
            else:
                entries.append(_Entry(text, kind, id.decode("ascii")))
        listing = self._listings[tree] = _Listing(tuple(entries), tuple(left))
        return listing


def _problem(name: bytes, kind: int) -> str:
    """Why an entry is passed over; empty if it is not."""
    if kind == _LINK:
        return "is a link, which is not followed"
    if kind == _SUBMODULE:
        return "is a submodule, which is not followed"
    if kind not in (_FOLDER, _FILE):
        return "is neither a file nor a folder"
    try:
        text = name.decode()
        return (
            ""
            if safe_path(text, "") == text and "/" not in text
            else "cannot be the name of a file"
        )
    except (UnicodeDecodeError, BundleError):
        return "cannot be the name of a file"


def _is_single(name: str) -> bool:
    # A file of secrets is not part of it; it is reported, and not kept.
    return name in _SINGLE or is_secret(name)


def _may_be_log(entry: _Entry) -> bool:
    return entry.kind == _FILE and entry.name.lower().endswith(_LOG_ENDINGS)
