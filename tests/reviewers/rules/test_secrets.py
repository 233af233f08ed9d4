"""Guards that secrets are reported and not kept, that keys in code are found and hidden wherever
code is handed on, and that names which one disk takes for the same are flagged.
"""

import json
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reviewers.bundles import open_bundle
from reviewers.bundles.history import read_history
from reviewers.bundles.secrets import is_secret, keys_in
from reviewers.exports.feedback import corrected_review, feedback_markdown
from reviewers.exports.page import html_page
from reviewers.exports.rdjson import rdjson
from reviewers.exports.review_json import review_json
from reviewers.exports.sarif import sarif_log
from reviewers.exports.tables import write_tables
from reviewers.outcomes.masking import without_keys
from reviewers.panel.prompts import build_prompt
from reviewers.panel.review import review_all
from reviewers.records import Submission
from reviewers.store import Store
from reviewers.store.submission import load_submission, record_of
from tests.reviewers.bundles.bundle_files import log_text, tarred, write_log, write_tree, zipped
from tests.reviewers.bundles.git_repository import Repository

HEX = "0123456789abcdef0123456789abcdef01234567"
TAIL = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7d"
KEYS = {
    "OpenAI": f"sk-proj-{TAIL}",
    "Anthropic": f"sk-ant-api03-{TAIL}",
    "Hugging Face": f"hf_{TAIL[:34]}",
    "Weights & Biases": f"wandb_v1_{TAIL}",
    "GitHub": f"ghp_{TAIL[:36]}",
    "AWS": "AKIAQ3EGTFHB5ZLJW7XN",
    "Google": f"AIza{TAIL[:35]}",
    "Slack": f"xoxb-1{TAIL[:20]}",
    "Groq": f"gsk_{TAIL}",
    "JWT": f"eyJ{TAIL[:12]}.{TAIL[:12]}.{TAIL[:12]}",
}


@pytest.mark.parametrize("owner", KEYS)
def test_a_key_is_known_by_its_shape_and_hidden(owner: str) -> None:
    for text in (f'x = "{KEYS[owner]}"', f"--key={KEYS[owner]}\n", KEYS[owner]):
        (key,) = keys_in(text)
        assert (key.owner, key.is_real) == (owner, True)
        assert text[key.start : key.end] == KEYS[owner]
        assert KEYS[owner] not in without_keys(text)


@pytest.mark.parametrize(
    "text",
    [
        "hf_model_checkpoint",
        "sk-learn",
        "x = 'sk-your-own-key-goes-here-1A'",
        "AKIAIOSFODNN7EXAMPLE",
        f"commit = '{HEX}'",
        "hf_" + "x" * 34,
        "sketch_AIzaNumbers",
    ],
)
def test_what_only_looks_like_a_key_is_none(text: str) -> None:
    assert not any(key.is_real for key in keys_in(text))


def test_an_old_key_of_weights_and_biases_is_known_by_what_stands_before_it() -> None:
    for text in (
        f'wandb.login(key="{HEX}")',
        f"WANDB_API_KEY={HEX}",
        f'["WANDB_API_KEY"] = "{HEX}"',
    ):
        (key,) = keys_in(text)
        assert key.owner == "Weights & Biases"
        assert HEX not in without_keys(text)


@pytest.mark.parametrize(
    "name",
    [
        ".env", ".env.local", "prod.env", "a/key.pem", "id_rsa", "id_work", ".netrc",
        "credentials.json", "credentials-prod.json", "ID_ED25519.pub", ".ENV",
    ],
)  # fmt: skip
def test_a_file_of_secrets_is_known_by_its_name(name: str) -> None:
    assert is_secret(name)


@pytest.mark.parametrize(
    "name",
    ["environment.yml", ".env.example", "id_map.json", "secrets.py", ".environment", "a.txt"],
)
def test_other_names_are_no_secrets(name: str) -> None:
    assert not is_secret(name)


TREE: dict[str, str | bytes] = {"src/train.py": "x = 1\n", ".env": "KEY=hush-hush"}


