"""What a prompt asks of tracking, outputs, data and code."""

import re
from collections.abc import Callable
from typing import Any

from reviewers.rubric.reading.lines import kind_of
from reviewers.rubric.reading.outline import Statement, word_set
from reviewers.rubric.reading.parts import Part, code_spans, is_denied, parts
from reviewers.rubric.reading.paths import paths_in, placeholders, safe_path
from reviewers.rubric.reading.services import ANY_SERVICE, SERVICES

_S = rf"(?:{ANY_SERVICE})"
_NOT = re.compile(
    r"\b(?:no|not|never|nothing|nor|neither|none|without|forbidden|only)\b|n['’]t\b", re.IGNORECASE
)
_WEAK = re.compile(
    r"\bneed(?:s|ed)?\b|\brequired\b|\bnecessary\b|\bnot\s+only\b|\bno\s+longer\b|\bobjection|\bproblem\b"
    r"|\bharm|\bmay\b(?!\s+not\b)|\bif\b(?!\s+(?:you\s+)?us)|\boptional|\bnot\s+forbidden|\bfree\s+to",
    re.IGNORECASE,
)


def _says(*patterns: str, about: str = "") -> Callable[[Part], bool]:
    """A reader: the part demands what all patterns find in it."""
    wanted = [re.compile(pattern, re.IGNORECASE) for pattern in patterns]
    subject = re.compile(about, re.IGNORECASE)

    def reads(part: Part) -> bool:
        return (
            not part.denied
            and all(pattern.search(part.text) for pattern in wanted)
            and subject.search(part.context) is not None
        )

    return reads


def _forbids(*patterns: str) -> Callable[[Part], bool]:
    """A reader: the part forbids what all patterns find in it."""
    wanted = [re.compile(pattern, re.IGNORECASE) for pattern in patterns]

    def reads(part: Part) -> bool:
        text = part.text
        return (
            _NOT.search(text) is not None
            and _WEAK.search(text) is None
            and all(pattern.search(text) for pattern in wanted)
        )

    return reads


_EVALUATES = (
    r"\bevaluat|\bcompar|\bfigures?\b|\bplots?\b|\banalys|\bresults?\b|\boutputs?\b|\bvisuali"
)
_FIGURES = r"\b(?:figures?|plots?|charts?|diagrams?|graphs?|curves|images)\b"
_DRAWS = (
    r"\b(?:draws?|drawn|generat\w*|produc\w*|creat\w*|makes?|made|plots?|renders?|saves?|saved)\b"
)
_LOGS = (
    r"\b(?:goes?\s+to|writ(?:es|ten)\s+to|log(?:s|ged|ging)?|record(?:s|ed)?|track(?:s|ed)?"
    r"|report(?:s|ed)?|send|sends|sent)\b"
)
_FETCHES = (
    r"\b(?:retriev\w+|fetch\w*|reads?|loads?|gets?|pulls?|takes?|taken|downloads?|quer\w+"
    r"|obtains?|comes?|drawn|collect\w*)\b"
)

