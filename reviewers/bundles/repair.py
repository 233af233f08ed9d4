"""Repairs UTF-8 text that was decoded as another encoding, line by line; bytes are kept."""

import re
from collections import Counter
from collections.abc import Iterable

from ftfy import fix_encoding_and_explain

_MAX_LINES = 50_000  # per bundle: a few seconds of ftfy
_MAX_ROUNDS = 4  # text can have been decoded wrongly more than once
# A string literal made of nothing but such letters is code that mentions the damage
# (`.replace("â€™", "'")`).
_DELIBERATE = re.compile(
    r"""(["'])[\s|()\[\]+*?.,;-]*[^\x00-\x7f](?:[^\x00-\x7f]|[\s|()\[\]+*?.,;-])*\1"""
)


class Repairer:
    """Repairs the texts of one bundle.

    A short line alone often does not show whether it is damaged (`√ó` could be meant). Where other
    lines of the bundle are known to have gone through one wrong codec, a line that is valid UTF-8
    under that codec has gone through it too.

    Args:
        texts: all texts of the bundle, as they came.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._lines_left = _MAX_LINES
        self._repaired: dict[str, tuple[str, str | None]] = {}
        votes: Counter[str] = Counter()
        for text in texts:
            for line in text.split("\n") if not text.isascii() else ():
                _, codec = self._by_itself(line)
                if codec is not None and not _speaks_of_damage(line):
                    votes[codec] += 1
        self._codec = votes.most_common(1)[0][0] if votes else None

    def __call__(self, text: str) -> str:
        """Return the text repaired; the text itself if nothing is damaged."""
        return text if text.isascii() else "\n".join(self._line(line) for line in text.split("\n"))

    def keeping_lines(self, text: str) -> str:
        """Return the text repaired so that each line keeps its number, also by `str.splitlines`,
        which knows more line ends.
        """
        lines = text.split("\n")
        repaired = self(text).split("\n")
        same = (
            new if len(new.splitlines()) == len(old.splitlines()) else old
            for old, new in zip(lines, repaired, strict=True)
        )
        return "\n".join(same)

    def _line(self, line: str) -> str:
        if line.isascii() or (self._codec is None and _speaks_of_damage(line)):
            return line
        for _ in range(_MAX_ROUNDS):
            repaired, _ = self._by_itself(line)
            if repaired == line and self._codec is not None:
                repaired = _decoded_again(line, self._codec)
            if repaired == line:
                break
            line = repaired
        return line

    def _by_itself(self, line: str) -> tuple[str, str | None]:
        """Repair one line by what it alone shows; also return the wrong codec where it is plain."""
        if line.isascii():
            return line, None
        if line not in self._repaired:
            if self._lines_left == 0:
                return line, None
            self._lines_left -= 1
            told = fix_encoding_and_explain(line)
            steps = [(step.action, step.parameter) for step in told.explanation or ()]
            codec = (
                steps[0][1]
                if steps and steps[0][0] == "encode" and steps[-1] == ("decode", "utf-8")
                else None
            )
            self._repaired[line] = (told.text, codec)
        return self._repaired[line]


def _decoded_again(line: str, codec: str) -> str:
    try:
        return line.encode(codec).decode("utf-8")
    except UnicodeError:
        return line


def _speaks_of_damage(line: str) -> bool:
    return _DELIBERATE.sub("", line).isascii()
