"""Errors in which code certainly does not end: for each kind, what was looked at."""

import ast
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import omegaconf.errors
from omegaconf import DictConfig, OmegaConf

from reviewers.facts.config_flow.handlers import ENDING
from reviewers.facts.config_reads import plain_key
from reviewers.facts.guards import guards
from reviewers.facts.occurrences import as_code, catches, occurrences
from reviewers.facts.python_file import PythonFile
from reviewers.facts.raised import is_error
from reviewers.facts.reach import Piece
from reviewers.facts.signatures import mismatch
from reviewers.facts.stores import code_of, span_of, stores
from reviewers.facts.unbound import perhaps_unbound
from reviewers.facts.yaml_config import values_at
from reviewers.records import counted

if TYPE_CHECKING:
    from reviewers.facts import Facts

_CONFIG_KEY = re.compile(r"(?:cfg|config|conf)(?:\.\w+)+$")
_REFUSALS = (
    "MissingConfigException|ConfigCompositionException|OverrideParseException|ConfigLoadError"
    "|ConfigNotFoundError"  # as some call the first
)
_MISSING = "MissingConfigException|ConfigNotFoundError"
_WORD = "OverrideParseException"
_PARSING = (".parse_args", ".parse_known_args", ".parse_intermixed_args")
_READERS = frozenset({"hydra", "click", "typer", "fire", "absl", "docopt"})
_COMPOSING = ("hydra.compose", "hydra.initialize", "hydra.initialize_config_dir")
_OF_CONFIGURATIONS = ("omegaconf.", "hydra.")  # which raise it for a key that is not there
_UNKNOWN = "no failure that is known fits"
_Found = tuple[list[str], list[str]]
_Files = list[PythonFile]


@dataclass(frozen=True, slots=True)
class SaidToFail:
    """Where and with which words an error is said to be raised, as far as that is told."""

    file: str = ""
    expression: str = ""
    message: str = ""
    error: str = ""


def excluded(facts: "Facts", command: str, error: str, at: SaidToFail, when: str) -> _Found:
    """What shows that a command does not meet an error, and what keeps it from being told."""
    if when and is_error(error, "SystemExit"):
        return [], [f"when `{when}` holds, the command may have other words"]
    if caught := _caught(facts, error, at) or _never_raised(facts, error, at):
        return caught, []
    for kind, look in _LOOKS.items():
        if "|" not in error and is_error(error, kind):
            return look(facts, _files(facts, command, at), at)
    return [], [_UNKNOWN]


def _files(facts: "Facts", command: str, at: SaidToFail) -> _Files:
    """The files that are meant: of a place, else those that the command may run."""
    python = facts.python
    if at.file:
        return [one for path, one in python.items() if path == at.file]
    known = facts.contract.commands.get(command)
    started = [facts.trainer] if command in ("main", "train") else []
    started += [known.file] if known is not None else []
    reached = [facts.reach.of(path) for path in started]
    if not reached or any(one is None or one.gaps for one in reached):
        return list(python.values())
    met = {piece.file.path for one in reached if one is not None for piece in one.pieces}
    return [one for path, one in python.items() if path in met]


def _caught(facts: "Facts", error: str, at: SaidToFail) -> list[str]:
    """The handlers that catch an error wherever what is named stands, and go on."""
    said = at.expression
    found = [(piece, node) for piece in _pieces(facts, at) for node in occurrences(piece, said)]
    is_own = any(one.name == said for file in facts.python.values() for one in file.definitions)
    catching = [
        next((one for one in _handlers(piece, node) if catches(piece, one, error)), None)
        for piece, node in found
    ]
    goes_on = (
        handler is not None and not _raises(facts, piece, handler)
        for handler, (piece, _) in zip(catching, found, strict=True)
    )
    if is_own or not all(goes_on):
        return []
    return [f"{span_of(piece.file, node)} stands under a handler of it" for piece, node in found]


def _pieces(facts: "Facts", at: SaidToFail) -> Iterator[Piece]:
    """The code of the file that is meant, of all files where none is told."""
    return (one for one in facts.reach.everything.own if at.file in ("", one.file.path))


