"""YAML as OmegaConf reads it, each text parsed once: a submission's few files are composed again
and again for its runs.
"""

import copy
import pickle
from functools import lru_cache
from typing import Any

from omegaconf import DictConfig, ListConfig, OmegaConf
from omegaconf._utils import get_yaml_loader
from omegaconf.errors import OmegaConfBaseException

from reviewers.bundles.yaml_text import UNREADABLE, load_yaml, raised_text


class UnreadableYaml(Exception):
    """OmegaConf cannot read the text; the message says why, in one line.

    Attributes:
        line: 1-based, where it stumbles; None where that is not known.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


@lru_cache(maxsize=128)
def _parsed(text: str) -> Any:
    read = load_yaml(text, get_yaml_loader())
    if read.problem is not None:
        return UnreadableYaml(read.problem.raised or str(read.problem), read.problem.line)
    return read.value


def size(text: str) -> int:
    """Number of values that a text holds, aliases written out; 0 where it cannot be read."""
    values = _parsed(text)
    return 0 if isinstance(values, UnreadableYaml) else _count(values)


def _count(value: Any) -> int:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_count, parts))


def plain_values(text: str) -> Any:
    """Return the values of a text as PyYAML reads them, of which every caller has a copy; None
    where it cannot be read.
    """
    found = _read_plainly(text)
    return copy.deepcopy(found) if isinstance(found, dict | list) else found


@lru_cache(maxsize=128)
def _read_plainly(text: str) -> Any:
    return None if isinstance(_parsed(text), UnreadableYaml) else load_yaml(text).value


def values(text: str) -> Any:
    """Return the plain values of a text, None where it cannot be read; they are shared, and must
    not be changed.
    """
    found = _parsed(text)
    return None if isinstance(found, UnreadableYaml) else found


def problem(text: str) -> UnreadableYaml | None:
    """Say why OmegaConf would not read a text, without building anything of it; None where it
    would.
    """
    values = _parsed(text)
    if isinstance(values, UnreadableYaml):
        return values
    if values is not None and not isinstance(values, dict | list):
        return UnreadableYaml(
            f"it holds one plain value of type {type(values).__name__}, no mapping"
        )
    return None


def load(text: str) -> DictConfig | ListConfig:
    """Return a configuration of its own, as `OmegaConf.load` would of a file with this text.

    Raises:
        UnreadableYaml: it is no YAML, holds a key twice, or is no mapping or list.
    """
    made: DictConfig | ListConfig = pickle.loads(_frozen(text))  # noqa: S301  bytes that were made here, a moment ago
    return made


def copied(config: DictConfig) -> DictConfig:
    """Return a copy that shares nothing, flags included; three times as fast as `config.copy()`."""
    made: DictConfig = pickle.loads(pickle.dumps(config, pickle.HIGHEST_PROTOCOL))  # noqa: S301  as above
    return made


@lru_cache(maxsize=128)
def _frozen(text: str) -> bytes:
    """The configuration of a text as bytes: thawed ten times as fast as built again, and threads
    may share them.
    """
    values = _parsed(text)
    if (unreadable := problem(text)) is not None:
        raise unreadable
    try:
        return pickle.dumps(
            OmegaConf.create(values if values is not None else {}), pickle.HIGHEST_PROTOCOL
        )
    except (OmegaConfBaseException, *UNREADABLE) as error:
        words = " ".join(str(error).split())[:300]
        is_told = isinstance(error, OmegaConfBaseException)
        raise UnreadableYaml(words if is_told else raised_text(error)) from None
