"""What a rule is: a function from facts to flags, with its metadata and examples beside it.

An example is a diff from what is flagged to what is fine: `- ` begins a line of the former, `+ ` a
line of the latter, and two spaces a line of both. Either side is the text of one or more files,
which are added to a small sound submission. A line `=== PATH` starts a file; text before the first
such line is `src/train.py`. `=== PATH (absent)` removes a file. A line that must be flagged ends in
`# flag: ID`; where the whole file, or its absence, must be flagged, its `===` line does. Run
configs are the files under `config/runs/`; an example that has any brings all of them.
`areachair.toml` is its contract, `design.yaml` its experimental design.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from inspect import cleandoc
from textwrap import dedent

from reviewers.errors import UnknownRule
from reviewers.facts import Facts
from reviewers.facts.fingerprint import fingerprint
from reviewers.records import Check, FactCheck, Finding, Found, Place, Severity, Span
from reviewers.rubric import shipped_rubric

# What rules name as the error where no code runs yet, and where composing or reading the
# configuration, or following the code, tells it.
INSTALLATION, UNREAD, FOLLOWED = "installation", "unread", "followed"
MOST_PLACES = 20  # besides the first; nobody follows more


@dataclass(frozen=True, slots=True)
class Flag:
    """One place that a rule objects to.

    Attributes:
        span: the place of the cause; for something absent, the file in which it should be.
        message: what is wrong and which error it gives, in one sentence.
        evidence: what a person can look at to verify it; the message where that says enough.
        severity: where it differs from the rule's.
        places: where else it shows. Where one of them is a symptom, `span` is the cause, and the
            evidence mentions the first of these.
        says: the same as a proposition, where the vocabulary has one: see `says` and `denies`. How
            a command fails of it is added to that.
        names: what it names of the code beside what it says, and the text of the error.
    """

    span: Span
    message: str
    evidence: str | None = None
    severity: str | None = None
    places: tuple[Place, ...] = ()
    says: str = ""
    names: tuple[str | None, ...] = ()


def says(predicate: str, **arguments: object) -> str:
    """A proposition: that something is so."""
    return json.dumps(_atom(predicate, arguments))


def denies(predicate: str, **arguments: object) -> str:
    """A proposition: that something is not so."""
    return json.dumps({"not": _atom(predicate, arguments)})


def all_of(*told: str) -> str:
    """A proposition: that all of these are so, the main one first."""
    return told[0] if len(told) == 1 else json.dumps({"all": [json.loads(each) for each in told]})


def _atom(predicate: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
    return {"p": predicate, **{name: each for name, each in arguments.items() if each}}


def again(spans: Iterable[Span]) -> tuple[Place, ...]:
    """The further places of which a finding holds as well."""
    return tuple(Place(span, Found.AGAIN) for span in spans)


def symptoms(spans: Iterable[Span]) -> tuple[Place, ...]:
    """The places where what a finding is about shows."""
    return tuple(Place(span, Found.SYMPTOM) for span in spans)


@dataclass(frozen=True, slots=True)
class Rule:
    """One static check.

    Attributes:
        id: two letters and two digits; the letters stand for the criterion.
        name: the pattern that is flagged, not the advice.
        bad, good: the two sides of its example, in the form that this module's docstring gives.
        needs: the clauses without which it has nothing to say (`reviewers.rubric.contract`).
        stops: name of the exception in which a command ends that reaches what its blockers flag;
            empty if it differs; `INSTALLATION` if none is started at all, `UNREAD` or
            `FOLLOWED` where facts know the failure; None if nothing stops.
    """

    id: str
    name: str
    criterion: int
    category: str
    severity: Severity
    summary: str
    why: str
    bad: str
    good: str
    flags: Callable[[Facts], Iterator[Flag]]
    needs: tuple[str, ...] = ()
    stops: str | None = None

    def __call__(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each flag; a rule's finding is confirmed by construction."""
        if not all(map(facts.contract.asks, self.needs)):
            return
        error = None if self.stops in (INSTALLATION, UNREAD, FOLLOWED) else self.stops
        for flag in self.flags(facts):
            yield Finding(
                id=fingerprint(facts, self.id, flag.span, "" if flag.span.line else flag.message),
                rule=self.id,
                criterion=self.criterion,
                category=self.category,
                severity=Severity(flag.severity or self.severity),
                message=flag.message,
                span=flag.span,
                check=FactCheck(Check.CONFIRMED, flag.evidence or flag.message, _witness(flag)),
                places=_besides(flag),
                says=flag.says,
                names=tuple(name for name in (*flag.names, error) if name),
            )


