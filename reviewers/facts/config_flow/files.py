"""Paths, and configuration files as code reads and writes them."""

import ast
import fnmatch
import json
from collections.abc import Callable
from dataclasses import replace

from omegaconf import OmegaConf

from reviewers.facts import yaml_config
from reviewers.facts.config_flow import access
from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.follower import Follower
from reviewers.facts.config_flow.library_values import refuse_unwritable
from reviewers.facts.config_flow.operations import invalid, text_of
from reviewers.facts.config_flow.tables import OutsideCall, method, transfer
from reviewers.facts.config_flow.values import (
    ANYTHING,
    UNKNOWN,
    Dumped,
    Opened,
    ProblemKind,
    SomePath,
    Value,
    is_config,
)
from reviewers.facts.placed import place_of, placed
from reviewers.facts.yaml_config import UnreadableYaml
from reviewers.records import Span

# Where Hydra before 1.2 runs a function: a folder of its own, without the submission's files.
OUTPUTS = "outputs/…"
_HOLE = "{}"  # what is not known of a path
_LONGEST = 100_000  # characters of a JSON text
_CHOOSY = frozenset({"json.dump", "json.dumps", "yaml.safe_dump"})
_CONVERTING = frozenset({"cls", "default", "skipkeys", ANYTHING})


def path_of(value: Value) -> SomePath | None:
    """The path that a value stands for; None where it is none."""
    if isinstance(value, SomePath):
        return value
    if isinstance(value, Opened):
        return value.path
    text = text_of(value)
    # A path that is not wholly known is still the same one where it is handed on.
    return None if text is None else SomePath((), here=True).joined(text)


# Paths


@transfer(
    "pathlib.Path", "pathlib.Path.cwd", "os.getcwd",
    *(f"os.path.{name}" for name in ("abspath", "join", "normpath", "realpath")),
)  # fmt: skip
@method(SomePath, "joinpath")
def _path(call: OutsideCall, *parts: Value) -> Value:
    path = path_of(parts[0]) if parts else SomePath((), here=True)
    for part in parts[1:]:
        more = str(part) if isinstance(part, SomePath) else text_of(part)
        if path is None or more is None:
            return UNKNOWN
        path = path.joined(more)
    if path is not None:
        path = replace(path, is_object=not call.name.startswith("os."))
    if path is not None and call.name.startswith("os.path.") and call.name != "os.path.join":
        path = replace(path, ends_up=False)
    return UNKNOWN if path is None else path


@method(SomePath, "resolve")
def _resolved(call: OutsideCall, owner: SomePath) -> Value:
    return replace(owner, ends_up=False)


@transfer("hydra.utils.get_original_cwd", "hydra.utils.to_absolute_path")
def _from_start(call: OutsideCall, path: Value = "") -> Value:
    meant = path_of(path)
    if meant is None:
        return UNKNOWN
    if call.name.endswith("original_cwd") and not call.follower.is_hydras:
        said = "get_original_cwd() must only be used after HydraConfig is initialized"
        made = invalid(ValueError(said))
        made.instead = SomePath((), here=True)
        raise made
    call.follower.trace.asks_folder = True
    return meant if meant.is_absolute else within(call.follower.origin, meant)


@transfer("os.path.dirname")
def _folder(call: OutsideCall, given: Value) -> Value:
    path = path_of(given)
    return UNKNOWN if path is None else path.folder()


@transfer("os.chdir")
def _moved_away(call: OutsideCall, given: Value) -> Value:
    call.follower.folder = folder_of(call.follower, given)
    return None


@transfer("os.makedirs", "os.mkdir")
@method(SomePath, "mkdir")
def _make(call: OutsideCall, name: Value) -> Value:
    path = path_of(name)
    call.follower.trace.made.add(None if path is None or _HOLE in str(path) else path.parts)
    return None


@transfer("os.path.exists", "os.path.isfile")
@method(SomePath, "exists", "is_file")
def _exists(call: OutsideCall, given: Value) -> Value:
    path = path_of(given)
    try:
        known = path is not None and _content(call.follower, path) not in (None, UNKNOWN)
    except AccessError:
        return False
    return True if known else UNKNOWN


@method(SomePath, "with_suffix", "with_name")
def _renamed(call: OutsideCall, owner: SomePath, name: Value) -> Value:
    if not isinstance(name, str) or not owner.parts or owner.is_odd:
        return UNKNOWN
    if call.name == "with_suffix":
        name = (owner.parts[-1].rpartition(".")[0] or owner.parts[-1]) + name
    return SomePath((*owner.parts[:-1], name), owner.here)


# What lies at a path


