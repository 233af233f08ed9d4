"""Rules for criterion 4, the model implementation."""

import ast
from collections.abc import Iterator, Mapping, Sequence

from reviewers.facts import Facts, yaml_config
from reviewers.facts.gradients import dead_backwards
from reviewers.facts.local_code import LocalCode
from reviewers.facts.python_file import Call
from reviewers.facts.tensor_values import TensorValues
from reviewers.facts.torch_names import MODULE
from reviewers.records import Severity, Span
from reviewers.rules.base import Flag, denies, rule, symptoms

_CONTAINERS = frozenset({"torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"})
_ASKED = {True: "prepare_model_for_kbit_training", False: "enable_input_require_grads"}
# Where one of these stands, more than the adapters may ask for gradients.
_TRAINING_INPUTS = (
    "modules_to_save", "get_input_embeddings", "requires_grad", "PromptTuningConfig", "PrefixTuningConfig", "PromptEncoderConfig"  # noqa: E501
)  # fmt: skip
_PREPARATIONS = frozenset(
    {
        "prepare_model_for_kbit_training",
        "prepare_model_for_int8_training",
        "enable_input_require_grads",
    }
)
_MAX_NESTING = 20


@rule(
    id="MO01",
    category="model-or-method-missing",
    severity="major",
    stops="NotImplementedError",
    summary="a network class has no forward",
    example="""
          === src/model.py
          from torch import nn

          class Adapter(nn.Module):  # flag: MO01
              def __init__(self, width):
                  super().__init__()
                  self.down = nn.Linear(width, 8)

        +     def forward(self, x):
        +         return self.down(x)
        +
          def build_model(cfg):
              return Adapter(cfg.model.width)
    """,
)
def network_without_forward(facts: Facts) -> Iterator[Flag]:
    """Calling such a module raises NotImplementedError, since its computation is not defined. A
    class whose other methods are used instead is not flagged; one that only holds parameters for
    others is minor.
    """
    code = facts.local_code
    handed_out = _handed_out(code)
    inherited = {
        base.rpartition(".")[2]
        for file in facts.python.values()
        for cls in file.classes.values()
        for base in cls.bases
        if base
    }
    for path, file in code.python.items():
        for cls in file.classes.values():
            own, outside = code.lineage((file, cls))
            methods = {name for _, part in own for name in part.methods}
            assigned = {name for _, part in own for name in _class_attributes(part.node)}
            if set(outside) != {MODULE} or "forward" in methods | assigned or cls.name in inherited:
                continue  # an inherited class is abstract: its subclasses are looked at
            called = code.called_at.get(cls.node)
            instead = any(
                not name.startswith("_") and code.is_used(file, f"{cls.name}.{name}")
                for name in methods
            )
            if instead and called is None:
                continue
            shown = cls.name.rpartition(".")[2]
            where = f" ({called})" if called else ""
            path_of_call, _, line = (called or "").rpartition(":")
            yield Flag(
                Span(path, cls.node.lineno),
                f"`{shown}` is a torch.nn.Module without `forward`: calling it{where} ends in"
                " NotImplementedError: Module"
                f' [{shown}] is missing the required "forward" function',
                f"neither `{shown}` nor a class that it inherits from in this submission defines"
                " `forward`",
                Severity.BLOCKER if called else None if shown in handed_out else Severity.MINOR,
                symptoms([Span(path_of_call, int(line))]) if called else (),
                says=denies("defines", scope=path, name=f"{shown}.forward"),
            )


@rule(
    id="MO02",
    category="tensor-or-runtime",
    severity="blocker",
    stops="TypeError",
    summary="a Parameter is overwritten by a plain tensor",
    example="""
          === src/model.py
          import torch
          from torch import nn

          class Momentum(nn.Module):
              def __init__(self, width):
                  super().__init__()
                  self.state = nn.Parameter(torch.zeros(width))

              def forward(self, x):
        -         self.state = torch.zeros(x.shape[-1])  # flag: MO02
        +         self.state.data = torch.zeros(x.shape[-1])
                  return x + self.state

          def build_model(cfg):
              return Momentum(cfg.model.width)
    """,
)
def overwritten_parameter(facts: Facts) -> Iterator[Flag]:
    """PyTorch raises TypeError, because the optimiser would keep a tensor that the model no longer
    uses.
    """
    code = facts.local_code
    for path, file in code.python.items():
        for cls in file.classes.values():
            if MODULE not in code.lineage((file, cls))[1]:
                continue
            for name, node in TensorValues(code, (file, cls)).overwritten():
                yield Flag(
                    Span(path, node.lineno),
                    f"`self.{name} = {ast.unparse(node.value)[:60]}` overwrites the Parameter of"
                    f" that name: TypeError: cannot assign a tensor as parameter '{name}'"
                    f" (torch.nn.Parameter or None expected); write to self.{name}.data",
                    severity=(
                        None if code.is_used(file, file.scope_at(node.lineno)) else Severity.MAJOR
                    ),
                    names=(f"self.{name}", f"cannot assign a tensor as parameter '{name}'"),
                )


