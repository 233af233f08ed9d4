"""Guards where a run's values lead: to an error that the code raises, or past every line that would
raise one.
"""

import textwrap

import pytest

from reviewers.facts import Facts
from reviewers.facts.config_flow import ProblemKind
from reviewers.rules.base import find_rule
from tests.builders import SOUND_FILES, with_one_run

ENTRY = "@hydra.main({decorator})\n"
SOUND_DECORATOR = 'version_base="1.3", config_path="../config", config_name="config"'
HEAD = "import os, sys\nimport hydra\nfrom omegaconf import DictConfig, OmegaConf\n\n"
LOADED = (
    "OmegaConf.set_struct(cfg, False)\ncfg = OmegaConf.merge(cfg,"
    " OmegaConf.load(f'config/runs/{cfg.run}.yaml'))\n"
)
RUN = (
    "run_id: a\nmodel: {name: mlp, width: 8}\ntraining: {steps: null, rate: '1e-4', epochs:"
    " 3}\nsteps: [{kind: crop}]\n"
)


def errors_in(
    body: str,
    before: str = "",
    *,
    run: str = RUN,
    decorator: str = SOUND_DECORATOR,
    loaded: str = LOADED,
) -> list[str]:
    """The exceptions that certainly stop a train.py whose entry function has this body."""
    entry = ENTRY.format(decorator=decorator)
    text = f"{HEAD}{before}\n{entry}def main(cfg):\n{textwrap.indent(loaded + body, '    ')}\n"
    facts = Facts(with_one_run({"src/train.py": text, "src/main.py": None}, {"a": run}))
    assert facts.python["src/train.py"].syntax_error is None
    return [problem.error for _, problem in facts.hydra.problems if problem.certain]


