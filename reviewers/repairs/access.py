"""How code gets at a key of a configuration."""

import ast


def access(node: ast.AST) -> tuple[ast.expr | None, str]:
    """What is accessed by a key, and the key: `x.key`, `x["key"]`, `x.get("key")`, `getattr(x,
    "key")`, `"key" in x`.
    """
    match node:
        case ast.Attribute(value=owner, attr=attr):
            return owner, attr
        case ast.Subscript(value=owner, slice=ast.Constant(value=str(key))):
            return owner, key
        case ast.Call(
            func=ast.Attribute(value=owner, attr="get" | "pop"),
            args=[ast.Constant(value=str(key)), *_],
        ):
            return owner, key
        case ast.Call(
            func=ast.Name(id="getattr" | "hasattr"), args=[owner, ast.Constant(value=str(key)), *_]
        ):
            return owner, key
        case ast.Compare(
            left=ast.Constant(value=str(key)), ops=[ast.In() | ast.NotIn()], comparators=[owner]
        ):
            return owner, key
    return None, ""
