"""Guards how the configuration is repaired: groups, keys and values, with the smallest edit."""

import pytest

from reviewers.repairs import Plan, planned
from reviewers.rules import registered
from tests.builders import (
    ONE_RUN,
    SOUND_FILES,
    SOUND_RUNS,
    changed,
    make_submission,
    submission_from_example,
    with_one_run,
)

_MERGE = (
    "    OmegaConf.set_struct(cfg, False)\n"
    '    cfg = OmegaConf.merge(cfg, OmegaConf.load(root / "config" / "runs" / f"{cfg.run}.yaml"))\n'
)
_TRAIN = SOUND_FILES["src/train.py"]
_CONFIG = SOUND_FILES["config/config.yaml"]
_RUN = next(iter(ONE_RUN))
_RUN_TEXT = ONE_RUN[_RUN]
_UNLOADED = _TRAIN.replace(_MERGE, "")


def _ready(plan: Plan) -> dict[str, str]:
    """The texts of a version that is ready."""
    assert plan.is_ready, [(each.rule, why) for each, why in plan.unrepaired]
    return {path: file.text for path, file in plan.last.submission.by_path.items()}


def _intents(plan: Plan) -> list[str]:
    return [each.intent for each in plan.repairs]


@pytest.mark.parametrize(
    "entry",
    [
        "- runs: ${run}",
        "- runs/${run}",
        "- run: ???",
        f"- runs@run: {_RUN}",
        "- optional runs: ???",
    ],
)
def test_a_group_that_the_command_cannot_choose_is_loaded_in_the_code(entry):
    has_key = "run: ???" not in entry and "@run" not in entry
    config = _CONFIG.replace("  - _self_\n", f"  - _self_\n  {entry}\n")
    config = config if has_key else config.replace("\nrun: ???\n", "\n")
    texts = _ready(planned(with_one_run({"config/config.yaml": config, "src/train.py": _UNLOADED})))
    assert texts["config/config.yaml"].replace("\n\n", "\n") == _CONFIG.replace("\n\n", "\n")
    assert texts["src/train.py"] == _UNLOADED.replace(
        "def main(cfg: DictConfig) -> None:\n",
        "def main(cfg: DictConfig) -> None:\n"
        '    run_file = Path(__file__).resolve().parents[1] / "config" / "runs"'
        ' / f"{cfg.run}.yaml"\n'
        "    OmegaConf.set_struct(cfg, False)\n"
        "    cfg = OmegaConf.merge(cfg, OmegaConf.load(run_file))\n",
    )
    assert texts["src/main.py"] == SOUND_FILES["src/main.py"]


def test_a_run_file_that_nothing_loads_is_loaded_behind_the_docstring():
    train = _UNLOADED.replace(
        "def main(cfg: DictConfig) -> None:\n",
        'def main(cfg: DictConfig) -> None:\n    """Train."""\n\n    # Where we are.\n',
    ).replace("from pathlib import Path\n", "from pathlib import (\n    Path,\n)\n")
    texts = _ready(planned(with_one_run({"src/train.py": train})))
    assert '    """Train."""\n    run_file = Path(' in texts["src/train.py"]
    assert "merge(cfg, OmegaConf.load(run_file))\n\n    # Where we are.\n" in texts["src/train.py"]


def test_the_run_is_a_word_for_what_only_asks_its_name():
    main = changed("src/main.py", ("{cfg.run}", "{cfg.run.run_id}"))
    config = _CONFIG.replace("  - _self_\n", "  - _self_\n  - run: ???\n").replace(
        "\nrun: ???\n", "\n"
    )
    files = {"config/config.yaml": config, "src/train.py": _UNLOADED, **main}
    texts = _ready(planned(with_one_run(files)))
    assert texts["src/main.py"] == SOUND_FILES["src/main.py"]


def test_reads_through_the_group_lose_it_where_the_file_lies_at_the_top():
    train = _UNLOADED.replace("id=cfg.run_id", "id=run_cfg.run_id").replace(
        "    if cfg.mode ==", "    run_cfg = cfg.run\n    if cfg.mode =="
    )
    texts = _ready(planned(with_one_run({"src/train.py": train})))
    assert "    run_cfg = cfg\n" in texts["src/train.py"]


