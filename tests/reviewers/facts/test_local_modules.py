"""Guards which imports between the submission's own files are said to find nothing."""

import pytest

from reviewers.facts.local_modules import missing_imports
from reviewers.facts.python_file import PythonFile

MODEL = (
    "import torch\nWIDTH = 1\nclass Net: pass\ndef build(): pass\ntry:\n    from x import y\nexcept"
    " ImportError:\n    y = None\n"
)


def missing(train: str, model: str = MODEL) -> list[tuple[str, str | None]]:
    files = {
        "src/model.py": model,
        "src/train.py": train,
        "src/main.py": "from .train import main\n" if not train else "",
    }
    return [
        (one.expected, one.name)
        for one in missing_imports({path: PythonFile(path, text) for path, text in files.items()})
    ]


@pytest.mark.parametrize(
    ("train", "found"),
    [
        ("from .utils import seed\n", ("src/utils.py", None)),
        ("from src.utils import seed\n", ("src/utils.py", None)),
        ("import src.utils\n", ("src/utils.py", None)),
        ("from . import utils\n", ("src/utils.py", None)),
        ("from src import utils\n", ("src/utils.py", None)),
        ("from .layers.gates import Gate\n", ("src/layers/gates.py", None)),
        ("from .model import Gate\n", ("src/model.py", "Gate")),
        ("def f():\n    from src.model import Gate\n", ("src/model.py", "Gate")),
    ],
    ids=[
        "relative", "absolute", "import", "from package", "from src", "deeper", "name",
        "in a function",
    ],
)  # fmt: skip
def test_an_import_that_finds_nothing_says_what_should_be_where(
    train: str, found: tuple[str, str | None]
) -> None:
    assert missing(train) == [found]


@pytest.mark.parametrize(
    "train",
    [
        "from .model import Net, build, WIDTH, torch, y\n",
        "from .model import *\n",
        "from . import model\nimport src.model\nfrom src import model as m\n",
        "import utils\nfrom models import Net\n",
    ],
    ids=["defined", "star", "modules", "other packages"],
)
def test_an_import_that_finds_something_or_is_none_of_ours_is_passed_over(train: str) -> None:
    assert missing(train) == []


@pytest.mark.parametrize(
    "model",
    [
        "from os import *\n",
        "def __getattr__(name): return 1\n",
        "globals().update(x)\n",
        "def broken(:\n",
    ],
    ids=["star", "getattr", "globals", "no tree"],
)
def test_a_module_whose_names_are_open_lacks_none(model: str) -> None:
    assert missing("from .model import Gate\n", model) == []


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"lib/__init__.py": "from . import api\n", "lib/api.py": ""}, []),
        ({"lib/__init__.py": "from .api import get\n", "lib/api.py": "get = 1\n"}, []),
        ({"__init__.py": "from .api import get\n", "api.py": "get = 1\n"}, []),
        ({"lib/__init__.py": "from .gone import get\n"}, ["lib/gone.py"]),
        ({"lib/a/__init__.py": "from ..b import get\n", "lib/b.py": "get = 1\n"}, []),
        ({"api.py": "from ..above import get\n"}, []),
        ({"lib/api.py": "from ._fast import get\n", "lib/_fast.cpython-312.so": ""}, []),
        ({"lib/api.py": "from lib import _fast\n", "lib/_fast.pyx": ""}, []),
        ({"lib/api.py": "from ._version import version\n"}, []),
    ],
    ids=[
        "package", "package's module", "root is a package", "missing in package",
        "from a package upwards", "beyond the root", "compiled", "to be compiled",
        "written by the build",
    ],
)  # fmt: skip
def test_packages_import_from_their_own_folder(files: dict[str, str], expected: list[str]) -> None:
    python = {path: PythonFile(path, text) for path, text in files.items() if path.endswith(".py")}
    assert [one.expected for one in missing_imports(python, files)] == expected
