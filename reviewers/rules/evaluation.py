"""Rules for criterion 8, the independent evaluation."""

import re
from collections.abc import Iterator

from rapidfuzz import fuzz

from reviewers.facts import Facts
from reviewers.facts.tracking import EVALUATION, TRAINING
from reviewers.records import Span
from reviewers.rules.base import Flag, rule

_MAIN = "src/main.py"
_DRAWING = (".savefig", "matplotlib.pyplot.savefig", "plotly.io.write_image")
_AGGREGATED = ("primary_metric", "best_proposed", "best_baseline", "gap")


@rule(
    id="EV02",
    criterion=8,
    category="evaluation-incomplete",
    severity="major",
    summary="primary_metric is not the hypothesis' own words",
    bad="""
        === src/evaluate.py
        import json

        def main(final, path):
            aggregated = {"primary_metric": "accuracy", "metrics": final}  # flag: EV02
            path.write_text(json.dumps(aggregated))
    """,
    good="""
        === src/evaluate.py
        import json

        PRIMARY_METRIC = "Top-1 accuracy on the held-out split"

        def main(final, path):
            aggregated = {"primary_metric": PRIMARY_METRIC, "metrics": final}
            path.write_text(json.dumps(aggregated))
    """,
)
def other_primary_metric(facts: Facts) -> Iterator[Flag]:
    """Results of several experiments are joined by these words; a paraphrase is lost."""
    wanted = facts.submission.context.primary_metric
    said = facts.evaluation.primary_metric
    if not wanted or said is None or not facts.asks_for("primary_metric", "primary metric"):
        return
    span, literal = said
    configured = " ".join(
        file.text for path, file in facts.submission.by_path.items() if path.startswith("config/")
    )
    if literal is None and (_same(wanted, facts.evaluation.text) or _same(wanted, configured)):
        return
    if literal is None or not _equal(literal, wanted):
        what = f"“{literal[:80]}”" if literal is not None else "worked out by the code"
        yield Flag(
            span,
            f"primary_metric is {what}, but the hypothesis says “{wanted[:120]}”",
            f"the hypothesis' words “{wanted[:80]}” stand nowhere in {EVALUATION}",
        )


@rule(
    id="EV03",
    criterion=8,
    category="evaluation-incomplete",
    severity="major",
    summary="the aggregated metrics are not written, or lack a required entry",
    decides="aggregated-metrics",
    bad="""
        === src/evaluate.py # flag: EV03
        import json

        def main(final, folder):
            (folder / "summary.json").write_text(json.dumps(final))
    """,
    good="""
        === src/evaluate.py
        import json

        def main(final, folder, best, other):
            aggregated = {
                "primary_metric": "Top-1 accuracy on the held-out split",
                "metrics": final,
                "best_proposed": best,
                "best_baseline": other,
                "gap": (best["value"] - other["value"]) / other["value"] * 100,
            }
            (folder / "comparison" / "aggregated_metrics.json").write_text(json.dumps(aggregated))
    """,
)
def aggregate_incomplete(facts: Facts) -> Iterator[Flag]:
    """The comparison of the proposed method with the best baseline is what the experiment is
    for.
    """
    script = facts.evaluation
    if not script.is_readable or not facts.asks_for("aggregated"):
        return
    if not script.writes("aggregated_metrics"):
        yield Flag(Span(EVALUATION), "evaluate.py never writes comparison/aggregated_metrics.json")
        return
    asked = [key for key in _AGGREGATED if facts.asks_for(key, key.replace("_", " "))]
    missing = [key for key in asked if not script.writes(key) and key not in script.text]
    if missing:
        yield Flag(
            Span(EVALUATION),
            f"aggregated_metrics.json gets no {', no '.join(missing)}: the words stand nowhere in"
            " the file",
        )


@rule(
    id="EV04",
    criterion=8,
    category="evaluation-incomplete",
    severity="major",
    summary="no metrics.json is written for each run",
    decides="metrics-export",
    bad="""
        === src/evaluate.py # flag: EV04
        import json

        def main(runs, folder):
            (folder / "comparison" / "aggregated_metrics.json").write_text(json.dumps(runs))
    """,
    good="""
        === src/evaluate.py
        import json

        def main(runs, folder):
            for run_id, metrics in runs.items():
                (folder / run_id / "metrics.json").write_text(json.dumps(metrics))
    """,
)
def run_metrics_absent(facts: Facts) -> Iterator[Flag]:
    """Each run's numbers must be there on their own, or the comparison cannot be checked."""
    script = facts.evaluation
    if script.is_readable and facts.asks_for("metrics.json"):
        names = [
            text
            for text in script.texts
            if re.search(r"(?<![\w-])metrics\.json|(\{\}_?metrics\.json)", text)
        ]
        if not names:
            yield Flag(
                Span(EVALUATION), "evaluate.py never writes {results_dir}/{run_id}/metrics.json"
            )


