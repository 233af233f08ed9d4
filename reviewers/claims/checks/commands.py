"""Claims about how commands are called and what is installed: the CLI contract, pyproject.toml,
dependencies.
"""

import ast
import re
from collections.abc import Iterator

from packaging.utils import canonicalize_name

from reviewers.claims.certificates import Certificate
from reviewers.claims.checks.base import (
    Answer,
    Case,
    check,
    code,
    confirmed,
    join,
    partly,
    refuted,
    remark,
)
from reviewers.facts.distributions import distribution_of
from reviewers.facts.python_file import PythonFile
from reviewers.records import Span

_EVALUATE = "src/evaluate.py"
_POSITIONAL = re.compile(
    r"\bpositional|\bliteral(?:ly)?\b|\bsingle (?:\w+"
    r" )?(?:strings?|tokens?|words?)\b|\bargparse\b|\bcli "
    r"(?:contract|mismatch|interface|violation)|\brequired cli|\bcommand[- ]line"
    r" (?:interface|contract)|"
    r"\bjson\.loads\b.*\bfail|\bkey[-= ]?value\b.*\b(?:not|parsed|fail|instead)\b|\bdoes not"
    r" (?:accept|support|"
    r"parse)\b"
)
_WRONG_END = re.compile(
    r"unrecogni[sz]ed arguments|too many arguments|too few arguments|embedded|paths?"
    r" (?:will|would|is|are)|created with|silently"
)
_OTHER_COMMAND = re.compile(r"\bhydra cli\b|\bsrc\.(?:main|train)\b|\bmain\.py\b|\btrain\.py\b")


@check("cli_contract")
def cli_contract(case: Case) -> Answer:
    """The documented call passes key=value words; a positional argument of argparse receives the
    whole word.
    """
    if not _POSITIONAL.search(case.said) or case.claim.hedged or _OTHER_COMMAND.search(case.said):
        return None
    if re.search(
        r"\b(?:spec|specification|task-spec|requirements?) (?:cli )?(?:is|says|requires)\b",
        case.said,
    ):
        return None
    files = dict(case.python(_EVALUATE))
    file = files.get(_EVALUATE)
    if file is None or file.tree is None:
        return None
    positionals = list(_positionals(file))
    if not positionals:
        return _no_positionals(case, file)
    lines = [line for _, line in positionals]
    names = join([code(name) for name, _ in positionals])
    span = Span(_EVALUATE, min(lines), max(lines))
    what = (
        f"{_EVALUATE} takes {names} as {'a positional' if len(lines) == 1 else 'positionals'} (line"
        f" {min(lines)}), so the documented word `results_dir=…` arrives whole"
    )
    return partly(what, span) if _WRONG_END.search(case.said) else confirmed(what, span)


def _positionals(file: PythonFile) -> Iterator[tuple[str, int]]:
    for call in file.calls_of(".add_argument"):
        first = call.node.args[0] if call.node.args else None
        if (
            isinstance(first, ast.Constant)
            and isinstance(first.value, str)
            and not first.value.startswith("-")
        ):
            yield first.value, call.line


def _no_positionals(case: Case, file: PythonFile) -> Answer:
    if not re.search(r"\bpositional", case.said) or re.search(r"\bsys\.argv\b", file.text):
        return None
    if _NO_POSITIONAL.search(case.said):
        return None  # that is just what it says
    flags = list(file.calls_of(".add_argument"))
    if flags:
        return remark(
            f"{_EVALUATE} defines no positional argument: every `add_argument` from line"
            f" {flags[0].line} on names an option",
            Span(_EVALUATE, flags[0].line),
        )
    reader = next(iter(file.calls_of("omegaconf.OmegaConf.from_cli")), None)
    if reader is None:
        return None
    return refuted(
        case,
        Certificate.TAKES_WORDS,
        f"{_EVALUATE} defines no positional argument: it reads key=value words with "
        f"{code(reader.name or '')} on line {reader.line}",
        Span(_EVALUATE, reader.line),
        files=(_EVALUATE,),
        covers=lambda piece: _OF_COMMAND.fullmatch(piece) is not None,
    )


_NO_POSITIONAL = re.compile(
    r"(?:\b(?:no|not|never|without|neither|nor|cannot|instead of|rather than)|n't)\b"
    r"(?:\W+(?!but\b|and\b|instead\b)\w+){0,5}?\W+positional"
)
_OF_COMMAND = re.compile(
    r"(?:results_dir|run_ids)(?:=.*)?|key=value|argparse(?:\.ArgumentParser(?:\(\))?)?|"
    r"(?:parser\.)?add_argument(?:\(.*\))?|argumentparser"
)


