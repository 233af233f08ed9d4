"""Reads Python tracebacks, including chained ones, those of worker processes and exception groups;
of each chain it returns the original error.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from reviewers.outcomes.failure import MOST_FRAMES, MOST_MESSAGE, Form, Frame, RunFailure, Told

_HEAD = "Traceback (most recent call last):"
_GROUP = "Exception Group Traceback (most recent call last):"
_MOST_HEADS = 100
_MOST_MESSAGE_LINES = 40
_MOST_LINES = 5_000
# lines between the sentence that links two tracebacks and the second one, or between an error and
# that sentence
_NEXT = 4

_FRAME = re.compile(
    r'^ {2}File "(?P<file>[^"\n]{1,1000})", line (?P<line>\d{1,9})(?:, in (?P<function>.{1,300}))?$'
)
_ERROR = re.compile(
    r"^(?P<type>[A-Za-z_][\w.]{0,200}(?:<locals>\.[\w.]{1,200})?)(?:: ?(?P<message>.*))?$"
)
_NAMED_ERROR = re.compile(
    r"^(?P<type>(?:[A-Za-z_]\w{0,80}\.){0,8}[A-Z]\w{0,80}(?:Error|Exception|Interrupt|Exit|Warning))(?::"
    r" ?(?P<message>.*))?$"
)
_SYNTAX = re.compile(r"^(?:SyntaxError|IndentationError|TabError)\b")
_MARKS = re.compile(r"^[\s~^]+$")
_CAUSED = "The above exception was the direct cause of the following exception:"
_WHILE = "During handling of the above exception, another exception occurred:"
_IGNORED = re.compile(
    r"^(?:Exception ignored in|Error in atexit|--- Logging error|Exception in thread"
    r" (?:wandb|Sen|Net|Sys|Chk))"
)
_OVER = re.compile(
    r"^(?:wandb:|Set the environment variable HYDRA_FULL_ERROR|Error executing job with"
    r" overrides|(?:Original )?Traceback \(most|"
    r"During handling of the above|The above exception was|Exception ignored in|make(?:\[\d+\])?:"
    r" \*\*\*|srun: |slurmstepd: |"
    r"##\[error\]|\[end of output\]|\+[-+]+|[\[(]?\d{4}-\d\d-\d\d[ T]\d\d:\d\d|hint: |error:"
    r" |ERROR: |\"\"\"$|\[W\d{3,}|Killed$)"
)
_REWORDING = frozenset(
    {
        "CalledProcessError",
        "ChildFailedError",
        "InstantiationException",
        "JoblibException",
        "ProcessRaisedException",
        "RayTaskError",
    }
)
"""Errors that only pass on what another one said."""


def last_traceback(lines: Sequence[str]) -> Told | None:
    """Return the cause in the last chain of tracebacks, None if there is none; what is printed
    of ignored errors is none.
    """
    heads = [index for index, line in enumerate(lines) if line.endswith(_HEAD)][-_MOST_HEADS:]
    bare = _bare_syntax_error(lines, heads[-1] if heads else -1)
    if bare is not None:
        return bare
    place = len(heads) - 1
    while place >= 0 and (_is_ignored(lines, heads[place]) or _read(lines, heads[place]) is None):
        place -= 1
    if place < 0:
        return None
    group = _group_around(lines, heads, place)
    if group is not None:
        return group
    chain: list[Told] = []
    links: list[str] = []
    while place >= 0 and (read := _read(lines, heads[place])) is not None:
        chain.insert(0, read)
        link = _link_before(lines, heads[place])
        if link is None or place == 0:
            break
        links.insert(0, link)
        place -= 1
    links = links[len(links) - len(chain) + 1 :] if len(chain) > 1 else []
    return _cause(lines, chain, links)


def _cause(lines: Sequence[str], chain: Sequence[Told], links: Sequence[str]) -> Told:
    """Go back from the last error as long as it only words another one again."""
    chosen = len(chain) - 1
    while chosen > 0 and _rewords(lines, chain[chosen - 1], chain[chosen], links[chosen - 1]):
        chosen -= 1
    last, cause = chain[-1], chain[chosen]
    failure = cause.failure if cause is last else replace(cause.failure, outer=last.failure)
    return Told(failure, chain[0].start, last.end)


def _rewords(lines: Sequence[str], before: Told, after: Told, link: str) -> bool:
    """Whether an error says again what the one before it was: as a wrapper, for a worker, or by a
    `raise` of the program's own.

    A library that raises an error of its own has said it better; an error in a handler is a new
    one.
    """
    if any(line.strip() == '"""' for line in lines[before.end : before.end + _NEXT]):
        return True
    if after.failure.name in _REWORDING:
        return True
    frames = after.failure.frames
    if not frames or frames[-1].in_library or before.failure.name == "KeyboardInterrupt":
        return False
    return link == _CAUSED or frames[-1].code.startswith("raise")


def _link_before(lines: Sequence[str], head: int) -> str | None:
    for line in reversed(lines[max(0, head - _NEXT) : head]):
        said = line.strip(" |")
        if said in (_CAUSED, _WHILE):
            return said
        if said:
            return None
    return None


