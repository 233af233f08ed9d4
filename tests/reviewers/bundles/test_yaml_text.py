"""Guards that YAML from strangers is read as plain values, within bounds, and that what is wrong is
told, never raised.
"""

import datetime

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from reviewers.bundles.yaml_text import MAX_NODES, UNREADABLE, load_yaml, yaml_problem

LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)
)
MERGES = "a0: &a0 {k0: 1}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}], k{n}: 1}}\n" for n in range(1, 10)
)

HOSTILE = [
    pytest.param(LAUGHS, "aliases written out", id="alias bomb"),
    pytest.param(MERGES, "aliases written out", id="merge bomb"),
    pytest.param("a: &a [*a]", "contains itself", id="alias inside itself"),
    pytest.param("a: &a {b: {c: *a}}", "contains itself", id="alias inside itself, deeper"),
    pytest.param("[" * 10_000 + "]" * 10_000, "nested deeper than 64", id="nested 10,000 deep"),
    pytest.param("[" * 10_000, "nested deeper than 64", id="10,000 open brackets"),
    pytest.param("{a: " * 10_000, "nested deeper than 64", id="10,000 open braces"),
    pytest.param("- " * 10_000 + "x", "nested deeper than 64", id="10,000 dashes"),
    pytest.param(
        "\n".join(" " * n + "a:" for n in range(1_000)), "nested deeper than 64", id="1,000 steps"
    ),
    pytest.param(
        "a: !!python/object/apply:os.system ['true']",
        "asks for more than plain values",
        id="tag that runs a command",
    ),
    pytest.param(
        "a: !!python/name:os.system",
        "asks for more than plain values",
        id="tag that names a function",
    ),
    pytest.param(
        "!<tag:yaml.org,2002:python/tuple> [1]",
        "asks for more than plain values",
        id="tag written out",
    ),
    pytest.param(
        "a: !include /etc/passwd", "asks for more than plain values", id="tag that includes a file"
    ),
    pytest.param(
        "a: !!python/none x\nb: [",
        "asks for more than plain values",
        id="tag before a syntax error",
    ),
    pytest.param("a: " + "1:" * 500_000 + "1", "digits", id="base-60 number without end"),
    pytest.param("- 1\n" * (MAX_NODES + 1), "aliases written out", id="too many values"),
]

BROKEN = [
    pytest.param("a: " + "9" * 1_500_000, None, id="number without end"),
    pytest.param("a: [1", 2, id="open bracket"),
    pytest.param("a: 1\nb: 'x\n", 3, id="open quote"),
    pytest.param("a: 1\n\tb: 2", 2, id="tab"),
    pytest.param("a: *nowhere", 1, id="alias of nothing"),
    pytest.param("a: 1\n---\nb: 2", 2, id="two documents"),
    pytest.param("? [a]\n: 1", 1, id="a list as a key"),
    pytest.param("a: \x07", None, id="control character"),
    pytest.param("a: 2024-99-99", None, id="a day that does not exist"),
    pytest.param("<<: 3", 1, id="merge of a number"),
]


@pytest.mark.parametrize(("text", "message"), HOSTILE)
def test_of_yaml_made_to_harm_no_value_is_made(text: str, message: str) -> None:
    read = load_yaml(text)
    assert read.value is None
    assert read.problem is not None
    assert message in str(read.problem)


@pytest.mark.parametrize(("text", "line"), BROKEN)
def test_broken_yaml_is_a_problem_at_its_line(text: str, line: int | None) -> None:
    read = load_yaml(text)
    assert read.value is None
    assert read.problem is not None
    assert line is None or read.problem.line == line
    assert "\n" not in str(read.problem)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("", None, id="empty"),
        pytest.param("# a remark\n", None, id="a remark"),
        pytest.param(
            "a: 1\nb: [x, 2.5, true, null]", {"a": 1, "b": ["x", 2.5, True, None]}, id="plain"
        ),
        pytest.param(
            "a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 2}",
            {"a": {"b": 1}, "c": {"b": 1}, "d": {"b": 1, "e": 2}},
            id="aliases",
        ),
        pytest.param("a: !!str 1\nb: !!float 1", {"a": "1", "b": 1.0}, id="standard tags"),
        pytest.param("a: 1e-4", {"a": "1e-4"}, id="YAML 1.1 has no such number"),
        pytest.param("a: 2025-11-07", {"a": datetime.date(2025, 11, 7)}, id="date"),
        pytest.param("a: '" + "9" * 2000 + "'", {"a": "9" * 2000}, id="digits in quotes"),
    ],
)
def test_plain_values_are_read(text: str, value: object) -> None:
    assert load_yaml(text).value == value
    assert load_yaml(text).problem is None


_PIECES = st.sampled_from((
    "a: 1\n", "b:\n  - x\n  - {c: 2e-3}\n", "- ", "  ", "[1, ", "]", "'it''s'", "|\n  text\n",
    "#", ":", "\t", "!x ", "? ", "&n ", "*n", "\ufeff", ">-", "0o7", "yes", "1_000", '"\\u00e9"',
    "---\n",
))  # fmt: skip


class _Slow(yaml.SafeLoader):
    """PyYAML's own parser."""


@given(st.lists(_PIECES, max_size=12).map("".join))
def test_libyaml_gives_the_values_that_pyyaml_gives(text: str) -> None:
    try:
        value = yaml.load(text, _Slow)  # noqa: S506  it is a safe one
    except UNREADABLE:
        value = None
    if yaml_problem(text) is None:
        assert repr(load_yaml(text, _Slow).value) == repr(value)


@pytest.mark.parametrize("value", ['!!int ""', "!!timestamp x", "2025-11-31"])
def test_a_value_that_cannot_be_made_is_told_at_its_line(value: str) -> None:
    text = f"a: &one [1, {{b: 2}}]\nc: *one\nd:\n  - e: {value}\nf: 3\n"
    problem = load_yaml(text).problem
    assert problem is not None
    assert problem.line == 4
