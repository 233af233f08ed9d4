"""The modes of a prompt's commands, and the limits of each.

A mode is accepted on two signs: a word of a command has alternatives, and each of them occurs again
elsewhere, as a mode's name or with its limits.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reviewers.rubric.contract import script_of
from reviewers.rubric.reading.demand_parts import DemandPart, code_spans, is_denied, parts
from reviewers.rubric.reading.outline import PromptStatement, word_set
from reviewers.rubric.reading.shell import Line, is_mode_key, tokens

SERVICES = {
    "wandb": r"wandb|weights\s*(?:&|and)\s*biases|w&b",
    "mlflow": r"ml[\s-]?flow",
    "tensorboard": r"tensorboard\w*",
    "comet_ml": r"comet(?:[._\s]ml)",
    "neptune": r"neptune(?:\.ai)?",
    "clearml": r"clearml",
    "aim": r"aimstack|aim\s+(?:tracker|tracking|server)",
    "swanlab": r"swanlab",
    "trackio": r"trackio",
    "dvclive": r"dvclive",
    "sacred": r"sacred\s+(?:observer|experiment)",
}
"""The services that track experiments, by the package that speaks to each."""
ANY_SERVICE = "|".join(SERVICES.values())
_PLAIN = "full"  # the mode for which no word is given, where the prompt has no name for it
_TRUE = {"1", "True", "true", "on", "yes"}
_FALSE = {"0", "False", "false", "no", "off"}
_NAME = re.compile(r"[A-Za-z][\w-]{0,39}")
_SMALL_RUNS = word_set(
    "trial smoke quick dry fast sanity pilot debug tiny lite demo rehearsal mini check brief "
    "short light probe small toy full real test"
)
_NO_LABEL = word_set(
    "training train run runs mode modes command commands evaluation evaluate inference the a "
    "an interface call cli start usage and or"
)
_FLAG = re.compile(r"(?<![\w./-])(?:--[a-z][\w-]*|\+{0,2}[A-Za-z_]\w*=[A-Za-z]\w*)(?![\w.=/-])")


def alternatives(lines: list[Line]) -> tuple[list[str], dict[str, str]] | None:
    """Return the units of commands that do one job, with `{mode}` where they differ, and the words
    before each alternative; None if they differ in more than one unit.
    """
    unique = list({tuple(line.units): line for line in lines}.values())
    whole = [line for line in unique if not any(_shortens(line, other) for other in unique)]
    slotted = next((line for line in whole if "{mode}" in line.units), None)
    if slotted is not None:
        others = [unit for line in whole for unit in line.units if unit not in slotted.units]
        return slotted.units, dict.fromkeys([*slotted.alternatives, *others], "")
    common = [unit for unit in whole[0].units if all(unit in line.units for line in whole)]
    if len(whole) == 1:
        return common, {}
    found: dict[str, str] = {}
    slot: list[str] | None = None
    for line in whole:
        own = [unit for unit in line.units if unit not in common]
        if len(own) > 1 or "{" in "".join(own) or "".join(own) in found:
            return None
        found["".join(own)] = line.label or " "
        if own:
            slot = ["{mode}" if unit == own[0] else unit for unit in line.units]
    return (slot or common), found


def _shortens(line: Line, other: Line) -> bool:
    """Whether a command is another one without its placeholders, or one that only names it."""
    left_out = set(other.units) - set(line.units)
    return set(line.units) < set(other.units) and any("{" in unit for unit in left_out)


def read_modes(
    units: list[str], found: dict[str, str], statements: list[PromptStatement], *, spoken: bool
) -> tuple[list[str], dict[str, Any]] | None:
    """Return the units of a command with the modes that it is started in; None if what stands
    for them cannot be read.
    """
    text = "\n".join(each.text for each in statements if not each.fenced)
    for span in code_spans(text):
        if script_of(span):
            text = text.replace(span, "")  # what another command is given says nothing here
    named = {word: label for word, label in found.items() if not word.endswith(("=", " "))}
    keyed = {word.partition("=")[0].partition(" ")[0] for word in found if word}
    if found and len(named) < 2:
        key = next(iter(keyed), "")
        sep = "=" if f"{key}=" in found else " "
        named |= {f"{key}{sep}{each}": "" for each in _spoken(key, text)}
    if not found and spoken:
        units, named = _with_spoken(units, text)
    elif found and len(named) < 2:
        return None
    if not named and any(_is_small(unit) and unit in text for unit in units):
        return None  # called as a mode is and mentioned, but no alternative is known
    modes: dict[str, str] = {}
    for word, label in named.items():
        name = _called(word, label)
        if name is None or name in modes:
            return None
        modes[name] = word
    said = parts(statements)
    tables = {
        name: {"word": word, **limits([word, *texts])}
        for (name, word), texts in zip(modes.items(), _spoken_of(modes, said), strict=True)
    }
    stands = [name for name, word in modes.items() if _stands_again(name, word, named, said)]
    small = [row for row in tables.values() if len(row) > 1]
    flags = all(not word or word.startswith("-") or word.endswith("e") for word in modes.values())
    modal = any(set(tokens(each)) & _SMALL_RUNS for each in modes)
    if (
        not modes
        or all(map(is_mode_key, keyed))
        or (len(stands) == len(modes) and (small or (modal and flags)))
    ):
        return units, tables
    return None


def _with_spoken(units: list[str], text: str) -> tuple[list[str], dict[str, str]]:
    """A command that is shown without alternatives, and the word that sentences say it may be given
    or may lack: "supports trial_mode=true", "the same without `--quick`".
    """
    for at, unit in enumerate(units):
        key, sep, value = unit.partition(" " if " " in unit else "=")
        if sep and re.fullmatch(r"[\w+-]+", key) and _NAME.fullmatch(value) and value not in _TRUE:
            given = dict.fromkeys([unit, *(f"{key}{sep}{each}" for each in _spoken(key, text))], "")
            if len(given) > 1:
                return [*units[:at], "{mode}", *units[at + 1 :]], given
        other = re.search(rf"`(-[\w-]+)`[^.`]{{0,20}}\binstead\s+of\s+`?{re.escape(unit)}\b", text)
        if unit.startswith("-") and other:
            return [*units[:at], "{mode}", *units[at + 1 :]], {unit: "", other[1]: ""}
        flag = unit.startswith("-") or value in _TRUE
        if flag and re.search(rf"\bwithout\s+(?:the\s+)?`?{re.escape(unit)}\b", text):
            return [*units[:at], "{mode}", *units[at + 1 :]], {"": "", unit: ""}
    keyed: dict[str, dict[str, str]] = {}
    for key, value in re.findall(r"(?<![\w.-])([a-z_]+)=([a-z][\w-]*)\b", text):
        if is_mode_key(key) and value not in _TRUE | _FALSE:
            keyed.setdefault(key, {})[f"{key}={value}"] = ""
    if len(keyed) == 1 and len(words := next(iter(keyed.values()))) > 1:
        return [*units, "{mode}"], words
    for word in dict.fromkeys(found[0] for found in _FLAG.finditer(text)):
        key, _, value = word.partition("=")
        again = re.findall(rf"(?<![\w.-]){re.escape(word)}(?![\w-])", text)
        flag = (value in _TRUE or not value) and word not in units
        if flag and set(tokens(key)) & _SMALL_RUNS and len(again) > 1:
            return [*units, "{mode}"], {"": "", word: ""}
    return units, {}


def _is_small(unit: str) -> bool:
    """Whether a word is called as modes are, and stands for no placeholder."""
    key = re.split("[ =]", unit)[0]
    return "{" not in unit and (is_mode_key(key) or bool(set(tokens(key)) & _SMALL_RUNS))


def _spoken(key: str, text: str) -> list[str]:
    """The values that a text gives to a key: `key=a`, `key == "b"`, or "key is `a` or `b`"."""
    bare = re.escape(key.lstrip("-+"))
    found = re.findall(
        rf"(?<![\w.-])(?:(?:cfg\.|args\.|config\.|--|\+)?{bare}\s*={{1,2}}|--{bare}(?=\s))"
        r"\s*[\"'`]?([A-Za-z][\w-]*)",
        text,
    )
    listed = re.compile(
        rf"(?<![\w.]){bare}s?\b[`\"'}}>]*\s*(?:is|are|be|must|either|one|of|takes|has|values?|two"
        r"|three|the|[:=∈({\[]|\s)*(?P<list>[`\"'“]?[A-Za-z][\w-]*[`\"'”]?(?:\s*[,/|]\s*[`\"'“]?"
        r"[A-Za-z][\w-]*[`\"'”]?)*\s*,?\s*(?:\bor\b|\band\b|[|/,])\s*[`\"'“]?[A-Za-z][\w-]*[`\"'”]?)",
        re.IGNORECASE,
    )
    for hit in list(listed.finditer(text))[:20]:
        marked = re.findall(r"[`\"'“]([A-Za-z][\w-]*)[`\"'”]", hit["list"])
        found += marked if len(marked) > 1 else []
    return list(dict.fromkeys(each for each in found if each not in _TRUE | _FALSE))[:8]


def _called(word: str, label: str) -> str | None:
    """What a mode is called, by the word that it is given or else by the words before it."""
    key, _, value = word.replace(" ", "=", 1).partition("=")
    if not word or value in _FALSE or "." in key:
        found = re.search(r"\(([A-Za-z][\w-]*)\)", label) or re.match(r"([A-Za-z][\w-]*)$", label)
        name = found[1].lower() if found else ""
        return name if name and name not in _NO_LABEL else None if "." in key else _PLAIN
    name = re.sub(r"[_-]?mode$", "", key.lstrip("-+")) if not value or value in _TRUE else value
    return name if _NAME.fullmatch(name) else None


def _stands_again(name: str, word: str, typed: Mapping[str, str], said: list[DemandPart]) -> bool:
    """Whether a mode is mentioned outside of commands, or a command of its own was typed for it."""
    if not word or typed.get(word):
        return True
    pattern = _mentions(name, word)
    bare = (re.sub(r"`[^`]*\.py\b[^`]*`|`[^`]*\s-m\s[^`]*`", " ", part.text) for part in said)
    return any(pattern.search(text) for text in bare)


def _mentions(name: str, word: str) -> "re.Pattern[str]":
    """A pattern for the places where a text mentions a mode."""
    spelled = r"[-_ ]?".join(re.escape(token) for token in re.split(r"[-_]", name))
    key, _, value = word.lstrip("-+").replace(" ", "=", 1).partition("=")
    value, key = re.escape(value), re.escape(key)
    kind = key if value else "mode"
    forms = [
        rf"\b{spelled}[-_ ]?(?:mode|runs?|tests?|checks?|executions?|{kind})\b",
        rf"[`\"'“*„]{spelled}[`\"'”*“]",
        rf"\b(?:mode|stage|profile|phase|level|preset)\s+{spelled}\b",
        rf"^(?:an?\s+|the\s+)?{spelled}(?:\s+(?:runs?|mode))?\s*(?:\([^()]*\))?\s*(?:[:–—=]|$)",
        rf"\b(?:in|under|for|of|with)\s+(?:an?\s+|the\s+)?{spelled}\s+(?:runs?|executions?|tests?)\b",
        rf"^(?:an?\s+|the\s+){spelled}\s+[a-z]+s\b",
        rf"^(?:in|under|for|with)\s+(?:an?\s+|the\s+)?{spelled}(?=\s*[,:])",
    ]
    if word:
        forms.append(rf"(?<![\w.]){re.escape(word)}(?![\w-])")
        if value and word not in ("true",):
            forms.append(rf"(?<!wandb\.)\b{key}\W{{0,3}}(?:==?|is|:|\s)\s*[\"'`]?{value}\b")
        if not value or value in _TRUE:
            forms.append(rf"\b{key}\b(?!\W{{0,3}}(?:{'|'.join(_FALSE)})\b)")
    if re.search(r"[-_]", name):
        forms.append(rf"\b{spelled}\b")
    return re.compile("|".join(f"(?:{form})" for form in forms), re.IGNORECASE)


def _spoken_of(modes: Mapping[str, str], said: list[DemandPart]) -> list[list[str]]:
    """For each mode the pieces of text that mention it and no other."""
    patterns = {name: _mentions(name, word) for name, word in modes.items()}
    plain = next((f"`{name}` mode" for name, word in modes.items() if not word), "")
    words = "|".join(re.escape(word) for word in modes.values() if word) or "$^"
    without = re.compile(
        rf"^(?:otherwise|else)\b|\bwithout\s+(?:the\s+)?(?:(?:flag|option|switch)\s+)?(?:`?(?:{words})`?(?![\w-])|it\b)",
        re.IGNORECASE,
    )
    found: dict[str, list[str]] = {name: [] for name in modes}
    led: tuple[PromptStatement | None, str] = (
        None,
        "",
    )  # by the part with which a mode's words begin
    for part in said:
        text = without.sub(plain, part.text) if plain else part.text
        named = _named_in(text, patterns)
        if len(named) > 1:
            _share_out(text, patterns, found)
        elif named:
            goes_on = part.statement.style != "paragraph" and _leads(text, patterns)
            led = (part.statement, named[0]) if goes_on else (None, "")
        elif led[0] is part.statement:
            named = [led[1]]
        for up in part.statement.lineage:
            above = up.text if up is not part.statement or up.number else ""
            named = named or _named_in(_title(above), patterns)
        if len(named) == 1:
            found[named[0]].append(text)
    return list(found.values())


def _title(text: str) -> str:
    return re.split(r"[:.]\s|\n", text)[0]


def _named_in(text: str, patterns: Mapping[str, "re.Pattern[str]"]) -> list[str]:
    return [name for name, pattern in patterns.items() if pattern.search(text)]


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
    current = ""
    for piece in re.split(r"[,;:]\s|\s+and\s+", text):
        named = _named_in(piece, patterns)
        if named:
            current = named[0] if len(named) == 1 else ""
        if current and (named or leading):
            found[current].append(piece)


_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_N = (
    rf"(\d{{1,6}}(?:\s?(?:-|–|to|or)\s?\d{{1,6}})?|(?:{'|'.join(_NUMBERS)})"
    rf"(?:\s(?:to|or)\s(?:{'|'.join(_NUMBERS)}))?|a\ssingle)"
)
_TO = (
    r"[`\"')]*\s*(?:is|are|be|stays?|at|to|of|limited|set|reduced|capped|restricted|cut|down|most"
    r"|maximum|max|only|just|exactly|=|:|≤|<=|\s)*\s*[`\"'(]*"
)
_SEARCH = r"(?:optuna|hyper-?\s?parameters?|search|tuning|hpo|sweep)"
_AMOUNTS = {
    "epochs": rf"(?<!per\s)(?<!each\s)(?<!every\s)epochs?{_TO}{_N}\b"
    rf"|{_N}[`\"']?[\s-](?:training\s|full\s)?epochs?\b",
    "batches": r"(?<!eval_)(?<!val_)(?<!test_)batches"
    rf"(?:\s+(?:per|of|in)\s+(?:(?:an?|each|every)\s+)?epoch)?{_TO}{_N}\b"
    rf"|{_N}[`\"']?\s(?:training\s|mini-?)?batch(?:es)?\b(?!\s*size)",
    "search_trials": rf"n_trials{_TO}{_N}\b|{_SEARCH}[\s_]trials{_TO}{_N}\b"
    rf"|{_N}[`\"']?\s(?:{_SEARCH}\s)?trials\b|{_N}[`\"']?\s{_SEARCH}\strial\b",
}
_NO_SEARCH = re.compile(
    rf"\b(?:no|without|skip\w*|disabl\w+|omit\w*|leav\w+\s+out|drops?|not\s+search)\s+"
    rf"(?:the\s+|any\s+|all\s+|an?\s+)?{_SEARCH}\b"
    rf"|{_SEARCH}(?:\s+\w+)?(?:\s+(?:is|are|being|gets?|stays?|must\s+be|trials|search))*\s+"
    r"(?:disabled|off|skipped|omitted|(?:switched|turned)\s+off|not\s+(?:run|used|started))",
    re.IGNORECASE,
)
_T = rf"(?:{ANY_SERVICE}|track(?:ing|er))"
_TRACKER = re.compile(rf"\b{_T}", re.IGNORECASE)
_STATE = re.compile(
    rf"\b(?:(?P<disabled>disabl|off\b|deactivat|(?:no|without)\s+(?:\w+\s+)?{_T})|(?P<offline>offline)"
    r"|(?P<online>online|on\b(?=\W*$)|enabl|activ))",
    re.IGNORECASE,
)
_SMALL = (
    r"(?:small\w*|tiny|reduced|few|handful|fraction|part|subset|slice|portion|\d+\s+(?:samples"
    r"|examples|items|rows))"
)
_EVALUATED = r"(?:evaluat\w*|validation|test(?:ing)?|eval)"
_SMALL_EVALUATION = re.compile(
    rf"\b{_SMALL}\b[\w\s]{{0,24}}?\b{_EVALUATED}\b|\b{_EVALUATED}\b[\w\s]{{0,40}}?\b{_SMALL}\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:not|never|no|at\s+least|more\s+than|minimum|than|whole|entire|unlimited|may|optional\w*)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)


def limits(texts: Iterable[str]) -> dict[str, Any]:
    """Return what the texts on one mode demand of it, without what they do not agree on."""
    found: dict[str, set[Any]] = {}
    for text in texts:
        text = re.sub(r"\b(?:no|not)\s+more\s+than\b", "at most", text, flags=re.IGNORECASE)
        for piece in re.split(r"[,;/]\s|\s(?:and|but|with|plus)\s|\.\s", text):
            for name, value in _of_piece(piece):
                found.setdefault(name, set()).add(value)
    return {name: values.pop() for name, values in found.items() if len(values) == 1}


def _of_piece(piece: str) -> Iterator[tuple[str, Any]]:
    for name, pattern in _AMOUNTS.items():
        for hit in re.finditer(pattern, piece, re.IGNORECASE):
            before = piece[max(hit.start() - 40, 0) : hit.start()]
            words = re.findall(r"\d+|[a-z]+", next(filter(None, hit.groups())).lower())
            if not _NEGATED.search(before) and not _NEGATED.search(hit[0]):
                known = [_NUMBERS.index(word) for word in words if word in _NUMBERS]
                yield name, max(known + [int(word) for word in words if word.isdigit()], default=1)
    if _NO_SEARCH.search(piece) and not re.search(r"\bneed|\bn['’]t\b|\bmay\b", piece):
        yield "search_trials", 0
    if (state := _tracking(piece)) is not None:
        yield "tracking", state
    if _SMALL_EVALUATION.search(piece) and not _NEGATED.search(piece) and not is_denied(piece):
        yield "small_evaluation", True


def _tracking(piece: str) -> str | None:
    """The one state that a piece gives to tracking, without what it denies."""
    if _TRACKER.search(piece) is None or re.search(r"\b(?:not|never|may|need)\b|n['’]t\b", piece):
        return None
    states = {hit.lastgroup for hit in _STATE.finditer(piece)}
    return states.pop() if len(states) == 1 else None
