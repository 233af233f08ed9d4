"""Rules for criterion 2, Hydra integration: keys that are read but missing."""

import re
from collections.abc import Iterator

from reviewers.facts import Facts, yaml_config
from reviewers.facts.config_flow import ProblemKind
from reviewers.facts.placed import place_of
from reviewers.facts.script_starts import ScriptStart
from reviewers.facts.start import Start
from reviewers.records import Span
from reviewers.rules.base import FOLLOWED, Flag, again, denies, rule, symptoms
from reviewers.rules.hydra_problems import (
    Met,
    all_places,
    certain,
    configured_at,
    flag,
    for_runs,
    has,
    is_in_run_file,
    is_under_group,
    key_lines,
    lacks,
    never_loaded,
)


@rule(
    id="HY02",
    category="hydra-composition",
    severity="blocker",
    stops=FOLLOWED,
    summary="a key is read that a run's configuration does not have",
    example="""
          import hydra
          from omegaconf import OmegaConf

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              OmegaConf.set_struct(cfg, False)
              cfg = OmegaConf.merge(cfg, OmegaConf.load(f"config/runs/{cfg.run}.yaml"))
        -     print(cfg.training.epochs, cfg.training.warmup_steps)  # flag: HY02
        +     print(cfg.training.epochs, cfg.training.get("warmup_steps", 0))
    """,
)
def absent_key_read(facts: Facts) -> Iterator[Flag]:
    """The read raises an OmegaConf error for each run whose file does not have the key."""
    by_key: dict[str, list[Met]] = {}
    for start, problem in certain(facts, ProblemKind.MISSING_KEY):
        if not is_under_group(facts, start, problem.key) and not is_in_run_file(
            facts, start, problem.key
        ):
            by_key.setdefault(problem.key, []).append((start, problem))
    for key, met in by_key.items():
        start, problem = met[0]
        yield flag(
            start,
            problem,
            problem.span,
            f"`{key}` is not in the configuration{for_runs(facts, problem)}:"
            f" `{start.short_command}` stops with {problem.error}: {problem.message}",
            f"the configuration composed for {start.subject} has no key `{key}`",
            (*key_lines(facts, met), *again(_belongs(facts, met, key)), *all_places(met)),
            _lacks(start, key),
        )


def _belongs(facts: Facts, met: list[Met], key: str) -> Iterator[Span]:
    """Where a key that other runs have belongs in the files of those that lack it: at the only key
    of its section that no other run has, which may be meant for it, else at the section.
    """
    lines = {run.run_id: yaml_config.key_lines(run.file.text) for run in facts.runs}
    lacking = {start.run_id for start, _ in met}
    for said in (key, key.partition(".")[2]):  # a group's file lies under the group's name
        having = [found for name, found in lines.items() if name not in lacking and said in found]
        section = said.rpartition(".")[0]
        for run in facts.runs if having else ():
            found = lines[run.run_id]
            own = [
                name
                for name in found
                if name.rpartition(".")[0] == section and not any(name in one for one in having)
            ]
            at = own[0] if len(own) == 1 else section
            if run.run_id in lacking and at in found:
                yield Span(run.file.path, found[at][0])


def _lacks(start: Start | ScriptStart, key: str) -> str:
    where = f"run:{start.run_id}" if start.run_id else "composed"
    return denies("has_key", where=where, key=key)


