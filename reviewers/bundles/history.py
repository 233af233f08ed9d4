"""Reads a git repository as attempts: every distinct state of a submission's files, and the commits
that fixed them.

Nothing is checked out and nothing of the repository is obeyed: no configuration, hook, filter,
replacement, graft or alternate; links and submodules are passed over. What the work tree holds
beyond the commits is not read.
"""

import os
import re
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from reviewers.bundles.dating import dated
from reviewers.bundles.git_commits import Commit, Commits, read_commits
from reviewers.bundles.git_objects import GitObjects
from reviewers.bundles.history_fixes import FIX, HistoryFix
from reviewers.bundles.history_logs import Place, as_told, assign, with_logs
from reviewers.bundles.history_walk import Blobs, Skipped, Walk
from reviewers.bundles.search import check_name
from reviewers.errors import BundleError
from reviewers.records import DatedBy, Submission

__all__ = [
    "FIX",
    "HistoricAttempt",
    "History",
    "HistoryFix",
    "Skipped",
    "is_repository",
    "read_history",
]


@dataclass(frozen=True, slots=True)
class HistoricAttempt:
    """One distinct state of a submission's files, where the history first holds it.

    Attributes:
        submission: with lineage and attempt; its source is `REPOSITORY@COMMIT`, with `:FOLDER` or
            `:LOG` if it is not the repository itself.
        commit: the commit's id in full.
        at: when the commit was written, in UTC; None if it does not say.
        message: the commit's message.
        parents: ids of the commit's parents.
        branches: branches and tags that contain the commit (`heads/main`, `remotes/origin/main`,
            `tags/v1`).
        fix_of: id of the accepted submission that this state fixes; None if its commit is
            not a fix.
        log: path of the recorded log that alone holds this state; None if a commit holds its
            files.
    """

    submission: Submission
    commit: str
    at: datetime | None
    message: str
    parents: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    fix_of: str | None = None
    log: str | None = None


@dataclass(frozen=True, slots=True)
class History:
    """What a repository tells.

    Attributes:
        attempts: parents before children, the earlier first; several submissions are distinguished
            by their lineage.
        fixes: in the same order; a fix that was picked onto two branches is there twice.
        skipped: what could not be read, or is not followed; each once, at most 1,000 of them.
    """

    attempts: tuple[HistoricAttempt, ...]
    fixes: tuple[HistoryFix, ...]
    skipped: tuple[Skipped, ...]


def is_repository(path: str | os.PathLike[str]) -> bool:
    """Whether a folder is a repository with its history in it: a work tree with `.git`, a `.git`
    folder, or a bare repository.

    A linked work tree or submodule, whose `.git` is a file, keeps its history elsewhere and
    is not one.
    """
    try:
        return _git_folder(Path(path)) is not None
    except (OSError, ValueError):
        return False


def read_history(path: str | os.PathLike[str], fix: re.Pattern[str] = FIX) -> History:
    """Read every attempt that the branches and tags of a repository lead to.

    A recorded log that any commit holds is an answer on the attempt whose code it shows, and gives
    it its research context and run configs if it has none; code that only a log holds is an
    attempt of its own. A fix has the context of what it fixes.

    Args:
        path: a work tree or a bare repository.
        fix: what the first line of a commit's message holds where the commit fixes an accepted
            submission.

    Raises:
        BundleError: it is not a repository, cannot be read, breaks a limit, or no commit holds a
            submission.
    """
    source = os.fspath(path)
    check_name(source)
    try:
        return _history(source, fix)
    except OSError as error:
        raise BundleError(
            source, f"{error.strerror or error}; name a repository that can be read"
        ) from None


