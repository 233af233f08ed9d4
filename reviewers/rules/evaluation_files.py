"""Rules for criterion 8, the independent evaluation: the files and the WandB project it reads."""

import ast
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.local_files import LocalFiles
from reviewers.facts.python_file import template
from reviewers.facts.python_nodes import walk
from reviewers.facts.templates import HOLE
from reviewers.records import Span
from reviewers.rules.base import Flag, name_of, rule


@rule(
    id="EV19",
    category="evaluation-incomplete",
    severity="blocker",
    stops="",
    summary="the evaluation reads a file that nothing writes there",
    needs=("commands.evaluate",),
    example="""
        + import json
        +
        + def store(results_dir, run_id, predicted):
        +     (results_dir / run_id / "predictions.json").write_text(json.dumps(predicted))
          === src/evaluate.py
          import json

          def load(results_dir, run_id):
              with open(results_dir / run_id / "predictions.json") as stream:  # flag: EV19
                  return json.load(stream)
    """,
)
def file_never_written(facts: Facts) -> Iterator[Flag]:
    """Training must write what the evaluation reads, under the same name and in the same folder;
    otherwise the evaluation stops or skips every run.
    """
    remedy = "write it in training"
    if facts.contract.tracking.read_back:
        remedy = "take it from the WandB API, or write it in training"
    named = (command.names("results_dir") for command in facts.contract.commands.values())
    texts = {file.path: file.text for file in facts.submission.by_path.values()}
    files = LocalFiles(
        *(facts.python, facts.local_code, facts.evaluator, texts),
        next(filter(None, named), ""),
    )
    found = {(each.read.name, each.read.asked): each for each in reversed([*files.never_written()])}
    for each in found.values():
        read, asked = each.read, each.read.asked
        so = "it is never there" if asked else "FileNotFoundError"
        if each.elsewhere and each.at:
            written = " and ".join(f"`{path.replace(HOLE, '…')}`" for path in each.elsewhere[:3])
            yield Flag(
                read.span,
                f"{name_of(facts.evaluator)} reads `{read.path.replace(HOLE, '…')}`, but"
                f" {name_of(each.at.file)}:{each.at.line} writes {written}: {so}; use one path",
                severity="major" if asked else None,
                names=(read.path,),
            )
            continue
        yield Flag(
            read.span,
            f"{name_of(facts.evaluator)} reads `{read.name.replace(HOLE, '…')}`, which nothing in"
            f" the submission writes: {so}; {remedy}",
            severity="minor" if asked else None,
            names=(read.name,),
        )


@rule(
    id="EV20",
    category="evaluation-incomplete",
    severity="blocker",
    stops="JSONDecodeError",
    summary="a YAML file is read as JSON",
    example="""
          === src/evaluate.py
        - import json
        + import yaml

          def settings(results_dir):
        -     return json.load(open(results_dir / "config.yaml"))["wandb"]  # flag: EV20
        +     return yaml.safe_load(open(results_dir / "config.yaml"))["wandb"]
    """,
)
def yaml_read_as_json(facts: Facts) -> Iterator[Flag]:
    """JSON is valid YAML, but YAML is not valid JSON: the first unquoted key stops the script."""
    for path, file in facts.python.items():
        for call in file.calls_of("json.load", "json.loads"):
            for inner in walk(call.node.args[0]) if call.node.args else ():
                if isinstance(inner, ast.Call) and ast.unparse(inner.func).endswith(
                    ("open", "read_text")
                ):
                    texts = [
                        template(part)
                        for part in walk(inner)
                        if isinstance(part, ast.Constant | ast.JoinedStr)
                    ]
                    if any(text.endswith((".yaml", ".yml")) for text in texts):
                        yield Flag(
                            Span(path, call.line, call.node.end_lineno),
                            "a YAML file is read as JSON: json.load stops with JSONDecodeError; use"
                            " yaml.safe_load",
                            names=("json.load",),
                        )
                        break


@rule(
    id="EV21",
    category="evaluation-incomplete",
    severity="minor",
    summary="the evaluation hard-codes the WandB project",
    needs=("commands.evaluate", "files.config", "tracking.settings"),
    example="""
          === src/evaluate.py
          import wandb

        - def load(run_id):
        -     return wandb.Api().run(f"our-lab/gated-mlp/{run_id}")  # flag: EV21
        + def load(cfg, run_id):
        +     return wandb.Api().run(f"{cfg.wandb.entity}/{cfg.wandb.project}/{run_id}")
    """,
)
def written_project(facts: Facts) -> Iterator[Flag]:
    """Training takes entity and project from config/config.yaml; after a change there, the
    evaluation still reads the old project.
    """
    file = facts.python.get(facts.evaluator)
    if file is None:
        return
    config = facts.contract.files.config or ""
    for call in file.calls_of(".run", ".runs"):
        given = call.node.args[0] if call.node.args else None
        parts = (
            template(given).split("/") if isinstance(given, ast.JoinedStr | ast.Constant) else []
        )
        if (
            len(parts) >= 2
            and all(part and "{" not in part for part in parts[:2])
            and "wandb" in file.text
        ):
            yield Flag(
                Span(file.path, call.line, call.node.end_lineno),
                f"`{'/'.join(parts[:2])}` is written into the code; read"
                f" {' and '.join(facts.contract.tracking.settings)} from {config}",
                names=("/".join(parts[:2]), *facts.contract.tracking.settings),
            )
