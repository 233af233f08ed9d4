"""Claims about data sets, labels and lists of tasks: what preprocessing keeps, masks, copies and
counts.
"""

import ast
import re
from collections.abc import Iterator

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, remark
from reviewers.facts.python_file import Function, PythonFile
from reviewers.records import Span

_DEFAULT = "src/preprocess.py"
_UNMASKED = re.compile(
    r"\bloss\b[^.;]*\b(?:over|on|for|includ\w+|of)\b[^.;]*\bpad(?:ding|ded)?\b|"
    r"\bwithout (?:replacing|masking|ignoring|converting|setting)\b[^.;]*\bpad|"
    r"\bpad(?:ding|ded)?\b[^.;]*\b(?:not|never|n['’]t)\b[^.;]*\b(?:masked|replaced|ignored|set"
    r" to|excluded|converted)\b|"
    r"\b(?:not|never|n['’]t)\b[^.;]*\b(?:mask|replac|ignor|exclud)\w*\b[^.;]*\bpad"
)
_FILLS = frozenset(["DataCollatorForLanguageModeling", "DataCollatorForTokenClassification"])
_SETS_FILLING = re.compile(
    r"\]\s*=\s*-100\b|-100\s+if\b|\belse\s+-100\b|\[\s*-100\s*\]|(?:masked_fill_?|where|full|full_like)\([^)]*-100|"
    r"ignore_index\s*=\s*(?!-100)"
)


@check("unmasked_labels")
def unmasked_labels(case: Case) -> Answer:
    """Padding counts in the loss where labels are taken from padded ids and -100 stands nowhere in
    the code.
    """
    if (
        case.claim.hedged
        or not _UNMASKED.search(case.said)
        or not re.search(r"\blabels?\b|\bloss\b|[-–−]100|\btargets?\b", case.said)
    ):
        return None
    files = case.python(_DEFAULT)
    texts = [file.text for file in case.facts.python.values()]
    masked = any(
        _SETS_FILLING.search(text) or any(name in text for name in _FILLS) for text in texts
    )
    if masked or any(file.tree is None for file in case.facts.python.values()):
        return None
    for path, file, function in _functions(case, files):
        padded = [call for call in _calls(function) if _pads(call)]
        for value, line in _labels(function):
            source = _source(function, value)
            if source in padded and file is not None:
                return confirmed(
                    f"{path}:{line} takes {code(ast.unparse(value))} of a text padded on line"
                    f" {source.lineno} as labels, and no code puts -100 in the place of the"
                    " padding",
                    Span(path, line),
                )
    return None


_COPY = re.compile(
    r"\blabels?\b[^.;]*\b(?:cop(?:y|ies|ied)|equal(?:s| to)?|identical|same as)\b[^.;]*"
    r"\b(?P<of>prompts?|inputs?|input_ids|questions?)\b"
)


@check("copied_labels")
def copied_labels(case: Case) -> Answer:
    """Labels are a copy of the prompt where they are the ids of a call that tokenises just that."""
    match = _COPY.search(case.said)
    if match is None or case.claim.hedged or case.denies:
        return None
    wanted = match["of"].rstrip("s").removesuffix("_id")
    for path, _, function in _functions(case, case.python(_DEFAULT)):
        for value, line in _labels(function):
            source = _source(function, value)
            if source is None or not source.args:
                continue
            text = source.args[0]
            if wanted == "input" or (
                isinstance(text, ast.Name | ast.Subscript)
                and wanted in ast.unparse(text).casefold()
            ):
                shown = (
                    f"{code(ast.unparse(value))}, made of {code(ast.unparse(text))} on line"
                    f" {source.lineno}"
                )
                return confirmed(
                    f"the labels on line {line} of {path} are {shown}", Span(path, line)
                )
    return None


def _functions(
    case: Case, files: list[tuple[str, PythonFile]]
) -> Iterator[tuple[str, PythonFile, Function]]:
    """The functions that a claim names, else all of its files."""
    names = [name.rpartition(".")[2] for name in case.claim.names]
    named = [case.search.definition(name, [path for path, _ in files] or None) for name in names]
    found = [(each[0], case.facts.python[each[0]], each[1].node) for each in named if each]
    chosen = [
        (path, file, node) for path, file, node in found if not isinstance(node, ast.ClassDef)
    ]
    yield from chosen or (
        (path, file, node) for path, file in files for node in file.functions.values()
    )


