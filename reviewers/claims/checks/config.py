"""Claims about configuration: what config.yaml holds, which keys the runs have, what is read and
what is ignored.
"""

import posixpath
import re
from collections.abc import Iterator

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, join, partly, remark
from reviewers.records import Span

_MAIN = "config/config.yaml"
_SECTION = re.compile(
    r"\b(?:no|lacks?|lacking|missing|misses|without)(?: the| a| an| any| mandatory| required)*"
    r" `?(\w+)`? "
    r"section\b|\b`?(\w+)`? section (?:is|are) (?:missing|absent|not)\b"
)


@check("config_section")
def config_section(case: Case) -> Answer:
    """config.yaml has a section where it has that top-level key."""
    match = _SECTION.search(case.said)
    if match is None or (case.claim.own.files and _MAIN not in case.claim.own.files):
        return None
    name = match[1] or match[2]
    keys = case.search.config
    if keys.main is None:
        return None
    span = keys.line(_MAIN, name)
    if name in keys.main and not isinstance(keys.main[name], dict):
        return None
    if name in keys.main:
        return remark(
            f"{_MAIN} has a section {code(name)} on line {span.line if span else '?'}", span
        )
    if any(keys.has(path, name) for path in keys.values):
        return None
    return confirmed(f"{_MAIN} has no key {code(name)}, and no run config has", Span(_MAIN))


_NOT_READ = re.compile(
    r"\b(?:does not|doesn't|never|not) read\b.*\bconfig(?:/config)?\.yaml\b|\bnot read config\b"
)


@check("reads_config")
def reads_config(case: Case) -> Answer:
    """evaluate.py reads config.yaml only where something in it names that file or starts Hydra."""
    if not _NOT_READ.search(case.said):
        return None
    for path, file in case.python("src/evaluate.py")[:1]:
        if file.tree is None:
            return None
        named = next(
            (
                literal.line
                for literal in file.strings
                if not literal.is_docstring
                and re.search(r"config\.ya?ml|(?:^|/)config/?$", literal.value)
            ),
            None,
        )
        loads = next(
            (
                call.line
                for call in file.calls
                if call.name
                and re.search(
                    r"(?:^|\.)(?:OmegaConf\.load|hydra\.main|hydra\.compose|safe_load|initialize\w*)$",
                    call.name,
                )
            ),
            None,
        )
        if named is None and loads is None:
            return confirmed(
                f"Nothing in {path} names config.yaml, loads YAML or starts Hydra", Span(path)
            )
        line = named or loads
        if re.search(r"\bat all\b", case.said) or (named and loads):
            return (
                remark(f"{path}:{line} reads it", Span(path, line))
                if named and loads and "entity" not in case.said
                else None
            )
    return None


_ONE_RUN = re.compile(
    r"\bonly one\b|\bonly (?:contains )?(?:a|one|1) (?:default )?(?:run|single)|\bone default"
    r" run\b|\b(?:does "
    r"not|n't|not) list\b|\bonly a default run\b|\bother (?:\w+ )?runs are missing\b|\bcontains"
    r" only one\b|"
    r"\bempty string\b"
)


@check("run_list")
def run_list(case: Case) -> Answer:
    """config.yaml lists a run where its id stands in it outside comments."""
    text = case.facts.text(_MAIN)
    runs = [run.run_id for run in case.facts.submission.runs]
    if not text or not _ONE_RUN.search(case.said) or len(runs) < 2:
        return None
    if not re.search(
        r"\bconfig|\blist|\byaml\b|\bdefault|\bruns\b|\brun ids?\b",
        f"{case.said} {case.claim.sentence}",
    ):
        return None
    if case.claim.own.files and _MAIN not in case.claim.own.files:
        return None
    lines = [
        line.split(" #")[0] if not line.lstrip().startswith("#") else ""
        for line in text.splitlines()
    ]
    listed = {
        run: number
        for run in runs
        for number, line in enumerate(lines, 1)
        if re.search(rf"(?<![\w-]){re.escape(run)}(?![\w-])", line)
    }
    if len(listed) == len(runs):
        return remark(
            f"{_MAIN} names all {len(runs)} run ids, the first on line {min(listed.values())}",
            Span(_MAIN, min(listed.values())),
        )
    if len(listed) > 1:
        return partly(
            f"{_MAIN} names {len(listed)} of {len(runs)} run ids", Span(_MAIN, min(listed.values()))
        )
    span = (
        Span(_MAIN, next(iter(listed.values())))
        if listed
        else case.search.config.line(_MAIN, "run") or Span(_MAIN)
    )
    shown = (
        f"; line {span.line} has {code(lines[span.line - 1])}" if span.line and not listed else ""
    )
    named = f"only {code(next(iter(listed)))}" if listed else "none"
    return confirmed(f"{_MAIN} names {named} of the {len(runs)} run ids{shown}", span)


_UNUSED = re.compile(
    r"\bignor(?:es|ed|ing)\b|\bnever (?:used|read|honou?red|consumed|referenced|applied)\b|\bnot"
    r" (?:used|read|"
    r"honou?red|consumed|referenced|applied)\b|\bunused\b|\bnever created/used\b|\bnever"
    r" honou?red\b|\bnever "
    r"writes anything to\b"
)
_KEYISH = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?:\.[a-z0-9_]+)*|[a-z_]\w*(?:\.[a-z_]\w*)+")


