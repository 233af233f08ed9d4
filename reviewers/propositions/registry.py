"""Every predicate that a module of `evaluators` declares with `@predicate`."""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules

from reviewers.propositions import evaluators
from reviewers.propositions.vocabulary import Predicate, declared, vocabulary

for _module in iter_modules(evaluators.__path__):
    import_module(f"{evaluators.__name__}.{_module.name}")

PREDICATES: Mapping[str, Predicate] = vocabulary(*declared())
