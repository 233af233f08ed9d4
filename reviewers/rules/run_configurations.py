"""Rules for criterion 7, the run configurations."""

import re
from collections.abc import Iterator
from typing import Any

from reviewers.bundles.yaml_text import keys_before, syntax_problem
from reviewers.facts import Facts, yaml_config
from reviewers.facts.config_flow import ConfigProblem, ProblemKind
from reviewers.facts.config_flow.access import read_path
from reviewers.facts.start import Start
from reviewers.records import RunConfig, Severity, Span
from reviewers.rules.base import UNREAD, Flag, again, name_of, rule
from reviewers.rules.hydra_problems import has

# What code reads that asks PyYAML for more than one document, or teaches it a tag.
_OWN_WAYS = {"load_all": "single document", "add_constructor": "constructor"}


@rule(
    id="RC01",
    category="hydra-composition",
    severity="blocker",
    stops=UNREAD,
    summary="a configuration file is not valid YAML, or has a duplicate key",
    example="""
          === config/runs/proposed.yaml
          run_id: proposed
          training:
            epochs: 3
        -   run_id: [1, 2
        - method: proposed  # flag: RC01
    """,
)
def unreadable_configuration(facts: Facts) -> Iterator[Flag]:
    """Whatever loads it stops there, and with it every run that needs the file. Hydra and OmegaConf
    reject more than PyYAML does, such as a duplicate key; if no file imports either, only what
    PyYAML rejects is flagged. Of files that no code names, such as those of tools, only what no
    YAML parser reads is flagged; a template that is filled in first, by Jinja or the like, is not
    YAML yet.
    """
    by_omegaconf = facts.hydra.is_imported
    problem_of = yaml_config.problem if by_omegaconf else yaml_config.plain_problem
    texts = [file.text for file in facts.python.values()]
    own = [told for how, told in _OWN_WAYS.items() if any(how in text for text in texts)]
    reader = "OmegaConf" if by_omegaconf else "PyYAML"
    for path, text in facts.hydra.yaml_files.items():
        if not facts.hydra.is_configuration(path) and not _is_named(facts, path, texts):
            if "{{" not in text and "{%" not in text and (refused := syntax_problem(text)):
                yield Flag(
                    Span(path, refused.line),
                    f"{path} is not valid YAML: {refused.message}",
                    severity=Severity.MAJOR,
                    names=(refused.message,),
                )
            continue
        bad_byte = facts.submission.by_path[path].bad_byte
        if bad_byte is not None:
            yield Flag(Span(path, bad_byte.line), f"{reader} cannot read {path}: {bad_byte}")
        elif text.strip() and (problem := problem_of(text)) is not None:
            if not by_omegaconf and any(told in str(problem) for told in own):
                continue
            line = min(problem.line, len(text.splitlines())) if problem.line else None
            first = keys_before(text, problem.line or 0)
            yield Flag(
                Span(path, line),
                f"{reader} cannot read {path}: {problem}",
                places=again(Span(path, number) for number in first),
                names=(str(problem),),
            )


def _is_named(facts: Facts, path: str, texts: list[str]) -> bool:
    """Whether the contract asks for a file, or the code names it or its folder."""
    folder = path.rpartition("/")[0].rpartition("/")[2]
    if path in facts.contract.files.expected:
        return True
    words = [re.escape(name_of(path)), *([rf"[\"'/]{re.escape(folder)}[\"'/]"] if folder else [])]
    return not path.startswith(".") and any(re.search("|".join(words), text) for text in texts)


@rule(
    id="RC02",
    category="hydra-composition",
    severity="major",
    summary="a run config names another run than its file",
    needs=("runs.sections",),
    example="""
          === config/runs/proposed.yaml
        - run_id: proposed-v2  # flag: RC02
        + run_id: proposed
          training:
            epochs: 3
    """,
)
def run_id_differs(facts: Facts) -> Iterator[Flag]:
    """evaluate.py asks WandB for the id that the command names, so a run that is tracked under
    another one is never found.
    """
    asked = "run_id" in facts.contract.runs.sections
    for run, values in run_values_of(facts) if asked else ():
        said = values.get("run_id")
        if isinstance(said, str) and said != run.run_id:
            line = line_of_key(run, "run_id")
            yield Flag(
                Span(run.file.path, line),
                f"{run.file.path} says run_id: {said[:80]}, but the run is called {run.run_id}",
                names=(said[:80], run.run_id),
            )


@rule(
    id="RC07",
    category="hydra-composition",
    severity="blocker",
    summary="the main configuration overwrites what the run files say",
    needs=("commands.*",),
    example="""
          === config/config.yaml
          defaults:
        +   - _self_
            - run: proposed
        -   - _self_
          results_dir: ???
          mode: full
          run:
            run_id: PLACEHOLDER  # flag: RC07
          === config/run/proposed.yaml
          run_id: proposed
          training:
            epochs: 3
    """,
)
def run_file_overwritten(facts: Facts) -> Iterator[Flag]:
    """The last entry of the defaults list wins: with `_self_` after the run group, every run is the
    same.
    """
    for run, values in run_values_of(facts):
        starts = (
            start
            for start in facts.hydra.starts
            if start.run_id == run.run_id and start.repaired is None
        )
        start = next((start for start in starts if start.config is not None), None)
        for above in _places(start, values, facts.hydra.groups) if start else ():
            for key, said in values.items():
                now = (
                    read_path(start.config, f"{above}{key}")
                    if start and start.config is not None
                    else said
                )
                path = start.entry.config_file if start else ""
                line = _line_in(facts.text(path) or "", str(key))
                if isinstance(said, str) and isinstance(now, str) and now != said and line:
                    yield Flag(
                        Span(path, line),
                        f"{name_of(path)} says {key}: {now[:60]}, which overwrites `{said[:60]}` of"
                        f" {run.file.path}; put `_self_` first in the defaults list",
                        f"the configuration composed for {run.run_id} has {above}{key}: {now[:60]}",
                        names=(key, now[:60], said[:60]),
                    )
                    return


def _places(start: Start, values: dict[Any, Any], groups: tuple[str, ...]) -> tuple[str, ...]:
    """Where the run file's sections are put: at the top, or under a group."""
    sections = [str(key) for key, value in values.items() if isinstance(value, dict) and value]
    return tuple(
        above
        for above in ("", *(f"{group}." for group in groups))
        if sections and all(has(start, f"{above}{section}") for section in sections)
    )


def _is_missing(problem: ConfigProblem) -> bool:
    return problem.kind is ProblemKind.MISSING_KEY and problem.certain


def _line_in(text: str, key: str) -> int | None:
    """The last line that gives a key of this name a value."""
    pattern = re.compile(rf"\s*{re.escape(key)}\s*:\s*[^\s#]")
    return next(
        (n for n, line in reversed(list(enumerate(text.splitlines(), 1))) if pattern.match(line)),
        None,
    )


def run_values_of(facts: Facts) -> Iterator[tuple[RunConfig, dict[Any, Any]]]:
    """Yield the run configurations that are mappings, each with its values."""
    for run in facts.runs:
        value = yaml_config.values(run.file.text)
        if isinstance(value, dict):
            yield run, value


def line_of_key(run: RunConfig, key: str, after: str | None = None) -> int | None:
    """Return the line on which a key stands, the first one below `after`."""
    seen = after is None
    for number, line in enumerate(run.file.text.splitlines(), 1):
        word = line.strip().partition(":")[0].strip("\"'")
        if seen and word == key:
            return number
        seen = seen or word == after
    return None
