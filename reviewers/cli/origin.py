"""What a person states about bundles: the generator, the date and the contract."""

from datetime import datetime

from reviewers.batch import Origin
from reviewers.bundles.dating import disbelief, parse_date
from reviewers.cli.printing import complain
from reviewers.errors import AreachairError
from reviewers.rubric.built_in import stated_contract

_LONGEST_GENERATOR = 300  # as names in bundles


def stated_origin(generator: str | None, date: str | None, contract: str | None) -> Origin:
    """Return what `--generator`, `--date` and `--contract` say; nothing but spaces is not a name.

    Raises:
        AreachairError: one of them is invalid.
    """
    return Origin(
        _named(generator), _stated_date(date), stated_contract(contract) if contract else None
    )


def parsed_date(option: str, text: str) -> datetime:
    """Return the date that was given by an option.

    Raises:
        AreachairError: it is not of ISO 8601.
    """
    try:
        return parse_date(text)
    except ValueError:
        raise AreachairError(
            f"{option} takes a date or time of ISO 8601, such as 2025-10-20 or"
            f" 2025-10-20T12:06:59Z, not {text[:60]!r}"
        ) from None


def _named(generator: str | None) -> str | None:
    name = (generator or "").strip()
    if len(name) > _LONGEST_GENERATOR:
        raise AreachairError(f"--generator takes a name of at most {_LONGEST_GENERATOR} characters")
    return name or None


def _stated_date(text: str | None) -> datetime | None:
    """The date that was given; one that cannot be true is left out with a remark."""
    if text is None:
        return None
    at = parsed_date("--date", text)
    if why := disbelief(at):
        complain([f"--date {text} is {why}: that date is ignored"])
        return None
    return at
