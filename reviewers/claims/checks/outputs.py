"""Claims that the code never does something, or does only something: figures, tests, tables, checkpoints, studies."""

import ast
import re
from collections.abc import Iterator, Sequence

from reviewers.claims.anchors import figures
from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, join, partly, refuted
from reviewers.claims.checks.topics import Done, Topic, state, topics
from reviewers.facts.python_file import PythonFile
from reviewers.records import Span

_EVALUATE = "src/evaluate.py"
_QUALIFIED = re.compile(
    r"\b(?:proper\w*|correct\w*|full\w*|all|every|each|complete\w*|beyond|except|other|additional|further|"
    r"enough|sufficient\w*|comprehensive|adequate\w*|real|actual|valid|genuine|per-class|aggregated|cross-run|"
    r"incorrect\w*|improper\w*|final|explicit|automatic\w*|powered|"
    r"per[- ](?:epoch|batch|step)|such as|like|when|if|because|in trial|meaningful|useful|safe|there)\b"
)
_OTHER_FIGURES = re.compile(
    r"\b(?:other|additional|further|more|any) (?:\w+ )?(?:comparison )?figures\b|\bcomparison figures\b|\bcomparison charts\b"
)
_BASIC = frozenset({"learning-curve", "bar-chart", "confusion-matrix"})


@check("absent_topic")
def absent_topic(case: Case) -> Answer:
    """What nothing in the code has to do with is not done; what a reachable call does is done."""
    if case.claim.hedged:
        return None
    asked = [topic for topic in topics().values() if topic.denied.search(case.said)]
    if not asked or any(topic.file and not _is_about(case, topic.file) for topic in asked):
        return None
    states = [(topic, state(case.facts, topic)) for topic in asked]
    if any(found is None for _, found in states):
        return None
    done = [(topic, found) for topic, found in states if isinstance(found, Done)]
    gone = [topic for topic, found in states if found is False]
    if not done:
        return _gone(case, gone)
    topic, call = done[0]
    shown = f"{call.path}:{call.line} calls {code(call.name)} for {topic.name}"
    span = Span(call.path, call.line)
    if gone:
        return partly(f"Nothing in the code has to do with {join([each.name for each in gone])}, but {shown}", span)
    if _QUALIFIED.search(case.said) or len(done) > 1:
        return partly(shown, span)
    return refuted(shown, span)


check("output_topic")(absent_topic)


def _is_about(case: Case, path: str) -> bool:
    """Whether a claim about another file is excluded, and this one can be read."""
    file = case.facts.python.get(path)
    return file is not None and file.tree is not None and (not case.claim.own.files or path in case.claim.own.files)


def _gone(case: Case, gone: Sequence[Topic]) -> Answer:
    where = join(sorted({topic.file or "the code" for topic in gone}))
    evidence = (
        f"Nothing in {where} has to do with {join([topic.name for topic in gone], 'or')}: no call, name or file name speaks of it"
    )
    in_evaluate = any(topic.file == _EVALUATE for topic in gone)
    span = next(figures(case.facts), None) if in_evaluate else None
    if _OTHER_FIGURES.search(case.said) and _others_drawn(case):
        return partly(evidence, span)
    return confirmed(evidence, span or next((Span(topic.file) for topic in gone if topic.file), None))


def _others_drawn(case: Case) -> bool:
    """Whether evaluate.py saves figures beyond the usual ones, or such that their kind cannot be told."""
    file = case.facts.python.get(_EVALUATE)
    return file is None or any(not kinds or not kinds <= _BASIC for _, kinds in _saved(file))


_ONLY = re.compile(
    r"\b(?:only|just|solely|merely|except|other than)\b(?P<what>[^.;]*?)(?=\.|;|$|,? (?:omitting|and no\b|but|"
    r"while|without|it (?:does not|omits|never))| – no\b|, no\b)"
)


@check("only_outputs")
def only_outputs(case: Case) -> Answer:
    """ "Only a learning curve and a bar chart" is true where evaluate.py saves no other figures."""
    file = case.facts.python.get(_EVALUATE)
    if file is None or not _is_about(case, _EVALUATE) or case.claim.hedged:
        return None
    sentence = case.claim.sentence if _ONLY.search(case.claim.sentence) else case.said
    said = {
        topic.id
        for match in _ONLY.finditer(sentence)
        for topic in topics().values()
        if topic.figure and topic.said.search(match["what"])
    }
    said |= (
        {topic.id for topic in topics().values() if topic.figure and not _ONLY.search(case.said) and topic.said.search(case.said)}
        if said
        else set()
    )
    saved = list(_saved(file))
    if not said or not saved or any(not kinds for _, kinds in saved):
        return None
    drawn = set().union(*(kinds for _, kinds in saved))
    lines = [line for line, _ in saved]
    span = next(figures(case.facts), Span(_EVALUATE, min(lines), max(lines)))
    shown = f"{_EVALUATE} saves figures on {_lines(lines)}: {join(sorted(topics()[id].name for id in drawn))}"
    denied = [topic for topic in topics().values() if topic.denied.search(case.said)]
    if drawn <= said and all(state(case.facts, topic) is False for topic in denied):
        missing = (
            f"; nothing there has to do with {join([topic.name for topic in denied], 'or')}" if denied else ", and no others"
        )
        return confirmed(shown + missing, span)
    return partly(shown, span)


