"""Rules for criterion 5, the file structure and the packaging."""

import ast
import re
import sys
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.build_backend import build_problems
from reviewers.facts.distributions import distribution_of, needs
from reviewers.facts.unfinished import only_filler
from reviewers.records import Place, Severity, Span, counted
from reviewers.rubric.contract import pattern_of
from reviewers.rules.base import INSTALLATION, Flag, again, denies, rule, says, symptoms

# What a repository has beside its code; nobody would call it a violation of the structure.
_TOLERATED = frozenset({".gitignore", ".python-version", "LICENSE", "README.md", "uv.lock"})


@rule(
    id="FS01",
    category="file-structure",
    severity="blocker",
    stops="",
    summary="a documented file is missing",
    needs=("files.expected",),
    example="""
        - === src/preprocess.py (absent) # flag: FS01
        - === src/model.py
        - from src.train import fit
        + === src/preprocess.py
        + COLUMNS = ["text", "label"]
    """,
)
def required_file_missing(facts: Facts) -> Iterator[Flag]:
    """The commands start some of these files, and the generator is asked for all of them."""
    expected = facts.contract.files.expected
    exactly = "exactly " if facts.contract.files.only else ""
    for path in expected:
        pattern = pattern_of(path)
        there = filter(pattern.fullmatch, facts.submission.by_path) if pattern else ()
        if facts.text(path) is None and not any(there):
            yield Flag(
                Span(path),
                f"{path} is missing; the contract asks for"
                f" {exactly}{counted(len(expected), 'file')}, and this is one of them",
                says=denies("exists", file=path),
            )


@rule(
    id="FS02",
    category="file-structure",
    severity="blocker",
    summary="a documented file is empty or contains no code",
    needs=("files.expected",),
    example="""
          === src/model.py # flag: FS02
        - === src/evaluate.py
        - import json
        + WIDTH = 64
    """,
)
def required_file_empty(facts: Facts) -> Iterator[Flag]:
    """A file that contains only comments, a docstring or `pass` is present but does nothing: the
    generation was cut off.
    """
    for path, file in facts.submission.by_path.items():
        text = file.text
        if not facts.contract.files.expects(path):
            continue
        python = facts.python.get(path)
        said = any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines())
        filler = only_filler(python) if python is not None and said else None
        if not said or filler:
            what = "only comments" if text.strip() else "empty"
            if filler:
                what = f"a stub (only {' and '.join(filler)})"
            yield Flag(
                Span(path),
                f"{path} is {what} and implements nothing",
                says="" if filler else says("empty", file=path),
            )


@rule(
    id="FS03",
    category="file-structure",
    severity="major",
    summary="a file is outside the documented structure",
    example="""
        - === src/layers.py # flag: FS03
        - WIDTH = 64
        + === README.md
        + How to run it.
    """,
)
def extra_file(facts: Facts) -> Iterator[Flag]:
    """The pipeline copies only the documented files to the machine that runs them. A file that
    contains secrets is flagged in any repository.
    """
    runs = {run.file.path for run in facts.runs}
    files = facts.contract.files
    allowed = _TOLERATED | runs
    for file in facts.submission.files:
        if file.path.endswith("/.gitkeep"):
            continue  # holds a folder that git would leave out
        if files.only and file.path not in allowed and not files.expects(file.path):
            yield Flag(
                Span(file.path),
                f"{file.path} is not one of the {len(files.expected)} documented files; move"
                " its contents into one of them",
                names=(file.path,),
            )


@rule(
    id="FS04",
    category="packaging-invalid",
    severity="blocker",
    stops=INSTALLATION,
    summary="pyproject.toml is rejected by installers",
    example="""
          === pyproject.toml
          [project]
          name = "gated-mlp"
          version = "0.1.0"
        -
        - [project.dependencies]  # flag: FS04
        - torch = "^2.2"
        + dependencies = ["torch>=2.2", "datasets", "hydra-core", "optuna", "wandb", "scipy", "matplotlib"]
    """,  # noqa: E501
)
def pyproject_rejected(facts: Facts) -> Iterator[Flag]:
    """`uv run` reads pyproject.toml first, and so does pip when it installs the project; a
    violation of PEP 621 stops both.
    """
    for problem in facts.packaging.problems:
        severity = None if problem.stops_install else Severity.MINOR
        stop = f"{_stopped(facts)}: " if problem.stops_install else ""
        yield Flag(
            Span("pyproject.toml", problem.line),
            f"{stop}{problem.message}",
            problem.message,
            severity,
            names=(problem.key,),
        )


