"""The functions that Hydra calls: those decorated with `@hydra.main`."""

import ast
import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewers.facts.python_file import PythonFile, template
from reviewers.facts.python_nodes import walk
from reviewers.records import Span

_SAME_PATH = ("str", "pathlib.Path", "os.fspath", "os.path.abspath", "os.path.realpath")


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A function under `@hydra.main`.

    Attributes:
        config_path, config_name: as given to the decorator; None if they are not given, or not
            as a constant.
        version_base: as given; "1.1" if it is not, which is what Hydra assumes then.
        span: the decorator.
        is_nameless: whether the decorator surely names no configuration, so that Hydra gives an
            empty one.
    """

    path: str
    function: str
    config_path: str | None
    config_name: str | None
    version_base: str | None
    span: Span
    is_nameless: bool = False

    @property
    def folder(self) -> str:
        """The configuration folder from the submission's root; where the decorator names none, that
        of the file.
        """
        return posixpath.normpath(
            posixpath.join(posixpath.dirname(self.path), self.config_path or ".")
        )

    @property
    def config_file(self) -> str:
        """The path of the configuration that the decorator names, `config.yaml` where it names
        none.
        """
        return posixpath.join(
            self.folder, f"{(self.config_name or 'config').removesuffix('.yaml')}.yaml"
        )

    @property
    def changes_directory(self) -> bool:
        """Whether Hydra changes into a fresh output folder before it calls the function."""
        return self.version_base == "1.1"


def entry_points(path: str, file: PythonFile) -> Iterator[EntryPoint]:
    for name, node in file.functions.items():
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and file.resolve(decorator.func) in (
                "hydra.main",
                "hydra.main.main",
            ):
                given = {keyword.arg: keyword.value for keyword in decorator.keywords}
                given |= dict(
                    zip(
                        ("config_path", "config_name", "version_base"), decorator.args, strict=False
                    )
                )
                yield EntryPoint(
                    path,
                    name,
                    _folder(path, file, given.get("config_path")),
                    _text(_meant(file, given.get("config_name"))),
                    _version(given.get("version_base")),
                    Span(path, decorator.lineno, decorator.end_lineno),
                    not given.keys() & {"config_name", None},
                )


def _meant(file: PythonFile, node: ast.expr | None) -> ast.expr | None:
    """What an expression stands for where it is the name of a value of the module."""
    name = node.id if isinstance(node, ast.Name) else None
    for statement in file.readable.body if file.readable and name else ():
        if isinstance(statement, ast.Assign) and [
            ast.unparse(target) for target in statement.targets
        ] == [name]:
            return statement.value
    return node


def _folder(path: str, file: PythonFile, node: ast.expr | None) -> str | None:
    """The configuration folder from the file's; of a computed path the last name that it is made of
    counts.
    """
    meant = _meant(file, node)
    if meant is None or isinstance(meant, (ast.Constant, ast.JoinedStr)):
        return _text(meant)
    if (parts := _from_file(path, file, meant)) is not None:
        return posixpath.relpath("/".join(parts) or ".", posixpath.dirname(path) or ".")
    texts = [
        part.value
        for part in walk(meant)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]
    names = [name for name in (text.strip("./") for text in texts) if "conf" in name]
    return f"{'../' * path.count('/')}{names[-1] if names else 'config'}"


def _from_file(path: str, file: PythonFile, node: ast.expr) -> list[str] | None:
    """The parts of a path that is made of the file's own, from the submission's root; None for any
    other one.
    """
    match _meant(file, node):
        case ast.Name(id="__file__"):
            return path.split("/")
        case ast.BinOp(op=ast.Div(), left=left, right=right):
            return _below(_from_file(path, file, left), [right])
        case ast.Attribute(attr="parent", value=inner):
            return _above(_from_file(path, file, inner), 1)
        case ast.Subscript(
            value=ast.Attribute(attr="parents", value=inner), slice=ast.Constant(value=int(count))
        ):
            return _above(_from_file(path, file, inner), count + 1)
        case ast.Call(func=func, args=args):
            name = file.resolve(func) or ""
            if name in _SAME_PATH and len(args) == 1:
                return _from_file(path, file, args[0])
            if name == "os.path.dirname" and args:
                return _above(_from_file(path, file, args[0]), 1)
            if name == "os.path.join" and args:
                return _below(_from_file(path, file, args[0]), args[1:])
            if isinstance(func, ast.Attribute) and func.attr in ("resolve", "absolute", "as_posix"):
                return _from_file(path, file, func.value)
    return None


def _above(parts: list[str] | None, count: int) -> list[str] | None:
    """The folder so far above; None outside of the submission."""
    return parts[:-count] if parts is not None and count <= len(parts) else None


def _below(parts: list[str] | None, more: Sequence[ast.expr]) -> list[str] | None:
    names = [template(each) for each in more]
    if parts is None or not all(names) or any("{}" in name or ".." in name for name in names):
        return None
    return [*parts, *(part for name in names for part in name.split("/") if part not in ("", "."))]


def _text(node: ast.expr | None) -> str | None:
    return (template(node) or None) if node is not None else None


def _version(node: ast.expr | None) -> str | None:
    if node is None:
        return "1.1"
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
