"""The static rules, one file a criterion; importing this package registers them all."""

from reviewers.rules import (
    completeness,
    data_pipeline,
    evaluation,
    evaluation_start,
    file_structure,
    hydra_integration,
    hydra_keys,
    hydra_start,
    library_names,
    model,
    modes,
    run_configurations,
    search_spaces,
    tracking,
)
from reviewers.rules.base import Flag, Rule, find_rule, registered
from reviewers.rules.run import run_rules

__all__ = ["Flag", "Rule", "find_rule", "registered", "run_rules"]

_REGISTERING = (
    completeness,
    hydra_integration,
    hydra_keys,
    hydra_start,
    library_names,
    data_pipeline,
    model,
    file_structure,
    tracking,
    run_configurations,
    search_spaces,
    evaluation,
    evaluation_start,
    modes,
)
