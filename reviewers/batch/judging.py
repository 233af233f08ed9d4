"""Judges a submission by another contract: stores the person's choice and repeats the offline
reviews.
"""

from reviewers.batch.bundles import own_reviews
from reviewers.panel import DEFAULT_REVIEWERS
from reviewers.store import Store
from reviewers.store.authors import Signer
from reviewers.store.contracts import choose_contract


def judge_by(store: Store, id: str, text: str | None, author: str | Signer) -> None:
    """Judge a submission by a contract from now on; what was said before stays as it was kept.

    Args:
        text: TOML; None takes a person's earlier choice back.

    Raises:
        ContractError: the contract is invalid.
        StoreError: the store refuses a write.
        UnknownSubmission: there is none with this id.
    """
    submission = choose_contract(store, id, text, author)
    store.add(submission, own_reviews(submission, DEFAULT_REVIEWERS))
