# ruff: noqa: E501  a line of code is clearest whole
"""pyproject.toml that installers refuse, or that leaves out what the code imports."""

from functools import partial

from tests.reviewers.repairs.started import Case

_case = partial(Case, "packages")
_FILE = "pyproject.toml"

_POETRY = """\
[tool.poetry]
name = "noise-batch"
version = "0.1.0"
description = "Batch sizes from the noise scale"
authors = ["Kim Sato <kim@example.org>"]

[tool.poetry.dependencies]
python = "^3.11"
torch = "^2.2"
datasets = "^4.4"
hydra-core = "^1.3"
omegaconf = "~2.3"
optuna = ">=3.5,<5"
wandb = "*"
numpy = "^2.0"
pandas = "^2.2"
scipy = "^1.12"
matplotlib = "^3.8"  # figures
seaborn = "^0.13"

[build-system]
requires = ["poetry-core"]
build-backend = "poetry.core.masonry.api"
"""

_TABLE = """\
[project]
name = "temperature-mixing"
version = "0.1.0"
requires-python = ">=3.10"

# What it needs, with the versions that it was tried with.
[project.dependencies]
torch = ">=2.1"
torchvision = ">=0.16"
scipy = "^1.11"
numpy = ">=1.26"
pandas = "~2.3"
hydra-core = "^1.3.2"
omegaconf = "^2.3.0"
optuna = ">=3.5.0"
wandb = ">=0.16.4"
matplotlib = ">=3.8"

[tool.uv]
package = false
"""

_INLINE = """\
[project]
name = "retrieval-head"
version = "0.1.0"
description = "A vote of neighbours"

[project.dependencies]
python = ">=3.11"
torch = {version = ">=2.2.0"}
transformers = { version = "^4.40", extras = [] }
datasets = "^4.4"
hydra-core = {version = "^1.3.2"}
omegaconf = "^2.3"
optuna = "^4.6"
wandb = "latest"
scikit-learn = "^1.4"
scipy = "^1.13"
numpy = {version = "*", markers = "python_version >= '3.11'"}
pandas = "^2.2"
matplotlib = "^3.8"
seaborn = "^0.13"

[tool.ruff]
line-length = 110
"""

_CARGO = """\
[package]
name = "sparse-forecast"
version = "0.1.0"

[dependencies]
torch = "2.9.0"
numpy = "^2.0"
pandas = "^2.1"
scipy = "^1.11"
hydra-core = "^1.3.2"
omegaconf = "^2.3"
optuna = "^4.0"
wandb = "^0.22"
matplotlib = "^3.8"
seaborn = "^0.13"
"""

