"""A claim cut into the statements that it makes."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from reviewers.readers.items import Clause, Item
from reviewers.readers.lexicon import Lexicon
from reviewers.readers.sentence import has_verb, states

_OPENING = frozenset({":", "–", "—"})  # what comes says more of what was said
_ENDS = _OPENING | {";", "."}


def clauses_of(items: Sequence[Item], words: Lexicon) -> list[Clause]:
    """Cut where words join statements, and where behind a comma or an "and" a new one begins."""
    kept: list[Clause] = []
    for clause in _cut(_without_apposition(items, words), words):
        is_error = any("error" in one.meanings for one in clause.items)
        if clause.joined == "cause" and kept and is_error and not states(clause.items, words):
            kept[-1].items += clause.items  # "crashes due to an x"
        elif clause.joined == "instead" and kept and clause.items:
            kept.append(_left_undone(clause))
        elif clause.joined != "drop" and any(one.kind != "stop" for one in clause.items):
            kept += _parted(clause, words)
    return kept


def _without_apposition(items: Sequence[Item], words: Lexicon) -> Sequence[Item]:
    """The words without what is said of a subject in passing: "x, the only key of y, is unread",
    "x, which y imports, is unread".
    """
    helping = words.groups["auxiliaries"] | words.groups["negations"]
    commas = [at for at, one in enumerate(items[:-1]) if one.text == ","]
    for start, end in pairwise(commas):
        first = items[start + 1]
        opens = first.is_in(words.groups["passing"]) or first.text.lower() in ("which", "as")
        if start and opens and items[end + 1].is_in(helping) and not has_verb(items[:start], words):
            return [*items[:start], *items[end + 1 :]]
    return items


def _cut(items: Sequence[Item], words: Lexicon) -> list[Clause]:
    found = [Clause([])]
    for at, item in enumerate(items):
        here, joined = found[-1].items, _joined(found[-1].items, items[at:], words)
        if joined == "effect" and here and "join" in item.meanings and not _leads_on(here, words):
            if words.relations.get(item.stem):
                here.append(Item(item.text, item.stem, "word"))  # a verb like others: "makes"
        elif joined:
            if joined == "but":
                for one in found:
                    one.is_granted = True
            opening = [item] if item.text == "nor" else []
            found.append(Clause(opening, joined, [], item.stem == "that", joined == "though"))
        else:
            here.append(item)
    return found


def _left_undone(clause: Clause) -> Clause:
    """What is said not to be done where something else is done instead: "instead of loading x"."""
    first, *rest = clause.items
    clause.items = [Item("not", "not", "word"), first, *rest]
    return clause


def _joined(here: Sequence[Item], rest: Sequence[Item], words: Lexicon) -> str:
    """How what follows hangs on what stands there, where a word joins them; else empty."""
    item, after = rest[0], rest[1] if len(rest) > 1 else None
    if "join" in item.meanings:
        return item.meanings["join"]
    if item.stem == "as" and not here:
        return "cause"
    if item.is_in(words.groups["contrasts"]):
        return "but"
    if item.is_in(words.groups["parallels"]):
        return "and"
    if item.is_in(words.groups["grants"]):
        return "though"
    if item.text in _ENDS and not (after is not None and "number" in after.meanings):
        return "detail" if item.text in _OPENING else "and"
    if item.text == "nor" and after is not None and not after.meanings and after.relations(words):
        return "and" if states(here, words) else ""
    is_list = item.text == "or" and not has_verb(here, words)  # "no x or y"
    if item.text in (",", "and", "or") and not is_list and _starts_anew(here, rest[1:], words):
        return "and"
    is_relative = item.stem == "that" and here and here[-1].stem not in words.groups["saying"]
    helping = words.groups["auxiliaries"] | words.groups["negations"]
    if is_relative and after is not None and after.is_in(helping) and states(here, words):
        return "effect"
    return ""


def _leads_on(here: Sequence[Item], words: Lexicon) -> bool:
    """Whether what stands there is a statement that may have an effect."""
    helping = words.groups["auxiliaries"] | words.groups["negations"]
    return (not here[-1].is_in(helping) and states(here, words)) or any(
        "error" in one.meanings for one in here
    )


def _parted(clause: Clause, words: Lexicon) -> list[Clause]:
    """A clause without the condition under which it holds; what it is said to lack first is the
    cause of the rest: "without x.py training fails".
    """
    items = clause.items
    if items[0].is_in(words.groups["conditions"]):
        end = next((at for at, item in enumerate(items) if item.text == ","), len(items))
        clause.items, clause.when = items[end + 1 :], items[:end]
        return [clause] if clause.items else []
    if items[0].stem == "without":
        end = next((at for at, item in enumerate(items) if item.meanings), len(items)) + 1
        effect = Clause(items[end:], "effect")
        _set_apart(effect, words)
        return [Clause(items[:end], clause.joined), effect]
    _set_apart(clause, words)
    return [clause]


def _starts_anew(before: Sequence[Item], rest: Sequence[Item], words: Lexicon) -> bool:
    """Whether statements stand on both sides, and no list."""
    if rest and rest[0].is_in(words.groups["negations"]) and any(one.meanings for one in before):
        ahead = _up_to_end(rest)
        says = any(one.meanings or one.relations(words) for one in ahead)
        return says and any(one.relations(words) for one in before)
    if before and rest and before[-1].meanings.keys() & rest[0].meanings.keys():
        helping = words.groups["auxiliaries"] | words.groups["negations"]
        if len(rest) < 2 or not rest[1].is_in(helping):
            return False
    return states(before, words) and states(_up_to_end(rest), words)


def _up_to_end(rest: Sequence[Item]) -> list[Item]:
    ahead: list[Item] = []
    for item in rest:
        if ahead and (item.text in _ENDS or item.text in (",", "and") or "join" in item.meanings):
            break
        ahead.append(item)
    return ahead


def _set_apart(clause: Clause, words: Lexicon) -> None:
    """Take from a statement what only says when, in spite of what or what for."""
    items = clause.items
    for at, item in enumerate(items):
        is_failure = any("error" in one.meanings for one in items[:at])  # "an error when …"
        if not at or not (is_failure or states(items[:at], words)):
            continue
        is_purpose = (
            item.stem == "to"
            and item.kind == "word"
            and at + 1 < len(items)
            and bool(items[at + 1].relations(words))
            and not items[at + 1].text.endswith("ed")
            and any(one.meanings for one in items[:at])
        )
        is_condition = item.is_in(words.groups["conditions"])
        is_condition &= not items[at - 1].is_in(words.groups["auxiliaries"])  # "is given x"
        if is_condition or is_purpose:
            at -= items[at - 1].is_in(words.groups["only"])  # "only after"
            clause.items, clause.when = items[:at], items[at:]
            return


def is_demand(items: Iterable[Item], words: Lexicon) -> bool:
    """Whether a clause says what is asked for, and not what is so."""
    groups = words.groups
    is_asker = False
    for item in items:
        if item.is_in(groups["demands"]):
            return True
        if item.is_in(groups["asking"]) and is_asker and not item.text.endswith("ed"):
            return True
        if item.is_in(groups["prepositions"]):
            return False
        is_asker |= item.is_in(groups["askers"])
    return False
