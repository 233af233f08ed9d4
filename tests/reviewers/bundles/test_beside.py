"""Guards the contract that lies beside a log: it counts where the log has none, and nothing but a
plain file is looked into.
"""

import os
import shutil
from pathlib import Path

import pytest

from reviewers.bundles import open_bundle
from reviewers.records import ContractSource
from reviewers.rubric.choice import contract_of
from reviewers.settings import sample_bundles

LAB = 'extends = "plain"\nname = "lab"\n'


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log whose prompt says what it asks."""
    return Path(shutil.copy(sample_bundles() / "sparse-forecast.txt", tmp_path))


def test_it_counts_after_what_the_prompt_asks(log: Path) -> None:
    (log.parent / "areachair.toml").write_text(LAB)
    assert contract_of(open_bundle(log)).source is ContractSource.PROMPT
    archive = shutil.make_archive(
        str(log.parent / "gated-sam"), "zip", sample_bundles() / "gated-sam"
    )
    chosen = contract_of(open_bundle(archive))
    assert (chosen.contract.name, chosen.source) == ("lab", ContractSource.FILE)


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_plain_file_is_left_alone(log: Path, kind: str) -> None:
    beside = log.parent / "areachair.toml"
    if kind == "link":
        (log.parent / "secret.toml").write_text(LAB)
        beside.symlink_to("secret.toml")
    elif kind == "pipe":
        os.mkfifo(beside)
    elif kind == "folder":
        beside.mkdir()
    assert open_bundle(log).contract is None


def test_a_huge_one_is_refused_without_being_read_whole(log: Path) -> None:
    with (log.parent / "areachair.toml").open("wb") as file:
        file.truncate(10**9)
    given = open_bundle(log).contract
    assert given is not None
    assert len(given.text) <= 64_001


def test_one_folders_contract_lies_within_it(tmp_path: Path) -> None:
    shutil.copytree(sample_bundles() / "gated-sam", tmp_path / "one")
    (tmp_path / "areachair.toml").write_text(LAB)
    assert open_bundle(tmp_path / "one").contract is None
