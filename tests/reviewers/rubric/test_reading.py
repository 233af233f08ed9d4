"""Guards what is read from a prompt: its clauses under whatever marks and words, nothing that is
denied or left open, and of hostile text no more than data.

`prompts/` holds prompts with what must be read from them, no clause more and none fewer.
"""

import re
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewers.bundles import open_bundle
from reviewers.rubric.built_in import built_in
from reviewers.rubric.contract import Contract
from reviewers.rubric.reading import read_prompt
from tests.shared_data import SHARED, needs_shared

_PROMPTS = sorted((Path(__file__).parent / "prompts").glob("*.md"))
_TEXTS = [path.read_text("utf-8") for path in _PROMPTS]
_PIECES = [piece for text in _TEXTS for piece in re.split(r"(\s+|[`*(){}:])", text) if piece]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, tuple | list) else value


def _clauses(contract: Contract) -> dict[str, Any]:
    """All that a contract asks, as the TOML beside a prompt says it."""
    asked = _plain(
        contract.model_dump(exclude_defaults=True, exclude={"name", "version", "title", "criteria"})
    )
    likes = {str(n): each.like for n, each in contract.criteria.items() if each.like}
    titles = [f"{number}. {each.title}" for number, each in contract.criteria.items()]
    return {"criteria": titles, **({"like": likes} if likes else {}), **asked}


def _read(text: str) -> Contract:
    contract = read_prompt(text)
    assert contract is not None
    return contract


@pytest.mark.parametrize("path", _PROMPTS, ids=lambda path: path.stem)
def test_each_clause_of_a_prompt_is_read_and_no_other(path: Path) -> None:
    contract = _read(path.read_text("utf-8"))

    assert _clauses(contract) == tomllib.loads(path.with_suffix(".toml").read_text("utf-8"))
    assert contract.name == "prompt"


_ASKED = """
# Requirements
1. **Complete code**: nothing is left out.
2. **Evaluation**: evaluate.py {sentence}
"""


@pytest.mark.parametrize(
    "sentence",
    [
        "runs significance tests.",
        "compares the runs, with a test for statistical significance.",
        "uses t-tests and not the mere means.",
    ],
)
def test_a_demand_is_read(sentence: str) -> None:
    assert _read(_ASKED.format(sentence=sentence)).outputs.significance


@pytest.mark.parametrize(
    "sentence",
    [
        "needs no significance test.",
        "may run significance tests.",
        "runs significance tests if you like.",
        "compares means; tests of significance are optional.",
        "need not draw legends, confusion matrices or significance tests.",
        "does not have to run significance tests.",
        "compares means instead of significance tests.",
    ],
)
def test_what_is_denied_or_left_open_is_no_demand(sentence: str) -> None:
    contract = _read(_ASKED.format(sentence=sentence))

    assert not contract.outputs.significance
    assert not contract.outputs.confusion_matrix


def test_what_stands_under_a_waiver_is_no_demand() -> None:
    text = _ASKED.format(sentence="has these optional parts:\n   - a confusion matrix\n   - tables")

    assert _read(text).outputs == Contract(name="x", title="x").outputs


def test_what_stands_under_common_mistakes_or_the_answer_is_no_demand() -> None:
    text = _ASKED.format(sentence="writes scores.") + (
        "\n## Common mistakes\n- evaluate.py draws no confusion matrix\n- WandB is logged twice\n"
        "\n## Output format\n1. `is_ready`\n2. `issue` that names a confusion matrix\n"
    )
    contract = _read(text)

    assert not contract.outputs.confusion_matrix
    assert contract.tracking.service is None
    assert len(contract.criteria) == 2


def test_two_services_leave_it_in_doubt() -> None:
    text = _ASKED.format(sentence="reads what MLflow holds.\n3. **Tracking**: WandB logs all.")

    assert _read(text).tracking.service is None


def test_two_amounts_leave_a_limit_in_doubt() -> None:
    text = (
        "1. Start: `python main.py run={run_id} mode=quick` or `python main.py run={run_id}"
        " mode=real`\n2. Quick mode: 1 epoch, 2 batches\n3. Again: mode=quick takes 3 epochs\n"
    )
    quick = _read(text).modes["quick"]

    assert (quick.epochs, quick.batches) == (None, 2)


