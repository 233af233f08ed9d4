"""What can be known of a submission without running it; each fact is computed once, when first asked for."""

from collections.abc import Mapping
from functools import cached_property

from reviewers.facts.evaluation_script import EvaluationScript
from reviewers.facts.hydra_config import HydraConfig
from reviewers.facts.packaging import Packaging
from reviewers.facts.python_file import PythonFile
from reviewers.facts.tracking import Tracking
from reviewers.records import Span, Submission, lines_of

__all__ = ["EvaluationScript", "Facts", "HydraConfig", "Packaging", "PythonFile", "Tracking"]


class Facts:
    """The one place that looks into a submission's code; rules and fact checks ask the same questions of it."""

    def __init__(self, submission: Submission) -> None:
        self.submission = submission

    def text(self, path: str) -> str | None:
        """The text of a file or run config, None where there is no such file."""
        file = self.submission.by_path.get(path)
        return None if file is None else file.text

    def lines(self, path: str) -> list[str]:
        """The lines of a file without their ends; line n is at index n - 1. Empty where there is no such file."""
        return lines_of(self.text(path) or "")

    def code(self, span: Span) -> str:
        """The code of a span on one line, cut at 400 characters."""
        lines = self.lines(span.file)[(span.line or 1) - 1 : span.end_line]
        return " ".join(line.strip() for line in lines)[:400]

    @cached_property
    def python(self) -> Mapping[str, PythonFile]:
        """Every Python file by path, those that do not parse included."""
        return {file.path: PythonFile(file.path, file.text) for file in self.submission.files if file.path.endswith(".py")}

    @cached_property
    def hydra(self) -> HydraConfig:
        """The configuration of every run, composed as the code would."""
        return HydraConfig(self.submission, self.python)

    @cached_property
    def evaluation(self) -> EvaluationScript:
        """What evaluate.py asks of its command line and what it writes."""
        return EvaluationScript(self.python.get("src/evaluate.py"))

    @cached_property
    def packaging(self) -> Packaging:
        """What `pyproject.toml` declares, and why an installer would reject it."""
        return Packaging(self.text("pyproject.toml"))

    @cached_property
    def tracking(self) -> Tracking:
        """The metric keys that train.py logs and those that evaluate.py reads."""
        return Tracking(self.python)
