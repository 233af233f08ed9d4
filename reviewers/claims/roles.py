"""What a clause is for: claim, summary, advice, or a statement of what is required."""

import re
from enum import StrEnum

from reviewers.claims.quoting import CODE
from reviewers.claims.wording import begins_with, starts_with_verb, verb_at, wording, words

_LOOKED_AT = 1000


class PieceRole(StrEnum):
    """What a piece of a review's text is for; the pieces of a text cover all of it."""

    CLAIM = "claim"
    STATED = "stated"  # reported as a finding, although its words assert nothing
    HEADING = "heading"
    SUMMARY = "summary"
    ADVICE = "advice"
    REQUIREMENT = "requirement"
    QUOTE = "quote"
    GAP = "gap"


_WHOLE = (
    r"(?:(?:the|this|these|whole|entire|provided|submitted|generated|current|given|required"
    r"|experiment(?:al)?|research|training|source|overall|python|your|all|of) )*"
    r"(?:code(?:[- ]?base)?s?|project|package|repo(?:sitory)?|submission|implementation|pipeline"
    r"|suite|program|bundle|experiments?|solution)\b"
)
_NOT_READY = (
    r"(?:is|are|be|remains?|isn't|seems?|appears?)\b[^.]{0,40}?\b(?:not|neither|far from|un)\b"
    r"[^.]{0,60}?(?:ready|production|publication|executable|runnable|acceptable|complete|compliant"
    r"|usable|functional|execution|approved|accepted)"
    r"|is (?:therefore |thus |hence )?(?:incomplete|non-executable|unusable|broken|unrunnable)$"
    r"|(?:cannot|can not|can't|could not|will not|won't|would not|does not|do not|doesn't"
    r"|fails? to|unable to)\b[^.]{0,30}?\b(?:run|executed?|start|work|launch(?:ed)?|accepted"
    r"|considered|approved|satisf\w+|meet|fulfil\w*|comply|trusted|used)\b"
    r"|(?:violat\w+|fails?|miss\w+|break\w*|raises?)\b[^.]{0,30}?\b(?:several|multiple|many|core"
    r"|mandatory|critical|key|hard|a number of|runtime errors|exceptions)\b"
    r"|(?:still )?(?:contains?|has) .{0,40}(?:gaps|issues|problems|defects|blockers|flaws)"
)
_VERDICT = re.compile(rf"\b{_WHOLE}[^.]{{0,60}}?(?:{_NOT_READY})")
_PROMISE = re.compile(
    r"(?:only|once|after|when|with)\b.*\b(?:this|these|those|fixed|resolved|addressed|corrected"
    r"|changes?)\b.*\b(?:ready|meets?|satisf\w+|accepted|executable|production|run|execut\w+|work)\b"
)
_FAULT = (
    r"(?:issues?|problems?|defects?|errors?|blockers?|bugs?|faults?|reasons?|gaps?|violations?"
    r"|deficiencies|flaws?|points?|shortcomings?|omissions?|mistakes|fixe?s?|deviations|concerns"
    r"|findings)\b"
)
_FAULTS = re.compile(rf"(?:all )?(?:of )?(?:these|those|the above|such) (?:\w+ )?{_FAULT}")
_BREACH = re.compile(
    r"(?:and |so |thus |therefore |hence |also |which |this |it |that |they )*"
    r"(?:violat(?:es?|ing)|contradict(?:s|ing)?|breach(?:es|ing)?|break(?:s|ing)?|fail(?:s|ing)?"
    r"|does not (?:meet|satisfy|respect|follow)|not) [^.;]{0,80}?\b(?:rules?|requirements?"
    r"|criteri(?:on|a)|spec(?:ification)?|standards?|polic(?:y|ies)|checklist|constraint|mandate"
    r"|production|publication|req\.?)\b"
)
_ADVICE_LABEL = re.compile(
    r"(?:fix(?:es)?|suggested fix|suggestions?|recommendations?|recommended(?: fix)?|remedy"
    r"|solution|to[- ]do|how to fix|action(?: items?)?|next steps?|required changes?)\s*[:–—-]"
)
_TO_FIX = re.compile(
    r"(?:in order )?to (?:fix|make|resolve|solve|address|correct|satisfy|meet|comply|repair|be)\b"
)
_NORM = re.compile(
    r"\b(?:must|should|shall|ought to|needs? to|has to|have to|needs|had better)\b"
    r"|\b(?:is|are) (?:required|needed|necessary|recommended|advisable|preferable)\b"
    r"|\b(?:safer|better|preferable|advisable) to\b"
    r"|^(?:correct|proper) (?:usage|use|form|syntax|key|path|approach|fix)\b"
)
_SPEC = re.compile(
    r"\b(?:spec(?:ification)?s?|requirements?|req\.?|criteri(?:on|a)|rules?|check-?list|rubric|task"
    r"|guidelines?|instructions?|paper|contract|standard|prompt)\b[^.,;]{0,30}?"
    r"\b(?:says?|requires?|demands?|mandates?|forbids?|forbidden|prescribes?|asks?|expects?"
    r"|explicitly|states?|calls? for|allows?|permits?|prohibits?|must)\b"
    r"|\b(?:is|are) (?:strictly |explicitly |clearly )?"
    r"(?:required|mandated|demanded|mandatory|forbidden|prohibited) by\b"
    r"|\bonly\b[^.;]{0,60}\b(?:is|are) (?:permitted|allowed)\b"
    r"|\b(?:is|are) (?:forbidden|not allowed|not permitted|prohibited)\b"
    r"|\b(?:according to|as per|per) the (?:spec|requirement|rubric|task|paper)"
)
_DEFECT = re.compile(
    r"\b(?:but|not|n't|never|no|nothing|none|lacks?|missing|absent|omit\w*|only|instead|however|yet"
    r"|wrong\w*|crash\w*|fail\w*|raise[sd]?|broken|invalid|without|ignor\w*|error|violat\w+"
    r"|although|nowhere|unused|incorrect\w*)\b"
)
_PRAISE = re.compile(r"(?:good|nice|well done|great|excellent|thanks?)\b")
_ALL_THE_REST = re.compile(
    r"\b(?:(?:the )?(?:rest of|remaining|remainder)|everything else|all (?:the )?others?"
    r"|other (?:\w+ )?(?:criteria|requirements|aspects|parts|files)|no (?:further|other)|otherwise)"
    r"\b.*\b(?:satisf\w+|met|compl(?:y|ies|iant)|correct\w*|fine|ok(?:ay)?|good|fulfil\w*|works?"
    r"|runs?|sound|in order|issues?|problems?|errors?|defects?|violations?)\b"
    r"|\beverything else compl"
)
_DENIES = re.compile(
    r"\b(?:not|never|cannot|unless|rely|relies|depends?|fails?|missing|lacks?|crash\w*|raises?"
    r"|without(?! (?:\w+ )?(?:issues?|problems?|errors?)))\b|n't\b"
)
_OWN_VERB = re.compile(
    r"\w+ (?:\w+ ){0,3}(?:is|are|was|were|has|have|does|do|will|fails?|raises?|lacks?|crashes)\b"
)
_OBJECT = re.compile(r"\w+ (?:the|a|an|all|each|every|it|them|both|these|this|`|“|\"|')")
_AFTER_NORM = re.compile(
    r"\b(?:instead of|rather than|not|without|no longer)\b.*$"
    r"|\b(?:must|should|shall) (?:be )?(?:not?|never|only|instead)\b|, not .*$|\bthe missing\b"
)
_ALLOWED = re.compile(r"only\b[^.;]{0,60}\b(?:is|are) (?:permitted|allowed)$")
_UNTIL_BREAK = re.compile(r"^.*?(?:,? (?:but|however|yet)\b|; |$)")


