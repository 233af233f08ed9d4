"""Rules for criterion 4, the model implementation."""

import ast
from collections.abc import Iterator
from typing import TypeGuard

from reviewers.bundles.yaml_text import load_yaml
from reviewers.facts import Facts, PythonFile
from reviewers.facts.local_modules import lineage
from reviewers.facts.python_file import ClassDefinition, Function
from reviewers.records import Span
from reviewers.rules.base import Flag, rule

_MODULE = "torch.nn.Module"
_PARAMETER = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter"})
_TENSOR_MAKERS = frozenset(
    {"torch.tensor", "torch.zeros", "torch.ones", "torch.randn", "torch.rand", "torch.zeros_like", "torch.cat"}
)


@rule(
    id="MO01",
    criterion=4,
    category="model-or-method-missing",
    severity="major",
    summary="a network class has no forward",
    decides=None,
    bad="""
        === src/model.py
        from torch import nn

        class Adapter(nn.Module):  # flag: MO01
            def __init__(self, width):
                super().__init__()
                self.down = nn.Linear(width, 8)

        def build_model(cfg):
            return Adapter(cfg.model.width)
    """,
    good="""
        === src/model.py
        from torch import nn

        class Adapter(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.down = nn.Linear(width, 8)

            def forward(self, x):
                return self.down(x)

        def build_model(cfg):
            return Adapter(cfg.model.width)
    """,
)
def network_without_forward(facts: Facts) -> Iterator[Flag]:
    """Calling such a module ends in NotImplementedError: its computation is nowhere written down."""
    inherited = {
        base.rpartition(".")[2] for file in facts.python.values() for cls in file.classes.values() for base in cls.bases if base
    }
    for path, file in facts.python.items():
        for cls in file.classes.values():
            if cls.name in inherited:
                continue  # abstract: its subclasses are looked at
            own, outside = lineage(facts.python, file, cls)
            methods = {name for _, part in own for name in part.methods}
            assigned = {name for _, part in own for name in _class_attributes(part.node)}
            if outside and set(outside) == {_MODULE} and "forward" not in methods | assigned:
                others = sorted(name for name in methods if not name.startswith("_"))
                used = f"; it is used through {', '.join(others[:3])}" if others else ""
                message = (
                    f"`{cls.name}` is a torch.nn.Module without `forward`: calling it ends in NotImplementedError: Module"
                    f' [{cls.name.rpartition(".")[2]}] is missing the required "forward" function{used}'
                )
                yield Flag(
                    Span(path, cls.node.lineno),
                    message,
                    f"neither `{cls.name}` nor a class that it inherits from in this submission defines `forward`",
                    "minor" if others else None,
                )


@rule(
    id="MO02",
    criterion=4,
    category="tensor-or-runtime",
    severity="blocker",
    summary="a Parameter is overwritten by a plain tensor",
    bad="""
        === src/model.py
        import torch
        from torch import nn

        class Momentum(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.state = nn.Parameter(torch.zeros(width))

            def forward(self, x):
                self.state = torch.zeros(x.shape[-1])  # flag: MO02
                return x + self.state

        def build_model(cfg):
            return Momentum(cfg.model.width)
    """,
    good="""
        === src/model.py
        import torch
        from torch import nn

        class Momentum(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.state = nn.Parameter(torch.zeros(width))

            def forward(self, x):
                self.state.data = torch.zeros(x.shape[-1])
                return x + self.state

        def build_model(cfg):
            return Momentum(cfg.model.width)
    """,
)
def overwritten_parameter(facts: Facts) -> Iterator[Flag]:
    """PyTorch refuses it with TypeError, because the optimiser would go on with a tensor that the model no longer uses."""
    for path, file in facts.python.items():
        for cls in file.classes.values():
            own, outside = lineage(facts.python, file, cls)
            if _MODULE not in outside:
                continue
            registered = {name for where, part in own for name in _registered(where, part)}
            for method in cls.methods.values():
                for name, value, line in _assignments(method):
                    if name in registered and _is_tensor(file, value, name):
                        shown = f"{name} = {ast.unparse(value)[:60]}"
                        message = (
                            f"`self.{shown}` overwrites the Parameter of that name: TypeError: cannot assign a tensor as"
                            f" parameter '{name}' (torch.nn.Parameter or None expected); write to self.{name}.data"
                        )
                        yield Flag(Span(path, line), message)


