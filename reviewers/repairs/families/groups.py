"""Repairs of how a run's file gets into the configuration, and under which key.

Where the command's key is a group of Hydra's, whose files lie in a folder of that name, the
defaults list chooses the file. Where the contract puts the run files elsewhere, `run=<id>` is a
plain word for Hydra: the code then loads the file of that name itself, at the top of the
configuration or under the key of the group, as its reads want it.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import yaml

from reviewers.facts import Facts, yaml_config
from reviewers.facts.config_reads import Holder
from reviewers.facts.entry_points import EntryPoint
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import positional
from reviewers.offers import Edit
from reviewers.records import Finding, Span
from reviewers.repairs.access import access, is_moved, places
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import CannotEdit, PythonEdits, YamlEdits
from reviewers.rules.hydra_problems import has

_INTERPOLATED = re.compile(r"\$\{\s*([\w.]+)\s*\}")
_HEADER = re.compile(r"^[ \t]*#[# \t]*@\s*package\b.*\n?", re.IGNORECASE | re.MULTILINE)
_Access = tuple[ast.expr, str, ast.expr]  # the node, the key, and what it is asked of
_PLAIN_CALLS = frozenset({"str", "print", "Path", "pathlib.Path", "repr", "len", "hasattr", "bool"})


@repairs("HY03")
def choose_the_run_file(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The run's file as Hydra's choice, where its folder is the group of the command's key."""
    use = _Use.of(facts)
    if not use.is_group or finding.span is None:
        return
    for path in use.configurations:
        text = YamlEdits(facts, path)
        listed = use.choices(text)
        listed.sort(key=lambda each: each.group != use.word)
        if finding.span.file != path or (len(listed) == 1 and listed[0].is_asked(use.word)):
            continue
        edits = [text.without_entry(each.entry) for each in listed[1:]]
        for each in listed[:1]:
            edits.append(text.put(each.key, f"{use.word}{'' if each.option else ': ???'}"))
            edits += [text.put(each.option, "???")] if each.option is not None else []
            if each.group.endswith("@_global_"):  # the word does not name a package
                runs = [YamlEdits(facts, run.file.path) for run in facts.runs]
                edits += [edit for run in runs for edit in _at_the_top(run)]
        for each in listed:
            edits += use.left_over(text, each)
        if not listed:
            edits = [_first_choice(text, f"{use.word}: ???")]
        yield Proposal(
            f"Choose the run's file in the defaults list of {path}", tuple(dict.fromkeys(edits))
        )


