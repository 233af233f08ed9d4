"""Guards which imports are known to fail in the processes that commands and scripts start."""

import pytest

from reviewers.facts import Facts
from reviewers.facts.module_search import FailedImport
from tests.builders import with_one_run

PROJECT = '[project]\nname = "a"\nversion = "0.1"\ndependencies = ["torch", "hydra-core"]\n'
SETUPTOOLS = f'{PROJECT}[build-system]\nrequires = ["setuptools"]\n'
HATCHLING = (
    f'{PROJECT}[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
    '[tool.hatch.build.targets.wheel]\npackages = ["src"]\n'
)
LISTED = f'{SETUPTOOLS}[tool.setuptools]\npackages = ["src"]\n'
HEAD = "import os\nimport subprocess\nimport sys\nfrom pathlib import Path\nimport hydra\n"
ROOT = "ROOT = Path(__file__).resolve().parents[1]\n"
ENTRY = '@hydra.main(version_base="1.3", config_path="../config", config_name="config")\n'
TRAIN = f"import hydra\nfrom src.model import build\n{ENTRY}def main(cfg):\n    build(cfg)\n"
GUARD = 'if __name__ == "__main__":\n    main()\n'


def failures(
    start: str, files: dict[str, str | None] | None = None, *, project: str = PROJECT
) -> tuple[FailedImport, ...]:
    """What fails where main() does this, beside a train.py that imports `src.model`."""
    main = f"{HEAD}{ROOT}{ENTRY}def main(cfg):\n    {start}\n{GUARD}"
    given: dict[str, str | bytes | None] = {
        "pyproject.toml": project,
        "src/main.py": main,
        "src/train.py": TRAIN + GUARD,
        "src/model.py": "def build(cfg):\n    return cfg\n",
        "src/preprocess.py": "",
        "src/evaluate.py": "",
        **(files or {}),
    }
    return Facts(with_one_run(given)).failed_imports


def told(found: tuple[FailedImport, ...]) -> list[tuple[str, str]]:
    """Where each is and what Python says."""
    return [(f"{one.span.file}:{one.span.line}", one.message) for one in found]


NO_SRC = [("src/train.py:2", "No module named 'src'")]
AT_START = [("src/main.py:9", "No module named 'src'")]
STARTS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "as a module": ('subprocess.run([sys.executable, "-m", "src.train"])', []),
    "as a script": ('subprocess.run([sys.executable, "src/train.py"])', NO_SRC),
    "as a script in its folder": ('subprocess.run(["python", "train.py"], cwd="src")', NO_SRC),
    "as a script by its whole path": (
        'subprocess.run([sys.executable, str(ROOT / "src" / "train.py")], cwd=ROOT)',
        NO_SRC,
    ),
    "in a shell": ('subprocess.run("python -u src/train.py", shell=True)', NO_SRC),
    "with the root on PYTHONPATH": (
        'subprocess.run(["python", "src/train.py"], env={**os.environ, "PYTHONPATH": str(ROOT)})',
        [],
    ),
    "with another folder on PYTHONPATH": (
        'subprocess.run(["python", "src/train.py"], env={**os.environ, "PYTHONPATH": "config"})',
        NO_SRC,
    ),
    "with a PYTHONPATH that is not known": (
        'env = {**os.environ}; env["PYTHONPATH"] = ":".join(sys.path);'
        ' subprocess.run(["python", "src/train.py"], env=env)',
        [],
    ),
    "in a shell with PYTHONPATH": (
        'subprocess.run("PYTHONPATH=. python src/train.py", shell=True)',
        [],
    ),
    "in a shell after cd": ('subprocess.run("cd src && python train.py", shell=True)', []),
    "as a module from the wrong folder": (
        'subprocess.run([sys.executable, "-m", "src.train"], cwd=ROOT / "src")',
        AT_START,
    ),
    "as a module from above the root": (
        'subprocess.run([sys.executable, "-m", "src.train"], cwd=ROOT.parent)',
        AT_START,
    ),
    "as a module without its package": (
        'subprocess.run([sys.executable, "-m", "train"])',
        [("src/main.py:9", "No module named train")],
    ),
    "as a module without its package, in its folder": (
        'subprocess.run([sys.executable, "-m", "train"], cwd=ROOT / "src")',
        NO_SRC,
    ),
    "as a module that is not there": (
        'subprocess.run([sys.executable, "-m", "src.trainer"])',
        [("src/main.py:9", "No module named src.trainer")],
    ),
    "as a script that is not there": (
        'subprocess.run([sys.executable, "train.py"])',
        [("src/main.py:9", "can't open file 'train.py': [Errno 2] No such file or directory")],
    ),
    "from the folder of results": (
        'subprocess.run([sys.executable, "-m", "src.train"], cwd=cfg.results_dir)',
        [("src/main.py:9", "No module named 'src'")],
    ),
    "a module of a library": ('subprocess.run([sys.executable, "-m", "pip", "list"])', []),
    "by a launcher": ('subprocess.run(["torchrun", "--nproc=2", "src/train.py"])', NO_SRC),
    "a copy": ('subprocess.run(["cp", "src/train.py", "kept.py"])', []),
    "perhaps": ('cfg.x and subprocess.run([sys.executable, "src/train.py"])', []),
}


