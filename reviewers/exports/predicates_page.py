"""The vocabulary of claims as a page of Markdown, `docs/predicates.md`; a test fails if the file
differs.
"""

from collections.abc import Iterable

from reviewers.propositions import parse, sentence
from reviewers.propositions.vocabulary import Predicate

_MADE = """\
# What a claim can say

Made of the vocabulary itself by `areachair predicates`. A claim is read into these
predicates, joined by `not`, `all`, `any`, `because`, `possible`, `would`, `every` and `only`, and a
program holds that against the code. An argument with a `?` may be left out.

| predicate | arguments | for example | group |
|---|---|---|---|
"""


def predicates_page(predicates: Iterable[Predicate]) -> str:
    """Return the page: a row a predicate, with the sentence of a typical claim."""
    return _MADE + "".join(f"| {' | '.join(_row(each))} |\n" for each in predicates)


def _row(predicate: Predicate) -> tuple[str, ...]:
    said = sentence(parse({"p": predicate.name, **predicate.example}))
    taken = ", ".join(predicate.takes.split())
    return f"`{predicate.name}`", taken, said.replace("|", "\\|"), predicate.category
