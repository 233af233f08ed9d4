"""What calls of libraries give, and what json, yaml, pickle and image transforms refuse of it."""

import textwrap

import pytest

from reviewers.facts import Facts
from tests.builders import with_one_run

HEAD = """
import json, os, pickle
import datetime as dt
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
import gymnasium as gym
import hydra
import multiprocessing as mp
import numpy as np
import pandas as pd
import torch
import yaml
from PIL import Image
from scipy import stats
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support, roc_curve
from torch.utils.data import DataLoader
from torchvision import datasets, transforms as T
from torchvision.transforms import v2
"""
ENTRY = '@hydra.main(version_base="1.3", config_path="../config", config_name="config")\n'
CHECK = """
def stack(rows):
    return torch.stack(rows)

def inner():
    def one(rows):
        return rows
    return one

@dataclass
class Point:
    x: int = 1

class Kind(str, Enum):
    A = "a"

class Net(torch.nn.Module):
    def __init__(self, act):
        super().__init__()
        self.act = act

class Kept(Net):
    def __getstate__(self):
        return {}

class Player:
    def __init__(self):
        self.env = gym.make("CartPole-v1")

    def play(self):
        return self.env.step(0)
"""


def causes(body: str) -> list[str]:
    """What certainly goes wrong where the entry function has this body."""
    text = f"{HEAD}{CHECK}\n{ENTRY}def main(cfg):\n{textwrap.indent(body, '    ')}\n"
    facts = Facts(with_one_run({"src/train.py": text, "src/main.py": None}))
    assert facts.python["src/train.py"].syntax_error is None
    return [problem.cause for problem in facts.data_problems if problem.certain]


