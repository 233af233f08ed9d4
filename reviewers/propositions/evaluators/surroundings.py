"""What lies around the code: what is published, where paths are resolved, what is composed, whether
anything at all is known to stop a run, and opinions.
"""

import ast
from collections.abc import Iterator
from fnmatch import fnmatchcase

from omegaconf import DictConfig

from reviewers.facts import distributions, hub_datasets, hub_models
from reviewers.facts.activities import Sight
from reviewers.facts.columns import gives_column, may_bring
from reviewers.facts.reach import Piece
from reviewers.propositions.answers import Answer, Truth, Witness, denied, open_, proved
from reviewers.propositions.evaluators.names import search
from reviewers.propositions.terms import Scope
from reviewers.propositions.vocabulary import predicate
from reviewers.propositions.world import World, whole
from reviewers.records import Span

_BRANCHES = (ast.If, ast.Try, ast.Match)
_ABSOLUTE = frozenset(
    {"hydra.utils.to_absolute_path", "hydra.utils.get_original_cwd", "os.path.abspath"}
)


@predicate(
    "a {kind} {name} (is|is not) published", "model-or-method-missing", "dataset", "rotten_tomatoes"
)
def published(world: World, kind: str, name: str) -> Answer:
    """True where the index is known to have the data set, model or package, and the submission
    names it; false where it is known to be absent, or unusable.
    """
    found = {"dataset": _dataset, "model": _model, "package": _package}.get(kind)
    known = found(world, name) if found else None
    if known is None:
        return open_(f"it is unknown whether a {kind} `{name}` exists")
    if known:
        return proved(_named(world, name))
    return denied([f"what is known of the index: it has no usable {kind} `{name}`"])


def _dataset(_: World, name: str) -> bool | None:
    if hub_datasets.is_absent(name):
        return False
    found = hub_datasets.find_dataset(name)
    if found is None:
        return None
    return not found.script or None


def _model(_: World, name: str) -> bool | None:
    if hub_models.lacks_namespace(name):
        return False
    return True if "/" in name and hub_models.architecture_of(name) is not None else None


def _package(world: World, name: str) -> bool | None:
    if distributions.why_unusable(name) is not None:
        return False
    return True if world.facts.third_party.released(name) else None


def _named(world: World, name: str) -> Iterator[Witness]:
    """Where the submission names it."""
    for path in world.facts.submission.by_path:
        for number, line in enumerate(world.facts.lines(path), 1):
            if name in line:
                yield Witness(Span(path, number), line.strip()[:200])
                break


@predicate(
    "the path {path} (is|is not) resolved in the {base}",
    "file-structure",
    "results_dir",
    "hydra job directory",
)
def path_base(world: World, path: str, base: str) -> Answer:
    """True where relative paths of every Hydra function are resolved there: in the folder that
    Hydra makes for a job, or where the process was started; false where in the other. Of code
    that makes a path absolute itself nothing is told.
    """
    hydra = world.facts.hydra
    if not hydra.entry_points or not path:
        return open_("nothing is started by Hydra")
    wanted = base.lower()
    is_job = any(word in wanted for word in ("job", "output", "hydra"))
    if not is_job and not any(word in wanted for word in ("cwd", "working", "root", "start")):
        return open_(f"`{base}` is not a known folder")
    by_hand = [
        call
        for file in world.facts.python.values()
        for call in file.calls
        if call.name in _ABSOLUTE or call.name == "os.chdir"
    ]
    if by_hand:
        return open_("the code makes paths absolute, or changes its folder")
    moved = {hydra.moves(entry) for entry in hydra.entry_points.values()}
    places = [world.at(entry.span) for entry in hydra.entry_points.values()]
    if len(moved) > 1:
        return open_("some functions are moved, and others are not")
    return proved(places) if moved == {is_job} else denied((), (), places)


@predicate(
    "Hydra (composes|does not compose) the configuration[ of {command}][ for run {run}]",
    "hydra-composition",
    "main",
)
def composes(world: World, command: str = "", run: str = "") -> Answer:
    """True where Hydra composes the configuration of every start of the command (of each, without
    one); false where it refuses one, and says why.
    """
    known = world.facts.contract.commands.get(command)
    path = known.file if known else world.facts.trainer if command == "train" else ""
    starts = [
        start
        for start in world.facts.hydra.starts
        if (not command or start.entry.path == path) and (not run or fnmatchcase(start.run_id, run))
    ]
    if not starts:
        return open_("no such start by Hydra is known")
    against = [
        Witness(
            # Where the decorator names no file of the submission, it is what is wrong.
            whole(start.entry.config_file)
            if start.entry.config_file in world.facts.submission.by_path
            else start.entry.span,
            f"{start.subject}: {start.refused[0].message}"[:200],
        )
        for start in starts
        if not isinstance(start.composed, DictConfig)
    ]
    if against:
        return denied((), (), against)
    return proved(Witness(start.entry.span, f"composed for {start.subject}") for start in starts)


@predicate("the submission (is|is not) sound[ apart from {but}]", "uncategorised")
def sound(world: World, but: str = "") -> Answer:
    """Never true. False where something that is known for certain stops a command, other than
    what is excepted.
    """
    found = [
        Witness(one.place, one.said)
        for one in world.failures
        if one.certain and not (but and (but in one.said or but in one.place.file))
    ]
    return denied((), (), found) if found else open_("that all is well is never proven")


@predicate("(|not )an opinion: {text}", "by file", "the design is weak")
def judgement(world: World, text: str) -> Answer:
    """Never true and never false: an opinion, a demand or advice."""
    return open_("an opinion, a demand or advice, which no code confirms")


@predicate(
    "in {scope}, the data (has|lacks) <a column {column}|the columns {column}>[ of {of}]",
    "data-pipeline-incomplete",
    "src/preprocess.py",
    "labels",
)
def has_column(world: World, scope: Scope, column: str, of: str = "") -> Answer:
    """True where code of the scope gives a table or a data set a column of the name: an item, a
    renamed column, a key of a function that `map` calls; false where no text of the code, nor any
    data set that it may load, has the name.
    """

    def seen(piece: Piece) -> Iterator[Sight]:
        for node in piece.nodes:
            if isinstance(node, ast.Assign | ast.Call) and gives_column(node, column):
                ways = piece.file.ancestors(node)
                is_sure = not of and not any(isinstance(one, _BRANCHES) for one in ways)
                yield Sight(node, "" if is_sure else "it may give the column")

    answer = search(world, scope, seen)
    if answer.truth is not Truth.FALSE:
        return answer
    if any(use.path for uses in world.facts.file_uses.of_calls.values() for use in uses):
        return open_("what is in the files that are read or written is not known")
    return denied(answer.looked_at, may_bring(world.facts.python.values(), column))
