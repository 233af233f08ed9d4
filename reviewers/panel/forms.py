"""The two forms that an answer can have, as schemas that strict modes accept."""

from collections.abc import Mapping
from typing import Any

from reviewers.backends.base import AnswerForm
from reviewers.backends.configured import Form
from reviewers.records import Severity, Verdict
from reviewers.rubric import UNCATEGORISED, criteria_of, rubric
from reviewers.rubric.contract import Contract


def answer_form(form: Form, contract: Contract) -> AnswerForm:
    """Return what is asked for: findings with places and quotes, or the verdict and text of the
    recorded logs.
    """
    if form == "recorded":
        return AnswerForm(
            "areachair_recorded",
            _object(is_code_ready={"type": "boolean"}, code_issue={"type": "string"}),
        )
    from reviewers.propositions import schema  # it loads all facts, as for the prompt

    proposition = schema()
    finding = _object(
        criterion={"type": "integer", "enum": list(criteria_of(contract))},
        category={"type": "string", "enum": categories()},
        severity={"type": "string", "enum": [severity.value for severity in Severity]},
        file={"type": ["string", "null"]},
        line={"type": ["integer", "null"]},
        end_line={"type": ["integer", "null"]},
        quote={"type": ["string", "null"]},
        message={"type": "string"},
        proposition={"anyOf": [{"$ref": "#/$defs/proposition"}, {"type": "null"}]},
    )
    verdict = {"type": "string", "enum": [verdict.value for verdict in Verdict]}
    answer = _object(verdict=verdict, findings={"type": "array", "items": finding})
    return AnswerForm("areachair_findings", {"$defs": proposition["$defs"], **answer})


def categories() -> list[str]:
    """The categories that a model may choose from."""
    return [category for category in rubric().categories if category != UNCATEGORISED]


def _object(**properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
