"""Runs small programs of ours for real and abstractly, and says where the abstract run is wrong.

`python -m tests.reviewers.facts.containment 20000 --seed 3` tries many; `--only 17` shows one.
"""

import argparse
import ast
import builtins
import contextlib
import copy
import dis
import io
import os
import re
import sys
import tempfile
import textwrap
import time
import traceback
import types
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

from omegaconf import DictConfig, ListConfig, OmegaConf

from reviewers.facts.config_flow import (
    UNKNOWN,
    ConfigProblem,
    ProblemKind,
    Trace,
    cells,
    follow,
    operations,
)
from reviewers.facts.config_flow.access import plain
from reviewers.facts.config_flow.cells import Cell, Count, Each
from reviewers.facts.config_flow.data_values import DataSet, Names, Row
from reviewers.facts.config_flow.parsers import Namespace
from reviewers.facts.config_flow.values import (
    ANYTHING,
    LIKEWISE,
    External,
    Fixed,
    Instance,
    LocalClass,
    LocalFunction,
    PartlyKnown,
    Several,
    SomePath,
    Unordered,
    is_open,
)
from reviewers.facts.placed import without_place
from reviewers.facts.python_file import PythonFile
from reviewers.facts.submitted_files import SubmittedFiles
from reviewers.facts.world import Assumed, Thing
from tests.reviewers.facts import small_datasets
from tests.reviewers.facts.program_writer import CONFIG, IMPORTS, KINDS
from tests.reviewers.facts.snippets import FAMILIES, Snippet, snippet

_FILE = "src/main.py"
_IN_ONE_FILE = 20
_OTHER = "other"
_MOST_LINES = 4_000  # that one program runs through
_DEEPEST = 12
# An error that leaves `finally` is said to come to its last line, and goes through these.
_CLEANING = frozenset({"COPY", "POP_EXCEPT", "RERAISE", "SWAP"})
_SETS = (set, frozenset)
_LOOPS = ast.For | ast.While | ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
_FIXED = (int, float, str, types.NoneType, tuple, Path)
_HEAD = IMPORTS.count("\n")
_CONFIG = OmegaConf.create(CONFIG)
OmegaConf.set_struct(_CONFIG, True)


class _TooLong(BaseException):
    """The program runs for longer than we wait."""


@dataclass(frozen=True, slots=True)
class Real:
    """What a program did: the values that it showed, by number, the lines that it came to, and the
    errors that ended it, the last one first, each with its line. `is_stopped` where any was raised,
    if only to be caught.
    """

    shown: Mapping[int, list[Any]]
    lines: frozenset[int]
    errors: tuple[tuple[str, int], ...]
    is_stopped: bool


@dataclass(frozen=True, slots=True)
class Result:
    """Where the abstract run of one program is wrong, and of how many values that the real one
    shows it knows exactly what they are.
    """

    number: int
    family: str
    wrong: tuple[str, ...]
    others: tuple[str, ...] = ()  # another error than the certain one, on the same line
    shown: int = 0
    known: int = 0


def config() -> DictConfig:
    """The configuration that every program gets, as Hydra gives it."""
    return copy.deepcopy(_CONFIG)


# The real run


def _world(random: Random) -> types.SimpleNamespace:
    """Values of which the abstract run knows nothing."""
    values = {
        "int": [0, 1, 2, 3, -1, 7],
        "float": [0.0, 0.5, 2.5],
        "str": ["", "a", "bb", "x_y"],
        "bool": [True, False],
        "none": [None],
        "list": [[], [1], [3, 1, 2]],
        "words": [[], ["a", "bb"]],
        "dict": [{}, {"a": 1}, {"a": 2, "b": 3}],
        "tuple": [(), (1, 2)],
        "set": [set(), {1, 2}],
    }
    assert values.keys() == set(KINDS)

    def one(kind: str) -> Any:
        value = random.choice(values[kind])
        return type(value)(value) if isinstance(value, list | dict | set) else value

    def fails(error: type[BaseException]) -> int:
        if random.random() < 0.5:
            raise error("world")
        return 1

    made = {kind: lambda kind=kind: one(kind) for kind in values}
    return types.SimpleNamespace(**made, fails=fails, managed=contextlib.nullcontext)


