"""The name under which a reviewer is judged; that of `recorded` includes its model."""

from sqlalchemy import ColumnElement, Table, or_

from reviewers.records import reliability_name
from reviewers.store.triage import RECORDED

_UNKNOWN = "(model unknown)"


def called(reviewer: str, model: str | None) -> str:
    """Return the name under which a reviewer is judged; recorded answers of an unknown model are
    told from all others.
    """
    return (
        f"{RECORDED} {_UNKNOWN}"
        if reviewer == RECORDED and not model
        else reliability_name(reviewer, model)
    )


def named(table: Table, name: str) -> ColumnElement[bool]:
    """Return the condition under which a row is this reviewer's.

    Args:
        table: has columns `reviewer` and `model`.
        name: a reviewer's own, where `recorded` stands for all recorded answers, or one that
            `called` gave.
    """
    whole: ColumnElement[bool] = table.c.reviewer == name
    first, _, model = name.partition(" ")
    if first != RECORDED or not model:
        return whole
    by_model = (
        or_(table.c.model.is_(None), table.c.model == "")
        if model == _UNKNOWN
        else table.c.model == model
    )
    return or_(whole, (table.c.reviewer == RECORDED) & by_model)
