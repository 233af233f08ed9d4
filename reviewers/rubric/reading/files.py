"""Which files a prompt asks for, and where the configuration of each run lies."""

import re
from typing import Any

from reviewers.rubric.reading.outline import Statement, word_set
from reviewers.rubric.reading.parts import Part, parts
from reviewers.rubric.reading.paths import paths_in, placeholders

_LEADS = re.compile(
    r"\bfiles?\b|\b(?:directory|folder|project|file|repository|bundle)\s+(?:structure|layout|tree)\b"
    r"|\b(?:structure|layout)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:exactly|precisely|only|nothing|no\s+more|requir\w+|must|contain\w*|consist\w*|compris\w*|following|these|expected|"
    r"structure|layout|deliver\w*|ha[sv]e?|needs?|are|is|mandatory|made\s+(?:up\s+)?of|includes?)\b|:$",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"\bexactly\b|\bprecisely\b|\bno\s+(?:other|additional|extra|further|more|others)\b(?!\s+(?:python|code|source)\b)"
    r"|\bnothing\s+else\b"
    r"|\bonly\s+(?:[\w-]+\s+){0,4}?files?\b|\bfiles?\s+only\b|\bonly\s*:|\bexclusively\b"
    r"|\bonly\s+(?:these|the\s+following)\b|\bonly\s+[`\w./{},-]+\.\w+`?\s*(?:,|and\b)"
    r"|\bnone\s+(?:besides|beside|else)\b|\bnothing\s+(?:more|but|besides|beyond|beside)\b"
    r"|\band\s+no\s+more\b|\bno\s+(?:\w+\s+)?files?\s+(?:besides|other|beyond|beside|but|apart|except"
    r"|(?:is|are|may\s+be|must\s+be)\s+(?:added|there|allowed|permitted))\b|\ball\s+there\s+is\b"
    r"|\b(?:do|must|may|shall|should)\s+not\s+add\b|\banything\s+else\b[^.;]{0,30}\b(?:error|wrong|fault|forbidden|reject\w*)\b",
    re.IGNORECASE,
)
_MORE_ALLOWED = re.compile(
    r"\b(?:other|additional|extra|further|more|auxiliary|helper)\s+(?:\w+\s+)?(?:files?|modules?|scripts?)\b"
    r"[^.;]{0,30}\b(?:may|can|allowed|permitted|fine|ok|okay|acceptable|welcome|optional|tolerated)\b"
    r"|\b(?:may|can|free\s+to|allow\w*|permit\w*)\b[^.;]{0,30}\b(?:other|additional|extra|further|more)\s+"
    r"(?:\w+\s+)?(?:files?|modules?|scripts?)\b|\bnot\s+exactly\b|\bat\s+least\b",
    re.IGNORECASE,
)
_BESIDES = re.compile(
    r"\b(?:no|nothing)\b[^.;]{0,30}?\b(?:besides|beside|other\s+than|beyond|except|but|apart\s+from|than)\b",
    re.IGNORECASE,
)
_NEGATING = re.compile(r"\b(?:no|not|never|without|nor|neither)\b|n['’]t\b", re.IGNORECASE)
_OPTIONAL = re.compile(
    r"\b(?:optional\w*|may|might|can|if|provided|supplied|separately|eg|e\.g\.|such\s+as|for\s+example|"
    r"example|placeholder|generated|written|produced|created)\b",
    re.IGNORECASE,
)
_ENTRY = re.compile(
    r"^[`\"'*]*(?:\./)?[\w{}<>./,*-]+\.\w+[`\"'*]*(?:\s*[,:;–—(-].*|\s+(?:#|//|←|<-).*)?$",
    re.DOTALL,
)
_FOLDER = re.compile(r"`?[\w./-]+/`?:?")
_DATA = re.compile(
    r"(?:pre_?process\w*|data|data_?sets?|data_?load\w*|data_?pipeline|data_?module|loader)",
    re.IGNORECASE,
)
_MODEL = re.compile(r"(?:models?|networks?|nets?|architectures?|modeling|modelling)", re.IGNORECASE)
_RUN_WORDS = re.compile(r"\brun|experiment|variant|config", re.IGNORECASE)


