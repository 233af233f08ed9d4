"""Guards reviews by a Dask cluster: the same as here, in order, and troubles in one line."""

import json
import os
import re
from pathlib import Path

import pytest

from tests.asking import write_bundles
from tests.builders import Run


# Dask looks for an address of this machine that others reach; here is none.
@pytest.mark.filterwarnings("ignore:Couldn't detect a suitable IP")
def test_a_cluster_reviews_as_this_machine_does(run: Run, tmp_path: Path) -> None:
    if os.environ.get("CI") == "true":
        import distributed
    else:
        distributed = pytest.importorskip("distributed", reason="the extra `dask` is missing")
    paths = write_bundles(tmp_path / "bundles", 8)
    paths[3].write_text("{")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        address = cluster.scheduler_address
        told = run("review", *paths, "--dask", address, "--format", "json")
    assert told.exit_code == 2
    assert "small-0003.json" in told.stderr
    here = run("review", *paths, "--jobs", 1, "--format", "json")
    assert _timeless(told.stdout) == _timeless(here.stdout)
    assert len(told.stdout.splitlines()) == len(paths) - 1
    refused = run("review", *paths, "--dask", "tcp://127.0.0.1:9", "--reviewers", "openai:m")
    assert refused.exit_code == 2
    assert "offline reviewers" in refused.stderr


def _timeless(printed: str) -> list[object]:
    same = re.sub(r'"seconds": [\d.e-]+', '"seconds": 0', printed)
    return [json.loads(line) for line in same.splitlines()]