def _saved(file: PythonFile) -> Iterator[tuple[int, set[str]]]:
    """Line and kinds of every saved figure, by the function it is drawn in and the name it is saved under."""
    saves = list(file.calls_of(".savefig", ".write_image"))
    for call in saves:
        definition = next((found for found in reversed(file.definitions) if found.name == call.scope), None)
        first, last = (definition.line, definition.end_line) if definition else (call.line - 15, call.line)
        within = [other.line for other in saves if first <= other.line <= last]
        names = [call.scope] if len(within) == 1 else []
        if len(within) > 1:
            first, last = max([first, *(line + 1 for line in within if line < call.line)]), call.line
        names += [literal.value for literal in file.strings if first <= literal.line <= last and _FIGURE.search(literal.value)]
        called = [other.name or getattr(other.node.func, "attr", "") for other in file.calls if first <= other.line <= last]
        yield (
            call.line,
            {
                topic.id
                for topic in topics().values()
                if topic.figure and (topic.written.search(" ".join(names)) or any(map(topic.done.search, called)))
            },
        )


def _lines(lines: list[int]) -> str:
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {join([str(line) for line in lines])}"


_FIGURE = re.compile(r"\.(?:pdf|png|svg|jpe?g|eps)$", re.IGNORECASE)
_NAMING = re.compile(r"\bnam(?:e[sd]?|ing)\b|\bpattern\b|\bconvention")
_NOT_FOLLOWED = re.compile(r"\b(?:not|never|violat\w+|without|miss\w*|wrong|incorrect\w*|lack\w*)\b|n't\b")
_RUN_ID = re.compile(r"\brun|rid\b|_id\b|\bid\b|\bname\b")


@check("figure_naming")
def figure_naming(case: Case) -> Answer:
    """A figure's name follows the convention where it begins with the run id, or with `comparison_`, and ends in `.pdf`."""
    file = case.facts.python.get(_EVALUATE)
    if file is None or not _is_about(case, _EVALUATE) or case.claim.hedged:
        return None
    named = list(_figure_names(file))
    if not named:
        return None
    other = [(line, name) for line, name, _ in named if not name.casefold().endswith(".pdf")]
    if re.search(r"\bpng\b", case.said) and re.search(r"\b(?:save[sd]?|as|instead|not pdf)\b", case.said):
        return _as_png(other, named)
    if not _NAMING.search(case.said) or not _NOT_FOLLOWED.search(case.said) or topics()["pair-suffix"].said.search(case.said):
        return None
    wrong = [(line, name) for line, name, follows in named if follows is False]
    if wrong or other:
        line, name = (wrong or other)[0]
        what = "which begins with neither the run id nor `comparison_`" if wrong else "which is no PDF"
        return confirmed(f"{_EVALUATE}:{line} names a figure {code(name.replace('{}', '{…}'))}, {what}", Span(_EVALUATE, line))
    if any(follows is None for _, _, follows in named):
        return None
    lines = [line for line, _, _ in named]
    shown = join([code(name.replace("{}", "{…}")) for _, name, _ in named], most=4)
    return refuted(
        f"Every figure of {_EVALUATE} follows the pattern: {shown} on {_lines(lines)}", Span(_EVALUATE, min(lines), max(lines))
    )


def _figure_names(file: PythonFile) -> Iterator[tuple[int, str, bool | None]]:
    """Line and name of every figure, and whether it follows the convention; None where that cannot be told."""
    templates = {node.lineno: node for node in file.nodes if isinstance(node, ast.JoinedStr)}
    for literal in file.strings:
        name = literal.value.rpartition("/")[2]
        if literal.is_docstring or not _FIGURE.search(name) or name.startswith("."):
            continue
        first = _first_value(templates[literal.line], name) if literal.is_template and literal.line in templates else ""
        if name.startswith("comparison_"):
            yield literal.line, name, True
        elif name.startswith("{}"):
            yield literal.line, name, True if name.startswith("{}_") and _RUN_ID.search(first) else None
        else:
            yield literal.line, name, False


def _first_value(node: ast.JoinedStr, name: str) -> str:
    """The expression behind the first value of a file name within a template."""
    values = [part for part in node.values if isinstance(part, ast.FormattedValue)]
    index = len(values) - name.count("{}")
    return ast.unparse(values[index].value) if 0 <= index < len(values) else ""


def _as_png(other: list[tuple[int, str]], named: Sequence[tuple[int, str, bool | None]]) -> Answer:
    if other:
        line, name = other[0]
        return confirmed(f"{_EVALUATE}:{line} saves {code(name.replace('{}', '{…}'))}", Span(_EVALUATE, line))
    line, name, _ = named[0]
    return refuted(
        f"{_EVALUATE} saves only PDF files, such as {code(name.replace('{}', '{…}'))} on line {line}", Span(_EVALUATE, line)
    )
