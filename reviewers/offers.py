"""Proven repairs as plain records, which can be stored; `reviewers.repairs` makes them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from reviewers.records import Span

SCHEMA = "areachair.repairs/1"


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A text in place of another one.

    Attributes:
        start, end: characters of the file, 0-based, the end excluded; both 0 for a file that is not
            there yet.
        text: what stands there afterwards.
    """

    path: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of a file in place of others, as a patch has them.

    Attributes:
        line: the first of the old lines, 1-based; of the line before where there is none.
        old, new: whole lines, unchanged ones around them included; `old` of a file that is not
            there yet is empty.
    """

    path: str
    line: int
    old: str
    new: str
    is_new_file: bool = False


_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ABSENT = "/dev/null"


def hunks_of(patch: str) -> Iterator[Hunk]:
    """Yield the hunks of a patch of ours. What a hunk's head counts is code, whatever it looks
    like.
    """
    lines = patch.split("\n")
    at = 0
    old = path = ""
    while at < len(lines):
        line, at = lines[at], at + 1
        if line.startswith("--- "):
            old = line[4:]
        elif line.startswith("+++ "):
            path = (old if line[4:] == _ABSENT else line[4:])[2:]
        elif path and (head := _HUNK.match(line)):
            left = [int(1 if head[group] is None else head[group]) for group in (2, 4)]
            sides = ["", ""]
            last: tuple[int, ...] = ()
            while at < len(lines) and (any(left) or lines[at][:1] == "\\"):
                sign, text, at = lines[at][:1], lines[at][1:], at + 1
                if sign == "\\":  # no line end there
                    for side in last:
                        sides[side] = sides[side].removesuffix("\n")
                    continue
                last = {"-": (0,), "+": (1,)}.get(sign, (0, 1))
                for side in last:
                    sides[side] += text + "\n"
                    left[side] -= 1
            before, after = (side.removeprefix("\ufeff") for side in sides)
            yield Hunk(path, int(head[1]), before, after, old == _ABSENT)


@dataclass(frozen=True, slots=True)
class ProvenWay:
    """One proven way to repair a finding.

    Attributes:
        intent, consequence, choice: as in `Proposal`.
        patch: from the version before it to the version after it.
        edits: the same in the files of the submission itself; empty where it edits what an earlier
            repair wrote, or gives a file another path.
    """

    intent: str
    patch: str
    consequence: str = ""
    choice: str = ""
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """The repair of one finding.

    Attributes:
        finding: its id; `message` and `span` as the version says that the repair is made on.
        ways: what the plan takes, then the others.
        asks: the question of which each way is an answer; empty if there is nothing to ask.
        proof: what the review of the repaired version showed, in one sentence.
        gone: ids of the findings that are gone with it, its own among them.
        shown: what a run comes to only now, a line each.
    """

    finding: str
    rule: str
    span: Span | None
    message: str
    ways: tuple[ProvenWay, ...]
    asks: str
    proof: str
    gone: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Offers:
    """The plan of a submission.

    Attributes:
        repairs: in the order in which they are made.
        left: what no repair is offered for: place and message, a line each.
        is_ready: whether the dry run meets no failure and no blocker is left.
        stops: where the last version stops, and why; empty if nowhere.
    """

    repairs: tuple[Offer, ...] = ()
    left: tuple[str, ...] = ()
    is_ready: bool = False
    stops: str = ""

    @property
    def questions(self) -> int:
        """How many repairs a person has to choose the answer of."""
        return sum(bool(each.asks) for each in self.repairs)


def offers_json(told: Offers) -> dict[str, Any]:
    """The object `areachair.repairs/1`."""
    return {"schema": SCHEMA, **asdict(told), "questions": told.questions}


def offers_of(value: Mapping[str, Any]) -> Offers:
    """The records of such an object."""
    return Offers(
        repairs=tuple(_read(each) for each in value["repairs"]),
        left=tuple(value["left"]),
        is_ready=value["is_ready"],
        stops=value["stops"],
    )


def _read(value: Mapping[str, Any]) -> Offer:
    ways = tuple(
        ProvenWay(**{**way, "edits": tuple(Edit(**edit) for edit in way["edits"])})
        for way in value["ways"]
    )
    span = Span(**value["span"]) if value["span"] else None
    lists = {"gone": tuple(value["gone"]), "shown": tuple(value["shown"])}
    return Offer(**{**value, "ways": ways, "span": span, **lists})
