"""Guards how claims are read: only ever inserted, a person's word first; what the code says to them
is worked out anew, kept, exported, filed, and never takes the reviewer's own check away.
"""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select, update

from reviewers.batch.reading import (
    judge_again,
    keep_how_read,
    outdated,
    withdraw_reading,
)
from reviewers.errors import StoreError
from reviewers.exports.jsonl import export_lines
from reviewers.exports.stats_page import stats_page
from reviewers.propositions import parse
from reviewers.readers.reading import Reading
from reviewers.records import (
    OFFLINE,
    Check,
    FactCheck,
    Finding,
    Ruling,
    Span,
    Statement,
    Understood,
)
from reviewers.settings import sqlite_url
from reviewers.store import Store
from reviewers.store.agreement import readers, ruled, stamp
from reviewers.store.inbox import InboxQuery, ReadAs, inbox
from reviewers.store.readers import ReaderTally
from reviewers.store.readings import readings_of
from reviewers.store.restore import import_lines
from reviewers.store.stats_summary import headline
from reviewers.store.submission import load_submission
from reviewers.store.tables import findings
from reviewers.store.uncategorised import OpenClaim, alike, file_claims, open_claims
from tests.reviewers.store.conftest import Older
from tests.reviewers.store.making import (
    READY,
    make_finding,
    make_review,
    make_submission,
)

SUBMISSION = make_submission()
CLAIM = "It prints nothing"
PRINTS = {"p": "calls", "scope": "src/train.py", "callee": "print"}
NEVER = {"not": PRINTS}
PART = FactCheck(Check.CONFIRMED, "seen", Span("src/train.py", 1))


def claim(**fields: object) -> Finding:
    check = FactCheck(Check.UNVERIFIED, "nobody knows")
    base = make_finding(id="c1", rule=None, kind="other", claim=CLAIM, check=check, span=None)
    return replace(base, **fields)  # type: ignore[arg-type]


def kept(store: Store, *findings: Finding) -> None:
    store.add(SUBMISSION, (make_review("recorded", READY, *(findings or (claim(),))),))


def read(store: Store, value: object, author: str | None = None, reader: str = "model") -> int:
    reading = Reading(reader=reader, proposition=parse(value))
    new = keep_how_read(store, SUBMISSION, {CLAIM: reading}, author)
    judge_again(store, SUBMISSION)
    return new


def found(store: Store) -> Finding:
    (stored,) = load_submission(store, SUBMISSION.id).reviews
    return stored.review.findings[0]


def test_what_the_code_says_to_a_reading_counts_wherever_findings_are_counted(store: Store) -> None:
    kept(store)
    assert read(store, NEVER) == 1
    assert found(store).check.result is Check.REFUTED
    assert found(store).understood is not None
    (row,) = inbox(store, InboxQuery()).rows
    assert [chip.refuted for chip in row.chips] == [1]
    store.rule_on(SUBMISSION.id, "c1", Ruling.CONFIRM, "", "ana")
    assert [counts.upheld["refuted"] for counts in ruled(store).values()] == [1]


def test_the_same_reading_is_kept_once_and_a_person_goes_before_every_reader(store: Store) -> None:
    kept(store)
    assert [read(store, NEVER), read(store, NEVER)] == [1, 0]
    assert read(store, PRINTS, author="ana", reader="a person") == 1
    assert read(store, NEVER, reader="other") == 1
    assert [each.by for each in readings_of(store, SUBMISSION.id)[CLAIM]] == [
        "ana",
        "other",
        "model",
    ]
    said = found(store).understood
    assert said is not None
    assert (said.reader, found(store).check.result) == ("ana", Check.CONFIRMED)
    assert [reader for reader, _ in said.otherwise] == ["other", "model"]


def test_a_new_review_with_the_same_claim_is_read_as_before(store: Store) -> None:
    kept(store)
    read(store, NEVER)
    assert list(dict(headline(store).said)) == ["calls"]
    offline = Understood(reader=OFFLINE, proposition=json.dumps(NEVER), sentence="it never prints")
    for again in (claim(message="told anew"), claim(kind="uses", understood=offline)):
        kept(store, again)
        assert found(store).check.result is Check.REFUTED
        assert list(dict(headline(store).said)) == ["calls"]


