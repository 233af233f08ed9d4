"""Claims about networks: what a layer takes, what a function returns, on which device it lives, and
what learns.
"""

import ast
import re
from collections.abc import Iterator

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, join, remark
from reviewers.facts.python_file import ClassDefinition, Definition, Function, PythonFile
from reviewers.facts.python_nodes import own_nodes
from reviewers.records import Span

_IDS = re.compile(
    r"\b(?:expects?|requires?|needs?|takes?|accepts?)\b[^.;]{0,20}\b(?:integers?|int|long|token|discrete)\b[^.;]{0,20}"
    r"\b(?:ids?|indices|indexes|tokens?|tensors?|inputs?)\b"
)


@check("takes_ids")
def takes_ids(case: Case) -> Answer:
    """A network takes token ids where its forward looks its input up in an nn.Embedding."""
    if case.claim.hedged or not _IDS.search(case.said) or case.denies or case.claim.own.errors:
        return None
    for path, file, found in _networks(case):
        forward = found.methods.get("forward")
        embedded = {
            name for name, made in _layers(file, found).items() if made == "torch.nn.Embedding"
        }
        inputs = [each.arg for each in forward.args.args[1:]] if forward else []
        for node in ast.walk(forward) if forward else ():
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="self"), attr=name),
                    args=[ast.Name(id=given)],
                ):
                    if name in embedded and given in inputs and not _assigned(forward, given):
                        return confirmed(
                            f"{found.name}.forward looks {code(given)} up in the nn.Embedding"
                            f" {code(f'self.{name}')}, on line {node.lineno} of {path}",
                            Span(path, found.line, found.end_line),
                        )
    return None


def _networks(case: Case) -> Iterator[tuple[str, PythonFile, ClassDefinition]]:
    for name in case.claim.names:
        found = case.search.definition(
            name, [path for path, _ in case.python()] or None
        ) or case.search.definition(name)
        if found is not None and isinstance(found[1].node, ast.ClassDef):
            file = case.facts.python[found[0]]
            yield found[0], file, file.classes[found[1].name]


def _layers(file: PythonFile, found: ClassDefinition) -> dict[str, str | None]:
    """The attributes that a class gives its objects, with the dotted name of what is called to make
    them.
    """
    made: dict[str, str | None] = {}
    for node in ast.walk(found.node):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            for target in node.targets:
                if (
                    isinstance(target, ast.Attribute)
                    and isinstance(target.value, ast.Name)
                    and target.value.id == "self"
                ):
                    made[target.attr] = (
                        file.resolve(node.value.func) if target.attr not in made else None
                    )
    return made


def _assigned(function: Function | None, name: str) -> bool:
    return function is not None and any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        for node in ast.walk(function)
    )


_RETURNS = re.compile(
    r"\breturns? (?:only |just |simply |always |still )?(?:an? |the )?"
    r"(?:plain |raw |single |python |float |numpy |np\.?|torch |bare )*"
    r"`?(?P<what>embeddings?|ndarray|array|tuple|list|dict(?:ionary)?|tensor|string|str|integer|int|float|bool(?:ean)?)s?\b`?"
)
_KINDS: dict[str, tuple[type[ast.expr], ...]] = {
    "tuple": (ast.Tuple,), "list": (ast.List, ast.ListComp), "string": (ast.JoinedStr,),
    "str": (ast.JoinedStr,),
    "dict": (ast.Dict, ast.DictComp), "dictionary": (ast.Dict, ast.DictComp),
}  # fmt: skip
_ANNOTATED = {
    "ndarray": r"(?:np|numpy)\.ndarray", "array": r"(?:np|numpy)\.ndarray", "tuple": r"[Tt]uple(?:\[.*\])?",  # noqa: E501
    "list": r"[Ll]ist(?:\[.*\])?", "dict": r"[Dd]ict(?:\[.*\])?", "dictionary": r"[Dd]ict(?:\[.*\])?",  # noqa: E501
    "string": "str", "str": "str", "tensor": r"(?:torch\.)?Tensor",
    "int": "int", "integer": "int", "float": "float", "bool": "bool", "boolean": "bool",
}  # fmt: skip
_REST = re.compile(
    r"\b(?:instead|but|not|never|so|which|while|although|because|error|crash\w*|fail\w*|raise\w*|expect\w*|require\w*)\b"
)


_TAIL = re.compile(rf"{_REST.pattern}|^\s*(?:of|with|that|whose|containing|holding)\b")


