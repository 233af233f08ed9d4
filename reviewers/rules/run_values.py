"""Rules for criterion 7, the run configurations: values that the code does not take."""

from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.config_flow import ProblemKind
from reviewers.rules.base import Flag, rule
from reviewers.rules.hydra_problems import by_function, certain, flag


@rule(
    id="RC08",
    criterion=7,
    category="hydra-composition",
    severity="blocker",
    summary="a run's configuration leads to an error that the code itself raises",
    decides="run-value-refused",
    bad="""
        === config/runs/proposed.yaml
        run_id: proposed
        dataset:
          tokenizer: words
        === src/train.py
        import hydra
        from omegaconf import OmegaConf

        def tokenise(text, kind):
            if kind == "characters":
                return list(text)
            raise ValueError(f"no tokenizer is called {kind}")  # flag: RC08

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            OmegaConf.set_struct(cfg, False)
            cfg = OmegaConf.merge(cfg, OmegaConf.load(f"config/runs/{cfg.run}.yaml"))
            print(tokenise("some text", cfg.dataset.tokenizer))
    """,
    good="""
        === config/runs/proposed.yaml
        run_id: proposed
        dataset:
          tokenizer: words
        === src/train.py
        import hydra
        from omegaconf import OmegaConf

        def tokenise(text, kind):
            if kind == "characters":
                return list(text)
            if kind == "words":
                return text.split()
            raise ValueError(f"no tokenizer is called {kind}")

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            OmegaConf.set_struct(cfg, False)
            cfg = OmegaConf.merge(cfg, OmegaConf.load(f"config/runs/{cfg.run}.yaml"))
            print(tokenise("some text", cfg.dataset.tokenizer))
    """,
)
def raise_reached(facts: Facts) -> Iterator[Flag]:
    """The code names what it supports, and the run asks for something else: the command ends in the
    code's own error.
    """
    for ((start, problem), *_), also in by_function(facts, certain(facts, ProblemKind.RAISED)):
        said = f": {problem.message}" if problem.message else ""
        why = f", since {problem.key}" if problem.key else ""
        yield flag(
            start,
            problem.span,
            f"`{start.short_command}` stops here with {problem.error}{said}{why}{also}; give the"
            " run a value that the code takes",
            f"followed with the configuration composed for {start.subject}, the code comes to this"
            f" line{why}",
        )


@rule(
    id="RC09",
    criterion=7,
    category="hydra-composition",
    severity="blocker",
    summary="a value of a run's configuration has the wrong type for what the code does with it",
    bad="""
        === config/runs/proposed.yaml
        run_id: proposed
        training:
          epochs: 3
          warmup_steps: null
        === src/train.py
        import hydra
        from omegaconf import OmegaConf

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            OmegaConf.set_struct(cfg, False)
            cfg = OmegaConf.merge(cfg, OmegaConf.load(f"config/runs/{cfg.run}.yaml"))
            print(cfg.training.warmup_steps / cfg.training.epochs)  # flag: RC09
    """,
    good="""
        === config/runs/proposed.yaml
        run_id: proposed
        training:
          epochs: 3
          warmup_steps: null
        === src/train.py
        import hydra
        from omegaconf import OmegaConf

        @hydra.main(version_base="1.3", config_path="../config", config_name="config")
        def main(cfg):
            OmegaConf.set_struct(cfg, False)
            cfg = OmegaConf.merge(cfg, OmegaConf.load(f"config/runs/{cfg.run}.yaml"))
            print((cfg.training.warmup_steps or 0) / cfg.training.epochs)
    """,
)
def value_of_wrong_type(facts: Facts) -> Iterator[Flag]:
    """YAML holds texts, numbers and nothing at all under the same names; Python says so only where
    it comes to the line.

    PyYAML reads `5e-4` as a text, since YAML 1.1 wants a dot in it; OmegaConf reads a number.
    """
    for ((start, problem), *_), also in by_function(
        facts, certain(facts, ProblemKind.INVALID_VALUE)
    ):
        yield flag(
            start,
            problem.span,
            f"`{facts.code(problem.span)[:120]}`: `{start.short_command}` stops with"
            f" {problem.error}: {problem.message}{also}",
            f"followed with the configuration composed for {start.subject}, this line gives"
            f" {problem.error}: {problem.message}",
        )
