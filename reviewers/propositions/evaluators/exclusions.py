"""Errors in which code certainly does not end: for each kind, what was looked at."""

import ast
import re
import sys
from collections.abc import Callable, Iterator

import omegaconf.errors
from omegaconf import DictConfig, OmegaConf

from reviewers.facts import PythonFile
from reviewers.facts.config_flow.handlers import ENDING
from reviewers.facts.config_reads import plain_key
from reviewers.facts.guards import guards
from reviewers.facts.occurrences import catches, occurrences
from reviewers.facts.raised import is_error
from reviewers.facts.reach import Piece
from reviewers.facts.stores import code_of, span_of
from reviewers.facts.unbound import perhaps_unbound
from reviewers.facts.yaml_config import values_at
from reviewers.propositions.terms import Spot
from reviewers.propositions.world import World

_CONFIG_KEY = re.compile(r"(?:cfg|config|conf)(?:\.\w+)+$")
_REFUSALS = (
    "MissingConfigException|ConfigCompositionException|OverrideParseException|ConfigLoadError"
)
_PARSING = (".parse_args", ".parse_known_args", ".parse_intermixed_args")
_READERS = frozenset({"hydra", "click", "typer", "fire", "absl", "docopt"})
_COMPOSING = ("hydra.compose", "hydra.initialize", "hydra.initialize_config_dir")
_Found = tuple[list[str], list[str]]
_Files = list[PythonFile]


def excluded(world: World, command: str, error: str, at: Spot | None, when: str) -> _Found:
    """What shows that a command does not meet an error, and what keeps it from being told."""
    if when and is_error(error, "SystemExit"):
        return [], [f"when `{when}` holds, the command may have other words"]
    if caught := _caught(world, error, at):
        return caught, []
    for kind, look in _LOOKS.items():
        if "|" not in error and is_error(error, kind):
            return look(world, _files(world, command, at), at)
    return [], ["no failure that is known fits"]


def _files(world: World, command: str, at: Spot | None) -> _Files:
    """The files that are meant: of a place, else those that the command may run."""
    python = world.facts.python
    if at is not None and at.file:
        return [one for path, one in python.items() if path == at.file]
    known = world.facts.contract.commands.get(command)
    started = [world.facts.trainer] if command in ("main", "train") else []
    started += [known.file] if known is not None else []
    reached = [world.facts.reach.of(path) for path in started]
    if not reached or any(one is None or one.gaps for one in reached):
        return list(python.values())
    met = {piece.file.path for one in reached if one is not None for piece in one.pieces}
    return [one for path, one in python.items() if path in met]


def _caught(world: World, error: str, at: Spot | None) -> list[str]:
    """The handlers that catch an error wherever what is named stands, and go on."""
    said = at.expression if at is not None else ""
    found = [
        (piece, node)
        for piece in (world.facts.reach.everything.own if said else ())
        if at is None or not at.file or piece.file.path == at.file
        for node in occurrences(piece, said)
    ]
    is_own = any(
        one.name == said for file in world.facts.python.values() for one in file.definitions
    )
    catching = [
        next((one for one in _handlers(piece, node) if catches(piece, one, error)), None)
        for piece, node in found
    ]
    goes_on = (
        handler is not None and not _raises(world, piece, handler)
        for handler, (piece, _) in zip(catching, found, strict=True)
    )
    if is_own or not all(goes_on):
        return []
    return [f"{span_of(piece.file, node)} stands under a handler of it" for piece, node in found]


def _handlers(piece: Piece, node: ast.AST) -> Iterator[ast.AST]:
    return (guard for guard, kind in guards(piece, node) if kind == "handler")


def _raises(world: World, piece: Piece, handler: ast.AST) -> bool:
    """Whether a handler may raise an error of its own, or end the process."""
    return any(
        isinstance(one, ast.Raise)
        or (
            isinstance(one, ast.Call)
            and (code_of(one.func) in ENDING or world.facts.local_code.target(piece.file, one))
        )
        for one in ast.walk(handler)
    )


