"""The Python processes that a submission's commands and scripts start, and what they import."""

import ast
import shlex
import sys
from collections.abc import Collection, Iterator, Mapping

from packaging.utils import canonicalize_name

from reviewers.facts.config_flow.follow import evaluated
from reviewers.facts.config_flow.processes import launched
from reviewers.facts.config_flow.values import ANYTHING, ScriptProcess, SomePath, Value
from reviewers.facts.distributions import distribution_of
from reviewers.facts.hydra_config import HydraConfig
from reviewers.facts.module_search import FailedImport, Folder, ModuleSearch, PythonStart
from reviewers.facts.packaging import Packaging
from reviewers.facts.python_file import PythonFile
from reviewers.facts.third_party import load_index
from reviewers.records import Span, Submission
from reviewers.rubric.contract import Command, Contract

_PATH = "PYTHONPATH"
_MOST = 64


def failed_imports(
    submission: Submission,
    python: Mapping[str, PythonFile],
    hydra: HydraConfig,
    contract: Contract,
    packaging: Packaging,
) -> tuple[FailedImport, ...]:
    """What cannot be imported in the processes that the commands start, in the order of these; each
    place once, with the first process that fails there.
    """
    paths = submission.by_path
    # One that is asked for brings a module of its name, unless a library is known to do otherwise.
    declared = {name for one in packaging.declared for name in one.requested}
    search = ModuleSearch(
        python,
        paths,
        _installed(packaging, paths, with_uv=contract.installs_with_uv),
        lambda name: _is_outside(name) or canonicalize_name(name) in declared,
        lambda file, node: _folder(python, file, node),
    )
    is_open = any(_PATH in file.text for file in submission.files)
    found: dict[Span, FailedImport] = {}
    for start in list(_starts(python, hydra, contract, is_open=is_open))[:_MOST]:
        for failure in search.failures(start):
            found.setdefault(failure.span, failure)
    return tuple(found.values())


def _starts(
    python: Mapping[str, PythonFile], hydra: HydraConfig, contract: Contract, *, is_open: bool
) -> Iterator[PythonStart]:
    """What is typed, then what that starts.

    Args:
        is_open: whether something in the submission mentions the path that Python searches.
    """
    given = (command for command in contract.commands.values() if command.line)
    yield from filter(None, (_typed(command) for command in given))
    seen: set[object] = set()
    for start in hydra.every_start:
        is_documented = getattr(start, "is_documented", True)
        for process in start.trace.processes if start.trace else ():
            made = _started(process, python, is_open=is_open, is_documented=is_documented)
            if (
                made is not None
                and (key := (made.path, made.at, made.folder, made.added)) not in seen
            ):
                seen.add(key)
                yield made


def _typed(command: Command) -> PythonStart | None:
    try:
        found = launched(shlex.split(command.line))
    except ValueError:
        return None
    process = found[1] if found else None
    if process is None or process.folder is None:
        return None
    added = _search_path(process.environment.get(_PATH, ""), "")
    return PythonStart(process.path, process.is_module, "", added)


def _started(
    process: ScriptProcess, python: Mapping[str, PythonFile], *, is_open: bool, is_documented: bool
) -> PythonStart | None:
    node = process.node
    by = next((path for path, file in python.items() if node in file.parents), None)
    if node is None or by is None or "{}" in process.path:
        return None
    environment = process.environment
    inherited: tuple[Folder, ...] = (None,) if is_open else ()
    added: tuple[Folder, ...] = (None,)
    if isinstance(environment, dict) and _PATH in environment:
        added = _search_path(environment[_PATH], process.folder)
    elif isinstance(environment, dict):
        added = inherited if ANYTHING in environment else ()
    at = Span(by, node.lineno, node.end_lineno)
    return PythonStart(process.path, process.is_module, process.folder, added, at, is_documented)


def _search_path(value: Value, folder: Folder) -> tuple[Folder, ...]:
    """The folders that a value of PYTHONPATH names."""
    if isinstance(value, SomePath):
        return (None if value.is_absolute or value.here else str(value),)
    if not isinstance(value, str) or folder is None:
        return (None,)
    parts = [part for part in value.split(":") if part]
    return tuple(
        None if part.startswith(("/", "$", "~")) else str(SomePath(()).joined(folder).joined(part))
        for part in parts
    )


def _installed(
    packaging: Packaging, paths: Collection[str], *, with_uv: bool
) -> tuple[Folder, ...]:
    """The folders that an editable install adds to the path, as the backends were seen to do it
    (setuptools 84, hatchling 1.33); if that is not known, each that it may add.
    """
    backend = packaging.build_backend or ""
    if with_uv and not backend:
        return ()
    if not with_uv and not {"pyproject.toml", "setup.py", "setup.cfg"} & set(paths):
        return ()
    if with_uv and backend.startswith("setuptools"):
        chosen = packaging.table("tool", "setuptools")
        if not chosen:
            # It takes what lies in `src/` for the project's packages and modules.
            return ("src" if any(path.startswith("src/") for path in paths) else "",)
        if chosen.keys() == {"packages"} and isinstance(chosen["packages"], list):
            return ("",)
    wheel = packaging.table("tool", "hatch", "build", "targets", "wheel")
    if with_uv and backend.startswith("hatchling") and wheel.keys() == {"packages"}:
        listed = wheel["packages"] if isinstance(wheel["packages"], list) else []
        return tuple({str(package).strip("./").rpartition("/")[0]: None for package in listed})
    return ("", "src")


def _is_outside(name: str) -> bool:
    """Whether Python or a library that is known has a module of this name."""
    return (
        name in sys.stdlib_module_names
        or distribution_of(name) is not None
        or load_index().distribution_of(name) is not None
    )


def _folder(python: Mapping[str, PythonFile], file: PythonFile, node: ast.expr) -> SomePath | None:
    """What an expression of a module says as a path."""
    value = evaluated(python, file.path, node)
    if isinstance(value, str):
        return SomePath((), here=True).joined(value)
    return value if isinstance(value, SomePath) else None
