"""What a library's constructor gets where a class of the submission is made from its class."""

import ast
from dataclasses import dataclass

from reviewers.facts.local_code import LocalCode
from reviewers.facts.python_file import Function, PythonFile
from reviewers.facts.python_nodes import walk


@dataclass(frozen=True, slots=True)
class InheritedCall:
    """The call of a base class's constructor.

    Attributes:
        base: the dotted name of that class.
        positional, keywords: number of the one and names of the others, as far as they are known.
        star_args, star_kwargs: whether there may be more of them.
    """

    base: str
    positional: int
    keywords: tuple[str, ...]
    star_args: bool
    star_kwargs: bool


def inherited_call(code: LocalCode, file: PythonFile, call: ast.Call) -> InheritedCall | None:
    """What making an object hands on to the one class outside the submission that it is made from:
    all, or the keywords that its own constructor passes on; None where that is open.
    """
    found = code.definition(file, call.func) if isinstance(call.func, ast.Name) else None
    if found is None or not isinstance(found[1], ast.ClassDef):
        return None
    where, node = found
    cls = where.class_of.get(node)
    parts, outside = code.lineage((where, cls)) if cls else ([], [])
    if len(outside) != 1 or outside[0] is None:
        return None
    if any(
        part.node.decorator_list or part.node.keywords or "__new__" in part.methods
        for _, part in parts
    ):
        return None
    words = [word.arg for word in call.keywords if word.arg is not None]
    open_words = len(words) < len(call.keywords)
    open_args = any(isinstance(one, ast.Starred) for one in call.args)
    inits = [part.methods["__init__"] for _, part in parts if "__init__" in part.methods]
    if not inits:
        positional = sum(not isinstance(one, ast.Starred) for one in call.args)
        return InheritedCall(outside[0], positional, tuple(words), open_args, open_words)
    above = _handed_on(inits[0]) if len(inits) == 1 else None
    if above is None:
        return None
    own = {one.arg for one in (*inits[0].args.args, *inits[0].args.kwonlyargs)}
    given = [word.arg for word in above.keywords if word.arg is not None]
    return InheritedCall(
        outside[0],
        sum(not isinstance(one, ast.Starred) for one in above.args),
        (*given, *(word for word in words if word not in own)),
        open_args or any(isinstance(one, ast.Starred) for one in above.args),
        open_words,
    )


def _handed_on(init: Function) -> ast.Call | None:
    """The `super().__init__(…, **kwargs)` to which a constructor passes on all keywords that it
    does not name, and does nothing else with them.
    """
    rest = init.args.kwarg
    uses = [
        node for node in walk(init) if rest and isinstance(node, ast.Name) and node.id == rest.arg
    ]
    for node in walk(init):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="__init__", value=ast.Call(func=ast.Name(id="super")))
            ):
                passed = [word.value for word in node.keywords if word.arg is None]
                return node if len(uses) == 1 and passed == uses else None
    return None
