"""Rules for criterion 4: models of the Hugging Face Hub, and the classes of transformers that
load them.
"""

import ast
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.hub_models import (
    is_full,
    is_gated,
    is_unpadded,
    lacks_namespace,
    names_a_family,
    organisation_of,
)
from reviewers.facts.models import Use, base_architectures, numbers_of
from reviewers.facts.python_file import ClassDefinition, PythonFile
from reviewers.records import Severity, Span
from reviewers.rules.base import Flag, denies, rule, symptoms

_SAVING = frozenset({"save_pretrained", "snapshot_download", "hf_hub_download", "save_model"})
_TOKENS = (
    "HF_TOKEN",
    "HUGGING_FACE_HUB_TOKEN",
    "HUGGINGFACE_TOKEN",
    "use_auth_token",
    "huggingface_hub",
    "token=",
)
_ASKING = (
    "4.46.3",
    "4.51.3",
    "4.57.6",
    "5.0.0",
    "5.23.0",
)  # versions read in which configurations ask for sdpa
_NEW_TOKENS = frozenset({"<pad>", "<PAD>", "[PAD]", "[pad]", "<|pad|>", "<|PAD|>"})
_BASES = frozenset({"transformers.PreTrainedModel", "transformers.modeling_utils.PreTrainedModel"})


@rule(
    id="MO09",
    category="model-or-method-missing",
    severity="blocker",
    stops="OSError",
    summary="a model is named without its organisation",
    example="""
          === src/model.py
          from transformers import AutoModel

          def build_model(cfg):
        -     return AutoModel.from_pretrained("deberta-v3-base", cache_dir=".cache/")  # flag: MO09
        +     return AutoModel.from_pretrained("microsoft/deberta-v3-base", cache_dir=".cache/")
    """,
)
def model_without_organisation(facts: Facts) -> Iterator[Flag]:
    """The Hub has a closed list of models without an organisation (`bert-base-uncased`, `gpt2`, …),
    all from its first days. Any other name without a `/` can only be a folder, and there is none if
    the code saves no model.
    """
    saves = any(
        (call.name or "").rpartition(".")[2] in _SAVING
        for file in facts.python.values()
        for call in file.calls
    )
    seen: set[Span] = set()
    for uses in facts.models.of_runs():
        for use in uses:
            name = use.identifier
            if (
                name is None
                or not use.call.certain
                or use.is_tried
                or not use.call.name.endswith(".from_pretrained")
            ):
                continue
            if not lacks_namespace(name) or (saves and not names_a_family(name)):
                continue
            span = _place(use, name)
            if span not in seen:
                seen.add(span)
                above = organisation_of(name)
                yield Flag(
                    span,
                    f"the hub has no model {name!r}: OSError: {name} is not a local folder and is"
                    " not a valid model identifier; name it with its"
                    f" organisation{f', as in {above}/…' if above else ''}",
                    "only the hub's first models have no organisation;"
                    f" {use.span.file}:{use.span.line} loads this one",
                    places=symptoms([use.span]),
                    says=denies("published", kind="model", name=name),
                )


def _place(use: Use, value: str) -> Span:
    """The line of the run config that gives a value, else the line of the code that uses it."""
    given = use.call.node.args[0] if use.call.node.args else None
    return (None if isinstance(given, ast.Constant) else use.value_line(value)) or use.span


@rule(
    id="MO10",
    category="model-or-method-missing",
    severity="blocker",
    stops="ValueError",
    summary="an AutoModel class does not take the model's architecture",
    example="""
          === src/model.py
        - from transformers import AutoModelForSeq2SeqLM
        + from transformers import AutoModelForCausalLM

          def build_model(cfg):
        -     return AutoModelForSeq2SeqLM.from_pretrained("Qwen/Qwen2.5-0.5B", cache_dir=".cache/")  # flag: MO10
        +     return AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B", cache_dir=".cache/")
    """,  # noqa: E501
)
def unrecognised_architecture(facts: Facts) -> Iterator[Flag]:
    """Each AutoModel class has a list of architectures: a decoder is not a sequence-to-sequence
    model, and a text encoder is not an image classifier.
    """
    found: dict[ast.Call, tuple[Use, list[str]]] = {}
    for uses in facts.models.of_runs():
        for use in uses:
            certain = use.call.certain and not use.is_tried
            if certain and use.loads and use.architecture and not use.architecture.takes(use.loads):
                found.setdefault(use.call.node, (use, []))[1].append(
                    use.run.run_id if use.run else ""
                )
    for use, runs in found.values():
        known = use.architecture
        assert known is not None
        for_runs = f" in {', '.join(dict.fromkeys(filter(None, runs)))}" if any(runs) else ""
        takes = ", ".join(f"AutoModelFor{task}" for task in sorted(known.auto))
        once = (
            "once the model has its full name: "
            if use.identifier and lacks_namespace(use.identifier)
            else ""
        )
        yield Flag(
            use.span,
            f"{once}{use.loads} does not take {use.identifier}, a {known.name} model{for_runs}:"
            f" ValueError: Unrecognized configuration class; take one of {takes}",
            severity=Severity.MAJOR if once else None,
            names=(use.loads, "Unrecognized configuration class"),
        )


