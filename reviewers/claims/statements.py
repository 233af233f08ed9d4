"""Plain statements about code taken apart: who does what to which piece of code, and which words
are left to be explained.
"""

import re
import tomllib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, lru_cache
from importlib.resources import files

from reviewers.claims.quoting import quotes
from reviewers.claims.subjects import find_file

_LONGEST = 600
_LONGEST_CALL = 200
_OPENING = re.compile(r"(?<![\w.])[A-Za-z_][\w.]*\((?!e?s\))")
_FURTHER = re.compile(r"\.\w+\(?")
_TOKEN = re.compile(
    r"(?P<path>(?:[\w.-]+/){0,4}[\w-]+\.(?:py|ya?ml|toml|json)\b(?![\w/(]))|"
    r"(?P<call>[A-Za-z_][\w.]*\((?!e?s\))(?:[^()\n]|\([^()\n]*\)){0,200}\))|"
    r"(?P<part>[A-Za-z_][\w.]*\[[^\[\]\n]{1,40}\](?:\.\w+(?:\([^()\n]*\))?)*)|"
    r"(?P<given>[A-Za-z_][\w.]*\s?=\s?(?:[\w.+-]*\w|\"[^\"]*\"|'[^']*'))|"
    r"(?P<tuple>\((?:\s*[A-Za-z_][\w.]*(?:\([^()]*\))?\s*,){1,9}\s*[A-Za-z_][\w.]*(?:\([^()]*\))?\s*\))|"
    r"(?P<value>-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w%])|\b(?:True|False|None)\b)|"
    r"(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?P<apart>['’-][\w'’-]+)?|"
    r"(?P<stop>[,;:()/=⇒→–—])"
)
_JUDGEMENT = re.compile(
    r"[,;–—-]?\s*\(?\b(?:thereby |thus |again )?(?:violating|contradicting|breaching|contrary to|in"
    r" violation of|"
    r"as (?:explicitly )?(?:required|requested|"
    r"demanded|specified|mandated))\b[^.;]*[.\s)]*$",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"\([^()]*\b(?:reqs?|requirements?|criteri(?:on|a)|core|spec(?:ification)?)\b[^()]*\)",
    re.IGNORECASE,
)
_NOTE = re.compile(r"\((?:note|dummy|huge|see|cf\.?|rough)\b[^()]*\)", re.IGNORECASE)


class Form(StrEnum):
    """How a verb stands in its clause."""

    ACTIVE = "active"
    PASSIVE = "passive"
    PARTICIPLE = "participle"


@dataclass(frozen=True, slots=True)
class Item:
    """One word, or one thing that only code has."""

    kind: str
    text: str


@dataclass(slots=True)
class Statement:
    """What one verb says.

    Attributes:
        subject: the things before the verb; of a passive verb what is done to.
        objects: the things after it.
        words: every other word of the clause, the verb left out.
        links: for each object the words just before it.
        opening: how many of the words stand before the verb.
        purpose: whether it only says what for: "uses x to fetch y".
    """

    relation: str
    form: Form
    denied: bool
    subject: tuple[Item, ...]
    objects: list[Item] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    opening: int = 0
    purpose: bool = False


@dataclass(frozen=True, slots=True)
class Thing:
    """What plain words mean in code; see `relations.toml`."""

    said: re.Pattern[str]
    calls: tuple[str, ...]
    needs: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Words:
    """The lists of `relations.toml`; verbs by each of their forms."""

    finite: dict[str, str]
    participles: dict[str, str]
    going: dict[str, str]
    auxiliaries: frozenset[str]
    light: frozenset[str]
    boundaries: frozenset[str]
    denials: frozenset[str]
    filler: frozenset[str]
    weighty: frozenset[str]
    of_config: frozenset[str]
    things: tuple[Thing, ...]


_IRREGULAR = {
    "build": "built", "run": "run", "read": "read", "write": "written", "set": "set",
    "overwrite": "overwritten",
    "override": "overridden", "give": "given", "feed": "fed", "send": "sent", "take": "taken",
    "throw": "thrown", "have": "had",
    "catch": "caught",
}  # fmt: skip
_HELPING = ("to", "not", "never", "both")
_DOUBLED = frozenset(["run", "set", "log", "clip", "wrap"])


