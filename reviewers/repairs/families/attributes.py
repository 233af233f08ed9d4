"""Repairs of attributes that the objects of libraries do not have."""

import ast
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.access import places
from reviewers.repairs.base import Proposal, repairs, stated
from reviewers.repairs.edits import PythonEdits
from reviewers.repairs.renamed import renamed


@repairs("IM11")
def other_attribute(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """What the object has in place of the attribute, wherever the finding is."""
    name = stated(finding, "library_has", "name")
    if finding.span is None or finding.span.file not in facts.python:
        return
    code = PythonEdits(facts, finding.span.file)
    lines = {each.line for each in places(finding)}
    table = renamed()["attributes"]
    edits: list[Edit] = []
    shown = ""
    for node in code.file.of(ast.Attribute):
        owner, _, attribute = name.rpartition(".")
        is_meant = node.lineno in lines and node.attr == attribute
        if not is_meant or owner not in facts.library_types.of(code.file, node.value):
            continue
        around = code.file.parents.get(node)
        called = around if isinstance(around, ast.Call) and around.func is node else None
        is_bare = called is not None and not (called.args or called.keywords)
        whole = table.get(f"{name}()") if is_bare else None
        written = whole or table.get(name)
        if written is None:
            return
        shown = written.removeprefix("{}")
        place = called if whole and called is not None else node
        edits.append(code.put(place, written.replace("{}", code.text_of(node.value))))
    if edits:
        yield Proposal(f"Write {shown} for .{name.rpartition('.')[2]}", tuple(edits))