def _in_group(train: str, main: str = 'f"run={cfg.run.run_id}"') -> dict[str, str]:
    return {
        "config/config.yaml": _CONFIG.replace("\nrun: ???\n", "\n").replace(
            "  - _self_\n", "  - _self_\n  - run: ???\n"
        ),
        "src/train.py": train,
        **changed("src/main.py", ('f"run={cfg.run}"', main)),
    }


_RUN_PATH = f"config/run/{_RUN}.yaml"
_IN_FOLDER = {f"config/run/{_RUN}.yaml": _RUN_TEXT}


def test_keys_under_the_group_are_moved_or_read_there_each_with_its_consequence():
    plan = planned(with_one_run(_in_group(_UNLOADED), _IN_FOLDER))
    texts = _ready(plan)
    mended = next(each for each in plan.repairs if each.finding.rule == "HY04")
    ways = [mended.proof, *mended.others]
    assert {each.proposal.intent.partition(" ")[0] for each in ways} == {"Put", "Read"}
    assert all(each.proposal.consequence for each in ways)
    read = next(each for each in ways if each.proposal.intent.startswith("Read"))
    code = read.after.facts.text("src/model.py")
    assert "kinds[cfg.run.method](cfg.run.model.width" in (code or "")
    assert texts["src/train.py"] != _UNLOADED or texts[f"config/run/{_RUN}.yaml"] != _RUN_TEXT


def test_the_defaults_list_gets_the_group_that_the_command_chooses():
    files = _in_group(_UNLOADED)
    files["config/config.yaml"] = files["config/config.yaml"].replace("  - run: ???\n", "")
    plan = planned(with_one_run(files, _IN_FOLDER))
    assert "  - _self_\n  - run: ???\n" in _ready(plan)["config/config.yaml"]


def test_a_process_is_told_its_run():
    bad = registered()["HY13"].bad
    submission, _ = submission_from_example(bad)
    text = planned(submission, only_rule="HY13").last.facts.text("src/main.py")
    assert 'words = [f"run={cfg.run.run_id}", f"results_dir={cfg.results_dir}"' in (text or "")


def test_a_key_of_hydras_that_hydra_does_not_know_goes_with_its_empty_section():
    for more, left in (
        ("hydra:\n  job:\n    raise_on_error: true\n", ""),
        (
            "hydra:\n  output_subdir: null\n  job:\n    raise_on_error: true  # stop\n"
            "    chdir: false\n",
            "hydra:\n  output_subdir: null\n  job:\n    chdir: false\n",
        ),
    ):
        texts = _ready(planned(with_one_run({"config/config.yaml": _CONFIG + more})))
        assert texts["config/config.yaml"] == _CONFIG + left


@pytest.mark.parametrize(
    ("twice", "left", "asked"),
    [
        ("mode: null  # later\nwandb:", "wandb:", False),
        ("mode: full\nwandb:", "wandb:", False),
        ("mode: trial\nwandb:", "wandb:", True),
    ],
)
def test_a_key_that_is_there_twice(twice, left, asked):
    plan = planned(with_one_run({"config/config.yaml": _CONFIG.replace("wandb:", twice, 1)}))
    texts = _ready(plan)
    assert len(plan.questions) == asked
    if not asked:
        assert texts["config/config.yaml"] == _CONFIG
    else:
        assert [each.proposal.choice for each in plan.repairs[0].others]


def test_a_value_that_one_run_lacks_is_asked_for_and_written_at_the_end_of_its_section():
    runs = dict(SOUND_RUNS)
    lacking = runs[_RUN].replace("  width: 512\n", "")
    plan = planned(make_submission(runs={**runs, _RUN: lacking}))
    (mended,) = plan.repairs
    assert _RUN in mended.proof.proposal.asks
    assert mended.proof.proposal.choice.startswith("512, as in ")
    assert _ready(plan)[f"config/runs/{_RUN}.yaml"] == lacking.replace(
        "  classes: 4\n", "  classes: 4\n  width: 512\n"
    )