@cache
def known() -> Words:
    """Read the lists once."""
    lists = tomllib.loads((files(__package__) / "relations.toml").read_text("utf-8"))
    finite: dict[str, str] = {}
    participles: dict[str, str] = {}
    going: dict[str, str] = {}
    for relation, verbs in lists["verbs"].items():
        for verb in verbs:
            stem = (
                verb[:-1] if verb.endswith("e") else verb + verb[-1] if verb in _DOUBLED else verb
            )
            third = (
                "has"
                if verb == "have"
                else verb + "es"
                if verb.endswith(("s", "sh", "ch", "x"))
                else verb + "s"
            )
            if verb.endswith("y"):
                third = verb[:-1] + "ies"
            past = _IRREGULAR.get(verb, (verb[:-1] + "ied") if verb.endswith("y") else stem + "ed")
            finite |= {third: relation, verb: relation}
            participles[past] = relation
            going[stem + "ing"] = relation
    words = {name: frozenset(listed) for name, listed in lists["words"].items()}
    things = tuple(
        Thing(re.compile(thing["said"]), tuple(thing["calls"]), re.compile(thing["needs"]))
        for thing in lists["things"].values()
    )
    return Words(finite, participles, going, things=things, **words)


@lru_cache(maxsize=500)
def read(text: str, paths: tuple[str, ...], names: frozenset[str]) -> tuple[Statement, ...]:
    """What each verb of a claim says; empty for a claim without a verb that is known.

    Args:
        paths: every path of the submission.
        names: identifiers that the claim has.
    """
    return tuple(statements(items(text, paths, names)))


def items(text: str, paths: Collection[str], names: Collection[str]) -> list[Item]:
    """Cut a claim into words and the things that only code has.

    Args:
        names: identifiers that the claim has.
    """
    text = _NOTE.sub(" ", _REMARK.sub(" ", text[:_LONGEST]))
    text = _JUDGEMENT.sub("", text) or text
    found: list[Item] = []
    position = 0
    ends = quotes(text)
    spans = {
        **ends,
        **{
            start: end
            for start, end in _chains(text)
            if not any(a < start < b for a, b in ends.items())
        },
    }
    for start, end in sorted(spans.items()):
        if start < position:
            continue
        found += _plain(text[position:start], paths, names)
        if start not in ends:
            found.append(Item("code", text[start : end + 1]))
            position = end + 1
            continue
        inside = text[start : end + 1].strip("`") if text[start] == "`" else text[start + 1 : end]
        found.append(_quoted(inside.strip(), paths, text[start] == "`"))
        position = end + 1
    return found + list(_plain(text[position:], paths, names))


def _chains(text: str) -> Iterator[tuple[int, int]]:
    """First and last place of every call with a quote or a call in its brackets, and of what
    follows it after a dot.
    """
    position = 0
    while match := _OPENING.search(text, position):
        end = _closing(text, match.end() - 1)
        while end is not None and (further := _FURTHER.match(text, end + 1)):
            end = (
                _closing(text, further.end() - 1)
                if further.group().endswith("(")
                else further.end() - 1
            )
        position = match.end() if end is None else end + 1
        if end is not None and re.search(r"[\"'(]", text[match.end() : end]):
            yield match.start(), end