def _never_raised(facts: "Facts", error: str, at: SaidToFail) -> list[str]:
    """The statements that raise an error with the words that are told, none of which any start
    comes to.
    """
    found = [
        (piece.file.path, node)
        for piece in (_pieces(facts, at) if at.message else ())
        for node in piece.nodes
        if isinstance(node, ast.Raise) and node.exc is not None
        for text in [ast.unparse(node.exc)]
        if error in text and at.message.lower() in text.lower()
    ]
    if any(facts.arrivals.comes_to(path, node.lineno) is not False for path, node in found):
        return []
    return [f"no start comes to {path}:{node.lineno}" for path, node in found]


def _handlers(piece: Piece, node: ast.AST) -> Iterator[ast.AST]:
    return (guard for guard, kind in guards(piece, node) if kind == "handler")


def _raises(facts: "Facts", piece: Piece, handler: ast.AST) -> bool:
    """Whether a handler may raise an error of its own, or end the process."""
    return any(
        isinstance(one, ast.Raise)
        or (
            isinstance(one, ast.Call)
            and (code_of(one.func) in ENDING or facts.local_code.target(piece.file, one))
        )
        for one in ast.walk(handler)
    )


def _no_exit(facts: "Facts", files: _Files, _: SaidToFail) -> _Found:
    """The parsers take the words of every documented command, and nothing else ends a process."""
    paths = {one.path for one in files}
    looked_at, gaps = [], []
    for process in facts.failures.processes:
        if process.way.script not in paths:
            continue
        if process.trace is None or not process.trace.complete:
            gaps.append(f"{process.command} is not followed to its end")
            continue
        accepted = {node for node, takes_all in process.trace.parsings.items() if takes_all}
        known = facts.reach.of(process.way.script)
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


def _no_syntax(_: "Facts", files: _Files, __: SaidToFail) -> _Found:
    return [f"{one.path} parses" for one in files], [
        f"{one.path} does not parse" for one in files if one.tree is None
    ]


def _no_name(_: "Facts", files: _Files, __: SaidToFail) -> _Found:
    gaps = [f"{one.path} does not parse" for one in files if one.tree is None]
    gaps += [f"{one.path} imports `*`" for one in files if one.top_level_names is None]
    gaps += [f"{one.path}: `{n.name}`" for one in files for n in one.undefined_names if n.evaluated]
    gaps += [
        f"{one.path}: `{name}` may lack a value" for one in files for name in perhaps_unbound(one)
    ]
    return [f"every name in {one.path} is bound" for one in files], gaps


def _no_import(facts: "Facts", files: _Files, _: SaidToFail) -> _Found:
    """Every import is of Python itself, of a file that is there, or of a library that is."""
    paths = {one.path for one in files}
    gaps = [f"{one.path} does not parse" for one in files if one.tree is None]
    gaps += [f"{one}" for one in facts.failed_imports if one.span.file in paths]
    gaps += [f"{one.path}: `{name}`" for one in files for name in _unknown(facts, one)]
    count = sum(len(one.imports) for one in files)
    return [f"{counted(count, 'import')} of {counted(len(files), 'file')}"], gaps


def _unknown(facts: "Facts", file: PythonFile) -> Iterator[str]:
    names = {one.module: one.top_level_names for one in facts.python.values()}
    third_party = facts.third_party
    for item in file.imports:
        module = file.absolute(item)
        whole = f"{module}.{item.name}" if item.name else module
        first = module.partition(".")[0]
        own = names.get(module, ())
        if item.name and module in names and whole not in names:
            if own is None or item.name not in own:
                yield whole
            continue
        if first in sys.stdlib_module_names or {module, whole} & names.keys():
            continue
        library = third_party.distribution_of(whole)
        known = library is not None and third_party.exists(whole).answer == "every"
        installed = library in facts.dependencies.installed
        if not (known and installed):
            yield whole


def _no_key(facts: "Facts", files: _Files, at: SaidToFail) -> _Found:
    """Nothing reads the key, or each start has it; or it is one of a dictionary that is written
    down.
    """
    if written := _written(facts, at):
        return written, []
    known = facts.config_reads
    keys, is_there = _keys(facts, files, at.expression)
    if len(keys) != 1 or "*" in (key := keys.pop()):
        return [], [_UNKNOWN]
    is_read = is_there or any(
        one.may_read(key) for found in (known.reads, known.escapes) for one in found
    )
    if not is_read and not facts.reach.everything.gaps:
        return [f"{counted(len(known.reads), 'read')} of the configuration"], []
    starts = [one for one in facts.hydra.starts if one.entry.path == at.file]
    starts = starts or list(facts.hydra.starts)
    gaps = [
        f"{one.subject} may not have `{key}`"
        for one in starts
        for given in [facts.hydra.configurations(one)]
        if not (given and all(_has(config, key) for config in given))
    ]
    return [f"the configurations of {counted(len(starts), 'start')}"] if starts else [], gaps


