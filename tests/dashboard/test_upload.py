"""Guards uploads: a bundle from the browser is reviewed and kept, a broken one is one line and leaves nothing behind."""

import json
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.parts.plain import plain
from dashboard.parts.upload import uploaded_bundles
from reviewers.bundles import submission_to_json
from reviewers.errors import BundleError
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, inbox
from tests.builders import make_submission
from tests.dashboard.desk import ANSWER
from tests.dashboard.screens import components, open_page

JSON = json.dumps(submission_to_json(replace(make_submission(), recorded=(ANSWER,)))).encode()


def put(at: AppTest, *files: tuple[str, bytes]) -> AppTest:
    return at.get("file_uploader")[0].set_value([(name, data, "application/octet-stream") for name, data in files]).run()


def test_an_upload_is_reviewed_and_kept(store: Store) -> None:
    at = put(open_page(), ("gate.json", JSON))
    assert not at.exception
    assert [one.value for one in at.success] == [plain("gate.json: 1 new or changed, 0 known already")]
    assert "inbox_table" in components(at)
    (row,) = inbox(store, InboxQuery()).rows
    assert {chip.reviewer for chip in row.chips} == {"recorded", "rules"}


def test_the_same_file_again_changes_nothing(store: Store) -> None:
    at = put(open_page(), ("gate.json", JSON))
    at = put(at, ("gate.json", JSON))
    assert "0 new or changed" in at.success[0].value
    assert inbox(store, InboxQuery()).total == 1


@pytest.mark.parametrize(
    ("name", "data"),
    [
        pytest.param("empty.txt", b"", id="empty"),
        pytest.param("cut.json", JSON[:200], id="truncated"),
        pytest.param("noise.zip", b"PK\x03\x04 nothing", id="broken archive"),
        pytest.param("<img src=x onerror=alert(1)>.json", b"[" * 20_000, id="deep nesting and a hostile name"),
    ],
)
def test_a_broken_upload_is_one_line(store: Store, name: str, data: bytes) -> None:
    at = put(open_page(), (name, data))
    assert not at.exception
    assert len(at.error) == 1
    assert "\n" not in at.error[0].value
    assert "/tmp" not in at.error[0].value
    assert inbox(store, InboxQuery()).total == 0


def test_a_broken_file_takes_no_other_with_it(store: Store) -> None:
    at = put(open_page(), ("empty.txt", b""), ("gate.json", JSON))
    assert (len(at.error), len(at.success)) == (1, 1)
    assert inbox(store, InboxQuery()).total == 1


@pytest.mark.parametrize("name", ["../../evil.json", "/etc/evil.json", "..\\..\\evil.json", "a/b/evil.json"])
def test_a_name_with_a_path_stays_in_its_folder(name: str) -> None:
    (submission,) = uploaded_bundles(name, JSON)
    assert submission.source == f"uploaded {name}"


def test_a_name_without_letters_is_read_all_the_same() -> None:
    with pytest.raises(BundleError):
        uploaded_bundles("...", b"")
