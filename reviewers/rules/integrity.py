"""Rules on the integrity of results: numbers must come from what was run."""

import ast
import re
from collections.abc import Iterator

from reviewers.facts import Facts, PythonFile
from reviewers.facts.measurements import (
    entries,
    is_draw,
    is_gain,
    is_metric,
    is_setting,
    named,
    said_around,
    written_number,
)
from reviewers.facts.name_uses import NameUses
from reviewers.facts.python_file import Call
from reviewers.facts.python_nodes import walk
from reviewers.facts.value_flow import ValueFlow
from reviewers.records import Span
from reviewers.rules.base import Flag, rule

# Drawing at random is the method itself there, or says that it is.
_HONEST = re.compile(
    r"boot|perm|jitter|monte|null|resampl|surrogate|random|chance|init|noise|shuffl|augment|mask",
    re.IGNORECASE,
)
# Tests of a sample against a distribution may well draw the other one.
_DISTRIBUTION_TESTS = ("scipy.stats.ks_2samp", "scipy.stats.kstest", "scipy.stats.anderson_ksamp")


@rule(
    id="EV11",
    category="fabricated-or-invalid-result",
    severity="blocker",
    summary="a result is a random number",
    needs=("commands.*",),
    example="""
          === src/evaluate.py
          import json

          import numpy as np

        - def main(path):
        -     accuracy = 0.9 + np.random.normal(0, 0.01)  # flag: EV11
        -     path.write_text(json.dumps({"accuracy": accuracy}))
        + def bootstrap(values, path):
        +     means = [np.random.choice(values, len(values)).mean() for _ in range(1000)]
        +     path.write_text(json.dumps({"accuracy": list(np.percentile(means, [2.5, 97.5]))}))
    """,
)
def random_result(facts: Facts) -> Iterator[Flag]:
    """A number from a random generator says nothing about the method, whatever key it is stored
    under.
    """
    for path, file in facts.python.items():
        if "rand" not in file.text and "rng" not in file.text:
            continue
        flow = ValueFlow(
            file,
            lambda node, file=file: is_draw(file, node),  # type: ignore[misc]
            keyed=path == facts.evaluator,
        )
        if not flow.sources:
            continue
        seen: set[int] = set()
        for place, value, where in _outlets(facts, file):
            origin = flow.origin(value)
            if (
                origin is None
                or origin.lineno in seen
                or _HONEST.search(said_around(file, origin) + " " + place)
            ):
                continue
            seen.add(origin.lineno)
            yield Flag(
                Span(path, origin.lineno, origin.end_lineno),
                f"`{ast.unparse(origin)[:60]}` draws a number at random, and it goes into {where}"
                " as if it had been measured; take it from the run",
                names=(ast.unparse(origin)[:60],),
            )


def _outlets(facts: Facts, file: PythonFile) -> Iterator[tuple[str, ast.expr, str]]:
    """Where results go: (what it is called there, the value, the place in words)."""
    if file.path == facts.evaluator:
        for call in file.calls:
            name = call.name or ""
            if name in ("json.dump", "json.dumps"):
                yield from (("", value, "the exported results") for value in call.node.args[:1])
            elif (
                name.startswith(("sklearn.metrics.", "scipy.stats."))
                and name not in _DISTRIBUTION_TESTS
            ):
                yield from (
                    ("", value, f"`{name.rpartition('.')[2]}`") for value in call.node.args[:2]
                )
    if file.path in (facts.evaluator, facts.trainer):
        for key, value in entries(file):
            if is_metric(key):
                yield key, value, f"`{key}`"


@rule(
    id="EV12",
    category="fabricated-or-invalid-result",
    severity="blocker",
    summary="a hard-coded number stands in for a measurement",
    needs=("commands.*",),
    example="""
          import wandb

        - def main():
        + def main(right, total):
              wandb.init()
        -     wandb.summary["final_accuracy"] = 0.913  # flag: EV12
        +     wandb.summary["final_accuracy"] = right / total
    """,
)
def written_result(facts: Facts) -> Iterator[Flag]:
    """What the author of the code expects is not a result. An invented default is worse, since it
    looks like a result only sometimes.
    """
    for path in dict.fromkeys((facts.trainer, facts.evaluator)):
        file = facts.python.get(path)
        if file is None:
            continue
        for key, value, outlet in _written(file):
            number = written_number(value)
            if number is not None and is_metric(key):
                yield Flag(
                    Span(path, value.lineno, value.end_lineno),
                    f"`{key}` is the number {number:g} written into the code, {outlet}; store what"
                    " the run gave",
                    names=(key,),
                )
        for call in file.calls_of(".get") if path == facts.evaluator else ():
            if (number := _invented(call)) is not None:
                yield Flag(
                    Span(path, call.line, call.node.end_lineno),
                    f"where the run has no {ast.unparse(call.node.args[0])}, {number:g} is taken in"
                    " its place as if it had been measured; leave the result out instead",
                    severity="major",
                    names=(ast.unparse(call.node.args[0]),),
                )


