"""What a clause is for: claim, summary, advice, or a statement of what is required."""

import re
from enum import StrEnum

from reviewers.claims.wording import starts_with_verb, verb_at, wording, words

_LOOKED_AT = 1000


class Role(StrEnum):
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
    r"(?:(?:the|this|these|whole|entire|provided|submitted|generated|current|given|required|experiment(?:al)?|"
    r"research|training|source|overall|python|your|all|of) )*"
    r"(?:code(?:[-"
    r" ]?base)?s?|project|package|repo(?:sitory)?|submission|implementation|pipeline|suite|program|"
    r"bundle|experiments?|solution)"
)
_NOT_READY = (
    r"(?:is|are|be|remains?|isn't|seems?|appears?)\b[^.]{0,40}?\b(?:not|neither|far"
    r" from|un)\b[^.]{0,60}?"
    r"(?:ready|production|publication|executable|runnable|acceptable|complete|compliant|usable|functional|"
    r"execution|approved|accepted)"
    r"|is (?:therefore |thus |hence )?(?:incomplete|non-executable|unusable|broken|unrunnable)$"
    r"|(?:cannot|can not|can't|could not|will not|won't|would not|does not|do not|doesn't|fails?"
    r" to|unable to)\b[^.]{0,30}?"
    r"\b(?:run|executed?|start|work|launch(?:ed)?|accepted|considered|approved|satisf\w+|meet|fulfil\w*|comply|trusted|used)\b"
    r"|(?:violat\w+|fails?|miss\w+|break\w*|raises?)\b[^.]{0,30}?\b(?:several|multiple|many|core|mandatory|"
    r"critical|key|hard|a number of|runtime errors|exceptions)\b"
    r"|(?:still )?(?:contains?|has) .{0,40}(?:gaps|issues|problems|defects|blockers|flaws)"
)
_VERDICT = re.compile(rf"^{_WHOLE}\b[^.]{{0,60}}?(?:{_NOT_READY})")
_VERDICT_WITHIN = re.compile(rf"\b{_WHOLE}\b[^.]{{0,60}}?(?:{_NOT_READY})")
_OPENER = re.compile(
    r"^(?:because|due|owing|given|in light|as a result|as a"
    r" consequence|since|with|for|considering|based|until|"
    r"unless|without|only|once|after|at (?:a )?minimum|"
    r"taken together|overall|in (?:summary|short|conclusion|total|its current)|to sum"
    r" up|therefore|thus|hence|"
    r"consequently|accordingly|so|summary|verdict|conclusion)\b"
)
_PROMISE = re.compile(
    r"^(?:only|once|after|when|with)\b.*\b(?:this|these|those|fixed|resolved|addressed|corrected|"
    r"changes?)\b.*\b(?:ready|meets?|satisf\w+|accepted|executable|production|run|execut\w+|work)\b"
)
_SWEEPING = re.compile(
    r"\b(?:rest of|everything else|all other|other (?:\w+ )?(?:criteria|requirements)|further"
    r" issues|no further|otherwise)\b"
)
_THESE = re.compile(
    r"\b(?:(?:the|these|those|this|all|above|such|aforementioned|following|preceding|critical|blocking|"
    r"functional|runtime|key|major|core|remaining|listed) ){1,4}"
    r"(?:\S+"
    r" )?(?:issues?|problems?|defects?|errors?|blockers?|bugs?|faults?|reasons?|gaps?|violations?|"
    r"deficiencies|flaws?|points?|shortcomings?|omissions?|mistakes|fixe?s?|deviations|concerns|findings)\b"
)
_NOT_READY_END = re.compile(
    r"\b(?:not|nor|un|non-?|prevent\w*|block\w*|far from|fails?"
    r" to|cannot)\b.{0,60}\b(?:ready|readiness|"
    r"production|publication|execut\w+|runnable|run|accept\w+|immediate|compliant)\b"
)
_FAULTS = re.compile(
    r"^(?:all )?(?:of )?(?:these|those|the above|such) (?:\w+"
    r" )?(?:issues?|problems?|defects?|errors?|blockers?|"
    r"bugs?|faults?|gaps?|violations?|flaws?|points?)\b"
)
_BREACH = re.compile(
    r"^(?:and |so |thus |therefore |hence |also |which |this |it |that |they"
    r" )*(?:violat(?:es?|ing)|"
    r"contradict(?:s|ing)?|breach(?:es|ing)?|break(?:s|ing)?|fail(?:s|ing)?|does not"
    r" (?:meet|satisfy|respect|"
    r"follow)|not) "
    r"[^.;]{0,80}?(?:\b(?:rules?|requirements?|criteri(?:on|a)|spec(?:ification)?|standards?|polic(?:y|ies)|"
    r"checklist|constraint|mandate|production|publication|req\.?)\b)"
)
_ADVICE_LABEL = re.compile(
    r"^(?:fix(?:es)?|suggested fix|suggestions?|recommendations?|recommended(?:"
    r" fix)?|remedy|solution|to[- ]do|"
    r"how to fix|action(?: items?)?|next steps?|required changes?)\s*[:–—-]"
)
_TO_FIX = re.compile(
    r"^(?:in order )?to (?:fix|make|resolve|solve|address|correct|satisfy|meet|comply|repair|be)\b"
)
_NORM = re.compile(
    r"\b(?:must|should|shall|ought to|needs? to|has to|have to|needs|had better)\b|\b(?:is|are)"
    r" (?:required|"
    r"needed|necessary|recommended|advisable|preferable)\b"
    r"|\b(?:safer|better|preferable|advisable) to\b|^(?:correct|proper)"
    r" (?:usage|use|form|syntax|key|path|approach|fix)\b"
)
_SPEC = re.compile(
    r"\b(?:spec(?:ification)?s?|requirements?|req\.?|criteri(?:on|a)|rules?|check-?list|rubric|task|guidelines?|"
    r"instructions?|paper|contract|standard|prompt)\b[^.,;]{0,30}?"
    r"\b(?:says?|requires?|demands?|mandates?|forbids?|forbidden|prescribes?|asks?|expects?|explicitly|states?|"
    r"calls? for|allows?|permits?|prohibits?|must)\b"
    r"|\b(?:is|are) (?:strictly |explicitly |clearly"
    r" )?(?:required|mandated|demanded|mandatory|forbidden|prohibited) by\b"
    r"|\bonly\b[^.;]{0,60}\b(?:is|are) (?:permitted|allowed)\b|\b(?:is|are) (?:forbidden|not"
    r" allowed|not permitted|prohibited)\b"
    r"|\b(?:according to|as per|per) the (?:spec|requirement|rubric|task|paper)"
)
_DEFECT = re.compile(
    r"\b(?:but|not|n't|never|no|nothing|none|lacks?|missing|absent|omit\w*|only|instead|however|yet|wrong\w*|"
    r"crash\w*|fail\w*|raise[sd]?|broken|invalid|without|ignor\w*|error|violat\w+|although|nowhere|unused|"
    r"incorrect\w*)\b"
)
_PRAISE = re.compile(r"^(?:good|nice|well done|great|excellent|thanks?)\b")


