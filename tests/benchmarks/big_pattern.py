"""A pattern for a big store: made-up lineages of plausible submissions, written through the store's
own functions.

Each lineage goes by a made-up word, which stands in its names and in its hypothesis and nowhere
else. Who copies the pattern puts another word in its place.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from reviewers.claims.categories import criterion_of
from reviewers.outcomes.outcome import Stage, outcome_of_run
from reviewers.propositions import PREDICATES, parse, sentence
from reviewers.propositions.vocabulary import Predicate
from reviewers.records import (
    Check,
    FactCheck,
    Finding,
    Misreading,
    RecordedAnswer,
    ResearchContext,
    Review,
    Ruling,
    RunConfig,
    Severity,
    SourceFile,
    Span,
    Submission,
    Verdict,
)
from reviewers.rubric import rubric
from reviewers.rules import registered
from reviewers.store import Store
from reviewers.store.outcomes import add_outcome
from tests.builders import SOUND_FILES

YEAR = timedelta(days=365)
BEGAN = datetime(2025, 11, 1, 9, tzinfo=UTC)

_LLMS = {"recorded": "o3-2025-04-16", "gpt-5": "gpt-5-2026-01-12", "qwen": "qwen3-coder-480b"}
_PEOPLE = ("ada", "grace", "emmy")
_MODELS = ("resnet18", "distilbert-base", "vit-small", "gpt2-medium", "unet", "tabnet")
_DATASETS = ("cifar10", "imdb", "tiny-imagenet", "wikitext-2", "adult", "speech-commands")
_TOPICS = (
    "gated adapters",
    "curriculum dropout",
    "sparse attention",
    "noise schedules",
    "low-rank updates",
    "label smoothing",
)
_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
_GENERATORS = ("airas-0.4", "airas-0.5", None, "paper-coder-2")
_VARIANTS = 7
_WRONG = tuple(Misreading)


def word(number: int) -> str:
    """Return the made-up word of a lineage: ten letters that no prose and no code of the pattern
    holds.
    """
    letters = "zu"
    for _ in range(4):
        number, at = divmod(number, len(_SYLLABLES))
        letters += _SYLLABLES[at]
    return letters


class Clock:
    """Tells whatever time it was set to, a second later at each reading."""

    def __init__(self) -> None:
        self.now = BEGAN

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def write_pattern(store: Store, clock: Clock, submissions: int, seed: int = 7) -> list[list[str]]:
    """Fill an empty store; about ten findings a submission, one in twenty decided.

    Returns:
        The ids of each lineage's attempts; the lineage's place in the list is the number of its
        word.
    """
    dice = random.Random(seed)
    lineages: list[list[str]] = []
    left = submissions
    while left:
        size = min(left, dice.choices(range(1, 11), weights=(30, 16, 12, 10, 8, 7, 6, 5, 3, 3))[0])
        clock.now = BEGAN + YEAR * dice.random()
        lineages.append(
            [_attempt(store, clock, dice, len(lineages), number) for number in range(1, size + 1)]
        )
        left -= size
    return lineages


def _attempt(store: Store, clock: Clock, dice: random.Random, lineage: int, number: int) -> str:
    submission = _submission(dice, lineage, number)
    defects = dice.sample(
        list(registered().values()), k=max(0, round(dice.gauss(4.5 - 0.4 * number, 1.6)))
    )
    proven = tuple(
        Finding(
            id=f"{rule.id}:{at}",
            rule=rule.id,
            category=rule.category,
            criterion=rule.criterion,
            severity=rule.severity,
            message=rule.summary,
            span=Span(file := dice.choice(submission.files).path, line := dice.randint(1, 25)),
            check=FactCheck(Check.CONFIRMED, f"{file}:{line} shows it.", Span(file, line)),
        )
        for at, rule in enumerate(defects)
    )
    rules = _reviewed("rules", proven, dice.uniform(0.1, 0.9))
    llms = [_llm(dice, name, model, proven) for name, model in _LLMS.items() if dice.random() < 0.7]
    clock.now += timedelta(hours=dice.uniform(1, 20))
    store.add(submission, (rules, *llms))
    _people(store, dice, submission.id, (rules, *llms))
    _run(store, clock, dice, submission)
    return submission.id


def _submission(dice: random.Random, lineage: int, number: int) -> Submission:
    own, topic = word(lineage), _TOPICS[lineage % len(_TOPICS)]
    model, dataset = _MODELS[lineage % 6], _DATASETS[lineage // 6 % 6]
    runs = [_run_config(method, model, dataset) for method in ("proposed", "baseline")]
    files = [
        SourceFile(path, _code(text, dice.randrange(_VARIANTS)))
        for path, text in sorted(SOUND_FILES.items())
    ]
    # The attempt's number is part of the content, so that no two of a lineage are the same
    # submission.
    files[0] = SourceFile(files[0].path, files[0].data + f"# attempt {number}\n".encode())
    hypothesis = {
        "open_problems": (
            f"Training with {topic} wastes compute where inputs of kind {own} are easy."
        ),
        "method": (
            f"{topic.capitalize()} for {own}: each unit is weighted by a learned gate and the rest"
            " is skipped."
        ),
        "primary_metric": "Top-1 accuracy on the held-out split",
    }
    answer = RecordedAnswer(
        raw='{"is_ready": false}',
        verdict=Verdict.NOT_READY,
        text="See the findings.",
        model="o3-2025-04-16",
    )
    return Submission(
        name=f"{own}-attempt-{number}",
        source=f"logs/{own}/{number}.txt",
        files=tuple(files),
        runs=tuple(runs),
        context=ResearchContext(
            hypothesis=hypothesis,
            method=hypothesis["method"],
            primary_metric=hypothesis["primary_metric"],
        ),
        recorded=(answer,),
        lineage=own,
        attempt=number,
        generator=_GENERATORS[lineage % len(_GENERATORS)],
    )


def _run_config(method: str, model: str, dataset: str) -> RunConfig:
    run_id = f"{method}-{model}-{dataset}"
    yaml = (
        f"run_id: {run_id}\nmethod: {method}\nmodel:\n  name: {model}\ndataset:\n  name:"
        f" {dataset}\n"
    )
    file = SourceFile(f"config/runs/{run_id}.yaml", yaml.encode())
    return RunConfig(run_id, file, method=method, model=model, dataset=dataset)


def _code(text: str, variant: int) -> bytes:
    return f"{text}# variant {variant}\n".encode()


def _llm(dice: random.Random, reviewer: str, model: str, proven: Sequence[Finding]) -> Review:
    """A review that names some of what is proven, and other things that are not so."""
    if dice.random() < 0.03:
        return Review(
            reviewer=reviewer,
            verdict=None,
            failure="the answer stops in the middle",
            model=model,
            raw="{",
        )
    named = [finding for finding in proven if dice.random() < 0.4]
    made_up = dice.sample(
        list(PREDICATES.values()), k=dice.choices(range(5), weights=(2, 4, 4, 2, 1))[0]
    )
    claims = [*_borne_out(named), *_doubtful(dice, reviewer, made_up)]
    review = replace(
        _reviewed(reviewer, claims, dice.uniform(5, 90)),
        model=model,
        text="; ".join(c.message for c in claims),
    )
    return replace(
        review,
        cost_usd=None if reviewer == "qwen" else dice.uniform(0.01, 0.2),
        prompt="findings/2",
        input_tokens=dice.randint(9_000, 30_000),
        output_tokens=dice.randint(500, 4_000),
    )


def _borne_out(named: Sequence[Finding]) -> Iterator[Finding]:
    for finding in named:
        yield replace(finding, id=f"claim:{finding.id}", rule=None, claim=finding.message)


def _doubtful(dice: random.Random, reviewer: str, about: Sequence[Predicate]) -> Iterator[Finding]:
    for at, predicate in enumerate(about):
        result = dice.choices(list(Check), weights=(2, 4, 3))[0]
        file = dice.choice(("src/train.py", "src/main.py", "src/model.py", "config/config.yaml"))
        said = sentence(parse({"p": predicate.name, **predicate.example}))
        category = dice.choice(list(rubric().categories))
        yield Finding(
            id=f"{predicate.name}:{reviewer}:{at}",
            kind=predicate.name,
            claim=said,
            category=category,
            criterion=criterion_of(category),
            severity=dice.choice(list(Severity)),
            message=said,
            span=Span(file, dice.randint(1, 25)) if dice.random() < 0.9 else None,
            check=FactCheck(
                result,
                "The code says otherwise.",
                misreading=dice.choice(_WRONG) if result is Check.REFUTED else None,
            ),
        )


def _reviewed(reviewer: str, found: Sequence[Finding], seconds: float) -> Review:
    stopped = any(each.severity is Severity.BLOCKER for each in found)
    return Review(
        reviewer=reviewer,
        verdict=Verdict.NOT_READY if stopped else Verdict.READY,
        findings=tuple(found),
        seconds=round(seconds, 2),
    )


def _people(store: Store, dice: random.Random, id: str, reviews: Sequence[Review]) -> None:
    """One in twenty is decided, by one of three people; some of them say so of single findings
    too.
    """
    author = dice.choice(_PEOPLE)
    found = [finding for review in reviews for finding in review.findings]
    if found and dice.random() < 0.1:
        ruling = dice.choice((Ruling.CONFIRM, Ruling.DISMISS))
        store.rule_on(id, dice.choice(found).id, ruling, "the code says so", author)
        store.remark(
            id,
            dice.choice(found).id,
            author=author,
            severity=Severity.MINOR,
            comment="it runs nevertheless",
        )
    if dice.random() < 0.02:
        own = Span("src/train.py", dice.randint(1, 25))
        store.add_finding(
            id,
            span=own,
            severity=Severity.MAJOR,
            category="data-leakage",
            message="the test split is used",
            author=author,
        )
    if dice.random() < 0.05:
        blocked = any(
            review.verdict is Verdict.NOT_READY for review in reviews if review.reviewer == "rules"
        )
        agreed = blocked == (dice.random() < 0.9)
        store.decide(id, Verdict.NOT_READY if agreed else Verdict.READY, "read in full", author)


def _run(store: Store, clock: Clock, dice: random.Random, submission: Submission) -> None:
    """One in ten was really run."""
    if dice.random() < 0.1:
        fails = dice.random() < 0.6
        output = (
            'Traceback (most recent call last):\n  File "/run/src/train.py", line'
            f" {dice.randint(1, 25)}, in main\n"
            f"    run(cfg)\n{dice.choice(('KeyError', 'ValueError', 'AttributeError'))}:"
            " 'batch_size'\n"
        )
        outcome, _ = outcome_of_run(
            submission, output if fails else "done\n", int(fails), Stage.TRIAL, clock()
        )
        add_outcome(store, outcome)
