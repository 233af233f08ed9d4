"""Plain statements about code ("`f` returns (a, b)", "main.py passes x to y"): true where the tree
has just that relation.
"""

import ast
import re
from collections.abc import Iterator, Sequence

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, remark
from reviewers.claims.code_match import Place
from reviewers.claims.related import LITERALS, TYPES, Object, related, same
from reviewers.claims.statements import Form, Item, Statement, known, read
from reviewers.claims.tokens import token_count
from reviewers.claims.worded import words_in
from reviewers.facts.python_file import Definition, Function
from reviewers.records import Span

_WITHIN = re.compile(r"(?:^|\b)(?:in|inside|within|by|of|from)(?: \w+){0,2}$")
_TELLING_TOKENS = 4
_MOST_LEFT = 2
_JOINING = frozenset(["and", "or", "both"])
_LIMITING = frozenset(
    [
        "in",
        "inside",
        "within",
        "during",
        "for",
        "on",
        "at",
        "under",
        "by",
        "from",
        "into",
        "with",
        "through",
        "of",
    ]
)
_WHEN = re.compile(r"\b(?:when|whenever|if|once)(?: \w+){0,2}$")
_MOST_LINES = 4

Proof = tuple[list[ast.AST], Place]


_HARD_CODED = re.compile(r"\bhard-?cod")
_LITERAL = re.compile(r"[\"'=\d/]")


@check("relation")
def relation(case: Case) -> Answer:
    """Every part of the claim is a relation that the code has, and no word of it is left
    unexplained.
    """
    if case.claim.hedged or (
        _HARD_CODED.search(case.said)
        and not any(_LITERAL.search(quote) for quote in case.claim.own.quotes)
    ):
        return None
    said = [each for each in read_statements(case) if not each.purpose or each.objects]
    if not said or len(said) > 4 or any(each.denied for each in said):
        return None
    proofs: list[Proof] = []
    for statement in said:
        proof = _prove(case, statement)
        if proof is None:
            return None
        proofs.append(proof)
    left = [word for statement in said for word in _unexplained(statement, proofs, _hint(case))]
    always = "unconditionally" in left
    left = [word for word in left if word != "unconditionally"]
    if left and (
        len(left) > _MOST_LEFT
        or not _specific(said)
        or any(_weighs(case, said, word) for word in left)
    ):
        return None
    if always and not left and len(said) == 1 and (under := _conditions(proofs[0])):
        place, test = proofs[0][1], under
        return remark(
            f"{place.path}:{test.lineno} makes it depend on {code(ast.unparse(test))}",
            Span(place.path, test.lineno),
        )
    node, place = next(
        ((nodes[0], place) for nodes, place in proofs if nodes), (None, proofs[0][1])
    )
    if node is None:
        return None
    line = int(getattr(node, "lineno", 1))
    within = f", in {place.name}" if place.name else ""
    quoted = (
        hit.span
        for quote in case.claim.own.quotes
        for hit in case.search.quote(quote, (place.path,))
    )
    span = next((span for span in quoted if span.line == line), Span(place.path, line))
    return confirmed(f"line {line} of {place.path}{within} has {code(_shown(place, node))}", span)


def _hint(case: Case) -> frozenset[str]:
    """The words by which a claim names a file without its name."""
    return (
        frozenset(["train", "training", "evaluation", "preprocessing", "pre-processing", "main"])
        if case.claim.own.hinted
        else frozenset()
    )


def read_statements(case: Case) -> tuple[Statement, ...]:
    """The claim taken apart; empty where it has no verb that is known."""
    classes = (name for name in case.search.defined if name[:1].isupper())
    return read(
        _whole(case),
        tuple(case.facts.submission.by_path),
        frozenset((*case.claim.own.names, *classes)),
    )


def _whole(case: Case) -> str:
    return f"{case.claim.lead} {case.claim.text}" if case.claim.lead else case.claim.text


