"""Commands and modes of a prompt."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from reviewers.rubric.reading.limits import limits
from reviewers.rubric.reading.lines import Line, command_lines, shell, spoken_words
from reviewers.rubric.reading.modes import (
    PLAIN_MODE,
    flag_modes,
    split_modes,
    spoken_modes,
    spoken_of,
)
from reviewers.rubric.reading.outline import Statement
from reviewers.rubric.reading.parts import parts
from reviewers.rubric.reading.starts import LABELS, ROLES, add_starts


def read_commands(
    statements: list[Statement], files: tuple[str, ...]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the tables of the commands and of the modes."""
    lines = command_lines(statements)
    groups: dict[str, list[Line]] = {}
    for line in lines:
        groups.setdefault(line.file, []).append(line)
    commands: dict[str, dict[str, Any]] = {}
    words: dict[str, tuple[str, ...]] = {}
    modes: dict[str, str] = {}
    for file, group in groups.items():
        role = _role(file, group, commands)
        if role is None:
            continue
        commands[role] = {"line": "", "file": file}
        shared = split_modes(group)
        if shared is not None:
            words[role], named = shared
            modes |= {name: word for name, word in named.items() if name not in modes}
            commands[role]["values"] = dict(group[0].values)
    modes = _modes_of_all(words, modes, lines, statements)
    for role, own in words.items():
        if "{mode}" in own and not modes:
            continue
        first = groups[commands[role]["file"]][0]
        more = spoken_words(replace(first, words=own), parts(statements))
        commands[role]["line"] = shell((*first.launch, *own, *more))
    _add_parts(commands, files)
    add_starts(commands, lines, statements)
    ordered = {role: commands[role] for role in ROLES if role in commands}
    return ordered, _mode_tables(modes, statements)


def _modes_of_all(
    words: dict[str, tuple[str, ...]],
    modes: dict[str, str],
    lines: list[Line],
    statements: list[Statement],
) -> dict[str, str]:
    """The modes, those that only sentences name included; a command that they do not show takes
    `{mode}` as its last word.
    """
    spoken = spoken_modes(lines, statements)
    if len(modes) == 1 and "" not in modes.values():
        word = next(iter(modes.values()))
        left_out = rf"\bwithout\s+`?{re.escape(word)}(?![\w-])"
        if any(re.search(left_out, " ".join(each.text.split())) for each in statements):
            modes = {PLAIN_MODE: "", **modes}
    known = set(modes.values())
    modes = modes | {name: word for name, word in spoken.items() if word not in known}
    if modes or "{mode}" in {word for own in words.values() for word in own}:
        return modes
    flags = flag_modes(parts(statements))
    taker = next((role for role in ("main", "train", "inference") if role in words), None)
    if not flags or taker is None:
        return {}
    words[taker] = (*words[taker], "{mode}")
    keyed = {word.partition("=")[0] for word in flags.values()}
    if len(flags) > 1 and (len(keyed) == 1 or all("=" not in word for word in flags.values())):
        return flags
    return {PLAIN_MODE: "", **flags} if len(flags) == 1 else {}


def _mode_tables(modes: Mapping[str, str], statements: list[Statement]) -> dict[str, Any]:
    spoken = spoken_of(modes, statements)
    return {
        name: {"word": word, **limits([word, *spoken[name]])}
        for name, word in list(modes.items())[:12]
    }


def _role(file: str, lines: list[Line], taken: Mapping[str, Any]) -> str | None:
    """The part of a script in the work, by its own name, by the words before its command, or by
    what it is given: several runs are compared.
    """
    stem = file.rpartition("/")[2].removesuffix(".py").lower()
    if stem == "__init__":
        return None
    for role, names in ROLES.items():
        if re.fullmatch(names, stem) and role not in taken:
            return role
    for role, words in LABELS.items():
        if re.search(words, lines[0].label[-120:], re.IGNORECASE) and role not in taken:
            return role
    if "evaluate" not in taken and all("{run_ids}" in " ".join(line.words) for line in lines):
        return "evaluate"
    return "main" if "main" not in taken and not taken else None


def _add_parts(commands: dict[str, dict[str, Any]], files: tuple[str, ...]) -> None:
    """Scripts that are asked for and bear the name of a part of the work."""
    started = {command["file"] for command in commands.values()}
    for role, names in ROLES.items():
        if role == "main" or role in commands:
            continue
        fitting = [
            path
            for path in files
            if path.endswith(".py")
            and path not in started
            and re.fullmatch(names, path.rpartition("/")[2].removesuffix(".py").lower())
        ]
        if len(fitting) == 1:
            commands[role] = {"file": fitting[0]}
