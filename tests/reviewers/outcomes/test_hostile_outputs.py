"""Guards reading outputs that nobody wrote in good faith: of any size and form, in little time."""

import time

import pytest

from reviewers.outcomes import RunFailure, read_failure
from reviewers.outcomes.category import category_of
from reviewers.outcomes.failure import MOST_FRAMES, MOST_MESSAGE
from reviewers.outcomes.linking import link
from reviewers.outcomes.place import place_of
from tests.builders import make_submission
from tests.reviewers.outcomes.outputs import HEAD, TAIL, own
from tests.reviewers.outcomes.test_linking import finding

_FRAME = '  File "/app/src/train.py", line 3, in f\n    f()\n'
_FAILED = HEAD + own("src/train.py", "loss.backward()", "fit") + "RuntimeError: no grad\n"
_SECONDS = 12.0  # on a machine with other things to do; a quadratic reader takes minutes

HOSTILE = {
    "50-megabytes": "epoch 1: loss 0.3\n" * 2_900_000,
    "one-line": "a" * 20_000_000,
    "only-line-breaks": "\n" * 20_000_000,
    "only-heads": HEAD * 200_000,
    "heads-with-frames": (HEAD + _FRAME * 10) * 8_000,
    "endless-traceback": HEAD + _FRAME * 100_000,
    "escapes": "\x1b[" + "0;" * 2_000_000 + "\x1b]" * 500_000,
    "progress-bars": "\r".join(f"{number}%" for number in range(2_000_000)),
    "chain": (
        (_FAILED + "\nDuring handling of the above exception, another exception occurred:\n\n")
        * 20_000
    ),
    "hydra-tails": TAIL * 40_000,
    "hydra-heads": ("In 'config': " + "x" * 100 + "\n") * 20_000 + TAIL,
    "causes": "error: Failed to build `x`\n" + "  cause: because\n" * 200_000,
    "usage": "usage: x\n" * 200_000 + "x.py: error: no\n",
    "groups": "  + Exception Group Traceback (most recent call last):\n" * 50_000,
    "quotes": "'" * 2_000_000,
    "underscores": "Error: " + "a_" * 1_000_000,
    "nested-parents": ("subprocess.CalledProcessError: x\n" + HEAD + _FRAME) * 30_000,
    "surrogates": "\ud800\udfff\x00" * 300_000 + _FAILED,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_output_is_read_in_little_time(text: str) -> None:
    start = time.process_time()
    failure = read_failure(text)
    if failure is not None:
        span = place_of(failure, make_submission())
        link(failure, span, {"rules": (finding("`training.epochs` is absent"),)})
        assert len(failure.message) <= MOST_MESSAGE
        assert len(failure.frames) <= MOST_FRAMES
    assert time.process_time() - start < _SECONDS


def test_a_failure_before_megabytes_of_chatter_is_found() -> None:
    failure = read_failure(_FAILED + "wandb: uploading\n" * 1_000_000)
    assert failure is not None
    assert failure.message == "no grad"


@pytest.mark.parametrize("word", ["`", "a_", "a.", "'", "x/y", "1,", "aB", "lines 1,"])
def test_words_made_to_be_slow_are_compared_in_little_time(word: str) -> None:
    failure = RunFailure("KeyError", word * 200_000)
    start = time.process_time()
    link(failure, None, {"rules": [finding(word * 200_000) for _ in range(50)]})
    category_of(failure, None)
    assert time.process_time() - start < _SECONDS


@pytest.mark.parametrize(
    "path",
    [
        "../../src/train.py",
        "/" * 4_000,
        "src/" * 2_000 + "train.py",
        "\\\\host\\src\\train.py",
        "https://x/src/train.py?",
    ],
)
def test_an_odd_path_is_no_place_outside_the_submission(path: str) -> None:
    failure = read_failure(
        HEAD + f'  File "{path}", line 3, in f\n    import nothing_of_ours\nValueError: no\n'
    )
    span = place_of(failure, make_submission()) if failure else None
    assert span is None or (span.file == "src/train.py" and span.line is None)


def test_a_line_number_beyond_the_file_is_no_line() -> None:
    failure = read_failure(
        HEAD + '  File "/app/src/train.py", line 999999999, in f\nValueError: no\n'
    )
    assert failure is not None
    assert str(place_of(failure, make_submission())) == "src/train.py"


def test_what_a_submission_prints_of_others_is_not_taken_for_its_own_end() -> None:
    boast = "all well\n" + HEAD + "  nothing of a frame\n"
    assert read_failure(boast) is None
