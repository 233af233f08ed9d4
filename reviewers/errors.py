"""Every error of areachair, and what a caller does about it.

AreachairError              shown as one line; the command ends with exit code 2
├── BundleError             a bundle cannot be read; nothing of it was imported
├── RubricError             a rubric file is not valid
├── ReviewerError           no reviewer has this name, or it cannot be set up
├── StoreError              the store cannot be opened, or refuses a write
├── UnknownRule             no rule has this id
└── UnknownSubmission       the store holds no submission with this id
"""


class AreachairError(Exception):
    """The root: its text is one line that says what is wrong and what to do."""


class BundleError(AreachairError):
    """A bundle cannot be read.

    Args:
        source: the path as the user gave it, or the place inside an archive.
        problem: what is wrong and what to do, without the path.
    """

    def __init__(self, source: str, problem: str) -> None:
        super().__init__(f"{printable(source)}: {printable(problem)}")
        self.source = source
        self.problem = problem


class RubricError(AreachairError):
    """A rubric file is not valid."""


class ReviewerError(AreachairError):
    """No reviewer has this name, or it cannot be set up."""


class StoreError(AreachairError):
    """The store cannot be opened, or refuses a write."""


class UnknownRule(AreachairError):
    """No rule has this id."""


class UnknownSubmission(AreachairError):
    """The store holds no submission with this id."""


def printable(text: str) -> str:
    """Return text on one line and safe for a terminal: line breaks, control characters and escapes are spelled out."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
