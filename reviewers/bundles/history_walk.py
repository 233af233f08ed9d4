"""One pass over a repository's commits: the submissions in each, the states that are new, and what
each fix changed.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from reviewers.bundles.bundle_format import without_ending
from reviewers.bundles.final_checks import lineage_of
from reviewers.bundles.folder import CONTEXT, submission_of
from reviewers.bundles.git_commits import Commit, Commits
from reviewers.bundles.git_objects import GitObjects
from reviewers.bundles.git_trees import CommitState, Trees
from reviewers.bundles.history_fixes import LineOrigins, follow
from reviewers.bundles.history_logs import FoundLog
from reviewers.bundles.limits import MAX_BYTES, MAX_FILE_BYTES
from reviewers.bundles.log import is_log, read_log
from reviewers.errors import BundleError, printable
from reviewers.records import SourceFile, Span, Submission, lines_of

SHORT = 10  # digits of a commit's id, for people
_MAX_KEPT = 15 * MAX_BYTES
_MAX_STATES = 5_000
_MAX_LOGS = 5_000
_MAX_SKIPPED = 1_000
_MAX_RENAMED = 20  # folders that one commit moves

Blobs = tuple[tuple[str, str], ...]  # paths and ids: what makes a state distinct


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something of the history that was not read.

    Attributes:
        commit: id of the first that holds it, or that could not be read itself.
        place: path within the repository; empty for the whole commit.
        reason: in words, without the place.
    """

    commit: str
    place: str
    reason: str

    def __str__(self) -> str:
        return printable(
            f"{self.commit[:SHORT]}{':' if self.place else ''}{self.place}: {self.reason}"
        )


@dataclass(frozen=True, slots=True)
class Draft:
    """A distinct state of a submission's files.

    Attributes:
        commit: position of the first commit that holds it.
        folder: where it lies there.
        accepted: the state that it fixes; None if its commit is not a fix.
    """

    submission: Submission
    commit: int
    folder: str
    lineage: str
    accepted: Blobs | None


@dataclass(frozen=True, slots=True)
class FixDraft:
    """A commit that fixes `accepted`, by the states around it."""

    commit: Commit
    accepted: Blobs
    after: Blobs
    changed: tuple[Span, ...]
    number: int
    lineage: str


@dataclass(frozen=True, slots=True)
class _Stand:
    """A submission in one commit: its state, the accepted state behind it, and how many fixes lie
    between them.
    """

    lineage: str
    blobs: Blobs
    accepted: Blobs
    origins: LineOrigins = field(default_factory=LineOrigins)
    fixes: int = 0


