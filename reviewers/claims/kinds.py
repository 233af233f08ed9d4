"""What kind of thing a claim speaks of: exemplar phrases held as data, compared with fuzzy token
matching, and cues.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from rapidfuzz import fuzz, process

from reviewers.records import Severity

OTHER = "other"
_FILES = ("general", "structure", "hydra", "tracking", "evaluation", "model")
_ENOUGH = 60.0
"""Below this score an exemplar says nothing about a claim, cue or not."""
_CONTEXT_WEIGHT = 0.85
_WORD = re.compile(r"[^\W\d_](?:[\w.-]*\w)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of claim.

    Attributes:
        phrases: exemplars, in lower case.
        cues: at least one must match a claim of this kind; without any, every claim may be of it.
        never: none may match.
        covers: what rules decide that such a claim speaks of too, in whatever file.
    """

    id: str
    category: str
    severity: Severity
    criterion: int | None = None
    phrases: tuple[str, ...] = ()
    cues: tuple[re.Pattern[str], ...] = ()
    never: tuple[re.Pattern[str], ...] = ()
    covers: tuple[str, ...] = ()

    def admits(self, said: str) -> bool:
        """Whether cues allow a claim, given in lower case, to be of this kind."""
        return (not self.cues or any(cue.search(said) for cue in self.cues)) and not any(
            cue.search(said) for cue in self.never
        )


@cache
def kinds() -> Mapping[str, Kind]:
    """Every kind by id, `other` last."""
    found: dict[str, Kind] = {}
    for name in _FILES:
        tables = tomllib.loads(
            (files(__package__) / "kinds_data" / f"{name}.toml").read_text("utf-8")
        )
        for id, table in tables.items():
            found[id] = Kind(
                id=id,
                category=table["category"],
                severity=Severity(table["severity"]),
                criterion=table.get("criterion"),
                phrases=tuple(phrase.lower() for phrase in table["phrases"]),
                cues=tuple(map(re.compile, table.get("cues", ()))),
                never=tuple(map(re.compile, table.get("never", ()))),
                covers=tuple(table.get("covers", ())),
            )
    found[OTHER] = Kind(OTHER, "uncategorised", Severity.MINOR)
    return found


def best(said: str, context: str = "") -> Kind:
    """The kind that fits a claim best; `other` where none fits well enough.

    Args:
        said: the claim.
        context: the headings above it, which count less than its own words.
    """
    scores = _scores(said.lower())
    if context:
        for id, score in _scores(f"{context}: {said}".lower()).items():
            scores[id] = max(scores.get(id, 0.0), score * _CONTEXT_WEIGHT)
    id = max(scores, key=lambda id: scores[id], default=OTHER)
    return kinds()[id if scores.get(id, 0.0) >= _ENOUGH else OTHER]


def _scores(said: str) -> dict[str, float]:
    """The best score of each kind that the cues allow."""
    bare = " ".join(_WORD.findall(said))
    scores: dict[str, float] = {}
    for kind in kinds().values():
        if not kind.phrases or not kind.admits(said):
            continue
        for phrase, score, _ in process.extract(
            bare, kind.phrases, scorer=fuzz.token_set_ratio, limit=3, score_cutoff=_ENOUGH - 10
        ):
            # A long exemplar that fits says more than a short one.
            longer = min(len(phrase.split()), 10)
            scores[kind.id] = max(scores.get(kind.id, 0.0), score + longer)
    return scores
