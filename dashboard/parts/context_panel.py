"""The research context: hypothesis, method, design, runs, and the criteria that the recorded
reviewer was given.
"""

from typing import Any

from dashboard.parts.component import load
from dashboard.parts.plain import visible
from reviewers.records import Submission

_mount = load("context_panel")


def context_panel(submission: Submission, *, key: str) -> None:
    """Draw the research context in sections; missing parts are omitted."""
    _mount(
        key=key,
        data={
            "metric": visible(submission.context.primary_metric or "").strip(),
            "sections": context_sections(submission),
            "runs": _runs(submission),
        },
    )


def context_sections(submission: Submission) -> list[dict[str, Any]]:
    """Return titled texts in the bundle's order; `folded` ones are long and rarely wanted."""
    context = submission.context
    fields = [
        *((_title(name), text, False) for name, text in context.hypothesis.items()),
        ("Method", context.method, False),
        *((_title(name), text, False) for name, text in context.design.items()),
        ("Criteria given to the recorded reviewer", context.criteria, True),
        ("Bundle", submission.source, True),
    ]
    return [
        {"title": visible(title), "text": visible(text).strip(), "folded": folded}
        for title, text, folded in fields
        # Bundles repeat the metric among the fields of the hypothesis.
        if text and text.strip() and text != context.primary_metric
    ]


def _title(name: str) -> str:
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def _runs(submission: Submission) -> list[dict[str, str]]:
    return [
        {
            "run": visible(run.run_id),
            "method": visible(run.method or "—"),
            "model": visible(run.model or "—"),
            "dataset": visible(run.dataset or "—"),
        }
        for run in submission.runs
    ]
