"""Bounds the work on one submission by counting steps, so that it ends at the same point on every
machine.

A time limit alone would give the same submission other findings on a slower machine. Processor time
is therefore only the last resort; it ends the whole review.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any, TypeVar

# Real submissions need at most a twentieth of each; tests/fuzzing.py measures it.
MOST_STEPS = 10_000_000
MOST_STEPS_OF_A_PART = 7_000_000
_BETWEEN_LOOKS = 2_000  # steps between checks of the clock
_T = TypeVar("_T")
_log = logging.getLogger(__name__)


class OutOfSteps(Exception):
    """The current part took more steps than allowed; the text says so in a few words."""


class OutOfTime(OutOfSteps):
    """The whole took more processor time than allowed; nothing more is done."""


class Steps:
    """The steps that work on one submission, or on one answer about it, has taken, and what was
    skipped.

    Args:
        seconds: of this thread's processor time.
        most, most_of_a_part: steps of the whole, and of each part.

    Attributes:
        taken: the number of steps.
        largest: the most steps that one part took.
        left_out: what was not finished, one line each.
        timed_out: whether the processor time ran out.
    """

    def __init__(
        self,
        seconds: float,
        most: int = MOST_STEPS,
        most_of_a_part: int = MOST_STEPS_OF_A_PART,
    ) -> None:
        self.taken = 0
        self.largest = 0
        self.left_out: dict[str, None] = {}
        self.timed_out = False
        self._most, self._most_of_a_part = most, most_of_a_part
        self._part = 0
        self._unlooked = 0
        self._seconds = seconds
        self._end: float | None = None

    def spend(self, steps: int) -> None:
        """Count steps that were or will be taken.

        Raises:
            OutOfSteps: there were too many.
            OutOfTime: they took too long.
        """
        self.taken += steps
        self._part += steps
        self._unlooked += steps
        if self._unlooked >= _BETWEEN_LOOKS:
            self._unlooked = 0
            self._look_at_the_clock()
        if self._part > self._most_of_a_part:
            raise OutOfSteps(f"stopped after {self._most_of_a_part:,} steps")
        if self.taken > self._most:
            raise OutOfSteps(f"stopped after {self._most:,} steps of the whole review")

    def _look_at_the_clock(self) -> None:
        if self._end is not None and time.thread_time() > self._end:
            self.timed_out = True
            raise OutOfTime(f"stopped after {self._seconds:g} s of processor time")

    @contextmanager
    def part(self) -> Iterator[None]:
        """A part of the work with its own limit: a rule, a fact, the check of a claim.

        Raises:
            OutOfSteps: nothing is left for it.
        """
        around, self._part = self._part, 0
        try:
            self._look_at_the_clock()
            self.spend(0)
            yield
        finally:
            self.largest = max(self.largest, self._part)
            self._part = around

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count the steps of everything that this thread does in the `with` block."""
        self._end = time.thread_time() + self._seconds
        before = _counting.set(self)
        try:
            yield
        finally:
            _counting.reset(before)
            self._end = None


_counting: ContextVar[Steps | None] = ContextVar("counting", default=None)


def spend(steps: int = 1) -> None:
    """Count steps of the current work; outside `counted`, nothing is bounded.

    Raises:
        OutOfSteps: there were too many.
    """
    counting = _counting.get()
    if counting is not None:
        counting.spend(steps)


@contextmanager
def part() -> Iterator[None]:
    """See `Steps.part`; outside `counted`, nothing is bounded.

    Raises:
        OutOfSteps: nothing is left for it.
    """
    counting = _counting.get()
    if counting is None:
        yield
    else:
        with counting.part():
            yield


def leave_out(what: str) -> None:
    """Record that a part of the submission is skipped; the review is then partial."""
    counting = _counting.get()
    if counting is not None:
        counting.left_out[what] = None


def attempted(what: str, work: Callable[[], _T]) -> tuple[_T | None, str]:
    """Do a piece of work as a part; return its result, or None and the reason if it stopped, which
    is also recorded for the whole.
    """
    try:
        with part():
            return work(), ""
    except OutOfSteps as error:
        why = str(error)
    except Exception as error:  # noqa: BLE001  a named boundary: one claim of a review
        _log.warning("%s stopped", what, exc_info=error)
        why = f"it stopped with {type(error).__name__}"
    leave_out(f"{what}: {why}")
    return None, why


class _Fact(cached_property[_T]):
    """See `fact`."""

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        failed = f"{self.attrname} failed"
        if (error := instance.__dict__.get(failed)) is not None:
            raise error.with_traceback(None)
        counting = _counting.get()
        try:
            if counting is None:
                return super().__get__(instance, owner)
            with counting.part():
                return super().__get__(instance, owner)
        except Exception as error:
            instance.__dict__[failed] = error
            raise


def fact(compute: Callable[[Any], _T]) -> cached_property[_T]:
    """A property that is computed once, as a part; if that fails, it fails once.

    The first caller is not charged for it, so the order of the rules changes no finding.
    """
    return _Fact(compute)
