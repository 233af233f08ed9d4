"""What is taken for granted of the world in which a submission runs, where its code asks.

A condition that only this decides is followed in the assumed way, and in the other one in doubt;
what is found behind it says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Thing:
    """An object of a library's class: it is there, and no more is known of it."""

    kind: str


@dataclass(frozen=True, slots=True)
class Assumption:
    """One thing that is so.

    Attributes:
        sentence: as it stands behind "where".
        names: what gives the value: calls, or attributes of a `Thing`.
        of: the first argument with which a call gives it; empty for any.
    """

    sentence: str
    value: Any
    names: tuple[str, ...]
    of: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Assumed:
    """A value that is only assumed, and the sentence that says why."""

    value: Any
    where: str


_CHILD = "the processes that it starts end well"
ASSUMPTIONS = (
    Assumption("CUDA is there", True, ("torch.cuda.is_available",)),
    Assumption("CUDA is there", 1, ("torch.cuda.device_count",)),
    Assumption("WandB starts a run", Thing("wandb.Run"), ("wandb.init",)),
    Assumption("WandB has its key", True, ("wandb.login",)),
    Assumption("WandB has its key", "…", ("os.getenv", "os.environ.get"), "WANDB_API_KEY"),
    Assumption(_CHILD, Thing("subprocess.Popen"), ("subprocess.run", "subprocess.Popen")),
    Assumption(_CHILD, 0, ("subprocess.call", "os.system")),
    Assumption(_CHILD, 0, tuple(f"subprocess.Popen.{n}" for n in ("returncode", "wait", "poll"))),
)
TRIAL = Assumed(Thing("optuna.trial.Trial"), "a search gives its function a trial")
MODULE = Assumed(Thing("module"), "the libraries that it imports are there")
SENTENCES = tuple(
    dict.fromkeys([*(one.sentence for one in ASSUMPTIONS), TRIAL.where, MODULE.where])
)

_BY_NAME = {(name, one.of): one for one in ASSUMPTIONS for name in one.names}


def assumed(name: str, args: Sequence[Any] = ()) -> Assumed | None:
    """What a call, or an attribute of a thing, is assumed to give; None where nothing is."""
    first = args[0] if args and isinstance(args[0], str) else ""
    found = _BY_NAME.get((name, "")) or _BY_NAME.get((name, first))
    return Assumed(found.value, found.sentence) if found else None


def where(values: Sequence[Any]) -> str:
    """On what a result rests that was made of these; empty where nothing is assumed."""
    return next((one.where for one in values if isinstance(one, Assumed)), "")