def run(code: types.CodeType, entry: str, random: Random) -> Real | None:
    """Run a program of ours; None where it takes too long."""
    shown: dict[int, list[Any]] = defaultdict(list)
    lines: set[int] = set()
    count, is_stopped = 0, False
    stand_ins = {
        "subprocess": types.SimpleNamespace(
            run=lambda given: shown[given[0]].append(_copied(given[1]))
        ),
        "world": _world(random),
        "datasets": small_datasets,
    }

    def imported(name: str, *rest: Any) -> Any:
        return stand_ins[name] if name in stand_ins else __import__(name, *rest)

    def traced(frame: types.FrameType, event: str, arg: object) -> Any:
        nonlocal count, is_stopped
        if frame.f_code.co_filename != _FILE:
            return None
        count += 1
        if count > _MOST_LINES:
            raise _TooLong
        if event == "line" and _opcode(frame) not in _CLEANING:
            lines.add(frame.f_lineno)
        is_stopped = is_stopped or event == "exception"
        return traced

    names: dict[str, Any] = {
        "__builtins__": {**vars(builtins), "__import__": imported, "print": lambda *_, **__: None},
        "__file__": os.path.abspath(_FILE),
        "__name__": "src.main",
    }
    errors: list[tuple[str, int]] = []
    exec(code, names)  # noqa: S102  our own text
    before = sys.gettrace()
    sys.settrace(traced)
    try:
        with (
            contextlib.redirect_stderr(io.StringIO()),
            warnings.catch_warnings(action="ignore", category=ResourceWarning),
        ):
            names[entry](config())
    except _TooLong:
        return None
    except (Exception, SystemExit) as raised:  # noqa: BLE001  whatever it raises is what we ask for
        last: BaseException | None = raised
        while last is not None:
            errors.append((type(last).__name__, _line_of(last)))
            last = last.__context__
    finally:
        sys.settrace(before)
    return Real(shown, frozenset(lines), tuple(errors), is_stopped)


def _copied(value: Any, depth: int = 0) -> Any:
    """The value as it is now."""
    if depth > _DEEPEST or type(value) not in (dict, list, tuple):
        return set(value) if type(value) is set else value
    if isinstance(value, dict):
        return {key: _copied(part, depth + 1) for key, part in value.items()}
    return type(value)(_copied(part, depth + 1) for part in value)


def _opcode(frame: types.FrameType) -> str:
    return dis.opname[frame.f_code.co_code[frame.f_lasti]]


def _line_of(error: BaseException) -> int:
    """The innermost line of the program that an error comes from."""
    steps = traceback.walk_tb(error.__traceback__)
    lines = [line for frame, line in steps if frame.f_code.co_filename == _FILE]
    return lines[-1] if lines else 0


# What an abstract value stands for


