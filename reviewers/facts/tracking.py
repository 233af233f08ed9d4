"""The metric keys that training logs to WandB and that evaluate.py reads, and what else training
writes.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reviewers.facts.mapping_keys import CodeSurroundings, Keys, MappingKeys
from reviewers.facts.metric_reads import MetricRead, Source, metric_reads
from reviewers.facts.python_file import Call, PythonFile, template
from reviewers.facts.python_nodes import method_of, walk
from reviewers.facts.templates import may_equal
from reviewers.records import Span
from reviewers.steps import fact

__all__ = [
    "JsonOutput",
    "LoggedKey",
    "LoggedRow",
    "MetricRead",
    "Source",
    "Tracking",
]

_OWN_KEYS = frozenset({"_runtime", "_step", "_timestamp", "_wandb"})
# Receivers whose `.log` has nothing to do with metrics.
_OTHER_LOGS = frozenset(
    {"cmath", "jax.numpy", "log", "logger", "logging", "math", "numpy", "scipy.special", "torch"}
)
_METHODS = (".log", ".log_metrics", ".log_dict")
# Trainers and loggers that log keys of their own making.
OTHER_LOGGERS = re.compile(
    r"\b(\w*Trainer\(|WandbLogger|WandbCallback|wandb\.watch|wandb\.integration|report_to|\.autolog\()"
)


@dataclass(frozen=True, slots=True)
class LoggedKey:
    """A key that training logs; `{}` in it stands for a part that is only known at run time."""

    key: str
    source: Source
    span: Span

    def covers(self, key: str) -> bool:
        """Whether a key that is read may be this one, or lie within the section that it is."""
        within = "{}" not in self.key and key.startswith((f"{self.key}.", f"{self.key}/"))
        return within or may_equal(self.key, key)


@dataclass(frozen=True, slots=True)
class LoggedRow:
    """The keys that one call of `wandb.log` can put into one row of the history.

    Attributes:
        keys: keys and templates of keys that may all be in the row together.
        single: templates that give one key a row, such as `f"{split}_loss"`.
    """

    keys: tuple[str, ...]
    single: tuple[str, ...]

    def holds(self, wanted: list[str]) -> bool:
        """Whether one row may hold all of these keys."""
        left = [key for key in wanted if not any(may_equal(text, key) for text in self.keys)]
        return _matched(left, list(self.single))


@dataclass(frozen=True, slots=True)
class JsonOutput:
    """A place where train.py writes JSON.

    Attributes:
        target: name of the file, `stdout`, or empty if the name is not known.
    """

    span: Span
    target: str


class Tracking:
    """What is logged and read.

    Args:
        python: the submission's Python files by path.
        trainer, evaluator: the paths of the two scripts; empty if the contract names none.
    """

    def __init__(self, python: Mapping[str, PythonFile], trainer: str, evaluator: str) -> None:
        self._python = python
        self._trainer = trainer
        self._evaluator = evaluator
        self._keys = MappingKeys(python)

    @fact
    def _logging(self) -> tuple[tuple[LoggedKey, ...], bool]:
        found: dict[LoggedKey, None] = {}
        complete = True
        for path, file in self._python.items():
            if path == self._evaluator:
                continue
            complete = complete and file.tree is not None and not OTHER_LOGGERS.search(file.text)
            told = dict.fromkeys(self._logged_in(file))
            complete = complete and all(keys.known for _, keys in told)
            for source, keys in told:
                found |= dict.fromkeys(
                    LoggedKey(key.text, source, Span(path, key.line)) for key in keys.found
                )
        return tuple(found), complete

    def _logged_in(self, file: PythonFile) -> Iterator[tuple[Source, Keys]]:
        for call in file.calls_of("wandb.log", *_METHODS):
            func = call.node.func
            given = call.argument("data", 0)
            if (
                isinstance(func, ast.Attribute)
                and given is not None
                and file.resolve(func.value) not in _OTHER_LOGS
            ):
                place = CodeSurroundings(file, call.scope)
                named = isinstance(given, (ast.Constant, ast.JoinedStr))  # `self.log("loss", …)`
                yield (
                    Source.HISTORY,
                    self._keys.texts(given, place) if named else self._keys.of(given, place),
                )
        for call in file.calls_of(".update"):
            if isinstance(call.node.func, ast.Attribute) and _is_summary(
                file, call.node.func.value
            ):
                place = CodeSurroundings(file, call.scope)
                for given in call.node.args:
                    yield Source.SUMMARY, self._keys.of(given, place)
        for node in file.of(ast.Assign):
            for target in node.targets:
                place = CodeSurroundings(file, file.scope_at(target.lineno))
                if isinstance(target, ast.Subscript) and _is_summary(file, target.value):
                    yield Source.SUMMARY, self._keys.texts(target.slice, place)
                elif isinstance(target, ast.Attribute) and _is_summary(file, target.value):
                    yield (
                        Source.SUMMARY,
                        self._keys.texts(
                            ast.copy_location(ast.Constant(target.attr), target), place
                        ),
                    )

    @property
    def logged(self) -> tuple[LoggedKey, ...]:
        """Every key that training logs or puts into the summary, as far as known."""
        return self._logging[0]

    @property
    def logged_is_complete(self) -> bool:
        """Whether everything that is logged is known by its keys."""
        return self._logging[1]

    @fact
    def inits(self) -> tuple[Call, ...]:
        """The calls of `wandb.init` in train.py and what it imports."""
        return tuple(
            call
            for path, file in self._python.items()
            if path != self._evaluator
            for call in file.calls_of("wandb.init")
        )

    @fact
    def read(self) -> tuple[MetricRead, ...]:
        """The keys that evaluate.py reads of WandB's history and summary by literal names."""
        return metric_reads(self._python, self._evaluator)

    @fact
    def never_logged(self) -> tuple[MetricRead, ...]:
        """Reads of keys that are certainly never logged, nor any that is taken in their place;
        empty where not all is known.
        """
        if not self.logged_is_complete or not self.logged:
            return ()
        return tuple(
            read
            for read in self.read
            if not any(self._is_there(key, read.source) for key in (read.key, *read.others))
        )

    def _is_there(self, key: str, source: Source) -> bool:
        # WandB copies the last value of every logged key into the summary.
        return key in _OWN_KEYS or any(
            logged.covers(key) and (source is Source.SUMMARY or logged.source is Source.HISTORY)
            for logged in self.logged
        )

    @fact
    def rows(self) -> tuple[LoggedRow, ...]:
        """What each call of `wandb.log` adds to the history as a row of its own; empty where calls
        may share a row.
        """
        found = []
        for path, file in self._python.items():
            for call in file.calls_of("wandb.log", ".log") if path != self._evaluator else ():
                func, given = call.node.func, call.argument("data", 0)
                if (
                    not isinstance(func, ast.Attribute)
                    or given is None
                    or file.resolve(func.value) in _OTHER_LOGS
                ):
                    continue
                if (
                    len(call.node.args) > 1
                    or call.keyword("step") is not None
                    or call.keyword("commit") is not None
                ):
                    return ()
                found.append(self._row(given, CodeSurroundings(file, call.scope)))
        return tuple(found)

    def _row(self, given: ast.expr, place: CodeSurroundings) -> LoggedRow:
        direct = given.keys if isinstance(given, ast.Dict) else []
        single = [template(key) for key in direct if isinstance(key, ast.JoinedStr)]
        written = [
            key.value
            for key in direct
            if isinstance(key, ast.Constant) and isinstance(key.value, str)
        ]
        if isinstance(given, ast.Dict) and len(single) + len(written) == len(direct):
            return LoggedRow(tuple(written), tuple(single))
        return LoggedRow(tuple(key.text for key in self._keys.of(given, place).found), ())

    @fact
    def apart(self) -> tuple[tuple[Span, tuple[str, ...]], ...]:
        """Where evaluate.py asks the history for several keys at once that are all logged, but
        never in one row.
        """
        file = self._python.get(self._evaluator)
        if file is None or not self.logged_is_complete or not self.rows:
            return ()
        found = []
        for call in file.calls_of(".history", ".scan_history"):
            asked = call.keyword("keys")
            if isinstance(asked, ast.List):
                place = CodeSurroundings(file, call.scope)
                told = [self._keys.texts(part, place) for part in asked.elts]
                keys = [item.found[0].text for item in told if item.known and len(item.found) == 1]
                keys = [key for key in keys if key not in _OWN_KEYS and "{}" not in key]
                is_told = all(item.known and len(item.found) == 1 for item in told)
                is_told = is_told and all(
                    any(row.holds([key]) for row in self.rows) for key in keys
                )
                if is_told and len(keys) > 1 and not any(row.holds(keys) for row in self.rows):
                    found.append(
                        (Span(self._evaluator, call.line, call.node.end_lineno), tuple(keys))
                    )
        return tuple(found)

    @fact
    def json_outputs(self) -> tuple[JsonOutput, ...]:
        """Where train.py writes JSON, to a file or to stdout."""
        file = self._python.get(self._trainer)
        return tuple(_json_outputs(file)) if file is not None else ()


