"""Guards that a class with a method left abstract is reported where it is made, and no other."""

import pytest

from tests.reviewers.rules.asking import messages

CODE = """
import abc
from abc import ABC, abstractmethod
from torch import nn
from somewhere import Mixin

class Base(ABC):
    @abstractmethod
    def step(self): ...

    @property
    @abstractmethod
    def width(self): ...

class Meta(metaclass=abc.ABCMeta):
    @abc.abstractmethod
    def step(self): ...

class Net(nn.Module, ABC):
    @abstractmethod
    def encode(self, x): ...

class NoAbc:
    @abstractmethod
    def step(self): ...

class Half(Base):
    def step(self): return 1

class Whole(Half):
    width = 3

class Mixed(Mixin, Base):
    pass

class Encoder(Net):
    def forward(self, x): return self.encode(x)

class Loud:
    def step(self): raise NotImplementedError

def build_model(cfg):
    {made}
"""


@pytest.mark.parametrize(
    ("made", "left"),
    [
        ("return Half()", "`width`"),
        ("return Base()", "`step` and `width`"),
        ("return Meta()", "`step`"),
        ("return Encoder()", "`encode`"),
        ("return Whole()", None),
        ("return Mixed()", None),
        ("return NoAbc()", None),
        ("return Loud()", None),
        ("try:\n        return Half()\n    except TypeError:\n        return None", None),
    ],
    ids=lambda value: str(value).split("\n")[0],
)
def test_a_method_left_abstract_is_told_where_the_class_is_made(
    made: str, left: str | None
) -> None:
    found = messages("IM21", {"src/model.py": CODE.replace("{made}", made)})
    assert len(found) == (left is not None)
    assert all(str(left) in message for message in found)
