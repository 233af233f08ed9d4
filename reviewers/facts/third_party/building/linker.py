"""Links the modules of one version: star imports, attributes set from elsewhere, decorators; and
drops what is not needed.
"""

from collections.abc import Iterable

from reviewers.facts.third_party.building.effects import class_effect, parameters_after
from reviewers.facts.third_party.building.records import (
    Alias,
    Class,
    Decorator,
    Function,
    Item,
    Maybe,
    Module,
    Value,
    private,
    private_path,
)

_HOPS = 12
_KEPT_SPECIAL = frozenset(
    {
        "__init__", "__new__", "__call__", "__iter__", "__contains__", "__len__", "__getitem__",
        "__setitem__", "__enter__",
        "__next__", "__bool__", "__version__",
    }
)  # fmt: skip

_SAY_NOTHING = (Value(), Maybe())


def link(modules: dict[str, Module]) -> None:
    """Complete every module in place, so that each can be read without the others' source."""
    linker = _Linker(modules)
    linker.expand_stars()
    linker.apply_outside()
    for module in modules.values():
        for name in sorted(module.exported or ()):
            if name not in module.items:
                module.add(name, Value())
        # What is known of a name only because it is listed somewhere says less than the submodule
        # of that name.
        module.items = {
            name: linker.settle_all(items)
            for name, items in module.items.items()
            if f"{module.name}.{name}" not in modules
            or not all(item in _SAY_NOTHING for item in items)
        }


class _Linker:
    def __init__(self, modules: dict[str, Module]) -> None:
        self.modules = modules
        self.children: dict[str, list[str]] = {}
        for name in modules:
            self.children.setdefault(name.rpartition(".")[0], []).append(name)
        self._bound: dict[str, dict[str, str]] = {}
        self._all_is_altered = any(module.alters_exports for module in modules.values())
        self._star_sources = {name: tuple(module.stars) for name, module in modules.items()}

    def expand_stars(self) -> None:
        """Turn star imports from modules of the same library into plain imports."""
        self._bring_everything()
        for name, module in self.modules.items():
            for source in self._sources(name):
                for exported, origin in self.exports(source).items():
                    if all(isinstance(item, Maybe) for item in module.items.get(exported, ())):
                        module.items[exported] = [
                            (
                                Alias(f"{origin}.{exported}")
                                if self._is_meant(source, origin, exported)
                                else Maybe()
                            )
                        ]
                if self._leaks(source, frozenset()):
                    module.open_up(f"star import of the open {source}")
                module.searched |= (
                    self.modules[source].searched and self.modules[source].exported is None
                )
            module.stars = [
                source
                for source in self._star_sources[name]
                if source.partition(".")[0] not in self.modules
            ]

    def _below(self, name: str) -> list[str]:
        found = []
        pending = [name]
        while pending:
            for child in self.children.get(pending.pop(), ()):
                found.append(child)
                pending.append(child)
        return sorted(found)

    def _bring_everything(self) -> None:
        """Work out the names of every module with those of its star imports, until nothing is added
        any more.
        """
        self._bound = {
            name: dict.fromkeys(module.items, name) for name, module in self.modules.items()
        }
        importers = {name: self._sources(name) for name in self.modules if self._star_sources[name]}
        grows = True
        while grows:
            grows = False
            for name, sources in importers.items():
                bound = self._bound[name]
                before = len(bound)
                for source in sources:
                    for exported, origin in self.exports(source).items():
                        bound.setdefault(exported, origin)
                grows |= len(bound) > before

    def _sources(self, name: str) -> list[str]:
        """The modules of this library that a module imports with a star."""
        found: list[str] = []
        for source in self._star_sources[name]:
            below = source.removesuffix(".**")
            if below == source:
                found.append(source)
            else:
                # A lazy loader reads what each file lists in `__all__`; no list brings nothing.
                found += [inner for inner in self._below(below) if not self._is_silent(inner)]
        return [inner for inner in found if inner in self.modules and inner != name]

    def _is_silent(self, name: str) -> bool:
        return self.modules[name].why == ["left out"] and self.modules[name].exported is None

    def exports(self, name: str) -> dict[str, str]:
        """What a star import of a module brings: name → the module that binds it."""
        bound, exported = self._bound[name], self.modules[name].exported
        if exported is not None and not self._all_is_altered:
            return {public: bound.get(public, name) for public in sorted(exported)}
        return {
            public: origin
            for public, origin in bound.items()
            if not private(public) or public in (exported or ())
        }

    def _is_meant(self, source: str, origin: str, name: str) -> bool:
        """Whether a name is certain to be in a computed `__all__`: what a module only imports for
        its own use is not.
        """
        if not self.modules[source].computes_exports:
            return True
        items = self.modules[origin].items.get(name, ())
        return not any(
            isinstance(item, Alias) and item.target.partition(".")[0] not in self.modules
            for item in items
        )

    def _leaks(self, name: str, seen: frozenset[str]) -> bool:
        """Whether a star import of a module may bring names that are not known."""
        module = self.modules[name]
        if (module.exported is not None and not self._all_is_altered) or name in seen:
            return False
        # A module's own __getattr__ is not asked by a star import.
        if any(why != "__getattr__" for why in module.why) and module.open:
            return True
        return any(
            source in self.modules and self._leaks(source, seen | {name})
            for source in self._star_sources[name]
        )

    def apply_outside(self) -> None:
        """Bind what modules set on the modules and classes of others."""
        for module in self.modules.values():
            for dotted, name in module.outside:
                where = self.find(dotted)
                if isinstance(where, Module):
                    if name is None:
                        where.open_up(f"{module.name} sets computed names on it")
                    else:
                        where.items.setdefault(name, [Value()])
                elif isinstance(where, Class):
                    if name is None:
                        where.open_class = where.open_instance = True
                    elif name in {"__init__", "__new__", "__call__"}:
                        where.opaque_constructor = True
                    else:
                        where.members.setdefault(name, [Value()])

    def find(self, dotted: str, hops: int = _HOPS) -> Module | Class | Function | None:
        """What a dotted name stands for within the library, None if that is not one known
        thing.
        """
        if not hops:
            return None
        parts = dotted.split(".")
        for cut in range(len(parts), 0, -1):
            module = self.modules.get(".".join(parts[:cut]))
            if module is None:
                continue
            rest = parts[cut:]
            if not rest:
                return module
            items = module.items.get(rest[0], [])
            for part in rest[1:]:
                if len(items) == 1 and isinstance(items[0], Class):
                    items = items[0].members.get(part, [])
                elif len(items) == 1 and isinstance(items[0], Alias):
                    return self.find(".".join([items[0].target, *rest[1:]]), hops - 1)
                else:
                    return None
            if len(items) != 1:
                return None
            item = items[0]
            if isinstance(item, Alias):
                return self.find(item.target, hops - 1)
            return item if isinstance(item, (Class, Function)) else None
        return None

    def _leaves_alone(self, decorator: Decorator, hops: int = _HOPS) -> bool:
        """Whether a decorator of this library hands back what it was given, signature included."""
        module_name, _, name = decorator.dotted.rpartition(".")
        module = self.modules.get(module_name)
        if module is None or not hops:
            return False
        if name in module.natures:
            return ("factory" if decorator.called else "plain") in module.natures[name].split()
        items = module.items.get(name, [])
        if len(items) == 1 and isinstance(items[0], Alias):
            return self._leaves_alone(Decorator(items[0].target, decorator.called), hops - 1)
        return False

    def settle_all(self, items: list[Item]) -> list[Item]:
        return [self._settle(item) for item in items]

    def _settle(self, item: Item) -> Item:
        if isinstance(item, Function) and item.decorators:
            parameters: str | None = item.parameters
            for decorator in reversed(item.decorators):
                if parameters is not None and not self._leaves_alone(decorator):
                    parameters = parameters_after(decorator, parameters)
            return Value() if parameters is None else Function(item.kind, parameters, item.returns)
        if isinstance(item, Class):
            for decorator in item.decorators:
                effect = "keeps" if self._leaves_alone(decorator) else class_effect(decorator)
                item.opaque_constructor |= effect != "keeps"
                if effect == "unknown":
                    item.open_class = item.open_instance = True
            item.members = {name: self.settle_all(items) for name, items in item.members.items()}
        return item


