"""How a run ended according to its output: the frozen values that every reader of an output
returns.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

MOST_MESSAGE = 2_000
"""Characters of a message that are kept."""
MOST_FRAMES = 200
"""Frames of one traceback that are kept, the last ones."""

_LIBRARY = re.compile(
    r"(?:site|dist)-packages/|/lib(?:64)?/python\d|/python\d[\d.]*/lib/|conda\d?/lib/|^<",
    re.IGNORECASE,
)


class Form(StrEnum):
    """What kind of text reported the failure."""

    TRACEBACK = "traceback"
    SYNTAX = "syntax"  # a file that Python cannot even read
    HYDRA = "hydra"  # one of the short messages in place of a traceback
    INSTALLER = "installer"  # uv, pip or a build backend, before the first line of code
    COMMAND_LINE = "command-line"  # the command itself was refused
    DEATH = "death"  # no word of the program's own: killed, crashed, out of time


@dataclass(frozen=True, slots=True)
class Frame:
    """One call of a traceback.

    Attributes:
        file: the path as the machine of the run had it, with forward slashes.
        function: None for the place of a syntax error.
        code: the first line that the traceback shows, stripped; empty if it shows none.
    """

    file: str
    line: int
    function: str | None = None
    code: str = ""

    @property
    def in_library(self) -> bool:
        """Whether the file belongs to Python or to something installed."""
        return _LIBRARY.search(self.file) is not None


@dataclass(frozen=True, slots=True)
class RunFailure:
    """One failure, as a run's output tells it.

    Attributes:
        type: the error's name as shown, with its module where that is shown.
        message: what it says, at most 2,000 characters; later lines and notes included.
        frames: from the outermost call to the one that raised; empty where none are shown.
        outer: the error that ended the program where this one is its cause; it has no outer of its
            own.
    """

    type: str
    message: str
    frames: tuple[Frame, ...] = ()
    form: Form = Form.TRACEBACK
    outer: "RunFailure | None" = None

    @property
    def name(self) -> str:
        """The error's name without its module."""
        return self.type.rpartition(".")[2]

    @property
    def first_line(self) -> str:
        """The first line of the message that says something."""
        return next((line.strip() for line in self.message.splitlines() if line.strip()), "")

    def __str__(self) -> str:
        return f"{self.type}: {self.first_line}" if self.first_line else self.type


@dataclass(frozen=True, slots=True)
class Told:
    """A failure and the lines of the output that tell it.

    Attributes:
        start: index of its first line.
        end: index after its last line.
    """

    failure: RunFailure
    start: int
    end: int
