"""What the splitter needs to know of English: where a clause has its verb, and where a sentence
ends.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files

from reviewers.claims.quoting import FILLER

WORD = re.compile(r"[^\s,;:()\[\]{}“”\"«»–—→⇒]+")
_SENTENCE_END = re.compile(r"[.!?]+[\"'”’»)\]*_`]*(?=\s)|[。！？]|[.!?]+[\"'”’»)\]*_`]*$")
_CODE_LIKE = re.compile(rf"[\w{FILLER}]*(?:[_({FILLER}`/]|\.\w)")


@cache
def wording() -> Mapping[str, frozenset[str]]:
    """The word lists of `wording.toml` by their names; `finite` has verbs in their third person."""
    read = tomllib.loads((files(__package__) / "wording.toml").read_text("utf-8"))
    lists = {name: frozenset(listed) for name, listed in read.items()}
    third = frozenset(map(_third_person, lists["base"]))
    return {**lists, "finite": lists["auxiliaries"] | third | lists["past"]}


def _third_person(verb: str) -> str:
    if verb == "have":
        return "has"
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def words(masked: str) -> list[str]:
    """The words of a masked text in lower case, without emphasis marks and end points."""
    return [word.strip("*.!?'’").casefold() for word in WORD.findall(masked)]


def verb_at(masked: str) -> int | None:
    """Where in a masked text the first finite verb starts; None where it has none."""
    listed = words(masked)
    starts = (match.start() for match in WORD.finditer(masked))
    return next((at for index, at in enumerate(starts) if _finite(listed, index)), None)


def starts_with_verb(masked: str) -> bool:
    """Whether a text starts with a finite verb, adverbs before it not counted: "never writes a
    file".
    """
    listed = words(masked[:200])
    known = wording()
    for index, word in enumerate(listed[:4]):
        if word in known["auxiliaries"] or (
            word in known["finite"] and _finite(listed, index, after_subject=True)
        ):
            return True
        if word not in known["adverbs"]:
            return False
    return False


def _finite(listed: list[str], index: int, *, after_subject: bool = False) -> bool:
    known = wording()
    word = listed[index].rsplit("-", 1)[-1]
    if word in known["auxiliaries"]:
        return True
    following = listed[index + 1] if index + 1 < len(listed) else ""
    before = listed[index - 1] if index else ""
    if word in known["plural_nouns"]:
        free = (
            following.strip(FILLER)
            and following not in known["finite"]
            and following not in known["base"]
            and following not in known["after_noun"]
        )
        return bool(free) and (after_subject or (index > 0 and before not in known["before_noun"]))
    if word in known["finite"]:
        return True
    # "type hints use the …": a base form after a plural
    if "both" in listed[:index] and word in known["base"] and following:
        return True
    plural = (
        before.endswith("s")
        and not before.endswith("ss")
        and before not in known["finite"]
        and before not in known["after_noun"]
    )
    return (
        word in known["base"] and bool(following) and (plural or before in known["plural_subjects"])
    )


def begins_with(said: str, phrases: Iterable[str]) -> bool:
    """Whether a text in lower case begins with one of these phrases, a word of joining aside."""
    rest = said.removeprefix("and ").removeprefix("but ").removeprefix("yet ")
    return any(
        each.startswith(phrase) and not each[len(phrase) : len(phrase) + 1].isalnum()
        for each in {said, rest}
        for phrase in phrases
    )


def sentence_ends(masked: str) -> Iterator[int]:
    """Yield the index just after each sentence's end; the text's own end is not among them."""
    known = wording()
    for match in _SENTENCE_END.finditer(masked):
        end = match.end()
        rest = masked[end : end + 60]
        following = rest.lstrip()
        if not following:
            continue
        before = masked[max(0, match.start() - 16) : match.start()]
        last = re.split(r"[\s(\[]", before)[-1].casefold()
        if match.group()[0] == "." and (
            last in known["abbreviations"] or (len(last) == 1 and last.isalpha())
        ):
            continue
        spaces = len(rest) - len(following)
        if following[0].islower() and spaces < 2 and not _CODE_LIKE.match(following):
            continue
        yield end
