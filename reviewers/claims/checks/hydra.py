"""Claims about what Hydra and OmegaConf make of the configuration: paths, groups, and the errors
that a start ends in.
"""

import ast
import posixpath
import re
from collections.abc import Iterator

from omegaconf import DictConfig

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, join, partly, remark
from reviewers.facts.composition import CompositionProblem
from reviewers.facts.config_flow import ConfigProblem, ProblemKind
from reviewers.facts.hydra_config import Start
from reviewers.records import Check, Span

_MAIN = "config/config.yaml"
_PATH_WRONG = re.compile(
    r"\bincorrect\b|\bwrong\b|\bnot find\b|\bfail\w* to (?:locate|find)\b|\blevels up\b|\btoo"
    r" high\b|\btoo far\b|"
    r"\bone level\b|\boutside\b|\btwo "
    r"(?:directories|levels)\b|\bnot (?:be )?found\b|\bresolves?\b"
)


@check("hydra_path")
def hydra_path(case: Case) -> Answer:
    """Hydra takes config_path relative to the file that has the decorator."""
    if (
        case.claim.hedged
        or not _PATH_WRONG.search(case.said)
        or not re.search(
            r"config_?\s?path|configuration path|\.\./|config (?:files|directory)", case.said
        )
    ):
        return None
    places = []
    for path, file in case.python() or case.facts.python.items():
        for call in file.calls_of("hydra.main"):
            value = call.keyword("config_path")
            if value is None and call.node.args:
                value = call.node.args[0]
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                target = posixpath.normpath(posixpath.join(posixpath.dirname(path), value.value))
                places.append((path, call.line, value.value, target))
    if not places:
        return None
    wrong = [place for place in places if place[3] != "config"]
    if not wrong:
        path, line, written, _ = places[0]
        return remark(
            f"{path}:{line} has config_path={written!r}, which Hydra takes relative to src/: that"
            " is the folder config",
            Span(path, line),
        )
    path, line, written, target = wrong[0]
    where = "outside the repository" if target.startswith("..") else f"the folder {target}"
    if len(wrong) == len(places):
        return confirmed(
            f"{path}:{line} has config_path={written!r}, which Hydra takes relative to src/: that"
            f" is {where}, and config.yaml lies in config",
            Span(path, line),
        )
    return partly(
        f"{path}:{line} has config_path={written!r}, which is {where}; the other decorators have"
        " the right folder",
        Span(path, line),
    )


_NO_GROUP = re.compile(
    r"\b(?:not|no|lacks?|lacking|missing|without)\b[^.;]{0,40}\b`?(runs?)`?\s*(?:default"
    r" )?(?:config )?(?:group|"
    r"entry)\b|\bdefaults? (?:list|entry)\b[^.;]{0,20}\b(?:missing|absent|lacks)|`?(runs?)`? is not"
    r" a valid "
    r"config group|cannot locate the group `?(runs?)`?"
)


@check("defaults_group")
def defaults_group(case: Case) -> Answer:
    """A run group is there where the defaults list of config.yaml has it."""
    match = _NO_GROUP.search(case.said)
    keys = case.search.config
    if match is None or keys.main is None:
        return None
    group = match[1] or match[2] or match[3] or "run"
    listed = keys.defaults
    if listed is not None and group in listed:
        if match[3]:
            return None
        span = keys.line(_MAIN, group) or keys.defaults_line
        line = next(
            (
                number
                for number, text in enumerate(case.facts.lines(_MAIN), 1)
                if re.match(rf"\s*-\s*(?:override |optional )?/?{group}\s*:", text)
            ),
            span.line if span else None,
        )
        return remark(
            f"{_MAIN} has the group {code(group)} in its defaults list", Span(_MAIN, line)
        )
    shown = (
        f"its defaults list has {join([code(name) for name in listed])}"
        if listed
        else "it has no defaults list"
    )
    return confirmed(
        f"{_MAIN} has no group {code(group)} in its defaults: {shown}",
        keys.defaults_line or Span(_MAIN, 1),
    )


_RUN_IS_STRING = re.compile(
    r"`?cfg\.run`?[^.;]{0,40}\b(?:is|as|becomes?|has become)\b[^.;]{0,20}\bstring\b|\bcfg\.run"
    r" (?:is|will be) "
    r"(?:just )?(?:a |the )?(?:cli )?(?:string|str)\b"
)


