"""Claims about what learns: layers that no gradient reaches, modules made anew in each call, and
what a batch holds.
"""

import ast
import re
from collections.abc import Iterator

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, join
from reviewers.facts.python_file import ClassDefinition, Definition, Function, PythonFile
from reviewers.records import Check, Span

_ANEW = re.compile(
    r"\b(?:instantiat|creat|construct|build|mak|initiali[sz])\w*\b[^.;]*\b(?:on|in|at|for|with|per|inside)\b"
    r"[^.;]*\b(?:every|each|per|hook|forward)\b"
)
_NOT_LEARNT = re.compile(
    r"\b(?:not|never|n['’]t) (?:\w+ )?(?:part of|registered|included|in|among|known"
    r" to|learn\w*|train\w*|updated|optimi[sz]ed|"
    r"receiv\w*|get)\b"
)


@check("made_anew")
def made_anew(case: Case) -> Answer:
    """A module that a forward hook makes anew with each call is no part of the model, and nothing
    trains it.
    """
    if case.claim.hedged or case.claim.own.errors:
        return None
    anew, lost = _ANEW.search(case.said), _NOT_LEARNT.search(case.said)
    if not anew and not (lost and (case.claim.points_back or not case.claim.own.names)):
        return None
    before = " ".join(case.claim.before[-2:])
    text = case.claim.text if anew else f"{case.claim.text} {before}"
    for name in dict.fromkeys(re.findall(r"\b[A-Z][A-Za-z]{3,}\b", text)):
        found = case.search.definition(name)
        if found is None or not isinstance(found[1].node, ast.ClassDef) or found[1].name != name:
            continue
        calls = [
            (path, file, call)
            for path, file in case.facts.python.items()
            for call in file.calls
            if call.name == name
        ]
        hooks = [_hook(file, call.node) for _, file, call in calls]
        if not calls or not all(hooks):
            continue
        path, _, call = calls[0]
        shown = f"{path}:{call.line} makes a {name} in the forward hook itself, with each call"
        if anew:
            return confirmed(shown, Span(path, call.line))
        if any(
            part in ast.unparse(found[1].node)
            for part in ("nn.Parameter(", "nn.Linear(", "nn.Embedding(")
        ):
            return confirmed(
                f"{shown}, so that no module or optimiser holds its parameters",
                Span(path, call.line),
            )
    return None


def _hook(file: PythonFile, node: ast.AST) -> bool:
    """Whether a node stands in a function that is handed to register_forward_hook right there."""
    for outer in file.ancestors(node):
        parent = file.parents.get(outer)
        if (
            isinstance(outer, ast.Lambda)
            and isinstance(parent, ast.Call)
            and "hook" in getattr(parent.func, "attr", "")
        ):
            return True
        if isinstance(outer, Function):
            registered = (
                call.node
                for call in file.calls
                if getattr(call.node.func, "attr", "").endswith("_hook")
            )
            return any(
                isinstance(each, ast.Name) and each.id == outer.name
                for call in registered
                for each in call.args
            )
    return False


_NO_GRADIENT = re.compile(
    r"\b(?:never|not|no|n['’]t)\b[^.;]{0,30}\b(?:gradients?|back-?prop\w*|trained|learn\w*|updated|optimi[sz]ed)\b|"
    r"\bgradients?\b[^.;]*\bnever\b"
)


@check("without_gradient")
def without_gradient(case: Case) -> Answer:
    """A layer gets no gradient where whatever it gives is used under torch.no_grad alone."""
    if case.claim.hedged or not _NO_GRADIENT.search(case.said) or case.claim.own.errors:
        return None
    said = case.claim.sentence.casefold() if case.claim.points_back else case.said
    wanted = set(re.findall(r"[a-z][a-z_0-9]+", said))
    for path, file in case.python() or case.facts.python.items():
        for found in file.classes.values():
            layers = sorted(name for name in _made(file, found) if name.casefold() in wanted)
            uses = {name: list(_uses(found, name)) for name in layers}
            if not layers or not all(uses.values()):
                continue
            if all(_under_no_grad(file, found, node) for nodes in uses.values() for node in nodes):
                node = next(iter(uses.values()))[0]
                around = (
                    outer
                    for nodes in uses.values()
                    for each in nodes
                    for outer in file.ancestors(each)
                )
                block = next((outer for outer in around if _is_no_grad(outer)), node)
                line = int(getattr(block, "lineno", node.lineno))
                plural = "are" if len(layers) > 1 else "is"
                return confirmed(
                    f"{join([code(f'self.{name}') for name in layers])} of {found.name} {plural}"
                    f" used for nothing but what runs under torch.no_grad, on line {line} of"
                    f" {path}",
                    Span(path, line),
                )
    return None


