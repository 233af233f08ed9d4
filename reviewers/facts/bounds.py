"""What the code does less of in a mode, and where it may."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from reviewers.facts.config_reads import ConfigReads, plain_key
from reviewers.facts.local_code import LocalCode
from reviewers.facts.python_file import PythonFile
from reviewers.facts.reach import Piece
from reviewers.facts.stores import code_of, span_of
from reviewers.facts.trial_mode import ModeBranches, head_of, rounds_of
from reviewers.records import Span

# What the bound of a thing is called in code.
_NAMES = {
    "epochs": r"epoch",
    "trials": r"(n|num|max)_?trials|^trials$",
    "batches": r"batch(?!_?size)|loader|_steps|max_steps",
    "steps": r"step",
    "samples": r"sample|subset|limit|size",
}
# What is called like a bound and sets how often, or how fast, something is done.
_NO_BOUND = re.compile(
    r"inner|eval|log|save|interval|every|warm|accum|patience|optuna", re.IGNORECASE
)

_SHORT = 3  # letters of a word that is cut short (`val_loader`)
_DRAWS = re.compile(r"batch|loader|data|sample|next\b|\bds\b")  # what is spoken of with data


@dataclass(frozen=True, slots=True)
class ModeBound:
    """A bound that is set in a mode.

    Attributes:
        value: None where it is not known.
        reaches: whether anything reads it.
    """

    name: str
    value: object
    span: Span
    reaches: bool


class Bounds:
    """Answers for one submission.

    Args:
        python: its Python files by path.
        code: which functions its calls mean.
        reads: which keys of its configuration it reads.
    """

    def __init__(
        self, python: Mapping[str, PythonFile], code: LocalCode, reads: ConfigReads
    ) -> None:
        self._python = python
        self._code = code
        self._reads = reads

    def of(self, branches: ModeBranches, what: str) -> Iterator[ModeBound]:
        """The bounds of a thing (epochs, trials, batches, steps, samples, or a name) in a mode."""
        pattern = _pattern(what)
        for setting in branches.settings:
            name = plain_key(setting.target)
            last = name.rpartition(".")[2]
            is_other = (what in ("batches", "steps") and _NO_BOUND.search(last)) or (
                what == "batches" and self._counts_rounds(name)
            )
            if pattern.search(last) and not is_other:
                reaches = self._is_read(setting.span, name)
                yield ModeBound(name, setting.value, setting.span, reaches)
        for cut in branches.cuts(pattern, of_data=what == "batches"):
            span = span_of(cut.file, cut.node)
            is_kept = isinstance(cut.node, ast.IfExp) and cut.name.isidentifier()
            is_kept = is_kept and isinstance(cut.file.parents.get(cut.node), ast.Assign)
            reaches = not is_kept or self._is_read(span, cut.name)
            yield ModeBound(cut.name, cut.value, span, reaches)

    def of_loops(self, pieces: Iterable[Piece], what: str) -> Iterator[ModeBound]:
        """The loops over a thing in any mode, each with the number of rounds that it is held to.

        Args:
            what: as above, or with the loop's word before it (validation batches).
        """
        *which, kind = what.replace("_", " ").split() or [what]
        for piece in pieces:
            for loop in piece.nodes:
                head = head_of(loop) if isinstance(loop, ast.For) else ""
                if (
                    isinstance(loop, ast.For)
                    and _pattern(kind).search(head)
                    and all(one[:_SHORT].lower() in head.lower() for one in which)
                ):
                    span = Span(piece.file.path, loop.lineno)
                    yield ModeBound(head, rounds_of(piece.file, loop), span, True)

    def _is_read(self, at: Span, name: str) -> bool:
        """Whether anything reads what is set: as a key of the configuration, or as a name."""
        reads = self._reads.reads
        if any(read.reads(name) and read.span != at for read in reads):
            return True
        file = self._python[at.file]
        return any(
            isinstance(node.ctx, ast.Load) and code_of(node).endswith(name)
            for node in file.of(ast.Name, ast.Attribute)
        )

    def _counts_rounds(self, name: str) -> bool:
        """Whether all that a name, or a key of the configuration, is used for is to count the
        rounds of loops that draw no data.
        """
        last = plain_key(name).rpartition(".")[2]
        uses = [
            (file, node)
            for file in self._python.values()
            for node in file.of(ast.Name, ast.Attribute, ast.Constant)
            if last in (getattr(node, one, "") for one in ("id", "attr", "value"))
            and not isinstance(getattr(node, "ctx", None), ast.Store)
        ]
        return bool(uses) and all(_is_count(file, node, last) for file, node in uses)

    def _is_of_mode(
        self, branches: ModeBranches, call: ast.Call, function: ast.AST, what: str
    ) -> bool:
        """Whether a function that the mode's branch calls may bound a thing: it speaks of it, and
        is called in no other mode, or gets what speaks of it.
        """
        pattern = _pattern(what)
        given = [*call.args, *call.keywords]
        if any(pattern.search(code_of(one)) or isinstance(one, ast.Constant) for one in given):
            return True
        inside = {one for _, node, _ in branches.parts for one in ast.walk(node)}
        is_common = any(
            other not in inside
            and (found := self._code.target(file, other)) is not None
            and found.function is function
            for file in self._python.values()
            for other in file.of(ast.Call)
        )
        return not is_common and pattern.search(ast.unparse(function)) is not None

    def _tables(self, mode: str) -> Iterator[str]:
        for file in self._python.values():
            for node in file.of(ast.Dict):
                if any(isinstance(key, ast.Constant) and key.value == mode for key in node.keys):
                    yield f"{file.path}:{node.lineno}: a table by modes may bound it"

    def gaps(self, branches: ModeBranches, what: str, mode: str) -> Iterator[str]:
        """Why a bound may be there that was not seen."""
        if not branches.is_readable:
            yield "not every file can be read"
        for file, node, _ in branches.parts:
            if isinstance(node, ast.IfExp) and not isinstance(
                node.body, (ast.Constant, ast.JoinedStr)
            ):
                yield f"{file.path}:{node.lineno}: another value in the mode may bound it"
            for call in (one for one in ast.walk(node) if isinstance(one, ast.Call)):
                target = self._code.target(file, call)
                if target is not None and self._is_of_mode(branches, call, target.function, what):
                    yield f"{file.path}:{call.lineno}: what it calls may bound it"
        yield from self._tables(mode)
        limits_batches = branches.limits_batches(self._counts_rounds)
        if what == "batches" and limits_batches:
            yield "something in the mode's branches may shorten an epoch"
        elif what == "epochs" and branches.limits_epochs:
            yield "something in the mode's branches may mean fewer epochs"
        elif not what.isidentifier() and (limits_batches or branches.limits_epochs):
            yield "what the mode's branches bound may be it"
        elif what not in ("batches", "epochs"):
            pattern = _pattern(what)
            for file, node, _ in branches.parts:
                if pattern.search(code_of(node)):
                    yield f"{file.path} may bound it in the mode"


def _is_count(file: PythonFile, node: ast.AST, name: str) -> bool:
    """Whether a value counts the rounds of a loop that draws no data, or is handed on under the
    same name.
    """
    for around in file.ancestors(node):
        match around:
            case ast.Call(func=ast.Name(id="int")):
                continue
            case ast.Call(func=ast.Name(id="range")):
                loop = file.parents.get(around)
                return isinstance(loop, ast.For) and not _DRAWS.search(ast.unparse(loop))
            case ast.keyword(arg=given):
                return given == name
            case ast.Assign(targets=[target]):
                return code_of(target).rpartition(".")[2] == name
        return False
    return False


def _pattern(what: str) -> re.Pattern[str]:
    return re.compile(_NAMES.get(what, re.escape(what)), re.IGNORECASE)