@check("run_string")
def run_string(case: Case) -> Answer:
    """`cfg.run` is the command line's word where config.yaml has a plain `run` key and no run group
    in its defaults.
    """
    if not _RUN_IS_STRING.search(case.said.replace("*", "")):
        return None
    keys = case.search.config
    if keys.main is None:
        return None
    listed = keys.defaults or ()
    span = keys.line(_MAIN, "run")
    if "run" in listed:
        return None
    if "run" in keys.main and not isinstance(keys.main["run"], dict):
        if case.claim.own.errors:
            return _of_string(case)
        return confirmed(
            f"{_MAIN}:{span.line if span else '?'} has a plain key `run` and no run group in its"
            " defaults, so `run=…` leaves a string there",
            span,
        )
    return None


def _of_string(case: Case) -> Answer:
    """Where an attribute of that string is read, and with which error."""
    for start, problem in case.facts.hydra.problems:
        if problem.kind is ProblemKind.NOT_A_MAPPING and "'str' object" in problem.message:
            told = (
                f"{problem.span} ends in {problem.error} for {code(start.command, 100)}:"
                f" {problem.message}"
            )
            return confirmed(told, problem.span)
    return None


_CONFIG_ERROR = re.compile(
    r"attributeerror|keyerror|configattributeerror|configkeyerror|interpolation\w*error|\bcrash\w*|\bfails?\b|"
    r"\bnot in struct\b|\braises?\b|\bhas no attribute\b|\babsent\b|\bnot present\b"
)
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+", re.ASCII)
_ALWAYS = re.compile(r"\ball\b|\bevery\b|\bany\b")


@check("config_error")
def config_error(case: Case) -> Answer:
    """A read or merge of the configuration fails where following the code with the composed
    configuration fails there.
    """
    if not _CONFIG_ERROR.search(case.said) or case.claim.hedged:
        return None
    names = list(dict.fromkeys(_dotted_names(case)))
    if not names:
        return None
    for start, problem in case.facts.hydra.problems:
        if not problem.certain or not any(_meets(case, problem, name) for name in names):
            continue
        errors = {error.casefold() for error in case.claim.own.errors}
        told = (
            f"{problem.span} ends in {problem.error} for {code(start.command, 100)}:"
            f" {problem.message}"
        )
        if errors and not _is_one_of(problem.error, errors):
            return partly(told, problem.span)
        runs = case.facts.hydra.runs_with(problem)
        if (
            _ALWAYS.search(case.said)
            and problem.kind is not ProblemKind.NOT_A_MAPPING
            and len(runs) < len(case.facts.submission.runs)
            and not case.claim.own.runs
        ):
            return partly(
                f"{told} (for {len(runs)} of {len(case.facts.submission.runs)} runs)", problem.span
            )
        return confirmed(told, problem.span)
    return None


def _dotted_names(case: Case) -> Iterator[str]:
    for about in (
        case.claim.own,
        *(case.claim.around[:3] if case.claim.points_back or not case.claim.own.names else ()),
    ):
        for text in (*about.names, *about.quotes):
            yield from (
                match.group()
                for match in _DOTTED.finditer(text)
                if not match.group().startswith(("src.", "torch.", "self.", "wandb."))
            )
    for word in case.claim.own.quotes:  # "accessing `b` fails" after "the code reads cfg.a.b.c"
        chains = (
            (text for about in case.claim.around[:2] for text in (*about.names, *about.quotes))
            if word.isidentifier()
            else ()
        )
        yield from (
            match.group()
            for text in chains
            if (match := re.match(rf"cfg\.(?:\w+\.)*{word}\b", text))
        )


def _meets(case: Case, problem: ConfigProblem, name: str) -> bool:
    """Whether the line of a problem has the dotted name, or the problem's key is the name's end."""
    if problem.span.line is None:
        return False
    lines = "".join(
        case.facts.lines(problem.span.file)[problem.span.line - 1 : problem.span.end_line]
    )
    last = name.rpartition(".")[2]
    if problem.kind is ProblemKind.NOT_A_MAPPING and re.search(rf"\b{re.escape(name)}\.", lines):
        return True
    if problem.key.rpartition(".")[2] != last:
        return False
    return name in lines or f".{problem.key}".endswith(f".{name.partition('.')[2]}")


