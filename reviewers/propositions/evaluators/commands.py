"""Commands: what stops them, and how files read their words."""

import ast
import re
from fnmatch import fnmatchcase

from reviewers.facts.child_words import child_words
from reviewers.facts.command_styles import STYLES, styles
from reviewers.facts.config_reads import plain_key
from reviewers.facts.exclusions import SaidToFail, excluded
from reviewers.facts.failures import INSTALL
from reviewers.facts.raised import is_error
from reviewers.facts.stores import code_of, span_of
from reviewers.propositions.answers import Answer, Witness, denied, open_, proved
from reviewers.propositions.terms import Literal, Scope, Spot
from reviewers.propositions.vocabulary import alike, predicate
from reviewers.propositions.world import World, shown
from reviewers.records import Failure, Span

_STARTING = ("subprocess.", "os.system", "os.popen", "os.exec", "os.spawn", "asyncio.")
_ERROR = re.compile(r"\b\w+(?:Error|Exception)\b")
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


@predicate(
    "the command[ {command}] (fails|does not fail)[ with {error}][ at {at}]"
    "[ for run {run}][ in mode {mode}][ saying {message}][ when {when}]",
    "by error",
    "train",
    "AttributeError",
)
def fails(
    world: World,
    command: str = "",
    error: str = "",
    at: Spot | None = None,
    run: str = "",
    mode: str = "",
    message: str = "",
    when: str = "",
) -> Answer:
    """True where a proven failure of the command (of any, without one) fits every argument given;
    what always fails at a line or an expression fails there under any condition, too. False where
    the error is one that the code certainly does not end in: every import is there, all names are
    bound, all parses, each start has the key. A bare "it fails", or an error without place, words
    or run, is not confirmed, but of the installation: an unrelated failure may be of the same kind.
    """
    if not (error or at or message or world.is_explained or command == INSTALL):
        return open_("it names neither an error nor a place")
    is_exact = at is not None and bool(at.line is not None or at.expression)
    if when and not (is_exact or message):
        return open_(f"when `{when}` holds is not known")
    # What cannot be installed does not run either.
    is_bare = not (error or at or message or run or mode or when)
    found = [
        Witness(one.place, one.said)
        for one in world.failures
        if _counts(world, one, is_placed=bool(at or message or run))
        and (_means(world, one, command) or (is_bare and one.step == INSTALL))
        and (_is_met_always(world, one) or _is_met_with(one, run, mode))
        and (not error or _is_kind(one, error))
        and (at is None or _happens(world, one, at))
        and (not message or alike(one.message, f"*{message}*"))
    ]
    if found and command != INSTALL and not (at or message or run or world.is_explained):
        found = [one for one in found if _speaks_of(world, one)]
        if not found:
            return open_("it names no place, and another failure may be meant")
    if found:
        return proved(found)
    # One of the kind may be what is meant, its place or its command told wrongly.
    near = any(error and _is_kind(one, error) for one in world.failures)
    if near or not error:
        return open_("no failure that is known fits")
    asked = SaidToFail(at.file if at else "", at.expression if at else "", message, error)
    return denied(*excluded(world.facts, command, error, asked, when))


def _speaks_of(world: World, shown: Witness) -> bool:
    """Whether a failure's words, or the code at its place, name what the whole is about."""
    names = _NAME.findall(f"{shown.said} {world.facts.code(shown.span)}")
    return not world.about.isdisjoint({*names, *(name.rpartition(".")[2] for name in names)})


def _counts(world: World, failure: Failure, *, is_placed: bool) -> bool:
    """Whether a failure is certain enough: one that a rule tells is so at its place, even where
    the run may not come there.
    """
    if failure.certain or world.is_possible:
        return True
    return failure.finding is not None and (is_placed or world.is_reached)


def _is_met_with(failure: Failure, run: str, mode: str) -> bool:
    """Whether a run and a mode are those with which a failure is met first."""
    return (not run or not failure.run or fnmatchcase(failure.run, run)) and (
        not mode or not failure.mode or failure.mode == mode
    )


def _is_met_always(world: World, failure: Failure) -> bool:
    """Whether every start of the command that is known meets a failure."""
    starts = {
        (one.run, one.mode) for one in world.facts.failures.processes if one.step == failure.step
    }
    return len(starts) > 0 and failure.starts >= len(starts)


def _means(world: World, failure: Failure, command: str) -> bool:
    """Whether a failure stops a command; the training process is part of the main one. A command
    that nobody types by itself is what is run of its script.
    """
    if not command or failure.step == command or {failure.step, command} == {"main", "train"}:
        return True
    facts = world.facts
    if command == "main" or any(one.step == command for one in facts.failures.processes):
        return command == "main" and failure.step not in {*facts.contract.commands, INSTALL}
    script = {"train": facts.trainer, "evaluate": facts.evaluator}.get(command)
    passed = {one.file for one in (failure.place, *failure.chain)}
    return script in passed or any(one.endswith(f"/{command}.py") for one in passed)