class Walk:
    """Reads all commits.

    Attributes:
        drafts: by state, in the order of the commits.
        fixes: in the same order.

    Raises:
        BundleError: there is more of it than is read.
    """

    def __init__(
        self, source: str, name: str, objects: GitObjects, commits: Commits, fix: re.Pattern[str]
    ) -> None:
        self.drafts: dict[Blobs, Draft] = {}
        self.fixes: list[FixDraft] = []
        self._source, self._name, self._objects, self._fix = source, name, objects, fix
        self._trees = Trees(objects, source)
        self._stands: dict[str, Mapping[str, _Stand]] = {}
        self._lineages: dict[str, str] = {}
        self._unreadable: set[Blobs] = set()
        self._contents: dict[str, bytes] = {}
        self._kept = 0
        self._logs: dict[str, FoundLog | None] = {}
        self._skipped: dict[tuple[str, str], Skipped] = {}
        self._told: set[str] = set()  # trees whose logs and oddities are known
        self._children = Counter(parent for commit in commits.ordered for parent in commit.parents)
        for name, reason in commits.missing.items():
            self._skip(name, "", reason)
        for position, commit in enumerate(commits.ordered):
            self._read(position, commit)
            self._forget(commit)

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """What was not read, each once."""
        return tuple(self._skipped.values())

    @property
    def logs(self) -> list[FoundLog]:
        """Every distinct log; one beside no submission is of the only one there is, else of a
        lineage named as itself.
        """
        lineages = {draft.lineage for draft in self.drafts.values()}
        only = lineages.pop() if len(lineages) == 1 else None
        found = [log for log in self._logs.values() if log is not None]
        return [
            log if log.lineage else replace(log, lineage=only or self._named(log.path))
            for log in found
        ]

    def _named(self, path: str) -> str:
        stem = without_ending(path, (".txt",))
        return f"{self._name}/{lineage_of(stem)[0] or stem}"

    def _read(self, position: int, commit: Commit) -> None:
        try:
            found = self._trees.find(commit.tree)
        except BundleError as error:
            self._skip(commit.id, "", error.problem)
            return
        parents = [self._stands[parent] for parent in commit.parents if parent in self._stands]
        here = {folder for folder, _ in found.states}
        stands: dict[str, _Stand] = {}
        for folder, state in found.states:
            before = _before(folder, state, parents, here)
            if before is not None and before.lineage in {
                stand.lineage for stand in stands.values()
            }:
                before = None
            default = f"{self._name}/{folder}" if folder else self._name
            lineage = self._lineages.setdefault(folder, before.lineage if before else default)
            if (
                stand := self._stand(
                    position, commit, folder, state, before, before.lineage if before else lineage
                )
            ) is not None:
                stands[folder] = stand
        self._stands[commit.id] = stands
        if commit.tree not in self._told:
            self._told.add(commit.tree)
            for path, reason in found.left:
                self._skip(commit.id, path, reason)
            for path, name in found.logs:
                if name not in self._logs:
                    self._logs[name] = self._log(position, commit, path, name, stands)

    def _forget(self, commit: Commit) -> None:
        """Let go of what no later commit will ask for."""
        for name in (commit.id, *commit.parents):
            self._children[name] -= name != commit.id
            if self._children[name] <= 0:
                self._stands.pop(name, None)

    def _stand(
        self,
        position: int,
        commit: Commit,
        folder: str,
        state: CommitState,
        before: _Stand | None,
        lineage: str,
    ) -> _Stand | None:
        if before is not None and before.blobs == state.blobs:
            return before
        is_fix = before is not None and self._fix.search(commit.subject) is not None
        draft = Draft(
            submission=Submission(name="", source="", files=()),
            commit=position,
            folder=folder,
            lineage=lineage,
            accepted=before.accepted if before is not None and is_fix else None,
        )
        if not self._drafted(draft, commit, state):
            return None
        if before is None or not is_fix:
            return _Stand(lineage, state.blobs, state.blobs)
        same = set(before.blobs) & set(state.blobs)
        texts = (self._texts(blobs, same) for blobs in (before.blobs, state.blobs))
        origins, changed = follow(before.origins, *texts)
        if changed:
            self.fixes.append(
                FixDraft(commit, before.accepted, state.blobs, changed, before.fixes + 1, lineage)
            )
        return _Stand(lineage, state.blobs, before.accepted, origins, before.fixes + bool(changed))

    def _drafted(self, draft: Draft, commit: Commit, state: CommitState) -> bool:
        """Whether the state can be read; a new one becomes a draft."""
        if state.blobs in self.drafts:
            return True
        if state.blobs in self._unreadable:
            return False
        if len(self.drafts) == _MAX_STATES:
            raise BundleError(
                self._source,
                f"it contains more than {_MAX_STATES} states of submissions; name a smaller clone",
            )
        source = f"{self._source}@{commit.id[:SHORT]}" + (
            f":{draft.folder}" if draft.folder else ""
        )
        try:
            if state.problem:
                raise BundleError(source, state.problem)
            files = {path: self._content(path, name) for path, name in state.blobs}
            self.drafts[state.blobs] = replace(
                draft, submission=submission_of(files, source, self._name)
            )
        except BundleError as error:
            # States whose folders could not be listed share one empty list of files: each is
            # reported on its own.
            if state.blobs:
                self._unreadable.add(state.blobs)
            self._skip(commit.id, draft.folder, error.problem)
            return False
        return True

    def _content(self, path: str, name: str) -> bytes:
        if name not in self._contents:
            stored = self._objects.read(name)
            if stored is None:
                raise BundleError(
                    self._source,
                    f"{path} is larger than {MAX_FILE_BYTES // 1_000_000} MB; leave data out of it",
                )
            self._kept += len(stored[1])
            if stored[0] != "blob" or self._kept > _MAX_KEPT:
                raise BundleError(
                    self._source,
                    f"{path} is not a file, or there are more than {_MAX_KEPT // 1_000_000} MB of"
                    " them",
                )
            self._contents[name] = stored[1]
        return self._contents[name]

    def _texts(self, blobs: Blobs, same: set[tuple[str, str]]) -> dict[str, Sequence[str]]:
        """The lines of the files that are not the same; the research context is not one of them."""
        changed = (blob for blob in blobs if blob not in same and blob[0] != CONTEXT)
        return {
            path: lines_of(SourceFile(path, self._contents[name]).text) for path, name in changed
        }

    def _log(
        self, position: int, commit: Commit, path: str, name: str, stands: Mapping[str, _Stand]
    ) -> FoundLog | None:
        try:
            stored = self._objects.read(name)
            if stored is None or not is_log(stored[1]):
                return None
            if len(self._logs) > _MAX_LOGS:
                raise BundleError(self._source, f"it contains more than {_MAX_LOGS} logs")
            log = read_log(
                stored[1], f"{self._source}@{commit.id[:SHORT]}:{path}", path.rpartition("/")[2]
            )
        except BundleError as error:
            self._skip(commit.id, path, error.problem)
            return None
        return FoundLog(log, path, position, _beside(path, stands))

    def _skip(self, commit: str, place: str, reason: str) -> None:
        if len(self._skipped) < _MAX_SKIPPED:
            self._skipped.setdefault((place or commit, reason), Skipped(commit, place, reason))


