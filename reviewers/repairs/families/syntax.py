"""Repairs of files that cannot be parsed, where the cure is certain: the file parses after it, and
nothing but the slip is changed.
"""

import ast
import keyword
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from reviewers.facts import Facts, yaml_config
from reviewers.facts.parsing import SyntaxProblem, parse
from reviewers.records import Finding
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import whole
from reviewers.toml_text import TomlProblem, parse_toml

_MOST_SLIPS = 5  # of one file
_MOST_LINES = 20  # back to where a bracket may be open
# What the answer that the file was cut out of had around it: a fence, or closing signs of its JSON.
_FENCE = re.compile(r"\A\s*```[\w.+-]*[ \t]*\n(?P<file>.*?)\n```\s*\Z", re.DOTALL)
_CLOSING = re.compile(r"""\n[ \t]*[`"'}\])]+\s*\Z""")
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
    """Without a fence around the file, or lines of closing signs behind its end."""
    path = finding.span.file if finding.span else ""
    text = facts.text(path) or ""
    if fenced := _FENCE.match(text):
        edit = whole(facts, path, f"{fenced['file'].rstrip()}\n")
        yield Proposal("Take out the fence around the file", (edit,))
    cut = text
    for _ in range(_MOST_SLIPS):
        if (closing := _CLOSING.search(cut)) is None:
            return
        cut = f"{cut[: closing.start()].rstrip()}\n"
        if _is_read(path, cut):
            told = "Take out the closing signs behind the end of the file"
            yield Proposal(told, (whole(facts, path, cut),))
            return


def _is_read(path: str, text: str) -> bool:
    match path.rpartition(".")[2]:
        case "py":
            return isinstance(parse(text), ast.Module)
        case "toml":
            with suppress(TomlProblem):
                return bool(parse_toml(text))
            return False
    return isinstance(yaml_config.values(text), dict)


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
    if 0 <= at < len(lines):
        for intent, changed, count in (
            *_of_message(lines, at, problem.message),
            *_of_line(lines[at]),
            *_of_full_stop(lines, at),
        ):
            yield intent, "".join([*lines[:at], changed, *lines[at + count :]])


_Cure = tuple[str, str, int]  # its intent, and what stands in place of how many lines


def _of_message(lines: Sequence[str], at: int, message: str) -> Iterator[_Cure]:
    """What Python itself says that is missing or too much."""
    line = lines[at]
    bare, end = line.rstrip(), line[len(line.rstrip()) :]
    if message == "expected ':'" and not bare.endswith(":"):
        ends = _COMMENT.search(line)
        before = ends.start() if ends else len(bare)
        yield "add the colon", f"{line[:before]}:{line[before:]}", 1
    elif message.startswith(("invalid character", "invalid non-printable")):
        yield "write Python's own signs", line.translate(_PLAIN_SIGNS), 1
    elif message.startswith("unterminated") and "".join(lines[at + 1 : at + 2])[:1].strip():
        text = f"{line.rstrip(chr(10))}\\n{lines[at + 1]}"
        yield "write the line break within a text as \\n", text, 2
    elif "line continuation" in message:
        text = re.sub(r"\\(?=[\"'])", "", line)
        yield "take the backslash before a quote out", text, 1
    elif message.endswith("never closed") and message[1:2] in _CLOSES:
        last = at  # of the lines that stand deeper than what is left open
        while last + 1 < len(lines) and _depth(lines[last + 1]) > _depth(line):
            last += 1
        closed = lines[last].rstrip()
        if not closed.endswith(","):  # something is missing besides
            text = "".join([*lines[at:last], f"{closed}{_CLOSES[message[1]]}{end}"])
            yield "close the bracket", text, last - at + 1


def _of_line(line: str) -> Iterator[_Cure]:
    """What the line itself shows."""
    if (found := _KEYWORD.search(line)) is not None:
        word = f'["{found[1]}"]'
        changed = line[: found.start()] + word + line[found.end() :]
        yield f"read the key {found[1]}, a word of Python, in brackets", changed, 1
    if (found := _FORMAT.search(line)) is not None:
        shown = found[1].replace('"', "'")
        changed = f'{line[: found.start()]}f"{{{shown}:{found[2]}}}"{line[found.end() :]}'
        yield "put what is formatted in an f-string", changed, 1
    bare = line.rstrip()
    if (quoted := _QUOTED.fullmatch(bare)) is not None and quoted["quote"] in quoted["text"]:
        quote = quoted["quote"]
        escaped = re.sub(rf"(?<!\\){quote}", rf"\\{quote}", quoted["text"])
        changed = f"{quoted['before']}{quote}{escaped}{quote}{quoted['after']}{line[len(bare) :]}"
        yield "escape the quotes within a text", changed, 1


def _of_full_stop(lines: Sequence[str], at: int) -> Iterator[_Cure]:
    """A line that goes on in the next one, or a statement with a full stop."""
    bare = lines[at].rstrip()
    if bare.endswith("."):
        if at + 1 < len(lines):
            joined = bare + lines[at + 1].lstrip()
            yield "join the line with the one that it goes on in", joined, 2
        ends = bare[:-1] + lines[at][len(bare) :]
        yield "take out the full stop behind the statement", ends, 1


def _depth(line: str) -> int:
    """How far a line is indented; an empty one as if it were not."""
    return len(line) - len(line.lstrip()) if line.strip() else 0
