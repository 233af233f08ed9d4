"""For tests that ask models from the command line: configurations, small submissions, and the
command as a process.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import tomlkit

from reviewers.bundles import submission_to_json
from reviewers.settings import sqlite_url
from tests.builders import make_submission
from tests.console import start_console


class Desk:
    """A folder with a store, a configuration and a cache of its own, and the command line that
    works there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store_url = sqlite_url(folder / "store.sqlite3")
        self.configuration = folder / "reviewers.toml"
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")},
            "AREACHAIR_STORE": self.store_url,
            "AREACHAIR_REVIEWERS": str(self.configuration),
            "AREACHAIR_CACHE": str(folder / "cache" / "replies"),
        }

    def configure(
        self, *reviewers: Mapping[str, Any], budget: Mapping[str, Any] | None = None
    ) -> None:
        """Write the configuration; a reviewer needs no key and is retried at once unless it says
        otherwise.
        """
        tables = [
            {"key_env": "", "model": f"{reviewer['name']}-model", **reviewer}
            for reviewer in reviewers
        ]
        self.configuration.write_text(
            tomlkit.dumps({"reviewer": tables, **({"budget": budget} if budget else {})}), "utf-8"
        )

    def start(self, *words: object, **variables: str) -> "subprocess.Popen[str]":
        """Start the command as a process."""
        script = Path(sys.executable).with_name("areachair")
        return subprocess.Popen(
            [script, *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**self.environment, **variables},
        )

    def run(self, *words: object, **variables: str) -> "subprocess.CompletedProcess[str]":
        """Run the command to its end."""
        given = [*map(str, words)]
        with TemporaryFile("w+") as out, TemporaryFile("w+") as err:
            environment = {**self.environment, **variables}
            process = start_console(given, environment, out.fileno(), err.fileno())
            process.join(240)
            printed = [file.read() for file in (out, err) if file.seek(0) == 0]
        assert process.exitcode is not None, "it did not end"
        return subprocess.CompletedProcess(given, process.exitcode, *printed)


def write_bundles(
    folder: Path, count: int, files: Mapping[str, str | None] | None = None
) -> list[Path]:
    """Write so many small submissions that differ in one comment, a JSON file each."""
    folder.mkdir(parents=True, exist_ok=True)
    small = {
        "src/model.py": "VALUE = 1\n",
        "src/train.py": "import os\n",
        "src/evaluate.py": "",
        "src/preprocess.py": "",
    }
    paths = []
    for number in range(count):
        submission = make_submission(
            files={**small, "src/main.py": f"# submission {number}\n", **(files or {})},
            name=f"small-{number:04}",
        )
        path = folder / f"small-{number:04}.json"
        path.write_text(json.dumps(submission_to_json(submission)), "utf-8")
        paths.append(path)
    return paths


def rows(done: "subprocess.CompletedProcess[str]") -> list[dict[str, Any]]:
    """Return the JSON lines that `review --format json` printed."""
    return [json.loads(line) for line in done.stdout.splitlines()]
