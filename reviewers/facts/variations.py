"""The run variations of the experimental design: which of them the configurations contain, and
which the code can distinguish.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reviewers.bundles.yaml_text import load_yaml
from reviewers.facts import yaml_config
from reviewers.facts.python_file import PythonFile
from reviewers.records import Submission
from reviewers.steps import fact, spend

_DESIGN = "runvariations"
_WORD = re.compile(r"[a-z0-9]+")
# Words that do not identify a variation, unless its whole name is present.
_WEAK = frozenset({"a", "and", "no", "not", "of", "only", "or", "the", "with", "without"})
_SHORTEST = 3  # letters of a word that counts inside longer words
_LONGEST = 100  # letters of a text that can be a name
_MOST = 100  # variations
_Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a configuration that lists several.

    Attributes:
        values: by key, a path such as `training.method`.
        variation: the variation it runs, and `texts` the texts that say so.
    """

    values: Mapping[str, object]
    variation: str
    texts: frozenset[str]


@dataclass(frozen=True, slots=True)
class Unhandled:
    """A variation that a configuration contains but the code does not distinguish.

    Attributes:
        key, value: what distinguishes it from the other runs there.
        known: values of this key in other runs that the code does distinguish.
        alike: if there are none, the variation whose run the code treats the same.
    """

    variation: str
    key: str
    value: str
    known: tuple[str, ...] = ()
    alike: str = ""


