"""Configuration: the keys that files and composed configurations have, and what code reads."""

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from omegaconf import DictConfig, OmegaConf

from reviewers.facts import yaml_config
from reviewers.facts.config_reads import plain_key
from reviewers.facts.globs import written_as
from reviewers.facts.placed import place_of, without_place
from reviewers.facts.stores import assigned, span_of
from reviewers.facts.yaml_config import values_at
from reviewers.propositions.answers import Answer, Witness, denied, open_, proved
from reviewers.propositions.terms import Literal, Scope
from reviewers.propositions.vocabulary import alike, predicate
from reviewers.propositions.world import World, whole
from reviewers.records import Span, counted
from reviewers.toml_text import TomlProblem, parse_toml

_ABSENT = object()
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?$")
_SORTS = {
    "<string>": str,
    "<number>": int | float,
    "<table>": Mapping,
    "<list>": list,
    "<null>": type(None),
}


@predicate(
    "{where} (has|does not have) <the key {key}|the keys {key}>[ with the value {value}]",
    "hydra-composition",
    "config/config.yaml",
    "training.lr",
)
def has_key(world: World, where: str, key: str, value: Literal = None) -> Answer:
    """True where the file, or the composed configuration, has the key, with the value if one is
    given; false where all of it can be read and it has not. A section that is there but holds
    nothing has no key below it.
    """
    wanted = plain_key(key)
    if where == "composed":
        return _composed(world, wanted, value)
    paths = _places(world, where)
    if not paths:
        return open_(f"{where} is not in the submission")
    found, against, gaps = [], [], []
    for path in paths:
        values = values_in(world, path)
        if values is _ABSENT:
            gaps.append(f"{path} cannot be read")
            continue
        held = list(values_at(values, wanted.split(".")))
        fitting = [one for one in held if value is None or _is(one, value)]
        if fitting:
            found.append(Witness(_span(fitting[0], path), f"{wanted}: {_shown(fitting[0])}"))
        elif any("${" in str(one) for one in (*held, *_above(values, wanted.split(".")))):
            gaps.append(f"{path}: another key may give `{wanted}`")
        elif not held and wanted in yaml_config.chosen_groups(values):
            gaps.append(f"{path} chooses from `{wanted}` in another form")
        elif held:
            against.append(Witness(_span(held[0], path), f"{wanted}: {_shown(held[0])}"))
        else:
            against.append(Witness(whole(path), f"{path} has no `{wanted}`"))
    if gaps:
        return open_(*gaps)
    if found and not against:
        return proved(found)
    if found:
        return open_(f"only {len(found)} of {len(paths)} files have `{wanted}`")
    return denied((), (), against)


def _places(world: World, where: str) -> list[str]:
    """The files that are meant: a path, or the configurations of runs."""
    if not where.startswith("run:"):
        return world.paths(where)
    wanted = where.removeprefix("run:")
    return [run.file.path for run in world.facts.runs if fnmatchcase(run.run_id, wanted)]


def values_in(world: World, path: str) -> Any:
    """What a YAML or TOML file holds, places included; `_ABSENT` where it cannot be read."""
    text = world.facts.text(path) or ""
    if not path.endswith(".toml"):
        if not text.strip():
            return {}
        found = yaml_config.plain_values(text, path)
        return _ABSENT if found is None else found
    try:
        return parse_toml(text)
    except TomlProblem:
        return _ABSENT


def _above(values: Any, parts: list[str]) -> Iterator[Any]:
    """The texts that stand in the place of a section of a key."""
    for length in range(1, len(parts)):
        yield from (one for one in values_at(values, parts[:length]) if isinstance(one, str))


def _is(found: Any, wanted: Literal) -> bool:
    if isinstance(wanted, str) and wanted in _SORTS:
        return isinstance(found, _SORTS[wanted]) and not isinstance(found, bool)
    plain = without_place(found)
    if isinstance(plain, str) and isinstance(wanted, int | float) and _NUMBER.match(plain):
        return float(plain) == wanted  # what YAML takes for a text is a number to OmegaConf
    return isinstance(plain, str | int | float | bool | None) and (
        alike(plain, wanted) or written_as(str(plain), str(wanted))
    )


