"""Whether a call fits a function's parameters, in the words of Python's own error."""

import ast

from reviewers.facts.python_nodes import Function, positional

_MOST_NAMES = 8


def mismatch(function: Function, call: ast.Call, shown: str, *, bound: bool) -> str | None:
    """The TypeError that a call ends in; None if it fits, or where starred arguments leave that
    open.

    Args:
        shown: the function's name in the error.
        bound: whether Python fills in the first parameter itself.
    """
    given = function.args
    by_place = [parameter.arg for parameter in positional(function)]
    only_positional = {argument.arg for argument in given.posonlyargs}
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    spread = any(keyword.arg is None for keyword in call.keywords)
    values = sum(not isinstance(argument, ast.Starred) for argument in call.args) + bound
    if given.vararg is None and values > len(by_place):
        takes = _takes(len(by_place), len(given.defaults))
        return f"{shown}() takes {takes} but {values} {'was' if values == 1 else 'were'} given"
    filled = set(by_place[:values])
    by_name = {argument.arg for argument in (*given.args, *given.kwonlyargs)}
    for keyword in call.keywords:
        if keyword.arg is None:
            continue
        if keyword.arg in filled and keyword.arg not in only_positional:
            return f"{shown}() got multiple values for argument '{keyword.arg}'"
        if keyword.arg not in by_name and given.kwarg is None:
            return f"{shown}() got an unexpected keyword argument '{keyword.arg}'"
        filled.add(keyword.arg)
    if starred or spread:
        return None
    return _missing(function, by_place, filled, shown)


def _missing(function: Function, by_place: list[str], filled: set[str], shown: str) -> str | None:
    given = function.args
    required = by_place[: len(by_place) - len(given.defaults)]
    lacking = [name for name in required if name not in filled]
    kind = "positional"
    if not lacking:
        pairs = zip(given.kwonlyargs, given.kw_defaults, strict=True)
        lacking = [
            argument.arg
            for argument, default in pairs
            if default is None and argument.arg not in filled
        ]
        kind = "keyword-only"
    if not lacking:
        return None
    names = ", ".join(
        [
            *(f"'{name}'" for name in lacking[:_MOST_NAMES]),
            *(["…"] if len(lacking) > _MOST_NAMES else []),
        ]
    )
    return (
        f"{shown}() missing {len(lacking)} required {kind}"
        f" argument{'s' if len(lacking) > 1 else ''}: {names}"
    )


def _takes(count: int, defaults: int) -> str:
    number = f"from {count - defaults} to {count}" if defaults else str(count)
    return f"{number} positional argument{'' if number == '1' else 's'}"
