"""Repairs of single keys of the configuration: missing, misplaced, doubled, or of a wrong form.

A value that no file gives is a person's to choose: other runs' values are the candidates.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml
from rapidfuzz import fuzz
from yaml.reader import Reader

from reviewers.facts import Facts, yaml_config
from reviewers.facts.config_flow import ProblemKind
from reviewers.offers import Edit
from reviewers.records import Finding, RunConfig, Span
from reviewers.repairs.access import access, places, reads
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import PythonEdits, YamlEdits
from reviewers.rules.hydra_problems import certain

_SIMILAR = 80  # of 100, between the names of two keys that are meant to be one
_SPACE = "optuna.search_space"
_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
_OMEGACONFS = {"dict": "DictConfig", "list": "ListConfig"}


@repairs("HY03")
def unknown_hydra_key(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Without a key of Hydra's own node that Hydra does not know, which never had an effect."""
    for start in facts.hydra.starts:
        for problem in start.refused:
            path = f"{start.entry.folder}/{problem.file}" if problem.file else ""
            key = problem.key or ""
            if finding.span is None or path != finding.span.file or not key.startswith("hydra."):
                continue
            text = YamlEdits(facts, path)
            found = text.pairs(key)
            if len(found) == 1:
                node, last = text.section(key.rpartition(".")[0]), key.rpartition(".")[2]
                while len(node.value) == 1 and "." in key:  # nothing would be left around it
                    key = key.rpartition(".")[0]
                    found = text.pairs(key)
                    node = text.section(key.rpartition(".")[0])
                told = f"Remove {last}, which Hydra does not know"
                yield Proposal(told, (text.without(found[0]),))
                return


