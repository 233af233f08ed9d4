"""The commands and modes of a prompt: which scripts are started, with which words, and by whom."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from reviewers.rubric.contract import script_of
from reviewers.rubric.reading.demand_parts import (
    NOT,
    DemandPart,
    code_spans,
    names_of,
    parts,
    paths_in,
)
from reviewers.rubric.reading.modes import alternatives, read_modes
from reviewers.rubric.reading.outline import PromptStatement
from reviewers.rubric.reading.shell import Line, command_lines, shown

ROLES = {
    "main": r"main|__main__|run|runner|launch\w*|start|cli|app|entry\w*|driver|pipeline|go"
    r"|run_experiments?|experiments?",
    "train": r"(?:run_)?train\w*|fit|learn|fine_?tune",
    "evaluate": r"(?:run_)?eval\w*|assess|scor(?:e|ing)|analy\w+|compare\w*|report|judge",
    "inference": r"infer|inference|predict|prediction|generate",
}
"""The parts of the work by the names that scripts have."""
_OWN_NAMES = {"train": r"train\w*", "evaluate": r"eval\w*", "inference": r"infer\w*|predict\w*"}
_LABELS = {
    "evaluate": r"\b(?:evaluat|assess|compar|scor|analy[sz]e)\w*",
    "train": r"\b(?:train|fit|finetun|fine-tun)\w*",
    "inference": r"\b(?:infer|predict)\w*",
}
_COMMANDS = re.compile(
    r"\bcommands?\b|\busage\b|\b(?:start|launch|call|execut|invo)", re.IGNORECASE
)
_MARK = "\ue001"  # stands around the part of the work in the place of a script's name
_SCRIPT = rf"{_MARK}\w+{_MARK}"
_SCRIPTS = rf"{_SCRIPT}(?:(?:\s*,|\s+(?:and|or|nor|then|by|from|as\s+an?\s+\w+)\b)+\s*{_SCRIPT})*"
_VERB = r"(?:call|start|launch|invoke|run|spawn|execute|trigger)"
_ACTIVE = re.compile(
    rf"(?P<who>{_SCRIPTS}|\bother\s+\w+)(?:\s+\w+){{0,6}}?\s+{_VERB}(?:s|es)?\s+(?:\w+\s+){{0,2}}?"
    rf"(?P<what>{_SCRIPTS})",
    re.IGNORECASE,
)
_PASSIVE = re.compile(
    rf"(?P<what>{_SCRIPTS})(?:\s+\w+){{0,5}}?\s+(?:{_VERB}(?:ed|d)|spawned|run)\s+(?:\w+\s+){{0,3}}?"
    rf"(?:by|from|in|through)\s+(?P<who>{_SCRIPTS}|\b(?:an|any|no|the)?\s?(?:other\b|any\w*))",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"\bindependent(?:ly)?\b|\bstand[- ]?alone\b|\bon\s+its\s+own\b|\bby\s+itself\b|\bseparately\b"
    r"|\ba\s+(?:program|process|step|command)\s+of\s+its\s+own\b|\bruns?\s+alone\b",
    re.IGNORECASE,
)
_LEFT_OPEN = re.compile(r"\b(?:may|might|can|could|optional\w*|needs?|required|if|whether)\b")


def read_commands(
    statements: list[PromptStatement], asked: list[PromptStatement], files: tuple[str, ...]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the tables of the commands and of the modes.

    Commands are those of the criteria; where these show none, those elsewhere that are in a block
    of code or start one of the files.
    """
    lines = command_lines(asked)
    if not any(line.units for line in lines):
        lines = [
            line
            for line in command_lines(statements)
            if line.statement.fenced
            or _file(line, files) in files
            or any(_COMMANDS.search(up.text) for up in line.statement.above)
        ] or lines
    named = {path for each in statements for path in paths_in(each.text)}
    jobs: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        if line.launch[-1] != line.file and "/" not in line.file and line.file not in named:
            # A module alone may be a file or a package: the one that the prompt names.
            line.file = line.file.removesuffix(".py") + "/__main__.py"
            if line.file not in named:
                continue
        jobs.setdefault(_job(line), []).append(line)
    jobs = {job: group for job, group in jobs.items() if job[1] or not _names_only(job, jobs)}
    commands: dict[str, dict[str, Any]] = {}
    modes: dict[str, Any] = {}
    several = any("{run_id}" in " ".join(line.units) for line in lines)
    for group in jobs.values():
        role = _role(group, commands, several=several)
        if role is None:
            continue
        commands[role] = {"line": "", "file": _file(group[0], files)}
        split = alternatives(group)
        if split is None or len({_environment(line) for line in group}) > 1:
            continue
        near = [line.statement for line in group if line.statement not in asked]
        read = read_modes(*split, [*near, *asked], spoken=role != "evaluate")
        if read is not None and (not read[1] or not modes or read[1].keys() == modes.keys()):
            modes = modes or read[1]
            commands[role]["line"] = shown(group[0].launch, read[0])
            commands[role]["values"] = dict(group[0].values)
    _add_parts(commands, files)
    _add_starts(commands, lines, asked)
    return {role: commands[role] for role in ROLES if role in commands}, modes


