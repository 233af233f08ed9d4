"""Claims about the figures that evaluate.py saves: which alone, which besides, and under what
names.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reviewers.claims.anchors import figures
from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, join, partly, remark
from reviewers.claims.checks.topics import concerns, denied, standing, topics, whole
from reviewers.facts.python_file import Call, PythonFile, template
from reviewers.records import Span

_EVALUATE = "src/evaluate.py"
_PICTURE = re.compile(r"\.(?:pdf|png|svg|jpe?g|eps)$", re.IGNORECASE)
_ONLY = re.compile(
    r"\b(?:only|just|solely|merely|nothing but|except(?: for)?|other than|limited to|consists?"
    r" of|beyond|besides|"
    r"apart from|aside from)\b"
    r"(?P<what>(?:[^.;]|\.(?=\w))*?)(?=\.(?!\w)|;|$|\b(?:therefore|so|hence|thus|which|that)\b|"
    r",? (?:omitting|and no\b|but|while|without|lacking|it (?:does not|omits|never))| – no\b|,"
    r" (?:no|nor)\b)"
)
_OF_RUNS = re.compile(
    r"\bper[- ]run\b|\bstep[- ]?1\b|\b(?:each|every|individual) run\b|\brun[- ](?:level|specific)\b"
)
_OF_COMPARISON = re.compile(
    r"\bcompar(?:ison|ative|ing)\b|\b(?:cross|inter|between|across)[- ]runs?\b|\bstep[-"
    r" ]?2\b|\baggregat\w+"
)
_ONE = r"\b(?:one|single|lone|a|an)\b(?: \w+)?(?: \w+)? ?[- ]?(?:{said})(?!\w*s\b)"
_FURTHER = re.compile(
    r"\b(?:other|additional|further|more|any other|extra) (?:\w+"
    r" ){0,2}(?:figures?|plots?|charts?|graphs?|visuali[sz]ations?)\b"
)
_COMPARING = re.compile(
    r"\b(?:comparison|comparative|cross-run|inter-run|aggregated?) (?:\w+ )?"
    r"(?:figures?|plots?|charts?|graphs?|visuali[sz]ations?)\b"
)
_GENERAL = re.compile(r"\bevaluat(?:e\.py|e|ion)\b")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A place where a figure is saved.

    Attributes:
        line: of the call that saves it.
        kinds: ids of the topics that say what it shows; empty where that cannot be told.
        compared: whether it shows several runs; None where that cannot be told.
        many: whether the place may save several figures of this kind.
    """

    line: int
    kinds: frozenset[str]
    compared: bool | None
    many: bool


@lru_cache(maxsize=8)
def drawn(file: PythonFile) -> tuple[Drawn, ...]:
    """Every figure that a script saves, by the function it is drawn in and the names it is saved
    under.
    """
    return tuple(_drawn(file))


def _drawn(file: PythonFile) -> Iterator[Drawn]:
    saves = list(file.calls_of(".savefig", ".write_image"))
    pictures = _pictures(file.nodes)
    for call in saves:
        definition = next(
            (found for found in reversed(file.definitions) if found.name == call.scope), None
        )
        first, last = (
            (definition.line, definition.end_line) if definition else (call.line - 15, call.line)
        )
        within = [other.line for other in saves if first <= other.line <= last]
        names = [call.scope] if len(within) == 1 and definition else []
        opened = [
            other.line
            for other in file.calls_of(".figure", ".subplots")
            if first <= other.line <= call.line
        ]
        begun = max([first, *opened, *(line + 1 for line in within if line < call.line)])
        named = _names_given(file, call.node) or [
            node for node in pictures if begun <= node.lineno <= call.line
        ]
        called = [
            other.name or getattr(other.node.func, "attr", "")
            for other in file.calls
            if begun <= other.line <= call.line
        ]
        written = " ".join([*names, *map(template, named)])
        kinds = frozenset(
            topic.id
            for topic in topics().values()
            if topic.figure
            and (topic.written.search(written) or any(map(topic.done.search, called)))
        )
        groups = set(map(_compared, named)) if named else set(_by_callers(file, call))
        callers = _callers(file, call)
        many = len(callers) > 1 or any(
            isinstance(around, ast.For | ast.While)
            for place in (call.node, *callers)
            for around in file.ancestors(place)
        )
        yield Drawn(call.line, kinds, groups.pop() if len(groups) == 1 else None, many)


