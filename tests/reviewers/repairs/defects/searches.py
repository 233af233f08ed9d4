# ruff: noqa: E501  a line of code is clearest whole
"""Paths of search spaces, configurations of data sets, resolvers, and WandB's own objects."""

from functools import partial

from tests.reviewers.repairs.started import Case, sound

_case = partial(Case, "searches")
_SPARSE = [path for path in sound()["sparse-forecast"] if path.startswith("config/run/")]
_ADAPTERS = [path for path in sound()["adapters"] if path.startswith("config/run/")]
_SOUND = [path for path in sound()["sound_submission"] if path.startswith("config/runs/")]
_SAM = [path for path in sound()["gated-sam"] if path.startswith("config/runs/")]
_HEAD = [path for path in sound()["retrieval-head"] if path.startswith("config/runs/")]
_NOISE = [path for path in sound()["noise-batch"] if path.startswith("config/runs/")]

CASES = (
    _case(
        "a space whose path lacks its section",
        "adapters",
        "HY05",
        "ConfigAttributeError",
        dict.fromkeys(_ADAPTERS, (("key: training.rate", "key: rate"),)),
        (_ADAPTERS[0], "key: training.rate"),
    ),
    _case(
        "a space whose key is spelled otherwise",
        "adapters",
        "HY05",
        "ConfigAttributeError",
        dict.fromkeys(_ADAPTERS, (("key: training.rate", "key: training.learning_rate"),)),
        (_ADAPTERS[0], "key: training.rate"),
    ),
    _case(
        "a space without its upper bound",
        "sound_submission",
        "HY02",
        "ConfigAttributeError",
        dict.fromkeys(_SOUND, (("      high: 1.0e-2\n", ""),)),
    ),
    _case(
        "a space whose bounds are called otherwise",
        "sparse-forecast",
        "HY02",
        "ConfigAttributeError",
        dict.fromkeys(_SPARSE, (("      low: 1.0e-4\n      high: 3.0e-3\n", "      min: 1.0e-4\n      max: 3.0e-3\n"),)),
    ),
    _case(
        "a data set without its configuration",
        "adapters",
        "DA04",
        "ValueError",
        {"src/preprocess.py": (("load_dataset(settings.dataset.name, settings.dataset.config, cache_dir=CACHE)", "load_dataset(settings.dataset.name, cache_dir=CACHE)"),)},
    ),
    _case(
        "a data set with a configuration that it lacks",
        "adapters",
        "DA04",
        "ValueError",
        dict.fromkeys(_ADAPTERS, (("  config: sst2\n", "  config: SST-2  # two classes\n"),)),
        (_ADAPTERS[0], "  config: sst2  # two classes\n"),
    ),
    _case(
        "a data set that is named in the code, without its configuration",
        "noise-batch",
        "DA04",
        "RuntimeError",
        {"src/preprocess.py": (("load_dataset(name, cache_dir=CACHE_DIR)", 'load_dataset(\n            "cardiffnlp/tweet_eval",\n            cache_dir=CACHE_DIR,\n        )'),)},
    ),
    _case(
        "a data set that is a script",
        "retrieval-head",
        "DA06",
        "RuntimeError",
        dict.fromkeys(_HEAD, (("name: mteb/banking77", "name: PolyAI/banking77"),)),
    ),
    _case(
        "a resolver that nobody registers",
        "sparse-forecast",
        "HY11",
        "UnsupportedInterpolationType",
        dict.fromkeys(_SPARSE, (("  patience: 5\n", "  patience: ${div:${training.epochs},4}\n"),)),
    ),
    _case(
        "a resolver that is called as Python's function",
        "sound_submission",
        "HY11",
        "UnsupportedInterpolationType",
        dict.fromkeys(_SOUND, (("  hidden: 64\n", '  hidden: ${eval:"${model.width} // 8"}\n'),)),
    ),
    _case(
        "an interpolation that forgets its section",
        "sparse-forecast",
        "HY11",
        "InterpolationKeyError",
        dict.fromkeys(_SPARSE, (("  patience: 5\n", "  patience: ${epochs}\n"),)),
    ),
    _case(
        "a summary as WandB has it",
        "sound_submission",
        "EV31",
        "TypeError",
        {
            "src/evaluate.py": (
                ("run.history(), run.summary._json_dict, dict(run.config)", "run.history(), dict(run.summary), dict(run.config)"),
                ('"config": config}', '"config": config, "summary": summary}'),
            )
        },
    ),
    _case(
        "a summary that a helper writes",
        "temperature-mixing",
        "EV31",
        "TypeError",
        {"src/evaluate.py": (("summary = run.summary._json_dict", "summary = dict(run.summary)"),)},
    ),
    _case(
        "a summary in a comprehension",
        "adapters",
        "EV31",
        "TypeError",
        {"src/evaluate.py": (("    summary = run.summary._json_dict\n", "    summary = {key: value for key, value in run.summary.items()}\n"),)},
    ),
    _case(
        "the configuration is not made plain",
        "retrieval-head",
        "IM10",
        "TypeError",
        {"src/train.py": (("config=OmegaConf.to_container(cfg, resolve=True)", "config=OmegaConf.to_container(cfg, resolve=True, deep_copy=True)"),)},
    ),
    # As somebody else would write it.
    _case(
        "a space that names another section",
        "retrieval-head",
        "HY02",
        "ConfigKeyError",
        {
            **dict.fromkeys(_HEAD, (("    - name: training.learning_rate\n", "    - name: optimizer.learning_rate\n"),)),
            "src/train.py": (("            OmegaConf.update(candidate, space.name, value)\n", """            node = candidate
            *path, leaf = space.name.split(".")
            for part in path:
                node = node[part]
            node[leaf] = value
"""),),
        },
        (_HEAD[0], "- name: training.learning_rate"),
    ),
    _case(
        "a space of one run with other words",
        "gated-sam",
        "HY02",
        "ConfigAttributeError",
        {_SAM[0]: (("{type: float, low: 0.02, high: 0.3,", "{type: float, lower: 0.02, upper: 0.3,"),)},
        (_SAM[0], "{type: float, low: 0.02, high: 0.3,"),
    ),
    _case(
        "a space of one run without its upper bound",
        "sound_submission",
        "HY02",
        "ConfigAttributeError",
        {_SOUND[1]: (("      high: 1.0e-2\n", ""),)},
    ),
    _case(
        "an interpolation with a section of another name",
        "sparse-forecast",
        "HY11",
        "InterpolationKeyError",
        dict.fromkeys(_SPARSE, (("  patience: 5\n", "  patience: ${train.epochs}  # as long as it takes\n"),)),
        (_SPARSE[0], "  patience: ${training.epochs}  # as long"),
    ),
    _case(
        "an interpolation that forgets where the group lies",
        "adapters",
        "HY11",
        "InterpolationKeyError",
        dict.fromkeys(_ADAPTERS, (("  alpha: 16\n", "  alpha: ${method.rank}\n"),)),
        (_ADAPTERS[0], "  alpha: ${run.method.rank}\n"),
    ),
    _case(
        "an interpolation that asks the configuration by name",
        "sparse-forecast",
        "HY11",
        "UnsupportedInterpolationType",
        dict.fromkeys(_SPARSE, (("  patience: 5\n", '  patience: "${cfg:training.epochs}"\n'),)),
        (_SPARSE[0], '  patience: "${training.epochs}"\n'),
    ),
    _case(
        "OmegaConf's resolver by its old name",
        "sound_submission",
        "HY11",
        "UnsupportedInterpolationType",
        dict.fromkeys(_SOUND, (("  name: fancyzhx/ag_news\n", "  name: ${env:DATA_SET,fancyzhx/ag_news}\n"),)),
        (_SOUND[0], "  name: ${oc.env:DATA_SET,fancyzhx/ag_news}\n"),
    ),
    _case(
        "a summary that is copied pair by pair",
        "temperature-mixing",
        "EV31",
        "TypeError",
        {"src/evaluate.py": (("summary = run.summary._json_dict", "summary = dict(run.summary.items())"),)},
    ),
    _case(
        "a function reads from its section what the whole has",
        "adapters",
        "HY02",
        "ConfigAttributeError",
        {
            "src/train.py": (
                ('        mode="disabled" if cfg.mode == "trial" else cfg.wandb.mode,\n', "        mode=tracking(settings),\n"),
                ("def compute_metrics(", 'def tracking(settings) -> str:\n    return "disabled" if settings.mode == "trial" else "online"\n\n\ndef compute_metrics('),
            )
        },
        ("src/train.py", "mode=tracking(settings, mode=cfg.mode)"),
    ),
    _case(
        "a data set by keyword, without its configuration",
        "noise-batch",
        "DA04",
        "RuntimeError",
        {"src/preprocess.py": (("load_dataset(name, cache_dir=CACHE_DIR)", 'load_dataset(path="cardiffnlp/tweet_eval", cache_dir=CACHE_DIR)'),)},
    ),
    _case(
        "the run files have the configuration under another key",
        "adapters",
        "DA04",
        "ValueError",
        {
            "src/preprocess.py": (("load_dataset(settings.dataset.name, settings.dataset.config, cache_dir=CACHE)", "load_dataset(path=settings.dataset.name, cache_dir=CACHE)"),),
            **dict.fromkeys(_ADAPTERS, (("  config: sst2\n", "  subset: sst2\n"),)),
        },
        ("src/preprocess.py", "name=settings.dataset.subset"),
    ),
    _case(
        "underscores that become dots",
        "adapters",
        "HY05",
        "ConfigKeyError",
        {
            "src/train.py": (
                ("OmegaConf.update(settings, entry.key, value)", 'OmegaConf.update(settings, entry.key.replace("_", "."), value)'),
                ("OmegaConf.update(settings, key, value)", 'OmegaConf.update(settings, key.replace("_", "."), value)'),
            ),
            **dict.fromkeys(_ADAPTERS, (("key: training.rate", "key: training_train_batch"),)),
        },
        (_ADAPTERS[0], "key: training.train_batch"),
    ),
    _case(
        "a number in quotes",
        "noise-batch",
        "IM12",
        "TypeError",
        dict.fromkeys(_NOISE, (("weight_decay: 1.0e-4", "weight_decay: '1.0e-4'"),)),
        (_NOISE[0], "weight_decay: 1.0e-4"),
    ),
    _case(
        "a configuration is written as JSON",
        "retrieval-head",
        "RC09",
        "TypeError",
        {
            "src/train.py": (
                ("import random\n", "import json\nimport random\n"),
                ("    head, best, best_epoch = fit(", '    with open(run_dir / "config.json", "w") as file:\n        json.dump(cfg, file, indent=2)\n    head, best, best_epoch = fit('),
            )
        },
        ("src/train.py", "json.dump(OmegaConf.to_container(cfg, resolve=True), file"),
    ),
    _case(
        "a section within what is written as JSON",
        "temperature-mixing",
        "RC09",
        "TypeError",
        {
            "src/train.py": (
                ("import math\n", "import json\nimport math\n"),
                ("    bins = cfg.calibration.bins\n", '    bins = cfg.calibration.bins\n    (output / "used.json").write_text(json.dumps({"calibration": cfg.calibration}))\n'),
            )
        },
        ("src/train.py", "OmegaConf.to_container(cfg.calibration, resolve=True)"),
    ),
    _case(
        "a path is written as JSON",
        "noise-batch",
        "IM27",
        "TypeError",
        {"src/evaluate.py": (('        "gap": gap,\n', '        "gap": gap,\n        "results_dir": results_dir,\n'),)},
        ("src/evaluate.py", '"results_dir": str(results_dir)'),
    ),
)  # fmt: skip