def _environment(line: Line) -> tuple[str, ...]:
    """The variables that are set before a command."""
    return tuple(word for word in line.launch if re.match(r"[A-Z_][A-Z0-9_]*=", word))


def _job(line: Line) -> tuple[str, str]:
    """What a command starts: its script, and the subcommand that names a part of the work."""
    first = line.units[0] if line.units else ""
    return line.file, first if any(re.fullmatch(each, first) for each in ROLES.values()) else ""


def _names_only(job: tuple[str, str], jobs: Mapping[tuple[str, str], list[Line]]) -> bool:
    """Whether a script is started elsewhere with a subcommand, and here without any word."""
    return not any(line.units for line in jobs[job]) and any(
        other[0] == job[0] and other[1] for other in jobs
    )


def _file(line: Line, files: tuple[str, ...]) -> str:
    package = line.file.removesuffix(".py") + "/__main__.py"
    return package if package in files and line.file not in files else line.file


def _role(lines: list[Line], taken: Mapping[str, Any], *, several: bool) -> str | None:
    """The part of a command in the work: by its name, by the words before it, or by what it is
    given; where others take one run, a command that takes none, or all, compares.
    """
    file, word = _job(lines[0])
    stem = word or file.rpartition("/")[2].removesuffix(".py").lower()
    names = {role for role, known in ROLES.items() if re.fullmatch(known, stem)}
    units = [" ".join(line.units) for line in lines]
    compares = all("{run_ids}" in each for each in units)
    if several and not names:
        compares = compares or not any("{run_id}" in each for each in units)
    labels = {
        role
        for role, words in _LABELS.items()
        if re.search(words, lines[0].label[-120:], re.IGNORECASE)
    }
    fitting = names or ({"evaluate"} if compares else set()) or labels
    if not fitting and not taken:
        fitting = {"main"}
    return next((role for role in ROLES if role in fitting and role not in taken), None)


def _add_parts(commands: dict[str, dict[str, Any]], files: tuple[str, ...]) -> None:
    """Scripts that are asked for and bear the name of a part of the work: its own name, where no
    command could be read.
    """
    started = {command["file"] for command in commands.values()}
    names_of_roles = ROLES if any(each.get("line") for each in commands.values()) else _OWN_NAMES
    for role, names in names_of_roles.items():
        fitting = [
            path
            for path in files
            if path.endswith(".py")
            and path not in started
            and re.fullmatch(names, path.rpartition("/")[2].removesuffix(".py").lower())
        ]
        if role != "main" and role not in commands and len(fitting) == 1:
            commands[role] = {"file": fitting[0]}


