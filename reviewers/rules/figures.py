"""Rules for criterion 8, the independent evaluation: its figures and their file formats."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from reviewers.facts import Facts, PythonFile
from reviewers.facts.python_file import template
from reviewers.records import Span
from reviewers.rules.base import Flag, denies, name_of, rule

_PICTURE = re.compile(r"([^/]*)\.(pdf|png|jpe?g|svg|eps|tiff?)$", re.IGNORECASE)
_PASSING = re.compile(r"uuid|time\(\)|now\(|token_hex|randint|strftime|urandom")
_ACCURACY = re.compile(
    r"((train|val|validation|test|eval|dev|best|final|epoch|batch|top1)[_/])*acc(uracy)?$",
    re.IGNORECASE,
)
_OTHER_TASK = re.compile(
    r"episode|few[-_ ]?shot|n_way|CausalLM|Seq2Seq|TokenClassification|multi_?label", re.IGNORECASE
)
_QUALITY = {
    "tight layout": re.compile(r"tight_layout|constrained|bbox_inches|autolayout"),
    "legends": re.compile(r"\blegend\b|label=|hue=|\.plot\((?!ax)"),
    "annotations": re.compile(r"annotate|annot\s*=|\.text\(|bar_label|figtext|add_annotation"),
}


@dataclass(frozen=True, slots=True)
class _Figure:
    name: str
    node: ast.expr
    span: Span


def _figures(file: PythonFile | None) -> Iterator[_Figure]:
    """The names under which a file saves figures: texts that end as a picture does, in order."""
    if file is None or "savefig" not in file.text:
        return
    inside = {id(part) for node in file.of(ast.JoinedStr) for part in node.values}
    for node in file.of(ast.JoinedStr, ast.Constant):
        if id(node) not in inside and _PICTURE.search(template(node)):
            around = file.parents.get(node)
            is_part = isinstance(around, ast.BinOp) and isinstance(around.op, ast.Add | ast.Mod)
            is_asked = isinstance(around, ast.Call) and ast.unparse(around.func).endswith(
                ("glob", "endswith", "print", ".format")
            )
            if (
                not is_part
                and not is_asked
                and not isinstance(around, ast.Expr | ast.keyword | ast.Compare)
            ):
                yield _Figure(
                    template(node).rpartition("/")[2],
                    node,
                    Span(file.path, node.lineno, node.end_lineno),
                )


@rule(
    id="EV23",
    category="evaluation-incomplete",
    severity="major",
    summary="a figure is not saved as PDF",
    needs=("commands.evaluate", "outputs.figure_format"),
    example="""
          === src/evaluate.py
          import matplotlib.pyplot as plt

          def draw(curve, run_id, folder):
              plt.plot(curve)
        -     plt.savefig(folder / f"{run_id}_learning_curve.png")  # flag: EV23
        +     plt.savefig(folder / f"{run_id}_learning_curve.pdf")
              plt.savefig(folder / "comparison_learning_curve.pdf")
    """,
)
def other_picture_format(facts: Facts) -> Iterator[Flag]:
    """The paper needs PDF figures, under the names that the contract fixes."""
    ending = f".{facts.contract.outputs.figure_format}"
    figures = list(_figures(facts.python.get(facts.evaluator)))
    kept = {
        _PICTURE.sub(r"\1", figure.name)
        for figure in figures
        if figure.name.lower().endswith(ending)
    }
    wrong = [figure for figure in figures if not figure.name.lower().endswith(ending)]
    wrong = [figure for figure in wrong if _PICTURE.sub(r"\1", figure.name) not in kept]
    if wrong:
        names = ", ".join(dict.fromkeys(f"`{figure.name}`" for figure in wrong))
        yield Flag(
            wrong[0].span,
            f"the contract asks for figures as {ending}, and {names.replace('{}', '…')} is none;"
            f" save it as {ending[1:].upper()}",
            names=(names,),
        )


@rule(
    id="EV24",
    category="evaluation-incomplete",
    severity="major",
    summary="a figure's name begins neither with the run id nor with comparison_",
    needs=("commands.evaluate", "outputs.figure_names"),
    example="""
          === src/evaluate.py
          import matplotlib.pyplot as plt

        - def draw(curve, folder):
        + def draw(curve, run_id, folder):
              plt.plot(curve)
        -     plt.savefig(folder / "learning_curve.pdf")  # flag: EV24
        +     plt.savefig(folder / f"{run_id}_learning_curve.pdf")
              plt.savefig(folder / "comparison_learning_curve.pdf")
    """,
)
def figure_without_owner(facts: Facts) -> Iterator[Flag]:
    """Figures of all runs are collected in one folder, where two with the same name overwrite each
    other.
    """
    wanted = facts.contract.outputs.figure_names
    begins = facts.contract.outputs.figure_beginnings
    for figure in _figures(facts.python.get(facts.evaluator)) if all(begins) else ():
        stem = _PICTURE.sub(r"\1", figure.name)
        if stem and not stem.startswith(("{}", "_", "%", *begins)):
            yield Flag(
                figure.span,
                f"the figure `{figure.name.replace('{}', '…')}` begins neither with the run id nor"
                f" with {' or '.join(f'`{one}`' for one in begins) or 'any word of the contract'}:"
                f" figures of several runs get the same name; call it {' or '.join(wanted)}",
                names=(figure.name,),
            )


@rule(
    id="EV25",
    category="evaluation-incomplete",
    severity="minor",
    summary="a figure gets a different name each time",
    needs=("commands.evaluate", "outputs.figure_names"),
    example="""
          === src/evaluate.py
        - from uuid import uuid4
        -
          import matplotlib.pyplot as plt

        - def draw(curve, run_id, folder):
        + def draw(curve, run_id, condition, folder):
              plt.plot(curve)
        -     plt.savefig(folder / f"{run_id}_learning_curve_{uuid4().hex}.pdf")  # flag: EV25
        +     plt.savefig(folder / f"{run_id}_learning_curve_{condition}.pdf")
              plt.savefig(folder / "comparison_learning_curve.pdf")
    """,
)
def passing_name(facts: Facts) -> Iterator[Flag]:
    """The paper must be able to refer to the figure by its name, and a second evaluation should
    replace the figures of the first.
    """
    changing = [
        figure
        for figure in _figures(facts.python.get(facts.evaluator))
        if isinstance(figure.node, ast.JoinedStr) and _PASSING.search(ast.unparse(figure.node))
    ]
    if changing:
        first = changing[0]
        more = f" and {len(changing) - 1} more" if len(changing) > 1 else ""
        yield Flag(
            first.span,
            f"the figure `{first.name.replace('{}', '…')}`{more} ends in a part that changes with"
            " each evaluation; the contract's names hold run id, topic, condition and pair only",
            names=(first.name,),
        )


@rule(
    id="EV26",
    category="evaluation-incomplete",
    severity="minor",
    summary="no confusion matrix is drawn for a classification",
    needs=("commands.evaluate", "outputs.confusion_matrix"),
    example="""
          === src/evaluate.py # flag: EV26
          import matplotlib.pyplot as plt
        -
        - def draw(curve, folder):
        -     plt.plot(curve)
        -     plt.savefig(folder / "comparison_accuracy.pdf")
        + from sklearn.metrics import confusion_matrix
        +
        + def draw(labels, predicted, folder):
        +     plt.imshow(confusion_matrix(labels, predicted))
        +     plt.savefig(folder / "comparison_errors.pdf")
    """,
)
def errors_undrawn(facts: Facts) -> Iterator[Flag]:
    """An accuracy says how many examples are wrong; the contract also asks which."""
    script = facts.evaluation
    if not script.is_readable:
        return
    classified = any(_ACCURACY.match(key.key) for key in facts.tracking.logged)
    # Where classes change with each episode, or labels are tokens, there is not one matrix to draw.
    other = any(
        _OTHER_TASK.search(file.text) for path, file in facts.python.items() if path != script.path
    )
    if (
        classified
        and not other
        and "confusion" not in script.text.casefold()
        and "savefig" in script.text
    ):
        yield Flag(
            Span(script.path),
            f"training logs an accuracy, but {name_of(script.path)} draws no confusion matrix: the"
            " word stands nowhere",
            says=denies("draws", scope=script.path, figure="confusion_matrix"),
        )


@rule(
    id="EV27",
    category="evaluation-incomplete",
    severity="minor",
    summary="figures lack legends, annotations or a tight layout",
    needs=("commands.evaluate", "outputs.legible"),
    example="""
          === src/evaluate.py # flag: EV27
          import matplotlib.pyplot as plt

        - def draw(curve, folder):
        -     plt.plot(curve)
        + def draw(curve, run_id, folder):
        +     plt.plot(curve, label=run_id)
        +     plt.legend()
        +     plt.annotate(f"{curve[-1]:.3f}", (len(curve) - 1, curve[-1]))
        +     plt.tight_layout()
              plt.savefig(folder / "comparison_accuracy.pdf")
    """,
)
def plain_figures(facts: Facts) -> Iterator[Flag]:
    """A figure that cannot be read without its code is useless."""
    script = facts.evaluation
    if script.is_readable and "savefig" in script.text:
        missing = [name for name, pattern in _QUALITY.items() if not pattern.search(script.text)]
        # A bar chart of a few runs may well do without a legend; a file whose figures lack two of
        # three was not minded.
        if len(missing) > 1 or "tight layout" in missing:
            yield Flag(
                Span(script.path),
                f"the figures of {name_of(script.path)} have no {', no '.join(missing)}, which the"
                " contract asks for",
                names=tuple(missing),
            )
