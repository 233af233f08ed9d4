"""Files: whether they are there, hold anything, parse, and hold a text."""

import ast
import re

from reviewers.facts import PythonFile, yaml_config
from reviewers.facts.python_file import Definition
from reviewers.facts.squeezed_text import SqueezedText, squeezed
from reviewers.facts.unfinished import is_stub
from reviewers.propositions.answers import Answer, Witness, denied, open_, proved
from reviewers.propositions.terms import Scope
from reviewers.propositions.vocabulary import predicate
from reviewers.propositions.world import World, whole
from reviewers.records import Span, counted

_GAP = re.compile(r"(?<![\s*])\*")  # no `import *`, `a * b` or `**more`
_OR = re.compile(r"(?<=\S)\|(?=\S)")  # no `int | None`


@predicate("{file} (is|is not) in the submission", "file-structure", "src/train.py")
def exists(world: World, file: str) -> Answer:
    """True where the submission has such a file; false where it has none and nothing was passed
    over. What the pipeline supplies is not in it, as the certificate says.
    """
    found = world.paths(file)
    own = {one.path for one in world.facts.submission.files}
    if own & set(found):
        return proved(
            Witness(whole(path), f"{path} is in the submission") for path in found if path in own
        )
    passed_over = [one for one in world.facts.submission.passed_over if one.path == file]
    gaps = [f"{one.path} was skipped at import" for one in passed_over]
    supplied = [f"{path}, which the pipeline supplies, so that it is there" for path in found[:1]]
    return denied([f"the submission's {counted(len(own), 'file')}", *supplied], gaps)


@predicate("{file} (is|is not) empty", "file-structure", "src/train.py")
def empty(world: World, file: str) -> Answer:
    """True where a file holds only white space; false where it holds more. Of a file that is not
    there nothing can be told.
    """
    paths = world.paths(file)
    if not paths:
        return open_(f"{file} is not in the submission")
    blank = [path for path in paths if not (world.facts.text(path) or "").strip()]
    if len(blank) == len(paths):
        return proved(Witness(whole(path), f"{path} is empty") for path in blank)
    return denied([f"{path} has {len(world.facts.lines(path))} lines" for path in paths])


@predicate("{scope} (is|is not) a stub", "placeholder-or-truncated", "src/model.py::Adapter.update")
def stub(world: World, scope: Scope) -> Answer:
    """True where code does nothing but `pass`, `...`, raise NotImplementedError or return a
    constant: a function, or all functions of a class or a file. False where it has more statements
    than a stub and no remark calls it unfinished.
    """
    places = [(file, _definition(file, scope.name)) for file in world.python_in(scope)]
    places = [(file, found) for file, found in places if found is not None or not scope.name]
    if not scope.file or not places:
        return open_(f"there is no {scope} in the submission")
    said = {is_stub(file, scope.name) for file, _ in places}
    if said == {True}:
        return proved(
            world.at(Span(file.path, found.line if found else None)) for file, found in places
        )
    if said == {False}:
        return denied([f"the body of {scope}"])
    return open_(f"whether the little that {scope} does is all that it should is not known")


def _definition(file: PythonFile, name: str) -> Definition | None:
    return next((one for one in file.definitions if one.name == name), None)


@predicate("{file} (parses|does not parse)", "syntax-invalid", "src/train.py")
def parses(world: World, file: str) -> Answer:
    """True where Python, YAML or TOML reads the file to its end; false where it stops."""
    paths = world.paths(file)
    if not paths:
        return open_(f"{file} is not in the submission")
    read: list[Witness] = []
    for path in paths:
        problem, line = _problem(world, path)
        if problem is None:
            return open_(f"{path}: nothing here reads such a file")
        if problem:
            return denied((), (), [Witness(Span(path, line), problem)])
        read.append(Witness(whole(path), f"{path} parses"))
    return proved(read)


def _problem(world: World, path: str) -> tuple[str | None, int | None]:
    """Why a file does not parse and where; an empty text where it does, None where nothing here
    reads it.
    """
    facts = world.facts
    if path in facts.python:
        error = facts.python[path].syntax_error
        if error is not None:
            return error.message, error.line
        return ("" if facts.python[path].tree is not None else None), None
    if path == "pyproject.toml":
        return "", None
    if path.endswith((".yaml", ".yml")):
        unreadable = yaml_config.plain_problem(facts.text(path) or "")
        return (str(unreadable), unreadable.line) if unreadable else ("", None)
    return None, None


@predicate(
    "{scope} (contains|does not contain) <the text {text}|the texts {text}>",
    "by file",
    "README.md",
    "uv run",
)
def contains(world: World, scope: Scope, text: str) -> Answer:
    """True where the quoted text stands there, white space aside, `*` for what it leaves out; false
    where it does not.
    """
    paths = world.paths(scope.file) if scope.file else list(world.facts.submission.by_path)
    # What is code with these signs is looked for as it is first.
    said = [[text], *map(_GAP.split, _OR.split(text))]
    wanted = [[squeezed(part) for part in parts] for parts in said]
    if not paths or not all(map(any, wanted)):
        return open_(f"{scope.file or 'the submission'} has no text to search")
    within = {path: _within(world, scope, path) for path in paths}
    paths = [path for path, lines in within.items() if lines]
    if not paths:
        return open_(f"there is no {scope} in the submission")
    texts = {
        path: SqueezedText(world.facts.lines(path)[within[path].start : within[path].stop])
        for path in paths
    }
    found = [
        Witness(Span(path, line), world.facts.lines(path)[line - 1].strip()[:200])
        for path, text_ in texts.items()
        for at in next(filter(None, map(text_.lines_with, wanted)), ())
        for line in [within[path].start + at]
    ]
    if found:
        return proved(found)
    gaps = [
        f"{path} has the pieces of it further apart"
        for path, text_ in texts.items()
        if any(text_.has_apart(parts) for parts in wanted)
    ]
    named = f"::{scope.name}" if scope.name else ""
    return denied([f"the text of {path}{named}" for path in paths], gaps)


def _within(world: World, scope: Scope, path: str) -> range:
    """The lines of a file that a scope means, counted from 0: those of its definition, if it names
    one.
    """
    if not scope.name:
        return range(max(1, len(world.facts.lines(path))))
    file = world.facts.python.get(path)
    found = _definition(file, scope.name) if file is not None else None
    if found is None or not isinstance(found.node, ast.stmt):
        return range(0)
    return range(found.line - 1, found.node.end_lineno or found.line)
