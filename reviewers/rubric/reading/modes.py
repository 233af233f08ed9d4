"""The modes of a prompt's commands: how each is called, and where the text speaks of it."""

import re
from collections.abc import Iterable, Mapping

from reviewers.rubric.reading.lines import SPOKEN, Line, is_flag_of_mode, kind_of, tokens
from reviewers.rubric.reading.outline import Statement, word_set
from reviewers.rubric.reading.parts import Part, code_spans, parts

PLAIN_MODE = "full"
"""The mode for which no word is given, where the prompt has no name for it."""
_TRUE = word_set("1 True on true yes")
_FALSE = word_set("0 False false no off")
# Keys that choose something else.
_NO_MODE = word_set("dataset data model method seed lr config name optimizer task split device")
_NAME = re.compile(r"[A-Za-z][\w-]{0,39}")
_NO_NAME = word_set(
    "training train run runs mode modes command commands evaluation evaluate evaluating "
    "inference the a an main cli interface matches start started execution independent script "
    "call with in for and or is are be of to parameter required value values either one takes "
    "accepts true false independently usage e g eg example g default experiment documented as "
    "single none must"
)
_GENERIC = word_set(
    "full main real test base normal default trial quick fast short small light debug check "
    "demo brief complete pilot final mini tiny production development regular standard"
)
_FLAG = re.compile(r"(?:--[a-z][\w-]*(?:[= ][\w.-]+)?|\+{0,2}[A-Za-z_]\w*=[A-Za-z]\w*)")


def split_modes(lines: list[Line]) -> tuple[tuple[str, ...], dict[str, str]] | None:
    """Return the words of commands that start one script, with `{mode}` where they differ, and what
    each mode is given by its name; None where they differ in more than that.
    """
    slotted = [line for line in lines if "{mode}" in line.words]
    if slotted:
        words = slotted[0].words
        named = _named(slotted[0].alternatives, slotted[0].label)
        for line in lines:
            own = [unit for unit in _units(line.words) if unit not in _units(words)]
            if (
                "{mode}" not in line.words
                and own
                and (name := mode_name(" ".join(own), line.label))
            ):
                named.setdefault(name, " ".join(own))
        return words, named
    whole = _without_abbreviations(lines)
    shown = [_units(line.words) for line in whole]
    common = [unit for unit in shown[0] if all(unit in units for units in shown)]
    if len(whole) == 1:
        own = [unit for unit in common if is_flag_of_mode(unit) and _FLAG.fullmatch(unit)]
        name = mode_name(own[0], whole[0].label) if len(own) == 1 else None
        if name is None:
            return _words(common), {}
        return _words("{mode}" if unit == own[0] else unit for unit in common), {name: own[0]}
    modes: dict[str, str] = {}
    slot: tuple[str, ...] | None = None
    for line, units in zip(whole, shown, strict=True):
        own = [unit for unit in units if unit not in common]
        word = " ".join(own)
        name = mode_name(word, line.label)
        if len(own) > 2 or name is None or name in modes or "{" in word:
            return None
        modes[name] = word
        if own and slot is None:
            at = units.index(own[0])
            slot = _words((*units[:at], "{mode}", *units[at + len(own) :]))
    return slot or _words(common), modes


def _units(words: Iterable[str]) -> list[str]:
    """The words, a flag together with what is given behind it."""
    units: list[str] = []
    for word in words:
        before = units[-1] if units else ""
        if (
            re.fullmatch(r"--?[A-Za-z][\w-]*", before)
            and not word.startswith("-")
            and "=" not in word
            and word != "{mode}"
        ):
            units[-1] = f"{before} {word}"
        else:
            units.append(word)
    return units


def _words(units: Iterable[str]) -> tuple[str, ...]:
    return tuple(word for unit in units for word in unit.split(" ", 1))


def _without_abbreviations(lines: list[Line]) -> list[Line]:
    """The commands without those that only name the script, or leave out a placeholder."""
    unique = list({line.words: line for line in lines}.values())
    return [
        line
        for line in unique
        if not any(
            set(line.words) < set(other.words)
            and any("{" in word for word in set(other.words) - set(line.words))
            for other in unique
        )
    ] or unique[:1]


def _named(words: Iterable[str], label: str) -> dict[str, str]:
    named: dict[str, str] = {}
    for word in words:
        if not word.endswith(("=", " ")) and (name := mode_name(word, label if not word else "")):
            named.setdefault(name, word)
    return named