def _before(
    folder: str, state: CommitState, parents: Sequence[Mapping[str, _Stand]], here: set[str]
) -> _Stand | None:
    """The submission as a parent holds it, in this folder or in one that this commit renamed; best
    one in the same state.
    """
    found = [
        stand
        for parent in parents
        if (stand := parent.get(folder) or _renamed(state, parent, here)) is not None
    ]
    return next(
        (stand for stand in found if stand.blobs == state.blobs), found[0] if found else None
    )


def _renamed(state: CommitState, parent: Mapping[str, _Stand], here: set[str]) -> _Stand | None:
    """The parent's submission that left its folder and of whose files at least half are in this
    one.
    """
    names = {name for _, name in state.blobs}
    if len(parent.keys() - here) > _MAX_RENAMED:
        return None
    shared = [
        (len(names & {name for _, name in stand.blobs}), folder)
        for folder, stand in parent.items()
        if folder not in here
    ]
    most, folder = max(shared, default=(0, ""))
    return parent[folder] if most * 2 >= len(names) > 0 and most else None


def _beside(path: str, stands: Mapping[str, _Stand]) -> str:
    """The lineage of the submission whose folder shares most of the path's folders; empty where
    none or several do.
    """
    parts = path.split("/")[:-1]
    shared: dict[int, set[str]] = {}
    for folder, stand in stands.items():
        own = folder.split("/") if folder else []
        common = next(
            (at for at, (one, other) in enumerate(zip(own, parts, strict=False)) if one != other),
            min(len(own), len(parts)),
        )
        if common or not folder or len(stands) == 1:
            shared.setdefault(common, set()).add(stand.lineage)
    best = shared[max(shared)] if shared else set()
    return best.pop() if len(best) == 1 else ""
