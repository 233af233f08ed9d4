"""The failures that a run would meet: those that facts know, and blockers of rules whose places lie
on the path of a documented command.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewers.facts import Facts
from reviewers.facts.failures import INSTALL, Met, Process
from reviewers.records import (
    DryRun,
    Failure,
    Finding,
    Followed,
    Found,
    Severity,
    Span,
)
from reviewers.rules.base import FOLLOWED, INSTALLATION, UNREAD, registered

_MOST = 200  # failures; nobody reads on


@dataclass(frozen=True, slots=True)
class _Stop:
    """A rule's finding that mentions a stop.

    Attributes:
        stops: by which error, as its rule says.
        spans: all its places, the cause first.
    """

    finding: Finding
    stops: str
    spans: tuple[Span, ...]


def dry_run(facts: Facts, findings: Sequence[Finding]) -> DryRun:
    """Join what facts and rules know of failures, in the order in which a run would meet them."""
    stops = list(_stops(findings))
    near: dict[str, list[_Stop]] = {}
    for stop in stops:
        for file in dict.fromkeys(span.file for span in stop.spans):
            near.setdefault(file, []).append(stop)
    met = [told for one in facts.failures.known if (told := _told(one, near))]
    telling = {one.failure.finding for one in met}
    installing: list[Failure] = []
    for stop in stops:
        if stop.finding.severity is not Severity.BLOCKER or stop.finding.id in telling:
            continue
        if stop.stops == INSTALLATION:
            installing.append(_of_installing(facts, stop.finding))
        elif stop.stops not in (UNREAD, FOLLOWED):
            met += _of_rule(facts, stop)
    ranks = {process: at for at, process in enumerate(facts.failures.processes)}
    starts = {process: ranks[process.root] for process in ranks}
    met.sort(key=lambda one: (starts[one.process], one.order))
    failures = (*installing, *_once(met))
    return DryRun(
        commands=tuple(_followed(facts)),
        failures=failures[:_MOST],
        unsure=_unsure(facts),
    )


def with_what_fails(findings: Sequence[Finding], run: DryRun) -> tuple[Finding, ...]:
    """The findings, each that stops a command with that in what it says."""
    first = {failure.finding: failure for failure in reversed(run.failures)}
    return tuple(
        replace(each, says=json.dumps(_because(each.says, first[each.id])))
        if each.id in first
        else each
        for each in findings
    )


def _because(says: str, failure: Failure) -> Mapping[str, object]:
    return {"because": json.loads(says), "then": failure.says} if says else failure.says


def _stops(findings: Sequence[Finding]) -> Iterator[_Stop]:
    rules = registered()
    for finding in findings:
        stops = rules[finding.rule].stops if finding.rule else None
        if stops is not None and finding.span is not None:
            further = (place.span for place in finding.further)
            yield _Stop(finding, stops, (finding.span, *further))


def _told(met: Met, near: Mapping[str, Sequence[_Stop]]) -> Met | None:
    """The failure with the finding that reports it; None if none does, as where the contract
    asks for what the code refuses. One without a blocker may not be met.

    Args:
        near: the findings with a place in each file, the worst ones first.
    """
    telling = [
        stop for told in met.told for stop in near.get(told.file, ()) if _is_about(stop, met, told)
    ]
    if not telling:
        return met if met.is_unread else None
    # Of several, the one that has the same words.
    in_words = (stop for stop in telling if met.failure.message in stop.finding.names)
    stop = next(in_words, telling[0]) if met.is_unread else telling[0]
    certain = met.failure.certain and stop.finding.severity is Severity.BLOCKER
    failure = replace(met.failure, finding=stop.finding.id, certain=certain)
    return replace(met, failure=failure)


def _is_about(stop: _Stop, met: Met, told: Span) -> bool:
    """Whether a finding tells of what is met: it mentions such a stop, at this place."""
    if met.is_unread:  # a file that is missing or empty cannot be composed either
        fits = stop.stops == UNREAD or stop.finding.span == Span(told.file)
    else:
        fits = stop.stops in (FOLLOWED, met.failure.error)
    return fits and any(_touch(span, told) for span in stop.spans)


def _of_rule(facts: Facts, stop: _Stop) -> Iterator[Met]:
    finding = stop.finding
    shown = [place.span for place in finding.places if place.found is Found.SYMPTOM]
    files = {span.file for span in stop.spans}
    runs = {run.run_id for run in facts.runs if run.file.path in files}
    for process in facts.failures.processes:
        if runs and process.run and process.run not in runs:
            continue  # what a run's own file says is met in that run
        met = facts.failures.met(process, shown or stop.spans, stop.stops, finding.message)
        if met is not None:
            yield replace(met, failure=replace(met.failure, finding=finding.id))


def _of_installing(facts: Facts, finding: Finding) -> Failure:
    assert finding.span is not None
    return Failure(
        step=INSTALL,
        command=_installer(facts),
        error="",
        message=finding.message,
        place=finding.span,
        finding=finding.id,
    )


def _installer(facts: Facts) -> str:
    return "uv sync" if facts.contract.installs_with_uv else "pip install ."


def _touch(one: Span, other: Span) -> bool:
    """Whether two places have a line in common; a whole file has all."""
    is_whole = one.line is None or other.line is None
    return one.file == other.file if is_whole else one.is_near(other)


def _once(met: Sequence[Met]) -> Iterator[Failure]:
    """What each finding tells once for a command: where it is met first, and how many starts meet
    it. Once that is repaired, nothing meets it.
    """
    found: dict[tuple[str, str | None], Failure] = {}
    starts: dict[tuple[str, str | None], set[Process]] = {}
    for one in met:
        key = one.failure.step, one.failure.finding
        if key in found and one.failure.certain and not found[key].certain:
            del found[key], starts[key]
        found.setdefault(key, one.failure)
        if one.failure.certain is found[key].certain:
            starts.setdefault(key, set()).add(one.process.root)
    for key, failure in found.items():
        yield replace(failure, starts=len(starts[key]))


def _followed(facts: Facts) -> Iterator[Followed]:
    if "pyproject.toml" in facts.submission.by_path or facts.contract.installs_with_uv:
        yield Followed(INSTALL, _installer(facts), 1)
    by_step: dict[str, list[Process]] = {}
    for process in facts.failures.processes:
        by_step.setdefault(process.step, []).append(process)
    for step, processes in by_step.items():
        roots = [one for one in processes if one.by is None]
        followed = {one.root for one in processes if one.trace is not None or one.start is not None}
        runs = {one.run for one in followed} - {""}
        modes = {one.mode for one in followed} - {""}
        yield Followed(step, roots[0].command, len(followed), len(runs), len(modes))


def _unsure(facts: Facts) -> int:
    sure: dict[object, bool] = {}
    for process in facts.failures.processes:
        for place, visit in process.trace.visits.items() if process.trace else ():
            sure[place] = sure.get(place, False) or visit.sure
    return sum(not one for one in sure.values())
