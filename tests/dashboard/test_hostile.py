"""Guards, without a browser, that no hostile text reaches Streamlit's Markdown and no hidden
character a component.
"""

import json
import unicodedata
from dataclasses import replace
from datetime import date

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.charts.lines import period_steps
from reviewers.outcomes import Stage, outcome_of_run
from reviewers.records import Review, Ruling, Severity, SourceFile, Span, Verdict
from reviewers.store import Store
from reviewers.store.authors import Signer
from reviewers.store.outcomes import add_outcome
from reviewers.store.trends import CategoryCount, Over, Period, PeriodCount, TrendsQuery
from tests.builders import as_bytes, make_submission
from tests.dashboard import hostile
from tests.dashboard.desk import flag
from tests.dashboard.screens import drawn, open_page, send, set_state

MARKS = ("<script", "<img", "](javascript", "**b**", ":material/", ":red[", "$x")


@pytest.fixture(autouse=True)
def _hostile(store: Store) -> None:
    store.add(hostile.SUBMISSION, hostile.REVIEWS)
    store.rule_on(hostile.SUBMISSION.id, "h2", Ruling.DISMISS, hostile.REASON, hostile.AUTHOR)
    store.decide(hostile.SUBMISSION.id, Verdict.READY, hostile.REASON, hostile.AUTHOR)


def test_markdown_never_holds_a_raw_mark() -> None:
    at = open_page()
    assert_no_marks(at)
    at = open_page("trends")
    set_state(at, "lazy_section", shown=True)
    assert_no_marks(at)
    at = open_page("submission", s=hostile.SUBMISSION.id[:16])
    for panel in ("Findings", "Review text", "Context", "History"):
        at.session_state["panel"] = panel
        assert_no_marks(at.run())
    assert_no_marks(open_page("side-by-side", s=hostile.SUBMISSION.id[:16]))


def assert_no_marks(at: AppTest) -> None:
    assert not at.exception
    spoken = ("markdown", "caption", "error", "info", "success", "warning")
    for kind in (*spoken, "title", "header", "subheader"):
        for one in at.get(kind):
            assert not [mark for mark in MARKS if mark in one.value], one.value


@pytest.mark.parametrize(
    "file",
    [hostile.FILE, hostile.ABSENT, "config/runs/odd.yaml"],
    ids=["code", "absent", "run config"],
)
def test_components_get_no_hidden_character(file: str) -> None:
    at = open_page("submission", s=hostile.SUBMISSION.id[:16], f=file)
    for panel in ("Findings", "Review text", "Context"):
        at.session_state["panel"] = panel
        assert_visible(at.run())


def test_the_reviewers_side_by_side_get_no_hidden_character() -> None:
    at = open_page("side-by-side", s=hostile.SUBMISSION.id[:16])
    assert_visible(at)
    for row in drawn(at, "side_table")["rows"]:
        for told in row["cells"].values():
            assert_visible(send(at, "code_pane", {"kind": "look", "key": told[0]["key"]}))


def test_neither_a_diff_nor_a_real_run_has_a_hidden_character(store: Store) -> None:
    code = SourceFile(hostile.FILE, as_bytes(hostile.CODE.replace("x = ", "xx = ")))
    later = replace(hostile.SUBMISSION, files=(code, *hostile.SUBMISSION.files[1:]), attempt=2)
    store.add(
        later, tuple(replace(review, findings=review.findings[:1]) for review in hostile.REVIEWS)
    )
    add_outcome(
        store,
        outcome_of_run(
            later, f"{hostile.ALL}\nValueError: {hostile.ALL}\n", 1, Stage.TRIAL, store.now()
        )[0],
    )
    at = open_page(
        "submission", s=later.id[:16], file=hostile.FILE, against=hostile.SUBMISSION.id[:16]
    )
    for panel in ("Findings", "Attempts", "Outcomes"):
        at.session_state["panel"] = panel
        at.run()
        assert not at.exception
        assert drawn(at, "code_view")["diff"]["gone"]
        assert_visible(at)


