"""What code can see at a place: names, and the attributes of an object."""

import ast
from collections.abc import Mapping

from reviewers.facts import Facts, PythonFile
from reviewers.facts.local_modules import LocalClass
from reviewers.facts.python_nodes import Function, last_name, walk
from reviewers.facts.torch_names import MODULE, MODULE_ATTRIBUTES


def in_sight(file: PythonFile, node: ast.AST) -> Mapping[str, ast.AST]:
    """The names that have a value where a node stands, as far as the order of the text says, each
    with what gives it one first.
    """
    name = next((each for each in walk(node) if isinstance(each, ast.Name)), None)
    scope = file.scopes.uses.get(name) if file.scopes and name else None
    found: dict[str, ast.AST] = {}
    is_outer = False
    while name is not None and scope is not None:
        if not (is_outer and isinstance(scope.node, ast.ClassDef)):
            for each, bindings in scope.bindings.items():
                first = bindings[0]
                before = getattr(first, "lineno", 0) < name.lineno or isinstance(first, ast.arg)
                if (is_outer or before or _is_target(scope.node)) and each not in scope.elsewhere:
                    found.setdefault(each, first)
        # What stands around a function is there when it is called.
        is_outer = is_outer or isinstance(scope.node, Function | ast.Lambda)
        scope = scope.parent
    return found


def _is_target(node: ast.AST) -> bool:
    return isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)


def self_in_sight(facts: Facts, file: PythonFile, node: ast.AST) -> tuple[str, LocalClass] | None:
    """The object whose method a node is in, `self`, and its class."""
    for around in file.ancestors(node):
        if isinstance(around, Function) and around in file.class_of:
            names = [each for each in walk(around) if isinstance(each, ast.Name)]
            for name in names:
                kind = facts.local_code.own_class(file, name)
                if kind is not None and kind[1] is file.class_of[around]:
                    return name.id, kind
            first = around.args.args[0].arg if around.args.args else ""
            is_plain = not around.decorator_list and first == "self"
            return (first, (file, file.class_of[around])) if is_plain else None
    return None


def members(facts: Facts, kind: LocalClass) -> Mapping[str, Function | None]:
    """The attributes of a class's instances, as far as its text shows them, each with its method if
    it is one.
    """
    local = facts.local_code
    parts, outside = local.lineage(kind)
    found: dict[str, Function | None] = {}
    if MODULE in outside:
        found.update(dict.fromkeys(MODULE_ATTRIBUTES))
    nodes = {part.node for _, part in parts}
    for file, part in reversed(parts):
        for item in part.node.body:
            if isinstance(item, Function):
                is_value = any(last_name(each) == "property" for each in item.decorator_list)
                found[item.name] = None if is_value else item
            elif isinstance(item, ast.AnnAssign | ast.Assign):
                targets = item.targets if isinstance(item, ast.Assign) else [item.target]
                found.update((each.id, None) for each in targets if isinstance(each, ast.Name))
        for node in file.of(ast.Attribute):
            if isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
                own = local.own_class(file, node.value)
                if own is not None and own[1].node in nodes:
                    found[node.attr] = None
    return found


def attributes_read(facts: Facts) -> frozenset[str]:
    """The names of the attributes, of whatever object, that some code reads."""
    return frozenset(
        node.attr
        for file in facts.python.values()
        for node in file.of(ast.Attribute)
        if isinstance(node.ctx, ast.Load)
    )
