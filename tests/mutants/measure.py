"""Draws mutants, starts each, reviews each, and compares what happened with what areachair says."""

import random
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from reviewers.bundles import open_bundle
from reviewers.errors import AreachairError
from reviewers.facts import Facts
from reviewers.records import DryRun, Failure, Finding, Span
from reviewers.rules import run_rules
from tests.mutants.bases import Extent, bases
from tests.mutants.operators import OPERATORS, Operator
from tests.mutants.tree import Mutation, Tree
from tests.mutants.world import Met, Started, World

_NEAR = 3  # lines
# Names of errors as they stand in a message, those of Hydra and OmegaConf among them.
_ERROR = re.compile(
    r"\b(?:[A-Z]\w*(?:Error|Exception|Exit|Warning)|MissingMandatoryValue|UnsupportedInterpolationType"
    r"|UnsupportedValueType)\b"
)
_QUOTED = re.compile(r"""['"`]([\w./=-]{2,})['"`]""")


@dataclass(frozen=True)
class Base:
    """A submission to mutate."""

    name: str
    tree: Tree
    blockers: frozenset[str]

    @cached_property
    def _places(self) -> dict[str, tuple[Mutation, ...]]:
        return {}

    def places(self, operator: Operator) -> tuple[Mutation, ...]:
        """Where an operator can be applied."""
        if operator.name not in self._places:
            self._places[operator.name] = tuple(operator.places(self.tree))
        return self._places[operator.name]


@dataclass(frozen=True)
class Mutant:
    """One mutated submission, started and reviewed.

    Attributes:
        failures: what areachair says that a run would meet, in its order.
        findings: what its rules found, by id.
        refused: why areachair does not open it; empty where it does.
    """

    number: int
    base: str
    operator: Operator
    mutation: Mutation
    started: Started
    failures: Sequence[Failure]
    findings: Mapping[str, Finding]
    refused: str = ""

    @property
    def starts(self) -> bool:
        return self.started.met is None

    @property
    def first(self) -> Failure | None:
        """What areachair says is met first."""
        return DryRun(failures=tuple(self.failures)).first

    @property
    def named(self) -> bool:
        """Whether what is met first is named at all."""
        return any(map(self._fits, self.failures))

    @property
    def right(self) -> bool:
        """Whether areachair says what happened: the first failure, or none."""
        if self.starts:
            return not any(failure.certain for failure in self.failures)
        return self.first is not None and self._fits(self.first)

    def _fits(self, failure: Failure) -> bool:
        met, told = self.started.met, self.findings.get(failure.finding or "")
        return met is not None and fits(failure, told, met, self.mutation)

    def __str__(self) -> str:
        at = f"{self.mutation.path}:{self.mutation.line}"
        kind = "neutral" if self.operator.neutral else "failing"
        what = " ".join(self.mutation.what.split())
        lines = [
            f"#{self.number} {'ok  ' if self.right else 'MISS'} {self.base} | {kind}"
            f" {self.operator.name} | {at} | {what}",
            f"    started: {len(self.started.commands)} commands,"
            f" the last `python {self.started.commands[-1] if self.started.commands else ''}`",
            f"    met:  {self.started.met or 'it starts'}",
        ]
        if self.refused:
            lines.append(f"    not opened: {self.refused}")
        said = self.failures[:3]
        lines += [f"    said: {one.sentence[:360]}" for one in said]
        return "\n".join(lines if said or self.starts else [*lines, "    said: nothing"])


def fits(failure: Failure, told: Finding | None, met: Met, mutation: Mutation) -> bool:
    """Whether a failure that areachair names is the first that was met.

    An error that it names must be the one that was met, or one that this stands on or comes from.
    Then it must point to where the failure shows, to the YAML file that caused it or the module
    that is missing, or quote what the error's message quotes, such as a key.

    Args:
        told: the finding that reports it.
    """
    said = failure.said
    named = set(_ERROR.findall(said))
    types = {name for cause in met.causes for name in cause.types}
    if named and not named & types:
        return False
    spans = [failure.place]
    if told is not None:
        spans += [told.span or failure.place, *(place.span for place in told.further)]
    for cause in met.causes:
        for path, line in cause.places[:1]:
            if any(span.file == path and _near(span, line) for span in spans):
                return True
        quoted = {*_QUOTED.findall(cause.message), *filter(None, [cause.key])}
        if named & set(cause.types) and any(_speaks(said, word) for word in quoted):
            return True
        # What Hydra raises before the first line shows at `main()`; the decorator is its cause.
        if named & set(cause.types) and _opening(cause.message) in said:
            return True
        # An exit code says nothing: that file's start must be the one that is named.
        if "SystemExit" in named & types and cause.places[:1]:
            return any(span.file == cause.places[0][0] for span in spans)
        if "ImportError" in cause.types and any(_lacks(cause.message, span.file) for span in spans):
            return True
    is_yaml = mutation.path.endswith((".yaml", ".yml"))
    return is_yaml and any(span.file in mutation.files for span in spans)


def _near(span: Span, line: int) -> bool:
    first, last = span.line, span.end_line or 0
    return first is not None and first - _NEAR <= line <= last + _NEAR