def test_words_of_people_and_names_with_half_a_surrogate_pair_are_drawn_on_every_panel(
    store: Store,
) -> None:
    odd, id = f"{hostile.ALL}\ud800", hostile.SUBMISSION.id
    store.add_review(id, replace(hostile.REVIEWS[0], reviewer=f"{hostile.REVIEWER}\ud800"))
    somebody = Signer(odd[:200], "https://id.lab", "b")
    store.remark(
        id,
        "h1",
        author=somebody,
        severity=Severity.MINOR,
        comment=odd,
    )
    store.add_finding(
        id,
        span=Span(hostile.FILE, 2),
        severity=Severity.MAJOR,
        category="syntax-invalid",
        message=odd,
        author=somebody,
    )
    store.decide(id, Verdict.READY, odd[:190], "ada")
    at = open_page("submission", s=id[:16], file=hostile.FILE)
    for panel in ("Findings", "Review text", "Attempts", "Outcomes", "History"):
        at.session_state["panel"] = panel
        at.run()
        assert not at.exception
        assert_visible(at)
    for page in ("", "trends", "reviewers"):
        at = open_page(page)
        assert not at.exception
        assert_visible(at)


def test_of_thousands_of_findings_in_a_file_so_many_are_drawn_as_a_browser_bears(
    store: Store,
) -> None:
    found = tuple(
        flag(f"R{n}", Span("src/train.py", 3), id=f"{n:016x}", message=f"defect {n}")
        for n in range(400)
    )
    submission = make_submission()
    store.add(submission, (Review(reviewer="rules", verdict=Verdict.NOT_READY, findings=found),))
    at = open_page("submission", s=submission.id[:16], finding=found[-1].id)
    shown = drawn(at, "code_view")
    assert (len(shown["cards"]), len(drawn(at, "findings_list")["cards"])) == (300, 400)
    assert found[-1].id in {card["id"] for card in shown["cards"]}
    assert shown["notes"] == [
        "100 more findings are in the list of findings; click one there to show it."
    ]


def assert_visible(at: AppTest) -> None:
    shown = [json.loads(one.proto.json or "null") for one in at.get("bidi_component")]
    assert len(shown) > 4
    for text in texts(shown):
        assert not [
            c for c in text if unicodedata.category(c) in {"Cc", "Cf"} and c not in "\n\t"
        ], text


def texts(value: object) -> list[str]:
    """Every text that may be drawn; paths and keys only come back to Python, what is drawn of them
    stands beside them.
    """
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [
            text
            for name, inner in value.items()
            if name not in {"path", "file", "key", "seq", "shown"}
            for text in texts(inner)
        ]
    return [text for inner in value for text in texts(inner)] if isinstance(value, list) else []


def test_charts_label_with_text_since_plotly_reads_markup() -> None:
    at = set_state(open_page("trends"), "lazy_section", shown=True)
    specs = [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")]
    labels = [label for spec in specs for label in plotly_texts(spec)]
    # As the name of a category beside its cells, of a reviewer above its columns, at the end of a
    # line, and in the words under the pointer.
    assert sum("&lt;script&gt;" in label for label in labels) > 1
    days = [Period(day, day) for day in (date(2026, 1, 5), date(2026, 1, 6))]
    counts = [PeriodCount("<b>bold", day, 5, 6, 7) for day in days]
    lines = [CategoryCount("<b>bold", 5, 6, 7)]
    made = period_steps(counts, lines, None, TrendsQuery(), Over.DAY, dark=False)
    specs.append(json.loads(made.figure.to_json()))
    assert any("&lt;b&gt;bold" in label for label in plotly_texts(specs[-1]))
    assert any(
        "&lt;" in each["text"] for spec in specs for each in spec["layout"].get("annotations", ())
    )
    assert not [label for label in labels if "<script" in label or "<img" in label]


def plotly_texts(value: object) -> list[str]:
    """Every text of a figure that plotly may draw; the first of a mark's data is an address, which
    only Python reads.
    """
    if isinstance(value, dict):
        inner = [each[1:] for each in value.get("customdata", ())]
        return [
            text
            for each in (inner, *(each for name, each in value.items() if name != "customdata"))
            for text in plotly_texts(each)
        ]
    if isinstance(value, list):
        return [text for each in value for text in plotly_texts(each)]
    return [value] if isinstance(value, str) else []
