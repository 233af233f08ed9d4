"""Parses Python; every way in which that can fail becomes a fact."""

import ast
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar

from reviewers.facts.python_nodes import children
from reviewers.source_encoding import UTF8, bad_byte, declared, decoded

# Beyond any sane file, and low enough that recursive readers of a tree (ast.unparse, pyflakes) stay
# within Python's own stack.
_MAX_DEPTH = 150
# In a file that parses, a comment is a # outside of strings; nothing else of its tokens matters to
# finding one.
_STRING_OR_COMMENT = re.compile(
    r"""#[^\r\n]*"""
    r"""|\"{3}[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*\"{3}"""
    r"""|'{3}[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'{3}"""
    r"""|"[^"\\]*(?:\\.[^"\\]*)*\"|'[^'\\]*(?:\\.[^'\\]*)*'""",
    re.DOTALL,
)
# Warnings are switched off for the whole process, and until 3.11.8 Python counted one depth for all
# threads that parse (gh-106905): two at once could end in "SystemError: AST constructor recursion
# depth mismatch". The lock holds our own threads apart; a library's thread (Streamlit parses its
# pages) may still come in between, and then it is done again.
_one_at_a_time = Lock()
_TRIES = 5
_Made = TypeVar("_Made")
MOST_BITS = 14_000
"""Of a number; Python refuses to write one of more than 4,300 digits, which are 14,284 bits."""
_TYPE_PARAMETERS = re.compile(
    r"\s*(?:(?:async\s+)?def|class)\s+\w+\s*\[|\s*type\s+\w+\s*(?:\[[^=]*\])?\s*="
)
_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """Why a file does not parse.

    Attributes:
        line, column: 1-based.
        newer_python: the file may parse from Python 3.12 on, which reads f-strings again and takes
            type parameters.
    """

    line: int
    column: int
    message: str
    newer_python: bool = False


def encoding_problem(path: str, data: bytes) -> SyntaxProblem | None:
    """Why Python cannot turn the bytes of a file into text, in its own words; None if it can."""
    head = declared(data)
    if head.name != UTF8:
        if not head.marked and decoded(data, head.name) is not None:
            return None
        mark = " with BOM" if head.marked else ""
        return SyntaxProblem(head.line or 1, 1, f"encoding problem: {head.name}{mark}")
    found = bad_byte(data)
    if found is None:
        before, nul, _ = data.partition(b"\0")
        if not nul:
            return None
        lines = _LINE_END.split(before.decode())
        return SyntaxProblem(
            len(lines), len(lines[-1]) + 1, "source code cannot contain null bytes"
        )
    if head.line is None and not head.marked:
        message = (
            f"Non-UTF-8 code starting with '\\x{found.value:02x}' in file {path} on line"
            f" {found.line}, but no encoding declared; see https://peps.python.org/pep-0263/ for"
            " details"
        )
        return SyntaxProblem(found.line, found.column, message)
    # Where UTF-8 is declared, Python takes any bytes in comments.
    problem = parse(data)
    return problem if isinstance(problem, SyntaxProblem) else None


def parse(text: str | bytes) -> ast.Module | SyntaxProblem | None:
    """Parse and compile a file without executing any of it; None if Python may take it, but it
    is nested too deeply to be read here, or holds a number that nobody can write out.
    """
    try:
        tree = while_nobody_parses(lambda: ast.parse(text))
        if not _can_be_read(tree):
            return None
        # Some errors are only found behind the grammar: `return` outside of a function.
        while_nobody_parses(lambda: compile(tree, "", "exec", dont_inherit=True))
    except SyntaxError as error:
        message = error.msg or "invalid syntax"
        return SyntaxProblem(
            max(error.lineno or 1, 1),
            max(error.offset or 1, 1),
            message,
            message.startswith("f-string") or _TYPE_PARAMETERS.match(error.text or "") is not None,
        )
    except ValueError as error:  # NUL bytes, on some versions
        before = text.partition("\0")[0] if isinstance(text, str) else ""
        return SyntaxProblem(before.count("\n") + 1, 1, str(error))
    except (RecursionError, MemoryError):
        return None
    return tree


def while_nobody_parses(make: Callable[[], _Made]) -> _Made:
    """What `make` returns, called while no other thread of ours parses and with warnings off; it
    must bear being called again.
    """
    with _one_at_a_time, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(_TRIES - 1):
            try:
                return make()
            except SystemError:
                continue
        return make()


def comments(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text, from its `#` on, of each comment of a file that parses, eight
    times as fast as `tokenize`.
    """
    line, counted = 1, 0
    for found in _STRING_OR_COMMENT.finditer(text):
        if found[0].startswith("#"):
            line += sum(1 for _ in _LINE_END.finditer(text, counted, found.start()))
            counted = found.start()
            yield line, found[0]


def _can_be_read(tree: ast.AST) -> bool:
    """Whether a tree is shallow, and holds no number of more digits than Python writes: in decimal
    that is a syntax error, in hexadecimal it is taken.
    """
    level: list[ast.AST] = [tree]
    for _ in range(_MAX_DEPTH):
        level = [child for node in level for child in children(node)]
        if not level:
            return True
        numbers = [node.value for node in level if type(node) is ast.Constant]
        if any(type(one) is int and one.bit_length() > MOST_BITS for one in numbers):
            return False
    return False
