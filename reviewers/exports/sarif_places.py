"""Places of a submission as SARIF locations: valid URIs, regions within the file, and the code at
them.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any
from urllib.parse import quote

from reviewers.exports.wording import writable
from reviewers.records import SourceFile, Span, Submission, lines_of

BASE = "%SRCROOT%"
"""The name that viewers and services give the folder to which paths are relative."""
_SAFE = "/~!$&'()*+,;=@"
_LONGEST_SNIPPET = 2_000


class SarifPlaces:
    """The files of one submission, each split into lines once."""

    def __init__(self, submission: Submission) -> None:
        self.files: tuple[SourceFile, ...] = tuple(submission.by_path.values())
        self._lines: dict[str, list[str]] = {}

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {file.path: number for number, file in enumerate(self.files)}

    def artifact(self, path: str, *, indexed: bool = True) -> dict[str, Any]:
        """Return an artifactLocation; a file that is not there has no index."""
        number = self._numbers.get(path) if indexed else None
        return {"uri": path_uri(path), "uriBaseId": BASE} | (
            {} if number is None else {"index": number}
        )

    def location(self, span: Span) -> dict[str, Any]:
        """Return a location; a path that leaves the submission is named only, since no URI below
        the base can name it.
        """
        if _leaves(span.file):
            return {
                "logicalLocations": [
                    {"fullyQualifiedName": writable(span.file), "kind": "resource"}
                ]
            }
        physical: dict[str, Any] = {"artifactLocation": self.artifact(span.file)}
        if span.line is not None:
            physical["region"] = self._region(span.file, span.line, span.end_line or span.line)
        return {"physicalLocation": physical}

    def _region(self, path: str, line: int, end: int) -> dict[str, Any]:
        region: dict[str, Any] = {"startLine": line, "endLine": end}
        code = "\n".join(self._lines_of(path)[line - 1 : end])
        return region | (
            {"snippet": {"text": writable(code)}} if code and len(code) <= _LONGEST_SNIPPET else {}
        )

    def _lines_of(self, path: str) -> list[str]:
        if path not in self._lines:
            number = self._numbers.get(path)
            self._lines[path] = [] if number is None else lines_of(self.files[number].text)
        return self._lines[path]


def path_uri(path: str) -> str:
    """Return a path within the submission as a relative URI reference; all that could be read as
    more is percent-encoded.
    """
    return quote(writable(path), safe=_SAFE) or "."


def _leaves(path: str) -> bool:
    return path.startswith("/") or ".." in path.split("/")
