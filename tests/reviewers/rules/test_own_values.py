"""Guards which uses of what own functions return are known to fail."""

import pytest

from reviewers.facts import Facts
from reviewers.records import Finding
from reviewers.rules.base import find_rule
from tests.builders import make_submission
from tests.reviewers.rules.asking import findings

PAIR = "def split(x):\n    return x[:1], x[1:]\n"
NOTHING = "def split(x):\n    print(x)\n"


def found(function: str, use: str, **files: str) -> list[Finding]:
    """What the rule says of a function and of what is done with its value."""
    body = "\n    ".join(use.splitlines())
    text = f"import contextlib\nimport sys\n{function}\ndef main(x):\n    {body}\nmain([1])\n"
    return findings("IM18", {"src/train.py": text, **files})


WRONG = {
    "too many": (PAIR, "a, = split(x)", "ValueError: too many values to unpack (expected 1)"),
    "too few": (
        PAIR,
        "a, b, c = split(x)",
        "ValueError: not enough values to unpack (expected 3, got 2)",
    ),
    "too few beside a star": (
        PAIR,
        "a, b, c, *d = split(x)",
        "ValueError: not enough values to unpack (expected at least 3, got 2)",
    ),
    "through a variable": (
        PAIR,
        "both = split(x)\na, b, c = both",
        "ValueError: not enough values to unpack (expected 3, got 2)",
    ),
    "two ways, both wrong": (
        "def split(x):\n    if x:\n        return 1, 2\n    return 1, 2, 3\n",
        "a, b, c, d = split(x)",
        "ValueError: not enough values to unpack",
    ),
    "an item that is not there": (PAIR, "split(x)[2]", "IndexError: tuple index out of range"),
    "a key": (PAIR, "split(x)['a']", "TypeError: tuple indices must be integers or slices"),
    "an attribute": (PAIR, "split(x).a", "AttributeError: 'tuple' object has no attribute 'a'"),
    "nothing unpacked": (NOTHING, "a, b = split(x)", "cannot unpack non-iterable NoneType"),
    "nothing gone through": (
        NOTHING,
        "for a in split(x):\n    print(a)",
        "TypeError: 'NoneType' object is not iterable",
    ),
    "nothing asked for": (NOTHING, "split(x).a", "'NoneType' object has no attribute 'a'"),
    "of a method": (
        "class A:\n    def split(self):\n        return 1, 2\n",
        "a, b, c = A().split() if False else (1, 2, 3)\nmade = A()\na, b, c = made.split()",
        "not enough values to unpack",
    ),
}
SOUND = {
    "as many": (PAIR, "a, b = split(x)"),
    "the rest in a star": (PAIR, "a, *b = split(x)"),
    "inside": (PAIR, "(a, b), c = split(x), 1"),
    "two ways, one right": (
        "def split(x):\n    if x:\n        return 1, 2\n    return 1, 2, 3\n",
        "a, b = split(x)",
    ),
    "a value that is not known": ("def split(x):\n    return x\n", "a, b = split(x)"),
    "a star in the tuple": ("def split(x):\n    return 1, *x\n", "a, b, c = split(x)"),
    "a generator": ("def split(x):\n    yield 1, 2\n", "a, b, c = split(x)"),
    "wrapped": (f"@contextlib.contextmanager\n{PAIR}", "a, b, c = split(x)"),
    "caught": (
        PAIR,
        "try:\n    a, b, c = split(x)\nexcept ValueError:\n    pass",
    ),
    "asked first": (NOTHING, "both = split(x)\nif both is not None:\n    a, b = both"),
    "bound again": (NOTHING, "both = split(x)\nboth = 1, 2\na, b = both"),
    "never ends": ("def split(x):\n    sys.exit(1)\n", "a, b = split(x)"),
    "raises": ("def split(x):\n    raise NotImplementedError\n", "a, b = split(x)"),
    "a method of a tuple": (PAIR, "split(x).count(1)"),
    "awaited": (f"async {PAIR}", "a, b, c = split(x)"),
}


@pytest.mark.parametrize(("function", "use", "message"), WRONG.values(), ids=WRONG)
def test_a_use_that_no_return_allows_is_found(function: str, use: str, message: str) -> None:
    (finding,) = found(function, use)
    assert message in finding.message


@pytest.mark.parametrize(("function", "use"), SOUND.values(), ids=SOUND)
def test_a_use_that_some_return_allows_is_passed_over(function: str, use: str) -> None:
    assert found(function, use) == []


def test_the_returns_are_further_places() -> None:
    (finding,) = found(PAIR, "a, b, c = split(x)")
    assert [str(place.span) for place in finding.further] == ["src/train.py:4"]


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