def contains(abstract: Any, real: Any, depth: int = 0) -> bool:
    """Whether a real value is among those that an abstract one stands for."""
    if abstract is UNKNOWN or depth > _DEEPEST:
        return True
    below = depth + 1
    match abstract:
        case Assumed():
            return isinstance(abstract.value, Thing) or contains(abstract.value, real, below)
        case bool() | int() | float() | str() | None:
            value = without_place(abstract)
            same = value == real or (value != value and real != real)
            return type(value) is type(real) and same
        case PartlyKnown(text=text):
            pattern = ".*".join(map(re.escape, text.split("{}")))
            return isinstance(real, str) and re.fullmatch(pattern, real, re.DOTALL) is not None
        case SomePath():
            pattern = ".*".join(map(re.escape, (str(abstract) or ".").split("{}")))
            is_path = isinstance(real, str | Path)
            return is_path and re.fullmatch(pattern, _from_here(real), re.DOTALL) is not None
        case DictConfig() | ListConfig():
            if type(abstract) is not type(real):
                return False
            return contains(plain(abstract), OmegaConf.to_container(real), below)
        case Namespace(values=values):
            is_one = isinstance(real, argparse.Namespace | types.SimpleNamespace)
            return is_one and _attributes(values, real, below)
        case Instance():
            same = type(real).__name__ == abstract.cls.definition.name
            return same and _attributes(abstract.attributes, real, below)
        case LocalFunction(node=node):
            return callable(real) and real.__name__ == getattr(node, "name", "<lambda>")
        case LocalClass(definition=definition):
            return isinstance(real, type) and real.__name__ == definition.name
        case External(name=name):
            return not hasattr(builtins, name) or getattr(builtins, name) is real
        case Several():
            return isinstance(real, Iterable) and (not hasattr(real, "__len__") or len(real) > 0)
        case Row() if not isinstance(real, dict):
            return False
        case Row():
            sure = abstract.keys() - abstract.maybe - {ANYTHING}
            known = {name: value for name, value in abstract.items() if name in real}
            is_all = ANYTHING in abstract or abstract.keys() >= real.keys()
            return sure <= real.keys() and is_all and _entries({**known, ANYTHING: 0}, real, below)
        case Names():
            sure = {name for name in abstract if name not in abstract.maybe}
            return isinstance(real, list) and sure <= {*real} <= {*abstract}
        case DataSet():
            rows = isinstance(real, small_datasets.Dataset)
            return rows and all(contains(abstract.row(), row, below) for row in real)
        case Each(item=item):
            return isinstance(real, list) and all(contains(item, one, below) for one in real)
        case Cell(kind=cells.TEXT):
            return isinstance(real, str)
        case Cell(kind=cells.NUMBER):
            return isinstance(real, int | float)
        case Cell(kind=cells.LIST, length=length):
            fixed = length is not None and not length.parts
            return isinstance(real, list) and (not fixed or len(real) == length.fixed)
        case Count():
            return isinstance(real, int)
        case dict():
            return isinstance(real, dict) and _entries(abstract, real, below)
        case list() | tuple():
            return _items(abstract, real, below)
    return True


def _from_here(real: str | Path) -> str:
    text = os.path.normpath(str(real)) if str(real) else "."
    return os.path.relpath(text) if text.startswith(os.getcwd()) else text


def _attributes(known: Mapping[str, Any], real: Any, depth: int) -> bool:
    """Whether an object has such attributes."""
    held = vars(real)
    return all(
        value is UNKNOWN or (name in held and contains(value, held[name], depth))
        for name, value in known.items()
    )


def _entries(abstract: Mapping[Any, Any], real: Mapping[Any, Any], depth: int) -> bool:
    known = {key: value for key, value in abstract.items() if key is not ANYTHING}
    if ANYTHING not in abstract and [*known] != [*real]:
        return False
    return all(key in real and contains(value, real[key], depth) for key, value in known.items())


def _items(abstract: Sequence[Any], real: Any, depth: int) -> bool:
    """A list stands for tuples, sets and views too; of one that is open the items are somewhere in
    it.
    """
    if isinstance(real, str | DictConfig | ListConfig) or not isinstance(real, Iterable):
        return False
    if isinstance(real, Iterator):
        return True
    if isinstance(abstract, Fixed) is not isinstance(real, tuple):
        return False
    items = list(real)
    if len(abstract) == 2 and abstract[1] is LIKEWISE:
        return all(contains(abstract[0], one, depth) for one in items)
    if is_open(list(abstract)):
        known = [item for item in abstract if isinstance(item, bool | int | float | str | None)]
        return all(any(contains(item, one, depth) for one in items) for item in known)
    if isinstance(abstract, Unordered) or isinstance(real, _SETS):
        held = all(any(contains(item, one, depth) for item in abstract) for one in items)
        return held and all(any(contains(item, one, depth) for one in items) for item in abstract)
    if any(isinstance(item, PartlyKnown) for item in abstract):
        # Of the words of a command line no unknown part is taken to have blanks.
        words = [operations.text_of(item) for item in abstract]
        if None not in words and all(isinstance(item, str) for item in items):
            return contains(PartlyKnown(" ".join(map(str, words))), " ".join(items))
    pairs = zip(abstract, items, strict=False)
    return len(abstract) == len(items) and all(contains(*pair, depth) for pair in pairs)


