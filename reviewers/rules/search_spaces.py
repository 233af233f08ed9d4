"""Rules for criterion 7, the run configurations: Optuna's search spaces."""

import ast
import re
from collections.abc import Iterator
from typing import Any

from reviewers.facts import Facts, yaml_config
from reviewers.facts.config_flow import MOST_NOTED, Created, ProblemKind
from reviewers.facts.python_file import PythonFile
from reviewers.facts.start import Start
from reviewers.records import RunConfig, Span
from reviewers.rules.base import Flag, again, denies, rule
from reviewers.rules.guards import is_asked_for, is_guarded
from reviewers.rules.run_configurations import line_of_key, run_values_of

_BOUNDED = frozenset({"float", "int", "loguniform", "log_uniform", "uniform"})
_CHOOSING = frozenset({"categorical", "choice"})


@rule(
    id="RC03",
    category="hydra-composition",
    severity="major",
    summary="a search space entry lacks its bounds or choices",
    needs=("runs.search_spaces",),
    example="""
          === config/runs/proposed.yaml
          run_id: proposed
          training:
            learning_rate: 0.001
          optuna:
            n_trials: 5
            search_space:
              learning_rate:  # flag: RC03
                type: loguniform
                low: 0.0001
        +       high: 0.01
    """,
)
def incomplete_search_space(facts: Facts) -> Iterator[Flag]:
    """Optuna needs both bounds of a range, and the choices of a categorical parameter."""
    for run, values in run_values_of(facts):
        optuna = values.get("optuna")
        space = optuna.get("search_space") if isinstance(optuna, dict) else None
        for name, entry in space.items() if isinstance(space, dict) else ():
            missing = _missing(entry) if isinstance(entry, dict) else None
            if missing:
                message = f"the search space of `{name}` in {run.run_id} has no `{missing}`"
                yield Flag(
                    Span(run.file.path, line_of_key(run, str(name), after="search_space")),
                    message,
                    names=(str(name), missing),
                )


@rule(
    id="RC04",
    category="hydra-composition",
    severity="major",
    summary="a search space entry is where nothing reads it",
    needs=("runs.search_spaces",),
    example="""
          === config/runs/proposed.yaml
          run_id: proposed
          training:
            learning_rate: 0.001
          optuna:
            n_trials: 5
            search_space:
        -     learning_rate:
        +     training.learning_rate:
                type: loguniform
                low: 0.0001
                high: 0.01
          === src/train.py
          import hydra
          import optuna
          from omegaconf import OmegaConf

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              OmegaConf.set_struct(cfg, False)
              cfg = OmegaConf.merge(cfg, OmegaConf.load(f"config/runs/{cfg.run}.yaml"))

              def objective(trial):
                  for name, space in cfg.optuna.search_space.items():
                      OmegaConf.update(cfg, name, trial.suggest_float(name, space.low, space.high))  # flag: RC04
                  return cfg.training.learning_rate

              optuna.create_study().optimize(objective, n_trials=cfg.optuna.n_trials)
    """,  # noqa: E501
)
def search_space_leads_nowhere(facts: Facts) -> Iterator[Flag]:
    """The trials then all train with the same values, or stop if the configuration accepts no new
    keys.
    """
    for span, found in lost_entries(facts).items():
        name, (created, runs) = next(iter(found.items()))
        key, run = created.key, runs[0]
        others = (
            f" (like {', '.join(f'`{other}`' for other in list(found)[1:])})"
            if len(found) > 1
            else ""
        )
        homes = _homes(yaml_config.values(run.file.text), name)
        home = f"; its value is at `{homes[0]}`" if len(homes) == 1 else ""
        effect = (
            f"leads to cfg.{key}, which is not there: the configuration is struct, as Hydra"
            " composes it, and refuses the write; with OmegaConf.set_struct(cfg, False) nothing"
            " would read the value"
            if created.is_refused
            else f"is written to cfg.{key}, where nothing reads it"
        )
        yield Flag(
            span,
            f"`{name}`{others} of the search space {effect}{home}",
            f"neither the main configuration nor {run.file.path} has a key `{key}`, and no code"
            f" reads cfg.{key}",
            places=again(_entries(found)),
            names=(name,),
            says=denies("reads_key", scope="code", key=key),
        )


def _entries(found: dict[str, tuple[Created, list[RunConfig]]]) -> list[Span]:
    """The first entry in each run file that the write takes for a path."""
    lines: dict[str, list[int]] = {}
    for name, (_, runs) in found.items():
        for run in runs:
            if line := line_of_key(run, name, after="search_space"):
                lines.setdefault(run.file.path, []).append(line)
    return [Span(path, min(named)) for path, named in lines.items()]


