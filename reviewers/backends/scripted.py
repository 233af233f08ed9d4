"""A backend that answers from a script: for tests, for demonstrations without a server, for trying
a prompt out.
"""

import asyncio
from collections.abc import Callable, Iterable

from reviewers.backends.base import Reply, Request
from reviewers.errors import BackendError

Line = str | Reply | BackendError


class Scripted:
    """Gives the answers of a script in turn, or those that a function makes up.

    Attributes:
        asked: every request so far, in order.
    """

    def __init__(
        self, answers: Iterable[Line] | Callable[[Request], Line], seconds: float = 0.0
    ) -> None:
        self.asked: list[Request] = []
        self._answer = answers if callable(answers) else _in_turn(answers)
        self._seconds = seconds

    async def complete(self, request: Request) -> Reply:
        """Return the next answer after `seconds`.

        Raises:
            BackendError: it is in the script.
            AssertionError: the script is over; no BackendError, which a caller would take for an
                answer.
        """
        self.asked.append(request)
        answer = self._answer(request)
        await asyncio.sleep(self._seconds)
        if isinstance(answer, BackendError):
            raise answer
        return Reply(text=answer, model=request.model) if isinstance(answer, str) else answer


def _in_turn(answers: Iterable[Line]) -> Callable[[Request], Line]:
    left = iter(answers)

    def answer(request: Request) -> Line:
        try:
            return next(left)
        except StopIteration:
            raise AssertionError(
                f"the script is over, and {request.model} is asked once more"
            ) from None

    return answer
