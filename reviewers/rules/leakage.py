"""Rules for criterion 3 about test data that gets into training or tuning."""

import ast
import re
from collections.abc import Iterator

from reviewers.facts import Facts, PythonFile
from reviewers.facts.python_file import Function
from reviewers.facts.python_nodes import last_name, own_nodes, walk
from reviewers.records import Span
from reviewers.rules.base import Flag, rule

_TRAINING = re.compile(r"_?(full_)?train(ing)?(_.*)?", re.IGNORECASE)
_HELD_OUT = re.compile(
    r"_?(val|valid|validation|eval|evaluation|dev|test|testing)(_(ds|set|data|dataset|split|raw|rows|hf))?",
    re.IGNORECASE,
)
_TEST = re.compile(r"_?test(_?(loader|dl|dataloader|iter|set|ds|data|dataset))", re.IGNORECASE)
_TUNING = re.compile(
    r"_?(val|valid|validation|eval|dev)(_?(loader|dl|dataloader|iter|set|ds|data|dataset))",
    re.IGNORECASE,
)
_TRAIN_SPLIT = re.compile(r"""train\s*=\s*True|["']train["']""")
_PARTS = frozenset(
    {"filter", "random_split", "select", "shard", "skip", "Subset", "take", "train_test_split"}
)
_FITTED = re.compile(
    r"sklearn\.(preprocessing\.(StandardScaler|MinMaxScaler|RobustScaler|MaxAbsScaler|PowerTransformer|QuantileTransformer|Normalizer)"
    r"|decomposition\.(PCA|TruncatedSVD|NMF)|feature_extraction\.text\.(TfidfVectorizer|CountVectorizer)"
    r"|impute\.(SimpleImputer|KNNImputer)|feature_selection\.SelectKBest)"
)


@rule(
    id="DA15",
    category="data-leakage",
    severity="major",
    summary="the data for evaluation are the training data",
    example="""
          === src/preprocess.py
        + from torch.utils.data import Subset
          from torchvision.datasets import CIFAR10

          def build_sets(cfg):
        -     train_set = CIFAR10(".cache/", train=True, download=True)
        -     test_set = CIFAR10(".cache/", train=True, download=True)  # flag: DA15
        -     return train_set, test_set
        +     train_set = Subset(CIFAR10(".cache/", train=True, download=True), range(45000))
        +     val_set = CIFAR10(".cache/", train=True, download=True)
        +     return train_set, Subset(val_set, range(45000, 50000))
    """,
)
def evaluated_on_training_data(facts: Facts) -> Iterator[Flag]:
    """The model answers from memory what it was trained on, so the figures say nothing about new
    data.
    """
    for path, file in facts.python.items():
        twice = len(_TRAIN_SPLIT.findall(file.text)) > 1
        for function in file.functions.values() if twice else ():
            sources = _sources(file, function)
            trained = {
                source: name for name, (source, _) in sources.items() if _TRAINING.fullmatch(name)
            }
            for name, (source, line) in sources.items():
                if (
                    _HELD_OUT.fullmatch(name)
                    and source in trained
                    and not _is_cut(function, {name, trained[source]})
                ):
                    shown = (
                        f"`{name}` is loaded exactly as `{trained[source]}` is, from {source[1]}"
                    )
                    yield Flag(
                        Span(path, line),
                        f"{shown}: the model is evaluated on its training data; load a held-out"
                        " split",
                        names=(name, trained[source]),
                    )


@rule(
    id="DA16",
    category="data-leakage",
    severity="major",
    summary="a scaler or vocabulary is fitted before the test data are split off",
    example="""
          === src/preprocess.py
          from sklearn.model_selection import train_test_split
          from sklearn.preprocessing import StandardScaler

          def build_arrays(rows, labels):
        -     scaler = StandardScaler()
        -     rows = scaler.fit_transform(rows)  # flag: DA16
        -     return train_test_split(rows, labels, test_size=0.2)
        +     train_rows, test_rows, *rest = train_test_split(rows, labels, test_size=0.2)
        +     scaler = StandardScaler().fit(train_rows)
        +     return scaler.transform(train_rows), scaler.transform(test_rows), *rest
    """,
)
def fitted_before_the_split(facts: Facts) -> Iterator[Flag]:
    """Training then knows the mean, the variance or the words of the test rows."""
    for path, file in facts.python.items():
        splits = [
            call
            for call in file.calls_of("sklearn.model_selection.train_test_split")
            if call.node.args
        ]
        for call in file.calls_of(".fit_transform", ".fit"):
            name = _fitted_name(file, call.node)
            if name is None or not call.node.args:
                continue
            for split in splits:
                divided = {part.id for part in split.node.args if isinstance(part, ast.Name)}
                if (
                    split.scope == call.scope
                    and split.line > call.line
                    and _reaches(file, call.node, divided)
                ):
                    shown = ast.unparse(call.node)[:60]
                    message = (
                        f"`{shown}` sees the rows that line {split.line} puts into the test split;"
                        f" fit {name} on the others"
                    )
                    yield Flag(Span(path, call.line), message, names=(shown, name))
                    break


