"""What may refute a claim: a certificate that denies everything the claim says.

A certificate denies one plain statement ("the file does not parse"). A claim is refuted by it only
where nothing of the claim is left over: every piece of code and every file that it names is one
that was looked at, every error one that the statement would lead to, and every other word one of
those in which the statement is made. "Answers drop out of the denominator, because they do not
parse" has words that no parser explains, and stays open.
"""

import re
import tomllib
from collections.abc import Callable, Collection
from enum import StrEnum
from functools import cache
from importlib.resources import files

from reviewers.claims.claim import Claim
from reviewers.records import Misreading


class Certificate(StrEnum):
    """The closed list of what may refute; everything else that speaks against a claim is a
    remark.
    """

    PARSES = "the file parses"
    EXISTS = "the file is there"
    HAS_CONTENT = "the file has content"
    ONLY_IN_PROMPT = "the text stands only in the prompt that the reviewer was given"
    IMPORTED = "the import stands"
    BOUND = "the binding stands"
    NAMESPACE_PACKAGE = "a package without __init__.py imports (PEP 420)"
    TAKES_WORDS = "the parser of the command line takes the words"

    @property
    def misreading(self) -> Misreading:
        """Why a reviewer who says the opposite is wrong."""
        return _WHY.get(self, Misreading.MISREAD_CODE)


_WHY = {
    Certificate.ONLY_IN_PROMPT: Misreading.PROMPT_ARTIFACT,
    Certificate.NAMESPACE_PACKAGE: Misreading.STALE_VERSION_KNOWLEDGE,
}


def denies_all(
    certificate: Certificate,
    claim: Claim,
    paths: Collection[str],
    covers: Callable[[str], bool],
    named: Collection[str] = (),
) -> bool:
    """Whether a certificate denies the whole claim, so that nothing of it may still be right.

    Args:
        paths: the files that the certificate is about.
        covers: whether the certificate is also about a piece of code of the claim.
        named: plain words that are names of what it is about.
    """
    own, rest = claim.own, claim.said
    if not set(own.files) <= set(paths) or not all(map(covers, own.absent_files)):
        return False
    if not all(covers(quote) or quote in own.errors for quote in own.quotes):
        return False
    plain_words, errors = _vocabulary(certificate)
    if any(error.casefold() not in errors for error in own.errors):
        return False
    for known in sorted((*own.quotes, *own.absent_files), key=len, reverse=True):
        rest = _without(rest, known, _THING if known in own.absent_files else " ")
    rest = _IN_WHAT.sub(" ", _NUMBERED.sub(" ", _FILE_OR_CODE.sub(_THING, rest)))
    for name in sorted((*own.names, *own.errors), key=len, reverse=True):
        shorter = _without(rest, name)
        if shorter != rest and name not in own.errors and not covers(name):
            return False
        rest = shorter
    rest = _OF_WHAT.sub(" ", rest)
    known_words = plain_words | {name.casefold() for name in named}
    return not _PRAISE.search(claim.said) and known_words.issuperset(_WORD.findall(rest))


def _without(text: str, known: str, instead: str = " ") -> str:
    known = " ".join(known.casefold().replace("*", "").split())
    return re.sub(rf"(?<!\w){re.escape(known)}(?!\w)", instead, text) if known else text


_FILE_OR_CODE = re.compile(
    r"(?<![\w/.-])(?:[\w-]+/){0,4}[\w-]+\.(?:py|ya?ml|toml)\b|\bsrc\.\w+\b|\([a-z]{1,4}\d{1,4}\)"
)
"""A file, a module, or the code that a linter gives its message."""
_THING = " § "
_DETERMINER = (
    r"(?:(?:th(?:e|is|at|ese|ose)|its|their|our|an?|all|any|each|every|whole|entire|required) )"
)
_NUMBERED = re.compile(
    r"\b(?:lines?|requirements?|criteri(?:on|a)) (?:\d+(?: ?(?:-|–|,|to|and) ?\d+)*)"
)
_IN_WHAT = re.compile(
    rf"\b(?:in|from|of|within|inside|by|with) {_DETERMINER}*"
    r"(?:submission|project|repository|repo|code|source|python|requirements?|criteri(?:on|a))\b"
)
_OF_WHAT = re.compile(
    rf"(?:^|[,;:]|\b(?:because|since|so|and|that|thus|therefore|hence)\b)\W*{_DETERMINER}*"
    rf"(?:code|modules?|scripts?|python file|submission)\b|"
    rf"\b(?:modules?|scripts?|python files?)(?=\W*§)|(?<=§)\W*(?:modules?|scripts?)\b|"
    r"\bpython (?=can|could|does|do|will|would|raises|fails)|"
    r"\bvalid python\b(?: (?:code|modules?|syntax))?|\bpython (?:syntax|code|parser|files?)\b"
)
"""Nouns that only say of what file the claim is, and where. Elsewhere they are what the claim is
about: "pyproject.toml is missing the requirements".
"""
_WORD = re.compile(r"[^\W_](?:[\w'.-]*\w)?")
_PRAISE = re.compile(
    r"\b(?:no|not|without|free of|zero|neither|nor|never|n't)\b (?:\w+ ){0,2}?(?:\w+[ -])?"
    r"(?:errors?|invalid|empty|missing|absent|unused|used|called|reached|executed|problems?|"
    r"needed|required|necessary)\b|\bunused\b"
)
"""Words that turn a statement round: "no syntax error", "is not missing", "never used"."""


@cache
def _vocabulary(certificate: Certificate) -> tuple[frozenset[str], frozenset[str]]:
    """The words in which the statement is made that a certificate denies, and the errors that it
    would lead to.
    """
    lists = tomllib.loads((files(__package__) / "certificates.toml").read_text("utf-8"))
    own = lists[certificate.name.lower().replace("_", "-")]
    effects = lists["effects"]["words"] if own["effects"] else []
    return frozenset([*lists["everywhere"]["words"], *effects, *own["words"]]), frozenset(
        own["errors"]
    )
