"""From a claim to the places it is about, the best one first, with how each was found: by what its
names mean in the submission.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from reviewers.claims.cited import Cited
from reviewers.facts.quoted_tokens import token_count, unescape
from reviewers.facts.quotes import Search
from reviewers.readers.linking import SymbolTable, entity
from reviewers.readers.words import Token, tokens
from reviewers.records import Found, Place, Span

_LINES_OFF = 3
"""A quote so many lines from the line that was named is taken to be there."""
_MOST_PLACES = 3
LONGEST_CLAIM = 2_000  # characters that are read
_LONGEST_RUN = 200  # of one that has no spaces, as no word or name is longer
_PLAIN = str.maketrans("“”„«»‘’", '"""""\'\'')
_MOST_NAMED = 20  # things of one claim that are looked up
_CODE = frozenset({"call", "pair", "flag", "dotted", "name"})


@dataclass(slots=True)
class Named:
    """What a text names, in its order.

    Attributes:
        files: that the submission has.
        lines: first and last line, with the file that is named before them.
        definitions: `file::qualified.name`.
        quotes: what it quotes, as far as it may be code.
        names: other words that only code has.
        things: the meanings of each thing that it names.
    """

    files: list[str] = field(default_factory=list)
    lines: list[tuple[str | None, int, int]] = field(default_factory=list)
    definitions: list[str] = field(default_factory=list)
    quotes: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    things: list[Mapping[str, str]] = field(default_factory=list)

    @property
    def file(self) -> str | None:
        """The one file that is named; None where there are several, or none."""
        return self.files[0] if len(set(self.files)) == 1 else None


def named(text: str, table: SymbolTable) -> Named:
    """Return what a text names of a submission."""
    said, found = Named(), tokens(readable(text))
    for at, token in enumerate(found):
        if _tells_line(found, at):
            first = int(token.text)
            last = next((int(one.text) for one in found[at + 1 : at + 2] if _is_line(one)), first)
            said.lines.append((said.files[-1] if said.files else None, first, max(first, last)))
        thing = entity(token, table)
        meanings = thing.meanings if thing else {}
        said.things.append(meanings)
        if meanings.get("file") in table.files:
            said.files.append(meanings["file"])
        elif "definition" in meanings:
            said.definitions.append(meanings["definition"])
        elif "file" in meanings:
            continue
        elif token.kind == "quoted" and _is_code(token.text):
            said.quotes.append(token.text)
        elif token.kind in _CODE or _is_camel(token):
            said.names.append(token.text.partition("(")[0].strip("-."))
    return said


def code_names(text: str, table: SymbolTable) -> frozenset[str]:
    """Return the names of code that a text speaks of, whole and by their last part, as far as they
    are no names that much code has; those of modules are left out.
    """
    said = named(text, table)
    quoted = named(" ".join(said.quotes), table)
    told = {*said.names, *quoted.names, *(each.partition("::")[2] for each in said.definitions)}
    whole = {
        name
        for name in told
        if not name.endswith(("Error", "Exception"))
        and f"{name.replace('.', '/')}.py" not in table.files
    }
    last = {name.rpartition(".")[2] for name in whole}
    return frozenset(whole | {name for name in last if "_" in name or not name.islower()})


def named_above(under: Sequence[str], table: SymbolTable) -> Named:
    """Return what the nearest heading or label names that names a file."""
    above = (named(each, table) for each in reversed(under))
    return next((each for each in above if each.files), Named())


def readable(text: str) -> str:
    """Return a text as it is read: its first characters, with plain quotation marks, and of what no
    word, name or piece of code can be only the beginning.
    """
    words = text[:LONGEST_CLAIM].translate(_PLAIN).split(" ")
    return " ".join(each[:_LONGEST_RUN] for each in words)


def _is_camel(token: Token) -> bool:
    """Whether a word is written as only classes are: `DictConfig`."""
    word = token.text
    return token.kind == "word" and word[:1].isupper() and not word[1:].islower() and len(word) > 3


def _is_line(token: Token) -> bool:
    return token.kind == "number" and token.text.isdecimal() and len(token.text) < 6


