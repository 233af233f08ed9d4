"""Follows a configuration through the code under review, with real OmegaConf objects and without executing any of that code."""

from reviewers.facts.config_flow.follow import Trace, follow, follow_script
from reviewers.facts.config_flow.values import ConfigProblem, ProblemKind

__all__ = ["ConfigProblem", "ProblemKind", "Trace", "follow", "follow_script"]
