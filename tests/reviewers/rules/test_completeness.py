"""Guards what the completeness rules say beyond their examples: how bad it is, and that one cause
is one finding.
"""

import pytest

from reviewers.records import Finding, Severity
from tests.reviewers.rules.asking import findings


def found(rule: str, **files: str) -> list[Finding]:
    named = {f"src/{name}.py": text for name, text in files.items()}
    return findings(rule, named)


def test_a_broken_file_is_flagged_at_the_line_that_python_names() -> None:
    (finding,) = found("IM01", train="def f(:\n    pass\n")
    assert (
        finding.message
        == "Python cannot parse src/train.py: SyntaxError at line 1, column 7: invalid syntax"
    )
    assert (finding.span.file, finding.span.line) == ("src/train.py", 1) if finding.span else False


def test_a_file_that_is_only_too_deep_is_no_syntax_error() -> None:
    assert found("IM01", train="x = " + "+".join(["1"] * 3000)) == []


@pytest.mark.parametrize(
    ("train", "severity"),
    [
        ("def f():\n    return gone\nf()\n", Severity.BLOCKER),
        ("def f():\n    return gone\n", Severity.MAJOR),
        ("def f(x: 'Gone'): return x\nf(1)\n", Severity.MINOR),
    ],
    ids=["reached", "dead code", "quoted annotation"],
)
def test_an_undefined_name_is_as_bad_as_what_reaches_it(train: str, severity: Severity) -> None:
    (finding,) = found("IM02", train=train)
    assert finding.severity is severity


def test_a_name_that_the_code_asks_for_first_is_left_alone() -> None:
    train = (
        "if 'x' in locals():\n    print(x)\nprint(y if 'y' in globals() else 0)\n"
        "'z' in vars() and print(z)\n"
    )
    assert found("IM02", train=train) == []
    assert len(found("IM02", train="if 'x' in {}:\n    pass\nprint(x)\n")) == 1


def test_an_undefined_name_used_often_is_one_finding_with_all_its_places() -> None:
    (finding,) = found("IM02", train="\n".join(["print(gone)"] * 9))
    assert [place.span.line for place in finding.further] == list(range(2, 10))


@pytest.mark.parametrize(
    ("train", "error"),
    [
        ("def f():\n    torch.zeros(1)\n    import torch\nf()\n", "UnboundLocalError"),
        ("print(torch)\nimport math\nimport torch\n", "NameError"),
    ],
    ids=["local", "module"],
)
def test_a_name_used_too_early_is_not_called_missing(train: str, error: str) -> None:
    (finding,) = found("IM02", train=train)
    assert finding.message == f"`torch` is used before it has a value: {error}"
    assert "on line 3, after its use" in finding.check.evidence


def test_a_name_imported_in_another_function_is_missing_here() -> None:
    (finding,) = found(
        "IM02",
        train="def f():\n    import os\n    return os.sep\ndef g():\n    return os.sep\nf(), g()\n",
    )
    assert finding.message.startswith("`os` is never defined or imported")
    assert (
        finding.check.evidence
        == "nothing that line 5 of src/train.py can see defines or imports `os`"
    )


@pytest.mark.parametrize(
    ("guard", "severity"),
    [("", Severity.BLOCKER), ("try:\n    ", Severity.MINOR)],
    ids=["bare", "under try"],
)
def test_a_missing_module_under_try_is_no_blocker(guard: str, severity: Severity) -> None:
    end = "\nexcept ImportError:\n    pass\n" if guard else "\n"
    (finding,) = found("IM03", train=f"{guard}from .losses import focal, dice{end}")
    assert finding.severity is severity
    assert "No module named 'src.losses'" in finding.message


def test_each_name_that_a_module_lacks_is_named() -> None:
    messages = [
        finding.message
        for finding in found("IM04", train="from .model import GatedMLP, Gate, gate\n")
    ]
    assert [message.partition(":")[0] for message in messages] == [
        "src/model.py defines no `Gate`",
        "src/model.py defines no `gate`",
    ]


def test_the_same_misfit_twice_is_one_finding() -> None:
    (finding,) = found("IM07", train="def f(a): pass\nf(1, 2)\nf(3, 4)\nf(1)\n")
    assert finding.message == "TypeError: f() takes 1 positional argument but 2 were given"
    assert [place.span.line for place in finding.further] == [3]
    assert finding.check.evidence == "`f` is defined at src/train.py:1 as (a)"


