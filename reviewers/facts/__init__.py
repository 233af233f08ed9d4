"""What can be known of a submission without running it; each fact is computed once, when first
asked for.
"""

import re
from collections.abc import Mapping

from reviewers import settings
from reviewers.facts.data_use import DataProblem, data_problems
from reviewers.facts.evaluation_script import EvaluationScript
from reviewers.facts.hydra_config import HydraConfig
from reviewers.facts.library_types import LibraryTypes
from reviewers.facts.local_code import LocalCode
from reviewers.facts.models import Models
from reviewers.facts.packaging import Packaging
from reviewers.facts.parsing import encoding_problem
from reviewers.facts.python_file import PythonFile
from reviewers.facts.third_party import Index, load_index
from reviewers.facts.tracking import Tracking
from reviewers.facts.trial_mode import TrialMode
from reviewers.records import Span, Submission, lines_of
from reviewers.rubric.choice import Chosen, contract_of
from reviewers.rubric.contract import Contract
from reviewers.steps import Steps, fact, leave_out

__all__ = [
    "EvaluationScript",
    "Facts",
    "HydraConfig",
    "Models",
    "Packaging",
    "PythonFile",
    "Tracking",
    "TrialMode",
]


# Of all Python files together, and the largest real submission has a tenth of each. What is
# linear in the code takes seconds here, for each rule goes through it.
MOST_CHARACTERS = 500_000
MOST_TOKENS = 150_000
_TOKEN = re.compile(r"\w+|[^\w\s]")


class Facts:
    """The one place that looks into a submission's code; rules and fact checks ask the same
    questions of it.
    """

    def __init__(self, submission: Submission) -> None:
        self.submission = submission
        self.steps = Steps(settings.review_seconds())
        self._lines: dict[str, list[str]] = {}

    def text(self, path: str) -> str | None:
        """The text of a file or run config, None where there is no such file."""
        file = self.submission.by_path.get(path)
        return None if file is None else file.text

    def lines(self, path: str) -> list[str]:
        """The lines of a file without their ends; line n is at index n - 1. Empty where there is no
        such file.
        """
        if path not in self._lines:
            self._lines[path] = lines_of(self.text(path) or "")
        return self._lines[path]

    def code(self, span: Span) -> str:
        """The code of a span on one line, cut at 400 characters."""
        lines = self.lines(span.file)[(span.line or 1) - 1 : span.end_line]
        return " ".join(line.strip() for line in lines)[:400]

    @fact
    def chosen(self) -> Chosen:
        """The contract by which the submission is judged, and how it is known."""
        return contract_of(self.submission)

    @property
    def contract(self) -> Contract:
        """What the submission's pipeline asks of it."""
        return self.chosen.contract

    def asks_for(self, *words: str) -> bool:
        """Whether the rubric that the submission was made for asks for it: one of the words stands
        in it, in any case.

        Where a bundle brings no rubric along, the present one holds, which asks for all that the
        rules look for.
        """
        criteria = self.submission.context.criteria
        return criteria is None or any(word.casefold() in criteria.casefold() for word in words)

    @fact
    def python(self) -> Mapping[str, PythonFile]:
        """Every Python file by path, those that do not parse included."""
        found: dict[str, PythonFile] = {}
        characters, tokens = MOST_CHARACTERS, MOST_TOKENS
        for file in self.submission.files:
            if not file.path.endswith(".py"):
                continue
            text = file.text
            is_read = len(text) <= characters
            if is_read:
                count = sum(1 for _ in _TOKEN.finditer(text))
                is_read = count <= tokens
            if is_read:
                characters, tokens = characters - len(text), tokens - count
            else:
                leave_out(
                    f"{file.path}: not read, all Python files together are looked at up to"
                    f" {MOST_CHARACTERS:,} characters and {MOST_TOKENS:,} words and signs"
                )
            undecodable = encoding_problem(file.path, file.data)
            found[file.path] = PythonFile(file.path, text, undecodable, is_read=is_read)
        return found

    @fact
    def local_code(self) -> LocalCode:
        """Which functions and classes of the submission its calls mean."""
        return LocalCode(self.python)

    @fact
    def hydra(self) -> HydraConfig:
        """The configuration of every run, composed as the code would."""
        return HydraConfig(self.submission, self.python)

    @fact
    def models(self) -> Models:
        """The pretrained models and adapters that each run loads."""
        return Models(self.submission, self.python, self.hydra)

    @fact
    def evaluation(self) -> EvaluationScript:
        """What evaluate.py asks of its command line and what it writes."""
        return EvaluationScript(self.python.get("src/evaluate.py"))

    @fact
    def library_types(self) -> LibraryTypes:
        """Of which classes of third-party libraries the values in the code certainly are."""
        passed = self.hydra.passed if self.submission.runs else {}
        return LibraryTypes(
            self.local_code,
            self.third_party,
            lambda call: [given for _, given in passed.get(call, ())],
        )

    @fact
    def packaging(self) -> Packaging:
        """What `pyproject.toml` declares, and why an installer would reject it."""
        file = self.submission.by_path.get("pyproject.toml")
        return Packaging(None) if file is None else Packaging(file.text, file.bad_byte)

    @fact
    def tracking(self) -> Tracking:
        """The metric keys that train.py logs and those that evaluate.py reads."""
        return Tracking(self.python)

    @fact
    def data_problems(self) -> tuple[DataProblem, ...]:
        """What goes wrong with data sets, tokenizers and loaders in any run."""
        return data_problems(self.hydra, self.python)

    @fact
    def trial_mode(self) -> TrialMode:
        """What the code does differently in trial mode."""
        return TrialMode(self.python)

    @property
    def third_party(self) -> Index:
        """Which public names third-party libraries have, by version."""
        return load_index()
