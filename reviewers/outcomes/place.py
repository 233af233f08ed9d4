"""Where in the submission's own files a run failed."""

import re
from collections.abc import Sequence

from reviewers.outcomes.failure import Form, Frame, RunFailure
from reviewers.outcomes.keys import first_line, place_of_key
from reviewers.outcomes.requirements import place_in_pyproject
from reviewers.records import Span, Submission, lines_of

_MOST_FILES = 20  # own files of one name; more of them say nothing
_IN_TEXT = re.compile(r'in "(?P<file>[^"\n]{1,400}\.ya?ml)", line (?P<line>\d{1,7})')
_MODULE = re.compile(r"(?:No module named|specification for) '?(?P<name>[\w.]{1,200})'?")
_TARGET = re.compile(r"call to target '(?P<name>[\w.]{1,200})'")
_OPTION = re.compile(r"--?[\w-]{2,60}")
_PROGRAM = re.compile(r"^(?P<file>[\w.-]{1,80}\.py)\b")
_SPACE = re.compile(r"\s+")


def place_of(failure: RunFailure, submission: Submission) -> Span | None:
    """Return the place of a failure in the submission's files, None if it has none there.

    Of a traceback it is the last call in a file of the submission. Where the line has another text
    there than the traceback shows, the nearest line with that text is meant; where no line has it,
    an outer call is, or the file as a whole. Without calls it is what the message names: a key of
    the configuration, a requirement in pyproject.toml, a module.
    """
    if failure.form is Form.INSTALLER:
        return place_in_pyproject(failure, submission)
    # A command that was refused is best found where it is started; who started it says so in a
    # traceback.
    order = (
        (failure.outer, failure) if failure.form is Form.COMMAND_LINE else (failure, failure.outer)
    )
    for told in filter(None, order):
        found = (
            _in_yaml(told, submission)
            or _in_frames(_telling(told), submission)
            or _by_message(told, submission)
        )
        if found is not None:
            return found
    return None


def _telling(failure: RunFailure) -> Sequence[Frame]:
    """The calls that can be the place; a syntax error is in the file that could not be read,
    and in none that imports it.
    """
    return failure.frames[-1:] if failure.form is Form.SYNTAX else failure.frames


def _in_frames(frames: Sequence[Frame], submission: Submission) -> Span | None:
    lost: Span | None = None
    for frame in reversed(frames):
        path = own_path(frame.file, submission)
        if path is None or frame.in_library:
            continue
        lines = lines_of(submission.by_path[path].text)
        if line := _line_of(frame, lines):
            return Span(path, line)
        lost = lost or Span(path)
    return lost


def own_path(file: str, submission: Submission) -> str | None:
    """Return which file of the submission a path of another machine means, None if it means
    none.
    """
    path = file.replace("\\", "/").removeprefix("./")
    parts = path.split("/")
    for start in range(max(0, len(parts) - _MOST_FILES), len(parts)):
        if (end := "/".join(parts[start:])) in submission.by_path:
            return end
    return None


def _line_of(frame: Frame, lines: Sequence[str]) -> int | None:
    """The line that a frame means, None if the file has no such line."""
    shown = _bare(frame.code)
    if not shown:
        return frame.line if frame.line <= len(lines) else None
    if (
        frame.line <= len(lines)
        and frame.line > 0
        and _bare(lines[frame.line - 1]).startswith(shown[:200])
    ):
        return frame.line
    same = [number for number, line in enumerate(lines, 1) if _bare(line) == shown]
    return min(same, key=lambda number: abs(number - frame.line), default=None)


def _bare(line: str) -> str:
    return _SPACE.sub("", line)


def _in_yaml(failure: RunFailure, submission: Submission) -> Span | None:
    """The last place in a file of the submission that a YAML parser names."""
    places = list(_IN_TEXT.finditer(failure.message))
    for found in reversed(places):
        if path := own_path(found["file"], submission):
            return Span(path, int(found["line"]))
    return None


def _by_message(failure: RunFailure, submission: Submission) -> Span | None:
    if failure.form is Form.COMMAND_LINE:
        return _of_command(failure, submission)
    if failure.form is Form.HYDRA:
        if target := _TARGET.search(failure.message):
            return _of_target(target["name"], submission)
        return place_of_key(failure, submission)
    return (
        place_of_key(failure, submission)
        if failure.name.startswith(("Config", "Interpolation", "Missing"))
        else None
    )


def _of_command(failure: RunFailure, submission: Submission) -> Span | None:
    """The program that refused its words, or the line that starts a module which was not found."""
    if program := _PROGRAM.match(failure.message):
        files = [path for path in submission.by_path if path.rpartition("/")[2] == program["file"]]
        if len(files) != 1:
            return None
        words = [
            *_OPTION.findall(failure.message),
            *re.findall(r"required: ([\w, ]+)", failure.message),
        ]
        named = [name.strip(" -") for word in words for name in word.split(",")]
        return first_line(
            submission,
            files,
            *(re.compile(rf"add_argument\(.*{re.escape(name)}") for name in named if name),
            re.compile(r"\.parse_args\(|ArgumentParser\(|hydra\.main\("),
        )
    module = _MODULE.search(failure.message)
    if module is None:
        return None
    path = module["name"].replace(".", "/") + ".py"
    name = re.escape(module["name"])
    pattern = re.compile(rf"[\"']{name}[\"']|-m {name}\b")
    started = first_line(submission, _python(submission), pattern)
    if started is not None or path in submission.by_path:
        return started
    return Span(path) if path.startswith("src/") else None


def _of_target(name: str, submission: Submission) -> Span | None:
    module, _, defined = name.rpartition(".")
    path = module.replace(".", "/") + ".py"
    files = [path] if path in submission.by_path else []
    return first_line(submission, files, re.compile(rf"^\s*(?:class|def) {re.escape(defined)}\b"))


def _python(submission: Submission) -> list[str]:
    order = {"src/main.py": 0, "src/train.py": 1}
    paths = (path for path in submission.by_path if path.endswith(".py"))
    return sorted(paths, key=lambda path: (order.get(path, 2), path))
