"""Repairs of where Hydra, and the processes that it starts, run."""

import ast
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import PythonEdits


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


def _decorated(facts: Facts, path: str, line: int, name: str, value: str) -> Iterator[Edit]:
    code = PythonEdits(facts, path)
    for function in code.file.functions.values():
        for decorator in function.decorator_list:
            if isinstance(decorator, ast.Call) and decorator.lineno == line:
                yield code.keyword(decorator, name, value)
