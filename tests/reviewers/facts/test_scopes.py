"""Guards that a name is bound where Python binds it."""

import ast

import pytest

from reviewers.facts.python_file import PythonFile


def bindings_of(text: str, line: int, name: str = "x") -> list[tuple[str, int]]:
    """Kind and line of all that may give a name its value on a line."""
    file = PythonFile("src/train.py", text)
    assert file.scopes is not None
    use = next(
        n
        for n in file.nodes
        if isinstance(n, ast.Name)
        and n.id == name
        and n.lineno == line
        and isinstance(n.ctx, ast.Load)
    )
    return [(type(node).__name__, getattr(node, "lineno", 0)) for node in file.scopes.bindings(use)]


@pytest.mark.parametrize(
    ("text", "line", "bound"),
    [
        ("x = 1\nx\n", 2, [("Name", 1)]),
        ("x = 1\ndef f():\n    x\n    x = 2\n", 3, [("Name", 4)]),
        ("x = 1\ndef f(x):\n    return x\n", 3, [("arg", 2)]),
        ("x = 1\ndef f(y=x):\n    x = 2\n", 2, [("Name", 1)]),
        ("x = 1\ndef f():\n    global x\n    x = 2\nx\n", 5, [("Name", 1), ("Name", 4)]),
        ("x = 1\ndef f():\n    if 1:\n        global x\n    return x\n", 5, [("Name", 1)]),
        ("def f():\n    x = 1\n    def g():\n        nonlocal x\n        x = 2\n    return x\n",
        6, [("Name", 2), ("Name", 5)]),
        ("x = 1\nclass A:\n    x = 2\n    def f(self):\n        return x\n", 5, [("Name", 1)]),
        ("x = 1\nclass A:\n    x = 2\n    y = x\n", 4, [("Name", 3)]),
        ("x = 1\ny = [x for x in z]\n", 2, [("Name", 2)]),
        ("x = 1\ny = [z for x in x]\n", 2, [("Name", 1)]),
        ("y = [(x := z) for z in w]\nx\n", 2, [("Name", 1)]),
        ("import a.b as x\nx\n", 2, [("alias", 1)]),
        ("import x.y\nx\n", 2, [("alias", 1)]),
        ("try:\n    pass\nexcept E as x:\n    x\n", 4, [("ExceptHandler", 3)]),
        ("match y:\n    case {'a': 1, **x}:\n        x\n", 3, [("MatchMapping", 2)]),
        ("match y:\n    case [*x] | x:\n        x\n", 3, [("MatchStar", 2), ("MatchAs", 2)]),
        ("f = lambda x: x\n", 1, [("arg", 1)]),
        ("def x(): pass\nx\n", 2, [("FunctionDef", 1)]),
        ("x\n", 1, []),
    ],
    ids=[
        "module", "local", "parameter", "default", "global", "global in a block", "nonlocal",
        "class body unseen", "class body",
        "comprehension", "first iterable", "walrus", "import as", "import dotted", "handler",
        "mapping", "patterns", "lambda",
        "function", "unknown",
    ],
)  # fmt: skip
def test_a_name_is_bound_in_the_innermost_scope_that_binds_it(
    text: str, line: int, bound: list[tuple[str, int]]
) -> None:
    assert bindings_of(text, line) == bound