def _compared(node: ast.expr) -> bool | None:
    """Whether a name is one for several runs; None where it neither says so nor begins with a run's
    id.
    """
    text = template(node)
    last = text.rpartition("/")[2]
    if last.startswith("comparison") or "comparison/" in text:
        return True
    first = _first_value(node, last) if isinstance(node, ast.JoinedStr) else ""
    return False if last.startswith("{}_") and _RUN_ID.search(first) else None


def _callers(file: PythonFile, save: Call) -> list[ast.Call]:
    """The calls of the function in which a figure is saved."""
    outer = save.scope.split(".")[-1]
    return [
        call.node
        for call in file.calls
        if outer and call.name == outer and call.scope != save.scope
    ]


def _by_callers(file: PythonFile, save: Call) -> Iterator[bool | None]:
    """To which group the names belong that the callers of a drawing function give it."""
    for call in _callers(file, save):
        found = _names_given(file, call)
        yield from map(_compared, found) if found else [None]


def _names_given(file: PythonFile, call: ast.Call) -> list[ast.Constant | ast.JoinedStr]:
    """The names of pictures that a call gets, directly or by a variable that was bound before
    it.
    """
    found = _pictures(ast.walk(call))
    used = {part.id for part in ast.walk(call) if isinstance(part, ast.Name)}
    for node in file.nodes if not found else ():
        if not isinstance(node, ast.Assign) or file.scope_at(node.lineno) != file.scope_at(
            call.lineno
        ):
            continue
        names = {target.id for target in node.targets if isinstance(target, ast.Name)}
        if names & used and node.lineno <= call.lineno:
            found = _pictures(ast.walk(node.value)) or found
    return found


def _pictures(nodes: Iterable[ast.AST]) -> list[ast.Constant | ast.JoinedStr]:
    """The names of pictures among nodes, parts of f-strings left out."""
    texts = [node for node in nodes if isinstance(node, ast.Constant | ast.JoinedStr)]
    inside = {id(part) for node in texts if isinstance(node, ast.JoinedStr) for part in node.values}
    return [node for node in texts if id(node) not in inside and _PICTURE.search(template(node))]


def _group(case: Case) -> bool | None:
    """Whether a claim is about the figures of all runs or those of each; None where it is about
    both, or says nothing.
    """
    claim = case.claim
    steps = " ".join(_STEP.findall(claim.sentence))
    for words in (
        claim.said,
        steps,
        *(text.casefold() for text in (*claim.under[-1:], *reversed(claim.before))),
    ):
        runs, comparison = _OF_RUNS.search(words), _OF_COMPARISON.search(words)
        if runs or comparison:
            return None if runs and comparison else comparison is not None
    return None


def _alone(said: str) -> set[str]:
    """The kinds of figure that a text says to be the only ones."""
    if not _MAKES.search(said):
        return set()
    found = set()
    for match in _ONLY.finditer(said):
        for id, topic in topics().items():
            shown = topic.said.search(match["what"]) if topic.figure else None
            if shown and not _OF_SOME.search(
                re.sub(r"^\s*(?:of|in)\b", "", match["what"][: shown.start()])
            ):
                found.add(id)
    return found


_OF_SOME = re.compile(
    r"\b(?:runs?|first|best|last|if|when|where|for|from|on|train\w*|valid\w*|loss|accurac\w+|history|of|after|once|"
    r"metrics?|two|in)\b(?!\.\w)"
)
_STEP = re.compile(r"\bstep[- ]?[12]\b")
_MAKES = re.compile(
    r"\b(?:generat|produc|sav|creat|draw|plot|output|render|mak|stor|export|writ|omit|lack|miss|includ|contain|provid|implement|"
    r"emit|deliver|no\b|not\b|never\b|figures?\b)"
)


def says_only(case: Case) -> bool:
    """Whether a claim says of some kind of figure that it is the only one."""
    return bool(_alone(case.said))


