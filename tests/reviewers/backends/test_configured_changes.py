"""The file of reviewers is changed: what a person wrote stays, and what was kept comes back."""

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewers.backends.configured import (
    BudgetConfig,
    Configuration,
    ReviewerConfig,
    keep,
    load,
    remove,
)
from reviewers.backends.prices import Prices
from reviewers.errors import ReviewerError
from tests.reviewers.backends.reviewers_file import BY_HAND, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings" / "reviewers.toml"


@pytest.fixture
def by_hand(path: Path) -> Path:
    path.parent.mkdir()
    path.write_text(BY_HAND)
    return path


def test_a_byte_order_mark_and_windows_line_ends_are_no_trouble(path: Path) -> None:
    write(path, b"\xef\xbb\xbf" + BY_HAND.replace("\n", "\r\n").encode())
    before = load(path)
    assert len(before.reviewers) == 2
    keep(path, replace(before.reviewers[0], seed=7))
    assert load(path).find("o3").seed == 7
    assert b"# the one of the logs\r\n" in path.read_bytes()


def test_keeping_what_is_there_changes_nothing(by_hand: Path) -> None:
    for reviewer in load(by_hand).reviewers:
        keep(by_hand, reviewer)
    assert by_hand.read_text() == BY_HAND


def test_a_change_changes_its_own_words_only(by_hand: Path) -> None:
    o3, local = load(by_hand).reviewers
    keep(by_hand, replace(o3, model="o4", prices=Prices(2, None, 9), concurrency=4))
    keep(by_hand, replace(local, prices=Prices(1, None, 0)))
    changed = [
        ("o3-2025-04-16", "o4"),
        ("8.0", "9"),
        ("concurrency = 8 ", "concurrency = 4 "),
        ("input = 0", "input = 1"),
    ]
    wanted = BY_HAND
    for before, after in changed:
        wanted = wanted.replace(before, after)
    assert by_hand.read_text() == wanted


def test_what_is_set_to_nothing_goes(by_hand: Path) -> None:
    o3, local = load(by_hand).reviewers
    keep(by_hand, replace(local, temperature=0.5, seed=3, window=9000, max_output_tokens=500))
    keep(by_hand, replace(local, prices=Prices()))
    assert load(by_hand).reviewers == (o3, replace(local, prices=Prices()))
    assert "seed" not in by_hand.read_text()


def test_a_new_one_is_added_and_a_renamed_one_keeps_its_place(by_hand: Path) -> None:
    o3, local = load(by_hand).reviewers
    new = ReviewerConfig(name="new", model="m", key_env=None, prices=Prices(1.5, 0.5, 6))
    keep(by_hand, new)
    keep(by_hand, replace(o3, name="old o3"), instead_of="o3")
    assert load(by_hand) == Configuration(
        (replace(o3, name="old o3"), local, new), BudgetConfig(usd=5)
    )
    for comment in (
        "# Whom we ask",
        "# the one of the logs",
        "# From the page",
        "# costs us nothing",
        "# Never more",
        "# a day",
    ):
        assert comment in by_hand.read_text()


def test_no_two_reviewers_get_one_name(by_hand: Path) -> None:
    o3, _ = load(by_hand).reviewers
    with pytest.raises(ReviewerError, match="a reviewer named 'local' already"):
        keep(by_hand, replace(o3, name="local"), instead_of="o3")
    assert by_hand.read_text() == BY_HAND


def test_one_is_removed_and_the_rest_stays(by_hand: Path) -> None:
    _, local = load(by_hand).reviewers
    remove(by_hand, "o3")
    assert load(by_hand) == Configuration((local,), BudgetConfig(usd=5))
    remove(by_hand, "o3")
    assert "# Whom we ask" in by_hand.read_text()


def test_after_the_last_one_is_removed_another_can_be_kept(by_hand: Path) -> None:
    o3, local = load(by_hand).reviewers
    remove(by_hand, "o3")
    remove(by_hand, "local")
    assert "reviewer" not in by_hand.read_text()
    assert load(by_hand) == Configuration((), BudgetConfig(usd=5))
    keep(by_hand, o3)
    keep(by_hand, local)
    assert load(by_hand) == Configuration((o3, local), BudgetConfig(usd=5))


def test_reviewers_written_as_an_array_can_be_changed_too(path: Path) -> None:
    write(
        path,
        "reviewer = [{ name = 'a', model = 'm', prices = { input = 1, output = 2 } }, { name = 'b',"
        " model = 'm' }]\n",
    )
    a, b = load(path).reviewers
    c = ReviewerConfig(name="c", model="m")
    keep(path, c)
    keep(path, replace(b, seed=4))
    assert load(path).reviewers == (a, replace(b, seed=4), c)
    remove(path, "a")
    assert load(path).reviewers == (replace(b, seed=4), c)


