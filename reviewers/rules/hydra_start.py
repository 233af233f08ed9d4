"""Rules for criterion 2, Hydra integration: whether the documented commands reach the code."""

import ast
import re
from collections.abc import Iterator
from itertools import islice

from reviewers.facts import Facts, yaml_config
from reviewers.facts.composition import UNREAD_WORD, CompositionProblem
from reviewers.facts.config_flow.files import OUTPUTS
from reviewers.facts.python_file import PythonFile, template
from reviewers.facts.start import Start
from reviewers.records import Place, Severity, Span
from reviewers.rules.base import UNREAD, Flag, again, denies, name_of, rule, symptoms
from reviewers.rules.hydra_problems import word_passed

_STARTING = (
    "subprocess.run",
    "subprocess.Popen",
    "subprocess.check_call",
    "subprocess.check_output",
    "subprocess.call",
    "os.system",
)


@rule(
    id="HY03",
    category="hydra-composition",
    severity="blocker",
    stops=UNREAD,
    summary="Hydra cannot compose the configuration for the documented command",
    example="""
          === config/config.yaml
          defaults:  # flag: HY03
            - _self_
        -   - runs: ${run}
          run: ???
          results_dir: ???
          mode: full
    """,
)
def composition_fails(facts: Facts) -> Iterator[Flag]:
    """Hydra stops before the first line of the entry function, so nothing is trained."""
    expected = facts.contract.files.config
    if expected and not facts.text(expected):
        return  # FS01 and FS02 tell of a configuration that is missing or empty
    met: dict[object, list[tuple[Start, CompositionProblem, Span]]] = {}
    starts = (*facts.hydra.starts, *([facts.hydra.evaluation] if facts.hydra.evaluation else []))
    run_ids = sorted((run.run_id for run in facts.runs if run.run_id), key=len, reverse=True)
    for start in starts:
        for problem in start.refused:
            said = problem.message
            for run_id in run_ids:
                said = said.replace(run_id, "…")
            passed = word_passed(facts, start, problem.word) if problem.word else None
            named = passed or _own_name(facts, start, problem)
            span = named or _composition_span(facts, start, problem)
            entry = span if span == start.entry.span else None
            met.setdefault((problem.error, said, entry), []).append((start, problem, span))
    by_script: dict[object, list[tuple[Start, CompositionProblem, Span]]] = {}
    for told, found in met.items():
        # Words that a script passes on are one mistake of that script's.
        start, _, span = found[0]
        by_script.setdefault(start.by if span.file == start.by else told, []).extend(found)
    for (start, problem, span), *others in by_script.values():
        places = again(where for _, _, where in others)
        yield from _refusal(facts, start, problem, span, places)


def _own_name(facts: Facts, start: Start, problem: CompositionProblem) -> Span | None:
    """The line that names a run by what Hydra's grammar does not read as one value."""
    run = next((one for one in facts.runs if one.run_id == start.run_id), None)
    if run is None or problem.error != UNREAD_WORD or run.run_id not in (problem.word or ""):
        return None
    return Span(run.file.path, yaml_config.key_lines(run.file.text).get("run_id", (1,))[0])


def _command(facts: Facts, start: Start) -> str:
    """The contract's name for what starts a script."""
    named = (
        name for name, each in facts.contract.commands.items() if each.file == start.entry.path
    )
    return next(named, "train")


def _refusal(
    facts: Facts,
    start: Start,
    problem: CompositionProblem,
    span: Span,
    others: tuple[Place, ...],
) -> Iterator[Flag]:
    """What Hydra refuses, first of all or once what it refuses before is repaired."""
    is_first = problem == start.refused[0]
    is_nameless = start.entry.config_name is None and start.entry.config_path is not None
    if problem.is_unreadable or (is_first and is_nameless):
        return  # RC01 says why, and where; HY07 that no configuration is named
    severity = None
    if not is_first:
        if not problem.word or start.repaired is None:
            return
        severity = Severity.MAJOR if start.repaired.places_run_file else None
    once = "" if is_first else "once what stops it before is mended, "
    remedy = "; name the run without such signs, or put the name in quotes of Hydra's own"
    yield Flag(
        span,
        f"{once}`{start.short_command}` stops before its first line: {problem.error}:"
        f" {problem.message}{remedy if problem.error == UNREAD_WORD else ''}",
        f"composing the configuration with Hydra gives {problem.error}: {problem.message}",
        severity,
        others,
        denies("composes", command=_command(facts, start), run=start.run_id) if is_first else "",
        names=(problem.key, problem.word, problem.error, problem.message),
    )