@check("only_outputs")
def only_outputs(case: Case) -> Answer:
    """ "Only a learning curve and a bar chart" is true where evaluate.py saves no other figures."""
    file = case.facts.python.get(_EVALUATE)
    if file is None or not concerns(case, _EVALUATE) or case.claim.hedged:
        return None
    said = _alone(case.claim.sentence) or _alone(case.said)
    if said and not _ONLY.search(case.said):
        said |= {
            id for id, topic in topics().items() if topic.figure and topic.said.search(case.said)
        }
    saved = drawn(file)
    if not said or not saved or any(not figure.kinds for figure in saved):
        return None
    group = _group(case)
    if group is not None and any(figure.compared is None for figure in saved):
        return None
    wanted = [figure for figure in saved if group is None or figure.compared is group]
    span = next(figures(case.facts), Span(_EVALUATE, saved[0].line, saved[-1].line))
    told = (
        f"{_EVALUATE} saves {_GROUPS[group]} on {_lines(wanted)}"
        if wanted
        else f"{_EVALUATE} saves no {_GROUPS[group]}"
    )
    told += f": {_names(wanted)}" if wanted else ""
    others = frozenset().union(*(figure.kinds for figure in wanted)) - said
    without = denied(whole(case)) - said
    if not wanted or others:
        listed = len(said) > 1 or re.search(
            r"\band\b|[,+&]", case.said
        )  # and one of them may be a word that we do not know
        plain = (
            others
            and group is None
            and _GENERAL.search(case.said)
            and not listed
            and _group_free(case)
        )
        return remark(told, span) if plain and not without else partly(told, span)
    if _FILES.search(case.said) and file.calls_of(*_TABLES):
        return partly(told, span)
    again = [kind for kind in said if _is_one(kind, case.said) and _is_many(kind, wanted, group)]
    if again or not all(standing(case.facts, topics()[id]) is False for id in without):
        return partly(told, span)
    missing = (
        f"; nothing there has to do with {join(sorted(topics()[id].name for id in without), 'or')}"
        if without
        else ", and no others"
    )
    return confirmed(told + missing, span)


_FILES = re.compile(r"\bjson\b|\bcsv\b|\bfiles?\b")
_TABLES = (
    ".to_csv",
    ".to_parquet",
    ".to_excel",
    ".to_markdown",
    ".to_latex",
    ".to_html",
    ".to_pickle",
    ".write_text",
)
_GROUPS = {None: "figures", True: "figures of all runs", False: "figures of each run"}


def _group_free(case: Case) -> bool:
    """Whether nothing around a claim says of which figures it speaks."""
    around = " ".join((*case.claim.under, *case.claim.before, case.claim.sentence)).casefold()
    return not _OF_RUNS.search(around) and not _OF_COMPARISON.search(around)


def _is_one(kind: str, said: str) -> bool:
    return re.search(_ONE.format(said=topics()[kind].said.pattern), said) is not None


def _is_many(kind: str, wanted: Sequence[Drawn], group: bool | None) -> bool:
    """Whether a kind is drawn several times; a figure of each run counts as one."""
    places = [figure for figure in wanted if kind in figure.kinds]
    return len(places) > 1 or any(figure.many and figure.compared for figure in places)


def _names(saved: Sequence[Drawn]) -> str:
    return join(sorted({topics()[kind].name for figure in saved for kind in figure.kinds}))


def _lines(saved: Sequence[Drawn]) -> str:
    lines = [str(figure.line) for figure in saved]
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {join(lines)}"


@check("further_figures")
def further_figures(case: Case) -> Answer:
    """Comparison figures are missing where none is saved; further ones where all that are saved are
    of one kind.
    """
    if (
        not case.denies
        or case.claim.hedged
        or not concerns(case, _EVALUATE)
        or denied(whole(case))
        or _ONLY.search(case.said)
    ):
        return None
    return figures_besides(case)