_BOTH = """
(1) The launcher is obeyed
    - a short check is started with
          python go.py --run <run_id> --quick
      and the experiment proper with
          python go.py --run <run_id> --real
    - exactly one of --quick and --real is given
(2) The short check is short
    - --quick: two epochs
    - --real: the whole schedule
"""


def test_words_between_two_commands_are_no_mode() -> None:
    contract = _read(f"What has to hold\n{_BOTH}")

    assert contract.commands["main"].line == "python go.py --run {run_id} {mode}"
    assert {name: mode.epochs for name, mode in contract.modes.items()} == {
        "quick": 2,
        "real": None,
    }


@pytest.mark.parametrize(
    "runs",
    [
        "--runs run-1 run-2 run-3",
        "--runs run-1,run-2",
        "--runs RUN_ID [RUN_ID ...]",
        '--runs \'["a", "b"]\'',
    ],
)
def test_example_ids_stand_for_the_runs(runs: str) -> None:
    text = f"## Criteria\n1. Start: `python go.py --run x`\n2. End: `python compare.py {runs}`\n"

    assert "--runs {run_ids}" in _read(text).commands["evaluate"].line.replace("'", "")


def test_what_is_written_is_no_file_that_is_asked_for() -> None:
    text = (
        "## Criteria\n1. Files: there are `go.py`, `nets.py` and `data.py`.\n2. Results: go.py"
        " writes `a.json`, `b.json`, `c.json` and `d.json` into the folder of results.\n"
    )

    assert _read(text).files.expected == ("data.py", "go.py", "nets.py")


def test_an_argument_that_two_commands_differ_in_is_no_mode() -> None:
    text = (
        "## Criteria\n1. Start: `python go.py --dataset mnist`, `python go.py --dataset cifar`\n"
        "2. Data: mnist is small, cifar is large.\n"
    )
    contract = _read(text)

    assert contract.modes == {}
    assert contract.commands["main"].line == ""


@pytest.mark.parametrize(
    "line",
    [
        "python go.py --run {run_id} --width {unheard_of}",
        "python go.py --run {run_id} mode=$1",
        "python go.py --run 'unclosed",
        "python -m pytest tests",
        "python go.py is called by hand",
    ],
)
def test_a_command_that_cannot_be_read_whole_is_absent(line: str) -> None:
    contract = _read(f"## Criteria\n1. Whole: nothing lacks.\n2. Start: `{line}`\n")

    assert not any(command.line for command in contract.commands.values())


def test_a_file_that_is_tolerated_leaves_open_whether_others_are() -> None:
    text = (
        "## Criteria\n1. Whole: nothing lacks.\n2. Files: exactly `a.py`, `b.py`, `c.py`."
        " An empty `__init__.py` is tolerated.\n"
    )
    files = _read(text).files

    assert (files.expected, files.only) == (("a.py", "b.py", "c.py"), False)


@pytest.mark.parametrize("lead", ["Must not", "Should", "Nice to have", "May"])
def test_a_list_of_what_is_no_duty_asks_for_nothing(lead: str) -> None:
    text = _ASKED.format(sentence=f"runs.\n\n**{lead}**\n- use WandB\n- draw a confusion matrix")
    contract = _read(text)

    assert contract.tracking.service is None
    assert not contract.outputs.confusion_matrix


def test_a_list_of_reasons_to_refuse_asks_for_nothing() -> None:
    text = (
        "Refuse the code if one of these is true:\n- with `--test` WandB is contacted\n"
        "- `python go.py {run_id} --test` trains for more than 1 epoch\n"
    )

    assert read_prompt(text) is None


def test_commands_that_differ_in_more_than_a_mode_are_left_out() -> None:
    text = (
        "Criteria\n1. Start: `python main.py a=1 b=2 c=3 d=4`\n2. Or: `python main.py e=5 f=6 g=7`"
    )
    main = _read(text).commands["main"]

    assert (main.file, main.line) == ("main.py", "")


def test_criteria_are_bounded() -> None:
    many = "## Criteria\n" + "".join(f"{n}. **T{n}**: {'word ' * 400}\n" for n in range(1, 40))
    contract = _read(many)

    assert list(contract.criteria) == list(range(1, 13))
    assert all(len(each.title + each.question) <= 620 for each in contract.criteria.values())


