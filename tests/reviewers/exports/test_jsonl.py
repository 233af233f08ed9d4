"""Guards the export of a whole store: it comes back equal, a second import changes nothing, and no
person's word is lost.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from shutil import copyfile

import pytest

from reviewers.errors import BundleError, UnknownSubmission
from reviewers.exports.jsonl import export_lines
from reviewers.offers import Hunk
from reviewers.outcomes import Fix, Outcome, Stage, outcome_of_fix, outcome_of_run
from reviewers.records import (
    RecordedAnswer,
    ResearchContext,
    Ruling,
    Severity,
    SourceFile,
    Span,
    Submission,
)
from reviewers.store import Store
from reviewers.store.assignments import assign
from reviewers.store.commits import StoredCommit, add_commit
from reviewers.store.full_record import kept
from reviewers.store.lineages import relate
from reviewers.store.outcomes import add_outcome
from reviewers.store.repairs import Wanted, choose_repairs, edit_key, edit_of
from reviewers.store.restore import Restored, import_lines
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
)
from tests.shared_data import needs_shared

# Which version of our code made a review, and what that found to how its claims are read.
NOT_EXPORTED = ("version", "as_read", "read_result")
# The readers' tallies are made from `as_read`.
TABLES = tuple({*KEPT, *DERIVED} - {"reader_tallies", "rollup_parts"})
HERE = make_submission()
Spoil = Callable[[list[str]], list[str]]
# A store that was empty gives the same serial numbers, so that even these are equal.


@pytest.fixture(scope="module")
def full_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one of everything, hostile texts among it."""
    path = tmp_path_factory.mktemp("full") / "full.sqlite3"
    with closing(Store.open(f"sqlite:///{path}", clock=Clock())) as store:
        fill(store)
    return path


@pytest.fixture(scope="module")
def full_lines(full_path: Path) -> list[str]:
    return lines_in(f"sqlite:///{full_path}")


@pytest.fixture
def full(url: str, full_path: Path) -> Iterator[Store]:
    copyfile(full_path, url.removeprefix("sqlite:///"))
    clock = Clock()
    clock.now += timedelta(hours=1)
    with closing(Store.open(url, clock=clock)) as store:
        yield store


def fill(store: Store) -> None:
    odd = "NUL \0, escape \x1a0041, halves \ud83d\ude00, turned \u202e"
    first = make_submission(
        files=(
            SourceFile("a.py", b"\xff bytes"),
            SourceFile("a\x1a0041.py", b"\x1a0041"),
            SourceFile("b.py", "â„“".encode(), repaired="ℓ"),
        ),
        context=ResearchContext(
            hypothesis={"z": "last first", "a": odd}, method=odd, criteria="1. all"
        ),
        recorded=(
            RecordedAnswer(raw="not json", verdict=None, failure="no json"),
            RecordedAnswer(raw=odd, verdict=READY),
        ),
        lineage="line",
        attempt=3,
    )
    store.add(
        first,
        (make_review("recorded", READY, make_finding(claim=odd, claim_at=(1, 4)), raw=odd),),
    )
    store.add(make_submission("second"))
    store.add(make_submission("third"))
    asked = {
        "prompt": "findings/2",
        "input_tokens": 10,
        "cached_tokens": 3,
        "output_tokens": 5,
        "cost_usd": 0.1,
        "seconds": 2.5,
    }
    store.add_review(first.id, make_review("openai:x", READY, request="a" * 64, **asked))
    store.add_review(
        first.id,
        make_review(
            "openai:x",
            NOT_READY,
            make_finding("f2"),
            request="b" * 64,
            revises="a" * 64,
        ),
    )
    store.add_review(first.id, make_review("openai:x", None, request="c" * 64))
    store.decide(first.id, READY, odd, "Ann", blind=True)
    store.decide(first.id, None, "", "Bob", blind=False)
    store.rule_on(first.id, "f2", Ruling.DISMISS, odd, "Ann", blind=False)
    store.rule_on(first.id, "f2", Ruling.WITHDRAWN, "", "Bob")
    said = {"category": "cli-contract", "message": odd, "author": "Zoë"}
    own = store.add_finding(
        first.id, span=Span("b.py", 1), severity=Severity.BLOCKER, criterion=2, **said
    )
    store.add_finding(first.id, span=Span("gone\x1a0041.py"), severity=Severity.MINOR, **said)
    store.rule_on(first.id, own, Ruling.DISMISS, odd, "Bob")
    store.remark(first.id, own, author="Zoë", severity=Severity.MAJOR, comment=odd)
    store.remark(first.id, "f2", author="Ann", comment="see above")
    # Dora signs nothing herself.
    assign(store, [first.id], "Dora", "Ann")
    assign(store, [make_submission("second").id], "Ann", "Bob")
    assign(store, [make_submission("second").id], None, "Ann")
    choose_repairs(store, first.id, [Wanted("f2", "XX01", odd), Wanted("c1", "XX02", "a")], "Ann")
    choose_repairs(store, first.id, [Wanted("f2", "XX01", None, odd)], "Bob")
    edited = edit_of([Hunk(odd, 1, odd, odd)])
    choose_repairs(store, first.id, [Wanted("c1", "XX02", edit_key(edited), None, edited)], "Bob")
    relate(store, first.id, make_submission("second").id, True, odd, "Ann")
    relate(store, make_submission("third").id, first.id, False, "another idea", "Bob")
    add_commit(store, first.id, StoredCommit(odd, "c" * 40, None, odd, (odd, "heads/main")))
    add_commit(store, first.id, StoredCommit("here", "d" * 40, Clock().now, "attempt"))
    run, _ = outcome_of_run(first, f"{odd}\nTypeError: {odd}", 1, Stage.TRIAL, Clock().now)
    for outcome in (
        run,
        replace(run, stage=Stage.FULL, spans=(Span("a.py", 1, 2), Span("b.py"))),
        needed_fix(first),
    ):
        add_outcome(store, outcome)


