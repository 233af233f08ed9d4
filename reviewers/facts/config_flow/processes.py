"""The scripts of the submission that code starts in processes of their own."""

import ast
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace

from reviewers.facts.config_flow import handlers
from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.calls import called, unknown
from reviewers.facts.config_flow.files import folder_of, path_of, within
from reviewers.facts.config_flow.follower import Follower
from reviewers.facts.config_flow.operations import invalid, shown, text_of
from reviewers.facts.config_flow.tables import OutsideCall, method, transfer
from reviewers.facts.config_flow.values import (
    UNKNOWN,
    Bound,
    CallScope,
    Leave,
    PartlyKnown,
    ProblemKind,
    ScriptProcess,
    SomePath,
    Value,
    copied,
)
from reviewers.facts.python_file import PythonFile

STARTING = frozenset(
    {
        "os.system",
        *(f"subprocess.{name}" for name in ("Popen", "call", "check_call", "check_output", "run")),
    }
)
_MOST = 64
_IN_A_SHELL = frozenset({"cd", "&&", ";", "||"})
_VARIABLE = re.compile(r"([A-Z_]\w*)=(.*)", re.DOTALL)
PYTHON = re.compile(r"(^|/)(python[\d.]*|uv|torchrun|accelerate|deepspeed)$")
# Modules that start the script after them.
_LAUNCHERS = frozenset(
    {"accelerate.commands.launch", "torch.distributed.launch", "torch.distributed.run"}
)


@transfer(*STARTING)
def _start(call: OutsideCall, args: Value = UNKNOWN, cwd: Value = None) -> Value:
    """Keep what a call that starts a process is given, and the script that it certainly starts."""
    follower = call.follower
    for word in args if type(args) is list else ():
        if isinstance(word, int | float | None):
            said = f"expected str, bytes or os.PathLike object, not {type(word).__name__}"
            raise invalid(TypeError(said), word)
    if _is_no_program(call, args):
        named = shown(args).replace("{}", "…")
        raise invalid(FileNotFoundError(f"[Errno 2] No such file or directory: {named!r}"))
    follower.trace.handed_over.append((call.name, copied(args)))
    started = launched(_words(args))
    # Of a start in a loop that may have no turn, or under an unknown condition, nothing is certain.
    if started is None or follower.may_not_happen or len(follower.trace.processes) >= _MOST:
        return unknown(call)
    where, process = started
    folder = folder_of(follower, SomePath((), here=True) if cwd is None else cwd)
    if call.is_open or process.folder is None:
        folder = None
    # The variables that it is given, else those of this process.
    given = UNKNOWN if call.is_open else call.keywords.get("env")
    given = follower.environ if given is None else given
    follower.trace.processes.append(
        replace(
            process,
            path=str(within(folder, where) if where.here and folder else where),
            files=dict(follower.written),
            folder=folder,
            environment={**given, **process.environment} if isinstance(given, dict) else UNKNOWN,
            node=call.node,
        )
    )
    return unknown(call)


def _is_no_program(call: OutsideCall, args: Value) -> bool:
    """Whether a whole command line is taken for the name of a program, since no shell splits it."""
    text = text_of(args)
    with_shell = call.name == "os.system" or call.is_open or call.keywords.get("shell", False)
    return text is not None and " " in text.strip() and with_shell is False


@transfer(*handlers.ENDING)
def _end(call: OutsideCall, status: Value = None) -> Value:
    """What a script does that ends itself."""
    if call.node is not None and call.scope:
        tell_end(call.follower, status, call.node, call.scope)
    raise Leave("raise", error="SystemExit")


@transfer("atexit.register", "signal.signal")
def _at_an_event(call: OutsideCall) -> Value:
    """What takes a function that may never be called, and ends the process where it is."""
    return UNKNOWN


def tell_end(follower: Follower, status: Value, node: ast.AST, scope: CallScope) -> None:
    """Tell of a script that ends itself with a text or an exit code other than zero."""
    if isinstance(status, (str, int)) and status:
        text = status if isinstance(status, str) else f"exit code {int(status)}"
        told = text.partition("\n")[0][:200]
        refusal = AccessError(ProblemKind.RAISED, "SystemExit", told, *follower.because())
        follower.report(refusal, node, scope)


@transfer("os.getenv")
def _variable(call: OutsideCall, key: Value, default: Value = None) -> Value:
    environ = Bound(call.follower.environ, "get")
    return called(OutsideCall(call.follower, environ, (key, default), {}))


@transfer("shlex.split")
@method(PartlyKnown, "split")
def _split(call: OutsideCall, text: Value, sep: Value = None) -> Value:
    known = isinstance(text, (str, PartlyKnown)) and sep in (None, " ") and not call.keywords
    return list(_words(text)) if known else UNKNOWN


def _words(given: Value) -> Sequence[Value]:
    """The words of a command line, of which no unknown part is taken to have blanks."""
    if isinstance(given, (list, tuple)):
        return given
    text = given.text if isinstance(given, PartlyKnown) else given
    try:
        words = shlex.split(text) if isinstance(text, str) else []
    except ValueError:
        return []
    return [PartlyKnown(word) if "{}" in word else word for word in words]


def launched(words: Sequence[Value]) -> tuple[SomePath, ScriptProcess] | None:
    """The file that a command line means, which need not be there, and the start of it as far as
    the words tell; None where they start no Python script that is known.
    """
    variables: dict[str, Value] = {}
    folder: str | None = ""
    for at, word in enumerate(words):
        text = word if isinstance(word, str) else ""
        if text in ("-c", "-"):
            return None
        if given := _VARIABLE.fullmatch(text):
            variables[given[1]] = given[2]
        folder = None if text in _IN_A_SHELL else folder
        rest = tuple(words[at + 1 :])
        if text == "-m" and rest:
            module = rest[0]
            if isinstance(module, str) and module in _LAUNCHERS:
                return launched(rest)
            if not isinstance(module, str) or "{}" in module:
                return None
            path = SomePath(()).joined(f"{module.replace('.', '/')}.py")
            return path, ScriptProcess(str(path), rest[1:], {}, True, folder, variables)
        where = path_of(word) if isinstance(word, (str, SomePath)) else None
        is_script = where is not None and str(where).endswith(".py") and not where.is_absolute
        if (
            where is not None
            and is_script
            and any(not isinstance(one, str) or PYTHON.search(one) for one in words[:at])
        ):
            return where, ScriptProcess(str(where), rest, {}, False, folder, variables)
    return None


def script(
    words: Sequence[Value], python: Mapping[str, PythonFile]
) -> tuple[str, tuple[Value, ...]] | None:
    """The script of the submission that a command line starts, and the words after it."""
    _, found = launched(words) or (None, None)
    return (found.path, found.words) if found is not None and found.path in python else None
