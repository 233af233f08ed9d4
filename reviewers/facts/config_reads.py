"""The configuration keys that the code reads, under whatever names it passes the configuration
around.

Names are followed without regard to order: a variable, a parameter or an attribute may hold every
section that some statement assigns to it. So a read may belong to one of several sections, and a
key that is not found is read nowhere, unless `Escape` says that a whole section is passed to code
that is not visible.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from reviewers.facts.entry_points import entry_points
from reviewers.facts.local_code import LocalCode, Target
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import Function, handed_over, method_of, positional, root_of
from reviewers.records import Span
from reviewers.steps import spend

ANY = "*"
"""A part of a key that is only known at run time."""
_USUAL = frozenset({"cfg", "config", "conf"})
_LOADS = frozenset(  # calls that return a configuration's root
    {"hydra.compose", "omegaconf.OmegaConf.load", "yaml.safe_load", "yaml.load", "yaml.full_load"}
)
_SAME = frozenset(
    {"omegaconf.OmegaConf.to_container", "omegaconf.OmegaConf.create", "dict"}
    | {"omegaconf.OmegaConf.merge", "omegaconf.OmegaConf.clone", "omegaconf.DictConfig"}
)
_SHOWS = frozenset(  # calls that take a whole section without using its values
    {"print", "omegaconf.OmegaConf.to_yaml", "omegaconf.OmegaConf.save", "wandb.init", "len"}
    | {"omegaconf.OmegaConf.set_struct", "omegaconf.OmegaConf.resolve", "omegaconf.open_dict"}
    | {"omegaconf.OmegaConf.set_readonly", "omegaconf.read_write", "omegaconf.flag_override"}
    | {f"omegaconf.OmegaConf.is_{kind}" for kind in ("config", "dict", "list")}
    | {"json.dump", "json.dumps", "yaml.dump", "yaml.safe_dump", "pprint.pprint"}
    | {"str", "repr", "isinstance", "bool", "hasattr", "type"}
    | {"omegaconf.OmegaConf.is_missing", "omegaconf.OmegaConf.update", "wandb.config.update"}
)
_READING_METHODS = frozenset({"get", "pop", "setdefault"})
_WHOLE_METHODS = frozenset({"items", "values", "keys", "copy"})
_ROOTS = ("cfg.", "config.", "conf.", "cfg_root.", "self.cfg.")
_MOST_ROUNDS = 12
_MOST_SECTIONS = 40  # per name

Path = tuple[str, ...]
Holder = tuple[str, str, str]
"""What holds a section: file, scope and name; the scope of an attribute is its class."""


def plain_key(key: str) -> str:
    """A key without the variable name that a claim may put before it."""
    for root in _ROOTS:
        key = key.removeprefix(root)
    return key


@dataclass(frozen=True, slots=True)
class ConfigRead:
    """A place that reads a key.

    Attributes:
        key: dotted, from the configuration's root; `*` for a part made at run time.
        is_guarded: whether an absent key is handled: by a default or a test.
        is_root_sure: whether the configuration is certainly the one that the script received, not
            merely named like one.
    """

    key: str
    span: Span
    scope: str
    is_guarded: bool
    is_root_sure: bool = True

    def reads(self, key: str) -> bool:
        """Whether it reads a key, or something below it."""
        return self.key == key or self.key.startswith(f"{key}.")

    def reads_below(self, key: str) -> bool:
        """Whether it reads a key of a section that is chosen at run time, such as a run's."""
        section, _, below = self.key.rpartition(f"{ANY}.")
        return bool(section) and (below == key or below.startswith(f"{key}."))

    def may_read(self, key: str) -> bool:
        """Whether it may read a key: one made at run time, or the same key in another section."""
        mine, asked = self.key.split("."), key.split(".")
        length = min(len(mine), len(asked))
        same = all(a in (b, ANY) or b == ANY for a, b in zip(mine, asked, strict=False))
        ends = mine[-length:] == asked[-length:] and length == len(asked)
        return (same and ANY in mine) or ends or self.reads(key)


@dataclass(frozen=True, slots=True)
class Escape:
    """A place where a value is passed to code that is not visible; if it is a section, that code
    may read any of its keys.
    """

    key: str
    span: Span
    scope: str

    def may_read(self, key: str) -> bool:
        """Whether a key would lie in the section."""
        return not self.key or key.startswith(f"{self.key}.")


