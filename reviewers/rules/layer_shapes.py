"""Rules for criterion 4: layers whose sizes do not fit together, and optimisers with nothing to
train.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence

from reviewers.facts import Facts
from reviewers.facts.config_flow import PassedValues
from reviewers.facts.gradients import freezes
from reviewers.facts.layer_flow import Misfit, misfits, replaced
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import walk
from reviewers.facts.sizes import Sizes, length
from reviewers.records import Span
from reviewers.rules.base import Flag, rule, symptoms

_OPTIMISERS = "torch.optim."


@rule(
    id="MO14",
    category="tensor-or-runtime",
    severity="blocker",
    stops="RuntimeError",
    summary="a layer expects another size than the previous one returns",
    example="""
          === src/model.py
          from torch import nn

          def build_model(cfg):
        -     return nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(128, cfg.model.classes))  # flag: MO14
        +     return nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, cfg.model.classes))
    """,  # noqa: E501
)
def unfitting_layers(facts: Facts) -> Iterator[Flag]:
    """The first batch raises RuntimeError, whatever the data."""
    code = facts.local_code
    for file in facts.python.values():
        told: set[ast.expr] = set()
        for when, one in _misfits(facts, file):
            before, after = one.before, one.after
            if after.node in told:
                continue
            told.add(after.node)
            taking, giving = (ast.unparse(part.node)[:60] for part in (after, before))
            used = code.is_used(file, file.scope_at(after.node.lineno))
            yield Flag(
                Span(file.path, after.node.lineno),
                f"`{taking}` takes {after.takes} {after.kind}, but `{giving}` before it gives"
                f" {before.gives}{when}: RuntimeError: {after.error}",
                severity=None if used else "major",
                places=symptoms([Span(file.path, one.at.lineno)] if one.at else []),
                names=(taking, giving, after.error),
            )


def _misfits(facts: Facts, file: PythonFile) -> Iterator[tuple[str, Misfit]]:
    """The layers that do not fit as they are written, then those that do not in some run."""
    open_names = replaced(facts.python)
    for when, passed in _runs(facts):
        yield from ((when, one) for one in misfits(file, open_names, passed))


def _runs(facts: Facts) -> Iterator[tuple[str, Mapping[ast.Call, PassedValues]]]:
    """What gives a call its numbers: the code alone, then each run."""
    yield "", {}
    yield from ((f" in {start.told}", passed) for start, passed in facts.layers_of_runs)


@rule(
    id="MO15",
    category="tensor-or-runtime",
    severity="blocker",
    stops="",
    summary="a layer's width is not a multiple of its heads or groups",
    example="""
          === src/model.py
          from torch import nn

          def build_model(cfg):
        -     return nn.MultiheadAttention(100, num_heads=8, batch_first=True)  # flag: MO15
        +     return nn.MultiheadAttention(96, num_heads=8, batch_first=True)
    """,
)
def indivisible_width(facts: Facts) -> Iterator[Flag]:
    """The constructor raises an error."""
    code = facts.local_code
    for file in facts.python.values():
        for call in file.calls:
            known = _DIVIDED.get(call.name or "")
            if known is None or any(isinstance(arg, ast.Starred) for arg in call.node.args):
                continue
            (wide, at), (parts, number_at), error = known
            for when, passed in _runs(facts):
                sizes = Sizes(file, passed)
                width = sizes.number(call.node, wide, at)
                heads = sizes.number(call.node, parts, number_at)
                if width and heads and width % heads:
                    yield Flag(
                        Span(file.path, call.line),
                        f"{wide} {width} is no multiple of {parts} {heads}{when}: {error}",
                        severity=None if code.is_used(file, call.scope) else "major",
                        names=(wide, parts, error),
                    )
                    break


_DIVIDED = {
    "torch.nn.MultiheadAttention": (
        ("embed_dim", 0),
        ("num_heads", 1),
        "AssertionError: embed_dim must be divisible by num_heads",
    ),
    "torch.nn.TransformerEncoderLayer": (
        ("d_model", 0),
        ("nhead", 1),
        "AssertionError: embed_dim must be divisible by num_heads",
    ),
    "torch.nn.TransformerDecoderLayer": (
        ("d_model", 0),
        ("nhead", 1),
        "AssertionError: embed_dim must be divisible by num_heads",
    ),
    "torch.nn.GroupNorm": (
        ("num_channels", 1),
        ("num_groups", 0),
        "ValueError: num_channels must be divisible by num_groups",
    ),
    "torch.nn.Conv1d": (
        ("in_channels", 0),
        ("groups", 6),
        "ValueError: in_channels must be divisible by groups",
    ),
    "torch.nn.Conv2d": (
        ("in_channels", 0),
        ("groups", 6),
        "ValueError: in_channels must be divisible by groups",
    ),
}


@rule(
    id="MO16",
    category="tensor-or-runtime",
    severity="blocker",
    stops="ValueError",
    summary="an optimiser gets no parameters",
    example="""
          === src/train.py
          import torch
          from src.model import build_model

          def train(cfg):
              model = build_model(cfg)
              for parameter in model.parameters():
                  parameter.requires_grad = False
        +     for parameter in model.head.parameters():
        +         parameter.requires_grad = True
              trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
              return torch.optim.AdamW(trained, lr=cfg.training.learning_rate)  # flag: MO16
    """,
)
def optimiser_without_parameters(facts: Facts) -> Iterator[Flag]:
    """`ValueError: optimizer got an empty parameter list`."""
    code = facts.local_code
    for file in facts.python.values():
        for call in file.calls if "optim" in file.text else ():
            if not (call.name or "").startswith(_OPTIMISERS) or ".lr_scheduler" in (
                call.name or ""
            ):
                continue
            given = call.argument("params", 0)
            if given is None:
                continue
            cause = "an empty list" if length(file, given) == 0 else _frozen(file, call.node, given)
            if cause:
                yield Flag(
                    Span(file.path, call.line),
                    f"`{ast.unparse(call.node.func)}` gets {cause}: ValueError: optimizer got an"
                    " empty parameter list",
                    severity=None if code.is_used(file, call.scope) else "major",
                    names=(ast.unparse(call.node.func), "optimizer got an empty parameter list"),
                )


def _frozen(file: PythonFile, call: ast.Call, given: ast.expr) -> str | None:
    """Why a selection of the parameters that ask for gradients is empty: the same function froze
    all of them, in sight.
    """
    owner = _selected(file, given)
    function = next(
        (node for node in file.ancestors(call) if isinstance(node, ast.FunctionDef)), None
    )
    if owner is None or function is None:
        return None
    frozen: ast.stmt | None = None
    rest: Sequence[ast.stmt] = ()
    for number_, statement in enumerate(function.body):
        if statement.end_lineno is not None and statement.end_lineno >= call.lineno:
            break
        if freezes(statement, owner):
            frozen = statement
            rest = function.body[number_ + 1 :]
    if frozen is None:
        return None
    between = [node for node in rest if node.lineno < call.lineno]
    for node in between:
        mentioned = any(isinstance(part, ast.Name) and part.id == owner for part in walk(node))
        if not isinstance(node, ast.Assign) or (mentioned and _selected(file, node.value) != owner):
            return None  # something may ask for gradients again
    return f"none of the parameters of `{owner}`, all frozen in line {frozen.lineno}"


def _selected(file: PythonFile, node: ast.expr | None) -> str | None:
    """The model of whose parameters an expression takes those that ask for gradients."""
    if isinstance(node, ast.Name):
        bound = file.bindings(node)
        assigned = file.parents.get(bound[0]) if len(bound) == 1 else None
        return (
            _selected(file, assigned.value)
            if isinstance(assigned, ast.Assign) and assigned.value is not node
            else None
        )
    match node:
        case ast.Call(func=ast.Name(id="list"), args=[inner]):
            return _selected(file, inner) if not isinstance(inner, ast.Name) else None
        case (
            ast.ListComp(
                generators=[
                    ast.comprehension(iter=iterated, ifs=[ast.Attribute(attr="requires_grad")])
                ]
            )
            | ast.GeneratorExp(
                generators=[
                    ast.comprehension(iter=iterated, ifs=[ast.Attribute(attr="requires_grad")])
                ]
            )
        ):
            pass
        case ast.Call(
            func=ast.Name(id="filter"),
            args=[ast.Lambda(body=ast.Attribute(attr="requires_grad")), iterated],
        ):
            pass
        case _:
            return None
    match iterated:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=model), attr="parameters" | "named_parameters"),
            args=[],
            keywords=[],
        ):
            return model
        case _:
            return None
