"""Guards which commands are started with which words, and what is looked at behind a start that
fails.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest
from omegaconf import DictConfig

from reviewers.facts import Facts, HydraConfig, yaml_config
from reviewers.facts.composition import CompositionProblem
from reviewers.facts.config_flow import ProblemKind
from reviewers.facts.intended import readable_part
from tests.builders import contract, with_one_run

MAIN = """
import subprocess
import sys
from pathlib import Path
import hydra

@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    {body}
"""
TRAIN = """
import hydra
import optuna
from omegaconf import OmegaConf

@hydra.main({decorator})
def main(cfg):
    {body}
"""
SOUND_DECORATOR = 'version_base="1.3", config_path="../config", config_name="config"'
GROUPED = "defaults:\n  - _self_\n  - run: a\nresults_dir: ???\nmode: full\n"
ONE_RUN = {"proposed": "run_id: proposed\ntraining: {epochs: 3}\n"}
RUNS = {
    "config/run/a.yaml": "run_id: a\ntraining: {epochs: 3}\n",
    "config/run/b.yaml": "run_id: b\ntraining: {epochs: 5}\n",
}


def hydra_of(
    train: str = "pass", *, main: str | None = None, config: str | None = None, **fields: object
) -> HydraConfig:
    """The configurations of a submission whose entry functions have these bodies."""
    decorator = fields.pop("decorator", SOUND_DECORATOR)
    files = {
        "src/train.py": TRAIN.format(body=train, decorator=decorator),
        "src/main.py": main and MAIN.format(body=main),
    }
    if config is not None:
        files["config/config.yaml"] = config
    return Facts(with_one_run(files, **fields)).hydra  # type: ignore[arg-type]


def test_every_run_starts_in_both_modes_with_the_documented_words() -> None:
    starts = hydra_of(
        main=(
            "subprocess.run([sys.executable, '-m', 'src.train', f'run={cfg.run}',"
            " f'mode={cfg.mode}'])"
        ),
        runs=ONE_RUN,
    ).starts
    commands = {start.command for start in starts}
    assert "python -m src.main run=proposed results_dir=/results mode=trial" in commands
    assert "python -m src.train run=proposed mode=full" in commands


def test_a_command_without_modes_is_followed_in_none() -> None:
    assert {start.mode for start in hydra_of(contract=contract("ten")).starts} == {""}


@pytest.mark.parametrize(
    ("main", "words"),
    [
        (
            (
                "words = [f'run={cfg.run}', 'x=1']\n    subprocess.run(['python', '-m',"
                " 'src.train', *words])"
            ),
            ("run=proposed", "x=1"),
        ),
        ("subprocess.run(['python', '-m', 'src.train'] + [f'run={cfg.run}'])", ("run=proposed",)),
        ("subprocess.run(f'python -m src.train run={cfg.run}', shell=True)", ("run=proposed",)),
        (
            (
                "here = Path(__file__).parent\n    subprocess.run(f'{sys.executable} "
                '{here / "train.py"} run={cfg.run}\'.split())'
            ),
            ("run=proposed",),
        ),
        (
            "subprocess.run(['python', '-m', 'src.train', unknown()])",
            ("run=proposed", "results_dir=/results", "mode=full"),
        ),
    ],
    ids=[
        "a list taken apart",
        "lists joined",
        "one text",
        "one text taken apart, the script by its path",
        "unknown words: the documented ones",
    ],
)
def test_the_training_process_gets_the_words_that_main_passes_on(
    main: str, words: tuple[str, ...]
) -> None:
    starts = [
        start
        for start in hydra_of(main=main, runs=ONE_RUN).starts
        if start.entry.path == "src/train.py"
    ]
    assert starts[0].words == words


SORTING = """
import subprocess
import sys

RUNS = {{name.strip() for name in ("proposed ", "comparative")}}

def main():
    words = []
    for word in sys.argv[1:]:
        key, _, value = word.partition("=")
        if key == "run":
            if value not in RUNS:
                return 2
            {rename}
        words.append(word)
    return subprocess.call([sys.executable, "-m", "src.train", *words])

