"""Follows a configuration through the code under review, with real OmegaConf objects and without
executing any of that code.
"""

from reviewers.facts.config_flow.follow import Line, Trace, Visit, follow, follow_script
from reviewers.facts.config_flow.model_calls import ModelCall
from reviewers.facts.config_flow.passed import Passed
from reviewers.facts.config_flow.values import UNKNOWN, ConfigProblem, Created, ProblemKind

__all__ = [
    "UNKNOWN",
    "ConfigProblem",
    "Created",
    "Line",
    "ModelCall",
    "Passed",
    "ProblemKind",
    "Trace",
    "Visit",
    "follow",
    "follow_script",
]
