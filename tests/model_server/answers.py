"""What the model says when a test does not script it: a valid answer in the form that was asked
for.
"""

import json
from typing import Any, Literal

from tests.model_server.exchange import Received

Says = Literal["ready", "not_ready"]
_WORDS = {
    "file": "src/train.py",
    "path": "src/train.py",
    "code_issue": "1. src/train.py: the training loop is a placeholder.",
    "message": "the training loop is a placeholder",
    "quote": "pass",
}

_FINDING = {
    "criterion": 1,
    "category": "placeholder-or-truncated",
    "severity": "blocker",
    "file": "src/train.py",
}
_FINDING |= {"line": 1, "end_line": 1, "quote": "pass", "message": _WORDS["message"]}


def default_answer(asked: Received, says: Says) -> str:
    """Return JSON that fits the schema of the request; without one, the form that its words
    name.
    """
    schema = _schema(asked)
    if schema is not None:
        return json.dumps(_instance(schema, "", says == "ready", schema))
    if "is_code_ready" in asked.text:
        return json.dumps(
            {
                "is_code_ready": says == "ready",
                "code_issue": "" if says == "ready" else _WORDS["code_issue"],
            }
        )
    return json.dumps({"verdict": says, "findings": [] if says == "ready" else [_FINDING]})


def _schema(asked: Received) -> dict[str, Any] | None:
    body = asked.body
    form = body.get("response_format") or (body.get("text") or {}).get("format") or {}
    if form.get("type") == "json_schema":
        return dict(form.get("schema") or form["json_schema"]["schema"])
    return None


def _instance(schema: dict[str, Any], name: str, ready: bool, root: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return _instance(root["$defs"][schema["$ref"].rpartition("/")[2]], name, ready, root)
    if "anyOf" in schema:
        return _instance(
            next(s for s in schema["anyOf"] if s.get("type") != "null"), name, ready, root
        )
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        wanted = "ready" if ready else "not_ready"
        return wanted if wanted in schema["enum"] else schema["enum"][0]
    kinds = schema.get("type", "string")
    kind = next(k for k in ([kinds] if isinstance(kinds, str) else kinds) if k != "null")
    if kind == "object":
        return {
            key: _instance(value, key, ready, root)
            for key, value in schema.get("properties", {}).items()
        }
    if kind == "array":
        return [] if ready else [_instance(schema["items"], name, ready, root)]
    if kind == "string":
        return "" if ready and name == "code_issue" else _WORDS.get(name, "a placeholder")
    return ready if kind == "boolean" else 1
