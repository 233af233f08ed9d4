"""Guards that the code under review and its answer are found in prompts of any form."""

import json
import time
from pathlib import Path

import pytest

from reviewers.bundles import bundle_paths, open_bundle
from reviewers.errors import BundleError
from reviewers.records import Submission, Verdict
from tests.cases import cases
from tests.reviewers.bundles.bundle_files import write_log

CODE = {"train_py": "x = 1\n", "config_yaml": "a: 1\n"}
AS_JSON = json.dumps(CODE)
NOT_READY = '{"is_experiment_code_ready": false, "experiment_code_issue": "The tail is too long."}'


def fenced(*files: tuple[str, str]) -> str:
    return "\n".join(f"## {path}\n```\n{text}```\n" for path, text in files)


def prompt(*parts: str, answer: str = NOT_READY) -> str:
    return "\n".join(["Input:\nYou review kites.\n# Instructions\nBe strict.", *parts, answer])


@pytest.fixture
def read(tmp_path: Path):
    def read(text: str) -> Submission:
        return open_bundle(write_log(tmp_path / "kite.txt", text))

    return read


FENCED = fenced(("src/train.py", "x = 1\n"), ("config/config.yaml", "a: 1\n"))


@cases(
    "text",
    {
        "another heading": prompt(
            "# Derived Experiment Code (To be validated)\n", AS_JSON, "Look.", "Output:"
        ),
        "other capitals": prompt("## generated code", AS_JSON, "Output:"),
        "an unknown heading": prompt("# What was written", AS_JSON, "Output:"),
        "no heading": prompt(AS_JSON, "Output:"),
        "fenced files": prompt("# Derived Experiment Code", FENCED, "Output:"),
        "fences anywhere": prompt("# Files of the kite", FENCED, "# Answer"),
        "names in the fences, and no mark before the answer": prompt(
            "```python src/train.py\nx = 1\n```\n```yaml\n# config/config.yaml\na: 1\n```"
        ),
        "a list of files": prompt(
            json.dumps(
                {
                    "files": [
                        {"path": "src/train.py", "content": "x = 1\n"},
                        {"path": "config/config.yaml", "content": "a: 1\n"},
                    ]
                },
                indent=1,
            ),
            "Output:",
        ),
        "the last of several": prompt(
            AS_JSON.replace("x = 1", "no"), "# Later", json.dumps({"a": CODE}), "Output:"
        ),
        "a name that comes again begins another run": prompt(
            fenced(("src/train.py", "old\n"), ("src/main.py", "old\n")), FENCED, "# Response"
        ),
        "a known heading goes before what comes later": prompt(
            "# Generated Code", AS_JSON, "# Notes", fenced(("a.py", "no\n")), "Output:"
        ),
        "objects that are no files": prompt(
            'For example:\n{"metrics": {"score": 1}}\n```json\n{"gap": 2}\n```',
            AS_JSON,
            "Output:",
        ),
    },
)
def test_the_code_is_found_wherever_it_stands(read, text: str) -> None:
    kite = read(text)
    assert {path: file.text for path, file in kite.by_path.items()} == {
        "src/train.py": "x = 1\n",
        "config/config.yaml": "a: 1\n",
    }
    (answer,) = kite.recorded
    assert (answer.verdict, answer.text) == (Verdict.NOT_READY, "The tail is too long.")


def test_the_experiment_that_a_prompt_singles_out_is_part_of_the_design(read) -> None:
    about = "- Experiment ID: exp-2\n- Description: Fly.\n- Step: land\n- Run Variations: ['a']"
    kite = read(
        prompt(
            "# Experimental Design\n## Strategy\nTwo kites.",
            f"# Base Code (Reference)\n{json.dumps({'train_py': 'old'})}",
            f"# Current Experiment\n{about}",
            f"# Derived Experiment Code\n{AS_JSON}",
            "Output:",
        )
    )
    assert kite.context.design == {
        "text": "## Strategy\nTwo kites.",
        "Experiment ID": "exp-2",
        "Description": "Fly.\n- Step: land",
        "Run Variations": "['a']",
    }
    assert kite.by_path["src/train.py"].text == "x = 1\n"


def test_what_is_unreadable_says_what_was_looked_for_and_what_was_seen(read) -> None:
    with pytest.raises(BundleError) as caught:
        read(prompt("# Kite code\nprint(1)", "# Notes\nnone"))
    assert str(caught.value).endswith(
        "it shows no code: looked for files in a JSON object or in named fences, under `# Generated"
        " Experiment Code` or one of 6 other headings, or elsewhere before the answer; saw the"
        " headings `Instructions`, `Kite code`, `Notes`"
    )


def test_a_prompt_of_another_form_is_found_in_a_folder_of_bundles(tmp_path: Path) -> None:
    path = write_log(tmp_path / "kite.txt", f"{AS_JSON}\n{NOT_READY}")
    write_log(tmp_path / "notes.txt", "We are ready to fly.")
    assert bundle_paths([tmp_path]) == [path]


@cases(
    "text",
    {
        "objects within objects that break off": '{ "a' * 300_000,
        "an object on each line that breaks off": '{"a": \n' * 100_000,
        "fences that nothing closes": "```a.py\n" * 100_000,
        "fences with shorter ones in them": "````a.py\n```\n" * 100_000,
        "headings": "# a\n" * 200_000,
        "known headings without code": "## Generated Code\n" * 50_000 + "a",
        "the same name again and again": "```a.md\n```\n" * 50_000,
    },
)
def test_a_text_that_is_made_to_be_searched_for_ever_is_not(read, text: str) -> None:
    begun = time.process_time()
    with pytest.raises(BundleError):
        read(text + '\n{"is_ready": tru')
    assert time.process_time() - begun < 4