_TRACKING = {
    "every_step": _says(
        _LOGS,
        r"\b(?:each|every|per)[\s-](?:\w+\s)?(?:step|batch|epoch|iteration)s?\b|\b(?:step|epoch)[\s-]by[\s-](?:step|epoch)\b",
        about=rf"{_S}|\btrack",
    ),
    "summary": _says(
        r"\bsummar(?:y|ies)\b", r"\b(?:final|best|last|closing|end)\b", about=rf"{_S}|\btrack"
    ),
    "same_keys": _says(
        r"\b(?:match\w*|same|very|equal|identical|agree|coincide|correspond\w*|exactly)\b",
        r"\b(?:keys?|names?)\b",
        r"\bevaluat",
        r"\bmetrics?\b|\blog",
    ),
    "no_search_trials": _forbids(
        _LOGS, r"\b(?:intermediate|search|optuna|sweep|tuning|hyper\w+)\b", r"\btrials?\b"
    ),
    "no_json": _forbids(r"\bjson\b|\bresults\.json\b", r"\btrain\w*"),
    "read_back": _says(
        _FETCHES,
        rf"\b(?:from|through|via|using|by|out\s+of|with)\s+(?:the\s+)?`?(?:{_S})|\b(?:{_S})\.Api\b"
        rf"|\b(?:{_S})`?\s+(?:api|server|client|tracking\s+server)\b",
        about=r"\bevaluat",
    ),
}
_OUTPUTS = {
    "comparison_figures": _says(
        rf"\bcompar\w+\s+(?:\w+\s+){{0,2}}?{_FIGURES}|\bcross-run\b[^.;]{{0,30}}{_FIGURES}|{_FIGURES}"
        r"[^.;]{0,40}\b(?:compar\w+|across\s+(?:all\s+)?(?:the\s+)?runs)\b",
        about=_EVALUATES,
    ),
    "confusion_matrix": _says(r"\bconfusion[\s-]+matri"),
    "significance": _says(
        r"\bsignifican(?:ce|t)\b[^.;]{0,40}\btest|\bstatistical(?:ly)?\s+(?:\w+\s+)?(?:significan|test)|\btests?\s+"
        r"(?:of|for)\s+(?:\w+\s+)?significan|\bt-tests?\b|\bwilcoxon\b|\bmann-whitney\b|\bp-values?\b"
        r"|\bsignificance\b"
    ),
    "tables": _says(
        r"\btables?\b(?!\s+of\s+contents)(?<!PyTables)",
        r"\b(?:metrics?|performance|results?|compar\w+|scores?)\b|\btables?\b",
        about=_EVALUATES,
    ),
    "json_lines": _says(
        r"\bprints?\b|\bstdout\b|\bemits?\b|\bstandard\s+output\b",
        r"\bjson\b",
        r"\bmetrics?\b",
        r"\btrain\w*",
    ),
}
_LEGIBLE = tuple(
    re.compile(word, re.IGNORECASE)
    for word in (
        r"\blegends?\b",
        r"\btight[\s_]?layout\b",
        r"\bannotat|\bvalues?\b|\blabel(?:l?ed|s)?\b",
    )
)
_EVALUATION_DRAWS = (
    _forbids(
        _FIGURES + r"|\b(?:draws?|plots?)\b", r"\b(?:train\w*|main|inference)\.py\b|\btraining\b"
    ),
    _says(
        rf"{_FIGURES}[^.;]*\b(?:only|alone|exclusively|solely)\b|\b(?:only|alone|exclusively|solely)\b[^.;]*(?:{_FIGURES}|\bdraws?\b)",
        rf"{_DRAWS}|\bcome\b",
        r"\bevaluat",
    ),
)


def read_tracking(statements: list[Statement]) -> dict[str, Any]:
    """Return the table of the tracking."""
    said = parts(statements)
    service, optional = _service(said)
    table: dict[str, Any] = {key: True for key, reads in _TRACKING.items() if any(map(reads, said))}
    if service is not None:
        table |= {"service": service, "optional": optional}
        if settings := _settings(service, said):
            table["settings"] = settings
    return table


_CONDITION = re.compile(
    rf"\b(?:if|when|where|unless|in\s+case)\b[^.;()]{{0,20}}(?:{_S})[^.;()]{{0,12}}\b(?:used|chosen|enabled|available|wanted)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:may|might|can|could|optional\w*|if|encouraged|recommended)\b", re.IGNORECASE
)
_NO_MENTION = re.compile(
    r"\b(?:no|not|never|without|neither|nor|none|disabl\w+|off)\b|n['’]t\b", re.IGNORECASE
)


def _service(said: list[Part]) -> tuple[str | None, bool]:
    """The one service that the prompt speaks for, and whether a submission may do without."""
    firm: set[str] = set()
    left_open: set[str] = set()
    refused = {package for package in SERVICES for part in said if _refuses(package, part.text)}
    for part in said:
        title = part.statement.text.rstrip(":")
        if part.statement.number and ":" not in title and len(title.split()) <= 5:
            continue  # it says what a criterion is about, not what is asked
        condition = any(_CONDITION.search(up.text) for up in part.statement.lineage)
        for package, pattern in SERVICES.items():
            if re.search(rf"(?<![\w.])(?:{pattern})(?!\w)", part.text, re.IGNORECASE) is None:
                continue
            if condition:
                left_open.add(package)
            elif _NO_MENTION.search(part.text):
                continue
            elif _OPEN.search(part.text):
                left_open.add(package)
            else:
                firm.add(package)
    for found, optional in ((firm - refused, False), (left_open - refused, True)):
        if found:
            return (next(iter(found)), optional) if len(found) == 1 else (None, False)
    return None, False


