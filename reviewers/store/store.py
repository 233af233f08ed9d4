"""The store: opening it, and every write to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Engine, insert, select, text

from reviewers.errors import StoreError
from reviewers.records import Review, Ruling, Severity, Span, Submission, Verdict
from reviewers.roles import Act
from reviewers.store.attempts import recognise_all, recognise_around
from reviewers.store.authors import Signer, sign
from reviewers.store.bulk import keep_decisions
from reviewers.store.engine import (
    WAIT_SECONDS,
    cannot_be_written,
    make_engine,
    one_line_errors,
    place_of,
    write_nothing,
)
from reviewers.store.human_input import HumanInput, counted_rulings, said_in
from reviewers.store.insert import (
    hold_everything,
    hold_for_adding,
    keep_review,
    keep_submission,
    name_contract,
    numbered,
    unnamed,
)
from reviewers.store.migrate import is_newest, migrate
from reviewers.store.people import has_finding, keep_finding, keep_remark, signed, written_finding
from reviewers.store.refresh import count_readers, outdated, refresh
from reviewers.store.rollups import count_anew, recount, settle
from reviewers.store.tables import rulings, submissions
from reviewers.store.upkeep import do_some, free_pages, is_left

Guard = Callable[[Act | None], None]
"""Raises NotPermitted where an act is not allowed."""


def _now() -> datetime:
    return datetime.now(UTC)


def _allow(act: Act | None) -> None:
    """Allow everything: who opens a store by its address is the machine's owner."""


