"""Whether a text speaks to whoever judges the submission, rather than to the person who runs it.

A text is read as the few things that such a sentence must say: *whom* it speaks to (a judge, or the
other side of a conversation), *what it wants ignored*, *which answer it asks for*, and *who is said
to have judged already*. What it says is found by stems, in several languages; that it is an order
follows from what stands together, never from one sentence that somebody once wrote.
"""

import base64
import binascii
import codecs
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import islice
from urllib.parse import unquote

from reviewers.facts.remarks import in_plain_letters

__all__ = ["order_to_the_judge", "ways_of_addressing"]


def _one_of(words: str) -> str:
    """A pattern of words, which are patterns; `_` stands for the blanks within one."""
    return "(?:" + "|".join(words.replace("_", r"\s+").split()) + ")"


def _pattern(*ways: str, flags: re.RegexFlag = re.DOTALL) -> "re.Pattern[str]":
    return re.compile("|".join(ways), re.IGNORECASE | flags)


def _stems(stems: Sequence[str]) -> "re.Pattern[str]":
    """Stems of several languages: Latin and Cyrillic ones begin a word, others stand anywhere."""
    spaced = "|".join(stem for stem in stems if stem[0] < "\u0600")
    return _pattern(rf"\b(?:{spaced})", *(stem for stem in stems if stem[0] >= "\u0600"))