def _refuses(package: str, text: str) -> bool:
    called = SERVICES[package]
    return (
        re.search(
            rf"\b(?:{called})`?\s+(?:is|are|must|should|shall|need|may|does|has)(?:\s+\w+)?(?:\s+not|n['’]t)\b"
            rf"[^.;]*\b(?:used?|needed|required|wanted|asked|part|expected)\b|\b(?:not|never|n['’]t)\s+use\s+"
            rf"(?:{called})\b|\bno\s+(?:{called})\s+(?:is|are)\b|\b(?:{called})\s+is\s+(?:forbidden|banned)",
            text,
            re.IGNORECASE,
        )
        is not None
    )


_PROJECT = re.compile(
    r"(?<![\w./])(entity|project|workspace|tracking_uri|experiment_name)\b(?!\.\w)"
)
_SETTING = re.compile(r"[a-z]\w{1,30}")
_NO_SETTING = word_set(
    "mode log init summary config api run runs settings name names key keys and or the with "
    "from in init_run start_run log_metric log_metrics finish api_key"
)


def _settings(service: str, said: list[Part]) -> tuple[str, ...]:
    """The keys of the main configuration that name the project."""
    called = SERVICES[service]
    found: list[str] = []
    for part in said:
        sentence = part.whole
        if part.denied or not re.search(r"config|settings|\.ya?ml|initiali", sentence):
            continue
        dotted = re.findall(rf"(?<![\w.]){re.escape(service)}\.([a-z]\w*)(?![\w.(\[])", sentence)
        listed = re.search(
            rf"(?:{called})\b[^.;]{{0,40}}?(?:settings|section|keys|initiali[sz]ation|configuration"
            r"|config|block|initiali[sz]ed)[`\"']?\s*(?:\(|:\s*|with\s+(?:the\s+)?|of\s+|are\s+)\s*(?P<list>[`\w]+"
            r"(?:\s*(?:/|,|and|&|\s)\s*[`\w]+){0,5}?)\s*(?:\)|from\b|in\b|of\b|$|[.;])",
            sentence,
            re.IGNORECASE,
        )
        names = [name for name in dotted if name not in _NO_SETTING]
        if listed is not None and not names:
            names = re.findall(r"[A-Za-z_]\w*", listed["list"])
            names = [name for name in names if name not in ("and", "the")]
            if not all(_SETTING.fullmatch(name) and name not in _NO_SETTING for name in names):
                names = []
        if not names and re.search(rf"{called}|\btrack", part.context, re.IGNORECASE):
            names = re.findall(_PROJECT, sentence)
        found += [f"{service}.{name}" for name in names]
    return tuple(sorted(dict.fromkeys(found)))[:6]


def read_outputs(statements: list[Statement]) -> dict[str, Any]:
    """Return the table of what the evaluation leaves behind."""
    said = parts(statements)
    table: dict[str, Any] = {key: True for key, reads in _OUTPUTS.items() if any(map(reads, said))}
    table |= _metrics_files(said, statements)
    names, formats = _figures(said)
    formats |= {name.rpartition(".")[2] for name in names}
    if len(formats) == 1:
        table["figure_format"] = formats.pop()
    if names:
        table["figure_names"] = names
    legible = [
        part
        for part in said
        if not part.denied and re.search(_FIGURES, part.context, re.IGNORECASE)
    ]
    if sum(any(word.search(part.text) for part in legible) for word in _LEGIBLE) >= 2 and any(
        word.search(part.text) for word in _LEGIBLE[:2] for part in legible
    ):
        table["legible"] = True
    if any(reads(part) for reads in _EVALUATION_DRAWS for part in said):
        table["drawn_by_evaluation"] = True
    if printed := _printed(said):
        table["printed"] = printed
    return table


def canonical(path: str) -> str:
    """Return a path with its placeholders by the contract's own names; the folder in which it lies
    is the results folder where a placeholder stands for it.
    """

    def name(found: "re.Match[str]") -> str:
        kind = kind_of(found[1])
        if kind in ("run_id", "results_dir"):
            return f"{{{kind}}}"
        if found.start() == 0 and path[found.end() :].startswith("/"):
            return "{results_dir}"
        short = re.sub(r"^(?:figure|fig|plot|metric|chart)_", "", found[1])
        return (
            "{topic}" if short in ("topic", "name", "title", "figure", "what") else f"{{{short}}}"
        )

    return re.sub(r"\{(\w+)\}", name, path)


