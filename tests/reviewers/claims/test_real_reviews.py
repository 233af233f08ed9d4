"""Guards the claims of real reviews that must come out right, and the measured quality on
hand-labelled ones.
"""

import json

import pytest
from rapidfuzz import fuzz, process

from reviewers.bundles import open_bundle
from reviewers.claims.check import check_text
from reviewers.facts import Facts
from reviewers.records import Check, Finding, Misreading
from reviewers.rules import run_rules
from tests.shared_data import LOGS, SEEDS, SHARED, needs_shared

pytestmark = needs_shared


def _findings(name: str) -> tuple[Finding, ...]:
    (path,) = [path for path in (*SEEDS, *LOGS) if path.stem.startswith(name)]
    submission = open_bundle(path)
    facts = Facts(submission)
    found = run_rules(facts).findings
    return tuple(
        finding
        for answer in submission.recorded
        if answer.text
        for finding in check_text(answer.text, facts, found)
    )


@pytest.mark.parametrize(("seed", "file"), [("000", "src/model.py"), ("004", "src/evaluate.py")])
def test_the_syntax_errors_of_the_seeds_are_refuted_as_escapes(seed: str, file: str) -> None:
    syntax = [finding for finding in _findings(seed) if finding.kind == "syntax"]
    assert syntax
    for finding in syntax:
        assert finding.check.result is Check.REFUTED
        assert finding.check.misreading is Misreading.PROMPT_ARTIFACT
        assert f"{file} parses with Python" in finding.check.evidence
        assert finding.span is not None
        assert finding.span.file == file
        assert finding.span.line


def test_the_name_that_is_never_imported_is_confirmed_at_its_line() -> None:
    found = next(finding for finding in _findings("002") if finding.kind == "undefined-name")
    assert found.check.result is Check.CONFIRMED
    assert found.span is not None
    assert (found.span.file, found.span.line) == ("src/model.py", 142)


def test_the_class_without_forward_is_confirmed() -> None:
    found = next(finding for finding in _findings("002") if finding.kind == "missing-method")
    assert found.check.result is Check.CONFIRMED


def test_the_empty_files_are_confirmed() -> None:
    found = next(finding for finding in _findings("004") if finding.kind == "empty-file")
    assert found.check.result is Check.CONFIRMED


def test_no_labelled_claim_is_called_wrongly_and_each_is_found_again() -> None:
    called = agreed = 0
    lost: list[str] = []
    for path in sorted((SHARED / "labels").glob("*.json")):
        label = json.loads(path.read_text("utf-8"))
        found = _findings(label["submission"])
        found = tuple(each for whole in found for each in dict.fromkeys((whole, *whole.statements)))
        texts = {number: finding.claim or "" for number, finding in enumerate(found)}
        for claim in label["claims"]:
            near = process.extract(
                claim["text"], texts, scorer=fuzz.token_set_ratio, score_cutoff=55, limit=None
            )
            if not near:
                lost.append(claim["text"])
                continue
            best = max(near, key=lambda hit: (hit[1], fuzz.ratio(claim["text"], hit[0])))
            result = found[best[2]].check.result
            expected = {"true": Check.CONFIRMED, "false": Check.REFUTED}.get(claim["truth"])
            if expected is None or result is Check.UNVERIFIED:
                continue
            called += 1
            agreed += result is expected
            assert result is expected, f"labelled {claim['truth']}: {claim['text']}"
    assert called >= 60
    assert len(lost) <= 5, lost
    assert agreed == called
