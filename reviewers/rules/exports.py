"""Rules for criterion 8, the independent evaluation: what it writes, and whether that can be
written.
"""

import ast
from collections.abc import Iterator

from reviewers.facts import Facts, PythonFile
from reviewers.facts.config_flow.library_values import GIVES
from reviewers.facts.python_file import Call
from reviewers.facts.value_flow import ValueFlow
from reviewers.records import Span
from reviewers.rules.base import Flag, again, rule

_REFUSES = "TypeError: Object of type {} is not JSON serializable"


@rule(
    id="EV31",
    category="evaluation-incomplete",
    severity="blocker",
    stops="TypeError",
    summary="the summary of a run is written as JSON with WandB's own objects in it",
    needs=("commands.evaluate",),
    example="""
          === src/evaluate.py
          import json

          import wandb

          def export(path, folder):
              run = wandb.Api().run(path)
        -     summary = dict(run.summary)  # flag: EV31
        +     summary = dict(run.summary._json_dict)
              (folder / "metrics.json").write_text(json.dumps({"summary": summary}))
    """,
)
def live_summary_dumped(facts: Facts) -> Iterator[Flag]:
    """`dict(run.summary)` wraps every nested entry in a SummarySubDict; every run has one, `_wandb`
    (wandb 0.31).
    """
    file = facts.python.get(facts.evaluator)
    if file is None or ".summary" not in file.text:
        return
    flow = ValueFlow(file, is_summary, whole=True)
    done: set[int] = set()
    for call in _dumps(file):
        origin = flow.origin(call.node.args[0])
        if origin is not None and origin.lineno not in done:
            done.add(origin.lineno)
            kind = "HTTPSummary" if isinstance(origin, ast.Attribute) else "SummarySubDict"
            yield Flag(
                Span(file.path, origin.lineno, origin.end_lineno),
                f"`{ast.unparse(origin)}` goes to {call.name} with WandB's own objects in it:"
                f" {_REFUSES.format(kind)}; take `run.summary._json_dict`",
                f"{file.path}:{call.line} writes it without default=",
                names=(ast.unparse(origin), call.name, _REFUSES.format(kind)),
            )


def _dumps(file: PythonFile) -> Iterator[Call]:
    """The calls that write JSON and do not say what to do with other objects."""
    for call in file.calls_of("json.dump", "json.dumps"):
        told = any(keyword.arg in ("default", "cls", None) for keyword in call.node.keywords)
        caught = any(
            isinstance(around, ast.Try) and around.handlers for around in file.ancestors(call.node)
        )
        if call.node.args and not told and not caught:
            yield call


def is_summary(node: ast.expr) -> bool:
    """Whether it is a run's summary, or a mapping with all that it has."""
    match node:
        case ast.Call(func=ast.Name(id="dict"), args=[held], keywords=[]):
            return _is_live(held)
        case ast.DictComp(
            key=ast.Name(id=key),
            value=ast.Name(id=value),
            generators=[
                ast.comprehension(
                    target=ast.Tuple(elts=[ast.Name(id=of), ast.Name(id=to)]), iter=held, ifs=[]
                )
            ],
        ):
            return (key, value) == (of, to) and _is_live(held)
        case ast.Dict(keys=keys, values=values):
            spread = (value for key, value in zip(keys, values, strict=True) if key is None)
            return any(_is_live(each) for each in spread)
    return _is_live(node) and isinstance(node, ast.Attribute)


def _is_live(node: ast.expr) -> bool:
    """Whether it is a run's own summary, or goes through what that has."""
    match node:
        case ast.Call(func=ast.Attribute(attr="items", value=held), args=[], keywords=[]):
            return isinstance(held, ast.Attribute) and _is_live(held)
        case ast.Attribute(attr="summary", value=ast.Name(), ctx=ast.Load()):
            return True
    return False


