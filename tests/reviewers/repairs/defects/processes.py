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

_COMMAND = (
    '    command = [\n        sys.executable,\n        "-u",\n        "-m",\n        "src.train",\n        f"run={cfg.run}",\n'
    '        f"results_dir={cfg.results_dir}",\n        f"mode={cfg.mode}",\n    ]\n'
)
_LISTED = _COMMAND.replace("{cfg.results_dir}", "{results_dir}")

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
    _case(
        "a script in a shell's line",
        "sound_submission",
        "IM16",
        "ModuleNotFoundError",
        {
            _MAIN: (
                ("import subprocess\nimport sys\n", "import os\nimport sys\n"),
                (_COMMAND, '    line = f"{sys.executable} -u src/train.py run={cfg.run} results_dir={cfg.results_dir}"\n    line += f" mode={cfg.mode}"\n'),
                ("    root = Path(__file__).resolve().parents[1]\n", ""),
                ("from pathlib import Path\n", ""),
                ("    subprocess.run(command, cwd=root, check=True)\n", "    if os.system(line) != 0:\n        raise SystemExit(1)\n"),
            ),
            "pyproject.toml": _UNBUILT,
        },
    ),
    _case(
        "a shell's line without the folder of the results",
        "retrieval-head",
        "HY02",
        "MissingMandatoryValue",
        {
            _MAIN: (
                (_LISTED, ""),
                ('    print("Launching:", " ".join(command), flush=True)\n', ""),
                (
                    "    subprocess.run(command, cwd=REPO_ROOT, check=True)\n",
                    "    subprocess.run(\n"
                    '        f"{sys.executable} -u -m src.train "\n'
                    '        f"run={cfg.run} mode={cfg.mode}",\n'
                    "        shell=True, cwd=REPO_ROOT, check=True,\n"
                    "    )\n",
                ),
            )
        },
    ),
    _case(
        "words that are made of a dictionary",
        "retrieval-head",
        "HY02",
        "MissingMandatoryValue",
        {
            _MAIN: (
                (_LISTED, '    overrides = {"run": cfg.run, "results_dir": results_dir}\n    command = [sys.executable, "-u", "-m", "src.train"]\n    command += [f"{k}={v}" for k, v in overrides.items()]\n'),
            )
        },
    ),
    _case(
        "words that are appended",
        "retrieval-head",
        "HY02",
        "MissingMandatoryValue",
        {
            _MAIN: (
                (_LISTED, '    command = [sys.executable, "-u", "-m", "src.train"]\n    command.append(f"mode={cfg.mode}")\n    command.append("results_dir=" + str(results_dir))\n'),
            )
        },
    ),
    _case(
        "a function that starts what it is told",
        "adapters",
        "IM16",
        "ImportError",
        {
            _MAIN: (
                (
                    "@hydra.main(",
                    "def launch(module: str, words: list[str], env: dict) -> None:\n"
                    '    full = [sys.executable, "-u", "-m", module] + words\n'
                    "    subprocess.check_call(full, cwd=get_original_cwd(), env=env)\n\n\n"
                    "@hydra.main(",
                ),
                (
                    "    started = subprocess.Popen(\n"
                    '        [sys.executable, "-u", "-m", "src.train", *words_for(cfg)],\n'
                    "        cwd=get_original_cwd(),\n"
                    "        env=environment,\n"
                    "    )\n"
                    "    if started.wait() != 0:\n"
                    "        sys.exit(started.returncode)\n",
                    '    launch("train", words_for(cfg), environment)\n',
                ),
            )
        },
    ),
    _case(
        "by its own name from its own folder",
        "sound_submission",
        "IM16",
        "ModuleNotFoundError",
        {
            _MAIN: (
                ("import subprocess\n", "import os\nimport subprocess\n"),
                ('        "src.train",\n', '        "train",\n'),
                ("    root = Path(__file__).resolve().parents[1]\n", "    here = os.path.dirname(os.path.abspath(__file__))\n"),
                ("cwd=root", "cwd=here"),
                ("from pathlib import Path\n", ""),
            ),
            "pyproject.toml": _UNBUILT,
        },
    ),
    _case(
        "a module that is spelled otherwise",
        "retrieval-head",
        "IM16",
        "ImportError",
        {_MAIN: (('        "src.train",\n', '        "src.training",\n'),)},
    ),
    _case(
        "from the folder of the results",
        "sound_submission",
        "IM16",
        "ImportError",
        {
            _MAIN: (
                ("import subprocess\n", "import os\nimport subprocess\n"),
                ("    root = Path(__file__).resolve().parents[1]\n", "    Path(cfg.results_dir).mkdir(parents=True, exist_ok=True)\n    os.chdir(cfg.results_dir)\n"),
                ("cwd=root, check", "check"),
            ),
            "pyproject.toml": _UNBUILT,
        },
    ),
    _case(
        "options for a child of Hydra's",
        "retrieval-head",
        "HY03",
        "SystemExit",
        {
            _MAIN: (
                (_LISTED, '    command = [sys.executable, "-u", "-m", "src.train", "--run", cfg.run]\n    command += ["--results_dir", str(results_dir), "--mode", cfg.mode]\n'),
            )
        },
    ),
    _case(
        "a word by another name",
        "adapters",
        "HY03",
        "ConfigCompositionException",
        {_MAIN: (('f"run={cfg.run.run_id}"', 'f"run_id={cfg.run.run_id}"'),)},
    ),
    _case(
        "a script by a path from Hydra's folder",
        "sound_submission",
        "HY08",
        "FileNotFoundError",
        {
            _MAIN: (
                (_DECORATOR, _OLD),
                ('        "-m",\n        "src.train",\n', '        "src/train.py",\n'),
                ("subprocess.run(command, cwd=root, check=True)", "subprocess.run(command, check=True)"),
            ),
            "src/train.py": (("from src.model", "from model"), ("from src.preprocess", "from preprocess")),
            "pyproject.toml": _UNBUILT,
        },
    ),
    _case(
        "a template of a command line",
        "retrieval-head",
        "HY02",
        "MissingMandatoryValue",
        {
            _MAIN: (
                (_LISTED, '    line = "{} -u -m src.train run={} mode={}".format(sys.executable, cfg.run, cfg.mode)\n    command = line.split()\n'),
            )
        },
    ),
    _case(
        "a launcher that is a class",
        "retrieval-head",
        "IM16",
        "ImportError",
        {
            _MAIN: (
                (
                    '@hydra.main(version_base="1.3"',
                    "class Launcher:\n"
                    "    def __init__(self, cfg: DictConfig, results_dir: Path) -> None:\n"
                    "        self.cfg = cfg\n"
                    "        self.results_dir = results_dir\n\n"
                    "    def words(self) -> list[str]:\n"
                    '        return [f"run={self.cfg.run}", f"results_dir={self.results_dir}", f"mode={self.cfg.mode}"]\n\n'
                    "    def start(self) -> None:\n"
                    '        subprocess.run([sys.executable, "-m", "train", *self.words()], cwd=REPO_ROOT, check=True)\n\n\n'
                    '@hydra.main(version_base="1.3"',
                ),
                (_LISTED, "    Launcher(cfg, results_dir).start()\n"),
                ('    print("Launching:", " ".join(command), flush=True)\n', ""),
                ("    subprocess.run(command, cwd=REPO_ROOT, check=True)\n", ""),
            )
        },
    ),
    _case(
        "a class that forgets the folder of the results",
        "retrieval-head",
        "HY02",
        "MissingMandatoryValue",
        {
            _MAIN: (
                (
                    '@hydra.main(version_base="1.3"',
                    "class Launcher:\n"
                    "    def __init__(self, cfg: DictConfig) -> None:\n"
                    "        self.cfg = cfg\n\n"
                    "    def start(self) -> None:\n"
                    '        call = [sys.executable, "-m", "src.train", f"run={self.cfg.run}", f"mode={self.cfg.mode}"]\n'
                    "        subprocess.run(call, cwd=REPO_ROOT, check=True)\n\n\n"
                    '@hydra.main(version_base="1.3"',
                ),
                (_LISTED, "    Launcher(cfg).start()\n"),
                ('    print("Launching:", " ".join(command), flush=True)\n', ""),
                ("    subprocess.run(command, cwd=REPO_ROOT, check=True)\n", ""),
            )
        },
    ),
    _case(
        "a file in a line for the shell",
        "retrieval-head",
        "IM16",
        "ImportError",
        {
            _MAIN: (
                (_LISTED, '    command = (\n        f"{sys.executable} {REPO_ROOT / \'src\' / \'train.py\'} run={cfg.run} "\n        f"results_dir={results_dir} mode={cfg.mode}"\n    )\n'),
                ('    print("Launching:", " ".join(command), flush=True)\n    subprocess.run(command, cwd=REPO_ROOT, check=True)\n', '    subprocess.check_call(command, shell=True, cwd=str(REPO_ROOT))\n'),
            )
        },
    ),
    _case(
        "two letters of the module change places",
        "adapters",
        "IM16",
        "ImportError",
        {_MAIN: (('"src.train"', '"src.trian"'),)},
    ),
    _case(
        "words that are there already are added",
        "sound_submission",
        "HY03",
        "ConfigCompositionException",
        {_MAIN: (('f"results_dir={cfg.results_dir}"', 'f"+results_dir={cfg.results_dir}"'), ('f"mode={cfg.mode}"', 'f"+mode={cfg.mode}"'))},
        (_MAIN, 'f"mode={cfg.mode}"'),
    ),
    _case(
        "another name for the child's word",
        "retrieval-head",
        "HY03",
        "ConfigCompositionException",
        {_MAIN: (('f"run={cfg.run}"', 'f"run_id={cfg.run}"'),)},
        (_MAIN, 'f"run={cfg.run}"'),
    ),
    _case(
        "a trial's key without its plural",
        "adapters",
        "HY03",
        "ConfigCompositionException",
        {_MAIN: (('words.append("run.training.max_steps=2")', 'words.append("run.training.max_step=2")'),)},
        (_MAIN, '"run.training.max_steps=2"'),
    ),
    _case(
        "the mode is not handed on",
        "retrieval-head",
        "HY02",
        "MissingMandatoryValue",
        {_MAIN: (('        f"mode={cfg.mode}",\n', ""),)},
        (_MAIN, 'f"mode={cfg.mode}"'),
    ),
    _case(
        "the script goes to the results before it starts another",
        "retrieval-head",
        "IM16",
        "ImportError",
        {
            _MAIN: (
                ("import subprocess\n", "import os\nimport subprocess\n"),
                ("    subprocess.run(command, cwd=REPO_ROOT, check=True)\n", "    os.makedirs(results_dir, exist_ok=True)\n    os.chdir(results_dir)\n    subprocess.check_call(command)\n"),
            )
        },
    ),
    _case(
        "a child in the folder of the sources",
        "adapters",
        "IM16",
        "ImportError",
        {_MAIN: (("cwd=get_original_cwd(),", 'cwd=os.path.join(get_original_cwd(), "src"),'),)},
    ),
    _case(
        "the results' folder is forgotten by a function of words",
        "adapters",
        "HY02",
        "MissingMandatoryValue",
        {_MAIN: ((', f"results_dir={cfg.results_dir}"', ""),)},
    ),
    _case(
        "a word for a trial in another section than its own",
        "adapters",
        "HY03",
        "ConfigCompositionException",
        {_MAIN: (("run.training.max_steps=2", "training.max_steps=2"),)},
        (_MAIN, '"run.training.max_steps=2"'),
    ),
    _case(
        "a mode is added to a child that has one",
        "retrieval-head",
        "HY03",
        "ConfigCompositionException",
        {"config/config.yaml": (("mode: ???", "mode: full"),), _MAIN: (('f"mode={cfg.mode}"', '"+mode=" + cfg.mode'),)},
    ),
    _case(
        "the script's path is put together for the shell",
        "adapters",
        "IM16",
        "ImportError",
        {
            _MAIN: (
                ('    started = subprocess.Popen(\n        [sys.executable, "-u", "-m", "src.train", *words_for(cfg)],\n        cwd=get_original_cwd(),\n        env=environment,\n    )\n', '    script = os.path.join("src", "train.py")\n    line = f"{sys.executable} -u {script} " + " ".join(words_for(cfg))\n    started = subprocess.Popen(line, shell=True, cwd=get_original_cwd(), env=environment)\n'),
            )
        },
    ),
    _case(
        "a list of words with the name of the child's older version",
        "sound_submission",
        "HY03",
        "ConfigCompositionException",
        {_MAIN: (('f"run={cfg.run}"', 'f"experiment={cfg.run}"'),)},
        (_MAIN, 'f"run={cfg.run}"'),
    ),
)  # fmt: skip
