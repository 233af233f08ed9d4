"""Rewrite the outputs that the README shows: each block follows the command that prints it.

python -m docs.outputs
"""

import re
import shlex
from pathlib import Path

from typer.testing import CliRunner

from reviewers.cli import DashboardOptions, build

README = Path(__file__).parents[1] / "README.md"
_BLOCK = re.compile(r"(<!-- output: (.+?) -->\n```text\n).*?(```)", re.DOTALL)


def _no_dashboard(_: DashboardOptions) -> None:
    raise AssertionError("the README's commands open no dashboard here")


def _printed(block: re.Match[str]) -> str:
    output = CliRunner().invoke(build(_no_dashboard), shlex.split(block[2])).stdout
    return f"{block[1]}{output}{block[3]}"


if __name__ == "__main__":
    README.write_text(_BLOCK.sub(_printed, README.read_text("utf-8")), "utf-8")
