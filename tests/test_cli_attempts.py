"""Guards the command line of attempts: histories of git, lineages and a person's word on them, and
what real runs came to.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewers.bundles import open_bundle
from reviewers.records import Span, Submission, Verdict
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, inbox
from reviewers.store.lineages import lineage_of
from reviewers.store.outcomes import outcomes_of
from tests.builders import SOUND_FILES, Run, changed, make_submission, write_folder
from tests.cases import cases
from tests.reviewers.bundles.git_repository import Repository
from tests.reviewers.store.making import KEPT, content_of

TRAIN = SOUND_FILES["src/train.py"].splitlines()
FIRST, SECOND = (
    next(number for number, line in enumerate(TRAIN, 1) if words in line)
    for words in ("import torch", "def ")
)


@pytest.fixture(autouse=True)
def _signed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AREACHAIR_AUTHOR", "Ann")


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with closing(Store.open(url)) as opened:
        yield opened


def with_line(number: int, text: str, before: Submission | None = None) -> Submission:
    """The sound submission, or a changed one, with another text in one line of src/train.py."""
    whole = before.by_path["src/train.py"].text if before else SOUND_FILES["src/train.py"]
    lines = whole.splitlines()
    lines[number - 1] = text
    return make_submission({"src/train.py": "\n".join(lines) + "\n"})


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Three attempts, the third one accepted, and two fixes of it."""
    made = Repository(tmp_path / "experiment.git", bare=True)
    accepted = make_submission()
    mended = with_line(FIRST, f"{TRAIN[FIRST - 1]}  # mended")
    again = with_line(SECOND, f"{TRAIN[SECOND - 1]}  # mended", mended)
    made.chain(
        [
            (
                make_submission(changed("src/model.py", ("import torch", "import torch  # one"))),
                "attempt 1",
            ),
            (
                make_submission(changed("src/model.py", ("import torch", "import torch  # two"))),
                "attempt 2",
            ),
            (accepted, "attempt 3"),
            (mended, "[CI] fix NameError: torch"),
            (again, "[CI] fix the second"),
        ]
    )
    return made


def everything(url: str) -> dict[str, list[str]]:
    return content_of(url, KEPT)


def test_a_repository_comes_in_as_its_attempts_and_fixes(
    run: Run, repository: Repository, store: Store, url: str
) -> None:
    result = run("import", repository.path)
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{repository.path}: 5 attempts, 5 new or changed; 2 fixes, 2 new\n"
    record = lineage_of(store, inbox(store, InboxQuery(limit=1)).rows[0].id)
    assert [attempt.number for attempt in record.attempts] == [1, 2, 3, 4, 5]
    assert record.name == "experiment"
    assert [attempt.name for attempt in record.attempts] == [
        f"experiment_{number:02}" for number in range(1, 6)
    ]
    assert all(
        attempt.commits and attempt.commits[0].branches == ("heads/main",)
        for attempt in record.attempts
    )
    outcomes = outcomes_of(store, record.attempts[2].id)
    assert [outcome.spans for outcome in outcomes] == [
        (Span("src/train.py", FIRST, FIRST),),
        (Span("src/train.py", SECOND, SECOND),),
    ]
    assert [outcome.message for outcome in outcomes] == [
        "[CI] fix NameError: torch",
        "[CI] fix the second",
    ]
    assert outcomes[1].excerpt.splitlines() == [
        f"-{TRAIN[SECOND - 1]}",
        f"+{TRAIN[SECOND - 1]}  # mended",
    ]
    before = everything(url)
    again = run("import", repository.path)
    assert again.stdout.endswith("5 attempts, 0 new or changed; 2 fixes, 0 new\n")
    assert everything(url) == before


def test_a_work_tree_is_a_submission_unless_its_history_is_wanted(
    run: Run, tmp_path: Path, store: Store
) -> None:
    made = Repository(tmp_path / "work")
    made.chain(
        [(make_submission(), "attempt"), (with_line(FIRST, "import torch  # 2"), "repaired: it")]
    )
    write_folder(made.path, make_submission())
    assert run("import", made.path).stdout.startswith("1 submission read")
    result = run("import", made.path, "--history", "--fix-pattern", "^repaired")
    assert result.exit_code == 0, result.output
    assert "2 attempts" in result.stdout
    assert "1 fix, 1 new" in result.stdout


def test_what_is_passed_over_is_told_up_to_twenty_lines(run: Run, repository: Repository) -> None:
    entries = [(b"src", 0o040000, repository.files({"train.py": "a = 1\n"}))]
    links = [(b"l%02d" % number, 0o160000, "1" * 40) for number in range(30)]
    repository.commit(repository.tree([*links, *entries]), branch="odd")
    result = run("import", repository.path)
    told = [line for line in result.stderr.splitlines() if "skipped" in line]
    assert len(told) == 21
    assert told[-1].endswith("more")
    assert result.exit_code == 0


def two_experiments(run: Run, tmp_path: Path) -> tuple[str, str]:
    """Ids of two submissions with different methods, both in the store."""
    ids = []
    for name in ("one", "two"):
        made = make_submission({"src/model.py": SOUND_FILES["src/model.py"] + f"# {name}\n"})
        ids.append(open_bundle(write_folder(tmp_path / name, made)).id)
    assert run("import", tmp_path / "one", tmp_path / "two").exit_code == 0
    return ids[0], ids[1]


