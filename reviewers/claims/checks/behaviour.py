"""Claims about what the code calls, imports and uses, and what it never does."""

import ast
import re

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, join, partly, remark
from reviewers.facts.python_file import Definition
from reviewers.records import Span

_IMPORTS = re.compile(
    r"\bimports? (?P<names>[a-z]\w*(?:\.\w+)*(?:(?:,| and|, and) [a-z]\w*(?:\.\w+)*)*)(?=$|[.;,)]|"
    r" (?:but|and|although)\b)"
)


@check("imports")
def imports(case: Case) -> Answer:
    """A file imports a module where one of its import statements names it."""
    match = _IMPORTS.search(case.said)
    files = case.python()
    if (
        match is None
        or len(files) != 1
        or re.search(r"\b(?:not|never|without|no|missing|n't)\b", case.said)
        or case.claim.hedged
    ):
        return None
    path, file = files[0]
    names = re.split(r",\s*(?:and\s+)?|\s+and\s+", match["names"])
    lines = {item.module.casefold(): item.line for item in file.imports} | {
        item.module.partition(".")[0].casefold(): item.line for item in file.imports
    }
    gone = [name for name in names if name not in lines]
    if not gone:
        return confirmed(
            f"{path} imports {join(names)} on {'line' if len(names) == 1 else 'lines'} "
            f"{join([str(lines[name]) for name in names])}",
            Span(path, lines[names[0]]),
        )
    if (
        len(gone) == len(names)
        and file.tree is not None
        and not any(next(case.search.word(name, (path,)), None) for name in names)
    ):
        return remark(
            f"{path} has no import of {join(names, 'or')}, and the name does not occur in it",
            Span(path),
        )
    return None


_NEVER_CALLED = re.compile(
    r"\b(?:is|are) (?:never|not) (?:actually"
    r" )?(?:called|invoked|used|instantiated|executed)\b|\bunused\b|"
    r"\bnever (?:called|invoked|used|instantiated)\b|\bdead code\b"
)
_NEVER_CALLS = re.compile(r"\b(?:never|does not|doesn't|do not) (?:call|invoke|use|run)s?\b")


@check("never_called")
def never_called(case: Case) -> Answer:
    """A function or class is never used where its name occurs only in its definition."""
    if case.claim.hedged or not case.claim.own.names:
        return None
    if _NEVER_CALLS.search(case.said):
        return _never_calls(case)
    if not _NEVER_CALLED.search(case.said) or len(case.claim.own.names) != 1:
        return None
    found = case.search.definition(
        case.claim.own.names[0], [path for path, _ in case.python()] or None
    ) or case.search.definition(case.claim.own.names[0])
    if found is None or any(file.tree is None for file in case.facts.python.values()):
        return None
    path, definition = found
    name = definition.name.rpartition(".")[2]
    if name.startswith("__") or name == "forward":
        return None
    span = Span(path, definition.line, definition.end_line)
    calls = [
        call
        for call in case.search.calls(name, case.facts.python)
        if not (call.file == path and definition.line <= (call.line or 0) <= definition.end_line)
    ]
    if calls:
        return (
            remark(f"{calls[0]} calls {definition.name}", calls[0])
            if "." not in definition.name and re.search(r"\bcalled|invoked|instantiated", case.said)
            else None
        )
    mentions = [
        use
        for use in case.search.word(name)
        if use.file.endswith(".py")
        and case.search.worth(use.file, use.line or 0) == 0
        and not (use.file == path and use.line == definition.node.lineno)
    ]
    if not mentions:
        return confirmed(
            f"{definition.name} is defined on line {definition.node.lineno} of {path}, and its name"
            " occurs nowhere else in the code",
            span,
        )
    return None


def _never_calls(case: Case) -> Answer:
    """The first definition named is the caller, another name with a bracket after it is what it
    should call.
    """
    said = case.claim.text
    after = said[_position(said) :]
    scopes = [
        found
        for name in case.claim.own.names
        if said.find(name) < _position(said) and (found := case.search.definition(name))
    ]
    wanted = [name for name in case.claim.own.names if re.search(rf"{re.escape(name)}`?\(", after)]
    if not scopes or len(wanted) != 1:
        return None
    path, definition = scopes[0]
    last = wanted[0].rpartition(".")[2]
    span = Span(path, definition.line, definition.end_line)
    inside = [
        call
        for call in case.search.calls(last, (path,))
        if definition.line <= (call.line or 0) <= definition.end_line
    ]
    if inside:
        return remark(f"{inside[0]}, in {definition.name}, calls {code(last)}", inside[0])
    if not case.search.calls(last, case.facts.python):
        return confirmed(
            f"{definition.name} on lines {definition.line} to {definition.end_line} of {path} has"
            f" no call of {last}, and no other code has",
            span,
        )
    return partly(f"{definition.name} itself has no call of {last}", span)


