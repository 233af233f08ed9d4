"""Guards that configured values are followed to the code that refuses them, whatever loads them."""

from dataclasses import replace

import pytest

from reviewers.facts import Facts
from reviewers.records import ResearchContext, Submission
from reviewers.rules.base import find_rule
from tests.builders import SOUND_FILES, contract, with_one_run

RUNS = """
runs:
  - run_id: first
    model: {name: linear}
  - run_id: second
    model:
      name: transformer
"""
SECOND = ("config/all.yaml", 7)
MODEL = """
def build(name):
    if name == "linear":
        return 1
    elif name.startswith("conv"):
        return 2
    raise ValueError(f"no model {name}")
"""
MAIN = """
import argparse, json, os, shlex, subprocess, sys, tempfile
from pathlib import Path
import yaml
from concurrent.futures import ThreadPoolExecutor
from src import kinds
from src.model import build
{body}
if __name__ == "__main__":
    main()
"""
TRAIN = """
import argparse, json, sys
from pathlib import Path
import yaml
from src.model import build

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--run-config", dest="where", type=Path, required=True)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    args, rest = parser.parse_known_args()
    with open(args.where) as file:
        cfg = yaml.safe_load(file)
    build(cfg["model"]["name"].strip())

if __name__ == "__main__":
    main()
"""
NAMED = """
import argparse

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=("linear", "conv"), type=str.lower)
    print(parser.parse_args().model)
"""
COMMAND = '[commands.main]\nline = "python -m src.main {mode} --out {results_dir}"\n' + (
    '[modes.full]\nword = "--full"\n'
)
PARSED = """
def main():
    parser = argparse.ArgumentParser()
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--full", action="store_true")
    how.add_argument("--quick", action="store_true")
    parser.add_argument("--out", default="results")
    args = parser.parse_args()
    name = "all" if args.full else "quick"
    config = yaml.safe_load((Path("config") / f"{name}.yaml").read_text())
"""
LOOP = PARSED + "    for run in config['runs']:\n"


def plain(files: dict[str, str], clauses: str = COMMAND) -> Submission:
    """A submission of these files alone, with a contract of its own."""
    without = dict.fromkeys(SOUND_FILES)
    sources = {"src/model.py": MODEL, "src/kinds.py": "", "config/all.yaml": RUNS, **files}
    return with_one_run({**without, **sources}, {}, contract=contract("plain", clauses))


def refusals(files: dict[str, str], clauses: str = COMMAND, rule: str = "RC08") -> list[object]:
    """The places of the values that are refused, and of what refuses them."""
    facts = Facts(plain(files, clauses))
    assert not any(file.syntax_error for file in facts.python.values())
    return [
        (finding.span.file, finding.span.line)
        for finding in find_rule(rule)(facts)
        if finding.span is not None
    ]


CHILD = "subprocess.run([sys.executable, '-m', 'src.train', '--run-config', {}], check=True)"
WAYS = {
    "a file for each run, written as text": LOOP
    + "        path = Path(args.out) / run['run_id'] / 'config.yaml'\n"
    + "        path.parent.mkdir(parents=True, exist_ok=True)\n"
    + "        path.write_text(yaml.safe_dump(run))\n        "
    + CHILD.format("str(path)"),
    "a file for each run, dumped into an open one": LOOP
    + "        path = os.path.join(args.out, f\"{run['run_id']}.json\")\n"
    + "        with open(path, 'w') as f:\n            json.dump(run, f, indent=2)\n"
    + "        command = [sys.executable, 'src/train.py', f'--run-config={path}']\n"
    + "        subprocess.Popen(command, env=os.environ.copy()).wait()",
    "a temporary file, one command as text": LOOP
    + "        with tempfile.NamedTemporaryFile('w', suffix='.yaml', delete=False) as f:\n"
    + "            yaml.dump(run, f)\n"
    + "        os.system(f'{sys.executable} -m src.train --run-config {f.name}')",
    "one file written again for each run": LOOP
    + "        Path('current.yaml').write_text(yaml.dump({**run, 'seed': 1}))\n"
    + "        words = ['python', '-m', 'src.train', '--run-config', 'current.yaml']\n"
    + "        subprocess.check_call(' '.join(words), shell=True)",
    "in one process": LOOP + "        build(run['model'].get('name', 'linear'))",
    "a helper that starts the process": PARSED
    + "    for index, run in enumerate(config.get('runs', [])):\n        launch(run, index)\n\n"
    + "def launch(run, index, python=sys.executable):\n"
    + "    path = Path(f'run_{index}.yaml')\n"
    + "    with path.open('w') as f:\n        yaml.safe_dump(run, f)\n"
    + "    process = subprocess.Popen([python, '-m', 'src.train', '--run-config', str(path)])\n"
    + "    if process.wait() != 0:\n        raise RuntimeError('a run failed')\n",
    "words of a command line": LOOP
    + "        name = run['model']['name']\n"
    + "        subprocess.run(['python', 'src/named.py', '--model', str(name)], check=True)",
    "a member of a module": LOOP + "        getattr(kinds, run['model']['name'])()",
    "threads": PARSED
    + "    with ThreadPoolExecutor() as pool:\n"
    + "        list(pool.map(launch, config['runs']))\n\n"
    + "def launch(run):\n"
    + "    path = f\"{run['run_id']}.yaml\"\n"
    + "    Path(path).write_text(yaml.safe_dump(run))\n    "
    + CHILD.format("path"),
}