def _no_exit(world: World, files: _Files, _: Spot | None) -> _Found:
    """The parsers take the words of every documented command, and nothing else ends a process."""
    paths = {one.path for one in files}
    looked_at, gaps = [], []
    for process in world.facts.failures.processes:
        if process.way.script not in paths:
            continue
        if process.trace is None or not process.trace.complete:
            gaps.append(f"{process.command} is not followed to its end")
            continue
        accepted = {node for node, takes_all in process.trace.parsings.items() if takes_all}
        known = world.facts.reach.of(process.way.script)
        inside = {piece.file.path for piece in known.pieces} if known else paths
        calls = [(one, call) for one in files for call in one.calls_of(*_PARSING)]
        refusing = [(one, call) for one, call in calls if call.node not in accepted]
        gaps += [f"{a.path}:{b.line} may refuse a word" for a, b in refusing if a.path in inside]
        if accepted:
            looked_at.append(f"the words of `{process.command}`, all of which are taken")
    return looked_at, [*gaps, *(gap for one in files for gap in _ends(one))]


def _ends(file: PythonFile) -> Iterator[str]:
    """What may end a process, besides the words of its command line."""
    yield from (f"{file.path} reads its words by `{one}`" for one in file.packages & _READERS)
    for node in file.nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr="error" | "exit")):
                ends = "log" not in code_of(owner).lower()
            case ast.Call(func=ast.Name(id=name)):
                ends = name in ENDING
            case ast.Raise(exc=ast.expr() as what):
                ends = "SystemExit" in code_of(what)
            case _:
                ends = False
        if ends:
            yield f"{span_of(file, node)} may end the process"


def _no_syntax(_: World, files: _Files, __: Spot | None) -> _Found:
    return [f"{one.path} parses" for one in files], [
        f"{one.path} does not parse" for one in files if one.tree is None
    ]


def _no_name(_: World, files: _Files, __: Spot | None) -> _Found:
    gaps = [f"{one.path} does not parse" for one in files if one.tree is None]
    gaps += [f"{one.path} imports `*`" for one in files if one.top_level_names is None]
    gaps += [f"{one.path}: `{n.name}`" for one in files for n in one.undefined_names if n.evaluated]
    gaps += [
        f"{one.path}: `{name}` may lack a value" for one in files for name in perhaps_unbound(one)
    ]
    return [f"every name in {one.path} is bound" for one in files], gaps


def _no_import(world: World, files: _Files, _: Spot | None) -> _Found:
    """Every import is of Python itself, of a file that is there, or of a library that is."""
    paths = {one.path for one in files}
    gaps = [f"{one.path} does not parse" for one in files if one.tree is None]
    gaps += [f"{one}" for one in world.facts.failed_imports if one.span.file in paths]
    gaps += [f"{one.path}: `{name}`" for one in files for name in _unknown(world, one)]
    count = sum(len(one.imports) for one in files)
    return [f"{count} imports of {len(files)} files"], gaps


def _unknown(world: World, file: PythonFile) -> Iterator[str]:
    modules = {one.module for one in world.facts.python.values()}
    third_party = world.facts.third_party
    for item in file.imports:
        module = file.absolute(item)
        whole = f"{module}.{item.name}" if item.name else module
        first = module.partition(".")[0]
        if first in sys.stdlib_module_names or {module, whole} & modules:
            continue
        library = third_party.distribution_of(whole)
        known = library is not None and third_party.exists(whole).answer == "every"
        installed = library in world.facts.dependencies.installed
        if not (known and installed):
            yield whole


