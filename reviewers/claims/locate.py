"""From a claim to the places it is about, the best one first, with how each was found."""

import re
from collections.abc import Iterator, Sequence

from reviewers.claims.anchors import anchor
from reviewers.claims.claim import Claim
from reviewers.claims.search import Hit, Search
from reviewers.claims.subjects import find_file
from reviewers.claims.tokens import token_count, unescape
from reviewers.facts.python_file import Definition
from reviewers.records import Found, Place, Span

Scope = tuple[str, Definition]

_LINES_OFF = 3
"""A quote so many lines from the line that was named is taken to be there."""
_MOST_PLACES = 3
_NAME_ENOUGH = 3.0
"""How telling the words of one name have to be; a whole claim needs more."""
_CODE = re.compile(r"[^\w\s,.;:!?%&/()’'-]|\w\(|\w[._]\w|=|\.\w")
_FILE_LIKE = re.compile(r"[\w./*{}<>-]*(?:/|\.(?:py|ya?ml|toml))")
_OVERWRITTEN = re.compile(r"\b(?:overwrit\w+|re-?assign\w*|replaced|reset|shadow\w*)\b")
_CALLED = re.compile(
    r"\b(?:is|are|be) (?:\w+ )?(?:called|invoked|used|passed)\b|\bcalls? to\b|\bcalled with\b"
)


def places(claim: Claim, search: Search, before: Span | None = None) -> tuple[Place, ...]:
    """Return the places a claim is about, best first; empty where none can be found.

    Args:
        before: the place of the claim before it in the same paragraph or item; of several like
            places the nearest is meant.
    """
    found: dict[Span, Place] = {}
    for place in _places(claim, search, before):
        found.setdefault(place.span, place)
        if len(found) == _MOST_PLACES:
            break
    return tuple(found.values())


def absent_note(claim: Claim) -> str:
    """What to say of files that a claim names and that the submission does not have; empty where
    there are none.
    """
    missing = [
        name for name in claim.own.absent_files if name.endswith((".py", ".toml", ".yaml", ".yml"))
    ]
    return f"the submission has no {' and no '.join(missing[:3])}" if missing else ""


def cited_note(claim: Claim, search: Search) -> str:
    """What to say of a line or code that is cited for a claim and that is not there; empty where
    both are.
    """
    cited = claim.cited
    if cited is None:
        return ""
    path = find_file(cited.file, search.facts.submission.by_path) if cited.file else None
    if cited.quote and token_count(cited.quote) and not search.quoted(cited.quote, search.paths):
        like = _like(cited.quote, search, (path,) if path else search.paths)
        nearest = f"; nearest to it is line {like.span.line} of {like.span.file}" if like else ""
        return (
            f"the quoted {_short(' '.join(cited.quote.split()))!r} stands nowhere in the"
            f" submission{nearest}"
        )
    length = len(search.facts.lines(path)) if path else 0
    if path is None or cited.line is None or cited.line <= length + _LINES_OFF:
        return ""
    other = set(claim.own.files) - {path} or set(claim.own.lines) - {
        (path, cited.line, cited.end_line or cited.line)
    }
    return "" if cited.quote or other else f"{path} has {length} lines, not {cited.line}"


def _places(claim: Claim, search: Search, before: Span | None) -> Iterator[Place]:
    files = tuple(path for path in claim.files if path in search.facts.submission.by_path)
    home = (
        (claim.kind.home,)
        if claim.kind.home and claim.kind.home in search.facts.submission.by_path
        else ()
    )
    near = files or home
    if before is not None and before.file not in near and not claim.own.files:
        near = (before.file, *near) if claim.points_back else (*near, before.file)
    scopes = _scopes(claim, search, files)
    quoted = [*_cited(claim, search, near), *_quoted(claim, search, near, scopes, before)]
    yield from _explicit(claim, search, files, scopes, quoted)
    named = [place for place in quoted if place.found is Found.QUOTE] + [
        place for place in quoted if place.found is Found.NEAR
    ]
    anchored = [
        Place(span, Found.ANCHOR)
        for span in anchor(
            claim.kind.anchor or "", search.facts, claim.own.files or claim.own.hinted
        )
    ]
    if claim.kind.anchor == "figures":  # what speaks of figures names files that stand everywhere
        yield from anchored
    yield from named
    yield from _named(claim, search, near, scopes)
    yield from anchored
    yield from _borrowed(claim, search, near)
    code = [path for path in near if path.endswith(".py")]
    yield from (Place(span, Found.WORDS) for span in search.worded.find(claim.text, code))
    named_files = [path for path in near if path in claim.own.files]
    yield from (Place(Span(path), Found.FILE) for path in named_files)
    yield from (
        Place(span, Found.WORDS) for span in search.worded.find(claim.text, search.facts.python)
    )
    yield from (Place(Span(path), Found.FILE) for path in near)


