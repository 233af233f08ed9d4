"""Repairs of the evaluation: its command line, and what it writes down."""

import ast
from collections.abc import Container, Iterator, Sequence

from reviewers.facts import Facts
from reviewers.facts.config_flow import ProblemKind
from reviewers.facts.evaluation_script import EvaluationScript
from reviewers.facts.start import Start
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.access import calls_at, nodes_at
from reviewers.repairs.base import Proposal, repairs, stated
from reviewers.repairs.declared import READING, DeclaredArgument, as_json, last_part, plain
from reviewers.repairs.edits import CannotEdit, PythonEdits, YamlEdits
from reviewers.rules.exports import is_summary, refused_type

_PARSING = (".parse_args", ".parse_known_args", ".parse_intermixed_args")
# How one documented word, `key=value`, is given to a script that asks for another form.
_VALUE = '{}.split("=", 1)[-1]'
_OPTION = '"--" + {}.lstrip("-")'
_PARTS = "options and their values, each a word"


@repairs("EV01")
def take_words_apart(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The documented key=value words in the form that the script takes: values by their place, or
    options. A parser keeps its help and what it says of a wrong word; a declaration is changed only
    where it fits no such word, or asks for a list in another form.
    """
    script = facts.evaluation
    if script.file is None or not script.words:
        return
    code = PythonEdits(facts, script.path)
    if not list(code.file.calls_of(".add_argument")):
        yield from _by_hand(code, script)
        return
    calls = [call.node for call in code.file.calls_of(*_PARSING)]
    pairs = DeclaredArgument.paired(code, script.words, script.run_ids or "")
    if len(calls) != 1 or not pairs:
        return
    edits = [edit for key, each in pairs if key == script.run_ids for edit in each.as_json(code)]
    imports = code.imported("json")[1] if edits else ()
    is_placed = not any(each.is_option for _, each in pairs)
    if is_placed and [key for key, _ in pairs] == [*script.words]:
        form, intent = _VALUE, "Split the command's key=value words at ="
    else:
        form, intent = _OPTION, "Take the documented words as options"
        edits += [edit for key, each in pairs for edit in each.as_option(code, key)]
    if given := _given_to(code, calls[0], form):
        every = dict.fromkeys([*imports, *given, *edits])
        yield Proposal(f"{intent} in {script.path}", tuple(every))


def _by_hand(code: PythonEdits, script: EvaluationScript) -> Iterator[Proposal]:
    """The words for a script that takes `sys.argv` apart itself."""
    takes_options = script.options_by_hand is not None or any(
        text.startswith("--") and plain(text.rstrip("=")) in script.words for text in script.texts
    )
    forms = [_OPTION, _PARTS] if script.splits_words else [_PARTS, _OPTION]
    for form in forms if takes_options else ():
        if edits := _of_words(code, code.file.nodes, form):
            how = "options" if form == _OPTION else _PARTS
            yield Proposal(f"Take the documented words as {how}, in {code.path}", tuple(edits))
    texts = [each for each in code.file.of(ast.Subscript) if _is_word(code, each)]
    if takes_options or (script.splits_words and not (texts or _is_unpacked(code))):
        return
    lists = [*as_json(code, texts)]
    imports = code.imported("json")[1] if lists else ()
    if edits := [*imports, *_of_words(code, code.file.nodes, _VALUE), *lists]:
        yield Proposal(f"Split the command's key=value words at = in {code.path}", tuple(edits))


@repairs("EV01")
def words_by_their_names(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The documented names of the words, where a script that takes them apart itself asks for as
    many others, one of which is read as the list.
    """
    script = facts.evaluation
    problems = facts.hydra.evaluation_problems
    asked = [each.key for each in problems if each.error == "KeyError"]
    if script.file is None or finding.span not in [each.span for each in problems]:
        return
    code = PythonEdits(facts, script.path)
    keys_asked = [*dict.fromkeys(asked)]
    lines = [each.span.line for each in problems]
    owners = {ast.dump(node.value) for node in code.file.of(ast.Subscript) if node.lineno in lines}
    spelled = {key: [*_names(code, key, keys_asked, owners)] for key in keys_asked}
    is_list = {
        key: any(isinstance(call, ast.Call) for each in nodes for call in _around(code, each))
        for key, nodes in spelled.items()
    }
    words = sorted((word == script.run_ids, word) for word in script.words)
    keys = sorted((is_list[key], key) for key in spelled)
    if [each for each, _ in words] == [each for each, _ in keys]:
        pairs = [(key, word) for (_, key), (_, word) in zip(keys, words, strict=True)]
        edits = [code.put(node, f'"{word}"') for key, word in pairs for node in spelled[key]]
        yield Proposal(f"Ask for the words by their documented names in {code.path}", tuple(edits))


def _names(
    code: PythonEdits, key: str, keys: Sequence[str], owners: Container[str]
) -> Iterator[ast.Constant]:
    """Where a key is asked of the words, or stands in a list of nothing but their keys."""
    for node in code.file.of(ast.Constant):
        match code.file.parents.get(node):
            case ast.Subscript(value=owner) if node.value == key and ast.dump(owner) in owners:
                yield node
            case ast.Set(elts=listed) | ast.List(elts=listed) | ast.Tuple(elts=listed) if (
                node.value == key and all(getattr(each, "value", "") in keys for each in listed)
            ):
                yield node


def _around(code: PythonEdits, node: ast.Constant) -> Iterator[ast.AST]:
    """The readers of a list that get what a key stands for."""
    read = code.file.parents.get(node)
    call = code.file.parents.get(read) if isinstance(read, ast.Subscript) else None
    if isinstance(call, ast.Call) and code.file.resolve(call.func) in READING:
        yield call


# Where the words come from


def _given_to(code: PythonEdits, call: ast.Call, form: str, depth: int = 3) -> list[Edit]:
    """The edits by which a call gets the words in another form, wherever they come from."""
    named = (each.value for each in call.keywords if each.arg in ("args", "argv"))
    given = next(iter(call.args), None) or next(named, None)
    if given is None and not call.keywords:
        system, imports = code.imported("sys")
        end = code.span(call)[1] - 1
        return [*imports, Edit(code.path, end, end, _each(form, f"{system}.argv[1:]"))]
    if isinstance(given, ast.Name) and (value := code.file.only_value(given)) is not None:
        given = value
    if given is not None and (edits := _of_words(code, [*ast.walk(given)], form)):
        return edits
    function = code.file.functions.get(code.file.scope_at(call.lineno))
    if isinstance(given, ast.Name) and function is not None and depth:
        places = [each.arg for each in function.args.args]
        sites = [each.node for each in code.file.calls if each.name == function.name]
        if places[:1] == [given.id]:
            return [edit for site in sites for edit in _given_to(code, site, form, depth - 1)]
    raise CannotEdit("the parser is given something else")


def _of_words(code: PythonEdits, within: Sequence[ast.AST], form: str) -> list[Edit]:
    """The edits of the reads of `sys.argv`; none where one is of a kind that is not known."""
    edits: list[Edit] = []
    for node in within:
        if not isinstance(node, ast.Attribute | ast.Name) or code.file.resolve(node) != "sys.argv":
            continue
        around = code.file.parents.get(node)
        match around:
            case ast.Subscript(slice=ast.Constant(value=0)) | ast.Compare():
                continue
            case ast.Call(func=ast.Name(id="len")):
                continue
            case ast.Subscript(slice=ast.Constant(value=int())) if form == _VALUE:
                _, end = code.span(around)
                edits.append(Edit(code.path, end, end, form.removeprefix("{}")))
            case ast.Subscript(slice=ast.Slice(lower=ast.Constant(), step=None)):
                edits.append(code.put(around, _each(form, code.text_of(around))))
            case ast.Subscript() | ast.Attribute():
                return []
            case _ if form == _VALUE:
                edits.append(code.put(node, _each(form, code.text_of(node))))
            case _:
                rest = _each(form, f"{code.text_of(node)}[1:]")
                edits.append(code.put(node, f"[{code.text_of(node)}[0], *{rest}]"))
    return edits


def _is_word(code: PythonEdits, node: ast.Subscript) -> bool:
    return code.file.resolve(node.value) == "sys.argv" and isinstance(node.slice, ast.Constant)


def _is_unpacked(code: PythonEdits) -> bool:
    """Whether names are given the words by their place."""
    return any(
        isinstance(each.targets[0], ast.Tuple)
        and any(code.file.resolve(part) == "sys.argv" for part in ast.walk(each.value))
        and not any(isinstance(part, ast.Call) for part in ast.walk(each.value))
        for each in code.file.of(ast.Assign)
    )


def _each(form: str, words: str) -> str:
    if form == _PARTS:
        option = _OPTION.format("word")
        return f'[part for word in {words} for part in ({option}).split("=", 1)]'
    return f"[{form.format('word')} for word in {words}]"


@repairs("EV01")
def open_for_the_words(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The configuration into which the words are merged, without struct mode."""
    code = PythonEdits(facts, facts.evaluation.path)
    told = "Leave struct mode off until the words are merged"
    for problem in facts.hydra.evaluation_problems:
        if problem.kind is not ProblemKind.MERGE or problem.span != finding.span:
            continue
        for call in code.file.calls_of("omegaconf.OmegaConf.merge"):
            match call.node.args:
                case [ast.Name(id=name), *_] if call.line == problem.span.line:
                    statement = code.statement(call.node)
                    closing = [*_closing(code, statement, name)]
                    owner = code.text_of(call.node.func).rpartition(".")[0]
                    opening = code.before(statement, f"{owner}.set_struct({name}, False)")
                    yield Proposal(told, tuple(closing or [opening]))


def _closing(code: PythonEdits, before: ast.stmt, name: str) -> Iterator[Edit]:
    """Without the statements beside one that turn struct mode on before it."""
    for call in code.file.calls_of("omegaconf.OmegaConf.set_struct"):
        match call.node.args:
            case [ast.Name(id=named), ast.Constant(value=True)] if named == name:
                statement = code.file.parents[call.node]
                is_beside = code.file.parents[statement] is code.file.parents[before]
                if isinstance(statement, ast.Expr) and is_beside and call.line < before.lineno:
                    yield code.without(statement)


@repairs("EV01")
def folder_of_the_start(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The working directory, where Hydra has started nothing."""
    code = PythonEdits(facts, facts.evaluation.path)
    if edits := tuple(dict.fromkeys(_own_folder(code))):
        yield Proposal(f"Take the working directory in {code.path}, which Hydra never left", edits)


def _own_folder(code: PythonEdits) -> Iterator[Edit]:
    """`os.getcwd()` for the folder of Hydra's start."""
    name, imports = code.imported("os")
    for call in code.file.calls_of("hydra.utils.get_original_cwd"):
        yield from imports
        yield code.put(call.node, f"{name}.getcwd()")
    for statement in code.file.of(ast.ImportFrom):
        for alias in statement.names:
            if (statement.module, alias.name) == ("hydra.utils", "get_original_cwd"):
                yield code.without_import(statement, alias)


@repairs("HY03")
def words_for_hydra(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The documented words that Hydra does not know, among the keys of the main configuration."""
    start = _refused_evaluation(facts, finding)
    path = start.entry.config_file if start else ""
    if start is None or facts.text(path) is None:
        return
    text = YamlEdits(facts, path)
    lacking = [each for each in facts.evaluation.words if not text.pairs(each)]
    edits = [text.append(text.root, key, "???") for key in lacking]
    if edits:
        told = f"Give {path} the keys that the evaluation is told: {', '.join(lacking)}"
        yield Proposal(told, tuple(edits))


@repairs("HY03")
def words_without_hydra(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The evaluation's words read by OmegaConf: it knows of no run, and Hydra wants one."""
    start = _refused_evaluation(facts, finding)
    if start is None:
        return
    code = PythonEdits(facts, start.entry.path)
    function = code.file.functions[start.entry.function]
    decorators = [
        each
        for each in function.decorator_list
        if isinstance(each, ast.Call) and code.file.resolve(each.func) == "hydra.main"
    ]
    parameters = function.args.args
    if len(decorators) != 1 or len(parameters) != 1:
        return
    (given,) = parameters
    omegaconf, imports = code.imported("omegaconf", "OmegaConf")
    kind = f": {code.text_of(given.annotation)}" if given.annotation else ""
    words = [f"{given.arg}{kind} = {omegaconf}.from_cli()"]
    reads = [each for each in code.file.of(ast.Name) if each.id == given.arg]
    asked = {last_part(code.file.parents[each]) for each in reads}
    if not asked <= {*facts.evaluation.words}:
        path, more = code.imported("pathlib", "Path")
        imports += more
        parts = "".join(f' / "{part}"' for part in start.entry.config_file.split("/"))
        root = f"{path}(__file__).resolve().parents[{start.entry.path.count('/')}]"
        words = [
            f"{given.arg}{kind} = {omegaconf}.load({root}{parts})",
            f"{given.arg} = {omegaconf}.merge({given.arg}, {omegaconf}.from_cli())",
        ]
    begin = code.span(given)[0]
    end = code.span(given.annotation)[1] if given.annotation else begin + len(given.arg)
    yield Proposal(
        f"Read the words of {start.entry.path} with OmegaConf.from_cli() instead of Hydra",
        (
            *imports,
            *_without_hydra(code),
            *dict.fromkeys(_own_folder(code)),
            code.line_of(decorators[0]),
            Edit(code.path, begin, end, ""),
            code.at_start(function, *words),
        ),
        "Hydra then makes no output folder for the evaluation",
    )


def _without_hydra(code: PythonEdits) -> Iterator[Edit]:
    """Without the import of Hydra, where nothing but its decorator needs it."""
    reads = [each for each in code.file.of(ast.Name) if each.id == "hydra"]
    for statement in code.file.of(ast.Import):
        for name in statement.names:
            if name.name == "hydra" and not name.asname and len(reads) == 1:
                yield code.without_import(statement, name)


def _refused_evaluation(facts: Facts, finding: Finding) -> Start | None:
    """The start of the evaluation, if a finding is about what Hydra refuses of it."""
    start = facts.hydra.evaluation
    if start is None or not start.refused:
        return None
    is_first = stated(finding, "composes", "command") == "evaluate"
    return start if is_first else None


@repairs("EV10")
def list_as_it_is(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The list that OmegaConf has read already."""
    code = PythonEdits(facts, finding.span.file) if finding.span else None
    for call in code.file.calls_of(*READING) if code else ():
        if code is not None and call.line == _line(finding) and len(call.node.args) == 1:
            edit = code.put(call.node, f"list({code.arguments_of(call.node)})")
            yield Proposal("Take the run ids as the list that they are", (edit,))


@repairs("EV31")
def plain_summary(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The run's summary as the plain dictionary behind it."""
    edits: list[Edit] = []
    span = finding.span
    code = PythonEdits(facts, span.file) if span and span.file in facts.python else None
    for node in code.file.of(ast.Attribute) if code and span else ():
        if code is None or node.attr != "summary" or not isinstance(node.ctx, ast.Load):
            continue
        around = code.file.parents.get(node)
        is_asked = isinstance(around, ast.Attribute | ast.Subscript) and around.value is node
        # A copy of all that the summary has is as good as the dictionary itself.
        copy = next(
            (
                each
                for each in code.file.ancestors(node)
                if isinstance(each, ast.Call | ast.DictComp) and is_summary(each)
            ),
            None,
        )
        if node.lineno == _line(finding) and (copy is not None or not is_asked):
            edits.append(code.put(copy or node, f"{code.text_of(node)}._json_dict"))
    if edits:
        yield Proposal("Take the summary's plain values, ._json_dict", tuple(edits))


@repairs("EV20")
def yaml_for_yaml(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The reader of YAML for a file of YAML."""
    for code, call in calls_at(facts, finding, "json.load", "json.loads"):
        name, imports = code.imported("yaml")
        edits = [*imports, code.put(call.node.func, f"{name}.safe_load")]
        edits += code.without_unused("json", 1)
        yield Proposal("Read the YAML file as YAML", tuple(edits))


@repairs("EV32")
def plain_value(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Python's own value for NumPy's, where it is made."""
    for code, node in nodes_at(facts, finding, ast.Compare, ast.Call, ast.Attribute):
        match refused_type(code.file, node):
            case "bool":
                edit = code.put(node, f"bool({code.text_of(node)})")
            case "int64":
                edit = code.put(node, f"int({code.text_of(node)})")
            case "ndarray":
                edit = code.put(node, f"{code.text_of(node)}.tolist()")
            case _:
                continue
        yield Proposal("Write Python's own value, which JSON has", (edit,))


def _line(finding: Finding) -> int | None:
    return finding.span.line if finding.span else None
