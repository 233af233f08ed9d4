"""Rules for criterion 2, Hydra integration: whether the documented commands get as far as the
code.
"""

import ast
import re
from collections.abc import Iterator

from reviewers.facts import Facts, yaml_config
from reviewers.facts.composition import CompositionProblem
from reviewers.facts.hydra_config import GROUPS, Start
from reviewers.facts.python_file import Call, template
from reviewers.records import Span
from reviewers.rules.base import Flag, rule

_CONFIG = "config/config.yaml"
_MAIN = "src/main.py"
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
    criterion=2,
    category="hydra-composition",
    severity="blocker",
    summary="Hydra cannot compose the configuration for the documented command",
    decides="hydra-composition",
    bad="""
        === config/config.yaml
        defaults:  # flag: HY03
          - _self_
          - runs: ${run}
        run: ???
        results_dir: ???
        mode: full
    """,
    good="""
        === config/config.yaml
        defaults:
          - _self_
        run: ???
        results_dir: ???
        mode: full
    """,
)
def composition_fails(facts: Facts) -> Iterator[Flag]:
    """Hydra stops before the first line of the entry function; nothing is trained."""
    seen: set[tuple[str, str, Span]] = set()
    starts = (*facts.hydra.starts, *([facts.hydra.evaluation] if facts.hydra.evaluation else []))
    for start in starts:
        problem = start.composed
        if not isinstance(problem, CompositionProblem) or start.entry.config_name is None:
            continue
        if problem.error == "ConfigLoadError":
            continue  # RC01 says why, and where
        what = problem.message.replace(start.run_id, "…") if start.run_id else problem.message
        span = _composition_span(facts, start, problem)
        if (problem.error, what, span) in seen or not facts.text(_CONFIG):
            continue
        seen.add((problem.error, what, span))
        yield Flag(
            span,
            f"`{start.short_command}` stops before its first line: {problem.error}:"
            f" {problem.message}",
            f"composing the configuration with Hydra gives {problem.error}: {problem.message}",
        )


@rule(
    id="HY07",
    criterion=2,
    category="hydra-composition",
    severity="blocker",
    summary="@hydra.main does not name the configuration",
    bad="""
        import hydra

        @hydra.main(version_base="1.3", config_path="../config")  # flag: HY07
        def main(cfg):
            print(cfg.mode)
    """,
    good="""
        import hydra

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            print(cfg.mode)
    """,
)
def config_name_absent(facts: Facts) -> Iterator[Flag]:
    """Without config_name Hydra starts from an empty configuration, and refuses every key on the
    command line.
    """
    for path, entry in facts.hydra.entry_points.items():
        decorator = facts.code(entry.span)
        if (
            entry.config_name is None
            and "config_name" not in decorator
            and entry.config_path is not None
        ):
            yield Flag(
                entry.span,
                f"@hydra.main in {path} has no config_name: every command stops with"
                " ConfigCompositionException: Could not override 'run'; add"
                ' config_name="config"',
            )


