"""Whether code handles an error at a place."""

import ast
import re

from reviewers.facts import PythonFile
from reviewers.facts.python_nodes import Function, unparsed

_VERSION_TESTS = re.compile("hasattr|signature|version")


def is_guarded(file: PythonFile, node: ast.AST, error: str) -> bool:
    """Whether an error at a place is caught right there, or whether the code asks beforehand what
    the library can do.
    """
    child: ast.AST = node
    for around in file.ancestors(node):
        if isinstance(around, Function | ast.Lambda):
            return False
        if (
            isinstance(around, ast.Try | ast.TryStar)
            and child in around.body
            and _catches(around.handlers, error)
        ):
            return True
        if _is_expected(around):
            return True
        if isinstance(around, ast.If | ast.IfExp) and _VERSION_TESTS.search(unparsed(around.test)):
            return True
        child = around
    return False


def is_asked_for(file: PythonFile, node: ast.AST) -> bool:
    """Whether a test around a place says that there must be an error."""
    return any(_is_expected(around) for around in file.ancestors(node))


def _is_expected(around: ast.AST) -> bool:
    return isinstance(around, ast.With) and any(
        word in unparsed(item.context_expr)[:40].lower()
        for item in around.items
        for word in ("suppress", "raises")
    )


def _catches(handlers: list[ast.ExceptHandler], error: str) -> bool:
    return any(
        handler.type is None
        or {error, "Exception", "BaseException"}
        & set(unparsed(handler.type).replace("(", " ").replace(")", " ").replace(",", " ").split())
        for handler in handlers
    )
