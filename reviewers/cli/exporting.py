"""`areachair export`: writes the store as files for other programs; existing files are kept unless
`--force` is given.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from glob import escape
from pathlib import Path
from typing import IO, Annotated, Literal

import typer

from reviewers import settings
from reviewers.cli.options import StoreUrl
from reviewers.cli.printing import progress
from reviewers.errors import StoreError, printable
from reviewers.exports.texts import TEXTS
from reviewers.store import Store
from reviewers.store.full_record import kept_ids
from reviewers.store.submission import find_submission, load_submission

STDOUT = "-"
_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")


class ExportFormat(StrEnum):
    """What `export` writes."""

    SARIF = "sarif"
    RDJSON = "rdjson"
    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"
    HTML = "html"


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What to write and where: a file, a folder, or `-` for standard output."""

    format: ExportFormat
    output: str
    force: bool


def command(
    submissions: Annotated[
        list[str] | None,
        typer.Argument(metavar="SUBMISSION", help="Id prefixes.  [default: all submissions]"),
    ] = None,
    format: Annotated[
        ExportFormat, typer.Option(help="jsonl is the whole store and can be imported again.")
    ] = ExportFormat.JSONL,
    output: Annotated[
        str,
        typer.Option(
            help="A file (- for stdout), or a folder for csv, parquet and several html pages."
        ),
    ] = "-",
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    store: StoreUrl = None,
) -> None:
    """Export the store for other programs, including people's records and fact checks."""
    options = ExportOptions(format, output, force)
    with closing(Store.open(store or settings.store_url())) as opened:
        named = {find_submission(opened, each) for each in submissions or ()}
        ids = [id for id in kept_ids(opened) if id in named or not named]
        written = _WRITERS[format](opened, ids, options)
    count = f"{len(ids)} {'submission' if len(ids) == 1 else 'submissions'}"
    typer.echo(f"{count} written to {printable(written)}", err=True)


def _text(store: Store, ids: list[str], options: ExportOptions) -> str:
    """Write one text into a file or on standard output."""
    pieces = TEXTS[options.format]
    if options.output == STDOUT:
        # No bar: it would appear between the lines of the output.
        for piece in pieces(store, ids):
            typer.echo(piece, nl=False)
        return "standard output"
    with (
        _opened(Path(options.output), options.force) as file,
        progress(ids, "exporting") as shown,
    ):
        file.writelines(pieces(store, shown))
    return options.output


def _tables(store: Store, ids: list[str], options: ExportOptions) -> str:
    from reviewers.exports.tables import table_paths, write_tables  # loads pandas

    folder = _folder(options)
    kind: Literal["csv", "parquet"] = "csv" if options.format is ExportFormat.CSV else "parquet"
    _check_free(table_paths(folder, kind), options.force)
    with progress(ids, "exporting") as shown:
        paths = write_tables(store, folder, kind, shown)
    return f"{options.output}: {', '.join(path.name for path in paths)}"


def _pages(store: Store, ids: list[str], options: ExportOptions) -> str:
    from reviewers.exports.page import html_page  # loads pygments and every rule

    output = Path(options.output)
    if output.suffix.lower() in (".html", ".htm") and not output.is_dir():
        if len(ids) != 1:
            raise StoreError(
                f"{printable(options.output)}: a page shows one submission, not {len(ids)};"
                " name a folder"
            )
        with _opened(output, options.force) as file:
            file.write(html_page(load_submission(store, ids[0])))
        return options.output
    folder = _folder(options)
    folder.mkdir(parents=True, exist_ok=True)
    endings = tuple(f"-{id[:12]}.html" for id in ids)
    _check_free((path for path in folder.iterdir() if path.name.endswith(endings)), options.force)
    with progress(ids, "exporting") as shown:
        for id in shown:
            record = load_submission(store, id)
            name = _PLAIN.sub("_", record.submission.name)[:80].strip("._") or "submission"
            with _opened(folder / f"{name}-{id[:12]}.html", options.force) as file:
                file.write(html_page(record))
    return options.output


_WRITERS: dict[ExportFormat, Callable[[Store, list[str], ExportOptions], str]] = {
    ExportFormat.SARIF: _text,
    ExportFormat.RDJSON: _text,
    ExportFormat.JSONL: _text,
    ExportFormat.CSV: _tables,
    ExportFormat.PARQUET: _tables,
    ExportFormat.HTML: _pages,
}


def _folder(options: ExportOptions) -> Path:
    if options.output == STDOUT:
        raise StoreError(
            f"{options.format} is written as several files; name a folder with --output"
        )
    return Path(options.output)


def _check_free(paths: Iterable[Path], force: bool) -> None:
    for path in paths:
        if path.exists() and not force:
            raise StoreError(
                f"{printable(str(path))}: it already exists; use --force to overwrite it"
            )


def _clear_parts(target: Path) -> None:
    """Remove what exports to this file left that were killed."""
    for part in target.parent.glob(f".{escape(target.name[:200])}.*.part"):
        try:
            os.kill(int(part.name.split(".")[-2]), 0)
        except ProcessLookupError:
            part.unlink(missing_ok=True)
        except (ValueError, OverflowError, PermissionError):
            continue  # no export's, or one of somebody else's


@contextmanager
def _opened(path: Path, force: bool) -> Iterator[IO[str]]:
    """Open a file that has its name only once all of it is written; a device or pipe is written to
    as it is.
    """
    target = path.resolve()
    if target.exists() and not target.is_file() and not target.is_dir():
        with target.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        return
    if target.is_dir():
        raise StoreError(f"{printable(str(path))}: it is a folder; name a file in it")
    if not target.parent.is_dir():
        raise StoreError(f"{printable(str(path))}: its folder does not exist; create it first")
    _check_free([target], force)
    _clear_parts(target)
    part = target.with_name(f".{target.name[:200]}.{os.getpid()}.part")
    try:
        with part.open("x", encoding="utf-8", newline="\n") as file:
            yield file
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
