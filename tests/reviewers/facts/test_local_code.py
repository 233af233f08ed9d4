"""Guards what is certain between a submission's own functions and classes: who is called with what,
what an object lacks.
"""

import ast
from collections.abc import Mapping

import pytest

from reviewers.facts.local_code import LocalCode
from reviewers.facts.python_file import PythonFile
from reviewers.facts.signatures import mismatch

MODEL = """
from torch import nn

class Base(nn.Module):
    def __init__(self, width, depth=2):
        super().__init__()
        self.width = width

    def forward(self, x, mask=None):
        return self.scale(x)

    def scale(self, x):
        return x

class Wide(Base):
    def scale(self, x, factor=2):
        return x * factor

def build_model(cfg):
    model = Wide(cfg.width)
    return model
"""


def code_of(train: str, **others: str) -> LocalCode:
    files = {"src/model.py": MODEL, "src/train.py": train} | {
        f"src/{name}.py": text for name, text in others.items()
    }
    return LocalCode({path: PythonFile(path, text) for path, text in files.items()})


def misfits(code: LocalCode, path: str = "src/train.py") -> list[str]:
    file = code.python[path]
    found = []
    for call in file.calls:
        target = code.target(file, call.node)
        if target and (
            problem := mismatch(target.function, call.node, target.shown, bound=target.bound)
        ):
            found.append(problem)
    return found


def lacking(code: LocalCode, path: str = "src/train.py") -> list[str]:
    file = code.python[path]
    reads = (
        node
        for node in file.nodes
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    )
    return [
        node.attr
        for node in reads
        if (kind := code.type_of(file, node.value)) and code.lacks(kind, node.attr)
    ]


