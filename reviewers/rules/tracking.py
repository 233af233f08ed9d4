"""Rules for criterion 6, experiment tracking."""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Any

from reviewers.facts import Facts, yaml_config
from reviewers.facts.guards import ways_to
from reviewers.facts.python_nodes import unparsed
from reviewers.facts.script_starts import ScriptStart
from reviewers.facts.start import Start
from reviewers.facts.tracking import OTHER_LOGGERS, MetricRead, Source
from reviewers.facts.unfinished import only_filler
from reviewers.records import Severity, Span
from reviewers.rules.base import Flag, all_of, denies, name_of, rule

_WANDB = "wandb"
# Names of files with results; configuration, weights and hyper-parameters do not count.
_RESULTS = re.compile(r"result|metric|predict|summary|score|eval|history|log", re.IGNORECASE)


@rule(
    id="TR01",
    category="tracking-mismatch",
    severity="blocker",
    stops="",
    summary="the evaluation reads a metric that training never logs",
    needs=("commands.evaluate",),
    example="""
          === src/evaluate.py
          import wandb

          def main():
              run = wandb.Api().run("our-lab/gated-mlp/proposed")
              history = run.history()
        -     print(history["validation_accuracy"].max())  # flag: TR01
        +     print(history["accuracy"].max())
    """,
)
def metric_never_logged(facts: Facts) -> Iterator[Flag]:
    """Two files must agree on names that neither defines: the read raises KeyError after hours of
    training.
    """
    trainer, evaluator = name_of(facts.trainer) or "training", name_of(facts.evaluator)
    logged = sorted({key.key for key in facts.tracking.logged})
    shown = ", ".join(logged[:8]) + (f" and {len(logged) - 8} more" if len(logged) > 8 else "")
    for reads in _joined(facts, facts.tracking.never_logged):
        first = reads[0]
        names = ", ".join(dict.fromkeys(f"`{read.key}`" for read in reads))
        one = len({read.key for read in reads}) == 1
        if first.required:
            effect = f"{evaluator} stops with KeyError: '{first.key}'"
        else:
            effect = (
                f"{'it never exists' if one else 'they never exist'}, so {evaluator} continues"
                " with a default or without"
            )
        yield Flag(
            first.span,
            f"{names} {'is' if one else 'are'} read from the run's {first.source}, but {trainer}"
            f" never logs {'it' if one else 'them'}: {effect} (logged: {shown})",
            f"the keys that {trainer} logs are {shown}",
            None if first.required else Severity.MAJOR,
            says=all_of(
                *(
                    denies("logs", scope=facts.trainer, key=key)
                    for key in dict.fromkeys(read.key for read in reads)
                )
            ),
        )


def _joined(facts: Facts, reads: Iterable[MetricRead]) -> Iterator[list[MetricRead]]:
    """A required key is a cause of its own; keys that are only requested form one cause per
    function.
    """
    groups: dict[tuple[str, Source, str], list[MetricRead]] = {}
    for read in reads:
        scope = facts.python[read.span.file].scope_at(read.span.line or 1)
        groups.setdefault(
            (read.key if read.required else "", read.source, "" if read.required else scope), []
        ).append(read)
    certain = {
        (read.key, read.source) for group in groups.values() for read in group if read.required
    }
    for group in groups.values():
        kept = [read for read in group if read.required or (read.key, read.source) not in certain]
        if kept:
            yield kept


@rule(
    id="TR02",
    category="tracking-mismatch",
    severity="blocker",
    summary="training never initialises WandB",
    needs=("tracking.service",),
    example="""
        - === src/train.py # flag: TR02
        - import torch
        + import wandb

          def main():
        -     print(torch.zeros(1))
        +     wandb.init(project="gated-mlp")
    """,
)
def tracking_never_started(facts: Facts) -> Iterator[Flag]:
    """evaluate.py reads everything from WandB, so without a run there is nothing to evaluate."""
    file, tracking = facts.python.get(facts.trainer), facts.contract.tracking
    if tracking.service != _WANDB or tracking.optional:
        return
    if file is None or file.tree is None:
        return
    if only_filler(file) is not None:
        return  # FS02 reports the file
    if not facts.tracking.inits and "WandbLogger" not in file.text and "report_to" not in file.text:
        reader = facts.python.get(facts.evaluator)
        reads = reader and any(reader.calls_of("wandb.Api", "wandb.apis.public.Api"))
        yield Flag(
            Span(file.path),
            "no code calls wandb.init: nothing reaches WandB"
            + (f", and {name_of(facts.evaluator)} finds no run" if reads else ""),
            says=denies("calls", scope="code", callee="wandb.init"),
        )