def read_files(statements: list[Statement]) -> dict[str, Any]:
    """Return the table of the files: those that the fullest list names."""
    best: tuple[list[str], bool] = ([], False)
    for at, statement in enumerate(statements):
        titled = bool(statement.number or statement.is_heading) and len(statement.text) < 40
        asks = titled or _ASKS.search(statement.text) is not None
        if statement.fenced or not asks or not _leads(statement):
            continue
        found, only = _listed(statement, statements, at)
        if len(found) >= len(best[0]) and (len(found) >= 3 or (only and len(found) > 1)):
            best = found, only
    expected, only = best
    if not expected:
        return {}
    table: dict[str, Any] = {"expected": tuple(sorted(expected)), "only": only}
    yamls = [path for path in expected if path.endswith((".yaml", ".yml"))]
    if len(yamls) == 1:
        table["config"] = yamls[0]
    for key, pattern in (("data", _DATA), ("model", _MODEL)):
        fitting = [
            path
            for path in expected
            if path.endswith(".py") and pattern.fullmatch(path.rpartition("/")[2][:-3])
        ]
        if len(fitting) == 1:
            table[key] = fitting[0]
    return table


def _leads(statement: Statement) -> bool:
    """Whether a statement may lead to a list of files: it speaks of them, or stands under one that
    does and lists some or ends in a colon.
    """
    lists = statement.text.endswith(":") or len(paths_in(statement.text)) > 2
    above = statement.above[-1].text if statement.above and lists else ""
    return _LEADS.search(statement.text) is not None or _LEADS.search(above) is not None


def _listed(statement: Statement, statements: list[Statement], at: int) -> tuple[list[str], bool]:
    """The files that a statement and those under it list, and whether there may be no other."""
    found = _own(statement.text)
    spoken = [up.text for up in statement.lineage if up is statement or up.number or up.is_heading]
    leads = statement.text.endswith(":")
    for each in statements[at + 1 :]:
        beside = each.fenced and leads and each.above == statement.above
        if statement not in each.above and not beside:
            break
        folders = each.above[len(statement.above) + 1 :]
        text = " ".join(each.text.split())
        if each.fenced:
            found += [path for path in _tree(each.text) if path not in found]
            leads = False
        elif not all(_FOLDER.fullmatch(folder.text) for folder in folders):
            continue
        elif _ENTRY.match(text) and not _OPTIONAL.search(_after_path(text)):
            above = "".join(folder.text.strip("`") for folder in folders)
            head = above + re.split(r"\s[–—-]\s|[:(]", text)[0].strip("`")
            found += [path for path in paths_in(head)[:8] if path not in found]
        elif not _FOLDER.fullmatch(text):
            spoken.append(text)
    spoken += [
        each.text
        for each in statements
        if statement.above and not statement.number and each.above == statement.above
    ]
    only = any(
        _ONLY.search(text)
        and (whole is statement.text or re.search(r"\bfiles?\b|\bnothing\b", text, re.IGNORECASE))
        for whole in spoken
        for text in re.split(r"(?<=[.;])\s", " ".join(whole.split()))
        if not re.search(r"\bnot\s+(?:exactly|only)\b", text, re.IGNORECASE)
    )
    wanted = [path for path in found if not placeholders(path) and not set("*<") & set(path)]
    return wanted, only and not any(map(_MORE_ALLOWED.search, spoken))


def _after_path(text: str) -> str:
    """What is remarked on a path that begins an entry."""
    return re.sub(r"^[`\"'*]*[^\s`\"'*]+[`\"'*]*", "", text, count=1)[:60]


def _own(text: str) -> list[str]:
    """The files that a sentence names, without those that it denies."""
    found: list[str] = []
    for sentence in re.split(r"(?<=[.;])\s+", " ".join(text.split())):
        besides = _BESIDES.search(sentence)
        if besides is not None:
            sentence = sentence[besides.end() :]
        outer = re.sub(r"\([^()]{0,400}\)", " ", sentence)
        for piece in re.split(r",\s+(?=but\b|not\b|no\b)|\bbut\b|\s[–—-]\s", outer):
            if not _NEGATING.search(_ONLY.sub(" ", piece)) and not re.search(
                r"\b(?:provided|supplied|separately|optional\w*|may)\b", piece, re.IGNORECASE
            ):
                found += [path for path in paths_in(piece) if path not in found]
        if besides is None:
            inner = re.findall(r"\(([^()]{1,400})\)", sentence)
            for each in inner:
                if len(paths_in(each)) >= 3 and not _NEGATING.search(f"{outer} {each}"):
                    found += [path for path in paths_in(each) if path not in found]
    return found


