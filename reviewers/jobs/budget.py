"""The budget of a work, kept in the store: workers on any machine spend from the same."""

import asyncio
import logging

from reviewers.backends.budgeted import Amount, Budget
from reviewers.backends.configured import BudgetConfig
from reviewers.errors import BudgetSpent, StoreError
from reviewers.store import Store
from reviewers.store.jobs import ClaimedJob, reserve, settle

_LOOK_SECONDS = 0.2
_log = logging.getLogger(__name__)


class StoredBudget(Budget):
    """What a job may spend of its work's budget.

    Its short writes are made in the event loop, so that no cancelled task leaves a reservation
    behind.
    """

    def __init__(self, store: Store, claimed: ClaimedJob) -> None:
        super().__init__(BudgetConfig(claimed.most_usd, claimed.most_tokens))
        self._store = store
        self._claimed = claimed

    async def reserve(self, worst: Amount) -> None:
        """Set aside the most that a request can cost; `settle` must follow, whatever happens.

        Raises:
            BudgetSpent: it would not fit even if everything under way turned out to cost nothing.
        """
        while taken := reserve(self._store, self._claimed, worst.picodollars, worst.tokens):
            if problem := self._problem(worst, Amount(*taken)):
                raise BudgetSpent(problem)
            await asyncio.sleep(_LOOK_SECONDS)

    def settle(self, worst: Amount, spent: Amount, *, priced: bool = True) -> None:
        """Give a reservation back and count what was really spent."""
        held = worst.picodollars, worst.tokens
        try:
            settle(self._store, self._claimed, held, (spent.picodollars, spent.tokens))
        except StoreError as error:
            # An answer that was paid for is worth more than its exact price: what stays reserved
            # counts as spent once the job ends.
            _log.warning("%s", error)
