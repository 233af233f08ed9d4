"""What can be known about a submission without running it; each fact is computed once, on first
use.
"""

import ast
import re
from collections.abc import Mapping

from packaging.specifiers import SpecifierSet

from reviewers import settings
from reviewers.facts import specifiers
from reviewers.facts.arrivals import Arrivals
from reviewers.facts.bounds import Bounds
from reviewers.facts.child_exits import Child, children
from reviewers.facts.config_flow import PassedValues
from reviewers.facts.config_reads import ConfigReads
from reviewers.facts.configured import Configured
from reviewers.facts.data_use import DataProblem, data_problems
from reviewers.facts.dependencies import Dependencies, dependencies, installed_otherwise
from reviewers.facts.evaluation_script import EvaluationScript
from reviewers.facts.failures import Failures
from reviewers.facts.file_uses import FileUses
from reviewers.facts.hydra_config import HydraConfig
from reviewers.facts.library_types import LibraryTypes
from reviewers.facts.local_code import LocalCode
from reviewers.facts.local_files import LocalFiles
from reviewers.facts.models import Models
from reviewers.facts.module_search import FailedImport
from reviewers.facts.packaging import Packaging
from reviewers.facts.parsing import encoding_problem
from reviewers.facts.python_file import PythonFile, kept_file
from reviewers.facts.python_starts import failed_imports
from reviewers.facts.reach import Reach
from reviewers.facts.script_starts import ScriptStart
from reviewers.facts.shapes import Shapes
from reviewers.facts.sorts import Sorts
from reviewers.facts.start import Start
from reviewers.facts.third_party import Index, load_index
from reviewers.facts.tracking import Tracking
from reviewers.facts.trial_mode import ModeBranches
from reviewers.facts.unreached import Unreached, unreached
from reviewers.facts.variations import Variations
from reviewers.records import RunConfig, Span, Submission, lines_of
from reviewers.rubric.choice import Chosen, contract_of
from reviewers.rubric.contract import Contract
from reviewers.steps import Steps, fact, leave_out

__all__ = [
    "EvaluationScript", "Facts", "HydraConfig", "ModeBranches", "Models", "Packaging", "PythonFile",
    "Tracking",
]  # fmt: skip


# Of all Python files together: what a well-kept library of a hundred modules has, half as much
# again. What is linear in the code takes seconds here, for each rule goes through it.
MOST_CHARACTERS = 1_500_000
MOST_TOKENS = 500_000
_TOKEN = re.compile(r"\w+|[^\w\s]")


_FOLLOWED = (".py", ".yaml", ".yml", ".json")