def _lacks(message: str, file: str) -> bool:
    """Whether the module that an import did not find is that file."""
    module = re.escape(file.removesuffix(".py").replace("/", "."))
    return re.search(rf"No module named '?{module}(?![\w.])", message) is not None


def _opening(message: str) -> str:
    """The first line of a message, without the full stop or the place that may follow."""
    return message.strip().splitlines()[0].rstrip(".") if len(message.strip()) > 10 else "\0"


def _speaks(said: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said) is not None


def _reviewed(root: Path) -> tuple[Sequence[Failure], Mapping[str, Finding]]:
    report = run_rules(Facts(open_bundle(root)))
    failures = report.dry_run.failures if report.dry_run else ()
    return failures, {finding.id: finding for finding in report.findings}


@dataclass(frozen=True)
class Measure:
    """Draws and judges mutants in one world.

    Attributes:
        extent: how much is asked of the bases.
    """

    world: World
    extent: Extent = field(default_factory=Extent)

    @cached_property
    def bases(self) -> Sequence[Base]:
        """The submissions that start, with the lines that their commands execute."""
        found = []
        for name, files in bases(self.extent):
            root = self.world.lay(files)
            blockers = frozenset(one.said for one in _reviewed(root)[0])
            trace = root.parent / "trace"
            started = self.world.start(root, trace)
            if started.met is not None:
                raise AssertionError(f"{name} does not start: {started.met}\n{started.log[-2000:]}")
            pairs = (line.rpartition(":") for line in trace.read_text().splitlines())
            ran = frozenset((path, int(line)) for path, _, line in pairs)
            found.append(Base(name, Tree(files, ran), blockers))
        return found

    def mutants(self, count: int, seed: int, numbers: Collection[int] = ()) -> Iterator[Mutant]:
        """Draw, start and review; every third is neutral, none is drawn twice."""
        seen: set[int] = set()
        for number in range(count):
            base, operator, mutation = self._drawn(number, seed, seen)
            if not numbers or number in numbers:
                yield self._tried(number, base, operator, mutation)

    def _drawn(self, number: int, seed: int, seen: set[int]) -> tuple[Base, Operator, Mutation]:
        chance = random.Random(f"{seed} {number}")
        operators = [one for one in OPERATORS if one.neutral == (number % 3 == 2)]
        while True:
            operator = chance.choice(operators)
            having = [base for base in self.bases if base.places(operator)]
            if not having:
                continue
            base = chance.choice(having)
            mutation = chance.choice(base.places(operator))
            content = hash((base.name, *sorted(mutation.files.items(), key=lambda one: one[0])))
            if content not in seen:
                seen.add(content)
                return base, operator, mutation

    def _tried(self, number: int, base: Base, operator: Operator, mutation: Mutation) -> Mutant:
        merged = {**base.tree.files, **mutation.files}
        root = self.world.lay({path: text for path, text in merged.items() if text is not None})
        try:
            said, findings = _reviewed(root)
        except AreachairError as error:
            return Mutant(
                number, base.name, operator, mutation, Started((), None, 0, ""), (), {}, str(error)
            )
        new = [one for one in said if one.said not in base.blockers]
        return Mutant(number, base.name, operator, mutation, self.world.start(root), new, findings)


def report(mutants: Sequence[Mutant]) -> str:
    """The two rates, and how each operator's mutants fared."""
    failed = [one for one in mutants if not one.starts]
    started = [one for one in mutants if one.starts]
    neutral = [one for one in started if one.operator.neutral]
    lines = [
        f"{len(mutants)} mutants: {len(failed)} fail, {len(started)} start",
        f"(a) first failure named:       {_rate(failed)}",
        f"    named, but not as the first: {sum(one.named and not one.right for one in failed)}",
        f"(b) starts, and no failure is named: {_rate(started)} (neutral: {_rate(neutral)})",
    ]
    other = [one for one in started if one.right and one.failures]
    lines.append(f"    starts, with a failure that is not certain: {len(other)}")
    lines.append("")
    lines.append(f"{'operator':<32}{'fail: named':>16}{'start: silent':>16}")
    for operator in OPERATORS:
        own = [one for one in mutants if one.operator is operator]
        if own:
            fails, begins = (
                [one for one in own if one.starts is starts] for starts in (False, True)
            )
            mark = "=" if operator.neutral else "!"
            lines.append(f"{mark} {operator.name:<30}{_count(fails):>16}{_count(begins):>16}")
    return "\n".join(lines)


def _rate(mutants: Sequence[Mutant]) -> str:
    right = sum(one.right for one in mutants)
    return f"{right}/{len(mutants)} = {right / len(mutants):.3f}" if mutants else "none"


def _count(mutants: Sequence[Mutant]) -> str:
    return f"{sum(one.right for one in mutants)}/{len(mutants)}" if mutants else "-"


def odd(mutants: Sequence[Mutant]) -> list[Mutant]:
    """Mutants of which the operator expects something else than what really happened."""
    return [one for one in mutants if one.operator.neutral is not one.starts]
