"""Reads the fields of dataclasses and typed named tuples as their constructors' parameters."""

import ast

from reviewers.facts.third_party.building.scope import ModuleScope

DATACLASS = "dataclasses.dataclass"
_FIELD = frozenset({"dataclasses.field"})
_CLASS_VARIABLES = frozenset({"typing.ClassVar", "typing_extensions.ClassVar"})


def read_fields(node: ast.ClassDef, scope: ModuleScope, kw_only: bool = False) -> str:
    """Write the class's own fields in the index's notation, in order; the reader puts inherited
    ones before them.

    A field that the constructor does not set is written `-name`: it takes an inherited one away.
    """
    positional: list[str] = []
    keyword_only: list[str] = []
    for statement in node.body:
        if not (isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)):
            continue
        annotation = _text_as_expression(statement.annotation)
        kind = scope.dotted(annotation)
        if kind in _CLASS_VARIABLES:
            continue
        if kind == "dataclasses.KW_ONLY":
            kw_only = True
            continue
        own_kw_only, defaulted = kw_only, statement.value is not None
        if isinstance(statement.value, ast.Call) and (
            scope.dotted(statement.value.func) in _FIELD
            or scope.dotted(statement.value.func).endswith(".field")
        ):
            words = {word.arg: word.value for word in statement.value.keywords}
            init = words.get("init")
            if isinstance(init, ast.Constant) and init.value is False:
                positional.append(f"-{statement.target.id}")
                continue
            flag = words.get("kw_only")
            own_kw_only = bool(flag.value) if isinstance(flag, ast.Constant) else own_kw_only
            defaulted = bool(
                words.keys() & {"default", "default_factory", "factory", None}
            ) or bool(statement.value.args)
        (keyword_only if own_kw_only else positional).append(
            statement.target.id + ("=" if defaulted else "")
        )
    return ",".join([*positional, *(["*", *keyword_only] if keyword_only else [])])


def _text_as_expression(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return ast.parse(node.value, mode="eval").body
        except SyntaxError:
            return node
    return node
