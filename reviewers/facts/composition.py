"""Composes configurations with Hydra itself, from texts in memory.

Hydra's own defaults list, override grammar and merge are used; only the source is ours: the
submission's YAML texts. Hydra's own node (`hydra: …`, job logging, launchers) concerns the process
that it starts: `hydra_schema` checks it, and it is left out, so that no global state, search path
or package is touched. Checked against `hydra.compose` on real submissions (hydra-core 1.3).
"""

import copy
import re
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NoReturn

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.config_repository import ConfigRepository, IConfigRepository
from hydra._internal.defaults_list import DefaultsList, create_defaults_list
from hydra._internal.utils import get_args_parser
from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.default_element import ConfigDefault, ResultDefault
from hydra.core.object_type import ObjectType
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from hydra.plugins.config_source import ConfigLoadError, ConfigResult, ConfigSource
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from reviewers.bundles.yaml_text import UNREADABLE
from reviewers.facts import hydra_schema, yaml_config
from reviewers.facts.config_nodes import copied, created
from reviewers.facts.yaml_config import UnreadableYaml

# Hydra asserts and unpacks where a strange YAML breaks its expectations; its user sees just such an
# error.
_STOPPING = (HydraException, OmegaConfBaseException, AssertionError, *UNREADABLE)
MOST_VALUES = 4_000  # in all YAML files together; real submissions have about 200
MOST_CHARACTERS = 300_000  # and 12,000 of these
_MISSING = "???"
_PLAIN = frozenset({str, int, float, bool, type(None), dict, list})
_NO_CONFIG = (  # what Hydra starts from where the decorator names no configuration
    "_dummy_empty_config_"
)


UNREAD_WORD = "OverrideParseException"  # what Hydra raises for a word outside its grammar


@dataclass(frozen=True, slots=True)
class CompositionProblem:
    """Why Hydra would stop before the entry function is called.

    Attributes:
        error: name of the exception that ends the command.
        message: its text, first lines, as Hydra or OmegaConf says it.
        file: the YAML at fault, relative to the configuration folder; None if the command line
            or the folder is.
        word: the word of the command line that is refused; None if none is.
        key: the dotted key that it is about, where the exception says so.
        is_unreadable: whether the file at fault cannot be read at all.
    """

    error: str
    message: str
    file: str | None = None
    word: str | None = None
    key: str | None = None
    is_unreadable: bool = False


def is_too_large(files: Mapping[str, str]) -> bool:
    """Whether YAML files hold more than is composed; what is too long is not even parsed."""
    return (
        sum(map(len, files.values())) > MOST_CHARACTERS
        or sum(map(yaml_config.size, files.values())) > MOST_VALUES
    )


def compose(
    files: Mapping[str, str],
    config_name: str | None,
    words: Sequence[str],
) -> DictConfig | CompositionProblem:
    """Compose a configuration as `@hydra.main` would.

    Args:
        files: YAML texts by path relative to the configuration folder, forward slashes.
        config_name: as given to the decorator, None if it is not.
        words: the command line's words.

    Returns:
        The configuration with struct mode on, as the entry function receives it; or why there is
        none.
    """
    made = compose_past_words(tuple(files.items()), config_name, tuple(words))
    return made if isinstance(made, CompositionProblem) else made.problem or made.config


@dataclass(frozen=True, slots=True)
class Composed:
    """A configuration, and the words that Hydra refused on the way to it.

    Attributes:
        config: with struct mode on; a refused word has its value all the same, as `++` gives it.
        refused: one problem for each such word, in the order in which Hydra meets them.
    """

    config: DictConfig
    refused: tuple[CompositionProblem, ...] = ()

    @property
    def problem(self) -> CompositionProblem | None:
        """What Hydra stops with; None if it takes every word."""
        return self.refused[0] if self.refused else None


