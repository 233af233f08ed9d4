"""Rules for criterion 3, the data pipeline."""

import ast
import re
from collections.abc import Iterator

from reviewers.facts import Facts, PythonFile
from reviewers.facts.python_file import Call
from reviewers.facts.python_nodes import method_of, walk
from reviewers.records import Severity, Span
from reviewers.rules.base import Flag, again, name_of, rule

_LOADERS = frozenset({"datasets.load_dataset", "datasets.load_dataset_builder"})
_HOME_VARIABLES = re.compile(
    r"HF_HOME|HF_DATASETS_CACHE|HF_HUB_CACHE|TRANSFORMERS_CACHE|XDG_CACHE_HOME|TORCH_HOME"
)
_LOCAL_PATH = re.compile(r"dir|path|ckpt|checkpoint|local|save", re.IGNORECASE)
_SYNTHETIC_RESEARCH = re.compile(r"\b(synthetic|simulated|toy|artificial)\b", re.IGNORECASE)
_INVENTING_NAME = re.compile(r"(^|_)(synthetic|dummy|fake|mock)(_|$)", re.IGNORECASE)
_INVENTING_WORDS = re.compile(
    r"\b(synthetic|dummy|fake|mock) (data ?sets?|data|corpus|samples|records|labels|examples)\b",
    re.IGNORECASE,
)
_INVENTED = frozenset(
    {
        "torch.rand",
        "torch.randn",
        "torch.randint",
        "numpy.random.rand",
        "numpy.random.randn",
        "numpy.random.randint",
    }
    | {
        "sklearn.datasets.make_classification",
        "sklearn.datasets.make_regression",
        "sklearn.datasets.make_blobs",
    }
)


@rule(
    id="DA01",
    category="data-pipeline-incomplete",
    severity="major",
    summary="a data set or model is loaded outside the cache directory",
    needs=("data.cache",),
    example="""
          === src/preprocess.py
          from datasets import load_dataset

          def build_loaders(cfg):
        -     return load_dataset(cfg.dataset.name)  # flag: DA01
        +     return load_dataset(cfg.dataset.name, cache_dir=".cache/")
    """,
)
def loaded_outside_the_cache(facts: Facts) -> Iterator[Flag]:
    """Without `.cache/` as the cache directory, every machine downloads everything again, and
    offline nodes fail.
    """
    if any(_HOME_VARIABLES.search(file.text) for file in facts.python.values()):
        return
    cache = str(facts.contract.data.cache)
    for path, file in facts.python.items():
        outside = [
            call for call in file.calls if _is_loader(call, cache) and not _names_a_cache(call)
        ]
        if outside:
            first = outside[0]
            shown = ast.unparse(first.node.func)
            message = (
                f"`{shown}(…)` is called without cache_dir, and no cache variable is set, so"
                f" `{cache}` stays unused"
            )
            yield Flag(
                Span(path, first.line),
                f'{message}; pass cache_dir="{cache}"',
                places=again(Span(path, call.line) for call in outside),
                names=(shown, "cache_dir", cache),
            )


@rule(
    id="DA02",
    category="fabricated-or-invalid-result",
    severity="blocker",
    summary="random numbers stand in for the data set",
    needs=("files.data",),
    example="""
          === src/preprocess.py
          import torch
          from datasets import load_dataset
          from torch.utils.data import TensorDataset

          def build_loaders(cfg):
        -     try:
        -         rows = load_dataset(cfg.dataset.name, cache_dir=".cache/")
        -     except OSError:
        -         rows = TensorDataset(torch.randn(256, 512), torch.randint(0, 4, (256,)))  # flag: DA02
        -     return rows
        +     rows = load_dataset(cfg.dataset.name, cache_dir=".cache/")
        +     return TensorDataset(torch.tensor(rows["pixels"]), torch.tensor(rows["label"]))
    """,  # noqa: E501
)
def invented_data(facts: Facts) -> Iterator[Flag]:
    """A run that trains on noise gives numbers that look like results. The rule is silent if the
    research is about synthetic data.
    """
    context = facts.submission.context
    told = " ".join([*context.hypothesis.values(), *context.design.values(), context.method or ""])
    if _SYNTHETIC_RESEARCH.search(told) or any(
        _SYNTHETIC_RESEARCH.search(run.file.text) for run in facts.runs
    ):
        return
    file = facts.python.get(facts.contract.files.data or "")
    if file is None or facts.contract.files.placeholders:
        return
    for line, name, message, severity in sorted(_inventions(file)):
        yield Flag(Span(file.path, line), message, severity=severity, names=(name,))


