"""Repairs of how a run's file gets into the configuration, and under which key.

Where the command's key is a group of Hydra's, whose files lie in a folder of that name, the
defaults list chooses the file. Where the contract puts the run files elsewhere, `run=<id>` is a
plain word for Hydra: the code then loads the file of that name itself, at the top of the
configuration or under the key of the group, as its reads want it.
"""

import ast
from collections.abc import Iterator, Sequence

from reviewers.facts import Facts, yaml_config
from reviewers.facts.entry_points import EntryPoint
from reviewers.offers import Edit
from reviewers.records import Finding, Span
from reviewers.repairs.access import is_moved, places
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import CannotEdit, PythonEdits, YamlEdits
from reviewers.repairs.run_choices import (
    as_plain_word,
    at_the_top,
    choices,
    first_choice,
    without_asked_keys,
)
from reviewers.repairs.run_files import RunFiles


@repairs("HY03")
def choose_the_run_file(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The run's file as Hydra's choice, where its folder is the group of the command's key."""
    use = RunFiles.of(facts)
    if not use.is_group or finding.span is None:
        return
    for path in use.configurations:
        text = YamlEdits(facts, path)
        listed = choices(facts, text)
        listed.sort(key=lambda each: each.group != use.word)
        if finding.span.file != path or (len(listed) == 1 and listed[0].is_asked(use.word)):
            continue
        edits = [text.without_entry(each.entry) for each in listed[1:]]
        for each in listed[:1]:
            edits.append(text.put(each.key, f"{use.word}{'' if each.option else ': ???'}"))
            edits += [text.put(each.option, "???")] if each.option is not None else []
            if each.group.endswith("@_global_"):  # the word does not name a package
                runs = [YamlEdits(facts, run.file.path) for run in facts.runs]
                edits += [edit for run in runs for edit in at_the_top(run)]
        for each in listed:
            edits += without_asked_keys(facts, text, each, use.word)
        if not listed:
            edits = [first_choice(text, f"{use.word}: ???")]
        yield Proposal(
            f"Choose the run's file in the defaults list of {path}", tuple(dict.fromkeys(edits))
        )


@repairs("HY06")
def read_the_plain_word(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The command's word for the run's name, and the top of the configuration for its keys, where
    the code has loaded the run's file there.
    """
    use = RunFiles.of(facts)
    if use.is_group:
        return
    edits: list[Edit] = []
    moved: list[Edit] = []
    for code in _files(facts, finding):
        named = use.names_of_the_run(code.path)
        edits += [code.put(node, use.as_word(code, owner)) for node, owner in named]
        moved += [use.without(code, each) for each in use.section_reads(code.path)]
    if moved and not all(map(use.loads, use.entries)):
        return
    told = f"Read {use.word} as the run's name"
    yield from (Proposal(told, (*edits, *more)) for more in ([], moved) if [*edits, *more])


@repairs("HY02", "HY03")
def name_of_the_run(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The run's name, which its file is called by, in the word that passes the run on."""
    use = RunFiles.of(facts)
    if not all("run_id" in yaml_config.key_lines(run.file.text) for run in facts.runs):
        return
    edits: list[Edit] = []
    spans = places(finding)
    starting = [
        start.by
        for start in facts.hydra.starts
        if start.by and start.refused and f"{use.word}={start.run_id}" not in start.words
    ]
    paths = [each.file for each in spans if each.file in facts.python]
    for path in dict.fromkeys([*paths, *(starting if finding.rule == "HY03" else ())]):
        code = PythonEdits(facts, path)
        for node in use.passed_on(code.file):
            at = Span(code.path, node.lineno)
            told = use.name_of_the_run(code, node)
            is_told = finding.rule == "HY03" or any(each.is_near(at) for each in spans)
            if is_told and told not in ("", code.text_of(node)):
                edits.append(code.put(node, told))
    if edits:
        yield Proposal("Pass on the run's id, by which its file is found", tuple(edits))


def _files(facts: Facts, finding: Finding) -> Iterator[PythonEdits]:
    """The Python files of a finding's places."""
    for path in dict.fromkeys(each.file for each in places(finding)):
        if path in facts.python:
            yield PythonEdits(facts, path)


@repairs("HY03", "HY06", "HY10", "HY04")
def load_the_run_file(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The run's file loaded where the entry function begins."""
    use = RunFiles.of(facts)
    if use.is_group or not use.folder or not _is_about_choice(facts, finding, use):
        return
    config: list[Edit] = []
    for path in use.configurations:
        config += as_plain_word(facts, YamlEdits(facts, path), use.word)
    entries = [each for each in use.entries if not use.loads(each)]
    by_way = {is_top: list(_loaded(facts, use, entries, is_top)) for is_top in (True, False)}
    ways = sorted(by_way.items(), key=lambda way: (len(way[1]), not way[0]))
    for is_top, edits in ways:
        if not edits or not (is_top or use.is_only_a_section(entries)):
            continue
        where = "at the top of the configuration" if is_top else f"under {use.word}"
        yield Proposal(
            f"Load the run's file in the code, {where}, since {use.word}=… is a plain word here",
            (*config, *edits),
            f"the run files stay in {use.folder}/",
        )


def _is_about_choice(facts: Facts, finding: Finding, use: RunFiles) -> bool:
    """Whether a finding comes from how the run's file is chosen."""
    chosen = any(choices(facts, YamlEdits(facts, path)) for path in use.configurations)
    if finding.rule != "HY03":
        return chosen or not all(map(use.loads, use.entries))
    return chosen and finding.span is not None and finding.span.file in use.configurations


@repairs("HY04", "HY05")
def read_where_it_lies(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The reads with the group before the run file's keys, or the run files at the top."""
    use = RunFiles.of(facts)
    if not use.is_group or (finding.rule == "HY05" and not is_moved(facts, finding)):
        return
    files = use.reached(use.entries)
    inserted = [edit for path in files for edit in use.with_group(path)]
    dropped = [edit for path in files for edit in use.without_group(path)]
    headers = [edit for run in facts.runs for edit in at_the_top(YamlEdits(facts, run.file.path))]
    read = Proposal(
        f"Read the run file's keys under {use.word}, where Hydra puts them",
        tuple(dict.fromkeys(inserted)),
        "the run files stay as they are",
    )
    moved = Proposal(
        "Put the run files at the top of the configuration with # @package _global_",
        tuple(dict.fromkeys([*headers, *dropped])),
        "each further run file needs this line too",
    )
    ways = [(len(read.edits), read), (len(moved.edits), moved)]
    yield from (each for count, each in sorted(ways, key=lambda way: way[0]) if count)


def _loaded(
    facts: Facts, use: RunFiles, entries: Sequence[EntryPoint], is_top: bool
) -> Iterator[Edit]:
    """The run's file loaded in each entry that reads its keys, and the reads as this wants them."""
    for entry in entries:
        files = use.reached([entry])
        top = [(path, *each) for path in files for each in use.top_reads(path)]
        group = [(path, *each) for path in files for each in use.group_reads(path)]
        if not (top or group):
            continue
        names = {path: use.names_of_the_run(path) for path in files}
        named = {node for each in names.values() for node, _ in each}
        inner = {owner for each in names.values() for _, owner in each}
        if all(node in named | inner for _, node, _, _ in (*top, *group)):
            for path, nodes in names.items():
                code = PythonEdits(facts, path)
                for node, owner in nodes:
                    yield code.put(node, use.as_word(code, owner))
            continue
        yield from _load(facts, use, entry, is_top)
        for path in files:
            yield from use.without_group(path) if is_top else use.with_group(path)


def _load(facts: Facts, use: RunFiles, entry: EntryPoint, is_top: bool) -> Iterator[Edit]:
    code = PythonEdits(facts, entry.path)
    function = code.file.functions[entry.function]
    name = use.parameter(entry)
    if not name:
        raise CannotEdit("the entry function takes no configuration")
    omega, imports = code.imported("omegaconf", "OmegaConf")
    path, more = code.imported("pathlib", "Path")
    folders = "".join(f' / "{part}"' for part in use.folder.split("/"))
    root = f"{path}(__file__).resolve().parents[{entry.path.count('/')}]"
    file = f'{root}{folders} / f"{{{name}.{use.word}}}.yaml"'
    loaded = f"{omega}.load(run_file)"
    if any(isinstance(node, ast.Name) and node.id == "run_file" for node in ast.walk(function)):
        raise CannotEdit("the name run_file is taken")
    yield from imports
    yield from more
    yield code.at_start(
        function,
        f"run_file = {file}",
        f"{omega}.set_struct({name}, False)",
        f"{name} = {omega}.merge({name}, {loaded})" if is_top else f"{name}.{use.word} = {loaded}",
    )