def test_an_attribute_missing_twice_is_one_finding() -> None:
    (finding,) = found(
        "IM08", train="class A:\n    def f(self):\n        return self.gone + self.gone\nA().f()\n"
    )
    assert finding.message == "AttributeError: 'A' object has no attribute 'gone'"
    assert finding.severity is Severity.BLOCKER


CHOSEN = """
class Fixed:
    def step(self):
        pass

class Free(Fixed):
    def move(self):
        pass

def run(free, pool):
    chosen = None
    if free:
        chosen = Free()
    else:
        chosen = Fixed()
    for one in pool:
        {}
        chosen.step()

everyone = [Free() for _ in range(3)]
for one in everyone:
    one.move()
run(True, everyone)
"""


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("chosen.stop()", True),
        ("chosen.move()", False),
        ("if hasattr(chosen, 'stop'):\n            chosen.stop()", False),
        ("sum(each.size for each in everyone)", True),
        ("[each.move() for each in everyone]", False),
        ("everyone.append(one); [each.size for each in everyone]", False),
    ],
)
def test_an_attribute_is_gone_that_none_of_the_classes_has(text: str, gone: bool) -> None:
    assert [one.rule for one in found("IM08", train=CHOSEN.format(text))] == ["IM08"] * gone


def test_code_called_simplified_weighs_less_than_code_left_out() -> None:
    texts = ("# (simplified)\n", "# left out for brevity\n", "# (simplified)\n# cut for brevity\n")
    made = [finding for text in texts for finding in found("IM05", train=text)]
    assert [each.severity for each in made] == [Severity.MINOR, Severity.MAJOR, Severity.MAJOR]


UNFINISHED = '''"""The data, with placeholders for what comes.

Loading stands behind placeholders.
"""
def load(name):
    if name == "MADE_UP_PLACEHOLDER":
        return make()
    # PLACEHOLDER: other sets will be
    # loaded here for brevity.
    raise ValueError(name)


def spread():
    # Made up for demonstration.
    return call(
        mean=1,  # placeholder mean
        source="path/to/data",
    )


def other(name, root="path/to/other"):
    # TODO: warm up
    call(name)
    # TODO: cool down
    return "path/to/third"  # TODO: name it
'''


def test_one_unfinished_place_is_told_once_with_its_lines() -> None:
    made = [*found("IM05", train=UNFINISHED), *found("IM14", train=UNFINISHED)]
    assert [
        (each.rule, each.span and each.span.line, [place.span.line for place in each.further])
        for each in made
    ] == [
        ("IM05", 1, [3]),
        ("IM05", 8, [6, 9]),
        ("IM05", 14, [16, 17]),
        ("IM05", 22, []),
        ("IM05", 24, [25]),
        ("IM14", 21, []),
    ]


def test_a_placeholder_that_the_code_asks_for_is_told_where_it_is_given() -> None:
    files = {
        "config/config.yaml": "defaults:\n  - _self_\nsource: MADE_UP_PLACEHOLDER\n",
        "src/train.py": 'def load(name):\n    return name == "made_up_placeholder"\n',
    }
    (finding,) = findings("IM14", files)
    assert str(finding.span) == "config/config.yaml:3"
    assert [str(place.span) for place in finding.further] == ["src/train.py:2"]


def test_a_slot_is_an_attribute_whoever_fills_it() -> None:
    text = (
        'class Row:\n    __slots__ = ("name", "kind")\n\n\ndef show(row: Row):\n'
        "    return row.kind\n\n\ndef main():\n    row = Row()\n    return row.kind, row.size\n"
    )
    assert {
        found.message.split("'")[3] for found in findings("IM08", {"src/preprocess.py": text})
    } == {"size"}


def test_what_a_shell_gives_is_bound_in_a_notebook_and_where_the_code_asks_for_it() -> None:
    asks = (
        "def a():\n    try:\n        get_ipython\n        extra\n    except NameError:\n"
        "        return\n    get_ipython(), extra\n\ntry:\n    get_ipython()\n"
        "except Exception:\n    a()\n"
    )
    assert found("IM02", **{"train": asks, "look.ipynb": "display(get_ipython())\n"}) == []
    (finding,) = found("IM02", train="display(3)\n")
    assert "`display`" in finding.message


def test_a_misfit_that_a_test_asks_for_is_no_finding() -> None:
    text = "import pytest\n\ndef f(a): ...\n\ndef test_f():\n    with {}:\n        f()\n"
    assert found("IM07", test_a=text.format("pytest.raises(TypeError, match='a')")) == []
    assert len(found("IM07", test_a=text.format("open('x')"))) == 1
