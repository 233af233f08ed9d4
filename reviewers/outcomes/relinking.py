"""A kept outcome, linked again: the reviews on a submission may change after its run."""

from collections.abc import Mapping, Sequence

from reviewers.outcomes.failure import Form, RunFailure
from reviewers.outcomes.fix import Fix
from reviewers.outcomes.linking import LinkedFailure, link, link_fix
from reviewers.outcomes.outcome import MOST_EXCERPT, Outcome
from reviewers.outcomes.reading import read_failure
from reviewers.records import Finding

_REMOVED, _ADDED = "-", "+"


def link_outcome(
    outcome: Outcome, findings: Mapping[str, Sequence[Finding]]
) -> LinkedFailure | None:
    """Return who had predicted an outcome, None where nothing failed or its output told of nothing.

    Args:
        findings: those of every reviewer who gave a verdict, a person's rulings counted in.
    """
    if outcome.source != "run":
        return link_fix(fix_of(outcome), findings)
    failure = failure_of(outcome)
    return (
        None
        if failure is None
        else link(failure, outcome.spans[0] if outcome.spans else None, findings)
    )


def failure_of(outcome: Outcome) -> RunFailure | None:
    """Return the failure of a run as far as it was kept: with its calls where they stand in the
    excerpt.
    """
    if outcome.error is None:
        return None
    read = read_failure(outcome.excerpt, outcome.exit_code)
    if read is not None and (read.type, read.message) == (outcome.error, outcome.message):
        return read
    return RunFailure(outcome.error, outcome.message or "", form=outcome.form or Form.TRACEBACK)


def changes_of(fix: Fix) -> str:
    """Return the changed lines as an outcome keeps them: marked, whole lines only."""
    kept: list[str] = []
    left = MOST_EXCERPT
    for line in (
        *(_REMOVED + line for line in fix.removed),
        *(_ADDED + line for line in fix.added),
    ):
        left -= len(line) + 1
        if left < 0:
            break
        kept.append(line)
    return "\n".join(kept)


def fix_of(outcome: Outcome) -> Fix:
    """Return a fix as it was kept."""
    lines = outcome.excerpt.split("\n")
    return Fix(
        outcome.spans,
        outcome.message or "",
        removed=tuple(line[1:] for line in lines if line.startswith(_REMOVED)),
        added=tuple(line[1:] for line in lines if line.startswith(_ADDED)),
    )
