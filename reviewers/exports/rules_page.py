"""All rules as one page of Markdown: `docs/rules.md` is made of it, and a test fails where it
differs.
"""

from collections.abc import Iterable
from itertools import groupby

from reviewers.rubric import rubric
from reviewers.rules import Rule


def rules_page(rules: Iterable[Rule]) -> str:
    """Return the page: one section a criterion, one part a rule, with what it flags and what it
    does not.
    """
    made = (
        "Made of the rules themselves by `areachair rules --markdown`. Lines that end in `# flag:"
        " ID` are flagged. Where a submission's contract lacks a clause that a rule needs, the rule"
        " says nothing; `areachair contracts` shows the contracts."
    )
    parts = [f"# The rules\n\n{made}\n"]
    ordered = sorted(rules, key=lambda rule: (rule.criterion, rule.id))
    for number, group in groupby(ordered, key=lambda rule: rule.criterion):
        criterion = rubric().criteria[number]
        parts.append(f"## {number}. {criterion.title}\n\n{criterion.question}\n")
        parts += [_rule(rule) for rule in group]
    return "\n".join(parts)


def _rule(rule: Rule) -> str:
    needs = " and ".join(f"`{clause}`" for clause in rule.needs)
    speaks = f" It needs {needs} of the contract." if needs else ""
    return "\n".join(
        [
            f"### {rule.id} {rule.name}\n",
            (
                f"**{rule.summary}** ({rule.severity},"
                f" {rubric().categories[rule.category].title.lower()}).{speaks}\n"
            ),
            f"{rule.why}\n",
            f"Flagged:\n\n```text\n{rule.bad}```\n",
            f"Fine:\n\n```text\n{rule.good}```\n",
        ]
    )
