"""Rules for criterion 7, the run configurations: values that the code does not accept."""

import re
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.config_flow import ProblemKind
from reviewers.records import ResearchContext
from reviewers.rules.base import FOLLOWED, Flag, rule
from reviewers.rules.hydra_problems import RefusedValue, flag, refused

_LONGEST_NAME = 100
_FEWEST_PARTS = 2  # of what can be nothing but a name: `resnet20`, `sst-2`, `vit_tiny`


@rule(
    id="RC08",
    category="hydra-composition",
    severity="blocker",
    stops=FOLLOWED,
    summary="a run's configuration leads to an error that the code itself raises",
    example="""
          === config/runs/proposed.yaml
          run_id: proposed
          dataset:
            tokenizer: words  # flag: RC08
          === src/train.py
          import hydra
          from omegaconf import OmegaConf

          def tokenise(text, kind):
              if kind == "characters":
                  return list(text)
        +     if kind == "words":
        +         return text.split()
              raise ValueError(f"no tokenizer is called {kind}")

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              OmegaConf.set_struct(cfg, False)
              cfg = OmegaConf.merge(cfg, OmegaConf.load(f"config/runs/{cfg.run}.yaml"))
              print(tokenise("some text", cfg.dataset.tokenizer))
    """,
)
def raise_reached(facts: Facts) -> Iterator[Flag]:
    """The code lists what it supports, and the run asks for something else: the command ends in the
    code's own error. The line of the configuration is flagged, if it is known, and the line that
    raises the error is the evidence. A script that parses its own command line and loads YAML or
    JSON is followed like one of Hydra's, and so is each script that it starts.
    """
    for one in refused(facts, ProblemKind.RAISED):
        problem, command = one.problem, one.start.short_command
        message = problem.message.rstrip(" .")
        said = f": {message}" if message else ""
        why = f", since {problem.key}" if problem.key else ""
        where = "here" if one.cause is None else f"at {problem.span}"
        yield flag(
            one.start,
            problem,
            one.cause or problem.span,
            f"`{command}` stops {where} with {problem.error}{said}{why}{one.then};"
            f" {_advice(facts, one)}",
            f"{one.start.followed} comes to {problem.span}{why}",
            one.places,
        )


def _advice(facts: Facts, one: RefusedValue) -> str:
    """What repairs it: a value that was asked for is one that the code has to take."""
    given = {run.file.path for run in facts.runs} if facts.contract.asks("runs.folder") else set()
    if one.cause is None:
        return "configuration and code have to agree on it"
    if one.cause.file in given:
        return "the run is given, so the code has to take this value"
    if _is_named(facts.submission.context, str(one.problem.cause)):
        return "the experiment names this value, so the code has to take it"
    either = "implement it, or " if one.problem.error == "NotImplementedError" else ""
    return f"{either}give the run a value that the code takes"


def _is_named(context: ResearchContext, value: str) -> bool:
    """Whether the research context mentions a name, however it parts its words; a plain word may
    mean anything there.
    """
    letters = re.findall(r"[a-z0-9]", value.lower())
    if len(value) > _LONGEST_NAME or len(re.findall(r"[^\W\d_]+|\d+", value)) < _FEWEST_PARTS:
        return False
    parted = r"[\W_]*".join(letters)
    name = re.compile(rf"(?<![a-z0-9]){parted}(?![a-z0-9])")
    texts = (*context.hypothesis.values(), *context.design.values(), context.method or "")
    return any(name.search(text.lower()) for text in texts)


@rule(
    id="RC09",
    category="hydra-composition",
    severity="blocker",
    stops=FOLLOWED,
    summary="a value of a run's configuration has the wrong type for what the code does with it",
    example="""
          === config/runs/proposed.yaml
          run_id: proposed
          training:
            epochs: 3
            warmup_steps: null
          === src/train.py
          import hydra
          from omegaconf import OmegaConf

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              OmegaConf.set_struct(cfg, False)
              cfg = OmegaConf.merge(cfg, OmegaConf.load(f"config/runs/{cfg.run}.yaml"))
        -     print(cfg.training.warmup_steps / cfg.training.epochs)  # flag: RC09
        +     print((cfg.training.warmup_steps or 0) / cfg.training.epochs)
    """,
)
def value_of_wrong_type(facts: Facts) -> Iterator[Flag]:
    """A YAML key may hold a text, a number or nothing at all, and Python complains only when it
    reaches the line. PyYAML reads `5e-4` as a text, since YAML 1.1 requires a dot in it; OmegaConf
    reads a number.
    """
    for one in refused(facts, ProblemKind.INVALID_VALUE):
        problem, command = one.problem, one.start.short_command
        where = f" at {problem.span}" if one.cause else ""
        yield flag(
            one.start,
            problem,
            one.cause or problem.span,
            f"`{facts.code(problem.span)[:120]}`{where}: `{command}` stops with {problem.error}:"
            f" {problem.message}{one.then}",
            f"{one.start.followed} comes to {problem.span}, which gives {problem.error}:"
            f" {problem.message}",
            one.places,
        )


@rule(
    id="FS16",
    criterion=1,
    category="tensor-or-runtime",
    severity="blocker",
    stops=FOLLOWED,
    summary="a file is copied onto itself",
    example="""
          import shutil
          from pathlib import Path

          import hydra

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              results = Path(cfg.results_dir)
              best = results / "best.pt"
              best.write_bytes(b"")
        -     shutil.copy(best, results)  # flag: FS16
        +     if best.parent != results:
        +         shutil.copy(best, results)
    """,
)
def copied_onto_itself(facts: Facts) -> Iterator[Flag]:
    """`shutil.copy`, `copy2` and `copyfile` raise SameFileError if both paths are the same file.
    Only paths that are equal in every part count, as the command and the configuration give them; a
    condition or a handler around the copy is followed as Python would. Renaming or moving a file to
    its own path does nothing and is not flagged.
    """
    for one in refused(facts, ProblemKind.SAME_FILE):
        problem = one.problem
        where = f" at {problem.span}" if one.cause else ""
        yield flag(
            one.start,
            problem,
            one.cause or problem.span,
            f"`{one.start.short_command}` stops{where or ' here'} with {problem.error}:"
            f" {problem.message}{one.then}",
            f"{one.start.followed} comes to {problem.span} with one path for both files",
            one.places,
        )
