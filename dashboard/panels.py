"""Runs that ask models, on one thread of the process and independent of the browsers that started
them. A panel is identified by its submission, so every browser on the submission shows the same
one; what was asked for with one click is a batch. Answers are stored at once; this module keeps
only who is being asked and what could not be stored.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from itertools import count

from dashboard.estimates import answer_of, questioner
from reviewers.backends.budgeted import Budget
from reviewers.backends.configured import BudgetConfig, ReviewerConfig
from reviewers.backends.factory import Servers
from reviewers.batch.reading import read_claims
from reviewers.claims.report import ClaimsReport
from reviewers.errors import AreachairError
from reviewers.panel.checking import check
from reviewers.panel.llm import LlmReviewer, Question, opened
from reviewers.panel.model_reader import ModelReader, opened_reader
from reviewers.panel.reply import ModelAnswer
from reviewers.records import Submission
from reviewers.store import Store
from reviewers.store.submission import SubmissionRecord, load_submission

KEPT_SECONDS = 900.0
_AT_ONCE = 16  # of one batch; each server has a limit of its own besides
_At = tuple[int, str, str]  # number of the batch, submission, reviewer
_PATIENCE_SECONDS = 10.0

_log = logging.getLogger(__name__)


class PanelState(StrEnum):
    """How far a reviewer is."""

    WAITING = "waiting"
    ASKING = "asking"
    CHECKING = "checking"
    KEEPING = "keeping"
    ARRIVED = "arrived"  # its review is in the store, be it a verdict or a failure
    FAILED = "failed"  # nothing is in the store, and `Asked.problem` says why
    CANCELLED = "cancelled"

    @property
    def live(self) -> bool:
        """Whether something is still to come."""
        return self not in {PanelState.ARRIVED, PanelState.FAILED, PanelState.CANCELLED}


@dataclass(frozen=True, slots=True)
class AskedReviewer:
    """The current state of one reviewer in a panel.

    Attributes:
        again: whether it is shown the evidence against its review, instead of asked for a first
            look.
        seconds: from being asked to the end; None while it lasts.
        problem: why it failed, or why its review, which is in the store, has no verdict; empty if
            it has one.
        usd: what it cost; None if that is not known.
        about: the submission's name; empty until its turn comes.
    """

    reviewer: str
    model: str
    started: datetime
    again: bool = False
    state: PanelState = PanelState.WAITING
    seconds: float | None = None
    problem: str = ""
    usd: float | None = None
    about: str = ""


MakeQuestion = Callable[[LlmReviewer, SubmissionRecord], Question]


def first_look(reviewer: LlmReviewer, record: SubmissionRecord) -> Question:
    """Return what a reviewer that does not know the submission is asked."""
    return reviewer.first_look(record.submission)


@dataclass(frozen=True, slots=True)
class Ask:
    """Who is to be asked, and what.

    Attributes:
        fresh: whether to ask even where an answer is kept; who answered this very question already
            is always asked afresh.
        question: what it is asked; made when its turn comes, since it takes a moment. None has it
            read the claims of all reviews.
        unless_answered: whether to leave out who gave a verdict on this very question already.
    """

    submission_id: str
    config: ReviewerConfig
    question: MakeQuestion | None = first_look
    fresh: bool = False
    again: bool = False
    unless_answered: bool = False

    @property
    def at(self) -> tuple[str, str]:
        """The submission's id, and the reviewer's name."""
        return self.submission_id, self.config.name


@dataclass(slots=True)
class _Table:
    """Who sits at one submission, and how often something has changed there."""

    asked: dict[str, AskedReviewer] = field(default_factory=dict)
    changes: int = 0
    changed: float = 0.0


@dataclass(slots=True)
class Batch:
    """What was asked for with one click.

    Attributes:
        by: who asked.
        asked: by the submission's id and the reviewer's name; who was being asked already is not
            among them.
    """

    number: int
    by: str
    started: datetime
    asked: dict[tuple[str, str], AskedReviewer]

    @property
    def live(self) -> bool:
        """Whether something is still to come."""
        return any(each.state.live for each in self.asked.values())


class Panels:
    """All panels of this process, and the thread that asks.

    Args:
        servers: opens what connects to models; called once, on that thread.
    """

    def __init__(self, servers: Callable[[], Servers]) -> None:
        self._open = servers
        self._tables: dict[str, _Table] = {}
        self._batches: dict[int, Batch] = {}
        self._numbers = count(1)
        self._lock = threading.Lock()
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._ready = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve()), name="panels", daemon=True
        )
        self._thread.start()
        self._ready.wait()

    def start(self, store: Store, asks: Sequence[Ask], budget: BudgetConfig, by: str = "") -> int:
        """Ask reviewers, some at a time and within one budget; a reviewer that is already being
        asked about a submission is skipped. Return the number of the batch.
        """
        started = datetime.now(UTC)
        new: dict[tuple[str, str], Ask] = {}
        with self._lock:
            self._drop_old()
            for ask in asks:
                table = self._tables.setdefault(ask.submission_id, _Table())
                known = table.asked.get(ask.config.name)
                if known is None or not known.state.live:
                    new[ask.at] = ask
                    table.asked[ask.config.name] = AskedReviewer(
                        ask.config.name, ask.config.model, started, ask.again
                    )
                _touch(table)
            number = next(self._numbers)
            asked = {at: self._tables[at[0]].asked[at[1]] for at in new}
            self._batches[number] = Batch(number, by, started, asked)
        self._loop.call_soon_threadsafe(self._begin, store, number, list(new.values()), budget)
        return number

    def batch(self, number: int) -> Batch | None:
        """Return a batch as it is now; None if it ended some time ago."""
        with self._lock:
            batch = self._batches.get(number)
            return batch and replace(batch, asked=dict(batch.asked))

    def batches(self) -> Sequence[Batch]:
        """Return the batches that are under way or ended a short time ago, the oldest first."""
        with self._lock:
            self._drop_old()
            return [replace(batch, asked=dict(batch.asked)) for batch in self._batches.values()]

    def cancel_batch(self, number: int) -> None:
        """Stop asking all of a batch that have not answered yet."""
        if batch := self.batch(number):
            for at, asked in batch.asked.items():
                if asked.state.live:
                    self.cancel(*at)

    def cancel(self, submission_id: str, reviewer: str) -> None:
        """Stop asking a reviewer; an answer that is being kept already stays."""
        self._loop.call_soon_threadsafe(self._cancel, submission_id, reviewer)

    def at(self, submission_id: str) -> tuple[AskedReviewer, ...]:
        """Return the reviewers that are being or were recently asked about a submission."""
        with self._lock:
            table = self._tables.get(submission_id)
            return tuple(table.asked.values()) if table else ()

    def changes(self, submission_id: str) -> int:
        """Return a number that differs from the one before whenever something has changed."""
        with self._lock:
            table = self._tables.get(submission_id)
            return table.changes if table else 0

    def close(self) -> None:
        """Stop asking everyone, and let go of all connections."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(_PATIENCE_SECONDS)

    async def _serve(self) -> None:
        self._loop, self._stop, self._servers = (
            asyncio.get_running_loop(),
            asyncio.Event(),
            self._open(),
        )
        self._ready.set()
        await self._stop.wait()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._servers.close()

    def _begin(self, store: Store, number: int, asks: Sequence[Ask], budget: BudgetConfig) -> None:
        # A lane of its own: who asks about one submission does not wait behind a thousand others.
        shared, lane = Budget(budget), asyncio.Semaphore(_AT_ONCE)
        for ask in asks:
            at = number, *ask.at
            task = self._loop.create_task(self._in_lane(lane, store, at, ask, shared))
            self._tasks[ask.at] = task
            task.add_done_callback(partial(self._ended, at, time.monotonic()))

    async def _in_lane(
        self, lane: asyncio.Semaphore, store: Store, at: _At, ask: Ask, budget: Budget
    ) -> None:
        async with lane:
            await self._ask(store, at, ask, budget)

    def _cancel(self, submission_id: str, reviewer: str) -> None:
        task = self._tasks.get((submission_id, reviewer))
        keeping = any(
            each.reviewer == reviewer and each.state is PanelState.KEEPING
            for each in self.at(submission_id)
        )
        if task is not None and not keeping:
            task.cancel()

    async def _ask(self, store: Store, at: _At, ask: Ask, budget: Budget) -> None:
        id = ask.submission_id
        self._note(at, state=PanelState.ASKING)
        if ask.question is None:
            await _read(opened_reader(self._servers, ask.config, budget, fresh=False), store, id)
            return
        record = await asyncio.to_thread(load_submission, store, id)
        self._note(at, about=record.submission.name)
        question = await asyncio.to_thread(ask.question, questioner(ask.config), record)
        known = answer_of(record, ask.config.name, question)
        if ask.unless_answered and known is not None and known.review.verdict is not None:
            return

        async def checked(subject: Submission, answer: ModelAnswer) -> ClaimsReport:
            self._note(at, state=PanelState.CHECKING)
            return await asyncio.to_thread(check, subject, answer)

        fresh = ask.fresh or known is not None
        reviewer = opened(self._servers, ask.config, budget, fresh=fresh)
        review = await reviewer.ask(record.submission, question, checked)
        self._note(at, state=PanelState.KEEPING)
        await asyncio.to_thread(store.add_review, id, review)
        self._note(at, problem=review.failure or "", usd=review.cost_usd)

    def _ended(self, at: _At, started: float, task: asyncio.Task[None]) -> None:
        self._tasks.pop(at[1:], None)
        seconds = time.monotonic() - started
        if task.cancelled():
            self._note(at, state=PanelState.CANCELLED, seconds=seconds)
        elif (error := task.exception()) is None:
            self._note(at, state=PanelState.ARRIVED, seconds=seconds)
        elif isinstance(error, AreachairError):
            self._note(at, state=PanelState.FAILED, seconds=seconds, problem=str(error))
        else:
            # A defect of ours: the log has it whole, and nobody else is disturbed by it.
            _log.error("asking %s stopped with an error", at[2], exc_info=error)
            self._note(
                at,
                state=PanelState.FAILED,
                seconds=seconds,
                problem=f"asking stopped with an error ({type(error).__name__})",
            )

    def _note(self, at: _At, **news: object) -> None:
        number, id, name = at
        with self._lock:
            table = self._tables[id]
            table.asked[name] = replace(table.asked[name], **news)  # type: ignore[arg-type]
            self._batches[number].asked[id, name] = table.asked[name]
            _touch(table)

    def _drop_old(self) -> None:
        past = time.monotonic() - KEPT_SECONDS
        for number, batch in list(self._batches.items()):
            age = (datetime.now(UTC) - batch.started).total_seconds()
            if age > KEPT_SECONDS and not batch.live:
                del self._batches[number]
        for id, table in list(self._tables.items()):
            if table.changed < past and not any(asked.state.live for asked in table.asked.values()):
                del self._tables[id]


async def _read(reader: ModelReader, store: Store, submission_id: str) -> None:
    record = await asyncio.to_thread(load_submission, store, submission_id)
    reviews = [stored.review for stored in record.reviews]
    failure = await read_claims(store, record.submission, reviews, reader, asyncio.to_thread)
    if failure:
        raise AreachairError(failure)


def _touch(table: _Table) -> None:
    table.changes += 1
    table.changed = time.monotonic()
