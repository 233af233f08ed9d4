"""The starts of scripts that parse their command line themselves, and of those that they start."""

import ast
import fnmatch
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewers.facts.config_flow import Trace, follow_script
from reviewers.facts.config_flow.files import OUTPUTS
from reviewers.facts.config_flow.follow import main_body
from reviewers.facts.config_flow.processes import script
from reviewers.facts.config_flow.values import PartlyKnown, ScriptProcess, Value
from reviewers.facts.entry_points import EntryPoint
from reviewers.facts.python_file import PythonFile
from reviewers.facts.submitted_files import SubmittedFiles
from reviewers.records import Span
from reviewers.steps import leave_out, spend

_FOLDERS = ("", OUTPUTS)  # in which a script is followed
MOST_STARTS = 64  # of one submission, those by other scripts included
_MOST_STEPS = 1_000_000  # that following them takes; real ones take a twentieth
_DEEPEST = 4
_LONGEST = 20_000  # characters of a text in which commands may stand
_COMMAND = re.compile(
    r"^[ \t>$#*`-]*((?:uv run |poetry run )?(?:python3?|torchrun|accelerate launch) [^`\n]+)",
    re.MULTILINE,
)
_TELLING = (".md", ".rst", ".sh", ".txt")
# What stands for others in a word that is shown.
_OPEN = re.compile(r"<[^<>]*>|\$?\{[^{}]*\}|\$\w+|\[[^\[\]]*\]|…|\.\.\.|[<>\[\]{}]")
_MOST_FILES = 16
_AFTER = frozenset({"&&", "||", ";", "|", ">", ">>", "2>&1", "&", "#"})


@dataclass(frozen=True, slots=True)
class ScriptStart:
    """One start of a script: by a command, or by another script in a process of its own.

    Attributes:
        path: the script.
        run_id: the run that the command names, if any.
        mode_word: what is typed for the mode, empty if there is none.
        command: what a person types, also where another script is started by it.
        by: the script that starts it; empty for what a person types.
        is_documented: whether the contract has the command, so that no word of it is an example.
        trace: what following it gave.
    """

    path: str
    run_id: str
    mode_word: str
    command: str
    by: str
    is_documented: bool
    trace: Trace

    # A script starts, and nothing of the start is repaired; Hydra composes nothing for it.
    repaired = None
    config = None
    words = ()

    @property
    def entry(self) -> EntryPoint:
        """The script, as what Hydra would start."""
        return EntryPoint(self.path, "", None, None, None, Span(self.path))

    @property
    def mode(self) -> str:
        """What tells its mode, as it is typed."""
        return self.mode_word

    @property
    def subject(self) -> str:
        """The run, else the script."""
        return self.run_id or self.path.rpartition("/")[2]

    @property
    def told(self) -> str:
        """Where something happens, in a few words."""
        return f"run {self.run_id}" if self.run_id else f"`{self.command}`"

    @property
    def short_command(self) -> str:
        """The command that is typed."""
        return self.command

    @property
    def followed(self) -> str:
        """What was followed."""
        started = f", which {self.by} starts," if self.by else ""
        return f"followed with the configuration that it loads, {self.path}{started}"


@dataclass(frozen=True, slots=True)
class Typed:
    """A command that is typed: its script, its words, and how it is shown; or one by which a script
    that is typed starts another, in the working directory `folder`.
    """

    path: str
    words: tuple[Value, ...]
    shown: str
    run_id: str = ""
    mode_word: str = ""
    is_bare: bool = False
    is_documented: bool = False
    by: str = ""
    folder: str = ""

    @property
    def process(self) -> ScriptProcess:
        """The process that it starts."""
        return ScriptProcess(self.path, self.words, {}, folder=self.folder)