def test_a_person_joins_and_takes_apart(run: Run, tmp_path: Path) -> None:
    one, other = two_experiments(run, tmp_path)
    assert "1 attempt\n" in run("lineage", one[:8]).stdout
    joined = run("lineage", one[:8], "--join", other[:8], "--reason", "the same idea")
    assert joined.exit_code == 0, joined.output
    assert "2 attempts" in joined.stdout
    assert other[:8] in run("lineage", one[:8]).stdout
    assert f"{one[:8]} joined with {other[:8]} by Ann: the same idea" in joined.stdout
    split = run("lineage", one[:8], "--split", other[:8], "--reason", "no")
    assert "1 attempt\n" in split.stdout
    refused = run("lineage", one[:8], "--join", other[:8])
    assert refused.exit_code == 2
    assert "needs a reason" in refused.stderr


def test_the_verdicts_stand_beside_the_attempts(
    run: Run, repository: Repository, store: Store
) -> None:
    run("import", repository.path)
    lines = run("lineage", inbox(store, InboxQuery()).rows[0].id).stdout.splitlines()
    assert lines[0] == "experiment: 5 attempts, ordered by name"
    assert len(lines) == 6
    assert all("rules: " in line and "commit " in line for line in lines[1:])


def test_a_failed_run_is_kept_and_laid_beside_the_reviews(run: Run, tmp_path: Path) -> None:
    broken = make_submission({"src/model.py": "def f(:\n"})
    write_folder(tmp_path / "broken", broken)
    (tmp_path / "stderr").write_text(
        'Traceback (most recent call last):\n  File "/w/src/train.py", line 3, in <module>\n   '
        ' import src.model\n  File "/w/src/model.py", line 1\n    def f(:\n         '
        " ^\nSyntaxError: invalid syntax\n"
    )
    words = ("--stage", "trial", "--exit-code", 1, "--stderr", tmp_path / "stderr")
    result = run("outcome", tmp_path / "broken", *words)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "broken: failed in the trial run, exit code 1"
    assert lines[1:3] == ["  SyntaxError: invalid syntax", "  src/model.py:1  syntax-invalid"]
    assert lines[3] == "  rules: predicted"
    id = open_bundle(tmp_path / "broken").id
    assert run("outcome", id[:8], *words).stdout.splitlines()[0].endswith("(already known)")
    page = run("stats", "--outcomes").stdout
    assert "| rules" in page
    assert "100%" in page


def test_a_run_that_went_well_and_one_that_says_nothing(run: Run, tmp_path: Path) -> None:
    one, _ = two_experiments(run, tmp_path)
    assert (
        run("outcome", one, "--stage", "full", "--exit-code", 0).stdout
        == "one: ran in the full run, exit code 0\n"
    )
    (tmp_path / "out").write_text("step 1\n")
    silent = run("outcome", one, "--stage", "full", "--exit-code", 3, "--stdout", tmp_path / "out")
    assert "contains no error" in silent.stdout


OUTCOME = ("outcome", "0123456789abcdef", "--stage", "full", "--exit-code")


@cases(
    ("words", "says"),
    {
        "no repository": (("import", "FOLDER", "--history"), "--history needs a git repository"),
        "bad pattern": (
            ("import", "REPOSITORY", "--fix-pattern", "("),
            "not a regular expression",
        ),
        "unknown": ((*OUTCOME, 1), "has no submission"),
        "no such file": ((*OUTCOME, 1, "--stderr", "/nowhere"), "cannot be read"),
        "exit code": ((*OUTCOME, 2**40), "not an exit code"),
    },
)
def test_a_mistake_is_one_line_and_exit_code_2(
    run: Run, repository: Repository, tmp_path: Path, words: tuple[object, ...], says: str
) -> None:
    paths: dict[object, object] = {"FOLDER": tmp_path, "REPOSITORY": repository.path}
    result = run(*(paths.get(word, word) for word in words))
    assert result.exit_code == 2
    assert says in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_no_outcome_yet_is_said(run: Run) -> None:
    assert "No real run" in run("stats", "--outcomes").stdout
    assert run("stats", "--outcomes", "somewhere").exit_code == 2


def test_a_name_given_by_mistake_is_corrected_and_listed_with_the_old_one(
    run: Run, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = (make_submission({"src/extra.py": f"# {n}\n"}) for n in range(2))
    store.add(one)
    store.add(other)
    store.decide(one.id, Verdict.READY, "it ran", "overruled: it ran")
    told = run("author", "--rename", "overruled: it ran", "Ann").output
    assert told.startswith("Ann  (name typed on the dashboard)  'overruled: it ran' until ")
    refused = run("author", "--rename", "nobody", "Ann")
    assert (refused.exit_code, "no record is signed with a name 'nobody'" in refused.output) == (
        2,
        True,
    )
    store.decide(other.id, Verdict.READY, "it ran", "Bob")
    refused = run("author", "--rename", "Bob", "Ann")
    assert refused.exit_code == 2
    assert "1 record is signed Ann already" in refused.output
    assert "--join" in refused.output
    assert len(refused.output.splitlines()) == 1
    told = run("author", "--rename", "Bob", "Ann", "--join").output.splitlines()
    assert [line.split("  ")[0] for line in told] == ["Ann", "Ann"]
    assert run("author", "--join").exit_code == 2
    words = ("lineage", one.id, "--join", other.id, "--reason", "why")
    monkeypatch.setenv("AREACHAIR_AUTHOR", "x" * 41)
    refused = run(*words)
    assert refused.exit_code == 2
    assert "AREACHAIR_AUTHOR: a name has at most 40 characters, this one has 41" in refused.output
