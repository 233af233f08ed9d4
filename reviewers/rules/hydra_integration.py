"""Rules for criterion 2, Hydra integration: what the code does with its configuration."""

from collections.abc import Iterator

from omegaconf import DictConfig

from reviewers.facts import Facts
from reviewers.facts.config_flow import ConfigProblem, ProblemKind
from reviewers.facts.config_flow.access import read_path
from reviewers.facts.hydra_config import Start
from reviewers.records import Span
from reviewers.rules.base import Flag, rule

_GROUPS = ("run", "runs")


@rule(
    id="HY01",
    criterion=2,
    category="hydra-composition",
    severity="blocker",
    summary="the run file is merged into the struct configuration",
    decides="struct-merge",
    bad="""
        from pathlib import Path

        import hydra
        from omegaconf import OmegaConf

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            folder = Path(__file__).resolve().parents[1] / "config" / "runs"
            cfg = OmegaConf.merge(cfg, OmegaConf.load(folder / f"{cfg.run}.yaml"))  # flag: HY01
            print(cfg.training.epochs)
    """,
    good="""
        from pathlib import Path

        import hydra
        from omegaconf import OmegaConf

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            folder = Path(__file__).resolve().parents[1] / "config" / "runs"
            OmegaConf.set_struct(cfg, False)
            cfg = OmegaConf.merge(cfg, OmegaConf.load(folder / f"{cfg.run}.yaml"))
            print(cfg.training.epochs)
    """,
)
def merged_into_struct(facts: Facts) -> Iterator[Flag]:
    """Hydra hands over a configuration that takes no new keys, and a run file is made of keys that config.yaml does not have."""
    for start, problem in _certain(facts, ProblemKind.MERGE):
        yield Flag(
            problem.span,
            f"the merge stops `{start.short_command}` with {problem.error}: {problem.message};"
            " call OmegaConf.set_struct(cfg, False) before",
            f"composing {_config_file(start)} and merging with OmegaConf gives {problem.error}: {problem.message}",
        )


@rule(
    id="HY02",
    criterion=2,
    category="hydra-composition",
    severity="blocker",
    summary="a key is read that a run's configuration does not have",
    decides="config-key-missing",
    bad="""
        import hydra
        from omegaconf import OmegaConf

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            OmegaConf.set_struct(cfg, False)
            cfg = OmegaConf.merge(cfg, OmegaConf.load(f"config/runs/{cfg.run}.yaml"))
            print(cfg.training.epochs, cfg.training.warmup_steps)  # flag: HY02
    """,
    good="""
        import hydra
        from omegaconf import OmegaConf

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            OmegaConf.set_struct(cfg, False)
            cfg = OmegaConf.merge(cfg, OmegaConf.load(f"config/runs/{cfg.run}.yaml"))
            print(cfg.training.epochs, cfg.training.get("warmup_steps", 0))
    """,
)
def absent_key_read(facts: Facts) -> Iterator[Flag]:
    """The read ends in an error of OmegaConf, for each run whose file does not have the key."""
    by_key: dict[str, list[tuple[Start, ConfigProblem]]] = {}
    for start, problem in _certain(facts, ProblemKind.MISSING_KEY):
        if not _is_under_group(start, problem.key):
            by_key.setdefault(problem.key, []).append((start, problem))
    for key, met in by_key.items():
        start, problem = met[0]
        also = _also([other.span for _, other in met[1:]], problem.span)
        yield Flag(
            problem.span,
            f"`{key}` is not in the configuration{_for_runs(facts, problem)}: `{start.short_command}` stops with"
            f" {problem.error}: {problem.message}{also}",
            f"the configuration composed for {start.run_id or 'evaluate.py'} has no key `{key}`",
        )


@rule(
    id="HY04",
    criterion=2,
    category="hydra-composition",
    severity="blocker",
    summary="a run file's keys lie under cfg.run, but the code reads them at the top",
    bad="""
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
            print(cfg.training.epochs)  # flag: HY04
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
        training:
          epochs: 3
        === src/train.py
        import hydra

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            print(cfg.run.training.epochs)
    """,
)
def package_mismatch(facts: Facts) -> Iterator[Flag]:
    """Hydra puts a group's file under the group's name unless its first line says `# @package _global_`."""
    met = [(start, problem) for start, problem in _certain(facts, ProblemKind.MISSING_KEY) if _is_under_group(start, problem.key)]
    if met:
        start, problem = met[0]
        group = next(group for group in _GROUPS if _has(start, f"{group}.{problem.key}"))
        also = _also([other.span for _, other in met[1:]], problem.span)
        yield Flag(
            problem.span,
            f"`{problem.key}` lies at cfg.{group}.{problem.key}: `{start.short_command}` stops with {problem.error}:"
            f" {problem.message}{also}; put `# @package _global_` at the top of the run files, or read cfg.{group}.…",
            f"the configuration composed for {start.run_id} has `{group}.{problem.key}`, but no `{problem.key}`",
        )