def script_starts(
    typed: Sequence[Typed],
    python: Mapping[str, PythonFile],
    files: SubmittedFiles,
    others: Collection[str],
) -> Iterator[ScriptStart]:
    """Every start that these commands make, those by other scripts after that of the script that
    makes them.

    Args:
        files: the submission's configuration files by path.
        others: scripts whose command line Hydra reads; they are not followed here.
    """
    left, steps = MOST_STARTS, 0
    for command in typed:
        waiting = [(command.process, command.by, 0)]
        while waiting:
            process, by, depth = waiting.pop(0)
            if (
                process.path in others
                or process.path not in python
                or process.folder not in _FOLDERS
            ):
                continue
            if not left or steps > _MOST_STEPS:
                leave_out(f"only the first {MOST_STARTS - left} starts of scripts are followed")
                return
            left -= 1
            trace = follow_script(
                python,
                process.path,
                files,
                process.words,
                process.files,
                is_bare=command.is_bare and not by,
                folder=process.folder,
                environ=process.environment,
            )
            if trace is None:
                continue
            steps += trace.steps
            yield ScriptStart(
                process.path,
                command.run_id,
                command.mode_word,
                command.shown,
                by,
                command.is_documented,
                trace,
            )
            if not trace.complete:
                leave_out("the starts after one that is not followed to the end")
                return
            if depth < _DEEPEST:
                waiting += [(one, process.path, depth + 1) for one in trace.processes]


def written_commands(
    python: Mapping[str, PythonFile], texts: Mapping[str, str], files: Collection[str]
) -> tuple[Typed, ...]:
    """The starts that the submission's own words show, in a README or a script's docstring; where
    they show none, each script that no other one names, without words.

    Args:
        texts: all texts of the submission by path.
        files: its configuration files.
    """
    scripts = [path for path, file in python.items() if main_body(file) is not None]
    told = [text for path, text in texts.items() if path.lower().endswith(_TELLING)]
    trees = [file.tree for path, file in python.items() if path in scripts and file.tree]
    told += [ast.get_docstring(tree) or "" for tree in trees]
    found: dict[tuple[str, tuple[str, ...]], Typed] = {}
    for text in told:
        for line in _COMMAND.finditer(text[:_LONGEST].replace("\\\n", " ")):
            command = line[1].strip()
            for words in _filled(_words(command), files):
                started = script(words, python)
                if started is not None:
                    path, rest = started[0], tuple(map(str, started[1]))
                    meant = (
                        PartlyKnown(f"{{}}{word}") if _is_open(word) else word for word in rest
                    )
                    shown_as = command if words == _words(command) else shlex.join(words)
                    found.setdefault((path, rest), Typed(path, tuple(meant), shown_as))
    shown = {path for path, _ in found}
    for path in scripts[:MOST_STARTS]:
        if path not in shown and not _is_named(path, python):
            module = path.removesuffix(".py").replace("/", ".")
            command = f"python -m {module}" if "." in module else f"python {path}"
            found[path, ()] = Typed(path, (), command, is_bare=True)
    return tuple(found.values())


def _filled(words: list[str], files: Collection[str]) -> Iterator[list[str]]:
    """The words with each file of the submission for which one of them stands: `configs/<name>`."""
    for at, word in enumerate(words):
        pattern = _OPEN.sub("*", word).removeprefix("./")
        if _is_open(word) and "/" in pattern:
            fitting = fnmatch.filter(sorted(files), pattern)
            if 0 < len(fitting) <= _MOST_FILES:
                yield from ([*words[:at], path, *words[at + 1 :]] for path in fitting)
                return
    yield words


def _is_open(word: str) -> bool:
    """Whether a word stands for others."""
    return _OPEN.search(word) is not None


def _is_named(path: str, python: Mapping[str, PythonFile]) -> bool:
    """Whether another file mentions a script, as what starts it would."""
    spend(sum(len(file.text) for file in python.values()) // 1_000)
    module = path.removesuffix(".py").replace("/", ".")
    names = re.compile(rf"""["'](?:[\w./]*/)?(?:{re.escape(path)}|{re.escape(module)})["']""")
    return any(names.search(file.text) for other, file in python.items() if other != path)


def _words(line: str) -> list[str]:
    try:
        words = shlex.split(line)
    except ValueError:
        return []
    end = next((at for at, word in enumerate(words) if word in _AFTER), len(words))
    return words[:end]
