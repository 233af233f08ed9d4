"""Guards that what is kept comes back equal, is kept once, and that keeping it again changes
nothing.
"""

from dataclasses import replace

import pytest

from reviewers.errors import StoreError, UnknownSubmission
from reviewers.records import (
    Check,
    FactCheck,
    Found,
    Misreading,
    Place,
    RecordedAnswer,
    ResearchContext,
    Review,
    RunConfig,
    Severity,
    SourceFile,
    Span,
    Submission,
)
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, inbox, reviewers_seen
from reviewers.store.submission import load_submission
from tests.cases import cases
from tests.reviewers.store.making import (
    DERIVED,
    KEPT,
    NOT_READY,
    READY,
    Clock,
    content_of,
    make_finding,
    make_review,
    make_submission,
    row_counts,
    rules_found,
    sql,
)

HOSTILE = "a\x00b\x1a0000\x1b[31m\ud800\udfff\u202e'\"%_\\ ‚Ñì\U0001f600\r\n\x1a"
LONG = "x" * 1_000_000

FULL = Submission(
    name="20260301_02",
    source="logs/20260301_02.txt",
    files=(
        SourceFile("src/main.py", b"\xff\x00\r\nx = 1\n", repaired="x = 1\n"),
        SourceFile("src/train.py", b""),
    ),
    runs=(
        RunConfig(
            "z-run", SourceFile("config/run/z-run.yaml", b"a: 1\n"), "proposed", "bert", "sst2"
        ),
        RunConfig("a-run", SourceFile("config/run/a-run.yaml", b"a: 1\n", repaired="a: 1")),
    ),
    context=ResearchContext(
        {"z": "last", "a": "first"},
        "Method",
        {"Strategy": "two", "Models": ""},
        "F1 score",
        "1. Complete",
    ),
    recorded=(
        RecordedAnswer('{"issue": "…"}', NOT_READY, "it fails", None, "o3"),
        RecordedAnswer("gibberish", None, None, "no JSON in it", None),
    ),
    lineage="20260301",
    attempt=2,
)
WHOLE = make_finding(
    "f9",
    Check.REFUTED,
    severity=Severity.MINOR,
    criterion=None,
    kind="syntax",
    claim="line 3 is broken",
    claim_at=(10, 26),
    span=Span("src/main.py", 3, 5),
    places=(
        Place(Span("src/main.py", 3, 5), Found.LINE),
        Place(Span("src/model.py"), Found.NEAR, "line 9 \ud800"),
    ),
)
WHOLE = replace(
    WHOLE,
    check=FactCheck(Check.REFUTED, "it parses", Span("src/main.py", 3), Misreading.PROMPT_ARTIFACT),
)
REVIEW = Review(
    reviewer="openai:gpt-5",
    verdict=NOT_READY,
    findings=(
        WHOLE,
        make_finding("f1", Check.UNVERIFIED, span=None),
        make_finding("f2", rule="FS01", span=Span("src/model.py")),
    ),
    model="gpt-5-2026-01-01",
    text="the text",
    raw="the raw answer",
    seconds=1.5,
    input_tokens=1200,
    output_tokens=34,
    cost_usd=0.0125,
)


def test_a_submission_comes_back_equal(store: Store) -> None:
    assert store.add(FULL)
    loaded = load_submission(store, FULL.id).submission
    assert loaded == FULL
    assert loaded.id == FULL.id
    assert list(loaded.context.hypothesis) == ["z", "a"]


def test_a_review_comes_back_equal(store: Store, clock: Clock) -> None:
    store.add(FULL)
    assert store.add_review(FULL.id, REVIEW)
    (stored,) = load_submission(store, FULL.id).reviews
    assert stored.review == REVIEW
    assert stored.at == clock.now


@pytest.mark.parametrize(
    "text", [HOSTILE, LONG], ids=["control characters and lone surrogates", "a million characters"]
)
def test_hostile_text_comes_back_as_it_was(store: Store, text: str) -> None:
    file = SourceFile(f"src/{text}.py", text.encode("utf-8", "surrogatepass"), repaired=text)
    submission = Submission(
        name=text,
        source=text,
        files=(file,),
        runs=(RunConfig(text, file, text, text, text),),
        context=ResearchContext({text: text}, text, {text: text}, text, text),
        recorded=(
            RecordedAnswer(text, NOT_READY, text, None, text),
            RecordedAnswer(text, None, None, text, None),
        ),
        lineage=text,
    )
    finding = make_finding(text, message=text, claim=text, kind=text, span=Span(text, 1))
    finding = replace(finding, check=FactCheck(Check.REFUTED, text, Span(text)))
    review = Review(
        reviewer="recorded", verdict=NOT_READY, findings=(finding,), model=text, text=text, raw=text
    )
    failed = Review(reviewer="openai:x", verdict=None, failure=text)

    store.add(submission, (review, failed))
    store.decide(submission.id, READY, f"because {text}", "Ann")

    record = load_submission(store, submission.id)
    assert record.submission == replace(submission, lineage=text[:150], attempt=1), (
        "a lineage's name is cut for its index"
    )
    assert [stored.review for stored in record.reviews] == [review, failed]
    assert record.decisions[0].reason == f"because {text}".strip()
    (row,) = inbox(store, InboxQuery()).rows
    assert (row.name, row.lineage) == (text, text[:150])
    assert row.chips[0].model == text
    assert inbox(store, InboxQuery(text=text, lineage=text)).total <= 1


