"""Guards the rdjson export: reviewdog's documented fields, and nothing that was refuted."""

import json
from dataclasses import replace
from typing import Any

from reviewers.exports.rdjson import rdjson
from reviewers.records import Check, FactCheck, Found, Place, Ruling, Severity, Span
from reviewers.store import Store
from reviewers.store.full_record import kept
from reviewers.store.submission import load_submission
from tests.cases import cases
from tests.reviewers.exports.recorded import REFUTED, dismissed, make_finding, make_record
from tests.shared_data import needs_shared

EVIDENCE = {
    "message": "evidence of f",
    "location": {"path": "src/model.py", "range": {"start": {"line": 2}, "end": {"line": 2}}},
}


def test_a_finding_is_a_diagnostic_with_whole_lines() -> None:
    first = rdjson(make_record(make_finding("f")))["diagnostics"][0]
    assert first == {
        "message": "recorded: message of f",
        "location": {"path": "src/train.py", "range": {"start": {"line": 3}, "end": {"line": 4}}},
        "severity": "ERROR",
        "source": {"name": "areachair"},
        "code": {"value": "claim/undefined-name"},
        "relatedLocations": [EVIDENCE],
    }


def test_the_other_places_of_a_finding_are_related_locations() -> None:
    places = (Place(Span("src/a.py", 7), Found.SYMPTOM), Place(Span("b.yaml"), Found.AGAIN))
    finding = replace(make_finding("f"), places=places)
    assert rdjson(make_record(finding))["diagnostics"][0]["relatedLocations"] == [
        EVIDENCE,
        {
            "message": "it shows here",
            "location": {"path": "src/a.py", "range": {"start": {"line": 7}, "end": {"line": 7}}},
        },
        {"message": "the same again", "location": {"path": "b.yaml"}},
    ]


def test_what_is_refuted_or_dismissed_is_left_out_until_a_person_confirms_it() -> None:
    record = make_record(REFUTED, make_finding("f"), make_finding("g"), rulings=(dismissed("f"),))
    assert [each["message"] for each in rdjson(record)["diagnostics"]] == [
        "recorded: message of g",
        "rules: message of r1",
    ]
    record = make_record(REFUTED, rulings=(dismissed("f-refuted", Ruling.CONFIRM),))
    assert rdjson(record)["diagnostics"][0]["message"] == "recorded: message of f-refuted"


@cases(
    ("fields", "told"),
    {
        "no place": ({"span": None}, {"location": {"path": ""}}),
        "a file": ({"span": Span("a.py")}, {"location": {"path": "a.py"}}),
        "major": ({"severity": Severity.MAJOR}, {"severity": "WARNING"}),
        "minor": ({"severity": Severity.MINOR}, {"severity": "INFO"}),
        "not verified": (
            {"check": FactCheck(Check.UNVERIFIED, "nobody knows")},
            {"message": "recorded: message of f (not verified)"},
        ),
        "of a rule": ({"rule": "IM02"}, {"code": {"value": "IM02"}}),
    },
)
def test_a_finding_is_told_in_the_words_of_reviewdog(
    fields: dict[str, Any], told: dict[str, object]
) -> None:
    finding = replace(make_finding("f"), **fields)
    assert rdjson(make_record(finding))["diagnostics"][0].items() >= told.items()


@needs_shared
def test_every_real_log_keeps_to_the_documented_fields(logs_store: Store) -> None:
    for each in kept(logs_store):
        made = rdjson(load_submission(logs_store, each.submission.id))
        json.dumps(made).encode("ascii")
        assert set(made) == {"source", "diagnostics"}
        for diagnostic in made["diagnostics"]:
            others = diagnostic.pop("relatedLocations", [])
            assert set(diagnostic) == {"message", "location", "severity", "source", "code"}
            assert all(set(other) == {"message", "location"} for other in others)
            lines = diagnostic["location"].get("range")
            assert lines is None or 1 <= lines["start"]["line"] <= lines["end"]["line"]
