"""Where the configuration sets the key that a message of Hydra or OmegaConf names."""

import re
from collections.abc import Sequence

from reviewers.outcomes.failure import RunFailure
from reviewers.records import Span, Submission, lines_of

_CONFIG = "config/config.yaml"
_ENTRIES = ("src/main.py", "src/train.py", "src/evaluate.py")

_FULL_KEY = re.compile(r"^\s*full_key: *(?P<key>[\w.\[\]-]{1,300})\s*$", re.MULTILINE)
_KEY = re.compile(
    r"(?:Key|key|attribute) '(?P<key>[\w.-]{1,200})'|Missing key (?P<missing>[\w.-]{1,200})"
)
_OVERRIDE = re.compile(
    r"Could not (?:override|append|delete|add)\D{0,40}? '(?P<key>[\w.@/-]{1,200})'"
)
_GROUP = re.compile(
    r"(?:Could not find|must specify|Unable to find or open|Could not load)"
    r" '(?P<group>[\w./@-]{1,300})'"
)
_INTERPOLATION = re.compile(r"(?:interpolation|Interpolation key) '(?P<text>[^'\n]{1,200})'")
_MAIN = re.compile(r"@hydra\.main\b|^\s*@main\(")
_NAMES_CONFIG = re.compile(r"config_name")
_DECORATOR_LINES = 6


def named_key(failure: RunFailure) -> str | None:
    """Return the key that a message names, in full where it says it so: `training.epochs`; None
    where it names none.
    """
    for pattern in (_FULL_KEY, _OVERRIDE, _KEY):
        if found := pattern.search(failure.message):
            return next(text for text in found.groups() if text is not None)
    return None


def place_of_key(failure: RunFailure, submission: Submission) -> Span | None:
    """Return where the key stands that a message without a traceback names; None if no place can
    be told.

    In this order: the start that has no configuration, the line of the defaults list, the
    interpolation, the word that main.py passes on, the line that reads the key, the key in the
    configuration, and at last config.yaml as a whole.
    """
    message = failure.message
    if re.match(r"Primary config|Cannot find primary config", message):
        return _main_line(submission, lacking=False)
    if group := _GROUP.search(message):
        return _of_group(group["group"].split("/")[0].split("@")[0], submission)
    if interpolation := _INTERPOLATION.search(message):
        text = interpolation["text"]
        wanted = text if "${" in text else "${" + text
        return _in_config(re.escape(wanted), submission) or _in_config(re.escape(text), submission)
    key = named_key(failure)
    if key is None:
        return None
    if _OVERRIDE.search(message):
        return (
            _main_line(submission, lacking=True)
            or _passed_on(key, submission)
            or _whole_config(submission)
        )
    return (
        _read(key, submission)
        or _in_config(rf"^\s*(?:- )?{re.escape(key.rpartition('.')[2])}\s*:", submission)
        or _whole_config(submission)
    )


def _of_group(group: str, submission: Submission) -> Span | None:
    """The line of the defaults list that asks for a group; where none does, the group was named on
    the command line.
    """
    config = lines_of(submission.by_path[_CONFIG].text) if _CONFIG in submission.by_path else []
    for number, line in enumerate(config, 1):
        if re.match(
            rf"\s*-\s*(?:override\s+|optional\s+)?/?{re.escape(group)}(?:@[\w.]+)?\s*:", line[:300]
        ):
            return Span(_CONFIG, number)
    return _passed_on(group, submission) or _whole_config(submission)


def _main_line(submission: Submission, *, lacking: bool) -> Span | None:
    """The first `@hydra.main`, or the first one without a configuration's name."""
    for path in _ENTRIES:
        file = submission.by_path.get(path)
        lines = lines_of(file.text) if file else []
        for number, line in enumerate(lines, 1):
            if not _MAIN.search(line[:300]):
                continue
            decorator = _until_function(lines[number - 1 : number - 1 + _DECORATOR_LINES])
            if not lacking or not _NAMES_CONFIG.search(decorator):
                return Span(path, number)
    return None


def _until_function(lines: Sequence[str]) -> str:
    taken: list[str] = []
    for line in lines:
        if line.lstrip().startswith(("def ", "async def ")):
            break
        taken.append(line[:300])
    return " ".join(taken)


def _passed_on(key: str, submission: Submission) -> Span | None:
    """The line of a program that passes `key=…` to another one."""
    word = re.compile(rf"""["'\s,(]\+{{0,2}}~?{re.escape(key)}=(?!=)[^\s,)]""")
    return first_line(submission, [path for path in _ENTRIES if path in submission.by_path], word)


def _read(key: str, submission: Submission) -> Span | None:
    """The line that reads or writes the key, by as many of its last parts as it has."""
    parts = key.split(".")
    paths = [path for path in submission.by_path if path.endswith(".py")]
    ordered = sorted(
        paths, key=lambda path: (_ENTRIES.index(path) if path in _ENTRIES else len(_ENTRIES), path)
    )
    for length in range(min(len(parts), 4), 0, -1):
        if length == 1 and len(parts) > 2:
            return None
        spelled = r"(?:\.{0}\b|\[[\"']{0}[\"']\]|\.get\([\"']{0}[\"'])"
        pattern = re.compile(
            r"\b\w+" + "".join(spelled.replace("{0}", re.escape(part)) for part in parts[-length:])
        )
        if found := first_line(submission, ordered, pattern):
            return found
    return None


def _in_config(pattern: str, submission: Submission) -> Span | None:
    paths = sorted(
        (path for path in submission.by_path if path.endswith((".yaml", ".yml"))),
        key=lambda path: (path != _CONFIG, path),
    )
    return first_line(submission, paths, re.compile(pattern))


def first_line(
    submission: Submission, paths: Sequence[str], *patterns: re.Pattern[str]
) -> Span | None:
    """Return the first line that one of the patterns matches, the patterns in their order; a
    comment is none.
    """
    for pattern in patterns:
        for path in paths:
            for number, line in enumerate(lines_of(submission.by_path[path].text), 1):
                if not line.lstrip().startswith("#") and pattern.search(line[:1_000]):
                    return Span(path, number)
    return None


def _whole_config(submission: Submission) -> Span | None:
    return Span(_CONFIG) if _CONFIG in submission.by_path else None
