"""The code in a prompt: files given in one JSON object or in named fences."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reviewers.bundles.json_text import JsonProblem, parse_json_at

# Where the pipelines that we know show code, as their headings begin; capitals do not count.
UNDER_REVIEW = (
    "Generated Experiment Code",
    "Derived Experiment Code",
    "Experiment Code",
    "Generated Code",
    "Submitted Code",
    "Code Under Review",
    "Code to Review",
)
EARLIER = (
    "Base Code",
    "Base Experiment Code",
    "Generated Base Code",
    "Generated Base Experiment Code",
    "Original Code",
)
_PLACES = {"config_yaml": "config/config.yaml", "pyproject_toml": "pyproject.toml"}
_ENDINGS = "py|yaml|yml|toml|txt|md|json|sh|cfg|ini|lock|ipynb"
_KEY = re.compile(rf"(\w+)_({_ENDINGS})")
_NAME = re.compile(rf"(?<![\w./-])(?:[\w.-]+/)*[\w-][\w.-]*\.(?:{_ENDINGS})(?![\w/-])")
_OPENING = re.compile(r"\s*+(?:```\w*+\s*+)?")
_OBJECT = re.compile(r"^[ \t]*+(?=\{\s*+\")", re.MULTILINE)
_FENCE = re.compile(r"^(`{3,}|~{3,})([^\n`]*)\n", re.MULTILINE)
_HEADING = re.compile(r"^#{1,3}[ \t]+[^\n]*$", re.MULTILINE)
_ONLY_NAME = re.compile(r"[ \t]*+(?:#|//|--)[ \t]*+(\S+)[ \t]*")
_LONGEST_LINE = 200
_SHOWN, _MOST_SHOWN = 30, 5
_MOST_HEADINGS = 100  # each is looked at to the end of the text
_MOST_BROKEN = 50  # objects that break off are looked at to the end of the text


@dataclass(frozen=True, slots=True)
class Code:
    """Files that a text shows.

    Attributes:
        start: where their heading begins, or the first of them if they have none.
        end: after the last of them.
        files: text by path; not yet checked: a value may be no text.
    """

    start: int
    end: int
    files: Mapping[str, object]


def heading(words: str) -> re.Pattern[str]:
    """Return what finds a heading that begins with these words."""
    return re.compile(rf"^#{{1,3}}[ \t]*{words}\b.*$", re.MULTILINE | re.IGNORECASE)


def code_under(words: tuple[str, ...], text: str, end: int) -> Code | None:
    """Return the code under the last such heading before `end`, else under the last one of all;
    None if there is none with code.

    Raises:
        JsonProblem: that code cannot be read.
    """
    found = {at.start(): at.end() for each in words for at in heading(each).finditer(text)}
    last_first = sorted(found, reverse=True)
    for starts in ([at for at in last_first if at < end], [at for at in last_first if at >= end]):
        for start in starts[:_MOST_HEADINGS]:
            if (code := _below(text, start, found[start])) is not None:
                return code
    return None


def _below(text: str, start: int, after: int) -> Code | None:
    body = _OPENING.match(text, after)
    assert body is not None
    if text.startswith("{", body.end()):
        value, end = parse_json_at(text, body.end())
        assert isinstance(value, dict)
        return Code(start, end, files_in(value) or value)
    run = next(_fenced(text, after, len(text)), None)
    if run is None or _titles(text, after, run.start):
        return None
    return Code(start, run.end, run.files)


def codes_anywhere(text: str, end: int) -> list[Code]:
    """Return the code in objects and fences before `end`, whatever heading they are under."""
    return sorted([*_objects(text, end), *_fenced(text, 0, end)], key=lambda code: code.end)


def files_in(value: object) -> Mapping[str, object] | None:
    """Return the files that a JSON value holds: an object whose keys are files, a list of objects
    with a name and a content, or an object in which one of these stands.
    """
    if isinstance(value, list):
        named = dict(pair for item in value if (pair := _named(item)) is not None)
        return named if any(map(_is_python, named)) else None
    if not isinstance(value, dict):
        return None
    of_files = sum(1 for key in value if _is_file(key))
    if any(map(_is_python, value)) and of_files * 2 > len(value):
        return value
    return next((found for item in value.values() if (found := files_in(item))), None)


def path_of(key: str) -> str:
    """Return the path that a file has which a prompt names by a key such as `train_py`."""
    path = _PLACES.get(key, key)
    if path == key and "/" not in key and (named := _KEY.fullmatch(key)):
        folder = {"py": "src/", "yaml": "config/", "yml": "config/"}.get(named[2], "")
        return f"{folder}{named[1]}.{named[2]}"
    return path


def seen_in(text: str) -> str:
    """Say in a few words what a text holds that has no code, as far as that helps."""
    headings = [found[0].strip("# \t")[:_SHOWN] for found in _HEADING.finditer(text)]
    if not headings:
        return "no heading"
    more = len(headings) - _MOST_SHOWN
    named = ", ".join(f"`{each}`" for each in headings[:_MOST_SHOWN])
    return f"the headings {named}" + (f" and {more} more" if more > 0 else "")


def _objects(text: str, end: int) -> Iterator[Code]:
    at = broken = 0
    while broken < _MOST_BROKEN and (found := _OBJECT.search(text, at, end)) is not None:
        try:
            value, after = parse_json_at(text, found.end())
        except JsonProblem:
            broken += 1
            at = found.end() + 1
            continue
        at = max(after, found.end() + 1)
        if (files := files_in(value)) is not None:
            yield Code(found.start(), after, files)


def _fenced(text: str, start: int, end: int) -> Iterator[Code]:
    """Runs of fences with a name; one ends where a name comes again or a heading without one."""
    files: dict[str, object] = {}
    begun = last = start
    for opened, closed, body in _fences(text, start, end):
        name, body = _name_of(text, opened, body)
        if files and (name in files or _titles(text, last, opened.start())):
            if any(map(_is_python, files)):
                yield Code(begun, last, files)
            files = {}
        if name is not None:
            begun = begun if files else opened.start()
            files[name] = body
        last = closed
    if any(map(_is_python, files)):
        yield Code(begun, last, files)


def _titles(text: str, start: int, end: int) -> bool:
    """Whether a heading of the first rank that names no file is between two places."""
    found = (each[0] for each in _HEADING.finditer(text, start, end))
    return any(not each.startswith("##") and not _NAME.search(each) for each in found)


def _fences(text: str, start: int, end: int) -> Iterator[tuple[re.Match[str], int, str]]:
    """The opening line of each fence, where its closing line ends, and what is between."""
    at = start
    while (opened := _FENCE.search(text, at, end)) is not None:
        closing = re.compile(rf"^{opened[1]}+[ \t]*$", re.MULTILINE)
        closed = closing.search(text, opened.end(), end)
        if closed is None:
            return
        yield opened, closed.end(), text[opened.end() : closed.start()]
        at = closed.end()


def _name_of(text: str, opened: re.Match[str], body: str) -> tuple[str | None, str]:
    """The name that a fence has in its opening line, in the line above it, or in its first line,
    which then is not part of the file.
    """
    before = text[max(0, opened.start() - _LONGEST_LINE) : opened.start()]
    above = before.rstrip().rpartition("\n")[2]
    for line in (opened[2], above):
        names = _NAME.findall(line)
        if len(names) == 1:
            return names[0], body
    first, _, rest = body.partition("\n")
    if (only := _ONLY_NAME.fullmatch(first)) and _NAME.fullmatch(only[1]):
        return only[1], rest
    return None, body


def _named(item: object) -> tuple[str, object] | None:
    if not isinstance(item, dict):
        return None
    names = [item[key] for key in ("path", "file", "filename", "name") if key in item]
    contents = [item[key] for key in ("content", "code", "text", "source") if key in item]
    if not names or not contents or not isinstance(names[0], str) or not _is_file(names[0]):
        return None
    return names[0], contents[0]


def _is_file(key: str) -> bool:
    return _NAME.fullmatch(key) is not None or _KEY.fullmatch(key) is not None


def _is_python(key: str) -> bool:
    return _is_file(key) and key.endswith(("_py", ".py"))