@rule(
    id="HY04",
    category="hydra-composition",
    severity="blocker",
    stops=FOLLOWED,
    summary="a run file's keys lie under cfg.run, but the code reads them at the top",
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
          training:
            epochs: 3
          === src/train.py
          import hydra

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
        -     print(cfg.training.epochs)  # flag: HY04
        +     print(cfg.run.training.epochs)
    """,
)
def package_mismatch(facts: Facts) -> Iterator[Flag]:
    """Hydra puts a group's file under the group's name unless its first line is `# @package
    _global_`.
    """
    met = [
        (start, problem)
        for start, problem in certain(facts, ProblemKind.MISSING_KEY)
        if is_under_group(facts, start, problem.key)
    ]
    if met:
        start, problem = met[0]
        group = next(group for group in facts.hydra.groups if has(start, f"{group}.{problem.key}"))
        yield flag(
            start,
            problem,
            problem.span,
            f"`{problem.key}` lies at cfg.{group}.{problem.key}: `{start.short_command}` stops with"
            f" {problem.error}: {problem.message}; put `# @package _global_` at the top of"
            f" the run files, or read cfg.{group}.…",
            f"the configuration composed for {start.subject} has `{group}.{problem.key}`, but no"
            f" `{problem.key}`",
            (*again(_run_files(facts, met)), *all_places(met)),
            lacks(problem.key),
        )


def _run_files(facts: Facts, met: list[Met]) -> list[Span]:
    """Where `# @package _global_` would stand: the first line of each run file that is met."""
    runs = {run for _, problem in met for run in facts.hydra.runs_with(problem)}
    return [Span(run.file.path, 1) for run in facts.runs if run.run_id in runs]


@rule(
    id="HY06",
    category="hydra-composition",
    severity="blocker",
    stops=FOLLOWED,
    summary="an attribute is read from a configuration value that is a plain string or number",
    example="""
          import hydra

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
        -     print(cfg.run.run_id)  # flag: HY06
        +     print(cfg.run)
    """,
)
def attribute_of_a_string(facts: Facts) -> Iterator[Flag]:
    """`run=…` on the command line makes cfg.run a string, although the code expects a section of
    that name.
    """
    met: dict[str, list[Met]] = {}
    for start, problem in certain(facts, ProblemKind.NOT_A_MAPPING):
        met.setdefault(problem.span.file, []).append((start, problem))
    for places in met.values():
        start, problem = places[0]
        code = facts.code(problem.span)
        yield flag(
            start,
            problem,
            problem.span,
            f"`{code}`: `{start.short_command}` stops with {problem.error}: {problem.message}",
            f"in the configuration composed for {start.subject} this value is plain:"
            f" {problem.message}",
            (*configured_at(facts, start, str(place_of(problem.cause))), *all_places(places)),
            names=(code,),
        )


@rule(
    id="HY10",
    category="hydra-composition",
    severity="blocker",
    stops=FOLLOWED,
    summary="the run file is never loaded, but its keys are read",
    needs=("commands.*",),
    example="""
          import hydra
        + from omegaconf import OmegaConf

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
        +     OmegaConf.set_struct(cfg, False)
        +     cfg = OmegaConf.merge(cfg, OmegaConf.load(f"config/runs/{cfg.run}.yaml"))
              print(cfg.model.width)  # flag: HY10
    """,
)
def run_file_never_loaded(facts: Facts) -> Iterator[Flag]:
    """`run=…` alone only sets a text: neither the defaults nor the code load a file for it."""
    if met := list(never_loaded(facts)):
        start, problem = met[0]
        keys = list(dict.fromkeys(other.key for _, other in met))
        shown = ", ".join(f"`{key}`" for key in keys[:4]) + (
            f" and {len(keys) - 4} more" if len(keys) > 4 else ""
        )
        file = next(run.file.path for run in facts.runs if run.run_id == start.run_id)
        yield flag(
            start,
            problem,
            _placeholders(facts, start.entry.config_file, keys) or problem.span,
            f"{shown}: nothing loads {file}, where"
            f" {'it stands' if len(keys) == 1 else 'they stand'}: `{start.short_command}` stops"
            f" with {problem.error}: {problem.message}",
            f"{file} has `{problem.key}`, the configuration composed for {start.subject} has not",
            all_places(met),
            lacks(*keys),
        )


@rule(
    id="HY11",
    category="hydra-composition",
    severity="blocker",
    stops=FOLLOWED,
    summary="an interpolation names a key or a resolver that does not exist",
    example="""
          === config/runs/proposed.yaml
          run_id: proposed
        + base_rate: 0.1
          training:
            epochs: 3
        -   rate: ${opt.rate}
        +   rate: ${base_rate}
          === src/train.py
          import hydra
          from omegaconf import OmegaConf

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              OmegaConf.set_struct(cfg, False)
              cfg = OmegaConf.merge(cfg, OmegaConf.load(f"config/runs/{cfg.run}.yaml"))
              print(cfg.training.rate)  # flag: HY11
    """,
)
def dangling_interpolation(facts: Facts) -> Iterator[Flag]:
    """The YAML loads without an error; the error comes when the value is read or everything is
    resolved.
    """
    met: dict[str, list[Met]] = {}
    for start, problem in certain(facts, ProblemKind.INTERPOLATION):
        met.setdefault(problem.message, []).append((start, problem))
    for places in met.values():
        start, problem = places[0]
        asked = re.search(r"interpolation type (\S+)$", problem.message)
        why = "asks a resolver that nobody registers" if asked else "leads nowhere"
        asking = list(_asking(facts, asked[1])) if asked else []
        yield flag(
            start,
            problem,
            asking[0] if asking else problem.span,
            f"`{start.short_command}` stops with {problem.error}: {problem.message}",
            f"`{problem.key}` in the configuration of {start.subject} is an interpolation that"
            f" {why}",
            (*again(asking[1:]), *symptoms(read.span for _, read in places))
            if asking
            else all_places(places),
        )


def _asking(facts: Facts, resolver: str) -> Iterator[Span]:
    """The first line of each YAML file that asks a resolver."""
    pattern = re.compile(rf"\$\{{\s*{re.escape(resolver)}\s*:")
    for path, text in facts.hydra.yaml_files.items():
        if found := pattern.search(text):
            yield Span(path, text.count("\n", 0, found.start()) + 1)


def _placeholders(facts: Facts, configuration: str, keys: list[str]) -> Span | None:
    """The empty sections in the main configuration that wait for the run file."""
    sections = {key.partition(".")[0] for key in keys}
    pattern = re.compile(r"(\w+)\s*:\s*(\{\s*\}|null|~|\?\?\?)?\s*(#.*)?$")
    found = [
        number
        for number, line in enumerate(facts.lines(configuration), 1)
        if (match := pattern.match(line)) and match[1] in sections and match[2]
    ]
    return Span(configuration, min(found), max(found)) if found else None
