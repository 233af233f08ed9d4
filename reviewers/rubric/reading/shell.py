"""Parses command lines in a prompt by the shell's grammar: words, placeholders, alternatives."""

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from reviewers.rubric.contract import script_of
from reviewers.rubric.reading.demand_parts import (
    NOT,
    SPELLED,
    code_spans,
    name_in,
    paths_in,
    safe_path,
    without_code,
)
from reviewers.rubric.reading.outline import MOST_CHARACTERS, PromptStatement

_MOST_LINES = 60
_LAUNCHER = (
    r"(?:[A-Z_][A-Z0-9_]*=\S+|env|time|nohup|uv|poetry|pdm|pipenv|hatch|rye|conda|pixi|micromamba"
    r"|srun|mpirun|py|python[\d.]*|accelerate|torchrun|deepspeed)"
)
_LAUNCHERS = re.compile(_LAUNCHER)
_STARTS = re.compile(
    r"(?:^|(?<=[\s:\"'(]))(?:(?:uv|poetry|pdm|pipenv|hatch|rye)\s+run\s+\S"
    r"|python[\d.]*\s+(?:-\w\s+)*(?:-m\s+)?[\w/]|accelerate\s+launch\s|torchrun\s|deepspeed\s)"
)
_TOOLS = {"pip", "pytest", "venv", "build", "unittest", "http", "json", "setup", "ruff", "mypy"}
_GROUP = re.compile(r"[\[({<]([^\[\](){}<>'\"]{1,160})[\])}>]")
_REDIRECT = re.compile(r"\s(?:&&|;|\d?>{1,2}&?|\|\s*(?:tee|tail|head|grep|cat|less)\b).*|\s*\\?$")
_MODE_KEYS = {"mode", "modes", "stage", "profile", "phase", "preset", "level"}
_RUN = {"run", "runid", "experiment", "exp", "id", "variant"}
_RUNS = {"runs", "runids", "ids", "experiments", "variants"}
_RESULTS = {"result", "results", "output", "outputs", "out", "outdir", "save", "dest"}
_COUNTS = {"seed", "seeds", "fold", "gpu", "gpus", "device", "rank", "num", "port", "workers", "n"}
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Za-z][a-z]*")
_IDS = re.compile(r"(?:([A-Za-z][\w-]*?)\d+)((?:[, ]\1\d+)+)")


@dataclass(slots=True)
class Line:
    """One command of a prompt.

    Attributes:
        launch: the words up to the script.
        units: what follows, a flag together with its value, placeholders by the contract's names,
            `{mode}` where one of several is given.
        alternatives: those of which one is given; they begin with `key=` or `--key ` alone where
            the line names none.
        values: what other placeholders may stand for.
        label: the words that stand before it; statement: where it stands.
    """

    launch: tuple[str, ...]
    file: str
    label: str
    statement: PromptStatement
    units: list[str] = field(default_factory=list)
    alternatives: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)


def command_lines(statements: list[PromptStatement]) -> list[Line]:
    """Return the commands that start a Python script, in their order; what cannot be read whole, or
    is denied, is left out.
    """
    found: list[Line] = []
    for at, statement in enumerate(statements):
        above = statement.above[-1].text if statement.above else ""
        lead = above or (statements[at - 1].text if at else "")
        for text, label in _candidates(statement, lead):
            if len(found) < _MOST_LINES and (line := _parsed(text, label, statement)) is not None:
                found.append(line)
    return found


def _candidates(statement: PromptStatement, lead: str) -> Iterator[tuple[str, str]]:
    """What may be a command, with the words that stand before it."""
    if statement.fenced:
        remark = ""
        for line in re.sub(r"\\\n\s*", " ", statement.text).split("\n"):
            if line.lstrip().startswith("#"):
                remark = line.lstrip("# ").strip()
            elif line.strip():
                command, _, after = line.partition(" # ")
                yield command, after.strip() or remark or lead
                remark = ""
        return
    prose: list[str] = []
    for line in statement.text.split("\n"):
        command, _, after = line.partition(" # ")
        if _STARTS.match(command) and _parsed(command, "", statement) is not None:
            yield command, after or (prose[-1] if prose else lead)
        else:
            prose.append(line)
    text = " ".join(prose)
    at = 0
    for span in code_spans(text):
        start = text.index(span, at)
        own, first, at = text[at:start].strip(" `:–—-*"), at == 0, start + len(span)
        # What is between two commands may speak of the one before.
        names = first or re.search(r":\W*$|[.;]\s", text[at - len(span) - 4 : start] + own)
        before = re.split(r"[.;:]\s|`", own)[-1]
        denied = re.match(
            r"\W*(?:must|may|is|are|need|should|does)\s*(?:not|never|n['’]t)", text[at:]
        )
        if not NOT.search(before) and not denied:
            yield span, (own or lead) if names else ""
    plain = without_code(text)
    for found in list(_STARTS.finditer(plain))[:8]:
        own = re.split(r"[.;]\s|`", plain[: found.start()])[-1].strip(" :–—-")
        yield _until_prose(plain[found.start() :]), own or lead


