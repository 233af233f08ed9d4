"""Plain statements that code never does something: true where nothing that could do it stands in
the place that would have to.
"""

import ast
import re
from collections.abc import Iterator

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, remark
from reviewers.claims.checks.relations import definition, places, read_statements, scopes_of
from reviewers.claims.code_match import Place, defaults_of, values_given
from reviewers.claims.statements import Form, Item, Statement, known
from reviewers.facts.python_file import Function, PythonFile
from reviewers.records import Span

_IDENTIFIER = re.compile(r"(?:self\.|cfg\.|config\.)?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:\(\))?")
_NOTHING = frozenset(
    [
        "anything",
        "ever",
        "any",
        "at",
        "all",
        "actually",
        "itself",
        "anywhere",
        "single",
        "manually",
        "prior",
        "yet",
    ]
)
_STORING = frozenset(["sets", "calls", "uses", "returns", "passes"])
_READS_FILE = re.compile(r"\b(?:hydra|yaml|safe_load|OmegaConf|initialize_config_dir|compose)\b")


@check("absence")
def absence(case: Case) -> Answer:
    """ "F never calls x", "D does not use y": true where the name occurs nowhere there."""
    read = read_statements(case)
    if case.claim.hedged or not read or len(read) != 1 or not read[0].denied:
        return None
    statement = read[0]
    passive = statement.form is not Form.ACTIVE
    scopes = scopes_of(case, statement)
    if len(scopes) != 1 or scopes[0].file.tree is None:
        return None
    place = scopes[0]
    done = [item for item in statement.subject if item.kind != "file"] if passive else []
    things = done + [
        item for item in statement.objects if not places(case, [item]) or item.kind != "file"
    ]
    things = [
        item
        for item in things
        if not (place.name and definition(case, item.text) and place.name in item.text)
    ]
    hinted = {"training", "evaluation", "preprocessing"} if case.claim.own.hinted else set()
    extra = (
        {*_plain(statement)}
        - hinted
        - known().filler
        - known().auxiliaries
        - known().denials
        - _NOTHING
    )
    if not things:
        return _thing(case, place, statement, extra)
    if len(things) != 1 or extra or not _IDENTIFIER.fullmatch(things[0].text):
        return None
    return _named(case, place, things[0], statement)


_ROOTS = frozenset(["cfg", "config", "self", "args", "conf"])


@check("not_there")
def not_there(case: Case) -> Answer:
    """ "main.py sets cfg.a.b" is false where nothing in main.py has that name, in a string or
    otherwise.
    """
    read = read_statements(case)
    if case.claim.hedged or not read or len(read) != 1 or read[0].denied or case.denies:
        return None
    statement = read[0]
    passive = statement.form is not Form.ACTIVE
    named = [
        item
        for item in (statement.objects if passive else statement.subject)
        if item.kind == "file"
    ]
    things = [
        item
        for item in (statement.subject if passive else statement.objects)
        if item.kind == "code"
    ]
    if (
        len(named) != 1
        or len(things) != 1
        or named[0].text not in case.facts.python
        or len(statement.subject) != 1
    ):
        return None
    if statement.relation not in ("calls", "uses", "sets", "passes") or not _IDENTIFIER.fullmatch(
        things[0].text
    ):
        return None
    file = case.facts.python[named[0].text]
    parts = things[0].text.removesuffix("()").split(".")
    wanted = parts[1:] if parts[0] in _ROOTS else parts[-1:]
    gone = [
        part
        for part in wanted
        if file.tree is not None
        and len(part) > 2
        and not re.search(rf"(?i){re.escape(part)}", file.text)
    ]
    if not gone or (len(parts) == 1 and not things[0].text.endswith("()")):
        return None
    return remark(f"{code(gone[0])} occurs nowhere in {file.path}", Span(file.path))


def _plain(statement: Statement) -> Iterator[str]:
    yield from (word for word in statement.words if not word.endswith("n't"))


def _named(case: Case, place: Place, item: Item, statement: Statement) -> Answer:
    name = item.text.removesuffix("()").removeprefix("self.")
    lines = place.mentions(name)
    if not lines:
        reach = Place(place.file).mentions(name) if place.name else []
        if reach and place.name:
            return None  # another function of the file has it, and this one may call that
        return confirmed(f"{code(name)} occurs nowhere in the code of {place.shown}", place.span)
    found = [node for node in place.find(item.text) if _does(place, node, statement.relation)]
    if statement.relation == "sets" or "creat" in case.said:
        found = [value for _, value in values_given(place, name)]
    if found and len(name) > 2:
        line = int(getattr(found[0], "lineno", 1))
        return remark(
            f"{place.path}:{line} has {code(place.file.lines[line - 1])}", Span(place.path, line)
        )
    return None


