"""Claims about child processes: in which order their output is read, and whether text or bytes come
out of it.
"""

import ast
import re
from collections.abc import Iterator

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, remark
from reviewers.facts.python_file import Function, PythonFile
from reviewers.records import Span

_IN_ORDER = re.compile(
    r"\bdead-?locks?\b|\bsequential(?:ly)?\b|\bone after the other\b|"
    r"\b(?:reads?|drains?|consumes?|exhausts?)\b.{0,30}\bstdout\b.{0,40}\bbefore\b.{0,30}\bstderr\b"
)
_ABOUT = re.compile(r"\bstd(?:out|err)\b|\bpipes?\b|\btee\w*\b|\bsub-?process|\bpopen\b|\bdrain")
_AS_BYTES = re.compile(
    r"\bexpect(?:s|ing)? bytes\b|\bbytes\b.*\bbuffer\b|\bbuffer\b.*\bbytes\b|\bstring"
    r" streams?\b.*\bbytes\b"
)
_TEXT = ("text", "universal_newlines", "encoding", "errors")


@check("subprocess_output")
def subprocess_output(case: Case) -> Answer:
    """Two pipes read one after the other can block for ever; the documentation of `subprocess`
    warns of just that.
    """
    files = case.python("src/main.py")
    if _AS_BYTES.search(case.said):
        return next((answer for path, file in files if (answer := _as_bytes(path, file))), None)
    if not _IN_ORDER.search(case.said) or not _ABOUT.search(case.said):
        return None
    started = [(path, file, call) for path, file in files for call in _started(file)]
    if len(started) != 1:
        return None
    path, file, call = started[0]
    piped = [word for word in ("stdout", "stderr") if _value(call, word).endswith("PIPE")]
    if piped != ["stdout", "stderr"]:
        return _no_two_pipes(path, call, piped)
    threads = [
        each.line
        for each in file.calls
        if (each.name or "").endswith(("Thread", "communicate", "ThreadPoolExecutor", "select"))
    ]
    threads += [
        each.line for each in file.calls if getattr(each.node.func, "attr", "") == "communicate"
    ]
    if threads:
        return remark(
            f"{path}:{threads[0]} reads both pipes at the same time", Span(path, threads[0])
        )
    reads = dict(_reads(file))
    if {"stdout", "stderr"} <= reads.keys():
        first, then = sorted(reads, key=lambda name: reads[name])
        return confirmed(
            f"{path}:{reads[first]} reads {first} to its end, and only line {reads[then]} reads"
            f" {then}: a child that fills that pipe waits for ever (Python documentation,"
            " subprocess)",
            Span(path, reads[first], reads[then]),
        )
    return None


def _started(file: PythonFile) -> Iterator[ast.Call]:
    yield from (call.node for call in file.calls_of("subprocess.Popen"))


def _value(call: ast.Call, name: str) -> str:
    return next(
        (ast.unparse(keyword.value) for keyword in call.keywords if keyword.arg == name), ""
    )


def _no_two_pipes(path: str, call: ast.Call, piped: list[str]) -> Answer:
    if "STDOUT" in _value(call, "stderr") or (
        not piped and all(keyword.arg for keyword in call.keywords)
    ):
        return remark(
            f"{path}:{call.lineno} opens {'one pipe for both' if piped else 'no pipe'}",
            Span(path, call.lineno),
        )
    return None


def _reads(file: PythonFile) -> Iterator[tuple[str, int]]:
    """The pipes that a statement of their own reads to the end: a loop over one, or a call with
    one.
    """
    for node in file.nodes:
        source: ast.expr | None = None
        if isinstance(node, ast.For):
            source = node.iter
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and node.value.args:
            source = node.value.args[0]
        if source is None:
            continue
        named = {part.attr for part in ast.walk(source) if isinstance(part, ast.Attribute)} & {
            "stdout",
            "stderr",
        }
        if len(named) == 1 and not isinstance(getattr(source, "value", None), ast.Name | None):
            continue
        if len(named) == 1 and "sys." not in ast.unparse(source):
            yield named.pop(), source.lineno


def _as_bytes(path: str, file: PythonFile) -> Answer:
    """A pipe opened as text gives str, and `sys.stdout.buffer` takes bytes."""
    text = [
        call
        for call in _started(file)
        if any(_value(call, word) not in ("", "None", "False") for word in _TEXT)
    ]
    for name, function in file.functions.items():
        for node in ast.walk(function):
            if (
                not isinstance(node, ast.Call)
                or not isinstance(node.func, ast.Attribute)
                or node.func.attr != "write"
            ):
                continue
            owner = node.func.value
            if (
                isinstance(owner, ast.Attribute)
                and owner.attr == "buffer"
                and node.args
                and isinstance(node.args[0], ast.Name)
            ):
                if (
                    not text
                    or not _gets_pipe(file, name)
                    or not _is_loop_variable(function, node.args[0].id)
                ):
                    continue
                return confirmed(
                    f"{path}:{text[0].lineno} opens the pipe as text, so line {node.lineno} writes"
                    f" str to {code(ast.unparse(owner))}, which takes bytes: TypeError",
                    Span(path, node.lineno),
                )
    return None


def _gets_pipe(file: PythonFile, name: str) -> bool:
    calls = [
        call.node
        for call in file.calls
        if getattr(call.node.func, "id", None) == name.rpartition(".")[2]
    ]
    return any(
        isinstance(each, ast.Attribute) and each.attr in ("stdout", "stderr")
        for call in calls
        for each in call.args
    )


def _is_loop_variable(function: Function, name: str) -> bool:
    loops = (node for node in ast.walk(function) if isinstance(node, ast.For))
    return any(isinstance(loop.target, ast.Name) and loop.target.id == name for loop in loops)
