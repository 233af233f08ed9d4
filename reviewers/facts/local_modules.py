"""What the submission's own modules import from each other, and what is missing."""

import ast
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from reviewers.facts.python_file import ClassDefinition, Import, PythonFile

_MOST_ANCESTORS = 50
_COMPILED = (".so", ".pyd", ".pyx", ".pyi")


@dataclass(frozen=True, slots=True)
class MissingImport:
    """An import of the submission's own that finds nothing.

    Attributes:
        file: path of the importing file.
        module: dotted module, from the submission's root.
        expected: path at which the module should be.
        name: the name that an existing module does not define; None if the module itself is
            missing.
    """

    file: str
    item: Import
    module: str
    expected: str
    name: str | None = None


def missing_imports(
    python: Mapping[str, PythonFile], paths: Iterable[str] = ()
) -> Iterator[MissingImport]:
    """Yield the imports of local modules and names that do not exist, in the order of files and
    lines.

    Args:
        paths: all files of the submission; a module may be a compiled one.
    """
    modules = {file.module: file for file in python.values()}
    packages = {path.rpartition("/")[0].replace("/", ".") for path in python}
    others = {
        path.partition(".")[0].replace("/", ".") for path in paths if path.endswith(_COMPILED)
    }
    for path, file in python.items():
        for item in file.imports:
            module = file.absolute(item)
            if item.level == 0 and module.partition(".")[0] not in packages:
                continue
            if module.startswith(".") or _is_made(module) or module in others:
                continue
            if module not in modules and module not in packages:
                yield MissingImport(path, item, module, _place(module))
            elif item.name not in (None, "*") and _join(module, item.name) not in others:
                yield from _missing_name(path, item, module, modules)


def loaded_with(python: Mapping[str, PythonFile], path: str) -> frozenset[str]:
    """Return the files of the submission that run when one is started, before any function does:
    itself, and what imports at module level lead to.
    """
    modules = {file.module: file.path for file in python.values()}
    found: set[str] = set()
    waiting = [path]
    while waiting:
        file = python.get(waiting.pop())
        if file is None or file.path in found:
            continue
        found.add(file.path)
        for item in file.imports:
            if not item.scope:
                module = file.absolute(item)
                parts = module.split(".")
                names = [".".join(parts[: count + 1]) for count in range(len(parts))]
                names.append(_join(module, item.name))
                waiting += [modules[name] for name in names if name in modules]
    return frozenset(found)


def _missing_name(
    path: str, item: Import, module: str, modules: Mapping[str, PythonFile]
) -> Iterator[MissingImport]:
    inner = _join(module, item.name)
    if inner in modules:
        return
    if module not in modules:
        yield MissingImport(path, item, inner, _place(inner))
        return
    target = modules[module]
    if (
        target.tree is not None
        and target.top_level_names is not None
        and item.name not in target.top_level_names
    ):
        yield MissingImport(path, item, module, target.path, item.name)


def _join(module: str, name: str | None) -> str:
    return f"{module}.{name}" if module else str(name)


def _is_made(module: str) -> bool:
    """Whether a module is one that build tools write: `_version`."""
    return module.rpartition(".")[2].strip("_") == "version"


def _place(module: str) -> str:
    return module.replace(".", "/") + ".py"


LocalClass = tuple[PythonFile, ClassDefinition]


def local_class(
    python: Mapping[str, PythonFile], file: PythonFile, name: str | None
) -> LocalClass | None:
    """The class of the submission that a resolved dotted name stands for in a file; None if it
    is none of its own.
    """
    if name is None:
        return None
    if name in file.classes:
        return file, file.classes[name]
    module, _, rest = name.rpartition(".")
    for other in python.values():
        if other.module == module and rest in other.classes:
            return other, other.classes[rest]
    return None


def lineage(
    python: Mapping[str, PythonFile], file: PythonFile, cls: ClassDefinition
) -> tuple[list[LocalClass], list[str | None]]:
    """A class with all its local ancestors, nearest first, and the bases outside the submission
    (None: not known).
    """
    own: list[LocalClass] = []
    outside: list[str | None] = []
    seen: set[ast.ClassDef] = set()
    waiting = deque([(file, cls)])
    while waiting:
        where, found = waiting.popleft()
        if found.node in seen:
            continue
        if len(own) == _MOST_ANCESTORS:
            return own, [*outside, None]
        seen.add(found.node)
        own.append((where, found))
        for base in found.bases:
            local = local_class(python, where, base)
            if local is None:
                outside.append(base)
            else:
                waiting.append(local)
    return own, outside
