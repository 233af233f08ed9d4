"""Repairs of how a script starts another one: by which name, in which folder, with which words.

A command line is the elements that the code puts together for it, wherever it does so.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from omegaconf import DictConfig

from reviewers.facts import Facts
from reviewers.facts.config_flow.access import holds, read_path
from reviewers.facts.config_flow.processes import STARTING
from reviewers.facts.module_search import FailedImport
from reviewers.facts.python_file import PythonFile, template
from reviewers.facts.python_nodes import Function
from reviewers.facts.start import Start
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import CannotEdit, PythonEdits

_DEEPEST = 6  # names, functions and lists that a command line is put together from
_SEQUENCES = frozenset({"list", "tuple", "shlex.split", "copy.copy"})


@dataclass(frozen=True, eq=False, slots=True)
class _Element:
    """What stands for one word of a command line in the code, or a text with several."""

    code: PythonEdits
    node: ast.expr

    @property
    def text(self) -> str:
        """The text, with `{}` for each value in it; empty for what is no text."""
        return template(self.node)

    @property
    def around(self) -> ast.AST | None:
        return self.code.file.parents.get(self.node)

    def passed(self, facts: Facts) -> Iterator["_Element"]:
        """The element itself, or what stands for it where it only has a name."""
        if not isinstance(self.node, ast.Name):
            yield self
            return
        for given, path in _given_to(facts, self.code.file, self.node):
            yield _Element(PythonEdits(facts, path), given)

    @property
    def function(self) -> Function | None:
        """The function in which it stands."""
        around = self.code.file.ancestors(self.node)
        return next((each for each in around if isinstance(each, Function)), None)

    @property
    def is_sure(self) -> bool:
        """Whether no condition stands around it."""
        around = self.code.file.ancestors(self.node)
        return not any(isinstance(each, ast.If | ast.IfExp | ast.For | ast.While) for each in around)


class _CommandLine:
    """The elements of the command line that a call is given."""

    def __init__(self, facts: Facts, path: str, call: ast.Call) -> None:
        self._facts = facts
        self._seen: set[ast.AST] = set()
        given = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "args"), None)
        self.elements = [*self._sequence(path, given, _DEEPEST)] if given is not None else []

    def _sequence(self, path: str, node: ast.expr, depth: int) -> Iterator[_Element]:
        """The elements of what a list, or a text, is put together from."""
        file = self._facts.python[path]
        if node in self._seen or not depth:
            return
        self._seen.add(node)
        parts: Sequence[ast.expr] = ()
        match node:
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                for each in elements:
                    if isinstance(each, ast.Starred):
                        yield from self._sequence(path, each.value, depth - 1)
                    else:
                        yield _Element(PythonEdits(self._facts, path), each)
            case ast.Dict(keys=keys):
                for key in keys:
                    if key is not None:
                        yield _Element(PythonEdits(self._facts, path), key)
            case ast.Constant(value=str()) | ast.JoinedStr():
                yield _Element(PythonEdits(self._facts, path), node)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                parts = (left, right)
            case ast.IfExp(body=body, orelse=other):
                parts = (body, other)
            case ast.ListComp(generators=[each]) | ast.GeneratorExp(generators=[each]):
                parts = (each.iter,)
            case ast.Call(func=ast.Attribute(attr="join"), args=[joined]):
                parts = (joined,)
            case ast.Call(func=ast.Attribute(value=owner, attr="split" | "copy" | "items")):
                parts = (owner,)
            case ast.Call(func=func, args=[first]) if file.resolve(func) in _SEQUENCES:
                parts = (first,)
            case ast.Call():
                target = self._facts.local_code.target(file, node)
                for each in ast.walk(target.function) if target else ():
                    if target and isinstance(each, ast.Return) and each.value is not None:
                        yield from self._sequence(target.file.path, each.value, depth - 1)
            case ast.Name():
                for given, where in _given_to(self._facts, file, node):
                    yield from self._sequence(where, given, depth - 1)
        for part in parts:
            yield from self._sequence(path, part, depth - 1)


def _given_to(facts: Facts, file: PythonFile, name: ast.Name) -> Iterator[tuple[ast.expr, str]]:
    """What a name gets, and what is put behind that later; each with its file."""
    bound = file.bindings(name)
    for each in bound:
        around = file.parents.get(each)
        if isinstance(around, ast.Assign | ast.AnnAssign | ast.AugAssign) and around.value is not None:
            yield around.value, file.path
        elif isinstance(each, ast.arg):
            function = next((one for one in file.ancestors(each) if isinstance(one, Function)), None)
            named = [one.arg for one in function.args.args] if function else []
            for call in file.calls if function else ():
                if function and call.name == function.name and each.arg in named:
                    at = named.index(each.arg)
                    if at < len(call.node.args):
                        yield call.node.args[at], file.path
    for call in file.calls_of(".append", ".extend", ".insert"):
        owner = call.node.func.value if isinstance(call.node.func, ast.Attribute) else None
        if isinstance(owner, ast.Name) and call.node.args and file.bindings(owner) == bound:
            last = call.node.args[-1]
            is_one = call.node.func.attr != "extend"  # type: ignore[attr-defined]
            # An element stands in the code as one of a list would.
            yield (ast.List([last], ast.Load()) if is_one else last), file.path


# The name and the folder


@repairs("IM16")
def start_as_a_module(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The script by its name from the root, and from there, where its imports are found."""
    for failure in facts.failed_imports:
        at, folder = failure.start.at, failure.start.folder
        if failure.span != finding.span or at is None or at.file not in facts.python:
            continue
        path = _script_of(facts, failure)
        code = PythonEdits(facts, at.file)
        calls = [each for each in code.file.calls_of(*STARTING) if each.line == at.line]
        if not path or len(calls) != 1:
            continue
        call, module = calls[0].node, path.removesuffix(".py").replace("/", ".")
        elements = _CommandLine(facts, at.file, call).elements
        edits: list[Edit] = []
        told = []
        if not (failure.start.is_module and failure.start.path == path):
            edits += _named(facts, elements, failure.start.path, module)
            told.append(f"as -m {module}")
        if folder:
            edits += _in_root(code, call, folder)
            told.append("in the project's folder")
        if edits:
            yield Proposal(f"Start {path} {' '.join(told)}", tuple(edits))