def plain(text: str) -> str:
    """Lower case, one space between words, no emphasis marks: the form in which wording is looked
    at.
    """
    return re.sub(r"\s+", " ", text.replace("*", "").replace("’", "'")).strip().casefold()


def role_of(text: str, masked: str, *, whole_sentence: bool = False) -> Role:
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
        return Role.GAP
    if _is_summary(said, bare):
        return Role.SUMMARY
    if _is_order(said, bare, masked):
        return Role.ADVICE
    if whole_sentence:
        return Role.CLAIM
    if _is_breach(said, bare):
        return Role.SUMMARY
    if _is_requirement(bare):
        return Role.REQUIREMENT
    return Role.ADVICE if _is_wish(bare) else Role.CLAIM


def is_sweeping(said: str) -> bool:
    """ "All other requirements are met": what is said of all the rest, in the form of `plain`."""
    return bool(_ALL_THE_REST.search(said)) and not _DENIES.search(said)


_ALL_THE_REST = re.compile(
    r"\b(?:(?:the )?(?:rest of|remaining|remainder)|everything else|all (?:the )?others?|other"
    r" (?:\w+ )?(?:criteria|requirements|aspects|parts|files)|no (?:further|other)|otherwise)\b.*"
    r"\b(?:satisf\w+|met|compl(?:y|ies|iant)|correct\w*|fine|ok(?:ay)?|good|fulfil\w*|works?|runs?|"
    r"sound|in order|issues?|problems?|errors?|defects?|violations?)\b|\beverything else compl"
)
_DENIES = re.compile(
    r"\b(?:not|never|cannot|unless|rely|relies|depends?|fails?|missing|lacks?|crash\w*|raises?)\b"
    r"|n't\b"
)


