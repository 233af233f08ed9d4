"""Repairs of what a struct configuration refuses: merges, writes, and words for a process."""

import ast
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.config_flow import ProblemKind
from reviewers.facts.python_nodes import root_of
from reviewers.offers import Edit
from reviewers.records import Finding, Span
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import CannotEdit, PythonEdits
from reviewers.rules.hydra_problems import certain, word_passed


@repairs("HY01")
def open_before_merge(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Struct mode off before the merge, for the configuration that Hydra passes."""
    edits: list[Edit] = []
    for span in dict.fromkeys(_met(facts, finding, ProblemKind.MERGE)):
        code = PythonEdits(facts, span.file)
        statement = code.statement_at(span.line or 1)
        merge = next(
            (
                node
                for node in ast.walk(statement)
                if isinstance(node, ast.Call) and node.args and _is_merge(code, node)
            ),
            None,
        )
        if merge is None:
            raise CannotEdit("no merge is seen")
        edits += _opened(code, statement, code.text_of(merge.args[0]))
    if edits:
        yield Proposal(
            "Turn struct mode off before the run file is merged",
            tuple(edits),
            "the configuration then takes any key, misspelt ones too",
        )


@repairs("HY05")
def open_before_write(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Struct mode off before the first write of each function, or each write as an update that
    makes the key.
    """
    opened: dict[tuple[str, str], Edit] = {}
    forced: list[Edit] = []
    imports: list[Edit] = []
    for span in sorted(set(_met(facts, finding, ProblemKind.REJECTED_WRITE)), key=str):
        code = PythonEdits(facts, span.file)
        statement = code.statement_at(span.line or 1)
        target = _written(statement)
        root = root_of(target) if target is not None else None
        if target is None or not isinstance(root, ast.Name):
            raise CannotEdit("the write has another form")
        if not _is_spelled(statement):
            raise CannotEdit("the key comes from data, which may name another one than is meant")
        scope = code.file.scope_at(statement.lineno)
        key = (span.file, scope)
        for edit in _opened(code, statement, root.id) if key not in opened else ():
            opened.setdefault(key, edit)
        path = code.text_of(target).removeprefix(f"{root.id}.")
        if isinstance(statement, ast.Assign) and path.replace(".", "").isidentifier():
            module, more = code.imported("omegaconf", "OmegaConf")
            imports += more
            value = code.text_of(statement.value)
            update = f'{module}.update({root.id}, "{path}", {value}, force_add=True)'
            forced.append(code.put(statement, update))
    if opened:
        yield Proposal("Turn struct mode off before the keys are written", tuple(opened.values()))
    if forced:
        yield Proposal(
            "Write the keys with OmegaConf.update(…, force_add=True)",
            (*dict.fromkeys(imports), *forced),
            "struct mode stays on for everything else",
        )


@repairs("HY03", "HY05", "HY07")
def add_words(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """`++` before each word for a process whose key the configuration does not have."""
    edits: dict[Edit, None] = {}
    spans = {place for place in (finding.span, *(each.span for each in finding.places)) if place}
    for start in facts.hydra.starts:
        for problem in start.refused:
            word = problem.word or ""
            passed = word_passed(facts, start, word) if word else None
            if passed in spans and "=" in word and not word.startswith(("+", "~")):
                edits.update(dict.fromkeys(_plus(facts, passed, word.partition("=")[0])))
    if edits:
        yield Proposal(
            "Pass the words with ++, which adds the keys that the configuration lacks",
            tuple(edits),
        )


def _met(facts: Facts, finding: Finding, kind: ProblemKind) -> Iterator[Span]:
    spans = [each for each in (finding.span, *(p.span for p in finding.places)) if each]
    for _, problem in certain(facts, kind):
        if any(problem.span.is_near(span) for span in spans):
            yield problem.span


def _is_merge(code: PythonEdits, call: ast.Call) -> bool:
    name = code.file.resolve(call.func) or ""
    return name.endswith(("OmegaConf.merge", "OmegaConf.unsafe_merge"))


def _opened(code: PythonEdits, statement: ast.stmt, name: str) -> Iterator[Edit]:
    module, imports = code.imported("omegaconf", "OmegaConf")
    yield from imports
    yield code.before(statement, f"{module}.set_struct({name}, False)")


def _written(statement: ast.stmt) -> ast.expr | None:
    """What a statement writes to a configuration."""
    match statement:
        case ast.Assign(targets=[target]) | ast.AugAssign(target=target):
            return target
        case ast.Expr(value=ast.Call(args=[target, *_])):
            return target
    return None


def _is_spelled(statement: ast.stmt) -> bool:
    """Whether the code itself says which key is written."""
    match statement:
        case ast.Expr(value=ast.Call(args=[_, key, *_])):
            return isinstance(key, ast.Constant)
        case ast.Assign(targets=[target]) | ast.AugAssign(target=target):
            return all(
                isinstance(part.slice, ast.Constant)
                for part in ast.walk(target)
                if isinstance(part, ast.Subscript)
            )
    return True


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
