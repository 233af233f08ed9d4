"""Everything but Python, Hydra, OmegaConf and what they need is one stub that accepts everything.

A stub is a number that is 1, can be called, indexed, iterated over (twice, or as often as it is
unpacked), compared (always true), entered, and stood upon by classes. What a library is known to do
with the submission's own functions it does: `optimize` and `map` call them, a module calls
`forward`.
"""

import abc
import atexit
import dis
import importlib
import importlib.machinery
import inspect
import json
import os
import runpy
import sys
import threading
import traceback
import types
from pathlib import Path

import refusals

LIBRARIES = frozenset(
    (
        "torch", "torchvision", "torchaudio", "transformers", "datasets", "wandb", "optuna",
        "numpy", "pandas", "scipy", "sklearn", "matplotlib", "seaborn", "tqdm", "requests", "PIL",
        "cv2", "timm", "peft", "accelerate", "evaluate", "nltk", "tokenizers", "huggingface_hub",
        "safetensors", "sentencepiece", "networkx", "plotly", "click", "einops", "joblib",
        "bitsandbytes", "torchmetrics", "rouge_score", "sacrebleu",
    )
)  # fmt: skip

_DECORATORS = frozenset(
    {"no_grad", "inference_mode", "enable_grad", "script", "compile", "autocast"}
)
_CALLBACKS = frozenset({"optimize", "map", "filter", "apply"})
_FLUENT = frozenset(
    {"to", "cuda", "cpu", "train", "eval", "float", "half", "double", "requires_grad_", "apply"}
)
# Answers that a pipeline acts on: frames are not empty, nothing is missing, texts are texts.
_ANSWERS = {"to_json": "[]"}
# Parameters that every library which has them compares or counts with at once.
_NUMBERS = frozenset(
    {"lr", "weight_decay", "momentum", "batch_size", "num_workers", "n_trials", "T_max"}
)
_SIZE = 64
_RAISED = ("Error", "Exception", "Warning", "Pruned", "Interrupt")
_LENGTH = 20_000
# What our own submissions put into a summary.
_LOGGED = (
    "final_accuracy", "dev_accuracy", "test_accuracy", "test_nll", "test_calibration_error",
    "uncalibrated_error",
)  # fmt: skip
_HYDRA = ("hydra", "omegaconf")
# The versions of the modules that are installed; None where all are.
_installed: dict | None = None
_metrics: list = []
_suggested: dict = {}
_raised: dict = {}


class Record(dict):
    """A dictionary that has every key that it is asked for."""

    def __missing__(self, key):
        self[key] = Anything("record")
        return self[key]

    def __contains__(self, key):
        return self[key] is not None


class Anything(float):
    """The one stub."""

    def __new__(cls, name="stub", path=""):
        made = super().__new__(cls, 1.0)
        made._name = name
        made._path = path
        return made

    def __init__(self, name="stub", path=""):
        pass

    def __getattr__(self, name):
        return named(name, self._path)

    def __call__(self, *args, **kwargs):
        refusals.refuse_call(self._path, args, kwargs, _installed)
        own = (types.FunctionType, type, Base)
        if self._name in _DECORATORS and len(args) == 1 and isinstance(args[0], own):
            return args[0]
        for name in _NUMBERS & kwargs.keys():
            if isinstance(kwargs[name], str):
                raise TypeError(f"{name} is a text: {kwargs[name]!r}")
        if self._path == "transformers.Trainer" and kwargs.get("compute_metrics"):
            _metrics.append(kwargs["compute_metrics"])
        if self._path == "transformers.Trainer().evaluate":
            for compute in _metrics:
                compute(Anything("prediction"))
        if self._name in _CALLBACKS and args and isinstance(args[0], types.FunctionType):
            args[0](*[Anything("row")] * required(args[0]))
        if self._name.startswith("suggest_") and len(args) > 1:
            first = args[1][0] if isinstance(args[1], (list, tuple)) else args[1]
            return _suggested.setdefault(args[0], first)
        if self._name in _ANSWERS:
            return _ANSWERS[self._name]
        return Anything(self._name, f"{self._path}()")

    def __mro_entries__(self, bases):
        stubs = [base for base in bases if isinstance(base, Anything)]
        stands = any(isinstance(base, type) and issubclass(base, Base) for base in bases)
        return (Base,) if stubs[0] is self and not stands else ()

    def __instancecheck__(self, other):
        return isinstance(other, (Anything, Base))

    def __subclasscheck__(self, other):
        return isinstance(other, type) and issubclass(other, Base)

    def __iter__(self):
        number = wanted(sys._getframe(1))
        return iter([_SIZE if self._name == "shape" else Anything("item") for _ in range(number)])

    def __next__(self):
        return Anything("item")

    def __len__(self):
        return _LENGTH

    def __bool__(self):
        return self._name != "any"

    def __getitem__(self, key):
        if self._name == "shape" and isinstance(key, int):
            return _SIZE
        if type(key) is str and key == "text":
            return "a text" if self._name == "row" else ["a text", "another text"]
        return Anything("item")

    def __setitem__(self, key, value):
        pass

    __delitem__ = __setitem__

    def __contains__(self, key):
        return True

    def __enter__(self):
        return Anything("entered")

    def __exit__(self, *error):
        return None

    def __index__(self):
        return 1

    def __fspath__(self):
        return "stub"

    def __str__(self):
        return "stub"

    __repr__ = __str__

    def __format__(self, spec):
        try:
            return format(1.0, spec)
        except ValueError:
            return "stub"

    __hash__ = float.__hash__

    def __reduce__(self):
        return (Anything, (self._name,))

    def __deepcopy__(self, memo):
        return self


