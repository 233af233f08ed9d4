"""Repairs of search spaces: the paths that they name, and what their entries are called."""

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence

import yaml

from reviewers.facts import Facts
from reviewers.facts.config_flow import ConfigProblem, ProblemKind
from reviewers.facts.placed import place_of
from reviewers.facts.python_file import PythonFile
from reviewers.facts.script_starts import ScriptStart
from reviewers.facts.start import Start
from reviewers.offers import Edit
from reviewers.records import Finding, RunConfig
from reviewers.repairs.access import access, places, reads
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import CannotEdit, PythonEdits, YamlEdits, YamlPair
from reviewers.repairs.known_keys import known_paths
from reviewers.repairs.meant_keys import are_alike, are_joined, are_same, has_words, meant
from reviewers.repairs.spaces import SearchParameter, parameters
from reviewers.rules.hydra_problems import certain
from reviewers.rules.search_spaces import lost_entries

_MOST = 4  # answers to one question
_Met = tuple[Start | ScriptStart, ConfigProblem]


@repairs("HY05", "HY02", "RC04")
def whole_paths(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The names of a search space as the paths of the keys that they are to set; a question where a
    name may mean several.
    """
    entries = [each for run in facts.runs for each in parameters(facts, run)]
    met = _of_a_space(facts, finding, entries)
    if met is None and finding.rule != "RC04":
        return
    lost = {} if met or finding.span is None else lost_entries(facts).get(finding.span, {})
    named = {_named(met[1], entries)} if met else {*lost}
    spaces = {each.space for each in entries if each.name.value in named}
    prefix = _prefix(met[1], entries) if met else ""
    paths = {run.run_id: _to_set(facts, run, spaces, prefix) for run in facts.runs}
    edits: list[Edit] = list(_as_they_are(facts))
    read = _keys_read(facts)
    asked: dict[str, list[str]] = {}
    for entry in entries:
        name, known = entry.name.value, paths[entry.run.run_id]
        is_lost = entry.space in spaces and name not in known and (met or name in lost)
        found = _candidates(entry, known, read) if is_lost else ()
        if found and _is_clear(entry, found, known):
            edits.append(entry.text.put(entry.name, found[0]))
        for path in found if not _is_clear(entry, found, known) else ():
            asked.setdefault(name, []).append(path)
    told = "Name the keys of the search space by their full paths"
    means = "Optuna then knows the parameters under these names"
    if edits and entries and not asked:
        yield Proposal(told, tuple(edits), means)
    for name, answers in list(asked.items())[:1]:
        for path in list(dict.fromkeys(answers))[:_MOST]:
            more = [each.text.put(each.name, path) for each in entries if each.name.value == name]
            asks = f"Which key should the search parameter {name} set?"
            yield Proposal(told, (*edits, *more), means, asks, path)


def _as_they_are(facts: Facts) -> Iterator[Edit]:
    """Without the dots that code puts in place of the underscores of a name, which also parts
    `learning_rate`.
    """
    for path, file in facts.python.items():
        for call in file.calls_of(".replace") if '"_"' in file.text or "'_'" in file.text else ():
            match call.node:
                case ast.Call(
                    func=ast.Attribute(value=name),
                    args=[ast.Constant(value="_" | "__"), ast.Constant(value=".")],
                ):
                    code = PythonEdits(facts, path)
                    yield code.put(call.node, code.text_of(name))


def _candidates(
    entry: SearchParameter, known: Mapping[str, object], read: Collection[str]
) -> Sequence[str]:
    """The keys that a parameter may be meant to set. Their values have the kind that the search
    gives; those of another name are read, have a value near to that, and lie in its section or have
    all of its words.
    """
    section, _, name = entry.name.value.rpartition(".")
    among = []
    for path, value in known.items():
        is_same = _is_same(entry, path)
        at, _, key = path.rpartition(".")
        may_be = key in read and (at == section or has_words(path, name))
        if (is_same or may_be) and entry.fits(value, not is_same):
            among.append(path)
    return meant(entry.name.value, among)


def _is_same(entry: SearchParameter, path: str) -> bool:
    """Whether a parameter's name is that of a key, or that of a key with its section."""
    name = entry.name.value
    own, key = name.rpartition(".")[2], path.rpartition(".")[2]
    return are_same(own, key) or are_joined(path, name)


def _is_clear(entry: SearchParameter, found: Sequence[str], known: Mapping[str, object]) -> bool:
    """Whether a single key is meant: it has the same name, or its value is one of the search's."""
    return len(found) == 1 and (_is_same(entry, found[0]) or entry.takes(known[found[0]]))


def _of_a_space(facts: Facts, finding: Finding, entries: Sequence[SearchParameter]) -> _Met | None:
    """The first problem of a finding whose key comes from a name of a search space."""
    for kind in (ProblemKind.REJECTED_WRITE, ProblemKind.MISSING_KEY):
        for start, problem in certain(facts, kind):
            if any(map(problem.span.is_near, places(finding))) and _named(problem, entries):
                return start, problem
    return None


def _named(problem: ConfigProblem, entries: Sequence[SearchParameter]) -> str:
    """The name of a search space that a problem is about: its key is that, or a part of it."""
    said = str(problem.cause) if place_of(problem.cause) is not None else problem.key
    names = (entry.name.value for entry in entries)
    forms = ((each, form) for each in names for form in (each, each.replace("_", ".")))
    return next((each for each, form in forms if said and f".{said}." in f".{form}."), "")


def _prefix(problem: ConfigProblem, entries: Sequence[SearchParameter]) -> str:
    """The section of the configuration in which names are looked up, with its dot."""
    name = _named(problem, entries)
    forms = [each.split(".") for each in (name, name.replace("_", "."))]
    for parts, end in ((each, end) for each in forms for end in range(len(each), 0, -1)):
        head = ".".join(parts[:end])
        if problem.key == head or problem.key.endswith(f".{head}"):
            return problem.key.removesuffix(head)
    return ""


def _to_set(
    facts: Facts, run: RunConfig, spaces: Collection[str], prefix: str
) -> Mapping[str, object]:
    """The values that a search may set, by their paths as seen from a section."""
    return {
        path.removeprefix(prefix): value
        for path, value in known_paths(facts, run).items()
        if path.startswith(prefix) and not any(f".{each}." in f".{path}." for each in spaces)
    }


@repairs("HY02")
def key_of_another_name(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The name that a key has in its section, where the code reads another: `min` for `low`. What
    the code does not read otherwise is meant.
    """
    key = finding.names[0] if finding.names else ""
    lacking = [run for run in facts.runs if run.run_id in _lacking(facts, key)]
    pairs = [(run, pair) for run in lacking if (pair := _misnamed(facts, run, key)) is not None]
    names = {str(pair[0].value) for _, (_, pair) in pairs}
    if not pairs or len(pairs) < len(lacking) or len(names) != 1:
        return
    name, wanted = names.pop(), key.rpartition(".")[2]
    asks = "" if are_same(name, wanted) else f"Which key of the run files is {wanted}?"
    if len(lacking) == len(facts.runs):
        edits = [
            code.put(node, _with_key(code, node, name))
            for code, node in reads(facts, finding, wanted)
        ]
        if edits:
            told = f"Read {name}, as the run files have it, for {wanted}"
            yield Proposal(told, tuple(edits), asks=asks, choice=name if asks else "")
    in_files = tuple(text.put(pair[0], wanted) for _, (text, pair) in pairs)
    told = f"Call {name} {wanted} in the run files, as the code does"
    yield Proposal(
        told, in_files, asks=asks, choice=f"{name}, which is called {wanted}" * bool(asks)
    )


def _lacking(facts: Facts, key: str) -> Collection[str]:
    """The runs that lack a key which is read."""
    problems = (each for _, each in certain(facts, ProblemKind.MISSING_KEY) if each.key == key)
    return {run for each in problems for run in facts.hydra.runs_with(each)}


def _misnamed(facts: Facts, run: RunConfig, key: str) -> tuple[YamlEdits, YamlPair] | None:
    """The only key of a section of the run's file that may be meant by one that it lacks."""
    text = YamlEdits(facts, run.file.path)
    read = _keys_read(facts)
    path, _, wanted = key.rpartition(".")
    own = path.partition(".")[2]
    sections = {at: node for at, _, node in text.walk() if isinstance(node, yaml.MappingNode)}
    for section in (sections[at] for at in (path, own) if at in sections):
        found = [
            pair
            for pair in section.value
            if are_alike(str(pair[0].value), wanted) and str(pair[0].value) not in read
        ]
        same = [pair for pair in found if are_same(str(pair[0].value), wanted)]
        if len(same or found) == 1:
            return text, (same or found)[0]
    return None


def _keys_read(facts: Facts) -> Collection[str]:
    """The keys that some code reads, wherever they lie."""
    return {
        access(node)[1].rpartition(".")[2]
        for file in facts.python.values()
        for node in file.of(ast.Attribute, ast.Subscript, ast.Call, ast.Compare)
        if not _is_called(file, node)
    }


def _is_called(file: PythonFile, node: ast.AST) -> bool:
    """Whether a node is what a call calls, as in `values.min()`."""
    around = file.parents.get(node)
    return isinstance(around, ast.Call) and around.func is node


def _with_key(code: PythonEdits, node: ast.expr, name: str) -> str:
    """A read with another key; one that a configuration has a method of is read as an item."""
    owner, key = access(node)
    text = code.text_of(node)
    if isinstance(node, ast.Attribute) and owner is not None:
        held = code.text_of(owner)
        is_item = not name.isidentifier() or hasattr(dict, name)
        return f'{held}["{name}"]' if is_item else f"{held}.{name}"
    if text.count(key) != 1:
        raise CannotEdit("the key is there twice")
    return text.replace(key, name)
