"""One start of a script by a documented command: its words, what Hydra makes of them, and what
following the script with that gave.
"""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace

from omegaconf import DictConfig

from reviewers.facts.composition import CompositionProblem
from reviewers.facts.config_flow import Trace, access
from reviewers.facts.config_nodes import copied
from reviewers.facts.entry_points import EntryPoint
from reviewers.facts.intended import Intended


@dataclass(frozen=True, slots=True)
class Start:
    """One start of an entry point for one run: by a documented command, or by the script of such a
    command in a process of its own.

    Attributes:
        mode: the contract's name for it, empty if the command knows no modes; `mode_word` is
            what is typed for it.
        opening: the command without its words; `words` are those that it passes.
        telling: those of the words that say which run it is, and in which mode.
        composed: what Hydra gives to the entry function, or why it stops before that.
        repaired: what it would give if everything that Hydra refuses were repaired; None if it
            refuses nothing.
        by: the script that passes the words; empty where a person types them.
        trace: what following the function with the one or the other gave; None if there is
            neither.
    """

    entry: EntryPoint
    run_id: str
    mode: str
    mode_word: str
    opening: str
    words: tuple[str, ...]
    telling: tuple[str, ...]
    composed: DictConfig | CompositionProblem
    repaired: Intended | None
    by: str
    trace: Trace | None

    @property
    def config(self) -> DictConfig | None:
        """What the entry function receives, after repairing the start where needed."""
        if self.repaired is not None:
            return self.repaired.config
        return self.composed if isinstance(self.composed, DictConfig) else None

    @property
    def is_imagined(self) -> bool:
        """Whether it only shows what lies behind a defect that another one meets."""
        return self.repaired is not None and not self.repaired.problems

    @property
    def refused(self) -> tuple[CompositionProblem, ...]:
        """What Hydra refuses, each once what comes before it is repaired."""
        if isinstance(self.composed, DictConfig):
            return ()
        behind = self.repaired.problems if self.repaired is not None else ()
        refused = (self.composed, *(problem for problem in behind if problem != self.composed))
        return tuple(_as_written(problem, self.words) for problem in refused)

    @property
    def subject(self) -> str:
        """The run, or the script where it is started for none."""
        return self.run_id or self.entry.path.rpartition("/")[2]

    @property
    def told(self) -> str:
        """Where something happens, in a few words."""
        return f"run {self.run_id}" if self.run_id else f"`{self.opening}`"

    @property
    def followed(self) -> str:
        """What was followed."""
        return f"followed with the configuration composed for {self.subject}, the code"

    @property
    def command(self) -> str:
        """The command as a person would type it."""
        return f"{self.opening} {' '.join(map(_written, self.words))}"

    @property
    def short_command(self) -> str:
        """The command with its words of no interest left out."""
        # What one script passes on to another may name no run at all.
        rest = self.telling if self.telling else (*self.words[: bool(self.run_id)], "…")
        return " ".join([self.opening, *(one if one == "…" else _written(one) for one in rest)])


class StandIn(str):
    """A word of a command line of which a part, `{}`, is only known at run time. The text has a
    value there that Hydra accepts.

    Attributes:
        written: the word as it is shown, without that value.
    """

    written: str

    def __new__(cls, word: str) -> "StandIn":
        made = super().__new__(cls, word.replace("{}", "0"))
        made.written = word.replace("{}", "…")
        return made


def _written(word: str) -> str:
    return word.written if isinstance(word, StandIn) else shlex.quote(word)


def _as_written(problem: CompositionProblem, words: Sequence[str]) -> CompositionProblem:
    """A problem whose message quotes no value that nothing in the submission gives."""
    message = problem.message
    for word in words:
        if isinstance(word, StandIn):
            message = message.replace(word, word.written)
    return replace(problem, message=message)


def without_stand_ins(words: Sequence[str]) -> list[str]:
    return [word for word in words if not isinstance(word, StandIn)]


def followed_with(config: DictConfig, words: Sequence[str]) -> DictConfig:
    """A copy of a configuration in which nothing is known of what a stand-in gives."""
    made = copied(config)
    for word in words:
        if isinstance(word, StandIn):
            access.forget(made, word.partition("=")[0].lstrip("+"))
    return made
