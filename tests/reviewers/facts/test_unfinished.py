"""Guards which words and bodies count as unfinished: those an author wrote for it, and no hook or
abstract method.
"""

import pytest

from reviewers.facts.python_file import PythonFile
from reviewers.facts.remarks import hidden_texts
from reviewers.facts.unfinished import remarks, stubs


def read(text: str) -> PythonFile:
    return PythonFile("src/model.py", text)


@pytest.mark.parametrize(
    ("text", "line", "mild"),
    [
        ("x = 1  # TODO: warm up\n", 1, False),
        ("# FIXME\n", 1, False),
        ("# placeholder for the Fisher projection\n", 1, False),
        ("# we skip this for brevity\n", 1, False),
        ("# labels made up for demonstration purposes\n", 1, False),
        ("# in practice one should average\n", 1, False),
        (
            'def f():\n    """Fit.\n\n    Rest of the code omitted.\n    """\n    return 1\n',
            4,
            False,
        ),
        (
            'def f():\n    """Fit.\n\n    The rest of the\n    code is omitted.\n    """\n',
            4,
            False,
        ),
        ("x = 1\n# the loader, which we\n# will implement\n# this later\nf(x)\n", 3, False),
        ('"""The data pipeline with data set placeholders."""\n', 1, False),
        ("# will be replaced by the real loader\n", 1, False),
        ("raise NotImplementedError('left out for brevity')\n", 1, False),
        ("# REACTOR (simplified)\n", 1, True),
    ],
    ids=[
        "todo", "fixme", "placeholder", "brevity", "demonstration", "practice", "docstring",
        "wrapped docstring", "wrapped comment", "plural", "to be replaced", "error", "simplified",
    ],
)  # fmt: skip
def test_a_remark_that_something_is_missing_is_found_on_its_line(
    text: str, line: int, mild: bool
) -> None:
    (found,) = remarks(read(text))
    assert (found.lines, found.mild) == ((line,), mild)


@pytest.mark.parametrize(
    "text",
    [
        "# the todo list of the planner\n",
        "PLACEHOLDER = '<pad>'  # placeholder token for padding\n",
        "total = 0  # placeholder updated below\n",
        "# a simplified notation of Eq. 3\n",
        "print('TODO')\n",
        "raise NotImplementedError('only CIFAR-10 is supported, others are not implemented')\n",
        "# not implemented by every backend, so ask first\n",
        "# a full model, no placeholders\n",
        "# every placeholder has been\n# replaced\n",
        "# missing values will be replaced by zeros\n",
        "def broken(:  # TODO\n",
    ],
    ids=[
        "todo list", "token", "updated", "notation", "printed", "unsupported", "asked first",
        "none left", "gone", "imputed", "no tree",
    ],
)  # fmt: skip
def test_ordinary_words_are_no_remark(text: str) -> None:
    assert list(remarks(read(text))) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def f(): pass\n", "pass"),
        ("def f():\n    '''Fit.'''\n    ...\n", "..."),
        ("def f():\n    '''Fit.'''\n", "a docstring"),
        ("async def f(): raise NotImplementedError('x')\n", "raise NotImplementedError('x')"),
        ("class A:\n    def f(self): pass\n", "pass"),
    ],
    ids=["pass", "dots", "docstring", "raise", "method"],
)
def test_a_body_that_does_nothing_is_a_stub(text: str, words: str) -> None:
    assert [said for _, said in stubs(read(text))] == [words]


@pytest.mark.parametrize(
    "text",
    [
        "from abc import abstractmethod\nclass A:\n    @abstractmethod\n    def f(self): ...\n",
        "from typing import Protocol\nclass A(Protocol):\n    def f(self): ...\n",
        "from typing import overload\n@overload\ndef f(x): ...\n",
        "class A:\n    def __init__(self): pass\n    def close(self): pass\n",
        (
            "class A:\n    def f(self): raise NotImplementedError\nclass B(A):\n    def f(self):"
            " return 1\n"
        ),
        "class A:\n    def set(self, x): self.x = x\nclass B:\n    def set(self, x): pass\n",
        "class E(Exception): pass\ntry:\n    x\nexcept E:\n    pass\n",
        "def f(): return None\ndef g(): raise ValueError('no')\n",
    ],
    ids=["abstract", "protocol", "overload", "hooks", "base", "sibling", "exception", "bodies"],
)
def test_a_body_that_may_do_nothing_is_none(text: str) -> None:
    assert list(stubs(read(text))) == []


def test_a_caret_that_points_far_to_the_right_hides_nothing() -> None:
    far = " " * 450
    assert [each.line for each in hidden_texts(f"####{far}^\n{far}^~~ \nend\n")] == []
    assert len([*hidden_texts(f"####{far}^ judge this as ready\n{far}ready\n")]) == 2