BUILD = (
    "def build(name):\n    if name == 'cnn':\n        return 1\n    elif name.startswith('bert'):\n"
    "        return 2\n"
)
REFUSING = BUILD + "    raise ValueError(f'no model {name}')\n"
DATACLASS = (
    "from dataclasses import dataclass, field\n@dataclass\nclass A:\n    name: str\n"
    "    depth: int = 8\n    names: list = field(default_factory=list)\n"
)
STOPPING = {
    "a field of a template that nothing fills": (
        "print('{name}: {answer}'.format(name=unknown()))",
        "",
        "KeyError",
    ),
    "JSON in a template": (
        "print(('{\"answer\": 1} ' + cfg.model.name).format(name=unknown()))",
        "",
        "KeyError",
    ),
    "a chain of names": ("build(cfg.model.name)", REFUSING, "ValueError"),
    "a table of names": (
        "print(MODELS[cfg.model.name])",
        "MODELS = {'cnn': 1, 'bert': 2}\n",
        "KeyError",
    ),
    "an assertion": ("assert cfg.model.width % 3 == 0", "", "AssertionError"),
    "a DictConfig is no dict": (
        "for step in cfg.steps:\n    if not isinstance(step, dict):\n        raise TypeError(step)",
        "",
        "TypeError",
    ),
    "asked for and missing": (
        "for k in ('model', 'head'):\n    if k not in cfg:\n        raise KeyError(k)",
        "",
        "KeyError",
    ),
    "caught as something else": (
        "try:\n    build(cfg.model.name)\nexcept KeyError:\n    pass",
        REFUSING,
        "ValueError",
    ),
    "inherited": (
        "B(cfg).go()",
        "class A:\n    def go(self):\n        raise OSError\nclass B(A):\n    pass\n",
        "OSError",
    ),
    "read by a data set": (
        "from torch.utils.data import DataLoader\nDataLoader(D(cfg.model.name))",
        (
            "import torch\nclass D(torch.utils.data.Dataset):\n    def __init__(self, n):\n       "
            " self.n = n\n    def __getitem__(self, i):\n        if self.n != 'cnn':\n           "
            " raise ValueError\n"
        ),
        "ValueError",
    ),
    "nothing compared": ("print(cfg.training.steps > 3)", "", "TypeError"),
    "nothing counted": ("for i in range(cfg.training.steps):\n    pass", "", "TypeError"),
    "a quoted number": ("print(cfg.training.rate / 2)", "", "TypeError"),
    "a word as number": ("print(float(cfg.model.name))", "", "ValueError"),
    "unpacked keys": ("f(**cfg.model)", "def f(name):\n    pass\n", "TypeError"),
    "what a star takes": (
        "*above, last = 'a.cnn'.split('.')\nfor part in above:\n    build(part)",
        REFUSING,
        "ValueError",
    ),
    "what a star leaves": (
        "first, *_, last = [1, 2, 3, cfg.model.name]\nbuild(last)",
        REFUSING,
        "ValueError",
    ),
    "an exit code other than zero": (
        "import sys\nif cfg.model.name == 'mlp':\n    sys.exit(2)",
        "",
        "SystemExit",
    ),
    "an exit code that is raised": ("raise SystemExit(1)", "", "SystemExit"),
    "the remainder of a turn by nothing": (
        "every = cfg.training.epochs // 10\nfor epoch in range(cfg.training.epochs):\n"
        "    if epoch % every == 0:\n        print(epoch)",
        "",
        "ZeroDivisionError",
    ),
    "the number of a batch, by nothing": (
        "from torch.utils.data import DataLoader\nevery = cfg.training.epochs // 10\n"
        "for i, _ in enumerate(DataLoader(unknown())):\n    print((i + 1) % every)",
        "",
        "ZeroDivisionError",
    ),
    "a share of what is counted": (
        "print(len(unknown()) / (cfg.training.epochs // 10))",
        "",
        "ZeroDivisionError",
    ),
    "a counter of turns": (
        "step = 0\nfor _ in range(cfg.training.epochs):\n    step += 1\n"
        "    print(step // (cfg.model.width // 100))",
        "",
        "ZeroDivisionError",
    ),
    "steps of nothing": (
        "for i in range(0, unknown(), cfg.model.width // 16):\n    pass",
        "",
        "ValueError",
    ),
    "the best of none": (
        "print(max([s for s in cfg.steps if s.kind == 'flip']))",
        "",
        "ValueError",
    ),
    "the mean of none": (
        "kept = [s for s in cfg.steps if s.kind == 'flip']\nprint(sum(kept) / len(kept))",
        "",
        "ZeroDivisionError",
    ),
    "beyond the end": ("names = ['a', 'b']\nprint(names[cfg.training.epochs])", "", "IndexError"),
    "a text and the number of a turn": (
        "for i in range(cfg.model.width):\n    print(cfg.model.name + i)",
        "",
        "TypeError",
    ),
    "nothing, with who knows what": ("print(unknown() * cfg.training.steps)", "", "TypeError"),
    "nothing in a comprehension": ("print([x for x in cfg.training.steps])", "", "TypeError"),
    "nothing taken apart": ("a, b = cfg.training.steps", "", "TypeError"),
    "nothing spread": ("print(*cfg.training.steps)", "", "TypeError"),
    "a number's length": ("print(len(cfg.model.width))", "", "TypeError"),
    "a word as a step": (
        "for i in range(0, len(unknown()), cfg.model.name):\n    pass",
        "",
        "TypeError",
    ),
    "a word in a formula": ("import math\nmath.log(cfg.model.name)", "", "TypeError"),
    "nothing as a path": ("import os\nos.path.join('x', cfg.training.steps)", "", "TypeError"),
    "nothing shown as a number": ("print(f'{cfg.training.steps:.3f}')", "", "TypeError"),
    "nothing given back": ("print(f().x)", "def f():\n    print(1)\n", "AttributeError"),
    "a list asked by a word": ("print([1, 2][cfg.model.name])", "", "TypeError"),
    "a file that nobody writes": (
        "from pathlib import Path\n(Path(__file__).parent / 'stats.json').read_text()",
        "",
        "FileNotFoundError",
    ),
    "a folder of another name": (
        "from pathlib import Path\nif not Path('my/config.yaml').exists():\n    raise OSError",
        "",
        "OSError",
    ),
    "an item too many": ("print('a-b'.split('-')[4])", "", "IndexError"),
    "a value too many": ("a, b = (1, 2, 3)", "", "ValueError"),
    "a number that is called": ("cfg.model.width()", "", "TypeError"),
    "a word shown as a number": ("print('%d' % cfg.model.name)", "", "TypeError"),
    "a gap without a value": ("print('{} {}'.format(1))", "", "IndexError"),
    "the largest of nothing": ("print(max([]))", "", "ValueError"),
    "taken from nothing": ("[].pop()", "", "IndexError"),
    "a key that is not there to be taken": ("{'a': 1}.pop('b')", "", "KeyError"),
    "numbers joined": ("print('-'.join([1, 2]))", "", "TypeError"),
    "words added up": ("print(sum(['a', 'b']))", "", "TypeError"),
    "a root of what has none": ("import math\nmath.sqrt(-1)", "", "ValueError"),
    "a choice of nothing": ("import random\nrandom.choice([])", "", "IndexError"),
    "no day": ("import datetime\ndatetime.date(2025, 13, 1)", "", "ValueError"),
    "a list set by a word": ("x = []\nx['a'] = 1", "", "TypeError"),
    "a tuple that is changed": ("x = (1, 2)\nx[0] = 3", "", "TypeError"),
    "a section as JSON": ("import json\njson.dumps({'a': cfg.model})", "", "TypeError"),
    "a number among words": (
        "import subprocess\nsubprocess.run(['echo', cfg.model.width])",
        "",
        "TypeError",
    ),
    "a function in a configuration": ("cfg.model = f", "def f(): pass\n", "UnsupportedValueType"),
    "a name that no module has": (
        "src.model.nothing",
        "import src.model\n",
        "AttributeError",
    ),
    "a length that is none": (
        "len(A())",
        "class A:\n    def __len__(self):\n        print(1)\n",
        "TypeError",
    ),
    "an item that is refused": (
        "A()[1]",
        "class A:\n    def __getitem__(self, at):\n        raise ValueError(at)\n",
        "ValueError",
    ),
    "a field that a dataclass has not": ("A(**cfg.model)", DATACLASS, "TypeError"),
    "a field that a dataclass needs": (
        "A(**{'name': cfg.model.name})",
        DATACLASS.replace(" = 8", ""),
        "TypeError",
    ),
    "a default of a dataclass": (
        "print({8: 1}[A(name='x').depth])",
        DATACLASS.replace("8", "field(default=9)"),
        "KeyError",
    ),
    "an attribute that a namespace has not": (
        "import types\nprint(types.SimpleNamespace(**cfg.model).depth)",
        "",
        "AttributeError",
    ),
    "a configuration made of a text": (
        "OmegaConf.set_struct(cfg, True)\nOmegaConf.merge(cfg, OmegaConf.create('more: {a: 1}'))",
        "",
        "ConfigKeyError",
    ),
    "no case of a match": (
        "match cfg.model.name:\n    case 'cnn' | 'bert':\n        pass\n"
        "    case other:\n        raise ValueError(other)",
        "",
        "ValueError",
    ),
    "a case of a match": (
        "match cfg.training.steps:\n    case 1:\n        pass\n    case None:\n"
        "        print(cfg.model.width / cfg.training.steps)",
        "",
        "TypeError",
    ),
    "getattr of a text": ("getattr(cfg.model.name, 'depth')", "", "AttributeError"),
    "JSON of nothing": ("import json\njson.loads(cfg.training.steps)", "", "TypeError"),
    "a text at the end": ("import sys\nsys.exit('no such model')", "", "SystemExit"),
}
SOUND = {
    "the fields of a dataclass": ("A(**cfg.model)", DATACLASS.replace("depth", "width")),
    "fields that a class above has": (
        "B(**cfg.model)",
        DATACLASS.replace("depth", "width") + "@dataclass\nclass B(A):\n    more: int = 1\n",
    ),
    "a dataclass that sets the rest itself": (
        "print({3: 1}[A(name='x').depth])",
        DATACLASS + "    def __post_init__(self):\n        self.depth = 3\n",
    ),
    "an attribute that a namespace gets": (
        "import types\na = types.SimpleNamespace(**cfg.model)\na.depth = 1\nvars(a).update(x=2)\n"
        "setattr(a, unknown(), 3)\nprint(a.depth, a.x, a.y)",
        "",
    ),
    "getattr with a default": ("getattr(cfg.model.name, 'depth', None)", ""),
    "a case that a guard may refuse": (
        "match cfg.model.name:\n    case 'mlp' if unknown():\n        raise ValueError\n"
        "    case _:\n        pass",
        "",
    ),
    "a case for something else": (
        "match cfg.model.width:\n    case 9 | [8]:\n        raise ValueError\n"
        "    case {'width': 8}:\n        raise ValueError\n    case str():\n        raise OSError",
        "",
    ),
    "a template with fields for all": ("print('{{}} {a.b[0]}: {} {0}'.format(1, a=unknown()))", ""),
    "a template filled from a mapping": ("print('{name}'.format(**unknown()))", ""),
    "caught": ("try:\n    build(cfg.model.name)\nexcept ValueError:\n    pass", REFUSING),
    "left before, perhaps": (
        "build(cfg.model.name)",
        BUILD.replace("name ==", "unknown() or name ==") + "    raise ValueError\n",
    ),
    "an open condition": ("if unknown() and cfg.model.name == 'mlp':\n    raise ValueError", ""),
    "a loop over what may be nothing": ("for key in unknown():\n    raise ValueError(key)", ""),
    "a loop that may have been broken off": (
        "for x in sys.path:\n    if x:\n        break\nelse:\n    raise ValueError",
        "",
    ),
    "a list that is filled on an open condition": (
        "found = []\nfor x in unknown():\n    found.append(x)\nif not found:\n    raise ValueError",
        "",
    ),
    "a flag of an import": (
        "if not HAS:\n    raise ImportError",
        "HAS = False\ntry:\n    import json\n    HAS = True\nexcept ImportError:\n    pass\n",
    ),
    "a table that others fill": (
        "print(MODELS[cfg.model.name])",
        "MODELS = {'cnn': 1}\ndef register(name, model):\n    MODELS[name] = model\n",
    ),
    "a name that an inner function binds": (
        (
            "best = None\ndef f():\n    nonlocal best\n    best = 1\nf()\nif best is None:\n   "
            " raise ValueError"
        ),
        "",
    ),
    "what another thread sets": (
        "w = W()\nw.start()\nif w.found is None:\n    raise ValueError",
        (
            "import threading\nclass W(threading.Thread):\n    def __init__(self):\n       "
            " super().__init__()\n        self.found = None\n    def run(self):\n        self.found"
            " = 1\n"
        ),
    ),
    "a generator that nobody asks": (
        "f(cfg)",
        "def f(c):\n    if c.model.name == 'mlp':\n        raise ValueError\n    yield 1\n",
    ),
    "a text that is formatted": ("print(unknown() % cfg.training.steps)", ""),
    "compared with nothing": ("print(unknown() > cfg.training.steps)", ""),
    "nothing that is set in a loop": (
        "best = None\nfor x in unknown():\n    if best is None or x > best:\n        best = x\n"
        "        y = unknown() + best",
        "",
    ),
    "a file that it writes itself": (
        "if unknown():\n    open('src/stats.json', 'w').write('x')\nopen('src/stats.json')",
        "",
    ),
    "a file in a folder that may be supplied": ("open('data/stats.json')", ""),
    "a file that is asked for": (
        "import os\nif os.path.exists('src/stats.json'):\n    open('src/stats.json')",
        "",
    ),
    "what Hydra writes": ("OmegaConf.load('.hydra/config.yaml')", ""),
    "what is drawn and taken": (
        "import random\nx = [1, 2]\nx.pop()\nx[0]\nrandom.choice(x)\na, *b = 'a-b'.split('-')",
        "",
    ),
    "a list that is filled elsewhere": (
        "import heapq\nfound = []\nheapq.heappush(found, 1)\nprint(found[0], max(found))",
        "",
    ),
    "a section as JSON with a way to write it": (
        "import json\njson.dumps(cfg.model, default=dict)",
        "",
    ),
    "an end with exit code 0": ("import sys\nsys.exit(0)", ""),
    "an end with what is not known": ("import sys\nsys.exit(unknown())", ""),
    "an end where an error is caught": (
        "import sys\ntry:\n    print(1)\nexcept ValueError:\n    sys.exit(1)",
        "",
    ),
    "the end without an error": ("if cfg.model.name == 'mlp':\n    raise SystemExit(0)", ""),
    "a tuple is no list": ("if isinstance((1, 2), list):\n    raise ValueError", ""),
    "nothing, asked before": (
        "print(cfg.training.steps is not None and cfg.training.steps > 3)",
        "",
    ),
    "suppressed": (
        "import contextlib\nwith contextlib.suppress(Exception):\n    print(cfg.absent.more)",
        "",
    ),
    "of a subclass": (
        "B().go()",
        (
            "class A:\n    def go(self):\n        raise OSError\nclass B(A):\n    def go(self):\n  "
            "      pass\n"
        ),
    ),
    "a turn by at least one": (
        "every = max(1, cfg.training.epochs // 10)\nfor epoch in range(cfg.training.epochs):\n"
        "    print(epoch % every)",
        "",
    ),
    "a turn by what is asked for first": (
        "every = cfg.training.epochs // 10\nfor epoch in range(cfg.training.epochs):\n"
        "    if every and epoch % every == 0:\n        print(epoch)",
        "",
    ),
    "no turn": ("for i in range(cfg.training.epochs // 10):\n    print(i % 0)", ""),
    "an array by nothing": ("print(unknown() / (cfg.training.epochs // 10))", ""),
    "what a turn gives by nothing": (
        "for x in unknown():\n    print(x / (cfg.training.epochs // 10))",
        "",
    ),
    "nothing divides": ("print((cfg.training.epochs // 10) / len(unknown()))", ""),
    "the best of none, else one": (
        "print(max([s for s in cfg.steps if s.kind == 'flip'], default=None))",
        "",
    ),
    "so many times a text": ("for i in range(3):\n    print(cfg.model.name * i)", ""),
    "the number of a turn in a text": ("for i in range(3):\n    print('%d' % i, f'{i:03d}')", ""),
    "more keys than are named": ("f(**cfg.model)", "def f(name, **more):\n    pass\n"),
}


