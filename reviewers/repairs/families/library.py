"""Repairs of names and calls of libraries."""

import ast
import builtins
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from packaging.specifiers import SpecifierSet

from reviewers.facts import Facts, PythonFile
from reviewers.facts.third_party import standard_names
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.access import places
from reviewers.repairs.base import Proposal, repairs, stated
from reviewers.repairs.edits import CannotEdit, PythonEdits, YamlEdits
from reviewers.repairs.known_keys import sections
from reviewers.repairs.literals import in_runs
from reviewers.repairs.meant import clearly_meant
from reviewers.repairs.renamed import renamed
from reviewers.rules.library_calls import refusals, refused_keyword

_GIVEN = "__given__"
_TEXTS_OF_INIT = ("project", "entity", "name", "id", "group")


@repairs("IM09", "IM22")
def other_library_name(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The name that the library has now, wherever this file asks for the other."""
    name = stated(finding, "library_has", "name") or next(iter(finding.names), None)
    if name is None or finding.span is None or finding.span.file not in facts.python:
        return
    code = PythonEdits(facts, finding.span.file)
    for entry in _entries(facts, name):
        edits = tuple(written_anew(code, name, entry))
        shown = entry["write"].replace("{}", "…")
        lost = entry.get("lost", "") if any(_loses(code, name, entry)) else ""
        yield Proposal(f"Write {shown} for {name}", edits, lost or entry.get("tell", ""))


@repairs("IM10")
def other_keyword(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The keyword that is certainly meant, what now does the same, or none; no value is left out
    that an older release took and that may change a result.
    """
    if finding.span is None or finding.span.file not in facts.python:
        return
    code = PythonEdits(facts, finding.span.file)
    lines = {each.line for each in places(finding)}
    renamings: list[Edit] = []
    without: list[Edit] = []
    told: dict[str, str] = {}
    lost: list[str] = []
    for call in code.file.calls:
        words = {each.arg: each for each in call.node.keywords if each.arg}
        if not lines & {call.line, *(each.lineno for each in words.values())}:
            continue
        for refusal in refusals(facts, code.file, call.node):
            wrong = refused_keyword(refusal.problem)
            written = list(_written(facts, code, call.node, wrong)) if wrong not in told else []
            if not written or (wrong in words and words[wrong].lineno not in lines):
                continue
            full = facts.library_types.outside(code.file, call.node.func) or ""
            if instead := renamed()["instead"].get(full, {}).get(wrong):
                yield from _instead(code, call.node, words.get(wrong), full, instead)
                return
            # Of versions that are not known for certain, what others take; the proof asks again.
            signature = refusal.signature or facts.third_party.signature(full)
            names = {
                each.name
                for each in (signature.parameters if signature else ())
                if each.kind in ("either", "keyword") and each.name not in words
            }
            told[wrong] = meant = _meant(full, wrong, names)
            renamings += [replace(each, text=meant) for each in written if meant]
            if wrong in words:
                without.append(code.without_keyword(call.node, wrong))
                if _was_taken(facts, full, wrong):
                    lost.append(f"{wrong}={ast.unparse(words[wrong].value)[:40]}")
    if told and all(told.values()):
        shown = ", ".join(f"{new}= for {old}=" for old, new in told.items())
        yield Proposal(f"Write {shown}", tuple(renamings))
    if without:
        shown = ", ".join(f"{each}=" for each in told)
        yield Proposal(
            f"Leave out {shown}, which the call does not take",
            tuple(without),
            "the library's default applies instead",
            asks=f"Is the result the same without {' and '.join(lost)}?" if lost else "",
            choice="yes" if lost else "",
        )


def _was_taken(facts: Facts, name: str, word: str) -> bool:
    """Whether an older release took a keyword that may have changed a result."""
    if word in renamed()["without"]["words"]:
        return False
    versions = facts.third_party.exists(name).presence.versions
    older = (facts.third_party.signature(name, SpecifierSet(f"=={each}")) for each in versions)
    return any(each.name == word for one in older if one for each in one.parameters)


def _written(facts: Facts, code: PythonEdits, call: ast.Call, word: str) -> Iterator[Edit]:
    """The places where a keyword of a call stands, as edits without their new text: in the call, or
    in what `**` passes, be that a mapping of the code or a section of the run files.
    """
    for each in call.keywords:
        if each.arg == word:
            yield replace(code.put_word(each, ""), text="")
        if each.arg is not None:
            continue
        match code.file.only_value(each.value) or each.value:
            case ast.Dict(keys=keys):
                for key in keys:
                    if isinstance(key, ast.Constant) and key.value == word:
                        start, end = code.span(key)
                        yield Edit(code.path, start + 1, end - 1, "")
            case ast.Call(func=ast.Name(id="dict")) as made:
                yield from _written(facts, code, made, word)
            case ast.Attribute() as section:
                path = ast.unparse(section).split(".")[1:]
                own = ".".join([*path[path[0] in facts.hydra.groups :], word])
                for run in facts.runs:
                    text = YamlEdits(facts, run.file.path)
                    yield from (text.put(key, "") for key, _ in text.pairs(own))


def _instead(
    code: PythonEdits,
    call: ast.Call,
    word: ast.keyword | None,
    name: str,
    instead: Mapping[str, str],
) -> Iterator[Proposal]:
    """The call that does now what a keyword of an older release asked for."""
    write = instead.get(ast.unparse(word.value)) if word is not None else None
    if word is None or write is None:
        raise CannotEdit("its value is not known")
    edits = [code.without_keyword(call, word.arg or "")]
    if write != "{}":
        uses = [each for each in code.file.of(ast.Name) if each.id == ast.unparse(call.func)]
        old = _import_of(code.file, name) if len(uses) == 1 else None
        short, imports = _spelled(code, write, name, old)
        edits += [*imports, code.put(call.func, short)]
    last = write.rpartition(".")[2] if write != "{}" else ast.unparse(call.func)
    yield Proposal(f"Call {last} without {word.arg}=, which does the same", tuple(edits))


@repairs("IM10")
def unpacked_space(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The bounds of a search space one by one, where `**` passes what says its kind as well."""
    code = PythonEdits(facts, finding.span.file) if finding.span else None
    edits: list[Edit] = []
    for call in code.file.calls_of(".suggest_float", ".suggest_int") if code else ():
        spread = next((each for each in call.node.keywords if each.arg is None), None)
        if code is None or spread is None or call.keyword("log") is not None:
            continue
        wrong = {refused_keyword(each.problem) for each in refusals(facts, code.file, call.node)}
        if wrong != {"type"}:
            continue
        space = code.text_of(spread.value)
        written = [f"{space}.low", f"{space}.high"]
        spaces = list(sections(facts, space))
        if {str(key) for each in spaces for key in each} != {"type", "low", "high"}:
            raise CannotEdit("the space has other keys")
        logs = {str(each["type"]) for each in spaces if "log" in str(each["type"])}
        if len(logs) > 1:
            raise CannotEdit("the kind has several names")
        written += [f'log={space}.type == "{kind}"' for kind in logs]
        start, end = code.span(spread)
        edits.append(Edit(code.path, start, end, ", ".join(written)))
    if edits:
        yield Proposal("Pass the bounds of the search space by themselves", tuple(edits))


@repairs("IM10")
def place_taken(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The keyword of a value that stands at the place of another parameter."""
    code = PythonEdits(facts, finding.span.file) if finding.span else None
    for call in code.file.calls if code else ():
        if code is None or finding.span is None or call.line != finding.span.line:
            continue
        for refusal in refusals(facts, code.file, call.node):
            if "twice" not in refusal.problem or refusal.signature is None or not call.node.args:
                continue
            given = {each.arg for each in call.node.keywords}
            last = call.node.args[-1]
            words = set(ast.unparse(last).replace(".", "_").split("_"))
            free = [
                each.name
                for each in refusal.signature.parameters
                if each.name not in given and words & set(each.name.split("_"))
            ]
            if len(free) == 1 and len(call.node.args) == 1:
                start, _ = code.span(last)
                edit = Edit(code.path, start, start, f"{free[0]}=")
                yield Proposal(f"Pass {ast.unparse(last)} as {free[0]}=", (edit,))


@repairs("IM12")
def number_as_text(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The quotes around a number that wandb.init takes as a text."""
    edits: dict[Edit, None] = {}
    code = PythonEdits(facts, finding.span.file) if finding.span else None
    for call in code.file.calls_of("wandb.init") if code else ():
        for _, passed in facts.hydra.passed.get(call.node, ()):
            given = ((word, passed.argument(word)) for word in _TEXTS_OF_INIT)
            for word, value in given:
                is_near = finding.span is not None and finding.span.line == call.line
                is_number = isinstance(value, int) and not isinstance(value, bool)
                if is_near and is_number and call.keyword(word) is not None:
                    edits.update(dict.fromkeys(in_runs(facts, str(value), f'"{value}"')))
    if edits:
        yield Proposal("Put quotes around the number, which WandB takes as a text", tuple(edits))


def _entries(facts: Facts, name: str) -> Iterator[Mapping[str, Any]]:
    if entry := renamed()["names"].get(name):
        yield entry
        return
    module, _, last = name.rpartition(".")
    having = [
        home
        for homes in renamed()["homes"].values()
        for home in (homes if module in homes else ())
        if home != module and _has_name(facts, home, last)
    ]
    # torch.nn re-exports nothing of torch.nn.functional, but transformers does of others.
    if len(having) == 1:
        yield {"write": f"{having[0]}.{last}"}
        return
    names = standard_names(module) or facts.third_party.names(module)
    alike = {each: 0.0 for each in names if _is_formed_like(each, last)}
    if meant := clearly_meant(last, alike):
        yield {"write": f"{module}.{meant}"}
        return
    modules = {home for homes in renamed()["homes"].values() for home in homes}
    near = {each: 0.0 for each in modules if _has_name(facts, each, last)}
    near = {each: 0.0 for each in near if each.partition(".")[0] == module.partition(".")[0]}
    if not names and (meant := clearly_meant(module, near)):
        yield {"write": f"{meant}.{last}"}


def _has_name(facts: Facts, module: str, name: str) -> bool:
    """Whether a module of Python or of a library certainly has a name."""
    if standard_names(module):
        return name in standard_names(module)
    return facts.third_party.exists(f"{module}.{name}").newest is True


def _is_formed_like(one: str, other: str) -> bool:
    """Whether both names are those of a class, or none is."""
    return one[:1].isupper() == other[:1].isupper()


def written_anew(code: PythonEdits, name: str, entry: Mapping[str, Any]) -> Iterator[Edit]:
    """The edits that write an entry for a name everywhere in a file."""
    file, write = code.file, entry["write"]
    old = _import_of(file, name)
    uses = [
        node
        for node in file.of(ast.Name, ast.Attribute)
        if isinstance(node.ctx, ast.Load) and file.resolve(node) == name
    ]
    asked = ast.parse(write.replace("{}", _GIVEN), mode="eval").body
    spelled: dict[str, str] = {}
    for chain in _chains(asked):
        if chain != _GIVEN:
            spelled[chain], edits = _spelled(code, chain, name, old)
            yield from edits
    if old is not None and not any(_is_beside(chain, name) for chain in spelled):
        yield code.without_import(*old)
    text = write
    for chain, short in spelled.items():
        text = text.replace(chain, short)
    for node in uses:
        around = file.parents.get(node)
        call = around if isinstance(around, ast.Call) and around.func is node else None
        if "{}" in write:
            if call is None:
                raise CannotEdit(f"{name} is not called here")
            yield code.put(call, text.replace("{}", code.arguments_of(call)))
            continue
        if code.text_of(node) != text:
            yield code.put(node, text)
        if call is not None:
            yield from _fitted(code, call, entry)


def _fitted(code: PythonEdits, call: ast.Call, entry: Mapping[str, Any]) -> Iterator[Edit]:
    """The keywords with which the new name does what the old one did."""
    for word in entry.get("drop", {}):
        if _has(call, (word,)):
            yield code.without_keyword(call, word)
    for word, value in entry.get("given", {}).items():
        if not _has(call, (word, None)):
            yield code.keyword(call, word, value)


def _loses(code: PythonEdits, name: str, entry: Mapping[str, Any]) -> Iterator[bool]:
    """Whether calls of a name have a keyword that the new one lacks, with another value than it had
    by itself.
    """
    for call in code.file.calls:
        given = {each.arg: ast.unparse(each.value) for each in call.node.keywords}
        for word, default in entry.get("drop", {}).items():
            yield call.name == name and bool(default) and given.get(word, default) != default


def _has(call: ast.Call, words: Collection[str | None]) -> bool:
    return any(each.arg in words for each in call.keywords)


def _is_beside(chain: str, name: str) -> bool:
    return chain.rpartition(".")[0] == name.rpartition(".")[0]


def _chains(node: ast.expr) -> Iterator[str]:
    """The dotted names of an expression."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and "(" not in ast.unparse(part.func):
            yield ast.unparse(part.func)
    if not any(isinstance(part, ast.Call) for part in ast.walk(node)):
        yield ast.unparse(node)


def _spelled(
    code: PythonEdits, chain: str, name: str, old: tuple[ast.ImportFrom, ast.alias] | None
) -> tuple[str, tuple[Edit, ...]]:
    """How a file may write a dotted name, with what this needs of its imports."""
    aliases = {
        alias: meant
        for alias, meant in code.file.aliases.items()
        if f"{chain}.".startswith(f"{meant}.") and "." not in alias and meant != name
    }
    module, _, last = chain.rpartition(".")
    if old is not None and _is_beside(chain, name):
        bound = old[1].asname or last
        if bound != old[1].asname:
            _must_be_free(code.file, bound)
        written = f"{last} as {bound}" if old[1].asname else last
        return bound, (code.put(old[1], written),)
    if aliases:
        best = max(aliases, key=lambda alias: len(aliases[alias]))
        return best + chain[len(aliases[best]) :], ()
    if not module and hasattr(builtins, chain):
        return chain, ()
    parts = chain.split(".")
    is_standard = parts[0] in sys.stdlib_module_names
    if (old is None and is_standard) or (not is_standard and len(parts) < 3 and last.islower()):
        needed = module or chain
        _must_be_free(code.file, parts[0])
        return chain, (code.at_top(needed, f"import {needed}"),)
    at = next((n for n, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
    home, taken = ".".join(parts[:at]), parts[at]
    _must_be_free(code.file, taken, old[1] if old else None)
    line = f"from {home} import {taken}"
    edit = code.at_top(home, line)
    return ".".join(parts[at:]), (edit,)


def _must_be_free(file: PythonFile, name: str, old: ast.alias | None = None) -> None:
    """Raise CannotEdit if a name stands for something else in a file than what it gets."""
    stored = any(isinstance(each.ctx, ast.Store) and each.id == name for each in file.of(ast.Name))
    if stored or any(each.arg == name for each in file.of(ast.arg)):
        raise CannotEdit(f"{name} is something else in {file.path}")
    is_old = old is not None and (old.asname or old.name) == name
    if name in {*file.functions, *file.classes, *file.aliases} and not is_old:
        raise CannotEdit(f"{name} is something else in {file.path}")


def _import_of(file: PythonFile, name: str) -> tuple[ast.ImportFrom, ast.alias] | None:
    module, _, last = name.rpartition(".")
    for statement in file.of(ast.ImportFrom):
        for alias in statement.names:
            if statement.module == module and not statement.level and alias.name == last:
                return statement, alias
    return None


def _meant(callee: str, wrong: str, names: set[str]) -> str:
    """The parameter that a keyword certainly means; empty if that is open."""
    table = renamed()["keywords"]
    for told in (table.get(callee, {}).get(wrong), table["everywhere"].get(wrong)):
        if told in names:
            return str(told)
    holding = [each for each in names if f"_{wrong}_" in f"_{each}_"]
    if len(holding) == 1:
        return holding[0]
    return "" if holding else clearly_meant(wrong, dict.fromkeys(names, 0.0))
