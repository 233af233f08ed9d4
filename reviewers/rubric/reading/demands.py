"""What a prompt requires of tracking, outputs, data and code."""

import re
from typing import Any

from reviewers.rubric.reading.demand_parts import (
    NOT,
    DemandPart,
    code_spans,
    is_denied,
    parts,
    paths_in,
    placeholders,
    safe_path,
)
from reviewers.rubric.reading.modes import ANY_SERVICE, SERVICES
from reviewers.rubric.reading.outline import PromptStatement
from reviewers.rubric.reading.shell import kind_of

_S = rf"(?:{ANY_SERVICE})"
_TRACKED = rf"@{_S}|track"
_FIGURE = r"(?:figure|plot|chart|diagram|graph|curve|image|drawing|matri)\w*"
_LOGS = r"goes?\s+to|writ(?:es|ten)\s+to|log|record|track(?:s|ed)?\b|report|sen[dt]"
# Each clause with what a statement must say for it, every pattern from the start of a word: a `@`
# looks in what the statement is under, too, a `!` takes the demand back.
_SAID = {
    "tracking.every_step": (
        _LOGS,
        r"(?:each|every|per|step|epoch)[\s-](?:\w+[\s-])?(?:step|batch|epoch|iteration)",
        _TRACKED,
    ),
    "tracking.summary": (r"summar(?:y|ies)", r"(?:final|best|last|closing|end)\b", _TRACKED),
    "tracking.same_keys": (
        "match|same|very|equal|identical|agree|coincide|correspond|exactly",
        r"(?:keys?|names?)\b",
        "evaluat",
        "metric|log",
    ),
    "tracking.read_back": (
        r"(?:retriev|fetch|read|load|get|pull|take|download|quer|obtain|come|drawn|collect|ask)",
        rf"(?:from|through|via|using|by|out\s+of|with)\s+(?:the\s+)?`?{_S}|{_S}\.Api\b"
        rf"|{_S}`?\s+(?:api|server|client|tracking\s+server)\b",
        "@evaluat",
    ),
    "outputs.comparison_figures": (
        rf"compar\w+\s+(?:\w+\s+){{0,2}}?{_FIGURE}|cross-run\b[^.;]{{0,30}}{_FIGURE}"
        rf"|{_FIGURE}[^.;]{{0,40}}\b(?:compar|across\s+(?:all\s+)?(?:the\s+)?runs)",
    ),
    "outputs.confusion_matrix": (r"confusion[\s-]+matri",),
    "outputs.significance": (
        r"statistical(?:ly)?\s+(?:\w+\s+)?test|t-tests?\b|wilcoxon|mann-whitney|p-values?|significan",
    ),
    "outputs.tables": (
        r"tables\b|(?:a|one|the)\s+table\b|table\s+of\s+(?!contents)",
        r"@evaluat|compar|figure|plot|analys|result|output|visuali",
    ),
    "outputs.json_lines": (r"prints?\b|stdout|emit|standard\s+output", "json", "metric", "train"),
    "data.handled": (
        r"error[\s-]+handling|handl\w+\b[^.;]{0,30}\b(?:error|exception|failure)"
        r"|(?:error|exception|failure)s?\b[^.;]{0,40}\b(?:handled|caught)",
        "data|load|download",
    ),
    "files.from_base": (
        r"base[\s_-]?code\b",
        r"preserv|retain|kept|keep|intact|remain|carried\s+over|derived\s+from",
    ),
    "files.placeholders": (
        r"\w+_PLACEHOLDER\b|placeholder",
        r"us(?:e|ing)|stands?\b|left|contain|present|marked|named|strateg|allowed|for\b",
        r"data[\s-]?set|model|DATASET_|MODEL_",
        r"!replac|remain|complete\b|loading\s+code",
    ),
}
_FORBIDDEN = {
    "tracking.no_search_trials": (_LOGS, "intermediate|search|optuna|sweep|tuning|hyper", "trial"),
    "tracking.no_json": (r"json|results\.json", "train"),
    "files.complete": ("TODO|stub|truncat|omit|unfinished|incomplete",),
    "outputs.drawn_by_evaluation": (
        rf"{_FIGURE}|draw|plot",
        r"(?:train\w*|main|inference)\.py|training\b",
    ),
}
_NOT_OR_ONLY = re.compile(rf"{NOT.pattern}|\bforbidden\b|\bonly\b", re.IGNORECASE)
_WEAK = re.compile(
    r"\bneed|\brequired\b|\bnecessary\b|\bnot\s+only\b|\bno\s+longer\b|\bobjection|\bproblem"
    r"|\bharm|\bmay\b(?!\s+not\b)|\bif\b(?!\s+(?:you\s+)?us)|\boptional|\bnot\s+forbidden"
    r"|\bfree\s+to",
    re.IGNORECASE,
)
_LEGIBLE = (r"\blegends?\b", r"\btight[\s_]?layout\b", r"\bannotat|\bvalues?\b|\blabel")
_SOLE = r"\b(?:only|alone|exclusively|solely)\b"
_DRAWS_ALONE = re.compile(
    rf"\b{_FIGURE}.{{0,80}}{_SOLE}|{_SOLE}.{{0,80}}\b(?:{_FIGURE}|draw)|\bdrawn\b.{{0,80}}{_SOLE}",
    re.IGNORECASE,
)


