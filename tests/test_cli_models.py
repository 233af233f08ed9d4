"""Guards `areachair review` with models, the whole way through HTTP: what is asked, kept, printed,
and never shown.
"""

import json
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from reviewers.records import Verdict
from reviewers.settings import sample_bundles
from reviewers.store import Store
from reviewers.store.submission import SubmissionRecord, load_submission
from tests.asking import Desk, rows, write_bundles
from tests.builders import make_submission
from tests.keys import allow_key
from tests.model_server import Fault, ModelServer

SAMPLE = sample_bundles() / "sparse-forecast.txt"
READY = '{"verdict": "ready", "findings": []}'
SECRET = "sk-proj-4f2a9c1e7b6d4f2a9c1e7b6d"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def record(desk: Desk, id: str) -> SubmissionRecord:
    with closing(Store.open(desk.store_url)) as store:
        return load_submission(store, id)


def test_models_and_own_reviewers_stand_side_by_side_in_the_order_asked(desk: Desk) -> None:
    with ModelServer(says="not_ready") as server:
        desk.configure(
            {"name": "local", "base_url": server.url}, {"name": "other", "base_url": server.url}
        )
        done = desk.run(
            "review", SAMPLE, "--reviewers", "local,rules,other,recorded", "--format", "json"
        )
    assert done.returncode == 1, done.stderr
    (row,) = rows(done)
    assert [review["reviewer"] for review in row["reviews"]] == [
        "local",
        "rules",
        "other",
        "recorded",
    ]
    local = row["reviews"][0]
    assert (local["verdict"], local["failure"]) == ("not_ready", None)
    assert all(
        finding["check"] in ("confirmed", "refuted", "unverified") for finding in local["findings"]
    )
    assert local["findings"]
    assert len(server.questions) == 2


def test_what_is_kept_is_not_asked_again_and_fresh_asks_again(desk: Desk, tmp_path: Path) -> None:
    write_bundles(tmp_path / "bundles", 3)
    with ModelServer(says="ready") as server:
        desk.configure({"name": "local", "base_url": server.url})
        words = ("review", tmp_path / "bundles", "--reviewers", "local", "--format", "json")
        first, again = desk.run(*words), desk.run(*words)
        assert (first.returncode, again.returncode) == (0, 0), first.stderr + again.stderr
        assert len(server.questions) == 3
        assert sorted(row["submission"]["id"] for row in rows(first)) == sorted(
            row["submission"]["id"] for row in rows(again)
        )
        assert [row["reviews"][0]["verdict"] for row in rows(again)] == ["ready"] * 3
        desk.run(*words, "--fresh")
        assert len(server.questions) == 6


def test_a_changed_configuration_is_another_question(desk: Desk, tmp_path: Path) -> None:
    write_bundles(tmp_path / "bundles", 1)
    recorded = '{"is_code_ready": true, "code_issue": ""}'
    with ModelServer([READY, READY, recorded]) as server:
        for given in ({"temperature": 0.0}, {"temperature": 1.0}, {"form": "recorded"}):
            desk.configure({"name": "local", "base_url": server.url, **given})
            done = desk.run("review", tmp_path / "bundles", "--reviewers", "local")
            assert done.returncode == 0, done.stderr
    assert [asked.body.get("temperature") for asked in server.questions] == [0.0, 1.0, None]
    assert "is_code_ready" in server.questions[2].text


def test_a_failed_review_is_told_kept_and_asked_again(desk: Desk, tmp_path: Path) -> None:
    write_bundles(tmp_path / "bundles", 1)
    with ModelServer([Fault("html"), "I am sorry.", READY]) as server:
        desk.configure({"name": "local", "base_url": server.url, "api": "chat"})
        words = ("review", tmp_path / "bundles", "--reviewers", "local", "--format", "json")
        failed = desk.run(*words)
        (row,) = rows(failed)
        assert failed.returncode == 2
        assert row["reviews"][0]["verdict"] is None
        kept = record(desk, row["submission"]["id"]).reviews[0].review
        assert kept.failure == row["reviews"][0]["failure"]
        assert "<html" in (kept.raw or "").lower()
        assert f"local: {kept.failure}" in failed.stderr
        assert desk.run(*words).returncode == 2, "an answer that cannot be read"
        assert desk.run(*words).returncode == 0
        assert record(desk, row["submission"]["id"]).reviews[0].review.verdict is Verdict.READY