@check("returns_kind")
def returns_kind(case: Case) -> Answer:
    """A function returns a list, a dictionary, an array: true where its statements and its
    annotation say so.
    """
    match = _RETURNS.search(case.said)
    if (
        match is None
        or case.claim.hedged
        or case.denies
        or _TAIL.search(case.said[match.end() :])
        or len(case.claim.names) > 2
    ):
        return None
    what = match["what"]
    found = _function(case)
    if found is None:
        return None
    path, definition = found
    function = definition.node
    if isinstance(function, ast.ClassDef):
        return None
    values = [node.value for node in _own_returns(function) if node.value is not None]
    span = Span(path, function.lineno, function.end_lineno)
    if what.startswith("embedding"):
        return _float_tensor(case, path, definition, values)
    if values and what in _KINDS and all(isinstance(value, _KINDS[what]) for value in values):
        shown = join([code(ast.unparse(value)) for value in values], most=2)
        return confirmed(
            f"{definition.name} returns {shown}, on line {values[0].lineno} of {path}", span
        )
    given = ast.unparse(function.returns) if function.returns is not None else ""
    if not values or any(
        isinstance(value, ast.Constant | ast.Tuple | ast.Dict | ast.List) for value in values
    ):
        return None
    if what in _ANNOTATED and re.fullmatch(_ANNOTATED[what], given.strip("'\"")):
        return confirmed(
            f"{definition.name} on line {function.lineno} of {path} is annotated as returning"
            f" {given}",
            span,
        )
    return None


def _function(case: Case) -> tuple[str, Definition] | None:
    for name in case.claim.names:
        found = case.search.definition(
            name, [path for path, _ in case.python()] or None
        ) or case.search.definition(name)
        if found is not None and isinstance(found[1].node, ast.ClassDef):
            found = case.search.definition(f"{found[1].name}.forward", (found[0],))
        if found is not None:
            return found
    return None


def _own_returns(function: Function) -> Iterator[ast.Return]:
    own = set(own_nodes(function))
    yield from (node for node in ast.walk(function) if isinstance(node, ast.Return) and node in own)


_SHAPING = frozenset(
    [
        "view",
        "reshape",
        "permute",
        "transpose",
        "contiguous",
        "flatten",
        "squeeze",
        "unsqueeze",
        "expand",
        "cat",
        "stack",
        "size",
    ]
)
_FLOAT_LAYERS = frozenset(
    f"torch.nn.{name}"
    for name in ("Linear", "Conv1d", "Conv2d", "LayerNorm", "Embedding", "Parameter")
)


def _float_tensor(case: Case, path: str, definition: Definition, values: list[ast.expr]) -> Answer:
    """A network gives floats where what it returns goes back to the output of a linear layer, and
    only shapes lie between.
    """
    file, function = case.facts.python[path], definition.node
    owner = file.classes.get(definition.name.rpartition(".")[0])
    if owner is None or isinstance(function, ast.ClassDef) or len(values) != 1:
        return None
    layers = {
        f"self.{name}" for name, made in _layers(file, owner).items() if made in _FLOAT_LAYERS
    }
    seen: set[str] = set()
    waiting: list[ast.expr] = list(values)
    while waiting and len(seen) < 50:
        value = waiting.pop()
        for node in ast.walk(value):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in layers:
                layer = ast.unparse(node.func)
                return confirmed(
                    f"what {definition.name} returns on line {values[0].lineno} of {path} is made"
                    f" by {code(layer)} on line {node.lineno}, which gives floats",
                    Span(path, owner.line, owner.end_line),
                )
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") not in _SHAPING:
                return None
            if isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                waiting += [
                    part.value
                    for part in ast.walk(function)
                    if isinstance(part, ast.Assign)
                    and any(
                        isinstance(each, ast.Name) and each.id == node.id for each in part.targets
                    )
                ]
    return None


_FREEZES = re.compile(r"\b(?:fr(?:ee|o)z\w*|requires_grad ?= ?false|sets? requires_grad)\b")


_WHOLE = frozenset(["model", "backbone", "encoder", "network", "base"])


@check("frozen")
def frozen(case: Case) -> Answer:
    """A model is frozen where a loop over all its parameters sets requires_grad to False."""
    if (
        case.claim.hedged
        or not _FREEZES.search(case.said)
        or _REST.search(case.said)
        or case.denies
    ):
        return None
    functions = [case.search.definition(name.rpartition(".")[2]) for name in case.claim.own.names]
    chosen = [found for found in functions if found and not isinstance(found[1].node, ast.ClassDef)]
    for path, definition in chosen:
        for node in ast.walk(definition.node):
            if (
                not isinstance(node, ast.For)
                or ".parameters()" not in ast.unparse(node.iter)
                or len(node.body) != 1
            ):
                continue
            only, owner = (
                node.body[0],
                ast.unparse(node.iter).rpartition(".parameters")[0].rpartition(".")[2].casefold(),
            )
            if owner not in case.said and not (
                owner in _WHOLE and _WHOLE & set(re.findall(r"[a-z]+", case.said))
            ):
                continue
            if (
                isinstance(only, ast.Assign)
                and ast.unparse(only.targets[0]).endswith(".requires_grad")
                and _is_false(only.value)
            ):
                return confirmed(
                    f"the loop on line {node.lineno} of {path} sets requires_grad to False for all"
                    f" of {code(ast.unparse(node.iter))}",
                    Span(path, node.lineno, node.end_lineno),
                )
    return None


