"""The YAML texts of a submission, and the files that are certainly missing."""

import re
from collections.abc import Callable, Collection, Mapping
from functools import cached_property

from reviewers.facts.local_files import LocalFiles

_YAML = (".yaml", ".yml")
_TEXTS = (*_YAML, ".csv", ".json", ".jsonl", ".toml", ".txt")
_KNOWN = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)*")  # neither hidden, nor out of the folder


class SubmittedFiles(dict[str, str]):
    """The YAML texts by path.

    Args:
        texts: those by path.
        paths: every file of the submission.
        uses: tells which files its code writes.
    """

    def __init__(
        self,
        texts: Mapping[str, str],
        paths: Collection[str] = (),
        uses: Callable[[], LocalFiles] | None = None,
    ) -> None:
        super().__init__(texts)
        self._paths = paths
        self._uses = uses

    def lacks(self, path: str) -> bool:
        """Whether a text file is certainly not there when a command begins, nor is put there.

        A folder that the submission does not have may be supplied, unless a configuration file of
        its own is looked for there.
        """
        folder, _, name = path.rpartition("/")
        if self._uses is None or not _KNOWN.fullmatch(path) or not name.endswith(_TEXTS):
            return False
        is_own = folder in self._folders
        if name.endswith(_YAML):
            is_own = is_own or name in self._names or path.partition("/")[0] in self._folders
        return is_own and path not in self._paths and not self._uses().may_be_written(name)

    @cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(path.rpartition("/")[0] for path in self._paths) - {""}

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(path.rpartition("/")[2] for path in self._paths)
