"""One small check per family of claims; importing this package registers them all."""

from reviewers.claims.checks import (
    behaviour,
    by_rule,
    commands,
    config,
    definitions,
    files,
    hydra,
    imports,
    knowledge,
    outputs,
    presence,
    sweeping,
    syntax,
    tracking,
    training,
)
from reviewers.claims.checks.base import Case, checks

__all__ = ["Case", "checks"]

_REGISTERING = (
    syntax,
    imports,
    files,
    commands,
    config,
    hydra,
    definitions,
    behaviour,
    outputs,
    tracking,
    training,
    by_rule,
    knowledge,
    sweeping,
    presence,
)
