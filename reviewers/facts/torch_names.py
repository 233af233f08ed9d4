"""The names of PyTorch that facts about local classes depend on, from `torch_names.toml`."""

import tomllib
from importlib import resources

_NAMES = tomllib.loads(resources.files(__package__).joinpath("torch_names.toml").read_text("utf-8"))

MODULE = "torch.nn.Module"
MODULE_ATTRIBUTES = frozenset(_NAMES["module_attributes"])
RETURNS_ITSELF = frozenset(_NAMES["returns_itself"])
TENSOR_MODULES = frozenset(f"torch.nn.{name}" for name in _NAMES["tensor_modules"])
TENSOR_MAKERS = frozenset(f"torch.{name}" for name in _NAMES["tensor_makers"])
SHAPE_METHODS = frozenset(_NAMES["shape_methods"])
