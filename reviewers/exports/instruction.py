"""What to tell a generator so that failures do not come again, as plain text.

Every word is of the rules' own documentation: nothing that a submission says can become an
instruction here.
"""

import re
from collections.abc import Sequence
from textwrap import dedent, indent

from rapidfuzz.distance import Indel

from reviewers.rules import Rule

_FLAG = re.compile(r"\s*# flag: \w+")
_FILE = re.compile(r"=== (?P<path>\S+)(?P<absent>.*)")
_END = re.compile(r"(?<=[.;:])\s")
_MOST_LINES = 8


def instruction(rules: Sequence[Rule]) -> str:
    """Return the instruction: a numbered part for each rule."""
    parts = [_part(number, rule) for number, rule in enumerate(rules, 1)]
    return "\n\n".join(["Before you hand in the code, make sure of the following.", *parts])


def _part(number: int, rule: Rule) -> str:
    wrong, fine = _sides(rule)
    said = [
        f"{number}. This must not happen: {rule.summary}.",
        indent(rule.why.split("\n\n")[0].replace("\n", " "), "   "),
    ]
    for words, lines in (("Not:", wrong), ("Instead:", fine)):
        if lines:
            said += [f"   {words}", indent("\n".join(lines), "     ")]
    return "\n".join(said)


def _sides(rule: Rule) -> tuple[list[str], list[str]]:
    """The lines in which the two sides of the example differ, each under the name of its file."""
    bad, good = (
        [_FLAG.sub("", line) for line in text.splitlines()] for text in (rule.bad, rule.good)
    )
    gone, come = list[str](), list[str]()
    for step in Indel.opcodes(bad, good):
        if step.tag == "delete":
            gone += bad[step.src_start : step.src_end]
        elif step.tag == "insert":
            come += good[step.dest_start : step.dest_end]
    return _shown(gone), _shown(come)


def _shown(lines: Sequence[str]) -> list[str]:
    return dedent("\n".join(map(_named, lines))).strip("\n").splitlines()[:_MOST_LINES]


def _named(line: str) -> str:
    file = _FILE.fullmatch(line)
    return f"# {file['path']}{file['absent']}" if file else line
