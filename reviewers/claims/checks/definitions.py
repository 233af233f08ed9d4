"""Claims about what classes and functions have: methods, attributes, parameters, bodies."""

import ast
import re
from collections.abc import Iterator

from reviewers.claims.certificates import Certificate
from reviewers.claims.checks.base import (
    Answer,
    Case,
    check,
    code,
    confirmed,
    join,
    refuted,
    remark,
)
from reviewers.facts.python_file import ClassDefinition, Definition, Function, PythonFile
from reviewers.facts.unfinished import stubs
from reviewers.records import Span

_MODULE_BASES = frozenset({"torch.nn.Module", "nn.Module", "object", "abc.ABC", "ABC"})
_METHOD = re.compile(
    r"\b(?:no|lacks?|misses|missing|without|not (?:define|implement|have|provide))(?: an?| any|"
    r" the| its| own)* "
    r"`?(?:self\.)?([a-z_]\w*)`?(?:\(\))?`?(?: (method|attribute|property|function|member|pass))?",
    re.ASCII,
)


@check("missing_method")
def missing_method(case: Case) -> Answer:
    """A class has a method where it, or a base that is known, defines it."""
    match = _METHOD.search(case.said)
    if match is None:
        return None
    name = match[1]
    if match[2] is None and f"{name}(" not in case.said and f"`{name}`" not in case.said:
        return None
    for path, file, found in _classes(case):
        if name in found.methods:
            return _has_method(case, path, file, found, name)
        bases = list(_bases(file, found))
        if any(base is None for base in bases):
            return None
        inherited = next(
            ((base, base.methods[name]) for base in bases if base and name in base.methods), None
        )
        if inherited:
            return remark(
                f"{found.name} inherits {name} from {inherited[0].name} in line"
                f" {inherited[1].lineno} of {path}",
                Span(path, inherited[1].lineno),
            )
        assigned = _assigned(found.node, name)
        if assigned is not None:
            return (
                remark(f"{path}:{assigned} sets {found.name}.{name}", Span(path, assigned))
                if match[2] in ("attribute", "property", "member")
                else None
            )
        has = (
            f"it has {join([code(method) for method in found.methods])}"
            if found.methods
            else "it has no methods"
        )
        return confirmed(
            f"class {found.name} in lines {found.line} to {found.end_line} of {path} defines no"
            f" {name}; {has}",
            Span(path, found.line, found.end_line),
        )
    return None


def _has_method(
    case: Case, path: str, file: PythonFile, found: ClassDefinition, name: str
) -> Answer:
    """Refute that a class lacks a method that it defines, unless that is a stub."""
    line, whole = found.methods[name].lineno, f"{found.name}.{name}"
    told = f"{path}:{line} defines {whole}"
    if any(each.name == whole for each, _ in stubs(file)) or _unmade(file, found, name):
        return remark(told, Span(path, line))
    known = {each.casefold() for each in (name, f"self.{name}", found.name, whole)}
    return refuted(
        case,
        Certificate.BOUND,
        told,
        Span(path, line),
        files=(path,),
        covers=lambda piece: piece.casefold().removesuffix("()") in known,
        named=(name, found.name),
    )


def _unmade(file: PythonFile, found: ClassDefinition, name: str) -> bool:
    """Whether other code binds or deletes what the class defines, or the class itself."""

    def meant(node: ast.AST) -> bool:
        match node:
            case ast.Name(id=own, ctx=ast.Store() | ast.Del()):
                inside = found.line <= node.lineno <= found.end_line
                return own == found.name or (own == name and inside)
            case ast.Attribute(attr=own, ctx=ast.Store() | ast.Del()):
                return own == name
        return False

    return any(map(meant, file.nodes))


def _classes(case: Case) -> Iterator[tuple[str, PythonFile, ClassDefinition]]:
    for name in case.claim.names:
        found = case.search.definition(name)
        if found is not None and isinstance(found[1].node, ast.ClassDef):
            path = found[0]
            file = case.facts.python[path]
            yield path, file, file.classes[found[1].name]


def _bases(file: PythonFile, found: ClassDefinition) -> Iterator[ClassDefinition | None]:
    """Every base that is defined in the same file, at any distance; None for one that is not
    known.
    """
    seen = {found.name}
    waiting = list(found.bases)
    while waiting:
        base = waiting.pop()
        if base in _MODULE_BASES:
            continue
        if base is None or base not in file.classes:
            yield None
        elif base not in seen:
            seen.add(base)
            yield file.classes[base]
            waiting += file.classes[base].bases


def _assigned(node: ast.ClassDef, name: str) -> int | None:
    """The line on which a class or its objects get an attribute, by assignment or by a call that
    names it.
    """
    for part in ast.walk(node):
        if (
            isinstance(part, ast.Attribute)
            and part.attr == name
            and isinstance(part.ctx, ast.Store)
        ):
            return part.lineno
        if isinstance(part, ast.Call) and any(
            isinstance(each, ast.Constant) and each.value == name for each in part.args
        ):
            return part.lineno
    for statement in node.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        targets += [statement.target] if isinstance(statement, ast.AnnAssign) else []
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return statement.lineno
    return None


