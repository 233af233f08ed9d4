"""Repairs of where Hydra, and the processes that it starts, run, and where files are looked for."""

import ast
import posixpath
import re
from collections.abc import Iterator, Sequence

from reviewers.facts import Facts, yaml_config
from reviewers.facts.origins import Placed
from reviewers.facts.python_file import PythonFile
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
        for edit in _decorated(facts, entry.path, entry.span.line or 0, "version_base", '"1.3"')
    ]
    if edits:
        yield Proposal(
            'Give @hydra.main version_base="1.3", with which Hydra stays in the project\'s folder',
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
        for edit in _decorated(facts, entry.path, entry.span.line or 0, "config_name", '"config"')
    ]
    if edits:
        yield Proposal('Give @hydra.main config_name="config"', tuple(edits))


@repairs("HY08", "HY12")
def start_in_the_project(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The process that is started gets the folder of the start."""
    edits: list[Edit] = []
    for span in (finding.span, *(each.span for each in finding.places)):
        file = facts.python.get(span.file) if span else None
        for call in file.calls if file and span else ():
            is_start = (call.name or "").startswith("subprocess.")
            if is_start and span and span.line == call.line and call.keyword("cwd") is None:
                code = PythonEdits(facts, span.file)
                name, imports = code.imported("hydra.utils", "get_original_cwd")
                edits += [*imports, code.keyword(call.node, "cwd", f"{name}()")]
    if edits:
        yield Proposal("Start the process in the project's folder", tuple(dict.fromkeys(edits)))


@repairs("HY03")
def name_the_place(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The folder and the name of the configuration in each decorator that names another one."""
    lost = [
        each for each in facts.hydra.entry_points.values() if facts.text(each.config_file) is None
    ]
    if not any(each.span.file == place.file for each in lost for place in places(finding)):
        return
    there = [
        facts.contract.files.config,
        *(e.config_file for e in facts.hydra.entry_points.values()),
    ]
    there += [
        path
        for path in facts.hydra.yaml_files
        if yaml_config.line_of(facts.text(path) or "", "defaults")
    ]
    for main in dict.fromkeys(path for path in there if path and facts.text(path) is not None):
        folder, _, name = main.rpartition("/")
        edits: list[Edit] = []
        for entry in lost:
            above = posixpath.relpath(folder or ".", posixpath.dirname(entry.path) or ".")
            told = {"config_name": name.removesuffix(".yaml")}
            if entry.folder != folder:
                told = {"config_path": above, **told}
            for key, value in told.items():
                edits += _decorated(facts, entry.path, entry.span.line or 0, key, f'"{value}"')
        yield Proposal(f"Tell Hydra that the configuration is {main}", tuple(edits))


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


def _meant(facts: Facts, parts: Sequence[paths.Part]) -> tuple[str, str] | None:
    """The only folder with a file of such a name, or that of the runs, and its ending where it has
    another one; None where the file is there, or where the path is not known.
    """
    names = [each.text for each in parts]
    if not names or names[0] in (HOLE, "") or "." not in names[-1]:
        return None
    there = list(facts.submission.by_path)
    if any(map(paths.pattern_of(parts).fullmatch, there)):
        return None
    runs = {posixpath.dirname(run.file.path) for run in facts.runs}
    stem, _, had = names[-1].rpartition(".")
    for ending in (had, *_SAME_ENDINGS.get(had, ())):
        last = re.compile(".*".join(map(re.escape, f"{stem}.{ending}".split(HOLE))))
        named = [path for path in there if last.fullmatch(posixpath.basename(path))]
        found = {posixpath.dirname(path) for path in named}
        found = found & runs if HOLE in names[-1] else found
        if found:
            other = "" if ending == had else ending
            return (found.pop(), other) if len(found) == 1 else None
    return None


def _decorated(facts: Facts, path: str, line: int, name: str, value: str) -> Iterator[Edit]:
    """A value for an argument of a decorator; where it is a name, for what that stands for."""
    code = PythonEdits(facts, path)
    for function in code.file.functions.values():
        for decorator in function.decorator_list:
            if not isinstance(decorator, ast.Call) or decorator.lineno != line:
                continue
            given = dict(zip(("config_path", "config_name"), decorator.args, strict=False))
            given |= {each.arg: each.value for each in decorator.keywords if each.arg}
            told = [Placed(code.file, given[name])] if name in given else []
            told = [one for each in told for one in paths.alternatives(facts, each)]
            if not told:
                yield code.keyword(decorator, name, value)
            for one in told:
                if not isinstance(one.node, ast.Constant) or repr(one.node.value) != repr(
                    ast.literal_eval(value)
                ):
                    yield PythonEdits(facts, one.file.path).put(one.node, value)