@pytest.mark.parametrize(("start", "expected"), STARTS.values(), ids=STARTS)
def test_what_a_child_process_finds_depends_on_how_it_is_started(
    start: str, expected: list[tuple[str, str]]
) -> None:
    assert told(failures(start)) == expected


def test_a_process_that_fails_is_told_with_the_line_that_starts_it() -> None:
    (found,) = failures('subprocess.run([sys.executable, "src/train.py"])')
    assert str(found.start.at) == "src/main.py:9"
    assert found.start.told == "python src/train.py"


@pytest.mark.parametrize(
    ("project", "fails"),
    [(PROJECT, True), (SETUPTOOLS, True), (LISTED, False), (HATCHLING, False)],
    ids=["not installed", "setuptools adds src/", "of setuptools", "hatchling adds the root"],
)
def test_uv_run_installs_the_project_and_with_it_its_folder(project: str, fails: bool) -> None:
    found = failures('subprocess.run([sys.executable, "src/train.py"])', project=project)
    assert bool(found) is fails


def test_the_modules_beside_a_script_are_found_where_setuptools_adds_src() -> None:
    train = {"src/train.py": "from model import build\n"}
    start = 'subprocess.run([sys.executable, "-m", "src.train"])'
    assert told(failures(start, train)) == [("src/train.py:1", "No module named 'model'")]
    assert not failures(start, train, project=SETUPTOOLS)
    assert failures(start, train, project=LISTED)


@pytest.mark.parametrize("added", ["", "sys.path.append('src')\n"], ids=["installed", "appended"])
def test_a_library_is_found_before_a_module_of_the_installed_project(added: str) -> None:
    files = {
        "src/train.py": f"import sys\n{added}import evaluate\n",
        "src/evaluate.py": "from .model import build\n",
    }
    start = 'subprocess.run([sys.executable, "-m", "src.train"])'
    assert not failures(start, files, project=SETUPTOOLS)
    beside = 'subprocess.run([sys.executable, "src/train.py"])'
    assert failures(beside, files, project=SETUPTOOLS)


PATHS = {
    "by its file": ("sys.path.insert(0, str(Path(__file__).resolve().parents[1]))", True),
    "by os.path": (
        'sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))',
        True,
    ),
    "by the working directory": ("sys.path.append(os.getcwd())", True),
    "by a dot": ('sys.path.append(".")', True),
    "by a name": (
        "HERE = Path(__file__).parent.parent\nif str(HERE) not in sys.path:\n"
        "    sys.path.insert(0, str(HERE))",
        True,
    ),
    "by what is not known": ("sys.path.append(os.environ['HOME'])", True),
    "in a loop": ("for one in ['.', '..']:\n    sys.path.append(one)", True),
    "as a whole": ("sys.path = ['.'] + sys.path", True),
    "in a function": ("def go():\n    sys.path.insert(0, '.')\ngo()", True),
    "another folder": ('sys.path.append("config")', False),
    "its own folder": ("sys.path.append(str(Path(__file__).parent))", False),
}


@pytest.mark.parametrize(("change", "is_found"), PATHS.values(), ids=PATHS)
def test_what_code_adds_to_its_path_is_searched(change: str, is_found: bool) -> None:
    train = f"import os, sys\nfrom pathlib import Path\n{change}\nfrom src.model import build\n"
    found = failures('subprocess.run([sys.executable, "src/train.py"])', {"src/train.py": train})
    assert (not found) is is_found


