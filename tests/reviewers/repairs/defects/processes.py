# ruff: noqa: E501  a line of code is clearest whole
"""Processes that start in another folder, without their module, or without their words."""

from functools import partial

from tests.reviewers.repairs.started import Case

_case = partial(Case, "processes")
_MAIN = "src/main.py"
_DECORATOR = '@hydra.main(version_base="1.3", config_path="../config", config_name="config")\n'
_OLD = '@hydra.main(config_path="../config", config_name="config")\n'

# Otherwise `uv run` installs the project, and `src` is found from everywhere.
_UNBUILT = (
    ('[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n\n', ""),
    ('\n[tool.hatch.build.targets.wheel]\npackages = ["src"]\n', ""),
)

CASES = (
    _case(
        "no version of Hydra's behaviour, and no folder",
        "sound_submission",
        "HY08",
        "ImportError",
        {
            _MAIN: ((_DECORATOR, _OLD), ("subprocess.run(command, cwd=root, check=True)", "subprocess.run(command, check=True)")),
            "pyproject.toml": _UNBUILT,
        },
    ),
    _case(
        "an old version by name, and a start over several lines",
        "retrieval-head",
        "HY08",
        "ImportError",
        {
            _MAIN: (
                ('version_base="1.3"', 'version_base="1.1"'),
                (
                    "    subprocess.run(command, cwd=REPO_ROOT, check=True)\n",
                    "    subprocess.run(\n        command,\n        check=True,  # a failed training is a failed run\n    )\n",
                ),
            )
        },
    ),
    _case(
        "Hydra is told to change the folder",
        "adapters",
        "HY08",
        "ImportError",
        {
            "config/config.yaml": (("results_dir: ???\n", "hydra:\n  job:\n    chdir: true\n\nresults_dir: ???\n"),),
            _MAIN: (
                ("        cwd=get_original_cwd(),\n", ""),
                ("from hydra.utils import get_original_cwd\n", ""),
            ),
        },
    ),
    _case(
        "the child loads its run file from Hydra's folder",
        "sound_submission",
        "HY09",
        "FileNotFoundError",
        {
            "src/train.py": (
                (_DECORATOR, _OLD),
                ('OmegaConf.load(root / "config" / "runs" / f"{cfg.run}.yaml")', 'OmegaConf.load(f"config/runs/{cfg.run}.yaml")'),
            )
        },
    ),
    _case(
        "the file of a run is looked for in Hydra's folder",
        "gated-sam",
        "RC08",
        "FileNotFoundError",
        {
            _MAIN: (
                (_DECORATOR, _OLD),
                ('Path(__file__).resolve().parent.parent / "config" / "runs"', 'Path("config") / "runs"'),
            )
        },
    ),
    _case(
        "a script instead of a module",
        "sound_submission",
        "IM16",
        "ModuleNotFoundError",
        {
            _MAIN: (('        "-m",\n        "src.train",\n', '        str(root / "src" / "train.py"),\n'),),
            "pyproject.toml": _UNBUILT,
        },
    ),
    _case(
        "a module without its package",
        "retrieval-head",
        "IM16",
        "ImportError",
        {_MAIN: (('        "src.train",\n', '        "train",\n'),)},
    ),
    _case(
        "the folder of the sources",
        "retrieval-head",
        "IM16",
        "ImportError",
        {_MAIN: (("cwd=REPO_ROOT, check", "cwd=Path(__file__).parent, check"),)},
    ),
    _case(
        "the child is not told where results go",
        "retrieval-head",
        "HY02",
        "MissingMandatoryValue",
        {_MAIN: (('        f"results_dir={results_dir}",\n', ""),)},
    ),
    _case(
        "the child is not told which run, in a helper",
        "adapters",
        "HY03",
        "ConfigCompositionException",
        {_MAIN: (('    words = [f"run={cfg.run.run_id}", f"results_dir={cfg.results_dir}", f"mode={cfg.mode}"]\n', '    words = [f"results_dir={cfg.results_dir}", f"mode={cfg.mode}"]\n'),)},
    ),
)  # fmt: skip
