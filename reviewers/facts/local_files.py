"""Which files evaluate.py reads from disk, and whether anything in the submission writes them."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reviewers.facts.python_file import Call, PythonFile, template
from reviewers.facts.templates import may_equal
from reviewers.records import Span
from reviewers.steps import fact

_READING = (
    "omegaconf.OmegaConf.load",
    "torch.load",
    "numpy.load",
    "pandas.read_csv",
    "pandas.read_json",
    "open",
    "pandas.read_parquet",
)
_METHODS = (".read_text", ".read_bytes", ".open")
_NAME = re.compile(
    r"[\w.{}\[\]-]+\.(json|jsonl|ya?ml|csv|pkl|pt|pth|npy|npz|parquet|txt|bin|ckpt)$"
)
# Libraries write these under names of their own.
_LIBRARIES = re.compile(
    r"^(config|tokenizer\w*|special_tokens_map|trainer_state|all_results|adapter_config|generation_config)\.json$"
)
_GUARDS = re.compile(r"exists|is_file|isfile|glob|listdir|iterdir|os\.walk|rglob")


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file that is read: its name as written, with `{}` for changing parts."""

    name: str
    span: Span
    node: ast.Call


class LocalFiles:
    """The reads of one script.

    Args:
        python: the submission's Python files by path.
        reader: the path of the script.
        paths: the submission's own files.
    """

    def __init__(
        self, python: Mapping[str, PythonFile], reader: str, paths: frozenset[str]
    ) -> None:
        self._python = python
        self._file = python.get(reader)
        self._paths = paths

    @fact
    def reads(self) -> tuple[FileRead, ...]:
        """Every read of a file whose name is known."""
        return tuple(self._reads()) if self._file is not None else ()

    def _reads(self) -> Iterator[FileRead]:
        file = self._file
        for call in file.calls_of(*_READING, *_METHODS) if file else ():
            func = call.node.func
            by_method = isinstance(func, ast.Attribute) and func.attr in (
                "read_text",
                "read_bytes",
                "open",
            )
            mode = call.keyword("mode") or (
                call.node.args[0 if by_method else 1]
                if len(call.node.args) > (not by_method)
                else None
            )
            writes = (
                isinstance(mode, ast.Constant)
                and isinstance(mode.value, str)
                and re.search(r"[wax+]", mode.value)
            )
            if file is None or (writes and (call.name == "open" or by_method)):
                continue
            given = (
                func.value
                if by_method and isinstance(func, ast.Attribute)
                else call.node.args[0]
                if call.node.args
                else None
            )
            if given is not None and (name := self._name(file, given, call)) is not None:
                yield FileRead(name, Span(file.path, call.line, call.node.end_lineno), call.node)

    def _name(self, file: PythonFile, node: ast.expr, call: Call) -> str | None:
        """The path's last literal part; None where the path is not known, or leads into the
        submission's own folders.
        """
        texts = [*self._texts(file, node)]
        for name in [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]:
            bound = [
                other.value
                for other in file.nodes
                if isinstance(other, ast.Assign)
                and any(
                    isinstance(target, ast.Name) and target.id == name for target in other.targets
                )
                and file.scope_at(other.lineno) in (call.scope, "")
            ]
            if isinstance(node, ast.Name) and len(bound) != 1:
                return None
            texts += [text for value in bound for text in self._texts(file, value)]
        whole = "/".join(texts)
        last = next(
            (text.rpartition("/")[2] for text in texts if _NAME.search(text.rpartition("/")[2])),
            None,
        )
        is_own = re.search(
            r"(^|/)(config|\.hydra|wandb)(/|$)", whole
        ) is not None or "download" in ast.unparse(node)
        return None if last is None or is_own or _LIBRARIES.match(last) else last

    def _texts(self, file: PythonFile, node: ast.expr) -> Iterator[str]:
        """The literal parts of an expression in order, f-strings with `{}` for their values."""
        inside: set[int] = set()
        for part in ast.walk(node):
            if id(part) in inside:
                continue
            if isinstance(part, ast.JoinedStr):
                inside.update(id(inner) for inner in ast.walk(part))
                yield template(part)
            elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.value

    def never_written(self) -> Iterator[FileRead]:
        """The reads of files that nothing in the submission names, where the code does not ask
        first whether they are there.
        """
        others = [file for file in self._python.values() if file is not self._file]
        if self._file is None or any(file.tree is None for file in others):
            return
        texts = {
            string.value.rpartition("/")[2]
            for file in others
            for string in file.strings
            if not string.is_docstring
        }
        suffixes = {text for text in texts if re.fullmatch(r"\.\w+", text)}
        for read in self.reads:
            own = sum(text.endswith(read.name) for text in self._written_here)
            named = any(may_equal(text, read.name) for text in texts) or any(
                path.endswith(f"/{read.name}") for path in self._paths
            )
            if (
                not named
                and not own
                and not any(read.name.endswith(suffix) for suffix in suffixes)
                and not self._is_asked_for(read)
            ):
                yield read

    @fact
    def _written_here(self) -> tuple[str, ...]:
        """Texts of the script outside its reads: what it may write itself."""
        file = self._file
        reads = {
            line
            for read in self.reads
            for line in range(read.span.line or 0, (read.span.end_line or 0) + 1)
        }
        strings = file.strings if file else ()
        outside = [
            string.value
            for string in strings
            if not string.is_docstring and string.line not in reads
        ]
        calls = (
            file.calls_of(
                ".dump",
                ".save",
                ".savetxt",
                ".to_csv",
                ".write",
                ".write_text",
                ".to_parquet",
                ".to_json",
            )
            if file
            else ()
        )
        return tuple(outside) if any(True for _ in calls) else ()

    def _is_asked_for(self, read: FileRead) -> bool:
        file = self._file
        for around in file.ancestors(read.node) if file else ():
            if isinstance(around, ast.Try) and around.handlers:
                return True
            if isinstance(around, ast.FunctionDef | ast.Module):
                return any(
                    _GUARDS.search(ast.unparse(part))
                    for part in around.body
                    if not isinstance(part, ast.FunctionDef)
                )
        return False
