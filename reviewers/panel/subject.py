"""Types shared by all reviewers of one submission: the submission as a key of caches, and the
function that checks their answers.
"""

from collections.abc import Awaitable, Callable

from reviewers.claims.report import ClaimsReport
from reviewers.panel.reply import ModelAnswer
from reviewers.records import Submission

Check = Callable[[Submission, ModelAnswer], Awaitable[ClaimsReport]]
"""Turns an answer into checked findings, elsewhere: the work must not hold up what waits for
servers.
"""


class ById:
    """A submission as a key: hashing one means hashing its content, which is what its id is
    already. What is no part of the id, but of what its review depends on, makes it another one.
    """

    def __init__(self, submission: Submission) -> None:
        self.submission = submission

    def __hash__(self) -> int:
        return hash(_key(self.submission))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ById) and _key(other.submission) == _key(self.submission)


def _key(submission: Submission) -> tuple[object, ...]:
    base = submission.base
    return submission.id, submission.contract, submission.context.criteria, base and base.id
