"""Paths as code spells them, part by part, and their edits."""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import yaml

from reviewers.facts import Facts
from reviewers.facts.origins import Placed
from reviewers.facts.python_file import PythonFile
from reviewers.facts.templates import HOLE
from reviewers.offers import Edit
from reviewers.repairs.edits import CannotEdit, PythonEdits, YamlEdits

_DEEPEST = 6
_FIELD = re.compile(r"\{[^{}]*\}|%s")
_HERE = ("os.getcwd", "pathlib.Path.cwd", "hydra.utils.get_original_cwd")
_JOINING = ("pathlib.Path", "os.path.join")
_SAME = (
    *("str", "os.fspath", "hydra.utils.to_absolute_path"),
    *(f"os.path.{name}" for name in ("abspath", "realpath", "normpath", "expanduser")),
)
_SAME_METHODS = ("resolve", "absolute", "expanduser", "as_posix")


@dataclass(frozen=True, slots=True)
class PathPart:
    """One name of a path.

    Attributes:
        text: with `{}` for what is not known.
        file: the file that spells it.
        node: the constant that has it, in code or YAML, or the expression that goes up from the
            code's own file; None where no single one does.
        at: where it starts in the constant; None for what comes of the code's own file.
        end: the constant that spells the end of it.
    """

    text: str
    file: str
    node: ast.expr | yaml.ScalarNode | None = None
    at: int | None = None
    end: ast.Constant | None = None


def spelled(facts: Facts, place: Placed, depth: int = _DEEPEST) -> list[PathPart]:
    """The parts of a path from the submission's root; the first is `{}` where it starts is not
    known. As many names as `depth` says are followed to what they stand for.
    """
    file, node = place.file, place.node

    def inner(one: ast.expr) -> list[PathPart]:
        return spelled(facts, Placed(file, one), depth)

    match node:
        case ast.Constant(value=str(text)):
            return _split(text, file.path, node)
        case ast.JoinedStr():
            return _interpolated(node, inner)
        case ast.BinOp(op=how, left=left, right=right):
            if isinstance(how, ast.Mod):
                return _filled(inner(left))
            both = [inner(left), inner(right)]
            return _joined(both) if isinstance(how, ast.Div) else _glued(both)
        case ast.Name(id=name):
            if name == "__file__":
                return [PathPart(each, file.path, node) for each in file.path.split("/")]
            values = facts.file_uses.paths.origins.values(file, node)
            if len(values) == 1 and depth:
                return spelled(facts, values[0], depth - 1)
        case ast.Call():
            return _called(file, node, inner)
        case (
            ast.Attribute(attr="parent", value=below)
            | ast.Subscript(value=ast.Attribute(attr="parents", value=below))
        ):
            return _above(inner(below), file, node)
        case ast.Attribute() | ast.Subscript():
            return _configured(facts, file, node)
    return [PathPart(HOLE, file.path)]


def _configured(facts: Facts, file: PythonFile, node: ast.expr) -> list[PathPart]:
    """The path that the main configuration has at the key that is read, where no word gives it."""
    main = facts.contract.files.config or ""
    sections = facts.config_reads.sections(file, node)
    if len(sections) == 1 and facts.text(main) is not None:
        key = ".".join(*sections)
        given = {word.partition("=")[0] for each in facts.hydra.starts for word in each.words}
        pairs = YamlEdits(facts, main).pairs(key) if key not in given else []
        if len(pairs) == 1 and isinstance(pairs[0][1], yaml.ScalarNode):
            return _split(str(pairs[0][1].value), main, pairs[0][1])
    return [PathPart(HOLE, file.path)]


def _called(
    file: PythonFile, call: ast.Call, inner: Callable[[ast.expr], list[PathPart]]
) -> list[PathPart]:
    """The path that a call gives; `inner` reads its arguments."""
    name = file.resolve(call.func) or ""
    if name in _HERE or (name in _JOINING and not call.args):
        return []
    if name in _JOINING:
        return _joined([inner(each) for each in call.args])
    if name == "os.path.dirname" and call.args:
        return _above(inner(call.args[0]), file, call)
    if name in _SAME and call.args:
        return inner(call.args[0])
    match call.func:
        case ast.Attribute(attr="format", value=below):
            return _filled(inner(below))
        case ast.Attribute(attr="joinpath", value=owner):
            return _joined([inner(each) for each in (owner, *call.args)])
        case ast.Attribute(attr=attr, value=owner) if attr in _SAME_METHODS:
            return inner(owner)
    return [PathPart(HOLE, file.path)]


