"""Rules for criterion 4: adapters such as LoRA, and the layers they are applied to."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewers.facts import Facts
from reviewers.facts.hub_models import Architecture
from reviewers.facts.models import Use, base_architectures
from reviewers.facts.name_matching import NameMatch, name_matches
from reviewers.facts.python_nodes import argument
from reviewers.records import RunConfig, Span
from reviewers.rules.base import Flag, rule, symptoms

_CONFIGS = re.compile(r"peft\.(\w+\.)*(Lora|AdaLora|LoHa|LoKr|OFT|BOFT|Vera|IA3)Config")
DICTIONARIES = frozenset({"lora_A", "lora_B", "lora_embedding_A", "lora_embedding_B"})
_OF_A_LAYER = frozenset({"bias", "data", "grad", "in_features", "out_features", "shape", "weight"})
# Layers at the top of some backbone: as the regular expression that it is, a plain word can match
# them.
_AT_THE_TOP = frozenset({"pooler", "text_projection", "visual_projection", "embeddings_project"})
_NOT_FOUND = "ValueError: Target modules … not found in the base model"


@rule(
    id="MO06",
    category="tensor-or-runtime",
    severity="blocker",
    stops="ValueError",
    summary="target_modules names blocks, or layers that the model does not have",
    example="""
          === src/model.py
          from peft import LoraConfig, get_peft_model
          from transformers import AutoModelForSequenceClassification

          def build_model(cfg):
              model = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", cache_dir=".cache/")
        -     return get_peft_model(model, LoraConfig(r=8, target_modules=["q_proj", "v_proj"]))  # flag: MO06
        +     return get_peft_model(model, LoraConfig(r=8, target_modules=["q_lin", "v_lin"]))
    """,  # noqa: E501
)
def misnamed_adapter_targets(facts: Facts) -> Iterator[Flag]:
    """PEFT wraps layers by the last part of their name, which differs between architectures. A name
    of a whole block (`output` in BERT), or a list in which no name exists, raises ValueError before
    training; a missing name among existing ones is skipped silently.
    """
    own = _own_names(facts)
    found: dict[Span, list[tuple[bool, bool, str, Span, tuple[str, ...]]]] = {}
    for uses in facts.models.of_runs():
        bases = base_architectures(uses)
        for use in uses if bases else ():
            if not _CONFIGS.fullmatch(use.call.name) or use.is_tried:
                continue
            problem = _problem(use.call.argument("target_modules"), bases, own)
            if problem is not None:
                names = problem.names
                kind = (problem.stops, use.call.certain, problem.message, use.span, names)
                found.setdefault(_place(use, names), []).append(kind)
    for span, problems in found.items():
        # What stops one mode says more than what another passes over.
        stops, certain, message, used, names = max(problems, key=lambda kind: kind[:2])
        severity = None if stops and certain else "major" if stops else "minor"
        yield Flag(
            span,
            message,
            severity=severity,
            places=symptoms([used]),
            names=("target_modules", *names),
        )


@dataclass(frozen=True, slots=True)
class _Problem:
    """What is wrong with target_modules; `stops` where PEFT raises an error."""

    names: tuple[str, ...]
    message: str
    stops: bool = True


def _own_names(facts: Facts) -> frozenset[str]:
    """The attributes that the code sets itself: a model of its own around the loaded one has layers
    by these names.
    """
    return frozenset(
        node.attr
        for file in facts.python.values()
        if "target_modules" in file.text or "nn." in file.text
        for node in file.of(ast.Attribute)
        if isinstance(node.ctx, ast.Store)
    )


def _problem(given: object, bases: Sequence[Architecture], own: frozenset[str]) -> _Problem | None:
    model = " and ".join(base.name for base in bases)
    layers = (
        f"the layers of {model} are"
        f" {', '.join(dict.fromkeys(name for base in bases for name in base.linear))}"
    )
    if isinstance(given, str):
        if given in own or not _matches_nothing(given, bases):
            return None
        said = (
            f"target_modules {given!r} is a regular expression for whole names, and no module has"
            " that one"
        )
        return _Problem((given,), f"{said}: {_NOT_FOUND}; {layers}, to be given as a list")
    names = (
        tuple(name for name in given if isinstance(name, str) and name)
        if isinstance(given, list)
        else ()
    )
    blocks = tuple(name for name in names if all(name in base.blocks for base in bases))
    last = {name: name.rpartition(".")[2] for name in names}
    absent = tuple(
        name
        for name in names
        if last[name] not in own and not any(base.has(last[name]) for base in bases)
    )
    if blocks:
        said = (
            f"{_quoted(blocks)} in target_modules"
            f" {'is a block' if len(blocks) == 1 else 'are blocks'} of {model}, no layer"
        )
        return _Problem(blocks, f"{said}: ValueError: Target module … is not supported; {layers}")
    if absent and absent == names:
        return _Problem(
            absent, f"{model} has no module called {_quoted(absent)}: {_NOT_FOUND}; {layers}"
        )
    if absent:
        said = (
            f"{model} has no module called {_quoted(absent)}, which PEFT passes over without a word"
        )
        return _Problem(absent, f"{said}; {layers}", stops=False)
    return None


def _matches_nothing(given: str, bases: Sequence[Architecture]) -> bool:
    """Whether a text, taken for a regular expression, matches no module's whole name."""
    if not re.fullmatch(r"\w+([, ]+\w+)*", given):
        return False
    known = given in _AT_THE_TOP or any(
        base.has(given) and given not in base.linear for base in bases
    )
    return not given.isidentifier() or not known


