"""Puts one version of a library together: reads every module, joins stubs, links, prunes."""

import re
from collections.abc import Mapping

from reviewers.facts.third_party.building.linker import link, prune
from reviewers.facts.third_party.building.module_reader import read_module
from reviewers.facts.third_party.building.records import Alias, Class, Function, Item, Maybe, Module, Value, private_path
from reviewers.facts.third_party.building.wheels import Library, Source

ALWAYS_OPAQUE = (r"(.*\.)?(tests?|testing|_?vendor(ed)?|_?externals?|third_party|conftest|examples?|benchmarks?)(\..*)?",)


def read_version(found: Mapping[str, Source], library: Library) -> tuple[dict[str, Module], list[str]]:
    """Read one version.

    Returns:
        Its modules, and one line for each public module in which names may be missing.
    """
    hidden = re.compile("|".join(f"(?:{pattern})" for pattern in (*ALWAYS_OPAQUE, *library.opaque)))
    opaque = {name for name in found if hidden.fullmatch(name)}
    modules: dict[str, Module] = {}
    for name in sorted(found):
        if name in opaque:
            modules[name] = Module(name, found[name].is_package, open=True, why=["left out"])
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
        if module.open and module.why not in ([], ["left out"], ["namespace package"]) and not private_path(module.name)
    ]
    return prune(modules, opaque), report


def _read(name: str, source: Source, library: Library) -> Module:
    understood = name in library.understood
    stub = read_module(name, source.stub, is_package=source.is_package, stub=True) if source.stub is not None else None
    if source.python is not None:
        found = read_module(name, source.python, is_package=source.is_package, understood=understood)
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


def _complete(found: Module, stub: Module) -> None:
    """Let a stub say what the source leaves vague; the source has the last word on what exists."""
    for name, items in stub.items.items():
        if name not in found.items:
            if found.open or found.lazy:
                found.items[name] = items
        elif all(_is_vague(item) for item in found.items[name]):
            telling = [item for item in items if isinstance(item, Class | Function | Alias)]
            if telling:
                found.items[name] = list[Item](telling)


def _is_vague(item: Item) -> bool:
    return isinstance(item, Maybe | Value)
