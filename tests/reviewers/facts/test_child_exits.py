"""Guards that a child process whose failure nobody sees is reported, and no other."""

import pytest

from reviewers.facts import Facts
from reviewers.rules.base import find_rule
from tests.reviewers.facts.test_script_starts import plain

COMMAND = '[commands.main]\nline = "python -m src.main"\n'
MAIN = """
import logging, os, shlex, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

WORDS = [sys.executable, "-m", "src.train"]
LINE = "python -m src.train"

{functions}
def main():
    {body}

if __name__ == "__main__":
    main()
"""
TRAIN = """
if __name__ == "__main__":
    print(1)
"""


def lines(rule: str, body: str, functions: str = "") -> list[str]:
    """What of the code a rule flags."""
    text = MAIN.format(body=body.replace("\n", "\n    "), functions=functions)
    facts = Facts(plain({"src/main.py": text, "src/train.py": TRAIN}, COMMAND))
    assert not any(file.syntax_error for file in facts.python.values())
    return [facts.code(finding.span) for finding in find_rule(rule)(facts) if finding.span]


DROPPED = {
    "run without check": "subprocess.run(WORDS)",
    "only its output is read": (
        "done = subprocess.run(WORDS, capture_output=True)\nprint(done.stdout)"
    ),
    "call": "subprocess.call(WORDS)",
    "os.system": "os.system(LINE)",
    "never waited for": "subprocess.Popen(WORDS)",
    "waited for": "child = subprocess.Popen(WORDS)\nchild.wait()",
    "its output is read to the end": (
        "child = subprocess.Popen(WORDS, stdout=subprocess.PIPE)\n"
        "for line in child.stdout:\n    print(line)\nchild.wait()"
    ),
    "several": (
        "children = []\nfor _ in range(2):\n    children.append(subprocess.Popen(WORDS))\n"
        "for child in children:\n    child.communicate()"
    ),
    "with": "with subprocess.Popen(WORDS) as child:\n    print(child.pid)",
    "only shown": "done = subprocess.run(WORDS)\nprint(f'ended with {done.returncode}')",
    "only told of": (
        "code = subprocess.call(WORDS)\nif code != 0:\n    logging.error('failed')\n    return"
    ),
    "told of at once": "if subprocess.run(WORDS).returncode:\n    print('failed')",
    "returned to what drops it": "return subprocess.call(WORDS)",
    "a handler that only logs": (
        "try:\n    subprocess.run(WORDS, check=True)\n"
        "except subprocess.CalledProcessError as error:\n    logging.error('failed: %s', error)"
    ),
}


@pytest.mark.parametrize("body", DROPPED.values(), ids=DROPPED)
def test_a_failure_that_nobody_looks_at_is_told_at_the_start_of_the_child(body: str) -> None:
    (line,) = lines("HY15", body)
    assert "WORDS" in line or "LINE" in line


LOOKED_AT = {
    "check": "subprocess.run(WORDS, check=True)",
    "check_call": "subprocess.check_call(WORDS)",
    "returncode": "done = subprocess.run(WORDS)\nif done.returncode:\n    sys.exit(1)",
    "at once": "sys.exit(subprocess.run(WORDS).returncode)",
    "check_returncode": "done = subprocess.run(WORDS)\ndone.check_returncode()",
    "handed on": "done = subprocess.run(WORDS)\ncheck(done)",
    "told of, and kept": (
        "code = subprocess.call(WORDS)\nif code:\n    print('failed')\n    failed.append(code)"
    ),
    "shown, and asked": (
        "code = subprocess.call(WORDS)\nprint(code)\nif code:\n    raise RuntimeError(code)"
    ),
    "os.system asked": "if os.system(LINE) != 0:\n    raise RuntimeError",
    "wait asked": "child = subprocess.Popen(WORDS)\nif child.wait():\n    raise SystemExit(1)",
    "codes of several": (
        "children = [subprocess.Popen(WORDS)]\n"
        "codes = [child.wait() for child in children]\nsys.exit(max(codes))"
    ),
    "a handler that ends": (
        "try:\n    subprocess.run(WORDS, check=True)\n"
        "except subprocess.CalledProcessError as error:\n    sys.exit(error.returncode)"
    ),
    "a handler that keeps it": (
        "failed = []\ntry:\n    subprocess.run(WORDS, check=True)\n"
        "except subprocess.CalledProcessError as error:\n    failed.append(error)\n"
        "if failed:\n    sys.exit(1)"
    ),
    "another program": "subprocess.run(['nvidia-smi'])",
    "another program, given a script": "subprocess.run(['git', 'add', 'src/train.py'])",
    "check by a switch": "subprocess.run(WORDS, check=bool(os.environ.get('STRICT')))",
    "options from elsewhere": "options = {'check': True}\nsubprocess.run(WORDS, **options)",
}


@pytest.mark.parametrize("body", LOOKED_AT.values(), ids=LOOKED_AT)
def test_a_failure_that_somebody_may_look_at_is_not_called_dropped(body: str) -> None:
    assert lines("HY15", body) == []


def test_a_pool_that_is_never_asked_swallows_the_failure() -> None:
    function = "def launch(seed):\n    subprocess.run(WORDS, check=True)\n\n"
    pool = "with ThreadPoolExecutor() as pool:\n    {}"
    (line,) = lines("HY15", pool.format("pool.submit(launch, 1)"), function)
    assert "pool.submit(launch, 1)" in line
    kept = "jobs = [pool.submit(launch, 1)]\n    print([job.result() for job in jobs])"
    assert lines("HY15", pool.format(kept), function) == []


HIDDEN = {
    "captured": ("subprocess.run(WORDS, check=True, capture_output=True)", 1),
    "thrown away": ("subprocess.run(WORDS, check=True, stderr=subprocess.DEVNULL)", 1),
    "piped": ("child = subprocess.Popen(WORDS, stderr=subprocess.PIPE)\nprint(child.wait())", 1),
    "captured and shown": (
        "done = subprocess.run(WORDS, capture_output=True)\nprint(done.returncode, done.stderr)",
        0,
    ),
    "shown by the handler": (
        "try:\n    subprocess.run(WORDS, check=True, capture_output=True)\n"
        "except subprocess.CalledProcessError as error:\n    print(error.stderr)\n    raise",
        0,
    ),
    "left alone": ("subprocess.run(WORDS, check=True)", 0),
    "only the output": ("subprocess.run(WORDS, check=True, stdout=subprocess.DEVNULL)", 0),
}


@pytest.mark.parametrize(("body", "count"), HIDDEN.values(), ids=HIDDEN)
def test_an_error_text_that_nobody_gets_to_see_is_told(body: str, count: int) -> None:
    assert len(lines("HY16", body)) == count