def _operation(*_):
    return Anything("result")


_ARITHMETIC = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
    "lshift", "rshift",
)  # fmt: skip
_OTHER = ("neg", "pos", "abs", "invert", "eq", "ne", "lt", "le", "gt", "ge")
for _name in (*_ARITHMETIC, *(f"r{one}" for one in _ARITHMETIC), *_OTHER):
    setattr(Anything, f"__{_name}__", _operation)


class Summary(Anything):
    """The summary of a finished run, with an entry that JSON does not take."""

    def keys(self):
        return [*_LOGGED, "_wandb"]

    def items(self):
        return [(key, self[key]) for key in self.keys()]

    def __getitem__(self, key):
        return SummarySubDict() if key == "_wandb" else Anything("item")


class SummarySubDict:
    """What WandB wraps a nested entry in."""


class Meta(abc.ABCMeta):
    """Classes that stand on a library's class have whatever attribute they are asked for."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return named(name)


class Base(metaclass=Meta):
    """What stands for a library's class under a class of the submission."""

    def __init__(self, *args, **kwargs):
        pass

    def __init_subclass__(cls, **kwargs):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return (lambda *_, **__: self) if name in _FLUENT else named(name)

    def __call__(self, *args, **kwargs):
        forward = inspect.getattr_static(type(self), "forward", None)
        return Anything("called") if forward is None else self.forward(*args, **kwargs)

    def __iter__(self):
        return iter([Anything("item") for _ in range(wanted(sys._getframe(1)))])

    def __len__(self):
        return _LENGTH

    def __getitem__(self, key):
        return Anything("item")


def named(name, owner=""):
    """What an attribute of a stub is."""
    path = f"{owner}.{name}"
    if name.startswith("__") or name in ("_fields", "_asdict"):
        raise AttributeError(name)
    if path in refusals.ABSENT:
        raise AttributeError(f"module {owner!r} has no attribute {name!r}")
    if path.startswith("wandb.Api().") and name == "summary":
        return Summary(name, path)
    if name.endswith(_RAISED) and name[0].isupper():
        return _raised.setdefault(name, type(name, (Exception,), {}))
    if name == "best_params":
        return dict(_suggested)
    if name == "_json_dict":
        return Record()
    if name == "empty":
        return False
    if name in ("column_names", "columns"):
        return ["text", "label"]
    return Anything(name, path)


