"""What to tell the generator: the rules behind what runs meet first, to be copied as one text."""

from dashboard.charts.style import sentence_case
from dashboard.parts.component import load
from reviewers.exports.instruction import instruction
from reviewers.records import counted
from reviewers.repairs import registered as repaired
from reviewers.rules import registered
from reviewers.store.trends_causes import MOST_RUNS, FirstFailures

_mount = load("instruction_card")
_NUMBERS = ("One line", "Two lines", "Three lines", "Four lines", "Five lines")
_MOST = len(_NUMBERS)


def instruction_answer(found: FirstFailures) -> str:
    """How many first failures how many lines would have prevented."""
    told = _told(found)
    if not told:
        return "No run is known to fail at what a rule reports."
    prevented = sum(count for _, count in told)
    lines = _NUMBERS[len(told) - 1]
    return (
        f"{lines} would have prevented {prevented:,} of the {found.known:,} first failures;"
        f" {_mechanical(found):,} are mechanical."
    )


def instruction_note(found: FirstFailures) -> str:
    """How that is counted."""
    most = f", the newest {MOST_RUNS:,}" if found.followed >= MOST_RUNS else ""
    return (
        f"The dry run follows {counted(found.followed, 'submission')}{most} without running"
        f" anything; {found.known:,} would fail. Counted is the rule that reports the first certain"
        " failure of each; what lies behind it is not. Mechanical is what areachair has a repair"
        " for, which it offers where it can prove it. The text is made of the rules' documentation"
        " alone, so nothing that a submission says gets into it."
    )


def instruction_card(found: FirstFailures, *, key: str) -> None:
    """Draw the lines with what each prevents, and what copies or edits the text; nothing if there
    is none.
    """
    rules = registered()
    told = _told(found)
    lines = [
        {
            "id": id,
            "summary": sentence_case(rules[id].summary),
            "why": rules[id].why.split("\n\n")[0],
            "count": count,
            "mechanical": id in repaired(),
        }
        for id, count in told
    ]
    if told:
        text = instruction([rules[id] for id, _ in told])
        _mount(key=key, data={"lines": lines, "text": text})


def _mechanical(found: FirstFailures) -> int:
    """In how many submissions the first failure is of a kind that areachair repairs."""
    return sum(count for id, count in found.rules if id in repaired())


def _told(found: FirstFailures) -> list[tuple[str, int]]:
    return [each for each in found.rules if each[0] in registered()][:_MOST]
