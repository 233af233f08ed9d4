"""Claims about how a run's configuration is reached: the group of run files, the key `run`, and who
loads the files.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from omegaconf import DictConfig

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, join, partly, remark
from reviewers.facts.composition import CompositionProblem
from reviewers.facts.python_file import Call
from reviewers.records import Span

_MAIN = "config/config.yaml"
_GROUPS = ("run", "runs")
_NOT = re.compile(r"\b(?:not|never|no|without|lacks?|lacking|missing|n't)\b|n't\b")
_KIND: dict[str, type] = dict.fromkeys(("dictionary", "dict", "mapping"), dict) | {
    "string": str,
    "str": str,
    "list": list,
    "null": type(None),
}
_RUN_KEY_IS = re.compile(
    r"\bconfig\.ya?ml\b[^.;]{0,40}?\b(?:defines?|declares?|has|contains?|sets?)\b[^.;]{0,20}?\brun:?[^\w.;/]{1,4}"
    r"(?:as|to|is|being)\b[^.;]{0,15}?\b(?P<kind>dictionary|dict|mapping|string|str|list|null)\b"
)


@check("run_key")
def run_key(case: Case) -> Answer:
    """config.yaml gives `run` a mapping, a string or nothing: its value says which."""
    match = _RUN_KEY_IS.search(case.said.replace("*", "").replace("`", " "))
    main = case.search.config.main
    if (
        match is None
        or main is None
        or case.claim.hedged
        or _NOT.search(case.said)
        or "run" not in main
    ):
        return None
    span = case.search.config.line(_MAIN, "run") or Span(_MAIN)
    value = main["run"]
    told = f"{span} gives `run` the value {code(str(value))}"
    return (confirmed if isinstance(value, _KIND[match["kind"]]) else remark)(told, span)


_REPLACED = re.compile(
    r"\b(?:replac\w+|overwrit\w+|overrid\w+|turn\w*)\b[^.;]*\b(?:dictionary|dict|mapping|node)\b[^.;]*\b(?:string|str)\b"
)


@check("run_replaced")
def run_replaced(case: Case) -> Answer:
    """`run=…` puts a string where config.yaml has a mapping, unless Hydra takes it for a group or
    the start stops.
    """
    main = case.search.config.main
    if not _REPLACED.search(case.said) or not re.search(r"\brun\b", case.said) or case.claim.hedged:
        return None
    starts = case.facts.hydra.starts
    if not starts or main is None or not isinstance(main.get("run"), dict):
        return None
    span = case.search.config.line(_MAIN, "run") or Span(_MAIN)
    stopped = [start.composed for start in starts if isinstance(start.composed, CompositionProblem)]
    if len(stopped) == len(starts):
        return remark(
            f"Nothing is replaced: {code(starts[0].command, 100)} stops with {stopped[0].error}:"
            f" {stopped[0].message}",
            span,
        )
    values = [
        start.composed.get("run") for start in starts if isinstance(start.composed, DictConfig)
    ]
    if not stopped and all(isinstance(value, str) for value in values):
        return confirmed(
            f"{code(starts[0].command, 100)} leaves the string {values[0]!r} under `run`", span
        )
    if not stopped and all(isinstance(value, DictConfig) for value in values):
        return remark(f"{code(starts[0].command, 100)} leaves a mapping under `run`", span)
    return None


_NO_RUN = re.compile(
    r"\bcfg\.run\b(?!\.)[^.;\w]{0,3}\b(?:(?:will|does|would) (?:not|never) (?:exist|be"
    r" (?:there|available|defined|"
    r"created|present))|"
    r"(?:is|be) (?:undefined|missing|absent|not (?:defined|there|available|created|present)))"
)


@check("run_absent")
def run_absent(case: Case) -> Answer:
    """`cfg.run` exists where the composed configuration has that key."""
    if not _NO_RUN.search(case.said) or case.claim.hedged:
        return None
    main = case.search.config.main
    configs = [
        (start.command, start.composed)
        for start in case.facts.hydra.starts
        if isinstance(start.composed, DictConfig)
    ]
    if configs and len(configs) == len(case.facts.hydra.starts):
        there = [command for command, config in configs if "run" in config]
        if there and len(there) == len(configs):
            return remark(
                f"The configuration of {code(there[0], 100)} has `run`",
                case.search.config.line(_MAIN, "run"),
            )
        return (
            None
            if there
            else confirmed(
                f"The configuration of {code(configs[0][0], 100)} has no key `run`", Span(_MAIN)
            )
        )
    if main is not None and "run" in main:
        span = case.search.config.line(_MAIN, "run") or Span(_MAIN)
        return partly(f"{span} has the key `run`", span)
    return None


_FOLDER_GONE = re.compile(
    r"\brun(?:s|-specific)? (?:config(?:uration)? )?(?:group"
    r" )?(?:director(?:y|ies)|folder)\b[^.;]{0,15}?"
    r"\b(?:missing|absent|does not exist|not (?:there|present|provided|included))"
    r"|\b(?:no|missing|lacks?) `?(?:config/)?runs?/? (?:config )?(?:group"
    r" )?(?:director(?:y|ies)|folder)\b"
)
_NO_GROUPS = re.compile(
    r"\b(?:hydra )?config(?:uration)? groups? (?:are|is) (?:missing|absent|not"
    r" (?:declared|defined|listed|used))"
    r"|\bno (?:hydra )?config(?:uration)? groups?\b|\bgroups? (?:are|is) (?:missing|absent)\b"
)


@check("run_folder")
def run_folder(case: Case) -> Answer:
    """The folder of the run files is there where the submission has run files; groups are there
    where the defaults list some.
    """
    if case.claim.hedged:
        return None
    paths = [run.file.path for run in case.facts.submission.runs]
    if _FOLDER_GONE.search(case.said) and paths:
        folder = paths[0].rpartition("/")[0]
        named = re.search(r"\bconfig/(runs?)\b", case.said)
        if named is None or folder == f"config/{named[1]}":
            own = [
                file.path
                for file in case.facts.submission.files
                if file.path.startswith(f"{folder}/")
            ]
            if own:
                return remark(f"{folder}/ is there, with {own[0].rpartition('/')[2]}", Span(own[0]))
            return confirmed(
                f"The submission itself has no {folder}/; its run configurations are provided"
                f" beside it, as {paths[0]}",
                Span(paths[0]),
            )
    keys = case.search.config
    if (
        _NO_GROUPS.search(case.said)
        and keys.main is not None
        and len(case.said.split()) < _FEW_WORDS
    ):
        groups = [name for name in keys.defaults or () if name not in ("_self_", "None")]
        span = keys.defaults_line or Span(_MAIN)
        if not groups:
            shown = (
                "has no defaults list"
                if keys.defaults is None
                else "lists no group in its defaults"
            )
            return confirmed(f"{_MAIN} {shown}", span)
        return remark(f"{_MAIN} has {join([code(name) for name in groups])} in its defaults", span)
    return None


_FEW_WORDS = 9
_RUN_FILES = re.compile(
    r"\brun(?:-specific)?[- ](?:config\w*|ya?mls?|files?|settings?)\b|\bconfig/runs?\b|\brun"
    r" ya?mls?\b|\bruns?/\S*\.ya?ml\b"
)
_BY_HAND = re.compile(r"\b(?:manual(?:ly)?|by hand)\b|\bomegaconf\.load\b")
_LOADS = re.compile(r"(?:^|\.)(?:OmegaConf\.load|safe_load|full_load|yaml\.load)$")
_INSIDE = re.compile(
    r"\b(?:embedded|inlined?|embeds?|inlines?|copied|duplicated)\b[^;]*\bconfig\.ya?ml\b|"
    r"\bconfig\.ya?ml\b[^;]*\b(?:embeds?|inlines?)\b"
)
_SHORT = 14
_NEVER_LOADED = re.compile(
    r"\b(?:never|not|n't) (?:\w+"
    r" )?(?:loads?|reads?|merges?|open\w*|uses?)\b[^.;]*\b(?:run\b|config/runs?)|"
    r"\b(?:config\w*|ya?mls?|files?)\b (?:is|are) (?:never|not) (?:actually"
    r" )?(?:loaded|read|merged|used|opened)\b"
)
_INSTEAD = re.compile(
    r"\binstead of (?:loading|reading|using|composing)\b|\b(?:never|not|n't)"
    r" (?:loads?|reads?|uses?)\b"
)


@check("run_files")
def run_files(case: Case) -> Answer:
    """Run files are loaded by Hydra's defaults list, by a call that reads YAML, or by nothing."""
    if case.claim.hedged or not _RUN_FILES.search(case.said):
        return None
    keys = case.search.config
    grouped = any(group in (keys.defaults or ()) for group in _GROUPS)
    loads = list(_loads(case))
    if _INSIDE.search(case.said):
        return _embedded(case)
    if (
        _BY_HAND.search(case.said)
        and re.search(r"\b(?:load|merg|read)\w*\b", case.said)
        and not _NOT.search(case.said)
    ):
        if loads and not grouped:
            path, call = loads[0]
            return confirmed(
                f"{path}:{call.line} loads the run file with {code(call.name or '')}, "
                f"and {_MAIN} has no run group in its defaults",
                Span(path, call.line),
            )
        return None
    if _NEVER_LOADED.search(case.said) and not any(
        True for _ in case.decided_by("run-file-loaded")
    ):
        if "src/evaluate.py" in case.claim.own.files or len(case.said.split()) > _SHORT:
            return None
        files = [path for path in case.claim.own.files if path.endswith(".py")]
        here = [(path, call) for path, call in loads if not files or path in files]
        if here:
            return remark(
                f"{here[0][0]}:{here[0][1].line} loads the run file with"
                f" {code(here[0][1].name or '')}",
                Span(here[0][0], here[0][1].line),
            )
        return None
    if (
        _INSTEAD.search(case.said)
        and loads
        and not grouped
        and re.search(r"\binstead of (?:loading|reading)\b", case.said)
    ):
        path, call = loads[0]
        return remark(
            f"{path}:{call.line} loads the run file with {code(call.name or '')}",
            Span(path, call.line),
        )
    return None


