"""Guards how the rules about the configuration tell what they find: one cause once, at its place,
as bad as it certainly is.
"""

import pytest

from reviewers.facts import Facts
from reviewers.records import Finding, Severity, SourceFile, Span, Submission
from reviewers.rules import run_rules
from tests.builders import contract
from tests.reviewers.rules.asking import findings

HEAD = "import hydra\nfrom omegaconf import OmegaConf\n\n"
ENTRY = (
    '@hydra.main(version_base="1.3", config_path="../config", config_name="config")\ndef'
    " main(cfg):\n"
)
UNBUILT = (  # uv installs nothing of it
    '[project]\nname = "gated-mlp"\nversion = "0.1.0"\nrequires-python = ">=3.11"\n'
    'dependencies = ["torch", "hydra-core", "wandb", "datasets", "optuna", "matplotlib"]\n'
)
GROUPED = "defaults:\n  - _self_\n  - run: a\nresults_dir: ???\nmode: full\n"
RUNS = {
    "config/run/a.yaml": "run_id: a\ntraining: {epochs: 3}\n",
    "config/run/b.yaml": "run_id: b\ntraining: {epochs: 5}\n",
}


def found_by(rule: str, files: dict[str, str | None], **fields: object) -> list[Finding]:
    """What one rule finds in a submission that has no main.py of its own."""
    return findings(rule, {"src/main.py": None, **files}, **fields)  # type: ignore[arg-type]


def test_a_key_read_in_many_places_is_one_finding_with_all_its_places() -> None:
    train = f"{HEAD}{ENTRY}    print(cfg.absent)\n    print(cfg.absent)\n    print(cfg.absent)\n"
    (finding,) = found_by("HY02", {"src/train.py": train})
    assert finding.span is not None
    assert finding.span.line == 6
    assert [str(place.span) for place in finding.further] == ["src/train.py:7", "src/train.py:8"]


@pytest.mark.parametrize(
    ("other", "line"),
    [
        ("run_id: b\ntraining:\n  lr: 1\n  warm: 2\n", 4),  # may be meant for it
        ("run_id: b\ntraining:\n  lr: 1\n", 2),
        ("run_id: b\ntraining:\n  warm: 2\n  cool: 3\n", 2),
    ],
)
def test_a_key_that_one_run_lacks_belongs_in_its_file(other: str, line: int) -> None:
    train = f"{HEAD}{ENTRY}    print(cfg.run.training.steps)\n"
    runs = {
        "config/run/a.yaml": "run_id: a\ntraining:\n  lr: 1\n  steps: 3\n",
        "config/run/b.yaml": other,
    }
    files = {"src/train.py": train, "config/config.yaml": GROUPED}
    (finding,) = found_by("HY02", files, runs=runs)
    assert str(finding.further[0].span) == f"config/run/b.yaml:{line}"


def test_a_refused_key_that_the_configuration_names_is_told_where_it_is_named() -> None:
    train = f"{HEAD}{ENTRY}    for name in cfg.space:\n        cfg.training[name] = 1\n"
    config = "results_dir: ???\nmode: full\ntraining: {lr: 1}\nspace:\n  lr: 0\n  width: 0\n"
    (finding,) = found_by("HY05", {"src/train.py": train, "config/config.yaml": config})
    assert [str(place.span) for place in finding.further] == ["config/config.yaml:6"]


def test_a_key_that_is_taken_out_is_not_said_to_be_missing() -> None:
    train = f"{HEAD}{ENTRY}    cfg.training.pop('lr')\n"
    config = "results_dir: ???\nmode: full\ntraining: {lr: 1}\n"
    (finding,) = found_by("HY05", {"src/train.py": train, "config/config.yaml": config})
    assert "taking out `training.lr` fails" in finding.message
    assert not finding.says


def test_a_run_that_hydra_cannot_be_told_of_is_found_where_it_has_its_name() -> None:
    files = {"src/train.py": f"{HEAD}{ENTRY}    print(cfg.mode)\n"}
    named = {"wide (11M)": "seed: 1\nrun_id: wide (11M)\n"}
    (finding,) = found_by("HY03", files, runs=named)
    assert str(finding.span) == "config/runs/wide (11M).yaml:2"
    assert "'run=wide (11M)'" in finding.message
    assert "OverrideParseException" in finding.message


def test_the_message_names_the_command_and_the_error() -> None:
    (finding,) = found_by("HY02", {"src/train.py": f"{HEAD}{ENTRY}    print(cfg.absent)\n"})
    assert "python -m src.train run=" in finding.message
    assert "ConfigAttributeError: Key 'absent' is not in struct" in finding.message