UNPACKED = {
    "four of five": "s, r, d, i = gym.make('A').step(0)",
    "in a wrapper": "e = gym.wrappers.TimeLimit(gym.make('A'), 9)\ns = (a, b, c, d) = e.step(0)",
    "of many environments": "s, r, d, i = gym.make_vec('A', num_envs=2).step(0)",
    "by a method": "s, r, d, i = Player().play()",
    "in a loop": "e = gym.make('A')\nfor _ in range(3):\n    s, r, d, i = e.step(0)",
    "of a test": "t, p, df = stats.ttest_ind(cfg.a, cfg.b)",
    "of a curve": "a, b = roc_curve(cfg.a, cfg.b)",
    "of a maximum": "v, i, n = torch.rand(2, 3).max(dim=1)",
    "of a function": "v, i, n = torch.topk(torch.rand(2, 3), 2)",
    "four averages": "p, r, f = precision_recall_fscore_support(cfg.a, cfg.b)",
}
TAKEN_FOR_ONE = {
    "by a layer": "torch.nn.Linear(3, 2)(torch.nn.LSTM(3, 3)(cfg.a))",
    "its last step": "torch.nn.GRU(3, 3)(cfg.a)[:, -1]",
    "three of two": "o, h, c = torch.nn.LSTM(3, 3)(cfg.a)",
    "weights of attention": "a, b, c = torch.nn.MultiheadAttention(4, 2)(cfg.a, cfg.a, cfg.a)",
}
UNPACKED_WELL = {
    "the state": "o, (h, c) = torch.nn.LSTM(3, 3)(cfg.a)\ntorch.nn.Linear(3, 2)(o[:, -1])",
    "its first": "torch.nn.Linear(3, 2)(torch.nn.GRU(3, 3)(cfg.a)[0])",
    "five": "s, r, t, u, i = gym.make('A').step(0)",
    "the rest": "s, r, *rest = gym.make('A').step(0)",
    "of another class": "s, r, d, i = cfg.env.step(0)",
    "by its own": "class Own(gym.Env):\n    def step(self, a):\n        return 1, 2, 3, 4\n"
    "s, r, d, i = Own().step(0)",
    "rows of the greatest": "a, b = torch.max(torch.rand(2, 3), torch.rand(2, 3))",
    "another interface": "s, r, d, i = gym.wrappers.StepAPICompatibility(gym.make('A'), False)"
    ".step(0)",
    "an element": "s = gym.make('A').reset()[0]\na, b, c = s",
    "a field": "p = stats.ttest_ind(cfg.a, cfg.b).pvalue\na, b, c = p",
    "caught": "try:\n    s, r, d, i = gym.make('A').step(0)\nexcept ValueError:\n    pass",
    "asked": "out = gym.make('A').step(0)\nif cfg.old == os.getpid():\n    s, r, d, i = out",
    "counts as well": "a, b, c = np.unique(cfg.a, return_counts=True, return_index=True)",
}
WRITTEN = {
    "an array": "json.dumps({'a': [np.arange(3)]})",
    "by a function": "def made():\n    return {'a': np.stack([cfg.a])}\njson.dumps(made())",
    "a matrix": "m = confusion_matrix(cfg.a, cfg.b)\njson.dump({'m': m}, open('a', 'w'))",
    "part of a result": "f, t, _ = roc_curve(cfg.a, cfg.b)\njson.dumps([f])",
    "a number": "json.dumps(np.float32(0.5))",
    "an index": "json.dumps({'best': np.argmax(cfg.a)})",
    "a mean of a small format": "json.dumps(torch.zeros(2).numpy().mean())",
    "the same by a function": "json.dumps({'a': float(1), 'b': np.mean(torch.zeros(2).numpy())})",
    "a tensor": "json.dumps({'loss': torch.zeros(2).mean()})",
    "an array of a tensor": "json.dumps(torch.zeros(2).numpy())",
    "a set": "json.dumps({'a': {1, 2}})",
    "a path": "json.dumps({'a': Path('a') / 'b'})",
    "a frame": "json.dumps(pd.DataFrame({'a': [1]}))",
    "a time": "json.dumps(dt.datetime.now())",
    "an object": "json.dumps(Point())",
    "as YAML": "yaml.safe_dump({'a': np.arange(3)})",
}
WRITTEN_WELL = {
    "a list": "json.dumps({'a': np.arange(3).tolist()})",
    "a mean": "json.dumps(np.mean(cfg.a))",
    "a float": "json.dumps(float(np.float32(0.5)))",
    "a mean of a large format": "json.dumps(np.zeros(3).mean())",
    "a mean by rows": "json.dumps(np.mean(torch.zeros(2, 3).numpy(), axis=0).tolist())",
    "an element": "json.dumps(np.array(cfg.a)[0])",
    "an index": "json.dumps(int(np.argmax(cfg.a)))",
    "a number of a tensor": "json.dumps(torch.zeros(2).mean().item())",
    "cleaned": "a = np.arange(3)\njson.dumps(a.tolist() if isinstance(a, np.ndarray) else a)",
    "caught": "try:\n    json.dumps(np.arange(3))\nexcept TypeError:\n    pass",
    "a default": "json.dumps(np.arange(3), default=str)",
    "the text of a path": "json.dumps([str(Path('a') / 'b'), Path('a').as_posix()])",
    "a joined path": "json.dumps([os.path.join('a', 'b'), os.getcwd(), f\"{Path('a')}\"])",
    "a sorted set": "json.dumps(sorted({1, 2}))",
    "a text of a time": "json.dumps(dt.datetime.now().isoformat())",
    "a text of an enumeration": "json.dumps(Kind.A)",
    "records of a frame": "json.dumps(pd.DataFrame({'a': [1]}).to_dict())",
    "a set as YAML": "yaml.safe_dump({'a': {1}, 'b': dt.datetime.now()})",
    "an object as YAML": "yaml.dump(np.arange(3))",
    "a condition": "if os.getpid() == 3:\n    json.dumps(np.arange(3))",
}
PICKLED = {
    "a lambda": "DataLoader(cfg.a, collate_fn=lambda r: r, num_workers=2,"
    " multiprocessing_context='spawn')",
    "a function within": "DataLoader(cfg.a, collate_fn=inner(), num_workers=1,"
    " multiprocessing_context='forkserver')",
    "for all processes": "mp.set_start_method('spawn')\n"
    "DataLoader(cfg.a, worker_init_fn=lambda n: None, num_workers=2)",
    "by a context": "DataLoader(cfg.a, collate_fn=lambda r: r, num_workers=2,"
    " multiprocessing_context=mp.get_context('spawn'))",
    "a part of a network": "torch.save(Net(lambda x: x), 'a.pt')",
    "in a mapping": "torch.save({'net': [inner()]}, 'a.pt')",
    "an open file": "pickle.dumps({'log': open('a', 'w')})",
    "by a pool": "with mp.Pool(2) as pool:\n    pool.map(lambda x: x, [1])",
    "a process": "mp.get_context('spawn').Process(target=lambda: 1).start()",
    "torch's spawn": "torch.multiprocessing.spawn(lambda n: n, nprocs=2)",
}
PICKLED_WELL = {
    "by fork": "DataLoader(cfg.a, collate_fn=lambda r: r, num_workers=2)",
    "without workers": "DataLoader(cfg.a, collate_fn=lambda r: r, num_workers=0)",
    "of the module": "DataLoader(cfg.a, collate_fn=stack, num_workers=2,"
    " multiprocessing_context='spawn')",
    "a forked process": "mp.Process(target=lambda: 1).start()",
    "a method": "torch.save(Point().__init__, 'a.pt')",
    "its own state": "torch.save(Kept(lambda x: x), 'a.pt')",
    "weights": "torch.save(Net(lambda x: x).state_dict(), 'a.pt')",
    "a pool of a function": "with mp.Pool(2) as pool:\n    pool.map(stack, [1])",
    "fork by name": "mp.set_start_method('fork')\nDataLoader(cfg.a, collate_fn=lambda r: r,"
    " num_workers=2)",
}
ORDERED = {
    "before": "T.Compose([T.Normalize(0, 1), T.ToTensor()])",
    "twice": "T.Compose([T.ToTensor(), T.RandomCrop(3), T.ToTensor()])",
    "erased": "T.Compose([T.Resize(3), T.RandomErasing(), T.ToTensor()])",
    "an image of an image": "T.Compose([T.ToTensor(), T.ToPILImage(), T.Normalize(0, 1)])",
    "within": "T.Compose([T.Compose([T.ToTensor()]), T.PILToTensor()])",
    "never": "datasets.CIFAR10('a', transform=T.Compose([T.Resize(3), T.Normalize(0, 1)]))",
    "of an opened image": "T.Compose([T.Normalize(0, 1)])(Image.open('a').convert('RGB'))",
    "of the second version": "datasets.MNIST('a', transform=v2.Compose([v2.Normalize([0], [1])]))",
    "appended": "steps = [T.ToTensor()]\nsteps.append(T.ToTensor())\nT.Compose(steps)",
}
ORDERED_WELL = {
    "behind": "T.Compose([T.ToTensor(), T.Normalize(0, 1), T.RandomErasing()])",
    "of a tensor": "T.Compose([T.Normalize(0, 1)])(cfg.a)",
    "by its own": "T.Compose([T.ToTensor(), lambda x: x.numpy(), T.ToTensor()])",
    "by one that is not known": "T.Compose([T.ToTensor(), T.Lambda(stack), T.ToTensor()])",
    "there and back": "T.Compose([T.ToTensor(), T.ToPILImage(), T.ToTensor()])",
    "twice in the second version": "v2.Compose([v2.ToTensor(), v2.ToTensor()])",
    "to an image": "datasets.MNIST('a', transform=v2.Compose([v2.ToImage(), v2.Normalize(0, 1)]))",
    "pixels": "datasets.MNIST('a', transform=v2.Compose([v2.PILToTensor(), v2.Normalize(0, 1)]))",
    "another loader": "datasets.ImageFolder('a', loader=stack, transform=T.Normalize(0, 1))",
    "by the way": "steps = [T.ToTensor()] if os.getpid() else []\n"
    "T.Compose(steps + [T.ToTensor()])",
}
WRONG = {
    "values": UNPACKED | TAKEN_FOR_ONE,
    "json": WRITTEN,
    "pickle": PICKLED,
    "transforms": ORDERED,
}
FINE = (UNPACKED_WELL, WRITTEN_WELL, PICKLED_WELL, ORDERED_WELL)


@pytest.mark.parametrize(
    ("cause", "body"),
    [(cause, body) for cause, bodies in WRONG.items() for body in bodies.values()],
    ids=[f"{cause}: {name}" for cause, bodies in WRONG.items() for name in bodies],
)
def test_what_a_library_refuses_is_found(cause: str, body: str) -> None:
    assert causes(body) == [cause]


@pytest.mark.parametrize(
    "body",
    [body for bodies in FINE for body in bodies.values()],
    ids=[name for bodies in FINE for name in bodies],
)
def test_what_it_takes_is_none(body: str) -> None:
    assert causes(body) == []