def _is_false(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is False


_ON_CPU = re.compile(
    r"\b(?:on|in) (?:the )?cpu\b|\b(?:never|not)"
    r" (?:moved|transferred|sent|placed|put)\b[^.;]*\b(?:device|gpu|cuda)\b|"
    r"\b(?:never|not) moved to\b"
)
_MOVES = frozenset(["to", "cuda", "to_empty"])
_NO_CLASS = frozenset(
    [
        "Model",
        "Train",
        "Training",
        "Data",
        "Loss",
        "This",
        "That",
        "When",
        "With",
        "Tensor",
        "Base",
        "Simple",
    ]
)


@check("left_on_cpu")
def left_on_cpu(case: Case) -> Answer:
    """A module of the submission stays where it is made, on the CPU, if no code moves it: false
    where some does.
    """
    if any(
        "set_default_device" in file.text or ".prepare(" in file.text
        for file in case.facts.python.values()
    ):
        return None
    if (
        case.claim.hedged
        or not _ON_CPU.search(case.said)
        or re.search(r"\berrors?\b|\bmix\w*", case.said)
    ):
        return None
    answers = []
    words = {*case.claim.names, *re.findall(r"\b[A-Z]\w{3,}", case.claim.text)} - _NO_CLASS
    for name in sorted(words):
        found = _class_of(case, name)
        if found is None:
            continue
        path, definition = found
        made = case.search.calls(definition.name, case.facts.python)
        if not made:
            return None
        moved, where = _moved(case, definition.name, made)
        if moved:
            return remark(f"{moved} moves the {definition.name} that {where} makes", moved)
        if where is None or _moves_itself(case.facts.python[path], definition):
            return None
        answers.append((f"{where} makes {definition.name}", where))
    if not answers:
        return None
    shown = join([text for text, _ in answers])
    return confirmed(f"{shown}, and nothing moves it to a device", answers[0][1])


def _class_of(case: Case, name: str) -> tuple[str, Definition] | None:
    """The class that is called so, or the one whose name begins so: "Graff" means
    GraffScheduler.
    """
    found = [
        (path, each)
        for path, file in case.facts.python.items()
        for each in file.definitions
        if isinstance(each.node, ast.ClassDef) and (each.name == name or each.name.startswith(name))
    ]
    exact = [each for each in found if each[1].name == name]
    return (exact or found)[0] if len(exact or found) == 1 else None


def _moved(case: Case, name: str, made: list[Span]) -> tuple[Span | None, Span | None]:
    """Where the code moves what it makes, and where it makes it; no place at all where that cannot
    be followed.
    """
    for span in made:
        file = case.facts.python[span.file]
        for node in case.search.nodes(span.file, span.line or 0):
            if not isinstance(node, ast.Call) or ast.unparse(node.func).rpartition(".")[2] != name:
                continue
            outer = file.parents.get(node)
            if isinstance(outer, ast.Attribute) and outer.attr in _MOVES:
                return span, span
            if not isinstance(outer, ast.Assign) or not isinstance(outer.targets[0], ast.Name):
                return None, None
            held = outer.targets[0].id
            for call in file.calls:
                function = call.node.func
                if (
                    isinstance(function, ast.Attribute)
                    and function.attr in _MOVES
                    and ast.unparse(function.value) == held
                ):
                    return Span(span.file, call.line), span
            if any(
                isinstance(each, ast.Return) and ast.unparse(each.value or each) == held
                for each in file.nodes
            ):
                return None, None
    return None, made[0]


def _moves_itself(file: PythonFile, definition: Definition) -> bool:
    """Whether a class puts its own tensors on a device when it is made."""
    made = file.classes[definition.name].methods.get("__init__")
    nodes = list(ast.walk(made)) if made else []
    return any(isinstance(node, ast.keyword) and node.arg == "device" for node in nodes) or any(
        isinstance(node, ast.Attribute) and node.attr in _MOVES for node in nodes
    )
