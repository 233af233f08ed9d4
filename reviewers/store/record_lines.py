"""The lines of an export, each one JSON object, between text and records; what cannot be kept as
JSON is escaped and comes back.

A line is a submission in its own form (`areachair.submission/1`), or one record about the
submission before it (`areachair.record/1`), whose field `record` says which: `import`, `review`,
`decision`, `ruling`, `own_finding`, `remark`, `contract`, `reading`, `commit`, `outcome`,
`relation` or `author`, a name of somebody who wrote such a record.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from reviewers.bundles.json_text import JsonProblem, parse_json
from reviewers.bundles.jsonl import SCHEMA as SUBMISSION
from reviewers.bundles.jsonl import submission_to_json
from reviewers.errors import BundleError
from reviewers.records import (
    OFFLINE,
    Check,
    DryRun,
    FactCheck,
    Finding,
    Found,
    Misreading,
    Place,
    Review,
    Ruling,
    Severity,
    Span,
    Statement,
    Submission,
    Understood,
    Verdict,
)
from reviewers.store.authors import Author, AuthorName, Given
from reviewers.store.dry_runs import dry_run_of
from reviewers.store.full_record import KeptReview
from reviewers.store.submission import Decision, FindingRuling

RECORD = "areachair.record/1"
LONGEST_LINE = 100_000_000
"""Characters; a submission of the largest size that is taken fits."""
_LARGEST = 2**63
_LONGEST_NAME = 200
_KEY = re.compile("[0-9a-f]{64}")
_T = TypeVar("_T")

_IDENTIFYING = ("run_id", "path", "yaml")

# JSON can hold NUL, but bundles refuse it, and two halves of surrogate pairs in a row would come
# back as one character.
_ESCAPE = "\x1a"
_UNWRITABLE = re.compile("[\x00\x1a\ud800-\udfff]")
_ESCAPED = re.compile(f"{_ESCAPE}([0-9a-f]{{4}})")


def line_of(value: Mapping[str, Any]) -> str:
    """Return a record's line, without its end; ASCII only, the order of keys kept."""
    return json.dumps(_escaped(value))


def submission_line(submission: Submission) -> str:
    """Return a submission's line; paths, run ids and contents stand in it as they are, so that
    every reader has its id. Its base code has a line of its own.
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
    """Return a parsed line with every text as it was."""
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


def parsed_line(line: str, source: str) -> "Fields":
    """Parse one line.

    Args:
        source: what the error names: the file and the number of the line.

    Raises:
        BundleError: it is too long, no JSON, or none of our lines.
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
            f"it is no line of an export: its `schema` is neither {SUBMISSION!r} nor {RECORD!r}",
        )
    return Fields(value, source)


