"""Guards who is said to have predicted a fix: findings at the changed lines that fit the change."""

import json

import pytest

from reviewers.facts import Facts
from reviewers.outcomes.fix import Fix
from reviewers.outcomes.linking import Fate, link_fix
from reviewers.records import Finding, Severity, Span
from reviewers.rules import run_rules
from tests.reviewers.outcomes.test_linking import finding
from tests.shared_data import SHARED, needs_shared, opened

TRAIN = Span("src/train.py", 40)
LOST = Fix(
    (Span("src/train.py", 40),),
    "AttributeError: type object 'OmegaConf' has no attribute 'deepcopy'",
    removed=("c = OmegaConf.deepcopy(cfg)",),
    added=("c = copy.deepcopy(cfg)",),
)


def fate(fix: Fix, *findings: Finding) -> Fate:
    return link_fix(fix, {"model": findings}).fate("model")


PREDICTING = {
    "names-what-was-taken-out": (
        LOST,
        finding("`omegaconf.OmegaConf.deepcopy` does not exist", category="nonexistent-api"),
    ),
    "kind-of-the-files": (
        Fix((Span("pyproject.toml", 5, 20),), "does not install"),
        finding("must be an array", "pyproject.toml", 7, category="packaging-invalid"),
    ),
    "same-lines-and-nothing-known": (
        Fix((Span("src/train.py", 40),)),
        finding("no grad here", category="tensor-or-runtime"),
    ),
    "mended-in-a-run-config": (
        Fix((Span("config/runs/p.yaml", 3),), "our-lab/oldset is a script dataset"),
        finding(
            "RuntimeError: Dataset scripts are no longer supported, but found oldset.py",
            "src/preprocess.py",
            9,
            category="data-pipeline-incomplete",
        ),
    ),
}
SILENT = {
    "near-but-of-another-kind": (
        Fix(
            (Span("src/train.py", 41),),
            "RuntimeError: expected all tensors to be on the same device",
        ),
        finding("`model` lies at cfg.run.model: ConfigAttributeError"),
    ),
    "same-kind-far-away": (
        LOST,
        finding("`torch.foo` does not exist", line=90, category="nonexistent-api"),
    ),
    "same-kind-in-another-file": (
        LOST,
        finding("`torch.foo` does not exist", "src/model.py", 40, category="nonexistent-api"),
    ),
    "minor": (LOST, finding("name it better", severity=Severity.MINOR, category="nonexistent-api")),
    "a-rewritten-file": (
        Fix((Span("src/train.py", 1, 400),)),
        finding("no grad here", category="tensor-or-runtime"),
    ),
}


@pytest.mark.parametrize(("fix", "said"), PREDICTING.values(), ids=PREDICTING)
def test_who_speaks_of_the_change_predicted_it(fix: Fix, said: Finding) -> None:
    assert fate(fix, said) is Fate.PREDICTED


@pytest.mark.parametrize(("fix", "said"), SILENT.values(), ids=SILENT)
def test_who_speaks_of_something_else_missed_it(fix: Fix, said: Finding) -> None:
    assert fate(fix, said) is Fate.MISSED


def test_a_fix_for_a_missing_key_was_not_to_be_read_in_the_code() -> None:
    fix = Fix((Span("src/train.py", 40),), "wandb.init without WANDB_API_KEY")
    assert fate(fix, finding("`training.epochs` is absent")) is Fate.NOT_REACHABLE


def test_the_category_of_a_fix_never_comes_from_who_predicted_it() -> None:
    assert (
        link_fix(Fix((TRAIN,)), {"rules": (finding("no grad here", rule="MO05"),)}).category
        == "uncategorised"
    )


def test_a_category_that_somebody_gave_is_kept() -> None:
    assert (
        link_fix(Fix((TRAIN,), "ran now", category="call-signature"), {}).category
        == "call-signature"
    )


@pytest.mark.long
@needs_shared
def test_on_real_fixes_the_links_are_those_of_places_but_for_few() -> None:
    """Counting places alone credits findings of another defect nearby; all that differs is of that
    sort.
    """
    agreed = fixes = only_here = 0
    for row in map(
        json.loads, (SHARED / "outcomes" / "outcomes.jsonl").read_text("utf-8").splitlines()
    ):
        submission = opened(SHARED / "logs" / f"{row['submission']}.txt")
        found = run_rules(Facts(submission)).findings
        for told in row["fixes"]:
            spans = tuple(Span(hunk["file"], *hunk["lines"]) for hunk in told["hunks"])
            if not spans:
                continue
            changed = tuple(
                line
                for span in spans
                for line in submission.by_path[span.file].text.split("\n")[
                    (span.line or 1) - 1 : span.end_line
                ]
            )
            ours = (
                link_fix(Fix(spans, told["cause"], removed=changed), {"rules": found}).fate("rules")
                is Fate.PREDICTED
            )
            theirs = any(
                each.severity is not Severity.MINOR and _lies_there(each, spans) for each in found
            )
            fixes, agreed, only_here = (
                fixes + 1,
                agreed + (ours == theirs),
                only_here + (ours and not theirs),
            )
    assert fixes >= 80
    assert agreed / fixes >= 0.9
    assert only_here <= 2


def _lies_there(said: Finding, spans: tuple[Span, ...]) -> bool:
    """Whether the place of a finding, or a further one, is near a change."""
    further = [place.span for place in said.further]
    return any(_is_near(place, spans) for place in (said.span, *further) if place)


def _is_near(place: Span, spans: tuple[Span, ...]) -> bool:
    return any(
        place.file == span.file
        and (
            place.line is None
            or (
                place.line - 3 <= (span.end_line or 0)
                and (span.line or 0) <= (place.end_line or 0) + 3
            )
        )
        for span in spans
    )
