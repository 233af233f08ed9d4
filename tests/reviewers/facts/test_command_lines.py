"""Guards that words that a script refuses are reported, and no others: by argparse itself."""

import pytest

from reviewers.facts import Facts
from reviewers.rules.base import find_rule
from tests.builders import SOUND_FILES, contract, with_one_run
from tests.reviewers.facts.test_script_starts import plain

MAIN = """
import os, subprocess, sys
from pathlib import Path

def main():
    {start}

if __name__ == "__main__":
    main()
"""
CHILD = """
import argparse, sys
parser = argparse.ArgumentParser()
{body}
print(args)
"""
COMMAND = '[commands.main]\nline = "python -m src.main"\n'


def told(body: str, words: str, start: str = "subprocess.run({}, check=True)") -> list[str]:
    """What is said where a script with this parser is started with these words."""
    command = f"[sys.executable, '-m', 'src.child', {words}]"
    files = {
        "src/main.py": MAIN.format(start=start.format(command)),
        "src/child.py": CHILD.format(body=body),
    }
    facts = Facts(plain(files, COMMAND))
    assert not any(file.syntax_error for file in facts.python.values())
    return [finding.message for finding in find_rule("HY14")(facts)]


ARGS = "args = parser.parse_args()"
REFUSED = {
    "a flag that nobody declares": (
        f"parser.add_argument('--mode')\n{ARGS}",
        "'--mode', 'full', '--fast'",
        "unrecognized arguments: --fast",
    ),
    "a positional": (
        f"parser.add_argument('results')\nparser.add_argument('ids', nargs='+')\n{ARGS}",
        "'results'",
        "the following arguments are required: ids",
    ),
    "words of another kind": (
        f"parser.add_argument('--results-dir')\n{ARGS}",
        "'results_dir=out', 'mode=full'",
        "unrecognized arguments: results_dir=out mode=full",
    ),
    "a choice": (
        f"parser.add_argument('--mode', choices=['full', 'trial'])\n{ARGS}",
        "'--mode', 'quick'",
        "argument mode: invalid choice: 'quick'",
    ),
    "a type": (
        f"parser.add_argument('--epochs', type=int)\n{ARGS}",
        "'--epochs', 'many'",
        "argument --epochs:",
    ),
    "a flag without its value": (
        f"parser.add_argument('--mode')\n{ARGS}",
        "'--mode'",
        "argument --mode: expected one argument",
    ),
    "a required flag": (
        "parser.add_argument('--seed', type=int)\n"
        f"parser.add_argument('--run', required=True)\n{ARGS}",
        "'--seed', '1'",
        "the following arguments are required: --run",
    ),
    "what the first of two parsers leaves": (
        "first, rest = parser.parse_known_args()\nsys.argv = sys.argv[:1] + rest\n"
        f"parser = argparse.ArgumentParser()\nparser.add_argument('--run')\n{ARGS}",
        "'--run', 'a', '--mode', 'full'",
        "unrecognized arguments: --mode full",
    ),
}


@pytest.mark.parametrize(("body", "words", "said"), REFUSED.values(), ids=REFUSED)
def test_words_that_argparse_refuses_are_told(body: str, words: str, said: str) -> None:
    (message,) = told(body, words)
    assert "ends with exit code 2" in message
    assert said in message