class Fields:
    """One object of a line; each field is asked for by its kind."""

    def __init__(self, value: Any, source: str) -> None:
        self.source = source
        if not isinstance(value, Mapping):
            raise BundleError(source, "an object is expected where there is none")
        self.value: Mapping[str, Any] = value

    def wrong(self, name: str) -> BundleError:
        """Return the error of a field."""
        return BundleError(
            self.source, f"the field `{name}` is missing or not what an export writes there"
        )

    def get(self, name: str, kind: type[_T]) -> _T:
        """Return a value that must be there."""
        found = self.or_none(name, kind)
        if found is None:
            raise self.wrong(name)
        return found

    def or_none(self, name: str, kind: type[_T]) -> _T | None:
        """Return a value of this kind, or None; a whole number is a float, too, and a flag no
        number.
        """
        found = self.value.get(name)
        if found is None:
            return None
        if isinstance(found, int) and abs(found) >= _LARGEST:
            raise self.wrong(name)
        if kind is float and isinstance(found, int) and not isinstance(found, bool):
            found = float(found)
        if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool):
            raise self.wrong(name)
        return found

    def word(self, name: str, kind: Callable[[str], _T]) -> _T:
        """Return a member of an enum."""
        try:
            return kind(self.get(name, str))
        except ValueError:
            raise self.wrong(name) from None

    def word_or_none(self, name: str, kind: Callable[[str], _T]) -> _T | None:
        """Return a member of an enum, or None."""
        return None if self.value.get(name) is None else self.word(name, kind)

    def name(self, name: str) -> str:
        """Return a name that the store can hold in an index."""
        found = self.get(name, str)
        if not 0 < len(found) <= _LONGEST_NAME:
            raise self.wrong(name)
        return found

    def at(self) -> datetime:
        """Return the aware UTC time of the field `at`."""
        if (found := self.at_or_none()) is None:
            raise self.wrong("at")
        return found

    def at_or_none(self) -> datetime | None:
        """Return the aware UTC time of the field `at`, or None."""
        if self.value.get("at") is None:
            return None
        try:
            found = datetime.fromisoformat(self.get("at", str))
            if found.tzinfo is None:
                raise self.wrong("at")
            return found.astimezone(UTC)
        except (ValueError, OverflowError):
            raise self.wrong("at") from None

    def texts(self, name: str) -> dict[str, str]:
        """Return texts by name, in their order; none where the field is missing."""
        found = self.value.get(name) or {}
        if not isinstance(found, Mapping) or not all(
            isinstance(part, str) for field in found.items() for part in field
        ):
            raise self.wrong(name)
        return dict(found)

    def nodes(self, name: str) -> list["Fields"]:
        """Return the objects of a list."""
        return [Fields(each, self.source) for each in self.or_none(name, list) or []]

    def span(self, name: str) -> Span | None:
        """Return a place, written as file, first and last line; a whole file has no lines."""
        found = self.or_none(name, list)
        if found is None:
            return None
        match found:
            case [str(file), None, None]:
                return Span(file)
            case [str(file), int(line), int(end)]:
                return Span(file, line, end)
        raise self.wrong(name)


def review_of_line(fields: Fields) -> KeptReview:
    """Return the review of a line, escapes resolved already.

    Raises:
        BundleError: a field is missing or not of its kind.
    """
    verdict, failure = fields.word_or_none("verdict", Verdict), fields.or_none("failure", str)
    if (verdict is None) == (failure is None):
        raise fields.wrong("verdict")
    review = Review(
        reviewer=fields.name("reviewer"),
        verdict=verdict,
        failure=failure,
        findings=tuple(_finding(each) for each in fields.nodes("findings")),
        model=fields.or_none("model", str),
        text=fields.or_none("text", str),
        raw=fields.or_none("raw", str),
        seconds=fields.or_none("seconds", float),
        input_tokens=fields.or_none("input_tokens", int),
        cached_tokens=fields.or_none("cached_tokens", int),
        output_tokens=fields.or_none("output_tokens", int),
        cost_usd=fields.or_none("cost_usd", float),
        prompt=fields.or_none("prompt", str),
        request=fields.or_none("request", str),
        revises=fields.or_none("revises", str),
        partial=_partial(fields),
        dry_run=_dry_run(fields),
    )
    return KeptReview(review, fields.at(), fields.get("current", bool))


def _partial(fields: Fields) -> tuple[str, ...]:
    lines = fields.or_none("partial", list) or []
    if not all(isinstance(line, str) for line in lines):
        raise fields.wrong("partial")
    return tuple(lines)


def _dry_run(fields: Fields) -> DryRun | None:
    try:
        return dry_run_of(fields.or_none("dry_run", dict))
    except ValueError:
        raise fields.wrong("dry_run") from None