def _witness(flag: Flag) -> Span:
    shown = (place.span for place in flag.places if place.found is Found.SYMPTOM)
    return next(shown, flag.span)


def _besides(flag: Flag) -> tuple[Place, ...]:
    """The further places of a flag, each once: first those in files that were not named before, as
    readers and other tools look at few of them.
    """
    further: dict[Span, Place] = {}
    for place in flag.places:
        if place.span != flag.span:
            further.setdefault(place.span, place)
    before = Counter({flag.span.file: 1})
    nth: dict[Span, int] = {}
    for span in further:
        nth[span] = before[span.file]
        before[span.file] += 1
    return tuple(sorted(further.values(), key=lambda place: nth[place.span]))[:MOST_PLACES]


def name_of(path: str) -> str:
    """Return what messages call a file: its name without the folder."""
    return path.rpartition("/")[2]


_RULES: dict[str, Rule] = {}
_CRITERIA = {"IM": 1, "HY": 2, "DA": 3, "MO": 4, "FS": 5, "TR": 6, "RC": 7, "EV": 8, "MD": 9}
_FLAG = re.compile(r"\s*#\s*flag: \w+$")


def rule(
    *,
    id: str,
    category: str,
    severity: str,
    summary: str,
    example: str,
    criterion: int | None = None,
    needs: tuple[str, ...] = (),
    stops: str | None = None,
) -> Callable[[Callable[[Facts], Iterator[Flag]]], Rule]:
    """Register a function as a rule; its docstring says why the pattern is bad.

    Args:
        criterion: if it is not the one for which the letters of the id stand.

    Raises:
        ValueError: the id is taken, or criterion, category or severity are not in the rubric.
    """
    if id in _RULES:
        raise ValueError(f"two rules have the id {id}")
    criterion = criterion or _CRITERIA.get(id[:2], 0)
    if criterion not in shipped_rubric().criteria:
        raise ValueError(f"rule {id}: no criterion; an id begins with one of {[*_CRITERIA]}")
    if category not in shipped_rubric().categories:
        known = ", ".join(shipped_rubric().categories)
        raise ValueError(f"rule {id}: there is no category {category!r}; there are {known}")

    bad, good = _sides(example)

    def register(flags: Callable[[Facts], Iterator[Flag]]) -> Rule:
        made = Rule(
            id=id,
            name=flags.__name__,
            criterion=criterion,
            category=category,
            severity=Severity(severity),
            summary=summary,
            why=cleandoc(flags.__doc__ or ""),
            bad=bad,
            good=good,
            flags=flags,
            needs=needs,
            stops=stops,
        )
        _RULES[id] = made
        return made

    return register


def _sides(example: str) -> tuple[str, str]:
    lines = dedent(example).strip("\n").splitlines()
    bad = [line[2:] for line in lines if not line.startswith("+")]
    good = [_FLAG.sub("", line[2:]) for line in lines if not line.startswith("-")]
    return "\n".join([*bad, ""]), "\n".join([*good, ""])


def registered() -> dict[str, Rule]:
    """Every registered rule by id, in the order of ids."""
    return dict(sorted(_RULES.items()))


def find_rule(id: str) -> Rule:
    """Return the rule with this id, in any case of its letters.

    Raises:
        UnknownRule: no rule has it; the text names how to list them.
    """
    try:
        return _RULES[id.upper()]
    except KeyError:
        raise UnknownRule(f"there is no rule {id!r}; `areachair rules` lists them") from None
