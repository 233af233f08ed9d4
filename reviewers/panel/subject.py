"""What several reviewers of one submission share: the submission as a key, and who checks what they
said.
"""

from collections.abc import Awaitable, Callable

from reviewers.claims.report import ClaimsReport
from reviewers.panel.reply import Answer
from reviewers.records import Submission

Check = Callable[[Submission, Answer], Awaitable[ClaimsReport]]
"""Turns an answer into checked findings, elsewhere: the work must not hold up what waits for
servers.
"""


class ById:
    """A submission as a key: hashing one means hashing its content, which is what its id is
    already; the contract by which it is judged is no part of that.
    """

    def __init__(self, submission: Submission) -> None:
        self.submission = submission

    def __hash__(self) -> int:
        return hash((self.submission.id, self.submission.contract))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ById) and (
            (other.submission.id, other.submission.contract)
            == (self.submission.id, self.submission.contract)
        )
