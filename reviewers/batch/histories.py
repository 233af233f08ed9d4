"""Imports whole repositories: every attempt is reviewed and stored with its commit, every fix
becomes an outcome.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from reviewers.batch.bundles import UNKNOWN_ORIGIN, Origin, Unread, collect_less, useful_jobs
from reviewers.batch.importing import Read, import_read
from reviewers.bundles.history import (
    FIX,
    HistoricAttempt,
    History,
    HistoryFix,
    Skipped,
    is_repository,
    read_history,
)
from reviewers.outcomes import Fix as NeededFix
from reviewers.outcomes import Outcome, Stage, outcome_of_fix
from reviewers.records import Submission, lines_of, remarks_on
from reviewers.store import Store
from reviewers.store.commits import StoredCommit, add_commit
from reviewers.store.outcomes import add_outcome

# A bare repository has none of them; its file `config` is not a folder of a submission.
_OF_WORK_TREES = (".git", "src", "pyproject.toml")

Shown = Callable[[list[HistoricAttempt]], AbstractContextManager[Iterable[HistoricAttempt]]]


@dataclass(frozen=True, slots=True)
class ImportedHistory:
    """What happened to a repository.

    Attributes:
        attempts, fixes: how many it holds.
        new_attempts, new_fixes: how many of them were new to the store, or brought something new.
        problems: one line for each attempt that could not be reviewed.
        remarks: one line for each thing that was wrong with an attempt and refused nothing.
    """

    attempts: int
    new_attempts: int
    fixes: int
    new_fixes: int
    skipped: tuple[Skipped, ...]
    problems: tuple[str, ...]
    remarks: tuple[str, ...]


def is_history(path: str, wanted: bool) -> bool:
    """Whether a path is to be read as a history: a bare repository always, a work tree where that
    is wanted.

    A folder that is a submission, too, is a submission unless the history is wanted.
    """
    if not os.path.isdir(path) or not is_repository(path):
        return False
    return wanted or not any(os.path.lexists(os.path.join(path, name)) for name in _OF_WORK_TREES)


def import_history(
    store: Store,
    path: str,
    fix: re.Pattern[str] = FIX,
    shown: Shown = nullcontext,
    origin: Origin = UNKNOWN_ORIGIN,
    jobs: int | None = 1,
    fresh: bool = False,
) -> ImportedHistory:
    """Keep what a repository tells; a second import changes nothing.

    Args:
        fix: what the first line of a commit's message holds where it fixes an accepted submission.
        origin: what a person says of the attempts.
        shown: passes the attempts on as they are worked through, for a bar to follow them.
        jobs, fresh: as `import_read` takes them; None is as many processes as are of use.

    Raises:
        BundleError: it is not a repository, cannot be read, or no commit holds a submission.
    """
    history = read_history(path, fix)
    collect_less()
    problems: list[str] = []
    remarks: list[str] = []
    new = 0
    jobs = jobs or useful_jobs(len(history.attempts))
    with shown(list(history.attempts)) as attempts:
        read = import_read(store, map(_source, attempts), origin, jobs, fresh)
        for attempt, (item, was_new) in zip(history.attempts, read, strict=True):
            if not isinstance(item, Unread):
                new += add_commit(store, item.submission.id, _commit(path, attempt)) or was_new
                remarks += remarks_on(item.submission)
            problems += item.failures
    kept = [add_outcome(store, outcome) for outcome in outcomes_in(history, store)]
    return ImportedHistory(
        attempts=len(history.attempts),
        new_attempts=new,
        fixes=len(kept),
        new_fixes=sum(kept),
        skipped=history.skipped,
        problems=tuple(problems),
        remarks=tuple(remarks),
    )


def outcomes_in(history: History, store: Store) -> Iterator[Outcome]:
    """Yield an outcome of the accepted submission for each of its fixes."""
    submissions = {attempt.submission.id: attempt.submission for attempt in history.attempts}
    left: dict[tuple[str, int], str] = {}  # what each fix made of the accepted submission
    for fix in history.fixes:
        left[fix.before, fix.number] = fix.after
        before = submissions[left.get((fix.before, fix.number - 1), fix.before)]
        needed = _needed(fix, before, submissions[fix.after])
        yield outcome_of_fix(
            submissions[fix.before], needed, fix.commit, Stage.TRIAL, fix.at or store.now()
        )


def _source(attempt: HistoricAttempt) -> tuple[Path, Read]:
    return Path(attempt.submission.source), lambda: (attempt.submission,)


def _commit(path: str, attempt: HistoricAttempt) -> StoredCommit:
    return StoredCommit(path, attempt.commit, attempt.at, attempt.message, attempt.branches)


def _needed(fix: HistoryFix, before: Submission, after: Submission) -> NeededFix:
    """The fix with the lines that it took away and put in, in the files whose lines it changed."""
    removed: list[str] = []
    added: list[str] = []
    for path in dict.fromkeys(span.file for span in fix.changed):
        old, new = (_lines(submission, path) for submission in (before, after))
        removed += (old - new).elements()
        added += (new - old).elements()
    return NeededFix(fix.changed, fix.message, removed=tuple(removed), added=tuple(added))


def _lines(submission: Submission, path: str) -> Counter[str]:
    file = submission.by_path.get(path)
    return Counter(line for line in lines_of(file.reading) if line.strip()) if file else Counter()