IMPORTS: dict[str, tuple[str, list[str]]] = {
    "relative": ("from .model import build", []),
    "of a namesake of a library": ("import datasets", []),
    "guarded": ("try:\n    from model import build\nexcept ImportError:\n    build = None", []),
    "guarded, and the other way fails": (
        "try:\n    from model import build\nexcept ImportError:\n    from preprocess import build",
        ["No module named 'preprocess'"],
    ),
    "for types only": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from model import build",
        [],
    ),
    "under an unknown condition": (
        "import os\nif os.environ.get('A'):\n    from model import build",
        [],
    ),
    "in a function": ("def main():\n    import model\nmain()", ["No module named 'model'"]),
    "of an unknown library": ("import unheard_of", []),
    "beyond the package": (
        "from ..model import build",
        ["attempted relative import beyond top-level package"],
    ),
    "by importlib": (
        "import importlib\nimportlib.import_module('model')",
        ["No module named 'model'"],
    ),
    "as a script only": (
        "if __name__ == '__main__':\n    from model import build",
        ["No module named 'model'"],
    ),
}


@pytest.mark.parametrize(("body", "expected"), IMPORTS.values(), ids=IMPORTS)
def test_an_import_fails_where_its_process_certainly_makes_it(
    body: str, expected: list[str]
) -> None:
    found = failures(
        'subprocess.run([sys.executable, "-m", "src.train"])', {"src/train.py": f"{body}\n"}
    )
    assert [one.message for one in found] == expected


def test_a_relative_import_needs_a_package() -> None:
    train = {"src/train.py": "from .model import build\n"}
    (found,) = failures('subprocess.run([sys.executable, "src/train.py"])', train)
    assert found.message == "attempted relative import with no known parent package"


CIRCLES: dict[str, tuple[dict[str, str | None], list[str]]] = {
    "a name that comes later": (
        {
            "src/train.py": "from src.model import build\ndef seed():\n    pass\n",
            "src/model.py": "from src.train import seed\ndef build():\n    pass\n",
        },
        ["src/train.py:1"],
    ),
    "a name that came before": (
        {
            "src/train.py": "def seed():\n    pass\nfrom src.model import build\n",
            "src/model.py": "def build():\n    pass\nfrom src.train import seed\n",
        },
        [],
    ),
    "in a function": (
        {
            "src/train.py": "from src.model import build\ndef seed():\n    pass\n",
            "src/model.py": "def build():\n    from src.train import seed\n    seed()\n",
        },
        [],
    ),
    "the module as a whole": (
        {
            "src/train.py": "import src.model\ndef seed():\n    pass\n",
            "src/model.py": "import src.train\ndef build():\n    pass\n",
        },
        [],
    ),
    "caught": (
        {
            "src/train.py": "from src.model import build\ndef seed():\n    pass\n",
            "src/model.py": (
                "try:\n    from src.train import seed\nexcept ImportError:\n    seed = None\n"
                "def build():\n    pass\n"
            ),
        },
        [],
    ),
    "over a package": (
        {
            "src/train.py": "from src.parts import Head\n",
            "src/parts/__init__.py": "from src.parts.head import Head\nWIDTH = 8\n",
            "src/parts/head.py": "from src.parts import WIDTH\nclass Head:\n    pass\n",
        },
        ["src/parts/head.py:1"],
    ),
}


@pytest.mark.parametrize(("files", "expected"), CIRCLES.values(), ids=CIRCLES)
def test_a_circle_fails_where_a_name_is_not_bound_yet(
    files: dict[str, str | None], expected: list[str]
) -> None:
    found = failures('subprocess.run([sys.executable, "-m", "src.train"])', files)
    assert [str(one.span) for one in found if one.is_circular] == expected
    assert len(found) == len(expected)


def test_a_declared_distribution_may_bring_a_module_of_an_own_one_s_name() -> None:
    files: dict[str, str | None] = {"src/clip.py": "", "src/train.py": "import clip\n"}
    start = 'subprocess.run([sys.executable, "-m", "src.train"])'
    asks = PROJECT.replace('"torch"', '"clip @ git+https://example.org/clip.git"')
    assert failures(start, files)
    assert not failures(start, files, project=asks)