MISFITS: Mapping[str, tuple[str, str]] = {
    "too few": ("def f(a, b): pass\nf(1)\n", "f() missing 1 required positional argument: 'b'"),
    "too many": (
        "def f(a, b=1): pass\nf(1, 2, 3)\n",
        "f() takes from 1 to 2 positional arguments but 3 were given",
    ),
    "unknown keyword": (
        "def f(a): pass\nf(1, c=2)\n",
        "f() got an unexpected keyword argument 'c'",
    ),
    "given twice": ("def f(a): pass\nf(1, a=2)\n", "f() got multiple values for argument 'a'"),
    "keyword only": (
        "def f(*, a): pass\nf()\n",
        "f() missing 1 required keyword-only argument: 'a'",
    ),
    "takes nothing": ("def f(): pass\nf(1)\n", "f() takes 0 positional arguments but 1 was given"),
    "unknown keyword beside a star": (
        "def f(a): pass\nf(*x, c=2)\n",
        "f() got an unexpected keyword argument 'c'",
    ),
    "nested": (
        "def g():\n  def f(a): pass\n  f(1, 2)\n",
        "f() takes 1 positional argument but 2 were given",
    ),
    "imported": (
        "from .model import build_model\nbuild_model()\n",
        "build_model() missing 1 required positional argument: 'cfg'",
    ),
    "constructor": (
        "from src.model import Wide as W\nW()\n",
        "Wide.__init__() missing 1 required positional argument: 'width'",
    ),
    "method": (
        "from .model import Wide\nm = Wide(1)\nm.scale()\n",
        "Wide.scale() missing 1 required positional argument: 'x'",
    ),
    "forward": (
        "from .model import Wide\nm = Wide(1).to('cpu')\nm(1, 2, 3)\n",
        "Base.forward() takes from 2 to 3 positional arguments but 4 were given",
    ),
    "built": (
        "from .model import build_model\nm = build_model(1)\nm()\n",
        "Base.forward() missing 1 required positional argument: 'x'",
    ),
    "self": (
        "class A:\n  def f(self, a): pass\n  def g(self):\n    self.f()\n",
        "A.f() missing 1 required positional argument: 'a'",
    ),
    "static": (
        "class A:\n  @staticmethod\n  def f(a): pass\n  def g(self):\n    self.f()\n",
        "A.f() missing 1 required positional argument: 'a'",
    ),
    "layer": (
        (
            "from .model import Wide\nclass A:\n  def __init__(self):\n    self.m = Wide(1)\n  def"
            " g(self):\n    self.m()\n"
        ),
        "Base.forward() missing 1 required positional argument: 'x'",
    ),
}
OPEN = {
    "fits": "def f(a, /, b, *c, d=1, **e): pass\nf(1, 2, 3, d=4, z=5, a=6)\n",
    "starred": "def f(a, b): pass\nf(*x)\nf(**y)\n",
    "redefined": "def f(a): pass\nif x:\n  def f(): pass\nf()\n",
    "reassigned": "def f(a): pass\nf = g(f)\nf()\n",
    "decorated": "@wrapped\ndef f(a): pass\nf()\n",
    "shadowed by a parameter": "def f(a): pass\ndef g(f):\n  f()\n",
    "shadowed in a comprehension": "def f(a): pass\n[f() for f in x]\n",
    "method replaced": (
        "class A:\n  def f(self, a): pass\n  def g(self):\n    self.f = h\n    self.f()\n"
    ),
    "method of a subclass": (
        "class A:\n  def f(self, a): pass\n  def g(self):\n    self.f()\nclass B(A):\n  def"
        " f(self): pass\n"
    ),
    "enum": "from enum import Enum\nclass A(Enum):\n  def __init__(self, a, b): pass\nA(1)\n",
    "metaclass": "class A(metaclass=M):\n  def __init__(self, a): pass\nA()\n",
    "new": "class A:\n  def __new__(cls): pass\n  def __init__(self, a): pass\nA()\n",
    "two classes": (
        "class A:\n  def f(self): pass\nclass B:\n  def f(self, a): pass\nm = A() if x else"
        " B()\nm.f(1)\n"
    ),
    "network called by its own __call__": (
        "from .model import Base\nclass A(Base):\n  def __call__(self): pass\nm = A(1)\nm()\n"
    ),
    "global": "def f(a): pass\ndef g():\n  global f\n  f = h\nf()\n",
    "property": "class A:\n  @property\n  def f(self): return g\n  def h(self):\n    self.f(1)\n",
    "calls itself in vain": "def f(): return f()\nm = f()\nm.g()\n",
}


@pytest.mark.parametrize(("train", "problem"), MISFITS.values(), ids=MISFITS)
def test_a_call_that_cannot_fit_ends_in_pythons_own_words(train: str, problem: str) -> None:
    assert misfits(code_of(train)) == [problem]


@pytest.mark.parametrize("train", OPEN.values(), ids=OPEN)
def test_a_call_that_fits_or_is_open_is_passed_over(train: str) -> None:
    assert misfits(code_of(train)) == []


@pytest.mark.parametrize(
    ("call", "signature"),
    [
        ("f(1)", "a, b"),
        ("f(1, 2, 3)", "a, b=1"),
        ("f(1, c=2)", "a"),
        ("f(1, a=2)", "a"),
        ("f()", "*, a, b, c=1"),
        ("f(a=1)", "a, /, b"),
        ("f(1, 2)", "a, /, **c"),
        ("f()", "a, b, c"),
    ],
)
def test_a_mismatch_is_one_for_python_too(call: str, signature: str) -> None:
    space: dict[str, object] = {}
    exec(f"def f({signature}): pass", space)  # noqa: S102  our own text above, no submission's
    node = ast.parse(call, mode="eval").body
    function = ast.parse(f"def f({signature}): pass").body[0]
    assert isinstance(node, ast.Call)
    assert isinstance(function, ast.FunctionDef)
    with pytest.raises(TypeError):
        eval(call, space)  # noqa: S307  our own text above, no submission's
    assert mismatch(function, node, "f", bound=False)


