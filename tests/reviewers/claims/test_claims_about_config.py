"""Guards the checks on how Hydra is started, which keys the configuration has, and which of them
are used.
"""

import pytest

from reviewers.records import Check
from tests.builders import SOUND_FILES, SOUND_RUNS, changed, changed_runs
from tests.reviewers.claims.asking import claim

CONFIRMED, REFUTED, UNVERIFIED = Check.CONFIRMED, Check.REFUTED, Check.UNVERIFIED


Laid = tuple[dict[str, str | None], dict[str, str] | None]

MAIN, TRAIN, CONFIG = "src/main.py", "src/train.py", "config/config.yaml"
_DECAY = changed(
    TRAIN, ("lr=learning_rate)", "lr=learning_rate, weight_decay=cfg.training.weight_decay)")
)
_IN_GROUP = {f"config/run/{name}.yaml": text for name, text in SOUND_RUNS.items()}
LAID: dict[str, Laid] = {
    "ok": ({}, None),
    "badpath": (
        changed(MAIN, ('"../config"', '"../../config"'))
        | changed(TRAIN, ('"../config"', '"../../config"')),
        None,
    ),
    "noname": (
        changed(MAIN, (', config_name="config"', ""))
        | changed(TRAIN, (', config_name="config"', "")),
        None,
    ),
    "rundict": (changed(CONFIG, ("run: ???", "run:\n  run_id: none")), None),
    "runid": (changed(MAIN, ("{cfg.run}", "{cfg.run.run_id}")), None),
    "group": (changed(CONFIG, ("  - _self_", "  - _self_\n  - run: base")), _IN_GROUP),
    "groupdir": ({}, _IN_GROUP),
    "struct": (changed(TRAIN, ("    OmegaConf.set_struct(cfg, False)\n", "")), None),
    "missing": (_DECAY, None),
    "missing1": (
        _DECAY,
        changed_runs("  epochs: 5", "  epochs: 5\n  weight_decay: 0.1", only="proposed"),
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
        (
            "badpath",
            CONFIRMED,
            "Both decorators point Hydra at `../../config`, which is outside of the project.",
        ),
        (
            "badpath",
            CONFIRMED,
            "The config_path in src/main.py is wrong, so Hydra cannot find config/config.yaml.",
        ),
        (
            "badpath",
            CONFIRMED,
            (
                "Because of the wrong config_path the documented command aborts with"
                " MissingConfigException."
            ),
        ),
        (
            "ok",
            UNVERIFIED,
            'config_path="../config" is wrong, Hydra will look outside the repository.',
        ),
        (
            "ok",
            UNVERIFIED,
            "Hydra will not find the configuration directory because config_path is incorrect.",
        ),
        ("noname", CONFIRMED, "The @hydra.main decorators do not specify config_name."),
        ("noname", CONFIRMED, "config_name is missing in the decorator of src/train.py."),
        ("ok", UNVERIFIED, "The @hydra.main decorator in src/train.py has no config_name."),
        ("groupdir", CONFIRMED, "config/config.yaml has no `run` entry in its defaults list."),
        (
            "groupdir",
            CONFIRMED,
            (
                "`python -m src.main run=proposed-mlp-agnews` fails because Hydra finds no match"
                " for run in the defaults list."
            ),
        ),
        (
            "groupdir",
            CONFIRMED,
            "The run group is never declared in the defaults, so the CLI override crashes.",
        ),
        ("group", UNVERIFIED, "The defaults list does not contain a run group."),
        ("group", UNVERIFIED, "config.yaml lacks the run group in its defaults section."),
        ("rundict", CONFIRMED, "config.yaml defines `run` as a mapping."),
        ("ok", UNVERIFIED, "config/config.yaml declares `run` as a dictionary."),
        ("runid", CONFIRMED, "main.py reads cfg.run.run_id, but cfg.run is a plain string."),
        ("runid", CONFIRMED, "`cfg.run.run_id` raises AttributeError because cfg.run is a string."),
        ("runid", CONFIRMED, "cfg.run is just the string given on the command line."),
        ("ok", UNVERIFIED, "cfg.run does not exist in the composed config."),
        (
            "ok",
            CONFIRMED,
            (
                "The run YAMLs are loaded manually with OmegaConf.load rather than through Hydra's"
                " defaults."
            ),
        ),
        ("ok", UNVERIFIED, "train.py never loads the run config files."),
        ("ok", UNVERIFIED, "The run-specific configs are never merged into cfg."),
        ("ok", CONFIRMED, "The config/runs directory is missing."),
        (
            "ok",
            UNVERIFIED,
            "Run configurations are hard-coded in Python instead of loading config/runs/*.yaml.",
        ),
        ("struct", CONFIRMED, "OmegaConf.merge fails because cfg is in struct mode."),
        (
            "struct",
            CONFIRMED,
            "Merging the run config raises ConfigKeyError since the Hydra config is struct.",
        ),
        (
            "ok",
            UNVERIFIED,
            (
                "OmegaConf.merge(cfg, …) raises ConfigKeyError because the struct flag is never"
                " cleared."
            ),
        ),
        (
            "missing",
            CONFIRMED,
            "train.py reads cfg.training.weight_decay, which is not defined in any run config.",
        ),
        (
            "missing",
            CONFIRMED,
            "`cfg.training.weight_decay` does not exist and raises ConfigAttributeError.",
        ),
        ("missing", CONFIRMED, "The key training.weight_decay is missing from the configuration."),
        (
            "missing1",
            CONFIRMED,
            "cfg.training.weight_decay is missing in the comparative run config.",
        ),
        ("missing1", CONFIRMED, "`weight_decay` is only present in the proposed run config."),
        (
            "missing1",
            CONFIRMED,
            "The baseline run crashes because cfg.training.weight_decay is not in its YAML.",
        ),
        ("ok", UNVERIFIED, "The run configs lack the `batch_size` key."),
        ("ok", UNVERIFIED, "cfg.training.batch_size is not defined in the run configs."),
        ("ok", UNVERIFIED, "`training.learning_rate` is missing from all run configs."),
        ("extra", CONFIRMED, "The warmup_steps parameter is ignored."),
        ("extra", CONFIRMED, "Gradient clipping option in the run configs is never used."),
        ("extra", CONFIRMED, "lr_scheduler is defined in the YAML but never used by train.py."),
        (
            "extra",
            CONFIRMED,
            "The learning-rate scheduler requested in the run configs is ignored.",
        ),
        ("extra", UNVERIFIED, "`batch_size` from the run config is ignored."),
        ("ok", UNVERIFIED, "training.batch_size is never read by the code."),
        ("ok", UNVERIFIED, "main.py never passes the run id to the subprocess."),
        ("ok", CONFIRMED, "main.py launches src.train in a subprocess."),
        (
            "ok",
            UNVERIFIED,
            "`training.learning_rate` is hard-coded and never read from the configuration.",
        ),
        ("ok", UNVERIFIED, "The configuration could be structured more clearly."),
        (
            "runid",
            CONFIRMED,
            (
                "Attribute access on cfg.run fails, `AttributeError: 'str' object has no attribute"
                " 'run_id'`."
            ),
        ),
        (
            "runid",
            CONFIRMED,
            "src/main.py treats cfg.run as a node with run_id, although it is a string.",
        ),
        (
            "missing",
            CONFIRMED,
            "No YAML file defines `training.weight_decay`, which train.py reads.",
        ),
        (
            "missing",
            CONFIRMED,
            "Accessing cfg.training.weight_decay crashes because the key is absent.",
        ),
        ("missing1", UNVERIFIED, "`weight_decay` is missing in all run configs."),
        ("missing1", UNVERIFIED, "`training.weight_decay` is absent from the proposed run config."),
        ("struct", CONFIRMED, "The run YAML cannot be merged because Hydra's config is a struct."),
        ("ok", UNVERIFIED, "config/config.yaml lacks entity and project."),
        ("ok", CONFIRMED, "`training.epochs` is 5 in the run configs."),
        ("ok", UNVERIFIED, "`training.epochs` is 50 in the run configs."),
        (
            "extra",
            CONFIRMED,
            "train.py ignores `training.gradient_clipping` from the run configuration.",
        ),
        (
            "extra",
            UNVERIFIED,
            "`cfg.training.epochs` from the run config is never used by train.py.",
        ),
        ("extra", CONFIRMED, "warmup_steps and gradient_clipping are never used."),
        ("extra", UNVERIFIED, "The learning rate is not tuned well."),
        ("ok", UNVERIFIED, "The batch size is hard-coded instead of being read from the config."),
        ("ok", UNVERIFIED, "`learning_rate` is hard-coded in train.py."),
        ("missing", CONFIRMED, "train.py line 31 accesses an undefined config key."),
        (
            "missing",
            CONFIRMED,
            "`cfg.training.weight_decay` is read in train.py but no run YAML provides it.",
        ),
        ("missing", UNVERIFIED, "`cfg.training.weight_decay` is defined in every run config."),
        (
            "missing1",
            CONFIRMED,
            "For the comparative run `cfg.training.weight_decay` raises ConfigAttributeError.",
        ),
        (
            "struct",
            CONFIRMED,
            "In struct mode the merge with the run YAML is refused, so training never starts.",
        ),
        ("struct", CONFIRMED, "train.py merges the run config without disabling struct mode."),
        (
            "groupdir",
            CONFIRMED,
            "Hydra cannot compose the configuration for `run=proposed-mlp-agnews`.",
        ),
        ("groupdir", CONFIRMED, "The documented CLI call stops with ConfigCompositionException."),
        ("ok", UNVERIFIED, "The documented CLI call stops with ConfigCompositionException."),
        ("ok", UNVERIFIED, "Hydra composition fails for every run."),
        (
            "ok",
            UNVERIFIED,
            (
                "`python -m src.main run=proposed-mlp-agnews` fails because Hydra does not know the"
                " group `run`."
            ),
        ),
        ("badpath", CONFIRMED, '`config_path="../../config"` points one level too high.'),
        (
            "noname",
            CONFIRMED,
            "Hydra never loads config/config.yaml since the decorator has no config_name.",
        ),
        ("ok", CONFIRMED, "main.py uses `sys.executable` to start src.train."),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_claim_about_configuration_is_decided_by_it(laid: str, result: Check, text: str) -> None:
    files, runs = LAID[laid]
    found = claim(text, files, runs)
    assert found.check.result is result, found.check.evidence


_GETS = """from sklearn.linear_model import Ridge


def make_cost(section):
    return Ridge(alpha=section.get("ridge_alpha", 1.0))


def run(cfg):
    part = cfg.training
    return make_cost(part)
"""


@pytest.mark.parametrize(
    ("text", "elsewhere", "result"),
    [
        ("make_cost() looks for it in `cfg.training`.", True, CONFIRMED),
        ("make_cost() looks for it in `cfg.model`.", True, UNVERIFIED),
        (
            "Ridge is always built with the default `ridge_alpha` instead of the YAML value.",
            True,
            CONFIRMED,
        ),
        (
            "Ridge is always built with the default `ridge_alpha` instead of the YAML value.",
            False,
            UNVERIFIED,
        ),
        ("`ridge_alpha` is defined under the `cost` section of the run configs.", True, CONFIRMED),
        (
            "`ridge_alpha` is defined under the `cost` section of the run configs.",
            False,
            UNVERIFIED,
        ),
    ],
)
def test_section_that_is_asked_for_a_key_decides(text: str, elsewhere: bool, result: Check) -> None:
    change = (
        ("training:", "cost:\n  ridge_alpha: 0.5\ntraining:")
        if elsewhere
        else ("  epochs: 5", "  epochs: 5\n  ridge_alpha: 0.5")
    )
    found = claim(text, {"src/cost.py": _GETS}, changed_runs(*change))
    assert found.check.result is result, found.check.evidence


@pytest.mark.parametrize(
    ("head", "result"),
    [
        pytest.param("", UNVERIFIED, id="under-the-group"),
        pytest.param("# @package _global_\n", CONFIRMED, id="global"),
    ],
)
def test_keys_of_run_files_lie_where_their_package_says(head: str, result: Check) -> None:
    config = (
        SOUND_FILES[CONFIG]
        .replace("  - _self_", "  - _self_\n  - run: ???")
        .replace("run: ???\nresults", "results")
    )
    train = SOUND_FILES[TRAIN]
    merge = train[train.index("    cfg = OmegaConf.merge") : train.index("    if cfg.mode ==")]
    runs = {path: head + text for path, text in _IN_GROUP.items()}
    text = "The run-specific fields are merged at the root level of the configuration."
    found = claim(text, {CONFIG: config, TRAIN: train.replace(merge, "")}, runs)
    assert found.check.result is result, found.check.evidence
