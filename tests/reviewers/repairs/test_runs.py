"""Guards the names of runs that no command can say: their files move, and with them everything that
is known of these files.
"""

import subprocess
from pathlib import Path

from reviewers.repairs import Plan, planned
from reviewers.repairs.edits import mended
from reviewers.repairs.offers import offers
from reviewers.repairs.patch import patch
from tests.builders import ONE_RUN, SOUND_FILES, make_submission, write_folder

_SOUND, _TEXT = next(iter(ONE_RUN.items()))
_NAME, _PLAIN = "proposed MLP (0.3M), v1.5", "proposed-MLP-0.3M-v1.5"
_CODE = SOUND_FILES["src/model.py"] + f'\nSMALL = {{"{_NAME}"}}  # {_NAME}\n'


def _plan(**runs: str) -> Plan:
    named = {_NAME: _TEXT.replace(_SOUND, f"'{_NAME}'"), **runs}
    return planned(make_submission({"src/model.py": _CODE}, named))


def test_a_run_that_hydra_cannot_read_is_asked_for_and_renamed_everywhere() -> None:
    plan = _plan()
    (repair,) = plan.questions
    assert repair.proof.proposal.choice == _PLAIN
    (run,) = plan.last.submission.runs
    assert (run.run_id, run.file.path) == (_PLAIN, f"config/runs/{_PLAIN}.yaml")
    assert run.file.text == _TEXT.replace(_SOUND, f"'{_PLAIN}'")
    assert plan.last.facts.text("src/model.py") == _CODE.replace(f'"{_NAME}"', f'"{_PLAIN}"')
    assert plan.is_ready


def test_two_runs_never_get_one_name() -> None:
    plan = _plan(**{"proposed MLP [0.3M] v1.5": _TEXT.replace(_SOUND, "proposed MLP [0.3M] v1.5")})
    assert not plan.questions


def test_git_takes_a_patch_that_moves_a_file(tmp_path: Path) -> None:
    plan = _plan()
    folder = write_folder(tmp_path, plan.first.submission)
    made = patch(plan.first.submission, plan.last.submission)
    subprocess.run(["git", "apply", "-"], cwd=folder, input=made.encode(), check=True)
    written = {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")}
    assert written == set(plan.last.submission.by_path)


def test_edits_behind_a_move_are_told_in_the_files_of_the_submission() -> None:
    gap = _TEXT.replace("epochs: 5", "epochs: 5\n  epochs: 5")
    assert gap != _TEXT
    plan = _plan(**{_NAME: gap.replace(_SOUND, f"'{_NAME}'")})
    told = offers(plan)
    moved = next(each for each in told.repairs if each.asks)
    assert moved.ways[0].edits == ()
    for each in told.repairs:
        for edit in each.ways[0].edits:
            assert edit.path in plan.first.submission.by_path
    assert mended(plan.last.submission, ()).runs == plan.last.submission.runs
