"""A store in which everything varies that trends count: lineages, reviewers, people's words,
generators, runs, outcomes.
"""

import random
from datetime import UTC, datetime, timedelta

from reviewers.outcomes.outcome import Stage, outcome_of_run
from reviewers.records import (
    Check,
    FactCheck,
    Finding,
    Review,
    Ruling,
    RunConfig,
    Severity,
    SourceFile,
    Span,
    Submission,
    Verdict,
)
from reviewers.store import Store
from reviewers.store.outcomes import add_outcome
from tests.reviewers.store.making import Clock, make_experiment

CATEGORIES = {
    "cli-contract": 8,
    "hydra-composition": 2,
    "packaging-invalid": 5,
    "data-leakage": 3,
    "uncategorised": None,
}
MODELS, DATASETS = ("bert & co", "resnet-18", None), ("sst2", "cifar <10>", None)
GENERATORS = ("o3", "=HYPERLINK(1)", None)
_LINES = "".join(f"value_{number} = {number}\n" for number in range(40))


def fill(store: Store, clock: Clock, *, lineages: int = 16, seed: int = 7) -> None:
    """Fill the store; the same seed gives the same store. Over four months; `hydra-composition`
    falls, `data-leakage` rises.
    """
    dice = random.Random(seed)
    for lineage in range(lineages):
        clock.now = datetime(2026, 1, 5, 22, tzinfo=UTC) + timedelta(days=7 * lineage)
        for attempt in range(1, dice.randint(2, 7)):
            clock.now += timedelta(hours=dice.randint(1, 30))
            _add(store, clock, dice, lineage, attempt)
    store.add(make_experiment("alone", "alone"), ())  # nobody looked at it
    store.add(make_experiment("failed", "failed"), (_review("recorded", None, ()),))


def _add(store: Store, clock: Clock, dice: random.Random, lineage: int, attempt: int) -> None:
    submission = _submission(dice, lineage, attempt)
    late = lineage > 7
    odds = {"hydra-composition": 0.15 if late else 0.9, "data-leakage": 0.7 if late else 0.0}
    reviews = [
        _reviewed(dice, name, odds)
        for name in ("recorded", "rules", "openai:a <b>")
        if dice.random() < 0.85
    ]
    store.add(submission, tuple(reviews))
    found = [finding for review in reviews for finding in review.findings]
    if found and dice.random() < 0.4:
        ruling = dice.choice((Ruling.CONFIRM, Ruling.DISMISS))
        store.rule_on(submission.id, dice.choice(found).id, ruling, "so it is", "Ann")
    if found and dice.random() < 0.2:
        store.remark(
            submission.id, dice.choice(found).id, author="Bob", severity=dice.choice(list(Severity))
        )
    if dice.random() < 0.15:
        seen = {
            "severity": Severity.MAJOR,
            "category": "data-leakage",
            "message": "leaks",
            "criterion": 3,
        }
        store.add_finding(submission.id, span=Span("src/train.py", 3), author="Ann", **seen)
    if dice.random() < 0.3:
        store.decide(submission.id, dice.choice(list(Verdict)), "read", "Ann")
    if dice.random() < 0.4:
        _run(store, clock, dice, submission, found)


def _submission(dice: random.Random, lineage: int, attempt: int) -> Submission:
    code = SourceFile("src/train.py", f"# {lineage} {attempt}\n{_LINES}".encode())
    runs = tuple(
        RunConfig(
            name,
            SourceFile(f"config/runs/{name}.yaml", b"a: 1\n"),
            None,
            dice.choice(MODELS),
            dice.choice(DATASETS),
        )
        for name in ("proposed-1", "baseline-1")
    )
    name = f"line{lineage:02d}"
    fields = {
        "lineage": name,
        "attempt": attempt,
        "files": (code,),
        "runs": runs,
        "generator": dice.choice(GENERATORS),
    }
    return make_experiment(name, f"{name}_{attempt:02d}", **fields)


def _reviewed(dice: random.Random, reviewer: str, odds: dict[str, float]) -> Review:
    if dice.random() < 0.05:
        return _review(reviewer, None, ())
    found = [
        _finding(dice, reviewer, category, number)
        for category in CATEGORIES
        for number in range(dice.randint(1, 3))
        if dice.random() < odds.get(category, 0.4)
    ]
    return _review(reviewer, dice.choice(list(Verdict)), tuple(found))


def _finding(dice: random.Random, reviewer: str, category: str, number: int) -> Finding:
    line = dice.randint(1, 40)
    check = Check.CONFIRMED if reviewer == "rules" else dice.choice(list(Check))
    return Finding(
        id=f"{reviewer}-{category}-{number}",
        category=category,
        severity=dice.choice(list(Severity)),
        message=f"KeyError: 'value_{line}' for {category}",
        check=FactCheck(check, "so it is"),
        criterion=CATEGORIES[category],
        span=Span("src/train.py", line),
        rule="XX01" if reviewer == "rules" else None,
        claim=None if reviewer == "rules" else "a claim",
        kind=None if reviewer == "rules" else category,
    )


def _review(reviewer: str, verdict: Verdict | None, found: tuple[Finding, ...]) -> Review:
    failure = None if verdict else "the answer stops in the middle"
    return Review(
        reviewer=reviewer, verdict=verdict, findings=found, failure=failure, text="a claim"
    )


def _run(
    store: Store, clock: Clock, dice: random.Random, submission: Submission, found: list[Finding]
) -> None:
    """Half of what fails had been said, and some of it nobody could have."""
    error = dice.choice(("KeyError", "KeyError", "ModuleNotFoundError", "ConnectionError"))
    lines = [finding.span.line for finding in found if finding.span is not None]
    line = dice.choice(lines) if lines and dice.random() < 0.5 else dice.randint(1, 40)
    told = {"KeyError": f"'value_{line}'", "ModuleNotFoundError": "No module named 'utils'"}
    place = (
        f'Traceback (most recent call last):\n  File "/run/src/train.py", line {line}, in main\n   '
        " go()\n"
    )
    output = f"{place}{error}: {told.get(error, 'no route to host')}\n"
    fails = dice.random() < 0.8
    outcome, _ = outcome_of_run(
        submission, output if fails else "done\n", int(fails), Stage.TRIAL, clock()
    )
    add_outcome(store, outcome)