@rule(
    id="FS05",
    category="packaging-invalid",
    severity="blocker",
    stops="ModuleNotFoundError",
    summary="an imported distribution is not declared",
    example="""
          === pyproject.toml # flag: FS05
          [project]
          name = "gated-mlp"
          version = "0.1.0"
        - dependencies = ["torch>=2.2", "datasets", "hydra-core", "optuna", "wandb", "matplotlib"]
        + dependencies = ["torch>=2.2", "datasets", "hydra-core", "optuna", "wandb", "matplotlib", "scikit-learn"]
          === src/evaluate.py
          import wandb
          from scipy import stats
    """,  # noqa: E501
)
def undeclared_dependency(facts: Facts) -> Iterator[Flag]:
    """Only what is declared gets installed, so the import raises ModuleNotFoundError. Only modules
    of known distributions count, and what a declared distribution certainly installs counts as
    declared. `uv run` reads only pyproject.toml; if the contract has no such command, every list of
    the project counts, and only imports that run at once are flagged.
    """
    there = facts.dependencies
    code = facts.local_code
    seen: set[str] = set()
    for path, file in facts.python.items() if there.file else ():
        for item in file.imports:
            module = item.module.partition(".")[0]
            wanted = (
                None if item.level or module in sys.stdlib_module_names else distribution_of(module)
            )
            if wanted is None or wanted in there.installed or wanted in seen or item.guarded:
                continue
            if not there.counts(path, item.scope):
                continue
            seen.add(wanted)
            certain = there.only_unasked and code.is_used(file, item.scope)
            yield Flag(
                Span(there.file),
                f"`import {module}` in {path} raises ModuleNotFoundError: {wanted} is not"
                f" declared, nor is a package that depends on it; add {wanted} to the dependencies",
                f"{path}:{item.line} imports {module}; {wanted} is not among the declared"
                " dependencies",
                None if certain else Severity.MAJOR,
                (*to_add(facts), *symptoms([Span(path, item.line)])),
                denies("declares", package=wanted),
                names=(module, wanted),
            )


@rule(
    id="FS07",
    category="packaging-invalid",
    severity="blocker",
    stops="",
    summary="a call needs a distribution that nothing declares or imports",
    example="""
        - === pyproject.toml # flag: FS07
        - [project]
        - name = "gated-mlp"
        - version = "0.1.0"
        - dependencies = ["torch>=2.2", "datasets", "hydra-core", "optuna", "wandb", "matplotlib", "scipy", "transformers"]
          === src/model.py
          from transformers import AutoModelForCausalLM

          def build_model(cfg):
        -     return AutoModelForCausalLM.from_pretrained(cfg.model.name, cache_dir=".cache/", device_map="auto")
        +     return AutoModelForCausalLM.from_pretrained(cfg.model.name, cache_dir=".cache/")
    """,  # noqa: E501
)
def silent_dependency(facts: Facts) -> Iterator[Flag]:
    """Some libraries need another one only when they are called, and fail then, after minutes of
    work. A call under a condition is only major, since the runs may never reach it.
    """
    there = facts.dependencies
    imported = set(map(distribution_of, facts.packages))
    code = facts.local_code
    seen: set[str] = set()
    passed = facts.hydra.passed if there.file else {}
    for path, file in facts.python.items() if there.file else ():
        for need in needs(file, passed):
            if need.distribution in there.installed | imported | seen:
                continue
            if not there.counts(path, need.call.scope if there.only_unasked else ""):
                continue
            seen.add(need.distribution)
            conditional = not need.is_met and any(
                isinstance(around, ast.If | ast.IfExp | ast.Try)
                for around in (
                    *file.ancestors(need.call.node),
                    *(word.value for word in need.call.node.keywords),
                )
            )
            used = there.only_unasked and code.is_used(file, need.call.scope)
            certain = used and not conditional
            yield Flag(
                Span(there.file),
                f"`{need.shown}` in {path} fails because {need.distribution} is not"
                " declared, nor is a package that depends on it;"
                f" add {need.distribution} to the dependencies",
                f"{path}:{need.call.line} calls {need.shown}; {need.distribution} is not among the"
                " declared dependencies",
                None if certain else Severity.MAJOR,
                (*to_add(facts, need.call.name or ""), *symptoms([Span(path, need.line)])),
                names=(need.shown,),
                says=denies("declares", package=need.distribution),
            )


