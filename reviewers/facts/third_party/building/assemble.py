"""Puts one version of a library together: reads every module, joins stubs, links, prunes."""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from reviewers.facts.third_party.building.effects import lenient, with_aliases
from reviewers.facts.third_party.building.linker import link, prune
from reviewers.facts.third_party.building.module_reader import read_module
from reviewers.facts.third_party.building.records import (
    Alias,
    Class,
    Function,
    Item,
    Maybe,
    Module,
    Value,
    private,
    private_path,
)
from reviewers.facts.third_party.building.wheels import Library, ModuleSource

ALWAYS_OPAQUE = (
    r"(.*\.)?(tests?|testing|_?vendor(ed)?|_?externals?|third_party|conftest|examples?|benchmarks?)(\..*)?",
)

_EXPORTS = re.compile(r"^__all__ = (?P<names>\[[^\]]*\])\s*$", re.MULTILINE)
_MODELS = {
    "model",
    "module",
    "layer",
}  # what other libraries set attributes on most: models of any class


@dataclass
class Version:
    """One version of a library.

    Attributes:
        assigned: (what an object of unknown class is called, the attribute set on it).
        report: one line for each public module in which names may be missing.
    """

    modules: dict[str, Module]
    assigned: set[tuple[str, str]]
    report: list[str]


def read_version(found: Mapping[str, ModuleSource], library: Library) -> Version:
    """Read one version of a library."""
    hidden = re.compile("|".join(f"(?:{pattern})" for pattern in (*ALWAYS_OPAQUE, *library.opaque)))
    opaque = {name for name in found if hidden.fullmatch(name)}
    modules: dict[str, Module] = {}
    for name in sorted(found):
        if name in opaque:
            exported = _listed(found[name].python or "")
            modules[name] = Module(
                name, found[name].is_package, exported=exported, open=True, why=["left out"]
            )
        else:
            modules[name] = _read(name, found[name], library)
    for module in list(modules.values()):
        for name in module.maybe_modules:
            if name.partition(".")[0] in library.imports:
                modules.setdefault(name, Module(name, open=True, why=["put into sys.modules"]))
    link(modules)
    report = [
        f"{module.name}: {', '.join(dict.fromkeys(module.why))}"
        for module in modules.values()
        if module.open
        and module.why not in ([], ["left out"], ["namespace package"])
        and not private_path(module.name)
    ]
    thin = re.compile("|".join(f"(?:{pattern})" for pattern in library.thin) or r"(?!)")
    for module in modules.values():
        if thin.fullmatch(module.name) and not module.is_package:
            module.items = {name: _thinned(items) for name, items in module.items.items()}
    classes = {
        name.lower()
        for module in modules.values()
        for name, items in module.items.items()
        if _has_class(items)
    } | _MODELS
    called = {
        word
        for word in {word for module in modules.values() for word, _ in module.assigned}
        if _calls_one(word, classes)
    }
    assigned = {
        pair
        for module in modules.values()
        for pair in module.assigned
        if pair[0] in called and not private(pair[1])
    }
    return Version(prune(modules, opaque), assigned, report)


def _listed(source: str) -> frozenset[str] | None:
    """The names of a plain `__all__`: what a star import of a module that is left out brings all
    the same.
    """
    written = _EXPORTS.search(source) if source.count("__all__") == 1 else None
    try:
        return None if written is None else frozenset(ast.literal_eval(written["names"]))
    except (SyntaxError, ValueError, TypeError):
        return None


def _thinned(items: list[Item]) -> list[Item]:
    return [Value() if isinstance(item, Alias) else item for item in items]


def _has_class(items: list[Item]) -> bool:
    return any(isinstance(item, Class) for item in items)


def _calls_one(word: str, classes: set[str]) -> bool:
    """Whether a variable may be named after a class: `model` after `PreTrainedModel`."""
    return len(word) > 2 and any(name.endswith(word) for name in classes)


def _read(name: str, source: ModuleSource, library: Library) -> Module:
    understood = name in library.understood
    stub = (
        read_module(name, source.stub, is_package=source.is_package, stub=True)
        if source.stub is not None
        else None
    )
    if stub is not None:
        _judge(stub.items, name, re.compile(library.trusted or r"(?!)"), dict(library.aliases))
    if source.python is not None:
        found = read_module(
            name, source.python, is_package=source.is_package, understood=understood
        )
        if stub is not None:
            _complete(found, stub)
        return found
    if source.namespace and stub is None:
        return Module(name, is_package=True, open=True, why=["namespace package"])
    found = stub or Module(name)
    if stub is not None and library.compiled:
        found.searched = True
    else:
        found.open_up("compiled")
    for items in found.items.values():
        for item in items:
            if isinstance(item, Class):
                item.searched = found.searched
                item.open_class = item.open_instance = not found.searched
    return found


def _judge(
    table: dict[str, list[Item]], place: str, trusted: re.Pattern[str], aliases: Mapping[str, str]
) -> None:
    """Keep of a stub's parameter lists what can be believed."""
    for name, items in table.items():
        believed = trusted.fullmatch(f"{place}.{name}") is not None
        for number, item in enumerate(items):
            if isinstance(item, Function) and item.kind != "p":
                parameters = with_aliases(lenient(item.parameters), aliases)
                items[number] = replace(item, parameters=parameters) if believed else Value()
            elif isinstance(item, Class):
                item.opaque_constructor |= not believed or "__init__" not in item.members
                _judge(item.members, f"{place}.{name}", trusted, aliases)


def _complete(found: Module, stub: Module) -> None:
    """Let a stub say what the source leaves vague; the source has the last word on what exists."""
    for name, items in stub.items.items():
        if name not in found.items:
            if found.open or found.lazy:
                found.items[name] = items
        elif all(_is_vague(item) for item in found.items[name]):
            telling = [item for item in items if isinstance(item, (Class, Function, Alias))]
            if telling:
                found.items[name] = list[Item](telling)


def _is_vague(item: Item) -> bool:
    return isinstance(item, (Maybe, Value))
