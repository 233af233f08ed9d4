"""What Hydra rejects in its own node: `hydra: …` in the configuration, `hydra.…` on the command
line.

Hydra merges both into its structured configuration before the entry function starts, so an unknown
key or a value of another type ends the command. The nodes of plugins have a schema only as long as
none of them is selected.
"""

import copy
import re
from collections.abc import Sequence, Set
from functools import lru_cache
from typing import cast

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.core_plugins.basic_launcher import BasicLauncherConf
from hydra._internal.core_plugins.basic_sweeper import BasicSweeperConf
from hydra.conf import HydraConf
from hydra.core.default_element import GroupDefault
from hydra.core.override_parser.types import Override
from hydra.errors import ConfigCompositionException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from reviewers.facts import yaml_config

_BASIC = {"launcher": BasicLauncherConf, "sweeper": BasicSweeperConf}
_KEY = re.compile(r"^\s*full_key: (\S+)", re.MULTILINE)


def check_configuration(
    texts: Sequence[tuple[str, str]], chosen: Set[str], words: Sequence[Override]
) -> None:
    """Merge the nodes into Hydra's schema, as Hydra would.

    Args:
        texts: name and text of each configuration with such a node, in the order of the merge.
        chosen: the groups of Hydra that the defaults choose, such as `hydra/sweeper`.
        words: the command line's words about Hydra; they choose too.

    Raises:
        ConfigCompositionException: Hydra refuses a node.
    """
    refused = _refused(tuple(texts), _all_chosen(chosen, words)) if texts else None
    if refused is not None:
        raise ConfigCompositionException(refused)


def merged(
    texts: Sequence[tuple[str, str]], chosen: Set[str], words: Sequence[Override]
) -> DictConfig:
    """Hydra's own node, of the nodes, which must be sound by themselves, and the words.

    Raises:
        ConfigCompositionException: Hydra refuses a word.
    """
    # Not in struct mode: what logging and help hold comes from Hydra's own files.
    config = OmegaConf.create({"hydra": _schema(_all_chosen(chosen, words))})
    for _, text in texts:
        config.merge_with({"hydra": cast("DictConfig", yaml_config.load(text))["hydra"]})
    values = [word for word in words if "/" not in word.key_or_group and not word.is_delete()]
    ConfigLoaderImpl._apply_overrides_to_config(values, config)
    return cast("DictConfig", config.hydra)


def _all_chosen(chosen: Set[str], words: Sequence[Override]) -> frozenset[str]:
    return frozenset(chosen) | {word.key_or_group for word in words if "/" in word.key_or_group}


def key_of(error: BaseException) -> str | None:
    """The dotted key that an error of OmegaConf is about."""
    found = _KEY.search(str(error)) or _KEY.search(str(error.__cause__))
    return found[1] if found else None


@lru_cache(maxsize=256)
def _refused(texts: tuple[tuple[str, str], ...], chosen: frozenset[str]) -> str | None:
    config = OmegaConf.create({"hydra": _schema(chosen)})
    for name, text in texts:
        try:
            config.merge_with({"hydra": cast("DictConfig", yaml_config.load(text))["hydra"]})
        except OmegaConfBaseException as error:
            return f"In '{name}': {type(error).__name__} raised while composing config:\n{error}"
    return None


def _schema(chosen: frozenset[str]) -> DictConfig:
    schema = copy.deepcopy(_EMPTY)
    for name, basic in _BASIC.items():
        if f"hydra/{name}" not in chosen:
            schema[name] = basic
    return schema


_EMPTY: DictConfig = OmegaConf.structured(HydraConf)


def group_of(item: object) -> str:
    """The group of Hydra that an item of a defaults list chooses."""
    named = item.group if isinstance(item, GroupDefault) else getattr(item, "path", None)
    return (named or "").lstrip("/")
