"""Repairs of how the runs are named."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from reviewers.facts import Facts
from reviewers.facts.composition import UNREAD_WORD
from reviewers.offers import Edit
from reviewers.records import Finding, RunConfig
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import CannotEdit
from reviewers.repairs.literals import in_code, in_runs

_SIGNS = re.compile(r"[^\w.-]+", re.ASCII)


@repairs("HY03")
def plain_name(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Names without the signs of Hydra's grammar, for the runs that it cannot be asked for: no code
    comes before Hydra reads the command's words.
    """
    named = {
        run.run_id: _plain(run.run_id) for run in facts.runs if _is_unread(facts, run, finding)
    }
    if not named:
        return
    names = [named.get(run.run_id, run.run_id) for run in facts.runs]
    if "" in names or len({*names}) < len(names):
        raise CannotEdit("the plain names are not different ones")
    edits: dict[Edit, None] = {}
    for old, new in named.items():
        edits.update(dict.fromkeys((*in_runs(facts, old, new), *in_code(facts, old, new))))
    yield Proposal(
        "Name the runs without the signs that Hydra's command line does not read",
        tuple(edits),
        "results, figures and tracked runs have the new names",
        asks=f"Under which name is {next(iter(named))} to be run?",
        choice=", ".join(named.values())[:200],
        moves=tuple(
            (run.file.path, str(PurePosixPath(run.file.path).with_stem(named[run.run_id])))
            for run in facts.runs
            if run.run_id in named
        ),
    )


def _is_unread(facts: Facts, run: RunConfig, finding: Finding) -> bool:
    """Whether a command's word for a run is refused for the run's own name."""
    return UNREAD_WORD in finding.names and any(
        problem.error == UNREAD_WORD and run.run_id in (problem.word or "")
        for start in facts.hydra.starts
        for problem in start.refused
        if start.run_id == run.run_id
    )


def _plain(name: str) -> str:
    return re.sub("--+", "-", _SIGNS.sub("-", name)).strip("-") if _SIGNS.search(name) else ""
