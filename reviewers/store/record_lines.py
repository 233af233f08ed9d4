"""The lines of an export, each one JSON object, between text and records; characters that JSON
cannot keep are escaped and restored.

A line is a submission in its own form (`areachair.submission/1`), or one record about the preceding
submission (`areachair.record/1`), whose field `record` is `import` or a name in `KINDS`.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from reviewers.bundles.json_text import JsonProblem, parse_json
from reviewers.bundles.submission_json import SCHEMA as SUBMISSION
from reviewers.bundles.submission_json import submission_to_json
from reviewers.errors import BundleError, ContractError
from reviewers.outcomes.outcome import Outcome
from reviewers.records import OFFLINE, Review, Ruling, Severity, Span, Submission, Verdict
from reviewers.rubric.built_in import parse_contract
from reviewers.store.assignments import Assignment
from reviewers.store.authors import Author, AuthorName, Given
from reviewers.store.commits import StoredCommit
from reviewers.store.contracts import ContractChoice
from reviewers.store.full_record import KeptReview
from reviewers.store.human_input import OwnFinding, Remark, own_finding
from reviewers.store.insert import LONGEST_NAME
from reviewers.store.lineages import LineageRelation
from reviewers.store.people import LONGEST_COMMENT, LONGEST_MESSAGE
from reviewers.store.readings import LONGEST_CLAIM, NewReading, StoredReading
from reviewers.store.record_json import WrongField, from_json, to_json, value_of
from reviewers.store.repairs import RepairChoice
from reviewers.store.submission import Decision, FindingRuling

RECORD = "areachair.record/1"
KINDS: Mapping[str, Any] = {
    "author": AuthorName,
    "review": KeptReview,
    "decision": Decision,
    "ruling": FindingRuling,
    "own_finding": OwnFinding,
    "remark": Remark,
    "contract": ContractChoice,
    "assignment": Assignment,
    "repair": RepairChoice,
    "reading": StoredReading,
    "commit": StoredCommit,
    "outcome": Outcome,
    "relation": LineageRelation,
}
"""The types of records by their name in a line, in the order in which they are written."""
LONGEST_LINE = 100_000_000
"""In characters; the largest accepted submission fits."""

_IDENTIFYING = ("run_id", "path", "yaml")
# Records that contain another one, whose fields are written into the same line.
_INNER = {KeptReview: ("review", Review), StoredReading: ("said", NewReading)}

# JSON can contain NUL, but bundles reject it, and two halves of surrogate pairs in a row would come
# back as one character.
_ESCAPE = "\x1a"
_UNWRITABLE = re.compile("[\x00\x1a\ud800-\udfff]")
_ESCAPED = re.compile(f"{_ESCAPE}([0-9a-f]{{4}})")


@dataclass(frozen=True, slots=True)
class ExportLine:
    """One parsed line.

    Attributes:
        source: the file and the number of the line.
    """

    value: Mapping[str, Any]
    source: str

    def get(self, name: str, kind: Any) -> Any:
        """Return the value of a field of this type.

        Raises:
            BundleError: it is missing or not of its type.
        """
        try:
            return value_of(kind, self.value.get(name), name)
        except WrongField as error:
            raise self.wrong(error) from None

    def wrong(self, error: WrongField) -> BundleError:
        """Return the error of a field."""
        return BundleError(self.source, str(error))


def line_of(value: Mapping[str, Any]) -> str:
    """Return a record as a line of ASCII without its end; keys keep their order."""
    return json.dumps(_escaped(value))


def submission_line(submission: Submission) -> str:
    """Return a submission's line; paths, run ids and contents are written unescaped, so that every
    reader computes the same id. Its base code has a line of its own.
    """
    plain: dict[str, Any] = submission_to_json(replace(submission, base=None))
    runs = [
        {**_escaped(run), **{name: run[name] for name in _IDENTIFYING}} for run in plain["runs"]
    ]
    return json.dumps({**_escaped(plain), "files": plain["files"], "runs": runs})


def _escaped(value: Any) -> Any:
    return _each_text(
        value, lambda text: _UNWRITABLE.sub(lambda found: f"{_ESCAPE}{ord(found[0]):04x}", text)
    )


def unescaped(value: Any) -> Any:
    """Return a parsed line with its texts unescaped."""
    return _each_text(
        value,
        lambda text: (
            _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if _ESCAPE in text else text
        ),
    )


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(str(value))
    if isinstance(value, Mapping):
        return {change(str(name)): _each_text(each, change) for name, each in value.items()}
    return (
        [_each_text(each, change) for each in value] if isinstance(value, list | tuple) else value
    )


def parsed_line(line: str, source: str) -> ExportLine:
    """Parse one line.

    Args:
        source: what the error names: the file and the number of the line.

    Raises:
        BundleError: it is too long, not JSON, or not a line of an export.
    """
    if len(line) > LONGEST_LINE:
        raise BundleError(
            source, f"the line is longer than {LONGEST_LINE // 1_000_000} million characters"
        )
    try:
        value = parse_json(line)
    except JsonProblem as problem:
        raise BundleError(
            source, f"it is not valid JSON: {str(problem).removeprefix('line 1, ')}"
        ) from None
    if not isinstance(value, Mapping) or value.get("schema") not in (SUBMISSION, RECORD):
        raise BundleError(
            source,
            f"it is not a line of an export: its `schema` is neither {SUBMISSION!r} nor {RECORD!r}",
        )
    return ExportLine(value, source)


def values_of(record: Any) -> dict[str, Any]:
    """Return the fields of a record's line without those that every line has."""
    match record:
        case OwnFinding(finding=found):
            # The other fields of a finding by a person are fixed.
            names = ("id", "category", "severity", "criterion", "message", "span")
            written = {name: to_json(getattr(found, name)) for name in names}
            return {**written, **_but(to_json(record), "finding")}
        case KeptReview(review=review):
            review = replace(review, findings=tuple(map(_as_written, review.findings)))
            return {**_but(to_json(record), "review"), **to_json(review)}
        case StoredReading(said=said):
            return {**to_json(said), **_but(to_json(record), "said")}
        case Outcome(says=says):
            told = {"proposition": says} if says else {}
            return {**_but(to_json(record), "submission"), **told}
    values: dict[str, Any] = to_json(record)
    return values


