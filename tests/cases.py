"""Tables of cases by what is odd about each: a name stands once, beside its case."""

from collections.abc import Mapping

import pytest


def cases(names: str | tuple[str, ...], table: Mapping[str, object]) -> pytest.MarkDecorator:
    """Run a test once for each case of the table, which gives it a value for each name."""
    return pytest.mark.parametrize(names, list(table.values()), ids=list(table))
