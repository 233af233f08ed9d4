"""Guards the settings: where things lie without a password, the rubric that counts, what asking
costs, and a hostile name.
"""

from pathlib import Path

import pytest

from reviewers.backends.configured import ReviewerConfig, keep
from reviewers.backends.prices import Prices
from reviewers.records import Verdict
from reviewers.rubric import shipped_rubric
from reviewers.store import Store
from tests.builders import make_submission
from tests.dashboard.screens import drawn, open_page

pytestmark = pytest.mark.usefixtures("store")


def rows(section: str) -> list[list[str]]:
    at = open_page("settings", section=section)
    assert not at.exception
    return [[cell["text"] for cell in row] for row in drawn(at, "facts_table")["rows"]]


def test_everything_says_where_it_lies(store: Store, tmp_path: Path) -> None:
    places = {row[0]: row[1:] for row in rows("Data")}
    assert places["Store"] == [
        str(tmp_path / "store.sqlite3"),
        "0 submissions, 0 decided",
        "AREACHAIR_STORE or --store",
    ]
    assert places["Reviewers"][:2] == [str(tmp_path / "reviewers.toml"), "does not exist yet"]
    assert places["Rubric"][0] == "built in"


def test_a_servers_password_is_not_shown() -> None:
    from sqlalchemy import make_url

    from reviewers.store.engine import place_of

    shown = place_of(
        make_url("postgresql://ada:hunter2@db.lab.example:5432/desk?sslpassword=hunter3")
    )
    assert shown == "postgresql://db.lab.example/desk"


def test_the_rubric_that_counts_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(rows("Rubric")) == 9
    own = tmp_path / "rubric.toml"
    own.write_text(
        '[[criterion]]\nnumber = 10\ntitle = "Licences"\nquestion = "<b>May</b> it be used?"\nfacts'
        ' = "Named."',
        "utf-8",
    )
    monkeypatch.setenv("AREACHAIR_RUBRIC", str(own))
    assert rows("Rubric")[-1] == ["10 Licences", "<b>May</b> it be used?", "Named."]


def test_each_category_leads_to_its_submissions() -> None:
    at = open_page("settings", section="Categories")
    shown = drawn(at, "facts_table")["rows"]
    assert [row[1]["text"] for row in shown] == list(shipped_rubric().categories)
    assert shown[1][0]["href"] == "./?category=syntax-invalid"


def test_prices_that_are_unknown_are_a_dash(tmp_path: Path) -> None:
    keep(
        tmp_path / "reviewers.toml",
        ReviewerConfig(name="large", model="large-1", prices=Prices(2.0, None, 8.0)),
    )
    assert rows("Prices") == [["large", "large-1", "$2.00", "—", "$8.00"]]


@pytest.mark.parametrize("page", ["settings", "reviewers"])
def test_what_comes_next_stands_beside_the_title(page: str, store: Store) -> None:
    def told() -> tuple[str | None, str, str]:
        shown = drawn(open_page(page), "title_row")
        return shown["next"], shown["words"], shown["address"]

    assert told() == (None, "Import submissions", "./")
    submission = make_submission()
    store.add(submission)
    assert told()[0] == f"submission?s={submission.id[:16]}"
    store.decide(submission.id, Verdict.READY, "it runs", "Ann")
    assert told() == (None, "See what failed most", "trends")


def test_a_name_typed_here_signs_from_now_on() -> None:
    at = open_page("settings")
    at.text_input(key="settings-author").set_value("Grace <b>Hopper</b>").run()
    assert not at.exception
    assert at.text_input(key="settings-author").value == "Grace <b>Hopper</b>"
    assert drawn(at, "identity_bar")["name"] == "Grace <b>Hopper</b>"
    at.text_input(key="settings-author").set_value("x" * 41).run()
    assert "at most 40 characters, this one has 41" in at.error[0].value
    assert drawn(at, "identity_bar")["name"] == "Grace <b>Hopper</b>"


def test_a_broken_list_of_reviewers_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "reviewers.toml").write_text("nonsense", "utf-8")
    at = open_page("settings", section="Prices")
    assert not at.exception
    assert len(at.error) == 1
