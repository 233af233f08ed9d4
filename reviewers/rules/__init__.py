"""The static rules, grouped by subject; importing this package registers them all."""

from importlib import import_module
from pkgutil import iter_modules

from reviewers.rules.base import Flag, Rule, find_rule, registered
from reviewers.rules.run import run_rules

__all__ = ["Flag", "Rule", "find_rule", "registered", "run_rules"]

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
