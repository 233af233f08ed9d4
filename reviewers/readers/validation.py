"""Whether a reading may be of a claim at all: the submission or the review has what it names, and
it keeps the claim's polarity, its quantifier and its error.

This judges readers that may invent; whether the reading is true is nothing to it.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from fnmatch import fnmatchcase

from reviewers.facts.failures import INSTALL
from reviewers.propositions import PREDICATES, Proposition
from reviewers.propositions.terms import (
    AllOf,
    AnyOf,
    Atom,
    Because,
    Not,
    Only,
    Scope,
    Spot,
    Value,
    atoms,
    parts,
)
from reviewers.readers.words import stem, tokens
from reviewers.records import Submission
from reviewers.rubric.choice import contract_of

_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|'[^'\n]*'")
_NEGATION = re.compile(
    r"\b(?:no|not|never|none|neither|nor|nothing|nowhere|nobody|without|cannot|absent|absence|"
    r"lack\w*|miss(?:es|ing)|omit\w*|fail\w*|ignor\w*|instead|rather|only|but|however|except|"
    r"un\w+|non\w*|in(?:correct|valid|complete|compatible|consistent)\w*|im(?:possible|proper)\w*|"
    r"wrong\w*|drop\w*|skip\w*|remov\w*|unless|until|late|hard-?coded|forg[eo]t\w*|avoid\w*|"
    r"prevent\w*|violat\w*|contradict\w*|must|should|require\w*|dis\w+|refus\w*|reject\w*|zero|"
    r"mismatch\w*|otherwise|differ\w*|empty|placeholder|stub\w*|errors?|crash\w*|br[eo]k\w*|"
    r"break\w*|bugs?|malformed|"
    # "still covers the full split" is how people say that nothing limits it.
    r"still|always|full\w*|entire\w*|whole|complete\w*|same|unchanged|constant\w*|fixed|regardless|"
    r"frozen)\b|n't\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"\b(?:no|not|never|neither|nor|nothing|nowhere|without|absent|lacks?|lacking|missing)\b|n't\b",
    re.IGNORECASE,
)
_FAULT = re.compile(
    r"\b(?:wrong\w*|incorrect\w*|invalid\w*|improper\w*|illegal\w*|mis(?:used?|uses|spel\w*)|"
    r"mistaken\w*|malformed|broken)\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\b(?:only|just|sole(?:ly)?|exclusively|single|nothing (?:but|else)|no other|alone|one|"
    r"except)\b",
    re.IGNORECASE,
)
_VARIABLE = re.compile(r"\$\w+")
_ITEM = re.compile(r"^[ \t]*(?:[-*•–▪◦][ \t]|\d{1,3}[.)][ \t]|$)", re.MULTILINE)
_ERROR = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Warning)\b")
_SELF_DENYING = frozenset({"fails", "empty", "judgement", "sound", "contains", "guarded", "raises"})
"""Predicates that say by themselves that something is not as it should be."""
_FAULTY = frozenset({"has_value", "has_type", "sets", "path_base", "limits", "returns"})
"""Predicates whose argument may be the wrong thing itself: a value, a type, a folder."""
_NAMED = {
    "file": "file",
    "where": "file",
    "name": "name",
    "target": "name",
    "expr": "name",
    "parameter": "name",
    "run": "name",
    "command": "command",
    "mode": "mode",
}
"""Arguments that name something of the submission or its contract, and of which sort that is; what
is called or declared may be a library's.
"""


class Validation:
    """What readings of claims about one submission may name.

    Args:
        said: the whole text of the review.
        above: the headings and beginnings of sentences under which a claim stands, by its words.
    """

    def __init__(self, submission: Submission, said: str, above: Mapping[str, str]) -> None:
        files = submission.by_path
        self._paths = tuple(files)
        self._words = frozenset(
            word
            for path, file in files.items()
            for text in (path, file.reading)
            for word in _WORD.findall(text.casefold())
        ) | frozenset(
            word for run in submission.runs for word in _WORD.findall(run.run_id.casefold())
        )
        self._review = said
        self._above = above
        self._said = frozenset(_WORD.findall(said.casefold()))
        contract = contract_of(submission).contract
        self._of_contract = {"command": contract.commands, "mode": contract.modes}

    def problem(self, proposition: Proposition, claim: str, beside: str = "") -> str:
        """Why this is no reading of the claim, in one line; empty where it may be one.

        Args:
            beside: other words that the proposition takes up.
        """
        return self.unknown(proposition) or self.doubt(proposition, claim, beside)

    def doubt(self, proposition: Proposition, claim: str, beside: str = "") -> str:
        """Why its words seem to say something else: their denials, limits, faults and errors. A
        reader who looks again and stays with it may be right.
        """
        item, before = (f"{each}\n{beside}" for each in self._around(claim))
        return (
            _other_polarity(proposition, claim, item, before)
            or _other_quantifier(proposition, item, before)
            or _no_fault(proposition, claim)
            or _other_error(proposition, claim)
        )

    def _around(self, claim: str) -> tuple[str, str]:
        """The item of the review in which a claim stands, and this with all before it.

        A claim may be a piece of a sentence whose denial stands in another piece, or above the
        list of which it is an item, and the cause of which it speaks stands before it.
        """
        above = self._above.get(claim, "")
        found = re.search(r"\s+".join(map(re.escape, claim.split())), self._review)
        if found is None:
            return f"{above}\n{claim}", f"{above}\n{claim}"
        begins = [one.start() for one in _ITEM.finditer(self._review)]
        first = max((one for one in begins if one <= found.start()), default=0)
        last = min((one for one in begins if one >= found.end()), default=len(self._review))
        return f"{above}\n{self._review[first:last]}", self._review[:last]

    @staticmethod
    def is_plain(proposition: Proposition, claim: str) -> bool:
        """Whether the claim uses the very verb of a predicate: then its denial is plain to see, and
        a reading that turns it round is none, however often it is given.
        """
        said = {each.stem for each in tokens(claim)}
        own = {atom.predicate.partition("_")[0] for atom in atoms(proposition)} - {"does", "has"}
        return not said.isdisjoint(map(stem, own))

    def unknown(self, proposition: Proposition) -> str:
        """What it names that neither the submission nor the review has."""
        for atom in atoms(proposition):
            # What the vocabulary lists is made by the code: the submission need not hold it.
            made = PREDICATES[atom.predicate].values or {}
            for name, value in atom.arguments:
                for sort, told in _names(name, value):
                    is_path = sort == "file" and name not in made
                    if problem := (
                        self._not_of_contract(sort, told)
                        if sort in self._of_contract
                        else self._not_there(told, is_path=is_path)
                    ):
                        return f"`{atom.predicate}`, `{name}`: {problem}"
        return ""

    def _not_of_contract(self, sort: str, told: str) -> str:
        known = self._of_contract[sort]
        if not known or told in known or told == INSTALL or "$" in told:
            return ""
        return f"{told[:80]!r} is no {sort} of the table: {', '.join(known)}"

    def _not_there(self, told: str, *, is_path: bool) -> str:
        # A glob may be of what is not there.
        is_path = is_path and "." in told and not {"$", "*"} & set(told)
        if is_path and any(fnmatchcase(path, told) for path in self._paths):
            return ""
        near = [path for path in self._paths if is_path and path.endswith(f"/{told}")]
        if near:
            return f"{told[:80]!r} is not in the table; {near[0][:80]!r} is"
        is_named = not is_path or _all_in(told.rpartition("/")[2], self._said)
        if is_named and _all_in(told, self._said | self._words, self._said):
            return ""
        return f"{told[:80]!r} is neither in the table nor in the review"


def _all_in(told: str, known: Collection[str], said: Collection[str] = ()) -> bool:
    """Whether all words of a name are known; those of a glob may be pieces of words, and a name may
    be made of words that are said (`pad_token` of "a pad token").
    """
    plain = _VARIABLE.sub("", told.removeprefix("run:"))
    words = _WORD.findall(plain.casefold())
    if plain in ("code", "composed"):
        return True
    if "*" in plain:
        words = [word.strip("_") for word in words]
        return all(any(word in one for one in known) or _is_made_of(word, said) for word in words)
    return all(word in known or _is_made_of(word, said) for word in words)


def _is_made_of(name: str, said: Collection[str]) -> bool:
    """Whether a name is made of words that are said, of which each may have an ending."""
    words = [word for word in name.split("_") if word]
    return len(words) > 1 and all(
        word in said or (len(word) > 2 and any(one.startswith(word) for one in said))
        for word in words
    )


def _names(argument: str, value: Value) -> Iterator[tuple[str, str]]:
    """What a value names, each with its sort: file, name, run, mode or command."""
    named: Mapping[str, str | None] = {}
    match value:
        case Scope(file, name, mode, run):
            named = {"file": file, "name": name, "mode": mode, "run": run}
        case Spot(file):
            named = {"file": file}
        case str() if argument in _NAMED:
            sort = "name" if value.startswith("run:") else _NAMED[argument]
            named = {sort: value}
    for sort, told in named.items():
        yield from ((sort, each) for each in (told or "").split("|") if each)


def _other_polarity(proposition: Proposition, claim: str, item: str, before: str) -> str:
    denials = list(_denials(proposition))
    if any(isinstance(each, AllOf | AnyOf | Because | Not) for each, _ in denials):
        return "it denies several things at once; deny each part by itself"
    for _, is_cause in _denials(proposition, main=True):
        if not _NEGATION.search(_QUOTED.sub(" ", before if is_cause else item)):
            return "it denies something, and the claim denies nothing"
    is_bare = (
        isinstance(proposition, Atom)
        and proposition.predicate not in _SELF_DENYING
        and proposition.get("when") is None  # a condition may be what is denied
        and proposition.get("guarded") is not False
    )
    denial = _DENIAL.search(_QUOTED.sub(" ", claim))
    if is_bare and denial:
        return f"it denies nothing, and the claim says {denial[0]!r}"
    return ""


def _denials(
    whole: Proposition, *, main: bool = False, is_cause: bool = False
) -> Iterator[tuple[Proposition, bool]]:
    """What a proposition denies, and whether it says so of a cause only.

    Args:
        main: of several parts the first one alone; the others may say more exactly what it says.
    """
    if isinstance(whole, Not):
        yield whole.part, is_cause
    for part in parts(whole)[: 1 if main and isinstance(whole, AllOf) else None]:
        of_cause = is_cause or (isinstance(whole, Because) and part is whole.cause)
        yield from _denials(part, main=main, is_cause=of_cause)


def _other_error(proposition: Proposition, claim: str) -> str:
    given = {
        error
        for atom in atoms(proposition)
        if isinstance(said := atom.get("error"), str)
        for error in said.split("|")
    }
    named = set(_ERROR.findall(claim))
    return f"the claim says {min(named)[:80]}" if given and named and not named & given else ""


def _other_quantifier(proposition: Proposition, item: str, before: str) -> str:
    heard = before if isinstance(proposition, Because) else item
    limits = any(isinstance(each, Only) for each in _all_parts(proposition))
    return (
        "it says `only`, and the claim does not"
        if limits and not _LIMIT.search(_QUOTED.sub(" ", heard))
        else ""
    )


def _no_fault(proposition: Proposition, claim: str) -> str:
    """Why a reading that only tells what is there leaves out what the claim calls wrong."""
    told = list(_all_parts(proposition))
    tells_fault = any(
        not isinstance(each, Atom | AllOf)
        or (isinstance(each, Atom) and each.predicate in _FAULTY | _SELF_DENYING)
        for each in told
    )
    said = _FAULT.search(_QUOTED.sub(" ", claim))
    return (
        f"the claim says {said[0]!r}, and the reading only what is there"
        if said and not tells_fault
        else ""
    )


def _all_parts(proposition: Proposition) -> Iterator[Proposition]:
    yield proposition
    for part in parts(proposition):
        yield from _all_parts(part)
