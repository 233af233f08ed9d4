"""Reads the errors of uv, pip and build backends, which stop a run before its first line of
code.
"""

import re
from collections.abc import Sequence

from reviewers.outcomes.failure import MOST_MESSAGE, Form, RunFailure, Told

_MOST_LINES = 200
# lines from the end; an installer speaks early, and a run that got further has failed of something
# else
_READ_BACK = 20_000

_UV = re.compile(
    r"^(?:error: |\s*[×x✗] )(?P<said>Failed to"
    r" (?:parse|build|download|prepare|resolve|fetch|install|read|generate|spawn)\b.*|"
    r"No solution found when resolving\b.*|Request failed\b.*|Could not"
    r" (?:connect|find|resolve)\b.*|Distribution not found\b.*|"
    r"No (?:interpreter|`project` table|virtual environment) found\b.*|Project `.*|The"
    r" (?:lockfile|requested)\b.*|"
    r"Unable to find lockfile\b.*|Multiple top-level packages\b.*|Invalid\b.*|TOML parse"
    r" error\b.*|Package `.*)"
)
_PIP = re.compile(
    r"^\s*(?:ERROR: |error: )(?P<said>(?:Could not find a version|No matching"
    r" distribution|ResolutionImpossible|Cannot install|"
    r"Invalid requirement|Could not install|Could not build wheels|Failed building|Failed to"
    r" build|Package '|Command errored|"
    r"Exception:|metadata-generation-failed|subprocess-exited-with-error|invalid-(?:installed|pyproject)|"
    r"Directory '|File"
    r" \"setup\.py\"|resolution-too-deep|externally-managed|legacy-install-failure|Can"
    r" not|Cannot).*)$"
)
_CONFIGURATION = re.compile(
    r"(?:ValueError: )?(?P<said>invalid pyproject\.toml config: .*|configuration error: .*)$"
)
_CAUSE = re.compile(r"^\s*(?:cause: |[├╰]─▶ |Caused by: |╰─> )(?P<said>.*)$")
_BACKEND_ERROR = re.compile(
    r"^\s{2,}(?P<type>(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)): (?P<said>.+)$"
)
_BACKENDS = re.compile(
    r"/pip/_(?:internal|vendor)/|/hatchling/|/setuptools/|/poetry/core/|/flit_core/|/pdm/backend/|/pyproject_hooks/|/scikit_build"
)


def last_installer_message(lines: Sequence[str]) -> Told | None:
    """Return the last thing that an installer stopped with, None if none did.

    The message holds every cause that is named, the innermost last; the type is the build backend's
    own error where it shows one.
    """
    first = max(0, len(lines) - _READ_BACK)
    starts = [
        index
        for index in range(first, len(lines))
        if _UV.match(lines[index]) or _PIP.match(lines[index])
    ]
    if not starts:
        return _configuration(lines, first)
    start = starts[-1]
    # Several lines of one complaint begin alike; the first of them says most.
    for earlier in reversed(starts[:-1]):
        if start - earlier > _MOST_LINES // 2:
            break
        start = earlier
    end = min(len(lines), start + _MOST_LINES)
    return Told(_made(lines[start:end]), start, end)


def is_installers(failure: RunFailure) -> bool:
    """Whether a traceback is one of pip or a build backend, without any call of a program of one's
    own.
    """
    frames = failure.frames
    return all(frame.in_library for frame in frames) and any(
        _BACKENDS.search(frame.file) for frame in frames
    )


def _configuration(lines: Sequence[str], first: int) -> Told | None:
    for index in range(len(lines) - 1, first - 1, -1):
        if found := _CONFIGURATION.search(lines[index]):
            return Told(
                RunFailure("ValueError", found["said"][:MOST_MESSAGE], form=Form.INSTALLER),
                index,
                index + 1,
            )
    return None


def _made(lines: Sequence[str]) -> RunFailure:
    """Put together what one complaint says, without the traceback that may be in it."""
    said: list[str] = []
    type = "uv" if _UV.match(lines[0]) else "pip"
    for index, line in enumerate(lines):
        if (
            found := _UV.match(line)
            or _PIP.match(line)
            or _CAUSE.match(line)
            or _CONFIGURATION.search(line)
        ):
            said.append(found["said"])
        elif error := _BACKEND_ERROR.match(line):
            type, text = error["type"], error["said"]
            said.append(text)
        elif index and not line.startswith("  ") and "Traceback" in line:
            break
        elif _tells(line):
            said.append(line.strip(" │|"))
    return RunFailure(type, "\n".join(dict.fromkeys(said))[:MOST_MESSAGE], form=Form.INSTALLER)


_QUOTED = re.compile(r"^\s+(?:│ )?\s*(?:\d+ )?\|")
_TELLING = re.compile(
    r"invalid type:|expected |unknown field|missing field|Because |depends? on|you"
    r" require|unsatisfiable|must be |"
    r"not find a version|duplicate key|invalid |version of ",
    re.IGNORECASE,
)


def _tells(line: str) -> bool:
    """Whether a line that begins like no other names the reason; the quoted TOML does not."""
    if _QUOTED.match(line):
        return bool(re.search(r"\d+ \| ", line))
    return (
        bool(_TELLING.search(line))
        and '"' not in line[:8]
        and not line.strip().startswith(("File ", "raise ", "hint"))
    )
