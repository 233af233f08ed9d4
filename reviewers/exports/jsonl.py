"""A whole store as JSON lines, from which `reviewers.store.restore` rebuilds it; pending provider
batches are left out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from reviewers.records import moment
from reviewers.store.full_record import KeptSubmission, kept
from reviewers.store.record_lines import KINDS, RECORD, line_of, submission_line, values_of
from reviewers.store.store import Store


def export_lines(store: Store, ids: Iterable[str] | None = None) -> Iterator[str]:
    """Yield the lines without their ends, submissions in the order of import, each followed by what
    was said of it.

    The same store gives the same lines. What two stores agree on reads alike, whatever database
    they lie in.

    Args:
        ids: of the submissions that are wanted, in this order; all of them where None.
    """
    written: set[str] = set()
    for each in kept(store, ids):
        written.add(each.submission.id)
        # What ties it to a submission that is left out, no other store could take in.
        relations = tuple(said for said in each.relations if {said.one, said.other} <= written)
        part = replace(each, relations=relations)
        authors = tuple(name for name in each.authors if name.key in part.signers)
        yield from _lines(replace(part, authors=authors))


def _lines(each: KeptSubmission) -> Iterator[str]:
    submission = each.submission
    yield submission_line(submission)

    def record(kind: str, fields: dict[str, Any]) -> str:
        return line_of({"schema": RECORD, "record": kind, "of": submission.id, **fields})

    # The file form does not believe in a source, and repairs texts by itself: what this store has
    # is said here.
    files = submission.by_path.items()
    repaired = {path: file.repaired for path, file in files if file.repaired is not None}
    came = {"at": moment(each.imported_at), "source": submission.source, "repaired": repaired}
    base = {} if submission.base is None else {"base": submission.base.id}
    yield record("import", {**came, **base})
    names = {kind: name for name, kind in KINDS.items()}
    for said in each.records:
        yield record(names[type(said)], values_of(said))