def test_a_section_that_one_run_lacks_is_asked_for_before_it_is_looked_into():
    train = _TRAIN.replace(
        '    if cfg.mode == "trial":',
        '    if not "rank" in cfg.adapter:\n        print("none")\n    if cfg.mode == "trial":',
    )
    texts = _ready(planned(with_one_run({"src/train.py": train})))
    assert '    if not ("adapter" in cfg and "rank" in cfg.adapter):\n' in texts["src/train.py"]


def test_a_default_is_read_only_where_it_is_needed():
    eager = 'cfg.training.get("learning_rate", cfg.training.base_rate)'
    train = _TRAIN.replace("else cfg.training.learning_rate", f"else {eager}")
    texts = _ready(planned(with_one_run({"src/train.py": train})))
    assert (
        'else (cfg.training.learning_rate if "learning_rate" in cfg.training'
        " else cfg.training.base_rate)" in texts["src/train.py"]
    )


def test_the_names_of_a_search_space_become_whole_paths():
    run = _RUN_TEXT.replace(
        "  search_space:\n    learning_rate:\n", "  search_space:\n    adam.rate:\n"
    ).replace("  learning_rate: 1.0e-3\n", "  adam: {rate: 1.0e-3}\n  learning_rate: 1.0e-3\n")
    train = _TRAIN.replace(
        "    space = cfg.optuna.search_space.learning_rate\n",
        "    for path, space in cfg.optuna.search_space.items():\n"
        "        section, _, key = path.rpartition('.')\n"
        "        held = cfg\n"
        "        for part in section.split('.'):\n"
        "            held = held[part]\n"
        "        held[key] = space.low\n",
    )
    plan = planned(with_one_run({"src/train.py": train}, {_RUN: run}))
    assert "Name the keys of the search space by their full paths" in _intents(plan)
    assert "    training.adam.rate:\n" in _ready(plan)[f"config/runs/{_RUN}.yaml"]


def test_an_interpolation_that_nothing_gives_is_a_question_with_the_spaces_values():
    run = _RUN_TEXT.replace(
        "  learning_rate: 1.0e-3\n", "  learning_rate: ${optuna:learning_rate}\n"
    )
    plan = planned(with_one_run(runs={_RUN: run}))
    (mended,) = plan.repairs
    assert "  learning_rate: 0.001\n" in _ready(plan)[f"config/runs/{_RUN}.yaml"]
    assert len(mended.others) == 2
    assert mended.proof.proposal.asks


def test_a_key_that_asks_for_itself_is_taken_out():
    run = _RUN_TEXT + "mode: ${mode}\n"
    texts = _ready(planned(with_one_run(runs={_RUN: run})))
    assert texts[f"config/runs/{_RUN}.yaml"] == _RUN_TEXT


def test_a_number_that_is_meant_as_a_text_is_quoted():
    config = _CONFIG.replace("project: gated-mlp", "project: 251109  # the day")
    texts = _ready(planned(with_one_run({"config/config.yaml": config})))
    assert '  project: "251109"  # the day\n' in texts["config/config.yaml"]


def test_a_section_passes_as_a_mapping():
    train = _TRAIN.replace(
        '    if cfg.mode == "trial":',
        "    if not isinstance(cfg.model, dict):\n"
        '        raise ValueError("model must be a mapping")\n    if cfg.mode == "trial":',
    )
    texts = _ready(planned(with_one_run({"src/train.py": train})))
    assert "isinstance(cfg.model, (dict, DictConfig))" in texts["src/train.py"]


_MAIN = SOUND_FILES["src/main.py"]
_PATH = 'root / "config" / "runs" / f"{cfg.run}.yaml"'


