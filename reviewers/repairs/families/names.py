"""Repairs of the submission's own names: a module, a function, an attribute or an argument that is
called otherwise than where it is defined, or that is forgotten or too many.

What may be meant is what is really defined there; see `reviewers.repairs.meant` for which of it is.
"""

import ast
import builtins
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from importlib import import_module

from reviewers.facts import Facts
from reviewers.facts.local_modules import LocalClass, missing_imports
from reviewers.facts.python_nodes import Function, last_name, positional
from reviewers.facts.shadows import shadowed_uses
from reviewers.facts.signatures import mismatch
from reviewers.facts.third_party import standard_names
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.base import Proposal, repairs, stated
from reviewers.repairs.edits import CannotEdit, PythonEdits
from reviewers.repairs.meant import (
    SPELLED,
    clearly_meant,
    differ_in_number,
    singular,
    ways,
)
from reviewers.repairs.renamed import renamed
from reviewers.repairs.sight import attributes_read, in_sight, members, self_in_sight

_UNUSED = 12.0  # points for what nothing else asks for: it was made to be asked for


_Home = tuple[str, str]  # a module, and how a name is called there


# Modules and what is imported from them


@repairs("IM03", "IM04", "IM16")
def import_from_its_home(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Each name from the module that defines it, whatever the import calls them; none where nothing
    uses it.
    """
    span = finding.span
    if span is None or span.line is None or span.file not in facts.python:
        return
    code = PythonEdits(facts, span.file)
    wrong = {
        missing.name
        for missing in missing_imports(facts.python, facts.submission.by_path)
        if (missing.file, missing.item.line) == (span.file, span.line)
    }
    for statement in code.file.of(ast.Import, ast.ImportFrom):
        if statement.lineno != span.line:
            continue
        if isinstance(statement, ast.Import):
            yield from _plain_import(facts, code, statement)
        elif wrong and None not in wrong:
            yield from _Imported(facts, code, statement).some(frozenset(filter(None, wrong)))
        else:
            yield from _Imported(facts, code, statement).all()


def _plain_import(facts: Facts, code: PythonEdits, statement: ast.Import) -> Iterator[Proposal]:
    """`import train` where the module is `src.train`."""
    (alias,) = statement.names if len(statement.names) == 1 else (None,)
    if alias is None:
        raise CannotEdit("several modules in one import")
    bound = alias.asname or alias.name
    used = {node.attr for node in code.file.of(ast.Attribute) if ast.unparse(node.value) == bound}
    homes = {
        file.module: 0.0
        for file in facts.python.values()
        if file.path != code.path and used <= (file.top_level_names or frozenset())
    }
    last = {module.rpartition(".")[2]: module for module in homes}
    name = clearly_meant(alias.name.rpartition(".")[2], dict.fromkeys(last, 0.0))
    if not name:
        return
    folder = last[name].rpartition(".")[0]
    if "." in alias.name:
        given = f" as {alias.asname}" if alias.asname else ""
        edits = [code.put(alias, last[name] + given)]
        edits += [
            code.put(node, last[name])
            for node in code.file.of(ast.Attribute)
            if ast.unparse(node) == alias.name
        ]
    elif not folder:
        edits = [code.put(alias, name if bound == name else f"{name} as {bound}")]
    else:
        given = name if bound == name else f"{name} as {bound}"
        edits = [code.put(statement, code.import_line(folder, given))]
    yield Proposal(f"Import {last[name]}, which is there", tuple(edits))


class _Imported:
    """The names of one `from … import …`, of which some are not where it looks for them."""

    def __init__(self, facts: Facts, code: PythonEdits, statement: ast.ImportFrom) -> None:
        self._facts = facts
        self._code = code
        self._statement = statement
        self._module = code.file.absolute_module(statement.module or "", statement.level)
        self._others = [each for each in facts.python.values() if each.path != code.path]
        self._asks = ""

    def all(self) -> Iterator[Proposal]:
        """The module is not there."""
        names = {each.name for each in self._statement.names}
        modules = self._submodules(names)
        if modules:
            yield from self._written(modules, "Import the module that is there")
            return
        near = clearly_meant(self._module, {file.module: 0.0 for file in self._others})
        if "*" in names:
            yield from [self._moved(near)] if near else []
            return
        having = {
            file.module: 0.0
            for file in self._others
            if names <= (file.top_level_names or frozenset()) and file.module != self._module
        }
        defining = {module: 0.0 for module in having if names <= self._defined(module)}
        chosen = defining or having
        best = next(iter(chosen)) if len(chosen) == 1 else clearly_meant(self._module, chosen)
        if best:
            yield self._moved(best)
            return
        yield from self._written(
            {alias: self._home(alias, near) for alias in self._statement.names},
            "Import each name from the module that has it",
        )

    def some(self, wrong: Collection[str]) -> Iterator[Proposal]:
        """The module is there, and has no such names."""
        here = [each for each in self._statement.names if each.name in wrong]
        homes: dict[ast.alias, _Home | None] = {
            alias: (self._module, alias.name)
            for alias in self._statement.names
            if alias.name not in wrong
        }
        told = []
        for alias in here:
            homes[alias] = self._home(alias, self._module)
            if (found := homes[alias]) is None:
                told.append(f"take out the import of {alias.name}, which nothing uses")
            elif found[0] != self._module:
                told.append(f"import {alias.name} from {found[0]}, which has it")
            else:
                told.append(f"write {found[1]} for {alias.name}, as {self._module} calls it")
        text = " and ".join(told)
        yield from self._written(homes, text[:1].upper() + text[1:])

    def _defined(self, module: str) -> frozenset[str]:
        """What a module defines itself, without what it imports."""
        for file in self._others:
            if file.module == module:
                top = file.top_level_names or frozenset()
                imported = {each.bound for each in file.imports if not each.scope}
                return frozenset(top - imported)
        return frozenset()

    def _submodules(self, names: Collection[str]) -> dict[ast.alias, _Home | None]:
        """What `from src import models` means: modules of a package, not names of a module."""
        of_package = {
            file.module.rpartition(".")[2]: 0.0
            for file in self._others
            if file.module.rpartition(".")[0] == self._module
        }
        if not of_package or not self._module:
            return {}
        found: dict[ast.alias, _Home | None] = {}
        for alias in self._statement.names:
            meant = alias.name if alias.name in of_package else ""
            if meant := meant or clearly_meant(alias.name, of_package):
                found[alias] = self._module, meant
        return found if len(found) == len(names) else {}

    def _home(self, alias: ast.alias, near: str) -> _Home | None:
        """The module that has a name, and how it is called there; None where nothing uses it.

        Raises:
            CannotEdit: it is used, and no module is known to have it, or several have it.
        """
        name = alias.name
        is_for_others = self._code.path.endswith("__init__.py")
        if (alias.asname or name) not in self._code.file.names_read and not is_for_others:
            return None
        homes = [file.module for file in self._others if name in self._defined(file.module)]
        if len(homes) == 1:
            return homes[0], name
        if near and not homes:
            fitting = {each: 0.0 for each in self._defined(near) if self._fits(alias, near, each)}
            if best := clearly_meant(name, fitting):
                return near, best
        module = _of_libraries(self._facts, name).rpartition(".")[0]
        if module and not homes:  # it may well be another one of that name
            self._asks = f"Is {name} that of {module}?"
            return module, name
        raise CannotEdit(f"no module is known to have {name}")

    def _fits(self, alias: ast.alias, module: str, name: str) -> bool:
        """Whether a definition takes the calls that are made of an imported name."""
        file = next(each for each in self._others if each.module == module)
        function = file.functions.get(name)
        bound = alias.asname or alias.name
        calls = [
            call.node
            for call in self._code.file.calls
            if isinstance(call.node.func, ast.Name) and call.node.func.id == bound
        ]
        if function is not None:
            return all(mismatch(function, each, name, bound=False) is None for each in calls)
        return not calls or name in file.classes or name not in file.assigned

    def _moved(self, module: str) -> Proposal:
        """The same names from another module."""
        names = [(each, (module, each.name)) for each in self._statement.names]
        (proposal,) = self._written(dict(names), f"Import from {module}, which has what is asked")
        return proposal

    def _written(self, homes: Mapping[ast.alias, _Home | None], intent: str) -> Iterator[Proposal]:
        """The import written anew, as one for each module."""
        code, statement = self._code, self._statement
        edits: list[Edit] = []
        modules = list(dict.fromkeys(home[0] for home in homes.values() if home is not None))
        if not modules:
            yield Proposal(intent, (code.without(statement),))
            return
        kept = self._module if self._module in modules else min(modules)
        if kept != self._module:
            edits.append(code.module_of(statement, kept))
        texts: list[str] = []
        elsewhere: dict[str, list[str]] = {}
        for alias in statement.names:
            module, name = homes[alias] or ("", "")
            text = self._renamed(alias, name, edits) if module else ""
            texts.append(text if module == kept else "")
            if module and module != kept:
                elsewhere.setdefault(module, []).append(text)
        edits += code.imported_names(statement, texts)
        for module, others in sorted(elsewhere.items()):
            line = code.import_line(module, ", ".join(others))
            is_known = any(code.file.absolute(each) == module for each in code.file.imports)
            if code.file.scope_at(statement.lineno) or not (is_known or kept == self._module):
                edits.append(code.after(statement, line))
            else:
                edits.append(code.at_top(module, line))
        asks = self._asks
        yield Proposal(intent, tuple(edits), asks=asks, choice="yes" if asks else "")

    def _renamed(self, alias: ast.alias, name: str, edits: list[Edit]) -> str:
        """How a name is imported, its uses changed with it where it is free here."""
        bound = alias.asname or alias.name
        if name == alias.name:
            return self._code.text_of(alias)
        uses = [each for each in self._code.file.of(ast.Name) if each.id == bound]
        is_free = name not in {
            *(each.id for each in self._code.file.of(ast.Name)),
            *(each.arg for each in self._code.file.of(ast.arg)),
            *self._code.file.aliases,
        }
        if alias.asname is None and is_free and all(isinstance(u.ctx, ast.Load) for u in uses):
            edits += [self._code.put(each, name) for each in uses]
            return name
        return f"{name} as {bound}"


# Attributes and methods


@repairs("IM08")
def attribute_that_is_there(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The attribute that its constructor forgot to keep, or that is called otherwise."""
    span = finding.span
    if span is None or span.file not in facts.python:
        return
    local, code = facts.local_code, PythonEdits(facts, span.file)
    lacking = [
        (node, kinds)
        for node in code.file.of(ast.Attribute)
        if isinstance(node.ctx, ast.Load)
        and (kinds := local.types_of(code.file, node.value))
        and all(local.lacks(kind, node.attr) for kind in kinds)
    ]
    first = next((each for each in lacking if each[0].lineno == span.line), None)
    if first is None:
        return
    name, kind = first[0].attr, first[1][0]
    reads = [
        node for node, kinds in lacking if node.attr == name and kinds[0][1].node is kind[1].node
    ]
    yield from _kept_parameter(facts, kind, name)
    yield from _plain_function(facts, code, kind, reads)
    calls = [code.file.parents.get(node) for node in reads]
    called = [
        call
        for node, call in zip(reads, calls, strict=True)
        if isinstance(call, ast.Call) and call.func is node
    ]
    read, kept = attributes_read(facts), _kept_as(kind, name)
    fitting = {
        each: _UNUSED * (each not in read) + 100.0 * (each in kept)
        for each, method in members(facts, kind).items()
        if _fits_use(method, called, len(called) == len(reads))
        and not (each == singular(name) != name and any(map(code.goes_through, reads)))
    }
    shown = kind[1].name.rpartition(".")[2]
    yield from ways(
        name,
        fitting,
        lambda meant: tuple(code.attribute(node, meant) for node in reads),
        lambda meant: f"Write {meant} for {name}, as {shown} calls it",
        f"Which attribute of {shown} is {name}?",
    )


def _fits_use(method: Function | None, calls: list[ast.Call], is_only_called: bool) -> bool:
    """Whether an attribute can stand where it is asked for: a method takes the calls, and is
    nothing but called.
    """
    if method is None:
        return True
    is_static = any(last_name(each) == "staticmethod" for each in method.decorator_list)
    return is_only_called and all(
        mismatch(method, call, method.name, bound=not is_static) is None for call in calls
    )


def _kept_parameter(facts: Facts, kind: LocalClass, name: str) -> Iterator[Proposal]:
    """`self.x = x`, where the constructor takes an x and does not keep it, in the order of its
    parameters.
    """
    file, part = kind
    init = part.methods.get("__init__")
    names = [each.arg for each in (*positional(init), *init.args.kwonlyargs)] if init else []
    if init is None or name not in names[1:] or _kept_as(kind, name):
        return
    code = PythonEdits(facts, file.path)
    line = f"{names[0]}.{name} = {name}"
    before = {
        attribute for each in names[: names.index(name)] for attribute in _kept_as(kind, each)
    }
    behind = [
        each
        for each in init.body
        if "super().__init__" in ast.unparse(each)
        or (isinstance(each, ast.Assign) and last_name(each.targets[0]) in before)
    ]
    edit = code.after(behind[-1], line) if behind else code.at_start(init, line)
    yield Proposal(f"Keep {name} in the constructor of {part.name}, which takes it", (edit,))


def _kept_as(kind: LocalClass, parameter: str) -> list[str]:
    """The attributes that the constructor gives a parameter to."""
    init = kind[1].methods.get("__init__")
    return [
        each.targets[0].attr
        for each in (init.body if init else ())
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Attribute)
        if isinstance(each.value, ast.Name) and each.value.id == parameter
    ]


