"""What stands in for a measurement in code: names of metrics, handwritten numbers, draws from a
random generator.
"""

import ast
import re
from collections.abc import Iterator

from reviewers.facts.python_file import Function, PythonFile

_METRIC = re.compile(
    r"(?<![a-z])(acc|accuracy|f1|auc|auroc|bleu\d?|rouge\w*|loss|error|mse|rmse|mae|wer|cer|precision|recall|perplexity|ppl|em|exact_match"
    r"|latency|energy|joules|throughput|fid|iou|miou|dice|psnr|ssim|ndcg|mrr|hit_rate|p_value|pvalue|hv|hypervolume)(?![a-z])",
    re.IGNORECASE,
)
_SETTING = re.compile(
    r"weight|target|budget|threshold|noise|dropout|prob|scale|coef|lambda|seed|init|tol|limit|goal|min_|max_|eps|bound|ref|paper"
    r"|published|reported|chance|patience|delta|factor|smooth|step|type|name",
    re.IGNORECASE,
)
_GAIN = re.compile(
    r"(?<![a-z])(acc|accuracy|f1|precision|recall|exact_match|em|auc|auroc)(?![a-z])", re.IGNORECASE
)
_DRAWING = frozenset(
    {
        "beta", "betavariate", "exponential", "gamma", "gauss", "lognormal", "normal",
        "normalvariate", "rand", "rand_like", "randn",
    }
    | {"randn_like", "random", "random_sample", "standard_normal", "triangular", "uniform"}
)  # fmt: skip
_GENERATORS = (
    "numpy.random.default_rng",
    "numpy.random.RandomState",
    "random.Random",
    "numpy.random.Generator",
)
_TRIVIAL = frozenset({0, 1, -1, 100, 0.5})
_HUGE = 900  # 999, 1e6 and the like are marks of "not measured", not measurements
_TINY = 1e-4


def is_metric(name: str) -> bool:
    """Whether a key or name is that of something measured, not of a setting."""
    return _METRIC.search(name) is not None and not is_setting(name)


def is_setting(name: str) -> bool:
    """Whether a key or name is that of something chosen or cited: a weight, a threshold, a
    published figure.
    """
    return _SETTING.search(name) is not None


def is_gain(name: str) -> bool:
    """Whether a name says a share of right answers, or a score built on it."""
    return _GAIN.search(name) is not None


def written_number(node: ast.expr | None) -> float | None:
    """The number that an expression is by itself, leaving out those that mark a start, an absence
    or an extreme.
    """
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("float", "round")
        and node.args
    ):
        node = node.args[0]
    if (
        not isinstance(node, ast.Constant)
        or isinstance(node.value, bool)
        or not isinstance(node.value, (int, float))
    ):
        return None
    value = node.value
    return None if value in _TRIVIAL or not _TINY < abs(value) < _HUGE else float(value)


def is_draw(file: PythonFile, node: ast.expr) -> bool:
    """Whether an expression draws numbers from a distribution; resampling of given values is
    none.
    """
    if not isinstance(node, ast.Call) or not isinstance(node.func, (ast.Attribute, ast.Name)):
        return False
    name = file.resolve(node.func) or ""
    module, _, last = name.rpartition(".")
    if last not in _DRAWING:
        return False
    return (
        module in ("numpy.random", "random", "torch")
        or module in _generators(file)
        or module.startswith(_GENERATORS)
    )


def _generators(file: PythonFile) -> Iterator[str]:
    for node in file.of(ast.Assign):
        if isinstance(node.value, ast.Call) and file.resolve(node.value.func) in _GENERATORS:
            for target in node.targets:
                if (name := file.resolve(target)) is not None:
                    yield name


def said_around(file: PythonFile, node: ast.AST) -> str:
    """The names that the code gives to what it does at a place: the functions around it and what
    the value is bound to.
    """
    names = [part.name for part in file.ancestors(node) if isinstance(part, Function)]
    for around in file.ancestors(node):
        if isinstance(around, ast.stmt):
            targets = (
                around.targets
                if isinstance(around, ast.Assign)
                else [getattr(around, "target", None)]
            )
            names += [ast.unparse(target) for target in targets if isinstance(target, ast.expr)]
            break
    return " ".join(names)


def named(mapping: ast.Dict) -> Iterator[tuple[str, ast.expr]]:
    """The literal keys of a dictionary with their values."""
    for key, value in zip(mapping.keys, mapping.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value, value


def entries(file: PythonFile) -> Iterator[tuple[str, ast.expr]]:
    """Every literal key of the file with the value that it gets, in a dictionary or by
    `mapping["key"] = …`.
    """
    for node in file.of(ast.Dict, ast.Assign):
        if isinstance(node, ast.Dict):
            yield from named(node)
        else:
            for target in node.targets:
                if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
                    yield str(target.slice.value), node.value
