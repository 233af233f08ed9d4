"""Calls: of the submission's own functions and classes, and of everything else."""

import ast
import re
from collections.abc import Mapping, Sequence
from inspect import Parameter, Signature

from omegaconf import DictConfig, ListConfig

from reviewers.facts.config_flow import access, autograd, operations
from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.data_values import DataSets, Modelled, Names, Row, Tokenizer
from reviewers.facts.config_flow.follower import Follower, PassedValues
from reviewers.facts.config_flow.tables import (
    CALLED,
    OTHER,
    STEPS,
    OutsideCall,
    enter,
    function_of,
    methods_of,
)
from reviewers.facts.config_flow.tensors import Network, NetworkPart, forget, is_loose
from reviewers.facts.config_flow.values import (
    ANYTHING,
    PLAIN,
    UNKNOWN,
    Bound,
    CallScope,
    External,
    Fixed,
    Instance,
    Leave,
    LocalClass,
    LocalFunction,
    ProblemKind,
    Unordered,
    Value,
    blur,
    is_same,
    parameters,
)
from reviewers.facts.placed import KeyPlace, place_of
from reviewers.facts.python_file import Function
from reviewers.facts.python_nodes import everything_within, kept
from reviewers.facts.world import TRIAL, assumed

_DEPTH = 12
MOST_NOTED = 16  # times that one call is noted
_SIMPLE = (*PLAIN, External)
_YIELDING = (ast.Yield, ast.YieldFrom)
_NESTED = 4  # calls of one function that goes down a mapping
_MOST_CALLS = 64  # of one function that a pool calls
# What the names of functions have that change their arguments.
_CHANGING = re.compile(r"merge|deep_?update|update_|override|heap|insort")
_ODD_FIELD = re.compile(r"ClassVar|InitVar|KW_ONLY|init=")
_COPYING = ("copy.", "omegaconf.")  # what goes through all values that it is given
_OWN = (LocalFunction, LocalClass, Instance)
_NETWORKS = frozenset({Instance, Network, NetworkPart})
# Functions that only look at a network.
_READING = ("torch.save", "wandb.")
_CALLED = ("__call__", "forward", "torch_call")
_UNCALLED = (*PLAIN, dict, list)
_SIZED = frozenset(
    {dict, list, tuple, Fixed, Unordered, Names, Row, DataSets, DictConfig, ListConfig}
)
_TRANSPARENT = frozenset((
    "cache", "classmethod", "enable_grad", "inference_mode", "lru_cache", "main", "no_grad",
    "property", "staticmethod",
))  # fmt: skip
_SWITCHING = {"enable_grad": True, "inference_mode": False, "no_grad": False}
# What no model of a function foresees, and nobody gives to it.
_ODD = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


# Calls as they are written


@enter(STEPS, ast.Call)
def _written(follower: Follower, node: ast.Call, scope: CallScope) -> Value:
    callee = follower.value(node.func, scope)
    args = follower.values(node.args, scope)
    keywords: dict[str, Value] = {ANYTHING: UNKNOWN} if args is None else {}
    spread: Value = None
    for word in node.keywords:
        value = follower.value(word.value, scope)
        if word.arg is not None:
            keywords[word.arg] = value
        else:
            spread = value if spread is None else UNKNOWN
    if spread is not None:
        named = access.spread(spread)
        keywords |= {ANYTHING: spread} if named is None else named
    call = OutsideCall(follower, callee, args or (), keywords, spread, node, scope)
    try:
        return called(call)
    except AccessError as error:
        return _gone_on(call, error)


def _gone_on(call: OutsideCall, error: AccessError) -> Value:
    """Report what a call raises, and go on with what it is meant to give."""
    follower, node, scope = call.follower, call.node, call.scope
    assert node is not None
    assert scope is not None
    keys = (arg for arg in call.args if isinstance(place_of(arg), KeyPlace))
    error.cause = error.cause or next(keys, None)
    follower.report(error, node, scope)
    if error.kind is ProblemKind.MISSING_FILE and follower.folder != follower.origin:
        # Relative paths mean what they mean in the folder of the command.
        with follower.meanwhile(folder=follower.origin):
            return follower.attempt(lambda: called(call), node, scope)
    return error.instead


