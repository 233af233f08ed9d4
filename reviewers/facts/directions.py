"""Whether a metric is better higher or lower, by its name, and which direction the code assumes."""

import ast
import re

_MARKS = re.compile(
    r"(?P<lower>↓|lower is better|smaller is better|to be minimi[sz]ed|(?<![a-z])minimi[sz]e)"
    r"|(?P<higher>↑|higher is better|larger is better|(?<![a-z])maximi[sz]e)",
    re.IGNORECASE,
)
# A word for a change turns the direction of what follows: nothing is said then.
_CHANGE = re.compile(
    r"reduc|improve|saving|saved|gain|decreas|increas|speed-?up|drop|delta|ratio|relative|gap|trade",
    re.IGNORECASE,
)
_WORDS = re.compile(
    r"(?<![a-z])(?:(?P<lower>loss|perplexity|ppl|error|errors|mse|rmse|mae|wer|cer|fid|latency|energy|joules?|regret"
    r"|runtime|carbon|emissions?|nll|bits per (?:byte|character|dimension)|eer|ece|brier)"
    r"|(?P<higher>accuracy|acc|f1|auc|auroc|score|rouge|bleu|recall|precision|exact-match|match|map|ndcg|throughput|reward|return"
    r"|hyper-?volume|area|iou|dice|psnr|ssim|rate|correlation|r2|mcc|kappa|success))(?![a-z])",
    re.IGNORECASE,
)
# Code that minds the direction somewhere is not judged further.
_MINDED = re.compile(
    r"minimi[sz]|lower_is|lower"
    r" is|higher_is|direction|reverse|maximi[sz]e|ascending|sign\b|smaller|lower[-"
    r" ]better|is_better",
    re.IGNORECASE,
)


def wants_lower(metric: str) -> bool | None:
    """Whether a metric is better when it is lower; None if its words do not say."""
    if (mark := _MARKS.search(metric)) is not None:
        return mark.lastgroup == "lower"
    if _CHANGE.search(metric):
        return None
    found = _WORDS.search(metric)
    return None if found is None else found.group("lower") is not None


def minds_direction(code: str) -> bool:
    """Whether code mentions the direction of a metric anywhere."""
    return _MINDED.search(code) is not None


def minuend(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """The two sides of the subtraction that a relative gap begins with: `(a - b) / b * 100`; None
    for any other expression.
    """
    while True:
        match node:
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                node = (
                    right if isinstance(left, ast.Constant) and left.value in (100, 100.0) else left
                )
            case ast.BinOp(left=left, op=ast.Div()):
                node = left
            case ast.IfExp(body=body):
                node = body
            case ast.Call(func=ast.Name(id="float" | "round"), args=[inner, *_]):
                node = inner
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return left, right
            case _:
                return None
