"""A small stand-in for the `datasets` library, as far as the programs of a test use it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any


def load_dataset(path: str, split: str) -> "Dataset":
    """Rows of which the texts differ in length."""
    texts = ["a", "b c", "d e f g"]
    return Dataset([{"text": text, "label": at % 2} for at, text in enumerate(texts)])


class Dataset:
    """Some rows, with the methods and errors of `datasets.Dataset`."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._rows = [dict(row) for row in rows]

    @property
    def column_names(self) -> list[str]:
        return list(self._rows[0])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(row) for row in self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, key: int | str) -> Any:
        if isinstance(key, int):
            return dict(self._rows[key])
        if key not in self.column_names:
            raise KeyError(key)
        return [row[key] for row in self._rows]

    def _require(self, names: Sequence[str]) -> None:
        if not set(names) <= set(self.column_names):
            raise ValueError(f"no column {names}")

    def rename_column(self, old: str, new: str) -> "Dataset":
        self._require([old])
        return Dataset([{new if k == old else k: v for k, v in row.items()} for row in self._rows])

    def remove_columns(self, names: str | list[str]) -> "Dataset":
        gone = [names] if isinstance(names, str) else names
        self._require(gone)
        return self.select_columns([name for name in self.column_names if name not in gone])

    def select_columns(self, names: list[str]) -> "Dataset":
        self._require(names)
        return Dataset([{name: row[name] for name in names} for row in self._rows])

    def select(self, indices: list[int]) -> "Dataset":
        return Dataset([self._rows[at] for at in indices if at < len(self)] or self._rows)

    def shuffle(self, seed: int) -> "Dataset":
        return Dataset(self._rows[::-1])

    def filter(self, function: Callable[[dict[str, Any]], bool]) -> "Dataset":
        return Dataset([row for row in self if function(dict(row))])

    def map(
        self, function: Callable[[dict[str, Any]], Any], remove_columns: Sequence[str] = ()
    ) -> "Dataset":
        self._require(remove_columns)
        rows = []
        for row in self:
            made = function(dict(row))
            kept = {name: value for name, value in row.items() if name not in remove_columns}
            rows.append({**kept, **made})
        return Dataset(rows)

    def train_test_split(self, test_size: float) -> dict[str, "Dataset"]:
        return {"train": Dataset(self._rows[:2]), "test": Dataset(self._rows[2:])}
