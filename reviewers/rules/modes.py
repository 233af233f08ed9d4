"""Rules for criterion 9, the modes."""

import re
from collections.abc import Iterator
from itertools import islice

from reviewers.facts import Facts
from reviewers.facts.config_flow.access import read_path
from reviewers.facts.config_flow.values import UNKNOWN
from reviewers.records import Span
from reviewers.rubric.contract import Mode
from reviewers.rules.base import Flag, denies, name_of, rule

_EPOCHS = (
    "training.epochs",
    "training.num_epochs",
    "training.max_epochs",
    "training.num_train_epochs",
)

# What takes batches may say so itself (`DataLoader`, `batch_size`), or be a trainer's.
_BATCHES = re.compile(r"batch|loader|Trainer\b", re.IGNORECASE)


@rule(
    id="MD01",
    category="mode-handling",
    severity="blocker",
    summary="a mode that should not be tracked leaves WandB switched on",
    needs=("modes.*.tracking", "tracking.service"),
    example="""
          === src/train.py # flag: MD01
          import hydra
          import wandb

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              if cfg.mode == "trial":
                  cfg.training.epochs = 1
        +         cfg.wandb.mode = "disabled"
              wandb.init(mode=cfg.wandb.mode)
    """,
)
def trial_is_tracked(facts: Facts) -> Iterator[Flag]:
    """A trial checks in a minute that nothing crashes; it must not need a key, nor leave runs
    behind.
    """
    for name, mode in _judged(facts):
        off = mode.tracking if facts.contract.tracking.service == "wandb" else None
        if off in ("disabled", "offline") and not (
            _somewhere(facts, off) or _configured(facts, name, "wandb.mode", off)
        ):
            yield Flag(
                Span(facts.trainer),
                f"nothing sets WandB's mode to {off} in {name} mode: the word stands in no file"
                " that starts a run",
                names=("wandb.mode", off),
            )


@rule(
    id="MD02",
    category="mode-handling",
    severity="major",
    summary="a mode with few batches does not limit them",
    needs=("modes.*.batches",),
    example="""
          === src/train.py # flag: MD02
          import hydra
          import wandb

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              if cfg.mode == "trial":
                  cfg.wandb.mode = "disabled"
        -         cfg.training.epochs = 1
              wandb.init(mode=cfg.wandb.mode)
        -     for step in range(cfg.training.epochs):
        -         print(step)
        +     for step in range(1000):
        +         if cfg.mode == "trial" and step >= 2:
        +             break
    """,
)
def trial_runs_every_batch(facts: Facts) -> Iterator[Flag]:
    """One epoch over a whole data set can take hours; a trial runs one or two batches.

    Where no code speaks of batches or loaders there are none to limit.
    """
    files = (file for path, file in facts.python.items() if path != facts.evaluator)
    if not any(_BATCHES.search(file.text) for file in files):
        return
    for name, mode in _judged(facts):
        if mode.batches is not None and not facts.modes[name].limits_batches():
            yield Flag(
                Span(facts.trainer),
                f"{name} mode limits no batches: no loop is broken off, and no data set is cut to a"
                " part",
                says=denies("limits", scope="code", what="batches", mode=name),
            )


@rule(
    id="MD03",
    category="mode-handling",
    severity="major",
    summary="a mode that limits the work is never implemented",
    needs=("modes.*",),
    example="""
        - === src/main.py
        - import hydra
        -
        - @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        - def main(cfg):
        -     print(cfg.run)
          === src/train.py # flag: MD03
          import hydra
          import wandb

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
        -     wandb.init(mode=cfg.wandb.mode)
        +     wandb.init(mode="disabled" if cfg.mode == "trial" else "online")
    """,
)
def mode_ignored(facts: Facts) -> Iterator[Flag]:
    """A trial then costs as much as the full run, and is tracked as one."""
    train = facts.python.get(facts.trainer)
    if train is None or train.tree is None or not train.text.strip():
        return
    besides = f"no file but {name_of(facts.evaluator)}" if facts.evaluator else "no file"
    for name, mode in facts.contract.modes.items():
        if mode.limits and not facts.modes[name].is_spoken_of:
            yield Flag(
                Span(facts.trainer),
                f"{besides} speaks of {name} mode: it does what the whole configuration says",
            )


@rule(
    id="MD04",
    category="mode-handling",
    severity="major",
    summary="a mode with few epochs trains all of them",
    needs=("modes.*.epochs",),
    example="""
          === src/train.py # flag: MD04
          import hydra
          import wandb
          from omegaconf import OmegaConf

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              OmegaConf.set_struct(cfg, False)
              cfg = OmegaConf.merge(cfg, OmegaConf.load(f"config/runs/{cfg.run}.yaml"))
        -     wandb.init(mode="disabled" if cfg.mode == "trial" else "online")
        +     if cfg.mode == "trial":
        +         cfg.wandb.mode = "disabled"
        +         cfg.training.epochs = 1
              for epoch in range(cfg.training.epochs):
                  print(epoch)
    """,
)
def trial_trains_every_epoch(facts: Facts) -> Iterator[Flag]:
    """After the entry function the configuration still has the run's own number of epochs."""
    for name, mode in _judged(facts):
        if mode.epochs is not None and not facts.modes[name].limits_epochs:
            yield from islice(_left_epochs(facts, name, mode.epochs), 1)


