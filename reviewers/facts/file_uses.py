"""The files that the code writes and reads, each as the path that reaches the call.

A path is a text with `{}` for its unknown parts. If several callers pass a path to a function, each
call is a use of its own.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from reviewers.facts.local_files import LocalFiles
from reviewers.facts.origins import Placed, last_store
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import argument, is_spread, root_of
from reviewers.facts.templates import HOLE
from reviewers.records import Span
from reviewers.steps import fact, spend

# By the last part of the callee's name: which argument is the path, by its place and its keyword.
_WRITES: Mapping[str, tuple[str, int]] = {
    "savefig": ("fname", 0),
    "write_image": ("file", 0),
    "write_html": ("file", 0),
    "imsave": ("fname", 0),
    "to_csv": ("path_or_buf", 0),
    "to_json": ("path_or_buf", 0),
    "to_parquet": ("path", 0),
    "to_pickle": ("path", 0),
    "to_excel": ("excel_writer", 0),
    "to_latex": ("buf", 0),
    "to_markdown": ("buf", 0),
    "to_string": ("buf", 0),
    "to_html": ("buf", 0),
    "save_pretrained": ("save_directory", 0),
    "save_to_disk": ("dataset_path", 0),
    "save_model": ("output_dir", 0),
    "save_image": ("fp", 1),
    "savetxt": ("fname", 0),
    "savez": ("file", 0),
    "savez_compressed": ("file", 0),
    "save_file": ("filename", 1),
}
# What gives the text instead where no path is given.
_GIVE_TEXT = frozenset(
    {"to_csv", "to_json", "to_latex", "to_markdown", "to_string", "to_html", "to_parquet"}
)
_WRITES_BY_NAME: Mapping[str, tuple[str, int]] = {
    "torch.save": ("f", 1),
    "numpy.save": ("file", 0),
    "omegaconf.OmegaConf.save": ("f", 1),
    "joblib.dump": ("filename", 1),
    "shutil.copy": ("dst", 1),
    "shutil.copyfile": ("dst", 1),
    "shutil.copy2": ("dst", 1),
    "shutil.move": ("dst", 1),
    "csv.writer": ("csvfile", 0),
}
_READS_BY_NAME: Mapping[str, tuple[str, int]] = {
    "torch.load": ("f", 0),
    "numpy.load": ("file", 0),
    "numpy.loadtxt": ("fname", 0),
    "omegaconf.OmegaConf.load": ("file_", 0),
    "joblib.load": ("filename", 0),
    "pandas.read_csv": ("filepath_or_buffer", 0),
    "pandas.read_json": ("path_or_buf", 0),
    "pandas.read_parquet": ("path", 0),
    "pandas.read_pickle": ("filepath_or_buffer", 0),
    "pandas.read_excel": ("io", 0),
    "datasets.load_from_disk": ("dataset_path", 0),
    "PIL.Image.open": ("fp", 0),
}
_OWN_WRITES, _OWN_READS = {"write_text", "write_bytes", "touch"}, {"read_text", "read_bytes"}
_MAY_WRITE = re.compile(r"^(save|write|dump|export|download|open|to_)|save$|Trainer$|_writer?$")
_MAY_READ = re.compile(r"^(load|read|open)|^from_(pretrained|file|json|csv|disk)|_load(er)?$")
_MODE_OF_WRITING = re.compile(r"[wax+]")
_DEEPEST = 6  # names that stand for others
_MOST_PATHS = 24  # that one call may be given


@dataclass(frozen=True, slots=True)
class FileUse:
    """A call that writes or reads a file.

    Attributes:
        path: as far as it is known; `{}` alone where nothing of it is.
        is_write: else it is read.
        is_sure: whether the call surely does so; else its name only lets one think so.
    """

    path: str
    node: ast.Call
    span: Span
    scope: str
    is_write: bool
    is_sure: bool = True


class FileUses:
    """The file uses of a submission.

    Args:
        paths: how its paths are read.
    """

    def __init__(self, python: Mapping[str, PythonFile], paths: LocalFiles) -> None:
        self._python = python
        self.paths = paths

    @fact
    def of_calls(self) -> Mapping[ast.Call, tuple[FileUse, ...]]:
        """The uses of each call that has any, in the order of files and text."""
        found: dict[ast.Call, tuple[FileUse, ...]] = {}
        for file in self._python.values():
            for node in file.of(ast.Call):
                if uses := tuple(self._uses(file, node)):
                    found[node] = uses
        return found

    def _uses(self, file: PythonFile, call: ast.Call) -> Iterator[FileUse]:
        name = file.resolve(call.func) or ""
        last = call.func.attr if isinstance(call.func, ast.Attribute) else name
        last = last.rpartition(".")[2]
        known = _known(file, call, name, last)
        if last in _GIVE_TEXT and known[0][0] is None and not is_spread(call):
            return
        span = Span(file.path, call.lineno, call.end_lineno)
        scope = file.scope_at(call.lineno)
        for given, is_write in known:
            paths = self._all(Placed(file, given)) if given is not None else [HOLE]
            for text in dict.fromkeys(paths):
                yield FileUse(text, call, span, scope, is_write)
        if not (known or _is_of_hub(name, call) or name.startswith(_OF_TEXT) or last in _OF_VALUES):
            for is_write, pattern in ((True, _MAY_WRITE), (False, _MAY_READ)):
                if pattern.search(last) and not self.paths.is_local(file, call):
                    yield FileUse(HOLE, call, span, scope, is_write, is_sure=False)

    def _values(self, file: PythonFile, name: ast.Name) -> list[Placed]:
        """What a name may stand for; of a loop, each of the items that are written down."""
        given = self.paths.origins.values(file, name)
        store = last_store(file, name)
        around = file.parents.get(store) if store is not None else None
        if not isinstance(around, (ast.For, ast.comprehension)):
            return given
        items = around.iter.elts if isinstance(around.iter, (ast.List, ast.Tuple)) else []
        return [Placed(file, one) for one in items if around.target is store]

    def _all(self, place: Placed, depth: int = _DEEPEST) -> list[str]:
        """Every path that an expression may be."""
        spend(5)
        match place.node:
            case ast.BinOp(op=ast.Div(), left=left, right=right):
                parts = [self._all(Placed(place.file, one), depth) for one in (left, right)]
                if any(len(one) > 1 for one in parts):
                    pairs = list(product(*parts))[:_MOST_PATHS]
                    return [f"{one.rstrip('/')}/{other}" for one, other in pairs]
            case ast.IfExp(body=body, orelse=orelse):
                return [
                    *self._all(Placed(place.file, body)),
                    *self._all(Placed(place.file, orelse)),
                ]
            case ast.Name() as name:
                given = self._values(place.file, name)
                if given and depth:
                    return [p for one in given[:_MOST_PATHS] for p in self._all(one, depth - 1)]
        return [self.paths.path_of(place)]


_OF_TEXT = ("json.dumps", "json.loads", "json.load", "json.dump", "pickle.", "yaml.", "torch.nn.")
# Methods of values that only look as if they wrote or read a file.
_OF_VALUES = frozenset(
    {"to_container", "to_yaml", "to_dict", "to_list", "to_numpy", "to_tensor", "to_frame"}
    | {"load_state_dict", "load_dotenv", "from_cli", "from_numpy", "from_dict", "from_iterable"}
    | {"save_for_backward", "to_device", "to_dense", "to_absolute_path", "from_tensor_slices"}
    | {"write", "writerow", "writerows", "writeheader", "read", "readline", "readlines"}
)


def _known(
    file: PythonFile, call: ast.Call, name: str, last: str
) -> list[tuple[ast.expr | None, bool]]:
    """The argument that is a path, and whether it is written."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    if name == "open" or (last == "open" and owner is not None and not _is_module(file, owner)):
        path = argument(call, "file", 0) if name == "open" else owner
        mode = argument(call, "mode", int(name == "open"))
        if mode is None or isinstance(mode, ast.Constant):
            word = "r" if mode is None else str(mode.value)
            return [(path, bool(_MODE_OF_WRITING.search(word)))]
    elif last in _OWN_WRITES | _OWN_READS and owner is not None:
        return [(owner, last in _OWN_WRITES)]
    elif name in _WRITES_BY_NAME:
        return [(argument(call, *_WRITES_BY_NAME[name]), True)]
    elif last in _WRITES:
        return [(argument(call, *_WRITES[last]), True)]
    elif name in _READS_BY_NAME:
        return [(argument(call, *_READS_BY_NAME[name]), False)]
    return []


def _is_module(file: PythonFile, owner: ast.expr) -> bool:
    """Whether a name is of an import."""
    root = root_of(owner)
    return isinstance(root, ast.Name) and root.id in file.aliases


def _is_of_hub(name: str, call: ast.Call) -> bool:
    """Whether a call loads a data set that is published, and none of the folder."""
    given = {one.arg for one in call.keywords}
    return name.startswith("datasets.load") and not given & {"data_files", "data_dir"}