def _does(place: Place, node: ast.AST, relation: str) -> bool:
    parent = place.file.parents.get(node)
    if relation == "calls":
        return isinstance(node, ast.Call) or (isinstance(parent, ast.Call) and parent.func is node)
    if relation == "imports":
        return isinstance(node, ast.alias)
    return (
        relation == "uses"
        and isinstance(getattr(node, "ctx", None), ast.Load)
        and not isinstance(node, ast.Constant)
    )


def _thing(case: Case, place: Place, statement: Statement, extra: set[str]) -> Answer:
    """What plain words name: a legend, a forward hook, the project's configuration file."""
    if (
        "config/config.yaml" in [item.text for item in statement.objects]
        and statement.relation == "uses"
    ):
        if place.name or _READS_FILE.search(place.file.text) or "config.yaml" in place.file.text:
            return None
        return confirmed(
            f"{place.path} names no config.yaml, and uses neither Hydra, OmegaConf nor a YAML"
            " reader",
            place.span,
        )
    for thing in known().things:
        match = thing.said.search(case.said)
        if match is None or extra - set(re.findall(r"[a-z]+", match.group())) or not thing.calls:
            continue
        calls = [node for call in thing.calls for node in place.find(call)]
        if calls:
            line = int(getattr(calls[0], "lineno", 1))
            return remark(
                f"{place.path}:{line} has {code(place.file.lines[line - 1])}",
                Span(place.path, line),
            )
        if not any(thing.needs.search(name) for name in _all_names(place)):
            return confirmed(
                f"no call in {place.shown} makes a {match.group()}, and no name in it speaks"
                " of one",
                place.span,
            )
    return None


def _all_names(place: Place) -> Iterator[str]:
    for node in Place(place.file).nodes():
        match node:
            case (
                ast.Name(id=name)
                | ast.Attribute(attr=name)
                | ast.keyword(arg=str(name))
                | ast.alias(name=name)
            ):
                yield name
            case ast.Constant(value=str(text)):
                yield text


_KIND_OF_NAME = r"(?: (?:argument|parameter|flag|option|setting|variable|value|key))?"
_IGNORED = re.compile(
    r"\bignores? (?:the |its |any )?(?:parameter |argument"
    rf" )?`?(?P<first>[\w.]+)`?{_KIND_OF_NAME}$|"
    rf"`?(?P<second>[\w.]+)`?{_KIND_OF_NAME} (?:is|are) (?:completely |simply |entirely"
    r" |silently )?"
    r"(?P<how>ignored|unused|never (?:used|read|accessed|referenced|consulted))\b"
    r"(?: (?:in|by|inside|within|anywhere in) .{1,60})?$"
)


@check("ignored")
def ignored(case: Case) -> Answer:
    """A parameter is ignored where its function never reads it; a setting where its name stands
    nowhere in the file.
    """
    match = _IGNORED.search(case.said.rstrip(". "))
    if match is None or case.claim.hedged:
        return None
    name = match["first"] or match["second"]
    exact = next(
        (
            each
            for each in (*case.claim.own.names, *case.claim.own.quotes)
            if each.casefold() == name
        ),
        None,
    )
    if exact is None:
        return None
    last = exact.rpartition(".")[2]
    scope = next(
        (
            found
            for each in case.claim.own.names
            if each != exact and (found := definition(case, each))
        ),
        None,
    )
    if scope is None:
        return _ignored_in_file(case, exact, last)
    file = case.facts.python[scope[0]]
    node = scope[1].node
    functions = (
        [node]
        if isinstance(node, Function)
        else [each for each in node.body if isinstance(each, Function)]
    )
    for function in functions:
        given = function.args
        if last not in [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]:
            continue
        reads = [
            each.lineno
            for part in function.body
            for each in ast.walk(part)
            if isinstance(each, ast.Name) and each.id == last
        ]
        span = Span(file.path, function.lineno, function.end_lineno)
        if not reads:
            return confirmed(
                f"{file.path}:{function.lineno} takes {code(last)}, and nothing in {function.name}"
                " uses it",
                span,
            )
        unused = match["how"] and match["how"] != "ignored"
        return (
            remark(f"{file.path}:{reads[0]} uses {code(last)}", Span(file.path, reads[0]))
            if unused
            else None
        )
    return None