def _keys(facts: "Facts", files: _Files, expression: str) -> tuple[set[str], bool]:
    """The keys of the configuration that an expression may read, and whether it stands in the
    code.
    """
    code = as_code(expression)
    found = [
        (file, node)
        for file in files
        for node in file.of(ast.Attribute, ast.Subscript)
        if code and code_of(node) == code
    ]
    if not found and _CONFIG_KEY.match(expression):
        return {plain_key(expression)}, False
    sections = [facts.config_reads.sections(file, node) for file, node in found]
    return {".".join(path) for each in sections for path in each}, bool(found)


def _written(facts: "Facts", at: SaidToFail) -> list[str]:
    """The dictionaries of which an item is read that all have it, for they are written down."""
    found: list[str] = []
    for piece in _pieces(facts, at) if at.expression.endswith("]") else ():
        for node in piece.nodes:
            match node:
                case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=key)) if (
                    isinstance(node.ctx, ast.Load) and code_of(node) == as_code(at.expression)
                ):
                    held = [given for _, given in stores(piece, name)]
                    if not (held and all(_holds(one, key) for one in held)) or any(
                        f"{name}{way}" in code_of(one)
                        for one in piece.nodes
                        if isinstance(one, (ast.Call, ast.Delete))
                        for way in (".pop", ".clear", "[")
                        if isinstance(one, ast.Delete) or way != "["
                    ):
                        return []
                    found.append(f"{span_of(piece.file, node)}: `{name}` is written with {key!r}")
    return found


def _holds(node: ast.expr | None, key: object) -> bool:
    return isinstance(node, ast.Dict) and any(
        isinstance(one, ast.Constant) and one.value == key for one in node.keys
    )


def _no_attribute(facts: "Facts", files: _Files, at: SaidToFail) -> _Found:
    """The name is one that its library has in every version allowed, or a method of a class of the
    submission; else as for a key.
    """
    code = facts.local_code
    said = at.expression.removesuffix("()")
    found = [
        (file, one) for file in files for one in file.of(ast.Attribute) if code_of(one) == said
    ]
    kinds = [code.type_of(file, node.value) for file, node in found]
    if found and all(
        kind and any(node.attr in part.methods for _, part in code.lineage(kind)[0])
        for kind, (_, node) in zip(kinds, found, strict=True)
    ):
        return [f"the class of which `{said}` is a method"], []
    types = [
        (node, facts.library_types.of(file, node.value) if _is_made(facts, file, node) else ())
        for file, node in found
    ]
    if found and all(
        kinds and all(_has_attribute(facts, kind, node.attr) for kind in kinds)
        for node, kinds in types
    ):
        kinds_ = sorted({kind for _, each in types for kind in each})
        return [f"`{kind}` has it in every version allowed" for kind in kinds_], []
    parts = said.split(".")
    names = {
        ".".join([file.aliases[parts[0]], *parts[1:]]) for file in files if parts[0] in file.aliases
    }
    there = [
        name
        for name in names
        if not name.startswith(_OF_CONFIGURATIONS)
        and facts.third_party.distribution_of(name)
        and facts.third_party.exists(name, facts.allowed_versions(name)).answer == "every"
    ]
    if len(parts) > 1 and names and len(there) == len(names):
        return [f"`{name}` is there in every version allowed" for name in there], []
    return _no_key(facts, files, at)


def _is_made(facts: "Facts", file: PythonFile, node: ast.Attribute) -> bool:
    """Whether one call of a library alone gives the owner of an attribute, so that it is there."""
    made = file.only_value(node.value)
    return isinstance(made, ast.Call) and facts.library_types.outside(file, made.func) is not None


def _has_attribute(facts: "Facts", kind: str, name: str) -> bool:
    allowed = facts.allowed_versions(kind, as_meant=True)
    return facts.third_party.attribute_exists(kind, name, allowed).answer == "every"


def _has(composed: DictConfig, key: str) -> bool:
    held = OmegaConf.to_container(composed, resolve=False)
    return any(True for _ in values_at(held, key.split(".")))


