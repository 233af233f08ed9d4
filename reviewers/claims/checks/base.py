"""What a check is: a question to the facts that a claim raises, with an answer only where the code
proves one.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from reviewers.claims.certificates import Certificate, denies_all
from reviewers.claims.claim import Claim
from reviewers.claims.search import Search
from reviewers.facts import Facts
from reviewers.facts.python_file import PythonFile
from reviewers.records import Check, FactCheck, Finding, Span
from reviewers.rules import registered

_ABSENCE = re.compile(
    r"\b(?:no|not|n't|never|none|neither|nor|without|lacks?|lacking|omits?|omitted|omitting|miss(?:es|ing)|"
    r"absent|nothing|nowhere|cannot|fails? to|forgets? to|absence|unimplemented|instead of)\b|n't\b"
)


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check says to a claim.

    Attributes:
        certificate: what refutes the claim; given with `Check.REFUTED`, and only with it.
        settles: whether no further check is asked. What speaks against a claim settles it, or
            another check that knows less could confirm it.

    Raises:
        ValueError: it refutes without a certificate, or has a certificate without refuting.
    """

    result: Check
    evidence: str
    span: Span | None = None
    certificate: Certificate | None = None
    settles: bool = True

    @property
    def speaks_against(self) -> bool:
        """Whether the code shows something that does not fit the claim."""
        return self.settles and self.result is not Check.CONFIRMED

    def __post_init__(self) -> None:
        if (self.result is Check.REFUTED) != (self.certificate is not None):
            raise ValueError("a claim is refuted by a certificate, and by nothing else")

    @property
    def fact_check(self) -> FactCheck:
        """The same as a record."""
        why = self.certificate.misreading if self.certificate else None
        return FactCheck(self.result, self.evidence, self.span, why)


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
    earlier: tuple[tuple[Claim, Checked], ...] = ()
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
    def grounds(self) -> Iterator[tuple[Claim, Checked]]:
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


Answer = Checked | None
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


def confirmed(evidence: str, span: Span | None = None) -> Checked:
    """The code bears the claim out."""
    return Checked(Check.CONFIRMED, evidence, span)


def refuted(
    case: Case,
    certificate: Certificate,
    evidence: str,
    span: Span | None = None,
    *,
    files: Collection[str] = (),
    covers: Callable[[str], bool] = lambda piece: False,
    named: Collection[str] = (),
) -> Checked:
    """The certificate denies the claim; a claim that says more is left open, with the evidence as
    a remark.

    Args:
        files: the files that the certificate is about.
        covers: whether it is also about a piece of code of the claim.
        named: plain words that are names of what it is about.
    """
    if denies_all(certificate, case.claim, files, covers, named):
        return Checked(Check.REFUTED, evidence, span, certificate)
    return remark(evidence, span)


def remark(evidence: str, span: Span | None = None) -> Checked:
    """What the code shows speaks against the claim, but is no certificate: unverified, with what is
    known.
    """
    return Checked(Check.UNVERIFIED, evidence, span)


def partly(evidence: str, span: Span | None = None) -> Checked:
    """Something of it holds and something does not, or it cannot be told apart: unverified, with
    what is known, unless another check decides.
    """
    return Checked(Check.UNVERIFIED, evidence, span, settles=False)


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
