"""The commands that a prompt documents, word by word, with what their placeholders stand for."""

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from reviewers.rubric.contract import script_of
from reviewers.rubric.reading.outline import Statement, word_set
from reviewers.rubric.reading.parts import Part, code_spans
from reviewers.rubric.reading.paths import names_of, safe_path

_LAUNCHERS = re.compile(
    r"(?:[A-Z_][A-Z0-9_]*=\S+|env|time|nohup|uv|poetry|pdm|pipenv|hatch|rye|conda|pixi|micromamba|srun|"
    r"mpirun|py|python[\d.]*|accelerate|torchrun|deepspeed)"
)
_STARTS = re.compile(
    r"(?:^|(?<=[\s:\"'(]))(?:(?:uv|poetry|pdm|pipenv|hatch|rye)\s+run\s+\S|python[\d.]*\s+(?:-\w\s+)*(?:-m\s+)?[\w/]"
    r"|accelerate\s+launch\s|torchrun\s|deepspeed\s)"
)
_NO_EXPERIMENT = word_set(
    "pip pytest venv torch accelerate build ruff mypy http json uv unittest setup"
)
_GROUP = re.compile(r"[\[({<]([^\[\](){}<>'\"]{1,160})[\])}>]")
_IN_PLACE = re.compile(
    r"\{\s*([A-Za-z][\w.-]*)\s*\}|<\s*([A-Za-z][\w.-]*)\s*>|\$\{?([A-Za-z]\w*)\}?"
)
_SHOUTED = re.compile(r"(?P<key>--?[\w-]+=|[\w.+-]+=|)(?P<name>[A-Z][A-Z0-9_]+)")
_MODE_KEYS = word_set("mode modes stage profile phase preset variant_mode runmode")
_MODE_WORDS = word_set(
    "trial smoke quick dry fast sanity pilot debug tiny lite demo rehearsal mini full check "
    "short brief light lightweight preview probe rapid small toy real"
)
_RUN = word_set("run runid experiment exp id variant")
_RUNS = word_set("runs runids ids experiments variants")
_RESULTS = word_set("result results output outputs out outdir save dest")
_COUNTS = word_set("seed seeds fold gpu gpus device rank num index port workers nproc k n")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Za-z][a-z]*")
_QUOTED = re.compile(r"[\s'\"\\$;|&()<>]")


SPOKEN = re.compile(
    r"\b(flags?|switch\w*|option|parameter|argument|override|supports?|accepts?|passing|passed|followed|adding|"
    r"added|appended|appending|given|mode|add|append|pass|takes?)\b",
    re.IGNORECASE,
)
"""The words of a sentence on what a command may be given."""


@dataclass(frozen=True, slots=True)
class Line:
    """One command of a prompt.

    Attributes:
        launch: the words up to the script; words: those after it, placeholders by their own names.
        alternatives: the words of which one is given in the place of `{mode}`.
        values: what other placeholders may stand for.
        label: the words that stand before it; statement: where it stands.
    """

    launch: tuple[str, ...]
    words: tuple[str, ...]
    file: str
    alternatives: tuple[str, ...]
    values: tuple[tuple[str, str], ...]
    label: str
    statement: Statement


def command_lines(statements: list[Statement]) -> list[Line]:
    """Return the commands that start a Python script, in their order; what cannot be read whole is
    left out.
    """
    found: list[Line] = []
    for at, statement in enumerate(statements):
        for text, label in _candidates(statement, statements[at - 1] if at else None):
            if len(found) < 60 and (line := _parsed(text, label, statement)) is not None:
                found.append(line)
    return found


def spoken_words(line: Line, said: Iterable[Part]) -> tuple[str, ...]:
    """Return the words that sentences on a command's script add to it: "main.py takes
    `--results-dir <path>`"; those alone that stand for a run or the results.
    """
    found: list[str] = []
    for part in said:
        if part.denied or not SPOKEN.search(part.text):
            continue
        if not re.search(names_of(line.file), part.text.replace("`", "")):
            continue
        for span in code_spans(part.text):
            if not re.fullmatch(r"(?:--?[\w-]+[ =]|[\w.+-]+=)[<{$][\w ${}<>]+", span):
                continue
            more = _parsed(f"python {line.file} {span}", "", line.statement)
            key = re.split("[ =]", span)[0]
            known = any(word.partition("=")[0] == key for word in (*line.words, *found))
            if more is not None and not known and not more.values and "{mode}" not in more.words:
                found += more.words
    return tuple(found)


