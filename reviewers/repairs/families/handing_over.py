"""Repairs of functions that read from a section what only the whole configuration has."""

import ast
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.python_nodes import Function, walk
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.access import access, reads
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import CannotEdit, PythonEdits
from reviewers.rules.hydra_problems import has


@repairs("HY02")
def handed_over(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The value as an argument of its own, from the callers, which have it."""
    key = (finding.names[0] if finding.names else "").rpartition(".")[2]
    if not any(has(start, key) for start in facts.hydra.starts):
        return
    done: set[Function] = set()
    edits: list[Edit] = []
    for code, node in reads(facts, finding, key):
        owner, _ = access(node)
        function = code.file.functions.get(code.file.scope_at(node.lineno))
        if function is None or not isinstance(owner, ast.Name) or function in done:
            continue
        if owner.id in [each.arg for each in function.args.args]:
            done.add(function)
            edits += _within(code, function, owner.id, key)
            edits += _from_callers(facts, function, key)
    if edits:
        names = ", ".join(each.name for each in done)
        yield Proposal(
            f"Pass {key} to {names}, whose section of the configuration lacks it", tuple(edits)
        )


def _within(code: PythonEdits, function: Function, owner: str, key: str) -> Iterator[Edit]:
    """The argument, and its reads in place of those of the section."""
    given = function.args
    taken = {each.arg for each in walk(function) if isinstance(each, ast.arg)}
    taken |= {each.id for each in walk(function) if isinstance(each, ast.Name)}
    if key in taken or not key.isidentifier():
        raise CannotEdit("the name is taken")
    if given.kwonlyargs or given.vararg or given.kwarg:
        raise CannotEdit("its arguments have another form")
    last = (given.defaults or given.args)[-1]
    yield code.argument_behind(last, f"*, {key}" if given.defaults else key)
    for node in walk(function):
        match access(node):
            case ast.Name(id=name), read if (name, read) == (owner, key):
                if not isinstance(node, ast.Attribute | ast.Subscript):
                    raise CannotEdit("the key is asked for")
                if isinstance(node.ctx, ast.Load):
                    yield code.put(node, key)


def _from_callers(facts: Facts, function: Function, key: str) -> Iterator[Edit]:
    sites = facts.local_code.sites.get(function, ())
    if not sites:
        raise CannotEdit("no call is seen")
    for file, call, _ in sites:
        code = PythonEdits(facts, file.path)
        yield code.keyword(call.node, key, _value(code, call.node, key))


def _value(code: PythonEdits, call: ast.Call, key: str) -> str:
    """How the function around a call has the value: by its name, or as a key of a configuration."""
    around = code.file.functions.get(code.file.scope_at(call.lineno)) or code.file.tree
    nodes = [*walk(around)] if around is not None else []
    there = {each.arg for each in nodes if isinstance(each, ast.arg)}
    there |= {
        each.id
        for each in nodes
        if isinstance(each, ast.Name)
        and isinstance(each.ctx, ast.Store)
        and each.lineno < call.lineno
    }
    if key in there:
        return key
    for node in nodes:
        owner, read = access(node)
        if read == key and isinstance(owner, ast.Name) and owner.id in there:
            return f"{owner.id}.{key}"
    raise CannotEdit("a caller does not have the value")