def test_importing_again_changes_no_row(store: Store, url: str) -> None:
    reviews = (make_review("recorded", NOT_READY, make_finding("c1")), rules_found("r1", "r2"))
    assert store.add(FULL, reviews)
    before, counts = content_of(url, (*KEPT, *DERIVED)), row_counts(url)
    assert not store.add(FULL, reviews)
    assert not store.add(FULL)
    assert not store.add_review(FULL.id, reviews[0])
    assert row_counts(url) == counts
    assert content_of(url, (*KEPT, *DERIVED)) == before


def test_another_name_for_the_same_content_changes_nothing(store: Store, url: str) -> None:
    store.add(FULL)
    before = content_of(url, KEPT)
    assert not store.add(
        replace(FULL, name="copy", source="elsewhere/copy.zip", lineage=None, attempt=None)
    )
    assert content_of(url, KEPT) == before


def test_an_answer_that_another_log_brings_along_is_kept_too(store: Store) -> None:
    store.add(FULL)
    further = RecordedAnswer("another", READY, "fine", None, "o4")
    assert store.add(replace(FULL, recorded=(further, FULL.recorded[0])))
    assert load_submission(store, FULL.id).submission.recorded == (*FULL.recorded, further)


def test_files_are_kept_once_by_content(store: Store, url: str) -> None:
    for name in ("one", "two", "three"):
        store.add(make_submission(name))
    # Three of train.py, one of model.py, one run config; the other rows only point at them.
    assert sql(url, "SELECT count(*) FROM contents") == [(6,)], "five files, and what it is for"
    assert sql(url, "SELECT count(*) FROM submission_files") == [(6,)]


@pytest.mark.parametrize(
    "change",
    [{"seconds": 9.0}, {"cost_usd": 1.0}, {"input_tokens": 7, "output_tokens": 8}],
    ids=["seconds", "cost", "tokens"],
)
def test_a_review_that_differs_in_effort_only_is_the_same(
    store: Store, change: dict[str, float]
) -> None:
    store.add(FULL, (REVIEW,))
    assert not store.add_review(FULL.id, replace(REVIEW, **change))


@cases(
    "change",
    {
        **{name: {name: "other"} for name in ("model", "raw", "text")},
        "verdict": {"verdict": READY},
        "no findings": {"findings": ()},
        "place in the text": {"findings": (replace(WHOLE, claim_at=(0, 1)),)},
        "evidence": {"findings": (replace(WHOLE, check=replace(WHOLE.check, evidence="other")),)},
    },
)
def test_a_changed_review_becomes_the_current_one_and_the_old_one_stays(
    store: Store, url: str, change: dict[str, object]
) -> None:
    store.add(FULL, (REVIEW,))
    changed = replace(REVIEW, **change)
    assert store.add_review(FULL.id, changed)
    assert [stored.review for stored in load_submission(store, FULL.id).reviews] == [changed]
    assert sql(url, "SELECT count(*) FROM reviews") == [(2,)]
    assert inbox(store, InboxQuery()).rows[0].chips[0].verdict is changed.verdict


def test_a_review_that_returns_is_current_again_without_a_new_row(store: Store, url: str) -> None:
    sound, mistaken = rules_found(), rules_found("r1")
    store.add(FULL, (sound,))
    store.add_review(FULL.id, mistaken)
    assert store.add(FULL, (sound,))
    assert [stored.review for stored in load_submission(store, FULL.id).reviews] == [sound]
    assert sql(url, "SELECT count(*) FROM reviews") == [(2,)]


def test_each_recorded_answer_is_a_reviewer_of_its_own(store: Store) -> None:
    first = make_review("recorded", READY, raw="first", model="o3")
    second = make_review("recorded", NOT_READY, raw="second", model="o4")
    store.add(FULL, (rules_found(), first, second))
    assert not store.add(FULL, (first,))
    assert [stored.review for stored in load_submission(store, FULL.id).reviews] == [
        first,
        second,
        rules_found(),
    ]
    assert reviewers_seen(store) == ("recorded", "rules")


def test_reviews_come_recorded_first_then_by_name(store: Store) -> None:
    names = ["rules", "openai:b", "recorded", "openai:a"]
    store.add(FULL, tuple(make_review(name, READY) for name in names))
    shown = [stored.review.reviewer for stored in load_submission(store, FULL.id).reviews]
    assert shown == ["recorded", "openai:a", "openai:b", "rules"]
    assert [chip.reviewer for chip in inbox(store, InboxQuery()).rows[0].chips] == shown


def test_a_review_that_cannot_be_kept_leaves_nothing_behind(store: Store, url: str) -> None:
    with pytest.raises(StoreError, match="201 characters"):
        store.add(FULL, (rules_found(), make_review("x" * 201)))
    with pytest.raises(StoreError, match="too large"):
        store.add(replace(FULL, attempt=10**30))
    assert set(row_counts(url).values()) == {0}


@pytest.mark.parametrize(
    "id", ["", "0" * 64, "first", "a\x00", "\ud800", "'; DROP TABLE decisions; --"]
)
def test_writing_to_an_unknown_submission_is_refused(store: Store, id: str) -> None:
    with pytest.raises(UnknownSubmission):
        store.add_review(id, rules_found())
    with pytest.raises(UnknownSubmission):
        store.decide(id, READY, "why", "Ann")
