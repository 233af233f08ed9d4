"""The data from which a value is computed."""

import ast
import builtins
from collections.abc import Callable

from reviewers.facts.guards import guards
from reviewers.facts.local_code import LocalCode
from reviewers.facts.origins import Origins
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import Function, walk
from reviewers.facts.reach import Piece, Reach
from reviewers.facts.stores import code_of, names, span_of, stores

_MOST_STEPS = 400
_ONLY_LOOK = ("print", "logging.", "seaborn.", "matplotlib.", "json.dump", "wandb.log")
_PUTS = frozenset({"append", "add", "extend", "insert", "update", "setdefault", "appendleft"})
_DECIDING = frozenset({"test", "exit", "handler", "context"})
Placed = tuple[PythonFile, ast.AST]


class Derivation:
    """What a value is made of, step by step backwards.

    Args:
        reach: the pieces of the submission's code.
        code: which functions its calls mean.
        origins: what callers give, and what functions return.
        is_source: whether a part of a piece is what is looked for.

    Attributes:
        found: the expressions that lead to the source, the nearest to it first.
        gaps: why the value may be made of more.
        steps: how many expressions were looked at.
    """

    def __init__(
        self,
        reach: Reach,
        code: LocalCode,
        origins: Origins,
        is_source: Callable[[Piece, ast.AST], bool],
    ) -> None:
        self._reach = reach
        self._code = code
        self._origins = origins
        self._is_source = is_source
        self._waiting: list[tuple[Piece, ast.AST, Placed, bool]] = []
        self._seen: set[tuple[str, str, str]] = set()
        self.found: list[Placed] = []
        self.gaps: list[str] = []
        self.steps = 0

    def add(
        self, piece: Piece, node: ast.AST, why: Placed | None = None, *, is_sure: bool = True
    ) -> None:
        """Follow an expression; `is_sure` where the value surely is made of all of it."""
        made = _made_of(node)
        is_one = not (isinstance(made, ast.Tuple | ast.List | ast.Dict) and len(_items(made)) > 1)
        self._waiting.append((piece, node, why or (piece.file, node), is_sure and is_one))

    @property
    def is_begun(self) -> bool:
        """Whether there is anything to be followed."""
        return bool(self._waiting)

    def follow(self) -> None:
        """Go back from what was added until the source is met, or all has been seen."""
        while self._waiting and not self.found:
            self.steps += 1
            if self.steps > _MOST_STEPS:
                self.gaps.append("it is made of more than is followed")
                return
            self._step(*self._waiting.pop())

    def _step(self, piece: Piece, node: ast.AST, why: Placed, is_sure: bool) -> None:
        if isinstance(node, ast.arg):
            self._given(piece, node, why, is_sure)
            return
        for part in walk(_made_of(node)):
            if self._is_source(piece, part) and not is_sure:
                self.gaps.append(f"{span_of(piece.file, node)}: it may be made of it")
                return
            if self._is_source(piece, part):
                self.found += dict.fromkeys([(piece.file, node), why])
                return
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                if (inside := _comprehension(piece, part)) is not None:
                    self.add(piece, inside, why, is_sure=is_sure)
                    continue
                self.add_name(piece, part.id, why, is_sure=is_sure)
            elif isinstance(part, ast.Attribute) and code_of(part).startswith("self."):
                self.gaps.append(f"`{code_of(part)}` may hold it")
            elif isinstance(part, ast.Call):
                self._returned(piece, part, why, is_sure)

    def _returned(self, piece: Piece, call: ast.Call, why: Placed, is_sure: bool) -> None:
        """Go on with what the submission's own function gives back."""
        if self._code.target(piece.file, call) is None:
            return
        given = self._origins.returned(piece.file, call)
        if not given:
            self.gaps.append(f"`{code_of(call.func)}` may bring it")
        for one in given:
            key = (one.file.path, str(one.node.lineno), "return")
            inner = self._piece_at(one.file, one.node.lineno)
            if inner is not None and key not in self._seen:
                self._seen.add(key)
                self.add(inner, one.node, why, is_sure=is_sure)

    def add_name(
        self, piece: Piece, name: str, why: Placed | None = None, *, is_sure: bool = True
    ) -> None:
        """Go back to all that gives a name its value, or changes it in place."""
        key = (piece.file.path, piece.name, name)
        if key in self._seen:
            return
        self._seen.add(key)
        held = [node for node, _ in stores(piece, name)]
        for node in held:
            self.add(piece, node, why, is_sure=is_sure)
            for test, kind in guards(piece, node):
                if kind in _DECIDING and any(self._is_source(piece, one) for one in walk(test)):
                    self.gaps.append(f"{span_of(piece.file, test)}: it depends on it")
        self._add_changes(piece, name, why, is_sure=is_sure)
        if not held and (plain := self._constants(piece, name)):
            for outer, node in plain:
                self.add(outer, node, why, is_sure=is_sure)
            return
        is_known = name in piece.file.aliases or hasattr(builtins, name) or name.startswith("__")
        if not held and not is_known and name not in (*piece.file.functions, *piece.file.classes):
            self.gaps.append(f"`{name}` has its value from elsewhere")

    def _add_changes(self, piece: Piece, name: str, why: Placed | None, *, is_sure: bool) -> None:
        """Go back to what may change the value of a name in place."""
        for node in piece.nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=other)], value=ast.Name(id=same)) if (
                    same == name
                ):
                    self.add_name(piece, other, why, is_sure=False)  # another name for the same
                case ast.Assign(value=ast.Attribute(value=ast.Name(id=owner), attr=attr)) if (
                    owner == name and attr in _PUTS
                ):
                    self.gaps.append(f"`{code_of(node)}` may change `{name}`")
                case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=method)) if (
                    owner == name
                ):
                    self.add(piece, node, why, is_sure=is_sure and method in _PUTS)
                case ast.Expr(value=ast.Call(func=func, args=given)) if any(
                    isinstance(one, ast.Name) and one.id == name for one in given
                ) and not (piece.file.resolve(func) or "").startswith(_ONLY_LOOK):
                    self.gaps.append(f"`{code_of(node)}` may change `{name}`")
                case ast.Assign(targets=targets) if any(
                    isinstance(one, ast.Subscript | ast.Attribute)
                    and code_of(one).partition("[")[0].partition(".")[0] == name
                    for one in targets
                ):
                    self.add(piece, node, why, is_sure=is_sure)

    def _constants(self, piece: Piece, name: str) -> list[tuple[Piece, ast.AST]]:
        """The statements of the module that give a name a plain value, where nothing else does."""
        outer = self._reach.of(piece.file.path)
        found = list(stores(outer.own[0], name)) if outer is not None and outer.own else []
        is_plain = all(isinstance(given, ast.Constant) for _, given in found)
        declared = (one.names for one in piece.file.nodes if isinstance(one, ast.Global))
        if outer is None or not is_plain or any(name in names for names in declared):
            return []
        return [(outer.own[0], node) for node, _ in found]

    def _given(self, piece: Piece, argument: ast.arg, why: Placed, is_sure: bool) -> None:
        """What callers give for a parameter."""
        function = next(
            (one for one in piece.file.ancestors(argument) if isinstance(one, Function)), None
        )
        self.gaps.append(f"callers give `{argument.arg}`")
        if function is None:
            return
        found = self._origins.passed(piece.file, argument)
        for given in found:
            outer = self._piece_at(given.file, given.node.lineno)
            if outer is not None:
                self.add(outer, given.node, why, is_sure=is_sure and len(found) == 1)

    def _piece_at(self, file: PythonFile, line: int) -> Piece | None:
        reached = self._reach.of(file.path, file.scope_at(line))
        return reached.own[0] if reached and reached.own else None


def _comprehension(piece: Piece, name: ast.Name) -> ast.comprehension | None:
    """The part of a comprehension that gives a name its value there."""
    for around in piece.file.ancestors(name):
        for one in getattr(around, "generators", ()):
            if names(one.target, name.id):
                found: ast.comprehension = one
                return found
        if isinstance(around, ast.stmt):
            break
    return None


def _items(node: ast.Tuple | ast.List | ast.Dict) -> list[ast.expr]:
    return node.values if isinstance(node, ast.Dict) else node.elts


def _made_of(node: ast.AST) -> ast.AST:
    """The part of a statement that gives the value."""
    match node:
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            return value
        case ast.For(iter=over) | ast.comprehension(iter=over):
            return over
        case ast.AugAssign(value=value):
            return value
        case ast.NamedExpr(value=value):
            return value
    return node