def _no_type_error(facts: "Facts", files: _Files, at: SaidToFail) -> _Found:
    """Every call of the name fits the parameters, where the error's text speaks of arguments."""
    if "argument" not in at.message:
        return [], [_UNKNOWN]
    calls = [
        (file, one)
        for file in files
        for one in file.of(ast.Call)
        if code_of(one.func) == at.expression.partition("(")[0]
    ]
    gaps = [
        f"{span_of(file, one)} may not fit" for file, one in calls if not _fits(facts, file, one)
    ]
    return [f"{len(calls)} calls, all of which fit"] if calls else [], gaps


def _fits(facts: "Facts", file: PythonFile, call: ast.Call) -> bool:
    """Whether a call surely fits what it calls."""
    is_open = any(isinstance(one, ast.Starred) for one in call.args)
    if is_open or any(one.arg is None for one in call.keywords):
        return False
    if (own := facts.local_code.target(file, call)) is not None:
        return mismatch(own.function, call, own.shown, bound=own.bound) is None
    types = facts.library_types
    owners: list[str | None] = [None]
    name = types.outside(file, call.func)
    if name is None and isinstance(call.func, ast.Attribute):
        name, owners = call.func.attr, [*types.of(file, call.func.value)]
    words = [one.arg for one in call.keywords if one.arg]
    return bool(owners and name) and all(
        facts.third_party.fits(
            name or "",
            len(call.args),
            words,
            facts.allowed_versions(owner or name or "", as_meant=True),
            owner=owner,
        ).availability.answer
        == "every"
        for owner in owners
    )


def _no_stub(facts: "Facts", files: _Files, _: SaidToFail) -> _Found:
    """No statement raises it, and each network of the submission has its `forward`."""
    gaps = [
        f"{span_of(file, node)} raises"
        for file in files
        for node in file.of(ast.Raise)
        if node.exc is None or "NotImplemented" in code_of(node)
    ]
    gaps += [
        f"{file.path}: `{node.name}` may lack a method"
        for file in files
        for node in file.of(ast.ClassDef)
        if node.bases and not any(getattr(one, "name", "") == "forward" for one in node.body)
    ]
    return [f"the statements of {counted(len(files), 'file')}"], gaps


def _no_refusal(facts: "Facts", files: _Files, at: SaidToFail) -> _Found:
    """Hydra composes every start of these files, and no code asks it to compose more."""
    paths = {one.path for one in files}
    starts = [one for one in facts.hydra.starts if one.entry.path in paths]
    refused = [
        one
        for one in starts
        if not isinstance(one.composed, DictConfig)
        # A word that Hydra cannot parse stops it before it looks for a file.
        and not (is_error(at.error, _MISSING) and one.refused and one.refused[0].error == _WORD)
    ]
    gaps = [f"{one.subject} is not composed" for one in refused]
    gaps += [f"{one.path} composes" for one in files if any(one.calls_of(*_COMPOSING))]
    return [f"the configurations of {counted(len(starts), 'start')}"] if starts else [], gaps


def _no_mandatory(facts: "Facts", files: _Files, at: SaidToFail) -> _Found:
    """Every start is composed, and no value of its configuration is left open, nor unresolved."""
    seen, gaps = _no_refusal(facts, files, at)
    for start in facts.hydra.starts:
        if isinstance(start.composed, DictConfig):
            try:
                OmegaConf.to_container(start.composed, resolve=True, throw_on_missing=True)
            except omegaconf.errors.OmegaConfBaseException as error:
                gaps.append(f"{start.subject}: {error}"[:200])
    made = ("${", "???")
    texts = [one.value for file in files for one in file.strings]
    gaps += [f"`{text}` is made" for text in texts if any(sign in text for sign in made)]
    return seen, gaps


_LOOKS: dict[str, Callable[["Facts", _Files, SaidToFail], _Found]] = {
    "SyntaxError": _no_syntax,
    "UnboundLocalError": lambda _, __, ___: ([], ["which branch binds it is not known"]),
    "NameError": _no_name,
    "ImportError": _no_import,
    _REFUSALS: _no_refusal,
    "MissingMandatoryValue|InterpolationResolutionError": _no_mandatory,
    "SystemExit": _no_exit,
    "ConfigAttributeError": _no_key,
    "AttributeError": _no_attribute,
    "KeyError": _no_key,
    "ConfigKeyError": _no_key,
    "TypeError": _no_type_error,
    "NotImplementedError": _no_stub,
}