def _add_starts(
    commands: dict[str, dict[str, Any]], lines: list[Line], asked: list[PromptStatement]
) -> None:
    """Add to the tables of commands which starts which, and which none may start."""
    if len({command["file"] for command in commands.values()}) < len(commands):
        return
    starts: dict[str, set[str]] = {role: set() for role in commands}
    for part in parts(asked):
        text = _with_roles(part, lines, commands)
        left_open = _LEFT_OPEN.search(text) is not None
        for role, by in _started_in(text, commands, left_open):
            starts[by].add(role)
        named = _roles(re.split(r"\bindependent(?:ly)?\s+(?:of|from)\b", text)[0])
        named = named or _of_statement(part.statement, lines, commands)
        if len(named) == 1 and _ALONE.search(text) and not NOT.search(text) and not left_open:
            commands[named.pop()]["alone"] = True
    labels = " ".join(
        line.label for line in lines if line.file == commands.get("main", {}).get("file")
    )
    for role, words in _LABELS.items():
        # The command of another part that is shown with the main script is started by it.
        if role in commands and not commands[role].get("line") and re.search(words, labels, re.I):
            starts["main"].add(role)
    for role, begun in starts.items():
        whole = [each for each in ROLES if each in begun and not commands[each].get("alone")]
        if whole:
            commands[role]["starts"] = whole


def _started_in(
    text: str, commands: dict[str, dict[str, Any]], left_open: bool
) -> Iterator[tuple[str, str]]:
    """Which part a sentence says is started, and by which; one that it forbids to be started is
    marked so.
    """
    for found in (hit for each in (_ACTIVE, _PASSIVE) for hit in each.finditer(text)):
        clause = re.split(r"[,:;]", text[: found.start()])[-1]
        denied = NOT.search(clause + found[0])
        for role in _roles(found["what"]):
            if denied and not re.search(r"\bneed", text):
                commands[role]["alone"] = True
            elif not denied and not left_open:
                yield from ((role, each) for each in _roles(found["who"]) - {role})


def _roles(text: str) -> set[str]:
    return set(re.findall(rf"{_MARK}(\w+){_MARK}", text))


def _of_statement(
    statement: PromptStatement, lines: list[Line], commands: Mapping[str, dict[str, Any]]
) -> set[str]:
    """The parts whose commands are in a statement."""
    files = {line.file for line in lines if statement in line.statement.lineage}
    return {role for role, command in commands.items() if command["file"] in files}


def _with_roles(part: DemandPart, lines: list[Line], commands: Mapping[str, dict[str, Any]]) -> str:
    """The text of a part with scripts and their commands as parts of the work; `it` is the script
    that is named last before, else the one that its statement starts.
    """
    text = _marked(part.text, commands)
    if re.match(r"(?:and\s+)?(?:not|never)\s+(?:\w+\s+)?by\b", text):
        text = f"it is not called {text}"
    elif re.match(r"(?:and\s+)?(?:is|never|not|must|called|started|run)\b", text):
        text = f"it {text}"
    if not re.search(r"\b[Ii]t\b|\bwhich\b", text):
        return text
    whole = " ".join(part.statement.text.split())
    before = re.findall(_SCRIPT, _marked(whole[: max(whole.find(part.text[:30]), 0)], commands))
    started = _of_statement(part.statement, lines, commands)
    meant = before[-1] if before else f"{_MARK}{started.pop()}{_MARK}" if len(started) == 1 else ""
    return re.sub(r"\b[Ii]t\b", meant, text, count=1) if meant else text


def _marked(text: str, commands: Mapping[str, dict[str, Any]]) -> str:
    roles = {command["file"]: role for role, command in commands.items()}
    for span in code_spans(text):
        if " " in span and (role := roles.get(script_of(span))):
            text = text.replace(span, f"{_MARK}{role}{_MARK}")
    text = re.sub(r"\s[\w.+-]+=\S+", " ", text.replace("`", ""))
    for file, role in roles.items():
        text = re.sub(names_of(file), f"{_MARK}{role}{_MARK}", text)
    return text


def by_role(text: str, commands: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a prompt with its scripts called by their parts in the work: `evaluate.py`."""
    for role, command in commands.items():
        text = re.sub(names_of(command["file"]), f"{role}.py", text)
    return text
