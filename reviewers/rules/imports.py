"""Rules for criterion 1: imports that fail in the process that executes them."""

from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.config_flow.files import OUTPUTS
from reviewers.facts.module_search import FailedImport
from reviewers.records import Severity
from reviewers.rules.base import Flag, again, rule


@rule(
    id="IM16",
    category="cross-file-mismatch",
    severity="blocker",
    summary="a started process cannot find a module of the submission under this name",
    stops="",
    needs=("commands.*",),
    example="""
        - === pyproject.toml
        - [project]
        - name = "gated-mlp"
        - version = "0.1.0"
        - requires-python = ">=3.11"
        - dependencies = ["torch>=2.2", "hydra-core>=1.3", "wandb>=0.17", "datasets>=3.0"]
          === src/main.py
          import subprocess
          import sys

          import hydra

        - from train import train_model  # flag: IM16
        + from src.train import train_model

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              words = [f"run={cfg.run}", f"results_dir={cfg.results_dir}", f"mode={cfg.mode}"]
        -     subprocess.run([sys.executable, "src/train.py", *words], check=True)
        +     subprocess.run([sys.executable, "-m", "src.train", *words], check=True)

          if __name__ == "__main__":
              main()
          === src/train.py
          import hydra

          from src.model import build_model  # flag: IM16

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              print(build_model(cfg))

          def train_model(cfg):
              return build_model(cfg)

          if __name__ == "__main__":
              main()
    """,
)
def unfindable_module(facts: Facts) -> Iterator[Flag]:
    """What Python finds depends on how it is started: under `-m` the working directory is on its
    path, for a script it is the script's own folder, and a relative import needs a package.
    """
    for failure in facts.failed_imports:
        start = failure.start
        # HY08 tells of a process that starts in Hydra's own folder.
        if not failure.is_circular and (start.folder != OUTPUTS or failure.span != start.at):
            yield _flag(facts, failure, _advice(failure))


@rule(
    id="IM17",
    category="cross-file-mismatch",
    severity="blocker",
    summary="a name is imported from a module that is still being imported",
    stops="ImportError",
    needs=("commands.*",),
    example="""
          === src/preprocess.py
        - from src.train import width
        + def width(cfg):
        +     return cfg.model.width

          def load_data(cfg):
              return width(cfg)
          === src/train.py
          import hydra

        - from src.preprocess import load_data  # flag: IM17
        -
        - def width(cfg):
        -     return cfg.model.width
        + from src.preprocess import load_data, width

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              print(load_data(cfg), width(cfg))

          if __name__ == "__main__":
              main()
    """,
)
def circular_import(facts: Facts) -> Iterator[Flag]:
    """Two modules import each other: the one that is imported second needs a name that the first
    has not bound yet.
    """
    for failure in facts.failed_imports:
        if failure.is_circular:
            advice = "move what both need into a module that imports neither"
            yield _flag(facts, failure, advice)


def _flag(facts: Facts, failure: FailedImport, advice: str) -> Flag:
    start, span = failure.start, failure.span
    by = f", which {start.at.file}:{start.at.line} starts," if start.at else ""
    file = facts.python.get(span.file)
    there = facts.python.get(start.path) if span == start.at else None
    lacking = there.imports_of(start.path.partition("/")[0]) if there else ()
    used = not failure.scope or (file and facts.local_code.is_used(file, failure.scope))
    return Flag(
        span,
        f"`{start.told}`{by} stops here with {failure.error}: {failure.message}; {advice}",
        severity=None if used and start.is_documented else Severity.MAJOR,
        places=again([*([start.at] if start.at else []), *failure.chain, *lacking]),
        names=(failure.error, failure.message),
    )


def _advice(failure: FailedImport) -> str:
    start = failure.start
    module = start.path.removesuffix(".py").replace("/", ".")
    if failure.span == start.at:
        there = f"{failure.found_as} is there" if failure.found_as else "no file is there"
        return f"it is looked for in {start.folder or 'the working directory'}, and {there}"
    if not start.is_module:
        folder = start.path.rpartition("/")[0] or "the working directory"
        return (
            f"a script finds what lies in its own folder, {folder}, and is in no package: start it"
            f" by `-m {module}` from the root"
        )
    if not failure.found_as:
        return "start it from the root, as a module of its package"
    name = failure.found_as.removesuffix("/__init__.py").removesuffix(".py").replace("/", ".")
    where = f"in {start.folder}" if start.folder else "in the root"
    return f"it is started {where}, from where that is `{name}`"