@rule(
    id="HY08",
    criterion=2,
    category="hydra-composition",
    severity="blocker",
    summary="the training process is started after Hydra changed the directory",
    bad="""
        === src/main.py
        import subprocess
        import sys

        import hydra

        @hydra.main(config_path="../config", config_name="config")
        def main(cfg):
            subprocess.run([sys.executable, "-m", "src.train", f"run={cfg.run}"], check=True)  # flag: HY08

        if __name__ == "__main__":
            main()
    """,  # noqa: E501
    good="""
        === src/main.py
        import subprocess
        import sys

        import hydra
        from hydra.utils import get_original_cwd

        @hydra.main(config_path="../config", config_name="config")
        def main(cfg):
            words = [f"run={cfg.run}", f"results_dir={cfg.results_dir}", f"mode={cfg.mode}"]
            subprocess.run([sys.executable, "-m", "src.train", *words], check=True, cwd=get_original_cwd())

        if __name__ == "__main__":
            main()
    """,  # noqa: E501
)
def child_after_directory_change(facts: Facts) -> Iterator[Flag]:
    """Without version_base Hydra keeps to its 1.1 behaviour and changes into a fresh folder, where
    there is no `src`.
    """
    for path, entry in facts.hydra.entry_points.items():
        if (
            not entry.changes_directory
            or _stays(facts, path)
            or "PYTHONPATH" in facts.python[path].text
        ):
            continue
        for call in _started(facts, path):
            if call.keyword("cwd") is None:
                yield Flag(
                    Span(path, call.line, call.node.end_lineno),
                    "without version_base Hydra changes into outputs/… first, so the started"
                    " process stops with ModuleNotFoundError: No module named 'src'; pass"
                    " cwd=hydra.utils.get_original_cwd(), or version_base=None to @hydra.main",
                    f"@hydra.main at {entry.span} has no version_base, and this call passes no cwd",
                )


@rule(
    id="HY12",
    criterion=2,
    category="hydra-composition",
    severity="blocker",
    summary="the started training process looks for the configuration in Hydra's output folder",
    bad="""
        === src/main.py
        import os
        import subprocess
        import sys

        import hydra
        from hydra.utils import get_original_cwd

        @hydra.main(config_path="../config", config_name="config")
        def main(cfg):
            env = {**os.environ, "PYTHONPATH": get_original_cwd()}
            subprocess.run([sys.executable, "-m", "src.train", f"run={cfg.run}"], check=True, env=env)
        === src/train.py
        from pathlib import Path

        import hydra
        from hydra.utils import get_original_cwd
        from omegaconf import OmegaConf

        @hydra.main(config_path="../config", config_name="config")
        def main(cfg):
            print(OmegaConf.load(Path(get_original_cwd()) / "config" / "runs" / f"{cfg.run}.yaml"))  # flag: HY12
    """,  # noqa: E501
    good="""
        === src/main.py
        import os
        import subprocess
        import sys

        import hydra
        from hydra.utils import get_original_cwd

        @hydra.main(config_path="../config", config_name="config")
        def main(cfg):
            subprocess.run([sys.executable, "-m", "src.train", f"run={cfg.run}"], check=True, cwd=get_original_cwd())
        === src/train.py
        from pathlib import Path

        import hydra
        from hydra.utils import get_original_cwd
        from omegaconf import OmegaConf

        @hydra.main(config_path="../config", config_name="config")
        def main(cfg):
            print(OmegaConf.load(Path(get_original_cwd()) / "config" / "runs" / f"{cfg.run}.yaml"))
    """,  # noqa: E501
)
def child_in_output_folder(facts: Facts) -> Iterator[Flag]:
    """For the started process the original directory is the one that the first process had changed
    into.
    """
    entry, train = facts.hydra.entry_points.get(_MAIN), facts.python.get("src/train.py")
    if entry is None or train is None or not entry.changes_directory or _stays(facts, _MAIN):
        return
    started = list(_started(facts, _MAIN))
    if not started or any(call.keyword("cwd") is not None for call in started):
        return
    for call in train.calls_of(
        "hydra.utils.get_original_cwd",
        "hydra.utils.to_absolute_path",
        "os.getcwd",
        "pathlib.Path.cwd",
    ):
        scope = next((found for found in train.definitions if found.name == call.scope), None)
        texts = [
            text.value
            for text in train.strings
            if scope and scope.line <= text.line <= scope.end_line
        ]
        if any(re.search(r"(^|/)config(/|$)|\bruns?/|\.yaml$", text) for text in texts):
            yield Flag(
                Span(train.path, call.line, call.node.end_lineno),
                f"in the process that main.py starts ({_MAIN}:{started[0].line}) this is Hydra's"
                " outputs/… folder, without any config/: FileNotFoundError; pass"
                " cwd=hydra.utils.get_original_cwd() there, or version_base=None to @hydra.main",
                f"@hydra.main at {entry.span} has no version_base, and {_MAIN}:{started[0].line}"
                " passes no cwd",
            )
            return


