"""Edits of a submission's files: what is outside an edit stays as it is, byte for byte.

A Python edit replaces the text of syntax-tree nodes rather than print a tree, and a YAML edit that
of a node, so that comments and layout outside an edit cannot change. ruamel.yaml's round trip is
not used: of 165 YAML files of submissions it changes the layout of 98.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import PurePosixPath

import yaml

from reviewers.bundles.yaml_text import UNREADABLE
from reviewers.facts import Facts
from reviewers.facts.python_file import PythonFile
from reviewers.offers import Edit
from reviewers.records import SourceFile, Submission

Spanned = ast.expr | ast.stmt | ast.keyword | ast.alias


class CannotEdit(Exception):
    """The place has a form that no edit fits, such as two statements on one line."""


def mended(
    submission: Submission, edits: Iterable[Edit], moves: Iterable[tuple[str, str]] = ()
) -> Submission:
    """Return the submission with its edits made and its files moved; recorded answers, which are
    about other code, are left out.

    Args:
        moves: old and new paths. A run's file names its run, which gets the name of the new one.

    Raises:
        CannotEdit: two edits overlap, a file is not UTF-8 text, or a path is taken.
    """
    by_path: dict[str, list[Edit]] = {}
    for edit in sorted(set(edits)):
        by_path.setdefault(edit.path, []).append(edit)
    there = submission.by_path
    made = {
        path: SourceFile(path, edited(there[path] if path in there else SourceFile(path, b""), of))
        for path, of in by_path.items()
    }
    files = {file.path: made.get(file.path, file) for file in submission.files}
    runs = tuple(replace(run, file=made.get(run.file.path, run.file)) for run in submission.runs)
    in_runs = {run.file.path for run in runs}
    files |= {path: file for path, file in made.items() if path not in in_runs}
    to = dict(moves)
    if len({*to.values(), *there} - {*to}) != len({*there, *made}):
        raise CannotEdit("another file has this path")
    moved = sorted((_moved(file, to) for file in files.values()), key=lambda file: file.path)
    runs = tuple(
        replace(run, run_id=PurePosixPath(file.path).stem, file=file)
        if (file := _moved(run.file, to)) is not run.file
        else run
        for run in runs
    )
    return replace(submission, files=tuple(moved), runs=runs, recorded=(), remarks=())


def _moved(file: SourceFile, to: Mapping[str, str]) -> SourceFile:
    return replace(file, path=to[file.path]) if file.path in to else file


def edited(file: SourceFile, edits: Sequence[Edit]) -> bytes:
    """The bytes of a file after the edits, which are sorted.

    Raises:
        CannotEdit: two edits overlap, or the file is not UTF-8 text.
    """
    text = file.text
    mark = b"\xef\xbb\xbf" if file.data.startswith(b"\xef\xbb\xbf") else b""
    if mark + text.encode("utf-8", "surrogatepass") != file.data:
        raise CannotEdit(f"{file.path} is not UTF-8 text")
    line_end = "\r\n" if "\r\n" in text and "\n" not in text.replace("\r\n", "") else "\n"
    parts: list[str] = []
    at = 0
    for edit in edits:
        if not at <= edit.start <= edit.end <= len(text):
            raise CannotEdit(f"two edits of {file.path} overlap")
        parts += [text[at : edit.start], edit.text.replace("\r\n", "\n").replace("\n", line_end)]
        at = edit.end
    return mark + "".join([*parts, text[at:]]).encode()


def whole(facts: Facts, path: str, text: str) -> Edit:
    """The whole text of a file, of which only what differs is replaced."""
    before = facts.text(path) or ""
    most = min(len(before), len(text))
    start = next((n for n in range(most) if before[n] != text[n]), most)
    rest = most - start
    same = next((n for n in range(rest) if before[-1 - n] != text[-1 - n]), rest)
    return Edit(path, start, len(before) - same, text[start : len(text) - same])


class PythonEdits:
    """Edits of one Python file of a submission."""

    def __init__(self, facts: Facts, path: str) -> None:
        self.path = path
        self.file: PythonFile = facts.python[path]
        self._text = facts.text(path) or ""
        _must_have_lines(path, self._text)

    @cached_property
    def _starts(self) -> list[int]:
        """Where each line starts, by its number less one, as Python counts lines."""
        starts, at = [0], 0
        while (at := self._text.find("\n", at)) >= 0:
            at += 1
            starts.append(at)
        return starts

    def _offset(self, line: int, column: int) -> int:
        """The character at a place of the syntax tree, whose columns count bytes."""
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self._text)
        return start + len(self._text[start:end].encode()[:column].decode(errors="ignore"))

    def span(self, node: Spanned) -> tuple[int, int]:
        """The characters of a node.

        Raises:
            CannotEdit: it is inside an f-string, and its text is there in another form as well.
        """
        if sys.version_info < (3, 12):
            around = [each for each in self.file.ancestors(node) if isinstance(each, ast.JoinedStr)]
            if around:
                return self._within(around[-1], node)
        last = node.end_lineno or node.lineno
        end = self._offset(last, node.end_col_offset or node.col_offset)
        return self._offset(node.lineno, node.col_offset), end

    def _within(self, string: ast.JoinedStr, node: Spanned) -> tuple[int, int]:
        """The characters of a node inside an f-string, for which Python before 3.12 tells the first
        place of the same text.
        """
        start, end = self.span(string)
        same = [each for each in _in_order(string) if ast.dump(each) == ast.dump(node)]
        pattern = rf"(?<![\w.]){re.escape(ast.unparse(node))}(?!\w)"
        found = [each.span() for each in re.finditer(pattern, self._text[start:end])]
        if len(found) != len(same):
            raise CannotEdit("a value inside an f-string")
        at = next(n for n, each in enumerate(same) if each is node)
        return start + found[at][0], start + found[at][1]

    def text_of(self, node: Spanned) -> str:
        """The code of a node as it is written."""
        start, end = self.span(node)
        return self._text[start:end]

    def arguments_of(self, call: ast.Call) -> str:
        """What stands between the brackets of a call."""
        _, start = self.span(call.func)
        inside = self._text[start : self.span(call)[1]].lstrip(" )\n")
        return inside.removeprefix("(").removesuffix(")")

    def put(self, node: Spanned, text: str) -> Edit:
        """Write something else in place of a node."""
        return Edit(self.path, *self.span(node), text)

    def keyword(self, call: ast.Call, name: str, value: str) -> Edit:
        """Give a call a keyword argument, or another value for the one that it has."""
        given = next((each for each in call.keywords if each.arg == name), None)
        if given is not None:
            return self.put(given.value, value)
        passed = [*call.args, *(each.value for each in call.keywords)]
        if not passed:
            end = self.span(call)[1] - 1
            return Edit(self.path, end, end, f"{name}={value}")
        last = max(passed, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0))
        if isinstance(last, ast.GeneratorExp):
            raise CannotEdit("a generator as the only argument")
        return self.argument_behind(last, f"{name}={value}")

    def argument_behind(self, argument: ast.expr, text: str) -> Edit:
        """Write an argument behind another one, on a line of its own if that one has its own."""
        end = self._behind(argument)
        start = self._starts[argument.lineno - 1]
        lead = self._text[start : self._offset(argument.lineno, argument.col_offset)]
        word = lead.strip()  # nothing, or the keyword in front
        line = self._text.find("\n", end)
        rest = self._text[end:line].strip() if line > 0 else ""
        if (
            (not word or word.endswith("="))
            and rest.startswith(",")
            and rest[1:].strip()[:1] in "#"
        ):
            indent = lead[: len(lead) - len(lead.lstrip())]
            return Edit(self.path, line + 1, line + 1, f"{indent}{text},\n")
        return Edit(self.path, end, end, f", {text}")

    def _behind(self, node: ast.expr) -> int:
        """The end of an argument with the brackets around it, which are no part of the tree."""
        start, at = self.span(node)
        before = self._text[:start].rstrip()
        while before.endswith("(") and not before[:-1].rstrip()[-1:].isidentifier():
            rest = self._text[at:]
            closing = len(rest) - len(rest.lstrip())
            if not rest.lstrip().startswith(")"):
                break
            at, before = at + closing + 1, before[:-1].rstrip()
        return at

    def without_keyword(self, call: ast.Call, name: str) -> Edit:
        """Take a keyword argument out of a call, with its comma."""
        return self._without_item(next(each for each in call.keywords if each.arg == name))

    def without_import(self, statement: ast.Import | ast.ImportFrom, name: ast.alias) -> Edit:
        """Take a name out of an import, and the whole import if it has no other."""
        return self._without_item(name) if len(statement.names) > 1 else self.without(statement)

    def _without_item(self, item: Spanned) -> Edit:
        """Take one of several items, between commas, out."""
        start, end = self.span(item)
        line = self._text.rfind("\n", 0, start) + 1
        ends = self._line_end(item.end_lineno or item.lineno)
        after = self._text[end:ends].lstrip(" ,")
        if not self._text[line:start].strip() and (after[:1] in ("\n", "#")):
            return Edit(self.path, line, ends, "")  # lines of its own, with their comment
        behind = self._text[end:]
        gap = len(behind) - len(behind.lstrip())
        if behind.lstrip().startswith(","):
            end += gap + 1
            end += len(self._text[end:]) - len(self._text[end:].lstrip(" "))
        else:
            before = self._text[:start].rstrip()
            start = len(before) - 1 if before.endswith(",") else start
        return Edit(self.path, start, end, "")

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement around a node."""
        for around in (node, *self.file.ancestors(node)):
            if isinstance(around, ast.stmt):
                return around
        raise CannotEdit("no statement")

    def statement_at(self, line: int) -> ast.stmt:
        """The innermost statement that covers a line."""
        found = [
            node
            for node in self.file.of(ast.stmt)
            if node.lineno <= line <= (node.end_lineno or node.lineno)
        ]
        if not found:
            raise CannotEdit("no statement")
        return min(found, key=lambda node: ((node.end_lineno or 0) - node.lineno, -node.col_offset))

    def before(self, statement: ast.stmt, *lines: str) -> Edit:
        """Write statements, each on a line of its own, before one."""
        start = self._begin(statement)
        indent = self._indent(statement)
        return Edit(self.path, start, start, "".join(f"{indent}{line}\n" for line in lines))

    def at_start(self, function: ast.FunctionDef | ast.AsyncFunctionDef, *lines: str) -> Edit:
        """Write statements at the start of a function, behind its docstring."""
        first, *others = function.body
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and others:
            first = others[0]
        edit = self.before(first, *lines)
        start = edit.start
        while start:  # comments above the first statement belong to it
            above = self._text.rfind("\n", 0, start - 1) + 1
            said = self._text[above:start].strip()
            if said and not said.startswith("#"):
                break
            start = above
        return replace(edit, start=start, end=start)

    def after(self, statement: ast.stmt, *lines: str) -> Edit:
        """Write statements after one."""
        self._begin(statement)
        assert statement.end_lineno is not None
        end = self._line_end(statement.end_lineno)
        indent = self._indent(statement)
        text = "".join(f"{indent}{line}\n" for line in lines)
        if end and self._text[end - 1] != "\n":
            text = "\n" + text.removesuffix("\n")
        return Edit(self.path, end, end, text)

    def inside(self, statements: Sequence[ast.stmt], header: str) -> Iterator[Edit]:
        """Put statements that follow each other under a header, such as `with open_dict(cfg):`."""
        first, last = statements[0], statements[-1]
        start, end = self._begin(first), self._line_end(last.end_lineno or last.lineno)
        if any(
            isinstance(node, ast.Constant | ast.JoinedStr) and node.lineno != node.end_lineno
            for each in statements
            for node in ast.walk(each)
        ):
            raise CannotEdit("a text over several lines would be indented")
        lead = f"{self._indent(first)}{header}\n"
        for at in self._starts[self._starts.index(start) : last.end_lineno or last.lineno]:
            # One edit for the header and the line behind it: two at one place have no order.
            before = lead if at == start else ""
            if self._text[at : at + 1] not in ("\n", "") and at < end:
                yield Edit(self.path, at, at, f"{before}    ")

    def without(self, statement: ast.stmt) -> Edit:
        """Take a statement out, with its lines."""
        start = self._begin(statement)
        return Edit(self.path, start, self._line_end(statement.end_lineno or 0), "")

    def line_of(self, node: ast.expr) -> Edit:
        """Take out the lines of a node that stands there alone, such as a decorator."""
        start = self._starts[node.lineno - 1]
        end = self._line_end(node.end_lineno or node.lineno)
        if self._text[start : self.span(node)[0]].strip() not in ("", "@"):
            raise CannotEdit("something else stands on the line")
        return Edit(self.path, start, end, "")

    def imported(self, module: str, name: str = "") -> tuple[str, tuple[Edit, ...]]:
        """How the code may call a module, or a name of it, at the top level, and the import that
        this needs.
        """
        full = f"{module}.{name}" if name else module
        for alias, meant in self.file.aliases.items():
            if meant == full and "." not in alias:
                return alias, ()
            if name and meant == module and "." not in alias:
                return f"{alias}.{name}", ()
        line = f"from {module} import {name}" if name else f"import {module}"
        return name or module, (self.at_top(module, line),)

    def at_top(self, module: str, line: str) -> Edit:
        """Write an import of a module among the others at the top of the file."""
        body = self.file.tree.body if self.file.tree else []
        if line.startswith("from "):
            for each in body:
                if isinstance(each, ast.ImportFrom) and each.module == module and not each.level:
                    last = each.names[-1]
                    at = self._offset(last.end_lineno or 0, last.end_col_offset or 0)
                    return Edit(self.path, at, at, f", {line.rpartition(' ')[2]}")
        head = 1 if body and isinstance(body[0], ast.Expr) else 0
        while head < len(body) and _is_import(body[head]):
            head += 1
        imports = [each for each in body[:head] if _is_import(each)]
        if not imports:
            imports = [each for each in body if _is_import(each)][:1] or body[:1]
        if not imports:
            return Edit(self.path, 0, 0, f"{line}\n")
        if module in sys.stdlib_module_names:
            # Among those of the standard library, which come first, at its place by the alphabet.
            smaller = [each for each in imports if _module_of(each) <= module]
            own = [each for each in smaller if _module_of(each) in sys.stdlib_module_names]
            kind = ast.ImportFrom if line.startswith("from ") else ast.Import
            alike = [each for each in own if isinstance(each, kind)] or own
            return self.after(alike[-1], line) if alike else self._first(imports, line)
        return self.after(imports[-1], line)

    def _first(self, imports: Sequence[ast.stmt], line: str) -> Edit:
        future = [each for each in imports if _module_of(each) == "__future__"]
        return self.after(future[-1], line) if future else self.before(imports[0], line)

    def _indent(self, statement: ast.stmt) -> str:
        start = self._starts[statement.lineno - 1]
        return self._text[start : self._offset(statement.lineno, statement.col_offset)]

    def _begin(self, statement: ast.stmt) -> int:
        """Where the first line of a statement starts, its decorators included."""
        if self._indent(statement).strip():
            raise CannotEdit("two statements on one line")
        rest = self._text[self.span(statement)[1] : self._line_end(statement.end_lineno or 0)]
        if rest.lstrip().startswith(";"):
            raise CannotEdit("two statements on one line")
        decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
        return self._starts[min([statement.lineno, *(each.lineno for each in decorators)]) - 1]

    def _line_end(self, line: int) -> int:
        return self._starts[line] if line < len(self._starts) else len(self._text)


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes under one, in the order of the text."""
    for child in ast.iter_child_nodes(node):
        yield child
        yield from _in_order(child)


def _must_have_lines(path: str, text: str) -> None:
    """Raise CannotEdit for line ends of old systems: Python counts them, and no editor of ours."""
    if "\r" in text.replace("\r\n", ""):
        raise CannotEdit(f"{path} has line ends of an old system")


def _is_import(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Import | ast.ImportFrom)


def _module_of(statement: ast.stmt) -> str:
    """The top package that an import names; empty for a relative one."""
    match statement:
        case ast.Import(names=[first, *_]):
            return first.name.partition(".")[0]
        case ast.ImportFrom(module=str(module), level=0):
            return module.partition(".")[0]
    return ""


_LARGEST = 100_000  # characters of a YAML file that is edited; a run file has 3,000
_Pair = tuple[yaml.Node, yaml.Node]


class YamlEdits:
    """Edits of one YAML file of a submission, by the marks of PyYAML's nodes."""

    def __init__(self, facts: Facts, path: str) -> None:
        self.path = path
        self.text = facts.text(path) or ""
        if len(self.text) > _LARGEST:
            raise CannotEdit(f"{path} is too long")
        _must_have_lines(path, self.text)
        try:
            # The C parser counts bytes, this one characters.
            root = yaml.compose(self.text, yaml.SafeLoader)
        except UNREADABLE as error:
            raise CannotEdit(f"{path} cannot be read") from error
        if not isinstance(root, yaml.MappingNode):
            raise CannotEdit(f"{path} is no mapping")
        self.root = root

    def pairs(self, key: str) -> list[_Pair]:
        """The nodes of a dotted key and of its value, for each time that it is there."""
        found: list[_Pair] = []
        nodes: list[yaml.Node] = [self.root]
        for part in key.split("."):
            found = [
                pair
                for node in nodes
                if isinstance(node, yaml.MappingNode)
                for pair in node.value
                if pair[0].value == part
            ]
            nodes = [value for _, value in found]
        return found

    def section(self, key: str) -> yaml.MappingNode:
        """The mapping at a dotted key, the whole file if it is empty.

        Raises:
            CannotEdit: there is none, or several.
        """
        found = [value for _, value in self.pairs(key)] if key else [self.root]
        if len(found) != 1 or not isinstance(found[0], yaml.MappingNode):
            raise CannotEdit(f"{self.path} has no section {key}")
        return found[0]

    def text_of(self, node: yaml.Node) -> str:
        """The text of a value, without what follows it."""
        return self.text[node.start_mark.index : self._end(node)].rstrip()

    def put(self, node: yaml.Node, text: str) -> Edit:
        """Write something else in place of a plain value."""
        if not isinstance(node, yaml.ScalarNode):
            raise CannotEdit("no plain value")
        return Edit(self.path, node.start_mark.index, node.end_mark.index, text)

    def append(self, section: yaml.MappingNode, key: str, value: str) -> Edit:
        """Write a key with a value, which is the YAML of one line, or of lines that begin with a
        line break, at the end of a section.
        """
        if section.flow_style:
            at = self._end(section.value[-1][1]) if section.value else section.end_mark.index - 1
            return Edit(self.path, at, at, f"{', ' if section.value else ''}{key}: {value}")
        gap = "" if value.startswith("\n") else " "
        return self._behind(section.value[-1], f"{key}:{gap}{value}")

    def after(self, pair: _Pair, line: str) -> Edit:
        """Write a line behind a key of the file's top, with all that lies under it, and an empty
        line between.
        """
        edit = self._behind(pair, line)
        return replace(edit, text=f"\n{edit.text}")

    def _behind(self, pair: _Pair, line: str) -> Edit:
        at = self._line_end(self._end(pair[1]))
        indent = " " * pair[0].start_mark.column
        gap = "" if self.text[at - 1 : at] == "\n" else "\n"
        text = f"{gap}{indent}{line}\n"
        return Edit(self.path, at, at, text if not gap else text.removesuffix("\n"))

    def without(self, pair: _Pair) -> Edit:
        """Take a key out of a block mapping, with its lines."""
        return self._lines_out(pair[0], pair[1])

    def without_entry(self, entry: yaml.Node) -> Edit:
        """Take an entry out of a block sequence, with its lines."""
        return self._lines_out(entry, entry)

    def at_top(self, line: str) -> Edit:
        """Write a line before all others."""
        start = 1 if self.text.startswith("\ufeff") else 0
        return Edit(self.path, start, start, f"{line}\n")

    def _lines_out(self, first: yaml.Node, last: yaml.Node) -> Edit:
        start = self.text.rfind("\n", 0, first.start_mark.index) + 1
        if not re.fullmatch(r"\s*(-\s+)?", self.text[start : first.start_mark.index]):
            raise CannotEdit("something else is on the line")
        return Edit(self.path, start, self._line_end(self._end(last)), "")

    def _end(self, node: yaml.Node) -> int:
        """Where the text of a node ends; a block's mark is at what follows it."""
        while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
            last = node.value[-1]
            node = last[1] if isinstance(last, tuple) else last
        end: int = node.end_mark.index
        return end

    def _line_end(self, at: int) -> int:
        """The start of the next line; that of a block scalar ends there already."""
        if at and self.text[at - 1] == "\n":
            return at
        end = self.text.find("\n", at)
        return end + 1 if end >= 0 else len(self.text)
