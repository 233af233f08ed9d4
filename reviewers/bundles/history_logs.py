"""Recorded logs in a repository: which state of the code each belongs to, or where it is placed if
none matches.
"""

import hashlib
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewers.bundles.git_trees import MODULES
from reviewers.records import ResearchContext, SourceFile, Submission, lines_of

_DOCUMENTED = frozenset(
    {*(f"src/{module}" for module in MODULES), "pyproject.toml", "config/config.yaml"}
)
_NUMBER = re.compile(r"([0-9]+)")

# Position of the commit; 0 for a log before its code, 1 for code, 2 for a log after it; order of
# the logs.
Place = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class FoundLog:
    """A log where a commit first holds it.

    Attributes:
        path: within the repository.
        commit: position of the commit in the order of all commits.
        lineage: of the submission beside which it lies.
    """

    submission: Submission
    path: str
    commit: int
    lineage: str


def exact_code(submission: Submission) -> Hashable:
    """What is equal for two submissions with the same documented files; one that is absent equals
    an empty one.
    """
    return frozenset((file.path, hashlib.sha256(file.data).digest()) for file in _code(submission))


def plain_code(submission: Submission) -> Hashable:
    """As `exact_code`, but line ends, blanks at the ends of lines and blank lines do not count, nor
    does text decoded wrongly.
    """
    plain = (
        (file.path, _plain(file.reading).encode("utf-8", "replace")) for file in _code(submission)
    )
    return frozenset((path, hashlib.sha256(data).digest()) for path, data in plain)


@dataclass(frozen=True, slots=True)
class Assigned:
    """Logs and the attempts that they tell of.

    Attributes:
        answers: by position of the state, the logs that show its code, in the order of their names.
        own: for code that only logs hold, its place among the states and the logs that show it.
    """

    answers: Mapping[int, Sequence[FoundLog]]
    own: Sequence[tuple[Place, Sequence[FoundLog]]]


def assign(
    logs: Iterable[FoundLog], states: Sequence[Submission], commits: Sequence[int]
) -> Assigned:
    """Find out which state each log shows, and where the code stood that only a log holds.

    Logs of one folder are taken in the order of their names, numbers by value. One that shows no
    state comes before the state that the next of them shows (a rejected attempt is often told by
    its log alone), else after the state of the one before.

    Args:
        states: every state that a commit holds.
        commits: for each of them the position of the commit.
    """
    ordered = sorted(
        logs, key=lambda log: (log.path.rpartition("/")[0], _natural(log.path), log.commit)
    )
    codes = _Codes(states)
    shown = [codes.state_of(log.submission) for log in ordered]
    answers: dict[int, list[FoundLog]] = {}
    own: dict[Hashable, tuple[Place, list[FoundLog]]] = {}
    for number, (log, state) in enumerate(zip(ordered, shown, strict=True)):
        if state is not None:
            answers.setdefault(state, []).append(log)
        elif (code := (plain_code(log.submission), _runs(log.submission))) in own:
            own[code][1].append(log)
        else:
            own[code] = (
                _place(number, ordered, [None if at is None else commits[at] for at in shown]),
                [log],
            )
    return Assigned(answers, sorted(own.values(), key=lambda item: item[0]))


def with_logs(submission: Submission, logs: Sequence[FoundLog]) -> Submission:
    """Add what logs tell of a submission: their answers, and where it lacks them the research
    context and the run configs.
    """
    answers = list(submission.recorded)
    for log in logs:
        answers += [answer for answer in log.submission.recorded if answer not in answers]
    told = replace(submission, recorded=tuple(answers))
    return as_told(told, logs[0].submission) if logs else told


def as_told(submission: Submission, other: Submission) -> Submission:
    """Take from another account of the same experiment what this one lacks: the research context,
    run configs, their order.
    """
    own = {run.run_id: run.file for run in submission.runs}
    runs = submission.runs or other.runs
    if own.keys() == {run.run_id for run in other.runs}:
        runs = tuple(replace(run, file=own[run.run_id]) for run in other.runs)
    return replace(
        submission,
        context=submission.context if submission.context != ResearchContext() else other.context,
        runs=runs,
        base=submission.base or other.base,
    )


class _Codes:
    """States by their code."""

    def __init__(self, states: Sequence[Submission]) -> None:
        self._states = states
        self._by_code: dict[Hashable, list[int]] = {}
        for number, state in enumerate(states):
            for code in (("exact", exact_code(state)), ("plain", plain_code(state))):
                self._by_code.setdefault(code, []).append(number)

    def state_of(self, log: Submission) -> int | None:
        """The state whose code a log shows; of several, which differ in run configs or other files,
        the one with its runs.
        """
        same = self._by_code.get(("exact", exact_code(log))) or self._by_code.get(
            ("plain", plain_code(log)), []
        )
        return next(
            (number for number in same if _runs(self._states[number]) == _runs(log)),
            same[0] if same else None,
        )


def _place(number: int, logs: Sequence[FoundLog], shown: Sequence[int | None]) -> Place:
    log = logs[number]

    def beside(numbers: range) -> int | None:
        """The commit of the nearest state that a log of the same folder and lineage shows."""
        near = (at for at in numbers if _folder(logs[at]) == _folder(log) and shown[at] is not None)
        return next((shown[at] for at in near), None)

    if (following := beside(range(number + 1, len(logs)))) is not None:
        return min(log.commit, following), 0, number
    before = beside(range(number - 1, -1, -1))
    return (
        (before, 2, number)
        if before is not None and before >= log.commit
        else (log.commit, 0, number)
    )


def _folder(log: FoundLog) -> tuple[str, str]:
    return log.path.rpartition("/")[0], log.lineage


def _natural(path: str) -> tuple[tuple[bool, int, str], ...]:
    """A key that orders `log_2` before `log_10`."""
    parts = _NUMBER.split(path.rpartition("/")[2])
    return tuple(
        (at % 2 == 1, int(part[:18]) if at % 2 else 0, part) for at, part in enumerate(parts)
    )


def _code(submission: Submission) -> list[SourceFile]:
    return [file for file in submission.files if file.path in _DOCUMENTED and file.data.strip()]


def _plain(text: str) -> str:
    return "\n".join(line.rstrip() for line in lines_of(text) if line.strip())


def _runs(submission: Submission) -> Hashable:
    return frozenset((run.run_id, _plain(run.file.reading)) for run in submission.runs)