@rule(
    id="DA17",
    category="data-leakage",
    severity="major",
    summary="hyper-parameters are tuned on the test split",
    example="""
          === src/train.py
          import optuna

        - def tune(cfg, model, train_loader, test_loader):
        + def tune(cfg, model, train_loader, val_loader):
              def objective(trial):
                  rate = trial.suggest_float("rate", 1e-5, 1e-2, log=True)
                  fit(model, train_loader, rate)
        -         return accuracy(model, test_loader)  # flag: DA17
        +         return accuracy(model, val_loader)

              study = optuna.create_study(direction="maximize")
              study.optimize(objective, n_trials=cfg.optuna.n_trials)
    """,
)
def tuned_on_the_test_split(facts: Facts) -> Iterator[Flag]:
    """Whatever is chosen by its test score is fitted to the test split, so its final score is too
    good.
    """
    for path, file in facts.python.items():
        objectives = {
            name
            for call in file.calls_of(".optimize")
            if call.node.args
            for name in _named(call.node.args[0])
        }
        for name, function in file.functions.items():
            if name.rpartition(".")[2] not in objectives:
                continue
            used = [
                node
                for node in walk(function)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
            ]
            if any(_TUNING.fullmatch(node.id) for node in used):
                continue
            returned = [
                node
                for node in own_nodes(function)
                if isinstance(node, ast.Return) and node.value is not None
            ]
            for node in returned:
                tested = next(
                    (
                        part
                        for part in walk(node)
                        if isinstance(part, ast.Name) and _TEST.fullmatch(part.id)
                    ),
                    None,
                )
                if tested is not None:
                    message = (
                        f"the objective of the study returns a score on `{tested.id}`, which"
                        " chooses the hyper-parameters"
                    )
                    yield Flag(
                        Span(path, node.lineno),
                        f"{message}; use a validation split",
                        names=(tested.id,),
                    )


_Source = tuple[str, str]


def _sources(file: PythonFile, function: Function) -> dict[str, tuple[_Source, int]]:
    """What each name of a function that is bound once is loaded from: the call without its
    transforms, and the split.
    """
    found: dict[str, tuple[_Source, int]] = {}
    often: set[str] = set()
    for node in own_nodes(function):
        if (
            isinstance(node, ast.Assign)
            and len(node.targets) == 1
            and isinstance(node.targets[0], ast.Name)
        ):
            name = node.targets[0].id
            if name in found:
                often.add(name)
            if source := _source(file, node.value):
                found[name] = source, node.lineno
            else:
                often.add(name)
    return {name: source for name, source in found.items() if name not in often}


def _source(file: PythonFile, value: ast.expr) -> _Source | None:
    match value:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value="train")):
            return name, 'the split "train"'
        case ast.Call():
            called = file.resolve(value.func) or ""
            kept = [
                word
                for word in value.keywords
                if word.arg not in ("transform", "target_transform", "streaming", "download")
            ]
            shown = ", ".join([*map(ast.unparse, value.args), *sorted(map(ast.unparse, kept))])
            given = {word.arg: getattr(word.value, "value", None) for word in kept}
            if called.startswith("torchvision.datasets.") and given.get("train") is True:
                return f"{called}({shown})", "train=True"
            if called == "datasets.load_dataset" and given.get("split") == "train":
                return f"{called}({shown})", 'split="train"'
    return None


def _is_cut(function: Function, names: set[str]) -> bool:
    """Whether only a part of the rows of one of the names may be used."""
    for node in own_nodes(function):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=attr)) if (
                owner in names and attr in _PARTS
            ):
                return True
            case ast.Call(func=called) if last_name(called) in _PARTS and names & {
                part.id
                for argument in node.args
                for part in walk(argument)
                if isinstance(part, ast.Name)
            }:
                return True
            case ast.Call(keywords=keywords) if any(
                word.arg in ("sampler", "batch_sampler") for word in keywords
            ):
                return True
            case (
                ast.Subscript(value=ast.Name(id=owner))
                | ast.Attribute(value=ast.Name(id=owner), ctx=ast.Store())
            ) if owner in names:
                return True
    return False


def _fitted_name(file: PythonFile, call: ast.Call) -> str | None:
    """The class of scaler, reducer or vectorizer whose `fit` a call is."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    made = file.only_value(owner) or owner
    name = file.resolve(made.func) if isinstance(made, ast.Call) else None
    return name.rpartition(".")[2] if name and _FITTED.fullmatch(name) else None


def _reaches(file: PythonFile, call: ast.Call, divided: set[str]) -> bool:
    """Whether the rows that are fitted on, or what comes of them, are what is divided."""
    fitted = {call.args[0].id} if isinstance(call.args[0], ast.Name) else set()
    parent = file.parents.get(call)
    if isinstance(parent, ast.Assign):
        fitted |= {target.id for target in parent.targets if isinstance(target, ast.Name)}
    return bool(fitted & divided)


def _named(objective: ast.expr) -> set[str]:
    """The functions that an objective is, or that a lambda in its place calls."""
    if isinstance(objective, ast.Lambda):
        return {last_name(part.func) for part in walk(objective.body) if isinstance(part, ast.Call)}
    return {last_name(objective)}