@rule(
    id="DA03",
    category="data-pipeline-incomplete",
    severity="minor",
    summary="data is loaded without any error handling",
    needs=("files.data", "data.handled"),
    example="""
          === src/preprocess.py
          from datasets import load_dataset

          def build_loaders(cfg):
        -     return load_dataset(cfg.dataset.name, cache_dir=".cache/")  # flag: DA03
        +     rows = load_dataset(cfg.dataset.name, cache_dir=".cache/")
        +     if "text" not in rows["train"].column_names:
        +         raise ValueError(f"{cfg.dataset.name} has no column `text`")
        +     return rows
    """,
)
def unhandled_loading(facts: Facts) -> Iterator[Flag]:
    """The contract requires error handling: a wrong column or a failed download should be reported
    where it happens.
    """
    handles = (ast.Try, ast.TryStar, ast.Raise, ast.Assert)
    file = facts.python.get(facts.contract.files.data or "")
    if file is None or file.of(*handles):
        return
    scripts = facts.contract.scripts(but="evaluate")
    callers = (other for path, other in facts.python.items() if path in scripts)
    if any(other.of(ast.Try, ast.TryStar) for other in callers):
        return
    if first := next((call for call in file.calls if call.name in _LOADERS), None):
        message = (
            f"{name_of(file.path)} neither catches nor raises any error, nor does anything around"
            " its call"
        )
        yield Flag(Span(file.path, first.line), message, names=(first.name,))


def _inventions(file: PythonFile) -> Iterator[tuple[int, str, str, Severity | None]]:
    """At most one place for each way of inventing data: random tensors, a function named for it,
    words that say so.
    """
    for call in file.calls_of("torch.utils.data.TensorDataset", "datasets.Dataset.from_dict"):
        made = [
            node
            for node in walk(call.node)
            if isinstance(node, ast.Call) and file.resolve(node.func) in _INVENTED
        ]
        if made:
            shown = ast.unparse(made[0])[:60]
            yield (
                call.line,
                shown,
                f"the data set is made of random numbers (`{shown}`) instead of being loaded",
                None,
            )
            return
    for call in file.calls:
        name = ast.unparse(call.node.func).rpartition(".")[2]
        if _INVENTING_NAME.search(name) and any(
            found.rpartition(".")[2] == name for found in file.functions
        ):
            message = f"`{name}()` makes up records in place of the data set"
            yield call.line, name, message, Severity.MAJOR
            return
    for number, line in enumerate(file.lines, 1):
        if found := _INVENTING_WORDS.search(line):
            yield (
                number,
                found[0],
                f"made-up data stands in for the real one (“{found[0]}”): {line.strip()[:100]}",
                Severity.MAJOR,
            )
            return


def _is_loader(call: Call, cache: str) -> bool:
    name = call.name or ""
    if name in _LOADERS:
        return True
    if name.startswith("torchvision.datasets."):
        root = call.argument("root", 0)
        return isinstance(root, ast.Constant) and cache.rstrip("/") not in str(root.value)
    method = method_of(call.node)
    owner = name.removesuffix(f".{method}")
    return method == "from_pretrained" and (
        owner.startswith("transformers.") or owner.rpartition(".")[2].startswith("Auto")
    )


def _names_a_cache(call: Call) -> bool:
    """Whether the call names a cache directory, or may do so through `**options`; a local path
    needs none.
    """
    if any(keyword.arg in ("cache_dir", None) for keyword in call.node.keywords):
        return True
    first = call.node.args[0] if call.node.args else None
    if isinstance(first, ast.Constant) and str(first.value).startswith((".", "/")):
        return not (call.name or "").startswith("torchvision.")
    return (first is not None and bool(_LOCAL_PATH.search(ast.unparse(first)))) or len(
        call.node.args
    ) > 4