_SAME_ERROR = {
    "attributeerror": {"configattributeerror"},
    "keyerror": {"configkeyerror", "configattributeerror"},
}


def _is_one_of(error: str, said: set[str]) -> bool:
    known = error.casefold()
    return known in said or any(known in _SAME_ERROR.get(each, ()) for each in said)


_STOPS = re.compile(
    r"\bhydra\b.*\b(?:fail|crash|raise|stop|abort|not"
    r" (?:find|resolve|compose))|\bfails?\b[^.;]*\bhydra\b|"
    r"\b(?:override|cli|command|"
    r"call)\b.*\b(?:raise|fail|error|crash|abort)|\bcannot"
    r" (?:locate|find|enumerate|override)\b|\bpipeline "
    r"(?:aborts|crashes|to"
    r" crash)\b|config\w*(?:load|composition)\w*(?:error|exception)|\bnon-?executable\b|"
    r"\b(?:not|cannot|n't) compose\b|\bcomposition (?:fails?|errors?|stops?)\b|\bcannot be"
    r" (?:executed|started|"
    r"launched|run)\b|\bcfg\.run\b.*\bcannot be (?:accessed|read|resolved)\b"
)
_LOCATES = re.compile(
    r"\b(?:locate|find|load)\b[^.;]*\bconfig|\bconfig\w*\b[^.;]*\b(?:not found|not be"
    r" found|missing)\b"
)
_OF_RUN = re.compile(r"\brun\b")


@check("composition")
def composition(case: Case) -> Answer:
    """Whether a documented start stops in Hydra itself, and with which error."""
    if not _STOPS.search(case.said) or case.claim.hedged:
        return None
    if answer := _composes(case):
        return answer
    stopped = [
        start for start in case.facts.hydra.starts if isinstance(start.composed, CompositionProblem)
    ]
    if not stopped or len(stopped) < len(case.facts.hydra.starts) // 2:
        return None
    start = stopped[0]
    problem = start.composed
    assert isinstance(problem, CompositionProblem)
    told = f"{code(start.command, 100)} stops in Hydra with {problem.error}: {problem.message}"
    span = _span(case, start, problem)
    errors = {error.casefold() for error in case.claim.own.errors}
    if errors and problem.error.casefold() not in errors:
        return partly(told, span)
    before = case.earlier if "because of this" in case.said else case.grounds
    grounded = any(
        claim.kind.id in ("hydra-group", "hydra-path") and said.result is Check.CONFIRMED
        for claim, said in before
    )
    about_run = re.search(r"override|group", problem.message, re.IGNORECASE) and re.search(
        r"\brun\b|\bgroup\b|\boverride\b", case.said
    )
    harmless = all(
        _OF_RUN.search(quote) or quote in case.claim.own.errors for quote in case.claim.own.quotes
    )
    about_path = "config directory" in problem.message and re.search(
        rf"{_LOCATES.pattern}|\bconfig_?\s?path\b", case.said
    )
    named = (
        errors == {problem.error.casefold()}
        and not case.claim.own.quotes
        and re.search(r"\b(?:documented|required|command|cli)\b", case.said)
    )
    return (
        confirmed(told, span)
        if named or grounded or (about_run and harmless) or about_path
        else partly(told, span)
    )


_OF_COMPOSITION = re.compile(
    r"\bcompos\w*\b|\bconfigcompositionexception\b|\bmissingconfigexception\b|\bcould not"
    r" override\b|"
    r"\bconfig(?:uration)? group\b|\bgroup `?runs?\b"
)


def _composes(case: Case) -> Answer:
    """A claim that Hydra cannot compose is false where every documented start is composed and
    nothing fails after it.
    """
    starts = case.facts.hydra.starts
    if (
        not _OF_COMPOSITION.search(case.said)
        or not starts
        or any(problem.certain for _, problem in case.facts.hydra.problems)
    ):
        return None
    if (
        not all(isinstance(start.composed, DictConfig) for start in starts)
        or case.claim.own.lines
        or "src/evaluate.py" in case.claim.own.files
    ):
        return None
    where = case.search.config.line(_MAIN, "run") or starts[0].entry.span
    return remark(
        "Hydra composes the configuration of every documented start, such as"
        f" {code(starts[0].command, 100)}",
        where,
    )