def mode_name(word: str, label: str) -> str | None:
    """Return what a mode is called, by the word that it is given or else by the words before its
    command.
    """
    key, _, value = word.replace(" ", "=", 1).partition("=")
    dotted = "." in key
    key = key.lstrip("-+")
    said = _of_label(label)
    if not word or value in _FALSE:
        return said or PLAIN_MODE
    if dotted or set(tokens(key)) & _NO_MODE:
        return said
    if value and value not in _TRUE:
        names = kind_of(key) in (None, "mode") and _NAME.fullmatch(value)
        return value if names else said
    short = re.sub(r"[_-]?mode$", "", key)
    if is_flag_of_mode(key) and short:
        return short
    return said or (short if _NAME.fullmatch(short) else None)


def _of_label(label: str) -> str | None:
    inner = re.findall(r"\(([^()]{1,40})\)", label[-200:])
    for text in (*reversed(inner), label[-80:] if len(label) <= 80 else ""):
        words = [
            word.lower()
            for word in re.findall(r"[A-Za-z][A-Za-z-]*", text)
            if word.lower() not in _NO_NAME
        ]
        if 1 <= len(words) <= 2 and all(_NAME.fullmatch(word) for word in words):
            return "-".join(words)
    return None


def spoken_modes(lines: list[Line], statements: list[Statement]) -> dict[str, str]:
    """Return the modes that sentences name by the key with which a command passes its mode."""
    found: dict[str, str] = {}
    heads = {head for line in lines for head in line.alternatives if head.endswith(("=", " "))}
    heads |= {
        f"{word.partition('=')[0]}=" if "=" in word else f"{word.partition(' ')[0]} "
        for line in lines
        for word in (*line.alternatives, *line.words)
        if re.fullmatch(r"(-*mode|-*run_?mode|-*stage|-*profile)[= ]\w[\w-]*", word)
    }
    for head in sorted(heads):
        key = head.strip("-= ")
        values: list[str] = []
        for statement in statements:
            values += _values_of(key, " ".join(statement.text.split()))
        named = [value for value in dict.fromkeys(values) if value.lower() not in _NO_NAME]
        if 1 <= len(named) <= 6:
            found |= {name: f"{head}{name}" for name in named}
    return found


def _values_of(key: str, text: str) -> list[str]:
    """The values of a key that a sentence gives: `key=a`, `key == "b"`, or "key is `a` or `b`"."""
    spelled = rf"(?<![\w.-])(?:cfg\.|args\.|config\.|--)?{re.escape(key)}"
    found = [
        name
        for name in re.findall(rf"{spelled}\s*={{1,2}}\s*[\"'`]?([A-Za-z][\w-]*)", text)
        if name not in ("true", "false")
    ]
    for sentence in re.split(r"(?<=[.;])\s+", text):
        named = re.compile(rf"(?<![\w.]){re.escape(key)}s?\b[`\"']?", re.IGNORECASE)
        rests = named.split(sentence)[1:9]
        if is_denied_strictly(sentence):
            continue
        for rest in rests:
            found += _alternatives(rest[:160].strip())
    return found


_CHOICE = re.compile(
    r"\W*(?:is|are|be|must|may|can|either|one|takes|accepts|in|has|:|∈|\()"
    r"(?:(?:is|are|must|may|can|be|either|one|of|takes|accepts|in|has|the|values?|two|three|modes?)\b"
    r"|[\s:∈(,])*[`\"'“{\[]?(?P<a>[A-Za-z][\w-]*)[`\"'”]?(?P<more>(?:\s*[,/|]\s*[`\"'“]?[A-Za-z][\w-]*"
    r"[`\"'”]?)*)\s*,?\s*(?:\bor\b|\band\b|\||/)\s*[`\"'“]?(?P<z>[A-Za-z][\w-]*)"
)


def _alternatives(rest: str) -> list[str]:
    """What is given for a choice in the words behind its name."""
    listing = _CHOICE.match(rest)
    if listing is None:
        return []
    marked = re.findall(r"[`\"'“]([A-Za-z][\w-]*)[`\"'”]", rest)
    named = [listing["a"], *re.findall(r"[A-Za-z][\w-]*", listing["more"]), listing["z"]]
    doubtful = set(named) & _NO_NAME or (marked and not set(named) <= set(marked))
    return [] if doubtful else named


def is_denied_strictly(text: str) -> bool:
    """Return whether a sentence takes back what it says; what it leaves open is said."""
    return (
        re.search(r"\b(no|not|never|without|neither)\b|n['’]t\b", text, re.IGNORECASE) is not None
    )


def flag_modes(said: list[Part]) -> dict[str, str]:
    """Return the modes that sentences give as a flag or a word of its own: "Supports `--quick` for
    short runs".
    """
    found: dict[str, str] = {}
    for part in said:
        if is_denied_strictly(part.text) or not SPOKEN.search(part.text):
            continue
        spans = code_spans(part.text)
        bare = re.findall(
            r"(?<![\w.`-])(?:--[a-z][\w-]*|\w+=(?:true|True)|\w*mode=[a-z]\w*)(?!\w|\.\w)",
            part.text,
        )
        for word in (*spans, *bare):
            if _FLAG.fullmatch(word) and is_flag_of_mode(word) and (name := mode_name(word, "")):
                found.setdefault(name, word)
    return found


