"""Reviews many submissions in one run, by the rules alone or together with models."""

from reviewers.batch.bundles import (
    Origin,
    Reviewed,
    Unread,
    collect_less,
    review_bundles,
    useful_jobs,
)

__all__ = [
    "Origin",
    "Reviewed",
    "Unread",
    "collect_less",
    "review_bundles",
    "useful_jobs",
]