@pytest.mark.parametrize("body", WAYS.values(), ids=WAYS)
def test_a_configured_name_is_followed_to_the_process_that_refuses_it(body: str) -> None:
    files = {"src/main.py": MAIN.format(body=body), "src/train.py": TRAIN}
    more = {"src/named.py": NAMED, "src/kinds.py": "def linear():\n    return 1\n"}
    assert {*refusals(files | more), *refusals(files | more, rule="RC09")} == {SECOND}


CHOSEN = """
def load():
    with open("config/all.yaml") as f:
        return yaml.safe_load(f)

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("run_id")
    parser.add_argument("--out")
    args = parser.parse_args()
    {choose}
    build(run["model"]["name"])
"""
BY_RUN = """
[commands.main]
line = "python -m src.main {run_id} --out {results_dir}"
values = { run_id = "second" }
"""
CHOICES = {
    "the first that fits": "run = next(r for r in load()['runs'] if r['run_id'] == args.run_id)",
    "by name": "run = {r['run_id']: r for r in load()['runs']}[args.run_id]",
    "a loop": (
        "for run in load()['runs']:\n        if run['run_id'] == args.run_id:\n            break"
    ),
    "a list": "run = [r for r in load()['runs'] if r['run_id'] == vars(args)['run_id']][0]",
}


@pytest.mark.parametrize("choose", CHOICES.values(), ids=CHOICES)
def test_a_run_that_the_command_names_is_found_in_a_list(choose: str) -> None:
    body = CHOSEN.replace("{choose}", choose).replace('"run_id"', '"run_id", metavar="RUN"')
    line = 'line = "python -m src.main second --out {results_dir}"'
    assert refusals({"src/main.py": MAIN.format(body=body)}, f"[commands.main]\n{line}\n") == [
        SECOND
    ]


def test_a_script_without_a_guard_is_followed_from_its_top() -> None:
    body = TRAIN.replace("def main():", "if True:").partition("if __name__")[0]
    main = MAIN.format(body=WAYS["a file for each run, written as text"])
    assert refusals({"src/main.py": main, "src/train.py": body}) == [SECOND]


REGISTRIES = {
    "looked up": ("MODELS = {'linear': int}\ndef build(name):\n    return MODELS[name]()", "RC09"),
    "asked for first": (
        "MODELS = {'linear': int}\ndef build(name):\n    if name not in MODELS:\n"
        "        raise KeyError(name)\n    return MODELS[name]()",
        "RC08",
    ),
    "not there": (
        "MODELS = {'linear': int}\ndef build(name):\n    made = MODELS.get(name.lower())\n"
        "    if made is None:\n        raise ValueError(name)\n    return made()",
        "RC08",
    ),
}


@pytest.mark.parametrize(("model", "rule"), REGISTRIES.values(), ids=REGISTRIES)
def test_a_name_that_no_registry_has_is_refused(model: str, rule: str) -> None:
    body = LOOP + "        build(run['model']['name'])"
    files = {"src/main.py": MAIN.format(body=body), "src/model.py": model}
    assert refusals(files, rule=rule) == [SECOND]


