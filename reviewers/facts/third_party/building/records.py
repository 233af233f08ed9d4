"""What is read from one module of one version of a library, before linking."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Alias:
    """A name bound to something that lives elsewhere: an import, or a plain assignment of another
    name.
    """

    target: str


@dataclass(frozen=True)
class Decorator:
    """One decorator: its dotted name ("" if it is not a plain name), and whether it is called
    with arguments.
    """

    dotted: str
    called: bool


@dataclass(frozen=True)
class Function:
    """A function or method.

    Attributes:
        kind: f function, i instance method, s static method, k class method, p property.
        parameters: the parameter list in the index's own notation, see `Signature.parse`.
        returns: dotted names of the annotated result joined by "|", "" if it is not known.
        decorators: those not known to leave the signature alone; the linker decides on them.
    """

    kind: str
    parameters: str
    returns: str = ""
    decorators: tuple[Decorator, ...] = ()


@dataclass(frozen=True)
class Value:
    """Anything else that is bound; `type` is the dotted class where an annotation or a constructor
    call shows it.
    """

    type: str = ""


@dataclass(frozen=True)
class Maybe:
    """A name that dynamic code mentions: it may exist."""


@dataclass
class Class:
    """A class; members of the class itself and of its instances are kept apart.

    Attributes:
        open_class: attributes may be added to the class in ways that were not understood.
        open_instance: the same for its instances (`__getattr__`, `setattr(self, name, …)`).
        opaque_constructor: what the constructor takes cannot be read.
        searched: known from a stub; a name that its compiled code does not spell does not exist.
        fields: the constructor parameters that this class's own dataclass or named tuple fields
            give, else None.
    """

    bases: tuple[str, ...] = ()
    metaclass: str = ""
    decorators: tuple[Decorator, ...] = ()
    members: dict[str, list["Item"]] = field(default_factory=dict)
    attributes: dict[str, list["Item"]] = field(default_factory=dict)
    fields: str | None = None
    open_class: bool = False
    open_instance: bool = False
    opaque_constructor: bool = False
    searched: bool = False


Item = Alias | Function | Value | Maybe | Class


@dataclass
class Module:
    """One module of one version.

    Attributes:
        stars: modules whose public names are imported with a star; `a.b.**` means every module
            below `a.b`.
        exported: the names of a static `__all__`, None if there is none or it is computed.
        open: names may exist that were not understood; `why` names the constructs, for the build
            report.
        searched: further names can only come from compiled code whose strings are indexed.
        lazy: the module replaces itself by a lazy loader of the names it declares.
        natures: how each function of the module acts as a decorator: "plain", "factory", or both,
            joined by a blank.
        outside: attributes set on things of other modules: (dotted, name), name None if it is
            computed.
        assigned: attributes set on objects whose class is not known: (last word of the object,
            name).
        maybe_modules: modules that code puts into `sys.modules`.
        computes_exports: it has an `__all__` that reading cannot follow.
        alters_exports: it fills the `__all__` of other modules.
    """

    name: str
    is_package: bool = False
    items: dict[str, list[Item]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    exported: frozenset[str] | None = None
    open: bool = False
    why: list[str] = field(default_factory=list)
    lazy: bool = False
    searched: bool = False
    natures: dict[str, str] = field(default_factory=dict)
    outside: list[tuple[str, str | None]] = field(default_factory=list)
    assigned: set[tuple[str, str]] = field(default_factory=set)
    maybe_modules: set[str] = field(default_factory=set)
    alters_exports: bool = False
    computes_exports: bool = False

    def add(self, name: str, item: Item) -> None:
        """Bind a name; a second binding is beside the first, since either may be the one that
        runs.
        """
        known = self.items.setdefault(name, [])
        if item not in known:
            known.append(item)

    def open_up(self, why: str) -> None:
        self.open = True
        self.why.append(why)


def private(name: str) -> bool:
    return name.startswith("_")


def private_path(dotted: str) -> bool:
    return any(private(part) for part in dotted.split("."))