def _ignored_in_file(case: Case, exact: str, last: str) -> Answer:
    files = [
        path for path in case.claim.own.files or case.claim.own.hinted if path in case.facts.python
    ]
    if len(files) != 1 or case.facts.python[files[0]].tree is None or len(last) < 4:
        return None
    place = Place(case.facts.python[files[0]])
    lines = place.mentions(last)
    if not lines and not place.find(exact):
        return confirmed(f"{code(last)} occurs nowhere in the code of {files[0]}", Span(files[0]))
    return None


_NEVER_FILLED = re.compile(
    r"`?(?P<name>[\w.]+)`?(?:"
    r" (?:list|dict|dictionary|buffer|attribute|variable|counter|history|parameter))? (?:is|are)"
    r" never "
    r"(?:actually )?(?:populated|filled|updated|appended(?:"
    r" to)?|modified|changed|reset|incremented|re-?assigned|written)$"
)
_FILLING = frozenset(
    ["append", "extend", "add", "update", "insert", "setdefault", "fill_", "copy_", "put"]
)
_CHANGING = _FILLING | {"pop", "clear", "zero_", "remove"}
_READERS = frozenset(
    ["torch", "numpy", "len", "sum", "max", "min", "sorted", "float", "str", "print", "statistics"]
)


_INTERNAL = re.compile(
    r"\b(?:reads?|uses?|averages?|returns?|sums?|aggregates?) (?:from )?an? (?:internal |private"
    r" |own |separate )?"
    r"(?:list|buffer|dict|dictionary) "
    r"(?:that|which) is never (?:actually )?(?:populated|filled|appended(?: to)?|written(?: to)?)$"
)


@check("never_filled")
def never_filled(case: Case) -> Answer:
    """A variable or attribute is never changed where one assignment makes it and nothing else could
    touch it.
    """
    said = case.said.rstrip(". ")
    if case.claim.hedged:
        return None
    if _INTERNAL.search(said):
        return next(
            (answer for name in _own_lists(case) if (answer := _fate(case, name, filling=True))),
            None,
        )
    match = _NEVER_FILLED.search(said)
    exact = match and next(
        (
            each
            for each in (*case.claim.own.names, *case.claim.own.quotes)
            if each.casefold() == match["name"]
        ),
        None,
    )
    if not exact or match is None:
        return None
    filling = re.search(r"never (?:actually )?(?:populated|filled|appended)", said) is not None
    return _fate(case, exact.rpartition(".")[2], filling=filling)


def _own_lists(case: Case) -> Iterator[str]:
    """The one attribute that a named method reads of its object and that a constructor makes an
    empty list or dictionary.
    """
    for name in case.claim.own.names:
        found = definition(case, name)
        if found is None or not isinstance(found[1].node, Function):
            continue
        empty = {
            target.attr
            for node in case.facts.python[found[0]].nodes
            if isinstance(node, ast.Assign | ast.AnnAssign)
            and isinstance(node.value, ast.List | ast.Dict)
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Attribute)
        }
        read = {
            node.attr for node in ast.walk(found[1].node) if isinstance(node, ast.Attribute)
        } & empty
        if len(read) == 1:
            yield read.pop()


def _fate(case: Case, last: str, *, filling: bool) -> Answer:
    """What becomes of a name: changed on some line, changed by nothing, or not known."""
    stores: list[Span] = []
    for path, file in case.facts.python.items():
        if file.tree is None:
            return None
        for node in Place(file).find(last):
            if isinstance(node, ast.Constant | ast.keyword):
                return None
            parent = file.parents.get(node)
            line = int(getattr(node, "lineno", 1))
            if _changes(
                file.parents.get(parent) if parent else None, parent, node, filling=filling
            ):
                return remark(f"{path}:{line} changes {code(last)}", Span(path, line))
            if (
                isinstance(parent, ast.Call)
                and node in parent.args
                and not _only_reads(file, parent)
            ):
                return None
            if isinstance(getattr(node, "ctx", None), ast.Store):
                stores.append(Span(path, line))
    if len(stores) == 1:
        fate = "fills" if filling else "changes"
        return confirmed(
            f"{code(last)} gets its value on {stores[0]}, and nothing {fate} it afterwards",
            stores[0],
        )
    return None


def _only_reads(file: PythonFile, call: ast.Call) -> bool:
    name = file.resolve(call.func) or ""
    return name.partition(".")[0] in _READERS


