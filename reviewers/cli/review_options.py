"""The options of `areachair review`."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from reviewers.backends.configured import BudgetConfig
from reviewers.batch import Origin
from reviewers.batch.bundles import UNKNOWN_ORIGIN


class OutputFormat(StrEnum):
    """What `review` prints."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    RDJSON = "rdjson"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewOptions:
    """What a person asked for; None leaves it to the configuration or to what is of use.

    Attributes:
        store_url: where the reviews are kept as soon as a model is asked.
        at_once: requests in flight at a time, all models together.
        fresh: whether to ask again what is kept already.
        reader: who reads the claims: `file:PATH`, or a model by its reviewer's name.
        repairs: whether proven repairs are added, which takes a second a submission.
        dask: address of the cluster that shares the work; None for this machine.
        origin: what is said of the submissions; kept with them.
    """

    paths: Sequence[str]
    names: Sequence[str]
    format: OutputFormat
    jobs: int | None
    store_url: str | None
    at_once: int | None
    budget: BudgetConfig
    fresh: bool
    rebuttal: bool
    batch: bool
    poll_seconds: float
    reader: str | None = None
    dask: str | None = None
    repairs: bool = False
    origin: Origin = UNKNOWN_ORIGIN