def test_a_claim_without_words_has_no_reading(store: Store) -> None:
    kept(store)
    with pytest.raises(StoreError, match="a claim has 1 to"):
        keep_how_read(store, SUBMISSION, {"": Reading(reader="m", why_not="x")})


def test_only_what_an_older_areachair_judged_is_judged_anew(store: Store) -> None:
    kept(store)
    read(store, NEVER)
    assert outdated(store) == []
    assert outdated(store, every=True) == [SUBMISSION.id]
    its = findings.c.as_read
    with store.writing() as connection:
        for told in connection.scalars(select(its).where(its.is_not(None))).all():
            older = {**told, "version": "old"}
            connection.execute(update(findings).where(its == told).values(as_read=older))
    assert outdated(store) == [SUBMISSION.id]
    assert judge_again(store, SUBMISSION) == 1
    assert outdated(store) == []


def test_parts_come_back_and_an_export_brings_readings_along(store: Store, tmp_path: Path) -> None:
    parts = (Statement("one", PART), Statement("two", replace(PART, span=None)))
    kept(store, claim(parts=parts))
    assert found(store).parts == parts
    read(store, NEVER)
    read(store, PRINTS, author="ana", reader="a person")
    lines = list(export_lines(store))
    assert sum(json.loads(line).get("record") == "reading" for line in lines) == 2
    assert import_lines(store, iter(lines)).readings == 0
    with closing(Store.open(sqlite_url(tmp_path / "other.sqlite3"))) as other:
        restored = import_lines(other, iter(lines))
        assert (restored.readings, restored.reviews) == (2, 1)
        assert found(other).check.result is Check.UNVERIFIED
        judge_again(other, SUBMISSION)
        assert found(other) == found(store)
        assert list(export_lines(other)) == lines


def test_how_a_model_reads_its_own_findings_is_kept_as_a_reading(store: Store) -> None:
    said = Understood(reader="gpt", proposition=json.dumps(NEVER), sentence="it never prints")
    own = claim(understood=said, check=FactCheck(Check.REFUTED, "seen"))
    review = replace(make_review("gpt", READY, own), request="r1")
    store.add(SUBMISSION, (review,))
    assert found(store).understood == said
    assert [each.by for each in readings_of(store, SUBMISSION.id)[CLAIM]] == ["gpt"]
    judge_again(store, SUBMISSION)
    assert found(store).check.result is Check.REFUTED
    assert read(store, PRINTS, author="ana", reader="a person") == 1
    store.add_review(SUBMISSION.id, replace(review, request="r2", raw="again"))
    assert (found(store).understood or said).reader == "ana"


def cut(store: Store, *findings: Finding) -> tuple[tuple[str, str | None, Check], ...]:
    review = make_review("recorded", READY, *findings)
    store.add(SUBMISSION, (replace(review, text=f"{CLAIM}, so it fails.", raw="{}"),))
    (stored,) = load_submission(store, SUBMISSION.id).reviews
    return tuple((each.id, each.claim, each.check.result) for each in stored.review.findings)


TOLD = (
    claim(claim_at=(0, 17)),
    claim(id="c2", claim="so it fails.", claim_at=(19, 31)),
)
WHOLE = claim(
    id="w1",
    claim=f"{CLAIM}, so it fails.",
    claim_at=(0, 31),
    check=PART,
    parts=(Statement(CLAIM, PART), Statement("so it fails.", TOLD[1].check)),
)


def test_an_answer_is_cut_otherwise_than_before_where_nobody_spoke_of_it(store: Store) -> None:
    cut(store, *TOLD)
    assert cut(store, WHOLE) == (("w1", WHOLE.claim, Check.CONFIRMED),)


def test_an_answer_on_which_a_person_ruled_stays_cut_as_it_was_and_is_checked_anew(
    store: Store,
) -> None:
    cut(store, *TOLD)
    store.rule_on(SUBMISSION.id, "c2", Ruling.DISMISS, "it runs", "ana")
    assert cut(store, WHOLE) == (
        ("c1", CLAIM, Check.CONFIRMED),
        ("c2", "so it fails.", Check.UNVERIFIED),
    )
    assert list(load_submission(store, SUBMISSION.id).ruling_of) == ["c2"]