def _explicit(
    claim: Claim,
    search: Search,
    files: tuple[str, ...],
    scopes: Sequence[Scope],
    quoted: list[Place],
) -> Iterator[Place]:
    """Lines that the claim names, checked: a quote that stands elsewhere is believed rather than
    its number.
    """
    own = claim.own.lines
    numbers = own or next((near.lines for near in claim.around[:1] if near.lines), ())
    near = own and _stands_near(claim, search, files, scopes)
    for path, first, last in numbers:
        file = path or _long_enough(search, files, first)
        if file is None:
            continue
        length = len(search.facts.lines(file))
        elsewhere = [
            place for place in quoted if place.found is Found.QUOTE and place.span.file == file
        ]
        if (
            near
            or not elsewhere
            or any(_off(each.span, first, last) <= _LINES_OFF for each in elsewhere)
        ):
            if first <= length:
                yield Place(Span(file, first, min(last, length)), Found.LINE)
        elif not own:
            yield elsewhere[0]  # the words before name the line, so this claim does not mistake it
        elif first > length:
            note = f"{file} has {length} lines, not {first}"
            yield from (
                Place(
                    place.span,
                    Found.QUOTE,
                    f"{note}; the quoted code stands on line {place.span.line}",
                )
                for place in elsewhere
            )
        else:
            place = elsewhere[0]
            yield Place(
                place.span,
                Found.QUOTE,
                f"the quoted code stands on line {place.span.line}, not {first}",
            )


def _long_enough(search: Search, files: Sequence[str], line: int) -> str | None:
    """The first of the claim's files that has a line of this number, else its first file."""
    return next(
        (path for path in files if line <= len(search.facts.lines(path))),
        files[0] if files else None,
    )


def _stands_near(
    claim: Claim, search: Search, files: Sequence[str], scopes: Sequence[Scope]
) -> bool:
    """Whether code that is quoted stands at, or a few lines from, a place that the claim itself
    names: a range of lines, a function or class, or another of its files.
    """
    lined = [
        (path or file, first, last)
        for path, first, last in claim.own.lines
        for file in files or (None,)
    ]
    cited = claim.cited
    if cited is not None and cited.file and cited.line is not None:
        path = find_file(cited.file, search.facts.submission.by_path)
        lined.append((path, cited.line, cited.end_line or cited.line))
    other = set(claim.own.files) - {path for path, _, _ in lined}
    quotes = [quote for quote in claim.own.quotes if _is_code(quote, search)]
    quotes += [cited.quote] if cited is not None and cited.quote else []
    return any(
        hit.span.file in other
        or any(_within(hit.span, scope) for scope in scopes)
        or any(
            hit.span.file == path and _off(hit.span, first, last) <= _LINES_OFF
            for path, first, last in lined
        )
        for quote in quotes
        for words in dict.fromkeys((quote, unescape(quote)))
        for hit in search.quote(words, claim.own.files or files)
    )


def _off(span: Span, first: int, last: int) -> int:
    """How many lines lie between a place and a range of lines; 0 where they touch."""
    return max(first - (span.end_line or 0), (span.line or 0) - last, 0)


def _scopes(claim: Claim, search: Search, files: tuple[str, ...]) -> list[Scope]:
    """The functions and classes that the claim names, in its order; those of its own files before
    others of the name.
    """
    names = sorted(claim.own.names, key=claim.text.find)
    found = (search.definition(name, files) or search.definition(name) for name in names)
    return [scope for scope in found if scope is not None]


def _within(span: Span, scope: Scope) -> bool:
    return span.file == scope[0] and scope[1].line <= (span.line or 0) <= scope[1].end_line


def _cited(claim: Claim, search: Search, near: tuple[str, ...]) -> Iterator[Place]:
    """Where the code stands that is cited for a claim: of several places the one nearest to the
    line that is given.
    """
    quote = claim.cited.quote if claim.cited else None
    if claim.cited is None or not quote:
        return
    path = (
        find_file(claim.cited.file, search.facts.submission.by_path) if claim.cited.file else None
    )
    given = Span(path, claim.cited.line) if path else None
    for words in dict.fromkeys((quote, unescape(quote))):
        if hit := _nearest(search, words, given) or search.quoted(words, (*near, *search.paths)):
            yield Place(hit.span, Found.QUOTE)
            return
    if like := _like(quote, search, (path,) if path else near or search.paths):
        yield Place(like.span, Found.NEAR)


