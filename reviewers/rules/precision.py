"""Rules for criterion 4: number formats and gradient scaling."""

import ast
import re
from collections.abc import Iterator, Sequence

from reviewers.facts import Facts
from reviewers.facts.config_flow.values import UNKNOWN, External
from reviewers.facts.models import Use
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import argument
from reviewers.records import Span
from reviewers.rules.base import Flag, rule, symptoms

_HALF = re.compile(r"(torch\.)?(float16|half|bfloat16)")
_ON_CUDA = re.compile(r"is_available\(\)|\.type\s*==\s*['\"]cuda")
_ONLY_ON_CUDA = re.compile(r"(torch\.)?cuda\.is_available\(\)|[\w.]*device\w*\.type == 'cuda'")
# What code calls them; `p.grad.float()` only makes a copy of a gradient.
_WEIGHTS = re.compile(r"(?!.*\.grad$).*(model|module|net|param|head|\bp\b)")
_LAYER = 2  # dots in the name of a layer: `torch.nn.Linear`


@rule(
    id="MO17",
    category="tensor-or-runtime",
    severity="blocker",
    stops="ValueError",
    summary="a GradScaler for weights that are float16 themselves",
    example="""
          === src/train.py
          import torch
          from transformers import AutoModelForCausalLM

          def train(cfg, loader):
        -     model = AutoModelForCausalLM.from_pretrained("gpt2", cache_dir=".cache/", torch_dtype=torch.float16).cuda()
        +     model = AutoModelForCausalLM.from_pretrained("gpt2", cache_dir=".cache/").cuda()
              optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.training.learning_rate)
              scaler = torch.amp.GradScaler("cuda")  # flag: MO17
              for batch in loader:
        -         scaler.scale(model(**batch).loss).backward()
        +         with torch.autocast("cuda", dtype=torch.float16):
        +             loss = model(**batch).loss
        +         scaler.scale(loss).backward()
                  scaler.step(optimizer)
                  scaler.update()
    """,  # noqa: E501
)
def scaled_half_weights(facts: Facts) -> Iterator[Flag]:
    """A GradScaler is for float32 weights under autocast: it refuses to unscale the float16
    gradients of float16 weights, and for bfloat16 ones torch has no such kernel on a GPU (2.0 to
    2.11: pytorch/pytorch#127176). Frozen weights and adapters of other weights are not judged.
    """
    files = list(facts.python.values())
    if not any("GradScaler" in file.text for file in files) or not (
        any(_trains_all(file) for file in files) or _has_no_other_weights(files)
    ):
        return
    if any(_changes_weights(file) for file in files):
        return
    seen: set[ast.Call] = set()
    for uses in facts.models.of_runs():
        loads = [use for use in uses if use.loads]
        halved = [use for use in loads if format_of(use)]
        if (
            not loads
            or len(halved) < len(loads)
            or any(use.call.name.startswith("peft.") for use in uses)
        ):
            continue
        shown = format_of(halved[0])
        error = _ERRORS[shown == "bfloat16"]
        for use in uses:
            if use.call.name.endswith(".GradScaler") and use.call.node not in seen and _is_on(use):
                seen.add(use.call.node)
                certain = use.call.certain and all(load.call.certain for load in halved)
                yield Flag(
                    use.span,
                    f"{halved[0].identifier or 'the model'} is loaded in {shown}"
                    f" ({halved[0].span.file}:{halved[0].span.line}) and its weights are trained"
                    f" with a GradScaler: on a GPU its step ends in {error}; load it in float32"
                    f" and leave {shown} to autocast",
                    severity=None if certain else "major",
                    places=symptoms(_unscaling(use)),
                    names=("GradScaler", shown),
                )


def _unscaling(use: Use) -> Iterator[Span]:
    """Where a scaler first looks at the gradients."""
    made = use.file.parents.get(use.call.node)
    name = ast.unparse(made.targets[0]) if isinstance(made, ast.Assign) else ""
    for call in use.file.calls_of(".unscale_", ".step"):
        func = call.node.func
        if isinstance(func, ast.Attribute) and ast.unparse(func.value) == name:
            yield Span(use.file.path, call.line)
            return


