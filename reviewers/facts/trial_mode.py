"""What the code does differently in one mode, found in the conditions that test for it."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import Function, unparsed, walk
from reviewers.records import Span
from reviewers.rubric.contract import Mode
from reviewers.steps import fact

_LIMITED = r"\bfast_dev_run\b"  # what a mode that limits the work is called in Lightning
_YES = frozenset({"", "true", "1", "yes", "on"})
_LIMIT = re.compile(
    r"batch|step|sample|subset|limit|example|iter|update|chunk|max_|size|length|split|shard|fraction|ratio|budget|interval"
    r"|islice|select|take|truncat|dev_run|train_n|n_train|num_",
    re.IGNORECASE,
)
_SHORTENS = re.compile(r"epoch|step|iter(?!\()|budget|round|\bbreak\b|\breturn\b", re.IGNORECASE)
_EPOCHS = re.compile(r"epoch", re.IGNORECASE)
_DATA = re.compile(r"batch|loader|dataset|\bds\b|_ds\b", re.IGNORECASE)
_HELD = re.compile(r"batch|loader|dataset|ds\b|train|val|eval", re.IGNORECASE)  # what is sliced
_NO_LIMIT = re.compile(
    r"epoch|batch_?size|n_trials|num_trials|num_workers|wandb|logging_steps|log_every|eval_steps|save_steps"
    r"|warmup|accumulation",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Setting:
    """An assignment that is made in the mode only.

    Attributes:
        target: what is assigned to, as written.
        value: its literal value; None if it is computed.
    """

    target: str
    value: object
    span: Span


@dataclass(frozen=True, slots=True)
class Cut:
    """A place that does less than there is to do.

    Attributes:
        name: of what is bounded, as far as it has one.
        value: the bound; None if it is not known.
    """

    name: str
    value: object
    file: PythonFile
    node: ast.AST


class ModeBranches:
    """The branches that a mode has in all files but the evaluation.

    Args:
        python: the submission's Python files by path.
        name, mode: as the contract has them.
        evaluator: the path of the script that evaluates.
    """

    def __init__(
        self, python: Mapping[str, PythonFile], name: str, mode: Mode, evaluator: str
    ) -> None:
        self._files = {path: file for path, file in python.items() if path != evaluator}
        self._names = _names(name, mode.word)
        self._asks = _asking(self._names, mode)

    @fact
    def is_readable(self) -> bool:
        """Whether every file could be read, so that what is not seen is not there."""
        return all(file.tree is not None for file in self._files.values())

    @fact
    def _branches(self) -> tuple[tuple[PythonFile, "_Part"], ...]:
        """Conditions that ask for the mode, and what hangs on them."""
        return tuple(
            (file, part) for file in self._files.values() for part in _taken(file, self._asks)
        )

    @property
    def is_spoken_of(self) -> bool:
        """Whether any file has a word for the mode at all."""
        return any(
            name in text
            for file in self._files.values()
            for text in (file.text.replace("-", "_"),)
            for name in self._names
        )

    @property
    def is_asked_for(self) -> bool:
        """Whether any condition asks for the mode."""
        return bool(self._branches)

    @fact
    def settings(self) -> tuple[Setting, ...]:
        """The assignments among them, in the order of files and lines."""
        return tuple(
            setting
            for file, part in self._branches
            if part.in_mode
            for setting in _settings(file, part.node)
        )

    @property
    def parts(self) -> Iterator[tuple[PythonFile, ast.AST, bool]]:
        """The pieces of code that have to do with the mode, and whether each certainly happens in
        this mode and in no other.
        """
        for file, part in self._branches:
            yield file, part.node, part.in_mode

    def cuts(self, named: re.Pattern[str], *, of_data: bool) -> Iterator[Cut]:
        """Where the mode does less of what is named so: takes a number that is chosen in the mode,
        leaves a loop early or, of data, takes a slice.
        """
        for file, part in self._branches:
            if of_data and part.in_mode:
                yield from _slices(file, part.node)
            yield from _chosen(file, part.node, named)

    def limits_batches(self, is_other: Callable[[str], bool] = lambda _: False) -> bool:
        """Whether anything done in the mode may shorten an epoch; True in doubt.

        Args:
            is_other: whether what has a name bounds something else.
        """
        return any(
            any(_limits(one, is_other) for one in walk(part.node))
            and not _is_of_epochs(file, part.node)
            for file, part in self._branches
        )

    @fact
    def limits_epochs(self) -> bool:
        """Whether anything done in the mode may mean fewer epochs or steps; True in doubt."""
        return any(
            _SHORTENS.search(unparsed(part.node)) and not _is_of_data(file, part.node)
            for file, part in self._branches
        )


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of code that has to do with the mode; `in_mode` where it certainly happens in this
    mode and in no other.
    """

    node: ast.AST
    in_mode: bool = False


