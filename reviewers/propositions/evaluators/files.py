"""Files: whether they are there, hold anything, parse, and hold a text."""

import re

from reviewers.propositions.answers import Answer, Witness, denied, open_, proved
from reviewers.propositions.terms import Scope
from reviewers.propositions.vocabulary import predicate
from reviewers.propositions.world import World, whole
from reviewers.records import Span

_SPACE = re.compile(r"\s+")


@predicate("{file} (is|is not) in the submission", "file-structure", "src/train.py")
def exists(world: World, file: str) -> Answer:
    """True where the submission has such a file; false where it has none and nothing was passed
    over. What the pipeline supplies cannot be told.
    """
    found = world.paths(file)
    own = {one.path for one in world.facts.submission.files}
    if found and not own & set(found):
        return open_(f"{found[0]} is supplied by the pipeline")
    if found:
        return proved(
            Witness(whole(path), f"{path} is in the submission") for path in found if path in own
        )
    passed_over = [one for one in world.facts.submission.passed_over if one.path == file]
    gaps = [f"{one.path} was skipped at import" for one in passed_over]
    return denied([_all_files(world)], gaps)


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
    return None, None


@predicate(
    "{scope} (contains|does not contain) <the text {text}|the texts {text}>",
    "by file",
    "README.md",
    "uv run",
)
def contains(world: World, scope: Scope, text: str) -> Answer:
    """True where the quoted text stands there, white space aside; false where it does not."""
    wanted = _SPACE.sub("", text)
    paths = world.paths(scope.file) if scope.file else list(world.facts.submission.by_path)
    if not paths or not wanted:
        return open_(f"{scope.file or 'the submission'} has no text to search")
    found = [
        Witness(Span(path, line), world.facts.lines(path)[line - 1].strip()[:200])
        for path in paths
        for line in _lines_with(world, path, wanted)
    ]
    return proved(found) if found else denied([f"the text of {path}" for path in paths])


def _lines_with(world: World, path: str, wanted: str) -> list[int]:
    """The first lines of the places where a text stands, white space aside."""
    squeezed: list[str] = []
    starts: list[int] = []
    for number, line in enumerate(world.facts.lines(path), 1):
        plain = _SPACE.sub("", line)
        squeezed.append(plain)
        starts += [number] * len(plain)
    whole_text, at = "".join(squeezed), -1
    found: list[int] = []
    while (at := whole_text.find(wanted, at + 1)) >= 0 and len(found) < 20:
        found.append(starts[at])
    return found


def _all_files(world: World) -> str:
    return f"the submission's {len(world.facts.submission.by_path)} files"