@rule(
    id="TR03",
    category="tracking-mismatch",
    severity="major",
    summary="training dumps results as JSON",
    needs=("tracking.no_json",),
    example="""
        - import json
        -
        - def finish(results, folder):
        -     with open(folder / "results.json", "w") as stream:
        -         json.dump(results, stream)  # flag: TR03
        + import wandb
        +
        + def finish(results):
        +     wandb.summary.update({"final_accuracy": results["accuracy"]})
    """,
)
def json_dumped(facts: Facts) -> Iterator[Flag]:
    """Results belong in WandB alone; nobody reads a second copy on disk or stdout, and the two
    drift apart.
    """
    for output in facts.tracking.json_outputs:
        if output.target == "stdout" or _RESULTS.search(output.target):
            yield Flag(
                output.span,
                f"{name_of(facts.trainer)} writes results as JSON to {output.target};"
                f" results belong in {_called(facts)} only",
                names=(output.target,),
            )


@rule(
    id="TR04",
    category="tracking-mismatch",
    severity="blocker",
    summary="the main configuration lacks a setting of the tracking service",
    needs=("files.config", "tracking.settings"),
    example="""
          === config/config.yaml # flag: TR04
          run: ???
          results_dir: ???
          mode: full
          wandb:
        +   entity: our-lab
        +   project: gated-mlp
            mode: online
    """,
)
def tracking_settings_absent(facts: Facts) -> Iterator[Flag]:
    """Both scripts take entity and project from there; without them training logs to another place
    than evaluate.py reads.
    """
    config, tracking = facts.contract.files.config or "", facts.contract.tracking
    read = yaml_config.values(facts.text(config) or "")
    if not isinstance(read, dict) or tracking.optional:
        return
    missing = [key for key in tracking.settings if not _is_set(read, key)]
    if missing:
        yield Flag(
            Span(config), f"{config} has no {' and no '.join(missing)}", names=tuple(missing)
        )


@rule(
    id="TR05",
    category="tracking-mismatch",
    severity="major",
    summary="Optuna trials are logged to WandB",
    needs=("tracking.no_search_trials",),
    example="""
          import optuna
          import wandb

          def objective(trial):
        -     rate = trial.suggest_float("rate", 1e-4, 1e-2)
        -     wandb.log({"rate": rate})  # flag: TR05
        -     return rate
        +     return trial.suggest_float("rate", 1e-4, 1e-2)

          def search(cfg):
        -     optuna.create_study().optimize(objective, n_trials=5)
        +     study = optuna.create_study()
        +     study.optimize(objective, n_trials=5)
        +     wandb.log({"rate": study.best_params["rate"]})
    """,
)
def trials_logged(facts: Facts) -> Iterator[Flag]:
    """Only the final run counts; the numbers of the trials would mix with it under its keys."""
    for path, file in facts.python.items():
        objectives = {
            name
            for name, node in file.functions.items()
            if any(argument.arg == "trial" for argument in node.args.args)
            and "suggest_" in ast.unparse(node)
        }
        for call in file.calls_of("wandb.init", "wandb.log"):
            if call.scope in objectives:
                yield Flag(
                    Span(path, call.line, call.node.end_lineno),
                    f"`{call.name}` is in the Optuna objective `{call.scope}`",
                    names=(call.name, call.scope),
                )


@rule(
    id="TR11",
    category="tracking-mismatch",
    severity="blocker",
    stops="Error",
    summary="one mode logs to WandB but never starts a run",
    example="""
          import hydra
          import wandb

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              if cfg.mode == "full":
                  wandb.init(project="gated-mlp")
        -     wandb.log({"loss": 1.0})  # flag: TR11
        +     if wandb.run is not None:
        +         wandb.log({"loss": 1.0})
    """,
)
def logged_without_run(facts: Facts) -> Iterator[Flag]:
    """`wandb.log` is a stub that raises until `wandb.init` is called (`sdk/lib/preinit.py` of wandb
    0.16.6 and 0.22.3).
    """
    files = facts.python.values()
    starting = {call.node for file in files for call in file.calls_of("wandb.init")}
    logging = {
        call.node: Span(file.path, call.line)
        for file in files
        for call in file.calls_of(*_OF_A_RUN)
    }
    if not (starting and logging):
        return
    ways = [
        (_script_of(start), start.run_id, start.mode, start.trace, True)
        for start in facts.hydra.every_start
        if start.trace and start.trace.complete
    ]
    ways += [(one.path, one.run.run_id, one.mode, one.trace, False) for one in facts.unreached]
    started = {
        (path, run_id)
        for path, run_id, _, trace, _ in ways
        if not starting.isdisjoint(trace.passed)
    }
    unasked = {span for span in logging.values() if _is_never_asked(facts, span)}
    skipping = _skipped_by(facts)
    found: dict[Span, tuple[bool, str]] = {}
    for path, run_id, mode, trace, is_reached in ways:
        begun = [one for node in starting for one in trace.passed.get(node, ())]
        if any(one.certain for one in begun):
            continue
        for node, given in trace.passed.items():
            if node not in logging:
                continue
            span, is_unasked = logging[node], logging[node] in unasked
            if begun:
                if skipping and is_unasked:
                    found.setdefault(span, (False, f"where `{skipping}` skips it"))
            elif (path, run_id) in started and (is_unasked or any(one.certain for one in given)):
                happens = is_reached and (is_unasked or any(one.happens for one in given))
                before = found.get(span, (False, ""))[0]
                found[span] = (happens or before, f"in mode {mode}" if mode else "here")
    texts = [file.text for file in files] if found else []
    if any(OTHER_LOGGERS.search(text) or "init_trackers" in text for text in texts):
        return
    for span, (happens, where) in found.items():
        yield Flag(
            span,
            f"{where} nothing calls wandb.init before this: wandb.errors.Error: You must call"
            " wandb.init() first; log only where `wandb.run` is not None",
            severity=None if happens else "major",
            names=("wandb.init",),
        )