@rule(
    id="HY07",
    category="hydra-composition",
    severity="blocker",
    stops=UNREAD,
    summary="@hydra.main does not name the configuration",
    needs=("commands.*",),
    example="""
          import hydra

        - @hydra.main(version_base="1.3", config_path="../config")  # flag: HY07
        + @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              print(cfg.mode)
    """,
)
def config_name_absent(facts: Facts) -> Iterator[Flag]:
    """Without config_name Hydra starts from an empty configuration and rejects every key on the
    command line.
    """
    for path, entry in facts.hydra.entry_points.items():
        decorator = facts.code(entry.span)
        keys = _overridden(facts, path)
        if (
            keys
            and entry.config_name is None
            and "config_name" not in decorator
            and entry.config_path is not None
        ):
            name = name_of(facts.contract.files.config or "config").removesuffix(".yaml")
            yield Flag(
                entry.span,
                f"@hydra.main in {path} has no config_name: every command stops with"
                f" ConfigCompositionException: Could not override '{keys[0]}'; add"
                f' config_name="{name}"',
                names=("config_name",),
            )


def _overridden(facts: Facts, path: str) -> tuple[str, ...]:
    """The keys of the configuration that the commands give a script."""
    for command in facts.contract.commands.values():
        started = (facts.contract.commands[name].file for name in command.starts)
        if path in (command.file, *started) and command.keys:
            return command.keys
    return ()