def _until_prose(text: str) -> str:
    """The command at the start of a sentence: its words until one that is not an argument. A bare
    word behind a flag may be either, so the flag must have its value in `=` or in a placeholder.
    """
    taken: list[str] = []
    for word in text.split():
        bare = word if word.endswith("...") else word.rstrip(".,;:)")
        script = script_of(" ".join(taken))
        if script and not re.match(r"--?\w|[\w.+-]+=|[{<‹\[$'\"]|[A-Z][A-Z0-9_]+$", bare):
            return "" if taken[-1].startswith("-") and "=" not in taken[-1] else " ".join(taken)
        taken.append(bare)
        if bare != word and script_of(" ".join(taken)):
            break
    return " ".join(taken)


def _parsed(text: str, label: str, statement: PromptStatement) -> Line | None:
    text = re.sub(r"^(?:[$%>]|[\w.-]{1,30}(?::|\s+=))\s+", "", text.strip())
    text = _REDIRECT.sub("", re.sub(r"[<‹]([\w][\w -]{0,40})[>›]", _joined, text), count=1)
    text = _GROUP.sub(
        lambda it: it[0].replace(" ", "\x1f") if re.search(r"\||--|\.\.", it[0]) else it[0], text
    )
    text = re.sub(r"(?<=\S)\s*\|\s*(?=\S)", "|", text)
    try:
        words = shlex.split(text)
    except ValueError:
        return None
    file = script_of(text)
    if not words or not _LAUNCHERS.fullmatch(words[0]) or not file.isascii() or not file:
        return None
    if safe_path(file) is None or file.partition("/")[0].removesuffix(".py") in _TOOLS:
        return None
    module = file.removesuffix(".py").replace("/", ".")
    script = next(at for at, word in enumerate(words) if word in (file, module))
    if not all(
        _LAUNCHERS.fullmatch(word) or word in ("run", "launch") or "-" in (word[0], before[0])
        for before, word in pairwise(words[:script])
        if word
    ):
        return None
    line = Line(tuple(words[: script + 1]), file, label, statement)
    return (
        line if _fill(line, [word.replace("\x1f", " ") for word in words[script + 1 :]]) else None
    )


def _joined(found: "re.Match[str]") -> str:
    return f"<{found[1].strip().replace(' ', '_')}>"


def _fill(line: Line, words: list[str]) -> bool:
    """Whether each word could be read into a unit of the line."""
    while words:
        key, sep, value = words.pop(0).partition("=")
        if not sep or not re.fullmatch(r"[\w.+~@/-]+", key):
            key, sep, value = ("", "", key + sep + value)
            if re.fullmatch(r"--?[A-Za-z][\w-]*", value):
                key, value = value, ""
                if words and not re.match(r"--?[A-Za-z]|\[-|\+?[\w.]+=", words[0]):
                    sep, value = " ", words.pop(0)
        while words and (more := _more(value, words[0])):
            value, words = more, words[1:]
        unit = f"{key}{sep}" if not value else _unit(line, key, sep, value)
        prose = (
            unit and line.units and all(re.fullmatch("[a-z]+", it) for it in (unit, line.units[-1]))
        )
        if unit is None or prose or (unit == "{mode}" and "{mode}" in line.units):
            return False
        line.units.append(unit)
    return True


def _more(value: str, word: str) -> str:
    """The value with a further word of a list of runs: `r1 r2`, `RUN_ID [RUN_ID ...]`."""
    both = f"{value} {word}"
    if value == word and kind_of(re.sub(r"[{}<>$]", "", word)) == "run_id":
        return f"{value}..."
    if re.fullmatch(r"\[[\w ]*\.\.\.\]|\.\.\.|…", word) and value:
        return f"{value}..."
    if _IDS.fullmatch(both) or (
        kind_of(value.strip("{<$}>_0123456789")) == "run_id"
        and _IDS.fullmatch(re.sub(r"[{}<>$]", "", both))
    ):
        return both
    return ""


