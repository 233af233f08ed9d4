"""Rules for criterion 6, experiment tracking: the WandB run, its id and its attributes."""

import ast
from collections.abc import Iterator

from reviewers.facts import Facts, PythonFile
from reviewers.facts.tracked_runs import TrackedRuns
from reviewers.records import Span
from reviewers.rules.base import Flag, name_of, rule
from reviewers.rules.guards import is_guarded

# What a dictionary has, and the summary of a live run has not (wandb 0.31, class SummaryDict).
_ONLY_OF_DICT = frozenset({"items", "values", "pop", "setdefault", "copy", "clear", "popitem"})


@rule(
    id="TR06",
    category="tracking-mismatch",
    severity="blocker",
    summary="training starts its WandB run under another id than the evaluation asks for",
    needs=("commands.evaluate",),
    example="""
          import wandb

          def main(cfg):
        -     wandb.init(entity=cfg.wandb.entity, project=cfg.wandb.project, name=cfg.run.run_id)  # flag: TR06
        +     wandb.init(entity=cfg.wandb.entity, project=cfg.wandb.project, id=cfg.run.run_id, resume="allow")
          === src/evaluate.py
          import wandb

          def load(cfg, run_id):
              return wandb.Api().run(f"{cfg.wandb.entity}/{cfg.wandb.project}/{run_id}")
    """,  # noqa: E501
)
def other_run_id(facts: Facts) -> Iterator[Flag]:
    """The API finds a run by its id, never by its display name, and a run started without an id
    gets a random one.
    """
    runs = TrackedRuns(facts.python, facts.evaluator)
    asked, started = runs.asked_by_id, runs.otherwise_named
    if asked is None or started is None:
        return
    if started.id is None:
        how = "wandb.init gets no id, so WandB makes one up (a name is for display only)"
    else:
        how = f"training runs under the id `{started.id[:80]}`"
    expected = bool(started.suffix) and started.suffix in facts.evaluation.text
    yield Flag(
        started.span,
        f"{how}, but {name_of(facts.evaluator)} asks for `entity/project/run_id` with the given run"
        " id: wandb.Api().run stops with CommError: Could not find run; start the run with id= the"
        " run id",
        f"{asked} asks for the plain run id",
        "major" if expected else None,
        names=("wandb.Api",),
    )


@rule(
    id="TR07",
    category="tracking-mismatch",
    severity="blocker",
    stops="KeyError",
    summary="the summary of a live WandB run is used as a dictionary",
    example="""
          import wandb

          def main():
              run = wandb.init()
        -     if "best_accuracy" in run.summary:  # flag: TR07
        -         print(run.summary["best_accuracy"])
        +     if run.summary.get("best_accuracy") is not None:
        +         print(run.summary["best_accuracy"], "best_accuracy" in run.summary.keys())
    """,
)
def summary_as_dictionary(facts: Facts) -> Iterator[Flag]:
    """It has `get`, `keys` and items by key, but no membership test: Python then asks for item 0,
    which is a KeyError.
    """
    for path, file in facts.python.items():
        if path == facts.evaluator or "summary" not in file.text:
            continue
        for node in file.nodes:
            match node:
                case ast.Compare(
                    ops=[ast.In() | ast.NotIn()],
                    comparators=[ast.Attribute(attr="summary", value=owner)],
                ):
                    error, instead = "KeyError: 0", "ask `.summary.get(key) is not None`"
                case ast.For(iter=ast.Attribute(attr="summary", value=owner)):
                    error, instead = "KeyError: 0", "run over `.summary.keys()`"
                case ast.Call(
                    func=ast.Attribute(
                        attr=method, value=ast.Attribute(attr="summary", value=owner)
                    )
                ):
                    if method not in _ONLY_OF_DICT:
                        continue
                    error, instead = f"KeyError: '{method}'", "take `dict(run.summary)`"
                case _:
                    continue
            live = ast.unparse(owner) in ("wandb", "wandb.run") or _is_live(file, owner)
            if live and not is_guarded(file, node, "KeyError"):
                yield Flag(
                    Span(
                        path,
                        node.lineno,
                        (
                            getattr(node, "end_lineno", None)
                            if not isinstance(node, ast.For)
                            else None
                        ),
                    ),
                    f"the summary of a live run is no dictionary: this stops with {error} once"
                    f" WandB is online; {instead}",
                    names=("summary",),
                )


def _is_live(file: PythonFile, node: ast.expr) -> bool:
    """Whether an expression is what `wandb.init` returned, and nothing else but None."""
    if not isinstance(node, ast.Name) or file.scopes is None:
        return False
    kinds = {_is_run(file, binding) for binding in file.scopes.bindings(node)}
    return True in kinds and False not in kinds


def _is_run(file: PythonFile, binding: ast.AST) -> bool | None:
    """Whether a binding gives the name a live run; None if it gives None."""
    if isinstance(binding, ast.arg):
        return binding.annotation is not None and ast.unparse(binding.annotation) in (
            "wandb.sdk.wandb_run.Run",
            "wandb.Run",
        )
    match file.parents.get(binding):
        case ast.Assign(targets=[ast.Name()], value=ast.Constant(value=None)):
            return None
        case (
            ast.Assign(targets=[ast.Name()], value=ast.Call(func=func))
            | ast.withitem(context_expr=ast.Call(func=func))
        ):
            return file.resolve(func) == "wandb.init"
    return False
