"""Rules for criterion 1, complete implementation."""

import ast
from collections import defaultdict
from collections.abc import Iterator

from packaging.version import Version

from reviewers.facts import Facts
from reviewers.facts.local_code import Target
from reviewers.facts.local_modules import missing_imports
from reviewers.facts.placeholders import Placeholder, in_code, in_configuration
from reviewers.facts.python_file import Call
from reviewers.facts.python_versions import oldest
from reviewers.facts.signatures import mismatch
from reviewers.facts.unfinished import remarks, stubs
from reviewers.records import Severity, Span
from reviewers.rules.base import Flag, again, denies, rule, says
from reviewers.rules.guards import is_asked_for, is_guarded

_ANEW = Version("3.12")


@rule(
    id="IM01",
    category="syntax-invalid",
    severity="blocker",
    stops="SyntaxError",
    summary="a Python file does not parse",
    example="""
          def train(cfg) -> None:
        -     for step in range(10)  # flag: IM01
        +     for step in range(10):
                  print(step)
    """,
)
def unparsable_file(facts: Facts) -> Iterator[Flag]:
    """Python rejects the whole file, so every command that imports it raises SyntaxError."""
    for path, file in facts.python.items():
        if problem := file.syntax_error:
            allowed = facts.packaging.requires_python
            if problem.newer_python and allowed is not None and not oldest(allowed, _ANEW):
                continue
            place = f"line {problem.line}, column {problem.column}"
            older = (
                " (Python before 3.12; later versions accept type parameters and new f-strings)"
                if problem.newer_python
                else ""
            )
            yield Flag(
                Span(path, min(problem.line, max(len(file.lines), 1))),
                f"Python cannot parse {path}: SyntaxError at {place}: {problem.message}{older}",
                severity=Severity.MAJOR if problem.newer_python else None,
                says=denies("parses", file=path),
            )


@rule(
    id="IM02",
    category="undefined-name",
    severity="blocker",
    stops="NameError",
    summary="a name is used that nothing defines",
    example="""
          import json
        + from pathlib import Path

          def load(path: Path):  # flag: IM02
              return json.loads(path.read_text())
    """,
)
def undefined_name(facts: Facts) -> Iterator[Flag]:
    """Python raises NameError when it reaches the name; for an annotation, when the module is
    imported.
    """
    code = facts.local_code
    for path, file in facts.python.items():
        for found in file.undefined_names:
            severity: Severity | None
            if not found.evaluated:
                severity, error = (
                    Severity.MINOR,
                    "an annotation that Python does not evaluate, so only type checkers stumble",
                )
            else:
                severity = None if code.is_used(file, file.scope_at(found.line)) else Severity.MAJOR
                error = f"NameError: name '{found.name}' is not defined"
            what = "never defined or imported"
            evidence = (
                f"nothing that line {found.line} of {path} can see defines or imports"
                f" `{found.name}`"
            )
            if found.bound_at is not None:
                what = "used before it has a value"
                evidence = (
                    f"{path} gives `{found.name}` a value on line {found.bound_at}, after its use"
                    f" on line {found.line}"
                )
                is_local = file.scope_at(found.line) in file.functions
                error = "UnboundLocalError" if is_local else "NameError"
            yield Flag(
                Span(path, found.line),
                f"`{found.name}` is {what}: {error}",
                evidence,
                severity,
                again(Span(path, line) for line in found.lines),
                denies("bound", scope=path, name=found.name) if found.evaluated else "",
                names=(found.name,),
            )


@rule(
    id="IM03",
    category="cross-file-mismatch",
    severity="blocker",
    stops="ModuleNotFoundError",
    summary="a missing local module is imported",
    example="""
          import torch
        - from .losses import focal_loss  # flag: IM03
        + from .model import build_model
    """,
)
def missing_local_module(facts: Facts) -> Iterator[Flag]:
    """The import raises ModuleNotFoundError."""
    seen: set[tuple[str, str]] = set()
    for missing in missing_imports(facts.python, facts.submission.by_path):
        if missing.name is None and (missing.file, missing.module) not in seen:
            seen.add((missing.file, missing.module))
            severity = Severity.MINOR if missing.item.guarded else None
            message = (
                f"{missing.expected} is not there: ModuleNotFoundError: No module named"
                f" '{missing.module}'"
            )
            yield Flag(
                Span(missing.file, missing.item.line),
                message,
                severity=severity,
                says=denies("exists", file=missing.expected),
            )