def _specific(said: Sequence[Statement]) -> bool:
    """Whether the code that a claim names is so telling that a describing word or two more may stay
    unexplained.
    """
    return all(
        any(token_count(item.text) >= _TELLING_TOKENS for item in each.objects) for each in said
    )


def _weighs(case: Case, said: Sequence[Statement], word: str) -> bool:
    """Whether a word that the code does not explain may change what a claim says: it judges,
    limits, or names another place.
    """
    if (
        word in known().weighty
        or word in case.search.defined
        or f"src/{word}.py" in case.facts.python
    ):
        return True
    for statement in said:
        opening = statement.words[: statement.opening]
        if word in opening and (not statement.subject or _JOINING & set(opening)):
            return True
        for number, other in enumerate(statement.words):
            if other == word and _LIMITING & set(statement.words[max(0, number - 3) : number]):
                return True
    return False


def _conditions(proof: Proof) -> ast.expr | None:
    """A condition under which alone the code found is reached within its function."""
    nodes, place = proof
    for node in nodes:
        for around in place.file.ancestors(node):
            if isinstance(around, Function | ast.Lambda):
                break
            if isinstance(around, ast.If | ast.IfExp) and not any(
                part is node for part in ast.walk(around.test)
            ):
                return None if _may_always_hold(around.test) else around.test
    return None


def _may_always_hold(test: ast.expr) -> bool:
    """Whether a condition only asks how the file was started, or whether a key is there that other
    code may always put.
    """
    return any(
        isinstance(part, ast.In) or (isinstance(part, ast.Name) and part.id == "__name__")
        for part in ast.walk(test)
    )


def places(case: Case, things: Sequence[Item], default: Sequence[str] = ()) -> list[Place]:
    """The files and definitions among some things; of a file with a definition that is named, only
    the definition.
    """
    paths = [item.text for item in things if item.kind == "file" and item.text in case.facts.python]
    scopes = (
        definition(case, item.text, paths or default)
        for item in things
        if item.kind in ("code", "text")
    )
    found = [_place(case, *scope) for scope in scopes if scope is not None]
    return found + [
        Place(case.facts.python[path])
        for path in paths
        if all(place.path != path for place in found)
    ]


def definition(case: Case, name: str, paths: Sequence[str] = ()) -> tuple[str, Definition] | None:
    """The function, method or class that a name or call stands for."""
    bare = re.sub(r"\(.*\)$", "", name.strip(), flags=re.DOTALL)
    if not re.fullmatch(r"[A-Za-z_][\w.]*", bare):
        return None
    module, _, rest = bare.partition(".")
    own = [path for path in case.facts.python if path.endswith(f"/{module}.py")]
    if own and rest:
        return case.search.definition(rest, own)
    return case.search.definition(bare, paths) if paths else case.search.definition(bare)


def _place(case: Case, path: str, found: Definition) -> Place:
    return Place(case.facts.python[path], found.line, found.end_line, found.name)


def _prove(case: Case, statement: Statement) -> Proof | None:
    passive = statement.form is not Form.ACTIVE
    rest = list(zip(statement.objects, statement.links, strict=True))
    wheres = [item for item in _limits(statement) if places(case, [item])]
    tests = _after_when(rest)
    things = [
        (item, link)
        for item, link in rest
        if item not in wheres and item.kind != "file" and item not in tests
    ]
    done = (
        [
            (item, "")
            for item in statement.subject
            if item.kind != "file" and not (wheres and item in wheres)
        ]
        if passive
        else []
    )
    scopes = scopes_of(case, statement)
    if not scopes:
        return None
    aliased = _aliased(case.said) if not done and not things else ()
    anywhere = not wheres and (passive or not places(case, statement.subject))
    proved: list[ast.AST] = []
    for place in scopes:
        nodes = related(place, statement, [*done, *things], aliased)
        if not nodes or not all(_under(place, nodes[0], item) for item in tests):
            if anywhere and len(scopes) > 1:
                continue
            return None
        proved += nodes
        if anywhere:
            return nodes, place
    return (proved, scopes[0]) if proved else None