@lru_cache(maxsize=64)
def hydras_node(
    texts: tuple[tuple[str, str], ...], config_name: str | None, words: tuple[str, ...]
) -> DictConfig | None:
    """Hydra's own node under a command line; where nothing can be composed, as for want of a choice
    that the words do not make, as the primary configuration has it. None where it cannot be read.
    """
    files = dict(texts)
    keys = {word: word.lstrip("+~").partition("=")[0] for word in words}
    lines = [word for word, key in keys.items() if key.startswith(("hydra.", "hydra/"))]
    choosing = [word for word, key in keys.items() if word not in lines and _is_group(files, key)]
    try:
        base = _base(texts, config_name, tuple(choosing))
        if isinstance(base, CompositionProblem):
            memory = _Memory(files)
            memory.load_config(config_name or _NO_CONFIG)
            own, chosen = tuple(memory.hydras_own), frozenset(memory.chosen)
        else:
            own, chosen = base.hydras_own, base.chosen
        return _merged(own, chosen, tuple(lines))
    except _STOPPING:
        return None


@lru_cache(maxsize=64)
def _merged(
    own: tuple[tuple[str, str], ...], chosen: frozenset[str], lines: tuple[str, ...]
) -> DictConfig:
    return hydra_schema.merged(own, chosen, [copy.copy(_override(line)) for line in lines])


_Refused = list[tuple[Override | None, CompositionProblem]]  # the word, where it is left to take


@lru_cache(maxsize=64)
def compose_past_words(
    texts: tuple[tuple[str, str], ...], config_name: str | None, words: tuple[str, ...]
) -> Composed | CompositionProblem:
    """Compose as `compose` does, but go on behind each word that Hydra refuses.

    Returns:
        What is shared by all that ask for it. A problem where no word is at fault, but a file or a
        defaults list.
    """
    files = dict(texts)
    refused: _Refused = []
    taken, config_name = _flags_aside(words, config_name, refused)
    try:
        read = list(_read_words(taken, refused))
    except _STOPPING as error:
        return refused[0][1] if refused else _problem(error, None)
    own = [word for word in read if not word.is_hydra_override()]
    hydras = [word for word in read if word.is_hydra_override()]
    if config_name is not None and not _Memory(files).config_exists(config_name):
        missing = (
            f"Cannot find primary config '{config_name}'"
            if files
            else "Primary config directory not found"
        )
        return CompositionProblem("MissingConfigException", missing)
    choosing = [word.input_line or "" for word in own if _is_group(files, word.key_or_group)]
    base = _base(texts, config_name, tuple(choosing))
    if isinstance(base, CompositionProblem):
        # A word that the grammar refuses is met before any file is read.
        return refused[0][1] if refused else base
    config = copied(base.config)
    OmegaConf.set_struct(config, True)
    refused += base.refused
    for override in own:
        if override.is_sweep_override() or override.input_line in {*choosing} - {*base.values}:
            continue
        try:
            ConfigLoaderImpl._apply_overrides_to_config([override], config)
        except _STOPPING as error:
            refused.append((override, _problem(error, None, override.input_line)))
    lines = tuple(word.input_line or "" for word in hydras)
    if problem := _of_hydras_own(base.hydras_own, base.chosen, lines):
        refused.append((None, problem))
    for word, _ in refused:
        with suppress(*_STOPPING):
            if word is not None and not word.is_delete() and word.package is None:
                OmegaConf.update(config, word.key_or_group, word.value(), force_add=True)
    return Composed(config, tuple(problem for _, problem in refused))


@dataclass(frozen=True, slots=True)
class _Base:
    """What the files give under a choice of them, before the command line's values.

    Attributes:
        config: shared, and never changed.
        refused: as in `compose_past_words`, the words that choose.
        values: those of the words that give a value after all.
        hydras_own: name and text of each configuration with a node of Hydra's own.
        chosen: the groups of Hydra that the defaults choose.
    """

    config: DictConfig
    refused: _Refused
    values: tuple[str, ...]
    hydras_own: tuple[tuple[str, str], ...]
    chosen: frozenset[str]