def _script_of(facts: Facts, failure: FailedImport) -> str:
    """The file that a start means, from the root; empty if that is not known."""
    start = failure.start
    found = (start.path, f"{start.folder}/{start.path}", failure.found_as)
    return next((each for each in found if each in facts.python), "")


def _named(
    facts: Facts, elements: Sequence[_Element], path: str, module: str
) -> Iterator[Edit]:
    """The script's name in a command line, by which it is found from the root."""
    old, file = path.removesuffix(".py").replace("/", "."), PurePosixPath(path).name
    for element in elements:
        code, text = element.code, element.code.text_of(element.node)
        passed = [*element.passed(facts)]
        if [each.text for each in passed] == [old]:
            (name,) = passed
            text = name.code.text_of(name.node)
            yield name.code.put(name.node, f"{text[0]}{module}{text[-1]}")
        elif _is_file(element, file) and " " not in element.text.strip():
            start, end = code.span(element.node)
            line = code.file.text[:start].rpartition("\n")[2]
            gap = f",\n{line}" if not line.strip() else ", "
            yield code.put(element.node, f'"-m"{gap}"{module}"')
            yield from _without_name(element)
        elif found := re.search(rf"(-m\s+{re.escape(old)}|\S*{re.escape(file)})(?=[\s\"'])", text):
            start, _ = code.span(element.node)
            quote = re.match(r"\w*(\"\"\"|'''|\"|')", found[0])
            at = start + found.start() + (quote.end() if quote else 0)
            yield Edit(code.path, at, start + found.end(), f"-m {module}")
        else:
            continue
        return


def _is_file(element: _Element, file: str) -> bool:
    """Whether an element is the path of a file with this name."""
    node: ast.AST = element.node
    for name in [each for each in ast.walk(node) if isinstance(each, ast.Name)]:
        node = element.code.file.only_value(name) if name is node else node
        if node is None:
            return False
    parts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
    return any(isinstance(each, str) and PurePosixPath(each).name == file for each in parts)