def test_what_depends_on_how_the_start_is_repaired_is_no_blocker() -> None:
    train = f"{HEAD}{ENTRY}    print(cfg.training.epochs)\n"
    sure = found_by("HY04", {"src/train.py": train, "config/config.yaml": GROUPED}, runs=RUNS)
    mended = found_by(
        "HY04",
        {"src/train.py": train, "config/config.yaml": "results_dir: ???\nmode: full\n"},
        runs=RUNS,
    )
    assert [finding.severity for finding in sure] == [Severity.BLOCKER]
    assert [finding.severity for finding in mended] == [Severity.MAJOR]
    assert mended[0].message.startswith("once Hydra composes the configuration")


def test_a_missing_config_name_leaves_the_rest_as_bad_as_it_is() -> None:
    train = (
        f'{HEAD}@hydra.main(version_base="1.3", config_path="../config")\ndef main(cfg):\n   '
        " print(cfg.absent)\n"
    )
    (finding,) = found_by("HY02", {"src/train.py": train})
    assert finding.severity is Severity.BLOCKER


def test_a_run_file_that_nothing_loads_is_one_finding_at_the_empty_sections() -> None:
    config = "run: ???\nresults_dir: ???\nmode: full\ntraining: {}\nmodel: {}\n"
    train = f"{HEAD}{ENTRY}    print(cfg.training.epochs, cfg.model.width)\n"
    (finding,) = found_by("HY10", {"src/train.py": train, "config/config.yaml": config})
    assert str(finding.span) == "config/config.yaml:4-5"
    assert found_by("HY02", {"src/train.py": train, "config/config.yaml": config}) == []


def test_a_broken_config_file_is_told_once_where_it_breaks() -> None:
    broken = "run: ???\nresults_dir: ???\nmode: full\nx: [1\ny: 2\n"
    assert [str(finding.span) for finding in found_by("RC01", {"config/config.yaml": broken})] == [
        "config/config.yaml:5"
    ]
    assert found_by("HY03", {"config/config.yaml": broken}) == []


@pytest.mark.parametrize(
    ("path", "text", "number"),
    [
        ("ci.yml", "a: [1\nb: 2\n", 1),
        ("ci.yml", "a: 1\na: 2\n---\nb: !!python/name:x.y\n", 0),
        ("chart.yaml", "a: {{ name }}\n{% if b %}\nc: [\n{% endif %}\n", 0),
        ("{{ name }}/a.yaml", "a: [1\n", 0),
        ("{{ name }}/a.py", "import {{ name }}\n", 0),
    ],
    ids=["broken", "for another reader", "filled in by Jinja", "template", "Python template"],
)
def test_of_yaml_that_omegaconf_never_reads_only_its_form_is_judged(
    path: str, text: str, number: int
) -> None:
    files = (SourceFile(path, text.encode()), SourceFile("run.py", b"print(1)\n"))
    outside = Submission(name="a", source="a", files=files, contract=contract("plain"))
    found = [one for one in run_rules(Facts(outside)).findings if one.span]
    assert [one.severity for one in found] == [Severity.MAJOR] * number


def test_a_key_given_twice_is_told() -> None:
    runs = {"a": "run_id: a\ntraining: {epochs: 3}\ntraining: {epochs: 4}\n"}
    (finding,) = found_by("RC01", {}, runs=runs)
    assert str(finding.span) == "config/runs/a.yaml:3"
    assert [str(place.span) for place in finding.further] == ["config/runs/a.yaml:2"]
    assert "duplicate key" in finding.message


def test_a_search_space_that_the_struct_configuration_refuses_is_a_rejected_write_and_nothing_more() -> (  # noqa: E501
    None
):
    body = (
        "    def objective(trial):\n        for name in cfg.optuna.search_space:\n           "
        " OmegaConf.update(cfg, name, trial.suggest_float(name, 0, 1))\n    import optuna\n   "
        " optuna.create_study().optimize(objective, n_trials=cfg.optuna.n_trials)\n"
    )
    config = "defaults:\n  - _self_\n  - run: a\nresults_dir: ???\nmode: full\n"
    runs = {
        "config/run/a.yaml": (
            "# @package _global_\nrun_id: a\noptuna: {n_trials: 2, search_space: {rate: {low: 0,"
            " high: 1}}}\n"
        )
    }
    files: dict[str, str | None] = {
        "src/train.py": f"{HEAD}{ENTRY}{body}",
        "config/config.yaml": config,
    }
    assert found_by("HY05", files, runs=runs)
    assert found_by("RC04", files, runs=runs) == []