def _split(text: str, file: str, node: ast.expr | yaml.ScalarNode) -> list[PathPart]:
    """The names in a text, with empty ones at its ends where it starts or ends with a slash."""
    found, at = [], 0
    for name in text.split("/"):
        end = node if isinstance(node, ast.Constant) else None
        found.append(PathPart(name, file, node, at, end))
        at += len(name) + 1
    return found


def _interpolated(
    node: ast.JoinedStr, inner: Callable[[ast.expr], list[PathPart]]
) -> list[PathPart]:
    """What an f-string makes of its pieces; something can be written before what begins it."""
    pieces = (each.value if isinstance(each, ast.FormattedValue) else each for each in node.values)
    first, *rest = _glued([inner(each) for each in pieces]) or [PathPart("", "")]
    return [replace(first, node=node, at=0) if first.node is None else first, *rest]


def _filled(parts: Sequence[PathPart]) -> list[PathPart]:
    """A template for `%` or `format`, with what is filled in not known."""
    return [replace(each, text=_FIELD.sub(HOLE, each.text)) for each in parts]


def _glued(pieces: Sequence[list[PathPart]]) -> list[PathPart]:
    """Texts behind one another: the last name of one and the first of the next are one name."""
    found: list[PathPart] = []
    for parts in pieces:
        if found and parts:
            last, first, *rest = found.pop(), *parts
            is_one = not (last.text and first.text)
            one = (first if first.text else last) if is_one else replace(last, node=None, at=None)
            found += [replace(one, text=last.text + first.text, end=first.end), *rest]
        else:
            found += parts
    return found


def _joined(pieces: Sequence[list[PathPart]]) -> list[PathPart]:
    """Paths in one another."""
    if any(piece and not piece[0].text and len(piece) > 1 for piece in pieces[1:]):
        return [replace(pieces[0][0], text=HOLE)] if pieces[0] else []  # from the disk's root
    return [part for piece in pieces for part in piece if part.text not in ("", ".")]


def _above(parts: list[PathPart], file: PythonFile, node: ast.expr) -> list[PathPart]:
    """The folder above a path: `x.parent`, `x.parents[0]`, `os.path.dirname(x)`."""
    at = node.slice if isinstance(node, ast.Subscript) else None
    if at is not None and not (isinstance(at, ast.Constant) and isinstance(at.value, int)):
        return [PathPart(HOLE, file.path)]
    count = at.value + 1 if isinstance(at, ast.Constant) and isinstance(at.value, int) else 1
    if not parts or any(each.at is not None or each.text == HOLE for each in parts):
        return parts[: max(len(parts) - count, 0)] or [PathPart(HOLE, file.path)]
    names = [each.text for each in parts if each.text]
    for _ in range(count):  # above the root, one goes out of it
        names = names[:-1] if names and names[-1] != ".." else [*names, ".."]
    # The root itself has a part of no text, so that what goes up to it is known.
    return [PathPart(name, file.path, node) for name in names or [""]]


def alternatives(facts: Facts, place: Placed, depth: int = 4) -> Iterator[Placed]:
    """The expressions that a name may stand for; the expression itself where it is no name."""
    if not isinstance(place.node, ast.Name) or not depth:
        yield place
        return
    for one in facts.file_uses.paths.origins.values(place.file, place.node):
        yield from alternatives(facts, one, depth - 1)


def normal(parts: Sequence[PathPart]) -> list[PathPart]:
    """Without names that `..` takes back, and those that say nothing."""
    found: list[PathPart] = []
    for part in parts:
        if part.text in ("", ".") and part.at is not None:
            continue
        if part.text == ".." and found and found[-1].text not in ("..", HOLE, ""):
            found.pop()
        else:
            found.append(part)
    return found


