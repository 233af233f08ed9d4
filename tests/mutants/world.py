"""Starts a submission for real: the documented commands of its contract, in the stub world.

Only our own code is ever started here: the sample bundles and the tests' submissions, and what the
operators make of them.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reviewers.bundles import open_bundle
from reviewers.records import Submission
from reviewers.rubric.choice import contract_of

_INSIDE = Path(__file__).parent / "inside"
_SECONDS = 20  # of processor time for one start; three times as much of the clock


@dataclass(frozen=True)
class Cause:
    """An exception, or one that it was raised from.

    Attributes:
        types: its class and what that stands on.
        places: (path, line) of the submission on the way to it, the innermost first.
        key: the full key of a setting that OmegaConf mentions.
    """

    types: Sequence[str]
    message: str
    places: Sequence[tuple[str, int]]
    key: str


@dataclass(frozen=True)
class Met:
    """The first failure that a documented command really met, in whichever process."""

    command: str
    process: str
    causes: Sequence[Cause]

    def __str__(self) -> str:
        first = self.causes[0]
        place = "{}:{}".format(*first.places[0]) if first.places else "outside the submission"
        message = " ".join(first.message.split())[:160]
        return f"{first.types[0]}: {message} [{place}] in `{self.process}`"


@dataclass(frozen=True)
class Started:
    """What happened to a submission's documented commands, up to the first that fails."""

    commands: Sequence[str]
    met: Met | None
    seconds: float
    log: str


class World:
    """A process with Hydra imported that forks one process for each start; a context manager."""

    def __enter__(self) -> "World":
        self._folder = tempfile.TemporaryDirectory(prefix="areachair-world-")
        home = self._folder.name
        self._environment = {
            "HOME": home,
            "PATH": "",
            "PYTHONPATH": str(_INSIDE),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "HYDRA_FULL_ERROR": "1",
            "LC_ALL": "C.UTF-8",
        }
        self._server = subprocess.Popen(
            [sys.executable, str(_INSIDE / "stub_world.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=self._environment,
            cwd=home,
            text=True,
        )
        self._number = 0
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stdin.close()
        self._server.stdout.close()
        self._server.wait()
        self._folder.cleanup()

    def lay(self, files: Mapping[str, str]) -> Path:
        """Write a submission into a folder of its own."""
        self._number += 1
        root = Path(self._folder.name).resolve() / str(self._number) / "submission"
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, "utf-8")
        return root

    def start(
        self,
        root: Path,
        trace: Path | None = None,
        installed: Mapping[str, Sequence[int]] | None = None,
    ) -> Started:
        """Start the documented commands one after another until one fails.

        Args:
            trace: a file for the lines that are executed; then no command is left out.
            installed: the modules of libraries that are there, with their versions; all of them
                where nothing is given.
        """
        commands, seconds = [], 0.0
        for words in documented(open_bundle(root)):
            commands.append(" ".join(words))
            met, used, log = self._one(root, words, trace, installed)
            seconds += used
            if met is not None and trace is None:
                return Started(commands, met, seconds, log)
        return Started(commands, None, seconds, "")

    def _one(
        self,
        root: Path,
        words: Sequence[str],
        trace: Path | None,
        installed: Mapping[str, Sequence[int]] | None,
    ) -> tuple[Met | None, float, str]:
        report, log = root.parent / "report", root.parent / "log"
        report.unlink(missing_ok=True)
        asked = {
            "words": words,
            "folder": str(root),
            "log": str(log),
            "seconds": _SECONDS,
            "environment": {
                "STUB_WORLD_REPORT": str(report),
                "STUB_WORLD_ROOT": str(root),
                "STUB_WORLD_TRACE": str(trace or ""),
                "STUB_WORLD_INSTALLED": "" if installed is None else json.dumps(dict(installed)),
            },
        }
        self._server.stdin.write(json.dumps(asked) + "\n")
        self._server.stdin.flush()
        answer = json.loads(self._server.stdout.readline())
        text = log.read_text("utf-8", "replace") if log.exists() else ""
        log.unlink(missing_ok=True)
        command = " ".join(words)
        if report.exists():
            records = [json.loads(line) for line in report.read_text("utf-8").splitlines()]
            first = records[0]
            # A child that never came to its own code: the place is where its parent started it.
            if not first["causes"][0]["places"]:
                first["causes"] += [cause for one in records[1:] for cause in one["causes"]]
            causes = [
                Cause(one["types"], one["message"], [tuple(at) for at in one["places"]], one["key"])
                for one in first["causes"]
            ]
            return Met(command, " ".join(first["command"]), causes), answer["seconds"], text
        if answer["code"]:
            ended = Cause(["Ended"], f"exit code {answer['code']}", [], "")
            return Met(command, command, [ended]), answer["seconds"], text
        return None, answer["seconds"], text


def documented(submission: Submission) -> Iterator[list[str]]:
    """The words after `python` of each documented command, for each run and mode."""
    contract = contract_of(submission).contract
    run_ids = [run.run_id for run in submission.runs]
    filled = {"results_dir": "results", "run_ids": json.dumps(run_ids)}
    seen = set()
    for command in contract.commands.values():
        if not command.line:
            continue
        start = command.start.split()[1:]
        for settings in contract.modes.values():
            for run_id in run_ids or [""]:
                words = (*start, *command.words(settings.word, run_id=run_id, **filled))
                if words not in seen:
                    seen.add(words)
                    yield list(words)