@pytest.mark.parametrize("text", ["", "   \n", "Hello.", "# Notes\nNothing is asked."])
def test_a_text_that_asks_nothing_gives_no_contract(text: str) -> None:
    assert read_prompt(text) is None


@pytest.mark.parametrize(
    "path",
    ["../../secret.py", "/etc/passwd.py", "src/../../x.py", "~/x.py", "$(rm -rf x).py"],
)
def test_no_path_leads_out_of_the_submission(path: str) -> None:
    text = (
        f"## Criteria\n1. Start: `python {path} run={{run_id}}`\n2. Files: exactly `{path}`,"
        f" `src/a.py`, `src/b.py`, `src/c.py`\n3. Cache: `{path.removesuffix('.py')}/` is the"
        f" cache\n4. Runs: `{path.removesuffix('.py')}/*.yaml` hold the run configurations\n"
    )
    shown = _read(text).model_dump_json(exclude={"criteria"})

    assert ".." not in shown
    assert "passwd" not in shown.replace("etc/passwd", "") or not path.startswith("/")
    assert "$(" not in shown


def test_a_text_that_looks_like_a_pattern_is_only_text() -> None:
    text = (
        "## Criteria\n1. Start: `python main.py run={run_id} mode=(a+)+$`, `python main.py"
        " run={run_id} mode=[z`\n2. Files: `src/(x+)+.py`, `src/[a.py`, `main.py`, `a.py`, `b.py`\n"
    )

    assert read_prompt(text) is not None


_LARGE = {
    "commands": "- `python src/train.py run={run_id} mode=a` starts evaluate.py\n" * 1_000,
    "braces": "Files exactly: " + "{a,b}" * 12_000 + ".py",
    "parentheses": "1. a " + "(" * 64_000,
    "quotes": "python a.py " + "'" * 64_000,
    "numbers": "".join(f"{n % 99}. a:\n" for n in range(9_000)),
    "one word": "epochs is " * 6_400,
    "nested": "".join(" " * (n % 70) + "- only files:\n" for n in range(1_500)),
    "fences": "```\n" * 16_000,
}


@pytest.mark.parametrize("name", _LARGE)
def test_a_large_text_takes_little_time(name: str) -> None:
    start = time.process_time()
    read_prompt(_LARGE[name] * 3)

    assert time.process_time() - start < 5


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400) | st.lists(st.sampled_from(_PIECES), max_size=120).map("".join))
def test_any_text_gives_a_contract_or_none(text: str) -> None:
    contract = read_prompt(text)

    assert contract is None or contract == read_prompt(text)


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_a_prompt_that_lost_lines_still_gives_a_contract_or_none(data: st.DataObject) -> None:
    lines = data.draw(st.sampled_from(_TEXTS)).split("\n")
    kept = data.draw(st.lists(st.booleans(), min_size=len(lines), max_size=len(lines)))
    contract = read_prompt("\n".join(line for line, keep in zip(lines, kept, strict=True) if keep))

    assert contract is None or set(contract.modes) <= {name for name in contract.modes if name}


def _criteria(path: str) -> str:
    criteria = open_bundle(SHARED / path).context.criteria
    assert criteria is not None
    return criteria


def _headings(text: str) -> str:
    return re.sub(r"(?m)^(\d+)\. \*\*(.+?)\*\*:", r"### \1. \2", text)


def _parentheses(text: str) -> str:
    return re.sub(r"(?m)^(\d+)\. \*\*(.+?)\*\*:", r"(\1) \2:", text)


def _other_bullets(text: str) -> str:
    return re.sub(r"(?m)^( +)[-*] ", r"\1• ", text)


def _no_bold(text: str) -> str:
    return text.replace("**", "")


def _no_backticks(text: str) -> str:
    return text.replace("`", "")


def _angles(text: str) -> str:
    return re.sub(r"\{(run_id|path|results_dir)\}", r"<\1>", text)


@needs_shared
@pytest.mark.parametrize(
    "marked", [_headings, _parentheses, _other_bullets, _no_bold, _no_backticks, _angles]
)
def test_other_marks_change_nothing_in_what_a_real_prompt_asks(
    marked: Callable[[str], str],
) -> None:
    text = _criteria("logs/20251107-140627_01.txt")
    changed = _read(marked(text))

    assert marked(text) != text
    assert changed == _read(text)
    assert changed.name == "nine-modes"


