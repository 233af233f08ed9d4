"""Repairs of how a run's file gets into the configuration, and under which key.

Where the command's key is a group of Hydra's, whose files lie in a folder of that name, the
defaults list chooses the file. Where the contract puts the run files elsewhere, `run=<id>` is a
plain word for Hydra: the code then loads the file of that name itself, at the top of the
configuration or under the key of the group, as its reads want it.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import yaml

from reviewers.facts import Facts, yaml_config
from reviewers.facts.entry_points import EntryPoint
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import positional
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.access import access
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import CannotEdit, PythonEdits, YamlEdits

_PLAIN_CALLS = frozenset({"str", "print", "Path", "pathlib.Path", "repr", "len", "hasattr", "bool"})


@repairs("HY03", "HY04", "HY06", "HY10", "HY13")
def choose_the_run_file(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The run's file as Hydra's choice, where its folder is the group of the command's key."""
    use = _Use.of(facts)
    if finding.rule != "HY03" or not use.is_group or finding.span is None:
        return
    for path in use.configurations:
        text = YamlEdits(facts, path)
        listed = use.choices(text)
        if finding.span.file != path or any(each.group == use.word for each in listed):
            continue
        edits = [text.put(each.key, use.word) for each in listed]
        edits += [text.put(each.option, "???") for each in listed if each.option is not None]
        if not listed:
            edits = [_first_choice(text, f"{use.word}: ???")]
        yield Proposal(f"Choose the run's file in the defaults list of {path}", tuple(edits))


@repairs("HY03", "HY06", "HY10", "HY04")
def load_the_run_file(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The run's file loaded where the entry function begins."""
    use = _Use.of(facts)
    if use.is_group or not use.folder or not _is_about_choice(facts, finding, use):
        return
    config: list[Edit] = []
    for path in use.configurations:
        config += _as_plain_word(YamlEdits(facts, path), use)
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
            f"{use.folder}/ stays where the run files are put",
        )


def _is_about_choice(facts: Facts, finding: Finding, use: "_Use") -> bool:
    """Whether a finding comes from how the run's file is chosen."""
    chosen = any(use.choices(YamlEdits(facts, path)) for path in use.configurations)
    if finding.rule != "HY03":
        return chosen or not all(map(use.loads, use.entries))
    return chosen and finding.span is not None and finding.span.file in use.configurations


