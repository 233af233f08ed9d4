"""The categories in which a reviewer's findings are refuted, with intervals; each opens the inbox
on those submissions.
"""

from collections.abc import Sequence

from dashboard.addresses import inbox_address
from dashboard.parts.agreement_table import few, plot, range_text
from dashboard.parts.component import load
from dashboard.parts.figures import number
from dashboard.parts.plain import one_line
from reviewers.rubric import category_title
from reviewers.store.agreement import CategoryClaims
from reviewers.store.inbox import InboxQuery

_mount = load("refuted_table")
MOST = 12


def refuted_table(counts: Sequence[CategoryClaims], reviewer: str, *, key: str) -> None:
    """Draw the categories with a refuted finding, in the order given.

    Args:
        reviewer: as the store calls it, for the inbox.
    """
    rows = [
        {
            "title": one_line(category_title(count.category), 60),
            "href": inbox_address(
                InboxQuery(reviewer=reviewer, category=count.category, refuted=True)
            ),
            "plot": plot(count.share.low, count.share.share, count.share.high),
            "share": f"{count.share.share:.0%}",
            "range": few(count.findings, "finding") or range_text(count.share),
            "of": f"{number(count.refuted)} of {number(count.findings)}",
            "submissions": number(count.submissions),
        }
        for count in counts
        if count.refuted
    ]
    _mount(key=key, data={"rows": rows[:MOST]})
