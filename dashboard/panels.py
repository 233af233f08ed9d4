"""Runs that ask models, on one thread of the process and independent of the browsers that started
them. A panel is identified by its submission, so every browser on the submission shows the same
one. Answers are stored at once; this module keeps only who is being asked and what could not be
stored.
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
from reviewers.store.submission import load_submission

KEPT_SECONDS = 900.0
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
        problem: why it failed; empty if it did not.
    """

    reviewer: str
    model: str
    started: datetime
    again: bool = False
    state: PanelState = PanelState.WAITING
    seconds: float | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """Who is to be asked, and what.

    Attributes:
        fresh: whether to ask even where an answer is kept.
        question: what it is asked; made on the panel's own thread, since it takes a moment. None
            has it read the claims of all reviews.
    """

    config: ReviewerConfig
    question: Callable[[LlmReviewer], Question] | None
    fresh: bool = False
    again: bool = False


@dataclass(slots=True)
class _Table:
    """Who sits at one submission, and how often something has changed there."""

    asked: dict[str, AskedReviewer] = field(default_factory=dict)
    changes: int = 0
    changed: float = 0.0


class Panels:
    """All panels of this process, and the thread that asks.

    Args:
        servers: opens what connects to models; called once, on that thread.
    """

    def __init__(self, servers: Callable[[], Servers]) -> None:
        self._open = servers
        self._tables: dict[str, _Table] = {}
        self._lock = threading.Lock()
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._ready = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve()), name="panels", daemon=True
        )
        self._thread.start()
        self._ready.wait()

    def start(
        self, store: Store, submission: Submission, asks: Sequence[Ask], budget: BudgetConfig
    ) -> None:
        """Ask reviewers about a submission, concurrently and within one budget; a reviewer that is
        already being asked is skipped.
        """
        started = datetime.now(UTC)
        with self._lock:
            self._drop_old()
            table = self._tables.setdefault(submission.id, _Table())
            new = [
                ask
                for ask in asks
                if not ((known := table.asked.get(ask.config.name)) and known.state.live)
            ]
            for ask in new:
                table.asked[ask.config.name] = AskedReviewer(
                    ask.config.name, ask.config.model, started, ask.again
                )
            _touch(table)
        self._loop.call_soon_threadsafe(self._begin, store, submission, new, budget)

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

    def _begin(
        self, store: Store, submission: Submission, asks: Sequence[Ask], budget: BudgetConfig
    ) -> None:
        shared = Budget(budget)
        for ask in asks:
            at = submission.id, ask.config.name
            task = self._loop.create_task(self._ask(store, submission, ask, shared))
            self._tasks[at] = task
            task.add_done_callback(partial(self._ended, at, time.monotonic()))

    def _cancel(self, submission_id: str, reviewer: str) -> None:
        task = self._tasks.get((submission_id, reviewer))
        keeping = any(
            each.reviewer == reviewer and each.state is PanelState.KEEPING
            for each in self.at(submission_id)
        )
        if task is not None and not keeping:
            task.cancel()

    async def _ask(self, store: Store, submission: Submission, ask: Ask, budget: Budget) -> None:
        at = submission.id, ask.config.name
        if ask.question is None:
            self._note(at, state=PanelState.ASKING)
            await _read(opened_reader(self._servers, ask.config, budget, fresh=False), store, at[0])
            return

        async def checked(subject: Submission, answer: ModelAnswer) -> ClaimsReport:
            self._note(at, state=PanelState.CHECKING)
            return await asyncio.to_thread(check, subject, answer)

        reviewer = opened(self._servers, ask.config, budget, fresh=ask.fresh)
        question = await asyncio.to_thread(ask.question, reviewer)
        self._note(at, state=PanelState.ASKING)
        review = await reviewer.ask(submission, question, checked)
        self._note(at, state=PanelState.KEEPING)
        await asyncio.to_thread(store.add_review, submission.id, review)

    def _ended(self, at: tuple[str, str], started: float, task: asyncio.Task[None]) -> None:
        self._tasks.pop(at, None)
        seconds = time.monotonic() - started
        if task.cancelled():
            self._note(at, state=PanelState.CANCELLED, seconds=seconds)
        elif (error := task.exception()) is None:
            self._note(at, state=PanelState.ARRIVED, seconds=seconds)
        elif isinstance(error, AreachairError):
            self._note(at, state=PanelState.FAILED, seconds=seconds, problem=str(error))
        else:
            # A defect of ours: the log has it whole, and nobody else is disturbed by it.
            _log.error("asking %s stopped with an error", at[1], exc_info=error)
            self._note(
                at,
                state=PanelState.FAILED,
                seconds=seconds,
                problem=f"asking stopped with an error ({type(error).__name__})",
            )

    def _note(self, at: tuple[str, str], **news: object) -> None:
        with self._lock:
            table = self._tables[at[0]]
            table.asked[at[1]] = replace(table.asked[at[1]], **news)  # type: ignore[arg-type]
            _touch(table)

    def _drop_old(self) -> None:
        past = time.monotonic() - KEPT_SECONDS
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