@rule(
    id="HY05",
    criterion=2,
    category="hydra-composition",
    severity="blocker",
    summary="a key is written that the struct configuration does not have",
    bad="""
        import hydra

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            if cfg.mode == "trial":
                cfg.training.max_steps = 2  # flag: HY05
    """,
    good="""
        import hydra
        from omegaconf import open_dict

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            if cfg.mode == "trial":
                with open_dict(cfg):
                    cfg.training.max_steps = 2
    """,
)
def struct_write(facts: Facts) -> Iterator[Flag]:
    """The overrides of a mode are mostly where it happens: the key is in the run file, which is not merged yet."""
    met = list(_certain(facts, ProblemKind.REJECTED_WRITE))
    by_place: dict[tuple[str, str], list[tuple[Start, ConfigProblem]]] = {}
    for start, problem in met:
        scope = facts.python[problem.span.file].scope_at(problem.span.line or 1) if problem.span.file in facts.python else ""
        by_place.setdefault((problem.span.file, scope), []).append((start, problem))
    for places in by_place.values():
        start, problem = places[0]
        also = _also([other.span for _, other in places[1:]], problem.span)
        keys = ", ".join(dict.fromkeys(f"`{other.key}`" for _, other in places))
        yield Flag(
            problem.span,
            f"{keys} cannot be written: `{start.short_command}` stops with {problem.error}: {problem.message}{also};"
            " call OmegaConf.set_struct(cfg, False) before, or have the keys in config.yaml",
            f"the configuration composed for {start.run_id or 'evaluate.py'} is struct and has no `{problem.key}`",
        )


@rule(
    id="HY06",
    criterion=2,
    category="hydra-composition",
    severity="blocker",
    summary="an attribute is read of a configuration value that is a plain string or number",
    bad="""
        import hydra

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            print(cfg.run.run_id)  # flag: HY06
    """,
    good="""
        import hydra

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            print(cfg.run)
    """,
)
def attribute_of_a_string(facts: Facts) -> Iterator[Flag]:
    """`run=…` on the command line makes cfg.run a string, whatever section of that name the code expects."""
    met: dict[str, list[tuple[Start, ConfigProblem]]] = {}
    for start, problem in _certain(facts, ProblemKind.NOT_A_MAPPING):
        met.setdefault(problem.span.file, []).append((start, problem))
    for places in met.values():
        start, problem = places[0]
        also = _also([other.span for _, other in places[1:]], problem.span)
        code = facts.code(problem.span)
        yield Flag(
            problem.span,
            f"`{code}`: `{start.short_command}` stops with {problem.error}: {problem.message}{also}",
            f"in the configuration composed for {start.run_id} this value is plain: {problem.message}",
        )


@rule(
    id="HY09",
    criterion=2,
    category="hydra-composition",
    severity="blocker",
    summary="a configuration file is loaded that is not there",
    bad="""
        import hydra
        from omegaconf import OmegaConf

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            print(OmegaConf.load(f"config/experiments/{cfg.run}.yaml"))  # flag: HY09
    """,
    good="""
        import hydra
        from omegaconf import OmegaConf

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            print(OmegaConf.load(f"config/runs/{cfg.run}.yaml"))
    """,
)
def absent_file_loaded(facts: Facts) -> Iterator[Flag]:
    """The load ends in FileNotFoundError for every run."""
    for start, problem in _certain(facts, ProblemKind.MISSING_FILE):
        yield Flag(problem.span, f"`{start.short_command}` stops with {problem.error}: {problem.message}")


def _certain(facts: Facts, kind: ProblemKind) -> Iterator[tuple[Start, ConfigProblem]]:
    for start, problem in facts.hydra.problems:
        if problem.kind is kind and problem.certain:
            yield start, problem


def _has(start: Start, path: str) -> bool:
    absent = object()
    return isinstance(start.composed, DictConfig) and read_path(start.composed, path, absent) is not absent


def _is_under_group(start: Start, key: str) -> bool:
    return any(_has(start, f"{group}.{key}") for group in _GROUPS)


def _config_file(start: Start) -> str:
    return f"config/{start.entry.config_name or 'config'}.yaml for {start.run_id}"


def _for_runs(facts: Facts, problem: ConfigProblem) -> str:
    runs = facts.hydra.runs_with(problem)
    if not runs:
        return ""
    every = len(runs) == len(facts.submission.runs)
    return " of any run" if every and len(runs) > 1 else f" of {', '.join(runs)}"


def _also(spans: list[Span], first: Span) -> str:
    """Where else one cause shows, by file."""
    places: dict[str, list[int]] = {}
    for span in spans:
        if span.line is not None and span != first:
            places.setdefault(span.file, []).append(span.line)
    if not places:
        return ""
    shown = []
    for file, lines in places.items():
        distinct = sorted(set(lines))
        more = f" and {len(distinct) - 6} more" if len(distinct) > 6 else ""
        shown.append(f"{file}:{','.join(map(str, distinct[:6]))}{more}")
    return f" (also {'; '.join(shown)})"