def _without_name(element: _Element) -> Iterator[Edit]:
    """Without the name for the path, where nothing else reads it."""
    file = element.code.file
    for name in ast.walk(element.node):
        if isinstance(name, ast.Name) and (bound := file.bindings(name)) and len(bound) == 1:
            reads = [each for each in file.of(ast.Name) if each.id == name.id and each is not bound[0]]
            made = file.parents.get(bound[0])
            if reads == [name] and isinstance(made, ast.Assign) and file.only_value(name) is not None:
                yield element.code.without(made)


def _in_root(code: PythonEdits, call: ast.Call, folder: str) -> Iterator[Edit]:
    """The root as the folder of a process that is started in another one of the submission."""
    given = next((each.value for each in call.keywords if each.arg == "cwd"), None)
    above = len(PurePosixPath(folder).parts)
    path, imports = code.imported("pathlib", "Path")
    if given is not None and _is_path(code, given):
        text = code.text_of(given)
        bare = isinstance(given, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
        yield code.put(given, f"{text if bare else f'({text})'}{'.parent' * above}")
        return
    if not (code.file.resolve(call.func) or "").startswith("subprocess."):
        raise CannotEdit("a start that takes no folder")
    if given is not None and (name := _os_path(code, given)):
        yield code.put(given, f"{name}.dirname(" * above + code.text_of(given) + ")" * above)
        return
    yield from imports
    root = f"{path}(__file__).resolve().parents[{code.path.count('/')}]"
    yield code.keyword(call, "cwd", root)


def _os_path(code: PythonEdits, node: ast.expr) -> str:
    """How the code calls `os.path`, where that gives a folder as a text; empty where it does not."""
    value = code.file.only_value(node) or node
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if (code.file.resolve(value.func) or "").startswith("os.path."):
            return code.text_of(value.func.value)
    return ""


def _is_path(code: PythonEdits, node: ast.expr) -> bool:
    """Whether an expression is certainly a `Path`."""
    if isinstance(node, ast.Name):
        value = code.file.only_value(node)
        return value is not None and _is_path(code, value)
    match node:
        case ast.Attribute(value=owner, attr="parent"):
            return _is_path(code, owner)
        case ast.Subscript(value=ast.Attribute(value=owner, attr="parents")):
            return _is_path(code, owner)
        case ast.Call(func=ast.Attribute(value=owner, attr="resolve" | "absolute" | "joinpath")):
            return _is_path(code, owner)
        case ast.BinOp(left=left, op=ast.Div()):
            return _is_path(code, left)
        case ast.Call(func=func):
            return code.file.resolve(func) in ("pathlib.Path", "pathlib.Path.cwd")
    return False


# The words


@repairs("HY02", "HY03", "HY13")
def pass_words_on(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """A documented word that the first script gets, among those for the process that needs it."""
    for start in facts.hydra.starts:
        by = next((each for each in facts.contract.commands.values() if each.file == start.by), None)
        if by is None or start.by not in facts.python:
            continue
        given = {word.lstrip("+").partition("=")[0] for word in start.words}
        run = (by.names("run_id") or "").lstrip("+-")
        modes = {mode.word.partition("=")[0] for mode in facts.contract.modes.values()}
        for key in dict.fromkeys([*by.keys, *modes]):
            needed = finding.names[:1] == (key,) if finding.rule == "HY02" else key == run
            if key in given or not key.isidentifier() or not needed:
                continue
            for call in facts.python[start.by].calls_of(*STARTING):
                elements = _CommandLine(facts, start.by, call.node).elements
                path = _Value(facts, start, key, is_run=key == run)
                if edits := next(filter(None, _added(elements, path)), None):
                    yield Proposal(f"Pass {key}=… on to {start.entry.path}", edits)
                    return


class _Value:
    """The value of a documented word, as the script that gets it first may write it."""

    def __init__(self, facts: Facts, start: Start, key: str, *, is_run: bool) -> None:
        self.key = key
        self._names = (key, "run_id") if is_run else (key,)
        same = [
            each
            for each in facts.hydra.starts
            if each.entry.path == start.by and (each.run_id, each.mode) == (start.run_id, start.mode)
        ]
        self._entry = same[0].entry if same else None
        config = same[0].config if same else None
        self._path = key
        if is_run and config is not None:
            self._path = _path_of(config, key, start.run_id)

    def at(self, element: _Element, others: Sequence[_Element]) -> str:
        """The code that gives it at the place of an element; empty if there is none."""
        function = element.function
        if function is None:
            return ""
        own = _bound_before(element, function)
        if name := next((each for each in self._names if each in own), ""):
            return name
        roots = [
            root
            for each in (element, *others)
            if each.function is function
            for root in _roots(each.node)
        ]
        parameters = [each for each in function.args.args if "Config" in _annotation(each)]
        if self._entry and element.code.path == self._entry.path and function.name == self._entry.function:
            parameters = function.args.args[:1]
        holder = next(iter([*roots, *(each.arg for each in parameters)]), "")
        return f"{holder}.{self._path}" if holder and self._path else ""


def _path_of(config: DictConfig, key: str, run_id: str) -> str:
    """Where a configuration has the name of the run."""
    if not holds(config, key):
        return ""
    held = read_path(config, key, None)
    if not isinstance(held, DictConfig):
        return key
    inner = (str(each) for each in held if not isinstance(held._get_node(each), DictConfig))
    return next((f"{key}.{each}" for each in inner if read_path(held, each, None) == run_id), "")


def _annotation(argument: ast.arg) -> str:
    return ast.unparse(argument.annotation) if argument.annotation else ""


def _roots(node: ast.AST) -> Iterator[str]:
    """The names of which a text shows an attribute: `cfg` of f"mode={cfg.mode}"."""
    for each in ast.walk(node):
        inner = each.value if isinstance(each, ast.FormattedValue) else None
        while isinstance(inner, ast.Attribute | ast.Subscript):
            inner = inner.value
            if isinstance(inner, ast.Name):
                yield inner.id


def _bound_before(element: _Element, function: Function) -> set[str]:
    """The names that certainly have a value at an element."""
    found = {each.arg for each in (*function.args.args, *function.args.kwonlyargs)}
    for statement in function.body:
        if statement.lineno >= element.node.lineno:
            break
        targets = statement.targets if isinstance(statement, ast.Assign) else ()
        found |= {each.id for each in targets if isinstance(each, ast.Name)}
    return found


def _added(elements: Sequence[_Element], value: _Value) -> Iterator[tuple[Edit, ...]]:
    """The ways to put one more word among the elements of a command line."""
    pairs = [each for each in elements if re.match(r"\+{0,2}[\w.@]+=", each.text)]
    for element in sorted([*pairs, *(e for e in elements if e not in pairs)], key=_rank):
        if not (text := value.at(element, pairs)) or not element.is_sure:
            continue
        code, around = element.code, element.around
        word = f'f"{value.key}={{{text}}}"'
        match around:
            case ast.List() | ast.Tuple() if element in pairs or _is_module(element):
                yield (code.argument_behind(element.node, word),)
            case ast.Dict():
                at = around.keys.index(element.node)
                yield (code.argument_behind(around.values[at], f'"{value.key}": {text}'),)
            case ast.Call(func=ast.Attribute(attr="append") as method):
                owner = code.text_of(method.value)
                yield (code.after(code.statement(element.node), f"{owner}.append({word})"),)
            case _ if isinstance(element.node, ast.JoinedStr) and " " in element.text:
                shown = [each for each in element.node.values if isinstance(each, ast.FormattedValue)]
                _, end = code.span(shown[-1].value)
                end = code.file.text.index("}", end) + 1
                yield (Edit(code.path, end, end, f" {value.key}={{{text}}}"),)


def _rank(element: _Element) -> int:
    kinds = (ast.List, ast.Tuple, ast.Dict, ast.Call)
    around = element.around
    return next((at for at, kind in enumerate(kinds) if isinstance(around, kind)), len(kinds))


def _is_module(element: _Element) -> bool:
    """Whether words may stand behind an element: it is what is started."""
    around = element.around
    listed = around.elts if isinstance(around, ast.List | ast.Tuple) else []
    at = listed.index(element.node)
    return element.text.endswith(".py") or (at > 0 and template(listed[at - 1]) == "-m")
