"""How a submission's code gets at the keys of its run files, and edits of that."""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from reviewers.facts import Facts, yaml_config
from reviewers.facts.config_reads import Holder
from reviewers.facts.entry_points import EntryPoint
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import positional
from reviewers.offers import Edit
from reviewers.repairs.access import access
from reviewers.repairs.edits import PythonEdits
from reviewers.rules.hydra_problems import has

Access = tuple[ast.expr, str, ast.expr]  # the node, the key, and what it is asked of
_PLAIN_CALLS = frozenset({"str", "print", "Path", "pathlib.Path", "repr", "len", "hasattr", "bool"})


class RunFiles:
    """How a submission's code gets at the keys of its run files."""

    def __init__(self, facts: Facts, word: str) -> None:
        self._facts = facts
        self.word = word

    @classmethod
    def of(cls, facts: Facts) -> "RunFiles":
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

    def _accesses(self, file: PythonFile) -> Iterator[Access]:
        """The accesses of keys of the whole configuration: the node, the key, and the node of the
        configuration.
        """
        reads = self._facts.config_reads
        for node in file.of(ast.Attribute, ast.Subscript, ast.Call, ast.Compare):
            owner, key = access(node)
            if owner is not None and reads.sections(file, owner) == {()}:
                yield node, key, owner

    def top_reads(self, path: str) -> list[Access]:
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

    def group_reads(self, path: str) -> list[Access]:
        """The accesses of the group as a section, not as a text."""
        file = self._facts.python[path]
        return [
            each
            for each in self._accesses(file)
            if each[1].startswith(f"{self.word}.")
            or (each[1] == self.word and _is_section(file, each[0]))
        ]

    def section_reads(self, path: str) -> list[Access]:
        """Those of which more is asked than the run's name, also by what they are assigned to."""
        file, reads = self._facts.python[path], self._facts.config_reads
        named = self.names_of_the_run(path)
        names, owners = {node for node, _ in named}, {owner for _, owner in named}
        asked: dict[Holder | None, list[ast.AST]] = {}
        for node in file.of(ast.Attribute, ast.Subscript, ast.Call):
            owner, _ = access(node)
            if owner is not None and reads.sections(file, owner) == {(self.word,)}:
                asked.setdefault(reads.holder(file, owner), []).append(node)
        bound = {value: asked.get(holder, []) for holder, value in reads.bound}
        return [
            each
            for each in self.group_reads(path)
            if each[0] not in owners
            and not (bound.get(each[0]) and all(node in names for node in bound[each[0]]))
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

    def without(self, code: PythonEdits, read: Access) -> Edit:
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