def _changes(
    around: ast.AST | None, parent: ast.AST | None, node: ast.AST, *, filling: bool
) -> bool:
    if isinstance(parent, ast.AugAssign):
        return parent.target is node
    if isinstance(parent, ast.Attribute) and isinstance(around, ast.Call):
        return around.func is parent and parent.attr in (_FILLING if filling else _CHANGING)
    return isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Store)


_ALWAYS = re.compile(
    rf"`?(?P<name>[A-Za-z_][\w.]*)`?{_KIND_OF_NAME}(?: (?:passed|given|handed) to"
    r" `?[\w.]+(?:\(\))?`?)? "
    r"(?:is|are) (?:always|unconditionally|hard-?coded|fixed|constantly)(?:"
    r" (?:set|equal|fixed|passed))?(?: to| as| at)? "
    r"`?(?P<value>-?\d+(?:\.\d+)?|true|false|none|[\"'][^\"']*[\"'])`?(?: \([^()]*\))?$"
)


@check("always")
def always(case: Case) -> Answer:
    """A name is always the same where every value that the code gives it is that constant."""
    match = _ALWAYS.search(case.said.rstrip(". "))
    if match is None or case.claim.hedged:
        return None
    exact = next(
        (
            each
            for each in (*case.claim.own.names, *case.claim.own.quotes)
            if each.casefold() == match["name"]
        ),
        None,
    )
    if exact is None:
        return None
    files = [path for path in case.claim.own.files if path in case.facts.python] or list(
        case.facts.python
    )
    sites = [Place(case.facts.python[path]) for path in files]
    given = [
        (place.path, *each)
        for place in sites
        for each in (*values_given(place, exact), *defaults_of(place, exact))
    ]
    constant = [
        (path, line, same.value) for path, line, value in given if (same := _constant(value))
    ]
    if not given or len(constant) < len(given) or len({value for _, _, value in constant}) > 1:
        return None
    path, line, value = constant[0]
    if str(value).casefold() != match["value"].strip("\"'"):
        return remark(f"{path}:{line} gives {code(exact)} the value {value!r}", Span(path, line))
    return confirmed(
        f"every value that the code gives {code(exact)} is {value!r}, first on line {line} of"
        f" {path}",
        Span(path, line),
    )


def _constant(value: ast.expr) -> ast.Constant | None:
    """A constant, a negative number included."""
    if (
        isinstance(value, ast.UnaryOp)
        and isinstance(value.op, ast.USub)
        and isinstance(value.operand, ast.Constant)
    ):
        number = value.operand.value
        return ast.Constant(-number) if isinstance(number, int | float) else None
    return value if isinstance(value, ast.Constant) else None


_DIRECTLY = re.compile(
    r"\bcan (?:still |also )?be (?:invoked|run|executed|started|launched|called) (?:directly|on its"
    r" own|standalone)\b"
)


@check("directly")
def directly(case: Case) -> Answer:
    """A script can be started by itself where it calls something under `if __name__ ==
    "__main__"`.
    """
    files = [path for path in case.claim.own.files if path in case.facts.python]
    if not _DIRECTLY.search(case.said) or len(files) != 1:
        return None
    for node in case.facts.python[files[0]].nodes:
        if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
            return confirmed(
                f'{files[0]}:{node.lineno} starts it under `if __name__ == "__main__"`',
                Span(files[0], node.lineno),
            )
    return None


_REUSED = re.compile(
    r"\bre-?us(?:es?|ing)\b.{0,20}\b(?P<what>model|network|dataset|loader|backbone|surrogate)\b.{0,30}\b(?:every|each|all|across|between)\b.{0,12}\btrials?\b"
)


@check("reused")
def reused(case: Case) -> Answer:
    """An objective works on the same object in every trial where it gets it from outside, and
    neither makes nor copies it.
    """
    match = _REUSED.search(case.said)
    if match is None or case.claim.hedged:
        return None
    for name in case.claim.own.names:
        found = definition(case, name)
        if found is None or not isinstance(found[1].node, Function):
            continue
        what = match["what"]
        uses = [
            node
            for node in ast.walk(found[1].node)
            if isinstance(node, ast.Name) and node.id == what
        ]
        copied = any(
            isinstance(node, ast.Call) and "copy" in ast.unparse(node.func)
            for node in ast.walk(found[1].node)
        )
        if uses and not copied and not any(isinstance(node.ctx, ast.Store) for node in uses):
            return confirmed(
                f"{found[1].name} on line {found[1].line} of {found[0]} uses a {what} from outside"
                " and makes none itself",
                Span(found[0], found[1].line, found[1].end_line),
            )
    return None
