"""What workers can do. A task is a function of a `Bench` (the open store and what else a worker
lends it) and of its arguments, which are JSON; it may be begun again after its worker died, so what
it has kept already must not be done twice.

Tasks that ask models are coroutines, many of which run in one worker; all others run one at a time.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from reviewers import settings
from reviewers.backends.budgeted import Budget
from reviewers.backends.configured import ReviewerConfig, load
from reviewers.backends.factory import Servers
from reviewers.backends.scripted import Scripted
from reviewers.batch import Unread
from reviewers.batch.effective_reviews import effective_reviews
from reviewers.batch.importing import Read, import_bundles, import_read
from reviewers.batch.reading import judge_again, read_claims
from reviewers.batch.repairing import made_as_wanted
from reviewers.bundles import bundle_paths, open_bundles
from reviewers.claims.report import ClaimsReport
from reviewers.errors import AreachairError, ReviewerError
from reviewers.jobs.exporting import exported
from reviewers.jobs.handing_in import ExportedAs
from reviewers.jobs.names import (
    ASK,
    ASKING,
    CHECKING,
    CLAIMS,
    EXPORT,
    FIRST,
    IMPORT,
    KEEPING,
    MEND,
    NEW,
    READ,
    REPAIRS,
    RULES,
    SECOND,
    UPLOAD,
)
from reviewers.jobs.scratch import scratch
from reviewers.panel.checking import check
from reviewers.panel.llm import LlmReviewer, Question, opened
from reviewers.panel.model_reader import opened_reader
from reviewers.panel.reply import ModelAnswer
from reviewers.panel.review import review_all
from reviewers.panel.version import own_version
from reviewers.records import Review, Submission, counted
from reviewers.repairs.attempt import as_attempt
from reviewers.store import Store
from reviewers.store.full_record import kept_ids
from reviewers.store.repairs import keep_repairs, repairs_of
from reviewers.store.submission import SubmissionRecord, load_submission

_ODD = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What a worker lends a job.

    Attributes:
        submission_id: what the job is about; empty if it is about none.
        about: what it is called on screen; an uploaded file's name.
        data: reads what was handed in with the job: an uploaded file.
        keep: keeps the file that the job makes, given in pieces, for who handed it in; returns its
            bytes.
        servers, budget: for what asks models.
        turn: lets only so many of the worker's jobs ask a server as that takes at a time: who waits
            has nothing reserved.
        tell: says in a word how far the job is; raises `Stopped` if it is no longer the worker's.
    """

    store: Store
    submission_id: str
    about: str
    data: Callable[[], bytes]
    keep: Callable[[Iterable[bytes]], int]
    servers: Servers
    budget: Budget
    turn: Callable[[ReviewerConfig], asyncio.Semaphore]
    tell: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class JobResult:
    """What became of a job.

    Attributes:
        words: what to say of it.
        problem: what is wrong with its result; empty if nothing.
        review: to be kept together with the end of the job.
        failed: whether nothing came of it.
    """

    words: str = ""
    problem: str = ""
    review: Review | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """One kind of work.

    Attributes:
        run: returns what became of it, or raises an AreachairError that says what to do; a plain
            function runs on a thread.
        at_once: jobs of this kind, together with others of the same number, in one worker.
    """

    run: Callable[..., JobResult | Awaitable[JobResult]]
    at_once: int = 1


async def ask(
    bench: Bench,
    reviewer: str,
    made_up: bool = False,
    look: str = FIRST,
    fresh: bool = False,
    unless_answered: bool = False,
) -> JobResult:
    """Ask a model for its review of a submission.

    Args:
        made_up: whether it may be one that is not configured, such as `openai:MODEL`.
        look: `FIRST` or `SECOND`.
        fresh: whether to ask even where an answer is kept; who answered this very question already
            is always asked afresh.
        unless_answered: whether to leave out who gave a verdict on this very question already.
    """
    config = _configured(reviewer, made_up)
    bench.tell(ASKING)
    record = await asyncio.to_thread(load_submission, bench.store, bench.submission_id)
    question = await asyncio.to_thread(_question, config, record, look)
    if question is None:
        return JobResult("nothing contradicts its review any more")
    known = _answer(record, config.name, question)
    if known is not None and known.verdict is not None and unless_answered:
        return JobResult("had answered already")

    async def checked(subject: Submission, answer: ModelAnswer) -> ClaimsReport:
        bench.tell(CHECKING)
        return await asyncio.to_thread(check, subject, answer)

    asked = opened(bench.servers, config, bench.budget, fresh=fresh or known is not None)
    async with bench.turn(config):
        review = await asked.ask(record.submission, question, checked)
    bench.tell(KEEPING)
    return JobResult(problem=review.failure or "", review=review)


async def read(bench: Bench, reviewer: str, made_up: bool = False) -> JobResult:
    """Have a model read the claims of all reviews of a submission."""
    config = _configured(reviewer, made_up)
    bench.tell(ASKING)
    record = await asyncio.to_thread(load_submission, bench.store, bench.submission_id)
    reader = opened_reader(bench.servers, config, bench.budget, fresh=False)
    reviews = [stored.review for stored in record.reviews]
    failure = await read_claims(bench.store, record.submission, reviews, reader, asyncio.to_thread)
    return JobResult(problem=failure, failed=bool(failure))


def run_rules(bench: Bench) -> JobResult:
    """Run the rules on a submission again."""
    bench.tell(CHECKING)
    submission = load_submission(bench.store, bench.submission_id).submission
    (review,) = review_all(submission, ("rules",))
    changed = bench.store.add_review(submission.id, review)
    words = "gave a new result" if changed else "gave the same result as before"
    return JobResult(f"the rules {words}")