def _is_kind(failure: Failure, wanted: str) -> bool:
    """Whether an error is of a kind, subclasses included; one without a name is that of which its
    text speaks, as is a subclass of its own that this names.
    """
    named = _ERROR.findall(failure.message)
    names = [one for one in named if not failure.error or is_error(one, failure.error)]
    return any(is_error(name, wanted) for name in (*names, failure.error) if name)


def _happens(world: World, failure: Failure, at: Spot) -> bool:
    """Whether a failure is met at a place, or where it is told with its line or code, on the way
    there: each failure passes through files that have no part in it.
    """
    is_exact = at.line is not None or bool(at.expression)
    for span in (failure.place, *(failure.chain if is_exact else ())):
        if at.file and not fnmatchcase(span.file, at.file):
            continue
        if at.line is not None and not (span.line or 0) <= at.line <= (span.end_line or 0):
            continue
        if not at.expression or at.expression in world.facts.code(span):
            return True
        if at.expression in failure.message or _is_inside(world, span, at.expression):
            return True
    return False


def _is_inside(world: World, span: Span, name: str) -> bool:
    """Whether a place lies in the definition of a qualified name."""
    file = world.facts.python.get(span.file)
    scope = file.scope_at(span.line) if file is not None and span.line else ""
    return scope == name or scope.startswith(f"{name}.")


@predicate(
    "{file} (reads|does not read) its command line as {style} words",
    "cli-contract",
    "src/evaluate.py",
    "positional",
)
def command_line(world: World, file: str, style: str) -> Answer:
    """True where the file reads its command line so: `positional` and `flags` (argparse, click),
    `hydra`, `key=value`; false where it is read in other ways only.
    """
    parsed = world.facts.python.get(file)
    if parsed is None:
        return open_(f"{file} is not in the submission")
    if style not in STYLES:
        return open_(f"`{style}` is not a known way to read a command line")
    seen: dict[str, list[Witness]] = {}
    for found, node in styles(file, parsed):
        seen.setdefault(found, []).append(world.at(span_of(parsed, node)))
    if style in seen:
        return proved(seen[style])
    gaps = [] if parsed.tree is not None else [f"{file} does not parse"]
    gaps += [f"{one.span}: it is unknown how it reads its arguments" for one in seen.pop("", ())]
    others = [one for witnesses in seen.values() for one in witnesses]
    return denied((), gaps, others) if others or gaps else open_("nothing reads its words")


@predicate(
    "{scope} (passes|does not pass) {key}[ as {value}] to the process that it starts",
    "cli-contract",
    "src/main.py",
    "wandb.mode",
    "disabled",
)
def passes(world: World, scope: Scope, key: str, value: Literal = None) -> Answer:
    """True where a child process that the file starts certainly gets the word; false where all
    words of every child are known and none is it.
    """
    trainer_words = list(child_words(world.facts, scope.file, scope.mode or "", scope.run or ""))
    if not trainer_words:
        return _starts_nothing(world, scope)
    found: list[Witness] = []
    gaps: list[str] = []
    made = [
        (code_of(node)[2:-1], node, piece.file)
        for piece in world.reached_from(scope).own
        for node in piece.nodes
        if isinstance(node, ast.JoinedStr)
    ]
    told = {f"{key}={value}"}
    is_made = "{" in str(value)  # of code, which is compared as it is written
    if (
        "." in str(value)
        and _NAME.fullmatch(str(value))
        and any(said.startswith(f"{key}={{") for said, *_ in made)
    ):
        told, is_made = {f"{key}={{{value}}}"}, True  # code without its braces
    written = [shown(file, node) for said, node, file in made if said in told]
    for words, place in trainer_words:
        if words is None:
            gaps.append(f"{place}: its words are made at run time")
            continue
        texts = [word.lstrip("+~-") for word in words]
        fitting = [one for one in texts if alike(one.partition("=")[0], plain_key(key))]
        if value is not None and not is_made and not any("{" in one for one in fitting):
            fitting = [one for one in fitting if alike(one.partition("=")[2], str(value))]
        if fitting and is_made and written:
            found.append(written[0])
        elif fitting and (value is None or (not is_made and "{" not in fitting[0])):
            found.append(Witness(place, fitting[0]))
        elif fitting or any("{" in one.partition("=")[0] for one in texts):
            gaps.append(f"{place}: a word is made at run time")
    if len(found) == len(trainer_words):
        return proved(found)
    if found:
        return open_("some children get it, and others do not")
    return denied([f"the words of {len(trainer_words)} child processes"], gaps)


def _starts_nothing(world: World, scope: Scope) -> Answer:
    """Whether a file starts no process at all, so that it passes nothing."""
    reached = world.reached_from(scope)
    starts = [
        f"{shown(piece.file, node).span} may start one"
        for piece in reached.pieces
        for node in piece.nodes
        if isinstance(node, ast.Call)
        and (piece.file.resolve(node.func) or "").startswith(_STARTING)
    ]
    seen = [f"{len(reached.pieces)} pieces of code, which start no process"]
    return denied(seen if reached.own else [], [*starts, *reached.gaps])