@needs_shared
def test_a_real_prompt_with_other_words_is_read_with_these_words() -> None:
    text = _criteria("logs/20251107-140627_01.txt")
    for word, other in (
        ("trial", "rehearsal"),
        ('"full"', '"study"'),
        ("mode=full", "mode=study"),
        ("(full)", "(study)"),
        ("WandB", "MLflow"),
        ("wandb", "mlflow"),
        ("src/", "code/"),
        ("src.", "code."),
    ):
        text = text.replace(word, other)
    contract = _read(text)

    assert contract.name == "prompt"
    assert contract.tracking.service == "mlflow"
    assert {name: mode.word for name, mode in contract.modes.items()} == {
        "study": "mode=study",
        "rehearsal": "mode=rehearsal",
    }
    assert contract.modes["rehearsal"].epochs == 1
    assert all(path.startswith(("code/", "config/", "pyp")) for path in contract.files.expected)


@needs_shared
def test_a_criterion_that_is_dropped_takes_its_clauses_along() -> None:
    whole = _criteria("logs/20251107-140627_01.txt")
    contract = _read(re.sub(r"(?ms)^6\. .*?(?=^7\. )", "", whole))

    assert 6 not in contract.criteria
    assert contract.name == "prompt"
    assert not contract.tracking.summary
    assert contract.outputs == _read(whole).outputs


@needs_shared
def test_a_prompt_that_asks_what_a_built_in_contract_asks_is_that_contract() -> None:
    assert _read(_criteria("logs/20251107-140627_01.txt")) == built_in()["nine-modes"]


def test_what_holds_only_without_a_service_is_asked_of_nobody() -> None:
    text = _ASKED.format(
        sentence="works.\n3. **Figures** (if WandB is not used):\n   - PDF figures"
    )

    assert _read(text).outputs.figure_format is None


@pytest.mark.parametrize(
    ("sentence", "every"),
    [
        ("It is ready only where every one of the criteria holds.", True),
        ("The code must satisfy all requirements.", True),
        ("It need not meet all requirements.", False),
        ("Most submissions meet all of the criteria.", False),
        ("Seven of the criteria must hold.", False),
        ("List all criteria in your answer.", False),
    ],
)
def test_whether_every_criterion_must_hold_is_read(sentence: str, every: bool) -> None:
    prompt = f"{sentence}\n\n## Criteria\n1. **Whole**: no stub.\n2. **Sound**: it runs.\n"
    assert _read(prompt).ready.every_criterion is every


def test_a_whole_path_under_its_folder_is_not_joined_to_it_again() -> None:
    text = (
        "# Files\nThe repository has exactly these files:\n- `prog/`\n  - `prog/loop.py`\n"
        "  - `stock.py`\n- `tool.py`\n\n# Requirements\n1. **Complete**: nothing is left out.\n"
        "2. **Sound**: the code runs.\n"
    )
    assert _read(text).files.expected == ("prog/loop.py", "prog/stock.py", "tool.py")


def _titles(text: str) -> list[str]:
    contract = read_prompt(text)
    return [each.title for each in contract.criteria.values()] if contract else []


_TWO = "1. Whole: nothing is left out.\n2. Real: no number is invented.\n"


@pytest.mark.parametrize(
    "list_of_others",
    [
        "### WHAT WOULD MAKE YOU SAY NO\n\nAny of these is enough.\n\n(1) a file is missing\n"
        "(2) a number is invented\n(3) a path is spelled otherwise\n",
        "The files that are required:\n\n(a) start.py\n(b) learn.py\n(c) weigh.py\n",
        "These must work:\n\n(a) `python start.py`\n(b) `python learn.py`\n(c) `python go.py`\n",
    ],
    ids=["faults", "files", "commands"],
)
def test_a_list_of_faults_files_or_commands_is_not_the_criteria(list_of_others: str) -> None:
    assert _titles(list_of_others) == []
    assert _titles(f"{list_of_others}\n## Criteria\n\n{_TWO}") == ["Whole", "Real"]