def _calls(function: Function) -> Iterator[ast.Call]:
    yield from (node for node in ast.walk(function) if isinstance(node, ast.Call))


def _pads(call: ast.Call) -> bool:
    given = next((keyword.value for keyword in call.keywords if keyword.arg == "padding"), None)
    return isinstance(given, ast.Constant) and given.value in ("max_length", True, "longest")


def _labels(function: Function) -> Iterator[tuple[ast.expr, int]]:
    """What a function gives as `labels`: `x["labels"] = value`, `{"labels": value}` or `labels =
    value`.
    """
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                key = target.slice if isinstance(target, ast.Subscript) else None
                if isinstance(key, ast.Constant) and key.value == "labels":
                    yield node.value, node.lineno
        elif isinstance(node, ast.Dict):
            for name, value in zip(node.keys, node.values, strict=True):
                if isinstance(name, ast.Constant) and name.value == "labels":
                    yield value, value.lineno


def _source(function: Function, value: ast.expr, depth: int = 0) -> ast.Call | None:
    """The tokenizer's call whose ids a value is, a copy of them included."""
    if depth > 8:
        return None
    match value:
        case ast.Call(func=ast.Attribute(value=owner, attr="copy" | "clone"), args=[]):
            return _source(function, owner, depth + 1)
        case ast.Call(func=ast.Name(id="list"), args=[inner]):
            return _source(function, inner, depth + 1)
        case (
            ast.Subscript(value=owner, slice=ast.Constant(value="input_ids"))
            | ast.Attribute(value=owner, attr="input_ids")
        ):
            return _source(function, owner, depth + 1)
        case ast.Name(id=name):
            given = [
                node.value
                for node in ast.walk(function)
                if isinstance(node, ast.Assign)
                and any(isinstance(each, ast.Name) and each.id == name for each in node.targets)
            ]
            return _source(function, given[0], depth + 1) if len(given) == 1 else None
        case ast.Call(func=ast.Name(id=name)) if "tokeni" in name:
            return value
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name) | ast.Attribute(attr=name))) if (
            "tokeni" in name
        ):
            return value
    return None


_WORDS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_COUNT = re.compile(
    rf"\b(?:only|just|merely)\b[^.;,]{{0,25}}?\b(?P<number>\d{{1,3}}|{'|'.join(_WORDS)}) (?:\w+"
    r" ){0,2}?"
    r"(?P<thing>[a-z][a-z-]{2,})s?\b|"
    r"\b(?:defines|hard-?codes|lists|contains|registers) (?:only |just )?"
    rf"(?P<other>\d{{1,3}}|{'|'.join(_WORDS)}) (?:\w+ ){{0,2}}?"
    r"(?P<noun>[a-z][a-z-]{2,})s?\b"
)


_HOLDS = re.compile(
    r"\b(?:defin|hard-?cod|list|contain|regist|support|includ|implement|cover|consist)\w*|\b(?:has|have|there"
    r" are)\b"
)


@check("counted")
def counted(case: Case) -> Answer:
    """ "Only 5 tasks are defined": true where the one list that is called so has as many entries,
    false where it has others.
    """
    match = _COUNT.search(case.said)
    if (
        match is None
        or not _HOLDS.search(case.said)
        or case.claim.hedged
        or re.search(r"\b(?:not|never|no)\b", case.said[: match.end()])
    ):
        return None
    if any(path.endswith((".yaml", ".yml", ".toml")) for path in case.claim.files) or re.search(
        r"\bfiles?\b", case.said
    ):
        return None
    words = re.split(r"\W+", match.group() + " ".join(case.said[match.end() :].split(" ")[:3]))
    said = match["number"] or match["other"]
    number = int(said) if said.isdigit() else _WORDS[said]
    lists = []
    for path, file in case.python() or case.facts.python.items():
        for node in file.nodes:
            target = (
                node.targets[0]
                if isinstance(node, ast.Assign)
                else node.target
                if isinstance(node, ast.AnnAssign)
                else None
            )
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            if not isinstance(target, ast.Name) or file.scope_at(target.lineno):
                continue
            size = _size(value)
            if (
                size is not None
                and size > 1
                and any(_same(part, words) for part in target.id.casefold().split("_"))
            ):
                lists.append((path, target, size))
    if len(lists) != 1:
        return None
    path, target, size = lists[0]
    span = Span(path, target.lineno)
    if size == number:
        return confirmed(
            f"{code(target.id)} on line {target.lineno} of {path} has {size} entries", span
        )
    where = [each for each in (*case.claim.own.files, *case.claim.own.hinted) if each == path]
    far = where and size >= 2 * number  # who miscounts by one is still right that there are few
    return (
        remark(f"{code(target.id)} on line {target.lineno} of {path} has {size} entries", span)
        if far
        else None
    )


