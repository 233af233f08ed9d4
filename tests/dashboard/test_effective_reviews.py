"""Guards what the submission screen counts: people's severities and findings, and what a model can
be held to.
"""

from dataclasses import replace

from reviewers.batch.effective_reviews import EffectiveReviews, effective_reviews
from reviewers.records import Check, Review, Ruling, Severity, Span, Verdict
from reviewers.store.submission import StoredReview
from tests.reviewers.exports.recorded import (
    AT,
    dismissed,
    make_finding,
    make_record,
    remarked,
    seen,
)

ASKED = Review(reviewer="openai:a", verdict=Verdict.READY, request="a" * 64)
RULES = Review(
    reviewer="rules",
    verdict=Verdict.NOT_READY,
    findings=(make_finding("r1", rule="IM02"), make_finding("r2", rule="IM02")),
)
RECORD = make_record(reviews=(StoredReview(ASKED, AT), StoredReview(RULES, AT)))
OWN = seen("o1", Span("src/train.py", 3))


def missed(reviews: EffectiveReviews) -> list[str]:
    return [finding.id for finding in reviews.missed["openai:a"]]


def test_a_persons_severity_counts_in_every_review_and_in_what_is_missed() -> None:
    reviews = effective_reviews(replace(RECORD, remarks=(remarked("r1", Severity.MINOR),)))
    assert [finding.severity for finding in reviews.reviews["rules"].findings] == [
        Severity.MINOR,
        Severity.BLOCKER,
    ]
    assert missed(reviews) == ["r2"]


def test_what_a_person_found_is_missed_until_somebody_dismisses_it_and_is_never_shown_as_proof() -> (  # noqa: E501
    None
):
    assert missed(effective_reviews(replace(RECORD, own=(OWN,)))) == ["r1", "r2", "o1"]
    assert missed(effective_reviews(replace(RECORD, own=(OWN,), rulings=(dismissed("o1"),)))) == [
        "r1",
        "r2",
    ]
    shown = effective_reviews(replace(RECORD, own=(OWN,))).to_show("openai:a")
    assert shown is not None
    assert [finding.id for finding in shown[1]] == ["r1", "r2"]


def test_a_ruling_and_a_severity_on_one_finding_both_count() -> None:
    said = {
        "rulings": (dismissed("r1", Ruling.DISMISS),),
        "remarks": (remarked("r1", Severity.MAJOR),),
    }
    finding = effective_reviews(replace(RECORD, **said)).reviews["rules"].findings[0]
    assert (finding.check.result, finding.severity) == (Check.REFUTED, Severity.MAJOR)
