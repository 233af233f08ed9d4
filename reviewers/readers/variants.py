"""The harmless variants in which a reader may write a proposition, brought to the one form that is
parsed.

| written | taken as |
|---|---|
| `["x"]` where one value belongs | `"x"` |
| `"*"`, `[]`, `{}` or, where no value is meant, `""` in an argument that may be absent | left out |
| no scope where one is needed | `code` |
| `./src/a.py`, `src/a.py:12`, and `a.py` where one file alone ends so, as a scope | `src/a.py` |
| `torch.load()` as a name | `torch.load` |
| `all` or `any` of one part | the part |
| not (not p) | p |
| not (any of p, q) | all of: not p, not q |
| not (would p) | would (not p) |

"Not all of" is no variant: some mean "none" by it.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any

from reviewers.propositions import PREDICATES
from reviewers.propositions.parameters import LITERAL, Parameter
from reviewers.propositions.vocabulary import Predicate

_LINES = re.compile(r":\d{1,9}(?:-\d{1,9})?$")
_WITHOUT_CALL = frozenset({"callee", "name"})


def usual_form(value: object, paths: Collection[str]) -> object:
    """A proposition in JSON with each variant as it is parsed; what is none stays as it is.

    Args:
        paths: of the submission.
    """
    if isinstance(value, list):
        return [usual_form(each, paths) for each in value]
    if not isinstance(value, dict):
        return value
    predicate = PREDICATES.get(name) if isinstance(name := value.get("p"), str) else None
    if predicate is not None:
        return dict(_arguments(value, predicate, paths))
    found = {name: usual_form(each, paths) for name, each in value.items()}
    match found:
        case {"all": [part], **rest} | {"any": [part], **rest} if not rest:
            return part
        case {"not": {"not": part, **inner}, **rest} if not rest and not inner:
            return part
        case {"not": {"any": [*several], **inner}, **rest} if not rest and not inner:
            return {"all": [usual_form({"not": part}, ()) for part in several]}
        case {"not": {"would": part, **inner}, **rest} if not rest and not inner:
            return {"would": {"not": part}}
    return found


def _arguments(value: Mapping[str, Any], predicate: Predicate, paths: Collection[str]) -> Any:
    if "scope" in predicate.required and not value.get("scope"):
        value = {**value, "scope": "code"}
    for name, given in value.items():
        parameter = predicate.parameters.get(name)
        plain = given if parameter is None else _argument(given, parameter, paths)
        is_empty = plain in ([], {}) or (parameter is not None and _is_any(plain, parameter))
        if name in predicate.required or not is_empty:
            yield name, plain


def _argument(given: Any, parameter: Parameter, paths: Collection[str]) -> Any:
    takes_list = parameter.schema.get("type") == "array"
    match given:
        case [one] if not takes_list:
            given = one
        case str() | int() | float() if takes_list and given != "":
            given = [given]
    if parameter.name == "scope" and isinstance(given, dict) and isinstance(given.get("file"), str):
        return {**given, "file": _scope(given["file"], paths)}
    if isinstance(given, str):
        if parameter.name == "scope":
            return _scope(given, paths)
        if parameter.name in _WITHOUT_CALL:
            return given.removesuffix("()")
    return given


def _is_any(given: object, parameter: Parameter) -> bool:
    return given == "*" or (given == "" and parameter.schema != LITERAL)


def _scope(told: str, paths: Collection[str]) -> str:
    file, separator, name = told.partition("::")
    file = _LINES.sub("", file).removeprefix("./")
    if file not in paths:
        ending = [path for path in paths if path.endswith(f"/{file}")]
        file = ending[0] if len(ending) == 1 else file
    return f"{file}{separator}{name.removesuffix('()')}"
