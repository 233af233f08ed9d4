"""Rules for criterion 5 about dependencies that no installer can satisfy."""

import ast
from collections.abc import Iterator

from packaging.version import Version

from reviewers.facts import Facts, yaml_config
from reviewers.facts.distributions import (
    models_in_pieces,
    python_wanted,
    why_unusable,
)
from reviewers.facts.python_versions import Newer, allows, newer_features, oldest
from reviewers.records import RunConfig, Severity, Span
from reviewers.rules.base import INSTALLATION, Flag, again, denies, rule, symptoms
from reviewers.rules.file_structure import to_add

_READERS = {"sentencepiece", "transformers[sentencepiece]", "tiktoken"}


@rule(
    id="FS09",
    category="packaging-invalid",
    severity="blocker",
    stops=INSTALLATION,
    summary="a dependency is declared that cannot be installed",
    example="""
          === pyproject.toml
          [project]
          name = "gated-mlp"
          version = "0.1.0"
        - dependencies = ["torch>=2.2", "datasets", "hydra-core", "optuna", "wandb", "scipy", "matplotlib", "sklearn"]  # flag: FS09
        + dependencies = ["torch>=2.2", "datasets", "hydra-core", "optuna", "wandb", "scipy", "matplotlib", "scikit-learn"]
    """,  # noqa: E501
)
def unusable_dependency(facts: Facts) -> Iterator[Flag]:
    """A module and its distribution may have different names, and modules of the standard library
    are not distributions.
    """
    for one in facts.packaging.declared:
        reason = why_unusable(one.name) if one.installed else None
        if reason:
            yield Flag(
                Span("pyproject.toml", one.line),
                f"`uv run` cannot provide the dependency `{one.name}`: {reason}",
                names=(one.name,),
            )


@rule(
    id="FS10",
    category="packaging-invalid",
    severity="blocker",
    stops=INSTALLATION,
    summary="requires-python allows a Python that a dependency does not",
    example="""
          === pyproject.toml
          [project]
          name = "gated-mlp"
          version = "0.1.0"
        - requires-python = ">=3.9"  # flag: FS10
        + requires-python = ">=3.10"
          dependencies = ["torch>=2.2", "datasets", "hydra-core", "optuna", "wandb", "scipy>=1.14", "matplotlib"]
    """,  # noqa: E501
)
def python_too_old(facts: Facts) -> Iterator[Flag]:
    """uv looks for one set of versions that fits every allowed Python, and stops if there is none
    for the oldest.
    """
    allowed = facts.packaging.requires_python
    if not facts.installs_with_uv:
        return
    if allowed is None or "environments" in facts.packaging.table("tool", "uv"):
        return
    for one in facts.packaging.declared:
        wanted = python_wanted(one.name, one.specifier) if one.installed else None
        if wanted and (too_old := oldest(allowed, Version(wanted[1]))):
            yield Flag(
                Span("pyproject.toml", facts.packaging.line_of("project.requires-python")),
                f"`uv run` stops with “No solution found when resolving dependencies”: {one.name}"
                f" {wanted[0]} needs Python"
                f' {wanted[1]}, but requires-python = "{allowed}" also promises {too_old}; write'
                f' ">={wanted[1]}"',
                names=(one.name,),
            )
            return