def test_a_finding_that_is_called_otherwise_once_read_keeps_the_name_that_was_ruled_on(
    store: Store,
) -> None:
    cut(store, TOLD[0])
    store.remark(SUBMISSION.id, "c1", author="ana", comment="true")
    assert [id for id, *_ in cut(store, replace(TOLD[0], id="p1", aliases=("c1",)))] == ["c1"]


def test_readers_are_told_apart_by_whose_reading_counts(store: Store) -> None:
    kept(store)
    assert readers(store) == []
    read(store, NEVER)
    before = stamp(store)
    assert readers(store) == [
        ReaderTally("model", asked=1, refuted=1),
        ReaderTally("offline", asked=1),
    ]
    read(store, PRINTS, author="ana", reader="a person")
    assert stamp(store) != before
    assert readers(store) == [
        ReaderTally("people", asked=1, confirmed=1, two_ways=1),
        ReaderTally("model", asked=1, reread=1, two_ways=1),
        ReaderTally("offline", asked=1),
    ]
    asked = [("model", ReadAs.OVERRULED), ("people", ReadAs.TWO_WAYS), (None, ReadAs.CONFIRMED)]
    asked += [("model", ReadAs.JUDGED), ("offline", ReadAs.OPEN), (None, ReadAs.REFUTED)]
    found = [inbox(store, InboxQuery(read_by=by, reading=came)).total for by, came in asked]
    assert found == [1, 1, 1, 0, 0, 0]
    assert "| people  |     1 |      1 |         1 |" in stats_page(headline(store))


def test_a_reading_that_is_withdrawn_counts_no_more_and_stays_on_record(
    store: Store, tmp_path: Path
) -> None:
    kept(store)
    read(store, NEVER)
    before = found(store), readers(store)
    with pytest.raises(StoreError, match="no reading of yours"):
        withdraw_reading(store, SUBMISSION, CLAIM, "ana")
    read(store, PRINTS, author="ana", reader="a person")
    with pytest.raises(StoreError, match="no reading of yours"):
        withdraw_reading(store, SUBMISSION, CLAIM, "bob")
    withdraw_reading(store, SUBMISSION, CLAIM, "ana")
    assert (found(store), readers(store)) == before
    told = load_submission(store, SUBMISSION.id).read_by_people
    assert [each.is_withdrawn for each in told] == [False, True]
    with closing(Store.open(sqlite_url(tmp_path / "other.sqlite3"))) as other:
        import_lines(other, export_lines(store))
        judge_again(other, SUBMISSION)
        assert (found(other), readers(other)) == before
    assert read(store, PRINTS, author="ana", reader="a person") == 1
    assert found(store).check.result is Check.CONFIRMED


def test_a_fact_check_that_a_person_rules_against_overrules_who_read_the_claim(
    store: Store,
) -> None:
    kept(store)
    read(store, NEVER)
    for ruling, overruled in ((Ruling.DISMISS, 0), (Ruling.CONFIRM, 1), (Ruling.WITHDRAWN, 0)):
        store.rule_on(SUBMISSION.id, "c1", ruling, "it prints", "ana")
        first = readers(store)[0]
        assert (first.reader, first.overruled) == ("model", overruled)


def test_what_is_read_offline_is_overruled_by_a_person_even_where_they_say_it_is_no_statement(
    store: Store,
) -> None:
    told = "`src/train.py` calls `print`."
    kept(store, claim(claim=told))
    judge_again(store, SUBMISSION)
    assert readers(store) == [ReaderTally("offline", asked=1, confirmed=1)]
    two = Reading(reader="person", why_not="it means two things", is_final=True)
    keep_how_read(store, SUBMISSION, {told: two}, "ana")
    judge_again(store, SUBMISSION)
    assert readers(store) == [
        ReaderTally("offline", asked=1, reread=1, two_ways=1),
        ReaderTally("people", asked=1, two_ways=1),
    ]


