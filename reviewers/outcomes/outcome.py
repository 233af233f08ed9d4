"""The record of one real run, or of one fix that a submission needed."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from reviewers.outcomes.category import category_of
from reviewers.outcomes.failure import Form, RunFailure
from reviewers.outcomes.fix import Fix, category_of_fix
from reviewers.outcomes.masking import masked
from reviewers.outcomes.place import place_of
from reviewers.outcomes.reading import read_failure
from reviewers.records import Span, Submission, fails

MOST_EXCERPT = 8_000
"""Characters of a run's output that are kept: its end, where a failure is told."""


class Stage(StrEnum):
    """How far a submission was tried."""

    TRIAL = "trial"
    FULL = "full"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What happened when a submission was really run.

    Attributes:
        submission: its id.
        exit_code: None if it is unknown, as for a fix.
        at: when it happened, in UTC.
        source: `run`, or `fix COMMIT`.
        excerpt: the end of the output, at most 8,000 characters, keys and passwords hidden.
        digest: SHA-256 of the exit code and the whole output: both the same is one outcome.
        error, message, form: of the failure; None if it did not fail, or its output told of
            none.
        spans: the place of the failure, or the lines that a fix changed.
        category: of the rubric, `environment` or `uncategorised`; None if nothing failed.
    """

    submission: str
    stage: Stage
    exit_code: int | None
    at: datetime
    source: str
    excerpt: str = ""
    digest: str = ""
    error: str | None = None
    message: str | None = None
    form: Form | None = None
    spans: tuple[Span, ...] = ()
    category: str | None = None

    @property
    def failed(self) -> bool | None:
        """Whether it failed; None if nobody knows."""
        if self.source != "run" or self.error is not None:
            return True
        return None if self.exit_code is None else self.exit_code != 0

    @property
    def says(self) -> Mapping[str, object] | None:
        """How the run failed, as a proposition in JSON; None if no error is known."""
        if self.source != "run" or not self.error:
            return None
        error = self.error.rpartition(".")[2]
        place = {"file": self.spans[0].file, "line": self.spans[0].line} if self.spans else None
        return fails("main", error, place, mode=self.stage.value)


def outcome_of_run(
    submission: Submission, output: str, exit_code: int | None, stage: Stage, at: datetime
) -> tuple[Outcome, RunFailure | None]:
    """Return what is kept of a run, and its failure as it can be linked."""
    failure = read_failure(output, exit_code)
    span = place_of(failure, submission) if failure else None
    outcome = Outcome(
        submission=submission.id,
        stage=stage,
        exit_code=exit_code,
        at=at.astimezone(UTC),
        source="run",
        excerpt=masked(output[-2 * MOST_EXCERPT :])[-MOST_EXCERPT:],
        digest=hashlib.sha256(
            f"{exit_code}\0{output}".encode("utf-8", "surrogatepass")
        ).hexdigest(),
        error=failure.type if failure else None,
        message=masked(failure.message) if failure else None,
        form=failure.form if failure else None,
        spans=(span,) if span else (),
        category=category_of(failure, span) if failure else None,
    )
    return outcome, failure


def outcome_of_fix(
    submission: Submission, fix: Fix, commit: str, stage: Stage, at: datetime
) -> Outcome:
    """Return what is kept of a fix; its message is the words that came with it."""
    return Outcome(
        submission=submission.id,
        stage=stage,
        exit_code=None,
        at=at.astimezone(UTC),
        source=f"fix {commit}",
        excerpt=fix.changes(MOST_EXCERPT),
        message=masked(fix.words[:MOST_EXCERPT]) or None,
        spans=fix.spans,
        category=category_of_fix(fix),
    )


def fix_of(outcome: Outcome) -> Fix:
    """Return a fix as it was kept."""
    return Fix.of_changes(outcome.spans, outcome.message or "", outcome.excerpt)
