"""Paths, and configuration files as code reads and writes them."""

import fnmatch
import json
from collections.abc import Callable, Mapping, Sequence

from omegaconf import DictConfig, ListConfig, OmegaConf

from reviewers.facts import yaml_config
from reviewers.facts.config_flow import access
from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.follower import Follower
from reviewers.facts.config_flow.members import above
from reviewers.facts.config_flow.values import (
    UNKNOWN,
    Dumped,
    Opened,
    PartlyKnown,
    ProblemKind,
    SomePath,
    Value,
)
from reviewers.facts.placed import place_of, placed
from reviewers.facts.yaml_config import UnreadableYaml
from reviewers.records import Span

# Where Hydra before 1.2 runs a function: a folder of its own, without the submission's files.
OUTPUTS = "outputs/…"
_HOLE = "{}"  # what is not known of a path
_LONGEST = 100_000  # characters of a JSON text
_Keywords = Mapping[str, Value]


def path_of(value: Value) -> SomePath | None:
    """The path that a value stands for; None where it is none."""
    if isinstance(value, SomePath):
        return value
    if isinstance(value, Opened):
        return value.path
    text = value.text if isinstance(value, PartlyKnown) else value
    # A path that is not wholly known is still the same one where it is handed on.
    return SomePath((), here=True).joined(text) if isinstance(text, str) else None


