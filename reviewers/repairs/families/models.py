"""Repairs of how models are named, loaded, adapted and padded."""

import ast
from collections.abc import Iterator
from typing import Any

from reviewers.facts import Facts
from reviewers.facts.hub_models import Architecture, full_names
from reviewers.facts.models import Use, base_architectures
from reviewers.facts.python_nodes import argument
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.access import places
from reviewers.repairs.base import Proposal, repairs, stated
from reviewers.repairs.edits import CannotEdit, PythonEdits
from reviewers.repairs.families.library import written_anew
from reviewers.repairs.literals import in_code, in_runs, in_yaml
from reviewers.repairs.meant_keys import are_same
from reviewers.rules.adapters import DICTIONARIES
from reviewers.rules.precision import format_of

_HALF = ("torch_dtype", "dtype")
# Layers of one role by the names that architectures have for them.
_ROLES = (
    frozenset({"q_proj", "q_lin", "query", "query_proj", "q", "wq"}),
    frozenset({"k_proj", "k_lin", "key", "key_proj", "k", "wk"}),
    frozenset({"v_proj", "v_lin", "value", "value_proj", "v", "wv"}),
    frozenset({"o_proj", "out_proj", "out_lin", "o", "wo", "c_proj"}),
)
_AUTO = "AutoModelFor"
# Tasks of which one does what another does, for another kind of model.
_TASKS = (("CausalLM", "Seq2SeqLM"), ("SequenceClassification", "ImageClassification"))
_FUSED = ("query_key_value", "qkv_proj", "c_attn", "Wqkv", "qkv")


