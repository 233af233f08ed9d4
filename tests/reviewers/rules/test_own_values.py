"""Guards which operations are known to fail by the types of plain values."""

import pytest

from reviewers.facts import Facts
from reviewers.rules.base import find_rule
from tests.builders import make_submission


def refused(use: str) -> list[str]:
    """What is said of operations that Python refuses."""
    body = "\n    ".join(use.splitlines())
    text = f"NAME = None\n\ndef main(x, y):\n    {body}\n\nmain([1], 2)\n"
    rule = find_rule("IM19")
    return [one.message for one in rule(Facts(make_submission({"src/train.py": text})))]


REFUSED = {
    "text and length": ('print("n: " + len(x))', "can only concatenate str"),
    "through a variable": ('n = len(x)\nprint("n: " + n)', "can only concatenate str"),
    "a number and a text": ("print(int(y) + str(y))", "unsupported operand type(s) for +"),
    "a division": ('share = len(x) / 2\nprint(share + "%")', "unsupported operand"),
    "going through a length": ("for i in len(x):\n    print(i)", "'int' object is not iterable"),
    "in a comprehension": ("[i for i in len(x)]", "'int' object is not iterable"),
    "an item of a number": ("print(len(x)[0])", "'int' object is not subscriptable"),
    "a key of a list": ("rows = []\nprint(rows['a'])", "list indices must be integers"),
    "an attribute": ("rows = []\nrows.push(1)", "'list' object has no attribute 'push'"),
    "a method without value": ("rows = [].append(1)\nrows.sort()", "'NoneType' object has no"),
    "comparing": ('print("a" < len(x))', "'<' not supported between instances of 'str' and 'int'"),
    "a text that is called": ('"a"(x)', "'str' object is not callable"),
}
ALLOWED = {
    "a text of it": 'print("n: " + str(len(x)))',
    "formatted": 'print("n: %d" % len(x), "-" * len(x))',
    "not known": 'print("n: " + y)\nprint(len(x) + y)',
    "bound twice": 'n = len(x)\nn = str(n)\nprint("n: " + n)',
    "another len": 'len = lambda x: "a"\nprint("n: " + len(x))',
    "caught": 'try:\n    print("n: " + len(x))\nexcept TypeError:\n    pass',
    "asked": "n = None\nif n is not None:\n    n.sort()",
    "set from elsewhere": "NAME.sort()",
    "items": "rows = [1]\nprint(rows[0], rows[5:], {}['a'], (1, 2)[y], 'abc'[1])",
    "an annotation": 'z: "int" | None = 1',
    "known only in part": "print((1 if y else 'a') + 1)",
}


@pytest.mark.parametrize(("use", "message"), REFUSED.values(), ids=REFUSED)
def test_an_operation_that_a_plain_type_refuses_is_found(use: str, message: str) -> None:
    (said,) = refused(use)
    assert message in said


@pytest.mark.parametrize("use", ALLOWED.values(), ids=ALLOWED)
def test_an_operation_that_may_work_is_passed_over(use: str) -> None:
    assert refused(use) == []