@pytest.mark.parametrize(
    ("wrong", "mended"),
    [
        ('root / "config" / "run" / f"{cfg.run}.yaml"', _PATH),
        (
            'root / "conf/experiments" / f"{cfg.run}.yaml"',
            'root / "config/runs" / f"{cfg.run}.yaml"',
        ),
        ('root / "config" / f"{cfg.run}.yaml"', 'root / "config/runs" / f"{cfg.run}.yaml"'),
        ('root / "config" / "runs" / "all" / f"{cfg.run}.yaml"', _PATH),
        ('f"{root}/conf/runs/{cfg.run}.yaml"', 'f"{root}/config/runs/{cfg.run}.yaml"'),
        ('"conf/runs/%s.yaml" % cfg.run', '"config/runs/%s.yaml" % cfg.run'),
        (
            '"conf/runs/{run}.yaml".format(run=cfg.run)',
            '"config/runs/{run}.yaml".format(run=cfg.run)',
        ),
        ('"conf/runs/" + cfg.run + ".yaml"', '"config/runs/" + cfg.run + ".yaml"'),
        ('f"{cfg.run}.yaml"', 'f"config/runs/{cfg.run}.yaml"'),
        ('f"config/runs/{cfg.run}.yml"', 'f"config/runs/{cfg.run}.yaml"'),
        (
            'Path(__file__).parent / "config" / "runs" / f"{cfg.run}.yaml"',
            'Path(__file__).parent.parent / "config" / "runs" / f"{cfg.run}.yaml"',
        ),
        (
            'Path(__file__).resolve().parents[2].joinpath("config", "runs", f"{cfg.run}.yaml")',
            'Path(__file__).resolve().parents[1].joinpath("config", "runs", f"{cfg.run}.yaml")',
        ),
    ],
)
def test_a_run_file_is_looked_for_where_it_lies_with_the_fewest_edits(wrong, mended):
    plan = planned(with_one_run({"src/train.py": _TRAIN.replace(_PATH, wrong)}))
    assert _ready(plan)["src/train.py"] == _TRAIN.replace(_PATH, mended)


def test_the_folder_of_a_key_is_a_question_since_it_is_a_value():
    train = _TRAIN.replace('"config" / "runs" /', "cfg.run_folder /")
    config = _CONFIG.replace(
        "mode: full\n", "mode: full\nrun_folder: config/run  # of all runs\n", 1
    )
    plan = planned(with_one_run({"src/train.py": train, "config/config.yaml": config}))
    assert len(plan.questions) == 1
    assert "run_folder: config/runs  # of all runs\n" in _ready(plan)["config/config.yaml"]


@pytest.mark.parametrize(
    ("wrong", "mended"),
    [
        (
            'config_path="config", config_name="config"',
            'config_path="../config", config_name="config"',
        ),
        (
            'config_path="../conf", config_name="base"',
            'config_path="../config", config_name="config"',
        ),
        ('config_name="config"', 'config_name="config", config_path="../config"'),
    ],
)
def test_hydra_is_told_where_the_configuration_is(wrong, mended):
    right = 'config_path="../config", config_name="config"'
    train = _TRAIN.replace(right, wrong)
    assert train != _TRAIN
    texts = _ready(planned(with_one_run({"src/train.py": train})))
    assert texts["src/train.py"] == _TRAIN.replace(right, mended)


def test_the_place_of_the_configuration_is_mended_where_a_constant_says_it():
    train = _TRAIN.replace('config_path="../config"', "config_path=PLACE").replace(
        "\n\ndef evaluate", '\n\nPLACE = "../configs"\n\n\ndef evaluate', 1
    )
    texts = _ready(planned(with_one_run({"src/train.py": train})))
    assert texts["src/train.py"] == train.replace('"../configs"', '"../config"')


@pytest.mark.parametrize(
    ("write", "forced"),
    [
        ('cfg["limits"]["steps"] = 2', 'OmegaConf.update(cfg, "limits.steps", 2, force_add=True)'),
        ("cfg.limits.steps = 2", 'OmegaConf.update(cfg, "limits.steps", 2, force_add=True)'),
        ('setattr(cfg.limits, "steps", 2)', None),
        ("cfg.limits.steps, cfg.mode = 2, cfg.mode", None),
        ('cfg.limits.pop("batches")', None),
        ('del cfg["limits"]["batches"]', None),
    ],
)
def test_a_write_of_any_form_is_let_through_before_the_first_one(write, forced):
    config = f"{_CONFIG}\nlimits: {{batches: null}}\n"
    main = changed(
        "src/main.py",
        (
            "    root =",
            f"    if cfg.mode == 'full':\n        {write}\n    else:\n        {write}\n    root =",
        ),
    )
    plan = planned(with_one_run({"config/config.yaml": config, **main}))
    text = _ready(plan)["src/main.py"]
    assert text.count("OmegaConf.set_struct(cfg, False)\n    if cfg.mode == 'full':") == 1
    ways = [each.proposal.edits for each in plan.repairs[0].others]
    assert any(forced in edit.text for edits in ways for edit in edits) if forced else not ways