def _like(quote: str, search: Search, paths: Sequence[str]) -> Hit | None:
    """The line most like the most telling line of a quote."""
    return search.near(max(quote.splitlines(), key=token_count, default=""), paths)


def _quoted(
    claim: Claim,
    search: Search,
    near: tuple[str, ...],
    scopes: Sequence[Scope],
    before: Span | None,
) -> Iterator[Place]:
    elsewhere = tuple(path for path in search.paths if path not in near)
    scoped = tuple(dict.fromkeys(path for path, _ in scopes))
    for quote in sorted(claim.own.quotes, key=token_count, reverse=True):
        if not _is_code(quote, search):
            continue
        inside = next(
            (
                hit
                for scope in scopes
                for hit in search.quote(quote, (scope[0],))
                if _within(hit.span, scope)
            ),
            None,
        )
        hit = (
            inside
            or _nearest(search, quote, before if before and before.file in near else None)
            or search.quoted(quote, (*near, *scoped))
        )
        if hit is None and (token_count(quote) >= 2 or not near):
            hit = search.quoted(quote, elsewhere)
        if hit:
            yield Place(hit.span, Found.QUOTE)
        elif like := search.near(quote, near or search.paths):
            yield Place(
                like.span,
                Found.NEAR,
                f"nearest to the quoted {_short(quote)!r} is line {like.span.line} of"
                f" {like.span.file}",
            )


def _nearest(search: Search, quote: str, before: Span | None) -> Hit | None:
    """Of several places in the file of the claim before, the one nearest to it."""
    if before is None or before.line is None:
        return None
    line = before.line
    return min(
        search.quote(quote, (before.file,)),
        key=lambda hit: abs((hit.span.line or 0) - line),
        default=None,
    )


def _is_code(quote: str, search: Search) -> bool:
    """A quoted word of prose ("fully functional") is no code, nor is a file's name; a name, a key
    or a statement is.
    """
    if find_file(quote, search.facts.submission.by_path) or _FILE_LIKE.fullmatch(quote):
        return False
    return bool(_CODE.search(quote)) or (token_count(quote) == 1 and len(quote) > 2)


def _named(
    claim: Claim, search: Search, near: tuple[str, ...], scopes: Sequence[Scope]
) -> Iterator[Place]:
    names = [
        name
        for name in sorted(claim.own.names, key=claim.text.find)
        if name not in claim.own.errors
    ]
    for scope in scopes:
        for name in names:
            if not scope[1].name.endswith(name.rpartition(".")[2]):
                first = _uses(claim, name, search, (scope[0],))[:1]
                yield from (Place(span, Found.USE) for span in first if _within(span, scope))
    if _CALLED.search(claim.said):
        for _, definition in scopes:
            yield from (
                Place(span, Found.USE)
                for span in search.calls(definition.name, search.facts.python)[:1]
            )
    yield from (
        Place(Span(path, definition.line, definition.end_line), Found.DEFINITION)
        for path, definition in scopes
    )
    for name in names:
        spans = _uses(claim, name, search, near) or _uses(claim, name, search, search.paths)
        yield from (Place(span, Found.USE) for span in spans[:1])
        if not spans:
            yield from (
                Place(span, Found.WORDS)
                for span in search.worded.find(name, search.facts.python, _NAME_ENOUGH)
            )


def _uses(claim: Claim, name: str, search: Search, paths: Sequence[str]) -> list[Span]:
    """The lines with a name, the likeliest first: where it is set again if the claim says so, code
    before prose.
    """
    if _OVERWRITTEN.search(claim.said) and (stores := search.stores(name, paths)):
        return stores[1:] + stores[:1]
    last = name.rpartition(".")[2]
    if last[:1].isupper() and (calls := search.calls(name, paths)):
        return calls
    return [hit.span for hit in search.quote(name, paths)] or list(search.word(last, paths))


def _borrowed(claim: Claim, search: Search, near: tuple[str, ...]) -> Iterator[Place]:
    """What the words just before speak of, for a claim that has nothing of its own."""
    for about in claim.around[:2]:
        for quote in about.quotes:
            if _is_code(quote, search) and (hit := search.quoted(quote, near or search.paths)):
                yield Place(hit.span, Found.BORROWED)
        for name in about.names:
            if found := search.definition(name, near) or search.definition(name):
                yield Place(Span(found[0], found[1].line, found[1].end_line), Found.BORROWED)
            else:
                yield from (
                    Place(span, Found.BORROWED)
                    for span in (
                        _uses(claim, name, search, near) or _uses(claim, name, search, search.paths)
                    )[:1]
                )


def _short(quote: str) -> str:
    return quote if len(quote) <= 60 else quote[:59] + "…"
