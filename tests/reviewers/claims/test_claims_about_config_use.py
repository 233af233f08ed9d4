"""Guards the checks on modes, searches, caches, the evaluation's words and packaging."""

import pytest

from reviewers.records import Check
from tests.builders import SOUND_FILES, changed, changed_runs
from tests.reviewers.claims.asking import claim

CONFIRMED, REFUTED, UNVERIFIED = Check.CONFIRMED, Check.REFUTED, Check.UNVERIFIED


Laid = tuple[dict[str, str | None], dict[str, str] | None]

TRAIN, EVALUATE, PREPROCESS = "src/train.py", "src/evaluate.py", "src/preprocess.py"
_WORDS = '    words = dict(word.split("=", 1) for word in sys.argv[1:])\n'
_TEXT = SOUND_FILES[TRAIN]
_INIT = (
    "wandb.init(entity=cfg.wandb.entity, project=cfg.wandb.project, id=cfg.run_id,"
    " mode=cfg.wandb.mode)"
)
_SEARCH = _TEXT[_TEXT.index("def search") : _TEXT.index("@hydra.main")]
_MODES = _TEXT[
    _TEXT.index('    if cfg.mode == "trial":') : _TEXT.index("    learning_rate = search")
]
_SUGGESTED = (
    'fit(cfg, trial.suggest_float("learning_rate", space.low, space.high, log=True), tracked=False)'
)
_TO_THE_TOP = """[
            OmegaConf.update(cfg, name, trial.suggest_float(name, item.low, item.high))
            for name, item in cfg.optuna.search_space.items()
        ] and fit(cfg, cfg.training.learning_rate, tracked=False)"""


def _argparse(prefix: str) -> dict[str, str | None]:
    parser = f"""    parser = argparse.ArgumentParser()
    parser.add_argument("{prefix}results_dir")
    parser.add_argument("{prefix}run_ids")
    words = vars(parser.parse_args())
"""
    return changed(EVALUATE, ("import json\n", "import argparse\nimport json\n"), (_WORDS, parser))


_TABLE = (
    '[project]\nname = "x"\nversion = "0.1"\n\n[project.dependencies]\ntorch = ">=2.2"\nwandb ='
    ' "*"\nhydra-core = "*"\n'
)
_BARE = "search(cfg) if cfg.optuna.n_trials > 0 else cfg.training.learning_rate"
LAID: dict[str, Laid] = {
    "ok": ({}, None),
    "trial2": (
        changed(
            TRAIN,
            ("n_trials = 0", "n_trials = 2"),
            ("        cfg.training.limit_batches = 2\n", ""),
        ),
        None,
    ),
    "trialwb": (changed(TRAIN, ('        cfg.wandb.mode = "disabled"\n', "")), None),
    "late": (
        changed(
            TRAIN, ('    if cfg.mode == "trial":', f'    {_INIT}\n    if cfg.mode == "trial":')
        ),
        None,
    ),
    "nomode": (changed(TRAIN, (_MODES, "")), None),
    "nocache": (
        changed(PREPROCESS, (", cache_dir=CACHE_DIR", ""), ('CACHE_DIR = ".cache/"\n', "")),
        None,
    ),
    "datadir": (
        changed(PREPROCESS, ("cache_dir=CACHE_DIR", "cache_dir=cfg.dataset.data_dir")),
        changed_runs("  name: fancyzhx/ag_news", "  name: fancyzhx/ag_news\n  data_dir: ./data"),
    ),
    "posit": (_argparse(""), None),
    "optional": (_argparse("--"), None),
    "table": ({"pyproject.toml": _TABLE}, None),
    "nopandas": ({EVALUATE: "import pandas as pd\n" + SOUND_FILES[EVALUATE]}, None),
    "nooptuna": (
        changed(
            TRAIN, ("import optuna\n", ""), (_BARE, "cfg.training.learning_rate"), (_SEARCH, "")
        ),
        None,
    ),
    "space": (
        changed(
            TRAIN,
            ("    space = cfg.optuna.search_space.learning_rate\n\n", ""),
            (_SUGGESTED, _TO_THE_TOP),
        ),
        None,
    ),
    "missing": (
        changed(
            TRAIN,
            ("lr=learning_rate)", "lr=learning_rate, weight_decay=cfg.training.weight_decay)"),
        ),
        None,
    ),
    "extra": (
        {},
        changed_runs(
            "  epochs: 5",
            "  epochs: 5\n  warmup_steps: 10\n  lr_scheduler: cosine\n  gradient_clipping: 1.0",
        ),
    ),
}
"""What each name lays over the sound submission."""