def _says(part: DemandPart, patterns: tuple[str, ...]) -> bool:
    return all(
        (re.search(rf"\b(?:{pattern.lstrip('@!')})", text, re.IGNORECASE) is None)
        == pattern.startswith("!")
        for pattern in patterns
        for text in (part.context if pattern.startswith("@") else part.text,)
    )


def _demanded(said: list[DemandPart]) -> dict[str, dict[str, Any]]:
    """The clauses that are simply asked for or not, table by table."""
    firm = [part for part in said if not part.denied]
    against = [
        part for part in said if _NOT_OR_ONLY.search(part.text) and not _WEAK.search(part.text)
    ]
    tables: dict[str, dict[str, Any]] = {"tracking": {}, "outputs": {}, "data": {}, "files": {}}
    for clauses, meant in ((_SAID, firm), (_FORBIDDEN, against)):
        for clause, patterns in clauses.items():
            table, _, key = clause.partition(".")
            if any(_says(part, patterns) for part in meant):
                tables[table][key] = True
    if any(_DRAWS_ALONE.search(part.text) and _says(part, ("evaluat",)) for part in firm):
        tables["outputs"]["drawn_by_evaluation"] = True
    return tables


def read_demands(statements: list[PromptStatement]) -> dict[str, dict[str, Any]]:
    """Return what is asked of tracking, outputs, data and code, table by table."""
    said = parts(statements)
    tables = _demanded(said)
    service, optional = _service(said)
    if service is not None:
        tables["tracking"] |= {"service": service, "optional": optional}
    tables["outputs"] |= _metrics_files(said, statements) | _figures(said)
    if cache := _cache(said):
        tables["data"]["cache"] = cache
    return tables


_CONDITION = re.compile(
    rf"\b(?:if|when|where|unless|in\s+case)\b[^.;()]{{0,20}}(?:{_S})[^.;()]{{0,12}}"
    r"\b(?:used|chosen|enabled|available|wanted)\b"
    rf"|(?:{_S})[^.;()]{{0,30}}\b(?:up\s+to|if\s+used|used\s+or\s+not)\b"
    r"|\bif\s+(?:it|one)\s+is\s+used\b|\boptional\b",
    re.IGNORECASE,
)
_LEFT_OPEN = re.compile(r"\b(?:may|might|can|could|optional\w*|if|encouraged|recommended)\b", re.I)