def _tells_line(found: Sequence[Token], at: int) -> bool:
    """Whether a token is the number of a line: "line 12", "src/train.py:12"."""
    before = [(one.kind, one.text.lower()) for one in found[max(at - 2, 0) : at]]
    if not before or not _is_line(found[at]):
        return False
    return before[-1][1] in ("line", "lines") or (
        before[-1][1] == ":" and len(before) == 2 and before[0][0] == "path"
    )


def _is_code(quote: str) -> bool:
    """A quoted word of prose ("fully functional") is no code; a name, a key or a statement is."""
    inner = tokens(quote)
    return len(quote) > 2 and (len(inner) == 1 or any(one.kind != "word" for one in inner))


def places(
    said: Named,
    under: Named,
    cited: Cited | None,
    search: Search,
    table: SymbolTable,
    before: Span | None = None,
) -> tuple[Place, ...]:
    """Return the places that a claim is about, best first; empty where none can be found.

    Args:
        said: what it names.
        under: what the headings and labels above it name.
        before: the place of the claim before it in the same paragraph or item.
    """
    found: list[Place] = []
    for place in _places(said, under, cited or Cited(0, 0), search, table, before):
        holding = next((at for at, each in enumerate(found) if _holds(each.span, place.span)), None)
        if holding is None:
            found.append(place)
        elif place.note and not found[holding].note:
            found[holding] = replace(found[holding], note=place.note)
        if len(found) == _MOST_PLACES:
            break
    return tuple(found)


def _holds(outer: Span, inner: Span) -> bool:
    """Whether a place lies within another one, and so tells a reader nothing new."""
    if outer == inner or outer.file != inner.file or outer.line is None or inner.line is None:
        return outer == inner
    return outer.line <= inner.line and (inner.end_line or inner.line) <= (
        outer.end_line or outer.line
    )


def _places(
    said: Named,
    under: Named,
    cited: Cited,
    search: Search,
    table: SymbolTable,
    before: Span | None,
) -> Iterator[Place]:
    given = named(cited.file or "", table).file
    near = list(dict.fromkeys(filter(None, (*said.files, given, *under.files))))
    if not near and before is not None:
        near = [before.file]
    quotes = list(_quoted(said.quotes, near, search))
    if cited.quote:
        quotes = [*_cited(cited.quote, given, cited.line, near, search), *quotes]
    lines = [
        (path or _long_enough(near, first, search), first, last) for path, first, last in said.lines
    ]
    if not lines and cited.line is not None:
        lines = [(given, cited.line, cited.end_line or cited.line)]
    if not lines and not quotes:
        lines = [(path or under.file, first, last) for path, first, last in under.lines]
    is_near = _stands_near(said, lines, quotes, search)
    for path, first, last in lines:
        if path is not None:
            yield from _checked(path, first, last, () if is_near else quotes, search)
    yield from (each for each in quotes if each.found is Found.QUOTE)
    yield from _defined(said, search)
    yield from _used(said.names, near, search)
    yield from quotes
    if before is not None and before.file in near:
        yield Place(before, Found.BORROWED)
    yield from (Place(Span(path), Found.FILE) for path in near)
    if cited.file and not given:
        path = _short(cited.file)
        yield Place(Span(path), Found.FILE, f"the submission has no {path}")


def _long_enough(files: Sequence[str], line: int, search: Search) -> str | None:
    """The first of the files that has a line of this number, else the first one."""
    enough = (path for path in files if line <= len(search.facts.lines(path)))
    return next(enough, next(iter(files), None))


def _stands_near(
    said: Named,
    lines: Sequence[tuple[str | None, int, int]],
    quotes: Sequence[Place],
    search: Search,
) -> bool:
    """Whether code that is quoted stands at a place that is named, or a few lines from it: lines, a
    function or class, another file.
    """
    others = set(said.files) - {path for path, _, _ in lines}
    defined = [place.span for place in _definitions(said, search)]
    return any(
        quote.span.file in others
        or any(_holds(span, quote.span) for span in defined)
        or any(
            path is not None and quote.span.is_near(Span(path, first, last), _LINES_OFF)
            for path, first, last in lines
        )
        for quote in quotes
        if quote.found is Found.QUOTE
    )