def mentions(name: str, word: str) -> "re.Pattern[str]":
    """Return a pattern for the places where a text speaks of a mode."""
    spelled = r"[-_ ]?".join(re.escape(token) for token in re.split(r"[-_]", name))
    key = re.escape(word.lstrip("-+").replace(" ", "=").partition("=")[0])
    forms = [
        rf"{spelled}[-_ ]?mode\b",
        rf"[`\"'“*]{spelled}[`\"'”*]",
        rf"\bmode\s+{spelled}\b",
        rf"^{spelled}(?:\s+(?:runs?|mode))?\s*(?:\([^()]*\))?\s*[:–—=]",
        rf"\b(?:in|under|for|of|with)\s+(?:an?\s+|the\s+)?{spelled}\s+(?:runs?|executions?|tests?|setting)\b",
    ]
    if word:
        forms.append(rf"(?<![\w.]){re.escape(word)}(?![\w-])")
        if "=" in word or " " in word:
            value = re.escape(word.replace(" ", "=").partition("=")[2])
            forms.append(rf"(?<!wandb\.){key}\W{{0,3}}(?:==?|is|:|\s)\s*[\"'`]?{value}\b")
        if word.endswith(("=true", "=True")) or not re.search("[= ]", word):
            forms.append(rf"\b{key}\b(?!\W{{0,3}}(?:{'|'.join(_FALSE)})\b)")
    if name.lower() not in _GENERIC:
        forms.append(rf"\b{spelled}\s+(?:runs?|tests?|starts?)\b|\b(?:in|under|for)\s+{spelled}\b")
        if re.search(r"[-_]", name):
            forms.append(rf"\b{spelled}\b")
    return re.compile("|".join(f"(?:{form})" for form in forms), re.IGNORECASE)


def spoken_of(modes: Mapping[str, str], statements: list[Statement]) -> dict[str, list[str]]:
    """Return by mode the pieces of text that speak of it and of no other."""
    patterns = {name: mentions(name, word) for name, word in modes.items()}
    found: dict[str, list[str]] = {name: [] for name in modes}
    led: tuple[Statement, set[str]] | None = None  # by the part with which a mode's words begin
    for part in parts(statements):
        text = _spelled_out(part.text, modes)
        named = _named_in(text, patterns)
        if len(named) > 1:
            _share_out(text, patterns, found)
            continue
        if named:
            led = (part.statement, set(named)) if _leads(text, patterns) else None
        elif led is not None and led[0] is part.statement:
            named = set(led[1])
        for around in (part.whole, *(up.text for up in part.statement.lineage)):
            named = named or _named_in(_spelled_out(around, modes), patterns)
        if len(named) == 1:
            found[named.pop()].append(text)
    return found


def _spelled_out(text: str, modes: Mapping[str, str]) -> str:
    """The text with "without `--quick`" as the mode for which no word is given."""
    plain = next((f"`{name}` mode" for name, word in modes.items() if not word), "")
    for word in filter(None, modes.values()):
        left_out = (
            rf"\bwithout\s+(?:the\s+)?(?:(?:flag|option|switch|word)\s+)?`?{re.escape(word)}`?"
        )
        text = re.sub(rf"{left_out}(?![\w-])", plain, text, flags=re.IGNORECASE)
    return text


def _named_in(text: str, patterns: Mapping[str, "re.Pattern[str]"]) -> set[str]:
    return {name for name, pattern in patterns.items() if pattern.search(text)}


def _leads(text: str, patterns: Mapping[str, "re.Pattern[str]"]) -> bool:
    """Whether a text begins with a mode: "With mode=quick: …"."""
    hits = [hit.start() for pattern in patterns.values() for hit in pattern.finditer(text)]
    return min(hits, default=99) < 20


def _share_out(
    text: str, patterns: Mapping[str, "re.Pattern[str]"], found: dict[str, list[str]]
) -> None:
    """Give each piece of a sentence on several modes to the one that it names, or to the one before
    where the sentence begins with a mode; no piece in which two are named.
    """
    leading = _leads(text, patterns)
    current: str | None = None
    for piece in re.split(r"[,;:]\s|\s+and\s+", text):
        named = _named_in(piece, patterns)
        if len(named) > 1:
            current = None
        elif named:
            current = next(iter(named))
        if current is not None and (named or leading):
            found[current].append(piece)
