"""Selects the files of a folder or archive that belong to the submission. Skipped are files of
tools and runs, data, pictures, arrays and anything else that is not text.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from reviewers.bundles.limits import (
    CACHES,
    ENVIRONMENTS,
    LEFT_BY_TOOLS,
    MAX_BYTES,
    MAX_FILE_BYTES,
    MAX_FILES,
    BundleBudget,
)
from reviewers.bundles.notebook import NOTEBOOK, NotANotebook, code_of
from reviewers.bundles.secrets import BY_NAME, is_secret
from reviewers.records import PassedOver

# Read whatever their bytes are: Python and YAML say themselves what they do not take.
_TEXTS = (".py", ".pyi", ".yaml", ".yml", ".toml", ".cfg", ".ini", ".sh", ".md", ".rst", ".txt")
_CODE = (".py", ".pyi", NOTEBOOK, ".yaml", ".yml", ".toml", ".sh")
_NO_TEXT = (
    *(".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".ico", ".tif", ".tiff", ".pdf", ".eps"),
    *(".npy", ".npz", ".pt", ".pth", ".ckpt", ".bin", ".safetensors", ".onnx", ".h5", ".hdf5"),
    *(".pkl", ".pickle", ".joblib", ".parquet", ".arrow", ".feather", ".mat", ".db", ".sqlite"),
    *(".zip", ".gz", ".tgz", ".bz2", ".xz", ".tar", ".7z", ".whl", ".so", ".pyc", ".dll", ".exe"),
    *(".wav", ".mp3", ".flac", ".mp4", ".avi", ".mov", ".ttf", ".otf", ".woff", ".woff2"),
)
# Passed over where no code is in them; `data` and `logs` are names of packages and configs, too.
_DATA = frozenset(
    {
        *("data", "dataset", "datasets", "checkpoints", "ckpt", "lightning_logs", "log", "logs"),
        *("mlruns", "multirun", "output", "outputs", "result", "results", "wandb"),
    }
)
ENVIRONMENT_MARK = "pyvenv.cfg"
_HEAD = 8_192
_MOST_TOLD = 300
_NOT_TEXT = "not text"
_NO_ROOM = f"more than {MAX_FILES} files or {MAX_BYTES // 1_000_000} MB; code is read first"
_TOO_LARGE = f"larger than {MAX_FILE_BYTES // 1_000_000} MB"


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that may belong to a submission.

    Attributes:
        size: as its place says, which is only a promise.
        read: gives at most so many bytes from its beginning.
    """

    path: str
    size: int
    read: Callable[[int], bytes]


def tool_folder(path: str, environments: Iterable[str] = ()) -> PassedOver | None:
    """Return the outermost part of a path that tools left and nobody wrote, as what is passed over;
    its reason is empty if that is not worth a word.

    Args:
        environments: folders that hold a virtual environment whatever they are called.
    """
    parts = path.split("/")
    for end, part in enumerate(parts, 1):
        folder = "/".join(parts[:end])
        if part in LEFT_BY_TOOLS or part.startswith("._"):
            return PassedOver(folder, "")
        if part in ENVIRONMENTS or folder in environments:
            return PassedOver(f"{folder}/", "a virtual environment")
        if part in CACHES:
            return PassedOver(f"{folder}/", "a cache")
    return None