def required(function):
    """How many arguments a function must be given by position."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    given = inspect.signature(function).parameters.values()
    return sum(one.kind in kinds and one.default is one.empty for one in given)


def wanted(frame):
    """How many values the code that iterates unpacks; 2 where it does not."""
    code, at = frame.f_code.co_code, frame.f_lasti
    if dis.opname[code[at]] == "UNPACK_SEQUENCE":
        return code[at + 1]
    if dis.opname[code[at]] == "UNPACK_EX":
        return (code[at + 1] & 0xFF) + (code[at + 1] >> 8) + 1
    return 2


class Library(types.ModuleType):
    """A module of a library."""

    __all__ = ()
    __version__ = "9.9.9"

    def __getattr__(self, name):
        return named(name, self.__name__)


class Finder:
    """Finds every module of a library; goes before the finders of what is installed."""

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in _HYDRA and _installed is not None and top not in _installed:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if top not in LIBRARIES or name in refusals.ABSENT:
            return None
        if _installed is not None and top not in _installed:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Library(spec.name)

    def exec_module(self, module):
        module.__path__ = []


def install():
    """Enter the stub world: no library, no network."""
    if not any(isinstance(one, Finder) for one in sys.meta_path):
        sys.meta_path.insert(0, Finder())

        import socket

        def refused(*_):
            raise OSError("there is no network in the stub world")

        socket.socket.connect = refused
        socket.getaddrinfo = refused

        # What a submission downloads is there: an empty file.
        import urllib.request

        urllib.request.urlretrieve = lambda url, path, *_: Path(path).write_text("")


def installed(root):
    """The folders that the editable install adds with which `uv run` begins."""
    text = Path(root, "pyproject.toml").read_text("utf-8")
    if "[build-system]" not in text:
        return []
    explicit = 'packages = ["src"]' in text
    return [root if explicit or not os.path.isdir(f"{root}/src") else f"{root}/src"]


def launch(words):
    """Run `-m module word…` or `script word…` as Python does; never returns."""
    global _installed
    root = os.environ["STUB_WORLD_ROOT"]
    if os.environ.get("STUB_WORLD_INSTALLED"):
        _installed = json.loads(os.environ["STUB_WORLD_INSTALLED"])
        for name in [one for one in sys.modules if one.partition(".")[0] in _HYDRA]:
            if name.partition(".")[0] not in _installed:
                del sys.modules[name]
    sys.path += installed(root)
    ran = traced(root) if os.environ.get("STUB_WORLD_TRACE") else None
    code = 0
    try:
        if words[0] == "-m":
            sys.path.insert(0, os.getcwd())
            sys.argv = ["-m", *words[2:]]
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        else:
            sys.path.insert(0, os.path.dirname(os.path.abspath(words[0])))
            sys.argv = list(words)
            runpy.run_path(words[0], run_name="__main__")
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
        if code:
            record(error, root, words)
    except BaseException as error:  # noqa: BLE001  whatever a submission stops with is recorded
        code = 1
        traceback.print_exc()
        record(error, root, words)
    sys.settrace(None)
    if ran is not None:
        with open(os.environ["STUB_WORLD_TRACE"], "a") as file:
            file.writelines(f"{path}:{line}\n" for path, line in sorted(ran))
    try:
        threading._shutdown()
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def record(error, root, words):
    """Write what a process stopped with."""
    causes, seen = [], error
    while seen is not None and len(causes) < 5:
        causes.append(
            {
                "types": [one.__name__ for one in type(seen).__mro__ if one is not object],
                "message": str(seen)[:600],
                "places": places(seen, root),
                "key": str(getattr(seen, "full_key", None) or ""),
            }
        )
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    with open(os.environ["STUB_WORLD_REPORT"], "a") as file:
        file.write(json.dumps({"command": words, "causes": causes}) + "\n")


def places(error, root):
    """The places of the submission on the way to an error, the innermost first."""
    found = []
    for frame, line in traceback.walk_tb(error.__traceback__):
        found.append((frame.f_code.co_filename, line))
    if isinstance(error, SyntaxError) and error.filename:
        found.append((error.filename, error.lineno))
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        found.append((str(mark.name), mark.line + 1))
    inside = []
    for name, line in reversed(found):
        # A script given by a relative path has that for its name; `<frozen …>` is no file.
        full = os.path.realpath(name)
        if full.startswith(root + os.sep) and os.path.exists(full):
            inside.append((os.path.relpath(full, root).replace(os.sep, "/"), line))
    return inside


def traced(root):
    """Note each line of the submission that is executed from now on."""
    ran = set()
    names = {}

    def lines(frame, event, _):
        if event == "line":
            ran.add((names[frame.f_code.co_filename], frame.f_lineno))
        return lines

    def calls(frame, event, _):
        name = frame.f_code.co_filename
        if name not in names:
            full = os.path.realpath(name)
            inside = full.startswith(root + os.sep) and full.endswith(".py")
            names[name] = os.path.relpath(full, root) if inside else None
        if names[name] is None:
            return None
        ran.add((names[name], frame.f_lineno))
        return lines

    sys.settrace(calls)
    return ran


def serve():
    """Fork one process for each start that standard input asks for, Hydra imported already."""
    for name in ("hydra", "hydra.core.utils", "hydra._internal.hydra", "hydra._internal.utils"):
        importlib.import_module(name)

    install()
    for line in sys.stdin:
        asked = json.loads(line)
        process = os.fork()
        if process == 0:
            _start(asked)
        _, status, used = os.wait4(process, 0)
        answer = {
            "code": os.waitstatus_to_exitcode(status),
            "seconds": used.ru_utime + used.ru_stime,
        }
        print(json.dumps(answer), flush=True)


def _start(asked):
    import resource
    import signal

    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (asked["seconds"], asked["seconds"] + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 24, 1 << 24))
    # Waiting costs no processor time; the alarm ends what only waits, with its own children.
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(0, signal.SIGKILL))
    signal.alarm(asked["seconds"] * 3)
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    log = os.open(asked["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for old, new in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(old, new)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", closefd=False)

    launch(asked["words"])


if __name__ == "__main__":
    serve()
