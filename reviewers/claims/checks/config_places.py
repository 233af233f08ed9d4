"""Claims about where a key of the configuration lies, in which runs it lies, and whether its reads
are guarded.
"""

import ast
import posixpath
import re
from collections.abc import Iterator

from omegaconf import DictConfig

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, join, partly, remark
from reviewers.facts.config_flow import ProblemKind
from reviewers.records import Span

_MAIN = "config/config.yaml"
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)
_TOP = re.compile(r"\b(?:top|root)[- *]*level\b|\bat the root\b|\btop of the (?:config|yaml|file)")
_UNDER = re.compile(
    r"\b(?:defined|placed?|lies?|located|stored|live|lives|found|set|specified|declared|nested|sits?|are|is)\b(?:"
    r" \w+)?"
    r" (?:under|in|inside|within|below)(?: the| a| its)? `?(?P<section>[a-z_]\w*(?:\.\w+)*)`?:?"
    r" (?:section|block|"
    r"node|group|mapping|sub-?tree)\b"
)


@check("key_section")
def key_section(case: Case) -> Answer:
    """Keys lie under a section where the YAML of a run, or config.yaml, has them there."""
    match = _UNDER.search(case.said)
    if match is None or case.claim.hedged or case.denies:
        return None
    section, said = (
        match["section"],
        (
            case.claim.text[: match.start()]
            if match.start() < len(case.claim.text)
            else case.claim.text
        ),
    )
    names = [
        name
        for name in dict.fromkeys(_NAME.findall(said))
        if _is_key(case, name) and name != section
    ]
    keys = case.search.config
    if not names or any(path.endswith(".py") for path in case.claim.own.files):
        return None
    shown: list[str] = []
    where: Span | None = None
    for name in names:
        place = next(
            (
                path
                for path in (*keys.runs, _MAIN)
                if path in keys.values and keys.has(path, f"{section}.{name}")
            ),
            None,
        )
        if place is None:
            span = next(
                (
                    keys.line(path, name)
                    for path in (*keys.runs, _MAIN)
                    if path in keys.values and keys.has(path, name)
                ),
                None,
            )
            return (
                remark(
                    f"No configuration has {code(name)} under {code(section)}; {span} has it", span
                )
                if span and len(names) == 1
                else None
            )
        where = where or keys.line(place, f"{section}.{name}") or Span(place)
        shown.append(code(f"{section}.{name}"))
    return confirmed(f"{where} and the lines near it have {join(shown)}", where)


def _is_key(case: Case, name: str) -> bool:
    """Whether a word of the claim is written as code and is a key of some configuration."""
    if "_" not in name and "." not in name and f"`{name}`" not in case.claim.text:
        return False
    return any(case.search.config.has(path, name) for path in case.search.config.values)


_ELSEWHERE = re.compile(r"\b(?:yet|but|while|whereas|although|however|though)\b")


@check("key_elsewhere")
def key_elsewhere(case: Case) -> Answer:
    """The code reads `cfg.a.b`, and the run files have `b` at the top: following the code with the
    configuration shows both.
    """
    said = case.claim.text
    match = _ELSEWHERE.search(said.casefold())
    if match is None or case.claim.hedged:
        return None
    read = [
        name.removeprefix("cfg.")
        for name in _NAME.findall(said[: match.start()])
        if name.startswith("cfg.")
    ]
    rest = said[match.end() :]
    placed = [name for name in re.findall(r"`([A-Za-z_]\w*)`", rest) if _is_key(case, name)]
    if len(read) != 1 or len(placed) != 1 or not _TOP.search(rest.casefold()):
        return None
    keys = case.search.config
    at_top = [
        path
        for path in keys.runs
        if isinstance(value := keys.values.get(path), dict) and placed[0] in value
    ]
    if len(at_top) != len(keys.runs):
        return None
    for start, problem in case.facts.hydra.problems:
        if (
            problem.kind is ProblemKind.MISSING_KEY
            and f"{read[0]}.".startswith(f"{problem.key}.")
            and problem.key.endswith(placed[0])
        ):
            line = keys.line(at_top[0], placed[0])
            return confirmed(
                f"{problem.span} reads `cfg.{problem.key}`, which {code(start.short_command, 90)}"
                f" does not have; {line} has it at the top",
                problem.span,
            )
    return None


_GUARDLESS = re.compile(
    r"\bwithout (?:any )?(?:guard\w*|check\w*|testing|a"
    r" (?:guard|check|default|fallback)|default\w*|fallback)\b|"
    r"\bunguarded\b|\bunconditional(?:ly)?\b|\bnot guarded\b"
)


