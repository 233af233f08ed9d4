"""In which versions of a library something holds, and what that says about the versions a
submission allows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from reviewers.facts.specifiers import version_of

Answer = Literal["every", "none", "some", "unknown"]


@dataclass(frozen=True, slots=True)
class Span:
    """Versions in which a name exists.

    Attributes:
        since: the first indexed version that has it; it may be older where this is the oldest
            indexed one.
        gone: the first indexed version after it that lacks it, None where none is known to.
    """

    library: str
    since: str
    gone: str | None


@dataclass(frozen=True, slots=True)
class Presence:
    """Whether something holds in each indexed version of a library, oldest first; None where that
    is not known.
    """

    library: str
    versions: tuple[str, ...]
    states: tuple[bool | None, ...]

    @property
    def newest(self) -> bool | None:
        return self.states[-1]

    @property
    def spans(self) -> tuple[Span, ...]:
        """The stretches of versions in which it holds."""
        found: list[Span] = []
        since: str | None = None
        for version, state in zip(self.versions, self.states, strict=True):
            if state and since is None:
                since = version
            elif state is False and since is not None:
                found.append(Span(self.library, since, version))
                since = None
        return tuple([*found, Span(self.library, since, None)] if since is not None else found)

    def within(self, allowed: SpecifierSet | None) -> "Availability":
        """What holds in the indexed versions that a requirement allows.

        A requirement that allows none of them is answered only if it names a version between two of
        them that agree: what holds right before and right after holds there too.
        """
        states = [
            state
            for version, state in zip(self.versions, self.states, strict=True)
            if allowed is None or allowed.contains(version, prereleases=True)
        ] or self._around(allowed)
        if not states:
            return Availability("unknown", None, self)
        if None in states:
            return Availability(
                "unknown" if len(set(states)) == 1 or states[-1] is None else _mixed(states),
                states[-1],
                self,
            )
        answer: Answer = "every" if all(states) else "some" if any(states) else "none"
        return Availability(answer, states[-1], self)

    def _around(self, allowed: SpecifierSet | None) -> list[bool | None]:
        """The state of a version that lies between two indexed ones, as far as they agree."""
        for named in _named(allowed):
            below = [
                state
                for version, state in zip(self.versions, self.states, strict=True)
                if Version(version) <= named
            ]
            above = [
                state
                for version, state in zip(self.versions, self.states, strict=True)
                if Version(version) >= named
            ]
            if below and above and below[-1] == above[0]:
                return [below[-1]]
        return []


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether something holds in the versions that a submission allows.

    Attributes:
        answer: in every allowed indexed version, in none, in some, or unknown.
        newest: in the newest allowed one, which an installer picks; None where that is not known.
    """

    answer: Answer
    newest: bool | None
    presence: Presence


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