@lru_cache(maxsize=64)
def _base(
    files: tuple[tuple[str, str], ...], config_name: str | None, words: tuple[str, ...]
) -> _Base | CompositionProblem:
    """What the starts of a submission have in common, and those of its other attempts: kept by the
    texts.
    """
    repository = _Memory(dict(files))
    refused: _Refused = []
    try:
        defaults = _defaults(repository, config_name, [*map(_override, words)], refused)
        config = repository.merged(defaults.defaults)
    except _STOPPING as error:
        return refused[0][1] if refused else _problem(error, repository.at_fault)
    values = tuple(word.input_line or "" for word in defaults.config_overrides)
    own = repository.hydras_own
    return _Base(config, refused, values, tuple(own), frozenset(repository.chosen))


def _is_group(files: Mapping[str, str], name: str) -> bool:
    folder = name.strip("/")
    return any(path.startswith(f"{folder}/" if folder else "") for path in files)


@lru_cache(maxsize=256)
def _of_hydras_own(
    texts: tuple[tuple[str, str], ...], chosen: frozenset[str], lines: tuple[str, ...]
) -> CompositionProblem | None:
    """What Hydra's schema refuses of what was left out of the composition."""
    at_fault = _file(texts[-1][0]) if texts else None
    words = [copy.copy(_override(line)) for line in lines]
    try:
        hydra_schema.check_configuration(texts, chosen, words)
        at_fault = None
        if words:
            hydra_schema.merged(texts, chosen, words)
    except _STOPPING as error:
        named = [line for line in lines if at_fault is None and line.lstrip("+~")[:6] == "hydra."]
        return _problem(error, at_fault, named[0] if len(named) == 1 else None)
    return None


class _Flags(ArgumentParser):
    """Hydra's own flags; what it refuses is raised."""

    def __init__(self) -> None:
        super().__init__(add_help=False, parents=[get_args_parser()])

    def error(self, message: str) -> NoReturn:
        raise HydraException(message)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise HydraException(message or "it ends here")

    def _print_message(self, message: str, file: object = None) -> None:
        """Nothing is printed here."""


def _flags_aside(
    words: Sequence[str], config_name: str | None, refused: _Refused
) -> tuple[Sequence[str], str | None]:
    """The words that Hydra's own flags leave, and the configuration that they ask for; a word that
    begins with `-` and is not one of them ends the command.
    """
    if not any(word.startswith("-") for word in words):
        return words, config_name
    try:
        known, unknown = _Flags().parse_known_args(words)
    except HydraException as error:
        known, unknown = None, [str(error)]
    if unknown:
        said = " ".join(unknown)
        said = said if known is None else f"unrecognized arguments: {said}"
        word = next(one for one in words if known is None or one in unknown)
        refused.append((None, CompositionProblem("SystemExit", f"2: {said}", None, word)))
    if known is None:
        return words, config_name
    return [str(one) for one in known.overrides], known.config_name or config_name


def _read_words(words: Sequence[str], refused: _Refused) -> Iterator[Override]:
    """The words that Hydra's grammar reads; of one that it refuses, what it is in quotes."""
    for word in words:
        try:
            yield copy.copy(_override(word))
        except _STOPPING as error:
            refused.append((None, _problem(error, None, word)))
            key, _, value = word.partition("=")
            if value and "'" not in value:
                with suppress(*_STOPPING):
                    yield copy.copy(_override(f"{key}='{value}'"))


def _defaults(
    repository: "_Memory", config_name: str | None, words: Sequence[Override], refused: _Refused
) -> DefaultsList:
    """The defaults list, if need be without the one word that chooses from a group which is not
    in it, or with that group appended, as Hydra's message advises.
    """

    def listed(taken: Sequence[Override]) -> DefaultsList:
        return create_defaults_list(
            repository,
            config_name,
            [copy.copy(word) for word in taken],
            prepend_hydra=False,
            skip_missing=False,
        )

    try:
        return listed(words)
    except _STOPPING as error:
        for word in words:
            if not repository.group_exists(word.key_or_group) or word.package is not None:
                continue
            others = [other for other in words if other is not word]
            for instead in ([copy.copy(_override(f"+{word.input_line}"))], []):
                with suppress(*_STOPPING):
                    found = listed([*others, *instead])
                    problem = _problem(error, repository.at_fault, word.input_line)
                    refused.append((None if instead else word, problem))
                    return found
        raise


