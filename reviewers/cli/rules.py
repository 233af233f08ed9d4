"""`areachair rules`: lists the static rules, or prints one with its examples."""

from typing import Annotated

import typer

from reviewers.exports.rules_page import rules_page
from reviewers.rules import Rule, find_rule, registered


def command(
    id: Annotated[str | None, typer.Argument(help="Id of a rule.")] = None,
    markdown: Annotated[
        bool,
        typer.Option("--markdown", help="Print all rules as one page of Markdown (docs/rules.md)."),
    ] = False,
) -> None:
    """List the static rules, or explain one with its examples."""
    typer.echo(rules_text(id, markdown=markdown), nl=False)


def rules_text(id: str | None, *, markdown: bool) -> str:
    """Return all rules as one page, or one rule with its examples, or a line for each rule.

    Raises:
        UnknownRule: no rule has this id.
    """
    if markdown:
        return rules_page(registered().values())
    if id is not None:
        return _rule_page(find_rule(id)) + "\n"
    return "".join(f"{_rule_row(rule)}\n" for rule in registered().values())


def _rule_row(rule: Rule) -> str:
    return f"{rule.id}  {rule.severity:7}  {rule.criterion}  {rule.name}: {rule.summary}"


def _rule_page(rule: Rule) -> str:
    head = f"{rule.id} {rule.name} ({rule.severity}, criterion {rule.criterion}, {rule.category})"
    return "\n\n".join(
        [
            head,
            rule.summary,
            rule.why,
            *([f"It needs of the contract: {', '.join(rule.needs)}"] if rule.needs else []),
            "Flagged:\n\n" + _indented(rule.bad),
            "Fine:\n\n" + _indented(rule.good),
        ]
    )


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())