_ERRORS = {
    False: "ValueError: Attempting to unscale FP16 gradients",
    True: "NotImplementedError: _amp_foreach_non_finite_check_and_unscale_cuda not implemented for"
    " 'BFloat16'",
}


def format_of(use: Use) -> str:
    """`float16` or `bfloat16`, where weights are loaded so on a GPU; empty where not."""
    for name in ("torch_dtype", "dtype"):
        value = use.call.argument(name)
        written = argument(use.call.node, name)
        if value is UNKNOWN and isinstance(written, ast.IfExp):
            # All that is open here is whether there is a GPU.
            on_gpu = _ONLY_ON_CUDA.fullmatch(ast.unparse(written.test))
            value = use.file.resolve(written.body) if on_gpu else None
        value = value.name if isinstance(value, External) else value
        if isinstance(value, str) and (found := _HALF.fullmatch(value)):
            return "bfloat16" if found[2] == "bfloat16" else "float16"
    return _converted(use)


def _converted(use: Use) -> str:
    """The same of a model that is made so where it is loaded: `….half()`, `….to(torch.float16)`."""
    node: ast.AST | None = use.call.node
    while node is not None:
        member = use.file.parents.get(node)
        node = use.file.parents.get(member) if isinstance(member, ast.Attribute) else None
        if not isinstance(node, ast.Call) or not isinstance(member, ast.Attribute):
            return ""
        names = [member.attr] if member.attr in ("half", "bfloat16") else []
        if member.attr == "to":
            given = [*node.args, *(word.value for word in node.keywords)]
            names = [name for part in given if (name := use.file.resolve(part))]
        found = [match for name in names if (match := _HALF.fullmatch(name))]
        if found or "half" in names:
            return "bfloat16" if found and found[0][2] == "bfloat16" else "float16"
    return ""


def _is_on(use: Use) -> bool:
    """Whether the scaler is at work on a machine with a GPU."""
    word = argument(use.call.node, "enabled")
    if word is None:
        return not use.call.open
    value = use.call.argument("enabled")
    if isinstance(word, ast.Name):
        given = use.file.assigned.get(word.id, [])
        word = given[0] if len(given) == 1 else word
    if value is UNKNOWN and _ONLY_ON_CUDA.fullmatch(ast.unparse(word)):
        return True
    # What is known of an `and` was true where the whole is open, and all that is open here is
    # whether there is a GPU.
    return value is True or (
        value is not False and isinstance(word, ast.BoolOp) and _only_asks_for_gpu(word)
    )


def _has_no_other_weights(files: Sequence[PythonFile]) -> bool:
    """Whether every network here is a loaded one: what any optimiser gets are its weights."""
    return not any(
        (call.name or "").startswith("torch.nn.") and (call.name or "").count(".") == _LAYER
        for file in files
        for call in file.calls
    )


def _only_asks_for_gpu(condition: ast.BoolOp) -> bool:
    asked: Sequence[ast.expr] = [
        part for part in condition.values if not _ON_CUDA.search(ast.unparse(part))
    ]
    plain = all(isinstance(part, ast.Attribute | ast.Constant) for part in asked)
    return isinstance(condition.op, ast.And) and plain and len(asked) < len(condition.values)


def _trains_all(file: PythonFile) -> bool:
    """Whether an optimiser gets all of a model's parameters."""
    for call in file.calls:
        if (call.name or "").startswith("torch.optim.") and call.node.args:
            match call.node.args[0]:
                case ast.Call(func=ast.Attribute(attr="parameters"), args=[], keywords=[]):
                    return True
    return False


def _changes_weights(file: PythonFile) -> bool:
    """Whether code freezes weights, or gives them another format."""
    for node in file.of(ast.Attribute, ast.Call):
        match node:
            case (
                ast.Attribute(attr="requires_grad", ctx=ast.Store())
                | ast.Attribute(attr="requires_grad_")
            ):
                return True
            case ast.Call(func=ast.Attribute(value=owner, attr="float"), args=[]) if (
                _WEIGHTS.search(ast.unparse(owner))
            ):
                return True
            case ast.Call(func=ast.Attribute(value=owner, attr="to")) if "float32" in ast.unparse(
                node
            ) and _WEIGHTS.search(ast.unparse(owner)):
                return True
    return False
