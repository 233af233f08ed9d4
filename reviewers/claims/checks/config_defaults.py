"""Claims that code asks the wrong section for a setting, so that its default always holds; where
keys and data come to lie.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, join, remark
from reviewers.facts.python_file import Function, PythonFile
from reviewers.records import Span

_MAIN = "config/config.yaml"


@dataclass(frozen=True, slots=True)
class _Get:
    """A `section.get("key", default)`, the function that has it, the call it is an argument of, and
    the sections it may be.
    """

    key: str
    span: Span
    function: str
    callee: str
    sections: tuple[str, ...]


_LOOKS = re.compile(
    r"\b(?:looks? (?:for|up)|search(?:es)?"
    r" (?:for)?|reads?|expects?|takes?|queries)\b[^.;]*\b(?:in|from|"
    r"under)\b[^.;]{0,12}?\bcfg\.(?P<section>[a-z_]\w*)"
)


@check("looks_in_section")
def looks_in_section(case: Case) -> Answer:
    """A function looks in a section where each of its calls is given that section of the
    configuration.
    """
    match = _LOOKS.search(case.said)
    if match is None or case.claim.hedged or case.denies:
        return None
    named = {name.rpartition(".")[2] for name in case.claim.own.names}
    found = [
        get for get in _gets(case) if get.function in named and get.sections == (match["section"],)
    ]
    if not found or f"cfg.{match['section']}." in case.said:
        return None
    keys = join([code(get.key) for get in found])
    return confirmed(
        f"{found[0].span} asks `cfg.{match['section']}` for {keys}, which is what"
        f" {found[0].function} is called with",
        found[0].span,
    )


_DEFAULTS = re.compile(
    r"\b(?:always|only|never|silently)\b[^.;]*\bdefaults?\b|\bdefaults?\b[^.;]*\b(?:always|instead of|"  # noqa: E501
    r"rather than)\b|\bfalls? back to\b[^.;]*\bdefaults?\b"
)


@check("always_default")
def always_default(case: Case) -> Answer:
    """A default always holds where the key asked for lies in other sections of the configuration
    only.
    """
    if not _DEFAULTS.search(case.said) or case.claim.hedged:
        return None
    near = (case.claim.own, *(case.claim.around[:2] if case.claim.points_back else ()))
    named = {
        part
        for about in near
        for text in (*about.names, *about.quotes)
        for part in re.findall(r"\w+", text)
    }
    words = set(re.findall(r"[A-Za-z_]\w+", case.claim.text))
    keys = case.search.config
    for get in _gets(case):
        if get.callee.rpartition(".")[2] not in words and get.key not in words | named:
            continue
        places = [
            (path, key)
            for path in (*keys.runs, _MAIN)
            if path in keys.values
            for key in keys.paths(path)
            if key.rpartition(".")[2] == get.key and "search_space" not in key
        ]
        if (
            places
            and get.sections
            and not any(
                key == f"{section}.{get.key}" for _, key in places for section in get.sections
            )
        ):
            path, key = places[0]
            asked = join([code(f"cfg.{each}") for each in get.sections])
            told = (
                f"{get.span} asks {asked} for {code(get.key)}; {keys.line(path, key)} has it as"
                f" {code(key)}"
            )
            return confirmed(told, get.span)
    return None


def _gets(case: Case) -> Iterator[_Get]:
    for path, file in case.facts.python.items():
        for name, function in file.functions.items():
            for node in ast.walk(function):
                if (
                    not isinstance(node, ast.Call)
                    or not isinstance(node.func, ast.Attribute)
                    or node.func.attr != "get"
                ):
                    continue
                if (
                    len(node.args) != 2
                    or not isinstance(node.args[0], ast.Constant)
                    or not isinstance(node.func.value, ast.Name)
                ):
                    continue
                last = name.rpartition(".")[2]
                sections = tuple(
                    sorted(set(_sections(case, file, function, last, node.func.value.id)))
                )
                callee = next(
                    (
                        ast.unparse(above.func)
                        for above in file.ancestors(node)
                        if isinstance(above, ast.Call)
                    ),
                    "",
                )
                yield _Get(str(node.args[0].value), Span(path, node.lineno), last, callee, sections)


_SECTION = re.compile(r"cfg\.([a-z_]\w*)")


def _sections(
    case: Case, file: PythonFile, function: Function, name: str, variable: str
) -> Iterator[str]:
    """The sections of the configuration that a variable of a function stands for."""
    for value in _assigned(function, variable):
        if match := _SECTION.fullmatch(ast.unparse(value)):
            yield match[1]
    parameters = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    if variable not in parameters:
        return
    place = parameters.index(variable)
    for other in case.facts.python.values():
        for call in other.calls:
            if (
                not isinstance(call.node.func, ast.Name)
                or call.node.func.id != name
                or len(call.node.args) <= place
            ):
                continue
            given = call.node.args[place]
            around = next(
                (above for above in other.ancestors(call.node) if isinstance(above, Function)), None
            )
            values = (
                [given]
                if not isinstance(given, ast.Name)
                else _assigned(around, given.id)
                if around
                else []
            )
            yield from (
                match[1] for value in values if (match := _SECTION.fullmatch(ast.unparse(value)))
            )


def _assigned(function: Function, variable: str) -> list[ast.expr]:
    return [
        node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and any(isinstance(each, ast.Name) and each.id == variable for each in node.targets)
    ]


_AT_TOP = re.compile(r"\b(?:root|top)[- ]level\b|\bat the (?:root|top)\b")
_RUN_FIELDS = re.compile(
    r"\brun[- ]specific (?:fields|keys|values|settings)\b|\b(?:fields|keys|contents) of the"
    r" run\b|\brun (?:fields|"
    r"keys|ya?mls?|configs?|files?)\b"
)


@check("run_fields_at_top")
def run_fields_at_top(case: Case) -> Answer:
    """The run file's keys come to lie under their group, unless the file says `# @package
    _global_`.
    """
    if (
        not _AT_TOP.search(case.said)
        or not _RUN_FIELDS.search(case.said)
        or case.claim.hedged
        or case.denies
    ):
        return None
    if not re.search(r"\b(?:merg|add|compos|plac|land|lie|end)\w*\b", case.said):
        return None
    finding = next((each for each in case.found if each.rule == "HY04"), None)
    group = next(
        (name for name in case.search.config.defaults or () if name in ("run", "runs")), None
    )
    if finding is not None and group is not None:
        return remark(f"{finding.message} ({finding.span})", finding.span)
    files = [run.file for run in case.facts.submission.runs]
    if (
        group is not None
        and files
        and all(file.text.lstrip().startswith("# @package _global_") for file in files)
    ):
        return confirmed(f"{files[0].path}:1 says `# @package _global_`", Span(files[0].path, 1))
    return None


_DOWNLOADS = re.compile(
    r"\btorchvision\b[^;]*\bdefault\b[^;]*(?:\bcache\b|\bdirector|\bfolder\b)|"
    r"\bdefault\b[^;]*\btorchvision\b[^;]*(?:\bcache\b|\bdirector)"
)


@check("torchvision_root")
def torchvision_root(case: Case) -> Answer:
    """torchvision's data sets have no default folder: each is loaded into the `root` that its call
    gives.
    """
    if not _DOWNLOADS.search(case.said) or case.claim.hedged:
        return None
    calls = [
        (path, call)
        for path, file in case.facts.python.items()
        for call in file.calls
        if (call.name or "").startswith("torchvision.datasets.")
    ]
    roots = [
        (path, call, call.keyword("root") or (call.node.args[0] if call.node.args else None))
        for path, call in calls
    ]
    if not roots or any(root is None for _, _, root in roots):
        return None
    path, call, root = roots[0]
    shown = ast.unparse(root) if root is not None else ""
    return (
        None
        if ".cache" in shown
        else remark(f"{path}:{call.line} gives root={code(shown)}", Span(path, call.line))
    )