class ConfigReads:
    """What a submission's code reads from its configuration."""

    def __init__(self, python: Mapping[str, PythonFile], code: LocalCode) -> None:
        self._python = {path: file for path, file in python.items() if file.readable}
        self._code = code
        self._held: dict[Holder, set[Path]] = {}
        self._sure: set[Holder] = set()
        self._returned: dict[tuple[str, str], set[Path]] = {}
        self._bound: dict[tuple[Holder, ast.expr], PythonFile] = {}

    @cached_property
    def _found(self) -> tuple[tuple[ConfigRead, ...], tuple[Escape, ...]]:
        self._begin()
        for _ in range(_MOST_ROUNDS):
            before = sum(map(len, self._held.values())) + sum(map(len, self._returned.values()))
            for file in self._python.values():
                self._follow(file)
            if before == sum(map(len, (*self._held.values(), *self._returned.values()))):
                break
        reads: list[ConfigRead] = []
        escapes: list[Escape] = []
        for file in self._python.values():
            for found in self._look(file):
                (reads if isinstance(found, ConfigRead) else escapes).append(found)  # type: ignore[arg-type]
        return tuple(dict.fromkeys(reads)), tuple(dict.fromkeys(escapes))

    @property
    def reads(self) -> tuple[ConfigRead, ...]:
        """Every read of a key, in the order of files and text."""
        return self._found[0]

    @property
    def escapes(self) -> tuple[Escape, ...]:
        """Every place where a section is passed to code that is not visible."""
        return self._found[1]

    @property
    def bound(self) -> Mapping[tuple[Holder, ast.expr], PythonFile]:
        """What is bound to each variable, parameter and attribute that holds a section, with the
        file that binds it.
        """
        assert self._found is not None  # a section is known once all are
        return self._bound

    def _begin(self) -> None:
        for path, file in self._python.items():
            for entry in entry_points(path, file):
                function = file.functions[entry.function]
                arguments = positional(function)
                if arguments:
                    place = (path, entry.function, arguments[0].arg)
                    self._held[place] = {()}
                    self._sure.add(place)
            for name, function in file.functions.items():
                for argument in positional(function):
                    if argument.arg in _USUAL:
                        self._held.setdefault((path, name, argument.arg), set())

    def _follow(self, file: PythonFile) -> None:
        spend(len(file.nodes))
        for node in file.of(ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.Return, ast.Call):
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self._store(file, target, value)
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    self._store(file, target, value)
                case ast.NamedExpr(target=target, value=value):
                    self._store(file, target, value)
                case ast.Return(value=ast.expr() as value):
                    scope = file.scope_at(node.lineno)
                    held = self._returned.setdefault((file.path, scope), set())
                    held |= self._sections(file, value)
                case ast.Call():
                    self._hand_over(file, node)

    def _store(self, file: PythonFile, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case (ast.Tuple() | ast.List(), ast.Tuple() | ast.List()):
                for one, given in zip(target.elts, value.elts, strict=False):
                    self._store(file, one, given)
                return
        held = self._sections(file, value)
        place = self.holder(file, target) if held else None
        if place is not None:
            self._bound[place, value] = file
            known = self._held.setdefault(place, set())
            if len(known) < _MOST_SECTIONS:
                known |= held
                if self._is_sure(file, value):
                    self._sure.add(place)

    def _hand_over(self, file: PythonFile, call: ast.Call) -> None:
        """Bind the parameters of a local function to the arguments of a call."""
        if (later := self._partial(file, call)) is not None:
            path, function = later
            for keyword in call.keywords:
                if keyword.arg:
                    self._give(file, keyword.value, (path, function, keyword.arg))
        reached = self._target(file, call)
        if reached is None:
            return
        name = next(
            (one.name for one in reached.file.definitions if one.node is reached.function), ""
        )
        for parameter, value in handed_over(call, reached.function, bound=reached.bound):
            self._give(file, value, (reached.file.path, name, parameter))

    def _give(self, file: PythonFile, value: ast.expr, place: Holder) -> None:
        held = self._sections(file, value)
        if held:
            self._held.setdefault(place, set()).update(held)
            self._bound[place, value] = file
            if self._is_sure(file, value):
                self._sure.add(place)

    def holder(self, file: PythonFile, node: ast.expr) -> Holder | None:
        """What an expression names: a variable of a scope, or an attribute of a class's
        instances.
        """
        match node:
            case ast.Name(id=name):
                return file.path, self._owner(file, node), name
            case ast.Attribute(value=ast.Name() as owner, attr=attr):
                kind = self._code.own_class(file, owner)
                return (kind[0].path, f"class {kind[1].name}", attr) if kind else None
        return None

    def _owner(self, file: PythonFile, name: ast.Name) -> str:
        """The scope that binds a name: its own function's, one around it, else the module's."""
        scope = file.scope_at(name.lineno)
        if any(name.id in one.names for one in file.of(ast.Global)):
            return ""
        while scope and (file.path, scope, name.id) not in self._held:
            above = scope.rpartition(".")[0]
            if isinstance(name.ctx, ast.Store):
                return scope
            scope = above
        return scope

    def _is_sure(self, file: PythonFile, node: ast.expr) -> bool:
        """Whether a section is certainly part of a script's own configuration."""
        inner = node
        while isinstance(inner, (ast.Attribute, ast.Subscript, ast.Call)):
            place = self.holder(file, inner) if isinstance(inner, ast.Attribute) else None
            if place in self._sure:
                return True
            if isinstance(inner, ast.Call):
                if method_of(inner) in _READING_METHODS or not inner.args:
                    inner = inner.func
                else:
                    inner = inner.args[0]
            else:
                inner = inner.value
        place = self.holder(file, inner)
        return place in self._sure if place else False

    def sections(self, file: PythonFile, node: ast.expr) -> set[Path]:
        """The sections that an expression may be; empty for anything else."""
        assert self._found is not None  # they are known once all of the code is followed
        return self._sections(file, node)

    def _sections(self, file: PythonFile, node: ast.expr) -> set[Path]:
        match node:
            case ast.Name(id=name):
                held = self._held.get((file.path, self._owner(file, node), name))
                # A parameter without a known argument, named like a configuration.
                return {()} if held is not None and not held else set(held or ())
            case ast.Attribute(value=owner, attr=attr):
                place = self.holder(file, node)
                if place in self._held:
                    return set(self._held[place])
                return {(*path, attr) for path in self._sections(file, owner)}
            case ast.Subscript(value=owner, slice=part):
                return {(*path, _text(part)) for path in self._sections(file, owner)}
            case ast.Call():
                return self._given_by(file, node)
            case ast.IfExp(body=body, orelse=orelse):
                return self._sections(file, body) | self._sections(file, orelse)
            case ast.BoolOp(values=values):
                return {path for value in values for path in self._sections(file, value)}
        return set()

    def _given_by(self, file: PythonFile, call: ast.Call) -> set[Path]:
        name = file.resolve(call.func)
        is_copy = (name or "").rpartition(".")[2] in ("deepcopy", "copy") and call.args
        if is_copy or name in _SAME:
            return {path for given in call.args for path in self._sections(file, given)}
        if name == "omegaconf.OmegaConf.select" and len(call.args) > 1:
            below = tuple(_text(call.args[1]).split("."))
            return {(*path, *below) for path in self._sections(file, call.args[0])}
        if name == "getattr" and len(call.args) > 1:
            return {(*path, _text(call.args[1])) for path in self._sections(file, call.args[0])}
        if (
            isinstance(call.func, ast.Attribute)
            and call.args
            and method_of(call) in _READING_METHODS
        ):
            owners = self._sections(file, call.func.value)
            return {(*path, _text(call.args[0])) for path in owners}
        if isinstance(call.func, ast.Attribute) and call.func.attr == "copy":
            return self._sections(file, call.func.value)
        if name in _LOADS:
            return {()}
        reached = self._target(file, call)
        if reached is None:
            return set()
        names = (one.name for one in reached.file.definitions if one.node is reached.function)
        return set(self._returned.get((reached.file.path, next(names, "")), ()))

    def _look(self, file: PythonFile) -> Iterator[ConfigRead | Escape]:
        for node in file.nodes:
            if not isinstance(node, ast.expr) or isinstance(getattr(node, "ctx", None), ast.Store):
                continue
            sections = self._sections(file, node)
            if not sections:
                continue
            parent = file.parents.get(node)
            is_called = isinstance(parent, ast.Call) and parent.func is node
            if is_called or self._goes_on(file, node, parent):
                continue
            span = Span(file.path, node.lineno, node.end_lineno)
            scope = file.scope_at(node.lineno)
            is_whole = self._leaves_whole(file, node, parent)
            for path in sections:
                key = ".".join(path)
                if key and not isinstance(node, ast.Name):
                    is_sure = self._is_sure(file, node)
                    yield ConfigRead(key, span, scope, _is_guarded(file, node), is_sure)
                if is_whole:
                    yield Escape(key, span, scope)

    def _goes_on(self, file: PythonFile, node: ast.expr, parent: ast.AST | None) -> bool:
        """Whether more of the key follows around an expression."""
        match parent:
            case ast.Attribute() if isinstance(parent.ctx, ast.Load):
                grand = file.parents.get(parent)
                is_method = isinstance(grand, ast.Call) and grand.func is parent
                return not (is_method and parent.attr not in _READING_METHODS)
            case ast.Attribute():
                return True
            case ast.Subscript(value=value) if value is node:
                return True
            case ast.Call(args=[first, *_]) if first is node:
                return bool(self._given_by(file, parent))
        return False

    def _target(self, file: PythonFile, call: ast.Call) -> Target | None:
        """The local function that a call reaches, also through a module's name."""
        found = self._code.target(file, call)
        if found is not None or not isinstance(call.func, ast.Attribute):
            return found
        module, _, name = (file.resolve(call.func) or "").rpartition(".")
        where = next((one for one in self._python.values() if one.module == module), None)
        function = where.functions.get(name) if where is not None else None
        if where is None or function is None or function.decorator_list:
            return None
        return Target(where, function, name, False)

    def _partial(self, file: PythonFile, call: ast.Call) -> tuple[str, str] | None:
        """The function of the file that `functools.partial` is to call with these keywords."""
        if file.resolve(call.func) != "functools.partial" or len(call.args) != 1:
            return None
        name = getattr(call.args[0], "id", "")
        return (file.path, name) if name in file.functions else None

    def _is_seen(self, file: PythonFile, call: ast.Call) -> bool:
        """Whether a call reaches visible code, or a missing module of the submission's own package,
        so that nothing else reads its arguments.
        """
        if self._target(file, call) is not None or self._partial(file, call) is not None:
            return True
        bound = getattr(root_of(call.func), "id", None)
        item = next((one for one in file.imports if bound and one.bound == bound), None)
        if item is None:
            return False
        module = file.absolute(item)
        modules = {other.module for other in self._python.values()}
        is_own = any(one.startswith(f"{module.partition('.')[0]}.") for one in modules)
        return is_own and not {module, f"{module}.{item.name}"} & modules

    def _leaves_whole(self, file: PythonFile, node: ast.expr, parent: ast.AST | None) -> bool:
        """Whether everything below an expression may be read by code that is not visible."""
        match parent:
            case ast.Call(func=func):
                name = file.resolve(func) or ""
                if func is node:
                    return False
                return name not in _SHOWS | _SAME and not self._is_seen(file, parent)
            case ast.keyword(arg=name):
                call = file.parents.get(parent)
                if not isinstance(call, ast.Call):
                    return True
                if file.resolve(call.func) in _SHOWS:
                    return False
                return name is None or not self._is_seen(file, call)
            case ast.Attribute(attr=attr):
                return attr in _WHOLE_METHODS
            case ast.Tuple() | ast.List():
                store = file.parents.get(parent)
                is_unpacked = isinstance(store, ast.Assign) and isinstance(
                    store.targets[0], (ast.Tuple, ast.List)
                )
                return not is_unpacked
            case ast.Dict():
                return not self._is_shown(file, parent)
            case ast.For() | ast.comprehension() | ast.Starred() | ast.Match():
                return True
        return False

    def _is_shown(self, file: PythonFile, held: ast.expr) -> bool:
        """Whether a mapping is passed only to calls that take it whole, directly or through one
        name.
        """
        parent = file.parents.get(held)
        match parent:
            case ast.Assign(targets=[ast.Name() as name]):
                scope = file.scope_at(name.lineno)
                loads = [
                    one
                    for one in file.nodes
                    if isinstance(one, ast.Name)
                    and one.id == name.id
                    and isinstance(one.ctx, ast.Load)
                    and file.scope_at(one.lineno) == scope
                ]
                return bool(scope) and all(self._is_shown(file, one) for one in loads)
            case ast.Call():
                return held is not parent.func and file.resolve(parent.func) in _SHOWS
            case ast.Dict():
                return self._is_shown(file, parent)
        return False


def _text(node: ast.expr) -> str:
    """A key as written, `*` for one computed at run time."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, int)):
        return str(node.value)
    return ANY


def _is_guarded(file: PythonFile, node: ast.expr) -> bool:
    """Whether a read gives a default, follows a test of the same section, or is tried."""
    if isinstance(node, ast.Call):
        return len(node.args) > 1 or bool(node.keywords) or method_of(node) in _READING_METHODS
    key = node.attr if isinstance(node, ast.Attribute) else ""
    inner: ast.AST = node
    for around in file.ancestors(node):
        if isinstance(around, ast.Try) and around.handlers and inner in around.body:
            return True
        is_behind = isinstance(around, (ast.If, ast.IfExp)) and inner is not around.test
        if is_behind and key and key in ast.unparse(around.test):  # type: ignore[attr-defined]
            return True
        if isinstance(around, Function):
            return False
        inner = around
    return False