@pytest.mark.parametrize(("body", "before", "error"), STOPPING.values(), ids=STOPPING)
def test_a_value_that_the_code_refuses_is_found(body: str, before: str, error: str) -> None:
    assert errors_in(body, before) == [error]


@pytest.mark.parametrize(("body", "before"), SOUND.values(), ids=SOUND)
def test_what_is_not_certainly_reached_is_no_problem(body: str, before: str) -> None:
    assert errors_in(body, before) == []


@pytest.mark.parametrize(
    ("end", "errors"),
    [("    sys.exit(1)\n", ["SystemExit"]), ("    sys.exit(0)\n", [])],
    ids=["with one", "with zero"],
)
def test_what_a_script_does_after_hydra_has_called_its_function_is_met(
    end: str, errors: list[str]
) -> None:
    text = f"import sys\n{SOUND_FILES['src/main.py'].rstrip()}\n{end}"
    facts = Facts(with_one_run({"src/main.py": text}))
    assert [problem.error for _, problem in facts.hydra.problems if problem.certain] == errors


OLD = 'config_path="../config", config_name="config"'
HERE = "print(OmegaConf.load(f'config/runs/{cfg.run}.yaml'))"


def test_a_relative_path_leads_nowhere_once_hydra_has_changed_the_directory() -> None:
    assert errors_in(HERE, decorator=OLD, loaded="") == ["FileNotFoundError"]
    assert (
        errors_in("os.chdir(hydra.utils.get_original_cwd())\n" + HERE, decorator=OLD, loaded="")
        == []
    )
    assert (
        errors_in(
            HERE.replace("f'", "hydra.utils.get_original_cwd() + f'/"), decorator=OLD, loaded=""
        )
        == []
    )
    assert errors_in(HERE, loaded="") == []


