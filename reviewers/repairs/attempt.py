"""The repaired version of a submission as an attempt of its own, marked as ours."""

from dataclasses import replace
from datetime import timedelta

from reviewers.records import OWN_GENERATOR, OWN_SOURCE, Submission

_MOMENT = timedelta(microseconds=1)  # later than what it was made of, and before everything else


def as_attempt(original: Submission, repaired: Submission) -> Submission:
    """Return a repaired version as one more attempt at the experiment of its original.

    It has no number of an attempt, which its generator never gave it; its lineage puts it behind
    the original.
    """
    generated = original.generated
    return replace(
        repaired,
        name=f"{original.name} repaired",
        source=f"{OWN_SOURCE}{original.id[:12]}",
        attempt=None,
        generator=OWN_GENERATOR,
        generated=replace(generated, at=generated.at + _MOMENT) if generated else None,
        recorded=(),
    )
