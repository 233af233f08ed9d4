"""A JSON-lines file with one exported submission per line; blank lines are ignored, and the file is
read as a whole or not at all.
"""

from reviewers.bundles.bundle_format import BundleCandidate, Format
from reviewers.bundles.json_export import is_meant
from reviewers.bundles.json_text import JsonProblem, parse_json
from reviewers.bundles.limits import MAX_BYTES, read_whole
from reviewers.bundles.submission_json import read_submission_json, utf8
from reviewers.errors import BundleError
from reviewers.records import Submission

_ENDINGS = (".jsonl", ".ndjson")
_MAX_FILE = 10 * MAX_BYTES  # it holds many submissions
_MAX_LINES = 10_000


def _read(candidate: BundleCandidate) -> tuple[Submission, ...]:
    source = candidate.source
    found: list[Submission] = []
    text = utf8(read_whole(candidate.path, source, _MAX_FILE), source)
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        if len(found) == _MAX_LINES:
            raise BundleError(
                source, f"it contains more than {_MAX_LINES} submissions; split the file"
            )
        try:
            found.append(read_submission_json(parse_json(line), source))
        except JsonProblem as problem:
            raise BundleError(
                source, f"line {number} is not valid JSON: {str(problem).removeprefix('line 1, ')}"
            ) from None
        except BundleError as error:
            raise BundleError(source, f"line {number}: {error.problem}") from None
    if not found:
        raise BundleError(source, "the file contains no submission; there is nothing to read")
    return tuple(found)


FORMAT = Format(
    name="a JSON-lines file",
    endings=_ENDINGS,
    sniff=lambda candidate: candidate.ends_with(_ENDINGS),
    read=_read,
    is_meant=is_meant,
)
