"""How a model reads its own findings: the proposition that it gives beside each is a reading like
any other, which may be refused.
"""

from collections.abc import Collection, Iterator, Sequence

from reviewers.claims.claim import words_above
from reviewers.panel.stated import Stated, StatedFinding
from reviewers.propositions import InvalidReading, parse
from reviewers.readers.reading import Reading
from reviewers.readers.validation import Validation
from reviewers.readers.variants import usual_form
from reviewers.records import Finding, Submission


def own_readings(
    findings: Sequence[Finding],
    stated: Sequence[Stated],
    submission: Submission,
    said: str,
    reader: str,
) -> dict[str, list[Reading]]:
    """Return by finding how the model that gave it reads it; what it did not read is not there.

    Args:
        said: the text of the review.
        reader: the model's name.
    """
    if not any(each.finding.proposition is not None for each in stated):
        return {}
    validation = Validation(submission, said, words_above(said))
    given = {(each.cited.start, each.cited.end): each.finding for each in stated}
    return {
        finding.id: [reading]
        for finding in findings
        if finding.claim_at in given
        for reading in _read(
            given[finding.claim_at], finding.claim or "", validation, submission.by_path, reader
        )
    }


def _read(
    said: StatedFinding, claim: str, validation: Validation, paths: Collection[str], reader: str
) -> Iterator[Reading]:
    if said.proposition is None:
        return
    try:
        proposition = parse(usual_form(said.proposition, paths))
    except InvalidReading as problem:
        yield Reading(reader=reader, why_not=str(problem))
        return
    problem_ = validation.problem(proposition, claim)
    yield Reading(reader=reader, proposition=None if problem_ else proposition, why_not=problem_)