def _history(source: str, fix: re.Pattern[str]) -> History:
    folder = _git_folder(Path(source))
    if folder is None:
        raise BundleError(
            source, "it is not a git repository with its history in it; name the repository itself"
        )
    with GitObjects(folder / "objects", source) as objects:
        commits = read_commits(folder, objects, source)
        if not commits.ordered:
            why = next(
                iter(commits.missing.values()),
                "it has no branch and no tag; commit something first",
            )
            raise BundleError(source, f"no commit can be read: {why}")
        walk = Walk(source, _name(Path(source)), objects, commits, fix)
    attempts, ids = _attempts(walk, commits, source)
    if not attempts:
        why = (
            f"; {walk.skipped[0].reason}"
            if walk.skipped
            else "; it needs src/train.py or another of the documented files"
        )
        raise BundleError(
            source,
            f"none of its {len(commits.ordered)} commits contains a readable submission{why}",
        )
    fixes = tuple(
        HistoryFix(
            commit=draft.commit.id,
            at=draft.commit.at,
            message=draft.commit.message,
            before=ids[draft.accepted],
            after=ids[draft.after],
            changed=draft.changed,
            number=draft.number,
            lineage=draft.lineage,
        )
        for draft in walk.fixes
    )
    return History(attempts, fixes, walk.skipped)


def _attempts(
    walk: Walk, commits: Commits, source: str
) -> tuple[tuple[HistoricAttempt, ...], dict[Blobs, str]]:
    """The attempts in order, and the ids of the submissions by state."""
    drafts = list(walk.drafts.items())
    logs = assign(
        walk.logs, [draft.submission for _, draft in drafts], [draft.commit for _, draft in drafts]
    )
    told: dict[Blobs, Submission] = {}
    placed: list[tuple[Place, str, Commit, Submission, Blobs | None, str | None]] = []
    for number, (blobs, draft) in enumerate(drafts):
        submission = with_logs(draft.submission, logs.answers.get(number, ()))
        if draft.accepted is not None:
            submission = as_told(submission, told[draft.accepted])
        told[blobs] = submission
        placed.append(
            (
                (draft.commit, 1, 0),
                draft.lineage,
                commits.ordered[draft.commit],
                submission,
                draft.accepted,
                None,
            )
        )
    for place, shown in logs.own:
        first = shown[0]
        submission = with_logs(replace(first.submission, recorded=()), shown)
        placed.append(
            (place, first.lineage, commits.ordered[first.commit], submission, None, first.path)
        )
    numbers: dict[str, int] = {}
    known: set[str] = set()
    found = []
    for _, lineage, commit, submission, accepted, log in sorted(placed, key=lambda item: item[0]):
        if submission.id in known:
            continue
        known.add(submission.id)
        number = numbers[lineage] = numbers.get(lineage, 0) + 1
        found.append(
            HistoricAttempt(
                submission=replace(
                    _dated(submission, commit, log),
                    name=f"{lineage.rpartition('/')[2]}_{number:02}",
                    lineage=lineage,
                    attempt=number,
                ),
                commit=commit.id,
                at=commit.at,
                message=commit.message,
                parents=commit.parents,
                branches=commits.branches[commit.id],
                fix_of=None if accepted is None else told[accepted].id,
                log=log,
            )
        )
    return tuple(found), {blobs: submission.id for blobs, submission in told.items()}


def _dated(submission: Submission, commit: Commit, log: str | None) -> Submission:
    """The submission with the date of its commit; a log may have been committed long after it was
    written, and what it says itself goes first.
    """
    told = submission if log is not None else replace(submission, generated=None, remarks=())
    return dated(told, commit.at, DatedBy.COMMIT)


def _git_folder(path: Path) -> Path | None:
    for folder in (path / ".git", path):
        parts = (folder / "objects", folder / "refs")
        # Both parts must be there in a `.git` folder, so a submission that merely has a folder
        # `objects` is not a repository.
        if (
            (folder == path or not folder.is_symlink())
            and (folder / "HEAD").is_file()
            and all(part.is_dir() for part in parts)
        ):
            return folder
    return None


def _name(path: Path) -> str:
    whole = os.path.abspath(path)
    name = (
        os.path.basename(whole)
        if os.path.basename(whole) != ".git"
        else os.path.basename(os.path.dirname(whole))
    )
    return name.removesuffix(".git") or "repository"
