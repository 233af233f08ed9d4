"""What the words of a statement do not support, though a predicate could be filled with them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from reviewers.readers.accounting import CONFIGS, SOFT, Account
from reviewers.readers.failing import raises_itself
from reviewers.readers.items import Item

MANIFEST = "pyproject.toml"
IN_CONFIGS = frozenset({"sets", "defines", "uses", "calls", "reads_key", "implements"})
KEYS = frozenset({"sets", "defines", "reads_key"})
_TRACKERS = ("wandb", "summary")
_OF_FILES = frozenset({"exists", "parses", "empty"})
_FOUND_OR_NOT = frozenset({"accepts", "bound", "command_line", "composes", "defines", "exists"}) | {
    *("has_key", "library_has", "parses"),
}


@dataclass(frozen=True, slots=True)
class Seen:
    """A predicate of one kind of things, before it is filled.

    Attributes:
        account: the words of the statement.
        objects: the things of which it is said; `values` theirs.
    """

    account: Account
    predicate: str
    kind: str
    is_denied: bool
    objects: Sequence[Item]
    values: Sequence[str]

    def has(self, group: str, items: Sequence[Item] | None = None) -> bool:
        """Whether a word of a group of the lexicon stands there."""
        words = self.account.groups[group]
        return any(one.is_in(words) for one in (self.items if items is None else items))

    @property
    def items(self) -> Sequence[Item]:
        return self.account.clause.items

    @property
    def name(self) -> str:
        return self.account.relation.name

    @property
    def verb(self) -> Sequence[Item]:
        verb = self.account.structure.verb
        return [verb] if verb is not None else []

    @property
    def actor(self) -> Sequence[Item]:
        actor = self.account.structure.actor
        return actor.items if actor is not None else []

    @property
    def nouns(self) -> frozenset[str]:
        """The kinds of which the nouns beside names speak."""
        kinds = self.account.words.kinds
        return frozenset[str]().union(*(kinds.get(one.stem, ()) for one in self.items))

    @property
    def is_tracked(self) -> bool:
        """Whether it speaks of where metrics are tracked."""
        return any(word in one.text.lower() for one in self.items for word in _TRACKERS)

    def does(self, *meanings: str, items: Sequence[Item]) -> bool:
        """Whether a thing of one of these kinds is among words."""
        return any(one.meanings.keys() & set(meanings) for one in items)


def _denies_more(seen: Seen) -> bool:
    relations = (each for one in seen.items for each in one.relations(seen.account.words))
    return not seen.is_denied and any(each.denies and each.name != "go" for each in relations)


def _names_no_argument(seen: Seen) -> bool:
    is_accepted = seen.name == "accept" and (bool(seen.verb) or not seen.is_denied)
    is_told = seen.name == "refuse" or "argument" in seen.nouns or is_accepted
    return not (is_told or seen.has("taking", seen.verb))


def _names_no_dependency(seen: Seen) -> bool:
    is_listed = seen.name == "dependency" and not seen.has("wishing", seen.verb)
    is_there = any(one.meanings.get("file") == MANIFEST for one in seen.items)
    return not (is_there or is_listed or "package" in seen.nouns)


def _is_loaded_by_nobody(seen: Seen) -> bool:
    is_config = any(one.endswith(CONFIGS[:2]) for one in seen.values)
    is_placed = bool(seen.actor) or bool(seen.account.context.scope)
    return seen.kind == "file" and is_config and not is_placed


_ANY = frozenset[str]()
_REFUSALS: Sequence[tuple[frozenset[str], str, Callable[[Seen], bool]]] = (
    (_ANY, "a denial in it is not understood", _denies_more),
    # What cannot be done may well be tried.
    (
        _ANY,
        "it is not possible, which is not to say that it is not so",
        lambda seen: seen.has("unable") and seen.predicate not in _FOUND_OR_NOT,
    ),
    (
        IN_CONFIGS,
        "which configuration is meant is not said",
        lambda seen: seen.has("configs", seen.actor) and not seen.does("file", items=seen.actor),
    ),
    (
        frozenset({"has_key"}),
        "which configuration is meant is not said",
        lambda seen: (
            seen.name != "nest"
            and seen.does("library", items=seen.actor)
            and not seen.does("file", items=seen.actor)
        ),
    ),
    (
        KEYS,
        "what is in the configuration is a key",
        lambda seen: (
            seen.kind == "name" and seen.does("key", items=seen.objects[:1]) and seen.has("configs")
        ),
    ),
    (
        frozenset({"implements"}),
        "what is implemented is not said",
        lambda seen: not seen.is_denied and (seen.name != "implement" or seen.kind == "text"),
    ),
    (
        frozenset({"implements"}),
        "a function is there or not",
        lambda seen: seen.kind == "name" and seen.does("callee", items=seen.objects[:1]),
    ),
    (frozenset({"accepts"}), "no argument is named", _names_no_argument),
    (
        frozenset({"library_has"}),
        "it is the name of the library itself",
        lambda seen: bool(seen.actor) or all("." not in one for one in seen.values),
    ),
    (
        frozenset({"raises"}),
        "nothing raises it itself",
        lambda seen: not raises_itself(seen.account),
    ),
    (frozenset({"sound"}), "what is wrong is not said", lambda seen: seen.is_denied),
    (
        frozenset({"imports"}),
        "it is no module",
        lambda seen: (
            seen.kind == "file" and seen.name != "import" and not seen.values[0].endswith(".py")
        ),
    ),
    (
        frozenset({"writes", "reads_file"}),
        "a script is neither read nor written by another one",
        lambda seen: any(one.endswith(".py") for one in seen.values),
    ),
    (frozenset({"reads_file"}), "who loads it is not said", _is_loaded_by_nobody),
    (frozenset({"declares"}), "no dependency is spoken of", _names_no_dependency),
    (
        frozenset({"logs"}),
        "where it is written is not said",
        lambda seen: seen.name == "write" and not seen.is_tracked,
    ),
    (
        _OF_FILES,
        "who does it is no object of it",
        lambda seen: seen.kind == "file" and any(one.meanings.keys() - SOFT for one in seen.actor),
    ),
)


def refusals(seen: Seen) -> Iterator[str]:
    """Yield why a predicate is not what the words say."""
    for predicates, why, is_so in _REFUSALS:
        if (not predicates or seen.predicate in predicates) and is_so(seen):
            yield why
