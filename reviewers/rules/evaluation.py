"""Rules for criterion 8, the independent evaluation."""

import re
from collections.abc import Iterator

from rapidfuzz import fuzz

from reviewers.facts import EvaluationScript, Facts
from reviewers.records import Span
from reviewers.rubric.contract import pattern_of
from reviewers.rules.base import Flag, denies, name_of, rule

_PRIMARY = "primary_metric"
_DRAWING = (".savefig", "matplotlib.pyplot.savefig", "plotly.io.write_image")


@rule(
    id="EV02",
    category="evaluation-incomplete",
    severity="major",
    summary="primary_metric is not the hypothesis' own words",
    needs=("commands.evaluate", "outputs.keys"),
    example="""
          === src/evaluate.py
          import json

        + PRIMARY_METRIC = "Top-1 accuracy on the held-out split"
        +
          def main(final, path):
        -     aggregated = {"primary_metric": "accuracy", "metrics": final}  # flag: EV02
        +     aggregated = {"primary_metric": PRIMARY_METRIC, "metrics": final}
              path.write_text(json.dumps(aggregated))
    """,
)
def other_primary_metric(facts: Facts) -> Iterator[Flag]:
    """Results of several experiments are joined by these words, so a paraphrase is lost."""
    wanted = facts.submission.context.primary_metric
    said = facts.evaluation.primary_metric
    if not wanted or said is None or _PRIMARY not in facts.contract.outputs.keys:
        return
    span, literal = said
    configured = " ".join(
        file.text
        for path, file in facts.submission.by_path.items()
        if path.endswith((".yaml", ".yml"))
    )
    if literal is None and (_same(wanted, facts.evaluation.text) or _same(wanted, configured)):
        return
    if literal is None or not _equal(literal, wanted):
        what = f"“{literal[:80]}”" if literal is not None else "worked out by the code"
        yield Flag(
            span,
            f"primary_metric is {what}, but the hypothesis says “{wanted[:120]}”",
            f"the hypothesis' words “{wanted[:80]}” stand nowhere in {facts.evaluator}",
            names=("primary_metric",),
        )


@rule(
    id="EV03",
    category="evaluation-incomplete",
    severity="major",
    summary="the aggregated metrics are not written, or lack a required entry",
    needs=("commands.evaluate", "outputs.comparison"),
    example="""
          === src/evaluate.py # flag: EV03
          import json

        - def main(final, folder):
        -     (folder / "summary.json").write_text(json.dumps(final))
        + def main(final, folder, best, other):
        +     aggregated = {
        +         "primary_metric": "Top-1 accuracy on the held-out split",
        +         "metrics": final,
        +         "best_proposed": best,
        +         "best_baseline": other,
        +         "gap": (best["value"] - other["value"]) / other["value"] * 100,
        +     }
        +     (folder / "comparison" / "aggregated_metrics.json").write_text(json.dumps(aggregated))
    """,
)
def aggregate_incomplete(facts: Facts) -> Iterator[Flag]:
    """The experiment exists to compare the proposed method with the best baseline."""
    script, wanted = facts.evaluation, facts.contract.outputs.comparison or ""
    file = name_of(wanted)
    if not script.is_readable:
        return
    if not _is_written(script, file.rpartition(".")[0]):
        shown = wanted.rpartition("}/")[2]
        yield Flag(
            Span(script.path),
            f"{name_of(script.path)} never writes {shown}",
            says=denies("writes", scope=script.path, file=file),
        )
        return
    keys = facts.contract.outputs.keys
    missing = [key for key in keys if not script.writes(key) and key not in script.text]
    if missing:
        yield Flag(
            Span(script.path),
            f"{file} gets no {', no '.join(missing)}: the words stand nowhere in the file",
            names=(file, *missing),
        )


@rule(
    id="EV04",
    category="evaluation-incomplete",
    severity="major",
    summary="no metrics.json is written for each run",
    needs=("commands.evaluate", "outputs.run_metrics"),
    example="""
          === src/evaluate.py # flag: EV04
          import json

          def main(runs, folder):
        -     (folder / "comparison" / "aggregated_metrics.json").write_text(json.dumps(runs))
        +     for run_id, metrics in runs.items():
        +         (folder / run_id / "metrics.json").write_text(json.dumps(metrics))
    """,
)
def run_metrics_absent(facts: Facts) -> Iterator[Flag]:
    """Without the numbers of each run, the comparison cannot be checked."""
    script, wanted = facts.evaluation, facts.contract.outputs.run_metrics or ""
    file = name_of(wanted)
    alone = rf"(?<![\w-]){re.escape(file)}|\{{\}}_?{re.escape(file)}"
    if script.is_readable and not (
        _is_written(script, file)
        if pattern_of(file)
        else any(re.search(alone, text) for text in script.texts)
    ):
        yield Flag(
            Span(script.path),
            f"{name_of(script.path)} never writes {wanted}",
            says=denies("writes", scope=script.path, file=file),
        )