@rule(
    id="IM04",
    category="cross-file-mismatch",
    severity="blocker",
    stops="ImportError",
    summary="a name is imported from a local module that does not define it",
    example="""
        - from src.model import build_model, load_weights  # flag: IM04
        + from src.model import GatedMLP, build_model
    """,
)
def missing_local_name(facts: Facts) -> Iterator[Flag]:
    """The import raises ImportError as soon as the importing file is loaded."""
    for missing in missing_imports(facts.python, facts.submission.by_path):
        if missing.name is not None:
            message = (
                f"{missing.expected} defines no `{missing.name}`: ImportError: cannot import name"
                f" '{missing.name}'"
            )
            severity = Severity.MINOR if missing.item.guarded else None
            yield Flag(
                Span(missing.file, missing.item.line),
                f"{message} from '{missing.module}'",
                severity=severity,
                says=denies("defines", scope=missing.expected, name=missing.name),
            )


@rule(
    id="IM05",
    category="placeholder-or-truncated",
    severity="major",
    summary="a comment says that something is unfinished",
    needs=("files.complete",),
    example="""
          def schedule(step):
        -     # TODO: warm up over the first epoch  # flag: IM05
        -     return 1.0
        +     # Warm up over the first hundred steps.
        +     return min(step / 100, 1.0)
    """,
)
def unfinished_comment(facts: Facts) -> Iterator[Flag]:
    """The contract requires complete code, and the comment says that something is missing."""
    for path, file in facts.python.items():
        values = tuple(in_code(file))
        for remark in remarks(file):
            meant = [each for each in values if each.lines_of(remark.about)]
            mild = remark.mild and all(each.beside for each in meant)
            what = "simplified" if remark.mild else "unfinished"
            beside = {line for each in meant for line in each.lines_of(remark.about)}
            yield Flag(
                Span(path, remark.lines[0]),
                f"the code itself says that this is {what} (“{remark.word}”): {remark.text[:120]}",
                severity=Severity.MINOR if mild else None,
                places=again(Span(path, line) for line in sorted({*remark.lines[1:], *beside})),
                says=says("contains", scope=path, text=remark.word),
            )


@rule(
    id="IM06",
    category="placeholder-or-truncated",
    severity="major",
    summary="a function has no body of its own",
    needs=("files.complete",),
    example='''
          def warm_up(optimiser, steps):  # flag: IM06
        -     """Raise the learning rate linearly."""
        -     raise NotImplementedError
        +     for group in optimiser.param_groups:
        +         group["lr"] /= steps
    ''',
)
def stub_body(facts: Facts) -> Iterator[Flag]:
    """`pass`, `...` or `raise NotImplementedError` does none of what its name says."""
    for path, file in facts.python.items():
        for found, words in stubs(file):
            yield Flag(
                Span(path, found.node.lineno),
                f"`{found.name}` is a stub: its body is only `{words}`",
                names=(found.name,),
            )


@rule(
    id="IM07",
    category="call-signature",
    severity="blocker",
    stops="TypeError",
    summary="a function of the submission is called with arguments that it does not take",
    example="""
          from src.model import GatedMLP

        - def warm_up(step, total):
        + def warm_up(step, total=100):
              return min(step / total, 1.0)

          def train(cfg):
        -     model = GatedMLP(cfg.model.width, cfg.model.hidden)  # flag: IM07
        +     model = GatedMLP(cfg.model.width, cfg.model.hidden, classes=4)
              return warm_up(10), model  # flag: IM07
    """,
)
def misfit_call(facts: Facts) -> Iterator[Flag]:
    """Python raises TypeError when the call is reached. Only calls to a certain function count."""
    code = facts.local_code
    for path, file in code.python.items():
        misfits: dict[tuple[str, Target], list[Call]] = {}
        for call in file.calls:
            target = code.target(file, call.node)
            problem = (
                mismatch(target.function, call.node, target.shown, bound=target.bound)
                if target
                else None
            )
            if target and problem and not is_asked_for(file, call.node):
                misfits.setdefault((problem, target), []).append(call)
        for (problem, target), calls in misfits.items():
            where = f"{target.file.path}:{target.function.lineno}"
            yield Flag(
                Span(path, calls[0].line),
                f"TypeError: {problem}",
                f"`{target.shown}` is defined at {where} as"
                f" ({ast.unparse(target.function.args)[:120]})",
                None if any(code.is_used(file, call.scope) for call in calls) else Severity.MAJOR,
                again(Span(path, call.line) for call in calls),
                names=(target.shown, str(problem)),
            )


