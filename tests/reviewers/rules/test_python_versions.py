"""Guards that syntax which is too new for a Python that requires-python allows is reported."""

import pytest

from reviewers.records import Severity
from tests.builders import SOUND_FILES
from tests.reviewers.rules.asking import findings

UNION = "def f(a: int | None) -> None: ..."


def found(code: str, python: str, rule: str = "FS17") -> list[tuple[str, Severity]]:
    text = SOUND_FILES["pyproject.toml"]
    lines = [line for line in text.splitlines() if not line.startswith("requires-python")]
    at = lines.index("[project]") + 1
    lines[at:at] = [f'requires-python = "{python}"'] if python else []
    files = {"pyproject.toml": "\n".join(lines) + "\n", "src/extra.py": code}
    return [
        (each.message, each.severity)
        for each in findings(rule, files)
        if each.span and each.span.file == "src/extra.py"
    ]


@pytest.mark.parametrize(
    ("code", "python", "said"),
    [
        ("match 1:\n    case 1:\n        pass", ">=3.9", "3.10, and"),
        ("try:\n    pass\nexcept* ValueError:\n    pass", ">=3.10", "also promises 3.10"),
        (UNION, ">=3.9", "TypeError"),
        ("class A:\n    a: list[int]", ">=3.8", "`list[int]` as an annotation needs Python 3.9"),
        ("import tomllib", ">=3.8", "ImportError"),
        ("from enum import StrEnum", ">=3.8", "`enum.StrEnum` needs Python 3.11"),
        (UNION, ">=3.10", None),
        (UNION, "", None),
        (f"from __future__ import annotations\n{UNION}", ">=3.8", None),
        ("def f():\n    a: int | None = None", ">=3.8", None),
        ("def f(a: 'int | None'): ...", ">=3.8", None),
        ("a = 1 | 2", ">=3.8", None),
        ("try:\n    import tomllib\nexcept ImportError:\n    import tomli", ">=3.8", None),
    ],
    ids=lambda value: str(value)[:40],
)
def test_syntax_is_told_where_an_allowed_python_lacks_it(
    code: str, python: str, said: str | None
) -> None:
    told = found(code, python)
    assert len(told) == (said is not None)
    assert all(str(said) in message and how is Severity.MAJOR for message, how in told)


def test_it_stops_where_no_allowed_python_has_the_syntax() -> None:
    ((message, severity),) = found(UNION, ">=3.8,<3.10")
    assert severity is Severity.BLOCKER
    assert "only allows older ones" in message


@pytest.mark.parametrize(
    "code", ["def first[T](a: list[T]) -> T:\n    return a[0]\n", "type Row = dict[str, int]\n"]
)
def test_type_parameters_are_no_error_of_syntax_where_every_allowed_python_takes_them(
    code: str,
) -> None:
    assert found(code, ">=3.12", "IM01") == []
    assert [how for _, how in found(code, ">=3.9", "IM01")] in ([Severity.MAJOR], [])
    assert [how for _, how in found("def f(:\n", ">=3.12", "IM01")] == [Severity.BLOCKER]