def _path(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    path = path_of(args[0]) if args else SomePath((), here=True)
    for part in args[1:]:
        more = part.text if isinstance(part, PartlyKnown) else part
        if path is None or not isinstance(more, str | SomePath):
            return UNKNOWN
        path = path.joined(str(more))
    return UNKNOWN if path is None else path


def _from_start(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    """`to_absolute_path` and `get_original_cwd`."""
    path = path_of(args[0]) if args else SomePath(())
    if path is None:
        return UNKNOWN
    return path if path.is_absolute else within(follower.origin, path)


def _folder(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    path = path_of(args[0]) if args else None
    return UNKNOWN if path is None else above(path)


def _content(follower: Follower, path: SomePath) -> Value:
    """What lies at a path: a text, or what was made of a value; None where nothing is known to.

    Raises:
        AccessError: it does not lie there, since Hydra has changed the directory, or since the path
            leads into another folder of the submission.
    """
    if path.parts in follower.written:
        return follower.written[path.parts]
    if path.is_absolute:
        return None
    meant = _meant(follower, path)
    place = from_root(follower, path)
    text = follower.yaml_files.get(meant or "")
    found = None if text is None or meant is None else placed(text, Span(meant))
    if meant is None or place is None or place.replace(_HOLE, "*") == meant:
        return found
    said = f"[Errno 2] No such file or directory: '{path}'"
    if place.startswith(OUTPUTS):
        said += f", for Hydra has changed into its {OUTPUTS} folder"
    raise AccessError(
        ProblemKind.MISSING_FILE,
        "FileNotFoundError",
        said,
        str(path),
        instead=UNKNOWN if found is None else found,
    )


def _meant(follower: Follower, path: SomePath) -> str | None:
    """The file that a path means, wherever it leads: with its folder, for names alone repeat. A
    pattern where a part of it is not known, and None where no file fits.
    """
    for at in range(max(len(path.parts) - 1, 1)):
        name = "/".join(path.parts[at:]).replace(_HOLE, "*")
        is_known = name[:1] != "*"
        if is_known and (name in follower.yaml_files or fnmatch.filter(follower.yaml_files, name)):
            return name
    return None


def from_root(follower: Follower, path: SomePath) -> str | None:
    """A path as it is from the submission's root; None where that is not known."""
    if path.is_absolute or not path.here:
        return str(path)
    return None if follower.folder is None else str(within(follower.folder, path))


def within(folder: str, path: SomePath) -> SomePath:
    """A relative path below a folder."""
    return SomePath(()).joined(folder).joined(str(path))


def _load(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    given = args[0] if args else keywords.get("file_", UNKNOWN)
    path = path_of(given)
    if path is None or not path.parts:
        return UNKNOWN
    try:
        content = given.content if isinstance(given, Opened) else _content(follower, path)
    except AccessError as error:
        error.instead = _loaded(error.instead)
        raise
    if isinstance(content, Dumped):
        stored = access.storable(content.value)
        return UNKNOWN if isinstance(stored, str) else OmegaConf.create(stored)
    is_known = "{}" not in str(path)
    if (
        content is None
        and is_known
        and path.parts[0] == "config"
        and str(path).endswith((".yaml", ".yml"))
    ):
        raise AccessError(
            ProblemKind.MISSING_FILE,
            "FileNotFoundError",
            f"No such file or directory: '{path}'",
            str(path),
        )
    return _loaded(content)


def _loaded(content: Value) -> Value:
    try:
        return yaml_config.load(str(content)) if isinstance(content, str) else UNKNOWN
    except UnreadableYaml as error:
        is_yaml = yaml_config.plain_problem(str(content)) is None and error.line is None
        raise _refused(error, content, "OSError" if is_yaml else "YAMLError") from None


def _refused(problem: UnreadableYaml, content: Value, error: str) -> AccessError:
    return AccessError(ProblemKind.UNREADABLE_FILE, error, str(problem), "", content)


def _open(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    path = path_of(args[0]) if args else None
    if path is None or not path.parts:
        return UNKNOWN
    mode = args[1] if len(args) > 1 else keywords.get("mode", "r")
    if isinstance(mode, str) and set(mode) & set("wx"):
        _write(follower, path, "")
        return Opened(path)
    if isinstance(mode, str) and set(mode) & set("a+"):
        _write(follower, path, UNKNOWN)
        return UNKNOWN
    try:
        content = _content(follower, path)
    except AccessError as error:
        error.instead = Opened(path, error.instead)
        raise
    if mode not in ("r", "rt", "rb") or not isinstance(content, str | Dumped):
        return UNKNOWN
    return Opened(path, content)


def _taken_away(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    """What removes or moves files: what lies at these paths, and below them, is not known."""
    for path in filter(None, map(path_of, args)):
        for parts in [path.parts, *follower.written]:
            if parts[: len(path.parts)] == path.parts:
                follower.written[parts] = UNKNOWN
    return UNKNOWN


def _temporary(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    """A file of which only the code knows the name."""
    ending = keywords.get("suffix", "")
    path = _new_path(follower, ending if isinstance(ending, str) else "")
    _write(follower, path, "")
    return Opened(path)


def _temporary_folder(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    path = _new_path(follower, "")
    _write(follower, path, UNKNOWN)
    return path


def _new_path(follower: Follower, ending: str) -> SomePath:
    return SomePath(("/", "tmp", f"{len(follower.written)}{ending}"))


def _write(follower: Follower, path: SomePath, content: Value) -> None:
    """Keep what is written; where it may not be, nobody knows what lies there."""
    follower.written[path.parts] = UNKNOWN if follower.may_not_happen else content


def _add(follower: Follower, opened: Opened, content: Value) -> None:
    before = follower.written.get(opened.path.parts)
    _write(follower, opened.path, content if before == "" else UNKNOWN)


def _yaml(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    """What PyYAML makes of a text, which reads `1e-4` as a text where OmegaConf reads a number."""
    return _document(follower, args[0] if args else keywords.get("stream"), as_json=False)


def _json(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    return _document(follower, args[0] if args else UNKNOWN, as_json=True)


def _document(follower: Follower, given: Value, *, as_json: bool) -> Value:
    content = given.content if isinstance(given, Opened) else given
    if isinstance(content, Dumped):
        return snapshot(content.value)
    if not isinstance(content, str):
        return UNKNOWN
    if as_json and len(content) <= _LONGEST:
        try:
            json.loads(content)
        except RecursionError:
            return UNKNOWN
        except ValueError as error:
            said = str(error).splitlines()[0]
            raise AccessError(
                ProblemKind.INVALID_VALUE, "JSONDecodeError", said, "", content
            ) from None
    place = place_of(content)
    file = place.file if isinstance(place, Span) else ""
    values = yaml_config.plain_values(str(content), file, as_json=as_json)
    follower.spend(access.size(values))
    if values is None and (problem := yaml_config.plain_problem(str(content))) and not as_json:
        raise _refused(problem, content, "YAMLError")
    return UNKNOWN if values is None else values


def snapshot(value: Value) -> Value:
    """The value as it is now, whatever becomes of the containers that it is made of."""
    if isinstance(value, DictConfig | ListConfig):
        return access.plain(value)
    if isinstance(value, dict):
        return {key: snapshot(item) for key, item in value.items()}
    return [snapshot(item) for item in value] if isinstance(value, list | tuple) else value


def _dump(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    """`yaml.dump(value, stream)`, and `json.dump`, which always has one."""
    made = Dumped(snapshot(args[0])) if args else Dumped(UNKNOWN)
    stream = args[1] if len(args) > 1 else keywords.get("stream", keywords.get("fp"))
    if isinstance(stream, Opened):
        _add(follower, stream, made)
    return made if stream is None else None


def _save(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    """`OmegaConf.save(config, place)`."""
    to = args[1] if len(args) > 1 else keywords.get("f")
    path = path_of(to)
    if args and path is not None:
        _write(follower, path, Dumped(snapshot(args[0])))
    return None


def _copied(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    """`shutil.copy(from, to)`; into a folder the name stays.

    Raises:
        AccessError: the file would be copied onto itself.
    """
    names = ("src", "dst")[len(args) :]
    given = [*args[:2], *(keywords[name] for name in names if name in keywords)]
    source, target = [path_of(value) for value in given] if len(given) == 2 else (None, None)
    if source is None or target is None:
        return given[1] if len(given) == 2 else UNKNOWN
    inside = SomePath((*target.parts, *source.parts[-1:]), target.here)
    # What is not known of a path may differ, except where one value is given twice.
    if given[0] is given[1] or ("{}" not in str(source) and source in (target, inside)):
        cause = next((value for value in given if place_of(value) is not None), None)
        shown = str(source).replace("{}", "…")
        said = f"{shown!r} and {shown!r} are the same file"
        raise AccessError(ProblemKind.SAME_FILE, "shutil.SameFileError", said, "", cause)
    content = _content(follower, source)
    for path in (target, inside):
        _write(follower, path, UNKNOWN if content is None else content)
    return given[1]


def _listed(follower: Follower, folder: Value, pattern: Value) -> Value:
    """The paths of configuration files in a folder; UNKNOWN where others may be among them."""
    path = path_of(folder)
    if path is None or not isinstance(pattern, str) or not pattern.endswith((".yaml", ".yml")):
        return UNKNOWN
    follower.spend(len(follower.written) + len(follower.yaml_files))
    names = {*follower.written, *(tuple(name.split("/")) for name in follower.yaml_files)}
    found = [
        SomePath(parts, path.here)
        for parts in sorted(names)
        if parts[:-1] == path.parts and fnmatch.fnmatchcase(parts[-1], pattern)
    ]
    return found or UNKNOWN


def _globbed(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    path = path_of(args[0]) if args else None
    if path is None or not path.parts or keywords:
        return UNKNOWN
    return _listed(follower, SomePath(path.parts[:-1], path.here), path.parts[-1])


def method(
    follower: Follower, owner: SomePath, name: str, args: Sequence[Value], keywords: _Keywords
) -> Value:
    """A method of a path."""
    match name:
        case "resolve" | "absolute" | "expanduser" | "as_posix":
            return owner
        case "joinpath":
            return _path(follower, [owner, *args], {})
        case "exists" | "is_file":
            return _exists(follower, [owner], {})
        case "with_suffix" if args and isinstance(args[0], str) and owner.parts:
            stem = owner.parts[-1].rpartition(".")[0] or owner.parts[-1]
            return SomePath((*owner.parts[:-1], stem + args[0]), owner.here)
        case "with_name" if args and isinstance(args[0], str) and owner.parts:
            return SomePath((*owner.parts[:-1], args[0]), owner.here)
        case "glob" if args:
            return _listed(follower, owner, args[0])
        case "open":
            return _open(follower, [owner, *args], keywords)
        case "read_text" | "read_bytes":
            try:
                opened = _open(follower, [owner], {})
            except AccessError as error:
                error.instead = error.instead.content
                raise
            return opened.content if isinstance(opened, Opened) else UNKNOWN
        case "unlink" | "rename" | "replace":
            return _taken_away(follower, [owner, *args], keywords)
        case "write_text" | "write_bytes" if args:
            _write(follower, owner, args[0])
    return UNKNOWN


def method_of_open(
    follower: Follower, owner: Opened, name: str, args: Sequence[Value], keywords: _Keywords
) -> Value:
    """A method of an open file."""
    if name == "read" and not args and owner.content is not None:
        return owner.content
    if name in ("write", "writelines") and owner.content is None:
        _add(follower, owner, args[0] if args and name == "write" else UNKNOWN)
    return UNKNOWN


def _exists(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    path = path_of(args[0]) if args else None
    try:
        return UNKNOWN if path is None or _content(follower, path) in (None, UNKNOWN) else True
    except AccessError:
        return False


KNOWN: Mapping[str, Callable[[Follower, Sequence[Value], _Keywords], Value]] = {
    "glob.glob": _globbed,
    "hydra.utils.get_original_cwd": _from_start,
    "hydra.utils.to_absolute_path": _from_start,
    "json.dump": _dump,
    "json.dumps": _dump,
    "json.load": _json,
    "json.loads": _json,
    "omegaconf.OmegaConf.load": _load,
    "omegaconf.OmegaConf.save": _save,
    "omegaconf.OmegaConf.to_yaml": _dump,
    "open": _open,
    "os.getcwd": _path,
    **dict.fromkeys(
        ("os.remove", "os.rename", "os.replace", "os.unlink", "shutil.move", "shutil.rmtree"),
        _taken_away,
    ),
    "os.path.abspath": _path,
    "os.path.dirname": _folder,
    "os.path.exists": _exists,
    "os.path.isfile": _exists,
    "os.path.join": _path,
    "os.path.normpath": _path,
    "os.path.realpath": _path,
    "pathlib.Path": _path,
    "pathlib.Path.cwd": _path,
    "shutil.copy": _copied,
    "shutil.copy2": _copied,
    "shutil.copyfile": _copied,
    "tempfile.NamedTemporaryFile": _temporary,
    "tempfile.TemporaryDirectory": _temporary_folder,
    "tempfile.mkdtemp": _temporary_folder,
    "yaml.dump": _dump,
    "yaml.full_load": _yaml,
    "yaml.load": _yaml,
    "yaml.safe_dump": _dump,
    "yaml.safe_load": _yaml,
}