def _after_when(rest: Sequence[Object]) -> list[Item]:
    """The things of a condition: "… when `cfg.mode` is 'trial'"."""
    first = next((number for number, (_, link) in enumerate(rest) if _WHEN.search(link)), len(rest))
    return [item for item, _ in rest[first:] if item.kind != "file"]


def _under(place: Place, node: ast.AST, item: Item) -> bool:
    """Whether a condition around a node has a thing in it."""
    tests = [around.test for around in place.file.ancestors(node) if isinstance(around, ast.If)]
    return any(
        same(place, item, part)
        for test in tests
        for part in ast.walk(test)
        if isinstance(part, ast.expr)
    )


def scopes_of(case: Case, statement: Statement) -> list[Place]:
    """Where a statement says that something is so: the definitions and files it names, else those
    that the claim is about.
    """
    passive = statement.form is not Form.ACTIVE
    files = [path for path, _ in case.python()]
    limits = _limits(statement)
    wheres = places(case, limits, files) or places(case, limits)
    named = [] if passive else places(case, statement.subject, files)
    if not passive and not all(
        item.kind == "file" or definition(case, item.text, _files(statement))
        for item in statement.subject
    ):
        return []
    if wheres:
        return [place for place in wheres if _nested(place, named)]
    return named or [Place(case.facts.python[path]) for path in files or case.facts.python]


def _files(statement: Statement) -> list[str]:
    return [
        item.text for item in statement.subject if item.kind == "file" and item.text.endswith(".py")
    ]


def _limits(statement: Statement) -> list[Item]:
    """The things that may say where: "… in `fit`"."""
    rest = zip(statement.objects, statement.links, strict=True)
    return [
        item for item, link in rest if statement.relation != "inherits" and _WITHIN.search(link)
    ]


def _nested(place: Place, named: Sequence[Place]) -> bool:
    return not named or any(
        each.path == place.path and each.first <= place.first and place.last <= each.last
        for each in named
    )


def _aliased(said: str) -> tuple[str, ...]:
    return next((thing.calls for thing in known().things if thing.said.search(said)), ())


def _unexplained(
    statement: Statement, proofs: Sequence[Proof], hinted: frozenset[str] = frozenset()
) -> Iterator[str]:
    """The words of a clause that neither say nothing nor stand, as part of a name, on the lines
    that prove it.
    """
    lists = known()
    lines = " ".join(
        text for nodes, place in proofs for node in nodes[:6] for text in _lines(place, node)
    )
    names = " ".join(place.name for _, place in proofs)
    there = {stem for word in re.findall(r"\w+", f"{lines} {names}") for stem in words_in(word)}
    typed = (
        {*TYPES, *LITERALS, "integer", "scalar", "only"}
        if statement.relation in ("returns", "converts")
        else set()
    )
    meant = " ".join(
        match.group()
        for thing in (() if statement.objects else lists.things)
        for match in thing.said.finditer(" ".join(statement.words))
    )
    for word in statement.words:
        if word in ("when", "whenever", "if") and _after_when(
            list(zip(statement.objects, statement.links, strict=True))
        ):
            continue
        if (
            word in hinted
            or word in lists.filler
            or word in lists.auxiliaries
            or word in typed
            or word in meant.split()
        ):
            continue
        if not words_in(word) <= there or not words_in(word):
            yield word


def _lines(place: Place, node: ast.AST) -> list[str]:
    first = int(getattr(node, "lineno", 1))
    last = min(int(getattr(node, "end_lineno", first) or first), first + _MOST_LINES)
    tests = [
        around.test
        for around in place.file.ancestors(node)
        if isinstance(around, ast.If) and _in_body(around, first)
    ]
    return place.file.lines[first - 1 : last] + [ast.unparse(test) for test in tests]


def _in_body(around: ast.If, line: int) -> bool:
    return around.body[0].lineno <= line <= (around.body[-1].end_lineno or line)


def _shown(place: Place, node: ast.AST) -> str:
    return place.file.lines[int(getattr(node, "lineno", 1)) - 1]
