"""The versions of a library in which something holds, and what that means for the versions a
submission allows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Literal

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from reviewers.facts.specifiers import version_of

Answer = Literal["every", "none", "some", "unknown"]


@dataclass(frozen=True, slots=True)
class VersionSpan:
    """Versions in which a name exists.

    Attributes:
        since: the first indexed version that has it; it may be older where this is the oldest
            indexed one.
        gone: the first indexed version after it that lacks it, None if none is known to.
    """

    library: str
    since: str
    gone: str | None


@dataclass(frozen=True, slots=True)
class VersionChange:
    """Two indexed versions of a library, of which one has something that the other lacks.

    Where it changed between them is not known.
    """

    library: str
    has: str
    lacks: str
    is_loss: bool


@dataclass(frozen=True, slots=True)
class Presence:
    """Whether something holds in each indexed version of a library, oldest first; None if that
    is not known.
    """

    library: str
    versions: tuple[str, ...]
    states: tuple[bool | None, ...]

    @property
    def newest(self) -> bool | None:
        return self.states[-1]

    @property
    def spans(self) -> tuple[VersionSpan, ...]:
        """The stretches of versions in which it holds."""
        found: list[VersionSpan] = []
        since: str | None = None
        for version, state in zip(self.versions, self.states, strict=True):
            if state and since is None:
                since = version
            elif state is False and since is not None:
                found.append(VersionSpan(self.library, since, version))
                since = None
        return tuple(
            [*found, VersionSpan(self.library, since, None)] if since is not None else found
        )

    def within(self, allowed: SpecifierSet | None) -> "Availability":
        """What holds in the indexed versions that a requirement allows.

        A requirement that allows none of them is answered only if it names a version between two of
        them that agree: what holds right before and right after holds there too.
        """
        asked = None if allowed is None else str(allowed)
        places = _allowed(asked, self.versions) or self._around(allowed)
        if not places:
            return Availability("unknown", None, self)
        states = [self.states[place] for place in places]
        change = self._nearest_change(places[-1]) if states[-1] is False else None
        if None in states:
            return Availability(
                "unknown" if len(set(states)) == 1 or states[-1] is None else _mixed(states),
                states[-1],
                self,
                change,
            )
        answer: Answer = "every" if all(states) else "some" if any(states) else "none"
        return Availability(answer, states[-1], self, change)

    def lost_after(
        self, allowed: SpecifierSet | None, day: date, released: Mapping[str, date]
    ) -> str | None:
        """The first allowed version in which it no longer holds, where every one that an installer
        could pick on a day had it: it may have gone with a release between two indexed ones.

        Args:
            released: when each version was uploaded.
        """
        indexed = list(zip(self.versions, self.states, strict=True))
        newer = [each for each in indexed if released.get(each[0], date.max) > day]
        older = indexed[: len(indexed) - len(newer)]

        def picked(of: list[tuple[str, bool | None]]) -> list[tuple[str, bool | None]]:
            return [
                each
                for each in of
                if allowed is None or allowed.contains(each[0], prereleases=True)
            ]

        later = picked(newer)
        # None that was allowed by then is indexed: it lies between two that are.
        then = picked(older)[-1:] or (older[-1:] + later[:1] if older and later else [])
        if not then or not all(state for _, state in then):
            return None
        return next((version for version, state in later if state is False), None)

    def _around(self, allowed: SpecifierSet | None) -> list[int]:
        """The place of the version below one that lies between two indexed ones which agree."""
        for named in _named(allowed):
            below = sum(Version(version) <= named for version in self.versions) - 1
            above = below + (below < 0 or Version(self.versions[below]) < named)
            if 0 <= below <= above < len(self.states) and self.states[below] == self.states[above]:
                return [below]
        return []

    def _nearest_change(self, lacking: int) -> VersionChange | None:
        """Where a version that lacks it lost it, else where a later one got it."""
        for step in (-1, 1):
            lacks, place = lacking, lacking + step
            while 0 <= place < len(self.states):
                if self.states[place]:
                    return VersionChange(
                        self.library, self.versions[place], self.versions[lacks], step < 0
                    )
                lacks = lacks if self.states[place] is None else place
                place += step
        return None


@lru_cache(1024)
def _allowed(asked: str | None, versions: tuple[str, ...]) -> Sequence[int]:
    """The places of the versions that a requirement allows."""
    allowed = SpecifierSet(asked or "")
    return tuple(
        place
        for place, version in enumerate(versions)
        if asked is None or allowed.contains(version, prereleases=True)
    )


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether something holds in the versions that a submission allows.

    Attributes:
        answer: in every allowed indexed version, in none, in some, or unknown.
        newest: in the newest allowed one, which an installer picks; None if that is not known.
        change: where the newest allowed one lacks it, and another indexed one has it: the nearest
            pair of them, older ones first.
    """

    answer: Answer
    newest: bool | None
    presence: Presence
    change: VersionChange | None = None


def _mixed(states: Sequence[bool | None]) -> Answer:
    """Some versions are not known: only a mixture among the known ones is certain."""
    return "some" if True in states and False in states else "unknown"


def _named(allowed: SpecifierSet | None) -> list[Version]:
    """The versions that a requirement names and allows."""
    found = []
    for specifier in allowed or ():
        version = version_of(specifier.version.removesuffix(".*"))
        if version and allowed is not None and allowed.contains(version, prereleases=True):
            found.append(version)
    return found
