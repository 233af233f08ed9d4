"""Repairs of how a script starts another one: by which name, in which folder, with which words."""

import ast
import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from omegaconf import DictConfig
from rapidfuzz.fuzz import ratio

from reviewers.facts import Facts
from reviewers.facts.config_flow.access import holds, read_path
from reviewers.facts.config_flow.processes import STARTING
from reviewers.facts.hydra_config import RESULTS
from reviewers.facts.module_search import FailedImport
from reviewers.facts.python_file import template
from reviewers.facts.python_nodes import Function
from reviewers.facts.script_starts import ScriptStart
from reviewers.facts.start import Start
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.command_line import CommandLine, Element
from reviewers.repairs.declared import DeclaredArgument, plain
from reviewers.repairs.edits import CannotEdit, PythonEdits

_SIMILAR = 80  # of 100, between the path of a script and a misspelt one
_KEY = re.compile(r"[-+]{0,2}([A-Za-z_][\w.-]*)=")

# The name and the folder


@repairs("IM16")
def start_as_a_module(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The script by its name from the root, and from there, where its imports are found."""
    for failure in facts.failed_imports:
        start = failure.start
        if failure.span != finding.span or start.at is None or start.at.file not in facts.python:
            continue
        path, code = _script_of(facts, failure), PythonEdits(facts, start.at.file)
        calls = [each for each in code.file.calls_of(*STARTING) if each.line == start.at.line]
        if not path or len(calls) != 1:
            continue
        module = path.removesuffix(".py").replace("/", ".")
        edits: list[Edit] = []
        told = [f"Start {path}"]
        if not (start.is_module and start.path == path):
            edits += _named(CommandLine(facts, code.path, calls[0].node), start.path, module)
            told.append(f"as -m {module}")
        if start.folder:
            edits += _in_root(code, calls[0].node, start.folder)
            told.append("in the project's folder")
        if edits:
            yield Proposal(" ".join(told), tuple(edits))


def _script_of(facts: Facts, failure: FailedImport) -> str:
    """The file that a start means, from the root; empty if that is not known."""
    start = failure.start
    found = (start.path, f"{start.folder}/{start.path}", failure.found_as)
    if path := next((each for each in found if each in facts.python), ""):
        return path
    near = [each for each in facts.python if ratio(each, start.path) >= _SIMILAR]
    return near[0] if len(near) == 1 else ""


def _named(line: CommandLine, path: str, module: str) -> Iterator[Edit]:
    """The script's name in a command line, by which it is found from the root."""
    old, file = path.removesuffix(".py").replace("/", "."), PurePosixPath(path).name
    for element in line.elements:
        code, text = element.code, element.code.text_of(element.node)
        start, _ = code.span(element.node)
        meant = line.meant(element)
        if [each.text for each in meant] == [old]:
            (name,) = meant
            quote = name.code.text_of(name.node)[0]
            yield name.code.put(name.node, f"{quote}{module}{quote}")
        elif _is_file(element, file) and " " not in element.text.strip():
            yield code.put(element.node, f'"-m"{element.gap}"{module}"')
            yield from _without_name(element)
        elif found := re.search(rf"(-m\s+{re.escape(old)}|\S*{re.escape(file)})(?=[\s\"'])", text):
            begins = re.match(r"\w*[\"']+", found[0])
            at = start + found.start() + (begins.end() if begins else 0)
            yield Edit(code.path, at, start + found.end(), f"-m {module}")
        else:
            continue
        return


def _is_file(element: Element, file: str) -> bool:
    """Whether an element is the path of a file with this name."""
    node = element.code.file.only_value(element.node) or element.node
    parts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
    return any(isinstance(each, str) and PurePosixPath(each).name == file for each in parts)


def _without_name(element: Element) -> Iterator[Edit]:
    """Without the name for the path, where nothing else reads it."""
    file = element.code.file
    for name in ast.walk(element.node):
        if not isinstance(name, ast.Name) or file.only_value(name) is None:
            continue
        same = [each for each in file.of(ast.Name) if each.id == name.id]
        made = file.parents.get(file.bindings(name)[0])
        if len(same) == 2 and isinstance(made, ast.Assign):
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
    """How the code calls `os.path`, where that gives a folder as a text; else empty."""
    match code.file.only_value(node) or node:
        case ast.Call(func=ast.Attribute(value=owner) as func) if (
            code.file.resolve(func) or ""
        ).startswith("os.path."):
            return code.text_of(owner)
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


@repairs("HY03")
def options_as_words(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """`key=value` for a script of Hydra's, which takes no `--key value`."""
    for start in facts.hydra.starts:
        if not start.by or not start.refused or start.by not in facts.python:
            continue
        for call in facts.python[start.by].calls_of(*STARTING):
            elements = CommandLine(facts, start.by, call.node).elements
            pairs = itertools.pairwise(elements)
            edits = [edit for name, value in pairs for edit in _as_word(name, value)]
            if edits:
                yield Proposal(f"Pass {start.entry.path} its words as key=value", tuple(edits))
                return


def _as_word(name: Element, value: Element) -> Iterator[Edit]:
    """An option and its value, next to each other, as one word."""
    match name.text, name.around, value.node:
        case str(option), ast.List(elts=listed), node if (
            name.around is value.around
            and re.fullmatch(r"--[a-z]\w*", option)
            and listed.index(node) - listed.index(name.node) == 1
            and not value.text.startswith("-")
        ):
            match node:
                case ast.Call(func=ast.Name(id="str"), args=[inner]):
                    text = f"{{{name.code.text_of(inner)}}}"
                case ast.Constant(value=str(known)):
                    text = known
                case _:
                    text = f"{{{name.code.text_of(node)}}}"
            if '"' not in text and "\n" not in text:
                prefix = "f" if "{" in text else ""
                start, end = name.code.span(name.node)[0], name.code.span(node)[1]
                word = f'{prefix}"{option[2:]}={text}"'
                yield Edit(name.code.path, start, end, word)


@repairs("HY02", "HY03", "HY13")
def pass_words_on(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """A documented word that the first script gets, among those for the process that needs it."""
    commands = {each.file: each for each in facts.contract.commands.values() if each.line}
    modes = {mode.word.partition("=")[0] for mode in facts.contract.modes.values()}
    for start in facts.hydra.starts:
        if start.by not in commands or start.by not in facts.python:
            continue
        words = [word.lstrip("+").partition("=") for word in start.words]
        given = {key for key, _, _ in words}
        documented = {*commands[start.by].keys, *modes}
        run = (commands[start.by].names("run_id") or "").lstrip("+-")
        needed = finding.names[0] if finding.rule == "HY02" and finding.names else run
        is_refused = bool(start.refused) and finding.rule == "HY02"  # what is behind may be well
        if needed in given or needed not in documented or is_refused:
            continue
        value = _Value(facts, start, needed, is_run=needed == run)
        known = start.run_id if needed == run else RESULTS
        other = next((key for key, _, text in words if text == known and key not in documented), "")
        for call in facts.python[start.by].calls_of(*STARTING):
            elements = CommandLine(facts, start.by, call.node).elements
            if other and (renamed := tuple(_renamed(elements, other, needed))):
                told = f"Pass {needed}=…, not {other}=…, on to {start.entry.path}"
                yield Proposal(told, renamed)
            is_option = any(each.text == f"--{needed}" for each in elements)
            if not is_option and (edits := next(_added(elements, value), None)):
                yield Proposal(f"Pass {needed}=… on to {start.entry.path}", edits)
                return


@repairs("HY14")
def words_as_declared(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The options that the parser of a started script declares, among the words for it."""
    for start, problem in facts.hydra.value_problems:
        if not isinstance(start, ScriptStart) or problem.span != finding.span:
            continue
        if start.by not in facts.python or start.path not in facts.python:
            continue
        declared = [*DeclaredArgument.every(PythonEdits(facts, start.path))]
        for call in facts.python[start.by].calls_of(*STARTING):
            elements = CommandLine(facts, start.by, call.node).elements
            if edits := tuple(_as_declared(elements, declared)):
                yield Proposal(f"Pass {start.path} the options that it declares", edits)
                return
            given = {each.text.partition("=")[0] for each in elements}
            for each in declared:
                if each.is_option and each.is_needed and not given & {*each.texts}:
                    value = _Value(facts, start, each.name, is_run=each.name == "run_id")
                    value.key = max(each.texts, key=len)
                    if added := next(_added(elements, value), None):
                        yield Proposal(f"Pass {value.key} on to {start.path}", added)
                        return


def _as_declared(
    elements: Sequence[Element], declared: Sequence[DeclaredArgument]
) -> Iterator[Edit]:
    """Words with the names of options: `--key=value` for `key=value`, and for an unknown option the
    only one that is missing.
    """
    names = {plain(text): text for each in declared for text in each.texts if text[:1] == "-"}
    for element in elements:
        found = None if element.text.startswith("-") else _KEY.match(element.text)
        if found and found[1] in names:
            yield from _renamed([element], found[1], names[found[1]])
    given = [each for each in elements if re.match(r"--\w", each.text)]
    unknown = [each for each in given if each.text.partition("=")[0] not in names.values()]
    told = {each.text.partition("=")[0] for each in given}
    missing = [
        each for each in declared if each.is_option and each.is_needed and not told & {*each.texts}
    ]
    if len(unknown) == len(missing) == 1:
        (element,), text = unknown, max(missing[0].texts, key=len)
        old = element.text.partition("=")[0]
        start, _ = element.code.span(element.node)
        at = start + element.code.text_of(element.node).index(old)
        yield Edit(element.code.path, at, at + len(old), text)


def _renamed(elements: Sequence[Element], old: str, new: str) -> Iterator[Edit]:
    """Another key in a word."""
    for element in elements:
        text, (start, _) = element.code.text_of(element.node), element.code.span(element.node)
        if isinstance(element.around, ast.Dict) and element.text == old:
            yield element.code.put(element.node, f"{text[0]}{new}{text[0]}")
        elif found := re.search(rf"(?<![\w.]){re.escape(old)}(?==)", text):
            yield Edit(element.code.path, start + found.start(), start + found.end(), new)


class _Value:
    """The value of a documented word, as the script that gets it first may write it.

    Attributes:
        is_first: whether it stands before all others, as the run does.
    """

    def __init__(self, facts: Facts, start: Start | ScriptStart, key: str, *, is_run: bool) -> None:
        self.key = key
        self.is_first = is_run
        self._names = (key, "run_id") if is_run else (key,)
        asked = (start.by, start.run_id, start.mode_word)
        same = (
            each
            for each in facts.hydra.starts
            if (each.entry.path, each.run_id, each.mode_word) == asked
        )
        first = next(same, None)
        self._entry = first.entry if first else None
        config = first.config if first else None
        self._path = _path_of(config, key, start.run_id) if is_run and config is not None else key

    def at(self, element: Element, others: Sequence[Element]) -> str:
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
            for root in _owners(each)
        ]
        parameters = [each for each in function.args.args if "Config" in _annotation(each)]
        if (
            self._entry
            and element.code.path == self._entry.path
            and function.name == self._entry.function
        ):
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


def _owners(element: Element) -> Iterator[str]:
    """What an element shows its key of: `cfg` of f"mode={cfg.mode}"."""
    around = element.around
    shown = [each.value for each in ast.walk(element.node) if isinstance(each, ast.FormattedValue)]
    key = found[1] if (found := _KEY.match(element.text)) else element.text
    if isinstance(around, ast.Dict):
        shown = [around.values[around.keys.index(element.node)]]
    for inner in shown:
        while isinstance(inner, ast.Attribute | ast.Subscript):
            if isinstance(inner, ast.Attribute) and inner.attr == key:
                yield element.code.text_of(inner.value)
            inner = inner.value
            if isinstance(inner, ast.Name) and inner.id != "self":
                yield inner.id


def _bound_before(element: Element, function: Function) -> set[str]:
    """The names that certainly have a value at an element."""
    found = {each.arg for each in (*function.args.args, *function.args.kwonlyargs)}
    for statement in function.body:
        if statement.lineno >= element.node.lineno:
            break
        targets = statement.targets if isinstance(statement, ast.Assign) else ()
        found |= {each.id for each in targets if isinstance(each, ast.Name)}
    return found


def _added(elements: Sequence[Element], value: _Value) -> Iterator[tuple[Edit, ...]]:
    """The ways to put one more word among the elements of a command line."""
    pairs = [
        each for each in elements if _KEY.match(each.text) or isinstance(each.around, ast.Dict)
    ]
    for element in sorted(elements, key=lambda each: (each not in pairs, _rank(each))):
        if not (text := value.at(element, pairs)) or not element.is_sure:
            continue
        code, around = element.code, element.around
        word = f'f"{value.key}={{{text}}}"'
        match around:
            case ast.List() | ast.Tuple() if element in pairs and value.is_first:
                start, _ = code.span(element.node)
                yield (Edit(code.path, start, start, f"{word}{element.gap}"),)
            case ast.List() | ast.Tuple() if element in pairs or _is_module(element):
                yield (code.argument_behind(element.node, word),)
            case ast.Dict():
                at = around.keys.index(element.node)
                yield (code.argument_behind(around.values[at], f'"{value.key}": {text}'),)
            case ast.Call(func=ast.Attribute(attr="append") as method):
                owner = code.text_of(method.value)
                yield (code.after(code.statement(element.node), f"{owner}.append({word})"),)
            case _ if isinstance(element.node, ast.JoinedStr) and " " in element.text:
                parts = element.node.values
                for last in [each for each in parts if isinstance(each, ast.FormattedValue)][-1:]:
                    end = code.file.text.index("}", code.span(last.value)[1]) + 1
                    yield (Edit(code.path, end, end, f" {value.key}={{{text}}}"),)


def _rank(element: Element) -> int:
    kinds = (ast.List, ast.Tuple, ast.Dict, ast.Call)
    around = element.around
    return next((at for at, kind in enumerate(kinds) if isinstance(around, kind)), len(kinds))


def _is_module(element: Element) -> bool:
    """Whether words may stand behind an element: it is what is started."""
    around = element.around
    listed = around.elts if isinstance(around, ast.List | ast.Tuple) else []
    at = listed.index(element.node)
    return element.text.endswith(".py") or (at > 0 and template(listed[at - 1]) == "-m")
