"""Rules on the integrity of results: validation and test data must not be the training data."""

import ast
import re
from collections.abc import Iterator

from reviewers.facts import Facts, PythonFile
from reviewers.facts.measurements import is_metric
from reviewers.facts.python_nodes import unparsed, walk
from reviewers.records import Span
from reviewers.rules.base import Flag, rule

_TRAINING = re.compile(r"(^|[_.])train(ing)?(_|$)|^train(loader|set|data|x|y)$", re.IGNORECASE)
_HELD_OUT = re.compile(
    r"(^|[_.])(test|val|valid|validation|eval|dev|holdout|held_out)(_|$)|^(test|val)(loader|set|data)$",
    re.IGNORECASE,
)
_DATA = re.compile(
    r"loader|_dl$|data|_ds$|_set$|set$|split|_x$|_y$|examples|samples", re.IGNORECASE
)
_SCORING = re.compile(r"eval|test|valid|score", re.IGNORECASE)
# A branch for trying the code out measures nothing.
_TRYING = re.compile(r"trial|debug|smoke|dry|overfit|sanity", re.IGNORECASE)


@rule(
    id="EV30",
    category="fabricated-or-invalid-result",
    severity="major",
    summary="training data is used under the name of held-out data",
    example="""
        - def main(model, make_loader, evaluate, train_data):
        + def main(model, make_loader, evaluate, train_data, test_data):
              train_loader = make_loader(train_data)
        -     test_loader = train_loader  # flag: EV30
        -     test_accuracy = evaluate(model, test_loader)
        -     return test_accuracy
        +     test_loader = make_loader(test_data)
        +     return evaluate(model, test_loader)
    """,
)
def training_as_test(facts: Facts) -> Iterator[Flag]:
    """Scores on data that the model was fitted to say nothing about new data, least of all if they
    are called test scores.
    """
    for path, file in facts.python.items():
        for node in file.of(ast.Assign):
            match node:
                case ast.Assign(targets=[target], value=value) if (
                    what := _taken(file, target, value)
                ) is not None:
                    if not _is_tried(file, node) and not _is_rebound(file, target):
                        yield Flag(
                            Span(path, node.lineno, node.end_lineno),
                            f"`{unparsed(target)[:40]}` is `{what[:60]}`: what is measured there"
                            " is measured on the training data; take the held-out split",
                            names=(ast.unparse(target)[:40], what[:60]),
                        )


def _taken(file: PythonFile, target: ast.expr, value: ast.expr) -> str | None:
    """The training data behind a name that says held-out; None if it is not that."""
    if not isinstance(target, ast.Name | ast.Attribute):
        return None
    name = unparsed(target)
    if not _HELD_OUT.search(name) or _TRAINING.search(name):
        return None
    match value:
        case ast.Name() | ast.Attribute() if _DATA.search(name):
            return unparsed(value) if _is_training(value) else None
        case ast.Call(func=func, args=[first, *_]) if (file.resolve(func) or "").endswith(
            "DataLoader"
        ):
            return unparsed(value) if _is_training(first) else None
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)) if _SCORING.search(
            called
        ) and is_metric(name):
            given = [*value.args, *(word.value for word in value.keywords)]
            trained = any(_is_training(part) for part in given)
            held_out = any(_HELD_OUT.search(unparsed(part)) for part in given)
            return unparsed(value) if trained and not held_out else None
    return None


def _is_training(node: ast.expr) -> bool:
    if not isinstance(node, ast.Name | ast.Attribute):
        return False
    name = node.id if isinstance(node, ast.Name) else node.attr
    return (
        _TRAINING.search(name) is not None
        and _DATA.search(name) is not None
        and _HELD_OUT.search(name) is None
    )


def _is_tried(file: PythonFile, node: ast.AST) -> bool:
    return any(
        isinstance(around, ast.If | ast.IfExp) and _TRYING.search(unparsed(around.test))
        for around in file.ancestors(node)
    )


def _is_rebound(file: PythonFile, target: ast.expr) -> bool:
    """Whether the name gets another value in the same function, so that this one need not last."""
    name, scope = unparsed(target), file.scope_at(target.lineno)
    bound = [
        part
        for node in file.of(ast.Assign, ast.AugAssign)
        if file.scope_at(node.lineno) == scope
        for whole in (node.targets if isinstance(node, ast.Assign) else [node.target])
        for part in walk(whole)
        if isinstance(part, ast.Name | ast.Attribute)
        and part is not target
        and unparsed(part) == name
    ]
    return bool(bound)