def _place(use: Use, names: Sequence[str]) -> Span:
    """The lines of the run config that name the targets, else the line of the code that does."""
    written = argument(use.call.node, "target_modules") or use.call.node
    in_code = isinstance(written, ast.List | ast.Tuple | ast.Constant)
    found = None if in_code else use.line_of("target_modules", *names)
    return found or Span(use.file.path, written.lineno)


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


@rule(
    id="MO07",
    category="model-or-method-missing",
    severity="major",
    summary="layers are selected by names that the model does not have",
    example="""
          === src/model.py
          from torch import nn
          from transformers import AutoModel

          def build_model(cfg):
              model = AutoModel.from_pretrained("distilbert-base-uncased", cache_dir=".cache/")
        -     wanted = ["q_proj", "v_proj"]
        +     wanted = ["q_lin", "v_lin"]
              for name, module in model.named_modules():
                  if any(part in name for part in wanted):  # flag: MO07
                      nn.init.zeros_(module.weight)
              return model
    """,
)
def unmatched_layer_names(facts: Facts) -> Iterator[Flag]:
    """The loop finds nothing to wrap, so the method is not in the model, and no error says so."""
    by_match: dict[NameMatch, tuple[list[RunConfig | None], tuple[Architecture, ...]]] = {}
    code = facts.local_code
    matches = tuple(name_matches(code))
    own = _own_names(facts) if matches else frozenset()
    for uses in facts.models.of_runs() if matches else ():
        bases = base_architectures(uses)
        for match in matches if bases else ():
            names = match.names(facts.hydra, uses[0].run)
            if not names or any(name in attribute for name in names for attribute in own):
                continue
            if not any(base.has_part(name) for base in bases for name in names):
                by_match.setdefault(match, ([], bases))[0].append(uses[0].run)
    for match, (runs, bases) in by_match.items():
        model = " and ".join(base.name for base in bases)
        listed = ", ".join(dict.fromkeys(run.run_id for run in runs if run is not None))
        for_runs = f" in {listed}" if listed else ""
        names = match.names(facts.hydra, runs[0])
        yield Flag(
            Span(match.file.path, match.node.lineno),
            f"no module of {model} has {_quoted(names)} in its name{for_runs}: the loop picks no"
            f" layer, and no error says so; its layers are {', '.join(bases[0].linear)}",
            names=tuple(names),
        )


@rule(
    id="MO08",
    category="tensor-or-runtime",
    severity="blocker",
    stops="KeyError",
    summary="an adapter's weights are accessed without the adapter's name",
    example="""
          === src/model.py
          from peft import LoraConfig, get_peft_model
          from torch import nn

          def build_model(cfg):
              model = get_peft_model(nn.Sequential(nn.Linear(cfg.model.width, 2)), LoraConfig(target_modules=["0"]))
              for module in model.modules():
                  if hasattr(module, "lora_A"):
        -             nn.init.zeros_(module.lora_A[0].weight)  # flag: MO08
        +             nn.init.zeros_(module.lora_A["default"].weight)
              return model
    """,  # noqa: E501
)
def adapter_without_its_name(facts: Facts) -> Iterator[Flag]:
    """In PEFT `lora_A` is a ModuleDict with one layer per adapter: it has neither positions nor a
    weight of its own.
    """
    files = [file for file in facts.python.values() if "lora_" in file.text]
    if not files or "peft" not in facts.packages:
        return
    if any(
        each.attr in DICTIONARIES and isinstance(each.ctx, ast.Store)
        for file in files
        for each in file.of(ast.Attribute)
    ):
        return  # layers of its own go by the same names
    code = facts.local_code
    for file in files:
        if "ModuleDict" in file.text:
            continue
        for node in file.of(ast.Subscript, ast.Attribute):
            match node:
                case ast.Subscript(
                    value=ast.Attribute(attr=name), slice=ast.Constant(value=int(key))
                ) if name in DICTIONARIES:
                    error = f"KeyError: {key}"
                case ast.Attribute(value=ast.Attribute(attr=name), attr=word) if (
                    name in DICTIONARIES and word in _OF_A_LAYER
                ):
                    error = f"AttributeError: 'ModuleDict' object has no attribute '{word}'"
                case _:
                    continue
            if any(
                isinstance(around, ast.Try) and around.handlers for around in file.ancestors(node)
            ):
                continue
            yield Flag(
                Span(file.path, node.lineno),
                f"`{ast.unparse(node)[:60]}`: in PEFT `{name}` is a ModuleDict by adapter name, so"
                f" that this ends in {error};"
                f' write {name}["default"]',
                severity=None if code.is_used(file, file.scope_at(node.lineno)) else "major",
                names=(name, ast.unparse(node)[:60]),
            )
            break