def test_a_run_file_under_its_group_is_told_where_it_is_read_and_at_each_files_first_line() -> None:
    train = f"{HEAD}{ENTRY}    print(cfg.training.epochs)\n"
    files: dict[str, str | None] = {"src/train.py": train, "config/config.yaml": GROUPED}
    (finding,) = found_by("HY04", files, runs=RUNS)
    assert finding.span == Span("src/train.py", 6)
    heads = [place.span for place in finding.places]
    assert heads[:2] == [Span("config/run/a.yaml", 1), Span("config/run/b.yaml", 1)]


@pytest.mark.parametrize(
    ("release", "refuses"),
    [("", True), ("    OmegaConf.set_struct(cfg, False)\n", False)],
    ids=["struct", "set_struct(False) before"],
)
@pytest.mark.parametrize(
    "write",
    ["OmegaConf.update(mine, name, trial.suggest_float(name, 0, 1))",
     "mine[name] = trial.suggest_float(name, 0, 1)"],
)  # fmt: skip
def test_a_lost_search_space_is_told_with_what_the_write_does_on_that_configuration(
    release: str, refuses: bool, write: str
) -> None:
    body = (
        f"{release}    cfg = OmegaConf.merge(cfg, OmegaConf.load('config/runs/a.yaml'))\n"
        "    def objective(trial):\n        mine = OmegaConf.create(cfg)\n"
        f"        for name in cfg.optuna.search_space:\n            {write}\n"
        "    import optuna\n"
        "    optuna.create_study().optimize(objective, n_trials=cfg.optuna.n_trials)\n"
    )
    run = (
        "run_id: a\noptuna:\n  n_trials: 2\n  search_space:\n    rate: {low: 0, high: 1}\n"
        "    size: {low: 1, high: 9}\n"
    )
    files: dict[str, str | None] = {
        "src/train.py": f"{HEAD}{ENTRY}{body}",
        "config/config.yaml": "run: ???\nresults_dir: ???\nmode: full\n",
    }
    (finding,) = found_by("RC04", files, runs={"a": run})
    assert Span("config/runs/a.yaml", 5) in [place.span for place in finding.places]
    assert ("refuses the write" in finding.message) is refuses
    assert ("is written to cfg.rate, where nothing reads it" in finding.message) is not refuses


ASKED = ("HY03", "EV01", "EV05", "EV07", "MD03", "TR02", "TR03", "TR04")


@pytest.mark.parametrize("rule", ASKED)
def test_a_submission_is_not_held_to_what_its_contract_does_not_ask(rule: str) -> None:
    files: dict[str, str | None] = {
        "config/config.yaml": "run: ???\nresults_dir: ???\nmode: full\n",
        "src/train.py": (
            "import json\nimport pylab as p\n\ndef main():\n    print(json.dumps({}),"
            " p.savefig('a.pdf'))\n"
        ),
        "src/evaluate.py": (
            f"import argparse\n{HEAD}{ENTRY}   "
            " argparse.ArgumentParser().add_argument('results_dir')\n"
        ),
    }
    assert found_by(rule, files, contract=contract("ten")) == []
    assert found_by(rule, files)


OLD_ENTRY = '@hydra.main(config_path="../config", config_name="config")\ndef main(cfg):\n'
STARTS_IT = (
    "import os, subprocess, sys\nfrom hydra.utils import get_original_cwd\n"
    + HEAD
    + OLD_ENTRY
    + "    env = {**os.environ, 'PYTHONPATH': get_original_cwd()}\n"
    "    words = [f'run={cfg.run}', f'results_dir={cfg.results_dir}', f'mode={cfg.mode}']\n"
    "    subprocess.run([sys.executable, '-m', 'src.train', *words], env=env)\n"
)


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("OmegaConf.load(root / 'config' / 'runs' / f'{cfg.run}.yaml')", [10]),
        ("(root / 'config/runs' / f'{cfg.run}.yaml').exists() or fail()", [6]),
        ("print((root / 'config/runs' / f'{cfg.run}.yaml').exists())", []),
        ("(root / cfg.results_dir).mkdir()", []),
        ("OmegaConf.load(Path(__file__).parents[1] / f'config/runs/{cfg.run}.yaml')", []),
    ],
    ids=["loaded", "asked for", "asked for in vain", "the results", "by the file"],
)
def test_a_process_in_hydras_folder_stops_where_it_needs_a_file_of_the_submission(
    body: str, lines: list[int]
) -> None:
    train = (
        "from pathlib import Path\nfrom hydra.utils import get_original_cwd\nimport hydra\n"
        "from omegaconf import OmegaConf\ndef fail():\n    raise OSError('no run file')\n"
        f"{ENTRY}    root = Path(get_original_cwd())\n    {body}\n"
    )
    found = found_by("HY12", {"src/main.py": STARTS_IT, "src/train.py": train})
    assert [one.span.line for one in found if one.span] == lines