def _no_key(world: World, _: _Files, at: Spot | None) -> _Found:
    """Nothing reads the key, or each start is composed and has it."""
    expression = at.expression if at is not None else ""
    if not _CONFIG_KEY.match(expression):
        return [], ["no failure that is known fits"]
    known, key = world.facts.config_reads, plain_key(expression)
    is_read = any(one.may_read(key) for one in known.reads)
    is_read = is_read or any(one.may_read(key) for one in known.escapes)
    if not is_read and not world.facts.reach.everything.gaps:
        return [f"{len(known.reads)} reads of the configuration"], []
    starts = [one for one in world.facts.hydra.starts if one.entry.path == (at and at.file)]
    starts = starts or list(world.facts.hydra.starts)
    gaps = [
        f"{one.subject} is not composed" for one in starts if not _has(one.composed, expression)
    ]
    return [f"the configurations of {len(starts)} starts"] if starts else [], gaps


def _no_attribute(world: World, files: _Files, at: Spot | None) -> _Found:
    """The name is one that its library has in every version allowed, or a method of a class of the
    submission; else as for a key.
    """
    code = world.facts.local_code
    said = (at.expression if at is not None else "").removesuffix("()")
    found = [
        (file, one) for file in files for one in file.of(ast.Attribute) if code_of(one) == said
    ]
    kinds = [code.type_of(file, node.value) for file, node in found]
    if found and all(
        kind and any(node.attr in part.methods for _, part in code.lineage(kind)[0])
        for kind, (_, node) in zip(kinds, found, strict=True)
    ):
        return [f"the class of which `{said}` is a method"], []
    parts = said.split(".")
    names = {
        ".".join([file.aliases[parts[0]], *parts[1:]]) for file in files if parts[0] in file.aliases
    }
    facts = world.facts
    there = [
        name
        for name in names
        if facts.third_party.distribution_of(name)
        and facts.third_party.exists(name, facts.allowed_versions(name)).answer == "every"
    ]
    if len(parts) > 1 and names and len(there) == len(names):
        return [f"`{name}` is there in every version allowed" for name in there], []
    return _no_key(world, files, at)


def _has(composed: object, expression: str) -> bool:
    if not isinstance(composed, DictConfig):
        return False
    held = OmegaConf.to_container(composed, resolve=False)
    return any(True for _ in values_at(held, plain_key(expression).split(".")))


def _no_refusal(world: World, files: _Files, _: Spot | None) -> _Found:
    """Hydra composes every start of these files, and no code asks it to compose more."""
    paths = {one.path for one in files}
    starts = [one for one in world.facts.hydra.starts if one.entry.path in paths]
    refused = [one for one in starts if not isinstance(one.composed, DictConfig)]
    gaps = [f"{one.subject} is not composed" for one in refused]
    gaps += [f"{one.path} composes" for one in files if any(one.calls_of(*_COMPOSING))]
    return [f"the configurations of {len(starts)} starts"] if starts else [], gaps


def _no_mandatory(world: World, files: _Files, at: Spot | None) -> _Found:
    """Every start is composed, and no value of its configuration is left open, nor unresolved."""
    seen, gaps = _no_refusal(world, files, at)
    for start in world.facts.hydra.starts:
        if isinstance(start.composed, DictConfig):
            try:
                OmegaConf.to_container(start.composed, resolve=True, throw_on_missing=True)
            except omegaconf.errors.OmegaConfBaseException as error:
                gaps.append(f"{start.subject}: {error}"[:200])
    made = ("${", "???")
    texts = [one.value for file in files for one in file.strings]
    gaps += [f"`{text}` is made" for text in texts if any(sign in text for sign in made)]
    return seen, gaps


_LOOKS: dict[str, Callable[[World, _Files, Spot | None], _Found]] = {
    "SyntaxError": _no_syntax,
    "UnboundLocalError": lambda _, __, ___: ([], ["which branch binds it is not known"]),
    "NameError": _no_name,
    "ImportError": _no_import,
    _REFUSALS: _no_refusal,
    "MissingMandatoryValue|InterpolationResolutionError": _no_mandatory,
    "SystemExit": _no_exit,
    "AttributeError": _no_attribute,
    "KeyError": _no_key,
    "ConfigKeyError": _no_key,
}