@pytest.mark.parametrize(
    "before", ["", "reviewer = []\n", "[budget]\nusd = 1\n", "# nothing yet"], ids=repr
)
def test_the_first_one_is_kept_in_a_file_without_any(path: Path, before: str) -> None:
    write(path, before)
    keep(path, ReviewerConfig(name="a", model="m"))
    assert [reviewer.name for reviewer in load(path).reviewers] == ["a"]
    assert "#" not in before or before in path.read_text()


names = st.from_regex(r"[A-Za-zäßж0-9_][A-Za-zäßж0-9_ .:/@+'-]{0,20}", fullmatch=True).filter(
    lambda name: name not in ("rules", "recorded") and not name.endswith(" ")
)
amounts = st.none() | st.floats(0, 1e9) | st.integers(0, 10**9).map(float)
configs = st.builds(
    ReviewerConfig,
    name=names.filter(lambda name: not name.startswith("sarif:")),
    model=st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=30),
    base_url=st.sampled_from(
        ["https://api.openai.com/v1", "http://[::1]:8000/v1", "http://ж.example/a/b"]
    ),
    key_env=st.none()
    | st.just("")
    | st.from_regex(r"[A-Z]{1,9}(_[A-Z0-9]{1,9}){0,2}", fullmatch=True),
    api=st.sampled_from(["auto", "responses", "chat"]),
    form=st.sampled_from(["findings", "recorded"]),
    window=st.none() | st.integers(100_000, 10**8),
    max_output_tokens=st.integers(16, 99_999),
    temperature=st.none() | st.floats(0, 2),
    seed=st.none() | st.integers(-(2**63), 2**63 - 1),
    effort=st.none() | st.sampled_from(["low", "high"]),
    stream=st.booleans(),
    split=st.booleans(),
    prices=st.builds(Prices, amounts, amounts, amounts),
    timeout=st.floats(0.05, 86_400),
    concurrency=st.integers(1, 1000),
    retries=st.integers(0, 20),
    requests_per_minute=st.none() | st.integers(1, 10**6),
    tokens_per_minute=st.none() | st.integers(1, 10**9),
)


@settings(max_examples=25, deadline=None)
@given(first=configs, second=configs)
def test_whatever_makes_sense_comes_back_as_it_was_kept(
    tmp_path_factory: pytest.TempPathFactory, first: ReviewerConfig, second: ReviewerConfig
) -> None:
    path = write(tmp_path_factory.mktemp("kept") / "reviewers.toml", BY_HAND)
    o3, local = load(path).reviewers
    keep(path, replace(first, name="local"))
    keep(path, replace(second, name="next to it"))
    assert load(path) == Configuration(
        (o3, replace(first, name="local"), replace(second, name="next to it")), BudgetConfig(usd=5)
    )
    keep(path, first, instead_of="local")
    keep(path, replace(local, name="back"), instead_of=first.name)
    remove(path, "next to it")
    assert load(path).reviewers == (o3, replace(local, name="back"))


def test_an_entry_that_makes_no_sense_is_repaired_or_taken_out_by_its_name(path: Path) -> None:
    write(path, "[[reviewer]]\nname = 'a'\n[[reviewer]]\nname = 'b'\n")
    keep(path, ReviewerConfig(name="a", model="m"))
    remove(path, "b")
    assert load(path) == Configuration((ReviewerConfig(name="a", model="m"),))


@pytest.mark.parametrize("text", ["[[reviewer]", "\0", "x = 1"], ids=repr)
def test_a_damaged_file_stays_as_it_is(path: Path, text: str) -> None:
    write(path, text)
    for change in (
        lambda: keep(path, ReviewerConfig(name="a", model="m")),
        lambda: remove(path, "a"),
    ):
        with pytest.raises(ReviewerError):
            change()
    assert path.read_text() == text
    assert os.listdir(path.parent) == [path.name]


def test_a_place_that_cannot_be_read_or_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(ReviewerError, match="cannot be read"):
        load(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(ReviewerError, match="cannot be"):
        keep(tmp_path / "file" / "reviewers.toml", ReviewerConfig(name="a", model="m"))


def test_a_link_to_the_file_stays_a_link(by_hand: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.toml"
    link.symlink_to(by_hand)
    keep(link, ReviewerConfig(name="a", model="m"))
    assert link.is_symlink()
    assert len(load(by_hand).reviewers) == 3


def test_the_file_is_for_this_user_only_and_nothing_is_left_beside_it(path: Path) -> None:
    keep(path, ReviewerConfig(name="a", model="m"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(path.parent) == ["reviewers.toml"]