@rule(
    id="MO11",
    category="tensor-or-runtime",
    severity="blocker",
    stops="ValueError",
    summary="a sequence classifier has no padding token",
    example="""
          === src/model.py
          from transformers import AutoModelForSequenceClassification

          def build_model(cfg):
        -     return AutoModelForSequenceClassification.from_pretrained("gpt2", cache_dir=".cache/")  # flag: MO11
        +     model = AutoModelForSequenceClassification.from_pretrained("gpt2", cache_dir=".cache/")
        +     model.config.pad_token_id = model.config.eos_token_id
        +     return model
          === config/runs/proposed.yaml
          run_id: proposed
          method: proposed
          training:
            batch_size: 8
    """,  # noqa: E501
)
def classifier_without_padding(facts: Facts) -> Iterator[Flag]:
    """A decoder classifies by its last token before the padding and rejects batches if it cannot
    tell which token that is. The tokenizer's padding token does not help: the model reads its own
    configuration.
    """
    if any(
        _sets_padding(file) or "transformers.Trainer" in file.aliases.values()
        for file in facts.python.values()
    ):
        return  # newer trainers hand the tokenizer's padding token on
    seen: set[ast.Call] = set()
    for uses in facts.models.of_runs():
        for use in sorted(uses, key=lambda use: not use.call.certain):
            classifies = use.loads is not None and use.loads.endswith("ForSequenceClassification")
            if (
                not classifies
                or use.identifier is None
                or not is_unpadded(use.identifier)
                or use.call.open
            ):
                continue
            if not use.call.certain and not use.is_tried_first:
                continue
            sizes = (
                [size for key, size in numbers_of(use.run) if "batch_size" in key]
                if use.run
                else []
            )
            if use.call.node not in seen and sizes and max(sizes) > 1:
                seen.add(use.call.node)
                yield Flag(
                    use.span,
                    f"the configuration of {use.identifier} gets no padding token: batches of"
                    f" {max(sizes):g} end in ValueError: Cannot handle batch sizes > 1 if no"
                    " padding token is defined; set model.config.pad_token_id",
                    "no code sets pad_token_id on a model's configuration",
                    None if use.call.certain else "major",
                    names=(
                        use.identifier,
                        "pad_token_id",
                        "Cannot handle batch sizes > 1 if no padding token is defined",
                    ),
                )


def _sets_padding(file: PythonFile) -> bool:
    """Whether code may give a model's configuration a padding token."""
    for node in file.nodes if "pad_token_id" in file.text else ():
        match node:
            case ast.Attribute(attr="pad_token_id", value=owner, ctx=ast.Store()) if (
                "tok" not in ast.unparse(owner).casefold()
            ):
                return True
            case ast.keyword(arg="pad_token_id") | ast.Constant(value="pad_token_id"):
                return True
    return False


@rule(
    id="MO12",
    category="tensor-or-runtime",
    severity="blocker",
    stops="ValueError",
    summary=(
        "a model of one's own is made with the configuration of a model that attends through sdpa"
    ),
    example="""
          === src/model.py
        - from transformers import AutoModelForCausalLM, PreTrainedModel
        -
        - class Gated(PreTrainedModel):
        + from torch import nn
        + from transformers import AutoModelForCausalLM
        +
        + class Gated(nn.Module):
              def __init__(self, inner):
        -         super().__init__(inner.config)  # flag: MO12
        +         super().__init__()
                  self.inner = inner

              def forward(self, **batch):
                  return self.inner(**batch)

          def build_model(cfg):
              return Gated(AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B", cache_dir=".cache/"))
    """,  # noqa: E501
)
def wrapper_without_sdpa(facts: Facts) -> Iterator[Flag]:
    """A loaded model's configuration requests `scaled_dot_product_attention`, and PreTrainedModel
    refuses it for classes that do not declare support (transformers from 4.36 on).
    """
    wrappers = [
        (file, cls, call)
        for file in facts.python.values()
        for cls in file.classes.values()
        for call in _started_with_config(cls)
    ]
    if not wrappers or any("attn_implementation" in file.text for file in facts.python.values()):
        return
    allowed = facts.allowed_versions("transformers")
    if allowed is not None and not any(allowed.contains(version) for version in _ASKING):
        return
    bases = [
        base for uses in facts.models.of_runs() for base in base_architectures(uses) or (None,)
    ]
    code = facts.local_code
    for file, cls, call in wrappers:
        if (
            bases
            and all(base is not None and base.sdpa for base in bases)
            and code.is_used(file, cls.name)
        ):
            yield Flag(
                Span(file.path, call.lineno),
                f"`{cls.name}` takes over the configuration of a"
                f" {bases[0].name if bases[0] else ''} model, which asks for sdpa: ValueError:"
                f" {cls.name} does not support an attention implementation through"
                " torch.nn.functional.scaled_dot_product_attention yet; inherit from"
                " torch.nn.Module instead",
                f"`{cls.name}` inherits from PreTrainedModel and does not set _supports_sdpa",
                names=(cls.name, "scaled_dot_product_attention"),
            )