def figures_besides(case: Case) -> Answer:
    """What the code says to the figures "besides", or "for comparison", that a claim denies without
    naming their kind.
    """
    file = case.facts.python.get(_EVALUATE)
    further = _FURTHER.search(case.said)
    saved = drawn(file) if file else ()
    if file is not None and _NONE.search(case.said) and "evaluat" in case.said:
        if saved:
            told = f"{_EVALUATE} saves figures on {_lines(saved)}"
            return remark(told, next(figures(case.facts), Span(_EVALUATE, saved[0].line)))
        return (
            None
            if "savefig" in file.text or "write_" in file.text
            else confirmed(f"{_EVALUATE} saves no figure", Span(_EVALUATE))
        )
    if file is None or not (further or _COMPARING.search(case.said)) or _SOME.search(case.said):
        return None
    if any(figure.compared is None for figure in saved):
        return None
    group = True if further is None else _group(case)
    wanted = [figure for figure in saved if group is None or figure.compared is group]
    span = next(figures(case.facts), Span(_EVALUATE))
    if not wanted:
        return (
            confirmed(f"{_EVALUATE} saves no figure that compares runs", span)
            if group and "savefig" in file.text
            else None
        )
    told = f"{_EVALUATE} saves {_GROUPS[group]} on {_lines(wanted)}"
    told += f": {_names(wanted)}" if all(figure.kinds for figure in wanted) else ""
    if further:
        few = (
            group
            and all(figure.kinds for figure in wanted)
            and len({figure.kinds for figure in wanted}) == 1
        )
        return confirmed(f"{told}, and no other", span) if few else partly(told, span)
    return partly(told, span) if _ASKED.search(case.said) else remark(told, span)


_DRAWS = re.compile(
    r"\b(?:generates?|creates?|produces?|draws?|saves?|plots?|outputs?|exports?|renders?|makes?|has|contains?|includes?|"
    r"(?:is|are) (?:\w+"
    r" )?(?:generated|created|produced|drawn|saved|plotted|output|exported|rendered|made|included|"
    r"present|there))\b"
)
_NO_MORE = re.compile(
    r"\b(?:src/|(?:the |an? )?evaluat(?:e\.py|ion)|script|it|its?|they|the|an?|and|or|also|as well"
    r" as|then|inside|in|"
    r"by|within|required|mandatory|quality|"
    r"figures?|charts?|plots?|graphs?|pdfs?|files?|comparison|per[- ]run|each"
    r" run|run|simple|basic|single|one|such as|"
    r"as|namely|currently|now)\b"
)
_MORE_SAID = re.compile(
    r"\b(?:only|because|but|although|while|if|when|from|for|with|without|wrong\w*|incorrect\w*|should|must|may|might|"
    r"would|fail\w*|"
    r"crash\w*|empty|every|each|all|multiple|several|two|three|both|correct\w*|proper\w*)\b|\b(?:not|never|no|nor|"
    r"neither)\b|n't\b"
)


@check("figures_drawn")
def figures_drawn(case: Case) -> Answer:
    """ "It draws a learning curve and box plots" is true where each is saved, and false where one
    has no code at all.
    """
    file = case.facts.python.get(_EVALUATE)
    if (
        file is None
        or case.claim.hedged
        or not _DRAWS.search(case.said)
        or _MORE_SAID.search(case.said)
        or case.denies
    ):
        return None
    about = "evaluat" in case.said or (
        not case.claim.own.files and "evaluat" in case.claim.sentence
    )
    named = {id for id, topic in topics().items() if topic.figure and topic.said.search(case.said)}
    left = case.said
    for id in named:
        left = re.sub(rf"(?:{topics()[id].said.pattern})\w*", " ", left)
    if (
        not about
        or not named
        or not concerns(case, _EVALUATE)
        or re.sub(r"[\W_]+", "", _DRAWS.sub(" ", _NO_MORE.sub(" ", left)))
    ):
        return None
    saved = drawn(file)
    gone = sorted(topics()[id].name for id in named if standing(case.facts, topics()[id]) is False)
    span = next(figures(case.facts), Span(_EVALUATE))
    if gone and all(figure.kinds for figure in saved):
        told = (
            f"Nothing in {_EVALUATE} has to do with {join(gone, 'or')}: no call, name or file name"
            " speaks of it"
        )
        return remark(told, span) if len(gone) == len(named) else partly(told, span)
    shown = [figure for figure in saved if figure.kinds & named]
    if named <= frozenset().union(*(figure.kinds for figure in shown)):
        return confirmed(f"{_EVALUATE} saves figures on {_lines(shown)}: {_names(shown)}", span)
    return None


