"""What a log's own prompt asks for, read from its text into a contract.

The text is data: it is cut into statements, and each clause is looked for in what they say. What
cannot be read, or is in doubt, is absent.
"""

from reviewers.rubric.contract import Contract
from reviewers.rubric.reading.clauses import (
    read_code,
    read_data,
    read_outputs,
    read_ready,
    read_tracking,
)
from reviewers.rubric.reading.commands import read_commands
from reviewers.rubric.reading.criteria import read_criteria
from reviewers.rubric.reading.files import read_files, read_runs
from reviewers.rubric.reading.fitting import fitted
from reviewers.rubric.reading.outline import outline
from reviewers.rubric.reading.starts import by_role

__all__ = ["read_prompt"]


def read_prompt(text: str) -> Contract | None:
    """Return the contract that a prompt's instructions state; None where they state none.

    What cannot be read is absent, not assumed.
    """
    statements = outline(text)
    files = read_files(statements)
    items = read_criteria(statements)
    commands, modes = read_commands(statements, files.get("expected", ()))
    if not (items or files or any(command.get("line") for command in commands.values())):
        return None
    by_parts = outline(by_role(text, commands))
    tables = {
        "commands": commands,
        "modes": modes,
        "files": {**files, **read_code(statements)},
        "runs": read_runs(statements),
        "data": read_data(statements),
        "tracking": read_tracking(by_parts),
        "outputs": read_outputs(by_parts),
        "ready": read_ready(statements),
    }
    return fitted(tables, items)
