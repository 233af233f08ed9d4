"""The files that a script reads from disk, and whether anything in the submission writes them
there.

A path is a text with `{}` for its unknown parts; `<results>` stands for the results folder that the
contract's commands name.
"""

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from reviewers.facts.local_code import LocalCode
from reviewers.facts.origins import Origins, Placed, Texts, last_store
from reviewers.facts.python_file import Call, PythonFile
from reviewers.facts.python_nodes import argument, last_name
from reviewers.facts.templates import HOLE, may_equal
from reviewers.records import Span
from reviewers.steps import fact, spend

RESULTS = "<results>"
_HANDING = (ast.List, ast.Tuple, ast.Assign, ast.Dict, ast.JoinedStr, ast.BinOp, ast.Constant)
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
    r"^(config|tokenizer\w*|special_tokens_map|trainer_state|all_results|adapter_config|generation_config"
    r"|vocab|wandb-summary|wandb-metadata)\.json$|^(pytorch|adapter)_model\.bin$"
)
_OWN_FOLDER = re.compile(r"(^|/)(config|\.hydra|wandb)(/|$)")
_OUTSIDE = re.compile(r"download|cached_path|\bget_file\b")
_GUARDS = re.compile(r"exists|is_file|isfile|glob|listdir|iterdir|os\.walk|rglob")
_ASKING = frozenset({"exists", "is_file", "isfile", "glob", "rglob", "match", "endswith", "print"})
_SAME_PATH = frozenset({"absolute", "as_posix", "expanduser", "resolve"})
_PATH_CALLS = frozenset(
    {
        *("pathlib.Path", "os.path.join", "str", "os.fspath", "os.path.abspath"),
        *("os.path.expanduser", "os.path.realpath", "hydra.utils.to_absolute_path"),
    }
)
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file that is read.

    Attributes:
        name: the last part of its path; path: all that is known of it.
        asked: whether the code asks first whether it is there, or expects that it is not.
    """

    name: str
    path: str
    span: Span
    node: ast.Call
    asked: bool


@dataclass(frozen=True, slots=True)
class Unwritten:
    """A read of a file that nothing puts where it is looked for.

    Attributes:
        elsewhere: the paths under which the code writes a file of that name; empty if it writes
            none.
        at: the first place that does.
    """

    read: FileRead
    elsewhere: tuple[str, ...] = ()
    at: Span | None = None


class LocalFiles:
    """The reads of one script.

    Args:
        code: the submission's Python files, and what its calls mean.
        reader: the path of the script.
        files: all files of the submission by path, with their texts.
        results: the key or flag by which commands get the folder of results; empty where
            they are not.
    """

    def __init__(
        self,
        python: Mapping[str, PythonFile],
        code: LocalCode,
        reader: str,
        files: Mapping[str, str],
        results: str = "",
    ) -> None:
        self._python = python
        self._file = python.get(reader)
        self._files = files
        self._flag = results
        self._key = results.lstrip("-+").replace("-", "_")
        self.origins = Origins(python, code)
        self._code = code
        self._texts = Texts(self.origins, _LONGEST, HOLE, self._path)
        self._is_handed_on: bool | None = None
        self._written: dict[str, list[tuple[str, Span]]] = {}
        self._loads: dict[str, Mapping[str, list[ast.Name]]] = {}

    def path_of(self, place: Placed) -> str:
        """The path that an expression stands for."""
        return self._texts.of(place)

    def is_local(self, file: PythonFile, call: ast.Call) -> bool:
        """Whether a call reaches a function of the submission."""
        return self._code.target(file, call) is not None

    @fact
    def reads(self) -> tuple[FileRead, ...]:
        """Every read of a file whose name is known."""
        return tuple(self._reads()) if self._file is not None else ()

    def _reads(self) -> Iterator[FileRead]:
        file, asking = self._file, dict[ast.AST, bool]()
        for call in file.calls if file else ():
            if file is None or not _is_read(file, call.node):
                continue
            given = _path_read(call)
            path = self._texts.of(Placed(file, given)) if given else ""
            name = path.rpartition("/")[2]
            known = _NAME.search(name) and name.replace(HOLE, "").strip("._-") != ""
            if not known or _LIBRARIES.match(name) or _OWN_FOLDER.search(path):
                continue
            span = Span(file.path, call.line, call.node.end_lineno)
            yield FileRead(name, path, span, call.node, _is_asked_for(file, call.node, asking))

    def never_written(self) -> Iterator[Unwritten]:
        """The reads of files that nothing in the submission puts there."""
        if self._file is None or any(file.tree is None for file in self._python.values()):
            return
        suffixes = {
            string.value
            for file in self._python.values()
            for string in file.strings
            if re.fullmatch(r"\.\w+", string.value)
        }
        for read in self.reads:
            if any(read.name.endswith(suffix) for suffix in suffixes) or self._comes_along(read):
                continue
            written = self._ways_to_write(read.name)
            paths = dict.fromkeys(path for path, _ in written)
            if not any(may_equal(path, read.path) for path in paths):
                yield Unwritten(read, tuple(paths), written[0][1] if written else None)

    def may_be_written(self, name: str) -> bool:
        """Whether the code does more with a path to a file of this name than to read it."""
        return bool(self._ways_to_write(name))

    def _ways_to_write(self, name: str) -> Sequence[tuple[str, Span]]:
        if name not in self._written:
            self._written[name] = [*self._written_as(name)]
        return self._written[name]

    def _comes_along(self, read: FileRead) -> bool:
        """Whether the submission has the file, or says in another file than code what it is."""
        return any(
            path.endswith(f"/{read.name}")
            or path == read.name
            or (not path.endswith(".py") and read.name in text)
            for path, text in self._files.items()
        )

    def _written_as(self, name: str) -> Iterator[tuple[str, Span]]:
        """The paths of files of this name that are more than read or asked for."""
        for file in self._python.values():
            spend(len(file.strings))
            for literal in file.strings:
                last = literal.value.rpartition("/")[2]
                if not last.strip(HOLE) or literal.is_docstring:
                    continue
                if may_equal(last, name):
                    for used in self._uses_of(file, literal.node):
                        path = self._texts.of(Placed(file, used))
                        yield path, Span(file.path, used.lineno, used.end_lineno)

    def _uses_of(self, file: PythonFile, literal: ast.expr) -> Iterator[ast.expr]:
        """The paths of which a text is part, where they are more than read or asked for."""
        node: ast.expr = literal
        while True:
            around = file.parents.get(node)
            match around:
                case ast.BinOp(op=ast.Div() | ast.Add()) | ast.JoinedStr() | ast.FormattedValue():
                    node = around
                case ast.Call() if file.resolve(around.func) in _PATH_CALLS and node in around.args:
                    node = around
                case ast.Attribute(attr=attr) if attr in _SAME_PATH:
                    outer = file.parents.get(around)
                    node = outer if isinstance(outer, ast.expr) else node
                case _:
                    break
        names = around.targets if isinstance(around, ast.Assign) else []
        if len(names) != 1 or not isinstance(names[0], ast.Name) or file.scopes is None:
            if not _is_only_asked(file, node):
                yield node
            return
        store = names[0]
        if file.path not in self._loads:
            self._loads[file.path] = _loads(file)
        uses = [
            other
            for other in self._loads[file.path].get(store.id, ())
            if store in file.scopes.bindings(other)
        ]
        spend(len(uses))
        if not uses or not all(_is_only_asked(file, use) for use in uses):
            yield node

    # Paths

    def _path(self, place: Placed, text: Callable[[ast.expr], str]) -> str | None:
        """The path of what only here is known to be one."""
        match place.node:
            case ast.BinOp(op=ast.Div(), left=left, right=right):
                return _joined([text(left), text(right)])
            case ast.Attribute(attr=attr) | ast.Subscript(slice=ast.Constant(value=attr)) if (
                attr == self._key and self._is_results()
            ):
                return RESULTS
            case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=key), *_]) if (
                key == self._key and self._is_results()
            ):
                return RESULTS
            case ast.Name() as name:
                store = last_store(place.file, name)
                around = place.file.parents.get(store) if store is not None else None
                if isinstance(around, (ast.For, ast.comprehension)):
                    match around.iter:
                        case ast.Call(func=ast.Attribute(value=owner, attr="iterdir")):
                            return _joined([text(owner), HOLE])
                    return HOLE
            case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if attr in _SAME_PATH:
                return text(owner)
            case ast.Call(func=ast.Attribute(value=owner, attr="joinpath"), args=parts):
                return _joined([text(owner), *map(text, parts)])
            case ast.Call(func=func, args=[_, *_] as parts):
                if place.file.resolve(func) in _PATH_CALLS:
                    return _joined([*map(text, parts)])
        return None

    def _is_results(self) -> bool:
        """Whether the setting is the folder of results of the documented commands: where every
        script hands it on as it is, and nothing sets it.
        """
        if not self._key:
            return False
        if self._is_handed_on is None:
            self._is_handed_on = True  # while it is being computed
            self._is_handed_on = all(
                self._texts.of(Placed(other, given)) == RESULTS
                for other in self._python.values()
                for given in self._handed(other)
            )
        return self._is_handed_on

    def _handed(self, file: PythonFile) -> Iterator[ast.expr]:
        """What a file makes of the setting: words for other scripts, and values of its own."""
        word = re.compile(rf"\+*{re.escape(self._key)}=")
        for node in file.of(*_HANDING):
            match node:
                case ast.List(elts=parts) | ast.Tuple(elts=parts):
                    yield from (
                        value for flag, value in pairwise(parts) if _is_text(flag, self._flag)
                    )
                case ast.Assign(targets=[ast.Attribute(attr=self._key)], value=value):
                    yield value
                case ast.Assign(
                    targets=[ast.Subscript(slice=ast.Constant(value=self._key))], value=value
                ):
                    yield value
                case ast.Dict(keys=keys, values=values):
                    pairs = zip(keys, values, strict=True)
                    yield from (value for key, value in pairs if _is_text(key, self._key))
                case ast.expr() if (handed := _behind(file, node, word)) is not None:
                    yield handed


def _is_text(node: ast.expr | None, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text


def _behind(file: PythonFile, node: ast.expr, word: re.Pattern[str]) -> ast.expr | None:
    """What follows the beginning of a word; all of it where that is more than one part."""
    match node:
        case ast.JoinedStr(values=[ast.Constant(value=str(first)), *rest]) if word.match(first):
            return rest[0] if len(rest) == 1 and word.fullmatch(first) else node
        case ast.BinOp(left=ast.Constant(value=str(first)), right=right) if word.fullmatch(first):
            return right
        case ast.Constant(value=str(text)) if word.match(text) and not word.fullmatch(text):
            return None if isinstance(file.parents.get(node), ast.JoinedStr) else node
    return None


def _loads(file: PythonFile) -> Mapping[str, list[ast.Name]]:
    """Where the code reads each name."""
    found: dict[str, list[ast.Name]] = {}
    for node in file.of(ast.Name):
        if isinstance(node.ctx, ast.Load):
            found.setdefault(node.id, []).append(node)
    return found


def _is_read(file: PythonFile, call: ast.Call) -> bool:
    """Whether a call reads a file, and does not open it to write."""
    name, method = file.resolve(call.func), f".{last_name(call.func)}"
    if name not in _READING and method not in _METHODS:
        return False
    mode = argument(call, "mode", int(name == "open"))
    writes = isinstance(mode, ast.Constant) and re.search(r"[wax+]", str(mode.value))
    return not (method == ".open" and writes)


def _path_read(call: Call) -> ast.expr | None:
    """What a reading call reads; None if that comes from outside."""
    func = call.node.func
    is_method = isinstance(func, ast.Attribute) and f".{func.attr}" in _METHODS
    given = func.value if isinstance(func, ast.Attribute) and is_method else None
    if not is_method:
        given = call.node.args[0] if call.node.args else None
    return None if given is None or _OUTSIDE.search(ast.unparse(given)) else given


def _joined(parts: list[str]) -> str:
    """A path of several parts; an absolute one leaves out what precedes it."""
    whole = ""
    for part in parts:
        absolute = part.startswith(("/", RESULTS))
        whole = part if absolute or not whole else f"{whole.rstrip('/')}/{part}"
    return whole.removeprefix("./")[:_LONGEST]


def _is_only_asked(file: PythonFile, node: ast.expr) -> bool:
    """Whether a path is read here, or the code asks whether it is there, or tells about it."""
    around = file.parents.get(node)
    if isinstance(around, (ast.FormattedValue, ast.Compare)):
        return isinstance(around, ast.Compare) or any(
            isinstance(outer, ast.Raise)
            or (isinstance(outer, ast.Call) and last_name(outer.func) in _ASKING)
            for outer in file.ancestors(around)
        )
    call = file.parents.get(around) if isinstance(around, ast.Attribute) else around
    if not isinstance(call, ast.Call):
        return isinstance(around, ast.Expr)
    if last_name(call.func) in _ASKING:
        return True
    return _is_read(file, call)


def _is_asked_for(file: PythonFile, node: ast.Call, asking: dict[ast.AST, bool]) -> bool:
    """Whether the code expects that a file is not there; `asking` keeps what is known of its
    functions.
    """
    for around in file.ancestors(node):
        if isinstance(around, ast.Try) and around.handlers:
            return True
        if isinstance(around, (ast.FunctionDef, ast.Module)):
            if around not in asking:
                asking[around] = any(
                    _GUARDS.search(ast.unparse(part))
                    for part in around.body
                    if not isinstance(part, ast.FunctionDef)
                )
            return asking[around]
    return False