def _checked(
    path: str, first: int, last: int, quotes: Sequence[Place], search: Search
) -> Iterator[Place]:
    """Lines that are named: code that is quoted and stands elsewhere is believed rather than its
    number.
    """
    length = len(search.facts.lines(path))
    elsewhere = [each for each in quotes if each.found is Found.QUOTE and each.span.file == path]
    if not elsewhere and first <= length:
        yield Place(Span(path, first, min(last, length)), Found.LINE)
    elif not elsewhere and first > length + _LINES_OFF:
        yield Place(Span(path), Found.FILE, f"{path} has {length} lines, not {first}")
    for each in elsewhere:
        at = f"the quoted code stands on line {each.span.line}"
        note = f"{at}, not {first}"
        if first > length:
            note = f"{path} has {length} lines, not {first}; {at}"
        yield Place(each.span, Found.QUOTE, note)


def _cited(
    quote: str, path: str | None, line: int | None, near: Sequence[str], search: Search
) -> Iterator[Place]:
    """Where the code stands that is cited for a claim: of several places the one nearest to the
    line that is given.
    """
    for words in dict.fromkeys((quote, unescape(quote))):
        there = list(search.quote(words, (path,))) if path else []
        hit = min(there, key=lambda hit: abs((hit.line or 0) - (line or 0)), default=None)
        if hit := hit or search.quoted(words, (*near, *search.paths)):
            yield Place(hit, Found.QUOTE)
            return
    telling = max(quote.splitlines(), key=token_count, default="")
    note = f"the quoted {_short(quote)!r} stands nowhere in the submission"
    if like := search.near(telling, (path,) if path else near or search.paths):
        at = f"nearest to it is line {like.line} of {like.file}"
        yield Place(like, Found.NEAR, f"{note}; {at}")
    elif path is not None:
        yield Place(Span(path), Found.NEAR, note)


def _quoted(quotes: Sequence[str], near: Sequence[str], search: Search) -> Iterator[Place]:
    for quote in sorted(quotes[:_MOST_NAMED], key=token_count, reverse=True):
        hit = search.quoted(quote, near)
        if hit is None and (token_count(quote) >= 2 or not near):
            hit = search.quoted(quote, search.paths)
        if hit:
            yield Place(hit, Found.QUOTE)
        elif like := search.near(quote, near or search.paths):
            at = f"line {like.line} of {like.file}"
            yield Place(like, Found.NEAR, f"nearest to the quoted {_short(quote)!r} is {at}")


def _defined(said: Named, search: Search) -> Iterator[Place]:
    """The functions and classes that are named, and in them what else is named."""
    for place in _definitions(said, search):
        inside = (
            hit
            for other in (*said.quotes, *said.names)
            for hit in search.quote(other, (place.span.file,))
            if _holds(place.span, hit)
        )
        yield from (Place(one, Found.USE) for one in islice(inside, 1))
        yield place


def _definitions(said: Named, search: Search) -> Iterator[Place]:
    for each in said.definitions[:_MOST_NAMED]:
        path, _, name = each.partition("::")
        for found in search.facts.python[path].definitions:
            if found.name == name:
                yield Place(Span(path, found.line, found.end_line), Found.DEFINITION)


def _used(names: Sequence[str], near: Sequence[str], search: Search) -> Iterator[Place]:
    """The first use of each name: of a dotted one the whole of it, else its last part."""
    for name in names[:_MOST_NAMED]:
        parts = dict.fromkeys((name, name.rpartition(".")[2]))
        hits = (search.quoted(one, paths) for one in parts for paths in (near, search.paths))
        yield from (Place(hit, Found.USE) for hit in [next(filter(None, hits), None)] if hit)


def _short(quote: str) -> str:
    words = " ".join(quote.split())
    return words if len(words) <= 60 else words[:59] + "…"
