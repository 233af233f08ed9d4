"""The class hierarchy of errors, and the errors that a `raise` may raise."""

import ast
import builtins
import json
import subprocess
from collections.abc import Mapping

import hydra.errors
import omegaconf.errors

from reviewers.facts.globs import alike
from reviewers.facts.python_file import PythonFile
from reviewers.facts.reach import Piece
from reviewers.facts.stores import code_of

_PLAIN_ERRORS = ("Exception", "BaseException", "RuntimeError")


def is_error(error: str, wanted: str) -> bool:
    """Whether an error is an instance of a class, subclasses included."""
    if alike(error, wanted):
        return True
    one = _class(error)
    return any(
        one is not None and (other := _class(name)) is not None and issubclass(one, other)
        for name in wanted.split("|")
    )


def _class(name: str) -> type[BaseException] | None:
    """The class of an error, if Python or one of the libraries that start a run defines it."""
    for module in (builtins, omegaconf.errors, hydra.errors, json, subprocess):
        found = getattr(module, name.rpartition(".")[2], None)
        if isinstance(found, type) and issubclass(found, BaseException):
            return found
    return None


def may_be_caught(piece: Piece, node: ast.AST, error: str) -> bool:
    """Whether a bare `raise` is in a handler that may have caught the error."""
    around = piece.file.ancestors(node)
    handler = next((one for one in around if isinstance(one, ast.ExceptHandler)), None)
    said = code_of(handler.type) if handler is not None and handler.type else "Exception"
    return any(one in said for one in (error.rpartition(".")[2], "Exception"))


def is_known_class(
    python: Mapping[str, PythonFile], piece: Piece, what: ast.expr, name: str
) -> bool:
    """Whether the raised class is known: one of Python or of a library, or one of the submission's
    own without unknown bases.
    """
    if not isinstance(what, (ast.Name, ast.Attribute)) or not name:
        return False
    own = [one for file in python.values() for one in file.classes.values()]
    if found := [one for one in own if one.name == name]:
        return all(base in _PLAIN_ERRORS for one in found for base in one.bases)
    return (
        isinstance(getattr(builtins, name, None), type)
        or code_of(what) != name
        or (name in piece.file.aliases)
    )
