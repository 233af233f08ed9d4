"""Repairs of data sets, of what is read from their rows, and of how batches are made."""

import ast
from collections.abc import Iterator
from typing import TypeVar

from reviewers.facts import Facts
from reviewers.facts.hub_datasets import HubDataset, find_dataset, name_instead
from reviewers.facts.python_file import Call
from reviewers.facts.python_nodes import walk
from reviewers.offers import Edit
from reviewers.records import Finding, Span
from reviewers.repairs.access import places
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import CannotEdit, PythonEdits
from reviewers.repairs.families.columns import refused_names
from reviewers.repairs.known_keys import sections
from reviewers.repairs.literals import in_code, in_runs
from reviewers.repairs.meant_keys import are_same

_Node = TypeVar("_Node", bound=ast.AST)
_LOAD = "datasets.load_dataset"
_LABELS = frozenset({"label", "labels", "idx"})


@repairs("DA04")
def configuration_name(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The configuration of the data set: the one that the run files have beside its name, or one
    spelled otherwise; else a question with those that it has.
    """
    calls = list(_calls(facts, finding, _LOAD))
    wrong, name = refused_names(facts, finding)[:2] or ("", "")
    data = find_dataset(name)
    if data is None:
        return
    if not wrong and any(len({name for name, _ in _passed(facts, call)}) > 1 for _, call in calls):
        return  # a call that loads one data set after another
    there = [_in_run_files(facts, code, call, data) for code, call in calls]
    if not wrong and there and all(there):
        told = f"Load the configuration of {data.id} that the run files name"
        edits = [_second(*each, key) for each, key in zip(calls, there, strict=True)]
        yield Proposal(told, tuple(edits))
        return
    choices = _choices(data)
    same = [each for each in choices if wrong and are_same(each, wrong)]
    asks = "" if len(same) == 1 else f"Which configuration of {data.id} is meant?"
    for choice in same if len(same) == 1 else choices:
        if not wrong:
            edits = [_second(code, call, f'"{choice}"') for code, call in calls]
        else:
            edits = [*in_code(facts, wrong, choice), *in_runs(facts, wrong, choice)]
        yield Proposal(
            f"Load the configuration {choice} of {data.id}",
            tuple(edits),
            asks=asks,
            choice=choice if asks else "",
        )


def _in_run_files(facts: Facts, code: PythonEdits, call: Call, data: HubDataset) -> str:
    """The key beside that of the data set's name under which every run file has a configuration of
    it, as the code reads it; empty if there is none, or several.
    """
    name = call.node.args[0] if call.node.args else call.keyword("path")
    name = code.file.only_value(name) or name
    if not isinstance(name, ast.Attribute):
        return ""
    section = code.text_of(name.value)
    keys = [
        {key for key, value in each.items() if value in data.configs}
        for each in sections(facts, section)
    ]
    found = set.intersection(*keys) if len(keys) == len(facts.runs) and keys else set()
    return f"{section}.{found.pop()}" if len(found) == 1 else ""


@repairs("DA06")
def rows_as_parquet(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The Hub's own conversion of the data set, which needs no script."""
    calls = list(_calls(facts, finding, _LOAD))
    # One call that loads one data set after another would ask for all of them.
    if any(len({name for name, _ in _passed(facts, call)}) > 1 for _, call in calls):
        return
    edits = [
        code.keyword(call.node, "revision", '"refs/convert/parquet"')
        for code, call in calls
        if call.keyword("revision") is None and not _is_starred(call)
    ]
    if edits:
        yield Proposal(
            "Load the Parquet files that the Hub made of the data set",
            tuple(edits),
            "the rows are the same; a copy of it or datasets<4 would do as well",
        )


@repairs("DA07")
def data_set_instead(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The data set that is mostly meant by a name; a question unless it has the name itself."""
    calls = list(_calls(facts, finding, _LOAD))
    names = dict.fromkeys(name for _, call in calls for name, _ in _passed(facts, call))
    if not any(map(name_instead, names)):
        names = dict.fromkeys(each.value for code, _ in calls for each in code.file.strings)
    for name in names:
        if (meant := name_instead(name)) is None:
            continue
        # The word may be a label elsewhere: one place of the code at a time, and the proof tells;
        # an item of a list or an argument rather than the value of a key, such as "name".
        found = sorted(in_code(facts, name, meant), key=lambda each: _is_of_key(facts, each))
        ways = [(each,) for each in found]
        for edits in (*ways, tuple(in_runs(facts, name, meant))):
            if edits:
                is_same = are_same(name, meant.rpartition("/")[2])
                asks = "" if is_same else f"Which data set on the Hub is meant by {name}?"
                yield Proposal(f"Load {meant}", edits, asks=asks, choice=meant * bool(asks))


@repairs("DA08")
def column_that_is_there(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The column by the name that a collator gives it, or where translations keep it."""
    done: list[ast.stmt] = []
    there = refused_names(facts, finding)
    for code, node in _at(facts, finding, ast.Subscript):
        match node.slice:
            case ast.Constant(value="label" | "labels" as name):
                other = "labels" if name == "label" else "label"
                yield Proposal(f"Read the column {other}", (code.put(node.slice, f'"{other}"'),))
            case ast.Name() if isinstance(node.value, ast.Name) and "translation" in there:
                start = _start_of(code, node)
                if start is not None and start not in done:
                    done.append(start)
                    row = node.value.id
                    edit = code.before(start, f'{row} = {row}["translation"]')
                    yield Proposal("Read the languages within the column translation", (edit,))
    formats = [
        code.keyword(call.node, "output_all_columns", "True")
        for code in _codes(facts)
        for call in code.file.calls_of(".set_format", ".with_format")
        if call.keyword("columns") is not None or len(call.node.args) > 1
    ]
    if formats:
        yield Proposal("Keep the columns that are not tensors", tuple(formats))


@repairs("DA10")
def texts_taken_away(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The text columns among those that are removed after encoding."""
    edits: dict[Edit, None] = {}
    for code in _codes(facts):
        for call in code.file.calls_of(".map"):
            removed = call.keyword("remove_columns")
            columns = code.file.only_value(removed) or removed
            match columns:
                case ast.ListComp(generators=[ast.comprehension(ifs=[ast.Compare() as test])]):
                    edits.update(dict.fromkeys(_without_texts(code, columns, test)))
                case None if names := _texts_of(code, call):
                    listed = ", ".join(f'"{each}"' for each in names)
                    edits[code.keyword(call.node, "remove_columns", f"[{listed}]")] = None
    if edits:
        yield Proposal("Remove the text columns once they are encoded", tuple(edits))


def _without_texts(code: PythonEdits, columns: ast.ListComp, test: ast.Compare) -> Iterator[Edit]:
    """A filter of columns that keeps labels alone, for one that keeps texts as well."""
    match test:
        case ast.Compare(ops=[ast.NotIn()], comparators=[ast.Set(elts=kept) | ast.List(elts=kept)]):
            labels = [each for each in kept if getattr(each, "value", None) in _LABELS]
            if labels and len(labels) < len(kept):
                texts = ", ".join(code.text_of(each) for each in labels)
                brackets = "{}" if isinstance(test.comparators[0], ast.Set) else "[]"
                yield code.put(test.comparators[0], f"{brackets[0]}{texts}{brackets[1]}")
        case ast.Compare(ops=[ast.NotEq()], comparators=[ast.Constant(value=str(name))]):
            if name not in _LABELS:
                yield code.put(columns, code.text_of(columns.generators[0].iter))


def _texts_of(code: PythonEdits, call: Call) -> list[str]:
    """The columns that the mapped function hands to a tokenizer."""
    given = call.node.args[0] if call.node.args else None
    function = code.file.functions.get(given.id) if isinstance(given, ast.Name) else given
    found: dict[str, None] = {}
    for node in walk(function) if function is not None else ():
        if isinstance(node, ast.Call) and "tok" in ast.unparse(node.func).lower() and node.args:
            for part in walk(node.args[0]):
                match part:
                    case ast.Subscript(slice=ast.Constant(value=str(name))):
                        found[name] = None
    return list(found)


@repairs("DA11")
def padding_token(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The end token for padding, where the tokenizer is made."""
    for code in _codes(facts, finding):
        for call in code.file.calls_of(".from_pretrained"):
            statement = code.file.parents.get(call.node)
            if not (call.name or "").endswith(
                ("Tokenizer.from_pretrained", "TokenizerFast.from_pretrained")
            ):
                continue
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                name = code.text_of(statement.targets[0])
                lines = f"if {name}.pad_token is None:", f"    {name}.pad_token = {name}.eos_token"
                yield Proposal("Pad with the end-of-text token", (code.after(statement, *lines),))


@repairs("DA14")
def filling_taken_out(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The padding token in place of -100, before labels are decoded."""
    for code, call in _calls(facts, finding, ".batch_decode"):
        match call.node:
            case ast.Call(func=ast.Attribute(value=owner), args=[labels, *_]):
                shown = code.text_of(labels)
                tokenizer = code.text_of(owner)
                filled = f"{shown}.masked_fill({shown} == -100, {tokenizer}.pad_token_id)"
                if shown.endswith((".numpy()", ".tolist()")):
                    before, _, after = shown.rpartition(".")
                    filled = (
                        f"{before}.masked_fill({before} == -100, {tokenizer}.pad_token_id).{after}"
                    )
                yield Proposal(
                    "Put the padding token in place of -100 before decoding",
                    (code.put(labels, filled),),
                )


@repairs("DA18")
def labels_padded(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """A collator that pads labels, or no labels where the collator makes them itself."""
    copies = [
        code.without(statement)
        for code in _codes(facts)
        for statement in code.file.of(ast.Assign)
        if _copies_ids(statement)
    ]
    language = "transformers.DataCollatorForLanguageModeling"
    files = list(facts.python.values())
    if copies and any(language in file.aliases.values() for file in files):
        yield Proposal(
            "Leave the labels to the collator, which makes the same of the input ids",
            tuple(copies),
        )
    edits: list[Edit] = []
    for code in _codes(facts):
        for call in code.file.calls:
            name = (call.name or "").rpartition(".")[2]
            if name in ("DefaultDataCollator", "DataCollatorWithPadding"):
                edits += _seq2seq(code, call, name)
    if edits:
        yield Proposal(
            "Collate with DataCollatorForSeq2Seq, which pads the labels too", tuple(edits)
        )


def _seq2seq(code: PythonEdits, call: Call, name: str) -> Iterator[Edit]:
    alias = next(
        alias
        for statement in code.file.of(ast.ImportFrom)
        for alias in statement.names
        if alias.name == name
    )
    if isinstance(call.node.func, ast.Name) and alias.asname is None:
        yield code.put(alias, "DataCollatorForSeq2Seq")
        yield code.put(call.node.func, "DataCollatorForSeq2Seq")
    else:
        raise CannotEdit(f"{name} is imported in another way")
    if name == "DefaultDataCollator":
        tokenizer = _tokenizer_near(code, call)
        inside = code.arguments_of(call.node).strip()
        start = code.span(call.node.func)[1]
        text = f"({tokenizer}, {inside})" if inside else f"({tokenizer})"
        yield Edit(code.path, start, code.span(call.node)[1], text)


def _tokenizer_near(code: PythonEdits, call: Call) -> str:
    """A tokenizer that the function around a call can see."""
    function = code.file.functions.get(call.scope)
    if function is not None:
        for each in function.args.args:
            if each.arg.endswith("tokenizer") or each.arg == "tok":
                return each.arg
        owner = call.scope.rpartition(".")[0]
        if owner in code.file.classes:
            for kept in code.file.of(ast.Attribute):
                is_own = isinstance(kept.value, ast.Name) and kept.value.id == "self"
                if is_own and kept.attr.endswith("tokenizer") and isinstance(kept.ctx, ast.Store):
                    return f"self.{kept.attr}"
        for node in walk(function):
            if isinstance(node, ast.Name) and node.id.endswith("tokenizer"):
                return node.id
    raise CannotEdit("no tokenizer is in sight")


def _copies_ids(statement: ast.Assign) -> bool:
    """Whether a statement makes the labels of a row the same as its input ids."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value="labels"))], value=value):
            copied = ast.unparse(value)
            copied = copied.removeprefix("list(").removesuffix(")").removesuffix(".copy(")
            return copied.endswith("['input_ids']") and copied.count("[") == 1
    return False


@repairs("DA19")
def labels_of_their_own(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """A copy of each row, so that masking the labels leaves the input as it is."""
    for code, _ in _at(facts, finding, ast.AST):
        edits: list[Edit] = []
        scope = code.file.scope_at(finding.span.line or 0) if finding.span else ""
        for statement in code.file.of(ast.Assign):
            if code.file.scope_at(statement.lineno) != scope:
                continue
            match statement.value:
                case (
                    ast.Call(func=ast.Attribute(attr="copy", value=ast.Subscript() as ids), args=[])
                    | ast.Call(func=ast.Name(id="list"), args=[ast.Subscript() as ids])
                    | (ast.Subscript() as ids)
                ) if getattr(ids.slice, "value", None) == "input_ids":
                    text = f"[list(ids) for ids in {code.text_of(ids)}]"
                    is_label = "label" in code.text_of(statement.targets[0])
                    edits += [code.put(statement.value, text)] if is_label else []
        if edits:
            yield Proposal("Copy each row of the labels", tuple(edits))
        return


def _calls(facts: Facts, finding: Finding, name: str) -> Iterator[tuple[PythonEdits, Call]]:
    """The calls at a finding's places."""
    for path in dict.fromkeys(span.file for span in places(finding)):
        if path in facts.python:
            code = PythonEdits(facts, path)
            lines = [span for span in places(finding) if span.file == path]
            for call in code.file.calls_of(name):
                if any(span.is_near(Span(path, call.line)) for span in lines):
                    yield code, call


def _passed(facts: Facts, call: Call) -> Iterator[tuple[str, str | None]]:
    """The data sets that a call loads in the runs, with their configurations."""
    for _, passed in facts.hydra.passed.get(call.node, ()):
        name, config = passed.argument("path", 0), passed.argument("name", 1)
        if isinstance(name, str):
            yield name, config if isinstance(config, str) else None


def _choices(data: HubDataset) -> list[str]:
    first = [data.example] if data.example else []
    return list(dict.fromkeys([*first, *data.configs]))


def _second(code: PythonEdits, call: Call, config: str) -> Edit:
    """A configuration as the second argument of load_dataset."""
    given = call.node.args
    if call.keyword("name") or len(given) > 1 or _is_starred(call):
        raise CannotEdit("the call has another form")
    return (
        code.argument_behind(given[0], config) if given else code.keyword(call.node, "name", config)
    )


def _is_of_key(facts: Facts, edit: Edit) -> bool:
    return (facts.text(edit.path) or "")[: edit.start].rstrip().endswith(":")


def _is_starred(call: Call) -> bool:
    return any(isinstance(each, ast.Starred) for each in call.node.args)


def _at(facts: Facts, finding: Finding, kind: type[_Node]) -> Iterator[tuple[PythonEdits, _Node]]:
    """The nodes of a kind on a finding's first line."""
    span = finding.span
    if span is None or span.file not in facts.python:
        return
    code = PythonEdits(facts, span.file)
    for node in code.file.of(kind):
        if getattr(node, "lineno", 0) == span.line:
            yield code, node


def _start_of(code: PythonEdits, node: ast.Subscript) -> ast.stmt | None:
    """The first statement of the function around a read, if it reads the row by names alone."""
    function = code.file.functions.get(code.file.scope_at(node.lineno))
    row = ast.unparse(node.value)
    if function is None or row not in {each.arg for each in function.args.args}:
        return None
    for each in walk(function):
        is_read = isinstance(each, ast.Subscript) and ast.unparse(each.value) == row
        if is_read and not isinstance(getattr(each, "slice", None), ast.Name):
            return None
    first = function.body[0]
    is_told = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return function.body[1] if is_told and len(function.body) > 1 else first


def _codes(facts: Facts, finding: Finding | None = None) -> Iterator[PythonEdits]:
    """The submission's files, that of a finding first."""
    first = finding.span.file if finding and finding.span else ""
    for path in sorted(facts.python, key=lambda each: (each != first, each)):
        if not path.rpartition("/")[2].startswith("test_"):
            yield PythonEdits(facts, path)
