"""Guards repairs by what really happens: own submissions with each family's defect, started with
Hydra and stub libraries before (they fail as foretold) and after (they start).
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewers.bundles import open_bundle
from reviewers.repairs import planned
from tests.mutants.world import World
from tests.reviewers.repairs.defects import CASES, WRONG
from tests.reviewers.repairs.started import Case, Judge, sound
from tests.reviewers.repairs.wheels import Index
from tests.shared_data import EVERYTHING

_SAMPLE = CASES if EVERYTHING else CASES[::8]


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    """One stub world and one index for all cases of a worker."""
    folder = tmp_path_factory.mktemp("started")
    with World() as world:
        yield Judge(world, Index(folder / "wheels"), folder / "asked")


def _marked(case: Case) -> object:
    wrong = WRONG.get(case.family, {}).get(case.name)
    marks = [pytest.mark.xfail(reason=wrong, strict=True)] if wrong else []
    return pytest.param(case, id=f"{case.family}: {case.name}", marks=marks)


@pytest.mark.long
@pytest.mark.parametrize("case", [_marked(case) for case in _SAMPLE])
def test_it_fails_as_foretold_and_starts_when_it_is_repaired(case: Case, judge: Judge) -> None:
    judged = judge.judge(case)
    assert not judged.faults, str(judged)


@pytest.mark.parametrize("name", list(sound()))
def test_a_sound_submission_gets_no_repair(name: str, tmp_path: Path) -> None:
    for path, text in sound()[name].items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    plan = planned(open_bundle(tmp_path))
    assert plan.last.failures == ()
    assert [each.intent for each in plan.repairs] == []


def test_the_cases_are_many_and_differ() -> None:
    assert len(CASES) >= 80
    assert len({(case.family, case.name) for case in CASES}) == len(CASES)
    families = [case.family for case in CASES]
    assert all(families.count(family) >= 6 for family in families)
    wrong = {(family, name) for family, names in WRONG.items() for name in names}
    assert wrong <= {(case.family, case.name) for case in CASES}