def _is_never_asked(facts: Facts, span: Span) -> bool:
    """Whether some way to a call that needs a run asks nothing about it."""
    file = facts.python[span.file]
    calls = [call.node for call in file.calls_of(*_OF_A_RUN) if call.line == span.line]
    return any(
        not any(map(_is_about_tracking, way))
        for node in calls
        for way in ways_to(facts.local_code, file, node)
    )


def _is_about_tracking(guard: ast.AST) -> bool:
    return isinstance(guard, ast.ExceptHandler) or _TRACKED.search(unparsed(guard)) is not None


def _skipped_by(facts: Facts) -> str:
    """The condition under which no call starts a run; empty if there is none."""
    skipping = ""
    for file in facts.python.values():
        for call in file.calls_of("wandb.init"):
            asked = [
                around.test
                for around in file.ancestors(call.node)
                if isinstance(around, ast.If)
                and not any(one in around.orelse for one in file.ancestors(call.node))
                and not any(isinstance(one, ast.Raise | ast.Return) for one in around.orelse[-1:])
            ]
            texts = [text for text in map(unparsed, asked) if _TRACKED.search(text)]
            if not texts or any(_WITH_RUN.search(text) for text in texts):
                return ""
            skipping = texts[0]
    return skipping


# Words of a test that may tell whether there is a run, and of one that asks for it.
_TRACKED = re.compile(
    r"wandb|run\b|track|abled|mode|o[nf]+line|sanity|trial|debug|dry|\blog(ger|ging|s)?\b|rank"
    r"|is_(main|master)|report"
)
_WITH_RUN = re.compile(r"wandb\.run\b|is None|\bnot\b")
_OF_A_RUN = ("wandb.log", "wandb.define_metric", "wandb.save", "wandb.alert")


def _script_of(start: Start | ScriptStart) -> str:
    return start.path if isinstance(start, ScriptStart) else start.entry.path


@rule(
    id="TR09",
    category="tracking-mismatch",
    severity="major",
    summary="the history is asked for keys that are never logged together",
    needs=("commands.evaluate",),
    example="""
          import wandb

          def main(batches):
              wandb.init()
        -     for loss in batches:
        -         wandb.log({"train_loss": loss})
        -     wandb.log({"accuracy": 1.0})
        +     for loss, accuracy in batches:
        +         wandb.log({"train_loss": loss, "accuracy": accuracy})
          === src/evaluate.py
          import wandb

          def main(path):
              return wandb.Api().run(path).history(keys=["train_loss", "accuracy"])  # flag: TR09
    """,
)
def keys_in_no_row(facts: Facts) -> Iterator[Flag]:
    """With `keys=`, the API returns only the rows that contain all of them (wandb issue 10215);
    here there are none.
    """
    trainer = name_of(facts.trainer) or "training"
    for span, keys in facts.tracking.apart:
        names = ", ".join(f"`{key}`" for key in keys)
        yield Flag(
            span,
            f"history(keys=…) returns only rows that have all of {names}, but {trainer} logs"
            " them in different calls: the table is empty; ask for one key at a time, or for"
            " the whole history",
            "each call of wandb.log without step= makes a row of its own, and no call logs all of"
            " these keys",
            names=tuple(keys),
        )


def _called(facts: Facts) -> str:
    service = facts.contract.tracking.service
    return "WandB" if service == _WANDB else service or "the tracking service"


def _is_set(values: dict[Any, Any], setting: str) -> bool:
    """Whether a setting exists under its path or, without such a section, under its last name or
    one joined by `_`.
    """
    section, _, key = setting.rpartition(".")
    inner = values.get(section) if section else values
    return (
        key in (inner if isinstance(inner, dict) else values) or setting.replace(".", "_") in values
    )