def _tree(block: str) -> list[str]:
    """The files of a drawn tree, or of a plain list of paths."""
    found: list[str] = []
    folders: list[tuple[int, str]] = []
    for line in block.split("\n")[:200]:
        entry = re.sub(r"^[\s│|├└─+`*-]*", "", line)
        indent = len(line) - len(entry)
        name = re.split(r"\s+(?:#|//|<-|←|\()|\s{2,}", entry)[0].strip()
        while folders and folders[-1][0] >= indent:
            folders.pop()
        if re.fullmatch(r"[\w./-]+/", name):
            folders.append((indent, "" if name in ("./",) else name))
        elif name:
            above = "".join(folder for _, folder in folders)
            found += [path for path in paths_in(above + name)[:4] if path not in found]
    return found


def read_runs(statements: list[Statement]) -> dict[str, Any]:
    """Return the table of the run configurations."""
    table: dict[str, Any] = {}
    folders: set[str] = set()
    variations: list[str] = []
    for part in parts(statements):
        for path in paths_in(part.text):
            folder, _, name = path.rpartition("/")
            if not name.endswith((".yaml", ".yml")) or not folder or placeholders(folder):
                continue
            marked = any(set(each.split("_")) & _RUN_NAMES for each in placeholders(name))
            if marked or ("*" in name and _RUN_WORDS.search(part.text)):
                folders.add(folder)
        variations += _variations(part)
        if "sections" not in table and (sections := _sections(part)):
            table["sections"] = sections
        if (
            re.search(r"\bsearch[\s-]+spaces?\b", part.text, re.IGNORECASE)
            and re.search(
                r"\b(?:defin|declar|specif|contain|given|hold|stand|ha[sv]e?|with)\w*", part.text
            )
            and not part.denied
        ):
            table["search_spaces"] = True
    if len(folders) == 1:
        table["folder"] = folders.pop()
    if variations:
        table["variations"] = tuple(dict.fromkeys(variations))
    return table


_RUN_NAMES = word_set("run experiment exp id runid variant name")


def _variations(part: Part) -> list[str]:
    speaks = re.search(r"\brun[\s_]+variations?\b", part.text, re.IGNORECASE)
    every = re.search(r"\b(?:all|every|each|both)\b", part.text, re.IGNORECASE)
    if not speaks or not every or part.denied:
        return []
    return [path for path in paths_in(part.text) if path.endswith((".yaml", ".yml"))]


_ITEM = r"[`\"']?[A-Za-z]\w*[`\"']?"
_LIST = rf"(?P<list>{_ITEM}(?:\s*,\s*{_ITEM})+(?:\s*,?\s*(?:and|&|plus)\s+{_ITEM})?)"
_SECTIONS = (
    re.compile(rf"{_LIST}\s+(?:sections|blocks|groups|keys|entries)\b", re.IGNORECASE),
    re.compile(
        r"\b(?:sections|blocks|groups|keys|entries)\b(?:\s+(?:are|named|called|for|of|must\s+be|it\s+must\s+have))*"
        rf"\s*:?\s*{_LIST}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\.ya?ml`?\s+(?:file\s+)?(?:holds?|has|contains?|gives|defines|must\s+(?:hold|have|contain))\s+{_LIST}",
        re.IGNORECASE,
    ),
)


def _sections(part: Part) -> tuple[str, ...]:
    if (
        part.denied
        or ".json" in part.context
        or not re.search(r"config|yaml|\brun\b|hydra", part.context, re.IGNORECASE)
    ):
        return ()
    for pattern in _SECTIONS:
        if (hit := pattern.search(part.text)) is not None:
            names = [
                name
                for name in re.findall(r"[A-Za-z]\w*", hit["list"])
                if name not in ("and", "plus", "the", "with")
            ]
            if len(names) >= 3 and all(len(name) <= 40 for name in names):
                return tuple(dict.fromkeys(names))[:20]
    return ()