@repairs("HY06")
def read_the_plain_word(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The command's word for the run's name, and the top of the configuration for its keys, where
    the code has loaded the run's file there.
    """
    use = _Use.of(facts)
    if use.is_group:
        return
    edits: list[Edit] = []
    moved: list[Edit] = []
    for code in _files(facts, finding):
        named = use.names_of_the_run(code.path)
        inner = {owner for _, owner in named}
        sections = [each for each in use.group_reads(code.path) if each[0] not in inner]
        edits += [code.put(node, use.as_word(code, owner)) for node, owner in named]
        if all(map(use.loads, use.entries)):
            moved += [use.without(code, each) for each in sections]
    told = f"Take {use.word} as the run's name, which it is here"
    yield from (Proposal(told, (*edits, *more)) for more in ([], moved) if [*edits, *more])


@repairs("HY02", "HY03")
def name_of_the_run(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The run's name, which its file is called by, in the word that passes the run on."""
    use = _Use.of(facts)
    if not all("run_id" in yaml_config.key_lines(run.file.text) for run in facts.runs):
        return
    edits: list[Edit] = []
    spans = places(finding)
    starting = [start.by for start in facts.hydra.starts if start.refused and start.by]
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
        yield Proposal("Pass the run's name on, by which its file is found", tuple(edits))


def _files(facts: Facts, finding: Finding) -> Iterator[PythonEdits]:
    """The Python files of a finding's places."""
    for path in dict.fromkeys(each.file for each in places(finding)):
        if path in facts.python:
            yield PythonEdits(facts, path)


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


@repairs("HY04", "HY05")
def read_where_it_lies(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The reads with the group before the run file's keys, or the run files at the top."""
    use = _Use.of(facts)
    if not use.is_group or (finding.rule == "HY05" and not is_moved(facts, finding)):
        return
    files = use.reached(use.entries)
    inserted = [edit for path in files for edit in use.with_group(path)]
    dropped = [edit for path in files for edit in use.without_group(path)]
    headers = [edit for run in facts.runs for edit in _at_the_top(YamlEdits(facts, run.file.path))]
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


def _at_the_top(text: YamlEdits) -> Iterator[Edit]:
    """Hydra's header first in a run file, without another one, or the same one further down where
    Hydra takes it for a comment.
    """
    said = list(_HEADER.finditer(text.text))
    first = next(iter(said), None)
    is_alone = len(said) == 1 and first is not None and not first.start()
    if is_alone and first is not None and first[0].split()[-2:] == ["@package", "_global_"]:
        return
    yield from (Edit(text.path, each.start(), each.end(), "") for each in said if each.start())
    end = first.end() if first is not None and not first.start() else 0
    yield Edit(text.path, 0, end, "# @package _global_\n")


@repairs("HY13")
def pass_the_run_on(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The command's key among the words for the process."""
    use = _Use.of(facts)
    if finding.span is None or finding.span.file not in facts.python:
        return
    code = PythonEdits(facts, finding.span.file)
    name = next((use.parameter(each) for each in use.entries if each.path == code.path), "")
    for node in code.file.of(ast.List):
        if node.lineno == finding.span.line and node.elts and name:
            start, _ = code.span(node.elts[0])
            value = f"{name}.{use.word}.run_id" if use.is_group else f"{name}.{use.word}"
            word = f'f"{use.word}={{{value}}}"'
            is_own_line = node.elts[0].lineno != node.lineno
            gap = f",\n{' ' * node.elts[0].col_offset}" if is_own_line else ", "
            yield Proposal(
                f"Pass {use.word}=… on to the process",
                (Edit(code.path, start, start, f"{word}{gap}"),),
            )
            return


@dataclass(frozen=True, slots=True)
class _Choice:
    """An entry of a defaults list that chooses a run's file: its node, the group, the nodes of the
    group's name and of the option; they are None in `- runs/${run}`.
    """

    entry: yaml.Node
    group: str
    key: yaml.Node
    option: yaml.Node | None

    @property
    def names(self) -> frozenset[str]:
        """The keys by which it lets the main configuration choose."""
        told = self.key if self.option is None else self.option
        return frozenset(_INTERPOLATED.findall(str(told.value)))

    def is_asked(self, word: str) -> bool:
        """Whether the command's word chooses its file."""
        return self.group == word and not self.names


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
        folders = {path.rpartition("/")[0] for path in self._facts.hydra.yaml_files}

        def is_choice(name: str, told: str) -> bool:
            """Whether it is of a run's group, or of one that is not there and left to choose."""
            group, _, package = name.partition("@")
            is_there = any(each == group or each.endswith(f"/{group}") for each in folders)
            is_open = told == "???" or _INTERPOLATED.search(told) is not None
            return group in groups or (not is_there and (package in groups or is_open))

        listed = next((value for _, value in text.pairs("defaults")), None)
        found = []
        for entry in listed.value if isinstance(listed, yaml.SequenceNode) else ():
            if isinstance(entry, yaml.MappingNode) and len(entry.value) == 1:
                key, option = entry.value[0]
                name = str(key.value).rpartition(" ")[2].lstrip("/")
                if isinstance(option, yaml.ScalarNode) and is_choice(name, str(option.value)):
                    found.append(_Choice(entry, name, key, option))
            elif isinstance(entry, yaml.ScalarNode):
                group = str(entry.value).rpartition("/")[0].lstrip("/")
                if is_choice(group, str(entry.value)):
                    found.append(_Choice(entry, group, entry, None))
        return found

    def left_over(self, text: YamlEdits, choice: _Choice) -> Iterator[Edit]:
        """Without the keys of the main configuration that only a choice asked for."""
        for name in {*choice.names, self.word}:
            for pair in text.pairs(name):
                is_empty = pair[1].value in ("???", "null", "")
                if is_empty and not any(
                    each.reads(name) for each in self._facts.config_reads.reads
                ):
                    yield text.without(pair)

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

    def _accesses(self, file: PythonFile) -> Iterator[_Access]:
        """The accesses of keys of the whole configuration: the node, the key, and the node of the
        configuration.
        """
        reads = self._facts.config_reads
        for node in file.of(ast.Attribute, ast.Subscript, ast.Call, ast.Compare):
            owner, key = access(node)
            if owner is not None and reads.sections(file, owner) == {()}:
                yield node, key, owner

    def top_reads(self, path: str) -> list[_Access]:
        """The accesses of the run file's keys at the top of the configuration."""
        file = self._facts.python[path]
        keys = self.keys - {self.word}
        return [each for each in self._accesses(file) if each[1].partition(".")[0] in keys]

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

    def group_reads(self, path: str) -> list[_Access]:
        """The accesses of the group as a section, not as a text."""
        file = self._facts.python[path]
        return [
            each
            for each in self._accesses(file)
            if each[1].startswith(f"{self.word}.")
            or (each[1] == self.word and _is_section(file, each[0]))
        ]

    def with_group(self, path: str) -> Iterator[Edit]:
        """`cfg.training` becomes `cfg.run.training`, and `settings = cfg`, of which nothing else is
        read, `settings = cfg.run`.
        """
        code = PythonEdits(self._facts, path)
        holders, values = self._meant_as_sections
        owners = [
            owner
            for node, key, owner in self.top_reads(path)
            if self._lies_under_group(f"{key}{_below(code.file, node)}")
            and self._facts.config_reads.holder(code.file, owner) not in holders
        ]
        for owner in (*owners, *(value for file, value in values if file is code.file)):
            end = code.span(owner)[1]
            yield Edit(path, end, end, f".{self.word}")

    @cached_property
    def _meant_as_sections(
        self,
    ) -> tuple[frozenset[Holder | None], tuple[tuple[PythonFile, ast.expr], ...]]:
        """The names to which the whole configuration is assigned and of which only the run file's
        keys are read, with the parameters to which only these are passed; and what is assigned.
        """
        reads = self._facts.config_reads
        is_own: dict[Holder | None, list[bool]] = {}
        for path in self.reached(self.entries):
            file = self._facts.python[path]
            for node, key, owner in self._accesses(file):
                told = self._lies_under_group(f"{key}{_below(file, node)}")
                is_own.setdefault(reads.holder(file, owner), []).append(told)
        given: dict[Holder, list[tuple[PythonFile, ast.expr, Holder | None]]] = {}
        for (holder, value), file in reads.bound.items():
            if reads.sections(file, value) == {()}:
                given.setdefault(holder, []).append((file, value, reads.holder(file, value)))
        holders: set[Holder | None] = set()
        values: list[tuple[PythonFile, ast.expr]] = []
        for holder, bound in given.items():
            if not all(
                isinstance(file.parents.get(value), ast.Assign | ast.AnnAssign)
                and by not in (None, holder)
                for file, value, by in bound
            ):
                continue
            below: set[Holder | None] = {holder}
            while more := {
                each
                for each, told in given.items()
                if each not in below and any(by in below for _, _, by in told)
            }:
                below |= more
            others = [by for each in below - {holder} if each for _, _, by in given[each]]
            read = [told for each in below for told in is_own.get(each, ())]
            if read and all(read) and all(by in below for by in others):
                holders |= below
                values += [(file, value) for file, value, _ in bound]
        return frozenset(holders), tuple(values)

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
        yield from (self.without(code, each) for each in self.group_reads(path))

    def without(self, code: PythonEdits, read: _Access) -> Edit:
        """The same without the group, for one of its reads."""
        node, key, owner = read
        if key == self.word:
            return code.put(node, code.text_of(owner))
        told = next(each for each in ast.walk(node) if getattr(each, "value", "") == key)
        assert isinstance(told, ast.Constant)
        return code.put(told, f'"{key.removeprefix(f"{self.word}.")}"')

    def names_of_the_run(self, path: str) -> list[tuple[ast.expr, ast.expr]]:
        """The accesses of the run's name, as `cfg.run.run_id` or `cfg.run_id`, with that of the
        group, or of the whole, of which it is asked.
        """
        file, reads = self._facts.python[path], self._facts.config_reads
        told = {"run_id", *({"id", "name"} - self.keys)}
        named = []
        for node in file.of(ast.Attribute, ast.Subscript, ast.Call):
            owner, key = access(node)
            held = reads.sections(file, owner) if owner is not None else set()
            is_own = held == {()} and key in ("run_id", f"{self.word}.run_id")
            if owner is not None and (is_own or (held == {(self.word,)} and key in told)):
                assert isinstance(node, ast.expr)
                named.append((node, owner))
        return named

    def as_word(self, code: PythonEdits, owner: ast.expr) -> str:
        """The command's word, as code that asks the whole configuration, or the group itself."""
        text = code.text_of(owner)
        is_whole = self._facts.config_reads.sections(code.file, owner) == {()}
        return f"{text}.{self.word}" if is_whole else text

    def name_of_the_run(self, code: PythonEdits, node: ast.expr) -> str:
        """The run's name, as code that asks what another key of the configuration is asked of;
        empty where it is none.
        """
        below: ast.expr | None = node
        while below is not None:
            held = self._facts.config_reads.sections(code.file, below)
            for path in held if len(held) == 1 else ():
                if path == self.name_path[: len(path)]:
                    return ".".join([code.text_of(below), *self.name_path[len(path) :]])
            below, _ = access(below)
        return ""

    @cached_property
    def is_at_top(self) -> bool:
        """Whether Hydra puts the run files at the top of the configuration."""
        return any(has(start, "run_id") for start in self._facts.hydra.starts)

    @property
    def name_path(self) -> tuple[str, ...]:
        """The keys under which the run's name is found."""
        if not self.is_group:
            return (self.word,)
        return ("run_id",) if self.is_at_top else (self.word, "run_id")

    def passed_on(self, file: PythonFile) -> Iterator[ast.expr]:
        """What code puts behind the command's word, as in `f"run={cfg.run}"`."""
        for node in file.of(ast.JoinedStr, ast.BinOp):
            match node:
                case ast.JoinedStr(values=parts):
                    pairs = list(pairwise(parts))
                case ast.BinOp(left=before, right=after):
                    pairs = [(before, after)]
            for before, after in pairs:
                text = before.value if isinstance(before, ast.Constant) else ""
                if isinstance(text, str) and re.search(rf"(^|[\s+]){self.word}=(%s)?$", text):
                    value = after.value if isinstance(after, ast.FormattedValue) else after
                    match value:
                        case ast.Call(func=ast.Name(id="str"), args=[inner]):
                            yield inner
                        case _:
                            yield value


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