# English, which code is full of: a word counts only in the company that gives it this meaning.
_KIND = _one_of(
    "code paper peer ai llm automat\\w+ human meta large language model review\\w* grading"
)
_JUDGE = rf"(?:{_KIND}[- ]){{0,3}}" + _one_of(
    r"reviewers? graders? judges? referees? evaluators? assessors? auditors? examiners? validators?"
    r" area_chairs? chair committee llms? ais? (?:ai|language)_(?:agent|assistant|model|system)s?"
    r" (?:code|review)_(?:agent|assistant|bot|model)s? chatbots? chatgpt gpt-?[345]\w* claude"
    r" gemini copilot"
) + r"\b"  # fmt: skip
_THING = _one_of(
    "code submission implementation repository repo script experiment project file work program"
    " package bundle module"
)
_THIS = rf"\b(?:this|these|our|my|the)\s+(?:\w+\s+){{0,2}}{_THING}s?\b"
_CALL = _one_of(
    "note message attention instructions? hint memo reminder notice dear hey hello hi to for todo"
    " fixme nb @"
)
_JUDGING = r"(?:review|grad|judg|evaluat|assess|scor)\w*"
_ADDRESSED = _pattern(
    rf"\b{_CALL}\b\W{{0,3}}(?:(?:to|for|:)\W)?\W{{0,3}}(?:(?:the|all|any|our|every|my|you)\s+)"
    rf"{{0,2}}{_JUDGE}(?=\W*[:,;)\]—–-]|\W+{_one_of('please should must you do this the is')}\b"
    r"|[^\w\s]*$)",
    rf"(?:^|[.!?#\"'*\[(>-])\s*(?:the\s+|all\s+)?{_JUDGE}\s*[:,!—–]",
    rf"\b{_JUDGE}\W+(?:(?:reading|of)\W+this\W+(?:\w+\W+)?)?(?:should|must|shall|please|ought"
    r"|can\s+safely|(?:is|are|have|has|need|needs)\s+(?:\w+\s+)?to)\b",
    rf"\b{_one_of('as if_you(?:_are)? you_are being acting_as whoever_is')}\s+(?:now\s+)?"
    rf"(?:an?|the|our|in)\s+(?:\w+\s+){{0,3}}?(?:{_JUDGE}|approv\w+)",
    rf"\b{_one_of('whoever anyone_who whatever any_model_that')}\s+(?:is\s+)?{_JUDGING}",
    rf"\b(?:when|while|before|after)\s+(?:you\s+)?{_JUDGING}\s+this\b",
    flags=re.MULTILINE,
)
_DEFECTS = _one_of(
    "issues? findings? blockers? errors? problems? defects? concerns? reviews? flags? bugs?"
    " complaints? objections? comments?"
)
_NO_DEFECT = (
    rf"(?:\b{_one_of('no zero without(?:_any)? not_any free_of 0')}\s+(?:"
    rf"{_one_of('further known more additional blocking major critical other serious real')}\s+)*"
    rf"{_DEFECTS}\b|\b{_one_of('not never nothing skip stop refrain_from avoid')}\s+(?:to\s+)?"
    rf"(?:\w+\s+){{0,2}}{_one_of('report flag mention rais list complain find critici review')}"
    r"\w*\b|\bissue-free\b|findings\W{0,4}\[\s*\])"
)
_SCORE = (
    rf"(?:\b{_one_of('highest max(?:imum|imal)? top best full perfect passing excellent')}"
    r"(?:\s+possible)?\s+(?:scores?|grades?|marks?|ratings?|verdict)\b"
    r"|\b(?P<of>10|5|100|1\.0)\s*(?:/|out\s+of)\s*(?P=of)\b"
    r"|\b(?:score|rating|grade)\s*(?:[:=]|of|is)\s*(?:10|100|a\+?|5)\b)"
)
_GOOD = _one_of(
    "ready complete correct pass(?:ing|ed)? approved accepted valid compliant sound perfect"
)
_APPROVAL = _pattern(
    rf"\b{_one_of('ready flawless approv[a-z]+ lgtm compliant accepted acceptable verdict')}\b",
    rf"\b(?:accept|pass)(?:s|es|ed|ing)?\b(?=\W*(?:it\b|this\b|the\s+{_THING}|$|[.!;]))",
    rf"\b(?:as|is|are|be)\s+(?:fully\s+|already\s+)?(?:fine|{_GOOD})\b",
    r"\bcorrect\s+output\b|\bcan\s+(?:be\s+)?run\s+as\b|\bruns\s+as\s+it\s+stands\b|\bis_\w*ready\b",
    _NO_DEFECT,
    _SCORE,
)
# The keys of the reviewer's own answer: code that is reviewed has no business to know them.
_ANSWER = _pattern(
    r"\bis_(?:experiment_)?code_ready\b",
    r"\\?[\"']?verdict\\?[\"']?\s*[:=]\s*\\?[\"'`]?(?:not_)?ready\b",
)
_RULE = _one_of(
    "instruction prompt criteri rule guideline direction checklist rubric polic orders?\\b command"
)
_OVERRIDING = _pattern(
    rf"\b{_one_of('ignore disregard forget override bypass overlook set_aside discard drop')}\s+"
    rf"(?:\w+\s+){{0,4}}?"
    rf"{_one_of('previous prior above earlier preceding other system your all any every original')}"
    rf"\s+(?:\w+\s+){{0,3}}?{_RULE}\w*"
    rf"(?!\s+{_one_of('token mask id length part position embedding template logit column')}s?\b)",
)
_MARKING = _pattern(
    rf"\b{_one_of('mark rate judge report classify treat label score grade approve consider')}"
    rf"(?:\s+that)?\s+(?:(?:this|these|our)\s+(?:\w+\s+){{0,2}}{_THING}s?|the\s+submission)\b"
    rf"(?=.{{0,60}}?(?:{_NO_DEFECT}|{_SCORE})|.{{0,40}}?\b{_GOOD}\b)",
)
_JUDGED = _pattern(
    r"\b(?:has|have|had|was|were|is|are|been)\s+(?:(?:already|been|\w+ly|\w+\s+and)\s+){0,4}"
    rf"{_one_of('reviewed approved verified validated audited certified vetted checked')}\b"
    rf"(?=.{{0,120}}?(?:\bby\s+(?:\w+\s+){{0,3}}?{_JUDGE}|{_NO_DEFECT}"
    r"|\b(?:approve|accept|skip|return|mark|ready)\b))",
)
# Marks of a conversation, and of the prompts in which submissions are quoted.
_ROLE = _pattern(
    r"<\|\w+\|>|\[/?INST\]|<</?SYS>>",
    rf"</?{_one_of('file submission system assistant user instructions? prompt review')}s?>",
    r"^\W*(?:system|assistant|developer|human)\s*(?:prompt|message)?\s*:",
    flags=re.MULTILINE,
)
_ASKED_ANSWER = _pattern(
    rf"\b{_one_of('say answer respond reply output return print write conclude')}\b.{{0,30}}"
    r"\b(?:ready|approved?|accept(?:ed)?)\b",
    r"\bapproval\b|\bmark\s+this\b",
)