@pytest.mark.parametrize(
    "merge",
    [
        "cfg.merge_with({chosen})",
        "cfg = OmegaConf.unsafe_merge(cfg, {chosen})",
        "cfg.update({chosen})",
    ],
)
def test_a_merge_of_any_form_is_let_through(merge):
    chosen = 'OmegaConf.load(root / "config" / "runs" / f"{cfg.run}.yaml")'
    train = _TRAIN.replace(_MERGE, f"    {merge.replace('{chosen}', chosen)}\n")
    texts = _ready(planned(with_one_run({"src/train.py": train})))
    before = f"    {merge.replace('{chosen}', chosen)}\n"
    assert f"    OmegaConf.set_struct(cfg, False)\n{before}" in texts["src/train.py"]


@pytest.mark.parametrize(
    "word",
    [
        'f"run={cfg.run}"',
        'f"run={cfg.run.method}"',
        "f\"run={cfg['run']}\"",
        '"run=" + str(cfg.run)',
        'f"run={cfg.run_id}"',
    ],
)
def test_the_word_for_the_process_has_the_name_of_the_run(word):
    files = _in_group(_UNLOADED, word)
    lines = _ready(planned(with_one_run(files, _IN_FOLDER)))["src/main.py"].splitlines()
    told = next(line for line in lines if "run=" in line)
    assert "run_id" in told
    assert "method" not in told


@pytest.mark.parametrize(
    "head",
    [
        "# @package run\n",
        "#@package run\n",
        "# A run.\n\n# @package run\n",
        "a: 1\n# @package _global_\n",
    ],
)
def test_another_package_becomes_the_global_one_rather_than_that_struct_mode_is_off(head):
    files = _in_group(_UNLOADED, 'f"run={cfg.run_id}"')
    files["src/main.py"] = files["src/main.py"].replace(
        "    root =", "    cfg.model.width = 2\n    root ="
    )
    plan = planned(with_one_run(files, {path: head + text for path, text in _IN_FOLDER.items()}))
    text = _ready(plan)[f"config/run/{_RUN}.yaml"]
    assert text.startswith("# @package _global_\n")
    assert text.count("@package") == 1
    assert not any("truct mode" in each for each in _intents(plan))


def test_an_assignment_of_the_whole_gets_the_group_rather_than_each_read():
    train = _UNLOADED.replace("    if cfg.mode ==", "    job = cfg\n    if cfg.mode ==")
    for key in ("optuna", "training", "run_id"):
        train = train.replace(f"cfg.{key}", f"job.{key}")
    train = train.replace("fit(cfg", "fit(job").replace("search(cfg)", "search(job)")
    train = train.replace("build_loaders(cfg)", "build_loaders(job)").replace(
        "build_model(cfg)", "build_model(job)"
    )
    config = {_RUN_PATH: _RUN_TEXT.replace("  epochs: 5\n", "  epochs: 5\n  limit_batches: null\n")}
    plan = planned(with_one_run(_in_group(train), config))
    mended = next(each for each in plan.repairs if each.finding.rule == "HY04")
    ways = [each.proposal for each in (mended.proof, *mended.others)]
    assert any([edit.text for edit in way.edits] == [".run"] for way in ways)


@pytest.mark.parametrize("rule", ["HY17", "RC07", "HY04", "HY06", "HY10", "HY13"])
def test_each_rules_own_bad_example(rule):
    submission, _ = submission_from_example(registered()[rule].bad)
    plan = planned(submission, only_rule=rule)
    assert plan.repairs
    assert rule not in {each.rule for each in plan.last.report.findings}


def test_a_repaired_version_needs_no_repair():
    config = _CONFIG.replace("  - _self_\n", "  - _self_\n  - runs: ${run}\n")
    plan = planned(with_one_run({"config/config.yaml": config, "src/train.py": _UNLOADED}))
    assert planned(plan.last.submission).repairs == ()
