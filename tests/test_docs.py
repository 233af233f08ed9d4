"""Guards the docs: what they point at is there, and what they list is whole."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))
WRITTEN = [page for page in PAGES if page.stem not in ("rules", "predicates")]


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.stem)
def test_what_a_page_points_at_is_there(page: Path) -> None:
    text = page.read_text("utf-8")
    for path in re.findall(r"\]\(((?!https?:)[^)#]+)\)", text):
        assert (page.parent / path).is_file(), path
    for path in re.findall(r"`((?:reviewers|dashboard|tests)/[\w./]+)`", text):
        assert (ROOT / path).exists(), path


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
