"""The difference between two versions of a submission, as a patch that `git apply` takes."""

from io import BytesIO

from dulwich.objects import Blob
from dulwich.patch import write_blob_diff

from reviewers.records import SourceFile, Submission

_MODE = 0o100644


def patch(before: Submission, after: Submission) -> str:
    """The patch, its files sorted by path; empty if nothing differs. Files are text."""
    old, new = before.by_path, after.by_path
    written = BytesIO()
    for path in sorted(old.keys() | new.keys()):
        was, now = old.get(path), new.get(path)
        if was is None or now is None or was.data != now.data:
            write_blob_diff(written, _side(path, was), _side(path, now))
    return written.getvalue().decode(errors="surrogateescape")


def _side(path: str, file: SourceFile | None) -> tuple[bytes | None, int | None, Blob | None]:
    if file is None:
        return None, None, None
    return path.encode(), _MODE, Blob.from_string(file.data)
