"""`areachair predicates`: what a claim can say."""

import typer

from reviewers.exports.predicates_page import predicates_page
from reviewers.propositions import PREDICATES


def command() -> None:
    """Print what a claim can say, as docs/predicates.md has it."""
    typer.echo(predicates_page(PREDICATES.values()), nl=False)