def lost_entries(facts: Facts) -> dict[Span, dict[str, tuple[Created, list[RunConfig]]]]:
    """Search-space entries that are written where nothing reads them: by the place of the write,
    then by name, with the key.
    """
    met: dict[Span, dict[str, tuple[Created, list[RunConfig]]]] = {}
    rejected = {
        problem.span
        for _, problem in facts.hydra.problems
        if problem.kind is ProblemKind.REJECTED_WRITE
    }
    for run, values in run_values_of(facts):
        optuna = values.get("optuna")
        space = optuna.get("search_space") if isinstance(optuna, dict) else None
        names = [str(name) for name in space] if isinstance(space, dict) else []
        starts = [start for start in facts.hydra.starts if start.run_id == run.run_id]
        created = {(each.key, each.span): each for start in starts for each in _created(start)}
        for name in names:
            for each in created.values():
                if (
                    each.key in (name, name.replace("_", "."))
                    and each.span not in rejected
                    and not _is_read(facts, each.key)
                ):
                    met.setdefault(each.span, {}).setdefault(name, (each, []))[1].append(run)
    return met


def _created(start: Start) -> Iterator[Created]:
    if start.trace is not None and start.mode != "trial":
        yield from start.trace.created


def _is_read(facts: Facts, key: str) -> bool:
    """Whether some code takes the key from a whole configuration, by attribute, item or `get`."""
    owners = r"\b(?:\w*(?:cfg|conf|config)\w*)"
    last = re.escape(key)
    pattern = re.compile(rf"""{owners}(?:\.{last}\b|\[["']{last}["']\]|\.get\(["']{last}["'])""")
    texts = (file.text for file in facts.python.values())
    return any(key in text and pattern.search(text) for text in texts)


def _homes(values: object, name: str, above: str = "") -> list[str]:
    """Where in a run file a key of this name stands, search spaces aside."""
    found = []
    for key, inner in values.items() if isinstance(values, dict) else ():
        path = f"{above}.{key}" if above else str(key)
        if key == name:
            found.append(path)
        if key != "optuna":
            found += _homes(inner, name, path)
    return found


def _missing(entry: dict[Any, Any]) -> str | None:
    kind = str(entry.get("type", "")).lower()
    if kind in _BOUNDED and not ({"low", "min", "lower"} & entry.keys()):
        return "low"
    if kind in _BOUNDED and not ({"high", "max", "upper"} & entry.keys()):
        return "high"
    return (
        "choices"
        if kind in _CHOOSING and not ({"choices", "values", "options"} & entry.keys())
        else None
    )


@rule(
    id="RC12",
    category="cross-file-mismatch",
    severity="blocker",
    stops="KeyError",
    summary="a best parameter is read by a name that no trial suggests",
    example="""
          import optuna

          def search(cfg):
              def objective(trial):
                  return trial.suggest_float("lr", 1e-5, 1e-3, log=True)

              study = optuna.create_study()
              study.optimize(objective, n_trials=cfg.optuna.n_trials)
        -     return study.best_params["learning_rate"]  # flag: RC12
        +     return study.best_params["lr"]
    """,
)
def unsuggested_parameter(facts: Facts) -> Iterator[Flag]:
    """`best_params` has the names that the trials of the search have suggested, and no others.

    Only where every suggestion of the submission has a name that is known.
    """
    suggested: set[str] = set()
    for file in facts.python.values():
        for call in file.calls:
            if (called := call.node.func) and getattr(called, "attr", "").startswith("suggest_"):
                names = _names_of(facts, call.node)
                if names is None:
                    return
                suggested |= names
    for path, file in facts.python.items() if suggested else ():
        for node in file.of(ast.Subscript):
            match node:
                case ast.Subscript(
                    value=owner, slice=ast.Constant(value=str(name)), ctx=ast.Load()
                ) if name not in suggested and _is_best(file, owner):
                    if is_guarded(file, node, "KeyError") or is_asked_for(file, node):
                        continue
                    listed = ", ".join(f"`{one}`" for one in sorted(suggested))
                    used = facts.local_code.is_used(file, file.scope_at(node.lineno))
                    yield Flag(
                        Span(path, node.lineno),
                        f"KeyError: {name!r}: the trials suggest {listed}",
                        severity=None if used else "major",
                        names=(name, "KeyError"),
                    )


def _names_of(facts: Facts, call: ast.Call) -> set[str] | None:
    """The names that a suggestion has in the runs; None where they are not all known."""
    given = call.args[0] if call.args else None
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return {given.value}
    texts = {passed.text for _, passed in facts.hydra.passed.get(call, ())}
    known = 0 < len(texts) < MOST_NOTED and all(one and "{}" not in one for one in texts)
    return texts if known else None


def _is_best(file: PythonFile, owner: ast.expr) -> bool:
    """Whether an expression is the parameters of a study's best trial, or a name for them alone."""
    if isinstance(owner, ast.Name):
        made = file.only_value(owner)
        return made is not None and not isinstance(made, ast.Name) and _is_best(file, made)
    match owner:
        case ast.Attribute(attr="best_params"):
            return True
        case ast.Attribute(attr="params", value=ast.Attribute(attr="best_trial")):
            return True
    return False
