"""Rewrite the outputs that the docs show: each block follows the command that prints it.

python -m docs.outputs
"""

import re
import shlex
from pathlib import Path

from typer.testing import CliRunner

from dashboard.serve import serve
from reviewers.cli import DashboardOptions, build

_ROOT = Path(__file__).parents[1]
PAGES = (_ROOT / "README.md", _ROOT / "docs" / "deploy.md")
BLOCK = re.compile(r"(<!-- output: (.+?) -->\n```text\n)(.*?)(```)", re.DOTALL)
_LOGIN = {
    "METADATA": "https://sso.lab.example/.well-known/openid-configuration",
    "CLIENT_ID": "areachair",
    "CLIENT_SECRET": "from the provider",
    "COOKIE_SECRET": "c" * 32,
    "ADDRESS": "https://review.lab.example",
}


def printed(command: str) -> str:
    """Return what a command prints where people sign in."""
    environment = {f"AREACHAIR_LOGIN_{name}": value for name, value in _LOGIN.items()}
    app = build(_print_configuration)
    return CliRunner().invoke(app, shlex.split(command), env=environment).stdout


def _print_configuration(options: DashboardOptions) -> None:
    assert options.proxy, "the commands open no dashboard here"
    serve(options)


if __name__ == "__main__":
    for page in PAGES:
        text = BLOCK.sub(lambda block: f"{block[1]}{printed(block[2])}{block[4]}", page.read_text())
        page.write_text(text, "utf-8")