def _candidates(statement: Statement, before: Statement | None) -> Iterator[tuple[str, str]]:
    lead = statement.above[-1].text if statement.above else before.text if before else ""
    if statement.fenced:
        joined = re.sub(r"\\\n\s*", " ", statement.text)
        remark = ""
        for line in joined.split("\n"):
            if line.lstrip().startswith("#"):
                remark = line.lstrip("# ").strip()
            elif line.strip():
                command, _, after = line.partition(" # ")
                yield command.strip(), after.strip() or remark or lead
                remark = ""
        return
    text = " ".join(statement.text.split())
    at = 0
    for span in code_spans(text):
        start = text.index(span, at)
        own, first, at = text[at:start].strip(" `:–—-*"), at == 0, start + len(span)
        # What stands between two commands may speak of the one before.
        names = first or re.search(r":\W*$|[.;]\s", text[at - len(span) - 4 : start] + own)
        yield span, (own or lead) if names else ""
    plain = re.sub(r"(`{1,2})[^`]{1,600}\1", lambda found: "`" * len(found[0]), text)
    for found in list(_STARTS.finditer(plain))[:8]:
        own = re.split(r"[.;]\s|`", plain[: found.start()])[-1].strip(" :–—-")
        yield _until_prose(plain[found.start() :]), own or lead


def _until_prose(text: str) -> str:
    """The command at the start of a sentence: its words until one that is no argument."""
    taken: list[str] = []
    script = False
    for word in text.split():
        bare = word.rstrip(".,;:)") if not word.endswith("...") else word
        argument = re.match(r"--?\w|[\w.+-]+=|[{<\[$'\"]|[A-Z][A-Z0-9_]+$", bare) is not None
        valued = bool(taken) and taken[-1].startswith("--") and "=" not in taken[-1]
        if script and not argument and not valued:
            break
        taken.append(bare)
        if bare != word and script_of(" ".join(taken)):
            break
        script = script or bool(script_of(" ".join(taken)))
    return " ".join(taken)


def _parsed(text: str, label: str, statement: Statement) -> Line | None:
    text = re.sub(r"^[$%>]\s+", "", text.strip())
    text = re.sub(r"<([A-Za-z][\w -]{0,40})>", lambda it: f"<{it[1].replace(' ', '_')}>", text)
    text = _GROUP.sub(
        lambda it: it[0].replace(" ", "\x1f") if "|" in it[0] or "--" in it[0] else it[0], text
    )
    text = re.sub(r"(?<=\S)\s*\|\s*(?=\S)", "|", text)
    try:
        words = shlex.split(text)
    except ValueError:
        return None
    file = script_of(text)
    if not words or not _LAUNCHERS.fullmatch(words[0]) or not file or safe_path(file) is None:
        return None
    if file.partition("/")[0].removesuffix(".py") in _NO_EXPERIMENT or not file.isascii():
        return None
    module = file.removesuffix(".py").replace("/", ".")
    script = next(at for at, word in enumerate(words) if word in (file, module))
    if not all(
        _LAUNCHERS.fullmatch(word) or word in ("run", "launch") or "-" in (word[0], before[0])
        for before, word in pairwise(words[:script])
    ):
        return None
    filled = _Filled()
    if not all(filled.take(word.replace("\x1f", " ")) for word in words[script + 1 :]):
        return None
    return Line(
        tuple(words[: script + 1]),
        tuple(filled.words),
        file,
        tuple(filled.alternatives),
        tuple(filled.values.items()),
        label,
        statement,
    )