def _unit(line: Line, key: str, sep: str, value: str) -> str | None:
    """A unit in the contract's own names; None if it cannot be read."""
    kind = kind_of(key)
    choices = _choices(value)
    if choices:
        line.alternatives = [f"{key}{sep}{each}" if each else "" for each in choices]
        return "{mode}"
    bare = re.sub(r"[{}<>$]", "", value)
    several = _IDS.fullmatch(bare) or value.endswith(("...", "…")) or re.match(r"\[.*\]$", value)
    if several and (
        kind in ("run_ids", "run_id")
        or kind_of(bare.strip("."), of_value=True)
        or ("[" in value and kind)
    ):
        return f"{key}{sep}'{{run_ids}}'" if value.startswith("[") else f"{key}{sep}{{run_ids}}"
    if several or "..." in value or "…" in value:
        return None
    if kind in ("run_id", "results_dir") and not re.search(r"[{<$]", value):
        return f"{key}{sep}{{{kind}}}"
    if re.fullmatch(r"[A-Z][A-Z0-9_]+" if is_mode_key(key) else r"[A-Z][A-Z0-9_]*", value):
        value = f"{{{value.lower()}}}"
    named = True

    def canonical(found: "re.Match[str]") -> str:
        nonlocal named
        meant = kind_of(name_in(found)) or kind
        if meant is None and set(tokens(name_in(found))) & _COUNTS:
            meant = re.sub(r"\W", "_", name_in(found))
            line.values[meant] = "1"
        named = named and meant is not None
        return f"{{{meant}}}"

    unknown = any(kind_of(name_in(found)) is None for found in SPELLED.finditer(value))
    if kind in ("run_id", "results_dir") and unknown:
        return f"{key}{sep}{{{kind}}}"  # whatever it is called
    value = SPELLED.sub(canonical, value)
    value = re.sub(r"\{run_id\}(?:[, ]\s*\{run_id\})+", "{run_ids}", value)
    if value == "{mode}":
        line.alternatives = [f"{key}{sep}"]
        return value
    if not named or "{mode}" in value or re.search(r"[$<>|]", value):
        return None
    quoted = re.search(r"[\s'\"\\;&()]", value) and "{" not in value
    return f"{key}{sep}{shlex.quote(value) if quoted else value}"


def _choices(value: str) -> list[str]:
    """The words of which one is to be given: `a|b`, `{a,b}`, `[--x | --y]`, `[--x]`."""
    inner = value
    if len(value) > 2 and value[0] in "[({<" and value[-1] in "])}>":
        inner = value[1:-1]
        if "|" not in inner and value[0] in "{<(" and not re.search(r"['\"]", inner):
            inner = inner.replace(",", "|")
        if "|" not in inner:
            optional = value[0] == "[" and re.fullmatch(r"(?:--?\w|\w+=)[\w.= -]*", inner)
            return ["", inner] if optional else []
    found = [each.strip().strip("'\"") for each in inner.split("|")]
    fits = all(re.fullmatch(r"[\w.=-]+( [\w.-]+)?", each) for each in found)
    return found if 1 < len(found) <= 8 and fits else []


def is_mode_key(key: str) -> bool:
    """Return whether a key is called after modes: `mode`, `--profile`, `trial_mode`."""
    return "." not in key and bool(set(tokens(key)) & _MODE_KEYS)


def kind_of(name: str, *, of_value: bool = False) -> str | None:
    """What a key or a placeholder stands for, by its words."""
    words = set(tokens(name))
    if not words or "wandb" in words:
        return None
    for kind, known in (("run_ids", _RUNS), ("results_dir", _RESULTS)):
        if words & known:
            return kind
    if words & _RUN or words == {"name"} or (of_value and words == {"r"}):
        return "run_id"
    return "mode" if words & _MODE_KEYS else None


_CONFIGS = (".yaml", ".yml", ".toml", ".json", ".ini")


def by_place(text: str, statements: Iterable[PromptStatement]) -> str:
    """Return a prompt with its placeholders by the contract's names, where it has names of its own
    for them and the paths in it show which is which.

    The one placeholder with which paths begin is the folder of results; the one after which the
    files of a plain folder are called is a run.
    """
    meant: dict[str, set[str]] = {"results_dir": set(), "run_id": set()}
    paths = {path for each in statements for path in paths_in(each.text)}
    plain = " ".join(path for path in paths if "{" not in path)
    for path in paths:
        whole = re.fullmatch(r"(?:[\w.-]+/)+\{(\w+)\}\.\w+", path)
        root = re.match(r"\{(\w+)\}/", path)
        # A place whose files are called by their names has no file for each run.
        named_ones = re.escape(path).replace(r"\{", "{").replace(r"\}", "}")
        listed = re.search(re.sub(r"\{\w+\}", r"[\\w.-]+", named_ones), plain)
        if whole and path.endswith(_CONFIGS) and not listed:
            meant["run_id"].add(whole[1])
        if root:
            meant["results_dir"].add(root[1])
    kinds = {
        name: kind
        for kind, names in meant.items()
        for name in names
        if len(names) == 1 and not kind_of(name)
    }

    def named(found: "re.Match[str]") -> str:
        kind = kinds.get(name_in(found))
        return f"{{{kind}}}" if kind else found[0]

    text = SPELLED.sub(named, text[:MOST_CHARACTERS]) if kinds else text
    for name, kind in kinds.items():
        text = re.sub(rf"(?<=\s)((?:--)?{name}[= ])[{{<$]\w+[}}>]?", rf"\1{{{kind}}}", text)
    return text


def tokens(name: str) -> list[str]:
    """Return the words of a name in lower case."""
    return [word.lower() for word in _WORDS.findall(name)]


def shown(launch: Iterable[str], units: Iterable[str]) -> str:
    """Return a command as a person types it."""
    return " ".join((*launch, *units))
