"""Repairs of files that cannot be parsed, where the cure is certain: the file parses after it, and
nothing but the slip is changed.
"""

import ast
import keyword
import re
from collections.abc import Iterator

from reviewers.facts import Facts, yaml_config
from reviewers.facts.parsing import SyntaxProblem, parse
from reviewers.records import Finding
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import whole

_MOST_SLIPS = 5  # of one file
_MOST_LINES = 20  # back to where a bracket may be open
# What the answer that the file was cut out of had around it: a fence, or closing signs of its JSON.
_FENCE = re.compile(r"\A\s*```[\w.+-]*[ \t]*\n(?P<file>.*?)\n```\s*\Z", re.DOTALL)
_CLOSING = re.compile(r"""\n[\s`"'}\])]+\Z""")
# A character that was written as \u00a0 and lost its backslash on the way.
_ESCAPED = re.compile("\x00a0")
_COMMENT = re.compile(r"""\s+#[^"']*$""")
_FORMAT = re.compile(r"""(?<=[:,(=] )([\w.\[\]"']+):(\.\d+[efg%])(?=[,})])""")
_KEYWORD = re.compile(rf"(?<=[\w)\]])\.({'|'.join(keyword.kwlist)})\b(?!\s*\()")
# Signs of typography where Python has a plain one, and what stands for nothing.
_PLAIN_SIGNS = str.maketrans(
    {"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'", "\u2013": "-", "\u2014": "-"}
    | {"\u2212": "-", "\u00d7": "*", "\u00a0": " ", "\u202f": " ", "\u3000": " "}
    | dict.fromkeys("\u200b\u200c\u200d\ufeff\u2060")
)
_CLOSES = {"(": ")", "[": "]", "{": "}"}
_QUOTED = re.compile(
    r"""(?P<before>[^"']*)(?P<quote>["'])(?P<text>.*)(?P=quote)(?P<after>[\s),:\]]*)"""
)


@repairs("IM01", "RC01", "FS04")
def around_the_file(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Without a fence around the file, or closing signs behind its end."""
    path = finding.span.file if finding.span else ""
    text = facts.text(path) or ""
    if fenced := _FENCE.match(text):
        edit = whole(facts, path, f"{fenced['file'].rstrip()}\n")
        yield Proposal("Take out the fence around the file", (edit,))
    elif closing := _CLOSING.search(text):
        edit = whole(facts, path, f"{text[: closing.start()].rstrip()}\n")
        yield Proposal("Take out the closing signs behind the end of the file", (edit,))


@repairs("RC01")
def open_brackets(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The bracket or quote that a line of YAML leaves open."""
    path, number = (finding.span.file, finding.span.line) if finding.span else ("", None)
    lines = (facts.text(path) or "").splitlines(keepends=True)
    # What is open shows only where the next key stands.
    for at in range(min(number or 0, len(lines)) - 1, -1, -1)[:_MOST_LINES]:
        bare = lines[at].rstrip()
        for sign in ("]", "}", '"', "'"):
            cured = "".join([*lines[:at], f"{bare}{sign}\n", *lines[at + 1 :]])
            opens = {"]": "[", "}": "{"}.get(sign, sign)
            is_open = bare.count(opens) > (bare.count(sign) if opens != sign else 0)
            if is_open and isinstance(yaml_config.values(cured), dict):
                edit = whole(facts, path, cured)
                yield Proposal(f"Close the {opens} of line {at + 1} with {sign}", (edit,))
                return


@repairs("IM01")
def slips(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The cures of one slip after the other, until the file parses."""
    if finding.span is None or finding.span.file not in facts.python:
        return
    text, told = facts.text(finding.span.file) or "", list[str]()
    for _ in range(_MOST_SLIPS):
        problem = parse(text)
        if not isinstance(problem, SyntaxProblem):
            break
        for intent, cured in _cures(text, problem):
            after = parse(cured)
            if not isinstance(after, SyntaxProblem) or after.line > problem.line:
                text = cured
                told.append(intent)
                break
        else:
            return
    if told and isinstance(parse(text), ast.Module):
        intent = " and ".join(dict.fromkeys(told))
        yield Proposal(intent[:1].upper() + intent[1:], (whole(facts, finding.span.file, text),))


def _cures(text: str, problem: SyntaxProblem) -> Iterator[tuple[str, str]]:
    if "\x00" in text:
        yield "take the null bytes out", _ESCAPED.sub(" ", text).replace("\x00", "")
        return
    lines = text.splitlines(keepends=True)
    at = problem.line - 1
    if not 0 <= at < len(lines):
        return
    line = lines[at]
    bare, end = line.rstrip(), line[len(line.rstrip()) :]

    def put(changed: str, count: int = 1) -> str:
        return "".join([*lines[:at], changed, *lines[at + count :]])

    if problem.message == "expected ':'" and not bare.endswith(":"):
        ends = _COMMENT.search(line)
        before = ends.start() if ends else len(bare)
        yield "add the colon", put(f"{line[:before]}:{line[before:]}")
    if (found := _KEYWORD.search(line)) is not None:
        word = f'["{found[1]}"]'
        changed = line[: found.start()] + word + line[found.end() :]
        yield f"read the key {found[1]}, a word of Python, in brackets", put(changed)
    if (found := _FORMAT.search(line)) is not None:
        shown = found[1].replace('"', "'")
        changed = f'{line[: found.start()]}f"{{{shown}:{found[2]}}}"{line[found.end() :]}'
        yield "put what is formatted in an f-string", put(changed)
    if problem.message.startswith(("invalid character", "invalid non-printable")):
        yield "write Python's own signs", put(line.translate(_PLAIN_SIGNS))
    if problem.message.startswith("unterminated") and at + 1 < len(lines):
        joined = f"{line.rstrip(chr(10))}\\n{lines[at + 1]}"
        yield "write the line break within a text as \\n", put(joined, 2)
    if "line continuation" in problem.message:
        yield "take the backslash before a quote out", put(re.sub(r"\\(?=[\"'])", "", line))
    if (sign := problem.message[1:2]) in _CLOSES and problem.message.endswith("never closed"):
        last = at  # of the lines that stand deeper than what is left open
        while last + 1 < len(lines) and _depth(lines[last + 1]) > _depth(line):
            last += 1
        closed = f"{lines[last].rstrip()}{_CLOSES[sign]}{end}"
        yield "close the bracket", "".join([*lines[:last], closed, *lines[last + 1 :]])
    if bare.endswith("."):
        if at + 1 < len(lines):
            joined = bare + lines[at + 1].lstrip()
            yield "join the line with the one that it goes on in", put(joined, 2)
        yield "take out the full stop behind the statement", put(bare[:-1] + end)
    if (quoted := _QUOTED.fullmatch(bare)) is not None and quoted["quote"] in quoted["text"]:
        quote = quoted["quote"]
        escaped = re.sub(rf"(?<!\\){quote}", rf"\\{quote}", quoted["text"])
        changed = f"{quoted['before']}{quote}{escaped}{quote}{quoted['after']}{end}"
        yield "escape the quotes within a text", put(changed)


def _depth(line: str) -> int:
    """How far a line is indented; an empty one as if it were not."""
    return len(line) - len(line.lstrip()) if line.strip() else 0