def is_exact(abstract: Any, depth: int = 0) -> bool:
    """Whether an abstract value stands for one real one."""
    if isinstance(abstract, dict):
        return ANYTHING not in abstract and all(is_exact(part) for part in abstract.values())
    if isinstance(abstract, list | tuple):
        return not is_open(list(abstract)) and all(map(is_exact, abstract))
    return abstract is not UNKNOWN and not isinstance(
        abstract, PartlyKnown | Several | Assumed | Each
    )


# Side by side


def compare(text: str, python: PythonFile, entry: str, real: Real) -> Iterator[str]:
    """Where the abstract run of a program is wrong; last, how much it knows."""
    trace = follow({_FILE: python}, _FILE, entry, config(), SubmittedFiles({}))
    if not trace.complete:
        yield "0 0"
        return
    unfollowed = {
        number
        for function in _functions(python)
        if (_FILE, function.body[0].lineno) not in trace.visits
        for number in _numbers(function)
    }
    seen: dict[int, list[Any]] = defaultdict(list)
    for _, value in trace.handed_over:
        if isinstance(value, list) and len(value) == 2 and isinstance(value[0], int):
            seen[value[0]].append(value[1])
    for number, values in real.shown.items():
        if number in unfollowed:
            continue
        for value in values:
            if real.errors and not isinstance(value, _FIXED):
                continue  # behind the error the abstract run goes on, and may change it
            if not any(contains(one, value) for one in seen[number]):
                said = "not come to" if not seen[number] else " or ".join(map(_shown, seen[number]))
                yield f"value {number}: really {_shown(value)}, but {said}"
                break
    yield from _unreached(python, trace, real)
    yield from _uncertain(python, entry, trace, real)
    exact = sum(len(seen[number]) > 0 and all(map(is_exact, seen[number])) for number in real.shown)
    yield f"{len(real.shown)} {exact}"


def _functions(python: PythonFile) -> list[ast.FunctionDef]:
    assert python.tree is not None
    return [node for node in ast.walk(python.tree) if isinstance(node, ast.FunctionDef)]


def _numbers(function: ast.FunctionDef) -> Iterator[int]:
    """The numbers of the values that a function shows."""
    for node in ast.walk(function):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name("subprocess")),
                args=[ast.Tuple(elts=[ast.Constant(value=int(number)), _])],
            ):
                yield number


def _unreached(python: PythonFile, trace: Trace, real: Real) -> Iterator[str]:
    """Lines that are reached really, but not abstractly, in functions that both reach."""
    for function in _functions(python):
        if (_FILE, function.body[0].lineno) not in trace.visits:
            continue  # called by what is not known; nobody says that it is not
        for node in function.body:
            for part in _statements(node):
                if part.lineno in real.lines and (_FILE, part.lineno) not in trace.visits:
                    yield f"line {part.lineno} is not come to, but really is"
                    return


def _statements(node: ast.stmt) -> Iterator[ast.stmt]:
    yield node
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return
    for part in ast.iter_child_nodes(node):
        inner = part.body if isinstance(part, ast.ExceptHandler | ast.match_case) else [part]
        for one in inner:
            if isinstance(one, ast.stmt):
                yield from _statements(one)


def _uncertain(python: PythonFile, entry: str, trace: Trace, real: Real) -> Iterator[str]:
    """What is called certain, as long as nothing stops the program before, but does not happen."""
    problems = [*trace.problems, *trace.data_problems]
    others = [node for node in _functions(python) if node.name != entry]
    inner = {line for one in others for line in range(one.lineno, (one.end_lineno or 0) + 1)}
    for problem in sorted(problems, key=lambda one: one.span.line):
        if not problem.certain:
            continue
        at = range(problem.span.line, problem.span.end_line + 1)
        if any(line in at and error == problem.error for error, line in real.errors):
            return  # behind it the abstract run goes on as if it had been repaired
        if any(line in at for _, line in real.errors):
            # An operand that is not known may well have failed before; it is counted.
            yield f"{_OTHER}: certain {problem.error} at {problem.span.line}, but {real.errors}"
            return
        # A function may have been left by an error before it is called the way that fails.
        is_met = bool(real.lines.intersection(at)) and not (real.is_stopped and at.start in inner)
        in_loop, in_comprehension = _loops(python, trace, problem)
        if is_met and in_comprehension:
            continue
        if is_met or not (real.is_stopped or in_loop):
            said = f"{problem.error} at {problem.span.line} ({problem.message})"
            yield f"certain {said}, but really {real.errors or 'nothing'}"
            return
    for node, given in trace.passed.items():
        is_certain = any(one.happens for one in given)
        if is_certain and not real.is_stopped and node.lineno not in real.lines:
            yield f"line {node.lineno} certainly calls, but is not come to"
            return