def _problem(error: BaseException, file: str | None, word: str | None = None) -> CompositionProblem:
    key = hydra_schema.key_of(error)
    is_unreadable = isinstance(error, _Unreadable)
    name = error.why.error if isinstance(error, _Unreadable) else type(error).__name__
    return CompositionProblem(name, _told(error), file, word, key, is_unreadable)


@lru_cache(maxsize=256)
def _override(word: str) -> Override:
    """One word of the command line as Hydra's grammar reads it; every start of a submission passes
    mostly the same ones.
    """
    return _parser().parse_overrides([word])[0]


@lru_cache(maxsize=1)
def _parser() -> OverridesParser:
    return OverridesParser.create()


# Where Hydra looked, what else it could have composed, OmegaConf's own notes on the key: long, and
# which the error itself reports.
_APPENDED = re.compile(
    r"\n(?:Config search path:|Search path:|Available options in |\s*full_key: )"
)


def _told(error: BaseException) -> str:
    """The exception's text and its cause's, on one line each, without the search path that Hydra
    appends.
    """
    texts: list[str] = []
    seen: BaseException | None = error
    while seen is not None and len(texts) < 3:
        told = _APPENDED.split(str(seen))[0]
        lines = [line.strip() for line in told.splitlines() if line.strip()]
        text = " ".join(lines)[:300]
        if text and text not in texts:
            texts.append(text)
        seen = seen.__cause__
    return ": ".join(texts) or type(error).__name__


class _Unreadable(ConfigLoadError):
    """A file that no YAML parser takes; Hydra lets the parser's own exception through."""

    def __init__(self, path: str, why: UnreadableYaml) -> None:
        super().__init__(f"{path}: {why}")
        self.why = why


class _Schemas(ConfigSource):
    """No structured configs: a submission that registers some in its own code is not composed
    before that code runs.
    """

    def __init__(self) -> None:
        super().__init__(provider="schema", path="structured://")

    @staticmethod
    def scheme() -> str:
        return "structured"

    def load_config(self, config_path: str) -> ConfigResult:
        raise ConfigLoadError(config_path)

    def is_group(self, config_path: str) -> bool:
        return False

    def is_config(self, config_path: str) -> bool:
        return False

    def available(self) -> bool:
        return True

    def list(self, config_path: str, results_filter: ObjectType | None) -> list[str]:
        return []


