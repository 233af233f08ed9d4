"""What a model is told of a submission's contract: commands, modes, files, criteria, and when they
make a submission not ready.
"""

from collections.abc import Iterator

from reviewers.panel.fencing import prefixed
from reviewers.records import Severity
from reviewers.rubric import criteria_of
from reviewers.rubric.built_in import built_in
from reviewers.rubric.contract import Contract

_MOST_CRITERIA, _LONGEST_CRITERION = 12, 600
_ELSEWHERE = (
    "What its pipeline asks stands in the submission's first part, as the submission itself words"
    " it; take from there what is asked, and nothing else."
)

_NOT_READY = {
    Severity.BLOCKER: (
        "Not ready exactly if there is a blocker: a documented command fails, or a hard rule is"
        " broken."
    ),
    Severity.MAJOR: (
        "Every criterion must hold. Not ready exactly if there is a blocker (a documented command"
        " fails, or a hard rule is broken) or a major defect (a criterion is not met otherwise)."
    ),
}


def in_system(contract: Contract) -> str:
    """Return what the first message says of a contract."""
    return contract_text(contract) if ships(contract) else _ELSEWHERE


def in_submission(contract: Contract) -> str | None:
    """Return what the submission's own message says of its contract, every line with its mark; None
    where the first message says it.
    """
    return None if ships(contract) else prefixed(contract_text(contract, bounded=True))


def ships(contract: Contract) -> bool:
    """Whether a contract is one of areachair's own, so that no word of it is somebody else's."""
    return contract == built_in().get(contract.name)


def contract_text(contract: Contract, *, bounded: bool = False) -> str:
    """Return a contract as plain text.

    Args:
        bounded: whether only so much of it is told as a submission may bring along.
    """
    return "\n".join(
        [
            *_commands(contract),
            *_files(contract),
            _NOT_READY[contract.mildest],
            *_criteria(contract, bounded),
        ]
    )


def _commands(contract: Contract) -> Iterator[str]:
    typed = {name: command for name, command in contract.commands.items() if command.line}
    if typed:
        yield "Commands:"
        yield from (f"- {name}: {command.line}" for name, command in typed.items())
    if contract.modes:
        words = (f"{name} ({mode.word or 'no word'})" for name, mode in contract.modes.items())
        yield f"Modes, for {{mode}}: {', '.join(words)}"


def _files(contract: Contract) -> Iterator[str]:
    if contract.files.expected:
        only = ", none beside them" if contract.files.only else ""
        yield f"Files{only}: {', '.join(contract.files.expected)}"


def _criteria(contract: Contract, bounded: bool) -> Iterator[str]:
    criteria = [*criteria_of(contract).values()]
    yield "Criteria:"
    for each in criteria[: _MOST_CRITERIA if bounded else None]:
        words = " ".join(f"{each.title}. {each.question} {each.facts}".split())
        yield f"{each.number}. {words[: _LONGEST_CRITERION if bounded else None]}"
