"""Guards each predicate: what makes it true, what makes it false, and what leaves it open."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from reviewers.propositions import PREDICATES, Answer, Truth
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


@pytest.mark.parametrize("predicate", {twin.predicate: None for twin in TWINS})
def test_the_code_says_what_it_shows_and_by_what(predicate: str) -> None:
    twins = [twin for twin in TWINS if twin.predicate == predicate]
    assert [f"{twin}: {problem}" for twin in twins for problem in _problems(twin)] == []


def _problems(twin: Twin) -> Iterator[str]:
    """What is wrong with the answer itself, and with that to other files."""
    answer = twin.answer()
    if answer.truth != twin.expected:
        yield f"it is {answer.truth}"
    if twin.expected == TRUE and twin.predicate not in _OF_LIBRARIES:
        if not answer.witnesses:
            yield "nothing bears witness"
        taken = _without_witnesses(twin, answer)
        if taken and twin.answer(**taken).truth is Truth.TRUE:
            yield "it stays true without its witnesses"
    is_word = twin.expected == TRUE or twin.predicate == "contains"
    if not is_word and twin.answer(**_worded(twin)).truth is Truth.TRUE:
        yield "a word is taken for the deed"
    if twin.expected == FALSE:
        if not answer.looked_at and not answer.witnesses:
            yield "it has no certificate and no place against it"
        if answer.gaps:
            yield f"its certificate has gaps: {answer.gaps}"


def _without_witnesses(twin: Twin, answer: Answer) -> dict[str, str]:
    """The files with `pass` in place of each line that bears witness."""
    taken: dict[str, list[str]] = {}
    for one in answer.witnesses:
        if one.span.line:
            path = one.span.file
            lines = taken.setdefault(path, lines_of(twin.submission().by_path[path].text))
            for number in range(one.span.line - 1, one.span.end_line or one.span.line):
                indent = len(lines[number]) - len(lines[number].lstrip())
                lines[number] = f"{' ' * indent}pass"
    return {path: "\n".join(lines) + "\n" for path, lines in taken.items()}


def _worded(twin: Twin) -> dict[str, str]:
    """The scripts with all words of the reading behind, in a comment and in a text."""
    words = " ".join(str(value) for name, value in twin.atom.items() if name != "p")
    words = words.replace('"', "'")
    return {
        path: f'{text.rstrip()}\n# {words}\n_NOTE = """{words}"""\n'
        for path, text in twin.files.items()
        if text and path.endswith(".py")
    }