def test_a_store_from_before_readers_were_counted_counts_them_once_it_is_opened(
    older: Older, url: str
) -> None:
    def fill(store: Store) -> None:
        kept(store)
        read(store, NEVER)
        read(store, PRINTS, author="ana", reader="a person")

    with closing(Store.open(older("0021", fill))) as newer, closing(Store.open(url)) as today:
        assert readers(newer) == readers(today) != []


OPEN = FactCheck(Check.UNVERIFIED, "nobody knows")
WORDS = ("All other core requirements appear satisfied", "It prints nothing")
DECLARES = {"p": "declares", "package": "torch"}


def uncategorised(id: str, words: str) -> Finding:
    found = make_finding(id=id, kind="other", claim=words, check=OPEN, span=None)
    return replace(found, category="uncategorised")


@pytest.fixture
def filled(store: Store) -> Store:
    for name in ("one", "two"):
        claims = [uncategorised(f"c{at}", words) for at, words in enumerate(WORDS)]
        store.add(make_submission(name), (make_review("recorded", READY, *claims),))
    return store


def counted(store: Store, category: str) -> int:
    return inbox(store, InboxQuery(category=category)).total


def test_claims_of_similar_words_are_one_group_whatever_names_are_in_them() -> None:
    words = (
        "The loader in `src/data.py` ignores the seed.",
        "something else entirely",
        "The loader in `code/io/loading.py` ignores the seed",
        "`x`",
        "`y = 1`",
    )
    claims = [OpenClaim("s", "s", str(at), said) for at, said in enumerate(words)]
    groups = [[int(each.finding) for each in group] for group in alike(claims)]
    assert groups == [[0, 2], [1], [3], [4]]
    assert alike([OpenClaim("s", "s", "c", "." * 5_000)])


def test_a_group_that_a_person_files_counts_there_and_can_be_taken_back(
    filled: Store, tmp_path: Path
) -> None:
    groups = alike(open_claims(filled))
    assert [{each.claim for each in group} for group in groups] == [{WORDS[0]}, {WORDS[1]}]
    assert [len(group) for group in groups] == [2, 2]
    assert (counted(filled, "uncategorised"), counted(filled, "data-leakage")) == (2, 0)
    file_claims(filled, groups[1], "data-leakage", "ana")
    assert {each.claim for each in open_claims(filled)} == {WORDS[0]}
    file_claims(filled, groups[0], "data-leakage", "ana")
    assert open_claims(filled) == []
    assert (counted(filled, "uncategorised"), counted(filled, "data-leakage")) == (0, 2)
    told = load_submission(filled, groups[0][0].submission)
    assert {each.comment for each in told.remarks} == {"filed under Data leakage"}
    assert {told.said.filed(each).category for each in told.findings} == {"data-leakage"}
    with closing(Store.open(sqlite_url(tmp_path / "other.sqlite3"))) as other:
        import_lines(other, export_lines(filled))
        assert counted(other, "data-leakage") == 2
        assert list(export_lines(other)) == list(export_lines(filled))
    file_claims(filled, groups[0], "uncategorised", "bob")
    assert {each.claim for each in open_claims(filled)} == {WORDS[0]}


def test_a_claim_that_somebody_reads_is_filed_under_what_it_says(filled: Store) -> None:
    submission = make_submission("one")
    read = Reading(reader="person", proposition=parse(DECLARES), is_final=True)
    keep_how_read(filled, submission, {WORDS[1]: read}, "ana")
    judge_again(filled, submission)
    assert counted(filled, "packaging-invalid") == 1
    assert len(open_claims(filled)) == 3
    withdraw_reading(filled, submission, WORDS[1], "ana")
    assert (counted(filled, "packaging-invalid"), len(open_claims(filled))) == (0, 4)


def test_what_cannot_be_filed_is_refused_and_files_nothing(filled: Store) -> None:
    claims = open_claims(filled)
    for category, author in (("no-such", "ana"), ("data-leakage", "")):
        with pytest.raises(StoreError):
            file_claims(filled, claims, category, author)
    assert open_claims(filled) == claims