@pytest.mark.parametrize(("cwd", "found"), [("None", True), ("get_original_cwd()", False)])
def test_a_module_that_a_helper_names_is_not_found_in_hydras_folder(cwd: str, found: bool) -> None:
    main = (
        "import subprocess, sys\nfrom hydra.utils import get_original_cwd\n"
        f"{HEAD}def words(cfg):\n    made: list[str] = [sys.executable, '-m', 'src.train']\n"
        f"    made.append('run=' + cfg.run)\n    return made\n\n{OLD_ENTRY}"
        f"    subprocess.Popen(words(cfg), cwd={cwd}).wait()\n"
    )
    assert bool(found_by("HY08", {"src/main.py": main, "pyproject.toml": UNBUILT})) is found


def test_a_process_is_lost_where_the_configuration_asks_for_another_folder() -> None:
    main = (
        "import subprocess\nimport sys\n\nimport hydra\n\n"
        "@hydra.main(version_base=None, config_path='../config', config_name='config')\n"
        "def main(cfg):\n    words = [f'run={cfg.run}', f'mode={cfg.mode}']\n"
        "    subprocess.Popen([sys.executable, '-m', 'src.train', *words]).wait()\n"
    )
    for chdir, found in (("true", True), ("false", False)):
        config = f"run: ???\nresults_dir: ???\nmode: full\nhydra:\n  job:\n    chdir: {chdir}\n"
        files: dict[str, str | None] = {"src/main.py": main, "config/config.yaml": config}
        assert bool(found_by("HY08", {**files, "pyproject.toml": UNBUILT})) is found


def test_a_key_that_hydras_own_schema_refuses_is_told_on_its_line() -> None:
    config = (
        "hydra:\n  run:\n    dir: .\n  job:\n    raise_on_error: true\nrun: ???\n"
        "results_dir: ???\nmode: full\n"
    )
    train = f"{HEAD}{ENTRY}    print(cfg.absent)\n"
    files: dict[str, str | None] = {"src/train.py": train, "config/config.yaml": config}
    (finding,) = found_by("HY03", files)
    assert str(finding.span) == "config/config.yaml:5"
    assert "'raise_on_error' not in 'JobConf'" in finding.message
    (behind,) = found_by("HY02", files)
    assert behind.message.startswith("once Hydra composes the configuration")


ASKING = "run_id: proposed\ntraining:\n  rate: ${optuna:loguniform,0.1,1}\n"
READING = f"{HEAD}{ENTRY}    print(cfg.run.training.rate)\n"
IN_GROUP = "defaults: [_self_, {run: proposed}]\nresults_dir: ???\nmode: full\n"


def _asks(code: str, run: str = ASKING) -> list[Finding]:
    files: dict[str, str | None] = {
        "src/train.py": code,
        "config/config.yaml": IN_GROUP,
    }
    return found_by("HY11", files, runs={"config/run/proposed.yaml": run})


@pytest.mark.parametrize(
    "code",
    [
        READING,
        f"{HEAD}{ENTRY}    values = OmegaConf.to_container(cfg, resolve=True)\n",
        f"{HEAD}{ENTRY}    for name in ['rate']:\n        print(cfg.run.training[name])\n",
    ],
    ids=["read", "all resolved", "read by name"],
)
def test_a_resolver_that_nobody_registers_is_told_where_it_is_asked(code: str) -> None:
    if "OmegaConf" in code:
        code = f"from omegaconf import OmegaConf\n{code}"
    (finding,) = _asks(code)
    assert "Unsupported interpolation type optuna" in finding.message
    assert str(finding.span) == "config/run/proposed.yaml:3"
    assert [place.span.file for place in finding.further] == ["src/train.py"]


@pytest.mark.parametrize(
    "registering",
    [
        "OmegaConf.register_new_resolver('optuna', lambda *a: a)",
        "OmegaConf.register_new_resolver(name='optuna', resolver=str)",
        "for n in names:\n    OmegaConf.register_new_resolver(n, str)",
    ],
    ids=["by name", "by keyword", "by some name"],
)
def test_a_registered_resolver_is_fine(registering: str) -> None:
    assert _asks(f"from omegaconf import OmegaConf\n{registering}\n{READING}") == []


@pytest.mark.parametrize("text", ["${oc.env:HOME}", "${now:%Y}", "${hydra:job.name}", "a:b"])
def test_resolvers_of_the_libraries_are_fine(text: str) -> None:
    assert _asks(READING, f"run_id: proposed\ntraining:\n  rate: '{text}'\n") == []