def _matched(keys: list[str], templates: list[str]) -> bool:
    """Whether each key finds a template of its own."""
    if not keys:
        return True
    return any(
        may_equal(text, keys[0]) and _matched(keys[1:], templates[:index] + templates[index + 1 :])
        for index, text in enumerate(templates[:6])
    )


def _is_summary(file: PythonFile, node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == "summary"
    if not isinstance(node, ast.Name):
        return False
    return any(
        isinstance(value, ast.Attribute) and value.attr == "summary"
        for value in file.assigned.get(node.id, ())
    )


def _json_outputs(file: PythonFile) -> Iterator[JsonOutput]:
    for call in file.calls:
        span = Span(file.path, call.line, call.node.end_lineno)
        if call.name == "json.dump":
            yield JsonOutput(span, _file_name(file, call) or "")
        elif call.name in ("print", "sys.stdout.write") and any(
            _is_dumps(file, part) for part in walk(call.node)
        ):
            yield JsonOutput(span, "stdout")
        elif method_of(call.node) in ("write_text", "write") and any(
            _is_dumps(file, part) for part in walk(call.node)
        ):
            yield JsonOutput(span, _file_name(file, call) or "")


def _is_dumps(file: PythonFile, node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and file.resolve(node.func) == "json.dumps"


def _file_name(file: PythonFile, call: Call) -> str | None:
    """The literal name of the JSON file: in the call, in the `with` around it, or where a name in
    either is bound.
    """
    places: list[ast.AST] = [call.node]
    for around in file.ancestors(call.node):
        if isinstance(around, ast.With):
            places += [item.context_expr for item in around.items]
    names = {part.id for place in places for part in walk(place) if isinstance(part, ast.Name)}
    for node in file.of(ast.Assign):
        bound = {target.id for target in node.targets if isinstance(target, ast.Name)}
        if bound & names and file.scope_at(node.lineno) == call.scope:
            places.append(node.value)
    texts = [
        part.value for place in places for part in walk(place) if isinstance(part, ast.Constant)
    ]
    return next(
        (
            text.rpartition("/")[2]
            for text in texts
            if isinstance(text, str) and text.endswith((".json", ".jsonl"))
        ),
        None,
    )