STARTED = {
    "its docstring": ('"""Run it:\n\n    python -m src.main --full\n"""', {}),
    "a README": (
        "",
        {"README.md": "## Usage\n```sh\n$ python src/main.py --full \\\n  --out x\n```"},
    ),
}


@pytest.mark.parametrize(("head", "more"), STARTED.values(), ids=STARTED)
def test_without_a_command_in_the_contract_the_words_that_are_shown_count(
    head: str, more: dict[str, str]
) -> None:
    text = head + MAIN.format(body=WAYS["in one process"])
    assert refusals({"src/main.py": text, **more}, "") == [SECOND]


def test_a_file_that_a_command_leaves_open_is_each_one_of_the_folder() -> None:
    body = (
        "def main():\n    with open(sys.argv[2]) as f:\n        run = json.load(f)\n"
        "    build(run['name'])"
    )
    files = {
        "README.md": "Use `python src/main.py --config configs/<name>.json` to train.",
        "configs/a.json": '{"name": "linear"}',
        "configs/b.json": '{"seed": 1e-3,\n "name": "other"}',
        "src/main.py": MAIN.format(body=body),
    }
    assert refusals(files, "") == []  # it does not stand on a line of its own
    files["README.md"] = "`python src/main.py --config configs/<name>.json`"
    assert refusals(files, "") == [("configs/b.json", 2)]


def test_a_script_that_shows_no_command_is_started_without_words() -> None:
    body = (
        WAYS["in one process"].replace("required=True", "").replace("args.full", "not args.quick")
    )
    assert refusals({"src/main.py": MAIN.format(body=body)}, "") == [SECOND]


def test_a_word_that_is_shown_as_an_example_is_no_value_of_the_configuration() -> None:
    text = '"""python -m src.named --model MODEL"""' + NAMED.replace("choices=", "metavar=")
    text = text.replace("print(", "from src.model import build\n    build(")
    assert refusals({"src/named.py": text}, "") == []


def test_what_nobody_knows_is_not_guessed() -> None:
    body = WAYS["in one process"].replace("= name", "").replace("name = ", "name = input() or ")
    assert refusals({"src/main.py": MAIN.format(body=body)}) == []


def test_a_configuration_of_omegaconf_s_knows_its_lines_too() -> None:
    body = (
        "from omegaconf import OmegaConf\n\ndef main():\n"
        "    cfg = OmegaConf.load('config/all.yaml')\n"
        "    for run in cfg.runs:\n        build(run.model.name)"
    )
    assert refusals({"src/main.py": MAIN.format(body=body)}) == [SECOND]


def test_behind_one_refusal_the_next_is_looked_for() -> None:
    runs = RUNS.replace("run_id: first", "run_id: first\n    data: mnist")
    body = LOOP + "        build(run.get('data', 'linear'))\n        build(run['model']['name'])"
    files = {"src/main.py": MAIN.format(body=body), "config/all.yaml": runs}
    assert refusals(files) == [("config/all.yaml", 4), ("config/all.yaml", 8)]


