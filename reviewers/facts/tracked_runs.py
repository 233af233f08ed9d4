"""The id under which training starts its WandB run, and the one that the evaluation asks for."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reviewers.facts.python_file import Call, PythonFile, template
from reviewers.records import Span
from reviewers.steps import fact

_RUN_ID = re.compile(r"(^|[._\"'\[])run_?id([\"'\])]|$)|^(rid|cfg\.run|config\.run)$")
_OVERRIDE = re.compile(r"^\++?(\w+\.)*run_id=|^(\w+\.)*run_id=")
_MODE = re.compile(r"mode\W*$", re.IGNORECASE)
_ASSIGNED = re.compile(r"\.run_id$")
_RANDOM = re.compile(r"\b(generate_id|uuid\d?|time|now|strftime|token_hex|randint)\(")
_ELSEWHERE = re.compile(r"WANDB_RUN_ID|WandbLogger|settings\s*=|\.runs\(|display_name|WANDB_NAME")


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A run that training starts under another id than the run id.

    Attributes:
        id: the id as a text with `{}` for its changing parts, or the expression that makes it; None
            where WandB makes one up.
        suffix: the literal part that is added to the run id; empty if none is.
    """

    span: Span
    id: str | None
    suffix: str


class TrackedRuns:
    """What two scripts say of one run's id.

    Args:
        python: the submission's Python files by path.
        evaluation: the path of evaluate.py.
    """

    def __init__(self, python: Mapping[str, PythonFile], evaluation: str) -> None:
        self._evaluation = python.get(evaluation)
        self._training = [file for path, file in python.items() if path != evaluation]

    @fact
    def asked_by_id(self) -> Span | None:
        """Where evaluate.py asks the API for `entity/project/run_id` with the run id as it was
        given.
        """
        file = self._evaluation
        if file is None or _ELSEWHERE.search(file.text):
            return None
        for call in file.calls_of(".run"):
            path = call.argument("path", 0)
            if path is not None and self._is_plain(file, path, call):
                return Span(file.path, call.line, call.node.end_lineno)
        return None

    def _is_plain(self, file: PythonFile, path: ast.expr, call: Call) -> bool:
        if isinstance(path, ast.Name):
            values = _values(file, path.id, call.scope)
            if len(values) != 1:
                return False
            path = values[0]
        if not isinstance(path, ast.JoinedStr) or len(path.values) < 2:
            return False
        before, last = path.values[-2], path.values[-1]
        ends_plainly = (
            isinstance(before, ast.Constant)
            and str(before.value).endswith("/")
            and isinstance(last, ast.FormattedValue)
        )
        if (
            not ends_plainly
            or not isinstance(last, ast.FormattedValue)
            or not isinstance(last.value, ast.Name)
        ):
            return False
        return last.value.id in ("rid", "run_id") and not any(
            _values(file, last.value.id, scope) for scope in (call.scope, "")
        )

    @fact
    def otherwise_named(self) -> StartedRun | None:
        """The run that training starts under an id that is not the run id; None if it is the
        same, or not known.
        """
        if any(
            _ELSEWHERE.search(file.text.replace("wandb.Settings", "")) for file in self._training
        ):
            return None
        starts = [
            found
            for file in self._training
            for call in file.calls_of("wandb.init")
            for found in self._start(file, call)
        ]
        if not starts or None in starts:
            return None
        named = [start for start in starts if start is not None]
        plain = any(start.id == "" for start in named)
        changed = next((start for start in named if start.id != ""), None)
        return changed if not plain else next(iter(self._changed_before()), None)

    def _start(self, file: PythonFile, call: Call) -> Iterator[StartedRun | None]:
        """How one call names its run: an id of "" is the run id itself; None stands for what is not
        known.
        """
        mode, given = call.keyword("mode"), call.keyword("id")
        if isinstance(mode, ast.Constant) and mode.value == "disabled":
            return
        span = Span(file.path, call.line, call.node.end_lineno)
        if (
            any(keyword.arg is None for keyword in call.node.keywords)
            or call.keyword("settings") is not None
        ):
            yield None
        elif given is None:
            yield StartedRun(span, None, "")
        else:
            yield self._named(file, given, call.scope, span)

    def _named(
        self, file: PythonFile, given: ast.expr, scope: str, span: Span
    ) -> StartedRun | None:
        if isinstance(given, ast.Name):
            values = _values(file, given.id, scope)
            is_made = len(values) == 1 and isinstance(values[0], (ast.JoinedStr, ast.BinOp))
            if is_made or (len(values) == 1 and not _RUN_ID.search(given.id)):
                given = values[0]
        if isinstance(given, ast.Constant) and given.value is None:
            return StartedRun(span, None, "")
        if (suffix := _added(given)) is not None:
            return StartedRun(span, ast.unparse(given), suffix)
        text = ast.unparse(given)
        if _RANDOM.search(text) and not _RUN_ID.search(text):
            return StartedRun(span, text, "")
        return (
            StartedRun(span, "", "")
            if isinstance(given, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
            else None
        )

    def _changed_before(self) -> Iterator[StartedRun]:
        """Where the run id itself is changed: in the words for a child process, or by an
        assignment.
        """
        for file in self._training:
            untracked = _untracked(file)
            for node in file.of(ast.JoinedStr, ast.Assign):
                if file.scope_at(node.lineno) in untracked:
                    continue
                if isinstance(node, ast.JoinedStr) and _OVERRIDE.match(template(node)):
                    changed = self._override(file, node)
                    if changed is not None:
                        yield changed
                elif isinstance(node, ast.Assign) and any(
                    _ASSIGNED.search(ast.unparse(part)) for part in node.targets
                ):
                    suffix = _added(node.value)
                    if suffix is not None:
                        yield StartedRun(
                            Span(file.path, node.lineno, node.end_lineno),
                            ast.unparse(node.value),
                            suffix,
                        )

    def _override(self, file: PythonFile, node: ast.JoinedStr) -> StartedRun | None:
        values = [part for part in node.values if isinstance(part, ast.FormattedValue)]
        place: ast.expr = node
        if (
            len(values) == 1
            and template(node).endswith("={}")
            and isinstance(values[0].value, ast.Name)
        ):
            bound = _values(file, values[0].value.id, file.scope_at(node.lineno))
            if len(bound) != 1:
                return None
            place = bound[0]
            suffix = _added(place)
        else:
            rest = [
                part
                for part in node.values[1:]
                if not isinstance(part, ast.FormattedValue) or part is not values[0]
            ]
            named = bool(values) and _RUN_ID.search(ast.unparse(values[0].value)) is not None
            suffix = (
                "".join(str(part.value) for part in rest if isinstance(part, ast.Constant))
                if named and rest
                else None
            )
        if not suffix:
            return None
        return StartedRun(
            Span(file.path, place.lineno, place.end_lineno), ast.unparse(place), suffix
        )


def _untracked(file: PythonFile) -> frozenset[str]:
    """The functions that switch tracking off whatever the mode, as those of a search's trials."""
    return frozenset(
        file.scope_at(node.lineno)
        for node in file.of(ast.Assign)
        if isinstance(node.value, ast.Constant)
        and node.value.value == "disabled"
        and any(_MODE.search(ast.unparse(target)) for target in node.targets)
        and not any(isinstance(around, (ast.If, ast.Match)) for around in file.ancestors(node))
        and file.scope_at(node.lineno)
    )


def _added(node: ast.expr) -> str | None:
    """What an expression adds to a run id as a literal: `f"{cfg.run_id}-seed{seed}"` adds `-seed`;
    None if it adds nothing.
    """
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _added(node.left), node.right
        literal = (
            right.value
            if isinstance(right, ast.Constant) and isinstance(right.value, str)
            else template(right)
        )
        base = left is not None or _RUN_ID.search(ast.unparse(node.left)) is not None
        return (left or "") + literal.replace("{}", "") if base and literal else left
    if not isinstance(node, ast.JoinedStr):
        return None
    values = [part for part in node.values if isinstance(part, ast.FormattedValue)]
    literal = template(node).replace("{}", "")
    has_run_id = any(_RUN_ID.search(ast.unparse(part.value)) for part in values)
    return literal if has_run_id and literal else None


def _values(file: PythonFile, name: str, scope: str) -> list[ast.expr]:
    """What a name is bound to by plain assignments in a scope."""
    return [
        node.value
        for node in file.of(ast.Assign)
        if any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
        and file.scope_at(node.lineno) == scope
    ]
