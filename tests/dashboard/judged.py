"""A store of submissions that reviewers, people and real runs judged, each as chance would have it,
always the same.
"""

import random
from collections.abc import Sequence
from datetime import UTC, datetime

from reviewers.outcomes.category import ENVIRONMENT
from reviewers.outcomes.outcome import Outcome, Stage
from reviewers.records import Check, Finding, Review, Ruling, Severity, Span, Verdict
from reviewers.store import Store
from reviewers.store.outcomes import add_outcome
from tests.reviewers.store.making import (
    NOT_READY,
    READY,
    make_experiment,
    make_finding,
    make_review,
)

CATEGORIES = ("cli-contract", "syntax-invalid", "data-leakage", "packaging-invalid")
_AT = datetime(2026, 3, 2, tzinfo=UTC)


def judge(store: Store, submissions: int = 50) -> None:
    """Fill a store: some reviewers fail, some answers are recorded twice, people change their
    minds, machines break.
    """
    dice = random.Random(20)
    for number in range(submissions):
        submission = make_experiment(f"experiment {number}", f"s{number:02d}")
        given = [_rules(dice), *_llms(dice), *_recorded(dice)]
        store.add(submission, given)
        _people(store, submission.id, given, dice)
        _runs(store, submission.id, dice)


def _rules(dice: random.Random) -> Review:
    severities = [dice.choice(list(Severity)) for _ in range(dice.randint(0, 2))]
    found = [
        make_finding(
            f"rule{place}", rule="XX01", severity=severity, category=dice.choice(CATEGORIES)
        )
        for place, severity in enumerate(severities)
    ]
    return make_review(
        "rules",
        NOT_READY if Severity.BLOCKER in severities else READY,
        *found,
        seconds=dice.uniform(0.1, 1),
    )


def _llms(dice: random.Random) -> Sequence[Review]:
    return [
        make_review(
            name,
            dice.choices((READY, NOT_READY, None), (3, 6, 1))[0],
            *_claims(dice, name),
            model="m-2026",
            seconds=dice.uniform(5, 60) if dice.random() < 0.9 else None,
            cost_usd=dice.uniform(0.01, 0.3) if name == "llm one" else None,
        )
        for name in ("llm one", "llm two")
        if dice.random() < 0.9
    ]


def _recorded(dice: random.Random) -> Sequence[Review]:
    """None, one, or two; two may be by one model, and then of one mind or of two."""
    models = [dice.choice(("o3", "o4", None)) for _ in range(dice.choice((0, 1, 2, 2)))]
    return [
        make_review(
            "recorded",
            dice.choice((READY, NOT_READY)),
            *_claims(dice, f"rec{place}"),
            model=model,
            raw=f"answer {place}",
        )
        for place, model in enumerate(models)
    ]


def _claims(dice: random.Random, name: str) -> Sequence[Finding]:
    return [
        make_finding(
            f"{name}{place}",
            dice.choice(list(Check)),
            category=dice.choice(CATEGORIES),
            severity=dice.choice(list(Severity)),
        )
        for place in range(dice.randint(0, 3))
    ]


def _people(store: Store, id: str, given: Sequence[Review], dice: random.Random) -> None:
    for author in ("ada", "grace"):
        if dice.random() < 0.4:
            store.decide(id, dice.choice(list(Verdict)), "seen", author)
            if dice.random() < 0.2:
                store.decide(id, None, "", author)
    if dice.random() < 0.2:
        seen = {
            "severity": Severity.BLOCKER,
            "category": dice.choice(CATEGORIES),
            "message": "it stops here",
            "author": "ada",
        }
        store.add_finding(id, span=Span("src/model.py", 1), **seen)
    for finding in sorted({finding.id for review in given for finding in review.findings}):
        if dice.random() < 0.3:
            store.rule_on(id, finding, dice.choice((Ruling.CONFIRM, Ruling.DISMISS)), "seen", "ada")
            if dice.random() < 0.3:
                store.rule_on(
                    id, finding, dice.choice((Ruling.WITHDRAWN, Ruling.DISMISS)), "seen", "grace"
                )
        if dice.random() < 0.1:
            store.remark(id, finding, author="ada", severity=dice.choice(list(Severity)))


def _runs(store: Store, id: str, dice: random.Random) -> None:
    for place in range(dice.choice((0, 0, 1, 2))):
        failed = dice.random() < 0.5
        category = dice.choice((ENVIRONMENT, "tensor-or-runtime")) if failed else None
        error = "ValueError" if failed else None
        told = {
            "error": error,
            "category": category,
            "exit_code": int(failed) if dice.random() < 0.9 else None,
        }
        add_outcome(
            store,
            Outcome(
                submission=id,
                stage=next(iter(Stage)),
                at=_AT,
                source="run",
                digest=f"{place:064x}",
                **told,
            ),
        )