SOUND = {
    "a choice of the process": WAYS["a file for each run, written as text"].replace(
        "'--run-config'", "'--device', 'tpu', '--run-config'"
    ),
    "a directory of its own": WAYS["a file for each run, written as text"].replace(
        "check=True", "cwd='/elsewhere'"
    ),
    "a condition that is not known": LOOP
    + "        if os.environ.get('RUN') == run['run_id']:\n"
    + "            build(run['model']['name'])",
    "a value that is written over": LOOP
    + "        run['model']['name'] = os.environ['MODEL']\n"
    + "        build(run['model']['name'])",
    "a file that may be another": LOOP
    + "        if os.environ.get('X'):\n            Path('c.yaml').write_text(yaml.dump(run))\n"
    + "        "
    + CHILD.format("'c.yaml'"),
    "an error that is caught": LOOP
    + "        try:\n            build(run['model']['name'])\n"
    + "        except ValueError:\n            continue",
    "an update under a condition": LOOP
    + "        if os.environ.get('X'):\n            run.update({'model': {'name': 'linear'}})\n"
    + "        build(run['model']['name'])",
    "words that name any key": LOOP
    + "        for word in os.environ['SET'].split():\n"
    + "            key, _, value = word.partition('=')\n            run['model'][key] = value\n"
    + "        build(run['model']['name'])",
    "a merge that goes down": LOOP
    + "        merge(run, {'model': {'name': 'linear'}})\n        build(run['model']['name'])\n\n"
    + "def merge(into, more):\n    for key, value in more.items():\n"
    + "        if isinstance(value, dict) and key in into:\n            merge(into[key], value)\n"
    + "        else:\n            into[key] = value",
    "a merge that goes down by itself": LOOP
    + "        merge(run, {'model': {'name': os.environ['M']}}, 9)\n"
    + "        build(run['model']['name'])\n\n"
    + "def merge(into, more, left):\n"
    + "    merge(into, more, left - 1) if left else into['model'].update(more['model'])",
    "an end before it": LOOP
    + "        if run['run_id'] == 'second':\n            sys.exit(0)\n"
    + "        build(run['model']['name'])",
    "more lists than argparse shares words out among": (
        "def main():\n    p = argparse.ArgumentParser()\n"
        + "".join(f"    p.add_argument('a{n}', nargs='+')\n" for n in range(40))
        + f"    p.parse_args({['x'] * 30})"
    ),
    "a word that no option takes": "def main():\n    p = argparse.ArgumentParser()\n"
    + "    p.add_argument('--other')\n    args = p.parse_args()\n"
    + "    build('linear' if args.other else 'linear')",
}


@pytest.mark.parametrize("body", SOUND.values(), ids=SOUND)
def test_what_may_well_run_is_not_called_refused(body: str) -> None:
    files = {"src/main.py": MAIN.format(body=body), "src/train.py": TRAIN}
    assert refusals(files) == []


@pytest.mark.parametrize(
    ("start", "stops"),
    [
        ("run(' '.join(words), check=True)", True),
        ("run(f'{sys.executable} -m src.train')", True),
        ("run(' '.join(words), shell=True)", False),
        ("run(' '.join(words), **({'shell': True} if words else {}))", False),
        ("run(words[0])", False),
        ("run(words)", False),
    ],
)
def test_without_a_shell_a_command_line_is_the_name_of_a_program(start: str, stops: bool) -> None:
    body = f"""
def main():
    words = [sys.executable, "-m", "src.train"]
    subprocess.{start}
"""
    files = {"src/main.py": MAIN.format(body=body), "src/train.py": "x = 1\n"}
    assert bool(refusals(files, rule="RC09")) is stops


def test_a_key_that_a_run_lacks_is_a_defect_of_its_configuration() -> None:
    body = LOOP + "        print(run['run_id'], run['seed'])"
    runs = RUNS.replace("run_id: first", "run_id: first\n    seed: 1")
    files = {"src/main.py": MAIN.format(body=body), "config/all.yaml": runs}
    assert refusals(files, rule="RC09") == [("config/all.yaml", 6)]
    files["config/all.yaml"] = RUNS
    (finding,) = find_rule("RC09")(Facts(plain(files)))
    assert finding.message.endswith("stops with KeyError: 'seed'")
    assert "config/all.yaml:5" in [str(place.span) for place in finding.further]


def test_a_key_that_omegaconf_does_not_find_is_told_of_a_script_too() -> None:
    files = {
        "src/main.py": MAIN.format(
            body="def main():\n    subprocess.run([sys.executable, 'src/train.py'])"
        ),
        "src/train.py": "from omegaconf import OmegaConf\n\n"
        "cfg = OmegaConf.load('config/all.yaml')\nprint(cfg.runs[0].model.width)\n",
    }
    facts = Facts(plain(files))
    (finding,) = find_rule("HY02")(facts)
    assert str(finding.span) == "src/train.py:4"


def test_yaml_that_only_pyyaml_loads_is_judged_as_pyyaml_reads_it() -> None:
    main = {"src/main.py": MAIN.format(body=WAYS["in one process"])}
    assert refusals({**main, "config/all.yaml": "runs: []\nruns: []\n"}, rule="RC01") == []
    facts = Facts(plain({**main, "config/all.yaml": "runs: [\n"}))
    (finding,) = find_rule("RC01")(facts)
    assert finding.message.startswith("PyYAML cannot read config/all.yaml: ")
    by_hydra = {**main, "config/all.yaml": "runs: []\nruns: []\n", "src/a.py": "import hydra\n"}
    assert refusals(by_hydra, rule="RC01") == [("config/all.yaml", 2)]