class Store:
    """SQLite by default (WAL), PostgreSQL by URL; safe to share between threads."""

    def __init__(
        self, engine: Engine, clock: Callable[[], datetime] = _now, guard: Guard = _allow
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._guard = guard

    @classmethod
    def open(cls, url: str, *, clock: Callable[[], datetime] = _now) -> Store:
        """Open the store and migrate it to the newest tables; missing folders are created.

        Args:
            clock: returns the aware time of new records.

        Raises:
            StoreError: it cannot be opened, or was written by a newer areachair.
        """
        store = cls(make_engine(url), clock)
        try:
            store._bring_up_to_date()
        except StoreError:
            store.close()
            raise
        return store

    def guarded(self, guard: Guard) -> Store:
        """Return the same store for somebody who may not do everything.

        Args:
            guard: is given an act before anything is written for it, None for one without a name,
                and raises NotPermitted to refuse it.
        """
        return Store(self._engine, self._clock, guard)

    def close(self) -> None:
        """Close the database; the store cannot be used afterwards."""
        self._engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection whose queries all see the same state and write nothing; every error of
        the database becomes a StoreError.
        """
        with one_line_errors(self._engine), self._engine.connect() as connection:
            if connection.dialect.name == "postgresql":
                connection.execution_options(
                    isolation_level="REPEATABLE READ", postgresql_readonly=True
                )
            with write_nothing(connection), connection.begin():
                yield connection

    @contextmanager
    def writing(self, *acts: Act | None) -> Iterator[Connection]:
        """Open a transaction after waiting for other writers: all writes are stored or none.

        Args:
            acts: what is done in it; what is not named is allowed to operators only.

        Raises:
            NotPermitted: the store is guarded, and refuses one of the acts.
        """
        for act in acts or (None,):
            self._guard(act)
        with one_line_errors(self._engine), self._engine.connect() as connection:
            # SQLite: a transaction that reads before it writes would fail if another one wrote in
            # between.
            connection.execution_options(begin="BEGIN IMMEDIATE")
            with connection.begin():
                if connection.dialect.name == "postgresql":
                    connection.execute(text(f"SET LOCAL lock_timeout = '{WAIT_SECONDS}s'"))
                yield connection
                settle(connection)

    @contextmanager
    def outside(self) -> Iterator[Connection]:
        """Open a connection without a transaction, for what a database does in none.

        Raises:
            NotPermitted: the store is guarded against those who are no operators.
        """
        self._guard(None)
        with one_line_errors(self._engine), self._engine.connect() as connection:
            yield connection.execution_options(begin="")

    @contextmanager
    def listening(self, channel: str) -> Iterator[Callable[[float], None]]:
        """Give what waits so many seconds at most, and less where another process announces
        something on the channel meanwhile; SQLite has no channels.
        """
        if self.is_local:
            yield time.sleep
            return
        with one_line_errors(self._engine), self._engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT")
            driver: Any = connection.connection.driver_connection
            connection.execute(text(f"LISTEN {channel}"))

            def wait(seconds: float) -> None:
                for _ in driver.notifies(timeout=seconds, stop_after=1):
                    pass

            try:
                yield wait
            finally:
                connection.execute(text(f"UNLISTEN {channel}"))

    @property
    def is_local(self) -> bool:
        """Whether it is a file of this machine."""
        return self._engine.dialect.name == "sqlite"

    @property
    def place(self) -> str:
        """Its location for people: a file, or server and database without user and password."""
        return place_of(self._engine.url)

    def now(self) -> datetime:
        """Return the aware time of a record written now."""
        return self._clock()

    def add(self, submission: Submission, reviews: tuple[Review, ...] = ()) -> bool:
        """Store a submission and its reviews in one transaction; False if nothing was new."""
        return self.add_many([(submission, reviews)])[0]

    def add_many(self, items: Sequence[tuple[Submission, tuple[Review, ...]]]) -> list[bool]:
        """Store submissions with their reviews in one transaction, all or none; return for each
        whether anything was new.
        """
        changed: list[bool] = []
        new: list[int] = []
        with self.writing(Act.IMPORT) as connection:
            hold_for_adding(connection, [submission.id for submission, _ in items])
            for submission, reviews in items:
                at = self._clock()
                number, is_new = keep_submission(connection, submission, at)
                kept = [keep_review(connection, number, review, at) for review in reviews]
                changed.append(is_new or any(kept))
                if changed[-1]:
                    refresh(connection, number)
                if is_new:
                    new.append(number)
            if new:
                recognise_around(connection, new)
        return changed

    def add_review(self, submission_id: str, review: Review) -> bool:
        """Store a review; False if the same one (apart from seconds) is stored already. The newest
        of a reviewer is the current one.

        Recorded answers are all called `recorded`; each of them is a separate reviewer here.

        Raises:
            UnknownSubmission: the store has no submission with this id.
        """
        with self.writing(Act.REVIEW) as connection:
            number = numbered(connection, submission_id)
            changed = keep_review(connection, number, review, self._clock())
            if changed:
                refresh(connection, number)
            return changed

    def decide(
        self,
        submission_id: str,
        verdict: Verdict | None,
        reason: str,
        author: str | Signer,
        *,
        blind: bool | None = None,
    ) -> None:
        """Add a person's verdict; None withdraws the previous one and needs no reason.

        Args:
            blind: whether the person had not seen others' opinions of it; None if unknown.

        Raises:
            StoreError: the reason or author is empty, or there is nothing to withdraw.
            UnknownSubmission: the store has no submission with this id.
        """
        reason, signer = signed(reason, author, needs_reason=verdict is not None, deed="a decision")
        with self.writing(Act.DECIDE) as connection:
            unseen = None if blind is None else [submission_id] * blind
            if not keep_decisions(
                connection, [submission_id], verdict, reason, signer, self._clock(), unseen
            ):
                raise StoreError("there is no decision to withdraw")

    def decide_many(
        self,
        submission_ids: Iterable[str],
        verdict: Verdict | None,
        reason: str,
        author: str | Signer,
        *,
        blind: Collection[str] | None = None,
    ) -> int:
        """Add one verdict on each of many submissions, on all or on none; return the number of new
        records.

        Args:
            verdict: None withdraws existing decisions and needs no reason.
            blind: the ids on which the person had not seen others' opinions; None if unknown.

        Raises:
            StoreError: the reason or author is empty.
            UnknownSubmission: the store has no submission with one of the ids.
        """
        reason, signer = signed(reason, author, needs_reason=verdict is not None, deed="a decision")
        with self.writing(Act.DECIDE) as connection:
            return keep_decisions(
                connection, submission_ids, verdict, reason, signer, self._clock(), blind
            )

    def rule_on(
        self,
        submission_id: str,
        finding_id: str,
        ruling: Ruling,
        reason: str,
        author: str | Signer,
        *,
        blind: bool | None = None,
    ) -> None:
        """Add a person's ruling on a finding; a dismissal needs a reason.

        Args:
            blind: whether the person had not seen others' opinions of the submission; None if
                unknown.

        Raises:
            StoreError: the author or a dismissal's reason is empty, no review has the finding, or
                there is nothing to withdraw.
            UnknownSubmission: the store has no submission with this id.
        """
        reason, signer = signed(
            reason, author, needs_reason=ruling is Ruling.DISMISS, deed="a dismissal"
        )
        with self.writing(Act.RULE) as connection:
            number = numbered(connection, submission_id)
            if not has_finding(connection, number, submission_id, finding_id):
                raise StoreError(
                    "no review of this submission has this finding; load the submission again"
                )
            if ruling is Ruling.WITHDRAWN and finding_id not in counted_rulings(
                connection, submission_id
            ):
                raise StoreError("there is no ruling to withdraw")
            values = {"submission_id": submission_id, "finding_id": finding_id, "ruling": ruling}
            at = self._clock()
            told = {"reason": reason, **sign(connection, signer, at), "at": at, "blind": blind}
            connection.execute(insert(rulings).values(**values, **told))
            refresh(connection, number, texts=False)

    def add_finding(
        self,
        submission_id: str,
        *,
        span: Span,
        severity: Severity,
        category: str,
        message: str,
        author: str | Signer,
        criterion: int | None = None,
    ) -> str:
        """Add a person's finding; return its id, which is an existing one if that person added the
        same before.

        Args:
            span: a file of the submission and lines of it; a file without lines may be one that the
                submission lacks.

        Raises:
            StoreError: author or message is empty or too long, the category or criterion is not in
                the rubric, or the submission has no such lines.
            UnknownSubmission: the store has no submission with this id.
        """
        found, signer = written_finding(span, severity, category, criterion, message, author)
        with self.writing(Act.FIND) as connection:
            number = numbered(connection, submission_id)
            id = keep_finding(connection, number, submission_id, found, signer, self._clock())
            refresh(connection, number)
            return id

    def remark(
        self,
        submission_id: str,
        finding_id: str,
        *,
        author: str | Signer,
        severity: Severity | None = None,
        comment: str = "",
    ) -> None:
        """Add a person's comment on a finding, a severity, or both; the newest severity counts.

        Args:
            severity: None leaves it unchanged; the finding's original severity undoes earlier
                changes.

        Raises:
            StoreError: the author is empty, the comment too long, both are missing, or no review
                has the finding.
            UnknownSubmission: the store has no submission with this id.
        """
        with self.writing(Act.COMMENT) as connection:
            number = numbered(connection, submission_id)
            if keep_remark(
                connection,
                number,
                submission_id,
                finding_id,
                severity,
                comment,
                author,
                self._clock(),
            ):
                refresh(connection, number, texts=False)

    def said_on(self, submission_id: str) -> HumanInput:
        """Return people's current records on its findings; may be empty."""
        with self.reading() as connection:
            return said_in(connection, submission_id)

    def recompute(self) -> int:
        """Recompute all derived data; return the number of submissions."""
        with self.writing(Act.UPKEEP) as connection:
            hold_everything(connection)
            numbers = list(connection.scalars(select(submissions.c.number)))
            for number in numbers:
                refresh(connection, number)
            recognise_all(connection)
            settle(connection)
            recount(connection)
            return len(numbers)

    def _bring_up_to_date(self) -> None:
        # Checked first without the write lock, so that opening does not wait while another process
        # imports.
        with self.reading() as connection:
            newest = is_newest(connection)
        if cannot_be_written(self._engine.url):
            if newest:
                return  # what is left to be done can wait
            raise StoreError(
                f"{self.place}: an older areachair wrote the store, and it can be read only; make"
                " it writable once"
            )
        if not newest:
            with self.writing(Act.UPKEEP) as connection:
                migrate(connection)
                count_readers(connection)
        with self.reading() as connection:
            packing = is_left(connection)
        if packing:
            while packing:
                with self.writing(Act.UPKEEP) as connection:
                    packing = do_some(connection)
            # Where others have it open, or the disk is short, its pages are used again in time.
            with suppress(StoreError), self.outside() as connection:
                free_pages(connection)
        with self.reading() as connection:
            behind, nameless = bool(outdated(connection)), bool(unnamed(connection))
        if behind or nameless:
            with self.writing(Act.UPKEEP) as connection:
                hold_everything(connection)
                named = unnamed(connection)
                for number in named:
                    name_contract(connection, number)
                count_anew(connection, named)
                for number in outdated(connection):
                    refresh(connection, number)
                if behind:
                    recognise_all(connection)
