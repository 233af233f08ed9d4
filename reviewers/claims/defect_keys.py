"""What a finding says, as keys: two findings that share one speak of the same defect."""

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from reviewers.records import Finding, Span

_STARTS = ("run", "mode", "command")  # with which a failure is met first says nothing of its cause
_UNTOLD = ("judgement", "sound", "contains")
_CLOSE = 3


def say_the_same(one: Finding, other: Finding) -> bool:
    """Whether two findings that were read, or that say what they mean themselves, mean one defect:
    what the one says first is among what the other says, or a command fails at the same place.
    """
    mine, its = _said(one.proposition), _said(other.proposition)
    says_it = bool(mine and its) and (mine[0] in its or its[0] in mine)
    return says_it or _fail_at_one_place(one, other)


def grounds_of(finding: Finding) -> Iterator[object]:
    """What two findings share, at least one of it, where they `say_the_same`."""
    yield from _said(finding.proposition)
    for _, span in _failures(finding.proposition):
        tens = (span.line or 0) // 10
        yield from (("fails", span.file, each) for each in (tens - 1, tens, tens + 1))


def _fail_at_one_place(one: Finding, other: Finding) -> bool:
    return any(
        here.is_near(there, _CLOSE) and (not error or not its_error or error == its_error)
        for error, here in _failures(one.proposition)
        for its_error, there in _failures(other.proposition)
    )


@lru_cache(maxsize=2_000)
def _said(proposition: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_key(each) for each in statements_of(proposition) if _tells(each)))


@lru_cache(maxsize=2_000)
def _failures(proposition: str) -> tuple[tuple[str, Span], ...]:
    found = []
    for each in statements_of(proposition):
        at = each.get("at") if each.get("p") == "fails" else None
        if isinstance(at, dict) and at.get("file") and at.get("line"):
            found.append((str(each.get("error") or ""), Span(at["file"], at["line"])))
    return tuple(found)


def statements_of(proposition: str) -> Iterator[dict[str, Any]]:
    """The statements that a proposition, given as JSON, makes: the first at the head."""
    waiting = [json.loads(proposition)] if proposition else []
    while waiting:
        said = waiting.pop(0)
        inner = said.get("all") or [said[name] for name in _JOINING if name in said]
        if inner and "p" not in said:  # which may have an argument of such a name
            waiting = [*inner, *waiting]
        else:
            yield said


_JOINING = ("because", "then", "would", "possible")


def _tells(said: dict[str, Any]) -> bool:
    """Whether two that say this mean one thing: an opinion does not, nor does a bare failure."""
    atom = said.get("not", said)
    return atom.get("p") not in (*_UNTOLD, "fails")


def _key(said: dict[str, Any]) -> str:
    return json.dumps(_plain(said), sort_keys=True)


def _plain(said: Any) -> Any:
    if isinstance(said, dict):
        kept = {name: _plain(each) for name, each in said.items() if name != "line"}
        if said.get("p") in ("fails", "composes"):
            kept = {name: each for name, each in kept.items() if name not in _STARTS}
        return {name: each for name, each in kept.items() if each not in (None, {}, [])}
    return [_plain(each) for each in said] if isinstance(said, list) else said
