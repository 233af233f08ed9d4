"""The limits of models' servers, kept in the store: they are the lab's, not a worker's."""

import hashlib
import logging
from collections.abc import Callable

from reviewers.backends.configured import ReviewerConfig
from reviewers.errors import StoreError
from reviewers.store import Store
from reviewers.store.rate_limits import close_lane, settle_turn, take_turn

_log = logging.getLogger(__name__)


class StoredQuota:
    """What a server allows one key to ask one model, for all workers of a store together.

    Its short writes are made in the event loop, as those of the budget.
    """

    def __init__(self, store: Store, config: ReviewerConfig, key: str | None) -> None:
        self._store = store
        self._most = config.requests_per_minute, config.tokens_per_minute
        named = "\0".join((config.base_url, config.model, key or ""))
        self._lane = hashlib.sha256(named.encode()).hexdigest()

    def take(self, tokens: int) -> tuple[float, int]:
        """Count a request as sent now; see `Quota`.

        Raises:
            StoreError: the store does not answer.
        """
        return take_turn(self._store, self._lane, tokens, *self._most)

    def settle(self, number: int, tokens: int) -> None:
        """Say how many tokens a request took."""
        if number:
            self._try(lambda: settle_turn(self._store, number, tokens))

    def close(self, seconds: float) -> None:
        """Let no worker ask for so long."""
        self._try(lambda: close_lane(self._store, self._lane, seconds))

    def _try(self, write: Callable[[], None]) -> None:
        # An answer that was paid for is worth more than how exactly it is counted.
        try:
            write()
        except StoreError as error:
            _log.warning("%s", error)
