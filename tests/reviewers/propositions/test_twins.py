"""Guards each predicate: what makes it true, what makes it false, and what leaves it open."""

import json
from collections import Counter
from typing import Any

import pytest

from reviewers.propositions import PREDICATES, Truth
from reviewers.records import lines_of
from tests.reviewers.propositions.twins import FALSE, OPEN, TRUE, Twin, all_twins

TWINS = all_twins()
# What is never false or never open, with the reason.
_EXEMPT = {
    ("exists", OPEN): "all files are known; what the pipeline supplies has a test of its own",
    ("fails", TRUE): "needs a list of failures: test_commands",
    ("reads_metric", FALSE): "never proven: a metric may be read by other ways",
    ("judgement", TRUE): "never",
    ("judgement", FALSE): "never",
    ("implements", TRUE): "never: a name is not the deed",
    ("sound", TRUE): "never",
    ("sound", FALSE): "needs a list of failures: test_commands",
    ("trains", TRUE): "never: only a run shows it",
}
_OF_LIBRARIES = ("library_has",)  # what no line of the submission makes true
_WANTED = {TRUE: 3, FALSE: 3, OPEN: 2}


@pytest.mark.parametrize("twin", TWINS, ids=str)
def test_the_code_says_what_it_shows(twin: Twin) -> None:
    assert twin.answer().truth == twin.expected


_TEXTS = {
    "src/train.py": "kind = 'a.b'\nload('x', 'a.b', kind='a.b', of=a.b)\ncfg.kind = 'a.b'\n",
    "src/main.py": (
        "import subprocess, sys\nimport hydra\n"
        "@hydra.main(version_base=None, config_path='../config', config_name='config')\n"
        "def main(cfg):\n"
        "    subprocess.run([sys.executable, '-m', 'src.train', 'kind=a.b'], check=True)\n"
        "if __name__ == '__main__':\n    main()\n"
    ),
    "config/config.yaml": "run: null\nmode: full\nkind: a.b\nnumber: 1\n",
}
_LOADS = {"p": "calls", "scope": "src/train.py", "callee": "load"}


@pytest.mark.parametrize(
    "reading",
    [
        {**_LOADS, "with": {"kind": "a.b"}},
        {**_LOADS, "args": ["a.b"]},
        {"p": "sets", "scope": "src/train.py", "target": "cfg.kind", "value": "a.b"},
        {"p": "has_value", "scope": "src/train.py", "expr": "kind", "value": "a.b"},
        {"p": "passes", "scope": "src/main.py", "key": "kind", "value": "a.b"},
        {"p": "has_key", "where": "config/config.yaml", "key": "kind", "value": "a.b"},
    ],
    ids=str,
)
def test_a_text_may_be_told_in_its_quotes(reading: dict[str, Any]) -> None:
    for value, is_so in (("a.b", True), ("'a.b'", True), ('"a.b"', True), ('"a.c"', False)):
        told = json.loads(json.dumps(reading).replace('"a.b"', json.dumps(value)))
        assert (value, Twin("", told, _TEXTS, {"a": "run_id: a\n"}).answer().truth == TRUE) == (
            value,
            is_so,
        )


def test_a_text_in_quotes_is_no_code_and_no_number() -> None:
    code = {**_LOADS, "with": {"of": '"a.b"'}}
    number = {"p": "has_key", "where": "config/config.yaml", "key": "number", "value": '"1"'}
    for reading in (code, number):
        assert Twin("", reading, _TEXTS).answer().truth != TRUE


def test_every_predicate_has_its_twins() -> None:
    counted = Counter((twin.predicate, twin.expected) for twin in TWINS)
    missing = [
        (name, expected)
        for name in PREDICATES
        for expected, wanted in _WANTED.items()
        if counted[name, expected] < wanted and (name, expected) not in _EXEMPT
    ]
    assert not missing


@pytest.mark.parametrize(
    "twin",
    [t for t in TWINS if t.expected == TRUE and t.predicate not in _OF_LIBRARIES],
    ids=str,
)
def test_true_has_a_witness_and_vanishes_with_it(twin: Twin) -> None:
    answer = twin.answer()
    assert answer.witnesses
    places = {one.span.file: one.span for one in answer.witnesses if one.span.line}
    if not places:
        return
    taken = {}
    for path in places:
        lines = lines_of(twin.submission().by_path[path].text)
        for one in answer.witnesses:
            if one.span.file == path and one.span.line:
                for number in range(one.span.line - 1, one.span.end_line or one.span.line):
                    indent = len(lines[number]) - len(lines[number].lstrip())
                    lines[number] = f"{' ' * indent}pass"
        taken[path] = "\n".join(lines) + "\n"
    assert twin.answer(**taken).truth is not Truth.TRUE


@pytest.mark.parametrize(
    "twin", [t for t in TWINS if t.expected != TRUE and t.predicate != "contains"], ids=str
)
def test_a_word_is_not_the_deed(twin: Twin) -> None:
    words = " ".join(str(value) for name, value in twin.atom.items() if name != "p")
    words = words.replace('"', "'")
    added = {
        path: f'{text.rstrip()}\n# {words}\n_NOTE = """{words}"""\n'
        for path, text in twin.files.items()
        if text and path.endswith(".py")
    }
    assert twin.answer(**added).truth is not Truth.TRUE


@pytest.mark.parametrize("twin", [t for t in TWINS if t.expected == FALSE], ids=str)
def test_false_has_a_certificate_or_a_place_against_it(twin: Twin) -> None:
    answer = twin.answer()
    assert answer.looked_at or answer.witnesses
    assert not answer.gaps
