"""What Python's own functions take, of which not all arguments need be known: each value is put to
the conversion that they begin with. Where all are known, `pure` asks the function itself.
"""

import math
import operator
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reviewers.facts.config_flow.operations import invalid
from reviewers.facts.config_flow.values import PLAIN, Value

_Check = Callable[[Any], object]


def _opened(value: Any) -> object:
    return value if isinstance(value, int) else os.fspath(value)


def _repeated(value: Any) -> object:
    return value is None or operator.index(value)


_INDEX, _NUMBER, _PATH = operator.index, math.isnan, os.fspath
_TAKES: Mapping[str, tuple[_Check, ...]] = {
    **dict.fromkeys(("all", "any", "enumerate", "frozenset", "iter", "list", "set"), (iter,)),
    **dict.fromkeys(("dict.fromkeys", "reversed", "sorted", "sum", "tuple"), (iter,)),
    "itertools.islice": (iter, _repeated, _repeated, _repeated),
    "open": (_opened,),
    "random.randint": (_INDEX, _INDEX),
    "round": (round, _repeated),
    **dict.fromkeys(("math.log", "time.sleep"), (_NUMBER,)),
    **{f"os.{name}": (_PATH,) for name in ("makedirs", "mkdir", "path.basename", "path.dirname")},
}
# These take any number of what the check is for.
_TAKES_ALL: Mapping[str, _Check] = {
    **dict.fromkeys(("itertools.chain", "itertools.product", "zip"), iter),
    **dict.fromkeys(("os.path.join", "pathlib.Path"), _PATH),
    **dict.fromkeys(("range", "tqdm.auto.trange", "tqdm.trange"), _INDEX),
}


def check(name: str, args: Sequence[Value]) -> None:
    """Raise where a function refuses a plain value that it is given.

    Raises:
        AccessError: with Python's own words.
    """
    checks = _TAKES.get(name, ())
    if (every := _TAKES_ALL.get(name)) is not None:
        checks = (every,) * len(args)
    if name in ("max", "min") and len(args) > 1 and None in args:
        raise invalid(TypeError("'<' not supported between instances of 'NoneType' and another"))
    for value, accepts in zip(args, checks, strict=False):
        if isinstance(value, PLAIN):
            try:
                accepts(value)
            except TypeError as error:
                raise invalid(error, value) from None
            except (ValueError, OverflowError):
                continue