def _as_written(finding: Any) -> Any:
    """A finding with the offline reading of its claim; other readings are separate records."""
    said = finding.understood
    return finding if said is None or said.reader == OFFLINE else replace(finding, understood=None)


def _but(values: dict[str, Any], name: str) -> dict[str, Any]:
    return {each: value for each, value in values.items() if each != name}


def record_of(line: ExportLine) -> Any:
    """Return the record of an unescaped line.

    Raises:
        BundleError: a field is missing or not of its type, or they contradict each other.
    """
    kind = KINDS.get(line.get("record", str))
    try:
        if kind is None:
            raise WrongField("record")
        record = _made(kind, line.value)
        if wrong := _wrong(record, line.value):
            raise WrongField(wrong)
    except WrongField as error:
        raise line.wrong(error) from None
    return record


def _made(kind: Any, values: Mapping[str, Any]) -> Any:
    if kind is OwnFinding:
        found = {name: value_of(kind, values.get(name), name) for name, kind in _OWN.items()}
        author = from_json(_Signed, values).author
        return from_json(kind, values, finding=own_finding(**found, author=author.name))
    if kind is Outcome:
        return from_json(kind, values, submission=value_of(str, values.get("of"), "of"))
    if inner := _INNER.get(kind):
        return from_json(kind, values, **{inner[0]: from_json(inner[1], values)})
    return from_json(kind, values)


_OWN = {
    "id": str,
    "span": Span,
    "severity": Severity,
    "category": str,
    "criterion": int | None,
    "message": str,
}


@dataclass(frozen=True, slots=True)
class _Signed:
    author: Author


def _wrong(record: Any, values: Mapping[str, Any]) -> str:
    """The field that contradicts the others or is out of bounds; empty if there is none."""
    match record:
        case KeptReview(review=review):
            is_json = all(
                _is_json(each.understood.proposition)
                for each in review.findings
                if each.understood is not None
            )
            return "" if is_json else "understood"
        case (
            Decision(verdict=Verdict(), reason="") | FindingRuling(ruling=Ruling.DISMISS, reason="")
        ):
            return "reason"
        case OwnFinding(finding=found):
            is_short = 0 < len(found.message) <= LONGEST_MESSAGE
            return _too_long(found.id, "id") if is_short else "message"
        case Remark(severity=severity, comment=comment):
            says_nothing = severity is None and not comment
            return "comment" if says_nothing or len(comment) > LONGEST_COMMENT else ""
        case ContractChoice(text=str(text)):
            return "" if _is_contract(text) else "text"
        case Assignment(assignee=assignee, assigned=assigned):
            return "" if bool(assignee) == bool(assigned) else "assigned"
        case StoredReading(said=said):
            return "" if 0 < len(said.claim) <= LONGEST_CLAIM else "claim"
        case Outcome(source=source):
            return _too_long(source, "source")
        case LineageRelation(one=one, other=other, reason=reason):
            if one == other or values.get("of") not in (one, other):
                return "other"
            return "" if reason else "reason"
        case AuthorName(given=given, name=name, issuer=issuer, subject=subject):
            is_known = issuer is not None and subject is not None
            return "" if name and (given is Given.PROVIDER) == is_known else "name"
    return ""


def _too_long(text: str, name: str) -> str:
    return "" if 0 < len(text) <= LONGEST_NAME else name


def _is_json(text: str) -> bool:
    try:
        json.loads(text or "null")
    except ValueError:
        return False
    return True


def _is_contract(text: str) -> bool:
    try:
        parse_contract(text)
    except ContractError:
        return False
    return True
