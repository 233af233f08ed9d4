"""Small submissions by which each predicate is true, false, or unknown.

A twin is the reading of an atom, the answer that is expected, and the files that differ from an
almost empty submission. A file that is None is absent.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from reviewers.facts import Facts
from reviewers.propositions import Answer, World, evaluate, parse
from reviewers.records import Submission
from tests.builders import make_submission

TRUE, FALSE, OPEN = "true", "false", "unknown"
_NOTHING = dict.fromkeys(
    (
        "config/config.yaml",
        "pyproject.toml",
        "src/evaluate.py",
        "src/main.py",
        "src/model.py",
        "src/preprocess.py",
        "src/train.py",
    )
)


@dataclass(frozen=True)
class Twin:
    """One atom on one submission."""

    expected: str
    reading: Mapping[str, Any]
    files: Mapping[str, str | None]
    runs: Mapping[str, str] = field(default_factory=dict)
    about: str = ""

    def __str__(self) -> str:
        return f"{self.predicate}-{self.expected}-{self.about}"

    @property
    def atom(self) -> Mapping[str, Any]:
        """The atom of which the reading says something."""
        reading = self.reading.get("not", self.reading)
        atom: Mapping[str, Any] = reading.get("only", reading)
        return atom

    @property
    def predicate(self) -> str:
        """The predicate's name."""
        return str(self.atom["p"])

    def submission(self, **more: str) -> Submission:
        """What is judged, with further files added."""
        return make_submission({**_NOTHING, **self.files, **more}, dict(self.runs))

    def answer(self, **more: str) -> Answer:
        """What the code says to the reading."""
        return evaluate(parse(self.reading), World(Facts(self.submission(**more))))


def twins(
    reading: Mapping[str, Any],
    true: Mapping[str, str | Mapping[str, str | None]],
    false: Mapping[str, str | Mapping[str, str | None]],
    unknown: Mapping[str, str | Mapping[str, str | None]],
    runs: Mapping[str, str] = MappingProxyType({}),
) -> list[Twin]:
    """Twins of one reading: a text is `src/train.py`, by what it is about; `runs` are YAML texts
    by run id.
    """
    return [
        Twin(
            expected,
            reading,
            {"src/train.py": files} if isinstance(files, str) else files,
            runs,
            about,
        )
        for expected, cases in ((TRUE, true), (FALSE, false), (OPEN, unknown))
        for about, files in cases.items()
    ]


def all_twins() -> list[Twin]:
    """The twins of every module here that is called `twins_…`."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("twins_*.py"))
    return [twin for name in names for twin in import_module(f"{__package__}.{name}").TWINS]