def plain(text: str) -> str:
    """Lower case, one space between words, no emphasis marks: the form in which wording is looked
    at.
    """
    return re.sub(r"\s+", " ", text.replace("*", "").replace("’", "'")).strip().casefold()


def role_of(text: str, masked: str, *, whole_sentence: bool = False) -> PieceRole:
    """Tell what a sentence or clause is for; its first thousand characters decide.

    Args:
        text: the words as they stand.
        masked: the same with quotes, code and brackets filled up, so that a fix named in brackets
            is not taken for one.
        whole_sentence: the clauses are told apart later, so that what one of them asks for does not
            decide.
    """
    masked = masked[:_LOOKED_AT]
    said, bare = plain(text[:_LOOKED_AT]), plain(masked)
    if not any(character.isalnum() for character in said):
        return PieceRole.GAP
    if _is_summary(said, bare):
        return PieceRole.SUMMARY
    if _is_order(said, bare, masked):
        return PieceRole.ADVICE
    if whole_sentence:
        return PieceRole.CLAIM
    # "… and violates the rule" is what a defect means for the verdict, not a defect of its own.
    if _BREACH.match(bare) and not CODE.search(said):
        return PieceRole.SUMMARY
    if _is_requirement(bare):
        return PieceRole.REQUIREMENT
    is_wish = _NORM.search(bare) and not _DEFECT.search(_AFTER_NORM.sub("", bare))
    return PieceRole.ADVICE if is_wish else PieceRole.CLAIM


def is_sweeping(said: str) -> bool:
    """ "All other requirements are met": what is said of all the rest, in the form of `plain`."""
    return bool(_ALL_THE_REST.search(said)) and not _DENIES.search(said)


def is_denial(lead: str) -> bool:
    """ "It does not 1) draw … 2) test …": what looks like an order is what the code fails to do."""
    return bool(_DENIES.search(plain(lead)))


def _is_summary(said: str, bare: str) -> bool:
    if is_sweeping(bare):
        return False
    if _PRAISE.match(said) or _FAULTS.match(bare) or _PROMISE.match(bare):
        return True
    # A verdict that names a file or a piece of code says more than "not ready".
    if _VERDICT.match(bare) and not CODE.search(said):
        return True
    return bool(
        begins_with(bare, wording()["openers"])
        and _VERDICT.search(bare)
        and not CODE.search(bare.rsplit(", ", 1)[-1])
    )


def _is_order(said: str, bare: str, masked: str) -> bool:
    """An order to the author: it starts with a bare verb or says that it is a fix."""
    if _ADVICE_LABEL.match(said) or _TO_FIX.match(bare):
        return True
    known, listed = wording(), words(masked[:300])
    if listed[:1] and listed[0] in ("and", "or", "then", "alternatively", "minimum", "also"):
        listed = listed[1:] or listed
    first = listed[0] if listed else ""
    if first in known["imperatives"] and not starts_with_verb(masked):
        return verb_at(masked) is None or not _OWN_VERB.match(bare)
    return (
        first in known["noun_imperatives"] and verb_at(masked) is None and bool(_OBJECT.match(bare))
    )


def _is_requirement(bare: str) -> bool:
    spec = _SPEC.search(bare)
    if spec is None:
        return False
    around = bare[: spec.start()] + " " + _UNTIL_BREAK.sub("", bare[spec.end() :])
    return bool(_ALLOWED.match(bare)) or not _DEFECT.search(around)
