"""Rules for criterion 2, Hydra integration: merges, writes and files."""

from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.config_flow import ProblemKind
from reviewers.records import Severity
from reviewers.rules.base import FOLLOWED, Flag, name_of, rule
from reviewers.rules.hydra_problems import (
    all_places,
    by_function,
    certain,
    config_file,
    flag,
    has,
    is_in_run_file,
    key_lines,
    lacks,
    never_loaded,
)


@rule(
    id="HY01",
    category="hydra-composition",
    severity="blocker",
    stops=FOLLOWED,
    summary="the run file is merged into the struct configuration",
    example="""
          from pathlib import Path

          import hydra
          from omegaconf import OmegaConf

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              folder = Path(__file__).resolve().parents[1] / "config" / "runs"
        +     OmegaConf.set_struct(cfg, False)
              cfg = OmegaConf.merge(cfg, OmegaConf.load(folder / f"{cfg.run}.yaml"))  # flag: HY01
              print(cfg.training.epochs)
    """,
)
def merged_into_struct(facts: Facts) -> Iterator[Flag]:
    """Hydra passes a configuration that accepts no new keys, and a run file consists of keys that
    config.yaml does not have.
    """
    for start, problem in certain(facts, ProblemKind.MERGE):
        yield flag(
            start,
            problem,
            problem.span,
            f"the merge stops `{start.short_command}` with {problem.error}: {problem.message};"
            " call OmegaConf.set_struct(cfg, False) before",
            f"composing {config_file(start)} and merging with OmegaConf gives {problem.error}:"
            f" {problem.message}",
            says=lacks(problem.key) if problem.key else "",
        )


@rule(
    id="HY05",
    category="hydra-composition",
    severity="blocker",
    stops=FOLLOWED,
    summary="a key is written that the struct configuration does not have",
    example="""
          import hydra
        + from omegaconf import open_dict

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              if cfg.mode == "trial":
        -         cfg.training.max_steps = 2  # flag: HY05
        +         with open_dict(cfg):
        +             cfg.training.max_steps = 2
    """,
)
def struct_write(facts: Facts) -> Iterator[Flag]:
    """This often happens in the overrides of a mode: the key is in the run file, which is not
    merged yet.
    """
    unloaded = bool(
        list(never_loaded(facts))
    )  # then HY10 tells of the keys that are in the run file
    met = [
        (start, problem)
        for start, problem in certain(facts, ProblemKind.REJECTED_WRITE)
        if not (unloaded and is_in_run_file(facts, start, problem.key))
    ]
    for together in by_function(facts, met):
        start, problem = together[0]
        keys = ", ".join(dict.fromkeys(f"`{other.key}`" for _, other in together))
        absent = [other.key for by, other in together if not has(by, other.key)]
        deed = "assigning" if absent else "taking out"
        remedy = f", or define the keys in {name_of(start.entry.config_file)}" if absent else ""
        yield flag(
            start,
            problem,
            problem.span,
            f"{deed} {keys} fails: `{start.short_command}` stops with {problem.error}:"
            f" {problem.message}; call OmegaConf.set_struct(cfg, False) before{remedy}",
            f"the configuration composed for {start.subject} is struct"
            + (f" and has no `{problem.key}`" if absent else ""),
            (*key_lines(facts, together), *all_places(together)),
            lacks(*absent) if absent else "",
        )


@rule(
    id="HY09",
    category="hydra-composition",
    severity="blocker",
    stops=FOLLOWED,
    summary="a missing configuration file is loaded",
    example="""
          import hydra
          from omegaconf import OmegaConf

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
        -     print(OmegaConf.load(f"config/experiments/{cfg.run}.yaml"))  # flag: HY09
        +     print(OmegaConf.load(f"config/runs/{cfg.run}.yaml"))
    """,
)
def absent_file_loaded(facts: Facts) -> Iterator[Flag]:
    """The load raises FileNotFoundError for every run."""
    for start, problem in facts.hydra.absent_files:
        yield flag(
            start,
            problem,
            problem.span,
            f"`{start.short_command}` stops with {problem.error}: {problem.message}",
        )


@rule(
    id="HY17",
    category="hydra-composition",
    severity="blocker",
    stops="FileNotFoundError",
    summary="a file is written into a results folder that nothing creates",
    example="""
          import hydra
          from pathlib import Path

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              folder = Path(cfg.results_dir) / "kept"
        +     folder.mkdir(parents=True, exist_ok=True)
              (folder / "metrics.json").write_text("1")  # flag: HY17
    """,
)
def unmade_folder(facts: Facts) -> Iterator[Flag]:
    """The results folder exists; a command has to create the folders in it."""
    for span, (command, folder, is_repaired) in facts.hydra.unmade_folders.items():
        yield Flag(
            span,
            f"`{command}` stops with FileNotFoundError: nothing makes the folder"
            f" {folder}, into which this writes; make it with parents=True, exist_ok=True",
            severity=Severity.MAJOR if is_repaired else None,
            names=(folder,),
        )