def to_add(facts: Facts, called: str = "") -> tuple[Place, ...]:
    """Where in the list of dependencies another one belongs: beside the library that is called."""
    file = facts.dependencies.file
    line = facts.packaging.line_to_add(distribution_of(called.partition(".")[0]) or "")
    return again([Span(file, line)]) if line and file == "pyproject.toml" else ()


@rule(
    id="FS08",
    category="packaging-invalid",
    severity="blocker",
    stops=INSTALLATION,
    summary="the build backend finds nothing to build",
    example="""
          === pyproject.toml
          [build-system]  # flag: FS08
          requires = ["hatchling"]
          build-backend = "hatchling.build"

          [project]
          name = "gated-mlp"
          version = "0.1.0"
          dependencies = ["torch>=2.2"]
        +
        + [tool.hatch.build.targets.wheel]
        + packages = ["src"]
    """,
)
def unbuildable_project(facts: Facts) -> Iterator[Flag]:
    """With a [build-system], `uv run` builds the project first, and a backend that finds no package
    of its name stops it.
    """
    for problem in build_problems(facts.packaging, facts.submission.by_path.keys()):
        message = f"{_stopped(facts)}: {problem.message}"
        yield Flag(
            Span("pyproject.toml", problem.line), message, problem.message, names=(problem.key,)
        )


@rule(
    id="FS06",
    category="packaging-invalid",
    severity="blocker",
    stops="ModuleNotFoundError",
    summary="pyproject.toml declares no dependency that uv would install",
    example="""
          === pyproject.toml # flag: FS06
        - [build-system]
        - requires = ["hatchling"]
        - build-backend = "hatchling.build"
        + [project]
        + name = "gated-mlp"
        + version = "0.1.0"
        + dynamic = ["dependencies"]
    """,
)
def nothing_installed(facts: Facts) -> Iterator[Flag]:
    """`uv run` installs what `[project]` or a dependency group lists and ignores the tables of
    other tools.
    """
    data = facts.packaging.data
    if not facts.installs_with_uv or not data:
        return
    if any(problem.stops_install for problem in facts.packaging.problems):
        return
    project = facts.packaging.table("project")
    dynamic = project.get("dynamic")
    listed = (
        project.get("dependencies")
        or (isinstance(dynamic, list) and "dependencies" in dynamic)
        or data.get("dependency-groups")
    )
    imports = (
        (Span(path, item.line), name)
        for path, file in facts.python.items()
        for item in file.imports
        if not item.level and (name := distribution_of(item.module.partition(".")[0]))
    )
    first: dict[str, tuple[Span, str]] = {}
    for where, name in imports:
        first.setdefault(where.file, (where, name))
    if not listed and first:
        # What a command starts comes first, in the contract's order: its import is the one met.
        started = [command.file for command in facts.contract.commands.values()]
        rank = {path: at for at, path in enumerate(dict.fromkeys([*started, *first]))}
        where, wanted = min(first.values(), key=lambda one: rank[one[0].file])
        by_poetry = bool(facts.packaging.table("tool", "poetry"))
        other = " (uv does not read [tool.poetry])" if by_poetry else ""
        declared = "tool.poetry.dependencies" if by_poetry else "project"
        yield Flag(
            Span("pyproject.toml", facts.packaging.line_of(declared)),
            f"no dependency is declared under [project]{other}, so `uv run` installs nothing and"
            f" the first import of {wanted} fails ({where}); list the dependencies as an array"
            " under [project]",
            f"pyproject.toml has no `dependencies` under [project], while {where} imports {wanted}",
            places=symptoms([where]),
            says=denies("has_key", where="pyproject.toml", key="project.dependencies"),
        )


@rule(
    id="FS19",
    category="packaging-invalid",
    severity="minor",
    summary="the submission's areachair.toml is invalid",
    example="""
          === areachair.toml # flag: FS19
          extends = "plain"
        - commnads = 3
    """,
)
def contract_refused(facts: Facts) -> Iterator[Flag]:
    """Its requirements are then unknown, and the submission is judged by the contract that its
    files resemble.
    """
    if problem := facts.chosen.problem:
        line = re.search(r"on line (\d+)$", problem)
        yield Flag(
            Span("areachair.toml", int(line[1]) if line else None),
            f"areachair.toml is ignored: {problem}; the submission is judged as"
            f" {facts.contract.name}, a guess",
        )


def _stopped(facts: Facts) -> str:
    if facts.installs_with_uv:
        return "`uv run` stops before the first line of code"
    return "the project cannot be installed"