def _is_ignored(lines: Sequence[str], head: int) -> bool:
    return any(_IGNORED.match(line.strip()) for line in lines[max(0, head - 2) : head])


def _group_around(lines: Sequence[str], heads: Sequence[int], place: int) -> Told | None:
    """The first error of an exception group, where the last traceback is that of a group or stands
    in one.
    """
    outermost = next((at for at in range(place, -1, -1) if lines[heads[at]].endswith(_GROUP)), None)
    if outermost is None or any(
        not _inside_group(lines[heads[at]]) for at in range(outermost, place + 1)
    ):
        return None
    while outermost > 0 and lines[heads[outermost]].lstrip().startswith("|"):
        outermost -= 1
    group = _read(lines, heads[outermost])
    if group is None:
        return None
    leaves = (at for at in range(outermost + 1, place + 1) if not lines[heads[at]].endswith(_GROUP))
    leaf = next((read for at in leaves if (read := _read(lines, heads[at]))), None)
    last = _read(lines, heads[place]) or group
    if leaf is None:
        return Told(_first_without_frames(lines, group), group.start, last.end)
    return Told(replace(leaf.failure, outer=group.failure), group.start, last.end)


def _inside_group(line: str) -> bool:
    return line.lstrip().startswith(("|", "+"))


def _first_without_frames(lines: Sequence[str], group: Told) -> RunFailure:
    """The first error of a group that was never raised, so that it has no traceback of its own."""
    for line in lines[group.end : group.end + 5]:
        if (said := line.lstrip(" |")) and (error := _NAMED_ERROR.match(said)):
            inner = RunFailure(
                error["type"], (error["message"] or "")[:MOST_MESSAGE], group.failure.frames
            )
            return replace(inner, outer=group.failure)
    return group.failure


def _read(lines: Sequence[str], head: int) -> Told | None:
    """Read one traceback from its first line on; None if no error ends it."""
    prefix = (
        lines[head].removesuffix(_HEAD).removesuffix("Exception Group ").removesuffix("Original ")
    )
    # In a group the first line has a `+` where the others have a `|`.
    prefix = prefix.replace("+", "|") if prefix.strip(" |+") == "" else prefix
    follows = lines[head + 1] if head + 1 < len(lines) else ""
    prefix = prefix if prefix and follows.startswith(prefix) else ""
    frames: list[Frame] = []
    for index in range(head + 1, min(len(lines), head + _MOST_LINES)):
        line = lines[index]
        line = (
            line[len(prefix) :]
            if line.startswith(prefix)
            else line.lstrip(" |")
            if prefix
            else line
        )
        if frame := _FRAME.match(line):
            frames.append(_frame(frame))
        elif line.startswith("  ") or not line:
            if (
                line
                and frames
                and not frames[-1].code
                and not _MARKS.match(line)
                and not line.startswith("  [")
            ):
                frames[-1] = replace(frames[-1], code=line.strip())
            elif not line and not frames:
                return None
        elif error := _ERROR.match(line):
            message, end = _message(lines, index, prefix, error["message"] or "")
            form = (
                Form.SYNTAX
                if _SYNTAX.match(error["type"]) and frames and frames[-1].function is None
                else Form.TRACEBACK
            )
            return Told(
                RunFailure(error["type"], message, tuple(frames[-MOST_FRAMES:]), form), head, end
            )
        else:
            return None
    return None


def _frame(match: re.Match[str]) -> Frame:
    return Frame(match["file"].replace("\\", "/"), int(match["line"]), match["function"])


def _message(lines: Sequence[str], index: int, prefix: str, first: str) -> tuple[str, int]:
    """The message with its later lines; an empty line ends it, unless nothing was said before
    it.
    """
    said = [first]
    end = index + 1
    for line in lines[index + 1 : index + _MOST_MESSAGE_LINES]:
        bare = line[len(prefix) :] if prefix and line.startswith(prefix) else line
        if _OVER.match(bare.strip()) or (not bare.strip() and any(said)):
            break
        said.append(bare)
        end += 1
    return "\n".join(said).strip()[:MOST_MESSAGE], end


def _bare_syntax_error(lines: Sequence[str], after: int) -> Told | None:
    """A syntax error of the started file itself, which has no first line, below any traceback."""
    for index in range(len(lines) - 1, max(after, len(lines) - 2_000, 0), -1):
        if not _SYNTAX.match(lines[index]):
            continue
        for start in range(index - 1, max(index - 6, after, -1), -1):
            frame = _FRAME.match(lines[start])
            if frame and frame["function"] is None:
                code = next(
                    (line.strip() for line in lines[start + 1 : index] if not _MARKS.match(line)),
                    "",
                )
                error = _ERROR.match(lines[index])
                message, end = _message(lines, index, "", (error["message"] or "") if error else "")
                made = RunFailure(
                    lines[index].partition(":")[0],
                    message,
                    (replace(_frame(frame), code=code),),
                    Form.SYNTAX,
                )
                # Where a traceback leads to it, that one is read whole.
                return (
                    None
                    if start and _FRAME.match(lines[max(start - 2, 0)])
                    else Told(made, start, end)
                )
    return None
