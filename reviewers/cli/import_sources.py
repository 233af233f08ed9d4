"""The inputs of `areachair import` besides bundles: exports of a store, and SARIF files of other
tools.
"""

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import typer

from reviewers.batch import Unread
from reviewers.batch.importing import import_bundles
from reviewers.bundles import open_bundle
from reviewers.bundles.json_text import JsonProblem, parse_json
from reviewers.bundles.limits import read_whole
from reviewers.bundles.sarif import MAX_BYTES, ToolRun, read_sarif
from reviewers.errors import AreachairError, BundleError, printable
from reviewers.records import Check, Review, Submission
from reviewers.store import Store
from reviewers.store.file_hashes import KeptFiles, kept_files
from reviewers.store.record_lines import LONGEST_LINE, RECORD
from reviewers.store.restore import import_lines
from reviewers.store.submission import find_submission, load_submission

_MARK = json.dumps(RECORD).encode()


@dataclass(frozen=True, slots=True)
class NamedPaths:
    """The paths that a person named, by kind."""

    bundles: tuple[str, ...]
    exports: tuple[Path, ...]
    sarif: tuple[Path, ...]


def told_apart(paths: Sequence[str]) -> NamedPaths:
    """Look into the files that are named, and say which are exports of ours and which SARIF; all
    else is bundles.

    Raises:
        OSError: one of them cannot be read.
    """
    exports = [path for path in paths if _is_export(Path(path))]
    sarif = [path for path in paths if path not in exports and _is_sarif(Path(path))]
    bundles = [path for path in paths if path not in exports and path not in sarif]
    return NamedPaths(
        tuple(bundles), *(tuple(map(Path, dict.fromkeys(each))) for each in (exports, sarif))
    )


def import_exports(store: Store, paths: Sequence[Path]) -> list[str]:
    """Take our own exports in; return the problems."""
    return list(_problems(_restore, store, paths))


def import_sarif(store: Store, paths: Sequence[Path], about: str | None) -> list[str]:
    """Keep what SARIF files say as reviews; return the problems.

    Args:
        about: which submission they are about, as a prefix of its id or as a bundle, which is
            kept then, too; None to find out by the files that they mention.

    Raises:
        AreachairError: there is no such submission.
    """
    if about is not None and not paths:
        raise BundleError(about, "--submission applies to SARIF files, but none is given")
    id = None if about is None else kept_submission(store, about)
    return list(_problems(lambda store, path: _reviews(store, path, id), store, paths))


def _problems(
    take: Callable[[Store, Path], None], store: Store, paths: Sequence[Path]
) -> Iterator[str]:
    """One file that cannot be read takes no other with it."""
    for path in paths:
        try:
            take(store, path)
        except BundleError as error:
            yield str(error)


def kept_submission(store: Store, named: str) -> str:
    """Return the id of a submission that is named by a prefix of its id or as a bundle, which
    is kept then.

    Raises:
        AreachairError: there is no such submission, or the bundle cannot be read.
    """
    if not os.path.exists(named):
        return find_submission(store, named)
    submission = open_bundle(named)
    for item, _ in import_bundles(store, [Path(named)]):
        if isinstance(item, Unread):
            raise AreachairError(item.problem)
    return submission.id


def _restore(store: Store, path: Path) -> None:
    """Print what was new of an export; where a line is damaged, the submissions before it are in
    the store.
    """
    added = import_lines(store, _lines(path), str(path))
    counts = [(getattr(added, each.name), each.name) for each in fields(added)]
    new = ", ".join(
        f"{count} {words if count != 1 else words.removesuffix('s')}"
        for count, words in counts
        if count
    )
    typer.echo(f"{printable(str(path))}: {f'restored {new}' if new else 'nothing new'}")


def _reviews(store: Store, path: Path, submission_id: str | None) -> None:
    """Keep a review for each tool and submission, and print a line for each."""
    from reviewers.panel.tool_review import tool_review  # loads every rule

    source = str(path)
    runs = read_sarif(read_whole(path, source, MAX_BYTES), source)
    if not runs:
        raise BundleError(source, "it contains no run of a tool; there is nothing to import")
    candidates = kept_files(store) if submission_id is None else ()
    about: dict[tuple[str, str], list[ToolRun]] = defaultdict(list)
    for run in runs:
        about[submission_id or _about(run, candidates), run.tool].append(run)
    for (id, _), of_tool in about.items():
        submission = load_submission(store, id).submission
        review = tool_review(submission, _together(of_tool))
        typer.echo(
            f"{printable(source)}: {_told(review, submission, store.add_review(id, review))}"
        )


