"""Rules for criterion 9, the modes."""

import re
from collections.abc import Iterator

from omegaconf import DictConfig

from reviewers.facts import Facts
from reviewers.facts.config_flow.access import read_path
from reviewers.facts.config_flow.values import UNKNOWN
from reviewers.facts.tracking import TRAINING
from reviewers.records import Span
from reviewers.rules.base import Flag, rule

_STARTING = ("src/main.py", TRAINING)
_LIMITS = re.compile(
    r"limit|max_(train_|eval_|val_)?(steps|batches|samples|examples|iters)|subset|islice|\.select\(|\.take\(|trial_batches|fast_dev"
    r"|num_batches|n_batches|\bbreak\b|\[:",
)
_EPOCHS = ("training.epochs", "training.num_epochs", "training.max_epochs", "training.num_train_epochs")


@rule(
    id="MD01",
    criterion=9,
    category="mode-handling",
    severity="blocker",
    summary="trial mode leaves WandB switched on",
    decides="trial-tracking",
    bad="""
        === src/train.py # flag: MD01
        import hydra
        import wandb

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            if cfg.mode == "trial":
                cfg.training.epochs = 1
            wandb.init(mode=cfg.wandb.mode)
    """,
    good="""
        === src/train.py
        import hydra
        import wandb

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            if cfg.mode == "trial":
                cfg.training.epochs = 1
                cfg.wandb.mode = "disabled"
            wandb.init(mode=cfg.wandb.mode)
    """,
)
def trial_is_tracked(facts: Facts) -> Iterator[Flag]:
    """A trial is to show in a minute that nothing crashes; it must not need a key, nor leave runs behind."""
    if _is_followed(facts) and not _somewhere(facts, "disabled") and not _configured(facts, "trial", "wandb.mode", "disabled"):
        yield Flag(
            Span(TRAINING), "nothing sets WandB's mode to disabled in trial mode: the word stands in no file that starts a run"
        )


@rule(
    id="MD02",
    criterion=9,
    category="mode-handling",
    severity="major",
    summary="trial mode does not limit the batches",
    decides="trial-batches",
    bad="""
        === src/train.py # flag: MD02
        import hydra
        import wandb

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            if cfg.mode == "trial":
                cfg.wandb.mode = "disabled"
                cfg.training.epochs = 1
            wandb.init(mode=cfg.wandb.mode)
            for step in range(cfg.training.epochs):
                print(step)
    """,
    good="""
        === src/train.py
        import hydra
        import wandb

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            if cfg.mode == "trial":
                cfg.wandb.mode = "disabled"
            wandb.init(mode=cfg.wandb.mode)
            for step in range(1000):
                if cfg.mode == "trial" and step >= 2:
                    break
    """,
)
def trial_runs_every_batch(facts: Facts) -> Iterator[Flag]:
    """One epoch over a whole data set can take hours; a trial is one or two batches."""
    if not _is_followed(facts):
        return
    texts = [file.text for path, file in facts.python.items() if path != "src/evaluate.py"]
    if not any(_LIMITS.search(text) for text in texts):
        yield Flag(Span(TRAINING), "trial mode limits no batches: no loop is broken off, and no data set is cut to a part")


@rule(
    id="MD03",
    criterion=9,
    category="mode-handling",
    severity="major",
    summary="no code tells trial mode from full mode",
    decides="mode-handling",
    bad="""
        === src/main.py
        import hydra

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            print(cfg.run)
        === src/train.py # flag: MD03
        import hydra
        import wandb

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            wandb.init(mode=cfg.wandb.mode)
    """,
    good="""
        === src/train.py
        import hydra
        import wandb

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            wandb.init(mode="disabled" if cfg.mode == "trial" else "online")
    """,
)
def mode_ignored(facts: Facts) -> Iterator[Flag]:
    """Then a trial costs as much as the full run, and tracks itself as one."""
    train = facts.python.get(TRAINING)
    if train is None or train.tree is None or not train.text.strip() or not facts.hydra.has_modes:
        return
    if not any("trial" in file.text for path, file in facts.python.items() if path != "src/evaluate.py"):
        yield Flag(Span(TRAINING), "no file but evaluate.py speaks of trial mode: mode=trial does what mode=full does")


@rule(
    id="MD04",
    criterion=9,
    category="mode-handling",
    severity="major",
    summary="trial mode trains all epochs",
    decides="trial-epochs",
    bad="""
        === src/train.py # flag: MD04
        import hydra
        import wandb
        from omegaconf import OmegaConf

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            OmegaConf.set_struct(cfg, False)
            cfg = OmegaConf.merge(cfg, OmegaConf.load(f"config/runs/{cfg.run}.yaml"))
            wandb.init(mode="disabled" if cfg.mode == "trial" else "online")
            for epoch in range(cfg.training.epochs):
                print(epoch)
    """,
    good="""
        === src/train.py
        import hydra
        import wandb
        from omegaconf import OmegaConf

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            OmegaConf.set_struct(cfg, False)
            cfg = OmegaConf.merge(cfg, OmegaConf.load(f"config/runs/{cfg.run}.yaml"))
            if cfg.mode == "trial":
                cfg.wandb.mode = "disabled"
                cfg.training.epochs = 1
            for epoch in range(cfg.training.epochs):
                print(epoch)
    """,
)
def trial_trains_every_epoch(facts: Facts) -> Iterator[Flag]:
    """The configuration that reaches the end of the entry function still has the run's own number of epochs."""
    if not _is_followed(facts):
        return
    for start in facts.hydra.starts:
        final = start.trace.final if start.trace else None
        if start.mode != "trial" or start.entry.path != TRAINING or not isinstance(final, DictConfig):
            continue
        for key in _EPOCHS:
            value = read_path(final, key, UNKNOWN)
            name = key.rpartition(".")[2]
            text = " ".join(file.text for path, file in facts.python.items() if path != "src/evaluate.py")
            reduced = re.search(rf"{name}[\w\"'\]]*\s*(=|,)\s*1\b|1 if [^\n]*trial|max_steps|total_steps|\bbreak\b", text)
            if isinstance(value, int) and value > 1 and f"{name}" in text and not reduced:
                yield Flag(Span(TRAINING), f"in trial mode {key} is still {value} for {start.run_id}: nothing sets it to 1")
                return


def _is_followed(facts: Facts) -> bool:
    """Whether the command knows modes and the code speaks of trial mode at all; where it does not, MD03 says so."""
    train = facts.python.get(TRAINING)
    readable = train is not None and train.tree is not None and bool(train.text.strip())
    spoken = any("trial" in file.text for path, file in facts.python.items() if path != "src/evaluate.py")
    return readable and spoken and facts.hydra.has_modes


def _somewhere(facts: Facts, word: str) -> bool:
    return any(word in (facts.text(path) or "") for path in _STARTING)


def _configured(facts: Facts, mode: str, key: str, wanted: str) -> bool:
    """Whether some start in this mode ends with the wanted value, or with one that is not known."""
    for start in facts.hydra.starts:
        final = start.trace.final if start.trace else None
        if start.mode == mode and isinstance(final, DictConfig) and read_path(final, key) in (wanted, UNKNOWN):
            return True
    return False