def test_a_model_without_a_key_is_one_line_that_says_what_to_set(
    desk: Desk, tmp_path: Path
) -> None:
    write_bundles(tmp_path / "bundles", 1)
    done = desk.run(
        "review", tmp_path / "bundles", "--reviewers", "rules,openai:o3", "--format", "json"
    )
    assert done.returncode == 2
    assert [review["reviewer"] for review in rows(done)[0]["reviews"]] == ["rules", "openai:o3"]
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("areachair:")]
    assert "OPENAI_API_KEY" in line


@pytest.mark.parametrize("kind", ["401", "429", "500", "quota", "error-200", "html", "reset"])
def test_a_key_is_nowhere_but_in_the_request(desk: Desk, tmp_path: Path, kind: str) -> None:
    secrets = {"MY_API_KEY": SECRET, "OPENAI_LOG": "debug"}
    write_bundles(tmp_path / "bundles", 1)
    with ModelServer([Fault(kind)]) as server:  # type: ignore[arg-type]
        allow_key("MY_API_KEY", server.url)
        asked = {"api": "chat", "key_env": "MY_API_KEY", "retries": 0}
        desk.configure({"name": "local", "base_url": server.url, **asked})
        done = desk.run(
            "review", tmp_path / "bundles", "--reviewers", "local", "--format", "json", **secrets
        )
    assert server.questions[0].headers["authorization"] == f"Bearer {SECRET}"
    assert done.returncode == 2
    assert SECRET not in done.stdout + done.stderr
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path


def test_bad_names_and_files_are_one_line_and_nothing_is_asked(desk: Desk) -> None:
    unknown = desk.run("review", SAMPLE, "--reviewers", "rules,nobody")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert unknown.stderr.count("\n") == 1
    assert "'nobody'" in unknown.stderr
    desk.configuration.write_text(
        '[[reviewer]]\nname = "a"\nmodel = "m"\ntimeout = "soon"\n', "utf-8"
    )
    broken = desk.run("review", SAMPLE, "--reviewers", "a")
    assert (broken.returncode, broken.stdout) == (2, "")
    assert broken.stderr.count("\n") == 1
    assert "timeout" in broken.stderr


def test_a_bad_entry_is_told_and_the_reviewers_beside_it_answer(desk: Desk) -> None:
    with ModelServer(says="ready") as server:
        desk.configure({"name": "good", "base_url": server.url}, {"name": "bad", "timeout": "soon"})
        done = desk.run("review", SAMPLE, "--reviewers", "good", "--format", "json")
        bad = desk.run("review", SAMPLE, "--reviewers", "good,bad")
        assert len(server.questions) == 1
    (row,) = rows(done)
    assert (done.returncode, row["reviews"][0]["verdict"]) == (0, "ready")
    assert "reviewer 'bad': timeout is a number" in done.stderr.splitlines()[0]
    assert (bad.returncode, bad.stdout, len(bad.stderr.splitlines())) == (2, "", 1)
    assert "reviewer 'bad': timeout" in bad.stderr


def test_a_spent_budget_stops_before_it_is_exceeded(desk: Desk, tmp_path: Path) -> None:
    write_bundles(tmp_path / "bundles", 6)
    with ModelServer(says="ready") as server:
        desk.configure({"name": "local", "base_url": server.url, "max_output_tokens": 1000})
        words = ("review", tmp_path / "bundles", "--reviewers", "local", "--format", "json")
        done = desk.run(*words, "--budget-tokens", 20_000)
    reviews = [row["reviews"][0] for row in rows(done)]
    assert done.returncode == 2
    assert 0 < len(server.questions) < 6
    assert sum(review["verdict"] == "ready" for review in reviews) == len(server.questions)
    assert all("budget" in review["failure"] for review in reviews if review["verdict"] is None)


def test_a_rebuttal_keeps_both_answers(desk: Desk, tmp_path: Path) -> None:
    wrong = {"file": "src/model.py", "line": 1, "message": "src/model.py has a syntax error."}
    first = {"verdict": "not_ready", "findings": [{**wrong, "quote": "VALUE = 1"}]}
    (path,) = write_bundles(tmp_path / "bundles", 1)
    with ModelServer([json.dumps(first), READY]) as server:
        desk.configure({"name": "local", "base_url": server.url})
        words = ("review", path, "--reviewers", "local", "--format", "json")
        done, *again = (desk.run(*words, *more) for more in (["--rebuttal"], ["--rebuttal"], []))
    (row,) = rows(done)
    assert [rows(each)[0]["reviews"][0]["verdict"] for each in again] == ["ready"] * 2
    assert [review["reviewer"] for review in row["reviews"]] == ["local"]
    assert row["reviews"][0]["verdict"] == "ready"
    (stored,) = (
        stored
        for stored in record(desk, row["submission"]["id"]).reviews
        if stored.review.reviewer == "local"
    )
    assert stored.before is not None
    assert (stored.before.verdict, stored.review.verdict) == (Verdict.NOT_READY, Verdict.READY)
    assert "parses" in server.questions[1].text  # the evidence against it
    assert len(server.questions) == 2, "the later runs ask nothing, and tell the revised verdict"


