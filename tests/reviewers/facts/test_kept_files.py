"""Guards that files read for one submission serve the next only as what they say themselves."""

import gc
import weakref

from reviewers.facts import Facts
from reviewers.rules import run_rules
from tests.builders import with_one_run

MAIN = "from src.model import build\n\nprint(build())\n"


def facts(**files: str) -> Facts:
    return Facts(with_one_run({f"src/{name}.py": text for name, text in files.items()}))


def test_an_unchanged_file_of_the_next_attempt_is_not_parsed_again():
    first = facts(extra=MAIN, model="def build(): pass\n").python
    second = facts(extra=MAIN, model="def build(): return 1\n").python

    assert first["src/extra.py"].tree is second["src/extra.py"].tree
    assert first["src/model.py"].tree is not second["src/model.py"].tree


def test_the_same_text_elsewhere_is_a_file_of_its_own():
    text = "from . import model\n"
    made = Facts(with_one_run({"src/a.py": text, "lib/a.py": text})).python

    assert made["src/a.py"].aliases == {"model": "src.model"}
    assert made["lib/a.py"].aliases == {"model": "lib.model"}


def test_submissions_never_see_each_others_names():
    having = facts(extra=MAIN, model="def build(): return 1\n")
    lacking = facts(extra=MAIN, model="def other(): return 1\n")

    def told(one: Facts) -> list[str]:
        return [f.message for f in run_rules(one).findings if f.span.file == "src/extra.py"]

    before = told(having), told(lacking)
    again = facts(extra=MAIN, model="def build(): return 1\n")

    assert before[0] == told(again) != before[1]
    assert any("build" in message for message in before[1])


def test_what_is_not_read_is_said_of_each_submission():
    nested = f"x = {'-' * 180}y\n"
    for _ in range(2):
        one = facts(extra=nested)
        assert any("nested too deeply" in line for line in run_rules(one).left_out)


def test_a_file_that_was_read_before_takes_as_many_steps():
    def steps() -> int:
        one = facts(extra=f"{MAIN}# of this test\n")
        run_rules(one)
        return one.steps.taken

    assert steps() == steps()


def test_files_and_submissions_are_not_kept_for_ever():
    submission = with_one_run({"src/extra.py": MAIN})
    kept = Facts(submission)
    run_rules(kept)
    tree = weakref.ref(kept.python["src/extra.py"].tree)
    holder = weakref.ref(kept)
    del kept
    gc.collect()
    assert holder() is None

    for number in range(12):
        assert facts(extra=f"# {number}{'x' * 50_000}\n").python
    gc.collect()
    assert tree() is None
