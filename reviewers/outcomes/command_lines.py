"""Reads why a command line was rejected: an unknown option, a missing module."""

import re
from collections.abc import Sequence

from reviewers.outcomes.failure import MOST_MESSAGE, Form, RunFailure, Told

_READ_BACK = 5_000
_USAGE = re.compile(r"^usage: ")
_REFUSED = re.compile(r"^(?P<program>[\w.-]{1,100}(?: [\w.-]{1,60}){0,3}): error: (?P<said>.*)$")
_NO_MODULE = re.compile(
    r"^\S{0,300}?python[\d.]{0,6}(?:\.exe)?: (?P<said>No module named .*|Error while finding module"
    r" specification for .*|"
    r"can't open file .*|can't find '__main__' module in .*)$"
)
_INSIDE = re.compile(r"\((?P<type>\w+Error): (?P<said>.*)\)$")
_NO_COMMAND = re.compile(
    r"^(?P<said>.{0,200}: (?:command not found|No such file or directory|Permission denied))$"
)
_MOST_USAGE = 60


def last_refused_command(lines: Sequence[str]) -> Told | None:
    """Return the last refusal; argparse's has the type `SystemExit`, its message begins with the
    program's name.
    """
    for index in range(len(lines) - 1, max(-1, len(lines) - _READ_BACK), -1):
        line = lines[index]
        if refused := _REFUSED.match(line):
            above = range(index - 1, max(-1, index - _MOST_USAGE), -1)
            usage = next((at for at in above if _USAGE.match(lines[at])), None)
            if usage is not None:
                message = f"{refused['program']}: error: {refused['said']}"
                return Told(
                    RunFailure("SystemExit", message[:MOST_MESSAGE], form=Form.COMMAND_LINE),
                    usage,
                    index + 1,
                )
        elif missing := _NO_MODULE.match(line):
            said = missing["said"]
            type = "FileNotFoundError" if said.startswith("can't") else "ModuleNotFoundError"
            if inside := _INSIDE.search(said):
                type = inside["type"]
            return Told(
                RunFailure(type, said[:MOST_MESSAGE], form=Form.COMMAND_LINE), index, index + 1
            )
        elif (absent := _NO_COMMAND.match(line)) and index >= len(lines) - 5:
            return Told(
                RunFailure("CommandNotFound", absent["said"], form=Form.COMMAND_LINE),
                index,
                index + 1,
            )
    return None