class _Filled:
    """The words of one command, taken one after another."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.alternatives: list[str] = []
        self.values: dict[str, str] = {}

    def take(self, word: str) -> bool:
        """Return whether the word could be read."""
        key, equals, value = word.partition("=")
        if not equals or not re.fullmatch(r"[\w.+~@/-]+", key):
            flag = self.words[-1] if self.words and self.words[-1].startswith("-") else ""
            key, value = ("" if "=" in flag else flag), word
        choices = _choices(value)
        if choices and (equals or key) and self._is_mode(key, choices):
            if not equals:
                self.words.pop()
            return self._mode([f"{key}={each}" if equals else f"{key} {each}" for each in choices])
        if choices and all(not each or each.startswith("-") or "=" in each for each in choices):
            return self._mode(choices)
        if choices:
            word = f"{key}={choices[0]}" if equals else choices[0]
            self.words.append(word)
            return "..." not in word and "…" not in word
        kind = kind_of(key)
        if kind == "run_ids" and value.startswith("["):
            word = f"{key}={{run_ids}}" if equals else "{run_ids}"
        elif "..." in word or "…" in word:
            return False
        elif (
            kind in ("run_id", "results_dir") and (equals or key) and not re.search(r"[{<$]", value)
        ):
            word = f"{key}={{{kind}}}" if equals else f"{{{kind}}}"
        shouted = _SHOUTED.fullmatch(word)
        if shouted is not None and (shouted["key"] or key):
            word = f"{shouted['key']}{{{shouted['name'].lower()}}}"
        named = True

        def canonical(found: "re.Match[str]") -> str:
            nonlocal named
            name = found[1] or found[2] or found[3]
            meant = kind_of(name) or kind
            if meant is None and set(tokens(name)) & _COUNTS:
                meant = re.sub(r"\W", "_", name.lower())
                self.values[meant] = "1"
            named = named and meant is not None
            return f"{{{meant}}}"

        word = _IN_PLACE.sub(canonical, word)
        if word.endswith("{mode}"):
            before = word.removesuffix("{mode}")
            if not before and key and self.words and self.words[-1] == key:
                before = f"{self.words.pop()} "
            self.words.append("{mode}")
            self.alternatives.append(before)
            return named
        self.words.append(word)
        return named

    def _mode(self, words: list[str]) -> bool:
        self.words.append("{mode}")
        self.alternatives += words
        return self.words.count("{mode}") == 1

    @staticmethod
    def _is_mode(key: str, choices: list[str]) -> bool:
        return kind_of(key) == "mode" or is_flag_of_mode(key)


def is_flag_of_mode(word: str) -> bool:
    """Return whether a word is called as modes are: `mode=…`, `--smoke-test`, `trial_mode=true`."""
    key = word.partition("=")[0].partition(" ")[0]
    return "." not in key and bool(set(tokens(key)) & (_MODE_KEYS | _MODE_WORDS))


def _choices(value: str) -> list[str]:
    """The words of which one is to be given: `a|b`, `{a,b}`, `[--x | --y]`, `[--x]`."""
    inner = value
    if len(value) > 2 and value[0] in "[({<" and value[-1] in "])}>":
        inner = value[1:-1]
        if (
            "|" not in inner
            and "," in inner
            and value[0] in "{<("
            and not re.search(r"['\"]", inner)
        ):
            inner = inner.replace(",", "|")
        elif "|" not in inner and not (
            value[0] == "[" and re.fullmatch(r"(--?\w|\w+=)[^|]*", inner)
        ):
            return []
        elif "|" not in inner:
            return ["", inner] if is_flag_of_mode(inner) else []
    elif "|" not in value:
        return []
    found = [each.strip().strip("'\"") for each in inner.split("|")]
    return (
        found
        if len(found) <= 8 and all(re.fullmatch(r"[\w.=-]+( [\w.-]+)?", f) for f in found)
        else []
    )


def kind_of(name: str) -> str | None:
    """What a key or a placeholder stands for, by its words."""
    words = set(tokens(name))
    if not words or "wandb" in words:
        return None
    if words & _MODE_KEYS and not words & _RUN:
        return "mode"
    if words & _RESULTS:
        return "results_dir"
    if words & _RUNS:
        return "run_ids"
    if words & _RUN or words == {"name"}:
        return "run_id"
    return None


def tokens(name: str) -> list[str]:
    """Return the words of a name in lower case."""
    return [word.lower() for word in _WORDS.findall(name)]


def shell(words: tuple[str, ...]) -> str:
    """Return the words as a person types them."""
    return " ".join(
        word.replace("{run_ids}", "'{run_ids}'")
        if word.endswith("{run_ids}")
        else shlex.quote(word)
        if _QUOTED.search(word) and "{" not in word
        else word
        for word in words
    )
