"""The data from which a value is computed."""

import ast
import builtins
from collections.abc import Callable

from reviewers.facts.entry_points import entry_points
from reviewers.facts.guards import guards
from reviewers.facts.local_code import LocalCode
from reviewers.facts.origins import Origins
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import Function, walk
from reviewers.facts.reach import Piece, Reach
from reviewers.facts.stores import code_of, names, span_of, stores

_MOST_STEPS = 400
_ONLY_LOOK = (
    "print",
    "logging.",
    "seaborn.",
    "matplotlib.",
    "json.dump",
    "wandb.log",
    "numpy.save",
)
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
        whole: the code of what has it as its item or attribute.
        is_local: whether that is a local name of the function that is looked at: what other
            functions give, or bring, is not made of it.

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
        *,
        whole: frozenset[str] = frozenset(),
        is_local: bool = False,
    ) -> None:
        self._reach = reach
        self._code = code
        self._origins = origins
        self._is_source = is_source
        self._whole = whole
        self._is_local = is_local
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
        is_one = not (isinstance(made, (ast.Tuple, ast.List, ast.Dict)) and len(_items(made)) > 1)
        # What is sure comes first, so that nothing is taken for doubtful that is not.
        at = len(self._waiting) if is_sure and is_one else 0
        self._waiting.insert(at, (piece, node, why or (piece.file, node), is_sure and is_one))

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
            if not self._is_local:
                self._given(piece, node, why, is_sure)
            return
        for part in walk(_made_of(node)):
            if self._is_source(piece, part) and not is_sure:
                self.gaps.append(f"{span_of(piece.file, node)}: it may be made of it")
                return
            if self._is_source(piece, part):
                self.found += dict.fromkeys([(piece.file, node), why])
                return
            if self._is_whole(piece, part):
                self.gaps.append(f"`{code_of(part)}` may bring it along")
            is_owner = isinstance(piece.file.parents.get(part), ast.Attribute)
            if isinstance(part, ast.Name) and part.id == "self" and is_owner:
                continue  # its attribute is gone back to
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                if (inside := _comprehension(piece, part)) is not None:
                    self.add(piece, inside, why, is_sure=is_sure)
                    continue
                self.add_name(piece, part.id, why, is_sure=is_sure)
            elif isinstance(part, ast.Attribute) and code_of(part.value) == "self":
                self._add_attribute(piece, part, why, is_sure)
            elif isinstance(part, ast.Call):
                self._returned(piece, part, why, is_sure)

    def _is_whole(self, piece: Piece, part: ast.AST) -> bool:
        """Whether what has the source in it is used as a whole."""
        parent = piece.file.parents.get(part)
        is_entered = isinstance(parent, (ast.Attribute, ast.Subscript)) and parent.value is part
        return (
            isinstance(part, (ast.Name, ast.Attribute, ast.Subscript))
            and not is_entered
            and code_of(part) in self._whole
        )

    def _returned(self, piece: Piece, call: ast.Call, why: Placed, is_sure: bool) -> None:
        """Go on with what the submission's own function gives back."""
        target = self._code.target(piece.file, call)
        is_inner = target is not None and target.shown.startswith(f"{piece.name}.")
        if target is None or (self._is_local and not is_inner):
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

    def _add_attribute(self, piece: Piece, part: ast.Attribute, why: Placed, is_sure: bool) -> None:
        """Go back to what the methods of its class give an attribute, where nothing else does."""
        said, owner = code_of(part), piece.name.rpartition(".")[0]
        if (piece.file.path, owner, said) in self._seen:
            return
        self._seen.add((piece.file.path, owner, said))
        others = any(
            isinstance(node, ast.Attribute)
            and node.attr == part.attr
            and isinstance(node.ctx, ast.Store)
            and (code_of(node) != said or not one.name.startswith(f"{owner}."))
            for one in self._reach.everything.own
            for node in one.nodes
        )
        held = [
            (one, node)
            for one in self._reach.everything.own
            if one.file is piece.file and one.name.startswith(f"{owner}.")
            for node, _ in stores(one, said)
        ]
        if others or not held:
            self.gaps.append(f"`{said}` may hold it")
        for one, node in held:
            self.add(one, node, why, is_sure=is_sure)
            self._add_changes(one, said, why, is_sure=is_sure)

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
                if kind in _DECIDING and self._speaks_of_source(piece, test):
                    self.gaps.append(f"{span_of(piece.file, test)}: it depends on it")
        self._add_changes(piece, name, why, is_sure=is_sure)
        if not held and (plain := self._constants(piece, name)):
            for module, node in plain:
                self.add(module, node, why, is_sure=is_sure)
            return
        is_known = name in piece.file.aliases or hasattr(builtins, name) or name.startswith("__")
        is_known = is_known or self._is_local
        outer = self._outer(piece) if not held else None
        if outer is not None and any(True for _ in stores(outer, name)):
            self.add_name(outer, name, why, is_sure=is_sure)
        elif not held and not is_known and name not in (*piece.file.functions, *piece.file.classes):
            self.gaps.append(f"`{name}` has its value from elsewhere")

    def _outer(self, piece: Piece) -> Piece | None:
        """The function around a piece, whose names it may use."""
        name = piece.name.rpartition(".")[0]
        reached = self._reach.of(piece.file.path, name) if name in piece.file.functions else None
        return reached.own[0] if reached and reached.own else None

    def _may_bring(self, piece: Piece, call: ast.Call) -> bool:
        """Whether a call speaks of the source, or reaches code of the submission that does."""
        last = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if self._speaks_of_source(piece, call):
            return True
        return any(
            self._speaks_of_source(inner, node)
            for one in self._reach.everything.own
            if last in one.name.split(".")[-2:]
            for reached in [self._reach.of(one.file.path, one.name)]
            for inner in (reached.pieces if reached is not None else ())
            for node in inner.nodes
            if isinstance(node, ast.expr)
        )

    def _speaks_of_source(self, piece: Piece, node: ast.AST) -> bool:
        return any(self._is_source(piece, one) for one in walk(node))

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
                case ast.Expr(value=ast.Call(func=func, args=given) as call) if any(
                    isinstance(one, ast.Name) and one.id == name for one in given
                ) and not (piece.file.resolve(func) or "").startswith(_ONLY_LOOK):
                    if self._may_bring(piece, call):
                        self.gaps.append(f"`{code_of(node)}` may change `{name}`")
                    for one in (func, *given, *(other.value for other in call.keywords)):
                        self.add(piece, one, why, is_sure=False)
                case ast.Assign(targets=targets) if any(
                    isinstance(one, (ast.Subscript, ast.Attribute))
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
        found = self._origins.passed(piece.file, argument) if function is not None else []
        if function is None or not self._is_called_only(piece.file, function, len(found)):
            self.gaps.append(f"callers give `{argument.arg}`")
        for given in found:
            outer = self._piece_at(given.file, given.node.lineno)
            if outer is not None:
                self.add(outer, given.node, why, is_sure=is_sure and len(found) == 1)

    def _is_called_only(self, file: PythonFile, function: Function, calls: int) -> bool:
        """Whether nothing names a function but so many calls of it, or Hydra calls it, which gives
        it what is in files.
        """
        if not calls:
            return any(one.function == function.name for one in entry_points(file.path, file))
        name = next((one for one, node in file.functions.items() if node is function), "")
        *_, owner, last = ("", *name.split("."))
        wanted = owner if last == "__init__" else last
        named = sum(
            wanted in (getattr(node, "id", None), getattr(node, "attr", None))
            for one in self._code.python.values()
            for node in one.of(ast.Name, ast.Attribute)
            if not isinstance(node.ctx, ast.Store)
        )
        texts = any(
            one.value == wanted for other in self._code.python.values() for one in other.strings
        )
        return named == calls and not texts

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