def _loops(python: PythonFile, trace: Trace, problem: ConfigProblem) -> tuple[bool, bool]:
    """Whether a problem is one of those for which a loop over what is not known is taken to have a
    turn, and is met in a loop, be it by calls, and in a comprehension.
    """
    if problem.kind is ProblemKind.RAISED:
        return False, False
    assert python.tree is not None
    lines = [problem.span.line]
    for function in _functions(python):
        if function.lineno <= lines[0] <= (function.end_lineno or 0):
            at = trace.visits.get((_FILE, function.body[0].lineno))
            while at is not None and at.around is not None:
                lines.append(at.around[1])
                at = trace.visits.get(at.around)
    nodes = [node for node in ast.walk(python.tree) if isinstance(node, _LOOPS)]
    in_block = in_comprehension = False
    for node in nodes:
        is_block = isinstance(node, ast.For | ast.While)  # whose first line is in no turn
        within = range(node.lineno + is_block, (node.end_lineno or 0) + 1)
        in_block |= is_block and any(line in within for line in lines)
        in_comprehension |= not is_block and lines[0] in within
    return in_block, in_comprehension


def _shown(value: Any) -> str:
    try:
        return repr(value)[:150]
    except Exception as error:  # noqa: BLE001  an object of a program may not be fit to be shown
        return f"<{type(value).__name__}: {error}>"


def results(count: int, seed: int = 0, only: Iterable[int] = ()) -> Iterator[Result]:
    """What the two runs say to each of so many programs."""
    numbers = list(only) or list(range(count))
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        mock.patch.dict(os.environ, WANDB_API_KEY="…"),
    ):
        for start in range(0, len(numbers), _IN_ONE_FILE):
            yield from _batch({n: snippet(seed, n) for n in numbers[start : start + _IN_ONE_FILE]})


def tried(lines: str) -> Result:
    """What the two runs say to one program, by the lines of its function."""
    text = "def s0(cfg):\n" + textwrap.indent(textwrap.dedent(lines), "    ")
    (found,) = _batch({0: Snippet("written", text)})
    return found


def _batch(written: Mapping[int, Snippet]) -> Iterator[Result]:
    text = IMPORTS + "\n" + "\n".join(one.text for one in written.values())
    python = PythonFile(_FILE, text)
    with warnings.catch_warnings(action="ignore"):
        code = compile(text, _FILE, "exec", dont_inherit=True)
    for number, one in written.items():
        real = run(code, f"s{number}", Random(number))
        if real is None:
            continue
        *said, last = compare(text, python, f"s{number}", real)
        others = tuple(line for line in said if line.startswith(_OTHER))
        wrong = tuple(line for line in said if not line.startswith(_OTHER))
        yield Result(number, one.family, wrong, others, *map(int, last.split()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, nargs="*", default=[])
    parser.add_argument("--most", type=int, default=40, help="so many are shown")
    given = parser.parse_args()
    start = time.process_time()
    shown: Counter[str] = Counter()
    known: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for one in results(given.count, given.seed, given.only):
        shown[one.family] += one.shown
        known[one.family] += one.known
        wrong[one.family] += bool(one.wrong)
        if one.wrong and wrong.total() <= given.most:
            print(one.number, one.family, *one.wrong, sep="\n    ", flush=True)
        if given.only:
            for number, line in enumerate(snippet(given.seed, one.number).text.splitlines(), 1):
                print(f"{_HEAD + 1 + number:4} {line}")
    for family in FAMILIES:
        share = known[family] / max(shown[family], 1)
        print(f"{family}: {share:.2f} of {shown[family]} known, {wrong[family]} wrong")
    print(f"{wrong.total()} wrong, {time.process_time() - start:.1f} s of CPU")


if __name__ == "__main__":
    main()