def _written(file: PythonFile) -> Iterator[tuple[str, ast.expr, str]]:
    logged = "but WandB gets it as a result"
    for call in file.calls_of("wandb.log", ".log", ".update"):
        if re.search(r"wandb|summary|(^|_)run\.", ast.unparse(call.node.func)):
            for given in call.node.args[:1]:
                yield from (
                    (key, value, logged)
                    for key, value in (named(given) if isinstance(given, ast.Dict) else ())
                )
    for node in file.of(ast.Assign, ast.Return):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                match target:
                    case ast.Subscript(slice=ast.Constant(value=str(key)), value=owner) if (
                        "summary" in ast.unparse(owner)
                    ):
                        yield key, node.value, logged
        elif isinstance(node.value, ast.Dict):
            only_numbers = all(isinstance(value, ast.Constant) for value in node.value.values)
            if only_numbers and not is_setting(said_around(file, node)):
                yield from (
                    (key, value, "and the function returns nothing but such numbers")
                    for key, value in named(node.value)
                )


def _invented(call: Call) -> float | None:
    """The default that stands for an absent entry of a run's summary."""
    if (
        not isinstance(call.node.func, ast.Attribute)
        or len(call.node.args) != 2
        or "summ" not in ast.unparse(call.node.func)
    ):
        return None
    key, default = call.node.args
    return (
        written_number(default)
        if isinstance(key, ast.Constant) and is_metric(str(key.value))
        else None
    )


@rule(
    id="EV13",
    category="fabricated-or-invalid-result",
    severity="blocker",
    summary="predictions are compared with themselves",
    example="""
          === src/evaluate.py
          from sklearn.metrics import confusion_matrix

        - def main(labels):
        -     predicted = labels.copy()  # flag: EV13
        + def main(labels, scores):
        +     predicted = scores.argmax(axis=1)
              print(confusion_matrix(labels, predicted))
    """,
)
def prediction_is_truth(facts: Facts) -> Iterator[Flag]:
    """A score of the labels against themselves is perfect by construction."""
    for path, file in facts.python.items():
        uses = NameUses(file)
        for call in file.calls:
            if not (call.name or "").startswith("sklearn.metrics."):
                continue
            given = [
                *call.node.args[:2],
                *filter(None, (call.keyword("y_true"), call.keyword("y_pred"))),
            ][:2]
            if (
                len(given) == 2
                and (alias := same_values(uses, call, given[0], given[1])) is not None
            ):
                first, second = (ast.unparse(part)[:40] for part in given)
                yield Flag(
                    Span(path, alias.lineno, max(alias.end_lineno or 0, alias.lineno)),
                    f"`{first}` and `{second}` are the same values, so"
                    f" `{str(call.name).rpartition('.')[2]}` is perfect by construction; compare"
                    " the model's predictions with the labels",
                    severity="major" if "matrix" in str(call.name) else None,
                    names=(first, second, str(call.name)),
                )


def same_values(
    uses: NameUses, call: Call, first: ast.expr, second: ast.expr
) -> ast.Call | ast.Assign | None:
    """The node that makes two arguments the same: the call itself, or the assignment of one to the
    other; None otherwise.
    """
    if not any(isinstance(part, ast.Name) for part in walk(first)):
        return None
    if ast.dump(first) == ast.dump(second):
        return call.node if not any(isinstance(part, ast.Call) for part in walk(first)) else None
    if not isinstance(first, ast.Name) or not isinstance(second, ast.Name):
        return None
    for one, other in ((first, second), (second, first)):
        stores = uses.stores(one.id, call.scope)
        statement = uses.file.parents.get(stores[0]) if len(stores) == 1 else None
        if not isinstance(statement, ast.Assign) or not _is_copy(statement.value, other.id):
            continue
        # Two names of one object stay the same whatever is done to it; a copy is its own from then
        # on.
        is_alias = isinstance(statement.value, ast.Name)
        changed = any(uses.is_filled(name, call.scope) for name in (one.id, other.id))
        rebound = any(
            statement.lineno < store.lineno <= call.line
            for store in uses.stores(other.id, call.scope)
        )
        if not rebound and (is_alias or not changed):
            return statement
    return None


def _is_copy(value: ast.expr, name: str) -> bool:
    match value:
        case ast.Name(id=other):
            return other == name
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=other), attr="copy" | "clone" | "tolist"), args=[]
        ):
            return other == name
        case ast.Call(
            func=ast.Name(id="list") | ast.Attribute(attr="array" | "copy" | "deepcopy"),
            args=[ast.Name(id=other)],
        ):
            return other == name
    return False