@rule(
    id="MO03",
    criterion=4,
    category="model-or-method-missing",
    severity="major",
    summary="no code tells the methods of the runs apart",
    bad="""
        === src/model.py # flag: MO03
        from torch import nn

        def build_model(cfg):
            return nn.Linear(cfg.model.width, cfg.model.classes)
    """,
    good="""
        === src/model.py
        from torch import nn

        def build_model(cfg):
            if cfg.method == "proposed":
                return nn.Sequential(nn.Linear(cfg.model.width, 64), nn.GELU(), nn.Linear(64, cfg.model.classes))
            return nn.Linear(cfg.model.width, cfg.model.classes)
    """,
)
def methods_never_told_apart(facts: Facts) -> Iterator[Flag]:
    """Where the run configs differ in nothing but their method's name, and no code reads it, both runs train the same thing."""
    read = [load_yaml(run.file.text).value for run in facts.submission.runs]
    runs = [values for values in read if isinstance(values, dict)]
    methods = {str(values["method"]) for values in runs if values.get("method")}
    if len(methods) < 2 or len(methods) != len(read) or any(file.tree is None for file in facts.python.values()):
        return
    ignored = {"run_id", "method"}
    first, *others = ({key: value for key, value in values.items() if key not in ignored} for values in runs)
    reads_method = any(
        "method" in file.text or "run_id" in file.text for file in facts.python.values() if "evaluate" not in file.path
    )
    if all(other == first for other in others) and not reads_method and facts.text("src/model.py"):
        names = ", ".join(sorted(methods))
        yield Flag(
            Span("src/model.py"),
            f"the runs ({names}) differ in nothing but their names, and no code reads `method`: every run trains the same model",
        )


def _tells_apart(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 40:
        return any(word in node.value for word in ("method", "proposed", "comparative", "baseline"))
    return isinstance(node, ast.Attribute) and node.attr == "method"


def _class_attributes(node: ast.ClassDef) -> Iterator[str]:
    for item in node.body:
        if isinstance(item, ast.Assign):
            yield from (target.id for target in item.targets if isinstance(target, ast.Name))


def _registered(file: PythonFile, cls: ClassDefinition) -> Iterator[str]:
    """Names that `__init__` binds to a Parameter in every case."""
    init = cls.methods.get("__init__")
    for item in init.body if init else ():
        if isinstance(item, ast.Assign) and isinstance(item.value, ast.Call) and file.resolve(item.value.func) in _PARAMETER:
            yield from (target.attr for target in item.targets if _is_own_attribute(target))


def _assignments(method: Function) -> Iterator[tuple[str, ast.expr, int]]:
    if method.name == "__init__":
        return
    for node in ast.walk(method):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if _is_own_attribute(target):
                    yield target.attr, node.value, node.lineno


def _is_own_attribute(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _is_tensor(file: PythonFile, value: ast.expr, name: str) -> bool:
    """Whether the value is certainly a tensor and no Parameter: a maker's result, or arithmetic on the Parameter itself."""
    if isinstance(value, ast.Call):
        if isinstance(value.func, ast.Attribute) and value.func.attr in ("detach", "clone", "to"):
            inner = value.func.value
            return _is_own_attribute(inner) and inner.attr == name and value.func.attr != "to"
        return file.resolve(value.func) in _TENSOR_MAKERS
    if isinstance(value, ast.BinOp):
        return any(_is_own_attribute(part) and part.attr == name for part in ast.walk(value))
    return False
