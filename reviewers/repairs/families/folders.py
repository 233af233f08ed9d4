"""Repairs of where Hydra, and the processes that it starts, run, and where files are looked for."""

import ast
import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewers.facts import Facts, yaml_config
from reviewers.facts.entry_points import EntryPoint
from reviewers.facts.origins import Placed
from reviewers.facts.python_file import PythonFile, template
from reviewers.facts.templates import HOLE
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs import paths
from reviewers.repairs.access import places
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import PythonEdits

_SAME_ENDINGS = {"yml": ("yaml",), "yaml": ("yml",)}


@repairs("HY08", "HY09", "HY12", "RC08")
def keep_the_folder(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Hydra stays in the folder of the start, as since 1.2."""
    edits = [
        edit
        for entry in facts.hydra.entry_points.values()
        if entry.changes_directory
        for edit in _decorated(facts, entry, "version_base", '"1.3"')
    ]
    if edits:
        yield Proposal(
            'Pass version_base="1.3" to @hydra.main, so that Hydra keeps the working directory',
            tuple(edits),
            "relative paths then start at the project, not in outputs/…",
        )


@repairs("HY07")
def name_the_configuration(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The configuration by its name in each decorator that has none."""
    edits = [
        edit
        for entry in facts.hydra.entry_points.values()
        if entry.is_nameless and facts.text(entry.config_file) is not None
        for edit in _decorated(facts, entry, "config_name", '"config"')
    ]
    if edits:
        yield Proposal('Pass config_name="config" to @hydra.main', tuple(edits))


@repairs("HY08", "HY12")
def start_in_the_project(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The process that is started gets the folder of the start."""
    edits: list[Edit] = []
    for span in places(finding):
        file = facts.python.get(span.file)
        for call in file.calls if file else ():
            is_start = (call.name or "").startswith("subprocess.")
            if is_start and span.line == call.line and call.keyword("cwd") is None:
                code = PythonEdits(facts, span.file)
                name, imports = code.imported("hydra.utils", "get_original_cwd")
                edits += [*imports, code.keyword(call.node, "cwd", f"{name}()")]
    if edits:
        yield Proposal("Start the process in the project's folder", tuple(dict.fromkeys(edits)))


@repairs("HY03", "RC09")
def name_the_place(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The folder and the name of the configuration wherever Hydra is told another one."""
    told = list(_told(facts))
    files = {each.file for each in places(finding)}
    lost = [each for each in told if facts.text(each.path) is None and each.file.path in files]
    there = [facts.contract.files.config or "", *(each.path for each in told)]
    there += [
        path
        for path in facts.hydra.yaml_files
        if yaml_config.line_of(facts.text(path) or "", "defaults")
    ]
    for main in dict.fromkeys(path for path in there if facts.text(path) is not None and lost):
        folder, name = posixpath.split(main.removesuffix(".yaml"))
        edits: list[Edit] = []
        for each in lost:
            start = posixpath.dirname(each.file.path)
            above = posixpath.relpath(folder or ".", start or ".")
            if posixpath.dirname(each.path) != folder:
                edits += _argument(facts, each.file, each.by_folder, "config_path", f'"{above}"')
            if posixpath.basename(each.path) != f"{name}.yaml":
                edits += _argument(facts, each.file, each.by_name, "config_name", f'"{name}"')
        yield Proposal(f"Tell Hydra that the configuration is {main}", tuple(edits))


@dataclass(frozen=True, slots=True)
class _NamedPlace:
    """What tells Hydra where the configuration is: `@hydra.main`, or `initialize` and `compose`.

    Attributes:
        path: the file that is named.
        by_folder, by_name: the calls that name its folder and itself.
    """

    file: PythonFile
    path: str
    by_folder: ast.Call
    by_name: ast.Call


def _told(facts: Facts) -> Iterator[_NamedPlace]:
    for entry in facts.hydra.entry_points.values():
        file = facts.python[entry.path]
        if (call := _decorator(file, entry)) is not None:
            yield _NamedPlace(file, entry.config_file, call, call)
    for file in facts.python.values():
        for by_folder in file.calls_of("hydra.initialize"):
            for by_name in file.calls_of("hydra.compose"):
                given = [by_folder.keyword("config_path"), *by_folder.node.args[:1]]
                named = [by_name.keyword("config_name"), *by_name.node.args[:1]]
                folder, name = (next((template(e) for e in one if e), "") for one in (given, named))
                start = posixpath.join(posixpath.dirname(file.path), folder, name)
                path = f"{posixpath.normpath(start).removesuffix('.yaml')}.yaml"
                if name and "{}" not in path:
                    yield _NamedPlace(file, path, by_folder.node, by_name.node)


@repairs("HY09", "RC08")
def look_where_it_lies(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The folder of a file that the submission has elsewhere than the code looks for it."""
    edits: dict[Edit, None] = {}
    meant: dict[str, None] = {}
    for place in places(finding):
        file = facts.python.get(place.file)
        if file is None or place.line is None:
            continue
        statement = PythonEdits(facts, place.file).statement_at(place.line)
        around = (statement, *file.ancestors(statement))
        tests = [each.test for each in around if isinstance(each, ast.If | ast.Assert)]
        for node in (node for each in (statement, *tests) for node in ast.walk(each)):
            if not isinstance(node, ast.expr) or _is_a_part(file, node):
                continue
            for one in paths.alternatives(facts, Placed(file, node)):
                parts = paths.spelled(facts, one)
                if (told := _meant(facts, parts)) is not None:
                    meant["/".join(filter(None, told))] = None
                    edits.update(dict.fromkeys(paths.moved(facts, parts, *told)))
    if edits:
        where = ", ".join(meant)
        is_value = any(not each.path.endswith(".py") for each in edits)
        yield Proposal(
            f"Look for the file where it lies, in {where}",
            tuple(edits),
            asks=f"Is the folder that {where} shows the one that is meant?" if is_value else "",
            choice=where if is_value else "",
        )


def _is_a_part(file: PythonFile, node: ast.expr) -> bool:
    """Whether an expression is only a part of a path."""
    match file.parents.get(node):
        case ast.BinOp() | ast.JoinedStr() | ast.FormattedValue():
            return True
        case ast.Call(func=func) as call:
            joins = isinstance(func, ast.Attribute) and func.attr in ("join", "joinpath", "Path")
            return len(call.args) > 1 and joins
    return False


def _meant(facts: Facts, parts: Sequence[paths.PathPart]) -> tuple[str, str] | None:
    """The only folder with a file of such a name, or that of the runs, and its ending where it has
    another one; None where the file is there, or where the path is not known.
    """
    *folders, name = [each.text for each in paths.normal(parts)] or [""]
    is_elsewhere = HOLE in folders[:1] or (parts[0].text == "" and parts[0].at is not None)
    if name in ("", HOLE) or "." not in name or is_elsewhere:
        return None
    stem, _, had = name.rpartition(".")
    runs = [run.file.path for run in facts.runs]
    there = runs if HOLE in stem else [*facts.submission.by_path]
    held = paths.pattern("/".join([*filter(None, folders), name]))
    if any(map(held.fullmatch, there)):
        return None
    for ending in (had, *_SAME_ENDINGS.get(had, ())):
        last = paths.pattern(f"{stem}.{ending}")
        found = {
            posixpath.dirname(each) for each in there if last.fullmatch(posixpath.basename(each))
        }
        if found:
            other = "" if ending == had else ending
            return (found.pop(), other) if len(found) == 1 else None
    return None


def _decorator(file: PythonFile, entry: EntryPoint) -> ast.Call | None:
    for decorator in file.functions[entry.function].decorator_list:
        if isinstance(decorator, ast.Call) and decorator.lineno == entry.span.line:
            return decorator
    return None


def _decorated(facts: Facts, entry: EntryPoint, name: str, value: str) -> Iterator[Edit]:
    file = facts.python[entry.path]
    if (call := _decorator(file, entry)) is not None:
        yield from _argument(facts, file, call, name, value)


def _argument(
    facts: Facts, file: PythonFile, call: ast.Call, name: str, value: str
) -> Iterator[Edit]:
    """Another value for an argument; where it is a name, for what that stands for."""
    order = ("config_path", "config_name") if name != "config_name" or _is_main(file, call) else ()
    given = dict(zip(order or ("config_name",), call.args, strict=False))
    given |= {each.arg: each.value for each in call.keywords if each.arg}
    if name not in given:
        yield PythonEdits(facts, file.path).keyword(call, name, value)
        return
    for one in paths.alternatives(facts, Placed(file, given[name])):
        yield PythonEdits(facts, one.file.path).put(one.node, value)


def _is_main(file: PythonFile, call: ast.Call) -> bool:
    return (file.resolve(call.func) or "").startswith("hydra.main")