@repairs("HY04")
def read_where_it_lies(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The reads with the group before the run file's keys, or the run files at the top."""
    use = _Use.of(facts)
    if not use.is_group:
        return
    files = use.reached(use.entries)
    inserted = [edit for path in files for edit in use.with_group(path)]
    dropped = [edit for path in files for edit in use.without_group(path)]
    headers = [
        YamlEdits(facts, run.file.path).at_top("# @package _global_")
        for run in facts.runs
        if "@package" not in run.file.text
    ]
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


@repairs("HY06")
def read_the_plain_word(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The command's word for the run's name, and the top of the configuration for its keys, where
    the code has loaded the run's file there.
    """
    use = _Use.of(facts)
    if use.is_group:
        return
    edits: list[Edit] = []
    spans = [each for each in (finding.span, *(each.span for each in finding.places)) if each]
    for path in dict.fromkeys(each.file for each in spans):
        if path not in facts.python:
            continue
        code = PythonEdits(facts, path)
        named = use.names_of_the_run(path)
        edits += [
            code.put(node, code.text_of(node.value))
            for node in named
            if isinstance(node, ast.Attribute) and access(node.value)[1] == use.word
        ]
        inner = {node.value for node in named if isinstance(node, ast.Attribute)}
        edits += [
            code.put(node, code.text_of(owner))
            for node, _, owner in use.group_reads(path)
            if node not in inner
        ]
    if edits:
        yield Proposal(f"Take {use.word} as the run's name, which it is here", tuple(edits))


@dataclass(frozen=True, slots=True)
class _Choice:
    """An entry of a defaults list that chooses a run's file: its node, the group, the nodes of the
    group's name and of the option; they are None in `- runs/${run}`.
    """

    entry: yaml.Node
    group: str
    key: yaml.Node
    option: yaml.Node | None


class _Use:
    """How a submission's code gets at the keys of its run files."""

    def __init__(self, facts: Facts, word: str) -> None:
        self._facts = facts
        self.word = word

    @classmethod
    def of(cls, facts: Facts) -> "_Use":
        words = (command.names("run_id") for command in facts.contract.commands.values())
        return cls(facts, next((each.lstrip("-+") for each in words if each), ""))

    @cached_property
    def entries(self) -> tuple[EntryPoint, ...]:
        """The entry points that a command starts for a run, and those that these start."""
        started = {start.entry.path for start in self._facts.hydra.starts if start.run_id}
        found = self._facts.hydra.entry_points
        return tuple(entry for path, entry in found.items() if path in started)

    @cached_property
    def folder(self) -> str:
        """The folder of the run files; empty if they lie in several."""
        folders = {run.file.path.rpartition("/")[0] for run in self._facts.runs}
        return folders.pop() if len(folders) == 1 and self.word else ""

    @cached_property
    def is_group(self) -> bool:
        """Whether Hydra takes the command's word as a choice of a file."""
        return bool(self.folder) and any(
            self.folder == f"{entry.folder}/{self.word}" for entry in self.entries
        )

    @cached_property
    def configurations(self) -> tuple[str, ...]:
        """The main configurations of the entry points."""
        paths = dict.fromkeys(entry.config_file for entry in self.entries)
        return tuple(path for path in paths if self._facts.text(path) is not None)

    @cached_property
    def keys(self) -> frozenset[str]:
        """The top keys of the run files."""
        read = (yaml_config.values(run.file.text) for run in self._facts.runs)
        return frozenset(str(key) for each in read if isinstance(each, dict) for key in each)

    def choices(self, text: YamlEdits) -> list[_Choice]:
        """The entries of a defaults list that choose from a group of run files."""
        groups = {*self._facts.hydra.groups}
        listed = next((value for _, value in text.pairs("defaults")), None)
        found = []
        for entry in listed.value if isinstance(listed, yaml.SequenceNode) else ():
            if isinstance(entry, yaml.MappingNode) and len(entry.value) == 1:
                key, option = entry.value[0]
                name = str(key.value).rpartition(" ")[2].lstrip("/")
                group = name.partition("@")[0]
                if group in groups and isinstance(option, yaml.ScalarNode):
                    found.append(_Choice(entry, name, key, option))
            elif isinstance(entry, yaml.ScalarNode):
                group = str(entry.value).rpartition("/")[0].lstrip("/")
                if group in groups:
                    found.append(_Choice(entry, group, entry, None))
        return found

    def loads(self, entry: EntryPoint) -> bool:
        """Whether an entry's own code loads a file for the run."""
        files = (self._facts.python[path] for path in self.reached([entry]))
        return any(
            self._folder_name in file.text and any(True for _ in file.calls_of(".load"))
            for file in files
        )

    @property
    def _folder_name(self) -> str:
        return self.folder.rpartition("/")[2]

    def reached(self, entries: Sequence[EntryPoint]) -> tuple[str, ...]:
        """The files with the entries and what they import, wherever they import it."""
        python = self._facts.python
        modules = {file.module: file.path for file in python.values()}
        found: dict[str, None] = {}
        waiting = [entry.path for entry in entries]
        while waiting:
            path = waiting.pop()
            if path in found:
                continue
            found[path] = None
            for item in python[path].imports:
                module = python[path].absolute(item)
                names = (module, f"{module}.{item.name}" if item.name else module)
                waiting += [modules[name] for name in names if name in modules]
        return tuple(sorted(found))

    def parameter(self, entry: EntryPoint) -> str:
        """The name of the configuration in an entry function."""
        names = positional(self._facts.python[entry.path].functions[entry.function])
        return names[0].arg if names else ""

    def _accesses(self, file: PythonFile) -> Iterator[tuple[ast.expr, str, ast.expr]]:
        """The accesses of keys of the whole configuration: the node, the key, and the node of the
        configuration.
        """
        reads = self._facts.config_reads
        assert reads.reads is not None  # the sections are known once the reads are
        for node in file.of(ast.Attribute, ast.Subscript, ast.Call, ast.Compare):
            owner, key = access(node)
            if owner is not None and reads.sections(file, owner) == {()}:
                yield node, key, owner

    def top_reads(self, path: str) -> list[tuple[ast.expr, str, ast.expr]]:
        """The accesses of the run file's keys at the top of the configuration."""
        file = self._facts.python[path]
        return [each for each in self._accesses(file) if each[1] in self.keys - {self.word}]

    def is_only_a_section(self, entries: Sequence[EntryPoint]) -> bool:
        """Whether the code reads the run file's keys under the group, and the group as nothing
        else than a section.
        """
        for path in self.reached(entries):
            file = self._facts.python[path]
            sections = {node for node, _, _ in self.group_reads(path)}
            plain = [
                node
                for node, key, _ in self._accesses(file)
                if key == self.word and node not in sections
            ]
            if plain or any(True for _ in self.with_group(path)):
                return False
        return True

    def group_reads(self, path: str) -> list[tuple[ast.expr, str, ast.expr]]:
        """The accesses of the group as a section, not as a text."""
        file = self._facts.python[path]
        return [
            each
            for each in self._accesses(file)
            if each[1] == self.word
            and isinstance(each[0], ast.Attribute | ast.Subscript)
            and _is_section(file, each[0])
        ]

    def with_group(self, path: str) -> Iterator[Edit]:
        """`cfg.training` becomes `cfg.run.training`."""
        code = PythonEdits(self._facts, path)
        for node, key, owner in self.top_reads(path):
            if self._lies_under_group(f"{key}{_below(code.file, node)}"):
                end = code.span(owner)[1]
                yield Edit(path, end, end, f".{self.word}")

    def _lies_under_group(self, key: str) -> bool:
        """Whether a key is the run files' rather than the main configuration's or a word's."""
        parts = key.split(".")
        texts = [run.file.text for run in self._facts.runs]
        if any(_has(text, parts) for text in texts):
            return True
        words = {word.partition("=")[0].lstrip("+") for word in self._words}
        mains = (self._facts.text(path) or "" for path in self.configurations)
        return key not in words and not any(_has(text, parts) for text in mains)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(word for start in self._facts.hydra.starts for word in start.words)

    def without_group(self, path: str) -> Iterator[Edit]:
        """`cfg.run.training` becomes `cfg.training`."""
        code = PythonEdits(self._facts, path)
        for node, _, owner in self.group_reads(path):
            yield code.put(node, code.text_of(owner))

    def names_of_the_run(self, path: str) -> list[ast.expr]:
        """The accesses of the run's name, as `cfg.run.run_id` or `cfg.run_id`."""
        file = self._facts.python[path]
        groups = [node for node, key, _ in self._accesses(file) if key == self.word]
        return [
            *(node for node, key, _ in self._accesses(file) if key == "run_id"),
            *(
                node
                for node in file.of(ast.Attribute)
                if node.attr == "run_id" and node.value in groups
            ),
        ]


def _has(text: str, parts: list[str]) -> bool:
    return any(True for _ in yaml_config.values_at(yaml_config.values(text), parts))


def _below(file: PythonFile, node: ast.expr) -> str:
    """The further attributes that follow an access, dotted."""
    told = ""
    while isinstance(around := file.parents.get(node), ast.Attribute):
        call = file.parents.get(around)
        if isinstance(call, ast.Call) and call.func is around:
            break
        told, node = f"{told}.{around.attr}", around
    return told


def _is_section(file: PythonFile, node: ast.expr) -> bool:
    """Whether an expression is used as a mapping."""
    match file.parents.get(node):
        case ast.Attribute() | ast.Subscript(value=ast.Attribute()) | ast.Assign():
            return True
        case ast.Call() as call:
            name = file.resolve(call.func) or ""
            return node is not call.func and name not in _PLAIN_CALLS
        case ast.keyword() | ast.Return():
            return True
    return False


def _loaded(facts: Facts, use: _Use, entries: Sequence[EntryPoint], is_top: bool) -> Iterator[Edit]:
    """The run's file loaded in each entry that reads its keys, and the reads as this wants them."""
    for entry in entries:
        files = use.reached([entry])
        top = [(path, *each) for path in files for each in use.top_reads(path)]
        group = [(path, *each) for path in files for each in use.group_reads(path)]
        if not (top or group):
            continue
        names = {path: use.names_of_the_run(path) for path in files}
        named = {node for each in names.values() for node in each}
        inner = {node.value for node in named if isinstance(node, ast.Attribute)}
        if all(node in named | inner for _, node, _, _ in (*top, *group)):
            for path, nodes in names.items():
                code = PythonEdits(facts, path)
                for node in nodes:
                    yield code.put(node, f"{use.parameter(entry)}.{use.word}")
            continue
        yield from _load(facts, use, entry, is_top)
        for path in files:
            yield from use.without_group(path) if is_top else use.with_group(path)


def _load(facts: Facts, use: _Use, entry: EntryPoint, is_top: bool) -> Iterator[Edit]:
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


def _as_plain_word(text: YamlEdits, use: _Use) -> Iterator[Edit]:
    """The defaults list without the run's file, and a key for the command's word."""
    listed = text.pairs("defaults")
    choices = use.choices(text)
    there = text.pairs(use.word)
    has_key = bool(there) and isinstance(there[0][1], yaml.ScalarNode)
    if there and not has_key:
        raise CannotEdit(f"{use.word} is a section")
    key = "" if has_key else f"{use.word}: ???"
    if listed and len(choices) == len(listed[0][1].value):
        edit = text.without(listed[0])
        yield Edit(edit.path, edit.start, edit.end, f"{key}\n" if key else "")
        return
    yield from (text.without_entry(each.entry) for each in choices)
    if key and listed:
        yield text.after(listed[0], key)
    elif key:
        yield text.append(text.root, use.word, "???")


def _first_choice(text: YamlEdits, entry: str) -> Edit:
    """An entry of the defaults list, which is made where there is none."""
    for _, listed in text.pairs("defaults"):
        if isinstance(listed, yaml.SequenceNode) and not listed.flow_style and listed.value:
            last = listed.value[-1]
            start = text.text.rfind("\n", 0, last.start_mark.index) + 1
            dash = text.text[start : last.start_mark.index]
            end = text.text.find("\n", last.start_mark.index) + 1 or len(text.text)
            gap = "" if text.text[:end].endswith("\n") else "\n"
            return Edit(text.path, end, end, f"{gap}{dash}{entry}\n")
        raise CannotEdit("the defaults list has another form")
    start = text.root.start_mark.index
    return Edit(text.path, start, start, f"defaults:\n  - _self_\n  - {entry}\n\n")
