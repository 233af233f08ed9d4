"""Refuses to fill a predicate with the words of a statement that do not support it."""

from collections.abc import Iterator, Sequence

from reviewers.readers.accounting import CONFIGS, Account
from reviewers.readers.failing import raises_itself
from reviewers.readers.items import Item

MANIFEST = "pyproject.toml"
IN_CONFIGS = frozenset({"sets", "defines", "uses", "calls", "reads_key", "implements"})
KEYS = frozenset({"sets", "defines", "reads_key"})
_TRACKERS = ("wandb", "summary")
_FOUND_OR_NOT = frozenset({"accepts", "bound", "command_line", "composes", "defines", "exists"}) | {
    *("has_key", "library_has", "parses"),
}


def refusals(
    way: Account, predicate: str, kind: str, things: Sequence[Item], values: Sequence[str]
) -> Iterator[tuple[str, bool]]:
    """Yield each reason for which a predicate may not be what the words say, and whether it holds.

    Args:
        kind: for which things of the statement are taken.
        things: those of which it is said; `values` theirs.
    """
    structure, actor = way.structure, way.structure.actor
    if predicate in IN_CONFIGS and actor is not None:
        is_config = any(one.is_in(way.groups["configs"]) for one in actor.items)
        is_named = any("file" in one.meanings for one in actor.items)
        yield "which configuration is meant is not said", is_config and not is_named
    for one in way.clause.items:
        # What cannot be done may well be tried.
        is_unable = one.is_in(way.groups["unable"]) and predicate not in _FOUND_OR_NOT
        yield "it is not possible, which is not to say that it is not so", is_unable
    first = things[:1]
    match predicate:
        case "sets":
            is_written = all(one.entity is None for one in first)
            why = "what is written into the code need not be the key of the configuration"
            yield why, kind == "key" and is_written
        case "implements":
            is_callee = kind == "name" and any("callee" in one.meanings for one in first)
            yield "a function is there or not", is_callee
        case "raises":
            yield "nothing raises it itself", not raises_itself(way)
        case "imports":
            is_module = kind != "file" or values[0].endswith(".py")
            yield "it is no module", not is_module and way.relation.name != "import"
        case "writes" | "reads_file":
            is_script = any(one.endswith(".py") for one in values)
            yield "a script is neither read nor written by another one", is_script
            is_config = predicate == "reads_file" and values[0].endswith(CONFIGS[:2])
            yield "who loads it is not said", is_config and structure.actor is None


def refusals_of_denials(
    way: Account, predicate: str, kind: str, things: Sequence[Item], *, is_denied: bool
) -> Iterator[tuple[str, bool]]:
    """Yield the same of what depends on the nouns that a statement has, and on what it denies."""
    items, name, verb = way.clause.items, way.relation.name, way.structure.verb
    nouns = frozenset[str]().union(*(way.words.kinds.get(one.stem, ()) for one in items))
    others = [each for one in items if one is not verb for each in one.relations(way.words)]
    is_lost = not is_denied and any(one.denies and one.name != "go" for one in others)
    yield "a denial in it is not understood", is_lost
    match predicate:
        case "implements":
            is_told = is_denied or (name == "implement" and kind != "text")
            yield "what is implemented is not said", not is_told
        case "accepts":
            is_accepted = name == "accept" and (verb is not None or not is_denied)
            is_told = name == "refuse" or "argument" in nouns or is_accepted
            yield "no argument is named", not is_told
        case "declares":
            is_there = any(one.meanings.get("file") == MANIFEST for one in items)
            is_told = is_there or name in ("dependency", "undeclared") or "package" in nouns
            yield "no dependency is spoken of", not is_told
        case "logs":
            is_told = name in ("log", "report") and kind != "measure"
            is_told |= any(word in one.text.lower() for one in items for word in _TRACKERS)
            is_told |= verb is not None and verb.is_in(way.groups["tracking"])
            is_drawn = any("figure" in one.meanings for one in things)
            is_told |= is_drawn and verb is not None and verb.is_in(way.groups["storing"])
            yield "where it is written is not said", not is_told