@rule(
    id="FS17",
    category="packaging-invalid",
    severity="major",
    stops="",
    summary="the code needs a newer Python than requires-python promises",
    example="""
          === pyproject.toml
          [project]
          name = "gated-mlp"
          version = "0.1.0"
        - requires-python = ">=3.9"
        + requires-python = ">=3.10"
          dependencies = ["torch", "datasets", "hydra-core", "optuna", "wandb", "scipy", "matplotlib"]
          === src/preprocess.py
          def cleaned(text: str | None, lower: bool) -> str:  # flag: FS17
              return (text or "").strip()
    """,  # noqa: E501
)
def newer_syntax(facts: Facts) -> Iterator[Flag]:
    """The import fails on the oldest allowed Python; it is a blocker if no allowed Python has the
    syntax. Annotations count if Python evaluates them: not under `from __future__ import
    annotations`, nor inside a function's body.
    """
    allowed = facts.packaging.requires_python
    if allowed is None:
        return
    for path, file in facts.python.items():
        found: dict[str, list[int]] = {}
        first: dict[str, Newer] = {}
        for newer in newer_features(file):
            if oldest(allowed, Version(newer.since)):
                found.setdefault(newer.since, []).append(newer.line)
                first.setdefault(newer.since, newer)
        for since, lines in found.items():
            newer, wanted = first[since], Version(since)
            never = not allows(allowed, wanted)
            yield Flag(
                Span(path, newer.line),
                f"{newer.shown} needs Python {since}, and requires-python ="
                f' "{allowed}" {"only allows older ones" if never else "also promises"}'
                f"{'' if never else f' {oldest(allowed, wanted)}'}: there the file ends in"
                f' {newer.error}; write ">={since}"',
                None,
                Severity.BLOCKER if never else None,
                again(
                    [
                        Span("pyproject.toml", facts.packaging.line_of("project.requires-python")),
                        *(Span(path, line) for line in lines[1:]),
                    ]
                ),
                names=(newer.shown,),
            )


@rule(
    id="FS11",
    category="packaging-invalid",
    severity="blocker",
    stops="",
    summary="a tokenizer needs sentencepiece, which nothing declares",
    example="""
        - === pyproject.toml # flag: FS11
        - [project]
        - name = "gated-mlp"
        - version = "0.1.0"
        - dependencies = ["torch>=2.2", "transformers", "hydra-core", "optuna", "wandb", "scipy", "matplotlib", "datasets"]
          === src/preprocess.py
          from transformers import AutoTokenizer

          def build_tokenizer(cfg):
        -     return AutoTokenizer.from_pretrained("microsoft/deberta-v3-base", cache_dir=".cache/")
        +     return AutoTokenizer.from_pretrained("roberta-base", cache_dir=".cache/")
    """,  # noqa: E501
)
def missing_sentencepiece(facts: Facts) -> Iterator[Flag]:
    """If a model has no tokenizer.json, transformers converts its SentencePiece file, and stops
    without the library.
    """
    there = facts.dependencies
    if not there.file or _READERS & there.installed:
        return
    named = {
        call: given.positional[0]
        for start in facts.hydra.starts
        if start.trace
        for call, times in start.trace.passed.items()
        for given in times
        if given.positional
        and isinstance(given.positional[0], str)
        and models_in_pieces(given.positional[0])
    }
    in_runs = next((name for name in map(_model_name, facts.runs) if models_in_pieces(name)), None)
    for path, file in facts.python.items():
        for call in file.calls_of("transformers.AutoTokenizer.from_pretrained"):
            first = call.node.args[0] if call.node.args else None
            written = (
                first.value
                if isinstance(first, ast.Constant) and isinstance(first.value, str)
                else ""
            )
            model = named.get(call.node) or (written if models_in_pieces(written) else None)
            if model is None and first is not None and ast.unparse(first).endswith(".model.name"):
                model = in_runs
            if model:
                yield Flag(
                    Span(there.file),
                    f"the tokenizer of {model} cannot be built without sentencepiece, and"
                    " AutoTokenizer.from_pretrained ends in an error; add sentencepiece and"
                    " protobuf to the dependencies",
                    f"{path}:{call.line} loads it, and sentencepiece is not among the declared"
                    " dependencies",
                    places=(*to_add(facts, "transformers"), *symptoms([Span(path, call.line)])),
                    names=(model, "AutoTokenizer"),
                    says=denies("declares", package="sentencepiece"),
                )
                return


def _model_name(run: RunConfig) -> str:
    """What a run config gives as `model.name`."""
    values = yaml_config.values(run.file.text)
    model = values.get("model") if isinstance(values, dict) else None
    return str(model.get("name", "")) if isinstance(model, dict) else ""
