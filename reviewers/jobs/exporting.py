"""Exports submissions in a job: their file goes into the store part by part, as it is made."""

import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from reviewers.errors import StoreError
from reviewers.jobs.handing_in import ExportedAs
from reviewers.jobs.scratch import scratch
from reviewers.store import Store

_TELL_SECONDS = 0.5
_READ_BYTES = 2**20
_GZIP = 31  # as zlib counts: the largest window, and the head and tail of a gzip file


def exported(
    store: Store, ids: list[str], kind: ExportedAs, tell: Callable[[str], None]
) -> Iterator[bytes]:
    """Yield the file, compressed: a text, or an archive of tables.

    Args:
        tell: is told now and then how far it is; what it raises ends the export.
    """
    shown = _shown(ids, tell)
    return _tables(store, shown, kind) if kind.is_tables else _text(store, shown, kind)


def _text(store: Store, ids: Iterable[str], kind: ExportedAs) -> Iterator[bytes]:
    from reviewers.exports.texts import TEXTS

    packer = zlib.compressobj(wbits=_GZIP)
    for piece in TEXTS[kind](store, ids):
        yield packer.compress(piece.encode())
    yield packer.flush()


def _tables(store: Store, ids: Iterable[str], kind: ExportedAs) -> Iterator[bytes]:
    from reviewers.exports.tables import Format, write_tables  # loads pandas

    try:
        with scratch() as folder:
            format: Format = "csv" if kind is ExportedAs.CSV else "parquet"
            paths = write_tables(store, folder / "tables", format, ids)
            archive = folder / "archive.zip"
            with ZipFile(archive, "w", ZIP_DEFLATED) as file:
                for path in paths:
                    _add(file, path)
                    path.unlink()
            with archive.open("rb") as made:
                while piece := made.read(_READ_BYTES):
                    yield piece
    except OSError as error:
        reason = error.strerror or error
        raise StoreError(
            f"the export cannot be written on the worker's machine ({reason})"
        ) from None


def _add(file: ZipFile, path: Path) -> None:
    """Without the time of writing: the same store gives the same bytes."""
    entry = ZipInfo(path.name)
    entry.compress_type = ZIP_DEFLATED
    with path.open("rb") as source, file.open(entry, "w", force_zip64=True) as target:
        while piece := source.read(_READ_BYTES):
            target.write(piece)


def _shown(ids: list[str], tell: Callable[[str], None]) -> Iterator[str]:
    told = 0.0
    for done, id in enumerate(ids):
        if time.monotonic() - told > _TELL_SECONDS:
            tell(f"{done:,} of {len(ids):,} submissions")
            told = time.monotonic()
        yield id