if __name__ == "__main__":
    sys.exit(main())
"""


@pytest.mark.parametrize(
    ("rename", "is_composed"), [('word = f"+runs={value}"', True), ("pass", False)]
)
def test_a_script_that_reads_its_own_words_passes_on_what_it_makes_of_them(
    rename: str, is_composed: bool
) -> None:
    files = {
        "src/main.py": SORTING.format(rename=rename),
        "src/train.py": TRAIN.format(body="pass", decorator=SOUND_DECORATOR),
        "config/config.yaml": "results_dir: ???\nmode: full\n",
    }
    starts = Facts(with_one_run(files, runs=ONE_RUN)).hydra.starts
    assert starts
    assert {isinstance(start.composed, DictConfig) for start in starts} == {is_composed}


def test_a_refused_word_is_shown_without_a_value_that_nothing_gives() -> None:
    main = "subprocess.run([sys.executable, '-m', 'src.train', f'odd={input()}'])"
    (start, *_) = (
        one for one in hydra_of(main=main, runs=ONE_RUN).starts if one.entry.path == "src/train.py"
    )
    (problem, *_) = start.refused
    assert problem.message.startswith("Could not override 'odd'")
    assert "odd=…" in problem.message
    assert "odd=…" in start.command
    assert "odd=0" not in problem.message + start.command


@pytest.mark.parametrize(
    ("given", "errors"),
    [("{'STEPS': '0'}", ["ZeroDivisionError"]), ("{'STEPS': '2'}", []), ("None", [])],
    ids=["nought", "two", "its parent's"],
)
def test_the_training_process_has_the_variables_that_main_gives_it(
    given: str, errors: list[str]
) -> None:
    command = "[sys.executable, '-m', 'src.train', f'run={cfg.run}', 'mode=full']"
    hydra = hydra_of(
        "import os\n    print(1 / int(os.environ['STEPS']))",
        main=f"subprocess.run({command}, env={given})",
        runs=ONE_RUN,
    )
    assert [problem.error for _, problem in hydra.value_problems if problem.certain] == errors


@pytest.mark.parametrize(
    ("words", "given", "is_once"),
    [
        ("'mode=full'", "None", True),
        ("f'mode={cfg.mode}'", "None", False),
        ("'mode=full'", "{'MODE': cfg.mode}", False),
    ],
    ids=["the same", "other words", "other variables"],
)
def test_starts_of_the_same_words_and_variables_are_followed_once(
    words: str, given: str, is_once: bool
) -> None:
    command = f"[sys.executable, '-m', 'src.train', f'run={{cfg.run}}', {words}]"
    hydra = hydra_of(main=f"subprocess.run({command}, env={given})", runs=ONE_RUN)
    full, trial = (one.trace for one in hydra.starts if one.entry.path == "src/train.py")
    assert full is not None
    assert (full is trial) is is_once


@pytest.mark.parametrize(
    ("config", "decorator"),
    [
        ("defaults:\n  - _self_\nresults_dir: ???\nmode: full\n", SOUND_DECORATOR),
        (
            "defaults:\n  - _self_\n  - runs: ${run}\nrun: ???\nresults_dir: ???\nmode: full\n",
            SOUND_DECORATOR,
        ),
        ("run: ???\nresults_dir: ???\nmode: full\n", 'version_base="1.3", config_path="../config"'),
        (
            "run: ???\nresults_dir: ???\nmode: full\n",
            'version_base="1.3", config_path="../../config", config_name="config"',
        ),
    ],
    ids=["run is no key", "an interpolated group", "no config_name", "a wrong folder"],
)
def test_what_waits_behind_a_failing_start_is_found_too(config: str, decorator: str) -> None:
    hydra = hydra_of("print(cfg.absent_everywhere)", config=config, decorator=decorator)
    assert all(
        isinstance(start.composed, CompositionProblem) and start.repaired for start in hydra.starts
    )
    assert {problem.key for _, problem in hydra.problems} == {"absent_everywhere"}


def test_a_defaults_entry_that_leads_nowhere_does_not_hide_what_comes_behind_it() -> None:
    hydra = hydra_of(
        "print(cfg.absent)",
        config="defaults: [_self_, absent_file]\nrun: ???\nresults_dir: ???\nmode: full\n",
    )
    assert {start.refused[0].error for start in hydra.starts} == {"MissingConfigException"}
    assert {problem.key for _, problem in hydra.problems} == {"absent"}


def test_without_a_configuration_nothing_is_followed() -> None:
    hydra = Facts(with_one_run({"config/config.yaml": None})).hydra
    assert all(start.config is None and start.trace is None for start in hydra.starts)


def test_keys_under_their_group_are_found_and_so_is_what_is_absent_even_at_the_top() -> None:
    hydra = hydra_of("print(cfg.training.epochs, cfg.training.warmup)", config=GROUPED, runs=RUNS)
    found = {(problem.key, problem.behind) for _, problem in hydra.problems}
    assert found == {("training", False), ("training.warmup", True)}


def test_behind_a_text_where_a_section_is_meant_the_child_gets_its_words() -> None:
    hydra = hydra_of(
        "print(cfg.run)",
        main=(
            "subprocess.run([sys.executable, '-m', 'src.train', f'run={cfg.run.run_id}',"
            " 'results_dir=out', 'training.epochs=1'])"
        ),
        runs=ONE_RUN,
    )
    main, train = hydra.starts[:2]
    assert main.trace is not None
    assert [problem.kind for problem in main.trace.problems] == [ProblemKind.NOT_A_MAPPING]
    assert train.words == ("run=proposed", "results_dir=out", "training.epochs=1")
    assert train.by == "src/main.py"


def test_every_word_that_hydra_refuses_is_told_and_its_value_taken_all_the_same() -> None:
    words = "f'run={cfg.run}', 'results_dir=out', 'optuna.n_trials=0', 'training.epochs=1'"
    hydra = hydra_of(
        "print(cfg.training.epochs, cfg.nowhere)",
        main=f"subprocess.run([sys.executable, '-m', 'src.train', {words}])",
        config="run: ???\nresults_dir: ???\nmode: full\n",
        runs=ONE_RUN,
    )
    start = next(start for start in hydra.starts if start.by)
    assert [problem.word for problem in start.refused] == ["optuna.n_trials=0", "training.epochs=1"]
    assert all("Could not override" in problem.message for problem in start.refused)
    assert [problem.key for _, problem in hydra.problems] == ["nowhere"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a: 1\nb: [\nc: 2\n", {"a": 1}),
        ("a: 1\nb:\n  c: 2\na:\n  d: 3\ne: 4\n", {"a": 1, "b": {"c": 2}, "e": 4}),
        ("a: 1\n", {"a": 1}),
        ("[", None),
    ],
    ids=["an open bracket", "a key twice", "a sound text", "nothing can be read"],
)
def test_a_text_that_does_not_parse_gives_the_part_of_it_that_does(text: str, left: object) -> None:
    assert yaml_config.values(readable_part(text)) == left


def test_behind_a_decided_raise_the_way_goes_on() -> None:
    refusal = "if cfg.mode == 'full':\n        raise ValueError(f'not {cfg.mode}')\n"
    body = f"{refusal}    print(cfg.nowhere)"
    kinds = [problem.kind for _, problem in hydra_of(body).problems]
    assert kinds == [ProblemKind.RAISED, ProblemKind.MISSING_KEY]


def test_a_repair_never_hides_that_the_start_fails() -> None:
    start = hydra_of(config="results_dir: ???\nmode: full\n").starts[0]
    assert isinstance(start.composed, CompositionProblem)
    assert start.repaired is not None
    assert isinstance(start.config, DictConfig)
    assert start.config.run == start.run_id


def test_evaluate_is_followed_as_a_script_with_the_yaml_it_loads() -> None:
    text = (
        "from pathlib import Path\nfrom omegaconf import OmegaConf\n\ndef main():\n    args = {}\n "
        "   for word in words():\n        args[word] = 1\n    if 'run_ids' not in args:\n       "
        " raise SystemExit\n    cfg = OmegaConf.load(Path(__file__).resolve().parents[1] / 'config'"
        " / 'config.yaml')\n    print(cfg.wandb.entity, cfg.absent.key)\n\nif __name__ =="
        " '__main__':\n    main()\n"
    )
    problems = Facts(with_one_run({"src/evaluate.py": text})).hydra.evaluation_problems
    assert [(problem.kind, problem.key, problem.certain) for problem in problems] == [
        (ProblemKind.MISSING_KEY, "absent", True)
    ]


def test_an_interpolation_that_leads_nowhere_is_found_where_it_is_resolved() -> None:
    config = (
        "run: ???\nresults_dir: ???\nmode: full\na: {b: '${nowhere.at.all}'}\nc: ${results_dir}\n"
    )
    assert hydra_of("print(cfg.c, OmegaConf.to_container(cfg))", config=config).problems == ()
    for body in ("print(cfg.a.b)", "OmegaConf.to_container(cfg, resolve=True)"):
        ((_, problem),) = hydra_of(body, config=config).problems
        assert (problem.kind, problem.error) == (ProblemKind.INTERPOLATION, "InterpolationKeyError")


@pytest.mark.parametrize(
    ("call", "certain"),
    [("f(cfg)", True), ("f(cfg, **rest())", False), ("f(*rest())", False)],
    ids=["the default holds", "any keyword may be passed", "any argument may be passed"],
)
def test_a_default_is_only_certain_where_nothing_else_can_be_passed(
    call: str, certain: bool
) -> None:
    body = f"def f(c=cfg, flag=True):\n        if flag:\n            print(cfg.absent)\n    {call}"
    assert [problem.certain for _, problem in hydra_of(body).problems] == [certain]


def test_search_spaces_that_create_keys_are_kept_with_their_place() -> None:
    body = (
        "OmegaConf.set_struct(cfg, False)\n    cfg.optuna = {'search_space': {'rate': {},"
        " 'training.epochs': {}}}\n    def objective(trial):\n        for name in"
        " cfg.optuna.search_space:\n            OmegaConf.update(cfg, name,"
        " trial.suggest_float(name, 0, 1))\n    optuna.create_study().optimize(objective,"
        " n_trials=3)"
    )
    trace = hydra_of(body).starts[-1].trace
    assert trace is not None
    assert [(each.key, each.is_refused) for each in trace.created] == [("rate", False)]


@pytest.mark.parametrize(
    "body",
    [
        "cfg.g = {'a': 1}\n    " + "cfg.g = {'a': cfg.g, 'b': cfg.g}\n    " * 60,
        "s = 'a'\n    " + "s = s.replace('a', 'aaaaaaaaaaaaaaaa')\n    " * 40,
        "a = []\n    a.append(a)\n    cfg.a = a",
        "d = {}\n    d['d'] = d\n    OmegaConf.create(d)",
        (
            "OmegaConf.set_struct(cfg, False)\n    for a in cfg.keys():\n        for b in"
            " cfg.keys():\n            cfg[a] = cfg"
        ),
    ],
    ids=[
        "doubling",
        "a growing text",
        "a list in itself",
        "a dictionary in itself",
        "a configuration in itself",
    ],
)
def test_a_configuration_that_would_outgrow_memory_is_left_alone(body: str) -> None:
    assert hydra_of("OmegaConf.set_struct(cfg, False)\n    " + body, runs=ONE_RUN).starts


def test_yaml_larger_than_any_real_one_is_not_composed() -> None:
    assert (
        hydra_of(config="run: ???\n" + "".join(f"k{n}: {n}\n" for n in range(5_000))).starts == ()
    )


def test_many_threads_get_the_same_answer_as_one() -> None:
    def keys(_: int) -> list[str]:
        hydra = hydra_of(
            "print(cfg.training.epochs, cfg.training.warmup)", config=GROUPED, runs=RUNS
        )
        return [problem.key for _, problem in hydra.problems]

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(keys, range(12)))
    assert answers == [keys(0)] * 12


@pytest.mark.parametrize(
    ("folder", "missing"),
    [("Path(__file__).parents[1]", False), ("Path(__file__).parents[0]", True)],
    ids=["the root of the submission", "one folder too deep"],
)
def test_a_path_from_the_script_leads_where_its_parents_say(folder: str, missing: bool) -> None:
    body = (
        f"from pathlib import Path\n    path = {folder} / 'config' / 'runs' / f'{{cfg.run}}.yaml'\n"
        "    OmegaConf.load(path)"
    )
    kinds = {problem.kind for _, problem in hydra_of(body).problems}
    assert kinds == ({ProblemKind.MISSING_FILE} if missing else set())


def test_a_script_started_in_hydras_folder_finds_no_file_by_a_relative_path() -> None:
    train = (
        "import os\nfrom pathlib import Path\n\nif __name__ == '__main__':\n    run ="
        " os.environ['RUN']\n    path = Path('config') / 'runs' / f'{run}.yaml'\n    if not"
        " path.exists():\n        raise FileNotFoundError(path)\n"
    )
    main = MAIN.format(
        body="subprocess.run([sys.executable, '-m', 'src.train', f'run={cfg.run}'])"
    ).replace('version_base="1.3", ', "")
    hydra = Facts(with_one_run({"src/train.py": train, "src/main.py": main})).hydra
    found = [
        (problem.error, problem.certain)
        for start in hydra.scripts
        if start.trace is not None
        for problem in start.trace.problems
    ]
    assert set(found) == {("FileNotFoundError", True)}


def test_a_path_among_the_keys_of_the_configuration_is_told_with_its_line() -> None:
    body = (
        "OmegaConf.set_struct(cfg, False)\n"
        "    cfg = OmegaConf.merge(cfg, OmegaConf.load(f'config/runs/{cfg.run}.yaml'))\n"
        "    for path in cfg.optuna.search_space:\n        node = cfg\n"
        "        for part in path.split('.')[:-1]:\n            node = node[part]"
    )
    run = "run_id: proposed\noptuna:\n  search_space:\n    lora.rank: {}\n"
    hydra = hydra_of(body, runs={"proposed": run})
    ((start, problem),) = hydra.problems
    assert problem.key == "lora"
    assert str(hydra.cause(start, problem)) == "config/runs/proposed.yaml:4"


def test_behind_a_failure_a_default_gives_way_to_the_value_that_is_meant() -> None:
    body = (
        "name = cfg.dataset.name\n    subset = cfg.dataset.get('subset', None)\n"
        "    if subset is None:\n        raise ValueError(f'{name} has several')"
    )
    config = "run: ???\nresults_dir: ???\nmode: full\ndataset: {}\n"
    run = "run_id: proposed\ndataset: {name: glue, subset: mnli}\n"
    hydra = hydra_of(body, config=config, runs={"proposed": run})
    assert [problem.key for _, problem in hydra.problems] == ["dataset.name"]


COMPOSING = """
import sys
from pathlib import Path
from hydra import compose, {name}

def main():
    with {name}({where}, version_base=None):
        cfg = compose(config_name="config", overrides={words})
    cfg.training.epochs = 1

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("initialize", "config_path='../config'"),
        ("initialize_config_dir", "config_dir=str(Path(__file__).parent.parent / 'config')"),
    ],
)
@pytest.mark.parametrize(
    ("words", "errors"),
    [
        ("sys.argv[1:]", ["ConfigAttributeError"]),
        ("['+training.epochs=2']", []),
        ("['training.epochs=2']", ["ConfigCompositionException"]),
        ("unknown()", []),
    ],
)
def test_what_a_script_composes_by_itself_is_followed(
    name: str, where: str, words: str, errors: list[str]
) -> None:
    files = {
        "src/main.py": COMPOSING.format(name=name, where=where, words=words),
        "config/config.yaml": "run: ???\nresults_dir: ???\nmode: full\n",
    }
    hydra = Facts(with_one_run(files, runs=ONE_RUN)).hydra
    assert [one.error for _, one in hydra.problems if one.certain] == errors
