"""Commands and modes of a prompt."""

import re
from collections.abc import Mapping
from typing import Any

from reviewers.rubric.reading.limits import limits
from reviewers.rubric.reading.lines import Line, command_lines, shell
from reviewers.rubric.reading.modes import (
    PLAIN_MODE,
    flag_modes,
    split_modes,
    spoken_modes,
    spoken_of,
)
from reviewers.rubric.reading.outline import Statement
from reviewers.rubric.reading.parts import Part, parts

_ROLES = {
    "main": r"main|__main__|run|runner|launch|launcher|start|cli|app|entry|entrypoint|driver"
    r"|pipeline|run_experiments?|experiments?|execute|orchestrate|go",
    "train": r"train|training|trainer|fit|learn|finetune|fine_tune|run_training|train_model",
    "evaluate": r"evaluate|eval|evaluation|evaluator|assess|score|scoring|analy[sz]e|analysis"
    r"|compare|report|evaluate_runs|run_evaluation",
    "inference": r"inference|infer|predict|prediction|generate",
}
_LABELS = {
    "evaluate": r"\b(?:evaluat|assess|compar|scor|analy[sz])\w*",
    "train": r"\b(?:train|fit|finetun|fine-tun)\w*",
    "inference": r"\b(?:infer|predict)\w*",
}
_CALLS = (
    r"(?:calls?|starts?|launch(?:es)?|invokes?|runs?|spawns?|executes?|triggers?|dispatch(?:es)?|"
    r"delegates?\s+to|hands?\s+over\s+to)"
)
_CALLED = r"(?:called|started|launched|invoked|run|spawned|executed|triggered)"
_ALONE = re.compile(
    r"\bindependent(?:ly)?\b|\bstand[- ]?alone\b|\bon\s+its\s+own\b|\bby\s+itself\b|\bseparately\b"
    r"|\ba\s+(?:separate|second)\s+(?:process|step|command)\b|\ba\s+process\s+of\s+its\s+own\b|\bstarted\s+alone\b|\bruns?\s+alone\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:no|not|never|nor|neither|nothing|nobody|cannot)\b|n['’]t\b", re.IGNORECASE
)
_LEFT_OPEN = re.compile(
    r"\b(?:may|might|can|could|optional\w*|need|needs|required|if)\b", re.IGNORECASE
)
_CHILDREN = re.compile(
    r"\b(?:sub-?process(?:es)?|child(?:ren)?(?:\s+process(?:es)?)?)\b", re.IGNORECASE
)


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
        role = _role(file, group[0].label, commands)
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
        launch = groups[commands[role]["file"]][0].launch
        commands[role]["line"] = shell((*launch, *own))
    _add_parts(commands, files)
    _add_starts(commands, lines, statements)
    ordered = {role: commands[role] for role in _ROLES if role in commands}
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


def _role(file: str, label: str, taken: Mapping[str, Any]) -> str | None:
    """The part of a script in the work, by its own name or by the words before its command."""
    stem = file.rpartition("/")[2].removesuffix(".py").lower()
    if stem == "__init__":
        return None
    for role, names in _ROLES.items():
        if re.fullmatch(names, stem) and role not in taken:
            return role
    for role, words in _LABELS.items():
        if re.search(words, label[-120:], re.IGNORECASE) and role not in taken:
            return role
    return "main" if "main" not in taken and not taken else None


def _add_parts(commands: dict[str, dict[str, Any]], files: tuple[str, ...]) -> None:
    """Scripts that are asked for and bear the name of a part of the work."""
    started = {command["file"] for command in commands.values()}
    for role, names in _ROLES.items():
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