NEW = f"version_base=None, {OLD}"
FOLDER_NODES = {
    "nothing said": (OLD, "", "", True),
    "chdir": (OLD, "hydra: {job: {chdir: false}}\n", "", False),
    "the same folder": (OLD, "hydra:\n  run:\n    dir: .  # stay\n", "", False),
    "the same in braces": (OLD, "hydra: {run: {dir: ./}}\n", "", False),
    "that of the start": (OLD, "hydra: {run: {dir: '${hydra:runtime.cwd}'}}\n", "", False),
    "chdir wanted": (OLD, "hydra: {job: {chdir: true}}\n", "", True),
    "another folder": (OLD, "hydra:\n  run:\n    dir: x\n", "", True),
    "new": (NEW, "", "", False),
    "new, chdir wanted": (NEW, "hydra:\n  job: {chdir: true}\n", "", True),
    "new, with no run chosen": (
        NEW, "hydra: {job: {chdir: true}}\ndefaults:\n- _self_\n- run: ???\n", "", True
    ),
    "new, chdir wanted in the same folder": (
        NEW, "hydra: {job: {chdir: true}, run: {dir: .}}\n", "", False
    ),
    "a word wants it": (NEW, "", "hydra.job.chdir=true", True),
    "a word forbids it": (NEW, "hydra: {job: {chdir: true}}\n", "hydra.job.chdir=false", False),
    "a word about something else": (OLD, "", "hydra.job.name=x", True),
}  # fmt: skip