def _is_export(path: Path) -> bool:
    """Whether any line of a JSON-lines file is a record; one of submissions alone is a bundle."""
    if path.suffix.lower() not in (".jsonl", ".ndjson") or not os.path.isfile(path):
        return False
    with path.open("rb") as stream:
        while line := stream.readline(LONGEST_LINE):
            if _MARK in line and _object(line).get("schema") == RECORD:
                return True
    return False


def _is_sarif(path: Path) -> bool:
    ending = path.suffix.lower()
    if ending not in (".sarif", ".json") or not os.path.isfile(path):
        return False
    if ending == ".sarif":
        return True
    with path.open("rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    if b'"runs"' not in data or not any(name in data for name in (b'"$schema"', b'"version"')):
        return False
    found = _object(data)
    version, schema = str(found.get("version")), str(found.get("$schema")).lower()
    return isinstance(found.get("runs"), list) and (version.startswith("2.1") or "sarif" in schema)


def _object(data: bytes) -> Mapping[str, object]:
    """The JSON object that bytes hold; an empty one where they hold none."""
    try:
        value = parse_json(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, JsonProblem):
        return {}
    return value if isinstance(value, Mapping) else {}


def _lines(path: Path) -> Iterator[str]:
    with path.open("rb") as stream:
        number = 0
        # A longer line is cut, and refused for its length where it is read.
        while line := stream.readline(LONGEST_LINE + 2):
            number += 1
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise BundleError(
                    f"{path}: line {number}", f"byte {error.start} is not UTF-8"
                ) from None


def _about(run: ToolRun, candidates: Sequence[KeptFiles]) -> str:
    """The one kept submission that a run fits: by the contents of its files, else by where they
    lie, else by their names.
    """
    paths = {place.path for result in run.results for place in result.places if place.path} | set(
        run.files
    )
    same = [each for each in candidates if _same_contents(run, each)]
    known = same or [each for each in candidates if not _contradicts(run, each)]
    beneath = [each for each in known if _lie_beneath(paths, each)]
    fit = (
        same
        if len(same) == 1
        else beneath or same or [each for each in known if paths and _all_there(paths, each)]
    )
    if len(fit) == 1:
        return fit[0].id
    unknown = "no stored submission has the files that it names" if paths else "it names no file"
    found = f"it matches {len(fit)} stored submissions" if fit else unknown
    raise BundleError(
        run.source,
        f"{found}; name the submission with --submission ID, or PATH of its bundle",
    )


def _own(path: str, files: KeptFiles) -> str | None:
    """The submission's file that a tool's path ends with."""
    parts = path.split("/")
    endings = ("/".join(parts[place:]) for place in range(len(parts)))
    return next((ending for ending in endings if ending in files.hashes), None)


def _pairs(run: ToolRun, files: KeptFiles) -> list[bool]:
    """Whether content is the same, for each file of the submission that the tool gives a hash
    of.
    """
    hashed = (
        (_own(path, files), digest) for path, digest in run.files.items() if digest is not None
    )
    return [files.hashes[own] == digest for own, digest in hashed if own is not None]


def _same_contents(run: ToolRun, files: KeptFiles) -> bool:
    pairs = _pairs(run, files)
    return bool(pairs) and all(pairs)


def _contradicts(run: ToolRun, files: KeptFiles) -> bool:
    return not all(_pairs(run, files))


def _lie_beneath(paths: set[str], files: KeptFiles) -> bool:
    """Whether the tool looked at the very folder from which the submission came."""
    root = os.path.abspath(files.source).replace(os.sep, "/").rstrip("/")
    return any(
        path.removeprefix(f"{root}/") in files.hashes
        for path in paths
        if path.startswith(f"{root}/")
    )


def _all_there(paths: set[str], files: KeptFiles) -> bool:
    return all(_own(path, files) is not None for path in paths)


def _together(runs: Sequence[ToolRun]) -> ToolRun:
    """Several runs of one tool as one: a reviewer has one review that counts."""
    results = tuple(result for run in runs for result in run.results)
    failure = next((run.failure for run in runs if run.failure is not None), None)
    return replace(runs[0], results=results, failure=failure)


def _told(review: Review, submission: Submission, is_new: bool) -> str:
    verdict = "failed" if review.verdict is None else review.verdict.replace("_", " ")
    checked = ", ".join(f"{count} {check}" for check in Check if (count := review.count(check)))
    of_whom = printable(f"{review.reviewer} on {submission.name} ({submission.id[:12]})")
    return f"{of_whom}: {verdict}, {checked or 'no findings'}{'' if is_new else '; already known'}"
