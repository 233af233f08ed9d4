# ruff: noqa: E501  a line of code is clearest whole
"""Merges into a struct configuration, and the overrides of a mode that it refuses."""

from functools import partial

from tests.reviewers.repairs.started import Case

_case = partial(Case, "structs")
_OPEN = "    OmegaConf.set_struct(cfg, False)\n"

CASES = (
    _case(
        "merge in the entry function",
        "sound_submission",
        "HY01",
        "ConfigKeyError",
        {"src/train.py": ((_OPEN, ""),)},
    ),
    _case(
        "merge in a helper",
        "gated-sam",
        "HY01",
        "ConfigKeyError",
        {"src/main.py": ((_OPEN, ""),)},
    ),
    _case(
        "a merge over several lines with a comment",
        "noise-batch",
        "HY01",
        "ConfigKeyError",
        {
            "src/main.py": (
                (_OPEN, ""),
                (
                    "    run_cfg = OmegaConf.load(run_file)\n    cfg = OmegaConf.merge(cfg, run_cfg)\n",
                    "    cfg = OmegaConf.merge(\n        cfg,  # what all runs share\n"
                    "        OmegaConf.load(run_file),\n    )\n",
                ),
            )
        },
    ),
    _case(
        "a merge that is returned by a nested function",
        "temperature-mixing",
        "HY01",
        "ConfigKeyError",
        {
            "src/main.py": (
                (
                    "    base = OmegaConf.create(OmegaConf.to_container(cfg, resolve=True))\n"
                    "    return OmegaConf.merge(base, OmegaConf.load(path))\n",
                    "\n    def laid_over(shared):\n"
                    "        return OmegaConf.merge(shared, OmegaConf.load(path))\n\n"
                    "    return laid_over(cfg)\n",
                ),
            )
        },
    ),
    _case(
        "a merge under another name of the library",
        "retrieval-head",
        "HY01",
        "ConfigKeyError",
        {
            "src/train.py": (
                ("from omegaconf import DictConfig, OmegaConf\n", "import omegaconf as oc\nfrom omegaconf import DictConfig\n"),
                (_OPEN, ""),
                ("    cfg = OmegaConf.merge(cfg, OmegaConf.load(run_file))\n", "    merged = oc.OmegaConf.merge(cfg, oc.OmegaConf.load(run_file))\n    cfg = merged\n"),
                ("OmegaConf.create(OmegaConf.to_container(cfg, resolve=True))", "oc.OmegaConf.create(oc.OmegaConf.to_container(cfg, resolve=True))"),
                ("            OmegaConf.update(candidate", "            oc.OmegaConf.update(candidate"),
                ("            OmegaConf.update(cfg", "            oc.OmegaConf.update(cfg"),
                ("config=OmegaConf", "config=oc.OmegaConf"),
            )
        },
    ),
    _case(
        "two processes that merge",
        "sound_submission",
        "HY01",
        "ConfigKeyError",
        {
            "src/main.py": (
                ("from omegaconf import DictConfig\n", "from omegaconf import DictConfig, OmegaConf\n"),
                (
                    "    command = [\n",
                    '    chosen = OmegaConf.merge(cfg, OmegaConf.load(root / "config/runs" / (cfg.run + ".yaml")))\n'
                    '    print("starting", chosen.run_id, chosen.method)\n    command = [\n',
                ),
            ),
            "src/train.py": ((_OPEN, ""),),
        },
    ),
    _case(
        "a merge of a part of the configuration",
        "gated-sam",
        "HY01",
        "ConfigKeyError",
        {
            "src/main.py": (
                (
                    "    merged = OmegaConf.merge(cfg, OmegaConf.load(path))\n",
                    "    merged = OmegaConf.merge(cfg, OmegaConf.load(path))\n"
                    '    merged.limits = OmegaConf.merge(cfg.limits, {"seed_count": 1})\n',
                ),
                ("    OmegaConf.set_struct(cfg, False)\n", "    OmegaConf.set_struct(cfg, True)\n"),
            )
        },
    ),
    _case(
        "merge_with on the configuration itself",
        "noise-batch",
        "HY01",
        "ConfigKeyError",
        {
            "src/main.py": (
                (_OPEN, ""),
                ("    cfg = OmegaConf.merge(cfg, run_cfg)\n", "    cfg.merge_with(run_cfg)\n"),
            )
        },
    ),
    _case(
        "the mode is applied before the run file is there",
        "noise-batch",
        "HY05",
        "ConfigAttributeError",
        {
            "src/main.py": (
                ("    OmegaConf.set_struct(cfg, False)\n    run_cfg", "    apply_mode(cfg)\n    OmegaConf.set_struct(cfg, False)\n    run_cfg"),
                ("    cfg = OmegaConf.merge(cfg, run_cfg)\n    apply_mode(cfg)\n", "    cfg = OmegaConf.merge(cfg, run_cfg)\n"),
                ("        cfg.optuna.n_trials = 0\n        cfg.training.epochs = 1\n", "        cfg.optuna.n_trials = 0\n        cfg.optuna.timeout = 30\n"),
            )
        },
    ),
    _case(
        "a trial writes a key of its own",
        "sparse-forecast",
        "HY05",
        "ConfigAttributeError",
        {"config/config.yaml": (("\ntraining:\n  batch_limit: null\n", ""),)},
    ),
    _case(
        "a section is written by subscript",
        "sparse-forecast",
        "HY05",
        "ConfigKeyError",
        {
            "src/main.py": (
                ('        cfg.wandb.mode = "disabled"\n', '        cfg["is_trial"] = True  # for the figures\n        cfg.wandb.mode = "disabled"\n'),
            )
        },
    ),
    _case(
        "an update with a path",
        "sparse-forecast",
        "HY05",
        "ConfigAttributeError",
        {
            "src/main.py": (
                ("        cfg.training.batch_limit = 2\n", '        OmegaConf.update(cfg, "training.warmup_steps", 0)\n        cfg.training.batch_limit = 2\n'),
            )
        },
    ),
    _case(
        "writes in a helper with another name for the configuration",
        "adapters",
        "HY05",
        "ConfigAttributeError",
        {
            "src/train.py": (
                ("def tune(settings", "def shorten(node: DictConfig) -> None:\n    node.training.epochs = 1\n    node.training.eval_batches = 4\n    node.wandb_group = \"trial\"\n\n\ndef tune(settings"),
                ("    folder = Path(cfg.results_dir)", '    if cfg.mode == "trial":\n        shorten(settings)\n    folder = Path(cfg.results_dir)'),
            )
        },
    ),
    _case(
        "words for the child in a list",
        "adapters",
        "HY03",
        "ConfigCompositionException",
        {
            "src/main.py": (
                ('        words.append("run.training.max_steps=2")\n', '        words += ["run.training.max_steps=2", "run.training.eval_batches=1"]\n'),
            )
        },
    ),
    _case(
        "words for the child with an unknown section",
        "sound_submission",
        "HY03",
        "ConfigCompositionException",
        {
            "src/main.py": (
                ('        f"mode={cfg.mode}",\n', '        f"mode={cfg.mode}",\n        f"trial.is_short={cfg.mode == \'trial\'}",\n'),
            )
        },
    ),
    _case(
        "words for the child split from one text",
        "retrieval-head",
        "HY03",
        "ConfigCompositionException",
        {
            "src/main.py": (
                ("    print(\"Launching", '    if cfg.mode == "trial":\n        command += "limits.texts=64 limits.test_texts=64".split()\n    print("Launching'),
            )
        },
    ),
    _case(
        "setattr on a section",
        "sparse-forecast",
        "HY05",
        "ConfigAttributeError",
        {"src/main.py": (("        cfg.training.batch_limit = 2\n", '        for name, value in (("batch_limit", 2),):\n            setattr(cfg.training, name, value)\n        setattr(cfg.training, "log_every", 1)\n'),)},
    ),
    _case(
        "an object that keeps the configuration",
        "sparse-forecast",
        "HY05",
        "ConfigAttributeError",
        {
            "src/main.py": (
                (
                    '@hydra.main(version_base="1.3"',
                    "class Experiment:\n    def __init__(self, config):\n        self.config = config\n\n"
                    "    def shorten(self):\n        self.config.training.epochs = 1\n        self.config.training.smoke_test = True\n\n"
                    '    def run(self):\n        if self.config.mode == "trial":\n            self.shorten()\n        train(self.config)\n\n\n'
                    '@hydra.main(version_base="1.3"',
                ),
                ("    train(cfg)\n", "    Experiment(cfg).run()\n"),
            )
        },
    ),
    _case(
        "an update of a section with several keys",
        "sparse-forecast",
        "HY01",
        "ConfigKeyError",
        {"src/main.py": (("        cfg.training.batch_limit = 2\n", '        cfg.training.update({"batch_limit": 2, "num_workers": 0})\n'),)},
    ),
    _case(
        "a merge of a copy",
        "noise-batch",
        "HY01",
        "ConfigKeyError",
        {
            "src/main.py": (
                ("from pathlib import Path\n", "from copy import deepcopy\nfrom pathlib import Path\n"),
                (_OPEN, ""),
                ("    cfg = OmegaConf.merge(cfg, run_cfg)\n", "    base_cfg = deepcopy(cfg)\n    cfg = OmegaConf.merge(base_cfg, run_cfg)\n"),
            )
        },
    ),
    _case(
        "both modes write the same new key",
        "sparse-forecast",
        "HY05",
        "ConfigAttributeError",
        {
            "src/main.py": (
                ('        cfg.wandb.mode = "disabled"\n', '        cfg.wandb.mode, cfg.debug = "disabled", True\n'),
                ('        cfg.wandb.mode = "online"\n', '        cfg.wandb.mode = "online"\n        cfg.debug = False\n'),
            )
        },
    ),
    _case(
        "a key of a section by two subscripts",
        "sparse-forecast",
        "HY05",
        "ConfigKeyError",
        {"src/train.py": (("    output_dir = Path(cfg.results_dir)", '    cfg["training"]["device"] = str(device)\n    output_dir = Path(cfg.results_dir)'),)},
    ),
    _case(
        "a merge that an object keeps",
        "noise-batch",
        "HY01",
        "ConfigKeyError",
        {
            "src/main.py": (
                (
                    "@hydra.main(",
                    "class Launcher:\n    def __init__(self, cfg: DictConfig, run_file: Path) -> None:\n"
                    "        self.cfg = OmegaConf.merge(cfg, OmegaConf.load(run_file))\n\n\n@hydra.main(",
                ),
                (_OPEN, ""),
                ("    run_cfg = OmegaConf.load(run_file)\n    cfg = OmegaConf.merge(cfg, run_cfg)\n", "    cfg = Launcher(cfg, run_file).cfg\n"),
            )
        },
    ),
    _case(
        "a trial merges a mapping",
        "sparse-forecast",
        "HY01",
        "ConfigKeyError",
        {"src/main.py": (("        cfg.training.batch_limit = 2\n", '        cfg = OmegaConf.merge(cfg, {"training": {"batch_limit": 2}, "trial": {"samples": 64}})\n'),)},
    ),
    _case(
        "a write where only reading was forbidden",
        "sparse-forecast",
        "HY05",
        "ConfigAttributeError",
        {
            "src/main.py": (
                ("import DictConfig, OmegaConf\n", "import DictConfig, OmegaConf, read_write\n"),
                ("        cfg.training.batch_limit = 2\n", "        with read_write(cfg):\n            cfg.training.batch_limit = 2\n            cfg.training.val_batches = 2\n"),
            )
        },
    ),
    _case(
        "a section is taken out",
        "sparse-forecast",
        "HY05",
        "ConfigTypeError",
        {"src/main.py": (("        cfg.optuna.n_trials = 0\n", '        cfg.optuna.n_trials = 0\n        cfg.optuna.pop("search_space")\n'),)},
    ),
    _case(
        "keys of a mapping that the code spells",
        "sparse-forecast",
        "HY05",
        "ConfigKeyError",
        {"src/main.py": (("        cfg.training.batch_limit = 2\n", '        for key, value in {"batch_limit": 2, "eval_limit": 2}.items():\n            cfg.training[key] = value\n'),)},
    ),
    _case(
        "a helper of another module writes",
        "retrieval-head",
        "HY05",
        "ConfigKeyError",
        {
            "src/overrides.py": 'def shrink(config):\n    """What a trial changes."""\n    config["wandb"]["tags"] = ["trial"]\n    config["wandb"]["mode"] = "disabled"\n',
            "src/main.py": (
                ("from omegaconf import DictConfig\n", "from omegaconf import DictConfig\n\nfrom src.overrides import shrink\n"),
                ("    results_dir =", '    if cfg.mode == "trial":\n        shrink(cfg)\n    results_dir ='),
            ),
        },
    ),
    _case(
        "a section merged with more",
        "sparse-forecast",
        "HY01",
        "ConfigKeyError",
        {"src/main.py": (("        cfg.training.batch_limit = 2\n", '        cfg.training = OmegaConf.merge(cfg.training, OmegaConf.create({"warmup_batches": 1}))\n'),)},
    ),
    _case(
        "an update that is to merge",
        "noise-batch",
        "HY05",
        "ConfigKeyError",
        {"src/main.py": (("    OmegaConf.set_struct(cfg, False)\n", '    if cfg.mode == "trial":\n        OmegaConf.update(cfg, "trial.enabled", True, merge=True)\n    OmegaConf.set_struct(cfg, False)\n'),)},
    ),
    _case(
        "a default that is set",
        "sparse-forecast",
        "HY05",
        "ConfigKeyError",
        {"src/main.py": (("    if cfg.mode ==", '    cfg.wandb.setdefault("tags", [])\n    if cfg.mode =='),)},
    ),
    _case(
        "sections of the run file, each in its turn",
        "noise-batch",
        "HY05",
        "ConfigKeyError",
        {
            "src/main.py": (
                (_OPEN, ""),
                ("    cfg = OmegaConf.merge(cfg, run_cfg)\n", "    for section in run_cfg:\n        cfg[section] = run_cfg[section]\n"),
            )
        },
    ),
    _case(
        "a table of keys and what a trial makes of them",
        "sparse-forecast",
        "HY05",
        "ConfigAttributeError",
        {
            "src/main.py": (
                ("\n\n@hydra.main(", '\n\nSHORT = [\n    ("training.epochs", 1),\n    ("training.batch_limit", 2),\n    ("training.max_windows", 64),\n]\n\n\n@hydra.main('),
                ("        cfg.training.epochs = 1\n        cfg.training.batch_limit = 2\n", "        for dotted, small in SHORT:\n            OmegaConf.update(cfg, dotted, small)\n"),
            )
        },
    ),
    _case(
        "the mode comes before the run's file",
        "noise-batch",
        "HY10",
        "ConfigAttributeError",
        {
            "src/main.py": (
                ("    OmegaConf.set_struct(cfg, False)\n    run_cfg", "    apply_mode(cfg)\n    OmegaConf.set_struct(cfg, False)\n    run_cfg"),
                ("    cfg = OmegaConf.merge(cfg, run_cfg)\n    apply_mode(cfg)\n", "    cfg = OmegaConf.merge(cfg, run_cfg)\n"),
            )
        },
        ("src/main.py", "    cfg = OmegaConf.merge(cfg, run_cfg)\n    apply_mode(cfg)\n"),
    ),
    _case(
        "two helpers in the wrong order",
        "gated-sam",
        "HY10",
        "ConfigAttributeError",
        {"src/main.py": (("    cfg = load_run(cfg)\n    apply_mode(cfg)\n", "    apply_mode(cfg)\n    cfg = load_run(cfg)\n"),)},
        ("src/main.py", "    cfg = load_run(cfg)\n    apply_mode(cfg)\n"),
    ),
    _case(
        "a trial's limits above the file that they limit",
        "retrieval-head",
        "HY10",
        "ConfigAttributeError",
        {
            "src/train.py": (
                ("    run_file = REPO_ROOT", '    if cfg.mode == "trial":\n        cfg.training.epochs = 1\n    run_file = REPO_ROOT'),
                ("        cfg.optuna.n_trials = 0\n        cfg.training.epochs = 1\n", "        cfg.optuna.n_trials = 0\n"),
            )
        },
        ("src/train.py", '    cfg = OmegaConf.merge(cfg, OmegaConf.load(run_file))\n    if cfg.mode == "trial":\n        cfg.training.epochs = 1\n'),
    ),
    _case(
        "nothing may be written when the mode comes",
        "sparse-forecast",
        "HY05",
        "ReadonlyConfigError",
        {"src/main.py": (("    if cfg.mode ==", "    OmegaConf.set_readonly(cfg, True)  # from here on nothing changes\n    if cfg.mode =="),)},
    ),
    _case(
        "a class of another module merges",
        "gated-sam",
        "HY01",
        "ConfigKeyError",
        {
            "src/settings.py": "from omegaconf import OmegaConf\n\n\nclass Settings:\n    def __init__(self, base, folder):\n        self.base = base\n        self.folder = folder\n\n    def complete(self):\n        self.base = OmegaConf.merge(self.base, OmegaConf.load(self.folder / f\"{self.base.run}.yaml\"))\n        return self.base\n",
            "src/main.py": (
                ("from src.train import train\n", "from src.settings import Settings\nfrom src.train import train\n"),
                ("    cfg = load_run(cfg)\n", "    cfg = Settings(cfg, RUN_CONFIGS).complete()\n"),
            ),
        },
    ),
    _case(
        "layers that are collected first",
        "noise-batch",
        "HY01",
        "ConfigKeyError",
        {
            "src/main.py": (
                (_OPEN, ""),
                ("    cfg = OmegaConf.merge(cfg, run_cfg)\n", "    layers = [cfg, run_cfg]\n    cfg = OmegaConf.merge(*layers)\n"),
            )
        },
        ("src/main.py", "OmegaConf.set_struct(cfg, False)"),
    ),
    _case(
        "items of the run file, each under its key",
        "retrieval-head",
        "HY05",
        "ConfigKeyError",
        {
            "src/train.py": (
                ("    OmegaConf.set_struct(cfg, False)\n    cfg = OmegaConf.merge(cfg, OmegaConf.load(run_file))\n", "    for key, value in OmegaConf.load(run_file).items():\n        cfg[key] = value\n"),
            )
        },
    ),
    _case(
        "a table in a mapping, by its keys",
        "sparse-forecast",
        "HY05",
        "ConfigAttributeError",
        {
            "src/main.py": (
                ("        cfg.training.epochs = 1\n", '        small = {"training.epochs": 1, "training.steps_per_epoch": 2}\n        for key in small:\n            OmegaConf.update(cfg, key, small[key])\n'),
            )
        },
    ),
    _case(
        "the trial is prepared in a module of its own, too early",
        "noise-batch",
        "HY10",
        "ConfigAttributeError",
        {
            "src/modes.py": 'def prepare(settings):\n    """Shorten a trial."""\n    if settings.mode != "trial":\n        return\n    settings.wandb.mode = "disabled"\n    settings.training.epochs = 1\n    settings.limits.train_steps = 2\n',
            "src/main.py": (
                ("from src.train import train\n", "from src.modes import prepare\nfrom src.train import train\n"),
                ("    run_file = REPO_ROOT", "    prepare(cfg)\n    run_file = REPO_ROOT"),
                ("    apply_mode(cfg)\n\n", "\n"),
            ),
        },
    ),
    _case(
        "nothing may be written from the merge on",
        "gated-sam",
        "HY05",
        "ReadonlyConfigError",
        {"src/main.py": (("    apply_mode(cfg)\n    print", "    OmegaConf.set_readonly(cfg, True)\n    apply_mode(cfg)\n    print"),)},
    ),
    _case(
        "a mode that a method applies before the merge of another",
        "gated-sam",
        "HY10",
        "ConfigAttributeError",
        {
            "src/main.py": (
                ("    cfg = load_run(cfg)\n    apply_mode(cfg)\n    print(OmegaConf.to_yaml(cfg, resolve=True))\n    train(cfg)\n", "    job = Job(cfg)\n    job.shorten()\n    job.load()\n    job.start()\n"),
                ("\n\n@hydra.main(", "\n\nclass Job:\n    def __init__(self, cfg: DictConfig) -> None:\n        self.cfg = cfg\n\n    def load(self) -> None:\n        self.cfg = load_run(self.cfg)\n\n    def shorten(self) -> None:\n        apply_mode(self.cfg)\n\n    def start(self) -> None:\n        train(self.cfg)\n\n\n@hydra.main("),
            )
        },
    ),
    _case(
        "the base and the run in a tuple of layers",
        "temperature-mixing",
        "HY01",
        "ConfigKeyError",
        {
            "src/main.py": (
                ("    base = OmegaConf.create(OmegaConf.to_container(cfg, resolve=True))\n    return OmegaConf.merge(base, OmegaConf.load(path))\n", "    return OmegaConf.merge(*(cfg, OmegaConf.load(path)))\n"),
            )
        },
    ),
    _case(
        "sections that are set by setattr",
        "noise-batch",
        "HY05",
        "ConfigAttributeError",
        {
            "src/main.py": (
                (_OPEN, ""),
                ("    cfg = OmegaConf.merge(cfg, run_cfg)\n", "    for name in run_cfg.keys():\n        setattr(cfg, name, run_cfg[name])\n"),
            )
        },
    ),
)  # fmt: skip
