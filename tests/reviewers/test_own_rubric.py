"""Guards a rubric of the user's own: it rewords and adds, takes nothing away, and what makes no
sense is one clear line.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reviewers.cli import build
from reviewers.errors import RubricError
from reviewers.panel.prompts import build_prompt
from reviewers.rubric import rubric, shipped_rubric
from tests.builders import make_submission


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str | bytes], Path]:
    def write(text: str | bytes) -> Path:
        path = tmp_path / "rubric.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        monkeypatch.setenv("AREACHAIR_RUBRIC", str(path))
        return path

    return write


def test_without_a_file_the_shipped_one_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AREACHAIR_RUBRIC", raising=False)
    assert rubric() is shipped_rubric()


def test_a_file_rewords_adds_and_takes_nothing_away(write: Callable[[str | bytes], Path]) -> None:
    write("""
        version = 12
        [[criterion]]
        number = 3
        title = "Data, as our lab means it"
        [[criterion]]
        number = 10
        title = "Licences"
        question = "May the data be used?"
        facts = "Each data set's licence is named."
        [categories]
        "syntax-invalid" = { title = "Does not parse" }
        "licence-missing" = { title = "Licence missing", criteria = [10] }
        """)
    ours, shipped = rubric(), shipped_rubric()
    assert ours.version == 12
    assert list(ours.criteria) == [*shipped.criteria, 10]
    assert ours.criteria[3].title == "Data, as our lab means it"
    assert ours.criteria[3].question == shipped.criteria[3].question
    assert ours.categories["syntax-invalid"].title == "Does not parse"
    assert ours.categories["syntax-invalid"].criteria == (1,)
    assert set(ours.categories) == {*shipped.categories, "licence-missing"}


def test_models_are_asked_by_it(write: Callable[[str | bytes], Path]) -> None:
    write('[[criterion]]\nnumber = 9\nfacts = "A trial ends within a minute."')
    prompt = build_prompt(make_submission({"src/train.py": "x = 1\n"}), "findings")
    assert "9. Modes." in prompt.messages[0].text
    assert "A trial ends within a minute." in prompt.messages[0].text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("nonsense", "not valid TOML"),
        (b"\xff\xfe", "not valid TOML"),
        ("x = " + "[" * 100_000, "not valid TOML"),
        (f"x = 1\nversion = {'9' * 5_000}", "a number has too many digits, on line 2"),
        ("version = 1979-05-27", "version must be a whole number"),
        ("[[criterion]]\nnumber = 1\nnumber = 2", "on line 3"),
        ("#" * 200_001, "larger than 200,000 bytes"),
        ("colour = 1", "has no 'colour'"),
        ("version = true", "version must be a whole number"),
        ('criterion = "all"', r"written as \[\[criterion\]\] tables"),
        ("categories = 3", "categories must be a table"),
        ("criterion = [3]", "needs a number of 1 to 99"),
        ("[[criterion]]\nnumber = 100", "needs a number of 1 to 99"),
        ("[[criterion]]\nnumber = 1\ncolour = 'red'", "criterion 1 has no 'colour'"),
        ("[[criterion]]\nnumber = 1\ntitle = ' '", "criterion 1: title must be a text"),
        ("[[criterion]]\nnumber = 10\ntitle = 'New'", "criterion 10 is new and needs a question"),
        ("[categories]\nnew = 3", "category 'new' must be a table"),
        ("[categories]\nnew = {}", "category 'new' is new and needs a title"),
        (
            "[categories]\nnew = { title = 'New', criteria = [[1]] }",
            "criteria must be a list of numbers",
        ),
        (
            "[categories]\nnew = { title = 'New', criteria = [12] }",
            "criteria must be a list of numbers",
        ),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else None,
)
def test_what_makes_no_sense_is_one_line(
    write: Callable[[str | bytes], Path], text: str | bytes, problem: str
) -> None:
    path = write(text)
    with pytest.raises(RubricError, match=problem) as caught:
        rubric()
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_the_command_line_says_it_in_one_line(
    write: Callable[[str | bytes], Path], tmp_path: Path
) -> None:
    write("nonsense")
    done = CliRunner().invoke(
        build(lambda options: None), ["--store", f"sqlite:///{tmp_path / 'store.sqlite3'}"]
    )
    assert done.exit_code == 2
    assert "not valid TOML" in done.stderr
    assert "Traceback" not in done.output
