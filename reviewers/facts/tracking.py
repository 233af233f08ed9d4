"""The metric keys that training logs to WandB and those that evaluate.py reads, and what else training writes."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from reviewers.facts.python_file import Call, Function, PythonFile, template
from reviewers.records import Span

EVALUATION = "src/evaluate.py"
TRAINING = "src/train.py"
_OWN_KEYS = frozenset({"_runtime", "_step", "_timestamp", "_wandb", "epoch", "step"})
_RUN_NAMES = re.compile(r"wandb|(^|_)(run|wb)($|_)|logger|tracker", re.IGNORECASE)
_ADDED_BY_EVALUATION = re.compile(r"smooth|rolling|_mean|_std", re.IGNORECASE)


class Source(StrEnum):
    """Where WandB keeps a value."""

    HISTORY = "history"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class LoggedKey:
    """A key that training logs; `{}` in it stands for a part that is only known at run time."""

    key: str
    source: Source
    span: Span

    def covers(self, key: str) -> bool:
        """Whether a key that is read may be this one."""
        return re.fullmatch(".*".join(map(re.escape, self.key.split("{}"))), key) is not None


@dataclass(frozen=True, slots=True)
class MetricRead:
    """A key that evaluate.py reads; `required` where its absence raises KeyError."""

    key: str
    source: Source
    span: Span
    required: bool


class Tracking:
    """What is logged and read.

    Args:
        python: the submission's Python files by path.
    """

    def __init__(self, python: Mapping[str, PythonFile]) -> None:
        self._python = python

    @cached_property
    def _logging(self) -> tuple[tuple[LoggedKey, ...], bool]:
        found: list[LoggedKey] = []
        complete = True
        for path, file in self._python.items():
            if path == EVALUATION:
                continue
            complete = complete and file.tree is not None
            for source, argument, line in _logged_values(file):
                keys, known = _keys(file, argument, file.scope_at(line))
                found += [LoggedKey(key, source, Span(path, at)) for key, at in keys]
                complete = complete and known
        return tuple(found), complete

    @property
    def logged(self) -> tuple[LoggedKey, ...]:
        """Every key that training logs or puts into the summary, as far as known."""
        return self._logging[0]

    @property
    def logged_is_complete(self) -> bool:
        """Whether everything that is logged is known by its keys."""
        return self._logging[1]

    @cached_property
    def inits(self) -> tuple[Call, ...]:
        """The calls of `wandb.init` in train.py and what it imports."""
        return tuple(call for path, file in self._python.items() if path != EVALUATION for call in file.calls_of("wandb.init"))

    @cached_property
    def read(self) -> tuple[MetricRead, ...]:
        """The keys that evaluate.py reads of WandB's history and summary by literal names."""
        file = self._python.get(EVALUATION)
        return tuple(_reads(file)) if file is not None else ()

    @cached_property
    def never_logged(self) -> tuple[MetricRead, ...]:
        """Keys that are read and certainly never logged; empty where not all logged keys are known."""
        if not self.logged_is_complete or not self.logged:
            return ()
        return tuple(
            read
            for read in self.read
            if read.key not in _OWN_KEYS and not _ADDED_BY_EVALUATION.search(read.key) and not self._is_logged(read)
        )

    def _is_logged(self, read: MetricRead) -> bool:
        # WandB copies the last value of every logged key into the summary.
        return any(
            key.covers(read.key) and (read.source is Source.SUMMARY or key.source is Source.HISTORY) for key in self.logged
        )

    @cached_property
    def json_dumps(self) -> tuple[tuple[Span, str], ...]:
        """Places where train.py writes JSON, to a file or to stdout, each with what it writes to."""
        file = self._python.get(TRAINING)
        return tuple(_json_dumps(file)) if file is not None else ()


def _logged_values(file: PythonFile) -> Iterator[tuple[Source, ast.expr, int]]:
    for call in file.calls_of("wandb.log", ".log", ".update"):
        func = call.node.func
        if not isinstance(func, ast.Attribute) or not call.node.args:
            continue
        owner = ast.unparse(func.value)
        if func.attr == "log" and (call.name == "wandb.log" or _RUN_NAMES.search(owner.rpartition(".")[2])):
            yield Source.HISTORY, call.node.args[0], call.line
        elif func.attr == "update" and owner.endswith("summary"):
            yield Source.SUMMARY, call.node.args[0], call.line
    for node in file.nodes:
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Subscript) and ast.unparse(target.value).endswith("summary"):
                key = ast.copy_location(ast.Dict(keys=[target.slice], values=[target.slice]), target)
                yield Source.SUMMARY, key, target.lineno