@rule(
    id="HY08",
    category="hydra-composition",
    severity="blocker",
    stops="",
    summary="the training process is started after Hydra changed the directory",
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
        + from hydra.utils import get_original_cwd

          @hydra.main(config_path="../config", config_name="config")
          def main(cfg):
        -     subprocess.run([sys.executable, "-m", "src.train", f"run={cfg.run}"], check=True)  # flag: HY08
        +     words = [f"run={cfg.run}", f"results_dir={cfg.results_dir}", f"mode={cfg.mode}"]
        +     subprocess.run([sys.executable, "-m", "src.train", *words], check=True, cwd=get_original_cwd())

          if __name__ == "__main__":
              main()
    """,  # noqa: E501
)
def child_after_directory_change(facts: Facts) -> Iterator[Flag]:
    """Without version_base Hydra keeps its 1.1 behaviour and changes into a new folder, where there
    is no `src`; with `hydra.job.chdir: true` so does any version.
    """
    for path, entry in facts.hydra.entry_points.items():
        if "PYTHONPATH" in facts.python[path].text:
            continue
        why = "version_base is not given" if entry.changes_directory else "hydra.job.chdir is true"
        followed = dict(_followed(facts, path))
        named = {} if _stays(facts, path) else dict(_named(facts, path))
        for call, started in {**followed, **named}.items():
            if started in facts.python:
                package = started.removesuffix(".py").partition("/")[0]
                stops = f"ModuleNotFoundError: No module named '{package}'"
                if call not in followed and _module_of(started) not in _text(facts, path, call):
                    stops = f"FileNotFoundError: can't open file '{started}'"
                yield Flag(
                    Span(path, call.lineno, call.end_lineno),
                    f"Hydra changes into outputs/… first, for {why}, so the started process stops"
                    f" with {stops}; pass"
                    " cwd=hydra.utils.get_original_cwd(), or keep Hydra where it is",
                    f"{why} for @hydra.main at {entry.span}, and this call passes no cwd",
                    places=symptoms(islice(facts.python[started].imports_of(package), 1)),
                    names=("version_base", "chdir", package),
                )


@rule(
    id="HY12",
    category="hydra-composition",
    severity="blocker",
    stops="FileNotFoundError",
    summary="the started training process looks for the configuration in Hydra's output folder",
    needs=("commands.*",),
    example="""
          === src/main.py
          import os
          import subprocess
          import sys

          import hydra
          from hydra.utils import get_original_cwd

          @hydra.main(config_path="../config", config_name="config")
          def main(cfg):
        -     env = {**os.environ, "PYTHONPATH": get_original_cwd()}
        -     subprocess.run([sys.executable, "-m", "src.train", f"run={cfg.run}"], check=True, env=env)
        +     subprocess.run([sys.executable, "-m", "src.train", f"run={cfg.run}"], check=True, cwd=get_original_cwd())
          === src/train.py
          from pathlib import Path

          import hydra
          from hydra.utils import get_original_cwd
          from omegaconf import OmegaConf

          @hydra.main(config_path="../config", config_name="config")
          def main(cfg):
              print(OmegaConf.load(Path(get_original_cwd()) / "config" / "runs" / f"{cfg.run}.yaml"))  # flag: HY12
    """,  # noqa: E501
)
def child_in_output_folder(facts: Facts) -> Iterator[Flag]:
    """For the started process, the original directory is the one that the first process changed
    into.
    """
    for path, (process, problem) in facts.hydra.lost.items():
        by = next((name for name, one in facts.python.items() if process.node in one.parents), "")
        if process.node is not None and path == facts.trainer:
            at = Span(by, process.node.lineno, process.node.end_lineno)
            folder = facts.hydra.entry_points[path].folder
            yield Flag(
                problem.span,
                f"the process that {name_of(by)} starts ({by}:{at.line}) is in Hydra's {OUTPUTS}"
                f" folder, without any {folder}/, and stops here with {problem.error}:"
                f" {problem.message}; pass cwd=hydra.utils.get_original_cwd() there, or"
                " keep Hydra where it is",
                places=symptoms([at]),
                names=(problem.error, problem.message),
            )


@rule(
    id="HY13",
    category="hydra-composition",
    severity="blocker",
    summary="the started training process is not told which run to train",
    needs=("commands.*",),
    example="""
          === config/config.yaml
          defaults:
            - _self_
            - run: proposed
          results_dir: ???
          mode: full
          === config/run/proposed.yaml
          run_id: proposed
          === config/run/comparative.yaml
          run_id: comparative
          === src/main.py
          import subprocess
          import sys

          import hydra

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
        -     words = [f"results_dir={cfg.results_dir}", f"mode={cfg.mode}"]  # flag: HY13
        +     words = [f"run={cfg.run.run_id}", f"results_dir={cfg.results_dir}", f"mode={cfg.mode}"]
              subprocess.run([sys.executable, "-m", "src.train", *words], check=True)
    """,  # noqa: E501
)
def run_not_passed_on(facts: Facts) -> Iterator[Flag]:
    """The training process then composes the run that config.yaml names, whichever run was
    requested.
    """
    for command in facts.contract.commands.values():
        passed_on = facts.trainer in (facts.contract.commands[name].file for name in command.starts)
        if passed_on and (file := facts.python.get(command.file)) is not None:
            yield from _left_out(facts, file)


def _left_out(facts: Facts, file: PythonFile) -> Iterator[Flag]:
    for start in facts.hydra.starts:
        words = [word.lstrip("+") for word in start.words]
        keys = {word.partition("=")[0].partition("@")[0] for word in words}
        placed = start.repaired is not None and start.repaired.places_run_file
        if start.entry.path != facts.trainer or keys & {*facts.hydra.groups} or placed:
            continue
        main = start.entry.config_file
        groups = facts.hydra.groups
        chosen = next((found for one in groups if (found := _default(facts, main, one))), None)
        if (
            chosen is None
            or chosen == start.run_id
            or chosen not in {run.run_id for run in facts.runs}
        ):
            continue
        place = next(
            (node for node in file.of(ast.List) if _passes(node, words)),
            None,
        )
        if place is not None:
            module = facts.trainer.removesuffix(".py").replace("/", ".")
            yield Flag(
                Span(file.path, place.lineno, place.end_lineno),
                f"{groups[0]}=… is not among the words for {module}, so for {start.run_id} it"
                f" trains {chosen}, {name_of(main)}'s default",
                f"{name_of(file.path)} passes {' '.join(word.partition('=')[0] for word in words)}",
                names=(module, start.run_id),
            )
            return


def _passes(node: ast.List, words: list[str]) -> bool:
    keys = {word.partition("=")[0] for word in words}
    given = {template(item).partition("=")[0] for item in node.elts if "=" in template(item)}
    return bool(given) and given <= keys


def _default(facts: Facts, configuration: str, group: str) -> str | None:
    """The run that the defaults list of a configuration names."""
    values = yaml_config.values(facts.text(configuration) or "")
    listed = values.get("defaults") if isinstance(values, dict) else None
    for item in listed if isinstance(listed, list) else ():
        if isinstance(item, dict) and isinstance(item.get(group), str):
            return str(item[group])
    return None


def _stays(facts: Facts, path: str) -> bool:
    """Whether something keeps Hydra, or the code, in the directory of the start."""
    return "chdir" in facts.python[path].text or not facts.hydra.moves(
        facts.hydra.entry_points[path]
    )


def _followed(facts: Facts, path: str) -> Iterator[tuple[ast.Call, str]]:
    """The calls that are known to start a module in Hydra's folder, and its file."""
    for start in facts.hydra.starts:
        for process in start.trace.processes if start.trace and start.entry.path == path else ():
            is_moved = process.folder == OUTPUTS and process.is_module
            if is_moved and isinstance(process.node, ast.Call):
                yield process.node, process.path


def _named(facts: Facts, path: str) -> Iterator[tuple[ast.Call, str]]:
    """The calls in which another of the contract's scripts is named, and no folder to start in."""
    others = [other for other in facts.contract.scripts() if other != path]
    for call in facts.python[path].calls_of(*_STARTING):
        text = _text(facts, path, call.node)
        for other in others if call.keyword("cwd") is None else ():
            if _module_of(other) in text or re.search(rf"""["' ]{re.escape(other)}\b""", text):
                yield call.node, other
                break


def _module_of(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def _text(facts: Facts, path: str, call: ast.Call) -> str:
    """The text of a call that starts a process, with that of what it is given."""
    span = Span(path, call.lineno, call.end_lineno)
    return facts.code(span) + _argument_text(facts, path, call)


def _argument_text(facts: Facts, path: str, call: ast.Call) -> str:
    """The text of a list that is built before the call, where the argument is a name."""
    file = facts.python[path]
    name = call.args[0].id if call.args and isinstance(call.args[0], ast.Name) else None
    texts = [
        ast.unparse(node.value)
        for node in file.of(ast.Assign)
        if any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
    ]
    return " ".join(texts) if name else ""


def _composition_span(facts: Facts, start: Start, problem: CompositionProblem) -> Span:
    if "rimary config" in problem.message or start.entry.config_path is None:
        return start.entry.span
    main = start.entry.config_file
    if facts.text(main) is None:
        main = facts.contract.files.config or main
    file = f"{start.entry.folder}/{problem.file}" if problem.file else main
    lines = facts.lines(file)
    if problem.file and (found := re.search(r"line (\d+)", problem.message)):
        return Span(file, min(int(found[1]), len(lines) or 1))
    if problem.key and (number := yaml_config.line_of(facts.text(file) or "", problem.key)):
        return Span(file, number)
    wanted = re.search(r"'(?:\w+/)?(\$\{\w+\})'", problem.message)
    for number, line in enumerate(lines, 1):
        if (wanted and "defaults:" in line) or (not wanted and line.startswith("defaults:")):
            return Span(file, number)
    return Span(file)
