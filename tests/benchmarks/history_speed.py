"""How long it takes to read a repository of 500 commits, each of which changes one of the seven
files.

    python tests/benchmarks/history_speed.py [REPOSITORY ...]

Run by hand; without arguments a repository is written, and read loose and packed.
"""

import sys
import tempfile
import time
from pathlib import Path

from reviewers.bundles.history import read_history
from tests.builders import make_submission
from tests.reviewers.bundles.git_repository import Repository, tree_of

COMMITS = 500
LINES = 600  # added to each module, so that it is as long as a real one


def written(path: Path) -> Repository:
    """A repository in which every third commit is a fix, as after an accepted submission."""
    repository = Repository(path)
    files = tree_of(make_submission())
    modules = sorted(name for name in files if name.startswith("src/"))
    for name in modules:
        files[name] = bytes(files[name]) + b"".join(
            b"value_%d = compute(%d)\n" % (at, at) for at in range(LINES)
        )
    last: list[str] = []
    for number in range(COMMITS):
        name = modules[number % len(modules)]
        files[name] = files[name].replace(
            b"compute(%d)" % (number % LINES), b"compute(%d, %d)" % (number % LINES, number)
        )
        message = "[CI] Automated fix" if number % 3 else f"attempt {number}"
        last = [repository.commit(files, message, last)]
    return repository


def timed(path: Path, words: str) -> None:
    """Read a repository and print what came out."""
    start = time.perf_counter()
    history = read_history(path)
    seconds = time.perf_counter() - start
    print(
        f"{words:32} {seconds:6.2f} s   {len(history.attempts)} attempts, {len(history.fixes)}"
        f" fixes, {len(history.skipped)} skipped"
    )


def main(words: list[str]) -> None:
    """Print the seconds for each repository."""
    for word in words:
        timed(Path(word), word)
    if not words:
        with tempfile.TemporaryDirectory() as folder:
            repository = written(Path(folder) / "long")
            timed(repository.path, f"{COMMITS} commits, loose objects")
            repository.pack()
            timed(repository.path, f"{COMMITS} commits, one pack")


if __name__ == "__main__":
    main(sys.argv[1:])
