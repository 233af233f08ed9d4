"""Rules for criterion 3, the data pipeline."""

import ast
import re
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.python_file import Call
from reviewers.records import Span
from reviewers.rules.base import Flag, rule

_LOADERS = frozenset({"datasets.load_dataset", "datasets.load_dataset_builder", "evaluate.load"})
_HOME_VARIABLES = re.compile(r"HF_HOME|HF_DATASETS_CACHE|HF_HUB_CACHE|TRANSFORMERS_CACHE|XDG_CACHE_HOME|TORCH_HOME")
_INVENTED = frozenset(
    {"torch.rand", "torch.randn", "torch.randint", "numpy.random.rand", "numpy.random.randn", "numpy.random.randint"}
    | {"sklearn.datasets.make_classification", "sklearn.datasets.make_regression", "sklearn.datasets.make_blobs"}
)


@rule(
    id="DA01",
    criterion=3,
    category="data-pipeline-incomplete",
    severity="major",
    summary="a data set or model is loaded outside the cache directory",
    decides="cache-directory",
    bad="""
        === src/preprocess.py
        from datasets import load_dataset

        def build_loaders(cfg):
            return load_dataset(cfg.dataset.name)  # flag: DA01
    """,
    good="""
        === src/preprocess.py
        from datasets import load_dataset

        def build_loaders(cfg):
            return load_dataset(cfg.dataset.name, cache_dir=".cache/")
    """,
)
def loaded_outside_the_cache(facts: Facts) -> Iterator[Flag]:
    """Without `.cache/` as cache directory every machine downloads everything again, and offline nodes fail."""
    if any(_HOME_VARIABLES.search(file.text) for file in facts.python.values()):
        return
    criteria = facts.submission.context.criteria
    if criteria is not None and ".cache" not in criteria:
        return  # an older rubric
    for path, file in facts.python.items():
        outside = [call for call in file.calls if _is_loader(call) and not _names_a_cache(call)]
        if outside:
            first = outside[0]
            others = sorted({call.line for call in outside[1:]} - {first.line})
            also = f" (also on line {', '.join(map(str, others[:6]))})" if others else ""
            shown = ast.unparse(first.node.func)
            message = f"`{shown}(…)` is called without cache_dir, and no cache variable is set, so `.cache/` stays unused{also}"
            yield Flag(Span(path, first.line), f'{message}; pass cache_dir=".cache/"')


@rule(
    id="DA02",
    criterion=3,
    category="fabricated-or-invalid-result",
    severity="blocker",
    summary="random numbers stand in for the data set",
    bad="""
        === src/preprocess.py
        import torch
        from datasets import load_dataset
        from torch.utils.data import TensorDataset

        def build_loaders(cfg):
            try:
                rows = load_dataset(cfg.dataset.name, cache_dir=".cache/")
            except OSError:
                rows = TensorDataset(torch.randn(256, 512), torch.randint(0, 4, (256,)))  # flag: DA02
            return rows
    """,
    good="""
        === src/preprocess.py
        import torch
        from datasets import load_dataset
        from torch.utils.data import TensorDataset

        def build_loaders(cfg):
            rows = load_dataset(cfg.dataset.name, cache_dir=".cache/")
            return TensorDataset(torch.tensor(rows["pixels"]), torch.tensor(rows["label"]))
    """,
)
def invented_data(facts: Facts) -> Iterator[Flag]:
    """A run that quietly trains on noise gives numbers that look like results."""
    file = facts.python.get("src/preprocess.py")
    if file is None:
        return
    for call in file.calls_of("torch.utils.data.TensorDataset", "datasets.Dataset.from_dict"):
        made = [node for node in ast.walk(call.node) if isinstance(node, ast.Call) and file.resolve(node.func) in _INVENTED]
        if made:
            shown = ast.unparse(made[0])[:60]
            yield Flag(Span(file.path, call.line), f"the data set is made of random numbers (`{shown}`) instead of being loaded")


def _is_loader(call: Call) -> bool:
    name = call.name or ""
    if name in _LOADERS:
        return name != "evaluate.load"
    method = call.node.func.attr if isinstance(call.node.func, ast.Attribute) else ""
    owner = name.removesuffix(f".{method}")
    return method == "from_pretrained" and (owner.startswith("transformers.") or owner.rpartition(".")[2].startswith("Auto"))


def _names_a_cache(call: Call) -> bool:
    """Whether the call names a cache directory, or may do so through `**options`; a local path needs none."""
    if any(keyword.arg in ("cache_dir", None) for keyword in call.node.keywords):
        return True
    first = call.node.args[0] if call.node.args else None
    return (isinstance(first, ast.Constant) and str(first.value).startswith((".", "/"))) or len(call.node.args) > 4
