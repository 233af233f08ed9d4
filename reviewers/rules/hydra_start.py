"""Rules for criterion 2, Hydra integration: whether the documented commands get as far as the code."""

import ast
import re
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.composition import CompositionProblem
from reviewers.facts.hydra_config import Start
from reviewers.records import Span
from reviewers.rules.base import Flag, rule

_CONFIG = "config/config.yaml"


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
        what = problem.message.replace(start.run_id, "…") if start.run_id else problem.message
        span = _composition_span(facts, start, problem)
        if (problem.error, what, span) in seen or not facts.text(_CONFIG):
            continue
        seen.add((problem.error, what, span))
        yield Flag(
            span,
            f"`{start.short_command}` stops before its first line: {problem.error}: {problem.message}",
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
    """Without config_name Hydra starts from an empty configuration, and refuses every key on the command line."""
    for path, entry in facts.hydra.entry_points.items():
        decorator = facts.code(entry.span)
        if entry.config_name is None and "config_name" not in decorator and entry.config_path is not None:
            yield Flag(
                entry.span,
                f"@hydra.main in {path} has no config_name: every command stops with ConfigCompositionException: Could not"
                " override 'run'; add config_name=\"config\"",
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
    """,
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
    """,
)
def child_after_directory_change(facts: Facts) -> Iterator[Flag]:
    """Without version_base Hydra keeps to its 1.1 behaviour and changes into a fresh folder, where there is no `src`."""
    for path, entry in facts.hydra.entry_points.items():
        file = facts.python[path]
        stays = "chdir" in file.text or "PYTHONPATH" in file.text or re.search(r"chdir\s*:", facts.text(_CONFIG) or "")
        if not entry.changes_directory or stays:
            continue
        for call in file.calls_of("subprocess.run", "subprocess.Popen", "subprocess.check_call", "subprocess.call", "os.system"):
            started = facts.code(Span(path, call.line, call.node.end_lineno)) + _argument_text(facts, path, call.node)
            if "src.train" in started and call.keyword("cwd") is None and call.keyword("env") is None:
                yield Flag(
                    Span(path, call.line, call.node.end_lineno),
                    "without version_base Hydra changes into outputs/… first, so the started process stops with"
                    " ModuleNotFoundError: No module named 'src'; pass cwd=hydra.utils.get_original_cwd(), or version_base=None"
                    " to @hydra.main",
                    f"@hydra.main at {entry.span} has no version_base, and this call passes no cwd",
                )


def _argument_text(facts: Facts, path: str, call: ast.Call) -> str:
    """The text of a list that is built before the call, where the argument is a name."""
    file = facts.python[path]
    name = call.args[0].id if call.args and isinstance(call.args[0], ast.Name) else None
    texts = [
        ast.unparse(node.value)
        for node in file.nodes
        if isinstance(node, ast.Assign) and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
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
