"""Reads the requirements in a log's own prompt into a contract.

The text is data: it is split once into headings, lists, rows and blocks; commands are parsed by the
shell's grammar, and a clause is accepted if two signs agree. What cannot be parsed is absent.
"""

from collections.abc import Mapping
from typing import Any

from reviewers.rubric.contract import Contract
from reviewers.rubric.reading.commands import by_role, read_commands
from reviewers.rubric.reading.contract_matching import fitted
from reviewers.rubric.reading.criteria import read_criteria
from reviewers.rubric.reading.demands import read_demands
from reviewers.rubric.reading.files import read_files, read_runs
from reviewers.rubric.reading.outline import outline
from reviewers.rubric.reading.shell import by_place
from reviewers.rubric.reading.verdict import read_ready

__all__ = ["read_prompt"]


def read_prompt(text: str) -> Contract | None:
    """Return the contract that a prompt's instructions state; None if they state none.

    What cannot be read is absent, not assumed. Where a prompt has criteria, what is asked is in
    them; files and commands may be elsewhere.
    """
    original = outline(text)
    items = read_criteria(original, text)
    text = by_place(text, original)
    statements = outline(text)
    if len(statements) != len(original):
        statements = original
    own = {id(each) for item in items for each in item.statements}
    asked = [
        new for old, new in zip(original, statements, strict=True) if id(old) in own
    ] or statements
    files = read_files(asked) or read_files(statements)
    commands, modes = read_commands(statements, asked, files.get("expected", ()))
    if any(_elsewhere(command["file"], files) for command in commands.values()):
        files = {}
        commands, modes = read_commands(statements, asked, ())
    if not (items or files or any(command.get("line") for command in commands.values())):
        return None
    own = set(map(id, asked))
    by_parts = outline(by_role(text, commands))
    named = [new for old, new in zip(statements, by_parts, strict=False) if id(old) in own]
    demands = read_demands(named if len(by_parts) == len(statements) else asked)
    tables = {
        **demands,
        "commands": commands,
        "modes": modes,
        "files": {**files, **demands["files"]},
        "runs": read_runs(asked),
        "ready": read_ready(statements),
    }
    return fitted(tables, items, text, asked)


def _elsewhere(script: str, files: Mapping[str, Any]) -> bool:
    """Whether a list names a script that a command starts, but in another folder."""
    expected = files.get("expected", ())
    names = {path.rpartition("/")[2] for path in expected}
    return script not in expected and script.rpartition("/")[2] in names
