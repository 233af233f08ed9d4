"""Guards that logs kept in a repository become answers on the attempts whose code they show, or
attempts of their own.
"""

from pathlib import Path

import pytest

from reviewers.bundles import open_bundle
from reviewers.bundles.history import HistoricAttempt, read_history
from reviewers.records import RecordedAnswer, Submission, Verdict
from tests.builders import SOUND_FILES, make_submission
from tests.reviewers.bundles.bundle_files import READY, log_text, run_text
from tests.reviewers.bundles.git_repository import Repository, tree_of
from tests.shared_data import LOGS, needs_shared

NOT_READY = {"is_code_ready": False, "code_issue": "It stops."}


def state(number: int, runs: dict[str, str] | None = None) -> Submission:
    return make_submission({"src/main.py": f"print({number})\n"}, {} if runs is None else runs)


def log_of(number: int, answer: dict[str, object] | None = None, **parts: str) -> str:
    code = {**SOUND_FILES, "src/main.py": f"print({number})\n"}
    return log_text(code=code, answer=answer or NOT_READY, **parts)


def answers(attempt: HistoricAttempt) -> list[Verdict | None]:
    return [answer.verdict for answer in attempt.submission.recorded]


def mains(attempts: tuple[HistoricAttempt, ...]) -> list[str]:
    return [attempt.submission.by_path["src/main.py"].text.strip() for attempt in attempts]


def test_a_log_answers_the_attempt_whose_code_it_shows(repository: Repository) -> None:
    first, second = tree_of(state(1)), tree_of(state(2))
    repository.chain(
        [
            (first, "a"),
            (second, "b"),
            (second | {".research/x.txt": log_of(1), ".research/y.log": log_of(2, READY)}, "logs"),
        ]
    )
    history = read_history(repository.path)
    assert mains(history.attempts) == ["print(1)", "print(2)"]
    assert [answers(one) for one in history.attempts] == [[Verdict.NOT_READY], [Verdict.READY]]
    assert [one.message for one in history.attempts] == ["a", "b"]
    for one in history.attempts:
        assert one.log is None
        assert one.submission.context.primary_metric == "Minutes aloft."
        assert [run.run_id for run in one.submission.runs] == ["proposed-kite"]


def test_an_attempt_keeps_its_own_context_and_run_configs(repository: Repository) -> None:
    own = tree_of(state(1, {"other": "run_id: other\n"})) | {"context.json": '{"method": "Mine."}'}
    repository.commit(own | {"log.txt": log_of(1)})
    (attempt,) = read_history(repository.path).attempts
    assert (attempt.submission.context.method, attempt.submission.context.primary_metric) == (
        "Mine.",
        None,
    )
    assert [run.run_id for run in attempt.submission.runs] == ["other"]


def test_run_configs_keep_their_files_and_take_the_log_s_order_and_words(
    repository: Repository,
) -> None:
    configs = {"config/run/a.yaml": "run_id: a\n", "config/run/b.yaml": "run_id: b\n"}
    told = run_text("b", "run_id: b", dataset="Winds") + run_text("a", "run_id: a")
    repository.commit(tree_of(state(1, configs)) | {"log.txt": log_of(1, runs=told)})
    (attempt,) = read_history(repository.path).attempts
    assert [(run.run_id, run.file.path, run.dataset) for run in attempt.submission.runs] == [
        ("b", "config/run/b.yaml", "Winds"),
        ("a", "config/run/a.yaml", None),
    ]


@pytest.mark.parametrize(
    "other",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "  \n") + "\n\n",
        lambda text: "\n" + text.rstrip(),
    ],
    ids=["line ends", "blanks at line ends", "blank lines"],
)
def test_code_that_differs_in_white_space_alone_is_the_same(repository: Repository, other) -> None:  # type: ignore[no-untyped-def]
    tree = {path: other(bytes(data).decode()) for path, data in tree_of(state(1)).items()}
    repository.commit(tree | {"log.txt": log_of(1)})
    (attempt,) = read_history(repository.path).attempts
    assert answers(attempt) == [Verdict.NOT_READY]
    assert attempt.submission.by_path["src/main.py"].text == tree["src/main.py"]


def test_an_exact_match_is_preferred_and_of_several_the_one_with_the_log_s_run_configs(
    repository: Repository,
) -> None:
    spaced = tree_of(state(1)) | {"src/main.py": "print(1)  \n"}
    with_run = tree_of(
        state(1, {"proposed-kite": "run_id: proposed-kite\nmethod:\n  name: short-tail\n"})
    )
    repository.chain(
        [
            (spaced, "spaced"),
            (tree_of(state(1)), "no runs"),
            (with_run | {"log.txt": log_of(1)}, "runs"),
        ]
    )
    assert [answers(one) for one in read_history(repository.path).attempts] == [
        [],
        [],
        [Verdict.NOT_READY],
    ]


def test_several_logs_of_one_state_are_several_answers_and_the_same_log_is_one(
    repository: Repository,
) -> None:
    logs = {"a/1.txt": log_of(1), "a/2.txt": log_of(1, READY), "b/copy.txt": log_of(1)}
    repository.chain(
        [(tree_of(state(1)) | logs, "a"), (tree_of(state(1)) | {"moved/1.txt": log_of(1)}, "moved")]
    )
    (attempt,) = read_history(repository.path).attempts
    assert answers(attempt) == [Verdict.NOT_READY, Verdict.READY]


