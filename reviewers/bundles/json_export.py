"""A JSON file with one submission of our own export."""

from reviewers.bundles.bundle_format import BundleCandidate, Format
from reviewers.bundles.json_text import JsonProblem, parse_json
from reviewers.bundles.submission_json import SCHEMA, read_submission_json, utf8
from reviewers.errors import BundleError
from reviewers.records import Submission

_ENDINGS = (".json",)
_MARK = SCHEMA.rpartition("/")[0].encode()


def is_meant(data: bytes) -> bool:
    """Whether a JSON file is our export, in whatever version."""
    return _MARK in data


def _read(candidate: BundleCandidate) -> tuple[Submission, ...]:
    try:
        value = parse_json(utf8(candidate.data, candidate.source))
    except JsonProblem as problem:
        raise BundleError(candidate.source, f"it is not valid JSON: {problem}") from None
    return (read_submission_json(value, candidate.source),)


FORMAT = Format(
    name="a JSON file",
    endings=_ENDINGS,
    sniff=lambda candidate: candidate.ends_with(_ENDINGS),
    read=_read,
    is_meant=is_meant,
)