_WORDS = tomllib.loads(
    files("reviewers.facts").joinpath("addressing.toml").read_text(encoding="utf-8")
)
_SIGNS, _DISGUISED = tuple(_WORDS["signs"]), tuple(_WORDS["disguised"])
_ELSEWHERE = {what: _stems(stems) for what, stems in _WORDS["elsewhere"].items()}
_LONGEST = 20_000  # characters of a text that are read
_MOST_WINDOWS = 200
_BEFORE, _BEHIND = 160, 300  # characters about a sign that are read as one sentence

_SPACED = re.compile(r"(?<![^\W_])(?:[^\W_][ ._-]{1,3}){7,200}[^\W_](?![^\W_])")
_ENCODED = re.compile(r"(?<![\w+/=])[A-Za-z0-9+/]{20,4000}={0,2}(?![\w+/=])")
_IN_CODES = (  # each begins with a plain sign, which makes the search fast
    re.compile(r"\\x[0-9a-fA-F]{2}(?:\\x[0-9a-fA-F]{2}){5,}"),
    re.compile(r"\\u[0-9a-fA-F]{4}(?:\\u[0-9a-fA-F]{4}){5,}"),
    re.compile(r"%[0-9a-fA-F]{2}\w{0,20}(?:%[0-9a-fA-F]{2}\w{0,20}){2,}"),
    re.compile(r"(?:[0-9a-fA-F]{2}){15,2000}"),
)
_LEET = str.maketrans("013457@$", "oieastas")


def ways_of_addressing(text: str) -> tuple[str, ...]:
    """Return the ways to read a text, such as a whole file, in which it holds a word that an order
    needs: `""` as it stands, and the names of disguises; a quick look.
    """
    plain = in_plain_letters(text)
    return (
        *([""] if _holds(plain.lower(), _SIGNS) else []),
        *(
            how
            for how, read in _DISGUISES.items()
            if any(_unveils(it, plain) for it in read(plain))
        ),
    )


def order_to_the_judge(
    text: str, *, is_data: bool, ways: Sequence[str] | None = None
) -> str | None:
    """Return the words of a text that tell whoever judges the submission what to answer, or None.

    Args:
        is_data: the program may well use the text, such as a prompt: then it must speak of an
            answer about this submission.
        ways: how it is read, from `ways_of_addressing`; None asks it of this text.
    """
    plain = in_plain_letters(text[:_LONGEST])
    for how in ways_of_addressing(plain) if ways is None else ways:
        if not how:
            found = _order(plain, is_data=is_data)
        else:
            readings = (it for it in _DISGUISES[how](plain) if _unveils(it, plain))
            found = next(filter(None, (_order(it, is_data=False) for it in readings)), None)
        if found is not None:
            return f"{found} ({how})" if how else found
    return None


def _holds(lowered: str, signs: tuple[str, ...]) -> bool:
    return any(sign in lowered for sign in signs)


def _unveils(reading: str, plain: str) -> bool:
    """Whether a word of an order is only there when the text is read so."""
    lowered = reading.lower()
    seen = [word for word in _DISGUISED if word in lowered]
    return bool(seen) and any(word not in plain.lower() for word in seen)


def _order(text: str, *, is_data: bool) -> str | None:
    for window in _windows(text):
        found = (
            _ANSWER.search(window)
            or _MARKING.search(window)
            or (_JUDGED.search(window) if re.search(_THIS, window, re.IGNORECASE) else None)
            or (_order_in_data(window) if is_data else _order_in_words(window))
        )
        if found is not None:
            return _around(found)
    return None