@rule(
    id="IM21",
    category="call-signature",
    severity="blocker",
    stops="TypeError",
    summary="a class with an unimplemented abstract method is instantiated",
    example="""
          === src/model.py
          from abc import ABC, abstractmethod

          class Loss(ABC):
              @abstractmethod
              def step(self, batch):
                  ...

        -     @abstractmethod
        -     def name(self):
        -         ...
        -
          class Contrastive(Loss):
              def step(self, batch):
                  return batch

          def build_model(cfg):
              return Contrastive()  # flag: IM21
    """,
)
def abstract_class_made(facts: Facts) -> Iterator[Flag]:
    """Python raises TypeError before the constructor runs. Only classes whose bases are all known
    count. A method that only raises NotImplementedError is not abstract: the object is created, and
    RC08 reports it if a run calls the method.
    """
    code = facts.local_code
    for path, file in code.python.items():
        for call in file.calls:
            found = (
                code.definition(file, call.node.func)
                if isinstance(call.node.func, ast.Name)
                else None
            )
            cls = found[0].class_of.get(found[1]) if found else None
            left = code.left_abstract((found[0], cls)) if found and cls else ()
            if left and not is_guarded(file, call.node, "TypeError"):
                shown = cls.name.rpartition(".")[2] if cls else ""
                names = " and ".join(f"`{name}`" for name in left)
                yield Flag(
                    Span(path, call.line, call.node.end_lineno),
                    f"TypeError: Can't instantiate abstract class {shown}: nothing gives {names} a"
                    " body",
                    f"{names} of `{shown}` is an abstract method in each class that defines it",
                    None if code.is_used(file, call.scope) else Severity.MAJOR,
                    names=(shown, names),
                )


@rule(
    id="IM08",
    category="undefined-name",
    severity="blocker",
    stops="AttributeError",
    summary="an attribute is read that an object of the submission cannot have",
    example="""
          === src/model.py
          from torch import nn

          class Adapter(nn.Module):
              def __init__(self, width):
                  super().__init__()
                  self.down = nn.Linear(width, 8)
        +         self.register_module("up", nn.Linear(8, width))

              def forward(self, x):
                  return self.up(self.down(x))  # flag: IM08

          def build_model(cfg):
              return Adapter(cfg.model.width)
    """,
)
def missing_attribute(facts: Facts) -> Iterator[Flag]:
    """Python raises AttributeError when the line is reached. Only classes whose bases are all known
    count, and only attributes that no code sets on any of them.
    """
    code = facts.local_code
    for path, file in code.python.items():
        seen: set[tuple[str, str]] = set()
        for node in file.of(ast.Attribute):
            if not isinstance(node.ctx, ast.Load):
                continue
            kinds = code.types_of(file, node.value)
            if not kinds or not all(code.lacks(kind, node.attr) for kind in kinds):
                continue
            if is_guarded(file, node, "AttributeError"):
                continue
            kind = kinds[0]
            if (kind[1].name, node.attr) in seen:
                continue
            seen.add((kind[1].name, node.attr))
            shown = kind[1].name.rpartition(".")[2]
            yield Flag(
                Span(path, node.lineno),
                f"AttributeError: '{shown}' object has no attribute '{node.attr}'",
                f"nothing in the submission gives `{shown}` ({kind[0].path}:{kind[1].node.lineno})"
                f" an attribute `{node.attr}`",
                None if code.is_used(file, file.scope_at(node.lineno)) else Severity.MAJOR,
                names=(shown, node.attr),
            )


@rule(
    id="IM14",
    category="placeholder-or-truncated",
    severity="major",
    summary="a placeholder value was never replaced",
    needs=("files.complete",),
    example="""
          === config/runs/proposed.yaml
          run_id: proposed
        - dataset: DATASET_PLACEHOLDER  # flag: IM14
        - checkpoint: /path/to/weights.pt  # flag: IM14
        + dataset: cifar10
        + checkpoint: .cache/weights.pt
          === src/train.py
        - def track(wandb, results):
        -     wandb.init(entity="your-entity", project="gates")  # flag: IM14
        + def track(wandb, results, entity):
        +     if entity == "your-entity":
        +         raise ValueError("name your own entity")
        +     wandb.init(entity=entity, project="gates")
    """,
)
def placeholder_value(facts: Facts) -> Iterator[Flag]:
    """The value says itself that another one belongs in its place, and the code uses it. Values
    that every run's configuration overwrites do not count, nor those that the code checks for in
    order to reject or replace them. A comment about it is flagged by IM05.
    """
    found: dict[str, list[tuple[Span, Placeholder]]] = defaultdict(list)
    for path, each in in_configuration(facts.hydra, facts.runs):
        for line in each.lines or (None,):
            found[each.text.casefold()].append((Span(path, line), each))
    for path, file in facts.python.items():
        values = tuple(in_code(file))
        said = tuple(remarks(file)) if values else ()
        for each in values:
            told = {line for remark in said for line in each.lines_of(remark.about)}
            found[each.text.casefold()] += [
                (Span(path, line), each) for line in each.lines if line not in told
            ]
    for spans in filter(None, found.values()):
        span, first = spans[0]
        what = "the code asks for a placeholder" if first.compared else "a placeholder is left here"
        yield Flag(
            span,
            f"{what}: `{first.text[:80]}`; replace it by the real value",
            severity=Severity.MINOR if first.beside else None,
            places=again(span for span, _ in spans),
            names=(first.text[:80],),
        )