def _size(value: ast.expr | None) -> int | None:
    """How many entries a written list or dictionary has."""
    match value:
        case ast.List(elts=entries) | ast.Tuple(elts=entries) | ast.Set(elts=entries):
            return (
                None if any(isinstance(entry, ast.Starred) for entry in entries) else len(entries)
            )
        case ast.Dict(keys=keys):
            return None if None in keys else len(keys)
    return None


def _same(part: str, words: list[str]) -> bool:
    single = part.removesuffix("s")
    return len(single) > 2 and any(word.removesuffix("s") == single for word in words)


_PATH = re.compile(r"(?:[\w.-]+/)*[\w.-]+\.(?:json|jsonl|csv|tsv|txt|pkl|parquet|npz|npy|pt|h5)$")
_NOT_THERE = re.compile(
    r"\bhard-?codes?\b|\bnot"
    r" (?:provided|included|shipped|present|there|bundled|supplied|available|in the repo\w*)\b|"
    r"\bmissing\b|\bnot exist\b|\bnever (?:created|downloaded|written)\b"
)


@check("absent_data_file")
def absent_data_file(case: Case) -> Answer:
    """A path that the code hard-codes: true where it is written there, and the submission has no
    such file.
    """
    if (
        case.claim.hedged
        or not _NOT_THERE.search(case.said)
        or case.claim.own.errors
        or not re.search(r"hard-?cod", case.said)
    ):
        return None
    for quote in case.claim.own.quotes:
        if not _PATH.fullmatch(quote) or any(
            path.endswith(quote) for path in case.facts.submission.by_path
        ):
            continue
        for path, file in case.python() or case.facts.python.items():
            lines = [
                number
                for number, line in enumerate(file.lines, 1)
                if f'"{quote}"' in line or f"'{quote}'" in line
            ]
            if lines:
                shown = f"{path}:{lines[0]} has {code(quote)} written into it"
                return confirmed(
                    f"{shown}, and the submission brings no such file", Span(path, lines[0])
                )
    return None


_POINTS = re.compile(
    r"\b(?:points? to|maps? to|is mapped to|refers? to|resolves? to|loads?|→|->|uses)\b"
)


@check("entry_points_to")
def entry_points_to(case: Case) -> Answer:
    """ "a points to "b"": true where one entry of a list or dictionary has both, and the claim
    names nothing else.
    """
    if case.claim.hedged or not _POINTS.search(case.said) or case.claim.own.errors:
        return None
    quotes = [
        quote
        for quote in (*case.claim.own.quotes, *case.claim.own.names)
        if re.fullmatch(r"[\w./-]{2,60}", quote)
    ]
    wanted = list(dict.fromkeys(quotes))
    if len(wanted) != 2 or not re.search(
        r"\b(?:registry|list|entry|entries|table|mapping|typos?|wrong|data-?sets?|tasks?)\b",
        case.said,
    ):
        return None
    for path, file in case.python() or case.facts.python.items():
        for node in file.nodes:
            if isinstance(node, ast.Dict) and len(node.values) < 40:
                texts = {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)}
                inner = any(
                    isinstance(each, ast.Dict) and each is not node for each in ast.walk(node)
                )
                if not inner and set(wanted) <= texts:
                    return confirmed(
                        f"the entry on line {node.lineno} of {path} has both {code(wanted[0])} and"
                        f" {code(wanted[1])}",
                        Span(path, node.lineno),
                    )
    return None