def _closing(text: str, opening: int) -> int | None:
    depth = 0
    for place in range(opening, min(len(text), opening + _LONGEST_CALL)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return None


def _quoted(inside: str, paths: Collection[str], is_code: bool) -> Item:
    path = _file(inside, paths)
    if path is not None:
        return Item("file", path)
    return Item("code" if is_code else "text", inside)


def _file(text: str, paths: Collection[str]) -> str | None:
    if re.fullmatch(r"src\.\w+", text) and f"src/{text[4:]}.py" in paths:
        return f"src/{text[4:]}.py"
    return find_file(text, paths) if "." in text else None


def _plain(text: str, paths: Collection[str], names: Collection[str]) -> Iterator[Item]:
    for match in _TOKEN.finditer(text.replace("*", " ")):
        kind, words = str(match.lastgroup), match.group()
        if kind in ("apart", "name"):
            kind, words = "name", match["name"]
            if path := _file(words, paths):
                yield Item("file", path)
            elif words in names or "_" in words.strip("_"):
                yield Item("code", words)
            else:
                yield Item("word", match.group().casefold().replace("’", "'"))
        elif kind == "path":
            present = find_file(words, paths)
            yield Item("file", present) if present else Item("text", words)
        elif kind in ("call", "part", "given", "tuple"):
            yield Item("code", words)
        else:
            yield Item(kind, words)


def statements(found: Sequence[Item]) -> list[Statement]:
    """What each verb of a claim says.

    The subject is what stands before the verb in its own part of the sentence, else that of the
    verb before.
    """
    lists = known()
    read: list[Statement] = []
    things: list[Item] = []
    words: list[str] = []
    link: list[str] = []
    broken = False
    denied = False
    for number, item in enumerate(found):
        if item.kind == "stop":
            broken = broken or item.text in ",;:⇒→–—"
            link += ["="] if item.text == "=" else []
            continue
        if item.kind != "word":
            if broken and read:
                things.append(item)
            elif read:
                read[-1].objects.append(item)
                read[-1].links.append(" ".join(link))
            else:
                things.append(item)
            link = []
            continue
        relation, form = _verb(found, number)
        runs_on = bool(read) and not broken and not things and form is not Form.PARTICIPLE
        if relation is None or (runs_on and not _continues(found, number)):
            if item.text in lists.boundaries:
                broken = broken or bool(read)
            denied = denied or item.text in lists.denials or item.text.endswith("n't")
            words.append(item.text)
            link.append(item.text)
            if read and not broken:
                read[-1].words.append(item.text)
                words.clear()
            continue
        subject = tuple(things) or (read[-1].subject if read else ())
        if read and not things and "which" in words:
            subject = tuple(read[-1].objects[-1:]) or subject
        purpose = (
            bool(read)
            and _is_word(found, number - 1, "to")
            and not (number > 1 and found[number - 2].text in lists.light)
        )
        read.append(
            Statement(
                relation, form, denied, subject, words=[*words], opening=len(words), purpose=purpose
            )
        )
        things, words, link, broken, denied = [], [], [], False, False
    if not read:
        return []
    if (
        things
    ):  # what a boundary cut off without a verb of its own is a further object: "sets a, b and c"
        read[-1].objects += things
        read[-1].links += ["and"] * len(things)
    read[-1].words += words
    return read


def _is_word(found: Sequence[Item], number: int, word: str) -> bool:
    return number >= 0 and found[number].kind == "word" and found[number].text == word


def _continues(found: Sequence[Item], number: int) -> bool:
    before = found[number - 1] if number else None
    return before is None or (
        before.kind == "word" and (before.text == "to" or before.text in known().light)
    )


def _verb(found: Sequence[Item], number: int) -> tuple[str | None, Form]:
    lists = known()
    word = found[number].text
    back = [item.text for item in found[max(0, number - 4) : number] if item.kind == "word"]
    following = found[number + 1] if number + 1 < len(found) else None
    if word in lists.participles and set(back[-3:]) & lists.auxiliaries:
        return lists.participles[word], Form.PASSIVE
    if word in lists.finite:
        base = not word.endswith("s")
        helped = bool(back) and (
            back[-1] in _HELPING or back[-1] in lists.light or back[-1].endswith("n't")
        )
        before = found[number - 1] if number else None
        if base and not helped and (before is None or before.kind not in ("code", "file")):
            return None, Form.ACTIVE
        if (
            not base
            and back
            and back[-1] in ("the", "a", "an", "of", "these", "those", "all", "any", "its", "no")
        ):
            return None, Form.ACTIVE
        return lists.finite[word], Form.ACTIVE
    if word in lists.going and (
        not back or back[-1] in ("without", "by", "of", "while", "and", "is", "for") or number == 0
    ):
        return lists.going[word], Form.ACTIVE
    if (
        word in lists.participles
        and following is not None
        and number
        and found[number - 1].kind in ("code", "file")
    ):
        return lists.participles[word], Form.PARTICIPLE
    return None, Form.ACTIVE
