"""Reading a claim without a model: by what its names mean here, and what relates them.

A claim is cut where its words join statements (`items`); each statement is searched for every
predicate that its words allow (`statements`). What explains the most words counts; what explains
about as many is carried beside it. A statement that is not read stays an open part, and does not
keep the others from being read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, product

from reviewers.propositions import InvalidReading, parse
from reviewers.readers.accounting import Candidate, Context, Json
from reviewers.readers.canonical import meant
from reviewers.readers.clauses import clauses_of, is_demand
from reviewers.readers.items import Clause, Item, items_of
from reviewers.readers.lexicon import Lexicon, lexicon
from reviewers.readers.linking import SymbolTable
from reviewers.readers.reading import Reading
from reviewers.readers.sentence import begins_with_subject
from reviewers.readers.statements import candidates
from reviewers.readers.words import Token, tokens

READER = "offline"
_MOST_WORDS = 90  # of a claim
_MOST_MEANINGS = 8
_LONGEST_SHOWN = 400
_WITHOUT_OBJECT = frozenset({"exist", "fail", "go"})
_NAMED = frozenset({"activity", "figure", "measure", "metric"})
_TELLING = frozenset({"error", "callee", "definition", "file", "key"})
_REFUTING = frozenset({"instead", "but", "cause", "detail"})  # what refutes a claim by itself
_MARGIN = 0.5  # of two scores that are as good as one


def read(claim: str, table: SymbolTable, *, scope: str = "") -> Reading:
    """The proposition that a claim states; none where no statement of it is understood.

    Args:
        scope: the file or `file::name` that the reviewer gave as its place.
    """
    return _read_claim(claim, Context(table, lexicon()), scope)


def read_all(
    claims: Sequence[str], table: SymbolTable, scopes: Sequence[str] = ()
) -> list[Reading]:
    """The readings of a review's claims, which stand in one order: what one leaves unsaid, the one
    before has said, if it stands under the same headings.

    Args:
        scopes: the place of each claim, as its reviewer gave it, or the headings above it, a line
            each, nearest first; empty for none.
    """
    context = Context(table, lexicon())
    given = [*scopes, *[""] * (len(claims) - len(scopes))]
    readings, above = [], ""
    for claim, place in zip(claims, given, strict=True):
        if place != above:
            context.scope, above = "", place
        readings.append(_read_claim(claim, context, place))
    return readings


def has_subject(statement: str, table: SymbolTable) -> bool:
    """Whether a statement names who does it, and does not go on with the one before."""
    words = lexicon()
    return begins_with_subject(items_of(tokens(statement), table, words), words)


def _read_claim(claim: str, context: Context, scope: str) -> Reading:
    if (told := meant(claim)) is not None:
        return Reading(reader=READER, proposition=told)
    found = tokens(claim)
    if len(found) > _MOST_WORDS:
        return Reading(reader=READER, why_not="it is too long to be one statement")
    before = replace(context)
    kept = _without_asides(found, context.words)
    if any(one.stem == "such" and one not in kept for one in found):  # "(e.g. x)" is what is meant
        kept = [token for token in found if token.text not in "()"]
    first = _attempt(kept, context, scope)
    aside = [token for token in found if token not in kept]
    if _says_how_it_is(aside, context.words):
        negations = context.words.groups["negations"]
        is_denial = any(one.kind == "word" and one.stem in negations for one in aside)
        first = replace(first, disproves=False, proves=first.proves and not is_denial)
    if first.proposition is not None or not any(token.text == "(" for token in found):
        return first
    # What stands in brackets may be what it is about: "the file (x.yaml) is missing".
    again = _attempt([token for token in found if token.text not in "()"], before, scope)
    if again.proposition is None:
        return first
    context.scope, context.objects = before.scope, before.objects
    return again


def _without_asides(found: Sequence[Token], words: Lexicon) -> list[Token]:
    """The words without what stands in round brackets, but for those behind a verb, which are what
    it is done to: "expects (x, y)".
    """
    kept: list[Token] = []
    depth = 0
    is_object = False
    for token in found:
        if token.kind == "stop" and token.text in "()":
            if not depth and token.text == "(":
                is_object = bool(kept) and _asks_for_more(kept[-1], words)
            depth = max(0, depth + (1 if token.text == "(" else -1))
        elif not depth or is_object:
            kept.append(token)
    return kept or list(found)


def _asks_for_more(token: Token, words: Lexicon) -> bool:
    names = {one.name for one in words.relations.get(token.stem, ())}
    return token.kind == "word" and token.text.endswith("s") and bool(names - _WITHOUT_OBJECT)


def _says_how_it_is(aside: Sequence[Token], words: Lexicon) -> bool:
    """Whether what stands in brackets says more of how things are: "is missing (empty)"."""
    return any(token.kind == "word" and token.stem in words.groups["states"] for token in aside)


def _attempt(found: Sequence[Token], context: Context, scope: str) -> Reading:
    words = context.words
    items = items_of(found, context.table, words)
    before = context.scope
    leans = _leans(items[:1], words)
    given, context.mode = _place(scope, context)
    context.scope = given or (before if leans else "")
    context.is_given = bool(given)
    is_told = bool(given) or (bool(items) and items[0].is_in(words.groups["pronouns"]))
    context.inherited = "" if is_told else context.scope
    context.relation, context.kind = None, ""
    said: list[tuple[Clause, Sequence[Candidate]]] = []
    problems: list[str] = []
    passing = ""  # the place of which a statement speaks that is not read
    for clause in clauses_of(items, words):
        if is_demand(clause.items, words):
            context.objects = [one for one in clause.items if one.meanings and one.kind != "word"]
            continue
        ways, problem = candidates(clause, context)
        kept = [one for one in ways if one.score >= ways[0].score - _MARGIN] if ways else []
        if kept:
            _go_on_from(clause, kept[0], context)
        else:
            problems.append(problem)
            passing = _pass_over(clause, context) or passing
        said.append((clause, kept))
    if context.scope == passing:
        context.scope = before
    if not any(kept for _, kept in said):
        context.scope = context.scope or before
        return Reading(reader=READER, why_not=problems[0] if problems else "it states nothing")
    return _whole(said, words)


def _go_on_from(clause: Clause, best: Candidate, context: Context) -> None:
    """Remember of what a statement speaks."""
    if clause.joined == "effect" and best.objects and best.objects == context.objects:
        clause.joined = "and"  # "x, which the file does not have"
    context.spoken = [one for one in clause.items if one.meanings]
    context.named = [one for one in clause.when if one.meanings and one.kind != "word"]
    context.relation, context.kind = best.relation, best.kind
    context.objects = best.objects or context.objects
    if best.scope not in ("", "code", "composed") and not best.is_guess:
        context.scope, context.inherited = best.scope, ""
    places = {one.meanings.get("file", "") for one in clause.items} - {best.scope, ""}
    if best.relation.name == "import" and len(places) == 1 and not context.is_given:
        context.scope, context.inherited = places.pop(), ""  # "from y, where it is undefined"


def _pass_over(clause: Clause, context: Context) -> str:
    """Remember of what a statement speaks that is not read; the place that it names."""
    words = context.words
    told = [one for one in clause.items if one.meanings]
    named = [one for one in told if one.kind != "word"]
    named = named or [one for one in told if one.meanings.keys() & _NAMED]
    goes_on = any(one.is_in(words.groups["pronouns"]) for one in clause.items)
    if named or (not goes_on and any(one.is_unknown(words) for one in clause.items)):
        context.objects = named  # what it is about is not what was spoken of before
    places = {one.meanings.get("file") or one.meanings.get("definition", "") for one in told} - {""}
    if len(places) != 1 or context.is_given:
        return ""
    (context.scope,), context.inherited = places, ""
    return context.scope


def _leans(first: Sequence[Item], words: Lexicon) -> bool:
    """Whether a claim goes on with the one before, by its first word."""
    leaning = ("pronouns", "auxiliaries", "negations", "only", "contrasts")
    return any(
        any(one.is_in(words.groups[group]) for group in leaning)
        or one.meanings.get("join") == "effect"
        or bool(one.relations(words))
        for one in first
    )


def _place(said: str, context: Context) -> tuple[str, str]:
    """The part of the code that a place names, or the headings above a claim, nearest first; and
    the mode of which they speak.
    """
    scope = mode = ""
    for heading in said.split("\n"):
        items = items_of(tokens(heading), context.table, context.words)
        files = {one.meanings.get("file", "") for one in items} & set(context.table.files)
        modes = {one.meanings["mode"] for one in items if "mode" in one.meanings}
        scope = scope or (files.pop() if len(files) == 1 else "")
        mode = mode or (modes.pop() if len(modes) == 1 else "")
    return scope, mode


def _whole(said: Sequence[tuple[Clause, Sequence[Candidate]]], words: Lexicon) -> Reading:
    """The statements of a claim together, in each way in which they may be meant; those that are
    not understood are told beside them.
    """
    understood = [(clause, kept) for clause, kept in said if kept]
    wholes, fall = [], []
    try:
        for way in islice(product(*(_ways(kept) for _, kept in understood)), _MOST_MEANINGS):
            parts = [(clause, one) for (clause, _), one in zip(understood, way, strict=True)]
            wholes.append(parse(_joined(parts)))
            fall += [parse(one) for clause, one in parts if clause.joined in _REFUTING]
    except InvalidReading as problem:
        return Reading(reader=READER, why_not=str(problem))
    read_ones = [one for clause, kept in understood for one in kept if not clause.is_granted]
    narrowed = [one for one in read_ones if one.left]
    first = said[0][1]
    is_whole = all(
        kept
        or clause.is_granted
        or (first and not first[0].left and clause.joined == "effect")  # whatever it leads to
        or (first and first[0].is_total and clause.joined in ("detail", "effect", "cause"))
        for clause, kept in said
    )
    undone = [one for clause, kept in understood for one in kept if clause.joined in _REFUTING]
    return Reading(
        reader=READER,
        proposition=wholes[0],
        otherwise=tuple(one for one in dict.fromkeys(wholes[1:]) if one != wholes[0]),
        leftover=tuple(dict.fromkeys(word for one in narrowed for word in one.left)),
        unread=tuple(_shown(clause) for clause, kept in said if not kept),
        proves=_is_main_read(said, words) and not any(one.is_loose for one in read_ones),
        disproves=is_whole
        and all(one.is_sure for one in read_ones)
        and not any(one.denies for one in narrowed),
        falls_with=tuple(dict.fromkeys(fall))
        if all(one.is_sure and not one.left for one in undone)
        else (),
    )


def _is_main_read(said: Sequence[tuple[Clause, Sequence[Candidate]]], words: Lexicon) -> bool:
    """Whether what a claim stands or falls with is understood: its first statement, or the detail
    of it; its cause; and a consequence that names an error or code. What it grants does not count.
    """
    asserted = [at for at, (clause, _) in enumerate(said) if not clause.is_granted]
    main = set(asserted[:1])
    first = said[0][1]
    is_absent = bool(first) and first[0].denies and not first[0].left  # which may lead to anything
    for at in asserted:
        clause = said[at][0]
        tells = any(item.meanings.keys() & _TELLING for item in (*clause.items, *clause.when))
        tells |= any(item.is_in(words.groups["unable"]) for item in clause.items)
        if clause.joined == "effect" and tells and not is_absent:
            main.add(at)
        elif clause.joined == "detail" and at == 1 and not said[0][1]:
            main = {1}
        elif clause.joined in ("cause", "instead") or clause.restricts:
            main.add(at)
    return bool(main) and all(said[at][1] for at in main)


def _ways(kept: Sequence[Candidate]) -> Iterator[Json]:
    for one in kept:
        yield one.json
        if one.wider is not None:
            yield one.wider


def _shown(clause: Clause) -> str:
    return " ".join(item.text for item in clause.items)[:_LONGEST_SHOWN]


def _joined(said: Sequence[tuple[Clause, Json]]) -> Json:
    """The statements of a claim as one: causes lead to effects, all else holds together."""
    parts: list[Json] = []
    links = [clause.joined for clause, _ in said]
    if len(said) > 1 and links[0] == "cause":
        links[:2] = "", "effect"
    for joined, (_, one) in zip(links, said, strict=True):
        if joined == "effect" and parts:
            cause = parts if len(parts) == 1 else [{"all": parts}]
            parts = [{"because": cause[0], "then": one}]
        elif joined == "cause" and parts:
            parts = [*parts[:-1], {"because": one, "then": parts[-1]}]
        else:
            parts.append(one)
    return parts[0] if len(parts) == 1 else {"all": parts}
