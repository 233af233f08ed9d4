"""The reading of a claim: its proposition, with the reader who stated it."""

from dataclasses import dataclass

from reviewers.propositions import Proposition


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A claim as a proposition.

    Attributes:
        reader: who read it.
        proposition: None where it was not read.
        why_not: why it was not.
        leftover: words of the claim that it does not say.
        unread: statements of the claim that were not understood, in its words.
        is_final: whether it counts whatever other readers say: a person's word.
        otherwise: what else the claim may mean; it is decided only where all say the same.
        proves: whether the claim is so where what is read is so. It need not be where words that
            narrow the claim are left over, or where its main statement is not read.
        disproves: whether the claim is not so where what is read is not so. It need not be where
            what is left over narrows what the claim denies.
        falls_with: parts of which each that is not so refutes the claim.
    """

    reader: str
    proposition: Proposition | None = None
    why_not: str = ""
    leftover: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    is_final: bool = False
    otherwise: tuple[Proposition, ...] = ()
    proves: bool = True
    disproves: bool = True
    falls_with: tuple[Proposition, ...] = ()