def _started_with_config(cls: ClassDefinition) -> Iterator[ast.Call]:
    """The call of PreTrainedModel's constructor with another model's configuration."""
    init = cls.methods.get("__init__")
    if not set(cls.bases) & _BASES or len(cls.bases) != 1 or init is None:
        return
    if any(
        "_supports_" in ast.unparse(item)
        for item in cls.node.body
        if isinstance(item, ast.Assign | ast.AnnAssign)
    ):
        return
    for node in init.body:
        match node:
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"),
                    args=[ast.Attribute(value=ast.Name(id=owner), attr="config")],
                ) as call
            ) if owner in {argument.arg for argument in init.args.args[1:]}:
                yield call


@rule(
    id="MO13",
    category="model-or-method-missing",
    severity="minor",
    summary="a gated model is loaded without a token",
    example="""
          === src/model.py
        + import os
        +
          from transformers import AutoModel

          def build_model(cfg):
        -     return AutoModel.from_pretrained("google/gemma-2b", cache_dir=".cache/")  # flag: MO13
        +     return AutoModel.from_pretrained("google/gemma-2b", cache_dir=".cache/", token=os.environ["HF_TOKEN"])
    """,  # noqa: E501
)
def gated_model(facts: Facts) -> Iterator[Flag]:
    """The Hub serves such a model only to accounts with access, which the machine may not have."""
    if any(word in file.text for file in facts.python.values() for word in _TOKENS):
        return
    seen: set[Span] = set()
    for uses in facts.models.of_runs():
        for use in uses:
            if (
                use.identifier
                and use.call.certain
                and not use.is_tried
                and is_gated(use.identifier)
            ):
                span = _place(use, use.identifier)
                if span not in seen:
                    seen.add(span)
                    yield Flag(
                        span,
                        f"{use.identifier} is gated: without a token of an account that was granted"
                        " access the hub answers with OSError: 401 Client Error: Unauthorized; a"
                        " model open to all needs none",
                        names=(use.identifier, "401 Client Error: Unauthorized"),
                    )


@rule(
    id="MO18",
    category="tensor-or-runtime",
    severity="blocker",
    stops="IndexError",
    summary="the tokenizer gets a new token, but the model's embeddings get no row for it",
    example="""
          === src/model.py
          from transformers import AutoModelForCausalLM, AutoTokenizer

          def build_model(cfg):
              tokenizer = AutoTokenizer.from_pretrained("gpt2", cache_dir=".cache/")
        -     tokenizer.add_special_tokens({"pad_token": "<pad>"})  # flag: MO18
        +     tokenizer.pad_token = tokenizer.eos_token
              return AutoModelForCausalLM.from_pretrained("gpt2", cache_dir=".cache/"), tokenizer
    """,
)
def token_without_embedding(facts: Facts) -> Iterator[Flag]:
    """The first padded batch looks up a row beyond the last: an IndexError, on a GPU a device-side
    assert.
    """
    if any("resize_token_embeddings" in file.text for file in facts.python.values()):
        return
    adding = [file for file in facts.python.values() if "add_special_tokens" in file.text]
    added = [(file, call) for file in adding for call in file.calls if _adds_padding(call.node)]
    if not added:
        return
    names = {
        use.identifier
        for uses in facts.models.of_runs()
        for use in uses
        if use.call.name.endswith(".from_pretrained")
    }
    code = facts.local_code
    for file, call in added:
        if names and all(name is not None and is_full(name) for name in names):
            listed = ", ".join(sorted(filter(None, names)))
            yield Flag(
                Span(file.path, call.line),
                f"the new padding token has no row in the embeddings of {listed}: the first padded"
                " batch ends in IndexError: index out of range in self; pad with the eos token, or"
                " call model.resize_token_embeddings(len(tokenizer))",
                "no code calls resize_token_embeddings",
                None if code.is_used(file, call.scope) else "major",
                names=("resize_token_embeddings", listed),
            )


def _adds_padding(call: ast.Call) -> bool:
    """Whether a call gives a tokenizer a padding token by a text that none of its tokens has."""
    match call:
        case ast.Call(
            func=ast.Attribute(attr="add_special_tokens"), args=[ast.Dict(keys=keys, values=values)]
        ):
            given = dict(
                zip(
                    (key.value for key in keys if isinstance(key, ast.Constant)),
                    values,
                    strict=False,
                )
            )
            word = given.get("pad_token")
            return isinstance(word, ast.Constant) and word.value in _NEW_TOKENS
        case _:
            return False