def read_chosen(
    found: Sequence[FoundFile], passed: Iterable[PassedOver], source: str
) -> tuple[dict[str, bytes], tuple[PassedOver, ...]]:
    """Read the files that belong to the submission; return them by path, and what is passed over.

    Args:
        passed: what was passed over on the way.

    Raises:
        BundleError: too many of the files are code, or too much of it.
    """
    files: dict[str, bytes] = {}
    told = [each for each in passed if each.reason]
    budget = BundleBudget(source)
    folders = _data_folders([each.path for each in found])
    in_folder: dict[str, list[FoundFile]] = {}
    notebooks = MAX_BYTES
    names = {each.path for each in found}
    for each in sorted(found, key=lambda each: (not each.path.endswith(_CODE), each.path)):
        path = each.path
        if (folder := next((name for name in _folders(path) if name in folders), None)) is not None:
            in_folder.setdefault(folder, []).append(each)
        elif is_secret(path):
            told.append(PassedOver(path, BY_NAME, each.size))
        elif path.endswith(NOTEBOOK):
            data = each.read(notebooks + 1)
            notebooks -= len(data)
            if notebooks < 0:
                notebooks = 0
                told.append(PassedOver(path, "a notebook too large to be read", each.size))
                continue
            _notebook(path, data, names, files, told)
            if (code := files.get(f"{path}.py")) is not None:
                budget.add(path, len(code))
        elif not path.endswith(_TEXTS) and (
            path.endswith(_NO_TEXT) or is_binary(path, each.read(_HEAD))
        ):
            told.append(PassedOver(path, _NOT_TEXT, each.size))
        elif each.size > MAX_FILE_BYTES and not path.endswith(_TEXTS):
            told.append(PassedOver(path, _TOO_LARGE, each.size))
        elif not path.endswith(_CODE) and not budget.takes(each.size):
            told.append(PassedOver(path, _NO_ROOM, each.size))
        else:
            files[path] = each.read(budget.room + 1)
            budget.add(path, len(files[path]))
    for folder, inside in in_folder.items():
        size = sum(each.size for each in inside)
        told.append(PassedOver(folder, f"a data folder without code, {len(inside):,} files", size))
    return files, _bounded(told)


def without_binaries(
    files: Mapping[str, bytes],
) -> tuple[dict[str, bytes], tuple[PassedOver, ...]]:
    """Return those of the files that are text, notebooks as their code, and the others."""
    kept: dict[str, bytes] = {}
    told: list[PassedOver] = []
    for path, data in files.items():
        if path.endswith(NOTEBOOK):
            _notebook(path, data, files, kept, told)
        elif is_binary(path, data[:_HEAD]):
            told.append(PassedOver(path, _NOT_TEXT, len(data)))
        else:
            kept[path] = data
    return kept, _bounded(told)


def is_binary(path: str, head: bytes) -> bool:
    """Whether a file that begins so is not text, and is not meant to be."""
    return b"\0" in head and not path.endswith(_TEXTS)


def _notebook(
    path: str,
    data: bytes,
    names: Collection[str],
    files: dict[str, bytes],
    told: list[PassedOver],
) -> None:
    if f"{path}.py" in names:
        told.append(PassedOver(path, f"not read, since {path}.py is there", len(data)))
        return
    try:
        code, cells = code_of(data)
    except NotANotebook as problem:
        told.append(PassedOver(path, str(problem), len(data)))
        return
    files[f"{path}.py"] = code
    told.append(PassedOver(path, f"a notebook; its {cells} code cells are {path}.py", len(data)))


def _folders(path: str) -> list[str]:
    """The folders of a path, the outermost first, each with a slash at its end."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:end]) + "/" for end in range(1, len(parts) + 1)]


def _data_folders(paths: Sequence[str]) -> set[str]:
    """The folders with a name of data in which no code is."""
    with_code = {folder for path in paths if path.endswith(_CODE) for folder in _folders(path)}
    every = {folder for path in paths for folder in _folders(path)}
    return {each for each in every - with_code if each.split("/")[-2].lower() in _DATA}


def _bounded(told: Sequence[PassedOver]) -> tuple[PassedOver, ...]:
    """As many as a person would look at; the last one says how many more there are."""
    if len(told) <= _MOST_TOLD:
        return tuple(told)
    more = told[_MOST_TOLD:]
    sizes = [each.size for each in more if each.size is not None]
    return (*told[:_MOST_TOLD], PassedOver("…", f"{len(more):,} more of such", sum(sizes)))