_TOO_MANY = re.compile(
    r"\bexpects?\b.*\b(?:single|one|only|two|three|\d)\b.*\barguments?\b|\btakes? \d+"
    r" positional|\binvoked "
    r"(?:as|with)\b|\bcalled with\b.*\barguments?\b|missing \d+ required positional|\bwrong"
    r" (?:number of "
    r")?arguments?\b"
)


@check("signature")
def signature(case: Case) -> Answer:
    """A call of a function of the submission fits where Python could bind its arguments."""
    if not _TOO_MANY.search(case.said):
        return None
    for name in _called(case):
        for path, file in case.python() or case.facts.python.items():
            for definition in file.definitions:
                if (
                    definition.name.rpartition(".")[2] != name
                    or isinstance(definition.node, ast.ClassDef)
                    or _is_method(file, definition)
                ):
                    continue
                bad = [
                    call for call in _calls_of(file, definition) if _misfit(definition.node, call)
                ]
                if bad:
                    takes = len(definition.node.args.posonlyargs) + len(definition.node.args.args)
                    lines = join([str(call.lineno) for call in bad])
                    given = len(bad[0].args)
                    plural = "argument" if takes == 1 else "arguments"
                    return confirmed(
                        f"{path}:{definition.node.lineno} defines {definition.name} with {takes}"
                        f" positional {plural}, and line {lines} calls it with {given}",
                        Span(path, bad[0].lineno),
                    )
    return None


def _called(case: Case) -> list[str]:
    words = [
        *case.claim.own.names,
        *re.findall(r"(\w+)\(", " ".join(case.claim.quotes)),
        *re.findall(r"(\w+)\(\)", case.claim.text),
    ]
    if case.claim.points_back:
        words += [name for near in case.claim.around[:1] for name in near.names]
        words += re.findall(
            r"(\w+)\(", " ".join(quote for near in case.claim.around[:1] for quote in near.quotes)
        )
    return list(dict.fromkeys(word.rpartition(".")[2] for word in words))


def _is_method(file: PythonFile, definition: Definition) -> bool:
    return definition.name.rpartition(".")[0] in file.classes


def _calls_of(file: PythonFile, definition: Definition) -> list[ast.Call]:
    """The calls by plain name that can only mean this function: within its own scope, and not where
    another has its name.
    """
    outer, _, name = definition.name.rpartition(".")
    same = [
        other
        for other in file.definitions
        if other.name.rpartition(".")[2] == name and not _is_method(file, other)
    ]
    if len(same) > 1:
        return []
    return [
        call.node
        for call in file.calls
        if isinstance(call.node.func, ast.Name)
        and call.node.func.id == name
        and (not outer or call.scope == outer or call.scope.startswith(outer + "."))
    ]


def _misfit(function: Function, call: ast.Call) -> bool:
    arguments = function.args
    if (
        function.decorator_list
        or arguments.vararg
        or any(isinstance(each, ast.Starred) for each in call.args)
        or any(each.arg is None for each in call.keywords)
    ):
        return False
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    if len(call.args) > len(names):
        return True
    given = {each.arg for each in call.keywords}
    required = names[: len(names) - len(arguments.defaults)]
    return any(name not in given for name in required[len(call.args) :])


_STUB = re.compile(
    r"\bstub(?:s|bed)?\b|\bplace-?holder|`?\bpass\b`?\)?|notimplemented|\bnot"
    r" implemented\b|\bsimply returns\b|"
    r"\bempty (?:body|method|function)\b"
)


@check("stub")
def stub(case: Case) -> Answer:
    """A function is a stub where its body is only `pass`, `...`, a docstring, a constant or a
    raised NotImplementedError.
    """
    if not _STUB.search(case.said):
        return None
    for name in case.claim.own.names:
        found = case.search.definition(
            name, [path for path, _ in case.python()] or None
        ) or case.search.definition(name)
        if found is None:
            continue
        path, definition = found
        functions = (
            [definition.node]
            if not isinstance(definition.node, ast.ClassDef)
            else [item for item in definition.node.body if isinstance(item, Function)]
        )
        for function in functions:
            if body := _stub_body(function):
                return confirmed(
                    "the body of"
                    f" {definition.name if function is definition.node else f'{definition.name}.{function.name}'}"  # noqa: E501
                    f" on line {function.lineno} of {path} is only {code(body)}",
                    Span(path, function.lineno, function.end_lineno),
                )
    return None


def _stub_body(function: Function) -> str:
    """What a body consists of that does nothing; empty for one that does something."""
    body = list(function.body)
    if (
        body
        and isinstance(body[0], ast.Expr)
        and isinstance(body[0].value, ast.Constant)
        and isinstance(body[0].value.value, str)
    ):
        body = body[1:]
    if not body:
        return "a docstring"
    if len(body) > 1:
        return ""
    only = body[0]
    if isinstance(only, ast.Pass) or (
        isinstance(only, ast.Expr) and isinstance(only.value, ast.Constant)
    ):
        return ast.unparse(only)
    if (
        isinstance(only, ast.Raise)
        and only.exc is not None
        and "NotImplemented" in ast.unparse(only.exc)
    ):
        return ast.unparse(only)
    return ""