@rule(
    id="MO03",
    category="model-or-method-missing",
    severity="major",
    summary="the code does not distinguish the methods of the runs",
    needs=("files.model", "runs.sections"),
    example="""
          === src/model.py # flag: MO03
          from torch import nn

          def build_model(cfg):
        +     if cfg.method == "proposed":
        +         return nn.Sequential(nn.Linear(cfg.model.width, 64), nn.GELU(), nn.Linear(64, cfg.model.classes))
              return nn.Linear(cfg.model.width, cfg.model.classes)
    """,  # noqa: E501
)
def methods_never_told_apart(facts: Facts) -> Iterator[Flag]:
    """If no code reads the method, nor any key in which the run configs differ, every run trains
    the same model.
    """
    read = [yaml_config.values(run.file.text) for run in facts.runs]
    runs = [values for values in read if isinstance(values, dict)]
    methods = {str(values["method"]) for values in runs if values.get("method")}
    files, scripts = facts.contract.files, facts.contract.scripts(but="evaluate")
    working = {path for path in (*scripts, files.data, files.model) if path}
    training = [file for path, file in facts.python.items() if path in working]
    if "method" not in facts.contract.runs.sections:
        return
    if len(methods) < 2 or len(methods) != len(read) or len(training) != len(working):
        return
    if any(file.tree is None or not file.tree.body for file in training):
        return
    names = {name.casefold() for name in (*methods, *(run.run_id for run in facts.runs))}
    keys = _differing(runs) | {"method"}
    for file in training:
        for node in file.of(ast.Attribute, ast.Constant):
            match node:
                case ast.Attribute(attr=word):
                    pass
                case ast.Constant(value=str(word)) if len(word) > 2:
                    if any(word.casefold() in name or name in word.casefold() for name in names):
                        return
                case _:
                    continue
            if word in keys:
                return
    listed = ", ".join(sorted(methods))
    yield Flag(
        Span(str(files.model)),
        f"no code reads `method`, nor any key in which the runs ({listed}) differ: every run trains"
        " the same model",
        names=("method",),
    )


@rule(
    id="MO04",
    category="tensor-or-runtime",
    severity="blocker",
    stops="RuntimeError",
    summary="backward is called on a value that carries no gradient",
    example="""
          === src/train.py
          import torch
          from src.model import build_model
          from src.preprocess import build_loaders

        - @torch.no_grad()  # flag: MO04
          def log_probs(logits, labels):
              return torch.gather(torch.log_softmax(logits, -1), 1, labels)

          def train(cfg):
              model = build_model(cfg)
              loader, _ = build_loaders(cfg)
              for features, labels in loader:
                  loss = -log_probs(model(features), labels).mean()
                  loss.backward()
    """,
)
def backward_without_gradient(facts: Facts) -> Iterator[Flag]:
    """PyTorch raises RuntimeError at the first step: element 0 of tensors does not require grad and
    has no grad_fn. The code that cuts the gradient is flagged, since that is what must be removed.
    """
    code = facts.local_code
    seen: set[Span] = set()
    for found in dead_backwards(code):
        if found.place not in seen:
            seen.add(found.place)
            yield Flag(
                found.place,
                f"`{found.shown}` ({found.file.path}:{found.call.lineno}) carries no gradient,"
                f" since {found.cause}: RuntimeError: element 0 of tensors does not require grad",
                severity=None if code.is_used(found.file, found.scope) else Severity.MAJOR,
                places=symptoms([Span(found.file.path, found.call.lineno), *found.callers]),
                names=(found.shown, "element 0 of tensors does not require grad"),
            )


