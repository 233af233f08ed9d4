"""What is known about the rules of other tools: `tool_rules.toml`, by tool and rule."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from reviewers.records import Severity
from reviewers.rubric import UNCATEGORISED

_ALL_OTHERS = "*"
_SAME_RULES = {"flake8": "ruff", "pycodestyle": "ruff"}
_LEVELS = {"error": Severity.BLOCKER, "warning": Severity.MAJOR}


@dataclass(frozen=True, slots=True)
class ToolRule:
    """What a rule is about; None where its tool's own severity counts."""

    category: str = UNCATEGORISED
    criterion: int | None = None
    severity: Severity | None = None

    def severity_at(self, level: str) -> Severity:
        """Return the severity of a result at one of SARIF's levels; what has none is minor."""
        return self.severity or _LEVELS.get(level, Severity.MINOR)


def tool_rule(tool: str, rule: str | None, name: str | None = None) -> ToolRule:
    """Return what is known of a rule, by its id or its name; nothing is known of most."""
    words = tool.strip().lower()
    known = _known().get(_SAME_RULES.get(words, words), {})
    return next(
        (known[each] for each in (rule, name, _ALL_OTHERS) if each is not None and each in known),
        ToolRule(),
    )


@cache
def _known() -> Mapping[str, Mapping[str, ToolRule]]:
    data = tomllib.loads(files(__package__).joinpath("tool_rules.toml").read_text("utf-8"))
    return {tool: {id: _rule(**row) for id, row in rows.items()} for tool, rows in data.items()}


def _rule(
    category: str = UNCATEGORISED, criterion: int | None = None, severity: str | None = None
) -> ToolRule:
    return ToolRule(category, criterion, None if severity is None else Severity(severity))