@pytest.mark.parametrize(
    ("laid", "result", "text"),
    [
        ("ok", UNVERIFIED, "`cfg.optuna.n_trials` is never used."),
        (
            "space",
            CONFIRMED,
            (
                "The sampled hyper-parameters are written to the root of the config and never reach"
                " the training."
            ),
        ),
        (
            "space",
            CONFIRMED,
            (
                "Optuna's suggested learning rate is never used for training because it is stored"
                " under cfg.learning_rate."
            ),
        ),
        ("space", CONFIRMED, "The hyper-parameter search has no effect on training."),
        ("ok", UNVERIFIED, "Optuna is never used."),
        (
            "nooptuna",
            CONFIRMED,
            "Optuna is not used anywhere although the run configs define n_trials.",
        ),
        ("nooptuna", CONFIRMED, "train.py contains no Optuna study."),
        ("nooptuna", CONFIRMED, "The search spaces from the run configs are ignored."),
        ("ok", UNVERIFIED, "train.py does not create an Optuna study."),
        ("trial2", CONFIRMED, "In trial mode Optuna still runs 2 trials instead of 0."),
        ("trial2", CONFIRMED, "Trial mode sets optuna.n_trials to 2."),
        ("trial2", CONFIRMED, "Trial mode does not limit the number of batches."),
        ("trial2", CONFIRMED, "The trial mode iterates over the full data loaders."),
        ("ok", UNVERIFIED, "Trial mode does not limit the number of batches."),
        ("ok", UNVERIFIED, "Trial mode does not set optuna.n_trials to 0."),
        ("ok", UNVERIFIED, "Trial mode still trains all epochs."),
        ("ok", CONFIRMED, "Trial mode sets cfg.training.epochs = 1."),
        ("ok", CONFIRMED, 'In trial mode cfg.wandb.mode is set to "disabled".'),
        ("ok", CONFIRMED, 'In full mode cfg.wandb.mode is set to "online".'),
        ("ok", UNVERIFIED, "Trial mode sets training.epochs to 3."),
        ("ok", UNVERIFIED, "WandB is not disabled in trial mode."),
        ("trialwb", CONFIRMED, "WandB is not disabled in trial mode."),
        ("trialwb", CONFIRMED, "Trial mode leaves WandB online."),
        ("late", CONFIRMED, "wandb.init is called before the trial-mode overrides are applied."),
        ("ok", UNVERIFIED, "train.py initialises WandB before the mode is applied."),
        ("nomode", CONFIRMED, "The mode argument is ignored by train.py."),
        ("nomode", CONFIRMED, "There is no handling of trial mode."),
        ("ok", UNVERIFIED, "mode=trial is not handled at all."),
        ("ok", UNVERIFIED, "The mode parameter is ignored."),
        ("nocache", CONFIRMED, 'load_dataset is called without cache_dir=".cache/".'),
        ("nocache", CONFIRMED, "The data set is not stored in the .cache/ directory."),
        ("ok", UNVERIFIED, "The dataset is not cached under .cache/."),
        ("ok", UNVERIFIED, "load_dataset is called without a cache_dir."),
        ("datadir", CONFIRMED, "The data set ends up outside .cache/."),
        (
            "posit",
            CONFIRMED,
            "evaluate.py expects positional arguments instead of key=value pairs.",
        ),
        (
            "posit",
            CONFIRMED,
            (
                "The call `python -m src.evaluate results_dir=... run_ids=...` fails because"
                " argparse reads positionals."
            ),
        ),
        (
            "optional",
            CONFIRMED,
            "evaluate.py uses --results_dir and --run_ids flags rather than key=value arguments.",
        ),
        (
            "optional",
            CONFIRMED,
            (
                "The required command fails because evaluate.py defines --results_dir and --run_ids"
                " options."
            ),
        ),
        ("ok", UNVERIFIED, "evaluate.py does not accept key=value arguments."),
        ("ok", UNVERIFIED, "evaluate.py uses argparse with positional arguments."),
        (
            "table",
            CONFIRMED,
            "pyproject.toml declares project.dependencies as a table, which PEP 621 forbids.",
        ),
        (
            "table",
            CONFIRMED,
            "pyproject.toml cannot be installed: dependencies are a table instead of a list.",
        ),
        ("ok", UNVERIFIED, "pyproject.toml is invalid."),
        ("nopandas", CONFIRMED, "pandas is imported but not declared in pyproject.toml."),
        ("nopandas", CONFIRMED, "pyproject.toml misses pandas."),
        ("ok", UNVERIFIED, "wandb is missing from the dependencies in pyproject.toml."),
        ("ok", UNVERIFIED, "The dependencies do not include optuna."),
        ("ok", CONFIRMED, "main.py passes `mode=` to the training process."),
        ("ok", UNVERIFIED, "main.py does not forward `mode=…` to src.train."),
        ("ok", UNVERIFIED, "The training loop may ignore the mode argument."),
        (
            "ok",
            UNVERIFIED,
            (
                "Trial mode only reduces the training epochs, validation is still executed on the"
                " whole split."
            ),
        ),
        ("ok", UNVERIFIED, "Trial mode might still download the full dataset."),
        ("ok", UNVERIFIED, "In trial mode `cfg.optuna.n_trials` is 2."),
        ("trial2", CONFIRMED, "Optuna trials are not disabled in trial mode (n_trials = 2)."),
        ("trial2", CONFIRMED, "trial mode: batches are not limited."),
        (
            "space",
            CONFIRMED,
            (
                "OmegaConf.update(cfg, name, …) stores the sampled learning rate at the top of the"
                " config, so it is never used."
            ),
        ),
        ("ok", UNVERIFIED, "The optuna search space is ignored."),
        (
            "nocache",
            CONFIRMED,
            "Data sets are downloaded to the default Hugging Face cache instead of `.cache/`.",
        ),
        ("ok", UNVERIFIED, "WandB caches are not placed in .cache/."),
        (
            "posit",
            CONFIRMED,
            "json.loads(args.run_ids) fails since the argument still contains `run_ids=`.",
        ),
        ("posit", CONFIRMED, "The CLI contract of evaluate.py is violated."),
        ("table", CONFIRMED, "`uv run` fails because pyproject.toml is invalid."),
        ("ok", UNVERIFIED, "`uv run` fails because pyproject.toml is invalid."),
        ("nopandas", CONFIRMED, "The dependency pandas is not declared."),
        ("ok", UNVERIFIED, "omegaconf is imported but not listed in pyproject.toml."),
        ("ok", UNVERIFIED, "config.yaml does not contain a wandb section."),
        ("ok", UNVERIFIED, "No WandB entity is configured in config.yaml."),
        ("ok", UNVERIFIED, "evaluate.py takes positional arguments."),
        ("ok", UNVERIFIED, "train.py merges the run config without disabling struct mode."),
        (
            "late",
            CONFIRMED,
            "WandB is initialised before cfg.mode is evaluated, so trial runs are tracked online.",
        ),
        ("ok", CONFIRMED, "Trial mode disables WandB."),
        ("ok", UNVERIFIED, "Trial mode does not disable WandB."),
        ("ok", UNVERIFIED, "In trial mode, WandB logging remains enabled."),
        ("ok", UNVERIFIED, "Trial mode runs the full number of epochs."),
        ("ok", UNVERIFIED, "Trial mode still executes Optuna trials."),
        ("nomode", CONFIRMED, "`cfg.mode` is never evaluated."),
        ("ok", UNVERIFIED, "`cfg.mode` is never evaluated."),
        ("nooptuna", CONFIRMED, "Optuna integration is missing."),
        ("ok", UNVERIFIED, "Optuna integration is missing."),
        ("ok", UNVERIFIED, "The best hyper-parameters are not used for the final training."),
        ("nocache", CONFIRMED, "No cache_dir is passed to load_dataset."),
        ("nocache", CONFIRMED, "preprocess.py downloads to the default cache directory."),
        (
            "posit",
            CONFIRMED,
            "The evaluation script does not accept key=value arguments as required by the CLI.",
        ),
        (
            "optional",
            CONFIRMED,
            "evaluate.py requires `--results_dir`, which violates the required key=value CLI.",
        ),
        (
            "nopandas",
            CONFIRMED,
            "ModuleNotFoundError: pandas is not installed because it is not a dependency.",
        ),
        ("ok", UNVERIFIED, "matplotlib is missing from pyproject.toml."),
        ("ok", UNVERIFIED, "Optuna runs in trial mode as well."),
        ("trial2", CONFIRMED, "Optuna runs in trial mode as well."),
        ("ok", UNVERIFIED, "Neither trial nor full mode is implemented."),
        ("nomode", CONFIRMED, "Neither trial nor full mode is implemented."),
        ("ok", UNVERIFIED, "evaluate.py cannot parse `results_dir=...`."),
        ("posit", CONFIRMED, "evaluate.py cannot parse `results_dir=...`."),
        ("ok", UNVERIFIED, "Dependencies in pyproject.toml are written in a table."),
        ("table", CONFIRMED, "Dependencies in pyproject.toml are written in a table."),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_claim_about_use_of_configuration_is_decided_by_code(
    laid: str, result: Check, text: str
) -> None:
    files, runs = LAID[laid]
    found = claim(text, files, runs)
    assert found.check.result is result, found.check.evidence


@pytest.mark.parametrize(
    "text",
    [
        "config.yaml lacks a `run` section.",
        "`batch_size` is ignored for the evaluation loader.",
        "`learning_rate` is hard-coded in objective.",
        "WandB is not disabled early enough in trial mode.",
        "It would be better if the run group was declared in the defaults.",
        "`cfg.run` might be None.",
        "The config directory may not be found when started from another folder.",
        "Optuna is not used for the baseline.",
        "Optuna is never used for the learning-rate schedule.",
        "The search space is ignored by the baseline run.",
        "The merge into the struct config could fail.",
        "No error is raised if run is missing.",
        "config_path is relative.",
        "The batch size of the evaluation loader is hard-coded.",
        "Mode handling is implemented twice.",
        "Only the training loop honours limit_batches.",
        "`cfg.training.epochs` is read before the merge.",
        "results_dir is never used.",
        "training.batch_size is not documented.",
        "Data is not cached between runs.",
        "evaluate.py is not robust against malformed key=value pairs.",
        "pyproject.toml does not pin versions.",
    ],
)
def test_claim_that_hedges_or_says_more_stays_open(text: str) -> None:
    found = claim(text)
    assert found.check.result is UNVERIFIED, found.check.evidence