_DROPS = re.compile(
    r"\b(?:drop|delet|remov|los|discard|strip)\w*\b[^.;]*\b(?P<first>labels?|target|columns?)\b|\b(?:labels?|target|columns?)\b[^.;]*"
    r"\b(?:is|are|gets?) (?:\w+ )?(?:dropped|deleted|removed|lost|discarded)\b"
)
_LABEL = re.compile(
    r"(?:\b(?=labels?\b|target\b)|(?<=[`'‘’\"“”]))(\w+)[`'‘’\"“”]?(?= columns?\b| (?:is|are|gets?)"
    r" )|\bcolumns? [`'‘’\"“”](\w+)"
)


@check("dropped_column")
def dropped_column(case: Case) -> Answer:
    """A column is lost where all columns are removed by map, and what the mapped function gives has
    none of that name.
    """
    match = _LABEL.search(case.said)
    if (
        case.claim.hedged
        or case.denies
        or not match
        or not _DROPS.search(case.said)
        or case.claim.own.errors
    ):
        return None
    column = match[1] or match[2]
    texts = (literal.value for file in case.facts.python.values() for literal in file.strings)
    if not column.startswith("label") and column not in texts:
        return None
    for path, file in case.python(_DEFAULT):
        for call in file.calls:
            given = {keyword.arg: keyword.value for keyword in call.node.keywords}
            removed = given.get("remove_columns")
            if (
                getattr(call.node.func, "attr", "") != "map"
                or removed is None
                or not call.node.args
            ):
                continue
            if not ast.unparse(removed).endswith(".column_names"):
                continue
            mapped = call.node.args[0]
            functions = [
                each
                for name, each in file.functions.items()
                if name.rpartition(".")[2] == ast.unparse(mapped)
            ]
            if len(functions) != 1 or not _gives_new(functions[0]):
                continue
            inside = (
                node.value for node in ast.walk(functions[0]) if isinstance(node, ast.Constant)
            )
            if any(isinstance(text, str) and column in text for text in inside):
                continue
            if "renam" in case.said and not any(
                getattr(each.node.func, "attr", "") == "rename_column" for each in file.calls
            ):
                continue
            return confirmed(
                f"{path}:{call.line} removes every column, and {functions[0].name} on line"
                f" {functions[0].lineno} gives no {code(column)}",
                Span(
                    path,
                    functions[0].lineno,
                    call.node.end_lineno if call.line >= functions[0].lineno else None,
                ),
            )
    return None


def _gives_new(function: Function) -> bool:
    """Whether a function returns what a tokenizer gives, or a dictionary written out, and nothing
    of its input as a whole.
    """
    values = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    values = [
        _source(function, value) if isinstance(value, ast.Name) else value for value in values
    ]
    return bool(values) and all(
        (isinstance(value, ast.Call) and "tokeni" in ast.unparse(value.func))
        or (isinstance(value, ast.Dict) and None not in value.keys)
        for value in values
    )


_ONE_COLUMN = re.compile(r"\bonly\b[^.;]*\b(?:columns?|field|key)\b")


@check("only_column")
def only_column(case: Case) -> Answer:
    """ "Only data sets with a "review" column": true where the functions over the records read that
    column and no other text.
    """
    quoted = [quote for quote in case.claim.own.quotes if re.fullmatch(r"[a-z_]\w*", quote)]
    if (
        case.claim.hedged
        or case.denies
        or not _ONE_COLUMN.search(case.said)
        or len(quoted) != 1
        or case.claim.own.errors
    ):
        return None
    for path, file in case.python(_DEFAULT):
        for function in file.functions.values():
            given = {each.arg for each in function.args.args}
            read = [
                (node.slice.value, node.lineno)
                for node in ast.walk(function)
                if isinstance(node, ast.Subscript)
                and isinstance(node.value, ast.Name)
                and node.value.id in given
                and isinstance(node.slice, ast.Constant)
                and isinstance(node.ctx, ast.Load)
            ]
            if read and {column for column, _ in read} == {quoted[0]}:
                return confirmed(
                    f"{function.name} reads {code(quoted[0])} of each record, on line {read[0][1]}"
                    f" of {path}, and nothing else",
                    Span(path, read[0][1]),
                )
    return None