def needed_fix(submission: Submission) -> Outcome:
    return outcome_of_fix(
        submission, Fix((Span("b.py", 1),), "fix the import"), "e" * 40, Stage.TRIAL, Clock().now
    )


def restored_into(url: str, lines: list[str]) -> Restored:
    with closing(Store.open(url)) as store:
        return import_lines(store, lines)


def lines_in(url: str) -> list[str]:
    with closing(Store.open(url)) as store:
        return list(export_lines(store))


def test_a_store_comes_back_equal(full: Store, url: str, tmp_path: Path) -> None:
    other = f"sqlite:///{tmp_path / 'other.sqlite3'}"
    added = restored_into(other, list(export_lines(full)))
    people = {"decisions": 2, "rulings": 3, "own_findings": 2, "remarks": 2, "relations": 2}
    people |= {"authors": 4, "assignments": 3, "repair_choices": 4}
    assert added == Restored(submissions=3, reviews=4, commits=2, outcomes=3, **people)
    assert content_of(other, TABLES) == content_of(url, TABLES)


def test_a_second_import_changes_nothing(full: Store, url: str) -> None:
    before = content_of(url, TABLES)
    assert import_lines(full, export_lines(full)) == Restored()
    assert content_of(url, TABLES) == before


def test_an_export_that_does_not_say_what_was_blind_brings_no_word_a_second_time(
    full: Store, tmp_path: Path
) -> None:
    lines = [re.sub(r', "blind": (true|false|null)', "", line) for line in export_lines(full)]
    assert not any('"blind"' in line for line in lines)
    assert import_lines(full, lines) == Restored()
    with closing(Store.open(f"sqlite:///{tmp_path / 'other.sqlite3'}")) as other:
        import_lines(other, lines)
        said = [each.blind for one in kept(other) for each in (*one.decisions, *one.rulings)]
        assert said == [None] * 5


@pytest.mark.postgresql
def test_a_store_comes_back_equal_by_way_of_postgresql(
    full: Store, url: str, tmp_path: Path, postgresql_url: str
) -> None:
    lines = list(export_lines(full))
    restored_into(postgresql_url, lines)
    assert lines_in(postgresql_url) == lines
    back = f"sqlite:///{tmp_path / 'back.sqlite3'}"
    restored_into(back, lines_in(postgresql_url))
    assert content_of(back, TABLES) == content_of(url, TABLES)