_INVALID = re.compile(
    r"\binvalid\b|\bpep ?621\b|\bcannot be (?:parsed|installed|built)\b|\brejected\b|\bnot (?:a"
    r" )?valid\b|"
    r"\bmust be an? (?:array|list)\b|\b(?:as|is|in) a (?:toml"
    r" )?table\b|\breject(?:s|ed)?\b|\bmalformed\b|"
    r"\bfails? to install\b|\binstead of (?:a|an) "
    r"(?:list|array)\b"
)


_OF_PROJECT = re.compile(r"pyproject|\bproject\.dependencies\b")
_VALID = re.compile(
    r"\binvalid\b|\bcannot be parsed\b|\bpep ?621\b|\bmalformed\b|\b(?:as|is|in) a (?:toml"
    r" )?table\b"
)


@check("packaging")
def packaging(case: Case) -> Answer:
    """pyproject.toml is valid exactly where an installer would take it."""
    if not _INVALID.search(case.said) or not _OF_PROJECT.search(
        " ".join((case.said, *case.claim.before[-1:], *case.claim.under)).casefold()
    ):
        return None
    text = case.facts.text("pyproject.toml")
    if text is None or not text.strip():
        return None
    stops = [problem for problem in case.facts.packaging.problems if problem.stops_install]
    if stops:
        return confirmed(stops[0].message, Span("pyproject.toml", stops[0].line))
    if "table" in case.said and not re.search(r"^dependencies\s*=\s*\[", text, re.MULTILINE):
        return None
    if not case.facts.packaging.problems and _VALID.search(case.said):
        return remark(
            "pyproject.toml is valid TOML and follows PEP 621 (validate-pyproject finds nothing)",
            Span("pyproject.toml"),
        )
    return None


_UNDECLARED = re.compile(
    r"\b(?:not|n't|missing|lacks?|lacking|without|absent|undeclared|never|no)\b.*\b(?:list\w*|declar\w+|"
    r"dependenc\w+|pyproject|includ\w+|requirements)\b|\b(?:pyproject|dependenc\w+)\b.*\b(?:not|missing|misses|lacks?|"
    r"absent|omits?|undeclared|without)\b|\bundeclared\b|\bwithout `?pip install"
)
_WORD = re.compile(r"[A-Za-z][\w.-]*", re.ASCII)


@check("dependency")
def dependency(case: Case) -> Answer:
    """A distribution is missing from pyproject.toml where that does not name it."""
    text = case.facts.text("pyproject.toml")
    if not text or not _UNDECLARED.search(case.said):
        return None
    declared = {entry.name: entry.line for entry in case.facts.packaging.declared}
    if not declared:
        return None
    asked = list(dict.fromkeys(_distributions(case)))
    if not asked:
        return None
    gone = [name for name in asked if name not in declared]
    there = [name for name in asked if name in declared]
    if gone and there:
        return partly(
            f"pyproject.toml declares {join(there)}, but not {join(gone)}",
            Span("pyproject.toml", declared[there[0]]),
        )
    if there:
        return remark(
            f"pyproject.toml declares {join(there)}", Span("pyproject.toml", declared[there[0]])
        )
    used = next(
        (
            (path, item)
            for path, file in case.facts.python.items()
            for item in file.imports
            if distribution_of(item.module.partition(".")[0]) == gone[0]
        ),
        None,
    )
    if used is None:
        return partly(
            f"pyproject.toml does not declare {join(gone)}, but no file imports it",
            Span("pyproject.toml"),
        )
    return confirmed(
        f"{used[0]}:{used[1].line} imports {used[1].module}, and pyproject.toml does not declare"
        f" {join(gone)}",
        Span(used[0], used[1].line),
    )


def _distributions(case: Case) -> Iterator[str]:
    """The distributions that the claim names, as module or as distribution."""
    words = case.said
    if case.claim.points_back and case.claim.before:
        words = f"{case.claim.before[-1]} {words}"
    for match in _WORD.finditer(words):
        word = match.group().strip(".").casefold()
        if word in _NO_DISTRIBUTION:
            continue
        name = distribution_of(word)
        if name is None and word in (canonicalize_name(word), "sklearn", "pyyaml"):
            name = word if distribution_of(word.replace("-", "_")) else None
        if name is not None:
            yield name


_NO_DISTRIBUTION = frozenset(
    [
        "evaluate.py",
        "evaluate",
        "packaging",
        "setuptools",
        "build",
        "src",
        "project",
        "requests_cache",
        "test",
        "click",
    ]
)
