"""The functions that Hydra calls: what stands under `@hydra.main`."""

import ast
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from reviewers.facts.python_file import PythonFile, template
from reviewers.records import Span


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A function under `@hydra.main`.

    Attributes:
        config_path, config_name: as given to the decorator; None where they are not given, or not as a constant.
        version_base: as given; "1.1" where it is not, which is what Hydra assumes then.
        span: the decorator.
    """

    path: str
    function: str
    config_path: str | None
    config_name: str | None
    version_base: str | None
    span: Span

    @property
    def folder(self) -> str:
        """The configuration folder from the submission's root; where the decorator names none, that of the file."""
        return posixpath.normpath(posixpath.join(posixpath.dirname(self.path), self.config_path or "."))

    @property
    def changes_directory(self) -> bool:
        """Whether Hydra changes into a fresh output folder before it calls the function."""
        return self.version_base == "1.1"


def entry_points(path: str, file: PythonFile) -> Iterator[EntryPoint]:
    for name, node in file.functions.items():
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and file.resolve(decorator.func) in ("hydra.main", "hydra.main.main"):
                given = {keyword.arg: keyword.value for keyword in decorator.keywords}
                given |= dict(zip(("config_path", "config_name", "version_base"), decorator.args, strict=False))
                yield EntryPoint(
                    path,
                    name,
                    _text(given.get("config_path")),
                    _text(given.get("config_name")),
                    _version(given.get("version_base")),
                    Span(path, decorator.lineno, decorator.end_lineno),
                )


def _text(node: ast.expr | None) -> str | None:
    return (template(node) or None) if node is not None else None


def _version(node: ast.expr | None) -> str | None:
    if node is None:
        return "1.1"
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
