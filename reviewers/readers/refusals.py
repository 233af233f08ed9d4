"""Refuses to fill a predicate with the words of a statement that do not support it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from reviewers.readers.accounting import CONFIGS, Account
from reviewers.readers.failing import raises_itself
from reviewers.readers.items import Item

MANIFEST = "pyproject.toml"
IN_CONFIGS = frozenset({"sets", "defines", "uses", "calls", "reads_key", "implements"})
KEYS = frozenset({"sets", "defines", "reads_key"})
_TRACKERS = ("wandb", "summary")
_TRACKING = frozenset({"log", "report"})
_OF_FILES = frozenset({"exists", "parses", "empty"})
_FOUND_OR_NOT = frozenset({"accepts", "bound", "command_line", "composes", "defines", "exists"}) | {
    *("has_key", "library_has", "parses"),
}


@dataclass(frozen=True, slots=True)
class Proposal:
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

    def names(self, *meanings: str, items: Sequence[Item]) -> bool:
        """Whether a thing of one of these kinds is among words."""
        return any(one.meanings.keys() & set(meanings) for one in items)


def _denies_more(way: Proposal) -> bool:
    others = (one for one in way.items if one not in way.verb)
    relations = (each for one in others for each in one.relations(way.account.words))
    return not way.is_denied and any(each.denies and each.name != "go" for each in relations)


def _names_no_argument(way: Proposal) -> bool:
    is_accepted = way.name == "accept" and (bool(way.verb) or not way.is_denied)
    is_told = way.name == "refuse" or "argument" in way.nouns or is_accepted
    return not (is_told or way.has("taking", way.verb))


def _names_no_dependency(way: Proposal) -> bool:
    is_listed = way.name in ("dependency", "undeclared") and not way.has("wishing", way.verb)
    is_there = any(one.meanings.get("file") == MANIFEST for one in way.items)
    return not (is_there or is_listed or "package" in way.nouns)


def _is_loaded_by_nobody(way: Proposal) -> bool:
    is_config = any(one.endswith(CONFIGS[:2]) for one in way.values)
    is_placed = bool(way.actor) or bool(way.account.context.scope)
    return way.kind == "file" and is_config and not is_placed


_ANY = frozenset[str]()
_REFUSALS: Sequence[tuple[frozenset[str], str, Callable[[Proposal], bool]]] = (
    (_ANY, "a denial in it is not understood", _denies_more),
    # What cannot be done may well be tried.
    (
        _ANY,
        "it is not possible, which is not to say that it is not so",
        lambda way: way.has("unable") and way.predicate not in _FOUND_OR_NOT,
    ),
    (
        IN_CONFIGS,
        "which configuration is meant is not said",
        lambda way: way.has("configs", way.actor) and not way.names("file", items=way.actor),
    ),
    (
        frozenset({"sets"}),
        "what is written into the code need not be the key of the configuration",
        lambda way: way.kind == "key" and all(one.entity is None for one in way.objects[:1]),
    ),
    (
        frozenset({"implements"}),
        "what is implemented is not said",
        lambda way: not way.is_denied and (way.name != "implement" or way.kind == "text"),
    ),
    (
        frozenset({"implements"}),
        "a function is there or not",
        lambda way: way.kind == "name" and way.names("callee", items=way.objects[:1]),
    ),
    (frozenset({"accepts"}), "no argument is named", _names_no_argument),
    (
        frozenset({"raises"}),
        "nothing raises it itself",
        lambda way: not raises_itself(way.account),
    ),
    (
        frozenset({"imports"}),
        "it is no module",
        lambda way: (
            way.kind == "file" and way.name != "import" and not way.values[0].endswith(".py")
        ),
    ),
    (
        frozenset({"writes", "reads_file"}),
        "a script is neither read nor written by another one",
        lambda way: any(one.endswith(".py") for one in way.values),
    ),
    (frozenset({"reads_file"}), "who loads it is not said", _is_loaded_by_nobody),
    (frozenset({"declares"}), "no dependency is spoken of", _names_no_dependency),
    (
        frozenset({"logs"}),
        "where it is written is not said",
        lambda way: (
            (way.name not in _TRACKING or way.kind == "measure")
            and not way.has("tracking", way.verb)
            and not way.is_tracked
            and not (way.has("storing", way.verb) and way.names("figure", items=way.objects))
        ),
    ),
)


def refusals(way: Proposal) -> Iterator[str]:
    """Yield why a predicate is not what the words say."""
    for predicates, why, is_so in _REFUSALS:
        if (not predicates or way.predicate in predicates) and is_so(way):
            yield why