def _metrics_files(said: list[Part], statements: list[Statement]) -> dict[str, Any]:
    per_run: set[str] = set()
    of_all: dict[str, Statement] = {}
    for part in said:
        if part.denied or re.search(r"\btrain\w*\.py\b|\bmain\.py\b", part.text):
            continue
        for path in paths_in(part.text):
            path = canonical(path)
            if not path.endswith(".json") or "/" not in path or path.startswith("."):
                continue
            if not re.search(
                r"\bmetric|\bresult|\bscore|\bcompar|aggregat|summary",
                f"{path} {part.text}",
                re.IGNORECASE,
            ):
                continue
            if "{run_id}" in path and "metadata" not in path:
                per_run.add(path)
            elif not placeholders(path.removeprefix("{results_dir}")) and re.search(
                r"aggregat|compar|summary|overall|all\s+runs|combined|across",
                f"{path} {part.context}",
                re.IGNORECASE,
            ):
                of_all.setdefault(path, part.statement)
    table: dict[str, Any] = {}
    if len(per_run) == 1:
        table["run_metrics"] = per_run.pop()
    if len(of_all) == 1:
        ((path, statement),) = of_all.items()
        table["comparison"] = path
        if keys := _keys(statement, statements, path):
            table["keys"] = keys
    return table


_QUOTED_KEY = re.compile(r"^[`\"'*]+([A-Za-z_]\w*)[`\"'*]+\s*(?:[:(–—=-]|$)")
_KEY = r"[`\"']?[A-Za-z_]\w*[`\"']?"
_KEY_LIST = re.compile(
    r"\b(?:with|holds?|holding|contain\w*|ha[sv]e?|keys?|fields?|includ\w+|entries)\b(?:\s+(?:the|keys?|fields?|"
    rf"entries|following|these|top-level|are))*\s*:?\s*(?P<list>{_KEY}(?:\s*,\s*(?:and\s+)?{_KEY})+"
    rf"(?:\s*,?\s*(?:and|plus|&)\s+{_KEY})*|{_KEY}\s+(?:and|plus|&)\s+{_KEY})",
    re.IGNORECASE,
)


def _keys(holder: Statement, statements: list[Statement], path: str) -> tuple[str, ...]:
    """The keys of a JSON file, by a sample or a list under the statement that names the file."""
    beneath = [each for each in statements if holder in each.above]
    for each in beneath:
        if each.fenced and (keys := _top_keys(each.text)):
            return keys
    listed = [
        found[1]
        for each in beneath
        if not is_denied(re.split(r"[:(]", each.text)[0])
        and (found := _QUOTED_KEY.match(each.text)) is not None
    ]
    if listed:
        return tuple(dict.fromkeys(listed))[:50]
    text = " ".join(holder.text.split())
    after = text[text.find(path.rpartition("/")[2]) :]
    for source in (after, *(" ".join(each.text.split()) for each in beneath)):
        for sentence in re.split(r"(?<=[.;])\s+", source):
            # Parentheses hold the keys, or say of each what it means.
            for read in (sentence, re.sub(r"\s*\([^()]*\)", "", sentence)):
                hit = _KEY_LIST.search(read)
                if hit is not None and not is_denied(sentence):
                    names = re.findall(r"[A-Za-z_]\w*", hit["list"])
                    kept = (name for name in names if name not in ("and", "plus", "the"))
                    return tuple(dict.fromkeys(kept))[:50]
    return ()


def _top_keys(block: str) -> tuple[str, ...]:
    """The outermost keys of a JSON sample, which need not be valid."""
    depth = 0
    keys: list[str] = []
    if not block.strip().startswith("{"):
        return ()
    for found in re.finditer(r'"((?:[^"\\\n]|\\.)*)"(\s*:)?|[\[\]{}]', block):
        mark = found[0]
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
        elif found[2] and depth == 1 and re.fullmatch(r"\w[\w.-]{0,59}", found[1]):
            keys.append(found[1])
    return tuple(dict.fromkeys(keys))[:50]


_FORMATS = ("pdf", "png", "svg", "eps")


def _figures(said: list[Part]) -> tuple[tuple[str, ...], set[str]]:
    names: list[str] = []
    formats: set[str] = set()
    for part in said:
        if part.denied:
            continue
        whole = re.sub(r"\[[^\]\s]*\]", "", part.text)  # what may be left out of a name
        for path in paths_in(whole):
            name = canonical(path.rpartition("/")[2])
            if placeholders(name) and name.endswith(tuple(f".{each}" for each in _FORMATS)):
                names.append(name)
        if re.search(rf"{_FIGURES}|\bimages?\b", part.context, re.IGNORECASE):
            formats |= {
                each
                for each in _FORMATS
                if re.search(rf"(?<![\w])\.?{each}s?\b", part.text, re.IGNORECASE)
            }
    return tuple(dict.fromkeys(names))[:20], formats


