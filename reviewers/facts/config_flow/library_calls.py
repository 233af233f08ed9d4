"""Calls of libraries that a table describes, and those that pickle what they are given."""

from reviewers.facts.config_flow import tensors
from reviewers.facts.config_flow.arrays import FOLLOWED
from reviewers.facts.config_flow.calls import unknown
from reviewers.facts.config_flow.cells import ARRAY, Cell
from reviewers.facts.config_flow.library_values import (
    GIVES,
    Made,
    SeveralValues,
    refuse_unpicklable,
)
from reviewers.facts.config_flow.tables import OTHER, OutsideCall, method, transfer
from reviewers.facts.config_flow.values import UNKNOWN, Value

_POOL = "multiprocessing.pool.Pool"
_STARTING_ANEW = frozenset({"spawn", "forkserver"})
_AS_ARRAYS = frozenset(
    f"numpy.{name}" for name in ("array", "asarray", "concatenate", "hstack", "vstack")
)
_BY_POOL = frozenset({"apply", "imap", "imap_unordered", "map", "starmap"})


def starts_anew(method: Value) -> bool:
    """Whether processes get what they are given as a pickle: by the name of the start method, or
    the context of `multiprocessing` that has it.
    """
    name = method.kind.rpartition(".")[2] if isinstance(method, Made) else method
    return isinstance(name, str) and name in _STARTING_ANEW


@transfer(*sorted(GIVES.keys() - FOLLOWED))
def _given(call: OutsideCall, *args: Value) -> Value:
    if call.name.startswith("sklearn.") or call.name in _AS_ARRAYS:
        tensors.as_array(args)
    found = given_by(call, call.name, args[1:])
    return unknown(call) if found is UNKNOWN else found


@method(Made, OTHER)
def _of_made(call: OutsideCall, owner: Made, *args: Value) -> Value:
    if owner.kind == _POOL and call.name in _BY_POOL and args:
        refuse_unpicklable(call.follower, args[0], f"Pool.{call.name}", UNKNOWN)
    found = given_by(call, f"{owner.kind}.{call.name}", args)
    return unknown(call) if found is UNKNOWN else found


def given_by(call: OutsideCall, name: str, further: Value = ()) -> Value:
    """What the table says that a call gives; UNKNOWN of any other.

    Args:
        further: the positional arguments behind the object that it is about.
    """
    pattern = next((known for known in (name, _above(name)) if known in GIVES), None)
    if pattern is None or call.is_open:
        return UNKNOWN
    entry = GIVES[pattern]
    if call.keywords.keys() & set(entry.get("without", ())):
        return UNKNOWN
    if entry.get("plain") and (further or call.keywords):
        return UNKNOWN
    dim = call.keywords.get("dim", further[0] if further else None)
    if entry.get("dim") and (not isinstance(dim, int) or isinstance(dim, bool)):
        return UNKNOWN
    if "kind" in entry:
        return _one(call, name, entry["kind"])
    by = f"{name} gives {len(entry['values'])}"
    by += f": {entry['shown']}" if "shown" in entry else ""
    several = SeveralValues(_one(call, name, kind) for kind in entry["values"])
    several.by = by
    return several


def _above(name: str) -> str:
    return f"{name.rpartition('.')[0]}.*"


def _one(call: OutsideCall, name: str, kind: str) -> Value:
    if kind == "?":  # it may be anything
        return UNKNOWN
    if kind == "array":
        return Cell(ARRAY, None, call.line, is_array=True)
    return Made(name if kind == "its own" else kind, call.line)


NUMBERS = frozenset({"max", "mean", "min", "prod", "std", "sum", "var"})  # what one array gives


def number_of(call: OutsideCall, array: Cell) -> Value:
    """The number that a method of an array gives: of its format where that is a small one."""
    is_whole = array.dtype in ("bool", "int64") and call.callee.name.endswith(("prod", "sum"))
    is_whole = is_whole or (array.dtype == "int64" and call.callee.name.endswith(("max", "min")))
    kind = "int64" if is_whole else array.dtype if array.dtype in ("float16", "float32") else ""
    return Made(f"numpy.{kind}", call.line) if kind else UNKNOWN


@transfer(*(f"numpy.{name}" for name in NUMBERS))
def _number(call: OutsideCall, a: Value, *further: Value) -> Value:
    if call.name in ("numpy.mean", "numpy.std"):
        tensors.as_array([a])
    is_whole = isinstance(a, Cell) and a.kind == ARRAY and not (further or call.keywords)
    return number_of(call, a) if is_whole else unknown(call)


# Processes, and files of pickled objects


@transfer("torch.save", "pickle.dump", "pickle.dumps")
def _pickled(call: OutsideCall, obj: Value) -> Value:
    if "pickle_module" not in call.keywords:
        refuse_unpicklable(call.follower, obj, call.name, UNKNOWN)
    return UNKNOWN


@transfer("torch.multiprocessing.spawn", "torch.multiprocessing.spawn.spawn")
def _spawned(call: OutsideCall, fn: Value, args: Value = ()) -> Value:
    by = "a process that is started by spawn"
    refuse_unpicklable(call.follower, [fn, args], by, UNKNOWN)
    return unknown(call)


@transfer("multiprocessing.set_start_method", "torch.multiprocessing.set_start_method")
def _start_method(call: OutsideCall, method: Value) -> Value:
    known = isinstance(method, str) and not call.follower.is_unsure
    call.follower.start_method = method if known else ""
    return None


@transfer("multiprocessing.get_context", "torch.multiprocessing.get_context")
def _context(call: OutsideCall, method: Value = None) -> Value:
    return Made(f"multiprocessing.{method}") if starts_anew(method) else UNKNOWN


@method(Made, "Process", "Pool")
@transfer("multiprocessing.Process", "torch.multiprocessing.Process")
def _process(call: OutsideCall) -> Value:
    """Where it starts anew it is started in `start`, which hardly a process is made without."""
    method = call.owner if isinstance(call.owner, Made) else call.follower.start_method
    if starts_anew(method):
        if call.name == "Pool":
            return Made(_POOL, call.line)
        given = [call.keywords.get("target"), call.keywords.get("args")]
        refuse_unpicklable(call.follower, given, "a process that starts anew", UNKNOWN)
    return unknown(call)
