"""How the main configuration chooses a run's file, and where Hydra puts that: edits of both."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from reviewers.facts import Facts, yaml_config
from reviewers.offers import Edit
from reviewers.repairs.edits import CannotEdit, YamlEdits

_INTERPOLATED = re.compile(r"\$\{\s*([\w.]+)\s*\}")
_HEADER = re.compile(r"^[ \t]*#[# \t]*@\s*package\b.*\n?", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Choice:
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


def choices(facts: Facts, text: YamlEdits) -> list[Choice]:
    """The entries of a defaults list that choose from a group of run files."""
    groups = {*facts.hydra.groups}
    folders = {path.rpartition("/")[0] for path in facts.hydra.yaml_files}

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
                found.append(Choice(entry, name, key, option))
        elif isinstance(entry, yaml.ScalarNode):
            group = str(entry.value).rpartition("/")[0].lstrip("/")
            if is_choice(group, str(entry.value)):
                found.append(Choice(entry, group, entry, None))
    return found


def without_asked_keys(facts: Facts, text: YamlEdits, choice: Choice, word: str) -> Iterator[Edit]:
    """Without the keys of the main configuration that only a choice asked for."""
    for name in {*choice.names, word}:
        if not any(each.reads(name) for each in facts.config_reads.reads):
            yield from without_empty(text, name)


def without_empty(text: YamlEdits, key: str) -> Iterator[Edit]:
    """Without a key that has no value."""
    for pair in text.pairs(key):
        if pair[1].value in ("???", "null", "~", ""):
            yield text.without(pair)


def without_groups(facts: Facts, text: YamlEdits) -> Iterator[Edit]:
    """A defaults list without the groups that have no file, where every run file has a section of
    that name.
    """
    folder = text.path.rpartition("/")[0]
    listed = next((value for _, value in text.pairs("defaults")), None)
    for entry in listed.value if isinstance(listed, yaml.SequenceNode) else ():
        pairs = entry.value if isinstance(entry, yaml.MappingNode) else []
        told = pairs[0][0].value if len(pairs) == 1 else str(entry.value).partition("/")[0]
        name = str(told).rpartition(" ")[2].lstrip("/")
        is_there = any(each.startswith(f"{folder}/{name}") for each in facts.hydra.yaml_files)
        runs = [yaml_config.key_lines(run.file.text) for run in facts.runs]
        if not is_there and runs and all(name in keys for keys in runs):
            yield text.without_entry(entry)


def as_plain_word(facts: Facts, text: YamlEdits, word: str) -> Iterator[Edit]:
    """The defaults list without the run's file, and a key for the command's word."""
    listed = text.pairs("defaults")
    chosen = choices(facts, text)
    there = text.pairs(word)
    has_key = bool(there)
    for _, held in there:
        if isinstance(held, yaml.MappingNode) and not held.value:
            yield Edit(text.path, held.start_mark.index, held.end_mark.index, "???")
        elif not isinstance(held, yaml.ScalarNode):
            raise CannotEdit(f"{word} is a section")
    key = "" if has_key else f"{word}: ???"
    if listed and len(chosen) == len(listed[0][1].value):
        edit = text.without(listed[0])
        yield Edit(edit.path, edit.start, edit.end, f"{key}\n" if key else "")
        return
    yield from (text.without_entry(each.entry) for each in chosen)
    if key and listed:
        yield text.after(listed[0], key)
    elif key:
        yield text.append(text.root, word, "???")


def first_choice(text: YamlEdits, entry: str) -> Edit:
    """An entry of the defaults list, which is made where there is none."""
    for key, listed in text.pairs("defaults"):
        if isinstance(listed, yaml.SequenceNode) and listed.flow_style:
            entries = [*map(text.text_of, listed.value)] or ["_self_"]
            lines = "".join(f"\n  - {each}" for each in (*entries, entry))
            return Edit(text.path, key.end_mark.index, listed.end_mark.index, f":{lines}")
        if isinstance(listed, yaml.SequenceNode) and listed.value:
            last = listed.value[-1]
            start = text.text.rfind("\n", 0, last.start_mark.index) + 1
            dash = text.text[start : last.start_mark.index]
            end = text.text.find("\n", last.start_mark.index) + 1 or len(text.text)
            gap = "" if text.text[:end].endswith("\n") else "\n"
            return Edit(text.path, end, end, f"{gap}{dash}{entry}\n")
        raise CannotEdit("the defaults list has another form")
    start = text.root.start_mark.index
    return Edit(text.path, start, start, f"defaults:\n  - _self_\n  - {entry}\n\n")


def below_the_group(text: YamlEdits) -> Iterator[Edit]:
    """A run file without Hydra's header."""
    for said in _HEADER.finditer(text.text):
        yield Edit(text.path, said.start(), said.end(), "")


def at_the_top(text: YamlEdits) -> Iterator[Edit]:
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
