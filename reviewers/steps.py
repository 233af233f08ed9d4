"""Counts the work on one submission, so that it ends, and at the same point on every machine.

Time would bound it too, but differently on a slow machine: the same submission would get other
findings. Processor time is therefore only the last resort, and ends the whole review.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any, TypeVar

# Real submissions need at most a twentieth of each; the fuzzing script says what they take.
MOST_STEPS = 10_000_000
MOST_STEPS_OF_A_PART = 7_000_000
_BETWEEN_LOOKS = 2_000  # steps after which the clock is looked at
_T = TypeVar("_T")
_log = logging.getLogger(__name__)


class OutOfSteps(Exception):
    """The part that is worked on took more steps than it may; the text says so in a few words."""


class OutOfTime(OutOfSteps):
    """The whole took more processor time than it may: nothing more is done."""


class Steps:
    """What the work on one submission, or on one answer about it, has taken, and what was left out.

    Args:
        seconds: of this thread's processor time.
        most, most_of_a_part: steps of the whole, and of each part.

    Attributes:
        taken: so many steps.
        largest: the most steps that one part took.
        left_out: what was not looked at to the end, a line each.
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
        """A piece of work with steps of its own: a rule, a fact, a check of a claim.

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
        """Whatever this thread does meanwhile is counted here."""
        self._end = time.thread_time() + self._seconds
        before = _counting.set(self)
        try:
            yield
        finally:
            _counting.reset(before)
            self._end = None


_counting: ContextVar[Steps | None] = ContextVar("counting", default=None)


def spend(steps: int = 1) -> None:
    """Count steps of what is worked on; without a count around it nothing is bounded.

    Raises:
        OutOfSteps: there were too many.
    """
    counting = _counting.get()
    if counting is not None:
        counting.spend(steps)


@contextmanager
def part() -> Iterator[None]:
    """See `Steps.part`; without a count around it nothing is bounded.

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
    """Say that a part of the submission is not looked at; the review is partial then."""
    counting = _counting.get()
    if counting is not None:
        counting.left_out[what] = None


def attempted(what: str, work: Callable[[], _T]) -> tuple[_T | None, str]:
    """Return what a piece of work gives, done as a part of its own; where it stops, None and why,
    which is said of the whole, too.
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
    """A property that is computed once, as a part of its own; where that fails, it fails once.

    Who asks first does not pay for it, and so the order of the rules changes no finding.
    """
    return _Fact(compute)