@rule(
    id="EV32",
    category="evaluation-incomplete",
    severity="blocker",
    stops="TypeError",
    summary="a NumPy value that JSON does not support is written as JSON",
    needs=("commands.evaluate",),
    example="""
          === src/evaluate.py
          import json

          from scipy.stats import ttest_ind

          def compare(ours, theirs, path):
              statistic, p_value = ttest_ind(ours, theirs)
        -     result = {"p_value": float(p_value), "significant": p_value < 0.05}  # flag: EV32
        +     result = {"p_value": float(p_value), "significant": bool(p_value < 0.05)}
              path.write_text(json.dumps(result))
    """,
)
def numpy_value_dumped(facts: Facts) -> Iterator[Flag]:
    """JSON accepts a NumPy float, which is a Python float, but neither an array, nor a NumPy
    integer, nor a NumPy bool.
    """
    file = facts.python.get(facts.evaluator)
    if file is None or "json" not in file.text:
        return
    flow = ValueFlow(file, lambda node: bool(refused_type(file, node)), whole=True)
    # What a run is seen to come to is told by IM27.
    refused = (problem for problem in facts.data_problems if problem.cause == "json")
    followed = {(span.file, span.line) for problem in refused for span in problem.spans}
    done: set[int] = set()
    for call in _dumps(file) if flow.sources else ():
        origin = flow.origin(call.node.args[0])
        is_followed = (file.path, call.line) in followed
        if origin is not None and origin.lineno not in done and not is_followed:
            done.add(origin.lineno)
            kind = refused_type(file, origin)
            made = {"bool": "bool(…)", "int64": "int(…)"}.get(kind)
            yield Flag(
                Span(file.path, origin.lineno, origin.end_lineno),
                f"`{ast.unparse(origin)[:60]}` is a NumPy {kind}, and {call.name} stops with"
                f" {_REFUSES.format(kind)};"
                f" {f'wrap it in {made}' if made else 'write its .tolist()'}",
                places=again([Span(file.path, call.line)]),
                names=(ast.unparse(origin)[:60], call.name, _REFUSES.format(kind)),
            )


_FILLED = frozenset({"numpy.linspace", "numpy.ones", "numpy.zeros"})
_FRAMES = frozenset({"dropna", "fillna", "head", "sort_values", "tail"})


def refused_type(file: PythonFile, node: ast.expr) -> str:
    """The type of a NumPy value that JSON does not take; empty if it is none for certain."""
    if _is_numpy_truth(file, node):
        return "bool"
    match node:
        case ast.Call(args=args, keywords=words):
            name = file.resolve(node.func) or ""
            entry = GIVES.get(name, {})
            if name in _FILLED or entry.get("kind") == "array":
                changed = {word.arg for word in words} & {None, *entry.get("without", ())}
                return "" if changed else "ndarray"
            is_number = entry.get("kind") == "numpy.int64" and len(args) == 1
            counts = name == "numpy.sum" and len(args) == 1 and isinstance(args[0], ast.Compare)
            return "int64" if (is_number or counts) and not words else ""
        case ast.Attribute(attr="values", value=owner, ctx=ast.Load()):
            around = file.parents.get(node)
            is_called = isinstance(around, ast.Call) and around.func is node
            is_frame = isinstance(owner, ast.Call) and (
                isinstance(owner.func, ast.Attribute) and owner.func.attr in _FRAMES
            )
            return "ndarray" if is_frame and not is_called else ""
    return ""


def _is_numpy_truth(file: PythonFile, node: ast.expr) -> bool:
    match node:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Lt() | ast.LtE()], comparators=[_]):
            return isinstance(file.parents.get(node), ast.Dict | ast.Assign) and _from_scipy(
                file, name, file.scope_at(node.lineno)
            )
    return False


def _from_scipy(file: PythonFile, name: str, scope: str) -> bool:
    """Whether a name is only ever unpacked from a test of scipy in its function."""
    bound = [
        node
        for node in file.of(ast.Name)
        if node.id == name
        and isinstance(node.ctx, ast.Store)
        and file.scope_at(node.lineno) == scope
    ]
    for place in bound:
        around = file.parents.get(place)
        statement = file.parents.get(around) if isinstance(around, ast.Tuple) else None
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
            return False
        if not (file.resolve(statement.value.func) or "").startswith("scipy.stats."):
            return False
    return bool(bound)
