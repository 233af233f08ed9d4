"""Checks what a model said against the code; the facts of the last submissions are kept, since
several reviewers look at one.
"""

import logging
import threading
import time
from dataclasses import dataclass
from functools import lru_cache

from reviewers.claims.report import ClaimsReport
from reviewers.errors import AreachairError
from reviewers.facts import Facts
from reviewers.panel.reply import ModelAnswer, check_answer
from reviewers.panel.subject import ById
from reviewers.records import Failure, Submission
from reviewers.rules import run_rules
from reviewers.rules.run import RulesReport

_KEPT = 4
_log = logging.getLogger(__name__)


def check(submission: Submission, answer: ModelAnswer) -> ClaimsReport:
    """Return the answer's claims as findings, each with its place and fact check, and what was not
    looked at to the end.

    Raises:
        AreachairError: a check stopped with an error, which the log has whole.
    """
    if answer.text is None:
        return ClaimsReport()
    try:
        known = known_of(submission)
        return check_answer(answer, known.facts, known.failures)
    except Exception as error:  # noqa: BLE001  a named boundary: one answer; it was paid for and must not be lost to a defect of ours
        _log.warning("an answer on %s could not be checked", submission.name, exc_info=True)
        raise AreachairError(
            f"its claims could not be checked ({type(error).__name__}); please report this answer"
        ) from None


@dataclass(frozen=True, slots=True)
class OwnFindings:
    """What our own look at a submission brought, and how long it took."""

    facts: Facts
    report: RulesReport
    seconds: float

    @property
    def failures(self) -> tuple[Failure, ...]:
        """What is known to stop a documented command, in the order of a run."""
        return self.report.dry_run.failures if self.report.dry_run else ()


def known_of(submission: Submission) -> OwnFindings:
    """Return the facts and the rules' findings, worked out once for all who ask while the
    submission is in hand.
    """
    # Several reviewers of one submission arrive at once, and the second shall wait for what the
    # first is working out.
    with _one_at_a_time:
        known = _known(ById(submission))
        if known.report.timed_out:
            # Another run may get further. What is cached of others is worked out again, too: that
            # costs a second, and this happens to what was made to be slow.
            _known.cache_clear()
        return known


_one_at_a_time = threading.Lock()


@lru_cache(maxsize=_KEPT)
def _known(subject: ById) -> OwnFindings:
    start = time.perf_counter()
    facts = Facts(subject.submission)
    report = run_rules(facts)
    return OwnFindings(facts, report, time.perf_counter() - start)
