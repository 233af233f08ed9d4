"""Guards the README and the generated pages: outputs are true and links resolve."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from docs.outputs import BLOCK, PAGES, printed
from reviewers.cli import DashboardOptions, build
from reviewers.propositions import PREDICATES
from reviewers.rules import registered
from tests.shared_data import EVERYTHING, LOGS, SEEDS, needs_shared

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
SHOWN = [found[1:3] for page in PAGES for found in BLOCK.findall(page.read_text("utf-8"))]
MEASUREMENTS = (ROOT / "docs" / "how-it-was-measured.md").read_text("utf-8")
(MEASURED,) = re.findall(r"<!-- measured: stats -->\n```text\n(.*?)```", MEASUREMENTS, re.DOTALL)


def _unused(_: DashboardOptions) -> None:
    raise AssertionError("the README's commands open no dashboard here")


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command for command, _ in SHOWN])
def test_the_output_shown_is_true(
    command: str, output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert printed(command) == output


@pytest.mark.skipif(not EVERYTHING, reason="it reviews every real log, which takes a minute")
@needs_shared
def test_the_figures_on_real_logs_are_true() -> None:
    words = ["stats", *map(str, (*SEEDS, *LOGS))]
    assert CliRunner().invoke(build(_unused), words).stdout == MEASURED


def test_ci_finds_the_test_command() -> None:
    (block,) = re.findall(
        r"<!-- test-command -->\n```sh\n(.*?)```\n<!-- end -->", README, re.DOTALL
    )
    assert block.startswith("python3 ")
    assert block.count("\n") == 1


@pytest.mark.parametrize("path", re.findall(r"\]\(((?!https?:)[^)#]+)\)", README))
def test_what_the_readme_points_at_is_there(path: str) -> None:
    assert (ROOT / path).is_file()


def test_the_page_of_predicates_is_made_of_the_vocabulary() -> None:
    page = CliRunner().invoke(build(_unused), ["predicates"]).stdout
    assert (ROOT / "docs" / "predicates.md").read_text("utf-8") == page
    for name in PREDICATES:
        assert f"| `{name}` |" in page


def test_the_page_of_rules_is_made_of_the_rules() -> None:
    page = CliRunner().invoke(build(_unused), ["rules", "--markdown"]).stdout
    assert (ROOT / "docs" / "rules.md").read_text("utf-8") == page
    for rule in registered().values():
        assert f"### {rule.id} " in page
