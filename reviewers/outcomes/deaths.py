"""Reads the end of a run that printed no error of its own: killed, crashed, out of memory or out of
time.
"""

import re
from collections.abc import Sequence

from reviewers.outcomes.failure import MOST_FRAMES, Form, Frame, RunFailure, Told

KILLED = "Killed"
CRASHED = "Segmentation fault"
TIMED_OUT = "Timeout"

_READ_BACK = 400  # lines from the end: a death is the last thing that an output tells
_KILLED = re.compile(
    r"(?:^|[\s:])Killed(?:$|\s{2,}|\s+\()|oom[-_ ]kill|Out of memory: Kill|OOMKilled|exit code:?"
    r" (?:137|-9)\b|SIGKILL",
    re.I,
)
_CRASHED = re.compile(
    r"Segmentation fault|SIGSEGV|Fatal Python error: |Bus error|core dumped|Aborted\b|exit code:?"
    r" (?:139|-11)\b"
)
_TIMED_OUT = re.compile(
    r"DUE TO TIME LIMIT|exceeded the maximum execution time|(?:step|job|run|command|process) timed"
    r" out|timed out after \d|"
    r"timeout: sending signal|exit code:? 124\b",
    re.IGNORECASE,
)
_SAYINGS = ((_KILLED, KILLED), (_CRASHED, CRASHED), (_TIMED_OUT, TIMED_OUT))
_LONGEST = 300  # characters of a line that tells of a death
_FATAL = re.compile(r"^Fatal Python error: (?P<said>.*)$")
_FRAME = re.compile(
    r'^ {2}File "(?P<file>[^"\n]{1,1000})", line (?P<line>\d{1,9}) in (?P<function>.{1,300})$'
)

_BY_CODE = {
    137: KILLED,
    -9: KILLED,
    9: KILLED,
    139: CRASHED,
    -11: CRASHED,
    134: CRASHED,
    -6: CRASHED,
    124: TIMED_OUT,
}


def last_death(lines: Sequence[str]) -> Told | None:
    """Return how the run died, where its last lines say so; of a crash that Python noticed also the
    frames.
    """
    first = max(0, len(lines) - _READ_BACK)
    for index in range(len(lines) - 1, first - 1, -1):
        line = lines[index]
        if fatal := _FATAL.match(line):
            return Told(
                RunFailure(CRASHED, fatal["said"], _frames(lines[index + 1 :]), Form.DEATH),
                index,
                len(lines),
            )
    for index in range(len(lines) - 1, first - 1, -1):
        line = lines[index]
        type = (
            next((type for pattern, type in _SAYINGS if pattern.search(line)), None)
            if len(line) <= _LONGEST
            else None
        )
        if type is not None:
            return Told(RunFailure(type, line.strip(), form=Form.DEATH), index, index + 1)
    return None


def death_by_code(exit_code: int) -> RunFailure | None:
    """Return the death that an exit code stands for, None for one that a program gives itself."""
    type = _BY_CODE.get(exit_code)
    return None if type is None else RunFailure(type, f"exit code {exit_code}", form=Form.DEATH)


def _frames(lines: Sequence[str]) -> tuple[Frame, ...]:
    """The frames of a crash, turned round: Python prints the innermost first there."""
    found: list[Frame] = []
    for line in lines[: MOST_FRAMES + 10]:
        if frame := _FRAME.match(line):
            found.append(
                Frame(frame["file"].replace("\\", "/"), int(frame["line"]), frame["function"])
            )
        elif found:
            break
    return tuple(reversed(found))
