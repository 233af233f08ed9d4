"""Rules for criterion 8, the independent evaluation: its figures and their file formats."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from reviewers.facts import Facts, PythonFile
from reviewers.facts.python_file import template
from reviewers.records import Span
from reviewers.rules.base import Flag, rule

_PICTURE = re.compile(r"(?<![^/])([^/]*)\.(pdf|png|jpe?g|svg|eps|tiff?)$", re.IGNORECASE)


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
            f"the contract asks for figures as {ending}, and {names.replace('{}', '…')} is not;"
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