def _folder(path: Path) -> Submission:
    return open_bundle(write_tree(path / "kite", TREE))


def _archive(path: Path, pack: Callable[..., bytes]) -> Submission:
    (path / "kite").write_bytes(pack(TREE))
    return open_bundle(path / "kite")


def _history(path: Path) -> Submission:
    repository = Repository(path / "kite")
    repository.commit({name: str(text) for name, text in TREE.items()})
    return read_history(repository.path).attempts[0].submission


@pytest.mark.parametrize(
    "opened",
    [
        pytest.param(_folder, id="folder"),
        pytest.param(lambda path: _archive(path, zipped), id="zip"),
        pytest.param(lambda path: _archive(path, tarred), id="tar"),
        pytest.param(_history, id="git"),
        pytest.param(
            lambda path: open_bundle(write_log(path / "kite.txt", log_text(code=TREE))), id="log"
        ),
    ],
)
def test_a_file_of_secrets_is_told_and_not_kept(
    tmp_path: Path, opened: Callable[[Path], Submission]
) -> None:
    kite = opened(tmp_path)
    assert ".env" not in kite.by_path
    (review,) = review_all(kite, ("rules",))
    assert [each.span.file for each in review.findings if each.rule == "FS12" and each.span] == [
        ".env"
    ]
    assert "hush-hush" not in repr(kite)
    with closing(Store.open(f"sqlite:///{tmp_path / 'store'}")) as store:
        store.add(kite, (review,))
    assert b"hush-hush" not in (tmp_path / "store").read_bytes()


def test_a_key_in_code_is_flagged_and_leaves_in_no_prompt_and_no_export(tmp_path: Path) -> None:
    key = KEYS["Anthropic"]
    code = {"train_py": f'import os\nos.environ["K"] = "{key}"\n'}
    said = json.dumps({"is_code_ready": False, "code_issue": f'train.py holds "{key}" openly.'})
    kite = open_bundle(write_log(tmp_path / "kite.txt", log_text(code=code, answer=said)))
    reviews = review_all(kite)
    (found,) = [each for review in reviews for each in review.findings if each.rule == "FS13"]
    assert (str(found.span), "an Anthropic key" in found.message) == ("src/train.py:2", True)
    record = record_of(kite, reviews, datetime.now(UTC))
    corrected = corrected_review(reviews)
    with closing(Store.open(f"sqlite:///{tmp_path / 'store'}")) as store:
        store.add(kite, reviews)
        write_tables(store, tmp_path, "csv")
        record = load_submission(store, kite.id)
    handed_on = [
        *(message.text for message in build_prompt(kite, "findings").messages),
        html_page(record),
        json.dumps(sarif_log([record])),
        json.dumps(rdjson(record)),
        json.dumps(review_json(kite, reviews)),
        corrected.code_issue,
        feedback_markdown(kite, corrected),
        *(path.read_text("utf-8") for path in tmp_path.glob("*.csv")),
    ]
    for text in handed_on:
        assert TAIL not in text
    assert sum("[hidden]" in text for text in handed_on) >= 5


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("src/model.py", "src/Model.py", id="case"),
        pytest.param("src/caf\u00e9.py", "src/cafe\u0301.py", id="Unicode form"),
    ],
)
def test_names_that_one_disk_takes_for_the_same_are_flagged(
    tmp_path: Path, one: str, other: str
) -> None:
    (tmp_path / "k.zip").write_bytes(zipped({one: "", other: "x = 1"}))
    kite = open_bundle(tmp_path / "k.zip")
    assert len(kite.files) == 2
    (review,) = review_all(kite, ("rules",))
    assert len([each for each in review.findings if each.rule == "FS14"]) == 1


def test_a_text_made_of_beginnings_of_keys_takes_no_time() -> None:
    begun = time.process_time()
    for part in (
        "sk-",
        "sk-ant-",
        "eyJaaaaaaaa.",
        "wandb.login(",
        "hf_a",
        "AKIA",
        "sk-A1" + "-" * 50,
    ):
        without_keys(part * 40_000)
    assert time.process_time() - begun < 10
