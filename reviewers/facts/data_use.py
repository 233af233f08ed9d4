"""Failures of data sets, tokenizers and loaders, found by following the runs or in a call that no
run reaches.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from reviewers.facts.config_flow.data_calls import LOADER, load_dataset
from reviewers.facts.config_flow.data_values import DataError
from reviewers.facts.config_flow.values import ANYTHING, UNKNOWN, Value
from reviewers.facts.hydra_config import HydraConfig
from reviewers.facts.python_file import PythonFile
from reviewers.facts.unreached import Unreached
from reviewers.records import Span


@dataclass(slots=True)
class DataProblem:
    """One error, with every place and run that meets it.

    Attributes:
        cause: short name of what is wrong.
        error, message: name and text of the exception.
        spans: where it is raised, in the order in which the places are met.
        further: where it comes from, or shows as well.
        runs: the run ids that meet it; empty if none was seen to.
        certain: False if it comes under a condition that is not known, or is caught.
        names: what is asked for and is not there, and what there is instead; empty if not known.
    """

    cause: str
    error: str
    message: str
    spans: list[Span] = field(default_factory=list)
    further: list[Span] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    certain: bool = False
    names: tuple[str, ...] = ()


def data_problems(
    hydra: HydraConfig, python: Mapping[str, PythonFile], beside: Sequence[Unreached] = ()
) -> tuple[DataProblem, ...]:
    """Every problem once, those met by runs first.

    Args:
        beside: what was followed that no start reaches.
    """
    found: dict[tuple[str, str, str], DataProblem] = {}

    def put(cause: str, error: str, message: str, span: Span) -> DataProblem:
        problem = found.setdefault((span.file, cause, message), DataProblem(cause, error, message))
        if span not in problem.spans:
            problem.spans.append(span)
        return problem

    reached: set[ast.Call] = set()
    traces = [(start.run_id, start.trace, True) for start in hydra.every_start if start.trace]
    traces += [(one.run.run_id, one.trace, False) for one in beside]
    for run_id, trace, is_reached in traces:
        reached |= trace.passed.keys()
        for met in trace.data_problems:
            problem = put(met.key, met.error, met.message, met.span)
            problem.certain = problem.certain or (met.certain and is_reached)
            problem.names = problem.names or met.names
            problem.further += [place for place in met.further if place not in problem.further]
            if run_id and run_id not in problem.runs:
                problem.runs.append(run_id)
    for path, file in python.items():
        for node, error in _written_out(file, reached):
            problem = put(
                error.key, error.error, error.message, Span(path, node.lineno, node.end_lineno)
            )
            problem.names = problem.names or error.names
            problem.certain = problem.certain or not any(start.run_id for start in hydra.starts)
    return tuple(found.values())


def _written_out(file: PythonFile, reached: set[ast.Call]) -> Iterator[tuple[ast.Call, DataError]]:
    """The calls that no run was seen to reach and that fail by what is written in them."""
    for call in file.calls_of(LOADER):
        node = call.node
        if node in reached or any(isinstance(value, ast.Starred) for value in node.args):
            continue
        keywords = {word.arg or ANYTHING: _constant(word.value) for word in node.keywords}
        try:
            load_dataset([_constant(value) for value in node.args], keywords)
        except DataError as error:
            yield node, error


def _constant(node: ast.expr) -> Value:
    return node.value if isinstance(node, ast.Constant) else UNKNOWN
