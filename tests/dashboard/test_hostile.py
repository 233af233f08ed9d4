"""Guards, without a browser, that no hostile text reaches Streamlit's Markdown and no hidden character a component."""

import json
import unicodedata

import pytest

from reviewers.records import Ruling, Verdict
from reviewers.store import Store
from tests.dashboard import hostile
from tests.dashboard.screens import open_page

MARKS = ("<script", "<img", "](javascript", "**b**", ":material/", ":red[", "$x")


@pytest.fixture(autouse=True)
def _hostile(store: Store) -> None:
    store.add(hostile.SUBMISSION, hostile.REVIEWS)
    store.rule_on(hostile.SUBMISSION.id, "h2", Ruling.DISMISS, hostile.REASON, hostile.AUTHOR)
    store.decide(hostile.SUBMISSION.id, Verdict.READY, hostile.REASON, hostile.AUTHOR)


@pytest.mark.parametrize("panel", ["Findings", "Review text", "Context", "History"])
@pytest.mark.parametrize("page", ["", "submission", "trends"])
def test_markdown_never_holds_a_raw_mark(page: str, panel: str) -> None:
    at = open_page(page, **({"s": hostile.SUBMISSION.id[:16]} if page == "submission" else {}))
    if page == "submission":
        at.session_state["panel"] = panel
        at.run()
    assert not at.exception
    for kind in ("markdown", "caption", "error", "info", "success", "warning", "title", "header", "subheader"):
        for one in at.get(kind):
            assert not [mark for mark in MARKS if mark in one.value], one.value


@pytest.mark.parametrize("file", [hostile.FILE, hostile.ABSENT, "config/runs/odd.yaml"], ids=["code", "absent", "run config"])
@pytest.mark.parametrize("panel", ["Findings", "Review text", "Context"])
def test_components_get_no_hidden_character(file: str, panel: str) -> None:
    at = open_page("submission", s=hostile.SUBMISSION.id[:16], f=file)
    at.session_state["panel"] = panel
    at.run()
    shown = [json.loads(one.proto.json or "null") for one in at.get("bidi_component")]
    assert len(shown) > 4
    for text in texts(shown):
        assert not [c for c in text if unicodedata.category(c) in {"Cc", "Cf"} and c not in "\n\t"], text


def texts(value: object) -> list[str]:
    """Every text that may be drawn; paths and keys only come back to Python, what is drawn of them stands beside them."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [
            text for name, inner in value.items() if name not in {"path", "file", "key", "seq", "shown"} for text in texts(inner)
        ]
    return [text for inner in value for text in texts(inner)] if isinstance(value, list) else []


def test_charts_label_with_text_since_plotly_reads_markup() -> None:
    at = open_page("trends")
    traces = [trace for chart in at.get("plotly_chart") for trace in json.loads(chart.proto.spec)["data"]]
    labels = [label for trace in traces for label in [*trace.get("y", []), trace.get("name", ""), trace["hovertemplate"]]]
    assert any("&lt;script&gt;" in str(label) for label in labels)
    assert not [label for label in labels if "<script" in str(label) or "<img" in str(label)]