def called(call: OutsideCall) -> Value:
    """What a call gives."""
    callee = call.callee
    if isinstance(callee, _OWN):
        return _own(call)
    _note(call)
    if type(callee) is Bound:
        known = methods_of(type(callee.owner))
        function = known.get(callee.name) or known.get(OTHER)
    elif type(callee) is External:
        function = function_of(callee.name) or unknown
    elif isinstance(callee, _UNCALLED):
        raise operations.invalid(TypeError(f"'{type(callee).__name__}' object is not callable"))
    else:
        return autograd.after(call, methods_of(type(callee)).get(CALLED, unknown)(call))
    size = sum([access.size(value) for value in call.values if type(value) in _SIZED])
    heavy = size and type(callee) is External and callee.name.startswith(_COPYING)
    call.follower.spend(50 + size * 40 if heavy else 10 + size // 2)
    if size > access.LARGEST:
        return UNKNOWN
    found = operations.answered(callee, call.args, call.keywords)
    if found is not None or function is None:
        return UNKNOWN if found is None else found
    try:
        return autograd.after(call, function(call))
    except _ODD:
        return UNKNOWN


def _note(call: OutsideCall) -> None:
    """Keep what a call is given, once for each different set of arguments."""
    node, callee, follower = call.node, call.callee, call.follower
    name = callee.name if type(callee) is External else ""
    if not ("." in name or callee is UNKNOWN or isinstance(call.owner, Modelled)) or node is None:
        return
    held = follower.trace.passed.setdefault(node, [])
    if len(held) >= MOST_NOTED:
        return
    keywords = {key: _simple(value) for key, value in call.keywords.items() if key != ANYTHING}
    spread: frozenset[str] = frozenset()
    if type(call.spread) in (dict, DictConfig) and not call.is_open:
        spread = frozenset(map(str, call.spread))
    if type(call.spread) is DictConfig:
        keywords |= dict.fromkeys(spread, UNKNOWN)
    positional = tuple([_simple(value) for value in call.args])
    certain = not follower.is_unsure
    happens = certain and not follower.may_not_happen
    text = (operations.text_of(call.args[0]) if call.args else None) or ""
    given = (name, node, positional, keywords, call.is_open, certain, happens, text, spread)
    if given not in held:
        held.append(PassedValues(*given))


def _simple(value: Value) -> Value:
    if value is UNKNOWN or isinstance(value, _SIMPLE):
        return value
    if type(value) is ListConfig:
        value = access.plain(value)
    known = isinstance(value, (list, tuple)) and all(isinstance(part, _SIMPLE) for part in value)
    return list(value) if known else UNKNOWN


def unknown(call: OutsideCall) -> Value:
    """What a call gives of which nothing is known, and what it may do to what it is given."""
    follower, keywords = call.follower, call.keywords
    functions: list[Value] = []
    name = call.name if type(call.callee) is External else "."
    for value in call.values:
        kind = type(value)
        if kind is Tokenizer:
            value.pads = None  # who gets it may set it up
        elif kind is LocalFunction:
            functions.append(value)
        elif kind in _NETWORKS and "." in name and not name.startswith(_READING):
            forget(value)
        elif (kind is list or kind is dict) and not value:
            blur(value)  # it is handed over to be filled
    if functions and _pooled(call):
        return UNKNOWN
    func = call.node.func if call.node is not None else None
    if isinstance(func, ast.Attribute) and func.attr in ("makedirs", "mkdir"):
        follower.trace.made.add(None)
    is_named = type(call.callee) is External
    if is_named and _CHANGING.search(call.name):
        for value in call.args:
            blur(value)
    # Who gets a function of the submission will call it: an optimiser its objective, a loader its
    # collate function.
    if functions and keywords.get("n_trials") != 0:
        given = [TRIAL] if "n_trials" in keywords else []
        with follower.meanwhile(handed=True, may_have_left=frozenset(), autocast=None, grad=None):
            for function in functions:
                handed(follower, function, given, {})
    return (assumed(call.name) if is_named else None) or UNKNOWN


def _pooled(call: OutsideCall) -> bool:
    """Follow a function that a thread or a pool calls; whether the call is such a one."""
    follower, args, keywords = call.follower, call.args, call.keywords
    written = call.node.func if call.node is not None else None
    name = call.name or (written.attr if isinstance(written, ast.Attribute) else "")
    function = args[0] if args else None
    calls: list[Sequence[Value]] | None = None
    if name in ("threading.Thread", "multiprocessing.Process"):
        function = keywords.get("target")
        calls = [follower.turns(keywords.get("args", [])) or []]
    elif name == "submit" and not keywords:
        calls = [args[1:]]
    elif name in ("map", "imap", "imap_unordered") and len(args) == 2:
        items = follower.turns(args[1])
        calls = None if items is None else [[item] for item in items[:_MOST_CALLS]]
    if calls is None or not isinstance(function, LocalFunction):
        return False
    with follower.meanwhile(caught=(*follower.caught, ("BaseException",))):
        for given in calls:
            apply(follower, function, given)
    return True


def apply(follower: Follower, function: Value, args: Sequence[Value]) -> Value:
    """What a function or class gives for these arguments."""
    return called(OutsideCall(follower, function, args, {}))


def handed(
    follower: Follower, function: Value, args: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    """What a function that was handed over gives; where it raises, the way goes on."""
    if isinstance(function, Instance):
        function = _run_of(follower, function)
    if not isinstance(function, LocalFunction):
        return UNKNOWN
    try:
        return follow_call(follower, function, args, keywords)
    except Leave as leave:
        if leave.error == "SystemExit":
            raise
        return UNKNOWN


# The submission's own functions and classes


def _own(call: OutsideCall) -> Value:
    """What a function, class or object of the submission gives."""
    callee, follower, args, keywords = call.callee, call.follower, call.args, call.keywords
    if isinstance(callee, Instance):
        run = _run_of(follower, callee)
        return follow_call(follower, run, args, keywords) if run else UNKNOWN
    is_class = isinstance(callee, LocalClass)
    start = _constructor(follower, callee) if is_class else callee
    made = Instance(callee) if is_class else None
    if start is None:
        return Instance(callee, dict(keywords))
    run = start.bound(made) if is_class else start
    if call.spread is not None and call.node is not None and call.scope is not None:
        refused = _refused(run, args, keywords)
        if refused is not None:
            follower.report(refused, call.node, call.scope)
    found = follow_call(follower, run, args, keywords)
    return made if is_class else found


def _constructor(follower: Follower, cls: LocalClass) -> LocalFunction | None:
    """What makes an object: as it is written, or as `@dataclass` writes it; None of any other."""
    if (written := follower.method(cls, "__init__")) is not None:
        return written
    node = cls.definition.node
    listed = [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
    is_known = any(cls.scope.file.resolve(one) == "dataclasses.dataclass" for one in listed)
    made = _of_dataclass(node) if is_known and not node.bases else None
    return None if made is None else follower.function(made, cls.scope, home=cls)


@kept
def _of_dataclass(node: ast.ClassDef) -> ast.FunctionDef | None:
    """The constructor of a dataclass; None where it may take others than its fields."""
    fields: dict[str, ast.expr | None] = {}
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            fields[part.target.id] = _default(part.value)
            if _ODD_FIELD.search(ast.unparse(part)):
                return None
    lines = [f"self.{name} = {name}" for name in fields]
    lines += ["self.__post_init__()"] if "__post_init__" in ast.unparse(node) else []
    # What has a default may stand before what has none where it is given by its name only.
    order = sorted(fields, key=lambda name: fields[name] is not None)
    text = f"def __init__({', '.join(['self', *order])}):\n {'; '.join(lines) or 'pass'}"
    made = ast.parse(text).body[0]
    assert isinstance(made, ast.FunctionDef)
    for inner in ast.walk(made):
        ast.copy_location(inner, node)
    made.args.defaults = [value for value in map(fields.get, order) if value is not None]
    return made


def _default(value: ast.expr | None) -> ast.expr | None:
    """What a field is where nothing is given for it; None where something must be."""
    if not (isinstance(value, ast.Call) and ast.unparse(value.func).endswith("field")):
        return value
    given = {word.arg: word.value for word in value.keywords}
    if (factory := given.get("default_factory")) is not None:
        return ast.copy_location(ast.Call(factory, [], []), factory)
    return given.get("default")


def _run_of(follower: Follower, instance: Instance) -> LocalFunction | None:
    """What is called where an object is, itself or by the library that its class comes from."""
    found = (follower.method(instance.cls, name) for name in _CALLED)
    run = next(filter(None, found), None)
    return run and run.bound(instance)


def _refused(
    function: LocalFunction, args: Sequence[Value], keywords: Mapping[str, Value]
) -> AccessError | None:
    """What Python says to arguments that a function does not take."""
    node = function.node
    if ANYTHING in keywords or isinstance(node, ast.Lambda) or node.decorator_list:
        return None
    positional, named, defaults = parameters(node)
    kinds = {
        **dict.fromkeys(positional, Parameter.POSITIONAL_OR_KEYWORD),
        **({node.args.vararg.arg: Parameter.VAR_POSITIONAL} if node.args.vararg else {}),
        **dict.fromkeys(named, Parameter.KEYWORD_ONLY),
        **({node.args.kwarg.arg: Parameter.VAR_KEYWORD} if node.args.kwarg else {}),
    }
    taken = [
        Parameter(name, kind, default=defaults.get(name, Parameter.empty))
        for name, kind in kinds.items()
    ]
    try:
        Signature(taken).bind(*function.first, *args, **{**function.keywords, **keywords})
    except TypeError as error:
        return operations.invalid(TypeError(f"{node.name}() {error}"))
    return None


def follow_call(
    follower: Follower,
    function: LocalFunction,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
) -> Value:
    """Follow a call of one of the submission's own functions, unless it is too deep."""
    node, active = function.node, follower.active
    if function.keywords:
        keywords = {**function.keywords, **keywords}
    awaited = follower.awaited
    if awaited is not None and node is awaited.function and not args:
        follower.awaited, follower.intended = None, awaited.intended
        # That the command comes here is taken for granted: the way begins anew.
        sure = {"doubts": 0, "unsure_turns": 0, "caught": (), "may_have_left": frozenset()}
        with follower.meanwhile(folder=awaited.folder, here=None, **sure):
            return follow_call(follower, function, [awaited.config], {})
    if node in active or len(active) >= _DEPTH:
        given = [*args, *keywords.values()]
        holds = any(isinstance(value, (dict, list)) for value in given)
        if active.count(node) >= (_NESTED if holds else 1) or len(active) >= _DEPTH:
            for value in given:
                blur(value)
                forget(value)
            return UNKNOWN
    scope = CallScope(function.scope.file, function.scope, method_of=function.home)
    if awaited is None and follower.entry is None:
        follower.entry = scope
    _bind(follower, scope, function, args, keywords)
    active.append(node)
    if not (args and args[0] is UNKNOWN):
        follower.trace.called.add(node)
    left = follower.may_have_left
    given_back: list[Value] = []
    is_direct = isinstance(node, ast.Lambda) or not (_is_wrapped(node) or _yields(node))
    how = {
        "autocast": follower.autocast if is_direct else None,
        "grad": _switched(function, follower.grad) if is_direct else None,
    }
    with follower.meanwhile(asked=None, exits=[], may_have_left=left, importing=False, **how):
        try:
            if isinstance(node, ast.Lambda):
                return follower.value(node.body, scope)
            if not is_direct:
                follower.may_have_left |= {"return"}
                given_back = [UNKNOWN] if _yields(node) else []
            follower.block(node.body, scope)
            given_back.append(None)
        except Leave as leave:
            # With another value in the configuration it goes on here.
            if leave.how == "raise" and is_direct and not follower.exits:
                raise
            is_over = leave.how == "raise" and not follower.exits
            given_back.append(UNKNOWN if is_over else leave.value)
        finally:
            given_back += [way.value for way in follower.exits]
            active.pop()
    first, *others = given_back
    return first if all(is_same(first, other) for other in others) else UNKNOWN


def _bind(
    follower: Follower,
    scope: CallScope,
    function: LocalFunction,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
) -> None:
    positional, named, _ = parameters(function.node)
    given = function.node.args
    defaults = function.defaults if ANYTHING not in keywords else {}
    # What must be given comes out of the batch that is unpacked.
    batch = keywords.get(ANYTHING)
    needed = positional if is_loose(batch) else ()
    for name in (*positional, *named):
        given_by = name in needed and name not in function.defaults
        scope.names[name] = batch if given_by else defaults.get(name, UNKNOWN)
    values = [*function.first, *args]
    scope.names.update(zip(positional, values, strict=False))
    rest = {name: value for name, value in keywords.items() if name not in scope.names}
    scope.names |= {name: value for name, value in keywords.items() if name not in rest}
    if given.vararg is not None:
        known = ANYTHING not in keywords and follower.doubts == 0
        scope.names[given.vararg.arg] = Fixed(values[len(positional) :]) if known else UNKNOWN
    if given.kwarg is not None:
        scope.names[given.kwarg.arg] = rest


@kept
def _yields(node: Function) -> bool:
    return any(isinstance(part, _YIELDING) for part in everything_within(node))


def _switched(function: LocalFunction, before: bool | None) -> bool | None:
    """Whether gradients are on in a function, by its decorators."""
    listed = [] if isinstance(function.node, ast.Lambda) else function.node.decorator_list
    for part in listed:
        name = ast.unparse(part.func if isinstance(part, ast.Call) else part).rpartition(".")[2]
        before = _SWITCHING.get(name, before)
    return before


@kept
def _is_wrapped(node: Function) -> bool:
    """Whether something else stands between a call and the function's first statement."""
    listed = [part.func if isinstance(part, ast.Call) else part for part in node.decorator_list]
    return any(ast.unparse(part).rpartition(".")[2] not in _TRANSPARENT for part in listed)