def _names(name: str, word: str) -> tuple[str, ...]:
    """What code calls a mode: its name, and its word's value or, if that is not a name, key."""
    key, _, value = word.lstrip("-").partition("=")
    is_named = value.lower() not in _YES and value.replace("-", "_").isidentifier()
    names = (name, value if is_named else key)
    return tuple(dict.fromkeys(each.replace("-", "_") for each in names if each))


def _asking(names: tuple[str, ...], mode: Mode) -> re.Pattern[str]:
    """What a condition on the mode has in it."""
    forms = [
        form
        for name in map(re.escape, names)
        for form in (
            rf"""["']{name.replace("_", "[-_]")}["']""",
            rf"\b(?:is_{name}|{name}_mode|{name}_run)\b",
            rf"\.{name}\b",
        )
    ]
    key, _, value = mode.word.lstrip("-").partition("=")
    if mode.word and value.lower() in _YES:
        forms.append(rf"\b{re.escape(key.replace('-', '_'))}\b")
    return re.compile("|".join([*forms, *([_LIMITED] if mode.limits else [])]))


def _taken(file: PythonFile, asks: re.Pattern[str]) -> Iterator[_Part]:
    for node in file.of(ast.If, ast.IfExp, ast.While, ast.BoolOp, ast.keyword, ast.Assign):
        match node:
            case ast.If() if asks.search(unparsed(node.test)):
                yield _Part(node.test)
                yield from (_Part(statement, _is_plain(node.test)) for statement in node.body)
                yield from (
                    _Part(statement) for statement in node.orelse
                )  # `if mode != "trial": … else: …`
            case ast.IfExp() | ast.While() if not _is_tested(file, node) and asks.search(
                unparsed(node.test)
            ):
                yield _Part(node)
            case ast.BoolOp() if not _is_tested(file, node) and asks.search(unparsed(node)):
                yield _Part(node)
            case ast.keyword() | ast.Assign() if isinstance(
                node.value, (ast.Compare, ast.Attribute, ast.Name)
            ):
                if asks.search(unparsed(node.value)):
                    # Handed on under another name; what a library does with it its name tells.
                    is_named = isinstance(node, ast.keyword) and _is_of_library(file, node)
                    yield _Part(node if is_named else ast.copy_location(ast.Return(), node))


def _is_of_library(file: PythonFile, given: ast.keyword) -> bool:
    """Whether a call of a library gets an argument."""
    call = file.parents.get(given)
    name = file.resolve(call.func) if isinstance(call, ast.Call) else None
    first = (name or "").partition(".")[0]
    return first in file.packages and first != file.module.partition(".")[0]


def _is_plain(test: ast.expr) -> bool:
    """Whether a condition is true in the mode and only there."""
    if isinstance(test, ast.Compare):
        return len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)
    return isinstance(test, (ast.Name, ast.Attribute, ast.Call))


def _is_tested(file: PythonFile, node: ast.AST) -> bool:
    """Whether an expression is part of the condition of an `if`, which is looked at as such."""
    return isinstance(file.parents.get(node), (ast.If, ast.IfExp, ast.BoolOp, ast.UnaryOp))


def _settings(file: PythonFile, node: ast.AST) -> Iterator[Setting]:
    for part in walk(node):
        if isinstance(part, ast.Assign):
            for target in part.targets:
                value = part.value.value if isinstance(part.value, ast.Constant) else None
                yield Setting(
                    unparsed(target), value, Span(file.path, part.lineno, part.end_lineno)
                )


def _limits(part: ast.AST, is_other: Callable[[str], bool]) -> bool:
    match part:
        case ast.Break() | ast.Return() | ast.Continue() | ast.Slice():
            return True
        case ast.Assign(targets=targets):
            names = map(unparsed, targets)
            return any(_names_a_limit(name) and not is_other(name) for name in names)
        case ast.Constant(value=str(text)):
            name = text.partition("=")[0]
            return "=" in text and _names_a_limit(text) and not is_other(name)
        case ast.Call(func=func):
            return _LIMIT.search(unparsed(func)) is not None
        case ast.keyword(arg=str(name)):
            return _names_a_limit(name) and not is_other(name)
        case ast.Compare(ops=[op, *_]):
            return isinstance(op, (ast.Gt, ast.GtE, ast.Lt, ast.LtE))
    return isinstance(part, ast.IfExp) and _is_number(part.body)


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def _slices(file: PythonFile, node: ast.AST) -> Iterator[Cut]:
    for part in walk(node):
        match part:
            case ast.Subscript(
                value=held, slice=ast.Slice(lower=None, upper=ast.Constant(value=to))
            ):
                pass
            case ast.Call(func=func, args=[held, ast.Constant(value=to)]) if file.resolve(func) in (
                "itertools.islice",
                "islice",
            ):
                pass
            case _:
                continue
        if _HELD.search(unparsed(held)):
            yield Cut(unparsed(held), to, file, part)