def _left_epochs(facts: Facts, name: str, most: int) -> Iterator[Flag]:
    for start in facts.hydra.starts:
        final = start.trace.final if start.trace else None
        if start.mode != name or start.entry.path != facts.trainer or final is None:
            continue
        for key in _EPOCHS:
            value = read_path(final, key, UNKNOWN)
            if (
                isinstance(value, int)
                and value > most
                and key.rpartition(".")[2] in facts.python[facts.trainer].text
            ):
                yield Flag(
                    Span(facts.trainer),
                    f"in {name} mode {key} is still {value} for {start.subject}: nothing sets it"
                    f" to {most}",
                    names=(key,),
                )


@rule(
    id="MD05",
    category="mode-handling",
    severity="major",
    summary="a mode without a search leaves Optuna trials",
    needs=("modes.*.search_trials",),
    example="""
          import hydra
          import optuna

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              if cfg.mode == "trial":
                  cfg.wandb.mode = "disabled"
        -         cfg.optuna.n_trials = 2  # flag: MD05
        +         cfg.optuna.n_trials = 0
              optuna.create_study().optimize(lambda trial: 0.0, n_trials=cfg.optuna.n_trials)
    """,
)
def trial_searches(facts: Facts) -> Iterator[Flag]:
    """A search trains the model again and again; a trial only checks that nothing crashes."""
    for name, mode in _judged(facts):
        for setting in facts.modes[name].settings if mode.search_trials is not None else ():
            if (
                "n_trials" in setting.target
                and isinstance(setting.value, int)
                and setting.value > (mode.search_trials or 0)
            ):
                most = (
                    "off, with 0 trials" if not mode.search_trials else f"at {mode.search_trials}"
                )
                yield Flag(
                    setting.span,
                    f"{name} mode sets {setting.target} to {setting.value}: Optuna must be {most}",
                    names=(setting.target,),
                )


@rule(
    id="MD06",
    category="mode-handling",
    severity="blocker",
    summary="a mode that should be tracked leaves WandB switched off",
    needs=("modes.*.tracking", "tracking.service"),
    example="""
          === config/config.yaml
          run: ???
          results_dir: ???
          mode: full
          wandb:
            entity: our-lab
            project: gated-mlp
            mode: disabled
          === src/train.py # flag: MD06
          import hydra
          import wandb

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
        +     if cfg.mode == "full":
        +         cfg.wandb.mode = "online"
              wandb.init(mode=cfg.wandb.mode)
    """,
)
def full_is_untracked(facts: Facts) -> Iterator[Flag]:
    """The evaluation reads everything from WandB, so a full run must send everything there."""
    if facts.contract.tracking.service != "wandb":
        return
    online = {name for name, mode in facts.contract.modes.items() if mode.tracking == "online"}
    for start in facts.hydra.starts:
        final = start.trace.final if start.trace and start.trace.complete else None
        if start.mode not in online or start.entry.path != facts.trainer or final is None:
            continue
        value = read_path(final, "wandb.mode", UNKNOWN)
        if (
            value in ("disabled", "dryrun", "offline")
            and "online" not in facts.python[facts.trainer].text
        ):
            given = f"with {start.mode_word}" if start.mode_word else f"in {start.mode} mode"
            yield Flag(
                Span(facts.trainer),
                f"{given} wandb.mode is still {value}: nothing sets it to online",
                names=("wandb.mode",),
            )
            return


def _judged(facts: Facts) -> Iterator[tuple[str, Mode]]:
    """The modes that the code asks for; where it asks for none, MD03 says so."""
    train = facts.python.get(facts.trainer)
    if train is not None and train.text.strip():
        for name, mode in facts.contract.modes.items():
            branches = facts.modes[name]
            if branches.is_readable and branches.is_asked_for:
                yield name, mode


def _somewhere(facts: Facts, word: str) -> bool:
    scripts = facts.contract.scripts(but="evaluate")
    return any(word in (facts.text(path) or "") for path in scripts)


def _configured(facts: Facts, mode: str, key: str, wanted: str) -> bool:
    """Whether some start in this mode ends with the wanted value, or with one that is not known."""
    for start in facts.hydra.starts:
        final = start.trace.final if start.trace else None
        if start.mode == mode and final is not None and read_path(final, key) in (wanted, UNKNOWN):
            return True
    return False