def prune(modules: dict[str, Module], opaque: Iterable[str]) -> dict[str, Module]:
    """Keep what can be reached from public names; the rest of a module is then unknown.

    Args:
        opaque: modules whose inside is left out altogether.
    """
    left_out = frozenset(opaque)
    reached = _Reach(modules, left_out)
    for name in modules:
        if not private_path(name) and name not in left_out:
            reached.whole_module(name)
    return {
        name: _kept(module, reached.names.get(name, set()), name in left_out)
        for name, module in modules.items()
    }


class _Reach:
    def __init__(self, modules: dict[str, Module], left_out: frozenset[str]) -> None:
        self.modules = modules
        self.left_out = left_out
        self.names: dict[str, set[str]] = {}

    def whole_module(self, name: str) -> None:
        for bound in self.modules[name].items:
            if not private(bound) or bound in _KEPT_SPECIAL:
                self.reach(f"{name}.{bound}")

    def reach(self, dotted: str) -> None:
        pending = [dotted]
        while pending:
            parts = pending.pop().split(".")
            for cut in range(len(parts) - 1, 0, -1):
                name = ".".join(parts[:cut])
                if name in self.modules:
                    bound = parts[cut]
                    known = self.names.setdefault(name, set())
                    if (
                        bound in self.modules[name].items
                        and bound not in known
                        and name not in self.left_out
                    ):
                        known.add(bound)
                        for item in self.modules[name].items[bound]:
                            pending.extend(_references(item))
                    break


def _references(item: Item) -> Iterable[str]:
    match item:
        case Alias(target=target):
            yield target
        case Function(returns=returns) if returns:
            yield from returns.split("|")
        case Value(type=type_) if type_:
            yield from type_.split("|")
        case Class():
            yield from item.bases
            if item.metaclass:
                yield item.metaclass
            for table in (item.members, item.attributes):
                for name, items in table.items():
                    if not private(name) or name in _KEPT_SPECIAL:
                        for inner in items:
                            yield from _references(inner)


def _kept(module: Module, reached: set[str], left_out: bool) -> Module:
    if left_out or (private_path(module.name) and not reached):
        return Module(module.name, module.is_package, open=True)
    items = {
        name: [_kept_item(item) for item in found]
        for name, found in module.items.items()
        if name in reached
    }
    partly = module.open or private_path(module.name)
    return Module(
        module.name, module.is_package, items, module.stars, open=partly, searched=module.searched
    )


def _kept_item(item: Item) -> Item:
    if not isinstance(item, Class):
        return item
    return Class(
        item.bases,
        item.metaclass,
        (),
        {
            name: [_kept_item(inner) for inner in items]
            for name, items in item.members.items()
            if not private(name) or name in _KEPT_SPECIAL
        },
        {
            name: items
            for name, items in item.attributes.items()
            if not private(name) and name not in item.members
        },
        item.fields,
        item.open_class,
        item.open_instance,
        item.opaque_constructor,
        item.searched,
    )
