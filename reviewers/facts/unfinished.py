"""Where code says, or shows, that it is unfinished."""

import ast
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from reviewers.facts.python_file import Definition, Function, PythonFile
from reviewers.facts.python_nodes import walk
from reviewers.facts.remarks import remarks as spoken


def _words(pattern: str) -> re.Pattern[str]:
    """Return a pattern for a text in which any space may be a line's end."""
    return re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE)


# What is only mentioned, since it is gone or is a part of a text's form, is passed over.
_LEFT_OUT = _words(
    r"(?P<fine>\b(?:no|without|any|every|format|prompt|string|template|token) placeholders?\b"
    r"|\bplaceholders? (?:(?:is|are|was|were|has been|have been) )?"
    r"(?:tokens?|ids?|values? for|updated|filled|replaced|overridden|strings?|\())"
    r"|\b(?-i:TODO|FIXME|XXX)\b|\bfor brevity\b|\bfor (demonstration|illustration)("
    r" purposes)?\b|\bimplement (this|me|it) later\b"
    r"|\b(your|actual|real) (code|implementation|logic) (goes )?here\b|\bnot (yet"
    r" )?implemented\b(?! (by|for|in) )"
    r"|\bplaceholders?\b"
    r"|\b(will|must|should|to) be (implemented|replaced|added|filled in) (later\b"
    r"|(by|with) (an? |the )?(actual|real|proper|specific)\b)"
    r"|\bin practice,? (one|you|we|this) (should|would)\b"
    r"|\b(rest of the|remaining) (code|implementation) (is )?(omitted|unchanged)\b"
)
# One of these is in whatever the patterns find, and sought in a fraction of their time.
_OF_BOTH = (
    *("placeholder", "todo", "fixme", "xxx", "brevity", "demonstration", "illustration", "later"),
    *("here", "implemented", "replaced", "added", "filled", "practice", "omitted", "unchanged"),
    "simplified",
)
_SIMPLIFIED = _words(r"\bsimplified (implementation|version|but)\b|\(simplified\)")
_ABSTRACT = frozenset({"abc.abstractmethod", "abstractmethod", "typing.overload", "overload"})
_OPEN_BASES = frozenset(
    {"Protocol", "typing.Protocol", "typing_extensions.Protocol", "ABC", "abc.ABC"}
)
_MUCH = 4  # statements that no stub has
_MAY_DO_NOTHING = frozenset({"close", "reset", "flush", "on_step"})


@dataclass(frozen=True, slots=True)
class UnfinishedRemark:
    """What a place in the code says of being unfinished, in comments, a docstring or an error's
    text.

    Attributes:
        lines: where it says so, the line first that says most.
        word, text: what is on the first of these lines.
        mild: whether it is only called simplified.
        about: the line on which the statement begins that it mentions; 0 behind the last one.
    """

    lines: tuple[int, ...]
    word: str
    text: str
    mild: bool
    about: int


def remarks(file: PythonFile) -> Iterator[UnfinishedRemark]:
    """Yield the remarks of one file in the order of its lines; what mentions one statement is
    one.
    """
    found: dict[int, UnfinishedRemark] = {}
    told = [
        (line, text)
        for line, text in (*_spoken(file), *_errors(file))
        if any(map(text.lower().__contains__, _OF_BOTH))
    ]
    for pattern in (_LEFT_OUT, _SIMPLIFIED):
        for line, text in told:
            for match in pattern.finditer(text):
                at = line + text.count("\n", 0, match.start())
                if match.groupdict().get("fine") is None and at not in found:
                    word = " ".join(match[0].split())
                    said = _lines_of(text, match).strip("# \t\"'")
                    found[at] = UnfinishedRemark((at,), word, said, pattern is _SIMPLIFIED, 0)
    places: dict[int, list[UnfinishedRemark]] = defaultdict(list)
    about = _spoken_of(file, found) if found else {}
    for line in sorted(found):
        places[about[line]].append(replace(found[line], about=about[line]))
    for together in places.values():
        first = min(together, key=lambda each: each.mild)
        others = (line for each in together if each is not first for line in each.lines)
        yield replace(first, lines=(*first.lines, *others))


def stubs(file: PythonFile) -> Iterator[tuple[Definition, str]]:
    """Yield the functions without a body of their own, each with the words that are there
    instead.
    """
    written = {
        name
        for cls in file.classes.values()
        for name, method in cls.methods.items()
        if not _is_stub(method)
    }
    for found in file.definitions:
        if (
            isinstance(found.node, Function)
            and _is_stub(found.node)
            and not _may_be_empty(file, found.name, found.node, written)
        ):
            body = _own_body(found.node)
            yield found, ast.unparse(body[0])[:80] if body else "a docstring"


