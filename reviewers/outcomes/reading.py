"""Finds the failure in a run's output: the last one reported, the child's error before its
parent's.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from reviewers.outcomes.command_lines import last_refused_command
from reviewers.outcomes.deaths import death_by_code, last_death
from reviewers.outcomes.failure import Form, RunFailure, Told
from reviewers.outcomes.hydra_messages import last_hydra_message
from reviewers.outcomes.installers import is_installers, last_installer_message
from reviewers.outcomes.printed_lines import printed_lines
from reviewers.outcomes.tracebacks import last_traceback

_READERS: tuple[Callable[[Sequence[str]], Told | None], ...] = (
    last_traceback,
    last_hydra_message,
    last_installer_message,
    last_refused_command,
    last_death,
)
_OF_A_CHILD = re.compile(r"(?:^|\.)(?:CalledProcessError|ChildFailedError)$")
_BY_SIGNAL = re.compile(
    r"died with <Signals\.SIG(?P<signal>\w+)|exit status (?P<status>-?\d+)|exitcode +:"
    r" (?P<code>-?\d+)"
)
_SIGNALS = {"KILL": -9, "SEGV": -11, "ABRT": -6}
_MOST_CHILDREN = 4  # processes that start one another


def read_failure(text: str, exit_code: int | None = None) -> RunFailure | None:
    """Return what a run failed of, None if its output tells of no failure.

    Where one process started another and both tell of it, the child's failure is the cause and the
    parent's the outer one.

    Args:
        text: stderr, or stdout and stderr as they came; of any size, at most two million characters
            of it are read.
        exit_code: 0 for a run that did not fail, whatever it printed; None if it is unknown.
    """
    if exit_code == 0:
        return None
    failure = _last(printed_lines(text), _MOST_CHILDREN)
    died = death_by_code(exit_code) if exit_code is not None else None
    if died is not None and (failure is None or failure.form is not Form.DEATH):
        # A process that was killed wrote nothing about it: what stands above was said before.
        return replace(died, outer=None)
    return failure


def _last(lines: Sequence[str], generations: int) -> RunFailure | None:
    told = [found for reader in _READERS if (found := reader(lines)) is not None]
    if not told:
        return None
    last = _chosen(lines, told)
    failure = last.failure
    if is_installers(failure):
        failure = replace(failure, form=Form.INSTALLER)
    if generations and _OF_A_CHILD.search(failure.type):
        child = _last(lines[: last.start], generations - 1) or _by_signal(failure)
        if child is not None:
            return replace(child, outer=replace(failure, outer=None))
    return failure


def _chosen(lines: Sequence[str], told: Sequence[Told]) -> Told:
    """The one that was reported last; what is within another one's lines is a part of it."""
    within = [
        found
        for found in told
        if any(other.start < found.start < other.end for other in told if other is not found)
    ]
    last = max(
        (found for found in told if found not in within or found.failure.form is Form.TRACEBACK),
        key=lambda found: found.start,
    )
    installer = next((found for found in told if found.failure.form is Form.INSTALLER), None)
    if installer is None or installer is last:
        return last
    head = lines[last.start]
    if installer.start < last.start < installer.end and (
        head.startswith("  ") or is_installers(last.failure)
    ):
        return _with_cause(installer, last)
    return last


def _with_cause(installer: Told, inner: Told) -> Told:
    """An installer's complaint, with the error of the build backend where it is shown."""
    if inner.failure.form in (Form.TRACEBACK, Form.SYNTAX):
        failure = replace(
            inner.failure, form=Form.INSTALLER, outer=replace(installer.failure, outer=None)
        )
        return Told(failure, installer.start, inner.end)
    return installer


def _by_signal(parent: RunFailure) -> RunFailure | None:
    """What the parent knows of a child that said nothing."""
    found = _BY_SIGNAL.search(parent.message)
    if found is None:
        return None
    code = _SIGNALS.get(found["signal"] or "") or int(found["status"] or found["code"] or 1)
    return death_by_code(code)
