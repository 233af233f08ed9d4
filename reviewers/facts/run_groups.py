"""The groups into which evaluate.py sorts the runs: collections that it fills by a test on the
run id.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reviewers.facts.python_file import PythonFile
from reviewers.steps import fact

_RUN_NAMES = frozenset({"rid", "run_id", "runid", "r_id"})
_RUBRIC_WORDS = re.compile(r"['\"](proposed|baseline|comparative)['\"]")
_SAME_TEXT = frozenset({"lower", "strip", "casefold"})
Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


@dataclass(frozen=True, slots=True)
class Group:
    """A collection with one item for each run that passes a test.

    Attributes:
        name: the name or `groups['proposed']`-like expression that holds it; empty for one that is
            used on the spot.
        test: the condition, as written.
        run_ids: the given runs that pass.
    """

    name: str
    scope: str
    test: str
    run_ids: tuple[str, ...]


class RunGroups:
    """The groups of one file.

    Args:
        run_ids: the given runs.
    """

    def __init__(self, file: PythonFile, run_ids: tuple[str, ...]) -> None:
        self._file = file
        self._run_ids = run_ids

    @fact
    def found(self) -> tuple[Group, ...]:
        """Every group whose test is understood for each run."""
        if not self._run_ids:
            return ()
        return tuple(self._groups())

    @fact
    def _by_name(self) -> Mapping[tuple[str, str], list[Group]]:
        named: dict[tuple[str, str], list[Group]] = {}
        for group in self.found:
            if group.name:
                named.setdefault((group.scope, group.name), []).append(group)
        return named

    def held_by(self, node: ast.expr) -> Group | None:
        """The one group that an expression holds; None if it holds none, or several fill it."""
        match node:
            case ast.Call(func=ast.Name(id="list" | "sorted" | "tuple"), args=[inner]):
                return self.held_by(inner)
            case ast.Call(
                func=ast.Attribute(attr="values" | "items" | "keys", value=inner), args=[]
            ):
                return self.held_by(inner)
            case ast.Call(func=ast.Attribute(attr="array" | "asarray"), args=[inner, *_]):
                return self.held_by(inner)
        groups = self._by_name.get((self._file.scope_at(node.lineno), ast.unparse(node)), [])
        return groups[0] if len(groups) == 1 else None

    def _groups(self) -> Iterator[Group]:
        for node in self._file.nodes:
            if (
                isinstance(node, Comprehension)
                and len(node.generators) == 1
                and node.generators[0].ifs
            ):
                loop = node.generators[0]
                test: ast.expr = (
                    ast.BoolOp(ast.And(), loop.ifs) if len(loop.ifs) > 1 else loop.ifs[0]
                )
                yield from self._group(self._holder(node), node, test, loop)
            elif (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "append"
            ):
                yield from self._added(node, node.func.value)

    def _holder(self, node: ast.expr) -> str:
        parent = self._file.parents.get(node)
        if isinstance(parent, ast.Call) and ast.unparse(parent.func) in (
            "list",
            "dict",
            "sorted",
            "np.array",
        ):
            parent = self._file.parents.get(parent)
        return (
            ast.unparse(parent.targets[0])
            if isinstance(parent, ast.Assign) and len(parent.targets) == 1
            else ""
        )

    def _added(self, call: ast.Call, owner: ast.expr) -> Iterator[Group]:
        """`for rid in run_ids: if "proposed" in rid: values.append(…)`."""
        tests: list[ast.expr] = []
        child: ast.AST = call
        for around in self._file.ancestors(call):
            if isinstance(around, ast.If):
                # An `elif` is in its `if`'s else branch, and holds where that does not.
                tests.append(
                    around.test if child in around.body else ast.UnaryOp(ast.Not(), around.test)
                )
            elif isinstance(around, ast.For):
                if tests:
                    yield from self._group(
                        ast.unparse(owner), call, ast.BoolOp(ast.And(), tests), around
                    )
                return
            elif not isinstance(around, ast.stmt) or isinstance(around, ast.FunctionDef):
                return
            child = around

    def _group(
        self, name: str, node: ast.expr, test: ast.expr, loop: ast.For | ast.comprehension
    ) -> Iterator[Group]:
        target = loop.target
        first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else target
        text = ast.unparse(loop.iter)
        over_runs = text.endswith("run_ids") or any(
            text in (known, f"{known}.items()") for known in self._per_run
        )
        words = ast.unparse(test)
        if isinstance(first, ast.Name):
            is_of_runs = over_runs or first.id in _RUN_NAMES or _RUBRIC_WORDS.search(words)
            if is_of_runs and (passing := self._passing(test, first.id)) is not None:
                yield Group(name, self._file.scope_at(node.lineno), words, passing)

    @fact
    def _per_run(self) -> frozenset[str]:
        """Names of dictionaries whose keys are run ids: they are filled by `values[run_id] = …`."""
        return frozenset(
            target.value.id
            for node in self._file.of(ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
            if isinstance(target.slice, ast.Name) and target.slice.id in _RUN_NAMES
        )

    def _passing(self, test: ast.expr, variable: str) -> tuple[str, ...] | None:
        told = [(run_id, _holds(test, variable, run_id)) for run_id in self._run_ids]
        if any(holds is None for _, holds in told):
            return None
        return tuple(run_id for run_id, holds in told if holds)


def _holds(test: ast.expr, variable: str, run_id: str) -> bool | None:
    """Whether a condition on the text of a run id holds; None if it is about something else."""
    match test:
        case ast.BoolOp(op=op, values=values):
            told = [_holds(part, variable, run_id) for part in values]
            decided = isinstance(op, ast.Or)  # one `True` decides an `or`, one `False` an `and`
            if decided in told:
                return decided
            return None if None in told else not decided
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = _holds(operand, variable, run_id)
            return None if inner is None else not inner
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[right]):
            word, text = _literal(left), _text(right, variable, run_id)
            return (
                None if word is None or text is None else (word in text) is isinstance(op, ast.In)
            )
        case ast.Call(
            func=ast.Attribute(value=owner, attr="startswith" | "endswith" as method), args=[given]
        ):
            text = _text(owner, variable, run_id)
            words = (
                [_literal(part) for part in given.elts]
                if isinstance(given, ast.Tuple)
                else [_literal(given)]
            )
            known = [word for word in words if word is not None]
            if text is None or len(known) < len(words):
                return None
            return any(
                text.startswith(word) if method == "startswith" else text.endswith(word)
                for word in known
            )
        case ast.Call(
            func=ast.Name(id="any" | "all" as which),
            args=[ast.GeneratorExp() | ast.ListComp() as inner],
        ):
            return _any_holds(inner, which, variable, run_id)
    return None


def _any_holds(
    inner: ast.GeneratorExp | ast.ListComp, which: str, variable: str, run_id: str
) -> bool | None:
    """`any(word in run_id for word in ("baseline", "comparative"))`."""
    loop = inner.generators[0]
    match inner.elt, loop.iter:
        case (
            ast.Compare(left=ast.Name(id=word), ops=[ast.In()], comparators=[right]),
            ast.List() | ast.Tuple() | ast.Set(),
        ):
            text = _text(right, variable, run_id)
            words = [_literal(part) for part in getattr(loop.iter, "elts", ())]
            if (
                text is None
                or None in words
                or ast.unparse(loop.target) != word
                or loop.ifs
                or len(inner.generators) > 1
            ):
                return None
            told = [item in text for item in words if item is not None]
            return any(told) if which == "any" else all(told)
    return None


def _literal(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _text(node: ast.expr, variable: str, run_id: str) -> str | None:
    match node:
        case ast.Name(id=name) if name == variable:
            return run_id
        case ast.Call(func=ast.Attribute(value=inner, attr=method), args=[]) if (
            method in _SAME_TEXT
        ):
            text = _text(inner, variable, run_id)
            return None if text is None else text.casefold() if method != "strip" else text.strip()
        case ast.Call(func=ast.Name(id="str"), args=[inner]):
            return _text(inner, variable, run_id)
    return None
