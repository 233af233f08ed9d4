"""Reads when a submission was generated from its bundle; impossible dates are dropped with a
remark.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from reviewers.records import DatedBy, Generated, Submission

_FIRST_YEAR = 2015
"""Nobody generated experiments before."""
_AHEAD = timedelta(hours=14)
"""A clock that names no time zone may be ahead of UTC by so much."""
_NAMED = re.compile(
    r"(?<![0-9A-Za-z])((?:19|20)[0-9]{2})([-_.]?)([0-9]{2})\2([0-9]{2})"
    r"(?:[-_.T ]?([0-9]{2})([-_.:]?)([0-9]{2})(?:\6([0-9]{2}))?Z?)?(?![0-9A-Za-z])"
)
_HEADER = re.compile(
    r"^(?:date|time|timestamp|created|generated)(?:[ _]at)?:[ \t]*"
    r"([0-9][0-9TZ:.+ -]{5,40}?)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_SIGNS = re.compile("[0-9TWZ:.,+ -]+")
_PROMPT = re.compile("^Input:", re.MULTILINE)
_SAYS = {
    DatedBy.GIVEN: "--date",
    DatedBy.CONTENT: "its content",
    DatedBy.COMMIT: "its commit",
    DatedBy.NAME: "its name",
    DatedBy.ARCHIVE: "its newest file",
}


def parse_date(text: str) -> datetime:
    """Return a date or time of ISO 8601 in UTC, which is meant where no time zone is named.

    Raises:
        ValueError: the text is not a date.
    """
    if not _SIGNS.fullmatch(text):  # between day and time Python takes any sign
        raise ValueError(text)
    at = datetime.fromisoformat(text.strip())
    try:
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{at} is out of range") from None


def date_in_name(name: str) -> datetime | None:
    """Return the date that a bundle's name holds, the latest of several: a model's version may
    are there, too.
    """
    return max(_dates(name), default=None)


def date_in_header(log: str) -> datetime | None:
    """Return the date that a line such as `Date: 2025-10-20T12:06:59Z` gives before a log's
    prompt.
    """
    prompt = _PROMPT.search(log)
    for found in _HEADER.finditer(log, 0, prompt.start()) if prompt else ():
        try:
            return parse_date(found[1])
        except ValueError:
            continue
    return None


def disbelief(at: datetime, now: datetime | None = None) -> str:
    """Say why nothing can have been generated at this time; empty if it can."""
    if at.year < _FIRST_YEAR:
        return f"before {_FIRST_YEAR}"
    return "in the future" if at > (now or datetime.now(UTC)) + _AHEAD else ""


def dated(submission: Submission, at: datetime | None, by: DatedBy) -> Submission:
    """Return a submission with this date unless a surer one is known, which is asked first; a date
    that cannot be true becomes a remark.
    """
    if at is None or submission.generated is not None:
        return submission
    if why := disbelief(at):
        remark = f"{_SAYS[by]} says {at:%Y-%m-%d}, which is {why}: that date is ignored"
        return replace(submission, remarks=(*submission.remarks, remark))
    return replace(submission, generated=Generated(at, by))


def date_json(generated: Generated | None) -> dict[str, object]:
    """Return when a submission was generated as fields for other programs, and how it is known."""
    return {
        "generated_at": generated and f"{generated.at:%Y-%m-%dT%H:%M:%S.%fZ}",
        "dated_by": generated and str(generated.by),
        "date_is_guess": generated and generated.by.is_guess,
    }


def _dates(name: str) -> Iterator[datetime]:
    for year, _, month, day, hour, _, minute, second in _NAMED.findall(name):
        for time in ((hour, minute, second), ()):
            try:
                numbers = [int(each or 0) for each in (year, month, day, *time)]
                yield datetime(*numbers, tzinfo=UTC)  # type: ignore[misc,arg-type]
            except ValueError:
                continue
            break