def _made(file: PythonFile, found: ClassDefinition) -> Iterator[str]:
    """The layers that a class makes in its constructor."""
    made = found.methods.get("__init__")
    for node in ast.walk(made) if made else ():
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            name = file.resolve(node.value.func) or ""
            for target in node.targets:
                if isinstance(target, ast.Attribute) and (
                    name.startswith("torch.nn.") or name in file.classes
                ):
                    yield target.attr


def _uses(found: ClassDefinition, name: str) -> Iterator[ast.Attribute]:
    for node in ast.walk(found.node):
        if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load):
            yield node


def _is_no_grad(node: ast.AST) -> bool:
    return isinstance(node, ast.With) and any(
        "no_grad" in ast.unparse(item.context_expr) for item in node.items
    )


def _under_no_grad(
    file: PythonFile, found: ClassDefinition, node: ast.expr, depth: int = 0
) -> bool:
    """Whether a value is made under no_grad, or is kept in a variable that is read there alone."""
    outer = list(file.ancestors(node))
    if any(_is_no_grad(each) for each in outer):
        return True
    function = next((each for each in outer if isinstance(each, Function)), None)
    kept = next((each for each in outer if isinstance(each, ast.stmt)), None)
    if (
        depth > 4
        or function is None
        or not isinstance(kept, ast.Assign)
        or not isinstance(kept.targets[0], ast.Name)
    ):
        return False
    name = kept.targets[0].id
    reads = [
        each
        for each in ast.walk(function)
        if isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Load)
    ]
    return bool(reads) and all(_under_no_grad(file, found, each, depth + 1) for each in reads)


_HOLDS = re.compile(
    r"\b(?:is|are|becomes?|contains?|returns?|yields?) (?:actually |in fact )?(?:an? |the"
    r" )?[^.;]{0,60}?"
    r"\b(?P<what>dict(?:ionary)?|tuple|list)\b"
)


@check("batch_of_no_tensor")
def batch_of_no_tensor(case: Case) -> Answer:
    """ ".to(device)" ends in AttributeError where a collate function puts a dictionary or tuple in
    the place of the inputs.
    """
    match = _HOLDS.search(case.said)
    errors = {error.casefold() for error in case.claim.own.errors}
    if (
        match is None
        or case.claim.hedged
        or errors - {"attributeerror"}
        or not re.search(r"\b(?:inputs?|batch|loaders?|x)\b", case.said)
    ):
        return None
    moved = next(_moved(case), None)
    if moved is None or not _after_to(case):
        return None
    for path, file in case.facts.python.items():
        for definition in file.definitions:
            if "collate" not in definition.name or isinstance(definition.node, ast.ClassDef):
                continue
            kind = _first_kind(definition)
            if kind == match["what"].removesuffix("ionary"):
                gives = (
                    f"{definition.name} in {path}:{definition.line} gives a {kind} as the first"
                    " part of the batch"
                )
                return confirmed(
                    f"{gives}, and {moved} calls its .to: AttributeError",
                    moved if errors else Span(path, definition.line, definition.end_line),
                )
    return None


def _after_to(case: Case) -> bool:
    """Whether the claim, or a claim before it that holds, speaks of moving to a device."""
    if re.search(r"\.to\b|\bdevice\b", case.said):
        return True
    return any(
        re.search(r"\.to\b|\bdevice\b", claim.said) and answer.result is Check.CONFIRMED
        for claim, answer in case.earlier
    )


def _moved(case: Case) -> Iterator[Span]:
    """Where training calls `.to` of the first part of a batch."""
    for path, file in case.facts.python.items():
        firsts = {
            node.targets[0].elts[0].id
            for node in file.nodes
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Tuple)
            and isinstance(node.targets[0].elts[0], ast.Name)
            and isinstance(node.value, ast.Name)
            and "batch" in node.value.id
        }
        for call in file.calls:
            function = call.node.func
            if isinstance(function, ast.Attribute) and function.attr == "to":
                owner = ast.unparse(function.value)
                if owner in firsts or re.fullmatch(r"\w*batch\w*\[0\]", owner):
                    yield Span(path, call.line)