class Facts:
    """The one place that looks into a submission's code; rules and fact checks ask the same
    questions of it.
    """

    def __init__(self, submission: Submission) -> None:
        self.submission = submission
        self.steps = Steps(settings.review_seconds())
        self._lines: dict[str, list[str]] = {}

    def take_over(self, other: "Facts") -> None:
        """Take over what following the code gave another version, where the two cannot differ in
        it: it is most of a review's time. They may differ in pyproject.toml, and the starts hold
        for another evaluation, which no other script imports or starts.
        """
        mine, theirs = self.submission.by_path, other.submission.by_path
        if mine.keys() != theirs.keys() or self.contract != other.contract:
            return
        differing = {
            path
            for path, file in mine.items()
            if path.endswith(_FOLLOWED) and file.data != theirs[path].data
        }
        # What was followed is known by the nodes of the files that were followed.
        if not differing:
            self.python = other.python
            self.hydra = other.hydra
        elif differing == {self.evaluator} and not self._is_used(self.evaluator):
            self.python = {**other.python, self.evaluator: self.python[self.evaluator]}
            self.hydra.starts = other.hydra.starts

    def _is_used(self, path: str) -> bool:
        """Whether a Python file names another one, as what imports or starts it does."""
        file = self.python.get(path)
        if file is None or path in self.hydra.entry_points:
            return True
        names = (file.module, path, f"import {file.module.rpartition('.')[2]}")
        return any(
            name in each.text for each in self.python.values() if each is not file for name in names
        )

    def text(self, path: str) -> str | None:
        """The text of a file or run config, None if there is no such file."""
        file = self.submission.by_path.get(path)
        return None if file is None else file.text

    def lines(self, path: str) -> list[str]:
        """The lines of a file without their ends; line n is at index n - 1. Empty if there is no
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

    @property
    def trainer(self) -> str:
        """The path of the script whose work is evaluated; empty if the contract names none."""
        command = self.contract.experiment
        return command.file if command else ""

    @property
    def evaluator(self) -> str:
        """The path of the script that evaluates; empty if the contract names none."""
        return self.contract.file("evaluate") or ""

    @fact
    def runs(self) -> tuple[RunConfig, ...]:
        """The configuration of each run: what the bundle gives as such, else the YAML files in the
        contract's folder.
        """
        folder = (self.contract.runs.folder or "").rstrip("/")
        return self.submission.runs or tuple(
            RunConfig(name.rpartition(".")[0], file)
            for file in self.submission.files
            for inside, _, name in (file.path.rpartition("/"),)
            if folder and inside == folder and name.endswith((".yaml", ".yml"))
        )

    @fact
    def python(self) -> Mapping[str, PythonFile]:
        """Every Python file by path, those that do not parse included."""
        found: dict[str, PythonFile] = {}
        characters, tokens = MOST_CHARACTERS, MOST_TOKENS
        is_small = sum(len(file.text) for file in self.submission.files) <= MOST_TOKENS
        for file in self.submission.files:
            if not file.path.endswith(".py") or "{{" in file.path:
                continue  # a template, not Python yet
            text = file.text
            is_read = len(text) <= characters
            if is_read:
                count = 0 if is_small else sum(1 for _ in _TOKEN.finditer(text))
                is_read = count <= tokens
            if is_read:
                characters, tokens = characters - len(text), tokens - count
            else:
                leave_out(
                    f"{file.path}: not read, all Python files together are looked at up to"
                    f" {MOST_CHARACTERS:,} characters and {MOST_TOKENS:,} words and signs"
                )
            undecodable = encoding_problem(file.path, file.data)
            found[file.path] = (
                kept_file(file.path, text)
                if is_read and undecodable is None
                else PythonFile(file.path, text, undecodable, is_read=is_read)
            )
        return found

    @fact
    def packages(self) -> frozenset[str]:
        """The top-level names from which any file imports."""
        return frozenset().union(*(file.packages for file in self.python.values()))

    @fact
    def children(self) -> tuple[Child, ...]:
        """Each start of a script of the submission by another one, and what happens to its end."""
        return tuple(children(self.python))

    @fact
    def local_code(self) -> LocalCode:
        """Which functions and classes of the submission its calls mean."""
        return LocalCode(self.python)

    @fact
    def config_reads(self) -> ConfigReads:
        """Which keys of its configuration the code reads."""
        return ConfigReads(self.python, self.local_code)

    @fact
    def configured(self) -> Configured:
        """What those reads give on every start."""
        return Configured(self.python, self.config_reads, self.hydra.starts)

    @fact
    def file_uses(self) -> FileUses:
        """Which files the code writes and reads."""
        return FileUses(self.python, LocalFiles(self.python, self.local_code, "", {}))

    @fact
    def reach(self) -> Reach:
        """Which code of the submission a file or a definition may run."""
        return Reach(self.python)

    @fact
    def hydra(self) -> HydraConfig:
        """The configuration of every run, composed as the code would."""
        return HydraConfig(
            self.submission,
            self.runs,
            self.python,
            self.contract,
            lambda: self.file_uses.paths,
        )

    @fact
    def failures(self) -> Failures:
        """What stops the documented commands, as far as composing and following tell."""
        return Failures(self.python, self.hydra, self.contract)

    @fact
    def arrivals(self) -> Arrivals:
        """Whether the processes of a run or a mode come to a place."""
        return Arrivals(self.python, self.failures.processes, self.modes)

    @fact
    def failed_imports(self) -> tuple[FailedImport, ...]:
        """What cannot be imported in the processes that the commands start."""
        return failed_imports(
            self.submission, self.python, self.hydra, self.contract, self.packaging
        )

    @fact
    def models(self) -> Models:
        """The pretrained models and adapters that each run loads."""
        return Models(self.python, self.hydra, self.unreached)

    @fact
    def evaluation(self) -> EvaluationScript:
        """What the evaluation asks of its command line and what it writes."""
        command = self.contract.commands.get("evaluate")
        return EvaluationScript(self.python.get(self.evaluator), command)

    @fact
    def library_types(self) -> LibraryTypes:
        """Of which classes of third-party libraries the values in the code certainly are."""
        passed = self.hydra.passed
        return LibraryTypes(
            self.local_code,
            self.third_party,
            lambda call: [given for _, given in passed.get(call, ())],
        )

    @fact
    def layers_of_runs(
        self,
    ) -> tuple[tuple[Start | ScriptStart, Mapping[ast.Call, PassedValues]], ...]:
        """For each run, what the calls are given that make the layers of its network, each of them
        the same whenever it is made.
        """
        found: dict[str, tuple[Start | ScriptStart, Mapping[ast.Call, PassedValues]]] = {}
        for start in self.hydra.every_start:
            passed = start.trace.passed.items() if start.trace else ()
            layers = {
                call: given[0]
                for call, given in passed
                if given[0].name.startswith("torch.nn.")
                if all(each[2:4] == given[0][2:4] for each in given)
            }
            if layers:
                found.setdefault(start.run_id, (start, layers))
        return tuple(found.values())

    @fact
    def sorts(self) -> Sorts:
        """Of which sort values are."""
        return Sorts(self.local_code, self.file_uses.paths.origins, self.library_types)

    @fact
    def shapes(self) -> Shapes:
        """The sizes of arrays."""
        return Shapes(self.file_uses.paths.origins)

    @fact
    def packaging(self) -> Packaging:
        """What `pyproject.toml` declares, and why an installer would reject it."""
        file = self.submission.by_path.get("pyproject.toml")
        return Packaging(None) if file is None else Packaging(file.text, file.bad_byte)

    @fact
    def dependencies(self) -> Dependencies:
        """Which distributions are there when the code runs."""
        return dependencies(
            self.packaging,
            self.submission.by_path,
            self.python,
            with_uv=self.installs_with_uv,
        )

    @fact
    def installs_with_uv(self) -> bool:
        """Whether the code is started with `uv run`, which installs what pyproject.toml lists and
        nothing else: by the contract's commands, else by those that the submission shows, where it
        shows no other way to install it.
        """
        if self.contract.asks("commands.*.line"):
            return self.contract.installs_with_uv
        return any(
            start.command.startswith("uv run ") for start in self.hydra.scripts
        ) and not installed_otherwise(self.submission.by_path)

    @fact
    def asserted_versions(self) -> Mapping[str, str]:
        """The version of a library that the code insists on, `assert timm.__version__ == "0.3.2"`,
        by distribution.
        """
        found: dict[str, str] = {}
        for file in self.python.values():
            for node in file.of(ast.Assert):
                match node:
                    case ast.Assert(
                        test=ast.Compare(
                            left=ast.Attribute(attr="__version__") as left,
                            ops=[ast.Eq()],
                            comparators=[ast.Constant(value=str(version))],
                        )
                    ):
                        name = self.third_party.distribution_of(file.resolve(left.value) or "")
                        found[name or ""] = f"=={version}"
        return found

    def allowed_versions(self, name: str, *, as_meant: bool = False) -> SpecifierSet | None:
        """The versions of a dotted name's library that pyproject.toml allows, a list beside it or
        an `assert` in the code; None if they name none that can be read.

        Args:
            as_meant: also read Poetry's `^0.15`, which installers reject: a repair may
                keep what it means, or write `>=`.
        """
        library = self.third_party.distribution_of(name) or ""
        for declared in self.packaging.declared:
            if declared.name == library and declared.specifier:
                asked = declared.specifier
                return specifiers.specifier_set(specifiers.as_meant(asked) if as_meant else asked)
        return specifiers.specifier_set(
            self.dependencies.ranges.get(library) or self.asserted_versions.get(library)
        )

    @fact
    def tracking(self) -> Tracking:
        """The metric keys that training logs and those that the evaluation reads."""
        return Tracking(self.python, self.trainer, self.evaluator)

    @fact
    def variations(self) -> Variations:
        """The run variations that the design names, as its configurations hold them."""
        may_read = {path: file for path, file in self.python.items() if path != self.evaluator}
        return Variations(self.submission, self.contract.runs.variations, may_read)

    @fact
    def data_problems(self) -> tuple[DataProblem, ...]:
        """What goes wrong with data sets, tokenizers and loaders in any run."""
        return data_problems(self.hydra, self.python, self.unreached)

    @fact
    def unreached(self) -> tuple[Unreached, ...]:
        """What functions that no start reaches do with data and models."""
        modes = [(name, mode.word) for name, mode in self.contract.modes.items()]
        return unreached(self.hydra, self.python, modes, ("datasets", "transformers"))

    @fact
    def modes(self) -> Mapping[str, ModeBranches]:
        """What the code does differently in each mode of the contract."""
        return {
            name: ModeBranches(self.python, name, mode, self.evaluator)
            for name, mode in self.contract.modes.items()
        }

    @fact
    def bounds(self) -> Bounds:
        """What it does less of in them."""
        return Bounds(self.python, self.local_code, self.config_reads)

    @fact
    def third_party(self) -> Index:
        """Which public names third-party libraries have, by version; a package of the submission's
        own comes before a library of its name, as does a module beside the script that imports it.
        """
        # At the root or under `src/`, where a package is installed from.
        folders = [path.removeprefix("src/").split("/") for path in self.python]
        own = {parts[0] for parts in folders if len(parts) > 1}
        own |= {path.removesuffix(".py") for path in self.python}
        modules = {item.module for file in self.python.values() for item in file.imports}
        packages = {module.rpartition(".")[0] for module in modules}
        packages |= {command.file.rpartition("/")[0] for command in self.contract.commands.values()}
        for path, file in self.python.items():
            inside = path.rpartition("/")[0]
            if inside.replace("/", ".") not in packages:
                names = {item.module.partition(".")[0] for item in file.imports}
                own |= {name for name in names if f"{inside}/{name}.py" in self.python}
        return load_index().without(own)
