"""What no repair may do: silence a symptom, weaken the experiment, or change what is measured.

Each of these is counted in the versions before and after, so that no repair has to be trusted.
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from reviewers.facts import Facts, yaml_config
from reviewers.facts.config_flow import ProblemKind
from reviewers.facts.hub_datasets import name_instead
from reviewers.facts.hub_models import full_names
from reviewers.facts.python_file import PythonFile
from reviewers.repairs.edits import CannotEdit
from reviewers.repairs.spaces import depends_on, parameters
from reviewers.rules.adapters import DICTIONARIES

_SILENCING = ("contextlib.suppress", "warnings.filterwarnings", "warnings.simplefilter")
_TOLERANT = {
    "strict": False,
    "ignore_errors": True,
    "errors": "ignore",
    "raise_on_error": False,
    "check": False,
    "throw_on_missing": False,
    "throw_on_missing_key": False,
}
_STRICT = ("check", "strict", "throw_on_missing")
_DEFAULTS = ("default", "default_value")
_EXITS = ("sys.exit", "exit", "quit", "os._exit", "SystemExit")
_SAMPLING = (".select", ".head", ".sample", ".take", ".islice", "itertools.islice")
_SLICE = re.compile(r"\[[^\[\]]*:[^\[\]]*\d%?\]$")  # split="train[:1%]"
_PATH = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


def objection(before: Facts, after: Facts, is_answer: bool) -> str:
    """Say what the version after does that no repair may do; empty if nothing.

    Args:
        is_answer: whether a person chooses it, who may change a value of the configuration.
    """
    pairs = list(_edited(before, after))
    old, new = [was for was, _ in pairs], [now for _, now in pairs]
    for told, count in _MORE.items():
        if came := _of_all(new, count) - _of_all(old, count):
            return f"it {told} ({next(iter(came))})"
    for told, count in _FEWER.items():
        if gone := _of_all(old, count) - _of_all(new, count):
            return f"it {told} ({next(iter(gone))})"
    if guarded := _guarded(old, new):
        return f"it makes something depend on a condition ({guarded})"
    if left := _early(old, new):
        return f"it leaves a function early ({left})"
    if why := _other_parameters(before, after):
        return why
    if not is_answer and (why := _other_values(before, after)):
        return why
    if unread := _keys_read(before) - _keys_read(after):
        return f"{min(unread)} of the configuration is no longer read"
    lost_keys = {each.key for each in before.tracking.logged} - {
        each.key for each in after.tracking.logged
    }
    if lost_keys:
        return f"{min(lost_keys)} is no longer logged"
    return ""


def _edited(before: Facts, after: Facts) -> Iterator[tuple[PythonFile, PythonFile]]:
    """The files that differ, without those that did not parse, of which nothing was known."""
    for path, now in after.python.items():
        was = before.python.get(path)
        if was is not None and was.tree is not None and was.text != now.text:
            yield was, now


def _of_all(files: Sequence[PythonFile], count: "_Counting") -> Counter[str]:
    return Counter(each for file in files for each in count(file))


def _handlers(file: PythonFile) -> Iterator[str]:
    yield from ("an except clause" for _ in file.of(ast.ExceptHandler))
    yield from (name for name in _SILENCING for _ in file.calls_of(name))


def _defaults(file: PythonFile) -> Iterator[str]:
    for node in file.of(ast.IfExp, ast.BoolOp):
        if isinstance(node, ast.IfExp) or isinstance(node.op, ast.Or):
            yield "a default"
    for call in file.calls:
        if isinstance(call.node.func, ast.Attribute):
            method = call.node.func.attr
            if method in ("get", "pop"):
                yield from ("a default" for _ in call.node.args[1:2])
            if method in ("get", "pop", "select") and any(map(call.keyword, _DEFAULTS)):
                yield "a default"
            if method == "setdefault":
                yield "a default"
        if call.name == "getattr":
            yield from ("a default" for _ in call.node.args[2:3])


def _narrowed(file: PythonFile) -> Iterator[str]:
    """What must hold besides; that a section is there may be asked before one looks into it."""
    for node in file.of(ast.BoolOp):
        for part in node.values if isinstance(node.op, ast.And) else ():
            if not _asks_whether_there(part):
                yield "and"
    yield from ("hasattr" for _ in file.calls_of("hasattr"))


def _asks_whether_there(part: ast.expr) -> bool:
    match part:
        case ast.Compare(ops=[ast.In() | ast.NotIn()]):
            return True
        case ast.Compare(
            left=ast.Call(func=ast.Attribute(attr="get")),
            ops=[ast.Is() | ast.IsNot()],
            comparators=[ast.Constant(value=None)],
        ):
            return True
    return False


def _guarded(old: Sequence[PythonFile], new: Sequence[PythonFile]) -> str:
    """A statement that was there and stands under more conditions than before."""
    was, now = Counter(_conditions(old)), Counter(_conditions(new))
    there = {text for text, _ in was}
    return next((text for text, depth in now - was if depth and text in there), "")


def _conditions(files: Sequence[PythonFile]) -> Iterator[tuple[str, int]]:
    """Each plain statement with the number of conditions around it."""
    for file in files:
        for node in file.of(ast.Assign, ast.Expr, ast.AugAssign, ast.Return, ast.AnnAssign):
            around = sum(isinstance(each, ast.If | ast.While) for each in file.ancestors(node))
            yield ast.unparse(node)[:200], around


def _constants(file: PythonFile) -> Iterator[str]:
    """Values that the code sets somewhere, such as `cfg.training.warmup = 0`."""
    for node in file.of(ast.Assign):
        if isinstance(node.value, ast.Constant):
            for target in node.targets:
                if isinstance(target, ast.Attribute):
                    yield f"{target.attr} = {node.value.value!r}"[:80]
                elif isinstance(target, ast.Subscript):
                    yield f"{ast.unparse(target.slice)} = {node.value.value!r}"[:80]


def _parts(file: PythonFile) -> Iterator[str]:
    """What takes a part of the data, or bounds a number."""
    yield from ("a slice" for node in file.of(ast.Slice) if node.upper is not None)
    yield from (
        call.name or "a sample"
        for call in file.calls_of(*_SAMPLING, "min")
        if not (call.name or "").startswith("omegaconf.")
    )
    for node in file.of(ast.Constant):
        if isinstance(node.value, str) and _SLICE.search(node.value):
            yield node.value


def _tolerances(file: PythonFile) -> Iterator[str]:
    for node in file.of(ast.keyword):
        given = node.value.value if isinstance(node.value, ast.Constant) else None
        if node.arg in _TOLERANT and given == _TOLERANT[node.arg]:
            yield f"{node.arg}={given!r}"


def _checks(file: PythonFile) -> Iterator[str]:
    for check in file.of(ast.Raise, ast.Assert):
        yield _form(check.test) if isinstance(check, ast.Assert) else "raise"
    for branch in file.of(ast.If):
        if any(isinstance(each, ast.Raise | ast.Assert) for each in branch.body):
            yield f"if {_form(branch.test)}"
    yield from ("an exit" for _ in file.calls_of(*_EXITS, ".error"))
    for word in file.of(ast.keyword):
        if word.arg in _STRICT and isinstance(word.value, ast.Constant) and word.value.value:
            yield f"{word.arg}={word.value.value!r}"


def _form(test: ast.expr) -> str:
    """What is asked, whatever it is asked of: a repair may read a setting elsewhere."""
    parts = (node for node in ast.walk(test) if not isinstance(node, ast.expr_context))
    return " ".join(
        repr(node.value) if isinstance(node, ast.Constant) else type(node).__name__
        for node in parts
        if not isinstance(node, ast.Name | ast.Attribute | ast.Tuple | ast.List)
    )


def _numbers(file: PythonFile) -> Iterator[str]:
    for node in file.of(ast.Constant):
        if isinstance(node.value, int | float) and not isinstance(node.value, bool):
            around = file.parents.get(node)
            if isinstance(around, ast.keyword) and around.arg == "indent":
                continue  # how a text is laid out
            owner = getattr(around, "value", None) if isinstance(around, ast.Subscript) else None
            # PEFT has no first adapter: such a place is no quantity, but a key in a wrong form. Nor
            # is the folder that lies so far above a path.
            is_place = isinstance(owner, ast.Attribute) and (
                owner.attr in DICTIONARIES or owner.attr == "parents"
            )
            if not is_place:
                yield str(node.value)


def _measured(file: PythonFile) -> Iterator[str]:
    """Figures, tests, steps of the optimizer and what is written down, or printed in any form."""
    printed = {part for call in file.calls_of("print") for part in call.node.args}
    for name in (
        *(".savefig", ".backward", ".step", ".log", ".dump", ".dumps", ".save", ".fit"),
        *(".write_text", ".to_csv", ".evaluate", ".train", "print"),
    ):
        yield from (name for call in file.calls_of(name) if call.node not in printed)
    yield from (".dumps" for _ in file.calls_of(".to_json"))  # the same by other means
    yield from (
        "a statistical test"
        for call in file.calls
        if (call.name or "").startswith(("scipy.stats.", "statsmodels."))
    )


_Pairs = Counter[tuple[str, str]]
_Counting = Callable[[PythonFile], Iterator[str]]
_MORE: Mapping[str, _Counting] = {
    "catches an error": _handlers,
    "gives a default where a key is missing": _defaults,
    "tolerates what was refused": _tolerances,
    "makes something depend on a condition": _narrowed,
    "sets a value that nobody chose": _constants,
    "takes a part of what was taken": _parts,
}
_FEWER: Mapping[str, _Counting] = {
    "takes out a check": _checks,
    "changes a number in the code": _numbers,
    "takes out what is measured": _measured,
}


def _early(old: Sequence[PythonFile], new: Sequence[PythonFile]) -> str:
    """A way out of a function that was there before without it."""
    known = Counter(_ways_out(old))
    scopes = {(file.path, name) for file in old for name in ("", *file.functions)}
    for way, count in Counter(_ways_out(new)).items():
        path, scope, kind = way
        if count > known[way] and (path, scope) in scopes:
            return f"{kind} in {path}"
    return ""


def _ways_out(files: Sequence[PythonFile]) -> Iterator[tuple[str, str, str]]:
    for file in files:
        for node in file.of(ast.Return, ast.Break, ast.Continue):
            yield file.path, file.scope_at(node.lineno), type(node).__name__.lower()
        for call in file.calls_of(*_EXITS):
            yield file.path, file.scope_at(call.line), call.name or "an exit"


def _other_values(before: Facts, after: Facts) -> str:
    """A value of the configuration that is lost, or a number that came from nowhere."""
    old, new = _values(before), _values(after)
    lost, came = old - new, new - old
    for key, value in lost:
        is_mended = _is_renamed(key, value, came) or _is_led(key, value, old, came)
        is_mended = is_mended or _is_spelled(key, value, came)
        if not is_mended and not _asks_otherwise(key, value, came, before):
            return f"it takes {key}: {value} out of the configuration"
    words = {
        _plain(word)
        for text in _yaml_texts(before).values()
        for word in re.split(r"[\s,:{}\[\]]", text)
    }
    words |= {value for _, value in old}  # `1.0e-4` is 0.0001 there
    for key, value in sorted(came.keys() - old.keys()):
        if not _is_number(value) or value in words:
            continue
        return f"it sets {key}: {value}, which nobody chose"
    return ""


def _other_parameters(before: Facts, after: Facts) -> str:
    """A parameter of a search space that has another name, where the code goes by the old one."""
    gone = _parameter_names(before) - _parameter_names(after)
    place = depends_on(after, gone) if gone else ""
    return f"it renames {min(gone)} of a search space, whose name {place} goes by" if place else ""


def _parameter_names(facts: Facts) -> set[str]:
    found: set[str] = set()
    for run in facts.runs:
        with suppress(CannotEdit):  # what cannot be read has no names
            found |= {each.name.value for each in parameters(facts, run)}
    return found


def _is_renamed(key: str, value: str, came: _Pairs) -> bool:
    """Whether a value has a key of another name instead; that nothing read the old one is asked
    elsewhere.
    """
    given = {name for name, other in came if other == value}
    return bool(given) and key not in {name for name, _ in came}


def _is_led(key: str, value: str, old: _Pairs, came: _Pairs) -> bool:
    """Whether a text that is to name a key, and named none, names one now; or a model or data set
    of the Hub has its whole name.
    """
    names = {name for name, _ in old}
    now = {other for name, other in came if name == key}
    is_whole = now <= {*full_names(value), name_instead(value)}
    return value not in names and bool(now) and (now <= names or is_whole)


def _is_spelled(key: str, value: str, came: _Pairs) -> bool:
    """Whether a text is the same but for its case and its signs: `sst2` for `SST-2`."""
    now = [_letters(other) for name, other in came if name == key]
    return not _is_number(value) and _letters(value) in now


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _asks_otherwise(key: str, value: str, came: _Pairs, before: Facts) -> bool:
    """Whether an interpolation that leads nowhere is another one now."""
    broken = {
        problem.key.rpartition(".")[2]
        for _, problem in before.hydra.problems
        if problem.kind is ProblemKind.INTERPOLATION
    }
    now = [other for name, other in came if name == key]
    return key in broken and "${" in value and bool(now) and all("${" in each for each in now)


def _plain(value: str) -> str:
    """A number as Python writes it, also one that YAML takes for a text."""
    return repr(float(value)) if _is_number(value) else value


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _values(facts: Facts) -> Counter[tuple[str, str]]:
    """The values of the run files and the main configuration, by their keys."""
    read = {path: yaml_config.values(text) for path, text in _yaml_texts(facts).items()}
    refused = _refused_by_hydra(facts)
    return Counter(
        (key, _plain(said))
        for path, value in read.items()
        for key, said in _leaves(value)
        if key not in refused.get(path, ())
    )


def _yaml_texts(facts: Facts) -> Mapping[str, str]:
    texts = {run.file.path: run.file.text for run in facts.runs}
    main = facts.contract.files.config
    if main and facts.text(main) is not None:
        texts[main] = facts.text(main) or ""
    return texts


def _refused_by_hydra(facts: Facts) -> Mapping[str, set[str]]:
    """The last parts of the keys of Hydra's own node that Hydra refuses, by file: they never had an
    effect.
    """
    found: dict[str, set[str]] = {}
    for start in facts.hydra.starts:
        for problem in start.refused:
            if problem.file and (problem.key or "").startswith("hydra."):
                path = f"{start.entry.folder}/{problem.file}"
                found.setdefault(path, set()).add((problem.key or "").rpartition(".")[2])
    return found


def _leaves(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, item in value.items():
            # A key that asks for itself has no value of its own.
            if name != "defaults" and item != f"${{{name}}}":
                yield from _leaves(item, str(name))
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, key)
    elif value not in (None, "???"):
        text = str(value)
        # A key that gets its section, `training.rate` for `rate`, is the same key.
        yield key, text.rpartition(".")[2] if _PATH.fullmatch(text) else text


def _keys_read(facts: Facts) -> set[str]:
    """The keys of the configuration that the code reads, by their own names."""
    keys = {key for key, _ in _values(facts)}
    read = set()
    for file in facts.python.values():
        for node in file.of(ast.Attribute):
            if isinstance(node.ctx, ast.Load):
                read.add(node.attr)
        read |= {node.value for node in file.of(ast.Constant) if isinstance(node.value, str)}
    return keys & read