def _first_kind(definition: Definition) -> str | None:
    """What the first part of the pair is that a collate function returns, where it is written
    out.
    """
    for node in ast.walk(definition.node):
        if (
            isinstance(node, ast.Return)
            and isinstance(node.value, ast.Tuple)
            and len(node.value.elts) > 1
        ):
            first: ast.expr = node.value.elts[0]
            if isinstance(first, ast.Name):
                given = [
                    each.value
                    for each in ast.walk(definition.node)
                    if isinstance(each, ast.Assign)
                    and isinstance(each.targets[0], ast.Name)
                    and each.targets[0].id == first.id
                ]
                first = given[-1] if given else first
            kinds: dict[type[ast.expr], str] = {
                ast.Dict: "dict",
                ast.DictComp: "dict",
                ast.Tuple: "tuple",
                ast.List: "list",
            }
            return kinds.get(type(first))
    return None


_UNTRAINED = re.compile(
    r"\b(?:never|not|n['’]t) (?:\w+ )?(?:trained|updated|optimi[sz]ed|learn\w*|"
    r"(?:part of|in|included in|given to|passed to|added to|registered (?:with|in)) (?:the |any |an"
    r" )?optimi[sz]er\w*)\b|"
    r"\bno optimi[sz]er\b"
)


@check("in_no_optimiser")
def in_no_optimiser(case: Case) -> Answer:
    """A network is never trained where no code asks it, or anything it is handed to, for its
    parameters.
    """
    if case.claim.hedged or case.claim.own.errors or not _UNTRAINED.search(case.said):
        return None
    for name in case.claim.own.names:
        found = case.search.definition(name)
        if (
            found is None
            or not isinstance(found[1].node, ast.ClassDef)
            or not _has_parameters(found[1].node)
        ):
            continue
        made = [
            (path, file, call.node)
            for path, file in case.facts.python.items()
            for call in file.calls
            if (call.name or "").rpartition(".")[2] == found[1].name
        ]
        held = {_variable(file, node) for _, file, node in made}
        if not made or None in held:
            return None
        names = {each for each in held if each}
        handed = _handed_on(case, names)
        if handed is None or any(
            re.search(
                rf"\b{re.escape(each)}\.(?:named_)?parameters\b|\b{re.escape(each)}\.state_dict\b",
                file.text,
            )
            for each in handed
            for file in case.facts.python.values()
        ):
            return None
        path, _, node = made[0]
        shown = join([code(each) for each in sorted(handed)], "or")
        return confirmed(
            f"{path}:{node.lineno} makes the {found[1].name}, and no code asks {shown} for its"
            " parameters: no optimiser has them",
            Span(path, node.lineno),
        )
    return None


def _has_parameters(node: ast.ClassDef) -> bool:
    text = ast.unparse(node)
    return any(
        part in text
        for part in ("nn.Parameter(", "nn.Linear(", "nn.Embedding(", "nn.Conv", "nn.GRU", "nn.LSTM")
    )


def _variable(file: PythonFile, node: ast.AST) -> str | None:
    """The local variable that alone gets what a call makes, also by way of `.to(device)`."""
    outer = file.parents.get(node)
    while isinstance(outer, ast.Attribute) and outer.attr in ("to", "cuda", "train", "eval"):
        call = file.parents.get(outer)
        node, outer = (call, file.parents.get(call)) if isinstance(call, ast.Call) else (node, None)
    if (
        isinstance(outer, ast.Assign)
        and len(outer.targets) == 1
        and isinstance(outer.targets[0], ast.Name)
    ):
        return outer.targets[0].id
    return None


_HARMLESS = frozenset(
    [
        "to",
        "cuda",
        "train",
        "eval",
        "forward",
        "half",
        "float",
        "parameters",
        "named_parameters",
        "state_dict",
    ]
)


def _handed_on(case: Case, names: set[str]) -> set[str] | None:
    """The names by which functions of the submission know what is handed to them; None where it
    goes to anything else.
    """
    known = set(names)
    functions = {
        each.name.rpartition(".")[2]: each.node
        for file in case.facts.python.values()
        for each in file.definitions
        if not isinstance(each.node, ast.ClassDef)
    }
    for file in case.facts.python.values():
        for node in file.nodes:
            if (
                not isinstance(node, ast.Name)
                or node.id not in names
                or not isinstance(node.ctx, ast.Load)
            ):
                continue
            outer = file.parents.get(node)
            if (isinstance(outer, ast.Call) and outer.func is node) or (
                isinstance(outer, ast.Attribute) and outer.attr in _HARMLESS
            ):
                continue
            target = (
                functions.get(ast.unparse(outer.func).rpartition(".")[2])
                if isinstance(outer, ast.Call)
                else None
            )
            if not isinstance(outer, ast.Call) or target is None or node not in outer.args:
                return None
            parameters = [each.arg for each in target.args.args]
            place = outer.args.index(node)
            if place >= len(parameters):
                return None
            known.add(parameters[place])
    return known
