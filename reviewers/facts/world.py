"""Assumptions about the environment in which a submission runs, where its code asks for it.

A condition that only such an assumption decides is followed in the assumed branch, and in the other
one in doubt; a finding behind it says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Thing:
    """An object of a library's class of which nothing else is known."""

    kind: str


@dataclass(frozen=True, slots=True)
class Assumption:
    """One assumption about the environment.

    Attributes:
        sentence: as it follows "where" in a finding.
        names: the calls, or the attributes of a `Thing` or of the environment, that give the value.
    """

    sentence: str
    value: Any
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Assumed:
    """A value that is only assumed, and the sentence that says why."""

    value: Any
    where: str


_CHILD = "the processes that the code starts succeed"
ASSUMPTIONS = (
    Assumption("CUDA is available", True, ("torch.cuda.is_available",)),
    Assumption("CUDA is available", 1, ("torch.cuda.device_count",)),
    Assumption("WandB starts a run and has its key", Thing("wandb.Run"), ("wandb.init",)),
    Assumption("WandB starts a run and has its key", True, ("wandb.login",)),
    Assumption("WandB starts a run and has its key", "…", ("os.environ.WANDB_API_KEY",)),
    Assumption(_CHILD, Thing("subprocess.Popen"), ("subprocess.run", "subprocess.Popen")),
    Assumption(_CHILD, 0, ("subprocess.call", "os.system")),
    Assumption(_CHILD, 0, tuple(f"subprocess.Popen.{n}" for n in ("returncode", "wait", "poll"))),
)
TRIAL = Assumed(Thing("optuna.trial.Trial"), "a search passes its function a trial")
MODULE = Assumed(Thing("module"), "the imported libraries are installed")
BATCH = Assumed(True, "a batch holds tensors")
SENTENCES = tuple(
    dict.fromkeys([*(one.sentence for one in ASSUMPTIONS), TRIAL.where, MODULE.where, BATCH.where])
)

_BY_NAME = {name: one for one in ASSUMPTIONS for name in one.names}
_ENVIRONMENT = "os.environ."


def assumed(name: str) -> Assumed | None:
    """The assumed value of a call or an attribute; None if nothing is assumed."""
    found = _BY_NAME.get(name)
    return Assumed(found.value, found.sentence) if found else None


def variables() -> dict[str, Assumed | None]:
    """The variables that the environment of a command is assumed to have."""
    held = (name for name in _BY_NAME if name.startswith(_ENVIRONMENT))
    return {name.removeprefix(_ENVIRONMENT): assumed(name) for name in held}


def where(values: Sequence[Any]) -> str:
    """The assumptions behind a result made of these values; empty if there are none."""
    return next((one.where for one in values if isinstance(one, Assumed)), "")
