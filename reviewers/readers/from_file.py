"""Readings from a file: a JSON object a line, with the submission, the claim's text and how it was
read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from reviewers.bundles.json_text import JsonProblem, parse_json
from reviewers.errors import ReviewerError
from reviewers.records import Submission

if TYPE_CHECKING:
    from reviewers.readers.reading import Reading

FILE = "file"
_LARGEST = 50_000_000
_MOST_LINES = 100_000
_LONGEST_TEXT = 4_000


@dataclass(frozen=True, slots=True)
class ReadClaim:
    """One line: a claim's text with how it is read, as JSON that may be none of the vocabulary."""

    text: str
    read_as: object

    @property
    def reading(self) -> "Reading":
        """The proposition, or why it is none."""
        # They load all facts, which who only passes a file on does without.
        from reviewers.propositions import InvalidReading, parse
        from reviewers.readers.reading import Reading

        try:
            return Reading(reader=FILE, proposition=parse(self.read_as), is_final=True)
        except InvalidReading as problem:
            return Reading(reader=FILE, why_not=str(problem), is_final=True)


@dataclass(frozen=True, slots=True)
class FileReader:
    """The claims of submissions with their readings, by the submission's name."""

    claims: Mapping[str, tuple[ReadClaim, ...]]

    def of(self, submission: Submission) -> tuple[ReadClaim, ...]:
        """What a submission is said to have; it may be named by its file, its name or its id."""
        return next((self.claims[name] for name in names_of(submission) if name in self.claims), ())


def names_of(submission: Submission) -> tuple[str, ...]:
    """The names by which a line may call a submission."""
    file = Path(submission.source).name
    return file, file.removesuffix(".txt"), submission.name, submission.id


def file_reader(path: str) -> FileReader:
    """Read such a file.

    Raises:
        ReviewerError: it cannot be read, is too large, or a line is not of this form.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(_LARGEST + 1)
        text = data.decode("utf-8")
    except OSError as error:
        raise ReviewerError(f"{path}: {error.strerror or 'it cannot be read'}") from None
    except UnicodeDecodeError:
        raise ReviewerError(f"{path}: it is no text in UTF-8") from None
    if len(data) > _LARGEST or text.count("\n") > _MOST_LINES:
        raise ReviewerError(
            f"{path}: it has more than {_LARGEST:,} bytes or {_MOST_LINES:,} lines; split it"
        )
    claims: dict[str, list[ReadClaim]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                submission, claim = _claim(parse_json(line))
            except JsonProblem as problem:
                said = str(problem).removeprefix("line 1, ")
                raise ReviewerError(f"{path}: line {number}: {said}") from None
            claims.setdefault(submission, []).append(claim)
    if not claims:
        raise ReviewerError(f"{path}: it holds no reading")
    return FileReader({name: tuple(found) for name, found in claims.items()})


def _claim(value: object) -> tuple[str, ReadClaim]:
    if not isinstance(value, dict):
        raise JsonProblem("it is no object with `submission`, `text` and `reading`")
    submission, text = value.get("submission"), value.get("text")
    for name, said in (("submission", submission), ("text", text)):
        if not isinstance(said, str) or not said.strip() or len(said) > _LONGEST_TEXT:
            raise JsonProblem(f"`{name}` is no text of 1 to {_LONGEST_TEXT:,} characters")
    if "reading" not in value:
        raise JsonProblem("it has no `reading`; null says that nobody could read it")
    return str(submission), ReadClaim(str(text), value["reading"])