_LINE = re.compile(r"[A-Z][A-Z0-9_]{2,40}(?::?\s?[A-Z][A-Z0-9_]{1,20})?")


def _printed(said: list[Part]) -> tuple[str, ...]:
    """The lines in capitals that a good run prints."""
    return tuple(
        dict.fromkeys(
            span
            for part in said
            if not part.denied
            and re.search(
                r"\bprint\w*|\bstdout\b|\bemits?\b|\bends?\s+with\b", part.text, re.IGNORECASE
            )
            for span in code_spans(part.text)
            if _LINE.fullmatch(span)
            and re.search(r"[:_ ]", span)
            and not re.search(r"FAIL|ERROR|KEY|PLACEHOLDER", span)
        )
    )[:10]


def read_data(statements: list[Statement]) -> dict[str, Any]:
    """Return the table of what is asked of data sets."""
    table: dict[str, Any] = {}
    caches: set[str] = set()
    for part in parts(statements):
        if part.denied:
            continue
        if re.search(r"\bcach", part.text, re.IGNORECASE):
            bare = re.sub(r"`[^`]*`", " ", part.text)
            for span in (
                *code_spans(part.text),
                *re.findall(r"(?<![\w./~-])\.?[\w-]*cache[\w-]*/(?:[\w-]+/)*", bare),
            ):
                folder = safe_path(span)
                if folder is not None and re.fullmatch(
                    r"\.?[\w-]+(?:/[\w-]+)*/|\.[\w-]+|\.?[\w-]+/[\w-]+", folder
                ):
                    caches.add(folder.rstrip("/") + "/")
        handles = re.search(
            r"\berror[\s-]+handling\b|\bhandl\w+\b[^.;]{0,30}\b(?:errors?|exceptions?|failures?)\b|"
            r"\b(?:errors?|exceptions?|failures?)\b[^.;]{0,40}\b(?:handled|caught)\b",
            part.text,
            re.IGNORECASE,
        )
        if handles and re.search(r"\bdata|\bload|\bdownload", part.text, re.IGNORECASE):
            table["handled"] = True
    if len(caches) == 1:
        table["cache"] = caches.pop()
    return table


def read_code(statements: list[Statement]) -> dict[str, Any]:
    """Return what is said of base code, of placeholders, and of what is left unfinished."""
    said = parts(statements)
    table: dict[str, Any] = {}
    base = _says(
        r"\bbase[\s_-]?code\b",
        r"\b(?:preserv\w+|retain\w*|kept|keeps?|intact|remains?|carried\s+over|derived\s+from)\b",
    )
    placeholder = _says(
        r"\w_PLACEHOLDER\b|\bplaceholders?\b",
        r"\b(?:us(?:e|es|ed|ing)|stands?|left|contain\w*|present|marked|named|strateg\w+|allowed|for)\b",
        r"\bdata[\s-]?sets?\b|\bmodels?\b|\bDATASET_|\bMODEL_",
    )
    gone = re.compile(
        r"\breplac\w+|\bremain\w*|\bcomplete\w*|\bincomplete\b|\bloading\s+code\b", re.IGNORECASE
    )
    unfinished = _forbids(
        r"\bTODOs?\b|\bstub\w*|\btruncat\w*|\bomitt?\w*|\bunfinished\b|\bincomplete\b"
    )
    if any(map(unfinished, said)):
        table["complete"] = True
    if any(map(base, said)):
        table["from_base"] = True
    if any(placeholder(part) and not gone.search(part.text) for part in said):
        table["placeholders"] = True
    return table


_EVERY = re.compile(
    r"\b(?:all|every|each)(?:\s+(?:of|one|single|the|these|those|its|our|following))*"
    r"\s+(?:criteri\w+|requirements?|conditions?|demands?)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:no|not|never|need|needn|most|optional\w*|may|might|rather)\b|n['’]t\b", re.IGNORECASE
)
_HOLDS = re.compile(
    r"\b(?:meets?|met|satisf\w+|fulfil\w*|holds?|must|pass(?:es|ed)?)\b", re.IGNORECASE
)


def read_ready(statements: list[Statement]) -> dict[str, Any]:
    """Return when a submission counts as ready: whether every criterion must hold."""
    sentences = (
        sentence for each in statements for sentence in re.split(r"(?<=[.!?])\s+", each.text)
    )
    every = any(
        _EVERY.search(sentence) and _HOLDS.search(sentence) and not _DENIES.search(sentence)
        for sentence in sentences
    )
    return {"every_criterion": True} if every else {}