def _chosen(file: PythonFile, node: ast.AST, named: re.Pattern[str]) -> Iterator[Cut]:
    """A number that is chosen in the mode (`1 if is_trial else epochs`), and the count after which
    a loop is left (`if is_trial and at >= 2: break`).
    """
    match node, file.parents.get(node):
        case ast.IfExp(body=ast.Constant(value=int(to))), _ if named.search(_use_of(file, node)):
            yield Cut(_use_of(file, node), to, file, node)
        case ast.Break(), ast.If(test=test, body=[*_, last]) as left if last is node:
            loop = _loop_around(file, node)
            if isinstance(loop, ast.For) and named.search(head_of(loop)):
                yield Cut("", _count(loop, left), file, test)


def rounds_of(file: PythonFile, loop: ast.For) -> int | None:
    """How many rounds a loop does at most, as code says that stands in it; None if it does not."""
    if any(isinstance(one, ast.Continue) for one in walk(loop)):
        return None
    if isinstance(loop.body[-1], ast.Break):
        return 1
    for node in walk(loop.iter):
        match node:
            case ast.Call(ast.Name("range"), [ast.Constant(value=int(to))]):
                return to
    for left in (loop.body[0], loop.body[-1]):
        match left:
            case ast.If(test=ast.Compare(), body=[*_, ast.Break()]):
                return _count(loop, left)
    return next((cut.value for cut in _slices(file, loop.iter) if isinstance(cut.value, int)), None)


def _count(loop: ast.For, left: ast.If) -> int | None:
    """How many rounds of a loop are begun or done that is left by a number of them, counted from 0;
    None if what precedes the test may be the work, or what follows it.
    """
    if left not in (loop.body[0], loop.body[-1]):
        return None
    done = int(left is not loop.body[0])
    match [one for one in walk(left.test) if isinstance(one, ast.Compare)]:
        case [
            *_,
            ast.Compare(
                counter, [ast.Gt() | ast.GtE() | ast.Eq() as op], [ast.Constant(value=int(to))]
            ),
        ]:
            more = isinstance(op, ast.Gt)
            match counter:
                case ast.Name():
                    return to + more + done
                case ast.BinOp(ast.Name(), ast.Add(), ast.Constant(value=int(plus))):
                    return to + more + done - plus
    return None


def _is_of_epochs(file: PythonFile, node: ast.AST) -> bool:
    """Whether what a part limits is certainly something else than the batches of an epoch: a test,
    whose branch is a part of its own, a loop over epochs that is left, a number of epochs.
    """
    if _is_test(file, node):
        return True
    if isinstance(node, ast.Break):
        loop = _loop_around(file, node)
        return isinstance(loop, ast.For) and _EPOCHS.search(head_of(loop)) is not None
    return isinstance(node, ast.IfExp) and _EPOCHS.search(_use_of(file, node)) is not None


def _is_of_data(file: PythonFile, node: ast.AST) -> bool:
    """Whether what a part limits is certainly something else than the epochs, as above."""
    if _is_test(file, node):
        return True
    if isinstance(node, ast.Break):
        loop = _loop_around(file, node)
        return isinstance(loop, ast.For) and _DATA.search(head_of(loop)) is not None
    return False


def _is_test(file: PythonFile, node: ast.AST) -> bool:
    parent = file.parents.get(node)
    return isinstance(parent, ast.If) and parent.test is node


def _loop_around(file: PythonFile, node: ast.AST) -> ast.AST | None:
    """The loop that a `break` leaves."""
    for around in file.ancestors(node):
        if isinstance(around, (ast.For, ast.While, ast.AsyncFor)):
            return around
        if isinstance(around, Function):
            return None
    return None


def head_of(loop: ast.For) -> str:
    """What a loop runs over, and under which name."""
    return f"{unparsed(loop.target)} {unparsed(loop.iter)}"


def _use_of(file: PythonFile, node: ast.AST) -> str:
    """The name under which a value is kept or handed on, or the head of the loop that counts it;
    empty if it is none of these.
    """
    for around in file.ancestors(node):
        match around:
            case ast.Assign(targets=[one]):
                return unparsed(one)
            case ast.keyword(arg=str(name)):
                return name
            case ast.For():
                return head_of(around)
            case ast.stmt():
                return ""
    return ""


def _names_a_limit(text: str) -> bool:
    return _LIMIT.search(text) is not None and _NO_LIMIT.search(text) is None
