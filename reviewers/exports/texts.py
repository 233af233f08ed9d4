"""A store as one text, piece by piece, in each of the formats that are one."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from reviewers.panel.version import own_version
from reviewers.store import Store
from reviewers.store.submission import load_submission

Pieces = Callable[[Store, Iterable[str]], Iterator[str]]


def _sarif(store: Store, ids: Iterable[str]) -> Iterator[str]:
    from reviewers.exports.sarif import sarif_text  # loads every rule
    from reviewers.store.carry_over import attempt_before

    records = (load_submission(store, id, repairs_by=own_version()) for id in ids)
    return sarif_text(records, partial(attempt_before, store))


def _rdjson(store: Store, ids: Iterable[str]) -> Iterator[str]:
    from reviewers.exports.rdjson import rdjson  # loads every rule

    records = (load_submission(store, id, repairs_by=own_version()) for id in ids)
    return (f"{json.dumps(rdjson(record))}\n" for record in records)


def _jsonl(store: Store, ids: Iterable[str]) -> Iterator[str]:
    from reviewers.exports.jsonl import export_lines

    return (f"{line}\n" for line in export_lines(store, ids))


TEXTS: Mapping[str, Pieces] = {"sarif": _sarif, "rdjson": _rdjson, "jsonl": _jsonl}
"""By format: gives the text of these submissions, in this order."""