def _plain_function(
    facts: Facts, code: PythonEdits, kind: LocalClass, reads: list[ast.Attribute]
) -> Iterator[Proposal]:
    """A function of the module that is called as if it were a method."""
    name = reads[0].attr
    function = code.file.functions.get(name)
    calls = [code.file.parents.get(node) for node in reads]
    if function is None or not all(
        isinstance(call, ast.Call)
        and call.func is node
        and isinstance(node.value, ast.Name)
        and mismatch(function, call, name, bound=False) is None
        for node, call in zip(reads, calls, strict=True)
    ):
        return
    edits = tuple(code.put(node, name) for node in reads)
    yield Proposal(f"Call {name}, which is a function of the module and no method", edits)


# Names that nothing defines, or something else


@repairs("IM15")
def local_value_by_another_name(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Another name for the value that hides what is meant, as Python's own advice has it."""
    span = finding.span
    if span is None or span.file not in facts.python:
        return
    code = PythonEdits(facts, span.file)
    hidden = list(shadowed_uses(code.file, facts.third_party))
    first = next((each for each in hidden if each.node.lineno == span.line), None)
    if first is None or code.file.scopes is None:
        return
    bound = code.file.bindings(first.node)
    name = f"{first.node.id}_"
    if any(not isinstance(each, ast.Name) for each in bound) or name in code.file.names_read:
        raise CannotEdit("it is given in another way")
    meant = {each.node for each in hidden}
    values = [each for each in bound if isinstance(each, ast.Name)]
    values += [
        node
        for node in code.file.of(ast.Name)
        if node.id == first.node.id
        and node not in meant
        and node not in bound
        and code.file.bindings(node) == bound
    ]
    edits = tuple(code.put(node, name) for node in values)
    yield Proposal(
        f"Rename the variable to {name}, so that {first.node.id} is {first.meant} again", edits
    )


@repairs("IM02")
def name_that_is_meant(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The import that gives the name, or the name in sight that is meant: an attribute of the
    object whose method it is in, one that is spelled otherwise, or a value that all callers of its
    function have.
    """
    name = stated(finding, "bound", "name") or next(iter(finding.names), None)
    if finding.span is None or finding.span.file not in facts.python or name is None:
        return
    code = PythonEdits(facts, finding.span.file)
    found = next((each for each in code.file.undefined_names if each.name == name), None)
    if found is None:
        return
    uses = [
        node
        for node in code.file.of(ast.Name)
        if node.id == name and node.lineno in found.lines and isinstance(node.ctx, ast.Load)
    ]
    if found.bound_at is not None:
        yield from _import_in_the_way(code, name, found.bound_at)
        yield from _of_the_comprehension(code, uses)
        if len(uses) == 1:
            yield from _step_before(code, name, uses[0])
        return
    if made := renamed()["made"].get(name):
        yield _made_at_top(code, name, made)
        return
    lines = list(dict.fromkeys(_imports_of(facts, code, name)))
    for module, line in lines if len(lines) == 1 else ():
        full = f"{module}.{name}" if line.startswith("from ") else module
        others = [other for other, meant in code.file.aliases.items() if full == meant]
        if others and uses:
            edits = tuple(code.put(node, others[0]) for node in uses)
            yield Proposal(f"Write {others[0]}, as {full} is imported here", edits)
        yield Proposal(f"Add {line}", (code.at_top(module, line),))
    if not lines and uses:
        yield from _in_sight(facts, code, name, uses)


def _made_at_top(code: PythonEdits, name: str, made: Mapping[str, str]) -> Proposal:
    """A name that each module makes for itself, behind its imports."""
    imports = [each for each in code.imports_at_top() if not code.file.scope_at(each.lineno)]
    line = f"{name} = {made['write']}"
    root, added = code.imported(made["module"])
    if not imports:
        raise CannotEdit("no import that it could stand behind")
    edit = code.after(imports[-1], line.replace(made["module"], root, 1))
    if added and added[0].start == edit.start:  # one edit for both: two at one place have no order
        both = replace(edit, text=f"{added[0].text}\n{edit.text}")
        return Proposal(f"Make {name} as each module does", (both,))
    edit = replace(edit, text=f"\n{edit.text}")
    return Proposal(f"Make {name} as each module does", (*added, edit))


def _in_sight(
    facts: Facts, code: PythonEdits, name: str, uses: list[ast.Name]
) -> Iterator[Proposal]:
    """The name that is meant by one that no import gives."""
    yield from _of_self(facts, code, name, uses)
    read = code.file.names_read
    visible = [in_sight(code.file, node).keys() for node in uses]
    seen = set.intersection(*map(set, visible)) if len(name) > 1 else set()
    others = {each for each in seen if differ_in_number(each, name)}
    among: dict[str, float] = dict.fromkeys(_builtins_like(name), 0.0)
    among.update((each, _UNUSED * (each not in read)) for each in seen - others)
    if meant := clearly_meant(name, among, SPELLED):
        yield Proposal(f"Write {meant} for {name}", tuple(code.put(node, meant) for node in uses))
        return
    yield from _handed_down(facts, code, name, uses)
    for each in sorted(others):
        edits = tuple(code.put(node, each) for node in uses)
        yield Proposal(f"Write {each} for {name}", edits, asks=f"What is {name}?", choice=each)


def _builtins_like(name: str) -> list[str]:
    """Python's own names that a name is in other letters, or in another language: true, null."""
    if name in ("null", "nil"):
        return ["None"]
    letters = sorted(name.casefold())
    return [each for each in dir(builtins) if sorted(each.casefold()) == letters]


def _of_self(
    facts: Facts, code: PythonEdits, name: str, uses: list[ast.Name]
) -> Iterator[Proposal]:
    """`self.x` for an x that is none of the method's own."""
    edits = []
    for node in uses:
        me = self_in_sight(facts, code.file, node)
        own = members(facts, me[1]) if me is not None else {}
        around = code.file.parents.get(node)
        calls = [around] if isinstance(around, ast.Call) and around.func is node else []
        if me is None or name not in own or not _fits_use(own[name], calls, bool(calls)):
            return
        edits.append(code.put(node, f"{me[0]}.{name}"))
    yield Proposal(f"Ask the object itself for {name}", tuple(edits))


def _handed_down(
    facts: Facts, code: PythonEdits, name: str, uses: list[ast.Name]
) -> Iterator[Proposal]:
    """One more parameter, where all that call the function have such a value."""
    local, file = facts.local_code, code.file
    scopes = {file.scope_at(node.lineno) for node in uses}
    function = file.functions.get(scopes.pop()) if len(scopes) == 1 else None
    if function is None or function.args.vararg or function.args.kwarg:
        return
    sites = local.sites.get(function, [])
    mentions = facts.library_types.places.mentions.get(function.name, ())
    calls = {call.node for _, call, _ in sites}
    if not sites or any(around not in calls for _, _, around in mentions):
        return
    optional = len(function.args.defaults)
    at = len(positional(function)) - optional
    edits = [code.parameter(function, name)]
    for where, call, bound in sites:
        if name not in in_sight(where, call.node) or len(call.node.args) + bound > at:
            return
        is_plain = not call.node.keywords and len(call.node.args) + bound == at
        other = PythonEdits(facts, where.path)
        edits.append(other.argument_last(call.node, name if is_plain else f"{name}={name}"))
    yield Proposal(f"Hand {name} to {function.name}, whose callers have it", tuple(edits))


def _of_the_comprehension(code: PythonEdits, uses: list[ast.Name]) -> Iterator[Proposal]:
    """The name of the items within a comprehension, for that of the loop around it."""
    items = [_item_at(code, use) for use in uses]
    if items and items[0] and len(set(items)) == 1:
        edits = tuple(code.put(use, items[0]) for use in uses)
        yield Proposal(f"Write {items[0]}, as the items are called here", edits)


def _item_at(code: PythonEdits, use: ast.Name) -> str:
    """The only name that the innermost comprehension around a use gives; empty without one."""
    for around in code.file.ancestors(use):
        if isinstance(around, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            target = around.generators[0].target
            is_only = len(around.generators) == 1 and isinstance(target, ast.Name)
            return target.id if is_only and isinstance(target, ast.Name) else ""
    return ""


def _step_before(code: PythonEdits, name: str, use: ast.Name) -> Iterator[Proposal]:
    """`x = made().mapped(x.columns)`, of which the first step has to be a statement of its own."""
    statement = code.statement(use)
    match statement:
        case ast.Assign(
            targets=[ast.Name(id=target)], value=ast.Call(func=ast.Attribute(value=owner))
        ) if target == name and use not in set(ast.walk(owner)):
            if isinstance(owner, ast.Name):
                yield Proposal(
                    f"Write {owner.id}, of which {name} is made", (code.put(use, owner.id),)
                )
                return
            first = code.before(statement, f"{name} = {code.text_of(owner)}")
            edits = (first, code.put(owner, name))
            yield Proposal(f"Make {name} in two steps, as the second asks for the first", edits)


def _imports_of(facts: Facts, code: PythonEdits, name: str) -> Iterator[tuple[str, str]]:
    """Module and line of the imports that may give a name."""
    others = [file for file in facts.python.values() if file.path != code.path]
    homes = [
        file.module
        for file in others
        if name in (file.top_level_names or ()) and name not in file.aliases
    ]
    if homes:
        yield from ((module, code.import_line(module, name)) for module in homes)
        return
    if name in sys.stdlib_module_names:
        asked = {
            node.attr
            for node in code.file.of(ast.Attribute)
            if isinstance(node.value, ast.Name) and node.value.id == name
        }
        there = standard_names(name)
        is_class = name in there and not asked <= there  # datetime.now()
        yield name, f"from {name} import {name}" if is_class else f"import {name}"
        return
    full = {file.aliases[name] for file in others if name in file.aliases}
    if len(full) > 1:
        return
    known = renamed()["known"].get(name) or _of_libraries(facts, name)
    meant = next(iter(full), None) or known
    if not meant or meant.startswith("."):
        return
    module, _, last = meant.rpartition(".")
    is_own = any(file.module == module for file in facts.python.values())
    if is_own:
        yield module, code.import_line(module, last)
    elif meant == name:
        yield name, f"import {name}"
    elif any(name in file.modules for file in others) or (
        not full and name in ("F", "np", "pd", "plt", "nn", "sns")
    ):
        line = f"from {module} import {last}" if last == name else f"import {meant} as {name}"
        yield meant, line
    else:
        yield module, f"from {module} import {last}" + (f" as {name}" if last != name else "")


def _of_libraries(facts: Facts, name: str) -> str:
    """The only module of those that experiments mostly use that has a name; empty for a name that
    says little by itself.
    """
    likely = renamed()["likely"]
    for module in likely["python"]:
        there = import_module(module)
        if name in getattr(there, "__all__", dir(there)):
            return f"{module}.{name}"
    if facts.third_party.distribution_of(name) is not None:
        return name
    having = [
        module
        for module in likely["installed"]
        if name[:1].isupper() or "_" in name
        if facts.third_party.exists(f"{module}.{name}").newest is True
    ]
    return f"{having[0]}.{name}" if len(having) == 1 else ""


def _import_in_the_way(code: PythonEdits, name: str, line: int) -> Iterator[Proposal]:
    """An import within a function makes the name local, so that it has no value before it."""
    for statement in code.file.of(ast.Import, ast.ImportFrom):
        for alias in statement.names:
            bound = alias.asname or alias.name.partition(".")[0]
            if statement.lineno != line or bound != name or not code.file.scope_at(line):
                continue
            if len(statement.names) > 1:
                raise CannotEdit("several names in one import")
            added = code.at_top(alias.name, code.text_of(statement))
            edits = (code.without(statement), added)
            yield Proposal(f"Import {name} at the top, not after its first use", edits)