@rule(
    id="EV14",
    category="fabricated-or-invalid-result",
    severity="major",
    summary="a confusion matrix is put together from a rate",
    needs=("commands.evaluate",),
    example="""
          === src/evaluate.py
          import numpy as np
          import seaborn as sns

        - def confusion_matrix(summary):
        -     total = summary["examples"]
        -     right = int(round(total * summary["accuracy"]))
        -     wrong = total - right
        -     sns.heatmap(np.array([[right, 0], [wrong, 0]]), annot=True)  # flag: EV14
        + def confusion_matrix(right, wrong, missed, left):
        +     sns.heatmap(np.array([[right, wrong], [missed, left]]), annot=True)
    """,
)
def matrix_from_rate(facts: Facts) -> Iterator[Flag]:
    """An accuracy does not say how the errors are distributed, so cells computed from it show a
    matrix that was never counted.
    """
    file = facts.python.get(facts.evaluator)
    if file is None or "confusion" not in file.text.casefold():
        return
    flow = ValueFlow(file, _is_rounded_product)
    for node in file.of(ast.List):
        if len(node.elts) == 2 and all(isinstance(row, ast.List) for row in node.elts):
            cells = [cell for row in node.elts if isinstance(row, ast.List) for cell in row.elts]
            origin = next(
                (found for cell in cells if (found := flow.origin(cell)) is not None), None
            )
            if len(cells) == 4 and origin is not None:
                yield Flag(
                    Span(file.path, node.lineno, node.end_lineno),
                    "the cells of this matrix are worked out of a rate"
                    f" (`{ast.unparse(origin)[:60]}`), not counted from predictions; log the counts"
                    " in training, or leave the figure out",
                    names=(ast.unparse(origin)[:60],),
                )


def _is_rounded_product(node: ast.expr) -> bool:
    if (
        not isinstance(node, ast.Call)
        or not isinstance(node.func, ast.Name)
        or node.func.id not in ("int", "round")
    ):
        return False
    inner = node.args[0] if node.args else None
    if (
        isinstance(inner, ast.Call)
        and ast.unparse(inner.func) in ("round", "np.round", "int")
        and inner.args
    ):
        inner = inner.args[0]
    return isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Mult)


@rule(
    id="EV15",
    category="fabricated-or-invalid-result",
    severity="major",
    summary="a number computed from the loss is reported as accuracy",
    needs=("commands.*",),
    example="""
          import wandb

        - def track(loss):
        -     score = 1.0 / (1.0 + loss)  # flag: EV15
        -     wandb.log({"val_accuracy": score})
        + def track(right, total, loss):
        +     wandb.log({"val_accuracy": right / total, "val_loss": loss})
    """,
)
def accuracy_of_loss(facts: Facts) -> Iterator[Flag]:
    """`1 / (1 + loss)` rises when the loss falls, but it is not a share of correct answers."""
    for path in dict.fromkeys((facts.trainer, facts.evaluator)):
        file = facts.python.get(path)
        if file is None or "loss" not in file.text:
            continue
        flow = ValueFlow(file, _is_turned_loss, keyed=False)
        if not flow.sources:
            continue
        called = [
            (name, value) for name, value in (*entries(file), *_bindings(file)) if is_gain(name)
        ]
        done: set[int] = set()
        for name, value in called:
            origin = flow.origin(value)
            if origin is not None and origin.lineno not in done:
                done.add(origin.lineno)
                yield Flag(
                    Span(path, origin.lineno, origin.end_lineno),
                    f"`{name}` is `{ast.unparse(origin)[:60]}`, worked out of the loss: count right"
                    " answers, or name it for what it is",
                    names=(name, ast.unparse(origin)[:60]),
                )


def _bindings(file: PythonFile) -> Iterator[tuple[str, ast.expr]]:
    for node in file.of(ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value


def _is_turned_loss(node: ast.expr) -> bool:
    match node:
        case ast.BinOp(
            op=ast.Div(), left=ast.Constant(), right=ast.BinOp(op=ast.Add(), left=one, right=other)
        ):
            parts = [part for part in (one, other) if not isinstance(part, ast.Constant)]
            return len(parts) == 1 and _is_loss(parts[0])
        case ast.BinOp(op=ast.Sub(), left=ast.Constant(value=1 | 1.0 | 100 | 100.0), right=right):
            return _is_loss(right)
        case ast.Call(
            func=ast.Attribute(attr="exp"), args=[ast.UnaryOp(op=ast.USub(), operand=operand)]
        ):
            return _is_loss(operand)
    return False


def _is_loss(node: ast.expr) -> bool:
    text = ast.unparse(node).casefold()
    return (
        len(text) < 80
        and "loss" in text
        and not re.search(r"hamming|zero|dice|iou|0_1|01|jaccard|tversky|error", text)
    )
