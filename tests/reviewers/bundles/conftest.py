"""The repository that tests of histories fill."""

from pathlib import Path

import pytest

from tests.reviewers.bundles.git_repository import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A new one, in a work tree of its own."""
    return Repository(tmp_path / "kites")
