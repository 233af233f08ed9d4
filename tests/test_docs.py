"""Guards the docs: what they point at is there, and what they list is whole."""

import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from reviewers.cli import COMMANDS

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))
DEVELOPERS = [ROOT / "docs" / f"{name}.md" for name in ("architecture", "extending")]
_PATH = re.compile(r"\w+/[\w./*]+\.(?:css|html|js|md|py|toml|txt)")
_SOURCES = (".css", ".html", ".js", ".py", ".toml")
WRITTEN = [page for page in PAGES if page.stem not in ("rules", "predicates")]


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.stem)
def test_what_a_page_points_at_is_there(page: Path) -> None:
    text = page.read_text("utf-8")
    for path in re.findall(r"\]\(((?!https?:)[^)#]+)\)", text):
        assert (page.parent / path).is_file(), path
    for path in re.findall(r"`((?:reviewers|dashboard|tests)/[\w./]+)`", text):
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize("page", DEVELOPERS, ids=lambda page: page.stem)
def test_each_file_and_name_that_developers_read_of_is_in_the_source(page: Path) -> None:
    prose = re.sub(r"(?sm)^```.*?^```", "", page.read_text("utf-8"))
    spans = re.findall(r"`([^`]+)`", prose)
    paths = [word for span in spans for word in span.split() if _PATH.fullmatch(word)]
    folders = (ROOT, ROOT / "reviewers", ROOT / "dashboard")
    assert [path for path in paths if not any(any(at.glob(path)) for at in folders)] == []
    # The id in the example of a rule is free for the next one.
    names = {name for span in spans for name in re.findall(r"[A-Za-z_]\w{2,}", span)} - {"IM99"}
    assert names - _names_in_the_source() == set()


def test_the_example_of_a_rule_flags_its_own_example() -> None:
    page = (ROOT / "docs" / "extending.md").read_text("utf-8")
    example = re.findall(r"(?s)```python\n(.*?)```", page)[0]
    shown = (
        "from tests.builders import submission_from_example\n"
        "for side in (unwritten.bad, unwritten.good):\n"
        "    print(len([*unwritten(Facts(submission_from_example(side)[0]))]))\n"
    )
    assert _output(example + shown) == ("1\n0\n", "")


def test_the_example_of_a_predicate_passes_its_own_twins() -> None:
    page = (ROOT / "docs" / "extending.md").read_text("utf-8")
    _, predicate, twins, _ = re.findall(r"(?s)```python\n(.*?)```", page)
    code = (
        "from reviewers.propositions import PREDICATES\n"
        "from reviewers.propositions.evaluators import names\n"
        "from reviewers.propositions.vocabulary import declared, vocabulary\n"
        "from tests.reviewers.propositions.twins import twins\n"
        f"exec({predicate!r}, vars(names))\n"
        "PREDICATES.update(vocabulary(*declared()))\n"
    )
    shown = "print([str(one) for one in TWINS if one.answer().truth != one.expected], len(TWINS))\n"
    assert _output(code + twins + shown) == ("[] 8\n", "")


def test_the_example_of_a_repair_is_proven() -> None:
    page = (ROOT / "docs" / "extending.md").read_text("utf-8")
    rule, _, _, repair = re.findall(r"(?s)```python\n(.*?)```", page)
    shown = (
        "from reviewers.repairs.proof import prove, reviewed\n"
        "from reviewers.rules import find_rule\n"
        "from tests.builders import submission_from_example\n"
        "version = reviewed(submission_from_example(find_rule('EV10').bad)[0])\n"
        "(finding,) = (each for each in version.report.findings if each.rule == 'EV10')\n"
        "(proposal,) = keep_the_list(version.facts, finding)\n"
        "after = prove(version, finding, proposal).after.submission\n"
        "text = after.by_path['src/evaluate.py'].text\n"
        "print('print(cli.results_dir, list(cli.run_ids))' in text)\n"
    )
    assert _output(rule + repair + shown) == ("True\n", "")


def _output(code: str) -> tuple[str, str]:
    """What code prints in a process of its own: here it would register for all other tests."""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    return done.stdout, done.stderr


@cache
def _names_in_the_source() -> set[str]:
    files = [ROOT / "pyproject.toml", ROOT / ".ci" / "run"]
    for folder in ("reviewers", "dashboard", "docs", "tests"):
        files += [file for file in (ROOT / folder).rglob("*") if file.suffix in _SOURCES]
    texts = (f"{file.relative_to(ROOT)} {file.read_text('utf-8')}" for file in files)
    return {name for text in texts for name in re.findall(r"\w+", text)}


@pytest.mark.parametrize("page", [*WRITTEN, ROOT / "README.md"], ids=lambda page: page.stem)
def test_prose_is_wrapped(page: Path) -> None:
    prose = re.sub(r"(?s)```.*?```", "", page.read_text("utf-8"))
    lines = [line for line in prose.splitlines() if not line.startswith(("|", "!["))]
    assert [line for line in lines if len(line) > 100 and " " in line.strip()] == []


def test_the_layers_are_those_of_the_import_contract() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (layers,) = (
        contract["layers"]
        for contract in settings["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
    )
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    told = re.findall(r"^\| (`[^|]*`)[^|]*\|", page, re.MULTILINE)
    for layer, row in zip(layers[:11], told, strict=False):
        assert {*re.findall(r"`([\w.]+)`", row)} <= {*layer.split(" | ")}


def test_the_glossary_is_sorted_and_has_each_word_once() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    words = re.findall(r"^\| ([a-z][a-z ]+) \|", page, re.MULTILINE)[1:]
    assert words == sorted({*words})
    assert len(words) > 25


def test_every_page_is_reached_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    reached = {*re.findall(r"docs/([\w-]+\.md)", readme)}
    for _ in PAGES:
        for name in tuple(reached):
            reached |= {*re.findall(r"\]\(([\w-]+\.md)", (ROOT / "docs" / name).read_text("utf-8"))}
    assert reached == {page.name for page in PAGES}


def test_every_command_is_described() -> None:
    text = "".join(page.read_text("utf-8") for page in (*WRITTEN, ROOT / "README.md"))
    assert [name for name in COMMANDS if not re.search(rf"areachair {name}\b", text)] == []