def moved(facts: Facts, parts: Sequence[PathPart], folder: str, ending: str = "") -> Iterator[Edit]:
    """A path of a file in another folder, or with another ending, with as few edits as that takes.

    Raises:
        CannotEdit: the code spells it in a form that no edit fits.
    """
    *held, last = normal(parts)
    if ending:
        had = last.text.rpartition(".")[2]
        at = (str(last.end.value) if last.end is not None else "").rfind(had)
        yield _spelled_as(facts, PathPart(had, last.file, last.end, at), ending)
    wanted = folder.split("/") if folder else []
    own = [each for each in held if each.at is None and each.node is not None]
    rest = [each for each in held if each not in own]
    above = [each.text for each in own if each.text]
    if above and above == wanted[: len(above)]:
        wanted = wanted[len(above) :]
    elif above:
        yield _up_to_the_root(facts, own[0])
    same = 0
    while same < min(len(rest), len(wanted)) and rest[same].text == wanted[same]:
        same += 1
    end = 0
    most = min(len(rest), len(wanted)) - same
    while end < most and rest[-1 - end].text == wanted[-1 - end]:
        end += 1
    old, new = rest[same : len(rest) - end], wanted[same : len(wanted) - end]
    if old and len(new) >= len(old):
        new = [*new[: len(old) - 1], "/".join(new[len(old) - 1 :])]
        for part, name in zip(old, new, strict=True):
            if part.text != name:
                yield _spelled_as(facts, part, name)
    elif not old and new:
        before = rest[same - 1] if same else None
        if before is not None and before.at is not None:
            yield _spelled_as(facts, before, "/".join([before.text, *new]))
        else:
            yield _spelled_as(facts, last, "/".join([*new, last.text]))
    elif old and rest[: len(rest) - end]:
        yield from _without(facts, old, new)


def _spelled_as(facts: Facts, part: PathPart, name: str) -> Edit:
    """Another name in the text that spells one."""
    if isinstance(part.node, yaml.ScalarNode):
        scalar = YamlEdits(facts, part.file)
        start, text, value = part.node.start_mark.index, scalar.text_of(part.node), part.node.value
    else:
        code = PythonEdits(facts, part.file)
        around = code.file.parents.get(part.node) if part.node is not None else None
        held = around if isinstance(around, ast.JoinedStr) else part.node
        if held is None:
            raise CannotEdit("no text spells the folder")
        start, text = code.span(held)[0], code.text_of(held)
        if isinstance(part.node, ast.JoinedStr):  # one that begins with a value
            start += len(text) - len(text.lstrip("rRfF")) + 1
            return Edit(part.file, start, start, name.removesuffix(part.text))
        value = part.node.value if isinstance(part.node, ast.Constant) else None
    if part.at is None or part.at < 0 or not isinstance(value, str) or text.count(value) != 1:
        raise CannotEdit("the text is written in another way")
    start += text.index(value) + part.at
    return Edit(part.file, start, start + len(part.text), name)


def _without(facts: Facts, old: Sequence[PathPart], new: Sequence[str]) -> Iterator[Edit]:
    """Fewer names than there are."""
    for part, name in zip(old, new, strict=False):
        yield _spelled_as(facts, part, name)
    for part in old[len(new) :]:
        if not isinstance(part.node, ast.Constant):
            raise CannotEdit("no text spells the folder")
        code = PythonEdits(facts, part.file)
        match code.file.parents.get(part.node):
            case ast.BinOp(op=ast.Div(), left=left, right=right) if part.node.value == part.text:
                yield Edit(code.path, code.span(left)[1], code.span(right)[1], "")
            case _:
                raise CannotEdit("the folder is spelled in another way")


def _up_to_the_root(facts: Facts, part: PathPart) -> Edit:
    """The way up from the code's own file, as far as the submission's root."""
    code = PythonEdits(facts, part.file)
    count = part.file.count("/") + 1
    match part.node:
        case ast.Attribute(attr="parent") as node:
            base: ast.expr = node
            while isinstance(base, ast.Attribute) and base.attr == "parent":
                base = base.value
            text = f"{code.text_of(base)}{'.parent' * count}"
        case ast.Subscript(value=ast.Attribute(attr="parents")) as node:
            return code.put(node.slice, str(count - 1))
        case ast.Call(func=func, args=[inner]) as node:
            while isinstance(inner, ast.Call) and ast.dump(inner.func) == ast.dump(func):
                inner = inner.args[0]
            text = code.text_of(inner)
            for _ in range(count):
                text = f"{code.text_of(func)}({text})"
        case _:
            raise CannotEdit("the way up is written in another form")
    return code.put(node, text)


def pattern(path: str) -> re.Pattern[str]:
    """What matches a path, whatever its parts that are not known stand for."""
    return re.compile("[^/]*".join(map(re.escape, path.split(HOLE))))
