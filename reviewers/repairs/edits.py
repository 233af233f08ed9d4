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
from itertools import pairwise
from pathlib import PurePosixPath

import yaml

from reviewers.bundles.yaml_text import UNREADABLE
from reviewers.facts import Facts
from reviewers.facts.python_file import Function, PythonFile
from reviewers.offers import Edit
from reviewers.records import SourceFile, Submission

Spanned = ast.expr | ast.stmt | ast.keyword | ast.alias | ast.arg


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
        self._own = {file.module.partition(".")[0] for file in facts.python.values()}
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
        return self.argument_last(call, f"{name}={value}")

    def put_word(self, keyword: ast.keyword, name: str) -> Edit:
        """Give the value of a keyword to another one."""
        start, _ = self.span(keyword)
        return Edit(self.path, start, start + len(keyword.arg or ""), name)

    def goes_through(self, node: ast.expr) -> bool:
        """Whether code takes the items of a value, of which there have to be several."""
        match self.file.parents.get(node):
            case ast.For(iter=value) | ast.comprehension(iter=value) | ast.Subscript(value=value):
                return value is node
            case ast.Call(func=ast.Name(id="len" | "zip" | "enumerate" | "sorted" | "list")):
                return True
        return False

    def attribute(self, node: ast.Attribute, name: str) -> Edit:
        """Ask for another attribute of the same object."""
        _, end = self.span(node)
        return Edit(self.path, end - len(node.attr), end, name)

    def argument_last(self, call: ast.Call, text: str) -> Edit:
        """Write an argument behind all others of a call."""
        passed = [*call.args, *(each.value for each in call.keywords)]
        if not passed:
            end = self.span(call)[1] - 1
            return Edit(self.path, end, end, text)
        last = max(passed, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0))
        if isinstance(last, ast.GeneratorExp):
            raise CannotEdit("a generator as the only argument")
        return self.argument_behind(last, text)

    def without_argument(self, argument: ast.expr | ast.keyword) -> Edit:
        """Take an argument out of a call, with its comma."""
        return self._without_item(argument)

    def parameter_in_front(
        self, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str
    ) -> Edit:
        """Give a function one more parameter before all others."""
        start = self.span(function)[0]
        at = self._text.index("(", self._text.index(function.name, start)) + 1
        args = function.args
        has_others = any((args.posonlyargs, args.args, args.vararg, args.kwonlyargs, args.kwarg))
        return Edit(self.path, at, at, f"{name}, " if has_others else name)

    def parameter(self, function: Function, name: str) -> Edit:
        """Give a function one more parameter, behind those without a default."""
        args = function.args
        given = [*args.posonlyargs, *args.args]
        required = given[: len(given) - len(args.defaults)]
        if not required:
            more = f"{name}, " if given or args.kwonlyargs else name
            return replace(self.parameter_in_front(function, name), text=more)
        at = self._offset(required[-1].end_lineno or 0, required[-1].end_col_offset or 0)
        line = self._starts[required[-1].lineno - 1]
        lead = self._text[line : self._offset(required[-1].lineno, required[-1].col_offset)]
        if not lead.strip() and self._text[at : at + 2] == ",\n":
            return Edit(self.path, at + 2, at + 2, f"{lead}{name},\n")
        return Edit(self.path, at, at, f", {name}")

    def argument_behind(self, argument: ast.expr | ast.arg, text: str) -> Edit:
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

    def _behind(self, node: ast.expr | ast.arg) -> int:
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

    def imported_names(self, statement: ast.ImportFrom, texts: Sequence[str]) -> Iterator[Edit]:
        """Import something else from the same module.

        Args:
            texts: for each of its names what is to stand there; empty where nothing is.
        """
        names = statement.names
        if names[0].lineno == (names[-1].end_lineno or 0):
            start, end = self.span(names[0])[0], self.span(names[-1])[1]
            yield Edit(self.path, start, end, ", ".join(filter(None, texts)))
            return
        for name, text in zip(names, texts, strict=True):
            if not text:
                yield self._without_item(name)
            elif text != self.text_of(name):
                yield self.put(name, text)

    def without_unused(self, module: str, gone: int) -> Iterator[Edit]:
        """Take the import of a module out where no more uses than those that go are there."""
        if [each.id for each in self.file.of(ast.Name)].count(module) == gone:
            for statement in self.file.of(ast.Import):
                for name in statement.names:
                    if name.name == module:
                        yield self.without_import(statement, name)

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

    def at_start(self, function: Function, *lines: str) -> Edit:
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
        """Write an import of a module where isort would have it: joined to one from the same
        module, else by its section, its form and the alphabet.
        """
        wanted = ast.parse(line).body[0]
        assert isinstance(wanted, ast.Import | ast.ImportFrom)
        imports = list(self.imports_at_top())
        for each in imports:
            match each, wanted:
                case ast.ImportFrom(), ast.ImportFrom() if _source(each) == _source(wanted):
                    return self._joined(each, [ast.unparse(alias) for alias in wanted.names])
        section, place = self._section(wanted), self._place(wanted)
        same = [each for each in imports if self._section(each) == section]
        smaller = [each for each in same if self._place(each) <= place]
        if smaller:
            return self.after(max(smaller, key=self._place), line)
        if same:
            return self.before(same[0], line)
        gap = "\n" if self._parts_sections(imports) else ""
        before = [each for each in imports if self._section(each) < section]
        if before:
            edit = self.after(before[-1], line)
            return replace(edit, text=f"{gap}{edit.text}")
        if imports:
            edit = self.before(imports[0], line)
            return replace(edit, text=f"{edit.text}{gap}")
        return self._without_others(line)

    def imports_at_top(self) -> Iterator[ast.Import | ast.ImportFrom]:
        """The imports above the first definition."""
        for each in self.file.tree.body if self.file.tree else ():
            if isinstance(each, ast.Import | ast.ImportFrom):
                yield each
            elif isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                return

    def _without_others(self, line: str) -> Edit:
        """The first import of a file, below what the file says of itself."""
        body = self.file.tree.body if self.file.tree else []
        first = body[0] if body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            edit = self.after(first, line)
            return replace(edit, text=f"\n{edit.text}")
        if first is None:
            return Edit(self.path, 0, 0, f"{line}\n")
        gap = "\n\n" if isinstance(first, ast.FunctionDef | ast.ClassDef) else "\n"
        edit = self.before(first, line)
        return replace(edit, text=f"{edit.text}{gap}")

    def _joined(self, statement: ast.ImportFrom, names: Sequence[str]) -> Edit:
        """More names in an import, at their place by the alphabet where they are in that order."""
        there = [(_by_form(each.name), each) for each in statement.names]
        is_sorted = [key for key, _ in there] == sorted(key for key, _ in there)
        name = names[0].partition(" ")[0]
        later = [each for key, each in there if key > _by_form(name)]
        text = ", ".join(names)
        if is_sorted and later:
            return self._beside(later[0], text, is_before=True)
        return self._beside(there[-1][1], text, is_before=False)

    def _beside(self, alias: ast.alias, text: str, *, is_before: bool) -> Edit:
        """A name before or behind another one of an import, on a line of its own if that has."""
        start, end = self.span(alias)
        line = self._starts[alias.lineno - 1]
        lead = self._text[line:start]
        behind = self._text[end : self._line_end(alias.lineno)].strip()
        if not lead.strip() and (behind[:1] in ("", ",")) and behind.lstrip(", ")[:1] in ("", "#"):
            if is_before:
                return Edit(self.path, line, line, f"{lead}{text},\n")
            if behind.startswith(","):
                after = self._line_end(alias.lineno)
                return Edit(self.path, after, after, f"{lead}{text},\n")
            return Edit(self.path, end, end, f",\n{lead}{text}")
        at = start if is_before else end
        return Edit(self.path, at, at, f"{text}, " if is_before else f", {text}")

    def _section(self, statement: ast.Import | ast.ImportFrom) -> int:
        """The future, the standard library, what is installed, the submission's own, relative."""
        if isinstance(statement, ast.ImportFrom) and statement.level:
            return 4
        top = _source(statement)[1].partition(".")[0]
        if top == "__future__":
            return 0
        if top in sys.stdlib_module_names:
            return 1
        return 3 if top in self._own else 2

    @staticmethod
    def _place(statement: ast.Import | ast.ImportFrom) -> tuple[bool, int, str]:
        """Where an import is in its section: plain ones first, the farthest folders first."""
        level, module = _source(statement)
        return isinstance(statement, ast.ImportFrom), -level, module.casefold()

    def _parts_sections(self, imports: Sequence[ast.Import | ast.ImportFrom]) -> bool:
        """Whether empty lines are between imports of different sections, as far as there are."""
        pairs = [
            (one, other)
            for one, other in pairwise(imports)
            if self._section(one) != self._section(other)
        ]
        return all((one.end_lineno or 0) + 1 < other.lineno for one, other in pairs)

    def import_line(self, module: str, names: str) -> str:
        """The import of names of an own module, relative where the file's other imports are."""
        folder, _, own = module.rpartition(".")
        here = self.path.rpartition("/")[0].replace("/", ".")
        is_relative = any(item.level == 1 for item in self.file.imports)
        is_absolute = any(item.module.startswith(f"{here}.") for item in self.file.imports)
        if here and is_relative and not is_absolute and here in (folder, module):
            return f"from .{own if here == folder else ''} import {names}"
        return f"from {module} import {names}"

    def module_of(self, statement: ast.ImportFrom, module: str) -> Edit:
        """Another own module in a `from … import …`."""
        start, _ = self.span(statement)
        end, _ = self.span(statement.names[0])
        found = re.match(r"from\s+[.\w]+", self._text[start:end])
        if found is None:
            raise CannotEdit("the import has another form")
        text = self.import_line(module, "").removesuffix(" import ")
        return Edit(self.path, start, start + found.end(), text)

    def behind_imports(self, line: str) -> Edit:
        """Write a statement behind the imports at the top of the file, with an empty line between.

        Raises:
            CannotEdit: there are none.
        """
        imports = [*self.imports_at_top()]
        if not imports:
            raise CannotEdit("no import is seen")
        edit = self.after(imports[-1], line)
        return replace(edit, text=f"\n{edit.text}")

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


