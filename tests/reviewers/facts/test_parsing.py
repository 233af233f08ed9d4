"""Guards parsing in threads: what another thread's parsing breaks is done again, and nobody else's
warnings are touched.
"""

import ast
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from reviewers.facts.parsing import while_nobody_parses


def test_what_another_thread_broke_is_made_again() -> None:
    tries: list[int] = []

    def make() -> str:
        tries.append(1)
        if len(tries) < 3:
            raise SystemError("AST constructor recursion depth mismatch (before=60, after=51)")
        return "made"

    assert while_nobody_parses(make) == "made"


def test_what_stays_broken_is_told() -> None:
    def make() -> str:
        raise SystemError("broken for good")

    with pytest.raises(SystemError, match="broken for good"):
        while_nobody_parses(make)


def test_only_one_thread_parses_at_a_time_and_its_warnings_stay_with_it() -> None:
    inside: list[int] = []
    together: list[int] = []

    def make() -> ast.Module:
        inside.append(1)
        together.append(len(inside))
        warnings.warn("an invalid escape sequence", SyntaxWarning, stacklevel=1)
        tree = ast.parse("x = 1\n" * 500)
        inside.pop()
        return tree

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: while_nobody_parses(make), range(40)))
    assert set(together) == {1}
    with pytest.warns(UserWarning, match="still heard"):
        warnings.warn("still heard", UserWarning, stacklevel=1)
