"""Files: which ones code writes and reads."""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase

from reviewers.facts.activities import Sight
from reviewers.facts.file_uses import FileUse
from reviewers.facts.origins import Placed
from reviewers.facts.path_parts import may_be_said, may_meet, speaks_of_run, texts_of
from reviewers.facts.reach import Piece
from reviewers.facts.templates import HOLE, may_equal
from reviewers.propositions.answers import Answer, Filled, Listing
from reviewers.propositions.evaluators.names import search
from reviewers.propositions.terms import Scope
from reviewers.propositions.vocabulary import predicate
from reviewers.propositions.world import World
from reviewers.records import counted

_SAY = ("print", "logging.info", "logging.warning", "tqdm.tqdm.write")
_LONGEST = 200  # letters of a text that may be a path, or a command with one
_RUN = re.compile(r"\$\w+|<[\w ]+>|\{\w*\}")
_OF_RUN = re.compile(r"[$<{]run")
_LITERAL = re.compile(r"[a-zA-Z0-9]{3,}")
_COMPOSING = frozenset({"hydra.main", "hydra.compose"})
_WEIGHTS = ("*.pt", "*.pth", "*.ckpt", "*.bin", "*.safetensors", "*checkpoint*")
_KINDS = {"checkpoint": _WEIGHTS, "weight": _WEIGHTS}


def written(world: World, scope: Scope) -> Listing:
    """Every file that code of a scope writes."""
    return _listed(world, scope, is_write=True)


def read(world: World, scope: Scope) -> Listing:
    """Every file that code of a scope reads."""
    return _listed(world, scope, is_write=False)


@predicate(
    "{scope} (writes|never writes) <a file {file}|the files {file}>",
    "by file",
    "src/evaluate.py",
    "comparison_*.pdf",
    file=written,
)
def writes(world: World, scope: Scope, file: str) -> Answer:
    """True where a path that fits reaches a call in the scope that writes; false where all paths
    that reach such calls, there and in what it runs, are known and none can be it.
    """
    return _used(world, scope, file, is_write=True)


@predicate(
    "{scope} (reads|never reads) <a file {file}|the files {file}>",
    "by file",
    "src/evaluate.py",
    "*/config.yaml",
    file=read,
)
def reads_file(world: World, scope: Scope, file: str) -> Answer:
    """True where a path that fits reaches a call in the scope that reads; false where all paths
    that reach such calls, there and in what it runs, are known and none can be it.
    """
    return _used(world, scope, file, is_write=False)


def _used(world: World, scope: Scope, file: str, *, is_write: bool) -> Answer:
    patterns = _KINDS.get(file.rstrip("s"), (file,))
    of_run = any(_OF_RUN.search(one) for one in patterns)
    wanted = [_RUN.sub(HOLE, one) for one in patterns]
    wanted = [one if any(sign in one for sign in ".*/{") else f"*{one}*" for one in wanted]

    def seen(piece: Piece) -> Iterator[Sight]:
        if not is_write and file.endswith((".yaml", ".yml")):
            # Hydra reads its configuration by itself.
            yield from (
                Sight(one.node, "Hydra may read it")
                for one in piece.file.calls
                if one.name in _COMPOSING and one.node in piece.nodes
            )
        for node in piece.nodes:
            if isinstance(node, ast.Constant | ast.JoinedStr) and _may_be_path(
                world, piece, node, wanted
            ):
                yield Sight(node, "what it is for is not known")
            if isinstance(node, ast.Call):
                for use in _uses(world, piece, node, is_write=is_write):
                    fits = [_fits(world, use, one) for one in wanted]
                    place = Placed(piece.file, node)
                    if of_run and True in fits and not speaks_of_run(world.facts, place):
                        fits = [None]
                    if use.is_write == is_write and any(fit is not False for fit in fits):
                        yield Sight(node, "" if True in fits else f"`{use.path}` may be it")

    return search(world, scope, seen)


def _may_be_path(world: World, piece: Piece, node: ast.expr, wanted: list[str]) -> bool:
    """Whether a text names a file that is meant, and no call that is known takes such a path."""
    for around in piece.file.ancestors(node):
        is_said = isinstance(around, ast.Call) and piece.file.resolve(around.func) in _SAY
        is_text = isinstance(around, ast.Expr) and around.value is node
        if is_said or is_text or isinstance(around, ast.JoinedStr | ast.Compare | ast.Raise):
            return False
        if isinstance(around, ast.stmt):
            break
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    text = "".join(str(one.value) if isinstance(one, ast.Constant) else HOLE for one in parts)
    if len(text) > _LONGEST:
        return False
    ends = world.kept("ends of paths", lambda: _ends(world))
    named = [one.rpartition("/")[2].replace(HOLE, "*") for one in wanted if _LITERAL.search(one)]
    return any(
        fnmatchcase(word.rpartition("/")[2], one)
        and not any(may_equal(end, word.rpartition("/")[2]) for end in ends - {HOLE})
        for word in text.split()
        for one in named
    )


def _uses(world: World, piece: Piece, call: ast.Call, *, is_write: bool) -> Iterator[FileUse]:
    """The uses of a call; a path that stands in the configuration as it stands there."""
    for use in world.facts.file_uses.of_calls.get(call, ()):
        given = [*call.args, *(one.value for one in call.keywords)]
        known = [
            one
            for node in (given if use.path == HOLE and use.is_write == is_write else ())
            for one in world.facts.configured.values(piece.file, node)
            if isinstance(one, str)
        ]
        yield from (replace(use, path=one) for one in known)
        if not known:
            yield use


def _ends(world: World) -> set[str]:
    """The names of the files that calls which are known take."""
    uses = (one for found in world.facts.file_uses.of_calls.values() for one in found)
    return {one.path.rpartition("/")[2] for one in uses}


def _fits(world: World, use: FileUse, wanted: str) -> bool | None:
    """Whether a path is one that is meant: as a whole, or by its end; None where it may be."""
    if wanted == "*":
        return use.is_sure or None
    depth = wanted.count("/") + 1
    end = "/".join(use.path.split("/")[-depth:])
    if use.is_sure and fnmatchcase(end, wanted.replace("[", "[[]")) and end != HOLE:
        return True
    if not may_meet(wanted.replace("*", HOLE).split("/"), end.split("/")):
        return False
    texts = world.kept("texts", lambda: list(texts_of(world.facts)))
    return None if may_be_said(wanted, use.path, texts) else False


def _listed(world: World, scope: Scope, *, is_write: bool) -> Listing:
    files = {file.path for file in world.python_in(scope)}
    found = [
        use
        for uses in world.facts.file_uses.of_calls.values()
        for use in uses
        if use.is_write == is_write and use.span.file in files
    ]
    filled = [
        Filled(use.path.rpartition("/")[2], world.at(use.span))
        for use in found
        if use.is_sure and use.path != HOLE
    ]
    gaps = [f"{use.span}: the path is not known" for use in found if HOLE in use.path]
    return Listing(tuple(filled), (counted(len(found), "call"),), tuple(gaps))
