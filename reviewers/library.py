"""The public functions for programs and notebooks; `import reviewers` exports them."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from reviewers.bundles import open_bundle
from reviewers.exports.feedback import CorrectedReview, corrected_review
from reviewers.panel import DEFAULT_REVIEWERS
from reviewers.panel.checking import known_of
from reviewers.panel.review import review_all
from reviewers.propositions import Answer, Proposition, parse
from reviewers.propositions import evaluate as answer_of
from reviewers.records import ContractSource, GivenContract, Review, Submission
from reviewers.rubric.built_in import stated_contract
from reviewers.rubric.choice import contract_of
from reviewers.store import Store
from reviewers.store.human_input import HumanInput

if TYPE_CHECKING:
    import pandas as pd

    from reviewers.repairs import Plan

Bundle = Submission | str | os.PathLike[str]
"""A submission, or the path of a log, folder, archive or JSON file with one."""


def review(
    bundle: Bundle,
    *,
    reviewers: Sequence[str] = DEFAULT_REVIEWERS,
    contract: str | None = None,
) -> list[Review]:
    """Review a submission with the built-in reviewers; nothing is stored, and nothing of it is run.

    Args:
        reviewers: `rules`, and `recorded` for the reviews recorded in the bundle.
        contract: what its pipeline requires: the name of a built-in contract, or the path of a TOML
            file; None for the bundle's own.

    Raises:
        BundleError: the bundle cannot be read.
        ContractError: there is no such contract, or it is invalid.
        ReviewerError: no reviewer has one of the names.
    """
    return [*review_all(_opened(bundle, contract), reviewers)]


def feedback(
    bundle: Bundle,
    reviews: Iterable[Review] | None = None,
    *,
    store: Store | None = None,
    contract: str | None = None,
    proven_only: bool = False,
    patch: bool = False,
) -> CorrectedReview:
    """Return the corrected review: what is confirmed, missed or unverified, and nothing refuted.
    Its `verdict` says whether the
    submission is ready, its `code_issue` what to send to the generator.

    Args:
        reviews: of this submission, including the rules'; made again if None.
        store: a store whose rulings overrule the fact checks.
        proven_only: leave out what is unverified.
        patch: add the proven repairs.

    Raises:
        BundleError, ContractError: as by `review`.
        StoreError: the store cannot be read.
    """
    submission = _opened(bundle, contract)
    made = review_all(submission) if reviews is None else tuple(reviews)
    said = store.said_on(submission.id) if store else HumanInput()
    mildest = contract_of(submission).contract.mildest
    repaired = proven_patch(submission) if patch else ""
    return corrected_review(made, said, mildest, proven_only=proven_only, patch=repaired)


def propose_repairs(
    bundle: Bundle,
    *,
    only_first: bool = False,
    only_rule: str = "",
    contract: str | None = None,
) -> "Plan":
    """Propose repairs of what stops a submission, in the order in which they are made; each was
    made in memory and reviewed again. Nothing of the submission is run.

    Args:
        only_first: only the repair of what stops a run first.
        only_rule: only the findings of this rule.

    Raises:
        BundleError, ContractError: as by `review`.
    """
    from reviewers.repairs import planned

    return planned(_opened(bundle, contract), only_first=only_first, only_rule=only_rule)


def proven_patch(bundle: Bundle, *, contract: str | None = None) -> str:
    """The proven repairs of a submission as a patch that `git apply` takes; empty if there are
    none.

    Raises:
        BundleError, ContractError: as by `review`.
    """
    from reviewers.repairs.patch import patch

    plan = propose_repairs(bundle, contract=contract)
    return patch(plan.first.submission, plan.last.submission)


def evaluate(
    proposition: Proposition | Mapping[str, Any], bundle: Bundle, *, contract: str | None = None
) -> Answer:
    """Evaluate a proposition over the code; the answer has witnesses or a list of what was looked
    at.

    Args:
        proposition: of the vocabulary in docs/predicates.md, as an object or in its JSON form.

    Raises:
        InvalidReading: the vocabulary has no such proposition.
        BundleError, ContractError: as by `review`.
    """
    known = known_of(_opened(bundle, contract))
    told = parse(proposition) if isinstance(proposition, Mapping) else proposition
    return answer_of(told, known.facts, known.failures)


def reviews_frame(store: Store, table: str = "findings") -> "pd.DataFrame":
    """Return the findings of a store as a data frame, each with its submission and its review.

    Args:
        table: any of the tables that `areachair export --format csv` writes: `submissions`,
            `runs`, `reviews`, `files`, `decisions`, …

    Raises:
        KeyError: there is no such table.
        StoreError: the store cannot be read.
    """
    from reviewers.exports.tables import tables

    found = tables(store)
    if table not in found:
        raise KeyError(f"there is no table {table!r}; choose from {', '.join(found)}")
    if table != "findings":
        return found[table]
    keys = {"submissions": ["submission"], "reviews": ["submission", "review"]}
    return reduce(
        lambda left, name: left.merge(
            found[name], on=keys[name], how="left", suffixes=("", f"_of_{name[:-1]}")
        ),
        keys,
        found["findings"],
    )


def _opened(bundle: Bundle, contract: str | None) -> Submission:
    submission = bundle if isinstance(bundle, Submission) else open_bundle(bundle)
    if contract is None:
        return submission
    given = GivenContract(ContractSource.OPTION, stated_contract(contract))
    return replace(submission, contract=given)
