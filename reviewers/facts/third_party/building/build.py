"""Builds the index of third-party libraries from their wheels.

    python -m reviewers.facts.third_party.building.build --wheels DIR [--out DIR] [LIBRARY…]
    python -m reviewers.facts.third_party.building.build --dates URL

Needs Python 3.13 or newer (sources are parsed, so the newest syntax must be known) and a pip that
reaches an index. The libraries and versions are those of `libraries.toml`; naming some rebuilds
only these. The same wheels give the same bytes. Nothing of a library is imported or executed.
"""

import argparse
import re
import sys
from pathlib import Path

from reviewers.facts.third_party.building.assemble import read_version
from reviewers.facts.third_party.building.encode import merge_modules
from reviewers.facts.third_party.building.shard_writer import write_shard
from reviewers.facts.third_party.building.wheels import (
    Library,
    compiled_names,
    fetch,
    read_libraries,
    release_dates,
    sources,
)

_INDEX = Path(__file__).parents[1]


def build(library: Library, wheels: Path, out: Path, *, verbose: bool = False) -> int:
    """Index one library and return the size of its file in bytes."""
    versions = []
    compiled: set[str] = set()
    assigned: dict[str, set[str]] = {}
    for version in library.versions:
        archive = fetch(library, version, wheels)
        read = read_version(sources(archive, library.imports), library)
        compiled |= compiled_names(archive, library.compiled) if library.compiled else set()
        versions.append(read.modules)
        for word, name in read.assigned:
            assigned.setdefault(word, set()).add(name)
        if verbose:
            for line in read.report:
                print(f"  {version} {line}")
    path = out / f"{re.sub(r'[-_.]+', '-', library.name).lower()}.index"
    return write_shard(
        path,
        library.name,
        library.versions,
        library.unknown,
        merge_modules(versions),
        compiled,
        {word: " ".join(sorted(names)) for word, names in sorted(assigned.items())},
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "libraries", nargs="*", help="names in libraries.toml; all of them by default"
    )
    parser.add_argument("--wheels", type=Path, help="where wheels are kept and downloaded to")
    parser.add_argument("--out", type=Path, default=_INDEX / "data")
    parser.add_argument(
        "--dates",
        metavar="URL",
        help="write released.toml alone, from a package index that speaks PEP 700's JSON",
    )
    parser.add_argument(
        "--verbose",
        action="store_true",
        help="print every module that could not be understood in full",
    )
    given = parser.parse_args(arguments)
    if tuple(sys.version_info) < (3, 13):
        parser.error("needs Python 3.13 or newer to read the newest syntax")
    given.out.mkdir(parents=True, exist_ok=True)
    known = read_libraries(_INDEX / "libraries.toml")
    unknown = set(given.libraries) - {library.name for library in known}
    if unknown:
        parser.error(f"not in libraries.toml: {', '.join(sorted(unknown))}")
    if given.dates:
        (_INDEX / "released.toml").write_text(release_dates(given.dates, known), "utf-8")
        return 0
    if given.wheels is None:
        parser.error("--wheels is needed")
    total = 0
    for library in known:
        if not given.libraries or library.name in given.libraries:
            size = build(library, given.wheels, given.out, verbose=given.verbose)
            total += size
            print(
                f"{library.name:24} {len(library.versions)} versions {size / 1000:8.1f} kB",
                flush=True,
            )
    print(f"{'total':24} {total / 1000:19.1f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