CASES = (
    _case("dependencies as a table", "temperature-mixing", "FS04", "uv", {_FILE: _TABLE}),
    _case("a table with inline tables", "retrieval-head", "FS04", "uv", {_FILE: _INLINE}),
    _case("Poetry's tables alone", "noise-batch", "FS06", "ModuleNotFoundError", {_FILE: _POETRY}),
    _case("tables as Cargo has them", "sparse-forecast", "FS06", "ModuleNotFoundError", {_FILE: _CARGO}),
    _case(
        "authors as texts",
        "sound_submission",
        "FS04",
        "uv",
        {
            _FILE: (
                (
                    'requires-python = ">=3.11"\n',
                    'requires-python = ">=3.11"\nauthors = ["Ada Ito <ada@example.org>", "B. Okoro"]\n',
                ),
            )
        },
    ),
    _case(
        "a table behind another table of the project",
        "sound_submission",
        "FS04",
        "uv",
        {
            _FILE: (
                (
                    'requires-python = ">=3.11"\ndependencies = [\n    "torch>=2.2",\n'
                    '    "datasets>=3.0",\n    "hydra-core>=1.3",\n    "omegaconf>=2.3",\n'
                    '    "optuna>=4.0",\n    "wandb>=0.17",\n    "numpy>=1.26",\n    "scipy>=1.13",\n'
                    '    "matplotlib>=3.9",\n]\n',
                    'requires-python = ">=3.11"\n\n[project.urls]\nhome = "https://example.org"\n\n'
                    '[project.dependencies]\ntorch = "^2.2"\ndatasets = "^4.0"\nhydra-core = "1.3.2"\n'
                    'omegaconf = ">= 2.3, < 3"\noptuna = "^4"\nwandb = "^0.17"\nnumpy = "^2.1"\n'
                    'scipy = "^1.13"\nmatplotlib = "^3.9"\n',
                ),
            )
        },
    ),
    _case(
        "scipy is not declared",
        "sound_submission",
        "FS05",
        "ModuleNotFoundError",
        {_FILE: (('    "scipy>=1.13",\n', ""),)},
    ),
    _case(
        "Hydra and scikit-learn are not declared, a comment is in the list",
        "adapters",
        "FS05",
        "ModuleNotFoundError",
        {
            _FILE: (
                (
                    '    "hydra-core>=1.3,<2",\n    "omegaconf>=2.3",\n',
                    "    # the configuration comes with the tools\n",
                ),
                ('    "scikit-learn>=1.5",\n', ""),
            )
        },
    ),
    _case(
        "a list on one line without what a function imports",
        "temperature-mixing",
        "FS05",
        "ModuleNotFoundError",
        {
            _FILE: (
                (
                    'dependencies = [\n    "torch>=2.1",\n    "torchvision>=0.16",\n'
                    '    "scipy>=1.11",\n    "numpy>=1.26",\n    "pandas>=2.1",\n'
                    '    "hydra-core>=1.3.2",\n    "omegaconf>=2.3.0",\n    "optuna>=3.5.0",\n'
                    '    "wandb>=0.16.4",\n    "matplotlib>=3.8",\n]\n',
                    "dependencies = ['torch', 'torchvision', 'numpy', 'pandas', 'hydra-core', "
                    "'optuna', 'wandb', 'matplotlib']\n",
                ),
            ),
            "src/evaluate.py": (
                ("from scipy.stats import wilcoxon\n", ""),
                (
                    "    tests = []\n    for first",
                    "    from scipy.stats import wilcoxon\n\n    tests = []\n    for first",
                ),
            ),
        },
    ),
    _case(
        "a device map without accelerate",
        "retrieval-head",
        "FS07",
        "ImportError",
        {
            "src/model.py": (
                (
                    "AutoModel.from_pretrained(name, cache_dir=",
                    'AutoModel.from_pretrained(name, device_map="auto", cache_dir=',
                ),
            )
        },
    ),
    _case(
        "a module's name for a distribution's",
        "retrieval-head",
        "FS09",
        "uv",
        {_FILE: (('"scikit-learn>=1.4.2"', '"sklearn"'),)},
    ),
    _case(
        "a module of Python among the dependencies",
        "adapters",
        "FS09",
        "uv",
        {_FILE: (('    "accelerate>=1.0",\n', '    "accelerate>=1.0",\n    "json",\n    "shutil",\n'),)},
    ),
    _case(
        "a Python too old for scipy",
        "noise-batch",
        "FS10",
        "uv",
        {
            _FILE: (
                ('requires-python = ">=3.11"', 'requires-python = ">=3.8"  # as on the cluster'),
                ('"scipy>=1.12.0"', '"scipy>=1.14"'),
            )
        },
    ),
    _case(
        "a backend that finds nothing to build",
        "gated-sam",
        "FS08",
        "uv",
        {
            _FILE: (
                (
                    "[tool.uv]\npackage = false\n",
                    '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n',
                ),
            )
        },
    ),
    _case(
        "a version is missing, and a backend builds the project",
        "temperature-mixing",
        "FS04",
        "uv",
        {_FILE: (('version = "0.1.0"\n', ""),)},
        (_FILE, 'name = "temperature-mixing"\nversion = "0.1.0"\n'),
    ),
    _case(
        "modules of Python behind others on their line",
        "temperature-mixing",
        "FS09",
        "uv",
        {_FILE: (('    "matplotlib>=3.8",\n', '    "matplotlib>=3.8", "itertools", "typing", "os",\n'),)},
        (_FILE, '    "matplotlib>=3.8",\n]'),
    ),
    _case(
        "modules of Python with bounds",
        "noise-batch",
        "FS09",
        "uv",
        {_FILE: (('    "seaborn>=0.13.2",\n', '    "random",\n    "seaborn>=0.13.2",\n    "pathlib>=1.0",\n    "math",\n'),)},
        (_FILE, '    "matplotlib>=3.8.3",\n    "seaborn>=0.13.2",\n]'),
    ),
    _case(
        "a module's name with bounds for a distribution's",
        "adapters",
        "FS09",
        "uv",
        {_FILE: (('"scikit-learn>=1.5"', '"sklearn>=1.5,<2"'),)},
        (_FILE, '    "numpy>=1.26",\n    "scikit-learn>=1.5,<2",\n    "matplotlib'),
    ),
)  # fmt: skip
