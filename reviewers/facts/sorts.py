"""The kind of a value, as far as the code alone shows it: `list`, `tensor`, `dictconfig`."""

import ast

from reviewers.facts.entry_points import entry_points
from reviewers.facts.library_types import LibraryTypes
from reviewers.facts.local_code import LocalCode
from reviewers.facts.origins import Origins
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import method_of
from reviewers.facts.stores import code_of
from reviewers.facts.torch_names import SHAPE_METHODS, TENSOR_MAKERS, TENSOR_MODULES

LITERALS: dict[type[ast.expr], str] = {
    ast.List: "list",
    ast.ListComp: "list",
    ast.Tuple: "tuple",
    ast.Dict: "dict",
    ast.DictComp: "dict",
    ast.Set: "set",
    ast.SetComp: "set",
    ast.GeneratorExp: "generator",
    ast.JoinedStr: "str",
    ast.Lambda: "function",
}
_MADE = {
    **dict.fromkeys(TENSOR_MAKERS, "tensor"),
    **{name: name for name in ("int", "str", "float", "bool", "list", "tuple", "dict", "set")},
    "sorted": "list",
    "len": "int",
    "torch.nn.Parameter": "parameter",
    "torch.nn.parameter.Parameter": "parameter",
    "numpy.array": "ndarray",
    "omegaconf.OmegaConf.to_container": "dict",
    **{f"omegaconf.OmegaConf.{name}": "dictconfig" for name in ("merge", "create", "load")},
}
_GIVEN_BY_METHODS = {"item": "number", "tolist": "list", "numpy": "ndarray"}
_ALSO = {  # a value of the first sort is one of the second, too
    "parameter": {"tensor"},
    "number": {"scalar"},
    "int": {"number", "scalar"},
    "float": {"number", "scalar"},
    "bool": {"int"},
}
_PLAIN = frozenset({*LITERALS.values(), *_MADE.values(), "none", "number", "scalar"})


def _splits_text(call: ast.Call) -> bool:
    """Whether a `split` is that of a text: a tensor's takes sizes, a data set's no signs."""
    signs = [*call.args[:1], *(one.value for one in call.keywords if one.arg == "sep")]
    is_bare = not call.args and not call.keywords
    return is_bare or any(
        isinstance(one, ast.Constant) and isinstance(one.value, str) for one in signs
    )


class Sorts:
    """Answers for one submission.

    Args:
        code: which functions and classes its calls mean.
        origins: what its names stand for.
        types: of which classes of libraries its values are.
    """

    def __init__(self, code: LocalCode, origins: Origins, types: LibraryTypes) -> None:
        self._code = code
        self._origins = origins
        self._types = types

    def of(self, file: PythonFile, node: ast.AST, deep: int = 6) -> str:
        """The sort of a value, in small letters; empty if it is not known."""
        if deep == 0 or not isinstance(node, (ast.expr, ast.arg)):
            return ""
        if isinstance(node, ast.arg):
            return _of_argument(file, node)
        if isinstance(node, ast.Constant):
            return "none" if node.value is None else node.value.__class__.__name__
        if (sort := LITERALS.get(node.__class__)) is not None:
            return sort
        if isinstance(node, ast.Call) and (sort := self._of_call(file, node, deep)):
            return sort
        if isinstance(node, ast.BinOp) and "tensor" in (
            self.of(file, one, deep - 1) for one in (node.left, node.right)
        ):
            return "tensor"
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            return self.of(file, node.value, deep - 1)
        if isinstance(node, ast.Name):
            given = self._origins.values(file, node)
            sorts = {self.of(one.file, one.node, deep - 1) for one in given}
            if len(sorts) == 1 and "" not in sorts and not _is_taken_from(file, node):
                return sorts.pop()
        if isinstance(node, ast.Attribute) and (held := self._attribute(file, node)):
            return held
        classes = self._types.of(file, node)
        return next(iter(classes)).rpartition(".")[2].lower() if len(classes) == 1 else ""

    def _of_call(self, file: PythonFile, node: ast.Call, deep: int) -> str:
        name = file.resolve(node.func) or ""
        if name in _MADE:
            return _MADE[name]
        method = method_of(node)
        if not name.startswith(("torch.", "numpy.")) and method in _GIVEN_BY_METHODS:
            return _GIVEN_BY_METHODS[method]
        if method == "split" and _splits_text(node):
            return "list"
        local = self._code.type_of(file, node)
        return self._given_back(file, node, deep) if local is None else local[1].name.lower()

    def _given_back(self, file: PythonFile, call: ast.Call, deep: int) -> str:
        """The sort of what a local function returns, a layer of torch, or a tensor's method."""
        returned = self._origins.returned(file, call)
        sorts = {self.of(one.file, one.node, deep - 1) for one in returned}
        if len(sorts) == 1:
            return sorts.pop()
        classes = self._types.of(file, call.func)
        if classes and classes <= TENSOR_MODULES:
            return "tensor"
        if isinstance(call.func, ast.Attribute) and call.func.attr in SHAPE_METHODS:
            owner = self.of(file, call.func.value, deep - 1)
            return "tensor" if owner in ("tensor", "parameter") else ""
        return ""

    def _attribute(self, file: PythonFile, node: ast.Attribute) -> str:
        """The sort of an attribute of `self` that one statement of the file alone gives."""
        said = code_of(node)
        if not said.startswith("self."):
            return ""
        found = {
            given
            for other in file.of(ast.Assign)
            for target in other.targets
            if code_of(target) == said
            for given in [other.value]
        }
        sorts = {self.of(file, one, 2) for one in found}
        return sorts.pop() if len(sorts) == 1 else ""


def _is_taken_from(file: PythonFile, name: ast.Name) -> bool:
    """Whether what is known of a name is what it is an item of."""
    bound = file.bindings(name)
    return any(
        isinstance(file.parents.get(one), (ast.For, ast.comprehension, ast.Tuple, ast.List))
        for one in bound
    )


def _of_argument(file: PythonFile, node: ast.arg) -> str:
    """The sort of a parameter: what Hydra gives to the function that it calls."""
    for entry in entry_points(file.path, file):
        arguments = file.functions[entry.function].args.args
        if arguments and arguments[0] is node:
            return "dictconfig"
    return ""


def is_sort(sort: str, base: str) -> bool | None:
    """Whether a sort is the one that is meant; None if it may be."""
    if not sort:
        return None
    if sort == base or base in _ALSO.get(sort, ()):
        return True
    return False if sort in _PLAIN and base in _PLAIN and sort not in _ALSO.get(base, ()) else None