def _span(case: Case, start: Start, problem: CompositionProblem) -> Span:
    if problem.file and f"config/{problem.file}" in case.facts.submission.by_path:
        line = case.search.config.defaults_line
        return (
            line
            if line and line.file == f"config/{problem.file}"
            else Span(f"config/{problem.file}")
        )
    if "defaults list" in problem.message and case.search.config.main is not None:
        return (
            case.search.config.defaults_line or case.search.config.line(_MAIN, "run") or Span(_MAIN)
        )
    return start.entry.span


_NESTED = re.compile(
    r"\b(?:second|nested|another|inner)\b[^.;]*\bhydra\b|\bhydra\b[^.;]*\b(?:inside|within)\b[^.;]*\bhydra\b"
)


@check("nested_hydra")
def nested_hydra(case: Case) -> Answer:
    """main.py starts Hydra a second time where it is under @hydra.main itself and runs src.train,
    which is too.
    """
    if not _NESTED.search(case.said) or not re.search(
        r"\b(?:launch\w*|starts?|spawns?|runs?|calls?)\b", case.said
    ):
        return None
    entries, file = case.facts.hydra.entry_points, case.facts.python.get("src/main.py")
    if file is None or "src/main.py" not in entries or "src/train.py" not in entries:
        return None
    calls = [call for call in file.calls if (call.name or "").startswith("subprocess.")]
    if not calls or not any(
        "src.train" in literal.value for literal in file.strings if not literal.is_docstring
    ):
        return None
    evidence = (
        f"src/main.py:{calls[0].line} starts src.train in a process of its own, and both are under"
        " @hydra.main"
    )
    return confirmed(evidence, Span("src/main.py", calls[0].line))


_NAMELESS = re.compile(
    r"\b(?:no|without|lacks?|lacking|missing|misses|omits?|not"
    r" (?:specify|set|give|pass|name|have))\b[^.;]{0,30}\bconfig_name\b|"
    r"\bconfig_name\b[^.;]{0,20}\b(?:missing|absent|omitted|not (?:set|given|specified|passed))\b"
)


@check("config_name")
def config_name(case: Case) -> Answer:
    """A decorator names the configuration where it has `config_name`."""
    if not _NAMELESS.search(case.said) or case.claim.hedged:
        return None
    asked = [path for path in case.claim.own.files if path.endswith(".py")]
    entries = [
        entry for path, entry in case.facts.hydra.entry_points.items() if not asked or path in asked
    ]
    if not entries or not all(entry.config_name for entry in entries):
        return None
    return remark(f"{entries[0].span} has config_name={entries[0].config_name!r}", entries[0].span)


_UNCLEARED = re.compile(
    r"\bstruct\b[^.;]*\b(?:never|not|n't)\b[^.;]{0,20}\b(?:cleared|disabled|unset|turned"
    r" off|switched off|lifted)|"
    r"\bmerg\w*\b[^;]*\bstruct\b|\bstruct\b[^;]*\bmerg"
)


@check("struct_cleared")
def struct_cleared(case: Case) -> Answer:
    """A merge into Hydra's configuration works where its struct flag is cleared before, and
    following the code meets no error.
    """
    if (
        not _UNCLEARED.search(case.said)
        or case.claim.hedged
        or not re.search(r"error|fail|never|not|without|rais|crash", case.said)
    ):
        return None
    starts = case.facts.hydra.starts
    if not starts or not all(start.trace and start.trace.complete for start in starts):
        return None
    if any(
        problem.kind in (ProblemKind.MERGE, ProblemKind.REJECTED_WRITE)
        for _, problem in case.facts.hydra.problems
    ):
        return None
    for path, file in case.python() or case.facts.python.items():
        for call in file.calls_of("omegaconf.OmegaConf.set_struct", "omegaconf.open_dict"):
            second = call.node.args[1] if len(call.node.args) > 1 else None
            if (call.name or "").endswith("open_dict") or (
                isinstance(second, ast.Constant) and second.value is False
            ):
                return remark(
                    f"{path}:{call.line} clears the struct flag:"
                    f" {code(case.facts.code(Span(path, call.line)))}",
                    Span(path, call.line),
                )
    return None
