"""Claims that a file does not parse: Python itself decides."""

import platform
import re

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
from reviewers.claims.tokens import unescape
from reviewers.facts.parsing import while_nobody_parses
from reviewers.facts.python_file import PythonFile
from reviewers.records import Span

_ESCAPE = re.compile(r"-\s*(?:\\+u[0-9a-fA-F]{4}|\\+>|\x03e|›|&gt;)|-\s+>|\\+u00[0-9a-fA-F]{2}")
_EVERY = re.compile(
    r"\b(?:every|all|each|any|none of the|no) (?:\w+ )?(?:files?|modules?|type[-"
    r" ]hints?|functions?|signatures?)\b"
)
_MENTIONS = re.compile(
    r"syntax|pars(?:e|able|ing)|compil|indent|unmatched|unterminated|unclosed|unbalanced|arrow|annotation|->|"
    r"\\u00|-\\|valid python|\btoken|typo|\bstray\b|\btruncated\b"
)
_CUT_OFF = re.compile(r"\btruncated\b|\bcut off\b")
_LINES_AFTER = 2
_YAML_OR_TOML = (".yaml", ".yml", ".toml")


@check("syntax")
def syntax(case: Case) -> Answer:
    """A file that parses has no syntax error, whatever a reviewer read in its prompt."""
    if not _MENTIONS.search(case.said) or any(
        path.endswith(_YAML_OR_TOML) for path in case.claim.own.files
    ):
        return None
    named = [] if _EVERY.search(case.said) and not case.claim.own.files else case.python()
    files = [(path, file) for path, file in named or case.facts.python.items() if file.text.strip()]
    if not files or case.claim.own.absent_files:
        return None
    near = (*case.claim.before, *(claim.text for claim, _ in case.earlier))
    escape = _ESCAPE.search(case.claim.text) or next(
        (match for words in near if (match := _ESCAPE.search(words))), None
    )
    version = ".".join(platform.python_version_tuple()[:2])
    broken = [(path, problem) for path, file in files if (problem := _problem(file)) is not None]
    if broken:
        path, (line, message) = broken[0]
        what = f"{path} does not parse with Python {version}: {message} on line {line}"
        span = Span(path, line)
        if _CUT_OFF.search(case.said) and not _at_end(case, path, line):
            return None
        if escape or (named and len(broken) < len(files)):
            return partly(f"{what}{_elsewhere(files, broken)}", span)
        return confirmed(what, span)
    paths = [path for path, _ in files]
    parses = f"{join(paths)} {'parses' if len(paths) == 1 else 'all parse'} with Python {version}"
    if escape is None:
        if _CUT_OFF.search(case.said):
            return None
        return _refuted(case, Certificate.PARSES, parses, _place(case, paths), paths)
    return _artifact(case, paths, parses, escape.group())


@check("arrow")
def arrow(case: Case) -> Answer:
    """A claim of whatever kind that quotes an escape of the prompt as code is one about syntax."""
    return (
        syntax(case)
        if _ESCAPE.search(case.claim.text)
        and re.search(r"\barrow|\bdash\b|\btoken\b|->", case.said)
        else None
    )


def _at_end(case: Case, path: str, line: int) -> bool:
    """Whether nothing but blank lines and a few others follow the line at which a file stops being
    Python.
    """
    return sum(bool(text.strip()) for text in case.facts.lines(path)[line:]) <= _LINES_AFTER


def _artifact(case: Case, paths: list[str], parses: str, escape: str) -> Answer:
    """The reviewer read an escape of its own prompt as code: say what stands there instead."""
    meant = unescape(escape).replace(" ", "").replace("›", ">").replace("&gt;", ">")
    quote = next((quote for quote in case.claim.quotes if _ESCAPE.search(quote)), "")
    hit = case.search.quoted(unescape(quote), paths) if quote else None
    span = (
        hit.span if hit else next((found.span for found in case.search.quote(meant, paths)), None)
    )
    stands = any(escape in (case.facts.text(path) or "") for path in case.search.paths)
    if stands:
        return remark(f"{parses}; {code(escape)} stands only where Python allows it", span)
    where = f" on line {span.line} of {span.file}" if span else ""
    origin = (
        "the JSON escape of"
        if "\\u" in escape
        else (
            "a broken escape of"
            if "\\" in escape or "\x03" in escape
            else "how the reviewer's prompt showed"
        )
    )
    told = f"{parses}; the text {code(escape)} stands in no file"
    if span is None:
        return remark(told)
    told += f": it is {origin} {code(meant)}{where}"
    return _refuted(case, Certificate.ONLY_IN_PROMPT, told, span, paths)


_BAD_SYNTAX = re.compile(
    r"syntax ?error|indentation ?error|syntactically (?:invalid|incorrect|wrong)|"
    r"\b(?:invalid|incorrect|wrong|bad|illegal) (?:python )?syntax|"
    r"\bsyntax\b.{0,30}\b(?:invalid|incorrect|wrong)|"
    r"\b(?:not|isn't|in)(?: syntactically)? ?valid\b.{0,20}\bpython"
)
_UNREADABLE = re.compile(
    r"\b(?:not|cannot|fails? to)(?: be)? (?:pars|compil)\w*|\b(?:un|non-?)parse?able"
)


def _refuted(
    case: Case, certificate: Certificate, told: str, span: Span | None, paths: list[str]
) -> Answer:
    """Refute a claim that says of code in these files that Python cannot read it, or that quotes
    what no file has.
    """
    says = _ESCAPE.search(case.claim.text) or _BAD_SYNTAX.search(case.said)
    if not says and (case.claim.own.names or not _UNREADABLE.search(case.said)):
        return remark(told, span)

    def covers(piece: str) -> bool:
        defined = any(piece in case.facts.python[path].functions for path in paths)
        escaped = piece == "->" or _ESCAPE.search(piece) is not None  # or what is meant by it
        return defined or escaped or _is_code(case, piece, paths)

    return refuted(case, certificate, told, span, files=paths, covers=covers)


def _is_code(case: Case, piece: str, paths: list[str]) -> bool:
    """Whether a piece of code stands in a file outside every text in it; a name alone may be that
    of what is read or parsed there.
    """
    if piece.replace(".", "").isidentifier():
        return False
    hit = case.search.quoted(piece, paths)
    if hit is None or hit.span.line is None:
        return False
    last = hit.span.end_line or hit.span.line
    return not any(
        piece in text.value and text.line <= last and hit.span.line <= text.end_line
        for text in case.facts.python[hit.span.file].strings
    )


def _problem(file: PythonFile) -> tuple[int, str] | None:
    """Line and message of what keeps a file from being compiled; some errors only show after
    parsing.
    """
    if file.syntax_error is not None:
        return file.syntax_error.line, file.syntax_error.message
    if file.tree is None:
        return None
    try:
        while_nobody_parses(lambda: compile(file.text, file.path, "exec", dont_inherit=True))
    except SyntaxError as error:
        return error.lineno or 1, error.msg
    except (ValueError, RecursionError, MemoryError):
        return None
    return None


def _elsewhere(
    files: list[tuple[str, PythonFile]], broken: list[tuple[str, tuple[int, str]]]
) -> str:
    fine = [path for path, _ in files if path not in dict(broken)]
    return f"; {join(fine)} {'does' if len(fine) == 1 else 'do'}" if fine else ""


def _place(case: Case, paths: list[str]) -> Span | None:
    hit = next(
        (hit for quote in case.claim.quotes if (hit := case.search.quoted(quote, paths))), None
    )
    return hit.span if hit else Span(paths[0]) if len(paths) == 1 else None