@rule(
    id="EV05",
    criterion=8,
    category="evaluation-incomplete",
    severity="major",
    summary="no significance test is made",
    decides="significance-test",
    bad="""
        === src/evaluate.py # flag: EV05
        def main(final):
            print(max(final, key=final.get))
    """,
    good="""
        === src/evaluate.py
        from scipy.stats import ttest_ind

        def main(a, b):
            print(ttest_ind(a, b, equal_var=False).pvalue)
    """,
)
def significance_untested(facts: Facts) -> Iterator[Flag]:
    """A gap between two numbers says nothing without a test of whether it is more than noise."""
    script = facts.evaluation
    if script.is_readable and not script.tests_significance and facts.asks_for("significan"):
        yield Flag(
            Span(EVALUATION),
            "evaluate.py makes no statistical test: no code in it calls one or names one",
        )


@rule(
    id="EV06",
    criterion=8,
    category="evaluation-incomplete",
    severity="major",
    summary="main.py runs the evaluation",
    decides="evaluation-called",
    bad="""
        === src/main.py
        import subprocess
        import sys

        def main():
            subprocess.run([sys.executable, "-m", "src.evaluate"], check=True)  # flag: EV06
    """,
    good="""
        === src/main.py
        import subprocess
        import sys

        def main():
            subprocess.run([sys.executable, "-m", "src.train"], check=True)
    """,
)
def evaluation_called(facts: Facts) -> Iterator[Flag]:
    """The runs of one comparison finish on different machines; only then can it be evaluated."""
    file = facts.python.get(_MAIN)
    if file is None or not facts.asks_for("not call evaluat", "never call evaluat", "independent"):
        return
    for string in file.strings:
        if not string.is_docstring and string.value in (
            "src.evaluate",
            "src/evaluate.py",
            "evaluate.py",
        ):
            yield Flag(
                Span(_MAIN, string.line, string.end_line),
                "main.py starts the evaluation, which must run on its own",
            )
    for item in file.imports:
        if file.absolute(item) == "src.evaluate" or (
            item.name == "evaluate" and file.absolute(item) == "src"
        ):
            yield Flag(
                Span(_MAIN, item.line), "main.py imports the evaluation, which must run on its own"
            )


@rule(
    id="EV07",
    criterion=8,
    category="evaluation-incomplete",
    severity="major",
    summary="train.py or main.py draws a figure",
    decides="figures-in-training",
    bad="""
        import matplotlib.pyplot as plt

        def draw(losses, folder):
            plt.plot(losses)
            plt.savefig(folder / "loss.pdf")  # flag: EV07
    """,
    good="""
        import wandb

        def track(loss):
            wandb.log({"train_loss": loss})
    """,
)
def figures_in_training(facts: Facts) -> Iterator[Flag]:
    """Figures belong to evaluate.py, which draws all runs alike."""
    for path in (TRAINING, _MAIN):
        file = facts.python.get(path)
        if file is not None and facts.asks_for("no figure"):
            for call in file.calls_of(*_DRAWING):
                yield Flag(
                    Span(path, call.line, call.node.end_lineno),
                    f"{path} draws a figure; figures come from evaluate.py only",
                )


@rule(
    id="EV08",
    criterion=8,
    category="evaluation-incomplete",
    severity="major",
    summary="no comparison figure is drawn",
    bad="""
        === src/evaluate.py # flag: EV08
        import matplotlib.pyplot as plt

        def main(curve, run_id, folder):
            plt.plot(curve)
            plt.savefig(folder / f"{run_id}_learning_curve.pdf")
    """,
    good="""
        === src/evaluate.py
        import matplotlib.pyplot as plt

        def main(final, folder):
            plt.bar(list(final), list(final.values()))
            plt.savefig(folder / "comparison_accuracy_bar_chart.pdf")
    """,
)
def comparison_undrawn(facts: Facts) -> Iterator[Flag]:
    """The reader of the paper sees the comparison or nothing."""
    script = facts.evaluation
    if (
        script.is_readable
        and facts.asks_for("comparison_", "comparison figure")
        and "comparison" not in " ".join(script.texts)
    ):
        yield Flag(
            Span(EVALUATION),
            "evaluate.py draws no figure named comparison_…: the word stands in no text of the"
            " file",
        )


def _words(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).strip().casefold()


def _equal(said: str, wanted: str) -> bool:
    return _words(said) == _words(wanted)


def _same(wanted: str, text: str) -> bool:
    """Whether the words stand in the text, line breaks and quotes aside."""
    return _words(wanted) in _words(text) or (
        len(wanted) > 40 and fuzz.partial_ratio(_words(wanted), _words(text)) > 97
    )