def _span(value: Any, path: str) -> Span:
    """Where a value stands, or the first within it whose place is known."""
    place = place_of(value)
    if isinstance(place, Span):
        return place
    inner = value.values() if isinstance(value, Mapping) else value
    for one in inner if isinstance(inner, list) or isinstance(value, Mapping) else ():
        if (span := _span(one, path)).line is not None:
            return span
    return whole(path)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{{', '.join(map(str, value))}}}"[:120]
    return str(value)[:120]


def _composed(world: World, key: str, value: Literal) -> Answer:
    starts = [
        start
        for start in world.facts.hydra.starts
        if start.entry.path == world.facts.trainer and not start.is_imagined
    ]
    found: list[Witness] = []
    missing: list[Witness] = []
    for start in starts:
        given = world.facts.hydra.configurations(start)
        fits = {_has(config, key, value) for config in given}
        if len(fits) != 1 or None in fits:
            return open_(f"{start.subject} is not composed, or `{key}` is there and empty")
        witness = Witness(whole(start.entry.config_file), f"composed for {start.subject}: {key}")
        (found if fits.pop() else missing).append(witness)
    if found and missing:
        return open_(f"only {len(found)} of {len(starts)} starts have `{key}`")
    if not starts:
        entries = list(world.facts.hydra.entry_points.values())
        nameless = [one for one in entries if one.path == world.facts.trainer and one.is_nameless]
        if nameless:
            return denied((), (), [world.at(one.span) for one in nameless])
        return open_("no run's configuration is composed")
    return (
        proved(found)
        if found
        else denied([f"the configurations of {counted(len(starts), 'start')}"])
    )


def _has(config: DictConfig, key: str, value: Literal) -> bool | None:
    """Whether a configuration has a key; None where it is empty, which may be meant by either."""
    held = list(values_at(OmegaConf.to_container(config, resolve=False), key.split(".")))
    if value is None and held and not any(one not in (None, {}) for one in held):
        return None
    return any(value is None or _is(one, value) for one in held)


@predicate(
    "{scope} (reads|never reads) the configuration's {key}[ (guarded: {guarded})]",
    "config-hardcoded",
    "src/train.py",
    "training.lr",
)
def reads_key(world: World, scope: Scope, key: str, guarded: bool | None = None) -> Answer:
    """True where code of the scope, or what it runs, reads the key or one below it; false where
    none does, no key is made at run time, and no section goes to code that is not seen.
    """
    wanted = plain_key(key)
    reached = world.reached_from(scope)
    known = world.facts.config_reads
    own = {(piece.file.path, piece.name) for piece in (*reached.own, *world.called_from(scope))}
    inside = {(piece.file.path, piece.name) for piece in reached.pieces}
    happens = {
        one.span: (one.span.file, one.scope) in inside
        and world.happens(scope, one.span.file, one.span.line)
        for found in (known.reads, known.escapes)
        for one in found
    }
    reads = [one for one in known.reads if happens[one.span] is not False]
    found = [
        Witness(read.span, world.facts.code(read.span)[:200])
        for read in reads
        if (read.span.file, read.scope) in own
        and (read.reads(wanted) or read.reads_below(wanted) or fnmatchcase(read.key, wanted))
        and (guarded is None or read.is_guarded == guarded)
        and happens[read.span]
    ]
    if found:
        return proved(found)
    near = [
        f"{one.span}: may read it"
        for one in reads
        if one.may_read(wanted) and (guarded in (None, one.is_guarded) or not one.reads(wanted))
    ]
    near += [
        f"{one.span}: a section is handed on"
        for one in known.escapes
        if happens[one.span] is not False and one.may_read(wanted)
    ]
    near += [
        f"{span_of(piece.file, node)}: it is set there, which needs its section as well"
        for piece in (reached.pieces if guarded is not None else ())
        for node in piece.nodes
        for said, _ in assigned(piece, node)
        if alike(plain_key(said), wanted)
    ]
    return denied([f"{counted(len(reads), 'read')} of the configuration"], [*near, *reached.gaps])