def _keys(file: PythonFile, node: ast.expr, scope: str, depth: int = 3) -> tuple[list[tuple[str, int]], bool]:
    """The keys of a dict expression with their lines, and whether these are all."""
    if depth == 0:
        return [], False
    if isinstance(node, ast.Dict):
        found: list[tuple[str, int]] = []
        complete = True
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                inner, known = _keys(file, value, scope, depth - 1)
                found += inner
                complete = complete and known
            elif text := template(key):
                found.append((text, key.lineno))
            else:
                complete = False
        return found, complete
    if isinstance(node, ast.DictComp):
        text = template(node.key)
        return ([(text, node.lineno)], True) if text else ([], False)
    if isinstance(node, ast.Name):
        return _keys_of_name(file, node.id, scope, depth)
    return [], False


def _keys_of_name(file: PythonFile, name: str, scope: str, depth: int) -> tuple[list[tuple[str, int]], bool]:
    """The keys of a dict that is built in the same function under a name."""
    found: list[tuple[str, int]] = []
    made = False
    complete = True
    for node in file.nodes:
        line = getattr(node, "lineno", None)
        if line is None or file.scope_at(line) != scope:
            continue
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name) and target.id == name:
                    keys, known = _keys(file, node.value, scope, depth - 1)
                    found += keys
                    made, complete = True, complete and known
                elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and target.value.id == name:
                    text = template(target.slice)
                    found += [(text, line)] if text else []
                    complete = complete and bool(text)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "update":
            if isinstance(node.func.value, ast.Name) and node.func.value.id == name and node.args:
                keys, known = _keys(file, node.args[0], scope, depth - 1)
                found += keys
                complete = complete and known
    return found, made and complete


def _reads(file: PythonFile) -> Iterator[MetricRead]:
    holders = _holders(file)
    for node in file.nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            owner, key, required = node.value, template(node.slice), True
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
            owner, key, required = node.func.value, template(node.args[0]), False
        else:
            continue
        source = holders.get((file.scope_at(node.lineno), owner.id)) if isinstance(owner, ast.Name) else None
        if source is not None and key and "{}" not in key:
            yield MetricRead(key, source, Span(file.path, node.lineno), required and not _guarded(file, node, key))


def _holders(file: PythonFile) -> dict[tuple[str, str], Source]:
    """Names that hold WandB's history or summary, by scope; a name that is bound to anything else as well does not count."""
    found: dict[tuple[str, str], set[Source | None]] = {}
    for node in file.nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                names = target.elts if isinstance(target, ast.Tuple) else [target]
                values = node.value.elts if isinstance(node.value, ast.Tuple) and len(names) > 1 else [node.value] * len(names)
                for name, value in zip(names, values, strict=False):
                    if isinstance(name, ast.Name):
                        source = _source(value) if len(names) == 1 or isinstance(node.value, ast.Tuple) else None
                        found.setdefault((file.scope_at(node.lineno), name.id), set()).add(source)
    return {
        place: source for place, sources in found.items() if len(sources) == 1 and (source := next(iter(sources))) is not None
    }


def _source(value: ast.expr) -> Source | None:
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in ("history", "scan_history"):
        return Source.HISTORY
    text = ast.unparse(value)
    return Source.SUMMARY if text.endswith((".summary._json_dict", ".summary")) or text.startswith("dict(run.summary") else None


def _guarded(file: PythonFile, node: ast.AST, key: str) -> bool:
    """Whether a condition around the read, or an earlier return, asks for the key, or an error of it is caught."""
    for around in file.ancestors(node):
        if isinstance(around, ast.If | ast.IfExp) and repr(key) in ast.unparse(around.test):
            return True
        if isinstance(around, ast.Try) and around.handlers:
            return True
        if isinstance(around, Function):
            tests = [part.test for part in ast.walk(around) if isinstance(part, ast.If | ast.Assert)]
            return any(repr(key) in ast.unparse(test) or ".columns" in ast.unparse(test) for test in tests)
    return False


def _json_dumps(file: PythonFile) -> Iterator[tuple[Span, str]]:
    for call in file.calls:
        span = Span(file.path, call.line, call.node.end_lineno)
        if call.name == "json.dump":
            yield span, _file_name(file, call) or "a file"
        elif call.name == "print" and any(_is_dumps(file, part) for part in ast.walk(call.node)):
            yield span, "stdout"
        elif call.name is not None and call.name.endswith((".write_text", ".write")) and call.node.args:
            if any(_is_dumps(file, part) for part in ast.walk(call.node.args[0])):
                yield span, _file_name(file, call) or "a file"


def _is_dumps(file: PythonFile, node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and file.resolve(node.func) == "json.dumps"


def _file_name(file: PythonFile, call: Call) -> str | None:
    """The literal name of the JSON file, where it stands in the call or in the `with` around it."""
    places: list[ast.AST] = [call.node]
    for around in file.ancestors(call.node):
        if isinstance(around, ast.With):
            places += [item.context_expr for item in around.items]
    texts = [part.value for place in places for part in ast.walk(place) if isinstance(part, ast.Constant)]
    return next((text.rpartition("/")[2] for text in texts if isinstance(text, str) and text.endswith((".json", ".jsonl"))), None)