@rule(
    id="EV05",
    category="evaluation-incomplete",
    severity="major",
    summary="there is no significance test",
    needs=("commands.evaluate", "outputs.significance"),
    example="""
          === src/evaluate.py # flag: EV05
        - def main(final):
        -     print(max(final, key=final.get))
        + from scipy.stats import ttest_ind
        +
        + def main(a, b):
        +     print(ttest_ind(a, b, equal_var=False).pvalue)
    """,
)
def significance_untested(facts: Facts) -> Iterator[Flag]:
    """Without a test, a gap between two numbers may be noise."""
    script = facts.evaluation
    if script.is_readable and not script.tests_significance:
        yield Flag(
            Span(script.path),
            f"{name_of(script.path)} makes no statistical test: no code in it calls one or names"
            " one",
            says=denies("does", scope=script.path, activity="significance_test"),
        )


@rule(
    id="EV06",
    category="evaluation-incomplete",
    severity="major",
    summary="another command runs the evaluation",
    needs=("commands.evaluate.alone",),
    example="""
          === src/main.py
          import subprocess
          import sys

          def main():
        -     subprocess.run([sys.executable, "-m", "src.evaluate"], check=True)  # flag: EV06
        +     subprocess.run([sys.executable, "-m", "src.train"], check=True)
    """,
)
def evaluation_called(facts: Facts) -> Iterator[Flag]:
    """Its runs finish on different machines, and only then can it be evaluated."""
    evaluation = facts.contract.commands["evaluate"]
    package, _, name = evaluation.module.rpartition(".")
    called = (evaluation.module, evaluation.file, name_of(evaluation.file))
    for path in facts.contract.scripts(but="evaluate"):
        if (file := facts.python.get(path)) is None:
            continue
        for string in file.strings:
            if not string.is_docstring and string.value in called:
                yield Flag(
                    Span(path, string.line, string.end_line),
                    f"{name_of(path)} starts the evaluation, which must run on its own",
                )
        for item in file.imports:
            module = file.absolute(item)
            if module == evaluation.module or (item.name == name and module == package):
                yield Flag(
                    Span(path, item.line),
                    f"{name_of(path)} imports the evaluation, which must run on its own",
                )


@rule(
    id="EV07",
    category="evaluation-incomplete",
    severity="major",
    summary="another script than the evaluation draws a figure",
    needs=("commands.evaluate", "outputs.drawn_by_evaluation"),
    example="""
        - import matplotlib.pyplot as plt
        -
        - def draw(losses, folder):
        -     plt.plot(losses)
        -     plt.savefig(folder / "loss.pdf")  # flag: EV07
        + import wandb
        +
        + def track(loss):
        +     wandb.log({"train_loss": loss})
    """,
)
def figures_in_training(facts: Facts) -> Iterator[Flag]:
    """Figures belong to the evaluation, which draws all runs in the same way."""
    for path in facts.contract.scripts(but="evaluate"):
        file = facts.python.get(path)
        for call in file.calls_of(*_DRAWING) if file else ():
            yield Flag(
                Span(path, call.line, call.node.end_lineno),
                f"{path} draws a figure; figures come from {name_of(facts.evaluator)} only",
            )


@rule(
    id="EV08",
    category="evaluation-incomplete",
    severity="major",
    summary="no comparison figure is drawn",
    needs=("commands.evaluate", "outputs.comparison_figures"),
    example="""
          === src/evaluate.py # flag: EV08
          import matplotlib.pyplot as plt

        - def main(curve, run_id, folder):
        -     plt.plot(curve)
        -     plt.savefig(folder / f"{run_id}_learning_curve.pdf")
        + def main(final, folder):
        +     plt.bar(list(final), list(final.values()))
        +     plt.savefig(folder / "comparison_accuracy_bar_chart.pdf")
    """,
)
def comparison_undrawn(facts: Facts) -> Iterator[Flag]:
    """The comparison figure is what the reader of the paper sees."""
    script = facts.evaluation
    if script.is_readable and "comparison" not in " ".join(script.texts):
        yield Flag(
            Span(script.path),
            f"{name_of(script.path)} draws no figure named comparison_…: the word stands in no text"
            " of the file",
            names=("comparison_",),
        )


def _is_written(script: EvaluationScript, name: str) -> bool:
    """Whether a text of the script holds a name, whatever stands for its placeholders."""
    pattern = pattern_of(name)
    return any(
        re.search(pattern.pattern, text) if pattern else name in text for text in script.texts
    )


def _words(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).strip().casefold()


def _equal(said: str, wanted: str) -> bool:
    return _words(said) == _words(wanted)


def _same(wanted: str, text: str) -> bool:
    """Whether the words are in the text, line breaks and quotes aside."""
    return _words(wanted) in _words(text) or (
        len(wanted) > 40 and fuzz.partial_ratio(_words(wanted), _words(text)) > 97
    )