@rule(
    id="MO05",
    category="tensor-or-runtime",
    severity="major",
    summary=("a model with adapters and gradient checkpointing is never prepared for training"),
    example="""
          === src/model.py
        - from peft import LoraConfig, get_peft_model
        + from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
          from transformers import AutoModelForCausalLM, BitsAndBytesConfig

          def build_model(cfg):
              quantised = BitsAndBytesConfig(load_in_4bit=True)
              model = AutoModelForCausalLM.from_pretrained(cfg.model.name, cache_dir=".cache/", quantization_config=quantised)
        +     model = prepare_model_for_kbit_training(model)
              model.gradient_checkpointing_enable()  # flag: MO05
              return get_peft_model(model, LoraConfig(r=8))
    """,  # noqa: E501
)
def unprepared_quantised_model(facts: Facts) -> Iterator[Flag]:
    """PEFT makes the inputs require gradients itself if checkpointing is on before the adapters are
    added, but not for a quantised model. Re-entrant checkpointing, the default of transformers 4
    (checked in 4.40.2 and 4.57.6), then cuts every layer from the graph: element 0 of tensors does
    not require grad. From 5.0 on the default differs.
    """
    calls = [(file, call) for file in facts.python.values() for call in file.calls]
    names = {_method_name(call) for _, call in calls}
    quantised = any(
        isinstance(given := call.keyword(word), ast.Constant) and given.value is True
        for _, call in calls
        for word in ("load_in_4bit", "load_in_8bit")
    )
    if "get_peft_model" not in names or names & _PREPARATIONS:
        return
    order = [list(start.trace.passed) for start in facts.hydra.every_start if start.trace]
    adapting = {call.node for _, call in calls if _method_name(call) == "get_peft_model"}
    if any(word in file.text for file in facts.python.values() for word in _TRAINING_INPUTS):
        adapting = set()
    for file, call in calls:
        if _method_name(call) == "gradient_checkpointing_enable" and not (
            call.node.args or call.node.keywords
        ):
            late = any(_comes_after(call.node, adapting, met) for met in order)
            if quantised or late:
                why = "quantised model with adapters" if quantised else "model that has adapters"
                yield Flag(
                    Span(file.path, call.line),
                    f"gradient checkpointing on a {why}, and no {_ASKED[quantised]}: with"
                    " transformers 4 backward ends in RuntimeError: element 0 of tensors does not"
                    " require grad",
                    "no file calls prepare_model_for_kbit_training or enable_input_require_grads",
                    names=(
                        "gradient_checkpointing_enable",
                        "prepare_model_for_kbit_training",
                        "element 0 of tensors does not require grad",
                    ),
                )
                return


def _comes_after(node: ast.Call, others: set[ast.Call], met: Sequence[ast.Call]) -> bool:
    """Whether a run makes a call, and one of the others before it."""
    return node in met and any(other in others for other in met[: met.index(node)])


def _method_name(call: Call) -> str:
    func = call.node.func
    return func.attr if isinstance(func, ast.Attribute) else (call.name or "").rpartition(".")[2]


def _class_attributes(node: ast.ClassDef) -> Iterator[str]:
    for item in node.body:
        if isinstance(item, ast.Assign):
            yield from (target.id for target in item.targets if isinstance(target, ast.Name))


def _handed_out(code: LocalCode) -> frozenset[str]:
    """The names of classes of which an instance is returned, or made a layer of a network, so that
    somebody will call it.
    """
    found: set[str] = set()
    for file in code.python.values():
        for call in file.calls:
            around = next(
                (
                    node
                    for node in file.ancestors(call.node)
                    if isinstance(node, ast.Call | ast.stmt)
                ),
                None,
            )
            if isinstance(around, ast.Return) or (
                isinstance(around, ast.Call) and file.resolve(around.func) in _CONTAINERS
            ):
                found.add((call.name or "").rpartition(".")[2])
    return frozenset(found)


def _differing(runs: Sequence[Mapping[str, object]]) -> set[str]:
    """The keys, without the sections around them, whose values differ between runs."""
    flat = [dict(_leaves(run)) for run in runs]
    every = {path for leaves in flat for path in leaves}
    return {
        part
        for path in every
        if len({repr(leaves.get(path)) for leaves in flat}) > 1
        for part in path[-2:]
    } - {"run_id"}


def _leaves(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    if isinstance(value, dict) and value and len(path) < _MAX_NESTING:
        for key, inner in value.items():
            yield from _leaves(inner, (*path, str(key)))
    else:
        yield path, value
