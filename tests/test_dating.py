"""Guards when submissions were generated as a person says it and others read it: --date, `areachair
date`, what is known stays, old stores, every export, and the orders that go by it.
"""

import json
import re
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from reviewers.exports.jsonl import export_lines
from reviewers.exports.sarif import sarif_log
from reviewers.exports.tables import tables
from reviewers.records import DatedBy, Generated, Severity, Span, Submission
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, Sort, inbox
from reviewers.store.restore import import_lines
from reviewers.store.submission import load_submission
from tests.builders import Run, make_submission
from tests.reviewers.bundles.bundle_files import write_log
from tests.reviewers.bundles.git_repository import Repository

OCTOBER = datetime(2025, 10, 20, tzinfo=UTC)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_log(tmp_path / "20251014_01.txt")


def known(url: str) -> list[Generated | None]:
    with closing(Store.open(url)) as store:
        return [row.generated for row in inbox(store, InboxQuery(sort=Sort.NAME)).rows]


def test_a_date_that_a_person_gives_goes_before_the_name(run: Run, url: str, log: Path) -> None:
    assert run("import", log, "--date", "2025-10-20").exit_code == 0
    assert known(url) == [Generated(OCTOBER, DatedBy.GIVEN)]
    said = json.loads(run("review", log, "--format", "json", "--date", "2025-10-20").stdout)
    assert said["submission"]["generated_at"] == "2025-10-20T00:00:00.000000Z"
    assert (said["submission"]["dated_by"], said["submission"]["date_is_guess"]) == ("given", False)
    guessed = json.loads(run("review", log, "--format", "json").stdout)["submission"]
    assert (guessed["generated_at"][:10], guessed["date_is_guess"]) == ("2025-10-14", True)


@pytest.mark.parametrize("command", ["import", "review"])
@pytest.mark.parametrize(
    "given",
    ["yesterday", "", "2025-10", "2025-10-20x12:00", "20.10.2025", "0001-01-01T00:00+14:00"],
)
def test_a_date_that_is_none_is_one_line(run: Run, log: Path, command: str, given: str) -> None:
    result = run(command, log, "--date", given)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "ISO 8601" in result.stderr


@pytest.mark.parametrize("given", ["2009-01-03", "2999-01-01"])
def test_a_date_that_cannot_be_true_is_ignored_with_a_remark(
    run: Run, url: str, log: Path, given: str
) -> None:
    result = run("import", log, "--date", given)
    assert result.exit_code == 0
    assert f"--date {given} is" in result.stderr
    assert known(url) == [Generated(datetime(2025, 10, 14, tzinfo=UTC), DatedBy.NAME)]


def test_a_known_date_stays_until_it_is_changed_as_one_line_says(
    run: Run, url: str, log: Path
) -> None:
    run("import", log)
    for fresh in ([], ["--fresh"]):
        result = run("import", log, "--date", "2025-10-20", *fresh)
        assert result.exit_code == 0
        assert known(url)[0] == Generated(datetime(2025, 10, 14, tzinfo=UTC), DatedBy.NAME)
    (line,) = result.stderr.splitlines()
    command = re.search(r"areachair (date \w{8} --set 2025-10-20)$", line)
    assert command is not None, line
    shown = run(*command[1].split())
    assert shown.exit_code == 0
    assert shown.stdout.endswith("  2025-10-20, as a person says\n")
    assert known(url) == [Generated(OCTOBER, DatedBy.GIVEN)]
    assert run("import", log, "--date", "2025-10-20").stderr == ""
    id = command[1].split()[1]
    assert run("date", id, "--set", "2009-01-01").exit_code == 2
    assert run("date", "00000000").exit_code == 2
    assert known(url) == [Generated(OCTOBER, DatedBy.GIVEN)]


def test_a_date_that_nobody_knew_is_filled_in(run: Run, url: str, tmp_path: Path) -> None:
    log = write_log(tmp_path / "first.txt")
    run("import", log)
    assert known(url) == [None]
    assert "1 new or changed" in run("import", log, "--date", "2025-10-20").stdout
    assert known(url) == [Generated(OCTOBER, DatedBy.GIVEN)]
    assert "1 already known" in run("import", log, "--date", "2025-10-20").stdout


