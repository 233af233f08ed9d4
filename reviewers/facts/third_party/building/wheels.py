"""Fetches wheels and source archives with pip, and hands out the modules inside without unpacking
or importing them.
"""

import json
import re
import subprocess
import sys
import tarfile
import tomllib
import urllib.request
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from reviewers.facts.third_party.shard import COMPILED_NAME

_EXTENSION = re.compile(r"(?P<stem>.+?)(\.(cpython|abi3|cp\d|pypy)[^/]*)?\.(so|pyd)$")
_STRING_END = re.compile(rb"([A-Za-z][A-Za-z0-9_]{2,31})\0")
_DATA_FOLDER = re.compile(r"^[^/]+\.data/(purelib|platlib)/")


@dataclass(frozen=True)
class Library:
    """One entry of `libraries.toml`.

    Attributes:
        name: the distribution.
        imports: the top-level packages it brings.
        versions: the indexed versions, oldest first.
        opaque: modules whose inside is left out (tests, vendored code), as regular expressions over
            dotted names.
        understood: modules whose dynamic code a person has read: every name it makes is spelled in
            its source.
        thin: modules whose own imports are kept as mere names, as regular expressions; saves space
            where nobody imports from.
        unknown: dotted names, with `*`, that may exist although nothing shows it.
        compiled: the files, as a regular expression over paths, whose strings hold every name that
            compiled code makes; with it, stubs of compiled modules are believed as far as the
            strings bear them out.
        trusted: dotted names, as a regular expression, whose stubs name all the parameters; other
            stubs tell only what exists.
        aliases: other keywords under which compiled functions take a parameter.
        platform: the wheel platform to fetch where the default one is needlessly large.
        source: fetched as a source archive, for versions that have no wheel.
    """

    name: str
    imports: tuple[str, ...]
    versions: tuple[str, ...]
    opaque: tuple[str, ...] = ()
    understood: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    compiled: str = ""
    trusted: str = ""
    aliases: tuple[tuple[str, str], ...] = ()
    thin: tuple[str, ...] = ()
    platform: str = ""
    source: bool = False


@dataclass
class ModuleSource:
    """The files of one module: Python source, stub, or only a compiled extension."""

    is_package: bool = False
    python: str | None = None
    stub: str | None = None
    namespace: bool = field(default=False)


def read_libraries(path: Path) -> list[Library]:
    """Read `libraries.toml`."""
    tables = tomllib.loads(path.read_text("utf-8"))
    return [
        Library(
            name,
            tuple(table.get("imports", [name.replace("-", "_")])),
            tuple(table["versions"]),
            tuple(table.get("opaque", ())),
            tuple(table.get("understood", ())),
            tuple(table.get("unknown", ())),
            table.get("compiled", ""),
            table.get("trusted", ""),
            tuple(
                (name, "|".join([name, *others]))
                for name, others in table.get("aliases", {}).items()
            ),
            tuple(table.get("thin", ())),
            table.get("platform", ""),
            table.get("source", False),
        )
        for name, table in tables.items()
    ]


def release_dates(index: str, libraries: Iterable[Library]) -> str:
    """The day on which each indexed version was uploaded first, as TOML.

    Args:
        index: the address of a package index with upload times (PEP 691 and 700).
    """
    kind = "application/vnd.pypi.simple.v1+json"
    tables = []
    for library in libraries:
        asked = urllib.request.Request(
            f"{index.rstrip('/')}/{library.name}/", headers={"Accept": kind}
        )
        with urllib.request.urlopen(asked, timeout=60) as answer:
            files = json.load(answer)["files"]
        name = library.name.replace("-", "[-_.]")
        lines = [f"[{library.name}]"]
        for version in library.versions:
            this = re.compile(rf"{name}-{re.escape(version)}(-|\.tar|\.zip)", re.IGNORECASE)
            days = [one["upload-time"][:10] for one in files if this.match(one["filename"])]
            lines.append(f'"{version}" = {min(days)}')
        tables.append("\n".join(lines))
    return "# Made by `build.py --dates`: when each version of libraries.toml was uploaded.\n\n" + (
        "\n\n".join(tables) + "\n"
    )


