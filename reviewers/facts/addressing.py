"""Whether a text speaks to the judge of the submission, rather than to the person who runs it.

Such a text must say a few things: who judges or what is judged, and which answer is wanted or what
is to be left out. Each is a list of words in several languages (`addressing.toml`), each word with
a weight. That a text is an order follows from the company that its words keep within two sentences,
never from a sentence that somebody once wrote.
"""

import base64
import binascii
import codecs
import re
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from html import unescape
from importlib.resources import files
from urllib.parse import unquote

from reviewers.facts.remarks import in_plain_letters

__all__ = ["order_to_the_judge"]

_ENOUGH, _ENOUGH_OF_DATA, _ENOUGH_DISGUISED = 4, 5, 3
_LONGEST = 20_000  # characters of a text that are read
_SENTENCE = 40  # words that are read as one sentence at most

_UNDIVIDED = str.maketrans(
    {"ß": "ss", "ł": "l", "ø": "o", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"}
)


def _folded(text: str) -> str:
    """A text in small letters without accents."""
    text = text.lower()
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text.translate(_UNDIVIDED))
    return "".join(letter for letter in apart if unicodedata.category(letter) != "Mn")


_DATA = tomllib.loads(
    files("reviewers.facts").joinpath("addressing.toml").read_text(encoding="utf-8")
)
_WHOLE: dict[str, dict[str, int]] = defaultdict(dict)
_STEMS: dict[str, dict[str, int]] = defaultdict(dict)
_ANYWHERE: dict[str, dict[str, int]] = defaultdict(dict)
for _concept, _weights in _DATA["words"].items():
    for _weight, _words in _weights.items():
        for _word in _folded(_words).split():
            _stem = _word.rstrip("*")
            _known = _ANYWHERE if _word[0] >= "\u0600" else _STEMS if _word != _stem else _WHOLE
            _known[_stem][_concept] = max(int(_weight), _known[_stem].get(_concept, 0))
_PAIRS = tuple((*pair["of"], pair["within"], pair["says"]) for pair in _DATA["pairs"])
_MARKS = tuple(
    (re.compile("|".join(f"(?:{way})" for way in ways), re.IGNORECASE), f" {mark} ")
    for mark, ways in _DATA["marks"].items()
)
_WORD = re.compile(r"[.!?;](?=\s|$)|\n\s*\n|[^\W_\u0600-\U0010ffff]+|[\u0600-\U0010ffff]+")


@lru_cache(maxsize=20_000)
def _said_by(word: str) -> Mapping[str, int]:
    """What a word says, as concepts with their weights."""
    stems = (_STEMS[word[:end]] for end in range(min(len(word), 20), 1, -1) if word[:end] in _STEMS)
    said = {**next(stems, {}), **_WHOLE.get(word, {})}
    if word[0] >= "\u0600":
        for stem, concepts in _ANYWHERE.items():
            if stem in word:
                said.update(concepts)
    elif len(word) > 20:  # words without blanks
        for known in (_STEMS, _WHOLE):
            for stem, concepts in known.items():
                if len(stem) > 4 and stem in word:
                    said.update(concepts)
    return said


@lru_cache(maxsize=5_000)  # repaired versions have nearly all texts in common
def order_to_the_judge(text: str, *, is_data: bool) -> str | None:
    """Return the words of a text that tell the judge of the submission what to answer, or None.

    Args:
        is_data: the program may well use the text, such as a prompt: then it must say more.
    """
    plain = in_plain_letters(text[:_LONGEST])
    found = _order(plain, _ENOUGH_OF_DATA if is_data else _ENOUGH)
    if found is not None:
        return found
    for how, read in _DISGUISES.items():
        undisguised = read(plain)
        found = _order(undisguised, _ENOUGH_DISGUISED) if undisguised != plain else None
        if found is not None:
            return f"{found} ({how})"
    return None


def _order(text: str, enough: int) -> str | None:
    """The words of the first two sentences that say enough together."""
    marked = text
    for mark, name in _MARKS:
        marked = mark.sub(name, marked)
    before: list[tuple[int, int, Mapping[str, int]]] = []
    for sentence in _sentences(marked):
        both = before + sentence
        if both and _says(both, enough > _ENOUGH) >= enough:
            return " ".join(marked[max(both[0][1] - 30, 0) : both[-1][1] + 30].split())
        before = sentence
    return None


def _sentences(text: str) -> Iterator[list[tuple[int, int, Mapping[str, int]]]]:
    """The words of each sentence that say something: their number, place and what they say."""
    sentence: list[tuple[int, int, Mapping[str, int]]] = []
    begin = 0
    for number, found in enumerate(_WORD.finditer(_folded(text))):
        word = found.group()
        if not word[0].isalnum() or number - begin >= _SENTENCE:
            yield sentence
            sentence, begin = [], number
        said = _said_by(word) if word[0].isalnum() else None
        if said:
            sentence.append((number, found.start(), said))
    yield sentence