@pytest.mark.long
@needs_shared
def test_every_real_log_comes_back_equal(logs_url: str, tmp_path: Path) -> None:
    lines = lines_in(logs_url)
    other = f"sqlite:///{tmp_path / 'other.sqlite3'}"
    assert restored_into(other, lines).decisions > 0
    assert content_of(other, TABLES, *NOT_EXPORTED) == content_of(logs_url, TABLES, *NOT_EXPORTED)
    assert lines_in(other) == lines


@pytest.mark.long
@needs_shared
@pytest.mark.postgresql
def test_every_real_log_comes_back_equal_by_way_of_postgresql(
    logs_url: str, tmp_path: Path, postgresql_url: str
) -> None:
    lines = lines_in(logs_url)
    restored_into(postgresql_url, lines)
    assert restored_into(postgresql_url, lines) == Restored()
    back = f"sqlite:///{tmp_path / 'back.sqlite3'}"
    restored_into(back, lines_in(postgresql_url))
    assert content_of(back, TABLES, *NOT_EXPORTED) == content_of(logs_url, TABLES, *NOT_EXPORTED)


def test_a_word_of_a_person_that_only_the_other_store_has_stays(
    full: Store, tmp_path: Path
) -> None:
    lines = list(export_lines(full))
    id = next(kept(full)).submission.id
    full.decide(id, NOT_READY, "later", "Cid")
    assert import_lines(full, lines) == Restored()
    decision = load_submission(full, id).decision
    assert decision is not None
    assert decision.author.name == "Cid"


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """Two stores of the same submission, by one clock."""
    clock = Clock()
    with (
        closing(Store.open(f"sqlite:///{tmp_path / 'one'}", clock=clock)) as one,
        closing(Store.open(f"sqlite:///{tmp_path / 'other'}", clock=clock)) as other,
    ):
        for store in (one, other):
            review = make_review("recorded", NOT_READY, make_finding("f"), make_finding("g"))
            store.add(HERE, (review,))
        yield one, other


def test_an_older_decision_of_another_store_never_counts_over_a_newer_one(
    two: tuple[Store, Store],
) -> None:
    one, other = two
    for store, author in ((one, "Ann"), (other, "Bob")):
        store.decide(HERE.id, READY, "because", author)
        store.decide(HERE.id, NOT_READY, "because", author)
        store.rule_on(HERE.id, "f", Ruling.CONFIRM, "", author)
    new = Restored(decisions=2, rulings=1, authors=1)
    assert import_lines(other, export_lines(one)) == new
    assert import_lines(one, export_lines(other)) == new
    for store in two:
        record = load_submission(store, HERE.id)
        assert [(each.author.name, each.verdict) for each in record.decisions] == [
            ("Bob", NOT_READY),
            ("Bob", READY),
            ("Ann", NOT_READY),
            ("Ann", READY),
        ]
        assert record.ruling_of["f"].author.name == "Bob"


def test_the_newest_ruling_on_each_finding_counts_in_both_stores(two: tuple[Store, Store]) -> None:
    one, other = two
    one.rule_on(HERE.id, "f", Ruling.DISMISS, "wrong", "Ann")
    import_lines(other, export_lines(one))
    other.rule_on(HERE.id, "f", Ruling.WITHDRAWN, "", "Bob")
    one.rule_on(HERE.id, "g", Ruling.CONFIRM, "", "Ann")
    import_lines(one, export_lines(other))
    import_lines(other, export_lines(one))
    for store in two:
        assert store.said_on(HERE.id).rulings == {"g": Ruling.CONFIRM}


