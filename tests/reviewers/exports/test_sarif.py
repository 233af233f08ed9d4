"""Guards the SARIF export: valid by the official schema, kinds and levels that go together,
people's words as suppressions.
"""

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest

from reviewers.bundles.sarif import read_sarif
from reviewers.exports.sarif import FINGERPRINT, Baseline, sarif_log
from reviewers.records import Check, FactCheck, Review, Ruling, Severity, Span, Understood, Verdict
from reviewers.store import Store
from reviewers.store.full_record import kept
from reviewers.store.submission import StoredReview, load_submission
from tests.builders import make_submission
from tests.reviewers.exports.recorded import (
    AT,
    REFUTED,
    decided,
    dismissed,
    make_finding,
    make_record,
    remarked,
    seen,
)
from tests.shared_data import needs_shared

SCHEMA = Path(os.environ.get("SARIF_SCHEMA", "missing"))
needs_schema = pytest.mark.skipif(
    not SCHEMA.is_file(),
    reason=(
        "SARIF_SCHEMA names no file (npm pack @microsoft/jest-sarif has"
        " lib/schemas/sarif-2.1.0-*.json)"
    ),
)
ODD_PATHS = (
    *("a b/ü.py", "100%/x.py", "a:b.py", "q?x#y.py", "[x].py"),
    *("back\\slash.py", 'quote".py', "half\ud800.py"),
)


def results(log: dict[str, Any], run: int = 0) -> dict[str, Any]:
    return {each["partialFingerprints"][FINGERPRINT]: each for each in log["runs"][run]["results"]}


def assert_valid(log: dict[str, Any]) -> None:
    schema = json.loads(SCHEMA.read_text("utf-8"))
    kind = jsonschema.validators.validator_for(schema)
    found = [
        f"{list(error.path)}: {error.message[:200]}"
        for error in kind(schema).iter_errors(json.loads(json.dumps(log)))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("check", "ruling", "kind", "level"),
    [
        (Check.CONFIRMED, None, "fail", "warning"),
        (Check.REFUTED, None, "pass", "none"),
        (Check.UNVERIFIED, None, "review", "none"),
        (Check.REFUTED, Ruling.CONFIRM, "fail", "warning"),
    ],
)
def test_only_what_is_confirmed_by_the_check_or_a_person_fails_and_has_a_level(
    check: Check, ruling: Ruling | None, kind: str, level: str
) -> None:
    rulings = (dismissed("f", ruling),) if ruling else ()
    found = make_finding("f", check, severity=Severity.MAJOR)
    result = results(sarif_log([make_record(found, rulings=rulings)]))["f"]
    assert (result["kind"], result["level"]) == (kind, level)
    assert result["properties"]["check"] == check.value


def test_each_reviewer_is_a_run_with_the_rules_that_it_speaks_of() -> None:
    runs = sarif_log([make_record(make_finding("f"), REFUTED)])["runs"]
    assert [run["tool"]["driver"]["name"] for run in runs] == [
        "areachair recorded",
        "areachair rules",
    ]
    rule = runs[1]["tool"]["driver"]["rules"][0]
    assert rule["id"] == "IM02"
    assert "Flagged:" in rule["help"]["markdown"]
    for run in runs:
        for result in run["results"]:
            assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_a_place_has_its_lines_and_its_code_and_other_places_are_related() -> None:
    result = results(sarif_log([make_record(REFUTED)]))["f-refuted"]
    place = result["locations"][0]["physicalLocation"]
    code = make_submission().by_path["src/train.py"].text.split("\n")[2:4]
    assert place["artifactLocation"]["uri"] == "src/train.py"
    assert place["region"] == {"startLine": 3, "endLine": 4, "snippet": {"text": "\n".join(code)}}
    evidence, other = result["relatedLocations"]
    assert evidence["message"]["text"] == "it is defined"
    assert [each["physicalLocation"]["artifactLocation"]["uri"] for each in (evidence, other)] == [
        "src/model.py",
        "src/main.py",
    ]


