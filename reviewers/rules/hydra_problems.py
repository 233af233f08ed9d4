"""What the rules about the configuration share: the problems that are certain, and how they are
told.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reviewers.facts import Facts, yaml_config
from reviewers.facts.config_flow import ConfigProblem, ProblemKind
from reviewers.facts.config_flow.access import holds
from reviewers.facts.hydra_config import Start
from reviewers.facts.script_starts import ScriptStart
from reviewers.records import Place, Severity, Span
from reviewers.rules.base import Flag, again


def certain(facts: Facts, kind: ProblemKind) -> Iterator[tuple[Start, ConfigProblem]]:
    for start, problem in facts.hydra.problems:
        if problem.kind is kind and problem.certain:
            yield start, problem


Met = tuple[Start, ConfigProblem]


def by_function(facts: Facts, met: Iterable[Met]) -> Iterator[list[Met]]:
    """The problems of each function together."""
    found: dict[tuple[str, str], list[Met]] = {}
    for start, problem in met:
        found.setdefault(_function_of(facts, problem), []).append((start, problem))
    yield from found.values()


def _function_of(facts: Facts, problem: ConfigProblem) -> tuple[str, str]:
    """The file of a problem, and the qualified name of the function that meets it."""
    file = facts.python.get(problem.span.file)
    return problem.span.file, file.scope_at(problem.span.line or 1) if file else ""


def all_places(met: Iterable[Met]) -> tuple[Place, ...]:
    """Where one cause shows."""
    return again(problem.span for _, problem in met)


@dataclass(frozen=True, slots=True)
class Refused:
    """A value that the code refuses.

    Attributes:
        start, problem: the first start that meets it, and what it meets.
        cause: the first line of a configuration that has the value; None where it is not known.
        others: where else.
        then: that the start does not come so far before something else is mended; empty where this
            is what it meets first.
    """

    start: Start | ScriptStart
    problem: ConfigProblem
    cause: Span | None
    others: tuple[Place, ...]
    then: str


def refused(facts: Facts, kind: ProblemKind) -> Iterator[Refused]:
    """Each value that a function refuses, once; without its place all that the function does.

    Where the contract asks for placeholders of data sets and models, that these are refused is as
    it should be: only of a value that is none it is known that it stands for itself.
    """
    has_placeholders = facts.contract.files.placeholders
    found: dict[tuple[str, str, str], list[tuple[Start | ScriptStart, ConfigProblem, Span | None]]]
    found = {}
    for start, problem in facts.hydra.value_problems:
        if problem.kind is not kind or not problem.certain:
            continue
        cause = facts.hydra.cause(start, problem)
        if has_placeholders and (cause is None or "placeholder" in str(problem.cause).lower()):
            continue
        told = problem.key if kind is ProblemKind.INVALID_VALUE else repr(problem.cause)
        value = told if cause else ""
        key = (*_function_of(facts, problem), value)
        found.setdefault(key, []).append((start, problem, cause))
    for (start, problem, cause), *others in found.values():
        places = again(where or met.span for _, met, where in others)
        is_first = facts.failures.comes_first(start, problem)
        then = "" if is_first else ", once what stops it before is mended"
        yield Refused(start, problem, cause, places, then)


def flag(
    start: Start | ScriptStart,
    span: Span,
    message: str,
    evidence: str | None = None,
    places: tuple[Place, ...] = (),
    shown: Span | None = None,
) -> Flag:
    """A flag for what the start meets; what it only meets once Hydra goes on at all says so."""
    if start.mended is None:
        return Flag(span, message, evidence, None, places, shown)
    # How the start is mended decides where the run file comes to lie, and so whether this one
    # remains.
    severity = Severity.MAJOR if start.mended.places_run_file else None
    return Flag(span, f"once {start.mended.once}: {message}", evidence, severity, places, shown)


def has(start: Start, path: str) -> bool:
    """Whether the configuration that the entry function receives has a key."""
    return start.config is not None and holds(start.config, path)


def is_under_group(facts: Facts, start: Start, key: str) -> bool:
    return any(has(start, f"{group}.{key}") for group in facts.hydra.groups)


def is_in_run_file(facts: Facts, start: Start, key: str) -> bool:
    """Whether the run's own file has the key, which then only was not loaded."""
    value: object = next(
        (yaml_config.values(run.file.text) for run in facts.runs if run.run_id == start.run_id),
        None,
    )
    for part in key.split("."):
        if not isinstance(value, dict) or part not in value:
            return False
        value = value[part]
    return True


def never_loaded(facts: Facts) -> Iterator[tuple[Start, ConfigProblem]]:
    """The reads of keys that stand in a run file which nothing loads."""
    for start, problem in certain(facts, ProblemKind.MISSING_KEY):
        if not is_under_group(facts, start, problem.key) and is_in_run_file(
            facts, start, problem.key
        ):
            yield start, problem


def config_file(start: Start) -> str:
    return f"{start.entry.config_file} for {start.subject}"


def for_runs(facts: Facts, problem: ConfigProblem) -> str:
    runs = facts.hydra.runs_with(problem)
    if not runs:
        return ""
    every = len(runs) == len(facts.runs)
    return " of any run" if every and len(runs) > 1 else f" of {', '.join(runs)}"