def is_denial(lead: str) -> bool:
    """ "It does not 1) draw … 2) test …": what looks like an order is what the code fails to do."""
    return bool(_DENIAL.search(plain(lead)))


_DENIAL = re.compile(
    r"\b(?:does|do|did|will|can)(?:n't| not)|\b(?:cannot|never|fails? to|without)\b"
)


def _is_summary(said: str, bare: str) -> bool:
    if _SWEEPING.search(bare):
        return False
    if _PRAISE.match(said) or _FAULTS.match(bare) or _PROMISE.match(bare):
        return True
    named = _names_code(said)
    if _VERDICT.match(bare) and not named:
        return True
    if _OPENER.match(bare):
        if _VERDICT_WITHIN.search(bare) and not _names_code(bare.rsplit(", ", 1)[-1]):
            return True
        main = bare.split(", ", 1)[-1]
        return bool(_THESE.search(bare) or _WHOLE_START.match(main)) and bool(
            _NOT_READY_END.search(bare)
        )
    return False


def _is_breach(said: str, bare: str) -> bool:
    """ "… and violates the rule": what a defect means for the verdict, not a defect of its own."""
    return bool(_BREACH.match(bare)) and not _names_code(said)


_WHOLE_START = re.compile(rf"^(?:the )?{_WHOLE}\b")
_CODE = re.compile(r"`|\w+\.(?:py|ya?ml|toml|json)\b|\w+\(\)|\w+_\w+|\b\w+\.\w+\.\w+")


def _names_code(said: str) -> bool:
    """A verdict that names a file or a piece of code says more than "not ready"."""
    return bool(_CODE.search(said))


def _is_order(said: str, bare: str, masked: str) -> bool:
    """An order to the author: it starts with a bare verb or says that it is a fix."""
    if _ADVICE_LABEL.match(said) or _TO_FIX.match(bare):
        return True
    known, listed = wording(), words(masked[:300])
    if not listed:
        return False
    first = listed[0]
    if first in ("and", "or", "then", "alternatively", "minimum", "also") and len(listed) > 1:
        first = listed[1]
    if first in known.imperatives and not starts_with_verb(masked):
        return verb_at(masked) is None or not _OWN_VERB.match(bare)
    return first in known.noun_imperatives and verb_at(masked) is None and bool(_OBJECT.match(bare))


def _is_wish(bare: str) -> bool:
    return bool(_NORM.search(bare)) and not _DEFECT.search(_AFTER_NORM.sub("", bare))


_OWN_VERB = re.compile(
    r"^\w+ (?:\w+ ){0,3}(?:is|are|was|were|has|have|does|do|will|fails?|raises?|lacks?|crashes)\b"
)
_OBJECT = re.compile(r"^\w+ (?:the|a|an|all|each|every|it|them|both|these|this|`|“|\"|')")
_AFTER_NORM = re.compile(
    r"\b(?:instead of|rather than|not|without|no longer)\b.*$|\b(?:must|should|shall) (?:be"
    r" )?(?:not?|never|"
    r"only|instead)\b|, not .*$|\bthe missing\b"
)


def _is_requirement(bare: str) -> bool:
    spec = _SPEC.search(bare)
    if spec is None:
        return False
    if _ALLOWED.search(bare):
        return True
    return not _DEFECT.search(bare[: spec.start()] + " " + _UNTIL_BREAK.sub("", bare[spec.end() :]))


_ALLOWED = re.compile(r"^only\b[^.;]{0,60}\b(?:is|are) (?:permitted|allowed)$")
_UNTIL_BREAK = re.compile(r"^.*?(?:,? (?:but|however|yet)\b|; |$)")