def _add_starts(
    commands: dict[str, dict[str, Any]], lines: list[Line], statements: list[Statement]
) -> None:
    """Which command starts which, and which none may start."""
    said = parts(statements)
    names = {role: _names(command["file"]) for role, command in commands.items()}
    starts: dict[str, set[str]] = {role: set() for role in commands}
    texts = {id(part): _with_names(part, lines, names, commands) for part in said}
    for role, command in commands.items():
        own = {
            id(line.statement)
            for line in lines
            if all(
                other.file == command["file"]
                for other in lines
                if other.statement is line.statement
            )
        }
        other = "|".join(names[each] for each in commands if each != role) or "(?!)"
        for part in said:
            text = texts[id(part)]
            denied = _DENIED.search(text) is not None
            named = re.search(names[role], text) is not None
            called = re.search(
                rf"(?:{other}|\b(?:other|another)\s+(?:script|file|command|module)s?)[^.;]*?\b{_CALLS}\b"
                rf"[^.;]*?(?:{names[role]})"
                rf"|(?:{names[role]})[^.;]*?\b{_CALLED}\b[^.;]*?(?:{other}|\bother\b|\banother\b|\banything\b)",
                text,
                re.IGNORECASE,
            )
            if called and denied and not re.search(r"\bneed", text):
                command["alone"] = True
            elif called and not _LEFT_OPEN.search(text) and not denied:
                for each in commands:
                    if each != role and re.search(names[each], called[0]):
                        starts[each].add(role)
            elif (
                _ALONE.search(text)
                and not denied
                and not _LEFT_OPEN.search(text)
                and (named or id(part.statement) in own)
                and (len([each for each in commands if re.search(names[each], text)]) <= 1)
            ):
                command["alone"] = True
    _add_children(commands, lines, said, starts)
    for role, begun in starts.items():
        whole = [
            each
            for each in _ROLES
            if each in begun and not commands[each].get("alone") and role not in starts[each]
        ]
        if whole:
            commands[role]["starts"] = whole


def _add_children(
    commands: Mapping[str, dict[str, Any]],
    lines: list[Line],
    said: list[Part],
    starts: dict[str, set[str]],
) -> None:
    """What the main script starts where its command is called by another part of the work, or where
    its children are spoken of.
    """
    main = commands.get("main")
    if main is None:
        return
    begun = {role for role in commands if role != "main" and not commands[role].get("line")}
    labels = " ".join(line.label for line in lines if line.file == main["file"])
    for role in begun & set(_LABELS):
        if re.search(_LABELS[role], labels, re.IGNORECASE):
            starts["main"].add(role)
    name = _names(main["file"])
    others = "|".join(_names(commands[role]["file"]) for role in commands if role != "main")
    if begun and any(
        re.search(name, part.text)
        and _CHILDREN.search(part.text)
        and not part.denied
        and not re.search(others, part.text)
        for part in said
    ):
        starts["main"] |= begun


def _names(file: str) -> str:
    """How a text names a script: by its path, its file name or its module."""
    path = re.escape(file)
    stem = re.escape(file.rpartition("/")[2])
    module = re.escape(file.removesuffix(".py").replace("/", "."))
    return rf"(?<![\w.])(?:{path}|{stem}|{module}(?!\.?\w))"


def _with_names(
    part: Part,
    lines: list[Line],
    names: Mapping[str, str],
    commands: Mapping[str, dict[str, Any]],
) -> str:
    """The text of a part without marks, `it` replaced by the script of which its statement speaks:
    the one that its command starts, else the last that is named before.
    """
    text, outer = part.text.replace("`", ""), part.whole.replace("`", "")
    around = [commands[role]["file"] for role, name in names.items() if re.search(name, outer)]
    if part.text != part.whole and len(around) == 1 and around[0] not in text:
        text = f"{around[0]} {text}" if not re.search(r"\bit\b", text) else text
    if re.match(r"(?:and\s+)?(?:not|never)\s+(?:\w+\s+)?by\b", text):
        text = f"it is not called {text}"
    if not re.search(r"\b[Ii]t\b", text):
        return text
    started = {line.file for line in lines if line.statement is part.statement}
    whole = " ".join(part.statement.text.split()).replace("`", "")
    at = whole.find(text[:40])
    last = max(
        (
            (hit.start(), commands[role]["file"])
            for role, pattern in names.items()
            for hit in re.finditer(pattern, whole[: max(at, 0)])
        ),
        default=None,
    )
    meant = started.pop() if len(started) == 1 else last[1] if last else None
    return re.sub(r"\b[Ii]t\b", lambda _: meant, text) if meant else text


def by_role(text: str, commands: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a prompt with its scripts called by their parts in the work: `evaluate.py`."""
    for role, command in commands.items():
        text = re.sub(_names(command["file"]), f"{role}.py", text)
    return text