def test_a_placeholder_that_the_contract_asks_for_may_be_refused() -> None:
    files = {"src/main.py": MAIN.format(body=WAYS["in one process"])}
    clauses = f"{COMMAND}[files]\nplaceholders = true\n"
    assert refusals(files, clauses) == [SECOND]
    named = {"config/all.yaml": RUNS.replace("transformer", "MODEL_PLACEHOLDER")}
    assert refusals(files | named, COMMAND) == [SECOND]
    assert refusals(files | named, clauses) == []


def test_the_refusing_line_is_the_evidence_and_the_command_is_told() -> None:
    body = WAYS["a file for each run, written as text"]
    facts = Facts(plain({"src/main.py": MAIN.format(body=body), "src/train.py": TRAIN}))
    (finding,) = find_rule("RC08")(facts)
    assert str(finding.check.span) == "src/model.py:7"
    assert finding.check.evidence.startswith(
        "followed with the configuration that it loads, src/train.py, which src/main.py starts,"
    )
    assert finding.message == (
        "`python -m src.main --full --out /results` stops at src/model.py:7 with ValueError: no"
        " model transformer, since `name` is 'transformer'; give the run a value that the code"
        " takes"
    )


def advice(source: dict[str, str], **fields: object) -> str:
    """What is said after the reason, of the one value that is refused."""
    main = MAIN.format(body=WAYS["in one process"])
    submission = replace(plain({"src/main.py": main, **source}), **fields)  # type: ignore[arg-type]
    (finding,) = find_rule("RC08")(Facts(submission))
    return finding.message.rpartition(" is ")[2].partition("; ")[2]


def test_who_is_at_fault_for_a_refused_value_decides_what_is_advised() -> None:
    named = {"config/all.yaml": RUNS.replace("transformer", "vit_tiny")}
    lacking = {"src/model.py": MODEL.replace("ValueError", "NotImplementedError")}
    asked = ResearchContext(hypothesis={}, design={"Models": "a ViT-Tiny, a transformer"})
    take = "give the run a value that the code takes"
    assert advice(named) == take
    assert advice(lacking) == f"implement it, or {take}"
    assert advice({}, context=asked) == take  # a plain word may mean anything
    assert advice({**lacking, **named}, context=asked) == (
        "the experiment names this value, so the code has to take it"
    )


def test_a_start_that_cannot_import_its_modules_does_not_come_to_a_refused_value_first() -> None:
    body = WAYS["a file for each run, written as text"]
    files = {"src/main.py": MAIN.format(body=body), "src/train.py": TRAIN}
    broken = "from src.other import gone\n"

    def is_first(**changed: str) -> bool:
        (finding,) = find_rule("RC08")(
            Facts(plain({**files, "src/other.py": "x = 1\n", **changed}))
        )
        return "once what stops it before is mended" not in finding.message

    assert is_first(**{"src/apart.py": broken})
    assert not is_first(**{"src/train.py": f"{broken}{TRAIN}"})
    assert not is_first(**{"src/model.py": f"import src.inner\n{MODEL}", "src/inner.py": broken})
    assert is_first(**{"src/train.py": f"try:\n    {broken}except ImportError:\n    pass\n{TRAIN}"})


@pytest.mark.parametrize(
    ("opened", "is_known"),
    [
        ("initialize(version_base=None, config_path='../config')", True),
        ("initialize_config_dir('config')", True),
        ("initialize(version_base=None, config_path=unknown())", False),
    ],
)
def test_what_hydra_composes_for_a_script_is_followed(opened: str, is_known: bool) -> None:
    text = (
        "from hydra import compose, initialize, initialize_config_dir\n"
        f"with {opened}:\n    cfg = compose('config')\nif __name__ == '__main__':\n"
        "    print(cfg.absent)\n"
    )
    trace = Facts(with_one_run({"src/evaluate.py": text})).hydra.script("src/evaluate.py")
    assert trace is not None
    assert [problem.key for problem in trace.problems if problem.certain] == ["absent"] * is_known