def is_stub(file: PythonFile, name: str) -> bool | None:
    """Whether code does nothing: of a function, at most to return a constant; of a class or a file
    all its functions. None where it does little, runs something as it is loaded, or calls itself
    unfinished; or is not known.

    Args:
        name: of a definition by its qualified name; empty for the whole file.
    """
    if file.tree is None:
        return None
    if not name and only_filler(file) is not None:
        return True
    is_run = not name and not all(map(_only_defines, file.tree.body))
    within = [
        each
        for each in file.definitions
        if not name or each.name == name or each.name.startswith(f"{name}.")
    ]
    bodies = [_own_body(each.node) for each in within if isinstance(each.node, Function)]
    if bodies and all(map(_does_nothing, bodies)):
        return None if is_run else True
    lines = {line for each in within for line in _lines(each.node)}
    said = {line for remark in remarks(file) for line in remark.lines}
    is_called_so = bool(said if not name else said & lines)
    does_much = any(
        sum(isinstance(part, ast.stmt) for part in _parts(body)) >= _MUCH for body in bodies
    )
    return False if does_much and not is_called_so else None


def only_filler(file: PythonFile) -> list[str] | None:
    """What is in a file that does nothing: a docstring, `pass` or `...`; nothing if it holds
    comments alone. None if it has code.
    """
    if file.tree is None:
        return None
    found: dict[str, None] = {}
    for statement in file.tree.body:
        match statement:
            case ast.Expr(value=ast.Constant(value=str())):
                found["a docstring"] = None
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                found[f"`{ast.unparse(statement)[:80]}`"] = None
            case _:
                return None
    return list(found)


def _spoken(file: PythonFile) -> Iterator[tuple[int, str]]:
    """Comments and docstrings, with the line on which each starts."""
    for said in spoken(file.path, file.text, file) if file.tree is not None else ():
        if not said.is_data:
            yield said.line, said.text


def _spoken_of(file: PythonFile, lines: Iterable[int]) -> dict[int, int]:
    """Where the statement begins that each line mentions: the one in which it stands, else the one
    that follows.
    """
    statements = file.of(ast.stmt)
    begins = sorted(each.lineno for each in statements)
    within = {
        line: each.lineno
        for each in statements
        if not hasattr(each, "body")
        for line in range(each.lineno, (each.end_lineno or each.lineno) + 1)
    }
    begins.append(0)  # behind the last one
    return {
        line: within.get(line) or begins[bisect_left(begins, line, hi=len(begins) - 1)]
        for line in lines
    }


def _lines_of(text: str, match: re.Match[str]) -> str:
    """The lines that a match touches, as one."""
    start = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.end())
    return " ".join(text[start : end if end >= 0 else len(text)].split())


def _errors(file: PythonFile) -> Iterator[tuple[int, str]]:
    """The texts of NotImplementedError: other errors mention what a user did."""
    for call in file.calls:
        if call.name == "NotImplementedError":
            for part in walk(call.node):
                if (
                    isinstance(part, ast.Constant)
                    and isinstance(part.value, str)
                    and "brevity" in part.value
                ):
                    yield part.lineno, part.value


def _own_body(node: Function) -> list[ast.stmt]:
    first = node.body[0] if node.body else None
    documented = (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )
    return node.body[1:] if documented else node.body


def _does_nothing(body: list[ast.stmt]) -> bool:
    match body:
        case [ast.Return(value=None | ast.Constant())]:
            return True
        case _:
            return _is_filler(body)


def _only_defines(statement: ast.stmt) -> bool:
    """Whether nothing runs as it is loaded."""
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
            return True
    return isinstance(statement, ast.ClassDef | Function)


def _parts(body: list[ast.stmt]) -> Iterator[ast.AST]:
    return (part for statement in body for part in walk(statement))


def _lines(node: ast.AST) -> range:
    start = getattr(node, "lineno", 0)
    return range(start, (getattr(node, "end_lineno", None) or start) + 1)


def _is_stub(node: Function) -> bool:
    return _is_filler(_own_body(node))


def _is_filler(body: list[ast.stmt]) -> bool:
    match body:
        case [] | [ast.Pass()]:
            return True
        case [ast.Expr(value=ast.Constant(value=value))]:
            return value is ...
        case [ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name)))]:
            return name == "NotImplementedError"
        case _:
            return False


def _may_be_empty(file: PythonFile, name: str, node: Function, written: Collection[str]) -> bool:
    """Abstract methods, overloads, hooks that may do nothing, and methods that another class here
    fills in.
    """
    if any(file.resolve(decorator) in _ABSTRACT for decorator in node.decorator_list):
        return True
    owner = file.classes.get(name.rpartition(".")[0])
    if owner is None:
        return False
    if (
        node.name.startswith("__")
        or node.name in _MAY_DO_NOTHING
        or any(base in _OPEN_BASES for base in owner.bases)
    ):
        return True
    if any(isinstance(statement, ast.Raise) for statement in _own_body(node)):
        # An error, unlike a hook that does nothing, is only met where a subclass overrides it.
        return any(
            owner.name in cls.bases and node.name in cls.methods for cls in file.classes.values()
        )
    return node.name in written