LACKING = {
    "own": "class A:\n  def f(self):\n    return self.gone\n",
    "network": "from torch import nn\nclass A(nn.Module):\n  def f(self):\n    return self.gone\n",
    "instance": "from .model import Wide\nm = Wide(1)\nm.gone\n",
    "set on another class": (
        "class A:\n  def f(self):\n    return self.gone\nclass B:\n  def f(self):\n    self.gone"
        " = 1\n"
    ),
}
HAVING = {
    "set later": "class A:\n  def f(self):\n    return self.a\na = A()\na.a = 1\n",
    "set by name": "class A:\n  def f(self):\n    return self.a\nsetattr(x, 'a', 1)\n",
    "asked for first": "class A:\n  def f(self):\n    return self.a if hasattr(self, 'a') else 1\n",
    "buffer": (
        "from torch import nn\nclass A(nn.Module):\n  def f(self):\n    self.register_buffer('a',"
        " x)\n    return self.a\n"
    ),
    "of a network": (
        "from torch import nn\nclass A(nn.Module):\n  def f(self):\n    return self.training,"
        " self.to(x), self._a\n"
    ),
    "unknown base": "class A(Other):\n  def f(self):\n    return self.a\n",
    "getattr": (
        "class A:\n  def __getattr__(self, n): return 1\n  def f(self):\n    return self.a\n"
    ),
    "dict": (
        "class A:\n  def __init__(self, **k):\n    self.__dict__.update(k)\n  def f(self):\n   "
        " return self.a\n"
    ),
    "class variable": "class A:\n  if x:\n    a = 1\n  def f(self):\n    return self.a\n",
    "field": "class A:\n  a: int\n  def f(self):\n    return self.a\n",
    "decorated class": "@register\nclass A:\n  def f(self):\n    return self.a\n",
    "subclass": "class A:\n  def f(self):\n    return self.a\nclass B(A):\n  a = 1\n",
    "mixin": (
        "class A:\n  def f(self):\n    return self.a\nclass C:\n  def g(self):\n    self.a ="
        " 1\nclass B(A, C): pass\n"
    ),
    "class method": "class A:\n  @classmethod\n  def f(cls):\n    return cls.a\n",
    "not self": "class A:\n  @staticmethod\n  def f(x):\n    return x.a\n",
    "inherited": (
        "from .model import Base\nclass A(Base):\n  def f(self):\n    return self.width,"
        " self.scale\n"
    ),
}


@pytest.mark.parametrize("train", LACKING.values(), ids=LACKING)
def test_an_attribute_that_nothing_sets_is_lacking(train: str) -> None:
    assert lacking(code_of(train)) == ["gone"]


@pytest.mark.parametrize("train", HAVING.values(), ids=HAVING)
def test_an_attribute_that_may_be_there_is_not_lacking(train: str) -> None:
    assert lacking(code_of(train)) == []


@pytest.mark.parametrize(
    ("train", "scope", "used"),
    [
        ("def f(): pass\n", "f", False),
        ("def f(): pass\nf()\n", "f", True),
        ("def f(): pass\n", "", True),
        ("@main\ndef f(): pass\n", "f", True),
        ("class A:\n  def forward(self): pass\nA\n", "A.forward", True),
        ("class A:\n  def g(self): pass\nA\n", "A.g", False),
        ("class A:\n  def __len__(self): pass\n", "A.__len__", False),
        ("def f():\n  def g(): pass\n  g()\n", "f.g", False),
        ("def f(): pass\ngetattr(x, 'f')\n", "f", True),
    ],
    ids=[
        "never", "called", "module", "decorated", "forward", "method", "class never",
        "inside dead code", "by name",
    ],
)  # fmt: skip
def test_dead_code_is_told_from_code_that_something_mentions(
    train: str, scope: str, used: bool
) -> None:
    code = code_of(train)
    assert code.is_used(code.python["src/train.py"], scope) is used
