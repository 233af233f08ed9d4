"""Guards what is read out of one Python file, and that no text whatsoever makes the reading
fail.
"""

import time

import pytest

from reviewers.facts.python_file import PythonFile

MODULE = '''"""Trains."""
from __future__ import annotations
import numpy as np
import torch.nn.functional as F
import os.path
from torch import nn
from .model import build_model as build
from . import preprocess

try:
    import wandb
except ImportError:
    wandb = None

RATE = 0.1


class Net(nn.Module):
    """A network."""

    def __init__(self):
        super().__init__()

    @property
    def width(self):
        def inner():
            return 1
        return inner()


async def fit(x: "Missing"):
    return np.mean(F.linear(x)), os.path.join("a", f"{x}/b"), build(x)
'''


def read(text: str, path: str = "src/train.py") -> PythonFile:
    return PythonFile(path, text)


def test_a_broken_file_says_where_and_why_and_keeps_the_rest() -> None:
    file = read("import os\n\ndef f(:\n    pass\n\ndef g():\n    return os.sep, f()\n")
    assert file.tree is None
    assert file.syntax_error is not None
    assert (file.syntax_error.line, file.syntax_error.column) == (3, 7)
    assert file.syntax_error.message == "invalid syntax"
    assert file.set_aside == ((3, 4),)
    assert [item.module for item in file.imports] == ["os"]
    assert list(file.functions) == ["g"]
    # `f` may be what the broken statement defines, and nothing says what else it does.
    assert (file.undefined_names, file.top_level_names) == ((), None)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000,
        "-" * 100_000 + "1",
        "a" + ".b" * 50_000,
        "x = 1\0",
        "\ud800",
        "if 1:\n" * 99 + "é",
        "f'{'",
        "x = '''",
        "\x0c\u2028",
    ],
    ids=[
        "brackets", "signs", "attributes", "nul", "surrogate", "indents", "f-string", "open string",
        "odd separators",
    ],
)  # fmt: skip
def test_hostile_text_becomes_a_fact_and_never_an_error(text: str) -> None:
    file = read(text)
    assert (file.tree is None) or (file.syntax_error is None)
    assert file.undefined_names is not None
    assert file.scopes is None or file.readable is not None
    assert list(file.calls) == list(file.calls_of(""))


def test_a_file_too_deep_to_be_read_is_not_called_a_syntax_error() -> None:
    file = read("x = " + "+ ".join(["1"] * 2000))
    assert (file.tree, file.syntax_error) == (None, None)


def test_code_that_warns_is_read_in_silence() -> None:
    assert read(r's = "\d"' + "\nx = 1 is 1\n").syntax_error is None


def test_lines_are_counted_as_python_counts_them() -> None:
    file = read("a = '\u2028'\r\nb = 1\x0c\nc = 2")
    assert file.lines == ["a = '\u2028'", "b = 1\x0c", "c = 2"]


def test_names_are_resolved_through_their_import() -> None:
    file = read(MODULE)
    assert [call.name for call in file.calls if call.scope == "fit"] == [
        "numpy.mean",
        "torch.nn.functional.linear",
        "os.path.join",
        "src.model.build_model",
    ]
    assert file.classes["Net"].bases == ("torch.nn.Module",)
    assert file.aliases["preprocess"] == "src.preprocess"


def test_packages_are_those_of_absolute_imports_wherever_they_stand() -> None:
    text = "import torch.nn as nn\nfrom .peft import a\ndef f():\n    from hydra.core import a\n"
    assert read(text).packages == {"torch", "hydra"}


def test_calls_are_found_by_name_or_by_ending() -> None:
    file = read("import wandb\nrun = wandb.init()\nrun.log({})\nwandb.log({})\nget().log({})\n")
    assert [call.line for call in file.calls_of("wandb.log")] == [4]
    assert [call.line for call in file.calls_of(".log")] == [3, 4, 5]


def test_an_import_under_try_is_guarded_and_one_beside_it_is_not() -> None:
    imports = {item.bound: item for item in read(MODULE).imports}
    assert imports["wandb"].guarded
    assert not imports["np"].guarded
    assert (imports["build"].module, imports["build"].level, imports["build"].line) == (
        "model",
        1,
        7,
    )


