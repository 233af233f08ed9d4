"""What an experiment can do besides training, and whether the code does it; see `topics.toml`."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from reviewers.facts import Facts
from reviewers.facts.python_file import Call, PythonFile

_DENIAL = (
    r"(?:\bno|\bnot?|n't|\bnever|\bwithout|\black(?:s|ing)?|\bomit(?:s|ting)?|\bmiss(?:es|ing)|\bneither|\bnor|"
    r"\bfails? to|\bforgets? to)"
    r"(?:\s+(?:generate|compute|create|produce|perform|implement|include|contain|provide|draw|log|output|export|"
    r"save|plot|run|launch|write|use)s?)?(?:\s+[\w/()*'’-]+){0,5}?\s+(?:\w+\s*/\s*)?"
)
_GONE = (
    r"[^.;:]{0,40}?\s(?:is|are|was|were)\s+(?:\w+\s+)?(?:missing|absent|omitted|lacking|unimplemented|nowhere|"
    r"not\s+(?:\w+\s+)?\w+ed\b|not (?:drawn|done|there|written))"
)


@dataclass(frozen=True, slots=True)
class Topic:
    """One thing that an experiment can do.

    Attributes:
        said: how reviews speak of it.
        done, written: names of calls, and string literals, that have to do with it.
        strong: names of calls that prove it done.
        file: where it has to be done; None for anywhere.
        figure: whether it is a figure.
    """

    id: str
    name: str
    said: re.Pattern[str]
    denied: re.Pattern[str]
    done: re.Pattern[str]
    written: re.Pattern[str]
    strong: re.Pattern[str] | None
    file: str | None
    figure: bool


@dataclass(frozen=True, slots=True)
class Done:
    """The call that proves a topic done."""

    path: str
    name: str
    line: int


@cache
def topics() -> Mapping[str, Topic]:
    """Every topic by id."""
    tables = tomllib.loads((files("reviewers.claims") / "topics.toml").read_text("utf-8"))
    return {
        id: Topic(
            id=id,
            name=table["name"],
            said=re.compile(table["said"], re.IGNORECASE),
            denied=re.compile(rf"{_DENIAL}(?:{table['said']})|(?:{table['said']}){_GONE}", re.IGNORECASE),
            done=re.compile(table["done"], re.IGNORECASE),
            written=re.compile(table["written"], re.IGNORECASE),
            strong=re.compile(table["strong"], re.IGNORECASE) if "strong" in table else None,
            file=table.get("file"),
            figure=table.get("figure", False),
        )
        for id, table in tables.items()
    }


def state(facts: Facts, topic: Topic) -> Done | bool | None:
    """The call that proves a topic done; False where nothing in the code has to do with it; None where neither is sure."""
    found = {path: file for path, file in facts.python.items() if topic.file in (None, path)}
    if not found or any(file.syntax_error for file in found.values()):
        return None
    for path, file in found.items():
        for call in file.calls:
            name = _name(call)
            if topic.strong is not None and topic.strong.search(name) and _reachable(file, call):
                return Done(path, name, call.line)
    return None if any(_mentions(file, topic) for file in found.values()) else False


def _name(call: Call) -> str:
    return call.name or str(getattr(call.node.func, "attr", ""))


def _mentions(file: PythonFile, topic: Topic) -> bool:
    names = [_name(call) for call in file.calls]
    names += [f"{item.module}.{item.name or ''}" for item in file.imports]
    names += [definition.name for definition in file.definitions]
    if any(map(topic.done.search, names)):
        return True
    return any(topic.written.search(literal.value) for literal in file.strings if not literal.is_docstring)


def _reachable(file: PythonFile, call: Call) -> bool:
    """Whether the function around a call is used by name somewhere in the file; what stands outside functions is reached."""
    outer = call.scope.split(".")[0]
    return not outer or any(getattr(node, "id", None) == outer for node in file.nodes) or outer == "main"