def _loads(case: Case) -> Iterator[tuple[str, Call]]:
    """The calls that read YAML near the folder of the run files: in a function that names it."""
    runs = case.facts.submission.runs
    folders = {re.escape(PurePosixPath(run.file.path).parent.name) for run in runs} - {""}
    for path, file in case.facts.python.items():
        if path == "src/evaluate.py":
            continue
        for call in file.calls:
            if call.name and _LOADS.search(call.name):
                around = "\n".join(case.facts.lines(path)[max(0, call.line - 15) : call.line])
                if any(re.search(rf"[\"'/]{folder}[\"'/]", around) for folder in folders):
                    yield path, call


def _embedded(case: Case) -> Answer:
    """Every run's settings stand in config.yaml under the run's id."""
    keys = case.search.config
    runs = [run.run_id for run in case.facts.submission.runs]
    if keys.main is None or not runs:
        return None
    text = case.facts.text(_MAIN) or ""
    known = {path.rpartition(".")[2] for path in keys.paths(_MAIN)} | set(keys.paths(_MAIN))
    inside = [
        run
        for run in runs
        if run in known or any(path.endswith(f".{run}") for path in keys.paths(_MAIN))
    ]
    if len(inside) == len(runs):
        line = next(
            (
                number
                for number, row in enumerate(text.splitlines(), 1)
                if row.strip().startswith(f"{runs[0]}:")
            ),
            None,
        )
        return confirmed(
            f"{_MAIN} has the settings of {join([code(run) for run in runs], most=2)} under the"
            " run ids",
            Span(_MAIN, line),
        )
    if not any(run in text for run in runs):
        return remark(f"{_MAIN} has no run id in it", Span(_MAIN))
    return None


_PASSES = re.compile(
    r"\bmain\.py\b[^.;]*?\b(?P<no>(?:never|not|n't) )?(?:passes|pass|forwards?|hands?|sends?|"
    r"launches [^.;]*? with)\b[^.;]*?(?:`(?P<key>[a-z_][\w.]*)=?[^`]*`|\brun[ _]?ids?\b)"
)


@check("passes_word")
def passes_word(case: Case) -> Answer:
    """main.py passes `run=…` to the training process where one of its strings begins so."""
    match = _PASSES.search(re.sub(r"(?<=\w)\.(?=py\b)", ".", case.said))
    file = case.facts.python.get("src/main.py")
    if (
        match is None
        or case.claim.hedged
        or file is None
        or file.tree is None
        or "src.train" not in file.text
    ):
        return None
    key = match["key"] or "run"
    line = next(
        (
            number
            for number, row in enumerate(case.facts.lines("src/main.py"), 1)
            if re.search(rf"[\"']\+*{re.escape(key)}=", row.split("#")[0])
        ),
        None,
    )
    if line is not None:
        told = f"src/main.py:{line} passes a word {code(key + '=…')}"
        return (remark if match["no"] else confirmed)(told, Span("src/main.py", line))
    return None