_NONE = re.compile(
    r"\b(?:no|not [a-z]+ any|never [a-z]+ any)"
    r" (?:figures?|plots?|charts?|graphs?|visuali[sz]ations?)(?: (?:is|"
    r"are) (?:ever )?\w+ed)?(?: at all)?"
    r"(?: by (?:src/)?evaluate\.py)?[.;]?$"
)
_SOME = re.compile(r"\b(?:some|several|most|many|full set|all|enough|few)\b")
_ASKED = re.compile(
    r"\b(?:required?|demanded|requested|mandatory|mandated|specified|requirements?|prescribed|expected|asked)\b"
)
_NAMING = re.compile(r"\bprefix\w*|\bnam(?:e[sd]?|ing)\b|\bpattern\b|\bconvention")
_NOT_FOLLOWED = re.compile(
    r"\b(?:not|never|violat\w+|without|miss\w*|wrong|incorrect\w*|lack\w*)\b|n't\b"
)
_RUN_ID = re.compile(r"\brun|rid\b|_id\b|\bid\b|\bname\b")


@check("figure_naming")
def figure_naming(case: Case) -> Answer:
    """A figure's name follows the convention where it begins and ends as the contract says."""
    file = case.facts.python.get(_EVALUATE)
    if file is None or not concerns(case, _EVALUATE) or case.claim.hedged:
        return None
    asked = case.facts.contract.outputs
    named = list(_figure_names(file, asked.figure_beginnings))
    if not named:
        return None
    if re.search(r"\bpng\b", case.said) and re.search(
        r"\b(?:save[sd]?|as|instead|not pdf)\b", case.said
    ):
        return _as_png(named)
    said = (
        f"{case.said} not"
        if re.search(r"\b(?:random|uuid|timestamp|hash)", case.said)
        else case.said
    )
    if not _NAMING.search(said) or not _NOT_FOLLOWED.search(said):
        return None
    if not asked.figure_names:
        return None
    wrong = [found for id in ("EV24", "EV23") for found in case.found if found.rule == id]
    if wrong:
        return confirmed(wrong[0].message, wrong[0].span)
    passing = next((finding for finding in case.found if finding.rule == "EV25"), None)
    if passing is not None:
        changes = re.search(
            r"\brandom|\buuid|\btimestamp|\bhash|\bchang|\bunpredictable", case.said
        )
        return (
            confirmed(passing.message, passing.span)
            if changes
            else partly(passing.message, passing.span)
        )
    if not all(follows for _, _, follows in named) or topics()["pair-suffix"].said.search(
        case.said
    ):
        return None
    lines = [line for line, _, _ in named]
    shown = join([code(name.replace("{}", "{…}")) for _, name, _ in named], most=4)
    places = (
        f"line {lines[0]}" if len(lines) == 1 else f"lines {join([str(line) for line in lines])}"
    )
    return remark(
        f"Every figure of {_EVALUATE} follows the pattern: {shown} on {places}",
        Span(_EVALUATE, min(lines), max(lines)),
    )


def _figure_names(file: PythonFile, begins: tuple[str, ...]) -> Iterator[tuple[int, str, bool]]:
    """Line and name of every figure, and whether it certainly begins as the contract says."""
    templates = {node.lineno: node for node in file.nodes if isinstance(node, ast.JoinedStr)}
    for literal in file.strings:
        name = literal.value.rpartition("/")[2]
        if literal.is_docstring or not _PICTURE.search(name) or name.startswith("."):
            continue
        first = (
            _first_value(templates[literal.line], name)
            if literal.is_template and literal.line in templates
            else ""
        )
        of_run = name.startswith("{}_") and _RUN_ID.search(first) is not None
        yield literal.line, name, of_run or name.startswith(begins)


def _first_value(node: ast.JoinedStr, name: str) -> str:
    """The expression behind the first value of a file name within a template."""
    values = [part for part in node.values if isinstance(part, ast.FormattedValue)]
    index = len(values) - name.count("{}")
    return ast.unparse(values[index].value) if 0 <= index < len(values) else ""


def _as_png(named: Sequence[tuple[int, str, bool]]) -> Answer:
    endings = [(line, name, name.casefold().rpartition(".")[2]) for line, name, _ in named]
    for line, name, ending in endings:
        if ending == "png":
            return confirmed(
                f"{_EVALUATE}:{line} saves {code(name.replace('{}', '{…}'))}", Span(_EVALUATE, line)
            )
    if any(ending != "pdf" for _, _, ending in endings):
        return None
    line, name, _ = named[0]
    return remark(
        f"{_EVALUATE} saves only PDF files, such as {code(name.replace('{}', '{…}'))} on line"
        f" {line}",
        Span(_EVALUATE, line),
    )