def test_a_storm_of_errors_ends_with_every_submission_reviewed_or_failed_and_nothing_asked_twice_in_vain(  # noqa: E501
    desk: Desk, tmp_path: Path
) -> None:
    write_bundles(tmp_path / "bundles", 40)
    names = ["one", "two", "three"]
    with ModelServer(
        says="ready",
        latency=0.02,
        failures={"500": 0.05, "429": 0.05, "timeout": 0.05},
        retry_after=0.1,
    ) as server:
        desk.configure(
            *(
                {"name": name, "base_url": server.url, "timeout": 1.0, "retries": 3}
                for name in names
            )
        )
        words = ("review", tmp_path / "bundles", "--reviewers", ",".join(names), "--at-once", 32)
        done = desk.run(*words, "--format", "json")
    reviews = [review for row in rows(done) for review in row["reviews"]]
    assert len(reviews) == 120
    assert all((review["verdict"] is None) == bool(review["failure"]) for review in reviews)
    assert sum(review["verdict"] is not None for review in reviews) >= 119
    with closing(Store.open(desk.store_url)) as store:
        for row in rows(done):
            kept = load_submission(store, row["submission"]["id"])
            assert sorted(stored.review.reviewer for stored in kept.reviews) == sorted(names)
    assert server.busiest <= 32
    answered = Counter(question.digest for question in server.questions)
    assert len(answered) >= 120
    assert max(answered.values()) <= 4


@pytest.mark.parametrize(
    "words",
    [
        ("--batch", "--rebuttal"),
        ("--batch", "--fresh"),
        ("--budget-usd", "inf"),
        ("--budget-usd", "nan"),
    ],
    ids=lambda words: " ".join(words),
)
def test_what_makes_no_sense_together_is_one_line(desk: Desk, words: tuple[str, ...]) -> None:
    desk.configure({"name": "local", "base_url": "http://127.0.0.1:9/v1"})
    done = desk.run("review", SAMPLE, "--reviewers", "local", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


def test_a_secret_of_this_machine_is_not_to_be_had_by_a_reviewer_that_names_it(
    desk: Desk, tmp_path: Path
) -> None:
    write_bundles(tmp_path / "bundles", 1)
    secrets = {"AREACHAIR_LOGIN_COOKIE_SECRET": SECRET, "PGPASSWORD": SECRET}
    with ModelServer() as listener:
        desk.configure(
            *({"name": name, "base_url": listener.url, "key_env": name} for name in secrets)
        )
        done = desk.run("review", tmp_path / "bundles", "--reviewers", ",".join(secrets), **secrets)
    assert not listener.received
    assert done.returncode == 2
    assert SECRET not in done.stdout + done.stderr
    own, other = sorted(line for line in done.stderr.splitlines() if line.startswith("areachair:"))
    assert "AREACHAIR_LOGIN_COOKIE_SECRET is areachair's own" in own
    assert 'write the line PGPASSWORD = "http://127.0.0.1:' in other


@pytest.mark.parametrize("batch", [False, True], ids=["asked at once", "by batch"])
def test_no_request_holds_what_a_folders_file_of_secrets_holds(
    desk: Desk, tmp_path: Path, batch: bool
) -> None:
    folder = tmp_path / "bundles" / "one"
    for path, file in make_submission().by_path.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(file.data)
    (folder / ".env").write_text(f"WANDB_API_KEY={SECRET}\n", "utf-8")
    (folder / "src" / ".env.local").write_text(f"password={SECRET}\n", "utf-8")
    with ModelServer(says="ready") as server:
        desk.configure({"name": "local", "base_url": server.url})
        words = ["--batch", "--poll-seconds", "0.05"] if batch else ["--rebuttal"]
        done = desk.run("review", folder, "--reviewers", "rules,local", "--format", "json", *words)
    assert server.received, done.stderr
    assert not [each.path for each in server.received if SECRET.encode() in each.data]
    (row,) = rows(done)
    (rules,) = (review for review in row["reviews"] if review["reviewer"] == "rules")
    (told,) = (one["message"] for one in rules["findings"] if one["file"] == ".env")
    assert "has a name for secrets" in told