@pytest.mark.parametrize(
    ("line", "scope"),
    [
        (1, ""),
        (17, ""),
        (18, "Net"),
        (22, "Net.__init__"),
        (24, "Net.width"),
        (27, "Net.width.inner"),
        (28, "Net.width"),
        (29, ""),
        (32, "fit"),
    ],
    ids=[
        "docstring", "before", "class", "method", "decorator", "nested", "after nested", "between",
        "function",
    ],
)  # fmt: skip
def test_scope_is_the_innermost_definition_around_a_line(line: int, scope: str) -> None:
    assert read(MODULE).scope_at(line) == scope


def test_strings_know_docstrings_and_templates() -> None:
    found = {
        literal.value: (literal.is_docstring, literal.is_template)
        for literal in read(MODULE).strings
    }
    assert found["A network."] == (True, False)
    assert found["{}/b"] == (False, True)
    assert found["a"] == (False, False)


def test_an_undefined_name_is_told_once_with_all_its_lines() -> None:
    (found,) = read("def f():\n    return foo, foo\n\nprint(foo)\n").undefined_names
    assert (found.name, found.line, found.lines, found.evaluated) == ("foo", 2, (2, 4), True)


@pytest.mark.parametrize(
    "text",
    [
        "from os import *\nprint(sep)\n",
        "try:\n    unicode\nexcept NameError:\n    unicode = str\n",
        "def f():\n    return later\n\nlater = 1\n",
        "if True:\n    def g(): pass\nelse:\n    g = None\ng()\n",
        "__all__ = ['f']\ndef f(): return __file__\n",
        "class A:\n    x = 1\n    y = [x for _ in range(3)]\n    def f(self): return __class__\n",
    ],
    ids=[
        "star import",
        "except NameError",
        "defined later",
        "conditional",
        "module names",
        "class",
    ],
)
def test_defined_names_are_not_called_undefined(text: str) -> None:
    assert read(text).undefined_names == ()


@pytest.mark.parametrize(
    "text",
    [
        "x = 1 + x\n", "x = (\n    x,\n)\n", "def f():\n    print(x)\n    x = 1\n",
        "for x in (\n    x,\n): pass\n", "with open(\n    x) as x: pass\n",
        "try: pass\nexcept OSError as x: pass\nprint(x)\n", "x: int\nprint(x)\n",
        "class A:\n    x = 1\n    def f(self): return x\n", "class x:\n    y = x\n", "del x\n",
        "import typing\ny: typing.Optional['x'] = None\n", "[y for y in (\n    x) for x in y]\n",
        "@x\ndef x(): pass\n",
    ],
)  # fmt: skip
def test_a_name_that_has_its_value_too_late_is_undefined(text: str) -> None:
    assert [found.name for found in read(text).undefined_names] == ["x"]


@pytest.mark.parametrize(
    ("text", "evaluated"),
    [
        ("def f(x: Any): pass\n", True),
        ("def f() -> Any: pass\n", True),
        ("from __future__ import annotations\ndef f(x: Any): pass\n", False),
        ("def f(x: 'Any'): pass\n", False),
        ("def f():\n    x: Any = 1\n", False),
        ("class A:\n    x: Any = 1\n", True),
        ("def f(x=Any): pass\n", True),
    ],
    ids=[
        "parameter",
        "return",
        "postponed",
        "quoted",
        "local variable",
        "class variable",
        "default",
    ],
)
def test_an_undefined_name_in_an_annotation_counts_where_python_evaluates_it(
    text: str, evaluated: bool
) -> None:
    (found,) = read(text).undefined_names
    assert found.evaluated is evaluated


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "import a.b\nx = y = 1\ndef f():\n    global z\n    z = 1\nfor i in []: pass\n",
            {"a", "x", "y", "z", "f", "i"},
        ),
        ("from os import *\n", None),
        ("def __getattr__(name): return 1\n", None),
        ("globals().update(a=1)\n", None),
    ],
    ids=["plain", "star", "getattr", "globals"],
)
def test_what_a_module_offers_is_known_or_left_open(text: str, names: set[str] | None) -> None:
    offered = read(text).top_level_names
    assert offered is None if names is None else offered == names


def test_of_ten_thousand_undefined_names_the_first_thousand_are_told_within_seconds() -> None:
    start = time.monotonic()
    assert (
        len(read("".join(f"x = y{number}\n" for number in range(10_000))).undefined_names) == 1_000
    )
    assert time.monotonic() - start < 60