def _source(statement: ast.Import | ast.ImportFrom) -> tuple[int, str]:
    """The leading dots and the module of an import."""
    if isinstance(statement, ast.Import):
        return 0, statement.names[0].name
    return statement.level, statement.module or ""


def _by_form(name: str) -> tuple[int, str, str]:
    """The order of isort: constants, classes, then the others."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, name.casefold(), name


_LARGEST = 100_000  # characters of a YAML file that is edited; a run file has 3,000
YamlPair = tuple[yaml.Node, yaml.Node]


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

    def pairs(self, key: str) -> list[YamlPair]:
        """The nodes of a dotted key and of its value, for each time that it is there."""
        found: list[YamlPair] = []
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

    def walk(self) -> Iterator[tuple[str, yaml.Node | None, yaml.Node]]:
        """Yield the nodes below the root with their dotted paths, as OmegaConf gives them, and with
        those of their keys; an item of a list has none: `space[0]`.
        """
        waiting: list[tuple[str, yaml.Node | None, yaml.Node]] = [("", None, self.root)]
        while waiting:
            path, key, node = waiting.pop()
            if path:
                yield path, key, node
            below: list[tuple[str, yaml.Node | None, yaml.Node]] = []
            if isinstance(node, yaml.MappingNode):
                dot = "." if path else ""
                below = [(f"{path}{dot}{name.value}", name, value) for name, value in node.value]
            elif isinstance(node, yaml.SequenceNode):
                below = [(f"{path}[{n}]", None, value) for n, value in enumerate(node.value)]
            waiting += reversed(below)

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

    def after(self, pair: YamlPair, line: str) -> Edit:
        """Write a line behind a key of the file's top, with all that lies under it, and an empty
        line between.
        """
        edit = self._behind(pair, line)
        return replace(edit, text=f"\n{edit.text}")

    def _behind(self, pair: YamlPair, line: str) -> Edit:
        at = self._line_end(self._end(pair[1]))
        indent = " " * pair[0].start_mark.column
        gap = "" if self.text[at - 1 : at] == "\n" else "\n"
        text = f"{gap}{indent}{line}\n"
        return Edit(self.path, at, at, text if not gap else text.removesuffix("\n"))

    def without(self, pair: YamlPair) -> Edit:
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
