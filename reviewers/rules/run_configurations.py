"""Rules for criterion 7, the run configurations."""

from collections.abc import Iterator
from typing import Any

from reviewers.bundles.yaml_text import load_yaml
from reviewers.facts import Facts
from reviewers.records import RunConfig, Span
from reviewers.rules.base import Flag, rule

_BOUNDED = frozenset({"float", "int", "loguniform", "log_uniform", "uniform"})
_CHOOSING = frozenset({"categorical", "choice"})


@rule(
    id="RC01",
    criterion=7,
    category="hydra-composition",
    severity="blocker",
    summary="a run config is not valid YAML",
    bad="""
        === config/runs/proposed.yaml
        run_id: proposed
        training:
          epochs: 3
          run_id: [1, 2
        method: proposed  # flag: RC01
    """,
    good="""
        === config/runs/proposed.yaml
        run_id: proposed
        training:
          epochs: 3
    """,
)
def unreadable_run_config(facts: Facts) -> Iterator[Flag]:
    """The run cannot start, whatever the code does."""
    for run in facts.submission.runs:
        if problem := load_yaml(run.file.text).problem:
            line = min(problem.line, len(run.file.text.splitlines())) if problem.line else None
            yield Flag(Span(run.file.path, line), f"{run.file.path} is not valid YAML: {problem.message}")


@rule(
    id="RC02",
    criterion=7,
    category="hydra-composition",
    severity="major",
    summary="a run config names another run than its file",
    bad="""
        === config/runs/proposed.yaml
        run_id: proposed-v2  # flag: RC02
        training:
          epochs: 3
    """,
    good="""
        === config/runs/proposed.yaml
        run_id: proposed
        training:
          epochs: 3
    """,
)
def run_id_differs(facts: Facts) -> Iterator[Flag]:
    """evaluate.py asks WandB for the id that the command names; a run that tracks itself under another is never found."""
    for run, values in _read(facts):
        said = values.get("run_id")
        if isinstance(said, str) and said != run.run_id:
            line = _line(run, "run_id")
            yield Flag(Span(run.file.path, line), f"{run.file.path} says run_id: {said[:80]}, but the run is called {run.run_id}")


@rule(
    id="RC03",
    criterion=7,
    category="hydra-composition",
    severity="major",
    summary="a search space entry lacks its bounds or choices",
    bad="""
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
    """,
    good="""
        === config/runs/proposed.yaml
        run_id: proposed
        training:
          learning_rate: 0.001
        optuna:
          n_trials: 5
          search_space:
            learning_rate:
              type: loguniform
              low: 0.0001
              high: 0.01
    """,
)
def incomplete_search_space(facts: Facts) -> Iterator[Flag]:
    """Optuna needs both bounds of a range, and the choices of a categorical parameter."""
    for run, values in _read(facts):
        optuna = values.get("optuna")
        space = optuna.get("search_space") if isinstance(optuna, dict) else None
        for name, entry in space.items() if isinstance(space, dict) else ():
            missing = _missing(entry) if isinstance(entry, dict) else None
            if missing:
                message = f"the search space of `{name}` in {run.run_id} has no `{missing}`"
                yield Flag(Span(run.file.path, _line(run, str(name), after="search_space")), message)


def _read(facts: Facts) -> Iterator[tuple[RunConfig, dict[Any, Any]]]:
    for run in facts.submission.runs:
        value = load_yaml(run.file.text).value
        if isinstance(value, dict):
            yield run, value


def _missing(entry: dict[Any, Any]) -> str | None:
    kind = str(entry.get("type", "")).lower()
    if kind in _BOUNDED and not ({"low", "min", "lower"} & entry.keys()):
        return "low"
    if kind in _BOUNDED and not ({"high", "max", "upper"} & entry.keys()):
        return "high"
    return "choices" if kind in _CHOOSING and not ({"choices", "values", "options"} & entry.keys()) else None


def _line(run: RunConfig, key: str, after: str | None = None) -> int | None:
    """The line on which a key stands, the first one below `after`."""
    seen = after is None
    for number, line in enumerate(run.file.text.splitlines(), 1):
        word = line.strip().partition(":")[0].strip("\"'")
        if seen and word == key:
            return number
        seen = seen or word == after
    return None
