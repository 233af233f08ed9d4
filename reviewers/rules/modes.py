"""Rules for criterion 9, the modes."""

from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.config_flow.access import read_path
from reviewers.facts.config_flow.values import UNKNOWN
from reviewers.facts.tracking import EVALUATION, TRAINING
from reviewers.records import Span
from reviewers.rules.base import Flag, rule

_STARTING = ("src/main.py", TRAINING)
_EPOCHS = (
    "training.epochs",
    "training.num_epochs",
    "training.max_epochs",
    "training.num_train_epochs",
)


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
    """A trial is to show in a minute that nothing crashes; it must not need a key, nor leave runs
    behind.
    """
    if (
        _is_judged(facts)
        and not _somewhere(facts, "disabled")
        and not _configured(facts, "trial", "wandb.mode", "disabled")
    ):
        yield Flag(
            Span(TRAINING),
            "nothing sets WandB's mode to disabled in trial mode: the word stands in no file that"
            " starts a run",
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
    if _is_judged(facts) and not facts.trial_mode.limits_batches:
        yield Flag(
            Span(TRAINING),
            "trial mode limits no batches: no loop is broken off, and no data set is cut to a part",
        )


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
    if train is None or train.tree is None or not train.text.strip() or not _is_documented(facts):
        return
    if not any("trial" in file.text for path, file in facts.python.items() if path != EVALUATION):
        yield Flag(
            Span(TRAINING),
            "no file but evaluate.py speaks of trial mode: a trial does what the full run does",
        )


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
    """The configuration that reaches the end of the entry function still has the run's own number
    of epochs.
    """
    if not _is_judged(facts) or facts.trial_mode.limits_epochs:
        return
    for start in facts.hydra.starts:
        final = start.trace.final if start.trace else None
        if start.mode != "trial" or start.entry.path != TRAINING or final is None:
            continue
        for key in _EPOCHS:
            value = read_path(final, key, UNKNOWN)
            if (
                isinstance(value, int)
                and value > 1
                and key.rpartition(".")[2] in facts.python[TRAINING].text
            ):
                yield Flag(
                    Span(TRAINING),
                    f"in trial mode {key} is still {value} for {start.run_id}: nothing sets it"
                    " to 1",
                )
                return


@rule(
    id="MD05",
    criterion=9,
    category="mode-handling",
    severity="major",
    summary="trial mode leaves Optuna trials",
    decides="trial-optuna",
    bad="""
        import hydra
        import optuna

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            if cfg.mode == "trial":
                cfg.wandb.mode = "disabled"
                cfg.optuna.n_trials = 2  # flag: MD05
            optuna.create_study().optimize(lambda trial: 0.0, n_trials=cfg.optuna.n_trials)
    """,
    good="""
        import hydra
        import optuna

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            if cfg.mode == "trial":
                cfg.wandb.mode = "disabled"
                cfg.optuna.n_trials = 0
            optuna.create_study().optimize(lambda trial: 0.0, n_trials=cfg.optuna.n_trials)
    """,
)
def trial_searches(facts: Facts) -> Iterator[Flag]:
    """A search trains the model again and again; a trial is to show once that nothing crashes."""
    if _is_judged(facts):
        for setting in facts.trial_mode.settings:
            if (
                "n_trials" in setting.target
                and isinstance(setting.value, int)
                and setting.value > 0
            ):
                yield Flag(
                    setting.span,
                    f"trial mode sets {setting.target} to {setting.value}: Optuna must be off, with"
                    " 0 trials",
                )


@rule(
    id="MD06",
    criterion=9,
    category="mode-handling",
    severity="blocker",
    summary="full mode leaves WandB switched off",
    decides="full-tracking",
    bad="""
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
            wandb.init(mode=cfg.wandb.mode)
    """,
    good="""
        === config/config.yaml
        run: ???
        results_dir: ???
        mode: full
        wandb:
          entity: our-lab
          project: gated-mlp
          mode: disabled
        === src/train.py
        import hydra
        import wandb

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            if cfg.mode == "full":
                cfg.wandb.mode = "online"
            wandb.init(mode=cfg.wandb.mode)
    """,
)
def full_is_untracked(facts: Facts) -> Iterator[Flag]:
    """evaluate.py reads everything from WandB: what a full run does not send there is lost."""
    for start in facts.hydra.starts:
        final = start.trace.final if start.trace and start.trace.complete else None
        if start.mode != "full" or start.entry.path != TRAINING or final is None:
            continue
        value = read_path(final, "wandb.mode", UNKNOWN)
        if (
            value in ("disabled", "dryrun", "offline")
            and "online" not in facts.python[TRAINING].text
        ):
            yield Flag(
                Span(TRAINING),
                f"with mode=full wandb.mode is still {value}: nothing sets it to online",
            )
            return


def _is_documented(facts: Facts) -> bool:
    """Whether the rubric knows a trial: as `mode=trial`, or in an older one as
    `trial_mode=true`.
    """
    return facts.hydra.has_modes or "trial_mode" in (facts.submission.context.criteria or "")


def _is_judged(facts: Facts) -> bool:
    """Whether trial mode is documented and the code asks for it; where it does not, MD03 says
    so.
    """
    train = facts.python.get(TRAINING)
    written = train is not None and bool(train.text.strip())
    return (
        written
        and _is_documented(facts)
        and facts.trial_mode.is_readable
        and facts.trial_mode.is_asked_for
    )


def _somewhere(facts: Facts, word: str) -> bool:
    return any(word in (facts.text(path) or "") for path in _STARTING)


def _configured(facts: Facts, mode: str, key: str, wanted: str) -> bool:
    """Whether some start in this mode ends with the wanted value, or with one that is not known."""
    for start in facts.hydra.starts:
        final = start.trace.final if start.trace else None
        if start.mode == mode and final is not None and read_path(final, key) in (wanted, UNKNOWN):
            return True
    return False
