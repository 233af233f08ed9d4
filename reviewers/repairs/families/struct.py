"""Repairs of what a struct configuration refuses: merges, writes, and words for a process."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from reviewers.facts import Facts
from reviewers.facts.config_flow import ProblemKind
from reviewers.facts.origins import Placed
from reviewers.offers import Edit
from reviewers.records import Finding, Span
from reviewers.repairs.access import access, is_moved, path_below, places
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import CannotEdit, PythonEdits
from reviewers.repairs.paths import alternatives
from reviewers.rules.hydra_problems import certain, word_passed

_OPEN = "the configuration then takes any key, misspelt ones too"


@repairs("HY01")
def open_before_merge(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Struct mode off before the merge, for the configuration that Hydra passes."""
    edits = [
        edit
        for code, changes in _by_function(facts, finding, ProblemKind.MERGE)
        for edit in _opened(facts, code, changes)
    ]
    yield Proposal(
        "Turn struct mode off before the run file is merged",
        tuple(dict.fromkeys(edits)),
        _OPEN,
    )


@repairs("HY05")
def open_before_write(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Struct mode off before the first write of each function, or each write as an update that
    makes the key.
    """
    opened: list[Edit] = []
    forced: list[Edit] = []
    are_updates = True
    for code, changes in _by_function(facts, finding, ProblemKind.REJECTED_WRITE):
        if not all(_is_spelled(facts, code, each) for each in changes):
            raise CannotEdit("the key comes from data, which may name another one than is meant")
        opened += _opened(facts, code, changes)
        for each in changes:
            forced += _updated(facts, code, each)
            call = each.target.func if isinstance(each.target, ast.Call) else None
            name = code.file.resolve(call) if call is not None else ""
            are_updates &= (name or "").endswith("OmegaConf.update")
    opening = Proposal(
        "Turn struct mode off before the keys are written", tuple(dict.fromkeys(opened)), _OPEN
    )
    forcing = Proposal(
        "Write the keys with OmegaConf.update(…, force_add=True)",
        tuple(dict.fromkeys(forced)),
        "struct mode stays on for everything else",
    )
    ways = [forcing, opening] if are_updates else [opening, forcing]
    yield from ways if forced else [opening]


@repairs("HY03", "HY05", "HY07")
def add_words(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """`++` before each word for a process whose key the configuration does not have; Hydra takes
    no such word for a group.
    """
    edits: dict[Edit, None] = {}
    spans = places(finding)
    for start in facts.hydra.starts:
        for problem in start.refused:
            word = problem.word or ""
            key = word.partition("=")[0]
            passed = word_passed(facts, start, word) if word else None
            group = f"{start.entry.folder}/{key}/"
            is_group = any(path.startswith(group) for path in facts.hydra.yaml_files)
            if passed in spans and key != word and not (key.startswith(("+", "~")) or is_group):
                edits.update(dict.fromkeys(_plus(facts, passed, key)))
    if edits:
        yield Proposal(
            "Pass the overrides with ++, which adds the keys that the configuration lacks",
            tuple(edits),
        )


@dataclass(frozen=True, slots=True)
class _Change:
    """What changes a configuration.

    Attributes:
        owner: the configuration, or the section, that is changed.
        target: what is written there, such as `cfg.training.rate`; None for a merge.
        is_spelled: whether the code itself says which key it is.
        value: what is written; None where it is made of what was there.
    """

    statement: ast.stmt
    owner: ast.expr
    target: ast.expr | None = None
    is_spelled: bool = True
    value: ast.expr | None = None


def _changes(code: PythonEdits, statement: ast.stmt) -> Iterator[_Change]:
    """What a statement changes in configurations, whatever it looks like."""
    match statement:
        case ast.Assign(targets=targets, value=given):
            for target in targets:
                yield from _written(statement, target, given if len(targets) == 1 else None)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield from _written(statement, target, value)
        case ast.AugAssign(target=target) | ast.Delete(targets=[target]):
            yield from _written(statement, target, None)
    for node in ast.walk(statement):
        if isinstance(node, ast.Call):
            yield from _called(code, statement, node)


def _called(code: PythonEdits, statement: ast.stmt, call: ast.Call) -> Iterator[_Change]:
    match call:
        case ast.Call(func=ast.Attribute(attr=name), args=[owner, *rest]) if (
            code.file.resolve(call.func) or ""
        ).endswith(f"OmegaConf.{name}"):
            if name in ("merge", "unsafe_merge"):
                yield _Change(statement, owner)
            elif name == "update" and len(rest) in (1, 2):
                written = rest[1] if len(rest) > 1 else None
                yield _Change(statement, owner, call, _is_text(rest[0]), written)
        case (
            ast.Call(func=ast.Name(id="setattr"), args=[owner, key, value])
            | ast.Call(
                func=ast.Attribute(value=owner, attr="__setitem__" | "__setattr__" | "setdefault"),
                args=[key, value],
            )
        ):
            yield _Change(statement, owner, call, _is_text(key), value)
        case ast.Call(func=ast.Attribute(value=owner, attr="pop"), args=[key, *_]):
            yield _Change(statement, owner, call, _is_text(key))
        case ast.Call(func=ast.Attribute(value=owner, attr="merge_with" | "update")):
            yield _Change(statement, owner)


def _is_update(code: PythonEdits, call: ast.Call) -> bool:
    return (code.file.resolve(call.func) or "").endswith("OmegaConf.update")


def _written(statement: ast.stmt, target: ast.expr, value: ast.expr | None) -> Iterator[_Change]:
    match target:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _written(statement, part, None)
        case ast.Attribute(value=owner):
            yield _Change(statement, owner, target, _are_texts(owner), value)
        case ast.Subscript(value=owner, slice=key):
            yield _Change(statement, owner, target, _is_text(key) and _are_texts(owner), value)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def _are_texts(node: ast.expr) -> bool:
    return all(_is_text(each.slice) for each in ast.walk(node) if isinstance(each, ast.Subscript))


def _is_spelled(facts: Facts, code: PythonEdits, change: _Change) -> bool:
    """Whether the code itself says which keys are written, if need be in what it loops over."""
    if change.is_spelled:
        return True
    target = change.target
    names = {each.id for each in ast.walk(target) if isinstance(each, ast.Name)} if target else ()
    for around in code.file.ancestors(change.statement):
        if isinstance(around, ast.For) and any(
            isinstance(each, ast.Name) and each.id in names for each in ast.walk(around.target)
        ):
            over = around.iter
            if isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute):
                over = over.func.value
            told = [each.node for each in alternatives(facts, Placed(code.file, over))]
            return bool(told) and all(
                isinstance(each, ast.Dict | ast.List | ast.Tuple)
                and all(map(_is_key, each.keys if isinstance(each, ast.Dict) else each.elts))
                for each in told
            )
    return False


def _is_key(node: ast.expr | None) -> bool:
    """Whether an item of what is looped over is, or begins with, a text."""
    first = node.elts[0] if isinstance(node, ast.Tuple | ast.List) and node.elts else node
    return isinstance(first, ast.Constant)


def _by_function(
    facts: Facts, finding: Finding, kind: ProblemKind
) -> Iterator[tuple[PythonEdits, list[_Change]]]:
    """What is refused at the places of a finding, by the function around it, in its order.

    Raises:
        CannotEdit: something is refused that no change is seen for, or its key lies under the group
            of the run files, so that it is read at the wrong place rather than missing.
    """
    if is_moved(facts, finding):
        raise CannotEdit("the keys lie under the group of the run files")
    found: dict[tuple[str, str], dict[ast.stmt, list[_Change]]] = {}
    for _, problem in certain(facts, kind):
        if not any(problem.span.is_near(span) for span in places(finding)):
            continue
        code = PythonEdits(facts, problem.span.file)
        statement = code.statement_at(problem.span.line or 1)
        seen = [
            each
            for each in _changes(code, statement)
            if (each.target is None) == (kind is ProblemKind.MERGE)
            and _root(facts, code, each.owner) is not None
        ]
        if not seen:
            raise CannotEdit("it is not seen what is changed")
        scope = code.file.scope_at(statement.lineno)
        found.setdefault((code.path, scope), {})[statement] = seen
    for (path, _), by_statement in found.items():
        in_order = sorted(by_statement, key=lambda each: each.lineno)
        yield PythonEdits(facts, path), [each for one in in_order for each in by_statement[one]]
    if not found:
        raise CannotEdit("nothing is refused here")


def _root(facts: Facts, code: PythonEdits, node: ast.expr) -> ast.expr | None:
    """The name of the whole configuration in an expression that is it, a section, or a copy."""
    reads = facts.config_reads
    root = None
    while True:
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and reads.sections(
            code.file, node
        ):
            root = node
        owner, _ = access(node)
        if isinstance(node, ast.Call) and owner is None:
            owner = next(iter(node.args), None)
        if owner is None:
            break
        node = owner
    if root is None and isinstance(node, ast.Name):
        return node
    return root


def _opened(facts: Facts, code: PythonEdits, changes: Sequence[_Change]) -> Iterator[Edit]:
    """Struct mode off before the first of some changes in a function, where all of them are
    behind it.
    """
    module, imports = code.imported("omegaconf", "OmegaConf")
    by_root: dict[str, list[ast.stmt]] = {}
    for each in changes:
        root = _root(facts, code, each.owner)
        held = each.owner if each.target is None and access(each.owner)[0] is not None else root
        if held is not None:
            by_root.setdefault(code.text_of(held), []).append(each.statement)
    yield from imports
    for text, statements in by_root.items():
        at = _before_all(code, statements)
        yield code.before(at, f"{module}.set_struct({text}, False)")


def _before_all(code: PythonEdits, statements: Sequence[ast.stmt]) -> ast.stmt:
    """The innermost statement that is, or holds, the first of some, in the block of all."""

    def blocks(statement: ast.stmt) -> dict[int, ast.stmt]:
        """The statement in each block around it, by the block."""
        around = (statement, *code.file.ancestors(statement))
        held: dict[int, ast.stmt] = {}
        for inner, outer in pairwise(around):
            for name in ("body", "orelse", "finalbody"):
                block = getattr(outer, name, None)
                if isinstance(block, list) and inner in block and isinstance(inner, ast.stmt):
                    held[id(block)] = inner
        return held

    first, *others = map(blocks, statements)
    return next(
        (each for block, each in first.items() if all(block in other for other in others)),
        statements[0],
    )


def _updated(facts: Facts, code: PythonEdits, change: _Change) -> Iterator[Edit]:
    """A plain write as an update that makes the key; an update with what lets it."""
    if isinstance(change.target, ast.Call) and _is_update(code, change.target):
        yield code.keyword(change.target, "force_add", "True")
        return
    root = _root(facts, code, change.owner)
    is_alone = isinstance(change.statement, ast.Assign) and change.value is not None
    path = path_below(change.target, root) if is_alone and change.target and root else ""
    if root is not None and change.value is not None and path.replace(".", "").isidentifier():
        module, imports = code.imported("omegaconf", "OmegaConf")
        yield from imports
        value = code.text_of(change.value)
        update = f'{module}.update({code.text_of(root)}, "{path}", {value}, force_add=True)'
        yield code.put(change.statement, update)


def _plus(facts: Facts, span: Span, key: str) -> Iterator[Edit]:
    """`++` before a key, in the text that has it."""
    code = PythonEdits(facts, span.file)
    for node in code.file.of(ast.Constant, ast.JoinedStr):
        around = code.file.parents.get(node)
        if isinstance(around, ast.JoinedStr) or not span.is_near(Span(span.file, node.lineno)):
            continue
        start, _ = code.span(node)
        text = code.text_of(node)
        at = text.find(f"{key}=")
        if at > 0 and not (text[at - 1].isalnum() or text[at - 1] in "._+~"):
            yield Edit(code.path, start + at, start + at, "++")
