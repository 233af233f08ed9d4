"""Tracking: the metric keys that are logged, and those that the evaluation reads."""

import re

from reviewers.facts.tracking import LoggedKey, MetricRead, Source
from reviewers.propositions.answers import Answer, Filled, Listing, Witness, denied, open_, proved
from reviewers.propositions.evaluators.calls import taken
from reviewers.propositions.terms import Scope
from reviewers.propositions.vocabulary import alike, predicate
from reviewers.propositions.world import World

_LOGS = ("wandb.log", ".log", ".log_metrics", ".log_dict")
_SHORTEST = 3  # letters of a word that is cut short
_WORD = re.compile(r"[a-z0-9]+")


def logged_keys(world: World, scope: Scope, to: str = "") -> Listing:
    """Every key that is logged, by default to the history: what is only put into a run's summary
    may or may not be meant.
    """
    found = _logged(world, scope, to)
    named = [one for one in found if to or one.source is Source.HISTORY]
    gaps = [] if world.facts.tracking.logged_is_complete else ["not every key is known"]
    gaps += [f"the summary gets {one.key}" for one in found if one not in named]
    filled = tuple(Filled(one.key, _witness(world, one)) for one in named)
    return Listing(filled, (f"{len(filled)} keys that are logged",), tuple(gaps))


@predicate(
    "{scope} (logs|never logs) <the metric {key}|the metrics {key}>[ to the {to}][ every {every}]",
    "tracking-mismatch",
    "src/train.py",
    "val_loss",
    key=logged_keys,
)
def logs(world: World, scope: Scope, key: str, to: str = "") -> Answer:
    """True where a key that is logged, or put into the summary, covers it; false where all keys
    that are logged are known and none may be it.
    """
    found = _logged(world, scope, to)
    inside = {(piece.file.path, piece.name) for piece in world.reached_from(scope).own}
    inside |= {(piece.file.path, piece.name) for piece in world.called_from(scope)}
    sure = [
        one
        for one in found
        if "{" not in one.key
        and (alike(one.key, key) or one.covers(key))
        and _place(world, one) in inside
    ]
    if sure:
        return proved(_witness(world, one) for one in sure)
    return _not_there(world, scope, [one for one in found if _resembles(one, key)])


def _resembles(logged: LoggedKey, key: str) -> bool:
    """Whether what is logged may be what a key means: it covers it, or has all of its words, if
    need be cut short (`val_acc`).
    """
    mine = _WORD.findall(logged.key.lower())
    return any(
        logged.covers(one)
        or all(
            any(_is_short_for(word, held) for held in mine) for word in _WORD.findall(one.lower())
        )
        for one in key.split("|")
    )


def _is_short_for(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return one == other or (len(short) >= _SHORTEST and long.startswith(short))


def _not_there(world: World, scope: Scope, near: list[LoggedKey]) -> Answer:
    reached = world.reached_from(scope)
    if not reached.own:
        return open_(*reached.gaps)
    gaps = [f"{one.span} may log it" for one in near]
    gaps += [
        f"{piece.file.path}: {sight.doubt}"
        for piece in reached.pieces
        for node in piece.nodes
        for sight in taken(world, piece, node, "wandb.log")
    ]
    evaluator = world.facts.python.get(world.facts.evaluator)
    if evaluator is not None and any(piece.file is evaluator for piece in reached.own):
        gaps += [f"{evaluator.path}:{one.line} logs" for one in evaluator.calls_of(*_LOGS)]
    if not world.facts.tracking.logged_is_complete:
        gaps.append("not every key that is logged is known")
    return denied([f"all {len(world.facts.tracking.logged)} keys that are logged"], gaps)


def _logged(world: World, scope: Scope, to: str) -> list[LoggedKey]:
    """What code of a scope logs, or may run to log; WandB puts the last of what is logged into the
    summary, too.
    """
    wanted = {"history": {Source.HISTORY}, "summary": set(Source)}.get(to, set(Source))
    return [
        one
        for one in world.facts.tracking.logged
        if one.source in wanted
        and world.is_in(scope, one.span)
        and world.happens(scope, one.span.file, one.span.line) is not False
    ]


def _place(world: World, logged: LoggedKey) -> tuple[str, str]:
    """The file and the definition in which a key is logged."""
    path, line = logged.span.file, logged.span.line
    return path, world.facts.python[path].scope_at(line) if line else ""


def read_keys(world: World, scope: Scope) -> Listing:
    """Every key that is read by a way that is known."""
    filled = tuple(Filled(one.key, _witness(world, one)) for one in _read(world, scope))
    return Listing(filled, (), ("not every way to read a metric is known",))


@predicate(
    "{scope} (reads|never reads) <the metric {key}|the metrics {key}>",
    "tracking-mismatch",
    "src/evaluate.py",
    "val_loss",
    key=read_keys,
)
def reads_metric(world: World, scope: Scope, key: str) -> Answer:
    """True where code reads the key of a run's history or summary; never false, since keys may be
    read by other ways.
    """
    found = [one for one in _read(world, scope) if alike(one.key, key)]
    if found:
        return proved(_witness(world, one) for one in found)
    return open_("not every way to read a metric is known")


def _read(world: World, scope: Scope) -> list[MetricRead]:
    files = {file.path for file in world.python_in(scope)}
    return [one for one in world.facts.tracking.read if one.span.file in files]


def _witness(world: World, one: LoggedKey | MetricRead) -> Witness:
    return Witness(one.span, f"{one.key}: {world.facts.code(one.span)}"[:200])
