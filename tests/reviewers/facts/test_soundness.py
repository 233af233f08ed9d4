"""Guards the interpreter: what it says of a program contains what the program really does."""

import re
from collections import Counter
from fnmatch import fnmatchcase

import pytest

from reviewers.facts.config_flow.tables import transfers
from tests.reviewers.facts.containment import results, tried
from tests.reviewers.facts.snippets import FAMILIES, snippet
from tests.shared_data import EVERYTHING

_COUNT = 1_000 if EVERYTHING else 300  # programs that are run
_MANY = 1_300  # of which the text is looked at
# The share of values that are known exactly, below which none may fall.
KNOWN = {
    "expressions": 0.22,
    "containers": 0.3,
    "branches": 0.2,
    "loops": 0.25,
    "errors": 0.2,
    "functions": 0.27,
    "classes": 0.36,
    "configurations": 0.65,
    "paths": 0.45,
    "environment": 0.2,
    "arguments": 0.75,
    "data": 0.45,
    "everything": 0.24,
}


@pytest.mark.long
def test_the_abstract_result_contains_the_real_one_and_much_is_known_exactly() -> None:
    shown, known = Counter[str](), Counter[str]()
    ran = others = 0
    for one in results(_COUNT):
        assert not one.wrong, one
        ran, others = ran + 1, others + len(one.others)
        shown[one.family] += one.shown
        known[one.family] += one.known
    assert ran > _COUNT * 0.9
    assert others <= 5
    assert {family for family in FAMILIES if known[family] / shown[family] < KNOWN[family]} == set()


# What programs drawn by chance seldom hold; each was wrong once.
PROGRAMS = {
    "a lambda's default is that of its turn": """
        for x in (1, 2):
            subprocess.run((1, (lambda a, b=x: a + b)(x)))
        """,
    "an update with an unknown mapping in doubt": """
        try:
            v = dict(a=8)
            v.update(world.dict())
            subprocess.run((1, v))
        except KeyError:
            pass
        """,
    "an error that a block in a handler swallows": """
        try:
            v = "a" + 1
        except Exception:
            with contextlib.suppress(TypeError):
                raise TypeError(f"{None:>4}")
        """,
    "an error that finally swallows": """
        for x in (1, 2):
            try:
                v = 1 % 0
            finally:
                break
        """,
    "a list that shrinks while a loop goes over it": """
        v = [1, 2, 3]
        for x in v:
            v.clear()
        subprocess.run((1, x))
        for place, x in enumerate(w := [4, 5, 6]):
            subprocess.run((2, x))
        """,
    "numbers that are one item of a set": """
        subprocess.run((1, {False, 0, 1.0, True}))
        """,
    "paths that end with two dots": """
        subprocess.run((1, os.path.dirname(Path("a") / "b/..")))
        subprocess.run((2, Path("../up").parent.with_suffix("")))
        subprocess.run((3, Path("../up").parent.parent))
        subprocess.run((4, (Path("a") / "b/..").resolve().parent))
        """,
    "what is changed after it was shown": """
        v = [1]
        subprocess.run((1, v))
        v.append(2)
        """,
}


@pytest.mark.parametrize("lines", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_is_contained(lines: str) -> None:
    found = tried(lines)
    assert not found.wrong
    assert not found.others


# Of a transfer function that no program calls, by any of its names: why.
NOT_TRIED = {
    "tqdm.*": "no test installs the library",
    "hydra.*": "no test installs the library",
    "torch.*": "no test installs the library; `test_tensors.py` says what it gives",
    "Network*.*": "no test installs the library; `test_tensors.py` says what it gives",
    "timm.*": "no test installs the library; `test_tensors.py` says what it gives",
    "peft.*": "no test installs the library; `test_tensors.py` says what it gives",
    "torchvision.*": "no test installs the library; `test_library_values.py` says what it gives",
    "Made.*": "no test installs the library; `test_library_values.py` says what it gives",
    "multiprocessing.*": "no program starts one; `test_library_values.py` says what it refuses",
    "sklearn.*": "no test installs the library; `test_tensors.py` says what it refuses",
    "numpy.*": "no program imports the library; `test_tensors.py` says what it gives",
    "transformers.*": "no test installs the library; `test_batches.py` says what it gives",
    "Tokenizer.*": "no test installs the library; `test_batches.py` says what it gives",
    "Row.to": "no test installs the library; `test_batches.py` says what it gives",
    "DataSet*.*": "our small `datasets` has no formats; `test_batches.py` says what they do",
    "functools.partial": "what it gives is only called by what our small `datasets` lacks",
    "os.chdir": "the programs share one working directory",
    "tempfile.*": "no program knows the name of the file",
    "click.*": "no test installs the library; `test_command_lines.py` says what words it takes",
    "signal.signal": "no program gets a signal",
    "sys.exit": "it gives nothing, and ends the test; `test_starts.py` says what is told",
    "Parser.*": "it gives nothing of its own; `test_command_lines.py` says what becomes of it",
    "argparse.Namespace": "`parse_args` gives one",
    "iter": "an iterator has no value that a program could show",
    "Cell.*": "any other method than those that are named",
    "Instance.*": "any other method than those that are named",
    "list.[*]": "any other method than those that are named",
}


def test_every_transfer_function_is_tried_in_programs_or_says_why_not() -> None:
    programs = "\n".join(snippet(0, number).text for number in range(_MANY))
    called = set(re.findall(r"(\w+)\(", programs))
    untried = [
        names
        for names in transfers()
        if not any(name.rpartition(".")[2] in called for name in names)
    ]
    said = {why: [names for names in untried if _is_named(names, why)] for why in NOT_TRIED}
    assert [names for names in untried if not any(_is_named(names, why) for why in said)] == []
    assert [why for why, names in said.items() if not names] == []


def _is_named(names: list[str], pattern: str) -> bool:
    return any(fnmatchcase(name, pattern) for name in names)