def test_one_date_for_a_whole_history_is_refused(run: Run, tmp_path: Path) -> None:
    repository = Repository(tmp_path / "exp")
    repository.commit(make_submission())
    result = run("import", repository.path, "--history", "--date", "2025-10-20")
    assert result.exit_code == 2
    assert "--date is for bundles" in result.stderr


def dated(name: str, month: int | None, by: DatedBy = DatedBy.COMMIT) -> Submission:
    at = None if month is None else Generated(datetime(2025, month, 1, 7, tzinfo=UTC), by)
    code = {"src/model.py": f"NAME = {name!r}\n"}
    return replace(make_submission(code, name=name, source=name), generated=at)


def test_the_inbox_goes_by_the_date_and_by_the_import_where_there_is_none(url: str) -> None:
    clock = iter(datetime(2025, 5, day, tzinfo=UTC) for day in range(1, 30))
    with closing(Store.open(url, clock=lambda: next(clock))) as store:
        for each in (dated("a", 6), dated("b", None), dated("c", 4)):
            store.add(each)

        def names(**asked: object) -> list[str]:
            return [row.name for row in inbox(store, InboxQuery(**asked)).rows]

        assert names(sort=Sort.NEWEST) == ["a", "b", "c"] == names(sort=Sort.OLDEST)[::-1]
        assert names(until=date(2025, 4, 30)) == ["c"]
        assert names(since=date(2025, 5, 1), until=date(2025, 5, 31)) == ["b"]


@pytest.mark.parametrize("undated", [(), ("what nobody dated",)], ids=["all", "all but one"])
def test_attempts_without_numbers_stand_in_the_order_of_their_dates(
    url: str, undated: tuple[str, ...]
) -> None:
    with closing(Store.open(url)) as store:
        made = [dated("late", 9), dated("early", 3, DatedBy.ARCHIVE), dated("middle", 6)]
        for each in made:
            store.add(each)
        for name in undated:
            store.add(dated(name, None))
        made.sort(key=lambda each: load_submission(store, each.id).submission.attempt or 0)
        assert [each.name for each in made] == ["early", "middle", "late"]


def test_every_export_carries_the_date_and_a_store_comes_back_from_its_lines(
    url: str, tmp_path: Path
) -> None:
    unknown = dated("20251014_07", None)
    with closing(Store.open(url)) as store:
        for each in (dated("a", 6, DatedBy.NAME), unknown):
            store.add(each)
        lines = list(export_lines(store))
        frame = tables(store)["submissions"]
        assert frame["generated_at"][0] == "2025-06-01T07:00:00.000000Z"
        assert (frame["dated_by"][0], frame["date_is_guess"][0]) == ("name", True)
        assert frame["generated_at"].isna()[1]
        record = load_submission(store, dated("a", 6).id)
        store.add_finding(
            record.submission.id,
            span=Span("src/model.py", 1),
            severity=Severity.MAJOR,
            category="data-leakage",
            message="it leaks",
            author="ada",
        )
        log = sarif_log([load_submission(store, dated("a", 6).id)])
    said = log["runs"][0]["properties"]["submission"]
    assert (said["generatedAt"][:10], said["datedBy"], said["dateIsGuess"]) == (
        "2025-06-01",
        "name",
        True,
    )
    with closing(Store.open(f"sqlite:///{tmp_path / 'back'}")) as back:
        import_lines(back, lines)
        assert list(export_lines(back)) == lines
        older = [re.sub(r'"generated_at": .*?"date_is_guess": \w+, ', "", each) for each in lines]
        assert older != lines
    with closing(Store.open(f"sqlite:///{tmp_path / 'older'}")) as back:
        import_lines(back, older)
        assert load_submission(back, unknown.id).submission.generated == Generated(
            datetime(2025, 10, 14, tzinfo=UTC), DatedBy.NAME
        )
