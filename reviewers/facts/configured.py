"""The values that reads of the configuration give on every start."""

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from omegaconf import DictConfig, OmegaConf

from reviewers.facts.config_flow import PassedValues
from reviewers.facts.config_reads import ConfigReads
from reviewers.facts.python_file import PythonFile
from reviewers.facts.start import Start
from reviewers.records import Span
from reviewers.steps import fact

_CHANGES = frozenset({f"omegaconf.OmegaConf.{name}" for name in ("update", "merge")})


class Configured:
    """Answers for one submission.

    Args:
        python: its Python files by path.
        reads: which keys its code reads.
        starts: what Hydra composes.
    """

    def __init__(
        self, python: Mapping[str, PythonFile], reads: ConfigReads, starts: Sequence[Start]
    ) -> None:
        self._python = python
        self._reads = reads
        self._starts = starts

    def values(self, file: PythonFile, node: ast.expr) -> list[object]:
        """What a read of the configuration gives, for each start; empty if that is not known:
        for what is not in each composed configuration, or is set by code.
        """
        span = Span(file.path, node.lineno, node.end_lineno)
        sure = {one.key for one in self._reads.reads if one.span == span and one.is_root_sure}
        sections = self._reads.sections(file, node)
        configs = self._composed
        if not sections or len(configs) < len(self._starts):
            return []
        found: list[object] = []
        for path in sections:
            if ".".join(path) not in sure or not path or {"*", path[-1]} & self._keys_set:
                return []
            for config in configs:
                held: Any = config
                for part in path:
                    held = held.get(part) if isinstance(held, dict) else None
                if held is None or "${" in str(held):
                    return []
                found.append(held)
        return found

    @fact
    def _composed(self) -> list[Any]:
        starts = [one.composed for one in self._starts]
        known = [one for one in starts if isinstance(one, DictConfig)]
        return [OmegaConf.to_container(one, resolve=False) for one in known]

    @fact
    def _keys_set(self) -> set[str]:
        """The last parts of the keys that code gives a value; `*` where it changes a section."""
        found: set[str] = set()
        sections = self._reads.sections
        kinds = ast.Call, ast.Attribute, ast.Subscript
        for file, node in ((one, node) for one in self._python.values() for node in one.of(*kinds)):
            match node:
                case ast.Call(func=func) if file.resolve(func) in _CHANGES:
                    found.add("*")
                case ast.Attribute(value=owner, attr="update" | "merge_with") if sections(
                    file, owner
                ):
                    found.add("*")
                case ast.Attribute(value=owner, attr=key, ctx=ast.Store()) if sections(file, owner):
                    found.add(key)
                case ast.Subscript(value=owner, slice=key, ctx=ast.Store()) if sections(
                    file, owner
                ):
                    found.add(str(key.value) if isinstance(key, ast.Constant) else "*")
        return found


def given_on_starts(
    passed: Mapping[ast.Call, Sequence[tuple[object, PassedValues]]], call: ast.Call, node: ast.expr
) -> list[object]:
    """What an argument of a call was found to be on each start; empty where one is not known."""
    place = call.args.index(node) if node in call.args else None
    word = next((one.arg for one in call.keywords if one.value is node), None) or ""
    found: list[object] = []
    for _, given in passed.get(call, ()):
        if place is not None and place < len(given.positional):
            found.append(given.positional[place])
        elif word in given.keywords:
            found.append(given.keywords[word])
    is_known = all(isinstance(one, str | int | float | None) for one in found)
    return found if is_known else []