class _Memory(IConfigRepository):
    """The submission's YAML texts as Hydra's source of configurations."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files
        self._reader = ConfigRepository.__new__(ConfigRepository)
        self.at_fault: str | None = None
        self._loaded: dict[str, ConfigResult | None] = {}
        self.hydras_own: list[tuple[str, str]] = []
        self.chosen: set[str] = set()

    def merged(self, defaults: Sequence[ResultDefault]) -> DictConfig:
        """The configurations of a defaults list, one over the other."""
        try:
            values: dict[Any, Any] = {}
            for one in defaults:
                values = _over(values, self._in_its_package(one))
            plain: DictConfig = created(values)
        except _Unusual:
            loader = ConfigLoaderImpl.__new__(ConfigLoaderImpl)
            return loader._compose_config_from_defaults_list(list(defaults), self)
        return plain

    def _in_its_package(self, default: ResultDefault) -> dict[Any, Any]:
        """The plain values of a configuration, below the keys at which it lies."""
        loaded = self.load_config(default.config_path or "")
        if loaded is None or not isinstance(loaded.config, DictConfig):
            raise _Unusual
        text = self._files.get(_file(default.config_path or ""), "")
        kept = loaded.config.__dict__["_content"]
        values = {
            key: item for key, item in (yaml_config.values(text) or {}).items() if key in kept
        }
        package = loaded.header["package"] if default.package is None else default.package
        keys = package.split(".") if package else []
        if "hydra" in (keys if keys else values) or not all(map(str.isidentifier, keys)):
            raise _Unusual
        for key in reversed(keys):
            values = {key: values}
        return values

    def load_config(self, config_path: str) -> ConfigResult | None:
        # Hydra too reads each file once: for its defaults list, and then for what it holds.
        if config_path not in self._loaded:
            self._loaded[config_path] = self._load(config_path)
        return self._loaded[config_path]

    def _load(self, config_path: str) -> ConfigResult | None:
        path = _file(config_path)
        if not self.config_exists(config_path):
            return None
        self.at_fault = path if path in self._files else None
        text = self._files.get(path, "")
        try:
            config = yaml_config.load(text)
        except UnreadableYaml as problem:
            raise _Unreadable(path, problem) from None
        result = ConfigResult(
            provider="main",
            path="memory://",
            config=config,
            header=ConfigSource._get_header_dict(text),
        )
        listed = self._reader._extract_defaults_list(config_path, config)
        defaults = self._reader._create_defaults_list(config_path, listed)
        named = {id(item): hydra_schema.group_of(item) for item in defaults}
        kept = [item for item in defaults if not f"{named[id(item)]}/".startswith("hydra/")]
        self.chosen |= {group for group in named.values() if group.startswith("hydra/")}
        if not any(isinstance(item, ConfigDefault) and item.path == "_self_" for item in kept):
            # What Hydra does too, after a warning that would be ours to catch in every thread.
            kept.append(ConfigDefault(path="_self_"))
        result.defaults_list = kept
        if isinstance(config, DictConfig) and "hydra" in config and "/" not in path:
            config.pop("hydra")
            self.hydras_own.append((path.removesuffix(".yaml"), text))
        self.at_fault = None
        return result

    def group_exists(self, config_path: str) -> bool:
        return _is_group(self._files, config_path)

    def config_exists(self, config_path: str) -> bool:
        return _file(config_path) in self._files or config_path == _NO_CONFIG

    def get_group_options(
        self, group_name: str, results_filter: ObjectType | None = ObjectType.CONFIG
    ) -> list[str]:
        folder = f"{group_name.strip('/')}/"
        inside = {path.removeprefix(folder) for path in self._files if path.startswith(folder)}
        configs = {name.removesuffix(".yaml") for name in inside if "/" not in name}
        groups = {name.partition("/")[0] for name in inside if "/" in name}
        wanted = {ObjectType.CONFIG: configs, ObjectType.GROUP: groups}
        return sorted(
            configs | groups if results_filter is None else wanted.get(results_filter, set())
        )

    def get_schema_source(self) -> ConfigSource:
        return _Schemas()

    def get_sources(self) -> list[ConfigSource]:
        return []

    def initialize_sources(self, config_search_path: ConfigSearchPath) -> None:
        """Nothing outside the submission is ever read, whatever search path its configuration asks
        for.
        """


class _Unusual(Exception):
    """What is merged is not only plain values: OmegaConf itself must say what happens to it."""


def _over(below: dict[Any, Any], above: dict[Any, Any]) -> dict[Any, Any]:
    """As OmegaConf merges plain values, in a fraction of its time."""
    made = dict(below)
    for key, value in above.items():
        if type(key) is not str or type(value) not in _PLAIN:
            raise _Unusual
        held = made.get(key)
        if isinstance(held, str) and "${" in held:
            raise _Unusual  # what it leads to may be merged with
        if value == _MISSING and key in made:
            continue
        if isinstance(held, dict) and isinstance(value, dict):
            made[key] = _over(held, value)
        elif {type(held), type(value)} == {dict, list}:
            raise _Unusual
        else:
            made[key] = value
    return made


def _file(config_path: str) -> str:
    path = config_path.strip("/")
    return path if path.endswith(".yaml") else f"{path}.yaml"
