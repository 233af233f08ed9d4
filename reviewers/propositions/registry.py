"""Every predicate: to add one, declare its evaluator with `predicate`, in a module named here."""

from collections.abc import Mapping

from reviewers.propositions.evaluators import (  # noqa: F401  each declares its own
    activities,
    calls,
    commands,
    config,
    figures,
    files,
    flow,
    libraries,
    modes,
    names,
    outputs,
    packaging,
    surroundings,
    tracking,
    types,
    values,
)
from reviewers.propositions.vocabulary import Predicate, declared, vocabulary

PREDICATES: Mapping[str, Predicate] = vocabulary(*declared())
