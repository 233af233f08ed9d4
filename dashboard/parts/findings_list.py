"""All findings of a submission in one list, filtered by reviewer and fact check in the browser; a click goes to the place."""

from collections.abc import Callable, Sequence

from dashboard.parts.cards import Card
from dashboard.parts.component import acknowledged, load

_mount = load("findings_list")


def findings_list(cards: Sequence[Card], *, key: str, on_events: Callable[[], None]) -> None:
    """List cards; a click on one that the code view does not show queues the event `open` with file and key."""
    _mount(key=key, data={"cards": [card.data() for card in cards], "done": acknowledged(key)}, on_events_change=on_events)