TAKEN = {
    "every word is declared": (
        f"parser.add_argument('--run')\nparser.add_argument('ids', nargs='*')\n{ARGS}",
        "'--run', 'first', 'a', 'b'",
    ),
    "the beginning of a flag": (f"parser.add_argument('--run-id')\n{ARGS}", "'--run', 'first'"),
    "unknown words are left": (
        "args, rest = parser.parse_known_args()",
        "'--anything', 'run=first'",
    ),
    "a default that is no choice": (
        f"parser.add_argument('--mode', choices=['a'], default='b')\n{ARGS}",
        "*()",
    ),
    "choices that are not known": (
        f"parser.add_argument('--mode', choices=[sys.platform, 'a'])\n{ARGS}",
        "'--mode', 'b'",
    ),
    "a word that is only known at run time": (
        f"parser.add_argument('--run')\n{ARGS}",
        "os.environ['OTHER'], '--mode'",
    ),
    "a flag with a value of the run time": (
        f"parser.add_argument('--run')\n{ARGS}",
        "f'--run={os.getpid()}'",
    ),
    "a parser that the code may know more of": (
        "if sys.platform == 'linux':\n    parser.add_argument('--mode')\n" + ARGS,
        "'--mode', 'full'",
    ),
    "an action of its own": (
        f"class Own(argparse.Action):\n    pass\nparser.add_argument('--mode', action=Own)\n{ARGS}",
        "'--mode', 'full', 'more'",
    ),
    "what is caught": (
        "try:\n    args = parser.parse_args()\nexcept SystemExit:\n    args = None",
        "'--mode', 'full'",
    ),
    "what is taken out before": (
        f"sys.argv.remove('--mode')\n{ARGS}",
        "'--mode'",
    ),
    "a list of its own": ("args = parser.parse_args([])", "'--mode', 'full'"),
    "the first parser's words taken away": (
        "first, rest = parser.parse_known_args()\nsys.argv[1:] = []\n"
        f"parser = argparse.ArgumentParser()\n{ARGS}",
        "'--mode', 'full'",
    ),
}


@pytest.mark.parametrize(("body", "words"), TAKEN.values(), ids=TAKEN)
def test_words_that_may_well_be_taken_are_not_called_refused(body: str, words: str) -> None:
    assert told(body, words) == []


HYDRA = """
import argparse
import hydra

@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    {inside}

if __name__ == "__main__":
    {before}
    main()
"""
PARSE = "p = argparse.ArgumentParser(); p.add_argument('--seed', type=int); p.parse_args()"


@pytest.mark.parametrize(
    ("inside", "before", "count"),
    [("pass", PARSE, 1), (PARSE, "pass", 1), ("pass", "pass", 0)],
    ids=["before Hydra", "under Hydra", "nowhere"],
)
def test_argparse_beside_hydra_refuses_the_words_of_hydra(
    inside: str, before: str, count: int
) -> None:
    code = HYDRA.format(inside=inside, before=before)
    facts = Facts(with_one_run({"src/train.py": code}))
    found = list(find_rule("HY14")(facts))
    assert len(found) == count
    assert all("unrecognized arguments: run=" in finding.message for finding in found)


def test_an_evaluation_that_takes_other_flags_refuses_the_documented_words() -> None:
    code = CHILD.format(body=f"parser.add_argument('--out')\n{ARGS}")
    facts = Facts(with_one_run({"src/evaluate.py": code}))
    (finding,) = find_rule("EV01")(facts)
    assert "exit code 2: unrecognized arguments: results_dir=" in finding.message


def test_a_flag_that_hydra_refuses_is_told_where_the_configuration_is_composed() -> None:
    clauses = (
        '[commands.main]\nline = "uv run python -u -m src.main run={run_id}'
        ' results_dir={results_dir} mode={mode} --sanity-check"\n'
    )
    facts = Facts(with_one_run(contract=contract("nine-modes", clauses)))
    found = [finding.message for finding in find_rule("HY03")(facts)]
    assert any("--sanity-check" in message for message in found)


NOWHERE_ASKED = """
import subprocess, sys
import hydra
from hydra.utils import get_original_cwd

@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    for each in sys.stdin:
        words = [sys.executable, "-m", "src.train", f"run={cfg.run}", f"run_id={each}"]
        subprocess.run(words, cwd=get_original_cwd(), check=True)

if __name__ == "__main__":
    main()
"""


def test_no_word_is_made_up_that_neither_a_contract_nor_the_code_passes() -> None:
    train = NOWHERE_ASKED.replace("for each in sys.stdin", "for each in [cfg.run_id]")
    config = "run: small\nrun_id: null\nresults_dir: out\n"
    files: dict[str, str | None] = dict.fromkeys(SOUND_FILES) | {
        "src/main.py": NOWHERE_ASKED,
        "src/train.py": train[: train.index("        words")] + "        print(each)\n\nmain()\n",
        "config/config.yaml": config,
    }
    plain = Facts(with_one_run(files, {}, contract=contract("plain")))
    assert plain.hydra.starts
    assert list(find_rule("HY03")(plain)) == []