def _service(said: list[DemandPart]) -> tuple[str | None, bool]:
    """The one service that the prompt speaks for, and whether a submission may do without; none
    where the text forbids it.
    """
    firm: set[str] = set()
    left_open: set[str] = set()
    refused: set[str] = set()
    for part in said:
        title = part.statement.text.rstrip(":")
        if part.statement.number and ":" not in title and len(title.split()) <= 5:
            continue  # it says what a criterion is about, not what is asked
        for package, called in SERVICES.items():
            if re.search(rf"(?<![\w.])(?:{called})(?!\w)", part.text, re.IGNORECASE) is None:
                continue
            if any(_CONDITION.search(up.text) for up in part.statement.lineage):
                left_open.add(package)
            elif re.search(
                rf"\b(?:{called})`?\s+(?:is|are|must|should|shall|need|may|does|has)(?:\s+\w+)?"
                r"(?:\s+not|n['’]t)\b[^.;]*\b(?:used?|needed|required|wanted|asked|part|expected)\b"
                rf"|\b(?:not|never|n['’]t)\s+use\s+(?:{called})\b|\bno\s+(?:{called})\s+(?:is|are)\b"
                rf"|\b(?:{called})\s+is\s+(?:forbidden|banned)",
                part.text,
                re.IGNORECASE,
            ):
                refused.add(package)
            elif not NOT.search(part.text) and not re.search(r"\bdisabl|\boff\b", part.text):
                (left_open if _LEFT_OPEN.search(part.text) else firm).add(package)
    for found, optional in ((firm - refused - left_open, False), (left_open - refused, True)):
        if found:
            return (next(iter(found)), optional) if len(found) == 1 else (None, False)
    return None, False


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
        topic = short in ("topic", "name", "title", "figure", "what")
        return "{topic}" if topic else f"{{{short}}}"

    return re.sub(r"\{(\w+)\}", name, path)


def _metrics_files(said: list[DemandPart], statements: list[PromptStatement]) -> dict[str, Any]:
    """The JSON files in the folder of results: that of each run, and that of all."""
    per_run: set[str] = set()
    of_all: dict[str, PromptStatement] = {}
    for part in said:
        if part.denied and NOT.search(part.text):
            continue
        if re.search(r"\b(?:train|main|inference)\.py\b", part.text):
            continue  # what the evaluation reads
        for path in map(canonical, paths_in(part.text)):
            if not path.startswith("{results_dir}/") or not path.endswith(".json"):
                continue
            words = f"{path} {part.context}".replace("{results_dir}", "")
            if "{run_id}" in path and re.search(r"metric|score|result|final|evaluat", words, re.I):
                per_run.add(path)
            elif not placeholders(path.removeprefix("{results_dir}")) and re.search(
                r"aggregat|compar|summary|overall|overview|\ball\b|collect|combined|across|evaluat",
                words,
                re.IGNORECASE,
            ):
                of_all.setdefault(path, part.statement)
    table: dict[str, Any] = {"run_metrics": per_run.pop()} if len(per_run) == 1 else {}
    if len(of_all) == 1:
        ((path, statement),) = of_all.items()
        table["comparison"] = path
        if keys := _keys(statement, statements, path.rpartition("/")[2]):
            table["keys"] = keys
    return table


_QUOTED_KEY = re.compile(r"^[`\"'*“]+([A-Za-z_]\w*)[`\"'*”]+\s*(?:[:(–—=-]|$)")
_KEY = r"[`\"'“]?[A-Za-z_]\w*[`\"'”]?"
_KEYS = re.compile(
    rf"\s(?P<lead>(?:keys|fields|entries|members)(?:\s+are)?:?\s+)?(?P<list>{_KEY}(?:\s*,\s*(?:and\s+)?{_KEY})+(?:\s*,?\s*(?:and|plus|&)\s+{_KEY})?"
    rf"|{_KEY}\s+(?:and|plus|&)\s+{_KEY})",
)