@repairs("MO09")
def full_name(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The model with its organisation, wherever its short name stands; a question unless a single
    organisation has one of this name.
    """
    name = stated(finding, "published", "name")
    names = full_names(name)
    is_certain = len(names) == 1 and are_same(name, names[0].rpartition("/")[2])
    asks = "" if is_certain else f"Which model on the Hugging Face Hub is meant by {name}?"
    for full in names:
        edits = (*in_runs(facts, name, full), *in_code(facts, name, full))
        yield Proposal(f"Name the model {full}", edits, asks=asks, choice=full * bool(asks))


@repairs("MO10")
def class_of_the_model(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The AutoModel class of the same task that takes the architecture; a question where it has
    none, or several.
    """
    uses = [each for all_uses in facts.models.of_runs() for each in all_uses if each.loads]
    use = next((each for each in uses if each.span == finding.span), None)
    if use is None or use.loads is None or use.architecture is None:
        return
    old = use.loads.rpartition(".")[2]
    known = use.architecture
    task = old.removeprefix(_AUTO)
    fitting = [each for group in _TASKS if task in group for each in group if each in known.auto]
    code = PythonEdits(facts, use.file.path)
    asks = f"What is the {known.name} model to do?" if len(fitting) != 1 else ""
    for each in fitting or sorted(known.auto):
        edits = written_anew(code, f"transformers.{old}", {"write": f"transformers.{_AUTO}{each}"})
        told = f"Load the {known.name} model with {_AUTO}{each}, which takes it"
        yield Proposal(told, tuple(edits), asks=asks, choice=each if asks else "")


@repairs("MO06")
def layers_of_the_model(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The names that the model's own layers have."""
    for uses in facts.models.of_runs():
        bases = base_architectures(uses)
        for use in uses if bases else ():
            given: Any = use.call.argument("target_modules")
            listed = given if isinstance(given, list) else []
            wrong = [each for each in listed if each in finding.names]
            if wrong:
                yield from _targets(facts, finding, use, bases[0], wrong)
                return


def _targets(
    facts: Facts, finding: Finding, use: Use, base: Architecture, wrong: list[str]
) -> Iterator[Proposal]:
    asks = f"Which layers of {base.name} should get an adapter?"
    names = {each: _layer(each, base) for each in wrong if _layer(each, base)}
    written = argument(use.call.node, "target_modules")
    in_source = isinstance(written, ast.List | ast.Tuple)
    code = PythonEdits(facts, use.file.path)
    if len(names) == len(wrong):
        edits: list[Edit] = []
        for old, new in names.items():
            if in_source and isinstance(written, ast.List | ast.Tuple):
                edits += [
                    code.put(each, repr(new).replace("'", '"'))
                    for each in written.elts
                    if isinstance(each, ast.Constant) and each.value == old
                ]
            else:
                for path in _files(finding):
                    edits += in_yaml(facts, path, old, new)
        shown = ", ".join(dict.fromkeys(names.values()))
        yield Proposal(f"Name the layers {shown}", tuple(edits), asks=asks, choice=shown)
    if isinstance(written, ast.List | ast.Tuple):
        listed = ", ".join(f'"{each}"' for each in base.linear)
        edit = code.put(written, f"[{listed}]")
        choice = ", ".join(base.linear)
        yield Proposal(f"Name the layers {choice}", (edit,), asks=asks, choice=choice)


def _files(finding: Finding) -> list[str]:
    return list(dict.fromkeys(each.file for each in places(finding) if each.file.endswith("ml")))


def _layer(name: str, base: Architecture) -> str:
    """The layer of an architecture that a name means; empty if that is open."""
    if name in base.blocks:
        return f"{name}.dense" if "dense" in base.linear else ""
    for role in _ROLES:
        if name in role:
            own = [each for each in base.linear if each in role]
            fused = [each for each in base.linear if each in _FUSED]
            return next(iter(own or fused), "")
    return ""


@repairs("MO08")
def adapter_by_name(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The adapter that get_peft_model adds, by its name."""
    edits: list[Edit] = []
    code = PythonEdits(facts, finding.span.file) if finding.span else None
    for node in code.file.of(ast.Attribute, ast.Subscript) if code else ():
        if code is None or not isinstance(node.value, ast.Attribute):
            continue
        if node.value.attr not in DICTIONARIES:
            continue
        owner = code.text_of(node.value)
        match node:
            case ast.Subscript(slice=ast.Constant(value=int())):
                edits.append(code.put(node, f'{owner}["default"]'))
            case ast.Attribute(attr="weight" | "bias" | "in_features" | "out_features" as word):
                edits.append(code.put(node, f'{owner}["default"].{word}'))
    if edits:
        yield Proposal('Take the adapter by its name, "default"', tuple(edits))


@repairs("MO12")
def attention_of_the_inner_model(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The class says that it supports what its inner model does."""
    if finding.span is None:
        return
    code = PythonEdits(facts, finding.span.file)
    for cls in code.file.classes.values():
        if cls.line <= (finding.span.line or 0) <= cls.end_line and cls.node.body:
            first = cls.node.body[0]
            is_told = isinstance(first, ast.Expr) and len(cls.node.body) > 1
            line = "_supports_sdpa = True"
            edit = code.after(first, line) if is_told else code.before(first, line, "")
            yield Proposal(
                f"Say that {cls.name} supports sdpa, as the model inside it does",
                (_flush(edit),),
            )


def _flush(edit: Edit) -> Edit:
    """An edit without spaces on its blank lines."""
    lines = [line if line.strip() else "" for line in edit.text.split("\n")]
    return Edit(edit.path, edit.start, edit.end, "\n".join(lines))


@repairs("MO17")
def full_weights(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Weights in float32, which is what a GradScaler is for."""
    edits: dict[Edit, None] = {}
    for uses in facts.models.of_runs():
        for use in uses:
            word = next((each for each in _HALF if argument(use.call.node, each)), None)
            if use.loads and word and format_of(use):
                code = PythonEdits(facts, use.file.path)
                module, imports = code.imported("torch")
                edits.update(dict.fromkeys(imports))
                edits[code.keyword(use.call.node, word, f"{module}.float32")] = None
    if edits:
        yield Proposal(
            "Load the weights in float32 and leave half precision to autocast",
            tuple(edits),
            "the weights take twice the memory",
        )


@repairs("MO18")
def pad_with_eos(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The end token for padding, which has a row in the embeddings."""
    code = PythonEdits(facts, finding.span.file) if finding.span else None
    for call in code.file.calls_of(".add_special_tokens") if code else ():
        around = code.file.parents.get(call.node) if code else None
        match call.node, around:
            case (
                ast.Call(func=ast.Attribute(value=owner), args=[ast.Dict(keys=[_])]),
                ast.Expr(),
            ) if code and finding.span and call.line == finding.span.line:
                name = code.text_of(owner)
                edit = code.put(around, f"{name}.pad_token = {name}.eos_token")
                yield Proposal(
                    "Pad with the end-of-text token",
                    (edit,),
                    "only the attention mask then tells padding from the end of a text",
                )


@repairs("MO11")
def padding_of_the_model(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The padding token that the model's own configuration needs."""
    if finding.span is None:
        return
    code = PythonEdits(facts, finding.span.file)
    statement = code.statement_at(finding.span.line or 1)
    match statement:
        case ast.Assign(targets=[(ast.Name() | ast.Attribute()) as target]):
            name = code.text_of(target)
        case ast.Return(value=ast.Call() as call):
            set_line = "model.config.pad_token_id = model.config.eos_token_id"
            edits = [code.put(statement, f"model = {code.text_of(call)}")]
            edits.append(code.after(statement, set_line, "return model"))
            yield Proposal("Set the padding token in the model's configuration", tuple(edits))
            return
        case _:
            raise CannotEdit("the model has no name")
    line = f"{name}.config.pad_token_id = {name}.config.eos_token_id"
    yield Proposal(
        "Set the padding token in the model's configuration", (code.after(statement, line),)
    )


@repairs("MO02")
def parameter_by_its_data(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The numbers of a parameter are written, the parameter stays."""
    if finding.span is None:
        return
    code = PythonEdits(facts, finding.span.file)
    match code.statement_at(finding.span.line or 1):
        case ast.Assign(targets=[ast.Attribute() as target]):
            shown = code.text_of(target)
            yield Proposal(
                f"Write to {shown}.data",
                (code.put(target, f"{shown}.data"),),
                "no gradient flows through what is written",
                f"Is {shown} a weight to be learned, or a state that each step overwrites?",
                "a weight, whose numbers are overwritten",
            )
