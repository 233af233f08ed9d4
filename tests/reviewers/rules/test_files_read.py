"""Guards which files of the evaluation count as never written, and which as written elsewhere."""

import pytest

from reviewers.records import Finding, Severity
from tests.reviewers.rules.asking import findings

BLOCKER, MAJOR, MINOR = Severity.BLOCKER, Severity.MAJOR, Severity.MINOR
HEAD = "import json\nimport os\nimport subprocess\nimport sys\nfrom pathlib import Path\n\n"


def found(evaluate: str, train: str = "", main: str = "", **files: str) -> list[Finding]:
    given: dict[str, str | bytes | None] = {
        "src/evaluate.py": f"{HEAD}def main(cfg, run, d, run_ids):\n    {evaluate}\n"
    }
    given |= {"src/train.py": f"{HEAD}def main(cfg):\n    {train}\n"} if train else {}
    given |= {"src/main.py": f"{HEAD}def main(cfg, run_id):\n    {main}\n"} if main else {}
    given |= {name.replace("__", "/") + ".yaml": text for name, text in files.items()}
    return findings("EV19", given)


@pytest.mark.parametrize(
    ("code", "severities"),
    [
        pytest.param("x = json.load(open(d / 'preds.json'))", [BLOCKER], id="open"),
        pytest.param("x = (d / 'preds.json').read_text()", [BLOCKER], id="read_text"),
        pytest.param("p = d / 'preds.json'\n    if p.exists():\n        x = p.read_text()", [MINOR],
            id="asked first"),
        pytest.param("try:\n        x = open('p.csv').read()\n    except OSError:\n        pass",
            [MINOR], id="caught"),
        pytest.param("p = d / 'preds.json'\n    if not p.is_file():\n        raise"
            " ValueError(f'{p} is missing')\n    x = p.read_text()", [MINOR], id="told about"),
        pytest.param("(d / 'preds.json').write_text('1')\n    x = (d / 'preds.json').read_text()",
            [], id="its own"),
        pytest.param("x = open('config/config.yaml').read()", [], id="configuration"),
        pytest.param("x = open(d / 'out.json', 'w')", [], id="written"),
        pytest.param("x = run.file('preds.json').download().name", [], id="downloaded"),
        pytest.param("x = open(d / 'labels.json').read()", [], id="named in a configuration"),
        pytest.param("name = 'preds' + '.json'\n    x = open(d / name).read()", [], id="made up"),
    ],
)  # fmt: skip
def test_files_that_nothing_writes(code: str, severities: list[Severity]) -> None:
    config = {"config__data": "labels: data/labels.json\n"}
    assert [finding.severity for finding in found(code, **config)] == severities


READ = 'for run_id in run_ids:\n        x = open(Path(cfg.results_dir) / run_id / "results.json")'
ASKED = (
    "for run_id in run_ids:\n        p = Path(cfg.results_dir, run_id, 'results.json')\n"
    "        if not p.exists():\n            print(p)\n            continue\n"
    "        x = json.loads(p.read_text())"
)
ROOT = "root = Path(cfg.results_dir)\n    "


@pytest.mark.parametrize(
    ("train", "evaluate", "severities"),
    [
        (f"{ROOT}(root / cfg.run_id / 'history.json').write_text('')", READ, [BLOCKER]),
        (f"{ROOT}(root / cfg.run_id / 'results.json').write_text('')", READ, []),
        (f"{ROOT}(root / 'results.json').write_text('')", READ, [BLOCKER]),
        (f"{ROOT}(root / 'results.json').write_text('')", ASKED, [MAJOR]),
        (f"{ROOT}print(root / 'results.json')", ASKED, [MINOR]),
        (f"{ROOT}open(os.path.join(root, f'{{cfg.run_id}}_results.json'), 'w')", READ, [BLOCKER]),
        (f"{ROOT}open(f'{{cfg.results_dir}}/{{cfg.run_id}}/results.json', 'w')", READ, []),
        (f"{ROOT}(root / cfg.folder / 'results.json').write_text('')", READ, []),
        ("(Path(cfg.out) / 'results.json').write_text('')", READ, []),
        ("cfg.results_dir = 'x'\n    (Path(cfg.results_dir) / 'results.json').touch()", READ, []),
    ],
    ids=[
        *("other name", "same", "other folder", "other folder, asked", "only told", "prefix"),
        *("same in a template", "may be", "not known", "set anew"),
    ],
)
def test_both_paths_are_followed_to_their_folders(
    train: str, evaluate: str, severities: list[Severity]
) -> None:
    assert [finding.severity for finding in found(evaluate, train)] == severities


def test_both_paths_are_shown() -> None:
    (finding,) = found(READ, f"{ROOT}(root / 'results.json').write_text('')")
    assert "`<results>/…/results.json`, but train.py:9 writes `<results>/results" in finding.message


@pytest.mark.parametrize(
    ("words", "is_known"),
    [
        ('f"results_dir={cfg.results_dir}"', True),
        ('"results_dir=" + str(Path(cfg.results_dir).resolve())', True),
        ('f"results_dir={cfg.results_dir}/{run_id}"', False),
        ('f"results_dir={Path(cfg.results_dir) / run_id}"', False),
    ],
    ids=["as it is", "added", "longer", "joined"],
)
def test_a_folder_is_the_same_only_where_scripts_hand_it_on_as_it_is(
    words: str, is_known: bool
) -> None:
    main = f'subprocess.run([sys.executable, "-m", "src.train", {words}])'
    train = f"{ROOT}(root / 'results.json').write_text('')"
    assert bool(found(READ, train, main)) is is_known


def test_paths_are_followed_through_functions_that_write() -> None:
    saves = "def save(folder):\n    open(folder / 'results.json', 'w')"
    train = f"{ROOT}save(root / cfg.run_id)\n\n{saves}"
    assert found(READ, train) == []
    assert len(found(READ, train.replace(" / cfg.run_id", ""))) == 1