@check("unguarded")
def unguarded(case: Case) -> Answer:
    """A key is read without a guard where that read fails for some run; where every read of it is
    tested for, it is not.
    """
    if not _GUARDLESS.search(case.said) or case.claim.hedged:
        return None
    names = [
        name.removeprefix("cfg.")
        for name in dict.fromkeys(
            name
            for quote in (*case.claim.own.names, *case.claim.own.quotes)
            for name in _NAME.findall(quote)
        )
        if name.startswith("cfg.") and name.count(".") > 1
    ]
    if len(names) != 1:
        return None
    key = names[0]
    for start, problem in case.facts.hydra.problems:
        if problem.kind is ProblemKind.MISSING_KEY and problem.key == key and problem.certain:
            return confirmed(
                f"{problem.span} reads `cfg.{key}`, and {code(start.command, 100)} ends there in"
                f" {problem.error}",
                problem.span,
            )
    reads, guards = list(_reads(case, key)), list(_guards(case, key))
    if (
        not reads
        or not guards
        or any(problem.key == key for _, problem in case.facts.hydra.problems)
    ):
        return None
    return remark(f"{guards[0]} asks whether `cfg.{key}` is there before it is read", guards[0])


def _reads(case: Case, key: str) -> Iterator[Span]:
    for path, file in case.facts.python.items():
        for node in file.nodes:
            if isinstance(node, ast.Attribute) and ast.unparse(node) == f"cfg.{key}":
                yield Span(path, node.lineno)


def _guards(case: Case, key: str) -> Iterator[Span]:
    section, _, last = key.rpartition(".")
    asked = {f"hasattr(cfg.{section}, '{last}')", f"'{last}' in cfg.{section}"}
    for path, file in case.facts.python.items():
        for node in file.nodes:
            if isinstance(node, ast.Call | ast.Compare) and ast.unparse(node) in asked:
                yield Span(path, node.lineno)


_NEVER = re.compile(
    r"`?(?P<key>[a-z_]\w*(?:\.\w+)*)`? (?:node|section|key|block|entry|field)\b[^.;]{0,15}?"
    r"\b(?:is|was) (?:never|not) (?:created|defined|declared|present|set|there|populated)"
)


@check("node_absent")
def node_absent(case: Case) -> Answer:
    """A node is never created where no configuration that Hydra gives, and no file, has it at that
    place.
    """
    match = _NEVER.search(case.said)
    if match is None or case.claim.hedged:
        return None
    key = match["key"].removeprefix("cfg.")
    configs = [
        (start.command, start.config)
        for start in case.facts.hydra.starts
        if isinstance(start.config, DictConfig)
    ]
    keys = case.search.config
    if not configs or "." in key:
        return None
    for path in (_MAIN, *keys.runs):
        value = keys.values.get(path)
        if isinstance(value, dict) and key in value:
            return remark(f"{keys.line(path, key)} has it", keys.line(path, key))
    if any(key in config for _, config in configs) or any(
        created.key == key
        for start in case.facts.hydra.starts
        if start.trace
        for created in start.trace.created
    ):
        return None
    wanted = next(
        (
            (path, number)
            for path in (*keys.runs, _MAIN)
            for number, line in enumerate(case.facts.lines(path), 1)
            if f"${{{key}." in line
        ),
        None,
    )
    if wanted is not None:
        return confirmed(
            f"{wanted[0]}:{wanted[1]} refers to {code(key)}, and no configuration has such a key at"
            " its top",
            Span(*wanted),
        )
    read = next(
        (
            Span(path, node.lineno)
            for path, file in case.facts.python.items()
            for node in file.nodes
            if isinstance(node, ast.Attribute) and ast.unparse(node) == f"cfg.{key}"
        ),
        None,
    )
    return (
        confirmed(f"{read} reads `cfg.{key}`, and no configuration has such a key", read)
        if read
        else None
    )


_PRESENT = re.compile(
    r"\b(?:is|are) (?:only )?(?:present|defined|set|given|available|declared)\b(?: only)? in (?:the"
    r" |all |"
    r"every )*(?P<which>proposed|comparative|baseline)?"
    r"(?:[- ]method)?(?:'s)? ?(?:run[- ]?)?(?:config\w*|ya?mls?|runs?)\b"
)


