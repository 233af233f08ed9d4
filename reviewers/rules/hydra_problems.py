"""What the rules about the configuration share: the problems that are certain, and their
wording.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reviewers.facts import Facts, yaml_config
from reviewers.facts.config_flow import ConfigProblem, ProblemKind
from reviewers.facts.config_flow.access import holds
from reviewers.facts.local_modules import loaded_with, missing_imports
from reviewers.facts.placed import KeyPlace, place_of
from reviewers.facts.python_file import PythonFile, template
from reviewers.facts.script_starts import ScriptStart
from reviewers.facts.start import Start
from reviewers.records import Place, Severity, Span
from reviewers.rules.base import Flag, again, all_of, denies, symptoms

Met = tuple[Start | ScriptStart, ConfigProblem]


def certain(facts: Facts, kind: ProblemKind) -> Iterator[Met]:
    for start, problem in facts.hydra.problems:
        if problem.kind is kind and problem.certain:
            yield start, problem


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
    """Where one cause shows: first where each mode of each script meets it, and each section of the
    configuration, since few places are looked at.
    """
    ranked: dict[int, list[Span]] = {0: [], 1: [], 2: []}
    seen: set[object] = set()
    for start, problem in met:
        marks = ((start.entry.path, start.mode), problem.key.partition(".")[0])
        rank = next((rank for rank, mark in enumerate(marks) if mark not in seen), len(marks))
        ranked[rank].append(problem.span)
        seen.update(marks)
    return again(span for spans in ranked.values() for span in spans)


def key_lines(facts: Facts, met: Iterable[Met]) -> tuple[Place, ...]:
    """The lines of the configuration that hold the keys which the code takes for paths."""
    causes = (
        facts.hydra.cause(start, problem)
        for start, problem in met
        if isinstance(place_of(problem.cause), KeyPlace)
    )
    return again(cause for cause in causes if cause is not None)


def configured_at(facts: Facts, start: Start | ScriptStart, path: str) -> tuple[Place, ...]:
    """The lines that put something at a dotted path: the word that a script passes on, and the
    entry of the defaults list or the key of the main configuration.
    """
    text = facts.text(start.entry.config_file) or ""
    lines = yaml_config.key_lines(text).get(path, ())
    word = next((w for w in start.words if w.lstrip("+").startswith(f"{path}=")), "")
    passed = word_passed(facts, start, word) if word else None
    return again(
        [*(Span(start.entry.config_file, line) for line in lines), *([passed] if passed else [])]
    )


def word_passed(facts: Facts, start: Start | ScriptStart, word: str) -> Span | None:
    """The line of the script that passes a word on."""
    file = facts.python.get(start.by)
    key = word.partition("=")[0]
    texts = (
        [(template(node), node) for node in file.of(ast.Constant, ast.JoinedStr)] if file else []
    )
    found = (
        *(node for text, node in texts if text == word),
        *(node for text, node in texts if _begins(text, key) and isinstance(node, ast.JoinedStr)),
        # One of the words of a whole command line, or the key of a mapping that is written out.
        *(node for text, node in texts if any(_begins(part, key) for part in text.split())),
        *(node for text, node in texts if text == key and _is_key(file, node)),
    )
    return next((Span(start.by, node.lineno, node.end_lineno) for node in found), None)


def _begins(text: str, key: str) -> bool:
    return text.startswith(f"{key}=")


def _is_key(file: PythonFile | None, node: ast.expr) -> bool:
    """Whether a text is a key that the code gives a value."""
    around = file.parents.get(node) if file else None
    return (isinstance(around, ast.Dict) and node in around.keys) or (
        isinstance(around, ast.Subscript) and isinstance(around.ctx, ast.Store)
    )


@dataclass(frozen=True, slots=True)
class RefusedValue:
    """A value that the code refuses.

    Attributes:
        start, problem: the first start that meets it, and what it meets.
        cause: the first line of a configuration that has the value; None if it is not known.
        places: the line that refuses it, and where else it stands.
        then: that the start gets that far only after something else is repaired; empty where this
            is what it meets first.
    """

    start: Start | ScriptStart
    problem: ConfigProblem
    cause: Span | None
    places: tuple[Place, ...]
    then: str


def refused(facts: Facts, kind: ProblemKind) -> Iterator[RefusedValue]:
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
    broken = _not_imported(facts) if found else frozenset()
    for (start, problem, cause), *others in found.values():
        places = (
            *symptoms([problem.span]),
            *again(where or met.span for _, met, where in others),
        )
        scripts = (start.path, start.by) if isinstance(start, ScriptStart) else (start.entry.path,)
        is_first = facts.failures.comes_first(start, problem) and not any(
            broken & loaded_with(facts.python, script) for script in scripts
        )
        then = "" if is_first else ", once what stops it before is mended"
        yield RefusedValue(start, problem, cause, places, then)


def _not_imported(facts: Facts) -> frozenset[str]:
    """The files that stop whatever imports them: they do not parse, or import what is not there."""
    missing = missing_imports(facts.python, facts.submission.by_path)
    return frozenset(
        [
            *(each.file for each in missing if not (each.item.guarded or each.item.scope)),
            *(path for path, file in facts.python.items() if file.syntax_error),
        ]
    )


def flag(
    start: Start | ScriptStart,
    problem: ConfigProblem,
    span: Span,
    message: str,
    evidence: str | None = None,
    places: tuple[Place, ...] = (),
    says: str = "",
    names: tuple[str, ...] = (),
) -> Flag:
    """A flag for what the start meets; what it meets only once something else is repaired says
    so.
    """
    names = (problem.key, problem.error, problem.message, *names)
    if start.repaired is None and not problem.behind:
        return Flag(span, message, evidence, None, places, says, names=names)
    once = "the run file's keys lie where they are read"
    if start.repaired is not None:
        once = "Hydra composes the configuration"
    # How it is repaired decides where the run file is put, and so whether this one remains.
    depends = problem.behind or (start.repaired is not None and start.repaired.places_run_file)
    severity = Severity.MAJOR if depends else None
    return Flag(span, f"once {once}: {message}", evidence, severity, places, says, names=names)


def lacks(*keys: str) -> str:
    """A proposition: that the configuration which Hydra composes has none of these keys."""
    told = (denies("has_key", where="composed", key=key) for key in dict.fromkeys(keys))
    return all_of(*told)


def has(start: Start | ScriptStart, path: str) -> bool:
    """Whether the configuration that the entry function receives has a key."""
    return start.config is not None and holds(start.config, path)


def is_under_group(facts: Facts, start: Start | ScriptStart, key: str) -> bool:
    return any(has(start, f"{group}.{key}") for group in facts.hydra.groups)


def is_in_run_file(facts: Facts, start: Start | ScriptStart, key: str) -> bool:
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


def never_loaded(facts: Facts) -> Iterator[Met]:
    """The reads of keys that are in a run file which nothing loads."""
    for start, problem in certain(facts, ProblemKind.MISSING_KEY):
        if not is_under_group(facts, start, problem.key) and is_in_run_file(
            facts, start, problem.key
        ):
            yield start, problem


def config_file(start: Start | ScriptStart) -> str:
    return f"{start.entry.config_file} for {start.subject}"


def for_runs(facts: Facts, problem: ConfigProblem) -> str:
    runs = facts.hydra.runs_with(problem)
    if not runs:
        return ""
    every = len(runs) == len(facts.runs)
    return " of any run" if every and len(runs) > 1 else f" of {', '.join(runs)}"
