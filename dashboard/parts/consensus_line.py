"""The consensus in two lines: who agrees, and the suggested verdict, which a person can adopt."""

from dashboard.parts.component import load
from dashboard.parts.plain import one_line
from dashboard.parts.words import verdict_words
from reviewers.panel.consensus import Consensus

_mount = load("consensus_line")


def consensus_line(found: Consensus, *, key: str) -> None:
    """Draw it; taking it over fills in the decision form in the browser, and saves nothing."""
    suggested = found.suggestion
    _mount(
        key=key,
        data={
            "agreement": one_line(agreement(found)),
            "verdict": suggested and str(suggested),
            "words": verdict_words(suggested) if suggested else "",
            "because": one_line(found.because, 400),
        },
    )


def agreement(found: Consensus) -> str:
    """Say which reviewers gave which verdict."""
    sides = [(found.ready, "ready"), (found.not_ready, "not ready")]
    said = [(len(names), words) for names, words in sides if names]
    failed = f", {len(found.failed)} failed" if found.failed else ""
    if not said:
        return "No reviewer gave a verdict."
    if len(said) == 1:
        count, words = said[0]
        return f"{_everyone(count)} {words}{failed}."
    return (
        f"The reviewers disagree: {', '.join(f'{count} {words}' for count, words in said)}{failed}."
    )


def _everyone(count: int) -> str:
    return {1: "The only verdict is", 2: "Both say"}.get(count, f"All {count} say")