def _says(words: list[tuple[int, int, Mapping[str, int]]], is_data: bool) -> int:
    """How much words say of an order to a judge; 0 where a part of one is missing."""
    at: dict[str, dict[int, Mapping[str, int]]] = defaultdict(dict)
    for number, _, said in words:
        for concept in said:
            at[concept][number] = said
    weights: dict[str, int] = defaultdict(int)
    for concept, places in at.items():
        various = {id(said) for said in places.values()}
        weights[concept] = max(said[concept] for said in places.values()) + (len(various) > 1)
    for one, other, within, says in _PAIRS:
        if any(abs(a - b) <= within for a in at.get(one, ()) for b in at.get(other, ())):
            for concept, weight in says.items():
                weights[concept] = max(weights[concept], weight)
    wanted = weights["favour"] + weights["omit"] + weights["key"]
    wanted += weights["reject"] if weights["pressure"] else 0
    concerned = weights["judge"] + weights["subject"] + weights["role"] + weights["judging"]
    told = (
        weights["pressure"]
        or (weights["omit"] > 2 and weights["prior"])
        or (weights["address"] and (weights["answer"] or weights["omit"]))
    )
    if not wanted or not (concerned or weights["key"] or told):
        return 0
    if is_data and not (weights["favour"] or weights["subject"] or weights["key"]):
        return 0  # a prompt may well tell a model to leave something out
    beside = sum(weights[it] for it in ("authority", "pressure", "address", "answer", "prior"))
    dense = int(len(words) > 2 and len(words) > 0.6 * (words[-1][0] - words[0][0]))
    dense -= concerned == 1  # “this file” alone is no talk of judging
    return wanted + concerned + beside + dense - 2 * weights["elsewhere"]


_SPACED = re.compile(r"(?<![^\W_])(?:[^\W_][^\w\n]{1,4}|[^\W_]_{1,3}){7,200}[^\W_](?![^\W_])")
_GAP = re.compile(r"[\W_]+")
_BYTES = re.compile(r"(?<![\w+/=-])[\w+/-]{20,4000}={0,6}(?![\w+/=-])")
_ESCAPED = re.compile(
    r"(?=%|&#)(?:%[0-9a-fA-F]{2}[^%\n]{0,20}|&#x?[0-9a-fA-F]{2,4};[^&\n]{0,20}){3,400}[^\n\"']{0,100}"
)
_CODES = re.compile(r"(?:(?:0x|0b|0o|\\x|\\u|\\U|U\+|\\)?[0-9a-fA-F]{2,8}[,;\s]{0,2}){8,2000}")
_CODE = re.compile(r"(?:0x|0b|0o|\\x|\\u|\\U|U\+|\\)?([0-9a-fA-F]{2,8})")
_MIXED = re.compile(
    r"(?<![\w@$])(?=[A-Za-z]*[013457@$])(?=[0-9@$]*[A-Za-z])[A-Za-z0-9@$]{3,16}(?![\w@$])"
)
_BROKEN = re.compile(r"(?<![\w-])[A-Za-z]{1,8}(?:[-*~^|][A-Za-z]{1,8}){1,5}(?![\w-])")
_LEET = str.maketrans("013457@$", "oieastas")


def _letter_by_letter(spaced: str) -> str:
    """Words are apart where the gap is not the one between letters."""
    gaps, letters = _GAP.findall(spaced), _GAP.split(spaced)
    usual = max(set(gaps), key=gaps.count)
    return letters[0] + "".join(
        letter if gap == usual else " " + letter
        for gap, letter in zip(gaps, letters[1:], strict=True)
    )


def _from_bytes(word: str) -> str:
    bare = word.rstrip("=").translate(str.maketrans("-_", "+/"))
    for read, step in ((base64.b64decode, 4), (base64.b32decode, 8), (bytes.fromhex, 1)):
        with suppress(binascii.Error, ValueError):
            return read(bare + "=" * (-len(bare) % step)).decode("utf-8")
    return ""


def _from_codes(run: str) -> str:
    codes = _CODE.findall(run)
    for base in (2, 8, 10, 16):
        with suppress(ValueError):
            numbers = [int(code, base) for code in codes]
            if all(9 <= number < 0x3000 for number in numbers):
                return "".join(map(chr, numbers))
    return ""


def _where(pattern: "re.Pattern[str]", decoded: Callable[[str], str]) -> Callable[[str], str]:
    """A reading that puts what stands in a code in place of the code, if it is a text."""

    def put(found: "re.Match[str]") -> str:
        text = decoded(found.group())
        words = _WORD.findall(_folded(in_plain_letters(text)))
        return f" {text} " if text.isprintable() and any(map(_said_by, words)) else found.group()

    return lambda text: pattern.sub(put, text, count=50)


def _throughout(translated: Callable[[str], str]) -> Callable[[str], str]:
    """A reading of a whole text, if a word of an order is only there when it is read so."""
    signs = tuple(translated(sign) for sign in _DATA["signs"])

    def read(text: str) -> str:
        lowered = text.lower()
        return translated(lowered) if any(sign in lowered for sign in signs) else text

    return read


# How a text is written so that only a machine reads it, and how it is read then.
_DISGUISES: Mapping[str, Callable[[str], str]] = {
    "read letter by letter": _where(_SPACED, _letter_by_letter),
    "as base64": _where(_BYTES, _from_bytes),
    "as character codes": _where(_CODES, _from_codes),
    "as escapes": _where(_ESCAPED, lambda run: unescape(unquote(run, errors="replace"))),
    "backwards": _throughout(lambda text: text[::-1]),
    "in rot13": _throughout(lambda text: codecs.encode(text, "rot13")),
    "with digits for letters": _where(_MIXED, lambda word: word.translate(_LEET)),
    "with broken words": _where(_BROKEN, lambda word: _GAP.sub("", word)),
}
