# ruff: noqa: E501  a line of code is clearest whole
"""Packages of groups, lists of defaults, and `cfg.run` as a text or as a section."""

from functools import partial

from tests.reviewers.repairs.started import Case, sound

_case = partial(Case, "groups")
_GLOBAL = (("# @package _global_\n", ""),)
_SPARSE = [path for path in sound()["sparse-forecast"] if path.startswith("config/run/")]

CASES = (
    _case(
        "run files without their package",
        "sparse-forecast",
        "HY04",
        "ConfigAttributeError",
        dict.fromkeys(_SPARSE, _GLOBAL),
    ),
    _case(
        "run files whose package has a blank line before it",
        "sparse-forecast",
        "HY04",
        "ConfigAttributeError",
        dict.fromkeys(_SPARSE, (("# @package _global_\n", "# @package run\n# A run of the comparison.\n"),)),
    ),
    _case(
        "the code takes the section for the whole",
        "adapters",
        "HY04",
        "ConfigAttributeError",
        {"src/train.py": (("    settings = cfg.run\n", "    settings = cfg  # everything about the run\n"),)},
    ),
    _case(
        "a section is passed on as a word",
        "adapters",
        "HY03",
        "OverrideParseException",
        {"src/main.py": (('f"run={cfg.run.run_id}"', 'f"run={cfg.run}"'),)},
    ),
    _case(
        "an attribute of a text",
        "sound_submission",
        "HY06",
        "AttributeError",
        {"src/main.py": (('        f"run={cfg.run}",\n', '        f"run={cfg.run.run_id}",\n'),)},
    ),
    _case(
        "an attribute of a text in the child",
        "retrieval-head",
        "HY06",
        "AttributeError",
        {"src/train.py": (('f"{cfg.run}.yaml"', 'f"{cfg.run.run_id}.yaml"'),)},
    ),
    _case(
        "a key of a text by subscript",
        "gated-sam",
        "HY06",
        "TypeError",
        {"src/main.py": (('path = RUN_CONFIGS / f"{cfg.run}.yaml"', 'path = RUN_CONFIGS / (cfg["run"]["run_id"] + ".yaml")'),)},
    ),
    _case(
        "a group that has another name than its folder",
        "sparse-forecast",
        "HY03",
        "ConfigCompositionException",
        {"config/config.yaml": (("  - run: ???\n", "  - runs: ${run}\n"), ("results_dir: ???\n", "run: ???\nresults_dir: ???\n"))},
    ),
    _case(
        "a group by interpolation",
        "adapters",
        "HY03",
        "ConfigCompositionException",
        {
            "config/config.yaml": (
                ("  - _self_\n  - run: ???\n", "  - runs@run: ${run_name}\n  - _self_\n\nrun_name: ???\n"),
            )
        },
    ),
    _case(
        "a placeholder after the group",
        "adapters",
        "HY03",
        "MissingConfigException",
        {
            "config/config.yaml": (
                ("  - _self_\n  - run: ???\n", "  - run: ???\n  - _self_\n"),
                ("results_dir: ???\n", "results_dir: ???\nrun:\n  run_id: TO_BE_FILLED\n"),
            )
        },
    ),
    _case(
        "no default for the group",
        "adapters",
        "HY03",
        "ConfigCompositionException",
        {"config/config.yaml": (("  - run: ???\n", ""),)},
    ),
    _case(
        "the folder of the configuration is told from another place",
        "temperature-mixing",
        "HY03",
        "MissingConfigException",
        {"src/main.py": (('config_path="../config"', 'config_path="config"'),)},
    ),
    _case(
        "the configuration has another name",
        "noise-batch",
        "HY03",
        "MissingConfigException",
        {"src/main.py": (('config_name="config"', 'config_name="base"'),)},
    ),
    _case(
        "a run file is looked for in another folder",
        "gated-sam",
        "RC08",
        "FileNotFoundError",
        {"src/main.py": (('parent.parent / "config" / "runs"', 'parent.parent / "config" / "run"'),)},
    ),
    _case(
        "a run file is loaded from another folder",
        "sound_submission",
        "HY09",
        "FileNotFoundError",
        {"src/train.py": (('root / "config" / "runs" / f"{cfg.run}.yaml"', 'root / "conf" / "experiments" / f"{cfg.run}.yaml"'),)},
    ),
    _case(
        "the run file is never loaded",
        "sound_submission",
        "HY10",
        "ConfigAttributeError",
        {
            "src/train.py": (
                ("    OmegaConf.set_struct(cfg, False)\n", ""),
                ('    cfg = OmegaConf.merge(cfg, OmegaConf.load(root / "config" / "runs" / f"{cfg.run}.yaml"))\n', ""),
                ("    root = Path(__file__).resolve().parents[1]\n", ""),
                ("from pathlib import Path\n\n", ""),
            )
        },
    ),
    _case(
        "one folder too few above the file",
        "sound_submission",
        "HY09",
        "FileNotFoundError",
        {
            "src/train.py": (
                ("from pathlib import Path\n\n", "import os\n\n"),
                ("    root = Path(__file__).resolve().parents[1]\n", "    base = os.path.dirname(os.path.abspath(__file__))\n"),
                ('root / "config" / "runs" / f"{cfg.run}.yaml"', 'os.path.join(base, "config", "runs", f"{cfg.run}.yaml")'),
            )
        },
    ),
    _case(
        "the folder of the configuration is a constant",
        "gated-sam",
        "HY03",
        "MissingConfigException",
        {"src/main.py": (('RUN_CONFIGS =', 'CONFIG_DIR = "../conf"\nRUN_CONFIGS ='), ('config_path="../config"', 'config_path=CONFIG_DIR'))},
    ),
    _case(
        "words of the decorator by their place",
        "retrieval-head",
        "HY03",
        "MissingConfigException",
        {"src/train.py": (('@hydra.main(version_base="1.3", config_path="../config", config_name="config")', '@hydra.main("configs", "config", "1.3")'),)},
    ),
    _case(
        "a package below the first key",
        "sparse-forecast",
        "HY04",
        "ConfigAttributeError",
        dict.fromkeys(_SPARSE, (("# @package _global_\n", ""), ("method:\n", "# @package _global_\nmethod:\n"))),
    ),
    _case(
        "one call passes the whole for the section",
        "adapters",
        "HY04",
        "ConfigAttributeError",
        {"src/train.py": (("build_trainer(settings, folder, report=True)", "build_trainer(cfg, folder, report=True)"),)},
    ),
    _case(
        "a section is added to a word",
        "adapters",
        "HY03",
        "OverrideParseException",
        {"src/main.py": (('f"run={cfg.run.run_id}"', '"run=" + str(cfg.run)'),)},
    ),
    _case(
        "a group that nobody has",
        "adapters",
        "HY03",
        "ConfigCompositionException",
        {"config/config.yaml": (("  - run: ???\n", "  - experiment: ???\n"),)},
    ),
    _case(
        "the folder of the run files is a key",
        "noise-batch",
        "RC08",
        "FileNotFoundError",
        {
            "config/config.yaml": (("results_dir: ./results\n", "results_dir: ./results\nrun_config_dir: config/run\n"),),
            "src/main.py": (('REPO_ROOT / "config" / "runs" / f"{cfg.run}.yaml"', 'REPO_ROOT / cfg.run_config_dir / f"{cfg.run}.yaml"'),),
        },
    ),
    _case(
        "run files with another ending",
        "sound_submission",
        "HY09",
        "FileNotFoundError",
        {"src/train.py": (('f"{cfg.run}.yaml"', 'f"{cfg.run}.yml"'),)},
    ),
    _case(
        "the name of the run, asked of a text",
        "noise-batch",
        "HY06",
        "AttributeError",
        {"src/main.py": (('"runs" / f"{cfg.run}.yaml"', '"runs" / f"{cfg.run.name}.yaml"'),)},
    ),
    _case(
        "the configuration's name with another ending",
        "gated-sam",
        "HY03",
        "MissingConfigException",
        {"src/main.py": (('config_name="config"', 'config_name="config.yml"'),)},
    ),
    _case(
        "a script composes from another folder",
        "retrieval-head",
        "RC09",
        "MissingConfigException",
        {
            "src/train.py": (
                ("import random\n", "import random\nimport sys\n"),
                ('@hydra.main(version_base="1.3", config_path="../config", config_name="config")\n', ""),
                ("def main(cfg: DictConfig) -> None:\n", 'def main() -> None:\n    with hydra.initialize(version_base="1.3", config_path="../configs"):\n        cfg = hydra.compose(config_name="config", overrides=sys.argv[1:])\n'),
            )
        },
    ),
    _case(
        "a key of a text that is got",
        "gated-sam",
        "HY06",
        "TypeError",
        {"src/main.py": (('    path = RUN_CONFIGS / f"{cfg.run}.yaml"\n', '    chosen = cfg.get("run")\n    path = RUN_CONFIGS / f"{chosen[\'run_id\']}.yaml"\n'),)},
    ),
    _case(
        "the name of the run at the top",
        "adapters",
        "HY04",
        "ConfigAttributeError",
        {"src/main.py": (('f"run={cfg.run.run_id}"', 'f"run={cfg.run_id}"'),)},
    ),
    _case(
        "the name of the method for that of the run",
        "adapters",
        "HY03",
        "MissingConfigException",
        {"src/main.py": (('f"run={cfg.run.run_id}"', 'f"run={cfg.run.method.name}"'),)},
    ),
    _case(
        "a path from the start to another folder",
        "sound_submission",
        "HY09",
        "FileNotFoundError",
        {
            "src/train.py": (
                ("from pathlib import Path\n\n", ""),
                ("    root = Path(__file__).resolve().parents[1]\n", '    run_path = hydra.utils.to_absolute_path("configs/runs/%s.yaml" % cfg.run)\n'),
                ('root / "config" / "runs" / f"{cfg.run}.yaml"', "run_path"),
            )
        },
    ),
    _case(
        "a group under another name than is read",
        "adapters",
        "HY03",
        "ConfigCompositionException",
        {"config/config.yaml": (("  - run: ???\n", "  - run@run_cfg: ???\n"),)},
    ),
    _case(
        "a path that is added up",
        "noise-batch",
        "RC08",
        "FileNotFoundError",
        {"src/main.py": (('REPO_ROOT / "config" / "runs" / f"{cfg.run}.yaml"', 'Path("configs") / "runs" / (cfg.run + ".yaml")'),)},
    ),
    _case(
        "one folder too many above the file",
        "gated-sam",
        "RC08",
        "FileNotFoundError",
        {
            "src/main.py": (
                ("from pathlib import Path\n", "import os\nfrom pathlib import Path\n"),
                ('Path(__file__).resolve().parent.parent / "config" / "runs"', 'Path(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))) / "config" / "runs"'),
            )
        },
    ),
    _case(
        "the folder of the configuration is worked out",
        "temperature-mixing",
        "HY03",
        "MissingConfigException",
        {"src/main.py": (('config_path="../config"', 'config_path=str(Path(__file__).parent / "config")'),)},
    ),
    _case(
        "a section under a name is passed on",
        "adapters",
        "HY03",
        "OverrideParseException",
        {"src/main.py": (("    words = [f", "    run_id = cfg.run\n    words = [f"), ('f"run={cfg.run.run_id}"', 'f"run={run_id}"'))},
    ),
    _case(
        "a copy of the whole for the section",
        "adapters",
        "HY04",
        "ConfigAttributeError",
        {"src/train.py": (("    settings = cfg.run\n", "    settings = OmegaConf.create(OmegaConf.to_container(cfg, resolve=True))\n"),)},
    ),
    _case(
        "one of the run files lacks its package",
        "sparse-forecast",
        "HY04",
        "ConfigAttributeError",
        {_SPARSE[-1]: _GLOBAL},
    ),
    _case(
        "the defaults name another folder than that of the files",
        "sparse-forecast",
        "HY03",
        "ConfigCompositionException",
        {"config/config.yaml": (("  - run: ???\n", "  - runs@_global_: ${run}\n"), ("results_dir: ???\n", "run: ???\nresults_dir: ???\n"))},
    ),
    _case(
        "a plain key chooses among files elsewhere",
        "noise-batch",
        "HY03",
        "ConfigCompositionException",
        {"config/config.yaml": (("  - _self_\n", "  - _self_\n  - experiments@_global_: ${run}\n"),)},
    ),
    _case(
        "a plain key that the command gives chooses the run",
        "noise-batch",
        "HY03",
        "ConfigCompositionException",
        {"config/config.yaml": (("  - _self_\n", "  - runs@_global_: ${run}\n  - _self_\n"),)},
    ),
    _case(
        "groups whose folders nobody made",
        "sparse-forecast",
        "HY03",
        "MissingConfigException",
        {"config/config.yaml": (("  - run: ???\n", "  - model: small\n  - dataset: etth1\n  - run: ???\n"),)},
    ),
    _case(
        "a key that empties the group",
        "adapters",
        "HY02",
        "AttributeError",
        {"config/config.yaml": (("  - _self_\n  - run: ???\n", "  - run: ???\n  - _self_\n"), ("results_dir: ???\n", "run: null\nresults_dir: ???\n"))},
    ),
    _case(
        "files at the top that are read below the group",
        "adapters",
        "HY02",
        "ConfigAttributeError",
        {path: "# @package _global_\n" + sound()["adapters"][path] for path in sound()["adapters"] if path.startswith("config/run/")},
    ),
    _case(
        "the group is a key without a value",
        "sparse-forecast",
        "HY03",
        "ConfigCompositionException",
        {"config/config.yaml": (("  - run: ???\n", ""), ("results_dir: ???\n", "run: null\nresults_dir: ???\n"))},
    ),
    _case(
        "no defaults, in brackets",
        "adapters",
        "HY03",
        "ConfigCompositionException",
        {"config/config.yaml": (("defaults:\n  - _self_\n  - run: ???\n", "defaults: []\n"),)},
    ),
    _case(
        "the evaluation is Hydra's, too, and has no run",
        "adapters",
        "HY03",
        "ConfigCompositionException",
        {
            "config/config.yaml": (("  - run: ???\n", ""), ("results_dir: ???\n", "results_dir: ???\nrun_ids: []\n")),
            "src/evaluate.py": (
                ("import matplotlib.pyplot as plt\n", "import hydra\nimport matplotlib.pyplot as plt\n"),
                ("def main():\n    cli = OmegaConf.from_cli()\n", '@hydra.main(version_base=None, config_path="../config", config_name="config")\ndef main(cli):\n'),
            ),
        },
    ),
    _case(
        "a folder too far up in both scripts",
        "retrieval-head",
        "HY03",
        "MissingConfigException",
        {"src/main.py": (('config_path="../config"', 'config_path="../../config"'),), "src/train.py": (('config_path="../config"', 'config_path="../../config"'),)},
    ),
    _case(
        "a file of a group that nobody has",
        "adapters",
        "HY03",
        "MissingConfigException",
        {"config/config.yaml": (("  - run: ???\n", "  - run: ???\n  - optimizer/adamw\n"),), **{path: sound()["adapters"][path] + "optimizer:\n  name: adamw\n" for path in sound()["adapters"] if path.startswith("config/run/")}},
    ),
    _case(
        "an empty section hides the run",
        "adapters",
        "HY02",
        "AttributeError",
        {"config/config.yaml": (("  - _self_\n  - run: ???\n", "  - run: ???\n  - _self_\n"), ("results_dir: ???\n", "run:\nresults_dir: ???\n"))},
    ),
    _case(
        "the defaults are one line",
        "sparse-forecast",
        "HY03",
        "ConfigCompositionException",
        {"config/config.yaml": (("defaults:\n  - run: ???\n  - _self_\n", "defaults: [_self_]\n"),)},
    ),
    _case(
        "the files say where they lie, and one script reads elsewhere",
        "adapters",
        "HY02",
        "ConfigAttributeError",
        {
            "src/main.py": (("cfg.run.run_id", "cfg.run_id"), ("run.training.", "training.")),
            **{path: "# @package _global_\n" + sound()["adapters"][path] for path in sound()["adapters"] if path.startswith("config/run/")},
        },
    ),
    _case(
        "an optional choice of a folder that is not there",
        "adapters",
        "HY03",
        "ConfigCompositionException",
        {"config/config.yaml": (("  - run: ???\n", "  - experiment: ${run}\n"), ("results_dir: ???\n", "run: ???\nresults_dir: ???\n"))},
    ),
    _case(
        "both scripts look for the configuration in the sources",
        "sound_submission",
        "HY03",
        "MissingConfigException",
        {"src/main.py": (('config_path="../config"', 'config_path="config"'),), "src/train.py": (('config_path="../config"', 'config_path="config"'),)},
    ),
)  # fmt: skip