def _content(follower: Follower, path: SomePath) -> Value:
    """What lies at a path: a text, or what was made of a value; None where nothing is known to."""
    if path.parts in follower.written:
        return follower.written[path.parts]
    if path.is_absolute:
        return None
    meant = _meant(follower, path)
    place = from_root(follower, path)
    text = follower.yaml_files.get(meant or "")
    found = None if text is None or meant is None else placed(text, Span(meant))
    is_lacking = meant is None and place is not None and follower.lacks(place)
    if not is_lacking and (meant is None or place is None or place.replace(_HOLE, "*") == meant):
        return found
    said = f"[Errno 2] No such file or directory: '{path}'"
    if place is not None and place.startswith(OUTPUTS):
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
    follower.trace.asks_folder = True
    return None if follower.folder is None else str(within(follower.folder, path))


def folder_of(follower: Follower, value: Value) -> str | None:
    """The folder that a value names, from the submission's root; None where it is not known."""
    path = path_of(value)
    folder = None if path is None else from_root(follower, path)
    return None if folder is None or _HOLE in folder else folder


def within(folder: str, path: SomePath) -> SomePath:
    """A relative path below a folder."""
    return SomePath(()).joined(folder).joined(str(path))


# Files that are read and written


@transfer("omegaconf.OmegaConf.load")
def _load(call: OutsideCall, file_: Value) -> Value:
    path = path_of(file_)
    if path is None or not path.parts:
        return UNKNOWN
    if isinstance(file_, Opened):
        return _loaded(file_.content)
    return _read_at(call.follower, path, _loaded)


def _read_at(follower: Follower, path: SomePath, made: Callable[[Value], Value]) -> Value:
    """What is made of the content at a path, be it there or only meant to be."""
    try:
        content = _content(follower, path)
    except AccessError as error:
        error.instead = made(error.instead)
        raise
    return made(content)


def _loaded(content: Value) -> Value:
    if isinstance(content, Dumped):
        stored = access.storable(content.value)
        return UNKNOWN if isinstance(stored, str) else OmegaConf.create(stored)
    try:
        return yaml_config.load(str(content)) if isinstance(content, str) else UNKNOWN
    except UnreadableYaml as error:
        is_yaml = yaml_config.plain_problem(str(content)) is None and error.line is None
        raise _refused(error, content, "OSError" if is_yaml else "YAMLError") from None


def _refused(problem: UnreadableYaml, content: Value, error: str) -> AccessError:
    return AccessError(ProblemKind.UNREADABLE_FILE, error, str(problem), "", content)


@transfer("open")
@method(SomePath, "open")
def _open(call: OutsideCall, file: Value, mode: Value = "r") -> Value:
    path = path_of(file)
    if path is None or not path.parts:
        return UNKNOWN
    if isinstance(mode, str) and set(mode) & set("wx"):
        _write(call.follower, path, "")
        return Opened(path)
    if isinstance(mode, str) and set(mode) & set("a+"):
        _write(call.follower, path, UNKNOWN)
        return UNKNOWN
    is_read = mode in ("r", "rt", "rb")

    def opened(content: Value) -> Value:
        known = is_read and isinstance(content, (str, Dumped))
        return Opened(path, content) if known else UNKNOWN

    return _read_at(call.follower, path, opened)


@method(SomePath, "read_text", "read_bytes")
def _read(call: OutsideCall, owner: SomePath) -> Value:
    return _read_at(call.follower, owner, lambda content: UNKNOWN if content is None else content)


@method(Opened, "read")
def _rest(call: OutsideCall, owner: Opened, *size: Value) -> Value:
    return UNKNOWN if size or owner.content is None else owner.content


@method(SomePath, "write_text", "write_bytes")
def _written(call: OutsideCall, owner: SomePath, content: Value) -> Value:
    _write(call.follower, owner, content)
    return UNKNOWN


@method(Opened, "write", "writelines")
def _added(call: OutsideCall, owner: Opened, content: Value) -> Value:
    if owner.content is None:
        _add(call.follower, owner, content if call.name == "write" else UNKNOWN)
    return UNKNOWN


@transfer("os.remove", "os.rename", "os.replace", "os.unlink", "shutil.move", "shutil.rmtree")
@method(SomePath, "unlink", "rename", "replace")
def _taken_away(call: OutsideCall, *paths: Value) -> Value:
    """What removes or moves files: what lies at these paths, and below them, is not known."""
    written = call.follower.written
    for path in filter(None, map(path_of, paths)):
        for parts in [path.parts, *written]:
            if parts[: len(path.parts)] == path.parts:
                written[parts] = UNKNOWN
    return UNKNOWN


@transfer("tempfile.NamedTemporaryFile", "tempfile.TemporaryDirectory", "tempfile.mkdtemp")
def _temporary(call: OutsideCall) -> Value:
    """A file or folder of which only the code knows the name."""
    is_file, ending = call.name.endswith("File"), call.keywords.get("suffix")
    shown = ending if is_file and isinstance(ending, str) else ""
    path = SomePath(("/", "tmp", f"{len(call.follower.written)}{shown}"))
    _write(call.follower, path, "" if is_file else UNKNOWN)
    return Opened(path) if is_file else path


