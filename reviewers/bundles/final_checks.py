"""The last step of every format: a submission's parts are checked as a whole, and wrongly decoded
text is repaired.
"""

import re
import stat
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from reviewers.bundles.dating import date_in_name, dated
from reviewers.bundles.limits import BundleBudget, safe_path
from reviewers.bundles.repair import Repairer
from reviewers.bundles.secrets import BY_NAME, is_secret
from reviewers.errors import BundleError
from reviewers.records import (
    ContractSource,
    DatedBy,
    GivenContract,
    PassedOver,
    RecordedAnswer,
    ResearchContext,
    SourceFile,
    Submission,
)

CONTRACT_FILE = "areachair.toml"
_LONGEST_CONTRACT = 64_001  # characters; so that one of more than 64 KB is refused as such
_ATTEMPT = re.compile(r"(.+)_([0-9]{1,3})", re.DOTALL)


def finished(
    submission: Submission,
    at: datetime | None = None,
    by: DatedBy = DatedBy.CONTENT,
    *,
    exact: bool = False,
) -> Submission:
    """Check a submission as a whole, sort its files and add the repaired texts; its bytes stay as
    they are. Files that hold secrets by their name are not kept.

    Args:
        at, by: when it was generated, and how that is known; else its name may hold a date.
        exact: keep them all the same, since a store that is read back had them.

    Raises:
        BundleError: too much of it, or two files at one path.
    """
    submission = _with_contract(submission)
    source = submission.source
    secret = [file for file in submission.files if is_secret(file.path) and not exact]
    submission = replace(
        submission,
        files=tuple(file for file in submission.files if file not in secret),
        passed_over=(
            *submission.passed_over,
            *(PassedOver(file.path, BY_NAME, len(file.data)) for file in secret),
        ),
    )
    files = [*submission.files, *(run.file for run in submission.runs)]
    _check_paths([file.path for file in files], source)
    _check_run_ids([run.run_id for run in submission.runs], source)
    budget = BundleBudget(source)
    for file in files:
        budget.add(file.path, len(file.data))
    raw_answers = [answer.raw for answer in submission.recorded]
    repair = Repairer([*(file.text for file in files), *_texts(submission.context), *raw_answers])
    return replace(
        dated(dated(submission, at, by), date_in_name(submission.name), DatedBy.NAME),
        files=tuple(
            sorted(
                (_repaired_file(file, repair) for file in submission.files),
                key=lambda file: file.path,
            )
        ),
        runs=tuple(replace(run, file=_repaired_file(run.file, repair)) for run in submission.runs),
        context=_repaired_context(submission.context, repair),
        recorded=tuple(_repaired_answer(answer, repair) for answer in submission.recorded),
    )


def lineage_of(name: str) -> tuple[str | None, int | None]:
    """Return lineage and attempt of a name such as `LINEAGE_07`; None and None for any other
    name.
    """
    found = _ATTEMPT.fullmatch(name)
    if found is None or int(found[2]) == 0:
        return None, None
    return found[1], int(found[2])


def _with_contract(submission: Submission) -> Submission:
    """The submission with the contract that lies among its files, from which it is taken out."""
    text = next((file.text for file in submission.files if file.path == CONTRACT_FILE), None)
    if text is None:
        return submission
    given = GivenContract(ContractSource.FILE, text[:_LONGEST_CONTRACT])
    others = tuple(file for file in submission.files if file.path != CONTRACT_FILE)
    return replace(submission, files=others, contract=submission.contract or given)


def with_contract_beside(submission: Submission, path: Path) -> Submission:
    """The submission with the contract that lies beside the file that it was read from, where it
    brings none of its own; a folder's lies within it.
    """
    beside = path.parent / CONTRACT_FILE
    if submission.contract is not None or path.is_dir():
        return submission
    try:
        # Links, pipes and the like are not looked into.
        if not stat.S_ISREG(beside.lstat().st_mode):
            return submission
        with beside.open("rb") as file:
            text = file.read(_LONGEST_CONTRACT).decode("utf-8", "replace")
    except OSError:
        return submission
    return replace(submission, contract=GivenContract(ContractSource.FILE, text))


def _check_paths(paths: list[str], source: str) -> None:
    known: set[str] = set()
    for path in paths:
        if safe_path(path, source) != path:
            raise BundleError(
                source, f"the path {path[:200]!r} has an empty or `.` part; remove it"
            )
        if path in known:
            raise BundleError(source, f"it contains two files at {path[:200]!r}; keep one")
        known.add(path)
    for path in paths:
        parts = path.split("/")
        for end in range(1, len(parts)):
            if (folder := "/".join(parts[:end])) in known:
                raise BundleError(source, f"{folder[:200]!r} is a file and a folder; keep one")


def _check_run_ids(run_ids: list[str], source: str) -> None:
    known: set[str] = set()
    for run_id in run_ids:
        if run_id in known:
            raise BundleError(source, f"two runs are called {run_id[:200]!r}; keep one")
        known.add(run_id)


def _texts(context: ResearchContext) -> Iterable[str]:
    yield from context.hypothesis.values()
    yield from context.design.values()
    yield from (text for text in (context.method, context.primary_metric, context.criteria) if text)


def _repaired_file(file: SourceFile, repair: Repairer) -> SourceFile:
    repaired = repair.keeping_lines(file.text)
    return file if repaired == file.text else SourceFile(file.path, file.data, repaired)


def _repaired_context(context: ResearchContext, repair: Repairer) -> ResearchContext:
    def or_none(text: str | None) -> str | None:
        return None if text is None else repair(text)

    return ResearchContext(
        hypothesis={name: repair(text) for name, text in context.hypothesis.items()},
        method=or_none(context.method),
        design={name: repair(text) for name, text in context.design.items()},
        primary_metric=or_none(context.primary_metric),
        criteria=or_none(context.criteria),
    )


def _repaired_answer(answer: RecordedAnswer, repair: Repairer) -> RecordedAnswer:
    return answer if answer.text is None else replace(answer, text=repair(answer.text))
