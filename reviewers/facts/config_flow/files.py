"""Paths, and the submission's own YAML files as code reads them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from reviewers.facts import yaml_config
from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.values import UNKNOWN, Opened, ProblemKind, SomePath, Value
from reviewers.facts.yaml_config import UnreadableYaml


class Follower(Protocol):
    """What is needed of the one that follows the code; `moved` says that the process is in Hydra's
    output folder.
    """

    yaml_files: Mapping[str, str]
    moved: bool


_Keywords = Mapping[str, Value]


def path_of(value: Value) -> SomePath | None:
    """The path that a value stands for; None where it is none, or leads outside the submission."""
    if isinstance(value, SomePath):
        return value
    return (
        SomePath((), here=True).joined(value)
        if isinstance(value, str) and not value.startswith("/")
        else None
    )


def _path(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    path = path_of(args[0]) if args else SomePath((), here=True)
    for more in args[1:]:
        if path is None or not isinstance(more, str | SomePath):
            return UNKNOWN
        path = path.joined(str(more))
    return UNKNOWN if path is None else path


def _from_start(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    """`to_absolute_path` and `get_original_cwd`."""
    path = path_of(args[0]) if args else SomePath(())
    return UNKNOWN if path is None else SomePath(path.parts)


def _folder(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    path = path_of(args[0]) if args else None
    return UNKNOWN if path is None else SomePath(path.parts[:-1], path.here)


def _text_at(follower: Follower, path: SomePath) -> str | None:
    """The YAML text that lies at a path.

    Raises:
        AccessError: it lies there no more, since Hydra has changed the directory.
    """
    parts = path.parts[path.parts.index("config") :] if "config" in path.parts else path.parts
    text = follower.yaml_files.get("/".join(parts))
    if text is not None and follower.moved and path.here:
        said = (
            f"[Errno 2] No such file or directory: '{path}', for Hydra has changed into its"
            " outputs/… folder"
        )
        raise AccessError(ProblemKind.MISSING_FILE, "FileNotFoundError", said, str(path))
    return text


def _load(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    given = args[0] if args else keywords.get("file_", UNKNOWN)
    path = path_of(given)
    if not isinstance(given, Opened) and (path is None or not path.parts):
        return UNKNOWN
    text = (
        given.text
        if isinstance(given, Opened)
        else _text_at(follower, path)
        if path is not None
        else None
    )
    if text is None and path is not None:
        if path.parts[0] == "config" and path.parts[-1].endswith((".yaml", ".yml")):
            raise AccessError(
                ProblemKind.MISSING_FILE,
                "FileNotFoundError",
                f"No such file or directory: '{path}'",
                str(path),
            )
        return UNKNOWN
    try:
        return yaml_config.load(text or "")
    except UnreadableYaml:
        return UNKNOWN


def _open(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    path = path_of(args[0]) if args else None
    text = _text_at(follower, path) if path is not None and path.parts else None
    return UNKNOWN if text is None else Opened(text)


def _yaml(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    """What PyYAML makes of a text, which reads `1e-4` as a text where OmegaConf reads a number."""
    text = args[0].text if args and isinstance(args[0], Opened) else args[0] if args else UNKNOWN
    values = yaml_config.plain_values(text) if isinstance(text, str) else None
    return UNKNOWN if values is None else values


def method(follower: Follower, owner: SomePath, name: str, args: Sequence[Value]) -> Value:
    """A method of a path."""
    match name:
        case "resolve" | "absolute" | "expanduser":
            return owner
        case "joinpath":
            return _path(follower, [owner, *args], {})
        case "exists" | "is_file":
            return _exists(follower, [owner], {})
        case "open":
            return _open(follower, [owner], {})
        case "read_text":
            opened = _open(follower, [owner], {})
            return opened.text if isinstance(opened, Opened) else UNKNOWN
        case "as_posix":
            return owner
    return UNKNOWN


def _exists(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    path = path_of(args[0]) if args else None
    try:
        return UNKNOWN if path is None or _text_at(follower, path) is None else True
    except AccessError:
        return False


KNOWN: Mapping[str, Callable[[Follower, Sequence[Value], _Keywords], Value]] = {
    "hydra.utils.get_original_cwd": _from_start,
    "hydra.utils.to_absolute_path": _from_start,
    "omegaconf.OmegaConf.load": _load,
    "open": _open,
    "os.getcwd": _path,
    "os.path.abspath": _path,
    "os.path.dirname": _folder,
    "os.path.exists": _exists,
    "os.path.isfile": _exists,
    "os.path.join": _path,
    "os.path.normpath": _path,
    "os.path.realpath": _path,
    "pathlib.Path": _path,
    "pathlib.Path.cwd": _path,
    "yaml.full_load": _yaml,
    "yaml.load": _yaml,
    "yaml.safe_load": _yaml,
}