def test_a_dismissal_is_an_accepted_suppression_until_it_is_withdrawn() -> None:
    withdrawn = (dismissed("g", Ruling.WITHDRAWN), dismissed("g"))
    record = make_record(make_finding("f"), make_finding("g"), rulings=(dismissed("f"), *withdrawn))
    found = results(sarif_log([record]))
    (suppression,) = found["f"]["suppressions"]
    assert (suppression["status"], suppression["justification"]) == (
        "accepted",
        "dismissed by Ann: the code is right",
    )
    assert found["g"]["suppressions"] == []


def test_a_result_says_what_it_means_as_a_proposition_where_it_has_one() -> None:
    said = {"not": {"p": "exists", "file": "src/a.py"}}
    rule = make_finding("r", rule="FS01", says=json.dumps(said))
    read = Understood(reader="m", proposition=json.dumps(said))
    record = make_record(rule, make_finding("c", understood=read), make_finding("d"))
    found = {id: each["properties"] for id, each in results(sarif_log([record])).items()}
    assert found["r"]["proposition"] == found["c"]["proposition"] == said
    assert "proposition" not in found["d"]


@pytest.mark.parametrize(
    ("verdict", "number"),
    [(Verdict.READY, 1), (Verdict.NOT_READY, 0), (None, 0)],
    ids=["ready", "not ready", "withdrawn"],
)
def test_a_decision_that_it_is_ready_suppresses_what_fails(
    verdict: Verdict | None, number: int
) -> None:
    found = results(
        sarif_log([make_record(make_finding("f"), REFUTED, decisions=(decided(verdict),))])
    )
    assert (len(found["f"]["suppressions"]), found["f-refuted"]["suppressions"]) == (number, [])


def test_what_persons_found_is_a_run_of_its_own() -> None:
    own = (seen("o1", Span("src/train.py", 2)), seen("o2", Span("gone.py"), author="Bob"))
    log = sarif_log([make_record(make_finding("f"), own=own, rulings=(dismissed("o2"),))])
    assert [run["tool"]["driver"]["name"] for run in log["runs"]][2:] == ["areachair people"]
    first, second = results(log, 2).values()
    assert (first["ruleId"], first["level"], first["suppressions"]) == (
        "person/data-leakage",
        "error",
        [],
    )
    assert first["locations"][0]["physicalLocation"]["region"]["startLine"] == 2
    assert first["properties"]["evidence"] == "seen by Ann"
    assert [each["properties"]["author"] for each in second["suppressions"]] == ["Ann"]


def test_a_level_is_that_of_the_severity_a_person_gave_last() -> None:
    given = (None, Severity.MINOR, Severity.MAJOR)
    said = tuple(remarked("f", each, "see above", "Bob") for each in given)
    result = results(sarif_log([make_record(make_finding("f"), remarks=said)]))["f"]
    told = result["properties"]
    assert result["level"] == "note"
    assert (told["severity"], told["severityBefore"]) == ("minor", "blocker")
    assert [each.get("severity") for each in told["remarks"]] == [None, "minor", "major"]


def test_a_failed_review_is_an_unsuccessful_invocation() -> None:
    failed = StoredReview(
        Review(reviewer="openai:x", verdict=None, failure="the answer broke off"), AT
    )
    (call,) = sarif_log([make_record(reviews=(failed,))])["runs"][0]["invocations"]
    assert not call["executionSuccessful"]
    assert call["toolExecutionNotifications"][0]["message"]["text"] == "the answer broke off"


def test_a_baseline_marks_what_is_new_and_lists_what_is_gone() -> None:
    record = make_record(make_finding("f"), make_finding("g"))
    baseline = Baseline({"f": "unchanged"}, {"recorded": [make_finding("old")]})
    found = results(sarif_log([record], {record.submission.id: baseline}))
    assert {id: each["baselineState"] for id, each in found.items()} == {
        "f": "unchanged",
        "g": "new",
        "old": "absent",
    }