@repairs("RC01")
def one_of_two(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """One of the places of a key that is there twice; without control characters."""
    if finding.span is None or facts.text(finding.span.file) is None:
        return
    path = finding.span.file
    text = facts.text(path) or ""
    if unprintable := list(Reader.NON_PRINTABLE.finditer(text)):
        edits = tuple(Edit(path, each.start(), each.end(), "") for each in unprintable[:100])
        yield Proposal("Take out the characters that YAML does not allow", edits)
        return
    parsed = YamlEdits(facts, path)
    waiting: list[tuple[str, yaml.Node]] = [("", parsed.root)]
    while waiting:
        above, node = waiting.pop(0)
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        names = [pair[0].value for pair in pairs]
        for name in dict.fromkeys(names):
            same = [pair for pair in pairs if pair[0].value == name]
            if len(same) == 2:
                yield from _without_one(parsed, f"{above}{name}", same)
                return
        waiting += [(f"{above}{key.value}.", value) for key, value in pairs]


def _without_one(
    text: YamlEdits, key: str, same: Sequence[tuple[yaml.Node, yaml.Node]]
) -> Iterator[Proposal]:
    """Without the place that says nothing, or the same; else a person chooses."""
    said = [text.text_of(value) for _, value in same]
    lines = [pair[0].start_mark.line + 1 for pair in same]
    empty = [at for at, each in enumerate(said) if each in ("null", "~", "", "???", "{}", "[]")]
    if len(empty) == 1 or said[0] == said[1]:
        at = empty[0] if len(empty) == 1 else 1
        told = f"Remove the duplicate {key} in line {lines[at]}"
        yield Proposal(told, (text.without(same[at]),))
        return
    for at in (0, 1):  # PyYAML takes the last one
        yield Proposal(
            f"Take {key} out of line {lines[at]}",
            (text.without(same[at]),),
            asks=f"Which of the two places of {key} is meant?",
            choice=f"line {lines[1 - at]}: {' '.join(said[1 - at].split())[:60]}",
        )


@repairs("RC07")
def own_values_first(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """`_self_` at the head of the defaults list, so that the run file has the last word."""
    if finding.span is None:
        return
    text = YamlEdits(facts, finding.span.file)
    for _, listed in text.pairs("defaults"):
        entries = listed.value if isinstance(listed, yaml.SequenceNode) else []
        own = [each for each in entries if each.value == "_self_"]
        is_block = isinstance(listed, yaml.SequenceNode) and not listed.flow_style
        if entries and is_block and own != entries[:1]:
            at = entries[0].start_mark
            edits = [text.without_entry(each) for each in own]
            dash = text.text[text.text.rfind("\n", 0, at.index) + 1 : at.index]
            start = at.index - len(dash)
            edits.append(Edit(text.path, start, start, f"{dash}_self_\n"))
            yield Proposal("Put _self_ first in the defaults list", tuple(edits))


@repairs("HY02")
def test_for_the_section(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """`"section" in cfg and …` before a test for a key in a section that some runs lack."""
    edits: list[Edit] = []
    for code, node in _reads(facts, finding):
        test = code.file.parents.get(node)
        owner, key = access(node)
        if owner is None or not isinstance(test, ast.Compare) or test.comparators != [node]:
            continue
        same = [
            each
            for each in code.file.of(ast.Compare)
            # Whatever is looked for there, such as by the loop over what a search found best.
            if isinstance(each.ops[0], type(test.ops[0]))
            and ast.unparse(each.comparators[0]) == ast.unparse(node)
        ]
        for each in same:
            is_in = isinstance(each.ops[0], ast.In)
            word, link = ("in", "and") if is_in else ("not in", "or")
            text = f'"{key}" {word} {code.text_of(owner)} {link} {code.text_of(each)}'
            around = code.file.parents.get(each)
            is_within = isinstance(around, ast.UnaryOp | ast.BoolOp | ast.Compare)
            edits.append(code.put(each, f"({text})" if is_within else text))
    if edits:
        yield Proposal("Ask first whether the run has the section", tuple(dict.fromkeys(edits)))


@repairs("HY02")
def late_default(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """A default that is itself a read, taken only where the first key is absent."""
    edits: list[Edit] = []
    for code, node in _reads(facts, finding):
        call = code.file.parents.get(node)
        if not isinstance(call, ast.Call) or call.args[-1:] != [node] or call.keywords:
            continue
        owner, key = access(call)
        if owner is None or not key.isidentifier() or len(call.args) < 2:
            continue
        held = code.text_of(owner)
        text = f'{held}.{key} if "{key}" in {held} else {code.text_of(node)}'
        around = code.file.parents.get(call)
        is_alone = isinstance(around, ast.Assign | ast.keyword | ast.Return) or (
            isinstance(around, ast.Call) and call in around.args
        )
        edits.append(code.put(call, text if is_alone else f"({text})"))
    if edits:
        yield Proposal("Read the key of the default only if the other one is missing", tuple(edits))


@repairs("HY02")
def value_from_others(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The key in the run files that lack it, with a value that other runs, or a key that is named
    alike, have; a person chooses.
    """
    absent = _absent(facts)
    key = _key(finding)
    told = [each for each in absent if each == key or absent[each] == absent.get(key, ())]
    lacking = absent.get(key, ())
    candidates: dict[tuple[str, ...], str] = {}
    for run in facts.runs:
        values = tuple(_value(run, each) for each in told)
        if run.run_id not in lacking and values[told.index(key)]:
            candidates.setdefault(values, f"as in {run.run_id}")
    alike = {_alike(run, key) for run in facts.runs if run.run_id in lacking}
    if len(told) == len(alike) == 1 and (value := alike.pop()):
        candidates.setdefault((value,), "as under a key of a similar name")
    for values, why in candidates.items():
        given = {each: value for each, value in zip(told, values, strict=True) if value}
        edits = [
            edit
            for run in facts.runs
            if run.run_id in absent[key]
            for edit in _written(facts, run, given)
        ]
        yield Proposal(
            f"Add {', '.join(given)} to the runs that lack {'it' if len(given) == 1 else 'them'}",
            tuple(edits),
            asks=f"What is the value of {', '.join(given)} in {', '.join(absent[key])}?",
            choice=f"{', '.join(given.values())}, {why}"[:200],
        )


def _absent(facts: Facts) -> Mapping[str, tuple[str, ...]]:
    """The keys that runs lack, with these runs."""
    return {
        problem.key: facts.hydra.runs_with(problem)
        for _, problem in certain(facts, ProblemKind.MISSING_KEY)
    }


def _key(finding: Finding) -> str:
    """The key that a finding about a missing one is about."""
    return finding.names[0] if finding.names else ""


def _in_file(facts: Facts, run: RunConfig, key: str) -> str:
    """A key as the run's own file has it: not under the group's name."""
    group, _, below = key.partition(".")
    lines = yaml_config.key_lines(run.file.text)
    return below if group in facts.hydra.groups and group not in lines and below else key


def _value(run: RunConfig, key: str) -> str:
    """The YAML of a key's value on one line; empty if the run has none."""
    for path in (key, key.partition(".")[2]):
        for value in yaml_config.values_at(yaml_config.values(run.file.text), path.split(".")):
            if path and value is not None:
                return _yaml(value)
    return ""


def _alike(run: RunConfig, key: str) -> str:
    """The value of the only key of the same section with a similar name; empty if there is none."""
    for path in (key, key.partition(".")[2]):
        section, _, name = path.rpartition(".")
        held = next(
            yaml_config.values_at(
                yaml_config.values(run.file.text), section.split(".") if section else []
            ),
            None,
        )
        names = [str(each) for each in held] if isinstance(held, dict) else []
        similar = [each for each in names if fuzz.token_set_ratio(*_parts(each, name)) >= _SIMILAR]
        if isinstance(held, dict) and len(similar) == 1 and _is_plain(held[similar[0]]):
            return _yaml(held[similar[0]])
    return ""


def _parts(*names: str) -> tuple[str, ...]:
    return tuple(each.replace("_", " ").lower() for each in names)


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float)


def _yaml(value: Any) -> str:
    """A value as YAML on one line."""
    text = yaml.safe_dump(value, default_flow_style=True, width=10_000, sort_keys=False)
    return text.removesuffix("\n").removesuffix("\n...").strip()


def _written(facts: Facts, run: RunConfig, given: Mapping[str, str]) -> Iterator[Edit]:
    text = YamlEdits(facts, run.file.path)
    by_section: dict[str, dict[str, str]] = {}
    for key, value in given.items():
        section, _, name = _in_file(facts, run, key).rpartition(".")
        by_section.setdefault(section, {})[name] = value
    by_place: dict[tuple[int, int], list[Edit]] = {}
    for section, values in by_section.items():
        if section and not text.pairs(section):
            above, _, name = section.rpartition(".")
            lines = "".join(f"\n  {key}: {value}" for key, value in values.items())
            edits = [text.append(text.section(above), name, lines)] if not above else []
        else:
            edits = [text.append(text.section(section), *each) for each in values.items()]
        for edit in edits:
            by_place.setdefault((edit.start, edit.end), []).append(edit)
    for (start, end), together in by_place.items():
        yield Edit(text.path, start, end, "".join(each.text for each in together))


@repairs("IM12")
def number_in_quotes(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Quotes around a number of a YAML file that is meant as a text."""
    for place in finding.places:
        span = place.span
        if span.file not in facts.hydra.yaml_files:
            continue
        text = YamlEdits(facts, span.file)
        for _, value in _pairs_at(text, span):
            if isinstance(value, yaml.ScalarNode) and value.tag in _NUMBERS and not value.style:
                told = f"Put {value.value} in quotes, since a text is meant"
                yield Proposal(told, (text.put(value, f'"{value.value}"'),))


def _pairs_at(text: YamlEdits, span: Span) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    waiting = list(text.root.value)
    while waiting:
        pair = waiting.pop()
        if pair[0].start_mark.line + 1 == span.line:
            yield pair
        if isinstance(pair[1], yaml.MappingNode):
            waiting += pair[1].value


@repairs("RC08")
def mapping_of_the_configuration(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """`isinstance(x, dict)` with OmegaConf's own class, where the code checks a section with it."""
    for span in places(finding):
        if span.line is None or span.file not in facts.python:
            continue
        code = PythonEdits(facts, span.file)
        raising = code.statement_at(span.line)
        tests = [
            around.test
            for around in (raising, *code.file.ancestors(raising))
            if isinstance(around, ast.If | ast.Assert)
        ]
        edits: list[Edit] = []
        for call in (node for test in tests for node in ast.walk(test)):
            match call:
                case ast.Call(
                    func=ast.Name(id="isinstance"), args=[_, ast.Name(id="dict" | "list") as kind]
                ):
                    name, imports = code.imported("omegaconf", _OMEGACONFS[kind.id])
                    edits += [*imports, code.put(kind, f"({kind.id}, {name})")]
        if edits:
            told = "Accept OmegaConf's own mappings and lists"
            yield Proposal(told, tuple(dict.fromkeys(edits)))
            return


@repairs("HY17")
def make_the_folder(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The folder of a file made before the file is written."""
    span = finding.span
    if span is None or span.line is None or span.file not in facts.python:
        return
    code = PythonEdits(facts, span.file)
    statement = code.statement_at(span.line)
    more: tuple[Edit, ...] = ()
    for call in code.file.calls:
        if call.line == span.line and (target := _file_written(call.node)) is not None:
            match target:
                case ast.BinOp(left=folder, op=ast.Div()):
                    held = code.text_of(folder)
                    made = f"({held}).mkdir" if _is_sum(folder) else f"{held}.mkdir"
                case _:
                    name, more = code.imported("pathlib", "Path")
                    made = f"{name}({code.text_of(target)}).parent.mkdir"
            line = f"{made}(parents=True, exist_ok=True)"
            yield Proposal(
                "Make the folder before the file is written",
                (*more, code.before(statement, line)),
            )
            return


def _is_sum(node: ast.expr) -> bool:
    return not isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)


def _file_written(call: ast.Call) -> ast.expr | None:
    """The path of the file that a call writes; None if it is not seen."""
    match call:
        case ast.Call(func=ast.Name(id="open"), args=[target, *_]):
            return target
        case ast.Call(func=ast.Attribute(value=target, attr="write_text" | "write_bytes" | "open")):
            return target
        case ast.Call(
            func=ast.Attribute(attr="savefig" | "to_csv" | "to_json" | "save_pretrained"),
            args=[target, *_],
        ):
            return target
        case ast.Call(func=ast.Attribute(attr="save" | "savetxt"), args=[*_, target]):
            return target
    return None


def _reads(facts: Facts, finding: Finding) -> Iterator[tuple[PythonEdits, ast.expr]]:
    """The reads of the missing key at the finding's places."""
    return reads(facts, finding, _key(finding).rpartition(".")[2])
