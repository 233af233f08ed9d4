"""Repairs of what a struct configuration refuses: merges, writes, and words for a process."""

import ast
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from omegaconf import DictConfig

from reviewers.facts import Facts
from reviewers.facts.config_flow import ProblemKind
from reviewers.facts.config_flow.access import read_path
from reviewers.facts.origins import Placed
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import Function
from reviewers.facts.start import Start
from reviewers.offers import Edit
from reviewers.records import Finding, Span
from reviewers.repairs.access import access, is_moved, path_below, places
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import CannotEdit, PythonEdits
from reviewers.repairs.meant import clearly_meant
from reviewers.repairs.paths import alternatives
from reviewers.repairs.run_files import RunFiles
from reviewers.rules.hydra_problems import certain, has, word_passed

_DEEPEST = 3  # functions that call each other

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


@repairs("HY05")
def forbid_after_write(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Writing forbidden only behind the last write of the function that forbids it."""
    spans = places(finding)
    for path in dict.fromkeys(each.file for each in spans if each.file in facts.python):
        code = PythonEdits(facts, path)
        for call in code.file.calls_of("omegaconf.OmegaConf.set_readonly"):
            closing = code.statement(call.node)
            block = _block(code, closing)
            behind = block[block.index(closing) + 1 :] if closing in block else []
            held = [
                each
                for each in behind
                if _is_at(facts, code, each, spans)
                or _calls(facts, code, each, ("update", "merge_with"))
            ]
            if held and held[-1] is not behind[-1]:
                edits = tuple(_moved_behind(code, closing, held[-1]))
                yield Proposal("Forbid changes only when all is written", edits)
            elif held:
                told = "Do not forbid the changes, which are made to the end"
                yield Proposal(told, (code.without(closing),))


@repairs("HY05", "HY10")
def write_after_merge(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """What needs the run file's keys, behind the statement that merges it."""
    use = RunFiles.of(facts)
    for entry in use.entries:
        code = PythonEdits(facts, entry.path)
        body = code.file.functions[entry.function].body
        names = ("merge", "unsafe_merge", "merge_with")
        merges = [each for each in body if _calls(facts, code, each, names)]
        for merge in merges[-1:]:
            early = [
                each
                for each in body[: body.index(merge)]
                if _is_at(facts, code, each, places(finding)) and not _binds(each)
            ]
            # In their order, at one place.
            edits = [edit for each in early for edit in _moved_behind(code, each, merge)]
            made = "".join(each.text for each in edits)
            kept = [replace(each, text=made) for each in edits if each.text][:1]
            if early:
                told = "Change what the run's file says only when it is merged"
                yield Proposal(told, (*(each for each in edits if not each.text), *kept))


def _moved_behind(code: PythonEdits, statement: ast.stmt, other: ast.stmt) -> Iterator[Edit]:
    gone = code.without(statement)
    yield gone
    yield replace(code.after(other, "pass"), text=code.file.text[gone.start : gone.end])


def _block(code: PythonEdits, statement: ast.stmt) -> list[ast.stmt]:
    """The statements among which one stands."""
    around = code.file.parents.get(statement)
    blocks = (getattr(around, name, None) for name in ("body", "orelse", "finalbody"))
    return next((each for each in blocks if isinstance(each, list) and statement in each), [])


def _parts(
    facts: Facts, file: PythonFile, statement: ast.stmt, depth: int = _DEEPEST
) -> Iterator[tuple[PythonFile, ast.stmt]]:
    """A statement, and the functions of the submission that it calls."""
    yield file, statement
    for node in ast.walk(statement) if depth else ():
        target = facts.local_code.target(file, node) if isinstance(node, ast.Call) else None
        if target is not None:
            yield from _parts(facts, target.file, target.function, depth - 1)


def _is_at(facts: Facts, code: PythonEdits, statement: ast.stmt, spans: Sequence[Span]) -> bool:
    """Whether some place is in a statement, or in a function that it calls."""
    return any(
        file.path == span.file and each.lineno <= (span.line or 0) <= (each.end_lineno or 0)
        for file, each in _parts(facts, code.file, statement)
        for span in spans
    )


def _calls(facts: Facts, code: PythonEdits, statement: ast.stmt, names: Container[str]) -> bool:
    """Whether a statement, or a function that it calls, calls some method."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in names
        for _, each in _parts(facts, code.file, statement)
        for node in ast.walk(each)
    )


def _binds(statement: ast.stmt) -> bool:
    """Whether a statement gives names their values, which what follows may need."""
    return any(
        isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        for node in ast.walk(statement)
    )


@repairs("HY03", "HY05", "HY07")
def add_words(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """`++` before each word for a process whose key the configuration does not have, unless it has
    one that is clearly meant; no `+` before one that it has.
    """
    edits: dict[Edit, None] = {}
    said: dict[str, None] = {}
    told = (
        "without +, since their keys are there",
        "by the names of the configuration",
        "with ++, which adds the keys that the configuration lacks",
    )
    spans = places(finding)
    for start in facts.hydra.starts:
        for problem in start.refused:
            word = problem.word or ""
            key = word.partition("=")[0]
            passed = word_passed(facts, start, word) if word else None
            config = start.config
            if passed not in spans or config is None or _is_choice(facts, start, word):
                continue
            section, dot, name = key.rpartition(".")
            held = read_path(config, section, None) if section else config
            there = {str(each) for each in held} - {name} if isinstance(held, DictConfig) else set()
            group = next((each for each in facts.hydra.groups if has(start, f"{each}.{key}")), "")
            if group:
                to, as_meant = f"{group}.{key}", told[1]
            elif key.startswith("+"):
                to, as_meant = key[1:], told[0]
            elif other := clearly_meant(name, dict.fromkeys(sorted(there), 0.0)):
                to, as_meant = f"{section}{dot}{other}", told[1]
            else:
                to, as_meant = f"++{key}", told[2]
            said[as_meant] = None
            edits.update(dict.fromkeys(_spelled(facts, passed, key, to)))
    if edits:
        yield Proposal(f"Pass the overrides {' and '.join(said)}", tuple(edits))


def _is_choice(facts: Facts, start: Start, word: str) -> bool:
    """Whether a word is, or should be, a choice of the run's file, or lies in a section that only
    such a choice makes: nothing is to be added then.
    """
    key, _, value = word.partition("=")
    top = key.partition(".")[0]
    groups = {path.split("/")[-2] for path in facts.hydra.yaml_files if path.count("/") > 1}
    held = read_path(start.config, top, None) if start.config is not None else None
    if key == word or key.startswith(("++", "~")):
        return True
    if key == top:
        return top in groups or value == start.run_id
    return top in groups and not isinstance(held, DictConfig)


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
                yield _Change(statement, _first_of(code, owner))
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


def _first_of(code: PythonEdits, owner: ast.expr) -> ast.expr:
    """What is merged into, if need be the first of a list: only that one refuses keys."""
    if not isinstance(owner, ast.Starred):
        return owner
    listed = owner.value
    made = (code.file.only_value(listed) if isinstance(listed, ast.Name) else None) or listed
    if isinstance(made, ast.List | ast.Tuple) and made.elts:
        return _first_of(code, made.elts[0])
    raise CannotEdit("it is not seen what is merged")


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
            # All that a run file has is merged in this way; which keys it has is not data.
            if isinstance(change.owner, ast.Name) and _is_copied(facts, code, change, around):
                return True
            if isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute):
                over = over.func.value
            told = [each.node for each in alternatives(facts, Placed(code.file, over))]
            return bool(told) and all(
                isinstance(each, ast.Dict | ast.List | ast.Tuple)
                and all(map(_is_key, each.keys if isinstance(each, ast.Dict) else each.elts))
                for each in told
            )
    return False


def _is_copied(facts: Facts, code: PythonEdits, change: _Change, loop: ast.For) -> bool:
    """Whether a loop copies a file that is loaded, each of its keys under its own name."""
    target, over = change.target, loop.iter
    key = target.args[1] if isinstance(target, ast.Call) else getattr(target, "slice", None)
    if isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute) and not over.args:
        over = over.func.value
    match loop.target:
        case ast.Tuple(elts=[name, value]):
            given = ast.unparse(value)
        case name:
            given = f"{ast.unparse(over)}[{ast.unparse(name)}]"
    told = [each.node for each in alternatives(facts, Placed(code.file, over))]
    is_loaded = bool(told) and all(
        isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and each.func.attr in ("load", "safe_load")
        for each in told
    )
    pairs = ((key, ast.unparse(name)), (change.value, given))
    return is_loaded and all(one is not None and ast.unparse(one) == other for one, other in pairs)


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
    if kind is not ProblemKind.MERGE and is_moved(facts, finding):
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
        at = _out_of_loops(code, _before_all(code, statements), text)
        yield code.before(at, f"{module}.set_struct({text}, False)")


def _out_of_loops(code: PythonEdits, statement: ast.stmt, held: str) -> ast.stmt:
    """The outermost loop around a statement that does not itself make what is held."""
    for around in code.file.ancestors(statement):
        if isinstance(around, Function):
            break
        if isinstance(around, ast.For | ast.While):
            bound = {
                each.id
                for each in ast.walk(around)
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            }
            if held.partition(".")[0].partition("[")[0] in bound:
                break
            statement = around
    return statement


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


def _spelled(facts: Facts, span: Span, key: str, other: str) -> Iterator[Edit]:
    """Another key in the text that has one."""
    code = PythonEdits(facts, span.file)
    for node in code.file.of(ast.Constant, ast.JoinedStr):
        around = code.file.parents.get(node)
        if isinstance(around, ast.JoinedStr) or not span.is_near(Span(span.file, node.lineno)):
            continue
        start, _ = code.span(node)
        text = code.text_of(node)
        at = text.find(f"{key}=")
        if at > 0 and not (text[at - 1].isalnum() or text[at - 1] in "._+~"):
            yield Edit(code.path, start + at, start + at + len(key), other)
