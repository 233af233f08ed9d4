"""Guards composition from memory: it gives what Hydra itself gives from the same files on disk, and
touches nothing else.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml
from hydra import compose as hydra_compose
from hydra import initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from hypothesis import given, settings
from hypothesis import strategies as st
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from reviewers.facts.composition import CompositionProblem, compose

CASES = {
    "values on the command line": (
        {"config.yaml": "run: ???\nmode: full\n"},
        ["run=a", "mode=trial"],
    ),
    "a group under its own name": (
        {"config.yaml": "defaults: [_self_, {run: a}]\n", "run/a.yaml": "x: 1\n"},
        [],
    ),
    "a group chosen by a word": (
        {
            "config.yaml": "defaults: [{run: a}, _self_]\nk: 1\n",
            "run/a.yaml": "x: 1\n",
            "run/b.yaml": "x: 2\n",
        },
        ["run=b"],
    ),
    "a group at the top": (
        {"config.yaml": "defaults: [{run: a}]\n", "run/a.yaml": "# @package _global_\nx: 1\n"},
        [],
    ),
    "a package in the defaults": (
        {"config.yaml": "defaults: [{run@_global_: a}]\nx: 3\n", "run/a.yaml": "x: 1\ny: 2\n"},
        [],
    ),
    "an optional file that is absent": (
        {"config.yaml": "defaults: [_self_, {optional run: zz}]\nx: 1\n", "run/a.yaml": "y: 1\n"},
        [],
    ),
    "Hydra's own settings aside": ({"config.yaml": "hydra: {run: {dir: .}}\nx: 1\n"}, []),
    "added and removed keys": ({"config.yaml": "x: 1\ny: {z: 2}\n"}, ["+k=3", "~y.z"]),
    "a list of texts": ({"config.yaml": "run_ids: ???\n"}, ['run_ids=["a-1", "b-2"]']),
    "interpolations": ({"config.yaml": "a: 1\nb: ${a}\n"}, ["a=2"]),
}
ACCEPTED_OF_HYDRA = {
    "an interpolation of Hydra's own resolver": ("hydra: {run: {dir: 'x/${now:%H}'}}", []),
    "a switch as a text": ("hydra: {job: {chdir: 'true'}}", []),
    "a callback": ("hydra: {callbacks: {a: {_target_: x.Y}}}", []),
    "parameters of the basic sweeper": ("hydra: {sweeper: {params: {a: 1}}}", []),
    "loggers": ("hydra: {job_logging: {root: {level: INFO}}}", []),
    "a word that Hydra knows": ("a: 1", ["hydra.run.dir=.", "hydra.verbose=true"]),
    "a word that is added to the environment": ("a: 1", ["+hydra.job.env_set.A=1"]),
    "another logging": ("a: 1", ["hydra/job_logging=none"]),
}
REFUSED_OF_HYDRA = {
    "an unknown key": ("hydra: {job: {raise_on_error: true}}", []),
    "a section that Hydra does not have": ("hydra: {jobs: {chdir: true}}", []),
    "a key of a sweeper that is not chosen": ("hydra: {sweeper: {n_trials: 3}}", []),
    "a key of a launcher that is not chosen": ("hydra: {launcher: {n_jobs: 3}}", []),
    "a text where a section belongs": ("hydra: {run: outputs}", []),
    "a text where a switch belongs": ("hydra: {job: {chdir: maybe}}", []),
    "a mode that Hydra does not have": ("hydra: {mode: trial}", []),
    "a section that is null": ("hydra: {job: null}", []),
    "a word for an unknown key": ("a: 1", ["hydra.job.foo=1"]),
    "a word of another type": ("hydra: {run: {dir: .}}", ["hydra.job.chdir=maybe"]),
}
REFUSED = {
    "a word for a key that is not there": ({"config.yaml": "x: 1\n"}, ["run=a"]),
    "a group that is not in the defaults": (
        {"config.yaml": "x: 1\n", "run/a.yaml": "y: 1\n"},
        ["run=a"],
    ),
    "a plain key as a choice": (
        {"config.yaml": "defaults: [_self_, {runs: '${run}'}]\nrun: a\n", "runs/a.yaml": "y: 1\n"},
        [],
    ),
    "a choice that is not there": (
        {"config.yaml": "defaults: [{run: zz}]\n", "run/a.yaml": "y: 1\n"},
        [],
    ),
    "no primary file": ({"other.yaml": "x: 1\n"}, []),
    "a key that stands twice": ({"config.yaml": "x: 1\nx: 2\n"}, []),
    "a word that is no override": ({"config.yaml": "x: 1\n"}, ["x=[1,"]),
    "a word that is no override, and a choice that waits for it": (
        {"config.yaml": "defaults: [{run: ???}]\n", "run/a (b)-c.yaml": "y: 1\n"},
        ["run=a (b)-c"],
    ),
    "defaults that are no list": ({"config.yaml": "defaults: {a: 1}\n"}, []),
}


def by_hydra(folder: Path, files: dict[str, str], words: list[str]) -> DictConfig:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    with initialize_config_dir(str(folder), version_base="1.3"):
        return hydra_compose("config", words)


@pytest.mark.filterwarnings("ignore:.*_self_:UserWarning")
@pytest.mark.parametrize(("files", "words"), CASES.values(), ids=CASES)
def test_composition_is_hydras_own(files: dict[str, str], words: list[str], tmp_path: Path) -> None:
    made = compose(files, "config", words)
    assert isinstance(made, DictConfig), made
    assert OmegaConf.to_container(made) == OmegaConf.to_container(by_hydra(tmp_path, files, words))
    assert OmegaConf.is_struct(made)


SECTIONS = st.dictionaries(
    st.sampled_from(["x", "y", "z"]),
    st.recursive(
        st.sampled_from([1, 0.5, True, None, "adam", "???", "${x}", "${y.z}"]),
        lambda inside: (
            st.lists(inside, max_size=2) | st.dictionaries(st.sampled_from("xyz"), inside)
        ),
        max_leaves=5,
    ),
)


@settings(max_examples=15, deadline=None)
@given(above=SECTIONS, below=SECTIONS, package=st.sampled_from(["_global_", "x", "x.y", "_group_"]))
def test_files_are_merged_as_hydra_merges_them(above, below, package, tmp_path_factory):
    files = {
        "config.yaml": yaml.safe_dump({"defaults": [{"run": "a"}, "_self_"], **above}),
        "run/a.yaml": f"# @package {package}\n{yaml.safe_dump(below)}",
    }
    try:
        expected = str(by_hydra(tmp_path_factory.mktemp("hydra"), files, []))
    except (HydraException, OmegaConfBaseException, TypeError, ValueError) as error:
        expected = type(error).__name__
    made = compose(files, "config", [])
    assert (made.error if isinstance(made, CompositionProblem) else str(made)) == expected


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("files", "words"), REFUSED.values(), ids=REFUSED)
def test_what_hydra_refuses_is_refused_with_a_reason(
    files: dict[str, str], words: list[str], tmp_path: Path
) -> None:
    made = compose(files, "config", words)
    assert isinstance(made, CompositionProblem)
    assert made.message.isprintable()
    with pytest.raises((HydraException, ValueError, OSError, YAMLError)) as refusal:
        by_hydra(tmp_path, files, words)
    assert made.error == type(refusal.value).__name__


def test_hydras_own_flags_are_no_words_and_other_flags_end_the_command() -> None:
    files = {"config.yaml": "x: 1\n", "other.yaml": "x: 2\n"}
    for words, x in ((["--run", "x=3"], 3), (["-m", "x=3"], 3), (["--config-name", "other"], 2)):
        made = compose(files, "config", words)
        assert isinstance(made, DictConfig)
        assert made.x == x
    for words, error, said in (
        (["--run", "a", "x=3"], "OverrideParseException", "'a'"),
        (["--mode", "trial", "x=3"], "SystemExit", "unrecognized arguments: --mode"),
        (["--cfg", "none"], "SystemExit", "invalid choice: 'none'"),
    ):
        refused = compose(files, "config", words)
        assert isinstance(refused, CompositionProblem)
        assert refused.error == error
        assert said in refused.message


def test_nothing_outside_the_submission_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key.yaml").write_text("token: abc\n")
    search = f"hydra: {{searchpath: ['file://{tmp_path}']}}\ndefaults: [_self_, {{secret: key}}]\n"
    made = compose({"config.yaml": search}, "config", [])
    assert isinstance(made, CompositionProblem)


def test_the_process_keeps_its_own_hydra_and_threads_agree() -> None:
    files = {
        "config.yaml": "defaults: [{run: a}]\nmode: full\n",
        "run/a.yaml": "x: 1\n",
        "run/b.yaml": "x: 2\n",
    }

    def one(number: int) -> object:
        made = compose(files, "config", [f"run={'ab'[number % 2]}"])
        return made.run.x if isinstance(made, DictConfig) else made

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, range(64))) == [1, 2] * 32
    assert not GlobalHydra.instance().is_initialized()


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * 2000,
        "&a [*a]",
        "a: !!python/object/apply:os.system [ls]",
        "- 1\n- 2",
        "just words",
        "\x00",
        "a: ${a}",
        "? {}",
    ],
    ids=["deep", "recursive", "tag", "list", "plain", "NUL", "self reference", "mapping as key"],
)
def test_hostile_yaml_is_refused_or_harmless(text: str) -> None:
    made = compose({"config.yaml": text}, "config", ["run=a"])
    assert isinstance(made, CompositionProblem | DictConfig)


@pytest.mark.parametrize("case", ACCEPTED_OF_HYDRA | REFUSED_OF_HYDRA, ids=str)
def test_hydras_own_node_is_judged_as_hydra_judges_it(tmp_path, case):
    text, words = (ACCEPTED_OF_HYDRA | REFUSED_OF_HYDRA)[case]
    (tmp_path / "config.yaml").write_text(text + "\n")
    ours = compose({"config.yaml": text}, "config", words)
    try:
        with initialize_config_dir(str(tmp_path), version_base=None):
            hydra_compose("config", words, return_hydra_config=True)
        theirs = None
    except HydraException as error:
        theirs = type(error).__name__, str(error).splitlines()[0]
    assert (theirs is not None) == (case in REFUSED_OF_HYDRA)
    if theirs is None:
        assert isinstance(ours, DictConfig)
        assert "hydra" not in ours
    else:
        assert isinstance(ours, CompositionProblem)
        assert ours.error == theirs[0]
        assert ours.message.startswith(theirs[1].removesuffix(":"))


def test_a_key_of_a_chosen_sweeper_is_not_judged():
    text = "defaults: [_self_, {override hydra/sweeper: optuna}]\nhydra: {sweeper: {n_trials: 3}}\n"
    assert isinstance(compose({"config.yaml": text}, "config", []), DictConfig)


def test_the_key_that_hydra_refuses_is_named():
    problem = compose({"config.yaml": "hydra: {job: {raise_on_error: true}}\n"}, "config", [])
    assert isinstance(problem, CompositionProblem)
    assert (problem.key, problem.file) == ("hydra.job.raise_on_error", "config.yaml")
