"""Puts together what a run of the sound submission could have printed, on machines of every
sort.
"""

from dataclasses import dataclass

from tests.builders import SOUND_FILES

ROOT = "/home/runner/work/gated-mlp/gated-mlp"
SITE = "/opt/venv/lib/python3.11/site-packages"
HEAD = "Traceback (most recent call last):\n"
TAIL = "\n\nSet the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.\n"


def line_of(path: str, code: str) -> int:
    """Number of the only line of the sound submission with this code in it, 1-based."""
    (line,) = [
        number for number, text in enumerate(SOUND_FILES[path].split("\n"), 1) if code in text
    ]
    return line


def own(path: str, code: str, function: str = "main", root: str = ROOT, marks: bool = False) -> str:
    """A call in one of the submission's files, with its line as the traceback shows it."""
    number = line_of(path, code)
    shown = SOUND_FILES[path].split("\n")[number - 1].strip()
    under = f"    {'~' * 3}{'^' * (len(shown) - 3)}\n" if marks else ""
    return f'  File "{root}/{path}", line {number}, in {function}\n    {shown}\n{under}'


def library(
    path: str, line: int = 40, function: str = "call", code: str = "return self._impl(*args)"
) -> str:
    """A call in something installed."""
    return f'  File "{SITE}/{path}", line {line}, in {function}\n    {code}\n'


@dataclass(frozen=True)
class Printed:
    """An output, and what has to be read from it.

    Attributes:
        place: `file:line`, `file`, or empty where there is none.
    """

    name: str
    text: str
    type: str
    place: str
    category: str
    message: str = ""


def printed(name: str, text: str, read: tuple[str, ...]) -> Printed:
    """An output and what has to be read from it: type, place, category and part of the message."""
    return Printed(name, text, *read)


def at(path: str, code: str) -> str:
    """The place of a line of the sound submission as a span prints it."""
    return f"{path}:{line_of(path, code)}"