def test_code_that_only_logs_hold_is_an_attempt_in_the_order_of_their_names(
    repository: Repository,
) -> None:
    logs = {
        f"logs/try_{number}.txt": log_of(number, READY if number == 10 else None)
        for number in (1, 2, 9, 10, 11)
    }
    _, commit = repository.chain(
        [(tree_of(state(10)), "accepted"), (tree_of(state(10)) | logs, "logs")]
    )[:2]
    repository.commit(tree_of(state(12)) | logs, "later", [commit])
    attempts = read_history(repository.path).attempts
    assert mains(attempts) == [
        "print(1)",
        "print(2)",
        "print(9)",
        "print(10)",
        "print(11)",
        "print(12)",
    ]
    assert [one.submission.attempt for one in attempts] == [1, 2, 3, 4, 5, 6]
    assert {one.submission.lineage for one in attempts} == {"kites"}
    assert [one.log for one in attempts[:4]] == [
        "logs/try_1.txt",
        "logs/try_2.txt",
        "logs/try_9.txt",
        None,
    ]
    assert (attempts[0].commit, attempts[0].submission.source) == (
        commit,
        f"{repository.path}@{commit[:10]}:logs/try_1.txt",
    )


def test_logs_of_the_same_code_without_a_commit_are_one_attempt(repository: Repository) -> None:
    repository.commit(
        {
            "logs/try_1.txt": log_of(1),
            "logs/try_2.txt": log_of(1, READY),
            "logs/try_3.txt": log_of(3),
        }
    )
    attempts = read_history(repository.path).attempts
    assert [answers(one) for one in attempts] == [
        [Verdict.NOT_READY, Verdict.READY],
        [Verdict.NOT_READY],
    ]
    assert [one.submission.lineage for one in attempts] == ["kites/logs/try"] * 2


def test_logs_beside_several_submissions_go_to_the_nearest(repository: Repository) -> None:
    files = tree_of(state(1), "lab/a/code/") | tree_of(state(2), "lab/b/code/")
    logs = {"lab/b/logs/try_1.txt": log_of(7), "elsewhere/try_1.txt": log_of(8)}
    repository.commit(files | logs)
    found = {
        mains((one,))[0]: one.submission.lineage for one in read_history(repository.path).attempts
    }
    assert (found["print(7)"], found["print(8)"]) == ("kites/lab/b/code", "kites/elsewhere/try")


def test_texts_that_are_no_logs_are_passed_over_and_damaged_logs_are_told(
    repository: Repository,
) -> None:
    cut = log_of(1)[: log_of(1).index("# Generated Experiment Code")]
    texts = {"notes.txt": "read me", "cut.txt": cut, "large.txt": log_of(1) + "x" * 2_000_001}
    repository.commit(tree_of(state(1)) | texts)
    history = read_history(repository.path)
    assert len(history.attempts) == 1
    assert [(one.place, one.reason.partition(":")[0]) for one in history.skipped] == [
        ("cut.txt", "it shows no code")
    ]


def test_answers_of_a_context_file_are_kept_beside_those_of_logs(repository: Repository) -> None:
    context = '{"recorded": [{"raw": "yes", "verdict": "ready"}]}'
    repository.commit(tree_of(state(1)) | {"context.json": context, "log.txt": log_of(1)})
    (attempt,) = read_history(repository.path).attempts
    assert attempt.submission.recorded[0] == RecordedAnswer(raw="yes", verdict=Verdict.READY)
    assert answers(attempt) == [Verdict.READY, Verdict.NOT_READY]


@needs_shared
def test_real_lineages_come_out_of_a_repository_as_they_went_in(tmp_path: Path) -> None:
    lineage = [path for path in LOGS if path.name.startswith("20251107-140627_")]
    bundles = [open_bundle(path) for path in lineage]
    logs = {f".research/{path.name}": path.read_bytes() for path in lineage}
    with_code, with_logs = Repository(tmp_path / "with_code"), Repository(tmp_path / "with_logs")
    last = with_code.chain([(tree_of(bundle), "attempt") for bundle in bundles])[-1]
    with_code.commit(tree_of(bundles[-1]) | logs, "logs", [last])
    with_logs.commit(tree_of(bundles[-1]) | logs, "all at once")
    for repository in (with_code, with_logs):
        attempts = read_history(repository.path).attempts
        assert [one.submission.id for one in attempts] == [bundle.id for bundle in bundles]
        assert [one.submission.recorded for one in attempts] == [
            bundle.recorded for bundle in bundles
        ]


def test_a_log_after_the_one_of_the_code_comes_after_the_code(repository: Repository) -> None:
    repository.commit(
        tree_of(state(2)) | {f"logs/try_{number}.txt": log_of(number) for number in (1, 2, 3)}
    )
    assert mains(read_history(repository.path).attempts) == ["print(1)", "print(2)", "print(3)"]


def test_the_same_answer_of_two_logs_is_kept_once_and_an_empty_file_equals_none(
    repository: Repository,
) -> None:
    files = {path: data for path, data in tree_of(state(1)).items() if path != "src/model.py"}
    code = {**SOUND_FILES, "src/main.py": "print(1)\n", "src/model.py": ""}
    logs = {
        f"{words}.txt": log_text(code=code, answer=NOT_READY, criteria=words)
        for words in ("older", "newer")
    }
    repository.commit(files | logs)
    (attempt,) = read_history(repository.path).attempts
    assert answers(attempt) == [Verdict.NOT_READY]