def test_the_newest_severity_counts_in_both_stores_and_the_same_finding_is_kept_once(
    two: tuple[Store, Store],
) -> None:
    one, other = two
    seen = {"category": "data-leakage", "message": "it leaks", "author": "Ann"}
    for store in two:
        store.add_finding(HERE.id, span=Span("src/train.py", 1), severity=Severity.MAJOR, **seen)
    one.remark(HERE.id, "f", author="Ann", severity=Severity.MINOR)
    other.remark(HERE.id, "f", author="Bob", severity=Severity.MAJOR)
    one.remark(HERE.id, "f", author="Ann", comment="later than both")
    assert import_lines(one, export_lines(other)) == Restored(remarks=1, authors=2)
    assert import_lines(other, export_lines(one)) == Restored(remarks=2, authors=1)
    for store in two:
        record = load_submission(store, HERE.id)
        assert record.severity_of == {"f": Severity.MAJOR}
        assert len(record.own) == 1


def test_the_newer_of_two_reviews_is_the_current_one_in_both_stores(
    two: tuple[Store, Store],
) -> None:
    one, other = two
    one.add_review(HERE.id, make_review("rules", READY))
    other.add_review(HERE.id, make_review("rules", NOT_READY))
    from_one, from_other = list(export_lines(one)), list(export_lines(other))
    import_lines(one, from_other)
    import_lines(other, from_one)
    for store in two:
        found = {each.review.reviewer: each for each in load_submission(store, HERE.id).reviews}
        assert found["rules"].review.verdict is NOT_READY


def test_the_submission_lines_are_the_bundle_form(full: Store) -> None:
    schemas = [json.loads(line)["schema"] for line in export_lines(full)]
    assert schemas[0] == "areachair.submission/1"
    assert set(schemas) == {"areachair.submission/1", "areachair.record/1"}


def everywhere(pattern: str, new: str) -> Spoil:
    return lambda lines: [re.sub(pattern, new, line) for line in lines]


@cases(
    "spoil",
    {
        "no json": lambda lines: ["{", *lines],
        "cut": lambda lines: [lines[0][:-20], *lines[1:]],
        "no submission": lambda lines: lines[1:],
        "no import": lambda lines: [lines[0]],
        "import taken out": lambda lines: [lines[0], *lines[2:]],
        "foreign": lambda lines: ['{"schema": "other/1"}', *lines],
        "content changed": lambda lines: [lines[0].replace("last first", "changed"), *lines[1:]],
        "verdict": everywhere('("decision".*)"ready"', r'\1"maybe"'),
        "author": everywhere('"Ann"', '""'),
        "time": everywhere('"at": "2026', '"at": "yesterday'),
        "time out of range": everywhere('"at": "[^"]+"', '"at": "9999-12-31T23:59:59-14:00"'),
        "count out of range": everywhere('"input_tokens": [^,]+', f'"input_tokens": {10**400}'),
        "seconds out of range": everywhere('"seconds": [^,]+', f'"seconds": {10**400}'),
        "flag": everywhere('"current": true', '"current": 1'),
        "finding": everywhere(r'"findings": \[', '"findings": [3, '),
        "kind": everywhere('"record": "decision"', '"record": "?"'),
        "stage": everywhere('"stage": "trial"', '"stage": "none"'),
        "own finding without an id": everywhere('"id": "[0-9a-f]{16}"', '"id": ""'),
        "own finding without a place": everywhere(
            r'"span": \["b.py", 1, 1\], "author"', '"span": null, "author"'
        ),
        "empty remark": everywhere('"comment": "see above"', '"comment": ""'),
        "spans": everywhere(r'"spans": \[\["a.py"', '"spans": [[3'),
        "commit": everywhere(f'"commit": "{"c" * 40}"', '"commit": "?"'),
        "flag on two": everywhere('"together": true', '"together": 1'),
        "no reason": everywhere(
            '"together": true, "reason": ', '"together": true, "reason": "", "was": '
        ),
        "tied to a submission that is not there": lambda lines: lines[
            [json.loads(line)["schema"] for line in lines].index("areachair.submission/1", 1) :
        ],
    },
)
def test_a_damaged_line_is_refused_with_its_number(
    full_lines: list[str], empty: Store, spoil: Spoil
) -> None:
    with pytest.raises(BundleError, match=r"^export: line \d+: [^\n]+$"):
        import_lines(empty, spoil(full_lines))
    with pytest.raises(UnknownSubmission):
        load_submission(empty, make_submission("second").id)
