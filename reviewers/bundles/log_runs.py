"""The runs of a log: `- Run ID:` blocks with their YAML, and the paths of such files."""

import re
from collections.abc import Iterable
from textwrap import dedent

from reviewers.bundles.json_text import file_bytes, readable
from reviewers.bundles.limits import MAX_RUNS, safe_path
from reviewers.bundles.yaml_text import load_yaml, yaml_problem
from reviewers.errors import BundleError
from reviewers.records import RunConfig, SourceFile

_RUN = re.compile(r"^- Run ID:[ \t]*(.*)$", re.MULTILINE)
_STATED = re.compile(r"^[ \t]*(Method|Model|Dataset):(.*)$", re.MULTILINE)
# Possessive repeats (`*+`), here and elsewhere, keep long rows of blanks from costing quadratic
# time.
_FENCE = re.compile(r"^[ \t]*+```[ \t]*+(?:ya?ml[ \t]*+)?\n", re.MULTILINE)
# Only a fence after which a run or nothing comes ends the YAML, which may hold such a line in a
# text of its own.
_FENCE_END = re.compile(r"\n[ \t]*+```[ \t]*+(?=\s*+(?:^- Run ID:|\Z))", re.MULTILINE)
_FOLDER = re.compile(r"""\bconfig['"]?\s*[/,]\s*['"]?(runs?)\b(?![\w.-])""")


def read_runs(text: str, folder: str, source: str) -> tuple[RunConfig, ...]:
    """Read the section of a log that lists the runs.

    Args:
        folder: where their YAML lies, `config/runs` or `config/run`.

    Raises:
        BundleError: a run's id cannot be a file's name, or there are too many runs.
    """
    runs: list[RunConfig] = []
    at = 0
    while run := _RUN.search(text, at):
        if len(runs) == MAX_RUNS:
            raise BundleError(source, f"it contains more than {MAX_RUNS} runs")
        run_id = readable(run[1].strip())
        following = _RUN.search(text, run.end())
        fence = _FENCE.search(text, run.end(), following.start() if following else len(text))
        yaml = ""
        at = run.end()
        if fence:
            end = _FENCE_END.search(text, fence.end() - 1)
            at = end.end() if end else len(text)
            yaml = text[fence.end() : end.start() if end else len(text)]
        stated = dict(_STATED.findall(text, run.end(), fence.start() if fence else at))
        path = f"{folder}/{run_id}.yaml"
        if not run_id or safe_path(path, source) != path:
            raise BundleError(
                source, f"the run id {run_id[:100]!r} cannot be the name of a run config"
            )
        runs.append(
            RunConfig(
                run_id=run_id,
                file=SourceFile(path, file_bytes(_unindented(yaml))),
                method=_known(stated.get("Method")),
                model=_known(stated.get("Model")),
                dataset=_known(stated.get("Dataset")),
            )
        )
    return tuple(runs)


def runs_folder(code: Iterable[str], criteria: str) -> str:
    """Return where the run configs lie: as the code's own paths say, else as the criteria do, else
    `config/runs`.

    A Hydra defaults entry (`- run: …`) is not counted: it says where the code looks, which may be
    the wrong place.
    """
    for texts in (code, [criteria]):
        named = {folder for text in texts for folder in _FOLDER.findall(text)}
        if len(named) == 1:
            return f"config/{named.pop()}"
    return "config/runs"


def _unindented(yaml: str) -> str:
    """Take away the indent that the log gives to the first line, or to all of them."""
    first = yaml[2:] if yaml.startswith("  ") else yaml
    if yaml_problem(first) is not None and load_yaml(whole := dedent(yaml)).problem is None:
        first = whole
    return first


def _known(value: str | None) -> str | None:
    return None if value is None or value.strip() in ("", "None") else readable(value.strip())
