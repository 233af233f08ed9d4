"""A claim's words with what they may stand for in a submission."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reviewers.readers.lexicon import Lexicon, Relation
from reviewers.readers.linking import WELL_KNOWN, Entity, SymbolTable, entity
from reviewers.readers.words import Token, stem, unfolded

LISTING = frozenset({",", "and", "or", "nor", "/", "&", "plus"})
_PLAIN = frozenset({"word", "stop", "name", "pair"})
_SPELT = frozenset({"name", "pair", "quoted"})
_WHICH = frozenset({"that", "which", "to", "for", "but", "except"})  # "no code that does x"
_NO_PACKAGES = frozenset({"key", "definition", "file"})
_MANIFEST = "pyproject.toml"
_DEPENDENCY = stem("dependency")
_ALSO_VERBS = frozenset({"activity", "command", "type", "figure", "what", "metric"})


@dataclass(slots=True, eq=False)
class Item:
    """A word, a name or a sign of a claim.

    Attributes:
        text: as it stands there.
        stem: of a word; else its text.
        kind: of the token (`words.Token`).
        meanings: what it may stand for, by kind of thing; empty for a word.
        entity: the name, with a call's arguments.
    """

    text: str
    stem: str
    kind: str
    meanings: Mapping[str, str] = field(default_factory=dict)
    entity: Entity | None = None

    def is_in(self, group: frozenset[str]) -> bool:
        """Whether it is a word of a group of the lexicon."""
        return self.kind == "word" and not self.meanings and self.stem in group

    def relations(self, words: Lexicon) -> Sequence[Relation]:
        """What it may relate."""
        if self.kind != "word" or self.meanings.keys() - _ALSO_VERBS:
            return ()
        return words.relations.get(self.stem, ())

    def is_unknown(self, words: Lexicon) -> bool:
        """Whether it is a word of which nothing is known."""
        return (
            self.kind == "word"
            and not self.meanings
            and not words.knows(self.stem)
            and not (self.text.lower().endswith("ly") and self.stem not in words.groups["changing"])
        )


@dataclass(slots=True)
class Clause:
    """A statement's words.

    Attributes:
        joined: how it hangs on the one before: `and`, `but`, `though`, `instead`, `detail`,
            `effect`, `cause`.
        when: the words of a condition under which it holds, or what else only narrows it.
        restricts: whether it tells which thing the one before speaks of.
        is_granted: whether a claim admits it, and objects with the rest: "x is there, but …".
    """

    items: list[Item]
    joined: str = ""
    when: list[Item] = field(default_factory=list)
    restricts: bool = False
    is_granted: bool = False

    @property
    def is_narrowed(self) -> bool:
        """Whether it holds only under a condition; a purpose is none."""
        return bool(self.when) and self.when[0].stem != "to"

    @property
    def adds(self) -> bool:
        """Whether it stands beside the one before, as one more statement."""
        return self.joined in ("and", "but", "though", "instead", "detail")


def items_of(found: Sequence[Token], table: SymbolTable, words: Lexicon) -> list[Item]:
    """A claim's words, nouns of several words as one, names with what they mean here."""
    folders = frozenset(path.partition("/")[0] for path in table.files if "/" in path)
    found = list(unfolded(found, folders))
    names = table.aliases.keys() - {name.lower() for name in table.aliases}
    items: list[Item] = []
    at = 0
    while at < len(found):
        token = found[at]
        if token.text == "None" and at:
            items.append(Item("None", "None", "name", {"type": "None"}))
            at += 1
            continue
        for count in range(min(words.longest, len(found) - at), 0, -1):
            some = found[at : at + count]
            stems = tuple(stem(one.text) if one.kind in _SPELT else one.stem for one in some)
            text = " ".join(one.text for one in some)
            goes_on = bool(found[at + count :]) and found[at + count].text.lower() in _WHICH
            if stems in words.idioms and not (words.idioms[stems] == "empty" and goes_on):
                items.append(Item(text, stem(words.idioms[stems]), "word"))
            elif stems in words.nouns and all(
                (one.kind in _PLAIN or (count > 1 and one.kind == "quoted"))
                and one.text not in names
                for one in some
            ):
                meanings = words.nouns[stems]
                figure = {"figure": "*"} if "per" in meanings else {}
                items.append(Item(text, " ".join(stems), "word", {**meanings, **figure}))
            else:
                continue
            at += count
            break
        else:
            items.append(_item(token, table, words))
            at += 1
    _by_company(items, table, words)
    return items


def _item(token: Token, table: SymbolTable, words: Lexicon) -> Item:
    is_word = token.kind == "word" and token.text.lower() not in WELL_KNOWN
    if is_word and words.knows(token.stem):
        return Item(token.text, token.stem, token.kind)
    thing = entity(token, table) if token.kind != "stop" else None
    meanings = thing.meanings if thing else {}
    return Item(token.text, token.stem, token.kind, dict(meanings), thing)


def _by_company(items: list[Item], table: SymbolTable, words: Lexicon) -> None:
    """What a word is by those beside it: a section, a package, a part of a run's name, or a part of
    the method, where it is written as no English word is.
    """
    has_packages = any(
        item.meanings.get("file") == _MANIFEST or item.stem == _DEPENDENCY for item in items
    )
    has_section = any("section" in item.meanings for item in items)
    for item, after in zip(items, [*items[1:], None], strict=False):
        if has_packages and "name" in item.meanings and not item.meanings.keys() & _NO_PACKAGES:
            item.meanings = {"package": item.text.lower()}
        if item.kind != "word":
            continue
        if after is not None and after.is_in(words.groups["sections"]):
            is_name = item.text.lower() in table.all_keys or not words.knows(item.stem)
            if is_name and (not after.text.endswith("s") or after.stem == "section"):
                item.meanings = {**item.meanings, "key": item.text}
        if after is not None and "figure" in item.meanings and "file" in after.meanings:
            after.meanings = {}  # "a bar chart PDF"
        has_section |= item.is_in(words.groups["sections"]) and item.text.endswith("s")
        if has_section and item.text in table.all_keys and "section" not in item.meanings:
            item.meanings, item.kind = {"key": item.text}, "name"  # "sections (model, training)"
        if item.meanings or words.knows(item.stem):
            continue
        part = item.text.lower().removesuffix("'s")
        is_run = after is not None and bool(
            after.stem in ("run", "experiment") or after.meanings.keys() & {"where", "runs"}
        )
        if is_run and len(part) > 2 and any(part in run.lower() for run in table.runs):
            item.meanings = {"run": f"*{item.text[: len(part)]}*"}
        elif has_packages:
            item.meanings = {"package": part}
        elif _is_odd(item.text):
            item.meanings = {"component": item.text, "name": item.text}
        if place := table.class_called(item.text):
            item.meanings = {**item.meanings, "owner": place}


def _is_odd(text: str) -> bool:
    """Whether a word is written as no English word is."""
    return any(sign.isupper() or sign.isdigit() for sign in text[1:]) and text != text.upper()
