"""`areachair predicates`: what a claim can say."""

import typer

from reviewers.exports.predicates_page import predicates_page
from reviewers.propositions import PREDICATES


def command() -> None:
    """Print the vocabulary of claims (docs/predicates.md)."""
    typer.echo(predicates_page(PREDICATES.values()), nl=False)