@pytest.mark.parametrize(
    ("decorator", "node", "word", "moves"), FOLDER_NODES.values(), ids=FOLDER_NODES
)
def test_the_configuration_says_where_hydra_is(
    decorator: str, node: str, word: str, moves: bool
) -> None:
    text = f"import hydra\n\n{ENTRY.format(decorator=decorator)}def main(cfg):\n    pass\n"
    config = f"run: ???\nresults_dir: ???\nmode: full\n{node}"
    hydra = Facts(with_one_run({"src/train.py": text, "config/config.yaml": config})).hydra
    entry = hydra.entry_points["src/train.py"]
    assert hydra.moves(entry, [word] if word else []) is moves


@pytest.mark.parametrize(
    "written",
    ["config_path=FOLDER", "config_path=str(Path(__file__).resolve().parent.parent / 'config')"],
    ids=["a name of the module", "a path worked out"],
)
def test_a_configuration_folder_need_not_be_a_constant(written: str) -> None:
    decorator = f"version_base=None, config_name='config', {written}"
    assert (
        errors_in("pass", "from pathlib import Path\nFOLDER = '../config'\n", decorator=decorator)
        == []
    )


def test_the_condition_that_leads_to_a_raise_is_told() -> None:
    text = (
        f"{HEAD}{REFUSING}\n{ENTRY.format(decorator=SOUND_DECORATOR)}def"
        f" main(cfg):\n{textwrap.indent(LOADED, '    ')}"
    )
    facts = Facts(
        with_one_run(
            {"src/train.py": f"{text}    build(cfg.model.name)\n", "src/main.py": None}, {"a": RUN}
        )
    )
    ((_, problem),) = facts.hydra.problems
    assert (problem.kind, problem.message, problem.key) == (
        ProblemKind.RAISED,
        "no model mlp",
        "`name` is 'mlp'",
    )


