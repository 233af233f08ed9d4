"""What an experiment can do besides training, and whether the code does it; see `topics.toml`."""

import ast
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from reviewers.claims.checks.base import Case
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


_DENIES = re.compile(
    r"\b(?:no|not|never|without|lack(?:s|ing)?|omit(?:s|ted|ting)?|(?<!are )(?<!is )miss(?:es|ing)|"
    r"neither|nor|fails? to|forgets? to)\b|n't\b(?!\s*[,)])"
)
_LACKING = re.compile(
    r"\b(?:is|are|was|were) (?:\w+ )?(?:missing|absent|omitted|lacking|unimplemented)\b"
)
_STOP = (
    r"[.;:–—→]|\b(?:but|so|while|whereas|although|though|because|since|as|only|just|except|other"
    r" than|beyond|besides|"
    r"apart"
    r" from|which|that|despite|instead|for|when|if|where|unless|until|of|from|in|on|using|with|is|are|was|were)\b"  # noqa: E501
)
_UNTIL = re.compile(_STOP)
_TRAINING = re.compile(
    r"\blog(?:s|ged|ging)?\b|\bwandb\b|\btrain(?:ing)?(?:\.py| script| loop| code)\b"
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
        names: whether the names of variables count for `done`.
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
    names: bool


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
            denied=re.compile(
                rf"{_DENIAL}(?:{table['said']})|(?:{table['said']}){_GONE}", re.IGNORECASE
            ),
            done=re.compile(table["done"], re.IGNORECASE),
            written=re.compile(table["written"], re.IGNORECASE),
            strong=re.compile(table["strong"], re.IGNORECASE) if "strong" in table else None,
            file=table.get("file"),
            figure=table.get("figure", False),
            names=table.get("names", False),
        )
        for id, table in tables.items()
    }


@lru_cache(maxsize=64)
def denied(said: str) -> frozenset[str]:
    """The ids of what a claim, in lower case, says is not there: after a denial and in the list
    that follows it.
    """
    parts: list[str] = []
    position = 0
    for match in _DENIES.finditer(said):
        if match.start() >= position:  # else it lies within the part before it
            position = _end(said, match.end())
            parts.append(said[match.end() : position])
    parts += [re.split(_STOP, said[: match.start()])[-1] for match in _LACKING.finditer(said)]
    return frozenset(
        id
        for id, topic in topics().items()
        if _directly(topic.denied.search(said))
        or any(topic.said.search(part) for part in parts if part.strip())
    )


def whole(case: Case) -> str:
    """A claim's words, with the "nor" that stands before them in its sentence."""
    return (
        f"nor {case.said}"
        if case.said[:60] and f"nor {case.said[:60]}" in case.claim.sentence
        else case.said
    )


def _directly(match: re.Match[str] | None) -> bool:
    """Whether what is denied stands right after the denial, not behind a preposition: "no legend is
    added to the bar chart".
    """
    if match is None:
        return False
    words = re.sub(r"\b(?:fails?|forgets?) to\b", "", match.group())
    return (
        re.search(r"\b(?:to|of|for|with|from|on|in|are|is)\b(?=.*\s\S+$)", words) is None
        or _LACKING.search(words) is not None
    )


def _end(said: str, start: int) -> int:
    stop = _UNTIL.search(said, start)
    return stop.start() if stop else len(said)


def concerns(case: Case, path: str) -> bool:
    """Whether a file can be read, and the claim is not about another one, nor about what training
    logs.
    """
    file = case.facts.python.get(path)
    if file is None or file.tree is None:
        return False
    if case.claim.own.files:
        return path in case.claim.own.files
    return path != "src/evaluate.py" or not _TRAINING.search(case.said)


def standing(facts: Facts, topic: Topic) -> Done | bool | None:
    """As `state`, and for statistical tests what the facts of evaluate.py know better."""
    if (
        topic.id == "significance-test"
        and facts.evaluation.is_readable
        and not facts.evaluation.tests_significance
    ):
        return False
    return state(facts, topic)


def state(facts: Facts, topic: Topic) -> Done | bool | None:
    """The call that proves a topic done; False where nothing in the code has to do with it; None
    where neither is sure.
    """
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
    names += [node.id for node in file.nodes if isinstance(node, ast.Name)] if topic.names else []
    if any(map(topic.done.search, names)):
        return True
    return any(
        topic.written.search(literal.value) for literal in file.strings if not literal.is_docstring
    )


def _reachable(file: PythonFile, call: Call) -> bool:
    """Whether the function around a call is used by name somewhere in the file; what stands outside
    functions is reached.
    """
    outer = call.scope.split(".")[0]
    return (
        not outer
        or any(getattr(node, "id", None) == outer for node in file.nodes)
        or outer == "main"
    )