def _finding(fields: Fields) -> Finding:
    claim_at: Sequence[Any] | None = fields.or_none("claim_at", list)
    if claim_at is not None and not (
        len(claim_at) == 2 and all(type(each) is int for each in claim_at)
    ):
        raise fields.wrong("claim_at")
    return Finding(
        id=fields.get("id", str),
        category=fields.name("category"),
        severity=fields.word("severity", Severity),
        message=fields.get("message", str),
        check=_check(fields),
        criterion=fields.or_none("criterion", int),
        span=fields.span("span"),
        rule=fields.or_none("rule", str),
        kind=fields.or_none("kind", str),
        claim=fields.or_none("claim", str),
        claim_at=None if claim_at is None else (claim_at[0], claim_at[1]),
        places=tuple(_place(each) for each in fields.nodes("places")),
        parts=tuple(
            Statement(
                each.get("claim", str),
                _check(each),
                each.span("span"),
                each.or_none("category", str),
            )
            for each in fields.nodes("parts")
        ),
        says=fields.or_none("says", str) or "",
        understood=_understood(fields),
    )


def _understood(fields: Fields) -> Understood | None:
    if fields.value.get("understood") is None:
        return None
    said = Fields(fields.value["understood"], fields.source)
    proposition = said.get("proposition", str)
    try:
        json.loads(proposition or "null")
    except ValueError:
        raise fields.wrong("understood") from None
    return Understood(
        reader=OFFLINE,
        proposition=proposition,
        sentence=said.get("sentence", str),
        why_not=said.get("why_not", str),
        looked_at=tuple(map(str, said.get("looked_at", list))),
    )


def _check(fields: Fields) -> FactCheck:
    check = Fields(fields.value.get("check"), fields.source)
    return FactCheck(
        check.word("result", Check),
        check.get("evidence", str),
        check.span("span"),
        check.word_or_none("misreading", Misreading),
    )


def _place(fields: Fields) -> Place:
    span = fields.span("span")
    if span is None:
        raise fields.wrong("span")
    return Place(span, fields.word("found", Found), fields.get("note", str))


def decision_of_line(fields: Fields) -> Decision:
    """Return the decision of a line.

    Raises:
        BundleError: a field is missing or not of its kind.
    """
    verdict = fields.word_or_none("verdict", Verdict)
    return Decision(
        verdict,
        reason_of_line(fields, needed=verdict is not None),
        author_of_line(fields),
        fields.at(),
        fields.or_none("blind", bool),
    )


def ruling_of_line(fields: Fields) -> FindingRuling:
    """Return the ruling of a line.

    Raises:
        BundleError: a field is missing or not of its kind.
    """
    ruling = fields.word("ruling", Ruling)
    reason = reason_of_line(fields, needed=ruling is Ruling.DISMISS)
    return FindingRuling(
        fields.get("finding", str),
        ruling,
        reason,
        author_of_line(fields),
        fields.at(),
        fields.or_none("blind", bool),
    )


def reason_of_line(fields: Fields, *, needed: bool) -> str:
    """Return the reason of a person's word.

    Raises:
        BundleError: it is missing or empty where it is needed.
    """
    reason = fields.get("reason", str)
    if needed and not reason:
        raise fields.wrong("reason")
    return reason


def author_of_line(fields: Fields) -> Author:
    """Return who said so; which names the author has, lines of their own tell.

    Raises:
        BundleError: the name is missing or empty, or the key is none.
    """
    name = fields.get("author", str)
    if not name:
        raise fields.wrong("author")
    return Author.unknown(name, _key(fields, "signer") if fields.value.get("signer") else None)


def author_name_of_line(fields: Fields) -> AuthorName:
    """Return one name of an author of a line.

    Raises:
        BundleError: a field is missing or not of its kind.
    """
    given = fields.word("given", Given)
    name = fields.get("name", str)
    known = [fields.or_none(each, str) for each in ("issuer", "subject")]
    if not name or (given is Given.PROVIDER) != all(each is not None for each in known):
        raise fields.wrong("name")
    return AuthorName(_key(fields, "key"), given, name, fields.at(), *known)


def _key(fields: Fields, name: str) -> str:
    key = fields.get(name, str)
    if not _KEY.fullmatch(key):
        raise fields.wrong(name)
    return key