@pytest.mark.parametrize(
    "body",
    [
        "a = [1]\n" + "a += a\n" * 40,
        "cfg = OmegaConf.merge(cfg, {'a': cfg})\n" * 60,
        "a = 'x'\n" + "a += a\n" * 60 + "b = a * 9**99",
    ],
    ids=["a growing list", "a configuration ever deeper", "a growing text"],
)
def test_values_that_would_outgrow_memory_are_let_go(body: str) -> None:
    assert errors_in(body) == []


def test_a_function_that_is_handed_on_may_return_before_it_reads() -> None:
    handed = "from torch.optim.lr_scheduler import LambdaLR\nLambdaLR(None, rate)"
    body = (
        "def rate(step):\n    if step < 500:\n        return 1.0\n    return cfg.training.total\n"
        + handed
    )
    assert errors_in(body) == []
    assert errors_in(body.replace("    if step < 500:\n        return 1.0\n", "")) == [
        "ConfigAttributeError"
    ]


@pytest.mark.parametrize(
    ("folder", "error"),
    [
        ("Path(__file__).resolve().parents[1]", []),
        ("Path(__file__).resolve().parents[0]", ["FileNotFoundError"]),
        ("Path(__file__).resolve().parents[2]", ["FileNotFoundError"]),
        ("Path(__file__).parent.parent.parent", ["FileNotFoundError"]),
        ("Path('.')", []),
        ("Path('..')", ["FileNotFoundError"]),
        ("Path(cfg.results_dir)", []),
    ],
)
def test_a_configuration_is_looked_for_where_the_path_says(folder: str, error: list[str]) -> None:
    loaded = (
        f"from pathlib import Path\nOmegaConf.load({folder} / f'config/runs/{{cfg.run}}.yaml')\n"
    )
    assert errors_in("", loaded=loaded) == error


MAKING = """
import hydra
from pathlib import Path

@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    folder = Path(cfg.results_dir) / "kept"
    {before}
    (folder / "metrics.json").write_text("1")

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("before", "found"),
    [
        ("pass", True),
        ("folder.mkdir(parents=True, exist_ok=True)", False),
        ("(folder / 'deeper').mkdir(parents=True)", False),
        ("import os; os.makedirs(folder)", False),
        ("made = [one.mkdir() for one in unknown()]", False),
        ("unknown().save_pretrained(folder)", False),
        ("folder = Path(cfg.results_dir)", False),
        ("folder = Path('data') / 'kept'", False),
        ("(folder.parent / 'other').mkdir()", True),
    ],
)
def test_a_folder_of_the_results_that_nothing_makes_is_met(before: str, found: bool) -> None:
    files = {"src/main.py": MAKING.format(before=before), "src/train.py": None}
    files["src/evaluate.py"] = "print(1)\n"
    told = [one.message for one in find_rule("HY17")(Facts(with_one_run(files)))]
    assert [("nothing makes the folder {results_dir}/kept" in message) for message in told] == [
        True
    ] * found
