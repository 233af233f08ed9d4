"""Guards that no hand-labelled claim of a real review is called wrongly."""

import json

import pytest
from rapidfuzz import fuzz, process

from reviewers.bundles import open_bundle
from reviewers.panel.review import review_all
from reviewers.records import Check, Finding
from tests.shared_data import LOGS, SHARED, needs_shared

pytestmark = needs_shared


def _findings(name: str) -> tuple[Finding, ...]:
    (path,) = [path for path in LOGS if path.stem.startswith(name)]
    reviews = review_all(open_bundle(path), ("recorded",))
    return tuple(finding for review in reviews for finding in review.findings)


@pytest.mark.long
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
    assert len(lost) <= 5, lost
    assert agreed == called
