"""The files that a prompt requires, and the place of each run's configuration.

A list of files is accepted on two signs: paths in a list (bullets, a table, a tree, or separated
only by commas), and words about files or the layout that introduce them.
"""

import re
from collections.abc import Iterator
from typing import Any

from reviewers.rubric.reading.demand_parts import (
    NOT,
    code_spans,
    parts,
    path_spans,
    paths_in,
    placeholders,
    safe_path,
)
from reviewers.rubric.reading.outline import PromptStatement, word_set

_LEADS = re.compile(
    r"\bfiles?\b|\bmodules?\b|\b(?:structure|layout|tree|repository|directory|folder|bundle|archive"
    r"|contents|submission|package|Dateien)\b",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"\bexactly\b|\bprecisely\b|\bno\s+(?:others?|additional|extra|further|more)\b(?!\s+(?:python|code|"
    r"source|than)\b)|\bnothing\s+(?:else|more|but|besides?|beyond)\b|\bnone\s+(?:besides?|else)\b"
    r"|\bonly\s+(?:[\w-]+\s+){0,4}?files?\b|\bfiles?\s+only\b|\bonly\s*:|\bexclusively\b"
    r"|\bonly\s+(?:these|the\s+following)\b|\bonly\s+[`\w./{},-]+\.\w+`?\s*(?:,|and\b)"
    r"|\bneither\s+more\b|\band\s+no\s+more\b|\ball\s+there\s+is\b"
    r"|\bno\s+(?:\w+\s+)?files?\s+(?:besides?|other|beyond|but|apart|except|(?:is|are|may\s+be|must\s+"
    r"be)\s+(?:added|there|allowed|permitted))\b|\b(?:do|must|may|shall|should)\s+not\s+add\b"
    r"|\b(?:any\s+(?:other|further)|anything\s+else|(?:other|extra|further|additional))\b[^.;]{0,30}"
    r"\b(?:errors?|wrong|faults?|forbidden|reject\w*|refused|not)\b",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?:other|additional|extra|further|more|auxiliary|helper)\s+(?:\w+\s+)?(?:files?|modules?|scripts?)\b"
    r"[^.;]{0,30}\b(?:may|can|allowed|permitted|fine|ok|okay|acceptable|welcome|optional|tolerated)\b"
    r"|\b(?:may|can|free\s+to|allow\w*|permit\w*)\b[^.;]{0,30}\b(?:other|additional|extra|further|more)\b"
    r"|\bnot\s+exactly\b|\bat\s+least\b",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    rf"{NOT.pattern}|\b(?:errors?|wrong|surplus|reject\w*|refused|forbidden|provided|supplied)\b",
    re.IGNORECASE,
)
_BESIDES = re.compile(
    r"\b(?:no|nothing)\b[^.;]{0,30}?\b(?:besides?|other\s+than|beyond|except|but|apart\s+from|than)\b",
    re.IGNORECASE,
)
_NOT_ASKED = re.compile(
    r"\b(?:optional\w*|may|might|can|if|provided|supplied|separately|eg|e\.g\.|such\s+as|example|"
    r"generated|writ(?:e|es|ten|ing)|produc\w+|creat\w+|sav\w+|export\w*|stor\w+|leav\w+|run\s*time)\b",
    re.IGNORECASE,
)
_ENTRY = re.compile(
    r"[`\"'*“„]*(?:\./)?(?:[\w{}<>./,*-]+\.\w+|Makefile|Dockerfile|[Jj]ustfile)[`\"'*”“]*"
    r"(?:\s*[,:;–—(-].*|\s+(?:#|//|←|<-).*)?",
    re.DOTALL,
)
_FOLDER = re.compile(r"`?[\w./-]+/`?:?")
_BETWEEN = re.compile(r"[\s`\"'“”„,;&:]*(?:\b(?:and|plus|as\s+well\s+as|und)\b)?[\s`\"'“”„]*")
_PARTS = {
    "data": r"pre_?process\w*|data|data_?sets?|data_?load\w*|data_?pipeline|data_?module|loaders?",
    "model": r"models?|networks?|nets?|architectures?|model+ing",
}
_CONFIG = re.compile(r"(?<!\benvironment)\.ya?ml$")  # conda's file configures no experiment
_RUN = re.compile(r"\brun|experiment|variant|config", re.IGNORECASE)
_RUN_NAMES = word_set("run experiment exp id runid variant name")