@rule(
    id="HY13",
    criterion=2,
    category="hydra-composition",
    severity="blocker",
    summary="main.py does not tell the training process which run to train",
    decides="run-passed-on",
    bad="""
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
            words = [f"results_dir={cfg.results_dir}", f"mode={cfg.mode}"]  # flag: HY13
            subprocess.run([sys.executable, "-m", "src.train", *words], check=True)
    """,
    good="""
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
            words = [f"run={cfg.run.run_id}", f"results_dir={cfg.results_dir}", f"mode={cfg.mode}"]
            subprocess.run([sys.executable, "-m", "src.train", *words], check=True)
    """,
)
def run_not_passed_on(facts: Facts) -> Iterator[Flag]:
    """The training process then composes the run that config.yaml names, whichever run was asked
    for.
    """
    file = facts.python.get(_MAIN)
    for start in facts.hydra.starts if file else ():
        words = [word.lstrip("+") for word in start.words]
        if (
            start.entry.path != "src/train.py"
            or any(re.match(r"runs?(@\w*)?=", word) for word in words)
            or start.mended
        ):
            continue
        chosen = next((found for group in GROUPS if (found := _default_choice(facts, group))), None)
        if (
            chosen is None
            or chosen == start.run_id
            or chosen not in {run.run_id for run in facts.submission.runs}
        ):
            continue
        place = (
            next(
                (
                    node
                    for node in file.nodes
                    if isinstance(node, ast.List) and _passes(node, words)
                ),
                None,
            )
            if file
            else None
        )
        if place is not None:
            yield Flag(
                Span(_MAIN, place.lineno, place.end_lineno),
                f"run=… is not among the words for src.train, so for {start.run_id} it trains"
                f" {chosen}, config.yaml's default",
                f"main.py passes {' '.join(word.partition('=')[0] for word in words)}",
            )
            return


def _passes(node: ast.List, words: list[str]) -> bool:
    keys = {word.partition("=")[0] for word in words}
    given = {template(item).partition("=")[0] for item in node.elts if "=" in template(item)}
    return bool(given) and given <= keys


def _default_choice(facts: Facts, group: str) -> str | None:
    """The run that the defaults list of config.yaml names."""
    values = yaml_config.values(facts.text(_CONFIG) or "")
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


def _started(facts: Facts, path: str) -> Iterator[Call]:
    """The calls that start src.train in a process of its own."""
    for call in facts.python[path].calls_of(*_STARTING):
        text = facts.code(Span(path, call.line, call.node.end_lineno)) + _argument_text(
            facts, path, call.node
        )
        if "src.train" in text or re.search(r"""["' ]src/train\.py\b""", text):
            yield call


def _argument_text(facts: Facts, path: str, call: ast.Call) -> str:
    """The text of a list that is built before the call, where the argument is a name."""
    file = facts.python[path]
    name = call.args[0].id if call.args and isinstance(call.args[0], ast.Name) else None
    texts = [
        ast.unparse(node.value)
        for node in file.nodes
        if isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
    ]
    return " ".join(texts) if name else ""


def _composition_span(facts: Facts, start: Start, problem: CompositionProblem) -> Span:
    if "rimary config" in problem.message:
        return start.entry.span
    file = f"config/{problem.file}" if problem.file else _CONFIG
    lines = facts.lines(file)
    if problem.file and (found := re.search(r"line (\d+)", problem.message)):
        return Span(file, min(int(found[1]), len(lines) or 1))
    wanted = re.search(r"'(?:\w+/)?(\$\{\w+\})'", problem.message)
    for number, line in enumerate(lines, 1):
        if (wanted and "defaults:" in line) or (not wanted and line.startswith("defaults:")):
            return Span(file, number)
    return Span(file)
