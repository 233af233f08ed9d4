"""Guards who generated a submission: named by the bundle or at import, kept, exported and given
back; no part of its id.
"""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reviewers.bundles import open_bundle, submission_to_json
from reviewers.errors import BundleError
from reviewers.exports.jsonl import export_lines
from reviewers.exports.tables import tables
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, inbox
from reviewers.store.restore import import_lines
from tests.builders import Run, make_submission


def written(path: Path, **fields: object) -> Path:
    """One submission as a JSON file; a field that is None is left out."""
    value = {**submission_to_json(make_submission(runs={})), **fields}
    path.write_text(
        json.dumps({name: each for name, each in value.items() if each is not None}), "utf-8"
    )
    return path


def generators(url: str) -> list[str | None]:
    with closing(Store.open(url)) as store:
        names = tables(store)["submissions"]["generator"]
        return [
            str(name) if known else None for name, known in zip(names, names.notna(), strict=True)
        ]


def test_a_bundle_names_it_and_its_id_stays_the_same(tmp_path: Path) -> None:
    plain, named = (
        open_bundle(written(tmp_path / "a.json")),
        open_bundle(written(tmp_path / "b.json", generator="o3 <i>")),
    )
    assert (plain.generator, named.generator, plain.id) == (None, "o3 <i>", named.id)
    folder = tmp_path / "folder"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "main.py").write_text("", "utf-8")
    (folder / "context.json").write_text('{"generator": "v2", "method": "gates"}', "utf-8")
    assert open_bundle(folder).generator == "v2"


@pytest.mark.parametrize(
    "generator", [3, " ", "x" * 301, "a\0b"], ids=["number", "blank", "long", "nul"]
)
def test_a_name_that_is_none_is_refused(tmp_path: Path, generator: object) -> None:
    with pytest.raises(BundleError, match="generator"):
        open_bundle(written(tmp_path / "a.json", generator=generator))


def test_import_names_what_the_bundle_does_not_and_later_what_was_unknown(
    run: Run, url: str, tmp_path: Path
) -> None:
    plain = written(tmp_path / "a.json")
    named = written(tmp_path / "b.json", generator="own", files={"src/main.py": "x = 1\n"})
    assert run("import", plain, named).exit_code == 0
    assert generators(url) == [None, "own"]
    assert "1 new or changed" in run("import", plain, named, "--generator", "  v3 ").stdout
    assert generators(url) == ["v3", "own"]
    assert "0 new or changed" in run("import", plain, "--generator", "v4").stdout
    assert generators(url) == ["v3", "own"]
    with closing(Store.open(url)) as store:
        assert inbox(store, InboxQuery(generator="v3")).total == 1
    refused = run("import", plain, "--generator", "x" * 301)
    assert refused.exit_code == 2
    assert "at most 300 characters" in refused.stderr


def test_lines_give_it_back_whatever_it_is(url: str, tmp_path: Path) -> None:
    one = replace(make_submission(), generator="=1+1 \x1a\u202e")
    with (
        closing(Store.open(url)) as store,
        closing(Store.open(f"sqlite:///{tmp_path / 'other.sqlite3'}")) as other,
    ):
        store.add(one)
        lines = list(export_lines(store))
        import_lines(other, lines)
        assert list(export_lines(other)) == lines
        assert list(tables(other)["submissions"]["generator"]) == [one.generator]