ASKS_HYDRA = """
import os, subprocess, sys
import hydra
from hydra.core.hydra_config import HydraConfig

@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    settings = HydraConfig.get()
    words = [f"run={settings.runtime.choices['run']}", f"results_dir={cfg.results_dir}"]
    if cfg.mode == "trial":
        words += ["mode=trial", "training.steps=2"]
    script = os.path.join(settings.runtime.cwd, "src", "train.py")
    subprocess.run([sys.executable, script, *words], cwd=settings.runtime.cwd, check=True)

if __name__ == "__main__":
    main()
"""


def test_what_hydra_keeps_of_a_start_is_known_where_a_script_passes_it_on() -> None:
    facts = Facts(with_one_run({"src/main.py": ASKS_HYDRA}))
    found = {finding.message for finding in find_rule("HY03")(facts)}
    assert any("Could not override 'training.steps'" in message for message in found)
    assert {start.by for start in facts.hydra.starts} >= {"src/main.py"}


CLICK = """
import click
@click.command()
@click.option('--run-id', required=True)
@click.option('--mode', type=click.Choice(['full', 'trial']), default='full')
@click.option('--steps', type=int, default=3)
@click.option('--fast', is_flag=True)
@click.argument('results')
def main(run_id, mode, steps, fast, results):
    print(run_id)
if __name__ == '__main__':
    main()
"""


def refused_by_click(words: str) -> list[str]:
    """What is said where a script that click reads the words of is started with these."""
    command = f"subprocess.run([sys.executable, '-m', 'src.child', {words}], check=True)"
    files = {"src/main.py": MAIN.format(start=command), "src/child.py": CLICK}
    return [finding.message for finding in find_rule("HY14")(Facts(plain(files, COMMAND)))]


def test_what_a_script_declares_by_click_refuses_words_too() -> None:
    whole = "'out', '--run-id', 'a', '--steps', '4'"
    assert refused_by_click(f"{whole}, '--fast'") == []
    for words, said in (
        (f"{whole}, '--no-such'", "unrecognized arguments: --no-such"),
        ("'out', '--steps', '4'", "the following arguments are required: --run-id"),
        ("'--run-id', 'a'", "the following arguments are required: results"),
        ("'out', '--run-id', 'a', '--steps', 'many'", "argument --steps"),
        ("'run_id=a', 'results_dir=out'", "required: --run-id"),
    ):
        (message,) = refused_by_click(words)
        assert said in message


def test_a_choice_of_click_is_one_of_its_words() -> None:
    assert refused_by_click("'out', '--run-id', 'a', '--mode', 'trial'") == []
    (message,) = refused_by_click("'out', '--run-id', 'a', '--mode', 'quick'")
    assert "invalid choice: 'quick'" in message


ENVIRONMENT = """
import os
steps = {read}
if int(steps) > 3:
    raise ValueError(steps)
"""


@pytest.mark.parametrize(
    ("start", "read", "errors"),
    [
        ("os.environ['N'] = '4'; subprocess.run({})", "os.environ['N']", ["ValueError"]),
        ("os.environ['N'] = '2'; subprocess.run({})", "os.environ['N']", []),
        ("os.environ['N'] = 2; subprocess.run({})", "'2'", ["TypeError"]),
        ("subprocess.run({}, env={{**os.environ, 'N': '4'}})", "os.getenv('N')", ["ValueError"]),
        ("subprocess.run({}, env=dict(os.environ, N='x'))", "os.getenv('N', 1)", ["ValueError"]),
        ("subprocess.run({}, env={{'M': '4'}})", "os.environ['N']", ["KeyError"]),
        ("subprocess.run({}, env={{'M': '4'}})", "os.getenv('N', '1')", []),
        ("subprocess.run({})", "os.environ['N']", []),
        ("os.environ.setdefault('N', '4'); subprocess.run({})", "os.environ['N']", []),
    ],
    ids=["set", "small", "number", "given", "copied", "alone", "default", "inherited", "may be"],
)  # fmt: skip
def test_a_child_reads_the_variables_that_it_is_given(
    start: str, read: str, errors: list[str]
) -> None:
    command = "[sys.executable, '-m', 'src.child']"
    files = {
        "src/main.py": MAIN.format(start=start.format(command)),
        "src/child.py": ENVIRONMENT.format(read=read),
    }
    found = Facts(plain(files, COMMAND)).hydra.value_problems
    assert [problem.error for _, problem in found if problem.certain] == errors