@check("key_present")
def key_present(case: Case) -> Answer:
    """A key is in the run configs that are meant where each of them has it."""
    match = _PRESENT.search(case.said)
    if match is None or case.claim.hedged or case.denies or _ELSEWHERE.search(case.said):
        return None
    near = (case.claim.own, *(case.claim.around[:2] if case.claim.points_back else ()))
    names = next(
        (
            found
            for about in near
            if (
                found := [
                    name.removeprefix("cfg.")
                    for text in (*about.names, *about.quotes)
                    for name in _NAME.findall(text)
                    if _is_setting(case, name.removeprefix("cfg."))
                ]
            )
        ),
        [],
    )
    keys = case.search.config
    paths = [
        path for path in keys.runs if match["which"] in (None, "") or _is_such(path, match["which"])
    ]
    if not names or not paths:
        return None
    key = max(dict.fromkeys(names), key=lambda name: name.count("."))
    with_it = [path for path in paths if keys.has(path, key)]
    if len(with_it) == len(paths):
        others = [path for path in keys.runs if path not in paths and keys.has(path, key)]
        if re.search(r"\bonly\b", case.said) and others:
            return partly(f"{keys.line(others[0], key)} has it, too", keys.line(others[0], key))
        return confirmed(
            f"{keys.line(with_it[0], key) or with_it[0]} has the key {code(key)}",
            keys.line(with_it[0], key),
        )
    if not with_it and not keys.has(_MAIN, key):
        return remark(
            f"{join([posixpath.basename(path) for path in paths], most=3)}"
            f" {'has' if len(paths) == 1 else 'have'} no key {code(key)}",
            Span(paths[0]),
        )
    return None


def _is_setting(case: Case, name: str) -> bool:
    """Whether a name is a key of some configuration, or the code reads it as one."""
    if "." in name and any(f"cfg.{name}" in file.text for file in case.facts.python.values()):
        return True
    return ("_" in name or "." in name) and any(
        case.search.config.has(path, name) for path in case.search.config.values
    )


def _is_such(path: str, which: str) -> bool:
    name = posixpath.basename(path)
    return ("proposed" in name) == (which == "proposed") and (
        which == "proposed" or re.search(r"comparative|baseline", name) is not None
    )


_LACKS = re.compile(
    r"\bconfig\.ya?ml\b`?[^.;\w]{0,3}\b(?:lacks?|misses|omits?|has no|contains no|(?:does|do) not"
    r" (?:contain|define|"
    r"have|list|set|specify|declare|include))\b"
    r"(?P<what>[^.;]*)$"
)
_NO_KEY = re.compile(
    r"^\W*no (?P<what>[\w` /-]+?) (?:is|are)"
    r" (?:set|configured|defined|given|specified|declared|present|"
    r"listed) in `?(?:config/)?config\.ya?ml`?\W*$"
)
_PLAIN = frozenset(
    [
        "a",
        "an",
        "the",
        "any",
        "section",
        "sections",
        "key",
        "keys",
        "and",
        "or",
        "field",
        "fields",
        "for",
        "setting",
        "settings",
        "required",
        "mandatory",
        "both",
        "entry",
        "block",
    ]
)


@check("section_after_all")
def section_after_all(case: Case) -> Answer:
    """ "config.yaml lacks X and Y" is false where it has both."""
    said = case.said.strip().rstrip(".")
    match = _LACKS.search(said) or _NO_KEY.search(said)
    main = case.search.config.main
    if match is None or main is None or case.claim.hedged:
        return None
    words = [word for word in re.findall(r"[a-z_][\w.]*", match["what"]) if word not in _PLAIN]
    if not words or len(words) > _MOST_KEYS:
        return None
    if re.search(r"\b(?:sections?|groups?|blocks?)\b", match["what"]) and not all(
        isinstance(main.get(word), dict) for word in words
    ):
        return None
    lines = [
        case.search.config.line(_MAIN, word)
        for word in words
        if case.search.config.has(_MAIN, word)
    ]
    if len(lines) != len(words) or lines[-1] is None:
        return None
    return remark(f"{lines[-1]} has {code(words[-1])}", lines[-1])


_MOST_KEYS = 4


_UNKNOWN_KEY = re.compile(
    r"\b(?:undefined|missing|non-?existent|nonexisting|unknown|absent|undeclared)\b (?:\w+"
    r" )?(?:config\w*|cfg|yaml)?(?:[- ]?)"
    r"(?:key|field|attribute|parameter|entry|setting)\b"
)


@check("unknown_key")
def unknown_key(case: Case) -> Answer:
    """A line that a claim names reads an absent key where following the code fails on it."""
    if not _UNKNOWN_KEY.search(case.said) or case.claim.hedged or not case.claim.own.lines:
        return None
    for path, first, last in case.claim.own.lines:
        for start, problem in case.facts.hydra.problems:
            line = problem.span.line
            if (
                problem.kind is not ProblemKind.MISSING_KEY
                or line is None
                or path not in (None, problem.span.file)
            ):
                continue
            if first <= line <= last and (path or problem.span.file in case.claim.files):
                told = (
                    f"{problem.span} ends in {problem.error} for {code(start.command, 100)}:"
                    f" {problem.message}"
                )
                return confirmed(told, problem.span)
    return None