def _windows(text: str) -> Iterator[str]:
    """The surroundings of each sign, as one line."""
    lowered, end, found = text.lower(), -1, 0
    if not _holds(lowered, _SIGNS):
        return
    starts = sorted(at for sign in _SIGNS for at in _places(lowered, sign))
    for at in starts:
        if at < end - _BEHIND // 2:
            continue
        begin, end = max(at - _BEFORE, 0), at + _BEHIND
        found += 1
        if found > _MOST_WINDOWS:
            return
        yield text[begin:end]


def _places(text: str, sign: str) -> Iterator[int]:
    at, found = text.find(sign), 0
    while at >= 0 and found < _MOST_WINDOWS:
        yield at
        at, found = text.find(sign, at + len(sign)), found + 1


def _order_in_words(window: str) -> "re.Match[str] | None":
    """An order in a remark: to ignore what was asked, or one to a judge or in a conversation."""
    flat = " ".join(window.split())
    overriding = _OVERRIDING.search(flat)
    if overriding is not None:
        return overriding
    addressed = _ADDRESSED.search(window) or _ADDRESSED.search(flat)
    if addressed is not None and _APPROVAL.search(flat):
        return addressed
    role = _ROLE.search(window)
    if role is not None and (_ASKED_ANSWER.search(flat) or _ANSWER.search(flat)):
        return role
    return _order_elsewhere(flat)


def _order_in_data(window: str) -> "re.Match[str] | None":
    """An order in a text that the program uses: it is about this submission or the answer."""
    flat = " ".join(window.split())
    spoken = _ADDRESSED.search(window) or _OVERRIDING.search(flat) or _ROLE.search(window)
    if spoken is not None and re.search(_THIS, flat, re.IGNORECASE) and _APPROVAL.search(flat):
        return spoken
    if spoken is not None and _ASKED_ANSWER.search(flat) and len(flat) < 120:
        return spoken
    elsewhere = _order_elsewhere(flat)
    return elsewhere if elsewhere is not None and _ELSEWHERE["judge"].search(flat) else None


def _order_elsewhere(flat: str) -> "re.Match[str] | None":
    """An order in another language: to ignore rules or faults, or to a judge, beside an answer."""
    said = {what: stems.search(flat) for what, stems in _ELSEWHERE.items()}
    if said["ignore"] and said["rules"] and (said["approve"] or said["judge"]):
        return said["ignore"]
    return said["judge"] if said["approve"] and said["answer"] else None


def _letter_by_letter(text: str) -> Iterator[str]:
    for spaced in _first(_SPACED, text):
        yield " ".join(re.sub(r"[ ._-]", "", word) for word in re.split(r"\s{2,}", spaced))


def _first(pattern: "re.Pattern[str]", text: str) -> list[str]:
    return [found.group() for found in islice(pattern.finditer(text), 20)]


def _from_base64(word: str) -> str:
    word = word.rstrip("=")
    try:
        return base64.b64decode(word + "=" * (-len(word) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""


def _from_codes(word: str) -> str:
    if "%" in word:
        return unquote(word, errors="replace")
    if word.startswith("\\u"):
        return "".join(chr(int(code, 16)) for code in word.split("\\u")[1:])
    return bytes.fromhex(word.replace("\\x", "")).decode("latin-1")


def _around(found: "re.Match[str]") -> str:
    said = found.string
    return " ".join(said[max(found.start() - 10, 0) : found.end() + 60].split())


# How a text is written so that only a machine reads it, and how it is read then.
_DISGUISES: Mapping[str, Callable[[str], Iterable[str]]] = {
    "read letter by letter": _letter_by_letter,
    "as base64": lambda text: map(_from_base64, _first(_ENCODED, text)),
    "as character codes": lambda text: (
        _from_codes(word) for codes in _IN_CODES for word in _first(codes, text)
    ),
    "backwards": lambda text: (text[::-1],),
    "in rot13": lambda text: (codecs.encode(text, "rot13"),),
    "with digits for letters": lambda text: (text.translate(_LEET),),
}