def _write(follower: Follower, path: SomePath, content: Value) -> None:
    """Keep what is written; where it may not be, nobody knows what lies there."""
    follower.fill(path.parts[:-1])
    follower.written[path.parts] = UNKNOWN if follower.may_not_happen else content


def _add(follower: Follower, opened: Opened, content: Value) -> None:
    before = follower.written.get(opened.path.parts)
    _write(follower, opened.path, content if before == "" else UNKNOWN)


@transfer("shutil.copy", "shutil.copy2", "shutil.copyfile")
def _copied(call: OutsideCall, src: Value, dst: Value) -> Value:
    """Into a folder the name stays."""
    follower, source, target = call.follower, path_of(src), path_of(dst)
    if source is None or target is None:
        return dst
    inside = SomePath((*target.parts, *source.parts[-1:]), target.here)
    # What is not known of a path may differ, except where one value is given twice.
    if src is dst or (_HOLE not in str(source) and source in (target, inside)):
        cause = next((value for value in (src, dst) if place_of(value) is not None), None)
        shown = str(source).replace(_HOLE, "…")
        said = f"{shown!r} and {shown!r} are the same file"
        raise AccessError(ProblemKind.SAME_FILE, "shutil.SameFileError", said, "", cause)
    content = _content(follower, source)
    for path in (target, inside):
        _write(follower, path, UNKNOWN if content is None else content)
    return dst


# YAML and JSON


@transfer("json.load", "json.loads", "yaml.full_load", "yaml.load", "yaml.safe_load")
def _document(call: OutsideCall) -> Value:
    """What the first argument holds; PyYAML takes `1e-4` for a text, as OmegaConf does not."""
    follower, as_json = call.follower, call.name.startswith("json.")
    given = call.values[0] if call.values else UNKNOWN
    content = given.content if isinstance(given, Opened) else given
    if isinstance(content, Dumped):
        return snapshot(content.value)
    if call.name == "json.loads" and (is_config(content) or type(content) in (list, dict)):
        said = f"the JSON object must be str, bytes or bytearray, not {type(content).__name__}"
        raise _read_again(TypeError(said), content)
    if not isinstance(content, str):
        return UNKNOWN
    if as_json and len(content) <= _LONGEST:
        try:
            json.loads(content)
        except RecursionError:
            return UNKNOWN
        except ValueError as error:
            raise invalid(error, cause=content) from None
    place = place_of(content)
    file = place.file if isinstance(place, Span) else ""
    values = yaml_config.plain_values(str(content), file, as_json=as_json)
    follower.spend(access.size(values))
    if values is None and (problem := yaml_config.plain_problem(str(content))) and not as_json:
        raise _refused(problem, content, "YAMLError")
    return UNKNOWN if values is None else values


def _read_again(error: Exception, value: Value) -> AccessError:
    """A list or mapping is taken for the text of one; the way goes on with it."""
    made = invalid(error, value)
    made.instead = value
    return made


@transfer("ast.literal_eval")
def _literal(call: OutsideCall, text: Value) -> Value:
    """What Python's own notation in a text stands for."""
    if is_config(text) or type(text) is list:
        raise _read_again(ValueError(f"malformed node or string: {str(text)[:200]}"), text)
    if not isinstance(text, str) or len(text) > _LONGEST:
        return UNKNOWN
    try:
        return snapshot(ast.literal_eval(str(text).lstrip(" \t")))
    except (ValueError, SyntaxError) as error:
        raise invalid(error, cause=text) from None
    except (MemoryError, RecursionError, TypeError):
        return UNKNOWN


def snapshot(value: Value) -> Value:
    """The value as it is now, whatever becomes of the containers that it is made of."""
    if is_config(value):
        return access.plain(value)
    if isinstance(value, dict):
        return {key: snapshot(item) for key, item in value.items()}
    return [snapshot(item) for item in value] if isinstance(value, (list, tuple)) else value


@transfer("yaml.dump", "yaml.safe_dump", "json.dump", "json.dumps", "omegaconf.OmegaConf.to_yaml")
def _dump(call: OutsideCall, *given: Value) -> Value:
    """`yaml.dump(value, stream)`, and `json.dump`, which always has one."""
    made = Dumped(snapshot(given[0])) if given else Dumped(UNKNOWN)
    named = call.keywords
    stream = given[1] if len(given) > 1 else named.get("stream", named.get("fp"))
    if isinstance(stream, Opened):
        _add(call.follower, stream, made)
    if call.name in _CHOOSY and given and not call.keywords.keys() & _CONVERTING:
        refuse_unwritable(given[0], call.name, made if stream is None else None)
    return made if stream is None else None


@transfer("omegaconf.OmegaConf.save")
def _save(call: OutsideCall, config: Value, f: Value) -> Value:
    path = path_of(f)
    if path is not None:
        _write(call.follower, path, Dumped(snapshot(config)))
    return None