def fetch(library: Library, version: str, folder: Path) -> Path:
    """The archive of one version, downloaded by pip unless the folder holds it.

    Raises:
        FileNotFoundError: no index that pip is configured for has this version.
    """
    found = _held(library, version, folder)
    if found is not None:
        return found
    asked = f"{library.name}=={version}"
    for python in ("3.12", "3.11", "3.13"):
        kind = (
            ["--no-binary=:all:"]
            if library.source
            else ["--only-binary=:all:", f"--python-version={python}"]
        )
        where = (
            [f"--platform={library.platform}"] if library.platform and not library.source else []
        )
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "download",
                "-q",
                "--no-deps",
                *kind,
                *where,
                "-d",
                str(folder),
                asked,
            ],
            check=False,
        )
        found = _held(library, version, folder)
        if found is not None:
            return found
    raise FileNotFoundError(asked)


def _held(library: Library, version: str, folder: Path) -> Path | None:
    stem = re.escape(re.sub(r"[-_.]+", "-", library.name)).replace(r"\-", "[-_.]+")
    wanted = re.compile(
        rf"{stem}-{re.escape(version)}(\+[^-]+)?(-.*\.whl|\.tar\.gz)$", re.IGNORECASE
    )
    return (
        next((path for path in sorted(folder.iterdir()) if wanted.match(path.name)), None)
        if folder.is_dir()
        else None
    )


def sources(archive: Path, imports: tuple[str, ...]) -> dict[str, ModuleSource]:
    """The modules of an archive by dotted name, those below the given top-level packages only."""
    found: dict[str, ModuleSource] = {}
    for path, text in _files(archive):
        parts = path.split("/")
        match = _EXTENSION.match(parts[-1])
        stem, suffix = (
            (match["stem"], "so")
            if match
            else (parts[-1].rpartition(".")[0], parts[-1].rpartition(".")[2])
        )
        is_package = stem == "__init__"
        names = parts[:-1] if is_package else [*parts[:-1], stem]
        if not names or names[0] not in imports or not all(part.isidentifier() for part in names):
            continue
        source = found.setdefault(".".join(names), ModuleSource())
        source.is_package |= is_package
        if suffix == "py":
            source.python = text
        elif suffix == "pyi":
            source.stub = text
    for name in list(found):
        while "." in name:
            name = name.rpartition(".")[0]
            found.setdefault(name, ModuleSource(is_package=True, namespace=True)).is_package = True
    return found


def compiled_names(archive: Path, pattern: str) -> set[str]:
    """The words in compiled files that look like Python names; also the ends of longer ones, since
    linkers share tails.
    """
    found: set[str] = set()
    wanted = re.compile(pattern)
    with zipfile.ZipFile(archive) as wheel:
        for path in wheel.namelist():
            if wanted.fullmatch(path):
                found.update(
                    match[1].decode("ascii") for match in _STRING_END.finditer(wheel.read(path))
                )
    return {name for name in found if COMPILED_NAME.fullmatch(name)}


def _files(archive: Path) -> Iterator[tuple[str, str]]:
    """Paths relative to the import root, with the text of sources and stubs ("" for compiled
    files).
    """
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for path in wheel.namelist():
                if path.endswith((".py", ".pyi")):
                    yield _DATA_FOLDER.sub("", path), wheel.read(path).decode("utf-8", "replace")
                elif path.endswith((".so", ".pyd")):
                    yield _DATA_FOLDER.sub("", path), ""
        return
    with tarfile.open(archive) as tree:
        for member in tree:
            inner = member.name.partition("/")[2].removeprefix("src/")
            file = (
                tree.extractfile(member)
                if member.isfile() and inner.endswith((".py", ".pyi"))
                else None
            )
            if file is not None:
                yield inner, file.read().decode("utf-8", "replace")