def _position(said: str) -> int:
    match = re.search(r"\b(?:never|does not|doesn't|do not)\b", said)
    return match.start() if match else len(said)


_RETURNS = re.compile(
    r"\b(?:only |simply |just |merely |always )*(?:returns?|(?<=only"
    r" )(?:computes|produces|outputs|yields|gives)) "
    r"(?:only |just |simply |always )*(?:an? |the "
    r")?(?:(?P<of>[a-z_]+) )?(?P<what>scalar|float|zero|0(?:\.0)?|none|nothing|constant|python"
    r" float)\b"
)


@check("returns")
def returns(case: Case) -> Answer:
    """What every return statement of a function has, where that can be read off."""
    match = _RETURNS.search(case.said)
    if match is None or case.claim.hedged:
        return None
    for name in case.claim.names:
        found = case.search.definition(
            name, [path for path, _ in case.python()] or None
        ) or case.search.definition(name)
        if found is not None and isinstance(found[1].node, ast.ClassDef):
            found = case.search.definition(
                f"{found[1].name}.forward", (found[0],)
            )  # what a network gives when it is called
        if found is None:
            continue
        path, definition = found
        values = [
            node
            for node in ast.walk(definition.node)
            if isinstance(node, ast.Return) and _own(definition, node)
        ]
        if not values or not all(
            _is_such(_behind(definition, node.value), match["what"]) for node in values
        ):
            return None
        if match["of"] not in (None, "python", "plain", "single", "constant") and not all(
            match["of"] in ast.unparse(node) for node in values
        ):
            return None
        shown = join([code(ast.unparse(node)) for node in values], most=2)
        return confirmed(
            f"every return of {definition.name} is {shown}, on"
            f" {'line' if len(values) == 1 else 'lines'}"
            f" {join([str(node.lineno) for node in values])} of {path}",
            Span(path, definition.line, definition.end_line),
        )
    return None


def _own(definition: Definition, node: ast.Return) -> bool:
    inner = [
        part
        for part in ast.walk(definition.node)
        if isinstance(part, ast.FunctionDef | ast.Lambda) and part is not definition.node
    ]
    return not any(part.lineno <= node.lineno <= (part.end_lineno or part.lineno) for part in inner)


def _behind(definition: Definition, value: ast.expr | None) -> ast.expr | None:
    """What a variable stands for that is assigned once."""
    if not isinstance(value, ast.Name):
        return value
    stores = [
        node
        for node in ast.walk(definition.node)
        if isinstance(node, ast.Assign)
        and any(isinstance(each, ast.Name) and each.id == value.id for each in node.targets)
    ]
    changed = any(
        isinstance(node, ast.AugAssign | ast.For) and value.id in ast.unparse(node.target)
        for node in ast.walk(definition.node)
    )
    return stores[0].value if len(stores) == 1 and not changed else value


def _is_such(value: ast.expr | None, what: str) -> bool:
    if what in ("none", "nothing"):
        return value is None or (isinstance(value, ast.Constant) and value.value is None)
    if isinstance(value, ast.Constant) and isinstance(value.value, int | float):
        return what in ("scalar", "constant", "float") or value.value == 0
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        first = value.args[0] if value.args else None
        number = (
            first.value
            if isinstance(first, ast.Constant) and isinstance(first.value, int | float)
            else None
        )
        if value.func.attr == "tensor" and number is not None:
            return (
                what == "scalar"
                or (what in ("zero", "0", "0.0") and number == 0)
                or what == "constant"
            )
        if value.func.attr in ("zeros", "zeros_like"):
            return what in ("zero", "0", "0.0", "constant")
        if value.func.attr in ("sum", "mean") and not value.args and not value.keywords:
            return what == "scalar"
    is_float = isinstance(value, ast.Call) and (
        (isinstance(value.func, ast.Name) and value.func.id == "float")
        or (isinstance(value.func, ast.Attribute) and value.func.attr == "item")
    )
    return is_float and what in ("scalar", "float", "python float")