def read_files(statements: list[PromptStatement]) -> dict[str, Any]:
    """Return the table of the files: those of the longest list."""
    best: tuple[list[str], bool] = ([], False)
    for at, statement in enumerate(statements):
        if statement.fenced or not any(map(_is_lead, _near(statement))):
            continue
        listed, only = _listed(statement, statements, at)
        if any(count != len(listed) for count in map(_count, _near(statement)) if count):
            continue
        if len(listed) > len(best[0]) and (len(listed) > 2 or (only and len(listed) > 1)):
            best = listed, only
    expected, only = best
    if not expected:
        return {}
    table: dict[str, Any] = {"expected": tuple(sorted(expected)), "only": only}
    fitting = {"config": [path for path in expected if _CONFIG.search(path)]}
    for key, names in _PARTS.items():
        scripts = {path: path.rpartition("/")[2] for path in expected if path.endswith(".py")}
        fitting[key] = [path for path, name in scripts.items() if re.fullmatch(names, name[:-3])]
    return table | {key: paths[0] for key, paths in fitting.items() if len(paths) == 1}


def _near(statement: PromptStatement) -> Iterator[str]:
    yield statement.text
    if statement.above:
        yield statement.above[-1].text


_WORDS = (
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_COUNT = re.compile(
    rf"\b(?P<n>{'|'.join(_WORDS)}|\d{{1,2}})"
    r"\s+files\s*(?=[:.,]|are\b|and\s+no)",
    re.IGNORECASE,
)


def _count(text: str) -> int | None:
    """How many files a text says that there are."""
    found = _COUNT.search(text)
    if found is None:
        return None
    return int(found["n"]) if found["n"].isdigit() else _WORDS.index(found["n"].lower()) + 2


def _is_lead(text: str) -> bool:
    return _LEADS.search(re.sub(r"`[^`]*[./][^`]*`", " ", text)) is not None


def _listed(
    statement: PromptStatement, statements: list[PromptStatement], at: int
) -> tuple[list[str], bool]:
    """The files that a statement and those under it list, and whether there may be no other."""
    found = _enumerated(statement.text)
    spoken = [up.text for up in statement.lineage if up is statement or up.number or up.bold]
    beneath: list[str] = []
    leads = statement.text.endswith(":") or statement.is_heading or statement.bold != ""
    for each in statements[at + 1 :]:
        beside = leads and each.above == statement.above and (each.fenced or each.style == "row")
        if statement not in each.above and not beside:
            if each.above == statement.above and not beneath:
                continue
            break
        folders = each.above[len(statement.above) + 1 :] if not beside else ()
        text = " ".join(each.text.split())
        if each.fenced:
            beneath += [path for path in _tree(each.text) if path not in beneath]
        elif not all(_FOLDER.fullmatch(folder.text) for folder in folders):
            continue
        elif _ENTRY.fullmatch(first := text.split("; ")[0] if each.style == "row" else text):
            remark = re.sub(r"^[`\"'*]*[^\s`\"'*]+[`\"'*]*", "", text, count=1)[:60]
            above = "".join(folder.text.strip("`:") for folder in folders)
            named = _enumerated(first)
            if len(named) == 1 and not _NOT_ASKED.search(remark):
                # Some write the whole path though it is under its folder.
                whole = named[0] if named[0].startswith(above) else f"{above}{named[0]}"
                named = paths_in(f"`{whole}`")
            beneath += [path for path in named if path not in beneath]
            spoken.append(text)
        elif not _FOLDER.fullmatch(text) and each.style != "row":
            spoken.append(text)
    spoken += [
        each.text for each in statements if statement.above and each.above == statement.above
    ]
    found = max(found, beneath, key=len)
    only = any(
        _ONLY.search(text) and (whole is statement.text or _LEADS.search(text) or len(text) < 60)
        for whole in spoken
        for text in re.split(r"(?<=[.;])\s", " ".join(whole.split()))
        if not re.search(r"\bnot\s+(?:exactly|only)\b", text, re.IGNORECASE)
    )
    wanted = [path for path in found if not placeholders(path) and not set("*<") & set(path)]
    more = any(map(_MORE.search, spoken)) or _names_more(statement.text, found)
    return wanted, only and not more


def _names_more(text: str, found: list[str]) -> bool:
    """Whether a text names a file beside those of the list, and does not refuse it."""
    return any(
        any(path not in found and not placeholders(path) for path in paths_in(sentence))
        and not _REFUSED.search(sentence)
        for sentence in re.split(r"(?<=[.;])\s", " ".join(text.split()))
    )


def _enumerated(text: str) -> list[str]:
    """The longest run of paths that nothing but commas separates, without one that is denied or
    that something is written to; "besides `a` there are `b` and `c`" is one run.
    """
    best: list[str] = []
    for sentence in re.split(r"(?<=[.;])\s+", " ".join(text.split())):
        sentence, spans = path_spans(sentence)
        runs: list[tuple[int, list[str]]] = []
        end = -1
        for start, stop, paths in spans:
            if end >= 0 and _BETWEEN.fullmatch(sentence[end:start]):
                runs[-1][1].extend(paths)
            else:
                before = sentence[max(end, 0) : start]
                denied = NOT.search(_BESIDES.sub(" ", _ONLY.sub(" ", before)))
                written = _NOT_ASKED.search(re.split(r",|\bthat\b", before)[-1])
                runs.append((-1 if denied or written else start, list(paths)))
            end = stop
            if re.match(r"[`\"'”]*\s+(?:must|may|are|is)\s+not\b", sentence[end : end + 60]):
                runs[-1] = (-1, runs[-1][1])
        asked = [paths for start, paths in runs if start >= 0]
        if re.match(r"\W*(?:besides|apart\s+from|in\s+addition\s+to)\b", sentence, re.IGNORECASE):
            asked = [[path for paths in asked for path in paths]]
        best = max([best, *asked], key=len)
    return list(dict.fromkeys(best))


def _tree(block: str) -> list[str]:
    """The files of a drawn tree, or of a plain list of paths."""
    found: list[str] = []
    folders: list[tuple[int, str]] = []
    rows: list[tuple[int, str, str]] = []
    for line in block.split("\n")[:200]:
        entry = re.sub(r"^[\s│|├└─+`*-]*", "", line)
        cut = re.sub(r"\s+(?:#|//|<-|←|\()|\s{2,}", "\0", entry, count=1)
        name, _, remark = cut.partition("\0")
        if name and name != ".":
            rows.append((len(line) - len(entry), name, remark))
    for (indent, name, remark), after in zip(rows, [*rows[1:], (0, "", "")], strict=False):
        while folders and folders[-1][0] >= indent:
            folders.pop()
        above = "".join(folder for _, folder in folders)
        if re.fullmatch(r"[\w./-]+/|[\w-]+", name) and (name.endswith("/") or after[0] > indent):
            written = "{}/" if _NOT_ASKED.search(remark) else f"{name.rstrip('/')}/"
            folders.append((indent, "" if name == "./" else written))  # no submission has these
        elif name.lower() in ("makefile", "dockerfile", "justfile"):
            found.append(above + name)
        elif re.fullmatch(r"\S+", name) and "{}" not in above and not _NOT_ASKED.search(remark):
            found += [path for path in paths_in(above + name)[:4] if path not in found]
        elif "{}" not in above:
            return []
    return found


def read_runs(statements: list[PromptStatement]) -> dict[str, Any]:
    """Return the table of the run configurations."""
    table: dict[str, Any] = {}
    folders: set[str] = set()
    variations: list[str] = []
    for part in parts(statements):
        text = part.text
        for path in paths_in(text):
            folder, _, name = path.rpartition("/")
            if not name.endswith((".yaml", ".yml")) or not folder or placeholders(folder):
                continue
            marked = any(set(each.split("_")) & _RUN_NAMES for each in placeholders(name))
            if marked or ("*" in name and _RUN.search(text)):
                folders.add(folder)
        plain = re.sub(r"`[^`]*`", " ", text)
        if re.search(r"\bya?mls?\b|\brun\s+(?:files|configs?)\b", plain, re.I) and _RUN.search(
            plain
        ):
            spans = [
                span for span in code_spans(text) if re.fullmatch(r"[\w-]+(?:/[\w-]+)+/", span)
            ]
            folders |= {span.rstrip("/") for span in spans if safe_path(span) and len(spans) == 1}
        every = re.search(r"\b(?:all|every|each|both)\b", text, re.IGNORECASE)
        if every and re.search(r"\brun[\s_]+variations?\b", text, re.I) and not part.denied:
            variations += [path for path in paths_in(text) if path.endswith((".yaml", ".yml"))]
        if re.search(r"\bsearch[\s-]+spaces?\b[^.;]*\bdefin", text, re.I) and not part.denied:
            table["search_spaces"] = True
    if len(folders) == 1:
        table["folder"] = folders.pop()
    if variations:
        table["variations"] = tuple(dict.fromkeys(variations))
    return table
