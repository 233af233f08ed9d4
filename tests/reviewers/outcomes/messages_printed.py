"""Outputs without a traceback: Hydra's short messages, installers, refused commands, deaths."""

from tests.reviewers.outcomes.outputs import HEAD, SITE, TAIL, at, own, printed

_MAIN = at("src/main.py", "@hydra.main(")
_DEPENDENCIES = at("pyproject.toml", "dependencies = [")
_COMPOSITION = "hydra.errors.ConfigCompositionException"
_STRUCT = "Key 'epochs' is not in struct\n    full_key: training.epochs\n    object_type=dict"
_CHILD = own("src/main.py", "subprocess.run(command, cwd=root, check=True)")
_PARENT = (
    HEAD
    + _CHILD
    + "subprocess.CalledProcessError: Command '['python', '-m', 'src.train', 'run=p']' "
)

MESSAGES = (
    printed(
        "hydra-no-such-run",
        "In 'config': Could not find 'runs/gated'\n\nAvailable options in 'runs':\n\tp\nConfig"
        " search path:\n\tprovider=main" + TAIL,
        (
            "hydra.errors.MissingConfigException",
            "config/config.yaml",
            "hydra-composition",
            "Available options",
        ),
    ),
    printed(
        "hydra-override",
        "some output\nCould not override 'mode'.\nTo append to your config use +mode=trial\n"
        + _STRUCT.replace("training.epochs", "mode")
        + TAIL,
        (_COMPOSITION, at("src/main.py", 'f"mode={cfg.mode}"'), "hydra-composition"),
    ),
    printed(
        "hydra-interpolation",
        "Error resolving interpolation '${run}'" + TAIL,
        (_COMPOSITION, "", "hydra-composition", "${run}"),
    ),
    printed(
        "hydra-no-config-folder",
        "Primary config directory not found.\nCheck that the config directory '/app/confg' exists"
        " and readable" + TAIL,
        ("hydra.errors.MissingConfigException", _MAIN, "hydra-composition"),
    ),
    printed(
        "hydra-must-specify",
        "You must specify 'runs', e.g, runs=<OPTION>\nAvailable options:\n\tp" + TAIL,
        (_COMPOSITION, "config/config.yaml", "hydra-composition"),
    ),
    printed(
        "hydra-lexer",
        "no viable alternative at input '[a,'\nSee"
        " https://hydra.cc/docs/1.2/advanced/override_grammar/basic for details" + TAIL,
        ("hydra.errors.OverrideParseException", "", "hydra-composition"),
    ),
    printed(
        "hydra-lexer-alone",
        "LexerNoViableAltException: '\n",
        ("hydra.errors.OverrideParseException", "", "hydra-composition"),
    ),
    printed(
        "hydra-merge",
        "Error merging 'config' with schema\n" + _STRUCT + TAIL,
        (_COMPOSITION, at("src/train.py", "cfg.training.epochs):"), "hydra-composition"),
    ),
    printed(
        "hydra-target",
        "Error in call to target 'src.model.build_model':\n"
        "TypeError(\"build_model() got an unexpected keyword argument 'depth'\")" + TAIL,
        ("TypeError", at("src/model.py", "def build_model("), "call-signature"),
    ),
    printed(
        "uv-table",
        "error: Failed to parse: pyproject.toml\n  cause: TOML parse error at line 9, column 1\n   "
        "        |\n         9 | [project.dependencies]\n           | ^^^^^^^^^^^^^^^^^^^^^^\n     "
        "    invalid type: map, expected a sequence\n",
        ("uv", "pyproject.toml:9", "packaging-invalid", "expected a sequence"),
    ),
    printed(
        "uv-build-backend",
        "  × Failed to build `gated-mlp @ file:///app`\n  ├─▶ The build backend returned an error\n"
        "  ╰─▶ Call to `hatchling.build.build_editable` failed (exit status: 1)\n\n      [stderr]\n"
        '      Traceback (most recent call last):\n        File "<string>", line 11, in <module>\n '
        '       File "/root/.cache/uv/builds-v0/x/lib/python3.11/site-packages/hatchling/build.py",'
        " line 83, in build_editable\n          return os.path.basename(next(builder.build()))\n   "
        "   ValueError: Unable to determine which files to ship inside the wheel\n\n      hint:"
        " This usually indicates a problem with the package or the build environment.\n",
        ("ValueError", at("pyproject.toml", "[build-system]"), "packaging-invalid"),
    ),
    printed(
        "uv-no-solution",
        "  × No solution found when resolving dependencies:\n"
        "  ╰─▶ Because there is no version of optuna>=9.0 and your project depends on\n"
        "      optuna>=9.0, we can conclude that your project's requirements are unsatisfiable.\n",
        ("uv", at("pyproject.toml", '"optuna>='), "packaging-invalid"),
    ),
    printed(
        "pip-no-distribution",
        "Collecting torch>=2.2\nERROR: Could not find a version that satisfies the requirement"
        " scipy>=99 (from versions: 1.13.0)\nERROR: No matching distribution found for scipy>=99\n",
        ("pip", at("pyproject.toml", '"scipy>='), "packaging-invalid"),
    ),
    printed(
        "pip-conflict",
        "ERROR: Cannot install gated-mlp and numpy>=1.26 because these package versions have"
        " conflicting dependencies.\n\nERROR: ResolutionImpossible: for help visit"
        " https://pip.pypa.io/en/latest/topics/dependency-resolution\n",
        ("pip", at("pyproject.toml", '"numpy>='), "packaging-invalid"),
    ),
    printed(
        "setuptools-array",
        "  error: subprocess-exited-with-error\n  \n"
        "  × Preparing metadata (pyproject.toml) did not run successfully.\n  │ exit code: 1\n"
        "  ╰─> [9 lines of output]\n      configuration error: `project.dependencies` must be"
        " array\n"
        "      Traceback (most recent call last):\n"
        f'        File "{SITE}/setuptools/config/pyprojecttoml.py", line 51, in validate\n'
        '          raise ValueError(f"{error}\\n{summary}") from None\n'
        "      ValueError: invalid pyproject.toml config: `project.dependencies`.\n"
        "      configuration error: `project.dependencies` must be array\n      [end of output]\n",
        ("ValueError", _DEPENDENCIES, "packaging-invalid"),
    ),
    printed(
        "no-such-module",
        "/opt/venv/bin/python: No module named src.search\n",
        ("ModuleNotFoundError", "src/search.py", "file-structure"),
    ),
    printed(
        "child-in-another-folder",
        "/opt/venv/bin/python: Error while finding module specification for 'src.train' "
        "(ModuleNotFoundError: No module named 'src')\n"
        + _PARENT
        + "returned non-zero exit status 1.\n",
        (
            "ModuleNotFoundError",
            at("src/main.py", "subprocess.run(command, cwd=root, check=True)"),
            "hydra-composition",
        ),
    ),
    printed(
        "argparse",
        "usage: evaluate.py [-h] --run-ids RUN_IDS\nevaluate.py: error: unrecognized arguments:"
        " results_dir=/results\n",
        ("SystemExit", "", "cli-contract"),
    ),
    printed("killed", "epoch 3: loss 0.2\nKilled\n", ("Killed", "", "environment")),
    printed(
        "child-killed",
        "epoch 1\n" + _PARENT + "died with <Signals.SIGKILL: 9>.\n",
        (
            "Killed",
            at("src/main.py", "subprocess.run(command, cwd=root, check=True)"),
            "environment",
        ),
    ),
    printed(
        "segfault",
        "Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f (most recent call"
        " first):\n"
        f'  File "{SITE}/torch/nn/functional.py", line 9 in linear\n'
        f'  File "/app/src/train.py", line 42 in fit\n\nSegmentation fault (core dumped)\n',
        ("Segmentation fault", "src/train.py:42", "uncategorised"),
    ),
    printed(
        "timeout",
        "epoch 1\nslurmstepd: error: *** JOB 7 ON n1 CANCELLED AT x DUE TO TIME LIMIT ***\n",
        ("Timeout", "", "environment"),
    ),
)
