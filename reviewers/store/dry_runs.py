"""Between what a run would meet and the JSON in which it is kept and exchanged: a place is its
file with first and last line.
"""

from collections.abc import Mapping
from dataclasses import asdict, astuple, fields
from typing import Any, TypeVar

from reviewers.records import DryRun, Failure, Followed, Span

_T = TypeVar("_T", DryRun, Failure, Followed, Span)


def dry_run_values(dry_run: DryRun | None) -> dict[str, Any] | None:
    """Return what is kept of a dry run; None where there was none."""
    if dry_run is None:
        return None
    return {
        **asdict(dry_run),
        "commands": [asdict(command) for command in dry_run.commands],
        "failures": [
            {
                **asdict(failure),
                "place": list(astuple(failure.place)),
                "chain": [list(astuple(span)) for span in failure.chain],
            }
            for failure in dry_run.failures
        ],
        "left_out": list(dry_run.left_out),
    }


def dry_run_of(kept: Mapping[str, Any] | None) -> DryRun | None:
    """Return the dry run of which this was kept.

    Raises:
        ValueError: something is missing, or is not of its kind.
    """
    if kept is None:
        return None
    try:
        return _made(
            DryRun,
            {
                **kept,
                "commands": tuple(_made(Followed, each) for each in kept["commands"]),
                "failures": tuple(
                    _made(
                        Failure,
                        {
                            **each,
                            "place": _span(each["place"]),
                            "chain": tuple(map(_span, each["chain"])),
                        },
                    )
                    for each in kept["failures"]
                ),
                "left_out": tuple(kept["left_out"]),
            },
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"not what is kept of a dry run: {error}") from None


def _span(kept: list[Any]) -> Span:
    file, line, end_line = kept
    return _made(Span, {"file": file, "line": line, "end_line": end_line})


def _made(kind: type[_T], values: Mapping[str, Any]) -> _T:
    made = kind(**values)
    for field in fields(kind):
        value = getattr(made, field.name)
        parts = value if isinstance(value, tuple) else ()
        wanted: Any = tuple if "tuple" in str(field.type) else field.type
        texts = field.name != "left_out" or all(isinstance(part, str) for part in parts)
        if not isinstance(value, wanted) or not texts:
            raise TypeError(f"{field.name} is not of its kind")
    return made