def test_criteria_go_as_far_as_the_verdict_says() -> None:
    steps = "# Requirements for you\n1. Read: all of it.\n2. Think: twice.\n3. Write: little.\n"
    asked = (
        "# What we look at\n§ 4.1 Whole: nothing is left out.\n§ 4.2 Real: nothing is invented.\n"
        "§ 4.3 Small: no file is long.\n§ 4.4 Style is not looked at.\n"
    )
    verdict = "\n`fine` is true if § 4.1 to § 4.3 are met.\n"

    assert _titles(f"{steps}\n{asked}{verdict}") == ["Whole", "Real", "Small"]


def test_words_behind_the_last_criterion_are_not_part_of_it() -> None:
    contract = _read(f"# Criteria\n\n{_TWO}\nPictures are drawn by another team.\n")

    assert "Pictures" not in contract.criteria[2].question


def test_bullets_with_titles_are_criteria_where_their_heading_calls_them_so() -> None:
    bullets = "- whole: nothing is left out\n- real: no number is invented\n"

    assert _titles(f"# Criteria\n{bullets}") == ["whole", "real"]
    assert _titles(f"# People\n{bullets}") == []


def test_a_module_that_may_be_a_file_or_a_package_is_the_one_that_the_prompt_names() -> None:
    command = (
        "# Criteria\n1. Start: `python -m lab --run {run_id}` works.\n2. Whole: all is there.\n"
    )
    named = "The package has `lab/__main__.py`.\n"

    assert not _read(command).commands
    assert _read(named + command).commands["main"].file == "lab/__main__.py"


def test_placeholders_are_known_by_the_paths_in_which_they_stand() -> None:
    text = (
        "# Criteria\n1. Start: `python go.py --cell {cell} --sink {sink}` works.\n"
        "2. Settings: each cell is described in `cells/{cell}.toml`.\n"
        "3. Results: `{sink}/{cell}/scores.json` is written.\n"
    )

    assert _read(text).commands["main"].line == "python go.py --cell {run_id} --sink {results_dir}"
    listed = text + "4. Cells: `cells/small.toml` and `cells/large.toml` are delivered.\n"
    assert not any(each.line for each in _read(listed).commands.values())


@pytest.mark.parametrize(("count", "read"), [("four", 0), ("three", 3)])
def test_a_list_of_files_that_is_not_as_long_as_the_prompt_says_is_left_out(
    count: str, read: int
) -> None:
    text = (
        f"# Criteria\n1. Files: there are {count} files: `a.py`, `b.py`, `c.py`.\n2. Whole: yes.\n"
    )

    assert len(_read(text).files.expected) == read


def test_commands_that_differ_in_a_variable_of_the_shell_are_left_out() -> None:
    text = (
        "# Criteria\n1. Whole: all is there.\n2. Start: `SIZE=small python go.py --run {run_id}` "
        "and `SIZE=large python go.py --run {run_id}` work.\n"
    )

    assert not any(each.line for each in _read(text).commands.values())


def test_each_line_of_an_ini_file_speaks_for_itself() -> None:
    text = (
        "[layout]\nanything_else      = reject any other file\n"
        "names_of_scripts   = go.py, learn.py\nreason             = only these files are read\n\n"
        "# Criteria\n" + _TWO
    )

    assert not _read(text).files.expected


def test_elements_are_headings_and_items() -> None:
    text = (
        "<layout>\nThere are only these files:\n- `a.py`\n- `b.py`\n- `c.toml`\n"
        "</layout>\n<criteria>\n"
        '<criterion id="1">Whole: nothing is left out.</criterion>\n'
        '<criterion id="2">Real: no number is invented.</criterion>\n</criteria>\n'
    )

    assert _titles(text) == ["Whole", "Real"]
    assert _read(text).files.expected == ("a.py", "b.py", "c.toml")


def test_criteria_are_counted_as_the_verdict_counts_them() -> None:
    steps = "You must do this:\n1. Read: all.\n2. Compare: both.\n"
    asked = "What has to be true:\n\n(a) Whole - nothing is left out.\n(b) Real - no invention.\n"

    assert _titles(f"{steps}\n{asked}\nSay yes if (a) to (b) hold.\n") == ["Whole", "Real"]
