"""Runs every rule on one submission."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from reviewers.facts import Facts
from reviewers.facts.fingerprint import distinct
from reviewers.records import DryRun, Finding, Found, Place, Severity
from reviewers.rules.base import MOST_PLACES, registered
from reviewers.rules.failures import dry_run, with_what_fails
from reviewers.steps import OutOfSteps, OutOfTime

_log = logging.getLogger(__name__)
_LISTED = 100  # findings of one rule on one submission; real ones have six at the most
_COUNTED = 1_000


@dataclass(frozen=True, slots=True)
class RulesReport:
    """What the rules found.

    Attributes:
        findings: worst first, then by place; ids are unique among them.
        crashed: one line for each rule that stopped with an error of its own, with the rule's id.
        left_out: one line for each rule that took too many steps, and for each part of the
            submission that is too large to be looked at.
        timed_out: the time ran out. Another run may find more, so that this report must not be
            taken for what there is to find.
        dry_run: what a run would meet; None if that could not be computed.
    """

    findings: tuple[Finding, ...]
    crashed: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    timed_out: bool = False
    dry_run: DryRun | None = None

    @property
    def partial(self) -> tuple[str, ...]:
        """What keeps this from being the whole review, a line each; empty if it is whole."""
        return (*self.crashed, *self.left_out)


def run_rules(facts: Facts) -> RulesReport:
    """Run every rule; one that stops on hostile input takes no other with it."""
    findings: list[Finding] = []
    crashed: list[str] = []
    stopped: list[str] = []
    timed_out = False
    with facts.steps.counted():
        for rule in registered().values():
            found: list[Finding] = []
            try:
                with facts.steps.part():
                    found.extend(islice(rule(facts), _COUNTED))
            except OutOfTime as error:
                stopped.append(f"{rule.id} and every rule after it: {error}")
                timed_out = True
            except OutOfSteps as error:
                stopped.append(f"{rule.id}: {error}")
            except Exception as error:  # noqa: BLE001  the named boundary: one rule on one submission
                _log.warning(
                    "rule %s stopped on %s", rule.id, facts.submission.id[:12], exc_info=True
                )
                crashed.append(f"{rule.id}: {type(error).__name__}")
            findings.extend(_listed(_joined(sorted(found, key=_order))))
            if timed_out:
                break
        told = tuple(distinct(sorted(findings, key=_order)))
        followed = None if timed_out else _dry_run(facts, told, crashed, stopped)
        if followed is not None:
            told = with_what_fails(told, followed)
    left_out = (*stopped, *facts.steps.left_out)
    return RulesReport(told, tuple(crashed), left_out, timed_out, followed)


def _dry_run(
    facts: Facts, findings: tuple[Finding, ...], crashed: list[str], stopped: list[str]
) -> DryRun | None:
    """What a run would meet; hostile input takes no finding with it."""
    try:
        with facts.steps.part():
            met = dry_run(facts, findings)
    except OutOfSteps as error:
        stopped.append(f"what a run would meet: {error}")
    except Exception as error:  # noqa: BLE001  the same boundary: it is on every rule's findings
        _log.warning("no dry run of %s", facts.submission.id[:12], exc_info=True)
        crashed.append(f"what a run would meet: {type(error).__name__}")
    else:
        return replace(met, left_out=(*crashed, *stopped, *facts.steps.left_out))
    return None


def _joined(found: Sequence[Finding]) -> list[Finding]:
    """One rule's findings, each cause once: what is said in the same words of several places in one
    file, or of several causes of one symptom, has these as further places.
    """
    joined: list[Finding] = []
    by_words: dict[tuple[str, Severity], list[int]] = {}
    for finding in found:
        known = by_words.setdefault((finding.message, finding.severity), [])
        same = next((at for at in known if _has_one_cause(joined[at], finding)), None)
        if same is None or finding.span is None:
            known.append(len(joined))
            joined.append(finding)
            continue
        places = [*joined[same].places, Place(finding.span, Found.AGAIN), *finding.places]
        told = {place.span: place for place in reversed(places)}
        further = tuple(dict.fromkeys(told[place.span] for place in places))[:MOST_PLACES]
        joined[same] = replace(joined[same], places=further)
    return joined


def _has_one_cause(one: Finding, other: Finding) -> bool:
    """Whether what two findings say in the same words is one thing."""
    if one.span is None or other.span is None or one.span == other.span:
        return False
    shown = {place.span for place in one.places if place.found is Found.SYMPTOM}
    return one.span.file == other.span.file or any(place.span in shown for place in other.places)


def _listed(found: list[Finding]) -> Iterator[Finding]:
    """As many findings of one rule as a person would read, the worst of them; the last one says how
    many there are besides.
    """
    yield from found[: _LISTED - 1]
    if left := found[_LISTED - 1 :]:
        more = f"{'at least ' if len(found) == _COUNTED else ''}{len(left) - 1}"
        yield (
            replace(left[0], message=f"{left[0].message} (and {more} more like this)")
            if len(left) > 1
            else left[0]
        )


def _order(finding: Finding) -> tuple[int, str, int, str]:
    span = finding.span
    return (
        finding.severity.rank,
        span.file if span else "",
        (span.line or 0) if span else 0,
        finding.rule or "",
    )