@check("unused")
def unused(case: Case) -> Answer:
    """A setting is ignored where no Python file has its name."""
    if not _UNUSED.search(case.said) or case.claim.hedged:
        return None
    files = [path for path in case.claim.own.files if path in case.facts.python]
    wanted = [name for name in dict.fromkeys(_keys(case)) if name]
    if not wanted:
        return None
    paths = files or list(case.facts.python)
    if any(case.facts.python[path].tree is None for path in paths):
        return None
    asked = [
        name for name in wanted if _set_somewhere(case, name) is not None or name == "results_dir"
    ]
    if not asked:
        return None
    seen = {name: next(case.search.word(name.rpartition(".")[2], paths), None) for name in asked}
    gone = [name for name, span in seen.items() if span is None]
    where = join(paths) if files else "no Python file"
    if len(gone) == len(asked):
        span = _set_somewhere(case, gone[0]) or Span(paths[0])
        place = f"{span.file}:{span.line} sets {code(gone[0])}, and " if span.line else ""
        return confirmed(
            (
                f"{place}the name does not occur in {where}"
                if files
                else f"{place}{where} has that name"
            ),
            span,
        )
    return None


def _keys(case: Case) -> Iterator[str]:
    for text in (*case.claim.own.quotes, *case.claim.own.names):
        if _KEYISH.fullmatch(text):
            yield text.removeprefix("cfg.")
    if case.claim.points_back and not case.claim.own.names and not case.claim.own.quotes:
        for near in case.claim.around[:1]:
            yield from (name.removeprefix("cfg.") for name in near.names if _KEYISH.fullmatch(name))


def _set_somewhere(case: Case, key: str) -> Span | None:
    keys = case.search.config
    for path in (*keys.runs, _MAIN):
        if path in keys.values and keys.has(path, key):
            return keys.line(path, key) or Span(path)
    return None


_ABSENT_KEY = re.compile(
    r"\b(?:not present|absent|missing|not"
    r" (?:in|defined|there|available|exist\w*|created|contain\w*)|never "
    r"(?:created|defined)|undefined|no (?:\w+ )?(?:config\w*|ya?mls?|files?|"
    r"runs?)(?: \w+)?\b[^.;]{0,15}\b(?:defines?|ha[sv]e?|contains?|sets?|declares?)|does not"
    r" (?:exist|have|define)|"
    r"omits?|lacks?|no such)\b"
)
_CRASHES = re.compile(
    r"attributeerror|keyerror|configattributeerror|configkeyerror|interpolation|\bcrash\w*|\bfails?\b|\braises?\b"
)


@check("config_key")
def config_key(case: Case) -> Answer:
    """A key is missing from a run where neither its own YAML nor config.yaml has it."""
    said = re.sub(r"\([^()]*\)", " ", case.said)
    if not _ABSENT_KEY.search(said) or case.claim.hedged or _CRASHES.search(said):
        return None
    keys = case.search.config
    names = [
        name.removeprefix("cfg.").removeprefix("config.")
        for name in (*case.claim.names, *case.claim.quotes)
        if _KEYISH.fullmatch(name)
    ]
    if not names and case.claim.points_back and case.claim.around:
        near = case.claim.around[0]
        names = [
            name.removeprefix("cfg.")
            for name in (*near.quotes, *near.names)
            if _KEYISH.fullmatch(name)
        ]
    if not names or not keys.runs or len(keys.runs) < len(case.facts.submission.runs):
        return None
    names = [name for name in names if not name.startswith(("run.", "runs.", "src."))]
    if not names:
        return None
    key = max(names, key=lambda name: name.count("."))
    with_it = [path for path in keys.runs if keys.has(path, key)]
    if keys.has(_MAIN, key):
        return None
    asked = _runs_asked(case, list(keys.runs))
    if asked is None:
        return None
    gone = [path for path in asked if path not in with_it]
    read = next(
        (hit.span for hit in case.search.quote(key.rpartition(".")[2], case.facts.python)), None
    )
    if len(gone) == len(asked):
        span = read or Span(asked[0])
        used = f"; {read} reads it" if read else ""
        return confirmed(
            f"{join([posixpath.basename(path) for path in gone], most=3)}"
            f" {'has' if len(gone) == 1 else 'have'} no key {code(key)}, and neither has"
            f" {_MAIN}{used}",
            span,
        )
    if not gone:
        place = keys.line(with_it[0], key)
        return remark(f"{place or with_it[0]} has the key {code(key)}", place or Span(with_it[0]))
    place = keys.line(with_it[0], key)
    if re.search(r"\b(?:all|every|any)\b", said) and len(asked) == len(keys.runs):
        return remark(f"{place or with_it[0]} has the key {code(key)}", place or Span(with_it[0]))
    return partly(
        f"{join([posixpath.basename(path) for path in gone], most=3)}"
        f" {'has' if len(gone) == 1 else 'have'} no key {code(key)};"
        f" {join([posixpath.basename(path) for path in asked if path in with_it], most=3)}"
        f" {'has' if len(asked) - len(gone) == 1 else 'have'}",
        read,
    )


def _runs_asked(case: Case, paths: list[str]) -> list[str] | None:
    """The run configs that a claim means: those of the runs or methods it names, else all of
    them.
    """
    said = case.said
    if case.claim.own.runs:
        return [
            path
            for path in paths
            if posixpath.basename(path).removesuffix(".yaml") in case.claim.own.runs
        ]
    if re.search(r"\b(?:baselines?|comparative)\b", said):
        return [
            path for path in paths if re.search(r"comparative|baseline", posixpath.basename(path))
        ] or None
    if re.search(r"\bproposed\b", said):
        return [path for path in paths if "proposed" in posixpath.basename(path)] or None
    words = [word for word in re.findall(r"[A-Za-z][\w-]+", case.claim.text) if len(word) > 4]
    some = [
        path
        for path in paths
        if any(word.casefold() in path.casefold() for word in words if word[0].isupper())
    ]
    return some or paths
