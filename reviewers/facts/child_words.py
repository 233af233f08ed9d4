"""The words that a script hands over to each process that it starts."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from reviewers.facts.config_flow.processes import STARTING
from reviewers.facts.config_flow.values import PartlyKnown
from reviewers.records import Span

if TYPE_CHECKING:
    from reviewers.facts import Facts


def child_words(
    facts: "Facts", path: str, mode: str, run: str
) -> Iterator[tuple[list[str] | None, Span]]:
    """The words of each child that a script's starts, of a mode and a run if they are told, hand
    over, and the place that starts it; None where not all are known.
    """
    for start in facts.hydra.starts:
        if start.entry.path != path or start.trace is None:
            continue
        if (mode and start.mode != mode) or (run and start.run_id != run):
            continue
        calls = facts.python[path].calls_of(*STARTING)
        place = next((Span(path, call.line, call.node.end_lineno) for call in calls), Span(path))
        for name, given in start.trace.handed_over:
            if name in STARTING and isinstance(given, list | tuple):
                # The first is the interpreter, wherever it is.
                yield ["", *(_told(word) for word in given[1:])], place
            elif name in STARTING:
                yield None, place


def _told(word: object) -> str:
    """A word, with `{}` for what is not known of it."""
    text = word.text if isinstance(word, PartlyKnown) else word
    return str(text) if isinstance(text, str | int | float) else "{}"