@pytest.mark.parametrize("path", ODD_PATHS, ids=range(len(ODD_PATHS)))
def test_a_path_is_a_valid_uri_that_leads_back_to_it(path: str) -> None:
    log = sarif_log([make_record(make_finding("f", span=Span(path, 1)))])
    uri = results(log)["f"]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.isascii()
    assert not set(uri) & set(' :?#[]"\\<>')
    assert unquote(uri) == path.replace("\ud800", "\ufffd")


@pytest.mark.parametrize("path", ["../outside.py", "src/../../x", "/etc/passwd"])
def test_a_path_that_leaves_the_submission_is_named_and_no_uri(path: str) -> None:
    found = results(sarif_log([make_record(make_finding("f", span=Span(path, 1)))]))["f"]
    named = {"fullyQualifiedName": path, "kind": "resource"}
    assert found["locations"] == [{"logicalLocations": [named]}]


def test_what_we_write_we_read_back() -> None:
    log = json.dumps(
        sarif_log([make_record(make_finding("f"), REFUTED, rulings=(dismissed("f"),))])
    ).encode()
    first, second = read_sarif(log, "own.sarif")
    assert [(each.kind, each.level, each.suppressed) for each in first.results] == [
        ("fail", "error", True),
        ("pass", "none", False),
    ]
    assert (second.tool, second.results[0].rule) == ("areachair rules", "IM02")


@needs_schema
def test_odd_records_are_valid_by_the_official_schema() -> None:
    odd = [
        make_finding(f"p{number}", span=Span(path, 1))
        for number, path in enumerate((*ODD_PATHS, "../x", ""))
    ]
    hostile = make_finding(
        "h\ud800",
        message="\ud800 NUL \0",
        span=None,
        rule="ZZ99",
        check=FactCheck(Check.UNVERIFIED, ""),
    )
    failed = StoredReview(Review(reviewer="openai:x", verdict=None, failure="no"), AT)
    people = {
        "own": (seen("o\ud800", Span(ODD_PATHS[-1], 1), "\ud800"),),
        "remarks": (remarked("p0", comment="\ud800"),),
    }
    ruled = {"rulings": (dismissed("p0", reason="\ud800"),), "decisions": (decided(Verdict.READY),)}
    record = make_record(*odd, hostile, REFUTED, **ruled, **people)
    baseline = Baseline({"p0": "updated"}, {"recorded": [make_finding("old")]})
    id = record.submission.id
    assert_valid(sarif_log([record, make_record(reviews=(failed,))], {id: baseline}))
    assert_valid(sarif_log([]))


@needs_shared
@needs_schema
def test_every_real_log_is_valid_by_the_official_schema(logs_store: Store) -> None:
    for each in kept(logs_store):
        assert_valid(sarif_log([load_submission(logs_store, each.submission.id)]))


@needs_shared
def test_every_real_log_is_read_by_a_public_viewer(logs_store: Store, tmp_path: Path) -> None:
    loader = pytest.importorskip("sarif.loader")
    for each in list(kept(logs_store))[::10]:
        record = load_submission(logs_store, each.submission.id)
        log = sarif_log([record])
        path = tmp_path / "one.sarif"
        path.write_text(json.dumps(log), "utf-8")
        report = loader.load_sarif_file(str(path)).get_report()
        fails = [
            result for run in log["runs"] for result in run["results"] if result["level"] == "error"
        ]
        assert report.get_issue_count_for_severity("error") == len(fails)


@needs_shared
def test_the_same_store_gives_the_same_log(logs_store: Store) -> None:
    id = next(iter(kept(logs_store))).submission.id
    first, second = (json.dumps(sarif_log([load_submission(logs_store, id)])) for _ in range(2))
    assert first == second
