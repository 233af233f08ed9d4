"""What a check is: a question to the facts that a claim raises, with an answer only where the code
proves one.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from reviewers.claims.claim import Claim
from reviewers.claims.search import Search
from reviewers.facts import Facts
from reviewers.facts.python_file import PythonFile
from reviewers.records import Check, FactCheck, Finding, Misreading, Span
from reviewers.rules import registered

_ABSENCE = re.compile(
    r"\b(?:no|not|n't|never|none|neither|nor|without|lacks?|lacking|omits?|omitted|omitting|miss(?:es|ing)|"
    r"absent|nothing|nowhere|cannot|fails? to|forgets? to|absence|unimplemented|instead of)\b|n't\b"
)


@dataclass(frozen=True)
class Case:
    """A claim with all that may be asked about it.

    Attributes:
        found: what the rules found in the same submission.
        earlier: the claims before it in the same paragraph or item with their answers, nearest
            first.
        categories: the failure categories that the whole review speaks of.
    """

    claim: Claim
    facts: Facts
    found: Sequence[Finding]
    search: Search
    earlier: tuple[tuple[Claim, FactCheck], ...] = ()
    categories: frozenset[str] = frozenset()

    @property
    def said(self) -> str:
        """The claim's words in lower case."""
        return self.claim.said

    @property
    def denies(self) -> bool:
        """Whether the claim says that something is not there or not done."""
        return _ABSENCE.search(self.said) is not None

    @property
    def grounds(self) -> Iterator[tuple[Claim, FactCheck]]:
        """The confirmed claims before it, for one that says what follows from them."""
        if self.claim.points_back:
            yield from (
                (claim, answer)
                for claim, answer in self.earlier
                if answer.result is Check.CONFIRMED
            )

    def python(self, default: str | None = None) -> list[tuple[str, PythonFile]]:
        """The Python files the claim is about, else the default one."""
        own = self.claim.own
        near = (
            own.files,
            own.hinted,
            *(found for about in self.claim.around for found in (about.files, about.hinted)),
        )
        for paths in near:
            if known := [path for path in paths if path in self.facts.python]:
                return [(path, self.facts.python[path]) for path in known]
        return (
            [(default, self.facts.python[default])]
            if default and default in self.facts.python
            else []
        )

    def decided_by(self, kind: str) -> Iterator[Finding]:
        """The rules' findings that confirm claims of a kind."""
        rules = {rule.id for rule in registered().values() if rule.decides == kind}
        yield from (finding for finding in self.found if finding.rule in rules)

    def decidable(self, kind: str) -> bool:
        """Whether there is a rule whose silence refutes claims of a kind."""
        return any(rule.decides == kind for rule in registered().values())


Answer = FactCheck | None
_CHECKS: dict[str, Callable[[Case], Answer]] = {}


def check(name: str) -> Callable[[Callable[[Case], Answer]], Callable[[Case], Answer]]:
    """Register a check under the name by which kinds call it.

    Raises:
        ValueError: two checks have this name.
    """

    def register(ask: Callable[[Case], Answer]) -> Callable[[Case], Answer]:
        if name in _CHECKS:
            raise ValueError(f"two checks are called {name}")
        _CHECKS[name] = ask
        return ask

    return register


def checks() -> dict[str, Callable[[Case], Answer]]:
    """Every check by name."""
    return dict(sorted(_CHECKS.items()))


def confirmed(evidence: str, span: Span | None = None) -> FactCheck:
    """The code bears the claim out."""
    return FactCheck(Check.CONFIRMED, evidence, span)


def refuted(
    evidence: str, span: Span | None = None, why: Misreading = Misreading.MISREAD_CODE
) -> FactCheck:
    """The code shows the opposite."""
    return FactCheck(Check.REFUTED, evidence, span, why)


def partly(evidence: str, span: Span | None = None) -> FactCheck:
    """Something of it holds and something does not, or it cannot be told apart: unverified, with
    what is known.
    """
    return FactCheck(Check.UNVERIFIED, evidence, span)


def join(words: Sequence[str], last: str = "and", most: int = 5) -> str:
    """Join names for a sentence: "a, b and c"."""
    listed = list(words[:most]) + ([f"{len(words) - most} more"] if len(words) > most else [])
    return (
        listed[0]
        if len(listed) == 1
        else f"{', '.join(listed[:-1])} {last} {listed[-1]}"
        if listed
        else ""
    )


def code(text: str, longest: int = 80) -> str:
    """Show a piece of code within a sentence, on one line."""
    flat = re.sub(r"\s+", " ", text).strip()
    flat = "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in flat
    )
    return f"`{flat if len(flat) <= longest else flat[: longest - 1] + '…'}`"