def check_claims(bench: Bench) -> JobResult:
    """Check all claims on a submission again."""
    submission = load_submission(bench.store, bench.submission_id).submission
    return JobResult(f"{judge_again(bench.store, submission):,} claims checked")


def repair(bench: Bench, taken: Mapping[str, str] | None = None) -> JobResult:
    """Prove the repairs of a submission and keep them.

    Args:
        taken: only these, by finding id, each in the way that `way_key` or `edit_key` names; None
            for all.
    """
    version = own_version()
    known = repairs_of(bench.store, bench.submission_id, version)
    if known.plan if taken is None else taken == known.wanted and known.made:
        return JobResult("the repairs were proven before")
    bench.tell(CHECKING)
    submission = load_submission(bench.store, bench.submission_id).submission
    proven, _ = made_as_wanted(known, submission, taken)
    bench.tell(KEEPING)
    keep_repairs(bench.store, submission.id, version, proven, taken)
    return JobResult(counted(len(proven.offers.repairs), "repair"))


def mend(bench: Bench, taken: Mapping[str, str] | None = None) -> JobResult:
    """Store the repaired version of a submission as an attempt of its own, with its review by the
    rules.

    Args:
        taken: as in `repair`.
    """
    bench.tell(CHECKING)
    submission = load_submission(bench.store, bench.submission_id).submission
    known = repairs_of(bench.store, submission.id, own_version())
    _, last = made_as_wanted(known, submission, taken)
    if last.id == submission.id:
        return JobResult(problem="nothing of it could be repaired", failed=True)
    made = as_attempt(submission, last)
    reviews = review_all(made, ("rules",))
    bench.tell(KEEPING)
    bench.store.add(made, reviews)
    return JobResult("stored as an attempt")


def import_paths(bench: Bench, paths: Sequence[str]) -> JobResult:
    """Import what lies at paths of the worker's machine."""
    found = bundle_paths(list(paths))
    return _import(bench, import_bundles(bench.store, found), len(found))


def import_upload(bench: Bench) -> JobResult:
    """Import an uploaded file."""
    read: Read = partial(uploaded_bundles, bench.about, bench.data())
    return _import(bench, import_read(bench.store, [(Path(bench.about), read)]), 1)


def export(bench: Bench, kind: str, owner: str, key: str) -> JobResult:
    """Export the submissions that were handed in, by id; one that was deleted since is left out.

    Args:
        owner: whose file it is.
        key: lets them have it.
    """
    known = {*kept_ids(bench.store)}
    given = bench.data().decode().split()
    ids = [id for id in given if id in known]
    size = bench.keep(exported(bench.store, ids, ExportedAs(kind), bench.tell))
    left = f", {len(given) - len(ids):,} no longer there" * (len(ids) < len(given))
    return JobResult(f"{counted(len(ids), 'submission')}, {size / 1e6:,.1f} MB{left}")


TASKS: Mapping[str, Task] = {
    ASK: Task(ask, at_once=16),
    READ: Task(read, at_once=16),
    RULES: Task(run_rules),
    CLAIMS: Task(check_claims),
    # Somebody looks at the submission and waits: not behind imports, nor they behind these.
    REPAIRS: Task(repair, at_once=3),
    MEND: Task(mend, at_once=3),
    IMPORT: Task(import_paths),
    UPLOAD: Task(import_upload),
    # It takes minutes, and nobody's rules or uploads wait for it.
    EXPORT: Task(export, at_once=2),
}


def uploaded_bundles(name: str, data: bytes) -> tuple[Submission, ...]:
    """Return the submissions of an uploaded file.

    Raises:
        BundleError: it cannot be read.
    """
    with scratch() as folder:
        path = folder / (
            _ODD.sub("_", Path(name.replace("\\", "/")).name)[-100:].lstrip(".") or "upload"
        )
        path.write_bytes(data)
        return tuple(
            replace(submission, source=f"uploaded {name}") for submission in open_bundles(path)
        )


def _import(bench: Bench, items: Iterable[tuple[Any, bool]], bundles: int) -> JobResult:
    new = known = 0
    refused: list[str] = []
    remarks: list[str] = []
    for item, was_new in items:
        if isinstance(item, Unread):
            refused.append(item.reason if bundles == 1 else item.problem)
        else:
            new += was_new
            known += not was_new
            remarks += item.submission.remarks
        bench.tell(f"{new + known:,} read")
    words = [f"{new} {NEW}"] * bool(new) + [f"{known} already known"] * bool(known)
    words += refused[:1] + remarks[:1]
    none = not new and not known
    return JobResult(", ".join(words), problem=refused[0] if refused else "", failed=none)


def _configured(name: str, made_up: bool) -> ReviewerConfig:
    return load(settings.reviewers_file()).find(name, made_up=made_up)


def _question(config: ReviewerConfig, record: SubmissionRecord, look: str) -> Question | None:
    """What it is asked; None if there is no evidence to show it."""
    questioner = LlmReviewer(config, Scripted(()))
    if look == FIRST:
        return questioner.first_look(record.submission)
    if look != SECOND:
        raise ReviewerError(f"there is no look {look!r}")
    reviews = effective_reviews(record)
    names = (name for name, each in reviews.stored.items() if each.review.reviewer == config.name)
    shown = next(filter(None, map(reviews.to_show, names)), None)
    return shown and questioner.second_look(record.submission, *shown)


def _answer(record: SubmissionRecord, name: str, question: Question) -> Review | None:
    """A reviewer's current review where that is the answer to this very question."""
    answers = (stored.review for stored in record.reviews if stored.review.reviewer == name)
    return next((review for review in answers if review.request == question.id), None)


class Stopped(AreachairError):
    """The job is no longer the worker's: it was cancelled, or given to another one."""