def _keys(holder: PromptStatement, statements: list[PromptStatement], name: str) -> tuple[str, ...]:
    """The keys of a JSON file, by a sample or a list under the statement that names the file, or by
    the names that follow it; names that stand as words need a sign that they are names.
    """
    beneath = [each for each in statements if holder in each.above]
    after = statements[statements.index(holder) + 1 :][:1] if holder in statements else []
    for each in (*beneath, *after):
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
    near = [holder, *beneath, *(each for each in statements if name in each.text)]
    for each in near:
        text = " ".join(each.text.split())
        rest = text.partition(name)[2] or ("" if each is holder else text)
        for sentence in re.split(r"(?<=[.;])\s+", rest):
            # Parentheses hold the keys, or say of each what it means.
            for read in (re.sub(r"\s*\([^()]*\)", "", sentence), sentence.replace("(", " ")):
                for hit in _KEYS.finditer(read):
                    names = re.findall(r"[A-Za-z_]\w*", hit["list"])
                    kept = [word for word in names if word not in ("and", "plus", "the")]
                    marked = len(re.findall(r"[`\"'“]\w+[`\"'”]", hit["list"])) == len(kept)
                    sign = marked or hit["lead"] or any("_" in word for word in kept)
                    if sign and not is_denied(sentence):
                        return tuple(dict.fromkeys(kept))[:50]
    return ()


def _top_keys(block: str) -> tuple[str, ...]:
    """The outermost keys of a JSON sample, which need not be valid."""
    depth = 0
    keys: list[str] = []
    if not block.strip().startswith("{"):
        return ()
    for found in re.finditer(r'"((?:[^"\\\n]|\\.)*)"(\s*:)?|[\[\]{}]', block):
        if found[0] in "[{":
            depth += 1
        elif found[0] in "]}":
            depth -= 1
        elif found[2] and depth == 1 and re.fullmatch(r"\w[\w.-]{0,59}", found[1]):
            keys.append(found[1])
    return tuple(dict.fromkeys(keys))[:50]


_FORMAT = re.compile(r"(?<!\w)\.?(pdf|png|svg|eps)s?\b", re.IGNORECASE)


def _figures(said: list[DemandPart]) -> dict[str, Any]:
    """How figures are called, in which format, and what is asked of their looks."""
    names: list[str] = []
    formats: set[str] = set()
    looks: set[str] = set()
    for part in said:
        for path in paths_in(re.sub(r"\[[^\]\s]*\]", "", part.text)):  # without what may lack
            name = canonical(path.rpartition("/")[2])
            if placeholders(name) and _FORMAT.search(name):
                names.append(name)
        if re.search(rf"\b{_FIGURE}", part.context, re.IGNORECASE) and not NOT.search(part.text):
            formats |= {each.lower() for each in _FORMAT.findall(part.text)}
            if not part.denied:
                looks |= {word for word in _LEGIBLE if re.search(word, part.text, re.IGNORECASE)}
    formats |= {name.rpartition(".")[2] for name in names}
    table: dict[str, Any] = {"figure_names": tuple(dict.fromkeys(names))[:20]} if names else {}
    if len(formats) == 1:
        table["figure_format"] = formats.pop()
    if len(looks) > 1 and looks & set(_LEGIBLE[:2]):
        table["legible"] = True
    return table


def _cache(said: list[DemandPart]) -> str | None:
    """The one folder that is named where the prompt mentions a cache."""
    found: set[str] = set()
    for part in said:
        if part.denied or not re.search(r"\bcach|\bdownload", part.text, re.IGNORECASE):
            continue
        bare = re.sub(r"`[^`]*`", " ", part.text)
        named = re.findall(r"(?<![\w./~-])\.?[\w-]*cache[\w-]*/(?:[\w-]+/)*", bare)
        for span in (*code_spans(part.text), *named):
            folder = safe_path(span)
            if folder is not None and re.fullmatch(r"\.?[\w-]+(?:/[\w-]+)*/|\.[\w-]+", folder):
                found.add(folder.rstrip("/") + "/")
    return found.pop() if len(found) == 1 else None
