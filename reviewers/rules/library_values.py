"""Rules for criterion 1: what calls of libraries give, and what libraries refuse of it."""

import ast
from collections.abc import Iterator
from pathlib import PosixPath

from reviewers.facts import Facts
from reviewers.facts.plain_types import Types
from reviewers.records import Severity, Span
from reviewers.rules.base import Flag, rule
from reviewers.rules.data_sets import problem_flags


@rule(
    id="IM26",
    category="call-signature",
    severity="blocker",
    stops="",
    summary="a library's call gives several values, and they are taken for one or another number",
    example="""
          === src/train.py
          import gymnasium as gym
          import hydra

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              env = gym.make("CartPole-v1")
              seen, info = env.reset(seed=0)
        -     seen, reward, done, info = env.step(env.action_space.sample())  # flag: IM26
        +     seen, reward, done, cut, info = env.step(env.action_space.sample())
              return reward
    """,
)
def unpacked_otherwise(facts: Facts) -> Iterator[Flag]:
    """Calls that give a fixed number of values, by a table with its sources. They count through
    names, functions and returns of the submission, as far as a run comes there.
    """
    yield from problem_flags(facts, "values")


@rule(
    id="IM27",
    category="tensor-or-runtime",
    severity="blocker",
    stops="TypeError",
    summary="an object that JSON or YAML has no form for is written as such",
    example="""
          === src/train.py
          import json

          import hydra
          import numpy as np

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              counts = np.bincount([0, 1, 1])
        -     return json.dumps({"counts": counts})  # flag: IM27
        +     return json.dumps({"counts": counts.tolist()})
    """,
)
def unwritable_object(facts: Facts) -> Iterator[Flag]:
    """`json` takes texts, numbers, None, lists, tuples and dictionaries; an array, a number of
    NumPy other than float64, a tensor, a set, a path, a data frame or an object of a class needs
    `default=`. What is certainly one of these counts, in whatever it is wrapped.
    """
    yield from problem_flags(facts, "json", "convert it, or give json a default=")
    seen = {span for each in facts.data_problems if each.cause == "json" for span in each.spans}
    for path, file in facts.python.items():
        types = Types(file)
        for call in file.calls_of("json.dump", "json.dumps"):
            given = call.node.args[0] if call.node.args else None
            written = file.only_value(given) or given
            is_open = {word.arg for word in call.node.keywords} & {"default", "cls", None}
            values = written.values if isinstance(written, ast.Dict) and not is_open else ()
            found = next((one for one in values if types.of(one) is PosixPath), None)
            if found is not None and Span(path, call.line) not in seen:
                error = "Object of type PosixPath is not JSON serializable"
                shown = ast.unparse(found)[:60]
                told = f"TypeError: {error}; `{shown}` is a path: write str({shown})"
                is_used = facts.local_code.is_used(file, call.scope)
                severity = None if is_used else Severity.MAJOR
                yield Flag(Span(path, call.line), told, severity=severity, names=(shown, error))


@rule(
    id="IM28",
    category="tensor-or-runtime",
    severity="blocker",
    stops="",
    summary="what cannot be pickled is pickled, or handed to a process that starts anew",
    example="""
          === src/train.py
          import hydra
          import torch
          from torch.utils.data import DataLoader

          def batch(rows):
              return torch.stack(rows)

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              rows = [torch.zeros(2), torch.ones(2)]
              given = {"num_workers": 2, "multiprocessing_context": "spawn"}
        -     loader = DataLoader(rows, collate_fn=lambda r: batch(r), **given)  # flag: IM28
        +     loader = DataLoader(rows, collate_fn=batch, **given)
              return next(iter(loader))
    """,
)
def unpicklable_object(facts: Facts) -> Iterator[Flag]:
    """A function is pickled by its name in its module, which a lambda and a function within another
    lack; an open file cannot be pickled either. Processes that fork need no pickle.
    """
    yield from problem_flags(facts, "pickle", "define it at the top of a module, or leave it out")


@rule(
    id="IM29",
    category="data-pipeline-incomplete",
    severity="blocker",
    stops="TypeError",
    summary="an image transform gets a kind of image that it does not take",
    example="""
          === src/preprocess.py
          from torchvision import transforms

          def build_transform(cfg):
        -     steps = [transforms.Normalize((0.5,), (0.5,)), transforms.ToTensor()]  # flag: IM29
        +     steps = [transforms.ToTensor(), transforms.Normalize((0.5,), (0.5,))]
              return transforms.Compose(steps)
          === src/train.py
          import hydra
          from src.preprocess import build_transform

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              return build_transform(cfg)
    """,
)
def transforms_out_of_order(facts: Facts) -> Iterator[Flag]:
    """A chain of torchvision's transforms is a chain of functions from images of Pillow, arrays or
    tensors to such. It fails where no kind of image can pass, or not the one that the data set
    gives.
    """
    yield from problem_flags(facts, "transforms", "convert the image before it")
