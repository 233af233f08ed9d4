"""Guards that a statement which does not parse takes nothing else with it, and that no text is too
broken to be looked at.
"""

import random
from pathlib import Path

import pytest

from reviewers.facts import Facts
from reviewers.facts.parsing import parse
from reviewers.facts.python_file import PythonFile
from reviewers.facts.recovery import readable
from reviewers.rules.run import run_rules
from reviewers.steps import Steps
from tests.builders import with_one_run

SOUND = Path(__file__).parents[2] / "sound_submission"


@pytest.mark.parametrize(
    ("broken", "aside"),
    [
        ("x = = 1", (4, 4)),
        ("x = fit(1,\n        2", (4, 5)),
        ("x = {'a': 1,\n         'b' 2}", (4, 5)),
        ("raise ValueError('it's wrong')", (4, 4)),
        ("if x = 1:\n        fit(2)", (4, 4)),
        ("if x:\n    fit(2)", (4, 5)),
        ("for i in range(3)\n        fit(i)", (4, 5)),
        ("x = 1 \N{RIGHTWARDS ARROW} 2", (4, 4)),
        ("x = gains.global", (4, 4)),
        ("break", (4, 4)),
        ("nonlocal x\n    x = 1", (4, 4)),
        ("fit(lr=1, lr=2)", (4, 4)),
        ("from __future__ import annotations", (4, 4)),
        ("x = gains.\n    clamp(max=1)", (4, 5)),
    ],
)
def test_only_the_broken_statement_goes(broken: str, aside: tuple[int, int]) -> None:
    text = (
        f"import os\n\ndef run(cfg):\n    {broken}\n    return cfg\n\ndef after():\n    return os\n"
    )
    file = PythonFile("src/train.py", text)
    assert file.syntax_error is not None
    assert list(file.functions) == ["run", "after"]
    assert any(item.module == "os" for item in file.imports)
    first, last = aside
    assert all(first <= a <= b <= last for a, b in file.set_aside)
    assert file.functions["after"].lineno == text.split("\n").index("def after():") + 1


def test_a_nul_byte_within_a_text_takes_nothing_away() -> None:
    rest = readable('"""About\0 it."""\n\ndef fit():\n    return 1  # \0\n')
    assert rest is not None
    assert rest.set_aside == ()
    assert len(rest.tree.body) == 2


def test_a_class_with_a_broken_method_may_have_any_attribute() -> None:
    facts = Facts(
        with_one_run(
            {
                "src/model.py": "class Net:\n    def width(self:\n        return 1\n\n"
                "    def depth(self):\n        return 2\n\n"
                "def build():\n    return Net().width()\n"
            }
        )
    )
    (cls,) = facts.python["src/model.py"].classes.values()
    assert list(cls.methods) == ["depth"]
    found = run_rules(facts).findings
    assert not [one for one in found if "width" in one.message]


def test_what_stands_behind_a_broken_statement_is_still_found() -> None:
    facts = Facts(
        with_one_run(
            {"src/model.py": "def fit(x)\n    return x\n\ndef build():\n    return widht\n"}
        )
    )
    found = {
        one.span.line: one.message
        for one in run_rules(facts).findings
        if one.span.file == "src/model.py"
    }
    assert "SyntaxError" in found[1]
    assert "widht" in found[5]


def test_one_character_less_leaves_the_other_functions_as_they_were() -> None:
    drawn = random.Random(7)
    tried = 0
    for path in sorted(SOUND.rglob("*.py")):
        text = path.read_text()
        whole = PythonFile(str(path), text)
        for at in drawn.sample([n for n, sign in enumerate(text) if sign in "()[]:'\","], 12):
            less = text[:at] + text[at + 1 :]
            file = PythonFile(str(path), less)
            if file.syntax_error is None:
                continue
            tried += 1
            line = text.count("\n", 0, at) + 1
            around = {name for name, node in whole.functions.items() if node.lineno <= line}
            # An open quote or bracket may swallow what follows; what stands before it never goes.
            before = {name for name in around if (whole.functions[name].end_lineno or 0) < line - 1}
            assert before <= set(file.functions), (path, at)
    assert tried > 20


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000,
        "def f(:\n" * 3000,
        "x = '''" + "\n" * 5000,
        "if 1:\n" * 99 + "é é",
        "\ud800 = 1\n" * 200,
        "x = =\n" * 200,
        "\0" * 1000,
        "",
    ],
)
def test_broken_beyond_measure_ends_soon(text: str) -> None:
    steps = Steps(5.0)
    with steps.counted():
        problem = parse(text)
        rest = readable(text)
    assert rest is None or problem is not None
    assert steps.taken < 1_000_000