class Variations:
    """The run variations of a submission.

    Args:
        paths: the configurations that must each contain all of them.
        reader: the Python files that may read them, by path.
    """

    def __init__(
        self, submission: Submission, paths: tuple[str, ...], reader: Mapping[str, PythonFile]
    ) -> None:
        self._design = submission.context.design
        self._texts = {
            path: submission.by_path[path].text for path in paths if path in submission.by_path
        }
        self._reader = reader

    @fact
    def names(self) -> tuple[str, ...]:
        """The variations that the design lists, in its spelling."""
        for title, text in self._design.items():
            if "".join(_words(title)) == _DESIGN:
                listed = load_yaml(text).value
                given = listed if isinstance(listed, list) else str(listed or "").split(",")
                names = (name.strip() for name in given if isinstance(name, str))
                named = (name for name in names if len(name) <= _LONGEST and _words(name))
                return tuple(dict.fromkeys(named))[:_MOST]
        return ()

    def missing(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each configuration that code opens by name, with the variations missing from it."""
        for path, value in self._configurations():
            runs = [[*_texts(each)] for each in _parts(value)]
            if not any(map(self._refers_elsewhere, runs)):
                shown = {name for texts in runs for name in self._shown(texts)}
                if gone := tuple(name for name in self.names if name not in shown):
                    yield path, gone

    def unhandled(self) -> Iterator[tuple[str, Unhandled]]:
        """Yield the configured variations that no code distinguishes, with the path of the
        configuration.
        """
        for path, value in self._configurations():
            runs = [*self._runs(value)]
            for name in self.names:
                if found := self._unhandled(name, runs):
                    yield path, found

    def places(self, variation: str) -> Iterator[tuple[str, int, str]]:
        """Yield file, line and text of each string of the code that is a variation's name."""
        wanted = "".join(_words(variation))
        for path, file in self._reader.items():
            for literal in file.strings:
                if not literal.is_docstring and "".join(_words(literal.value)) == wanted:
                    yield path, literal.line, literal.value

    def _configurations(self) -> Iterator[tuple[str, object]]:
        """The readable configurations that list something and that the code opens by name."""
        for path, text in self._texts.items() if self.names else ():
            stem = path.rpartition("/")[2].rpartition(".")[0]
            value = yaml_config.plain_values(text, path)
            if isinstance(value, (dict, list)) and any(stem in text for text in self._strings):
                yield path, value

    @fact
    def _strings(self) -> frozenset[str]:
        """The texts in the code that may read a configuration, without docstrings."""
        return frozenset(
            literal.value
            for file in self._reader.values()
            for literal in file.strings
            if not literal.is_docstring
        )

    @fact
    def _known(self) -> frozenset[_Words]:
        """The words of the code: its texts, and the names that it defines or reads."""
        names = (name for file in self._reader.values() for name in _identifiers(file))
        return frozenset(map(_words, (*self._strings, *names)))

    def _refers_elsewhere(self, texts: list[str]) -> bool:
        """Whether a part of a configuration names another file, which may contain the rest."""
        return any(text.endswith((".yaml", ".yml", ".json")) for text in texts)

    def _shown(self, texts: list[str]) -> dict[str, frozenset[str]]:
        """The variations that a run's texts name, with the texts: for each text those that have
        most of their words in it. If several have, another text of the run may decide.
        """
        best: list[tuple[str, list[str]]] = []
        for text in dict.fromkeys(texts):
            spend(len(self.names))
            likeness = {name: _likeness(_words(text), _words(name)) for name in self.names}
            if most := max(likeness.values(), default=0):
                best.append((text, [name for name in self.names if likeness[name] == most]))
        sure = {names[0] for _, names in best if len(names) == 1}
        return {
            name: frozenset(text for text, names in best if name in names)
            for name in self.names
            if any(name in names and (name in sure or sure.isdisjoint(names)) for _, names in best)
        }

    def _runs(self, value: object) -> Iterator[Run]:
        """The runs of a configuration whose variation is certain: the one with most of its name
        present.
        """
        for each in _listed(value):
            shown = self._shown([*_texts(each)])
            likeness = {
                name: max(_likeness(_words(text), _words(name)) for text in texts)
                for name, texts in shown.items()
            }
            most = max(likeness.values(), default=0)
            names = [name for name in shown if likeness[name] == most]
            if len(names) == 1:
                yield Run(dict(_leaves(each)), names[0], shown[names[0]])

    def _unhandled(self, name: str, runs: list[Run]) -> Unhandled | None:
        own = [run for run in runs if run.variation == name]
        others = [run for run in runs if run.variation != name]
        if not own or any(self._is_known(text) for run in own for text in run.texts):
            return None
        for key, value in own[0].values.items():
            known = tuple(
                dict.fromkeys(
                    text
                    for run in others
                    for text in (run.values.get(key),)
                    if isinstance(text, str) and _words(text) in self._known
                )
            )
            if known and isinstance(value, str) and value in own[0].texts and self._is_read(key):
                return Unhandled(name, key, value, known)
        alike = next((run for run in others if self._are_alike(own[0], run)), None)
        return None if alike is None else self._difference(own[0], alike)

    def _are_alike(self, one: Run, other: Run) -> bool:
        """Whether two runs differ in nothing that the code reads, except names and seeds."""
        return all(
            key.endswith("seed") or not self._is_read(key) or self._are_names(key, one, other)
            for key in {*one.values, *other.values}
            if one.values.get(key) != other.values.get(key)
        )

    def _are_names(self, key: str, one: Run, other: Run) -> bool:
        """Whether a key has texts in both runs that do not occur in the code."""
        return all(
            isinstance(value := run.values.get(key), str)
            and len(value) <= _LONGEST
            and not self._is_known(value)
            for run in (one, other)
        )

    def _difference(self, run: Run, other: Run) -> Unhandled:
        keys = [key for key, value in run.values.items() if other.values.get(key) != value]
        key = next((key for key in keys if key.rpartition(".")[2] in run.texts), keys[0])
        return Unhandled(run.variation, key, str(run.values[key]), alike=other.variation)

    def _is_read(self, key: str) -> bool:
        return _words(key.rpartition(".")[2]) in self._known

    def _is_known(self, text: str) -> bool:
        """Whether a text contains a word of the code or is contained in one."""
        words = _words(text)
        ends = range(1, len(words) + 1)
        parts = (words[start:end] for end in ends for start in range(end))
        return (
            words in self._known
            or "".join(words) in self._joined
            or any(part in self._known for part in parts if len("".join(part)) >= _SHORTEST)
            or (len("".join(words)) >= _SHORTEST and f" {' '.join(words)} " in self._spoken)
        )

    @fact
    def _joined(self) -> frozenset[str]:
        return frozenset(map("".join, self._known))

    @fact
    def _spoken(self) -> str:
        return " | ".join(["", *map(" ".join, self._known), ""])


def _identifiers(file: PythonFile) -> Iterator[str]:
    for node in file.nodes:
        for field in ("id", "attr", "arg", "name"):
            if isinstance(name := getattr(node, field, None), str):
                yield name


def _words(text: str) -> _Words:
    return tuple(_WORD.findall(text.casefold()))


def _likeness(words: _Words, name: _Words) -> int:
    """The number of words of a variation's name in a text, in any spelling."""
    whole = "".join(name)
    if any("".join(words[at:]).startswith(whole) for at in range(len(words))):
        return len(name)
    return sum(
        each not in _WEAK
        and any(
            word == each or (len(each) >= _SHORTEST and word.startswith(each)) for word in words
        )
        for each in name
    )


def _texts(value: object) -> Iterator[str]:
    """Every key and every text in a value."""
    for key, each in _leaves(value):
        yield from (part for part in key.split(".") if len(part) <= _LONGEST)
        listed = each if isinstance(each, list) else [each]
        yield from (text for text in listed if isinstance(text, str) and len(text) <= _LONGEST)


def _leaves(value: object, above: str = "") -> Iterator[tuple[str, object]]:
    """The values in a value by their keys, joined by dots; a list of plain values is one."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _leaves(each, f"{above}.{key}" if above else str(key))
    elif isinstance(value, list) and any(isinstance(each, (dict, list)) for each in value):
        for at, each in enumerate(value):
            yield from _leaves(each, f"{above}.{at}" if above else str(at))
    else:
        yield above, value


def _parts(value: object) -> Iterator[object]:
    """The parallel parts of a configuration: the items of its lists, and its mappings outside
    lists.
    """
    if isinstance(value, list):
        yield from value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield str(key)
            yield from _parts(each)
    else:
        yield value


def _listed(value: object) -> Iterator[dict[object, object]]:
    """The mappings in the outermost lists of a configuration."""
    if isinstance(value, list):
        yield from (each for each in value if isinstance(each, dict))
    elif isinstance(value, dict):
        for each in value.values():
            yield from _listed(each)
