"""Repairs of the evaluation: its command line, and what it writes down."""

import ast
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import CannotEdit, PythonEdits
from reviewers.rules.exports import is_summary, refused_type


@repairs("EV01")
def take_words_apart(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The documented key=value words, handed to the parser that is there."""
    script = facts.evaluation
    if script.file is None or not script.words:
        return
    code = PythonEdits(facts, script.path)
    if (whole := script.words_parsed_whole) is not None and whole.line == _line(finding):
        word = whole.node.args[0]
        edit = code.put(word, f'{code.text_of(word)}.split("=", 1)[1]')
        yield Proposal(f"Split the word at = in {script.path}", (edit,))
        return
    parsed = [
        call
        for call in script.file.calls_of(".parse_args", ".parse_known_args")
        if not call.node.args and call.keyword("args") is None
    ]
    arguments = [each for each in script.arguments if each.required or each.name in script.words]
    # What takes several words is no list in one.
    takes_several = any(each.keyword("nargs") for each in script.file.calls_of(".add_argument"))
    if len(parsed) != 1 or not arguments or takes_several:
        return
    system, imports = code.imported("sys")
    spelled = _options(code) if arguments[0].is_option else {}
    named = [each.name for each in arguments if each.name in script.words]
    if len(named) != len(arguments):
        return
    if not spelled and named == [each for each in script.words if each in named]:
        # As it stands, with its help and what it says of a missing word.
        values = f'[word.split("=", 1)[-1] for word in {system}.argv[1:]]'
        edits = [_given(code, parsed[0].node, values)]
    else:
        listed = ", ".join(
            f'"{spelled[name]}", words["{name}"]' if name in spelled else f'words["{name}"]'
            for name in named
        )
        statement = code.statement(parsed[0].node)
        line = f'words = dict(word.split("=", 1) for word in {system}.argv[1:])'
        edits = [code.before(statement, line), _given(code, parsed[0].node, f"[{listed}]")]
    yield Proposal(f"Split the documented words at = in {script.path}", (*imports, *edits))


@repairs("EV10")
def list_as_it_is(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The list that OmegaConf has read already."""
    code, line = PythonEdits(facts, facts.evaluation.path), _line(finding)
    for call in code.file.calls_of("json.loads"):
        if call.line == line and facts.evaluation.is_read_word(call.node.args[0]):
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


@repairs("EV32")
def plain_value(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Python's own value for NumPy's, where it is made."""
    span = finding.span
    code = PythonEdits(facts, span.file) if span and span.file in facts.python else None
    for node in code.file.of(ast.Compare, ast.Call, ast.Attribute) if code and span else ():
        if code is None or span is None or node.lineno != span.line:
            continue
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


def _options(code: PythonEdits) -> dict[str, str]:
    """How each option is spelled, by the name that it gets."""
    found: dict[str, str] = {}
    for call in code.file.calls_of(".add_argument"):
        for given in call.node.args:
            option = getattr(given, "value", None)
            if isinstance(option, str) and option.startswith("--"):
                found[option.lstrip("-").replace("-", "_")] = option
    return found


def _given(code: PythonEdits, call: ast.Call, text: str) -> Edit:
    end = code.span(call)[1] - 1
    if call.keywords:
        raise CannotEdit("the parser is given something else")
    return Edit(code.path, end, end, text)
